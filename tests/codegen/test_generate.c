/* Generating, as the C API has it: what is refused and why, names, files, and the same bytes every time. That
 * what is generated is right is tested by others here. */
#define _DEFAULT_SOURCE

#include <ctype.h>
#include <dirent.h>
#include <locale.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "codegen/values.h"

/* ---- models ---- */

static void add_link(pinion_builder *b, const char *name, double mass)
{
    pinion_error err;
    pinion_link_def link = pinion_link_def_default();
    link.name = name;
    link.inertia.mass = mass;
    for (int i = 0; i < 3; i++) link.inertia.com[i] = 0.1 * (i + 1);
    link.inertia.inertia[0] = link.inertia.inertia[3] = link.inertia.inertia[5] = 0.01 * mass;
    if (pinion_builder_add_link(b, &link, &err) != PINION_OK) CHECK_FAIL("%s", err.message);
}

static void add_joint(pinion_builder *b, const char *name, const char *parent, const char *child, int loop)
{
    pinion_error err;
    pinion_joint_def joint = pinion_joint_def_default();
    joint.name = name;
    joint.type = PINION_JOINT_REVOLUTE;
    joint.parent = parent;
    joint.child = child;
    joint.axis[1] = 1;
    joint.parent_pose.position[0] = 0.3;
    const pinion_status status =
        loop ? pinion_builder_add_loop(b, &joint, &err) : pinion_builder_add_joint(b, &joint, &err);
    if (status != PINION_OK) CHECK_FAIL("%s", err.message);
}

/* three links in a row, with any names; `loop` nonzero: closed by a loop of the name "back" */
static pinion_model *named_model(const char *name, const char *first, const char *second, int loop)
{
    pinion_error err;
    pinion_builder *b = pinion_builder_new(name);
    add_link(b, "base", 1);
    add_link(b, first, 2);
    add_link(b, second, 3);
    add_joint(b, "one", "base", first, 0);
    add_joint(b, "two", first, second, 0);
    if (loop) add_joint(b, "back", "base", second, 1);
    pinion_model *m = pinion_builder_build(b, NULL, &err);
    if (!m) CHECK_FAIL("%s", err.message);
    pinion_builder_free(b);
    return m;
}

static const char *file_text(const pinion_generated *g, const char *wanted)
{
    const char *name, *text;
    for (int i = 0; pinion_generated_file(g, i, &name, &text, NULL) == PINION_OK; i++)
        if (strcmp(name, wanted) == 0) return text;
    CHECK_FAIL("there is no file %s", wanted);
    return "";
}

/* ---- what is refused ---- */

static void refuse(const pinion_model *m, const pinion_codegen_options *o, pinion_status status,
                   const char *reason)
{
    pinion_error err = {PINION_OK, 0, 0, ""};
    pinion_generated *g = pinion_codegen(m, o, &err);
    CHECK(g == NULL);
    CHECK_STATUS(err.status, status);
    CHECK_HAS(err.message, reason);
    CHECK(pinion_codegen(m, o, NULL) == NULL);
    pinion_generated_free(g);
}

