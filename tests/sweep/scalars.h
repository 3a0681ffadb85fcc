/* The scalars of a sweep's runs. */
#ifndef TEST_SCALARS_H
#define TEST_SCALARS_H
#include "check.h"
#include "pinion/sim/sim.h"

/* Makes all runs of a sweep, which must be complete, compares `count` scalars of each, and frees it. */
static inline void check_scalars(pinion_sweep *s, pinion_error *err, const char *what, int runs, int count,
                                 const double *values, double near)
{
    pinion_sweep_worker *w = s ? pinion_sweep_worker_new(s, err) : NULL;
    if (!w) CHECK_FAIL("%s: %s", what, err->message);
    CHECK(pinion_sweep_count(s) == (uint64_t)runs && pinion_sweep_scalar_count(s) == count);
    for (int i = 0; i < runs && w; i++) {
        pinion_sweep_record r;
        CHECK_STATUS(pinion_sweep_run(w, (uint64_t)i, &r), PINION_OK);
        if (r.outcome != PINION_SWEEP_COMPLETE) CHECK_FAIL("%s, run %d: %s", what, i, r.why);
        for (int k = 0; k < count; k++)
            if (!(fabs(r.scalars[k] - values[i * count + k]) <= near))
                CHECK_FAIL("%s, run %d: scalar %d is %.12g, not %.12g", what, i, k, r.scalars[k],
                           values[i * count + k]);
    }
    pinion_sweep_worker_free(w);
    pinion_sweep_free(s);
}

#endif
