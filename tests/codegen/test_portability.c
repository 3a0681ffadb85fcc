/* What a generated folder promises to whoever gets it: it compiles without a warning, as C and as C++, over every
 * scalar, tests itself, is the same bytes each time, and no name in a model becomes code. */
#define _DEFAULT_SOURCE
#include <locale.h>

#include "compare.h"

/* A chain of hinges about z and y in turn, with rods, whose links and joints have these names. */
static pinion_model *chain_named(const char *robot, const char *const *name, int count)
{
    pinion_error err = {PINION_OK, 0, 0, ""};
    pinion_builder *b = pinion_builder_new(robot);
    pinion_status status = b ? PINION_OK : PINION_ERR_MEMORY;
    for (int i = 0; i < count && status == PINION_OK; i++) {
        pinion_link_def link = pinion_link_def_default();
        link.name = name[i];
        link.inertia.mass = i ? 1 + 0.1 * i : 0;
        link.inertia.com[0] = i ? 0.2 : 0;
        link.inertia.inertia[0] = i ? 0.01 : 0;
        link.inertia.inertia[3] = link.inertia.inertia[5] = i ? 0.02 : 0;
        status = pinion_builder_add_link(b, &link, &err);
    }
    for (int i = 1; i < count && status == PINION_OK; i++) {
        pinion_joint_def joint = pinion_joint_def_default();
        joint.name = name[i];
        joint.type = PINION_JOINT_REVOLUTE;
        joint.parent = name[i - 1];
        joint.child = name[i];
        joint.parent_pose.position[0] = 0.3;
        joint.axis[0] = 0;
        joint.axis[1] = i % 2 ? 0 : 1;
        joint.axis[2] = i % 2 ? 1 : 0;
        status = pinion_builder_add_joint(b, &joint, &err);
    }
    pinion_model *m = status == PINION_OK ? pinion_builder_build(b, NULL, &err) : NULL;
    if (!m) CHECK_FAIL("%s", err.message);
    pinion_builder_free(b);
    return m;
}

static pinion_model *bundled(const char *name)
{
    char path[700];
    pinion_error err = {PINION_OK, 0, 0, ""};
    const char *models = getenv("PINION_MODELS");
    snprintf(path, sizeof path, "%s/%s", models ? models : "models", name);
    pinion_model *m = pinion_load(path, NULL, &err);
    if (!m) CHECK_FAIL("%s", err.message);
    return m;
}

/* ------------------------------------------------------------------------------------------------ */

/* Compiles one folder every way there is. */
static void compile_all(const built *code, const char *flags)
{
    const char *name = pinion_generated_name(code->g);
    static const char *const c[] = {"gcc", "clang"}, *const cpp[] = {"g++", "clang++"};
    for (int i = 0; i < 2; i++) {
        if (there_is(c[i])) /* gcc warns of more when it optimizes */
            shell("cd %s && %s " STRICT " -Wshadow -Wconversion %s %s -c %s.c -o c.o", code->folder, c[i],
                  i ? "-O0" : "-O1", flags, name);
        if (there_is(cpp[i]))
            shell("cd %s && %s -x c++ -std=c++11 -pedantic -Wall -Wextra -Werror -fsyntax-only %s %s.c", code->folder,
                  cpp[i], flags, name);
    }
    shell("cd %s && cc " STRICT " -Wshadow %s -fsyntax-only test_%s.c", code->folder, flags, name);

    /* the header alone, twice */
    shell("cd %s && printf '#include \"%s.h\"\\n#include \"%s.h\"\\nint main(void) { return 0; }\\n' >twice.c && "
          "cc " STRICT " %s -c twice.c -o twice.o",
          code->folder, name, name, flags);
}

TEST(compilers)
{
    pinion_model *m = bundled("stanford.json");
    static const pinion_codegen_scalar scalar[] = {PINION_CODEGEN_F64, PINION_CODEGEN_F32, PINION_CODEGEN_REAL};
    static const char *const name[] = {"f64", "f32", "real"};
    for (int i = 0; m && i < 3; i++) {
        pinion_codegen_options options = pinion_codegen_options_default();
        options.scalar = scalar[i];
        options.what = "inverse_dynamics,forward_dynamics,mass_matrix,energy,frames,jacobian:link6";
        options.libm = i == 2;
        built code;
        if (generate_code(&code, m, &options, name[i])) compile_all(&code, "");
        free_code(&code);
    }
    pinion_model_free(m);
}

