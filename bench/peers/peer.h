/// What the programs in this folder share: the robot, its states, the reference results, and the conversation
/// with tools/bench-peers. Each program fills a table of variants and calls peer_serve. It measures one robot
/// and ends, and the system takes its memory back.
///
/// The robot is a tree of moving bodies; fixed joints are merged away. A body's frame is its joint's frame,
/// so that
///     X_parent_body = (rotation, position) * J(q)
/// with J(q) a turn about or a shift along one axis of that frame, or a free motion. States are in Pinion's
/// order: a free body comes first, its q is the quaternion (w, x, y, z) and the position, its v is [angular;
/// linear] in the body's frame, and its a is the derivative of these numbers.
#ifndef PINION_PEER_H
#define PINION_PEER_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum peer_type { PEER_FREE, PEER_REVOLUTE, PEER_CONTINUOUS, PEER_PRISMATIC };

typedef struct peer_body {
    char name[128]; ///< of the joint
    int parent;     ///< -1: the world
    enum peer_type type;
    int axis;           ///< 0, 1, 2: x, y, z of the body's frame
    double rotation[9]; ///< of the joint in the parent's frame, row-major
    double position[3];
    double mass, com[3];
    double inertia[6]; ///< about the centre of mass: xx, xy, xz, yy, yz, zz
    int q, v;          ///< where its coordinates begin
} peer_body;

enum peer_work {
    PEER_INVERSE_DYNAMICS, ///< tau(q, v, a): nv numbers
    PEER_MASS_MATRIX,      ///< nv x nv, row-major, both triangles
    PEER_FORWARD_DYNAMICS, ///< a(q, v, tau): nv numbers
    PEER_KINEMATICS,       ///< of every body the position (3) and the rotation (9) in the world
    PEER_D_INVERSE_DYNAMICS, ///< of tau by q, by v and by a, which is M: three times nv x nv, row-major
    PEER_D_FORWARD_DYNAMICS, ///< of a by q, by v and by tau, likewise; derivatives by q along Pinion's velocities
    PEER_REGRESSOR, ///< nv x 10 bodies; of a body m, m c, then xx, xy, xz, yy, yz, zz about its frame's origin
    PEER_D_CONSTRAINED, ///< as D_FORWARD, while the tool frame's origin does not accelerate along its own three axes
    PEER_JACOBIAN, ///< of the tool frame: 6 x nv, angular rows first, world axes, at the frame's origin
    PEER_WORKS
};

typedef struct peer_robot {
    double gravity[3];
    int bodies, nq, nv;
    peer_body *body;
    int tool; ///< the body that carries the tool frame
    double tool_rotation[9], tool_position[3];

    int states;                 ///< how many there are
    double *q, *v, *a, *tau;    ///< [states][nq or nv]
    int checked;                ///< the first states have reference results
    double *result[PEER_WORKS]; ///< [checked][size of the work]
} peer_robot;

typedef struct peer_variant peer_variant;

/// One way to do one work. What `run` computes for the states [first, first + count) must stay in memory that
/// `result` can read; `result` gives the last one of them in Pinion's coordinates.
struct peer_variant {
    enum peer_work work;
    const char *mode;   ///< "call", "batch"; of ours "batch-packs", "generated", "generated-batch", "generated-packs"
    const char *scalar; ///< "f64" or "f32"
    int threads;
    const char *name; ///< the function that is called
    void (*run)(void *self, const peer_variant *variant, int first, int count);
    void (*result)(void *self, const peer_variant *variant, int state, double *out);
    int batch; ///< states of one run; 0 for calls: peer_serve chooses how often it looks at the clock
    int local; ///< nonzero: a Jacobian along the tool's own axes, which peer_serve turns before it compares
};

/// Reads the files that describe.c wrote, named on the command line, or ends the program with a message.
peer_robot *peer_read(int argc, char **argv);

/// Whether the joints can keep the tool frame from accelerating in all states that are checked; where not, results are
/// 0.
int peer_holds_tool(const peer_robot *r);

/// How many numbers a work gives.
size_t peer_size(const peer_robot *r, enum peer_work work);
/// How many states of a batch read and write about half a megabyte a thread: from 64 to all of them.
int peer_batch(const peer_robot *r, enum peer_work work, size_t scalar, int threads);

/// For libraries in which a free body's velocity is [linear in the world; angular in the body]: converts a
/// state's v, a and tau to that, and a result back to Pinion's coordinates. Derivatives of forward dynamics come as the
/// library has them, by its own tangent: [position in the world; angle in the body].
void peer_to_world_first(const peer_robot *r, int state, double *v, double *a, double *tau);
void peer_from_world_first(const peer_robot *r, int state, enum peer_work work, double *out);
/// The rotation matrix of the quaternion (w, x, y, z), row-major.
void peer_rotation(const double quaternion[4], double rotation[9]);

/// Says that the library does not have this work, or not for this robot, or in one of its modes; the reason's first
/// line counts. Before peer_serve.
void peer_absent(enum peer_work work, const char *why);
/// Ends the program: the library cannot take this robot.
void peer_fail(const char *why);

/// Answers the tool's requests until its input ends. Returns the program's exit status.
int peer_serve(peer_robot *r, const char *library, const char *version, const peer_variant *variant,
               int variants, void *self);

/// The compiler must assume that memory behind this pointer is read and written: results are not optimized
/// away.
static inline void peer_escape(const void *p)
{
    __asm__ volatile("" : : "r"(p) : "memory");
}

#ifdef __cplusplus
}
#endif

#endif
