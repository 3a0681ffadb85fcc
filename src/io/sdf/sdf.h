/* The SDF reader, from the inside. It goes through a file and those it includes, and notes all that has a
 * frame: models, links, joints and frames. Then it finds out where each is and with which link it moves, and
 * makes the model of that. */
#ifndef PN_SDF_H
#define PN_SDF_H

#include "io/xml/xml.h"

#define SDF_MAX_DEPTH 100 /* of models within models, those of included files counted */
#define SDF_MAX_FILES 1000

/* An array that grows. */
#define SDF_LIST(type)                                                                                       \
    struct {                                                                                                 \
        type *at;                                                                                            \
        int count, capacity;                                                                                 \
    }

typedef struct sdf_file {
    xmlDoc *doc;
    char *path;   /* for messages */
    char *folder; /* where it is, with the '/' at its end; NULL: it may not name others */
    int minor;    /* its version is 1.minor */
    int from;     /* the file that includes it; itself for the first */
} sdf_file;

typedef enum sdf_kind { SDF_WORLD = 0, SDF_MODEL, SDF_LINK, SDF_JOINT, SDF_FRAME } sdf_kind;

/* What has a frame. The first is the world. */
typedef struct sdf_entity {
    sdf_kind kind;
    char *name; /* with those of the models it is in: "model::link"; "" for the world */
    int scope;  /* the model, or the world, in which its name is looked for */
    int home;   /* what __model__ is for it: the scope, or the frame that stands for a merged model */
    int file;   /* of r->files */
    const xmlNode *node;   /* NULL for the world */
    pinion_pose raw, pose; /* as the file gives it, and in the frame of the scope */
    pinion_pose world;
    const xmlNode *start;    /* <model_state> of a model; NULL: none */
    const char *relative_to; /* "" where the file does not say */
    const char *target; /* attached_to of a frame, child of a joint, canonical link of a model; "" likewise */
    const char *placement; /* of a model, or the frame of a merged one: what its pose is about; "": itself */
    int inner;             /* the scope of `placement` and of a model's canonical link */
    int body;              /* the link that it moves with; 0 for the world */
    int is_static;
    int state;     /* while poses and bodies are looked for: 0 not yet, 1 under way, 2 known */
    int ends[2];   /* of a joint: bodies of parent and child */
    int component; /* of a link: one that it is joined to */
    int self;      /* of a model: what it says of <self_collide>; 0 not looked for, 1 nothing, 2 false, 3 true */
    int rigid;     /* of a link: one that it is fixed to, by what came before in the file */
} sdf_entity;

/* A name and what it stands for, in order. */
typedef struct sdf_name {
    const char *name;
    int index;
} sdf_name;

/* What has no part in dynamics, and is counted. */
typedef enum sdf_count {
    SDF_COUNT_SENSORS,
    SDF_COUNT_LIGHTS,
    SDF_COUNT_ACTORS,
    SDF_COUNT_PLUGINS,
    SDF_COUNT_SHAPES, /* that nobody can draw here */
    SDF_COUNT_COUNT
} sdf_count;

typedef struct sdf_reader {
    pn_xml u;
    pn_xml_warnings warnings;
    pinion_builder *b;
    const pinion_load_options *options;
    int strict, weld; /* weld nonzero: what floats is fixed where it is drawn */
    SDF_LIST(sdf_file) files;
    size_t bytes; /* of them all */
    SDF_LIST(sdf_entity) entities;
    SDF_LIST(char *) strings; /* that have no other owner */
    SDF_LIST(int) chain;      /* entities that wait for others */
    sdf_name *names;
    long counts[SDF_COUNT_COUNT];
    int floats; /* models that do */
} sdf_reader;

/* Where an element is. */
typedef struct sdf_place {
    int scope, home, file, depth, is_static;
    int in_world; /* nonzero: "world" is the name of a frame */
} sdf_place;

/* sdf_value.c: text and numbers of elements. Those that return int return 0 on failure. */
/* Makes room for one more and counts it. */
#define SDF_ADD(r, list)                                                                                     \
    (pn_xml_grow(&(r)->u, &(list).at, (list).count, &(list).capacity, sizeof *(list).at) && ++(list).count)