TEST(refuses_and_says_why)
{
    pinion_model *m = named_model("arm", "upper", "lower", 0),
                 *closed = named_model("arm", "upper", "lower", 1);
    pinion_codegen_options o = pinion_codegen_options_default();
    refuse(NULL, &o, PINION_ERR_ARGUMENT, "no model");
    refuse(closed, &o, PINION_ERR_LOOPS, "'back'");

    static const struct {
        const char *what, *algorithm;
        pinion_status status;
        const char *reason;
    } wrong[] = {
        {"", NULL, PINION_ERR_ARGUMENT, "'' cannot be generated"},
        {"gravity,", NULL, PINION_ERR_ARGUMENT, "'' cannot be generated"},
        {"gravity,weight", NULL, PINION_ERR_ARGUMENT, "'weight' cannot be generated"},
        {"gravity:lower", NULL, PINION_ERR_ARGUMENT, "'gravity' takes no frame"},
        {"jacobian", NULL, PINION_ERR_ARGUMENT, "expected jacobian:FRAME"},
        {"jacobian:hand", NULL, PINION_ERR_NOT_FOUND, "'hand'"},
        {"jacobian:a\nb", NULL, PINION_ERR_NOT_FOUND, "'a?b'"},
        {NULL, "quickest", PINION_ERR_NOT_FOUND, "'quickest'"},
        {"gravity", "aba", PINION_ERR_ARGUMENT, "forward_dynamics, which is not among"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        o.what = wrong[i].what;
        o.algorithm = wrong[i].algorithm;
        refuse(m, &o, wrong[i].status, wrong[i].reason);
    }

    /* a solver that is no kernel */
    pinion_algorithm_info info;
    int solver = 0;
    while (pinion_algorithm(solver, &info) == PINION_OK && info.kernel) solver++;
    o = pinion_codegen_options_default();
    o.algorithm = info.name;
    refuse(m, &o, PINION_ERR_UNSUPPORTED, "chooses pivots");

    char longest[1100] = "jacobian:";
    memset(longest + 9, 'x', 1001);
    o = pinion_codegen_options_default();
    o.what = longest;
    refuse(m, &o, PINION_ERR_ARGUMENT, "a quantity has more than 1000 characters");
    o = pinion_codegen_options_default();
    o.scalar = (pinion_codegen_scalar)7;
    refuse(m, &o, PINION_ERR_ARGUMENT, "scalar");
    o = pinion_codegen_options_default();
    o.limb_limit = NAN;
    refuse(m, &o, PINION_ERR_ARGUMENT, "limb_limit");
    memset(&o, 0, sizeof o);
    refuse(m, &o, PINION_ERR_ARGUMENT, "pinion_codegen_options_default");
    pinion_model_free(m);
    pinion_model_free(closed);
}

/* ---- names ---- */

TEST(identifiers)
{
    static const char *const texts[][2] = {
        {"forearm", "forearm"}, {"fore arm", "fore_arm"}, {"2dof", "n2dof"},    {"__a__b__", "a_b"},
        {"", "unnamed"},        {"\xc3\xbc", "unnamed"},  {"while", "while_2"}, {"math", "math_2"},
        {"a*/b", "a_b"},        {"x\n#error", "x_error"}, {"a\"b\\", "a_b"},    {"assert", "assert_2"},
        {"features", "features_2"}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char *name = pn_identifier(texts[i][0], NULL, 0);
        CHECK(name && strcmp(name, texts[i][1]) == 0);
        free(name);
    }

    /* a long one is cut, and what is taken gets a number, also in the place of its end */
    char text[400];
    memset(text, 'k', sizeof text - 1);
    text[sizeof text - 1] = 0;
    char *taken[12];
    for (int i = 0; i < 12; i++) {
        taken[i] = pn_identifier(text, (const char *const *)taken, i);
        CHECK(taken[i] && strlen(taken[i]) == 40);
        for (int j = 0; j < i; j++) CHECK(strcmp(taken[i], taken[j]) != 0);
    }
    for (int i = 0; i < 12; i++) free(taken[i]);
}

/* Names that are equal, and some that are others' numbered ones: all become different, and no more work for the last
 * than for the first. */
TEST(many_equal_names)
{
    enum { COUNT = 100000 };
    pn_names names = {0};
    for (int i = 0; i < COUNT; i++) {
        char text[64];
        snprintf(text, sizeof text, i % 3 ? "link" : "link_%d", i);
        const char *name = pn_names_add(&names, text, 40);
        CHECK(name != NULL);
        if (i < 12) printf("%s ", name);
    }
    printf("\n");
    size_t count = 0;
    for (size_t i = 0; i < names.capacity; i++) count += names.at[i].name != NULL;
    CHECK(count == COUNT && names.count == COUNT); /* a set: none twice */
    pn_names_free(&names);
}

TEST(comments)
{
    char out[84], text[300];
    pn_comment_text("a*/b/*c\\", out);
    CHECK(strcmp(out, "a*.b/.c?") == 0);
    pn_comment_text("?"
                    "?/\n\xc3\xbc",
                    out);
    CHECK(strstr(out, "??") == NULL && strchr(out, '\n') == NULL);
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = 0;
    pn_comment_text(text, out);
    CHECK(strlen(out) == 75 && strcmp(out + 71, "x...") == 0);

    /* what is not ASCII keeps its number; what is no UTF-8, or cut off, keeps nothing */
    pn_comment_text("\xe6\x9c\xba\xc3\xbc-\xf0\x9f\xa4\x96", out);
    CHECK(strcmp(out, "{673a}{fc}-{1f916}") == 0);
    pn_comment_text("\xe6\x9c", out);
    CHECK(strcmp(out, "?.") == 0);
    for (int i = 0; i < 280; i += 4) memcpy(text + i, "\xf4\x8f\xbf\xbf", 4);
    pn_comment_text(text, out);
    CHECK(strlen(out) < sizeof out && strcmp(out + strlen(out) - 3, "...") == 0);
}

TEST(names_that_are_taken)
{
    static const char *const bad[] = {"q", "int", "main", "test", "stdio", "a b", "1st"};
    pinion_error made = {PINION_OK, 0, 0, ""};
    pinion_model *m = pinion_random_chain(2, 3, &made);
    CHECK(m != NULL);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        pinion_error err = {PINION_OK, 0, 0, ""};
        pinion_codegen_options o = pinion_codegen_options_default();
        o.name = bad[i];
        o.what = "gravity";
        CHECK(pinion_codegen(m, &o, &err) == NULL);
        CHECK(err.status == PINION_ERR_ARGUMENT && strstr(err.message, bad[i]) != NULL);
    }
    pinion_model_free(m);
}

