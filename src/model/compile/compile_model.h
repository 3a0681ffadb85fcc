/* Parts of the compiler. Private to src/model. */
#ifndef PN_COMPILE_MODEL_H
#define PN_COMPILE_MODEL_H

#include "model/plan/place_frames.h"
#include "model/plan/plan.h"
#include "model/record.h"

/* transcribe.c: the description into the block, whose counts and offsets are set. */
size_t pn_description_size(const pn_plan *plan); /* bytes of its strings and degrees of freedom */
void pn_transcribe(pinion_model *m, const pn_plan *plan);

/* fill_elastic.c: counts of elastic links; their tables and those of their places; the masses of these, behind those of
 * links; the numbers of their description. */
void pn_count_elastic(pn_counts *n, const pn_plan *plan, const pn_skeleton *s);
void pn_fill_elastic(pinion_model *m, const pn_plan *plan, const pn_skeleton *s);
void pn_merge_places(pinion_model *m, const pn_plan *plan, const pn_skeleton *s);
size_t pn_elastic_data_count(const pn_plan *plan);

#endif
