/* Plans of sweeps from their files. */
#define _POSIX_C_SOURCE 200809L
#include "sweep/plan/sweep_plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/hash.h"
#include "sweep/run/lanes.h"
#include "sweep/run/worker.h"
#include "sweep/store/journal.h"

#define PLAN_MAX ((size_t)16 << 20)  /* bytes of a plan */
#define FILE_MAX ((size_t)256 << 20) /* and of a file that it names */
#define COUNT_MAX 1e15               /* runs */
#define EXACT 9007199254740992.0     /* the largest whole number a plan may have: 2^53 */

static int no_memory(pinion_error *err)
{
    pn_error_set(err, PINION_ERR_MEMORY, NULL, 0, 0, "out of memory");
    return 0;
}

/* A whole number of a key. */
static int get_whole(const pn_json_value *top, const char *key, double least, uint64_t *out)
{
    pn_json_value v;
    double x = 0;
    if (!pn_value_get(top, key, &v)) return 1;
    if (!pn_value_number(&v, &x)) return 0;
    if (!(x >= least && x <= EXACT && x == floor(x)))
        return pn_value_fail(&v, "expected a whole number from %d to 2^53 = 9007199254740992", (int)least);
    *out = (uint64_t)x;
    return 1;
}

/* ------------------------------------------------------------------------------------------------
 * The model */

static int read_load(const pn_json_value *top, pinion_load_options *o)
{
    static const char *const keys[] = {"root", "mimic", "gravity", "strict", NULL},
                             *const roots[] = {"fixed", "free", NULL},
                             *const mimics[] = {"follow", "independent", NULL};
    pn_json_value v, key;
    int root = -1, mimic = -1;
    *o = pinion_load_options_default();
    if (!pn_value_get(top, "load", &v)) return 1;
    if (!pn_value_object(&v, keys)) return 0;
    if (pn_value_get(&v, "root", &key) && !pn_value_choice(&key, roots, "\"fixed\" or \"free\"", &root))
        return 0;
    if (pn_value_get(&v, "mimic", &key) &&
        !pn_value_choice(&key, mimics, "\"follow\" or \"independent\"", &mimic))
        return 0;
    if (root >= 0) o->root = root ? PINION_ROOT_FREE : PINION_ROOT_FIXED;
    if (mimic == 1) o->mimic = PINION_MIMIC_INDEPENDENT;
    o->set_gravity = pn_value_get(&v, "gravity", &key);
    return pn_get_numbers(&v, "gravity", 3, o->gravity) && pn_get_boolean(&v, "strict", &o->strict);
}

static int read_model(const pn_json_value *top, pinion_sweep *s, pinion_error *err)
{
    pn_json_value v;
    const char *name = NULL;
    pinion_error why = {PINION_OK, 0, 0, ""};
    if (!pn_value_need(top, "model", &v) || !pn_value_string(&v, &name) || !read_load(top, &s->load))
        return 0;
    char *path = pn_plan_path(s, name);
    if (!path) return no_memory(err);
    s->model = s->model_json ? pn_plan_model_again(s->model_json, path, s->nq, &s->load, &why)
                             : pinion_load(path, &s->load, &why);
    free(path);
    if (!s->model && why.status == PINION_ERR_MEMORY) return no_memory(err);
    if (!s->model) return pn_value_fail(&v, "%s", why.message);
    s->nq = pinion_model_nq(s->model);
    s->nv = pinion_model_nv(s->model);
    if (!s->model_json) s->model_json = pinion_save_string(s->model, PINION_FORMAT_JSON, &why);
    if (!s->model_json && why.status == PINION_ERR_MEMORY) return no_memory(err);
    return s->model_json ? 1 : pn_value_fail(&v, "%s", why.message);
}

/* ------------------------------------------------------------------------------------------------
 * Samples */

static int find_parameter(const pn_json_value *v, const pinion_sweep *s, int *dimension)
{
    const char *name = NULL;
    if (!pn_value_string(v, &name)) return 0;
    for (int i = 0; i < s->parameter_count; i++) {
        if (strcmp(s->parameters[i].name, name) != 0) continue;
        *dimension = s->parameters[i].dimension;
        return *dimension >= 0 || pn_value_fail(v, "\"%.60s\" is not sampled", name);
    }
    return pn_value_fail(v, "nothing that varies is named \"%.60s\"", name);
}

