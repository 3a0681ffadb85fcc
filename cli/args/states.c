#include "cli/args/states.h"

#include "cli/args/near.h"
#include "cli/args/options.h"
#include "cli/args/quantity.h"
#include "cli/print/print_text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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

/* Checks that the whole is {"states": [...]}. */
static int check_shape(states_file *file)
{
    if (!json_is_object(file->root)) {
        pn_cli_report(file->command, "%s: expected an object {\"states\": [...]}, got %s", file->name,
                      type_name(file->root));
        return 0;
    }
    file->list = json_object_get(file->root, "states");
    if (!check_keys(file, file->root, "", "states")) return 0;
    if (!file->list) {
        pn_cli_report(file->command,
                      "%s: \"states\" is missing: expected {\"states\": [{\"q\": [...]}, ...]}", file->name);
        return 0;
    }
    if (!json_is_array(file->list)) {
        pn_cli_report(file->command, "%s: states: expected an array, got %s", file->name,
                      type_name(file->list));
        return 0;
    }
    file->count = json_array_size(file->list);
    return 1;
}

int pn_cli_states_open(states_file *file, const char *command, const char *path)
{
    int is_stdin = strcmp(path, "-") == 0;
    memset(file, 0, sizeof *file);
    file->command = command;
    file->name = is_stdin ? "<stdin>" : path;

    /* a double holds every number a state may have, whole ones too */
    json_error_t error = {-1, -1, 0, "", ""};
    errno = 0;
    FILE *stream = is_stdin ? stdin : fopen(path, "rb");
    if (stream) file->root = json_loadf(stream, JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL, &error);
    int broken = !stream || ferror(stream), why = errno;
    if (stream && !is_stdin) fclose(stream);

    if (broken)
        pn_cli_report(command, "%s: the states cannot be read: %s", file->name,
                      why ? strerror(why) : "read error");
    else if (!file->root && error.line > 0)
        pn_cli_report(command, "%s:%d: not JSON: %s", file->name, error.line, error.text);
    else if (!file->root)
        pn_cli_report(command, "%s: not JSON: %s", file->name, error.text);
    if (!broken && file->root && check_shape(file)) return 1;
    pn_cli_states_close(file);
    return 0;
}

void pn_cli_states_close(states_file *file)
{
    json_decref(file->root);
    file->root = file->list = NULL;
    file->count = 0;
}

/* ------------------------------------------------------------------------------------------------ */
/* One state */

int pn_cli_state_init(state *s, const pinion_model *m)
{
    size_t nq = (size_t)pinion_model_nq(m), nv = (size_t)pinion_model_nv(m),
           bodies = (size_t)pinion_model_body_count(m);
    memset(s, 0, sizeof *s);
    s->memory = calloc(nq + 3 * nv + 6 * bodies, sizeof *s->memory);
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
    const char *plural = count == 1 ? "" : "s";
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

int pn_cli_state_read(const states_file *file, size_t index, const pinion_model *m, state *s)
{
    char where[64];
    json_t *object = json_array_get(file->list, index);
    snprintf(where, sizeof where, "states[%zu]", index);
    if (!json_is_object(object)) {
        pn_cli_report(file->command, "%s: %s: expected an object {\"q\": [...]}, got %s", file->name, where,
                      type_name(object));
        return 0;
    }
    if (!check_keys(file, object, where, "q|v|a|tau|f_ext|constraints|t")) return 0;

    /* what is missing is zero, but for q */
    int nq = pinion_model_nq(m), nv = pinion_model_nv(m);
    size_t numbers = (size_t)nq + 3 * (size_t)nv + 6 * (size_t)pinion_model_body_count(m);
    for (size_t i = 0; i < numbers; i++) s->memory[i] = 0;
    s->has_forces = s->constraints = 0;
    if (!json_object_get(object, "q")) {
        pn_cli_report(file->command, "%s: %s.q: missing, expected %d number%s", file->name, where, nq,
                      nq == 1 ? "" : "s");
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
