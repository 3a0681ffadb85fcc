/* Elastic joints: against equations written out by hand, against each other, and inverse dynamics against forward
 * dynamics and differences. */
#include "check.h"
#include "pinion/pinion.h"
#include "pinion/sim/sim.h"

enum { MOST = 64 };

static pinion_model *load(const char *text)
{
    pinion_error err = {0};
    pinion_model *m = pinion_load_string(text, strlen(text), PINION_FORMAT_JSON, "text", NULL, &err);
    if (!m) puts(err.message);
    CHECK(m);
    return m;
}

/* ---- the models ---- */

#define LINK1                                                                                                \
    "{\"name\": \"one\", \"mass\": 3, \"com\": [0.2, 0, 0], \"inertia\": {\"xx\": 0.02, \"yy\": 0.05, \"zz\": 0.06}}"
#define LINK2                                                                                                \
    "{\"name\": \"two\", \"mass\": 2, \"com\": [0.15, 0, 0], \"inertia\": {\"xx\": 0.01, \"yy\": 0.03, \"zz\": 0.04}}"
#define LINKS "\"links\": [{\"name\": \"base\"}, " LINK1 ", " LINK2 "]"

/* two links in a vertical plane (z is the axis, y is up); what makes joints elastic is put in */
static pinion_model *plane(const char *first, const char *second)
{
    char text[2000];
    snprintf(text, sizeof text,
             "{\"pinion\": 1, \"name\": \"plane\", \"gravity\": [0, -9.81, 0], " LINKS ", \"joints\": ["
             "{\"name\": \"j1\", \"type\": \"revolute\", \"parent\": \"base\", \"child\": \"one\", "
             "\"rotor\": {\"inertia\": 0.001, \"gear\": 20}%s},"
             "{\"name\": \"j2\", \"type\": \"revolute\", \"parent\": \"one\", \"child\": \"two\", "
             "\"origin\": {\"position\": [0.4, 0, 0]}, \"rotor\": {\"inertia\": 0.0005, \"gear\": -30}%s}]}",
             first, second);
    return load(text);
}

static const double J[2] = {0.001, 0.0005}, G[2] = {20, -30};

/* M and h of the two links alone, by hand */
static void arm(const double q[2], const double v[2], double M[4], double h[2])
{
    const double m1 = 3, m2 = 2, l = 0.4, c1 = 0.2, c2 = 0.15, I1 = 0.06, I2 = 0.04, g = 9.81;
    const double b = m2 * l * c2, cosine = cos(q[1]), sine = sin(q[1]);
    M[3] = I2 + m2 * c2 * c2;
    M[1] = M[2] = M[3] + b * cosine;
    M[0] = I1 + m1 * c1 * c1 + m2 * l * l + 2 * b * cosine + M[3];
    h[1] = b * sine * v[0] * v[0] + g * m2 * c2 * cos(q[0] + q[1]);
    h[0] = -b * sine * (2 * v[0] * v[1] + v[1] * v[1]) + g * (m1 * c1 + m2 * l) * cos(q[0]) +
           g * m2 * c2 * cos(q[0] + q[1]);
}

