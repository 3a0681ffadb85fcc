/* Runs: rows to a result and to a sink, in pieces, interrupted, resumed, and what they refuse. */
#define _POSIX_C_SOURCE 200809L
#include <limits.h>
#include <unistd.h>

#include "driver.h"
#include "pinion/sim/run.h"

static char folder[] = "/tmp/pinion-run-XXXXXX";
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

static pinion_status answer(const heard *h, const char *what, size_t count)
{
    return h->refuse && strcmp(h->refuse, what) == 0 && count == h->at ? PINION_ERR_CALLBACK : PINION_OK;
}

static pinion_status hear_begin(void *user, int count, const pinion_column *columns)
{
    heard *h = user;
    h->begins++;
    h->columns = count;
    h->names[0] = '\0';
    for (int i = 0; i < count; i++)
        snprintf(h->names + strlen(h->names), sizeof h->names - strlen(h->names), "%s ", columns[i].name);
    return answer(h, "columns", 1);
}

static pinion_status hear_row(void *user, int count, const double *values)
{
    heard *h = user;
    if (h->rows < 400 && count <= 40) memcpy(h->row[h->rows], values, (size_t)count * sizeof *values);
    return answer(h, "row", ++h->rows);
}

static pinion_status hear_event(void *user, double t, const char *text)
{
    heard *h = user;
    CHECK(text && *text);
    if (h->events < 40) h->event[h->events] = t;
    return answer(h, "event", (size_t)++h->events);
}

static pinion_status hear_end(void *user, const pinion_run_summary *summary)
{
    heard *h = user;
    h->ends++;
    h->end = *summary;
    return answer(h, "end", 1);
}

static pinion_sink listen(heard *h)
{
    memset(h, 0, sizeof *h);
    return (pinion_sink){h, hear_begin, hear_row, hear_event, hear_end};
}

/* ---------------------------------------------------------------------------------------------
 * Runs */

static const double rod_start[1] = {2.5};

/* A rod that swings for 2 s, a row every 0.03 s. */
static pinion_run_def swing(int integrator)
{
    pinion_run_def def = pinion_run_def_default();
    def.sim = driver_options(integrator);
    def.q = rod_start;
    def.duration = 2;
    def.output_step = 0.03;
    return def;
}

/* With an event whenever its tip passes the height of the hinge. */
static pinion_run *make(const pinion_model *m, const pinion_run_def *def)
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
static int same_results(const pinion_result *a, const pinion_result *b)
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
static pinion_result *in_pieces(const pinion_model *m, pinion_run_def def, long steps)
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

TEST(sink_and_result_get_the_same)
{
    heard h;
    pinion_model *m = driver_text(ROD);
    pinion_run_def def = swing(PINION_INTEGRATOR_DOPRI5);
    def.result = pinion_result_new();
    def.sink = listen(&h);
    def.command = "a test";
    def.model_file = "rod.json";
    pinion_run *run = make(m, &def);
    CHECK(pinion_result_row_count(def.result) == 0 && pinion_result_find_column(def.result, "tau.hinge") > 0);
    CHECK_STATUS(pinion_run_to_end(run), PINION_OK);

    /* 0, 0.03, ..., 1.98 and 2 */
    CHECK(h.begins == 1 && h.ends == 1 && h.rows == 68 && pinion_result_row_count(def.result) == 68);
    CHECK_HAS(h.names, "t q.hinge v.hinge a.hinge tau.hinge energy.kinetic energy.potential energy.total energy.work "
                       "energy.drift ");
    CHECK(h.columns == pinion_result_column_count(def.result));
    for (size_t i = 0; i < h.rows; i++) {
        CHECK(h.row[i][0] == (i == 67 ? 2 : 0.03 * (double)i));
        for (int c = 0; c < h.columns; c++) CHECK(h.row[i][c] == pinion_result_values(def.result, c)[i]);
    }
    CHECK(h.events > 0 && h.events == pinion_result_event_count(def.result));
    for (int i = 0; i < h.events; i++) {
        double t = 0;
        CHECK(pinion_result_event(def.result, i, &t) && t == h.event[i]);
    }

    /* the summary, and what the result says of it */
    pinion_run_summary s;
    CHECK_STATUS(pinion_run_summarize(run, &s), PINION_OK);
    CHECK(s.end == PINION_RUN_COMPLETE && s.rows == 68 && s.t_end == 2 && s.output_step == 0.03);
    CHECK(s.events == (size_t)h.events && s.steps > 50 && s.evaluations > s.steps && !*s.why && s.wall >= 0);
    CHECK(s.largest_kinetic > 1 && s.relative_drift < 1e-6 && isnan(s.constraint));
    CHECK(h.end.steps == s.steps && h.end.relative_drift == s.relative_drift);
    CHECK_HAS(pinion_result_get(def.result, "end"), "complete");
    CHECK_HAS(pinion_result_get(def.result, "integrator"), "dopri5");
    CHECK_HAS(pinion_result_get(def.result, "algorithm"), "aba");
    CHECK_HAS(pinion_result_get(def.result, "command"), "a test");
    CHECK_HAS(pinion_result_get(def.result, "model_file"), "rod.json");
    CHECK_HAS(pinion_result_get(def.result, "title"), "rod: simulation over 2 s");
    pinion_run_free(run);
    pinion_result_free(def.result);
    pinion_model_free(m);
}

