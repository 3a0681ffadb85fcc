/* Control in task space: tasks get the accelerations they want, lower ones leave higher ones alone, and what floats is
 * moved by what it holds on to. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <unistd.h>

#include "check.h"
#include "pinion/loops.h"
#include "sim/driver.h"

static char folder[] = "/tmp/pinion-tasks-XXXXXX";
#include "folder.h"

enum { MAX = 24 };

/* What a task has of J a, less what it wants, largest in magnitude; axes of weight 0 do not count. */
static double missing(pinion_tasks *x, int task, const double *axes, double t, const double *q, const double *v,
                      const double *a, int nv)
{
    double J[MAX * MAX], wanted[MAX], most = 0;
    const int rows = pinion_tasks_wanted(x, task, t, q, v, J, wanted);
    CHECK(rows > 0);
    for (int i = 0; i < rows; i++) {
        double sum = -wanted[i];
        for (int k = 0; k < nv; k++) sum += J[i * nv + k] * a[k];
        if (!axes || axes[i] > 0) most = fmax(most, fabs(sum));
    }
    return most;
}

static pinion_tasks *make(const pinion_model *m, int count, const pinion_task *task, int held_count,
                          const pinion_held *held)
{
    pinion_error err = {0};
    pinion_tasks_def def = pinion_tasks_def_default();
    def.count = count;
    def.tasks = task;
    def.held_count = held_count;
    def.held = held;
    pinion_tasks *x = pinion_tasks_new(m, &def, &err);
    if (!x) CHECK_FAIL("%s", err.message);
    return x;
}

static pinion_task frame_task(const pinion_model *m, const char *name, int priority, int turns)
{
    pinion_task task = pinion_task_default();
    task.frame = pinion_model_find_frame(m, name);
    task.priority = priority;
    for (int i = 0; i < 3; i++) task.axes[i] = turns;
    return task;
}

/* Accelerations of a tree under u. */
static void accelerate(const pinion_model *m, pinion_work *w, const double *q, const double *v, const double *u,
                       double *a)
{
    double tau[MAX];
    CHECK_STATUS(pinion_actuation_torque(m, w, q, u, tau), PINION_OK);
    CHECK_STATUS(pinion_forward_dynamics(m, w, q, v, tau, NULL, a), PINION_OK);
}

/* An arm of six joints: a position needs three of them, an orientation the others, and a posture gets what is left. */
TEST(lower_tasks_leave_higher_ones_alone)
{
    pinion_model *m = driver_model("arm-6dof.json");
    pinion_work *w = pinion_work_new(m);
    double q[6], v[6], u[6], a[6], alone[6], rest[6] = {0};
    static const double only_position[6] = {0, 0, 0, 1, 1, 1}, only_turns[6] = {1, 1, 1, 0, 0, 0};
    int met = 0, near_singular = 0;
    for (uint64_t seed = 1; seed <= 30; seed++) {
        driver_random(m, seed, 1.5, q, v);
        pinion_task task[3] = {frame_task(m, "flange", 0, 0), frame_task(m, "flange", 1, 1), pinion_task_default()};
        for (int i = 3; i < 6; i++) task[1].axes[i] = 0;
        task[0].goal.pose.position[2] = 0.5;
        task[2].kind = PINION_TASK_POSTURE;
        task[2].priority = 2;
        task[2].posture = rest;
        pinion_tasks *one = make(m, 1, task, 0, NULL), *all = make(m, 3, task, 0, NULL);
        CHECK_STATUS(pinion_tasks_actuators(one, 0, q, v, u), PINION_OK);
        accelerate(m, w, q, v, u, alone);
        CHECK_STATUS(pinion_tasks_actuators(all, 0, q, v, u), PINION_OK);
        accelerate(m, w, q, v, u, a);

        /* both have what the first wants, whatever the others do; sizes are those of the accelerations */
        if (pinion_tasks_damped(one, 0) > 0 || pinion_tasks_damped(all, 0) > 0) {
            near_singular++;
            pinion_tasks_free(one);
            pinion_tasks_free(all);
            continue;
        }
        double size = 1;
        for (int i = 0; i < 6; i++) size = fmax(size, fabs(a[i]));
        CHECK(missing(one, 0, only_position, 0, q, v, alone, 6) < 1e-10 * size);
        CHECK(missing(all, 0, only_position, 0, q, v, a, 6) < 1e-10 * size);
        double most = 0;
        for (int i = 0; i < 6; i++) most = fmax(most, fabs(a[i] - alone[i]));
        CHECK(most > 1e-3);
        met += missing(all, 1, only_turns, 0, q, v, a, 6) < 1e-8 * size;
        pinion_tasks_free(one);
        pinion_tasks_free(all);
    }
    CHECK(near_singular <= 1);
    CHECK(met >= 25); /* six joints have both; near singular positions the second is met in part */
    pinion_work_free(w);
    pinion_model_free(m);
}

