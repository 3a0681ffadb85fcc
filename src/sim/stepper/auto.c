/* AUTO: the method of Dormand and Prince where the motion is smooth, BDF where it is stiff, and back. What counts is
 * how far each gets with an evaluation. The other one is tried where there are signs that it would get farther, and
 * is kept where it does; after each trial that is lost the next one waits twice as long. Everything is decided from
 * what the steps were, so that the same start and options give the same steps. */
#include "sim/stepper/method.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { EXPLICIT, IMPLICIT };

#define STABLE 3.25        /* h |lambda| up to which the explicit method damps on the negative real axis */
#define SIGNS 15           /* steps at that edge that make a stiff stretch (Hairer, Wanner 1996, section IV.2) ... */
#define CALM 6             /* ... unless so many on end were not there */
#define NEAR 0.25          /* of h |lambda|: above, on average over some hundred steps, there is a fast mode that error
                            * control follows although it may not matter; smooth motions have a hundredth ... */
#define SMOOTH 8.0         /* ... at the tightest tolerances, and no more than this times the fifth root of others */
#define AVERAGED 200.0     /* steps of that average */
#define RECENT 50.0        /* steps that tell how far an evaluation leads */
#define GAIN 2             /* times as far with an evaluation that BDF must get: its errors add up faster */
#define LEAST_WAIT 500     /* steps until the other method is tried again */
#define MOST_WAIT (1 << 20)

/* Steps of a trial, and how many at its beginning do not count: BDF starts with order one and tiny steps. */
static const int trial[2] = {20, 120}, warm[2] = {10, 70};

typedef struct auto_data {
    void *part[2];  /* what the two methods have; BDF's from its first step on */
    int last, next; /* the methods of the last step and of the next one */
    int trying;     /* the trial of `next` is not over */
    int signs, calm;
    double edge;       /* average of h |lambda| of the explicit method, since it went over to it */
    long steps;        /* since it went over to this method, or since a window of this length began */
    long wait;         /* until the next trial is worth it */
    double pace[2];    /* s an evaluation where it was last measured; 0: not yet */
    double spent, way; /* evaluations, and s that they led ahead, since the pace is being measured */
    long implicit_steps, changes;
} auto_data;

static const pn_method *method_of(int k)
{
    return k == EXPLICIT ? &pn_method_explicit : &pn_method_cvode;
}

/* ---------------------------------------------------------------------------------------------
 * Making one */

static pinion_status auto_open(pn_stepper *s)
{
    auto_data *a = calloc(1, sizeof *a);
    if (!a) return PINION_ERR_MEMORY;
    const pinion_status status = pn_method_explicit.open(s);
    a->part[EXPLICIT] = s->data;
    s->data = a;
    return status;
}

static void auto_close(pn_stepper *s)
{
    auto_data *a = s->data;
    for (int k = 0; a && k < 2; k++) {
        s->data = a->part[k];
        if (s->data) method_of(k)->close(s);
    }
    free(a);
    s->data = NULL;
}

static pinion_status start_part(pn_stepper *s, int k)
{
    auto_data *a = s->data;
    pinion_status status = PINION_OK;
    s->data = a->part[k];
    if (!s->data) status = method_of(k)->open(s);
    if (status == PINION_OK) status = method_of(k)->start(s);
    a->part[k] = s->data;
    s->data = a;
    return status;
}

static void measure_anew(auto_data *a)
{
    a->spent = a->way = 0;
    a->steps = 0;
    a->signs = a->calm = 0;
}

/* A new run begins with the explicit method; one that goes on from an instant keeps what it has found. */
static pinion_status auto_start(pn_stepper *s)
{
    auto_data *a = s->data;
    if (s->steps == 0) {
        a->next = EXPLICIT;
        a->trying = 0;
        a->wait = 0;
        a->edge = 0;
        a->pace[EXPLICIT] = a->pace[IMPLICIT] = 0;
        a->implicit_steps = a->changes = 0;
        measure_anew(a);
    }
    a->last = a->next;
    return start_part(s, a->next);
}

