/* pinion sim: the gains of a controller, and what is told of them. */
#include "cli/sim/sim_command.h"

#include "cli/args/coordinate_list.h"
#include "cli/print/print_text.h"
#include "sim/control/default_gains.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static double period_of(const sim_run *r)
{
    return pn_gains_period(&r->def.sim);
}

/* Of a velocity what may be taken in a period: by forces that are held, or by what rk4 stands. */
static double most_of(const sim_run *r)
{
    return r->def.sim.sample == 0 && r->def.sim.integrator == PINION_INTEGRATOR_RK4 ? 2.78 : 2;
}

/* Gains that were not given; tells where a period asks for lower ones. */
static void settle(sim_run *r, int sampled, const double *alone, const double *all, unsigned char *lower)
{
    enum { NAMED = 3 };
    char line[400] = "", name[400];
    const int lowered = pn_gains_settle(r->nv, period_of(r), alone, sampled ? all : NULL, r->kp, r->kd, lower);
    for (int i = 0, named = 0; i < r->nv && named < NAMED; i++) {
        const size_t used = strlen(line);
        if (!lower[i]) continue;
        snprintf(line + used, sizeof line - used, "%s%.80s %.3g and %.3g", named++ ? ", " : "",
                 pinion_coordinate_name(r->m, "v", i, name, sizeof name) + 2, r->kp[i], r->kd[i]);
    }
    if (lowered > NAMED) snprintf(line + strlen(line), sizeof line - strlen(line), " and %d more", lowered - NAMED);
    if (lowered && !r->quiet && !r->resumed)
        pn_cli_report(r->command,
                      "note: --kp %d and --kd %d every %g s would shake light joints, which have less: %s",
                      PN_DEFAULT_KP, PN_DEFAULT_KD, period_of(r), line);
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
    double *alone = calloc(nv * (nv + 3) + 1, sizeof *alone), *all = alone + nv, *inverse = all + nv;
    unsigned char *lower = (unsigned char *)(inverse + nv * nv);
    const pinion_status good = !alone    ? PINION_ERR_MEMORY
                               : sampled ? pn_gains_answers(r->m, r->q, r->v, period_of(r), alone, all, inverse)
                                         : PINION_OK;
    if (good == PINION_OK) settle(r, sampled, alone, all, lower);
    if (good == PINION_OK && sampled && pinion_model_loop_count(r->m) == 0) tell_unstable(r, alone);
    if (good == PINION_OK && sampled && pinion_model_loop_count(r->m) > 0) tell_unstable_loops(r, inverse);
    if (good == PINION_OK && !pd && period_of(r) > 0) tell_unstable_computed(r);
    free(alone);
    if (good == PINION_OK) return CLI_DONE;
    pn_cli_report(r->command, "%s", pinion_status_text(good));
    return CLI_FAILED;
}
