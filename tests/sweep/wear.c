/* A plugin of sweep.plugins: the way that the first coordinate travels, from row to row. */
#include <math.h>

#include "pinion/sim/sweep.h"

double travel(void *user, const pinion_sweep_view *run);

double travel(void *user, const pinion_sweep_view *run)
{
    double sum = 0;
    if (user || run->outcome > PINION_SWEEP_STOPPED) return NAN;
    for (size_t i = 1; i < run->rows; i++)
        sum += fabs(run->row[i * (size_t)run->columns + 1] - run->row[(i - 1) * (size_t)run->columns + 1]);
    return sum;
}
