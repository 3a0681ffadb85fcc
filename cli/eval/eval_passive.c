/* What passive elements exert, in `pinion eval`: those of the tree's joints and those of loops. */
#include "cli/eval/eval.h"
#include "src/base/curve.h"

#include <math.h>

/* ---- all of them ---- */

pinion_status pn_cli_eval_add_elements(const evaluation *e, const double *v, double *tau)
{
    if (!e->elements) return PINION_OK;
    return pinion_elements_forces(e->elements, e->w, e->s.q, v, tau, tau, tau, NULL);
}

/* tau_p of the joints, with v NULL that at rest, of tendons and of loops; `more` is [nv] room */
static pinion_status passive_forces(const evaluation *e, const double *v, double *tau, double *more)
{
    const int nv = pinion_model_nv(e->m);
    pinion_status status = pinion_passive_forces(e->m, e->w, e->s.q, v, tau);
    if (status == PINION_OK) status = pn_cli_eval_add_elements(e, v, tau);
    if (status != PINION_OK || !pinion_model_loop_count(e->m)) return status;
    status = pinion_loop_active_forces(e->m, e->w, e->s.q, v, NULL, 1, more, NULL);
    for (int i = 0; i < nv; i++) tau[i] += more[i];
    return status;
}

pinion_status pn_cli_eval_less_passive(evaluation *e, double *tau)
{
    const int nv = pinion_model_nv(e->m);
    const pinion_status status = passive_forces(e, e->s.v, e->out2, e->out2 + nv);
    for (int i = 0; i < nv; i++) tau[i] -= e->out2[i];
    return status;
}

pinion_status pn_cli_eval_d_less_passive(evaluation *e, double *dq, double *dv, double *more)
{
    const size_t nv = (size_t)pinion_model_nv(e->m), size = nv * nv;
    pinion_status status = pinion_d_passive_forces(e->m, e->w, e->s.q, e->s.v, more, more + size);
    if (status == PINION_OK && e->elements)
        status = pinion_d_elements_forces(e->elements, e->w, e->s.q, e->s.v, more, more + size);
    for (int turn = 0; status == PINION_OK && turn < 2; turn++) {
        for (size_t i = 0; i < size; i++) dq[i] -= more[i], dv[i] -= more[size + i];
        if (turn || !pinion_model_loop_count(e->m)) break;
        status = pinion_d_loop_active_forces(e->m, e->w, e->s.q, e->s.v, NULL, 1, more, more + size);
    }
    return status;
}

/* ---- each by itself ---- */

enum { SPRINGS, DAMPERS, FRICTION, COMPENSATION, DRAG, PARTS };

size_t pn_cli_eval_passive_room(const evaluation *e)
{
    const size_t nv = (size_t)pinion_model_nv(e->m), loop_nv = (size_t)pinion_model_loop_nv(e->m);
    return (PARTS + 1) * nv + 3 * loop_nv;
}

/* dampers and friction of the joints, and what the modes of elastic links lose */
static pinion_status joints_move(const evaluation *e, double *dampers, double *friction)
{
    pinion_joint_info joint;
    pinion_elastic_info link;
    for (int j = 0; j < pinion_model_joint_count(e->m); j++) {
        const pinion_status status = pinion_model_joint(e->m, j, &joint);
        if (status != PINION_OK) return status;
        for (int d = 0; d < joint.dof_count; d++) {
            const pinion_dof *dof = &joint.dof[d];
            const double v = joint.multiplier * e->s.v[joint.v_source + d];
            const double held = v > 0 ? dof->friction_positive : v < 0 ? -dof->friction_negative : 0;
            dampers[joint.v_source + d] -= joint.multiplier * pn_secant(dof->damping, dof->damping_curve, fabs(v)) * v;
            friction[joint.v_source + d] -= joint.multiplier * held;
        }
    }
    for (int l = 0; l < pinion_model_elastic_count(e->m); l++) {
        const pinion_status status = pinion_model_elastic(e->m, l, &link);
        if (status != PINION_OK) return status;
        for (int k = 0; k < link.modes * link.modes; k++)
            dampers[link.v_index + k / link.modes] -= link.damping[k] * e->s.v[link.v_index + k % link.modes];
    }
    return PINION_OK;
}