/* Coordinates are j1.motor, j1, j2.motor, j2. Spong's model: M of the links and J beside it, nothing between. */
TEST(spong_by_hand)
{
    uint64_t r = check_seed;
    pinion_model *m = plane(", \"elastic\": {\"stiffness\": 400, \"damping\": 0.3}",
                            ", \"elastic\": {\"stiffness\": 250, \"model\": \"spong\", \"viscous\": 0.01}");
    if (!m) return;
    pinion_work *w = pinion_work_new(m);
    pinion_elements *e = pinion_elements_new(m);
    CHECK(pinion_model_nv(m) == 4 && pinion_model_elastic_joint_count(m) == 2 && pinion_model_warning_count(m) == 0);
    CHECK(pinion_model_find_joint(m, "j1.motor") >= 0 && pinion_model_find_link(m, "j2.rotor") >= 0);
    for (int k = 0; k < 5; k++) {
        double q[4], v[4], M[16], h[4], A[4], b[2], springs[4] = {0}, dampers[4] = {0}, V, passive[4];
        for (int i = 0; i < 4; i++) {
            q[i] = check_between(&r, -1, 1) * (i % 2 ? 1 : 20);
            v[i] = check_between(&r, -1, 1) * (i % 2 ? 1 : 20);
        }
        const double x[2] = {q[1], q[3]}, y[2] = {v[1], v[3]};
        arm(x, y, A, b);
        CHECK_STATUS(pinion_mass_matrix(m, w, q, M), PINION_OK);
        CHECK_STATUS(pinion_bias(m, w, q, v, h), PINION_OK);
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 4; j++) {
                const double own = i == j && i % 2 == 0 ? J[i / 2] : 0;
                CHECK_NEAR(M[4 * i + j], i % 2 && j % 2 ? A[2 * (i / 2) + j / 2] : own, 1e-14);
            }
        for (int i = 0; i < 4; i++) CHECK_NEAR(h[i], i % 2 ? b[i / 2] : 0, 1e-13);

        /* the spring between them */
        const double K[2] = {400, 250}, D[2] = {0.3, 0}, viscous[2] = {0, 0.01};
        double potential = 0;
        CHECK_STATUS(pinion_elements_forces(e, w, q, v, springs, dampers, NULL, &V), PINION_OK);
        CHECK_STATUS(pinion_passive_forces(m, w, q, v, passive), PINION_OK);
        for (int i = 0; i < 2; i++) {
            const double delta = q[2 * i] / G[i] - x[i], rate = v[2 * i] / G[i] - y[i];
            CHECK_NEAR(springs[2 * i + 1], K[i] * delta, 1e-10);
            CHECK_NEAR(springs[2 * i], -K[i] * delta / G[i], 1e-10);
            CHECK_NEAR(dampers[2 * i + 1], D[i] * rate, 1e-11);
            CHECK_NEAR(dampers[2 * i], -D[i] * rate / G[i], 1e-11);
            CHECK_NEAR(passive[2 * i], -viscous[i] * v[2 * i], 1e-13);
            potential += K[i] * delta * delta / 2;
        }
        CHECK_NEAR(V, potential, 1e-9);
    }
    pinion_elements_free(e);
    pinion_work_free(w);
    pinion_model_free(m);
}

/* The full one: the rotor of the second motor sits at the elbow on link one and turns with it: its energy is J (theta'
 * + q1')^2 / 2 + m l^2 q1'^2 / 2, and it has weight. That of the first stands on the base, and nothing changes. */
TEST(full_by_hand)
{
    pinion_model *m =
        plane(", \"elastic\": {\"stiffness\": 400, \"model\": \"full\", \"mass\": 0.5}",
              ", \"elastic\": {\"stiffness\": 250, \"model\": \"full\", \"mass\": 0.7, \"across\": 0.0004}");
    if (!m) return;
    pinion_work *w = pinion_work_new(m);
    pinion_elastic_joint_info info;
    const double q[4] = {3, 0.7, -11, -0.4}, v[4] = {8, 1.1, -30, -0.8}, x[2] = {q[1], q[3]}, y[2] = {v[1], v[3]};
    double M[16], h[4], A[4], b[2];
    CHECK_STATUS(pinion_model_elastic_joint(m, 1, &info), PINION_OK);
    CHECK(info.model == PINION_ELASTIC_FULL);
    CHECK_NEAR(info.rotor_inertia, J[1], 1e-18);
    CHECK_NEAR(info.gear, G[1], 1e-13);
    arm(x, y, A, b);
    A[0] += J[1] + 0.7 * 0.16;
    b[0] += 9.81 * 0.7 * 0.4 * cos(x[0]);
    CHECK_STATUS(pinion_mass_matrix(m, w, q, M), PINION_OK);
    CHECK_STATUS(pinion_bias(m, w, q, v, h), PINION_OK);
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) {
            const double own = i == j ? J[i / 2] : i + j == 3 && i * j == 2 ? J[1] : 0; /* theta2 and q1 */
            CHECK_NEAR(M[4 * i + j], i % 2 && j % 2 ? A[2 * (i / 2) + j / 2] : own, 1e-14);
        }
    for (int i = 0; i < 4; i++) CHECK_NEAR(h[i], i % 2 ? b[i / 2] : 0, 1e-12);
    pinion_work_free(w);
    pinion_model_free(m);
}

