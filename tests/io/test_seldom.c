/* What files seldom have: XML that is all but plain, SRDF of other robots, models whose parts a format has no words
 * for, files named by their ending alone. */
#define _GNU_SOURCE
#include "check.h"
#include "pinion/pinion.h"

#include <unistd.h>

static char folder[] = "/tmp/pinion-seldom-XXXXXX";
#include "folder.h"

static pinion_model *load(const char *text, const char *srdf, pinion_error *err)
{
    pinion_load_options o = pinion_load_options_default();
    memset(err, 0, sizeof *err);
    o.srdf = srdf;
    return pinion_load_string(text, strlen(text), PINION_FORMAT_AUTO, "r.urdf", &o, err);
}

#define BODY "<link name='a'/><link name='b'><inertial><mass value='2'/><inertia ixx='1' iyy='1' izz='1' ixy='0' " \
             "ixz='0' iyz='0'/></inertial></link><joint name='j' type='continuous'><parent link='a'/>" \
             "<child link='b'/></joint>"

/* Comments, instructions, sections and references leave the model as it is without them. */
TEST(xml_that_is_not_plain)
{
    pinion_error err;
    static const char *const text[] = {
        "<?xml version='1.0'?>\n<!DOCTYPE robot [<!-- nothing --> ]>\n<robot name='r'>" BODY "</robot>",
        "<?xml version='1.0'?><?style sheet='x'?><robot name='r'><?pi?><!-- c -->" BODY
        "</robot><!-- end -->\n<?end?>\n",
        "<robot name='r'><gazebo><![CDATA[ any < & > text ]]></gazebo>" BODY "</robot>",
        "<!DOCTYPE robot SYSTEM 'robot.dtd' >\n<robot name='r'>" BODY "</robot>"};
    for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
        pinion_model *m = load(text[i], NULL, &err);
        if (!m) CHECK_FAIL("%zu: %s", i, err.message);
        CHECK(m && pinion_model_nv(m) == 1 && strcmp(pinion_model_name(m), "r") == 0);
        pinion_model_free(m);
    }

    /* characters of two, three and four bytes, by number */
    pinion_model *m = load("<robot name='&#xe9;&#8364;&#x1f916;&amp;'>" BODY "</robot>", NULL, &err);
    CHECK(m && strcmp(pinion_model_name(m), "\xc3\xa9\xe2\x82\xac\xf0\x9f\xa4\x96&") == 0);
    pinion_model_free(m);
}

TEST(xml_that_is_refused)
{
    pinion_error err;
    static const struct {
        const char *text, *why;
    } list[] = {
        {"<!DOCTYPE robot [<!ENTITY e 'x'>]><robot name='&e;'/>", "entity"},
        {"<!DOCTYPE robot [<!NOTATION n SYSTEM 'n'>]><robot name='r'/>", "which is not accepted"},
        {"<!DOCTYPE robot [<!ENTITY e SYSTEM 'f' NDATA n>]><robot name='r'/>", ""},
        {"<robot name='r'><?pi", ""},
        {"<robot name='r'><![CDATA[ no end </robot>", ""},
        {"<!DOCTYPE robot [ <!-- c --> <robot name='r'/>", ""},
        {"<robot name='r'>&unknown;</robot>", ""},
        {"<robot name='r'><a></b></robot>", ""},
        {"<robot name='r' name='s'/>", ""},
        {"<robot name='a\1b'/>", ""}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        pinion_model *m = load(list[i].text, NULL, &err);
        if (m) CHECK_FAIL("%zu loads", i);
        CHECK_STATUS(err.status, PINION_ERR_PARSE);
        CHECK(strncmp(err.message, "r.urdf", 6) == 0);
        CHECK_HAS(err.message, list[i].why);
        pinion_model_free(m);
    }

    /* deeper than any robot */
    enum { DEEP = 3000 };
    char *text = (char *)malloc(7 * DEEP + 100), *at = text;
    at += sprintf(at, "<robot name='r'>");
    for (int i = 0; i < DEEP; i++) at += sprintf(at, "<a>");
    for (int i = 0; i < DEEP; i++) at += sprintf(at, "</a>");
    sprintf(at, "</robot>");
    CHECK(load(text, NULL, &err) == NULL);
    CHECK_HAS(err.message, "deep");
    free(text);
}

static const char *srdf_file(const char *text, size_t size)
{
    const char *path = in_folder("r.srdf");
    FILE *f = fopen(path, "wb");
    CHECK(f && fwrite(text, 1, size, f) == size);
    if (f) fclose(f);
    return path;
}