/* every comment ends where it should: outside of them there is nothing but what C programs are made of */
static void check_source(const char *text)
{
    int depth = 0;
    size_t column = 0, longest = 0;
    for (const char *c = text; *c; c++) {
        column = *c == '\n' ? 0 : column + 1;
        if (column > longest) longest = column;
        CHECK((unsigned char)*c < 0x80 && (isprint((unsigned char)*c) || *c == '\n'));
        if (c[0] == '?' && c[1] == '?') CHECK_FAIL("a trigraph");
        if (c[0] == '\\' && c[1] == '\n') CHECK_FAIL("a line that goes on");
        if (!depth && c[0] == '/' && c[1] == '*') {
            depth = 1;
            c++;
        } else if (depth && c[0] == '*' && c[1] == '/') {
            depth = 0;
            c++;
        } else if (!depth && strncmp(c, "evil", 4) == 0 &&
                   !(c > text && (isalnum((unsigned char)c[-1]) || c[-1] == '_'))) {
            /* a link's name is the beginning of a variable, or stands in a comment */
            size_t n = 0;
            while (isalnum((unsigned char)c[n]) || c[n] == '_') n++;
            CHECK(n > 4);
        }
    }
    CHECK(depth == 0);
    CHECK(longest <= 120);
}

TEST(names_in_a_model_never_become_code)
{
    pinion_model *m = named_model("*/ robot ?"
                                  "?/",
                                  "evil */ int evil; /*", "evil\" evil \\", 0);
    pinion_error err;
    for (int scalar = 0; scalar < 3 && m; scalar++) {
        pinion_codegen_options o = pinion_codegen_options_default();
        o.scalar = (pinion_codegen_scalar)scalar;
        o.f_ext = 1;
        pinion_generated *g = pinion_codegen(m, &o, &err);
        if (!g) {
            CHECK_FAIL("%s", err.message);
            continue;
        }
        CHECK(strcmp(pinion_generated_name(g), "robot") == 0);
        check_source(file_text(g, "robot.c"));
        check_source(file_text(g, "robot.h"));
        check_source(file_text(g, "test_robot.c"));
        pinion_generated_free(g);
    }
    pinion_model_free(m);
}

