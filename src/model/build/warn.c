/* Warnings: what is suspicious in a description that is valid. Inertias above all. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/plan/plan.h"

int pn_plan_warn(pn_plan *plan, const char *format, ...)
{
    char text[PN_MAX_WARNING + 1];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (n >= (int)sizeof text) pn_trim_utf8(text, sizeof text - 1);
    size_t bytes = strlen(text) + 1;
    plan->warnings.size = 1;
    if (!pn_list_reserve(&plan->warnings, bytes)) return 0;
    memcpy(plan->warnings.data + plan->warnings.count, text, bytes);
    plan->warnings.count += bytes;
    plan->warning_count++;
    return 1;
}

pinion_status pn_plan_loader_warnings(pn_plan *plan, pinion_error *err)
{
    const pinion_builder *b = plan->b;
    for (size_t i = 0; i < b->warnings.count; i++) {
        const char *sentence = pn_builder_text(b, *PN_ITEM(&b->warnings, const size_t, i));
        if (!pn_plan_warn(plan, "%s", sentence)) return pn_fail_memory(b, err);
    }
    return PINION_OK;
}

/* Principal moments of a symmetric xx, xy, xz, yy, yz, zz in ascending order: Jacobi rotations. */
static void principal_moments(const double I[6], double moment[3])
{
    double A[3][3] = {{I[0], I[1], I[2]}, {I[1], I[3], I[4]}, {I[2], I[4], I[5]}};
    for (int sweep = 0; sweep < 12; sweep++) {
        for (int p = 0; p < 2; p++) {
            for (int q = p + 1; q < 3; q++) {
                if (A[p][q] == 0) continue;

                /* the rotation in the plane of p and q that removes the entry */
                double tau = (A[q][q] - A[p][p]) / (2 * A[p][q]);
                double t = (tau >= 0 ? 1 : -1) / (fabs(tau) + hypot(1, tau));
                double c = 1 / hypot(1, t), s = t * c;
                int r = 3 - p - q;
                double pr = A[p][r], qr = A[q][r];
                A[p][p] -= t * A[p][q];
                A[q][q] += t * A[p][q];
                A[p][q] = A[q][p] = 0;
                A[p][r] = A[r][p] = c * pr - s * qr;
                A[q][r] = A[r][q] = s * pr + c * qr;
            }
        }
    }
    for (int i = 0; i < 3; i++) moment[i] = A[i][i];
    for (int i = 0; i < 2; i++) {
        for (int j = 0; j < 2 - i; j++) {
            if (moment[j] > moment[j + 1]) {
                double swap = moment[j];
                moment[j] = moment[j + 1];
                moment[j + 1] = swap;
            }
        }
    }
}

static int warn_inertia(pn_plan *plan, int link)
{
    const pn_described_link *described = pn_plan_link(plan, link);
    const pinion_inertia *inertia = &described->inertia;
    pn_quoted name = pn_quote(pn_builder_text(plan->b, described->name));

    /* a massless link is no news, unless it has moments */
    double largest = 0, moment[3];
    for (int i = 0; i < 6; i++) largest = fmax(largest, fabs(inertia->inertia[i]));
    if (inertia->mass == 0 && largest == 0) return 1;
    if (inertia->mass == 0 && !pn_plan_warn(plan, "link %s has an inertia but no mass", name.text)) return 0;

    /* scaled, so that neither tiny nor huge entries matter; to rounding, since files round */
    double scaled[6];
    for (int i = 0; i < 6; i++) scaled[i] = largest > 0 ? inertia->inertia[i] / largest : 0;
    principal_moments(scaled, moment);
    if (moment[0] < -1e-12) {
        return pn_plan_warn(
            plan,
            "the inertia of link %s is not positive definite: its smallest principal moment is %.6g kg m^2",
            name.text, moment[0] * largest);
    }
    /* a slender rod has no moment about itself and equal ones across: a limit that papers and teachers mean */
    int rod = moment[2] > 0 && moment[2] - moment[1] <= 1e-9 * moment[2];
    if (moment[0] <= 1e-12 && !rod) {
        return pn_plan_warn(
            plan, "the inertia of link %s is not positive definite: its smallest principal moment is 0",
            name.text);
    }
    if (moment[2] > (moment[0] + moment[1]) * (1 + 1e-6)) {
        return pn_plan_warn(
            plan,
            "the inertia of link %s breaks the triangle inequality: no body has principal moments "
            "%.6g, %.6g and "
            "%.6g kg m^2",
            name.text, moment[0] * largest, moment[1] * largest, moment[2] * largest);
    }
    return 1;
}

