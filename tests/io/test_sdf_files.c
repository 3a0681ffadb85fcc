/* SDF in several files: where included models are looked for, and what becomes of them. */
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "pinion/pinion.h"

static char folder[] = "/tmp/pinion-sdf-XXXXXX";
#include "folder.h"

static void put(const char *name, const char *text)
{
    pinion_error err = {PINION_OK, 0, 0, ""};
    CHECK_STATUS(pinion_write_file(in_folder(name), text, strlen(text), &err), PINION_OK);
}

static pinion_model *open_text(const char *text, const pinion_load_options *o, pinion_error *err)
{
    put("worlds/main.sdf", text);
    return pinion_load(in_folder("worlds/main.sdf"), o, err);
}

static pinion_model *load(const char *text)
{
    pinion_error err = {PINION_OK, 0, 0, ""};
    pinion_model *m = open_text(text, NULL, &err);
    if (!m) CHECK_FAIL("%.200s: %s", text, err.message);
    return m;
}

/* The folders: an arm beside the world, a hand with several versions above it, a cup elsewhere. */
static void put_models(void)
{
    static const char *const folders[] = {"worlds", "hand", "shelf", "shelf/cup", "empty"};
    for (int i = 0; i < 5; i++) CHECK(mkdir(in_folder(folders[i]), 0700) == 0);
    put("worlds/arm.sdf",
        "<sdf version='1.8'><model name='arm'><pose>7 7 7 0 0 0</pose><link name='base'/><link "
        "name='tip'><pose>0 0 1 0 0 0"
        "</pose><visual name='v'><geometry><mesh><uri>meshes/x.stl</uri></mesh></geometry></visual></link>"
        "<joint name='j' "
        "type='revolute'><parent>base</parent><child>tip</child><axis/></joint></model></sdf>");
    put("hand/model.config",
        "<model><name>hand</name><sdf version='1.4'>old.sdf</sdf><sdf version='1.9'>new.sdf</sdf>"
        "<sdf version='1.99'>later.sdf</sdf></model>");
    put("hand/new.sdf",
        "<sdf version='1.9'><model name='hand'><link name='palm'/><frame name='f'><pose>0 1 0 0 0 0</pose>"
        "</frame><include><uri>sub.sdf</uri></include></model></sdf>");
    put("hand/sub.sdf",
        "<sdf version='1.9'><model name='sub'><link name='x'><visual name='v'><geometry><mesh><uri>m.stl"
        "</uri></mesh></geometry></visual></link></model></sdf>");
    put("shelf/cup/model.config", "<model><sdf version='1.6'>cup.sdf</sdf></model>");
    put("shelf/cup/cup.sdf", "<sdf version='1.6'><model name='cup'><link name='c'/></model></sdf>");
    put("self.sdf", "<sdf version='1.6'><model name='self'><link "
                    "name='c'/><include><uri>self.sdf</uri></include></model></sdf>");
    put("light.sdf", "<sdf version='1.6'><light name='l' type='point'/></sdf>");
    put("bare.sdf", "<sdf version='1.9'><!-- nothing --></sdf>");
    put("lamp.sdf", "<sdf version='1.9'><model name='a'><link name='l'/></model><light name='l' type='spot'/></sdf>");
    put("urdf.sdf", "<robot name='r'><link name='a'/></robot>");
}

static double pose_of(const pinion_model *m, const char *name, int axis)
{
    pinion_frame_info f;
    pinion_joint_info j;
    pinion_link_info l;
    const int frame = pinion_model_find_frame(m, name);
    if (frame < 0) CHECK_FAIL("there is no frame %s", name);
    if (frame < 0) return 0;
    CHECK(pinion_model_frame(m, frame, &f) == PINION_OK && pinion_model_link(m, f.link, &l) == PINION_OK);
    CHECK(pinion_model_joint(m, l.joint, &j) == PINION_OK && j.type == PINION_JOINT_FREE);
    return j.initial_q[4 + axis] + f.pose.position[axis]; /* nothing here is turned */
}