/* ---------------------------------------------------------------------------------------------
 * Which method */

static pinion_status go_over(pn_stepper *s, int trying)
{
    auto_data *a = s->data;
    a->next = !a->next;
    a->trying = trying;
    a->changes++;
    a->edge = 0;
    measure_anew(a);
    return start_part(s, a->next);
}

/* Whether the steps of the explicit method look as if BDF could take longer ones: stability limits them, or a mode that
 * is nearly as fast as they are short. */
static int looks_stiff(pn_stepper *s)
{
    auto_data *a = s->data;
    s->data = a->part[EXPLICIT];
    const double edge = pn_explicit_stiffness(s);
    s->data = a;
    if (edge > STABLE) {
        a->signs += a->signs < SIGNS;
        a->calm = 0;
    } else if (++a->calm >= CALM) {
        a->signs = 0;
    }
    a->edge += (fmin(edge, 10) - a->edge) / AVERAGED;
    const double tolerance = s->options.rtol > 0 ? s->options.rtol : s->options.atol;
    return a->signs >= SIGNS || a->edge > fmax(NEAR, SMOOTH * pow(tolerance, 0.2));
}

/* A trial is over: the method stays where it gets farther than the other one did. */
static pinion_status end_trial(pn_stepper *s)
{
    auto_data *a = s->data;
    const int k = a->next;
    a->trying = 0;
    if ((a->pace[IMPLICIT] > GAIN * a->pace[EXPLICIT]) == (k == IMPLICIT)) {
        a->wait = LEAST_WAIT;
        return PINION_OK;
    }
    a->wait = a->wait < MOST_WAIT ? 2 * a->wait : MOST_WAIT;
    return go_over(s, 0);
}

/* After a step: which method takes the next one. */
static pinion_status choose(pn_stepper *s)
{
    auto_data *a = s->data;
    const int k = a->next;
    a->steps++;
    if (a->trying) {
        if (a->steps == warm[k]) a->spent = a->way = 0;
        if (a->steps < trial[k]) return PINION_OK;
        a->pace[k] = a->way / a->spent;
        return end_trial(s);
    }
    /* what was long ago, in the air say, tells nothing about what is here */
    const double fade = 1 - 1 / RECENT;
    a->spent *= fade;
    a->way *= fade;
    const int wanted = k == EXPLICIT ? looks_stiff(s) : 1;
    const long window = a->wait > LEAST_WAIT ? a->wait : LEAST_WAIT;
    const int due = k == EXPLICIT ? a->steps >= a->wait : a->steps >= window;
    if (wanted && due) {
        a->pace[k] = a->way / a->spent;
        if (a->wait < LEAST_WAIT) a->wait = LEAST_WAIT;
        return go_over(s, 1);
    }
    if (a->steps >= window) measure_anew(a);
    return PINION_OK;
}

/* ---------------------------------------------------------------------------------------------
 * The step */

static pinion_status step_by(pn_stepper *s, double end)
{
    auto_data *a = s->data;
    const long evaluations = s->evaluations;
    s->data = a->part[a->next];
    const pinion_status status = method_of(a->next)->step(s, end);
    s->data = a;
    a->spent += (double)(s->evaluations - evaluations);
    return status;
}

/* Where one method finds no step at all the other one may. */
static pinion_status step_by_other(pn_stepper *s, double end)
{
    auto_data *a = s->data;
    char first[sizeof s->message];
    memcpy(first, s->message, sizeof first);
    memcpy(s->now.q, s->before.q, (size_t)s->system.nq * sizeof(double));
    memcpy(s->now.v, s->before.v, (size_t)s->system.nv * sizeof(double));
    if (s->system.nz) memcpy(s->now.z, s->before.z, (size_t)s->system.nz * sizeof(double));
    s->now.t = s->before.t;
    s->origin = s->before.q;
    pinion_status status = go_over(s, 0);
    a->wait = 2 * LEAST_WAIT;
    if (status == PINION_OK) status = step_by(s, end);
    /* what the explicit method says tells more about the motion */
    if (status != PINION_OK && a->next == IMPLICIT) memcpy(s->message, first, sizeof first);
    return status;
}

