/* pinion sim: the gains of a controller. A PD controller that is sampled takes kd T / I of a joint's velocity in each
 * period T, and what takes more than twice of it makes it grow. The gains that nobody gave stay well below. Steps of a
 * fixed length are such periods, too. */
#include "cli/sim/sim_command.h"

#include "cli/args/coordinate_list.h"
#include "cli/print/print_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KP 100 /* of a controller that says nothing else */
#define KD 20
#define CALM 0.5 /* of a velocity in one period that the gains of all joints together take, unless they are given */
#define ROUNDING 1e-9

/* M^-1 of a tree becomes that of the mechanism, whose loops stay closed. */
static pinion_status close_loops(const sim_run *r, pinion_work *w, double *inverse)
{
    const size_t nv = (size_t)r->nv, rows = (size_t)pinion_model_row_count(r->m);
    double *L = malloc((rows * (nv + 1) + 2 * nv) * sizeof *L), *tree = L + rows * (nv + 1), *y = tree + nv;
    const pinion_constraints at = {.L = L, .c = L + rows * nv};
    const pinion_status status = L ? pinion_constraints_at(r->m, w, 0, r->q, r->v, &at) : PINION_ERR_MEMORY;
    for (size_t i = 0; i < nv; i++) tree[i] = inverse[i * nv + i];
    for (size_t k = 0; k < rows && status == PINION_OK; k++, L += nv) {
        double left = 0, whole = 0;
        for (size_t i = 0; i < nv; i++) {
            y[i] = 0;
            for (size_t j = 0; j < nv; j++) y[i] += inverse[i * nv + j] * L[j];
            left += y[i] * L[i];
            whole += tree[i] * L[i] * L[i];
        }
        if (!(left > ROUNDING * whole)) continue; /* it follows from others */
        for (size_t i = 0; i < nv; i++)
            for (size_t j = 0; j < nv; j++) inverse[i * nv + j] -= y[i] * y[j] / left;
    }
    for (size_t i = 0; i < nv && status == PINION_OK; i++) /* what loops hold does not move */
        if (inverse[i * nv + i] < ROUNDING * tree[i])
            for (size_t j = 0; j < nv; j++) inverse[i * nv + j] = inverse[j * nv + i] = 0;
    free((void *)at.L);
    return status;
}

/* The largest eigenvalue of period M^-1 Kd, by powers of it. */
static double strongest(int n, double period, const double *inverse, const double *kd)
{
    double *x = malloc((2 * (size_t)n + 1) * sizeof *x), *y = x + n, size = 0;
    for (int i = 0; x && i < n; i++) x[i] = 1 + 0.3 * sin(i);
    for (int pass = 0; x && pass < 200; pass++) {
        double sum = 0;
        for (int i = 0; i < n; i++) {
            y[i] = 0;
            for (int j = 0; j < n; j++) y[i] += sqrt(kd[i]) * inverse[i * n + j] * sqrt(kd[j]) * x[j];
            sum += y[i] * y[i];
        }
        size = sqrt(sum);
        for (int i = 0; i < n; i++) x[i] = size > 0 ? y[i] / size : 0;
    }
    free(x);
    return period * size;
}

/* How often a controller is asked, 0: as often as it takes. */
static double period_of(const sim_run *r)
{
    const pinion_sim_options *o = &r->def.sim;
    return o->sample > 0 ? o->sample : pinion_integrator_is_fixed(o->integrator) ? o->step : 0;
}

/* Of a velocity what may be taken in a period: by forces that are held, or by what rk4 stands. */
static double most_of(const sim_run *r)
{
    return r->def.sim.sample == 0 && r->def.sim.integrator == PINION_INTEGRATOR_RK4 ? 2.78 : 2;
}

/* Of each velocity that actuators drive what its kd takes of it in a period, for kd = 1: by itself, and the most with
 * the same of all others: a bound of the sum, since in units of the roots of its diagonal M^-1 has entries up to 1.
 * With loops of every velocity: what is asked of joints without an actuator reaches the others through them.
 * `inverse` becomes M^-1. */
