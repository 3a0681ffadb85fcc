/* Which boxes overlap: sorted along x, each is compared with those that begin before it ends (sweep and prune, Baraff
 * 1992). Boxes move little from step to step, so that sorting by insertion takes hardly any time. */
#include "pinion/shapes.h"

/* by the lower end, then by number: one order, whatever the last one was */
static int is_before(const double *low, int a, int b)
{
    return low[3 * a] < low[3 * b] || (low[3 * a] == low[3 * b] && a < b);
}

static int overlap(const double *low, const double *high, int a, int b)
{
    for (int k = 0; k < 3; k++)
        if (!(low[3 * a + k] <= high[3 * b + k] && low[3 * b + k] <= high[3 * a + k])) return 0;
    return 1;
}

pinion_status pinion_shape_overlaps(int count, const double *low, const double *high, int *order,
                                    pinion_overlap_fn *found, void *context)
{
    if (count < 0 || !found || (count && !(low && high && order))) return PINION_ERR_ARGUMENT;
    for (int i = 0; i < count; i++)
        if (order[i] < 0 || order[i] >= count) return PINION_ERR_ARGUMENT;
    for (int i = 1; i < count; i++) {
        const int box = order[i];
        int at = i;
        for (; at > 0 && is_before(low, box, order[at - 1]); at--) order[at] = order[at - 1];
        order[at] = box;
    }
    for (int i = 0; i < count; i++)
        for (int j = i + 1; j < count; j++) {
            const int a = order[i], b = order[j];
            if (low[3 * b] > high[3 * a]) break;
            if (overlap(low, high, a, b) && found(context, a < b ? a : b, a < b ? b : a)) return PINION_ERR_CALLBACK;
        }
    return PINION_OK;
}