/* [["load", "rubs", 0.5], ...] as a matrix. */
static int read_correlations(const pn_json_value *v, const pinion_sweep *s, double *matrix, unsigned char *given)
{
    pn_json_value element = {0};
    const size_t n = (size_t)s->dimensions;
    for (size_t i = 0; i < n; i++) matrix[i * n + i] = 1;
    if (!pn_value_array(v, "correlations")) return 0;
    while (pn_value_next(v, &element)) {
        int a = 0, b = 0;
        double x = 0;
        if (!pn_value_array_of(&element, 3, "[NAME, NAME, correlation]")) return 0;
        const pn_json_value first = pn_value_at(&element, 0), second = pn_value_at(&element, 1),
                            number = pn_value_at(&element, 2);
        if (!find_parameter(&first, s, &a) || !find_parameter(&second, s, &b) ||
            !pn_value_number(&number, &x))
            return 0;
        if (a == b) return pn_value_fail(&element, "a parameter with itself");
        if (given[(size_t)a * n + (size_t)b]) return pn_value_fail(&element, "is there twice");
        given[(size_t)a * n + (size_t)b] = given[(size_t)b * n + (size_t)a] = 1;
        if (!(x > -1 && x < 1)) return pn_value_fail(&number, "is not between -1 and 1");
        matrix[(size_t)a * n + (size_t)b] = matrix[(size_t)b * n + (size_t)a] = x;
    }
    return 1;
}

/* The sampler of what is sampled. */
static int make_sampler(const pn_json_value *top, pinion_sweep *s, pn_sampler_options *o, pinion_error *err)
{
    const size_t n = (size_t)s->dimensions;
    pn_json_value v;
    pinion_error why = {PINION_OK, 0, 0, ""};
    pn_distribution *distributions = calloc(n + 1, sizeof *distributions);
    const char **names = calloc(n + 1, sizeof *names);
    double *matrix = calloc(n * n + 1, sizeof *matrix);
    unsigned char *given = calloc(n * n + 1, 1);
    int fine = distributions && names && matrix && given ? 1 : no_memory(err);
    for (size_t i = 0; i < n && fine; i++) {
        distributions[i] = s->parameters[s->by_dimension[i]].distribution;
        names[i] = s->parameters[s->by_dimension[i]].name;
    }
    if (fine && pn_value_get(top, "correlations", &v)) {
        fine = read_correlations(&v, s, matrix, given);
        o->correlations = matrix;
    }
    o->dimensions = s->dimensions;
    o->distributions = distributions;
    o->names = names;
    if (fine) s->sampler = pn_sampler_new(o, &why);
    if (fine && !s->sampler && why.status == PINION_ERR_MEMORY) {
        fine = no_memory(err);
    } else if (fine && !s->sampler) {
        const int of_pairs = o->correlations && strstr(why.message, "correlations");
        if (!pn_value_get(top, of_pairs ? "correlations" : "sampling", &v)) v = *top;
        fine = pn_value_fail(&v, "%s", why.message);
    }
    free(distributions);
    free(names);
    free(matrix);
    free(given);
    return fine;
}

static int read_samples(const pn_json_value *top, pinion_sweep *s, pinion_error *err)
{
    static const char *const words[] = {"random", "latin", "sobol", "halton", NULL};
    pn_sampler_options o = {.count = 1};
    pn_json_value v;
    int sampling = 0;
    if (pn_value_get(top, "sampling", &v) &&
        !pn_value_choice(&v, words, "\"random\", \"latin\", \"sobol\" or \"halton\"", &sampling))
        return 0;
    if (!get_whole(top, "count", 1, &o.count) || !get_whole(top, "seed", 0, &s->seed) ||
        !pn_get_boolean(top, "indices", &o.indices))
        return 0;
    o.sampling = (pn_sampling)sampling;
    s->indices = o.indices;
    o.seed = s->seed;
    static const char *const sampled[] = {"sampling", "correlations", "indices"};
    for (int i = 0; i < 3; i++)
        if (s->dimensions == 0 && pn_value_get(top, sampled[i], &v))
            return pn_value_fail(&v, "has no use: nothing that varies is sampled");
    if (s->dimensions > 0 && !pn_value_get(top, "count", &v))
        return pn_value_fail(top, "\"count\" is missing: how many samples there are");
    if (o.indices && pn_value_get(top, "correlations", &v))
        return pn_value_fail(&v, "indices of parameters that depend on each other mean nothing");
    s->samples = o.count;
    if (s->dimensions > 0 && !make_sampler(top, s, &o, err)) return 0;
    if (s->sampler) s->samples = pn_sampler_count(s->sampler);
    if ((double)s->samples * (double)s->points > COUNT_MAX)
        return pn_value_fail(top, "it has more than 1e15 runs");
    return 1;
}

