/* What the kinds of trajectories share. Private to src/sim. */
#ifndef PN_SIM_TRAJECTORY_KIND_H
#define PN_SIM_TRAJECTORY_KIND_H

#include "sim/stepper/chart_rates.h"
#include "pinion/sim/trajectory.h"

#if defined(__GNUC__) || defined(__clang__)
#define PN_TRAJECTORY_PRINTF(at, first) __attribute__((__format__(__printf__, at, first)))
#else
#define PN_TRAJECTORY_PRINTF(at, first)
#endif

/* Each kind starts with one of these. */
struct pinion_trajectory {
    pinion_model *m; /* a copy */
    int nq, nv;
    double start, end;
    const double *times; /* [time_count] of the samples; NULL: it is not made of samples */
    int time_count;
    double jumps[3]; /* [jump_count] increasing: from each on v or a is another than just before */
    int jump_count;
    double *kinks; /* [kink_count] increasing: samples at which a jumps or turns; NULL: none */
    int kink_count;
    char text[160]; /* one line about it */
    /* The motion at a time from start to end. v and a are never NULL. */
    pinion_status (*at)(pinion_trajectory *trajectory, double t, double *q, double *v, double *a);
    /* The next two derivatives, likewise; NULL: not known. */
    pinion_status (*higher)(pinion_trajectory *trajectory, double t, double *jerk, double *snap);
    void (*release)(
        pinion_trajectory *trajectory); /* what the kind itself holds; not the memory of the struct */
    double *v, *a;                      /* [nv] where the caller wants none */
};

/* A trajectory of `size` bytes, zero but for the model and what follows from it; NULL with err filled. */
pinion_trajectory *pn_trajectory_new(const pinion_model *m, size_t size, pinion_error *err);

/* Fills err (NULL: nothing) with one line; control characters become '?'. No floating-point conversions:
 * their point would be the locale's (pn_number_text). Returns the status. */
pinion_status pn_trajectory_fail(pinion_error *err, pinion_status status, const char *format, ...)
    PN_TRAJECTORY_PRINTF(3, 4);
/* The number with up to six digits and a point. */
typedef struct pn_number {
    char text[32];
} pn_number;
pn_number pn_number_text(double x);

/* Whether all are finite. */
int pn_all_finite(const double *x, size_t count);
/* Checks a configuration and copies it with quaternions of exactly unit length. `what` starts the message. */
pinion_status pn_trajectory_configuration(const pinion_model *m, const double *q, double *out,
                                          const char *what, pinion_error *err);

/* Checks duration, profile and blend. */
pinion_status pn_profile_check(double duration, pinion_profile profile, double blend, pinion_error *err);
/* s and its first two derivatives by x = t/T, for x from 0 to 1. */
void pn_profile_at(pinion_profile profile, double blend, double x, double s[3]);

/* The third and fourth derivative by x. */
void pn_profile_higher(pinion_profile profile, double x, double s[2]);

/* Fills in where a trajectory from 0 to its end, which moves by a profile, jumps. */
void pn_profile_jumps(pinion_trajectory *trajectory, pinion_profile profile, double blend);
/* The first jump or kink after t; INFINITY: none. */
double pn_trajectory_jump(const pinion_trajectory *trajectory, double t);

/* ------------------------------------------------------------------------------------------------ */
/* A path: configurations at increasing parameters, and between two of them polynomials in the chart
 * around the first (path.c). */

typedef struct pn_path {
    const pn_chart *chart;
    int count, capacity;
    int quintic;   /* pieces meet q, v and a of their ends; else q and v */
    double *s;     /* [count] the parameter */
    double *q;     /* [count][nq] */
    double *v, *a; /* [count][nv] derivatives by s, as velocities of the joints */
    double *piece; /* [count - 1][5][nv] of each piece in the chart around its first knot: y', y'' at its
                      start, y, y', y'' at its end */
} pn_path;

void pn_path_begin(pn_path *p, const pn_chart *chart, int quintic);
void pn_path_end(pn_path *p);
/* Adds a knot, and room for the piece behind it; 0 when out of memory. v and a may be NULL: zero. */
int pn_path_add(pn_path *p, double s, const double *q, const double *v, const double *a);
/* Makes the piece between knots k and k + 1, or all of them. */
void pn_path_piece(pn_path *p, int k);
void pn_path_pieces(pn_path *p);
/* The piece that s is in. From here on the path has at least two knots. */
int pn_path_find(const pn_path *p, double s);
/* The coordinates on piece k in the chart around q[k], and their derivatives by s. */
void pn_path_at(const pn_path *p, int k, double s, double *y, double *y1, double *y2);

/* The third and fourth derivative by s of the coordinates. */
void pn_path_higher(const pn_path *p, int k, double s, double *y3, double *y4);
/* Where a motion that takes T is at time t along a path from 0 to 1, and the rates of that. */
void pn_path_when(pinion_profile profile, double blend, double t, double T, double s[3]);
/* From derivatives by the path's parameter, v and a, to those by time. */
void pn_path_in_time(int nv, const double s[3], double *v, double *a);

/* Derivatives at the knots of a path whose pieces are cubic, with v and a continuous and the ends "not a
 * knot" (spline.c). Fills v and a of a path that has count, s and q. 0 when out of memory. */
int pn_path_spline(pn_path *p);

#endif
