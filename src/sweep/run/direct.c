/* Runs that integrate nothing. `id` has a row for each instant of a motion, `eval` and `linearize` one row. */
#include "sweep/run/direct.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "pinion/sim/linearize.h"

#define ROWS 100      /* intervals of a motion that does not say */
#define ROWS_MAX 1e8  /* rows of a run */
#define NAME_MAX 1000 /* bytes of a column's name */

enum { MODE = 4 };       /* numbers of an eigenvalue */
enum { WATCHED = 1024 }; /* rows between two looks at a run that is watched */
static const pinion_column modes[MODE] = {{"real", "1/s"}, {"imag", "1/s"}, {"frequency", "Hz"}, {"damping", ""}};

/* What a run of these needs while it is made. */
typedef struct direct {
    pinion_sweep_worker *w;
    pinion_result *table; /* NULL: rows go to the worker */
    pinion_elements *elements;
    double *row, *q, *v, *a, *tau, *frames; /* in the row, but for tau of eval */
    double *passive;
    pinion_error *err;
} direct;

static pinion_status no_memory(pinion_error *err)
{
    return pn_error_set(err, PINION_ERR_MEMORY, NULL, 0, 0, "out of memory");
}

/* ------------------------------------------------------------------------------------------------
 * Columns */

static pinion_status add(pinion_result *table, const char *name, const char *unit)
{
    return pinion_result_add_column(table, name, unit);
}

static pinion_status add_coordinates(pinion_result *table, const pinion_model *m, const char *what, int count)
{
    char name[NAME_MAX];
    pinion_status status = PINION_OK;
    for (int i = 0; i < count && status == PINION_OK; i++)
        status = add(table, pinion_coordinate_name(m, what, i, name, sizeof name), pinion_coordinate_unit(m, what, i));
    return status;
}

pinion_status pn_worker_frame_columns(const pinion_sweep_worker *w, pinion_result *table)
{
    pinion_status status = PINION_OK;
    for (int i = 0; i < 3 * w->s->run.frame_count && status == PINION_OK; i++) {
        char name[NAME_MAX];
        pinion_frame_info frame;
        status = pinion_model_frame(w->m, w->s->run.frames[i / 3], &frame);
        if (status != PINION_OK) break;
        snprintf(name, sizeof name, "frame.%.900s.position.%d", frame.name, i % 3);
        status = add(table, name, "m");
    }
    return status;
}

/* The part of a name for place `i` of a dimension: of velocities that of the joint, else the number. */
static void append_place(char *name, size_t size, const pinion_model *m, const char *dimension, size_t i)
{
    char own[400];
    const size_t length = strlen(name);
    if (strncmp(dimension, "[nv]", 4) == 0)
        snprintf(name + length, size - length, "%s", pinion_coordinate_name(m, "v", (int)i, own, sizeof own) + 1);
    else
        snprintf(name + length, size - length, ".%d", (int)i);
}

/* "mass_matrix.shoulder.elbow", "energy.kinetic", "velocity:tip.3", "d_inverse_dynamics.dq.shoulder.elbow". */
static pinion_status add_output(pinion_result *table, const pinion_model *m, const pn_plan_quantity *quantity,
                                const pinion_quantity_info *info, int output)
{
    const char *shape = info->output[output].shape, *second = *shape ? strchr(shape + 1, '[') : NULL,
               *third = second ? strchr(second + 1, '[') : NULL;
    const int forces = strcmp(info->output[output].name, "tau") == 0, energy = strcmp(info->name, "energy") == 0,
              motion = strcmp(info->name, "forward_dynamics") == 0;
    size_t dims[3];
    const size_t size = pinion_quantity_size(m, quantity->quantity, output, dims);
    pinion_status status = PINION_OK;
    for (size_t i = 0; i < size && status == PINION_OK; i++) {
        char name[NAME_MAX];
        snprintf(name, sizeof name, "%.400s%s%s", quantity->name, info->outputs > 1 ? "." : "",
                 info->outputs > 1 ? info->output[output].name : "");
        if (*shape == '[') append_place(name, sizeof name, m, shape, i / (dims[1] * dims[2]));
        if (second) append_place(name, sizeof name, m, second, i / dims[2] % dims[1]);
        if (third) append_place(name, sizeof name, m, third, i % dims[2]);
        status = add(table, name,
                     energy                          ? "J"
                     : (forces || motion) && !second ? pinion_coordinate_unit(m, forces ? "tau" : "a", (int)i)
                                                     : "");
    }
    return status;
}

