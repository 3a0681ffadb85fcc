/* The object in this process: its table, and the calls of the API that its functions answer. */
#include "codegen/compile/compiled.h"
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "api/api.h"

/* Whether the object is what was asked for: made by this recipe, over these scalars. Its hash was checked before, so
 * that the pointers in it can be followed. */
static const char *objection(const pn_table *t, const char *key, const pinion_compiled *c)
{
    if (!t) return "it has no table of functions";
    if (t->version != PN_TABLE_VERSION) return "its table is of another version";
    if (!t->key || strcmp(t->key, key) != 0) return "it was made from another source";
    if (t->functions != c->code->functions) return "it has another number of functions";
    for (int over = 0; over < PN_OVER_COUNT; over++)
        for (int i = 0; t->lanes[over] && i < t->functions; i++)
            if (!t->call[over] || !t->call[over][i] || !t->zeros[over]) return "a function is missing";
    const int lanes[PN_OVER_COUNT] = {1, 1, pn_backend_for_batches(8)->lanes, pn_backend_for_batches(4)->lanes};
    for (int over = 0; over < PN_OVER_COUNT; over++)
        if (t->lanes[over] && t->lanes[over] != lanes[over]) return "its packs are of another width";
    return t->lanes[PN_OVER_F64] && t->lanes[PN_OVER_F32] ? NULL : "a scalar is missing";
}

/* the kernel that calls of the API run for a quantity */
static int kernel_of_calls(const pinion_model *m, const pn_call *target)
{
    return target->kernel == PN_K_aba && m->n.followers ? PN_K_followers_fd : target->kernel;
}

/* what of a call must be as it was recorded */
static unsigned compared(const pn_call *target)
{
    unsigned same = target->kernel == PN_K_frames ? PN_SAME_FRAME : 0; /* one frame, or all */
    for (const pn_item *x = target->item; x->name; x++) {
        if (x->kind == PN_ITEM_FRAME) same |= PN_SAME_FRAME;
        if (x->kind == PN_ITEM_REFERENCE) same |= PN_SAME_REFERENCE;
        if (x->kind == PN_ITEM_KIND || x->kind == PN_ITEM_PASSIVE) same |= PN_SAME_OPTION;
    }
    return same;
}

static double together(const pinion_operations *o)
{
    return o->mul + o->add + o->div + o->sqrt + o->trig;
}

/* Whether the kernel is the faster one in a single call. It does several numbers of a state side by side, a generated
 * function one after the other: that has to save operations, the more the wider the kernel works, and large code
 * does not stay in the processor's nearest cache. With limbs side by side it has to save less. What shares pay was
 * measured (docs/performance.md). */
static int is_slower(const pn_function *f, int kernel)
{
    static const struct {
        int kernel;
        double share, most; /* of the general operations, and operations of it */
    } pays[] = {{PN_K_crba, 0.79, 1e5},     {PN_K_aba, 0.87, 1e5},
                {PN_K_idsva, 0.8, 5e3},     {PN_K_idsva, 0.72, 1e4},
                {PN_K_idsva, 0.6, 2e4},     {PN_K_fd_idsva, 0.84, 8e3},
                {PN_K_fd_idsva, 0.72, 2e4}, {PN_K_fd_idsva, 0.5, 1e5},
                {PN_K_regressor, 0.82, 4e3}, {PN_K_regressor, 0.72, 9e3},
                {PN_K_slotine_li_regressor, 0.67, 3e3}, {PN_K_slotine_li_regressor, 0.53, 8e3}};
    static const double limbs_share = 0.6, limbs_most = 5e4;
    const int limbs = f->limbs && pn_takes_lines(pn_backend_for_calls(8)->isa);
    const double own = limbs ? f->left : together(&f->operations), general = together(&f->general);
    int weighed = 0;
    for (size_t i = 0; i < sizeof pays / sizeof *pays; i++) {
        if (pays[i].kernel != kernel) continue;
        const double share = limbs ? limbs_share : pays[i].share, most = limbs ? limbs_most : pays[i].most;
        if (own <= most && own <= share * general) return 0;
        weighed = 1;
    }
    return weighed;
}

static pn_shortcut shortcut(const pinion_compiled *c, int function, int kernel)
{
    const pn_function *f = &c->code->function[function];
    pn_shortcut s = {.kernel = kernel,
                     .in = f->call.in,
                     .same = compared(f->target),
                     .frame = f->call.frame,
                     .reference = f->call.reference,
                     .option = f->call.option};
    for (int o = 0; o < PN_SHORTCUT_OUTPUTS; o++) {
        s.width[o] = f->out[o].name ? f->out[o].count : 0;
        if (s.width[o]) s.out |= 1u << o;
    }
    for (int over = 0; over < PN_OVER_COUNT; over++)
        if (c->place[0].table.lanes[over]) {
            s.call[over] = c->call[over][function];
            s.zeros[over] = c->place[0].table.zeros[over][function];
        }
    if (is_slower(f, kernel)) s.call[PN_OVER_F64] = s.call[PN_OVER_F32] = NULL;
    return s;
}

static int inputs(const pn_shortcut *s)
{
    int count = 0;
    for (int i = 0; i < PN_SHORTCUT_INPUTS; i++) count += s->in >> i & 1;
    return count;
}

/* by kernel, and then by how much they read */
static int before(const void *x, const void *y)
{
    const pn_shortcut *a = x, *b = y;
    if (a->kernel != b->kernel) return a->kernel < b->kernel ? -1 : 1;
    if (inputs(a) != inputs(b)) return inputs(a) - inputs(b);
    return a->frame - b->frame;
}

