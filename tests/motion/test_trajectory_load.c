/* Trajectories from files, and memory running out. */
#define _DEFAULT_SOURCE
#include <unistd.h>

#include "memory/exhaust.h"
#include "pinion/pinion.h"
#include "pinion/sim/trajectory.h"

static char path[] = "/tmp/pinion-trajectory-XXXXXX";

static void put(const char *text)
{
    FILE *f = fopen(path, "wb");
    if (!f || fputs(text, f) < 0 || fclose(f) != 0) CHECK_FAIL("cannot write %s", path);
}

/* A slider and a ball joint. */
static pinion_model *model(void)
{
    pinion_builder *b = pinion_builder_new("two");
    pinion_link_def link = pinion_link_def_default();
    pinion_joint_def joint = pinion_joint_def_default();
    static const char *const names[] = {"base", "cart", "ball"};
    pinion_status status = PINION_OK;
    for (int i = 0; i < 3; i++) {
        link.name = names[i];
        status |= pinion_builder_add_link(b, &link, NULL);
    }
    joint.name = "slide";
    joint.type = PINION_JOINT_PRISMATIC;
    joint.parent = "base";
    joint.child = "cart";
    status |= pinion_builder_add_joint(b, &joint, NULL);
    joint.name = "a, b";
    joint.type = PINION_JOINT_SPHERICAL;
    joint.parent = "cart";
    joint.child = "ball";
    status |= pinion_builder_add_joint(b, &joint, NULL);
    pinion_model *m = status == PINION_OK ? pinion_builder_build(b, NULL, NULL) : NULL;
    pinion_builder_free(b);
    CHECK(m != NULL);
    return m;
}

/* q and v at a time, of what the text says. */
static void is(const char *text, double t, const double *q, const double *v, const double *a)
{
    pinion_model *m = model();
    pinion_error err = {PINION_OK, 0, 0, ""};
    double at[5], rate[4], rise[4];
    put(text);
    pinion_trajectory *p = pinion_trajectory_load(m, path, &err);
    if (!p) {
        CHECK_FAIL("refused: %s", err.message);
    } else {
        CHECK_STATUS(pinion_trajectory_at(p, t, at, rate, rise), PINION_OK);
        for (int i = 0; i < 5; i++) CHECK_NEAR(at[i], q[i], 1e-14);
        for (int i = 0; v && i < 4; i++) CHECK_NEAR(rate[i], v[i], 1e-14);
        for (int i = 0; a && i < 4; i++) CHECK_NEAR(rise[i], a[i], 1e-14);
    }
    pinion_trajectory_free(p);
    pinion_model_free(m);
}

static void refuses(const char *text, const char *part)
{
    pinion_model *m = model();
    pinion_error err = {PINION_OK, 0, 0, ""};
    put(text);
    pinion_trajectory *p = pinion_trajectory_load(m, path, &err);
    CHECK(p == NULL && err.status == PINION_ERR_PARSE);
    CHECK_HAS(err.message, part);
    CHECK_HAS(err.message, path);
    pinion_trajectory_free(p);
    pinion_model_free(m);
}

#define BALL "\"q.a, b.0\",\"q.a, b.1\",\"q.a, b.2\",\"q.a, b.3\""

TEST(files_of_all_shapes)
{
    const double q[5] = {0.5, 1, 0, 0, 0}, v[4] = {1, 0, 0, 0}, none[4] = {0, 0, 0, 0}, own[4] = {3, 1, 2, 4},
                 rise[4] = {5, 6, 7, 8}, end[5] = {1, 1, 0, 0, 0};
    /* names, units, any order, what results hold besides */
    is("# a comment\nt [s],q.slide [m]," BALL "\n0,0,1,0,0,0\n1,1,1,0,0,0\n", 0.5, q, v, none);
    is(BALL ",tau.slide,q.slide,energy.kinetic,t\n1,0,0,0,nan,0,9,0\n1,0,0,0,inf,1,9,1\n", 0.5, q, v, none);
    /* units in quotes, line ends of another system */
    is("\"t [s]\",q.slide,\"q.a, b.0 []\",\"q.a, b.1\",\"q.a, b.2 []\",\"q.a, b.3 [-]\"\r\n"
       "0,0,1,0,0,0\r\n1,1,1,0,0,0\r\n",
       0.5, q, v, none);
    /* numbers alone: q, with v, with a */
    is("0,0,1,0,0,0\n1,1,1,0,0,0\n", 0.5, q, v, none);
    is("0,0,1,0,0,0,9,9,9,9\n1,1,1,0,0,0,3,1,2,4\n", 1, end, own, NULL);
    is("0,0,1,0,0,0,9,9,9,9,1,1,1,1\n1,1,1,0,0,0,3,1,2,4,5,6,7,8\n", 1, end, own, rise);
    /* one row; a quaternion of nearly unit length */
    is("7,1,0.9999999,0,0,0\n", 7, end, none, none);
}

