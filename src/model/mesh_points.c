/* Copies of a model in which a mesh has its points. */
#include <stdlib.h>
#include <string.h>

#include "model/build/describe.h"
#include "model/record.h"

pinion_model *pinion_model_with_points(const pinion_model *m, int collision, int count, const double *points,
                                       pinion_error *err)
{
    const char *wrong = NULL;
    if (!m || !points || collision < 0 || collision >= m->collisions)
        wrong = "there is no such model, collision or points";
    else if (!PN_AT_CONST(m, pn_collision_record, m->collision)[collision].mesh)
        wrong = "the collision is no mesh in a file";
    else if (count < 4 || count > PN_MAX_DATA / 3)
        wrong = "a mesh has too few or too many points; expected 4 or more, and 16777216 numbers at most";
    else if (!pn_finite(points, 3 * count))
        wrong = "a mesh has a point that is not finite";
    if (wrong) {
        pn_error_set(err, PINION_ERR_ARGUMENT, NULL, 0, 0, "%s", wrong);
        return NULL;
    }

    /* the points come behind all that there is */
    const size_t bytes = 3 * (size_t)count * sizeof *points;
    const size_t size = (m->size + bytes + PN_ALIGN - 1) / PN_ALIGN * PN_ALIGN;
    pinion_model *copy = size <= UINT32_MAX ? aligned_alloc(PN_ALIGN, size) : NULL;
    if (!copy) {
        pn_error_set(err, PINION_ERR_MEMORY, NULL, 0, 0, "out of memory");
        return NULL;
    }
    memcpy(copy, m, m->size);
    memset((char *)copy + m->size, 0, size - m->size);
    memcpy((char *)copy + m->size, points, bytes);
    pn_collision_record *record = PN_AT(copy, pn_collision_record, copy->collision) + collision;
    record->data = m->size;
    record->info.rows = count;
    record->info.columns = 3;
    copy->size = (uint32_t)size;
    return copy;
}
