/* Modes given as data: a beam bent along xi^2 and xi^3, put into nodes, has the matrices, frequencies and stiffening by
 * spin of integrals by hand; what is attached moves with its node; masses that are given count. */
#include "beams.h"

enum { NODES = 200 };

typedef struct data {
    double position[NODES][3], mass[NODES], inertia[NODES][6];
    double translation[2][NODES][3], rotation[2][NODES][3];
    double stiffness[4], given[4];
} data;

static const double L = 1.6, rhoA = 0.9, EI = 25;

/* Nodes in the middle of equal parts, along x from the origin; modes along y with rotations about z. */
static pinion_elastic_def take(data *d)
{
    memset(d, 0, sizeof *d);
    for (int i = 0; i < NODES; i++) {
        const double xi = (i + 0.5) / NODES;
        d->position[i][0] = L * xi;
        d->mass[i] = rhoA * L / NODES;
        for (int k = 0; k < 2; k++) {
            d->translation[k][i][1] = pow(xi, k + 2);
            d->rotation[k][i][2] = (k + 2) * pow(xi, k + 1) / L;
        }
    }
    /* EI int phi_j'' phi_k'': 4, 6, 12 over L^3 */
    const double c = EI / (L * L * L);
    d->stiffness[0] = 4 * c;
    d->stiffness[1] = d->stiffness[2] = 6 * c;
    d->stiffness[3] = 12 * c;
    pinion_elastic_def e = pinion_elastic_def_default();
    e.node_count = NODES;
    e.mode_count = 2;
    e.position = d->position[0];
    e.mass = d->mass;
    e.translation = d->translation[0][0];
    e.rotation = d->rotation[0][0];
    e.stiffness_matrix = d->stiffness;
    return e;
}

/* rho A L int phi_j phi_k = rho A L / (j + k + 5), and the two frequencies of K and M by the quadratic equation */
static double modal(int j, int k)
{
    return rhoA * L / (j + k + 5);
}

static void frequencies(const double K[4], const double M[4], double w[2])
{
    const double a = M[0] * M[3] - M[1] * M[1], c = K[0] * K[3] - K[1] * K[1];
    const double b = K[0] * M[3] + K[3] * M[0] - 2 * K[1] * M[1], root = sqrt(b * b - 4 * a * c);
    w[0] = sqrt(2 * c / (b + root));
    w[1] = sqrt((b + root) / (2 * a));
}

TEST(matrices_and_frequencies)
{
    data d;
    const pinion_elastic_def e = take(&d);
    pinion_model *m = cantilever(&e, -9.81);
    pinion_work *w = pinion_work_new(m);
    pinion_elastic_info info;
    CHECK_STATUS(pinion_model_elastic(m, 0, &info), PINION_OK);
    CHECK(info.modes == 2 && info.def.node_count == NODES && pinion_model_nv(m) == 2);
    CHECK_NEAR(info.mass, rhoA * L, 1e-12);
    double M[4], g[2], x[2] = {0, 0}, expected[2], exact[4] = {modal(0, 0), modal(0, 1), modal(0, 1), modal(1, 1)};
    CHECK_STATUS(pinion_mass_matrix(m, w, x, M), PINION_OK);
    for (int i = 0; i < 4; i++) {
        CHECK_NEAR(M[i], exact[i], 1e-4 * exact[i]); /* the middle rule */
        CHECK(fabs(M[i] - info.modal_mass[i]) < 1e-14 && info.stiffness[i] == d.stiffness[i]);
    }
    frequencies(d.stiffness, M, expected);
    CHECK_NEAR(info.frequency[0], expected[0], 1e-12 * expected[0]);
    CHECK_NEAR(info.frequency[1], expected[1], 1e-12 * expected[1]);
    /* the first is that of Euler and Bernoulli, from above, by Ritz's method with two terms: within half a percent */
    const double euler = 1.8751040687119611 * 1.8751040687119611 * sqrt(EI / rhoA) / (L * L);
    CHECK(info.frequency[0] > euler && info.frequency[0] < 1.006 * euler);

    /* weight along -y */
    CHECK_STATUS(pinion_gravity(m, w, x, g), PINION_OK);
    for (int k = 0; k < 2; k++) CHECK_NEAR(g[k], rhoA * 9.81 * L / (k + 3), 1e-4);
    pinion_work_free(w);
    pinion_model_free(m);
}