/* Gyroscopic coupling: a gimbal about z, then y; the motor of a third joint spins about x of the inner ring, whose
 * angular velocity there is -q1' sin q2. With s = theta' - q1' sin q2 its energy is J s^2 / 2 beside what a body that
 * does not spin has, which is the same at theta' = 0. So by Lagrange the spin adds to what the joints need
 *     at q1:  - d(J theta' sin q2)/dt,   at q2:  J theta' q1' cos q2,   at theta:  - d(J q1' sin q2)/dt. */
static const char gimbal[] =
    "{\"pinion\": 1, \"name\": \"gimbal\", \"gravity\": [0, 0, 0], \"links\": [{\"name\": \"base\"},"
    "{\"name\": \"outer\", \"mass\": 1, \"inertia\": {\"xx\": 0.1, \"yy\": 0.1, \"zz\": 0.1}},"
    "{\"name\": \"inner\", \"mass\": 1, \"inertia\": {\"xx\": 0.05, \"yy\": 0.06, \"zz\": 0.07}},"
    "{\"name\": \"tool\", \"mass\": 0.5, \"inertia\": {\"xx\": 0.01, \"yy\": 0.01, \"zz\": 0.01}}],"
    "\"joints\": [{\"name\": \"z\", \"type\": \"continuous\", \"parent\": \"base\", \"child\": \"outer\"},"
    "{\"name\": \"y\", \"type\": \"continuous\", \"parent\": \"outer\", \"child\": \"inner\", \"axis\": [0, 1, 0]},"
    "{\"name\": \"x\", \"type\": \"continuous\", \"parent\": \"inner\", \"child\": \"tool\", \"axis\": [0, 0, 1],"
    "\"rotor\": {\"inertia\": 0.002, \"gear\": 10},"
    "\"elastic\": {\"stiffness\": 100, \"model\": \"full\", \"mass\": 0.3, \"axis\": [1, 0, 0]}}]}";

TEST(gyroscopic_by_hand)
{
    pinion_model *m = load(gimbal);
    if (!m) return;
    pinion_work *w = pinion_work_new(m);
    const int spin = 2; /* z, y, x.motor, x */
    const double Jr = 0.002, q[4] = {0.4, 0.6, 5, 0.3}, v[4] = {0.9, -0.7, 40, 0.2}, a[4] = {0.5, 0.8, 3, -0.4};
    double still[4], tau[4], rest_v[4], rest_a[4], expected[4];
    memcpy(rest_v, v, sizeof v);
    memcpy(rest_a, a, sizeof a);
    rest_v[spin] = rest_a[spin] = 0;
    CHECK_STATUS(pinion_inverse_dynamics(m, w, q, rest_v, rest_a, NULL, still), PINION_OK);
    CHECK_STATUS(pinion_inverse_dynamics(m, w, q, v, a, NULL, tau), PINION_OK);
    const double s = sin(q[1]), c = cos(q[1]);
    memcpy(expected, still, sizeof still);
    expected[0] -= Jr * (a[spin] * s + v[spin] * c * v[1]);
    expected[1] += Jr * v[spin] * v[0] * c;
    expected[spin] += Jr * a[spin];
    for (int i = 0; i < 4; i++) CHECK_NEAR(tau[i], expected[i], 1e-14);
    CHECK_NEAR(still[spin], -Jr * (a[0] * s + v[0] * v[1] * c), 1e-15);
    pinion_work_free(w);
    pinion_model_free(m);
}

/* ---- motion: energy, and the limit of hard springs ---- */

