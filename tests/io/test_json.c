/* The native model format: every key, every complaint with its line, and round trips. */
#include <math.h>

#include "comma.h"
#include "pinion/pinion.h"
#include "support/check.h"

#define PI 3.14159265358979323846
#define FILE_NAME "test.json"

#include "json_text.h"

static pinion_joint_info joint_named(const pinion_model *m, const char *name)
{
    pinion_joint_info info;
    memset(&info, 0, sizeof info);
    CHECK_STATUS(pinion_model_joint(m, pinion_model_find_joint(m, name), &info), PINION_OK);
    return info;
}

static pinion_link_info link_named(const pinion_model *m, const char *name)
{
    pinion_link_info info;
    memset(&info, 0, sizeof info);
    CHECK_STATUS(pinion_model_link(m, pinion_model_find_link(m, name), &info), PINION_OK);
    return info;
}

static void check_numbers(const double *x, const double *expected, int count, double tolerance, int line)
{
    for (int i = 0; i < count; i++) {
        check_count++;
        if (!(fabs(x[i] - expected[i]) <= tolerance))
            CHECK_FAIL("line %d: entry %d is %.17g, expected %.17g", line, i, x[i], expected[i]);
    }
}
#define CHECK_NUMBERS(x, n, tolerance, ...)                                                                  \
    check_numbers(x, (const double[]){__VA_ARGS__}, n, tolerance, __LINE__)

/* ---------------------------------------------------------------------------------------------
 * Keys */

