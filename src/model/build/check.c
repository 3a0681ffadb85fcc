/* Checks of one definition by itself: what can be said before the whole description is known. */
#include <math.h>
#include <string.h>

#include "base/curve.h"
#include "model/build/describe.h"
#include "model/pose.h"

int pn_finite(const double *x, int count)
{
    for (int i = 0; i < count; i++) {
        if (!isfinite(x[i])) return 0;
    }
    return 1;
}

const char *pn_inertia_fault(const pinion_inertia *inertia)
{
    if (!isfinite(inertia->mass)) return "its mass is not a finite number";
    if (inertia->mass < 0) return "its mass is negative; expected a mass >= 0 kg";
    if (!pn_finite(inertia->com, 3)) return "its centre of mass is not three finite numbers";
    if (!pn_finite(inertia->inertia, 6)) return "its inertia is not six finite numbers";
    return NULL;
}

const char *pn_pose_fault(pinion_pose *pose)
{
    if (!pn_finite(pose->position, 3)) return "has a position that is not three finite numbers";
    if (!pn_finite(pose->rotation, 9)) return "has a rotation that is not nine finite numbers";
    if (pn_rotation_repair(pose->rotation) < 0) {
        return "has a matrix that is not a rotation; expected orthonormal columns and determinant 1 within "
               "1e-6";
    }
    return NULL;
}

/* The name an element is given. */
pinion_status pn_check_name(const pinion_builder *b, const char *what, const char *name, int line, pinion_error *err)
{
    if (!name || !*name) {
        return pn_fail(b, err, PINION_ERR_MODEL, line, "a %s has no name; expected a name that is not empty",
                       what);
    }
    if (strlen(name) > PN_MAX_NAME) {
        return pn_fail(b, err, PINION_ERR_MODEL, line,
                       "the name of %s %s is too long; expected at most %d bytes", what, pn_quote(name).text,
                       PN_MAX_NAME);
    }
    if (!pn_is_clean_text(name)) {
        return pn_fail(b, err, PINION_ERR_MODEL, line,
                       "the name of %s %s is not plain text; expected UTF-8 without control characters", what,
                       pn_quote(name).text);
    }
    return PINION_OK;
}

pinion_status pn_check_reference(const pinion_builder *b, const char *what, const char *name, const char *role,
                                 const char *reference, int line, pinion_error *err)
{
    if (!reference || !*reference) {
        return pn_fail(b, err, PINION_ERR_MODEL, line, "%s %s has no %s; expected a name", what,
                       pn_quote(name).text, role);
    }
    if (strlen(reference) > PN_MAX_NAME) {
        return pn_fail(b, err, PINION_ERR_MODEL, line,
                       "%s %s: %s %s does not exist; no name is longer than %d bytes", what,
                       pn_quote(name).text, role, pn_quote(reference).text, PN_MAX_NAME);
    }
    return PINION_OK;
}

pinion_status pn_check_pose(const pinion_builder *b, const char *what, const char *name,
                                const char *which, pinion_pose *pose, int line, pinion_error *err)
{
    const char *fault = pn_pose_fault(pose);
    if (!fault) return PINION_OK;
    return pn_fail(b, err, PINION_ERR_MODEL, line, "%s %s: %s %s", what, pn_quote(name).text, which, fault);
}

pinion_status pn_check_cookie(const pinion_builder *b, const char *what, uint32_t cookie,
                                  uint32_t expected, pinion_error *err)
{
    if (cookie == expected) return PINION_OK;
    return pn_fail(
        b, err, PINION_ERR_ARGUMENT, 0,
        "the definition of a %s was not started from its default; expected pinion_%s_def_default()", what,
        what);
}

/* What is wrong with a matrix of added mass; NULL: nothing. With ones on its diagonal it is eliminated from the largest
 * pivot on; below zero by more than rounding there is none. */
