/* The MJCF reader, from the inside. It goes through a file and those it includes or attaches, and makes a
 * description of its own: bodies, joints, sites, with all defaults, frames and units resolved. From that
 * comes the model. */
#ifndef PN_MJCF_H
#define PN_MJCF_H

#include "io/xml/xml.h"
#include "pinion/actuators.h"
#include "pinion/elements.h"

#define MJCF_MAX_COPIES                                                                                      \
    (1 << 16) /* elements that <replicate> and <attach> make: a small file may not make a large model */
#define MJCF_MAX_DEPTH 500 /* of elements, those of attached files counted */
#define MJCF_MAX_FILES 1000
#define MJCF_MAX_CLASSES 10000
#define MJCF_MAX_LAYERS 64 /* of classes within classes: every attribute is looked for in each */

/* An array that grows. */
#define MJCF_LIST(type)                                                                                      \
    struct {                                                                                                 \
        type *at;                                                                                            \
        int count, capacity;                                                                                 \
    }

/* What defaults are kept for. All actuators share theirs, as do all tendons and all equality constraints. */
typedef enum mjcf_tag {
    TAG_JOINT = 0,
    TAG_GEOM,
    TAG_SITE,
    TAG_MESH,
    TAG_MATERIAL,
    TAG_TENDON,
    TAG_EQUALITY,
    TAG_PAIR,
    TAG_ACTUATOR,
    TAG_COUNT /* and for what has none */
} mjcf_tag;

typedef struct mjcf_compiler {
    int degrees;
    char euler[4]; /* the sequence of axes: x, y, z about the turned axes, X, Y, Z about the fixed ones */
    int autolimits;
    int from_geom; /* 0 false, 1 true, 2 where no inertia is given */
    int groups[2]; /* of the geoms that give inertia */
    double bound_mass, bound_inertia, total_mass;
    int balance, strip_path, fit_box, align_free, fuse;
    const char *mesh_folder; /* "" for none */
} mjcf_compiler;

/* One place where a class says something: newest first, then those of the class it is in. */
typedef struct mjcf_layer {
    const xmlNode *node;
    int next; /* -1: none */
} mjcf_layer;

typedef struct mjcf_class {
    const char *name;
    int parent;                              /* -1 for the outermost */
    int layer[TAG_COUNT], layers[TAG_COUNT]; /* the first, and how many there are */
} mjcf_class;

/* What a mesh weighs with a density of 1, in its own frame. */
typedef struct mjcf_mesh {
    char *name;
    const xmlNode *node;
    int state;                                     /* 0 not read yet, 1 read */
    int shell;                                     /* that is how its inertia is meant */
    double volume[2], center[2][3], inertia[2][6]; /* of the solid and of its surface */
    double principal[2][3], axes[2][9];            /* of these, likewise */
} mjcf_mesh;

/* A name and what it stands for, to be looked up. */
typedef struct mjcf_name {
    const char *name;
    int index;
} mjcf_name;

/* A file with all it includes: what its settings, classes and assets are. */
typedef struct mjcf_spec {
    xmlNode *root;
    char *folder; /* of its file, with the last '/'; NULL: it may not reach for other files */
    mjcf_compiler compiler;
    mjcf_class *classes;
    int class_count;
    mjcf_name *class_names; /* of these, in order */
    MJCF_LIST(mjcf_layer) layers;
    MJCF_LIST(mjcf_mesh) meshes; /* by name */
    mjcf_name *materials;        /* in order */
    int material_count;
    struct mjcf_spec **models;   /* files to attach */
    const char **model_names;
    int model_count;
} mjcf_spec;

typedef struct mjcf_body {
    char *name;
    int parent;              /* -1 for the world, which is body 0 */
    pinion_pose pose, world; /* as drawn: in its parent, and in the world */
    pinion_inertia inertia;  /* what <inertial> says, until geoms add to it */
    int given;               /* its inertia is, and geoms do not count */
    int inertial;            /* there was an <inertial> */
    int lumps;               /* how many do */
    double gravcomp;         /* the part of its weight that is carried */
    int has_axes;            /* its principal axes are given, as they are for MuJoCo: */
    double axes[9];
    int ellipsoid;           /* the medium acts on its geoms, not on its inertia */
    int moves;               /* it or a body that carries it has joints */
    int joint, joint_count;
    const xmlNode *node; /* NULL for the world */
    const mjcf_spec *spec;
} mjcf_body;

typedef struct mjcf_joint {
    char *name;
    int body;
    pinion_joint_type type;
    double pos[3], axis[3], ref;
    double drive_damping;  /* of actuators, at the joint */
    double auto_spring[2]; /* time constant and damping ratio of what is found by itself; 0: none */
    pinion_dof dof;
    const xmlNode *node;
} mjcf_joint;