static const char rich[] =
    "{\n"
    " \"pinion\": 1, \"comment\": [\"one\", \"two\"],\n"
    " \"name\": \"rich\", \"gravity\": [1, 2.5, -3e0],\n"
    " \"links\": [\n"
    "  {\"name\": \"base\", \"comment\": \"a comment\"},\n"
    "  {\"name\": \"a\", \"mass\": 2, \"com\": [0.1, 0.2, 0.3], \"inertia\": {\"xx\": 1, \"xy\": 0.01, "
    "\"xz\": 0.02,\n"
    "   \"yy\": 1.5, \"yz\": 0.03, \"zz\": 2, \"comment\": \"here too\"}, \"about\": \"com\", \"visuals\": "
    "[\n"
    "   {\"shape\": \"box\", \"size\": [1, 2, 3], \"rgba\": [0.1, 0.2, 0.3, 0.4]},\n"
    "   {\"shape\": \"sphere\", \"radius\": 0.5, \"origin\": {\"position\": [1, 1, 1]}},\n"
    "   {\"shape\": \"cylinder\", \"radius\": 0.25, \"length\": 2},\n"
    "   {\"shape\": \"capsule\", \"radius\": 0.125, \"length\": 3},\n"
    "   {\"shape\": \"mesh\", \"mesh\": \"package://x/\\u00e4 \\\"quoted\\\" \\\\.stl\", \"scale\": [2, 3, "
    "4]},\n"
    "   {\"shape\": \"mesh\", \"mesh\": \"m.obj\"}]},\n"
    "  {\"name\": \"b\", \"mass\": 1}, {\"name\": \"c\", \"mass\": 1}, {\"name\": \"d\", \"mass\": 1},\n"
    "  {\"name\": \"e\", \"mass\": 1}, {\"name\": \"f\", \"mass\": 1}, {\"name\": \"g\", \"mass\": 1},\n"
    "  {\"name\": \"h\", \"mass\": 1}, {\"name\": \"i\", \"mass\": 1}, {\"name\": \"j\", \"mass\": 1}],\n"
    " \"joints\": [\n"
    "  {\"name\": \"ja\", \"type\": \"revolute\", \"parent\": \"base\", \"child\": \"a\", \"axis\": [0, 2, "
    "0],\n"
    "   \"limits\": [-1, 2], \"velocity\": 3, \"effort\": 4, \"damping\": 5, \"friction\": 6,\n"
    "   \"rotor\": {\"inertia\": 7, \"gear\": -8}, \"spring\": {\"stiffness\": 9, \"rest\": 10}},\n"
    "  {\"name\": \"jb\", \"type\": \"continuous\", \"parent\": \"a\", \"child\": \"b\",\n"
    "   \"friction\": {\"positive\": 1, \"negative\": 2}, \"velocity\": null, \"rotor\": {\"inertia\": 1}},\n"
    "  {\"name\": \"jc\", \"type\": \"prismatic\", \"parent\": \"b\", \"child\": \"c\", \"limits\": [null, "
    "5],\n"
    "   \"angles\": \"degrees\", \"spring\": {\"stiffness\": 2}},\n"
    "  {\"name\": \"jd\", \"type\": \"helical\", \"parent\": \"c\", \"child\": \"d\", \"pitch\": 0.01, "
    "\"limits\": [-90, null],\n"
    "   \"angles\": \"degrees\", \"spring\": {\"stiffness\": 2, \"rest\": 180}},\n"
    "  {\"name\": \"je\", \"type\": \"cylindrical\", \"parent\": \"d\", \"child\": \"e\", \"axis\": [1, 0, "
    "0],\n"
    "   \"limits\": [[-180, 90], [-2, 3]], \"angles\": \"degrees\", \"damping\": [1, 2], \"friction\": "
    "[null, 3],\n"
    "   \"velocity\": [1, null], \"effort\": [null, 7], \"rotor\": [{\"inertia\": 1, \"gear\": 2}, null],\n"
    "   \"spring\": [null, {\"stiffness\": 1, \"rest\": 2}]},\n"
    "  {\"name\": \"jf\", \"type\": \"universal\", \"parent\": \"base\", \"child\": \"f\", \"limits\": "
    "[null, [-1, 1]]},\n"
    "  {\"name\": \"jg\", \"type\": \"planar\", \"parent\": \"f\", \"child\": \"g\", \"axis\": [0, 1, 0], "
    "\"damping\": [1, 2, 3],\n"
    "   \"limits\": [[-1, 1], [-1, 1], [-180, 180]], \"angles\": \"degrees\"},\n"
    "  {\"name\": \"jh\", \"type\": \"spherical\", \"parent\": \"g\", \"child\": \"h\", \"damping\": [1, 2, "
    "3]},\n"
    "  {\"name\": \"ji\", \"type\": \"free\", \"parent\": \"base\", \"child\": \"i\", \"damping\": [1, 2, 3, "
    "4, 5, 6]},\n"
    "  {\"name\": \"jj\", \"type\": \"revolute\", \"parent\": \"i\", \"child\": \"j\",\n"
    "   \"origin\": {\"position\": [1, 2, 3], \"rpy\": [90, 0, 0], \"angles\": \"degrees\"},\n"
    "   \"child_origin\": {\"quaternion\": [0.5, 0.5, 0.5, 0.5]},\n"
    "   \"mimic\": {\"joint\": \"jc\", \"multiplier\": -2, \"offset\": 30}, \"angles\": \"degrees\"}],\n"
    " \"loops\": [{\"name\": \"l\", \"type\": \"revolute\", \"parent\": \"e\", \"child\": \"h\", \"axis\": "
    "[1, 0, 0],\n"
    "   \"origin\": {\"position\": [0.5, 0, 0]}, \"child_origin\": {\"position\": [0, 0.5, 0]}, \"damping\": "
    "0.5}],\n"
    " \"frames\": [{\"name\": \"tool\", \"link\": \"e\", \"origin\": {\"rotation\": [[0, -1, 0], [1, 0, 0], "
    "[0, 0, 1]]}},\n"
    "   {\"name\": \"plain\", \"link\": \"a\"}]\n"
    "}\n";

TEST(top_and_links)
{
    pinion_model *m = must_load(rich);
    if (!m) return;
    double gravity[3];
    pinion_model_gravity(m, gravity);
    CHECK(strcmp(pinion_model_name(m), "rich") == 0);
    CHECK_NUMBERS(gravity, 3, 0, 1, 2.5, -3);
    CHECK(pinion_model_link_count(m) == 11 && pinion_model_joint_count(m) == 10);
    CHECK(pinion_model_loop_count(m) == 1 && pinion_model_frame_count(m) == 13);

    /* mass properties; without any a link is massless */
    pinion_link_info a = link_named(m, "a"), base = link_named(m, "base");
    CHECK(a.inertia.mass == 2 && base.inertia.mass == 0);
    CHECK_NUMBERS(a.inertia.com, 3, 0, 0.1, 0.2, 0.3);
    CHECK_NUMBERS(a.inertia.inertia, 6, 0, 1, 0.01, 0.02, 1.5, 0.03, 2);
    CHECK_NUMBERS(base.inertia.inertia, 6, 0, 0, 0, 0, 0, 0, 0);
    pinion_model_free(m);
}

