/* Robots that are too large for straight lines: the same functions as loops over tables, from the kernels'
 * own sources. They do the library's own operations, so they give the bits of its baseline kernels; the calls
 * of the library may fuse products and sums, and differ by roundings. Errors and their bound as in
 * test_end_to_end.c. */
#define _DEFAULT_SOURCE

#include "codegen/codegen_steps.h"
#include "compare.h"

#define STATES 40
#define BOUND 128.0 /* epsilons */
/* what is compiled into one function takes several times as long to compile; some warnings need -O1 */
#define QUICK " -O1 -DPN_HOT="
#define QUICKER " -O0 -DPN_HOT="

#define DYNAMICS "inverse_dynamics,bias,gravity,mass_matrix,forward_dynamics"
#define OF_FRAMES "frames,jacobian:%s,velocity:%s,acceleration:%s"
#define OTHERS "energy,com,momentum,mass_matrix_inverse"

/* all that can be generated, of the last frame where they are of one */
static const char *everything(const pinion_model *m)
{
    static char what[1000];
    pinion_frame_info frame;
    CHECK_STATUS(pinion_model_frame(m, pinion_model_frame_count(m) - 1, &frame), PINION_OK);
    snprintf(what, sizeof what, DYNAMICS "," OTHERS "," OF_FRAMES, frame.name, frame.name, frame.name);
    return what;
}

static pinion_codegen_options options_of(const char *what, double limb_limit)
{
    pinion_codegen_options o = pinion_codegen_options_default();
    o.name = "robot";
    o.what = what;
    o.limb_limit = limb_limit;
    return o;
}

static int loops(const built *b, int function)
{
    pinion_generated_function f;
    CHECK_STATUS(pinion_generated_function_info(b->g, function, &f), PINION_OK);
    return f.loops;
}

/* The text of robot.c; belongs to the generated code. */
static const char *source(const built *b)
{
    const char *name, *text = "";
    for (int i = 0; i < pinion_generated_file_count(b->g); i++)
        if (pinion_generated_file(b->g, i, &name, &text, NULL) == PINION_OK && strcmp(name, "robot.c") == 0)
            return text;
    CHECK_FAIL("there is no robot.c");
    return "";
}

/* What the baseline kernel of a function gives, into `expected`. */
static void ask_kernel(bed *b, const pn_function *f)
{
    const pn_counts *n = &b->m->n;
    const int algorithm = f->call.kernel - PN_FIRST_ALGORITHM;
    double *work =
        numbers((size_t)(pn_work_reals(n) + (algorithm >= 0 ? pn_algorithm_room(algorithm, n) : 0)));
    const pn_ctx k = pn_context(b->m, sizeof(double), work);
    const double *in[PN_IN_COUNT] = {b->q, b->v, b->a, b->tau, b->f_ext};
    for (int i = 0; i < PN_IN_COUNT; i++)
        if (!(f->call.in >> i & 1)) in[i] = NULL;
    pn_io io = {.q = in[0], .v = in[1], .a = in[2], .tau = in[3], .f_ext = in[4]};
    io.frame = f->call.frame;
    io.reference = f->call.reference;
    io.option = f->call.option;
    double *out = b->expected;
    for (int i = 0; i < 6; out += f->out[i++].count)
        if (f->out[i].name) io.out[i] = out;
    pn_backend_f64.kernel[f->call.kernel](&k, &io);
    free(work);
}

/* The same bits as the baseline kernel. */
static void check_bits(bed *place, const built *code, int function, uint64_t seed)
{
    const pn_function *f = &code->g->function[function];
    pinion_generated_function info;
    size_t count = 0;
    for (int i = 0; i < 6; i++) count += f->out[i].count;
    CHECK_STATUS(pinion_generated_function_info(code->g, function, &info), PINION_OK);
    for (int i = 0; i < STATES; i++) {
        draw(place, &seed, code->options.f_ext, 0);
        ask_kernel(place, f);
        ask_code(place, code, function, &info);
        check_count++;
        if (memcmp(place->got, place->expected, count * sizeof(double)) == 0) continue;
        CHECK_FAIL("%s (%s): not the kernel's bits, %g", f->name, info.algorithm,
                   check_error(place->got, place->expected, count, 1));
        return;
    }
}

