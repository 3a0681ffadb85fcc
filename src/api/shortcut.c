/* Which generated function answers a call. */
#include "api/shortcut.h"

/* the arrays of a call begin the structure, in the order of a generated function's */
PN_ASSERT(offsetof(pn_io, f_ext) == 4 * sizeof(void *), "inputs are the first five members");
PN_ASSERT(offsetof(pn_io, out) == 5 * sizeof(void *), "results follow them");

static inline unsigned given_in(const pn_io *io)
{
    return (unsigned)(io->q != NULL) | (unsigned)(io->v != NULL) << 1 | (unsigned)(io->a != NULL) << 2 |
           (unsigned)(io->tau != NULL) << 3 | (unsigned)(io->f_ext != NULL) << 4;
}

static inline unsigned wanted_of(const pn_io *io)
{
    unsigned wanted = 0;
    for (int o = 0; o < PN_SHORTCUT_OUTPUTS; o++) wanted |= (unsigned)(io->out[o] != NULL) << o;
    return wanted;
}

/* kernels read all of an array before they write to the same place; generated functions need not */
static inline int in_place(const pn_io *io)
{
    const void *out = io->out[0], *second = io->out[1];
    return (out && (out == io->q || out == io->v || out == io->a || out == io->tau || out == io->f_ext)) ||
           (second && (second == io->q || second == io->v));
}

static inline int same(const pn_shortcut *f, const pn_io *io)
{
    return !f->same || ((!(f->same & PN_SAME_FRAME) || io->frame == f->frame) &&
                        (!(f->same & PN_SAME_REFERENCE) || io->reference == f->reference) &&
                        (!(f->same & PN_SAME_OPTION) || io->option == f->option));
}

/* zeros for what is absent, scratch memory for what is not wanted */
static int fill_in(const pn_shortcuts *s, const pn_shortcut *f, int over, const pinion_model *m, const pn_io *io,
                   void *scratch, pn_ready *ready)
{
    uint64_t reals = pn_work_reals(&m->n);
    const void *const *given = (const void *const *)(const void *)io;
    const size_t real = (size_t)s->lanes[over] * (over == PN_OVER_F64 || over == PN_OVER_F64_PACK ? 8 : 4);
    char *spare = scratch;
    for (int i = 0; i < PN_SHORTCUT_INPUTS; i++)
        ready->own_in[i] = given[i] ? given[i] : f->in >> i & 1 ? s->zeros : NULL;
    for (int o = 0; o < PN_SHORTCUT_OUTPUTS; o++) {
        ready->own_out[o] = io->out[o];
        if (io->out[o] || !f->width[o]) continue;
        if (f->width[o] > reals) return 0;
        ready->own_out[o] = spare;
        spare += f->width[o] * real;
        reals -= f->width[o];
    }
    ready->in = ready->own_in;
    ready->out = ready->own_out;
    return 1;
}

int pn_shortcut_find(const pn_shortcuts *s, int over, const pinion_model *m, int kernel, const pn_io *io,
                     void *scratch, pn_ready *ready)
{
    if (m->content[0] != s->content[0] || m->content[1] != s->content[1]) return 0;
    const unsigned given = given_in(io), wanted = wanted_of(io);
    for (const pn_shortcut *f = s->list + s->first[kernel]; f < s->list + s->first[kernel + 1]; f++) {
        if ((given & ~f->in) || (wanted & ~f->out) || !f->call[over] || !same(f, io)) continue;
        if (in_place(io)) return 0;
        ready->call = f->call[over];
        ready->zeros = io->sparse ? NULL : f->zeros[over];
        ready->in = (const void *const *)(const void *)io;
        ready->out = io->out;
        return (given == f->in && wanted == f->out) || fill_in(s, f, over, m, io, scratch, ready);
    }
    return 0;
}
