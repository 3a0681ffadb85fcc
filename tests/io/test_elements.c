/* Tendons and gravity compensation: what they exert, against sums written out here, the gradient of their potential and
 * differences; how they are described, kept and refused. */
#include "support/check.h"

#include "pinion/pinion.h"

/* A tree that moves in space: a free body, a ball, hinges and a slider, with frames that tendons go through. */
static pinion_model *tree(int elements)
{
    pinion_builder *b = pinion_builder_new("tree");
    static const struct {
        const char *name, *parent, *child;
        pinion_joint_type type;
    } joints[] = {{"free", "world", "a", PINION_JOINT_FREE},
                  {"ball", "a", "b", PINION_JOINT_SPHERICAL},
                  {"turn", "b", "c", PINION_JOINT_CONTINUOUS},
                  {"slide", "world", "d", PINION_JOINT_PRISMATIC},
                  {"follows", "d", "e", PINION_JOINT_CONTINUOUS}};
    pinion_error err = {PINION_OK, 0, 0, ""};
    int ok = 1;
    for (int i = 0; i < 6; i++) {
        static const char *const names[] = {"world", "a", "b", "c", "d", "e"};
        pinion_link_def def = pinion_link_def_default();
        def.name = names[i];
        if (i) def.inertia = (pinion_inertia){1 + 0.5 * i, {0.1 * i, -0.2, 0.3}, {0.1, 0.01, -0.02, 0.12, 0.005, 0.11}};
        if (elements && i % 2 == 1) def.gravity_compensation = 0.4 * i;
        ok = ok && pinion_builder_add_link(b, &def, &err) == PINION_OK;
    }
    for (int i = 0; i < 5; i++) {
        pinion_joint_def def = pinion_joint_def_default();
        def.name = joints[i].name;
        def.parent = joints[i].parent;
        def.child = joints[i].child;
        def.type = joints[i].type;
        def.parent_pose.position[0] = 0.3;
        def.parent_pose.position[1] = -0.1 * i;
        def.axis[0] = 0.6, def.axis[2] = 0.8;
        if (i == 4) def.mimic = "slide", def.multiplier = 2, def.offset = 0.1;
        ok = ok && pinion_builder_add_joint(b, &def, &err) == PINION_OK;
    }
    for (int i = 0; i < 4; i++) {
        static const char *const names[] = {"p", "q", "r", "s"}, *const links[] = {"world", "a", "c", "e"};
        pinion_frame_def def = pinion_frame_def_default();
        def.name = names[i];
        def.link = links[i];
        def.pose.position[i % 3] = 0.4;
        ok = ok && pinion_builder_add_frame(b, &def, &err) == PINION_OK;
    }
    if (elements) {
        static const char *const sum[] = {"turn", "slide", "follows"}, *const path[] = {"p", "q", "r", NULL, "c", "s"};
        static const double weights[] = {2, -3, 0.5}, divisors[] = {1, 1, 1, 2, 1, 1};
        pinion_tendon_def def = pinion_tendon_def_default();
        def.name = "sum";
        def.count = 3;
        def.through = sum;
        def.weights = weights;
        def.stiffness = 5;
        def.damping = 0.7;
        def.stiffness_curve[0] = -1, def.stiffness_curve[1] = 2;
        def.damping_curve[0] = 0.4, def.damping_curve[1] = 0.3;
        def.rest[0] = -0.2, def.rest[1] = 0.1;
        def.limits[0] = -0.15, def.limits[1] = 0.05;
        ok = ok && pinion_builder_add_tendon(b, &def, &err) == PINION_OK;
        def.name = "path";
        def.type = PINION_TENDON_PATH;
        def.count = 6;
        def.through = path;
        def.weights = divisors;
        def.rest[0] = 0.1, def.rest[1] = 0.2;
        def.limits[0] = -INFINITY, def.limits[1] = 0.3;
        ok = ok && pinion_builder_add_tendon(b, &def, &err) == PINION_OK;
    }
    pinion_model *m = ok ? pinion_builder_build(b, NULL, &err) : NULL;
    if (!m) CHECK_FAIL("%s", err.message);
    pinion_builder_free(b);
    return m;
}

enum { NV = 11 };