/* Spun about z, in the plane of bending, and about y, out of it: for small x h is Omega^2 K x, with K the integral
 * rho A int s int_0^s phi_j' phi_k', less M in the plane. */
TEST(spin_stiffens)
{
    data d;
    const pinion_elastic_def e = take(&d);
    for (int way = 0; way < 2; way++) {
        const double none[3] = {0, 0, 0}, Omega = 3.7;
        pinion_builder *b = pinion_builder_new("spun");
        CHECK_STATUS(pinion_builder_set_gravity(b, none, NULL), PINION_OK);
        add_link(b, "ground", 0, NULL);
        pinion_link_def link = pinion_link_def_default();
        link.name = "beam";
        link.elastic = &e;
        CHECK_STATUS(pinion_builder_add_link(b, &link, NULL), PINION_OK);
        pinion_joint_def joint = pinion_joint_def_default();
        joint.name = "axis";
        joint.type = PINION_JOINT_REVOLUTE;
        joint.parent = "ground";
        joint.child = "beam";
        joint.axis[0] = 0;
        joint.axis[1] = way;
        joint.axis[2] = !way;
        CHECK_STATUS(pinion_builder_add_joint(b, &joint, NULL), PINION_OK);
        pinion_model *m = build(b);
        pinion_work *w = pinion_work_new(m);
        for (int k = 0; k < 2; k++) {
            double q[3] = {0.4, 0, 0}, v[3] = {Omega, 0, 0}, h[3], small = 1e-6;
            q[1 + k] = small;
            CHECK_STATUS(pinion_bias(m, w, q, v, h), PINION_OK);
            for (int j = 0; j < 2; j++) {
                /* rho A L int xi (j+2)(k+2) xi^(j+k+3) / (j+k+3) */
                const double stiff = rhoA * L * (j + 2) * (k + 2) / ((j + k + 3.0) * (j + k + 5));
                const double expected = Omega * Omega * (stiff - (way ? 0 : modal(j, k)));
                CHECK_NEAR(h[1 + j] / small, expected, 2e-4 * Omega * Omega * stiff);
            }
        }
        pinion_work_free(w);
        pinion_model_free(m);
    }
}

/* Frames move with the nearest node, in displacement, shortening and rotation; where none moves, not at all. */
TEST(attached_to_nodes)
{
    const double position[] = {0.2, 0, 0, 0.6, 0, 0}, mass[] = {0.1, 0.3};
    const double translation[] = {0, 0, 0, 0, 0.5, 0}, rotation[] = {0, 0, 0, 0, 0, 2}, stiffness[] = {3};
    pinion_elastic_def e = pinion_elastic_def_default();
    e.node_count = 2;
    e.mode_count = 1;
    e.position = position;
    e.mass = mass;
    e.translation = translation;
    e.rotation = rotation;
    e.stiffness_matrix = stiffness;
    pinion_builder *b = pinion_builder_new("nodes");
    add_link(b, "beam", 0, &e);
    const double at[] = {0.3, 0.5, 0.7};
    static const char *const name[] = {"near", "far", "beyond"};
    for (int i = 0; i < 3; i++) {
        pinion_frame_def frame = pinion_frame_def_default();
        frame.name = name[i];
        frame.link = "beam";
        frame.pose.position[0] = at[i];
        CHECK_STATUS(pinion_builder_add_frame(b, &frame, NULL), PINION_OK);
    }
    pinion_model *m = build(b);
    pinion_work *w = pinion_work_new(m);
    const double x = 0.1, half = x; /* half of the rotation, 2 x, by its tangent */
    const double c = (1 - half * half) / (1 + half * half), s = 2 * half / (1 + half * half);
    const double node[2] = {0.6 - 0.5 * (0.5 * x) * (0.5 * x) / 0.4, 0.5 * x};
    for (int i = 0; i < 3; i++) {
        double p[3], R[9];
        CHECK_STATUS(pinion_frame_pose(m, w, &x, pinion_model_find_frame(m, name[i]), p, R), PINION_OK);
        const double off = at[i] - 0.6;
        CHECK_NEAR(p[0], i ? node[0] + c * off : at[i], 1e-15);
        CHECK_NEAR(p[1], i ? node[1] + s * off : 0, 1e-15);
        CHECK_NEAR(R[0], i ? c : 1, 1e-15);
        CHECK_NEAR(R[3], i ? s : 0, 1e-15);
    }
    double M;
    CHECK_STATUS(pinion_mass_matrix(m, w, &x, &M), PINION_OK);
    /* the node's velocity: along y 0.5, along x the shortening's */
    CHECK_NEAR(M, 0.3 * (0.25 + pow(0.25 * x / 0.4, 2)), 1e-15);
    pinion_work_free(w);
    pinion_model_free(m);
}