/* Compiled with these flags, every function gives what the library gives. */
static void check_against_library(built *b, const char *compiler, const char *flags)
{
    if (!load_code(b, compiler, flags)) return;
    bed place = bed_new(b->m);
#if defined(__x86_64__) /* elsewhere compilers fuse in one of the two */
    const int exact = b->options.scalar != PINION_CODEGEN_F32 && !b->options.libm;
#else
    const int exact = 0;
#endif
    for (int i = 0; i < pinion_generated_function_count(b->g); i++) {
        pinion_generated_function f;
        CHECK_STATUS(pinion_generated_function_info(b->g, i, &f), PINION_OK);
        if (exact && f.loops) {
            check_bits(&place, b, i, check_seed + (uint64_t)i);
            continue;
        }
        const double error = worst_error(&place, b, i, STATES, check_seed + (uint64_t)i);
        check_count++;
        if (!(error <= BOUND)) CHECK_FAIL("%s (%s): %g epsilons", f.name, f.algorithm, error);
    }
    bed_free(&place);
}

/* The generated self-test under sanitizers, which watch the workspaces on the stack; where this compiler has
 * them. */
static void check_workspaces(const built *b)
{
    static const char flags[] = "-DPN_HOT= -fsanitize=address,undefined -fno-sanitize-recover=all";
    static int missing = -1;
    if (missing < 0) {
        char command[600];
        snprintf(command, sizeof command,
                 "cd %s && echo 'int main(void) { return 0; }' >try.c && "
                 "cc %s try.c -o try >/dev/null 2>&1 && ./try >/dev/null 2>&1",
                 workplace, flags);
        missing = system(command) != 0;
    }
    if (!missing)
        shell("cd %s && cc %s robot.c test_robot.c -o watched -lm && ASAN_OPTIONS=detect_leaks=0 ./watched",
              b->folder, flags);
}

/* all of it is loops, and right; `watched`: under sanitizers, too */
static void check_model(const pinion_model *m, const pinion_codegen_options *o, const char *name,
                        const char *flags, int watched)
{
    built b;
    if (!generate_code(&b, m, o, name)) return;
    for (int i = 0; i < pinion_generated_function_count(b.g); i++) CHECK(loops(&b, i));
    check_against_library(&b, "cc", flags);
    if (watched) check_workspaces(&b);
    free_code(&b);
}

/* ------------------------------------------------------------------------------------------------ */

TEST(chain)
{
    pinion_model *m = pinion_random_chain(14, check_seed, NULL);
    const pinion_codegen_options o = options_of(DYNAMICS ",coriolis", 0);
    check_model(m, &o, "chain", STRICT QUICKER, 0);
    pinion_model_free(m);
}

/* every joint type, a free base, external forces */
TEST(tree)
{
    pinion_model *m = pinion_random_tree(12, 1, check_seed, NULL);
    pinion_codegen_options o = options_of(everything(m), 0);
    o.f_ext = 1;
    check_model(m, &o, "tree", STRICT QUICK, 1);
    pinion_model_free(m);
}

