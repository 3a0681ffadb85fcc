/* Malformed URDF files: each gets one line that says where, what is wrong and what was expected. */
#include "check.h"
#include "pinion/pinion.h"
#include "urdf_sample.h"

#ifndef PN_SMALL_XML
#include <libxml/xmlerror.h>
#endif

static pinion_model *load(const char *text, pinion_error *err)
{
    return pinion_load_string(text, strlen(text), PINION_FORMAT_URDF, "f", NULL, err);
}

#define ROBOT(inside) "<robot name='r'>\n" inside "\n</robot>"
#define TWO(inside) ROBOT("<link name='a'/><link name='b'/>\n" inside)
#define JOINT(inside)                                                                                        \
    TWO("<joint name='j' type='revolute'><parent link='a'/><child link='b'/>\n" inside "</joint>")
#define INERTIAL(inside) ROBOT("<link name='a'><inertial>\n" inside "</inertial></link>")
#define INERTIA "<inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/>"

static const struct {
    int line;
    const char *text, *part;
} bad[] = {
    /* an element that lost its '<' is text, which would be ignored in silence */
    {2,
     "<robot name='r'><link name='a'/><link name='b'/>\n<joint name='j' type='continuous'><parent link='a'/>"
     "<child link='b'/>axis xyz='0 0 1'/></joint></robot>",
     "'<' missing"},
    {1, "<robot name='r'>link name='b'/><link name='a'/></robot>", "in <robot>"},
    /* XML */
    {1, "<robot name='r'>", "not well-formed XML"},
    {2, "<robot name='r'>\n<link name='a'></robot>", "mismatch"},
    {1, "<?xml version='2.0'?><robot name='r'><link name='a'/></robot>", "version"},
    {1, "<?xml version='0'?><robot name='r'><link name='a'/></robot>", "version"},
    {3, "<?xml version='0.0'?>\n<robot name='r'>\n<link/></robot>", "<link> has no name"},
    {1, "<robot name='r'><link name=a/></robot>", "not well-formed XML"},
    {1, "<robot name='r' name='s'/>", "redefined"},
    {1, "<robot name='r'/><robot name='s'/>", "not well-formed XML"},
    {1, "<", "not well-formed XML"},
    {2, "<robot name='r'>\n&nbsp;</robot>", "nbsp"},
    {1, "<robot name='\xff'/>", "not well-formed XML"},
    {2, "<robot name='r'>\n<li\xffnk name='a'/></robot>", "not well-formed XML"},
    {1, "<robot name='r'>a]]>b</robot>", "not well-formed XML"},
    {1, "<robot name='r'><!-- a -- b --></robot>", "not well-formed XML"},
    {1, "<robot name='r'><?XML x?></robot>", "not well-formed XML"},
    {1, "<robot name='r' x='a<b'/>", "not well-formed XML"},
    {1, "<robot name='r'x='y'/>", "not well-formed XML"},
    {1, "<robot name='&#xd800;'/>", "not well-formed XML"},
    {1, "<robot name='&#65'/>", "not well-formed XML"},
    {1, "<robot name='r'/>behind", "not well-formed XML"},
    {1, "<robot name='r'/><![CDATA[behind]]>", "not well-formed XML"},
    {1, "<robot name='r'/><!DOCTYPE robot>", "not well-formed XML"},
    {1, "<robot name='&#1;'/>", "not well-formed XML"},
    {1, "<mujoco model='m'/>", "the outermost element is <mujoco>; expected <robot>: this is MJCF, MuJoCo's format"},
    {1, "<sdf version='1.9'/>", "the outermost element is <sdf>; expected <robot>: this is SDF, Gazebo's format"},
    {1, "<x:robot xmlns:x='urn:x' name='r'/>", "expected <robot>"},
    {1, "<!-- nothing -->", "not well-formed XML"},
    {1, "<robot/>", "<robot> has no name"},
    /* entities and declarations */
    {2, "<!DOCTYPE robot [\n<!ENTITY a 'b'>]>\n<robot name='&a;'/>", "entity 'a', which is not accepted"},
    {1, "<!DOCTYPE r [<!ENTITY a SYSTEM 'file:///etc/passwd'>]><robot name='r'>&a;</robot>", "entity 'a'"},
    {1, "<!DOCTYPE r [<!ENTITY % p SYSTEM 'http://x.invalid/x.dtd'> %p;]><robot name='r'/>", "entity 'p'"},
    {1, "<!DOCTYPE r [<!ENTITY a 'aaaaaaaaaa'><!ENTITY b '&a;&a;&a;&a;&a;&a;&a;&a;'>]><robot name='&b;'/>",
     "entity"},
    {1, "<!DOCTYPE r [<!ATTLIST link name CDATA 'x'>]><robot name='r'><link/></robot>", "attribute 'name'"},
    {1, "<!DOCTYPE r [<!ATTLIST link name (x|y) 'x'>]><robot name='r'><link/></robot>", "attribute 'name'"},
    {1, "<!DOCTYPE r [<!ELEMENT robot (link, joint)>]><robot name='r'><link/></robot>", "element 'robot'"},
    {1, "<!DOCTYPE r [<!NOTATION n SYSTEM 'x'>]><robot name='r'/>", "notation 'n'"},
    {1, "<!DOCTYPE r SYSTEM 'x.dtd'><robot name='&x;'><link name='a'/></robot>", "Entity 'x' not defined"},
    {2, "<!DOCTYPE r SYSTEM 'x.dtd'>\n<robot name='r'>&x;<link name='a'/></robot>", "Entity 'x' not defined"},
    /* xacro */
    {2,
     "<robot name='r' xmlns:xacro='http://ros.org/wiki/xacro'>\n<xacro:property name='a' value='1'/></robot>",
     "<xacro:property> is an instruction to xacro; expected plain URDF: expand it with xacro first"},
    {2, ROBOT("<xacro:include filename='x'/><link name='a'/>"), "expand it with xacro first"},
    {2, ROBOT("<link name='${prefix}a'/>"), "expand it with xacro first"},
    {3, INERTIAL("<mass value='${2*3}'/>" INERTIA), "expand it with xacro first"},
    {3, INERTIAL("<mass value='$(arg m)'/>" INERTIA), "expand it with xacro first"},
    /* the tree */
    {0, "<robot name='r'/>", "link"},
    {0, ROBOT("<link name='a'/>\n<link name='b'/>"), "'b'"},
    {0, ROBOT("<link name='a'/>\n<link name='a'/>"), "'a'"},
    {0,
     TWO("<joint name='j' type='fixed'><parent link='a'/><child link='b'/></joint>\n"
         "<joint name='k' type='fixed'><parent link='b'/><child link='a'/></joint>"),
     ""},
    {0,
     TWO("<link name='c'/><joint name='j' type='fixed'><parent link='a'/><child link='c'/></joint>\n"
         "<joint name='k' type='fixed'><parent link='b'/><child link='c'/></joint>"),
     "'c'"},
    {0,
     TWO("<link name='c'/><joint name='j' type='fixed'><parent link='a'/><child link='b'/></joint>\n"
         "<joint name='j' type='fixed'><parent link='b'/><child link='c'/></joint>"),
     "'j'"},
    {3, TWO("<joint name='j' type='fixed'><parent link='a'/><child link='x'/></joint>"), "'x'"},
    {3, TWO("<joint name='j' type='fixed'><parent link='x'/><child link='b'/></joint>"), "'x'"},
    {3, TWO("<joint name='j' type='fixed'><parent link='a'/><child link='a'/></joint>"), "'a'"},
    /* links */
    {2, ROBOT("<link/>"), "<link> has no name; expected name=\"...\""},
    {2, ROBOT("<link name=''/>"), "<link> has an empty name"},
    {3, INERTIAL("<mass value='-1'/>" INERTIA), "negative mass; expected a mass >= 0 kg"},
    {3, INERTIAL("<mass value='nan'/>" INERTIA), "'nan' is not a finite number; expected one number"},
    {3, INERTIAL("<mass value='1e999'/>" INERTIA), "not a finite number"},
    {3, INERTIAL("<mass value='1kg'/>" INERTIA), "'1kg' is not a finite number"},
    {3, INERTIAL("<mass value='1,5'/>" INERTIA), "'1,5' is not a finite number"},
    {3, INERTIAL("<mass value='0x1p3'/>" INERTIA), "not a finite number"},
    {3, INERTIAL("<mass value=''/>" INERTIA), "has 0 numbers; expected one number"},
    {3, INERTIAL("<mass value='1 2'/>" INERTIA), "has 2 numbers; expected one number"},
    {3, INERTIAL("<mass/>" INERTIA), "<mass> has no value; expected one number"},
    {2, INERTIAL("<mass value='1'/>"), "has no <inertia>"},
    {2, INERTIAL(INERTIA), "has no <mass>"},
    {3, INERTIAL("<mass value='1'/><mass value='2'/>" INERTIA), "a second <mass> in one <inertial>"},
    {3, INERTIAL("<mass value='1'/>" INERTIA "<inertia ixx='1'/>"), "a second <inertia>"},
    {3, INERTIAL("<origin/><origin xyz='0 0 0'/><mass value='1'/>" INERTIA), "a second <origin>"},
    {3, INERTIAL("<mass value='1'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0'/>"),
     "<inertia> has no izz"},
    {3, INERTIAL("<origin xyz='0 0'/><mass value='1'/>" INERTIA), "has 2 numbers; expected 3 numbers"},
    {3, INERTIAL("<origin rpy='0 inf 0'/><mass value='1'/>" INERTIA), "'inf' is not a finite number"},
    {2, ROBOT("<link name='a'><inertial><mass value='1'/>" INERTIA "</inertial><inertial/></link>"),
     "a second <inertial> in one <link>"},
    /* joints */
    {3, TWO("<joint type='fixed'><parent link='a'/><child link='b'/></joint>"), "<joint> has no name"},
    {3, TWO("<joint name='j'><parent link='a'/><child link='b'/></joint>"), "<joint> has no type"},
    {3, TWO("<joint name='j' type='ball'><parent link='a'/><child link='b'/></joint>"),
     "type \"ball\"; expected fixed, revolute, continuous, prismatic, floating or planar"},
    {3, TWO("<joint name='j' type='fixed'><child link='b'/></joint>"), "has no <parent>"},
    {3, TWO("<joint name='j' type='fixed'><parent link='a'/></joint>"), "has no <child>"},
    {3, TWO("<joint name='j' type='fixed'><parent/><child link='b'/></joint>"), "<parent> has no link"},
    {4, JOINT("<parent link='b'/>"), "a second <parent> in one <joint>"},
    {4, JOINT("<axis xyz='0 0 0'/>"), "axis of joint 'j' is zero; expected a direction of any length but 0"},
    {4, JOINT("<axis xyz='0 1'/>"), "has 2 numbers; expected 3 numbers"},
    {4, JOINT("<axis xyz='0 0 1 0'/>"), "has 4 numbers; expected 3 numbers"},
    {3, TWO("<joint name='j' type='fixed'><parent link='a'/><child link='b'/><axis xyz='0 0 nan'/></joint>"),
     "'nan' is not a finite number"},
    {4, JOINT("<axis/>"), "<axis> has no xyz; expected 3 numbers"},
    {4, JOINT("<axis xyz='0 0 1'/><axis xyz='0 1 0'/>"), "a second <axis>"},
    {4, JOINT("<origin xyz='1;2;3'/>"), "'1;2;3' is not a finite number"},
    {4, JOINT("<origin rpy='0 0 0' quat_xyzw='0 0 0 1'/>"), "both rpy and quat_xyzw"},
    {4, JOINT("<origin quat_xyzw='0 0 0 1.1'/>"), "not of unit length; expected a length of 1 within 1e-6"},
    {4, JOINT("<origin quat_xyzw='0 0 0 0'/>"), "not of unit length"},
    {4, JOINT("<origin quat_xyzw='0 0 1'/>"), "has 3 numbers; expected 4 numbers"},
    {4, JOINT("<limit lower='a' upper='1'/>"), "'a' is not a finite number"},
    {4, JOINT("<limit effort='-inf'/>"), "not a finite number"},
    {4, JOINT("<limit/><limit effort='1'/>"), "a second <limit>"},
    {5, JOINT("<limit effort='1'/><limit effort='1'/>\n<limit effort='2'/>"), "a second <limit>"},
    {4, JOINT("<limit effort='1'/><limit/>"), "a second <limit>"},
    {3, JOINT("<dynamics damping='-1'/>"), "damping"},
    {4, JOINT("<dynamics friction='x'/>"), "'x' is not a finite number"},
    {4, JOINT("<mimic multiplier='2'/>"), "<mimic> has no joint"},
    {3, JOINT("<mimic joint='j'/>"), "'j'"},
    {3, JOINT("<mimic joint='nobody'/>"), "'nobody'"},
    {4, JOINT("<mimic joint='k' offset='1e'/>"), "'1e' is not a finite number"},
    {3, TWO("<joint name='j' type='floating'><parent link='a'/><child link='b'/><mimic joint='k'/></joint>"),
     "mimic"},
};

