/* The scalars of a run, as its rows come. */
#include "sweep/run/worker.h"

#include <math.h>

/* One number of a row: a column, or the distance of a frame from a point. Of several columns the one that
 * counts. */
static double value_of(const pn_kept *k, const double *row)
{
    if (k->frame) {
        double sum = 0;
        for (int i = 0; i < 3; i++) {
            const double d = row[k->columns[i]] - k->target[i];
            sum += d * d;
        }
        return sqrt(sum);
    }
    double x = row[k->columns[0]];
    for (int i = 1; i < k->count; i++) {
        const double y = row[k->columns[i]];
        const int takes = k->take == PN_TAKE_MIN ? y < x : k->take == PN_TAKE_MAX ? y > x : fabs(y) > fabs(x);
        if (takes || isnan(y)) x = y;
        if (isnan(x)) break;
    }
    return x;
}

void pn_tally_begin(pinion_sweep_worker *w)
{
    for (int i = 0; i < w->s->kept_count; i++) w->tally[i] = (pn_tally){.since = NAN};
}

/* The integral goes by the trapezoidal rule. */
static void add_piece(pn_tally *a, double t, double x)
{
    if (a->rows > 0) a->value += 0.5 * (t - a->t) * (a->last + x);
    a->t = t;
    a->last = x;
}

void pn_tally_row(pinion_sweep_worker *w, const double *row)
{
    const double t = row[0];
    for (int i = 0; i < w->s->kept_count; i++) {
        const pn_kept *k = &w->s->kept[i];
        pn_tally *a = &w->tally[i];
        if (k->plugin) continue;
        const double x = value_of(k, row);
        if (a->rows == 0) a->first_t = t;
        switch (k->take) {
        case PN_TAKE_INITIAL:
            if (a->rows == 0) a->value = x;
            break;
        case PN_TAKE_MIN:
            if (a->rows == 0 || x < a->value || isnan(x)) a->value = x;
            break;
        case PN_TAKE_MAX:
            if (a->rows == 0 || x > a->value || isnan(x)) a->value = x;
            break;
        case PN_TAKE_PEAK:
            if (a->rows == 0 || fabs(x) > a->value || isnan(x)) a->value = fabs(x);
            break;
        case PN_TAKE_MEAN:
        case PN_TAKE_INTEGRAL: add_piece(a, t, x); break;
        case PN_TAKE_RMS: add_piece(a, t, x * x); break;
        case PN_TAKE_SETTLING:
            if (!(fabs(x) <= k->within))
                a->since = NAN;
            else if (isnan(a->since))
                a->since = t;
            break;
        default: a->value = x; break;
        }
        a->rows++;
    }
}

void pn_tally_end(pinion_sweep_worker *w)
{
    for (int i = 0; i < w->s->kept_count; i++) {
        const pn_kept *k = &w->s->kept[i];
        const pn_tally *a = &w->tally[i];
        const double time = a->t - a->first_t;
        double x = a->value;
        if (k->take == PN_TAKE_SETTLING) x = a->since;
        if (k->take == PN_TAKE_MEAN) x = time > 0 ? x / time : a->last;
        if (k->take == PN_TAKE_RMS) x = sqrt(time > 0 ? x / time : a->last);
        w->scalars[i] = a->rows ? x : NAN;
    }
}
