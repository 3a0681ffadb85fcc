/* For tests of forces and controllers: small models, and a plain Runge-Kutta method that moves them.
 * Quaternions are integrated as four numbers and normalized after a step, so that nothing of the library's
 * own charts is used. */
#ifndef PN_TEST_MOTION_H
#define PN_TEST_MOTION_H

#include "check.h"
#include "pinion/actuators.h"
#include "pinion/sim/control.h"
#include "pinion/sim/forces.h"

#define MOTION_MAX 64 /* numbers in q and in v, bodies */

/* ---- models ---- */

static inline void motion_link(pinion_builder *b, const char *name, double mass, double radius)
{
    pinion_link_def link = pinion_link_def_default();
    link.name = name;
    link.inertia.mass = mass;
    link.inertia.inertia[0] = link.inertia.inertia[3] = link.inertia.inertia[5] =
        0.4 * mass * radius * radius;
    CHECK_STATUS(pinion_builder_add_link(b, &link, NULL), PINION_OK);
}

static inline pinion_joint_def motion_joint(const char *name, pinion_joint_type type, const char *parent,
                                            const char *child, double x, double y, double z)
{
    pinion_joint_def joint = pinion_joint_def_default();
    joint.name = name;
    joint.type = type;
    joint.parent = parent;
    joint.child = child;
    joint.axis[0] = x;
    joint.axis[1] = y;
    joint.axis[2] = z;
    return joint;
}

/* a ball of that mass that slides up and down */
static inline pinion_model *motion_lift(double mass)
{
    pinion_builder *b = pinion_builder_new("lift");
    motion_link(b, "base", 0, 0);
    motion_link(b, "ball", mass, 0.1);
    pinion_joint_def joint = motion_joint("z", PINION_JOINT_PRISMATIC, "base", "ball", 0, 0, 1);
    CHECK_STATUS(pinion_builder_add_joint(b, &joint, NULL), PINION_OK);
    pinion_model *m = pinion_builder_build(b, NULL, NULL);
    CHECK(m != NULL);
    pinion_builder_free(b);
    return m;
}

/* one joint of a type between the base and a body with different moments of inertia; a free one has six thrusters */
static inline pinion_model *motion_single(pinion_joint_type type)
{
    pinion_builder *b = pinion_builder_new("single");
    motion_link(b, "base", 0, 0);
    pinion_link_def link = pinion_link_def_default();
    link.name = "body";
    link.inertia = (pinion_inertia){1.5, {0.1, -0.05, 0.2}, {0.05, 0.01, -0.005, 0.08, 0.002, 0.1}};
    CHECK_STATUS(pinion_builder_add_link(b, &link, NULL), PINION_OK);
    pinion_joint_def joint = motion_joint("joint", type, "base", "body", 0, 0, 1);
    for (int i = 0; i < 6; i++) joint.dof[i].lower = -INFINITY, joint.dof[i].upper = INFINITY;
    CHECK_STATUS(pinion_builder_add_joint(b, &joint, NULL), PINION_OK);
    for (int i = 0; i < 6 && type == PINION_JOINT_FREE; i++) {
        static const char *const name[] = {"nx", "ny", "nz", "fx", "fy", "fz"};
        pinion_actuator_def thruster = pinion_actuator_def_default();
        thruster.name = name[i];
        thruster.type = PINION_ACTUATOR_FRAME;
        thruster.frame = "body";
        thruster.wrench[i] = 1 + 0.5 * i;
        thruster.wrench[3] += 0.25;
        CHECK_STATUS(pinion_builder_add_actuator(b, &thruster, NULL), PINION_OK);
    }
    pinion_model *m = pinion_builder_build(b, NULL, NULL);
    CHECK(m != NULL);
    pinion_builder_free(b);
    return m;
}

/* ---- motion ---- */

/* q' from v, joint by joint */
static inline void motion_rates(const pinion_model *m, const double *q, const double *v, double *rate)
{
    for (int i = 0; i < pinion_model_joint_count(m); i++) {
        pinion_joint_info j;
        CHECK_STATUS(pinion_model_joint(m, i, &j), PINION_OK);
        if (j.nq == 0) continue;
        const double *x = q + j.q_index, *u = v + j.v_index;
        double *r = rate + j.q_index;
        if (j.type == PINION_JOINT_PLANAR) {
            r[0] = cos(x[2]) * u[0] - sin(x[2]) * u[1];
            r[1] = sin(x[2]) * u[0] + cos(x[2]) * u[1];
            r[2] = u[2];
        } else if (j.type == PINION_JOINT_SPHERICAL || j.type == PINION_JOINT_FREE) {
            /* half the product of the quaternion and (0, w) */
            r[0] = (-x[1] * u[0] - x[2] * u[1] - x[3] * u[2]) / 2;
            r[1] = (x[0] * u[0] + x[2] * u[2] - x[3] * u[1]) / 2;
            r[2] = (x[0] * u[1] + x[3] * u[0] - x[1] * u[2]) / 2;
            r[3] = (x[0] * u[2] + x[1] * u[1] - x[2] * u[0]) / 2;
            /* the position turns with the body: v + 2 a x (a x v + w v) */
            if (j.type == PINION_JOINT_FREE) {
                const double *d = u + 3, w = x[0], *a = x + 1;
                const double c[3] = {a[1] * d[2] - a[2] * d[1] + w * d[0],
                                     a[2] * d[0] - a[0] * d[2] + w * d[1],
                                     a[0] * d[1] - a[1] * d[0] + w * d[2]};
                r[4] = d[0] + 2 * (a[1] * c[2] - a[2] * c[1]);
                r[5] = d[1] + 2 * (a[2] * c[0] - a[0] * c[2]);
                r[6] = d[2] + 2 * (a[0] * c[1] - a[1] * c[0]);
            }
        } else {
            for (int k = 0; k < j.nq; k++) r[k] = u[k];
        }
    }
}

/* accelerations, and the power of what is not in a potential */
typedef void (*motion_law)(void *user, double t, const double *q, const double *v, double *a, double *power);

/* one step of the classical method; `work` grows by the integral of the power */
static inline void motion_step(const pinion_model *m, motion_law law, void *user, double t, double h,
                               double *q, double *v, double *work)
{
    static const double node[4] = {0, 0.5, 0.5, 1}, weight[4] = {1. / 6, 1. / 3, 1. / 3, 1. / 6};
    const int nq = pinion_model_nq(m), nv = pinion_model_nv(m);
    double rate[4][MOTION_MAX], a[4][MOTION_MAX], power[4], x[MOTION_MAX], u[MOTION_MAX];
    for (int s = 0; s < 4; s++) {
        for (int i = 0; i < nq; i++) x[i] = q[i] + (s ? h * node[s] * rate[s - 1][i] : 0);
        for (int i = 0; i < nv; i++) u[i] = v[i] + (s ? h * node[s] * a[s - 1][i] : 0);
        motion_rates(m, x, u, rate[s]);
        /* what is evaluated has unit quaternions; the rates keep the order, since they scale with them */
        CHECK_STATUS(pinion_normalize(m, x), PINION_OK);
        law(user, t + h * node[s], x, u, a[s], &power[s]);
    }
    for (int s = 0; s < 4; s++) {
        for (int i = 0; i < nq; i++) q[i] += h * weight[s] * rate[s][i];
        for (int i = 0; i < nv; i++) v[i] += h * weight[s] * a[s][i];
        *work += h * weight[s] * power[s];
    }
    CHECK_STATUS(pinion_normalize(m, q), PINION_OK);
}

#endif
