/* Writing the native model format: what json_write.c, json_write_shape.c and json_write_joint.c share. */
#ifndef PN_JSON_WRITE_H
#define PN_JSON_WRITE_H

#include "io/model_io.h"

typedef struct pn_json_writer {
    pn_text t;
    const pinion_model *m;
    int elements; /* in the section so far */
    int keys;     /* in the element so far */
} pn_json_writer;

/* Values on one line. */
void pn_json_put_string(pn_text *t, const char *string);
void pn_json_put_numbers(pn_text *t, const double *x, int count);
void pn_json_put_curved(pn_text *t, double linear, const double curve[2]); /* a number where there is no curve */
void pn_json_put_pose(pn_text *t, const pinion_pose *pose);
int pn_json_is_zero(const double *x, int count);

/* Sections, their elements, and the keys of these on lines of their own. */
void pn_json_section(pn_json_writer *w, const char *name);
void pn_json_section_end(pn_json_writer *w);
void pn_json_element(pn_json_writer *w);
void pn_json_element_end(pn_json_writer *w);
void pn_json_key(pn_json_writer *w, const char *name); /* its value comes next */
void pn_json_string_key(pn_json_writer *w, const char *name, const char *value);
void pn_json_pose_key(pn_json_writer *w, const char *name,
                      const pinion_pose *pose); /* unless it is the identity */

/* json_write_shape.c: keys of a link. The visuals of all: the first of each link, -1 for none, then the one behind each
 * of them in its link; to be released, NULL when out of memory. */
int *pn_json_visuals_of(pn_json_writer *w);
int pn_json_write_visuals(pn_json_writer *w, int visual, const int *next);
int pn_json_write_collisions(pn_json_writer *w, int link);
/* What may not collide, and pairs that do. */
int pn_json_write_filters(pn_json_writer *w);

/* json_elastic.c: the key of an elastic link. */
int pn_json_write_elastic(pn_json_writer *w, int link);

/* json_write_joint.c: whole sections, nothing where they are empty; 0 on failure. */
int pn_json_write_joints(pn_json_writer *w);
int pn_json_write_loops(pn_json_writer *w);
/* json_actuator.c: the same; nothing for a model without a list. */
int pn_json_write_actuators(pn_json_writer *w);
/* json_tendon.c: the same. */
int pn_json_write_tendons(pn_json_writer *w);
/* json_states.c: named states and groups. */
int pn_json_write_states(pn_json_writer *w);

#endif
