/* pinion sim: what is said at the end. */
#include "cli/sim/sim_command.h"

#include "cli/args/load_option.h"
#include "cli/print/json_out.h"
#include "cli/print/progress.h"
#include "cli/print/print_text.h"

#include <math.h>
#include <stdlib.h>

#define STIFF 30000 /* steps a simulated second that an explicit method should not need */

int pn_cli_sim_stiff(const sim_run *r, long steps, double seconds)
{
    const pinion_integrator method = r->def.sim.integrator;
    return !pinion_integrator_is_fixed(method) && !pinion_integrator_restarts(method) &&
           (double)steps > STIFF * seconds;
}

double pn_cli_sim_delay(const sim_run *r, double step)
{
    double shortest = INFINITY;
    pinion_actuator_info a;
    for (int k = 0; k < pinion_model_actuator_count(r->m) && r->def.sim.actuators && r->def.sim.sample == 0; k++)
        if (pinion_model_actuator(r->m, k, &a) == PINION_OK && a.dynamics.delay > 0)
            shortest = fmin(shortest, a.dynamics.delay);
    return step > 0.2 * shortest ? shortest : 0;
}

/* The files that were asked for, each under its option. */
static void json_files(cli_json *j, const sim_run *r)
{
    const struct {
        const char *key, *path;
    } file[] = {
        {"output", r->output}, {"report", r->report}, {"plot", r->plot}, {"checkpoint", r->def.checkpoint}};
    pn_cli_json_open(j, '{', 1);
    for (int i = 0; i < 4; i++) {
        if (!file[i].path) continue;
        pn_cli_json_key(j, file[i].key);
        pn_cli_json_string(j, file[i].path);
    }
    pn_cli_json_close(j);
}

static void json_number(cli_json *j, const char *key, double x)
{
    pn_cli_json_key(j, key);
    pn_cli_json_number(j, x);
}

static void json_events(cli_json *j, const pinion_result *r)
{
    pn_cli_json_open(j, '[', 0);
    for (int i = 0; i < pinion_result_event_count(r); i++) {
        double t = 0;
        const char *text = pinion_result_event(r, i, &t);
        pn_cli_json_open(j, '{', 1);
        json_number(j, "t", t);
        pn_cli_json_key(j, "text");
        pn_cli_json_string(j, text);
        pn_cli_json_close(j);
    }
    pn_cli_json_close(j);
}

/* The loops: how well they were kept, and what there is to know about them at the start. */
static void json_loops(cli_json *j, const sim_run *r, const pinion_run_summary *s)
{
    pn_cli_json_open(j, '{', 1);
    json_number(j, "constraint", s->constraint);
    json_number(j, "rows", r->start.mobility.rows);
    json_number(j, "rank", r->start.mobility.rank);
    json_number(j, "freedom", r->start.mobility.freedom);
    pn_cli_json_key(j, "stabilization");
    pn_cli_json_string(j, pinion_stabilization_name(pinion_sim_stabilization(pinion_run_simulation(r->run))));
    pn_cli_json_close(j);
}

#define CONTACT_TEXT 600

