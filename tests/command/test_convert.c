/* `pinion convert`: what comes out says the same as what went in. */
#define _DEFAULT_SOURCE
#include "command.h"
#include "fixtures.h"

#include <glob.h>
#include <sys/stat.h>

static const char *const files[] = {"pendulum.urdf", "sliders.json", "one.json",  "two.urdf", "three.json",
                                    "out.URDF",      "odd.model",    "loop.json", "arm.xml",
                                    "hand.xml",      "robot.xacro",  "xacro",     "part.sdf",
                                    "world.sdf",     "one.srdf",     NULL};

/* What eval says about a model, as text, without the name of the file in it. */
static char *evaluate(const char *model, const char *states)
{
    answer a = run(states, "eval", model, "--states", "-", "--what",
                   "inverse_dynamics,forward_dynamics,mass_matrix,frames,energy,com,momentum", "--passive",
                   "on", (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    free(a.err);
    return a.out;
}

static void convert(const char *from, const char *to)
{
    answer a = run(NULL, "convert", from, "-o", to, (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK(a.out && !*a.out);
    /* nothing is said but what a model has no place for */
    int told = 0;
    for (const char *s = a.err; s && (s = strstr(s, " left out: a model has no place for ")) != NULL; s++) told++;
    CHECK(a.err && lines_of(a.err) == told);
    if (lines_of(a.err) != told) printf("  stderr: %s", a.err);
    forget(&a);
}

/* URDF to JSON and back, byte for byte the same answers. */
TEST(round_trip)
{
    static const char states[] = "{\"states\": [{\"q\": [0.7], \"v\": [1.3], \"a\": [-2], \"tau\": [5],"
                                 " \"f_ext\": {\"tool\": [1, 2, 3, 4, 5, 6]}}]}";
    const char *urdf = write_file("pendulum.urdf", PENDULUM);
    convert(urdf, place("one.json"));
    convert(place("one.json"), place("two.urdf"));
    convert(place("two.urdf"), place("three.json"));
    char *a = evaluate(urdf, states), *b = evaluate(place("one.json"), states);
    char *c = evaluate(place("two.urdf"), states), *d = evaluate(place("three.json"), states);
    CHECK(a && b && strcmp(a, b) == 0);
    CHECK(a && c && strcmp(a, c) == 0);
    CHECK(a && d && strcmp(a, d) == 0);
    char *first = read_file(place("one.json")), *last = read_file(place("three.json"));
    CHECK(first && last && strcmp(first, last) == 0);
    free(a);
    free(b);
    free(c);
    free(d);
    free(first);
    free(last);
}

/* What a model has no place for is counted, a line for each kind. */
TEST(what_is_left_out)
{
    static const char urdf[] =
        "<robot name='r'><link name='a'><collision><geometry><sphere radius='1'/></geometry></collision></link>"
        "<link name='b'><collision/><collision/></link><joint name='j' type='continuous'><parent link='a'/>"
        "<child link='b'/><safety_controller k_velocity='1'/></joint><gazebo><limit/></gazebo></robot>";
    static const char expected[] = "2 <collision> elements are left out: pinion info says why";
    answer a = run(NULL, "convert", write_file("pendulum.urdf", urdf), "-o", place("one.json"), (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK_HAS(a.err, expected);
    CHECK_HAS(a.err, "1 <safety_controller> element is left out");
    CHECK_HAS(a.err, "1 <gazebo> element is left out");
    CHECK(lines_of(a.err) == 3);
    forget(&a);
    a = run(urdf, "convert", "-", "--to", "json", (const char *)NULL); /* it can be read only once */
    CHECK_STATUS(a.status, 0);
    CHECK_HAS(a.err, expected);
    forget(&a);
    char beside[300];
    snprintf(beside, sizeof beside, "%s",
             write_file("one.srdf", "<robot name='r'><disable_collisions link1='a' link2='no'/></robot>"));
    a = run(urdf, "convert", "-", "--srdf", beside, "--to", "json", (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK_HAS(a.err, "one.srdf:1: <disable_collisions> names the link 'no', which the model has not: left out");
    forget(&a);
}

/* A file of MJCF with another one beside it. What it says of the motion and has no place is told, or refused.
 */
TEST(mjcf)
{
    write_file("hand.xml",
               "<mujoco><worldbody><body name='hand'><joint name='j'/><inertial pos='0 0 0' mass='1' "
               "diaginertia='1 1 1'/></body></worldbody></mujoco>");
    char arm[300]; /* write_file has one path for all */
    snprintf(
        arm, sizeof arm, "%s",
        write_file(
            "arm.xml",
            "<mujoco><include file='hand.xml'/><worldbody><body mocap='true'/></worldbody><sensor><clock/></sensor>"
            "</mujoco>"));
    answer a = run(NULL, "convert", arm, "-o", place("one.json"), (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK_HAS(a.err, "arm.xml:1: a mocap body stands still");
    CHECK_HAS(a.err, "no part in dynamics: 1 sensor");
    CHECK(lines_of(a.err) == 2);
    forget(&a);
    a = run(NULL, "info", place("one.json"), (const char *)NULL);
    CHECK_HAS(a.out, "hand");
    forget(&a);
    REFUSED(1, "a mocap body stands still", NULL, "convert", arm, "--to", "json",
            "--strict");
    REFUSED(1, "but this model is in memory", "<mujoco><include file='hand.xml'/></mujoco>", "info", "-");
}

/* Whether two answers are the same but for the last digits of their numbers. */
static int same(json_t *a, json_t *b)
{
    if (json_is_number(a) && json_is_number(b)) {
        double x = json_number_value(a), y = json_number_value(b);
        return fabs(x - y) <= 1e-11 * fmax(1, fabs(x));
    }
    if (json_typeof(a) != json_typeof(b)) return 0;
    if (json_is_array(a)) {
        int equal = json_array_size(a) == json_array_size(b);
        for (size_t i = 0; equal && i < json_array_size(a); i++)
            equal = same(json_array_get(a, i), json_array_get(b, i));
        return equal;
    }
    if (json_is_object(a)) {
        const char *key;
        json_t *value;
        int equal = json_object_size(a) == json_object_size(b);
        json_object_foreach(a, key, value) {
            json_t *other = json_object_get(b, key);
            equal = equal && other && same(value, other);
        }
        return equal;
    }
    return json_equal(a, b);
}

/* A state of `count` numbers for each array; to be freed. */
static char *some_state(size_t count)
{
    static const char *const key[] = {"q", "v", "a"};
    uint64_t seed = check_seed;
    char *text = (char *)malloc(count * 3 * 30 + 100);
    if (!text) return NULL;
    size_t used = (size_t)sprintf(text, "{\"states\": [{");
    for (int k = 0; k < 3; k++) {
        used += (size_t)sprintf(text + used, "%s\"%s\": [", k ? ", " : "", key[k]);
        for (size_t i = 0; i < count; i++)
            used += (size_t)sprintf(text + used, "%s%.17g", i ? ", " : "", check_between(&seed, -1, 1));
        used += (size_t)sprintf(text + used, "]");
    }
    sprintf(text + used, "}]}");
    return text;
}

static json_t *dynamics(const char *model, const char *states)
{
    answer a = run(states, "eval", model, "--states", "-", "--what",
                   "inverse_dynamics,mass_matrix,frames,energy,com,momentum", "--limits-check", "off",
                   (const char *)NULL);
    return parse_answer(&a, 0);
}

/* Takes off warnings about what no reader knows: what is converted has none of it. */
static void drop_unknown(json_t *result)
{
    json_t *warnings = DIG(result, "model", "warnings");
    for (size_t i = json_array_size(warnings); i-- > 0;) {
        const char *text = json_string_value(json_array_get(warnings, i));
        if (text && strstr(text, "not known and not read")) json_array_remove(warnings, i);
    }
}

static void check_robot(const char *path)
{
    answer a = run(NULL, "info", path, "--json", (const char *)NULL);
    json_t *info = parse_answer(&a, 0);
    json_int_t nq = json_integer_value(DIG(info, "nq")), nv = json_integer_value(DIG(info, "nv"));
    char *states = nq == nv ? some_state((size_t)nq) : NULL;
    if (states) {
        convert(path, place("one.json"));
        convert(place("one.json"), place("two.urdf"));
        json_t *x = dynamics(path, states), *y = dynamics(place("one.json"), states);
        json_t *z = dynamics(place("two.urdf"), states);
        drop_unknown(x);
        CHECK(x && y && same(x, y));
        CHECK(x && z && same(x, z));
        json_decref(x);
        json_decref(y);
        json_decref(z);
    }
    free(states);
    json_decref(info);
}

/* Real robots, where they are at hand. */
TEST(robots)
{
    char pattern[600];
    const char *shared = getenv("PINION_SHARED");
    glob_t found;
    snprintf(pattern, sizeof pattern, "%s/robots/*.urdf", shared ? shared : "");
    if (!shared || glob(pattern, 0, NULL, &found) != 0) SKIP("PINION_SHARED names no folder with robots");
    for (size_t i = 0; i < found.gl_pathc; i += (size_t)check_every(4)) check_robot(found.gl_pathv[i]);
    globfree(&found);
}

/* Every bundled model, written out of the short forms it is described in. */
TEST(bundled_models)
{
    static const char *const name[] = {"stanford.json", "planar-3r.json", "puma560-corke.json",
                                       "puma560-akb.json"};
    for (int i = 0; i < 4; i++) {
        static const char six[] =
            "{\"states\": [{\"q\": [0.1, 0.2, 0.3, 0.4, 0.5, 0.6], \"v\": [1, 1, 1, 1, 1, 1]}]}";
        static const char three[] = "{\"states\": [{\"q\": [0.1, 0.2, 0.3], \"v\": [1, 1, 1]}]}";
        const char *states = i == 1 ? three : six;
        convert(bundled(name[i]), place("one.json"));
        char *a = evaluate(bundled(name[i]), states), *b = evaluate(place("one.json"), states);
        CHECK(a && b && strcmp(a, b) == 0);
        free(a);
        free(b);
    }
}

TEST(to_standard_output)
{
    const char *urdf = write_file("pendulum.urdf", PENDULUM);
    convert(urdf, place("one.json"));
    char *file = read_file(place("one.json"));
    answer a = run(NULL, "convert", urdf, "--to", "json", (const char *)NULL);
    answer b = run(PENDULUM, "convert", "-", "--to=json", "-o", "-", (const char *)NULL);
    answer c = run(file, "convert", "-", "--to", "urdf", (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK_STATUS(b.status, 0);
    CHECK_STATUS(c.status, 0);
    CHECK(a.out && file && strcmp(a.out, file) == 0);
    CHECK(a.out && b.out && strcmp(a.out, b.out) == 0);
    CHECK_HAS(c.out, "<robot name=\"pendulum\"");
    forget(&a);
    forget(&b);
    forget(&c);
    free(file);
}

/* The format is the name's, whatever its case, unless --to says otherwise. */
TEST(format_of_the_output)
{
    const char *urdf = write_file("pendulum.urdf", PENDULUM);
    convert(urdf, place("out.URDF"));
    char *text = read_file(place("out.URDF"));
    CHECK_HAS(text, "<robot");
    free(text);
    answer a =
        run(NULL, "convert", urdf, "-o", place("odd.model"), "--to", "json", "--json", (const char *)NULL);
    json_t *r = parse_answer(&a, 0);
    CHECK_TEXT(DIG(r, "output"), place("odd.model"));
    CHECK_TEXT(DIG(r, "format"), "json");
    json_decref(r);
    text = read_file(place("odd.model"));
    CHECK_HAS(text, "\"pinion\": 1");
    free(text);
    REFUSED(2, "does not say the format", NULL, "convert", urdf, "-o", place("odd.model"));
    REFUSED(2, "does not say the format", NULL, "convert", urdf, "-o", "-");
    REFUSED(2, "where to is missing", NULL, "convert", urdf);
    REFUSED(2, "--json needs -o FILE", NULL, "convert", urdf, "--to", "json", "--json");
}

/* What URDF cannot say is left out and told; strictly it is refused by name, and no file is left. */
TEST(what_urdf_cannot_express)
{
    REFUSED(1, "pin", NULL, "convert", write_file("loop.json", LOOP), "-o", place("two.urdf-none"), "--to",
            "urdf", "--strict");
    CHECK(access(place("two.urdf-none"), F_OK) != 0);
    REFUSED(1, "spring", NULL, "convert", write_file("sliders.json", SLIDERS), "--to", "urdf", "--strict");
    REFUSED(1, "joint 'b' is spherical, which URDF cannot express", NULL, "convert",
            write_file("arm.xml", "<mujoco><worldbody><body name='b'><joint type='ball'/><geom size='1'/></body>"
                                  "</worldbody></mujoco>"),
            "--to", "urdf");

    /* a robot of the kind that MJCF has: what is left is the same motion */
    static const char arm[] =
        "<mujoco><compiler angle='radian'/><worldbody><geom type='plane' size='1 1 1'/><body name='a' pos='0 0 1'>"
        "<joint name='i' ref='.3' damping='2' frictionloss='.1' pos='.1 .2 .3' axis='0 1 1' range='-1 1'/><geom "
        "size='.2' pos='.4 0 0'/><body name='b' pos='0 .5 0'><joint name='j' axis='1 2 0'/><joint name='k' "
        "type='slide'/><geom type='box' size='.1 .2 .3'/><site name='tip' pos='1 2 3'/></body></body></worldbody>";
    char text[2000], *states = some_state(3);
    snprintf(text, sizeof text, "%s</mujoco>", arm);
    answer a = run(NULL, "convert", write_file("arm.xml", text), "-o", place("two.urdf"), (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK_HAS(a.err, "link 'world': collisions of shapes that it does not have are left out, since URDF");
    CHECK_HAS(a.err, "joint 'i': its initial state is left out, since URDF cannot express it");
    CHECK_HAS(a.err, "model 'MuJoCo Model': its list of actuators is left out, since URDF cannot express it");
    forget(&a);
    json_t *x = dynamics(place("arm.xml"), states), *y = dynamics(place("two.urdf"), states);
    /* the URDF file has frames more, where joints are */
    const char *name;
    json_t *frame, *own = json_object_get(json_array_get(DIG(x, "states"), 0), "frames");
    json_t *more = json_object_get(json_array_get(DIG(y, "states"), 0), "frames");
    void *next;
    json_object_foreach_safe(more, next, name, frame) {
        if (!json_object_get(own, name)) json_object_del(more, name);
    }
    CHECK(x && y && same(DIG(x, "states"), DIG(y, "states")));
    json_decref(x);
    json_decref(y);

    /* what of it would have moved otherwise */
    snprintf(text, sizeof text, "%s<equality><joint name='tie' joint1='i' joint2='j'/></equality><tendon><fixed "
             "name='band' stiffness='3'><joint joint='i' coef='1'/></fixed></tendon><option gravity='0 0 -1'/>"
             "<default><joint armature='.1' stiffness='1'/></default></mujoco>", arm);
    a = run(NULL, "convert", write_file("arm.xml", text), "-o", place("two.urdf"), (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK_HAS(a.err, "constraint 'tie': it is left out, since URDF");
    CHECK_HAS(a.err, "tendon 'band': it is left out, since URDF");
    CHECK_HAS(a.err, "that its gravity is not (0, 0, -9.81) is left out, since URDF");
    CHECK_HAS(a.err, "joint 'i' and 2 others: its rotor and gear are left out, since URDF");
    CHECK_HAS(a.err, "joint 'i' and 2 others: its spring is left out, since URDF");
    forget(&a);
    a = run(NULL, "info", place("two.urdf"), (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    forget(&a);
    free(states);
}

/* The free joint of --root is in no file of JSON or URDF: told, strictly an error, and no word where there is none. */
TEST(a_root_that_floats)
{
    const char *urdf = write_file("pendulum.urdf", PENDULUM);
    static const char *const format[] = {"json", "urdf", "mjcf", "sdf"};
    for (int f = 0; f < 4; f++)
        for (int strict = 0; strict < 2; strict++)
            for (int is_free = 0; is_free < 2; is_free++) {
                answer a = run(NULL, "convert", urdf, "--to", format[f], "--root", is_free ? "free" : "fixed",
                               strict ? "--strict" : (const char *)NULL, (const char *)NULL);
                const char *joint = "the free joint 'root' between the world and link 'base' ";
                const char *said = a.err ? strstr(a.err, joint) : NULL;
                CHECK((said != NULL) == (f < 2 && is_free));
                if (said) CHECK_HAS(said, strict ? "would be left out" : "is left out");
                if (said) CHECK_HAS(said, "--root free puts it there when the file is loaded");
                if (f < 2) CHECK_STATUS(a.status, strict && is_free);
                forget(&a);
            }
}

TEST(files_that_cannot_be_used)
{
    const char *urdf = write_file("pendulum.urdf", PENDULUM);
    REFUSED(1, "no-such-model.urdf", NULL, "convert", place("no-such-model.urdf"), "--to", "json");
    REFUSED(1, "no-such-folder", NULL, "convert", urdf, "-o", place("no-such-folder/x.json"));
}

/* Macros are expanded by another program, which gets the file's name and no shell. */
TEST(xacro)
{
    const char *model = write_file("robot.xacro", "<robot name='r' xmlns:xacro='http://x'><xacro:arm/></robot>");
    REFUSED(1, "'xacro FILE > robot.urdf' does, and --xacro here", NULL, "info", model);
    for (int i = 0; i < 2; i++) { /* a file that is not there is that alone */
        answer a = run(NULL, "info", place("none.xacro"), i ? "--xacro" : "--json", (const char *)NULL);
        CHECK_STATUS(a.status, 1);
        CHECK(a.err && strstr(a.err, "none.xacro") && !strstr(a.err, "install") && !strstr(a.err, "expand"));
        forget(&a);
    }
    const char *program = write_file("xacro", "#!/bin/sh\ncase $1 in *.xacro) ;; *) exit 3;; esac\n"
                                              "echo \"<robot name='expanded'><link name='a'/></robot>\"\n");
    CHECK(chmod(program, 0700) == 0);
    char path[4000], *before = strdup(getenv("PATH") ? getenv("PATH") : "");
    snprintf(path, sizeof path, "%s:%.3000s", folder, before);
    setenv("PATH", path, 1);
    answer a = run(NULL, "info", model, "--xacro", "--json", (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK_HAS(a.out, "\"expanded\"");
    forget(&a);
    REFUSED(1, "it failed", NULL, "info", write_file("pendulum.urdf", PENDULUM), "--xacro");
    CHECK(chmod(write_file("xacro", "#!/bin/sh\nexec yes\n"), 0700) == 0); /* it is ended: nothing else would end it */
    REFUSED(1, "its output has more than 64 MiB", NULL, "info", place("robot.xacro"), "--xacro");
    setenv("PATH", "/nonexistent", 1);
    REFUSED(1, "it is not installed", NULL, "info", model, "--xacro");
    REFUSED(1, "--xacro needs a file", "<robot/>", "info", "-", "--xacro");
    setenv("PATH", before, 1);
    free(before);
}

/* Joints are locked and parts attached on the way. */
TEST(edits)
{
    const char *urdf = write_file("pendulum.urdf", PENDULUM), *one = place("one.json");
    answer a = run(NULL, "convert", urdf, "-o", one, "--lock", "hinge=1.5707963267948966", (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    forget(&a);
    a = run("{\"states\": [{\"q\": []}]}", "eval", one, "--states", "-", "--what", "frames", (const char *)NULL);
    json_t *said = json_loads(a.out, 0, NULL), *state = json_array_get(json_object_get(said, "states"), 0);
    json_t *tool = json_object_get(json_object_get(json_object_get(state, "frames"), "tool"), "position");
    CHECK_NEAR(json_number_value(json_array_get(tool, 0)), -1, 1e-15);
    json_decref(said);
    forget(&a);
    a = run(NULL, "convert", urdf, "--to", "json", "--attach", urdf, "--at", "tool", "--prefix", "b_",
            (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK_HAS(a.out, "\"b_hinge\"");
    CHECK_HAS(a.out, "\"attach:b_base\"");
    forget(&a);
    REFUSED(2, "go together", NULL, "convert", urdf, "--to", "json", "--attach", urdf);
    REFUSED(1, "no such link or frame", NULL, "convert", urdf, "--to", "json", "--attach", urdf, "--at", "x");
    REFUSED(1, "'base' has the name of another link", NULL, "convert", urdf, "--to", "json", "--attach", urdf, "--at",
            "tool");
    REFUSED(2, "nowhere", NULL, "convert", urdf, "--to", "json", "--lock", "nowhere=1");
}

/* A joint is locked whole, within its limits or with a word. */
TEST(locked_in_part)
{
    const char *model =
        write_file("one.json",
                   "{\"pinion\": 1, \"name\": \"m\", \"links\": [{\"name\": \"a\"}, {\"name\": \"b\"},"
                   " {\"name\": \"c\"}],"
                   " \"joints\": [{\"name\": \"ball\", \"type\": \"spherical\", \"parent\": \"a\", \"child\": \"b\"},"
                   " {\"name\": \"slide\", \"type\": \"prismatic\", \"parent\": \"b\", \"child\": \"c\","
                   " \"limits\": [-1, 2]}]}");
    REFUSED(2, "joint 'ball' has 4 coordinates, and 1 of them is given; expected all of them", NULL, "convert", model,
            "--to", "json", "--lock", "ball.1=0.1");
    answer a = run(NULL, "convert", model, "--to", "json", "--lock", "ball.0=1,ball.1=1,ball.2=0,ball.3=0",
                   (const char *)NULL);
    CHECK_STATUS(a.status, 1);
    CHECK_HAS(a.err, "the quaternion of joint 'ball' has length 1.41421; expected 1");
    CHECK(lines_of(a.err) == 1);
    forget(&a);
    a = run(NULL, "convert", model, "--to", "json", "--lock", "slide=3", (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK_HAS(a.err, "joint 'slide' is fixed at 3, above its upper limit, 2");
    forget(&a);
}

/* A part is fixed to the frame, also one that floats in its file; what is left out of it is told. */
TEST(floating_part)
{
    char arm[300];
    snprintf(arm, sizeof arm, "%s", write_file("pendulum.urdf", PENDULUM));
    const char *part = write_file("part.sdf", "<sdf version='1.9'><model name='m'><link name='a'><kinematic>true"
                                              "</kinematic></link></model></sdf>");
    answer a = run(NULL, "convert", arm, "-o", place("one.json"), "--attach", part, "--at", "tool", (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK_HAS(a.err, "part.sdf:1: that link 'm::a' is kinematic is left out");
    forget(&a);
    a = run(NULL, "info", place("one.json"), "--json", (const char *)NULL);
    CHECK_HAS(a.out, "\"nv\": 1");
    forget(&a);
}

/* SDF: what floats, what is included, what is told. */
TEST(sdf)
{
    write_file("part.sdf", "<sdf version='1.9'><model name='m'><link name='a'><kinematic>true</kinematic></link>"
                           "</model></sdf>");
    const char *model = write_file("world.sdf", "<sdf version='1.9'><world name='w'><include>"
                                                "<uri>model://part.sdf</uri></include></world></sdf>");
    answer a = run(NULL, "convert", model, "--to", "json", "--model-path", folder, (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK_HAS(a.out, "\"m::root\"");
    CHECK_HAS(a.err, "part.sdf:1: that link 'm::a' is kinematic is left out");
    forget(&a);
    a = run(NULL, "info", model, "--root", "fixed", "--json", (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK_HAS(a.out, "\"nv\": 0");
    forget(&a);
    REFUSED(1, "is kinematic", NULL, "info", model, "--strict");
}

/* --subtree, --add-frame, --rename and --scale, together and one by one; and what of them is refused. */
TEST(edited)
{
    static const char arm[] =
        "{\"pinion\": 1, \"name\": \"arm\", \"links\": [{\"name\": \"base\"}, {\"name\": \"a\", \"mass\": 1},"
        "{\"name\": \"b::c\", \"mass\": 2}], \"joints\": [{\"name\": \"j\", \"type\": \"revolute\","
        "\"parent\": \"base\", \"child\": \"a\"}, {\"name\": \"k\", \"type\": \"prismatic\","
        "\"parent\": \"a\", \"child\": \"b::c\", \"limits\": [0, 1]}]}";
    char model[300];
    snprintf(model, sizeof model, "%s", write_file("one.json", arm));
    answer a = run(NULL, "convert", model, "--to", "json", "--subtree", "a", "--add-frame", "tool=b::c:0,0,0.5,0,0,0",
                   "--add-frame", "plain=b::c", "--rename", "k=lift", "--rename", "a=shoulder", "--scale", "2",
                   (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK_HAS(a.out, "\"name\": \"shoulder\",\n      \"mass\": 8");
    CHECK_HAS(a.out, "\"name\": \"lift\"");
    CHECK_HAS(a.out, "\"limits\": [0, 2]");
    CHECK_HAS(a.out, "\"name\": \"tool\",\n      \"link\": \"b::c\",\n      \"origin\": {\"position\": [0, 0, 1]}");
    CHECK_HAS(a.out, "\"name\": \"plain\"");
    CHECK(a.out && !strstr(a.out, "\"base\"") && !strstr(a.out, "\"j\""));
    forget(&a);
    static const struct {
        const char *option, *value, *why;
        int status;
    } cases[] = {{"--subtree", "nobody", "the model has no such link", 1},
                 {"--add-frame", "tool", "expected NAME=LINK", 2},
                 {"--add-frame", "tool=a:1,2", "expected NAME=LINK", 2},
                 {"--add-frame", "tool=nobody", "link 'nobody' does not exist", 1},
                 {"--rename", "a", "expected OLD=NEW", 2},
                 {"--rename", "x=y", "nothing is called 'x'", 1},
                 {"--scale", "0", "expected a factor", 2},
                 {"--scale", "1,x", "expected a factor", 2}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        a = run(NULL, "convert", model, "--to", "json", cases[i].option, cases[i].value, (const char *)NULL);
        CHECK_STATUS(a.status, cases[i].status);
        CHECK_HAS(a.err, cases[i].why);
        forget(&a);
    }
}

int main(int argc, char **argv)
{
    COMMAND_BEGIN(argc, argv);
    RUN(round_trip);
    RUN(what_is_left_out);
    RUN(mjcf);
    RUN(robots);
    RUN(bundled_models);
    RUN(to_standard_output);
    RUN(format_of_the_output);
    RUN(what_urdf_cannot_express);
    RUN(a_root_that_floats);
    RUN(files_that_cannot_be_used);
    RUN(xacro);
    RUN(sdf);
    RUN(edits);
    RUN(locked_in_part);
    RUN(floating_part);
    RUN(edited);
    return command_end(files);
}