static pinion_status answers(const sim_run *r, double period, double *alone, double *all, double *inverse)
{
    const int loops = pinion_model_loop_count(r->m) > 0;
    const size_t nv = (size_t)r->nv, nu = (size_t)pinion_model_actuator_count(r->m);
    pinion_work *w = pinion_work_new(r->m);
    double *B = malloc((nv * nu + 1) * sizeof *B);
    pinion_status status = w && B ? pinion_mass_matrix_inverse(r->m, w, r->q, inverse) : PINION_ERR_MEMORY;
    if (status == PINION_OK) status = pinion_actuation_matrix(r->m, w, r->q, B);
    if (status == PINION_OK && loops) status = close_loops(r, w, inverse);
    for (size_t i = 0; i < nv; i++) {
        int driven = loops;
        for (size_t j = 0; j < nu && status == PINION_OK; j++) driven = driven || B[i * nu + j] != 0;
        alone[i] = driven && status == PINION_OK ? period * inverse[i * nv + i] : 0;
    }
    for (size_t i = 0; i < nv; i++) {
        all[i] = 0;
        for (size_t j = 0; j < nv && alone[i] > 0; j++)
            if (alone[j] > 0)
                all[i] += fmin(alone[i], period * fabs(inverse[i * nv + j]) * sqrt(alone[i] / alone[j]));
    }
    free(B);
    pinion_work_free(w);
    return status;
}

/* Gains that were not given, lower where a period asks for it: critical then. */
static void settle(sim_run *r, int sampled, const double *alone, const double *all)
{
    enum { NAMED = 3 };
    char line[400] = "", name[400];
    int lowered = 0;
    for (int i = 0; i < r->nv; i++) {
        const int own_kd = !isnan(r->kd[i]), own_kp = !isnan(r->kp[i]);
        if (!own_kd) r->kd[i] = KD;
        if (!own_kp) r->kp[i] = KP;
        if (!sampled || own_kd || !(r->kd[i] * all[i] > CALM)) continue;
        const double inertia = period_of(r) / alone[i];
        r->kd[i] = CALM / all[i];
        if (!own_kp) r->kp[i] = fmin(r->kp[i], r->kd[i] * r->kd[i] / (4 * inertia));
        const size_t used = strlen(line);
        if (lowered++ < NAMED)
            snprintf(line + used, sizeof line - used, "%s%.80s %.3g and %.3g", used ? ", " : "",
                     pinion_coordinate_name(r->m, "v", i, name, sizeof name) + 2, r->kp[i], r->kd[i]);
    }
    if (lowered > NAMED) snprintf(line + strlen(line), sizeof line - strlen(line), " and %d more", lowered - NAMED);
    if (lowered && !r->quiet && !r->resumed)
        pn_cli_report(r->command,
                      "note: --kp %d and --kd %d every %g s would shake light joints, which have less: %s", KP, KD,
                      period_of(r), line);
}

/* Says where gains that were given brake too hard. */
static void tell_unstable(const sim_run *r, const double *alone)
{
    char name[400];
    int worst = 0;
    for (int i = 1; i < r->nv; i++)
        if (r->kd[i] * alone[i] > r->kd[worst] * alone[worst]) worst = i;
    const double most = r->nv ? r->kd[worst] * alone[worst] : 0;
    if (most > most_of(r) && !r->resumed)
        pn_cli_report(r->command,
                      "warning: --kd %g of %s every %g s takes %.3g times its velocity in one period, and more than "
                      "%g make it grow; take shorter periods, or no more than %.3g",
                      r->kd[worst], pinion_coordinate_name(r->m, "v", worst, name, sizeof name) + 2,
                      period_of(r), most, most_of(r), most_of(r) / most * r->kd[worst]);
}

/* The same of closed loops, whose joints brake each other. */
static void tell_unstable_loops(const sim_run *r, const double *inverse)
{
    const double most = strongest(r->nv, period_of(r), inverse, r->kd);
    if (most > most_of(r) && !r->resumed)
        pn_cli_report(r->command,
                      "warning: --kd every %g s takes %.3g times a velocity of the closed loops in one period, and "
                      "more than %g make it grow; take shorter periods, or %.3g of these gains at most",
                      period_of(r), most, most_of(r), most_of(r) / most);
}

