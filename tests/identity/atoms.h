/* The same mechanism out of revolute and prismatic joints alone: every joint with more to it becomes a chain
 * of those with massless links between, every follower an ordinary joint, a free base a free joint. Built
 * from what the public API says about a model. With B and c such that v_atoms = B v and a_atoms = B a + c,
 * the two models' answers turn into each other. Rotors are left out of the atoms. */
#ifndef PN_ATOMS_H
#define PN_ATOMS_H

#include "identity.h"

typedef struct atoms {
    const pinion_model *whole;
    pinion_model *m;
    pinion_work *w;
    int nq, nv, bodies;
    double *q, *v, *a; /* of the atoms at the subject's state */
    double *B, *c;     /* [nv][whole nv], [nv] */
    double least; /* the smallest cosine of the middle angle of three: near 0 the angles are not unique */
} atoms;

/* ---- poses and inertias ---- */

static pinion_pose pose_times(const pinion_pose *x, const pinion_pose *y)
{
    pinion_pose out;
    rotate(x->rotation, y->position, out.position);
    for (int k = 0; k < 3; k++) out.position[k] += x->position[k];
    times33(x->rotation, y->rotation, out.rotation);
    return out;
}

static pinion_pose pose_inverse(const pinion_pose *x)
{
    pinion_pose out;
    rotate_back(x->rotation, x->position, out.position);
    for (int k = 0; k < 3; k++) out.position[k] = -out.position[k];
    for (int i = 0; i < 9; i++) out.rotation[i] = x->rotation[3 * (i % 3) + i / 3];
    return out;
}

/* inertia about a point at `arm` from the centre of mass, by Steiner: adds m (arm'arm 1 - arm arm') */
static void add_steiner(double mass, const double arm[3], double I[6])
{
    const double square = dot(arm, arm, 3);
    I[0] += mass * (square - arm[0] * arm[0]);
    I[1] -= mass * arm[0] * arm[1];
    I[2] -= mass * arm[0] * arm[2];
    I[3] += mass * (square - arm[1] * arm[1]);
    I[4] -= mass * arm[1] * arm[2];
    I[5] += mass * (square - arm[2] * arm[2]);
}

/* x += y, y given in a frame at `pose` */
static void add_inertia(pinion_inertia *x, const pinion_inertia *y, const pinion_pose *pose)
{
    double com[3], center[3], arm[3], sum[6] = {0};
    rotate(pose->rotation, y->com, com);
    for (int k = 0; k < 3; k++) com[k] += pose->position[k];
    const double mass = x->mass + y->mass;
    for (int k = 0; k < 3; k++) center[k] = mass > 0 ? (x->mass * x->com[k] + y->mass * com[k]) / mass : 0;

    /* R I R' */
    const double *I = y->inertia, *R = pose->rotation;
    const double full[9] = {I[0], I[1], I[2], I[1], I[3], I[4], I[2], I[4], I[5]};
    double half[9], turned[9], back[9];
    for (int i = 0; i < 9; i++) back[i] = R[3 * (i % 3) + i / 3];
    times33(R, full, half);
    times33(half, back, turned);
    const int upper[6] = {0, 1, 2, 4, 5, 8};
    for (int i = 0; i < 6; i++) sum[i] = x->inertia[i] + turned[upper[i]];
    for (int k = 0; k < 3; k++) arm[k] = x->com[k] - center[k];
    add_steiner(x->mass, arm, sum);
    for (int k = 0; k < 3; k++) arm[k] = com[k] - center[k];
    add_steiner(y->mass, arm, sum);
    x->mass = mass;
    memcpy(x->com, center, sizeof center);
    memcpy(x->inertia, sum, sizeof sum);
}

/* ---- building ---- */

/* directions of a planar joint's x and y in the joint's frame, as its child moves along them */
static void planar_axes(subject *s, const pinion_joint_info *joint, double x[3], double y[3])
{
    double *q = take(s, s->nq), parent[12], child[2][12], *axes[2] = {x, y};
    pinion_joint_info own = *joint;
    FINE(s, pinion_neutral(s->m, q));
    FINE(s, pinion_frame_pose(s->m, s->w, q, joint->parent, parent, parent + 3));
    FINE(s, pinion_frame_pose(s->m, s->w, q, joint->child, child[0], child[0] + 3));
    for (int d = 0; d < 2; d++) {
        q[own.q_index + d] = 1;
        FINE(s, pinion_frame_pose(s->m, s->w, q, joint->child, child[1], child[1] + 3));
        q[own.q_index + d] = 0;
        for (int k = 0; k < 3; k++) axes[d][k] = child[1][k] - child[0][k];
        rotate_back(parent + 3, axes[d], axes[d]);
        rotate_back(joint->parent_pose.rotation, axes[d], axes[d]);
    }
    /* unit, in the plane, and x, y, axis right-handed */
    double third[3];
    cross(x, y, third);
    CLOSE(s, third, joint->axis, 3, 1, 1e-12);
    CHECK_NEAR(dot(x, x, 3), 1, 1e-12);
    CHECK_NEAR(dot(y, y, 3), 1, 1e-12);
}