TEST(malformed)
{
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        pinion_error err = {PINION_OK, 0, 0, ""};
        pinion_model *m = load(bad[i].text, &err);
        check_count++;
        if (m || err.status == PINION_OK || strncmp(err.message, "f:", 2) != 0 || strchr(err.message, '\n') ||
            !strstr(err.message, bad[i].part) || (bad[i].line && err.line != bad[i].line)) {
            CHECK_FAIL("%s\ngave \"%s\" at %d, expected \"%s\" at %d", bad[i].text,
                       m ? "a model" : err.message, err.line, bad[i].part, bad[i].line);
        }
        pinion_model_free(m);
    }
}

#ifndef PN_SMALL_XML
/* A program that uses libxml2 itself finds its error handlers as they were, and is told nothing. */
static int heard;

static void on_generic(void *data, const char *format, ...)
{
    (void)data, (void)format;
    heard++;
}

TEST(handlers_stay)
{
    pinion_error err;
    xmlSetGenericErrorFunc(&heard, on_generic);
    xmlStructuredErrorFunc structured = xmlStructuredError;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) CHECK(!load(bad[i].text, &err));
    CHECK(heard == 0);
    CHECK(xmlGenericError == on_generic && xmlGenericErrorContext == &heard &&
          xmlStructuredError == structured);
    xmlSetGenericErrorFunc(NULL, NULL);
}
#endif

