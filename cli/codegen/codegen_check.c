/* pinion codegen --check: the code compiled by the system's compiler, loaded, and held against the library. */
#ifdef PINION_TRACE

#include "cli/args/temporary.h"
#include "cli/codegen/codegen_command.h"
#include "cli/print/print_text.h"
#include "src/base/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A state, and room for the results with the generated code and without. */
typedef struct bed {
    const pinion_model *m;
    pinion_work *with, *without;
    double *q, *v, *x, *f_ext; /* x: accelerations or forces. f_ext is NULL where the code takes none */
    double *got, *expected;
    size_t room;
} bed;

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static int make_bed(bed *b, const pinion_model *m, const pinion_compiled *code, int f_ext)
{
    size_t nq = (size_t)pinion_model_nq(m), nv = (size_t)pinion_model_nv(m),
           frames = (size_t)pinion_model_frame_count(m), bodies = (size_t)pinion_model_body_count(m);
    b->m = m;
    b->room = larger(larger(nv * nv, 6 * nv), 12 * frames) + 1;
    b->with = pinion_work_new(m);
    b->without = pinion_work_new(m);
    b->q = calloc(nq + 1, sizeof(double));
    b->v = calloc(nv + 1, sizeof(double));
    b->x = calloc(nv + 1, sizeof(double));
    b->f_ext = f_ext ? calloc(6 * bodies + 1, sizeof(double)) : NULL;
    b->got = calloc(b->room, sizeof(double));
    b->expected = calloc(b->room, sizeof(double));
    return b->with && b->without && b->q && b->v && b->x && (b->f_ext || !f_ext) && b->got && b->expected &&
           pinion_work_use(b->with, code) == PINION_OK;
}

static void free_bed(bed *b)
{
    pinion_work_free(b->with);
    pinion_work_free(b->without);
    free(b->q);
    free(b->v);
    free(b->x);
    free(b->f_ext);
    free(b->got);
    free(b->expected);
}

static pinion_status draw(bed *b, uint64_t seed)
{
    uint64_t state = seed;
    for (int i = 0; i < pinion_model_nv(b->m); i++) {
        b->v[i] = pn_random_signed(&state);
        b->x[i] = 10 * pn_random_signed(&state);
    }
    for (int i = 0; b->f_ext && i < 6 * pinion_model_body_count(b->m); i++)
        b->f_ext[i] = i < 6 ? 0 : 10 * pn_random_signed(&state); /* none on the base */
    return pinion_random(b->m, seed, b->q);
}

/* ------------------------------------------------------------------------------------------------ */

/* A call of the library that has generated code behind it. */
typedef struct call {
    const char *quantity;
    pinion_status (*run)(const bed *b, pinion_work *w, int frame, double *out);
    size_t (*size)(const pinion_model *m);
} call;

static size_t size_of_v(const pinion_model *m)
{
    return (size_t)pinion_model_nv(m);
}

static size_t size_of_matrix(const pinion_model *m)
{
    return size_of_v(m) * size_of_v(m);
}

static size_t size_of_jacobian(const pinion_model *m)
{
    return 6 * size_of_v(m);
}

static size_t size_of_frames(const pinion_model *m)
{
    return 12 * (size_t)pinion_model_frame_count(m);
}

static pinion_status run_inverse_dynamics(const bed *b, pinion_work *w, int frame, double *out)
{
    (void)frame;
    return pinion_inverse_dynamics(b->m, w, b->q, b->v, b->x, b->f_ext, out);
}

static pinion_status run_gravity(const bed *b, pinion_work *w, int frame, double *out)
{
    (void)frame;
    return pinion_gravity(b->m, w, b->q, out);
}

static pinion_status run_bias(const bed *b, pinion_work *w, int frame, double *out)
{
    (void)frame;
    return pinion_bias(b->m, w, b->q, b->v, out);
}

static pinion_status run_mass_matrix(const bed *b, pinion_work *w, int frame, double *out)
{
    (void)frame;
    return pinion_mass_matrix(b->m, w, b->q, out);
}

static pinion_status run_forward_dynamics(const bed *b, pinion_work *w, int frame, double *out)
{
    (void)frame;
    return pinion_forward_dynamics(b->m, w, b->q, b->v, b->x, b->f_ext, out);
}

