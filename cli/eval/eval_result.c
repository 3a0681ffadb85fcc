/* One result of `pinion eval`: computed, then printed. */
#include "cli/eval/eval.h"

#include <math.h>
#include <string.h>

static const double *forces(const evaluation *e)
{
    return e->s.has_forces ? e->s.f_ext : NULL;
}

/* tau(q, v, a, f_ext), less what the passive elements do by themselves. */
static pinion_status inverse_dynamics(evaluation *e)
{
    const state *s = &e->s;
    int by = e->by[PINION_PROBLEM_INVERSE_DYNAMICS];
    pinion_status status =
        by < 0 ? pinion_inverse_dynamics(e->m, e->w, s->q, s->v, s->a, forces(e), e->out)
               : pinion_inverse_dynamics_by(e->m, e->w, by, s->q, s->v, s->a, forces(e), e->out);
    return status == PINION_OK && e->passive ? pn_cli_eval_less_passive(e, e->out) : status;
}

/* tau into e->out2, with the passive elements helping it. */
static pinion_status driving_forces(evaluation *e)
{
    int nv = pinion_model_nv(e->m);
    pinion_status status = PINION_OK;
    for (int i = 0; i < nv; i++) e->out2[i] = 0;
    if (e->passive) status = pinion_passive_forces(e->m, e->w, e->s.q, e->s.v, e->out2);
    if (e->passive && status == PINION_OK) status = pn_cli_eval_add_elements(e, e->s.v, e->out2);
    for (int i = 0; i < nv; i++) e->out2[i] += e->s.tau[i];
    return status;
}

/* a(q, v, tau, f_ext). */
static pinion_status forward_dynamics(evaluation *e)
{
    const state *s = &e->s;
    int by = e->by[PINION_PROBLEM_FORWARD_DYNAMICS];
    pinion_status status = driving_forces(e);
    if (status != PINION_OK) return status;
    if (pinion_model_loop_count(e->m)) return pn_cli_eval_loop_dynamics(e, e->out2, e->out, NULL);
    if (by >= 0) return pinion_forward_dynamics_by(e->m, e->w, by, s->q, s->v, e->out2, forces(e), e->out);
    return pinion_forward_dynamics(e->m, e->w, s->q, s->v, e->out2, forces(e), e->out);
}

/* The same with the constraints of the state on a frame: nv accelerations, then the multipliers. */
static pinion_status constrained_dynamics(evaluation *e, int frame)
{
    const state *s = &e->s;
    pinion_status status = driving_forces(e);
    if (status != PINION_OK) return status;
    return pinion_constrained_forward_dynamics(e->m, e->w, s->q, s->v, e->out2, forces(e), frame,
                                               PINION_ACCELERATION_CLASSICAL, s->constraints, s->A, s->b, e->out,
                                               e->out + pinion_model_nv(e->m));
}

static pinion_status mass_matrix_by(evaluation *e, int by)
{
    return pinion_mass_matrix_by(e->m, e->w, by, e->s.q, e->out);
}

static pinion_status mass_matrix_inverse_by(evaluation *e, int by)
{
    return pinion_mass_matrix_inverse_by(e->m, e->w, by, e->s.q, e->out);
}

static pinion_status coriolis_by(evaluation *e, int by)
{
    return pinion_coriolis_by(e->m, e->w, by, e->s.q, e->s.v, e->out);
}

/* Derivatives, one matrix behind the other in e->out. What the passive elements exert depends on q and v, too. */
static pinion_status d_inverse_dynamics(evaluation *e)
{
    const state *s = &e->s;
    const int by = e->by[PINION_PROBLEM_D_INVERSE_DYNAMICS];
    size_t size = (size_t)pinion_model_nv(e->m) * (size_t)pinion_model_nv(e->m);
    double *dq = e->out, *dv = dq + size, *da = dv + size, *more = da + size;
    pinion_status status =
        by < 0 ? pinion_d_inverse_dynamics(e->m, e->w, s->q, s->v, s->a, forces(e), dq, dv, da)
               : pinion_d_inverse_dynamics_by(e->m, e->w, by, s->q, s->v, s->a, forces(e), dq, dv, da);
    return status == PINION_OK && e->passive ? pn_cli_eval_d_less_passive(e, dq, dv, more) : status;
}