/* "none", "all", "failed", or of every so many runs. */
static int read_trajectories(const pn_json_value *top, pinion_sweep *s)
{
    static const char *const words[] = {"none", "all", "failed", NULL};
    pn_json_value v;
    int choice = 0;
    if (!pn_value_get(top, "trajectories", &v)) return 1;
    if (json_is_number(v.json)) {
        s->rows = PN_ROWS_SOME;
        return get_whole(top, "trajectories", 1, &s->every);
    }
    if (!pn_value_choice(&v, words, "\"none\", \"all\", \"failed\" or a number", &choice)) return 0;
    s->rows = (pn_keep_rows)choice;
    return 1;
}

/* ------------------------------------------------------------------------------------------------ */

/* Whether a message is of a key of the run: it begins with its name, or it names its file. */
static int is_of(const char *message, const pn_json_value *run, const char *key, pn_json_value *v)
{
    const size_t length = strlen(key);
    if (!pn_value_get(run, key, v)) return 0;
    if (strncmp(message, key, length) == 0 && strncmp(message + length, ": ", 2) == 0) return 1;
    return json_is_string(v->json) && strchr(json_string_value(v->json), '.') &&
           strstr(message, json_string_value(v->json)) != NULL;
}

/* Says at the line of the key that is meant, or else of the run, why it cannot start. */
static int tell_start(const pinion_sweep *s, const pinion_error *why, pinion_error *err)
{
    static const char *const keys[] = {"trajectory", "forces", "sensors", "tasks", "duration", "step", "output_step"};
    json_t *json = pn_json_parse(s->text, strlen(s->text), s->file, err);
    if (!json) return 0;
    const pn_json_file file = {.text = s->text, .name = s->file, .err = err};
    const pn_json_value top = {.file = &file, .json = json};
    pn_json_value run, v;
    if (pn_value_need(&top, "run", &run)) {
        int of = 0;
        for (size_t i = 0; i < sizeof keys / sizeof *keys && !of; i++)
            if (is_of(why->message, &run, keys[i], &v)) of = (int)i + 1;
        const char *key = of ? keys[of - 1] : NULL, *said = why->message;
        if (key && strncmp(said, key, strlen(key)) == 0) said += strlen(key) + strlen(": ");
        if (key)
            pn_value_fail(&v, "%s", said);
        else
            pn_value_fail(&run, "cannot start with what the plan has before it varies: %s", said);
        if (err) err->status = why->status;
    }
    json_decref(json);
    return 0;
}

/* Tells that the loops do not close with what "q0" or "v0" names, as pinion sim does; 0: out of memory. */
static int note_start(pinion_sweep *s, const pinion_start_info *start, pinion_error *err)
{
    const pinion_start_change *change[2] = {&start->position, &start->velocity};
    static const char *const keys[] = {"q0", "v0"};
    if (pinion_model_loop_count(s->model) == 0 || s->run.equilibrium) return 1;
    if (start->position.kept && start->velocity.kept) return 1;
    json_t *json = pn_json_parse(s->text, strlen(s->text), s->file, err);
    if (!json) return 0;
    const pn_json_file file = {.text = s->text, .name = s->file, .err = err};
    const pn_json_value top = {.file = &file, .json = json};
    pn_json_value run, v;
    int fine = 1;
    for (int k = 0; k < 2 && fine && pn_value_get(&top, "run", &run); k++) {
        char name[400];
        if (change[k]->kept || !pn_value_get(&run, keys[k], &v)) continue;
        s->run.loose[k] = 1;
        fine = pn_plan_note(s, pn_value_line(&v),
                            "%s: the loops cannot %s with what it gives; runs begin near it, %.100s off by %.4g",
                            keys[k], k ? "keep closed" : "be closed",
                            pinion_coordinate_name(s->model, "v", change[k]->most, name, sizeof name) + 2,
                            change[k]->change) ||
               no_memory(err);
    }
    json_decref(json);
    return fine;
}

