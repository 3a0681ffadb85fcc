/* What the tests of the simulation driver share: models, runs, and states to compare. */
#ifndef PN_TEST_DRIVER_H
#define PN_TEST_DRIVER_H

#include "check.h"
#include "pinion/sim/sim.h"

enum { DRIVER_MOST = 128 };

/* Room for a state. */
typedef struct instant {
    double q[DRIVER_MOST], v[DRIVER_MOST], a[DRIVER_MOST], tau[DRIVER_MOST];
    pinion_sim_state s;
} instant;

/* A model of the bundled ones; NULL, and a failed check, when it is not there. */
static inline pinion_model *driver_model(const char *file)
{
    const char *folder = getenv("PINION_MODELS");
    char path[1024];
    pinion_error err = {0};
    snprintf(path, sizeof path, "%s/%s", folder ? folder : "models", file);
    pinion_model *m = pinion_load(path, NULL, &err);
    if (!m) CHECK_FAIL("%s: %s", path, err.message);
    return m;
}

/* A model from a text. */
static inline pinion_model *driver_text(const char *text)
{
    pinion_error err = {0};
    pinion_model *m = pinion_load_string(text, strlen(text), PINION_FORMAT_AUTO, "model", NULL, &err);
    if (!m) CHECK_FAIL("%s", err.message);
    return m;
}

static inline pinion_sim *driver_sim(const pinion_model *m, const pinion_sim_options *o)
{
    pinion_error err = {0};
    pinion_sim *s = m ? pinion_sim_new(m, o, &err) : NULL;
    if (m && !s) CHECK_FAIL("%s", err.message);
    return s;
}

/* The state at the time reached. */
static inline void driver_get(pinion_sim *s, instant *x)
{
    memset(x, 0, sizeof *x);
    x->s.q = x->q;
    x->s.v = x->v;
    x->s.a = x->a;
    x->s.tau = x->tau;
    CHECK_STATUS(pinion_sim_get(s, &x->s), PINION_OK);
}

static inline void driver_advance(pinion_sim *s, double t)
{
    const pinion_status status = pinion_sim_advance(s, t);
    if (status != PINION_OK) CHECK_FAIL("advance to %g: %s", t, pinion_sim_message(s));
}

/* Equal to the bit, all of it. */
static inline int same_instant(const instant *a, const instant *b)
{
    return a->s.t == b->s.t && memcmp(a->q, b->q, sizeof a->q) == 0 && memcmp(a->v, b->v, sizeof a->v) == 0 &&
           memcmp(a->a, b->a, sizeof a->a) == 0 && memcmp(a->tau, b->tau, sizeof a->tau) == 0 &&
           a->s.kinetic == b->s.kinetic && a->s.potential == b->s.potential && a->s.work == b->s.work &&
           a->s.drift == b->s.drift && a->s.constraint == b->s.constraint &&
           a->s.largest_kinetic == b->s.largest_kinetic && a->s.largest_drift == b->s.largest_drift;
}

/* A random state with speeds up to `speed`. */
static inline void driver_random(const pinion_model *m, uint64_t seed, double speed, double *q, double *v)
{
    uint64_t state = seed * 77 + 5;
    CHECK_STATUS(pinion_random(m, seed, q), PINION_OK);
    for (int i = 0; i < pinion_model_nv(m); i++) v[i] = check_between(&state, -speed, speed);
}

/* Options of an integrator, with tolerances that all of them can meet. */
static inline pinion_sim_options driver_options(int integrator)
{
    pinion_sim_options o = pinion_sim_options_default();
    o.integrator = (pinion_integrator)integrator;
    if (pinion_integrator_is_fixed(o.integrator))
        o.step = 2e-3;
    else
        o.rtol = o.atol = 1e-9;
    return o;
}

/* A ball of 2 kg on a vertical rail, between -1 and 3 m; without gravity's help at rest. */
#define SLIDER                                                                                               \
    "{\"pinion\": 1, \"name\": \"slider\", \"links\": [{\"name\": \"rail\"}, {\"name\": \"ball\", "          \
    "\"mass\": 2,\n"                                                                                         \
    "  \"inertia\": {\"xx\": 1, \"yy\": 1, \"zz\": 1}}],\n"                                                  \
    " \"joints\": [{\"name\": \"slide\", \"type\": \"prismatic\", \"axis\": [0, 0, 1], \"parent\": "         \
    "\"rail\",\n"                                                                                            \
    "   \"child\": \"ball\", \"limits\": [-1, 3]}]}\n"

/* A body of 3 kg that flies. */
#define FLYER                                                                                                \
    "{\"pinion\": 1, \"name\": \"flyer\", \"links\": [{\"name\": \"ground\"}, {\"name\": \"body\", "         \
    "\"mass\": 3,\n"                                                                                         \
    "  \"inertia\": {\"xx\": 1, \"yy\": 2, \"zz\": 2.5}}],\n"                                                \
    " \"joints\": [{\"name\": \"fly\", \"type\": \"free\", \"parent\": \"ground\", \"child\": \"body\"}]}\n"

/* A rod of 2 kg whose mass centre hangs 0.5 m below the hinge, 0.7 kg m^2 about it. */
#define ROD                                                                                                  \
    "{\"pinion\": 1, \"name\": \"rod\", \"links\": [{\"name\": \"base\"}, {\"name\": \"arm\", \"mass\": "    \
    "2,\n"                                                                                                   \
    "  \"com\": [0, 0, -0.5], \"inertia\": {\"xx\": 0.2, \"yy\": 0.2, \"zz\": 0.1}}],\n"                     \
    " \"frames\": [{\"name\": \"tip\", \"link\": \"arm\", \"origin\": {\"position\": [0, 0, -1]}}],\n"       \
    " \"joints\": [{\"name\": \"hinge\", \"type\": \"continuous\", \"axis\": [0, 1, 0], \"parent\": "        \
    "\"base\",\n"                                                                                            \
    "   \"child\": \"arm\"}]}\n"

#endif