TEST(visuals)
{
    pinion_model *m = must_load(rich);
    if (!m) return;
    pinion_visual_info v[6];
    CHECK(pinion_model_visual_count(m) == 6);
    for (int i = 0; i < 6; i++) {
        CHECK_STATUS(pinion_model_visual(m, i, &v[i]), PINION_OK);
        CHECK(v[i].link == pinion_model_find_link(m, "a"));
    }
    CHECK(v[0].shape == PINION_SHAPE_BOX && v[1].shape == PINION_SHAPE_SPHERE && v[2].shape == PINION_SHAPE_CYLINDER);
    CHECK(v[3].shape == PINION_SHAPE_CAPSULE && v[4].shape == PINION_SHAPE_MESH && v[5].shape == PINION_SHAPE_MESH);
    CHECK_NUMBERS(v[0].size, 3, 0, 1, 2, 3);
    CHECK_NUMBERS(v[0].rgba, 4, 0, 0.1, 0.2, 0.3, 0.4);
    CHECK_NUMBERS(v[1].rgba, 4, 0, 0.7, 0.7, 0.7, 1);
    CHECK_NUMBERS(v[1].pose.position, 3, 0, 1, 1, 1);
    CHECK(v[1].size[0] == 0.5 && v[2].size[0] == 0.25 && v[2].size[1] == 2 && v[3].size[1] == 3);
    CHECK(v[0].mesh == NULL && v[4].mesh && strcmp(v[4].mesh, "package://x/\xc3\xa4 \"quoted\" \\.stl") == 0);
    CHECK_NUMBERS(v[4].size, 3, 0, 2, 3, 4);
    CHECK_NUMBERS(v[5].size, 3, 0, 1, 1, 1);
    pinion_model_free(m);
}

TEST(joints_of_one_degree)
{
    pinion_model *m = must_load(rich);
    if (!m) return;
    pinion_joint_info j = joint_named(m, "ja");
    CHECK(j.type == PINION_JOINT_REVOLUTE && j.dof_count == 1);
    CHECK(j.parent == pinion_model_find_link(m, "base") && j.child == pinion_model_find_link(m, "a"));
    CHECK_NUMBERS(j.axis, 3, 0, 0, 1, 0);
    CHECK(j.dof[0].lower == -1 && j.dof[0].upper == 2 && j.dof[0].velocity == 3 && j.dof[0].effort == 4);
    CHECK(j.dof[0].damping == 5 && j.dof[0].friction_positive == 6 && j.dof[0].friction_negative == 6);
    CHECK(j.dof[0].rotor_inertia == 7 && j.dof[0].gear_ratio == -8);
    CHECK(j.dof[0].stiffness == 9 && j.dof[0].rest == 10);

    /* defaults */
    j = joint_named(m, "jb");
    CHECK(j.type == PINION_JOINT_CONTINUOUS && j.leader == -1);
    CHECK_NUMBERS(j.axis, 3, 0, 0, 0, 1);
    CHECK_NUMBERS(j.parent_pose.rotation, 9, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1);
    CHECK(j.dof[0].lower == -INFINITY && j.dof[0].upper == INFINITY);
    CHECK(j.dof[0].velocity == INFINITY && j.dof[0].effort == INFINITY);
    CHECK(j.dof[0].friction_positive == 1 && j.dof[0].friction_negative == 2);
    CHECK(j.dof[0].rotor_inertia == 1 && j.dof[0].gear_ratio == 1 && j.dof[0].stiffness == 0);

    /* degrees turn angles only */
    j = joint_named(m, "jc");
    CHECK(j.dof[0].lower == -INFINITY && j.dof[0].upper == 5 && j.dof[0].rest == 0);
    j = joint_named(m, "jd");
    CHECK(j.type == PINION_JOINT_HELICAL && j.pitch == 0.01);
    CHECK_NEAR(j.dof[0].lower, -PI / 2, 1e-15);
    CHECK(j.dof[0].upper == INFINITY);
    CHECK_NEAR(j.dof[0].rest, PI, 1e-15);

    /* a follower, and its poses */
    j = joint_named(m, "jj");
    CHECK(j.leader == pinion_model_find_joint(m, "jc") && j.multiplier == -2);
    CHECK_NEAR(j.offset, PI / 6, 1e-15);
    CHECK_NUMBERS(j.parent_pose.position, 3, 0, 1, 2, 3);
    CHECK_NUMBERS(j.parent_pose.rotation, 9, 0, 1, 0, 0, 0, 0, -1, 0, 1, 0);
    CHECK_NUMBERS(j.child_pose.rotation, 9, 0, 0, 0, 1, 1, 0, 0, 0, 1, 0);
    pinion_model_free(m);
}

