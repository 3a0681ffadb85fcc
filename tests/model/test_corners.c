/* What models are seldom asked for: mistakes of files that name what is not there or cannot be, edits that do not fit,
 * parts that cannot be put together, layouts that others do not have. */
#include "model/build/describe.h"
#include "pinion/pinion.h"
#include "support/check.h"

#ifdef PINION_IO
#define FILE_NAME "corners.json"
#include "io/json_text.h"

/* a file that does not load, and what is said of it */
static void refused(const char *text, const char *why)
{
    pinion_error err;
    pinion_model *m = load(text, &err);
    CHECK(m == NULL);
    CHECK_HAS(err.message, why);
    pinion_model_free(m);
}

#define UNIT "\"mass\": 1, \"inertia\": {\"xx\": 1, \"yy\": 1, \"zz\": 1}"
#define START "{\"pinion\": 1, \"links\": [{\"name\": \"a\"}, {\"name\": \"b\", " UNIT "}, {\"name\": \"c\", " UNIT "}]"
#define JOINT(name, type, parent, child) \
    "{\"name\": \"" name "\", \"type\": \"" type "\", \"parent\": \"" parent "\", \"child\": \"" child "\"}"
#define TREE START ", \"joints\": [" JOINT("j", "continuous", "a", "b") ", " JOINT("k", "continuous", "b", "c") "]"
/* a joint that closes a loop, and one that is met from its child */
#define RING START ", \"joints\": [" JOINT("j", "continuous", "a", "b") ", " JOINT("k", "continuous", "b", "c") \
                   ", " JOINT("l", "continuous", "a", "c") "]"
#define TURNED(type) START ", \"root\": \"a\", \"joints\": [" JOINT("j", type, "b", "a") ", " \
                     JOINT("k", "continuous", "b", "c") "]"
#define SHAPE(more) "{\"pinion\": 1, \"links\": [{\"name\": \"a\", \"collisions\": [{\"shape\": \"sphere\", " \
                    "\"radius\": 1, \"name\": \"s\"}]}]" more "}"

#define BALL_OF(name, group) "{\"pinion\": 1, \"links\": [{\"name\": \"" name "\", \"collisions\": [" \
                             "{\"shape\": \"sphere\", \"radius\": 1, \"group\": " group "}]}]}"

/* a beam with two modes on a joint, and another joint behind it */
#define TREE_OF(second)                                                                                             \
    "{\"pinion\": 1, \"links\": [{\"name\": \"a\"}, {\"name\": \"b\", " UNIT ", \"elastic\": {\"beam\": "             \
    "{\"length\": 1, \"mass_per_length\": 0.5, \"EI\": 200, \"modes\": [1, 1]}}}, {\"name\": \"c\", " UNIT "}], "    \
    "\"joints\": [{\"name\": \"j\", \"type\": \"continuous\", \"parent\": \"a\", \"child\": \"b\", "                \
    "\"axis\": [0, 1, 0]}, " second "]}"

TEST(names_of_other_things)
{
    refused(RING ", \"actuators\": [{\"name\": \"m\", \"joint\": \"l\"}]}",
            "actuator 'm': joint 'l' closes a loop and has no coordinate of its own; expected a joint of the tree");
    refused(RING ", \"states\": {\"home\": {\"q\": {\"l\": 1}}}}", "closes a loop and has no coordinate of its own");
    refused(RING ", \"tendons\": [{\"name\": \"t\", \"joints\": [\"l\"], \"stiffness\": 1}]}",
            "closes a loop and has no coordinate of its own");
    refused(TURNED("spherical") ", \"actuators\": [{\"name\": \"m\", \"joint\": \"j\", \"part\": 1}]}",
            "is spherical and points towards the root, so that its axes are not those described");
    refused(TURNED("universal") ", \"states\": {\"home\": {\"q\": {\"j\": [1, 2]}}}}",
            "points towards the root, so that its coordinates are not those described");
    refused(SHAPE(", \"collision_pairs\": [{\"first\": \"s\", \"second\": \"s\"}]"),
            "a pair names the collision 's' twice; expected two collisions");
    refused(TREE ", \"loops\": [{\"name\": \"l\", \"type\": \"spherical\", \"parent\": \"a\", \"child\": \"c\","
                 " \"spring\": [{\"stiffness\": 1}, {\"stiffness\": 1}, {\"stiffness\": 1}]}]}",
            "a spring on a spherical or free joint that closes a loop; expected stiffness 0");
}