TEST(frames_of_the_same_identifier)
{
    pinion_model *m = named_model("arm", "the hand", "the-hand", 0);
    pinion_codegen_options o = pinion_codegen_options_default();
    pinion_error err;
    o.what = "jacobian:the hand,jacobian:the-hand,jacobian:the hand,velocity:the hand";
    pinion_generated *g = pinion_codegen(m, &o, &err);
    static const char *const name[] = {"arm_jacobian_the_hand", "arm_jacobian_the_hand_2",
                                       "arm_velocity_the_hand"};
    static const char *const quantity[] = {"jacobian:the hand", "jacobian:the-hand", "velocity:the hand"};
    CHECK(pinion_generated_function_count(g) == 3);
    for (int i = 0; i < pinion_generated_function_count(g); i++) {
        pinion_generated_function f;
        CHECK_STATUS(pinion_generated_function_info(g, i, &f), PINION_OK);
        CHECK(strcmp(f.name, name[i]) == 0 && strcmp(f.quantity, quantity[i]) == 0);
    }
    pinion_generated_free(g);
    pinion_model_free(m);
}

/* A name without a space that is longer than a line, once it is written for Markdown: it stays whole, and what follows
 * is in lines again. */
TEST(a_name_longer_than_a_line)
{
    char name[84], escaped[200] = "the model \"";
    memset(name, '_', 70);
    name[70] = '\0';
    for (int i = 0; i < 70; i++) strcat(escaped, "\\_");
    strcat(escaped, "\".\n");
    pinion_model *m = named_model(name, "a", "b", 0);
    pinion_codegen_options o = pinion_codegen_options_default();
    pinion_error err;
    o.what = "gravity";
    o.name = "robot";
    pinion_generated *g = pinion_codegen(m, &o, &err);
    if (g) CHECK_HAS(file_text(g, "README.md"), escaped + strlen("the model "));
    for (const char *line = g ? file_text(g, "README.md") : ""; *line; line += strcspn(line, "\n") + (*line != 0))
        CHECK(strcspn(line, "\n") <= 110 || line[0] == '"' || line[0] == '|' || line[0] == ' ');
    pinion_generated_free(g);
    pinion_model_free(m);
}

/* ---- results ---- */

TEST(functions_and_files)
{
    pinion_error err;
    pinion_model *m = pinion_random_tree(6, 1, check_seed, &err);
    pinion_codegen_options o = pinion_codegen_options_default();
    o.name = "my_robot";
    pinion_generated *g = pinion_codegen(m, &o, &err);
    if (!g) CHECK_FAIL("%s", err.message);
    CHECK(strcmp(pinion_generated_name(g), "my_robot") == 0);

    /* all that need no frame and no asking, with fewer operations than the library's own */
    int expected = 0;
    for (int i = 0; pn_target(i); i++)
        expected += !(pn_target(i)->rules & PN_RULE_FRAME) && !(pn_target(i)->flags & PN_WHEN_ASKED);
    CHECK(pinion_generated_function_count(g) == expected);
    for (int i = 0; i < pinion_generated_function_count(g); i++) {
        pinion_generated_function f;
        CHECK_STATUS(pinion_generated_function_info(g, i, &f), PINION_OK);
        CHECK(!f.loops && f.operations.mul + f.operations.add <= f.general.mul + f.general.add);
        CHECK(strncmp(f.name, "my_robot_", 9) == 0);
    }

    /* files, and what is out of range */
    const char *name, *text;
    size_t length;
    static const char *const names[] = {"my_robot.h", "my_robot.c", "test_my_robot.c", "CMakeLists.txt",
                                        "README.md"};
    CHECK(pinion_generated_file_count(g) == 5);
    for (int i = 0; i < pinion_generated_file_count(g); i++) {
        CHECK_STATUS(pinion_generated_file(g, i, &name, &text, &length), PINION_OK);
        CHECK(strcmp(name, names[i]) == 0 && strlen(text) == length && length > 0);
        const char *banner = strstr(text, "Generated by Pinion"); /* by which it may be overwritten */
        CHECK(banner && banner - text < 580);
    }
    pinion_generated_function f;
    CHECK_STATUS(pinion_generated_file(g, 5, &name, NULL, NULL), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_generated_file(g, -1, &name, NULL, NULL), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_generated_function_info(g, expected, &f), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_generated_function_info(g, 0, NULL), PINION_ERR_ARGUMENT);
    CHECK(pinion_generated_function_count(NULL) == 0 && pinion_generated_file_count(NULL) == 0);
    pinion_generated_free(NULL);
    pinion_generated_free(g);
    pinion_model_free(m);
}

