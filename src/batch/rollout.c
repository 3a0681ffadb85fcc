/* What rollouts of both precisions share. */
#include "pinion/rollout.h"

size_t pinion_rollout_intervals(size_t steps, size_t hold)
{
    if (hold == 0) return 1;
    return steps / hold + (steps % hold != 0);
}

size_t pinion_rollout_records(size_t steps, size_t every)
{
    return every ? steps / every : 0;
}
