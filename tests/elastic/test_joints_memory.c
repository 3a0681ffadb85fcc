/* Elastic joints and motions without momentum with memory running out: each attempt succeeds or fails cleanly; and
 * inverse dynamics of elastic joints takes none. */
#include "memory/exhaust.h"
#include "pinion/pinion.h"
#include "pinion/sim/sim.h"
#include "pinion/sim/trajectory.h"

/* three bars on a planar joint; the joints between them are elastic where that is asked for */
static pinion_model *bars(int elastic, pinion_error *err)
{
    static const char *const name[4] = {"ground", "hull", "upper", "lower"};
    pinion_builder *b = pinion_builder_new("bars");
    if (!b) return no_error(err), NULL;
    pinion_status status = PINION_OK;
    for (int i = 0; i < 4 && status == PINION_OK; i++) {
        pinion_link_def link = pinion_link_def_default();
        pinion_joint_def joint = pinion_joint_def_default();
        pinion_elastic_joint_def spring = pinion_elastic_joint_def_default();
        link.name = name[i];
        link.inertia.mass = i ? 20.0 / i : 0;
        for (int k = 0; i && k < 3; k++) link.inertia.inertia[k == 0 ? 0 : k == 1 ? 3 : 5] = 1;
        link.inertia.com[0] = 0.3;
        status = pinion_builder_add_link(b, &link, err);
        if (i == 0 || status != PINION_OK) continue;
        joint.name = joint.child = name[i];
        joint.parent = name[i - 1];
        joint.type = i == 1 ? PINION_JOINT_PLANAR : PINION_JOINT_CONTINUOUS;
        joint.parent_pose.position[0] = i > 1 ? 0.6 : 0;
        joint.dof[0].rotor_inertia = i > 1 ? 0.01 : 0;
        spring.stiffness = 100;
        status = elastic && i > 1 ? pinion_builder_add_elastic_joint(b, &joint, &spring, err)
                                  : pinion_builder_add_joint(b, &joint, err);
    }
    pinion_model *m = status == PINION_OK ? pinion_builder_build(b, NULL, err) : NULL;
    pinion_builder_free(b);
    return m;
}

static int try_build(void *context, pinion_error *err)
{
    (void)context;
    pinion_model *m = bars(1, err);
    alloc_work();
    if (m) CHECK(pinion_model_elastic_joint_count(m) == 2 && pinion_model_nv(m) == 7);
    pinion_model_free(m);
    return m != NULL;
}

TEST(building)
{
    if (!ALLOCATOR) SKIP(allocator_absent);
    exhaust(try_build, NULL, ONLY_MEMORY);
}

static int try_inverse(void *context, pinion_error *err)
{
    pinion_elastic_joints *x = pinion_elastic_joints_new(context);
    double q[7] = {0.1, 0.2, 0.3}, v[7] = {0}, a[7] = {1, 1, 1, 0, 1, 0, 1}, tau[7];
    if (!x) no_error(err);
    const pinion_status status =
        x ? pinion_elastic_joints_inverse_dynamics(x, 1, q, v, a, NULL, NULL, tau) : PINION_ERR_MEMORY;
    alloc_work();
    pinion_elastic_joints_free(x);
    return status == PINION_OK;
}

TEST(inverse_dynamics)
{
    pinion_error err;
    if (!ALLOCATOR) SKIP(allocator_absent);
    pinion_model *m = bars(1, &err);
    CHECK(m);
    if (!m) return;
    exhaust(try_inverse, m, ONLY_MEMORY);

    /* once it is made nothing more is taken */
    pinion_elastic_joints *x = pinion_elastic_joints_new(m);
    double q[7] = {0}, v[7] = {0}, a[7] = {0}, tau[7];
    alloc_fail(0, 1);
    const pinion_status status = pinion_elastic_joints_inverse_dynamics(x, 1, q, v, a, NULL, NULL, tau);
    alloc_work();
    CHECK(status == PINION_OK && alloc_failed == 0);
    pinion_elastic_joints_free(x);
    pinion_model_free(m);
}

static int try_floating(void *context, pinion_error *err)
{
    const double q[5] = {0, 0, 0, 0.5, 0.9};
    pinion_ik_options ik = pinion_ik_options_default();
    for (int i = 0; i < 3; i++) ik.weight[i] = 0;
    pinion_pose target = pinion_pose_identity();
    target.position[0] = 0.9;
    target.position[1] = 0.3;
    pinion_trajectory *path =
        pinion_trajectory_floating(context, q, 3, &target, 1, PINION_PROFILE_NONIC, 0, &ik, err);
    alloc_work();
    pinion_trajectory_free(path);
    return path != NULL;
}

TEST(floating)
{
    pinion_error err;
    if (!ALLOCATOR) SKIP(allocator_absent);
    pinion_model *m = bars(0, &err);
    CHECK(m);
    if (m) exhaust(try_floating, m, ONLY_MEMORY);
    pinion_model_free(m);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(building);
    RUN(inverse_dynamics);
    RUN(floating);
    return CHECK_END();
}
