/* SDF that libsdformat refuses for what is not about motion: slips in looks, sensors and worlds. Each row was given to
 * libsdformat; and what is next to it and right is read. */
#include "check.h"
#include "pinion/pinion.h"

static pinion_model *load(int minor, const char *content, pinion_error *err)
{
    char text[2000];
    snprintf(text, sizeof text, "<sdf version='1.%d'>\n%s</sdf>", minor, content);
    return pinion_load_string(text, strlen(text), PINION_FORMAT_AUTO, "f", NULL, err);
}

static int reads(int minor, const char *content)
{
    pinion_error err = {PINION_OK, 0, 0, ""};
    pinion_model *m = load(minor, content, &err);
    if (!m) CHECK_FAIL("%s: %s", content, err.message);
    pinion_model_free(m);
    return m != NULL;
}

static void refuses(const char *content, const char *part)
{
    pinion_error err = {PINION_OK, 0, 0, ""};
    pinion_model *m = load(9, content, &err);
    if (m || !strstr(err.message, part))
        CHECK_FAIL("%s: %s, expected %s", content, m ? "is read" : err.message, part);
    else
        CHECK_HAS(err.message, "f:2: ");
    pinion_model_free(m);
}

#define IN_LINK(x) "<model name='m'><link name='a'>" x "</link></model>"
#define TOUCHES(x) IN_LINK("<collision name='c'><geometry>" x "</geometry></collision>")
#define LOOKS(x) IN_LINK("<visual name='v'><geometry><box><size>1 1 1</size></box></geometry>" x "</visual>")
#define IN_WORLD(x) "<world name='w'>" x "</world>"
#define JOINT(type, x)                                                                                                 \
    "<model name='m'><link name='a'/><link name='b'/><joint name='j' type='" type                                      \
    "'><parent>a</parent><child>b</child>" x "</joint></model>"

/* Numbers to the base 16 are such, and not 0 with something behind it. */
TEST(hexadecimal)
{
    pinion_error err = {PINION_OK, 0, 0, ""};
    pinion_link_info link;
    pinion_model *m = load(9, IN_LINK("<inertial><mass>0x1F</mass></inertial>"), &err);
    CHECK(m && pinion_model_link(m, pinion_model_find_link(m, "m::a"), &link) == PINION_OK);
    if (m) CHECK_NEAR(link.inertia.mass, 31, 0);
    pinion_model_free(m);
}

/* Values whose type depends on what they are in. */
TEST(values)
{
    refuses(IN_LINK("<inertial><mass>0x</mass></inertial>"), "<mass> is '0x'");
    refuses(TOUCHES("<box><size>1 1</size></box>"), "<size> is '1 1'; expected 3 numbers");
    refuses(TOUCHES("<plane><normal>0 0 1</normal><size>1</size></plane>"), "expected 2 numbers");
    refuses(TOUCHES("<plane><normal>0 1</normal><size>1 1</size></plane>"), "expected 3 numbers");
    refuses(TOUCHES("<mesh><uri>x.obj</uri><scale>1</scale></mesh>"), "expected 3 numbers");
    refuses(TOUCHES("<mesh><uri>x.obj</uri><submesh><name>s</name><center>so</center></submesh></mesh>"),
            "expected true or false");
    refuses(TOUCHES("<polyline><point>0</point><height>1</height></polyline>"), "expected 2 numbers");
    refuses(TOUCHES("<heightmap><uri/></heightmap>"), "<uri> in <heightmap> is empty");
    refuses(LOOKS("<material><diffuse>red</diffuse></material>"), "<diffuse> is no colour");
    refuses(LOOKS("<material><specular>red</specular></material>"), "<specular> is no colour");
    refuses(IN_WORLD("<light name='l' type='point'><diffuse>red</diffuse></light>"), "<diffuse> is no colour");
    refuses(IN_WORLD("<light name='l' type='point'><direction>0 1</direction></light>"), "expected 3 numbers");
    refuses(IN_WORLD("<light name='l' type='point'><attenuation><range>far</range></attenuation></light>"),
            "<range> is 'far'");
    refuses(IN_WORLD("<atmosphere type='adiabatic'><pressure>x</pressure></atmosphere>"), "<pressure> is 'x'");
    refuses(JOINT("fixed", "<axis><xyz>0 0 1</xyz><dynamics><friction>x</friction></dynamics></axis>"),
            "<friction> is 'x'");
    refuses(IN_LINK("<collision name='c'><surface><bounce><threshold>x</threshold></bounce></surface><geometry/>"
                    "</collision>"),
            "<threshold> is 'x'");
    refuses(IN_LINK("<sensor name='s' type='camera'><camera><image><width>x</width></image></camera></sensor>"),
            "<width> is 'x'");
    CHECK(reads(9, TOUCHES("<plane><normal>0 0 1</normal><size>1 1</size></plane>")));
    CHECK(reads(9, LOOKS("<material><pbr><specular/></pbr><diffuse>1 0 0</diffuse></material>")));
}