/* A header as docs/codegen.md describes it: four states, one in each lane of a vector. */
static const char lanes_header[] =
    "#include <math.h>\n"
    "typedef double real __attribute__((vector_size(32)));\n"
    "typedef long long mask __attribute__((vector_size(32)));\n"
    "#define R(x) ((real){(x), (x), (x), (x)})\n"
    "static inline void real_sincos(real x, real *s, real *c)\n"
    "{\n    for (int i = 0; i < 4; i++) (*s)[i] = sin(x[i]), (*c)[i] = cos(x[i]);\n}\n"
    "static inline real real_sqrt(real x)\n{\n    for (int i = 0; i < 4; i++) x[i] = sqrt(x[i]);\n    return x;\n}\n"
    "static inline real real_atan2(real y, real x)\n"
    "{\n    for (int i = 0; i < 4; i++) x[i] = atan2(y[i], x[i]);\n    return x;\n}\n"
    "static inline mask real_lt(real a, real b)\n{\n    return a < b;\n}\n"
    "static inline real real_select(mask m, real a, real b)\n"
    "{\n    return (real)((m & (mask)a) | (~m & (mask)b));\n}\n";

/* Calls of all functions: the state at hand is in lane 2, and others are around it. */
static void write_lane_calls(const built *code, size_t inputs, size_t results)
{
    char path[400];
    snprintf(path, sizeof path, "%s/lanes.h", code->folder);
    FILE *f = fopen(path, "w");
    if (!f || fputs(lanes_header, f) < 0 || fclose(f) != 0) CHECK_FAIL("%s cannot be written", path);
    snprintf(path, sizeof path, "%s/call.c", code->folder);
    f = fopen(path, "w");
    if (!f) return;
    fprintf(f, "#include \"%s.h\"\n", pinion_generated_name(code->g));
    for (int i = 0; i < pinion_generated_function_count(code->g); i++) {
        pinion_generated_function info;
        CHECK_STATUS(pinion_generated_function_info(code->g, i, &info), PINION_OK);
        const signature s = signature_of(info.quantity, 0);
        const int ins = (int)strlen(s.in);
        fprintf(f,
                "void call_%d(const double *const *in, double *const *out)\n{\n    static real x[%d][%zu], y[%zu];\n"
                "    for (int k = 0; k < %d; k++)\n        for (int i = 0; i < %zu; i++)\n"
                "            for (int n = 0; n < 4; n++) x[k][i][n] = in[k][i] + (n - 2) * 0.3;\n    %s(",
                i, ins, inputs, results, ins, inputs, info.name);
        for (int k = 0; k < ins; k++) fprintf(f, "x[%d], ", k);
        fprintf(f, "y);\n    for (int i = 0; i < %zu; i++) out[0][i] = y[i][2];\n}\n", results);
    }
    if (fclose(f) != 0) CHECK_FAIL("%s cannot be written", path);
}

TEST(lanes)
{
    pinion_model *m = bundled("puma560-corke.json");
    pinion_codegen_options options = pinion_codegen_options_default();
    options.scalar = PINION_CODEGEN_REAL;
    options.what = "inverse_dynamics,forward_dynamics,bias"; /* nv numbers each */
    options.name = "robot";
    built code;
    static const char *const compiler[] = {"gcc", "clang"};
    if (m && generate_code(&code, m, &options, "lanes")) {
        bed b = bed_new(m);
        write_lane_calls(&code, (size_t)pinion_model_nv(m), (size_t)pinion_model_nv(m));
        for (int c = 0; c < 2; c++) {
            if (!there_is(compiler[c])) continue;
            if (!shell("cd %s && %s -std=gnu11 -Wall -Wextra -Wno-psabi -Werror -O1 "
                       "-DPINION_REAL_HEADER='\"lanes.h\"' -fPIC -shared -o %s.so robot.c call.c -lm",
                       code.folder, compiler[c], compiler[c]))
                continue;
            char path[400];
            snprintf(path, sizeof path, "%s/%s.so", code.folder, compiler[c]);
            if (code.library) dlclose(code.library);
            code.library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
            if (!code.library) CHECK_FAIL("%s", dlerror());
            for (int i = 0; code.library && i < pinion_generated_function_count(code.g); i++) {
                const double error = worst_error(&b, &code, i, 200, check_seed);
                CHECK_NEAR(error, 0, 128);
            }
        }
        bed_free(&b);
        free_code(&code);
    }
    pinion_model_free(m);
}

