/* What models touch others with: built in C, read from every format, written back, kept when models are put together,
 * and which of it may touch which. */
#include "check.h"
#include "pinion/pinion.h"

static pinion_model *load(const char *text)
{
    pinion_error err = {PINION_OK, 0, 0, ""};
    pinion_model *m = pinion_load_string(text, strlen(text), PINION_FORMAT_AUTO, "f", NULL, &err);
    if (!m) CHECK_FAIL("%s", err.message);
    return m;
}

static void refuse(const char *text, const char *why)
{
    pinion_error err = {PINION_OK, 0, 0, ""};
    pinion_model *m = pinion_load_string(text, strlen(text), PINION_FORMAT_AUTO, "f", NULL, &err);
    CHECK(!m);
    CHECK_HAS(err.message, why);
    pinion_model_free(m);
}

static int has_warning(const pinion_model *m, const char *part)
{
    for (int i = 0; m && i < pinion_model_warning_count(m); i++) {
        if (strstr(pinion_model_warning(m, i), part)) return 1;
    }
    return 0;
}

static pinion_collision_info named(const pinion_model *m, const char *name)
{
    pinion_collision_info info = {.link = -1};
    const int index = m ? pinion_model_find_collision(m, name) : -1;
    if (index < 0) CHECK_FAIL("there is no collision %s", name);
    if (index >= 0) CHECK_STATUS(pinion_model_collision(m, index, &info), PINION_OK);
    return info;
}

static int may(const pinion_model *m, const char *a, const char *b)
{
    const int x = pinion_model_find_collision(m, a), y = pinion_model_find_collision(m, b);
    CHECK(x >= 0 && y >= 0 && pinion_model_may_collide(m, x, y) == pinion_model_may_collide(m, y, x));
    return pinion_model_may_collide(m, x, y);
}

/* Two models say the same of collisions. */
static void check_same(const pinion_model *a, const pinion_model *b)
{
    const int count = pinion_model_collision_count(a);
    CHECK(pinion_model_collision_count(b) == count);
    CHECK(pinion_model_exclusion_count(b) == pinion_model_exclusion_count(a));
    CHECK(pinion_model_collision_pair_count(b) == pinion_model_collision_pair_count(a));
    for (int i = 0; i < count && pinion_model_collision_count(b) == count; i++) {
        pinion_collision_info x, y;
        CHECK_STATUS(pinion_model_collision(a, i, &x), PINION_OK);
        CHECK_STATUS(pinion_model_collision(b, i, &y), PINION_OK);
        CHECK(x.link == y.link && strcmp(x.name, y.name) == 0 && x.shape == y.shape && x.rows == y.rows);
        CHECK(x.columns == y.columns && !x.mesh == !y.mesh && (!x.mesh || strcmp(x.mesh, y.mesh) == 0));
        CHECK(memcmp(x.size, y.size, sizeof x.size) == 0 && memcmp(x.friction, y.friction, sizeof x.friction) == 0);
        CHECK(check_error(x.pose.rotation, y.pose.rotation, 9, 1) < 1e-14);
        CHECK(check_error(x.pose.position, y.pose.position, 3, 1) < 1e-14);
        CHECK(x.restitution == y.restitution && x.margin == y.margin && x.dimension == y.dimension);
        CHECK(x.category == y.category && x.mask == y.mask && x.group == y.group);
        if (x.data && y.data && x.rows == y.rows)
            CHECK(memcmp(x.data, y.data, (size_t)x.rows * (size_t)x.columns * sizeof *x.data) == 0);
        for (int k = 0; k < count; k++) CHECK(pinion_model_may_collide(a, i, k) == pinion_model_may_collide(b, i, k));
    }
}

static pinion_model *again(const pinion_model *m, pinion_format format)
{
    pinion_error err = {PINION_OK, 0, 0, ""};
    char *text = m ? pinion_save_string(m, format, &err) : NULL;
    if (!text) CHECK_FAIL("%s", err.message);
    pinion_model *out = text ? load(text) : NULL;
    free(text);
    return out;
}

