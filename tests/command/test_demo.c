/* `pinion demo`, and answers that nobody can take. */
#define _DEFAULT_SOURCE
#include "command.h"
#include "fixtures.h"

#include <signal.h>

static const char *const files[] = {"pendulum.urdf", "massless.json", "loop.json", "sliders.json", NULL};

TEST(tour_of_the_stanford_arm)
{
    answer a = run(NULL, "demo", (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK(a.err && !*a.err);
    CHECK_HAS(a.out, "Stanford arm");
    CHECK_HAS(a.out, "└─ link6  joint6");
    CHECK_HAS(a.out, "90 deg  60 deg");
    CHECK_HAS(a.out, "tau3 [N]");
    CHECK_HAS(a.out, "█");
    CHECK_HAS(a.out, "forward dynamics undoes it");
    CHECK_HAS(a.out, "passed.");
    CHECK_HAS(a.out, "README.md");
    CHECK_HAS(a.out, "docs/model-format.md");
    CHECK_HAS(a.out, "docs/notation.md");
    CHECK_HAS(a.out, "stanford.json --states - --what");
    CHECK(a.out && !strchr(a.out, '\033'));
    forget(&a);
}

/* The forces at rest, at both ends of Saha's motion, are those against gravity: links 4 to 6 and the slider
 * hang on joint 2 when it points down or level. */
TEST(forces_of_the_tour)
{
    answer a = run(NULL, "demo", "--json", (const char *)NULL);
    json_t *r = parse_answer(&a, 0);
    json_t *samples = DIG(r, "samples");
    CHECK(json_array_size(samples) == 1001);
    CHECK(json_is_true(DIG(r, "passed")));
    CHECK(json_number_value(DIG(r, "error")) < 1e-9);
    CHECK_NEAR(json_number_value(DIG(json_array_get(samples, 500), "t")), 5, 1e-12);

    static const char ends[] =
        "{\"states\": [{\"q\": [0, 1.5707963267948966, 0, 0, 0, 0]}, {\"q\": [1.0471975511965976,"
        " 1.0471975511965976, 0.1, 1.0471975511965976, 1.0471975511965976, 1.0471975511965976]}]}";
    a = run(ends, "eval", bundled("stanford.json"), "--states", "-", "--what", "gravity", (const char *)NULL);
    json_t *g = parse_answer(&a, 0);
    for (size_t end = 0; end < 2; end++)
        for (size_t i = 0; i < 6; i++) {
            json_t *tau = json_array_get(DIG(json_array_get(samples, 1000 * end), "tau"), i);
            json_t *rest = json_array_get(DIG(json_array_get(DIG(g, "states"), end), "gravity"), i);
            CHECK_NEAR(json_number_value(tau), json_number_value(rest), 1e-12);
        }
    json_decref(r);
    json_decref(g);
}

TEST(other_robots)
{
    const char *const model[] = {write_file("pendulum.urdf", PENDULUM), write_file("sliders.json", SLIDERS),
                                 bundled("planar-3r.json"), bundled("puma560-corke.json"),
                                 bundled("puma560-akb.json")};
    for (int i = 0; i < 5; i++) {
        answer a = run(NULL, "demo", model[i], (const char *)NULL);
        CHECK_STATUS(a.status, 0);
        CHECK(a.out && strstr(a.out, "passed."));
        forget(&a);
    }
    for (int i = 0; i < 2; i++) {
        answer a = run(NULL, "demo", model[i], "--root=free", (const char *)NULL);
        CHECK_STATUS(a.status, 0);
        CHECK_HAS(a.out, "root, part 5");
        CHECK(a.out && strstr(a.out, "passed."));
        forget(&a);
    }
    REFUSED(1, "singular", NULL, "demo", write_file("massless.json", MASSLESS));
    REFUSED(1, "closed loops, and the tour moves each joint by itself", NULL, "demo", write_file("loop.json", LOOP));
    REFUSED(1, "nowhere.urdf", NULL, "demo", "nowhere.urdf");
    REFUSED(1, "no joint of this model can move", "{\"pinion\": 1, \"links\": [{\"name\": \"rock\"}]}",
            "demo", "-");
}

/* A folder without the model is passed over for the places where it may be installed. */
TEST(where_the_model_is)
{
    const char *models = getenv("PINION_MODELS");
    char *kept = models ? strdup(models) : NULL;
    setenv("PINION_MODELS", folder, 1);
    answer a = run(NULL, "demo", (const char *)NULL);
    CHECK(a.status == 0 || a.status == 1);
    if (a.status == 1) CHECK_HAS(a.err, "set PINION_MODELS");
    forget(&a);
    if (kept) setenv("PINION_MODELS", kept, 1);
    free(kept);
}

/* A reader that goes away ends the command quietly; one that only ignores the signal gets an error. */
TEST(broken_pipe)
{
    run_out = "|";
    answer a = run(NULL, "demo", "--json", (const char *)NULL);
    CHECK_STATUS(a.status, 128 + SIGPIPE);
    CHECK(a.err && !*a.err);
    forget(&a);

    signal(SIGPIPE, SIG_IGN);
    static const char *const command[] = {"demo",       "info", "eval",     "convert",
                                          "completion", "help", "--version"};
    for (int i = 0; i < 7; i++) {
        const char *model = i == 4 ? "bash" : i == 5 ? "eval" : bundled("stanford.json");
        const char *list[] = {command[i], model, i == 2 ? "--what=gravity" : "--to=json", "--states=-"};
        a = run_list("{\"states\": [{\"q\": [0, 0, 0, 0, 0, 0]}]}", list,
                     i == 6   ? 1
                     : i == 2 ? 4
                     : i == 3 ? 3
                              : 2);
        CHECK_STATUS(a.status, 1);
        CHECK_HAS(a.err, "the answer cannot be written: Broken pipe");
        CHECK(lines_of(a.err) == 1);
        forget(&a);
    }
    signal(SIGPIPE, SIG_DFL);
    run_out = NULL;
}

TEST(full_disk)
{
    if (access("/dev/full", W_OK) != 0) SKIP("there is no /dev/full");
    run_out = "/dev/full";
    answer a = run(NULL, "info", bundled("stanford.json"), "--json", (const char *)NULL);
    CHECK_STATUS(a.status, 1);
    CHECK_HAS(a.err, "pinion info: the answer cannot be written: No space left");
    forget(&a);
    run_out = NULL;
}

int main(int argc, char **argv)
{
    COMMAND_BEGIN(argc, argv);
    RUN(tour_of_the_stanford_arm);
    RUN(forces_of_the_tour);
    RUN(other_robots);
    RUN(where_the_model_is);
    RUN(broken_pipe);
    RUN(full_disk);
    return command_end(files);
}
