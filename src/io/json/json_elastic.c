/* Elastic links: "elastic" of a link, read and written (docs/elastic.md). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/json/json.h"
#include "io/json/json_write.h"

static const char *const boundaries[] = {"clamped-free",   "clamped-mass",    "pinned",
                                         "clamped-pinned", "clamped-clamped", NULL};

/* ---- reading ---- */

/* One number for all, or `count` of them. */
static int get_each(const pn_json_value *object, const char *key, size_t count, double *out)
{
    pn_json_value v;
    if (!pn_value_get(object, key, &v)) return 1;
    if (json_is_array(v.json)) return pn_value_numbers(&v, count, out);
    if (!pn_value_number(&v, &out[0])) return 0;
    for (size_t i = 1; i < count; i++) out[i] = out[0];
    return 1;
}

static int get_modes(const pn_json_value *object, int modes[3])
{
    pn_json_value v;
    double x[3] = {0, 0, 0};
    if (!pn_value_need(object, "modes", &v)) return 0;
    if (json_is_array(v.json)) {
        const size_t count = json_array_size(v.json);
        if (count < 1 || count > 3) return pn_value_expected(&v, "a number, or one to three of them");
        if (!pn_value_numbers(&v, count, x)) return 0;
    } else {
        if (!pn_value_number(&v, &x[0])) return 0;
        x[1] = x[0];
    }
    for (int i = 0; i < 3; i++) {
        if (!(x[i] >= 0 && x[i] <= PINION_ELASTIC_MAX_DIRECTION) || x[i] != (int)x[i])
            return pn_value_fail(&v, "found %g, expected whole numbers from 0 to %d", x[i],
                                 PINION_ELASTIC_MAX_DIRECTION);
        modes[i] = (int)x[i];
    }
    return 1;
}

static int get_tip(const pn_json_value *object, const char *key, double *mass, double inertia[3])
{
    static const char *const keys[] = {"mass", "inertia", NULL};
    pn_json_value v;
    if (!pn_value_get(object, key, &v)) return 1;
    return pn_value_object(&v, keys) && pn_get_magnitude(&v, "mass", mass) && get_each(&v, "inertia", 3, inertia);
}

static int read_beam(const pn_json_value *beam, pinion_elastic_def *def)
{
    static const char *const keys[] = {"length",        "mass_per_length", "EI",  "GJ",   "polar_inertia_per_length",
                                       "boundary",      "modes",           "tip", "load", NULL};
    pn_json_value v;
    int choice = 0;
    if (!pn_value_object(beam, keys)) return 0;
    if (!pn_value_need(beam, "length", &v) || !pn_value_number(&v, &def->length)) return 0;
    if (!pn_value_need(beam, "mass_per_length", &v) || !pn_value_number(&v, &def->mass_per_length)) return 0;
    if (!get_each(beam, "EI", 2, def->bending_stiffness)) return 0;
    if (!pn_get_magnitude(beam, "GJ", &def->torsion_stiffness)) return 0;
    if (!pn_get_magnitude(beam, "polar_inertia_per_length", &def->polar_inertia)) return 0;
    if (pn_value_get(beam, "boundary", &v) &&
        !pn_value_choice(&v, boundaries,
                         "\"clamped-free\", \"clamped-mass\", \"pinned\", \"clamped-pinned\" or \"clamped-clamped\"",
                         &choice))
        return 0;
    def->boundary = (pinion_elastic_boundary)choice;
    return get_modes(beam, def->modes) && get_tip(beam, "tip", &def->tip_mass, def->tip_inertia) &&
           get_tip(beam, "load", &def->load_mass, def->load_inertia);
}

/* An array of arrays of numbers, as deep as there are sizes, one after the other. */
static int read_table(const pn_json_value *v, const size_t *size, int depth, double **at)
{
    if (depth == 1) {
        if (!pn_value_numbers(v, size[0], *at)) return 0;
        *at += size[0];
        return 1;
    }
    char many[40];
    snprintf(many, sizeof many, "an array of %zu arrays", size[0]);
    if (!pn_value_array_of(v, size[0], many)) return 0;
    for (size_t i = 0; i < size[0]; i++) {
        const pn_json_value row = pn_value_at(v, i);
        if (!read_table(&row, size + 1, depth - 1, at)) return 0;
    }
    return 1;
}

/* A table that may be left out; *out is where it begins, or stays. */
static int get_table(const pn_json_value *object, const char *key, const size_t *size, int depth, double **at,
                     const double **out)
{
    pn_json_value v;
    double *first = *at;
    if (!pn_value_get(object, key, &v)) return 1;
    if (!read_table(&v, size, depth, at)) return 0;
    *out = first;
    return 1;
}