/* A site or, for what is put in place by it, any frame on a body. */
typedef struct mjcf_site {
    char *name; /* NULL: none */
    int body;
    pinion_pose pose;
    const xmlNode *node;
} mjcf_site;

/* What a geom adds to its body. */
typedef struct mjcf_lump {
    int body;
    pinion_inertia inertia;
    double axes[9]; /* principal */
} mjcf_lump;

typedef struct mjcf_tendon {
    char *name;
    int term, term_count; /* of a fixed one: joints and coefficients; -1: a spatial one */
    const xmlNode *node;
    int part, made; /* of the file's parts; whether it is in the model */
} mjcf_tendon;

typedef struct mjcf_term {
    int joint;
    double coef;
} mjcf_term;

/* A geom that may touch others, or that has a name, so that a pair may say so. */
typedef struct mjcf_touch {
    char *name; /* NULL: none */
    int body, shape;
    int used; /* its bits say that it may, or a pair does; 2: it became a collision */
    double size[3];
    pinion_pose pose;
    const mjcf_spec *spec;
    const xmlNode *node;
    int class_;
} mjcf_touch;

/* A file that takes part under a prefix: the one that is read, and each attachment. */
typedef struct mjcf_part {
    const mjcf_spec *spec;
    char *prefix;
} mjcf_part;

/* What has no part in dynamics, and is counted. */
typedef enum mjcf_count {
    COUNT_SENSORS,
    COUNT_SOFT,
    COUNT_CAMERAS,
    COUNT_LIGHTS,
    COUNT_KEYFRAMES,
    COUNT_SKINS,
    COUNT_MARGINS,
    COUNT_CONTROLS,
    COUNT_COUNT
} mjcf_count;

typedef struct mjcf_reader {
    pn_xml u; /* of the file that is read, for messages */
    pn_xml_warnings warnings;
    pinion_builder *b;
    int strict;
    MJCF_LIST(xmlDoc *) documents; /* all that were opened; the path of each is its _private */
    size_t bytes;                  /* of them all */
    mjcf_spec *main;
    MJCF_LIST(mjcf_spec *) specs;
    MJCF_LIST(mjcf_part) parts;
    MJCF_LIST(mjcf_body) bodies;
    MJCF_LIST(mjcf_joint) joints;
    MJCF_LIST(mjcf_site) sites;
    MJCF_LIST(mjcf_lump) lumps;
    MJCF_LIST(mjcf_tendon) tendons;
    MJCF_LIST(mjcf_term) terms;
    MJCF_LIST(pinion_visual_def) visuals; /* `link` is not set, `line` is the body */
    MJCF_LIST(char *) paths;              /* of the visuals */
    MJCF_LIST(mjcf_touch) touches;
    mjcf_name *body_names, *joint_names, *site_names, *tendon_names;
    int copies; /* elements of these, so far */
    long counts[COUNT_COUNT];
    double *drawn; /* by joint: the inertia that it moves as drawn; NULL: not known yet */
    double gravity[3];
    double density, viscosity, wind[3]; /* of the medium */
    int no_springs, no_dampers, no_friction, no_limits, no_equality, no_actuation;
    unsigned no_groups; /* of actuators, a bit each */
    int ties;           /* equality constraints that were made */
} mjcf_reader;

/* An element with its class, to be asked for attributes. */
typedef struct mjcf_element {
    mjcf_reader *r;
    const mjcf_spec *s;
    const xmlNode *node;
    mjcf_tag tag;
    int class_; /* of s->classes */
} mjcf_element;

/* mjcf_list.c: memory and names. Each returns 0, with the error filled, when out of memory. */
/* Makes room for one more and counts it; `list` is an MJCF_LIST of r. */
#define MJCF_ADD(r, list)                                                                                    \
    (pn_xml_grow(&(r)->u, &(list).at, (list).count, &(list).capacity, sizeof *(list).at) && ++(list).count)
#define MJCF_LAST(list) ((list).at[(list).count - 1])
char *pn_mjcf_join(mjcf_reader *r, const char *a, const char *b, const char *c);
#define pn_mjcf_left_out(r, node, ...) pn_xml_left_out(&(r)->u, (r)->strict, node, __VA_ARGS__)
/* `count` names in order; NULL, with the error filled, when out of memory. Names that are NULL are last. */
void pn_mjcf_sort_names(mjcf_name *names, int count);
/* The index of a name, -1 when there is none. */
int pn_mjcf_look_up(const mjcf_name *names, int count, const char *name);

