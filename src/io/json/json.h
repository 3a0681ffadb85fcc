/* Reading the native model format (docs/model-format.md): what the files json_*.c share.
 *
 * jansson parses and validates the text but keeps no positions. A pn_json_value is a jansson value that
 * remembers how it was reached, so that a complaint about it can name it ("joints[3].axis") and the
 * locator can find its line by walking the text again. All functions that return int return 1 when
 * all is well and 0 after having filled the error. */
#ifndef PN_JSON_H
#define PN_JSON_H

#include <jansson.h>

#include "io/model_io.h"
#include "pinion/elastic.h"

/* A place in the text; `at` is NULL when it is not known. */
typedef struct pn_spot {
    const char *at;
    const char *line_start;
    int line; /* from 1 */
} pn_spot;

/* What is being read. */
typedef struct pn_json_file {
    const char *text; /* valid JSON once the top value exists; ends with '\0' */
    const char *name; /* for messages */
    pinion_builder *builder;
    pinion_error *err; /* may be NULL */
} pn_json_file;

typedef struct pn_json_value {
    const pn_json_file *file;
    const struct pn_json_value *parent; /* NULL for the top value */
    const json_t *json;
    const char *key; /* in the parent, NULL for an element of an array and for the top value */
    size_t index;    /* in the parent, when key is NULL */
    pn_spot spot;    /* set for the elements of pn_value_next only */
} pn_json_value;

/* ---------------------------------------------------------------------------------------------
 * json_parse.c: the text as a jansson value; integers are reals. NULL with `err` filled on failure. */

json_t *pn_json_parse(const char *text, size_t size, const char *name, pinion_error *err);
/* That of a file, "a file of springs". The value of a pn_json_file's text is `start`; `text` is to be released with
 * free() in any case. */
json_t *pn_json_open(const char *path, const char *what, char **text, const char **start, pinion_error *err);

/* ---------------------------------------------------------------------------------------------
 * json_locate.c: positions in text that is known to be valid JSON */

pn_spot pn_spot_begin(const char *text); /* the top value */
pn_spot pn_spot_member(pn_spot object, size_t index,
                       int value); /* key or value of a member, in the order of the text */
pn_spot pn_spot_element(pn_spot array, size_t index);
pn_spot pn_spot_next(pn_spot element); /* the element behind it, which must exist */

/* ---------------------------------------------------------------------------------------------
 * json_value.c: typed access */

pn_spot pn_value_locate(const pn_json_value *v);
int pn_value_line(const pn_json_value *v);

/* Fills the error with "file:line: path: message" and returns 0. */
int pn_value_fail(const pn_json_value *v, const char *format, ...) PN_PRINTF(2, 3);
/* The same for a value of the wrong kind: "found a string, expected <what>". */
int pn_value_expected(const pn_json_value *v, const char *what);

/* The value must be an object that has no key but those of the list (which ends with NULL) and
 * "comment", a string or an array of strings. */
int pn_value_object(const pn_json_value *v, const char *const *keys);

/* Nonzero when the object has the key; `out` is then its value. */
int pn_value_get(const pn_json_value *object, const char *key, pn_json_value *out);
/* The same where the key must be there. */
int pn_value_need(const pn_json_value *object, const char *key, pn_json_value *out);

/* Steps through an array: start with {0}; 0 at the end. The elements know their line at once. */
int pn_value_next(const pn_json_value *array, pn_json_value *element);
/* Element `index` of an array that has one. */
pn_json_value pn_value_at(const pn_json_value *array, size_t index);
/* The value must be an array; `what` says of what. */
int pn_value_array(const pn_json_value *v, const char *what);
/* The same with so many elements. */
int pn_value_array_of(const pn_json_value *v, size_t count, const char *what);

int pn_value_number(const pn_json_value *v, double *out);
int pn_value_magnitude(const pn_json_value *v, double *out); /* a number that is not negative */
/* A magnitude, or {"linear": magnitude, "curve": two numbers}. */
int pn_value_curved(const pn_json_value *v, double *linear, double curve[2]);
int pn_value_numbers(const pn_json_value *v, size_t count, double *out);
int pn_value_string(const pn_json_value *v, const char **out);
int pn_value_boolean(const pn_json_value *v, int *out);
/* The string must be one of those in the list, which ends with NULL: its index. `what` names them all. */
int pn_value_choice(const pn_json_value *v, const char *const *list, const char *what, int *out);

/* Optional members: `out` keeps its value when the key is absent. */
int pn_get_number(const pn_json_value *object, const char *key, double *out);
int pn_get_magnitude(const pn_json_value *object, const char *key, double *out);
int pn_get_numbers(const pn_json_value *object, const char *key, size_t count, double *out);
int pn_get_boolean(const pn_json_value *object, const char *key, int *out);
/* A 6 x 6 matrix: six rows, or the six numbers of a diagonal. `given` says whether the key is there. */
int pn_get_matrix6(const pn_json_value *object, const char *key, double out[36], int *given);
/* Required members. */
int pn_need_string(const pn_json_value *object, const char *key, const char **out);

/* ---------------------------------------------------------------------------------------------
 * json_pose.c: angles and poses */

/* The key "angles" of an element: nonzero for degrees; 0 when it is absent. */
int pn_get_angles(const pn_json_value *object, int *degrees);
double pn_radians(double angle, int degrees);
/* Sine and cosine; exact at multiples of 90 degrees when the angle is in degrees. */
void pn_sincos(double angle, int degrees, double *s, double *c);
/* The pose of an optional member. */
int pn_get_pose(const pn_json_value *object, const char *key, pinion_pose *out);

/* ---------------------------------------------------------------------------------------------
 * json_link.c, json_joint.c, json_loop.c, json_actuator.c, json_dh.c: the elements. Each adds to the builder. */

int pn_json_inertia(const pn_json_value *element, pinion_inertia *out); /* mass, com, inertia, about */
/* json_shape.c: "visuals" and "collisions" of a link; what may not collide, and pairs that do. */
int pn_json_shapes(const pn_json_value *element, const char *link);
int pn_json_exclusions(const pn_json_value *array);
int pn_json_pairs(const pn_json_value *array);
int pn_json_links(const pn_json_value *array);
/* json_elastic.c: "elastic" of a link, where `given` says that it is there; its arrays are in `numbers`, to be released
 * in any case. */
int pn_json_elastic(const pn_json_value *element, pinion_elastic_def *def, double **numbers, int *given);
int pn_json_frames(const pn_json_value *array);

int pn_json_joints(const pn_json_value *array);
/* Limits, damping and whatever else belongs to the degrees of freedom of def->type, mimic, initial, actuated. */
int pn_json_dofs(const pn_json_value *element, int degrees, pinion_joint_def *def);
/* A joint of the tree or of a loop, with all its keys; its line is set. */
int pn_json_joint(const pn_json_value *element, int loop, pinion_joint_def *def);
/* Adds a joint that has been read, and its motor where the element has "elastic". */
int pn_json_add_joint(const pn_json_value *element, const pinion_joint_def *def);

int pn_json_loops(const pn_json_value *array);
/* Once the model is built: angles in degrees only where a joint turns. */
int pn_json_loops_check(const pn_json_value *array, const pinion_model *m);

int pn_json_actuators(const pn_json_value *array);
/* json_states.c: objects of named states, and of groups of joints */
int pn_json_states(const pn_json_value *object);
int pn_json_groups(const pn_json_value *object);
/* json_tendon.c */
int pn_json_tendons(const pn_json_value *array);

/* One chain or an array of them. `top` is the whole file. */
int pn_json_dh(const pn_json_value *dh, const pn_json_value *top);

#endif
