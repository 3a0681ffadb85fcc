/* Limbs of the same shape side by side: which limbs these are, and that code that computes them together gives what the
 * kernels give, over double and float. */
#include "compiled_code.h"

#include "codegen/abreast/abreast.h"

/* what solves with M is compared on a model that is well conditioned: below */
static const char without_solutions[] = "inverse_dynamics,mass_matrix,gravity,bias,d_inverse_dynamics,regressor";

/* whether all of a model hangs on one joint */
static int is_one_limb(const pinion_model *m)
{
    const pn_node *node = PN_AT_CONST(m, pn_node, m->nodes);
    return m->n.nodes > 1 && node[1].end == m->n.nodes;
}

/* a limb without joints that follow others, of every type of joint */
static pinion_model *limb_of(int joints, uint64_t seed)
{
    pinion_model *m = pinion_random_tree(joints, 0, seed, NULL);
    while (m && (m->n.followers || !is_one_limb(m))) {
        pinion_model_free(m);
        m = pinion_random_tree(joints, 0, seed += 1000, NULL);
    }
    if (!m) exit(1);
    return m;
}

/* a body on one joint, fixed or free, with so many limbs of one shape, each of another size at another place */
static pinion_model *with_limbs(int count, const pinion_model *limb, int free_root, uint64_t seed)
{
    pinion_model *m = pinion_random_tree(1, free_root, seed, NULL);
    const int body = m ? pinion_model_frame_count(m) - 1 : 0; /* the last there is */
    for (int k = 0; m && k < count; k++) {
        char prefix[16];
        snprintf(prefix, sizeof prefix, "limb%d_", k);
        pinion_pose at = {{0}, {0}};
        for (int e = 0; e < 3; e++) at.position[e] = check_between(&seed, -1, 1);
        double turn[4], square = 0;
        for (int e = 0; e < 4; e++) {
            turn[e] = check_between(&seed, -1, 1);
            square += turn[e] * turn[e];
        }
        const double w = turn[0], x = turn[1], y = turn[2], z = turn[3], s = 2 / square;
        const double R[9] = {1 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y),
                             s * (x * y + w * z), 1 - s * (x * x + z * z), s * (y * z - w * x),
                             s * (x * z - w * y), s * (y * z + w * x), 1 - s * (x * x + y * y)};
        memcpy(at.rotation, R, sizeof R);
        pinion_model *part = pinion_model_scale(limb, 1 + 0.1 * k, 1 + 0.2 * k, NULL);
        pinion_error err = {0};
        pinion_model *next = part ? pinion_model_attach(m, body, part, prefix, &at, &err) : NULL;
        if (!next) CHECK_FAIL("%s", err.message);
        pinion_model_free(part);
        pinion_model_free(m);
        m = next;
    }
    if (!m) exit(1);
    return m;
}

/* ---- which limbs ---- */

static void check_sets(int limbs, int sets, int most, int least)
{
    pinion_model *limb = limb_of(3, check_seed), *m = with_limbs(limbs, limb, 1, check_seed);
    pn_limbs l;
    CHECK_STATUS(pn_limbs_open(m, &l), PINION_OK);
    CHECK(l.sets == sets);
    const pn_node *node = PN_AT_CONST(m, pn_node, m->nodes);
    for (int k = 0; k < l.sets; k++) CHECK(l.count[k] <= most && l.count[k] >= least);
    for (int i = 1; i < m->n.nodes; i++) {
        if (l.set[i] < 0) continue;
        const int start = l.start[l.set[i]][l.lane[i]], first = l.start[l.set[i]][0];
        CHECK(i >= start && i < node[start].end);
        CHECK(node[i].joint == node[first + i - start].joint);
    }
    pn_limbs_close(&l);
    pinion_model_free(m);
    pinion_model_free(limb);
}

TEST(limbs_of_one_shape_are_in_sets_of_four_at_most)
{
    check_sets(2, 1, 2, 2);
    check_sets(4, 1, 4, 4);
    check_sets(5, 2, 3, 2);
    check_sets(8, 2, 4, 4);
}

TEST(limbs_of_other_shapes_are_in_no_set)
{
    pinion_model *arm = pinion_random_chain(4, check_seed, NULL);
    pn_limbs l;
    CHECK_STATUS(pn_limbs_open(arm, &l), PINION_OK);
    CHECK(l.sets == 0);
    pn_limbs_close(&l);
    pinion_model_free(arm);
}

/* ---- the same results ---- */

static int abreast_in(const pinion_compiled *c)
{
    int count = 0;
    for (int i = 0; i < c->code->functions; i++) count += c->code->function[i].limbs;
    return count;
}