/* Limits that no motion can respect. */
static int warn_limits(pn_plan *plan, int joint)
{
    const pn_described_joint *described = pn_plan_joint(plan, joint);
    for (int i = 0; described && i < pinion_joint_type_nv(described->type); i++) {
        const pinion_dof *dof = PN_ITEM(&plan->b->dofs, const pinion_dof, described->dof + (size_t)i);
        if (dof->velocity >= 0 && dof->effort >= 0) continue;
        return pn_plan_warn(plan, "joint %s has a negative limit of its velocity or effort",
                            pn_quote(pn_builder_text(plan->b, described->name)).text);
    }
    return 1;
}

/* A start outside the position limits, which is allowed. Quaternions have no limits. */
static int warn_initial(pn_plan *plan, int joint)
{
    const pn_described_joint *described = pn_plan_joint(plan, joint);
    if (!described || !described->has_initial) return 1;
    int nv = pinion_joint_type_nv(described->type);
    if (nv != pinion_joint_type_nq(described->type)) return 1;
    for (int i = 0; i < nv; i++) {
        const pinion_dof *dof = PN_ITEM(&plan->b->dofs, const pinion_dof, described->dof + (size_t)i);
        double q = described->initial_q[i];
        if (q >= dof->lower && q <= dof->upper) continue;
        return pn_plan_warn(plan, "the initial position %.6g of joint %s is %s its %s limit, %.6g", q,
                            pn_quote(pn_builder_text(plan->b, described->name)).text,
                            q < dof->lower ? "below" : "above", q < dof->lower ? "lower" : "upper",
                            q < dof->lower ? dof->lower : dof->upper);
    }
    return 1;
}

/* Where joints go round in a circle, the base is the first link unless the model says which: one that has mass beside
 * one that has none is seldom what was meant. */
static int warn_root(pn_plan *plan)
{
    if (plan->loops == 0 || plan->b->root || plan->free_root || pn_plan_link(plan, 0)->inertia.mass == 0) return 1;
    for (int i = 1; i < plan->links; i++) {
        if (pn_plan_link(plan, i)->inertia.mass > 0) continue;
        return pn_plan_warn(plan,
                            "link %s has mass and is the base, while link %s has none and moves; if that one is to be "
                            "the base, name it as the root",
                            pn_quote(pn_builder_text(plan->b, pn_plan_link(plan, 0)->name)).text,
                            pn_quote(pn_builder_text(plan->b, pn_plan_link(plan, i)->name)).text);
    }
    return 1;
}

/* a rotor on every degree of freedom gives a joint inertia whatever it carries */
static int has_rotors(const pn_plan *plan, int joint)
{
    const pn_described_joint *j = pn_plan_joint(plan, joint);
    if (!j) return 0; /* the free joint of a base, which nobody described */
    const int nv = pinion_joint_type_nv(pn_plan_type(plan, joint));
    for (int i = 0; i < nv; i++)
        if (PN_ITEM(&plan->b->dofs, const pinion_dof, j->dof + (size_t)i)->rotor_inertia == 0) return 0;
    return nv > 0;
}

pinion_status pn_plan_warnings(pn_plan *plan, pinion_error *err)
{
    double *mass = pn_pool_take(&plan->pool, (size_t)plan->bodies, sizeof(double));
    int *moves_on = pn_pool_take(&plan->pool, (size_t)plan->bodies, sizeof(int));
    if (plan->pool.failed) return pn_fail_memory(plan->b, err);

    /* each link and joint by itself */
    int ok = warn_root(plan);
    for (int i = 0; ok && i < plan->links; i++) {
        ok = warn_inertia(plan, i);
        const pn_described_link *link = pn_plan_link(plan, i);
        mass[plan->link_body[i]] += link->inertia.mass + (link->elastic ? 1 : 0); /* what bends has mass: any will do */
    }
    for (int i = 0; ok && i < plan->joints; i++) ok = warn_limits(plan, i) && warn_initial(plan, i);

    /* bodies at the ends of the tree: without mass they follow no force */
    for (int i = 0; i < plan->joints; i++) {
        int parent = plan->joint_parent[i];
        if (parent >= 0 && pn_plan_type(plan, i) != PINION_JOINT_FIXED) moves_on[plan->link_body[parent]] = 1;
    }
    for (int i = 0; ok && i < plan->joints; i++) {
        int body = plan->joint_body[i];
        if (pn_plan_type(plan, i) == PINION_JOINT_FIXED || moves_on[body] || mass[body] > 0) continue;
        if (has_rotors(plan, i)) continue;
        ok = pn_plan_warn(plan, "link %s is moved by its joint but has no mass, and nothing moves beyond it",
                          pn_quote(pn_builder_text(plan->b, pn_plan_link(plan, pn_plan_child(plan, i))->name)).text);
    }
    return ok ? PINION_OK : pn_fail_memory(plan->b, err);
}
