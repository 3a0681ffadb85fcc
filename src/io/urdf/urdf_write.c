/* The URDF writer. What URDF cannot say is left out and told, or refused; what it says in another way is:
 *
 * - a joint whose frame is not its child link's frame moves an extra massless link "<joint>_axis", to
 *   which the child link is fixed: every link and its frame stay what they were;
 * - a named frame becomes a massless link on a fixed joint "<frame>_frame";
 * - a limit that is infinite is written as the largest double, since other programs insist on limits
 *   for revolute and prismatic joints; the reader takes that for none;
 * - the joint "root" of a free base is a choice made when loading, and is not written. */
#include "base/curve.h"
#include "io/losses.h"
#include "model/pose.h"
#include "pinion/actuators.h"
#include "pinion/collision.h"
#include "pinion/elements.h"
#include "pinion/named.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_NAME 255 /* bytes, of a link or joint: the builder's limit */

typedef struct writer {
    const pinion_model *m;
    pn_losses *l;
    pn_text out;
    int *visuals; /* [visual_count] in the order of their links */
    int *start;   /* [link_count + 1] where those of a link start */
} writer;

/* ---------------------------------------------------------------------------------------------
 * Rotations as roll, pitch and yaw */

/* An angle near `angle`, with its sine and cosine. */
typedef struct candidate {
    double angle, s, c;
} candidate;

enum { CANDIDATES = 6 };

/* The angle in 15 digits (most files have round numbers), itself, and its neighbours. */
static void list_candidates(double angle, candidate out[CANDIDATES])
{
    char digits[40];
    snprintf(digits, sizeof digits, "%.15g", angle);
    out[0].angle = strtod(digits, NULL);
    out[1].angle = angle;
    out[2].angle = nextafter(angle, -INFINITY);
    out[3].angle = nextafter(angle, INFINITY);
    out[4].angle = nextafter(out[2].angle, -INFINITY);
    out[5].angle = nextafter(out[3].angle, INFINITY);
    for (int i = 0; i < CANDIDATES; i++) {
        out[i].s = sin(out[i].angle);
        out[i].c = cos(out[i].angle);
    }
}

/* How far Rz(y) Ry(p) Rx(r), computed as the reader does it, is from R. */
static double distance(const candidate *r, const candidate *p, const candidate *y, const double R[9])
{
    const double got[9] = {y->c * p->c,
                           y->c * p->s * r->s - y->s * r->c,
                           y->c * p->s * r->c + y->s * r->s,
                           y->s * p->c,
                           y->s * p->s * r->s + y->c * r->c,
                           y->s * p->s * r->c - y->c * r->s,
                           -p->s,
                           p->c * r->s,
                           p->c * r->c};
    double worst = 0;
    for (int i = 0; i < 9; i++) worst = fmax(worst, fabs(got[i] - R[i]));
    return worst;
}

/* The angles that give R back to the last digits, also where the pitch is a right angle: the yaw comes
 * first, whatever it is there, and the other two from what is left of R when it is undone. */
static void rpy_of_rotation(const double R[9], double rpy[3])
{
    double yaw = R[0] == 0 && R[3] == 0 ? 0 : atan2(R[3], R[0]), s = sin(yaw), c = cos(yaw);
    double pitch = atan2(-R[6], c * R[0] + s * R[3]);
    double roll = atan2(s * R[2] - c * R[5], c * R[4] - s * R[1]);

    /* the best of the numbers around them */
    candidate r[CANDIDATES], p[CANDIDATES], y[CANDIDATES];
    list_candidates(roll, r);
    list_candidates(pitch, p);
    list_candidates(yaw, y);
    double best = INFINITY;
    for (int i = 0; i < CANDIDATES * CANDIDATES * CANDIDATES && best > 0; i++) {
        const candidate *a = &r[i % CANDIDATES], *b = &p[i / CANDIDATES % CANDIDATES],
                        *d = &y[i / CANDIDATES / CANDIDATES];
        double error = distance(a, b, d, R);
        if (!(error < best)) continue;
        best = error;
        rpy[0] = a->angle;
        rpy[1] = b->angle;
        rpy[2] = d->angle;
    }
}

/* ---------------------------------------------------------------------------------------------
 * Elements */