TEST(pieces_make_the_whole_to_the_bit)
{
    pinion_model *m = driver_text(ROD);
    for (int method = 0; method < PINION_INTEGRATOR_COUNT; method++) {
        pinion_run_def def = swing(method);
        def.duration = 0.5;
        pinion_result *whole = in_pieces(m, def, LONG_MAX), *one = in_pieces(m, def, 1), *few = in_pieces(m, def, 7);
        if (!same_results(whole, one) || !same_results(whole, few)) CHECK_FAIL("%s", pinion_integrator_name(method));
        pinion_result_free(whole);
        pinion_result_free(one);
        pinion_result_free(few);
    }
    pinion_model_free(m);
}

/* ---------------------------------------------------------------------------------------------
 * Resuming */

/* A run that wrote a checkpoint from time to time, and one that goes on from the last of them. */
TEST(checkpoints_resume_to_the_bit)
{
    pinion_error err = {0};
    pinion_model *m = driver_text(ROD);
    for (int method = 0; method < PINION_INTEGRATOR_COUNT; method++) {
        pinion_run_def def = swing(method);
        def.duration = 0.5;
        def.checkpoint = in_folder("c.h5");
        def.checkpoint_every = 0.17;
        def.checkpoint_text = "how to go on";
        pinion_result *whole = in_pieces(m, def, 5), *c = pinion_result_load(def.checkpoint, &err);
        CHECK(c && pinion_result_row_count(c) == 12); /* those up to 0.34 s */
        CHECK_HAS(pinion_result_get(c, "checkpoint"), "how to go on");

        heard h;
        def.sink = listen(&h);
        def.result = pinion_result_new();
        pinion_run *run = make(m, &def);
        CHECK_STATUS(pinion_run_resume(run, c), PINION_OK);
        CHECK(h.begins == 1 && h.rows == 12 && pinion_sim_time(pinion_run_simulation(run)) == 2 * 0.17);
        CHECK_STATUS(pinion_run_to_end(run), PINION_OK);
        if (!same_results(whole, def.result)) CHECK_FAIL("%s", pinion_integrator_name(method));
        CHECK(h.rows == pinion_result_row_count(whole) && h.ends == 1);
        pinion_run_free(run);
        pinion_result_free(def.result);
        pinion_result_free(whole);
        pinion_result_free(c);
    }
    pinion_model_free(m);
}

