/// Elastic links by assumed modes (docs/elastic.md).
///
/// An elastic link has a frame, which moves as that of a rigid link, and bends and twists against it. How far is told
/// by one coordinate a mode, behind all other coordinates of q and v. What is attached to the link moves with the place
/// it is attached at.
#ifndef PINION_ELASTIC_H
#define PINION_ELASTIC_H

#include "pinion/model.h"

PINION_BEGIN

/// How the ends of a beam are held against the link's frame: the modes are those of a beam that is held so.
typedef enum pinion_elastic_boundary {
    PINION_ELASTIC_CLAMPED_FREE = 0, ///< the default
    PINION_ELASTIC_CLAMPED_MASS,     ///< clamped, with `tip` and `load` at its end
    PINION_ELASTIC_PINNED,           ///< both ends on the x axis, free to turn
    PINION_ELASTIC_CLAMPED_PINNED,
    PINION_ELASTIC_CLAMPED_CLAMPED,
    PINION_ELASTIC_BOUNDARY_COUNT
} pinion_elastic_boundary;

/// Most modes of a beam along one direction, of a link, and most nodes of shapes.
#define PINION_ELASTIC_MAX_DIRECTION 12
#define PINION_ELASTIC_MAX_MODES 24
#define PINION_ELASTIC_MAX_NODES 1024

/// How a link is elastic: a beam, or where `node_count` is not 0, shapes of modes that are given as data. Get one from
/// pinion_elastic_def_default(). What is NULL is absent.
typedef struct pinion_elastic_def {
    pinion_pose origin; ///< the frame of all that follows, in the link's frame

    /// a beam along x from 0 to `length`
    double length;                  ///< m, > 0
    double mass_per_length;         ///< kg/m, > 0: rho A
    double bending_stiffness[2];    ///< N m^2: EI of bending along y (about z), and along z (about y)
    double torsion_stiffness;       ///< N m^2: GJ
    double polar_inertia;           ///< kg m: rho I_p, polar moment of inertia per length; for modes of torsion
    int modes[3];                   ///< how many: of bending along y, along z, and of torsion
    pinion_elastic_boundary boundary;
    double tip_mass, tip_inertia[3];   ///< part of the link, at x = length: kg, and kg m^2 about x, y, z
    double load_mass, load_inertia[3]; ///< not part of the link: what else the modes' shapes take to be at its end
    double damping_ratio;           ///< of every mode of the link alone, held at its frame, >= 0; also of shapes

    /// shapes: nodes from the link's frame outwards, and how each mode moves them
    int node_count, mode_count;
    const double *position;         ///< [node_count][3] at rest
    const double *mass;             ///< [node_count] kg
    const double *inertia;          ///< [node_count][6] about the node: xx, xy, xz, yy, yz, zz; NULL: none
    const double *translation;      ///< [mode_count][node_count][3]
    const double *rotation;         ///< [mode_count][node_count][3] rotation vectors; NULL: nothing turns
    const double *mass_matrix;      ///< [mode_count][mode_count] modal masses; NULL: those of the nodes
    const double *stiffness_matrix; ///< [mode_count][mode_count]
    const double *damping_matrix;   ///< [mode_count][mode_count]; NULL: by `damping_ratio`

    const double *initial_q, *initial_v; ///< of every mode; NULL: zero
    uint32_t cookie;                ///< set by the default function
} pinion_elastic_def;

/// The defaults: a beam without numbers.
PINION_API pinion_elastic_def pinion_elastic_def_default(void);

/// What a model says of an elastic link.
typedef struct pinion_elastic_info {
    pinion_elastic_def def; ///< as it was described; its arrays are the model's
    int link;
    int q_index, v_index, modes; ///< its coordinates
    int places;                  ///< where its mass is and where others are attached, in no particular order
    double mass;                 ///< kg, with the tip
    const double *frequency;     ///< [modes] rad/s, of the link alone with its frame held, in order
    const double *modal_mass;    ///< [modes][modes] with the frame held, unbent
    const double *stiffness;     ///< [modes][modes]
    const double *damping;       ///< [modes][modes]
} pinion_elastic_info;

/// How many links are elastic.
PINION_API int pinion_model_elastic_count(const pinion_model *m);
/// Elastic link `index` of them; PINION_ERR_ARGUMENT where there is none.
PINION_API PINION_CHECK pinion_status pinion_model_elastic(const pinion_model *m, int index, pinion_elastic_info *out);
/// Where the places of elastic link `index` are at q, in the frame of the link: `at` gets where each is along the link,
/// m from its origin at rest, and `pose` its pose, for all places in ascending order of `at`. Either may be NULL.
PINION_API PINION_CHECK pinion_status pinion_elastic_places(const pinion_model *m, int index, const double *q,
                                                            double *at, pinion_pose *pose);

PINION_END

#endif