/* inputs in the order of the C API, by the names of what they stand in the place of */
TEST(order_of_inputs)
{
    pinion_error err;
    pinion_model *m = pinion_random_chain(2, check_seed, &err);
    pinion_codegen_options o = pinion_codegen_options_default();
    o.name = "arm";
    o.f_ext = 1;
    o.what = "inverse_dynamics_vjp,forward_dynamics_vjp,slotine_li_regressor";
    pinion_generated *g = pinion_codegen(m, &o, &err);
    if (!g) CHECK_FAIL("%s", err.message);
    static const char *const expected[] = {"arm_inverse_dynamics_vjp(q,v,a,f_ext,tau,dq,dv,da)",
                                           "arm_forward_dynamics_vjp(q,v,tau,f_ext,a,dq,dv,dtau)",
                                           "arm_slotine_li_regressor(q,v,tau,a,Y)"};
    const char *text = file_text(g, "arm.h");
    char plain[20000], *to = plain;
    static const char *const noise[] = {"const ", "arm_real *"};
    while (text && *text && to < plain + sizeof plain - 1) {
        size_t skip = 0;
        for (int k = 0; k < 2; k++)
            if (strncmp(text, noise[k], strlen(noise[k])) == 0) skip = strlen(noise[k]);
        if (skip == 0 && !isspace((unsigned char)*text)) *to++ = *text;
        text += skip ? skip : 1;
    }
    *to = '\0';
    for (int i = 0; i < 3; i++) CHECK_HAS(plain, expected[i]);
    pinion_generated_free(g);
    pinion_model_free(m);
}

/* the same again, and where the locale writes numbers otherwise */
TEST(the_same_bytes_every_time)
{
    pinion_error err;
    pinion_model *m = pinion_random_tree(7, 0, check_seed + 1, &err);
    for (int scalar = 0; scalar < 3; scalar++) {
        pinion_codegen_options o = pinion_codegen_options_default();
        o.scalar = (pinion_codegen_scalar)scalar;
        pinion_generated *a = pinion_codegen(m, &o, &err);
        const char *locales = getenv("PINION_LOCALES");
        if (locales) setenv("LOCPATH", locales, 1);
        const int other = locales && setlocale(LC_ALL, "de_DE.UTF-8") != NULL;
        if (!other) printf("  no locale with a decimal comma: the usual one again\n");
        pinion_generated *b = pinion_codegen(m, &o, &err);
        setlocale(LC_ALL, "C");
        CHECK(a && b && pinion_generated_file_count(a) == pinion_generated_file_count(b));
        for (int i = 0; i < pinion_generated_file_count(a); i++) {
            const char *name, *x = "", *y = "";
            CHECK_STATUS(pinion_generated_file(a, i, &name, &x, NULL), PINION_OK);
            CHECK_STATUS(pinion_generated_file(b, i, NULL, &y, NULL), PINION_OK);
            if (strcmp(x, y) != 0) CHECK_FAIL("%s differs", name);
        }
        pinion_generated_free(a);
        pinion_generated_free(b);
    }
    pinion_model_free(m);
}