/* What is to be told of contact, one after the other; 0 behind the last one. */
static int contact_warning(const sim_run *r, const pinion_contact_totals *c, int which, char text[CONTACT_TEXT])
{
    int spins = 0;
    for (int i = 0; i < pinion_model_collision_count(r->m); i++) {
        pinion_collision_info info;
        spins += pinion_model_collision(r->m, i, &info) == PINION_OK && info.dimension > 3 &&
                 (info.friction[1] > 0 || info.friction[2] > 0);
    }
    text[0] = '\0';
    switch (which) {
    case 0:
        if (c->unsolved)
            snprintf(text, CONTACT_TEXT, "contact was not solved to its tolerance in %ld step%s", c->unsolved,
                     pn_cli_plural(c->unsolved));
        else if (c->softened)
            snprintf(text, 200, "contact was solved with a compliance of 1e-6 in %ld step%s", c->softened,
                     pn_cli_plural(c->softened));
        return 1;
    case 1:
        if (c->left_out) pn_cli_tell_meshes(c->left_out, r->mesh_fault, text, CONTACT_TEXT);
        return 1;
    case 2:
        if (spins)
            snprintf(text, CONTACT_TEXT,
                     "friction against spin and rolling, which %d collision%s, takes no part in contact", spins,
                     spins == 1 ? " has" : "s have");
        return 1;
    case 3:
        if (c->unrecorded)
            snprintf(text, CONTACT_TEXT, "more than %d pairs touched: forces and gaps of the first are recorded",
                     PINION_RUN_PAIRS);
        return 1;
    case 4:
        if (!c->pairs) snprintf(text, CONTACT_TEXT, "no collisions of the model may touch");
        return 1;
    case 5:
        if (c->immovable)
            snprintf(text, CONTACT_TEXT,
                     "up to %d point%s of contact %s left out: the bodies cannot move apart there, as where the joint "
                     "between them is; links may exclude each other", c->immovable, pn_cli_plural(c->immovable),
                     c->immovable == 1 ? "was" : "were");
        return 1;
    default: return 0;
    }
}

/* What of the run a task gave way in, by its rows: what the integrator tries between them is not the motion. */
typedef struct yielding {
    double seconds, most; /* for how long; by which part at most */
    double out;           /* m, that its target was out of reach at most */
    int first;            /* it did at the start */
} yielding;

/* 0: there is no such task. */
static int gave_way(const sim_run *r, int task, yielding *x)
{
    const size_t nq = (size_t)r->nq, nv = (size_t)r->nv, nu = (size_t)pinion_model_actuator_count(r->m),
                 rows = pinion_result_row_count(r->result);
    double *q = malloc((nq + nv + nu + 1) * sizeof *q), *v = q + nq;
    int is = r->tasks && q && !isnan(pinion_tasks_damped(r->tasks, task));
    const double *t = pinion_result_values(r->result, 0);
    *x = (yielding){0};
    for (size_t i = 0; i < rows && is; i++) {
        /* t, q and v are the first columns; a row stands for what is nearest to it */
        for (size_t k = 0; k < nq + nv; k++) q[k] = pinion_result_values(r->result, (int)k + 1)[i];
        if (pinion_tasks_actuators(r->tasks, t[i], q, v, v + nv) != PINION_OK) continue;
        const double part = pinion_tasks_damped(r->tasks, task);
        x->out = fmax(x->out, pinion_tasks_out_of_reach(r->tasks, task));
        if (!(part > 0)) continue;
        x->seconds += (t[i + 1 < rows ? i + 1 : i] - t[i > 0 ? i - 1 : i]) / 2;
        x->most = fmax(x->most, part);
        if (i == 0) x->first = 1;
    }
    free(q);
    return is;
}

static void json_tasks(cli_json *j, const sim_run *r)
{
    yielding x;
    pn_cli_json_key(j, "damped_tasks");
    pn_cli_json_open(j, '[', 0);
    for (int i = 0; gave_way(r, i, &x); i++) {
        if (!(x.most > 0 || x.out > 0)) continue;
        pn_cli_json_open(j, '{', 1);
        json_number(j, "task", i);
        json_number(j, "seconds", x.seconds);
        json_number(j, "most", x.most);
        json_number(j, "out_of_reach", x.out);
        pn_cli_json_close(j);
    }
    pn_cli_json_close(j);
}

static void print_tasks(const sim_run *r)
{
    yielding x;
    for (int i = 0; gave_way(r, i, &x); i++) {
        if (x.out > 0) fprintf(stderr, "  the target of task %d was out of reach by up to %.3g m\n", i, x.out);
        if (x.most > 0)
            fprintf(stderr, "  task %d gave way near a singular position for about %.2g s%s, by up to %.2g %% of what "
                            "it wants there%s\n", i, x.seconds, x.first ? ", from the start on" : "", 100 * x.most,
                    x.out > 0 ? "" : "; its target may be out of reach");
    }
}

