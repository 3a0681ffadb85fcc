#include "cli/args/states.h"

#include "cli/args/coordinate_list.h"
#include "cli/args/near.h"
#include "cli/args/options.h"
#include "cli/args/quantity.h"
#include "cli/print/print_text.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define STATE_KEYS "q|v|a|tau|f_ext|constraints|t"

static int read_state(const states_file *file, json_t *object, size_t index, const pinion_model *m, state *s);

/* ------------------------------------------------------------------------------------------------ */
/* The file */

static const char *type_name(const json_t *value)
{
    switch (json_typeof(value)) {
    case JSON_OBJECT: return "an object";
    case JSON_ARRAY: return "an array";
    case JSON_STRING: return "a string";
    case JSON_INTEGER:
    case JSON_REAL: return "a number";
    case JSON_NULL: return "null";
    default: return "a boolean";
    }
}

/* Refuses keys that are not in the list "a|b|c"; `where` is the object, "" for the whole file. */
static int check_keys(const states_file *file, json_t *object, const char *where, const char *known)
{
    const char *key;
    json_t *value;
    json_object_foreach(object, key, value) {
        if (pn_cli_in_list(known, key)) continue;
        char near[400], list[64], store[64];
        cli_near found = pn_cli_near(key);
        pn_cli_near_offer_list(&found, known, store, sizeof store);
        pn_cli_near_text(&found, near, sizeof near);
        pn_cli_report(file->command, "%s: %s%sunknown key '%s'%s; expected %s", file->name, where,
                      *where ? ": " : "", key, near, pn_cli_list_text(known, list, sizeof list));
        return 0;
    }
    return 1;
}

/* Checks that what was read as a whole is {"states": [...]}. */
static int check_shape(states_file *file)
{
    if (!json_is_object(file->root)) {
        pn_cli_report(file->command, "%s: expected an object {\"states\": [...]}, got %s", file->name,
                      type_name(file->root));
        return 0;
    }
    json_t *list = json_object_get(file->root, "states");
    if (!check_keys(file, file->root, "", "states")) return 0;
    if (!list) {
        pn_cli_report(file->command,
                      "%s: \"states\" is missing: expected {\"states\": [{\"q\": [...]}, ...]}", file->name);
        return 0;
    }
    if (!json_is_array(list)) {
        pn_cli_report(file->command, "%s: states: expected an array, got %s", file->name, type_name(list));
        return 0;
    }
    return 1;
}

/* Whether a value is a state, for which no list is needed. */
static int is_state(const json_t *value)
{
    const char *key;
    json_t *part;
    if (json_object_get(value, "states")) return 0;
    json_object_foreach((json_t *)value, key, part)
        if (pn_cli_in_list(STATE_KEYS, key)) return 1;
    return 0;
}

/* Some numbers as JSON. */
static json_t *array_of(const double *x, int count)
{
    json_t *array = json_array();
    for (int i = 0; i < count && array; i++) json_array_append_new(array, json_real(x[i]));
    return array;
}

/* A state that the model has by name, with nothing behind it. */
static int open_named(states_file *file, const char *command, const char *name, const pinion_model *m)
{
    const int nq = pinion_model_nq(m), nv = pinion_model_nv(m);
    double *q = malloc((size_t)(nq + nv + 1) * sizeof *q);
    file->command = command;
    file->name = name;
    file->lines = 1;
    file->text.ended = 1;
    if (q && pinion_model_state(m, pinion_model_find_state(m, name), q, q + nq) == PINION_OK)
        file->root = json_pack("{s:o,s:o}", "q", array_of(q, nq), "v", array_of(q + nq, nv));
    free(q);
    if (!file->root) pn_cli_report(command, "out of memory");
    return file->root != NULL;
}

/* Says which states the model has by name, where what is given is none of them and no file either. */
static int tell_named(const char *command, const char *path, const pinion_model *m)
{
    char line[600] = "";
    struct stat about; /* a pipe would be gone if it were opened here */
    if (strcmp(path, "-") == 0 || stat(path, &about) == 0 || pinion_model_state_count(m) == 0) return 0;
    for (int i = 0; i < pinion_model_state_count(m); i++) {
        const size_t used = strlen(line);
        snprintf(line + used, sizeof line - used, "%s%.100s", i ? ", " : "", pinion_model_state_name(m, i));
    }
    pn_cli_report(command, "%s: no such file, and no state of the model has this name; there is %s", path, line);
    return 1;
}

