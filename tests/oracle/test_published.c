/* Values that others published: the PUMA 560 with two sets of parameters (P. Corke's Robotics Toolbox,
 * classic DH; Armstrong, Khatib and Burdick 1986, modified DH), and small chains from the tests of RBDL.
 * Each is met to the digits printed. */
#include <math.h>

#include "pinion/pinion.h"
#include "support/check.h"

#define PI 3.14159265358979323846
#define N 6

/* A bundled model: from the folder PINION_MODELS, else from models. */
static pinion_model *bundled(const char *name)
{
    const char *folder = getenv("PINION_MODELS");
    char path[1000];
    pinion_error err;
    snprintf(path, sizeof path, "%s/%s.json", folder ? folder : "models", name);
    pinion_model *m = pinion_load(path, NULL, &err);
    if (!m) CHECK_FAIL("%s", err.message);
    return m;
}

static const double zero[N], one[N] = {1, 1, 1, 1, 1, 1};
static const double qn[N] = {0, PI / 4, PI, 0, PI / 4, 0};

/* ---------------------------------------------------------------------------------------------
 * PUMA 560 */

TEST(puma_corke_gravity)
{
    pinion_model *m = bundled("puma560-corke");
    pinion_work *w = m ? pinion_work_new(m) : NULL;
    if (w) {
        static const double nominal[N] = {0, 31.639880, 6.035138, 0, 0.028253, 0};
        static const double stretched[N] = {0, 37.483667, 0.248929, 0, 0, 0};
        double tau[N];
        CHECK(pinion_model_nv(m) == N);
        CHECK_STATUS(pinion_gravity(m, w, qn, tau), PINION_OK);
        for (int i = 0; i < N; i++) CHECK_NEAR(tau[i], nominal[i], 0.5e-6);
        CHECK_STATUS(pinion_gravity(m, w, zero, tau), PINION_OK);
        for (int i = 0; i < N; i++) CHECK_NEAR(tau[i], stretched[i], 0.5e-6);
    }
    pinion_work_free(w);
    pinion_model_free(m);
}

/* Half a unit of the last of six digits. */
static double six_digits(double x)
{
    return x == 0 ? 1e-6 : 0.501 * pow(10, floor(log10(fabs(x))) - 5);
}

TEST(puma_corke_inverse_dynamics)
{
    pinion_model *m = bundled("puma560-corke");
    pinion_work *w = m ? pinion_work_new(m) : NULL;
    if (w) {
        static const double starting[N] = {3.35311, 36.0025, 7.42596, 0.190043, 0.203441, 0.194133};
        static const double moving[N] = {32.4952, 60.867, 17.7436, 1.45452, 1.29911, 0.713781};
        double tau[N], passive[N];
        CHECK_STATUS(pinion_inverse_dynamics(m, w, qn, zero, one, NULL, tau), PINION_OK);
        for (int i = 0; i < N; i++) CHECK_NEAR(tau[i], starting[i], six_digits(starting[i]));

        /* with friction, which the motors have to overcome as well */
        CHECK_STATUS(pinion_inverse_dynamics(m, w, qn, one, one, NULL, tau), PINION_OK);
        CHECK_STATUS(pinion_passive_forces(m, w, qn, one, passive), PINION_OK);
        for (int i = 0; i < N; i++) CHECK_NEAR(tau[i] - passive[i], moving[i], six_digits(moving[i]));
    }
    pinion_work_free(w);
    pinion_model_free(m);
}

/* Friction at the motors: |G| (B |G| v + Tc), with another Tc for each direction. */
TEST(puma_corke_friction)
{
    static const double gear[N] = {-62.6111, 107.815, -53.7063, 76.0364, 71.923, 76.686};
    static const double viscous[N] = {1.48e-3, 0.817e-3, 1.38e-3, 71.2e-6, 82.6e-6, 36.7e-6};
    static const double coulomb[N][2] = {{0.395, -0.435},     {0.126, -0.071},     {0.132, -0.105},
                                         {11.2e-3, -16.9e-3}, {9.26e-3, -14.5e-3}, {3.96e-3, -10.5e-3}};
    pinion_model *m = bundled("puma560-corke");
    pinion_work *w = m ? pinion_work_new(m) : NULL;
    for (int direction = 0; w && direction < 2; direction++) {
        double v[N], passive[N], speed = direction ? -0.7 : 0.7;
        for (int i = 0; i < N; i++) v[i] = speed;
        CHECK_STATUS(pinion_passive_forces(m, w, qn, v, passive), PINION_OK);
        for (int i = 0; i < N; i++) {
            double G = fabs(gear[i]), friction = G * (viscous[i] * G * speed + coulomb[i][direction]);
            CHECK_NEAR(-passive[i], friction, 1e-13);
        }
    }
    if (w) {
        double passive[N];
        CHECK_STATUS(pinion_passive_forces(m, w, qn, zero, passive), PINION_OK);
        for (int i = 0; i < N; i++) CHECK(passive[i] == 0);
    }
    pinion_work_free(w);
    pinion_model_free(m);
}

