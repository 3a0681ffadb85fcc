/* Force elements from JSON files: what a file means, and one line for everything that is wrong with one. */
#include <unistd.h>

#include "comma.h"
#include "motion.h"

static char path[512];

/* writes a text to the file and adds its elements to the list */
static pinion_status load(pinion_forces *f, const char *text, pinion_error *err)
{
    FILE *file = fopen(path, "wb");
    CHECK(file != NULL);
    fputs(text, file);
    fclose(file);
    return pinion_forces_load(f, path, err);
}

/* an arm of two bodies with a tool */
static pinion_model *arm(void)
{
    pinion_builder *b = pinion_builder_new("arm");
    motion_link(b, "base", 0, 0);
    motion_link(b, "upper", 2, 0.2);
    motion_link(b, "lower", 1, 0.1);
    pinion_joint_def joint = motion_joint("shoulder", PINION_JOINT_SPHERICAL, "base", "upper", 0, 0, 1);
    CHECK_STATUS(pinion_builder_add_joint(b, &joint, NULL), PINION_OK);
    joint = motion_joint("elbow", PINION_JOINT_CONTINUOUS, "upper", "lower", 0, 1, 0);
    joint.parent_pose.position[2] = -0.5;
    CHECK_STATUS(pinion_builder_add_joint(b, &joint, NULL), PINION_OK);
    pinion_frame_def frame = pinion_frame_def_default();
    frame.name = "tool";
    frame.link = "lower";
    frame.pose.position[0] = 0.3;
    CHECK_STATUS(pinion_builder_add_frame(b, &frame, NULL), PINION_OK);
    pinion_model *m = pinion_builder_build(b, NULL, NULL);
    CHECK(m != NULL);
    pinion_builder_free(b);
    return m;
}

static const char everything[] =
    "\xef\xbb\xbf{\n"
    "  \"comment\": \"something of each\",\n"
    "  \"springs\": [\n"
    "    {\"name\": \"rope\", \"frame_a\": \"world\", \"point_a\": [0.5, 0, 1], \"frame_b\": \"tool\",\n"
    "     \"point_b\": [0, 0.1, 0], \"stiffness\": 40.5, \"damping\": 3, \"length\": 0.25},\n"
    "    {\"frame_a\": \"upper\", \"frame_b\": \"lower\", \"stiffness\": 7}\n"
    "  ],\n"
    "  \"wrenches\": [\n"
    "    {\"frame\": \"tool\", \"force\": [1, 2, 3]},\n"
    "    {\"frame\": \"lower\", \"reference\": \"local\", \"moment\": [0.5, 0, 0], \"signal\": \"sine\",\n"
    "     \"frequency\": 2, \"phase\": 0.25, \"start\": 0.5, \"end\": 3},\n"
    "    {\"frame\": \"upper\", \"moment\": [0, 0, 1], \"force\": [0, 1, 0], \"signal\": \"table\",\n"
    "     \"t\": [0, 1, 2.5], \"s\": [0, 1, -1]}\n"
    "  ],\n"
    "  \"drag\": [\n"
    "    {\"name\": \"water\", \"frame\": \"lower\", \"point\": [0.1, 0, 0.1], \"density\": 1000,\n"
    "     \"velocity\": [0.5, 0, 0], \"area\": [0.1, 0.2, 0.3], \"volume\": 0.001, \"added_mass\": 0.5},\n"
    "    {\"frame\": \"upper\", \"density\": 1.2, \"area\": 0.4}\n"
    "  ],\n"
    "  \"ground\": [\n"
    "    {\"name\": \"floor\", \"normal\": [0, 0.1, 1], \"height\": 0.5, \"stiffness\": 100, \"exponent\": "
    "1.5,\n"
    "     \"damping\": 0.2, \"friction\": 0.6, \"slip\": 0.01, \"frames\": [\"tool\", \"upper\"]}\n"
    "  ]\n"
    "}\n";