/* Two tasks of one priority that contradict each other, the same frame to two places: what comes out is the mean of
 * what they want, by their weights. */
TEST(weights_share_a_priority)
{
    pinion_model *m = driver_model("arm-6dof.json");
    pinion_work *w = pinion_work_new(m);
    double q[6], v[6] = {0}, u[6], a[6], J[36], wanted[2][6];
    driver_random(m, 5, 0, q, v);
    pinion_task task[2] = {frame_task(m, "flange", 0, 0), frame_task(m, "flange", 0, 0)};
    task[0].weight = 3;
    task[1].goal.pose.position[0] = 1;
    pinion_tasks *x = make(m, 2, task, 0, NULL);
    CHECK_STATUS(pinion_tasks_actuators(x, 0, q, v, u), PINION_OK);
    accelerate(m, w, q, v, u, a);
    for (int k = 0; k < 2; k++) CHECK(pinion_tasks_wanted(x, k, 0, q, v, J, wanted[k]) == 6);
    for (int k = 0; k < 2; k++) CHECK(pinion_tasks_damped(x, k) == 0); /* nothing is singular */
    for (int i = 3; i < 6; i++) {
        double sum = 0;
        for (int k = 0; k < 6; k++) sum += J[i * 6 + k] * a[k];
        CHECK_NEAR(sum, 0.75 * wanted[0][i] + 0.25 * wanted[1][i], 1e-8);
    }
    pinion_tasks_free(x);
    pinion_work_free(w);
    pinion_model_free(m);
}

/* A redundant arm draws a circle, from a file, and its elbow stays near its posture. */
TEST(a_redundant_arm_draws_a_circle)
{
    pinion_model *m = driver_model("arm-6dof.json");
    pinion_work *w = pinion_work_new(m);
    pinion_error err = {0};
    const double q0[6] = {0.2, -1.4, 1.6, 0.3, 0.5, 0.1}, v0[6] = {0};
    double start[3], at[3];
    const int frame = pinion_model_find_frame(m, "flange");
    CHECK_STATUS(pinion_frame_pose(m, w, q0, frame, start, NULL), PINION_OK);
    FILE *f = fopen(in_folder("t.json"), "w");
    fprintf(f, "{\"tasks\": [{\"task\": \"position\", \"frame\": \"flange\", \"kp\": 400, \"kd\": 40, \"circle\": "
               "{\"center\": [%.17g, %.17g, %.17g], \"axis\": [1, 0, 0], \"period\": 2}},\n {\"task\": \"posture\", "
               "\"priority\": 1, \"joints\": [\"elbow\", \"wrist_3\"]}]}\n", start[0], start[1], start[2] + 0.1);
    fclose(f);
    pinion_tasks *x = pinion_tasks_load(m, in_folder("t.json"), q0, 0, &err);
    if (!x) CHECK_FAIL("%s", err.message);
    pinion_sim_options o = driver_options(PINION_INTEGRATOR_DOPRI5);
    o.actuators = pinion_tasks_actuators;
    o.actuators_user = x;
    pinion_sim *s = driver_sim(m, &o);
    CHECK_STATUS(pinion_sim_start(s, 0, q0, v0), PINION_OK);
    for (int k = 0; k < 8; k++) {
        instant now;
        const double t = 2 + 0.25 * k, turn = 3.14159265358979323846 * t;
        driver_advance(s, t);
        driver_get(s, &now);
        CHECK_STATUS(pinion_frame_pose(m, w, now.q, frame, at, NULL), PINION_OK);
        /* it began at rest: e^(-20 t) of the speed it lacked is left */
        CHECK_NEAR(at[0], start[0], 1e-7);
        CHECK_NEAR(at[1], start[1] + 0.1 * sin(turn), 1e-7);
        CHECK_NEAR(at[2], start[2] + 0.1 - 0.1 * cos(turn), 1e-7);
        CHECK(fabs(now.q[5] - q0[5]) < 1e-3); /* a position does not need the last joint */
    }
    pinion_sim_free(s);
    pinion_tasks_free(x);
    unlink(in_folder("t.json"));
    pinion_work_free(w);
    pinion_model_free(m);
}

