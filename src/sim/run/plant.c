/* The plant: a model with its motors, passive elements and force elements, as the system that steppers
 * integrate.
 *
 *     M(q) a + h(q, v) = tau + tau_p + J' f_ext
 *
 * and with closed loops tau_a + L' lambda besides, where L a = c (pinion/loops.h).
 *
 * What actuators give may be part of the state. Beside it one number is integrated, the work done by all that has no
 * potential. */
#include "sim/run/driver.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Remembers the words of a failing call with the workspace. */
static pinion_status note(pn_plant *p, pinion_status status)
{
    if (status == PINION_OK) return status;
    const char *words = pinion_work_message(p->w);
    snprintf(p->message, sizeof p->message, "%s", *words ? words : pinion_status_text(status));
    return status;
}

pinion_status pn_plant_no_torques(pn_plant *p, pinion_status status)
{
    snprintf(p->message, sizeof p->message, "the torques cannot be computed: %s", pinion_status_text(status));
    return status;
}

/* Whether what the actuators give and what they do to the joints is the same as when it was asked for last. */
static int drives_on(const pn_plant *p, double t)
{
    return p->steady && p->driven && memcmp(p->u, pn_hold_forces(p, t), (size_t)p->nu * sizeof *p->u) == 0;
}

/* p->motor at a state: given joint forces, and what actuators make of what is asked of them; and z' of theirs. */
static pinion_status drive(pn_plant *p, double t, const double *q, const double *v, const double *z)
{
    const pinion_sim_options *o = &p->options;
    pinion_status status = PINION_OK;
    if (drives_on(p, t)) return PINION_OK;
    p->driven = 0;
    memset(p->motor, 0, (size_t)p->nv * sizeof *p->motor);
    if (o->torque) status = o->torque(o->torque_user, t, q, v, p->motor);
    if (o->actuators && status == PINION_OK) {
        if (p->sampled)
            memcpy(p->u, pn_hold_forces(p, t), (size_t)p->nu * sizeof *p->u);
        else
            status = o->actuators(o->actuators_user, t, q, v, p->u);
        for (int i = 0; i < p->servos && status == PINION_OK; i++)
            status = pn_servo_act(p, &p->servo[i], t, q, v, z);
        if (status == PINION_OK) status = pinion_actuation_torque(p->m, p->w, q, p->u, p->tau);
        for (int i = 0; i < p->nv && status == PINION_OK; i++) p->motor[i] += p->tau[i];
        p->driven = status == PINION_OK;
    }
    return status == PINION_OK ? status : pn_plant_no_torques(p, status);
}

/* p->motor, p->u, p->tau and p->f_ext at a state, and the power of what has no potential. */
static pinion_status load(pn_plant *p, double t, const double *q, const double *v, const double *z, double *power)
{
    double part = 0;
    *power = 0;
    pinion_status status = drive(p, t, q, v, z);
    if (status != PINION_OK) return status;
    for (int i = 0; i < p->nv; i++) *power += p->motor[i] * v[i];

    /* dampers, springs, friction and stops of the joints */
    for (int i = 0; i < p->nv; i++) p->tau[i] = p->motor[i];
    if (p->passive) {
        pn_passive_forces(p->passive, q, v, p->tau, NULL, &part);
        *power += part;
    }

    if (p->elements) {
        memset(p->braked, 0, (size_t)p->nv * sizeof *p->braked);
        status = note(p, pinion_elements_forces(p->elements, p->w, q, v, p->tau, p->braked, p->tau, NULL));
        if (status != PINION_OK) return status;
        for (int i = 0; i < p->nv; i++) {
            *power += p->braked[i] * v[i];
            p->tau[i] += p->braked[i];
        }
    }

    if (p->stiction) {
        status = note(p, pn_stiction_rows(p->stiction, p->body, p->w, q));
        if (status != PINION_OK) return status;
        pn_stiction_load(p->stiction, v, p->tau, &part);
        *power += part;
    }

    /* motors, dampers, springs and friction of the loop joints */
    if (p->loops) {
        status = note(p, pn_loops_load(p->loops, p->m, p->w, t, q, v, &part));
        if (status != PINION_OK) return status;
        *power += part;
    }

    /* force elements */
    if (!p->options.forces) return PINION_OK;
    memset(p->f_ext, 0, 6 * (size_t)p->bodies * sizeof *p->f_ext);
    status = pinion_forces_apply(p->options.forces, p->w, t, q, v, p->f_ext, NULL, &part);
    *power += part;
    return note(p, status);
}