/* the same by calls */
static void add_everything(pinion_forces *f, const pinion_model *m)
{
    const int tool = pinion_model_find_frame(m, "tool"), upper = pinion_model_find_frame(m, "upper");
    const int lower = pinion_model_find_frame(m, "lower");
    pinion_spring_def spring = pinion_spring_def_default();
    spring.name = "rope";
    spring.frame_b = tool;
    spring.point_a[0] = 0.5, spring.point_a[2] = 1, spring.point_b[1] = 0.1;
    spring.stiffness = 40.5, spring.damping = 3, spring.length = 0.25;
    CHECK_STATUS(pinion_forces_add_spring(f, &spring, NULL), PINION_OK);
    spring = pinion_spring_def_default();
    spring.frame_a = upper, spring.frame_b = lower;
    spring.stiffness = 7;
    CHECK_STATUS(pinion_forces_add_spring(f, &spring, NULL), PINION_OK);

    pinion_wrench_def wrench = pinion_wrench_def_default();
    wrench.frame = tool;
    wrench.wrench[3] = 1, wrench.wrench[4] = 2, wrench.wrench[5] = 3;
    CHECK_STATUS(pinion_forces_add_wrench(f, &wrench, NULL), PINION_OK);
    wrench = pinion_wrench_def_default();
    wrench.frame = lower;
    wrench.reference = PINION_REFERENCE_LOCAL;
    wrench.wrench[0] = 0.5;
    wrench.signal = PINION_SIGNAL_SINE;
    wrench.frequency = 2, wrench.phase = 0.25, wrench.start = 0.5, wrench.end = 3;
    CHECK_STATUS(pinion_forces_add_wrench(f, &wrench, NULL), PINION_OK);
    const double t[3] = {0, 1, 2.5}, s[3] = {0, 1, -1};
    wrench = pinion_wrench_def_default();
    wrench.frame = upper;
    wrench.wrench[2] = 1, wrench.wrench[4] = 1;
    wrench.signal = PINION_SIGNAL_TABLE;
    wrench.count = 3, wrench.t = t, wrench.s = s;
    CHECK_STATUS(pinion_forces_add_wrench(f, &wrench, NULL), PINION_OK);

    pinion_drag_def drag = pinion_drag_def_default();
    drag.name = "water";
    drag.frame = lower;
    drag.point[0] = drag.point[2] = 0.1;
    drag.density = 1000, drag.velocity[0] = 0.5, drag.volume = 0.001, drag.added_mass = 0.5;
    drag.area[0] = 0.1, drag.area[1] = 0.2, drag.area[2] = 0.3;
    CHECK_STATUS(pinion_forces_add_drag(f, &drag, NULL), PINION_OK);
    drag = pinion_drag_def_default();
    drag.frame = upper;
    drag.density = 1.2;
    drag.area[0] = drag.area[1] = drag.area[2] = 0.4;
    CHECK_STATUS(pinion_forces_add_drag(f, &drag, NULL), PINION_OK);

    const int frame[2] = {tool, upper};
    pinion_ground_def ground = pinion_ground_def_default();
    ground.name = "floor";
    ground.normal[1] = 0.1;
    ground.height = 0.5, ground.stiffness = 100, ground.exponent = 1.5;
    ground.damping = 0.2, ground.friction = 0.6, ground.slip = 0.01;
    ground.count = 2, ground.frame = frame;
    CHECK_STATUS(pinion_forces_add_ground(f, &ground, NULL), PINION_OK);
}

