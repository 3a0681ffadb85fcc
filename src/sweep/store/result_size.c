/* How large a result will be: the numbers themselves, and what HDF5 needs around them, as files of many plans have it
 * (tests/sweep/test_result.c compares). */
#include <string.h>

#include "sweep/plan/sweep_plan.h"

#define FILE_HEAD 6800.0      /* bytes of groups and attributes */
#define DATASET 400.0         /* of one dataset with its attributes */
#define COLUMN 630.0          /* the same of a column of trajectories */
#define STATISTICS 4500.0     /* of their group */
#define NUMBER 2850.0         /* of the statistics of one number */
#define INDICES 2600.0        /* of Sobol's indices of one scalar */

double pinion_sweep_result_size(const pinion_sweep *s, double rows, double failed)
{
    if (!s) return 0;
    const double runs = (double)pinion_sweep_count(s), numbers = s->parameter_count + s->kept_count;
    const double texts = (double)strlen(s->text) + (double)strlen(s->model_json);
    double size = FILE_HEAD + DATASET * numbers + texts +
                  runs * (8 * (numbers + 1) + 1 + failed * (8 + PINION_SWEEP_WHY));
    if (s->statistics) size += STATISTICS + NUMBER * numbers;
    if (s->statistics && s->indices) size += INDICES * s->kept_count;
    if (s->rows != PN_ROWS_NONE)
        size += 8 * (runs + 1) + s->column_count * (COLUMN + 8 * runs * rows);
    return size;
}
