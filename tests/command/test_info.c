/* What `pinion info` prints, for people and as JSON. */
#define _DEFAULT_SOURCE
#include "command.h"
#include "fixtures.h"

static const char *const files[] = {"pendulum.urdf", "sliders.json", "loop.json",        "hostile.json",
                                    "joints.json",   "deep.json",    "bad\033[31m.urdf", "world.mjcf",
                                    "world.sdf",     "world.json",   NULL};

static json_t *info_json(const char *model, const char *option, const char *value)
{
    answer a = run(NULL, "info", model, "--json", option, value, (const char *)NULL);
    return parse_answer(&a, 0);
}

/* The text, which must hold no escape sequence, since it does not go to a terminal. */
static char *info_text(const char *model)
{
    answer a = run(NULL, "info", model, (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK(a.err && !*a.err);
    CHECK(a.out && !strchr(a.out, '\033'));
    free(a.err);
    return a.out;
}

TEST(json_of_a_pendulum)
{
    json_t *r = info_json(write_file("pendulum.urdf", PENDULUM), NULL, NULL);
    CHECK_KEYS(r, "name nq nv mass fixed_mass gravity joints fixed mimic links frames "
                  "collisions no_collisions actuators tendons elastic_joints states groups loops warnings");
    CHECK_TEXT(DIG(r, "name"), "pendulum");
    CHECK(json_integer_value(DIG(r, "nq")) == 1 && json_integer_value(DIG(r, "nv")) == 1);
    CHECK_NEAR(json_number_value(DIG(r, "mass")), 2, 0);
    CHECK_NEAR(json_number_value(DIG(r, "fixed_mass")), 3, 0);
    CHECK_NUMBERS(DIG(r, "gravity"), 0, 0, 0, -9.81);

    /* only joints with coordinates of their own; the others apart */
    CHECK(json_array_size(DIG(r, "joints")) == 1);
    json_t *hinge = DIG(r, "joints", "0");
    CHECK_KEYS(hinge, "name type parent child q_index nq v_index nv axis limits damping friction_positive "
                      "friction_negative rotor_inertia gear_ratio stiffness rest");
    CHECK_TEXT(DIG(hinge, "name"), "hinge");
    CHECK_TEXT(DIG(hinge, "type"), "revolute");
    CHECK_TEXT(DIG(hinge, "parent"), "base");
    CHECK_TEXT(DIG(hinge, "child"), "arm");
    CHECK(json_integer_value(DIG(hinge, "q_index")) == 0 && json_integer_value(DIG(hinge, "nq")) == 1);
    CHECK(json_integer_value(DIG(hinge, "v_index")) == 0 && json_integer_value(DIG(hinge, "nv")) == 1);
    CHECK_NUMBERS(DIG(hinge, "axis"), 0, 0, 1, 0);
    CHECK_NUMBERS(DIG(hinge, "limits", "lower"), 0, -1);
    CHECK_NUMBERS(DIG(hinge, "limits", "upper"), 0, 2);
    CHECK_NUMBERS(DIG(hinge, "limits", "velocity"), 0, 3);
    CHECK_NUMBERS(DIG(hinge, "limits", "effort"), 0, 10);
    CHECK_NUMBERS(DIG(hinge, "damping"), 0, 0.3);
    CHECK_NUMBERS(DIG(hinge, "friction_negative"), 0, 0.4);
    CHECK(json_array_size(DIG(r, "fixed")) == 1);
    CHECK_TEXT(DIG(r, "fixed", "0", "name"), "mount");
    CHECK_TEXT(DIG(r, "fixed", "0", "child"), "tool");

    /* a frame's body is named by the link that moves */
    CHECK(json_array_size(DIG(r, "frames")) == 3);
    CHECK_TEXT(DIG(r, "frames", "0", "name"), "base");
    CHECK_TEXT(DIG(r, "frames", "0", "body"), "world");
    CHECK_TEXT(DIG(r, "frames", "2", "name"), "tool");
    CHECK_TEXT(DIG(r, "frames", "2", "body"), "arm");
    CHECK(json_array_size(DIG(r, "loops")) == 0);
    json_decref(r);
}

TEST(json_of_a_free_root)
{
    json_t *r = info_json(write_file("pendulum.urdf", PENDULUM), "--root", "free");
    CHECK(json_integer_value(DIG(r, "nq")) == 8 && json_integer_value(DIG(r, "nv")) == 7);
    CHECK_NEAR(json_number_value(DIG(r, "mass")), 5, 0);
    CHECK_NEAR(json_number_value(DIG(r, "fixed_mass")), 0, 0);
    json_t *root = DIG(r, "joints", "0");
    CHECK_TEXT(DIG(root, "name"), "root");
    CHECK_TEXT(DIG(root, "parent"), "world");
    CHECK(json_integer_value(DIG(root, "nq")) == 7 && json_integer_value(DIG(root, "nv")) == 6);
    CHECK(json_array_size(DIG(root, "limits", "lower")) == 6 &&
          json_is_null(DIG(root, "limits", "lower", "3")));
    CHECK(json_integer_value(DIG(r, "joints", "1", "q_index")) == 7);
    CHECK(json_integer_value(DIG(r, "joints", "1", "v_index")) == 6);
    json_decref(r);
}

TEST(json_of_followers_and_loops)
{
    const char *sliders = write_file("sliders.json", SLIDERS);
    json_t *r = info_json(sliders, NULL, NULL);
    CHECK(json_array_size(DIG(r, "joints")) == 1 && json_array_size(DIG(r, "mimic")) == 1);
    CHECK_TEXT(DIG(r, "mimic", "0", "name"), "follow");
    CHECK_TEXT(DIG(r, "mimic", "0", "leader"), "lead");
    CHECK_NEAR(json_number_value(DIG(r, "mimic", "0", "multiplier")), 0.5, 0);
    CHECK_NEAR(json_number_value(DIG(r, "mimic", "0", "offset")), 0.25, 0);
    CHECK_NUMBERS(DIG(r, "joints", "0", "stiffness"), 0, 100);
    CHECK_NUMBERS(DIG(r, "joints", "0", "rest"), 0, 0.1);
    json_decref(r);
    r = info_json(sliders, "--mimic", "independent");
    CHECK(json_array_size(DIG(r, "joints")) == 2 && json_array_size(DIG(r, "mimic")) == 0);
    json_decref(r);

    r = info_json(write_file("loop.json", LOOP), NULL, NULL);
    CHECK(json_array_size(DIG(r, "loops")) == 1);
    CHECK_TEXT(DIG(r, "loops", "0", "type"), "revolute");
    CHECK_TEXT(DIG(r, "loops", "0", "parent"), "left");
    CHECK_TEXT(DIG(r, "loops", "0", "child"), "right");
    json_decref(r);
}

/* MJCF and SDF have a link `world`, which is the world: the tree has it once, with what is welded to it. */
TEST(one_world)
{
    char *text = info_text(write_file(
        "world.mjcf", "<mujoco><worldbody><body name='arm'><joint name='j'/>"
                      "<inertial pos='0 0 0' mass='2' diaginertia='1 1 1'/></body></worldbody></mujoco>"));
    CHECK_HAS(text, "\n  world\n"
                    "  └─ arm  j                      continuous  q[0]  v[0]  2 kg\n\n");
    free(text);
    text = info_text(write_file(
        "world.json", "{\"pinion\": 1, \"links\": [{\"name\": \"world\", \"mass\": 3}, {\"name\": "
                      "\"arm\", \"mass\": 2}], \"joints\": [{\"name\": \"j\", \"type\": \"continuous\", \"parent\": "
                      "\"world\", \"child\": \"arm\"}]}"));
    CHECK_HAS(text, "\n  world                                                  3 kg\n"
                    "  └─ arm  j                      continuous  q[0]  v[0]  2 kg\n\n");
    free(text);
    text = info_text(write_file(
        "world.sdf", "<sdf version='1.9'><model name='m'><link name='a'/><joint name='f' type='fixed'><parent>world"
                     "</parent><child>a</child></joint><link name='b'><inertial><mass>2</mass></inertial></link>"
                     "<joint name='k' type='revolute'><parent>a</parent><child>b</child><axis><xyz>0 0 1</xyz></axis>"
                     "</joint></model></sdf>"));
    const char *first = text ? strstr(text, "\n  world") : NULL;
    CHECK(first && !strstr(first + 1, "─ world"));
    CHECK_HAS(text, "\n  world\n  └─ m::a     m::f ");
    CHECK_HAS(text, "\n     └─ m::b  m::k ");
    free(text);
}

TEST(text_at_a_glance)
{
    char *text = info_text(write_file("pendulum.urdf", PENDULUM));
    CHECK(text && strncmp(text, "pendulum\n", 9) == 0);
    CHECK_HAS(text, "3 links and 1 moving joint, 1 fixed\n");
    CHECK_HAS(text, "a position q has 1 number, a velocity v has 1 number\n");
    CHECK_HAS(text, "2 kg that can move, 3 kg welded to the world\n");
    CHECK_HAS(text, "0, 0, -9.81 m/s^2");
    CHECK_HAS(text, "  world\n  └─ base                                                     3 kg\n"
                    "     └─ arm      hinge                  revolute  q[0]  v[0]  2 kg\n"
                    "        └─ tool  mount                  fixed\n");
    CHECK_HAS(text, "base → arm");
    CHECK_HAS(text, "-1 rad    2 rad  3 rad/s  10 N m\n");
    CHECK_HAS(text, "0.3 N m s/rad  0.4 N m\n");
    free(text);

    text = info_text(write_file("sliders.json", SLIDERS));
    CHECK_HAS(text, "1 following another one");
    CHECK_HAS(text, "prismatic, mimic");
    CHECK_HAS(text, "0.5 * lead + 0.25");
    CHECK_HAS(text, "100 N/m, relaxed at 0.1 m");
    free(text);

    text = info_text(write_file("loop.json", LOOP));
    CHECK_HAS(text, "├─ left");
    CHECK_HAS(text, "1 closing a loop");
    CHECK_HAS(text, "left and right");
    free(text);

    text = info_text(bundled("puma560-corke.json"));
    CHECK_HAS(text, "Warnings");
    CHECK_HAS(text, "link3");
    CHECK_HAS(text, "gear 107.8");
    free(text);
    text = info_text(bundled("planar-3r.json"));
    CHECK_HAS(text, "tip    link3    1, 0, 0 m\n");
    free(text);
}

/* Every type of joint, with its part of q and v. */
TEST(every_type_of_joint)
{
    static const char *const type[] = {"revolute",  "continuous", "prismatic", "helical", "cylindrical",
                                       "universal", "planar",     "spherical", "free"};
    static const int nq[] = {1, 1, 1, 1, 2, 2, 3, 4, 7}, nv[] = {1, 1, 1, 1, 2, 2, 3, 3, 6};
    char text[6000] = "{\"pinion\": 1, \"links\": [{\"name\": \"l0\"}", part[300];
    for (int i = 0; i < 9; i++) {
        snprintf(part, sizeof part,
                 ", {\"name\": \"l%d\", \"mass\": 1, \"inertia\": {\"xx\": 1, \"yy\": 1, \"zz\": 1}}", i + 1);
        strcat(text, part);
    }
    strcat(text, "], \"joints\": [");
    for (int i = 0; i < 9; i++) {
        snprintf(part, sizeof part,
                 "%s{\"name\": \"j%d\", \"type\": \"%s\", \"parent\": \"l%d\", \"child\": \"l%d\"%s}",
                 i ? ", " : "", i, type[i], i, i + 1, i == 3 ? ", \"pitch\": 0.01" : "");
        strcat(text, part);
    }
    strcat(text, "]}");

    const char *joints = write_file("joints.json", text);
    json_t *r = info_json(joints, NULL, NULL);
    int q = 0, v = 0;
    for (int i = 0; i < 9; i++) {
        json_t *joint = json_array_get(DIG(r, "joints"), (size_t)i);
        CHECK_TEXT(DIG(joint, "type"), type[i]);
        CHECK(json_integer_value(DIG(joint, "q_index")) == q &&
              json_integer_value(DIG(joint, "nq")) == nq[i]);
        CHECK(json_integer_value(DIG(joint, "v_index")) == v &&
              json_integer_value(DIG(joint, "nv")) == nv[i]);
        CHECK((DIG(joint, "axis") != NULL) == (i < 5 || i == 6));
        q += nq[i];
        v += nv[i];
    }
    CHECK(json_integer_value(DIG(r, "nq")) == q && json_integer_value(DIG(r, "nv")) == v);
    CHECK_NEAR(json_number_value(DIG(r, "joints", "3", "pitch")), 0.01, 0);
    json_decref(r);

    char *shown = info_text(joints);
    CHECK_HAS(shown, "helical, 0.01 m/rad");
    CHECK_HAS(shown, "q[15..21]  v[14..19]");
    free(shown);
}

/* Names are data: nothing in them reaches the terminal as a command, and JSON holds them unchanged. */
TEST(hostile_names)
{
    const char *hostile = write_file("hostile.json", HOSTILE);
    char *text = info_text(hostile);
    CHECK(text && strncmp(text, "<b>\"& %s %n\\u{202e}\n", 20) == 0);
    CHECK_HAS(text, "\u00fc\u4e2d\\u{200b}");
    CHECK_HAS(text, "--root=free");
    CHECK(text && !strstr(text, "\u202e") && !strstr(text, "\u200b"));
    free(text);
    json_t *r = info_json(hostile, NULL, NULL);
    CHECK_TEXT(DIG(r, "name"), "<b>\"& %s %n\u202e");
    CHECK_TEXT(DIG(r, "joints", "1", "name"), "$(reboot)");
    CHECK_TEXT(DIG(r, "joints", "0", "child"), "c:d:\"e\\f");
    CHECK_TEXT(DIG(r, "frames", "2", "name"), "\u00fc\u4e2d\u200b");
    json_decref(r);

    /* file names too */
    const char *bad = write_file("bad\033[31m.urdf", "<robot name=\"\a\"");
    answer a = run(NULL, "info", bad, (const char *)NULL);
    CHECK_STATUS(a.status, 1);
    CHECK_HAS(a.err, "[31m.urdf");
    CHECK(a.err && !strchr(a.err, '\033') && lines_of(a.err) == 1);
    forget(&a);
}

/* Plain ASCII where the locale is not UTF-8. */
TEST(ascii_locale)
{
    setenv("LC_ALL", "C", 1);
    char *text = info_text(write_file("pendulum.urdf", PENDULUM));
    CHECK_HAS(text, "  `- base");
    CHECK_HAS(text, "base -> arm");
    for (const char *c = text; c && *c; c++)
        if ((unsigned char)*c >= 0x80) {
            CHECK_FAIL("a character beyond ASCII: %.20s", c);
            break;
        }
    free(text);
    unsetenv("LC_ALL");
}

/* A chain as deep as files may make it is drawn in bounded width, without recursion. */
TEST(deep_tree)
{
    enum { LINKS = 5000 };
    size_t size = LINKS * 200;
    char *text = (char *)malloc(size);
    if (!text) SKIP("no memory");
    size_t used = (size_t)snprintf(text, size, "{\"pinion\": 1, \"links\": [{\"name\": \"l0\"}");
    for (int i = 1; i < LINKS; i++)
        used += (size_t)snprintf(text + used, size - used, ", {\"name\": \"l%d\"}", i);
    used += (size_t)snprintf(text + used, size - used, "], \"joints\": [");
    for (int i = 1; i < LINKS; i++)
        used += (size_t)snprintf(
            text + used, size - used,
            "%s{\"name\": \"j%d\", \"type\": \"fixed\", \"parent\": \"l%d\", \"child\": \"l%d\"}",
            i > 1 ? ", " : "", i, i - 1, i);
    snprintf(text + used, size - used, "]}");
    char *shown = info_text(write_file("deep.json", text));
    CHECK_HAS(shown, "(5000 deep) l4999");
    CHECK(shown && strlen(shown) < 2000000);
    free(shown);
    free(text);
}

int main(int argc, char **argv)
{
    COMMAND_BEGIN(argc, argv);
    RUN(json_of_a_pendulum);
    RUN(json_of_a_free_root);
    RUN(json_of_followers_and_loops);
    RUN(one_world);
    RUN(text_at_a_glance);
    RUN(every_type_of_joint);
    RUN(hostile_names);
    RUN(ascii_locale);
    RUN(deep_tree);
    return command_end(files);
}