/* The columns of a run without anything varied, which must be able to start. */
static int find_columns(pinion_sweep *s, pinion_error *err)
{
    pinion_error why = {PINION_OK, 0, 0, ""};
    pinion_sweep_worker *w = pinion_sweep_worker_new(s, err);
    if (!w) return 0;
    pinion_result *r = pn_worker_columns(w, &why);
    const pinion_start_info start = w->start;
    pinion_sweep_worker_free(w);
    if (!r) return tell_start(s, &why, err);
    if (!note_start(s, &start, err)) {
        pinion_result_free(r);
        return 0;
    }
    const int count = pinion_result_column_count(r);
    s->columns = calloc((size_t)count + 1, sizeof *s->columns);
    int fine = s->columns != NULL;
    for (int i = 0; i < count && fine; i++) {
        pinion_column c;
        fine = pinion_result_column(r, i, &c) == PINION_OK;
        if (!fine) break;
        s->columns[i] = (pinion_column){strdup(c.name), strdup(c.unit)};
        s->column_count++;
        fine = s->columns[i].name && s->columns[i].unit;
    }
    pinion_result_free(r);
    return fine ? pn_plan_find_columns(s, err) : no_memory(err);
}

#define HALF                                                                                                 \
    32 /* digits of the identity that are of the plan and the model; the others are of files that they name  \
        */

/* line: where the plan names it. */
static int add_file(const pinion_sweep *s, pn_sha256_sum *sum, const char *path, int line, pinion_error *err)
{
    size_t size = 0;
    pinion_error why = {PINION_OK, 0, 0, ""};
    if (!path) return 1;
    char *text = pn_file_read(path, FILE_MAX, "a file of a plan", &size, &why);
    if (!text) return pn_error_set(err, why.status, s->file, line, 0, "%s", why.message), 0;
    pn_sha256_add(sum, &size, sizeof size);
    pn_sha256_add(sum, text, size);
    free(text);
    return 1;
}

/* A hash of all that a run's numbers depend on. */
static void identify(pinion_sweep *s)
{
    pn_sha256_sum sum;
    const char *version = pinion_version();
    pn_sha256_begin(&sum);
    pn_sha256_add(&sum, version, strlen(version) + 1);
    pn_sha256_add(&sum, s->text, strlen(s->text) + 1);
    pn_sha256_add(&sum, s->model_json, strlen(s->model_json) + 1);
    pn_sha256_end(&sum, s->identity);
}

static int identify_files(pinion_sweep *s, pinion_error *err)
{
    pn_sha256_sum sum;
    char hash[65];
    const pn_plan_run *r = &s->run;
    pn_sha256_begin(&sum);
    pn_sha256_add(&sum, s->isa, sizeof s->isa);
    int fine = add_file(s, &sum, r->trajectory, 0, err) && add_file(s, &sum, r->forces, 0, err) &&
               add_file(s, &sum, r->sensors, 0, err) && add_file(s, &sum, r->tasks, 0, err);
    for (int i = 0; i < s->parameter_count; i++) {
        const pn_parameter *p = &s->parameters[i];
        for (uint64_t k = 0; k < p->values && p->what == PN_VARY_TRAJECTORY && fine; k++) {
            char *path = pn_plan_path(s, p->words[k]);
            fine = path ? add_file(s, &sum, path, p->line, err) : no_memory(err);
            free(path);
        }
    }
    for (int i = 0; i < s->kept_count && fine; i++) {
        if (!s->kept[i].plugin) continue;
        char *path = pn_plan_plugin_path(s, &s->kept[i]);
        fine = path ? add_file(s, &sum, path, s->kept[i].line, err) : no_memory(err);
        free(path);
    }
    pn_sha256_end(&sum, hash);
    memcpy(s->identity + HALF, hash, HALF);
    return fine;
}

/* Who makes the runs, and with what. Kernels of another instruction set round in another way. */
static int read_engine(const pn_json_value *top, pinion_sweep *s)
{
    static const char *const engines[] = {"sim", "rollout", NULL}, *const precisions[] = {"double", NULL};
    pn_json_value v;
    const char *wanted = NULL;
    int engine = 0, precision = 0;
    if (!*s->isa) { /* a plan in a part says with what its runs were made */
        pinion_batch *b = pinion_batch_new(s->model, 1);
        if (!b) return pn_plan_no_memory(top);
        snprintf(s->isa, sizeof s->isa, "%s", pinion_batch_isa(b));
        pinion_batch_free(b);
    }
    if (pn_value_get(top, "instructions", &v) && !pn_value_string(&v, &wanted)) return 0;
    if (wanted && strcmp(wanted, s->isa) != 0)
        return pn_value_fail(&v, "this machine computes with \"%s\"", s->isa);
    if (pn_value_get(top, "precision", &v) &&
        !pn_value_choice(&v, precisions, "\"double\", in which all runs are made", &precision))
        return 0;
    if (pn_value_get(top, "engine", &v) && !pn_value_choice(&v, engines, "\"sim\" or \"rollout\"", &engine))
        return 0;
    return !engine || pn_plan_check_lanes(top, s);
}

