/* A run's parameters, given to its model and its numbers. */
#include "sweep/run/worker.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What a number becomes. */
static double changed(const pn_parameter *p, double base, double x)
{
    return p->mode == PN_MODE_FACTOR ? base * x : p->mode == PN_MODE_OFFSET ? base + x : x;
}

/* ------------------------------------------------------------------------------------------------
 * Links and joints. `from` is the model whose numbers are changed: the plan's to restore, else m itself. */

/* A load with one more point of mass: moments about the centre of both. */
static void add_point(pinion_inertia *load, double mass, const double at[3])
{
    const double all = load->mass + mass, part = all != 0 ? load->mass * mass / all : 0;
    double d[3];
    for (int k = 0; k < 3; k++) d[k] = at[k] - load->com[k];
    const double square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    for (int r = 0, i = 0; r < 3; r++)
        for (int c = r; c < 3; c++, i++) load->inertia[i] += part * ((r == c ? square : 0) - d[r] * d[c]);
    for (int k = 0; k < 3 && all != 0; k++) load->com[k] += mass / all * d[k];
    load->mass = all;
}

static pinion_status change_link(pinion_model *m, const pn_parameter *p, int index, double x)
{
    pinion_link_info link;
    pinion_inertia load;
    pinion_status status = pinion_model_link(m, index, &link);
    if (status != PINION_OK) return status;
    pinion_inertia *i = &link.inertia;
    if (p->what == PN_VARY_PAYLOAD) {
        status = pinion_model_payload(m, index, &load);
        if (status != PINION_OK) return status;
        add_point(&load, x, p->at);
        return pinion_model_set_payload(m, index, &load);
    }
    if (p->what == PN_VARY_COM) i->com[p->axis] = changed(p, i->com[p->axis], x);
    double factor = x; /* of moments of inertia, which keep their form, so that they stay those of a body */
    if (p->what == PN_VARY_MASS) {
        const double mass = changed(p, i->mass, x);
        factor = i->mass > 0 ? mass / i->mass : 1;
        i->mass = mass;
    }
    if (p->what == PN_VARY_INERTIA && !(factor >= 0)) return PINION_ERR_ARGUMENT;
    for (int k = 0; k < 6 && p->what != PN_VARY_COM; k++) i->inertia[k] *= factor;
    return pinion_model_set_inertia(m, index, i);
}

static pinion_status change_dof(pinion_model *m, const pn_parameter *p, pn_spot_of at, double x)
{
    pinion_joint_info joint;
    const pinion_status status = pinion_model_joint(m, at.index, &joint);
    if (status != PINION_OK) return status;
    pinion_dof dof = joint.dof[at.dof];
    switch (p->what) {
    case PN_VARY_FRICTION:
        dof.friction_positive = changed(p, dof.friction_positive, x);
        dof.friction_negative = changed(p, dof.friction_negative, x);
        break;
    case PN_VARY_DAMPING: dof.damping = changed(p, dof.damping, x); break;
    case PN_VARY_STIFFNESS: dof.stiffness = changed(p, dof.stiffness, x); break;
    case PN_VARY_REST: dof.rest = changed(p, dof.rest, x); break;
    default: dof.rotor_inertia = changed(p, dof.rotor_inertia, x); break;
    }
    return pinion_model_set_dof(m, at.index, at.dof, &dof);
}

/* What an earlier run changed is as it was. */
static pinion_status restore(const pinion_sweep *s, pinion_model *m)
{
    pinion_status status = PINION_OK;
    int falls = 0;
    for (int i = 0; i < s->parameter_count; i++) {
        const pn_parameter *p = &s->parameters[i];
        falls = falls || p->what == PN_VARY_GRAVITY;
        const pn_place place = pn_varied_kinds[p->what].place;
        for (int k = 0; k < p->place_count && status == PINION_OK; k++) {
            pinion_link_info link;
            pinion_joint_info joint;
            pinion_inertia load;
            const pn_spot_of at = p->places[k];
            if (place == PN_PLACE_LINK && p->what == PN_VARY_PAYLOAD) {
                status = pinion_model_payload(s->model, at.index, &load);
                if (status == PINION_OK) status = pinion_model_set_payload(m, at.index, &load);
            } else if (place == PN_PLACE_LINK) {
                status = pinion_model_link(s->model, at.index, &link);
                if (status == PINION_OK) status = pinion_model_set_inertia(m, at.index, &link.inertia);
            } else if (place == PN_PLACE_DOF) {
                status = pinion_model_joint(s->model, at.index, &joint);
                if (status == PINION_OK)
                    status = pinion_model_set_dof(m, at.index, at.dof, &joint.dof[at.dof]);
            }
        }
    }
    double gravity[3];
    pinion_model_gravity(s->model, gravity);
    return status == PINION_OK && falls ? pinion_model_set_gravity(m, gravity) : status;
}

