/* Parts of the compiler. Private to src/model. */
#ifndef PN_COMPILE_MODEL_H
#define PN_COMPILE_MODEL_H

#include "model/plan/place_frames.h"
#include "model/plan/plan.h"
#include "model/record.h"

/* transcribe.c: the description into the block, whose counts and offsets are set. */
size_t pn_description_size(const pn_plan *plan); /* bytes of its strings and degrees of freedom */
void pn_transcribe(pinion_model *m, const pn_plan *plan);

#endif
