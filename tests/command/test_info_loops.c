/* pinion info of closed loops: what the text and the JSON say of every kind of loop, and the mobility. */
#include "command.h"
#include "loops.h"

static const char *const files[] = {"kinds.json", "far.json", "flat.json", NULL};

static json_t *info(const char *model)
{
    answer a = run(NULL, "info", model, "--json", (const char *)NULL);
    return parse_answer(&a, 0);
}

/* Mechanisms of which books say how they move. */
static const struct {
    const char *file, *row, *mobility, *counts;
    int nv, loops, rows, rank;
} known[] = {
    {"four-bar.json", "pin revolute coupler and rocker 5",
     "3 degrees of freedom of the tree, 5 constraints of rank 2 (3 redundant)",
     "-2 by counting (Gruebler), 1 by the rank", 3, 1, 5, 2},
    {"bricard.json", "joint6 revolute rod5 and ground 5",
     "5 degrees of freedom of the tree, 5 constraints of rank 4 (1 redundant)",
     "0 by counting (Gruebler), 1 by the rank", 5, 1, 5, 4},
    {"stewart.json", "ball6 spherical piston6 and socket6 3",
     "24 degrees of freedom of the tree, 18 constraints of rank 18\n",
     "6 by counting (Gruebler), 6 by the rank", 24, 6, 18, 18},
    {"andrews-squeezer.json", "spring spring ground and k3 0",
     "7 degrees of freedom of the tree, 15 constraints of rank 6 (9 redundant)",
     "-8 by counting (Gruebler), 1 by the rank", 7, 4, 15, 6},
};

/* The text with every run of blanks made one, so that tables can be looked at. */
static void squeeze(char *text)
{
    char *to = text;
    for (const char *at = text; *at; at++)
        if (*at != ' ' || (to > text && to[-1] != ' ')) *to++ = *at;
    *to = '\0';
}

TEST(info_of_bundled_mechanisms)
{
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        answer a = run(NULL, "info", bundled(known[i].file), (const char *)NULL);
        CHECK_STATUS(a.status, 0);
        squeeze(a.out);
        CHECK_HAS(a.out, "Loops\n name type between constraints\n");
        CHECK_HAS(a.out, known[i].row);
        CHECK_HAS(a.out, known[i].mobility);
        CHECK_HAS(a.out, known[i].counts);
        CHECK(strstr(a.out, "leaves the loops open") == NULL);
        forget(&a);

        json_t *r = info(bundled(known[i].file));
        CHECK(json_array_size(DIG(r, "loops")) == (size_t)known[i].loops);
        check_mobility(DIG(r, "mobility"), known[i].rows, known[i].rank, known[i].nv - known[i].rows,
                       known[i].nv - known[i].rank);
        int row = 0;
        for (int k = 0; k < known[i].loops; k++) {
            json_t *loop = json_array_get(DIG(r, "loops"), (size_t)k);
            CHECK(json_integer_value(DIG(loop, "row")) == row);
            row += (int)json_integer_value(DIG(loop, "rows"));
        }
        CHECK(row == known[i].rows);
        json_decref(r);
    }
}

TEST(info_of_joints_that_close_loops)
{
    json_t *r = info(bundled("bricard.json")), *loop = DIG(r, "loops", "0");
    CHECK_KEYS(loop, "name kind type parent child axis row rows");
    CHECK_TEXT(DIG(loop, "kind"), "joint");
    CHECK_TEXT(DIG(loop, "type"), "revolute");
    CHECK_TEXT(DIG(loop, "parent"), "rod5");
    CHECK_TEXT(DIG(loop, "child"), "ground");
    CHECK_NUMBERS(DIG(loop, "axis"), 0, 1, 0, 0);
    json_decref(r);
    r = info(bundled("stewart.json"));
    CHECK_KEYS(DIG(r, "loops", "5"), "name kind type parent child row rows");
    CHECK_TEXT(DIG(r, "loops", "5", "type"), "spherical");
    json_decref(r);
}

static void check_motion(json_t *motion, const double expected[6])
{
    static const char *const key[] = {"offset", "rate", "acceleration", "amplitude", "frequency", "phase"};
    CHECK_KEYS(motion, "offset rate acceleration amplitude frequency phase");
    for (int i = 0; i < 6; i++)
        CHECK_NEAR(json_number_value(json_object_get(motion, key[i])), expected[i], 0);
}