static const char *added_fault(const double *A)
{
    double B[6][6], size = 0;
    int done[6] = {0};
    if (!pn_finite(A, 36)) return "its added mass is not 36 finite numbers";
    for (int i = 0; i < 36; i++) size = fmax(size, fabs(A[i]));
    for (int i = 0; i < 36; i++)
        if (fabs(A[i] - A[i % 6 * 6 + i / 6]) > 1e-9 * size) return "its added mass is not symmetric";
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) {
            const double unit = sqrt(fmax(A[7 * i], 0)) * sqrt(fmax(A[7 * j], 0));
            if (A[7 * i] < 0 || (unit == 0 && A[6 * i + j] != 0)) return "its added mass is not positive semidefinite";
            B[i][j] = unit > 0 ? A[6 * i + j] / unit : 0;
        }
    for (int step = 0; step < 6; step++) {
        int k = -1;
        for (int i = 0; i < 6; i++)
            if (!done[i] && (k < 0 || B[i][i] > B[k][k])) k = i;
        done[k] = 1;
        for (int i = 0; i < 6; i++) {
            if (done[i]) continue;
            if (B[k][k] <= 1e-9 && fabs(B[i][k]) > 1e-6) return "its added mass is not positive semidefinite";
            for (int j = 0; j < 6 && B[k][k] > 1e-9; j++)
                if (!done[j]) B[i][j] -= B[i][k] * B[k][j] / B[k][k];
            if (B[i][i] < -1e-9) return "its added mass is not positive semidefinite";
        }
    }
    return NULL;
}

/* What is wrong with how a link is braked; NULL: nothing. */
static const char *drag_fault(const pinion_drag *d)
{
    pinion_pose pose = d->pose;
    if (!pn_finite(d->linear, 6) || !pn_finite(d->quadratic, 6) || !pn_finite(d->wind, 3))
        return "its drag or wind is not a finite number";
    for (int i = 0; i < 6; i++) {
        if (d->linear[i] < 0 || d->quadratic[i] < 0) return "its drag is negative; expected numbers >= 0";
    }
    return pn_pose_fault(&pose) ? "the frame of its drag is no position and rotation" : NULL;
}

pinion_status pn_check_link(const pinion_builder *b, const pinion_link_def *def, pinion_error *err)
{
    pinion_status status = pn_check_cookie(b, "link", def->cookie, PN_COOKIE_LINK, err);
    if (status == PINION_OK) status = pn_check_name(b, "link", def->name, def->line, err);
    if (status != PINION_OK) return status;
    const char *fault = pn_inertia_fault(&def->inertia);
    if (!fault && !isfinite(def->gravity_compensation)) fault = "its gravity compensation is not a finite number";
    if (!fault && def->added_mass) fault = added_fault(def->added_mass);
    if (!fault && def->elastic) {
        pinion_elastic_def elastic = *def->elastic;
        fault = pn_elastic_fault(&elastic);
    }
    if (!fault && def->drag) fault = drag_fault(def->drag);
    if (fault) {
        return pn_fail(b, err, PINION_ERR_MODEL, def->line, "link %s: %s", pn_quote(def->name).text, fault);
    }
    return PINION_OK;
}

/* Brings the axis to unit length; a type without an axis gets z where none is given. */
static pinion_status check_axis(const pinion_builder *b, const char *what, pinion_joint_def *def,
                                pinion_error *err)
{
    if (!pn_finite(def->axis, 3)) {
        return pn_fail(b, err, PINION_ERR_MODEL, def->line, "%s %s: its axis is not three finite numbers",
                       what, pn_quote(def->name).text);
    }

    /* the largest entry first, so that no square overflows or vanishes */
    double largest = fmax(fabs(def->axis[0]), fmax(fabs(def->axis[1]), fabs(def->axis[2])));
    if (largest == 0) {
        if (pn_type_uses_axis(def->type)) {
            return pn_fail(b, err, PINION_ERR_MODEL, def->line,
                           "%s %s: its axis is zero; expected a direction of any length but 0", what,
                           pn_quote(def->name).text);
        }
        def->axis[2] = largest = 1;
    }
    double length = pn_dot3(def->axis, def->axis);
    if (fabs(length - 1) <= 1e-15) return PINION_OK; /* unit to rounding: its bits stay */
    for (int i = 0; i < 3; i++) def->axis[i] /= largest;
    length = sqrt(pn_dot3(def->axis, def->axis));
    for (int i = 0; i < 3; i++) def->axis[i] /= length;
    return PINION_OK;
}

