/* Names of symbols, sines and cosines, in ASCII and in LaTeX. */
#include <stdio.h>
#include <string.h>

#include "equations/equation_steps.h"

static const char *const axes[6] = {"xx", "xy", "xz", "yy", "yz", "zz"};
static const char *const axis[3] = {"x", "y", "z"};

/* the index of a length or angle between a body and its parent: the parent's number, and where that has
 * several children its own beside */
static void between(const pinion_equations *e, int node, char *out, size_t size)
{
    const int parent = e->parent[node];
    if (e->children[parent] > 1)
        snprintf(out, size, "%d,%d", parent, node);
    else
        snprintf(out, size, "%d", parent);
}

/* one alone needs no axis in its name */
int pn_eq_used_of(const pinion_equations *e, int kind, int node)
{
    int count = 0;
    for (int i = 0; i < e->symbols; i++)
        count += e->symbol[i].kind == kind && e->symbol[i].node == node && e->symbol[i].used;
    return count;
}

static void name_symbol(const pinion_equations *e, pn_eq_symbol *s)
{
    static const char letter[PN_EQ_KINDS] = {'m', 'g', 'k', 'a', 'b', 'x', 'd', 'p', 'r', 'I', 'J', 'q'};
    char index[24] = "", sub[4] = "";
    char first = letter[s->kind];
    if (s->kind == PN_EQ_LENGTH || s->kind == PN_EQ_BRANCH || s->kind == PN_EQ_PLACE)
        between(e, s->node, index, sizeof index);
    else if (s->kind != PN_EQ_GRAVITY)
        snprintf(index, sizeof index, "%d", s->kind == PN_EQ_POSITION ? s->node + 1 : s->node);
    if (s->kind == PN_EQ_PLACE) first = "xyz"[s->sub];
    if (s->kind == PN_EQ_GRAVITY && s->sub >= 0) snprintf(sub, sizeof sub, "%s", axis[s->sub]);
    if (s->kind == PN_EQ_CENTER && pn_eq_used_of(e, s->kind, s->node) > 1)
        snprintf(sub, sizeof sub, "%s", axis[s->sub]);
    if (s->kind == PN_EQ_INERTIA && pn_eq_used_of(e, s->kind, s->node) > 1)
        snprintf(sub, sizeof sub, "%s", axes[s->sub]);

    const int none = !*index && !*sub;
    snprintf(s->name, sizeof s->name, "%c%s%s%s", first, none ? "" : "_", index, sub);
    if (none)
        snprintf(s->latex, sizeof s->latex, "%c", first);
    else
        snprintf(s->latex, sizeof s->latex, "%c_{%s%s%s}", first, index, *index && *sub ? "," : "", sub);
}

static void name_angle(const pinion_equations *e, pn_eq_angle *a)
{
    static const char *const word[] = {"q", "alpha", "beta", "delta"};
    char index[24];
    if (a->kind == PN_EQ_ANGLE_TWIST || a->kind == PN_EQ_ANGLE_BRANCH)
        between(e, a->node, index, sizeof index);
    else
        snprintf(index, sizeof index, "%d", a->kind == PN_EQ_ANGLE_Q ? a->node + 1 : a->node);
    snprintf(a->name, sizeof a->name, "%s_%s", word[a->kind], index);
    snprintf(a->latex, sizeof a->latex, "%s%s_{%s}", a->kind == PN_EQ_ANGLE_Q ? "" : "\\", word[a->kind],
             index);
}

void pn_eq_name_symbols(pinion_equations *e)
{
    for (int i = 0; i < e->symbols; i++) name_symbol(e, &e->symbol[i]);
    for (int i = 0; i < e->angles; i++) name_angle(e, &e->angle[i]);
    for (int i = 0; i < e->symbols; i++) {
        snprintf(e->literal[i].name, sizeof e->literal[i].name, "%s", e->symbol[i].name);
        snprintf(e->literal[i].latex, sizeof e->literal[i].latex, "%s", e->symbol[i].latex);
    }
}

/* "q_1 + 2 q_2 - alpha_1" */
void pn_eq_angle_text(const pinion_equations *e, const signed char *angles, int latex, char *text,
                      size_t size)
{
    size_t used = 0;
    text[0] = 0;
    for (int i = 0; i < e->angles && used < size; i++) {
        const int k = angles[i], times = k < 0 ? -k : k;
        if (!k) continue;
        used += (size_t)snprintf(text + used, size - used, "%s",
                                 used ? (k < 0 ? " - " : " + ") : (k < 0 ? "-" : ""));
        if (times != 1 && used < size)
            used += (size_t)snprintf(text + used, size - used, latex ? "%d\\," : "%d ", times);
        if (used < size)
            used += (size_t)snprintf(text + used, size - used, "%s",
                                     latex ? e->angle[i].latex : e->angle[i].name);
    }
}