/* numbers in few digits that give them back */
TEST(literals)
{
    static const struct {
        double x;
        int single;
        const char *text;
    } known[] = {{0.4318, 0, "0.4318"},
                 {1, 0, "1.0"},
                 {-2, 1, "-2.0f"},
                 {1e300, 0, "1e+300"},
                 {0.1, 1, "0.1f"},
                 {1.0 / 3, 1, "0.33333334f"},
                 {1e300, 1, "(1.0f / 0.0f)"},
                 {-INFINITY, 0, "(-1.0 / 0.0)"},
                 {NAN, 0, "(0.0 / 0.0)"},
                 {5e-324, 0, "4.94065645841247e-324"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        pn_text t = {0};
        pn_text_digits(&t, known[i].x, known[i].single);
        if (!t.at || strcmp(t.at, known[i].text) != 0) CHECK_FAIL("%s, expected %s", t.at, known[i].text);
        pn_text_free(&t);
    }
    uint64_t seed = check_seed;
    for (int i = 0; i < 1000; i++) {
        pn_text t = {0};
        const double x = ldexp(check_between(&seed, -1, 1), (int)check_between(&seed, -60, 60));
        pn_text_digits(&t, x, 0);
        CHECK(strtod(t.at, NULL) == x);
        pn_text_free(&t);
    }
}

/* a limb that may have no operations: loops for all, and the folder says so */
TEST(loops_are_said_aloud)
{
    pinion_error err;
    pinion_model *m = pinion_random_chain(4, check_seed, &err);
    pinion_codegen_options o = pinion_codegen_options_default();
    o.limb_limit = 0;
    o.what = "inverse_dynamics,mass_matrix";
    o.name = "arm";
    pinion_generated *g = pinion_codegen(m, &o, &err);
    for (int i = 0; i < 2; i++) {
        pinion_generated_function f;
        CHECK_STATUS(pinion_generated_function_info(g, i, &f), PINION_OK);
        CHECK(f.loops && f.operations.mul == 0 && f.general.mul > 0);
    }
    CHECK_HAS(file_text(g, "README.md"), "loops");
    CHECK_HAS(file_text(g, "arm.c"), "loops over tables");
    pinion_generated_free(g);
    pinion_model_free(m);
}

/* an algorithm that divides by a link's own mass is recorded on the model as it is */
TEST(regrouping_never_changes_results)
{
    pinion_error err;
    pinion_model *m = pinion_random_chain(5, check_seed, &err);
    static const char *const by[] = {"kane", "denoc", "gibbs-appell", "noc", "gdahj", "denoc-gim"};
    for (size_t i = 0; i < sizeof by / sizeof *by; i++) {
        pinion_codegen_options o = pinion_codegen_options_default();
        o.algorithm = by[i];
        o.what = i < 3 ? "inverse_dynamics" : "mass_matrix";
        pinion_generated *g = pinion_codegen(m, &o, &err);
        if (!g) CHECK_FAIL("%s: %s", by[i], err.message);
        pinion_generated_function f;
        CHECK_STATUS(pinion_generated_function_info(g, 0, &f), PINION_OK);
        CHECK(strcmp(f.algorithm, by[i]) == 0);
        pinion_generated_free(g);
    }
    pinion_model_free(m);
}

/* what the generated self-test allows for a result, from its own text */
static double allowed_by(const pinion_generated *g, const char *function)
{
    char start[100];
    snprintf(start, sizeof start, "report(\"%s\", \"a\", 0, ", function);
    const char *at = strstr(file_text(g, "test_arm.c"), start);
    if (!at) CHECK_FAIL("%s is not in the self-test", function);
    return at ? strtod(at + strlen(start), NULL) : 0;
}

/* The self-test allows what the algorithm loses, and far less than a wrong digit: divide and conquer takes roots of
 * what is almost zero, and is thousands of units off on this chain. */
TEST(allowances_are_those_of_the_algorithm)
{
    static const char *const by[] = {"aba", "divide-and-conquer", "constraint-force-parallel"};
    pinion_error err;
    pinion_model *m = pinion_random_chain(7, 7, &err);
    for (size_t i = 0; i < sizeof by / sizeof *by; i++)
        for (int loops = 0; loops < 2; loops++) {
            pinion_codegen_options o = pinion_codegen_options_default();
            o.name = "arm";
            o.what = "forward_dynamics";
            o.algorithm = by[i];
            if (loops) o.limb_limit = 0;
            pinion_generated *g = pinion_codegen(m, &o, &err);
            if (!g) {
                CHECK_FAIL("%s: %s", by[i], err.message);
                continue;
            }
            pn_values b;
            pn_expected v = {0};
            CHECK_STATUS(pn_values_open(m, g, &b), PINION_OK);
            CHECK_STATUS(pn_values_find(&b, g, &g->function[0], &v), PINION_OK);
            const double before = v.tolerance[0], allowed = allowed_by(g, "arm_forward_dynamics");
            CHECK_STATUS(pn_values_widen(&b, &g->function[0], &v), PINION_OK);
            CHECK(v.tolerance[0] == allowed && allowed >= before && allowed >= 64);
            CHECK(allowed <= 0x1p17); /* 1.5e-11 of the largest */
            if (i == 0) CHECK(allowed <= 1024);
            free(v.at);
            pn_values_close(&b);
            pinion_generated_free(g);
        }
    pinion_model_free(m);
}

/* ---- on disk ---- */

static int files_in(const char *folder)
{
    int count = -2;
    DIR *d = opendir(folder);
    while (d && readdir(d)) count++;
    if (d) closedir(d);
    return count;
}

TEST(writes_whole_files)
{
    pinion_error err = {PINION_OK, 0, 0, ""};
    char folder[] = "/tmp/pinion-generate-XXXXXX", path[300], deep[200];
    if (!mkdtemp(folder)) SKIP("no folder can be made");
    pinion_model *m = named_model("arm", "upper", "lower", 0);
    pinion_generated *g = pinion_codegen(m, NULL, &err);
    CHECK_STATUS(pinion_generated_write(NULL, folder, &err), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_generated_write(g, "", &err), PINION_ERR_ARGUMENT);

    /* into a folder below one that is not there, and over itself */
    snprintf(deep, sizeof deep, "%s/a/b/", folder);
    for (int i = 0; i < 2; i++) CHECK_STATUS(pinion_generated_write(g, deep, &err), PINION_OK);
    CHECK(files_in(deep) == 5);
    snprintf(path, sizeof path, "%sarm.c", deep);
    FILE *f = fopen(path, "r");
    CHECK(f != NULL);
    const char *text = file_text(g, "arm.c");
    size_t same = 0;
    for (int c; f && (c = getc(f)) != EOF; same++)
        if (c != (unsigned char)text[same]) break;
    CHECK(same == strlen(text));
    if (f) fclose(f);

    /* a file where the folder should be, and a folder where a file should be: the message names it, nothing
     * is left */
    CHECK_STATUS(pinion_generated_write(g, path, &err), PINION_ERR_FILE);
    CHECK_HAS(err.message, "arm.c: cannot be written");
    CHECK(unlink(path) == 0 && mkdir(path, 0777) == 0);
    CHECK_STATUS(pinion_generated_write(g, deep, &err), PINION_ERR_FILE);
    CHECK_HAS(err.message, "arm.c: cannot be written");
    CHECK(files_in(deep) == 5);
    char command[300];
    snprintf(command, sizeof command, "rm -r %s", folder);
    CHECK(system(command) == 0);
    pinion_generated_free(g);
    pinion_model_free(m);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(refuses_and_says_why);
    RUN(identifiers);
    RUN(many_equal_names);
    RUN(comments);
    RUN(names_that_are_taken);
    RUN(names_in_a_model_never_become_code);
    RUN(frames_of_the_same_identifier);
    RUN(a_name_longer_than_a_line);
    RUN(functions_and_files);
    RUN(order_of_inputs);
    RUN(the_same_bytes_every_time);
    RUN(literals);
    RUN(loops_are_said_aloud);
    RUN(regrouping_never_changes_results);
    RUN(allowances_are_those_of_the_algorithm);
    RUN(writes_whole_files);
    return CHECK_END();
}
