/* URDF files with something in them that the reader passes over: they load, and a warning says what and
 * where. */
#include "check.h"
#include "pinion/pinion.h"

#define ROBOT(inside) "<robot name='r'>\n" inside "\n</robot>"
#define MASS "<mass value='1'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/>"
#define HEAVY(name, inside) "<link name='" name "'><inertial>" MASS "</inertial>" inside "</link>"
#define VISUAL(inside) ROBOT("<link name='a'><visual>\n" inside "</visual></link>")
#define SPHERE "<geometry><sphere radius='1'/></geometry>"
#define JOINT(type, inside)                                                                                  \
    ROBOT("<link name='a'/>" HEAVY("b", "") "\n<joint name='j' type='" type                                  \
                                            "'><parent link='a'/><child link='b'/>\n" inside "</joint>")

/* Loads; NULL, with a failure, when it does not. */
static pinion_model *load(const char *text, const pinion_load_options *o)
{
    pinion_error err = {PINION_OK, 0, 0, ""};
    pinion_model *m = pinion_load_string(text, strlen(text), PINION_FORMAT_URDF, "f", o, &err);
    if (!m) CHECK_FAIL("%.400s\ngave \"%s\"", text, err.message);
    return m;
}

static pinion_joint_info joint_of(const pinion_model *m, const char *name)
{
    pinion_joint_info joint;
    memset(&joint, 0, sizeof joint);
    CHECK_STATUS(pinion_model_joint(m, pinion_model_find_joint(m, name), &joint), PINION_OK);
    return joint;
}

/* ---- what stays of each ---- */

static const struct {
    const char *text, *where, *what;
    int visuals; /* how many are left */
} passed[] = {
    /* shapes */
    {VISUAL(""), "f:2: ", "has no <geometry>; expected one (this visual is left out)", 0},
    {VISUAL("<geometry/>"), "f:3: ", "is empty; expected box", 0},
    {VISUAL("<geometry><box size='1 1'/></geometry>"), "f:3: ", "has 2 numbers; expected 3 numbers", 0},
    {VISUAL("<geometry><sphere radius='1'/><sphere radius='1'/></geometry>"), "f:3: ", "a second shape", 0},
    {VISUAL(SPHERE "\n<geometry><sphere radius='2'/></geometry>"), "f:4: ", "a second <geometry>", 0},
    {VISUAL(SPHERE "\n" SPHERE), "f:4: ", "which says the same as the first", 1},
    {VISUAL("<geometry><cylinder radius='1'/></geometry>"), "f:3: ", "<cylinder> has no length", 0},
    {VISUAL("<geometry><mesh/></geometry>"), "f:3: ", "<mesh> has no filename", 0},
    {VISUAL("<geometry><mesh filename='${x}'/></geometry>"), "f:3: ", "expand it with xacro first", 0},
    {VISUAL("<geometry><mesh filename='x' scale='1 1 1 1'/></geometry>"),
     "f:3: ", "<mesh scale=\"1 1 1 1\"> has 4 numbers; expected 3 numbers", 0},
    {VISUAL("<geometry><mesh filename='a&#9;b'/></geometry>"), "f:2: ", "without control characters", 0},
    /* where it is */
    {VISUAL("<origin xyz='0 0'/>" SPHERE), "f:3: ", "has 2 numbers; expected 3 numbers", 0},
    {VISUAL("<origin quat_xyzw='0 0 0 2'/>" SPHERE), "f:3: ", "not of unit length", 0},
    {VISUAL("<origin/>\n<origin xyz='0 0 1'/>" SPHERE), "f:4: ", "a second <origin>", 0},
    /* colours */
    {VISUAL(SPHERE "<material name='m'><color rgba='1 1 1'/></material>"),
     "f:3: ", "expected 4 numbers (this colour is left out)", 1},
    {VISUAL(SPHERE "<material name='m'><color rgba='1 1 1 x'/></material>"), "f:3: ", "'x'", 1},
    {VISUAL(SPHERE "<material name='m'/>\n<material name='n'/>"), "f:4: ", "a second <material>", 1},
    {VISUAL(SPHERE "<material name='m'/>\n<material name='m'/>"), "f:4: ", "says the same as the first", 1},
    {ROBOT("<material name='m'><color/></material>\n<link name='a'/>"),
     "f:2: ", "<color> has no rgba; expected 4 numbers (this colour is left out)", 0},
    /* the same element twice */
    {JOINT("revolute", "<axis xyz='0 0 1'/>\n<axis xyz='0 0 1'/>"),
     "f:5: ", "a second <axis> in one <joint>, which says the same as the first", 0},
    {JOINT("revolute", "<limit effort='1' velocity='2'/>\n<limit velocity='2' effort='1'/>\n"
                       "<limit effort='1' velocity='2'/>"),
     "f:5: ", "a second <limit>", 0},
    {JOINT("revolute", "<parent link='a'/>"), "f:4: ", "a second <parent>", 0},
    {ROBOT("<link name='a'><inertial>" MASS "</inertial>\n<inertial><!-- again --> " MASS
           "</inertial></link>"),
     "f:3: ", "a second <inertial> in one <link>", 0},
    /* limits */
    {JOINT("revolute", "<limit lower='1' upper='-1'/>"),
     "f:4: ", "the lower limit of joint 'j' is above the upper one: read as no position limits", 0},
};