/* mjcf_file.c: files. A file is parsed with what it includes: <include> elements carry the root of theirs. */
mjcf_spec *pn_mjcf_parse(mjcf_reader *r, const char *text, size_t size, const char *path, const char *folder);
mjcf_spec *pn_mjcf_open_model(mjcf_reader *r, const mjcf_spec *from, const xmlNode *node, const char *file);
/* A file that a model names, relative to its folder: the text, to be freed; NULL with the error filled. */
char *pn_mjcf_read_file(mjcf_reader *r, const mjcf_spec *s, const xmlNode *node, const char *subfolder,
                        const char *file, size_t *size);
/* How such a file is called in a model: from its folder. */
char *pn_mjcf_asset_path(mjcf_reader *r, const mjcf_spec *s, const xmlNode *node, const char *subfolder,
                         const char *file);
/* Elements in the order of the file, through what is included. `name` NULL: any. */
xmlNode *pn_mjcf_first(const xmlNode *parent, const char *name);
xmlNode *pn_mjcf_next(const xmlNode *node, const char *name);

/* mjcf_schema.c: tells of attributes that are not known, but for those of bodies and what is in them. */
int pn_mjcf_attributes(mjcf_reader *r, const mjcf_spec *s);

/* mjcf_setting.c: <compiler>, <option>, <default>, <asset>. */
int pn_mjcf_settings(mjcf_reader *r, mjcf_spec *s);
int pn_mjcf_option(mjcf_reader *r);
void pn_mjcf_spec_free(mjcf_spec *s);
/* The class of that name; -1, with the error filled, when there is none. */
int pn_mjcf_class(mjcf_reader *r, const mjcf_spec *s, const xmlNode *node, const char *name);
/* An element whose class is its own or, without one, `inherited`. */
int pn_mjcf_element(mjcf_reader *r, const mjcf_spec *s, const xmlNode *node, mjcf_tag tag, int inherited,
                    mjcf_element *out);

/* mjcf_attribute.c: attributes, the element's own or its class's. Those that return int return 0 on failure.
 */
const char *pn_mjcf_text(const mjcf_element *e, const char *name);
/* From `least` to `most` numbers into out, which keeps what is not given; how many there were, 0 for none, -1
 * on failure. Where fewer are given than a class gives, the others are the class's. */
int pn_mjcf_numbers(const mjcf_element *e, const char *name, int least, int most, double *out);
int pn_mjcf_number(const mjcf_element *e, const char *name, double *out);
/* One of several words, separated by '|'; *out is which. */
int pn_mjcf_word(const mjcf_element *e, const char *name, const char *words, int *out);
/* Whether a range holds: as `flag` says, else, with autolimits, where there is a range. */
int pn_mjcf_limited(const mjcf_element *e, const char *flag, const char *range, int *out);
/* Tells of attributes that are not in `known`, words between spaces. */
int pn_mjcf_known(const mjcf_element *e, const char *known);

/* mjcf_pose.c */
int pn_mjcf_orientation(const mjcf_element *e, double R[9]);
int pn_mjcf_pose(const mjcf_element *e, pinion_pose *out);
/* A pose and, where `fromto` is given, half the length between its points, else -1. */
int pn_mjcf_pose_or_ends(const mjcf_element *e, pinion_pose *out, double *half);
void pn_mjcf_euler(const mjcf_compiler *c, const double angles[3], double R[9]);

/* mjcf_body.c */
int pn_mjcf_bodies(mjcf_reader *r);
/* mjcf_joint.c: stiffness or damping, as far as it is not off; a joint. */
int pn_mjcf_polynomial(const mjcf_element *e, const char *name, int off, double *linear, double curve[2]);
int pn_mjcf_joint(mjcf_element e, const pinion_pose *frame, int body, const char *prefix, const char *suffix);