TEST(info_of_every_other_kind)
{
    static const double rod[6] = {0, 0.125, 0, 0, 0, 0}, teeth[6] = {0.25, 0, 0, 0, 0, 0},
                        motor[6] = {0.5, 2, -1, 0.25, 0.5, 0.75};
    const char *model = write_kinds("kinds.json", "2");
    json_t *r = info(model), *loop = DIG(r, "loops", "0");
    CHECK(json_array_size(DIG(r, "loops")) == 5);
    check_mobility(DIG(r, "mobility"), 6, 6, 3, 3);
    CHECK_KEYS(loop, "name kind type parent child length motion row rows");
    CHECK_TEXT(DIG(loop, "kind"), "distance");
    CHECK_NEAR(json_number_value(DIG(loop, "length")), 2, 0);
    check_motion(DIG(loop, "motion"), rod);

    loop = DIG(r, "loops", "1");
    CHECK_KEYS(loop, "name kind type joints ratio curve motion row rows");
    CHECK_TEXT(DIG(loop, "kind"), "gear");
    CHECK_TEXT(DIG(loop, "joints", "0"), "b");
    CHECK_TEXT(DIG(loop, "joints", "1"), "lift");
    CHECK_NEAR(json_number_value(DIG(loop, "ratio")), 0.5, 0);
    check_motion(DIG(loop, "motion"), teeth);

    loop = DIG(r, "loops", "2");
    CHECK_KEYS(loop, "name kind type parent child radius shape row rows");
    CHECK_TEXT(DIG(loop, "kind"), "rolling");
    CHECK_TEXT(DIG(loop, "shape"), "sphere");
    CHECK_NEAR(json_number_value(DIG(loop, "radius")), 0.3, 0);
    CHECK(json_integer_value(DIG(loop, "row")) == 2 && json_integer_value(DIG(loop, "rows")) == 3);

    loop = DIG(r, "loops", "3");
    CHECK_KEYS(loop, "name kind type joint motion row rows");
    CHECK_TEXT(DIG(loop, "kind"), "drive");
    CHECK_TEXT(DIG(loop, "joint"), "a");
    check_motion(DIG(loop, "motion"), motor);

    loop = DIG(r, "loops", "4");
    CHECK_KEYS(loop, "name kind type parent child length stiffness damping row rows");
    CHECK_TEXT(DIG(loop, "kind"), "spring");
    CHECK_NEAR(json_number_value(DIG(loop, "length")), 4, 0);
    CHECK_NEAR(json_number_value(DIG(loop, "stiffness")), 100, 0);
    CHECK_NEAR(json_number_value(DIG(loop, "damping")), 7, 0);
    CHECK(json_integer_value(DIG(loop, "rows")) == 0);
    json_decref(r);

    /* and for people; the drive wants the arm 0.5 + 0.25 sin(0.75) from where it is */
    answer a = run(NULL, "info", model, (const char *)NULL);
    squeeze(a.out);
    CHECK_HAS(a.out,
              " rod distance left and right 1\n teeth gear joints b and lift 1\n"
              " roll rolling base and ball 3\n motor drive joint a 1\n strut spring base and slide 0\n");
    CHECK_HAS(a.out, "The initial state leaves the loops open by 0.67");
    forget(&a);
}

/* Pivots that are too far apart: the model is shown all the same. */
TEST(info_of_what_cannot_close)
{
    const char *model = write_kinds("far.json", "12");
    answer a = run(NULL, "info", model, (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK_HAS(a.out, "The loops cannot be closed from the initial state: loop 'rod' cannot be closed");
    CHECK(strstr(a.out, "Gruebler") == NULL);
    forget(&a);
    json_t *r = info(model);
    CHECK(json_array_size(DIG(r, "loops")) == 5);
    CHECK(json_is_null(DIG(r, "mobility")));
    json_decref(r);
}

/* An initial state that is singular is told, and one that is not has no such warning. */
TEST(singular_initial_states)
{
    const char *const model[] = {write_file("flat.json", FLAT_ROD), bundled("four-bar.json")};
    for (int i = 0; i < 2; i++) {
        answer a = run(NULL, "info", model[i], "--json", (const char *)NULL);
        json_t *r = parse_answer(&a, 0);
        const char *text = json_string_value(DIG(r, "warnings", "0"));
        CHECK((text && strstr(text, "loop 'rod' is at a singular position")) == (i == 0));
        CHECK(json_is_true(DIG(r, "mobility", "singular")) == (i == 0));
        json_decref(r);
    }
}

int main(int argc, char **argv)
{
    COMMAND_BEGIN(argc, argv);
    RUN(info_of_bundled_mechanisms);
    RUN(info_of_joints_that_close_loops);
    RUN(info_of_every_other_kind);
    RUN(info_of_what_cannot_close);
    RUN(singular_initial_states);
    return command_end(files);
}
