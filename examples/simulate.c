/* A simulation: the Stanford arm is moved by computed torque from one posture to another, and its joints are
 * printed as it goes. What the library promises is checked at the end: the arm arrives, and the balance of energy
 * and work is kept. */
#include <math.h>
#include <stdio.h>

#include <pinion/sim/sim.h>

#define JOINTS 6

/* The motion from q0 to q1 in two seconds, and the controller that follows it. */
static pinion_controller *follow(const pinion_model *m, pinion_trajectory *motion, pinion_error *err)
{
    double kp[JOINTS], kd[JOINTS];
    for (int i = 0; i < JOINTS; i++) {
        kp[i] = 100; /* 1/s^2: critically damped, at 10 rad/s */
        kd[i] = 20;  /* 1/s */
    }
    pinion_control_def def = pinion_control_def_default();
    def.kind = PINION_CONTROL_COMPUTED;
    def.target = motion;
    def.kp = kp;
    def.kd = kd;
    return pinion_controller_new(m, &def, err);
}

/* Runs for three seconds and prints a line every half; the last state stays in `state`. */
static int run(pinion_sim *s, const double *start, pinion_sim_state *state)
{
    if (pinion_sim_start(s, 0, start, NULL)) return 0;
    for (int k = 0; k <= 6; k++) {
        if (pinion_sim_advance(s, 0.5 * k) || pinion_sim_get(s, state)) return 0;
        printf("%4.1f s ", state->t);
        for (int i = 0; i < JOINTS; i++) printf(" %8.4f", state->q[i]);
        printf("   %7.3f J\n", state->kinetic);
    }
    return 1;
}

int main(int argc, char **argv)
{
    pinion_error err;
    pinion_model *m = pinion_load(argc > 1 ? argv[1] : "models/stanford.json", NULL, &err);
    if (!m || pinion_model_nq(m) != JOINTS) return puts(m ? "expected an arm of six joints" : err.message), 1;

    /* the motion starts at q0, the arm a little beside it */
    const double q0[JOINTS] = {0, 1.5, 0.1, 0, 0, 0}, q1[JOINTS] = {1, 1, 0.3, 0.5, 0.5, 0.5};
    const double start[JOINTS] = {0.05, 1.45, 0.12, 0, 0.05, 0};
    pinion_trajectory *motion = pinion_trajectory_between(m, q0, q1, 2, PINION_PROFILE_QUINTIC, 0, &err);
    pinion_controller *c = motion ? follow(m, motion, &err) : NULL;
    if (!c) return puts(err.message), 1;

    pinion_sim_options options = pinion_sim_options_default();
    options.torque = pinion_controller_torque;
    options.torque_jump = pinion_controller_jump;
    options.torque_user = c;
    pinion_sim *s = pinion_sim_new(m, &options, &err);
    if (!s) return puts(err.message), 1;

    double q[JOINTS], off = 0;
    pinion_sim_state state = {.q = q};
    if (!run(s, start, &state)) return puts(pinion_sim_message(s)), 1;
    for (int i = 0; i < JOINTS; i++) off = fmax(off, fabs(q[i] - q1[i]));
    printf("off the target by %.1e, energy and work balance to %.1e J\n", off, fabs(state.drift));

    pinion_sim_free(s);
    pinion_controller_free(c);
    pinion_trajectory_free(motion);
    pinion_model_free(m);
    return off < 1e-8 && fabs(state.drift) < 1e-8 ? 0 : 1;
}