/* Sizes that would take a careless reader hours, or all memory. */
TEST(absurd_sizes)
{
    pinion_error err;
    size_t room = 8u << 20;
    char *text = malloc(room), *s;

    /* half a million attributes */
    s = text + sprintf(text, "<robot name='r'><link name='a'");
    for (int i = 0; i < 500000; i++) s += sprintf(s, " a%d=''", i);
    sprintf(s, "/></robot>");
    CHECK(!load(text, &err));
    CHECK_HAS(err.message, "too many attributes");

    /* name spaces in every element */
    s = text + sprintf(text, "<robot name='r'>");
    for (int i = 0; i < 200; i++) {
        s += sprintf(s, "<a");
        for (int k = 0; k < 100; k++) s += sprintf(s, " xmlns:n%d='u'", 100 * i + k);
        s += sprintf(s, ">");
    }
    for (int i = 0; i < 1000000; i++) s += sprintf(s, "<b/>");
    CHECK(!load(text, &err));
    CHECK_HAS(err.message, "too many attributes");

    /* deep nesting */
    s = text + sprintf(text, "<robot name='r'>");
    for (int i = 0; i < 100000; i++) s += sprintf(s, "<a>");
    CHECK(!load(text, &err));
    CHECK_HAS(err.message, "f:1: ");
    for (int deep = 999; deep <= 1000; deep++) {
        s = text + sprintf(text, "<robot name='r'><link name='l'/>");
        for (int i = 0; i < deep; i++) s += sprintf(s, "<a>");
        for (int i = 0; i < deep; i++) s += sprintf(s, "</a>");
        sprintf(s, "</robot>");
        pinion_model *m = load(text, &err);
        CHECK((m != NULL) == (deep == 999));
        if (!m) CHECK_HAS(err.message, "elements more than 1000 deep");
        pinion_model_free(m);
    }

    /* a name and a number that do not end */
    memset(text, 'n', room);
    memcpy(text, "<robot name='r'><link name='", 28);
    strcpy(text + room - 20, "'/></robot>");
    CHECK(!load(text, &err));
    memset(text + 28, '1', room - 48);
    memcpy(text, "<robot name='r'><link name='a'><inertial><mass value='", 54);
    memcpy(text + room - 60, "'/><inertia/></inertial></link></robot>", 40);
    CHECK(!load(text, &err));
    CHECK_HAS(err.message, "not a finite number");

    /* a line number beyond 16 bits */
    s = text + sprintf(text, "<robot name='r'>");
    memset(s, '\n', 70000);
    strcpy(s + 70000, "<link>\n</link></robot>");
    CHECK(!load(text, &err));
    CHECK_NEAR(err.line, 70001, 1); /* where libxml2 has 16 bits, it takes the line of what follows */
    free(text);
}