/* One that may not. */
static int need_table(const pn_json_value *object, const char *key, const size_t *size, int depth, double **at,
                      const double **out)
{
    pn_json_value v;
    return pn_value_need(object, key, &v) && get_table(object, key, size, depth, at, out);
}

static int read_shapes(const pn_json_value *shapes, pinion_elastic_def *def, double **at)
{
    const size_t nodes = (size_t)def->node_count, modes = (size_t)def->mode_count;
    const size_t places[] = {nodes, 3}, inertias[] = {nodes, 6}, moved[] = {modes, nodes, 3}, square[] = {modes, modes};
    return get_table(shapes, "positions", places, 2, at, &def->position) &&
           need_table(shapes, "masses", &nodes, 1, at, &def->mass) &&
           get_table(shapes, "inertias", inertias, 2, at, &def->inertia) &&
           get_table(shapes, "translations", moved, 3, at, &def->translation) &&
           get_table(shapes, "rotations", moved, 3, at, &def->rotation) &&
           get_table(shapes, "mass_matrix", square, 2, at, &def->mass_matrix) &&
           need_table(shapes, "stiffness_matrix", square, 2, at, &def->stiffness_matrix) &&
           get_table(shapes, "damping_matrix", square, 2, at, &def->damping_matrix);
}

/* How many nodes and modes there are. */
static int count_shapes(const pn_json_value *shapes, pinion_elastic_def *def)
{
    static const char *const keys[] = {"positions", "masses",           "inertias",       "translations", "rotations",
                                       "mass_matrix", "stiffness_matrix", "damping_matrix", NULL};
    pn_json_value v;
    if (!pn_value_object(shapes, keys)) return 0;
    if (!pn_value_need(shapes, "positions", &v) || !pn_value_array(&v, "an array of positions")) return 0;
    const size_t nodes = json_array_size(v.json);
    if (nodes < 1 || nodes > PINION_ELASTIC_MAX_NODES)
        return pn_value_fail(&v, "found %zu nodes, expected 1 to %d", nodes, PINION_ELASTIC_MAX_NODES);
    if (!pn_value_need(shapes, "translations", &v) || !pn_value_array(&v, "an array of modes")) return 0;
    const size_t modes = json_array_size(v.json);
    if (modes < 1 || modes > PINION_ELASTIC_MAX_MODES)
        return pn_value_fail(&v, "found %zu modes, expected 1 to %d", modes, PINION_ELASTIC_MAX_MODES);
    def->node_count = (int)nodes;
    def->mode_count = (int)modes;
    return 1;
}

int pn_json_elastic(const pn_json_value *element, pinion_elastic_def *def, double **numbers, int *given)
{
    static const char *const keys[] = {"beam", "shapes", "origin", "damping_ratio", "initial", NULL};
    static const char *const starts[] = {"q", "v", NULL};
    pn_json_value v, what, initial;
    *numbers = NULL;
    *given = pn_value_get(element, "elastic", &v);
    *def = pinion_elastic_def_default();
    if (!*given) return 1;
    if (!pn_value_object(&v, keys) || !pn_get_pose(&v, "origin", &def->origin)) return 0;
    if (!pn_get_magnitude(&v, "damping_ratio", &def->damping_ratio)) return 0;
    const int beam = pn_value_get(&v, "beam", &what);
    if (beam && json_object_get(v.json, "shapes"))
        return pn_value_fail(&v, "has a beam and shapes, expected one of them");
    if (beam) {
        if (!read_beam(&what, def)) return 0;
    } else if (!pn_value_get(&v, "shapes", &what)) {
        return pn_value_fail(&v, "has neither \"beam\" nor \"shapes\", expected one of them");
    } else if (!count_shapes(&what, def)) {
        return 0;
    }

    /* the arrays, all at once */
    const size_t nodes = (size_t)def->node_count;
    const size_t modes = beam ? (size_t)(def->modes[0] + def->modes[1] + def->modes[2]) : (size_t)def->mode_count;
    double *at = *numbers = malloc((10 * nodes + 6 * nodes * modes + 3 * modes * modes + 2 * modes + 1) * sizeof *at);
    if (!at) {
        pn_error_set(v.file->err, PINION_ERR_MEMORY, v.file->name, 0, 0, "out of memory");
        return 0;
    }
    if (!beam && !read_shapes(&what, def, &at)) return 0;
    if (!pn_value_get(&v, "initial", &initial)) return 1;
    return pn_value_object(&initial, starts) && get_table(&initial, "q", &modes, 1, &at, &def->initial_q) &&
           get_table(&initial, "v", &modes, 1, &at, &def->initial_v);
}

/* ---- writing, all on one line ---- */