/* the atoms of a joint: how many, which, along what */
static int list_atoms(subject *s, const pinion_joint_info *joint, pinion_joint_type types[6],
                      double axes[6][3])
{
    const double unit[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const pinion_joint_type turn = PINION_JOINT_CONTINUOUS, slide = PINION_JOINT_PRISMATIC;
    int n = 0;
    for (int i = 0; i < 6; i++) memcpy(axes[i], joint->axis, sizeof unit[0]);
    switch (joint->type) {
    case PINION_JOINT_REVOLUTE:
    case PINION_JOINT_CONTINUOUS: types[n++] = turn; break;
    case PINION_JOINT_PRISMATIC: types[n++] = slide; break;
    case PINION_JOINT_HELICAL:
    case PINION_JOINT_CYLINDRICAL:
        types[n++] = turn;
        types[n++] = slide;
        break;
    case PINION_JOINT_UNIVERSAL:
        types[n++] = turn;
        types[n++] = turn;
        memcpy(axes, unit, 2 * sizeof *unit);
        break;
    case PINION_JOINT_PLANAR:
        types[n++] = slide;
        types[n++] = slide;
        types[n++] = turn;
        planar_axes(s, joint, axes[0], axes[1]);
        break;
    case PINION_JOINT_FREE:
        for (; n < 3; n++) types[n] = slide;
        memcpy(axes, unit, sizeof unit);
        /* then as spherical */
        /* fall through */
    case PINION_JOINT_SPHERICAL:
        memcpy(axes[n], unit, sizeof unit);
        for (int k = 0; k < 3; k++) types[n++] = turn;
        break;
    default: break;
    }
    return n;
}

static void add_link(subject *s, pinion_builder *b, const char *name, const pinion_inertia *inertia)
{
    pinion_error err = {0};
    pinion_link_def link = pinion_link_def_default();
    link.name = name;
    if (inertia) link.inertia = *inertia;
    FINE(s, pinion_builder_add_link(b, &link, &err));
}

/* a joint as a chain of its atoms, joints and links between named after it */
static void add_chain(subject *s, pinion_builder *b, const pinion_joint_info *joint, const char *parent,
                      const pinion_pose *parent_pose, const char *child)
{
    pinion_joint_type types[6] = {PINION_JOINT_FIXED};
    double axes[6][3];
    const int moving = list_atoms(s, joint, types, axes), n = moving ? moving : 1;
    for (int i = 0; i < n; i++) {
        char name[96], from[96], to[96];
        pinion_error err = {0};
        snprintf(name, sizeof name, "%s:%d", joint->name, i);
        snprintf(from, sizeof from, "%s/%d", joint->name, i);
        snprintf(to, sizeof to, "%s/%d", joint->name, i + 1);
        if (i < n - 1) add_link(s, b, to, NULL);
        pinion_joint_def def = pinion_joint_def_default();
        def.name = name;
        def.type = types[i];
        def.parent = i ? from : parent;
        def.child = i < n - 1 ? to : child;
        if (i == 0) def.parent_pose = *parent_pose;
        if (i == n - 1) def.child_pose = joint->child_pose;
        memcpy(def.axis, axes[i], sizeof def.axis);
        FINE(s, pinion_builder_add_joint(b, &def, &err));
    }
}

/* Where a link ends up: on itself, or on the link that carries it when fixed joints are merged by hand. */
typedef struct place {
    int on;
    pinion_pose pose;
} place;

static void add_frame(subject *s, pinion_builder *b, const char *name, const char *link,
                      const pinion_pose *pose)
{
    pinion_error err = {0};
    pinion_frame_def frame = pinion_frame_def_default();
    frame.name = name;
    frame.link = link;
    frame.pose = *pose;
    FINE(s, pinion_builder_add_frame(b, &frame, &err));
}

static const char *link_name(const pinion_model *m, int index)
{
    pinion_link_info link;
    return pinion_model_link(m, index, &link) == PINION_OK ? link.name : "world:";
}

/* the places of all links, and the inertias that the links that stay have then */
static void merge_by_hand(subject *s, int merge, place *at, pinion_inertia *inertia)
{
    const int links = pinion_model_link_count(s->m);
    for (int i = 0; i < links; i++) {
        pinion_link_info link;
        pinion_joint_info joint;
        FINE(s, pinion_model_link(s->m, i, &link));
        at[i].on = i;
        at[i].pose = pinion_pose_identity();
        add_inertia(&inertia[i], &link.inertia, &at[i].pose);
        if (!merge || link.joint < 0) continue;
        FINE(s, pinion_model_joint(s->m, link.joint, &joint));
        if (joint.type != PINION_JOINT_FIXED) continue;
        /* parents come before their children */
        const pinion_pose inverse = pose_inverse(&joint.child_pose);
        const pinion_pose local = pose_times(&joint.parent_pose, &inverse);
        at[i].on = at[joint.parent].on;
        at[i].pose = pose_times(&at[joint.parent].pose, &local);
    }
    for (int i = 0; i < links; i++)
        if (at[i].on != i) add_inertia(&inertia[at[i].on], &inertia[i], &at[i].pose);
}

/* The atoms of a subject's model. merge: fixed joints are merged by hand. load: what is added to a link by
 * hand, in the link's frame, or NULL. */
static inline void atoms_build(subject *s, int merge, int load_link, const pinion_inertia *load, atoms *t)
{
    const pinion_model *m = s->m;
    const int links = pinion_model_link_count(m);
    const pinion_pose here = pinion_pose_identity();
    place *at = take_bytes(s, (size_t)links * sizeof *at);
    pinion_inertia *inertia = take_bytes(s, (size_t)links * sizeof *inertia);
    double gravity[3];
    pinion_error err = {0};
    memset(t, 0, sizeof *t);
    t->whole = m;
    if (load) inertia[load_link] = *load;
    merge_by_hand(s, merge, at, inertia);

    pinion_builder *b = pinion_builder_new("atoms");
    pinion_model_gravity(m, gravity);
    FINE(s, pinion_builder_set_gravity(b, gravity, &err));
    pinion_joint_info first;
    if (pinion_model_joint(m, 0, &first) == PINION_OK && first.parent < 0) add_link(s, b, "world:", NULL);
    for (int i = 0; i < links; i++) {
        if (at[i].on == i)
            add_link(s, b, link_name(m, i), &inertia[i]);
        else
            add_frame(s, b, link_name(m, i), link_name(m, at[i].on), &at[i].pose);
    }
    for (int i = 0; i < pinion_model_joint_count(m); i++) {
        pinion_joint_info joint;
        FINE(s, pinion_model_joint(m, i, &joint));
        if (at[joint.child].on != joint.child) continue;
        const pinion_pose *from = joint.parent < 0 ? &here : &at[joint.parent].pose;
        const pinion_pose pose = pose_times(from, &joint.parent_pose);
        add_chain(s, b, &joint, link_name(m, joint.parent < 0 ? -1 : at[joint.parent].on), &pose,
                  link_name(m, joint.child));
    }
    for (int i = links; i < s->frames; i++) {
        pinion_frame_info frame;
        FINE(s, pinion_model_frame(m, i, &frame));
        const pinion_pose pose = pose_times(&at[frame.link].pose, &frame.pose);
        add_frame(s, b, frame.name, link_name(m, at[frame.link].on), &pose);
    }
    t->m = pinion_builder_build(b, NULL, &err);
    pinion_builder_free(b);
    if (!t->m) CHECK_FAIL("%s: atoms: %s", s->name, err.message);
    if (!t->m) return;
    t->w = pinion_work_new(t->m);
    t->nq = pinion_model_nq(t->m);
    t->nv = pinion_model_nv(t->m);
    t->bodies = pinion_model_body_count(t->m);
    CHECK(t->nq == t->nv);
}

static inline void atoms_free(atoms *t)
{
    pinion_work_free(t->w);
    pinion_model_free(t->m);
}

/* ---- states ---- */

/* angles of R = Rx(a) Ry(b) Rz(c), their rates for the angular velocity w in the turned frame, and the part
 * of their second derivatives that w's derivative does not cause; F is d rates / d w */
static double three_angles(const double R[9], const double w[3], double q[3], double F[3][3], double c[3])
{
    q[0] = atan2(-R[5], R[8]);
    q[1] = asin(fmax(-1, fmin(1, R[2])));
    q[2] = atan2(-R[1], R[0]);
    const double cb = cos(q[1]), sb = sin(q[1]), cc = cos(q[2]), sc = sin(q[2]);
    const double inverse[3][3] = {{cc / cb, -sc / cb, 0}, {sc, cc, 0}, {-sb * cc / cb, sb * sc / cb, 1}};
    memcpy(F, inverse, sizeof inverse);
    double rate[3];
    for (int i = 0; i < 3; i++) rate[i] = dot(F[i], w, 3);
    /* w = E rate with columns (cb cc, -cb sc, sb), (sc, cc, 0), (0, 0, 1): E' rate */
    const double moved[3] = {(-sb * rate[1] * cc - cb * sc * rate[2]) * rate[0] + cc * rate[2] * rate[1],
                             (sb * rate[1] * sc - cb * cc * rate[2]) * rate[0] - sc * rate[2] * rate[1],
                             cb * rate[1] * rate[0]};
    for (int i = 0; i < 3; i++) c[i] = -dot(F[i], moved, 3);
    return fabs(cb);
}

static void rotation_of(const double q[4], double R[9])
{
    const double w = q[0], x = q[1], y = q[2], z = q[3];
    const double out[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
                           2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                           2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
    memcpy(R, out, sizeof out);
}

/* One joint's atoms at its coordinates q and velocities v: their coordinates, F = d(rates)/dv and c. */
static double atoms_of_joint(const pinion_joint_info *joint, const double *q, const double *v, double out[6],
                             double F[6][6], double c[6])
{
    double least = 1, R[9];
    memset(F, 0, 36 * sizeof(double));
    memset(c, 0, 6 * sizeof(double));
    switch (joint->type) {
    case PINION_JOINT_HELICAL:
        out[0] = q[0];
        out[1] = joint->pitch * q[0];
        F[0][0] = 1;
        F[1][0] = joint->pitch;
        break;
    case PINION_JOINT_PLANAR:
        memcpy(out, q, 3 * sizeof *q);
        F[0][0] = F[1][1] = cos(q[2]);
        F[0][1] = -sin(q[2]);
        F[1][0] = sin(q[2]);
        F[2][2] = 1;
        /* R (w x v) */
        for (int k = 0; k < 2; k++) c[k] = v[2] * (-F[k][0] * v[1] + F[k][1] * v[0]);
        break;
    case PINION_JOINT_SPHERICAL:
    case PINION_JOINT_FREE: {
        const int slides = joint->type == PINION_JOINT_FREE ? 3 : 0;
        double turned[3][3], turning[3];
        rotation_of(q, R);
        least = three_angles(R, v, out + slides, turned, c + slides);
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < 3; k++) F[slides + i][k] = turned[i][k];
        if (!slides) break;
        memcpy(out, q + 4, 3 * sizeof *q);
        cross(v, v + 3, turning);
        rotate(R, turning, c);
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < 3; k++) F[i][3 + k] = R[3 * i + k];
        break;
    }
    default:
        for (int d = 0; d < joint->dof_count; d++) {
            out[d] = q[d];
            F[d][d] = 1;
        }
        break;
    }
    return least;
}