/* compiled for single calls, and compared with the kernels at 100 states in double and float */
static pinion_compiled *compile_calls(const pinion_model *m, const char *what, pinion_error *err)
{
    pinion_codegen_options o = pinion_codegen_options_default();
    pinion_compile_options c = pinion_compile_options_default();
    o.what = what;
    c.compiler = hasty;
    c.cache = "";
    c.batch = 0;
    return pinion_codegen_compile(m, &o, &c, err);
}

/* how many functions have limbs side by side */
static int check_model(const pinion_model *m, const char *name)
{
    pinion_error err = {0};
    pinion_compiled *c = compile_calls(m, without_solutions, &err);
    if (!c) CHECK_FAIL("%s: %s", name, err.message);
    const int count = c ? abreast_in(c) : 0;
    printf("       %s: %d of %d functions with limbs side by side\n", name, count, c ? c->code->functions : 0);
    pinion_compiled_free(c);
    return count;
}

TEST(legs_side_by_side_give_the_results_of_the_kernels)
{
    int count = 0;
    for (int k = 0; k < 4; k++) {
        static const int legs[] = {4, 2, 3, 5};
        char name[80];
        pinion_model *limb = limb_of(2 + k % 3, check_seed + (uint64_t)k);
        pinion_model *m = with_limbs(legs[k], limb, k % 2, check_seed + (uint64_t)k);
        snprintf(name, sizeof name, "%d limbs of %d joints, seed %llu", legs[k], 2 + k % 3,
                 (unsigned long long)check_seed + (unsigned long long)k);
        count += check_model(m, name);
        pinion_model_free(m);
        pinion_model_free(limb);
    }
    CHECK(count >= 4);
}

/* Four legs of revolute joints: every function has limbs side by side, and so much of its operations is left. */
static void check_quadruped(int joints, const char *what, double most)
{
    enum { SEED = 20001 };
    pinion_model *limb = pinion_random_chain(joints, SEED, NULL), *m = with_limbs(4, limb, 1, SEED);
    pinion_error err = {0};
    pinion_compiled *c = compile_calls(m, what, &err);
    if (!c) CHECK_FAIL("%s", err.message);
    for (int i = 0; c && i < c->code->functions; i++) {
        const pn_function *f = &c->code->function[i];
        printf("       %s: %.0f operations, %.0f instructions\n", f->quantity, f->operations.mul + f->operations.add,
               f->left);
        CHECK(f->limbs);
        CHECK(f->left < most * (f->operations.mul + f->operations.add));
    }
    pinion_compiled_free(c);
    pinion_model_free(m);
    pinion_model_free(limb);
}

/* Chains of revolute joints are what robots have for legs, and little of them is not alike. */
TEST(a_quadruped_has_most_of_it_side_by_side)
{
    check_quadruped(3, "d_inverse_dynamics,regressor,mass_matrix", 0.55);
}

/* What solves with M, on a model whose M is well conditioned in every state: short limbs. Less where legs meet. */
TEST(limbs_that_act_on_each_other_are_side_by_side_too)
{
    check_quadruped(2, "d_forward_dynamics,mass_matrix_inverse", 0.7);
}

/* What is zero in rows is loops (emit_zeros.c): M of limbs that stand on the world, as far apart as they are long. */
TEST(zeros_between_limbs_are_loops)
{
    pinion_model *limb = pinion_random_chain(1, check_seed, NULL), *m = pinion_model_copy(limb);
    for (int k = 0; m && k < 39; k++) {
        char prefix[16];
        snprintf(prefix, sizeof prefix, "limb%d_", k);
        pinion_error err = {0};
        pinion_model *next = pinion_model_attach(m, 0, limb, prefix, NULL, &err);
        if (!next) CHECK_FAIL("%s", err.message);
        pinion_model_free(m);
        m = next;
    }
    pinion_error err = {0};
    pinion_compiled *c = m ? compile_calls(m, "mass_matrix,regressor,d_inverse_dynamics", &err) : NULL;
    if (!c) CHECK_FAIL("%s", err.message);
    int found = 0;
    for (int i = 0; c && i < c->code->files; i++)
        found += strstr(c->code->file[i].text, "    for (int j = 1; j < 1560; j += 41)\n"
                                               "        for (int i = j; i < j + 40; i++) M[i] = ") != NULL;
    CHECK(found == 1);
    pinion_compiled_free(c);
    pinion_model_free(m);
    pinion_model_free(limb);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    const int cannot = begin_compiling();
    if (cannot) return cannot;
    RUN(limbs_of_one_shape_are_in_sets_of_four_at_most);
    RUN(limbs_of_other_shapes_are_in_no_set);
    RUN(legs_side_by_side_give_the_results_of_the_kernels);
    RUN(a_quadruped_has_most_of_it_side_by_side);
    RUN(limbs_that_act_on_each_other_are_side_by_side_too);
    RUN(zeros_between_limbs_are_loops);
    end_compiling();
    return CHECK_END();
}