static void put_key(pn_text *t, const char *key, const char **between)
{
    pn_text_add(t, "%s\"%s\": ", *between, key);
    *between = ", ";
}

static void put_number(pn_text *t, const char *key, double x, const char **between)
{
    if (x == 0) return;
    put_key(t, key, between);
    pn_text_number(t, x);
}

static void put_table(pn_text *t, const double **x, const size_t *size, int depth)
{
    if (depth == 1) {
        pn_json_put_numbers(t, *x, (int)size[0]);
        *x += size[0];
        return;
    }
    for (size_t i = 0; i < size[0]; i++) {
        pn_text_append(t, i ? ", " : "[");
        put_table(t, x, size + 1, depth - 1);
    }
    pn_text_append(t, "]");
}

static void put_array(pn_text *t, const char *key, const double *x, const size_t *size, int depth, const char **between)
{
    if (!x) return;
    put_key(t, key, between);
    put_table(t, &x, size, depth);
}

static void put_tip(pn_text *t, const char *key, double mass, const double inertia[3], const char **between)
{
    const char *inner = "{";
    if (mass == 0 && pn_json_is_zero(inertia, 3)) return;
    put_key(t, key, between);
    put_number(t, "mass", mass, &inner);
    if (!pn_json_is_zero(inertia, 3)) {
        put_key(t, "inertia", &inner);
        pn_json_put_numbers(t, inertia, 3);
    }
    pn_text_append(t, "}");
}

static void put_beam(pn_text *t, const pinion_elastic_def *d)
{
    const char *between = "{";
    put_number(t, "length", d->length, &between);
    put_number(t, "mass_per_length", d->mass_per_length, &between);
    put_key(t, "EI", &between);
    pn_json_put_numbers(t, d->bending_stiffness, 2);
    put_number(t, "GJ", d->torsion_stiffness, &between);
    put_number(t, "polar_inertia_per_length", d->polar_inertia, &between);
    put_key(t, "boundary", &between);
    pn_text_add(t, "\"%s\", \"modes\": [%d, %d, %d]", boundaries[d->boundary], d->modes[0], d->modes[1], d->modes[2]);
    put_tip(t, "tip", d->tip_mass, d->tip_inertia, &between);
    put_tip(t, "load", d->load_mass, d->load_inertia, &between);
    pn_text_append(t, "}");
}

static void put_shapes(pn_text *t, const pinion_elastic_def *d)
{
    const size_t nodes = (size_t)d->node_count, modes = (size_t)d->mode_count;
    const size_t places[] = {nodes, 3}, inertias[] = {nodes, 6}, moved[] = {modes, nodes, 3}, square[] = {modes, modes};
    const char *between = "{";
    put_array(t, "positions", d->position, places, 2, &between);
    put_array(t, "masses", d->mass, &nodes, 1, &between);
    put_array(t, "inertias", d->inertia, inertias, 2, &between);
    put_array(t, "translations", d->translation, moved, 3, &between);
    put_array(t, "rotations", d->rotation, moved, 3, &between);
    put_array(t, "mass_matrix", d->mass_matrix, square, 2, &between);
    put_array(t, "stiffness_matrix", d->stiffness_matrix, square, 2, &between);
    put_array(t, "damping_matrix", d->damping_matrix, square, 2, &between);
    pn_text_append(t, "}");
}

int pn_json_write_elastic(pn_json_writer *w, int link)
{
    pinion_elastic_info info;
    for (int i = 0; i < pinion_model_elastic_count(w->m); i++) {
        if (pinion_model_elastic(w->m, i, &info) != PINION_OK) return 0;
        if (info.link != link) continue;
        const pinion_elastic_def *d = &info.def;
        const pinion_pose one = pinion_pose_identity();
        const size_t modes = (size_t)info.modes;
        const char *between = ", ", *inner = "{";
        pn_json_key(w, "elastic");
        pn_text_append(&w->t, d->node_count ? "{\"shapes\": " : "{\"beam\": ");
        if (d->node_count)
            put_shapes(&w->t, d);
        else
            put_beam(&w->t, d);
        if (memcmp(&d->origin, &one, sizeof one) != 0) {
            put_key(&w->t, "origin", &between);
            pn_json_put_pose(&w->t, &d->origin);
        }
        put_number(&w->t, "damping_ratio", d->damping_ratio, &between);
        if (d->initial_q || d->initial_v) {
            put_key(&w->t, "initial", &between);
            put_array(&w->t, "q", d->initial_q, &modes, 1, &inner);
            put_array(&w->t, "v", d->initial_v, &modes, 1, &inner);
            pn_text_append(&w->t, "}");
        }
        pn_text_append(&w->t, "}");
    }
    return 1;
}