TEST(includes)
{
    pinion_model *m =
        load("<sdf version='1.9'><world name='w'><frame name='t'><pose>1 0 0 0 0 0</pose></frame>"
             "<include><uri>arm.sdf</uri></include>"
             "<include><uri>arm.sdf</uri><name>b</name><pose relative_to='t'>0 0 5 0 0 0</pose>"
             "<placement_frame>tip</placement_frame></include>"
             "<include><uri>file://arm.sdf</uri><name>s</name><static>true</static></include>"
             "<include><uri>model://hand</uri><pose>0 0 0 0 0 0</pose></include>"
             "<include><uri>../light.sdf</uri></include></world></sdf>");
    CHECK(m && pinion_model_nv(m) == 7 + 7 + 6 + 6);
    if (m) {
        CHECK_NEAR(pose_of(m, "arm::base", 2), 7, 0);
        CHECK_NEAR(pose_of(m, "b::base", 2), 4, 1e-15);
        CHECK_NEAR(pose_of(m, "b", 0), 1, 1e-15);
        CHECK_NEAR(pose_of(m, "hand::f", 1), 1, 0);
        CHECK(pinion_model_find_link(m, "hand::sub::x") >= 0);

        /* meshes that another file names are beside that */
        pinion_visual_info v;
        CHECK_STATUS(pinion_model_visual(m, pinion_model_visual_count(m) - 1, &v), PINION_OK);
        CHECK_HAS(v.mesh, "/hand/m.stl");
    }
    pinion_model_free(m);
}

/* A file that is another one in a place of its own. */
TEST(alone)
{
    pinion_model *m = load("<sdf version='1.9'><include><uri>arm.sdf</uri><name>b</name><pose>0 1 5 0 0 0</pose>"
                           "<placement_frame>tip</placement_frame></include></sdf>");
    CHECK(m && pinion_model_nv(m) == 7);
    if (m) CHECK_NEAR(pose_of(m, "b::base", 2), 4, 1e-15);
    if (m) CHECK_NEAR(pose_of(m, "b", 1), 1, 0);
    pinion_model_free(m);
    pinion_error err = {PINION_OK, 0, 0, ""};
    CHECK(open_text("<sdf version='1.9'><include><uri>arm.sdf</uri></include><include><uri>arm.sdf</uri></include>"
                    "</sdf>",
                    NULL, &err) == NULL);
    CHECK_HAS(err.message, "a second <model>, <light> or <actor>");
}

/* What is not known is told of the file that it is in, by the words of that file's version. */
TEST(unknown_attributes)
{
    static const char text[] =
        "<sdf version='1.9'><world name='w'><include><uri>slip.sdf</uri></include></world></sdf>";
    put("worlds/slip.sdf",
        "<sdf version='1.6'><model name='s'>\n<link name='l'><pose frame='' relativ='x'/></link></model></sdf>");
    pinion_model *m = load(text);
    CHECK(m && pinion_model_warning_count(m) == 1);
    if (m) CHECK_HAS(pinion_model_warning(m, 0), "slip.sdf:2: <pose> has an attribute relativ, which is not known");
    pinion_model_free(m);
    pinion_error err = {PINION_OK, 0, 0, ""};
    pinion_load_options o = pinion_load_options_default();
    o.strict = 1;
    CHECK(open_text(text, &o, &err) == NULL);
    CHECK_HAS(err.message, "slip.sdf:2: <pose> has an attribute relativ");
    remove(in_folder("worlds/slip.sdf"));
}

TEST(merged)
{
    pinion_model *m = load(
        "<sdf version='1.9'><model name='robot'><include merge='true'><uri>arm.sdf</uri><pose>0 0 2 0 0 0"
        "</pose></include><link name='tool'><pose relative_to='tip'>0 0 1 0 0 0</pose></link>"
        "<joint name='k' type='fixed'><parent>tip</parent><child>tool</child></joint></model></sdf>");
    CHECK(m && pinion_model_nv(m) == 7 && pinion_model_find_joint(m, "robot::j") >= 0);
    CHECK(m && pinion_model_find_frame(m, "robot::_merged__arm__model__") >= 0);
    if (m) CHECK_NEAR(pose_of(m, "robot::base", 2), 2, 0);
    pinion_model_free(m);
}

