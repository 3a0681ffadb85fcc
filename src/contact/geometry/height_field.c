/* Height fields: cells of two triangles, each a convex prism down into the ground. */
#include <math.h>
#include <string.h>
#include "base/vec3.h"
#include "contact/geometry/shape_pairs.h"

/* of a convex solid in the frame of a field */
static void bounds_in(const pinion_solid *field, const pn_convex *c, double low[3], double high[3])
{
    for (int k = 0; k < 3; k++) {
        double d[3], p[3], along;
        for (int i = 0; i < 3; i++) d[i] = field->pose.rotation[3 * i + k];
        pn_convex_support(c, d, p);
        for (int i = 0; i < 3; i++) p[i] -= field->pose.position[i];
        along = pn_dot3(p, d);
        high[k] = along + c->radius;
        for (int i = 0; i < 3; i++) d[i] = -d[i];
        pn_convex_support(c, d, p);
        for (int i = 0; i < 3; i++) p[i] -= field->pose.position[i];
        low[k] = -pn_dot3(p, d) - c->radius;
    }
}

/* the cell of a coordinate, in 0 to cells */
static int cell_of(double x, double length, int cells)
{
    const double at = floor((x / length + 0.5) * cells);
    return at < 0 ? 0 : at > cells ? cells : (int)at;
}

pn_field pn_field_near(const pinion_solid *field, const pn_convex *c, double margin)
{
    pn_field f = {field, {0, 0}, {field->columns - 1, field->rows - 1}};
    double low[3], high[3];
    if (isinf(margin)) return f;
    bounds_in(field, c, low, high);
    for (int k = 0; k < 2; k++) {
        const int cells = f.high[k];
        f.low[k] = cell_of(low[k] - margin, field->size[k], cells);
        const int last = cell_of(high[k] + margin, field->size[k], cells) + 1;
        f.high[k] = last < cells ? last : cells;
    }
    return f;
}

/* the corners of the two triangles of a cell */
static const int corner[2][3][2] = {{{0, 0}, {1, 0}, {0, 1}}, {{1, 0}, {1, 1}, {0, 1}}};

int pn_field_next(const pn_field *f, int *place, pn_prism *out)
{
    const pinion_solid *s = f->solid;
    const int width = f->high[0] - f->low[0], cell = *place / 2, second = *place % 2;
    if (width <= 0 || cell >= width * (f->high[1] - f->low[1])) return 0;
    const int x = f->low[0] + cell % width, y = f->low[1] + cell / width;
    const double side[2] = {s->size[0] / (s->columns - 1), s->size[1] / (s->rows - 1)};
    double lowest = -s->size[2];
    for (int i = 0; i < 3; i++) {
        const int cx = x + corner[second][i][0], cy = y + corner[second][i][1];
        double *p = out->points + 3 * i;
        p[0] = cx * side[0] - 0.5 * s->size[0];
        p[1] = cy * side[1] - 0.5 * s->size[1];
        p[2] = s->data[(size_t)cy * (size_t)s->columns + (size_t)cx];
        lowest = fmin(lowest, p[2]);
    }
    /* far enough down that the way out is up */
    lowest -= 2 * (side[0] + side[1]);
    for (int i = 0; i < 3; i++) {
        memcpy(out->points + 9 + 3 * i, out->points + 3 * i, 3 * sizeof(double));
        out->points[9 + 3 * i + 2] = lowest;
    }
    memset(&out->convex, 0, sizeof out->convex);
    out->convex.shape = PINION_SHAPE_MESH;
    out->convex.R = s->pose.rotation;
    out->convex.at = s->pose.position;
    out->convex.points = 6;
    out->convex.data = out->points;
    out->convex.scale[0] = out->convex.scale[1] = out->convex.scale[2] = 1;
    ++*place;
    return 1;
}

int pn_field_is_outside(const pinion_solid *field, const double point[3], const double normal[3])
{
    const double near = 1e-6; /* of a cell, and of a slope */
    const int cells[2] = {field->columns - 1, field->rows - 1};
    const double side[2] = {field->size[0] / cells[0], field->size[1] / cells[1]};
    double p[3], n[3], d[3], at[2];
    int low[2], high[2];
    for (int k = 0; k < 3; k++) d[k] = point[k] - field->pose.position[k];
    pn_turn3_back(field->pose.rotation, d, p);
    pn_turn3_back(field->pose.rotation, normal, n);
    for (int k = 0; k < 2; k++) {
        at[k] = p[k] / side[k] + 0.5 * cells[k];
        low[k] = cell_of(p[k] - near * side[k], field->size[k], cells[k]);
        high[k] = cell_of(p[k] + near * side[k], field->size[k], cells[k]);
    }
    for (int y = low[1]; y <= high[1] && y < cells[1]; y++)
        for (int x = low[0]; x <= high[0] && x < cells[0]; x++)
            for (int second = 0; second < 2; second++) {
                const double sum = (at[0] - x) + (at[1] - y) - 1; /* below 0 in the first triangle */
                if (second ? sum < -near : sum > near) continue;
                for (int i = 0; i < 3; i++) {
                    const int cx = x + corner[second][i][0], cy = y + corner[second][i][1];
                    const double to[3] = {cx * side[0] - 0.5 * field->size[0] - p[0],
                                          cy * side[1] - 0.5 * field->size[1] - p[1],
                                          field->data[(size_t)cy * (size_t)field->columns + (size_t)cx] - p[2]};
                    if (pn_dot3(n, to) > 1e-6 * sqrt(pn_dot3(to, to)) + 1e-9 * (side[0] + side[1])) return 0;
                }
            }
    return 1;
}
