/* Generated code against the library: all quantities of many robots, compiled as strictly as a firmware engineer would,
 * at random states. Errors are in units of the scalar's epsilon times the result's scale (compare.h).
 *
 * What the bounds are made of: code and library take the same sums in another order, and with regrouped inertias and
 * angles of parallel axes added up, in other numbers. Each of some 10 n operations on the way from base to tip and back
 * rounds by half an epsilon of what it adds, and what it adds can be larger than the result. */
#define _DEFAULT_SOURCE

#include "compare.h"

#define FEW 200     /* states of a robot that is one of many */
#define MORE 2000   /* of one that is looked at closely */
#define MANY 10000  /* and of one */
#define BOUND 128.0 /* epsilons */

/* A turning base with odd axes, and two fingers of which one follows the other. */
#define INERTIAL(mass, x, i)                                                                                 \
    "<inertial><origin xyz=\"" x " 0.02 0.01\" rpy=\"0.1 0.2 0.3\"/><mass value=\"" mass "\"/><inertia ixx=\"" i      \
    "\" iyy=\"0.05\" izz=\"0.06\" ixy=\"0.001\" ixz=\"-0.002\" iyz=\"0.003\"/></inertial>"
#define GRIPPER                                                                                              \
    "<robot name=\"gripper\">"                                                                               \
    "<link name=\"base\">" INERTIAL("3", "0", "0.04") "</link>"                                              \
    "<link name=\"wrist\">" INERTIAL("1.5", "0.1", "0.03") "</link>"                                         \
    "<link name=\"left\">" INERTIAL("0.25", "0.05", "0.02") "</link>"                                        \
    "<link name=\"right\">" INERTIAL("0.25", "0.05", "0.02") "</link>"                                       \
    "<joint name=\"turn\" type=\"continuous\"><parent link=\"base\"/><child link=\"wrist\"/>"                  \
    "<origin xyz=\"0.1 0.2 0.3\" rpy=\"0.5 -0.7 1\"/><axis xyz=\"0.36 0.48 0.8\"/></joint>"                  \
    "<joint name=\"open\" type=\"prismatic\"><parent link=\"wrist\"/><child link=\"left\"/>"                   \
    "<origin xyz=\"0 0.05 0\"/><axis xyz=\"0 1 0.2\"/><limit lower=\"0\" upper=\"0.1\" effort=\"1\" "        \
    "velocity=\"1\"/></joint>"                                                                               \
    "<joint name=\"opposite\" type=\"prismatic\"><parent link=\"wrist\"/><child link=\"right\"/>"              \
    "<origin xyz=\"0 -0.05 0\" rpy=\"0 0 3.1\"/><axis xyz=\"0 1 0.2\"/><limit lower=\"0\" upper=\"0.1\" "    \
    "effort=\"1\" velocity=\"1\"/><mimic joint=\"open\" multiplier=\"0.9\" offset=\"0.01\"/></joint>"          \
    "</robot>"

/* Loads a model from a folder that the environment names. */
static pinion_model *load(const char *variable, const char *below, const char *name, const pinion_load_options *options)
{
    char path[700];
    const char *place = getenv(variable);
    pinion_error err = {PINION_OK, 0, 0, ""};
    if (!place) return NULL;
    snprintf(path, sizeof path, "%s/%s%s", place, below, name);
    if (access(path, R_OK) != 0) return NULL;
    pinion_model *m = pinion_load(path, options, &err);
    if (!m) CHECK_FAIL("%s", err.message);
    return m;
}

static void add(char *list, size_t size, const char *text)
{
    const size_t used = strlen(list);
    snprintf(list + used, size - used, "%s", text);
}

/* "jacobian:FRAME,velocity:FRAME,..." of the last frame, whose name has its commas and backslashes escaped; and all
 * that need none. */
