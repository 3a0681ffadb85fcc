/* The algorithm that is chosen for a quantity is the one with the fewest operations of those that lose little to
 * rounding, and what the PUMA takes has a bound. */
#include "check.h"
#include "base/hash.h"
#include "memory/allocator.h"
#include "codegen/values.h"
#include <math.h>
#include "pinion/pinion.h"

/* Operations of a quantity by an algorithm on a regrouped model, and what it loses in units of rounding; `loss` may be
 * NULL. */
static double operations(const pinion_model *m, const char *quantity, int algorithm, pinion_operations *count,
                         double *loss)
{
    const pinion_codegen_options options = pinion_codegen_options_default();
    pn_function f;
    memset(&f, 0, sizeof f);
    memset(count, 0, sizeof *count);
    f.target = pn_target_find(quantity, strlen(quantity));
    f.frame = -1;
    f.algorithm = algorithm;
    pn_function_arguments(m, 0, 0, &f);
    CHECK_STATUS(pn_trace(m, &f.call, &f.graph), PINION_OK);
    f.graph.results = f.call.out[0];
    CHECK_STATUS(pn_simplify(&f.graph, pn_simplify_flags(&options)), PINION_OK);
    pn_graph_mark(&f.graph);
    CHECK_STATUS(pn_graph_count(&f.graph, 0, count), PINION_OK);
    if (loss) {
        pn_values states;
        pn_loss all;
        CHECK_STATUS(pn_states_open(m, PN_STATES_WEIGHED, &states), PINION_OK);
        CHECK_STATUS(pn_graph_loss(&states, &f.graph, f.call.out, &all), PINION_OK);
        *loss = all.worst[0] / all.scale[0];
        pn_values_close(&states);
    }
    pn_graph_free(&f.graph);
    return count->mul + count->add + 10 * (count->div + count->sqrt + count->trig);
}

static int chosen(const pinion_model *m, const char *quantity)
{
    const pinion_codegen_options options = pinion_codegen_options_default();
    pn_function f;
    memset(&f, 0, sizeof f);
    f.target = pn_target_find(quantity, strlen(quantity));
    f.frame = -1;
    f.algorithm = -1;
    CHECK_STATUS(pn_choose_algorithm(m, &options, &f), PINION_OK);
    return f.algorithm;
}

/* what an algorithm may lose: 32 units, or four times what the library's own does; of inverses, the best */
static double loss_allowed(const pinion_model *moved, const char *quantity, int algorithm)
{
    const pn_call *target = pn_target_find(quantity, strlen(quantity));
    const int problem = pn_algorithms[algorithm].problem, own = pn_general_algorithm(moved, target);
    double least = INFINITY;
    pinion_operations count;
    for (int a = 0; a < PN_ALGORITHM_COUNT; a++) {
        double loss = INFINITY;
        if (problem == PN_PROBLEM_mass_matrix_inverse ? pn_algorithms[a].problem != problem : a != own) continue;
        if (!pn_takes_regrouped(a) || pinion_algorithm_applies(a, moved, NULL) != PINION_OK) continue;
        operations(moved, quantity, a, &count, &loss);
        least = fmin(least, loss);
    }
    return fmax(32, 4 * least);
}

/* no algorithm that takes a regrouped model and loses little needs less than the one that is chosen */
static void check_least(const char *name, pinion_model *m)
{
    static const char *const quantities[] = {"inverse_dynamics", "bias", "mass_matrix", "forward_dynamics",
                                             "mass_matrix_inverse"};
    pinion_model *moved = pn_regrouped(m);
    CHECK(moved != NULL);
    for (size_t k = 0; moved && k < sizeof quantities / sizeof *quantities; k++) {
        const int algorithm = chosen(moved, quantities[k]);
        CHECK(algorithm >= 0);
        if (algorithm < 0) continue;
        pinion_operations count;
        const double least = operations(moved, quantities[k], algorithm, &count, NULL);
        const double allowed = loss_allowed(moved, quantities[k], algorithm);
        printf("       %-14s %-20s %-20s %5.0f x %5.0f + %3.0f / %3.0f sin\n", name, quantities[k],
               pn_algorithms[algorithm].name, count.mul, count.add, count.div + count.sqrt, count.trig);
        for (int a = 0; a < PN_ALGORITHM_COUNT; a++) {
            if (pn_algorithms[a].problem != pn_algorithms[algorithm].problem || !pn_takes_regrouped(a)) continue;
            if (pinion_algorithm_applies(a, moved, NULL) != PINION_OK) continue;
            double loss;
            const double other = operations(moved, quantities[k], a, &count, &loss);
            check_count++;
            if (other < least && loss <= 0.99 * allowed)
                CHECK_FAIL("%s, %s: %s takes %.0f, %s %.0f", name, quantities[k], pn_algorithms[algorithm].name, least,
                           pn_algorithms[a].name, other);
        }
    }
    pinion_model_free(moved);
    pinion_model_free(m);
}