/* Without a result nobody keeps the rows: the sink has had them already. */
TEST(streams_resume_to_the_bit)
{
    heard all, first, rest;
    pinion_error err = {0};
    pinion_model *m = driver_text(FLYER);
    const double q[7] = {1, 0, 0, 0, 0, 0, 0}, v[6] = {1, 2, 3, 0, 0, 1};
    pinion_run_def def = swing(PINION_INTEGRATOR_DOPRI5);
    def.q = q;
    def.v = v;
    def.duration = 1;
    def.sink = listen(&all);
    pinion_run *run = pinion_run_new(m, &def, &err);
    CHECK_STATUS(pinion_run_to_end(run), PINION_OK);
    pinion_run_free(run);

    def.sink = listen(&first);
    run = pinion_run_new(m, &def, &err);
    while (first.rows < 11 && pinion_run_advance(run, 3) == PINION_OK) continue;
    CHECK_STATUS(pinion_run_store(run, in_folder("s.h5")), PINION_OK);
    pinion_run_free(run);
    pinion_result *c = pinion_result_load(in_folder("s.h5"), &err);
    CHECK(c && pinion_result_row_count(c) == 0);

    def.sink = listen(&rest);
    run = pinion_run_new(m, &def, &err);
    CHECK_STATUS(pinion_run_resume(run, c), PINION_OK);
    CHECK_STATUS(pinion_run_to_end(run), PINION_OK);
    CHECK(first.rows == 11 && all.rows == 35 && rest.rows == 24);
    CHECK(memcmp(all.row, first.row, 11 * sizeof all.row[0]) == 0);
    CHECK(memcmp(all.row[11], rest.row, 24 * sizeof all.row[0]) == 0);
    CHECK(rest.end.rows == 35 && rest.end.steps == all.end.steps && rest.end.evaluations == all.end.evaluations);
    CHECK(rest.end.largest_drift == all.end.largest_drift && rest.end.relative_drift == all.end.relative_drift);
    CHECK(rest.end.constraint == all.end.constraint && rest.end.constraint > 0);
    pinion_run_free(run);

    /* who wants the whole in a result cannot have it from there */
    def.result = pinion_result_new();
    run = pinion_run_new(m, &def, &err);
    CHECK_STATUS(pinion_run_resume(run, c), PINION_ERR_ARGUMENT);
    CHECK_HAS(pinion_run_message(run), "does not fit");
    pinion_run_free(run);
    pinion_result_free(def.result);
    pinion_result_free(c);
    pinion_model_free(m);
}

TEST(an_interrupted_run_is_complete_so_far_and_goes_on)
{
    heard h;
    pinion_error err = {0};
    pinion_model *m = driver_text(ROD);
    pinion_run_def def = swing(PINION_INTEGRATOR_DOPRI5);
    def.checkpoint = in_folder("i.h5");
    pinion_result *whole = in_pieces(m, def, LONG_MAX);
    def.result = pinion_result_new();
    def.sink = listen(&h);
    pinion_run *run = make(m, &def);
    for (int k = 0; k < 40; k++) CHECK_STATUS(pinion_run_advance(run, 3), PINION_OK);
    const double t = pinion_sim_time(pinion_run_simulation(run));
    CHECK_STATUS(pinion_run_interrupt(run), PINION_OK);
    CHECK(pinion_run_ended(run) == PINION_RUN_INTERRUPTED && h.ends == 1 && t > 0.1 && t < 2);
    CHECK(h.end.t_end == t && h.row[h.rows - 1][0] == t);
    CHECK(strcmp(pinion_run_message(run), "") == 0);
    pinion_run_summary how;
    CHECK_STATUS(pinion_run_summarize(run, &how), PINION_OK);
    CHECK_HAS(how.why, "interrupted at t = ");
    CHECK_HAS(pinion_result_get(def.result, "end"), "interrupted: interrupted at t = ");
    CHECK_STATUS(pinion_run_interrupt(run), PINION_OK); /* once is enough */
    CHECK_STATUS(pinion_run_to_end(run), PINION_OK);
    CHECK(h.ends == 1);
    pinion_run_free(run);
    pinion_result_free(def.result);

    pinion_result *c = pinion_result_load(in_folder("i.h5"), &err);
    def.sink = (pinion_sink){0};
    def.checkpoint = in_folder("i.h5");
    def.result = pinion_result_new();
    run = make(m, &def);
    CHECK_STATUS(pinion_run_resume(run, c), PINION_OK);
    CHECK_STATUS(pinion_run_to_end(run), PINION_OK);
    CHECK(same_results(whole, def.result));
    pinion_run_free(run);
    pinion_result_free(def.result);
    pinion_result_free(whole);
    pinion_result_free(c);
    pinion_model_free(m);
}