static pinion_status pull(void *user, double t, const double *q, const double *v, double *tau)
{
    (void)user, (void)q, (void)v;
    for (int i = 0; i < 4; i++) tau[i] = i % 2 ? 0 : 0.3 * sin(3 * t + i);
    return PINION_OK;
}

static void simulate(const pinion_model *m, pinion_torque_fn torque, void *user, double T, double *q, double *v)
{
    pinion_sim_options options = pinion_sim_options_default();
    options.torque = torque;
    options.torque_user = user;
    options.integrator = PINION_INTEGRATOR_DOPRI5;
    pinion_sim *s = pinion_sim_new(m, &options, NULL);
    pinion_sim_state x = {.q = q, .v = v};
    CHECK_STATUS(pinion_sim_start(s, 0, q, v), PINION_OK);
    CHECK_STATUS(pinion_sim_advance(s, T), PINION_OK);
    CHECK_STATUS(pinion_sim_get(s, &x), PINION_OK);
    CHECK_NEAR(x.drift, 0, 1e-9 * (1 + x.largest_kinetic));
    pinion_sim_free(s);
}

/* the balance is kept, with and without dampers, and the two models part as they should: not at all where rotors are on
 * the base, by the coupling elsewhere */
TEST(energy)
{
    static const char *const how[3] = {"\"stiffness\": 300, \"damping\": 0.5, \"model\": \"spong\"",
                                       "\"stiffness\": 300, \"damping\": 0.5, \"model\": \"full\", \"mass\": 0.6",
                                       "\"stiffness\": 300, \"damping\": 0, \"model\": \"spong\""};
    double end[3][4];
    for (int k = 0; k < 3; k++) {
        char text[200];
        snprintf(text, sizeof text, ", \"elastic\": {%s}", how[k]);
        pinion_model *m = plane(text, text);
        double v[4] = {0};
        memset(end[k], 0, sizeof end[k]);
        if (m) simulate(m, pull, NULL, 1, end[k], v);
        pinion_model_free(m);
    }
    CHECK(fabs(end[0][1] - end[1][1]) > 1e-3);
    CHECK(fabs(end[0][1] - end[2][1]) > 1e-4);
}

/* the spring is one where it is relaxed, too: k between motor and link, both ways */
TEST(linear_at_rest)
{
    pinion_model *m = plane(", \"elastic\": {\"stiffness\": 400, \"damping\": 3}",
                            ", \"elastic\": {\"stiffness\": 250}");
    if (!m) return;
    pinion_work *w = pinion_work_new(m);
    pinion_elements *e = pinion_elements_new(m);
    const double q[4] = {0}, v[4] = {0}, K[2] = {400, 250}, D[2] = {3, 0};
    double dq[16] = {0}, dv[16] = {0};
    CHECK_STATUS(pinion_d_elements_forces(e, w, q, v, dq, dv), PINION_OK);
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) {
            const double g[2] = {1 / G[i / 2], -1}, x = i / 2 == j / 2 ? -g[i % 2] * g[j % 2] : 0;
            CHECK_NEAR(dq[4 * i + j], K[i / 2] * x, 1e-11);
            CHECK_NEAR(dv[4 * i + j], D[i / 2] * x, 1e-12);
        }
    pinion_elements_free(e);
    pinion_work_free(w);
    pinion_model_free(m);
}

/* ---- rates of inverse dynamics ---- */

static const double first_weight[4] = {4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};
static const double second_weight[5] = {-205.0 / 72, 8.0 / 5, -1.0 / 5, 8.0 / 315, -1.0 / 560};