/* The accelerations, once load() was called. Constraints that move add to the power. */
static pinion_status accelerate(pn_plant *p, double t, const double *q, const double *v, double *a,
                                double *power)
{
    const double *f_ext = p->options.forces ? p->f_ext : NULL;
    const int by = p->options.algorithm, holds = p->stiction && pn_stiction_holds(p->stiction);
    const pn_stiction_state at = {p->body, p->w, t, q, v, f_ext};
    if (p->loops) {
        double part = 0;
        const pinion_status status =
            holds ? pn_stiction_accelerate(p->stiction, &at, p->tau, a, &part)
                  : pn_loops_accelerate(p->loops, p->body, p->w, t, q, v, p->tau, f_ext, a, &part);
        *power += part;
        if (status == PINION_OK || !p->loops->sparse) return note(p, status);
        snprintf(p->message, sizeof p->message, "%s", pinion_sparse_message(p->loops->sparse));
        return status;
    }
    if (holds) return note(p, pn_stiction_accelerate(p->stiction, &at, p->tau, a, NULL));
    return note(p,
                by < 0 ? pinion_forward_dynamics(p->body, p->w, q, v, p->tau, f_ext, a)
                       : pinion_forward_dynamics_by(p->body, p->w, by, q, v, p->tau, f_ext, a));
}

/* The rates of what actuators give, then of the work. */
static void put_rates(const pn_plant *p, double power, double *zdot)
{
    if (!zdot) return;
    memcpy(zdot, p->zdot, (size_t)p->nx * sizeof *zdot);
    zdot[p->nx] = power;
}

static pinion_status rates(void *user, double t, const double *q, const double *v, const double *z, double *a,
                           double *zdot)
{
    pn_plant *p = user;
    double power;
    pinion_status status = load(p, t, q, v, z, &power);
    if (status == PINION_OK) status = accelerate(p, t, q, v, a, &power);
    put_rates(p, power, zdot);
    return status;
}

/* M, and f = tau + tau_p + J' f_ext: at rest, without gravity and accelerations, inverse dynamics is -J'
 * f_ext. */
static pinion_status terms(void *user, double t, const double *q, const double *v, const double *z, double *M,
                           double *f, double *zdot)
{
    pn_plant *p = user;
    double power;
    pinion_status status = load(p, t, q, v, z, &power);
    if (status == PINION_OK && f) {
        memcpy(f, p->tau, (size_t)p->nv * sizeof *f);
        if (p->options.forces) {
            status = note(p,
                          pinion_inverse_dynamics(p->weightless, p->w, q, NULL, NULL, p->f_ext, p->turned));
            for (int i = 0; i < p->nv; i++) f[i] -= p->turned[i];
        }
    }
    if (status == PINION_OK && M) status = note(p, pinion_mass_matrix(p->body, p->w, q, M));
    put_rates(p, power, zdot);
    return status;
}

static pinion_status project(void *user, double t, double *q, double *v)
{
    pn_plant *p = user;
    const pinion_status status = pn_projection_apply(p->loops->projection, p->body, p->w, t, q, v);
    if (status != PINION_ERR_CONVERGENCE) return note(p, status);
    snprintf(p->message, sizeof p->message, "no configuration near by closes the loops");
    return status;
}

static double excuse(void *user, double below, double *q_error, double *v_error)
{
    const pn_plant *p = user;
    const pn_projection *projection = p->loops->projection;
    const double rest = pn_projection_weakest(projection);
    if (rest < below) {
        pn_projection_tangent(projection, 0, below, q_error);
        pn_projection_tangent(projection, 1, below, v_error);
    }
    return rest;
}

/* Exact friction: whether what sticks still does, and what slides. */
static pinion_status margin(void *user, double t, const double *q, const double *v, const double *z, double *out)
{
    pn_plant *p = user;
    double power;
    pinion_status status = PINION_OK;
    if (!pn_stiction_holds(p->stiction)) {
        status = note(p, pn_stiction_rows(p->stiction, p->body, p->w, q));
    } else {
        status = load(p, t, q, v, z, &power);
        if (status == PINION_OK) status = accelerate(p, t, q, v, p->turned, &power);
    }
    if (status != PINION_OK) return status;
    pn_stiction_margins(p->stiction, v, out);
    return PINION_OK;
}