/* ---------------------------------------------------------------------------------------------
 * The native format: every shape */

static const char every[] =
    "{\"pinion\": 1, \"links\": [{\"name\": \"base\", \"collisions\": ["
    "{\"name\": \"ground\", \"shape\": \"plane\", \"friction\": 0.7, \"category\": 4294967295},"
    "{\"name\": \"hills\", \"shape\": \"height_field\", \"size\": [2, 4], \"depth\": 0.1,"
    " \"heights\": [[0, 1, 2], [3, 4, 5]]}]},"
    "{\"name\": \"arm\", \"mass\": 1, \"collisions\": ["
    "{\"name\": \"box\", \"shape\": \"box\", \"size\": [1, 2, 3], \"margin\": 0.01, \"dimension\": 4},"
    "{\"name\": \"ball\", \"shape\": \"sphere\", \"radius\": 0.5, \"restitution\": 0.25,"
    " \"friction\": [0.5, 0.01, 0.001]}]},"
    "{\"name\": \"hand\", \"mass\": 1, \"collisions\": ["
    "{\"name\": \"rod\", \"shape\": \"cylinder\", \"radius\": 0.1, \"length\": 0.2,"
    " \"origin\": {\"position\": [1, 2, 3]}},"
    "{\"name\": \"pill\", \"shape\": \"capsule\", \"radius\": 0.1, \"length\": 0.2, \"group\": 3},"
    "{\"name\": \"egg\", \"shape\": \"ellipsoid\", \"radii\": [0.1, 0.2, 0.3], \"mask\": 0, \"category\": 2},"
    "{\"name\": \"hat\", \"shape\": \"cone\", \"radius\": 0.1, \"length\": 0.2},"
    "{\"shape\": \"mesh\", \"mesh\": \"package://x/hand.stl\", \"scale\": [1, -1, 1]},"
    "{\"name\": \"tetra\", \"shape\": \"mesh\", \"points\": [[0,0,0],[1,0,0],[0,1,0],[0,0,1]]}]},"
    "{\"name\": \"tip\", \"mass\": 1, \"collisions\": [{\"name\": \"end\", \"shape\": \"sphere\", \"radius\": 1,"
    " \"group\": 3}, {\"name\": \"point\", \"shape\": \"sphere\", \"radius\": 1}]}],"
    "\"joints\": [{\"name\": \"a\", \"type\": \"revolute\", \"parent\": \"base\", \"child\": \"arm\"},"
    "{\"name\": \"b\", \"type\": \"revolute\", \"parent\": \"arm\", \"child\": \"hand\"},"
    "{\"name\": \"c\", \"type\": \"revolute\", \"parent\": \"hand\", \"child\": \"tip\"}],"
    "\"no_collisions\": [[\"tip\", \"base\"], [\"base\", \"tip\"]],"
    "\"collision_pairs\": [{\"first\": \"egg\", \"second\": \"end\", \"friction\": 0.3, \"dimension\": 1}]}";

TEST(native)
{
    pinion_model *m = load(every), *back;
    if (!m) return;
    int first = -1, links[2];
    CHECK(pinion_model_collision_count(m) == 12);
    CHECK(pinion_model_link_collisions(m, 2, &first) == 6 && first == 4);
    CHECK(pinion_model_link_collisions(m, 4, &first) == 0);
    CHECK(pinion_model_exclusion_count(m) == 1);
    CHECK_STATUS(pinion_model_exclusion(m, 0, links), PINION_OK);
    CHECK(links[0] == 0 && links[1] == 3);
    const pinion_collision_info ground = named(m, "ground"), hills = named(m, "hills"), ball = named(m, "ball"),
                                rod = named(m, "rod"), tetra = named(m, "tetra"), egg = named(m, "egg");
    CHECK(ground.shape == PINION_SHAPE_PLANE && ground.size[0] == 0 && ground.category == 0xffffffffu);
    CHECK(ground.friction[0] == 0.7 && ground.friction[1] == -1);
    CHECK(hills.rows == 2 && hills.columns == 3 && hills.data[5] == 5 && hills.size[2] == 0.1);
    CHECK(ball.restitution == 0.25 && ball.friction[2] == 0.001 && ball.link == 1);
    CHECK(rod.pose.position[2] == 3 && rod.size[1] == 0.2 && rod.dimension == 3);
    CHECK(!tetra.mesh && tetra.rows == 4 && tetra.data[11] == 1);
    CHECK(egg.size[2] == 0.3 && egg.mask == 0 && egg.category == 2);
    back = again(m, PINION_FORMAT_JSON);
    if (back) check_same(m, back);
    pinion_model_free(back);
    pinion_model_free(m);
}

