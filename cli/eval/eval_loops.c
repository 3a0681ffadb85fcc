/* Results of `pinion eval` that concern closed loops: computed, then printed. */
#include "cli/eval/eval.h"
#include "cli/info/info_loops.h"
#include "cli/print/print_text.h"

#include <math.h>
#include <string.h>

#define CONTRADICTS 1e-6 /* of the largest acceleration: what is left of the rows is no rounding */

static const double *forces(const evaluation *e)
{
    return e->s.has_forces ? e->s.f_ext : NULL;
}

static pinion_loop_options options_of(const evaluation *e)
{
    pinion_loop_options o = pinion_loop_options_default();
    o.t = e->s.t;
    o.passive = e->passive;
    return o;
}

/* The parts of the constraints in e->out: phi, rate, c, then L. */
static pinion_constraints parts_of(const evaluation *e)
{
    const size_t rows = (size_t)pinion_model_row_count(e->m);
    pinion_constraints parts = {.phi = e->out, .rate = e->out + rows, .c = e->out + 2 * rows,
                                .L = e->out + 3 * rows};
    return parts;
}

/* Each kind is said once, of the first state where it is so; the answer has those of every state. */
static void tell(evaluation *e, loops_told kind)
{
    if (!e->loops.text[kind][0] || e->told[kind]++) return;
    pn_cli_report(e->command, "warning: state %zu: %s", e->index, e->loops.text[kind]);
}

/* the state, where something is asked that the loops have a part in */
static void look(evaluation *e)
{
    if (e->looked++) return;
    pn_cli_loops_look(e->m, e->w, e->s.t, e->s.q, e->s.v, &e->loops);
    for (int kind = 0; kind < TOLD_KINDS; kind++) tell(e, (loops_told)kind);
}

/* accelerations that do not keep the loops, since nothing does */
static void tell_contradiction(evaluation *e, const double *a)
{
    char *text = e->loops.text[TOLD_CONTRADICTION];
    double most = 1;
    for (int i = 0; i < pinion_model_nv(e->m); i++) most = fmax(most, fabs(a[i]));
    if (!(e->residual > CONTRADICTS * most) || text[0]) return;
    snprintf(text, sizeof e->loops.text[0],
             "no accelerations keep the loops: L a - c is left with %.3g; rows contradict each other, as at a singular "
             "position that is passed with these velocities, or by laws of time",
             e->residual);
    tell(e, TOLD_CONTRADICTION);
}

void pn_cli_eval_loop_warnings(evaluation *e)
{
    int any = 0;
    for (int kind = 0; e->looked && kind < TOLD_KINDS; kind++) {
        if (!e->loops.text[kind][0]) continue;
        if (!any++) {
            pn_cli_json_key(&e->json, "warnings");
            pn_cli_json_open(&e->json, '[', 0);
        }
        pn_cli_json_string(&e->json, e->loops.text[kind]);
    }
    if (any) pn_cli_json_close(&e->json);
    e->looked = 0;
}

pinion_status pn_cli_eval_loop_dynamics(evaluation *e, const double *tau, double *a, double *lambda)
{
    const pinion_loop_options o = options_of(e);
    const int by = e->by[PINION_PROBLEM_FORWARD_DYNAMICS];
    pinion_loop_solution solution = {.lambda = lambda};
    pinion_status status =
        e->sparse
            ? pinion_sparse_forward_dynamics(e->sparse, &o, e->s.q, e->s.v, tau, forces(e), a, &solution)
            : pinion_loop_dynamics(e->m, e->w, by, &o, e->s.q, e->s.v, tau, forces(e), a, &solution);
    e->sparse_failed = e->sparse && status != PINION_OK;
    e->residual = solution.residual;
    e->rank = solution.rank;
    if (status != PINION_OK) return status;

    look(e);
    tell_contradiction(e, a);

    /* an algorithm that does not find the rank */
    pinion_mobility mobility;
    if (lambda && e->rank < 0) status = pinion_mobility_at(e->m, e->w, e->s.t, e->s.q, &mobility);
    if (lambda && e->rank < 0 && status == PINION_OK) e->rank = mobility.rank;
    return status;
}

pinion_status pn_cli_eval_d_loop_dynamics(evaluation *e, const double *tau, double *dq, double *dv, double *dtau)
{
    const pinion_loop_options o = options_of(e);
    pinion_loop_derivatives out = {.a_dq = dq, .a_dv = dv, .a_dtau = dtau};
    const pinion_status status = pinion_d_loop_dynamics(e->m, e->w, &o, e->s.q, e->s.v, tau, forces(e), &out);
    if (status == PINION_OK) look(e); /* else the message says why */
    return status;
}

