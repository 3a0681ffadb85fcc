/* Force elements from a JSON file (docs/force-elements.md). */
#include "sim/force/force_list.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/json/json.h"

/* A file that is being read. */
typedef struct reader {
    pinion_forces *f;
    pinion_error *err;
} reader;

/* After adding an element: what was refused gets the file and the line. */
static int added(const pn_json_value *element, pinion_status status, const pinion_error *why, pinion_error *err)
{
    if (status == PINION_OK) return 1;
    if (status != PINION_ERR_MEMORY) return pn_value_fail(element, "%s", why->message);
    if (err) *err = *why;
    return 0;
}

/* The name of an element, which may be absent. */
static int get_name(const pn_json_value *element, const char **name)
{
    pn_json_value v;
    return !pn_value_get(element, "name", &v) || pn_value_string(&v, name);
}

/* A frame by its name; "world" is the world where that is allowed. */
static int frame_of(const reader *r, const pn_json_value *v, int world, int *frame)
{
    const char *name = NULL;
    if (!pn_value_string(v, &name)) return 0;
    *frame = -1;
    if (strcmp(name, "world") == 0)
        return world || pn_value_fail(v, "is the world, which nothing moves; expected a frame of the model");
    *frame = pinion_model_find_frame(r->f->m, name);
    return *frame >= 0 || pn_value_fail(v, "the model has no link or frame \"%.60s\"%s", name,
                                        world ? "; expected one, or \"world\"" : "");
}

static int need_frame(const reader *r, const pn_json_value *element, const char *key, int world, int *frame)
{
    pn_json_value v;
    return pn_value_need(element, key, &v) && frame_of(r, &v, world, frame);
}

/* ---------------------------------------------------------------------------------------------
 * One element each */

static int read_spring(const reader *r, const pn_json_value *v)
{
    static const char *const keys[] = {"name",      "frame_a", "point_a", "frame_b", "point_b",
                                       "stiffness", "damping", "length",  NULL};
    pinion_spring_def def = pinion_spring_def_default();
    pinion_error why;
    return pn_value_object(v, keys) && get_name(v, &def.name) &&
           need_frame(r, v, "frame_a", 1, &def.frame_a) && need_frame(r, v, "frame_b", 1, &def.frame_b) &&
           pn_get_numbers(v, "point_a", 3, def.point_a) && pn_get_numbers(v, "point_b", 3, def.point_b) &&
           pn_get_magnitude(v, "stiffness", &def.stiffness) && pn_get_magnitude(v, "damping", &def.damping) &&
           pn_get_magnitude(v, "length", &def.length) &&
           added(v, pinion_forces_add_spring(r->f, &def, &why), &why, r->err);
}

/* An array of numbers of any length above 0, to be released with free(). */
static int need_column(const reader *r, const pn_json_value *element, const char *key, int *count, double **out)
{
    pn_json_value array, x = {0};
    if (!pn_value_need(element, key, &array) || !pn_value_array(&array, "an array of numbers")) return 0;
    const size_t size = json_array_size(array.json);
    if (size == 0 || size > INT_MAX / 2)
        return pn_value_fail(&array, "has no elements, expected at least one number");
    *out = calloc(size, sizeof **out);
    if (!*out) {
        pn_error_set(r->err, PINION_ERR_MEMORY, NULL, 0, 0, "out of memory");
        return 0;
    }
    for (size_t i = 0; pn_value_next(&array, &x); i++)
        if (!pn_value_number(&x, &(*out)[i])) return 0;
    *count = (int)size;
    return 1;
}

/* The keys of a signal: only those that its kind has. */
static int read_signal(const reader *r, const pn_json_value *v, pinion_wrench_def *def, double **t, double **s)
{
    static const char *const kinds[] = {"constant", "sine", "table", NULL};
    static const char *const own[] = {"frequency", "phase", "t", "s", NULL};
    pn_json_value key;
    int kind = PINION_SIGNAL_CONSTANT, count = 0;
    if (pn_value_get(v, "signal", &key) &&
        !pn_value_choice(&key, kinds, "\"constant\", \"sine\" or \"table\"", &kind))
        return 0;
    for (int i = 0; own[i]; i++)
        if (kind != (i < 2 ? PINION_SIGNAL_SINE : PINION_SIGNAL_TABLE) && pn_value_get(v, own[i], &key))
            return pn_value_fail(&key, "belongs to the signal \"%s\", but the signal is \"%s\"",
                                 kinds[i < 2 ? PINION_SIGNAL_SINE : PINION_SIGNAL_TABLE], kinds[kind]);
    def->signal = (pinion_signal)kind;
    if (kind == PINION_SIGNAL_SINE)
        return pn_value_need(v, "frequency", &key) && pn_value_number(&key, &def->frequency) &&
               pn_get_number(v, "phase", &def->phase);
    if (kind == PINION_SIGNAL_CONSTANT) return 1;
    if (!need_column(r, v, "t", &def->count, t) || !need_column(r, v, "s", &count, s)) return 0;
    def->t = *t;
    def->s = *s;
    if (count == def->count) return 1;
    return pn_value_fail(v, "\"t\" has %d numbers and \"s\" has %d, expected as many", def->count, count);
}

