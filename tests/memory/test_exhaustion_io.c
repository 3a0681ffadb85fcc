/* The n-th allocation fails, for every n, while model files are read and written. Each attempt either
 * succeeds, with the right result, or fails cleanly: no crash, no leak, no half-written file. */
#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>
#include "exhaust.h"
#include "pinion/pinion.h"

/* some of everything that a URDF can say */
static const char urdf[] =
    "<?xml version='1.0'?>\n"
    "<robot name='arm'>\n"
    "  <material name='grey'><color rgba='0.5 0.5 0.5 1'/></material>\n"
    "  <link name='base'>\n"
    "    <inertial><mass value='3'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial>\n"
    "    <visual><geometry><mesh filename='package://arm/base.stl'/></geometry>\n"
    "      <material name='grey'/></visual>\n"
    "  </link>\n"
    "  <link name='upper'>\n"
    "    <inertial><origin xyz='0.1 0 0.2' rpy='0.1 0.2 0.3'/><mass value='2'/>\n"
    "      <inertia ixx='0.1' ixy='0.01' ixz='0' iyy='0.1' iyz='0' izz='0.1'/></inertial>\n"
    "    <visual><origin xyz='0 0 0.1'/>\n"
    "      <geometry><cylinder radius='0.05' length='0.4'/></geometry></visual>\n"
    "  </link>\n"
    "  <link name='left'><inertial><mass value='0.1'/>\n"
    "    <inertia ixx='0.001' ixy='0' ixz='0' iyy='0.001' iyz='0' izz='0.001'/></inertial></link>\n"
    "  <link name='right'><inertial><mass value='0.1'/>\n"
    "    <inertia ixx='0.001' ixy='0' ixz='0' iyy='0.001' iyz='0' izz='0.001'/></inertial></link>\n"
    "  <link name='tool'/>\n"
    "  <joint name='shoulder' type='revolute'><origin xyz='0 0 0.5' rpy='0 0.5 0'/>\n"
    "    <parent link='base'/><child link='upper'/><axis xyz='0 1 0'/>\n"
    "    <limit lower='-1' upper='1' effort='10' velocity='2'/><dynamics damping='0.1' friction='0.2'/>\n"
    "  </joint>\n"
    "  <joint name='open' type='prismatic'>\n"
    "    <parent link='upper'/><child link='left'/><axis xyz='1 0 0'/>\n"
    "    <limit lower='0' upper='0.04' effort='10' velocity='2'/></joint>\n"
    "  <joint name='close' type='prismatic'>\n"
    "    <parent link='upper'/><child link='right'/><axis xyz='1 0 0'/>\n"
    "    <limit lower='0' upper='0.04' effort='10' velocity='2'/>\n"
    "    <mimic joint='open' multiplier='-1' offset='0.01'/></joint>\n"
    "  <joint name='weld' type='fixed'><origin xyz='0 0 0.4'/>\n"
    "    <parent link='upper'/><child link='tool'/></joint>\n"
    "</robot>\n";

/* ---- one text, read and written ---- */

typedef struct sample {
    const char *text; /* of a file */
    pinion_format in;
    pinion_model *model; /* what it means */
    char *said;          /* that model in the native format, to compare by */
    pinion_format out;
    char path[256]; /* a file with the text, or to be written */
} sample;

/* a model that was read although memory ran out is the right one */
static int same_model(const sample *x, const pinion_model *m)
{
    char *said = pinion_save_string(m, PINION_FORMAT_JSON, NULL);
    const int same = said && !strcmp(said, x->said);
    free(said);
    return same;
}

static int read_string(void *context, pinion_error *err)
{
    const sample *x = context;
    pinion_model *m = pinion_load_string(x->text, strlen(x->text), x->in, "arm", NULL, err);
    alloc_work();
    const int done = m != NULL;
    if (done && !same_model(x, m)) CHECK_FAIL("a model was read from a part of the text");
    pinion_model_free(m);
    return done;
}

static int read_file(void *context, pinion_error *err)
{
    const sample *x = context;
    pinion_model *m = pinion_load(x->path, NULL, err);
    alloc_work();
    const int done = m != NULL;
    if (done && !same_model(x, m)) CHECK_FAIL("a model was read from a part of the file");
    pinion_model_free(m);
    return done;
}