TEST(what_resuming_refuses)
{
    pinion_error err = {0};
    pinion_model *m = driver_text(ROD), *other = driver_text(SLIDER);
    pinion_run_def def = swing(PINION_INTEGRATOR_RK4);
    def.checkpoint = in_folder("r.h5");
    pinion_result_free(in_pieces(m, def, LONG_MAX));
    pinion_result *c = pinion_result_load(in_folder("r.h5"), &err), *empty = pinion_result_new();
    def.checkpoint = NULL;
    def.result = pinion_result_new();
    pinion_run *run = make(m, &def);
    CHECK_STATUS(pinion_run_resume(run, NULL), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_run_resume(run, empty), PINION_ERR_ARGUMENT);
    CHECK_HAS(pinion_run_message(run), "another version");

    /* a failed attempt leaves the run as it was */
    CHECK_STATUS(pinion_run_resume(run, c), PINION_OK);
    CHECK_STATUS(pinion_run_resume(run, c), PINION_ERR_ARGUMENT);
    CHECK_HAS(pinion_run_message(run), "started already");
    CHECK_STATUS(pinion_run_to_end(run), PINION_OK);
    pinion_run_free(run);
    pinion_result_free(def.result);
    def.result = NULL;

    /* another model, another integrator, a shorter run, altered numbers */
    run = pinion_run_new(other, &def, &err);
    CHECK_STATUS(pinion_run_resume(run, c), PINION_ERR_ARGUMENT);
    CHECK_HAS(pinion_run_message(run), "the model has changed");
    pinion_run_free(run);
    def.sim.integrator = PINION_INTEGRATOR_EULER;
    run = make(m, &def);
    CHECK_STATUS(pinion_run_resume(run, c), PINION_ERR_ARGUMENT);
    CHECK_HAS(pinion_run_message(run), "cannot be resumed");
    pinion_run_free(run);
    def = swing(PINION_INTEGRATOR_RK4);
    def.duration = 0.1;
    run = make(m, &def);
    CHECK_STATUS(pinion_run_resume(run, c), PINION_ERR_ARGUMENT);
    CHECK_HAS(pinion_run_message(run), "does not fit");
    const double progress[2] = {0.5, 1};
    CHECK_STATUS(pinion_result_set_numbers(c, "checkpoint_progress", 2, progress), PINION_OK);
    CHECK_STATUS(pinion_run_resume(run, c), PINION_ERR_ARGUMENT);
    CHECK_HAS(pinion_run_message(run), "does not fit");
    pinion_run_free(run);
    pinion_result_free(c);
    pinion_result_free(empty);
    pinion_model_free(m);
    pinion_model_free(other);
}

/* ---------------------------------------------------------------------------------------------
 * Other ends */

TEST(an_event_stops_it)
{
    heard h;
    pinion_error err = {0};
    pinion_model *m = driver_text(ROD);
    pinion_run_def def = swing(PINION_INTEGRATOR_DOPRI5);
    pinion_event_def event = pinion_event_def_default();
    event.kind = PINION_EVENT_KINETIC;
    event.height = 3;
    event.stop = 1;
    def.sink = listen(&h);
    pinion_run *run = make(m, &def);
    CHECK_STATUS(pinion_sim_add_event(pinion_run_simulation(run), &event, &err), PINION_OK);
    CHECK_STATUS(pinion_run_to_end(run), PINION_OK);
    CHECK(pinion_run_ended(run) == PINION_RUN_STOPPED && h.ends == 1 && h.end.end == PINION_RUN_STOPPED);
    CHECK_HAS(h.end.why, "kinetic");
    CHECK_NEAR(h.row[h.rows - 1][5], 3, 1e-9); /* the last row is at the event */
    CHECK(h.event[h.events - 1] == h.end.t_end);
    pinion_run_free(run);
    pinion_model_free(m);
}

static pinion_status failing(void *user, double t, const double *q, const double *v, double *tau)
{
    (void)user;
    (void)q;
    (void)v;
    tau[0] = 0;
    return t > 0.4 ? PINION_ERR_CALLBACK : PINION_OK;
}

