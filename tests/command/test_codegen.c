/* `pinion codegen`: what it writes, what it says, what it refuses. What the generated code computes is checked in
 * tests/codegen. */
#define _DEFAULT_SOURCE
#include <dirent.h>
#include <sys/stat.h>

#include "command.h"
#include "counts.h"
#include "fixtures.h"

static const char *const files[] = {"pendulum.urdf", "sliders.json", "loop.json", "hostile.json", "in the way", NULL};

static int available(void)
{
    answer a = run(NULL, "codegen", bundled("stanford.json"), (const char *)NULL);
    int yes = a.err && !strstr(a.err, "not available in this build");
    CHECK_STATUS(a.status, 2);
    forget(&a);
    return yes;
}

static const char *pendulum(void)
{
    return write_file("pendulum.urdf", PENDULUM);
}

/* Removes a folder that was written to, with what is in it. */
static void clear_folder(const char *name)
{
    char path[600];
    DIR *d = opendir(place(name));
    for (struct dirent *e; d && (e = readdir(d)) != NULL;) {
        snprintf(path, sizeof path, "%s/%s", place(name), e->d_name);
        remove(path);
    }
    if (d) closedir(d);
    rmdir(place(name));
}

/* How many files a folder has. */
static int count_files(const char *name)
{
    int count = 0;
    DIR *d = opendir(place(name));
    for (struct dirent *e; d && (e = readdir(d)) != NULL;) count += e->d_name[0] != '.';
    if (d) closedir(d);
    return count;
}

static char *read_in(const char *name, const char *file)
{
    char path[600];
    snprintf(path, sizeof path, "%s/%s", place(name), file);
    return read_file(path);
}

static void write_in(const char *name, const char *file, const char *text)
{
    char path[600];
    snprintf(path, sizeof path, "%s/%s", place(name), file);
    FILE *f = fopen(path, "wb");
    if (!f || fputs(text, f) < 0 || fclose(f) != 0) CHECK_FAIL("cannot write %s", path);
}

static double sum(json_t *counts)
{
    double total = 0;
    const char *key;
    json_t *value;
    json_object_foreach(counts, key, value) total += json_number_value(value);
    return total;
}

/* ------------------------------------------------------------------------------------------------ */

/* The answer as JSON names the files that are there, and its counts add up. */
TEST(json)
{
    if (!available()) SKIP("this build generates nothing");
    answer a = run(NULL, "codegen", bundled("stanford.json"), "--what", "inverse_dynamics,frames,jacobian:link6", "-o",
                   place("code"), "--json", (const char *)NULL);
    json_t *r = parse_answer(&a, 0), *entry;
    size_t i;
    CHECK_KEYS(r, "name folder files functions");
    CHECK_TEXT(DIG(r, "name"), "stanford");
    CHECK_TEXT(DIG(r, "folder"), place("code"));
    CHECK(json_array_size(DIG(r, "files")) == (size_t)count_files("code"));
    json_array_foreach(DIG(r, "files"), i, entry)
    {
        char *text = read_in("code", json_string_value(entry));
        CHECK(text && strlen(text) > 100);
        free(text);
    }

    CHECK(json_array_size(DIG(r, "functions")) == 3);
    json_array_foreach(DIG(r, "functions"), i, entry)
    {
        CHECK_KEYS(entry, "name quantity algorithm loops operations general ratio");
        check_counts(DIG(entry, "operations"));
        check_counts(DIG(entry, "general"));
        CHECK(json_is_false(DIG(entry, "loops")));
        CHECK_NEAR(json_number_value(DIG(entry, "ratio")), sum(DIG(entry, "operations")) / sum(DIG(entry, "general")),
                   1e-12);
        CHECK(sum(DIG(entry, "operations")) > 0 && sum(DIG(entry, "operations")) < sum(DIG(entry, "general")));
    }
    CHECK_TEXT(DIG(r, "functions", "0", "name"), "stanford_inverse_dynamics");
    CHECK_TEXT(DIG(r, "functions", "2", "quantity"), "jacobian:link6");
    CHECK(json_is_string(DIG(r, "functions", "0", "algorithm")) && json_is_null(DIG(r, "functions", "1", "algorithm")));
    json_decref(r);
    clear_folder("code");
}