static pinion_status auto_step(pn_stepper *s, double end)
{
    auto_data *a = s->data;
    pinion_status status = step_by(s, end);
    /* with loops not from the explicit method: where one is singular BDF would blunder on */
    if (status == PINION_ERR_STEP && (!s->system.project || a->next == IMPLICIT)) status = step_by_other(s, end);
    if (status != PINION_OK) return status;
    a->last = a->next;
    a->way += s->now.t - s->before.t;
    a->implicit_steps += a->last == IMPLICIT;
    return choose(s);
}

static pinion_status auto_dense(pn_stepper *s, double t, double *y)
{
    auto_data *a = s->data;
    s->data = a->part[a->last];
    const pinion_status status = method_of(a->last)->dense(s, t, y);
    s->data = a;
    return status;
}

static int auto_restarts(const pn_stepper *s, int next)
{
    const auto_data *a = s->data;
    return (next ? a->next : a->last) == IMPLICIT;
}

static void auto_changes(const pn_stepper *s, long *implicit_steps, long *changes)
{
    const auto_data *a = s->data;
    *implicit_steps = a->implicit_steps;
    *changes = a->changes;
}

/* ---------------------------------------------------------------------------------------------
 * Memory */

enum { NUMBERS = 13 };

static int explicit_size(const pn_stepper *s)
{
    return pn_method_explicit.memory_size(s);
}

static int auto_memory_size(const pn_stepper *s)
{
    return NUMBERS + explicit_size(s);
}

static void auto_store(pn_stepper *s, double *memory)
{
    auto_data *a = s->data;
    const double head[NUMBERS] = {a->next,          a->trying,  a->signs,   a->calm,
                                  (double)a->steps, (double)a->wait, a->pace[0], a->pace[1],
                                  a->spent,         a->way,     (double)a->implicit_steps, (double)a->changes,
                                  a->edge};
    memcpy(memory, head, sizeof head);
    memset(memory + NUMBERS, 0, (size_t)explicit_size(s) * sizeof *memory);
    s->data = a->part[a->next];
    if (s->data) method_of(a->next)->store(s, memory + NUMBERS);
    s->data = a;
}

static pinion_status auto_restore(pn_stepper *s, const double *memory)
{
    auto_data *a = s->data;
    int good = 1;
    for (int i = 0; i < NUMBERS; i++) good = good && memory[i] >= 0 && memory[i] <= 0x1p53;
    good = good && memory[0] <= 1 && memory[1] <= 1 && memory[2] <= SIGNS && memory[3] <= 0x1p30 &&
           memory[5] <= 2 * MOST_WAIT;
    if (!good) return pn_stepper_fail(s, PINION_ERR_ARGUMENT, "what was stored is not of this integrator");
    a->last = a->next = (int)memory[0];
    a->trying = (int)memory[1];
    a->signs = (int)memory[2];
    a->calm = (int)memory[3];
    a->steps = (long)memory[4];
    a->wait = (long)memory[5];
    a->pace[0] = memory[6];
    a->pace[1] = memory[7];
    a->spent = memory[8];
    a->way = memory[9];
    a->implicit_steps = (long)memory[10];
    a->changes = (long)memory[11];
    a->edge = memory[12];
    pinion_status status = start_part(s, a->next);
    s->data = a->part[a->next];
    if (status == PINION_OK) status = method_of(a->next)->restore(s, memory + NUMBERS);
    s->data = a;
    return status;
}

const pn_method pn_method_auto = {auto_open,  auto_close,       auto_start, auto_step,
                                  auto_dense, auto_memory_size, auto_store, auto_restore,
                                  auto_restarts, auto_changes};