/* Computed torque is asked for accelerations: it takes kd T of a velocity, whatever the inertia. */
static void tell_unstable_computed(const sim_run *r)
{
    char name[400];
    int worst = 0;
    for (int i = 1; i < r->nv; i++)
        if (r->kd[i] > r->kd[worst]) worst = i;
    const double most = r->nv ? period_of(r) * r->kd[worst] : 0;
    if (most > most_of(r) && !r->resumed)
        pn_cli_report(r->command,
                      "warning: --kd %g of %s every %g s takes %.3g times its velocity in one period, and more than "
                      "%g make it grow; take shorter periods, or no more than %.3g",
                      r->kd[worst], pinion_coordinate_name(r->m, "v", worst, name, sizeof name) + 2, period_of(r),
                      most, most_of(r), most_of(r) / period_of(r));
}

/* The kd of a task: what it wants less where the joints move that way than where they move back, over J v. */
static double task_kd(const sim_run *r, int task, double *memory)
{
    const size_t nv = (size_t)r->nv, most = nv > 6 ? nv : 6;
    double *v = memory, *J = v + nv, *wanted = J + most * nv, *back = wanted + most, kd = 0, longest = 0;
    for (size_t i = 0; i < nv; i++) v[i] = 1 + 0.3 * sin((double)i);
    const int rows = pinion_tasks_wanted(r->tasks, task, 0, r->q, v, J, wanted);
    for (size_t i = 0; i < nv; i++) v[i] = -v[i];
    if (rows < 0 || pinion_tasks_wanted(r->tasks, task, 0, r->q, v, J, back) != rows) return 0;
    for (int k = 0; k < rows; k++) {
        double moves = 0;
        for (size_t i = 0; i < nv; i++) moves += J[(size_t)k * nv + i] * v[i];
        if (!(fabs(moves) > longest)) continue;
        longest = fabs(moves);
        kd = 0.5 * (wanted[k] - back[k]) / moves;
    }
    return kd;
}

void pn_cli_sim_task_gains(const sim_run *r)
{
    const size_t nv = (size_t)r->nv, most = nv > 6 ? nv : 6;
    const double period = period_of(r);
    double *memory = malloc((nv + most * (nv + 2)) * sizeof *memory);
    for (int i = 0; memory && period > 0 && !r->resumed && !isnan(pinion_tasks_damped(r->tasks, i)); i++) {
        const double kd = task_kd(r, i, memory);
        if (period * kd > most_of(r))
            pn_cli_report(r->command,
                          "warning: kd %.4g of task %d every %g s takes %.3g times its velocity in one period, and "
                          "more than %g make it grow; take shorter periods, or no more than %.3g",
                          kd, i, period, period * kd, most_of(r), most_of(r) / period);
    }
    free(memory);
}

/* A list over what is not given yet. */
static int read_list(sim_run *r, option_id option, const char *name, double *gain)
{
    const char *list = r->args->value[option];
    for (int i = 0; i < r->nv; i++) gain[i] = NAN;
    const int status = list ? pn_cli_coordinates(r->command, name, r->m, "v", 1, list, gain) : CLI_DONE;
    for (int i = 0; i < r->nv && status == CLI_DONE; i++) {
        if (!(gain[i] < 0)) continue;
        pn_cli_report(r->command, "--%s: expected numbers of at least 0", name);
        return CLI_USAGE;
    }
    return status;
}

int pn_cli_sim_gains(sim_run *r, int pd)
{
    const int sampled = pd && period_of(r) > 0;
    int status = read_list(r, OPT_KP, "kp", r->kp);
    if (status == CLI_DONE) status = read_list(r, OPT_KD, "kd", r->kd);
    if (status != CLI_DONE) return status;
    const size_t nv = (size_t)r->nv;
    double *alone = calloc(nv * (nv + 2) + 1, sizeof *alone), *all = alone + nv, *inverse = all + nv;
    const pinion_status good =
        !alone ? PINION_ERR_MEMORY : sampled ? answers(r, period_of(r), alone, all, inverse) : PINION_OK;
    if (good == PINION_OK) settle(r, sampled, alone, all);
    if (good == PINION_OK && sampled && pinion_model_loop_count(r->m) == 0) tell_unstable(r, alone);
    if (good == PINION_OK && sampled && pinion_model_loop_count(r->m) > 0) tell_unstable_loops(r, inverse);
    if (good == PINION_OK && !pd && period_of(r) > 0) tell_unstable_computed(r);
    free(alone);
    if (good == PINION_OK) return CLI_DONE;
    pn_cli_report(r->command, "%s", pinion_status_text(good));
    return CLI_FAILED;
}