/* Whether a sum of angles can be written as the numbers of its joints: each once, with its own constant where
 * it has one, and nothing else. */
static int is_plain(const pinion_equations *e, const signed char *angles)
{
    int any = 0;
    for (int i = 0; i < e->angles; i++) {
        const pn_eq_angle *a = &e->angle[i];
        if (a->kind == PN_EQ_ANGLE_Q) {
            if (angles[i] != 0 && angles[i] != 1) return 0;
            any |= angles[i];
        } else if (a->kind == PN_EQ_ANGLE_JOINT && !e->body[a->node].follows && !e->body[a->node].slides) {
            if (angles[i] != angles[e->q_angle[e->body[a->node].own]]) return 0;
        } else if (angles[i]) {
            return 0;
        }
    }
    return any;
}

static void name_trig(pinion_equations *e, pn_eq_literal *l)
{
    const int sine = l->kind == PN_EQ_IS_SIN;
    char inner[160];
    l->abbreviated = is_plain(e, l->angles);
    if (!l->abbreviated) {
        pn_eq_angle_text(e, l->angles, 0, inner, sizeof inner);
        snprintf(l->name, sizeof l->name, "%s(%.56s)", sine ? "sin" : "cos", inner);
        pn_eq_angle_text(e, l->angles, 1, inner, sizeof inner);
        snprintf(l->latex, sizeof l->latex, "\\%s(%.84s)", sine ? "sin" : "cos", inner);
        return;
    }
    size_t used = 0;
    inner[0] = 0;
    for (int i = 0; i < e->angles; i++)
        if (e->angle[i].kind == PN_EQ_ANGLE_Q && l->angles[i])
            used += (size_t)snprintf(inner + used, sizeof inner - used, "%s%d", used && e->nv > 9 ? "," : "",
                                     e->angle[i].node + 1);
    snprintf(l->name, sizeof l->name, "%c_%.56s", sine ? 's' : 'c', inner);
    snprintf(l->latex, sizeof l->latex, "%c_{%.56s}", sine ? 's' : 'c', inner);
}

void pn_eq_name_literal(pinion_equations *e, int literal)
{
    pn_eq_literal *l = &e->literal[literal];
    if (l->name[0]) return;
    if (l->kind == PN_EQ_IS_NAMED) {
        snprintf(l->name, sizeof l->name, "h_%d", l->index);
        snprintf(l->latex, sizeof l->latex, "h_{%d}", l->index);
    } else if (l->kind == PN_EQ_IS_VELOCITY) {
        snprintf(l->name, sizeof l->name, "v_%d", l->index + 1);
        snprintf(l->latex, sizeof l->latex, "\\dot q_{%d}", l->index + 1);
    } else {
        name_trig(e, l);
    }
}

/* What TeX reads as something else than itself. */
static const char *escaped(char c)
{
    switch (c) {
    case '\\': return "\\textbackslash{}";
    case '~': return "\\textasciitilde{}";
    case '^': return "\\textasciicircum{}";
    case '<': return "\\textless{}";
    case '>': return "\\textgreater{}";
    case '|': return "\\textbar{}";
    case '"': return "''";
    case '{': return "\\{";
    case '}': return "\\}";
    case '#': return "\\#";
    case '$': return "\\$";
    case '%': return "\\%";
    case '&': return "\\&";
    case '_': return "\\_";
    default: return NULL;
    }
}

void pn_eq_safe_name(const char *name, int latex, char *out, size_t size)
{
    size_t used = 0;
    out[0] = 0;
    for (int i = 0; name[i]; i++) {
        if (i == 60) {
            if (used + 4 <= size) snprintf(out + used, size - used, "...");
            return;
        }
        const unsigned char c = (unsigned char)name[i];
        char plain[2] = {(char)c, 0};
        if (c >= 0x80 && c < 0xc0) continue; /* the rest of a character that is '?' already */
        if (c < 0x20 || c >= 0x7f) plain[0] = '?';
        const char *piece = latex ? escaped(plain[0]) : NULL;
        if (!piece) piece = plain;
        if (used + strlen(piece) + 1 > size) return;
        used += (size_t)snprintf(out + used, size - used, "%s", piece);
    }
}