static int read_plan(const pn_json_value *top, pinion_sweep *s, pinion_error *err)
{
    static const char *const keys[] = {"model", "load",         "run",     "vary", "count",        "sampling",
                                       "seed",  "correlations", "indices", "keep", "trajectories",
                                       "stop",  "statistics",   "engine",  "instructions", "precision", NULL};
    pn_json_value v;
    if (!pn_value_object(top, keys) || !read_model(top, s, err)) return 0;
    if (!pn_value_need(top, "run", &v) || !pn_plan_read_run(&v, s)) return 0;
    s->points = 1;
    if (pn_value_get(top, "vary", &v) && !pn_plan_read_vary(&v, s)) return 0;
    if (s->run.command == PN_PLAN_SIM && pn_value_get(top, "run", &v) && !pn_plan_settle_gains(&v, s)) return 0;
    if (!read_samples(top, s, err) || !read_engine(top, s)) return 0;
    if (pn_value_get(top, "keep", &v) && !pn_plan_read_keep(&v, s)) return 0;
    if (pn_value_get(top, "stop", &v) && !pn_plan_read_stop(&v, s)) return 0;
    s->statistics = 1;
    if (!pn_plan_check_conflicts(top, s) || !pn_plan_find_notes(top, s)) return 0;
    return pn_get_boolean(top, "statistics", &s->statistics) && read_trajectories(top, s);
}

/* The plan in `text`; `s` has what is known already. */
static int read_text(pinion_sweep *s, const char *text, size_t size, const char *name, const char *folder,
                     pinion_error *err)
{
    s->file = strdup(name ? name : "<string>");
    s->folder = folder ? strdup(folder) : NULL;
    s->text = malloc(size + 1);
    if (!s->file || !s->text || (folder && !s->folder)) return no_memory(err);
    memcpy(s->text, text, size);
    s->text[size] = '\0';
    json_t *json = pn_json_parse(s->text, size, s->file, err);
    if (!json) return 0;
    const pn_json_file file = {.text = s->text, .name = s->file, .err = err};
    const pn_json_value top = {.file = &file, .json = json};
    const int fine = read_plan(&top, s, err);
    json_decref(json);
    return fine;
}

pinion_sweep *pinion_sweep_load_string(const char *text, size_t size, const char *name, const char *folder,
                                       pinion_error *err)
{
    pinion_sweep *s = text ? calloc(1, sizeof *s) : NULL;
    if (!s) {
        pn_error_set(err, text ? PINION_ERR_MEMORY : PINION_ERR_ARGUMENT, NULL, 0, 0,
                     text ? "out of memory" : "the text is missing");
        return NULL;
    }
    int fine = read_text(s, text, size, name, folder, err) && find_columns(s, err);
    if (fine) {
        identify(s);
        fine = identify_files(s, err);
    }
    if (fine) return s;
    pinion_sweep_free(s);
    return NULL;
}

/* Columns from their names and units. */
static int take_columns(pinion_sweep *s, const pn_journal_reader *j)
{
    const char *at = j->names;
    s->columns = calloc((size_t)j->columns + 1, sizeof *s->columns);
    for (uint32_t i = 0; s->columns && i < j->columns; i++) {
        const char *unit = at + strlen(at) + 1;
        s->columns[i] = (pinion_column){strdup(at), strdup(unit)};
        s->column_count++;
        if (!s->columns[i].name || !s->columns[i].unit) return 0;
        s->nq += strncmp(at, "q.", 2) == 0;
        at = unit + strlen(unit) + 1;
    }
    return s->columns != NULL;
}

pinion_sweep *pn_sweep_of_journal(const pn_journal_reader *j, pinion_error *err)
{
    pinion_sweep *s = calloc(1, sizeof *s);
    int fine = s ? 1 : no_memory(err);
    if (fine) {
        s->model_json = strdup(j->model);
        memcpy(s->isa, j->isa, sizeof s->isa);
        fine = s->model_json && take_columns(s, j) ? 1 : no_memory(err);
    }
    fine = fine && read_text(s, j->plan, strlen(j->plan), j->path, NULL, err) && pn_plan_find_columns(s, err);
    if (fine) identify(s);
    if (fine && strncmp(s->identity, j->identity, HALF) == 0 && (uint32_t)s->kept_count == j->scalars)
        return s;
    if (fine)
        pn_error_set(err, PINION_ERR_UNSUPPORTED, j->path, 0, 0,
                     "was written by another version, or is damaged");
    pinion_sweep_free(s);
    return NULL;
}

