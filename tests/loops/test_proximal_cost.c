/* What loop-proximal costs, counted: linear in the number of bodies; and loops that would cost too much are refused. */
#include "api/registry.h"
#include "random_loops.h"

#ifdef PINION_TRACE

static pinion_joint_def hinge(const char *name, const char *parent, double at, const char *child)
{
    pinion_joint_def j = pinion_joint_def_default();
    j.name = name;
    j.type = PINION_JOINT_REVOLUTE;
    j.parent = parent;
    j.child = child;
    j.axis[0] = j.axis[2] = 0;
    j.axis[1] = 1;
    j.parent_pose.position[0] = at;
    return j;
}

static pinion_status add_bar(pinion_builder *b, const char *name, const char *parent, double at, int joint)
{
    pinion_link_def link = pinion_link_def_default();
    char joint_name[48];
    snprintf(joint_name, sizeof joint_name, "joint %d", joint);
    link.name = name;
    link.inertia.mass = 1;
    link.inertia.com[0] = 0.5;
    link.inertia.inertia[3] = link.inertia.inertia[5] = 1.0 / 12;
    const pinion_joint_def j = hinge(joint_name, parent, at, name);
    const pinion_status status = pinion_builder_add_link(b, &link, NULL);
    return status ? status : pinion_builder_add_joint(b, &j, NULL);
}

static pinion_status close_bar(pinion_builder *b, const char *parent, double at, const char *child, int loop)
{
    char name[48];
    snprintf(name, sizeof name, "loop %d", loop);
    pinion_joint_def j = hinge(name, parent, at, child);
    j.child_pose.position[0] = 1;
    return pinion_builder_add_loop(b, &j, NULL);
}

typedef enum shape { CHAIN_TO_BASE, CHAIN_TO_FIRST, TWO_CHAINS, FOUR_BARS, SHAPES } shape;

/* n bars each: a chain whose tip is on the base, or on the first bar; two chains that meet at their tips; and a row of
 * four-bars, of n rods on the base with n - 1 couplers, each a loop between two bodies. */
static pinion_model *bars(shape kind, int n)
{
    pinion_error err = {0};
    pinion_builder *b = pinion_builder_new("bars");
    pinion_link_def base = pinion_link_def_default();
    char name[4][32] = {"base", "", "", ""};
    pinion_status status = b ? PINION_OK : PINION_ERR_MEMORY;
    base.name = "base";
    if (!status) status = pinion_builder_add_link(b, &base, &err);
    const int chains = kind == TWO_CHAINS ? 2 : 1;
    for (int c = 0; c < chains && kind != FOUR_BARS; c++) {
        for (int i = 0; i < n && !status; i++) {
            snprintf(name[0], sizeof name[0], i ? "bar %d %d" : "base", c, i - 1);
            snprintf(name[1], sizeof name[1], "bar %d %d", c, i);
            status = add_bar(b, name[1], name[0], i ? 1 : c, c * n + i);
        }
    }
    for (int i = 0; i < n && kind == FOUR_BARS && !status; i++) {
        snprintf(name[0], sizeof name[0], "rod %d", i);
        snprintf(name[1], sizeof name[1], "coupler %d", i);
        snprintf(name[2], sizeof name[2], "coupler %d", i - 1);
        status = add_bar(b, name[0], "base", i, 2 * i);
        if (!status && i + 1 < n) status = add_bar(b, name[1], name[0], 1, 2 * i + 1);
        if (!status && i) status = close_bar(b, name[2], 1, name[0], i);
    }
    snprintf(name[0], sizeof name[0], "bar 0 %d", n - 1);
    snprintf(name[1], sizeof name[1], "bar 1 %d", n - 1);
    if (!status && kind == CHAIN_TO_BASE) status = close_bar(b, "base", 2, name[0], 0);
    if (!status && kind == CHAIN_TO_FIRST) status = close_bar(b, "bar 0 0", 0.5, name[0], 0);
    if (!status && kind == TWO_CHAINS) status = close_bar(b, name[1], 1, name[0], 0);
    pinion_model *m = status ? NULL : pinion_builder_build(b, NULL, &err);
    if (!m) CHECK_FAIL("bars cannot be built: %s", err.message);
    pinion_builder_free(b);
    return m;
}

