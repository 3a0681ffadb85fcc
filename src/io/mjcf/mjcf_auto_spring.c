/* <joint springdamper>: stiffness and damping from a time constant and a damping ratio, by the inertia that the joint
 * feels as the model is drawn. For that the model is built once without them, as for the damping ratio of servos. */
#include "io/mjcf/mjcf.h"
#include "pinion/calls.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The model as it is so far, and nothing told on the way; NULL with the error filled. */
static pinion_model *draft(mjcf_reader *r)
{
    pinion_builder *b = r->b;
    pn_xml_warnings *warnings = r->u.warnings;
    pinion_model *m = NULL;
    r->b = pinion_builder_new("draft");
    r->u.warnings = NULL;
    if (r->b && pn_mjcf_build(r))
        m = pinion_builder_build(r->b, NULL, r->u.err);
    else if (!r->b)
        pn_xml_memory(&r->u);
    pinion_builder_free(r->b);
    r->b = b;
    r->u.warnings = warnings;
    return m;
}

/* The inverse of M as the model is drawn, [nv][nv], where there is one: *known. NULL with the error filled. */
static double *inverse_of(mjcf_reader *r, const pinion_model *m, int *known)
{
    const size_t nv = (size_t)pinion_model_nv(m);
    double *M = malloc((nv * nv + (size_t)pinion_model_nq(m) + 1) * sizeof *M), *q = M ? M + nv * nv : NULL;
    pinion_work *w = pinion_work_new(m);
    pinion_status status = M && w ? pinion_neutral(m, q) : PINION_ERR_MEMORY;
    for (int i = 0; i < pinion_model_joint_count(m) && status == PINION_OK; i++) {
        pinion_joint_info j;
        status = pinion_model_joint(m, i, &j);
        if (status == PINION_OK && j.has_initial) memcpy(q + j.q_index, j.initial_q, (size_t)j.nq * sizeof *q);
    }
    if (status == PINION_OK) status = pinion_mass_matrix_inverse(m, w, q, M);
    if (status == PINION_ERR_MEMORY) pn_xml_memory(&r->u);
    pinion_work_free(w);
    *known = status == PINION_OK;
    if (status != PINION_ERR_MEMORY) return M;
    free(M);
    return NULL;
}

static int set_spring(mjcf_reader *r, mjcf_joint *j, const pinion_model *m, const double *inverse)
{
    pinion_joint_info info;
    const int nv = pinion_model_nv(m), found = pinion_model_find_joint(m, j->name);
    if (found < 0 || pinion_model_joint(m, found, &info) != PINION_OK) return 1;
    double sum = 0;
    for (int i = info.v_index; i < info.v_index + info.nv; i++) sum += inverse[(size_t)i * (size_t)nv + (size_t)i];
    const double inertia = info.nv / fmax(1e-15, sum), t = j->auto_spring[0], ratio = j->auto_spring[1];
    j->dof.damping = r->no_dampers ? 0 : 2 * inertia / fmax(1e-15, t) + j->drive_damping;
    const double stiffness = r->no_springs ? 0 : inertia / fmax(1e-15, t * t * ratio * ratio);
    j->dof.stiffness = stiffness;
    return 1;
}

int pn_mjcf_auto_springs(mjcf_reader *r)
{
    int any = 0;
    for (int i = 0; i < r->joints.count; i++) any += r->joints.at[i].auto_spring[0] > 0;
    if (!any) return 1;
    pinion_model *m = draft(r);
    int known = 0;
    double *inverse = m ? inverse_of(r, m, &known) : NULL;
    int ok = inverse != NULL;
    if (ok && !known)
        ok = pn_mjcf_left_out(r, NULL, "springdamper of %d joints is left out: as drawn some motion moves no inertia",
                              any);
    for (int i = 0; ok && known && i < r->joints.count; i++)
        if (r->joints.at[i].auto_spring[0] > 0) ok = set_spring(r, &r->joints.at[i], m, inverse);
    free(inverse);
    pinion_model_free(m);
    return ok;
}

/* What the first coordinate of each joint moves while all others are free. */
static int find_drawn(mjcf_reader *r)
{
    pinion_model *m = draft(r);
    int known = 0;
    double *inverse = m ? inverse_of(r, m, &known) : NULL;
    r->drawn = inverse ? calloc((size_t)r->joints.count + 1, sizeof *r->drawn) : NULL;
    if (inverse && !r->drawn) pn_xml_memory(&r->u);
    for (int i = 0; r->drawn && known && i < r->joints.count; i++) {
        pinion_joint_info info;
        const int found = pinion_model_find_joint(m, r->joints.at[i].name);
        if (found < 0 || pinion_model_joint(m, found, &info) != PINION_OK || info.nv == 0) continue;
        r->drawn[i] = 1 / inverse[(size_t)info.v_index * ((size_t)pinion_model_nv(m) + 1)];
    }
    free(inverse);
    pinion_model_free(m);
    return r->drawn != NULL;
}

int pn_mjcf_drawn_inertia(mjcf_reader *r, int joint, double *inertia)
{
    if (!r->drawn && !find_drawn(r)) return 0;
    *inertia = r->drawn[joint];
    return 1;
}
