/* Tendons: what a builder takes of them. */
#include <math.h>
#include <string.h>

#include "model/build/describe.h"

pinion_tendon_def pinion_tendon_def_default(void)
{
    pinion_tendon_def def;
    memset(&def, 0, sizeof def);
    def.cookie = PN_COOKIE_TENDON;
    def.limits[0] = -INFINITY;
    def.limits[1] = INFINITY;
    return def;
}

/* What is wrong with one object of a path or a sum, NULL when nothing is. */
static const char *term_fault(const pinion_tendon_def *def, int i)
{
    const char *name = def->through[i];
    const double weight = def->weights ? def->weights[i] : 1;
    if (!name && def->type == PINION_TENDON_JOINTS) return "a joint has no name";
    if (name && (!*name || strlen(name) > PN_MAX_NAME)) return "an object has a name that nothing can have";
    if (def->type == PINION_TENDON_JOINTS && !(isfinite(weight) && weight != 0))
        return "a weight is 0 or not a finite number";
    if (!name && !(isfinite(weight) && weight > 0)) return "the weight of a pulley is not above 0";
    return NULL;
}

/* The same of its numbers. */
static const char *fault_of(const pinion_tendon_def *def)
{
    static const char few[] = "a branch of its path has fewer than two frames";
    if ((int)def->type < 0 || def->type >= PINION_TENDON_TYPE_COUNT) return "its type is none there is";
    if (!(isfinite(def->stiffness) && def->stiffness >= 0)) return "its stiffness is not 0 or above";
    if (!(isfinite(def->damping) && def->damping >= 0)) return "its damping is not 0 or above";
    if (!pn_finite(def->stiffness_curve, 2) || !pn_finite(def->damping_curve, 2))
        return "a number of its curves is not finite";
    if (!pn_finite(def->rest, 2) || def->rest[0] > def->rest[1])
        return "its rest is not two finite numbers, the smaller first";
    if (!(def->limits[0] < def->limits[1])) return "its limits are not two numbers, the smaller first";
    if (def->count < 1 + (def->type == PINION_TENDON_PATH) || def->count > PN_MAX_TERMS || !def->through)
        return "there is too little that it goes through; expected a joint, or two frames";
    const char *fault = NULL;
    int alone = 0; /* frames since the last pulley */
    for (int i = 0; i < def->count && !fault; i++) {
        fault = term_fault(def, i);
        if (def->type == PINION_TENDON_JOINTS) continue;
        if (!def->through[i] && alone < 2 && i > 0) fault = few; /* a first pulley divides the first branch */
        alone = def->through[i] ? alone + 1 : 0;
    }
    if (!fault && def->type == PINION_TENDON_PATH && alone < 2) return few;
    return fault;
}

/* Keeps a string for which there is room. */
static size_t keep(pinion_builder *b, const char *string)
{
    const size_t start = b->text.count, bytes = strlen(string) + 1;
    memcpy(b->text.data + start, string, bytes);
    b->text.count += bytes;
    return start;
}

pinion_status pinion_builder_add_tendon(pinion_builder *b, const pinion_tendon_def *def, pinion_error *err)
{
    if (!b || !def)
        return pn_fail(b, err, PINION_ERR_ARGUMENT, 0, "an argument is NULL; expected a builder and a definition");
    if (def->cookie != PN_COOKIE_TENDON)
        return pn_fail(b, err, PINION_ERR_ARGUMENT, 0,
                       "the definition of a tendon was not started from its default; expected "
                       "pinion_tendon_def_default()");
    const pinion_status status = pn_check_name(b, "tendon", def->name, def->line, err);
    if (status != PINION_OK) return status;
    const char *fault = fault_of(def);
    if (fault)
        return pn_fail(b, err, PINION_ERR_MODEL, def->line, "tendon %s: %s", pn_quote(def->name).text, fault);
    if (b->tendons.count >= PN_MAX_ELEMENTS || b->tendon_terms.count + (size_t)def->count > PN_MAX_TERMS)
        return pn_fail(b, err, PINION_ERR_MODEL, def->line, "the model has too many tendons; expected at most %d",
                       PN_MAX_ELEMENTS);
    size_t bytes = strlen(def->name) + 1;
    for (int i = 0; i < def->count; i++) bytes += def->through[i] ? strlen(def->through[i]) + 1 : 0;
    if (!pn_list_reserve(&b->tendons, 1) || !pn_list_reserve(&b->tendon_terms, (size_t)def->count) ||
        !pn_list_reserve(&b->text, bytes))
        return pn_fail_memory(b, err);
    *PN_ITEM(&b->tendons, pn_described_tendon, b->tendons.count++) =
        (pn_described_tendon){.name = keep(b, def->name),
                              .type = def->type,
                              .term = b->tendon_terms.count,
                              .count = def->count,
                              .stiffness = def->stiffness,
                              .damping = def->damping,
                              .stiffness_curve = {def->stiffness_curve[0], def->stiffness_curve[1]},
                              .damping_curve = {def->damping_curve[0], def->damping_curve[1]},
                              .rest = {def->rest[0], def->rest[1]},
                              .limits = {def->limits[0], def->limits[1]},
                              .line = def->line};
    for (int i = 0; i < def->count; i++) {
        const int counts = def->weights && (def->type == PINION_TENDON_JOINTS || !def->through[i]);
        *PN_ITEM(&b->tendon_terms, pn_described_term, b->tendon_terms.count++) =
            (pn_described_term){def->through[i] ? keep(b, def->through[i]) : 0, 0, counts ? def->weights[i] : 1};
    }
    return PINION_OK;
}
