#include "cli/id/reactions.h"
#include "src/base/vec3.h"

#include <stdlib.h>
#include <string.h>

int pn_cli_reactions_begin(cli_reactions *r, const pinion_model *m, pinion_work *w)
{
    const size_t links = (size_t)pinion_model_link_count(m), frames = (size_t)pinion_model_frame_count(m);
    const size_t loops = (size_t)pinion_model_loop_count(m);
    r->m = m;
    r->w = w;
    r->links = (int)links;
    r->joints = pinion_model_joint_count(m);
    r->wrench = calloc(6 * links + 12 * frames + 6 * loops + 1, sizeof *r->wrench);
    r->position = r->wrench ? r->wrench + 6 * links : NULL;
    r->rotation = r->wrench ? r->position + 3 * frames : NULL;
    r->loop = r->wrench ? r->rotation + 9 * frames : NULL;
    return r->wrench != NULL;
}

void pn_cli_reactions_end(cli_reactions *r)
{
    free(r->wrench);
    memset(r, 0, sizeof *r);
}

/* I x, with I = xx, xy, xz, yy, yz, zz */
static void inertia_times(const double I[6], const double x[3], double out[3])
{
    out[0] = I[0] * x[0] + I[1] * x[1] + I[2] * x[2];
    out[1] = I[1] * x[0] + I[3] * x[1] + I[4] * x[2];
    out[2] = I[2] * x[0] + I[4] * x[1] + I[5] * x[2];
}

/* out += A a + v x* A v, what added mass takes (Kirchhoff); the acceleration is classical, w x v more than a */
static void add_fluid(const double *A, const double v[6], const double rise[6], double out[6])
{
    double a[6], p[6] = {0}, n[3], m[3], f[3];
    memcpy(a, rise, sizeof a);
    pn_cross3(v, v + 3, f);
    for (int i = 0; i < 3; i++) a[3 + i] -= f[i];
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) {
            p[i] += A[6 * i + j] * v[j];
            out[i] += A[6 * i + j] * a[j];
        }
    pn_cross3(v, p, n);
    pn_cross3(v + 3, p + 3, m);
    pn_cross3(v, p + 3, f);
    for (int i = 0; i < 3; i++) {
        out[i] += n[i] + m[i];
        out[3 + i] += f[i];
    }
}

/* What a link's own motion takes, less what gravity gives: in its frame, at its origin. */
static pinion_status own_wrench(cli_reactions *r, int link, const double *q, const double *v, const double *a)
{
    double twist[6], rise[6], gravity[3], g[3], *out = r->wrench + 6 * (size_t)link;
    pinion_link_info info;
    pinion_status status = pinion_model_link(r->m, link, &info);
    memset(out, 0, 6 * sizeof *out);
    if (status != PINION_OK) return status;
    const pinion_inertia *body = &info.inertia;
    status = pinion_frame_velocity(r->m, r->w, q, v, link, PINION_REFERENCE_LOCAL, twist);
    if (status == PINION_OK)
        status = pinion_frame_acceleration(r->m, r->w, q, v, a, link, PINION_REFERENCE_LOCAL,
                                           PINION_ACCELERATION_CLASSICAL, rise);
    if (status != PINION_OK) return status;
    pinion_model_gravity(r->m, gravity);
    pn_turn3_back(r->rotation + 9 * (size_t)link, gravity, g);

    /* Newton: f = m (the acceleration of the centre of mass - g) */
    const double *w = twist, *alpha = rise, *c = body->com;
    double swing[3], wc[3], wwc[3], Iw[3], Ia[3], wIw[3], cf[3], *n = out, *f = out + 3;
    pn_cross3(alpha, c, swing);
    pn_cross3(w, c, wc);
    pn_cross3(w, wc, wwc);
    for (int i = 0; i < 3; i++) f[i] = body->mass * (rise[3 + i] + swing[i] + wwc[i] - g[i]);

    /* Euler, about the centre of mass and moved to the origin */
    inertia_times(body->inertia, alpha, Ia);
    inertia_times(body->inertia, w, Iw);
    pn_cross3(w, Iw, wIw);
    pn_cross3(c, f, cf);
    for (int i = 0; i < 3; i++) n[i] = Ia[i] + wIw[i] + cf[i];
    if (info.added_mass) add_fluid(info.added_mass, twist, rise, out);
    return PINION_OK;
}

