/* Elastic links on their way into a model: their description, the modes of beams, and the numbers of places on them
 * (docs/elastic.md). Private to src/model. */
#ifndef PN_ELASTIC_MODES_H
#define PN_ELASTIC_MODES_H

#include <stddef.h>
#include <stdint.h>

#include "pinion/elastic.h"
#include "model/tree.h"

#define PN_COOKIE_ELASTIC 0x656c6173u

/* A description that may be moved: the arrays are elsewhere, each from its number on, which counts from 1; 0: none. */
enum { PN_ELASTIC_ARRAYS = 10 };
typedef struct pn_elastic_record {
    pinion_elastic_def def; /* its pointers are not set */
    uint32_t at[PN_ELASTIC_ARRAYS];
} pn_elastic_record;

/* The pointers of a description, and how many numbers each has. */
void pn_elastic_fields(pinion_elastic_def *def, const double **field[PN_ELASTIC_ARRAYS],
                       size_t count[PN_ELASTIC_ARRAYS]);
/* Its numbers one after the other; `out` may be NULL: how many there are. */
size_t pn_elastic_pack(const pinion_elastic_def *def, uint32_t first, pn_elastic_record *record, double *out);
pinion_elastic_def pn_elastic_unpack(const pn_elastic_record *record, const double *data);

/* What is wrong with it, as the end of a sentence; NULL when nothing is. The rotation is repaired. */
const char *pn_elastic_fault(pinion_elastic_def *def);

int pn_elastic_mode_count(const pinion_elastic_def *def);

/* A station says where something is on the link: of a beam x, else the number of a node. That of what is attached with
 * this pose in the link's frame; -1 where the link does not move against its frame. */
double pn_elastic_station(const pinion_elastic_def *def, const pinion_pose *pose);
/* The pose of a place at rest in the link's frame, and how far it is along the link. */
pinion_pose pn_elastic_rest(const pinion_elastic_def *def, double station);
double pn_elastic_along(const pinion_elastic_def *def, double station);

/* Where the mass is: stations, each with a mass and an inertia about it. */
int pn_elastic_point_count(const pinion_elastic_def *def);
double pn_elastic_point(const pinion_elastic_def *def, int point, double *mass, double inertia[6]);

/* A polynomial's terms at most: Legendre's polynomials times what holds the ends. */
_Static_assert(PN_MOST_MODES == PINION_ELASTIC_MAX_MODES, "kernels know how many modes there can be");
enum { PN_TERMS = 2 * PINION_ELASTIC_MAX_DIRECTION + 12, PN_MODES = PINION_ELASTIC_MAX_MODES };

typedef struct pn_modes {
    pinion_elastic_def def;
    int count;
    int direction[PN_MODES];         /* of a beam: 0, 1 bending along y, z; 2 torsion */
    int terms[3];
    double term[PN_MODES][PN_TERMS]; /* of a beam */
    double mass[PN_MODES * PN_MODES], lack[PN_MODES * PN_MODES]; /* modal masses, and what points have less */
    double stiffness[PN_MODES * PN_MODES], damping[PN_MODES * PN_MODES];
    double frequency[PN_MODES]; /* rad/s */
} pn_modes;

/* The modes of a description without a fault; otherwise, as the end of a sentence, why there are none. */
const char *pn_modes_make(pn_modes *modes, const pinion_elastic_def *def);
/* What kernels know of a place: PN_PLACE_NUMBERS(count) of them, in the directions of the origin. */
void pn_modes_place(const pn_modes *modes, double station, double *numbers);

/* modal_inertia.c: modal masses, and what the points have less of them; what is wrong with those that are given. */
const char *pn_modes_weigh(pn_modes *modes);

/* gauss.c: points and weights of Gauss and Legendre on [0, 1]; eigenvalues by Jacobi's rotations. */
void pn_gauss(int count, double *x, double *w);
/* A [n][n], symmetric, becomes diagonal; the columns of V are its vectors. */
void pn_jacobi(int n, double *A, double *V);
/* A = L L' in its lower triangle; zero when A is not positive definite. */
int pn_cholesky(int n, double *A);

#endif