/* A body that floats, with a leg of six joints. */
static pinion_model *hopper(void)
{
    static const char *const axis[6] = {"[0, 0, 1]", "[1, 0, 0]", "[0, 1, 0]", "[0, 1, 0]", "[0, 1, 0]", "[1, 0, 0]"};
    char text[6000], *at = text;
    char *const end = text + sizeof text;
    at += snprintf(at, (size_t)(end - at),
                   "{\"pinion\": 1, \"name\": \"hopper\", \"links\": [{\"name\": \"ground\"}, {\"name\": \"body\", "
                   "\"mass\": 8, \"com\": [0.02, 0.01, 0.05], \"inertia\": {\"xx\": 0.2, \"yy\": 0.3, \"zz\": "
                   "0.25}}");
    for (int i = 0; i < 6; i++)
        at += snprintf(at, (size_t)(end - at),
                       ", {\"name\": \"l%d\", \"mass\": %g, \"com\": [0.01, 0, -0.08], \"inertia\": {\"xx\": 0.01, "
                       "\"yy\": 0.01, \"zz\": 0.005}}", i, 1.5 - 0.2 * i);
    at += snprintf(at, (size_t)(end - at), "], \"joints\": [{\"name\": \"root\", \"type\": \"free\", \"parent\": "
                                           "\"ground\", \"child\": \"body\"}");
    for (int i = 0; i < 6; i++) {
        char parent[8] = "body";
        if (i) snprintf(parent, sizeof parent, "l%d", i - 1);
        at += snprintf(at, (size_t)(end - at),
                       ", {\"name\": \"j%d\", \"type\": \"continuous\", \"axis\": %s, \"parent\": \"%s\", \"child\": "
                       "\"l%d\", \"origin\": {\"position\": [0, 0, %g]}}", i, axis[i], parent, i,
                       i == 3 || i == 4 ? -0.2 : -0.05);
    }
    snprintf(at, (size_t)(end - at), "]}");
    return driver_text(text);
}

TEST(a_body_that_floats_is_moved_by_what_it_holds)
{
    pinion_model *m = hopper();
    pinion_work *w = pinion_work_new(m);
    const int nv = pinion_model_nv(m), nu = pinion_model_actuator_count(m);
    CHECK(nv == 12 && nu == 6);
    double q[13] = {1}, v[12] = {0}, u[6], tau[12], a[12];
    const double bent[6] = {0.1, 0.15, 0.5, -0.9, 0.4, -0.1};
    memcpy(q + 7, bent, sizeof bent);
    const pinion_held foot = {pinion_model_find_frame(m, "l5"), 0};
    pinion_task task[2] = {frame_task(m, "body", 0, 1), pinion_task_default()};
    task[0].goal.pose.position[2] = 0.05;
    task[1].kind = PINION_TASK_COM;
    task[1].priority = 1;

    pinion_tasks *x = make(m, 2, task, 1, &foot);
    CHECK_STATUS(pinion_tasks_actuators(x, 0, q, v, u), PINION_OK);
    CHECK_STATUS(pinion_actuation_torque(m, w, q, u, tau), PINION_OK);
    for (int i = 0; i < 6; i++) CHECK(tau[i] == 0); /* nothing pushes the base */

    /* the body accelerates as it should by the library's own dynamics with a held frame */
    double rows[36] = {0}, none[6] = {0}, lambda[6];
    for (int i = 0; i < 6; i++) rows[7 * i] = 1;
    CHECK_STATUS(pinion_constrained_forward_dynamics(m, w, q, v, tau, NULL, foot.frame, PINION_ACCELERATION_CLASSICAL,
                                                     6, rows, none, a, lambda), PINION_OK);
    CHECK(missing(x, 0, NULL, 0, q, v, a, nv) < 1e-9);
    pinion_tasks_free(x);

    /* without a hold the centre of mass falls, whatever the joints do */
    pinion_task fall = pinion_task_default();
    fall.kind = PINION_TASK_COM;
    x = make(m, 1, &fall, 0, NULL);
    CHECK_STATUS(pinion_tasks_actuators(x, 0, q, v, u), PINION_OK);
    accelerate(m, w, q, v, u, a);
    double A[72], rate[6], sum = 0;
    CHECK_STATUS(pinion_centroidal(m, w, q, v, A, rate, NULL), PINION_OK);
    for (int k = 0; k < nv; k++) sum += A[5 * nv + k] * a[k];
    CHECK_NEAR(sum / pinion_model_mass(m), -9.81, 1e-9);
    pinion_tasks_free(x);
    pinion_work_free(w);
    pinion_model_free(m);
}