int pn_cli_states_open(states_file *file, const char *command, const char *path, const pinion_model *m)
{
    memset(file, 0, sizeof *file);
    if (pinion_model_find_state(m, path) >= 0) return open_named(file, command, path, m);
    if (tell_named(command, path, m) || !pn_cli_text_open(&file->text, command, path)) return 0;
    file->command = command;
    file->name = file->text.name;
    int fine = pn_cli_text_begin(&file->text, &file->root);
    file->lines = fine && is_state(file->root);
    if (fine && file->root && !file->lines) {
        /* a list that is written in an unusual way, with nothing behind it; or none */
        int failed = 0;
        json_t *more = check_shape(file) ? pn_cli_text_next(&file->text, &failed) : json_null();
        if (more && !json_is_null(more)) pn_cli_report(command, "%s: not JSON: end of file expected", file->name);
        fine = !more && !failed;
        json_decref(more);
    }
    if (!fine) pn_cli_states_close(file);
    return fine;
}

void pn_cli_states_close(states_file *file)
{
    json_decref(file->root);
    pn_cli_text_close(&file->text);
    file->root = NULL;
}

/* The next state, which is the caller's; NULL at the end, or with `*failed` after a message. */
static json_t *next_value(states_file *file, int *failed)
{
    *failed = 0;
    if (!file->root) return pn_cli_text_next(&file->text, failed);
    if (!file->lines) return json_incref(json_array_get(json_object_get(file->root, "states"), file->count));
    json_t *first = file->root;
    file->root = NULL;
    return first;
}

int pn_cli_states_next(states_file *file, const pinion_model *m, state *s)
{
    int failed;
    json_t *value = next_value(file, &failed);
    if (!value) return failed ? -1 : 0;
    file->index = file->count++;
    const int fine = read_state(file, value, file->index, m, s);
    json_decref(value);
    return fine ? 1 : -1;
}

int pn_cli_states_rest(states_file *file)
{
    int failed;
    for (json_t *value; (value = next_value(file, &failed)) != NULL;) {
        file->count++;
        json_decref(value);
    }
    return !failed;
}

/* ------------------------------------------------------------------------------------------------ */
/* One state */

int pn_cli_state_init(state *s, const pinion_model *m)
{
    size_t nq = (size_t)pinion_model_nq(m), nv = (size_t)pinion_model_nv(m),
           bodies = (size_t)pinion_model_body_count(m);
    memset(s, 0, sizeof *s);
    s->forces = 6 * bodies;
    s->numbers = nq + 3 * nv + s->forces;
    s->memory = calloc(s->numbers, sizeof *s->memory);
    if (!s->memory) return 0;
    s->q = s->memory;
    s->v = s->q + nq;
    s->a = s->v + nv;
    s->tau = s->a + nv;
    s->f_ext = s->tau + nv;
    return 1;
}

void pn_cli_state_free(state *s)
{
    free(s->memory);
    memset(s, 0, sizeof *s);
}

/* An array of exactly `count` numbers. */
static int read_numbers(const states_file *file, const json_t *value, const char *where, int count,
                        double *out)
{
    const char *plural = pn_cli_plural(count);
    if (!json_is_array(value)) {
        pn_cli_report(file->command, "%s: %s: expected an array of %d number%s, got %s", file->name, where,
                      count, plural, type_name(value));
        return 0;
    }
    if (json_array_size(value) != (size_t)count) {
        pn_cli_report(file->command, "%s: %s: expected %d number%s, got %zu", file->name, where, count,
                      plural, json_array_size(value));
        return 0;
    }
    for (int i = 0; i < count; i++) {
        const json_t *number = json_array_get(value, (size_t)i);
        if (!json_is_number(number)) {
            pn_cli_report(file->command, "%s: %s[%d]: expected a number, got %s", file->name, where, i,
                          type_name(number));
            return 0;
        }
        out[i] = json_number_value(number);
    }
    return 1;
}

/* Forces by the name of a link or frame, each in the coordinates of that frame. */
static int read_forces(const states_file *file, json_t *forces, size_t index, const pinion_model *m, state *s)
{
    char where[200];
    snprintf(where, sizeof where, "states[%zu].f_ext", index);
    if (!json_is_object(forces)) {
        pn_cli_report(file->command, "%s: %s: expected an object {\"LINK\": [6 numbers]}, got %s", file->name,
                      where, type_name(forces));
        return 0;
    }

    const char *name;
    json_t *value;
    json_object_foreach(forces, name, value) {
        char place[400];
        double force[6];
        snprintf(place, sizeof place, "%s: %s", file->name, where);
        int frame = pn_cli_find_frame(file->command, m, place, name);
        if (frame < 0) return 0;
        snprintf(place, sizeof place, "%s.%.100s", where, name);
        if (!read_numbers(file, value, place, 6, force)) return 0;
        pinion_status status = pinion_force_on_frame(m, frame, force, s->f_ext);
        if (status != PINION_OK) {
            pn_cli_report(file->command, "%s: %s: %s", file->name, place, pinion_status_text(status));
            return 0;
        }
        s->has_forces = 1;
    }
    return 1;
}