/* Loops over tables are as strict. */
TEST(compilers_with_loops)
{
    pinion_error err = {PINION_OK, 0, 0, ""};
    pinion_model *m = pinion_random_tree(5, 1, check_seed, &err);
    pinion_codegen_options options = pinion_codegen_options_default();
    options.limb_limit = 50;
    options.what = "inverse_dynamics,forward_dynamics,mass_matrix,frames";
    built code;
    int loops = 0;
    if (m && generate_code(&code, m, &options, "loops")) {
        for (int i = 0; i < pinion_generated_function_count(code.g); i++) {
            pinion_generated_function f;
            CHECK_STATUS(pinion_generated_function_info(code.g, i, &f), PINION_OK);
            loops += f.loops;
        }
        CHECK(loops == 4);
        compile_all(&code, "");
        bed b = bed_new(m);
        const int loaded = load_code(&code, "cc", STRICT " -O0");
        for (int i = 0; loaded && i < pinion_generated_function_count(code.g); i++) {
            const double error = worst_error(&b, &code, i, 200, check_seed);
            CHECK_NEAR(error, 0, 128);
        }
        bed_free(&b);
        free_code(&code);
    }
    pinion_model_free(m);
}

/* The folder's own CMake file and test. */
TEST(own_test)
{
    if (!there_is("cmake") || !there_is("ctest")) SKIP("there is no cmake");
    static const pinion_codegen_scalar scalar[] = {PINION_CODEGEN_F64, PINION_CODEGEN_F32, PINION_CODEGEN_REAL};
    static const char *const name[] = {"cmake-f64", "cmake-f32", "cmake-real"};
    pinion_model *m = bundled("stanford.json");
    for (int i = 0; m && i < 3; i++) {
        pinion_codegen_options options = pinion_codegen_options_default();
        options.scalar = scalar[i];
        built code;
        if (generate_code(&code, m, &options, name[i]))
            shell("cmake -S %s -B %s/build && cmake --build %s/build && ctest --test-dir %s/build --output-on-failure "
                  "--no-tests=error",
                  code.folder, code.folder, code.folder, code.folder);
        free_code(&code);
    }

    /* a test that cannot fail would be none: one number of the code is another */
    pinion_codegen_options options = pinion_codegen_options_default();
    options.what = "gravity";
    options.name = "robot";
    built code;
    if (m && generate_code(&code, m, &options, "broken")) {
        shell("cd %s && sed 's/tau\\[1\\] = /tau[1] = 1 + /' robot.c >new.c && ! cmp -s robot.c new.c && "
              "mv new.c robot.c && cmake -S . -B build && cmake --build build && ! ctest --test-dir build",
              code.folder);
    }
    free_code(&code);
    pinion_model_free(m);
}

/* ------------------------------------------------------------------------------------------------ */

/* Whether two ways to the same code give the same bytes. */
static void check_same(const pinion_generated *one, const pinion_generated *two)
{
    CHECK(one && two);
    if (!one || !two) return;
    CHECK(pinion_generated_file_count(one) == pinion_generated_file_count(two));
    for (int i = 0; i < pinion_generated_file_count(one); i++) {
        const char *name[2] = {"", ""}, *text[2] = {"", ""};
        size_t length[2] = {0, 1};
        CHECK_STATUS(pinion_generated_file(one, i, &name[0], &text[0], &length[0]), PINION_OK);
        CHECK_STATUS(pinion_generated_file(two, i, &name[1], &text[1], &length[1]), PINION_OK);
        CHECK(strcmp(name[0], name[1]) == 0);
        CHECK(length[0] == length[1] && length[0] > 0 && memcmp(text[0], text[1], length[0]) == 0);
        CHECK(length[0] == strlen(text[0])); /* no zero byte is inside */
    }
}

TEST(same_bytes)
{
    pinion_error err = {PINION_OK, 0, 0, ""};
    pinion_model *m = pinion_random_tree(6, 1, check_seed, &err), *copy = m ? pinion_model_copy(m) : NULL;
    const char *locales = getenv("PINION_LOCALES");
    pinion_generated *one = pinion_codegen(m, NULL, &err), *two = pinion_codegen(copy, NULL, &err);
    check_same(one, two);
    pinion_generated_free(two);

    /* where a comma is the decimal point */
    if (locales) setenv("LOCPATH", locales, 1);
    if (locales && setlocale(LC_ALL, "de_DE.UTF-8")) {
        CHECK(strcmp(localeconv()->decimal_point, ",") == 0);
        two = pinion_codegen(m, NULL, &err);
        setlocale(LC_ALL, "C");
        check_same(one, two);
        pinion_generated_free(two);
    }
    unsetenv("LOCPATH");
    pinion_generated_free(one);
    pinion_model_free(copy);
    pinion_model_free(m);
}

/* ------------------------------------------------------------------------------------------------ */