static int write_string(void *context, pinion_error *err)
{
    const sample *x = context;
    char *text = pinion_save_string(x->model, x->out, err);
    alloc_work();
    const int done = text != NULL;
    if (done) {
        char *whole = pinion_save_string(x->model, x->out, NULL);
        CHECK(whole && !strcmp(text, whole));
        free(whole);
    }
    pinion_free(text);
    return done;
}

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    CHECK(file != NULL);
    if (!file) return;
    CHECK(fputs(text, file) >= 0);
    CHECK(fclose(file) == 0);
}

/* entries of the folder that a file is in, but for . and .. */
static int entries_beside(const char *path)
{
    char folder[256];
    int count = 0;
    snprintf(folder, sizeof folder, "%s", path);
    *strrchr(folder, '/') = 0;
    DIR *d = opendir(folder);
    while (d && readdir(d)) count++;
    if (d) closedir(d);
    return count - 2;
}

/* whole or not at all: the old file stays until the new one is complete, and nothing is left beside it */
static int write_file(void *context, pinion_error *err)
{
    const sample *x = context;
    /* what is prepared here does not count */
    const long n = alloc_until;
    alloc_work();
    write_text(x->path, "old");
    alloc_until = n;
    const pinion_status status = pinion_save(x->model, x->path, x->out, err);
    alloc_work();
    char start[8] = "";
    FILE *file = fopen(x->path, "r");
    if (file) {
        if (!fgets(start, sizeof start, file)) start[0] = 0;
        fclose(file);
    }
    CHECK(status == PINION_OK ? strcmp(start, "old") != 0 && start[0] : !strcmp(start, "old"));
    CHECK(entries_beside(x->path) == 1);
    if (status == PINION_OK) {
        pinion_model *m = pinion_load(x->path, NULL, NULL);
        CHECK(m && pinion_model_nv(m) == pinion_model_nv(x->model));
        pinion_model_free(m);
    }
    return status == PINION_OK;
}

/* everything with the text; libraries that set themselves up once have done so by the loads before */
static void exhaust_sample(const char *text, pinion_format in)
{
    sample x = {text, in, NULL, NULL, PINION_FORMAT_JSON, ""};
    pinion_error err = {0};
    const char *place = getenv("TMPDIR");
    char folder[200];
    snprintf(folder, sizeof folder, "%s/pinion-test-XXXXXX", place ? place : P_tmpdir);
    x.model = pinion_load_string(text, strlen(text), in, "arm", NULL, &err);
    if (!x.model) CHECK_FAIL("%s", err.message);
    x.said = x.model ? pinion_save_string(x.model, PINION_FORMAT_JSON, &err) : NULL;
    char *urdf_too = x.model ? pinion_save_string(x.model, PINION_FORMAT_URDF, &err) : NULL;
    CHECK(x.said && urdf_too && mkdtemp(folder));
    if (x.said && urdf_too) {
        free(urdf_too);
        exhaust(read_string, &x, OR_PARSE);
        exhaust(write_string, &x, ONLY_MEMORY);
        x.out = PINION_FORMAT_URDF;
        exhaust(write_string, &x, ONLY_MEMORY);

        snprintf(x.path, sizeof x.path, "%s/model.txt", folder);
        write_text(x.path, text);
        exhaust(read_file, &x, OR_PARSE);
        exhaust(write_file, &x, ONLY_MEMORY);
        x.out = PINION_FORMAT_JSON;
        exhaust(write_file, &x, ONLY_MEMORY);
        unlink(x.path);
    }
    rmdir(folder);
    free(x.said);
    pinion_model_free(x.model);
}

TEST(urdf)
{
    if (!ALLOCATOR) SKIP(allocator_absent);
    exhaust_sample(urdf, PINION_FORMAT_URDF);
    exhaust_sample(urdf, PINION_FORMAT_AUTO);
}