TEST(joints_of_several_degrees)
{
    pinion_model *m = must_load(rich);
    if (!m) return;
    pinion_joint_info j = joint_named(m, "je");
    CHECK(j.dof_count == 2);
    CHECK_NEAR(j.dof[0].lower, -PI, 1e-15);
    CHECK_NEAR(j.dof[0].upper, PI / 2, 1e-15);
    CHECK(j.dof[1].lower == -2 && j.dof[1].upper == 3);
    CHECK(j.dof[0].damping == 1 && j.dof[1].damping == 2);
    CHECK(j.dof[0].friction_positive == 0 && j.dof[1].friction_negative == 3);
    CHECK(j.dof[0].velocity == 1 && j.dof[1].velocity == INFINITY);
    CHECK(j.dof[0].effort == INFINITY && j.dof[1].effort == 7);
    CHECK(j.dof[0].gear_ratio == 2 && j.dof[1].gear_ratio == 1);
    CHECK(j.dof[0].stiffness == 0 && j.dof[1].stiffness == 1 && j.dof[1].rest == 2);
    j = joint_named(m, "jf");
    CHECK(j.type == PINION_JOINT_UNIVERSAL && j.dof[0].upper == INFINITY && j.dof[1].upper == 1);
    j = joint_named(m, "jg");
    CHECK(j.type == PINION_JOINT_PLANAR && j.axis[1] == 1 && j.dof[1].upper == 1);
    CHECK_NEAR(j.dof[2].upper, PI, 1e-15);
    j = joint_named(m, "jh");
    CHECK(j.type == PINION_JOINT_SPHERICAL && j.dof_count == 3 && j.dof[2].damping == 3);
    j = joint_named(m, "ji");
    CHECK(j.type == PINION_JOINT_FREE && j.dof_count == 6 && j.dof[5].damping == 6);
    pinion_model_free(m);
}

TEST(loops_and_frames)
{
    pinion_model *m = must_load(rich);
    if (!m) return;
    pinion_loop_info loop;
    CHECK(pinion_model_find_loop(m, "l") == 0);
    CHECK_STATUS(pinion_model_loop(m, 0, &loop), PINION_OK);
    pinion_joint_info j = loop.joint;
    CHECK(j.type == PINION_JOINT_REVOLUTE && j.parent == pinion_model_find_link(m, "e"));
    CHECK(j.child == pinion_model_find_link(m, "h") && j.dof_count == 1 && j.dof[0].damping == 0.5);
    CHECK_NUMBERS(j.parent_pose.position, 3, 0, 0.5, 0, 0);
    CHECK_NUMBERS(j.child_pose.position, 3, 0, 0, 0.5, 0);
    CHECK_NUMBERS(j.axis, 3, 0, 1, 0, 0);

    pinion_frame_info f;
    memset(&f, 0, sizeof f);
    CHECK_STATUS(pinion_model_frame(m, pinion_model_find_frame(m, "tool"), &f), PINION_OK);
    CHECK(f.link == pinion_model_find_link(m, "e"));
    CHECK_NUMBERS(f.pose.rotation, 9, 0, 0, -1, 0, 1, 0, 0, 0, 0, 1);
    pinion_model_free(m);
}

