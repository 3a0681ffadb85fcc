/* Tasks whose targets are out of reach: whoever asks, however often and with whatever motors, the arm stretches towards
 * the target and comes to rest there. The closest place is known: on the line from the shoulder to the target, as far
 * out as the arm is long. */
#include <math.h>

#include "check.h"
#include "pinion/loops.h"
#include "sim/driver.h"

#define BAR(name, mass, com, inertia)                                                                              \
    "{\"name\": \"" name "\", \"mass\": " mass ", \"com\": [" com ", 0, 0], \"inertia\": {\"xx\": 0.001, \"yy\": "   \
    inertia ", \"zz\": " inertia "}}"
#define TURN(name, parent, child, out, effort)                                                                     \
    "{\"name\": \"" name "\", \"type\": \"continuous\", \"axis\": [0, 1, 0], \"parent\": \"" parent                  \
    "\", \"child\": \"" child "\", \"origin\": {\"position\": [" out ", 0, 0]}, \"effort\": " effort "}"
/* 0.5, 0.4 and 0.3 m in the plane of x and z; 17 N m hold its weight when it is stretched */
#define ARM                                                                                                        \
    "{\"pinion\": 1, \"name\": \"arm\", \"links\": [{\"name\": \"base\"}, " BAR("a", "2", "0.25", "0.04") ", "       \
    BAR("b", "1.5", "0.2", "0.02") ", " BAR("c", "0.8", "0.15", "0.006") "], \"joints\": ["                          \
    TURN("j1", "base", "a", "0", "60") ", " TURN("j2", "a", "b", "0.5", "25") ", " TURN("j3", "b", "c", "0.4", "8")  \
    "], \"frames\": [{\"name\": \"tip\", \"link\": \"c\", \"origin\": {\"position\": [0.3, 0, 0]}}]}"
enum { N = 3 };
static const double length = 1.2;

/* One run of 6 s. */
typedef struct way {
    double goal[3], kp, period; /* 0: asked always */
    int limit;
} way;

/* asked every `period` seconds, 0: as often as it takes */
static pinion_sim *sim_of_tasks(const pinion_model *m, pinion_tasks *x, double period)
{
    pinion_sim_options o = driver_options(PINION_INTEGRATOR_AUTO);
    o.actuators = pinion_tasks_actuators;
    o.actuators_user = x;
    o.rtol = o.atol = 1e-6;
    o.sample = period;
    return driver_sim(m, &o);
}

static void stretch(const pinion_model *m, const way *by, const double *q0)
{
    pinion_error err = {0};
    pinion_work *w = pinion_work_new(m);
    pinion_tasks_def def = pinion_tasks_def_default();
    pinion_task task = pinion_task_default();
    task.frame = pinion_model_find_frame(m, "tip");
    task.axes[0] = task.axes[1] = task.axes[2] = 0;
    task.kp = by->kp;
    task.kd = 2 * sqrt(by->kp);
    memcpy(task.goal.pose.position, by->goal, sizeof by->goal);
    def.count = 1;
    def.tasks = &task;
    def.limit = by->limit;
    pinion_tasks *x = pinion_tasks_new(m, &def, &err);
    if (!x) CHECK_FAIL("%s", err.message);
    pinion_sim *s = sim_of_tasks(m, x, by->period);
    const double still[N] = {0};
    double at[3], fastest = 0;
    long steps = 0;
    instant now;
    CHECK_STATUS(pinion_sim_start(s, 0, q0, still), PINION_OK);
    for (int i = 1; i <= 60; i++) { /* the last half second is at rest */
        driver_advance(s, 0.1 * i);
        driver_get(s, &now);
        for (int k = 0; k < N && i > 54; k++) fastest = fmax(fastest, fabs(now.v[k]));
    }
    pinion_sim_counts(s, &steps, NULL, NULL);
    CHECK_STATUS(pinion_frame_pose(m, w, now.q, task.frame, at, NULL), PINION_OK);
    const double far = hypot(by->goal[0], by->goal[2]);
    const double off = hypot(at[0] - length * by->goal[0] / far, at[2] - length * by->goal[2] / far);
    if (!(fastest < 1e-3 && steps < 20000 && off < 1e-3))
        CHECK_FAIL("goal %g, %g, kp %g, every %g s, limit %d, from %g: %ld steps, %g rad/s, off by %g", by->goal[0],
                   by->goal[2], by->kp, by->period, by->limit, q0[0], steps, fastest, off);
    CHECK_NEAR(pinion_tasks_out_of_reach(x, 0), far - length, 1e-12);
    pinion_sim_free(s);
    pinion_tasks_free(x);
    pinion_work_free(w);
}