TEST(meaning)
{
    pinion_model *m = arm();
    pinion_work *w = pinion_work_new(m);
    pinion_forces *f = pinion_forces_new(m), *g = pinion_forces_new(m);
    pinion_error err = {PINION_OK, 0, 0, ""};
    CHECK_STATUS(load(f, everything, &err), PINION_OK);
    add_everything(g, m);
    CHECK(pinion_forces_count(f) == pinion_forces_count(g));
    for (int i = 0; i < pinion_forces_count(g); i++)
        CHECK(!strcmp(pinion_forces_name(f, i), pinion_forces_name(g, i)));
    CHECK(pinion_model_mass(pinion_forces_model(f)) == pinion_model_mass(m) + 0.5);
    for (int k = 0; k < 20; k++) {
        double q[5], v[4] = {0.3, -1, 0.7, 0.2}, a[18] = {0}, b[18] = {0}, V[2], P[2];
        CHECK_STATUS(pinion_random(m, (uint64_t)k, q), PINION_OK);
        CHECK_STATUS(pinion_forces_apply(f, w, 0.2 * k, q, v, a, &V[0], &P[0]), PINION_OK);
        CHECK_STATUS(pinion_forces_apply(g, w, 0.2 * k, q, v, b, &V[1], &P[1]), PINION_OK);
        CHECK(!memcmp(a, b, sizeof a) && V[0] == V[1] && P[0] == P[1]);
        CHECK(V[0] != 0 && P[0] != 0);
    }

    /* a second file adds to the first; an empty one adds nothing */
    CHECK_STATUS(load(f, everything, &err), PINION_OK);
    CHECK(pinion_forces_count(f) == 2 * pinion_forces_count(g));
    CHECK_STATUS(load(f, "{}", NULL), PINION_OK);
    CHECK_STATUS(load(f, "{\"springs\": [], \"ground\": []}", NULL), PINION_OK);
    CHECK(pinion_forces_count(f) == 2 * pinion_forces_count(g));
    pinion_forces_free(f);
    pinion_forces_free(g);
    pinion_work_free(w);
    pinion_model_free(m);
}

TEST(all_or_nothing)
{
    /* the last element is wrong: the added mass of an earlier one is gone as well, that of one before is kept
     */
    pinion_model *m = arm();
    pinion_forces *f = pinion_forces_new(m);
    pinion_error err;
    const char *bad =
        "{\"drag\": [{\"frame\": \"lower\", \"added_mass\": 2}, {\"frame\": \"tool\", \"added_mass\": 1},\n"
        "{\"frame\": \"lower\", \"volume\": -1}]}";
    CHECK_STATUS(load(f, bad, &err), PINION_ERR_PARSE);
    CHECK(pinion_forces_count(f) == 0 && pinion_forces_model(f) == m);
    CHECK_STATUS(load(f, "{\"drag\": [{\"frame\": \"lower\", \"added_mass\": 0.25}]}", &err), PINION_OK);
    CHECK_STATUS(load(f, bad, &err), PINION_ERR_PARSE);
    CHECK(pinion_forces_count(f) == 1);
    CHECK(pinion_model_mass(pinion_forces_model(f)) == pinion_model_mass(m) + 0.25);
    pinion_forces_free(f);
    pinion_model_free(m);
}

/* the file is refused at this line, with this in the message, and the list is as it was */
static void refuse(pinion_forces *f, int line, const char *part, const char *text)
{
    pinion_error err = {PINION_OK, 0, 0, ""};
    const int before = pinion_forces_count(f);
    CHECK_STATUS(load(f, text, &err), PINION_ERR_PARSE);
    CHECK(err.status == PINION_ERR_PARSE);
    CHECK_HAS(err.message, part);
    CHECK_HAS(err.message, strrchr(path, '/'));
    if (err.line != line) CHECK_FAIL("line %d, expected %d: %s", err.line, line, err.message);
    CHECK(pinion_forces_count(f) == before);
    CHECK_STATUS(pinion_forces_load(f, path, NULL), PINION_ERR_PARSE);
}

