/* What is kept of each run: numbers made of the columns of its rows. */
#define _POSIX_C_SOURCE 200809L
#include "sweep/plan/sweep_plan.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

static const char *const takes[] = {"initial", "final", "min",      "max",      "peak",
                                    "mean",    "rms",   "integral", "settling", NULL};

/* A frame whose place is needed is one of the frames of the run. */
static int need_frame(const pn_json_value *v, pinion_sweep *s, const char *name)
{
    pn_plan_run *r = &s->run;
    const int frame = pinion_model_find_frame(s->model, name);
    if (frame < 0) return pn_value_fail(v, "the model has no link or frame \"%.60s\"", name);
    for (int i = 0; i < r->frame_count; i++)
        if (r->frames[i] == frame) return 1;
    int *more = realloc(r->frames, ((size_t)r->frame_count + 2) * sizeof *more);
    if (!more) return pn_plan_no_memory(v);
    r->frames = more;
    r->frames[r->frame_count++] = frame;
    return 1;
}

/* "column", or "frame" and "target". */
static int read_source(const pn_json_value *v, pinion_sweep *s, pn_kept *k)
{
    pn_json_value column, frame, target;
    const char *text = NULL;
    const int has_column = pn_value_get(v, "column", &column), has_frame = pn_value_get(v, "frame", &frame);
    if (has_column == has_frame) return pn_value_fail(v, "expected \"column\", or \"frame\" and \"target\"");
    if (!pn_value_string(has_column ? &column : &frame, &text)) return 0;
    if (has_frame && (!pn_value_need(v, "target", &target) || !pn_value_numbers(&target, 3, k->target) ||
                      !need_frame(&frame, s, text)))
        return 0;
    if (has_column && pn_value_get(v, "target", &target)) return pn_value_fail(&target, "is of \"frame\"");
    char *copy = strdup(text);
    *(has_column ? &k->column : &k->frame) = copy;
    return copy ? 1 : pn_plan_no_memory(v);
}

/* "FILE.so:FUNCTION", which stays a name until pinion_sweep_load_plugins() is called. */
static int read_plugin(const pn_json_value *v, pinion_sweep *s, pn_kept *k)
{
    static const char *const keys[] = {"name", "plugin", "unit", NULL};
    pn_json_value plugin, unit;
    const char *text = NULL, *colon;
    if (!pn_value_object(v, keys) || !pn_value_need(v, "plugin", &plugin) || !pn_value_string(&plugin, &text))
        return 0;
    colon = strrchr(text, ':');
    if (!colon || colon == text || !colon[1]) return pn_value_fail(&plugin, "expected \"FILE.so:FUNCTION\"");
    k->plugin = strdup(text);
    if (!k->plugin) return pn_plan_no_memory(v);
    s->plugins++;
    if (!pn_value_get(v, "unit", &unit)) return 1;
    if (!pn_value_string(&unit, &text)) return 0;
    if (strlen(text) >= sizeof k->unit) return pn_value_fail(&unit, "expected at most 63 bytes");
    snprintf(k->unit, sizeof k->unit, "%s", text);
    return 1;
}

static int read_kept(const pn_json_value *v, pinion_sweep *s, pn_kept *k)
{
    static const char *const keys[] = {"name",  "column", "take",   "within", "frame",
                                       "target", "plugin", "unit",   NULL};
    pn_json_value name, take, within;
    const char *text = NULL;
    int way = 0;
    k->line = pn_value_line(v);
    if (!pn_value_object(v, keys) || !pn_value_need(v, "name", &name) || !pn_value_string(&name, &text))
        return 0;
    if (!*text || strlen(text) >= PN_SWEEP_NAME) return pn_value_fail(&name, "expected 1 to 199 bytes");
    for (int i = 0; i < s->kept_count; i++)
        if (strcmp(s->kept[i].name, text) == 0) return pn_value_fail(&name, "is that of keep[%d], too", i);
    k->name = strdup(text);
    if (!k->name) return pn_plan_no_memory(v);
    if (pn_value_get(v, "plugin", &take)) return read_plugin(v, s, k);
    if (pn_value_get(v, "unit", &take)) return pn_value_fail(&take, "is of \"plugin\"; columns have their own");
    /* a run of one row has one value */
    const int single = s->run.command == PN_PLAN_EVAL || s->run.command == PN_PLAN_LINEARIZE;
    way = PN_TAKE_FINAL;
    if (!single && !pn_value_need(v, "take", &take)) return 0;
    if (pn_value_get(v, "take", &take) &&
        !pn_value_choice(&take, takes, "initial, final, min, max, peak, mean, rms, integral or settling",
                         &way))
        return 0;
    k->take = (pn_take)way;
    if (pn_value_get(v, "within", &within) != (k->take == PN_TAKE_SETTLING))
        return pn_value_fail(v, "\"settling\" and \"within\" go together");
    return pn_get_magnitude(v, "within", &k->within) && read_source(v, s, k);
}