TEST(a_stretched_arm_comes_to_rest)
{
    static const way list[] = {
        {{5, 0, 3}, 100, 0, 0},       {{5, 0, 3}, 100, 1e-3, 0},     {{5, 0, 3}, 100, 4e-3, 0},
        {{5, 0, 3}, 100, 0.01, 0},    {{-1, 0, -0.8}, 400, 2e-3, 0},
        {{-1, 0, -0.8}, 400, 0.01, 0}, {{300, 0, -200}, 100, 0, 0},  {{300, 0, -200}, 100, 2e-3, 0},
        {{0, 0, 1.25}, 100, 4e-3, 0}, {{5, 0, 3}, 100, 0, 1},        {{5, 0, 3}, 100, 2e-3, 1},
        {{-1, 0, -0.8}, 400, 2e-3, 1}, {{300, 0, -200}, 100, 0.01, 1}};
    static const double from[][N] = {{0.3, -0.9, 0.7}, {1.5, 1.2, -0.4}};
    pinion_model *m = driver_text(ARM);
    for (int i = 0; i < 2 * (int)(sizeof list / sizeof list[0]); i += check_every(5))
        stretch(m, &list[i / 2], from[i % 2]);
    pinion_model_free(m);
}

/* The centre of mass of the same arm reaches 2.39 kg m / 4.3 kg from the shoulder, stretched; a posture below it that
 * would bend the arm leaves it there. */
TEST(so_does_a_centre_of_mass)
{
    const double reach = (2 * 0.25 + 1.5 * 0.7 + 0.8 * 1.05) / 4.3, q0[N] = {0.3, -0.9, 0.7}, still[N] = {0};
    pinion_error err = {0};
    pinion_model *m = driver_text(ARM);
    pinion_work *w = pinion_work_new(m);
    pinion_task task[2] = {pinion_task_default(), pinion_task_default()};
    task[0].kind = PINION_TASK_COM;
    task[0].goal.pose.position[0] = 4;
    task[0].goal.pose.position[2] = 3;
    task[1].kind = PINION_TASK_POSTURE;
    task[1].priority = 1;
    task[1].posture = q0;
    for (int seldom = 0; seldom < 2; seldom++) {
        pinion_tasks_def def = pinion_tasks_def_default();
        def.count = 2;
        def.tasks = task;
        pinion_tasks *x = pinion_tasks_new(m, &def, &err);
        if (!x) CHECK_FAIL("%s", err.message);
        pinion_sim *s = sim_of_tasks(m, x, seldom ? 4e-3 : 0);
        double com[3];
        instant now;
        CHECK_STATUS(pinion_sim_start(s, 0, q0, still), PINION_OK);
        driver_advance(s, 6);
        driver_get(s, &now);
        CHECK_STATUS(pinion_center_of_mass(m, w, now.q, NULL, com, NULL), PINION_OK);
        CHECK_NEAR(com[0], 0.8 * reach, 1e-3);
        CHECK_NEAR(com[2], 0.6 * reach, 1e-3);
        for (int k = 0; k < N; k++) CHECK_NEAR(now.v[k], 0, 0.02); /* it may creep */
        pinion_sim_free(s);
        pinion_tasks_free(x);
    }
    pinion_work_free(w);
    pinion_model_free(m);
}

/* Arms of six and seven joints with starts and targets at random, half of them asked as seldom as every 4 ms: what is
 * hit on the way, folded and stretched, does not shake them either. */
TEST(others_come_to_rest)
{
    static const char *const models[] = {"arm-6dof.json", "arm-7dof.json"};
    uint64_t state = check_seed;
    for (int round = 0; round < check_rounds(10); round++) {
        pinion_model *m = driver_model(models[round % 2]);
        pinion_error err = {0};
        double q[7], v[7] = {0}, u[7];
        for (int i = 0; i < 7; i++) q[i] = check_between(&state, -1.2, 1.2);
        pinion_task task = pinion_task_default();
        task.frame = pinion_model_find_frame(m, "flange");
        for (int i = 0; i < 3 && round % 3; i++) task.axes[i] = 0;
        for (int i = 0; i < 3; i++) task.goal.pose.position[i] = check_between(&state, -2, 2);
        pinion_tasks_def def = pinion_tasks_def_default();
        def.count = 1;
        def.tasks = &task;
        pinion_tasks *x = pinion_tasks_new(m, &def, &err);
        pinion_sim *s = sim_of_tasks(m, x, round / 2 % 2 ? 4e-3 : 0);
        instant now;
        CHECK_STATUS(pinion_sim_start(s, 0, q, v), PINION_OK);
        driver_advance(s, 4);
        driver_get(s, &now);
        CHECK_STATUS(pinion_tasks_actuators(x, 4, now.q, now.v, u), PINION_OK);
        for (int i = 0; i < pinion_model_nv(m); i++) CHECK_NEAR(now.v[i], 0, 0.1); /* it may creep */
        pinion_sim_free(s);
        pinion_tasks_free(x);
        pinion_model_free(m);
    }
}