/* Along q0 exp(s(t) d), with v = s' d: a motion of every joint whose derivatives are known; differences of order 8. */
static void check_rates(pinion_model *m, uint64_t seed)
{
    const int nv = pinion_model_nv(m);
    pinion_work *w = pinion_work_new(m);
    pinion_elastic_joints *x = pinion_elastic_joints_new(m);
    uint64_t r = seed;
    const double c[5] = {0.3, 0.8, -0.6, 0.9, -0.7}, h = 0.01; /* s = c0 + c1 t + c2 t^2 / 2 + ... */
    double q0[2 * MOST], q[2 * MOST], d[MOST], s[4][MOST], tau[9][MOST], got[3][MOST], scale = 1;
    CHECK(nv <= MOST);
    CHECK_STATUS(pinion_random(m, seed, q0), PINION_OK);
    for (int i = 0; i < nv; i++) d[i] = check_between(&r, -1, 1);
    for (int k = -4; k <= 4; k++) {
        const double t = k * h;
        const double at[3] = {c[0] + t * (c[1] + t * (c[2] / 2 + t * (c[3] / 6 + t * c[4] / 24))),
                              c[1] + t * (c[2] + t * (c[3] / 2 + t * c[4] / 6)), c[2] + t * (c[3] + t * c[4] / 2)};
        CHECK_STATUS(pinion_integrate(m, q0, d, at[0], q), PINION_OK);
        for (int i = 0; i < nv; i++) s[0][i] = at[1] * d[i], s[1][i] = at[2] * d[i];
        CHECK_STATUS(pinion_inverse_dynamics(m, w, q, s[0], s[1], NULL, tau[4 + k]), PINION_OK);
    }
    CHECK_STATUS(pinion_integrate(m, q0, d, c[0], q), PINION_OK);
    for (int i = 0; i < nv; i++)
        for (int k = 0; k < 4; k++) s[k][i] = c[1 + k] * d[i];
    CHECK_STATUS(pinion_inverse_dynamics_rates(x, q, s[0], s[1], s[2], s[3], got[0], got[1], got[2]), PINION_OK);
    for (int i = 0; i < nv; i++) scale = fmax(scale, fabs(tau[4][i]));
    for (int i = 0; i < nv; i++) {
        double one = 0, two = second_weight[0] * tau[4][i];
        for (int k = 1; k <= 4; k++) {
            one += first_weight[k - 1] * (tau[4 + k][i] - tau[4 - k][i]);
            two += second_weight[k] * (tau[4 + k][i] + tau[4 - k][i]);
        }
        CHECK_NEAR(got[0][i], tau[4][i], 1e-12 * scale);
        CHECK_NEAR(got[1][i], one / h, 1e-10 * scale);
        CHECK_NEAR(got[2][i], two / (h * h), 1e-8 * scale);
    }
    pinion_elastic_joints_free(x);
    pinion_work_free(w);
    pinion_model_free(m);
}

TEST(rates)
{
    pinion_error err;
    for (int joints = 1; joints <= 13; joints += 3) {
        const uint64_t seed = check_seed + (uint64_t)joints;
        check_rates(pinion_random_chain(joints, seed, &err), seed);
        check_rates(pinion_random_tree(joints, 1, seed, &err), seed);
        check_rates(pinion_random_tree(joints, 0, seed + 50, &err), seed);
    }
}

/* ---- inverse dynamics of elastic joints ---- */

/* the links on a polynomial of time; motors stay as they are */
static void links_at(double t, double *q, double *v, double *a, double *jerk, double *snap)
{
    static const double c[2][7] = {{0.3, 0.5, -1.1, 2, 0.8, -1.5, 0.3}, {-0.5, 0.2, 0.9, -1.3, 0.4, 2, -0.9}};
    double *const out[5] = {q, v, a, jerk, snap};
    for (int j = 0; j < 2; j++)
        for (int k = 0; k < 5; k++) {
            double sum = 0;
            for (int n = 6; n >= k; n--) {
                double factor = c[j][n];
                for (int i = 0; i < k; i++) factor *= n - i;
                sum = sum * t + factor;
            }
            out[k][2 * j + 1] = sum;
        }
}