TEST(may_collide)
{
    pinion_model *m = load(every);
    if (!m) return;
    CHECK(!may(m, "ground", "hills"));  /* one body */
    CHECK(!may(m, "ground", "box"));    /* the joint of one is on the other */
    CHECK(may(m, "ground", "rod"));
    CHECK(!may(m, "ground", "point"));  /* excluded */
    CHECK(!may(m, "box", "rod"));       /* parent and child */
    CHECK(may(m, "box", "point"));
    CHECK(!may(m, "pill", "end"));      /* one group, and parent and child */
    CHECK(may(m, "egg", "end"));        /* a pair, though parent and child */
    CHECK(!may(m, "egg", "point"));
    CHECK(!may(m, "egg", "ground"));    /* neither is in the other's mask */
    CHECK(!pinion_model_may_collide(m, 0, 99) && !pinion_model_may_collide(m, 3, 3));
    pinion_model_free(m);
}

/* A body with several joints hangs on the one it is in, through the links without mass that are between them. */
TEST(several_joints)
{
    const char *mjcf = "<mujoco><worldbody><geom name='floor' type='plane' size='1 1 1'/><body name='a'><joint/>"
                       "<geom name='a' size='.1'/><body name='b'><joint/><joint axis='1 0 0'/><joint axis='0 1 0'/>"
                       "<geom name='b' size='.1'/><body name='c'><joint/><geom name='c' size='.1'/></body></body>"
                       "</body></worldbody></mujoco>";
    pinion_model *m = load(mjcf), *back = m ? again(m, PINION_FORMAT_JSON) : NULL;
    const pinion_model *both[2] = {m, back};
    for (int k = 0; k < 2 && both[k]; k++) {
        CHECK(!may(both[k], "a", "b") && !may(both[k], "b", "c") && may(both[k], "a", "c"));
        CHECK(may(both[k], "floor", "a") && may(both[k], "floor", "b"));
    }
    CHECK(m && pinion_model_link_count(m) == 6);
    pinion_model_free(m);
    pinion_model_free(back);
    /* as does what two joints and a link without mass make a universal joint of; with a shape on it, it is a body */
    const char *urdf = "<robot name='r'><link name='a'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'"
                       " ixy='0' ixz='0' iyz='0'/></inertial><collision name='a'><geometry><sphere radius='1'/>"
                       "</geometry></collision></link><link name='x'>%s</link><link name='b'><inertial>"
                       "<mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>"
                       "<collision name='b'><geometry><sphere radius='1'/></geometry></collision></link>"
                       "<joint name='j' type='continuous'><parent link='a'/><child link='x'/></joint>"
                       "<joint name='k' type='continuous'><axis xyz='0 1 0'/><parent link='x'/><child link='b'/>"
                       "</joint></robot>";
    char text[1500];
    for (int k = 0; k < 2; k++) {
        snprintf(text, sizeof text, urdf,
                 k ? "<collision name='x'><geometry><sphere radius='1'/></geometry></collision>" : "");
        m = load(text);
        if (m) CHECK(may(m, "a", "b") == k);
        pinion_model_free(m);
    }
}