/* A task of lower priority wants back what the stretched arm has taken. Near the singular position the space that is
 * left to it turns with any motion; it comes to rest all the same, asked every millisecond or every `seldom` seconds,
 * and the first task loses nothing: the place is as near to the target as without the other. */
static void want_beside(pinion_task_kind kind, int rounds, double seldom)
{
    static const char *const models[] = {"arm-6dof.json", "arm-7dof.json"};
    static const double turns[][9] = {{0, 1, 0, 0, 0, 1, 1, 0, 0}, {-1, 0, 0, 0, 1, 0, 0, 0, -1},
                                      {0, -1, 0, 1, 0, 0, 0, 0, 1}, {1, 0, 0, 0, 0.6, -0.8, 0, 0.8, 0.6}};
    uint64_t state = check_seed;
    for (int round = 0; round < rounds; round++) {
        pinion_model *m = driver_model(models[round % 2]);
        pinion_work *w = pinion_work_new(m);
        pinion_error err = {0};
        const int nv = pinion_model_nv(m), base = pinion_model_find_frame(m, "flange");
        double q[7], v[7] = {0}, before[7] = {0}, away[2], far = 0;
        for (int i = 0; i < 7; i++) q[i] = check_between(&state, -0.8, 0.8);
        pinion_task task[2] = {pinion_task_default(), pinion_task_default()};
        task[0].frame = base;
        for (int i = 0; i < 3; i++) {
            task[0].axes[i] = 0;
            task[0].goal.pose.position[i] = check_between(&state, -1, 1) + (i == 2);
            far += pow(task[0].goal.pose.position[i], 2);
        }
        for (int i = 0; i < 3; i++) task[0].goal.pose.position[i] *= 2.5 / sqrt(far);
        task[1].kind = kind;
        task[1].posture = q;
        task[1].frame = base;
        task[1].priority = 1;
        for (int i = 3; i < 6; i++) task[1].axes[i] = 0;
        memcpy(task[1].goal.pose.rotation, turns[round % 4], sizeof turns[0]);
        for (int count = 1; count <= 2; count++) {
            pinion_tasks_def def = pinion_tasks_def_default();
            def.count = count;
            def.tasks = task;
            pinion_tasks *x = pinion_tasks_new(m, &def, &err);
            pinion_sim *s = sim_of_tasks(m, x, round / 2 % 2 ? 1e-3 : seldom);
            instant now;
            CHECK_STATUS(pinion_sim_start(s, 0, q, v), PINION_OK);
            for (int i = 0; i <= 50; i++) {
                driver_advance(s, 5.5 + 0.01 * i);
                driver_get(s, &now);
                for (int k = 0; k < nv && i > 0; k++) CHECK_NEAR(now.v[k], before[k], 0.02); /* it may creep */
                memcpy(before, now.v, (size_t)nv * sizeof *before);
            }
            double at[3];
            CHECK_STATUS(pinion_frame_pose(m, w, now.q, base, at, NULL), PINION_OK);
            away[count - 1] = 0;
            for (int i = 0; i < 3; i++) away[count - 1] += pow(at[i] - task[0].goal.pose.position[i], 2);
            pinion_sim_free(s);
            pinion_tasks_free(x);
        }
        CHECK_NEAR(sqrt(away[1]), sqrt(away[0]), 1e-3);
        pinion_work_free(w);
        pinion_model_free(m);
    }
}

TEST(a_lower_posture_does_not_shake_them)
{
    want_beside(PINION_TASK_POSTURE, check_rounds(8), 0.01);
}

TEST(a_lower_orientation_does_not_shake_them)
{
    want_beside(PINION_TASK_FRAME, check_rounds(8), 4e-3);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(a_stretched_arm_comes_to_rest);
    RUN(so_does_a_centre_of_mass);
    RUN(others_come_to_rest);
    RUN(a_lower_posture_does_not_shake_them);
    RUN(a_lower_orientation_does_not_shake_them);
    return CHECK_END();
}
