/* The seam between the C API and the kernels. A kernel takes a context (one model, one workspace) and the
 * arrays of one call; every instantiation exports one table of them. No pack type crosses this seam: arrays
 * are void here and arrays of that instantiation's `real` inside. */
#ifndef PN_KERNEL_H
#define PN_KERNEL_H

#include <stddef.h>
#include "model/tree.h"

/* The kernels of the table of calls are in calls.inc, the algorithms in algorithms.inc. These are the others: what no
 * state alone decides, and what has too much in it for a row. The enumeration and the tables come from these lists. */
#define PN_KERNEL_LIST(X)                                                                                    \
    X(followers_fd) /* q, v, tau, f_ext -> a, margin: forward dynamics of models with followers */           \
    X(terms)        /* q, v -> M, bias, gravity, position, rotation, Jacobians */                            \
    X(tree_solve)   /* q, tau or a; frame_count, paths -> z, margin, M^-1 tau: tree_solve.inc */             \
    X(loops)        /* q, v; g -> phi, L, rate, c: loop_constraints.inc */                                   \
    X(loop_motion)  /* q, v -> coordinates and velocities of the loop joints */                              \
    X(loop_active)  /* q, v, tau: of the loop joints; option: passive -> tau_a, potential, forces */         \
    X(loop_reactions) /* q, a: lambda, tau: of the loop joints -> f_ext, forces at the joints, wrenches */   \
    X(inverse_dynamics_jvp) /* q, v, a, f_ext; g: dq, dv, da -> dtau: jvp.inc */                             \
    X(forward_dynamics_jvp) /* q, v, tau, f_ext; g: dq, dv, dtau -> da, margin */                            \
    X(integrate)    /* q, v; dt -> q */                                                                      \
    X(difference)   /* q, a: the other q -> v */                                                             \
    /* q, v, tau, f_ext; a, frame, frame_count, option as for `constrained`; in the room of fd_idsva and     \
       PN_CONSTRAINED_ROOM -> a by q, margin and that of the constraints, a by v, a by tau, lambda by these: \
       fd_constrained.inc, which only scalars have that are complete or the widest */                        \
    X(d_constrained)                                                                                         \
    /* q, v, tau, f_ext, a: target q; g: target v, [3][nv] kp, kd, limits over num; dt, option: PN_STEP_*    \
       -> q, v, margin, 0 or what is wrong, PN_STEP_SCRATCH reals: step.inc */                               \
    X(step)                                                                                                  \
    X(normalize)    /* q -> q */

/* Those that only calls by an algorithm's name and the research headers need: not in every instantiation. */
#define PN_RESEARCH_KERNEL_LIST(X)                                                                           \
    /* q, v, tau, f_ext, a: [frame_count][6] A, then [frame_count] b; frame, option: spatial                 \
       -> a, margin, lambda, margin of the constraints; in the room of vereshchagin */                       \
    X(constrained)                                                                                           \
    X(global)       /* q, v, tau, f_ext; g, alpha -> entries, right-hand side, joints: global_entries.inc */ \
    /* q, v, a, tau: of the loop joints; g: lambda, alpha, option: passive                                   \
       -> forces on the tree by q and v, taken away; L a - c by q and v: d_loops.inc */                      \
    X(d_loops)                                                                                               \
    X(dca_step)     /* forward dynamics in parts: dca.h */                                                   \
    X(dca_join)     /* one assembly of it */

/* Kernels are numbered PN_K_name: those of the calls, of the lists, then the algorithms in their order. */
enum {
#define PN_CALL(function, what, kernel, ...) PN_K_##kernel,
#define PN_CALL_BY(...)
#define PN_CALL_LIKE(...)
#include "kernel/calls.inc"
#define PN_KERNEL_ENUM(name) PN_K_##name,
    PN_KERNEL_LIST(PN_KERNEL_ENUM)
    PN_RESEARCH_KERNEL_LIST(PN_KERNEL_ENUM)
#undef PN_KERNEL_ENUM
    PN_FIRST_ALGORITHM,
    PN_BEFORE_ALGORITHMS_ = PN_FIRST_ALGORITHM - 1,
#define PN_ALGORITHM(function, ...) PN_K_##function,
#include "kernel/algorithms.inc"
#undef PN_ALGORITHM
    PN_KERNEL_COUNT
};

