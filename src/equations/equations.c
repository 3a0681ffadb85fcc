/* The public functions: from a model to its equations. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "equations/equation_steps.h"

#define COOKIE 0x45515530u

/* ---- memory ---- */

void pn_eq_fail(pinion_equations *e, pinion_status status)
{
    if (!e->failed) e->failed = (int)status;
}

void *pn_eq_take(pinion_equations *e, size_t count, size_t size)
{
    pn_eq_pool *p = &e->pool;
    if (p->blocks == p->capacity) {
        const int capacity = p->capacity ? 2 * p->capacity : 64;
        void **grown = realloc(p->block, (size_t)capacity * sizeof *grown);
        if (!grown) {
            pn_eq_fail(e, PINION_ERR_MEMORY);
            return NULL;
        }
        p->block = grown;
        p->capacity = capacity;
    }
    void *block = calloc(count ? count : 1, size);
    if (!block)
        pn_eq_fail(e, PINION_ERR_MEMORY);
    else
        p->block[p->blocks++] = block;
    return block;
}

void *pn_eq_grow(pinion_equations *e, void *array, int count, int *room, size_t size)
{
    if (count < *room) return array;
    const int more = *room ? 2 * *room : 32;
    void *grown = pn_eq_take(e, (size_t)more, size);
    if (!grown) return NULL;
    if (count) memcpy(grown, array, (size_t)count * size);
    *room = more;
    return grown;
}

static void free_sums(pinion_equations *e)
{
    for (int i = 0; e->M && i < e->nv * e->nv; i++) pn_eq_free(&e->M[i]);
    for (int i = 0; e->g && i < e->nv; i++) pn_eq_free(&e->g[i]);
    for (int i = 0; e->shorthand && i < e->shorthands; i++) pn_eq_free(&e->shorthand[i].poly);
}

void pinion_equations_free(pinion_equations *e)
{
    if (!e) return;
    free_sums(e);
    for (int i = 0; i < e->pool.blocks; i++) free(e->pool.block[i]);
    free(e->pool.block);
    free(e);
}

/* ---- options ---- */

pinion_equations_options pinion_equations_options_default(void)
{
    pinion_equations_options options;
    memset(&options, 0, sizeof options);
    options.max_terms = 600;
    options.states = 100;
    options.cookie = COOKIE;
    return options;
}

static pinion_status fail(pinion_error *err, pinion_status status, const char *text)
{
    if (!err) return status;
    memset(err, 0, sizeof *err);
    err->status = status;
    snprintf(err->message, sizeof err->message, "%s", text);
    return status;
}

/* "mass_matrix,gravity" */
static pinion_status read_what(pinion_equations *e, const char *what, pinion_error *err)
{
    static const char *const name[] = {"mass_matrix", "coriolis", "gravity"};
    e->what = what ? 0 : PN_EQ_M | PN_EQ_C | PN_EQ_G;
    for (int more = what != NULL; more;) {
        const char *end = strchr(what, ',');
        const size_t length = end ? (size_t)(end - what) : strlen(what);
        int found = 0;
        for (int k = 0; k < 3; k++)
            if (strlen(name[k]) == length && strncmp(name[k], what, length) == 0) found = 1 << k;
        if (!found)
            return fail(err, PINION_ERR_ARGUMENT,
                        "what is asked for is none of mass_matrix, coriolis, gravity");
        e->what |= (unsigned)found;
        more = end != NULL;
        what += length + 1;
    }
    return PINION_OK;
}

/* ---- all of it ---- */

static pinion_status make(pinion_equations *e, const pinion_model *m, pinion_error *err)
{
    pinion_status status = pn_eq_symbols(e, m, err);
    if (status != PINION_OK) return status;
    pn_eq_derive(e);
    if (!e->failed) pn_eq_make_readable(e);
    if (!e->failed) pn_eq_write(e, m);
    if (e->failed == (int)PINION_ERR_UNSUPPORTED) {
        char text[240];
        snprintf(
            text, sizeof text,
            "the equations have more than %d terms, too many to read; a larger limit allows more, and pinion "
            "codegen writes them as code",
            e->options.max_terms);
        return fail(err, PINION_ERR_UNSUPPORTED, text);
    }
    if (e->failed) return fail(err, (pinion_status)e->failed, pinion_status_text((pinion_status)e->failed));
    return pn_eq_check(e, m, err);
}

pinion_equations *pinion_equations_new(const pinion_model *m, const pinion_equations_options *options,
                                       pinion_error *err)
{
    const pinion_equations_options standard = pinion_equations_options_default();
    if (!options) options = &standard;
    if (!m || options->cookie != COOKIE || options->max_terms < 1 || options->max_terms > 100000 ||
        options->states < 1 || options->states > 1000000 ||
        (options->format != PINION_EQUATIONS_TEXT && options->format != PINION_EQUATIONS_LATEX)) {
        fail(err, PINION_ERR_ARGUMENT, pinion_status_text(PINION_ERR_ARGUMENT));
        return NULL;
    }
    pinion_equations *e = calloc(1, sizeof *e);
    if (!e) {
        fail(err, PINION_ERR_MEMORY, pinion_status_text(PINION_ERR_MEMORY));
        return NULL;
    }
    e->options = *options;
    e->options.what = NULL;
    if (read_what(e, options->what, err) || make(e, m, err)) {
        pinion_equations_free(e);
        return NULL;
    }
    /* only what is read is kept */
    free_sums(e);
    return e;
}

const char *pinion_equations_text(const pinion_equations *e)
{
    return e ? e->text : "";
}

double pinion_equations_difference(const pinion_equations *e)
{
    return e ? e->difference : 0;
}

int pinion_equations_terms(const pinion_equations *e)
{
    return e ? e->terms : 0;
}

int pinion_equations_count(const pinion_equations *e)
{
    return e ? e->entries : 0;
}

pinion_status pinion_equations_entry(const pinion_equations *e, int index, pinion_equation *out)
{
    if (!e || !out || index < 0 || index >= e->entries) return PINION_ERR_ARGUMENT;
    *out = e->entry[index];
    return PINION_OK;
}

int pinion_equations_symbol_count(const pinion_equations *e)
{
    return e ? e->legends : 0;
}

pinion_status pinion_equations_symbol(const pinion_equations *e, int index, pinion_equation_symbol *out)
{
    if (!e || !out || index < 0 || index >= e->legends) return PINION_ERR_ARGUMENT;
    *out = e->legend[index];
    return PINION_OK;
}