/* lambda, then what goes through every loop, then the accelerations */
static pinion_status constraint_forces(evaluation *e, const double *tau)
{
    const size_t rows = (size_t)pinion_model_row_count(e->m), loops = (size_t)pinion_model_loop_count(e->m);
    double *lambda = e->out, *wrench = lambda + rows, *a = wrench + 6 * loops;
    double *passive = e->passive ? a + pinion_model_nv(e->m) : NULL;
    pinion_status status = pn_cli_eval_loop_dynamics(e, tau, a, lambda);
    if (status == PINION_OK && passive)
        status = pinion_loop_passive_forces(e->m, e->w, e->s.q, e->s.v, passive);
    if (status != PINION_OK) return status;
    return pinion_loop_reactions(e->m, e->w, e->s.q, lambda, passive, NULL, NULL, wrench);
}

static pinion_status loop_inverse_dynamics(evaluation *e)
{
    const pinion_loop_options o = options_of(e);
    const int nv = pinion_model_nv(e->m);
    const pinion_status status = pinion_loop_inverse_dynamics(e->m, e->w, &o, e->s.q, e->s.v, e->s.a, forces(e), NULL,
                                                        e->out, e->out + nv);
    if (status == PINION_OK) look(e);
    return status;
}

size_t pn_cli_eval_loop_room(const evaluation *e, quantity_id id)
{
    const size_t rows = (size_t)pinion_model_row_count(e->m), nv = (size_t)pinion_model_nv(e->m);
    const size_t loops = (size_t)pinion_model_loop_count(e->m);
    switch (id) {
    case Q_CONSTRAINTS: return rows * (3 + nv);
    case Q_CONSTRAINT_FORCES: return rows + 6 * loops + nv + (size_t)pinion_model_loop_nv(e->m);
    case Q_DELASSUS: return rows * rows;
    case Q_LOOP_INVERSE_DYNAMICS: return nv + rows;
    default: return 0;
    }
}

pinion_status pn_cli_eval_loop_compute(evaluation *e, const quantity *what, const double *tau)
{
    const state *s = &e->s;
    pinion_constraints parts;
    switch (what->id) {
    case Q_CONSTRAINTS:
        parts = parts_of(e);
        return pinion_constraints_at(e->m, e->w, s->t, s->q, s->v, &parts);
    case Q_CONSTRAINT_FORCES: return constraint_forces(e, tau);
    case Q_DELASSUS: return pinion_delassus(e->m, e->w, s->q, e->out);
    case Q_LOOP_INVERSE_DYNAMICS: return loop_inverse_dynamics(e);
    case Q_MOBILITY: break;
    default: return PINION_ERR_ARGUMENT;
    }
    const pinion_status status = pinion_mobility_at(e->m, e->w, s->t, s->q, &e->mobility);
    if (status == PINION_OK) look(e);
    return status;
}

/* ------------------------------------------------------------------------------------------------ */

static void put_numbers(cli_json *j, const char *key, const double *x, int count)
{
    pn_cli_json_key(j, key);
    pn_cli_json_numbers(j, x, count);
}

static void print_constraints(evaluation *e)
{
    const pinion_constraints parts = parts_of(e);
    const int rows = pinion_model_row_count(e->m);
    pn_cli_json_open(&e->json, '{', 0);
    put_numbers(&e->json, "phi", parts.phi, rows);
    put_numbers(&e->json, "rate", parts.rate, rows);
    put_numbers(&e->json, "c", parts.c, rows);
    pn_cli_json_key(&e->json, "L");
    pn_cli_json_matrix(&e->json, parts.L, rows, pinion_model_nv(e->m));
    pn_cli_json_close(&e->json);
}

static void print_constraint_forces(evaluation *e)
{
    const int rows = pinion_model_row_count(e->m), loops = pinion_model_loop_count(e->m);
    pn_cli_json_open(&e->json, '{', 0);
    put_numbers(&e->json, "lambda", e->out, rows);
    pn_cli_json_key(&e->json, "rank");
    pn_cli_json_integer(&e->json, e->rank);
    pn_cli_json_key(&e->json, "residual");
    pn_cli_json_number(&e->json, e->residual);
    pn_cli_json_key(&e->json, "wrenches");
    pn_cli_json_open(&e->json, '{', 0);
    for (int i = 0; i < loops; i++) {
        pinion_loop_info loop;
        if (pinion_model_loop(e->m, i, &loop) == PINION_OK)
            put_numbers(&e->json, loop.name, e->out + rows + 6 * i, 6);
    }
    pn_cli_json_close(&e->json);
    pn_cli_json_close(&e->json);
}

void pn_cli_eval_loop_print(evaluation *e, const quantity *what)
{
    const int rows = pinion_model_row_count(e->m), nv = pinion_model_nv(e->m);
    switch (what->id) {
    case Q_CONSTRAINTS: print_constraints(e); break;
    case Q_CONSTRAINT_FORCES: print_constraint_forces(e); break;
    case Q_DELASSUS: pn_cli_json_matrix(&e->json, e->out, rows, rows); break;
    case Q_MOBILITY: pn_cli_put_mobility(&e->json, &e->mobility); break;
    default: /* loop_inverse_dynamics */
        pn_cli_json_open(&e->json, '{', 0);
        put_numbers(&e->json, "tau", e->out, nv);
        put_numbers(&e->json, "lambda", e->out + nv, rows);
        pn_cli_json_close(&e->json);
        break;
    }
}