/* A palletizing arm with three parallelograms and four motors moves its flange. */
TEST(closed_loops_are_kept)
{
    pinion_model *m = driver_model("parallelogram-arm.json");
    pinion_work *w = pinion_work_new(m);
    const int nv = pinion_model_nv(m);
    double q[MAX], v[MAX], u[MAX], tau[MAX], a[MAX];
    CHECK_STATUS(pinion_initial(m, q, v), PINION_OK);
    CHECK_STATUS(pinion_start_close(m, NULL, NULL, 1, q, v, NULL, NULL), PINION_OK);
    pinion_task task = frame_task(m, "flange", 0, 0);
    task.goal.pose.position[0] = 1.2;
    task.goal.pose.position[2] = 0.8;
    task.kp = 5;
    pinion_tasks *x = make(m, 1, &task, 0, NULL);
    CHECK_STATUS(pinion_tasks_actuators(x, 0, q, v, u), PINION_OK);
    CHECK_STATUS(pinion_actuation_torque(m, w, q, u, tau), PINION_OK);
    CHECK_STATUS(pinion_loop_dynamics(m, w, -1, NULL, q, v, tau, NULL, a, NULL), PINION_OK);
    CHECK(missing(x, 0, task.axes, 0, q, v, a, nv) < 1e-8);
    pinion_tasks_free(x);
    pinion_work_free(w);
    pinion_model_free(m);
}

/* A position leaves three of six joints free: what they do comes to rest at the rate that the def says, while the frame
 * goes where it should. Out of reach, too, where the same joints are needed and not. */
TEST(what_no_task_asks_for_comes_to_rest)
{
    pinion_model *m = driver_model("arm-6dof.json");
    pinion_work *w = pinion_work_new(m);
    const double q0[6] = {0.2, -1.4, 1.6, 0.3, 0.5, 0.1}, v0[6] = {1, -1, 2, 3, -2, 4};
    const double goal[2][3] = {{0.4, 0.3, 0.2}, {1.2, 0, 0}};
    double at[3];
    for (int k = 0; k < 2; k++) {
        instant now;
        pinion_task task = frame_task(m, "flange", 0, 0);
        memcpy(task.goal.pose.position, goal[k], sizeof goal[k]);
        pinion_tasks *x = make(m, 1, &task, 0, NULL);
        pinion_sim_options o = driver_options(PINION_INTEGRATOR_AUTO);
        o.actuators = pinion_tasks_actuators;
        o.actuators_user = x;
        o.rtol = o.atol = 1e-9;
        pinion_sim *s = driver_sim(m, &o);
        CHECK_STATUS(pinion_sim_start(s, 0, q0, v0), PINION_OK);
        driver_advance(s, 3);
        driver_get(s, &now);
        long steps = 0;
        pinion_sim_counts(s, &steps, NULL, NULL);
        CHECK_STATUS(pinion_frame_pose(m, w, now.q, task.frame, at, NULL), PINION_OK);
        for (int i = 0; i < 6; i++) CHECK_NEAR(now.v[i], 0, 1e-4);
        if (k == 0)
            for (int i = 0; i < 3; i++) CHECK_NEAR(at[i], goal[k][i], 1e-6);
        else
            CHECK(at[0] > 0.905 && steps < 10000);
        pinion_sim_free(s);
        pinion_tasks_free(x);
    }
    /* and of joints that the task does not move, by its rate exactly: the last one turns the flange about itself */
    double u[6], a[6], v[6] = {0, 0, 0, 0, 0, 2};
    pinion_task task = frame_task(m, "flange", 0, 0);
    CHECK_STATUS(pinion_frame_pose(m, w, q0, task.frame, task.goal.pose.position, NULL), PINION_OK);
    pinion_tasks_def def = pinion_tasks_def_default();
    def.count = 1;
    def.tasks = &task;
    def.damping = 7;
    pinion_tasks *x = pinion_tasks_new(m, &def, NULL);
    CHECK_STATUS(pinion_tasks_actuators(x, 0, q0, v, u), PINION_OK);
    accelerate(m, w, q0, v, u, a);
    CHECK_NEAR(a[5], -14, 1e-9);
    for (int i = 0; i < 5; i++) CHECK_NEAR(a[i], 0, 1e-9);
    pinion_tasks_free(x);
    def.damping = -1;
    CHECK(pinion_tasks_new(m, &def, NULL) == NULL);
    pinion_work_free(w);
    pinion_model_free(m);
}

/* A stretched arm cannot move its hand towards its foot: that is told, and so is what no motor of the plane could do.
 * Where nothing is wanted of such a direction, nothing is. */
