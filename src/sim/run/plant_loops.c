/* Closed loops in the plant: motors, springs, dampers and friction of the loop joints, the accelerations that
 * keep the constraints, and the work of constraints that move by a law of time. */
#include "sim/run/driver.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const NAMES[PINION_STABILIZATION_COUNT] = {"projection", "baumgarte", "both", "none"};

const char *pinion_stabilization_name(pinion_stabilization stabilization)
{
    return (unsigned)stabilization < PINION_STABILIZATION_COUNT ? NAMES[stabilization] : NULL;
}

int pinion_stabilization_find(const char *name)
{
    for (int i = 0; name && i < PINION_STABILIZATION_COUNT; i++)
        if (strcmp(NAMES[i], name) == 0) return i;
    return -1;
}

/* ---------------------------------------------------------------------------------------------
 * Making one */

/* A law of time that is not constant. */
static int moves(const pinion_motion *g)
{
    return g->rate != 0 || g->acceleration != 0 || (g->amplitude != 0 && g->frequency != 0);
}

/* The rows whose right-hand side moves. Each such loop has one. */
static void collect_laws(pn_loops *l, const pinion_model *m)
{
    for (int i = 0; i < pinion_model_loop_count(m); i++) {
        pinion_loop_info loop;
        if (pinion_model_loop(m, i, &loop) != PINION_OK || loop.rows < 1 || !moves(&loop.motion)) continue;
        l->law[l->laws++] =
            (pn_law){loop.row, loop.kind == PINION_LOOP_DISTANCE ? loop.length : 0, loop.motion};
    }
}

/* Everything that may fail: 0 when out of memory. */
static int allocate(pn_loops *l, const pinion_model *m)
{
    l->rows = pinion_model_row_count(m);
    l->nq = pinion_model_loop_nq(m);
    l->nv = pinion_model_loop_nv(m);
    const size_t rows = (size_t)l->rows, nq = (size_t)l->nq, nv = (size_t)l->nv;
    l->memory = calloc(nq + 2 * nv + 3 * rows + (size_t)pinion_model_nv(m) + 1, sizeof *l->memory);
    l->law = calloc((size_t)pinion_model_loop_count(m) + 1, sizeof *l->law);
    l->projection = pn_projection_new(m);
    if (!l->memory || !l->law || !l->projection) return 0;
    l->position = l->memory;
    l->velocity = l->position + nq;
    l->tau = l->velocity + nv;
    l->phi = l->tau + nv;
    l->lambda = l->phi + rows;
    l->size = l->lambda + rows;
    l->unit = l->size + rows;
    return 1;
}

int pn_loops_are_sparse(int algorithm, const pinion_model *m)
{
    return algorithm >= 0 && algorithm == pinion_sparse_algorithm() && pinion_model_loop_count(m) > 0;
}

/* Makes the sparse solver for a model: at first, and where force elements have added mass to it. */
static pinion_status make_sparse(pn_loops *l, const pinion_model *m, pinion_error *err)
{
    pinion_error why = {PINION_ERR_MEMORY, 0, 0, "out of memory"};
    pinion_sparse_free(l->sparse);
    l->sparse = pinion_sparse_new(m, &why);
    l->sparse_for = m;
    if (l->sparse) return PINION_OK;
    if (err) *err = why;
    return why.status;
}

pn_loops *pn_loops_new(const pinion_model *m, const pinion_sim_options *options, pinion_error *err)
{
    pn_loops *l = calloc(1, sizeof *l);
    if (!l || !allocate(l, m)) {
        pn_error_set(err, PINION_ERR_MEMORY, NULL, 0, 0, "out of memory");
        pn_loops_free(l);
        return NULL;
    }
    collect_laws(l, m);
    l->algorithm = options->algorithm;
    l->is_sparse = pn_loops_are_sparse(options->algorithm, m);
    if (l->is_sparse && make_sparse(l, m, err) != PINION_OK) {
        pn_loops_free(l);
        return NULL;
    }
    l->torque = options->loop_torque;
    l->torque_user = options->loop_torque_user;
    l->projects = options->stabilization == PINION_STABILIZATION_PROJECTION ||
                  options->stabilization == PINION_STABILIZATION_BOTH;
    l->options = pinion_loop_options_default();
    if (options->stabilization == PINION_STABILIZATION_BAUMGARTE || options->stabilization == PINION_STABILIZATION_BOTH)
        l->options.alpha = options->baumgarte;

    /* what acts in the joints goes to the solver as forces of motors, so that friction is smoothed as in the
     * tree */
    if (options->passive || options->stops) {
        const int stops = options->stops && !options->contact; /* else they are rows of the scene */
        const pn_passive_options passive = {options->passive, options->friction_speed, stops,
                                            options->stop_stiffness, options->stop_damping,
                                            options->friction == PINION_FRICTION_EXACT};
        l->passive = pn_passive_new_of_loops(m, &passive, err);
        if (!l->passive) {
            pn_loops_free(l);
            return NULL;
        }
        if (pn_passive_is_empty(l->passive)) {
            pn_passive_free(l->passive);
            l->passive = NULL;
        }
    }
    l->options.tau_loop = l->torque || l->passive ? l->tau : NULL;
    return l;
}

