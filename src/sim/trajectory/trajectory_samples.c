/* Through samples. */
#include "sim/trajectory/trajectory_kind.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct samples {
    pinion_trajectory base;
    pn_chart *chart;
    pn_path path;
    double *y; /* [3][nv] scratch; then [nq], [nv] */
} samples;

static pinion_status samples_at(pinion_trajectory *trajectory, double t, double *q, double *v, double *a)
{
    samples *s = (samples *)trajectory;
    const pn_path *p = &s->path;
    const size_t nq = (size_t)trajectory->nq, nv = (size_t)trajectory->nv;
    int k = p->count > 1 ? pn_path_find(p, t) : 0;
    if (p->count > 1 && t == p->s[k + 1]) k++; /* the last */

    /* a sample itself is given back as it is, where v and a are known there */
    if (p->count == 1 || (p->quintic && t == p->s[k])) {
        memcpy(q, p->q + (size_t)k * nq, nq * sizeof *q);
        memcpy(v, p->v + (size_t)k * nv, nv * sizeof *v);
        memcpy(a, p->a + (size_t)k * nv, nv * sizeof *a);
        return PINION_OK;
    }
    if (k == p->count - 1) k--;
    double *y = s->y, *y1 = y + nv, *y2 = y1 + nv;
    pn_path_at(p, k, t, y, y1, y2);
    pn_chart_point(s->chart, p->q + (size_t)k * nq, y, q);
    pn_chart_to_rates(s->chart, q, y, y1, y2, v, a);
    return PINION_OK;
}

/* of coordinates that are plain numbers: those of others are the chart's, not the joint's */
static pinion_status samples_higher(pinion_trajectory *trajectory, double t, double *jerk, double *snap)
{
    samples *s = (samples *)trajectory;
    for (int i = 0; i < s->chart->count; i++)
        if (s->chart->part[i].kind != PN_CHART_PLAIN) return PINION_ERR_UNSUPPORTED;
    if (s->path.count > 1) {
        pn_path_higher(&s->path, pn_path_find(&s->path, t), t, jerk, snap);
        return PINION_OK;
    }
    for (int i = 0; i < trajectory->nv; i++) jerk[i] = snap[i] = 0;
    return PINION_OK;
}

static void samples_release(pinion_trajectory *trajectory)
{
    samples *s = (samples *)trajectory;
    pn_path_end(&s->path);
    free(s->chart);
    free(s->y);
}

/* Copies the samples into the path. */
static pinion_status add_samples(samples *s, int count, const double *t, const double *q, const double *v,
                                 const double *a, pinion_error *err)
{
    const size_t nq = (size_t)s->base.nq, nv = (size_t)s->base.nv;
    double *unit = calloc(nq + 1, sizeof *unit);
    pinion_status status = unit ? PINION_OK : pn_trajectory_fail(err, PINION_ERR_MEMORY, "out of memory");
    for (int k = 0; status == PINION_OK && k < count; k++) {
        const size_t i = (size_t)k;
        const double *vk = v ? v + i * nv : NULL, *ak = a ? a + i * nv : NULL;
        char what[64];
        snprintf(what, sizeof what, "sample %d", k + 1);
        if (!isfinite(t[k]) || (k > 0 && !(t[k] > t[k - 1])))
            status = pn_trajectory_fail(
                err, PINION_ERR_ARGUMENT, "%s: its time %s s is not after the one before, %s s", what,
                pn_number_text(t[k]).text, pn_number_text(k > 0 ? t[k - 1] : NAN).text);
        else if ((vk && !pn_all_finite(vk, nv)) || (ak && !pn_all_finite(ak, nv)))
            status = pn_trajectory_fail(err, PINION_ERR_ARGUMENT,
                                        "%s: a velocity or acceleration is not a finite number", what);
        else
            status = pn_trajectory_configuration(s->base.m, q + i * nq, unit, what, err);
        if (status == PINION_OK && !pn_path_add(&s->path, t[k], unit, vk, ak))
            status = pn_trajectory_fail(err, PINION_ERR_MEMORY, "out of memory");
    }
    free(unit);
    return status;
}

#define JUMP 1e-3  /* of the largest acceleration: what jumps by more at a sample ends steps there ... */
#define TURN 0.2   /* ... and so does one that goes on with another slope by this part of it, */
#define STEEP 1e-3 /* unless both are flat beside the steepest */