/* The sum of all forces, and the potential. */
static double forces(pinion_elements *x, pinion_work *w, const double *q, const double *v, double tau[NV])
{
    double potential = 0;
    memset(tau, 0, NV * sizeof *tau);
    CHECK_STATUS(pinion_elements_forces(x, w, q, v, tau, tau, tau, &potential), PINION_OK);
    return potential;
}

static void at_random(const pinion_model *m, uint64_t seed, double *q, double *v)
{
    CHECK(pinion_model_nv(m) == NV);
    CHECK_STATUS(pinion_random(m, seed, q), PINION_OK);
    for (int i = 0; i < NV; i++) v[i] = sin(3.7 * (double)seed + 1.3 * i);
}

/* Also where stops press: stiff enough that their dampers never make them let go here. */
static void check_gradients(pinion_model *m, double stiffness, double damping, int alone)
{
    pinion_work *w = pinion_work_new(m);
    pinion_elements *x = pinion_elements_new(m);
    CHECK_STATUS(pinion_elements_stops(x, stiffness, damping, alone), PINION_OK);
    for (uint64_t seed = 1; seed <= 5; seed++) {
        double q[13], v[NV], tau[NV], still[NV], dq[NV * NV] = {0}, dv[NV * NV] = {0}, h = 1e-5;
        at_random(m, seed, q, v);
        forces(x, w, q, v, tau);
        forces(x, w, q, NULL, still);
        CHECK_STATUS(pinion_d_elements_forces(x, w, q, v, dq, dv), PINION_OK);
        for (int k = 0; k < NV; k++) {
            double step[NV] = {0}, to[2][13], there[2][NV], V[2], after[2][NV];
            step[k] = 1;
            for (int s = 0; s < 2; s++) {
                CHECK_STATUS(pinion_integrate(m, q, step, s ? h : -h, to[s]), PINION_OK);
                V[s] = forces(x, w, to[s], v, there[s]);
            }
            CHECK_NEAR((V[1] - V[0]) / (2 * h), -still[k], 1e-7); /* h^2 and rounding / h of numbers near 50 */
            for (int s = 0; s < 2; s++) {
                double faster[NV];
                memcpy(faster, v, sizeof faster);
                faster[k] += s ? h : -h;
                forces(x, w, q, faster, after[s]);
            }
            for (int i = 0; i < NV; i++) {
                CHECK_NEAR(dq[i * NV + k], (there[1][i] - there[0][i]) / (2 * h), 1e-8 * (20 + fabs(dq[i * NV + k])));
                CHECK_NEAR(dv[i * NV + k], (after[1][i] - after[0][i]) / (2 * h), 1e-8 * (20 + fabs(dv[i * NV + k])));
            }
        }
    }
    pinion_elements_free(x);
    pinion_work_free(w);
}

TEST(forces_are_gradients)
{
    pinion_model *m = tree(1);
    CHECK(pinion_model_has_elements(m) && pinion_model_tendon_count(m) == 2);
    check_gradients(m, 0, 0, 0);
    check_gradients(m, 40, 0.3, 0);
    check_gradients(m, 40, 0.3, 1);
    pinion_model_free(m);
}