pinion_sweep *pinion_sweep_load(const char *path, pinion_error *err)
{
    size_t size = 0;
    if (!path) {
        pn_error_set(err, PINION_ERR_ARGUMENT, NULL, 0, 0, "the path is missing");
        return NULL;
    }
    char *text = pn_file_read(path, PLAN_MAX, "a plan", &size, err), *folder = strdup(path);
    if (text && !folder) no_memory(err);
    pinion_sweep *s = NULL;
    if (text && folder) {
        char *slash = strrchr(folder, '/');
        if (slash) *(slash == folder ? slash + 1 : slash) = '\0';
        s = pinion_sweep_load_string(text, size, path, slash ? folder : NULL, err);
    }
    free(text);
    free(folder);
    return s;
}

void pinion_sweep_free(pinion_sweep *s)
{
    if (!s) return;
    pn_plan_run_free(&s->run);
    pn_plan_vary_free(s);
    pn_plan_keep_free(s);
    for (int i = 0; i < s->note_count; i++) free(s->notes[i]);
    free(s->notes);
    pn_sampler_free(s->sampler);
    json_decref(s->model_tree);
    pinion_model_free(s->model);
    pinion_free(s->model_json);
    free(s->text);
    free(s->file);
    free(s->folder);
    free(s);
}

/* ------------------------------------------------------------------------------------------------
 * What it has */

uint64_t pinion_sweep_count(const pinion_sweep *s)
{
    return s ? s->points * s->samples : 0;
}

const pinion_model *pinion_sweep_model(const pinion_sweep *s)
{
    return s ? s->model : NULL;
}

int pinion_sweep_parameter_count(const pinion_sweep *s)
{
    return s ? s->parameter_count : 0;
}

pinion_status pinion_sweep_parameter(const pinion_sweep *s, int index, pinion_sweep_number *out)
{
    if (!s || !out || index < 0 || index >= s->parameter_count) return PINION_ERR_ARGUMENT;
    const pn_parameter *p = &s->parameters[index];
    *out =
        (pinion_sweep_number){p->name, p->unit, (const char *const *)p->words, p->words ? (int)p->values : 0};
    return PINION_OK;
}

int pinion_sweep_scalar_count(const pinion_sweep *s)
{
    return s ? s->kept_count : 0;
}

pinion_status pinion_sweep_scalar(const pinion_sweep *s, int index, pinion_sweep_number *out)
{
    if (!s || !out || index < 0 || index >= s->kept_count) return PINION_ERR_ARGUMENT;
    *out = (pinion_sweep_number){s->kept[index].name, s->kept[index].unit, NULL, 0};
    return PINION_OK;
}

int pinion_sweep_column_count(const pinion_sweep *s)
{
    return s ? s->column_count : 0;
}

pinion_status pinion_sweep_column(const pinion_sweep *s, int index, pinion_column *out)
{
    if (!s || !out || index < 0 || index >= s->column_count) return PINION_ERR_ARGUMENT;
    *out = s->columns[index];
    return PINION_OK;
}

pinion_status pinion_sweep_parameters(const pinion_sweep *s, uint64_t run, double *x)
{
    if (!s || !x || run >= pinion_sweep_count(s)) return PINION_ERR_ARGUMENT;
    double sample[PN_SAMPLER_MOST];
    uint64_t point = run / s->samples;
    if (s->sampler) pn_sampler_values(s->sampler, run % s->samples, sample);
    for (int i = s->parameter_count - 1; i >= 0; i--) { /* the last list or grid is the fastest */
        const pn_parameter *p = &s->parameters[i];
        const uint64_t k = p->axis_number >= 0 ? point % p->values : 0;
        if (p->axis_number >= 0) point /= p->values;
        x[i] = p->dimension >= 0 ? sample[p->dimension]
               : p->words        ? (double)k
               : p->list         ? p->list[k]
                                 : pn_grid_value(p->low, p->high, p->values, k, p->logarithmic);
    }
    return PINION_OK;
}