int pn_plan_read_keep(const pn_json_value *v, pinion_sweep *s)
{
    pn_json_value element = {0};
    if (!pn_value_array(v, "numbers to keep")) return 0;
    if (json_array_size(v->json) > PN_SWEEP_MANY)
        return pn_value_fail(v, "more than %d numbers to keep", PN_SWEEP_MANY);
    s->kept = calloc(json_array_size(v->json) + 1, sizeof *s->kept);
    if (!s->kept) return pn_plan_no_memory(v);
    while (pn_value_next(v, &element)) {
        pn_kept *k = &s->kept[s->kept_count];
        const int fine = read_kept(&element, s, k);
        s->kept_count++;
        if (!fine) return 0;
    }
    return 1;
}

/* ------------------------------------------------------------------------------------------------
 * Columns */

/* Several columns have one number where their order does not matter. */
static int takes_many(pn_take take)
{
    return take == PN_TAKE_MIN || take == PN_TAKE_MAX || take == PN_TAKE_PEAK || take == PN_TAKE_SETTLING;
}

static int find_columns(const pinion_sweep *s, pn_kept *k, pinion_error *err)
{
    char position[400];
    const char *pattern = k->column ? k->column : position;
    snprintf(position, sizeof position, "frame.%.300s.position.", k->frame ? k->frame : "");
    k->columns = calloc((size_t)s->column_count + 1, sizeof *k->columns);
    if (!k->columns) return pn_error_set(err, PINION_ERR_MEMORY, NULL, 0, 0, "out of memory"), 0;
    for (int i = 0; i < s->column_count; i++) {
        const char *name = s->columns[i].name;
        const int meant = k->column ? strcmp(name, pattern) == 0 || fnmatch(pattern, name, 0) == 0
                                    : strncmp(name, pattern, strlen(pattern)) == 0;
        if (meant) k->columns[k->count++] = i;
    }
    if (k->count == 0) {
        pn_error_set(err, PINION_ERR_NOT_FOUND, s->file, k->line, 0,
                     "keep \"%.60s\": a run has no column \"%.60s\" (docs/results.md)", k->name, pattern);
        return 0;
    }
    if (k->column && k->count > 1 && !takes_many(k->take)) {
        pn_error_set(err, PINION_ERR_ARGUMENT, s->file, k->line, 0,
                     "keep \"%.60s\": \"%s\" is of one column, and \"%.60s\" means %d: min, max, peak and "
                     "settling take "
                     "several",
                     k->name, takes[k->take], pattern, k->count);
        return 0;
    }
    const char *unit = s->columns[k->columns[0]].unit;
    for (int i = 1; i < k->count; i++)
        if (strcmp(unit, s->columns[k->columns[i]].unit) != 0) unit = "";
    if (k->take == PN_TAKE_SETTLING) unit = "s";
    snprintf(k->unit, sizeof k->unit, k->take == PN_TAKE_INTEGRAL && *unit ? "%.60s s" : "%.60s", unit);
    return 1;
}

int pn_plan_find_columns(pinion_sweep *s, pinion_error *err)
{
    for (int i = 0; i < s->kept_count; i++)
        if (!s->kept[i].plugin && !find_columns(s, &s->kept[i], err)) return 0;
    return 1;
}

void pn_plan_keep_free(pinion_sweep *s)
{
    pn_plan_plugins_free(s);
    for (int i = 0; i < s->kept_count; i++) {
        free(s->kept[i].name);
        free(s->kept[i].column);
        free(s->kept[i].frame);
        free(s->kept[i].columns);
    }
    free(s->kept);
    for (int i = 0; i < s->column_count; i++) {
        free((char *)s->columns[i].name);
        free((char *)s->columns[i].unit);
    }
    free(s->columns);
}