static void print_json(const sim_run *r, const pinion_run_summary *s, double wall)
{
    cli_json j = pn_cli_json(stdout);
    pn_cli_json_open(&j, '{', 0);
    pn_cli_json_key(&j, "model");
    pn_cli_json_string(&j, pinion_model_name(r->m));
    pn_cli_json_key(&j, "files");
    json_files(&j, r);
    json_number(&j, "rows", (double)pinion_result_row_count(r->result));
    json_number(&j, "output_step", s->output_step);
    json_number(&j, "t_end", s->t_end);
    pn_cli_json_key(&j, "end");
    pn_cli_json_string(&j, pinion_run_end_name(s->end));
    pn_cli_json_key(&j, "stopped_by");
    if (s->end == PINION_RUN_COMPLETE)
        pn_cli_json_null(&j);
    else
        pn_cli_json_string(&j, s->why);
    pn_cli_json_key(&j, "integrator");
    pn_cli_json_string(&j, pinion_integrator_name(r->def.sim.integrator));
    json_number(&j, "steps", (double)s->steps);
    json_number(&j, "refused", (double)s->refused);
    json_number(&j, "evaluations", (double)s->evaluations);
    if (r->def.sim.integrator == PINION_INTEGRATOR_AUTO) {
        json_number(&j, "implicit_steps", (double)s->implicit_steps);
        json_number(&j, "changes_of_method", (double)s->changes);
    }
    if (r->def.sim.friction == PINION_FRICTION_EXACT) {
        json_number(&j, "sticks", (double)s->sticks);
        json_number(&j, "slips", (double)s->slips);
    }
    if (r->tasks) json_tasks(&j, r);
    pinion_contact_totals c;
    if (pinion_sim_contact(pinion_run_simulation(r->run), &c) == PINION_OK) {
        pn_cli_json_key(&j, "contact");
        pn_cli_json_open(&j, '{', 0);
        json_number(&j, "pairs", c.pairs);
        json_number(&j, "left_out", c.left_out);
        json_number(&j, "most", c.most);
        json_number(&j, "impacts", (double)c.impacts);
        json_number(&j, "bounded", (double)c.bounded);
        json_number(&j, "unsolved", (double)c.unsolved);
        json_number(&j, "softened", (double)c.softened);
        json_number(&j, "penetration", c.penetration);
        json_number(&j, "residual", c.residual);
        json_number(&j, "cone", c.cone);
        json_number(&j, "dual", c.dual);
        json_number(&j, "complementarity", c.complementarity);
        json_number(&j, "dissipation", c.dissipation);
        json_number(&j, "undetermined", (double)c.undetermined);
        json_number(&j, "not_least", (double)c.not_least);
        json_number(&j, "immovable", c.immovable);
        pn_cli_json_close(&j);
    }
    json_number(&j, "largest_kinetic", s->largest_kinetic);
    json_number(&j, "largest_drift", s->largest_drift);
    json_number(&j, "relative_drift", s->relative_drift);
    if (pinion_model_loop_count(r->m) > 0) {
        pn_cli_json_key(&j, "loops");
        json_loops(&j, r, s);
    }
    pn_cli_json_key(&j, "warnings");
    pn_cli_json_open(&j, '[', 0);
    for (int i = 0; i < pinion_model_warning_count(r->m); i++) pn_cli_json_string(&j, pinion_model_warning(r->m, i));
    if (*s->warning) pn_cli_json_string(&j, s->warning);
    char text[CONTACT_TEXT];
    const int touches = pinion_sim_contact(pinion_run_simulation(r->run), &c) == PINION_OK;
    for (int i = 0; touches && contact_warning(r, &c, i, text); i++)
        if (*text) pn_cli_json_string(&j, text);
    pn_cli_limits_json(&j, &r->limits);
    pn_cli_json_close(&j);
    json_number(&j, "wall_seconds", wall);
    pn_cli_json_key(&j, "events");
    json_events(&j, r->result);
    pn_cli_json_end(&j);
}