static pinion_status change(void *user, double t, const double *q, double *v, const double *z, int first)
{
    pn_plant *p = user;
    pn_stiction *x = p->stiction;
    double power;
    pinion_status status = note(p, pn_stiction_rows(x, p->body, p->w, q));
    if (status != PINION_OK) return status;
    if (first) {
        pn_stiction_first(x, v);
        return PINION_OK;
    }
    memcpy(x->before, x->mode, (size_t)x->count * sizeof *x->before);
    pn_stiction_stop(x, v);
    status = load(p, t, q, v, z, &power);
    if (status != PINION_OK) return status;
    const pn_stiction_state at = {p->body, p->w, t, q, v, p->options.forces ? p->f_ext : NULL};
    return note(p, pn_stiction_choose(x, &at, p->tau));
}

pn_system pn_plant_system(pn_plant *p)
{
    const int projects = p->loops && p->loops->projects && !p->scene; /* a scene keeps them closed itself */
    pn_system system = {p->body, p->nq, p->nv, p->nx + 1, p->nx, p, rates, terms, projects ? project : NULL,
                        projects ? excuse : NULL, 0, 0, NULL, NULL, NULL, p->lag,
                        p->scene ? pn_plant_contact : NULL};
    if (p->stiction) {
        system.margins = p->stiction->count;
        system.modes = system.margins + 2;
        system.mode = p->stiction->mode;
        system.margin = margin;
        system.change = change;
    }
    return system;
}

pinion_status pn_plant_accelerations(pn_plant *p, double t, const double *q, const double *v, const double *z,
                                     double *a)
{
    double power;
    pinion_status status = load(p, t, q, v, z, &power);
    return status == PINION_OK && a ? accelerate(p, t, q, v, a, &power) : status;
}

pinion_status pn_plant_energy(pn_plant *p, double t, const double *q, const double *v, double *kinetic,
                              double *potential)
{
    /* the springs of the joints come with the passive elements */
    double part = 0;
    pinion_status status = note(p, pinion_energy(p->body, p->w, q, v, 0, kinetic, potential));
    if (status != PINION_OK) return status;
    if (p->passive) {
        pn_passive_forces(p->passive, q, v, NULL, &part, NULL);
        *potential += part;
    }
    if (p->elements && status == PINION_OK) {
        status = note(p, pinion_elements_forces(p->elements, p->w, q, NULL, NULL, NULL, NULL, &part));
        *potential += part;
    }
    if (p->loops && status == PINION_OK) {
        status = note(p, pn_loops_potential(p->loops, p->m, p->w, q, &part));
        *potential += part;
    }
    if (p->options.forces && status == PINION_OK) {
        status = note(p, pinion_forces_apply(p->options.forces, p->w, t, q, v, NULL, &part, NULL));
        *potential += part;
    }
    return status;
}

double pn_plant_quaternions(const pn_plant *p, const double *q)
{
    double worst = 0;
    for (int i = 0; i < pinion_model_joint_count(p->m); i++) {
        pinion_joint_info joint;
        if (pinion_model_joint(p->m, i, &joint) != PINION_OK || joint.nq < 4) continue;
        const double *x = q + joint.q_index;
        const double off = fabs(sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + x[3] * x[3]) - 1);
        if (!(off <= worst)) worst = off;
    }
    return worst;
}

pinion_status pn_plant_constraint(pn_plant *p, double t, const double *q, double *off)
{
    double open = 0;
    *off = pn_plant_quaternions(p, q);
    if (!p->loops) return PINION_OK;
    const pinion_status status = note(p, pn_loops_open(p->loops, p->m, p->w, t, q, NULL, &open, NULL, NULL));
    if (!(open <= *off)) *off = open;
    return status;
}

/* ---------------------------------------------------------------------------------------------
 * Closing loops at the start */

#define NEAR 1e-6         /* of what rows could be: what is farther from closed is not meant so, */
#define NEAR_ROUNDED 1e-3 /* but where rounded data keep loops open */