/* A joint's name may itself end in brackets: the name as it is goes before a name with a unit. */
TEST(names_in_brackets)
{
    pinion_builder *b = pinion_builder_new("brackets");
    pinion_link_def link = pinion_link_def_default();
    pinion_joint_def joint = pinion_joint_def_default();
    static const char *const names[] = {"x", "x [m]"}, *const links[] = {"base", "one", "two"};
    pinion_status status = PINION_OK;
    for (int i = 0; i < 3; i++) {
        link.name = links[i];
        status |= pinion_builder_add_link(b, &link, NULL);
    }
    for (int i = 0; i < 2; i++) {
        joint.name = names[i];
        joint.type = PINION_JOINT_PRISMATIC;
        joint.parent = links[i];
        joint.child = links[i + 1];
        status |= pinion_builder_add_joint(b, &joint, NULL);
    }
    pinion_model *m = status == PINION_OK ? pinion_builder_build(b, NULL, NULL) : NULL;
    pinion_builder_free(b);
    static const char *const heads[] = {"t,q.x,q.x [m]", "t,q.x,\"q.x [m]\"", "t,q.x,q.x [m] [m]"};
    for (int i = 0; m && i < 3; i++) {
        char text[100];
        double q[2] = {0, 0};
        snprintf(text, sizeof text, "%s\n0,1,2\n", heads[i]);
        put(text);
        pinion_trajectory *p = pinion_trajectory_load(m, path, NULL);
        CHECK(p && pinion_trajectory_at(p, 0, q, NULL, NULL) == PINION_OK);
        CHECK(q[0] == 1 && q[1] == 2);
        pinion_trajectory_free(p);
    }
    CHECK(m != NULL);
    pinion_model_free(m);
}

/* At its samples a motion is what was given, to the last bit, and it says where they are. */
TEST(samples_are_given_back)
{
    static const char text[] = "0.1,0.3,1,0,0,0,3,1,2,4,5,6,7,8\n0.1007,0.302,0.8,0.6,0,0,0.1,2,3,4,5,7,7,1\n"
                               "0.1011,0.303,0.6,0,0.8,0,3,1,2,4,-0.7,6,7,8\n";
    static const double t[3] = {0.1, 0.1007, 0.1011},
                        row[3][13] = {{0.3, 1, 0, 0, 0, 3, 1, 2, 4, 5, 6, 7, 8},
                                      {0.302, 0.8, 0.6, 0, 0, 0.1, 2, 3, 4, 5, 7, 7, 1},
                                      {0.303, 0.6, 0, 0.8, 0, 3, 1, 2, 4, -0.7, 6, 7, 8}};
    pinion_model *m = model();
    put(text);
    pinion_trajectory *p = pinion_trajectory_load(m, path, NULL);
    int count = 0;
    const double *times = pinion_trajectory_times(p, &count);
    CHECK(times && count == 3 && pinion_trajectory_times(p, NULL) == times);
    for (int k = 0; times && k < count; k++) {
        double x[13];
        CHECK(times[k] == t[k]);
        CHECK_STATUS(pinion_trajectory_at(p, t[k], x, x + 5, x + 9), PINION_OK);
        for (int i = 0; i < 13; i++) CHECK(x[i] == row[k][i]);
    }
    pinion_trajectory_free(p);

    const double q[10] = {0, 1, 0, 0, 0, 1, 1, 0, 0, 0};
    p = pinion_trajectory_between(m, q, q + 5, 1, PINION_PROFILE_QUINTIC, 0, NULL);
    CHECK(p && !pinion_trajectory_times(p, &count) && count == 0 && !pinion_trajectory_times(NULL, NULL));
    pinion_trajectory_free(p);
    pinion_model_free(m);
}

