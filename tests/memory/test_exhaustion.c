/* The n-th allocation fails, for every n: building a model, copying it, making workspaces and batches, random
 * models. Each either succeeds or fails cleanly, without a crash and without a leak. */
#include "exhaust.h"
#include "pinion/pinion.h"

/* ---- builder ---- */

/* some of everything: a tree with a branch, a follower, a fixed link, a frame, a visual, a loop, two actuators */
static pinion_status describe(pinion_builder *b, pinion_error *err)
{
    static const char *const names[] = {"base", "upper", "fore", "hand", "finger", "thumb", "rod"};
    const double gravity[3] = {0, 0, -9.81};
    pinion_status status = pinion_builder_set_gravity(b, gravity, err);
    for (int i = 0; i < 7 && status == PINION_OK; i++) {
        pinion_link_def link = pinion_link_def_default();
        link.name = names[i];
        link.inertia = (pinion_inertia){1, {0.1, 0, 0}, {0.1, 0, 0, 0.1, 0, 0.1}};
        status = pinion_builder_add_link(b, &link, err);
    }
    static const pinion_joint_type types[] = {PINION_JOINT_REVOLUTE,  PINION_JOINT_UNIVERSAL, PINION_JOINT_FIXED,
                                              PINION_JOINT_PRISMATIC, PINION_JOINT_PRISMATIC, PINION_JOINT_SPHERICAL};
    static const int parents[] = {0, 1, 2, 3, 3, 0};
    for (int i = 0; i < 6 && status == PINION_OK; i++) {
        char name[16];
        pinion_joint_def joint = pinion_joint_def_default();
        snprintf(name, sizeof name, "joint%d", i);
        joint.name = name;
        joint.type = types[i];
        joint.parent = names[parents[i]];
        joint.child = names[i + 1];
        joint.parent_pose.position[0] = 0.3;
        if (i == 4) joint.mimic = "joint3";
        status = pinion_builder_add_joint(b, &joint, err);
    }
    pinion_frame_def frame = pinion_frame_def_default();
    frame.name = "tool";
    frame.link = "hand";
    if (status == PINION_OK) status = pinion_builder_add_frame(b, &frame, err);
    pinion_visual_def visual = pinion_visual_def_default();
    visual.link = "hand";
    visual.shape = PINION_SHAPE_MESH;
    visual.mesh = "package://robot/hand.stl";
    if (status == PINION_OK) status = pinion_builder_add_visual(b, &visual, err);
    pinion_joint_def loop = pinion_joint_def_default();
    loop.name = "closing";
    loop.type = PINION_JOINT_SPHERICAL;
    loop.parent = "rod";
    loop.child = "hand";
    if (status == PINION_OK) status = pinion_builder_add_loop(b, &loop, err);
    static const char *const pulled[] = {"joint0", "joint1"};
    pinion_actuator_def tendon = pinion_actuator_def_default();
    tendon.name = "tendon";
    tendon.type = PINION_ACTUATOR_SUM;
    tendon.count = 2;
    tendon.joints = pulled;
    if (status == PINION_OK) status = pinion_builder_add_actuator(b, &tendon, err);
    pinion_actuator_def thruster = pinion_actuator_def_default();
    thruster.name = "thruster";
    thruster.type = PINION_ACTUATOR_FRAME;
    thruster.frame = "tool";
    thruster.wrench[5] = 1;
    if (status == PINION_OK) status = pinion_builder_add_actuator(b, &thruster, err);
    return status;
}

static int build(void *context, pinion_error *err)
{
    const pinion_load_options *options = context;
    pinion_builder *b = pinion_builder_new("robot");
    pinion_status status = b ? pinion_builder_set_source(b, "robot.txt") : PINION_ERR_MEMORY;
    if (status != PINION_OK) {
        CHECK(status == PINION_ERR_MEMORY);
        no_error(err);
        pinion_builder_free(b);
        return 0;
    }
    status = describe(b, err);
    pinion_model *m = status == PINION_OK ? pinion_builder_build(b, options, err) : NULL;
    alloc_work();
    if (m) CHECK(pinion_model_joint_count(m) >= 6 && pinion_model_loop_count(m) == 1);
    const int done = m != NULL;
    pinion_model_free(m);

    /* a builder survives what failed: what was refused can be tried again */
    if (!done && status == PINION_OK) {
        m = pinion_builder_build(b, options, NULL);
        CHECK(m != NULL);
        pinion_model_free(m);
    }
    pinion_builder_free(b);
    return done;
}

TEST(building)
{
    if (!ALLOCATOR) SKIP(allocator_absent);
    pinion_load_options options = pinion_load_options_default();
    exhaust(build, &options, ONLY_MEMORY);
    options.root = PINION_ROOT_FREE;
    options.mimic = PINION_MIMIC_INDEPENDENT;
    exhaust(build, &options, ONLY_MEMORY);
}

