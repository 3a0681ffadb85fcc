/* `pinion bench --what control`: how many times faster than the world a model runs under a sampled controller. */
#include "cli/bench/bench.h"

#include "cli/print/json_out.h"
#include "cli/print/print_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RATE 1000    /* Hz */
#define SPAN 0.5     /* s of simulated time in a call */
#define TOLERANCE 1e-8
#define WAY 0.4      /* rad or m, of each joint */

typedef struct loop {
    const pinion_model *m;
    int nq, nv;
    double *q, *to, *gains; /* [nq], [nq], [2 nv] */
    pinion_trajectory *motion;
    pinion_controller *controller;
    pinion_sim *sim;
    pinion_status status;
} loop;

static void loop_free(loop *x)
{
    pinion_sim_free(x->sim);
    pinion_controller_free(x->controller);
    pinion_trajectory_free(x->motion);
    free(x->q);
}

/* From the model's own start to a place a little way off, by computed torque, as pinion sim --tol has it. */
static int loop_new(loop *x, const pinion_model *m, pinion_error *err)
{
    memset(x, 0, sizeof *x);
    x->m = m;
    x->nq = pinion_model_nq(m);
    x->nv = pinion_model_nv(m);
    const size_t nq = (size_t)x->nq, nv = (size_t)x->nv;
    x->q = calloc(2 * nq + 3 * nv + 1, sizeof *x->q);
    if (!x->q) return 0;
    x->to = x->q + nq;
    x->gains = x->to + nq;
    double *way = x->gains + 2 * nv;
    for (int i = 0; i < x->nv; i++) {
        way[i] = WAY;
        x->gains[i] = 100;
        x->gains[x->nv + i] = 20;
    }
    err->status = pinion_initial(m, x->q, NULL);
    if (err->status == PINION_OK) err->status = pinion_integrate(m, x->q, way, 1, x->to);
    if (err->status != PINION_OK) return 0;
    x->motion = pinion_trajectory_between(m, x->q, x->to, SPAN, PINION_PROFILE_QUINTIC, 0, err);
    pinion_control_def def = pinion_control_def_default();
    def.kind = PINION_CONTROL_COMPUTED;
    def.target = x->motion;
    def.kp = x->gains;
    def.kd = x->gains + nv;
    x->controller = x->motion ? pinion_controller_new(m, &def, err) : NULL;
    pinion_sim_options o = pinion_sim_options_default();
    o.integrator = PINION_INTEGRATOR_DOPRI5;
    o.rtol = o.atol = 0.01 * TOLERANCE;
    o.actuators = pinion_controller_actuators;
    o.actuators_user = x->controller;
    o.sample = 1.0 / RATE;
    x->sim = x->controller ? pinion_sim_new(m, &o, err) : NULL;
    return x->sim != NULL;
}

static void run_loop(void *user)
{
    loop *x = user;
    pinion_status status = pinion_sim_start(x->sim, 0, x->q, NULL);
    if (status == PINION_OK) status = pinion_sim_advance(x->sim, SPAN);
    if (status != PINION_OK) x->status = status;
}

int pn_cli_bench_control(const pinion_model *m, double seconds, bench_control *r, pinion_error *err)
{
    loop x;
    int done = loop_new(&x, m, err);
    timed_call call = {run_loop, &x, 0};
    timed_spread spread = {0, 0, 0};
    if (!done && err->message[0] == '\0')
        snprintf(err->message, sizeof err->message, "%s",
                 pinion_status_text(err->status == PINION_OK ? PINION_ERR_MEMORY : err->status));
    done = done && pn_cli_time_within(&call, 1, seconds, &spread);
    if (done && x.status != PINION_OK) {
        snprintf(err->message, sizeof err->message, "%s", pinion_sim_message(x.sim));
        done = 0;
    }
    if (done) {
        long steps = 0, evaluations = 0;
        const double samples = SPAN * RATE;
        pinion_sim_counts(x.sim, &steps, NULL, &evaluations);
        r->nv = x.nv;
        r->ns = call.ns / samples;
        r->low = spread.low / samples;
        r->high = spread.high / samples;
        r->steps = (double)steps / samples;
        r->evaluations = (double)evaluations / samples;
    }
    loop_free(&x);
    return done;
}