TEST(passed_over)
{
    for (size_t i = 0; i < sizeof passed / sizeof passed[0]; i++) {
        pinion_model *m = load(passed[i].text, NULL);
        if (!m) continue;
        const char *warning = pinion_model_warning(m, 0);
        check_count++;
        if (pinion_model_warning_count(m) != 1 || pinion_model_visual_count(m) != passed[i].visuals ||
            strncmp(warning, passed[i].where, strlen(passed[i].where)) != 0 ||
            !strstr(warning, passed[i].what)) {
            CHECK_FAIL("%s\ngave %d visuals, %d warnings, the first \"%s\"", passed[i].text,
                       pinion_model_visual_count(m), pinion_model_warning_count(m), warning ? warning : "");
        }
        pinion_model_free(m);
    }
}

/* A fault takes its own visual, and the others stay with their colours. */
TEST(other_visuals_stay)
{
    pinion_model *m = load(
        ROBOT("<material name='m'><color rgba='0 1 0 1'/></material><material name='n'><color/></material>\n"
              "<link name='a'><visual><geometry><box size='1'/></geometry></visual>\n"
              "<visual>" SPHERE "<material name='m'><color rgba='1'/></material></visual>\n"
              "<visual>" SPHERE "<material name='n'/></visual></link>"),
        NULL);
    if (!m) return;
    pinion_visual_info v;
    pinion_visual_def plain = pinion_visual_def_default();
    const double green[4] = {0, 1, 0, 1};
    CHECK(pinion_model_visual_count(m) == 2 && pinion_model_warning_count(m) == 3);
    CHECK_STATUS(pinion_model_visual(m, 0, &v), PINION_OK);
    CHECK(check_error(v.rgba, green, 4, 1) == 0); /* what its name means elsewhere */
    CHECK_STATUS(pinion_model_visual(m, 1, &v), PINION_OK);
    CHECK(check_error(v.rgba, plain.rgba, 4, 1) == 0);
    pinion_model_free(m);
}