/* The table has a row a function, and then the files. Without --what: all that need no frame. */
TEST(table)
{
    if (!available()) SKIP("this build generates nothing");
    answer a = run(NULL, "codegen", pendulum(), "-o", place("code"), (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK(a.err && !*a.err);
    static const char *const part[] = {"pendulum_inverse_dynamics", "pendulum_forward_dynamics", "pendulum_mass_matrix",
                                       "pendulum_gravity",          "pendulum_frames",           "algorithm",
                                       "general",                   " %\n",                      "Written to ",
                                       "pendulum.h",                "pendulum.c",                "CMakeLists.txt"};
    for (size_t i = 0; i < sizeof part / sizeof part[0]; i++) CHECK_HAS(a.out, part[i]);
    CHECK(a.out && !strstr(a.out, "pendulum_jacobian"));
    forget(&a);

    /* the header declares what the options ask for */
    char *header = read_in("code", "pendulum.h");
    CHECK_HAS(header, "typedef double pendulum_real;");
    CHECK_HAS(header, "void pendulum_gravity(const pendulum_real *q, pendulum_real *tau);");
    free(header);
    a = run(NULL, "codegen", pendulum(), "--what", "inverse_dynamics", "--f-ext", "--scalar", "f32", "--name", "p",
            "-o", place("code"), (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    forget(&a);
    header = read_in("code", "p.h");
    CHECK_HAS(header, "typedef float p_real;");
    CHECK_HAS(header, "const p_real *f_ext");
    free(header);
    clear_folder("code");
}

/* An algorithm by name, for what it solves. */
TEST(algorithms)
{
    if (!available()) SKIP("this build generates nothing");
    const char *arm = bundled("stanford.json");
    answer a = run(NULL, "codegen", arm, "--what", "mass_matrix,gravity", "--algorithm", "gdahj", "-o", place("code"),
                   "--json", (const char *)NULL);
    json_t *r = parse_answer(&a, 0);
    CHECK_TEXT(DIG(r, "functions", "0", "algorithm"), "gdahj");
    json_decref(r);
    clear_folder("code");

    REFUSED(2, "unknown algorithm 'gdahk' (did you mean 'gdahj'", NULL, "codegen", arm, "--algorithm", "gdahk", "-o",
            place("code"));
    REFUSED(2, "--algorithm aba computes forward_dynamics, which is not in --what mass_matrix", NULL, "codegen", arm,
            "--what", "mass_matrix", "--algorithm", "aba", "-o", place("code"));
    const char *sliders = write_file("sliders.json", SLIDERS);
    REFUSED(1, "aba", NULL, "codegen", sliders, "--what", "forward_dynamics", "--algorithm", "aba", "-o",
            place("code"));
    CHECK(count_files("code") == 0);
}

/* Too large for straight lines is said aloud, and the rest goes on. */
TEST(loops_over_tables)
{
    if (!available()) SKIP("this build generates nothing");
    answer a = run(NULL, "codegen", bundled("stanford.json"), "--what", "inverse_dynamics", "--limb-limit", "10", "-o",
                   place("code"), "--json", (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK_HAS(a.err, "warning: inverse_dynamics is too large for straight-line code (more than 10 operations");
    CHECK(lines_of(a.err) == 1);
    json_error_t error;
    json_t *r = json_loads(a.out ? a.out : "", 0, &error);
    CHECK(json_is_true(DIG(r, "functions", "0", "loops")));
    CHECK(json_is_null(DIG(r, "functions", "0", "operations")) && json_is_null(DIG(r, "functions", "0", "ratio")));
    json_decref(r);
    forget(&a);
    clear_folder("code");
    a = run(NULL, "codegen", bundled("stanford.json"), "--what", "inverse_dynamics", "--limb-limit", "10", "-o",
            place("code"), (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK_HAS(a.out, "  stanford_inverse_dynamics  rnea         -    -    -     -     -     loops     1170      -\n");
    forget(&a);
    clear_folder("code");
}

/* ------------------------------------------------------------------------------------------------ */

TEST(wrong_command_lines)
{
    if (!available()) SKIP("this build generates nothing");
    const char *arm = bundled("stanford.json"), *to = place("code");
    REFUSED(2, "where to write is missing: -o FOLDER", NULL, "codegen", arm, "--what", "gravity");
    REFUSED(2, "unknown quantity 'inverse_dynamic' (did you mean 'inverse_dynamics'", NULL, "codegen", arm, "--what",
            "gravity,inverse_dynamic", "-o", to);
    REFUSED(2, "unknown quantity 'delassus'", NULL, "codegen", arm, "--what", "delassus", "-o", to);
    REFUSED(2, "jacobian needs a link or frame: jacobian:FRAME", NULL, "codegen", arm, "--what", "jacobian", "-o", to);
    REFUSED(2, "gravity takes no frame", NULL, "codegen", arm, "--what", "gravity:link6", "-o", to);
    REFUSED(2, "an entry of the list is empty", NULL, "codegen", arm, "--what", "gravity,", "-o", to);
    REFUSED(1, "--what jacobian: no link or frame is named 'link7' (did you mean 'link", NULL, "codegen", arm, "--what",
            "jacobian:link7", "-o", to);
    REFUSED(2, "--scalar: expected f64, f32 or real, got 'f16'", NULL, "codegen", arm, "--scalar", "f16", "-o", to);
    REFUSED(2, "--limb-limit: expected a whole number, got '-1'", NULL, "codegen", arm, "--limb-limit=-1", "-o", to);

    static const char *const name[] = {"1st",  "my-robot", "a b",   "_robot", "\xc3\xbc", "../x",
                                       "a.b",  "a*/b",     "a\nb",  "a\"b",
                                       "a2345678901234567890123456789012345678901"};
    for (size_t i = 0; i < sizeof name / sizeof name[0]; i++)
        REFUSED(2, "--name: expected a letter, then letters, digits and underscores", NULL, "codegen", arm, "--name",
                name[i], "-o", to);
    CHECK(count_files("code") == 0);
}

TEST(models_that_are_refused)
{
    if (!available()) SKIP("this build generates nothing");
    REFUSED(1, "loop.json", NULL, "codegen", place("loop.json"), "-o", place("code")); /* it is not there */
    const char *loop = write_file("loop.json", LOOP);
    REFUSED(1, "the loop 'pin' is closed", NULL, "codegen", loop, "-o", place("code"));
    REFUSED(1, "more are closed", NULL, "codegen", bundled("stewart.json"), "-o", place("code"));
    CHECK(count_files("code") == 0);
}

/* Names that would be code, or that a list could trip over. */
TEST(hostile_names)
{
    if (!available()) SKIP("this build generates nothing");
    const char *hostile = write_file("hostile.json", HOSTILE);
    answer a = run(NULL, "codegen", hostile, "--what", "inverse_dynamics,jacobian:a\\,b,jacobian:c:d:\"e\\\\f", "-o",
                   place("code"), "--json", (const char *)NULL);
    json_t *r = parse_answer(&a, 0), *entry;
    size_t i;
    CHECK(json_array_size(DIG(r, "functions")) == 3);
    CHECK_TEXT(DIG(r, "functions", "1", "quantity"), "jacobian:a,b");
    json_array_foreach(DIG(r, "functions"), i, entry)
    {
        const char *name = json_string_value(DIG(entry, "name"));
        CHECK(name && strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == strlen(name));
    }
    json_array_foreach(DIG(r, "files"), i, entry)
    {
        char *text = read_in("code", json_string_value(entry));
        for (const char *c = text ? text : "\x01"; *c; c++)
            if ((*c < ' ' && *c != '\n' && *c != '\t') || *c > '~') {
                CHECK_FAIL("%s has the byte %d", json_string_value(entry), (unsigned char)*c);
                break;
            }
        free(text);
    }
    json_decref(r);
    clear_folder("code");
}

/* ------------------------------------------------------------------------------------------------ */

/* What was generated is replaced; what was not is kept, unless --force is given. */
TEST(folders)
{
    if (!available()) SKIP("this build generates nothing");
    const char *robot = pendulum();
    for (int again = 0; again < 2; again++) {
        answer a = run(NULL, "codegen", robot, "--what", "gravity", "-o", place("code"), (const char *)NULL);
        CHECK_STATUS(a.status, 0);
        forget(&a);
    }
    write_in("code", "pendulum.h", "/* my own */\n");
    write_in("code", "notes.txt", "stay\n");
    REFUSED(1, "pendulum.h was not made by this command: --force overwrites it", NULL, "codegen", robot, "--what",
            "gravity", "-o", place("code"));
    char *header = read_in("code", "pendulum.h");
    CHECK(header && strcmp(header, "/* my own */\n") == 0);
    free(header);
    answer a = run(NULL, "codegen", robot, "--what", "gravity", "--force", "-o", place("code"), (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    forget(&a);
    header = read_in("code", "pendulum.h");
    CHECK_HAS(header, "pendulum_gravity");
    free(header);
    char *notes = read_in("code", "notes.txt");
    CHECK(notes && strcmp(notes, "stay\n") == 0);
    free(notes);
    clear_folder("code");

    /* where nothing can be made */
    write_file("in the way", "a file\n");
    REFUSED(1, "in the way", NULL, "codegen", robot, "-o", place("in the way"));
    REFUSED(1, "in the way", NULL, "codegen", robot, "-o", place("in the way/code"));

    /* folders on the way are made */
    a = run(NULL, "codegen", robot, "--what", "gravity", "-o", place("code/inner"), (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    forget(&a);
    CHECK(count_files("code/inner") > 1);
    clear_folder("code/inner");
    clear_folder("code");
}

/* The same bytes whatever the locale, the time or the folder. */
TEST(reproducible)
{
    if (!available()) SKIP("this build generates nothing");
    const char *locales = getenv("PINION_LOCALES");
    answer a = run(NULL, "codegen", bundled("stanford.json"), "-o", place("code"), "--json", (const char *)NULL);
    json_t *r = parse_answer(&a, 0), *entry;
    size_t i;
    if (locales) {
        setenv("LOCPATH", locales, 1);
        setenv("LC_ALL", "de_DE.UTF-8", 1);
        setenv("LSAN_OPTIONS", "detect_leaks=0", 1); /* the C library loses what it made of LOCPATH */
    }
    a = run(NULL, "codegen", bundled("stanford.json"), "-o", place("other"), (const char *)NULL);
    unsetenv("LC_ALL");
    unsetenv("LOCPATH");
    unsetenv("LSAN_OPTIONS");
    CHECK_STATUS(a.status, 0);
    forget(&a);
    CHECK(json_array_size(DIG(r, "files")) >= 5);
    json_array_foreach(DIG(r, "files"), i, entry)
    {
        char *one = read_in("code", json_string_value(entry)), *two = read_in("other", json_string_value(entry));
        CHECK(one && two && strcmp(one, two) == 0);
        CHECK(!one || !strstr(one, folder)); /* nothing of where it was made */
        free(one);
        free(two);
    }
    json_decref(r);
    clear_folder("code");
    clear_folder("other");
}

/* What docs/codegen.md quotes is what the command gives today. */
TEST(documentation)
{
    if (!available()) SKIP("this build generates nothing");
    char path[700];
    snprintf(path, sizeof path, "%s/../docs/codegen.md", getenv("PINION_MODELS") ? getenv("PINION_MODELS") : "models");
    char *page = read_file(path);
    if (!page) SKIP("the page is not beside the models");

    /* the function, whole */
    answer a = run(NULL, "codegen", bundled("planar-3r.json"), "--what", "gravity", "-o", place("code"),
                   (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    forget(&a);
    char *source = read_in("code", "planar_3r.c"), *from = source ? strstr(source, "void planar_3r_gravity(") : NULL,
         *end = from ? strstr(from, "\n}\n") : NULL;
    CHECK(end != NULL);
    if (end) end[2] = '\0';
    CHECK(from && strstr(page, from)); /* else: tools/codegen-docs */
    free(source);
    clear_folder("code");

    /* the table, line by line: only what is behind a line may be missing */
    a = run(NULL, "codegen", bundled("puma560-corke.json"), "--what",
            "inverse_dynamics,forward_dynamics,mass_matrix,gravity,jacobian:link6", "-o", place("code"),
            (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    int rows = 0;
    for (char *line = a.out ? strtok(a.out, "\n") : NULL; line; line = strtok(NULL, "\n")) {
        if (!strstr(line, " %")) continue;
        if (!strstr(page, line)) CHECK_FAIL("docs/codegen.md (see tools/codegen-docs) does not have: %s", line);
        rows++;
    }
    CHECK(rows == 5);
    forget(&a);
    free(page);
    clear_folder("code");

    /* the sentence of the README */
    a = run(NULL, "codegen", bundled("puma560-corke.json"), "--what", "inverse_dynamics", "-o", place("code"), "--json",
            (const char *)NULL);
    json_t *r = parse_answer(&a, 0), *f = DIG(r, "functions", "0");
    char sentence[200];
    snprintf(sentence, sizeof sentence, "takes %.0f operations, %.0f %% of the %.0f that", sum(DIG(f, "operations")),
             100 * json_number_value(DIG(f, "ratio")), sum(DIG(f, "general")));
    snprintf(path, sizeof path, "%s/../README.md", getenv("PINION_MODELS") ? getenv("PINION_MODELS") : "models");
    page = read_file(path);
    CHECK(page != NULL);
    if (page && !strstr(page, sentence)) CHECK_FAIL("README.md (see tools/codegen-docs) does not say: %s", sentence);
    free(page);
    json_decref(r);
    clear_folder("code");
}

/* Compiled here and compared. */
TEST(check)
{
    if (!available()) SKIP("this build generates nothing");
    if (system("command -v cc >/dev/null 2>&1") != 0) SKIP("there is no compiler");
    answer a = run(NULL, "codegen", bundled("stanford.json"), "--what", "inverse_dynamics,mass_matrix,jacobian:link6",
                   "--check", "-o", place("code"), "--json", (const char *)NULL);
    json_t *r = parse_answer(&a, 0), *entry;
    size_t i;
    CHECK_NEAR(json_number_value(DIG(r, "checked_states")), 10000, 0);
    json_array_foreach(DIG(r, "functions"), i, entry)
    {
        double worst = json_number_value(DIG(entry, "worst_difference"));
        CHECK(json_is_number(DIG(entry, "worst_difference")) && worst < 1e-13);
    }
    CHECK(json_number_value(DIG(r, "functions", "0", "worst_difference")) > 0); /* it is other code */
    json_decref(r);
    clear_folder("code");

    /* what only the test that is generated compares */
    a = run(NULL, "codegen", bundled("planar-2r.json"), "--what", "coriolis", "--check", "-o", place("code"), "--json",
            (const char *)NULL);
    r = parse_answer(&a, 0);
    CHECK_TEXT(DIG(r, "functions", "0", "quantity"), "coriolis");
    CHECK(json_is_null(DIG(r, "functions", "0", "worst_difference")));
    json_decref(r);
    clear_folder("code");

    /* nothing is written that cannot be checked */
    setenv("CC", "/no/such/compiler", 1);
    a = run(NULL, "codegen", bundled("stanford.json"), "--what", "gravity", "--check", "-o", place("code"),
            (const char *)NULL);
    unsetenv("CC");
    CHECK_STATUS(a.status, 1);
    CHECK_HAS(a.err, "--check: ");
    CHECK(count_files("code") == 0);
    forget(&a);
}

int main(int argc, char **argv)
{
    COMMAND_BEGIN(argc, argv);
    RUN(json);
    RUN(table);
    RUN(algorithms);
    RUN(loops_over_tables);
    RUN(wrong_command_lines);
    RUN(models_that_are_refused);
    RUN(hostile_names);
    RUN(folders);
    RUN(reproducible);
    RUN(documentation);
    RUN(check);
    return command_end(files);
}