TEST(model_path)
{
    static const char text[] =
        "<sdf version='1.9'><world name='w'><include><uri>model://cup</uri></include></world></sdf>";
    char path[300];
    pinion_load_options o = pinion_load_options_default();
    pinion_error err = {PINION_OK, 0, 0, ""};
    unsetenv("GZ_SIM_RESOURCE_PATH");
    CHECK(open_text(text, NULL, &err) == NULL && err.status == PINION_ERR_FILE);
    CHECK_HAS(err.message, "main.sdf:1: there is no 'model://cup'");
    snprintf(path, sizeof path, "/nowhere:%s", in_folder("shelf"));
    o.model_path = path;
    pinion_model *m = open_text(text, &o, &err);
    CHECK(m && pinion_model_nv(m) == 6);
    pinion_model_free(m);
    setenv("GZ_SIM_RESOURCE_PATH", path, 1);
    m = open_text(text, NULL, &err);
    CHECK(m && pinion_model_nv(m) == 6);
    pinion_model_free(m);

    /* never where the program happens to run */
    char here[1000];
    setenv("GZ_SIM_RESOURCE_PATH", ".:", 1);
    CHECK(getcwd(here, sizeof here) && chdir(in_folder("shelf")) == 0);
    CHECK(open_text(text, NULL, &err) == NULL);
    CHECK(chdir(here) == 0);
    unsetenv("GZ_SIM_RESOURCE_PATH");
}

/* A whole path is read where models are looked for, and elsewhere where the user says so. */
TEST(whole_paths)
{
    static const char text[] = "<sdf version='1.9'><world name='w'><include><uri>%s</uri></include></world></sdf>";
    char full[600];
    pinion_load_options o = pinion_load_options_default();
    pinion_error err = {PINION_OK, 0, 0, ""};
    snprintf(full, sizeof full, text, in_folder("shelf/cup"));
    pinion_model *m = open_text(full, NULL, &err);
    CHECK(m && pinion_model_nv(m) == 6);
    pinion_model_free(m);
    snprintf(full, sizeof full, text, "/etc/passwd");
    o.model_path = "/etc";
    CHECK(open_text(full, &o, &err) == NULL);
    CHECK(!strstr(err.message, "lies outside"));
}

TEST(refused)
{
    static const struct {
        const char *include, *part;
    } list[] = {
        {"<uri>nothing.sdf</uri>", "there is no 'nothing.sdf'"},
        {"<uri>https://host/model</uri>", "there is no 'https://host/model'"},
        {"<uri>model://empty</uri>", "has no model.config"},
        {"<uri>self.sdf</uri>", "self.sdf' includes itself"},
        {"<uri>urdf.sdf</uri>", "the outermost element is <robot>"},
        {"<uri>arm.sdf</uri><placement_frame>tip</placement_frame>", "no <pose>"},
        {"<uri>arm.sdf</uri><placement_frame>x</placement_frame><pose/>", "names 'x', which is not there"},
        {"<uri>../lamp.sdf</uri>", "a <light> behind a <model> in a file that is included"},
        {"<uri>../bare.sdf</uri>", "there is no <model>, <light> or <actor> to include; expected one"},
        {"<uri>main.sdf</uri>", "main.sdf' includes itself"},
        {"<uri>/etc/passwd</uri>", "'/etc/passwd' lies outside the folders"},
        {"<uri>file:///etc/passwd</uri>", "lies outside the folders"},
        {"<uri>../../../../../../../../../etc/passwd</uri>", "lies outside the folders"},
        {"<uri>model://../../../../../../../../../etc/passwd</uri>", "lies outside the folders"}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        char text[400];
        pinion_error err = {PINION_OK, 0, 0, ""};
        snprintf(text, sizeof text, "<sdf version='1.9'><world name='w'><include>%s</include></world></sdf>",
                 list[i].include);
        CHECK(open_text(text, NULL, &err) == NULL);
        CHECK_HAS(err.message, list[i].part);
    }
    pinion_error err = {PINION_OK, 0, 0, ""};
    CHECK(open_text("<sdf version='1.10'><world name='w'><include "
                    "merge='1'><uri>arm.sdf</uri></include></world></sdf>",
                    NULL, &err) == NULL);
    CHECK_HAS(err.message, "merged into a world");
    CHECK(open_text("<sdf version='1.9'><model name='m'><link name='l'/><include merge='1'><uri>../light.sdf</uri>"
                    "</include></model></sdf>",
                    NULL, &err) == NULL);
    CHECK_HAS(err.message, "a <light> is to be merged; expected a model");
}