void pn_loops_free(pn_loops *l)
{
    if (!l) return;
    pn_passive_free(l->passive);
    pn_projection_free(l->projection);
    pinion_sparse_free(l->sparse);
    free(l->law);
    free(l->memory);
    free(l);
}

/* ---------------------------------------------------------------------------------------------
 * At a state */

pinion_status pn_loops_load(pn_loops *l, const pinion_model *m, pinion_work *w, double t, const double *q,
                            const double *v, double *power)
{
    *power = 0;
    if (!l->options.tau_loop) return PINION_OK;
    pinion_status status = pinion_loop_motion(m, w, q, v, l->position, l->velocity);
    if (status != PINION_OK) return status;
    for (int i = 0; i < l->nv; i++) l->tau[i] = 0;
    if (l->torque) {
        status = l->torque(l->torque_user, t, q, v, l->tau);
        for (int i = 0; i < l->nv; i++) *power += l->tau[i] * l->velocity[i];
    }
    if (l->passive && status == PINION_OK) {
        double part = 0;
        pn_passive_forces(l->passive, l->position, l->velocity, l->tau, NULL, &part);
        *power += part;
    }
    return status;
}

/* What a law adds to L v: g', or (l + g) g'/l for a distance, whose row is (d.d - (l + g)^2)/(2 l). */
static double rate_of(const pn_law *law, double t)
{
    double g[3];
    pinion_motion_at(&law->motion, t, g);
    return law->length > 0 ? (law->length + g[0]) * g[1] / law->length : g[1];
}

pinion_status pn_loops_accelerate(pn_loops *l, const pinion_model *m, pinion_work *w, double t,
                                  const double *q, const double *v, const double *tau, const double *f_ext,
                                  double *a, double *power)
{
    pinion_loop_solution solution = {l->laws ? l->lambda : NULL, 0, 0};
    pinion_status status = PINION_OK;
    l->options.t = t;
    *power = 0;
    if (l->is_sparse) {
        if (m != l->sparse_for) status = make_sparse(l, m, NULL);
        if (status == PINION_OK)
            status = pinion_sparse_forward_dynamics(l->sparse, &l->options, q, v, tau, f_ext, a, &solution);
    } else {
        status = pinion_loop_dynamics(m, w, l->algorithm, &l->options, q, v, tau, f_ext, a, &solution);
    }

    /* v' L' lambda where the constraints are kept */
    for (int i = 0; i < l->laws && status == PINION_OK; i++)
        *power += l->lambda[l->law[i].row] * rate_of(&l->law[i], t);
    return status;
}

pinion_status pn_loops_potential(pn_loops *l, const pinion_model *m, pinion_work *w, const double *q,
                                 double *potential)
{
    *potential = 0;
    if (!l->passive) return PINION_OK;
    const pinion_status status = pinion_loop_motion(m, w, q, NULL, l->position, NULL);
    if (status == PINION_OK) pn_passive_forces(l->passive, l->position, NULL, NULL, potential, NULL);
    return status;
}

pinion_status pn_loops_open(pn_loops *l, const pinion_model *m, pinion_work *w, double t, const double *q,
                            const double *v, double *open, double *share, int *loop)
{
    const pinion_constraints wanted = {v ? NULL : l->phi, NULL, v ? l->phi : NULL, NULL};
    pinion_status status = pinion_constraints_at(m, w, t, q, v, &wanted);
    *open = 0;
    for (int i = 0; !status && i < l->rows && !isnan(*open); i++)
        if (!(fabs(l->phi[i]) <= *open)) *open = fabs(l->phi[i]);
    if (!share || status != PINION_OK) return status;

    /* of what rows could be */
    status = pinion_constraint_sizes(m, w, q, l->size, l->unit);
    if (status != PINION_OK) return status;
    int worst = -1;
    double fastest = 0;
    for (int i = 0; v && i < pinion_model_nv(m); i++) fastest = fmax(fastest, fabs(v[i]) / l->unit[i]);
    *share = 0;
    for (int i = 0; i < l->rows && !isnan(*share); i++) {
        const double x = fabs(l->phi[i]) / (l->size[i] > 0 ? l->size[i] : 1) / (1 + fastest);
        if (!(x <= *share)) *share = x, worst = i;
    }

    /* the loop that has the row */
    for (int i = 0; i < pinion_model_loop_count(m); i++) {
        pinion_loop_info info;
        if (pinion_model_loop(m, i, &info) != PINION_OK) continue;
        if (worst >= info.row && worst < info.row + info.rows) *loop = i;
    }
    return PINION_OK;
}