/* name="numbers" */
static void put_numbers(writer *w, const char *name, const double *x, int count)
{
    pn_text_add(&w->out, " %s=\"", name);
    for (int i = 0; i < count; i++) {
        if (i > 0) pn_text_append(&w->out, " ");
        pn_text_number(&w->out, x[i] + 0.0); /* + 0.0: no negative zeros */
    }
    pn_text_append(&w->out, "\"");
}

void pn_text_xml(pn_text *t, const char *string)
{
    for (const char *s = string; *s;) {
        size_t plain = strcspn(s, "&<>\"'\t\n\r");
        pn_text_bytes(t, s, plain);
        s += plain;
        switch (*s) {
        case '\0': return;
        case '&': pn_text_append(t, "&amp;"); break;
        case '<': pn_text_append(t, "&lt;"); break;
        case '>': pn_text_append(t, "&gt;"); break;
        case '"': pn_text_append(t, "&quot;"); break;
        case '\'': pn_text_append(t, "&apos;"); break;
        default: pn_text_add(t, "&#%d;", *s); break; /* a reader would make a space of it */
        }
        s++;
    }
}

/* name="text"; `what` says what the text is, should XML not be able to hold it. */
static int put_string(writer *w, const char *name, const char *text, const char *what)
{
    for (const char *s = text; *s; s++) {
        unsigned char c = (unsigned char)*s;
        int control = c < 0x20 && c != '\t' && c != '\n' && c != '\r';
        int not_a_character = strncmp(s, "\xef\xbf\xbe", 3) == 0 || strncmp(s, "\xef\xbf\xbf", 3) == 0;
        if (control || not_a_character) return pn_cannot_write(w->l, what, text, "has a character in its name");
        if (strncmp(s, "${", 2) == 0)
            return pn_cannot_write(w->l, what, text, "has a xacro expression, ${...}, in its name");
    }
    pn_text_add(&w->out, " %s=\"", name);
    pn_text_xml(&w->out, text);
    pn_text_append(&w->out, "\"");
    return 1;
}

static int is_identity(const pinion_pose *pose)
{
    pinion_pose identity = pinion_pose_identity();
    for (int i = 0; i < 9; i++) {
        if (pose->rotation[i] != identity.rotation[i]) return 0;
    }
    return pose->position[0] == 0 && pose->position[1] == 0 && pose->position[2] == 0;
}

/* <origin>, unless it is the identity. */
static void put_origin(writer *w, const char *indent, const pinion_pose *pose)
{
    if (is_identity(pose)) return;
    double rpy[3] = {0, 0, 0};
    rpy_of_rotation(pose->rotation, rpy);
    pn_text_add(&w->out, "%s<origin", indent);
    put_numbers(w, "xyz", pose->position, 3);
    put_numbers(w, "rpy", rpy, 3);
    pn_text_append(&w->out, "/>\n");
}

/* ---------------------------------------------------------------------------------------------
 * Links */

/* A colour under a name of its own, so that equal names mean equal colours to every reader. */
static void put_material(writer *w, const double rgba[4])
{
    pinion_visual_def plain = pinion_visual_def_default();
    if (memcmp(rgba, plain.rgba, sizeof plain.rgba) == 0) return;
    pn_text_append(&w->out, "      <material name=\"rgba");
    for (int i = 0; i < 4; i++) {
        pn_text_append(&w->out, "_");
        pn_text_number(&w->out, rgba[i] + 0.0);
    }
    pn_text_append(&w->out, "\">\n        <color");
    put_numbers(w, "rgba", rgba, 4);
    pn_text_append(&w->out, "/>\n      </material>\n");
}

static int put_geometry(writer *w, pinion_shape shape, const double size[3], const char *mesh)
{
    pn_text_add(&w->out, "      <geometry>\n        <%s", pinion_shape_name(shape));
    switch (shape) {
    case PINION_SHAPE_BOX: put_numbers(w, "size", size, 3); break;
    case PINION_SHAPE_MESH:
        if (!put_string(w, "filename", mesh, "mesh")) return 0;
        put_numbers(w, "scale", size, 3);
        break;
    default:
        put_numbers(w, "radius", size, 1);
        if (shape != PINION_SHAPE_SPHERE) put_numbers(w, "length", size + 1, 1);
        break;
    }
    pn_text_append(&w->out, "/>\n      </geometry>\n");
    return 1;
}

