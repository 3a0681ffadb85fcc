/* Trajectories of all kinds: what they share, and the profiles in time. */
#include "sim/trajectory/trajectory_kind.h"

#include "io/model_io.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------ */
/* Messages */

pinion_status pn_trajectory_fail(pinion_error *err, pinion_status status, const char *format, ...)
{
    char line[2 * sizeof err->message];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    pn_error_set(err, status, NULL, 0, 0, "%s", line); /* cuts it and cleans it */
    return status;
}

pn_number pn_number_text(double x)
{
    pn_number n;
    snprintf(n.text, sizeof n.text, "%.6g", x);
    /* the locale's point may be any character, of several bytes */
    char *to = n.text;
    for (const char *from = n.text; *from; from++) {
        int plain = strchr("0123456789+-einfaEINFA", *from) != NULL;
        if (plain)
            *to++ = *from;
        else if (to == n.text || to[-1] != '.')
            *to++ = '.';
    }
    *to = '\0';
    return n;
}

/* ------------------------------------------------------------------------------------------------ */
/* Configurations */

int pn_all_finite(const double *x, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!isfinite(x[i])) return 0;
    return 1;
}

pinion_status pn_trajectory_configuration(const pinion_model *m, const double *q, double *out,
                                          const char *what, pinion_error *err)
{
    const int nq = pinion_model_nq(m);
    if (!pn_all_finite(q, (size_t)nq))
        return pn_trajectory_fail(err, PINION_ERR_ARGUMENT, "%s: a coordinate is not a finite number", what);

    /* what the library takes for a unit quaternion */
    for (int i = 0; i < pinion_model_joint_count(m); i++) {
        pinion_joint_info info;
        if (pinion_model_joint(m, i, &info) != PINION_OK || info.nq == info.nv) continue;
        const double *x = q + info.q_index;
        const double length = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + x[3] * x[3]);
        if (!(fabs(length - 1) <= 1e-6))
            return pn_trajectory_fail(err, PINION_ERR_QUATERNION,
                                      "%s: the quaternion of joint '%.100s' is of length %s, not 1", what,
                                      info.name, pn_number_text(length).text);
    }
    memmove(out, q, (size_t)nq * sizeof *out);
    pinion_status status = pinion_normalize(m, out);
    return status == PINION_OK ? status
                               : pn_trajectory_fail(err, status, "%s: %s", what, pinion_status_text(status));
}

/* ------------------------------------------------------------------------------------------------ */
/* Profiles */

static const char *const profile_names[PINION_PROFILE_COUNT] = {
    [PINION_PROFILE_CYCLOIDAL] = "cycloidal",
    [PINION_PROFILE_QUINTIC] = "quintic",
    [PINION_PROFILE_TRAPEZOIDAL] = "trapezoidal",
    [PINION_PROFILE_UNIFORM] = "uniform",
    [PINION_PROFILE_NONIC] = "nonic",
};

const char *pinion_profile_name(pinion_profile profile)
{
    return (int)profile >= 0 && profile < PINION_PROFILE_COUNT ? profile_names[profile] : NULL;
}

int pinion_profile_find(const char *name)
{
    for (int i = 0; name && i < PINION_PROFILE_COUNT; i++)
        if (strcmp(name, profile_names[i]) == 0) return i;
    return -1;
}

pinion_status pn_profile_check(double duration, pinion_profile profile, double blend, pinion_error *err)
{
    if (!isfinite(duration) || !(duration > 0))
        return pn_trajectory_fail(err, PINION_ERR_ARGUMENT, "the duration must be above 0 s, not %s",
                                  pn_number_text(duration).text);
    if (!pinion_profile_name(profile))
        return pn_trajectory_fail(err, PINION_ERR_ARGUMENT, "there is no profile %d", (int)profile);
    if (profile == PINION_PROFILE_TRAPEZOIDAL && !(blend > 0 && blend <= 0.5))
        return pn_trajectory_fail(
            err, PINION_ERR_ARGUMENT,
            "the blend of a trapezoidal profile must be above 0 and at most 0.5, not %s",
            pn_number_text(blend).text);
    return PINION_OK;
}

/* Speeding up over the part `blend` of the time, slowing down over the same part; the speed between is then
 * 1/(1 - blend). The second half is the first one mirrored. Where a jumps it is that of what follows. */
static void trapezoidal_at(double blend, double x, double s[3])
{
    const int second = x >= 0.5;
    const double y = second ? 1 - x : x, speed = 1 / (1 - blend), rise = speed / blend;
    const int ramp = x < blend || x >= 1 - blend;
    s[0] = ramp ? 0.5 * rise * y * y : speed * (y - 0.5 * blend);
    s[1] = ramp ? rise * y : speed;
    s[2] = ramp ? rise : 0;
    if (second) {
        s[0] = 1 - s[0];
        s[2] = -s[2];
    }
}

void pn_profile_at(pinion_profile profile, double blend, double x, double s[3])
{
    switch (profile) {
    case PINION_PROFILE_QUINTIC:
        s[0] = x * x * x * (10 + x * (6 * x - 15));
        s[1] = 30 * x * x * (1 - x) * (1 - x);
        s[2] = 60 * x * (1 - x) * (1 - 2 * x);
        break;
    case PINION_PROFILE_TRAPEZOIDAL: trapezoidal_at(blend, x, s); break;
    case PINION_PROFILE_UNIFORM:
        s[0] = x;
        s[1] = 1;
        s[2] = 0;
        break;
    case PINION_PROFILE_NONIC: {
        const double u = x * (1 - x), w = 1 - 2 * x;
        s[0] = x * x * x * x * x * (126 + x * (-420 + x * (540 + x * (70 * x - 315))));
        s[1] = 630 * u * u * u * u;
        s[2] = 2520 * u * u * u * w;
        break;
    }
    default: /* Saha 1999, Eqs. 38 and 39, made to run from 0 to 1 */
        s[0] = x - sin(2 * M_PI * x) / (2 * M_PI);
        s[1] = 2 * sin(M_PI * x) * sin(M_PI * x);
        s[2] = 2 * M_PI * sin(2 * M_PI * x);
        break;
    }
}