static void print_loops(const sim_run *r, const pinion_run_summary *s)
{
    const pinion_mobility *m = &r->start.mobility;
    const pinion_stabilization how = pinion_sim_stabilization(pinion_run_simulation(r->run));
    fprintf(stderr, "  loops: %d constraint%s of rank %d%s, %d degree%s of freedom at the start\n", m->rows,
            pn_cli_plural(m->rows), m->rank, m->redundant ? " (the others follow from these)" : "",
            m->freedom, pn_cli_plural(m->freedom));
    fprintf(stderr, "  loops: closed to %.2g, %s%s\n", s->constraint,
            r->def.sim.contact                 ? "by the steps with contact"
            : how == PINION_STABILIZATION_NONE ? "without stabilization"
                                               : "by ",
            r->def.sim.contact                      ? ""
            : how == PINION_STABILIZATION_PROJECTION  ? "projection"
            : how == PINION_STABILIZATION_BAUMGARTE ? "Baumgarte's stabilization"
            : how == PINION_STABILIZATION_BOTH      ? "projection and Baumgarte's stabilization"
                                      : "");
    if (r->def.sim.integrator == PINION_INTEGRATOR_ADAMS && r->def.sim.stabilization != how)
        fprintf(stderr, "  (adams cannot project onto the constraints)\n");
}

/* What contact came to. */
static void print_contact(const sim_run *r)
{
    pinion_contact_totals c;
    if (pinion_sim_contact(pinion_run_simulation(r->run), &c) != PINION_OK) return;
    fprintf(stderr, "  contact: %d pair%s, at most %d point%s, penetration %.2g m, residual %.1e m/s at most", c.pairs,
            pn_cli_plural(c.pairs), c.most, pn_cli_plural(c.most), c.penetration, c.residual);
    if (c.impacts) fprintf(stderr, ", %ld impact%s", c.impacts, pn_cli_plural(c.impacts));
    fprintf(stderr, "\n  contact: cone %.1e N s, dual %.1e m/s, complementarity %.1e J, dissipation %.1e J at most\n",
            c.cone, c.dual, c.complementarity, c.dissipation);
    if (c.undetermined)
        fprintf(stderr, "  contact: forces are not determined in %ld row%s; those of least norm are recorded",
                c.undetermined, pn_cli_plural(c.undetermined));
    if (c.not_least) fprintf(stderr, ", but in %ld, where they were not found", c.not_least);
    if (c.undetermined) fputc('\n', stderr);
    if (c.bounded)
        fprintf(stderr, "  contact: restitution would have added energy in %ld step%s, and was made less\n", c.bounded,
                pn_cli_plural(c.bounded));
    char text[CONTACT_TEXT];
    for (int i = 0; contact_warning(r, &c, i, text); i++)
        if (*text) fprintf(stderr, "  warning: %s\n", text);
}

/* The drift in words: against the largest kinetic energy, where there is any. */
static void print_drift(const sim_run *r, const pinion_run_summary *s)
{
    if (!isfinite(s->largest_drift))
        fprintf(stderr, "  energy: not finite\n");
    else if (isfinite(s->relative_drift) && s->drift_scale > s->largest_kinetic)
        fprintf(stderr, "  energy: drifts by %.2g J at most; nothing moves but by what gravity gives in some steps "
                        "(%.2g J)\n", s->largest_drift, s->largest_kinetic);
    else if (isfinite(s->relative_drift))
        fprintf(stderr, "  energy: drifts by %.2g J at most, %.1g of the largest kinetic energy (%.4g J)\n",
                s->largest_drift, s->relative_drift, s->largest_kinetic);
    else
        fprintf(stderr, "  energy: drifts by %.2g J at most; nothing moves%s\n", s->largest_drift,
                s->largest_kinetic > 0 ? " but by rounding" : "");
    if (*s->warning) fprintf(stderr, "  warning: %s\n", s->warning);
    if (pinion_model_loop_count(r->m) > 0) {
        print_loops(r, s);
        return;
    }
    if (s->constraint > 1e-12)
        fprintf(stderr, "  quaternions: off unit length by %.2g at most\n", s->constraint);
}