/* parts that cannot be put together, and what is asked of nothing */
TEST(parts)
{
    pinion_error err = {PINION_OK, 0, 0, ""};
    pinion_model *m = must_load(TREE ", \"frames\": [{\"name\": \"tip\", \"link\": \"c\"}]}");
    const double q[2] = {0.1, 0.2}, bad[2] = {NAN, 0};
    const int first = 0, none = 9;
    CHECK(pinion_model_reduce(NULL, 1, &first, q, &err) == NULL);
    CHECK_HAS(err.message, "no model, no joints or no configuration to lock them at");
    CHECK(pinion_model_reduce(m, 1, &none, q, &err) == NULL);
    CHECK_HAS(err.message, "a joint to lock is not there");
    CHECK(pinion_model_reduce(m, 1, &first, bad, &err) == NULL);
    CHECK(err.message[0] != '\0');
    CHECK(pinion_model_attach(m, 99, m, "x/", NULL, &err) == NULL);
    CHECK_HAS(err.message, "the frame to attach to is not there");
    CHECK(pinion_model_attach(m, 0, NULL, "x/", NULL, &err) == NULL);
    CHECK_HAS(err.message, "no model, or no part to attach to it");
    CHECK_STATUS(pinion_builder_add_model(NULL, m, NULL, &err), PINION_ERR_ARGUMENT);
    CHECK_HAS(err.message, "no builder, or no model to add to it");

    /* the root that an option made is not the model's to lock */
    pinion_load_options options = pinion_load_options_default();
    options.root = PINION_ROOT_FREE;
    const char *text = TREE "}";
    pinion_model *floats = pinion_load_string(text, strlen(text), PINION_FORMAT_JSON, FILE_NAME, &options, &err);
    double there[9];
    CHECK(floats && pinion_neutral(floats, there) == PINION_OK);
    CHECK(pinion_model_reduce(floats, 1, &first, there, &err) == NULL);
    CHECK_HAS(err.message, "the free root cannot be locked; expected a model that is loaded without");
    pinion_model_free(floats);

    /* groups of a part come behind those of the model, as far as numbers go */
    pinion_model *one = must_load(BALL_OF("p", "7")),
                 *two = must_load(BALL_OF("r", "2147483647"));
    CHECK(pinion_model_attach(one, 0, two, NULL, NULL, &err) == NULL);
    CHECK_HAS(err.message, "the collisions have groups of too large numbers");
    pinion_model *both = pinion_model_attach(two, 0, m, NULL, NULL, &err);
    pinion_collision_info shape;
    CHECK(both && pinion_model_collision(both, 0, &shape) == PINION_OK && shape.group == 2147483647);
    pinion_model_free(both);
    pinion_model_free(one);
    pinion_model_free(two);
    pinion_model_free(m);
}

/* An edit of numbers that do not fit leaves the model as it was. */
TEST(edits_that_do_not_fit)
{
    pinion_model *m = must_load(TREE ", \"frames\": [{\"name\": \"tip\", \"link\": \"c\"}]}");
    pinion_work *w = pinion_work_new(m);
    const double far[3] = {1e308, 1e308, 1e308}, q[2] = {0.3, 0.4};
    double tau[2], again[2];
    CHECK_STATUS(pinion_inverse_dynamics(m, w, q, NULL, NULL, NULL, tau), PINION_OK);

    pinion_joint_info joint;
    CHECK_STATUS(pinion_model_joint(m, 0, &joint), PINION_OK);
    pinion_dof dof = joint.dof[0];
    dof.rotor_inertia = 1e300;
    dof.gear_ratio = 1e10;
    CHECK_STATUS(pinion_model_set_dof(m, 0, 0, &dof), PINION_ERR_ARGUMENT);
    pinion_pose pose = pinion_pose_identity();
    memcpy(pose.position, far, sizeof far);
    const pinion_status moved = pinion_model_set_frame(m, pinion_model_link_count(m), &pose);
    pinion_frame_info frame;
    CHECK_STATUS(pinion_model_frame(m, pinion_model_link_count(m), &frame), PINION_OK);
    CHECK(moved == PINION_OK || frame.pose.position[0] == 0);
    CHECK_STATUS(pinion_inverse_dynamics(m, w, q, NULL, NULL, NULL, again), PINION_OK);
    CHECK(memcmp(tau, again, sizeof tau) == 0);
    pinion_work_free(w);
    pinion_model_free(m);
}