const char *pn_dof_fault(const pinion_dof *dof, int sprung)
{
    if (isnan(dof->lower) || dof->lower == INFINITY) {
        return "the lower limit is not a number; expected one, or -infinity";
    }
    if (isnan(dof->upper) || dof->upper == -INFINITY) {
        return "the upper limit is not a number; expected one, or infinity";
    }
    if (dof->lower > dof->upper) return "the lower limit is above the upper limit; expected lower <= upper";
    if (isnan(dof->velocity) || dof->velocity == -INFINITY) return "the velocity limit is not a number";
    if (isnan(dof->effort) || dof->effort == -INFINITY) return "the effort limit is not a number";

    /* magnitudes */
    const double magnitude[5] = {dof->damping, dof->friction_positive, dof->friction_negative,
                                 dof->rotor_inertia, dof->stiffness};
    static const char *const bad[5] = {
        "the damping is not a finite number", "the friction is not a finite number",
        "the friction is not a finite number", "the rotor inertia is not a finite number",
        "the stiffness is not a finite number"};
    static const char *const negative[5] = {"the damping is negative; expected a number >= 0",
                                            "the friction is negative; expected a magnitude >= 0",
                                            "the friction is negative; expected a magnitude >= 0",
                                            "the rotor inertia is negative; expected a number >= 0",
                                            "the stiffness is negative; expected a number >= 0"};
    for (int i = 0; i < 5; i++) {
        if (!isfinite(magnitude[i])) return bad[i];
        if (magnitude[i] < 0) return negative[i];
    }
    if (!isfinite(dof->gear_ratio)) return "the gear ratio is not a finite number";
    if (!pn_finite(dof->stiffness_curve, 2)) return "a number of the stiffness curve is not finite";
    if (!pn_finite(dof->damping_curve, 2)) return "a number of the damping curve is not finite";
    if (!isfinite(dof->rest)) return "the rest position of the spring is not a finite number";
    if (!sprung && (dof->stiffness > 0 || pn_is_curved(dof->stiffness_curve)))
        return "a spring on a spherical or free joint that closes a loop; expected stiffness 0";
    return NULL;
}

/* What it follows: only joints of one coordinate can, and none follows itself. */
static pinion_status check_mimic(const pinion_builder *b, const pinion_joint_def *def, int loop,
                                 pinion_error *err)
{
    const char *name = def->name;
    if (!isfinite(def->multiplier) || !isfinite(def->offset)) {
        return pn_fail(b, err, PINION_ERR_MODEL, def->line,
                       "joint %s: the multiplier or the offset of its mimic is not a finite number",
                       pn_quote(name).text);
    }
    if (!def->mimic) return PINION_OK;
    if (loop) {
        return pn_fail(b, err, PINION_ERR_MODEL, def->line,
                       "loop %s follows joint %s; expected a loop joint to follow none", pn_quote(name).text,
                       pn_quote(def->mimic).text);
    }
    if (strcmp(def->mimic, name) == 0) {
        return pn_fail(b, err, PINION_ERR_MODEL, def->line,
                       "joint %s mimics itself; expected the name of another joint", pn_quote(name).text);
    }
    if (!pn_type_has_one_coordinate(def->type)) {
        return pn_fail(b, err, PINION_ERR_MODEL, def->line,
                       "joint %s is %s and mimics joint %s; expected a follower with exactly one coordinate",
                       pn_quote(name).text, pinion_joint_type_name(def->type), pn_quote(def->mimic).text);
    }
    return pn_check_reference(b, "joint", name, "joint to mimic", def->mimic, def->line, err);
}