static pinion_status add_quantities(pinion_result *table, const pinion_sweep_worker *w)
{
    const pn_plan_run *r = &w->s->run;
    pinion_status status = PINION_OK;
    for (int k = 0; k < r->quantity_count && status == PINION_OK; k++) {
        pinion_quantity_info info;
        status = pinion_quantity(r->quantities[k].quantity, &info);
        for (int o = 0; o < info.outputs && status == PINION_OK; o++)
            status = add_output(table, w->m, &r->quantities[k], &info, o);
    }
    return status;
}

/* "A.0.1", "B.0.1". */
static pinion_status add_matrix(pinion_result *table, const char *name, int rows, int columns)
{
    pinion_status status = PINION_OK;
    for (int i = 0; i < rows * columns && status == PINION_OK; i++) {
        char own[60];
        snprintf(own, sizeof own, "%s.%d.%d", name, i / columns, i % columns);
        status = add(table, own, "");
    }
    return status;
}

/* The linear model at the worker's numbers, or at rest near them. */
static pinion_linear *make_linear(pinion_sweep_worker *w, pinion_error *err)
{
    pn_run_numbers *n = &w->numbers;
    if (w->s->run.equilibrium && pinion_equilibrium(w->m, n->torque, n->q, err) != PINION_OK) return NULL;
    return pinion_linearize(w->m, n->q, n->v, n->torque, err);
}

static pinion_status add_linear(pinion_result *table, pinion_sweep_worker *w, pinion_error *err)
{
    pinion_linear *l = make_linear(w, err);
    if (!l) return err->status;
    pinion_status status = PINION_OK;
    for (int i = 0; i < MODE * l->states && status == PINION_OK; i++) {
        char name[60];
        snprintf(name, sizeof name, "eigenvalue.%d.%s", i / MODE, modes[i % MODE].name);
        status = add(table, name, modes[i % MODE].unit);
    }
    if (status == PINION_OK) status = add_matrix(table, "A", l->states, l->states);
    if (status == PINION_OK) status = add_matrix(table, "B", l->states, l->inputs);
    pinion_linear_free(l);
    return status;
}

pinion_status pn_direct_columns(pinion_sweep_worker *w, pinion_result *table, pinion_error *err)
{
    const pn_plan_command command = w->s->run.command;
    pinion_status status = add(table, "t", "s");
    if (status == PINION_OK) status = add_coordinates(table, w->m, "q", w->s->nq);
    if (status == PINION_OK) status = add_coordinates(table, w->m, "v", w->s->nv);
    if (status == PINION_OK && command == PN_PLAN_ID) {
        status = add_coordinates(table, w->m, "a", w->s->nv);
        if (status == PINION_OK) status = add_coordinates(table, w->m, "tau", w->s->nv);
        if (status == PINION_OK) status = add(table, "power", "W");
    }
    if (status == PINION_OK) status = pn_worker_frame_columns(w, table);
    if (status == PINION_OK && command == PN_PLAN_EVAL) status = add_quantities(table, w);
    if (status == PINION_OK && command == PN_PLAN_LINEARIZE) status = add_linear(table, w, err);
    if (status != PINION_OK && !err->message[0])
        pn_error_set(err, status, NULL, 0, 0, "a column of the run: %s", pinion_status_text(status));
    return status;
}

/* ------------------------------------------------------------------------------------------------
 * Rows */

static pinion_status give_row(direct *d)
{
    return d->table ? pinion_result_add_row(d->table, d->row) : pn_worker_row(d->w, d->w->s->column_count, d->row);
}

/* What dampers, springs, friction and tendons give. */
static pinion_status find_passive(direct *d)
{
    pinion_sweep_worker *w = d->w;
    const pinion_status status = pinion_passive_forces(w->m, w->work, d->q, d->v, d->passive);
    if (status != PINION_OK || !d->elements) return status;
    return pinion_elements_forces(d->elements, w->work, d->q, d->v, d->passive, d->passive, d->passive, NULL);
}

pinion_status pn_worker_frames(const pinion_sweep_worker *w, pinion_work *work, const double *q, double *out)
{
    const pn_plan_run *r = &w->s->run;
    pinion_status status = PINION_OK;
    for (int i = 0; i < r->frame_count && status == PINION_OK; i++)
        status = pinion_frame_pose(w->m, work, q, r->frames[i], out + 3 * i, NULL);
    return status;
}

