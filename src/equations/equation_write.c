/* All equations as a text: entries, shorthands, notation, legend. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "equations/equation_steps.h"

#define WIDTH 100      /* columns of text */
#define LATEX_WIDTH 72 /* letters of a line of LaTeX, about */

/* ---- entries ---- */

static char *taken(pinion_equations *e, const pn_text *t)
{
    char *copy = pn_eq_take(e, t->length + 1, 1);
    if (copy && t->length) memcpy(copy, t->at, t->length);
    return copy;
}

static void add_entry(pinion_equations *e, const char *quantity, int row, int column, const char *name,
                      const pn_eq_sum *sum, const char *text)
{
    pn_text t = {0};
    if (e->failed) return;
    if (sum)
        pn_eq_put_sum(&t, e, sum, e->options.format == PINION_EQUATIONS_LATEX);
    else
        pn_text_add(&t, "%s", text ? text : "0");
    if (t.failed) pn_eq_fail(e, PINION_ERR_MEMORY);
    pinion_equation *x = &e->entry[e->entries];
    pn_text n = {0};
    pn_text_add(&n, "%s", name);
    if (n.failed) pn_eq_fail(e, PINION_ERR_MEMORY);
    if (!e->failed) {
        x->quantity = quantity;
        x->row = row;
        x->column = column;
        x->name = taken(e, &n);
        x->text = taken(e, &t);
        e->entries++;
    }
    pn_text_free(&t);
    pn_text_free(&n);
}

static void entry_name(const pinion_equations *e, char letter, int i, int j, char *out, size_t size)
{
    const int latex = e->options.format == PINION_EQUATIONS_LATEX;
    char index[32];
    if (j < 0)
        snprintf(index, sizeof index, "%d", i + 1);
    else
        snprintf(index, sizeof index, e->nv > 9 ? "%d,%d" : "%d%d", i + 1, j + 1);
    snprintf(out, size, latex ? "%c_{%s}" : "%c_%s", letter, index);
}

/* which literals a sum has */
static void mark(const pn_eq_sum *s, char *used)
{
    for (int i = 0; s && i < s->terms; i++) {
        for (int f = 0; f < s->term[i].factors; f++) used[s->term[i].factor[f].literal] = 1;
        mark(s->term[i].inner, used);
        mark(s->term[i].last, used);
    }
}

/* c_12 = cos(q_1 + q_2) for those that occur, in the order of their joints */
static void add_notation(pinion_equations *e, char *used)
{
    const int latex = e->options.format == PINION_EQUATIONS_LATEX;
    for (;;) {
        int best = -1;
        for (int l = 0; l < e->literals; l++) {
            const pn_eq_literal *x = &e->literal[l];
            if (!used[l] || !x->abbreviated) continue;
            const size_t length = strlen(x->name), before = best < 0 ? 0 : strlen(e->literal[best].name);
            const int order = best < 0 ? -1 : strcmp(x->name + 2, e->literal[best].name + 2);
            if (best < 0 || length < before ||
                (length == before && (order < 0 || (!order && x->kind < e->literal[best].kind))))
                best = l;
        }
        if (best < 0 || e->failed) return;
        const pn_eq_literal *x = &e->literal[best];
        char angle[160], text[200];
        pn_eq_angle_text(e, x->angles, latex, angle, sizeof angle);
        snprintf(text, sizeof text, "%s%s(%s)", latex ? "\\" : "", x->kind == PN_EQ_IS_SIN ? "sin" : "cos",
                 angle);
        add_entry(e, "notation", -1, -1, latex ? x->latex : x->name, NULL, text);
        used[best] = 0;
    }
}