TEST(kinds)
{
    refuses(IN_WORLD("<atmosphere type='thick'/>"), "there is no such type");
    refuses(IN_WORLD("<atmosphere/>"), "<atmosphere> has no type");
    refuses(IN_WORLD("<road><point>0 0 0</point></road>"), "<road> has no name");
    refuses(IN_WORLD("<spherical_coordinates><surface_model>FLAT</surface_model></spherical_coordinates>"),
            "<surface_model> is 'FLAT'");
    refuses(IN_WORLD("<spherical_coordinates><surface_model>EARTH_WGS84</surface_model><world_frame_orientation>NED"
                     "</world_frame_orientation></spherical_coordinates>"),
            "<world_frame_orientation> is 'NED'");
    refuses("<model name='m'><link name='a'/><gripper/></model>", "<gripper> has no name");
    refuses(IN_LINK("<projector/>"), "<projector> has no name");
    refuses(IN_LINK("<particle_emitter name='p' type='square'/>"), "there is no such type");
    refuses(IN_LINK("<particle_emitter name='p'/>"), "<particle_emitter> has no type");
    refuses(IN_LINK("<particle_emitter name='__p__' type='box'/>"), "is reserved");
    refuses(IN_LINK("<sensor name='s' type='none'/>"), "there is no such type");
    refuses(IN_LINK("<sensor name='s' type='camera'><camera><noise><type>loud</type></noise></camera></sensor>"),
            "<type> is 'loud'");
    refuses(JOINT("fixed", "<sensor name='s' type='force_torque'><force_torque><frame>x</frame></force_torque>"
                           "</sensor>"),
            "<frame> is 'x'");
    refuses(JOINT("fixed", "<sensor name='s' type='force_torque'><force_torque><measure_direction>x"
                           "</measure_direction></force_torque></sensor>"),
            "<measure_direction> is 'x'");
    CHECK(reads(9, IN_LINK("<particle_emitter name='p' type='ellipsoid'/>")));
    CHECK(reads(9, JOINT("fixed", "<sensor name='s' type='force_torque'><force_torque><frame>parent</frame>"
                                  "</force_torque></sensor>")));
}

TEST(parts)
{
    refuses(LOOKS("<material><script><name>n</name></script></material>"), "<script> has no <uri>");
    refuses(LOOKS("<material><script><uri>u</uri></script></material>"), "<script> has no <name>");
    refuses(LOOKS("<material><script><uri>__default__</uri><name>n</name></script></material>"), "has no <uri>");
    refuses(LOOKS("<material><shader type='odd'/></material>"), "there is no such type");
    refuses(LOOKS("<material><shader/></material>"), "<shader> has no type");
    refuses(LOOKS("<material><shader type='normal_map_object_space'/></material>"), "has no <normal_map>");
    refuses(TOUCHES("<mesh><uri>x.obj</uri><submesh><center>true</center></submesh></mesh>"), "has no <name>");
    CHECK(reads(9, LOOKS("<material><script><uri>u</uri><name>n</name></script></material>")));
    CHECK(reads(9, LOOKS("<material><shader type='pixel'/></material>")));
    CHECK(reads(9, LOOKS("<material><shader type='normal_map_objectspace'><normal_map>n</normal_map></shader>"
                         "</material>")));
    CHECK(reads(9, IN_WORLD("<actor name='a'><script><loop>true</loop></script></actor>")));
}

/* Axes that a joint has no use for, and such as count as none. */
TEST(directions)
{
    refuses(JOINT("fixed", "<axis><xyz>0 0 0</xyz></axis>"), "is zero");
    refuses(JOINT("ball", "<axis><xyz>0 0 0</xyz></axis>"), "is zero");
    refuses(JOINT("revolute", "<axis><xyz>0 0 1</xyz></axis><axis2><xyz>0 0 0</xyz></axis2>"), "is zero");
    refuses(JOINT("revolute", "<axis><xyz>5e-7 0 0</xyz></axis>"), "is zero");
    refuses(JOINT("fixed", "<axis><xyz expressed_in='x'>0 0 1</xyz></axis>"), "names 'x', which is not there");
    CHECK(reads(9, JOINT("revolute", "<axis><xyz>2e-6 0 0</xyz></axis>")));
}

/* Models: what stands alone, what has links, whose frame a pose may be about. */
TEST(models)
{
    refuses("<model name='m'><link name='a'/></model><light name='l' type='point'/>", "a second <model>, <light>");
    refuses("<light name='l' type='point'/><light name='k' type='point'/>", "a second <model>, <light>");
    refuses("<model name='m'><static>true</static><link name='a'/><model name='n'/></model>", "has no link");
    refuses("<include merge='true'><uri>x</uri></include>", "expected a model or a world around it");
    refuses("<include/>", "<include> has no <uri>");
    CHECK(reads(9, "<light name='l' type='point'/>"));
    CHECK(reads(9, "<model name='m'><static>true</static></model>"));

    pinion_error err = {PINION_OK, 0, 0, ""};
    pinion_link_info link;
    pinion_joint_info joint;
    pinion_model *m =
        load(9, "<model name='m' placement_frame='__model__'><pose>1 2 3 0 0 0</pose><link name='a'/></model>", &err);
    CHECK(m && pinion_model_link(m, pinion_model_find_link(m, "m::a"), &link) == PINION_OK);
    CHECK(m && pinion_model_joint(m, link.joint, &joint) == PINION_OK);
    for (int i = 0; m && i < 3; i++) CHECK_NEAR(joint.initial_q[4 + i], i + 1, 0);
    pinion_model_free(m);

    /* in old files a link that is called like a model gives way */
    m = load(6, "<model name='m'><link name='a'/><model name='a'><link name='x'/></model></model>", &err);
    CHECK(m && pinion_model_find_link(m, "m::a_link") >= 0 && pinion_model_find_link(m, "m::a::x") >= 0);
    pinion_model_free(m);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(hexadecimal);
    RUN(values);
    RUN(kinds);
    RUN(parts);
    RUN(directions);
    RUN(models);
    return CHECK_END();
}