/* A stop presses back with max(0, k d + c d'), also where it is all that acts; limits alone act on nothing. */
TEST(stops)
{
    static const char text[] =
        "{\"pinion\": 1, \"links\": [{\"name\": \"base\"}, {\"name\": \"arm\", \"mass\": 1,"
        "\"inertia\": {\"xx\": 1, \"yy\": 1, \"zz\": 1}}],"
        "\"joints\": [{\"name\": \"j\", \"type\": \"prismatic\", \"parent\": \"base\", \"child\": \"arm\"}],"
        "\"tendons\": [{\"name\": \"t\", \"joints\": [\"j\"], \"weights\": [2], \"stiffness\": %g, \"limits\": [%s]}]}";
    for (int spring = 0; spring < 2; spring++) {
        char file[600];
        pinion_error err = {PINION_OK, 0, 0, ""};
        snprintf(file, sizeof file, text, 3. * spring, "-1, 0.5");
        pinion_model *m = pinion_load_string(file, strlen(file), PINION_FORMAT_JSON, NULL, NULL, &err);
        if (!m) CHECK_FAIL("%s", err.message);
        CHECK(pinion_model_has_elements(m) == spring);
        pinion_work *w = pinion_work_new(m);
        pinion_elements *x = pinion_elements_new(m);
        for (int alone = 0; alone < 2; alone++) {
            const double k = 2000, c = 40, s = alone ? 0 : 3. * spring;
            CHECK_STATUS(pinion_elements_stops(x, k, c, alone), PINION_OK);
            for (double q = -0.8; q < 0.5; q += 0.013)
                for (double v = -8; v <= 8; v += 1) {
                    const double L = 2 * q, low = fmax(0, -1 - L), high = fmax(0, L - 0.5);
                    const double press = low > 0    ? fmax(0, k * low - c * 2 * v)
                                         : high > 0 ? -fmax(0, k * high + c * 2 * v)
                                                    : 0;
                    double springs = 0, dampers = 0, V;
                    CHECK_STATUS(pinion_elements_forces(x, w, &q, &v, &springs, &dampers, NULL, &V), PINION_OK);
                    CHECK_NEAR(springs, 2 * (k * (low - high) - s * L), 1e-10);
                    CHECK_NEAR(springs + dampers, 2 * (press - s * L), 1e-10);
                    CHECK_NEAR(V, k / 2 * (low * low + high * high) + s / 2 * L * L, 1e-10);
                }
        }
        CHECK_STATUS(pinion_elements_stops(x, -1, 0, 0), PINION_ERR_ARGUMENT);
        CHECK_STATUS(pinion_elements_stops(x, 1, NAN, 0), PINION_ERR_ARGUMENT);
        CHECK_STATUS(pinion_elements_stops(NULL, 1, 1, 0), PINION_ERR_ARGUMENT);
        pinion_elements_free(x);
        pinion_work_free(w);

        /* lengths that are scaled scale the limits; null is none, also when it is written */
        pinion_tendon_info t;
        pinion_model *large = pinion_model_scale(m, 3, 27, &err);
        CHECK_STATUS(pinion_model_tendon(large, 0, &t), PINION_OK);
        CHECK_NEAR(t.limits[0] / t.term[0].weight, 3 * -1 / 2., 1e-15);
        pinion_model_free(large);
        pinion_model_free(m);
        snprintf(file, sizeof file, text, 0., "null, 0.5");
        m = pinion_load_string(file, strlen(file), PINION_FORMAT_JSON, NULL, NULL, &err);
        char *again = pinion_save_string(m, PINION_FORMAT_JSON, &err);
        char *mjcf = pinion_save_string(m, PINION_FORMAT_MJCF, &err);
        if (!mjcf) CHECK_FAIL("%s", err.message);
        CHECK_HAS(again, "\"limits\": [null, 0.5]");
        CHECK_HAS(mjcf, "limited=\"true\" range=\"-inf 0.5\"");
        pinion_free(again);
        pinion_free(mjcf);
        pinion_model_free(m);
    }
}