TEST(least_on_random_models)
{
    pinion_error err = {0};
    check_least("chain of 6", pinion_random_chain(6, check_seed, &err));
    if (check_every(2) == 1) check_least("tree of 12", pinion_random_tree(12, 0, check_seed, &err));
    check_least("tree, free", pinion_random_tree(12, 1, check_seed, &err));
}

/* A light body that is free, and two links on it whose axes are parallel: M is badly conditioned, and forming it costs
 * digits that articulated bodies keep. */
static pinion_model *floating_arm(void)
{
    static const char *const names[] = {"base", "upper", "lower"};
    pinion_error err = {0};
    pinion_load_options options = pinion_load_options_default();
    options.root = PINION_ROOT_FREE;
    pinion_builder *b = pinion_builder_new("floating arm");
    for (int i = 0; i < 3; i++) {
        pinion_link_def link = pinion_link_def_default();
        link.name = names[i];
        link.inertia.mass = i ? 0.3 : 0.1;
        link.inertia.com[0] = 0.01;
        link.inertia.com[2] = 0.04;
        link.inertia.inertia[0] = i ? 4e-4 : 2.6e-5;
        link.inertia.inertia[3] = i ? 3.9e-4 : 1.8e-5;
        link.inertia.inertia[5] = i ? 3.6e-5 : 1.9e-5;
        CHECK_STATUS(pinion_builder_add_link(b, &link, &err), PINION_OK);
    }
    for (int i = 1; i < 3; i++) {
        pinion_joint_def joint = pinion_joint_def_default();
        joint.name = names[i];
        joint.type = PINION_JOINT_REVOLUTE;
        joint.parent = names[i - 1];
        joint.child = names[i];
        joint.axis[0] = 1;
        joint.axis[2] = 0;
        joint.parent_pose.position[2] = i == 1 ? 0.035 : 0.1;
        CHECK_STATUS(pinion_builder_add_joint(b, &joint, &err), PINION_OK);
    }
    pinion_model *m = pinion_builder_build(b, &options, &err);
    if (!m) CHECK_FAIL("%s", err.message);
    pinion_builder_free(b);
    return m;
}

/* where M is badly conditioned, fewest operations are not enough */
TEST(digits_are_kept)
{
    pinion_model *m = floating_arm(), *moved = m ? pn_regrouped(m) : NULL;
    pinion_operations count;
    double own, cheap, taken;
    CHECK(moved != NULL);
    if (!moved) return;
    const int algorithm = chosen(moved, "forward_dynamics");
    const double cost = operations(moved, "forward_dynamics", algorithm, &count, &taken);
    operations(moved, "forward_dynamics", pinion_algorithm_find("aba"), &count, &own);
    const double least =
        operations(moved, "forward_dynamics", pinion_algorithm_find("parallel-ltl"), &count, &cheap);
    printf("       aba loses %.0f units, parallel-ltl %.0f, %s is chosen and loses %.0f\n", own, cheap,
           pn_algorithms[algorithm].name, taken);
    CHECK(least < cost && cheap > 4 * own && cheap > 32);
    CHECK(taken <= fmax(4 * own, 32));
    pinion_model_free(moved);
    check_least("floating arm", m);
}

/* The loss that is measured is the one that double has: a sum that cancels loses what it should. */
TEST(losses_are_those_of_rounding)
{
    pinion_error err = {0};
    pinion_model *m = pinion_random_chain(2, 1, &err);
    pn_values states;
    CHECK_STATUS(pn_states_open(m, 4, &states), PINION_OK);
    for (int k = 0; k < 2; k++) {
        /* q0 + 2^20 - 2^20 has lost up to 2^20 units of 1, where q0 alone has few bits */
        pn_record record[] = {{.operation = PN_OP_CONSTANT},
                              {.operation = PN_OP_INPUT, .a = PN_IN_Q, .b = 0},
                              {.operation = PN_OP_CONSTANT, .value = k ? 0x1p20 : 0},
                              {.operation = PN_OP_ADD, .a = 1, .b = 2},
                              {.operation = PN_OP_SIGN, .a = 2},
                              {.operation = PN_OP_ADD, .a = 3, .b = 4}};
        int32_t result[] = {5};
        const pn_graph graph = {record, 6, result, 1};
        const size_t out[6] = {1};
        pn_loss loss;
        CHECK_STATUS(pn_graph_loss(&states, &graph, out, &loss), PINION_OK);
        if (k)
            CHECK(loss.worst[0] > 0x1p14 && loss.worst[0] <= 0x1p20);
        else
            CHECK(loss.worst[0] == 0);
    }
    pn_values_close(&states);
    pinion_model_free(m);
}