/* A mass matrix that is given is M with the frame held; inertias of nodes turn with them; damping is as given. */
TEST(given_matrices)
{
    data d;
    pinion_elastic_def e = take(&d);
    const double damping[4] = {0.3, 0.1, 0.1, 0.2};
    double M[4], x[2] = {0, 0}, plain[4], turning[4];
    for (int i = 0; i < 4; i++) d.given[i] = 1.01 * modal(i / 2, i % 2);
    e.mass_matrix = d.given;
    e.damping_matrix = damping;
    pinion_model *m = cantilever(&e, 0);
    pinion_work *w = pinion_work_new(m);
    pinion_elastic_info info;
    CHECK_STATUS(pinion_model_elastic(m, 0, &info), PINION_OK);
    CHECK_STATUS(pinion_mass_matrix(m, w, x, M), PINION_OK);
    for (int i = 0; i < 4; i++) {
        CHECK_NEAR(M[i], d.given[i], 1e-14);
        CHECK(info.damping[i] == damping[i]);
    }
    /* the same more of it where it is bent and moves: energy has it, and forces are what energy says */
    double q[2] = {0.05, -0.1}, v[2] = {0.7, -0.4}, T, Mv = 0, tau[2], a[2] = {0.3, 0.2}, h[2];
    CHECK_STATUS(pinion_mass_matrix(m, w, q, M), PINION_OK);
    CHECK_STATUS(pinion_energy(m, w, q, v, 0, &T, NULL), PINION_OK);
    for (int i = 0; i < 4; i++) Mv += v[i / 2] * M[i] * v[i % 2];
    CHECK_NEAR(T, Mv / 2, 1e-15);
    CHECK_STATUS(pinion_inverse_dynamics(m, w, q, v, a, NULL, tau), PINION_OK);
    CHECK_STATUS(pinion_bias(m, w, q, v, h), PINION_OK);
    for (int i = 0; i < 2; i++) CHECK_NEAR(tau[i], h[i] + M[2 * i] * a[0] + M[2 * i + 1] * a[1], 1e-14);
    pinion_work_free(w);
    pinion_model_free(m);

    e = take(&d);
    m = cantilever(&e, 0);
    w = pinion_work_new(m);
    CHECK_STATUS(pinion_mass_matrix(m, w, x, plain), PINION_OK);
    pinion_work_free(w);
    pinion_model_free(m);
    for (int i = 0; i < NODES; i++) d.inertia[i][5] = 0.02 * L / NODES; /* rho I of a section: rotary inertia */
    e.inertia = d.inertia[0];
    m = cantilever(&e, 0);
    w = pinion_work_new(m);
    CHECK_STATUS(pinion_mass_matrix(m, w, x, turning), PINION_OK);
    for (int i = 0; i < 4; i++) {
        const int j = i / 2, k = i % 2;
        CHECK_NEAR(turning[i] - plain[i], 0.02 / L * (j + 2) * (k + 2) / (j + k + 3), 1e-5);
    }
    pinion_work_free(w);
    pinion_model_free(m);
}

/* why a cantilever with this mass matrix is refused; NULL where it is not */
static const char *refusal(data *d, double share, double cross, const char **why)
{
    static pinion_error err;
    pinion_elastic_def e = take(d);
    for (int i = 0; i < 4; i++) d->given[i] = share * modal(i / 2, i % 2) + (i == 1 || i == 2 ? cross : 0);
    e.mass_matrix = d->given;
    pinion_builder *b = pinion_builder_new("given");
    add_link(b, "beam", 0, &e);
    pinion_model *m = pinion_builder_build(b, NULL, &err);
    *why = m ? NULL : err.message;
    pinion_model_free(m);
    pinion_builder_free(b);
    return *why;
}

