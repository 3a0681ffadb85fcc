/* From one configuration to another. */
#include "sim/trajectory/trajectory_kind.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct between {
    pinion_trajectory base;
    pinion_profile profile;
    double blend;
    double *q0, *d; /* [nq], [nv] */
} between;

/* d is constant in each joint's child frame, so that v = s' d and a = s'' d exactly. */
static pinion_status between_at(pinion_trajectory *trajectory, double t, double *q, double *v, double *a)
{
    const between *b = (const between *)trajectory;
    const double T = trajectory->end;
    double s[3];
    pn_profile_at(b->profile, b->blend, t / T, s);
    for (int i = 0; i < trajectory->nv; i++) {
        v[i] = s[1] / T * b->d[i];
        a[i] = s[2] / (T * T) * b->d[i];
    }
    return pinion_integrate(trajectory->m, b->q0, b->d, s[0], q);
}

static pinion_status between_higher(pinion_trajectory *trajectory, double t, double *jerk, double *snap)
{
    const between *b = (const between *)trajectory;
    const double T = trajectory->end;
    double s[2];
    pn_profile_higher(b->profile, t / T, s);
    for (int i = 0; i < trajectory->nv; i++) {
        jerk[i] = s[0] / (T * T * T) * b->d[i];
        snap[i] = s[1] / (T * T * T * T) * b->d[i];
    }
    return PINION_OK;
}

static void between_release(pinion_trajectory *trajectory)
{
    free(((between *)trajectory)->q0);
}

pinion_trajectory *pinion_trajectory_between(const pinion_model *m, const double *q0, const double *q1,
                                             double duration, pinion_profile profile, double blend,
                                             pinion_error *err)
{
    if (!m || !q0 || !q1) {
        pn_trajectory_fail(err, PINION_ERR_ARGUMENT, "the model or a configuration is missing");
        return NULL;
    }
    if (pn_profile_check(duration, profile, blend, err) != PINION_OK) return NULL;

    between *b = (between *)pn_trajectory_new(m, sizeof *b, err);
    if (!b) return NULL;
    const size_t nq = (size_t)b->base.nq, nv = (size_t)b->base.nv;
    b->base.at = between_at;
    b->base.higher = between_higher;
    b->base.release = between_release;
    b->base.end = duration;
    b->profile = profile;
    b->blend = blend;
    pn_profile_jumps(&b->base, profile, blend);
    snprintf(b->base.text, sizeof b->base.text, "%s from one configuration to another",
             pinion_profile_name(profile));

    /* q1 is only needed for the way there */
    b->q0 = calloc(2 * nq + nv + 1, sizeof *b->q0);
    pinion_status status = PINION_OK;
    if (!b->q0) status = pn_trajectory_fail(err, PINION_ERR_MEMORY, "out of memory");
    if (status == PINION_OK) {
        double *end = b->q0 + nq;
        b->d = end + nq;
        status = pn_trajectory_configuration(m, q0, b->q0, "the start", err);
        if (status == PINION_OK) status = pn_trajectory_configuration(m, q1, end, "the end", err);
        if (status == PINION_OK && (status = pinion_difference(m, b->q0, end, b->d)) != PINION_OK)
            pn_trajectory_fail(err, status, "%s", pinion_status_text(status));
    }
    if (status == PINION_OK) return &b->base;
    pinion_trajectory_free(&b->base);
    return NULL;
}
