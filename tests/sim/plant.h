/* For tests of forces: a model with a list of forces, moved by it. */
#ifndef PN_TEST_PLANT_H
#define PN_TEST_PLANT_H

#include "motion.h"

typedef struct plant {
    const pinion_model *m;
    pinion_work *w;
    pinion_forces *f;
} plant;

static inline plant plant_of(const pinion_model *m)
{
    plant p = {m, pinion_work_new(m), pinion_forces_new(m)};
    CHECK(p.w && p.f);
    return p;
}

static inline void plant_free(plant *p)
{
    pinion_forces_free(p->f);
    pinion_work_free(p->w);
}

static inline void plant_fall(void *user, double t, const double *q, const double *v, double *a,
                              double *power)
{
    plant *p = user;
    double f_ext[MOTION_MAX][6] = {{0}};
    CHECK_STATUS(pinion_forces_apply(p->f, p->w, t, q, v, &f_ext[0][0], NULL, power), PINION_OK);
    CHECK_STATUS(pinion_forward_dynamics(pinion_forces_model(p->f), p->w, q, v, NULL, &f_ext[0][0], a),
                 PINION_OK);
}

/* moves for some time; the work done beside the potential */
static inline double plant_run(plant *p, double duration, int steps, double *q, double *v)
{
    double work = 0;
    for (int i = 0; i < steps; i++)
        motion_step(p->m, plant_fall, p, duration * i / steps, duration / steps, q, v, &work);
    return work;
}

static inline double plant_energy(plant *p, double t, const double *q, const double *v)
{
    double T = 0, V = 0, more = 0;
    CHECK_STATUS(pinion_energy(pinion_forces_model(p->f), p->w, q, v, 0, &T, &V), PINION_OK);
    CHECK_STATUS(pinion_forces_apply(p->f, p->w, t, q, v, NULL, &more, NULL), PINION_OK);
    return T + V + more;
}

/* J' f: what inverse dynamics needs less because of the forces */
static inline void plant_generalized(plant *p, double t, const double *q, const double *v, double *tau)
{
    double f_ext[MOTION_MAX][6] = {{0}}, without[MOTION_MAX];
    const int nv = pinion_model_nv(p->m);
    CHECK_STATUS(pinion_forces_apply(p->f, p->w, t, q, v, &f_ext[0][0], NULL, NULL), PINION_OK);
    CHECK_STATUS(pinion_inverse_dynamics(p->m, p->w, q, NULL, NULL, NULL, without), PINION_OK);
    CHECK_STATUS(pinion_inverse_dynamics(p->m, p->w, q, NULL, NULL, &f_ext[0][0], tau), PINION_OK);
    for (int i = 0; i < nv; i++) tau[i] = without[i] - tau[i];
}

#endif
