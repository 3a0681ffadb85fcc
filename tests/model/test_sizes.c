/* How large a model may be: dense matrices over its velocities and constraints are indexed by int, and a workspace must
 * be addressable. What is refused says so in numbers, and what is not takes a time that grows with the model. */
#include <time.h>

#include "api/registry.h"
#include "describe_robot.h"
#include "pinion/pinion.h"

/* `count` revolute joints on the ground; the links are "x0", "x1", ... */
static pinion_builder *star(int count)
{
    pinion_builder *b = pinion_builder_new("star");
    CHECK_STATUS(pinion_builder_set_source(b, "s.json"), PINION_OK);
    add_link(b, "ground", 1);
    for (int i = 0; i < count; i++) {
        char link[32], joint[32];
        snprintf(link, sizeof link, "x%d", i);
        snprintf(joint, sizeof joint, "j%d", i);
        add_link(b, link, 2);
        add_joint(b, joint, "ground", link, 3);
    }
    return b;
}

/* a rod between two links, one constraint */
static void add_rod(pinion_builder *b, int number, int from, int to)
{
    pinion_constraint_def def = pinion_constraint_def_default();
    char name[32], parent[32], child[32];
    snprintf(name, sizeof name, "rod%d", number);
    snprintf(parent, sizeof parent, "x%d", from);
    snprintf(child, sizeof child, "x%d", to);
    def.name = name;
    def.kind = PINION_LOOP_DISTANCE;
    def.parent = parent;
    def.child = child;
    def.length = 1;
    CHECK_STATUS(pinion_builder_add_constraint(b, &def, NULL), PINION_OK);
}

static pinion_model *build(pinion_builder *b, pinion_error *err)
{
    memset(err, 0, sizeof *err);
    pinion_model *m = pinion_builder_build(b, NULL, err);
    pinion_builder_free(b);
    return m;
}

/* bytes, in a type that cannot wrap, of what a workspace must hold at least */
static double least_bytes(const pinion_model *m)
{
    const double n = pinion_model_nv(m), r = pinion_model_row_count(m);
    return sizeof(double) * (4 * n * n + 8 * n * r + 4 * r * r);
}

/* matrices that nobody could index are refused, and not begun */
static void check_matrices(const pinion_model *m)
{
    static const char *const dense[] = {"crba", "ltl-inverse", "ltdl", "noc", "loop-direct"};
    pinion_work *w = pinion_work_new(m);
    double *q = calloc((size_t)pinion_model_nq(m), sizeof *q), M = 7;
    pinion_error err = {0};
    const pinion_terms terms = {.M = &M};
    CHECK_STATUS(pinion_mass_matrix(m, w, q, &M), PINION_ERR_UNSUPPORTED);
    CHECK_HAS(pinion_work_message(w), "50000 velocities");
    CHECK_STATUS(pinion_dynamics_terms(m, w, q, NULL, &terms), PINION_ERR_UNSUPPORTED);
    CHECK(M == 7);
    for (size_t i = 0; i < sizeof dense / sizeof *dense; i++) {
        const int algorithm = pinion_algorithm_find(dense[i]);
        if (algorithm < 0) CHECK_FAIL("there is no %s", dense[i]);
        CHECK_STATUS(pinion_algorithm_applies(algorithm, m, &err), PINION_ERR_UNSUPPORTED);
        CHECK_HAS(err.message, "needs a smaller model");
    }
    CHECK_STATUS(pinion_algorithm_applies(pinion_algorithm_find("aba"), m, &err), PINION_OK);
    CHECK_STATUS(pinion_algorithm_applies(pinion_algorithm_find("rnea"), m, &err), PINION_OK);
    CHECK(pinion_batch_new(m, 1) == NULL);
    free(q);
    pinion_work_free(w);
}

TEST(velocities_and_constraints)
{
    /* 3 constraints on as many velocities as there may be beside them, and on one more */
    for (int over = 0; over < 2; over++) {
        const int count = 46340 - 3 + over;
        pinion_error err;
        pinion_builder *b = star(count);
        for (int i = 0; i < 3; i++) add_rod(b, i, i, i + 1);
        pinion_model *m = build(b, &err);
        CHECK((m == NULL) == over);
        if (m) {
            CHECK(pinion_model_nv(m) + pinion_model_row_count(m) == 46340);
            CHECK((double)pinion_work_size(m) > least_bytes(m) && pinion_work_size(m) < SIZE_MAX / 4);
            CHECK((double)pinion_work_f32_size(m) > least_bytes(m) / 2);
        } else {
            check_message(&err, PINION_ERR_MODEL, "s.json: ", "46338 velocities and 3 constraints", "at most 46340");
        }
        pinion_model_free(m);
    }

    /* without loops more is allowed: nothing dense comes with the workspace */
    pinion_error err;
    pinion_model *m = build(star(50000), &err);
    CHECK(m != NULL && pinion_work_size(m) < 100000000);
    if (m) check_matrices(m);
    pinion_model_free(m);

    /* the mechanism that is generated knows its limit */
    m = pinion_n_four_bar(6620, &err);
    CHECK(m == NULL);
    check_message(&err, PINION_ERR_ARGUMENT, "", "a row of 6620 four-bars", "expected 1 to 6619");
    pinion_model_free(m);
    m = pinion_n_four_bar(6619, &err);
    CHECK(m != NULL && pinion_model_nv(m) == 13239 && pinion_model_row_count(m) == 33095);
    pinion_model_free(m);
}

