/* When a sweep has enough runs: the key "stop" of a plan. */
#include "sweep/plan/sweep_plan.h"

#include <math.h>
#include <string.h>

#define EVERY 1000      /* runs before the first look */
#define CONFIDENCE 0.95 /* of the interval */
#define EXACT 9007199254740992.0

/* A scalar by its name, or "failure": the probability that a run fails. */
static int read_of(const pn_json_value *v, const pinion_sweep *s, int *scalar)
{
    pn_json_value of;
    const char *name = NULL;
    if (!pn_value_need(v, "of", &of) || !pn_value_string(&of, &name)) return 0;
    for (*scalar = 0; *scalar < s->kept_count; ++*scalar)
        if (strcmp(s->kept[*scalar].name, name) == 0) return 1;
    *scalar = -1;
    return strcmp(name, "failure") == 0 || pn_value_fail(&of, "expected \"failure\" or the name of a scalar");
}

int pn_plan_read_stop(const pn_json_value *v, pinion_sweep *s)
{
    static const char *const keys[] = {"of", "within", "relative", "confidence", "every", NULL};
    pn_plan_stop *stop = &s->stop;
    pn_json_value within;
    double every = EVERY;
    stop->confidence = CONFIDENCE;
    if (!pn_value_object(v, keys) || !read_of(v, s, &stop->scalar) || !pn_value_need(v, "within", &within) ||
        !pn_plan_positive(v, "within", 0, &stop->within) || !pn_get_boolean(v, "relative", &stop->relative) ||
        !pn_plan_positive(v, "confidence", 0, &stop->confidence) || !pn_plan_positive(v, "every", 0, &every))
        return 0;
    if (!(stop->confidence < 1)) return pn_value_fail(v, "\"confidence\" is not below 1");
    if (!(every >= 2 && every <= EXACT && every == floor(every)))
        return pn_value_fail(v, "\"every\": expected a whole number of at least 2");
    if (s->points > 1)
        return pn_value_fail(v, "beside a list or a grid, whose points are to be complete");
    if (s->indices) return pn_value_fail(v, "beside \"indices\", whose runs are not independent of each other");
    stop->every = (uint64_t)every;
    return 1;
}