/* Adds to the parent's wrench what it has to exert on the child, `from` in the child's frame. */
static void pass_on(cli_reactions *r, int parent, int child, const double from[6])
{
    const double *Rp = r->rotation + 9 * (size_t)parent, *Rc = r->rotation + 9 * (size_t)child;
    const double *pp = r->position + 3 * (size_t)parent, *pc = r->position + 3 * (size_t)child;
    double *to = r->wrench + 6 * (size_t)parent, world[3], n[3], f[3], arm[3], moment[3];
    pn_turn3(Rc, from, world);
    pn_turn3_back(Rp, world, n);
    pn_turn3(Rc, from + 3, world);
    pn_turn3_back(Rp, world, f);
    for (int i = 0; i < 3; i++) world[i] = pc[i] - pp[i];
    pn_turn3_back(Rp, world, arm);
    pn_cross3(arm, f, moment);
    for (int i = 0; i < 3; i++) {
        to[i] += n[i] + moment[i];
        to[3 + i] += f[i];
    }
}

/* What goes through a loop, from the joint's frame on the child to the child's own; it spares the joint that carries
 * the child, and the parent has to exert it. */
static void pass_loop(cli_reactions *r, const pinion_loop_info *info, const double at_joint[6], double out[6])
{
    const pinion_pose *pose = &info->joint.child_pose;
    double moment[3];
    pn_turn3(pose->rotation, at_joint, out);
    pn_turn3(pose->rotation, at_joint + 3, out + 3);
    pn_cross3(pose->position, out + 3, moment);
    for (int i = 0; i < 3; i++) out[i] += moment[i];
    for (int i = 0; i < 6; i++) r->wrench[6 * (size_t)info->joint.child + (size_t)i] -= out[i];
    pass_on(r, info->joint.parent, info->joint.child, out);
}

/* What a contact gives to a link, `sign` times its force. */
static void take_contact(cli_reactions *r, int link, const pinion_support_point *p, double sign)
{
    if (link < 0) return;
    const double *R = r->rotation + 9 * (size_t)link, *at = r->position + 3 * (size_t)link;
    double arm[3], moment[3], f[3], *out = r->wrench + 6 * (size_t)link;
    for (int i = 0; i < 3; i++) arm[i] = p->point[i] - at[i];
    pn_cross3(arm, p->force, moment);
    pn_turn3_back(R, moment, moment);
    pn_turn3_back(R, p->force, f);
    for (int i = 0; i < 3; i++) {
        out[i] -= sign * moment[i];
        out[3 + i] -= sign * f[i];
    }
}

pinion_status pn_cli_reactions(cli_reactions *r, const double *q, const double *v, const double *a,
                               const double *f_ext, const double *loops, int touches,
                               const pinion_support_point *touch)
{
    pinion_status status = pinion_frames(r->m, r->w, q, r->position, r->rotation);
    for (int i = 0; i < r->links && status == PINION_OK; i++) status = own_wrench(r, i, q, v, a);
    for (int i = 1; f_ext && i < pinion_model_body_count(r->m) && status == PINION_OK; i++) {
        pinion_body_info body;
        status = pinion_model_body(r->m, i, &body);
        for (int k = 0; k < 6 && status == PINION_OK; k++)
            r->wrench[6 * (size_t)body.link + (size_t)k] -= f_ext[6 * (size_t)i + (size_t)k];
    }
    for (int i = 0; i < touches && status == PINION_OK; i++) {
        take_contact(r, touch[i].second, &touch[i], 1);
        take_contact(r, touch[i].first, &touch[i], -1);
    }
    for (int i = 0; loops && i < pinion_model_loop_count(r->m) && status == PINION_OK; i++) {
        pinion_loop_info info;
        status = pinion_model_loop(r->m, i, &info);
        if (status == PINION_OK && info.kind != PINION_LOOP_GEAR && info.kind != PINION_LOOP_DRIVE)
            pass_loop(r, &info, loops + 6 * i, r->loop + 6 * i);
    }

    /* a joint's number is above that of the joint that carries its parent */
    for (int j = r->joints - 1; j >= 0 && status == PINION_OK; j--) {
        pinion_joint_info joint;
        status = pinion_model_joint(r->m, j, &joint);
        if (status == PINION_OK && joint.parent >= 0)
            pass_on(r, joint.parent, joint.child, r->wrench + 6 * (size_t)joint.child);
    }
    return status;
}
