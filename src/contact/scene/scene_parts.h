/* What a scene is inside. */
#ifndef PN_SCENE_PARTS_H
#define PN_SCENE_PARTS_H

#include "pinion/algorithms.h"
#include "pinion/scene.h"

#define PN_SCENE_GROUND (-1)

/* a collision, or the ground */
typedef struct pn_body_shape {
    int collision, link, body;
    pinion_pose pose; /* in the link's frame */
    pinion_solid solid;
    double margin;
    pinion_collision_info info;
} pn_body_shape;

/* two shapes that may touch */
typedef struct pn_shape_pair {
    int first, second;
    double friction, restitution, margin;
} pn_shape_pair;

/* A coordinate with limits, of a joint of the tree or of one that closes a loop: multiplier q + offset. */
typedef struct pn_scene_stop {
    int loop, q, v; /* q and v: of the tree, or of the loop joints */
    int planar;     /* the place in a planar joint, 1, 2 or 3; 0 elsewhere */
    double multiplier, offset, lower, upper;
} pn_scene_stop;

/* a free or planar joint, whose linear velocity is given in the frame that turns with it */
typedef struct pn_turning {
    int planar, q, v;
    int floats; /* a free joint on the base: all that hangs on it falls as one */
} pn_turning;

/* where a step begins, and the velocity that it would end with were there no contact */
typedef struct pn_scene_state {
    double h;
    const double *q, *v, *v_free;
} pn_scene_state;

/* What a solution is looked for with: restitution scaled, and whether penetrations are taken back. */
typedef struct pn_scene_wish {
    double h, slow, bounce, recover;
    int take;    /* nonzero: penetrations are taken back */
    double size; /* m/s, the largest sum of |J v| */
    int again;   /* nonzero: impulses of the step are there already, and these come after them */
} pn_scene_wish;

/* the part of a contact: what its gap and its speed ask for; no bounce; a bounce; none */
enum { PN_PART_OWN = 0, PN_PART_HOLDS, PN_PART_BOUNCES, PN_PART_NONE };