/* The problems that algorithms solve, with the arrays they read and write. */
enum {
    PN_PROBLEM_inverse_dynamics = 0, /* q, v, a, f_ext -> tau */
    PN_PROBLEM_mass_matrix,          /* q -> M */
    PN_PROBLEM_mass_matrix_inverse,  /* q -> M^-1, margin */
    PN_PROBLEM_coriolis,             /* q, v -> C */
    PN_PROBLEM_forward_dynamics,     /* q, v, tau, f_ext -> a, margin; with PN_TAKES_LOOPS also g, alpha, proximal ->
                                        lambda of the rows (may be NULL) in the third place, |L a - c| in the fourth */
    PN_PROBLEM_operational_space,    /* q, v; frame, reference -> J M^-1 J', margin, J M^-1 (h - g) - Jdot v,
                                        J M^-1 g, M^-1 J' */
    PN_PROBLEM_factorization,        /* q, tau, a -> factors of M, margin, M^-1 tau, M a, M; without q the first
                                        and the last are given */
    PN_PROBLEM_d_inverse_dynamics,   /* q, v, a, f_ext -> derivatives of tau by q, v, a; NULL: not wanted */
    PN_PROBLEM_d_forward_dynamics,   /* q, v, tau, f_ext -> those of a by q, margin, by v, by tau */
    PN_PROBLEM_COUNT
};

/* What an algorithm may not be able to do, and one thing that it can. */
enum {
    PN_LIMIT_NONE = 0,
    PN_LIMIT_SERIAL = 1,       /* needs a serial chain: no branches, one joint on the base */
    PN_LIMIT_NO_FOLLOWERS = 2, /* needs a model without joints that follow others */
    PN_TAKES_LOOPS = 4,        /* forward dynamics: solves closed loops too */
    PN_LIMIT_COUPLINGS = 8,    /* needs loops that do not overlap much: n->couplings is not -1 */
    PN_LIMIT_LEGS = 16,        /* needs loops between the base and bodies that are not on its own joints */
    PN_LIMIT_NO_MASSLESS = 32, /* needs bodies whose inertias have an inverse, each by itself */
    PN_TAKES_ADDED = 64,       /* takes bodies with added mass, whose inertias are no rigid body's */
    PN_TAKES_ELASTIC = 128,    /* takes elastic links */
};

/* What a step's option is made of, and the scratch memory it writes to. */
enum {
    PN_STEP_RK4 = 1,    /* Runge-Kutta, else semi-implicit Euler */
    PN_STEP_PASSIVE = 2 /* dampers, springs and friction act */
};
#define PN_STEP_SCRATCH(nq, nv) ((nq) + 8 * (nv))
/* reals that idsva takes of its room; fd_idsva, too, and others behind them: L, rows of columns and more */
#define PN_IDSVA_ROOM(nv) (121 * ((nv) + 7) + 16)
#define PN_FD_IDSVA_ROOM(nv) (PN_IDSVA_ROOM(nv) + (nv) * (nv) + 207 * (nv) + 400)
/* reals that d_constrained takes behind the room of fd_idsva */
#define PN_CONSTRAINED_ROOM(nv) (26 * (nv) + 1152)

/* what a scalar says of its processor: how many registers there are, how to read a number for several products, and how
 * to make a compiler forget where a pointer came from */
#ifndef PN_REGISTERS
#define PN_REGISTERS 32
#endif
#ifndef real_once
#define real_once(x) (*(x))
#endif
#ifndef PN_FORGET
#define PN_FORGET(p) ((void)0)
#endif
/* the states of a real */
#ifndef PN_STATES
#define PN_STATES 1
#endif
/* whether a kernel goes the way that is shorter where a register holds one number of several states; a test asks for it
 * in scalars, to compare bits */