/* At a sample: by how much the acceleration of coordinate i jumps, and its slopes on either side. */
static pinion_status look(samples *s, int k, double *before, double *here, double (*slope)[2], double *jump)
{
    const double *t = s->path.s, part[2] = {1e-3 * (t[k] - t[k - 1]), 1e-3 * (t[k + 1] - t[k])};
    const int nv = s->base.nv;
    double *q = s->y + 3 * (size_t)nv, *v = q + s->base.nq;
    pinion_status status = samples_at(&s->base, t[k], q, v, here);
    if (status == PINION_OK) status = samples_at(&s->base, t[k] + part[1], q, v, before);
    for (int i = 0; i < nv; i++) slope[i][1] = (before[i] - here[i]) / part[1];
    if (status == PINION_OK) status = samples_at(&s->base, nextafter(t[k], -INFINITY), q, v, before);
    for (int i = 0; i < nv; i++) jump[i] = fabs(here[i] - before[i]);
    if (status == PINION_OK) status = samples_at(&s->base, t[k] - part[0], q, v, here);
    for (int i = 0; i < nv; i++) slope[i][0] = (before[i] - here[i]) / part[0];
    return status;
}

/* Finds the samples at which the acceleration jumps or turns. Where samples are close and the motion is smooth neither
 * is so, and steps may go past them. */
static pinion_status find_kinks(samples *s, pinion_error *err)
{
    const int count = s->path.count, nv = s->base.nv;
    const size_t all = (size_t)nv * (size_t)count;
    if (count < 3 || nv == 0) return PINION_OK;
    double *x = malloc((all * 3 + 2 * (size_t)nv) * sizeof *x), (*slope)[2] = (double (*)[2])x, *jump = x + 2 * all;
    double *before = jump + all, *here = before + nv, steepest = 0, largest = 0;
    s->base.kinks = malloc((size_t)count * sizeof *s->base.kinks);
    if (!x || !s->base.kinks) {
        free(x);
        return pn_trajectory_fail(err, PINION_ERR_MEMORY, "out of memory");
    }
    pinion_status status = PINION_OK;
    for (int k = 1; k < count - 1 && status == PINION_OK; k++) {
        status = look(s, k, before, here, slope + (size_t)k * (size_t)nv, jump + (size_t)k * (size_t)nv);
        for (int i = 0; i < nv; i++) {
            largest = fmax(largest, fmax(fabs(before[i]), fabs(here[i])));
            for (int side = 0; side < 2; side++)
                steepest = fmax(steepest, fabs(slope[(size_t)k * (size_t)nv + (size_t)i][side]));
        }
    }
    for (int k = 1; k < count - 1 && status == PINION_OK; k++) {
        int kinked = 0;
        for (size_t i = (size_t)k * (size_t)nv; i < (size_t)(k + 1) * (size_t)nv; i++) {
            const double steep = fmax(fabs(slope[i][0]), fabs(slope[i][1]));
            kinked = kinked || jump[i] > JUMP * largest ||
                     (steep > STEEP * steepest && fabs(slope[i][1] - slope[i][0]) > TURN * steep);
        }
        if (kinked) s->base.kinks[s->base.kink_count++] = s->path.s[k];
    }
    free(x);
    return status;
}

pinion_trajectory *pinion_trajectory_samples(const pinion_model *m, int count, const double *t,
                                             const double *q, const double *v, const double *a,
                                             pinion_error *err)
{
    if (!m || count < 1 || !t || !q || (a && !v)) {
        pn_trajectory_fail(err, PINION_ERR_ARGUMENT,
                           !m || !t || !q ? "the model or the samples are missing"
                           : count < 1    ? "there are no samples"
                                          : "accelerations are given without velocities");
        return NULL;
    }
    samples *s = (samples *)pn_trajectory_new(m, sizeof *s, err);
    if (!s) return NULL;
    s->base.at = samples_at;
    s->base.higher = samples_higher;
    s->base.release = samples_release;
    s->base.start = t[0];
    s->base.end = t[count - 1];
    s->base.jumps[0] = t[0]; /* before and behind it stands still */
    s->base.jumps[1] = nextafter(t[count - 1], INFINITY);
    s->base.jump_count = 2;
    snprintf(s->base.text, sizeof s->base.text, "%d sample%s of %s", count, count == 1 ? "" : "s",
             count == 1 ? "a state"
             : a        ? "q, v and a, quintic between them"
             : v        ? "q and v; a by cubic pieces"
                        : "q; v and a by a cubic spline");

    /* pieces through given accelerations, or through those of the spline, are quintic */
    s->chart = pn_chart_new(m);
    pn_path_begin(&s->path, s->chart, !v || a);
    s->y = calloc(4 * (size_t)s->base.nv + (size_t)s->base.nq + 1, sizeof *s->y);
    pinion_status status = PINION_OK;
    if (!s->y || !s->chart) status = pn_trajectory_fail(err, PINION_ERR_MEMORY, "out of memory");
    if (status == PINION_OK) status = add_samples(s, count, t, q, v, a, err);
    if (status == PINION_OK && !v && !pn_path_spline(&s->path))
        status = pn_trajectory_fail(err, PINION_ERR_MEMORY, "out of memory");
    if (status == PINION_OK) {
        pn_path_pieces(&s->path);
        s->base.times = s->path.s;
        s->base.time_count = s->path.count;
        status = find_kinks(s, err);
        if (status == PINION_OK) return &s->base;
    }
    pinion_trajectory_free(&s->base);
    return NULL;
}