/* A hand of six joints, of which every second one follows the one before. */
static pinion_model *hand(void)
{
    pinion_error err = {PINION_OK, 0, 0, ""};
    pinion_builder *b = pinion_builder_new("hand");
    pinion_link_def base = pinion_link_def_default();
    base.name = "link0";
    CHECK_STATUS(pinion_builder_add_link(b, &base, &err), PINION_OK);
    for (int i = 1; i <= 6; i++) {
        static const int parents[] = {0, 0, 1, 1, 3, 4, 4};
        char name[20], parent[20], child[20], leader[20];
        pinion_link_def link = pinion_link_def_default();
        pinion_joint_def joint = pinion_joint_def_default();
        snprintf(name, sizeof name, "joint%d", i);
        snprintf(child, sizeof child, "link%d", i);
        snprintf(parent, sizeof parent, "link%d", parents[i]);
        snprintf(leader, sizeof leader, "joint%d", i - 1);
        link.name = child;
        link.inertia =
            (pinion_inertia){1 + 0.1 * i, {0.05, -0.02 * i, 0.1}, {0.2, 0.001, 0.002, 0.3, -0.001, 0.25}};
        joint.name = name;
        joint.type = i == 4 ? PINION_JOINT_PRISMATIC : PINION_JOINT_REVOLUTE;
        joint.parent = parent;
        joint.child = child;
        joint.parent_pose.position[0] = 0.1 * i;
        joint.parent_pose.position[1] = 0.07;
        joint.axis[0] = 0.1 * i;
        joint.axis[1] = i % 3 - 0.5;
        joint.axis[2] = 1;
        joint.dof[0].rotor_inertia = 1e-4;
        joint.dof[0].gear_ratio = 10;
        joint.dof[0].damping = 0.3;
        joint.dof[0].stiffness = 2;
        if (i % 2 == 0) {
            joint.mimic = leader;
            joint.multiplier = 0.5 + 0.1 * i;
            joint.offset = 0.1;
        }
        CHECK_STATUS(pinion_builder_add_link(b, &link, &err), PINION_OK);
        CHECK_STATUS(pinion_builder_add_joint(b, &joint, &err), PINION_OK);
    }
    pinion_model *m = pinion_builder_build(b, NULL, &err);
    if (!m) CHECK_FAIL("%s", err.message);
    pinion_builder_free(b);
    return m;
}

TEST(followers)
{
    pinion_model *m = hand();
    if (!m) return;
    pinion_codegen_options o =
        options_of(DYNAMICS ",energy,com,momentum,passive_forces,frames,jacobian:link6,"
                            "velocity:link6,acceleration:link2",
                   0);
    o.f_ext = 1;
    check_model(m, &o, "hand", STRICT QUICKER, 1);
    pinion_model_free(m);
}

TEST(single_precision)
{
    pinion_model *m = pinion_random_chain(9, check_seed + 1, NULL);
    pinion_codegen_options o = options_of("inverse_dynamics,mass_matrix,frames", 0);
    o.scalar = PINION_CODEGEN_F32;
    check_model(m, &o, "f32", STRICT QUICK " -Wdouble-promotion -Wfloat-conversion", 0);
    o.libm = 1;
    o.what = "forward_dynamics";
    check_model(m, &o, "f32_libm", STRICT QUICKER " -Wdouble-promotion -Wfloat-conversion", 0);
    pinion_model_free(m);
}

/* Over `real`: as double, as C++, and by a compiler that knows functions of a device, whose words mean
 * nothing here. */
TEST(open_scalar)
{
    pinion_model *m = pinion_random_tree(8, 0, check_seed + 2, NULL);
    pinion_codegen_options o = options_of("bias,forward_dynamics,frames", 0);
    o.scalar = PINION_CODEGEN_REAL;
    check_model(m, &o, "real", STRICT QUICKER, 0);
    o.libm = 1;
    check_model(m, &o, "real_libm", STRICT QUICKER, 0);
    if (there_is("c++"))
        shell("cd %s && c++ -x c++ -std=c++17 -pedantic -Wall -Wextra -Werror -fsyntax-only robot.c && "
              "c++ -x c++ -std=c++17 -pedantic -Wall -Wextra -fsyntax-only -D__CUDACC__ -D__host__= "
              "-D__device__= robot.c",
              in_workplace("real"));
    pinion_model_free(m);
}

