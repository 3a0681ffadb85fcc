/* MJCF that is left out or refused: what is told of it, with its line and its reason. */
#include "io/mjcf_text.h"

/* What would change the motion and is left out is told; where that is asked for, it is an error. */
TEST(left_out)
{
    static const struct {
        const char *head, *body, *tail, *told;
    } cases[] = {
        {"<option density='1.2'/>", "<body name='b'><joint/><geom size='1' fluidshape='ellipsoid'/></body>", "",
         "the forces of the medium on body 'b' are left out"},
        {"", "<body><joint type='ball' range='0 90'/>" UNIT "</body>", "", "range is left out"},
        {"", "<body><joint type='free' damping='1 2'/>" UNIT "</body>", "",
         "terms of higher order of its place are left out"},
        {"", "<body><joint type='free' frictionloss='1'/>" UNIT "</body>", "",
         "the frictionloss of a free joint is left out"},
        {"", "<body><freejoint align='true'/>" UNIT "</body>", "", "align is left out"},
        {"", "<body mocap='true'/>", "", "a mocap body stands still"},
        {"", "<body><joint stifness='1'/>" UNIT "</body>", "", "an attribute stifness, which is not known"},
        {"", "<composite type='cable'/>", "", "<composite> in a body is left out"},
        {"", "", "<deformable><flex name='f'/></deformable>", "<flex> is left out"},
        {"", "", "<wormhole/>", "<wormhole> is not known"},
        {"", "<body><joint name='j'/><joint name='k' axis='1 0 0'/>" UNIT "</body>",
         "<tendon><fixed name='t' stiffness='1' armature='1'><joint joint='j' coef='1'/><joint joint='k' coef='1'/>"
         "</fixed></tendon>",
         "of the tendon 't' are left out: armature"},
        {"", "<site name='p'/><body><joint/>" UNIT "<geom name='g' size='.1'/><site name='q' pos='1 0 0'/></body>",
         "<tendon><spatial name='t' range='0 1'><site site='p'/><geom geom='g'/><site site='q'/></spatial></tendon>",
         "of the tendon 't' are left out: range"},
        {"", "<body><joint name='j'/>" UNIT "</body>",
         "<equality><joint joint1='j' joint2='j' polycoef='0 0 1'/></equality>",
         "not that of one joint by another"},
        {"", "<body><joint name='j'/>" UNIT "</body>", "<actuator><muscle joint='j'/></actuator>",
         "1 muscle actuator is left out"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[1000];
        pinion_error err = {PINION_OK, 0, 0, ""};
        pinion_load_options o = pinion_load_options_default();
        snprintf(text, sizeof text, "<mujoco>%s<worldbody>%s</worldbody>%s</mujoco>", cases[i].head,
                 cases[i].body, cases[i].tail);
        pinion_model *m = load(text);
        if (m && !has_warning(m, cases[i].told)) CHECK_FAIL("%s is not told", cases[i].told);
        pinion_model_free(m);
        o.strict = 1;
        m = pinion_load_string(text, strlen(text), PINION_FORMAT_MJCF, "f", &o, &err);
        CHECK(!m && err.status == PINION_ERR_UNSUPPORTED);
        CHECK_HAS(err.message, cases[i].told);
        pinion_model_free(m);
    }
    pinion_model *m =
        load("<mujoco><worldbody><light/><camera/><camera/><body><joint range='0 1' margin='1'/>" UNIT
             "</body></worldbody><sensor><clock/></sensor><keyframe><key/></keyframe></mujoco>");
    CHECK(has_warning(m, "f: left out, as they have no part in dynamics: 1 sensor, 2 cameras, 1 light, 1 "
                         "keyframe, 1 margin of"));
    CHECK(pinion_model_warning_count(m) == 1);
    pinion_model_free(m);
}

/* Bad files: the line, and what is wrong. */
TEST(malformed)
{
    static const struct {
        int line;
        const char *text, *message;
    } cases[] = {
        {1, "<mujoco>", "not well-formed XML"},
        {1, "<!DOCTYPE mujoco [<!ENTITY x 'y'>]><mujoco/>", "the DOCTYPE declares the entity"},
        {2, "<mujoco>\n<compiler angle='grad'/></mujoco>",
         "angle is \"grad\"; expected one of radian|degree"},
        {1, "<mujoco><compiler eulerseq='xyw'/></mujoco>", "eulerseq is"},
        {1, "<mujoco><option><flag gravity='disabl'/></option></mujoco>", "gravity is \"disabl\"; expected one of"},
        {2, "<mujoco><option>\n<flag contact='disabl'/></option></mujoco>",
         "<flag>: contact is \"disabl\"; expected one of disable|enable"},
        {1, "<mujoco><option><flag energy='true'/></option></mujoco>", "energy is \"true\"; expected one of"},
        {1, "<mujoco><option><flag filterparent='' contact='enable'/></option></mujoco>", "filterparent is \"\""},
        {1, "<mujoco><compiler coordinate='global'/></mujoco>", "no longer part of the format"},
        {1, "<mujoco><default><default/></default></mujoco>", "has no class"},
        {1, "<mujoco><worldbody><body childclass='x'/></worldbody></mujoco>",
         "there is no default class 'x'"},
        {3, "<mujoco>\n<worldbody><body>\n<joint class='x'/></body></worldbody></mujoco>",
         "there is no default class 'x'"},
        {1, "<mujoco><worldbody><joint/></worldbody></mujoco>", "a joint of the world"},
        {1, "<mujoco><worldbody><body pos='1 2'/></worldbody></mujoco>", "has too few numbers; expected 3"},
        {2, "<mujoco><worldbody><body><joint/>\n<geom size='.1' mass='-1'/></body></worldbody></mujoco>",
         "<geom> has a mass of -1; expected 0 or more"},
        {2, "<mujoco><worldbody><body><joint/>\n<geom size='.1' density='-5'/></body></worldbody></mujoco>",
         "<geom> has a density of -5; expected 0 or more"},
        {1, "<mujoco><worldbody><body pos='1 2 x'/></worldbody></mujoco>", "'x' is not a finite number"},
        {1, "<mujoco><worldbody><body pos='1 2 nan'/></worldbody></mujoco>", "'nan' is not a finite number"},
        {1, "<mujoco><worldbody><body quat='0 0 0 0'/></worldbody></mujoco>", "has no direction"},
        {1, "<mujoco><worldbody><body quat='1 0 0 0' euler='0 0 0'/></worldbody></mujoco>", "2 orientations"},
        {1, "<mujoco><worldbody><body><joint axis='0 0 0'/></body></worldbody></mujoco>",
         "<joint axis> has no direction"},
        {1, "<mujoco><worldbody><body><body><freejoint/></body></body></worldbody></mujoco>",
         "a free joint of a body within"},
        {1, "<mujoco><worldbody><body><freejoint/><joint/></body></worldbody></mujoco>",
         "a free joint beside others"},
        {1, "<mujoco><worldbody><body><inertial pos='0 0 0'/></body></worldbody></mujoco>",
         "<inertial> has no mass"},
        {1, "<mujoco><worldbody><body><inertial pos='0 0 0' mass='-1'/></body></worldbody></mujoco>",
         "a negative mass"},
        {1, "<mujoco><worldbody><body><joint/><geom size='-1'/></body></worldbody></mujoco>",
         "a size that is not above 0"},
        {1, "<mujoco><worldbody><body><joint/><geom mesh='m'/></body></worldbody></mujoco>",
         "there is no mesh 'm'"},
        {0, "<mujoco><worldbody><body name='a'/><body name='a'/></worldbody></mujoco>",
         "two bodies are called 'a'"},
        {0, "<mujoco><worldbody><body><joint name='a'/><joint name='a'/></body></worldbody></mujoco>",
         "two joints are called"},
        {1, "<mujoco><equality><joint joint1='x'/></equality></mujoco>", "names nothing that is there"},
        {1, "<mujoco><actuator><motor joint='x'/></actuator></mujoco>", "acts on nothing that is there"},
        {1, "<mujoco><include file='x.xml'/></mujoco>", "but this model is in memory"},
        {1, "<mujoco><asset><model file='x.xml'/></asset></mujoco>", "but this model is in memory"},
        {1,
         "<mujoco><asset><mesh file='m.stl'/></asset><worldbody><body><joint/><geom "
         "mesh='m'/></body></worldbody></mujoco>",
         "but this model is in memory"},
        {1, "<mujoco><worldbody><replicate count='0'/></worldbody></mujoco>",
         "<replicate> has no good count"},
        {1,
         "<mujoco><worldbody><replicate count='9999'><replicate count='9999'><replicate count='9999'><geom "
         "size='1'/>"
         "</replicate></replicate></replicate></worldbody></mujoco>",
         "too many copies; expected at most 65536 elements"},
        {1,
         "<mujoco><compiler autolimits='false'/><worldbody><body><joint range='0 "
         "1'/></body></worldbody></mujoco>",
         "autolimits is false; expected limited"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        pinion_error err = {PINION_OK, 0, 0, ""};
        CHECK(!pinion_load_string(cases[i].text, strlen(cases[i].text), PINION_FORMAT_MJCF, "f", NULL, &err));
        CHECK_HAS(err.message, cases[i].message);
        if (err.line != cases[i].line && strcmp(cases[i].message, "not well-formed XML"))
            CHECK_FAIL("\"%s\" is of line %d, expected %d", err.message, err.line, cases[i].line);
        CHECK(
            !pinion_load_string(cases[i].text, strlen(cases[i].text), PINION_FORMAT_AUTO, NULL, NULL, NULL));
    }
    /* as many classes and defaults as nobody has, which would take hours to go through */
    for (int kind = 0; kind < 2; kind++) {
        const int many = kind ? 10001 : 65;
        char *text = malloc((size_t)many * 60 + 100), *end = text;
        pinion_error err = {PINION_OK, 0, 0, ""};
        end += snprintf(end, 60, "<mujoco><default>");
        for (int i = 0; i < many; i++)
            end += snprintf(end, 60, kind ? "<default class='c%d'/>" : "<geom group='%d'/>", i);
        end += snprintf(end, 60, "</default></mujoco>");
        CHECK(!pinion_load_string(text, (size_t)(end - text), PINION_FORMAT_MJCF, "f", NULL, &err));
        CHECK_HAS(err.message, kind ? "too many classes" : "more than 64 defaults one within the other");
        free(text);
    }
    pinion_model *m = load("<?xml version='1.0'?><!-- <robot> --><mujoco/>");
    pinion_error err = {PINION_OK, 0, 0, ""};
    char *text = pinion_save_string(m, PINION_FORMAT_MJCF, &err);
    CHECK(pinion_model_nv(m) == 0 && text && strstr(text, "<worldbody>"));
    pinion_free(text);
    pinion_model_free(m);
}

/* What MuJoCo refuses, each with its reason. */
TEST(refused_as_in_mujoco)
{
#define ARM "<body name='b'><joint name='j'/><geom size='.1'/><site name='s'/></body>"
    static const struct {
        const char *head, *bodies, *tail, *part;
    } list[] = {
        {"", ARM,
         "<tendon><fixed name='t'><joint joint='j' coef='1'/></fixed><fixed name='t'><joint joint='j' "
         "coef='1'/>"
         "</fixed></tendon>",
         "two tendons are called 't'"},
        {"", ARM, "<actuator><damper joint='j'/></actuator>", "does not go up from 0"},
        {"", ARM, "<actuator><damper joint='j' ctrlrange='-1 1'/></actuator>", "does not go up from 0"},
        {"", ARM, "<actuator><damper joint='j' ctrlrange='0 1' kv='-1'/></actuator>", "kv is negative"},
        {"<compiler autolimits='false'/>", ARM, "<actuator><intvelocity joint='j' actrange='-1 1'/></actuator>",
         "expected actlimited"},
        {"", ARM, "<actuator><general joint='j' dyntype='integrator' actlimited='true'/></actuator>", "does not go up"},
        {"", ARM, "<actuator><general joint='j' actrange='0 1'/></actuator>", "has an actrange and no activation"},
        {"", ARM, "<actuator><position joint='j' kv='1' dampratio='1'/></actuator>", "has both kv and dampratio"},
        {"", ARM, "<actuator><cylinder joint='j' area='wide'/></actuator>", "'wide' is not a finite number"},
        {"", "<body><joint damping='much'/><geom size='.1'/></body>", "", "'much' is not a finite number"},
        {"", ARM, "<tendon><fixed name='t'/></tendon>", "expected one"},
        {"", ARM, "<tendon><spatial name='t'><site site='s'/></spatial></tendon>", "expected two at least"},
        {"", ARM, "<tendon><spatial name='t'><site site='s'/><site site='x'/></spatial></tendon>",
         "names nothing"},
        {"", ARM, "<equality><connect body1='b'/></equality>", "has no anchor"},
        {"", ARM, "<actuator><motor joint='j' ctrllimited='true'/></actuator>",
         "its ctrlrange does not go up"},
        {"", "<body><joint limited='true'/><geom size='.1'/></body>", "", "its range does not go up"},
        {"",
         "<body><inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/><inertial pos='0 0 0' mass='1' "
         "diaginertia='1 1 1'/></body>",
         "", "a second <inertial>"},
        {"", "<body><inertial pos='0 0 0' mass='1' diaginertia='1 1 3'/></body>", "",
         "above the sum of the others"},
        {"", "<body><inertial pos='0 0 0' mass='1' fullinertia='1 1 1 2 0 0'/></body>", "", "not above 0"},
        {"", "<body><inertial pos='0 0 0' mass='1' fullinertia='1 1 1 0 0 0' diaginertia='1 1 1'/></body>",
         "", "expected one of them"},
        {"", "<body><joint type='ball'/><joint/><geom size='.1'/></body>", "", "behind a ball joint"},
        {"", "<body mocap='true'><joint/><geom size='.1'/></body>", "", "a mocap body with a joint"},
        {"", "<body><body mocap='true'/></body>", "", "or in another body"},
        {"", "<body><joint/></body>", "", "a body that moves has no mass"},
        {"", "<body><joint/><body><joint/><geom size='.1'/></body></body>", "", "a body that moves has no mass"},
        {"", "<body><joint/><inertial pos='0 0 0' mass='1' diaginertia='1 1 0'/></body>", "", "no moment of inertia"},
        {"", "<body><joint type='ball'/><joint type='slide'/><joint type='slide'/><joint type='slide'/>"
             "<joint type='slide'/><geom size='.1'/></body>", "", "more than 6 degrees of freedom"},
        {"", ARM, "<keyframe><key qpos='1 2'/></keyframe>", "<key> has 2 positions and 0 velocities; expected 1 and 1"},
        {"", ARM, "<keyframe><key ctrl='1'/></keyframe>", "<key> has 1 controls; expected 0"},
        {"", ARM, "<keyframe><key name='k' qvel='1 2'/></keyframe>", "<key> has 0 positions and 2 velocities"},
        {"", ARM, "<sensor><jointpos joint='x'/></sensor>", "<jointpos joint=\"x\"> names nothing"},
        {"", ARM, "<sensor><jointpos name='a' joint='j'/><jointvel name='a' joint='j'/></sensor>", "two sensors"},
        {"", ARM "<geom size='1' material='x'/>", "", "the material 'x', which is not there"},
        {"<default><site material='x'/></default>", ARM, "", "the material 'x', which is not there"},
        {"", ARM "<geom name='g' size='1'/><frame><geom name='g' size='1'/></frame>", "", "two geoms are called 'g'"},
        {"", ARM "<camera name='g'/><camera name='g'/>", "", "two cameras are called 'g'"},
        {"", ARM "<light name='g'/><light name='g'/>", "", "two lights are called 'g'"},
        {"", ARM "<frame name='g'/><frame name='g'/>", "", "two frames are called 'g'"},
        {"<asset><mesh name='m' file='a.stl'/><mesh name='m' file='b.stl'/></asset>", ARM, "",
         "two meshes are called 'm'"},
        {"<asset><material name='m'/><material name='m'/></asset>", ARM, "", "two materials are called 'm'"},
        {"<asset><material name='m' texture='t'/></asset>", ARM, "", "<material texture=\"t\"> names nothing"},
        {"<default><default class='a'/><default class='a'/></default>", ARM, "",
         "a second default class 'a'"},
        {"<option actuatorgroupdisable='31'/>", ARM, "", "whole numbers from 0 to 30"},
    };
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        char text[1000];
        pinion_error err = {PINION_OK, 0, 0, ""};
        snprintf(text, sizeof text, "<mujoco>%s<worldbody>%s</worldbody>%s</mujoco>", list[i].head,
                 list[i].bodies, list[i].tail);
        pinion_model *m = pinion_load_string(text, strlen(text), PINION_FORMAT_AUTO, "f", NULL, &err);
        if (m) CHECK_FAIL("%s is read", text);
        if (!m) CHECK_HAS(err.message, list[i].part);
        pinion_model_free(m);
    }
    pinion_error err = {PINION_OK, 0, 0, ""};
    static const char moved[] = "<mujoco><worldbody pos='0 0 1'/></mujoco>";
    CHECK(pinion_load_string(moved, strlen(moved), PINION_FORMAT_AUTO, "f", NULL, &err) == NULL);
    CHECK_HAS(err.message, "<worldbody> has an attribute pos");
}

/* No attribute is passed over in silence, and actuators may be switched off by their group. */
TEST(attributes_and_groups)
{
    static const char *const unknown[] = {
        "<option foo='1'/>",
        "<option><flag foo='1'/></option>",
        "<default foo='1'/>",
        "<default><joint foo='1'/></default>",
        "<default><motor foo='1'/></default>",
        "<asset><mesh name='m' foo='1' vertex='0 0 0 1 0 0 0 1 0 0 0 1'/></asset>",
        "<actuator><motor joint='j' foo='1'/></actuator>",
        "<actuator><motor joint='j' kp='1'/></actuator>",
        "<tendon><fixed foo='1'><joint joint='j' coef='1'/></fixed></tendon>",
        "<equality><connect body1='b' anchor='0 0 0' foo='1'/></equality>"};
    for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++) {
        pinion_model *m = world(unknown[i], ARM);
        if (!has_warning(m, i == 7 ? "an attribute kp" : "an attribute foo"))
            CHECK_FAIL("no word of %s", unknown[i]);
        pinion_model_free(m);
    }
    pinion_model *m =
        world("<option actuatorgroupdisable='1 3'/><actuator><motor name='x' joint='j' group='1'/>"
              "<motor name='y' joint='j' group='2'/></actuator>",
              ARM);
    CHECK(pinion_model_find_actuator(m, "x") < 0 && pinion_model_find_actuator(m, "y") == 0);
    pinion_model_free(m);

    /* only constraints that are made are said to be soft */
    m = world("<equality><joint joint1='j' polycoef='0 1 0 0 0'/><joint joint1='j' joint2='j' polycoef='0 1 0 0 0'/>"
              "</equality>",
              ARM "<body><joint name='k'/><geom size='.1'/></body>");
    CHECK(has_warning(m, "the softness of 1 equality constraint is"));
    pinion_model_free(m);
}

/* A chain of bodies is as deep as it is long. */
TEST(deep)
{
    for (int deep = 450; deep <= 600; deep += 150) {
        pinion_error err = {PINION_OK, 0, 0, ""};
        char *text = malloc(100000), *s = text + sprintf(text, "<mujoco><worldbody>");
        for (int i = 0; i < deep; i++) s += sprintf(s, "<body><joint/><geom size='.1'/>");
        for (int i = 0; i < deep; i++) s += sprintf(s, "</body>");
        sprintf(s, "</worldbody></mujoco>");
        pinion_model *m = pinion_load_string(text, strlen(text), PINION_FORMAT_AUTO, "f", NULL, &err);
        CHECK(deep == 450 ? m && pinion_model_nv(m) == 450 : !m);
        if (!m) CHECK_HAS(err.message, "nested too deep; expected at most 500");
        pinion_model_free(m);
        free(text);
    }
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(left_out);
    RUN(malformed);
    RUN(refused_as_in_mujoco);
    RUN(attributes_and_groups);
    RUN(deep);
    return CHECK_END();
}