TEST(srdf_that_is_refused)
{
    pinion_error err;
    static const char zero[] = "<robot name='r'>\0</robot>";
    const char *model = "<robot name='r'>" BODY "</robot>";
    CHECK(load(model, srdf_file("<model name='r'/>", 17), &err) == NULL);
    CHECK_HAS(err.message, "the outermost element is <model>; expected <robot>");
    CHECK(load(model, srdf_file(zero, sizeof zero - 1), &err) == NULL);
    CHECK_HAS(err.message, "a zero byte; expected text in UTF-8");

    /* groups without end: of groups, and of members */
    size_t room = 6000000, used;
    char *text = (char *)malloc(room);
    used = (size_t)sprintf(text, "<robot name='r'>");
    for (int i = 0; i < 140000; i++) used += (size_t)sprintf(text + used, "<group name='g%d'/>", i);
    used += (size_t)sprintf(text + used, "</robot>");
    pinion_model *m = load(model, srdf_file(text, used), &err);
    CHECK(m == NULL);
    CHECK_HAS(err.message, "too many");
    pinion_model_free(m);
    free(text);
    remove(in_folder("r.srdf"));
}

/* By a name's ending a model is written in each format, and is the same robot when it is read again. */
TEST(formats_by_endings)
{
    pinion_error err;
    static const char *const name[] = {"m.json", "m.mjcf", "m.sdf", "m.urdf"};
    pinion_model *m = load("<robot name='r'>" BODY "</robot>", NULL, &err);
    pinion_work *w = pinion_work_new(m);
    const double q = 0.3, tau = 2;
    double a, again;
    CHECK_STATUS(pinion_forward_dynamics(m, w, &q, NULL, &tau, NULL, &a), PINION_OK);
    for (int i = 0; i < 4; i++) {
        CHECK_STATUS(pinion_save(m, in_folder(name[i]), PINION_FORMAT_AUTO, &err), PINION_OK);
        pinion_model *same = pinion_load(in_folder(name[i]), NULL, &err);
        if (!same) CHECK_FAIL("%s: %s", name[i], err.message);
        pinion_work *v = same ? pinion_work_new(same) : NULL;
        CHECK(v && pinion_model_nv(same) == 1);
        if (v) CHECK_STATUS(pinion_forward_dynamics(same, v, &q, NULL, &tau, NULL, &again), PINION_OK);
        CHECK_NEAR(again, a, 1e-14);
        pinion_work_free(v);
        pinion_model_free(same);
        remove(in_folder(name[i]));
    }
    CHECK_STATUS(pinion_save(m, in_folder("m.txt"), PINION_FORMAT_AUTO, &err), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_write_file("", "x", 1, &err), PINION_ERR_ARGUMENT);
    CHECK_HAS(err.message, "no file to write was named, or nothing to write");
    CHECK_STATUS(pinion_write_file(in_folder("m.txt"), NULL, 1, &err), PINION_ERR_ARGUMENT);
    pinion_work_free(w);
    pinion_model_free(m);
}

#define START "{\"pinion\": 1, \"name\": \"m\", \"links\": [{\"name\": \"a\"}, {\"name\": \"b\", \"mass\": 1, " \
              "\"inertia\": {\"xx\": 1, \"yy\": 1, \"zz\": 1}"
#define END "}], \"joints\": [{\"name\": \"j\", \"type\": \"continuous\", \"parent\": \"a\", \"child\": \"b\"}]"

/* Of each kind that URDF has no words for, a file that has to keep all of it is an error that names it. */
TEST(what_urdf_cannot_say)
{
    static const struct {
        const char *text, *why;
    } list[] = {
        {START ", \"gravity_compensation\": 1" END "}", "link 'b'"},
        {START END ", \"groups\": {\"g\": [\"j\"]}}", "group 'g'"},
        {START END ", \"states\": {\"s\": {\"q\": {\"j\": 1}}}}", "state 's'"},
        {START END ", \"actuators\": []}", "list of actuators"},
        {START END ", \"tendons\": [{\"name\": \"t\", \"joints\": [\"j\"], \"stiffness\": 1}]}", "tendon 't'"}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        pinion_error err = {PINION_OK, 0, 0, ""};
        pinion_model *m = pinion_load_string(list[i].text, strlen(list[i].text), PINION_FORMAT_JSON, "m", NULL, &err);
        if (!m) CHECK_FAIL("%zu: %s", i, err.message);
        CHECK_STATUS(pinion_save(m, in_folder("m.urdf"), PINION_FORMAT_URDF, &err), PINION_ERR_UNSUPPORTED);
        CHECK_HAS(err.message, list[i].why);
        CHECK(access(in_folder("m.urdf"), F_OK) != 0);
        pinion_model_free(m);
    }
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    if (!mkdtemp(folder)) return 1;
    RUN(xml_that_is_not_plain);
    RUN(xml_that_is_refused);
    RUN(srdf_that_is_refused);
    RUN(formats_by_endings);
    RUN(what_urdf_cannot_say);
    if (entries() != 0) CHECK_FAIL("files are left in %s", folder);
    rmdir(folder);
    return CHECK_END();
}