static void add_entries(pinion_equations *e)
{
    const int nv = e->nv, latex = e->options.format == PINION_EQUATIONS_LATEX;
    char name[48];
    e->entry = pn_eq_take(e, (size_t)(2 * nv * nv + nv + e->shorthands + e->literals + 1), sizeof *e->entry);
    char *used = pn_eq_take(e, (size_t)e->literals + 1, 1);
    if (e->failed) return;
    for (int i = 0; i < nv && e->what & PN_EQ_M; i++)
        for (int j = i; j < nv; j++) {
            entry_name(e, 'M', i, j, name, sizeof name);
            add_entry(e, "mass_matrix", i, j, name, e->M_sum[i * nv + j], NULL);
            mark(e->M_sum[i * nv + j], used);
        }
    for (int s = 0; s < e->shorthands && e->what & PN_EQ_C; s++) {
        mark(e->shorthand[s].sum, used);
        if (e->shorthand[s].literal < 0) continue;
        const pn_eq_literal *l = &e->literal[e->shorthand[s].literal];
        add_entry(e, "shorthand", -1, -1, latex ? l->latex : l->name, e->shorthand[s].sum, NULL);
    }
    for (int i = 0; i < nv && e->what & PN_EQ_C; i++)
        for (int j = 0; j < nv; j++) {
            entry_name(e, 'C', i, j, name, sizeof name);
            add_entry(e, "coriolis", i, j, name, e->C_sum[i * nv + j], NULL);
        }
    for (int i = 0; i < nv && e->what & PN_EQ_G; i++) {
        entry_name(e, 'g', i, -1, name, sizeof name);
        add_entry(e, "gravity", i, -1, name, e->g_sum[i], NULL);
        mark(e->g_sum[i], used);
    }
    add_notation(e, used);
}

/* ---- lines ---- */

/* columns that a text fills; of LaTeX about */
static int seen(const char *text, int length, int latex)
{
    int count = 0;
    for (int i = 0; i < length; i++) {
        if (latex && text[i] == '\\') {
            while (i + 1 < length && ((text[i + 1] >= 'a' && text[i + 1] <= 'z') || text[i + 1] == ',')) i++;
            count++;
        } else if (!latex || !strchr("{}_^ \002", text[i])) {
            count++;
        }
    }
    return count;
}

/* where an expression is on its line */
typedef struct place {
    pn_text *t;
    int latex, begin, at, width;
} place;

static void put_newline(place *p)
{
    if (p->latex)
        pn_text_add(p->t, " \\\\\n    &\\quad {}");
    else
        pn_text_add(p->t, "\n%*s", p->begin + 2, "");
    p->at = p->begin + 2;
}

/* the pieces of a text between marks, on new lines where they do not fit; those that are too long at the next
 * marks */
static void put_pieces(place *p, const char *text, int length, char mark)
{
    for (int first = 1; length > 0; first = 0) {
        int piece = 0;
        while (piece < length && text[piece] != mark) piece++;
        const int width = seen(text, piece, p->latex);
        const int full = !first && p->at + 1 + width > p->width;
        const int fits = p->begin + 2 + width <= p->width || p->at > p->begin + (p->width - p->begin) / 2;
        if (full && (mark == PN_EQ_BREAK_INSIDE || fits)) {
            put_newline(p);
        } else if (!first) {
            pn_text_add(p->t, " ");
            p->at += !p->latex;
        }
        if (mark == PN_EQ_BREAK) {
            put_pieces(p, text, piece, PN_EQ_BREAK_INSIDE);
        } else {
            pn_text_add(p->t, "%.*s", piece, text);
            p->at += width;
        }
        length -= piece + 1;
        text += piece + 1;
    }
}

static void put_broken(pn_text *t, const char *text, int column, int latex)
{
    place p = {t, latex, column, column, latex ? LATEX_WIDTH : WIDTH};
    put_pieces(&p, text, (int)strlen(text), PN_EQ_BREAK);
}

/* the entries of a quantity; how many */
static int put_entries(const pinion_equations *e, pn_text *t, const char *quantity)
{
    const int latex = e->options.format == PINION_EQUATIONS_LATEX;
    int count = 0;
    for (int i = 0; i < e->entries; i++) {
        const pinion_equation *x = &e->entry[i];
        if (strcmp(x->quantity, quantity) != 0) continue;
        if (latex) {
            pn_text_add(t, "%s  %s &= ", count ? " \\\\\n" : "", x->name);
            put_broken(t, x->text, 0, 1);
        } else {
            pn_text_add(t, "  %s = ", x->name);
            put_broken(t, x->text, 5 + (int)strlen(x->name), 0);
            pn_text_add(t, "\n");
        }
        count++;
    }
    return count;
}

static int has_entries(const pinion_equations *e, const char *quantity)
{
    for (int i = 0; i < e->entries; i++)
        if (strcmp(e->entry[i].quantity, quantity) == 0) return 1;
    return 0;
}

