/* pinion id --contacts: forces, margins and the zero-moment point of motions with closed answers, and what is told. */
#define _DEFAULT_SOURCE
#include "command.h"
#include "fixtures.h"
#include "sim.h"

static const char *const files[] = {"crate.json", "table.json", "out.csv", "out.jsonl", "out.h5", "loop.json",
                                    "gone.urdf", NULL};

#define CRATE \
    "{\"pinion\": 1, \"name\": \"crate\", \"links\": [{\"name\": \"world\"}, {\"name\": \"box\", \"mass\": 2,\n" \
    "  \"inertia\": {\"xx\": 0.02, \"yy\": 0.02, \"zz\": 0.02}, \"collisions\": [{\"shape\": \"box\",\n" \
    "  \"size\": [0.2, 0.2, 0.2], \"friction\": 0.5}]}],\n" \
    " \"joints\": [{\"name\": \"fly\", \"type\": \"free\", \"parent\": \"world\", \"child\": \"box\"}]}\n"

/* a table whose legs are frames, and a motor that swings a weight on it */
#define TABLE \
    "{\"pinion\": 1, \"name\": \"table\", \"links\": [{\"name\": \"world\"}, {\"name\": \"top\", \"mass\": 4,\n" \
    "  \"inertia\": {\"xx\": 0.2, \"yy\": 0.2, \"zz\": 0.3}},\n" \
    " {\"name\": \"arm\", \"mass\": 1, \"com\": [0.5, 0, 0],\n" \
    "  \"inertia\": {\"xx\": 0.01, \"yy\": 0.01, \"zz\": 0.01}}],\n" \
    " \"joints\": [{\"name\": \"fly\", \"type\": \"free\", \"parent\": \"world\", \"child\": \"top\"},\n" \
    "  {\"name\": \"swing\", \"type\": \"revolute\", \"parent\": \"top\", \"child\": \"arm\",\n" \
    "   \"axis\": [0, 0, 1]}],\n" \
    " \"frames\": [{\"name\": \"a\", \"link\": \"top\", \"origin\": {\"position\": [-0.4, -0.4, -0.5]}},\n" \
    "  {\"name\": \"b\", \"link\": \"top\", \"origin\": {\"position\": [0.4, -0.4, -0.5]}},\n" \
    "  {\"name\": \"c\", \"link\": \"top\", \"origin\": {\"position\": [0.4, 0.4, -0.5]}},\n" \
    "  {\"name\": \"d\", \"link\": \"top\", \"origin\": {\"position\": [-0.4, 0.4, -0.5]}}]}\n"