/* the state of the atoms at the subject's state; memory of the subject */
static inline void atoms_state(subject *s, atoms *t)
{
    const int n = s->nv;
    t->q = take(s, t->nq);
    t->v = take(s, t->nv);
    t->a = take(s, t->nv);
    t->B = take_matrix(s, t->nv, n);
    t->c = take(s, t->nv);
    t->least = 1;
    for (int i = 0; i < pinion_model_joint_count(t->whole); i++) {
        pinion_joint_info joint, source;
        double q[7], v[6], out[6], F[6][6], c[6], factor = 1, shift = 0;
        FINE(s, pinion_model_joint(t->whole, i, &joint));
        if (joint.type == PINION_JOINT_FIXED) continue;
        /* q = multiplier * q_leader + offset, along the leaders to a joint with coordinates of its own */
        for (source = joint; source.leader >= 0;) {
            shift += factor * source.offset;
            factor *= source.multiplier;
            FINE(s, pinion_model_joint(t->whole, source.leader, &source));
        }
        memcpy(q, s->q + source.q_index, (size_t)source.nq * sizeof *q);
        memcpy(v, s->v + source.v_index, (size_t)source.nv * sizeof *v);
        if (joint.leader >= 0) {
            q[0] = factor * q[0] + shift;
            v[0] = factor * v[0];
        }
        t->least = fmin(t->least, atoms_of_joint(&joint, q, v, out, F, c));

        for (int k = 0; k < 6; k++) {
            char name[96];
            pinion_joint_info atom;
            snprintf(name, sizeof name, "%s:%d", joint.name, k);
            if (pinion_model_joint(t->m, pinion_model_find_joint(t->m, name), &atom) != PINION_OK) break;
            t->q[atom.q_index] = out[k];
            t->c[atom.v_index] = c[k];
            for (int d = 0; d < source.nv; d++)
                t->B[atom.v_index * n + source.v_index + d] = factor * F[k][d];
        }
    }
    times(t->B, s->v, t->nv, n, t->v);
    times(t->B, s->a, t->nv, n, t->a);
    for (int i = 0; i < t->nv; i++) t->a[i] += t->c[i];
}

#endif