/* a heading, and the entries of a quantity below it */
static void put_part(const pinion_equations *e, pn_text *t, const char *heading, const char *quantity)
{
    if (!has_entries(e, quantity)) return;
    if (e->options.format == PINION_EQUATIONS_LATEX) {
        pn_text_add(t, strcmp(quantity, "shorthand") ? "\n\\paragraph{%s}\n" : "\n\\noindent %s\n", heading);
        pn_text_add(t, "\\begin{align*}\n");
        put_entries(e, t, quantity);
        pn_text_add(t, "\n\\end{align*}\n");
    } else {
        pn_text_add(t, "\n%s\n", heading);
        put_entries(e, t, quantity);
    }
}

/* ---- text ---- */

/* "c_1 = cos(q_1), s_12 = ...", as many on a line as there is room for */
static void put_notation(const pinion_equations *e, pn_text *t)
{
    int at = 0;
    if (!has_entries(e, "notation")) return;
    pn_text_add(t, "\nwith\n");
    for (int i = 0; i < e->entries; i++) {
        const pinion_equation *x = &e->entry[i];
        if (strcmp(x->quantity, "notation") != 0) continue;
        const int length = (int)(strlen(x->name) + strlen(x->text)) + 3;
        if (at && at + 2 + length > WIDTH) {
            pn_text_add(t, ",\n");
            at = 0;
        }
        pn_text_add(t, "%s%s = %s", at ? ", " : "  ", x->name, x->text);
        at += length + 2;
    }
    pn_text_add(t, "\n");
}

static void put_legend(const pinion_equations *e, pn_text *t)
{
    int name = 0, number = 0;
    for (int i = 0; i < e->legends; i++) {
        const pinion_equation_symbol *s = &e->legend[i];
        pn_text n = {0};
        if (s->velocity >= 0) continue;
        if (s->coordinate < 0) pn_eq_put_number(&n, s->value, 6);
        pn_text_add(&n, " %s", s->unit);
        if ((int)strlen(s->name) > name) name = (int)strlen(s->name);
        if (s->coordinate < 0 && (int)n.length > number) number = (int)n.length;
        if (n.failed) t->failed = 1;
        pn_text_free(&n);
    }
    pn_text_add(t, "\nSymbols\n");
    for (int i = 0; i < e->legends; i++) {
        const pinion_equation_symbol *s = &e->legend[i];
        pn_text n = {0};
        if (s->velocity >= 0) continue;
        pn_text_add(&n, "%s", s->coordinate < 0 ? "= " : "  ");
        if (s->coordinate < 0) pn_eq_put_number(&n, s->value, 6);
        if (s->coordinate < 0 && *s->unit) pn_text_add(&n, " %s", s->unit);
        pn_text_add(t, "  %-*s %-*s  %s\n", name, s->name, number + 2, n.at ? n.at : "", s->meaning);
        if (n.failed) t->failed = 1;
        pn_text_free(&n);
    }
}

static const char frames_text[] =
    "Frame i, in which the centre of mass and the inertia of body i are given, has z along the axis of\n"
    "the joint that moves it and x along the common normal to the next axis, or towards the centre of\n"
    "mass where there is no next one.\n";

static void write_text(const pinion_equations *e, const char *model, pn_text *t)
{
    pn_text_add(t, "%s: M(q) a + C(q, v) v + g(q) = tau, where v = dq/dt and a = dv/dt\n", model);
    put_part(e, t, "Mass matrix M, symmetric", "mass_matrix");
    put_part(e, t, "Coriolis matrix C, made of Christoffel symbols of M: dM/dt - 2 C is skew-symmetric",
             "coriolis");
    put_part(e, t, has_entries(e, "coriolis") ? "where" : "with", "shorthand");
    put_part(e, t, "Gravity g", "gravity");
    put_notation(e, t);
    put_legend(e, t);
    if (!e->options.numbers) pn_text_add(t, "\n%s", frames_text);
    if (e->squares) {
        pn_text_add(t, "\nAngles that are right but for rounding are taken for right ones: they are off by up to ");
        pn_eq_put_number(t, e->squared, 2);
        pn_text_add(t, " rad.\n");
    }
}

/* ---- LaTeX ---- */