int pn_list_shortcuts(const pinion_model *m, pinion_compiled *c)
{
    int count = 0;
    c->list = calloc(2 * (size_t)c->code->functions + 1, sizeof *c->list);
    if (!c->list) return 0;
    for (int i = 0; i < c->code->functions; i++) {
        const int kernel = kernel_of_calls(m, c->code->function[i].target);
        c->list[count++] = shortcut(c, i, kernel);
        /* inverse dynamics at rest */
        if (kernel == PN_K_gravity) c->list[count++] = shortcut(c, i, PN_K_rnea);
    }
    qsort(c->list, (size_t)count, sizeof *c->list, before);
    for (int k = 0, i = 0; k <= PN_KERNEL_COUNT; k++) {
        while (i < count && c->list[i].kernel < k) i++;
        c->shortcuts.first[k] = i;
    }
    c->shortcuts.structure = m->structure;
    memcpy(c->shortcuts.content, m->content, sizeof m->content);
    memcpy(c->shortcuts.lanes, c->place[0].table.lanes, sizeof c->shortcuts.lanes);
    c->shortcuts.list = c->list;
    return 1;
}

/* as many zeros as any input has, in the widest scalar */
static int take_zeros(const pinion_model *m, pinion_compiled *c)
{
    size_t most = 1;
    const size_t counts[3] = {(size_t)m->n.nq, (size_t)m->n.nv, 6 * (size_t)m->n.bodies};
    for (int i = 0; i < 3; i++)
        if (counts[i] > most) most = counts[i];
    c->zeros = calloc(most + 1, 64);
    if (c->zeros) c->shortcuts.zeros = pn_align(c->zeros);
    return c->zeros != NULL;
}

/* a processor without packs: a batch's real is one number */
static void complete(pn_table *t)
{
    for (int over = PN_OVER_F64_PACK; over <= PN_OVER_F32_PACK; over++) {
        const int one = over - PN_OVER_F64_PACK;
        if (t->lanes[over] || pn_backend_for_batches(one == PN_OVER_F64 ? 8 : 4)->lanes > 1) continue;
        t->lanes[over] = 1;
        t->call[over] = t->call[one];
        t->zeros[over] = t->zeros[one];
    }
}

void pn_calls_at(pinion_compiled *c, int place)
{
    for (int over = 0; over < PN_OVER_COUNT; over++)
        if (c->place[0].table.lanes[over])
            memcpy(c->call[over], c->place[place].table.call[over],
                   (size_t)c->code->functions * sizeof *c->call[over]);
}

static int take_calls(pinion_compiled *c)
{
    for (int over = 0; over < PN_OVER_COUNT; over++) {
        c->call[over] = calloc((size_t)c->code->functions + 1, sizeof *c->call[over]);
        if (!c->call[over]) return 0;
    }
    pn_calls_at(c, 0);
    return 1;
}

/* copies of the object, from its file, which is the one that was checked */
static void take_copies(const pn_object *object, pinion_compiled *c)
{
    const int kept = c->place[0].file > 0;
    const int file = kept ? c->place[0].file - 1 : open(object->path, O_RDONLY | O_CLOEXEC);
    if (file >= 0) pn_places_add(c, file);
    if (file >= 0 && !kept) close(file);
}

pinion_status pn_load(const pinion_model *m, pn_object *object, pinion_compiled *c, pinion_error *err)
{
    /* the file that was checked, not what has its name by now. It stays open while it is loaded: the loader takes two
     * libraries of one name for one. */
    pn_place *const first = &c->place[0];
    const int loaded = pn_place_load(object->file, object->path, first);
    object->file = -1;
    if (!first->library) {
        const char *why = dlerror();
        return pn_codegen_fail(err, PINION_ERR_FILE, "what was compiled cannot be loaded: %.400s", why ? why : "");
    }
    const char *wrong = objection(loaded ? &first->table : NULL, object->key, c);
    if (wrong) return pn_codegen_fail(err, PINION_ERR_FILE, "what was compiled cannot be used: %s", wrong);
    c->places = 1;
    take_copies(object, c);
    for (int k = 0; k < c->places; k++) complete(&c->place[k].table);
    if (!take_calls(c) || !take_zeros(m, c)) return pn_codegen_fail(err, PINION_ERR_MEMORY, "out of memory");
    return PINION_OK;
}

void pn_unload(pinion_compiled *c)
{
    for (int k = 0; k < PN_PLACES; k++) pn_place_unload(&c->place[k]);
    for (int over = 0; over < PN_OVER_COUNT; over++) {
        free(c->call[over]);
        c->call[over] = NULL;
    }
    free(c->list);
    free(c->zeros);
    c->places = 0;
    c->list = NULL;
    c->zeros = NULL;
}

/* ---- what the one who compiled can do with it ---- */

void pinion_compiled_free(pinion_compiled *c)
{
    if (!c) return;
    pn_unload(c);
    pinion_generated_free(c->code);
    free(c);
}

const pinion_generated *pinion_compiled_code(const pinion_compiled *c)
{
    return c ? c->code : NULL;
}

pinion_status pinion_work_use(pinion_work *w, const pinion_compiled *c)
{
    return pn_work_use_f64(w, c ? &c->shortcuts : NULL);
}

pinion_status pinion_work_f32_use(pinion_work_f32 *w, const pinion_compiled *c)
{
    return pn_work_use_f32(w, c ? &c->shortcuts : NULL);
}

pinion_status pinion_batch_use(pinion_batch *b, const pinion_compiled *c)
{
    return pn_batch_use(b, c ? &c->shortcuts : NULL);
}