/* The links of a base collide with what hangs on another link of it, or on the root called "world". */
TEST(base)
{
    const char *text = "{\"pinion\": 1, \"links\": [{\"name\": \"%s\", \"collisions\": [{\"name\": \"floor\","
                       "\"shape\": \"plane\"}]}, {\"name\": \"wall\", \"collisions\": [{\"name\": \"wall\","
                       "\"shape\": \"box\", \"size\": [1, 1, 1]}]}, {\"name\": \"x\", \"mass\": 1, \"collisions\":"
                       "[{\"name\": \"x\", \"shape\": \"sphere\", \"radius\": 1}]}], \"joints\": [{\"name\": \"w\","
                       "\"type\": \"fixed\", \"parent\": \"%s\", \"child\": \"wall\"}, {\"name\": \"j\","
                       "\"type\": \"free\", \"parent\": \"%s\", \"child\": \"x\"}]}";
    for (int i = 0; i < 2; i++) {
        char full[1000];
        const char *root = i ? "world" : "base";
        snprintf(full, sizeof full, text, root, root, root);
        pinion_model *m = load(full);
        if (!m) return;
        CHECK(may(m, "floor", "x") == i);
        CHECK(may(m, "wall", "x"));
        CHECK(!may(m, "wall", "floor"));
        pinion_model_free(m);
    }
}

static void refuse_shape(const char *shape, const char *why)
{
    char text[1000];
    snprintf(text, sizeof text, "{\"pinion\": 1, \"links\": [{\"name\": \"a\", \"collisions\": [\n{%s}]}]}", shape);
    refuse(text, why);
    refuse(text, "f:2");
}

TEST(refused)
{
    refuse_shape("\"shape\": \"box\", \"size\": [1, 0, 1]", "not above 0");
    refuse_shape("\"shape\": \"ball\"", "expected \"box\"");
    refuse_shape("\"shape\": \"sphere\", \"radius\": 1, \"length\": 1", "length");
    refuse_shape("\"shape\": \"sphere\", \"radius\": 1, \"dimension\": 2", "expected 1, 3, 4 or 6");
    refuse_shape("\"shape\": \"sphere\", \"radius\": 1, \"mask\": -1", "no integer");
    refuse_shape("\"shape\": \"sphere\", \"radius\": 1, \"restitution\": 2", "from 0 to 1");
    refuse_shape("\"shape\": \"mesh\"", "mesh");
    refuse_shape("\"shape\": \"mesh\", \"mesh\": \"a\", \"scale\": [1, 0, 1]", "scale of 0");
    refuse_shape("\"shape\": \"mesh\", \"points\": [[0, 0, 0]]", "too few points");
    refuse_shape("\"shape\": \"height_field\", \"size\": [1, 1], \"heights\": [[0, 1], [2]]", "2 numbers");
    refuse_shape("\"shape\": \"height_field\", \"size\": [1, 1], \"heights\": []", "without heights");
    refuse_shape("\"shape\": \"height_field\", \"size\": [1, 1], \"heights\": [[]]", "numbers");
    refuse("{\"pinion\": 1, \"links\": [{\"name\": \"a\"}],\n\"no_collisions\": [[\"a\", \"b\"]]}", "f:2");
    refuse("{\"pinion\": 1, \"links\": [{\"name\": \"a\"}],\n\"no_collisions\": [[\"a\"]]}", "two names of links");
    refuse("{\"pinion\": 1, \"links\": [{\"name\": \"a\"}],\n\"collision_pairs\": [{\"first\": \"x\","
           "\"second\": \"y\"}]}",
           "which does not exist");
    refuse("{\"pinion\": 1, \"links\": [{\"name\": \"a\", \"collisions\": [{\"name\": \"x\", \"shape\": \"sphere\","
           "\"radius\": 1}, {\"name\": \"x\", \"shape\": \"sphere\", \"radius\": 1}]}],"
           "\"collision_pairs\": [{\"first\": \"x\", \"second\": \"x\"}]}",
           "of which there are several");
}