pinion_status pn_plant_close(pn_plant *p, double t, double *q, double *v)
{
    double open = 0, rate = 0, share[2] = {0, 0};
    int worst = -1, quickest = -1;
    pinion_loop_info loop;
    pinion_status status = note(p, pn_loops_open(p->loops, p->m, p->w, t, q, NULL, &open, &share[0], &worst));
    if (status == PINION_OK)
        status = note(p, pn_loops_open(p->loops, p->m, p->w, t, q, v, &rate, &share[1], &quickest));
    if (status != PINION_OK) return status;

    double near = NEAR;
    if (!(share[0] <= near && share[1] <= near) &&
        pn_projection_rounded(p->loops->projection, p->body, p->w, t, q))
        near = NEAR_ROUNDED;

    /* which loop it is, and what helps */
    const int far = !(share[0] <= near), index = far ? worst : quickest;
    if ((far || !(share[1] <= near)) && pinion_model_loop(p->m, index, &loop) == PINION_OK) {
        if (far)
            snprintf(
                p->message, sizeof p->message,
                "loop '%.80s' is open by %.3g at the start: a run begins where all loops are closed",
                loop.name, open);
        else
            snprintf(p->message, sizeof p->message,
                     "loop '%.80s' opens at the rate %.3g at the start: a run begins with velocities that keep the "
                     "loops closed",
                     loop.name, rate);
        return PINION_ERR_CONVERGENCE;
    }
    return project(p, t, q, v);
}

/* ---------------------------------------------------------------------------------------------
 * Making one */

pinion_status pn_plant_refresh(pn_plant *p)
{
    p->body = p->options.forces ? pinion_forces_model(p->options.forces) : p->m;
    pinion_model_free(p->weightless);
    p->weightless = NULL;
    if (p->scene) { /* it keeps the model */
        const pinion_status status = pn_plant_touch(p, NULL);
        if (status != PINION_OK) return status;
    }
    if (!p->options.forces) return PINION_OK;
    const double none[3] = {0, 0, 0};
    p->weightless = pinion_model_copy(p->body);
    return p->weightless ? pinion_model_set_gravity(p->weightless, none) : PINION_ERR_MEMORY;
}

void pn_plant_free(pn_plant *p)
{
    pinion_model_free(p->weightless);
    pn_passive_free(p->passive);
    pinion_elements_free(p->elements);
    pn_stiction_free(p->stiction);
    pn_loops_free(p->loops);
    pinion_scene_free(p->scene);
    pinion_scene_free(p->shown);
    free(p->implicit);
    pinion_work_free(p->w);
    free(p->servo);
    free(p->delay);
    free(p->memory);
    memset(p, 0, sizeof *p);
}

/* An algorithm that was asked for must solve the problem and apply to the model. */
static pinion_status check_algorithm(int algorithm, const pinion_model *m, pinion_error *err)
{
    pinion_algorithm_info info;
    if (algorithm < 0) return PINION_OK;
    if (pinion_algorithm(algorithm, &info) != PINION_OK) {
        pn_error_set(err, PINION_ERR_ARGUMENT, NULL, 0, 0, "there is no algorithm %d", algorithm);
        return PINION_ERR_ARGUMENT;
    }
    if (info.problem != PINION_PROBLEM_FORWARD_DYNAMICS) {
        pn_error_set(err, PINION_ERR_ARGUMENT, NULL, 0, 0,
                     "algorithm %s solves %s; a simulation needs forward_dynamics", info.name,
                     pinion_problem_name(info.problem));
        return PINION_ERR_ARGUMENT;
    }
    return pn_loops_are_sparse(algorithm, m) ? PINION_OK : pinion_algorithm_applies(algorithm, m, err);
}

/* Exact friction, where there is some and the integrator can end its steps at any instant. */
static pinion_status make_stiction(pn_plant *p, pinion_error *err)
{
    const pinion_integrator by = p->options.integrator;
    const char *wrong = NULL;
    pinion_status status = pn_stiction_new(p->m, p->options.stiction, &p->stiction);
    if (status != PINION_OK) wrong = pinion_status_text(status);
    else if (p->stiction && (by == PINION_INTEGRATOR_VARIATIONAL || by == PINION_INTEGRATOR_IDA))
        wrong = "exact friction does not go with integrator variational or ida; the others take it";
    if (!wrong) return PINION_OK;
    if (status == PINION_OK) status = PINION_ERR_UNSUPPORTED;
    pn_error_set(err, status, NULL, 0, 0, "%s", wrong);
    return status;
}

