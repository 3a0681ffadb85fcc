/* Spans: how the longest sequence of dependent operations grows with a chain and with trees. With n for the recursions
 * along the robot, by a constant for every doubling for those that are made for many processors. */
#include "models.h"

static double span_on(const char *name, const pinion_model *m)
{
    pinion_operations o = {0};
    const int a = pinion_algorithm_find(name);
    CHECK(a >= 0);
    if (a >= 0) CHECK_STATUS(pinion_algorithm_span(a, m, &o), PINION_OK);
    return o.span;
}

static double chain_span(const char *name, int n)
{
    pinion_error err;
    pinion_model *m = pinion_random_chain(n, 1, &err);
    const double span = m ? span_on(name, m) : NAN;
    pinion_model_free(m);
    return span;
}

/* the way without memory gives what the recorded graph gives */
TEST(as_recorded)
{
    static const int joints[] = {1, 2, 5, 13};
    uint64_t seed = check_seed;
    for (int k = 0; k < 4; k++) {
        pinion_model *m = random_model(EVERY_TYPE, joints[k], 0, 0, &seed);
        for (int a = 0; m && a < pinion_algorithm_count(); a++) {
            pinion_operations span, lean, whole;
            pinion_algorithm_info info;
            CHECK_STATUS(pinion_algorithm(a, &info), PINION_OK);
            if (!info.kernel || pinion_algorithm_applies(a, m, NULL) != PINION_OK) continue;
            CHECK_STATUS(pinion_algorithm_operations(a, m, &lean, &whole), PINION_OK);
            CHECK_STATUS(pinion_algorithm_span(a, m, &span), PINION_OK);
            check_count++;
            if (span.span != lean.span)
                CHECK_FAIL("%s: a span of %g, recorded %g", info.name, span.span, lean.span);
            CHECK(span.mul >= lean.mul && span.add >= lean.add && span.mul <= whole.mul && span.add <= whole.add);
        }
        pinion_model_free(m);
    }
}

/* from 256 to 1024 joints: four times for aba; for the others twice the same step */
TEST(chains)
{
    const double aba[2] = {chain_span("aba", 256), chain_span("aba", 1024)};
    CHECK(aba[1] > 3.8 * aba[0] && aba[1] < 4.2 * aba[0]);
    static const char *const short_ones[] = {"divide-and-conquer", "constraint-force-parallel"};
    for (int k = 0; k < 2; k++) {
        if (pinion_algorithm_find(short_ones[k]) < 0) continue;
        double span[4];
        for (int i = 0; i < 4; i++) span[i] = chain_span(short_ones[k], 128 << i);
        printf("       %s: %g, %g, %g, %g for 128 to 1024 joints; aba %g for 1024\n", short_ones[k], span[0], span[1],
               span[2], span[3], aba[1]);
        const double step = span[1] - span[0];
        for (int i = 1; i < 3; i++) CHECK_NEAR(span[i + 1] - span[i], step, 0.1 * step);
        CHECK(span[3] < 0.1 * aba[1]);
    }
}

/* a star, a comb (a chain with a limb on every body), a binary tree, and a random one */
static pinion_model *tree_of(int shape, int n, uint64_t *seed)
{
    pinion_error err = {0};
    pinion_builder *b = pinion_builder_new("tree");
    pinion_link_def link = pinion_link_def_default();
    pinion_joint_def joint = pinion_joint_def_default();
    char parent[32], child[32], name[32];
    link.name = "link0";
    pinion_status status = pinion_builder_add_link(b, &link, &err);
    for (int i = 1; i <= n && !status; i++) {
        const int on = shape == 0   ? i > 1
                       : shape == 1 ? (i % 2 ? (i > 1 ? i - 2 : 0) : i - 1)
                       : shape == 2 ? i / 2
                                    : (int)(check_uniform(seed) * i);
        snprintf(parent, sizeof parent, "link%d", on);
        snprintf(child, sizeof child, "link%d", i);
        snprintf(name, sizeof name, "joint%d", i);
        link.name = joint.child = child;
        joint.parent = parent;
        joint.name = name;
        joint.type = PINION_JOINT_REVOLUTE;
        joint.parent_pose = random_pose(seed);
        link.inertia = random_inertia(seed);
        status = pinion_builder_add_link(b, &link, &err);
        if (!status) status = pinion_builder_add_joint(b, &joint, &err);
    }
    pinion_model *m = status ? NULL : pinion_builder_build(b, NULL, &err);
    pinion_builder_free(b);
    if (!m) CHECK_FAIL("%s", err.message);
    return m;
}

/* Trees grow by logarithms, where n would double. Each has no more levels than dca_plan.inc says, of as many operations
 * as one of a chain. One random tree may have twice the span of another: the mean of some grows so, over two doublings
 * (1.61 times with half as many, the most of 32 seeds). */
TEST(trees)
{
    enum { SIZES = 3 };
    static const char *const names[] = {"star", "comb", "binary", "random"};
    const double level = chain_span("divide-and-conquer", 256) - chain_span("divide-and-conquer", 128);
    uint64_t seed = check_seed;
    for (int shape = 0; shape < 4; shape++) {
        double span[SIZES];
        const int many = shape == 3 ? 24 : 1;
        for (int i = 0; i < SIZES; i++) {
            span[i] = 0;
            for (int k = 0; k < many; k++) {
                pinion_model *m = tree_of(shape, 128 << i, &seed);
                const double one = m ? span_on("divide-and-conquer", m) : NAN;
                CHECK(one < level * (2 * log(128 << i) / log(1.5) + 2));
                span[i] += one / many;
                pinion_model_free(m);
            }
        }
        printf("       %s: %g, %g, %g for 128, 256, 512 joints\n", names[shape], span[0], span[1], span[2]);
        CHECK(span[2] < 1.3 * 1.3 * span[0]);
        if (shape < 3) CHECK(span[2] < 1.3 * span[1] && span[1] < 1.3 * span[0]);
    }
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(as_recorded);
    RUN(chains);
    RUN(trees);
    return CHECK_END();
}
