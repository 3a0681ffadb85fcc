/* Corners of the formats: mistakes and oddities that files seldom have, each told in its own sentence, and what is read
 * in a way that no other test takes. */
#define _DEFAULT_SOURCE /* mkdtemp */
#include "io/mjcf_text.h"

#include <stdint.h>

/* Loads a text; what is told of it, as an error or a warning, has this in it. */
static void told(pinion_format format, const char *text, const char *sentence)
{
    pinion_error err = {PINION_OK, 0, 0, ""};
    pinion_model *m = pinion_load_string(text, strlen(text), format, "f", NULL, &err);
    if (m ? !has_warning(m, sentence) : !strstr(err.message, sentence))
        CHECK_FAIL("%s is not told of %s: %s", sentence, text, m ? "no such warning" : err.message);
    check_count++;
    pinion_model_free(m);
}

#define HINGE "<body name='b'><joint name='j'/>" UNIT "</body>"
#define BALL "<body name='b'><joint name='j' type='ball'/>" UNIT "</body>"
#define MESH "<asset><mesh name='m' vertex='0 0 0 1 0 0 0 1 0 0 0 1' face='0 2 1 0 1 3 0 3 2 1 2 3'/></asset>"

TEST(mjcf)
{
    static const struct {
        const char *head, *body, *tail, *told;
    } cases[] = {
        {"", HINGE, "<actuator><motor name='a' joint='j' gear='0'/></actuator>", "'a' is left out: its gear is 0"},
        {"", BALL, "<actuator><motor name='a' joint='j' gear='0'/></actuator>", "'a' is left out: its gear is 0"},
        {"", BALL, "<actuator><motor name='a' jointinparent='j'/></actuator>", "its force is fixed in the world"},
        {"", BALL, "<actuator><position name='a' joint='j' kp='1' armature='1'/></actuator>",
         "damping and armature of an actuator that is not on a hinge or slide are left out"},
        {"", HINGE, "<actuator><position name='a' joint='j' delay='.1' nsample='5'/></actuator>",
         "the delay of an actuator whose force is no multiple of its control is left out"},
        {"", HINGE, "<keyframe><key name='k' qpos='0' ctrl='1'/></keyframe><actuator><motor joint='j'/></actuator>",
         "1 keyframe's controls"},
        {"", "<body name='b'><joint name='j' type='free' damping='1 2'/>" UNIT "</body>", "",
         "damping of a free joint: the terms of higher order of its place are left out"},
        {"", HINGE, "<tendon><rope name='t'/></tendon>", "<rope> among the tendons is left out"},
        {"", HINGE, "<equality><flex name='t'/></equality>", "the constraint <flex> is left out"},
        {"", HINGE, "<equality><weld body1='b' body2='b'/></equality>", "ties a body to itself"},
        {"", BALL, "<equality><joint joint1='j'/></equality>", "ties a joint that has several coordinates"},
        {"", "<inertial pos='0 0 0' mass='1'/>" HINGE, "", "<inertial> of the world"},
        {"", "<body><geom type='sphere' fromto='0 0 0 1 0 0' size='.1'/></body>", "", "fromto is for a capsule"},
        {"", "<body><joint/><geom type='sdf'/></body>", "", "a geom of type sdf gives a body its inertia"},
        {"", "<body>" UNIT "<geom type='sdf'/></body>", "", "a geom of type sdf is not read"},
        {"", "<body><joint/><geom type='mesh'/></body>", "", "names no mesh"},
        {"", "<body>" UNIT "<geom type='mesh' mesh='x'/></body>", "", "there is no mesh 'x'"},
        {"", "<geom type='hfield' hfield='x'/>", "", "there is no height field 'x'"},
        {"<asset><hfield name='h' size='1 1 1 1'/></asset>", "<geom type='hfield' hfield='h'/>", "",
         "no file, and no nrow and ncol of 2 or more"},
        {"<asset><hfield name='h' size='1 1 1 1' nrow='2' ncol='2' elevation='1 2 3'/></asset>",
         "<geom type='hfield' hfield='h'/>", "", "fewer elevations than nrow times ncol"},
        {"", "<geom size='1' contype='1e11'/>", "", "has a contype or conaffinity of 1e+11"},
        {"", "<geom size='1' priority='1'/>", "", "it counts in contact alone"},
        {"<option><flag filterparent='disable'/></option>", HINGE, "", "(filterparent) is left out"},
        {"<option><flag contact='disable'/></option>", HINGE, "", "contact is switched off"},
        {"", "<geom name='g' size='1'/><body name='b'><joint/>" UNIT "<geom name='h' size='1'/></body>",
         "<contact><pair geom1='g' geom2='h' friction='1 2'/></contact>", "another friction across than along"},
        {"", "<body><joint actuatorfrcrange='-1 2'/>" UNIT "</body>", "", "actuatorfrcrange is not symmetric"},
        {"<compiler fitaabb='true'/>" MESH, "<body><joint/><geom type='box' mesh='m'/></body>", "", "(fitaabb)"},
        {"<asset><mesh name='m'/></asset>", "<body><joint/><geom type='mesh' mesh='m'/></body>", "",
         "a mesh that is needed has no file"},
        {"<asset><mesh name='m' vertex='0 0 0 1 0 0 0 1 0 0 0 1' face='0 1 9'/></asset>",
         "<body><joint/><geom type='mesh' mesh='m'/></body>", "", "a face with a corner that does not exist"},
        {"<asset><mesh name='m' vertex='0 0 0 1 0'/></asset>", "<body><joint/><geom type='mesh' mesh='m'/></body>", "",
         "numbers that are not a multiple of three"},
        {"<asset><mesh name='m' vertex='0 0 0 1 0 0 0 1 0 0 0 1' refquat='0 0 0 0'/></asset>",
         "<body><joint/><geom type='mesh' mesh='m'/></body>", "", "<mesh refquat> has no direction"},
        {"", HINGE, "<tendon><fixed name='t'><joint joint='j' coef='0'/></fixed></tendon><actuator><motor name='a' "
         "tendon='t'/></actuator>", "'a' is left out: its tendon moves nothing"},
        {"", HINGE, "<tendon><fixed name='t' stiffness='1' springlength='1 2 3'><joint joint='j' coef='1'/></fixed>"
         "</tendon>", "<fixed springlength=\"1 2 3\"> has too many numbers; expected 1 to 2"},
        {"", HINGE, "<contact><exclude body1='b'/></contact>", "<exclude> has no body2"},
        {"", HINGE, "<contact><exclude body1='b' body2='c'/></contact>", "names the body 'c', which is not there"},
        {"", HINGE, "<deformable><skin/><skin/></deformable>", "2 skins"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[2000];
        snprintf(text, sizeof text, "<mujoco>%s<worldbody>%s</worldbody>%s</mujoco>", cases[i].head, cases[i].body,
                 cases[i].tail);
        told(PINION_FORMAT_MJCF, text, cases[i].told);
    }
    told(PINION_FORMAT_MJCF, "<mujocoinclude/>", "expected <mujoco>");
}

static int link_of(const pinion_model *m, const char *name)
{
    const int link = m ? pinion_model_find_link(m, name) : -1;
    if (link < 0) CHECK_FAIL("there is no link '%s'", name);
    return link;
}

static double mass_of(const pinion_model *m, const char *name)
{
    pinion_link_info info;
    return pinion_model_link(m, link_of(m, name), &info) == PINION_OK ? info.inertia.mass : NAN;
}

/* Names that a file leaves out, or that it has for a joint as well. */
TEST(mjcf_names)
{
    pinion_model *m = world("", "<body name='b'><joint name='c'/>" UNIT "<body name='c'>" UNIT "</body></body>");
    CHECK(m && pinion_model_nv(m) == 1 && pinion_model_find_joint(m, "fixed:c") >= 0);
    link_of(m, "c");
    pinion_model_free(m);
    m = world("", "<body name='body2'><joint/>" UNIT "</body><body><joint/>" UNIT "</body>");
    link_of(m, "body2");
    link_of(m, "body2_");
    pinion_model_free(m);
    /* the outermost class by its own name */
    m = world("<default class='robot'><geom density='500'/></default>",
              "<body name='b' childclass='robot'><joint/><geom type='box' size='.5 .5 .5'/></body>");
    CHECK_NEAR(mass_of(m, "b"), 500, 1e-9);
    pinion_model_free(m);
}

/* Two tendons of equal length: j = j + 2 k, which ties k alone. */
TEST(mjcf_ties)
{
    pinion_model *m = load("<mujoco><worldbody><body name='b'><joint name='j'/>" UNIT "<body name='c'><joint name='k'/>"
                           UNIT "</body></body></worldbody><tendon><fixed name='s'><joint joint='j' coef='1'/></fixed>"
                           "<fixed name='t'><joint joint='j' coef='1'/><joint joint='k' coef='2'/></fixed></tendon>"
                           "<equality><tendon tendon1='s' tendon2='t'/></equality></mujoco>");
    pinion_work *w = pinion_work_new(m);
    const double q[2] = {0.3, 0.5}, v[2] = {1, 2};
    double phi = 0, rate = 0;
    const pinion_constraints parts = {.phi = &phi, .rate = &rate};
    CHECK(m && pinion_model_row_count(m) == 1);
    CHECK_STATUS(pinion_constraints_at(m, w, 0, q, v, &parts), PINION_OK);
    CHECK_NEAR(fabs(phi), 0.5, 1e-15);
    CHECK_NEAR(fabs(rate), 2, 1e-15);
    pinion_work_free(w);
    pinion_model_free(m);
}

/* Shapes that are fitted to a box of 0.2 by 0.2 by 1 m: a cylinder as long, and a capsule whose ends reach out of it by
 * half their radius. Points of meshes are of single precision. */
TEST(mjcf_fits)
{
    const double pi = acos(-1);
    for (int k = 0; k < 2; k++) {
        char body[200];
        snprintf(body, sizeof body, "<body name='b'><joint/><geom type='%s' mesh='m' density='1000'/></body>",
                 k ? "capsule" : "cylinder");
        pinion_model *m = world("<asset><mesh name='m' vertex='.1 .1 .5 .1 .1 -.5 .1 -.1 .5 .1 -.1 -.5 "
                                "-.1 .1 .5 -.1 .1 -.5 -.1 -.1 .5 -.1 -.1 -.5'/></asset>", body);
        CHECK_NEAR(mass_of(m, "b"), k ? 1000 * pi * (0.01 * 0.9 + 4.0 / 3 * 0.001) : 1000 * pi * 0.01, 4e-6);
        pinion_model_free(m);
    }
}

/* A shell in the form of an ellipsoid: of equal half axes it is the sphere's, 2/3 m r^2 about each. */
TEST(shells)
{
    pinion_model *m = world("", "<body name='b'><joint/><geom type='ellipsoid' size='.2 .2 .2' mass='3' "
                                "shellinertia='true'/></body>");
    pinion_link_info info;
    CHECK_STATUS(pinion_model_link(m, pinion_model_find_frame(m, "b"), &info), PINION_OK);
    for (int i = 0; i < 3; i++) CHECK_NEAR(info.inertia.inertia[i == 0 ? 0 : 2 * i + 1], 2.0 / 3 * 3 * 0.04, 1e-6);
    pinion_model_free(m);
}

#define SDF(content) "<sdf version='1.11'><model name='m'>" content "</model></sdf>"
#define LINK "<link name='a'><inertial><mass>1</mass></inertial></link><link name='b'/>"
#define JOINT(type, content)                                                                                           \
    SDF(LINK "<joint name='j' type='" type "'><parent>a</parent><child>b</child>" content "</joint>")
#define AXIS(content) JOINT("revolute", "<axis><xyz>0 0 1</xyz>" content "</axis>")
#define AUTO(content) SDF("<link name='a'><inertial auto='true'>" content "</link>")
#define GEOMETRY(shape) "<collision name='c'><geometry>" shape "</geometry></collision>"

TEST(sdf)
{
    static const struct {
        const char *text, *told;
    } cases[] = {
        {SDF(LINK "<frame name='f' attached_to='__root__'/>"), "that name is reserved"},
        {AXIS("<limit><lower>1</lower><upper>0</upper></limit>"), "is above the upper one: read as no position limits"},
        {AXIS("<limit><lower>inf</lower><upper>infinity</upper></limit>"), "limits at infinity on the wrong side"},
        {AXIS("<limit><lower>0</lower><upper>1</upper></limit><dynamics><spring_reference>-inf</spring_reference>"
              "</dynamics>"), "<spring_reference> is infinite"},
        {AXIS("<mimic joint='j' axis='axis3'/>"), "expected axis or axis2"},
        {AXIS("<mimic joint='j'/>"), "is to follow 'j', which has no such axis"},
        {JOINT("ball", "<axis><xyz>0 0 1</xyz><dynamics><friction>1</friction></dynamics></axis>"),
         "spring and friction of the ball joint"},
        {SDF("<link name='a'><pose rotation_format='zyx'>0 0 0 0 0 0</pose></link>"),
         "expected euler_rpy or quat_xyzw"},
        {SDF("<link name='a'><pose rotation_format='quat_xyzw' degrees='true'>0 0 0 0 0 0 1</pose></link>"),
         "a quaternion in degrees"},
        {SDF("<link name='a'><pose rotation_format='quat_xyzw'>0 0 0 0 0 0 0</pose></link>"), "a quaternion of zeros"},
        {SDF("<link name='a'><pose>inf 0 0 0 0 0</pose></link>"), "expected finite numbers"},
        {SDF("<link name='a'>" GEOMETRY("<plane><normal>0 0 0</normal></plane>") "</link>"), "without a direction"},
        {SDF("<link name='a'><collision name='c'><geometry><sphere><radius>1</radius></sphere></geometry><surface>"
             "<contact><collide_bitmask>-1</collide_bitmask></contact></surface></collision></link>"),
         "expected a whole number of 32 bits"},
        {AUTO("</inertial>" GEOMETRY("<sphere><radius>0</radius></sphere>")), "a size that is not above 0"},
        {AUTO("</inertial>" GEOMETRY("<plane/>")),
         "adds nothing to its inertia"},
        {AUTO("<mass>inf</mass></inertial>" GEOMETRY("<sphere><radius>1</radius></sphere>")), "a mass that is not"},
        {AUTO("<density>-1</density></inertial>" GEOMETRY("<sphere><radius>1</radius></sphere>")),
         "a density that is not above"},
        {AUTO("</inertial><collision name='c'><pose relative_to='x'/><geometry><sphere><radius>1</radius></sphere>"
              "</geometry></collision>"), "relative_to names 'x', which is not there"},
        {SDF("<link name='a'><visual name='v'><pose relative_to='x'/><geometry><sphere><radius>1</radius></sphere>"
             "</geometry></visual></link>"), "(this visual is left out)"},
        {SDF(LINK "<gripper name='g'/>"), "<gripper> is left out"},
        {SDF("<link name='a'><inertial><mass>heavy</mass></inertial></link>"), "<mass> is 'heavy'; expected 1 number"},
        {SDF("<link name='a'><inertial><mass>2 kg</mass></inertial></link>"),
         "<mass> has 'kg' behind its number, which is not read"},
        {SDF("<link name='a'><inertial><pose>1 2</pose></inertial></link>"), "<pose> is '1 2'"},
        {SDF("<link name='a'><inertial><pose relative_to='b'>1 0 0 0 0 0</pose></inertial></link><link name='b'/>"),
         "relative_to of <inertial> is not read: its pose is in the frame of its link"},
        {AXIS("<mimic><multiplier>2</multiplier></mimic>"), "<mimic>"},
        {SDF(LINK "<link name='c'/><joint name='u' type='universal'><parent>a</parent><child>b</child><axis>"
             "<xyz>1 0 0</xyz></axis><axis2><xyz>0 1 0</xyz></axis2></joint><joint name='j' type='revolute'>"
             "<parent>b</parent><child>c</child><axis><xyz>0 0 1</xyz><mimic joint='u' axis='axis2'/></axis></joint>"),
         "that joint 'm::j' follows 'u' is left out: only joints with one coordinate do"},
        {SDF(LINK "<link name='c'/><joint name='k' type='revolute'><parent>a</parent><child>b</child><axis>"
             "<xyz>0 0 1</xyz></axis></joint><joint name='j' type='revolute'><parent>b</parent><child>c</child><axis>"
             "<xyz>0 0 1</xyz><mimic joint='k'/><initial_position>1</initial_position></axis></joint>"),
         "<initial_position> of joint 'm::j' is left out: it follows another one"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        told(PINION_FORMAT_SDF, cases[i].text, cases[i].told);
}

/* a model at `path` with the elevations of a file beside it */
static pinion_model *load_field(const char *path, const char *file)
{
    pinion_error err = {PINION_OK, 0, 0, ""};
    FILE *f = fopen(path, "w");
    fprintf(f, "<mujoco><asset><hfield name='h' file='%s' size='1 1 0.5 0.1'/></asset><worldbody>"
               "<geom type='hfield' hfield='h'/></worldbody></mujoco>", file);
    fclose(f);
    pinion_model *m = pinion_load(path, NULL, &err);
    if (!m) CHECK_FAIL("%s", err.message);
    return m;
}

/* A file with elevations, in MuJoCo's own format: rows of y from below, scaled to the height. */
TEST(height_fields)
{
    char folder[] = "/tmp/pinion-corners-XXXXXX", field[100], model[100];
    if (!mkdtemp(folder)) CHECK_FAIL("no folder");
    snprintf(field, sizeof field, "%s/h.bin", folder);
    snprintf(model, sizeof model, "%s/m.mjcf", folder);
    const int32_t shape[2] = {2, 3};
    const float height[6] = {0, 1, 2, 3, 4, 8};
    const char *const sentence[3] = {NULL, "no size in its file", "another number of elevations in its file"};
    for (int k = 0; k < 3; k++) {
        FILE *f = fopen(field, "wb");
        fwrite(shape, 1, k == 1 ? 4 : sizeof shape, f);
        if (k != 1) fwrite(height, sizeof *height, k == 2 ? 5 : 6, f);
        fclose(f);
        pinion_model *m = load_field(model, "h.bin");
        pinion_collision_info info;
        if (sentence[k]) CHECK(has_warning(m, sentence[k]));
        if (!sentence[k]) {
            CHECK_STATUS(pinion_model_collision(m, 0, &info), PINION_OK);
            CHECK(info.rows == 2 && info.columns == 3);
        }
        pinion_model_free(m);
    }
    remove(field);

    /* a picture has its rows from above: 0 51 102 are at the largest y, and 255 is 0.5 m */
    static const unsigned char picture[] = {
        137, 80, 78, 71, 13, 10, 26, 10, 0, 0, 0, 13, 73, 72, 68, 82, 0, 0, 0, 3, 0, 0, 0, 2, 8, 0, 0, 0, 0, 184, 31,
        57, 198, 0, 0, 0, 19, 73, 68, 65, 84, 120, 1, 1, 8, 0, 247, 255, 0, 0, 51, 102, 0, 153, 204, 255, 7, 154, 2,
        254, 174, 211, 125, 100, 0, 0, 0, 0, 73, 69, 78, 68, 174, 66, 96, 130};
    static const double expected[6] = {0.3, 0.4, 0.5, 0, 0.1, 0.2};
    snprintf(field, sizeof field, "%s/h.png", folder);
    for (int k = 0; k < 2; k++) {
        FILE *f = fopen(field, "wb");
        fwrite(picture, 1, k ? 40 : sizeof picture, f);
        fclose(f);
        pinion_model *m = load_field(model, "h.png");
        pinion_collision_info info;
        CHECK(m && pinion_model_collision_count(m) == !k);
        if (k) CHECK(has_warning(m, "the height field 'h' has "));
        if (m && !k) {
            CHECK_STATUS(pinion_model_collision(m, 0, &info), PINION_OK);
            CHECK(info.rows == 2 && info.columns == 3);
            for (int i = 0; info.data && i < 6; i++) CHECK_NEAR(info.data[i], expected[i], 1e-15);
        }
        pinion_model_free(m);
    }
    remove(field);
    remove(model);
    remove(folder);
}

/* What writers seldom have to write: a spring between links, a joint that follows, grounds, meshes and bounces. The
 * file is read again. */
TEST(written)
{
#define BODY "\"mass\": 1, \"inertia\": {\"xx\": 1, \"yy\": 1, \"zz\": 1}"
    static const char text[] =
        "{\"pinion\": 1, \"name\": \"w\", \"links\": [{\"name\": \"base\"},"
        "{\"name\": \"a\", " BODY ","
        " \"visuals\": [{\"shape\": \"mesh\", \"mesh\": \"v.stl\", \"scale\": [2, 2, 2]}],"
        " \"collisions\": [{\"name\": \"g\", \"shape\": \"plane\"}, {\"name\": \"s\", \"shape\": \"sphere\","
        " \"radius\": 0.1, \"restitution\": 0.5}]},"
        "{\"name\": \"b\", " BODY ","
        " \"collisions\": [{\"name\": \"c\", \"shape\": \"mesh\", \"mesh\": \"c.stl\"}]}],"
        "\"joints\": [{\"name\": \"j\", \"type\": \"continuous\", \"parent\": \"base\", \"child\": \"a\"},"
        "{\"name\": \"k\", \"type\": \"continuous\", \"parent\": \"a\", \"child\": \"b\","
        " \"mimic\": {\"joint\": \"j\", \"multiplier\": 2}}],"
        "\"loops\": [{\"name\": \"strut\", \"type\": \"spring\", \"parent\": \"base\", \"child\": \"b\","
        " \"origin\": {\"position\": [0, 1, 0]}, \"length\": 0.5, \"stiffness\": 20}]}";
    static const struct {
        pinion_format format;
        const char *has[4], *told;
    } cases[] = {
        {PINION_FORMAT_MJCF, {"<spatial name=\"strut\"", "joint1=\"k\"", "joint2=\"j\"", "springlength=\"0.5 0.5\""},
         "'k'"},
        {PINION_FORMAT_SDF, {"<mimic joint=\"j\">", "<uri>c.stl</uri>", "<uri>v.stl</uri>", "<bounce>"}, "'strut'"},
    };
    pinion_error err = {PINION_OK, 0, 0, ""};
    pinion_model *m = pinion_load_string(text, strlen(text), PINION_FORMAT_JSON, "f", NULL, &err);
    if (!m) CHECK_FAIL("%s", err.message);
    for (size_t i = 0; m && i < sizeof cases / sizeof cases[0]; i++) {
        char *lost = NULL, *out = pinion_save_string_telling(m, cases[i].format, &lost, &err);
        if (!out) CHECK_FAIL("%s", err.message);
        for (int k = 0; out && k < 4; k++) CHECK_HAS(out, cases[i].has[k]);
        CHECK_HAS(lost ? lost : "", cases[i].told);
        pinion_model *back = pinion_load_string(out, strlen(out), cases[i].format, "f", NULL, &err);
        if (!back) CHECK_FAIL("%s", err.message);
        pinion_model_free(back);
        pinion_free(out);
        pinion_free(lost);
    }
    pinion_model_free(m);
}

/* Links that are written as others: with a name that the format has for itself, without an inertia of their own, as a
 * place of a tendon. What is read again moves alike. */
#define TURNS(name, parent, child)                                                                                     \
    "{\"name\": \"" name "\", \"type\": \"continuous\", \"parent\": \"" parent "\", \"child\": \"" child               \
    "\", \"axis\": [0, 1, 0]}"
#define FIXED(name, parent, child)                                                                                     \
    "{\"name\": \"" name "\", \"type\": \"fixed\", \"parent\": \"" parent "\", \"child\": \"" child                    \
    "\", \"origin\": {\"position\": [0.5, 0, 0]}}"
TEST(written_links)
{
    static const struct {
        const char *what, *text;
        pinion_format format;
        const char *has, *told;
    } cases[] = {
        {"a link without inertia that carries one", "{\"pinion\": 1, \"links\": [{\"name\": \"g\"}, {\"name\": \"a\"},"
         "{\"name\": \"b\", " BODY "}], \"joints\": [" TURNS("j", "g", "a") ", " FIXED("f", "a", "b") "]}",
         PINION_FORMAT_MJCF, "<body name=\"b\"", NULL},
        {"a frame between two links", "{\"pinion\": 1, \"links\": [{\"name\": \"g\"}, {\"name\": \"a\", " BODY "},"
         "{\"name\": \"f\"}, {\"name\": \"b\", " BODY "}], \"joints\": [" TURNS("j", "g", "a") ", "
         FIXED("k", "a", "f") ", " FIXED("l", "f", "b") "]}",
         PINION_FORMAT_SDF, "<link name=\"b\">", NULL},
        {"a base that is a point", "{\"pinion\": 1, \"links\": [{\"name\": \"g\", \"mass\": 3}, {\"name\": \"a\", " BODY
         "}], \"joints\": [" TURNS("j", "g", "a") "]}",
         PINION_FORMAT_SDF, "<link name=\"a\">", "'g': its inertia, which does not move, is left out"},
        {"a tendon between links, one of which has a frame of the name that its site would have",
         "{\"pinion\": 1, \"links\": [{\"name\": \"g\"}, {\"name\": \"a\", " BODY "}, {\"name\": \"b\", " BODY
         "}], \"joints\": [" TURNS("j", "g", "a") ", " FIXED("f", "a", "b") "], \"frames\": [{\"name\": \"b_site\", "
         "\"link\": \"a\"}, {\"name\": \"p\", \"link\": \"g\", \"origin\": {\"position\": [0, 0, 1]}}], "
         "\"tendons\": [{\"name\": \"t\", \"path\": [\"p\", \"b\"], \"stiffness\": 30}]}",
         PINION_FORMAT_MJCF, "<site site=\"b_site1\"", NULL},
        {"a link whose name a helper would have", "{\"pinion\": 1, \"links\": [{\"name\": \"g\"}, {\"name\": "
         "\"j_axis\", " BODY "}], \"joints\": [{\"name\": \"j\", \"type\": \"continuous\", \"parent\": \"g\", "
         "\"child\": \"j_axis\", \"axis\": [0, 1, 0], \"child_origin\": {\"position\": [0, 0, 0.2], "
         "\"rpy\": [0.3, 0, 0]}}]}",
         PINION_FORMAT_MJCF, "<body name=\"j_axis", NULL},
        {"a spring that stiffens", "{\"pinion\": 1, \"links\": [{\"name\": \"g\"}, {\"name\": \"a\", " BODY
         "}], \"joints\": [{\"name\": \"j\", \"type\": \"continuous\", \"parent\": \"g\", \"child\": \"a\", "
         "\"spring\": {\"stiffness\": {\"linear\": 40, \"curve\": [0, 900]}}}]}",
         PINION_FORMAT_SDF, "<spring_stiffness>40", "'j': the curves of its spring and damping are left out"},
        {"ranges of a servo that are open to one side", "{\"pinion\": 1, \"links\": [{\"name\": \"g\"}, {\"name\": "
         "\"a\", " BODY "}], \"joints\": [" TURNS("j", "g", "a") "], \"actuators\": [{\"name\": \"s\", \"joint\": "
         "\"j\", \"law\": {\"gain\": 2, \"control\": [0, null], \"filter\": 0.1, \"state\": [null, 3]}}]}",
         PINION_FORMAT_MJCF, "dyntype=\"filterexact\"", "'s': the range of its activation is left out"},
    };
    pinion_error err = {PINION_OK, 0, 0, ""};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        pinion_model *m = pinion_load_string(cases[i].text, strlen(cases[i].text), PINION_FORMAT_JSON, "f", NULL, &err);
        if (!m) CHECK_FAIL("%s: %s", cases[i].what, err.message);
        char *lost = NULL, *out = pinion_save_string_telling(m, cases[i].format, &lost, &err);
        if (!out) CHECK_FAIL("%s: %s", cases[i].what, err.message);
        CHECK_HAS(out, cases[i].has);
        if (cases[i].told) CHECK_HAS(lost ? lost : "", cases[i].told);
        pinion_model *back = out ? pinion_load_string(out, strlen(out), cases[i].format, "f", NULL, &err) : NULL;
        if (!back) CHECK_FAIL("%s: %s", cases[i].what, err.message);
        const double q = 0.4, v = 2, tau = 1;
        double a[2] = {0, 0}, passive[2] = {0, 0};
        for (int k = 0; k < 2; k++) {
            const pinion_model *of = k ? back : m;
            pinion_work *w = pinion_work_new(of);
            pinion_elements *e = pinion_model_has_elements(of) ? pinion_elements_new(of) : NULL;
            CHECK_STATUS(pinion_forward_dynamics(of, w, &q, &v, &tau, NULL, &a[k]), PINION_OK);
            double *f = passive + k;
            if (e) CHECK_STATUS(pinion_elements_forces(e, w, &q, &v, f, f, f, NULL), PINION_OK);
            pinion_elements_free(e);
            pinion_work_free(w);
        }
        CHECK_NEAR(a[1], a[0], 1e-12);
        CHECK_NEAR(passive[1], passive[0], 1e-12);
        CHECK((passive[0] != 0) == (strstr(cases[i].text, "tendons") != NULL));
        pinion_model_free(back);
        pinion_model_free(m);
        pinion_free(out);
        pinion_free(lost);
    }
    /* the world's name, of a link that moves and of the last one of joints that make one body */
    static const char *const named[][2] = {
        {"{\"pinion\": 1, \"links\": [{\"name\": \"g\"}, {\"name\": \"world\", " BODY "}], \"joints\": ["
         TURNS("j", "g", "world") "]}", "has the name of the world and is not it"},
        {"{\"pinion\": 1, \"links\": [{\"name\": \"g\"}, {\"name\": \"i\"}, {\"name\": \"world\", " BODY
         "}], \"joints\": [" TURNS("j", "g", "i") ", " TURNS("k", "i", "world") "]}",
         "has the name of the world and moves"}};
    for (int i = 0; i < 2; i++) {
        pinion_model *m = pinion_load_string(named[i][0], strlen(named[i][0]), PINION_FORMAT_JSON, "f", NULL, &err);
        char *out = m ? pinion_save_string(m, PINION_FORMAT_MJCF, &err) : NULL;
        CHECK(m && !out);
        CHECK_HAS(err.message, named[i][1]);
        pinion_free(out);
        pinion_model_free(m);
    }
}

/* Numbers of the native format that are seldom written: limits of an actuator to one side, degrees of a free joint. */
TEST(native)
{
    static const char text[] =
        "{\"pinion\": 1, \"links\": [{\"name\": \"g\"}, {\"name\": \"a\", " BODY "}, {\"name\": \"b\", " BODY "}], "
        "\"joints\": [" TURNS("j", "g", "a") ", {\"name\": \"r\", \"type\": \"free\", \"parent\": \"g\", \"child\": "
        "\"b\", \"angles\": \"degrees\", \"spring\": [{\"stiffness\": 1, \"rest\": 90}, "
        "{\"stiffness\": 1}, {\"stiffness\": 1}, {\"stiffness\": 1, \"rest\": 90}, {\"stiffness\": 1}, "
        "{\"stiffness\": 1}]}], \"actuators\": [{\"name\": \"m\", \"joint\": \"j\", "
        "\"effort\": [null, 5]}]}";
    pinion_error err = {PINION_OK, 0, 0, ""};
    pinion_model *m = pinion_load_string(text, strlen(text), PINION_FORMAT_JSON, "f", NULL, &err);
    if (!m) CHECK_FAIL("%s", err.message);
    char *out = m ? pinion_save_string(m, PINION_FORMAT_JSON, &err) : NULL;
    CHECK_HAS(out ? out : "", "[null, 5]");
    pinion_model *back = out ? pinion_load_string(out, strlen(out), PINION_FORMAT_JSON, "f", NULL, &err) : NULL;
    if (!back) CHECK_FAIL("%s", err.message);
    for (int k = 0; k < 2 && back; k++) {
        const pinion_model *of = k ? back : m;
        pinion_joint_info joint;
        pinion_actuator_info a;
        CHECK(pinion_model_joint(of, pinion_model_find_joint(of, "r"), &joint) == PINION_OK);
        CHECK_NEAR(joint.dof[0].rest, acos(0), 1e-15);
        CHECK_NEAR(joint.dof[3].rest, 90, 0);
        CHECK(pinion_model_actuator(of, 0, &a) == PINION_OK && a.effort[0] == -INFINITY && a.effort[1] == 5);
    }
    pinion_free(out);
    pinion_model_free(back);
    pinion_model_free(m);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(mjcf);
    RUN(mjcf_names);
    RUN(mjcf_ties);
    RUN(mjcf_fits);
    RUN(shells);
    RUN(sdf);
    RUN(height_fields);
    RUN(written);
    RUN(written_links);
    RUN(native);
    return CHECK_END();
}