pinion_status pn_plant_init(pn_plant *p, const pinion_model *m, const pinion_sim_options *options,
                            pinion_error *err)
{
    memset(p, 0, sizeof *p);
    pinion_status status = check_algorithm(options->algorithm, m, err);
    if (status != PINION_OK) return status;
    p->m = m;
    p->options = *options;
    p->nq = pinion_model_nq(m);
    p->nv = pinion_model_nv(m);
    p->bodies = pinion_model_body_count(m);

    /* one block for all arrays */
    p->nu = pinion_model_actuator_count(m);
    const size_t nv = (size_t)p->nv, bodies = (size_t)p->bodies, nu = (size_t)p->nu;
    status = pn_hold_init(p, err);
    if (status != PINION_OK) {
        pn_plant_free(p);
        return status;
    }
    const size_t held = (size_t)p->held;
    p->w = pinion_work_new(m);
    const int served = pn_servos_new(p);
    p->memory = calloc(5 * nv + (size_t)p->nq + nu + 2 * (size_t)p->nx + 6 * bodies + held + 1, sizeof *p->memory);
    if (p->memory) {
        p->motor = p->memory;
        p->tau = p->motor + nv;
        p->turned = p->tau + nv;
        p->braked = p->turned + nv;
        p->u = p->braked + nv;
        p->zdot = p->u + nu;
        p->lag = p->zdot + p->nx;
        p->f_ext = p->lag + p->nx;
        for (int i = 0; i < p->servos; i++)
            if (p->servo[i].state >= 0) p->lag[p->servo[i].state] = p->servo[i].time_constant;
        p->seen_q = p->f_ext + 6 * bodies;
        p->seen_v = p->seen_q + p->nq;
        p->hold = held ? p->seen_v + nv : NULL;
        p->senses = held ? p->hold + pn_hold_size(p) : NULL;
    }
    p->steady = p->sampled && !options->torque && p->servos == 0 && options->actuators != NULL;
    for (int k = 0; k < p->nu && p->steady; k++) {
        pinion_actuator_info a;
        p->steady = pinion_model_actuator(m, k, &a) == PINION_OK && a.term_count > 0;
    }
    status = p->w && p->memory && served ? pn_plant_refresh(p) : PINION_ERR_MEMORY;
    if (status != PINION_OK)
        pn_error_set(err, status, NULL, 0, 0, "%s", pinion_status_text(status));
    else if (options->passive || options->stops) {
        const int exact = options->friction == PINION_FRICTION_EXACT, stops = options->stops && !options->contact;
        const pn_passive_options passive = {options->passive, options->friction_speed, stops,
                                            options->stop_stiffness, options->stop_damping, exact};
        pinion_error why = {PINION_ERR_MEMORY, 0, 0, "out of memory"};
        p->passive = pn_passive_new(m, &passive, &why);
        if (!p->passive) {
            status = why.status;
            if (err) *err = why;
        }
    }
    const int limits = options->stops || (options->contact && options->contact->limits); /* of tendons */
    const int stops = limits && pinion_model_tendon_count(m) > 0;
    if (status == PINION_OK && ((options->passive && pinion_model_has_elements(m)) || stops)) {
        p->elements = pinion_elements_new(m);
        if (!p->elements) status = pn_error_set(err, PINION_ERR_MEMORY, NULL, 0, 0, "out of memory");
        if (p->elements && stops)
            status = pinion_elements_stops(p->elements, options->stop_stiffness, options->stop_damping,
                                           !options->passive);
    }
    if (status == PINION_OK && options->passive && options->friction == PINION_FRICTION_EXACT && !options->contact)
        status = make_stiction(p, err);
    if (status == PINION_OK) status = pn_plant_touch(p, err);
    if (status == PINION_OK && pinion_model_loop_count(m) > 0) {
        pinion_error why = {PINION_ERR_MEMORY, 0, 0, "out of memory"};
        p->loops = pn_loops_new(m, options, &why);
        if (!p->loops) {
            status = why.status;
            if (err) *err = why;
        }
        if (p->stiction) p->stiction->loops = p->loops;
    }
    if (status != PINION_OK) pn_plant_free(p);
    return status;
}