static pinion_status run_frames(const bed *b, pinion_work *w, int frame, double *out)
{
    (void)frame;
    return pinion_frames(b->m, w, b->q, out, out + 3 * (size_t)pinion_model_frame_count(b->m));
}

static pinion_status run_jacobian(const bed *b, pinion_work *w, int frame, double *out)
{
    return pinion_jacobian(b->m, w, b->q, frame, PINION_REFERENCE_WORLD_ALIGNED, out);
}

static const call calls[] = {
    {"inverse_dynamics", run_inverse_dynamics, size_of_v}, {"gravity", run_gravity, size_of_v},
    {"bias", run_bias, size_of_v},                         {"mass_matrix", run_mass_matrix, size_of_matrix},
    {"forward_dynamics", run_forward_dynamics, size_of_v}, {"frames", run_frames, size_of_frames},
    {"jacobian", run_jacobian, size_of_jacobian},
};

/* The call behind a quantity; NULL if there is none. */
static const call *find_call(const char *name)
{
    size_t length = strcspn(name, ":");
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++)
        if (strlen(calls[i].quantity) == length && memcmp(calls[i].quantity, name, length) == 0) return &calls[i];
    return NULL;
}

/* The largest difference, relative to the largest number; NaN counts as infinite. */
static double difference(const double *x, const double *expected, size_t count)
{
    double worst = 0, scale = 0;
    for (size_t i = 0; i < count; i++) {
        double d = fabs(x[i] - expected[i]);
        if (!(d <= worst)) worst = isnan(d) ? INFINITY : d;
        scale = fmax(scale, fabs(expected[i]));
    }
    return worst == 0 ? 0 : scale == 0 ? INFINITY : worst / scale;
}

/* Fills in the worst difference of one function. */
static pinion_status compare(bed *b, checked *c)
{
    const call *fn = find_call(c->quantity);
    const char *colon = strchr(c->quantity, ':');
    int frame = colon ? pinion_model_find_frame(b->m, colon + 1) : -1;
    pinion_status status = PINION_OK;
    c->worst = fn ? 0 : -1;
    for (uint64_t s = 0; fn && s < CHECKED_STATES && status == PINION_OK; s++) {
        status = draw(b, s + 1);
        if (status == PINION_OK) status = fn->run(b, b->without, frame, b->expected);
        if (status == PINION_OK) status = fn->run(b, b->with, frame, b->got);
        if (status == PINION_OK) c->worst = fmax(c->worst, difference(b->got, b->expected, fn->size(b->m)));
    }
    return status;
}

int pn_cli_codegen_check(const generation *run, checked *entry)
{
    /* what differs by more than rounding is refused when it is loaded */
    pinion_error err = {PINION_OK, 0, 0, ""};
    pinion_compile_options options = pinion_compile_options_default();
    options.states = CHECKED_STATES;
    options.cache = "";
    pn_cli_temporary_begin();
    pinion_compiled *code = pinion_codegen_compile(run->m, &run->options, &options, &err);
    pn_cli_temporary_end();
    if (!code) {
        pn_cli_report(run->command, "--check: %s", err.message[0] ? err.message : pinion_status_text(err.status));
        return CLI_FAILED;
    }

    bed b;
    memset(&b, 0, sizeof b);
    pinion_status status = make_bed(&b, run->m, code, run->options.f_ext) ? PINION_OK : PINION_ERR_MEMORY;
    for (int i = 0; i < pinion_generated_function_count(run->g) && status == PINION_OK; i++) {
        pinion_generated_function f;
        status = pinion_generated_function_info(run->g, i, &f);
        if (status != PINION_OK) break;
        entry[i].quantity = f.quantity;
        status = compare(&b, &entry[i]);
        if (status != PINION_OK) pn_cli_report(run->command, "--check: %s: %s", f.quantity, pinion_status_text(status));
    }
    free_bed(&b);
    pinion_compiled_free(code);
    return status == PINION_OK ? CLI_DONE : CLI_FAILED;
}

#else
typedef int pn_cli_nothing_checked; /* a file of C has at least one declaration */
#endif