#define SDF_LAST(list) ((list).at[(list).count - 1])
/* New memory that the reader frees; NULL, with the error filled, when out of memory. */
char *pn_sdf_join(sdf_reader *r, const char *a, const char *b, const char *c);
#define pn_sdf_left_out(r, node, ...) pn_xml_left_out(&(r)->u, (r)->strict, node, __VA_ARGS__)
/* The first child of that name; a second one, where there is to be one, gets a warning. */
int pn_sdf_child(sdf_reader *r, const xmlNode *parent, const char *name, xmlNode **out);
/* Tells of elements that are not in `known`, words between spaces. */
int pn_sdf_known(sdf_reader *r, const xmlNode *parent, const char *known);
/* The text of an element, without the white space around it: new memory of the reader. */
int pn_sdf_text(sdf_reader *r, const xmlNode *node, const char **out);
/* The same of a child, "" where there is none. */
int pn_sdf_child_text(sdf_reader *r, const xmlNode *parent, const char *name, const char **out);
/* Numbers of an element's text, which may be infinite; an empty one leaves `out` as it is. */
int pn_sdf_numbers(sdf_reader *r, const xmlNode *node, int count, double *out);
/* Numbers of a child; `out` stays as it is where there is none. */
int pn_sdf_child_numbers(sdf_reader *r, const xmlNode *parent, const char *name, int count, double *out);
int pn_sdf_bool(sdf_reader *r, const xmlNode *node, const char *text, int *out);
int pn_sdf_child_bool(sdf_reader *r, const xmlNode *parent, const char *name, int *out);
/* The <pose> of an element, the identity where it has none, and what it is relative to. */
int pn_sdf_pose(sdf_reader *r, const xmlNode *parent, int file, pinion_pose *out, const char **relative_to);
int pn_sdf_pose_text(sdf_reader *r, const xmlNode *node, pinion_pose *out);

/* sdf_schema.c: values of the wrong type and attributes that are missing, anywhere in a file. */
int pn_sdf_check(sdf_reader *r, xmlNode *root);
/* Tells of attributes that the format does not have, in a file of version 1.minor; strictly an error, but for
 * visuals. */
int pn_sdf_attributes(sdf_reader *r, const xmlNode *root, int minor);
/* Refuses a name that the format keeps for itself. */
int pn_sdf_unreserved(sdf_reader *r, const xmlNode *node, const char *name);
/* Whether the children of that name have a name of their own each. */
int pn_sdf_unique(sdf_reader *r, const xmlNode *parent, const char *kind);

/* sdf_file.c: the root of a text, checked; NULL on failure. Both strings become the reader's. */
xmlNode *pn_sdf_parse(sdf_reader *r, const char *text, size_t size, char *path, char *folder);
/* The root of the file that an <include> names. */
xmlNode *pn_sdf_open(sdf_reader *r, const xmlNode *include, int file, const char *uri);
/* The bytes of the file that a <mesh> names: new memory; NULL with the error filled. */
char *pn_sdf_read_mesh(sdf_reader *r, const xmlNode *node, int file, const char *uri, size_t *size);

/* sdf_collect.c: the entities of a file. */
int pn_sdf_collect(sdf_reader *r, xmlNode *root);

/* sdf_frames.c: names, then bodies and poses. */
int pn_sdf_index(sdf_reader *r);
int pn_sdf_resolve(sdf_reader *r);
/* What a name stands for in the scope of an entity, -1 when for nothing; -2, with the error filled, when out
 * of memory. */
int pn_sdf_refer(sdf_reader *r, int scope, int home, const char *name);

/* sdf_link.c, sdf_joint.c: one each to the builder. */
int pn_sdf_link(sdf_reader *r, int index);
int pn_sdf_joint(sdf_reader *r, int index);
int pn_sdf_gearbox(sdf_reader *r, int index);
int pn_sdf_is_gearbox(const sdf_entity *e);
int pn_sdf_is_fixed(const sdf_entity *e);
int pn_sdf_check_type(sdf_reader *r, const sdf_entity *e);
/* sdf_collision.c: what a link touches others with. */
int pn_sdf_collisions(sdf_reader *r, const sdf_entity *link);
/* sdf_link.c: the path and scale of a <mesh>. */
int pn_sdf_mesh(sdf_reader *r, const sdf_entity *link, const xmlNode *node, const char **path, double scale[3]);
/* sdf_inertia.c: the pose of a collision in its link; what a link weighs. */
int pn_sdf_collision_pose(sdf_reader *r, const sdf_entity *link, const xmlNode *node, pinion_pose *out);
int pn_sdf_inertia(sdf_reader *r, const sdf_entity *link, pinion_inertia *out);

/* sdf_build.c */
int pn_sdf_build(sdf_reader *r);

#endif