static void list_all(const char *robot, const pinion_model *m, char *list, size_t size)
{
    /* derivatives and regressors are long texts: three robots have them in double, one in float */
    const int long_ones = strcmp(robot, "puma560-f32") == 0 || strcmp(robot, "tree-0") == 0 ||
                          strcmp(robot, "stanford") == 0 || strcmp(robot, "followers") == 0;
    char frame[400] = "", *to = frame;
    pinion_frame_info info;
    list[0] = '\0';
    if (pinion_model_frame(m, pinion_model_frame_count(m) - 1, &info) == PINION_OK)
        for (const char *c = info.name; *c && to < frame + 390; *to++ = *c++)
            if (*c == ',' || *c == '\\') *to++ = '\\';
    *to = '\0';
    pinion_quantity_info quantity;
    for (int i = 0; codegen_quantity(i, &quantity); i++) {
        if (strncmp(quantity.name, "com", 3) == 0 && pinion_model_mass(m) == 0) continue;
        if (!long_ones && (strncmp(quantity.name, "d_", 2) == 0 || strstr(quantity.name, "_vjp") ||
                           strstr(quantity.name, "regressor")))
            continue;
        if (quantity.problem >= 0) { /* not all have an algorithm for every robot */
            int applies = quantity.problem == PINION_PROBLEM_FORWARD_DYNAMICS;
            for (int a = 0; a < pinion_algorithm_count(); a++) {
                pinion_algorithm_info by;
                applies |= pinion_algorithm(a, &by) == PINION_OK && by.kernel && (int)by.problem == quantity.problem &&
                           pinion_algorithm_applies(a, m, NULL) == PINION_OK;
            }
            if (!applies) continue;
        }
        if (*list) add(list, size, ",");
        add(list, size, quantity.name);
        if (quantity.takes_frame) add(list, size, ":");
        if (quantity.takes_frame) add(list, size, frame);
    }
}

/* Epsilons that a quantity may be off by: derivatives are sums of more terms, and those of accelerations, by forces on
 * bodies and in products, too, multiply by M's condition twice. Worst seen: 9e3. */
static double bound_of(const char *quantity)
{
    const char *forward = strstr(quantity, "forward_dynamics");
    if (forward && (forward != quantity || strstr(forward, "_vjp") || strstr(forward, "_jvp"))) return 500 * BOUND;
    /* solves with the inertia of the whole, which a load far away makes ill-conditioned */
    if (strstr(quantity, "generalized_jacobian")) return 30 * BOUND;
    return strstr(quantity, "_vjp") || strstr(quantity, "_f_ext") ? 30 * BOUND : BOUND;
}

/* What the options ask for, of one robot; everything without `what`. */
static void check_options(const char *name, const pinion_model *m, int states, pinion_codegen_options options)
{
    char what[4000];
    const int few = options.what != NULL;
    list_all(name, m, what, sizeof what);
    if (!few) options.what = what;
    options.name = "robot";

    built code;
    bed b = bed_new(m);
    double worst = 0;
    const char *of = "", *flags = few ? STRICT " -O1" : STRICT " -O0"; /* all of them take long to compile */
    if (generate_code(&code, m, &options, name) && load_code(&code, "cc", flags)) {
        for (int i = 0; i < pinion_generated_function_count(code.g); i++) {
            pinion_generated_function f;
            CHECK_STATUS(pinion_generated_function_info(code.g, i, &f), PINION_OK);
            const double error = worst_error(&b, &code, i, states, check_seed + (uint64_t)i);
            check_count++;
            if (!(error <= bound_of(f.quantity)))
                CHECK_FAIL("%s: %s is off by %.3g epsilon", name, f.quantity, error);
            if (error > worst) of = f.quantity;
            worst = fmax(worst, error);
        }
        printf("  %-24s %3d velocities, %5d states: at most %.1f epsilon (%s)\n", name, pinion_model_nv(m), states,
               worst, of);
    }
    free_code(&code);
    bed_free(&b);
}

/* All quantities of one robot. `m` is freed. */
static void check_robot(const char *name, pinion_model *m, int states, int f_ext, pinion_codegen_scalar scalar)
{
    pinion_codegen_options options = pinion_codegen_options_default();
    options.f_ext = f_ext;
    options.scalar = scalar;
    if (m) check_options(name, m, states, options);
    pinion_model_free(m);
}

/* Every quantity has words, and what its algorithms compute has its name. */
TEST(quantities)
{
    int count = 0;
    pinion_quantity_info quantity;
    for (; codegen_quantity(count, &quantity); count++) {
        CHECK(quantity.help && *quantity.help && quantity.outputs > 0);
        CHECK(quantity.problem < 0 || strstr(pinion_problem_name((pinion_problem)quantity.problem), "dynamics") ||
              strcmp(pinion_problem_name((pinion_problem)quantity.problem), quantity.name) == 0);
    }
    CHECK(count >= 19);
    CHECK_STATUS(pinion_quantity(-1, &quantity), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_quantity(pinion_quantity_count(), &quantity), PINION_ERR_ARGUMENT);
}

TEST(bundled_robots)
{
    if (!getenv("PINION_MODELS")) SKIP("PINION_MODELS is not set");
    check_robot("puma560", load("PINION_MODELS", "", "puma560-corke.json", NULL), MANY, 0, PINION_CODEGEN_F64);
    check_robot("puma560-akb", load("PINION_MODELS", "", "puma560-akb.json", NULL), FEW, 0, PINION_CODEGEN_F64);
    check_robot("stanford", load("PINION_MODELS", "", "stanford.json", NULL), MORE, 1, PINION_CODEGEN_F64);
    check_robot("planar-3r", load("PINION_MODELS", "", "planar-3r.json", NULL), MORE, 0, PINION_CODEGEN_F64);
    check_robot("arm-6dof", load("PINION_MODELS", "", "arm-6dof.json", NULL), FEW, 0, PINION_CODEGEN_F64);
}