struct pinion_scene {
    const pinion_model *m;
    pinion_scene_options options;
    int shapes, pairs, left_out, most, count; /* most: contacts that there is room for */
    int loop_rows, loop_nq, loop_nv, stops;   /* of joints and loops */
    int blocks, rows;                         /* of the problem: contacts first, then one row a block */
    double time, last;                        /* s, of the laws of time of loops; of the step that impulses are of */
    int nv, frames;
    pn_body_shape *shape;
    pn_shape_pair *pair;
    int *pair_of; /* [shapes][shapes] number of the pair, -1: none */
    pinion_scene_contact *contact;
    int *body_of;         /* [most][2] shapes of the contacts */
    double *point;        /* [most][3] where they act */
    double *terms;        /* [most] the largest sum of |terms| that a number of a normal row is the sum of */
    int *order;           /* [shapes] of the sweep */
    int *found, founds;   /* [pairs] whose boxes overlap */
    double *low, *high;   /* [shapes][3] */
    double *position, *rotation; /* of the frames, links first */
    double *J, *W;        /* [rows][nv], and D^-1/2 L^-T times them */
    pn_scene_stop *stop;
    unsigned char *law, *held; /* [blocks]; held: a joint at rest, by more than its friction */
    unsigned char *part;       /* [blocks] of contacts in a chain of impacts */
    double *gap, *sum, *chained; /* [rows], [rows], [nv] of it: gaps, impulses so far, velocities */
    double *rubs;         /* [nv + loop_nv][2] dry friction forwards and backwards */
    double *off;          /* [rows] gap, how far a loop is open, impulse of a friction that acts either way */
    double *phi;          /* [2][loop_rows] how far loops are open, and how fast laws of time open them */
    double *position_of, *unit; /* [loop_nq] of loop joints, [loop_nv] zeros */
    double *effect;       /* [rows] G lambda */
    double *soft;         /* [rows] compliance of a problem that is not solved without */
    const double *more;   /* [nv][nv] added to M: dampers that a step takes at its end; NULL: none */
    int *tree, *chain;    /* [nv] the coordinate before each on the way to the root, -1: none; all in one chain */
    const int *above;     /* that of the two which the factors go by */
    double *F, *pivot;    /* [nv][nv] factors of M; [nv] 1 / sqrt(D) */
    unsigned char *mark;  /* [nv] */
    int *run, *runs;      /* [blocks + 1][nv + 1] coordinates of blocks from one to before another; how many of these */
    double *frame;        /* [6][nv] Jacobian of a body */
    double *G, *g, *R, *mu, *lambda, *u; /* the problem */
    double *start, *free;            /* velocities of its rows at the beginning, and without contact */
    double *next, *moved; /* [nv], [nq] of a step */
    double *along;        /* [nq] likewise, had nothing been taken back */
    double *at_q, *at_v;  /* [nq], [nv] where a part of a step begins */
    double *outer, *before; /* [nv] accelerations by forces from outside; J' lambda of the parts before */
    double step;          /* s, of the whole step, by which impacts are slow or not */
    int whole, gliding;   /* nonzero: steps have no parts; this part ends where an impact comes */
    pinion_scene_contact *past; /* [most] impulses of the parts before, as forces over the whole step */
    int pasts;
    double *start_a;      /* [nv] accelerations at its start, in rollouts */
    double *middle;       /* [nv] velocities in the middle of a step without contact, */
    double *swing, *swing_start; /* [nv] and accelerations that velocities alone give there and at its start */
    double *push, *kept;  /* [nv] what places move on with besides; [rows] impulses that give it */
    double *rest;         /* [nv] those without any velocities */
    pn_turning *turning;
    int turnings;
    double *reach;        /* [shapes] m, how far a point of it may go in a step */
    size_t failed;        /* the first state of a rollout that did, */
    pinion_status failed_status; /* and why */
    pinion_contact_work *work;
    char message[256];
};

/* scene_matrix.c: the tree of the coordinates; factors of M(q); x = M^-1 x and y = M x by them; G of the rows */
void pn_scene_list_tree(pinion_scene *s);
pinion_status pn_scene_factorize(pinion_scene *s, pinion_work *w, const double *q);
void pn_scene_solve(const pinion_scene *s, double *x);
void pn_scene_multiply(const pinion_scene *s, const double *x, double *y);
void pn_scene_matrix(pinion_scene *s);

/* puts a shape to where its link is */
void pn_scene_place_shape(pn_body_shape *shape, const double position[3], const double rotation[9]);
/* The points of contact at q, for a step of length h with about the velocities v, which may be NULL: points that are
 * farther off than the margin, but could close within the step, are found, too. */
pinion_status pn_scene_find_within(pinion_scene *s, pinion_work *w, double h, const double *q, const double *v);
/* the velocity without contact of a step with the accelerations a, into s->next; contacts are found */
pinion_status pn_scene_move_freely(pinion_scene *s, pinion_work *w, double h, const double *q, const double *v,
                                   const double *a);
/* The configuration after a step with the velocities s->next, into s->moved; velocities are turned to there. What no
 * impulse acts on falls along a parabola. */
pinion_status pn_scene_move_on(pinion_scene *s, double h, const double *q);
/* scene_split.c: a step that is parted where bodies meet that bounce. When the first of them do, along the free motion
 * in s->next, INFINITY: not in this step; whether a contact is one of these with the velocities v, its rows known, and
 * how fast its gap changes; and the step. */
pinion_status pn_scene_meet(pinion_scene *s, pinion_work *w, double h, const double *q, const double *v, double *time);
int pn_scene_meets(const pinion_scene *s, int i, const double *v, double *speed);
pinion_status pn_scene_step_in_parts(pinion_scene *s, pinion_work *w, double h, const double *q, const double *v,
                                     const double *a, pinion_scene_report *report);