TEST(motor)
{
    pinion_model *m = must_load(
        "{\"pinion\": 1, \"links\": [{\"name\": \"b\"}, {\"name\": \"a\", \"mass\": 1}],"
        "\"joints\": [{\"name\": \"j\", \"type\": \"revolute\", \"parent\": \"b\", \"child\": \"a\","
        "\"damping\": 0.5, \"friction\": 0.25, \"motor\": {\"inertia\": 0.125, \"gear\": -4,"
        "\"viscous\": 2, \"coulomb\": {\"positive\": 3, \"negative\": 5}}}]}");
    if (!m) return;
    pinion_joint_info j = joint_named(m, "j");
    CHECK(j.dof[0].rotor_inertia == 0.125 && j.dof[0].gear_ratio == -4);
    CHECK(j.dof[0].damping == 0.5 + 16 * 2);
    CHECK(j.dof[0].friction_positive == 0.25 + 4 * 3 && j.dof[0].friction_negative == 0.25 + 4 * 5);
    CHECK(strcmp(pinion_model_name(m), "robot") == 0);
    pinion_model_free(m);

    /* one motor for each degree of freedom, one number for both directions, nothing but defaults */
    m = must_load(
        "{\"pinion\": 1, \"links\": [{\"name\": \"b\"}, {\"name\": \"a\", \"mass\": 1}],"
        "\"joints\": [{\"name\": \"j\", \"type\": \"universal\", \"parent\": \"b\", \"child\": \"a\","
        "\"motor\": [{\"gear\": 2, \"coulomb\": 3}, {}]}]}");
    if (!m) return;
    j = joint_named(m, "j");
    CHECK(j.dof[0].friction_positive == 6 && j.dof[0].friction_negative == 6 && j.dof[0].rotor_inertia == 0);
    CHECK(j.dof[1].gear_ratio == 1 && j.dof[1].damping == 0);
    pinion_model_free(m);

    /* what the joint feels of a rotor, as a number */
    m = must_load(
        "{\"pinion\": 1, \"links\": [{\"name\": \"b\"}, {\"name\": \"a\", \"mass\": 1}],"
        "\"joints\": [{\"name\": \"j\", \"type\": \"universal\", \"parent\": \"b\", \"child\": \"a\","
        "\"armature\": [0.25, null]}]}");
    if (!m) return;
    j = joint_named(m, "j");
    CHECK(j.dof[0].rotor_inertia == 0.25 && j.dof[0].gear_ratio == 1 && j.dof[1].rotor_inertia == 0);
    pinion_model_free(m);
}

TEST(inertia_about_the_origin)
{
    pinion_model *m =
        must_load("{\"pinion\": 1, \"links\": [{\"name\": \"a\", \"mass\": 2, \"com\": [1, 2, 3],"
                  "\"inertia\": {\"xx\": 30, \"xy\": -4, \"xz\": -6, \"yy\": 25, \"yz\": -12, \"zz\": 20},"
                  "\"about\": \"origin\"}]}");
    if (!m) return;
    pinion_link_info a = link_named(m, "a");
    CHECK_NUMBERS(a.inertia.inertia, 6, 0, 30 - 26, 0, 0, 25 - 20, 0, 20 - 10);
    pinion_model_free(m);
}

/* The rotation of a frame that is given by these keys. */
static void frame_rotation(const char *keys, double R[9])
{
    char text[400];
    snprintf(text, sizeof text,
             "{\"pinion\": 1, \"links\": [{\"name\": \"a\"}], \"frames\": [{\"name\": \"f\", \"link\": \"a\","
             "\"origin\": {%s}}]}",
             keys);
    for (int i = 0; i < 9; i++) R[i] = NAN;
    pinion_model *m = must_load(text);
    if (!m) return;
    pinion_frame_info f;
    CHECK_STATUS(pinion_model_frame(m, 1, &f), PINION_OK);
    memcpy(R, f.pose.rotation, sizeof f.pose.rotation);
    pinion_model_free(m);
}