#ifndef PN_AS_PACKS
#define PN_AS_PACKS (PN_WIDE == 1)
#endif

/* what must hold when this is compiled, in C and in C++ */
#ifdef __cplusplus
#define PN_ASSERT static_assert
#else
#define PN_ASSERT _Static_assert
#endif

/* before a function that few models need, so that it stays out of what is PN_HOT */
#if defined(__clang__)
#define PN_COLD __attribute__((noinline, unused))
#elif defined(__GNUC__)
#define PN_COLD __attribute__((noinline, noclone, unused))
#else
#define PN_COLD
#endif
/* before a pass that several functions share: where size counts more than a call, it is there once */
#ifdef PN_SMALL_CODE
#define PN_ONCE PN_COLD
#else
#define PN_ONCE
#endif

typedef struct pn_ctx {
    const pn_counts *n;
    const pn_node *node;
    const int *frame_node;
    const int *body_node;
    const pn_map *map_q, *map_v; /* NULL without followers */
    const pn_loop *loop;         /* [n->loops] */
    const int *coupled;          /* [n->nodes + 1] where each body's couplings begin, then [n->couplings] the others */
    const void *constants;       /* constants.inc over this instantiation's num */
    const pn_layout *layout;     /* where the parts of the workspace begin */
    const pn_elastic *elastic;   /* [n->elastic] */
    void *work;                  /* layout->room reals, for algorithms their room more; aligned */
    const void *opened;          /* what a back end's `open` made of it; NULL: each kernel does that by itself */
} pn_ctx;

typedef struct pn_io {
    const void *q, *v, *a, *tau, *f_ext; /* NULL: absent, zero */
    void *out[6];                        /* NULL: not wanted */
    int frame, reference, option;
    int sparse; /* nonzero: zeros of the tree's structure are in the results already, and may be left alone */
    const int *frames; /* terms: the frames of the Jacobians */
    int frame_count;   /* how many there are; constrained: how many constraints; tree_solve: vectors */
    const int *paths;  /* tree_solve: where the vectors are not zero; NULL: anywhere */
    double dt;
    const void *g[3]; /* loops: laws of time and their two derivatives, [rows]; jvp: a direction; d_loops: lambda;
                         NULL: zero */
    double alpha;     /* loops: L a = c - 2 alpha rate - alpha^2 phi */
    double proximal;  /* loops: of loop-proximal; 0: found from the masses */
} pn_io;

/* an option of the mass matrix: zeros below its diagonal */
enum { PN_UPPER = 512 };

typedef void pn_kernel(const pn_ctx *ctx, const pn_io *io);

/* what there is in 64 bytes of numbers: zeros that are there already are not written */
enum { PN_LINE_ZEROS = 0, PN_LINE_SOMETHING, PN_LINE_THERE };

/* room for what kernels begin with, in pointers */
#define PN_OPENED 40

/* One instantiation: how many states a `real` holds, its lane's size in bytes, the kernels. */
typedef struct pn_backend {
    const char *isa;
    int lanes;
    size_t lane_bytes;
    pn_kernel *kernel[PN_KERNEL_COUNT]; /* NULL: this instantiation is not complete */
    /* a context for many calls: what kernels begin with, PN_OPENED pointers */
    void (*open)(const pn_ctx *k, void **opened);
    /* `width` numbers of `valid` states, 1 or more, into that many reals and back: lanes.inc */
    void (*gather)(const void *x, ptrdiff_t state, ptrdiff_t item, size_t width, size_t valid, void *lanes);
    /* back: what each 64 bytes of a state's numbers have, from the first number on, PN_LINE_*; NULL: something */
    void (*scatter)(const void *lanes, size_t width, size_t valid, void *x, ptrdiff_t state, ptrdiff_t item,
                    const unsigned char *lines);
} pn_backend;

#endif