TEST(a_failure_keeps_what_was_right)
{
    heard h;
    pinion_model *m = driver_text(ROD);
    pinion_run_def def = swing(PINION_INTEGRATOR_DOPRI5);
    def.sim.torque = failing;
    def.sim.max_step = 0.01;
    def.result = pinion_result_new();
    def.sink = listen(&h);
    pinion_run *run = make(m, &def);
    CHECK_STATUS(pinion_run_to_end(run), PINION_ERR_CALLBACK);
    CHECK(pinion_run_ended(run) == PINION_RUN_FAILED && h.ends == 1 && h.rows == pinion_result_row_count(def.result));
    CHECK(h.end.t_end > 0.38 && h.end.t_end <= 0.4);
    CHECK_HAS(pinion_run_message(run), "the integration ends at t = ");
    CHECK_HAS(pinion_result_get(def.result, "end"), "failed: the integration ends");
    CHECK_STATUS(pinion_run_advance(run, 1), PINION_ERR_CALLBACK);
    pinion_run_free(run);
    pinion_result_free(def.result);
    pinion_model_free(m);
}

/* Ends after so many steps, at the same place however it is cut, and goes on for as many. */
TEST(steps_and_time_are_bounded)
{
    double ended[2];
    pinion_model *m = driver_text(ROD);
    for (int i = 0; i < 2; i++) {
        pinion_run_def def = swing(PINION_INTEGRATOR_DOPRI5);
        def.max_steps = 50;
        def.result = pinion_result_new();
        pinion_run *run = make(m, &def);
        pinion_run_summary how;
        for (int k = 0; k < 1000 && pinion_run_ended(run) == PINION_RUN_GOING; k++)
            CHECK_STATUS(pinion_run_advance(run, i ? 7 : LONG_MAX), PINION_OK);
        CHECK_STATUS(pinion_run_summarize(run, &how), PINION_OK);
        CHECK(how.end == PINION_RUN_INTERRUPTED && how.steps == 50 && how.t_end > 0 && how.t_end < 2);
        CHECK_HAS(how.why, "ended by max_steps, 50, at t = ");
        ended[i] = how.t_end;
        pinion_run_free(run);
        pinion_result_free(def.result);
    }
    CHECK(ended[0] == ended[1]);

    pinion_run_def def = swing(PINION_INTEGRATOR_DOPRI5);
    def.max_time = 1e-9;
    pinion_run *run = make(m, &def);
    pinion_run_summary how;
    CHECK_STATUS(pinion_run_to_end(run), PINION_OK);
    CHECK_STATUS(pinion_run_summarize(run, &how), PINION_OK);
    CHECK(how.end == PINION_RUN_INTERRUPTED && how.steps <= 64);
    CHECK_HAS(how.why, "ended by max_time, 1e-09 s, at t = ");
    pinion_run_free(run);
    pinion_model_free(m);
}

/* So fast a torque that no run would get through it. */
static pinion_status buzzing(void *user, double t, const double *q, const double *v, double *tau)
{
    (void)user;
    (void)q;
    (void)v;
    *tau = 1e6 * sin(1e13 * t);
    return PINION_OK;
}

TEST(a_run_that_gets_nowhere_fails)
{
    pinion_model *m = driver_text(ROD);
    pinion_run_def def = swing(PINION_INTEGRATOR_DOPRI5);
    def.sim.torque = buzzing;
    pinion_run *run = make(m, &def);
    CHECK_STATUS(pinion_run_to_end(run), PINION_ERR_STEP);
    CHECK(pinion_run_ended(run) == PINION_RUN_FAILED);
    CHECK_HAS(pinion_run_message(run), "the run would never end");
    pinion_run_free(run);
    pinion_model_free(m);
}

/* A step that would leave the energies off is not gone into; with more allowed it is, and the summary warns. */
TEST(energies_must_balance)
{
    static const double allowed[] = {0.01, INFINITY};
    pinion_model *m = driver_text(ROD);
    for (int i = 0; i < 2; i++) {
        pinion_run_def def = swing(PINION_INTEGRATOR_RK4);
        def.sim.step = 0.25;
        def.duration = 100;
        def.output_step = 1;
        def.max_drift = allowed[i];
        def.result = pinion_result_new();
        pinion_run *run = make(m, &def);
        pinion_run_summary how;
        CHECK_STATUS(pinion_run_to_end(run), i ? PINION_OK : PINION_ERR_STEP);
        CHECK_STATUS(pinion_run_summarize(run, &how), PINION_OK);
        CHECK(how.end == (i ? PINION_RUN_COMPLETE : PINION_RUN_FAILED));
        CHECK_HAS(i ? how.warning : how.why, "the energies do not balance");
        if (!i) CHECK(how.t_end > 0 && how.t_end < 100 && how.relative_drift <= 0.2);
        if (i) CHECK_HAS(pinion_result_get(def.result, "warning"), "the energies do not balance");
        pinion_run_free(run);
        pinion_result_free(def.result);
    }
    pinion_model_free(m);
}