/* Drawn aside and back: friction does it, the zero-moment point lags behind by z a / g, the joint carries nothing. */
TEST(a_crate_is_drawn_aside)
{
    const char *crate = write_file("crate.json", CRATE);
    answer a = run(NULL, "id", crate, "--from", "1,0,0,0,0,0,0.1", "--to", "1,0,0,0,0.5,0,0.1", "--duration", "1",
                   "--contacts", "ground", "--motion", "--reactions", (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK(a.err[0] == '\0');
    table t = read_table(a.out);
    for (int row = 0; row < 101; row += 7) {
        const double push = cell(&t, row, "a.fly.3");
        CHECK_NEAR(cell(&t, row, "contact.ground.box.force.0"), 2 * push, 1e-9);
        CHECK_NEAR(cell(&t, row, "contact.ground.box.force.2"), 2 * 9.81, 1e-9);
        CHECK_NEAR(cell(&t, row, "contact.zmp.0"), cell(&t, row, "q.fly.4") - 0.1 * push / 9.81, 1e-12);
        CHECK_NEAR(cell(&t, row, "contact.support"), 0.1 - 0.1 * fabs(push) / 9.81, 1e-12);
        CHECK_NEAR(cell(&t, row, "tau.fly.3"), 0, 1e-9);
        CHECK_NEAR(cell(&t, row, "tau.fly.1"), 0, 1e-9);
        CHECK_NEAR(cell(&t, row, "reaction.fly.fz"), 0, 1e-9);
        CHECK_NEAR(cell(&t, row, "reaction.fly.ny"), 0, 1e-9);
        CHECK(cell(&t, row, "contact.count") == 4 && cell(&t, row, "contact.margin") > -1e-9);
    }
    free(t.x);
    forget(&a);
}

/* Too fast for its friction of 0.5: 2 pi x / T^2 is the largest acceleration of a cycloid, and where and by how much is
 * told; --limits-check makes it an error. The same in JSON. */
TEST(too_fast_for_its_friction)
{
    const char *crate = write_file("crate.json", CRATE);
    char words[80];
    answer a = run(NULL, "id", crate, "--from", "1,0,0,0,0,0,0.1", "--to", "1,0,0,0,1,0,0.1", "--duration", "1",
                   "--contacts", "ground", "--limits-check", "error", (const char *)NULL);
    CHECK_STATUS(a.status, 1);
    CHECK_HAS(a.err, "outside of the friction cones at");
    CHECK_HAS(a.err, "at t = 0.25 s");
    snprintf(words, sizeof words, "where a friction of %.4g would do", 2 * 3.14159265358979 / 9.81);
    CHECK_HAS(a.err, words);
    forget(&a);
    a = run(NULL, "id", crate, "--from", "1,0,0,0,0,0,0.1", "--to", "1,0,0,0,1,0,0.1", "--duration", "1",
            "--contacts", "ground", "--json", "-o", place("out.jsonl"), (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    json_t *json = a.out ? json_loads(a.out, JSON_REJECT_DUPLICATES, NULL) : NULL;
    CHECK(json_integer_value(DIG(json, "contacts", "pairs")) == 1);
    CHECK(json_integer_value(DIG(json, "contacts", "points")) == 4);
    CHECK(json_number_value(DIG(json, "contacts", "margin")) < -0.1);
    CHECK_NEAR(json_number_value(DIG(json, "contacts", "margin_t")), 0.25, 1e-12);
    CHECK(strcmp(json_string_value(DIG(json, "contacts", "margin_pair")), "ground.box") == 0);
    json_decref(json);
    forget(&a);
}

/* Lifted: nothing touches, what is missing is told, and so is how near it is. */
TEST(lifted)
{
    const char *crate = write_file("crate.json", CRATE);
    answer a = run(NULL, "id", crate, "--from", "1,0,0,0,0,0,0.15", "--to", "1,0,0,0,0,0,0.3", "--contacts", "ground",
                   "--output-step", "0.5", (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK_HAS(a.err, "nothing touches at 3 of 3 instants");
    CHECK_HAS(a.err, "needs forces that no actuator gives: fly.5 19.62 N at t = 0 s");
    forget(&a);
    /* a wider gap takes it for standing */
    a = run(NULL, "id", crate, "--from", "1,0,0,0,0,0,0.15", "--to", "1,0,0,0,0,0,0.15", "--contacts", "box",
            "--contact-gap", "0.06", "-o", place("out.csv"), (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK_HAS(a.err, "contacts: 1 pair, at most 4 points; least margin of friction 2.194 N (ground.box, t = 0 s)");
    CHECK_HAS(a.err, "zero-moment point 0.1 m inside the polygon of support");
    forget(&a);
}

/* Four legs that are frames, and an arm that stands out over one side: sums, moments and a plane of forces. Shares put
 * it on one diagonal as far as may be; without a leg the others do. */
TEST(a_table_on_named_legs)
{
    const char *model = write_file("table.json", TABLE);
    const double weight = 5 * 9.81;
    answer a = run(NULL, "id", model, "--from", "1,0,0,0,0,0,0.5,0", "--to", "1,0,0,0,0,0,0.5,0", "--contacts",
                   "a,b,c,d", "--contact-friction", "0.3", "--output-step", "1", (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    table t = read_table(a.out);
    const double x = 0.5 * 1 / 5; /* the centre of mass */
    CHECK_NEAR(cell(&t, 0, "contact.zmp.0"), x, 1e-12);
    CHECK_NEAR(cell(&t, 0, "contact.support"), 0.4 - x, 1e-12);
    CHECK_NEAR(cell(&t, 0, "contact.ground.a.force.2"), weight / 4 * (1 - x / 0.4), 1e-9);
    CHECK_NEAR(cell(&t, 0, "contact.ground.c.force.2"), weight / 4 * (1 + x / 0.4), 1e-9);
    CHECK_NEAR(cell(&t, 0, "contact.ground.a.margin"), 0.3 * weight / 4 * (1 - x / 0.4) / sqrt(1.09), 1e-9);
    CHECK_NEAR(cell(&t, 0, "contact.ground.a.gap"), 0, 1e-12);
    CHECK_NEAR(fabs(cell(&t, 0, "contact.ground.a.point.0")), 0.4, 1e-12);
    CHECK_NEAR(cell(&t, 0, "contact.ground.a.point.2"), 0, 1e-12);
    free(t.x);
    forget(&a);
    a = run(NULL, "id", model, "--from", "1,0,0,0,0,0,0.5,0", "--to", "1,0,0,0,0,0,0.5,0", "--contacts", "a,b,c,d",
            "--contact-share", "d=0", "--output-step", "1", (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    t = read_table(a.out); /* three forces are determined: b = -x' / 2l ..., by moments */
    CHECK_NEAR(cell(&t, 0, "contact.ground.d.force.2"), 0, 0);
    CHECK_NEAR(cell(&t, 0, "contact.ground.c.force.2"), weight / 2, 1e-9);
    CHECK_NEAR(cell(&t, 0, "contact.ground.a.force.2"), weight * (0.4 - x) / 0.8, 1e-9);
    CHECK_NEAR(cell(&t, 0, "contact.ground.b.force.2"), weight * (0.5 - (0.4 - x) / 0.8), 1e-9);
    free(t.x);
    forget(&a);
    /* the arm swings: its own motor gives what turns it, and the legs the opposite */
    a = run(NULL, "id", model, "--from", "1,0,0,0,0,0,0.5,0", "--to", "1,0,0,0,0,0,0.5,1", "--contacts", "a,b,c,d",
            "--output-step", "0.25", "-o", place("out.h5"), "--contact-gap", "any", (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK(!strstr(a.err, "warning"));
    forget(&a);
}

TEST(what_is_refused)
{
    const char *model = write_file("table.json", TABLE);
    const char *const from = "1,0,0,0,0,0,0.5,0";
    const struct {
        const char *option, *value, *more, *more_value;
        int status;
        const char *words;
    } bad[] = {
        {"--contacts", "e", NULL, NULL, 1, "no link or frame is named 'e'"},
        {"--contacts", ",", NULL, NULL, 2, "expected ground, model or names"},
        {"--contacts", "a", "--contact-gap", "-1", 2, "expected a length of 0 or more, or any"},
        {"--contacts", "ground", "--contact-gap", "any", 2, "contacts that are named"},
        {"--contacts", "a", "--contact-friction", "-1", 2, "coefficient of 0 or more"},
        {"--contacts", "a", "--contact-share", "b=1", 1, "nothing named 'b' touches"},
        {"--contacts", "a", "--contact-share", "a", 2, "expected NAME=X"},
        {"--contact-gap", "1", NULL, NULL, 2, "no use without --contacts"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        answer a = run(NULL, "id", model, "--from", from, "--to", from, bad[i].option, bad[i].value, bad[i].more,
                       bad[i].more_value, (const char *)NULL);
        CHECK_STATUS(a.status, bad[i].status);
        CHECK_HAS(a.err, bad[i].words);
        forget(&a);
    }
    /* the table has no collisions */
    answer a = run(NULL, "id", model, "--from", from, "--to", from, "--contacts", "ground", (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK_HAS(a.err, "the model has no collisions that could touch");
    forget(&a);
    const char *loop = write_file(
        "loop.json", "{\"pinion\": 1, \"links\": [{\"name\": \"w\"}, {\"name\": \"l\", \"mass\": 1}],"
                     "\"joints\": [{\"name\": \"j\", \"type\": \"revolute\", \"parent\": \"w\", \"child\": \"l\"}],"
                     "\"loops\": [{\"name\": \"k\", \"type\": \"revolute\", \"parent\": \"w\", \"child\": \"l\"}]}");
    a = run(NULL, "id", loop, "--from", "0", "--to", "1", "--contacts", "l", (const char *)NULL);
    CHECK_STATUS(a.status, 1);
    CHECK_HAS(a.err, "does not go with closed loops yet");
    forget(&a);
}

/* A shape in a mesh file that is not there is left out, and told. */
TEST(a_mesh_that_is_gone)
{
    const char *model = write_file(
        "gone.urdf",
        "<robot name='m'><link name='base'/><link name='a'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' "
        "ixy='0' ixz='0' iyz='0'/></inertial><collision><geometry><mesh filename='gone.stl'/></geometry></collision>"
        "<collision><geometry><sphere radius='0.1'/></geometry></collision></link><joint name='j' type='continuous'>"
        "<parent link='base'/><child link='a'/><axis xyz='0 0 1'/></joint></robot>");
    answer a = run(NULL, "id", model, "--from", "0", "--to", "1", "--contacts", "ground", (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK_HAS(a.err, "pinion id: warning: 1 collision in mesh files takes no part in contact: the mesh file 'gone.stl' "
                     "could not be found");
    forget(&a);
}

int main(int argc, char **argv)
{
    COMMAND_BEGIN(argc, argv);
    RUN(a_crate_is_drawn_aside);
    RUN(too_fast_for_its_friction);
    RUN(lifted);
    RUN(a_table_on_named_legs);
    RUN(what_is_refused);
    RUN(a_mesh_that_is_gone);
    return command_end(files);
}