/* a follower costs no velocity of the model, but one of the tree, over which there is a matrix */
TEST(followers)
{
    for (int over = 0; over < 2; over++) {
        const int count = 46334 + over;
        pinion_builder *b = star(count - 1);
        add_link(b, "last", 4);
        pinion_joint_def def = joint_def("follows", PINION_JOINT_REVOLUTE, "ground", "last", 5);
        def.mimic = "j0";
        CHECK_STATUS(pinion_builder_add_joint(b, &def, NULL), PINION_OK);
        pinion_error err;
        pinion_model *m = build(b, &err);
        CHECK((m == NULL) == over);
        if (m)
            CHECK((double)pinion_work_size(m) > 8.0 * count * count && pinion_model_nv(m) == count - 1);
        else
            check_message(&err, PINION_ERR_MODEL, "s.json: ", "46335 velocities", "at most 46334");
        pinion_model_free(m);
    }
}

/* What the counts come to beyond all bounds is not wrapped: no memory, no workspace. */
TEST(sizes_do_not_wrap)
{
    const size_t most = SIZE_MAX / 4;
    CHECK(pn_bytes(10, 8, 64) == 144);
    CHECK(pn_bytes((most - 64) / 8, 8, 64) <= most);
    CHECK(pn_bytes((most - 64) / 8 + 1, 8, 64) == SIZE_MAX);
    CHECK(pn_bytes(UINT64_MAX, 4, 0) == SIZE_MAX);
    CHECK(pn_take(SIZE_MAX) == NULL && pn_take(0) == NULL);

    /* every count at what a builder takes: products are what they are in double */
    const int top = 6 * 131072;
    const pn_counts n = {.nodes = top, .bodies = top, .nq = top, .nv = top, .tree_nq = top, .tree_nv = top,
                         .dense = top, .frames = top, .followers = 1, .loops = top, .rows = top, .couplings = top};
    CHECK(fabs((double)pn_loop_reals(&n) / (16.0 * top * top) - 1) < 1e-3);
    CHECK(fabs((double)pn_work_reals(&n) / (2.0 * top * top) - 1) < 1e-3);
    for (int a = 0; a < pinion_algorithm_count(); a++) CHECK((double)pn_algorithm_room(a, &n) < 100.0 * top * top);
}

/* Parts follow each other, each as large as its users take it; a model has the layout of all parts. */
TEST(workspaces_have_one_layout)
{
    for (int kind = 0; kind < 2; kind++) {
        pinion_model *m = kind ? pinion_random_tree(20, 1, check_seed, NULL) : pinion_random_chain(5, check_seed, NULL);
        const pn_counts *n = &m->n;
        const pn_layout all = pn_work_layout(n, PN_PART_ALL, PN_BODY_REALS), few = pn_work_layout(n, 0, 7);
        const uint64_t nodes = (uint64_t)n->nodes, dense = (uint64_t)n->dense, tree_nv = (uint64_t)n->tree_nv;
        CHECK(memcmp(&m->layout, &all, sizeof all) == 0 && pn_work_reals(n) == all.room);
        CHECK(all.dense == 3 * nodes && all.poses == all.dense + 12 * dense);
        /* records and columns begin with a line of the cache, of 8 doubles */
        CHECK(all.records == (all.poses + 12 * nodes + 7) / 8 * 8 && all.blocks == all.records + PN_BODY_REALS * nodes);
        CHECK(all.columns == (all.blocks + 64 * dense + 7) / 8 * 8);
        CHECK(all.tree == all.columns + 6 * (tree_nv + PN_BESIDE_COLUMNS));
        CHECK((all.laws > all.tree) == (n->followers > 0) && all.room == all.laws + 3 * (uint64_t)n->rows);
        CHECK(few.records == few.poses && few.poses == few.dense + 12 * dense && few.tree == few.records + 7 * nodes);
        pinion_model_free(m);
    }
}

/* seconds of a model's build whose rods all end at its last link, their other ends in either order */
static double build_time(int count, int descending)
{
    pinion_builder *b = star(count);
    for (int i = 0; i < count - 1; i++) add_rod(b, i, descending ? count - 2 - i : i, count - 1);
    pinion_error err;
    const clock_t start = clock();
    pinion_model *m = build(b, &err);
    const double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    CHECK(m != NULL);
    pinion_model_free(m);
    return seconds;
}

/* the order of loops does not matter for how long a file takes, where that is of interest */
TEST(time_grows_with_the_model)
{
    const int count = 23000 / check_every(10);
    const double up = build_time(count, 0), down = build_time(count, 1);
    printf("       %.3f s and %.3f s\n", up, down);
    CHECK(down < 4 * up + 0.1);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(velocities_and_constraints);
    RUN(followers);
    RUN(sizes_do_not_wrap);
    RUN(workspaces_have_one_layout);
    RUN(time_grows_with_the_model);
    return CHECK_END();
}