TEST(a_sink_may_refuse)
{
    pinion_model *m = driver_text(ROD);
    static const struct {
        const char *what;
        size_t at;
    } refusal[] = {{"columns", 1}, {"row", 1}, {"row", 5}, {"event", 2}, {"end", 1}};
    pinion_run_def def = swing(PINION_INTEGRATOR_DOPRI5);
    for (int i = 0; i < 5; i++) {
        heard h;
        def.sink = listen(&h);
        h.refuse = refusal[i].what;
        h.at = refusal[i].at;
        pinion_run *run = make(m, &def);
        CHECK_STATUS(pinion_run_to_end(run), PINION_ERR_CALLBACK);
        CHECK(pinion_run_ended(run) == PINION_RUN_BROKEN && h.ends == (i == 4));
        CHECK(h.rows == (i == 0 ? 0 : i == 1 ? 1 : i == 2 ? 5 : h.rows) && (i != 3 || h.events == 2));
        CHECK_HAS(pinion_run_message(run), "the sink does not take");
        CHECK_HAS(pinion_run_message(run), refusal[i].what);
        CHECK_STATUS(pinion_run_advance(run, 1), PINION_ERR_CALLBACK);
        pinion_run_free(run);
    }
    pinion_model_free(m);
}

TEST(a_checkpoint_that_cannot_be_written_breaks_it)
{
    pinion_model *m = driver_text(ROD);
    pinion_run_def def = swing(PINION_INTEGRATOR_DOPRI5);
    def.checkpoint = "/nowhere/at/all.h5";
    pinion_run *run = make(m, &def);
    CHECK_STATUS(pinion_run_store(run, in_folder("x.h5")), PINION_ERR_ARGUMENT);
    CHECK_HAS(pinion_run_message(run), "not started");
    CHECK_STATUS(pinion_run_advance(run, 1), PINION_OK);
    CHECK_STATUS(pinion_run_store(run, "/nowhere/else.h5"), PINION_ERR_FILE);
    CHECK(pinion_run_ended(run) == PINION_RUN_GOING); /* one that the caller asked for is the caller's */
    CHECK_STATUS(pinion_run_to_end(run), PINION_ERR_FILE);
    CHECK(pinion_run_ended(run) == PINION_RUN_BROKEN);
    CHECK_HAS(pinion_run_message(run), "/nowhere/at/all.h5");
    pinion_run_free(run);
    pinion_model_free(m);
}