TEST(malformed)
{
    pinion_model *m = arm();
    pinion_forces *f = pinion_forces_new(m);
    static const struct {
        int line;
        const char *part, *text;
    } files[] = {
        {1, "not valid JSON", "{\"springs\": ["},
        {1, "found an array, expected", "[]"},
        {2, "spring", "{\n\"spring\": []}"},
        {1, "springs: found an object", "{\"springs\": {}}"},
        {2, "springs[0]: found a number", "{\"springs\": [\n3]}"},
        {2, "frame_b", "{\"springs\": [\n{\"frame_a\": \"tool\"}]}"},
        {3, "springs[0].frame_b: the model has no link or frame \"hand\"",
         "{\"springs\": [\n{\"frame_a\": \"tool\",\n\"frame_b\": \"hand\"}]}"},
        {1, "frame_a: found a number", "{\"springs\": [{\"frame_a\": 3, \"frame_b\": \"world\"}]}"},
        {3, "springs[0].stiffness: is negative",
         "{\"springs\": [{\"frame_a\": \"tool\", \"frame_b\": \"world\",\n\n\"stiffness\": -1}]}"},
        {1, "stiffness: found a string",
         "{\"springs\": [{\"frame_a\": \"tool\", \"frame_b\": \"world\", \"stiffness\": \"1\"}]}"},
        {2, "point_a: has 2 elements",
         "{\"springs\": [{\"frame_a\": \"tool\", \"frame_b\": \"world\",\n\"point_a\": [1, 2]}]}"},
        {2, "stifness", "{\"springs\": [{\"frame_a\": \"tool\", \"frame_b\": \"world\",\n\"stifness\": 1}]}"},
        {2, "name: found a number",
         "{\"springs\": [{\"frame_a\": \"tool\", \"frame_b\": \"world\",\n\"name\": 1}]}"},
        {1, "frame: is the world", "{\"wrenches\": [{\"frame\": \"world\", \"force\": [1, 2, 3]}]}"},
        {2, "neither", "{\"wrenches\": [\n{\"frame\": \"tool\"}]}"},
        {2, "force: has 1 element", "{\"wrenches\": [{\"frame\": \"tool\",\n\"force\": [1]}]}"},
        {1, "reference: is \"world\"",
         "{\"wrenches\": [{\"frame\": \"tool\", \"force\": [1, 2, 3], \"reference\": \"world\"}]}"},
        {1, "signal: is \"step\"",
         "{\"wrenches\": [{\"frame\": \"tool\", \"force\": [1, 2, 3], \"signal\": \"step\"}]}"},
        {2, "frequency: belongs to the signal \"sine\"",
         "{\"wrenches\": [{\"frame\": \"tool\", \"force\": [1, 2, 3],\n\"frequency\": 1}]}"},
        {1, "\"frequency\" is missing",
         "{\"wrenches\": [{\"frame\": \"tool\", \"force\": [1, 2, 3], \"signal\": \"sine\"}]}"},
        {1, "\"t\" is missing",
         "{\"wrenches\": [{\"frame\": \"tool\", \"force\": [1, 2, 3], \"signal\": \"table\"}]}"},
        {2, "t: has no elements",
         "{\"wrenches\": [{\"frame\": \"tool\", \"force\": [1, 2, 3], \"signal\": \"table\",\n\"t\": [], "
         "\"s\": []}]}"},
        {1, "\"t\" has 2 numbers and \"s\" has 1",
         "{\"wrenches\": [{\"frame\": \"tool\", \"force\": [1, 2, 3], \"signal\": \"table\", \"t\": [0, 1],"
         " \"s\": [1]}]}"},
        {2, "s[1]: found null",
         "{\"wrenches\": [{\"frame\": \"tool\", \"force\": [1, 2, 3], \"signal\": \"table\", \"t\": [0, 1],"
         " \"s\": [1,\nnull]}]}"},
        {1, "t[1] is not after t[0]",
         "{\"wrenches\": [{\"frame\": \"tool\", \"force\": [1, 2, 3], \"signal\": \"table\", \"t\": [1, 1],"
         " \"s\": [1, 2]}]}"},
        {1, "end is before start",
         "{\"wrenches\": [{\"frame\": \"tool\", \"force\": [1, 2, 3], \"start\": 2, \"end\": 1}]}"},
        {2, "\"frame\" is missing", "{\"drag\": [\n{\"density\": 1}]}"},
        {2, "area: found a string", "{\"drag\": [{\"frame\": \"tool\",\n\"area\": \"1\"}]}"},
        {2, "area: has 2 elements", "{\"drag\": [{\"frame\": \"tool\",\n\"area\": [1, 2]}]}"},
        {3, "area[1]: is negative", "{\"drag\": [{\"frame\": \"tool\",\n\"area\": [1,\n-2, 3]}]}"},
        {2, "added_mass: is negative", "{\"drag\": [{\"frame\": \"tool\",\n\"added_mass\": -2}]}"},
        {2, "drag \"fog\": added_mass is too large",
         "{\"drag\": [\n{\"name\": \"fog\", \"frame\": \"tool\", \"added_mass\": 1e300, \"point\": [1e200, "
         "0, 0]}]}"},
        {2, "\"stiffness\" is missing", "{\"ground\": [\n{\"frames\": [\"tool\"]}]}"},
        {2, "\"frames\" is missing", "{\"ground\": [\n{\"stiffness\": 1}]}"},
        {1, "frames: is empty", "{\"ground\": [{\"stiffness\": 1, \"frames\": []}]}"},
        {2, "frames[1]: the model has no",
         "{\"ground\": [{\"stiffness\": 1, \"frames\": [\"tool\",\n\"foot\"]}]}"},
        {1, "frames[0]: is the world", "{\"ground\": [{\"stiffness\": 1, \"frames\": [\"world\"]}]}"},
        {2, "ground \"floor\": normal is zero",
         "{\"ground\": [\n{\"name\": \"floor\", \"stiffness\": 1, \"frames\": [\"tool\"], \"normal\": [0, 0, "
         "0]}]}"},
        {1, "exponent is below 1",
         "{\"ground\": [{\"stiffness\": 1, \"frames\": [\"tool\"], \"exponent\": 0.5}]}"},
        {1, "slip is not above 0", "{\"ground\": [{\"stiffness\": 1, \"frames\": [\"tool\"], \"slip\": 0}]}"},
        {2, "friction: is negative",
         "{\"ground\": [{\"stiffness\": 1, \"frames\": [\"tool\"],\n\"friction\": -1}]}"},
    };
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        refuse(f, files[i].line, files[i].part, files[i].text);

    /* no file, a directory, a zero byte */
    pinion_error err;
    CHECK_STATUS(pinion_forces_load(f, "/nonexistent/forces.json", &err), PINION_ERR_FILE);
    CHECK_STATUS(pinion_forces_load(f, "/", &err), PINION_ERR_FILE);
    CHECK_STATUS(pinion_forces_load(f, "", &err), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_forces_load(NULL, path, &err), PINION_ERR_ARGUMENT);
    FILE *file = fopen(path, "wb");
    fwrite("{\n\0}", 1, 4, file);
    fclose(file);
    CHECK_STATUS(pinion_forces_load(f, path, &err), PINION_ERR_PARSE);
    CHECK_HAS(err.message, "zero byte");
    CHECK(err.line == 2);
    pinion_forces_free(f);
    pinion_model_free(m);
}

TEST(locale)
{
    if (!comma_locale()) SKIP("there is no locale with a decimal comma");
    pinion_model *m = arm();
    pinion_forces *f = pinion_forces_new(m);
    CHECK_STATUS(load(f, everything, NULL), PINION_OK);
    CHECK(pinion_model_mass(pinion_forces_model(f)) == pinion_model_mass(m) + 0.5);
    setlocale(LC_ALL, "C");
    pinion_forces_free(f);
    pinion_model_free(m);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    const char *place = getenv("TMPDIR");
    snprintf(path, sizeof path, "%.400s/pinion-forces-XXXXXX", place ? place : "/tmp");
    const int file = mkstemp(path);
    if (file < 0) return 1;
    close(file);
    RUN(meaning);
    RUN(all_or_nothing);
    RUN(malformed);
    RUN(locale);
    unlink(path);
    return CHECK_END();
}