/* ------------------------------------------------------------------------------------------------
 * Numbers of the run */

static void change_all(const pn_parameter *p, double x, double *numbers)
{
    for (int k = 0; k < p->place_count; k++)
        numbers[p->places[k].index] = changed(p, numbers[p->places[k].index], x);
}

/* What varies at the start is held, as what "q0" and "v0" name. */
static void change_start(const pn_parameter *p, double x, double *numbers, unsigned char *held)
{
    change_all(p, x, numbers);
    for (int k = 0; k < p->place_count; k++) held[p->places[k].index] = 1;
}

static void change_target(pinion_sweep_worker *w, const pn_parameter *p, double x)
{
    for (int k = 0; k < p->place_count; k++) {
        const int i = p->places[k].index;
        w->numbers.to[i] = changed(p, w->to_given[i] ? w->numbers.to[i] : w->numbers.q[i], x);
        w->to_given[i] = 1;
    }
}

static pinion_status change_gravity(pinion_model *m, const pn_parameter *p, double x)
{
    double gravity[3];
    pinion_model_gravity(m, gravity);
    gravity[p->axis] = changed(p, gravity[p->axis], x);
    return pinion_model_set_gravity(m, gravity);
}

/* One parameter; places of links and joints one by one. `place`: the one that did not take it. */
static pinion_status change(pinion_sweep_worker *w, const pn_parameter *p, double x, int *place)
{
    pn_run_numbers *n = &w->numbers;
    pinion_status status = PINION_OK;
    *place = -1;
    switch (p->what) {
    case PN_VARY_GRAVITY: return change_gravity(w->m, p, x);
    case PN_VARY_Q0: return change_start(p, x, n->q, w->q_held), PINION_OK;
    case PN_VARY_V0: return change_start(p, x, n->v, w->v_held), PINION_OK;
    case PN_VARY_TO: return change_target(w, p, x), PINION_OK;
    case PN_VARY_KP: return change_all(p, x, n->kp), PINION_OK;
    case PN_VARY_KD: return change_all(p, x, n->kd), PINION_OK;
    case PN_VARY_TORQUE: return change_all(p, x, n->torque), PINION_OK;
    case PN_VARY_A0: return change_all(p, x, n->a), PINION_OK;
    case PN_VARY_DURATION: n->duration = changed(p, n->duration, x); return PINION_OK;
    case PN_VARY_STEP: n->step = changed(p, n->step, x); return n->step > 0 ? PINION_OK : PINION_ERR_ARGUMENT;
    case PN_VARY_CONTROL_STEP: n->control_step = changed(p, n->control_step, x); return PINION_OK;
    case PN_VARY_CONTROL_DELAY: n->control_delay = changed(p, n->control_delay, x); return PINION_OK;
    case PN_VARY_STICTION: n->stiction = changed(p, n->stiction, x); return PINION_OK;
    case PN_VARY_FRICTION_SPEED: n->friction_speed = changed(p, n->friction_speed, x); return PINION_OK;
    case PN_VARY_SEED: n->seed = x; return PINION_OK;
    case PN_VARY_CONTROL: n->control = (int)p->list[(int)x]; return PINION_OK;
    case PN_VARY_INTEGRATOR: n->integrator = (int)p->list[(int)x]; return PINION_OK;
    case PN_VARY_TRAJECTORY: n->trajectory = (int)x; return PINION_OK;
    case PN_VARY_SCALE:
    case PN_VARY_MODEL: return PINION_OK; /* done before */
    default: break;
    }
    for (int k = 0; k < p->place_count && status == PINION_OK; k++) {
        *place = k;
        status = pn_varied_kinds[p->what].place == PN_PLACE_LINK ? change_link(w->m, p, p->places[k].index, x)
                                                                 : change_dof(w->m, p, p->places[k], x);
    }
    return status;
}

/* "m = -0.3: not a value that the mass of link "hand" can have: -0.6 kg". */
static void complain(const pinion_sweep_worker *w, const pn_parameter *p, double x, int place, pinion_status status,
                     pinion_error *err)
{
    const pn_varied_kind *kind = &pn_varied_kinds[p->what];
    pinion_link_info link;
    pinion_joint_info joint;
    char of[100] = "the run", becomes[60] = "";
    if (place >= 0 && kind->place == PN_PLACE_LINK &&
        pinion_model_link(w->m, p->places[place].index, &link) == PINION_OK) {
        snprintf(of, sizeof of, "link \"%.60s\"", link.name);
        if (p->what == PN_VARY_MASS)
            snprintf(becomes, sizeof becomes, ": %.9g kg", changed(p, link.inertia.mass, x));
    } else if (place >= 0 && pinion_model_joint(w->m, p->places[place].index, &joint) == PINION_OK) {
        snprintf(of, sizeof of, "joint \"%.60s\"", joint.name);
    }
    pn_error_set(err, status, NULL, 0, 0, "%.60s = %.9g: not a value that the %s of %s can have%s", p->name, x,
                 kind->name, of, becomes);
}

