/* The table of calls as data, and what pinion/quantities.h tells of it. */
#include "api/call_table.h"
#include "api/api.h"
#include "pinion/quantities.h"
#include <string.h>

#define PN_PLACE_q PN_IN_Q, PN_SHAPE_Q
#define PN_PLACE_v PN_IN_V, PN_SHAPE_V
#define PN_PLACE_a PN_IN_A, PN_SHAPE_V
#define PN_PLACE_tau PN_IN_TAU, PN_SHAPE_V
#define PN_ITEM_OF_IN(name) {PN_ITEM_IN, 0, PN_PLACE_##name, #name},
#define PN_ITEM_OF_IN_OR_0(name) {PN_ITEM_IN, 1, PN_PLACE_##name, #name},
#define PN_ITEM_OF_IN_AS(name, slot) {PN_ITEM_IN, 0, PN_PLACE_##slot, #name},
#define PN_ITEM_OF_IN_AS_OR_0(name, slot) {PN_ITEM_IN, 1, PN_PLACE_##slot, #name},
#define PN_ITEM_OF_FORCES(name) {PN_ITEM_IN, 1, PN_IN_F_EXT, PN_SHAPE_BS, #name},
#define PN_ITEM_OF_FORCE(name) {PN_ITEM_IN, 0, PN_IN_F_EXT, PN_SHAPE_S, #name},
#define PN_ITEM_OF_FRAME {PN_ITEM_FRAME, 0, 0, 0, "frame"},
#define PN_ITEM_OF_REFERENCE {PN_ITEM_REFERENCE, 0, 0, 0, "reference"},
#define PN_ITEM_OF_KIND {PN_ITEM_KIND, 0, 0, 0, "kind"},
#define PN_ITEM_OF_PASSIVE {PN_ITEM_PASSIVE, 0, 0, 0, "passive"},
#define PN_ITEM_OF_OUT(n, name, shape) {PN_ITEM_OUT, 0, n, PN_SHAPE_##shape, #name},
#define PN_ITEM_OF_OUT_OR_NOT(n, name, shape) {PN_ITEM_OUT, 1, n, PN_SHAPE_##shape, #name},
#define PN_ITEM_OF_OUT_AFTER(n, name, shape) {PN_ITEM_OUT, 1, (n) + 1, PN_SHAPE_##shape, #name},
#define PN_ITEM_OF_MARGIN {PN_ITEM_MARGIN, 0, 1, PN_SHAPE_ONE, "margin"},

const pn_call pn_calls[PN_CALL_COUNT] = {
#define PN_CALL(function_, what_, kernel_, problem_, flags_, group_, help_, note_, ...)                      \
    [PN_CALL_##function_] = {.function = #function_,                                                         \
                             .what = what_,                                                                  \
                             .group = group_,                                                                \
                             .help = help_,                                                                  \
                             .kernel = PN_K_##kernel_,                                                       \
                             .problem = PN_PROBLEM_##problem_,                                               \
                             .flags = flags_,                                                                \
                             .rules = PN_RULES(__VA_ARGS__),                                                 \
                             .item = {PN_EACH(PN_ITEM_OF_, PN_NOTHING, __VA_ARGS__)}},
#include "kernel/calls.inc"
};

/* ---- shapes ---- */

static const struct {
    int dim[3];
    const char *text;
} shapes[PN_SHAPE_COUNT] = {
#define PN_SHAPE_ROW(name, a, b, c, text) {{a, b, c}, text},
    PN_SHAPE_LIST(PN_SHAPE_ROW)
#undef PN_SHAPE_ROW
};

static size_t dimension(const pn_counts *n, int code)
{
    switch (code) {
    case PN_NV: return (size_t)n->nv;
    case PN_NQ: return (size_t)n->nq;
    case PN_FRAMES: return (size_t)n->frames;
    case PN_BODIES: return (size_t)n->bodies;
    case PN_PARAMETERS: return 10 * ((size_t)n->bodies - 1);
    case PN_JOINT_PARAMETERS: return 4 * (size_t)n->tree_nv;
    default: return (size_t)code;
    }
}

size_t pn_shape_size(const pn_counts *n, int shape, size_t dims[3])
{
    size_t size = 1;
    for (int d = 0; d < 3; d++) {
        const size_t x = dimension(n, shapes[shape].dim[d]);
        if (dims) dims[d] = x;
        size *= x;
    }
    return size;
}

const char *pn_shape_text(int shape)
{
    return shapes[shape].text;
}

/* ---- rows ---- */

static const pn_item *find_item(const pn_call *c, pn_item_kind kind, int place)
{
    for (const pn_item *x = c->item; x->name; x++)
        if (x->kind == kind && x->place == place) return x;
    return NULL;
}

const pn_item *pn_call_output(const pn_call *c, int output)
{
    return find_item(c, PN_ITEM_OUT, output);
}

const pn_item *pn_call_result(const pn_call *c, int output)
{
    return pn_call_output(c, output > 0 && c->rules & PN_RULE_MARGIN ? output + 1 : output);
}

const pn_item *pn_call_input(const pn_call *c, int slot)
{
    return find_item(c, PN_ITEM_IN, slot);
}

void pn_input_widths(const pn_counts *n, int kernel, size_t width[PN_IN_COUNT])
{
    const size_t nv = (size_t)n->nv;
    width[PN_IN_Q] = (size_t)n->nq;
    width[PN_IN_V] = width[PN_IN_A] = width[PN_IN_TAU] = nv;
    width[PN_IN_F_EXT] = 6 * (size_t)n->bodies;
    for (int i = 0; i < PN_CALL_COUNT; i++)
        if (pn_calls[i].kernel == kernel && (pn_calls[i].rules & PN_RULE_FORCE)) width[PN_IN_F_EXT] = 6;
}

/* ---- for those who ask ---- */

int pinion_quantity_count(void)
{
    return PN_CALL_COUNT;
}

int pinion_quantity_find(const char *name)
{
    for (int i = 0; name && i < PN_CALL_COUNT; i++)
        if (strcmp(pn_calls[i].what, name) == 0) return i;
    return -1;
}

pinion_status pinion_quantity(int quantity, pinion_quantity_info *out)
{
    if (quantity < 0 || quantity >= PN_CALL_COUNT || !out) return PINION_ERR_ARGUMENT;
    const pn_call *c = &pn_calls[quantity];
    memset(out, 0, sizeof *out);
    out->name = c->what;
    out->function = c->function;
    out->group = c->group;
    out->help = c->help;
    out->problem = c->problem;
    out->takes_frame = (c->rules & PN_RULE_FRAME) != 0;
    out->in_eval = (c->flags & PN_FOR_EVAL) != 0;
    out->in_codegen = (c->flags & PN_FOR_CODE) != 0;
    for (int i = 0; i < PN_IN_COUNT; i++)
        if (pn_call_input(c, i)) out->inputs |= 1u << i;
    for (int o = 0; o < PN_CALL_OUTPUTS; o++) {
        const pn_item *x = pn_call_result(c, o);
        if (!x) break;
        out->output[o].name = x->name;
        out->output[o].shape = pn_shape_text(x->shape);
        out->output[o].optional = x->optional;
        out->outputs++;
    }
    return PINION_OK;
}

size_t pinion_quantity_size(const pinion_model *m, int quantity, int output, size_t dims[3])
{
    if (!m || quantity < 0 || quantity >= PN_CALL_COUNT) return 0;
    const pn_item *x = pn_call_result(&pn_calls[quantity], output);
    return x ? pn_shape_size(&m->n, x->shape, dims) : 0;
}