TEST(rotations)
{
    double R[9], S[9];
    frame_rotation("\"rpy\": [0.1, 0.2, 0.3]", R);
    double cr = cos(0.1), sr = sin(0.1), cp = cos(0.2), sp = sin(0.2), cy = cos(0.3), sy = sin(0.3);
    CHECK_NUMBERS(R, 9, 1e-15, cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr, sy * cp,
                  sy * sp * sr + cy * cr, sy * sp * cr - cy * sr, -sp, cp * sr, cp * cr);
    frame_rotation(
        "\"rpy\": [5.7295779513082323, 11.459155902616465, 17.188733853924695], \"angles\": \"degrees\"", S);
    CHECK(check_error(S, R, 9, 1) < 4e-16);
    frame_rotation("\"rpy\": [0.1, 0.2, 0.3], \"angles\": \"radians\"", S);
    CHECK(check_error(S, R, 9, 1) == 0);

    /* multiples of 90 degrees are exact, however often they go round, and have no negative zeros */
    for (int k = -9; k <= 9; k++) {
        char keys[100];
        int c = (k & 1) ? 0 : (k & 2) ? -1 : 1, s = (k & 1) ? ((k & 2) ? -1 : 1) : 0;
        for (int axis = 0; axis < 3; axis++) {
            int angle[3] = {0, 0, 0};
            angle[axis] = 90 * k + 360 * 1000 * k;
            snprintf(keys, sizeof keys, "\"rpy\": [%d, %d, %d], \"angles\": \"degrees\"", angle[0], angle[1],
                     angle[2]);
            frame_rotation(keys, R);
            int i = (axis + 1) % 3, j = (axis + 2) % 3;
            CHECK(R[4 * axis] == 1 && R[4 * i] == c && R[4 * j] == c && R[3 * i + j] == -s &&
                  R[3 * j + i] == s);
            for (int n = 0; n < 9; n++) CHECK(!(R[n] == 0 && signbit(R[n])));
        }
    }

    /* a quaternion that is rounded is normalized; a matrix is taken as it is, one that is rounded repaired */
    frame_rotation("\"quaternion\": [0.9239, 0, 0, 0.3827]", R);
    CHECK_NEAR(R[0] * R[0] + R[3] * R[3], 1, 1e-15);
    CHECK_NEAR(R[3], sin(PI / 4), 1e-4);
    frame_rotation("\"quaternion\": [0.8, 0, 0.6, 0]", R);
    CHECK_NUMBERS(R, 9, 1e-15, 0.28, 0, 0.96, 0, 1, 0, -0.96, 0, 0.28);
    frame_rotation("\"rotation\": [[0.28, 0, 0.96], [0, 1, 0], [-0.96, 0, 0.28]]", R);
    CHECK_NUMBERS(R, 9, 0, 0.28, 0, 0.96, 0, 1, 0, -0.96, 0, 0.28);
    frame_rotation("\"rotation\": [[0.7071068, -0.7071068, 0], [0.7071068, 0.7071068, 0], [0, 0, 1]]", R);
    CHECK_NEAR(R[0], sqrt(0.5), 1e-15);
    frame_rotation("", R);
    CHECK_NUMBERS(R, 9, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1);
}

/* ---------------------------------------------------------------------------------------------
 * DH chains */

/* T = A B, as 4 x 4 matrices */
static void multiply(const double A[16], const double B[16], double T[16])
{
    double C[16] = {0};
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            for (int k = 0; k < 4; k++) C[4 * i + j] += A[4 * i + k] * B[4 * k + j];
    memcpy(T, C, sizeof C);
}

static void screw(double angle, double shift, int about_z, double T[16])
{
    double c = cos(angle), s = sin(angle);
    double x[16] = {1, 0, 0, shift, 0, c, -s, 0, 0, s, c, 0, 0, 0, 0, 1};
    double z[16] = {c, -s, 0, 0, s, c, 0, 0, 0, 0, 1, shift, 0, 0, 0, 1};
    memcpy(T, about_z ? z : x, sizeof x);
}

static void pose_matrix(const pinion_pose *p, double T[16])
{
    memset(T, 0, 16 * sizeof *T);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) T[4 * i + j] = p->rotation[3 * i + j];
        T[4 * i + 3] = p->position[i];
    }
    T[15] = 1;
}

/* The child link's frame in the parent's when the joint stands at q: parent_pose J(q) inverse(child_pose). */
static void joint_transform(const pinion_joint_info *j, double q, double T[16])
{
    double parent[16], motion[16], child[16], back[16] = {0};
    pose_matrix(&j->parent_pose, parent);
    pose_matrix(&j->child_pose, child);
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            back[4 * i + k] = child[4 * k + i];
            back[4 * i + 3] -= child[4 * k + i] * child[4 * k + 3];
        }
    }
    back[15] = 1;
    screw(j->type == PINION_JOINT_PRISMATIC ? 0 : q, j->type == PINION_JOINT_PRISMATIC ? q : 0, 1, motion);
    multiply(parent, motion, T);
    multiply(T, back, T);
}

