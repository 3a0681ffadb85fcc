/* A program that steps a simulation itself: its own controller at 1 kHz holds the Puma 560's shoulder, elbow and
 * wrist by PD with gravity compensation. At 1 s the gripper gets a load of 2 kg that the controller does not know
 * of, and it sags; at 2 s it is told, and it comes back. */
#include <math.h>
#include <stdio.h>

#include <pinion/sim/sim.h>

enum { JOINTS = 6 };

static const double target[JOINTS] = {0.3, 0.6, 0.2, 0, 0.4, 0};

/* What the motors are asked for; `m` is what the controller believes. 0 when something fails. */
static int control(const pinion_model *m, pinion_work *w, const double *q, const double *v, double *u)
{
    static const double kp[JOINTS] = {900, 900, 900, 100, 100, 100}, kd[JOINTS] = {90, 120, 60, 6, 6, 6};
    if (pinion_gravity(m, w, q, u)) return 0;
    for (int i = 0; i < JOINTS; i++) u[i] += kp[i] * (target[i] - q[i]) - kd[i] * v[i];
    return 1;
}

static double farthest(const double *q)
{
    double off = 0;
    for (int i = 0; i < JOINTS; i++) off = fmax(off, fabs(q[i] - target[i]));
    return off;
}

int main(int argc, char **argv)
{
    pinion_error err;
    pinion_model *robot = pinion_load(argc > 1 ? argv[1] : "models/puma560-corke.json", NULL, &err);
    if (!robot || pinion_model_nv(robot) != JOINTS) return puts(robot ? "expected six joints" : err.message), 1;
    pinion_model *believed = pinion_model_copy(robot); /* the run has one model, the controller another */
    pinion_work *w = pinion_work_new(robot);
    pinion_run_def def = pinion_run_def_default();
    def.q = target;
    def.duration = 4;
    def.by_hand = 1;
    def.sim.integrator = PINION_INTEGRATOR_DOPRI5;
    def.sim.rtol = def.sim.atol = 1e-9;
    def.sim.passive = 0;
    pinion_run *run = believed && w ? pinion_run_new(robot, &def, &err) : NULL;
    if (!run) return puts(believed && w ? err.message : "out of memory"), 1;

    const pinion_inertia load = {2, {0, 0, 0.1}, {0, 0, 0, 0, 0, 0}};
    const int hand = pinion_model_link_count(robot) - 1;
    double q[JOINTS], v[JOINTS], u[JOINTS], sagged = 0;
    pinion_sim_state state = {.q = q, .v = v};
    int bad = 0;
    for (int k = 0; !bad; k++) {
        bad = pinion_run_step_to(run, 1e-3 * k) || pinion_sim_get(pinion_run_simulation(run), &state);
        if (bad || pinion_run_ended(run) != PINION_RUN_GOING) break;
        if (k == 1000) bad = pinion_model_set_payload(robot, hand, &load) || pinion_run_changed(run);
        if (k == 2000) bad = pinion_model_set_payload(believed, hand, &load);
        if (k == 2000) sagged = farthest(q);
        if (k % 500 == 0) printf("%.1f s: %.2e rad off\n", state.t, farthest(q));
        bad = bad || !control(believed, w, q, v, u) || pinion_run_apply(run, NULL, u, NULL);
    }
    if (bad) puts(pinion_run_message(run));
    pinion_run_summary summary;
    bad = bad || pinion_run_summarize(run, &summary);
    if (!bad)
        printf("%s at %g s, %ld steps, energies off by %.1e J\n", pinion_run_end_name(summary.end), summary.t_end,
               summary.steps, summary.largest_drift);
    bad = bad || !(sagged > 1e-3) || !(farthest(q) < 1e-3 * sagged) || !(summary.largest_drift < 1e-6);
    pinion_run_free(run);
    pinion_work_free(w);
    pinion_model_free(believed);
    pinion_model_free(robot);
    return bad;
}