static int put_visual(writer *w, const pinion_visual_info *visual)
{
    pn_text_append(&w->out, "    <visual>\n");
    put_origin(w, "      ", &visual->pose);
    if (!put_geometry(w, visual->shape, visual->size, visual->mesh)) return 0;
    put_material(w, visual->rgba);
    pn_text_append(&w->out, "    </visual>\n");
    return 1;
}

/* What URDF has no words for of a collision that it can show. */
static int lose_touch(writer *w, const char *link, const pinion_collision_info *c)
{
    const pinion_collision_def plain = pinion_collision_def_default();
    const int says = c->friction[0] >= 0 || c->friction[1] >= 0 || c->friction[2] >= 0 || c->restitution != 0 ||
                     c->margin != 0 || c->dimension != plain.dimension || c->category != plain.category ||
                     c->mask != plain.mask || c->group;
    return !says || pn_lose(w->l, 0, "link", link, "friction and filters of its collisions are left out");
}

static int put_collisions(writer *w, int link, const char *name)
{
    int first = 0;
    const int count = pinion_model_link_collisions(w->m, link, &first);
    for (int i = first; i < first + count; i++) {
        pinion_collision_info info;
        if (pinion_model_collision(w->m, i, &info) != PINION_OK) return 0;
        if (info.shape > PINION_SHAPE_MESH || (info.data && !info.mesh)) {
            if (!pn_lose(w->l, 0, "link", name, "collisions of shapes that it does not have are left out")) return 0;
            continue;
        }
        if (!lose_touch(w, name, &info)) return 0;
        pn_text_append(&w->out, "    <collision");
        if (*info.name && !put_string(w, "name", info.name, "collision")) return 0;
        pn_text_append(&w->out, ">\n");
        put_origin(w, "      ", &info.pose);
        if (!put_geometry(w, info.shape, info.size, info.mesh)) return 0;
        pn_text_append(&w->out, "    </collision>\n");
    }
    return 1;
}