TEST(what_is_refused)
{
    pinion_error err = {0};
    pinion_model *m = driver_text(ROD);
    const pinion_run_def good = swing(PINION_INTEGRATOR_DOPRI5);
    pinion_run_def def[14];
    for (int i = 0; i < 14; i++) def[i] = good;
    def[0].cookie = 0;
    def[1].duration = 0;
    def[2].duration = NAN;
    def[3].duration = 1e11;
    def[3].output_step = 1e9;
    def[4].output_step = -1;
    def[5].output_step = 1e-8;
    def[6].checkpoint_every = NAN;
    def[7].sim.max_step = 1e-12;
    def[8].sim.rtol = -1;
    def[9].q = NULL;
    def[9].v = rod_start;
    def[10].max_steps = -1;
    def[11].max_time = NAN;
    def[12].max_drift = 0;
    def[13].checkpoint = "c.h5";
    def[13].checkpoint_every = 1e-300;
    static const char *const words[] = {"pinion_run_def_default", "duration: ",         "duration: ", "duration: ",
                                        "output_step: ",          "output_step: ",      "checkpoint_every: ",
                                        "max_step: ",             "tolerance",          "v: ",
                                        "max_steps: ",            "max_time: ",         "max_drift: ",
                                        "checkpoint_every: 2 s in parts of 1e-300 s"};
    for (int i = 0; i < 14; i++) {
        CHECK(!pinion_run_new(m, &def[i], &err));
        CHECK_HAS(err.message, words[i]);
    }
    def[0] = swing(PINION_INTEGRATOR_RK4);
    def[0].sim.step = 1e-12;
    CHECK(!pinion_run_new(m, &def[0], &err));
    CHECK_HAS(err.message, "step: 2 s in steps of 1e-12 s");
    CHECK(!pinion_run_new(NULL, &good, &err) && !pinion_run_new(m, NULL, &err) && !pinion_run_new(m, &def[1], NULL));

    /* a result that is not empty */
    def[0] = good;
    def[0].result = pinion_result_new();
    CHECK_STATUS(pinion_result_add_column(def[0].result, "t", "s"), PINION_OK);
    CHECK(!pinion_run_new(m, &def[0], &err));
    CHECK_HAS(err.message, "result: ");
    pinion_result_free(def[0].result);

    /* a start that is none */
    double nowhere = NAN;
    pinion_run_summary s;
    def[0] = good;
    def[0].q = &nowhere;
    pinion_run *run = make(m, &def[0]);
    CHECK_STATUS(pinion_run_advance(run, 1), PINION_ERR_ARGUMENT);
    CHECK(pinion_run_ended(run) == PINION_RUN_BROKEN);
    CHECK_HAS(pinion_run_message(run), "not finite");
    CHECK_STATUS(pinion_run_summarize(run, &s), PINION_OK);
    CHECK(s.end == PINION_RUN_BROKEN && s.rows == 0 && isnan(s.t_end));
    pinion_run_free(run);

    /* nothing */
    CHECK_STATUS(pinion_run_advance(NULL, 1), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_run_to_end(NULL), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_run_interrupt(NULL), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_run_store(NULL, "x"), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_run_resume(NULL, NULL), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_run_summarize(NULL, &s), PINION_ERR_ARGUMENT);
    CHECK(!pinion_run_simulation(NULL) && !pinion_run_end_name(PINION_RUN_END_COUNT));
    pinion_run_free(NULL);
    pinion_model_free(m);
}

/* ---------------------------------------------------------------------------------------------
 * The start */

TEST(the_start_closes_loops)
{
    heard h;
    pinion_error err = {0};
    pinion_start_info info;
    pinion_model *m = driver_model("four-bar.json");
    double q[3], v[3], q0[3], v0[3];
    if (!m) return;

    /* as the model has it, which is closed but for the digits of the file */
    pinion_run_def def = pinion_run_def_default();
    def.duration = 0.1;
    def.sink = listen(&h);
    pinion_run *run = pinion_run_new(m, &def, &err);
    CHECK_STATUS(pinion_run_to_end(run), PINION_OK);
    CHECK(h.rows == 101 && h.end.constraint < 1e-9 && h.end.largest_kinetic > 0.1);
    pinion_run_free(run);

    /* open: what is given stays */
    const unsigned char crank[3] = {1, 0, 0};
    CHECK_STATUS(pinion_initial(m, q0, v0), PINION_OK);
    memcpy(q, q0, sizeof q);
    memcpy(v, v0, sizeof v);
    q[0] += 0.2;
    v[0] = 7;
    const double given[2] = {q[0], v[0]};
    CHECK_STATUS(pinion_start_close(m, crank, crank, 0, q, v, &info, &err), PINION_OK);
    CHECK(q[0] == given[0] && v[0] == given[1]);
    CHECK(info.position.open > 1e-3 && info.position.most > 0 && info.position.kept && info.position.change > 1e-3);
    CHECK(info.velocity.open > 1e-3 && info.velocity.most > 0 && info.velocity.kept);
    CHECK(info.mobility.rows == 5 && info.mobility.rank == 2 && info.mobility.freedom == 1 && !info.conflict[0]);

    /* what was found is closed: a second time changes nothing */
    double again[3], speed[3];
    memcpy(again, q, sizeof q);
    memcpy(speed, v, sizeof v);
    CHECK_STATUS(pinion_start_close(m, NULL, NULL, 0, again, speed, &info, &err), PINION_OK);
    CHECK(memcmp(again, q, sizeof q) == 0 && memcmp(speed, v, sizeof v) == 0);
    CHECK(info.position.most == -1 && info.velocity.most == -1);

    /* all three at once cannot be kept, and that is told */
    const unsigned char all[3] = {1, 1, 1};
    memcpy(q, q0, sizeof q);
    q[0] += 0.2;
    CHECK_STATUS(pinion_start_close(m, all, NULL, 0, q, v, &info, &err), PINION_OK);
    CHECK(!info.position.kept && q[0] != q0[0] + 0.2);
    CHECK_STATUS(pinion_start_close(m, NULL, NULL, 0, NULL, v, &info, &err), PINION_ERR_ARGUMENT);
    pinion_model_free(m);
}