static pinion_status put_frames(direct *d, double *out)
{
    return pn_worker_frames(d->w, d->w->work, d->q, out);
}

static pinion_status id_row(direct *d, double t)
{
    pinion_sweep_worker *w = d->w;
    const int nv = w->s->nv;
    pinion_status status = pinion_trajectory_at(w->motion, t, d->q, d->v, d->a);
    if (status == PINION_OK) status = pinion_inverse_dynamics(w->m, w->work, d->q, d->v, d->a, NULL, d->tau);
    if (status == PINION_OK && w->s->run.sim.passive) status = find_passive(d);
    if (status != PINION_OK) return status;
    double power = 0;
    for (int i = 0; i < nv; i++) {
        d->tau[i] -= d->passive[i];
        power += d->tau[i] * d->v[i];
    }
    d->row[0] = t;
    d->tau[nv] = power;
    status = put_frames(d, d->frames);
    return status == PINION_OK ? give_row(d) : status;
}

/* At the times of the file, or at every step from the start, and at the end. */
static pinion_status id_rows(direct *d)
{
    pinion_sweep_worker *w = d->w;
    pinion_status status = pn_worker_motion(w, d->err);
    if (status != PINION_OK) return status;
    const double start = pinion_trajectory_start(w->motion), span = pinion_trajectory_end(w->motion) - start;
    int samples = 0;
    const double *times = w->s->run.output_step > 0 ? NULL : pinion_trajectory_times(w->motion, &samples),
                 step = w->s->run.output_step > 0 ? w->s->run.output_step : span / ROWS,
                 steps = times ? samples - 1 : span > 0 ? span / step : 0;
    if (!(steps < ROWS_MAX))
        return pn_error_set(d->err, PINION_ERR_ARGUMENT, NULL, 0, 0, "output_step: more than 1e8 rows");
    const size_t rows = (size_t)ceil(steps - 1e-9) + 1; /* a last step that is one but for rounding is none */
    for (size_t k = 0; k < rows && status == PINION_OK; k++)
        if (k % WATCHED == WATCHED - 1 && pn_worker_given_up(w, (double)k / (double)rows))
            status = PINION_ERR_CALLBACK;
        else
            status = id_row(d, times ? times[k] : k + 1 == rows ? start + span : start + (double)k * step);
    return status;
}

/* ------------------------------------------------------------------------------------------------ */

/* One quantity into the row; passive forces have a part in those that the page of `pinion eval` says. */
static pinion_status eval_quantity(direct *d, const pn_plan_quantity *quantity, double **at)
{
    pinion_sweep_worker *w = d->w;
    const pn_run_numbers *n = &w->numbers;
    const int passive = w->s->run.sim.passive, nv = w->s->nv;
    pinion_quantity_info info;
    pinion_status status = pinion_quantity(quantity->quantity, &info);
    if (status != PINION_OK) return status;
    const int inverse = strcmp(info.name, "inverse_dynamics") == 0;
    double *const first = *at, springs = 0;
    for (int i = 0; i < nv; i++) d->tau[i] = n->torque[i] + d->passive[i];
    pinion_quantity_call x = {.q = d->q,
                              .v = d->v,
                              .a = n->a,
                              .tau = d->tau,
                              .frame = quantity->frame,
                              .reference = PINION_REFERENCE_WORLD_ALIGNED,
                              .option = strcmp(info.name, "energy") == 0 ? passive : PINION_ACCELERATION_CLASSICAL};
    for (int o = 0; o < info.outputs; o++) {
        x.out[o] = *at;
        *at += pinion_quantity_size(w->m, quantity->quantity, o, NULL);
    }
    status = pinion_quantity_run(w->m, w->work, quantity->quantity, &x);
    for (int i = 0; i < nv && inverse && status == PINION_OK; i++) first[i] -= d->passive[i];
    if (status != PINION_OK || !passive || !d->elements || strcmp(info.name, "energy") != 0) return status;
    status = pinion_elements_forces(d->elements, w->work, d->q, NULL, NULL, NULL, NULL, &springs);
    first[1] += springs;
    return status;
}

