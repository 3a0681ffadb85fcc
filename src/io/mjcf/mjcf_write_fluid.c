/* The drag of links as the medium of MJCF: it has one for all bodies, which are braked as boxes of their
 * inertia. */
#include "io/mjcf/mjcf_shape.h"
#include "io/mjcf/mjcf_write.h"
#include "model/pose.h"

#include <math.h>
#include <string.h>

static int near(double x, double y, double size)
{
    return fabs(x - y) <= 1e-12 * size;
}

void pn_mjcf_moments(const mjcf_writer *w, int link, const double R[9], double I[3], double *off)
{
    const double *x = w->inertia[link].inertia, A[9] = {x[0], x[1], x[2], x[1], x[3], x[4], x[2], x[4], x[5]};
    double half[9], back[9], D[9];
    for (int i = 0; i < 9; i++) back[i] = R[3 * (i % 3) + i / 3];
    pn_matrix_mul(back, A, half);
    pn_matrix_mul(half, R, D);
    for (int i = 0; i < 3; i++) I[i] = D[4 * i];
    *off = fmax(fabs(D[1]), fmax(fabs(D[2]), fabs(D[5])));
}

/* Whether the drag of a link is that of its box in a medium; of the first link it says which. */
static int is_box(mjcf_writer *w, int link, const pinion_drag *d, int first)
{
    const pinion_inertia *x = &w->inertia[link];
    pinion_drag unit = *d, box = *d;
    double I[3], off;
    pn_mjcf_moments(w, link, d->pose.rotation, I, &off);
    for (int i = 0; i < 3; i++) {
        if (d->pose.position[i] != x->com[i]) return 0;
    }
    if (off > 1e-12 * (I[0] + I[1] + I[2])) return 0;
    pn_mjcf_box_drag(x->mass, I, 1, 1, &unit);
    if (first) {
        w->density = d->quadratic[3] / unit.quadratic[3];
        w->viscosity = d->linear[3] / unit.linear[3];
        memcpy(w->wind, d->wind, sizeof w->wind);
    }
    if (memcmp(w->wind, d->wind, sizeof w->wind) != 0) return 0;
    pn_mjcf_box_drag(x->mass, I, w->density, w->viscosity, &box);
    for (int i = 0; i < 6; i++) {
        if (!near(d->linear[i], box.linear[i], box.linear[i])) return 0;
        if (!near(d->quadratic[i], box.quadratic[i], box.quadratic[i])) return 0;
    }
    return 1;
}

void pn_mjcf_find_medium(mjcf_writer *w)
{
    int first = 1;
    w->medium = 0;
    for (int i = 0; i < pinion_model_link_count(w->m); i++) {
        pinion_link_info info;
        if (pinion_model_link(w->m, i, &info) != PINION_OK) return;
        if (info.body == 0 || (!info.drag && w->inertia[i].mass < MJCF_LEAST)) continue;
        if (!info.drag || w->inertia[i].mass < MJCF_LEAST || !is_box(w, i, info.drag, first)) return;
        first = 0;
    }
    w->medium = !first && (w->density > 0 || w->viscosity > 0);
}