/* What overflows where it is used, and not where it is given, is refused and leaves the model as it was. */
TEST(edits_that_overflow)
{
    pinion_model *m = must_load(
        "{\"pinion\": 1, \"links\": [{\"name\": \"a\"}, {\"name\": \"b\", " UNIT "}, {\"name\": \"c\"}], \"joints\": ["
        "{\"name\": \"j\", \"type\": \"continuous\", \"parent\": \"a\", \"child\": \"b\", \"origin\": {\"rpy\": "
        "[0.6, 0.6, 0.6]}}, {\"name\": \"f\", \"type\": \"fixed\", \"parent\": \"b\", \"child\": \"c\", \"origin\": "
        "{\"rpy\": [0.6, 0.6, 0.6]}}], \"frames\": [{\"name\": \"tip\", \"link\": \"c\"}]}");
    pinion_work *w = pinion_work_new(m);
    const double far[3] = {1.7e308, 1.7e308, 1.7e308}, q = 0.3;
    double before[3], after[3], tau, again;
    pinion_model_gravity(m, before);
    CHECK_STATUS(pinion_inverse_dynamics(m, w, &q, NULL, NULL, NULL, &tau), PINION_OK);
    CHECK_STATUS(pinion_model_set_gravity(m, far), PINION_ERR_ARGUMENT);
    pinion_model_gravity(m, after);
    CHECK(memcmp(before, after, sizeof before) == 0);
    CHECK_STATUS(pinion_inverse_dynamics(m, w, &q, NULL, NULL, NULL, &again), PINION_OK);
    CHECK(again == tau);
    pinion_pose pose = pinion_pose_identity();
    pinion_frame_info frame;
    memcpy(pose.position, far, sizeof far);
    CHECK_STATUS(pinion_model_set_frame(m, pinion_model_find_frame(m, "tip"), &pose), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_model_frame(m, pinion_model_find_frame(m, "tip"), &frame), PINION_OK);
    CHECK(frame.pose.position[0] == 0);
    pinion_work_free(w);
    pinion_model_free(m);
}