TEST(limits)
{
    /* no limits of position; the others stay */
    static const char *const types[] = {"revolute", "prismatic"};
    for (int i = 0; i < 2; i++) {
        char text[1000];
        snprintf(text, sizeof text, JOINT("%s", "<limit lower='0' upper='-1' effort='3' velocity='4'/>"),
                 types[i]);
        pinion_model *m = load(text, NULL);
        if (!m) continue;
        pinion_joint_info j = joint_of(m, "j");
        CHECK(j.dof[0].lower == -INFINITY && j.dof[0].upper == INFINITY);
        CHECK(j.dof[0].effort == 3 && j.dof[0].velocity == 4);
        pinion_model_free(m);
    }

    /* where they do not count nobody is warned, and equal ones are limits */
    pinion_model *m = load(JOINT("continuous", "<limit lower='0' upper='-1'/>"), NULL);
    CHECK(m && pinion_model_warning_count(m) == 0);
    pinion_model_free(m);
    m = load(JOINT("revolute", "<limit lower='0' upper='0'/>"), NULL);
    CHECK(m && pinion_model_warning_count(m) == 0 && joint_of(m, "j").dof[0].upper == 0);
    pinion_model_free(m);
}

/* What is said twice is read once. */
TEST(repeated)
{
    pinion_model *m = load(JOINT("revolute", "<axis xyz='0 3 0'/><axis xyz='0 3 0'/>"
                                             "<dynamics damping='2' x:y='1' xmlns:x='u'/>"
                                             "<dynamics damping='2'><!-- same --></dynamics>"),
                           NULL);
    if (!m) return;
    pinion_joint_info j = joint_of(m, "j");
    CHECK(j.axis[1] == 1 && j.dof[0].damping == 2);
    CHECK(pinion_model_warning_count(m) == 2);
    pinion_model_free(m);
}

/* ---- how many ---- */

/* an element that is misspelt is not lost in silence */
TEST(unknown_in_a_joint)
{
    pinion_model *m = load(JOINT("continuous", "<xyz axis='0 0 1'/>"), NULL);
    CHECK_HAS(pinion_model_warning(m, 0), "f:4: <xyz> in <joint> is not known");
    pinion_model_free(m);
}

/* Loads strictly: an error of that line, which has the words. */
static void refused_strictly(const char *text, int line, const char *words)
{
    pinion_error err = {PINION_OK, 0, 0, ""};
    pinion_load_options o = pinion_load_options_default();
    o.strict = 1;
    pinion_model *m = pinion_load_string(text, strlen(text), PINION_FORMAT_URDF, "f", &o, &err);
    CHECK(!m && err.status == PINION_ERR_UNSUPPORTED && err.line == line);
    CHECK_HAS(err.message, words);
    pinion_model_free(m);
}