/* the same of loop joints, along their own velocities; room for three of them is behind `more`, [nv] */
static pinion_status loops_move(const evaluation *e, double *dampers, double *friction, double *more)
{
    const int nv = pinion_model_nv(e->m), loop_nv = pinion_model_loop_nv(e->m);
    double *rate = more + nv, *force[2] = {rate + loop_nv, rate + 2 * loop_nv}, *to[2] = {dampers, friction};
    pinion_status status = pinion_loop_motion(e->m, e->w, e->s.q, e->s.v, NULL, rate);
    pinion_loop_info loop;
    for (int l = 0; status == PINION_OK && l < pinion_model_loop_count(e->m); l++) {
        status = pinion_model_loop(e->m, l, &loop);
        for (int d = 0; status == PINION_OK && d < loop.nv; d++) {
            const pinion_dof *dof = &loop.joint.dof[d];
            const double v = rate[loop.v_index + d];
            force[0][loop.v_index + d] = -pn_secant(dof->damping, dof->damping_curve, fabs(v)) * v;
            force[1][loop.v_index + d] = v > 0 ? -dof->friction_positive : v < 0 ? dof->friction_negative : 0;
        }
    }
    for (int k = 0; k < 2 && status == PINION_OK; k++) {
        status = pinion_loop_active_forces(e->m, e->w, e->s.q, e->s.v, force[k], 0, more, NULL);
        for (int i = 0; i < nv; i++) to[k][i] += more[i];
    }
    return status;
}

pinion_status pn_cli_eval_passive(evaluation *e)
{
    const size_t nv = (size_t)pinion_model_nv(e->m);
    double *more = e->out + PARTS * nv;
    for (size_t i = 0; i < PARTS * nv; i++) e->out[i] = 0;
    pinion_status status = passive_forces(e, NULL, e->out, more);
    double *at[3] = {e->out + SPRINGS * nv, e->out + DAMPERS * nv, e->out + COMPENSATION * nv};
    if (status == PINION_OK && e->elements)
        status = pinion_elements_forces(e->elements, e->w, e->s.q, e->s.v, NULL, at[1], at[2], NULL);
    for (size_t i = 0; i < nv; i++) at[0][i] -= at[2][i]; /* both are there at rest */

    /* so is what a wind exerts; drag is among the dampers */
    double *drag = e->out + DRAG * nv, *still = more;
    for (size_t i = 0; i < nv; i++) still[i] = 0;
    if (status == PINION_OK && e->elements) status = pinion_drag_forces(e->elements, e->w, e->s.q, NULL, still);
    if (status == PINION_OK && e->elements) status = pinion_drag_forces(e->elements, e->w, e->s.q, e->s.v, drag);
    for (size_t i = 0; i < nv; i++) {
        at[0][i] -= still[i];
        at[1][i] -= drag[i];
    }
    if (status == PINION_OK) status = joints_move(e, e->out + DAMPERS * nv, e->out + FRICTION * nv);
    if (status == PINION_OK && pinion_model_loop_nv(e->m))
        status = loops_move(e, e->out + DAMPERS * nv, e->out + FRICTION * nv, more);
    return status;
}

void pn_cli_eval_print_passive(evaluation *e)
{
    static const char *const name[] = {"springs", "dampers", "friction", "gravity_compensation", "drag"};
    const int nv = pinion_model_nv(e->m);
    int braked = 0;
    for (int i = 0; i < pinion_model_link_count(e->m); i++) {
        pinion_link_info link;
        braked = braked || (pinion_model_link(e->m, i, &link) == PINION_OK && link.drag);
    }
    pn_cli_json_open(&e->json, '{', 0);
    for (int k = 0; k < (braked ? PARTS : DRAG); k++) {
        pn_cli_json_key(&e->json, name[k]);
        pn_cli_json_numbers(&e->json, e->out + k * nv, nv);
    }
    pn_cli_json_close(&e->json);
}
