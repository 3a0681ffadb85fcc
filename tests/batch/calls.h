/* Every function of a batch, and the single call it stands for, in both precisions. */
#ifndef PN_BATCH_CALLS_H
#define PN_BATCH_CALLS_H

#include "identity/identity.h"
#include "batch/batch_internal.h"
#include "api/dispatch.h"

#define OUTPUTS 6
#define ROOM 8
#define UNTOUCHED 12345.0f
#define JACOBIANS 6 /* of terms: more than fit into a batch's buffer at once */

/* numbers a state has in an output */
typedef enum shape {
    W_NONE = 0,
    W_ONE,
    W_POSITION,
    W_ROTATION,
    W_SPATIAL,
    W_Q,
    W_V,
    W_MATRIX,
    W_JACOBIAN,
    W_JACOBIANS,
    W_POSITIONS,
    W_ROTATIONS
} shape;

enum {
    C_ID,
    C_ID_FORCES,
    C_ID_REST,
    C_ID_STEADY,
    C_BIAS,
    C_GRAVITY,
    C_MASS,
    C_FD,
    C_FD_FORCES,
    C_FD_FALL,
    C_FD_JVP,
    C_PASSIVE,
    C_PASSIVE_REST,
    C_ENERGY,
    C_ENERGY_SPRINGS,
    C_ENERGY_REST,
    C_KINETIC,
    C_CENTER,
    C_CENTER_REST,
    C_MOMENTUM,
    C_FRAMES,
    C_POSITIONS,
    C_ROTATIONS,
    C_POSE,
    C_TERMS,
    C_TERMS_PART,
    C_INTEGRATE,
    C_DIFFERENCE,
    C_NORMALIZE,
    C_ID_JVP,
    C_D_INTEGRATE,
    C_D_DIFFERENCE,
    C_JACOBIAN, /* three in a row are one for each pinion_reference */
    C_VELOCITY = C_JACOBIAN + 3,
    C_CLASSICAL = C_VELOCITY + 3,
    C_SPATIAL = C_CLASSICAL + 3,
    C_DOT = C_SPATIAL + 3,
    CALL_COUNT = C_DOT + 3
};

typedef struct call_info {
    const char *name;
    shape out[OUTPUTS];
} call_info;

static const call_info calls[CALL_COUNT] = {
    [C_ID] = {"inverse_dynamics", {W_V}},
    [C_ID_FORCES] = {"inverse_dynamics with forces", {W_V}},
    [C_ID_REST] = {"inverse_dynamics without v", {W_V}},
    [C_ID_STEADY] = {"inverse_dynamics without a", {W_V}},
    [C_BIAS] = {"bias", {W_V}},
    [C_GRAVITY] = {"gravity", {W_V}},
    [C_MASS] = {"mass_matrix", {W_MATRIX}},
    [C_FD] = {"forward_dynamics", {W_V}},
    [C_FD_FORCES] = {"forward_dynamics with forces", {W_V}},
    [C_FD_FALL] = {"forward_dynamics without v and tau", {W_V}},
    [C_FD_JVP] = {"forward_dynamics_jvp", {W_V}},
    [C_PASSIVE] = {"passive_forces", {W_V}},
    [C_PASSIVE_REST] = {"passive_forces without v", {W_V}},
    [C_ENERGY] = {"energy", {W_ONE, W_ONE}},
    [C_ENERGY_SPRINGS] = {"energy with springs", {W_ONE, W_ONE}},
    [C_ENERGY_REST] = {"potential energy", {W_NONE, W_ONE}},
    [C_KINETIC] = {"kinetic energy", {W_ONE}},
    [C_CENTER] = {"center_of_mass", {W_POSITION, W_POSITION}},
    [C_CENTER_REST] = {"center_of_mass without v", {W_POSITION}},
    [C_MOMENTUM] = {"momentum", {W_SPATIAL}},
    [C_FRAMES] = {"frames", {W_POSITIONS, W_ROTATIONS}},
    [C_POSITIONS] = {"positions", {W_POSITIONS}},
    [C_ROTATIONS] = {"rotations", {W_NONE, W_ROTATIONS}},
    [C_POSE] = {"frame_pose", {W_POSITION, W_ROTATION}},
    [C_TERMS] = {"dynamics_terms", {W_MATRIX, W_V, W_V, W_POSITIONS, W_ROTATIONS, W_JACOBIANS}},
    [C_TERMS_PART] = {"dynamics_terms in part", {W_NONE, W_V, W_NONE, W_NONE, W_ROTATIONS, W_NONE}},
    [C_INTEGRATE] = {"integrate", {W_Q}},
    [C_DIFFERENCE] = {"difference", {W_V}},
    [C_NORMALIZE] = {"normalize", {W_Q}},
    [C_ID_JVP] = {"inverse_dynamics_jvp", {W_V}},
    [C_D_INTEGRATE] = {"d_integrate", {W_MATRIX, W_MATRIX}},
    [C_D_DIFFERENCE] = {"d_difference", {W_MATRIX, W_MATRIX}},
    [C_JACOBIAN] = {"jacobian aligned", {W_JACOBIAN}},
    [C_JACOBIAN + 1] = {"jacobian local", {W_JACOBIAN}},
    [C_JACOBIAN + 2] = {"jacobian world", {W_JACOBIAN}},
    [C_VELOCITY] = {"velocity aligned", {W_SPATIAL}},
    [C_VELOCITY + 1] = {"velocity local", {W_SPATIAL}},
    [C_VELOCITY + 2] = {"velocity world", {W_SPATIAL}},
    [C_CLASSICAL] = {"classical aligned", {W_SPATIAL}},
    [C_CLASSICAL + 1] = {"classical local", {W_SPATIAL}},
    [C_CLASSICAL + 2] = {"classical world", {W_SPATIAL}},
    [C_SPATIAL] = {"spatial aligned", {W_SPATIAL}},
    [C_SPATIAL + 1] = {"spatial local", {W_SPATIAL}},
    [C_SPATIAL + 2] = {"spatial world", {W_SPATIAL}},
    [C_DOT] = {"jacobian_dot_v aligned", {W_SPATIAL}},
    [C_DOT + 1] = {"jacobian_dot_v local", {W_SPATIAL}},
    [C_DOT + 2] = {"jacobian_dot_v world", {W_SPATIAL}},
};