static void check_inverse(const char *first, const char *second, int damped)
{
    pinion_model *m = plane(first, second);
    if (!m) return;
    pinion_work *w = pinion_work_new(m);
    pinion_elements *e = pinion_elements_new(m);
    pinion_elastic_joints *x = pinion_elastic_joints_new(m);
    for (int passive = 0; passive < 2; passive++)
        for (int k = 0; k < 4; k++) {
            double q[4] = {1, 0, -2, 0}, v[4] = {0}, a[4] = {0}, jerk[4] = {0}, snap[4] = {0}, tau[4], need[4];
            double give[4] = {0}, own[4] = {0};
            links_at(0.2 * k, q, v, a, jerk, snap);
            CHECK_STATUS(pinion_elastic_joints_inverse_dynamics(x, passive, q, v, a, jerk, snap, tau), PINION_OK);
            CHECK_STATUS(pinion_inverse_dynamics(m, w, q, v, a, NULL, need), PINION_OK);
            CHECK_STATUS(pinion_elements_forces(e, w, q, v, give, give, NULL, NULL), PINION_OK);
            if (passive) CHECK_STATUS(pinion_passive_forces(m, w, q, v, own), PINION_OK);
            CHECK(tau[1] == 0 && tau[3] == 0);
            for (int i = 0; i < 4; i++) CHECK_NEAR(need[i] - give[i] - own[i], tau[i], 1e-10 * (1 + fabs(give[i])));
            if (damped) CHECK(q[0] == 1 && q[2] == -2);
        }
    pinion_elastic_joints_free(x);
    pinion_elements_free(e);
    pinion_work_free(w);
    pinion_model_free(m);
}

TEST(inverse_dynamics)
{
    check_inverse(", \"elastic\": {\"stiffness\": 400}", ", \"elastic\": {\"stiffness\": 250}", 0);
    check_inverse(", \"damping\": 0.7, \"friction\": 0.2, \"elastic\": {\"stiffness\": 400, \"viscous\": 0.002}",
                  ", \"spring\": {\"stiffness\": 3, \"rest\": 0.1}, \"elastic\": {\"stiffness\": 250}", 0);
    check_inverse(", \"elastic\": {\"stiffness\": 400, \"damping\": 2}",
                  ", \"elastic\": {\"stiffness\": 250, \"damping\": 1}", 1);
    check_inverse(", \"elastic\": {\"stiffness\": 400, \"model\": \"full\", \"mass\": 1}",
                  ", \"elastic\": {\"stiffness\": 250}", 0);
}

/* what the motors give moves the links as asked, from a start that fits */
typedef struct motion {
    pinion_elastic_joints *x;
} motion;

static pinion_status along(void *user, double t, const double *q, const double *v, double *tau)
{
    double x[4] = {0}, y[4] = {0}, a[4] = {0}, jerk[4] = {0}, snap[4] = {0};
    (void)q, (void)v;
    links_at(t, x, y, a, jerk, snap);
    return pinion_elastic_joints_inverse_dynamics(((motion *)user)->x, 0, x, y, a, jerk, snap, tau);
}

TEST(motors_move_the_links)
{
    pinion_model *m = plane(", \"elastic\": {\"stiffness\": 400}", ", \"elastic\": {\"stiffness\": 250}");
    if (!m) return;
    motion u = {pinion_elastic_joints_new(m)};
    double q[4] = {0}, v[4] = {0}, a[4] = {0}, jerk[4] = {0}, snap[4] = {0}, tau[4], x[4] = {0}, y[4] = {0};
    links_at(0, q, v, a, jerk, snap);
    CHECK_STATUS(pinion_elastic_joints_inverse_dynamics(u.x, 0, q, v, a, jerk, snap, tau), PINION_OK);
    simulate(m, along, &u, 0.5, q, v);
    links_at(0.5, x, y, a, jerk, snap);
    for (int i = 1; i < 4; i += 2) {
        CHECK_NEAR(q[i], x[i], 1e-8);
        CHECK_NEAR(v[i], y[i], 1e-7);
    }
    pinion_elastic_joints_free(u.x);
    pinion_model_free(m);
}

/* ---- files, and what is refused ---- */