/* What URDF does not have: one warning with its line; strictly an error, but for looks and collisions. */
TEST(unknown_words)
{
    static const struct {
        const char *text, *where, *what;
        int looks;
    } cases[] = {
        {ROBOT("<link\nnam='b' name='a'/>"), "f:3: ", "<link> has an attribute nam, which is not known", 0},
        {"<robot name='r' verson='1'><link name='a'/></robot>", "f:1: ", "<robot> has an attribute verson", 0},
        {JOINT("revolute", "<dynamics dampng='0.1'/>"), "f:4: ", "<dynamics> has an attribute dampng", 0},
        {JOINT("revolute", "<dynamics Damping='0.1'/>"), "f:4: ", "<dynamics> has an attribute Damping", 0},
        {JOINT("revolute", "<limit lowr='-1' upper='1'/>"), "f:4: ", "<limit> has an attribute lowr", 0},
        {JOINT("revolute", "<origin wxyz='1 0 0 0'/>"), "f:4: ", "<origin> has an attribute wxyz", 0},
        {JOINT("revolute", "<axis rpy='1 0 0' xyz='0 0 1'/>"), "f:4: ", "<axis> has an attribute rpy", 0},
        {JOINT("revolute", "<dynamics D='1' K='2' damping='3' x:y='4' z='5'/>"),
         "f:4: ", "<dynamics> has 3 attributes that are not known and not read: D, K, z", 0},
        {JOINT("revolute", "<calibration risng='1'/>"), "f:4: ", "<calibration> has an attribute risng", 0},
        {JOINT("revolute", "<safety_controller k='1'/>"), "f:4: ", "<safety_controller> has an attribute k,", 0},
        {JOINT("revolute", "<axis xyz='0 0 1'><limit upper='1'/></axis>"),
         "f:4: ", "<limit> in <axis> is not known", 0},
        {ROBOT("<link name='a'><inertial unit='g'>" MASS "</inertial></link>"), "f:2: ", "<inertial> has an", 0},
        {ROBOT("<link name='a'><inertial><origin xy='1 0'/>" MASS "</inertial></link>"), "f:2: ", "attribute xy,", 0},
        {ROBOT("<link name='a'>\n<inertal>" MASS "</inertal></link>"), "f:3: ", "<inertal> in <link> is not known", 0},
        {ROBOT("<link name='a'><inertial>\n<com/>" MASS "</inertial></link>"), "f:3: ", "<com> in <inertial>", 0},
        {ROBOT("<link name='a'/>\n<loop_joint name='l'/>"), "f:3: ", "<loop_joint> in <robot> is not known", 0},
        {VISUAL("<orgin xyz='0 0 1'/>" SPHERE), "f:3: ", "<orgin> in <visual> is not known", 1},
        {VISUAL(SPHERE "<material nam='m'/>"), "f:3: ", "<material> has an attribute nam,", 1},
        {VISUAL(SPHERE "<material name='m'><colour/></material>"), "f:3: ", "<colour> in <material> is not", 1},
        {VISUAL(SPHERE "<material name='m'><color rgba='1 1 1 1' x='2'/></material>"), "f:3: ", "attribute x,", 1},
        {VISUAL("<geometry><mesh filename='f' unit='mm'/></geometry>"), "f:3: ", "<mesh> has an attribute unit,", 1},
        {VISUAL("<geometry><ellipsoid radii='1 2 3'/></geometry>"),
         "f:2: ", "a visual of link 'a' has a shape that is not known (this visual is left out)", 1},
        {ROBOT("<link name='a'><collision>\n<orgin/>" SPHERE "</collision></link>"),
         "f:3: ", "<orgin> in <collision>", 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        pinion_model *m = load(cases[i].text, NULL);
        if (!m) continue;
        const char *warning = pinion_model_warning(m, 0);
        if (pinion_model_warning_count(m) != 1 || strncmp(warning, cases[i].where, 5) != 0 ||
            !strstr(warning, cases[i].what))
            CHECK_FAIL("%s\ngave %d warnings, the first \"%s\"", cases[i].text, pinion_model_warning_count(m),
                       warning ? warning : "");
        pinion_model_free(m);
        pinion_load_options o = pinion_load_options_default();
        o.strict = 1;
        if (!cases[i].looks) refused_strictly(cases[i].text, atoi(cases[i].where + 2), cases[i].what);
        if (cases[i].looks) pinion_model_free(load(cases[i].text, &o));
    }
}

/* What URDF has and nobody reads here, and what belongs to other programs, is no cause for a word. */
TEST(known_words)
{
    pinion_load_options o = pinion_load_options_default();
    o.strict = 1;
    pinion_model *m = load(
        "<robot name='r' version='1.0' xmlns:xacro='u' xmlns='v' xacro:x='1' lost:y='2'>"
        "<material name='m'><texture filename='t'/><color rgba='1 1 1 1'/></material>"
        "<transmission name='t' what='x'><joint name='j' what='y'/></transmission>"
        "<gazebo reference='b' x='y'><z/></gazebo>"
        "<ros2_control name='c' type='system'/><sensor name='s' update_rate='1'/><mujoco><compiler x='y'/></mujoco>"
        "<xacro_x:y xmlns:xacro_x='w' z='1'/><lost:z w='1'/>"
        "<link name='a' type='laser'/><link name='b'><inertial>" MASS "</inertial>"
        "<visual name='v'><origin quat_xyzw='0 0 0 1'/><geometry><mesh filename='f' scale='1 1 1'/></geometry></visual>"
        "<collision name='c'>" SPHERE "<material name='m'/><verbose value='1'/></collision></link>"
        "<joint name='j' type='revolute' dont_collapse='true'><parent link='a'/><child link='b'/>"
        "<limit lower='0' upper='1' effort='1' velocity='1' acceleration='1' deceleration='1' jerk='1'/>"
        "<calibration reference_position='0' rising='1' falling='2'/>"
        "<safety_controller soft_lower_limit='0' soft_upper_limit='1' k_position='1' k_velocity='2'/></joint></robot>",
        &o);
    if (!m) return;
    for (int i = 0; i < pinion_model_warning_count(m); i++) CHECK_FAIL("%s", pinion_model_warning(m, i));
    pinion_model_free(m);
}

/* Joints with several coordinates have no place for what URDF gives them; zeros say nothing. */
TEST(several_coordinates)
{
    static const struct {
        const char *text, *told;
    } cases[] = {
        {JOINT("planar", "<limit lower='-1' upper='1'/>"), "<limit> of the planar joint 'j' is left out"},
        {JOINT("planar", "<limit effort='3'/>"), "<limit> of the planar joint 'j' is left out"},
        {JOINT("floating", "<limit velocity='3'/>"), "<limit> of the floating joint 'j' is left out"},
        {JOINT("floating", "<dynamics damping='1'/>"), "<dynamics> of the floating joint 'j' is left out"},
        {JOINT("planar", "<dynamics friction='1'/>"), "<dynamics> of the planar joint 'j' is left out"},
        {JOINT("planar", "<limit lower='0' upper='0' effort='0' velocity='0'/><dynamics damping='0' friction='0'/>"),
         NULL},
        {JOINT("floating", "<limit lower='-1.7976931348623157e308' upper='1.7976931348623157e308'"
                           " effort='1.7976931348623157e308'/>"), NULL},
        {JOINT("fixed", "<limit lower='-1' upper='1' effort='3'/><dynamics damping='1'/>"), NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        pinion_model *m = load(cases[i].text, NULL);
        if (!m) continue;
        CHECK(pinion_model_warning_count(m) == (cases[i].told != NULL));
        if (cases[i].told) CHECK_HAS(pinion_model_warning(m, 0), cases[i].told);
        if (cases[i].told) refused_strictly(cases[i].text, 4, cases[i].told);
        pinion_model_free(m);
    }
}

TEST(many)
{
    static const int counts[] = {20, 21, 1000};
    size_t room = 1u << 20;
    char *text = malloc(room);
    for (int k = 0; k < 3; k++) {
        /* visuals without a shape, and joints without limits */
        char *s = text + sprintf(text, "<robot name='r'><link name='a'>\n");
        for (int i = 0; i < counts[k]; i++) s += sprintf(s, "<visual/>\n");
        s += sprintf(s, "</link>");
        for (int i = 0; i < counts[k]; i++) {
            s += sprintf(s,
                         HEAVY("l%d", "") "<joint name='j%d' type='revolute'><parent link='a'/>"
                                          "<child link='l%d'/><limit lower='2' upper='1'/></joint>\n",
                         i, i, i);
        }
        sprintf(s, "</robot>");
        pinion_model *m = load(text, NULL);
        if (!m) continue;
        int looks = counts[k] - 20, others = counts[k] - 200, n = pinion_model_warning_count(m);
        int expected = 20 + (looks > 0) + (others > 0 ? 201 : counts[k]);
        if (n != expected) CHECK_FAIL("%d warnings, expected %d", n, expected);
        CHECK(strncmp(pinion_model_warning(m, 0), "f:2: ", 5) == 0);
        if (counts[k] == 21) CHECK_HAS(pinion_model_warning(m, n - 1), "f: 1 more warning about visuals");
        if (counts[k] == 1000) {
            CHECK_HAS(pinion_model_warning(m, n - 2), "f: 980 more warnings about visuals and colours");
            CHECK_HAS(pinion_model_warning(m, n - 1), "f: 800 more warnings about limits");
        }
        pinion_model_free(m);
    }
    free(text);
}

/* Thousands of elements that are compared with each other take no longer than to be parsed. */
TEST(large_repetitions)
{
    const int visuals = 200 / check_every(8);
    size_t room = 8u << 20;
    char *text = malloc(room);
    char *s = text + sprintf(text, "<robot name='r'><link name='a'><inertial>" MASS "</inertial>\n");
    for (int i = 0; i < visuals; i++) {
        s += sprintf(s, "<visual>" SPHERE);
        for (int k = 0; k < 2; k++) {
            s += sprintf(s, "<material");
            for (int a = 0; a < 190; a++) s += sprintf(s, " a%d='%d'", k ? 189 - a : a, k ? 189 - a : a);
            s += sprintf(s, "/>");
        }
        s += sprintf(s, "</visual>\n");
    }
    sprintf(s, "</link></robot>");
    pinion_model *m = load(text, NULL);
    CHECK(m && pinion_model_warning_count(m) == 21 && pinion_model_visual_count(m) == visuals);
    pinion_model_free(m);
    free(text);
}

/* ---- versions, leaders ---- */

TEST(versions)
{
    static const char *const good[] = {"<?xml version=\"0.0\" ?>",
                                       "<?xml version='0.1'?>",
                                       "<?xml\n version = '0.99' encoding='UTF-8'?>",
                                       "<?xml version='0.0' encoding='ISO-8859-1'?>",
                                       "<?xml version='1.0'?>",
                                       "<?xml version='1.5'?>"};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        char text[200];
        snprintf(text, sizeof text, "%s\n<robot name='0.0'><link name='0.0'/></robot>", good[i]);
        pinion_model *m = load(text, NULL);
        if (m) CHECK(pinion_model_find_link(m, "0.0") == 0 && pinion_model_warning_count(m) == 0);
        pinion_model_free(m);
    }
}

TEST(missing_leader)
{
    static const char text[] = JOINT("revolute", "<mimic joint='nobody' multiplier='2'/>");
    pinion_error err;
    CHECK(!pinion_load_string(text, strlen(text), PINION_FORMAT_URDF, "f", NULL, &err));
    CHECK(err.status == PINION_ERR_MODEL && err.line == 3);
    pinion_load_options o = pinion_load_options_default();
    o.mimic = PINION_MIMIC_INDEPENDENT;
    pinion_model *m = load(text, &o);
    if (!m) return;
    CHECK(pinion_model_nq(m) == 1 && joint_of(m, "j").leader == -1 && pinion_model_warning_count(m) == 1);
    CHECK_HAS(pinion_model_warning(m, 0), "f:3: joint 'j' mimics joint 'nobody', which does not exist");
    pinion_model_free(m);
}

/* The loader's warnings come ahead of those about the description. */
TEST(order)
{
    pinion_model *m = load(ROBOT("<link name='a'><inertial><mass value='0'/>"
                                 "<inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial>"
                                 "<visual/></link>"),
                           NULL);
    if (!m) return;
    CHECK(pinion_model_warning_count(m) == 2);
    CHECK_HAS(pinion_model_warning(m, 0), "geometry");
    CHECK_HAS(pinion_model_warning(m, 1), "no mass");
    pinion_model_free(m);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(passed_over);
    RUN(other_visuals_stay);
    RUN(limits);
    RUN(repeated);
    RUN(unknown_in_a_joint);
    RUN(unknown_words);
    RUN(known_words);
    RUN(several_coordinates);
    RUN(many);
    RUN(large_repetitions);
    RUN(versions);
    RUN(missing_leader);
    RUN(order);
    return CHECK_END();
}