TEST(what_cannot_be_done_is_told)
{
    pinion_model *m = driver_text(
        "{\"pinion\": 1, \"name\": \"stretched\", \"links\": [{\"name\": \"base\"}, {\"name\": \"a\", \"mass\": 1, "
        "\"com\": [0.5, 0, 0], \"inertia\": {\"xx\": 0.1, \"yy\": 0.1, \"zz\": 0.1}}, {\"name\": \"b\", \"mass\": 1, "
        "\"com\": [0.5, 0, 0], \"inertia\": {\"xx\": 0.1, \"yy\": 0.1, \"zz\": 0.1}}], \"joints\": [{\"name\": \"A\", "
        "\"type\": \"continuous\", \"axis\": [0, 0, 1], \"parent\": \"base\", \"child\": \"a\"}, {\"name\": \"B\", "
        "\"type\": \"continuous\", \"axis\": [0, 0, 1], \"parent\": \"a\", \"child\": \"b\", \"origin\": "
        "{\"position\": [1, 0, 0]}}], \"frames\": [{\"name\": \"hand\", \"link\": \"b\", \"origin\": "
        "{\"position\": [1, 0, 0]}}]}");
    const struct {
        double bend, goal[3];
        int told;
        double out;
    } way[] = {{0, {1.5, 0, 0}, 1, 0}, {0, {2.5, 0, 0}, 0, 0.5}, {1e-9, {1.5, 0, 0}, 1, 0}, {0, {2, 0, 0}, 0, 0},
               {0, {2, 0.2, 0}, 1, hypot(2, 0.2) - 2}, {1, {1, 1, 0}, 0, 0},   {1, {1, 1, 0.3}, 1, 0}};
    for (size_t i = 0; i < sizeof way / sizeof way[0]; i++) {
        const double q[2] = {0, way[i].bend}, v[2] = {0};
        double u[2];
        pinion_task task = frame_task(m, "hand", 0, 0);
        memcpy(task.goal.pose.position, way[i].goal, sizeof way[i].goal);
        pinion_tasks *x = make(m, 1, &task, 0, NULL);
        CHECK_STATUS(pinion_tasks_actuators(x, 0, q, v, u), PINION_OK);
        CHECK(isfinite(u[0]) && isfinite(u[1]));
        if (way[i].told)
            CHECK(pinion_tasks_damped(x, 0) > 0.999);
        else
            CHECK(pinion_tasks_damped(x, 0) == 0);
        CHECK_NEAR(pinion_tasks_out_of_reach(x, 0), way[i].out, 1e-15); /* the nearest place counts */
        pinion_tasks_free(x);
    }
    pinion_model_free(m);
}

/* Out of reach by 5 cm and by 1 m: the arm stretches towards its goal and stays there, by forces as large as the goal
 * asks for anywhere, and it is told for how long the task was not met. */
TEST(what_is_out_of_reach_is_approached)
{
    pinion_model *m = driver_model("arm-6dof.json");
    pinion_work *w = pinion_work_new(m);
    const double q0[6] = {0.2, -1.4, 1.6, 0.3, 0.5, 0.1}, v0[6] = {0};
    const int frame = pinion_model_find_frame(m, "flange");
    double at[3], u[6], far[2] = {0.1, 1};
    pinion_task task[2] = {frame_task(m, "flange", 0, 0), pinion_task_default()};
    task[1].kind = PINION_TASK_POSTURE;
    task[1].priority = 1;
    task[1].posture = q0;
    for (int k = 0; k < 2; k++) {
        instant now;
        double most = 0, first = 0;
        int damped = 0;
        task[0].goal.pose.position[0] = 0.85 + far[k];
        pinion_tasks *x = make(m, 2, task, 0, NULL);
        pinion_sim_options o = driver_options(PINION_INTEGRATOR_AUTO);
        o.actuators = pinion_tasks_actuators;
        o.actuators_user = x;
        o.rtol = o.atol = 1e-7;
        pinion_sim *s = driver_sim(m, &o);
        CHECK_STATUS(pinion_sim_start(s, 0, q0, v0), PINION_OK);
        for (int i = 0; i <= 100; i++) {
            driver_advance(s, 0.02 * i);
            driver_get(s, &now);
            for (int j = 0; j < 6; j++) most = fmax(most, fabs(now.tau[j]));
            CHECK_STATUS(pinion_tasks_actuators(x, 0.02 * i, now.q, now.v, u), PINION_OK);
            damped += pinion_tasks_damped(x, 0) > 0;
            if (i == 0) first = most; /* what the goal asks for where nothing is singular */
        }
        CHECK_STATUS(pinion_frame_pose(m, w, now.q, frame, at, NULL), PINION_OK);
        CHECK(most < 30 * first);
        CHECK(at[0] > 0.905 && fabs(at[1]) < 0.1 && fabs(at[2]) < 0.1); /* 0.91 is the length of the arm */
        CHECK(pinion_tasks_damped(x, 0) > 0.5 && pinion_tasks_damped(x, 0) <= 1 && damped > 50 && damped < 100);
        CHECK(isnan(pinion_tasks_damped(x, 2)) && isnan(pinion_tasks_damped(x, -1)));
        pinion_sim_free(s);
        pinion_tasks_free(x);
    }
    pinion_work_free(w);
    pinion_model_free(m);
}

