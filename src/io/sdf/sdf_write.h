/* The SDF writer, from the inside: names (sdf_write_names.c), links and joints
 * (sdf_write.c), collisions (sdf_write_touch.c). */
#ifndef PN_SDF_WRITE_H
#define PN_SDF_WRITE_H

#include "io/lumps.h"

typedef struct sdf_writer {
    const pinion_model *m;
    pn_losses *l;
    pn_text out;
    int links, joints, loops, frames;
    int root, ground;        /* the root link; nonzero: it is the world */
    int floats;              /* it hangs on a free joint */
    char **label;            /* [frames + joints + loops] names of links and frames, of joints, of loops */
    uint32_t *table;         /* of labels: 1 + their number; 0: free */
    size_t room;             /* of it, a power of 2 */
    char *is_frame;          /* [links] massless and fixed to another link */
    pinion_pose *world;      /* [links] as drawn */
    pinion_inertia *inertia; /* [links] as it is written */
    int *touch, *next_touch; /* [links] the first with collisions that are of a link, and the next one; -1 */
} sdf_writer;

#define SDF_WRITE_NAME 300 /* bytes */

/* sdf_write_names.c: labels of all, whether one is taken, and a name without what the format keeps for itself. */
int pn_sdf_add_labels(sdf_writer *w);
int pn_sdf_is_label(const sdf_writer *w, const char *name);
void pn_sdf_tidy(const char *model, const char *name, char out[SDF_WRITE_NAME]);

/* <name>numbers</name>, and <pose> where it says something. */
void pn_sdf_put_numbers(sdf_writer *w, const char *indent, const char *name, const double *x, int count);
void pn_sdf_put_pose(sdf_writer *w, const char *indent, const char *relative_to, const pinion_pose *pose);
/* The collisions of link `of`, which is part of the file's link `link`; *number counts them. */
int pn_sdf_put_collisions(sdf_writer *w, int link, const char *name, int of, int *number);
/* <self_collide>, where collisions of the model may touch each other. */
int pn_sdf_put_self_collide(sdf_writer *w);

#endif