static pinion_status d_forward_dynamics(evaluation *e)
{
    const state *s = &e->s;
    const int by = e->by[PINION_PROBLEM_D_FORWARD_DYNAMICS];
    size_t nv = (size_t)pinion_model_nv(e->m), size = nv * nv;
    double *dq = e->out, *dv = dq + size, *dtau = dv + size, *more = dtau + size;
    pinion_status status = driving_forces(e);
    if (status != PINION_OK) return status;
    if (pinion_model_loop_count(e->m))
        status = pn_cli_eval_d_loop_dynamics(e, e->out2, dq, dv, dtau);
    else
        status = by < 0 ? pinion_d_forward_dynamics(e->m, e->w, s->q, s->v, e->out2, forces(e), dq, dv, dtau)
                        : pinion_d_forward_dynamics_by(e->m, e->w, by, s->q, s->v, e->out2, forces(e), dq, dv,
                                                       dtau);
    if (status != PINION_OK || !e->passive) return status;
    status = pinion_d_passive_forces(e->m, e->w, s->q, s->v, more, more + size);
    if (status == PINION_OK && e->elements)
        status = pinion_d_elements_forces(e->elements, e->w, s->q, s->v, more, more + size);
    for (size_t i = 0; i < 2 * size; i++)
        for (size_t k = 0; k < nv; k++)
            e->out[i] += dtau[i % size / nv * nv + k] * more[i / size * size + k * nv + i % nv];
    return status;
}

/* The parts of an operational space in e->out: 6 x 6, 6 x 6, 6, 6, nv x 6. */
static pinion_operational_parts operational_parts(const evaluation *e)
{
    pinion_operational_parts parts = {e->out, e->out + 36, e->out + 72, e->out + 78, e->out + 84};
    return parts;
}

static pinion_status operational_space(evaluation *e, int frame)
{
    const pinion_operational_parts parts = operational_parts(e);
    int by = e->by[PINION_PROBLEM_OPERATIONAL_SPACE], nv = pinion_model_nv(e->m);
    e->out[0] = NAN;
    pinion_status status =
        pinion_operational_space_by(e->m, e->w, by, e->s.q, e->s.v, frame, PINION_REFERENCE_WORLD_ALIGNED, &parts);
    /* a frame that cannot move in every direction has the first part and not the others */
    if (status != PINION_ERR_SINGULAR || !isfinite(parts.inverse[0])) return status;
    for (int i = 36; i < 84 + 6 * nv; i++) e->out[i] = NAN;
    return PINION_OK;
}

/* The factors of M in e->out, and behind them M^-1 tau and M a. */
static pinion_status factorization(evaluation *e)
{
    int by = e->by[PINION_PROBLEM_FACTORIZATION], nv = pinion_model_nv(e->m);
    double *solve = e->out + pinion_factorization_size(e->m, by), *multiply = solve + nv;
    pinion_status status = pinion_factorization_by(e->m, e->w, by, e->s.q, e->out);
    if (status == PINION_OK) status = pinion_factorization_solve(e->m, e->w, by, e->out, e->s.tau, solve);
    if (status == PINION_OK) status = pinion_factorization_multiply(e->m, e->w, by, e->out, e->s.a, multiply);
    return status;
}

/* Springs are in the potential where passive elements are on, those of loop joints too. */
static pinion_status energy(evaluation *e)
{
    const state *s = &e->s;
    double springs = 0;
    pinion_status status = pinion_energy(e->m, e->w, s->q, s->v, e->passive, &e->out[0], &e->out[1]);
    if (status == PINION_OK && e->passive && pinion_model_loop_count(e->m))
        status = pinion_loop_active_forces(e->m, e->w, s->q, s->v, NULL, 1, e->out2, &springs);
    e->out[1] += springs;
    if (status != PINION_OK || !e->passive || !e->elements) return status;
    status = pinion_elements_forces(e->elements, e->w, s->q, NULL, NULL, NULL, NULL, &springs);
    e->out[1] += springs;
    return status;
}