static pinion_status eval_row(direct *d)
{
    const pn_plan_run *r = &d->w->s->run;
    double *at = d->v + d->w->s->nv;
    pinion_status status = put_frames(d, at);
    at += 3 * r->frame_count;
    if (status == PINION_OK && r->sim.passive) status = find_passive(d);
    for (int k = 0; k < r->quantity_count && status == PINION_OK; k++)
        status = eval_quantity(d, &r->quantities[k], &at);
    return status == PINION_OK ? give_row(d) : status;
}

static pinion_status linear_row(direct *d)
{
    pinion_sweep_worker *w = d->w;
    pinion_linear *l = make_linear(w, d->err);
    if (!l) return d->err->status;
    memcpy(d->q, w->numbers.q, (size_t)w->s->nq * sizeof *d->q);
    double *at = d->v + w->s->nv, *value = at + 3 * w->s->run.frame_count;
    const size_t states = (size_t)l->states, inputs = (size_t)l->inputs,
                 used = (size_t)(value - d->row) + states * (MODE + states + inputs);
    pinion_status status = PINION_OK;
    if (used != (size_t)w->s->column_count)
        status = pn_error_set(d->err, PINION_ERR_UNSUPPORTED, NULL, 0, 0, "%d states; before it varied it had others",
                              l->states);
    if (status == PINION_OK) status = put_frames(d, at);
    /* they come as [states][2], where A will be: there are two states at least */
    if (status == PINION_OK) status = pinion_linear_modes(l, value + states * MODE, NULL);
    for (size_t i = 0; i < states && status == PINION_OK; i++) {
        const double re = value[states * MODE + 2 * i], im = value[states * MODE + 2 * i + 1], size = hypot(re, im);
        const double one[MODE] = {re, im, size / (2 * acos(-1)), size > 0 ? -re / size : 0};
        memcpy(value + MODE * i, one, sizeof one);
    }
    if (status == PINION_OK) {
        memcpy(value + MODE * states, l->A, states * states * sizeof *value);
        memcpy(value + (MODE + states) * states, l->B, states * inputs * sizeof *value);
        status = give_row(d);
    }
    pinion_linear_free(l);
    return status;
}

/* ------------------------------------------------------------------------------------------------ */

static int allocate(direct *d)
{
    pinion_sweep_worker *w = d->w;
    const size_t nq = (size_t)w->s->nq, nv = (size_t)w->s->nv, columns = (size_t)w->s->column_count;
    /* a workspace fits all models of one structure; those that are made anew may have another */
    if (w->s->rebuilds) {
        pinion_work_free(w->work);
        w->work = NULL;
    }
    if (!w->work) w->work = pinion_work_new(w->m);
    d->row = calloc(columns + 2 * nv + 1, sizeof *d->row);
    if (!w->work || !d->row) return 0;
    d->q = d->row + 1;
    d->v = d->q + nq;
    d->passive = d->row + columns;
    d->tau = d->passive + nv;
    if (w->s->run.command == PN_PLAN_ID) {
        d->a = d->v + nv;
        d->tau = d->a + nv;
        d->frames = d->tau + nv + 1;
    }
    if (w->s->run.sim.passive && w->s->run.command != PN_PLAN_LINEARIZE && pinion_model_has_elements(w->m)) {
        d->elements = pinion_elements_new(w->m);
        if (!d->elements) return 0;
    }
    return 1;
}

pinion_status pn_direct_rows(pinion_sweep_worker *w, pinion_result *table, pinion_error *err)
{
    direct d = {.w = w, .table = table, .err = err};
    const pn_plan_command command = w->s->run.command;
    pinion_status status = allocate(&d) ? PINION_OK : no_memory(err);
    if (status == PINION_OK) {
        memcpy(d.q, w->numbers.q, (size_t)w->s->nq * sizeof *d.q);
        memcpy(d.v, w->numbers.v, (size_t)w->s->nv * sizeof *d.v);
        status = command == PN_PLAN_ID     ? id_rows(&d)
                 : command == PN_PLAN_EVAL ? eval_row(&d)
                                           : linear_row(&d);
        if (status != PINION_OK && !err->message[0])
            pn_error_set(err, status, NULL, 0, 0, "%s",
                         w->work && *pinion_work_message(w->work) ? pinion_work_message(w->work)
                                                                  : pinion_status_text(status));
    }
    pinion_elements_free(d.elements);
    free(d.row);
    return status;
}