/* <inertial>, unless there is nothing to say. */
static void put_inertial(writer *w, const pinion_inertia *inertia)
{
    static const char *const names[6] = {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"};
    int empty = inertia->mass == 0;
    for (int i = 0; i < 6; i++) empty = empty && inertia->inertia[i] == 0;
    for (int i = 0; i < 3; i++) empty = empty && inertia->com[i] == 0;
    if (empty) return;
    pn_text_append(&w->out, "    <inertial>\n      <origin");
    put_numbers(w, "xyz", inertia->com, 3);
    pn_text_append(&w->out, "/>\n      <mass");
    put_numbers(w, "value", &inertia->mass, 1);
    pn_text_append(&w->out, "/>\n      <inertia");
    for (int i = 0; i < 6; i++) put_numbers(w, names[i], &inertia->inertia[i], 1);
    pn_text_append(&w->out, "/>\n    </inertial>\n");
}

static int put_link(writer *w, int index)
{
    pinion_link_info link;
    if (pinion_model_link(w->m, index, &link) != PINION_OK) return 0;
    pn_text_append(&w->out, "  <link");
    if (!put_string(w, "name", link.name, "link")) return 0;
    pn_text_append(&w->out, ">\n");
    put_inertial(w, &link.inertia);
    for (int i = w->start[index]; i < w->start[index + 1]; i++) {
        pinion_visual_info visual;
        if (pinion_model_visual(w->m, w->visuals[i], &visual) != PINION_OK || !put_visual(w, &visual))
            return 0;
    }
    if (!put_collisions(w, index, link.name)) return 0;
    if (link.gravity_compensation != 0 &&
        !pn_lose(w->l, 1, "link", link.name, "that its weight is carried is left out"))
        return 0;
    if (link.added_mass && !pn_lose(w->l, 1, "link", link.name, "its added mass is left out")) return 0;
    if (link.drag && !pn_lose(w->l, 1, "link", link.name, "its drag is left out")) return 0;
    pn_text_append(&w->out, "  </link>\n");
    return 1;
}

/* Orders the visuals by their links; 0 when out of memory. */
static int sort_visuals(writer *w)
{
    int links = pinion_model_link_count(w->m), count = pinion_model_visual_count(w->m);
    pinion_visual_info visual;
    w->start = calloc((size_t)links + 2, sizeof *w->start);
    w->visuals = malloc(((size_t)count + 1) * sizeof *w->visuals);
    if (!w->start || !w->visuals) return 0;

    /* counted two places ahead, so that filling leaves the starts where they belong */
    for (int i = 0; i < count; i++) {
        if (pinion_model_visual(w->m, i, &visual) == PINION_OK) w->start[visual.link + 2]++;
    }
    for (int i = 0; i < links; i++) w->start[i + 2] += w->start[i + 1];
    for (int i = 0; i < count; i++) {
        if (pinion_model_visual(w->m, i, &visual) == PINION_OK) w->visuals[w->start[visual.link + 1]++] = i;
    }
    return 1;
}

/* ---------------------------------------------------------------------------------------------
 * Joints */

/* A name that no link, frame or joint has, made of one that is taken. */
static int new_name(const writer *w, const char *base, const char *suffix, char out[MAX_NAME + 1])
{
    for (int i = 1; i < 1000; i++) {
        int n = i == 1 ? snprintf(out, MAX_NAME + 1, "%s_%s", base, suffix)
                       : snprintf(out, MAX_NAME + 1, "%s_%s_%d", base, suffix, i);
        if (n < 0 || n > MAX_NAME) break;
        if (pinion_model_find_frame(w->m, out) < 0 && pinion_model_find_joint(w->m, out) < 0) return 1;
    }
    return pn_cannot_write(w->l, "joint or frame", base, "needs a name for a helper link, free and not too long");
}

/* The opening of a joint: its name, type and where it is. */
static int put_joint_start(writer *w, const char *name, const char *type, const char *parent,
                           const char *child, const pinion_pose *origin)
{
    pn_text_append(&w->out, "  <joint");
    if (!put_string(w, "name", name, "joint")) return 0;
    pn_text_add(&w->out, " type=\"%s\">\n    <parent", type);
    if (!put_string(w, "link", parent, "link")) return 0;
    pn_text_append(&w->out, "/>\n    <child");
    if (!put_string(w, "link", child, "link")) return 0;
    pn_text_append(&w->out, "/>\n");
    put_origin(w, "    ", origin);
    return 1;
}

/* What URDF has no words for in one degree of freedom. */
static int lose_dof(const writer *w, const pinion_joint_info *joint, const pinion_dof *dof)
{
    const int one = joint->dof_count == 1, bounded = isfinite(dof->lower) || isfinite(dof->upper);
    const char *lost[7] = {NULL};
    int count = 0;
    if (dof->rotor_inertia != 0 || dof->gear_ratio != 1) lost[count++] = "its rotor and gear are left out";
    if (dof->stiffness != 0 || pn_is_curved(dof->stiffness_curve)) lost[count++] = "its spring is left out";
    if (pn_is_curved(dof->damping_curve)) lost[count++] = "the curve of its damping is left out";
    if (one && dof->friction_positive != dof->friction_negative)
        lost[count++] = "its friction is the mean of its two directions";
    if (bounded && joint->type == PINION_JOINT_CONTINUOUS)
        lost[count++] = "its limits of position are left out, since it is continuous";
    if (!one && (bounded || isfinite(dof->velocity) || isfinite(dof->effort)))
        lost[count++] = "limits of several coordinates are left out";
    if (!one && (dof->damping != 0 || dof->friction_positive != 0 || dof->friction_negative != 0))
        lost[count++] = "damping and friction of several coordinates are left out";
    for (int i = 0; i < count; i++)
        if (!pn_lose(w->l, 1, "joint", joint->name, lost[i])) return 0;
    return 1;
}

/* A limit; the largest double stands for none. */
static void put_limit(writer *w, const char *name, double x)
{
    double written = fmin(fmax(x, -DBL_MAX), DBL_MAX);
    put_numbers(w, name, &written, 1);
}

/* Axis, limits, damping and leader. */
static int put_motion(writer *w, const pinion_joint_info *joint)
{
    for (int i = 0; i < joint->dof_count; i++) {
        if (!lose_dof(w, joint, &joint->dof[i])) return 0;
    }
    if (joint->type != PINION_JOINT_FIXED && joint->type != PINION_JOINT_FREE) {
        pn_text_append(&w->out, "    <axis");
        put_numbers(w, "xyz", joint->axis, 3);
        pn_text_append(&w->out, "/>\n");
    }
    if (joint->dof_count != 1) return 1;

    /* revolute and prismatic joints always say their limits, continuous ones when there is one */
    const pinion_dof *dof = joint->dof;
    int continuous = joint->type == PINION_JOINT_CONTINUOUS;
    if (!continuous || isfinite(dof->velocity) || isfinite(dof->effort)) {
        pn_text_append(&w->out, "    <limit");
        if (!continuous) {
            put_limit(w, "lower", dof->lower);
            put_limit(w, "upper", dof->upper);
        }
        put_limit(w, "effort", dof->effort);
        put_limit(w, "velocity", dof->velocity);
        pn_text_append(&w->out, "/>\n");
    }
    const double friction = (dof->friction_positive + dof->friction_negative) / 2;
    if (dof->damping != 0 || friction != 0) {
        pn_text_append(&w->out, "    <dynamics");
        put_numbers(w, "damping", &dof->damping, 1);
        put_numbers(w, "friction", &friction, 1);
        pn_text_append(&w->out, "/>\n");
    }
    pinion_joint_info leader;
    if (joint->leader < 0) return 1;
    if (pinion_model_joint(w->m, joint->leader, &leader) != PINION_OK) return 0;
    pn_text_append(&w->out, "    <mimic");
    if (!put_string(w, "joint", leader.name, "joint")) return 0;
    put_numbers(w, "multiplier", &joint->multiplier, 1);
    put_numbers(w, "offset", &joint->offset, 1);
    pn_text_append(&w->out, "/>\n");
    return 1;
}

/* The joint of a massless link on a fixed joint. */
static int put_fixed(writer *w, const char *name, const char *parent, const char *child,
                     const pinion_pose *origin)
{
    if (!put_joint_start(w, name, "fixed", parent, child, origin)) return 0;
    pn_text_append(&w->out, "  </joint>\n");
    return 1;
}

static int put_joint(writer *w, int index)
{
    static const char *const types[PINION_JOINT_TYPE_COUNT] = {
        [PINION_JOINT_FIXED] = "fixed",           [PINION_JOINT_REVOLUTE] = "revolute",
        [PINION_JOINT_CONTINUOUS] = "continuous", [PINION_JOINT_PRISMATIC] = "prismatic",
        [PINION_JOINT_PLANAR] = "planar",         [PINION_JOINT_FREE] = "floating"};
    pinion_joint_info joint;
    pinion_link_info parent, child;
    if (pinion_model_joint(w->m, index, &joint) != PINION_OK) return 0;
    if (joint.parent < 0) return 1; /* "root", between the world and the root link */
    if (pinion_model_link(w->m, joint.parent, &parent) != PINION_OK) return 0;
    if (pinion_model_link(w->m, joint.child, &child) != PINION_OK) return 0;
    if (!types[joint.type]) {
        char why[64];
        snprintf(why, sizeof why, "is %s", pinion_joint_type_name(joint.type));
        return pn_cannot_write(w->l, "joint", joint.name, why);
    }

    /* where the joint's frame is the child's, or nothing moves, one joint says it all */
    pinion_pose back = pn_pose_inverse(&joint.child_pose), origin = joint.parent_pose;
    int helped = !is_identity(&joint.child_pose) && joint.type != PINION_JOINT_FIXED;
    if (!is_identity(&joint.child_pose) && !helped) origin = pn_pose_mul(&joint.parent_pose, &back);

    /* otherwise an extra link carries the joint's frame */
    char helper[MAX_NAME + 1];
    const char *moved = child.name;
    if (helped) {
        if (!new_name(w, joint.name, "axis", helper)) return 0;
        pn_text_append(&w->out, "  <link");
        if (!put_string(w, "name", helper, "link")) return 0;
        pn_text_append(&w->out, "/>\n");
        moved = helper;
    }
    if (joint.has_initial && !pn_lose(w->l, 1, "joint", joint.name, "its initial state is left out")) return 0;
    if (joint.unactuated && !pn_lose(w->l, 1, "joint", joint.name, "that it has no motor is left out")) return 0;
    if (!put_joint_start(w, joint.name, types[joint.type], parent.name, moved, &origin)) return 0;
    if (!put_motion(w, &joint)) return 0;
    pn_text_append(&w->out, "  </joint>\n");
    return !helped || put_fixed(w, helper, helper, child.name, &back);
}

/* A named frame as a massless link on a fixed joint. */
static int put_frame(writer *w, int index)
{
    pinion_frame_info frame;
    pinion_link_info link;
    char name[MAX_NAME + 1];
    if (pinion_model_frame(w->m, index, &frame) != PINION_OK) return 0;
    if (pinion_model_link(w->m, frame.link, &link) != PINION_OK) return 0;
    if (!new_name(w, frame.name, "frame", name)) return 0;
    pn_text_append(&w->out, "  <link");
    if (!put_string(w, "name", frame.name, "frame")) return 0;
    pn_text_append(&w->out, "/>\n");
    return put_fixed(w, name, link.name, frame.name, &frame.pose);
}

/* ---------------------------------------------------------------------------------------------
 * The robot */

/* What has no place at all. */
static int lose_rest(writer *w)
{
    const char *name = pinion_model_name(w->m);
    double gravity[3];
    pinion_loop_info loop;
    pinion_tendon_info tendon;
    pinion_model_gravity(w->m, gravity);
    if ((gravity[0] != 0 || gravity[1] != 0 || gravity[2] != -9.81) &&
        !pn_lose(w->l, 1, "model", name, "that its gravity is not (0, 0, -9.81) is left out"))
        return 0;
    for (int i = 0; i < pinion_model_loop_count(w->m); i++) {
        if (pinion_model_loop(w->m, i, &loop) != PINION_OK) return 0;
        const char *what = loop.kind == PINION_LOOP_SPRING  ? "spring between links"
                           : loop.kind == PINION_LOOP_JOINT ? "loop joint"
                                                            : "constraint";
        if (!pn_lose(w->l, 1, what, loop.name, "it is left out")) return 0;
    }
    for (int i = 0; i < pinion_model_tendon_count(w->m); i++)
        if (pinion_model_tendon(w->m, i, &tendon) != PINION_OK ||
            !pn_lose(w->l, 1, "tendon", tendon.name, "it is left out"))
            return 0;
    if (pinion_model_actuators_listed(w->m) && !pn_lose(w->l, 1, "model", name, "its list of actuators is left out"))
        return 0;
    for (int i = 0; i < pinion_model_state_count(w->m); i++)
        if (!pn_lose(w->l, 1, "state", pinion_model_state_name(w->m, i), "it is left out")) return 0;
    for (int i = 0; i < pinion_model_group_count(w->m); i++)
        if (!pn_lose(w->l, 1, "group", pinion_model_group_name(w->m, i), "it is left out")) return 0;
    return !(pinion_model_collision_pair_count(w->m) + pinion_model_exclusion_count(w->m)) ||
           pn_lose(w->l, 0, "model", name, "which collisions exclude each other is left out");
}

/* Every part in turn; 0 when one was refused. */
static int put_robot(writer *w)
{
    if (!lose_rest(w)) return 0;
    pn_text_append(&w->out, "<?xml version=\"1.0\"?>\n<robot");
    if (!put_string(w, "name", pinion_model_name(w->m), "model")) return 0;
    pn_text_append(&w->out, ">\n");
    for (int i = 0; i < pinion_model_link_count(w->m); i++) {
        if (!put_link(w, i)) return 0;
    }
    for (int i = 0; i < pinion_model_joint_count(w->m); i++) {
        if (!put_joint(w, i)) return 0;
    }
    for (int i = pinion_model_link_count(w->m); i < pinion_model_frame_count(w->m); i++) {
        if (!put_frame(w, i)) return 0;
    }
    pn_text_append(&w->out, "</robot>\n");
    return 1;
}

char *pn_urdf_write(const pinion_model *m, pn_losses *l)
{
    writer w = {.m = m, .l = l};
    char *text = NULL;
    l->err->status = PINION_OK;
    if (sort_visuals(&w) && put_robot(&w)) text = pn_text_take(&w.out);
    if (!text && l->err->status == PINION_OK) pn_error_set(l->err, PINION_ERR_MEMORY, NULL, 0, 0, "out of memory");
    pn_text_free(&w.out);
    free(w.visuals);
    free(w.start);
    return text;
}