/* ------------------------------------------------------------------------------------------------
 * A model of its own */

/* Numbers in the model's JSON: the plan's, changed by those that mean them, in their order. */
static pinion_model *from_json(pinion_sweep_worker *w, const double *x, pinion_error *err)
{
    const pinion_sweep *s = w->s;
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < s->parameter_count; i++) {
            const pn_parameter *p = &s->parameters[i];
            if (p->what != PN_VARY_MODEL) continue;
            json_t *to = pn_plan_pointed(w->tree, p->pointer),
                   *from = pn_plan_pointed(s->model_tree, p->pointer);
            const double now = json_number_value(pass ? to : from);
            json_real_set(to, pass ? changed(p, now, x[i]) : now);
        }
    /* jansson loses parts of a text when memory is refused, and does not say so: what is not valid is made again before
     * it is taken for a model that cannot be */
    pinion_model *m = NULL;
    for (int i = 0; i < 2 && !m; i++) {
        char *text = json_dumps(w->tree, JSON_REAL_PRECISION(17) | JSON_COMPACT);
        if (text)
            m = pn_plan_model_again(text, "the varied model", s->nq, &s->load, err);
        else
            pn_error_set(err, PINION_ERR_MEMORY, NULL, 0, 0, "out of memory");
        free(text);
    }
    return m;
}

static pinion_status make_model(pinion_sweep_worker *w, const double *x, pinion_error *err)
{
    const pinion_sweep *s = w->s;
    pinion_model_free(w->made);
    w->made = NULL;
    w->m = w->own;
    if (!s->rebuilds || !x) return PINION_OK;
    if (s->model_tree && !(w->made = from_json(w, x, err))) return err->status;
    for (int i = 0; i < s->parameter_count; i++) {
        if (s->parameters[i].what != PN_VARY_SCALE) continue;
        pinion_model *scaled =
            pinion_model_scale(w->made ? w->made : s->model, x[i], x[i] * x[i] * x[i], err);
        if (!scaled) return err->status;
        pinion_model_free(w->made);
        w->made = scaled;
    }
    w->m = w->made;
    return PINION_OK;
}

/* A run that follows a file's motion starts on it, and what varies changes that start. */
static pinion_status put_on_motion(pinion_sweep_worker *w, const double *x, pinion_error *err)
{
    const pinion_sweep *s = w->s;
    pn_run_numbers *n = &w->numbers;
    for (int i = 0; x && i < s->parameter_count; i++) {
        const pn_parameter *p = &s->parameters[i];
        if (p->what == PN_VARY_CONTROL) n->control = (int)p->list[(int)x[i]];
        if (p->what == PN_VARY_TRAJECTORY) n->trajectory = (int)x[i];
    }
    if (!pn_plan_starts_on_motion(&s->run, n->control)) return PINION_OK;
    const pinion_status status = pn_worker_motion(w, err);
    return status == PINION_OK ? pn_plan_put_on_motion(&s->run, w->motion, n, s->nq, s->nv) : status;
}

pinion_status pn_worker_apply(pinion_sweep_worker *w, const double *x, pinion_error *err)
{
    const pinion_sweep *s = w->s;
    *err = (pinion_error){PINION_OK, 0, 0, ""};
    pn_run_numbers_copy(&w->numbers, &s->run.numbers, s->nq, s->nv);
    memcpy(w->to_given, s->run.to_given, (size_t)s->nq);
    memcpy(w->q_held, s->run.q_held, (size_t)s->nq);
    memcpy(w->v_held, s->run.v_held, (size_t)s->nv);
    pinion_status status = make_model(w, x, err);
    if (status == PINION_OK && w->made) status = pn_plan_start_of(s, w->made, &w->numbers);
    if (status == PINION_OK && w->m == w->own) status = restore(s, w->m);
    if (status == PINION_OK) status = put_on_motion(w, x, err);
    for (int i = 0; x && i < s->parameter_count && status == PINION_OK; i++) {
        int place;
        status = change(w, &s->parameters[i], x[i], &place);
        if (status != PINION_OK && status != PINION_ERR_MEMORY)
            complain(w, &s->parameters[i], x[i], place, status, err);
    }
    if (status != PINION_OK && !err->message[0])
        pn_error_set(err, status, NULL, 0, 0, "%s", pinion_status_text(status));
    if (status == PINION_OK && x && s->run.command == PN_PLAN_SIM && w->numbers.step > w->numbers.duration)
        status = pn_error_set(err, PINION_ERR_ARGUMENT, NULL, 0, 0, "the step is longer than the duration");
    return status;
}
