/* Loops of a model to a builder; what has locked joints becomes what is left of it. */
#include "api/compose_copy.h"
#include "base/quartic.h"

#include <math.h>
#include <string.h>

/* The coordinate of a joint that has one. */
double pn_copy_coordinate(const pn_copy *c, int joint)
{
    pinion_joint_info j = {0};
    if (pinion_model_joint(c->m, joint, &j) != PINION_OK || j.q_source < 0) return 0;
    return j.multiplier * c->q[j.q_source] + j.offset;
}

static int bends(const pinion_loop_info *loop)
{
    return loop->curve[0] != 0 || loop->curve[1] != 0 || loop->curve[2] != 0;
}

/* Where a gear that bends has its first joint while the second is locked: the polynomial is inverted near where the
 * first joint is. */
static pinion_status invert(const pn_copy *c, const pinion_loop_info *loop, double *x)
{
    const pinion_motion *law = &loop->motion;
    const double curve[5] = {law->offset - pn_copy_coordinate(c, loop->second), loop->ratio, loop->curve[0],
                             loop->curve[1], loop->curve[2]};
    const int steady = law->rate == 0 && law->acceleration == 0 && law->amplitude == 0;
    *x = pn_copy_coordinate(c, loop->first);
    for (int i = 0; i < 100 && steady; i++) {
        double at[5] = {curve[0], curve[1], curve[2], curve[3], curve[4]};
        pn_quartic_shift(at, *x);
        const double step = at[0] / at[1];
        if (!isfinite(step)) break;
        *x -= step;
        if (fabs(step) <= 1e-15 * (1 + fabs(*x))) return PINION_OK;
    }
    return pn_error_set(c->err, PINION_ERR_MODEL, NULL, 0, 0,
                        "gear '%.80s': its second joint is locked at %.9g, for which %s; expected the first to be "
                        "locked, too",
                        loop->name, pn_copy_coordinate(c, loop->second),
                        steady ? "there is no place of the first near where it is"
                               : "the curve of the gear would have to be inverted at all times");
}

/* A gear of which one joint is locked drives the other one: q2 = ratio q1 + curve + law. */
static pinion_status drive_by(const pn_copy *c, const pinion_loop_info *loop, pinion_constraint_def *def)
{
    const double ratio = loop->ratio;
    def->kind = PINION_LOOP_DRIVE;
    if (pn_copy_locked(c, loop->first)) {
        const double p[5] = {0, ratio, loop->curve[0], loop->curve[1], loop->curve[2]};
        def->first = def->second;
        def->motion.offset += pn_quartic_at(p, pn_copy_coordinate(c, loop->first));
    } else if (bends(loop)) {
        const pinion_status s = invert(c, loop, &def->motion.offset);
        if (s != PINION_OK) return s;
    } else {
        double *x[4] = {&def->motion.offset, &def->motion.rate, &def->motion.acceleration,
                        &def->motion.amplitude};
        def->motion.offset -= pn_copy_coordinate(c, loop->second);
        for (int i = 0; i < 4; i++) *x[i] /= -ratio;
    }
    def->second = NULL;
    def->ratio = 1;
    memset(def->curve, 0, sizeof def->curve);
    return PINION_OK;
}

/* Joints that are both locked must be where their gear has them. */
static pinion_status check_gear(const pn_copy *c, const pinion_loop_info *loop)
{
    const pinion_motion *law = &loop->motion;
    if (loop->kind != PINION_LOOP_GEAR) return PINION_OK;
    const double one = pn_copy_coordinate(c, loop->first), two = pn_copy_coordinate(c, loop->second),
                 p[5] = {law->offset + law->amplitude * sin(law->phase), loop->ratio, loop->curve[0], loop->curve[1],
                         loop->curve[2]},
                 there = pn_quartic_at(p, one);
    if (fabs(two - there) <= 1e-6 * (1 + fabs(there))) return PINION_OK;
    char name[2][PN_COPY_NAME];
    return pn_error_set(c->err, PINION_ERR_MODEL, NULL, 0, 0,
                        "gear '%.80s': joint '%.80s' is locked at %.9g and joint '%.80s' at %.9g, where the gear does "
                        "not have it; expected %.9g",
                        loop->name, pn_copy_joint(c, loop->first, name[0]), one,
                        pn_copy_joint(c, loop->second, name[1]), two, there);
}