TEST(builder)
{
    pinion_error err = {PINION_OK, 0, 0, ""};
    pinion_builder *b = pinion_builder_new("b");
    pinion_collision_def def = pinion_collision_def_default();
    pinion_collision_pair_def pair = pinion_collision_pair_def_default();
    CHECK_STATUS(pinion_builder_add_collision(b, NULL, &err), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_builder_add_collision(b, &def, &err), PINION_ERR_MODEL); /* no link */
    def.link = "a";
    def.shape = (pinion_shape)99;
    CHECK_STATUS(pinion_builder_add_collision(b, &def, &err), PINION_ERR_MODEL);
    def.shape = PINION_SHAPE_SPHERE;
    def.friction[0] = NAN;
    CHECK_STATUS(pinion_builder_add_collision(b, &def, &err), PINION_ERR_MODEL);
    def.friction[0] = -5;
    def.cookie = 0;
    CHECK_STATUS(pinion_builder_add_collision(b, &def, &err), PINION_ERR_ARGUMENT);
    def.cookie = pinion_collision_def_default().cookie;
    CHECK_STATUS(pinion_builder_add_collision(b, &def, &err), PINION_OK);
    CHECK_STATUS(pinion_builder_add_collision_pair(b, &pair, &err), PINION_ERR_MODEL);
    CHECK_STATUS(pinion_builder_add_exclusion(b, "a", "", 0, NULL), PINION_ERR_MODEL);
    CHECK(!pinion_builder_build(b, NULL, &err)); /* there is no link a */
    pinion_link_def link = pinion_link_def_default();
    link.name = "a";
    CHECK_STATUS(pinion_builder_add_link(b, &link, &err), PINION_OK);
    pinion_model *m = pinion_builder_build(b, NULL, &err);
    pinion_collision_info info;
    CHECK_STATUS(pinion_model_collision(m, 0, &info), PINION_OK);
    CHECK(info.friction[0] == -1 && strcmp(info.name, "") == 0);
    CHECK_STATUS(pinion_model_collision(m, 1, &info), PINION_ERR_ARGUMENT);
    CHECK(strcmp(pinion_shape_name(PINION_SHAPE_HEIGHT_FIELD), "height_field") == 0);
    CHECK(!pinion_shape_name(PINION_SHAPE_COUNT));
    pinion_model_free(m);
    pinion_builder_free(b);
}

/* ---------------------------------------------------------------------------------------------
 * Other formats */

TEST(urdf)
{
    pinion_model *m = load("<robot name='r'><link name='a'><collision name='c1'><origin xyz='1 2 3' rpy='0 0 1'/>"
                           "<geometry><box size='1 2 3'/></geometry></collision><collision><geometry>"
                           "<mesh filename='package://p/x.stl' scale='1 1 2'/></geometry></collision>"
                           "<collision><geometry><dodecahedron/></geometry></collision>"
                           "<collision><geometry><sphere radius='-1'/></geometry></collision></link></robot>");
    if (!m) return;
    CHECK(pinion_model_collision_count(m) == 2);
    CHECK(has_warning(m, "a shape that is not known") && has_warning(m, "expected one above 0"));
    CHECK(named(m, "c1").pose.position[1] == 2 && named(m, "c1").size[2] == 3 && named(m, "c1").friction[0] == -1);
    pinion_model *back = again(m, PINION_FORMAT_URDF);
    if (back) check_same(m, back);
    pinion_model_free(back);
    pinion_model_free(m);
}