#ifdef PINION_IO
static pinion_model *bundled(const char *file)
{
    const char *folder = getenv("PINION_MODELS");
    char path[1024];
    pinion_error err = {0};
    snprintf(path, sizeof path, "%s/%s", folder ? folder : "", file);
    pinion_model *m = folder ? pinion_load(path, NULL, &err) : NULL;
    if (folder && !m) CHECK_FAIL("%s", err.message);
    return m;
}

TEST(least_on_arms)
{
    static const char *const files[] = {"puma560-corke.json", "puma560-akb.json", "stanford.json", "planar-3r.json"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i += (size_t)check_every(3)) {
        pinion_model *m = bundled(files[i]);
        if (!m) SKIP("PINION_MODELS is not set");
        check_least(files[i], m);
    }
}

/* inverse dynamics of the PUMA 560: the general count of rnea on six revolute joints is 588 + 443 */
TEST(the_puma_in_three_tenths)
{
    pinion_model *m = bundled("puma560-corke.json"), *moved = m ? pn_regrouped(m) : NULL;
    if (!moved) SKIP("PINION_MODELS is not set");
    pinion_operations count;
    operations(moved, "inverse_dynamics", chosen(moved, "inverse_dynamics"), &count, NULL);
    CHECK(count.mul + count.add <= 0.30 * (588 + 443));
    operations(moved, "gravity", chosen(moved, "gravity"), &count, NULL);
    CHECK(count.mul + count.add <= 31);
    CHECK(chosen(moved, "forward_dynamics") == pinion_algorithm_find("parallel-ltl"));
    pinion_model_free(moved);
    pinion_model_free(m);
}
#endif

/* the files' bytes; 0: an error, which is a lack of memory */
static uint64_t bytes_of_code(const pinion_model *m)
{
    pinion_error err = {PINION_OK, 0, 0, ""};
    pinion_codegen_options options = pinion_codegen_options_default();
    options.what = "inverse_dynamics,forward_dynamics";
    pinion_generated *g = pinion_codegen(m, &options, &err);
    uint64_t hash = PN_FNV1A;
    for (int i = 0; g && i < pinion_generated_file_count(g); i++) {
        const char *name, *text;
        size_t length;
        if (pinion_generated_file(g, i, &name, &text, &length) == PINION_OK) hash = pn_fnv1a(hash, text, length);
    }
    if (!g && (err.status != PINION_ERR_MEMORY || !err.message[0])) CHECK_FAIL("%d: %s", (int)err.status, err.message);
    pinion_generated_free(g);
    return g ? hash : 0;
}

/* A request for memory that is refused, wherever it is, never leads to another algorithm: the code is the same to the
 * byte, or it is an error. */
/* A factor of M of 60 joints has more operations than are recorded: it is not taken, and what is does not need M. */
TEST(too_many_to_record)
{
    pinion_model *m = pinion_random_chain(60, 5, NULL);
    if (!m) return;
    pinion_operations factor, taken, whole;
    const int cholesky = pinion_algorithm_find("crba-cholesky"), algorithm = chosen(m, "forward_dynamics");
    CHECK(algorithm >= 0 && algorithm != cholesky);
    CHECK_STATUS(pinion_algorithm_span(cholesky, m, &factor), PINION_OK);
    CHECK_STATUS(pinion_algorithm_operations(algorithm, m, &taken, &whole), PINION_OK);
    CHECK(factor.mul + factor.add > 60000 && taken.mul + taken.add < 60000);
    pinion_model_free(m);
}

TEST(memory_runs_out)
{
    if (!ALLOCATOR) SKIP(allocator_absent);
    pinion_error err;
    pinion_model *m = pinion_random_chain(2, check_seed, &err);
    if (!m) CHECK_FAIL("%s", err.message);
    if (!m) return;
    const uint64_t whole = bytes_of_code(m);
    CHECK(whole != 0);
    int refused = 1, errors = 0, survived = 0;
    for (long n = 0; refused && n < 100000; n += 1 + n / 40) {
        const long live = alloc_live;
        alloc_fail(n, 0);
        const uint64_t bytes = bytes_of_code(m);
        alloc_work();
        refused = alloc_failed > 0;
        CHECK(alloc_live == live);
        if (bytes && bytes != whole) CHECK_FAIL("with request %ld refused the code is another one", n);
        errors += !bytes;
        survived += bytes && refused;
    }
    CHECK(!refused && errors > 50);
    printf("    %d errors, %d survived\n", errors, survived);
    pinion_model_free(m);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(least_on_random_models);
    RUN(digits_are_kept);
    RUN(losses_are_those_of_rounding);
    RUN(too_many_to_record);
    RUN(memory_runs_out);
#ifdef PINION_IO
    RUN(least_on_arms);
    RUN(the_puma_in_three_tenths);
#endif
    return CHECK_END();
}
