/* The algorithms that compute along the axes of parallel joints, on robots that have many of these: axes along the
 * coordinate axes, both ways, runs of parallel ones of any length, branches on them, sliding joints between them,
 * gravity in any direction. Random models of other tests hardly ever have two parallel axes. */
#include "identity/identity.h"
#include "registry/models.h"

#include <float.h>

static double worst[3];

/* quarter turns about the coordinate axes, or none */
static void random_turn(uint64_t *seed, double R[9])
{
    const double unit[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    memcpy(R, unit, sizeof unit);
    if (check_uniform(seed) < 0.5) return;
    const int k = (int)(3 * check_uniform(seed)), i = (k + 1) % 3, j = (k + 2) % 3;
    const double c = check_uniform(seed) < 0.3 ? -1 : 0, s = c != 0 ? 0 : check_uniform(seed) < 0.5 ? 1 : -1;
    R[4 * i] = R[4 * j] = c;
    R[3 * i + j] = -s;
    R[3 * j + i] = s;
}

static pinion_joint_def aligned_joint(uint64_t *seed, int same)
{
    static const pinion_joint_type others[] = {
        PINION_JOINT_PRISMATIC,   PINION_JOINT_HELICAL, PINION_JOINT_SPHERICAL, PINION_JOINT_UNIVERSAL,
        PINION_JOINT_CYLINDRICAL, PINION_JOINT_PLANAR,  PINION_JOINT_FREE};
    pinion_joint_def joint = pinion_joint_def_default();
    joint.type = check_uniform(seed) < 0.85 ? PINION_JOINT_REVOLUTE : others[(int)(7 * check_uniform(seed))];
    if (joint.type == PINION_JOINT_HELICAL) joint.pitch = 0.1;
    if (!same) random_turn(seed, joint.parent_pose.rotation);
    for (int i = 0; i < 3; i++) {
        joint.axis[i] = 0;
        joint.parent_pose.position[i] = check_uniform(seed) < 0.4 ? 0 : check_between(seed, -0.4, 0.4);
    }
    joint.axis[same ? 2 : (int)(3 * check_uniform(seed))] = check_uniform(seed) < 0.3 ? -1 : 1;
    if (check_uniform(seed) < 0.2) {
        joint.dof[0].rotor_inertia = 1e-4;
        joint.dof[0].gear_ratio = 50;
    }
    return joint;
}

/* A tree of such joints; `parallel` is how often a joint is parallel to its parent's. `follows`: the last follows. */
static pinion_model *aligned_model(int joints, double parallel, int serial, int follows, uint64_t *seed)
{
    pinion_error err = {0};
    pinion_builder *b = pinion_builder_new("aligned");
    char name[3][32];
    pinion_link_def link = pinion_link_def_default();
    link.name = "link0";
    int status = b ? pinion_builder_add_link(b, &link, &err) : PINION_ERR_MEMORY;
    for (int i = 1; i <= joints && !status; i++) {
        const int parent = serial || check_uniform(seed) < 0.7 ? i - 1 : (int)(check_uniform(seed) * i);
        pinion_joint_def joint = aligned_joint(seed, check_uniform(seed) < parallel);
        snprintf(name[0], sizeof name[0], "joint%d", i);
        snprintf(name[1], sizeof name[1], "link%d", parent);
        snprintf(name[2], sizeof name[2], "link%d", i);
        joint.name = name[0];
        joint.parent = name[1];
        joint.child = name[2];
        if (follows && (i == 1 || i == joints)) joint.type = PINION_JOINT_REVOLUTE;
        if (follows && i == joints && i > 1) {
            joint.mimic = "joint1";
            joint.multiplier = -1.5;
            joint.offset = 0.1;
        }
        link.name = name[2];
        link.inertia = random_inertia(seed);
        /* many links have their centre on the axis and no products */
        for (int k = 0; k < 3; k++)
            if (check_uniform(seed) < 0.4) link.inertia.com[k] = 0;
        if (check_uniform(seed) < 0.4) link.inertia.inertia[1] = link.inertia.inertia[2] = link.inertia.inertia[4] = 0;
        status = pinion_builder_add_link(b, &link, &err);
        if (!status) status = pinion_builder_add_joint(b, &joint, &err);
    }
    pinion_model *m = status ? NULL : pinion_builder_build(b, NULL, &err);
    if (!m) CHECK_FAIL("a model cannot be built: %s", err.message);
    pinion_builder_free(b);
    return m;
}

/* the error in roundings, which grow with the number of bodies that are summed over */
static void near_to(const subject *s, int what, const char *name, const double *x, const double *ref, int n,
                    double size)
{
    const double error = check_error(x, ref, (size_t)n, fmax(size, 1e-300)) / DBL_EPSILON;
    if (!(error <= worst[what])) worst[what] = error;
    check_count++;
    if (!(error <= 30 * (s->bodies + 2))) CHECK_FAIL("%s: %s is off by %.3g roundings", s->name, name, error);
}

static void compare(subject *s)
{
    const int nv = s->nv;
    const int axes = pinion_algorithm_find("parallel-axes"), matrix = pinion_algorithm_find("parallel-composite");
    const int forward = pinion_algorithm_find("parallel-ltl");
    pinion_work *w = pinion_work_new(s->m);
    double *x = take(s, nv), *ref = take(s, nv), *M = take(s, nv * nv), *M_ref = take(s, nv * nv);
    double *a = take(s, nv), gravity[3];
    CHECK(w && axes >= 0 && matrix >= 0 && forward >= 0);
    for (int k = 0; k < 3; k++) gravity[k] = check_uniform(&s->random) < 0.5 ? 0 : spread(s, 10);
    FINE(s, pinion_model_set_gravity(s->m, gravity));

    FINE(s, pinion_inverse_dynamics_by(s->m, w, axes, s->q, s->v, s->a, s->f_ext, x));
    FINE(s, pinion_inverse_dynamics(s->m, w, s->q, s->v, s->a, s->f_ext, ref));
    near_to(s, 0, "inverse dynamics", x, ref, nv, 0);
    const double size = largest(ref, nv);
    FINE(s, pinion_inverse_dynamics_by(s->m, w, axes, s->q, NULL, NULL, NULL, x));
    FINE(s, pinion_gravity(s->m, w, s->q, ref));
    near_to(s, 0, "gravity", x, ref, nv, size);
    FINE(s, pinion_mass_matrix_by(s->m, w, matrix, s->q, M));
    FINE(s, pinion_mass_matrix(s->m, w, s->q, M_ref));
    near_to(s, 1, "M", M, M_ref, nv * nv, 0);

    /* forward dynamics by what it needs again; a singular M is what the library says it is, too */
    const int expected = pinion_forward_dynamics(s->m, w, s->q, s->v, s->tau, s->f_ext, a);
    const int status = pinion_forward_dynamics_by(s->m, w, forward, s->q, s->v, s->tau, s->f_ext, a);
    if (expected != PINION_ERR_SINGULAR) CHECK_STATUS(status, PINION_OK);
    if (status == PINION_OK) {
        double row = 0;
        FINE(s, pinion_inverse_dynamics(s->m, w, s->q, s->v, a, s->f_ext, ref));
        for (int i = 0; i < nv; i++) {
            double sum = 0;
            for (int j = 0; j < nv; j++) sum += fabs(M_ref[i * nv + j] * a[j]);
            row = fmax(row, sum);
        }
        near_to(s, 2, "forward dynamics", ref, s->tau, nv, row);
    }
    pinion_work_free(w);
}

static void for_aligned(double parallel, int serial)
{
    uint64_t seed = check_seed * 77 + (uint64_t)(parallel * 100) + (uint64_t)serial;
    for (int joints = 1; joints <= 14; joints++)
        for (int k = 0; k < 12; k++) {
            char name[96];
            subject s;
            pinion_model *m = aligned_model(joints, parallel, serial, k % 4 == 3, &seed);
            if (!m) continue; /* said there */
            snprintf(name, sizeof name, "%s of %d joints, %.0f %% parallel, model %d", serial ? "chain" : "tree",
                     joints, 100 * parallel, k);
            subject_init(&s, m, name, seed);
            check_states(&s, 2, compare);
            subject_free(&s);
        }
    printf("       roundings: inverse dynamics %.0f, M %.0f, forward dynamics %.0f\n", worst[0], worst[1], worst[2]);
}

TEST(chains)
{
    for_aligned(0.3, 1);
    for_aligned(0.7, 1);
    for_aligned(1, 1);
}

TEST(trees)
{
    for_aligned(0.3, 0);
    for_aligned(0.7, 0);
    for_aligned(1, 0);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(chains);
    RUN(trees);
    return CHECK_END();
}