/* a part of a step, contacts found and the free motion in s->next; to s->moved and s->next */
pinion_status pn_scene_step_part(pinion_scene *s, pinion_work *w, double h, const double *q, const double *v,
                                 pinion_scene_report *report);
/* the impulses as forces over h */
void pn_scene_give_forces(pinion_scene *s, double h);
/* the speed that gravity gives in some steps: what comes slower does not bounce */
double pn_scene_slow(const pinion_scene *s);
/* rows at q, factors of M and G; velocities of the rows */
pinion_status pn_scene_set_up(pinion_scene *s, pinion_work *w, double h, const double *q, const double *v,
                              const double *v_next, pinion_scene_report *r);
/* pinion_scene_impulse, contacts found; in a step velocities that take penetrations back go to s->push instead */
pinion_status pn_scene_impulse(pinion_scene *s, pinion_work *w, double h, const double *q, const double *v, int step,
                               double *v_next, pinion_scene_report *report);
/* Solves the problem; what the impulses add to the kinetic energy is returned. Contacts have their `part` in it. */
double pn_scene_solve_for(pinion_scene *s, const pn_scene_wish *by, pinion_scene_report *r);
/* Restitution with friction can make energy out of nothing: where the gain is more than `most` it is made less. */
double pn_scene_bound(pinion_scene *s, pn_scene_wish *by, double gain, double most, pinion_scene_report *r);
/* a stop or a contact that is not rigid */
int pn_scene_is_spring(const pinion_scene *s, int i);
/* What impulses may add to the kinetic energy: what the step without contact took from it, and rounding. */
double pn_scene_energy_lost(pinion_scene *s, const double *v, const double *v_free);
/* the change of v that impulses give */
void pn_scene_change(const pinion_scene *s, const double *lambda, double *out);
/* Impacts one after the other in a step, where one brings about another (scene_chain.c). Before the problem is solved:
 * contacts that only impacts make close take no part, but wait; returns 0 where there are none. After it, where there
 * were: those that do close are impacts of their own. s->lambda has the impulses of all of them then, and s->start is
 * that of the end; returns 0 where no contact did. */
int pn_scene_wait(pinion_scene *s, const pn_scene_wish *by);
int pn_scene_chain(pinion_scene *s, pn_scene_wish by, const double *v_free, pinion_scene_report *r);
/* the rows of all contacts at q, into s->J */
pinion_status pn_scene_rows(pinion_scene *s, pinion_work *w, const double *q);
/* Drops the contacts whose normal rows are zero but for rounding, as those through the axis of the hinge between two
 * bodies are: nothing can part them. Returns how many of them touch. */
int pn_scene_drop(pinion_scene *s);
/* Counts s->stops and, where there is room, lists stops and friction of the joints. */
void pn_scene_list_joints(pinion_scene *s);
/* The blocks of the problem: the contacts, whose rows are there, and those of loops, stops and friction. */
pinion_status pn_scene_join(pinion_scene *s, pinion_work *w, const pn_scene_state *at);
/* Compliance, once G is there: a little for the rows of loops, which may depend on each other only where the loops are
 * closed, and others may be zero but for rounding; and that of stops that are not rigid. */
pinion_status pn_scene_soften(pinion_scene *s, pinion_work *w, double h, const double *q);
/* Whether any row has a compliance; whether stops are not rigid. */
int pn_scene_is_soft(const pinion_scene *s);
int pn_scene_soft_stops(const pinion_scene *s);
/* With `holds`, before the problem is solved: joints at rest are held by more than their friction. Else, after it:
 * those that move all the same are not; returns nonzero where there are some. */
int pn_scene_hold(pinion_scene *s, int holds);
/* two unit vectors across a third */
void pn_scene_tangents(const double normal[3], double x[3], double y[3]);
pinion_status pn_scene_fail(pinion_scene *s, pinion_status status, const char *words);

#endif