/* The tool pushes on its environment with force and moment (1, 2, 3), in its own frame. */
TEST(puma_corke_tool_force)
{
    pinion_model *m = bundled("puma560-corke");
    pinion_work *w = m ? pinion_work_new(m) : NULL;
    if (w) {
        static const double expected[N] = {0.642756, 29.0866, 4.70321, 2.82843, -1.97175, 3};
        static const double reaction[6] = {-1, -2, -3, -1, -2, -3};
        double f_ext[(N + 1) * 6] = {0}, tau[N];
        CHECK(pinion_model_body_count(m) == N + 1);
        CHECK_STATUS(pinion_force_on_frame(m, pinion_model_find_frame(m, "link6"), reaction, f_ext),
                     PINION_OK);
        CHECK_STATUS(pinion_inverse_dynamics(m, w, qn, zero, zero, f_ext, tau), PINION_OK);
        for (int i = 0; i < N; i++) CHECK_NEAR(tau[i], expected[i], six_digits(expected[i]));
    }
    pinion_work_free(w);
    pinion_model_free(m);
}

TEST(puma_akb_gravity)
{
    pinion_model *m = bundled("puma560-akb");
    pinion_work *w = m ? pinion_work_new(m) : NULL;
    if (w) {
        static const double expected[N] = {0, -36.985809, 0.248929, 0, 0, 0};
        double tau[N];
        CHECK_STATUS(pinion_gravity(m, w, zero, tau), PINION_OK);
        for (int i = 0; i < N; i++) CHECK_NEAR(tau[i], expected[i], 0.5e-6);
    }
    pinion_work_free(w);
    pinion_model_free(m);
}

/* The inertia of the rotors is on the diagonal of the mass matrix: G^2 J, in both sets of parameters. */
TEST(puma_rotors)
{
    static const double gear[N] = {-62.6111, 107.815, -53.7063, 76.0364, 71.923, 76.686};
    static const double rotor[2][N] = {{200e-6, 200e-6, 200e-6, 33e-6, 33e-6, 33e-6},
                                       {291e-6, 409e-6, 299e-6, 35e-6, 35e-6, 35e-6}};
    static const char *const names[2] = {"puma560-corke", "puma560-akb"};
    for (int k = 0; k < 2; k++) {
        pinion_model *m = bundled(names[k]);
        pinion_work *w = m ? pinion_work_new(m) : NULL;
        if (w) {
            /* the last link turns about an axis through its own mass centre */
            double M[N * N], expected = 0.04e-3 + gear[5] * gear[5] * rotor[k][5];
            CHECK_STATUS(pinion_mass_matrix(m, w, qn, M), PINION_OK);
            CHECK_NEAR(M[N * N - 1], expected, 1e-15);
            for (int i = 0; i < N; i++) CHECK(M[(N + 1) * i] > gear[i] * gear[i] * rotor[k][i]);
        }
        pinion_work_free(w);
        pinion_model_free(m);
    }
}

/* ---------------------------------------------------------------------------------------------
 * The arms of Saha 1999: he prints parameters but no torques, so statics by hand */

TEST(stanford_statics)
{
    pinion_model *m = bundled("stanford");
    pinion_work *w = m ? pinion_work_new(m) : NULL;
    if (w) {
        /* the sliding joint carries links 3 to 6, and its axis is level at 90 degrees */
        double tau[N], q[N] = {0.3, PI / 2, 0.1, 0.4, 0.5, 0.6};
        CHECK_STATUS(pinion_gravity(m, w, q, tau), PINION_OK);
        CHECK_NEAR(tau[0], 0, 1e-12);
        CHECK_NEAR(tau[2], 0, 1e-12);
        q[1] = PI / 3;
        CHECK_STATUS(pinion_gravity(m, w, q, tau), PINION_OK);
        CHECK_NEAR(tau[2], -(4 + 1 + 0.6 + 0.5) * 9.81 * cos(PI / 3), 1e-12);

        /* a vertical slider has nothing to turn it: every mass centre beyond is on its axis */
        q[1] = 0;
        CHECK_STATUS(pinion_gravity(m, w, q, tau), PINION_OK);
        CHECK_NEAR(tau[1], 0, 1e-12);

        /* where the hand is */
        double position[3], R[9];
        q[0] = 0, q[1] = PI / 2;
        CHECK_STATUS(pinion_frame_pose(m, w, q, pinion_model_find_frame(m, "link6"), position, R), PINION_OK);
        CHECK_NEAR(position[0], -(0.1 + 0.6), 1e-15);
        CHECK_NEAR(position[1], 0.1, 1e-15);
        CHECK_NEAR(position[2], 0.2, 1e-15);
    }
    pinion_work_free(w);
    pinion_model_free(m);
}