/* Twelve joints of four legs whose feet stand have six freedoms, and the trunk takes them: what its posture wants
 * beside that is not to be had, and nothing to tell. Of a joint without a motor it is. */
TEST(a_posture_is_met_as_far_as_feet_allow)
{
    pinion_model *m = driver_model("quadruped.json");
    const int nq = pinion_model_nq(m), nu = pinion_model_actuator_count(m);
    double q[64], v[64] = {0}, bent[64], u[64];
    CHECK(nq <= 64 && nu <= 64 && pinion_initial(m, q, NULL) == PINION_OK);
    for (int i = 0; i < nq; i++) bent[i] = q[i] + (i < 7 ? 0 : 0.1 * sin(i));
    static const char *const name[4] = {"fl_foot", "fr_foot", "rl_foot", "rr_foot"};
    pinion_held feet[4];
    for (int i = 0; i < 4; i++) feet[i] = (pinion_held){pinion_model_find_frame(m, name[i]), 1};
    pinion_task task[2] = {frame_task(m, "trunk", 0, 1), pinion_task_default()};
    pinion_work *w = pinion_work_new(m);
    CHECK_STATUS(pinion_frame_pose(m, w, q, task[0].frame, task[0].goal.pose.position, task[0].goal.pose.rotation),
                 PINION_OK);
    task[0].goal.pose.position[2] -= 0.01;
    task[1].kind = PINION_TASK_POSTURE;
    task[1].priority = 1;
    task[1].posture = bent;
    pinion_tasks *x = make(m, 2, task, 4, feet);
    CHECK_STATUS(pinion_tasks_actuators(x, 0, q, v, u), PINION_OK);
    CHECK(pinion_tasks_damped(x, 0) == 0 && pinion_tasks_damped(x, 1) == 0);
    pinion_tasks_free(x);
    pinion_work_free(w);
    pinion_model_free(m);

    m = driver_model("cart-pole.json");
    const double upright[2] = {0, 1}, hangs[2] = {0, 0};
    pinion_task posture = pinion_task_default();
    posture.kind = PINION_TASK_POSTURE;
    posture.posture = upright;
    const double pole[2] = {0, 1};
    posture.joints = pole;
    x = make(m, 1, &posture, 0, NULL);
    CHECK_STATUS(pinion_tasks_actuators(x, 0, hangs, v, u), PINION_OK);
    CHECK(pinion_tasks_damped(x, 0) == 0); /* the cart moves it */
    pinion_tasks_free(x);
    posture.joints = NULL; /* but not both as they are told */
    x = make(m, 1, &posture, 0, NULL);
    CHECK_STATUS(pinion_tasks_actuators(x, 0, hangs, v, u), PINION_OK);
    CHECK(pinion_tasks_damped(x, 0) > 0.99);
    pinion_tasks_free(x);
    pinion_model_free(m);
}

/* A place that moves, for a task. */
static pinion_status moving(void *user, double t, pinion_goal *goal)
{
    goal->pose.position[0] = *(const double *)user * t;
    return PINION_OK;
}

/* What is missing to targets: names, units and numbers of a frame that is turned about z, of the centre of mass and a
 * posture, against poses that are asked for one by one; and the columns of a run. */