static void check_dh(int modified, int prismatic, int degrees)
{
    const double a = 0.3, alpha = 0.7, d = 0.4, theta = -0.6, q = 0.25, unit = degrees ? 180 / PI : 1;
    char text[500];
    snprintf(
        text, sizeof text,
        "{\"pinion\": 1, \"dh\": {\"convention\": \"%s\", \"angles\": \"%s\", \"rows\": [{\"joint\": \"j\","
        "\"link\": \"l\", \"type\": \"%s\", \"a\": %.17g, \"alpha\": %.17g, \"d\": %.17g, \"theta\": "
        "%.17g}]}}",
        modified ? "modified" : "classic", degrees ? "degrees" : "radians",
        prismatic ? "prismatic" : "revolute", a, alpha * unit, d, theta * unit);
    pinion_model *m = must_load(text);
    if (!m) return;
    pinion_joint_info j = joint_named(m, "j");
    double x[16], z[16], expected[16], T[16];
    screw(alpha, a, 0, x);
    screw(theta + (prismatic ? 0 : q), d + (prismatic ? q : 0), 1, z);
    if (modified)
        multiply(x, z, expected);
    else
        multiply(z, x, expected);
    joint_transform(&j, q, T);
    CHECK(j.type == (prismatic ? PINION_JOINT_PRISMATIC : PINION_JOINT_REVOLUTE));
    CHECK(check_error(T, expected, 16, 1) < 1e-15);
    CHECK(j.parent == pinion_model_find_link(m, "base") && pinion_model_find_link(m, "base") == 0);
    pinion_model_free(m);
}

TEST(dh_conventions)
{
    for (int i = 0; i < 8; i++) check_dh(i & 1, i & 2, i & 4);
}

TEST(dh_is_exact_in_degrees)
{
    pinion_model *m = must_load(
        "{\"pinion\": 1, \"dh\": {\"convention\": \"modified\", \"angles\": \"degrees\", \"rows\": ["
        "{\"joint\": \"j\", \"link\": \"l\", \"alpha\": -90, \"a\": 0.5, \"d\": 0.25, \"theta\": 180,"
        "\"limits\": [-180, 90], \"spring\": {\"stiffness\": 1, \"rest\": 90}},"
        "{\"joint\": \"k\", \"link\": \"m\", \"type\": \"prismatic\", \"limits\": [-1, 2]},"
        "{\"joint\": \"n\", \"link\": \"o\", \"type\": \"continuous\","
        "\"mimic\": {\"joint\": \"k\", \"offset\": 90}}]}}");
    if (!m) return;
    pinion_joint_info j = joint_named(m, "j");
    CHECK_NUMBERS(j.parent_pose.rotation, 9, 0, -1, 0, 0, 0, 0, 1, 0, 1, 0);
    CHECK_NUMBERS(j.parent_pose.position, 3, 0, 0.5, 0.25, 0);
    CHECK_NEAR(j.dof[0].lower, -PI, 1e-15);
    CHECK_NEAR(j.dof[0].rest, PI / 2, 1e-15);
    j = joint_named(m, "k");
    CHECK(j.dof[0].lower == -1 && j.dof[0].upper == 2);
    j = joint_named(m, "n");
    CHECK_NEAR(j.offset, PI / 2, 1e-15);
    pinion_model_free(m);
}

TEST(dh_base_and_mixing)
{
    /* two chains on one base that the file describes, a gripper on a row's link, and rows with all a link can
     * have */
    pinion_model *m = must_load(
        "{\"pinion\": 1, \"links\": [{\"name\": \"finger\", \"mass\": 1}, {\"name\": \"base\", \"mass\": "
        "5}],\n"
        "\"joints\": [{\"name\": \"grip\", \"type\": \"prismatic\", \"parent\": \"l2\", \"child\": "
        "\"finger\"}],\n"
        "\"dh\": [{\"convention\": \"classic\", \"origin\": {\"position\": [0, 0, 1]}, \"rows\": [\n"
        "  {\"joint\": \"j1\", \"link\": \"l1\", \"a\": 1, \"mass\": 2, \"com\": [1, 0, 0], \"inertia\": "
        "{\"xx\": 1, \"yy\": 3,\n"
        "   \"zz\": 3}, \"about\": \"origin\", \"visuals\": [{\"shape\": \"sphere\", \"radius\": 1}], "
        "\"damping\": 2},\n"
        "  {\"joint\": \"j2\", \"link\": \"l2\"}]},\n"
        " {\"convention\": \"modified\", \"base\": \"base\", \"origin\": {\"position\": [0, 1, 0]},\n"
        "  \"rows\": [{\"joint\": \"k1\", \"link\": \"m1\", \"d\": 2}]}],\n"
        "\"frames\": [{\"name\": \"tool\", \"link\": \"l2\"}]}");
    if (!m) return;
    CHECK(pinion_model_link_count(m) == 5 && link_named(m, "base").inertia.mass == 5 &&
          link_named(m, "base").joint == -1);
    pinion_joint_info j = joint_named(m, "j1");
    CHECK_NUMBERS(j.parent_pose.position, 3, 0, 0, 0, 1);
    CHECK_NUMBERS(j.child_pose.position, 3, 0, -1, 0, 0);
    CHECK(j.dof[0].damping == 2 && pinion_model_visual_count(m) == 1);
    CHECK_NUMBERS(link_named(m, "l1").inertia.inertia, 6, 0, 1, 0, 0, 1, 0, 1);
    j = joint_named(m, "k1");
    CHECK_NUMBERS(j.parent_pose.position, 3, 0, 0, 1, 2);
    CHECK(joint_named(m, "grip").parent == pinion_model_find_link(m, "l2"));

    /* the rows come before the joints */
    CHECK(pinion_model_find_joint(m, "j1") == 0 && pinion_model_find_joint(m, "grip") == 2);
    CHECK(pinion_model_find_joint(m, "k1") == 3);
    pinion_model_free(m);

    /* a row of another chain is the base */
    m = must_load("{\"pinion\": 1, \"links\": [{\"name\": \"ground\"}], \"dh\": [{\"convention\": "
                  "\"classic\", \"rows\": ["
                  "{\"joint\": \"b\", \"link\": \"c\"}]}, {\"convention\": \"classic\", \"base\": "
                  "\"ground\", \"rows\": ["
                  "{\"joint\": \"a\", \"link\": \"base\"}]}]}");
    if (m)
        CHECK(pinion_model_link_count(m) == 3 &&
              joint_named(m, "b").parent == pinion_model_find_link(m, "base"));
    pinion_model_free(m);
}

