/* What can be generated: the rows of the table of calls that say so, and their arguments as generated code has them. */
#include "codegen/codegen_steps.h"
#include <string.h>

const pn_call *pn_target(int number)
{
    for (int i = 0; i < PN_CALL_COUNT; i++)
        if (pn_calls[i].flags & PN_FOR_CODE && number-- == 0) return &pn_calls[i];
    return NULL;
}

const pn_call *pn_target_find(const char *name, size_t length)
{
    const pn_call *t;
    for (int i = 0; (t = pn_target(i)); i++)
        if (strlen(t->what) == length && memcmp(t->what, name, length) == 0) return t;
    return NULL;
}

int pn_is_margin(const pn_function *f, int result)
{
    return result == 1 && f->target->rules & PN_RULE_MARGIN;
}

/* a shape in the macros that a generated header has */
static const char *shape_text(int shape)
{
    static const char *const text[PN_SHAPE_COUNT] = {
        [PN_SHAPE_ONE] = "[1]",
        [PN_SHAPE_P] = "[3]",
        [PN_SHAPE_S] = "[6]",
        [PN_SHAPE_R] = "[9] row-major",
        [PN_SHAPE_Q] = "[NQ]",
        [PN_SHAPE_V] = "[NV]",
        [PN_SHAPE_VV] = "[NV][NV] row-major",
        [PN_SHAPE_SS] = "[6][6] row-major",
        [PN_SHAPE_PV] = "[3][NV] row-major",
        [PN_SHAPE_SV] = "[6][NV] row-major",
        [PN_SHAPE_SVV] = "[6][NV][NV] row-major",
        [PN_SHAPE_FP] = "[FRAMES][3]",
        [PN_SHAPE_FR] = "[FRAMES][9] row-major; columns are the frame's axes in the world",
        [PN_SHAPE_VB] = "[NV][10 * (BODIES - 1)] row-major",
        [PN_SHAPE_VJ] = "[NV][4 * degrees of freedom of the joints] row-major",
        [PN_SHAPE_VBS] = "[NV][BODIES][6] row-major",
        [PN_SHAPE_BS] = "[BODIES][6] force [moment; force] on each body, in its link's frame",
    };
    return text[shape];
}

const char *const pn_input_name[PN_IN_COUNT] = {"q", "v", "a", "tau", "f_ext"};

static pn_argument argument(const pinion_model *m, const pn_item *x)
{
    return (pn_argument){x->name, pn_shape_size(&m->n, x->shape, NULL), shape_text(x->shape)};
}

/* an array that is in the place of another one has that one's name, and its own beside */
static pn_argument in_place(int slot, pn_argument x)
{
    static const struct {
        const char *name, *shape;
    } others[] = {{"row", "[NV] the row"}, {"v_r", "[NV] v_r"}, {"a_r", "[NV] a_r"}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(x.name, others[i].name) == 0) x.shape = others[i].shape;
    x.name = pn_input_name[slot];
    return x;
}

void pn_function_arguments(const pinion_model *m, int f_ext, int margin, pn_function *f)
{
    const pn_call *target = f->target;
    memset(f->in, 0, sizeof f->in);
    memset(f->out, 0, sizeof f->out);
    memset(&f->call, 0, sizeof f->call);

    /* as the C function has them; forces on bodies only where they are asked for */
    int n = 0;
    for (const pn_item *x = target->item; x->name; x++) {
        if (x->kind != PN_ITEM_IN || (x->shape == PN_SHAPE_BS && !f_ext)) continue;
        f->call.in |= 1u << x->place;
        f->slot[n] = x->place;
        f->in[n] = argument(m, x);
        if (x->shape == PN_SHAPE_S) /* generated code knows an input by its place */
            f->in[n] = (pn_argument){"f_ext", 6, "[6] force [moment; force] on the frame"};
        else
            f->in[n] = in_place(x->place, f->in[n]);
        n++;
    }
    for (int o = 0; o < PN_CALL_OUTPUTS; o++) {
        const pn_item *x = pn_call_output(target, o);
        if (x) f->out[o] = argument(m, x);
    }
    if (margin && target->rules & PN_RULE_MARGIN)
        f->out[1] = (pn_argument){"margin", 1,
                                  "[1] the least pivot against its scale: not above 0 where M has no inverse"};

    /* the kernel, and models with followers have one of their own for forward dynamics */
    f->call.kernel = f->algorithm >= 0 ? PN_FIRST_ALGORITHM + f->algorithm : pn_own_kernel(target);
    if (f->algorithm < 0 && target->problem == PN_PROBLEM_forward_dynamics) f->call.kernel = PN_K_followers_fd;
    f->call.frame = f->frame;
    f->call.reference = PINION_REFERENCE_WORLD_ALIGNED;
    for (int i = 0; i < PN_CALL_OUTPUTS; i++) f->call.out[i] = f->out[i].name ? f->out[i].count : 0;
    /* one that nobody asked for is recorded all the same where it comes last, and cut off */
    if (target->rules & PN_RULE_MARGIN && !pn_call_output(target, 2)) f->call.out[1] = 1;
}