TEST(what_is_missing_is_told)
{
    static const char *const names[] = {"error.task.0.rotation.2", "error.task.0.position.0",
                                        "error.task.0.position.1", "error.task.0.position.2",
                                        "error.task.1.position.2", "error.task.2.q.lift"};
    pinion_model *m = driver_model("arm-6dof.json");
    pinion_work *w = pinion_work_new(m);
    double q[6], v[6], e[6], position[3], R[9], com[3], speed = 0.3, only[6] = {0, 1};
    const double rest[6] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6}, turn = 0.7;
    char name[100];
    driver_random(m, 3, 1, q, v);
    pinion_task task[3] = {frame_task(m, "flange", 0, 0), pinion_task_default(), pinion_task_default()};
    CHECK_STATUS(pinion_frame_pose(m, w, q, task[0].frame, position, R), PINION_OK);
    task[0].axes[2] = 1;
    task[0].reference = moving;
    task[0].reference_user = &speed;
    for (int i = 0; i < 3; i++) { /* turned further about the world's z axis */
        task[0].goal.pose.rotation[i] = cos(turn) * R[i] - sin(turn) * R[3 + i];
        task[0].goal.pose.rotation[3 + i] = sin(turn) * R[i] + cos(turn) * R[3 + i];
        task[0].goal.pose.rotation[6 + i] = R[6 + i];
    }
    task[1].kind = PINION_TASK_COM;
    task[1].axes[3] = task[1].axes[4] = 0;
    task[2].kind = PINION_TASK_POSTURE;
    task[2].posture = rest;
    task[2].joints = only;
    pinion_tasks *x = make(m, 3, task, 0, NULL);
    CHECK(pinion_tasks_error_count(x) == 6 && pinion_tasks_error_count(NULL) == 0);
    CHECK_STATUS(pinion_tasks_errors(x, 2, q, e), PINION_OK);
    CHECK_STATUS(pinion_center_of_mass(m, w, q, NULL, com, NULL), PINION_OK);
    for (int i = 0; i < 6; i++) {
        CHECK(pinion_tasks_error_name(x, i, name, sizeof name) && strcmp(name, names[i]) == 0);
        CHECK(strcmp(pinion_tasks_error_unit(x, i), i == 0 || i == 5 ? "rad" : "m") == 0);
    }
    CHECK(!pinion_tasks_error_name(x, 6, name, sizeof name) && !pinion_tasks_error_unit(x, -1));
    CHECK_NEAR(e[0], turn, 1e-12);
    CHECK_NEAR(e[1], 0.6 - position[0], 1e-12);
    CHECK_NEAR(e[2], -position[1], 1e-12);
    CHECK_NEAR(e[3], -position[2], 1e-12);
    CHECK_NEAR(e[4], -com[2], 1e-12);
    CHECK_NEAR(e[5], rest[1] - q[1], 1e-12);
    CHECK_STATUS(pinion_tasks_errors(x, 2, NULL, e), PINION_ERR_ARGUMENT);

    /* of a posture that moves, from where the arm should be by then */
    double there[6];
    task[2].posture = NULL;
    task[2].target = pinion_trajectory_between(m, q, rest, 3, PINION_PROFILE_QUINTIC, 0, NULL);
    CHECK(task[2].target != NULL);
    pinion_tasks *moves = make(m, 1, task + 2, 0, NULL);
    CHECK_STATUS(pinion_tasks_errors(moves, 2, q, there), PINION_OK);
    const double part = pow(2. / 3, 3) * (10 - 15 * 2. / 3 + 6 * pow(2. / 3, 2)); /* 10 s^3 - 15 s^4 + 6 s^5 */
    CHECK(pinion_tasks_error_count(moves) == 1);
    CHECK_NEAR(there[0], part * (rest[1] - q[1]), 1e-12);
    pinion_tasks_free(moves);

    /* a frame that nothing moves has no length of an arm to be compared with */
    pinion_task fixed = pinion_task_default();
    fixed.frame = 0;
    pinion_tasks_def still = pinion_tasks_def_default();
    pinion_error told = {0};
    still.count = 1;
    still.tasks = &fixed;
    pinion_tasks *y = pinion_tasks_new(m, &still, &told);
    CHECK(y != NULL || *told.message);
    if (y) CHECK(pinion_tasks_out_of_reach(y, 0) == 0);
    pinion_tasks_free(y);
    pinion_trajectory_free(task[2].target);

    pinion_error err = {0};
    pinion_run_def def = pinion_run_def_default();
    def.q = q;
    def.duration = 0.02;
    def.sim.actuators = pinion_tasks_actuators;
    def.sim.actuators_user = def.tasks = x;
    def.result = pinion_result_new();
    pinion_run *run = pinion_run_new(m, &def, &err);
    if (!run) CHECK_FAIL("%s", err.message);
    CHECK_STATUS(pinion_run_to_end(run), PINION_OK);
    for (int i = 0; i < 6; i++) CHECK(pinion_result_find_column(def.result, names[i]) > 0);
    for (int i = 0; i < 6; i += 5)
        CHECK_NEAR(pinion_result_values(def.result, pinion_result_find_column(def.result, names[i]))[0], e[i], 1e-12);
    pinion_run_free(run);
    pinion_result_free(def.result);
    pinion_tasks_free(x);
    pinion_work_free(w);
    pinion_model_free(m);
}