/* A text from a file, which may name others, or from memory */
static void exhaust_file(const char *folder, const char *name, const char *text, pinion_format format, int from_file)
{
    sample x = {text, format, NULL, NULL, PINION_FORMAT_JSON, ""};
    pinion_error err = {0};
    snprintf(x.path, sizeof x.path, "%s/%s", folder, name);
    write_text(x.path, x.text);
    x.model = pinion_load(x.path, NULL, &err);
    if (!x.model) CHECK_FAIL("%s", err.message);
    x.said = x.model ? pinion_save_string(x.model, PINION_FORMAT_JSON, &err) : NULL;
    if (x.said) exhaust(from_file ? read_file : read_string, &x, OR_PARSE);
    unlink(x.path);
    free(x.said);
    pinion_model_free(x.model);
}

/* MJCF: classes, copies, geoms, a mesh and its hull, ties and actuators; from a file also an include and an
 * attachment */
TEST(mjcf)
{
    if (!ALLOCATOR) SKIP(allocator_absent);
    static const char text[] = "<mujoco><default><default class='k'><joint "
                               "damping='1'/></default></default><asset><mesh name='m' vertex='0 0 0 1 0 0 "
                               "0 1 0 0 0 1 0.1 0.1 0.1'/></asset><worldbody><body name='a' "
                               "childclass='k'><joint name='i'/><joint name='j'/><geom "
                               "type='mesh' mesh='m'/><geom size='1'/><site name='s'/></body><replicate "
                               "count='2'><body><joint/><geom size='1'/></body>"
                               "</replicate></worldbody><tendon><fixed name='t' range='0 1'><joint joint='i' "
                               "coef='2'/></fixed></tendon><equality><joint "
                               "joint1='i' joint2='j'/><weld body1='a'/></equality><actuator><motor "
                               "tendon='t'/><motor site='s'/></actuator>%s</mujoco>";
    char plain[1000], whole[1100], folder[200], part[220];
    const char *place = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/pinion-test-XXXXXX", place ? place : P_tmpdir);
    snprintf(plain, sizeof plain, text, "");
    snprintf(whole, sizeof whole, text,
             "<asset><model name='p' file='part.xml'/></asset><worldbody><attach model='p' prefix='p'/>"
             "</worldbody><include file='part.xml'/>");
    CHECK(mkdtemp(folder) != NULL);
    snprintf(part, sizeof part, "%s/part.xml", folder);
    write_text(part, "<mujoco><worldbody><body name='q'><inertial pos='0 0 0' mass='1' diaginertia='1 1 "
                     "1'/></body></worldbody>"
                     "</mujoco>");
    for (int i = 0; i < 2; i++) exhaust_file(folder, "model.xml", i ? whole : plain, PINION_FORMAT_MJCF, i);
    unlink(part);
    rmdir(folder);
}

/* SDF: frames, a loop, shapes that weigh, an included and a merged model */
TEST(sdf)
{
    if (!ALLOCATOR) SKIP(allocator_absent);
    static const char text[] =
        "<sdf version='1.6'><world name='w'><model name='m'><link name='a'/><link name='b'><inertial auto='true'/>"
        "<collision name='c'><geometry><box/></geometry></collision><visual name='v'><geometry><mesh><uri>x</uri>"
        "</mesh></geometry></visual></link><joint name='b' type='revolute'><parent>a</parent><child>b</child><axis/>"
        "</joint><joint name='j' type='revolute2'><parent>a</parent><child>b</child><axis/><axis2><xyz>1 0 1</xyz>"
        "</axis2></joint><frame name='f' attached_to='b'><pose>1 0 0 0 0 0</pose></frame><link name='l'><foo/></link>"
        "</model><frame name='m'/>%s</world></sdf>";
    char plain[1200], whole[1400], folder[200], part[220];
    const char *place = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/pinion-test-XXXXXX", place ? place : P_tmpdir);
    snprintf(plain, sizeof plain, text, "");
    snprintf(whole, sizeof whole, text,
             "<include><uri>part.sdf</uri><name>n</name></include><model name='o'><include merge='true'>"
             "<uri>part.sdf</uri></include></model>");
    CHECK(mkdtemp(folder) != NULL);
    snprintf(part, sizeof part, "%s/part.sdf", folder);
    write_text(part, "<sdf version='1.9'><model name='p'><link name='q'/></model></sdf>");
    for (int i = 0; i < 2; i++) exhaust_file(folder, "model.sdf", i ? whole : plain, PINION_FORMAT_SDF, i);
    unlink(part);
    rmdir(folder);
}

