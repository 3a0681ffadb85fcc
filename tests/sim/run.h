/* What tests of runs share: a sink that keeps what it is told, a rod that swings, and how results are compared. */
#ifndef PN_TEST_RUN_H
#define PN_TEST_RUN_H

#include <limits.h>
#include <unistd.h>

#include "driver.h"
#include "pinion/sim/run.h"

static char folder[] = "/tmp/pinion-run-XXXXXX"; /* the program's files */
#include "folder.h"

/* ---------------------------------------------------------------------------------------------
 * A sink that keeps what it is told */

typedef struct heard {
    int columns, begins, events, ends;
    char names[2000]; /* of the columns, a blank behind each */
    size_t rows;
    double row[400][40];
    double event[40];
    pinion_run_summary end;
    const char *refuse; /* what is refused: "columns", "row", "event" or "end"; NULL: nothing */
    size_t at;          /* the how manieth */
} heard;

static inline pinion_status answer(const heard *h, const char *what, size_t count)
{
    return h->refuse && strcmp(h->refuse, what) == 0 && count == h->at ? PINION_ERR_CALLBACK : PINION_OK;
}

static inline pinion_status hear_begin(void *user, int count, const pinion_column *columns)
{
    heard *h = user;
    h->begins++;
    h->columns = count;
    h->names[0] = '\0';
    for (int i = 0; i < count; i++)
        snprintf(h->names + strlen(h->names), sizeof h->names - strlen(h->names), "%s ", columns[i].name);
    return answer(h, "columns", 1);
}

static inline pinion_status hear_row(void *user, int count, const double *values)
{
    heard *h = user;
    if (h->rows < 400 && count <= 40) memcpy(h->row[h->rows], values, (size_t)count * sizeof *values);
    return answer(h, "row", ++h->rows);
}

static inline pinion_status hear_event(void *user, double t, const char *text)
{
    heard *h = user;
    CHECK(text && *text);
    if (h->events < 40) h->event[h->events] = t;
    return answer(h, "event", (size_t)++h->events);
}

static inline pinion_status hear_end(void *user, const pinion_run_summary *summary)
{
    heard *h = user;
    h->ends++;
    h->end = *summary;
    return answer(h, "end", 1);
}

static inline pinion_sink listen(heard *h)
{
    memset(h, 0, sizeof *h);
    return (pinion_sink){h, hear_begin, hear_row, hear_event, hear_end};
}

/* ---------------------------------------------------------------------------------------------
 * Runs */

static const double rod_start[1] = {2.5};

/* A rod that swings for 2 s, a row every 0.03 s. */
static inline pinion_run_def swing(int integrator)
{
    pinion_run_def def = pinion_run_def_default();
    def.sim = driver_options(integrator);
    def.q = rod_start;
    def.duration = 2;
    def.output_step = 0.03;
    return def;
}

/* With an event whenever its tip passes the height of the hinge. */
static inline pinion_run *make(const pinion_model *m, const pinion_run_def *def)
{
    pinion_error err = {0};
    pinion_run *run = m ? pinion_run_new(m, def, &err) : NULL;
    if (!run) {
        CHECK_FAIL("%s", err.message);
        return NULL;
    }
    pinion_event_def event = pinion_event_def_default();
    event.kind = PINION_EVENT_PLANE;
    event.index = pinion_model_find_frame(m, "tip");
    CHECK_STATUS(pinion_sim_add_event(pinion_run_simulation(run), &event, &err), PINION_OK);
    return run;
}

/* Whether two results have the same columns, rows and events to the bit, and the same texts. */
static inline int same_results(const pinion_result *a, const pinion_result *b)
{
    const size_t rows = pinion_result_row_count(a);
    const int columns = pinion_result_column_count(a), events = pinion_result_event_count(a);
    if (rows == 0 || columns == 0 || rows != pinion_result_row_count(b)) return 0;
    if (columns != pinion_result_column_count(b) || events != pinion_result_event_count(b)) return 0;
    for (int i = 0; i < columns; i++)
        if (memcmp(pinion_result_values(a, i), pinion_result_values(b, i), rows * sizeof(double)) != 0) return 0;
    for (int i = 0; i < events; i++) {
        double s = 0, t = 1;
        const char *x = pinion_result_event(a, i, &s), *y = pinion_result_event(b, i, &t);
        if (s != t || strcmp(x, y) != 0) return 0;
    }
    if (pinion_result_key_count(a) != pinion_result_key_count(b)) return 0;
    for (int i = 0; i < pinion_result_key_count(a); i++) {
        const char *key = pinion_result_key(a, i), *text = pinion_result_get(b, key);
        if (!text || strcmp(text, pinion_result_get(a, key)) != 0) return 0;
    }
    return 1;
}

/* Runs to the end in pieces of so many steps. */
static inline pinion_result *in_pieces(const pinion_model *m, pinion_run_def def, long steps)
{
    def.result = pinion_result_new();
    pinion_run *run = make(m, &def);
    for (int k = 0; run && k < 1000000 && pinion_run_ended(run) == PINION_RUN_GOING; k++)
        CHECK_STATUS(pinion_run_advance(run, steps), PINION_OK);
    CHECK(pinion_run_ended(run) == PINION_RUN_COMPLETE);
    CHECK_STATUS(pinion_run_advance(run, 1), PINION_OK); /* nothing is left to do */
    pinion_run_free(run);
    return def.result;
}

#endif