/* What is wrong with the numbers of an initial state, NULL when nothing is; they are brought into shape. */
static const char *initial_fault(pinion_joint_def *def)
{
    int nq = pinion_joint_type_nq(def->type), nv = pinion_joint_type_nv(def->type);
    if (!pn_finite(def->initial_q, nq)) return "the position is not finite numbers";
    if (!pn_finite(def->initial_v, nv)) return "the velocity is not finite numbers";

    /* what does not count is zero, and no zero is negative */
    for (int i = 0; i < 7; i++) def->initial_q[i] = i < nq ? def->initial_q[i] + 0.0 : 0;
    for (int i = 0; i < 6; i++) def->initial_v[i] = i < nv ? def->initial_v[i] + 0.0 : 0;
    if (nq == nv) return NULL;

    /* a quaternion that is unit to rounding keeps its bits */
    double *q = def->initial_q, square = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    double length = sqrt(square);
    if (!(fabs(length - 1) <= 1e-6))
        return "the quaternion is not of unit length; expected length 1 within 1e-6";
    if (fabs(square - 1) <= 4e-15) return NULL;
    for (int i = 0; i < 4; i++) q[i] /= length;
    return NULL;
}

/* The initial state: only joints with coordinates of their own can have one. */
static pinion_status check_initial(const pinion_builder *b, pinion_joint_def *def, int loop,
                                   pinion_error *err)
{
    if (!def->has_initial) {
        pn_type_neutral(def->type, def->initial_q);
        memset(def->initial_v, 0, sizeof def->initial_v);
        return PINION_OK;
    }
    const char *name = def->name, *who = NULL;
    if (def->mimic) who = "a joint that follows another one";
    if (def->type == PINION_JOINT_FIXED) who = "a fixed joint";
    if (loop) who = "a loop joint";
    if (who) {
        return pn_fail(b, err, PINION_ERR_MODEL, def->line,
                       "%s %s has an initial state, but %s has no coordinates of its own; expected none",
                       loop ? "loop" : "joint", pn_quote(name).text, who);
    }
    const char *fault = initial_fault(def);
    if (!fault) return PINION_OK;
    return pn_fail(b, err, PINION_ERR_MODEL, def->line, "joint %s, initial state: %s", pn_quote(name).text,
                   fault);
}

/* The spring of a rotation is one for three axes; so is that of a free joint's place where it is curved. */
static const char *spring_fault(const pinion_joint_def *def, int i)
{
    const pinion_dof *first = &def->dof[i / 3 * 3], *d = &def->dof[i];
    const double *c = d->stiffness_curve, *other = first->stiffness_curve;
    if (i >= 3 && !pn_is_curved(c) && !pn_is_curved(other)) return NULL;
    if (d->stiffness == first->stiffness && c[0] == other[0] && c[1] == other[1]) return NULL;
    return i < 3 ? "its spring is another one than about the first axis; expected one stiffness for the rotation"
                 : "its spring is another one than along x; expected one stiffness where it has a curve";
}