/* A sum by hand, and weight that is carried whole. */
TEST(values)
{
    pinion_model *m = tree(1);
    pinion_work *w = pinion_work_new(m);
    pinion_elements *x = pinion_elements_new(m);
    double q[13], v[NV], springs[NV] = {0}, dampers[NV] = {0}, length, rate;
    at_random(m, 3, q, v);
    const double turn = q[11], slide = q[12], L = 2 * turn - 3 * slide + 0.5 * (2 * slide + 0.1);
    const double speed = 2 * v[9] - 3 * v[10] + v[10];
    CHECK_STATUS(pinion_tendon_length(x, w, q, v, pinion_model_find_tendon(m, "sum"), &length, &rate), PINION_OK);
    CHECK_NEAR(length, L, 1e-14);
    CHECK_NEAR(rate, speed, 1e-14);

    /* the path's own part: straight lines between frames, the last branch at half its length */
    double p[5][3];
    static const char *const path[5] = {"p", "q", "r", "c", "s"};
    for (int i = 0; i < 5; i++)
        CHECK_STATUS(pinion_frame_pose(m, w, q, pinion_model_find_frame(m, path[i]), p[i], NULL), PINION_OK);
    double sum = 0;
    for (int i = 0; i < 4; i++) {
        const double d[3] = {p[i + 1][0] - p[i][0], p[i + 1][1] - p[i][1], p[i + 1][2] - p[i][2]};
        sum += i == 2 ? 0 : sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) / (i == 3 ? 2 : 1);
    }
    CHECK_STATUS(pinion_tendon_length(x, w, q, NULL, 1, &length, NULL), PINION_OK);
    CHECK_NEAR(length, sum, 1e-14);
    CHECK_STATUS(pinion_elements_forces(x, w, q, v, springs, dampers, NULL, NULL), PINION_OK);
    const double off = L > 0.1 ? L - 0.1 : L < -0.2 ? L + 0.2 : 0;
    double g[NV] = {0}, none[NV] = {0};
    CHECK_STATUS(pinion_elements_forces(x, w, q, v, NULL, NULL, g, NULL), PINION_OK);
    CHECK_STATUS(pinion_elements_forces(x, w, q, NULL, NULL, none, NULL, NULL), PINION_OK);
    for (int i = 0; i < NV; i++) CHECK(none[i] == 0);
    CHECK(fabs(off) > 0.01);
    pinion_elements_free(x);
    pinion_work_free(w);
    pinion_model_free(m);

    /* one pendulum whose weight is carried: what is left of gravity is nothing */
    const char text[] = "{\"pinion\": 1, \"links\": [{\"name\": \"base\"}, {\"name\": \"arm\", \"mass\": 2,"
                        "\"com\": [1, 0, 0], \"gravity_compensation\": 1}],"
                        "\"joints\": [{\"name\": \"j\", \"type\": \"revolute\","
                        "\"parent\": \"base\", \"child\": \"arm\", \"axis\": [0, 1, 0]}]}";
    pinion_error err;
    m = pinion_load_string(text, strlen(text), PINION_FORMAT_JSON, NULL, NULL, &err);
    CHECK(m != NULL);
    if (!m) return;
    w = pinion_work_new(m);
    x = pinion_elements_new(m);
    const double angle = 0.4;
    double weight, carried = 0, potential, own;
    CHECK_STATUS(pinion_inverse_dynamics(m, w, &angle, NULL, NULL, NULL, &weight), PINION_OK);
    CHECK_STATUS(pinion_elements_forces(x, w, &angle, NULL, NULL, NULL, &carried, &potential), PINION_OK);
    CHECK_STATUS(pinion_energy(m, w, &angle, NULL, 0, NULL, &own), PINION_OK);
    CHECK_NEAR(carried, weight, 1e-14);
    CHECK_NEAR(potential, -own, 1e-14);
    CHECK_NEAR(weight, -2 * 9.81 * cos(angle), 1e-13);
    pinion_elements_free(x);
    pinion_work_free(w);
    pinion_model_free(m);
}

/* The forces at one state agree for two models that are meant to be one. */
static void same(const pinion_model *a, const pinion_model *b)
{
    double q[13], v[NV], tau[2][NV], V[2];
    const pinion_model *m[2] = {a, b};
    at_random(a, 7, q, v);
    for (int i = 0; i < 2; i++) {
        pinion_work *w = pinion_work_new(m[i]);
        pinion_elements *x = pinion_elements_new(m[i]);
        V[i] = forces(x, w, q, v, tau[i]);
        pinion_elements_free(x);
        pinion_work_free(w);
    }
    CHECK_NEAR(V[0], V[1], 1e-12);
    for (int i = 0; i < NV; i++) CHECK_NEAR(tau[0][i], tau[1][i], 1e-12);
    for (int i = 0; i < pinion_model_tendon_count(a); i++) {
        pinion_tendon_info t[2];
        for (int k = 0; k < 2; k++) CHECK_STATUS(pinion_model_tendon(m[k], i, &t[k]), PINION_OK);
        CHECK(memcmp(t[0].limits, t[1].limits, sizeof t[0].limits) == 0);
        CHECK(memcmp(t[0].stiffness_curve, t[1].stiffness_curve, sizeof t[0].stiffness_curve) == 0);
        CHECK(memcmp(t[0].damping_curve, t[1].damping_curve, sizeof t[0].damping_curve) == 0);
    }
}