/* numbers a state of a call's output */
static inline size_t width_of(const subject *s, int call, int output)
{
    const size_t nv = (size_t)s->nv, frames = (size_t)s->frames;
    switch (calls[call].out[output]) {
    case W_NONE: break;
    case W_ONE: return 1;
    case W_POSITION: return 3;
    case W_ROTATION: return 9;
    case W_SPATIAL: return 6;
    case W_Q: return (size_t)s->nq;
    case W_V: return nv;
    case W_MATRIX: return nv * nv;
    case W_JACOBIAN: return 6 * nv;
    case W_JACOBIANS: return JACOBIANS * 6 * nv;
    case W_POSITIONS: return 3 * frames;
    case W_ROTATIONS: return 9 * frames;
    }
    return 0;
}

/* the frames of terms' Jacobians */
static inline void jacobian_frames(const subject *s, int frame[JACOBIANS])
{
    for (int i = 0; i < JACOBIANS; i++) frame[i] = (s->frames - 1 + 5 * i) % s->frames;
}

/* the least scale that errors are measured against: forces of some ten Newton and energies of some ten Joule
 * cancel */
static inline double scale_of(const subject *s, int call)
{
    const double mass = fmax(1, pinion_model_mass(s->m));
    const int force = call <= C_GRAVITY || call == C_TERMS || call == C_TERMS_PART || call == C_ID_JVP;
    return force || (call >= C_ENERGY && call <= C_ENERGY_REST) ? 10 * mass : call == C_MOMENTUM ? mass : 1;
}

/* Packs and single calls may fuse multiplications and additions at other places, so they differ by rounding:
 * thousands of eps of the scale for 30 joints, and more where forward dynamics divides by a mass matrix of condition
 * 1e3 to 1e6. */
static inline double tolerance_of(int call, size_t lane_bytes)
{
    const int forward = call >= C_FD && call <= C_FD_JVP;
    if (lane_bytes == sizeof(double)) return forward ? 1e-9 : 1e-12;
    return forward ? 5e-2 : call == C_DIFFERENCE ? 1e-4 : 2e-5;
}

#define PN_IN_BOTH "batch/calls.inc"
#include "both.h"

/* ---- models ---- */

/* a random tree as a subject with a state; 0 when it cannot be made */
static inline int tree_subject(subject *s, int joints, int free_root, uint64_t seed)
{
    char name[96];
    pinion_error err = {0};
    snprintf(name, sizeof name, "pinion_random_tree(%d, %d, %llu)", joints, free_root, (unsigned long long)seed);
    pinion_model *m = pinion_random_tree(joints, free_root, seed, &err);
    if (!m) CHECK_FAIL("%s: %s", name, err.message);
    if (!m) return 0;
    subject_init(s, m, name, seed);
    new_state(s);
    return 1;
}

/* random trees of some sizes, from the one given on: each goes through many states and calls */
static inline void for_some_trees(int most, subject_check check)
{
    static const int sizes[] = {1, 2, 3, 5, 9, 14, 30};
    for (size_t i = 0; i < 2 * sizeof sizes / sizeof *sizes; i++) {
        subject s;
        if (sizes[i / 2] > most || (int)i % check_every(5) != 0 ||
            !tree_subject(&s, sizes[i / 2], (int)(i % 2), check_seed + 11 * i)) continue;
        check(&s);
        subject_free(&s);
    }
}

/* where the quaternion of some joint is in q, -1: there is none */
static inline int some_quaternion(const subject *s)
{
    int at = -1;
    for (int i = 0; i < pinion_model_joint_count(s->m); i++) {
        pinion_joint_info joint;
        FINE(s, pinion_model_joint(s->m, i, &joint));
        if ((joint.type == PINION_JOINT_SPHERICAL || joint.type == PINION_JOINT_FREE) && joint.nq > 0)
            at = joint.q_index;
    }
    return at;
}

#endif