/* its gradients, dq_kinetic, dv_kinetic and dq_potential one behind the other */
static pinion_status d_energy(evaluation *e)
{
    const state *s = &e->s;
    const int nv = pinion_model_nv(e->m);
    double *dq = e->out + 2 * nv;
    pinion_status status = pinion_d_energy(e->m, e->w, s->q, s->v, e->passive, e->out, e->out + nv, dq);
    if (status == PINION_OK && e->passive && e->elements) {
        for (int i = 0; i < nv; i++) e->out2[i] = 0;
        status = pn_cli_eval_add_elements(e, NULL, e->out2);
        for (int i = 0; i < nv; i++) dq[i] -= e->out2[i];
    }
    if (status != PINION_OK || !e->passive || !pinion_model_loop_count(e->m)) return status;
    status = pinion_loop_active_forces(e->m, e->w, s->q, NULL, NULL, 1, e->out2, NULL);
    for (int i = 0; i < nv; i++) dq[i] -= e->out2[i];
    return status;
}

/* ------------------------------------------------------------------------------------------------ */
/* The library's quantities: its function, but where passive elements or --algorithm have a say */

/* Results one behind the other in e->out. */
static pinion_status run_quantity(evaluation *e, int number, int frame)
{
    const state *s = &e->s;
    pinion_quantity_call x = {.q = s->q, .v = s->v, .a = s->a, .tau = s->tau, .f_ext = forces(e), .frame = frame};
    double *at = e->out;
    for (int o = 0; o < PINION_QUANTITY_OUTPUTS; o++) {
        x.out[o] = at;
        at += pinion_quantity_size(e->m, number, o, NULL);
    }
    return pinion_quantity_run(e->m, e->w, number, &x);
}

static pinion_status compute_quantity(evaluation *e, const quantity *what)
{
    static const struct {
        const char *name;
        pinion_status (*always)(evaluation *e);
        pinion_status (*by)(evaluation *e, int algorithm);
    } with_more[] = {
        {"inverse_dynamics", inverse_dynamics, NULL},
        {"forward_dynamics", forward_dynamics, NULL},
        {"energy", energy, NULL},
        {"d_energy", d_energy, NULL},
        {"mass_matrix", NULL, mass_matrix_by},
        {"mass_matrix_inverse", NULL, mass_matrix_inverse_by},
        {"coriolis", NULL, coriolis_by},
        {"d_inverse_dynamics", d_inverse_dynamics, NULL},
        {"d_forward_dynamics", d_forward_dynamics, NULL},
    };
    const int number = what->id - Q_LIBRARY, problem = pn_cli_quantity_problem(what->id);
    for (size_t i = 0; i < sizeof with_more / sizeof *with_more; i++) {
        if (pinion_quantity_find(with_more[i].name) != number) continue;
        if (with_more[i].always) return with_more[i].always(e);
        if (e->by[problem] >= 0) return with_more[i].by(e, e->by[problem]);
    }
    return run_quantity(e, number, what->frame_index);
}

/* How many numbers a quantity of the library takes. */
static size_t quantity_room(const evaluation *e, int number)
{
    const size_t nv = (size_t)pinion_model_nv(e->m);
    size_t sum = e->passive ? 2 * nv * nv : 0; /* derivatives of passive forces, beside those of the dynamics */
    for (int o = 0; o < PINION_QUANTITY_OUTPUTS; o++) sum += pinion_quantity_size(e->m, number, o, NULL);
    return sum;
}

/* ------------------------------------------------------------------------------------------------ */

size_t pn_cli_eval_room(const evaluation *e)
{
    size_t nv = (size_t)pinion_model_nv(e->m), most = 8;
    for (int i = 0; i < e->what.count; i++) {
        const int id = e->what.entry[i].id;
        size_t size;
        switch (id) {
        case Q_OPERATIONAL_SPACE: size = 84 + 6 * nv; break;
        case Q_CONSTRAINED_DYNAMICS: size = nv + 6; break;
        case Q_DISTANCE: size = pn_cli_eval_distance_room(e); break;
        case Q_PASSIVE_FORCES: size = pn_cli_eval_passive_room(e); break;
        case Q_FACTORIZATION:
            size = pinion_factorization_size(e->m, e->by[PINION_PROBLEM_FACTORIZATION]) + 2 * nv;
            break;
        default:
            size = id >= Q_LIBRARY ? quantity_room(e, id - Q_LIBRARY) : pn_cli_eval_loop_room(e, (quantity_id)id);
            break;
        }
        if (size > most) most = size;
    }
    return most;
}