/* Every prefix of a good file, and files with a few bytes changed: a model, or one line. */
TEST(damaged)
{
    uint64_t seed = check_seed;
    size_t size = sizeof everything - 1;
    char *text = malloc(size);
    int loaded = 0;
    for (size_t i = 0; i < 2 * size; i += (size_t)check_every(7)) {
        size_t length = i < size ? i : size;
        memcpy(text, everything, size);
        for (int k = 0; i >= size && k < 1 + (int)(i % 3); k++) {
            static const char likely[] = "<>/'\"&;= 0.-ex{}$!\n";
            size_t at = (size_t)(check_uniform(&seed) * (double)size);
            text[at] = i % 2 ? likely[(size_t)(check_uniform(&seed) * (double)(sizeof likely - 1))]
                             : (char)(int)(check_uniform(&seed) * 256);
        }
        pinion_error err = {PINION_OK, 0, 0, ""};
        pinion_model *m = pinion_load_string(text, length, PINION_FORMAT_URDF, "f", NULL, &err);
        check_count++;
        loaded += m != NULL;
        if (!m &&
            (err.status == PINION_OK || strncmp(err.message, "f:", 2) != 0 || strchr(err.message, '\n'))) {
            CHECK_FAIL("file %d gave \"%s\"", (int)i, err.message);
        }
        pinion_model_free(m);
    }
    CHECK(loaded > 0 && loaded < (int)size);
    free(text);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(malformed);
#ifndef PN_SMALL_XML
    RUN(handlers_stay);
#endif
    RUN(absurd_sizes);
    RUN(damaged);
    return CHECK_END();
}
