/* A whole step with contact: velocities, contact, configuration. */
#include <math.h>
#include <string.h>
#include "base/vec3.h"
#include "contact/scene/scene_parts.h"

/* whether a joint's linear velocity is given in the frame that turns with it */
static int is_turning(const pinion_joint_info *j)
{
    return j->nv && (j->type == PINION_JOINT_FREE || j->type == PINION_JOINT_PLANAR);
}

/* Velocities without contact: linear ones of free and planar joints by their classical acceleration, in the frame at
 * the beginning. */
static void free_velocities(const pinion_scene *s, double h, const double *v, const double *a, double *next)
{
    for (int k = 0; k < s->nv; k++) next[k] = v[k] + h * a[k];
    for (int i = 0; i < pinion_model_joint_count(s->m); i++) {
        pinion_joint_info j;
        if (pinion_model_joint(s->m, i, &j) || !is_turning(&j)) continue;
        const double *own = v + j.v_index;
        double *to = next + j.v_index;
        if (j.type == PINION_JOINT_FREE) {
            double more[3];
            pn_cross3(own, own + 3, more);
            for (int k = 0; k < 3; k++) to[3 + k] += h * more[k];
        } else {
            to[0] -= h * own[2] * own[1];
            to[1] += h * own[2] * own[0];
        }
    }
}

/* The places of free and planar joints, straight ahead, and their velocities in the frames at the end. */
static void go_straight(const pinion_scene *s, double h, const double *q, double *moved, double *next)
{
    for (int i = 0; i < pinion_model_joint_count(s->m); i++) {
        pinion_joint_info j;
        if (pinion_model_joint(s->m, i, &j) || !is_turning(&j)) continue;
        const double *from = q + j.q_index;
        double *to = moved + j.q_index, *own = next + j.v_index, world[3], R[9];
        if (j.type == PINION_JOINT_FREE) {
            pn_quaternion_matrix(from, R);
            pn_turn3(R, own + 3, world);
            for (int k = 0; k < 3; k++) to[4 + k] = from[4 + k] + h * world[k];
            pn_quaternion_matrix(to, R);
            pn_turn3_back(R, world, own + 3);
        } else {
            const double c = cos(from[2]), d = sin(from[2]);
            world[0] = c * own[0] - d * own[1];
            world[1] = d * own[0] + c * own[1];
            for (int k = 0; k < 2; k++) to[k] = from[k] + h * world[k];
            own[0] = cos(to[2]) * world[0] + sin(to[2]) * world[1];
            own[1] = cos(to[2]) * world[1] - sin(to[2]) * world[0];
        }
    }
}

pinion_status pinion_scene_step(pinion_scene *s, pinion_work *w, double h, const double *q, const double *v,
                                const double *a, double *q_next, double *v_next, pinion_scene_report *report)
{
    if (!s) return PINION_ERR_ARGUMENT;
    if (!q || !v || !a || !q_next || !v_next) return pn_scene_fail(s, PINION_ERR_ARGUMENT, "an argument is NULL");
    free_velocities(s, h, v, a, s->next);
    pinion_status status = pinion_scene_impulse(s, w, h, q, v, s->next, report);
    if (status) return status;
    status = pinion_integrate(s->m, q, s->next, h, s->moved);
    if (status) return pn_scene_fail(s, status, pinion_status_text(status));
    go_straight(s, h, q, s->moved, s->next);
    memcpy(q_next, s->moved, (size_t)pinion_model_nq(s->m) * sizeof *q);
    memcpy(v_next, s->next, (size_t)s->nv * sizeof *v);
    return PINION_OK;
}