pinion_status pn_cli_eval_compute(evaluation *e, const quantity *what)
{
    if (what->id >= Q_LIBRARY) return compute_quantity(e, what);
    switch ((quantity_id)what->id) {
    case Q_OPERATIONAL_SPACE: return operational_space(e, what->frame_index);
    case Q_CONSTRAINED_DYNAMICS: return constrained_dynamics(e, what->frame_index);
    case Q_FACTORIZATION: return factorization(e);
    case Q_DISTANCE: return pn_cli_eval_distance(e, what);
    case Q_PASSIVE_FORCES: return pn_cli_eval_passive(e);
    case Q_CONSTRAINT_FORCES: {
        const pinion_status status = driving_forces(e);
        return status == PINION_OK ? pn_cli_eval_loop_compute(e, what, e->out2) : status;
    }
    case Q_CONSTRAINTS:
    case Q_DELASSUS:
    case Q_LOOP_INVERSE_DYNAMICS:
    case Q_MOBILITY: return pn_cli_eval_loop_compute(e, what, NULL);
    default: return PINION_ERR_ARGUMENT; /* refused when --what was read */
    }
}

/* Every frame by name: {"position": [3], "rotation": [[3], [3], [3]]}. */
static void print_frames(evaluation *e)
{
    int count = pinion_model_frame_count(e->m);
    const double *position = e->out, *rotation = e->out + 3 * (size_t)count;
    pn_cli_json_open(&e->json, '{', 0);
    for (int i = 0; i < count; i++) {
        pinion_frame_info frame;
        if (pinion_model_frame(e->m, i, &frame) != PINION_OK) continue;
        pn_cli_json_key(&e->json, frame.name);
        pn_cli_json_open(&e->json, '{', 1);
        pn_cli_json_key(&e->json, "position");
        pn_cli_json_numbers(&e->json, position + 3 * (size_t)i, 3);
        pn_cli_json_key(&e->json, "rotation");
        pn_cli_json_matrix(&e->json, rotation + 9 * (size_t)i, 3, 3);
        pn_cli_json_close(&e->json);
    }
    pn_cli_json_close(&e->json);
}

static void print_com(evaluation *e)
{
    pn_cli_json_open(&e->json, '{', 1);
    pn_cli_json_key(&e->json, "mass");
    pn_cli_json_number(&e->json, pinion_model_mass(e->m));
    pn_cli_json_key(&e->json, "position");
    pn_cli_json_numbers(&e->json, e->out, 3);
    pn_cli_json_key(&e->json, "velocity");
    pn_cli_json_numbers(&e->json, e->out + 3, 3);
    pn_cli_json_close(&e->json);
}

/* One part of an operational space; null when it does not exist. */
static void print_part(cli_json *j, const char *key, const double *x, int rows)
{
    pn_cli_json_key(j, key);
    if (!isfinite(x[0]))
        pn_cli_json_number(j, NAN);
    else if (rows == 1)
        pn_cli_json_numbers(j, x, 6);
    else
        pn_cli_json_matrix(j, x, rows, 6);
}

static void print_operational_space(evaluation *e)
{
    const pinion_operational_parts parts = operational_parts(e);
    pn_cli_json_open(&e->json, '{', 0);
    print_part(&e->json, "inverse", parts.inverse, 6);
    print_part(&e->json, "lambda", parts.Lambda, 6);
    print_part(&e->json, "mu", parts.mu, 1);
    print_part(&e->json, "p", parts.p, 1);
    print_part(&e->json, "jbar", parts.Jbar, pinion_model_nv(e->m));
    pn_cli_json_close(&e->json);
}

static void print_constrained(evaluation *e)
{
    int nv = pinion_model_nv(e->m);
    pn_cli_json_open(&e->json, '{', 0);
    pn_cli_json_key(&e->json, "acceleration");
    pn_cli_json_numbers(&e->json, e->out, nv);
    pn_cli_json_key(&e->json, "lambda");
    pn_cli_json_numbers(&e->json, e->out + nv, e->s.constraints);
    pn_cli_json_close(&e->json);
}

/* {"L", "D"} with the ones on L's diagonal put there, {"L"} without D, or {"inverse"}; and what is made of
 * them. */