/* An elastic link behind joints that follow: M is G' M0 G with the M0 of joints of their own, where dq = G dq'. */
TEST(followers_beside_modes)
{
    static const char text[] = TREE_OF("{\"name\": \"k\", \"type\": \"continuous\", \"parent\": \"b\", "
                                       "\"child\": \"c\", \"axis\": [0, 1, 0], "
                                       "\"mimic\": {\"joint\": \"j\", \"multiplier\": -2}}");
    pinion_error err = {PINION_OK, 0, 0, ""};
    pinion_load_options o = pinion_load_options_default();
    pinion_model *m = must_load(text);
    o.mimic = PINION_MIMIC_INDEPENDENT;
    pinion_model *own = pinion_load_string(text, strlen(text), PINION_FORMAT_JSON, FILE_NAME, &o, &err);
    CHECK(m && own && pinion_model_nv(m) == 3 && pinion_model_nv(own) == 4);
    if (!m || !own) return;
    pinion_work *w = pinion_work_new(m), *v = pinion_work_new(own);
    const double q[3] = {0.4, 0.01, -0.02}, q0[4] = {0.4, -0.8, 0.01, -0.02};
    const double G[4][3] = {{1, 0, 0}, {-2, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    double M[9], M0[16];
    CHECK_STATUS(pinion_mass_matrix(m, w, q, M), PINION_OK);
    CHECK_STATUS(pinion_mass_matrix(own, v, q0, M0), PINION_OK);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            double sum = 0;
            for (int a = 0; a < 4; a++)
                for (int b = 0; b < 4; b++) sum += G[a][i] * M0[4 * a + b] * G[b][k];
            CHECK_NEAR(M[3 * i + k], sum, 1e-13);
        }
    pinion_work_free(w);
    pinion_work_free(v);
    pinion_model_free(m);
    pinion_model_free(own);
}

/* Layouts of joints that MuJoCo has not. */
TEST(layouts)
{
    pinion_error err = {PINION_OK, 0, 0, ""};
#define MOVED(type) START ", \"joints\": [{\"name\": \"j\", \"type\": \"" type "\", \"parent\": \"a\", \"child\": " \
                    "\"b\", \"child_origin\": {\"rpy\": [0.3, 0, 0]}}, " JOINT("k", "continuous", "b", "c") "]}"
    pinion_model *ball = must_load(MOVED("spherical")), *base = must_load(MOVED("free"));
    CHECK(pinion_converter_new(ball, PINION_CONVENTION_MUJOCO, &err) == NULL);
    CHECK_HAS(err.message, "joint 'j' has axes of its own, and a ball joint of MuJoCo those of its body");
    CHECK(pinion_converter_new(base, PINION_CONVENTION_MUJOCO, &err) == NULL);
    CHECK_HAS(err.message, "a free joint of MuJoCo is between the frames of world and body");
    CHECK(pinion_converter_new(base, (pinion_convention)77, &err) == NULL);
    CHECK_HAS(err.message, "the convention is none of the known ones");
    pinion_converter *c = pinion_converter_new(ball, PINION_CONVENTION_PINOCCHIO, &err);
    CHECK(c && pinion_converter_nq(c) == 6); /* a quaternion, and cosine and sine */
    pinion_converter_free(c);
    pinion_model_free(ball);
    pinion_model_free(base);
}
/* Between a frame and its reference, which has turned: the length along the force is the place that the reference sees,
 * about the moment the angle; its rate by a joint is the entry of B, where the angle is about that joint's axis. */
TEST(lengths_between_frames)
{
    pinion_model *m = must_load(
        START ", \"joints\": [" JOINT("j", "continuous", "a", "b") ", {\"name\": \"k\", \"type\": \"continuous\","
        " \"parent\": \"b\", \"child\": \"c\", \"origin\": {\"position\": [0.5, 0, 0]}}],"
        " \"frames\": [{\"name\": \"tip\", \"link\": \"c\", \"origin\": {\"position\": [0.3, 0, 0]}}],"
        " \"actuators\": [{\"name\": \"pull\", \"frame\": \"tip\", \"reference\": \"b\", \"force\": [0, 2, 0],"
        " \"law\": {\"gain\": 1, \"bias\": [0.25, 3, 0]}},"
        " {\"name\": \"turn\", \"frame\": \"tip\", \"reference\": \"b\", \"moment\": [0, 0, 2]}]}");
    pinion_work *w = pinion_work_new(m);
    const double q[2] = {0.7, 0.4}, v[2] = {0.3, -0.2}, control[2] = {1.5, -4};
    double length[2], u[2], B[4];
    for (int k = 0; k < 2; k++) CHECK_STATUS(pinion_actuator_length(m, w, q, k, &length[k]), PINION_OK);
    CHECK_NEAR(length[0], 2 * 0.3 * sin(0.4), 1e-15);
    CHECK_NEAR(length[1], 2 * 0.4, 1e-15);
    CHECK_STATUS(pinion_actuation_controls(m, w, q, v, control, u), PINION_OK);
    CHECK_NEAR(u[0], 1.5 + 0.25 + 3 * length[0], 1e-14);
    CHECK_NEAR(u[1], -4, 0);
    CHECK_STATUS(pinion_actuation_matrix(m, w, q, B), PINION_OK); /* [nv][nu] */
    CHECK_NEAR(B[0], 0, 1e-15);                                   /* what moves both alike gets nothing */
    CHECK_NEAR(B[2], 2 * 0.3 * cos(0.4), 1e-15);
    CHECK_NEAR(B[1], 0, 1e-15);
    CHECK_NEAR(B[3], 2, 1e-15);
    pinion_work_free(w);
    pinion_model_free(m);
}
#endif

/* what a call needs and does not get */
TEST(missing_arguments)
{
    pinion_error err = {PINION_OK, 0, 0, ""};
    pinion_model *m = pinion_random_chain(3, 1, &err);
    pinion_work *w = pinion_work_new(m);
    double q[3] = {0.1, 0.2, 0.3}, out[60];
    CHECK_STATUS(pinion_jacobian(m, w, q, 1, (pinion_reference)9, out), PINION_ERR_ARGUMENT);
    CHECK_HAS(pinion_work_message(w), "reference");
    pinion_work_free(w);
    pinion_model_free(m);
}

/* A message that is cut ends with a whole character, and a builder whose source is taken away says no file. */
/* A text that is cut within a character ends before it. */
TEST(cut_texts)
{
    static const struct {
        const char *text;
        size_t length, left;
    } cases[] = {{"abc", 2, 2},          {"a\xc3\xa9z", 3, 3},         {"a\xc3\xa9z", 2, 1},
                 {"\xe2\x82\xac!", 2, 0}, {"\xe2\x82\xac!", 3, 3},     {"x\xf0\x9f\xa4\x96!", 4, 1},
                 {"x\xf0\x9f\xa4\x96!", 5, 5}, {"", 0, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[10];
        snprintf(text, sizeof text, "%s", cases[i].text);
        pn_trim_utf8(text, cases[i].length);
        CHECK(strlen(text) == cases[i].left && memcmp(text, cases[i].text, cases[i].left) == 0);
    }
}

TEST(texts)
{
    pinion_builder *b = pinion_builder_new("m");
    pinion_error err = {PINION_OK, 0, 0, ""};
    pinion_link_def link = pinion_link_def_default();
    char file[400] = "";
    for (int i = 0; i < 120; i++) memcpy(file + 3 * i, "\xe2\x82\xac", 4); /* the euro sign */
    CHECK_STATUS(pinion_builder_set_source(b, file), PINION_OK);
    link.name = NULL;
    CHECK_STATUS(pinion_builder_add_link(b, &link, &err), PINION_ERR_MODEL);
    const size_t length = strlen(err.message);
    CHECK(length > 0 && length < sizeof err.message);
    for (size_t i = 0; i < length; i++) /* every lead byte has its two others */
        if ((unsigned char)err.message[i] == 0xe2)
            CHECK(i + 2 < length && memcmp(err.message + i + 1, "\x82\xac", 2) == 0);
    CHECK_STATUS(pinion_builder_set_source(b, NULL), PINION_OK);
    CHECK_STATUS(pinion_builder_add_link(b, &link, &err), PINION_ERR_MODEL);
    CHECK(strstr(err.message, "\xe2\x82\xac") == NULL);
    CHECK_STATUS(pinion_builder_set_source(NULL, "x"), PINION_ERR_ARGUMENT);

    /* a warning of more than 400 bytes is cut, between two characters */
    char sentence[700] = "x";
    for (int i = 0; i < 220; i++) memcpy(sentence + 1 + 3 * i, "\xe2\x82\xac", 4);
    pinion_builder *c = pinion_builder_new("w");
    link.name = "a";
    CHECK_STATUS(pinion_builder_add_link(c, &link, &err), PINION_OK);
    CHECK_STATUS(pinion_builder_add_warning(c, sentence, &err), PINION_OK);
    pinion_model *warned = pinion_builder_build(c, NULL, &err);
    const char *kept = pinion_model_warning(warned, 0);
    CHECK(kept && strncmp(kept, sentence, 300) == 0 && strlen(kept) <= 400 && strlen(kept) % 3 == 1);
    pinion_model_free(warned);
    pinion_builder_free(c);
    link.name = NULL;

    /* collisions that name nothing, and too little of a name */
    pinion_collision_def shape = pinion_collision_def_default();
    shape.shape = PINION_SHAPE_SPHERE;
    shape.size[0] = 1;
    shape.link = "nowhere";
    shape.name = "a\nb";
    CHECK_STATUS(pinion_builder_add_collision(b, &shape, &err), PINION_ERR_MODEL);
    CHECK_HAS(err.message, "expected at most 255 bytes of UTF-8 without control characters");
    shape.name = "s";
    link.name = "here";
    CHECK_STATUS(pinion_builder_add_link(b, &link, &err), PINION_OK);
    CHECK_STATUS(pinion_builder_add_collision(b, &shape, &err), PINION_OK);
    pinion_model *m = pinion_builder_build(b, NULL, &err);
    CHECK(m == NULL);
    CHECK_HAS(err.message, "a collision is on link 'nowhere', which does not exist; expected a link of this model");
    pinion_model_free(m);
    pinion_builder_free(b);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
#ifdef PINION_IO
    RUN(names_of_other_things);
    RUN(parts);
    RUN(edits_that_do_not_fit);
    RUN(edits_that_overflow);
    RUN(followers_beside_modes);
    RUN(layouts);
    RUN(lengths_between_frames);
#endif
    RUN(missing_arguments);
    RUN(cut_texts);
    RUN(texts);
    return CHECK_END();
}