TEST(malformed_files)
{
    refuses("", "");
    refuses("t,q.slide," BALL "\n", "no rows");
    refuses("q.slide," BALL "\n0,1,0,0,0\n", "no column \"t\"");
    refuses("t," BALL "\n0,1,0,0,0\n", "no column \"q.slide\"");
    refuses("t,q.slide,\"q.a, b.0\"\n0,0,1\n", "no column \"q.a, b.1\"");
    refuses("t,q.slide,\"q.a, b.w\"\n0,0,1\n", "no column \"q.a, b.0\"");
    refuses("t,q.slide,v.slide," BALL "\n0,0,0,1,0,0,0\n", "no column \"v.a, b.0\"");
    refuses("t,q.slide,q.slid," BALL "\n0,0,0,1,0,0,0\n", "the column \"q.slid\" is no coordinate");
    refuses("t,q.slide,speed," BALL "\n0,0,0,1,0,0,0\n", "the column \"speed\" is no coordinate");
    /* of all else only tau.* and energy.* are passed over */
    static const char *const other[] = {"tau",    "energy", "taut.slide", "power", "reaction.slide.fx",
                                        "q.base", "T"};
    for (size_t i = 0; i < sizeof other / sizeof *other; i++) {
        char text[200], message[100];
        snprintf(text, sizeof text, "t,q.slide,%s," BALL "\n0,0,0,1,0,0,0\n", other[i]);
        snprintf(message, sizeof message, "the column \"%s\" is no coordinate", other[i]);
        refuses(text, message);
    }
    /* which of the two is it? */
    refuses("t,q.slide [m],q.slide [mm]," BALL "\n0,0,0,1,0,0,0\n", "no column \"q.slide\"");
    refuses("t,q.slide," BALL ",a.slide,\"a.a, b.0\",\"a.a, b.1\",\"a.a, b.2\"\n0,0,1,0,0,0,0,0,0,0\n",
            "none v.JOINT");
    refuses("0,0,1,0,0\n", ":1: a row without a heading has 5 numbers; expected the time and 5, 9 or 13");
    refuses("0,0,1,0,0,0\n0,1,1,0,0,0\n", ":2: the time is not after that of the row before");
    refuses("nan,0,1,0,0,0\n", ":1: the time is not a finite number");
    refuses("0,0,1,0,0,0\n1,inf,1,0,0,0\n", ":2: q: a coordinate is not a finite number");
    refuses("0,0,1,0,0,0,1,1,nan,1\n", ":1: a number of the motion is not finite");
    refuses("0,0,1,0,0,0\n\n1,0,2,0,0,0\n", ":3: q: the quaternion of joint 'a, b' is of length 2, not 1");
    refuses("0,0,1,0,0,x\n", "");

    pinion_model *m = model();
    pinion_error err = {PINION_OK, 0, 0, ""};
    CHECK(!pinion_trajectory_load(m, "/nowhere/at/all.csv", &err) && err.status == PINION_ERR_FILE);
    CHECK(!pinion_trajectory_load(m, NULL, &err) && err.status == PINION_ERR_ARGUMENT);
    CHECK(!pinion_trajectory_load(m, path, NULL));
    pinion_model_free(m);
}

/* ------------------------------------------------------------------------------------------------ */
/* Memory */

static int loads(void *context, pinion_error *err)
{
    pinion_trajectory *p = pinion_trajectory_load(context, path, err);
    alloc_work();
    pinion_trajectory_free(p);
    return p != NULL;
}

static int goes(void *context, pinion_error *err)
{
    const double q0[5] = {0, 1, 0, 0, 0}, q1[5] = {1, 0, 1, 0, 0};
    pinion_trajectory *p = pinion_trajectory_between(context, q0, q1, 1, PINION_PROFILE_QUINTIC, 0, err);
    alloc_work();
    pinion_trajectory_free(p);
    return p != NULL;
}

static int follows(void *context, pinion_error *err)
{
    const double q[8] = {0.1, 0.5, 0.3, -0.4, 0.9, 0.3, -0.6, 0.2}, d[3] = {0.02, 0, 0};
    pinion_trajectory *p = pinion_trajectory_line(context, q, 8, d, 1, PINION_PROFILE_QUINTIC, 0, NULL, err);
    alloc_work();
    pinion_trajectory_free(p);
    return p != NULL;
}

typedef struct question {
    pinion_model *m;
    pinion_work *w;
} question;

static int solves(void *context, pinion_error *err)
{
    question *x = context;
    double q[8] = {0.1, 0.5, 0.3, -0.4, 0.9, 0.3, -0.6, 0.2};
    pinion_pose target;
    CHECK(pinion_frame_pose(x->m, x->w, q, 8, target.position, target.rotation) == PINION_OK);
    q[2] += 0.01;
    pinion_status status = pinion_inverse_kinematics(x->m, x->w, 8, &target, NULL, q, NULL);
    alloc_work();
    err->status = status;
    snprintf(err->message, sizeof err->message, "%s", pinion_status_text(status));
    return status == PINION_OK;
}

TEST(memory_runs_out)
{
    if (!ALLOCATOR) SKIP(allocator_absent);
    pinion_model *m = model();
    put("t,q.slide," BALL "\n0,0,1,0,0,0\n1,1,1,0,0,0\n2,1,0,1,0,0\n3,1,0,0,1,0\n");
    exhaust(loads, m, ONLY_MEMORY);
    exhaust(goes, m, ONLY_MEMORY);
    pinion_model_free(m);
    m = pinion_random_chain(8, 3, NULL);
    question x = {m, pinion_work_new(m)};
    exhaust(follows, m, ONLY_MEMORY);
    exhaust(solves, &x, ONLY_MEMORY);
    pinion_work_free(x.w);
    pinion_model_free(m);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    int file = mkstemp(path);
    if (file < 0) return 1;
    close(file);
    RUN(files_of_all_shapes);
    RUN(names_in_brackets);
    RUN(samples_are_given_back);
    RUN(malformed_files);
    RUN(memory_runs_out);
    remove(path);
    return CHECK_END();
}