static int read_wrench(const reader *r, const pn_json_value *v)
{
    static const char *const keys[] = {"name",   "frame",     "reference", "moment", "force", "start", "end",
                                       "signal", "frequency", "phase",     "t",      "s",     NULL};
    static const char *const references[] = {"world_aligned", "local", NULL};
    pinion_wrench_def def = pinion_wrench_def_default();
    pinion_error why;
    pn_json_value key;
    int reference = 0;
    double *t = NULL, *s = NULL;
    if (!pn_value_object(v, keys) || !get_name(v, &def.name) || !need_frame(r, v, "frame", 0, &def.frame))
        return 0;
    if (pn_value_get(v, "reference", &key) &&
        !pn_value_choice(&key, references, "\"world_aligned\" or \"local\"", &reference))
        return 0;
    def.reference = reference ? PINION_REFERENCE_LOCAL : PINION_REFERENCE_WORLD_ALIGNED;
    if (!pn_value_get(v, "moment", &key) && !pn_value_get(v, "force", &key))
        return pn_value_fail(v, "has neither \"moment\" nor \"force\", expected at least one");
    int ok = pn_get_numbers(v, "moment", 3, def.wrench) && pn_get_numbers(v, "force", 3, def.wrench + 3) &&
             pn_get_number(v, "start", &def.start) && pn_get_number(v, "end", &def.end) &&
             read_signal(r, v, &def, &t, &s) &&
             added(v, pinion_forces_add_wrench(r->f, &def, &why), &why, r->err);
    free(t);
    free(s);
    return ok;
}

/* How the medium's velocity changes with place and time. */
static int read_current(const pn_json_value *element, pinion_drag_def *def)
{
    static const char *const keys[] = {"gradient", "origin", "amplitude", "frequency", "phase", "wave", NULL};
    pn_json_value v, rows, row = {0};
    if (!pn_value_get(element, "current", &v)) return 1;
    if (!pn_value_object(&v, keys)) return 0;
    if (pn_value_get(&v, "gradient", &rows)) {
        if (!pn_value_array_of(&rows, 3, "three rows of three numbers")) return 0;
        for (int i = 0; pn_value_next(&rows, &row); i++)
            if (!pn_value_numbers(&row, 3, def->gradient + 3 * i)) return 0;
    }
    return pn_get_numbers(&v, "origin", 3, def->origin) && pn_get_numbers(&v, "amplitude", 3, def->amplitude) &&
           pn_get_number(&v, "frequency", &def->frequency) && pn_get_number(&v, "phase", &def->phase) &&
           pn_get_numbers(&v, "wave", 3, def->wave);
}

static int read_drag(const reader *r, const pn_json_value *v)
{
    static const char *const keys[] = {"name",   "frame",      "point",   "density", "velocity", "area",
                                       "volume", "added_mass", "current", "linear",  "quadratic", "center", NULL};
    pinion_drag_def def = pinion_drag_def_default();
    pinion_error why;
    pn_json_value area;
    int given;
    if (!pn_value_object(v, keys) || !get_name(v, &def.name) || !need_frame(r, v, "frame", 0, &def.frame))
        return 0;

    /* one number is meant for all axes */
    if (pn_value_get(v, "area", &area)) {
        if (json_is_number(area.json)) {
            if (!pn_value_magnitude(&area, &def.area[0])) return 0;
            def.area[1] = def.area[2] = def.area[0];
        } else if (!pn_value_array_of(&area, 3, "a number or an array of 3 numbers")) {
            return 0;
        }
        for (size_t i = 0; i < 3 && json_is_array(area.json); i++) {
            const pn_json_value x = pn_value_at(&area, i);
            if (!pn_value_magnitude(&x, &def.area[i])) return 0;
        }
    }
    return pn_get_numbers(v, "point", 3, def.point) && pn_get_magnitude(v, "density", &def.density) &&
           pn_get_numbers(v, "velocity", 3, def.velocity) && pn_get_magnitude(v, "volume", &def.volume) &&
           pn_get_magnitude(v, "added_mass", &def.added_mass) && pn_get_numbers(v, "center", 3, def.center) &&
           pn_get_matrix6(v, "linear", def.linear, &given) && pn_get_matrix6(v, "quadratic", def.quadratic, &given) &&
           read_current(v, &def) && added(v, pinion_forces_add_drag(r->f, &def, &why), &why, r->err);
}