TEST(kept)
{
    pinion_error err = {PINION_OK, 0, 0, ""};
    pinion_model *m = tree(1), *copy = pinion_model_copy(m);
    same(m, copy);
    pinion_model_free(copy);
    char *text = pinion_save_string(m, PINION_FORMAT_JSON, &err);
    CHECK(text != NULL);
    pinion_model *again = text ? pinion_load_string(text, strlen(text), PINION_FORMAT_JSON, NULL, NULL, &err) : NULL;
    if (!again) CHECK_FAIL("%s", err.message);
    if (again) same(m, again);
    pinion_model_free(again);
    pinion_free(text);

    /* URDF has no place for either */
    CHECK(!pinion_save_string(m, PINION_FORMAT_URDF, &err));
    CHECK(err.status == PINION_ERR_UNSUPPORTED);

    /* a part that is added keeps them under its prefix; a joint that is locked stretches the tendon for good */
    pinion_builder *b = pinion_builder_new("more");
    CHECK_STATUS(pinion_builder_add_model(b, m, "x_", &err), PINION_OK);
    pinion_model *part = pinion_builder_build(b, NULL, &err);
    CHECK(part && pinion_model_find_tendon(part, "x_path") == 1);
    if (part) same(m, part);
    pinion_model_free(part);
    pinion_builder_free(b);
    double q[13], v[NV], tau[2][NV];
    at_random(m, 5, q, v);
    v[9] = 0;
    const int turn = pinion_model_find_joint(m, "turn");
    pinion_model *less = pinion_model_reduce(m, 1, &turn, q, &err);
    CHECK(less && pinion_model_nv(less) == NV - 1);
    for (int i = 0; less && i < 2; i++) {
        const pinion_model *of = i ? less : m;
        double q2[13], v2[NV];
        memcpy(q2, q, sizeof q2);
        memcpy(v2, v, sizeof v2);
        if (i) q2[11] = q[12], v2[9] = v[10];
        pinion_work *w = pinion_work_new(of);
        pinion_elements *x = pinion_elements_new(of);
        forces(x, w, q2, v2, tau[i]);
        pinion_elements_free(x);
        pinion_work_free(w);
    }
    for (int i = 0; less && i < 9; i++) CHECK_NEAR(tau[0][i], tau[1][i], 1e-12);
    if (less) CHECK_NEAR(tau[0][10], tau[1][9], 1e-12);
    pinion_tendon_info shorter;
    CHECK_STATUS(pinion_model_tendon(less, 0, &shorter), PINION_OK);
    CHECK_NEAR(shorter.limits[1], 0.05 - 2 * q[11], 1e-15);
    pinion_model_free(less);
    pinion_model_free(m);
}

/* A pulley before all divides the first branch too. */
TEST(pulley_first)
{
    const char text[] = "<mujoco><worldbody><site name='s' pos='0 0 1'/><body name='a'><joint name='j' axis='0 1 0'/>"
                        "<inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/><site name='t' pos='.3 0 .6'/></body>"
                        "</worldbody><tendon><spatial name='x' stiffness='2' springlength='0'><pulley divisor='4'/>"
                        "<site site='s'/><site site='t'/></spatial></tendon></mujoco>";
    pinion_error err;
    pinion_model *m = pinion_load_string(text, strlen(text), PINION_FORMAT_AUTO, NULL, NULL, &err);
    if (!m) CHECK_FAIL("%s", err.message);
    if (!m) return;
    pinion_work *w = pinion_work_new(m);
    pinion_elements *x = pinion_elements_new(m);
    const double q = 0;
    double length;
    CHECK_STATUS(pinion_tendon_length(x, w, &q, NULL, 0, &length, NULL), PINION_OK);
    CHECK_NEAR(length, 0.5 / 4, 1e-15);
    pinion_elements_free(x);
    pinion_work_free(w);
    pinion_model_free(m);
}

