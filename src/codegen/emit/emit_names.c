/* Variables of generated code: the link, and what the kernel calls the number there; sines and cosines by the
 * joints whose angles they are of. */
#include "codegen/emit/emit.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *pn_unique_name(pn_code *c, const char *text)
{
    enum { LONGEST = 119 };
    char *name = c->failed ? NULL : pn_names_add(&c->taken, text, LONGEST);
    if (!name) c->failed = 1;
    return name;
}

/* how many entries what the kernel calls so has in this function: the largest number of one, and 1 */
static int entries(const pn_code *c, const char *symbol)
{
    for (int i = 0; i < c->symbols; i++)
        if (strcmp(c->symbol[i].name, symbol) == 0) return c->symbol[i].entries;
    return 256;
}

static void find_symbols(pn_code *c)
{
    for (int32_t i = 0; i < c->graph->count; i++) {
        const pn_record *r = &c->graph->record[i];
        if (!r->symbol || !r->live) continue;
        int k = 0;
        while (k < c->symbols && strcmp(c->symbol[k].name, r->symbol) != 0) k++;
        if (k == PN_MAX_SYMBOLS) continue;
        if (k == c->symbols) c->symbol[c->symbols++].name = r->symbol;
        if (c->symbol[k].entries <= r->component) c->symbol[k].entries = r->component + 1;
    }
}

static void component_name(const pn_code *c, const pn_record *r, char *out, size_t room)
{
    const int count = entries(c, r->symbol);
    if (count == 1)
        out[0] = 0;
    else if (count <= 3)
        snprintf(out, room, "_%c", "xyz"[r->component]);
    else if (count <= 6) /* a symmetric matrix */
        snprintf(out, room, "_%.2s", &"xxxyxzyyyzzz"[2 * r->component]);
    else if (count <= 9)
        snprintf(out, room, "_%c%c", "xyz"[r->component / 3], "xyz"[r->component % 3]);
    else
        snprintf(out, room, "_%d", r->component);
}

void pn_name_record(pn_code *c, int32_t i)
{
    const pn_record *r = &c->graph->record[i];
    char text[120], component[16];
    const char *body = r->body > 0 ? c->bodies[r->body] : "t";
    if (r->symbol) {
        component_name(c, r, component, sizeof component);
        snprintf(text, sizeof text, "%s_%s%s", body, r->symbol, component);
    } else {
        snprintf(text, sizeof text, r->body > 0 ? "%s_%d" : "%s%d", body, ++c->numbered[r->body]);
    }
    c->name[i] = pn_unique_name(c, text);
}

/* Adds the coordinates of an angle to its name: "shoulder_plus_elbow". Returns 0 where it is none of sums. */
static int add_angle(const pn_code *c, int32_t i, int sign, int depth, char *out, size_t room)
{
    const pn_record *r = &c->graph->record[i];
    const size_t used = strlen(out);
    if (depth > 8 || used + 60 > room) return 0;
    switch (r->operation) {
    case PN_OP_CONSTANT: return 1;
    case PN_OP_SIGN: return add_angle(c, r->a, -sign, depth + 1, out, room);
    case PN_OP_INPUT:
        if (r->a != PN_IN_Q) return 0;
        snprintf(out + used, room - used, "%s%s",
                 sign < 0 ? "_minus_"
                 : used   ? "_plus_"
                          : "_",
                 c->coordinate[r->b]);
        return 1;
    case PN_OP_ADD:
        return add_angle(c, r->a, sign, depth + 1, out, room) &&
               add_angle(c, r->b, sign, depth + 1, out, room);
    case PN_OP_MUL: /* a follower: some number times its leader's coordinate */
        return add_angle(c, r->a, 1, depth + 1, out, room) && add_angle(c, r->b, 1, depth + 1, out, room);
    default: return 0;
    }
}

void pn_name_trigonometric(pn_code *c, int32_t i)
{
    const pn_record *r = &c->graph->record[i];
    char angle[180] = "", text[120];
    const int known = add_angle(c, r->a, 1, 0, angle, sizeof angle) && angle[0] && strlen(angle) < 90;
    if (!known) snprintf(angle, sizeof angle, "_%s", c->bodies[r->body]);
    snprintf(text, sizeof text, "%s%.100s", r->operation == PN_OP_SIN ? "s" : "c", angle);
    c->name[i] = pn_unique_name(c, text);
}

/* identifiers of all coordinates: the joint's, with a number where it has several */
static void name_coordinates(pn_code *c)
{
    pinion_joint_info joint;
    for (int i = 0; !c->failed && pinion_model_joint(c->m, i, &joint) == PINION_OK; i++) {
        char *name = joint.nq > 0 ? pn_identifier(joint.name, NULL, 0) : NULL;
        if (joint.nq > 0 && !name) c->failed = 1;
        for (int d = 0; name && d < joint.nq; d++) {
            char *copy = malloc(strlen(name) + 16);
            if (!copy)
                c->failed = 1;
            else
                snprintf(copy, strlen(name) + 16, joint.nq > 1 ? "%s_%d" : "%s", name, d);
            c->coordinate[joint.q_index + d] = copy;
        }
        free(name);
    }
    for (int k = 0; k < c->m->n.nq; k++)
        if (!c->coordinate[k]) c->failed = 1;
}

pinion_status pn_code_names(pn_code *c)
{
    static const char *const words[] = {"q",    "v", "a", "tau",  "f_ext", "angle", "sine",   "cosine",
                                        "real", "i", "j", "R", "sqrt", "atan2", "sqrtf", "atan2f", "base"};
    c->name = calloc((size_t)c->graph->count + 1, sizeof *c->name);
    c->numbered = calloc((size_t)c->m->n.nodes + 1, sizeof *c->numbered);
    c->coordinate = calloc((size_t)c->m->n.nq + 1, sizeof *c->coordinate);
    if (!c->name || !c->numbered || !c->coordinate) return PINION_ERR_MEMORY;
    name_coordinates(c);
    find_symbols(c);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) pn_unique_name(c, words[i]);
    for (int i = 0; i < 6; i++)
        if (c->f->out[i].name) pn_unique_name(c, c->f->out[i].name);
    return c->failed ? PINION_ERR_MEMORY : PINION_OK;
}

void pn_code_names_free(pn_code *c)
{
    pn_names_free(&c->taken);
    for (int k = 0; c->coordinate && k < c->m->n.nq; k++) free(c->coordinate[k]);
    free(c->coordinate);
    free(c->name);
    free(c->numbered);
}