static void print_factorization(evaluation *e)
{
    int by = e->by[PINION_PROBLEM_FACTORIZATION], nv = pinion_model_nv(e->m);
    const double *solve = e->out + pinion_factorization_size(e->m, by), *multiply = solve + nv;
    int inverse = by == pinion_algorithm_find("inverse"), root = by == pinion_algorithm_find("ltl");
    for (int i = 0; i < nv && !inverse && !root; i++) {
        e->out2[i] = e->out[(size_t)i * (size_t)(nv + 1)];
        e->out[(size_t)i * (size_t)(nv + 1)] = 1;
    }
    pn_cli_json_open(&e->json, '{', 0);
    pn_cli_json_key(&e->json, inverse ? "inverse" : "L");
    pn_cli_json_matrix(&e->json, e->out, nv, nv);
    if (!inverse && !root) {
        pn_cli_json_key(&e->json, "D");
        pn_cli_json_numbers(&e->json, e->out2, nv);
    }
    pn_cli_json_key(&e->json, "solve");
    pn_cli_json_numbers(&e->json, solve, nv);
    pn_cli_json_key(&e->json, "multiply");
    pn_cli_json_numbers(&e->json, multiply, nv);
    pn_cli_json_close(&e->json);
}

/* One result by its shape: a number, an array, an array of rows, an array of matrices. */
static void print_value(cli_json *j, const char *shape, const size_t dims[3], const double *x)
{
    int rank = 0;
    for (const char *c = shape; *c; c++) rank += *c == '[';
    if (rank == 0) {
        pn_cli_json_number(j, *x);
    } else if (rank == 1) {
        pn_cli_json_numbers(j, x, (int)dims[0]);
    } else if (rank == 2) {
        pn_cli_json_matrix(j, x, (int)dims[0], (int)dims[1]);
    } else {
        pn_cli_json_open(j, '[', 0);
        for (size_t i = 0; i < dims[0]; i++)
            pn_cli_json_matrix(j, x + i * dims[1] * dims[2], (int)dims[1], (int)dims[2]);
        pn_cli_json_close(j);
    }
}

/* A quantity of the library: its result, or an object of its results by name. */
static void print_quantity(evaluation *e, const quantity *what)
{
    const int number = what->id - Q_LIBRARY;
    pinion_quantity_info info;
    if (number == pinion_quantity_find("frames")) {
        print_frames(e);
        return;
    }
    if (number == pinion_quantity_find("com")) {
        print_com(e);
        return;
    }
    if (pinion_quantity(number, &info) != PINION_OK) return;
    const double *x = e->out;
    int flat = 1;
    for (int o = 0; o < info.outputs; o++) flat &= strchr(info.output[o].shape, '[') == NULL;
    if (info.outputs > 1) pn_cli_json_open(&e->json, '{', flat);
    for (int o = 0; o < info.outputs; o++) {
        size_t dims[3];
        const size_t size = pinion_quantity_size(e->m, number, o, dims);
        if (info.outputs > 1) pn_cli_json_key(&e->json, info.output[o].name);
        print_value(&e->json, info.output[o].shape, dims, x);
        x += size;
    }
    if (info.outputs > 1) pn_cli_json_close(&e->json);
}

void pn_cli_eval_print(evaluation *e, const quantity *what)
{
    switch (what->id) {
    case Q_OPERATIONAL_SPACE: print_operational_space(e); break;
    case Q_CONSTRAINED_DYNAMICS: print_constrained(e); break;
    case Q_FACTORIZATION: print_factorization(e); break;
    case Q_DISTANCE: pn_cli_eval_print_distance(e); break;
    case Q_PASSIVE_FORCES: pn_cli_eval_print_passive(e); break;
    default:
        if (what->id >= Q_LIBRARY)
            print_quantity(e, what);
        else
            pn_cli_eval_loop_print(e, what);
        break;
    }
}

const char *pn_cli_eval_not_finite(const evaluation *e, const quantity *what)
{
    const int number = what->id - Q_LIBRARY;
    if ((number == pinion_quantity_find("com") || number == pinion_quantity_find("com_jacobian")) &&
        pinion_model_mass(e->m) == 0)
        return "is not finite: nothing that can move has mass, so there is no centre of mass";
    if (what->id == Q_OPERATIONAL_SPACE && isfinite(e->out[0]))
        return "is null but for its inverse: the frame cannot move in all six directions";
    return "is not finite";
}