pinion_status pn_check_joint(const pinion_builder *b, pinion_joint_def *def, int loop, pinion_error *err)
{
    const char *what = loop ? "loop" : "joint";
    pinion_status status = pn_check_cookie(b, "joint", def->cookie, PN_COOKIE_JOINT, err);
    if (status == PINION_OK) status = pn_check_name(b, what, def->name, def->line, err);
    if (status != PINION_OK) return status;
    if (!pn_type_valid((int)def->type)) {
        return pn_fail(b, err, PINION_ERR_MODEL, def->line,
                       "%s %s has type %d, which is none; expected 0 to %d", what, pn_quote(def->name).text,
                       (int)def->type, PINION_JOINT_TYPE_COUNT - 1);
    }

    /* the links it connects */
    status = pn_check_reference(b, what, def->name, "parent link", def->parent, def->line, err);
    if (status == PINION_OK) status = pn_check_reference(b, what, def->name, "child link", def->child, def->line, err);
    if (status != PINION_OK) return status;
    if (strcmp(def->parent, def->child) == 0) {
        return pn_fail(b, err, PINION_ERR_MODEL, def->line,
                       "%s %s connects link %s to itself; expected two different links", what,
                       pn_quote(def->name).text, pn_quote(def->parent).text);
    }

    /* where it is */
    status = pn_check_pose(b, what, def->name, "its frame on the parent", &def->parent_pose, def->line, err);
    if (status == PINION_OK) {
        status = pn_check_pose(b, what, def->name, "its frame on the child", &def->child_pose, def->line, err);
    }
    if (status == PINION_OK) status = check_axis(b, what, def, err);
    if (status != PINION_OK) return status;
    if (!isfinite(def->pitch)) {
        return pn_fail(b, err, PINION_ERR_MODEL, def->line, "%s %s: its pitch is not a finite number", what,
                       pn_quote(def->name).text);
    }

    /* its degrees of freedom */
    const int turns = def->type == PINION_JOINT_SPHERICAL || def->type == PINION_JOINT_FREE;
    for (int i = 0; i < pinion_joint_type_nv(def->type); i++) {
        const char *fault = pn_dof_fault(&def->dof[i], !turns || !loop);
        if (!fault && turns) fault = spring_fault(def, i);
        if (fault) {
            return pn_fail(b, err, PINION_ERR_MODEL, def->line, "%s %s, degree of freedom %d: %s", what,
                           pn_quote(def->name).text, i, fault);
        }
    }
    status = check_mimic(b, def, loop, err);
    return status ? status : check_initial(b, def, loop, err);
}

/* ---- constraints that are no joints ---- */

static pinion_status fail_constraint(const pinion_builder *b, const pinion_constraint_def *def,
                                     const char *fault, pinion_error *err)
{
    return pn_fail(b, err, PINION_ERR_MODEL, def->line, "loop %s, a %s constraint: %s",
                   pn_quote(def->name).text, pinion_loop_kind_name(def->kind), fault);
}

static int ties_links(const pinion_constraint_def *def)
{
    return def->kind == PINION_LOOP_DISTANCE || def->kind == PINION_LOOP_ROLLING ||
           def->kind == PINION_LOOP_SPRING;
}

static int has_curve(const pinion_constraint_def *def)
{
    return def->curve[0] != 0 || def->curve[1] != 0 || def->curve[2] != 0;
}

/* What a constraint of its kind has nothing to do with; NULL when nothing of it is given. */
static const char *foreign_fault(const pinion_constraint_def *def)
{
    int links = ties_links(def), spring = def->kind == PINION_LOOP_SPRING;
    const pinion_motion *law = &def->motion;
    if (!links && (def->parent || def->child)) return "it names a link; expected joints only";
    if (links && (def->first || def->second)) return "it names a joint; expected links only";
    if (def->kind == PINION_LOOP_DRIVE && def->second) return "it names a second joint; expected one";
    if (def->kind != PINION_LOOP_GEAR && (def->ratio != 1 || has_curve(def)))
        return "it has a ratio or a curve, which only a gear has";
    if (def->kind != PINION_LOOP_DISTANCE && !spring && def->length != 0)
        return "it has a length, which only a distance and a spring have";
    if (!spring && (def->stiffness != 0 || def->damping != 0))
        return "it has a stiffness or damping, which only a spring has";
    if ((spring || def->kind == PINION_LOOP_ROLLING) &&
        (law->offset != 0 || law->rate != 0 || law->acceleration != 0 || law->amplitude != 0 ||
         law->frequency != 0 || law->phase != 0))
        return "it has a law of time; expected none";
    if (def->kind == PINION_LOOP_ROLLING) return NULL;
    return def->radius != 0 || def->disk ? "it has a radius or a shape, which only rolling has" : NULL;
}

