/* The MJCF writer, from the inside: bodies and joints (mjcf_write.c), then what refers to them (mjcf_write_ties.c). */
#ifndef PN_MJCF_WRITE_H
#define PN_MJCF_WRITE_H

#include "io/lumps.h"
#include "pinion/actuators.h"
#include "pinion/elements.h"
#include "pinion/named.h"

#define MJCF_WRITE_DEPTH 240 /* of bodies within bodies: programs that read XML have a limit */
#define MJCF_LEAST 1e-15     /* mass and moments that a body which moves must have, in the program that reads it */
#define MJCF_WRITE_NAME 300  /* bytes, with what is put behind a name */

/* A joint of the file: part of one of the model's. */
typedef struct mjcf_written {
    int joint; /* of the model */
    int part;  /* which coordinate; 0 where it has all of them */
} mjcf_written;

typedef struct mjcf_writer {
    const pinion_model *m;
    pn_losses *l;
    pn_text out;
    int *child, *next;      /* [links] the first joint below a link, [joints] the next one of its parent; -1 */
    int *frame, *next_frame; /* [links], [frames]: the same of named frames */
    int *visual, *next_visual;
    int *end, *next_end;     /* [links], [loops][2]: the same of ends of loops */
    pinion_inertia *inertia; /* [links] as it is written */
    char *used;             /* [frames] 1: a tendon or actuator refers to it, 2: a loop */
    int root;               /* the link that is fixed to the world; -1: it floats */
    int medium;             /* the drag of all links is that of one medium: */
    double density, viscosity, wind[3];
    mjcf_written *written;  /* in the order of the file */
    int count;
} mjcf_writer;

/* mjcf_write_link.c: name="text" and name="numbers". */
void pn_mjcf_put_text(mjcf_writer *w, const char *name, const char *text);
void pn_mjcf_put_numbers(mjcf_writer *w, const char *name, const double *x, int count);
void pn_mjcf_put_number(mjcf_writer *w, const char *name, double x);
/* pos and quat, where they are not the identity. */
void pn_mjcf_put_pose(mjcf_writer *w, const pinion_pose *pose);
/* The name of a joint of the file. */
const char *pn_mjcf_part_name(const mjcf_writer *w, int joint, int part, char out[MJCF_WRITE_NAME]);
const char *pn_mjcf_link_name(const mjcf_writer *w, int link);
/* Whether a link, or one that is fixed to it, weighs enough to move; `depth` 0. */
int pn_mjcf_weighs(const mjcf_writer *w, int link, int depth);
/* The armature of the free joint that moves a link: added mass that is the same in all directions; else 0. */
double pn_mjcf_free_armature(const mjcf_writer *w, int link);
/* Inertia, looks and frames of a link; those of the world have no inertia. */
int pn_mjcf_put_content(mjcf_writer *w, int link, const char *indent, int world);
/* The site that is a named frame or the origin of a link. */
const char *pn_mjcf_site_name(const mjcf_writer *w, int frame, char out[MJCF_WRITE_NAME]);

/* mjcf_write_fluid.c: whether a medium says what brakes the links, and which. */
void pn_mjcf_find_medium(mjcf_writer *w);
/* The moments of inertia of a link as written along axes R, and the largest entry beside them. */
void pn_mjcf_moments(const mjcf_writer *w, int link, const double R[9], double I[3], double *off);

/* mjcf_write_ties.c: stiffness or damping where it is not 0; a site for an end of a loop, where no frame has its place;
 * the sections behind the bodies. */
void pn_mjcf_put_curved(mjcf_writer *w, const char *name, double linear, const double curve[2]);
void pn_mjcf_put_loop_sites(mjcf_writer *w, int link, const char *indent);
int pn_mjcf_put_ties(mjcf_writer *w);
/* mjcf_write_touch.c: collisions of a link, pairs and exclusions. */
int pn_mjcf_put_collisions(mjcf_writer *w, int link, const char *indent);
int pn_mjcf_put_contacts(mjcf_writer *w);
/* mjcf_write_drives.c: actuators and keyframes; the tendon of an actuator on several joints. */
void pn_mjcf_put_sum(mjcf_writer *w, int index);
int pn_mjcf_put_drives(mjcf_writer *w);

#endif