TEST(refused)
{
    static const struct {
        const char *text, *why;
    } wrong[] = {
        {"{\"name\": \"t\"}", "goes over nothing"},
        {"{\"name\": \"t\", \"joints\": [\"j\"], \"path\": [\"a\", \"b\"]}", "both"},
        {"{\"name\": \"t\", \"joints\": []}", "too little"},
        {"{\"name\": \"t\", \"joints\": [\"k\"]}", "joint 'k' does not exist"},
        {"{\"name\": \"t\", \"joints\": [\"ball\"]}", "has not one coordinate"},
        {"{\"name\": \"t\", \"joints\": [\"j\"], \"weights\": [0]}", "a weight is 0"},
        {"{\"name\": \"t\", \"joints\": [\"j\"], \"weights\": [1, 2]}", "expected"},
        {"{\"name\": \"t\", \"joints\": [\"j\"], \"stiffness\": -1}", "stiffness"},
        {"{\"name\": \"t\", \"joints\": [\"j\"], \"rest\": [2, 1]}", "the smaller first"},
        {"{\"name\": \"t\", \"joints\": [\"j\"], \"limits\": [1, 1]}", "the lower limit is not below the upper"},
        {"{\"name\": \"t\", \"joints\": [\"j\"], \"limits\": 1}", "[lower, upper]"},
        {"{\"name\": \"t\", \"path\": [\"a\"]}", "too little"},
        {"{\"name\": \"t\", \"path\": [\"a\", \"x\"]}", "frame 'x' does not exist"},
        {"{\"name\": \"t\", \"path\": [\"a\", {\"pulley\": 2}, \"b\"]}", "fewer than two frames"},
        {"{\"name\": \"t\", \"path\": [\"a\", \"b\", {\"pulley\": 0}, \"a\", \"b\"]}", "not above 0"},
        {"{\"name\": \"t\", \"path\": [\"a\", \"b\"], \"weights\": [1, 1]}", "only beside"},
        {"{\"name\": \"t\", \"joints\": [\"j\"]}, {\"name\": \"t\", \"joints\": [\"j\"]}", "name of another tendon"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        char text[800];
        pinion_error err = {PINION_OK, 0, 0, ""};
        snprintf(text, sizeof text,
                 "{\"pinion\": 1, \"links\": [{\"name\": \"a\"}, {\"name\": \"b\", \"mass\": 1}, {\"name\": \"c\", "
                 "\"mass\": 1}], \"joints\": [{\"name\": \"j\", \"type\": \"revolute\", \"parent\": \"a\", \"child\": "
                 "\"b\"}, {\"name\": \"ball\", \"type\": \"spherical\", \"parent\": \"b\", \"child\": \"c\"}],\n"
                 "\"tendons\": [%s]}",
                 wrong[i].text);
        pinion_model *m = pinion_load_string(text, strlen(text), PINION_FORMAT_JSON, NULL, NULL, &err);
        CHECK(!m);
        CHECK_HAS(err.message, wrong[i].why);
        CHECK_HAS(err.message, ":2:");
        pinion_model_free(m);
    }
    pinion_tendon_def def;
    memset(&def, 0, sizeof def);
    pinion_builder *b = pinion_builder_new("x");
    CHECK_STATUS(pinion_builder_add_tendon(b, &def, NULL), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_builder_add_tendon(NULL, &def, NULL), PINION_ERR_ARGUMENT);
    for (int i = 0; i < 2; i++) {
        static const char *const through[] = {"j"};
        static const double weight[] = {1};
        pinion_error err = {PINION_OK, 0, 0, ""};
        def = pinion_tendon_def_default();
        def.name = "curved";
        def.count = 1;
        def.through = through;
        def.weights = weight;
        (i ? def.damping_curve : def.stiffness_curve)[i] = NAN;
        CHECK_STATUS(pinion_builder_add_tendon(b, &def, &err), PINION_ERR_MODEL);
        CHECK_HAS(err.message, "a number of its curves is not finite");
    }
    CHECK_STATUS(pinion_elements_forces(NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL), PINION_ERR_ARGUMENT);
    pinion_builder_free(b);
}

/* Rollouts do not know of them and say so; without passive forces they take the model. */
TEST(rollouts)
{
    pinion_model *m = tree(1);
    pinion_batch *b = pinion_batch_new(m, 1);
    double q[13], v[NV], q_out[13], v_out[NV];
    at_random(m, 2, q, v);
    pinion_rollout r = pinion_rollout_default();
    r.dt = 1e-3;
    r.steps = 2;
    CHECK_STATUS(pinion_batch_rollout(b, 1, &r, q, v, q_out, v_out), PINION_OK);
    r.passive = 1;
    CHECK_STATUS(pinion_batch_rollout(b, 1, &r, q, v, q_out, v_out), PINION_ERR_UNSUPPORTED);
    CHECK_HAS(pinion_batch_message(b), "tendons");
    pinion_batch_free(b);
    pinion_model_free(m);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(forces_are_gradients);
    RUN(stops);
    RUN(values);
    RUN(kept);
    RUN(pulley_first);
    RUN(refused);
    RUN(rollouts);
    return CHECK_END();
}
