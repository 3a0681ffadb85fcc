/* The C API in double precision. */
#define PN_T double
#define PN_FN(name) name
#define PN_WORK(name) pinion_work_##name
#define PN_OVER PN_OVER_F64
#define PN_USE pn_work_use_f64
#define PN_UNIT_TOLERANCE 1e-6
#define PN_WITH_ALGORITHMS
#include "api/api.inc"

pinion_status pn_work_enter(const pinion_model *m, pinion_work *w, const double *q, const void *output,
                            double **columns)
{
    const pinion_status status = enter(m, w, q, output);
    if (status == PINION_OK) *columns = w->scratch + m->layout.columns;
    return status;
}