/* ------------------------------------------------------------------------------------------------ */

/* How many times faster than the world. */
static double pace(double ns)
{
    return 1e9 / RATE / ns;
}

void pn_cli_bench_control_json(const bench_machine *machine, const bench_control *r, int count)
{
    cli_json json = pn_cli_json(stdout), *j = &json;
    pn_cli_json_open(j, '{', 0);
    pn_cli_put_string(j, "what", "control");
    pn_cli_put_string(j, "processor", machine->processor);
    pn_cli_put_string(j, "compiler", machine->compiler);
    pn_cli_put_string(j, "flags", machine->flags);
    pn_cli_put_string(j, "commit", machine->commit);
    pn_cli_put_integer(j, "rate", RATE);
    pn_cli_put_string(j, "integrator", "dopri5");
    pn_cli_put_number(j, "tolerance", TOLERANCE);
    pn_cli_json_key(j, "models");
    pn_cli_json_open(j, '[', 0);
    for (int i = 0; i < count; i++) {
        pn_cli_json_open(j, '{', 0);
        pn_cli_put_string(j, "model", r[i].title);
        pn_cli_put_integer(j, "nv", r[i].nv);
        pn_cli_put_number(j, "times_real_time", pace(r[i].ns));
        pn_cli_put_number(j, "ns", r[i].ns);
        pn_cli_put_number(j, "low", r[i].low);
        pn_cli_put_number(j, "high", r[i].high);
        pn_cli_put_number(j, "steps", r[i].steps);
        pn_cli_put_number(j, "evaluations", r[i].evaluations);
        pn_cli_json_close(j);
    }
    pn_cli_json_end(j);
}

void pn_cli_bench_control_csv(const bench_control *r, int count)
{
    puts("model,nv,times_real_time,ns,low,high,steps,evaluations");
    for (int i = 0; i < count; i++)
        printf("\"%s\",%d,%.2f,%.1f,%.1f,%.1f,%.3f,%.3f\n", r[i].title, r[i].nv, pace(r[i].ns), r[i].ns, r[i].low,
               r[i].high, r[i].steps, r[i].evaluations);
}

int pn_cli_bench_control_text(const bench_machine *machine, const bench_control *r, int count)
{
    static const char *const title[] = {"model",     "nv",    "times real time", "us a sample",
                                        "quartiles", "steps", "evaluations"};
    printf("pinion %s, commit %s; %s; %s, %s\n", pinion_version(), machine->commit, machine->processor,
           machine->compiler, machine->flags);
    printf("Computed torque at %d Hz, held between samples, dopri5 at --tol %g, one thread. Steps and\n"
           "evaluations are those of a sample.\n\n", RATE, TOLERANCE);
    cli_table t = pn_cli_table(7);
    for (int i = 0; i < 7; i++) pn_cli_table_add(&t, "%s", title[i]);
    for (int i = 0; i < count; i++) {
        pn_cli_table_add(&t, "%s", r[i].title);
        pn_cli_table_add(&t, "%d", r[i].nv);
        pn_cli_table_add(&t, "%.1f", pace(r[i].ns));
        pn_cli_table_add(&t, "%.2f", 1e-3 * r[i].ns);
        pn_cli_table_add(&t, "%.2f to %.2f", 1e-3 * r[i].low, 1e-3 * r[i].high);
        pn_cli_table_add(&t, "%.2f", r[i].steps);
        pn_cli_table_add(&t, "%.2f", r[i].evaluations);
    }
    return pn_cli_table_print(&t, stdout, "lrrrrrr", pn_cli_style(stdout));
}