TEST(what_is_refused)
{
    static const struct {
        const char *text, *part;
    } file[] = {
        {"{}", "tasks"},
        {"{\"tasks\": []}", "tasks"},
        {"{\"tasks\": [{\"task\": \"fly\"}]}", "task"},
        {"{\"tasks\": [{\"task\": \"position\", \"frame\": \"nose\"}]}", "nose"},
        {"{\"tasks\": [{\"task\": \"position\", \"frame\": \"flange\", \"line\": {\"by\": [0, 0, 1]}}]}", "duration"},
        {"{\"tasks\": [{\"task\": \"position\", \"frame\": \"flange\", \"circle\": {\"period\": 0}}]}", "period"},
        {"{\"tasks\": [{\"task\": \"posture\", \"q\": [1]}]}", "q"},
        {"{\"tasks\": [{\"task\": \"posture\", \"joints\": [\"knee\"]}]}", "knee"},
        {"{\"tasks\": [{\"task\": \"com\", \"priority\": 0.5}]}", "priority"},
        {"{\"tasks\": [{\"task\": \"com\", \"priority\": -1}]}", "priority is below 0"},
        {"{\"tasks\": [{\"task\": \"com\", \"axes\": [1, 1, 1, 0, 0, 0]}]}", "axes are all 0"},
        {"{\"tasks\": [{\"task\": \"orientation\", \"frame\": \"flange\", \"axes\": [0, 0, 0, 1, 1, 1]}]}",
         "axes are all 0"},
        {"{\"tasks\": [{\"task\": \"com\"}], \"hold\": [\"foot\"]}", "foot"},
        {"{\"tasks\": [{\"task\": \"com\"}], \"hold\": [\"flange\"]}",
         "hold: what is held leaves nothing that moves, there or near: all 6 freedoms"},
        {"{\"tasks\": [{\"task\": \"com\", \"weight\": 0}]}", "weight"},
        {"{\"tasks\": [{\"task\": \"com\", \"joints\": []}]}", "joints"},
        {"{\"tasks\": [{\"task\": \"com\", \"frame\": \"flange\"}]}", "frame"},
        {"{\"tasks\": [{\"task\": \"orientation\", \"frame\": \"flange\", \"position\": [0, 0, 1]}]}", "position"},
        {"{\"tasks\": [{\"task\": \"posture\", \"q\": \"house\"}]}", "house"},
        {"{\"tasks\": [{\"task\": \"posture\"}], \"damping\": -1}", "damping"},
    };
    pinion_model *m = driver_model("arm-6dof.json");
    const double q0[6] = {0};
    for (size_t i = 0; i < sizeof file / sizeof file[0]; i++) {
        pinion_error err = {0};
        FILE *f = fopen(in_folder("t.json"), "w");
        fputs(file[i].text, f);
        fclose(f);
        pinion_tasks *x = pinion_tasks_load(m, in_folder("t.json"), q0, 0, &err);
        CHECK(!x && err.status != PINION_OK);
        CHECK_HAS(err.message, file[i].part);
        pinion_tasks_free(x);
    }

    /* four feet that may not turn: at the start the trunk could just move, near it no more */
    pinion_error err = {0};
    pinion_model *four = driver_model("quadruped.json");
    double q[64];
    CHECK(pinion_model_nq(four) <= 64 && pinion_initial(four, q, NULL) == PINION_OK);
    FILE *f = fopen(in_folder("t.json"), "w");
    fputs("{\"tasks\": [{\"task\": \"com\"}],\n \"hold\": [\"fl_foot\", \"fr_foot\", \"rl_foot\", \"rr_foot\"]}", f);
    fclose(f);
    CHECK(!pinion_tasks_load(four, in_folder("t.json"), q, 0, &err));
    CHECK_HAS(err.message, "hold: what is held leaves nothing that moves");
    CHECK(err.line == 2);
    pinion_model_free(four);
    unlink(in_folder("t.json"));
    pinion_model_free(m);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    if (!mkdtemp(folder)) return 1;
    RUN(lower_tasks_leave_higher_ones_alone);
    RUN(weights_share_a_priority);
    RUN(a_redundant_arm_draws_a_circle);
    RUN(a_body_that_floats_is_moved_by_what_it_holds);
    RUN(closed_loops_are_kept);
    RUN(what_no_task_asks_for_comes_to_rest);
    RUN(what_cannot_be_done_is_told);
    RUN(what_is_out_of_reach_is_approached);
    RUN(a_posture_is_met_as_far_as_feet_allow);
    RUN(what_is_missing_is_told);
    RUN(what_is_refused);
    CHECK(entries() == 0 && rmdir(folder) == 0);
    return CHECK_END();
}
