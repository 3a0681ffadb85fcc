/* `pinion paper`: each study ends with its tables, its files and numbers that can be checked. */
#define _DEFAULT_SOURCE
#include "command.h"

#include <sys/stat.h>

static const char *const files[] = {"here", NULL};
static int page; /* this build has the report's page */

/* Runs a study into a folder and gives its numbers. The files it names must be there, and go away again. */
static json_t *study(const char *name, int least_files)
{
    const char *where = place("study");
    answer a = run(NULL, "paper", name, "-o", where, "--json", (const char *)NULL);
    json_t *r = parse_answer(&a, 0), *list = DIG(r, "files");
    CHECK_TEXT(DIG(r, "paper"), name);
    CHECK((int)json_array_size(list) >= least_files);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *path = json_string_value(json_array_get(list, i));
        char *text = path ? read_file(path) : NULL;
        CHECK(text && strlen(text) > 20);
        const char *dot = path ? strrchr(path, '.') : NULL;
        if (dot && strcmp(dot, ".html") == 0)
            CHECK(text && strstr(text, "<html") && !strstr(text, "https://unpkg"));
        if (dot && strcmp(dot, ".csv") == 0) CHECK(text && strchr(text, ','));
        free(text);
        if (path) remove(path);
    }
    CHECK(rmdir(where) == 0); /* nothing that was not named */
    return r;
}

static double number(json_t *r, const char *key)
{
    json_t *found = DIG(r, "numbers", key);
    CHECK(json_is_number(found));
    return json_number_value(found);
}

TEST(saha)
{
    if (!page) SKIP("this build has no report page");
    json_t *r = study("saha", 20);
    CHECK(number(r, "planar_closed_form_error") < 1e-13);
    CHECK(number(r, "stanford_agreement") < 1e-13);
    CHECK(number(r, "planar_drift") < 1e-9);
    CHECK(number(r, "stanford_drift") < 1e-9);
    /* the triple pendulum's runs part, but not before its first swings are over */
    CHECK(number(r, "planar_parting_time") > 5 && number(r, "planar_parting_time") < 25);
    json_decref(r);
}

TEST(provenzano)
{
    if (!page) SKIP("this build has no report page");
    json_t *r = study("provenzano", 12);
    /* the paper's errors are 2.2e-3 m at its tolerance; a finer one must leave less */
    CHECK(number(r, "exact_position_error") < 2.3e-3);
    CHECK(number(r, "fine_position_error") < 1e-6);
    json_decref(r);
}

TEST(safeea)
{
    if (!page) SKIP("this build has no report page");
    json_t *r = study("safeea", 5);
    CHECK(number(r, "largest_error") < 1e-11);
    /* no test of time; the counts are exact */
    if (json_is_number(DIG(r, "numbers", "crossover_operations")))
        CHECK(number(r, "crossover_operations") == 10);
    json_decref(r);
}

TEST(featherstone)
{
    if (!page) SKIP("this build has no report page");
    json_t *r = study("featherstone", 4);
    /* the paper says 10 for the algorithms of its time */
    CHECK(number(r, "crossover_operations") >= 5 && number(r, "crossover_operations") <= 10);
    json_decref(r);
}

TEST(in_words)
{
    if (!page) SKIP("this build has no report page");
    answer a = run(NULL, "paper", "saha", "-o", place("study"), (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK(a.err && !*a.err);
    CHECK_HAS(a.out, "Table 1");
    CHECK_HAS(a.out, "lagrange-recursive");
    CHECK_HAS(a.out, "Assumed:");
    CHECK_HAS(a.out, "chaotic");
    forget(&a);
    json_decref(study("saha", 20)); /* into the same folder, whose files are replaced */
}

TEST(bad_arguments)
{
    REFUSED(2, "a paper (saha|", NULL, "paper");
    REFUSED(2, "did you mean", NULL, "paper", "sahara");
    write_file("here", "a file\n");
    if (page) REFUSED(1, "the folder cannot be made", NULL, "paper", "saha", "-o", place("here"));
}

/* A study that finds no models leaves no folder behind; one that was there stays. */
TEST(without_models)
{
    if (!page) SKIP("this build has no report page");
    const char *models = getenv("PINION_MODELS"), *command = getenv("PINION_COMMAND"), *copy = place("here");
    char line[1000], *kept_models = models ? strdup(models) : NULL, *kept = strdup(command);
    /* from another folder, beside which there are none either */
    snprintf(line, sizeof line, "rm -f '%s' && cp '%s' '%s'", copy, command, copy);
    CHECK(system(line) == 0);
    setenv("PINION_MODELS", "/no/such/folder", 1);
    setenv("PINION_COMMAND", copy, 1);
    for (int there = 0; there < 2; there++) {
        if (there) CHECK(mkdir(place("study"), 0777) == 0);
        answer a = run(NULL, "paper", "saha", "-o", place("study"), (const char *)NULL);
        if (a.status == 0) { /* an installed copy was found */
            snprintf(line, sizeof line, "rm -f '%s'/*", place("study"));
            CHECK(system(line) == 0);
        } else {
            CHECK_STATUS(a.status, 1);
            CHECK_HAS(a.err, "set PINION_MODELS to the folder it is in");
            CHECK((access(place("study"), F_OK) == 0) == there);
        }
        rmdir(place("study"));
        forget(&a);
    }
    setenv("PINION_COMMAND", kept, 1);
    if (kept_models) setenv("PINION_MODELS", kept_models, 1);
    free(kept);
    free(kept_models);
}

int main(int argc, char **argv)
{
    COMMAND_BEGIN(argc, argv);
    write_file("here", "a file\n");
    answer a = run(NULL, "paper", "saha", "-o", place("here"), (const char *)NULL);
    page = a.err && !strstr(a.err, "no report page");
    forget(&a);
    RUN(saha);
    RUN(provenzano);
    RUN(safeea);
    RUN(featherstone);
    RUN(in_words);
    RUN(bad_arguments);
    RUN(without_models);
    return command_end(files);
}