static const char mjcf[] =
    "<mujoco><default><geom friction='0.8'/><pair condim='4'/><default class='look'><geom contype='0'"
    " conaffinity='0'/></default></default><asset><hfield name='h' nrow='2' ncol='3' size='1 2 .5 .1'"
    " elevation='0 0 1  2 2 2'/><mesh name='tet' vertex='0 0 0 1 0 0 0 1 0 0 0 1' refpos='1 0 0'/></asset><worldbody>"
    "<geom name='floor' type='plane' size='1 0 .1'/><geom name='hills' type='hfield' hfield='h'/>"
    "<body name='a' pos='0 0 1'><freejoint/><geom name='ga' type='box' size='.1 .2 .3' contype='5' margin='.01'/>"
    "<geom name='gm' type='mesh' mesh='tet'/><geom name='v' class='look' size='.1'/><geom class='look' size='.1'/>"
    "<body name='b' pos='0 0 .5'><joint axis='1 0 0'/><geom name='gb' type='ellipsoid' size='.1 .2 .3' condim='6'"
    " solref='0.1 1'/><body name='c' pos='0 0 .5'><joint axis='1 0 0'/><geom name='gc' type='capsule'"
    " fromto='0 0 0 0 0 1' size='.05'/></body></body></body></worldbody><contact><exclude body1='a' body2='c'/>"
    "<pair geom1='v' geom2='gb' friction='0.5 0.5 .1'/></contact></mujoco>";

TEST(mjcf)
{
    pinion_model *m = load(mjcf);
    if (!m) return;
    pinion_collision_pair_info pair;
    const pinion_collision_info hills = named(m, "hills"), ga = named(m, "ga"), gc = named(m, "gc"),
                                gm = named(m, "gm");
    CHECK(pinion_model_collision_count(m) == 7);
    CHECK(hills.size[0] == 2 && hills.size[1] == 4 && hills.size[2] == 0.1);
    CHECK(hills.data[0] == 0.5 && hills.data[3] == 0 && hills.data[5] == 0.25); /* the text starts at the largest y */
    CHECK(ga.size[0] == 0.2 && ga.category == 5 && ga.mask == 1 && ga.margin == 0.01 && ga.friction[0] == 0.8);
    CHECK(ga.friction[1] == 0.005 && gc.size[1] == 1 && gc.pose.position[2] == 0.5);
    CHECK(gm.rows == 4 && gm.data[0] == -1 && named(m, "gb").dimension == 6 && named(m, "floor").size[0] == 2);
    CHECK(may(m, "floor", "ga") && may(m, "floor", "gc") && !may(m, "ga", "gc") && !may(m, "ga", "gb"));
    CHECK(may(m, "v", "gb") && !may(m, "v", "floor"));
    CHECK_STATUS(pinion_model_collision_pair(m, 0, &pair), PINION_OK);
    CHECK(pair.friction[0] == 0.5 && pair.friction[1] == 0.1 && pair.friction[2] == -1 && pair.dimension == 4);
    CHECK(has_warning(m, "1 softness of a collision"));
    pinion_model *back = again(m, PINION_FORMAT_JSON);
    if (back) check_same(m, back);
    pinion_model_free(back);
    pinion_model_free(m);
    refuse("<mujoco><worldbody><body name='a'/></worldbody><contact>\n<exclude body1='a' body2='b'/></contact>"
           "</mujoco>",
           "f:2");
    refuse("<mujoco><worldbody/><contact>\n<pair geom1='a' geom2='b'/></contact></mujoco>", "which is not there");
}

/* What cannot be read of a geom costs the collision, and is told. */
TEST(mjcf_left_out)
{
    pinion_model *m = load("<mujoco><asset><mesh name='m' file='m.stl'/><hfield name='h' file='h.png' size='1 1 1 1'/>"
                           "</asset><option><flag contact='disable'/></option><worldbody><geom name='h' type='hfield'"
                           " hfield='h'/><geom name='k' size='1'/><geom name='fit' type='box' mesh='m'/>"
                           "<geom name='m' type='mesh' mesh='m'/></worldbody><contact><pair geom1='k' geom2='h'/>"
                           "</contact></mujoco>");
    if (!m) return;
    CHECK(pinion_model_collision_count(m) == 2 && pinion_model_collision_pair_count(m) == 0);
    CHECK(has_warning(m, "h.png") && has_warning(m, "contact is switched off"));
    CHECK(has_warning(m, "m.stl") && has_warning(m, "<pair> has a geom whose collision is left out"));
    CHECK(named(m, "m").mesh && strcmp(named(m, "m").mesh, "m.stl") == 0);
    pinion_model_free(m);
}