/* mjcf_inertia.c */
int pn_mjcf_inertial(mjcf_element e, int body);
int pn_mjcf_geom(mjcf_element e, const pinion_pose *frame, int body, const char *name);
/* Sizes and place of a shape that takes them from a mesh. */
int pn_mjcf_fit(const mjcf_element *e, int shape, double size[3], pinion_pose *pose);
/* The path of a mesh as the model names it: new memory; NULL where it has none, or out of memory. */
char *pn_mjcf_mesh_path(const mjcf_element *e, const mjcf_mesh *mesh);
int pn_mjcf_sum_inertias(mjcf_reader *r);
/* mjcf_principal.c: I = R I' R', symmetric as xx, xy, xz, yy, yz, zz. */
void pn_mjcf_turn_inertia(const double R[9], double inertia[6]);
/* Eigenvalues, the largest first, and eigenvectors in the columns of R, a rotation. */
void pn_mjcf_principal(const double inertia[6], double values[3], double R[9]);
/* The same as MuJoCo has them for a mesh; the inertia becomes what they make of it. */
void pn_mjcf_mesh_axes(double inertia[6], double values[3], double R[9]);
/* The principal axes that MuJoCo gives a body. */
void pn_mjcf_body_axes(const double inertia[6], double R[9]);
/* mjcf_fluid.c: whether a medium acts, and how it brakes a body. 0 where it does not. */
int pn_mjcf_is_medium(const mjcf_reader *r);
int pn_mjcf_drag(const mjcf_reader *r, const mjcf_body *b, pinion_drag *out);
/* Tells of what the medium does that has no place in a model. */
int pn_mjcf_tell_fluid(mjcf_reader *r);

/* mjcf_mesh.c: the mesh of that name, read; NULL with the error filled. */
const mjcf_mesh *pn_mjcf_mesh(const mjcf_element *e, const char *name);
mjcf_mesh *pn_mjcf_find_mesh(const mjcf_spec *s, const char *name); /* as it is; NULL: none */
int pn_mjcf_mesh_name(mjcf_reader *r, const xmlNode *node, char **out);

/* mjcf_collision.c: geoms that touch others, as they are read; collisions, pairs and exclusions, after the links. */
int pn_mjcf_touch(const mjcf_element *e, int shape, const double size[3], const pinion_pose *pose, int body,
                  const char *name);
int pn_mjcf_collisions(mjcf_reader *r);

/* mjcf_tie.c: tendons and equality constraints; mjcf_actuator.c: actuators. */
int pn_mjcf_tendons(mjcf_reader *r);
/* mjcf_tendon_force.c: a tendon with the stiffness, damping and limits of `def`, which is in the model then. 1 made, 0
 * it wraps around something, -1 failed. And the same of one that an actuator acts along, if it is not there yet. */
int pn_mjcf_tendon_force(const mjcf_element *e, int tendon, struct pinion_tendon_def *def);
int pn_mjcf_tendon_made(mjcf_reader *r, int tendon);
int pn_mjcf_equalities(mjcf_reader *r);
int pn_mjcf_actuators(mjcf_reader *r);

/* mjcf_law.c: the law of an actuator, with what its classes say of it. */
enum { MJCF_STATELESS = 0, MJCF_INTEGRATOR, MJCF_FILTER, MJCF_FILTER_EXACT, MJCF_MUSCLE }; /* dyntype */
enum { MJCF_FIXED = 0, MJCF_AFFINE };                                                      /* gaintype, biastype */
typedef struct mjcf_law {
    int dynamics, gain_type, bias_type; /* what is behind these in the format's lists has no place here */
    int other;                          /* it is that of another element than those of mjcf_law.c */
    double gain[10], bias[10], time[10];
} mjcf_law;
int pn_mjcf_law(const mjcf_element *e, mjcf_law *out);

/* mjcf_auto_spring.c: springs and dampers that are given by times, before the joints are built. */
int pn_mjcf_auto_springs(mjcf_reader *r);
/* The inertia that a joint of one coordinate moves as the model is drawn, the others free; 0 where that is not known.
 * Returns 0 on failure. */
int pn_mjcf_drawn_inertia(mjcf_reader *r, int joint, double *inertia);

/* mjcf_strict.c: what MuJoCo refuses. Bodies that move and weigh nothing; names that are there twice, and sensors of
 * what is not there; materials of a file, and whether an element's is one of them. */
int pn_mjcf_check_masses(mjcf_reader *r);
int pn_mjcf_check_names(mjcf_reader *r);
int pn_mjcf_note_materials(mjcf_reader *r, mjcf_spec *s);
int pn_mjcf_check_material(const mjcf_element *e);

/* mjcf_keyframe.c: named keyframes as states, after the joints. */
int pn_mjcf_keyframes(mjcf_reader *r);
/* What actuators add to the armature and damping of their joints, and tendons over one joint to its armature and
 * friction (mjcf_tie.c), before these are built. */
int pn_mjcf_rotors(mjcf_reader *r);
int pn_mjcf_tendon_rotors(mjcf_reader *r);

/* mjcf_build.c: names for all that has none, and the index of names; then the description to the builder. */
int pn_mjcf_names(mjcf_reader *r);
/* Refuses a name that two of a kind have. */
int pn_mjcf_check_twice(mjcf_reader *r, const mjcf_name *names, int count, const char *what);
int pn_mjcf_build(mjcf_reader *r);

#endif