void pn_profile_higher(pinion_profile profile, double x, double s[2])
{
    const double u = x * (1 - x), w = 1 - 2 * x;
    s[0] = s[1] = 0;
    if (profile == PINION_PROFILE_QUINTIC) {
        s[0] = 60 * (1 - 6 * u);
        s[1] = -360 * w;
    } else if (profile == PINION_PROFILE_NONIC) {
        s[0] = 2520 * u * u * (3 * w * w - 2 * u);
        s[1] = 15120 * u * w * (w * w - 3 * u);
    } else if (profile == PINION_PROFILE_CYCLOIDAL) {
        s[0] = 4 * M_PI * M_PI * cos(2 * M_PI * x);
        s[1] = -8 * M_PI * M_PI * M_PI * sin(2 * M_PI * x);
    }
}

void pn_profile_jumps(pinion_trajectory *trajectory, pinion_profile profile, double blend)
{
    const double T = trajectory->end, edge[2] = {blend, 1 - blend};
    for (int i = 0; i < 2 && profile == PINION_PROFILE_TRAPEZOIDAL; i++) {
        /* the first t with t/T behind the edge, to the bit */
        double t = edge[i] * T;
        while (t / T < edge[i]) t = nextafter(t, INFINITY);
        while (nextafter(t, 0) / T >= edge[i]) t = nextafter(t, 0);
        if (trajectory->jump_count == 0 || t > trajectory->jumps[0]) trajectory->jumps[trajectory->jump_count++] = t;
    }
    if (profile == PINION_PROFILE_TRAPEZOIDAL || profile == PINION_PROFILE_UNIFORM)
        trajectory->jumps[trajectory->jump_count++] = nextafter(T, INFINITY);
}

double pn_trajectory_jump(const pinion_trajectory *trajectory, double t)
{
    double next = INFINITY;
    for (int i = 0; i < trajectory->jump_count; i++)
        if (trajectory->jumps[i] > t) next = fmin(next, trajectory->jumps[i]);
    int low = 0, high = trajectory->kink_count;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (trajectory->kinks[middle] <= t)
            low = middle + 1;
        else
            high = middle;
    }
    return low < trajectory->kink_count ? fmin(next, trajectory->kinks[low]) : next;
}

/* ------------------------------------------------------------------------------------------------ */
/* The interface */

pinion_trajectory *pn_trajectory_new(const pinion_model *m, size_t size, pinion_error *err)
{
    pinion_trajectory *p = calloc(1, size);
    if (p) {
        p->nq = pinion_model_nq(m);
        p->nv = pinion_model_nv(m);
        p->m = pinion_model_copy(m);
        p->v = calloc(2 * (size_t)p->nv + 1, sizeof *p->v);
        p->a = p->v + p->nv;
    }
    if (p && p->m && p->v) return p;
    pinion_trajectory_free(p);
    pn_trajectory_fail(err, PINION_ERR_MEMORY, "out of memory");
    return NULL;
}

void pinion_trajectory_free(pinion_trajectory *trajectory)
{
    if (!trajectory) return;
    if (trajectory->release) trajectory->release(trajectory);
    pinion_model_free(trajectory->m);
    free(trajectory->kinks);
    free(trajectory->v);
    free(trajectory);
}

double pinion_trajectory_start(const pinion_trajectory *trajectory)
{
    return trajectory ? trajectory->start : 0;
}

double pinion_trajectory_end(const pinion_trajectory *trajectory)
{
    return trajectory ? trajectory->end : 0;
}

const char *pinion_trajectory_text(const pinion_trajectory *trajectory)
{
    return trajectory ? trajectory->text : "";
}

const double *pinion_trajectory_times(const pinion_trajectory *trajectory, int *count)
{
    const double *times = trajectory ? trajectory->times : NULL;
    if (count) *count = times ? trajectory->time_count : 0;
    return times;
}

pinion_status pinion_trajectory_higher(pinion_trajectory *trajectory, double t, double *jerk, double *snap)
{
    if (!trajectory || isnan(t)) return PINION_ERR_ARGUMENT;
    if (!trajectory->higher) return PINION_ERR_UNSUPPORTED;
    if (!jerk) jerk = trajectory->v;
    if (!snap) snap = trajectory->a;
    if (t >= trajectory->start && t <= trajectory->end) return trajectory->higher(trajectory, t, jerk, snap);
    for (int i = 0; i < trajectory->nv; i++) jerk[i] = snap[i] = 0;
    return PINION_OK;
}

pinion_status pinion_trajectory_at(pinion_trajectory *trajectory, double t, double *q, double *v, double *a)
{
    if (!trajectory || !q || isnan(t)) return PINION_ERR_ARGUMENT;
    const int outside = t < trajectory->start || t > trajectory->end;
    if (t < trajectory->start) t = trajectory->start;
    if (t > trajectory->end) t = trajectory->end;
    if (!v) v = trajectory->v;
    if (!a) a = trajectory->a;
    pinion_status status = trajectory->at(trajectory, t, q, v, a);
    for (int i = 0; outside && i < trajectory->nv; i++) v[i] = a[i] = 0;
    return status;
}