TEST(json)
{
    if (!ALLOCATOR) SKIP(allocator_absent);
    /* the same robot in the native format */
    pinion_error err = {0};
    pinion_model *m = pinion_load_string(urdf, strlen(urdf), PINION_FORMAT_URDF, NULL, NULL, &err);
    char *text = m ? pinion_save_string(m, PINION_FORMAT_JSON, &err) : NULL;
    if (!text) CHECK_FAIL("%s", err.message);
    if (text) exhaust_sample(text, PINION_FORMAT_JSON);
    pinion_free(text);
    pinion_model_free(m);
}

/* the rows of a Denavit-Hartenberg table take another way through the reader */
TEST(json_with_a_table)
{
    if (!ALLOCATOR) SKIP(allocator_absent);
    static const char text[] =
        "{\"pinion\": 1, \"name\": \"two\", \"gravity\": [0, 0, -9.81],\n"
        " \"dh\": {\"convention\": \"classic\", \"angles\": \"degrees\", \"rows\": [\n"
        "  {\"joint\": \"a\", \"link\": \"l1\", \"type\": \"revolute\", \"a\": 0.5, \"d\": 0.2,\n"
        "   \"alpha\": -90, \"mass\": 9, \"com\": [0, 0.1, 0],\n"
        "   \"inertia\": {\"xx\": 0.01, \"yy\": 0.02, \"zz\": 0.01}},\n"
        "  {\"joint\": \"b\", \"link\": \"l2\", \"type\": \"prismatic\", \"a\": 0, \"theta\": 30,\n"
        "   \"alpha\": 0, \"mass\": 4, \"com\": [0, 0, 0],\n"
        "   \"inertia\": {\"xx\": 0.4, \"yy\": 0.4, \"zz\": 0.01}}]}}\n";
    exhaust_sample(text, PINION_FORMAT_JSON);
}

/* files that are refused are refused without a leak too, whatever runs out */
static int read_bad(void *context, pinion_error *err)
{
    const char *text = context;
    pinion_model *m = pinion_load_string(text, strlen(text), PINION_FORMAT_AUTO, NULL, NULL, err);
    alloc_work();
    CHECK(m == NULL);
    pinion_model_free(m);
    if (alloc_failed) return 0;
    return 1; /* the answer when nothing is refused: the text is bad, as it should be */
}

static int read_bad_any_status(void *context, pinion_error *err)
{
    const int done = read_bad(context, err);
    /* the text may be found bad before memory runs out */
    if (!done && err->status != PINION_ERR_MEMORY && err->message[0]) err->status = PINION_ERR_MEMORY;
    return done;
}

TEST(bad_files)
{
    if (!ALLOCATOR) SKIP(allocator_absent);
    static char *const texts[] = {
        "<robot name=\"a\"><link name=\"x\"/><link name=\"y\"/></robot>",
        "<robot name=\"a\"><link name=\"x\"><inertial><mass value=\"heavy\"/></inertial></link></robot>",
        "<robot name=\"a\"><link name=\"x\"/><link",
        "<robot/>",
        "{\"pinion\": 1, \"name\": \"a\", \"links\": [{\"name\": 3}]}",
        "{\"pinion\": 1, \"name\": ",
        "{}",
        "nothing"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        /* libraries that set themselves up at the first mistake have done so then */
        pinion_error err = {0};
        CHECK(!pinion_load_string(texts[i], strlen(texts[i]), PINION_FORMAT_AUTO, NULL, NULL, &err));
        CHECK(err.message[0] != 0);
        exhaust(read_bad_any_status, texts[i], OR_PARSE);
    }
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    setvbuf(stdout, NULL, _IOLBF, 0);
    RUN(urdf);
    RUN(mjcf);
    RUN(sdf);
    RUN(json);
    RUN(json_with_a_table);
    RUN(bad_files);
    return CHECK_END();
}