static void put_latex_unit(pn_text *t, const char *unit)
{
    for (; *unit; unit++) {
        if (*unit == '^') {
            pn_text_add(t, "\\textsuperscript{%c}", unit[1]);
            unit++;
        } else {
            pn_text_add(t, *unit == ' ' ? "\\," : "%c", *unit);
        }
    }
}

static void put_latex_legend(const pinion_equations *e, pn_text *t)
{
    pn_text_add(t,
              "\n\\paragraph{Symbols}\n\\begin{tabbing}\n  \\hspace{1.6cm} \\= \\hspace{3.4cm} \\= \\kill\n");
    for (int i = 0; i < e->legends; i++) {
        const pinion_equation_symbol *s = &e->legend[i];
        if (s->velocity >= 0) continue;
        pn_text_add(t, "  $%s$ \\> ", s->name);
        if (s->coordinate < 0) {
            pn_text_add(t, "$");
            pn_eq_put_latex_number(t, s->value, 6);
            pn_text_add(t, *s->unit ? "$\\," : "$");
            put_latex_unit(t, s->unit);
        }
        pn_text_add(t, " \\> %s \\\\\n", s->meaning);
    }
    pn_text_add(t, "\\end{tabbing}\n");
}

static void put_latex_notation(const pinion_equations *e, pn_text *t)
{
    const char *before = "\n\\noindent with ";
    if (!has_entries(e, "notation")) return;
    for (int i = 0; i < e->entries; i++) {
        const pinion_equation *x = &e->entry[i];
        if (strcmp(x->quantity, "notation") != 0) continue;
        pn_text_add(t, "%s$%s = %s$", before, x->name, x->text);
        before = ",\n";
    }
    pn_text_add(t, ".\n");
}

static void write_latex(const pinion_equations *e, const char *model, pn_text *t)
{
    if (e->options.document)
        pn_text_add(t,
                  "\\documentclass{article}\n\\usepackage[T1]{fontenc}\n\\usepackage{amsmath}\n"
                  "\\usepackage[margin=2.2cm]{geometry}\n\\allowdisplaybreaks\n\\begin{document}\n\n"
                  "\\section*{%s}\n\n",
                  model);
    else
        pn_text_add(t, "%% needs \\usepackage{amsmath}\n");
    pn_text_add(
        t,
        "\\begin{equation*}\n  M(q)\\,\\ddot q + C(q, \\dot q)\\,\\dot q + g(q) = \\tau\n\\end{equation*}\n");
    put_part(e, t, "Mass matrix, symmetric", "mass_matrix");
    put_part(e, t, "Coriolis matrix, made of Christoffel symbols: $\\dot M - 2 C$ is skew-symmetric",
             "coriolis");
    put_part(e, t, "where", "shorthand");
    put_part(e, t, "Gravity", "gravity");
    put_latex_notation(e, t);
    put_latex_legend(e, t);
    if (!e->options.numbers) {
        pn_text_add(t, "\n\\noindent ");
        pn_text_add(t, "%s", frames_text);
    }
    if (e->squares) {
        pn_text_add(t, "\n\\noindent Angles that are right but for rounding are taken for right ones: they are off by "
                     "up to $");
        pn_eq_put_latex_number(t, e->squared, 2);
        pn_text_add(t, "$\\,rad.\n");
    }
    if (e->options.document) pn_text_add(t, "\n\\end{document}\n");
}

/* ---- all ---- */

/* breaks are of the text alone: an entry by itself is one line */
static void flatten(char *text)
{
    for (; *text; text++)
        if (*text == PN_EQ_BREAK || *text == PN_EQ_BREAK_INSIDE) *text = ' ';
}

void pn_eq_write(pinion_equations *e, const pinion_model *m)
{
    const int latex = e->options.format == PINION_EQUATIONS_LATEX;
    char model[400];
    pn_text t = {0};
    add_entries(e);
    if (e->failed) return;
    pn_eq_legend(e, m);
    if (e->failed) return;
    pn_eq_safe_name(pinion_model_name(m), latex, model, sizeof model);
    if (latex)
        write_latex(e, model, &t);
    else
        write_text(e, model, &t);
    if (t.failed)
        pn_eq_fail(e, PINION_ERR_MEMORY);
    else
        e->text = taken(e, &t);
    pn_text_free(&t);
    for (int i = 0; i < e->entries; i++) flatten((char *)e->entry[i].text);
}