TEST(sdf)
{
    pinion_model *m = load(
        "<sdf version='1.9'><world name='w'><model name='g'><static>1</static><link name='l'><collision name='c'>"
        "<geometry><plane><normal>1 0 0</normal><size>2 3</size></plane></geometry></collision></link></model>"
        "<model name='r'><link name='a'><inertial><mass>1</mass></inertial><collision name='c'><pose>0 0 1 0 0 0</pose>"
        "<geometry><cone><radius>.1</radius><length>.3</length></cone></geometry><surface><friction><ode><mu>.6</mu>"
        "<mu2>.5</mu2></ode></friction><bounce><restitution_coefficient>.3</restitution_coefficient></bounce>"
        "<contact><collide_bitmask>0x02</collide_bitmask></contact></surface></collision>"
        "<collision name='d'><geometry><heightmap><uri>x</uri></heightmap></geometry></collision></link>"
        "<link name='b'><collision name='c'><geometry><mesh><uri>model://x/b.stl</uri></mesh></geometry></collision>"
        "</link><joint name='j' type='revolute'><parent>a</parent><child>b</child><axis><xyz>0 0 1</xyz></axis></joint>"
        "<link name='e'><collision name='c'><geometry><sphere><radius>1</radius></sphere></geometry></collision>"
        "</link><joint name='k' type='revolute'><parent>b</parent><child>e</child><axis><xyz>0 0 1</xyz></axis>"
        "</joint></model></world></sdf>");
    if (!m) return;
    CHECK(pinion_model_collision_count(m) == 4);
    const pinion_collision_info plane = named(m, "g::l::c"), cone = named(m, "r::a::c"), mesh = named(m, "r::b::c");
    CHECK(plane.pose.rotation[2] == 1 && plane.size[1] == 3 && plane.mask == 65535 && plane.friction[0] == 1);
    CHECK(cone.shape == PINION_SHAPE_CONE && cone.pose.position[2] == 1 && cone.friction[0] == 0.6);
    CHECK(cone.restitution == 0.3 && cone.mask == 2 && cone.category == 2);
    CHECK(mesh.mesh && strcmp(mesh.mesh, "model://x/b.stl") == 0);
    CHECK(has_warning(m, "<heightmap>, which is not read") && has_warning(m, "mu2"));
    CHECK(may(m, "g::l::c", "r::a::c") && !may(m, "r::a::c", "r::e::c")); /* no model collides with itself */
    pinion_model_free(m);
}

/* ---------------------------------------------------------------------------------------------
 * Models made of others */

TEST(compose)
{
    pinion_error err = {PINION_OK, 0, 0, ""};
    pinion_model *m = load(every);
    if (!m) return;
    const int joint = pinion_model_find_joint(m, "b"), at = pinion_model_find_frame(m, "tip");
    double q[3] = {0, 0, 0};
    pinion_model *fixed = pinion_model_reduce(m, 1, &joint, q, &err);
    pinion_model *two = pinion_model_attach(m, at, m, "left_", NULL, &err);
    CHECK(fixed && two);
    if (fixed) CHECK(pinion_model_collision_count(fixed) == 12 && may(fixed, "egg", "end"));
    if (fixed) CHECK(!may(fixed, "box", "rod"));
    if (two) {
        CHECK(pinion_model_collision_count(two) == 24 && pinion_model_exclusion_count(two) == 2);
        CHECK(pinion_model_collision_pair_count(two) == 2 && may(two, "left_egg", "left_end"));
        CHECK(named(two, "pill").group == 3 && named(two, "left_pill").group == 6 && may(two, "pill", "left_pill"));
    }
    pinion_model_free(two);
    pinion_model_free(fixed);
    pinion_model_free(m);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(native);
    RUN(may_collide);
    RUN(several_joints);
    RUN(base);
    RUN(refused);
    RUN(builder);
    RUN(urdf);
    RUN(mjcf);
    RUN(mjcf_left_out);
    RUN(sdf);
    RUN(compose);
    return CHECK_END();
}