/* a failed call leaves the builder as it was: with every second request refused until all went in */
TEST(adding_again_and_again)
{
    if (!ALLOCATOR) SKIP(allocator_absent);
    pinion_error err = {0};
    pinion_builder *b = pinion_builder_new("chain");
    CHECK(b != NULL);
    if (!b) return;
    pinion_link_def base = pinion_link_def_default();
    base.name = "link0";
    CHECK_STATUS(pinion_builder_add_link(b, &base, &err), PINION_OK);
    for (int i = 1; i <= 60; i++) {
        char name[16], parent[16], joint_name[16];
        pinion_link_def link = pinion_link_def_default();
        pinion_joint_def joint = pinion_joint_def_default();
        snprintf(name, sizeof name, "link%d", i);
        snprintf(parent, sizeof parent, "link%d", i - 1);
        snprintf(joint_name, sizeof joint_name, "joint%d", i);
        link.name = name;
        link.inertia = (pinion_inertia){1, {0, 0, 0}, {1, 0, 0, 1, 0, 1}};
        joint.name = joint_name;
        joint.type = PINION_JOINT_REVOLUTE;
        joint.parent = parent;
        joint.child = name;
        pinion_status status = PINION_ERR_MEMORY;
        for (long n = 0; status != PINION_OK && n < 100; n++) {
            alloc_fail(n, 0);
            status = pinion_builder_add_link(b, &link, &err);
            alloc_work();
            CHECK(status == PINION_OK || status == PINION_ERR_MEMORY);
        }
        status = PINION_ERR_MEMORY;
        for (long n = 0; status != PINION_OK && n < 100; n++) {
            alloc_fail(n, 0);
            status = pinion_builder_add_joint(b, &joint, &err);
            alloc_work();
            CHECK(status == PINION_OK || status == PINION_ERR_MEMORY);
        }
    }
    pinion_model *m = pinion_builder_build(b, NULL, &err);
    CHECK(m != NULL);
    if (m) CHECK(pinion_model_nv(m) == 60 && pinion_model_link_count(m) == 61);
    pinion_model_free(m);
    pinion_builder_free(b);
}

/* ---- models and workspaces ---- */

static int copy(void *context, pinion_error *err)
{
    pinion_model *m = pinion_model_copy(context);
    alloc_work();
    const int done = m != NULL;
    if (done) CHECK(pinion_model_nv(m) == pinion_model_nv(context));
    pinion_model_free(m);
    if (!done) no_error(err);
    return done;
}

static int workspace(void *context, pinion_error *err)
{
    pinion_work *w = pinion_work_new(context);
    alloc_work();
    const int done = w != NULL;
    pinion_work_free(w);
    if (!done) no_error(err);
    return done;
}

static int converter(void *context, pinion_error *err)
{
    pinion_converter *c = pinion_converter_new(context, PINION_CONVENTION_PINOCCHIO, err);
    alloc_work();
    const int done = c != NULL;
    pinion_converter_free(c);
    return done;
}

static int workspace_f32(void *context, pinion_error *err)
{
    pinion_work_f32 *w = pinion_work_f32_new(context);
    alloc_work();
    const int done = w != NULL;
    pinion_work_f32_free(w);
    if (!done) no_error(err);
    return done;
}

static int allocation(void *context, pinion_error *err)
{
    pinion_allocation *x = pinion_allocation_new(context);
    alloc_work();
    const int done = x != NULL;
    pinion_allocation_free(x);
    if (!done) no_error(err);
    return done;
}

static int batch(void *context, pinion_error *err)
{
    pinion_batch *b = pinion_batch_new(context, 1);
    alloc_work();
    const int done = b != NULL;
    pinion_batch_free(b);
    if (!done) no_error(err);
    return done;
}

TEST(models_and_workspaces)
{
    if (!ALLOCATOR) SKIP(allocator_absent);
    pinion_model *m = pinion_random_tree(15, 1, check_seed, NULL);
    CHECK(m != NULL);
    if (!m) return;
    exhaust(copy, m, ONLY_MEMORY);
    exhaust(workspace, m, ONLY_MEMORY);
    exhaust(workspace_f32, m, ONLY_MEMORY);
    pinion_model *chain = pinion_random_chain(5, check_seed, NULL);
    exhaust(converter, chain, ONLY_MEMORY);
    pinion_model_free(chain);
    exhaust(batch, m, ONLY_MEMORY);
    exhaust(allocation, m, ONLY_MEMORY);
    pinion_builder *b = pinion_builder_new("pulled");
    pinion_error err = {PINION_OK, 0, 0, ""};
    if (describe(b, &err) != PINION_OK) CHECK_FAIL("%s", err.message);
    pinion_model *pulled = pinion_builder_build(b, NULL, NULL);
    exhaust(allocation, pulled, ONLY_MEMORY);
    pinion_model_free(pulled);
    pinion_builder_free(b);
    pinion_model_free(m);
}

/* ---- random models ---- */

static int random_tree(void *context, pinion_error *err)
{
    pinion_model *m = pinion_random_tree(12, *(const int *)context, 42, err);
    alloc_work();
    const int done = m != NULL;
    if (done) CHECK(pinion_model_joint_count(m) >= 12);
    pinion_model_free(m);
    return done;
}

static int random_chain(void *context, pinion_error *err)
{
    pinion_model *m = pinion_random_chain(*(const int *)context, 42, err);
    alloc_work();
    const int done = m != NULL;
    if (done) CHECK(pinion_model_nv(m) == *(const int *)context);
    pinion_model_free(m);
    return done;
}

TEST(random_models)
{
    if (!ALLOCATOR) SKIP(allocator_absent);
    int fixed = 0, free_root = 1, joints = 40;
    exhaust(random_tree, &fixed, ONLY_MEMORY);
    exhaust(random_tree, &free_root, ONLY_MEMORY);
    exhaust(random_chain, &joints, ONLY_MEMORY);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    setvbuf(stdout, NULL, _IOLBF, 0);
    RUN(building);
    RUN(adding_again_and_again);
    RUN(models_and_workspaces);
    RUN(random_models);
    return CHECK_END();
}