/* Every function can be called on a device: clang knows the rules of CUDA, also where there is no CUDA. */
TEST(device_functions)
{
    static const char flags[] = "-x cuda -std=c++17 -nocudainc -nocudalib --cuda-gpu-arch=sm_70 --cuda-device-only "
                                "-fsyntax-only";
    static const char words[] = "#define __host__ __attribute__((host))\n"
                                "#define __device__ __attribute__((device))\n"
                                "#define __CUDACC__\n"
                                "#include <math.h>\n"
                                "__device__ double sin(double);\n__device__ double cos(double);\n"
                                "__device__ double sqrt(double);\n__device__ double atan2(double, double);\n";
    char path[300], command[600];
    snprintf(path, sizeof path, "%s/words.h", workplace);
    FILE *file = fopen(path, "w");
    if (!file || fputs(words, file) < 0 || fclose(file) != 0) CHECK_FAIL("%s cannot be written", path);
    snprintf(command, sizeof command, "clang %s %s >/dev/null 2>&1", flags, path);
    if (system(command) != 0) SKIP("there is no clang that compiles CUDA");

    pinion_model *m = pinion_random_tree(8, 0, check_seed + 2, NULL);
    pinion_codegen_options o = options_of(DYNAMICS "," OTHERS ",frames,coriolis", 0);
    o.scalar = PINION_CODEGEN_REAL;
    built b;
    if (generate_code(&b, m, &o, "device")) {
        shell("cd %s && printf '#define PINION_FUNCTION __host__ __device__\\n#include \"robot.c\"\\n' >robot.cu && "
              "clang %s -Werror -include %s robot.cu", b.folder, flags, path);
        free_code(&b);
    }
    pinion_model_free(m);
}

/* An algorithm that is asked for is written as loops like any other, its own memory on the stack, too. */
TEST(algorithms)
{
    static const char *const names[][2] = {{"divide-and-conquer", "forward_dynamics"},
                                           {"crba-absolute", "mass_matrix"}};
    pinion_model *m = pinion_random_chain(7, check_seed + 3, NULL);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        pinion_codegen_options o = options_of(names[i][1], 0);
        if (pinion_algorithm_find(names[i][0]) < 0) CHECK_FAIL("there is no %s", names[i][0]);
        o.algorithm = names[i][0];
        check_model(m, &o, names[i][0], STRICT QUICKER, i == 0);
    }
    pinion_model_free(m);
}

/* A limit between two functions' sizes: one file has both kinds. Without a limit that matters all are
 * straight. */
TEST(both_kinds)
{
    pinion_model *m = pinion_random_chain(6, check_seed + 4, NULL);
    pinion_codegen_options o = options_of("gravity,forward_dynamics", 400);
    built b;
    if (generate_code(&b, m, &o, "both")) {
        CHECK(!loops(&b, 0) && loops(&b, 1));
        check_against_library(&b, "cc", STRICT QUICKER);
        if (there_is("clang")) check_against_library(&b, "clang", STRICT " -O2");
        free_code(&b);
    }
    o.limb_limit = pinion_codegen_options_default().limb_limit;
    if (generate_code(&b, m, &o, "straight")) {
        CHECK(!loops(&b, 0) && !loops(&b, 1));
        CHECK(!strstr(source(&b), "Loops over"));
        free_code(&b);
    }
    pinion_model_free(m);
}

/* Whether a kernel's file stands in a text from its last include on, word for word. */
static int has_whole(const char *text, const char *name)
{
    const char *file = pn_embedded(name), *rest = file;
    for (const char *at = file; at && (at = strstr(at, "\n#include \"")) != NULL; at++) rest = at + 1;
    rest = rest == file ? file : rest ? strchr(rest, '\n') : NULL;
    return rest && strlen(rest) > 100 && strstr(text, rest);
}

/* What the file holds: the kernels that are called and no others, whole; tables that do not change, no memory of the
 * heap. */