static void refuses(const char *first, const char *word)
{
    char text[2000];
    pinion_error err = {0};
    snprintf(text, sizeof text,
             "{\"pinion\": 1, \"name\": \"bad\", " LINKS ", \"joints\": ["
             "{\"name\": \"j1\", \"type\": \"revolute\", \"parent\": \"base\", \"child\": \"one\"%s}, "
             "{\"name\": \"j2\", \"type\": \"revolute\", \"parent\": \"one\", \"child\": \"two\"}]}",
             first);
    pinion_model *m = pinion_load_string(text, strlen(text), PINION_FORMAT_JSON, "text", NULL, &err);
    CHECK(!m);
    if (!strstr(err.message, word)) CHECK_FAIL("'%s' does not say '%s'", err.message, word);
    pinion_model_free(m);
}

TEST(refused)
{
    refuses(", \"elastic\": {\"stiffness\": 3}", "rotor");
    refuses(", \"rotor\": {\"inertia\": 1}, \"elastic\": {}", "stiffness");
    refuses(", \"rotor\": {\"inertia\": 1}, \"elastic\": {\"stiffness\": 0}", "stiffness");
    refuses(", \"rotor\": {\"inertia\": 1}, \"elastic\": {\"stiffness\": 1, \"mass\": 1}", "spong");
    refuses(", \"rotor\": {\"inertia\": 1}, \"elastic\": {\"stiffness\": 1, \"model\": \"full\"}", "mass");
    refuses(", \"rotor\": {\"inertia\": 1}, \"elastic\": {\"stiffness\": 1, \"model\": \"other\"}", "full");
    refuses(", \"motor\": {\"inertia\": 1}, \"elastic\": {\"stiffness\": 1}", "rotor");
    refuses(", \"rotor\": {\"inertia\": 1, \"gear\": 0}, \"elastic\": {\"stiffness\": 1}", "gear");

    /* rotors that couple */
    pinion_model *m = load(gimbal);
    pinion_elastic_joints *x = pinion_elastic_joints_new(m);
    double q[4] = {0}, v[4] = {0}, a[4] = {0}, tau[4];
    CHECK_STATUS(pinion_elastic_joints_inverse_dynamics(x, 0, q, v, a, NULL, NULL, tau), PINION_ERR_UNSUPPORTED);
    CHECK(strstr(pinion_elastic_joints_message(x), "full"));
    pinion_elastic_joints_free(x);
    pinion_model_free(m);
}

/* what is written is read again, with the same elastic joints */
TEST(written_and_read)
{
    pinion_error err = {0};
    pinion_model *m = plane(", \"initial\": {\"q\": 0.3}, \"elastic\": {\"stiffness\": 400, \"damping\": 0.3}",
                            ", \"elastic\": {\"stiffness\": 250, \"model\": \"full\", \"mass\": 0.7}");
    char *text = pinion_save_string(m, PINION_FORMAT_JSON, &err);
    CHECK(text);
    pinion_model *again = text ? load(text) : NULL;
    CHECK(again && pinion_model_elastic_joint_count(again) == 2);
    for (int i = 0; again && i < 2; i++) {
        pinion_elastic_joint_info a, b;
        CHECK_STATUS(pinion_model_elastic_joint(m, i, &a), PINION_OK);
        CHECK_STATUS(pinion_model_elastic_joint(again, i, &b), PINION_OK);
        CHECK(a.joint == b.joint && a.motor == b.motor && a.model == b.model && a.stiffness == b.stiffness);
        CHECK_NEAR(a.rotor_inertia, b.rotor_inertia, 1e-18);
    }
    double q[4], v[4];
    CHECK_STATUS(pinion_initial(m, q, v), PINION_OK);
    CHECK_NEAR(q[0], 20 * 0.3, 1e-15);
    free(text);
    pinion_model_free(again);
    pinion_model_free(m);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(spong_by_hand);
    RUN(full_by_hand);
    RUN(gyroscopic_by_hand);
    RUN(energy);
    RUN(linear_at_rest);
    RUN(rates);
    RUN(inverse_dynamics);
    RUN(motors_move_the_links);
    RUN(refused);
    RUN(written_and_read);
    return CHECK_END();
}