static pinion_model *gripper(const pinion_load_options *options)
{
    pinion_error err = {PINION_OK, 0, 0, ""};
    pinion_model *m = pinion_load_string(GRIPPER, strlen(GRIPPER), PINION_FORMAT_URDF, "gripper", options, &err);
    if (!m) CHECK_FAIL("%s", err.message);
    return m;
}

TEST(load_options)
{
    if (!getenv("PINION_MODELS")) SKIP("PINION_MODELS is not set");
    pinion_load_options options = pinion_load_options_default();
    options.root = PINION_ROOT_FREE;
    check_robot("free-body", gripper(&options), FEW, 1, PINION_CODEGEN_F64);
    options = pinion_load_options_default();
    check_robot("followers", gripper(&options), FEW, 1, PINION_CODEGEN_F64);
    options.mimic = PINION_MIMIC_INDEPENDENT;
    check_robot("independent", gripper(&options), FEW, 0, PINION_CODEGEN_F64);
    options = pinion_load_options_default();
    options.set_gravity = 1;
    options.gravity[0] = 1.25;
    options.gravity[1] = -3;
    check_robot("tilted-planar-3r", load("PINION_MODELS", "", "planar-3r.json", &options), FEW, 0, PINION_CODEGEN_F64);
}

/* Joints of every type with branches, welds, followers and rotors; full inertias. */
TEST(random_robots)
{
    check_robot("chain-4", pinion_random_chain(4, check_seed, NULL), FEW, 1, PINION_CODEGEN_F64);
    for (int i = 0; i < 2; i++) {
        char name[20];
        snprintf(name, sizeof name, "tree-%d", i);
        check_robot(name, pinion_random_tree(6, i, check_seed + (uint64_t)i, NULL), FEW, 1, PINION_CODEGEN_F64);
    }
}

/* Each option by itself, and all together. */
TEST(options)
{
    if (!getenv("PINION_MODELS")) SKIP("PINION_MODELS is not set");
    static const char *const name[] = {"reassociate", "libm", "no-regrouping", "no-angle-sums", "all-options"};
    pinion_model *m = load("PINION_MODELS", "", "puma560-corke.json", NULL);
    for (int i = 0; m && i < 5; i++) {
        pinion_codegen_options options = pinion_codegen_options_default();
        options.what = "inverse_dynamics,forward_dynamics,mass_matrix,gravity,jacobian:link6";
        options.reassociate = i == 0 || i == 4;
        options.libm = i == 1 || i == 4;
        options.no_regrouping = i == 2 || i == 4;
        options.no_angle_sums = i == 3 || i == 4;
        check_options(name[i], m, 2000, options);
    }
    pinion_model_free(m);
}

TEST(single_precision)
{
    if (!getenv("PINION_MODELS")) SKIP("PINION_MODELS is not set");
    check_robot("puma560-f32", load("PINION_MODELS", "", "puma560-corke.json", NULL), MORE, 0, PINION_CODEGEN_F32);
    check_robot("tree-f32", pinion_random_tree(5, 1, check_seed, NULL), FEW, 1, PINION_CODEGEN_F32);
}

TEST(shared_robots)
{
    static const char *const name[] = {"ur5_robot.urdf", "panda.urdf", "double_pendulum_continuous.urdf", "iris.urdf"};
    pinion_load_options options = pinion_load_options_default();
    pinion_model *first = load("PINION_SHARED", "robots/", name[0], NULL);
    if (!first) SKIP("PINION_SHARED is not set or has no folder `robots`");
    pinion_model_free(first);
    for (size_t i = 0; i < sizeof name / sizeof name[0]; i++) {
        options.root = strcmp(name[i], "iris.urdf") == 0 ? PINION_ROOT_FREE : PINION_ROOT_FIXED;
        check_robot(name[i], load("PINION_SHARED", "robots/", name[i], &options), FEW, 0, PINION_CODEGEN_F64);
    }
}

int main(int argc, char **argv)
{
    WORKPLACE_BEGIN(argc, argv);
    RUN(quantities);
    RUN(bundled_robots);
    RUN(load_options);
    RUN(random_robots);
    RUN(options);
    RUN(single_precision);
    RUN(shared_robots);
    return workplace_end();
}