/* Whether one of its ends is not part of the model. */
static int is_left(const pn_copy *c, const pinion_loop_info *loop)
{
    if (loop->kind == PINION_LOOP_GEAR || loop->kind == PINION_LOOP_DRIVE)
        return pn_copy_joint_left(c, loop->first) || pn_copy_joint_left(c, loop->second);
    return pn_copy_left(c, loop->joint.parent) || pn_copy_left(c, loop->joint.child);
}

static void scale_motion(pinion_motion *motion, double factor)
{
    motion->offset *= factor;
    motion->rate *= factor;
    motion->acceleration *= factor;
    motion->amplitude *= factor;
}

static pinion_status add_constraint(const pn_copy *c, const pinion_loop_info *loop)
{
    char name[5][PN_COPY_NAME];
    const int tied = loop->kind == PINION_LOOP_GEAR || loop->kind == PINION_LOOP_DRIVE;
    pinion_constraint_def def = pinion_constraint_def_default();
    def.name = pn_copy_name(c, loop->name, name[0]);
    def.kind = loop->kind;
    def.motion = loop->motion;
    if (tied) {
        const int first = pn_copy_locked(c, loop->first),
                  second = loop->second < 0 ? first : pn_copy_locked(c, loop->second);
        if (first && second) return check_gear(c, loop); /* nothing is left to tie */
        def.first = pn_copy_joint(c, loop->first, name[1]);
        if (loop->second >= 0) def.second = pn_copy_joint(c, loop->second, name[2]);
        const double factor = pn_copy_joint_factor(c, loop->second >= 0 ? loop->second : loop->first);
        const double by = pn_copy_joint_factor(c, loop->first);
        def.ratio = loop->second >= 0 ? loop->ratio * factor / by : loop->ratio;
        for (int i = 0; i < 3; i++) def.curve[i] = loop->curve[i] * factor / pow(by, 2 + i);
        scale_motion(&def.motion, factor);
        const pinion_status s = first || second ? drive_by(c, loop, &def) : PINION_OK;
        if (s != PINION_OK) return s;
        return pinion_builder_add_constraint(c->b, &def, c->err);
    }
    def.parent = pn_copy_link(c, loop->joint.parent, name[3]);
    def.child = pn_copy_link(c, loop->joint.child, name[4]);
    def.parent_pose = pn_copy_pose(c, &loop->joint.parent_pose);
    def.child_pose = pn_copy_pose(c, &loop->joint.child_pose);
    def.length = loop->length * pn_copy_length(c);
    def.radius = loop->radius * pn_copy_length(c);
    scale_motion(&def.motion, pn_copy_length(c));
    def.disk = loop->disk;
    if (loop->kind == PINION_LOOP_SPRING) {
        def.stiffness = loop->joint.dof[0].stiffness;
        def.damping = loop->joint.dof[0].damping;
    }
    return pinion_builder_add_constraint(c->b, &def, c->err);
}

pinion_status pn_copy_loops(const pn_copy *c)
{
    for (int i = 0; i < pinion_model_loop_count(c->m); i++) {
        pinion_loop_info loop;
        pinion_status s = pinion_model_loop(c->m, i, &loop);
        if (s != PINION_OK) return s;
        if (is_left(c, &loop)) continue;
        s = loop.kind == PINION_LOOP_JOINT ? pn_copy_one_joint(c, &loop.joint, 1, 0) : add_constraint(c, &loop);
        if (s != PINION_OK) return s;
    }
    return PINION_OK;
}