static int read_ground(const reader *r, const pn_json_value *v)
{
    static const char *const keys[] = {"name",    "normal",   "height", "stiffness", "exponent",
                                       "damping", "friction", "slip",   "frames",    NULL};
    pinion_ground_def def = pinion_ground_def_default();
    pinion_error why;
    pn_json_value frames, stiffness, x = {0};
    if (!pn_value_object(v, keys) || !get_name(v, &def.name) || !pn_get_numbers(v, "normal", 3, def.normal) ||
        !pn_get_number(v, "height", &def.height) || !pn_value_need(v, "stiffness", &stiffness) ||
        !pn_value_magnitude(&stiffness, &def.stiffness) || !pn_get_number(v, "exponent", &def.exponent) ||
        !pn_get_magnitude(v, "damping", &def.damping) || !pn_get_magnitude(v, "friction", &def.friction) ||
        !pn_get_number(v, "slip", &def.slip))
        return 0;

    /* the points, by the names of their frames */
    if (!pn_value_need(v, "frames", &frames) || !pn_value_array(&frames, "an array of names of frames"))
        return 0;
    const size_t count = json_array_size(frames.json);
    if (count == 0 || count > INT_MAX / 2)
        return pn_value_fail(&frames, "is empty, expected the names of frames");
    int *frame = calloc(count, sizeof *frame), ok = 1;
    if (!frame) {
        pn_error_set(r->err, PINION_ERR_MEMORY, NULL, 0, 0, "out of memory");
        return 0;
    }
    for (size_t i = 0; ok && pn_value_next(&frames, &x); i++) ok = frame_of(r, &x, 0, &frame[i]);
    def.frame = frame;
    def.count = (int)count;
    ok = ok && added(v, pinion_forces_add_ground(r->f, &def, &why), &why, r->err);
    free(frame);
    return ok;
}

static int read_attraction(const reader *r, const pn_json_value *v)
{
    static const char *const keys[] = {"name", "center", "mu", "gradient", NULL};
    pinion_attraction_def def = pinion_attraction_def_default();
    pinion_error why;
    pn_json_value mu;
    return pn_value_object(v, keys) && get_name(v, &def.name) && pn_get_numbers(v, "center", 3, def.center) &&
           pn_value_need(v, "mu", &mu) && pn_value_magnitude(&mu, &def.mu) &&
           pn_get_boolean(v, "gradient", &def.gradient) &&
           added(v, pinion_forces_add_attraction(r->f, &def, &why), &why, r->err);
}

/* ---------------------------------------------------------------------------------------------
 * The file */

static int read_all(const reader *r, const pn_json_value *top)
{
    static const char *const keys[] = {"springs", "wrenches", "drag", "ground", "attraction", NULL};
    static int (*const read_one[])(const reader *, const pn_json_value *) = {read_spring, read_wrench, read_drag,
                                                                             read_ground, read_attraction};
    if (!pn_value_object(top, keys)) return 0;
    for (int i = 0; keys[i]; i++) {
        pn_json_value array, element = {0};
        if (!pn_value_get(top, keys[i], &array)) continue;
        if (!pn_value_array(&array, "an array of objects")) return 0;
        while (pn_value_next(&array, &element))
            if (!read_one[i](r, &element)) return 0;
    }
    return 1;
}

pinion_status pinion_forces_load(pinion_forces *f, const char *path, pinion_error *err)
{
    pinion_error own;
    if (!err) err = &own; /* the status is needed below */
    if (!f || !path || !*path) {
        pn_error_set(err, PINION_ERR_ARGUMENT, NULL, 0, 0, "no list or no file was given");
        return PINION_ERR_ARGUMENT;
    }
    char *text = NULL;
    pn_json_file file = {NULL, path, NULL, err};
    json_t *json = pn_json_open(path, "a file of force elements", &text, &file.text, err);

    /* all elements or none */
    int ok = 0;
    if (json) {
        const int before = f->count;
        const pn_json_value top = {.file = &file, .json = json};
        const reader r = {f, err};
        ok = read_all(&r, &top);
        if (!ok) pn_forces_cut(f, before);
    }
    json_decref(json);
    free(text);
    return ok ? PINION_OK : err->status;
}