/* ---------------------------------------------------------------------------------------------
 * Numbers and text */

TEST(numbers)
{
    /* integers of any size are numbers, and zeros keep their sign */
    pinion_model *m =
        must_load("{\"pinion\": 1.0, \"gravity\": [123456789012345678901234567890, -0, 1e-400],"
                  "\"links\": [{\"name\": \"a\", \"mass\": 1E2, \"com\": [0.1, 1.5e-3, -2.5E+2]}]}");
    if (!m) return;
    double gravity[3];
    pinion_model_gravity(m, gravity);
    CHECK(gravity[0] == 123456789012345678901234567890.0 && gravity[1] == 0 && signbit(gravity[1]) &&
          gravity[2] == 0);
    CHECK_NUMBERS(link_named(m, "a").inertia.com, 3, 0, 0.1, 0.0015, -250);
    pinion_model_free(m);
}

TEST(locale)
{
    if (!comma_locale()) SKIP("no locale with a decimal comma is installed");
    pinion_model *m = must_load(
        "{\"pinion\": 1, \"links\": [{\"name\": \"a\", \"mass\": 1.5, \"com\": [0.125, 1e-3, 2]}]}");
    if (m) {
        CHECK_NUMBERS(link_named(m, "a").inertia.com, 3, 0, 0.125, 0.001, 2);
        char *text = pinion_save_string(m, PINION_FORMAT_JSON, NULL);
        CHECK_HAS(text, "\"com\": [0.125, 0.001, 2]");
        pinion_free(text);
    }
    pinion_model_free(m);
    setlocale(LC_ALL, "C");
}

TEST(text)
{
    /* escaped keys are the same keys; a byte order mark and white space do no harm */
    pinion_model *m = must_load("\xef\xbb\xbf \r\n\t{\"pin\\u0069on\": 1, \"links\": [{\"n\\u0061me\": "
                                "\"\\u00fc\\ud83e\\udeb6\"}]}\n\n");
    if (m) CHECK(pinion_model_find_link(m, "\xc3\xbc\xf0\x9f\xaa\xb6") == 0);
    pinion_model_free(m);

    /* by content */
    pinion_error err;
    const char *text = "{\"pinion\": 1, \"links\": [{\"name\": \"a\"}]}";
    m = pinion_load_string(text, strlen(text), PINION_FORMAT_AUTO, NULL, NULL, &err);
    CHECK(m != NULL);
    pinion_model_free(m);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(top_and_links);
    RUN(visuals);
    RUN(joints_of_one_degree);
    RUN(joints_of_several_degrees);
    RUN(loops_and_frames);
    RUN(motor);
    RUN(inertia_about_the_origin);
    RUN(rotations);
    RUN(dh_conventions);
    RUN(dh_is_exact_in_degrees);
    RUN(dh_base_and_mixing);
    RUN(numbers);
    RUN(locale);
    RUN(text);
    return CHECK_END();
}