/* Two cuboids of 1 x 2 x 3 m, one behind the other along x, in two objects. */
static const char cuboids[] =
    "o first\nv 0 0 0\nv 1 0 0\nv 1 2 0\nv 0 2 0\nv 0 0 3\nv 1 0 3\nv 1 2 3\nv 0 2 3\n"
    "f 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n"
    "o second\nv 1 0 0\nv 2 0 0\nv 2 2 0\nv 1 2 0\nv 1 0 3\nv 2 0 3\nv 2 2 3\nv 1 2 3\n"
    "f 9 12 11 10\nf 13 14 15 16\nf 9 10 14 13\nf 10 11 15 14\nf 11 12 16 15\nf 12 9 13 16\n";

static const char body_of_mesh[] =
    "<sdf version='1.11'><model name='m'><link name='a'><inertial auto='true'><density>%s</density></inertial>"
    "<collision name='c'><pose>0 0 1 0 0 0</pose><geometry><mesh><uri>%s</uri><scale>%s</scale></mesh></geometry>"
    "</collision></link></model></sdf>";

/* The solid within a mesh has its inertia, mirrored or not. */
TEST(inertia_of_meshes)
{
    put("worlds/cuboids.obj", cuboids);
    for (int i = 0; i < 2; i++) {
        char text[600];
        pinion_link_info link;
        snprintf(text, sizeof text, body_of_mesh, "10", "cuboids.obj", i ? ".5 1 -1" : ".5 1 1");
        pinion_model *m = load(text);
        if (!m) return;
        CHECK(pinion_model_link(m, pinion_model_find_link(m, "m::a"), &link) == PINION_OK);
        const pinion_inertia *x = &link.inertia; /* 1 x 2 x 3 m of 10 kg/m^3 */
        CHECK_NEAR(x->mass, 60, 1e-12 * 60);
        CHECK_NEAR(x->com[0], 0.5, 1e-14);
        CHECK_NEAR(x->com[1], 1, 1e-14);
        CHECK_NEAR(x->com[2], i ? -0.5 : 2.5, 1e-14);
        CHECK_NEAR(x->inertia[0], 60. / 12 * (4 + 9), 1e-12 * 60);
        CHECK_NEAR(x->inertia[3], 60. / 12 * (1 + 9), 1e-12 * 60);
        CHECK_NEAR(x->inertia[5], 60. / 12 * (1 + 4), 1e-12 * 60);
        for (int k = 1; k < 5; k++)
            if (k != 3) CHECK_NEAR(x->inertia[k], 0, 1e-12 * 60);
        pinion_model_free(m);
    }

    /* none that can be weighed: told, and an error where that is asked for */
    static const char *const wrong[][2] = {{"none.stl", "'none.stl' has no file that can be read"},
                                           {"../../../../etc/hostname.obj", "has no file that can be read"},
                                           {"arm.sdf", "none of the formats that are read"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char text[600];
        pinion_error err = {PINION_OK, 0, 0, ""};
        pinion_load_options o = pinion_load_options_default();
        snprintf(text, sizeof text, body_of_mesh, "10", wrong[i][0], "1 1 1");
        pinion_model *m = load(text);
        int told = 0;
        for (int k = 0; m && k < pinion_model_warning_count(m); k++)
            told += strstr(pinion_model_warning(m, k), wrong[i][1]) != NULL;
        CHECK(told == 1);
        pinion_model_free(m);
        o.strict = 1;
        CHECK(open_text(text, &o, &err) == NULL);
        CHECK_HAS(err.message, wrong[i][1]);
    }
    remove(in_folder("worlds/cuboids.obj"));
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    if (!mkdtemp(folder)) return 1;
    put_models();
    RUN(includes);
    RUN(alone);
    RUN(unknown_attributes);
    RUN(merged);
    RUN(model_path);
    RUN(whole_paths);
    RUN(refused);
    RUN(inertia_of_meshes);
    static const char *const files[] = {"worlds/main.sdf",   "worlds/arm.sdf", "hand/model.config",
                                        "hand/new.sdf",      "hand/sub.sdf",   "shelf/cup/model.config",
                                        "shelf/cup/cup.sdf", "self.sdf",       "light.sdf",      "lamp.sdf", "bare.sdf",
                                        "urdf.sdf",          "worlds",         "hand",
                                        "shelf/cup",         "shelf",          "empty"};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) remove(in_folder(files[i]));
    CHECK(entries() == 0);
    rmdir(folder);
    return CHECK_END();
}