/* operations on a mechanism of n bars, -1 with a failed check */
static double operations(shape kind, int n, int *couplings)
{
    pinion_operations lean, whole;
    pinion_model *m = bars(kind, n);
    if (!m) return -1;
    CHECK_STATUS(pinion_algorithm_operations(pinion_algorithm_find("loop-proximal"), m, &lean, &whole), PINION_OK);
    *couplings = m->n.couplings;
    pinion_model_free(m);
    return (double)(whole.mul + whole.add + whole.div + whole.sqrt + whole.trig);
}

/* every further bar costs the same */
TEST(cost_is_linear)
{
    static const char *const name[SHAPES] = {"chain to the base", "chain to its first bar", "two chains", "four-bars"};
    for (int kind = 0; kind < SHAPES; kind++) {
        int few, some, many, next;
        const double at8 = operations((shape)kind, 8, &few), at16 = operations((shape)kind, 16, &some);
        const double at64 = operations((shape)kind, 64, &many), at65 = operations((shape)kind, 65, &next);
        const double each = at65 - at64;
        CHECK_NEAR(at64 - at16, 48 * each, 0);
        CHECK_NEAR(at16 - at8, 8 * each, 0);
        CHECK_NEAR(many - some, 48 * (next - many), 0);
        printf("       %s: %.0f operations for each further bar, %.0f for 64\n", name[kind], each, at64);
    }
}

#else

TEST(cost_is_linear)
{
    SKIP("this build counts no operations");
}

#endif

/* loops that all overlap are refused with a reason, where they would cost too much */
TEST(too_much_overlap)
{
    enum { BODIES = 84 };
    pinion_error err = {0};
    pinion_builder *b = pinion_builder_new("tangle");
    pinion_link_def link = pinion_link_def_default();
    pinion_joint_def joint = pinion_joint_def_default();
    pinion_constraint_def c = pinion_constraint_def_default();
    char name[3][32];
    link.name = "base";
    CHECK_STATUS(pinion_builder_add_link(b, &link, &err), PINION_OK);
    link.inertia.mass = 1;
    link.inertia.inertia[0] = link.inertia.inertia[3] = link.inertia.inertia[5] = 0.1;
    for (int i = 0; i < BODIES; i++) {
        snprintf(name[0], sizeof name[0], "body%d", i);
        snprintf(name[1], sizeof name[1], "joint%d", i);
        link.name = joint.child = name[0];
        joint.name = name[1];
        joint.parent = "base";
        joint.type = PINION_JOINT_FREE;
        CHECK_STATUS(pinion_builder_add_link(b, &link, &err), PINION_OK);
        CHECK_STATUS(pinion_builder_add_joint(b, &joint, &err), PINION_OK);
    }
    for (int i = 0; i < BODIES; i++) {
        for (int k = 0; k < i; k++) {
            snprintf(name[0], sizeof name[0], "rod %d %d", i, k);
            snprintf(name[1], sizeof name[1], "body%d", k);
            snprintf(name[2], sizeof name[2], "body%d", i);
            c.name = name[0];
            c.kind = PINION_LOOP_DISTANCE;
            c.parent = name[1];
            c.child = name[2];
            c.length = 1;
            CHECK_STATUS(pinion_builder_add_constraint(b, &c, &err), PINION_OK);
        }
    }
    pinion_model *m = pinion_builder_build(b, NULL, &err);
    pinion_builder_free(b);
    CHECK(m != NULL);
    if (!m) return;
    CHECK(m->n.couplings == -1);
    CHECK_STATUS(pinion_algorithm_applies(pinion_algorithm_find("loop-proximal"), m, &err), PINION_ERR_UNSUPPORTED);
    CHECK(strstr(err.message, "overlap") != NULL);
    pinion_model_free(m);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(cost_is_linear);
    RUN(too_much_overlap);
    return CHECK_END();
}
