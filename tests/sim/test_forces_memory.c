/* Force elements and controllers with memory running out: each attempt succeeds or fails cleanly. And what a
 * simulation calls at every step takes no memory at all. */
#include <unistd.h>

#include "memory/exhaust.h"
#include "motion.h"
#include "sim/run/passive_joints.h"

static char path[512], table[512];

static int write_text(const char *to, const char *text)
{
    FILE *file = fopen(to, "wb");
    if (!file) return 0;
    fputs(text, file);
    return fclose(file) == 0;
}

/* all kinds, by calls; the elements that were added before one failed stay */
static pinion_status add_all(pinion_forces *f, pinion_error *err)
{
    static const double t[2] = {0, 1}, s[2] = {1, 2};
    static const int frames[1] = {1};
    pinion_spring_def spring = pinion_spring_def_default();
    spring.frame_a = 1;
    pinion_wrench_def wrench = pinion_wrench_def_default();
    wrench.frame = 1;
    wrench.signal = PINION_SIGNAL_TABLE;
    wrench.count = 2, wrench.t = t, wrench.s = s;
    pinion_drag_def drag = pinion_drag_def_default();
    drag.frame = 1;
    drag.density = 1, drag.area[0] = drag.area[1] = drag.area[2] = 1;
    drag.added_mass = 0.5;
    pinion_ground_def ground = pinion_ground_def_default();
    ground.stiffness = 10;
    ground.count = 1, ground.frame = frames;
    pinion_status status = PINION_OK;
    for (int i = 0; i < 3 && !status; i++) {
        status = pinion_forces_add_spring(f, &spring, err);
        if (!status) status = pinion_forces_add_wrench(f, &wrench, err);
        if (!status) status = pinion_forces_add_drag(f, &drag, err);
        if (!status) status = pinion_forces_add_ground(f, &ground, err);
    }
    return status;
}

static int try_calls(void *context, pinion_error *err)
{
    const pinion_model *m = context;
    pinion_forces *f = pinion_forces_new(m);
    if (!f) {
        no_error(err);
        return 0;
    }
    const pinion_status status = add_all(f, err);
    alloc_work();

    /* what is in the list is whole, and so is the model */
    double added = 0;
    for (int i = 0; i < pinion_forces_count(f); i++)
        added += strncmp(pinion_forces_name(f, i), "drag", 4) ? 0 : 0.5;
    CHECK_NEAR(pinion_model_mass(pinion_forces_model(f)), pinion_model_mass(m) + added, 1e-14);
    if (!status) CHECK(pinion_forces_count(f) == 12);
    pinion_forces_free(f);
    return status == PINION_OK;
}

static int try_file(void *context, pinion_error *err)
{
    const pinion_model *m = context;
    pinion_forces *f = pinion_forces_new(m);
    if (!f) {
        no_error(err);
        return 0;
    }
    const pinion_status status = pinion_forces_load(f, path, err);
    alloc_work();
    CHECK(pinion_forces_count(f) == (status ? 0 : 5));
    CHECK((pinion_forces_model(f) == m) == (status != PINION_OK));
    pinion_forces_free(f);
    return status == PINION_OK;
}

static int try_controller(void *context, pinion_error *err)
{
    static const double hold[1] = {0};
    pinion_control_def def = pinion_control_def_default();
    def.kind = PINION_CONTROL_PD;
    def.hold = hold;
    def.limit = 1;
    pinion_controller *c = pinion_controller_new(context, &def, err);
    alloc_work();
    pinion_controller_free(c);
    return c != NULL;
}

static int try_torques(void *context, pinion_error *err)
{
    int count = 0;
    double *t = NULL, *tau = NULL;
    const pinion_status status = pinion_torques_load(context, table, &count, &t, &tau, err);
    alloc_work();
    CHECK(!status == (t && tau && count == 3));
    pinion_free(t);
    pinion_free(tau);
    return status == PINION_OK;
}

static int try_passive(void *context, pinion_error *err)
{
    const pn_passive_options o = {1, 1e-3, 1, 1e4, 1e2, 0};
    pn_passive *p = pn_passive_new(context, &o, err);
    alloc_work();
    pn_passive_free(p);
    return p != NULL;
}

TEST(running_out)
{
    if (!ALLOCATOR) SKIP(allocator_absent);
    pinion_model *m = motion_lift(1);
    CHECK(write_text(
        path, "{\"springs\": [{\"frame_a\": \"world\", \"frame_b\": \"ball\", \"stiffness\": 1}],\n"
              "\"wrenches\": [{\"name\": \"push\", \"frame\": \"ball\", \"force\": [1, 2, 3],\n"
              "\"signal\": \"table\", \"t\": [0, 1, 2], \"s\": [1, 2, 3]}],\n"
              "\"drag\": [{\"frame\": \"ball\", \"added_mass\": 1}, {\"frame\": \"ball\", \"volume\": 1}],\n"
              "\"ground\": [{\"stiffness\": 1, \"frames\": [\"ball\", \"ball\"]}]}"));
    CHECK(write_text(table, "t,tau.z\n0,1\n1,2\n2,3\n"));
    exhaust(try_calls, m, ONLY_MEMORY);
    exhaust(try_file, m, OR_PARSE);
    exhaust(try_controller, m, ONLY_MEMORY);
    exhaust(try_torques, m, ONLY_MEMORY);
    exhaust(try_passive, m, ONLY_MEMORY);
    pinion_model_free(m);
}

TEST(no_memory_at_a_step)
{
    if (!ALLOCATOR) SKIP(allocator_absent);
    pinion_model *m = motion_lift(1);
    pinion_work *w = pinion_work_new(m);
    pinion_forces *f = pinion_forces_new(m);
    CHECK_STATUS(add_all(f, NULL), PINION_OK);
    const double hold[1] = {0}, kp[1] = {1};
    pinion_control_def def = pinion_control_def_default();
    def.kind = PINION_CONTROL_COMPUTED;
    def.hold = hold;
    def.kp = kp;
    pinion_controller *c = pinion_controller_new(m, &def, NULL);
    const pn_passive_options o = {1, 1e-3, 1, 1e4, 1e2, 0};
    pn_passive *p = pn_passive_new(m, &o, NULL);
    double q[1] = {-0.1}, v[1] = {0.3}, tau[1], f_ext[12] = {0}, V, P;
    const long before = alloc_calls;
    CHECK_STATUS(pinion_forces_apply(f, w, 0.5, q, v, f_ext, &V, &P), PINION_OK);
    CHECK_STATUS(pinion_controller_torque(c, 0.5, q, v, tau), PINION_OK);
    pn_passive_forces(p, q, v, tau, &V, &P);
    CHECK(alloc_calls == before);
    pn_passive_free(p);
    pinion_controller_free(c);
    pinion_forces_free(f);
    pinion_work_free(w);
    pinion_model_free(m);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    const char *place = getenv("TMPDIR");
    snprintf(path, sizeof path, "%.400s/pinion-forces-XXXXXX", place ? place : "/tmp");
    snprintf(table, sizeof table, "%.400s/pinion-torques-XXXXXX", place ? place : "/tmp");
    const int file[2] = {mkstemp(path), mkstemp(table)};
    if (file[0] < 0 || file[1] < 0) return 1;
    close(file[0]);
    close(file[1]);
    RUN(running_out);
    RUN(no_memory_at_a_step);
    unlink(path);
    unlink(table);
    return CHECK_END();
}