static void print_text(const sim_run *r, const pinion_run_summary *s, double wall)
{
    enum { SHOWN = 10 };
    char span[40], step[40];
    fflush(stdout);
    pn_cli_put(stderr, pinion_model_name(r->m));
    fprintf(stderr, ": %.6g s simulated", s->t_end);
    if (r->from > 0) fprintf(stderr, ", those from %.6g s on", r->from);
    const size_t rows = pinion_result_row_count(r->result);
    fprintf(stderr, " in %s, %zu row%s", pn_cli_span_text(wall, span, sizeof span), rows, pn_cli_plural(rows));
    if (!r->args->value[OPT_OUTPUT_STEP])
        fprintf(stderr, " (every %s s)", pn_cli_number_text(s->output_step, step, sizeof step));
    fprintf(stderr, "\n  %s: %ld steps, %ld refused, %ld evaluations, %.3g steps/s\n",
            pinion_integrator_name(r->def.sim.integrator), s->steps, s->refused, s->evaluations,
            (double)(s->steps - r->before) / (wall > 0 ? wall : 1e-9));
    if (s->changes > 0)
        fprintf(stderr, "  auto: the motion is stiff in places: %ld steps by bdf, the others by dopri5, %ld change%s\n",
                s->implicit_steps, s->changes, pn_cli_plural(s->changes));
    if (r->def.sim.friction == PINION_FRICTION_EXACT && !r->def.sim.contact && pn_cli_sim_rubs(r))
        fprintf(stderr, "  friction: joints came to stick %ld time%s and broke away %ld time%s\n", s->sticks,
                pn_cli_plural(s->sticks), s->slips, pn_cli_plural(s->slips));
    print_tasks(r);
    const int short_steps = r->short_steps || (s->steps > STIFF && pn_cli_sim_stiff(r, s->steps, s->t_end));
    const double delay = pn_cli_sim_delay(r, s->t_end / (double)(s->steps > 0 ? s->steps : 1));
    if (short_steps && delay > 0)
        fprintf(stderr, "  steps are short: none is longer than the delay of an actuator, %g s (--control-step has "
                        "longer ones)\n", delay);
    else if (short_steps)
        fprintf(stderr,
                "  steps are short: friction, stops or contacts may be stiff (--friction-speed, --limits, --forces,\n"
                "  or %s--tol 1e-8)\n",
                r->def.sim.integrator == PINION_INTEGRATOR_AUTO ? "" : "an implicit method: --integrator bdf ");
    print_contact(r);
    print_drift(r, s);
    const int events = pinion_result_event_count(r->result);
    for (int i = 0; i < events && i < SHOWN; i++) {
        double t = 0;
        const char *text = pinion_result_event(r->result, i, &t);
        fprintf(stderr, "  t = %.9g s: ", t);
        pn_cli_put(stderr, text);
        fputc('\n', stderr);
    }
    if (events > SHOWN) fprintf(stderr, "  and %d more events\n", events - SHOWN);
    if (s->end == PINION_RUN_STOPPED) fprintf(stderr, "  stopped there\n");
    const char *const file[] = {r->output, r->report, r->plot};
    for (int i = 0; i < 3; i++) pn_cli_put_written(file[i]);
}

/* What stays of the text with --quiet. */
static void print_warnings(const sim_run *r, const pinion_run_summary *s)
{
    pinion_contact_totals c;
    char text[CONTACT_TEXT];
    const int touches = pinion_sim_contact(pinion_run_simulation(r->run), &c) == PINION_OK;
    for (int i = 0; touches && contact_warning(r, &c, i, text); i++)
        if (*text) pn_cli_report(r->command, "warning: %s", text);
    if (*s->warning) pn_cli_report(r->command, "warning: %s", s->warning);
}

void pn_cli_sim_print(const sim_run *r, const pinion_run_summary *s, double wall)
{
    if (r->json)
        print_json(r, s, wall);
    else if (!r->quiet)
        print_text(r, s, wall);
    else
        print_warnings(r, s);
}