TEST(contents)
{
    pinion_model *m = pinion_random_chain(300, check_seed + 5, NULL);
    const pinion_codegen_options o = options_of("gravity", 1000);
    built b, again;
    if (!generate_code(&b, m, &o, "contents")) return;
    CHECK(loops(&b, 0));
    const char *text = source(&b);
    CHECK(has_whole(text, "kernel/state/gravity.inc") && has_whole(text, "kernel/joint.inc"));
    CHECK(!has_whole(text, "kernel/inverse_dynamics/rnea.inc") && !strstr(text, "rnea_body") &&
          !strstr(text, "aba_body") && !strstr(text, "malloc"));
    CHECK(strstr(text, "/* 28896 bytes of the stack */")); /* 301 bodies of 3 + 9 doubles */
    if (load_code(&b, "cc", STRICT QUICK))
        shell("cd %s && cc -O1 -c robot.c -o robot.o && "
              "! nm robot.o | grep -E ' [bBdDCuU] ' | grep -v -E ' U (memcpy|memset|_GLOBAL_OFFSET_TABLE_)$'",
              b.folder);
    if (generate_code(&again, m, &o, "again")) {
        CHECK(strcmp(source(&again), text) == 0);
        free_code(&again);
    }
    free_code(&b);
    pinion_model_free(m);
}

/* Whether a text goes on with the name of a quantity as a part of an identifier. */
static int names_quantity(const char *at)
{
    pinion_quantity_info quantity;
    for (int i = 0; codegen_quantity(i, &quantity); i++) {
        const size_t n = strlen(quantity.name);
        if (strncmp(at, quantity.name, n) == 0 && (at[n] == '_' || at[n] == '(')) return 1;
    }
    return 0;
}

/* A robot is not named as a kernel's function begins. `seen`: the names that were tried. */
static void check_names(const pinion_model *m, const char *text, char *seen, size_t room)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789_";
    for (const char *at = text; *at; at += strspn(at, letters) + (strspn(at, letters) == 0)) {
        const size_t length = strspn(at, letters);
        if (strncmp(at, "robot", 5) == 0) continue;
        for (size_t k = 1; k + 1 < length && k < 40; k++) {
            char name[50], between[60];
            if (at[k] != '_' || !names_quantity(at + k + 1)) continue;
            snprintf(name, sizeof name, "%.*s", (int)k, at);
            snprintf(between, sizeof between, " %s ", name);
            if (strstr(seen, between) || strlen(seen) + sizeof between > room) continue;
            strcat(seen, between);
            pinion_codegen_options o = options_of("gravity", 0);
            o.name = name;
            pinion_error err = {PINION_OK, 0, 0, ""};
            pinion_generated *g = pinion_codegen(m, &o, &err);
            CHECK(g || strstr(err.message, name));
            if (g && strcmp(pinion_generated_name(g), name) == 0)
                CHECK_FAIL("a robot named %s has the kernels' %.*s", name, (int)length, at);
            pinion_generated_free(g);
        }
    }
}

/* the sources of every algorithm, each with a quantity that it computes */
TEST(names)
{
    pinion_model *m = pinion_random_chain(1, check_seed, NULL);
    char seen[2000] = "";
    for (int a = -1; a < pinion_algorithm_count(); a++) {
        pinion_algorithm_info info = {0};
        pinion_quantity_info quantity = {0};
        pinion_codegen_options o = options_of(everything(m), 0);
        built b = {.m = m};
        if (a >= 0) CHECK_STATUS(pinion_algorithm(a, &info), PINION_OK);
        for (int i = 0; a >= 0 && codegen_quantity(i, &quantity); i++)
            if (quantity.problem == (int)info.problem) break;
        if (a >= 0) o.what = quantity.name, o.algorithm = info.name;
        b.g = pinion_codegen(m, &o, NULL); /* some choose pivots, and cannot be generated */
        if (b.g) check_names(m, source(&b), seen, sizeof seen);
        pinion_generated_free(b.g);
    }
    CHECK(strstr(seen, " write ") && strstr(seen, " run "));
    pinion_model_free(m);
}

int main(int argc, char **argv)
{
    WORKPLACE_BEGIN(argc, argv);
    RUN(chain);
    RUN(tree);
    RUN(followers);
    RUN(single_precision);
    RUN(open_scalar);
    RUN(device_functions);
    RUN(algorithms);
    RUN(both_kinds);
    RUN(contents);
    RUN(names);
    return workplace_end();
}
