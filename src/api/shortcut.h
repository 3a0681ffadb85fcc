/* Functions that were generated for one model, and the calls of the API that they can answer in place of a kernel.
 * Code generation loads them (load_code.c). Workspaces and batches hold a pointer to them, NULL where nobody asked for
 * any. */
#ifndef PN_SHORTCUT_H
#define PN_SHORTCUT_H

#include "api/dispatch.h"
#include "pinion/batch.h"
#include "pinion/dynamics_f32.h"

/* Over which scalars a generated function may have been compiled. */
enum { PN_OVER_F64 = 0, PN_OVER_F32, PN_OVER_F64_PACK, PN_OVER_F32_PACK, PN_OVER_COUNT };

enum { PN_SHORTCUT_INPUTS = 5, PN_SHORTCUT_OUTPUTS = 6 };

enum { PN_SAME_FRAME = 1, PN_SAME_REFERENCE = 2, PN_SAME_OPTION = 4 };

/* A generated function behind one signature: q, v, a, tau, f_ext, and results, in the order of pn_io. */
typedef void pn_shortcut_call(const void *const *in, void *const *out);

/* One generated function: what kernel it stands in for, and with which arguments. */
typedef struct pn_shortcut {
    int kernel;
    unsigned in, out;                 /* 1 << place in pn_io: what it reads and writes */
    size_t width[PN_SHORTCUT_OUTPUTS]; /* how many numbers each result has */
    unsigned same;                    /* PN_SAME_*: what of these a call must have, too */
    int frame, reference, option;
    pn_shortcut_call *call[PN_OVER_COUNT]; /* NULL: not compiled */
    pn_shortcut_call *zeros[PN_OVER_COUNT]; /* writes the zeros of the tree's structure (apart.h), NULL: none */
} pn_shortcut;

/* All of a model, by kernel; of those of a kernel the ones that read least come first. */
typedef struct pn_shortcuts {
    uint64_t structure, content[2]; /* of the model */
    int lanes[PN_OVER_COUNT];       /* states in a real; 0: not compiled */
    const void *zeros;              /* as many as any input has, over any scalar, for inputs that are absent */
    const pn_shortcut *list;
    int first[PN_KERNEL_COUNT + 1]; /* where those of a kernel begin in the list */
} pn_shortcuts;

/* A call that is ready to be made, any number of times. Where it takes and gives exactly what is in a pn_io, it points
 * there; else to its own arrays. */
typedef struct pn_ready {
    pn_shortcut_call *call;
    pn_shortcut_call *zeros; /* NULL: there are none, or they are not to be written */
    const void *const *in;
    void *const *out;
    const void *own_in[PN_SHORTCUT_INPUTS];
    void *own_out[PN_SHORTCUT_OUTPUTS];
} pn_ready;

static inline void pn_shortcut_run(const pn_ready *ready)
{
    ready->call(ready->in, ready->out);
    if (ready->zeros) ready->zeros(ready->in, ready->out);
}

/* Finds the function that gives what a kernel is asked for. `scratch` is the kernels' workspace; results that are not
 * wanted go there. Returns 0 where there is no such function, or the model is another one or was edited since. */
int pn_shortcut_find(const pn_shortcuts *s, int over, const pinion_model *m, int kernel, const pn_io *io,
                     void *scratch, pn_ready *ready);

/* Tells workspaces and batches what to use; NULL: the kernels alone (api.inc, batch.c). PINION_ERR_MISMATCH where it
 * can never fit. */
pinion_status pn_work_use_f64(pinion_work *w, const pn_shortcuts *s);
pinion_status pn_work_use_f32(pinion_work_f32 *w, const pn_shortcuts *s);
pinion_status pn_batch_use(pinion_batch *b, const pn_shortcuts *s);

#endif