/* Names that would be code if they reached the compiler as they are. */
TEST(hostile_names)
{
    static char longest[256];
    static const char *const name[] = {"base",
                                       "*/ int x; /*",
                                       "a?\?/",
                                       "a\\",
                                       "\xc3\xbc\xe4\xb8\xad",
                                       "int",
                                       "while",
                                       "main",
                                       "q",
                                       "tau",
                                       "sin",
                                       "real",
                                       "a b",
                                       "a_b",
                                       "a-b",
                                       "1",
                                       "%s%n",
                                       "\"",
                                       "$(touch injected)",
                                       "`touch injected`",
                                       "${CMAKE_COMMAND}",
                                       "]]] injected",
                                       "INFINITY",
                                       "true",
                                       "inline",
                                       "_Bool",
                                       "class",
                                       "this",
                                       longest};
    const int count = (int)(sizeof name / sizeof name[0]);
    memset(longest, 'n', 255);
    pinion_model *m = chain_named("*/ int robot; /* ?\?/\\", name, count);
    pinion_codegen_options options = pinion_codegen_options_default();
    char what[2000] = "inverse_dynamics,mass_matrix,gravity,frames";
    for (int i = 0; i < count; i++) {
        /* a frame's name as a list has it */
        const size_t used = strlen(what);
        char *to = what + used + (size_t)snprintf(what + used, sizeof what - used, ",jacobian:");
        for (const char *c = name[i]; *c && to < what + sizeof what - 2; *to++ = *c++)
            if (*c == ',' || *c == '\\') *to++ = '\\';
        *to = '\0';
    }
    options.what = what;

    built code;
    if (m && generate_code(&code, m, &options, "hostile")) {
        CHECK(pinion_generated_function_count(code.g) == 4 + count);
        for (int i = 0; i < pinion_generated_file_count(code.g); i++) {
            const char *file, *text;
            CHECK_STATUS(pinion_generated_file(code.g, i, &file, &text, NULL), PINION_OK);
            CHECK(!strstr(text, "*/ int") && !strstr(text, "?\?/"));
            for (const char *c = text; *c; c++)
                if ((*c < ' ' && *c != '\n' && *c != '\t') || *c > '~') {
                    CHECK_FAIL("%s has the byte %d", file, (unsigned char)*c);
                    break;
                }
        }
        for (int i = 0; i < pinion_generated_function_count(code.g); i++)
            for (int k = 0; k < i; k++) {
                pinion_generated_function f, g;
                CHECK_STATUS(pinion_generated_function_info(code.g, i, &f), PINION_OK);
                CHECK_STATUS(pinion_generated_function_info(code.g, k, &g), PINION_OK);
                if (strcmp(f.name, g.name) == 0)
                    CHECK_FAIL("'%s' and '%s' are both %s", f.quantity, g.quantity, f.name);
            }
        compile_all(&code, "");
        if (load_code(&code, "cc", STRICT " -O0")) {
            bed b = bed_new(m);
            for (int i = 0; i < pinion_generated_function_count(code.g); i++) {
                const double error = worst_error(&b, &code, i, 20, check_seed);
                CHECK_NEAR(error, 0, 256);
            }
            bed_free(&b);
        }
        if (there_is("cmake")) shell("cmake -S %s -B %s/build", code.folder, code.folder);
        CHECK(access(in_workplace("hostile/injected"), F_OK) != 0 && access("injected", F_OK) != 0);
        free_code(&code);
    }
    pinion_model_free(m);
}

/* Two robots' codes in one program. */
TEST(two_in_one_program)
{
    static const char *const name[] = {"base", "upper", "lower"};
    pinion_model *m = chain_named("arm", name, 3);
    built left, right;
    memset(&left, 0, sizeof left);
    memset(&right, 0, sizeof right);
    pinion_codegen_options options = pinion_codegen_options_default();
    options.name = "left";
    if (m && generate_code(&left, m, &options, "left")) {
        options.name = "right";
        if (generate_code(&right, m, &options, "right"))
            shell("cd %s && printf '#include \"left/left.h\"\\n#include \"right/right.h\"\\nint main(void) { "
                  "double q[2] = {0, 1}, x[2], y[2]; left_gravity(q, x); right_gravity(q, y); "
                  "return x[1] != y[1]; }\\n' >both.c && cc " STRICT
                  " -o both both.c left/left.c right/right.c -lm && ./both",
                  workplace);
    }
    free_code(&left);
    free_code(&right);
    pinion_model_free(m);
}

int main(int argc, char **argv)
{
    WORKPLACE_BEGIN(argc, argv);
    RUN(compilers);
    RUN(lanes);
    RUN(compilers_with_loops);
    RUN(own_test);
    RUN(same_bytes);
    RUN(hostile_names);
    RUN(two_in_one_program);
    return workplace_end();
}