/* A mass matrix that is less than what the nodes have would make kinetic energy negative somewhere. */
TEST(too_small_a_mass)
{
    data d;
    const char *why;
    CHECK(!refusal(&d, 1, 0, &why) && !refusal(&d, 2, 0, &why));
    CHECK(!refusal(&d, 0.999, 0, &why)); /* lumps may weigh a little more than what they stand for */
    /* but not so much that the frame's motion takes all of it */
    CHECK(refusal(&d, 0.97, 0, &why) && strstr(why, "could be negative"));
    CHECK(refusal(&d, 0.9, 0, &why) && strstr(why, "link 'beam': its mass matrix is smaller than what its nodes"));
    CHECK(refusal(&d, 0.5, 0, &why) && strstr(why, "its mass matrix is smaller than what its nodes"));
    CHECK(refusal(&d, 1, 0.002, &why) && strstr(why, "its mass matrix is smaller than what its nodes"));
    CHECK(refusal(&d, 1, 1, &why) && strstr(why, "its mass matrix is not positive definite"));

    /* two lumps that turn as a rigid body does: all of the mode's inertia is already that of the frame's motion */
    const double position[] = {0.2, 0, 0, 0.6, 0, 0}, mass[] = {0.1, 0.3}, translation[] = {0, 0.2, 0, 0, 0.6, 0};
    const double stiffness[] = {3}, own = 0.1 * 0.04 + 0.3 * 0.36, share[] = {1, 0.98};
    for (int i = 0; i < 2; i++) {
        const double given[] = {share[i] * own};
        pinion_elastic_def e = pinion_elastic_def_default();
        pinion_error err;
        e.node_count = 2, e.mode_count = 1;
        e.position = position, e.mass = mass, e.translation = translation;
        e.stiffness_matrix = stiffness, e.mass_matrix = given;
        pinion_builder *b = pinion_builder_new("lumps");
        add_link(b, "beam", 0, &e);
        pinion_model *m = pinion_builder_build(b, NULL, &err);
        CHECK(i ? !m && strstr(err.message, "could be negative") : m != NULL);
        pinion_model_free(m);
        pinion_builder_free(b);
    }
}

/* Fixed to another robot it bends as it did; scaled it would not, and is refused. */
TEST(composed)
{
    pinion_error err = {0};
    pinion_model *part = tree(), *m = pinion_random_chain(2, 3, &err);
    pinion_model *whole = pinion_model_attach(m, pinion_model_frame_count(m) - 1, part, "arm.", NULL, &err);
    if (!whole) CHECK_FAIL("%s", err.message);
    CHECK(whole && pinion_model_elastic_count(whole) == pinion_model_elastic_count(part));
    for (int i = 0; whole && i < pinion_model_elastic_count(part); i++) {
        pinion_elastic_info a, b;
        CHECK_STATUS(pinion_model_elastic(part, i, &a), PINION_OK);
        CHECK_STATUS(pinion_model_elastic(whole, i, &b), PINION_OK);
        CHECK(a.def.length == b.def.length && a.def.bending_stiffness[0] == b.def.bending_stiffness[0] &&
              a.def.mass_per_length == b.def.mass_per_length && a.def.modes[0] == b.def.modes[0]);
    }
    CHECK(!pinion_model_scale(part, 2, 1, &err) && err.status == PINION_ERR_UNSUPPORTED);
    CHECK_HAS(err.message, "link 'upper' is elastic, and what scales its lengths or masses would not tell its "
                           "stiffness");
    CHECK(!pinion_model_scale(part, 1, 2, &err) && err.status == PINION_ERR_UNSUPPORTED);
    pinion_model_free(whole);
    pinion_model_free(m);
    pinion_model_free(part);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(matrices_and_frequencies);
    RUN(spin_stiffens);
    RUN(attached_to_nodes);
    RUN(given_matrices);
    RUN(too_small_a_mass);
    RUN(composed);
    return CHECK_END();
}