/* ---------------------------------------------------------------------------------------------
 * Controllers of the caller's that jump */

/* 3 N up and down in turn, for 0.37 s each: the slider's own weight is 19.62 N. */
enum { HALVES = 6 };
static const double half = 0.37;

static pinion_status square(void *user, double t, const double *q, const double *v, double *tau)
{
    (void)user;
    (void)q;
    (void)v;
    int k = (int)(t / half);
    while (k * half > t) k--;
    while ((k + 1) * half <= t) k++;
    tau[0] = 2 * 9.81 + (k % 2 ? -3 : 3);
    return PINION_OK;
}

static double square_jump(void *user, double t)
{
    (void)user;
    for (int k = 1; k <= HALVES; k++)
        if (k * half > t) return k * half;
    return INFINITY;
}

static double stuck_jump(void *user, double t)
{
    (void)user;
    return t;
}

TEST(a_controller_announces_its_jumps)
{
    pinion_error err = {0};
    pinion_model *m = driver_text(SLIDER);
    const double start = 0, want = 1.5 * half * half / 2;
    for (int announced = 0; announced < 2; announced++) {
        /* parabolas between the jumps: Runge-Kutta's rule has them exactly, if no step goes across one */
        pinion_run_def def = pinion_run_def_default();
        heard h;
        def.sim.integrator = PINION_INTEGRATOR_RK4;
        def.sim.step = 0.1;
        def.sim.torque = square;
        def.sim.torque_jump = announced ? square_jump : NULL;
        def.q = &start;
        def.duration = 2 * half;
        def.output_step = half;
        def.sink = listen(&h);
        pinion_run *run = pinion_run_new(m, &def, &err);
        CHECK_STATUS(pinion_run_to_end(run), PINION_OK);
        const double off = fmax(fabs(h.row[1][1] - want), fabs(h.row[2][1] - 2 * want));
        CHECK(announced ? off < 1e-14 : off > 1e-4);
        CHECK_NEAR(h.row[1][4], 2 * 9.81 - 3, 1e-14); /* at the jump: what follows */
        pinion_run_free(run);
    }

    /* what would never end is refused */
    pinion_sim_options o = pinion_sim_options_default();
    o.torque = square;
    o.torque_jump = stuck_jump;
    pinion_sim *s = driver_sim(m, &o);
    CHECK_STATUS(pinion_sim_start(s, 0, &start, NULL), PINION_OK);
    CHECK_STATUS(pinion_sim_advance(s, 1), PINION_ERR_CALLBACK);
    CHECK_HAS(pinion_sim_message(s), "torque_jump");
    pinion_sim_free(s);
    pinion_model_free(m);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    if (!mkdtemp(folder)) return 1;
    RUN(sink_and_result_get_the_same);
    RUN(pieces_make_the_whole_to_the_bit);
    RUN(checkpoints_resume_to_the_bit);
    RUN(streams_resume_to_the_bit);
    RUN(an_interrupted_run_is_complete_so_far_and_goes_on);
    RUN(what_resuming_refuses);
    RUN(an_event_stops_it);
    RUN(a_failure_keeps_what_was_right);
    RUN(steps_and_time_are_bounded);
    RUN(a_run_that_gets_nowhere_fails);
    RUN(energies_must_balance);
    RUN(a_sink_may_refuse);
    RUN(a_checkpoint_that_cannot_be_written_breaks_it);
    RUN(what_is_refused);
    RUN(the_start_closes_loops);
    RUN(a_controller_announces_its_jumps);
    static const char *const file[] = {"c.h5", "s.h5", "i.h5", "r.h5"};
    for (int i = 0; i < 4; i++) remove(in_folder(file[i]));
    CHECK(entries() == 0 && rmdir(folder) == 0); /* no part of a file is left */
    return CHECK_END();
}