TEST(planar_statics)
{
    pinion_model *m = bundled("planar-3r");
    pinion_work *w = m ? pinion_work_new(m) : NULL;
    if (w) {
        double tau[3], M[9];
        CHECK(pinion_model_nv(m) == 3);
        CHECK_STATUS(pinion_gravity(m, w, zero, tau), PINION_OK);
        CHECK_NEAR(tau[0], 4.5 * 9.81, 1e-13);
        CHECK_NEAR(tau[1], 2 * 9.81, 1e-13);
        CHECK_NEAR(tau[2], 0.5 * 9.81, 1e-13);

        /* stretched out it is one rod of 3 m, of 2 m, of 1 m: m L^2 / 3 */
        CHECK_STATUS(pinion_mass_matrix(m, w, zero, M), PINION_OK);
        CHECK_NEAR(M[0], 9, 1e-14);
        CHECK_NEAR(M[4], 8.0 / 3, 1e-14);
        CHECK_NEAR(M[8], 1.0 / 3, 1e-15);
    }
    pinion_work_free(w);
    pinion_model_free(m);
}

/* ---------------------------------------------------------------------------------------------
 * Small chains: every body has 1 kg and the identity as its inertia, gravity is (0, -9.81, 0) */

typedef struct body {
    int parent; /* body; 0 is the base */
    char axis;  /* of its revolute joint */
    double at[3], com[3];
} body;

static pinion_status add_body(pinion_builder *b, const body *x, int i, pinion_error *err)
{
    pinion_link_def link = pinion_link_def_default();
    pinion_joint_def joint = pinion_joint_def_default();
    char name[20], parent[20];
    snprintf(name, sizeof name, "b%d", i);
    snprintf(parent, sizeof parent, "b%d", x->parent);
    link.name = joint.name = joint.child = name;
    joint.parent = parent;
    joint.type = PINION_JOINT_REVOLUTE;
    link.inertia.mass = 1;
    for (int k = 0; k < 3; k++) {
        link.inertia.com[k] = x->com[k];
        link.inertia.inertia[k == 0 ? 0 : k == 1 ? 3 : 5] = 1;
        joint.parent_pose.position[k] = x->at[k];
        joint.axis[k] = x->axis == 'x' + k;
    }
    pinion_status status = pinion_builder_add_link(b, &link, err);
    return status ? status : pinion_builder_add_joint(b, &joint, err);
}

/* Lets the chain go from rest. */
static void check_fall(const body *bodies, int count, const double *expected)
{
    static const double gravity[3] = {0, -9.81, 0};
    pinion_error err;
    pinion_builder *b = pinion_builder_new("chain");
    pinion_model *m = NULL;
    pinion_link_def base = pinion_link_def_default();
    base.name = "b0";
    pinion_status status = pinion_builder_set_gravity(b, gravity, &err);
    if (!status) status = pinion_builder_add_link(b, &base, &err);
    for (int i = 0; !status && i < count; i++) status = add_body(b, &bodies[i], i + 1, &err);
    if (!status) m = pinion_builder_build(b, NULL, &err);
    pinion_builder_free(b);
    pinion_work *w = m ? pinion_work_new(m) : NULL;
    if (!w) {
        CHECK_FAIL("%s", err.message);
    } else {
        double a[8];
        CHECK_STATUS(pinion_forward_dynamics(m, w, zero, zero, zero, NULL, a), PINION_OK);
        for (int i = 0; i < count; i++) CHECK_NEAR(a[i], expected[i], 1e-13);
    }
    pinion_work_free(w);
    pinion_model_free(m);
}

TEST(two_and_three_bodies)
{
    static const body chain[3] = {
        {0, 'z', {0, 0, 0}, {1, 0, 0}}, {1, 'z', {1, 0, 0}, {1, 0, 0}}, {2, 'z', {1, 0, 0}, {1, 0, 0}}};
    static const double two[2] = {-5.886, 3.924};
    static const double three[3] = {-6.03692307692308, 3.77307692307692, 1.50923076923077};
    check_fall(chain, 2, two);
    check_fall(chain, 3, three);
}

/* Two branches on the first body, each a body that turns about y and one about x; the mass centres of the
 * second branch are those of the first. */
TEST(five_bodies)
{
    static const body tree[5] = {{0, 'z', {0, 0, 0}, {1, 0, 0}},
                                 {1, 'y', {1, 0, 0}, {0, 1, 0}},
                                 {2, 'x', {0, 1, 0}, {0, 0, 1}},
                                 {1, 'y', {-0.5, 0, 0}, {0, 1, 0}},
                                 {4, 'x', {0, -0.5, 0}, {0, 0, 1}}};
    static const double expected[5] = {-1.60319066147860, -0.534396887159533, 4.10340466926070,
                                       0.267198443579767, 5.30579766536965};
    check_fall(tree, 5, expected);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(puma_corke_gravity);
    RUN(puma_corke_inverse_dynamics);
    RUN(puma_corke_friction);
    RUN(puma_corke_tool_force);
    RUN(puma_akb_gravity);
    RUN(puma_rotors);
    RUN(stanford_statics);
    RUN(planar_statics);
    RUN(two_and_three_bodies);
    RUN(five_bodies);
    return CHECK_END();
}