/* What is wrong with the numbers of its own; NULL when nothing is. */
static const char *constraint_fault(const pinion_constraint_def *def)
{
    const double law[6] = {def->motion.offset,    def->motion.rate,      def->motion.acceleration,
                           def->motion.amplitude, def->motion.frequency, def->motion.phase};
    if (!pn_finite(law, 6)) return "its law of time has a number that is not finite";
    if (def->kind == PINION_LOOP_DISTANCE && !(isfinite(def->length) && def->length > 0)) {
        return "its length is not above 0; expected a length in m (coinciding points are a spherical joint)";
    }
    if (def->kind == PINION_LOOP_ROLLING && !(isfinite(def->radius) && def->radius > 0)) {
        return "its radius is not above 0; expected a radius in m";
    }
    if (!pn_finite(def->curve, 3)) return "its curve has a number that is not finite";
    if (def->kind == PINION_LOOP_GEAR && !(isfinite(def->ratio) && (def->ratio != 0 || has_curve(def)))) {
        return "its ratio is 0 or not finite; expected q_second = ratio q_first with a ratio other than 0";
    }
    if (def->kind == PINION_LOOP_SPRING) {
        const double numbers[3] = {def->length, def->stiffness, def->damping};
        for (int i = 0; i < 3; i++) {
            if (!(isfinite(numbers[i]) && numbers[i] >= 0))
                return "its length, stiffness or damping is below 0 or not finite; expected m, N/m, N s/m";
        }
    }
    return foreign_fault(def);
}

/* The links or the joints it ties. */
static pinion_status check_ends(const pinion_builder *b, const pinion_constraint_def *def, pinion_error *err)
{
    int links = ties_links(def);
    const char *one = links ? def->parent : def->first, *other = links ? def->child : def->second;
    const char *one_role = links ? "parent link" : def->kind == PINION_LOOP_GEAR ? "first joint" : "joint";
    pinion_status status = pn_check_reference(b, "loop", def->name, one_role, one, def->line, err);
    if (status || def->kind == PINION_LOOP_DRIVE) return status;
    status =
        pn_check_reference(b, "loop", def->name, links ? "child link" : "second joint", other, def->line, err);
    if (status || strcmp(one, other) != 0) return status;
    return pn_fail(b, err, PINION_ERR_MODEL, def->line,
                   "loop %s ties %s %s to itself; expected two different ones", pn_quote(def->name).text,
                   links ? "link" : "joint", pn_quote(one).text);
}

pinion_status pn_check_constraint(const pinion_builder *b, pinion_constraint_def *def, pinion_error *err)
{
    pinion_status status = pn_check_cookie(b, "constraint", def->cookie, PN_COOKIE_CONSTRAINT, err);
    if (status == PINION_OK) status = pn_check_name(b, "loop", def->name, def->line, err);
    if (status != PINION_OK) return status;
    if ((int)def->kind <= PINION_LOOP_JOINT || def->kind >= PINION_LOOP_KIND_COUNT) {
        return pn_fail(b, err, PINION_ERR_MODEL, def->line,
                       "loop %s is a constraint of kind %d; expected %d to %d (a joint is added as a loop)",
                       pn_quote(def->name).text, (int)def->kind, PINION_LOOP_JOINT + 1,
                       PINION_LOOP_KIND_COUNT - 1);
    }

    /* an empty name is none */
    const char **names[4] = {&def->parent, &def->child, &def->first, &def->second};
    for (int i = 0; i < 4; i++) {
        if (*names[i] && !**names[i]) *names[i] = NULL;
    }
    const char *fault = constraint_fault(def);
    if (fault) return fail_constraint(b, def, fault, err);
    status = check_ends(b, def, err);
    if (status == PINION_OK) {
        status =
            pn_check_pose(b, "loop", def->name, "its frame on the parent", &def->parent_pose, def->line, err);
    }
    if (status == PINION_OK) {
        status = pn_check_pose(b, "loop", def->name, "its frame on the child", &def->child_pose, def->line, err);
    }
    return status;
}