/* Constraints on the acceleration of a frame: rows A of 6 numbers; b, a number for each, zero if absent. */
static int read_constraints(const states_file *file, json_t *object, size_t index, state *s)
{
    char where[200];
    snprintf(where, sizeof where, "states[%zu].constraints", index);
    if (!json_is_object(object)) {
        pn_cli_report(file->command,
                      "%s: %s: expected an object {\"A\": [[6 numbers], ...], \"b\": [...]}, got %s",
                      file->name, where, type_name(object));
        return 0;
    }
    if (!check_keys(file, object, where, "A|b")) return 0;

    /* a frame has six directions to hold it in */
    json_t *A = json_object_get(object, "A"), *b = json_object_get(object, "b");
    if (!json_is_array(A) || json_array_size(A) > 6) {
        pn_cli_report(file->command, "%s: %s.A: expected an array of up to 6 rows", file->name, where);
        return 0;
    }
    s->constraints = (int)json_array_size(A);
    for (int i = 0; i < s->constraints; i++) {
        char place[240];
        snprintf(place, sizeof place, "%s.A[%d]", where, i);
        if (!read_numbers(file, json_array_get(A, (size_t)i), place, 6, s->A + 6 * i)) return 0;
    }
    for (int i = 0; i < 6; i++) s->b[i] = 0;
    snprintf(where, sizeof where, "states[%zu].constraints.b", index);
    return !b || read_numbers(file, b, where, s->constraints, s->b);
}

static int read_state(const states_file *file, json_t *object, size_t index, const pinion_model *m, state *s)
{
    char where[64];
    snprintf(where, sizeof where, "states[%zu]", index);
    if (!json_is_object(object)) {
        pn_cli_report(file->command, "%s: %s: expected an object {\"q\": [...]}, got %s", file->name, where,
                      type_name(object));
        return 0;
    }
    if (!check_keys(file, object, where, STATE_KEYS)) return 0;

    /* what is missing is zero, but for q */
    int nq = pinion_model_nq(m), nv = pinion_model_nv(m);
    for (size_t i = 0; i < s->numbers; i++) s->memory[i] = 0;
    s->has_forces = s->constraints = 0;
    if (!json_object_get(object, "q")) {
        pn_cli_report(file->command, "%s: %s.q: missing, expected %d number%s", file->name, where, nq,
                      pn_cli_plural(nq));
        return 0;
    }

    /* the arrays, each with its place for messages */
    const struct {
        const char *key;
        int count;
        double *out;
    } array[] = {{"q", nq, s->q}, {"v", nv, s->v}, {"a", nv, s->a}, {"tau", nv, s->tau}};
    for (int i = 0; i < 4; i++) {
        json_t *value = json_object_get(object, array[i].key);
        snprintf(where, sizeof where, "states[%zu].%s", index, array[i].key);
        if (value && !read_numbers(file, value, where, array[i].count, array[i].out)) return 0;
    }
    json_t *time = json_object_get(object, "t");
    s->t = json_number_value(time);
    if (time && !json_is_number(time)) {
        pn_cli_report(file->command, "%s: states[%zu].t: expected a number, got %s", file->name, index,
                      type_name(time));
        return 0;
    }
    json_t *forces = json_object_get(object, "f_ext"), *held = json_object_get(object, "constraints");
    if (forces && !read_forces(file, forces, index, m, s)) return 0;
    return !held || read_constraints(file, held, index, s);
}

int pn_cli_state_of_file(const char *command, const char *path, const pinion_model *m, state *s)
{
    states_file file;
    if (!pn_cli_states_open(&file, command, path, m)) return 0;
    int more = -1;
    if (!pn_cli_state_init(s, m))
        pn_cli_report(command, "out of memory");
    else
        more = pn_cli_states_next(&file, m, s);
    if (more == 0) pn_cli_report(command, "%s: states: there is none", file.name);
    const int fine = more > 0 && pn_cli_states_rest(&file) && pn_cli_normalize(command, file.name, m, s->q);
    if (!fine) pn_cli_state_free(s);
    pn_cli_states_close(&file);
    return fine;
}
