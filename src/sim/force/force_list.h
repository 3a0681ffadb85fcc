/* Force elements: what the list, the elements and their reader share. */
#ifndef PN_SIM_FORCE_LIST_H
#define PN_SIM_FORCE_LIST_H

#include "base/vec3.h"
#include "io/model_io.h"
#include "pinion/sim/forces.h"

typedef enum pn_element_kind {
    PN_ELEMENT_SPRING = 0,
    PN_ELEMENT_WRENCH,
    PN_ELEMENT_DRAG,
    PN_ELEMENT_GROUND,
    PN_ELEMENT_ATTRACTION,
    PN_ELEMENT_FUNCTION,
    PN_ELEMENT_KINDS
} pn_element_kind;

/* One element. The pointers of its def lead into `owned` or are NULL. */
typedef struct pn_element {
    pn_element_kind kind;
    char *name;
    void *owned;
    union {
        pinion_spring_def spring;
        pinion_wrench_def wrench;
        struct {
            pinion_drag_def drag; /* its centre of buoyancy is set */
            int link;             /* whose added mass goes with the medium; -1: none */
        };
        pinion_ground_def ground; /* its normal has unit length */
        pinion_attraction_def attraction;
        struct {
            pinion_force_fn call;
            void *user;
            double *f_ext, *rest; /* owned: [bodies][6], what it said; [nv] zeros */
        } function;
    };
} pn_element;

struct pinion_forces {
    const pinion_model *m;
    int count, capacity;
    pn_element *element;

    /* the model with the added masses; used while some element has one on a body that moves */
    pinion_model *loaded;
    int heavy; /* how many elements have */

    /* the model at the instant of a call */
    int frames, bodies;
    int *frame_body; /* [frames] */
    int *body_link;  /* [bodies] the frame whose velocity is the body's; -1 for the base */
    int *used;       /* [bodies] how often elements ask for the body */
    double *position, *rotation, *twist; /* [frames][3], [frames][9], [bodies][6] WORLD_ALIGNED at its link */
    double *derivatives; /* room for them, from the first that are asked for */
};

/* An instant, for the elements: where the frames are, and what the elements sum up. */
typedef struct pn_scene {
    const pinion_forces *f;
    double t;
    double gravity[3];
    double *f_ext; /* may be NULL */
    int forces;    /* nonzero: forces or their power are wanted */
    double potential, power;
} pn_scene;

/* How a frame moves with a coordinate, along the world's axes: its origin, how it turns, and their velocities. */
typedef struct pn_change {
    double x[3], turn[3], v[3], w[3];
} pn_change;

/* A force on a frame at its origin, [moment; force] along the world's axes, and its change. */
typedef struct pn_pull {
    double f[6], change[6];
} pn_pull;

/* forces.c */

/* Where a point given in a frame is, and how fast, both in the world. */
void pn_scene_point(const pn_scene *s, int frame, const double local[3], double x[3], double u[3]);
/* The frame's axes in the world, as columns; the identity for the world. */
const double *pn_scene_rotation(const pn_scene *s, int frame);
/* Angular velocity of the frame, in the world. */
void pn_scene_spin(const pn_scene *s, int frame, double w[3]);
/* A force in the world's directions acts on a frame at a point given in the frame; on the world it does
 * nothing. */
void pn_scene_push(pn_scene *s, int frame, const double local[3], const double force[3]);
/* A moment likewise. */
void pn_scene_twist(pn_scene *s, int frame, const double moment[3]);

/* Where the frames are at q, and how fast those are that elements act on. */
pinion_status pn_forces_move(pinion_forces *f, pinion_work *w, const double *q, const double *v);

/* Adds an element; `e` is copied, its name too, `e->owned` is the list's from then on, also when this fails.
 * A name that is NULL or empty becomes the kind and a number. */
pinion_status pn_forces_append(pinion_forces *f, const pn_element *e, const char *name, pinion_error *err);
/* Takes off the last elements until `count` are left. */
void pn_forces_cut(pinion_forces *f, int count);

/* The first instant after t at which a force of the list jumps or has a kink because of the time alone;
 * INFINITY when there is none. At it the value is already the one behind. */
double pn_forces_break(const pinion_forces *f, double t);

/* Checks of a def. Each fills the error, "spring "tail": stiffness is negative, ...", and returns 0 when it
 * fails. */

typedef struct pn_element_id {
    const char *word; /* spring, wrench, ... */
    const char *name; /* may be NULL */
    pinion_error *err;
} pn_element_id;

int pn_element_fail(const pn_element_id *id, const char *format, ...) PN_PRINTF(2, 3);
int pn_element_begin(const pn_element_id *id, uint32_t cookie, uint32_t expected);
int pn_element_frame(const pn_element_id *id, const char *argument, const pinion_forces *f, int frame,
                     int world);
int pn_element_finite(const pn_element_id *id, const char *argument, const double *x, int count);
int pn_element_magnitude(const pn_element_id *id, const char *argument, double x);

/* the elements' files: what each does at an instant */
void pn_spring_act(const pn_element *e, pn_scene *s);
void pn_wrench_act(const pn_element *e, pn_scene *s);
double pn_wrench_break(const pn_element *e, double t);
void pn_drag_act(const pn_element *e, pn_scene *s);
void pn_ground_act(const pn_element *e, pn_scene *s);
void pn_attraction_act(const pn_element *e, pn_scene *s);
/* Asks the function, before anything acts. */
pinion_status pn_function_ask(const pn_element *e, const pinion_forces *f, double t, const double *q, const double *v);
void pn_function_act(const pn_element *e, pn_scene *s);
/* What one point of a ground gets, and how high it is above. */
void pn_ground_touch(const pinion_ground_def *p, int frame, pn_scene *s, double force[3], double *gap);

/* d_forces.c: how a point of a frame and its velocity change, and a force F on it, which changes by dF. */
void pn_change_point(const pn_scene *s, int frame, const double local[3], const pn_change *c, double dx[3],
                     double du[3]);
void pn_change_push(const pn_scene *s, int frame, const double local[3], const pn_change *c, const double F[3],
                    const double dF[3], pn_pull *to);
/* The elements' files: force and change of one part of an element, on one frame or two; added to `to`. Parts are a
 * ground's points and the links that are attracted. */
void pn_spring_change(const pn_element *e, int part, const pn_scene *s, const pn_change c[2], pn_pull to[2]);
void pn_wrench_change(const pn_element *e, int part, const pn_scene *s, const pn_change c[2], pn_pull to[2]);
void pn_drag_change(const pn_element *e, int part, const pn_scene *s, const pn_change c[2], pn_pull to[2]);
void pn_ground_change(const pn_element *e, int part, const pn_scene *s, const pn_change c[2], pn_pull to[2]);
void pn_attraction_change(const pn_element *e, int part, const pn_scene *s, const pn_change c[2], pn_pull to[2]);

/* force_drag.c: brings the loaded model's payload of a link up to date with the elements; nonzero on success
 */
int pn_drag_load(pinion_forces *f, int link);

#endif