pinion_status pn_check_frame(const pinion_builder *b, pinion_frame_def *def, pinion_error *err)
{
    pinion_status status = pn_check_cookie(b, "frame", def->cookie, PN_COOKIE_FRAME, err);
    if (status == PINION_OK) status = pn_check_name(b, "frame", def->name, def->line, err);
    if (status == PINION_OK) status = pn_check_reference(b, "frame", def->name, "link", def->link, def->line, err);
    if (status == PINION_OK) status = pn_check_pose(b, "frame", def->name, "its pose", &def->pose, def->line, err);
    return status;
}

pinion_status pn_check_mesh(const pinion_builder *b, const char *what, const char *link, const char *mesh, int line,
                            pinion_error *err)
{
    if (!mesh || !*mesh)
        return pn_fail(b, err, PINION_ERR_MODEL, line, "%s of link %s is a mesh without a file; expected its name",
                       what, pn_quote(link).text);
    if (strlen(mesh) <= PN_MAX_MESH && pn_is_clean_text(mesh)) return PINION_OK;
    return pn_fail(b, err, PINION_ERR_MODEL, line,
                   "%s of link %s names mesh %s; expected at most %d bytes of UTF-8 without control characters", what,
                   pn_quote(link).text, pn_quote(mesh).text, PN_MAX_MESH);
}

pinion_status pn_check_visual(const pinion_builder *b, pinion_visual_def *def, pinion_error *err)
{
    pinion_status status = pn_check_cookie(b, "visual", def->cookie, PN_COOKIE_VISUAL, err);
    if (status != PINION_OK) return status;
    if (!def->link || !*def->link || strlen(def->link) > PN_MAX_NAME) {
        return pn_fail(b, err, PINION_ERR_MODEL, def->line,
                       "a visual is on link %s; expected the name of a link", pn_quote(def->link).text);
    }
    const char *link = def->link;
    if ((int)def->shape < 0 || def->shape > PINION_SHAPE_MESH) {
        return pn_fail(b, err, PINION_ERR_MODEL, def->line,
                       "a visual of link %s has shape %d, which is none; expected 0 to %d",
                       pn_quote(link).text, (int)def->shape, PINION_SHAPE_MESH);
    }
    status = pn_check_pose(b, "a visual of link", link, "its pose", &def->pose, def->line, err);
    if (status != PINION_OK) return status;

    /* numbers of the shape and its colour */
    if (!pn_finite(def->size, 3)) {
        return pn_fail(b, err, PINION_ERR_MODEL, def->line,
                       "a visual of link %s has a size that is not three finite numbers",
                       pn_quote(link).text);
    }
    for (int i = 0; i < 4; i++) {
        if (!(def->rgba[i] >= 0 && def->rgba[i] <= 1)) {
            return pn_fail(b, err, PINION_ERR_MODEL, def->line,
                           "a visual of link %s has a colour out of range; expected 0 to 1",
                           pn_quote(link).text);
        }
    }

    /* a mesh has a file, and nothing else has */
    if (def->shape != PINION_SHAPE_MESH) def->mesh = NULL;
    return def->shape == PINION_SHAPE_MESH ? pn_check_mesh(b, "a visual", link, def->mesh, def->line, err) : PINION_OK;
}

pinion_status pn_check_set(const pinion_builder *b, const char *what, const char *name, int count,
                           const char *const *joints, size_t stride, int line, pinion_error *err)
{
    pinion_status status = pn_check_name(b, what, name, line, err);
    if (status == PINION_OK && (count < 0 || (count > 0 && !joints)))
        return pn_fail(b, err, PINION_ERR_ARGUMENT, line, "%s %s has no joints; expected %d", what, pn_quote(name).text,
                       count);
    for (int i = 0; i < count && status == PINION_OK; i++) {
        const char *const *joint = (const char *const *)(const void *)((const char *)joints + (size_t)i * stride);
        status = pn_check_reference(b, what, name, "joint", *joint, line, err);
    }
    return status;
}
