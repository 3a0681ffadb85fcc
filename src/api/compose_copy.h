/* A model through a builder again, with changes on the way. Private to src/api. */
#ifndef PN_COMPOSE_COPY_H
#define PN_COMPOSE_COPY_H

#include "model/build/describe.h"
#include "pinion/compose.h"

#define PN_COPY_NAME 600 /* longer than a prefix and a name may be: the builder refuses what is too long */

/* What is copied, and what is changed. */
typedef struct pn_copy {
    pinion_builder *b;
    const pinion_model *m;
    const char *prefix;
    const char *locked;  /* [joints] nonzero: fixed; NULL: none are */
    const double *q;     /* where they are */
    const double *p, *R; /* and where the frames are then */
    const char *kept;    /* [links] nonzero: part of it; NULL: all are */
    const char *from, *to; /* what is called so is called otherwise; NULL: nothing is */
    double length, mass;   /* factors; 0: none */
    pinion_error *err;
} pn_copy;

/* The factor of lengths, and that of a coordinate: of a displacement that, of an angle 1. */
static inline double pn_copy_length(const pn_copy *c)
{
    return c->length > 0 ? c->length : 1;
}
double pn_copy_factor(const pn_copy *c, pinion_joint_type type, int dof);
double pn_copy_joint_factor(const pn_copy *c, int joint); /* of the first one of a joint; 1 for none */
void pn_copy_scale(const pn_copy *c, double *x, int count); /* lengths */
pinion_pose pn_copy_pose(const pn_copy *c, const pinion_pose *pose);
/* Positions of a joint (`velocity` 0), or velocities. */
void pn_copy_coordinates(const pn_copy *c, pinion_joint_type type, int velocity, double *x);

/* A name with the prefix, in one of a few buffers that the caller has; that of a link, of a joint. */
const char *pn_copy_name(const pn_copy *c, const char *name, char out[PN_COPY_NAME]);
const char *pn_copy_link(const pn_copy *c, int link, char out[PN_COPY_NAME]);
const char *pn_copy_joint(const pn_copy *c, int joint, char out[PN_COPY_NAME]);
int pn_copy_locked(const pn_copy *c, int joint);
double pn_copy_coordinate(const pn_copy *c, int joint); /* of a joint that has one */
/* Whether a link, or a joint with both its links, is not part of it. */
int pn_copy_left(const pn_copy *c, int link);
int pn_copy_joint_left(const pn_copy *c, int joint);

/* compose_links.c, compose_collisions.c, compose_loops.c, compose_actuators.c, compose_tendons.c: what their names
 * say. */
pinion_status pn_copy_links(const pn_copy *c);
pinion_status pn_copy_one_joint(const pn_copy *c, const pinion_joint_info *j, int cut, int fixed);
pinion_status pn_copy_joints(const pn_copy *c);
pinion_status pn_copy_frames(const pn_copy *c);
pinion_status pn_copy_collisions(const pn_copy *c);
pinion_status pn_copy_loops(const pn_copy *c);
pinion_status pn_copy_actuators(const pn_copy *c);
pinion_status pn_copy_tendons(const pn_copy *c);
int pn_copy_has_tendon(const pn_copy *c, const pinion_tendon_info *t); /* whether something is left of it */
pinion_status pn_copy_sets(const pn_copy *c); /* named states and groups */

/* compose.c: all of these; then what was copied as the model that it came from: its gravity, and its root, or where
 * `root` is not -1 that link. */
pinion_status pn_copy_all(const pn_copy *c);
pinion_model *pn_copy_build(const pn_copy *c, const pinion_model *m, int root);

#endif
