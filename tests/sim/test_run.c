/* Runs: rows to a result and to a sink, in pieces, interrupted, resumed, and what they refuse. */
#define _POSIX_C_SOURCE 200809L
#include "run.h"

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

/* A brake so hard that AUTO goes over to BDF. */
static pinion_status brake(void *user, double t, const double *q, const double *v, double *tau)
{
    (void)user, (void)t, (void)q;
    tau[0] = -2e4 * v[0];
    return PINION_OK;
}

/* A run that ends after every few steps and goes on gets to its end, and is the one that does not, although some
 * methods cannot be stored between checkpoints. */
TEST(a_few_steps_at_a_time_get_to_the_end)
{
    static const pinion_integrator method[] = {PINION_INTEGRATOR_BDF, PINION_INTEGRATOR_AUTO, PINION_INTEGRATOR_DIRK,
                                               PINION_INTEGRATOR_DOPRI5};
    pinion_error err = {0};
    pinion_model *m = driver_text(ROD);
    for (int k = 0; k < 4; k++) {
        pinion_run_def def = swing(method[k]);
        def.checkpoint = in_folder("f.h5");
        def.checkpoint_every = 0.7;
        if (method[k] == PINION_INTEGRATOR_AUTO) def.sim.torque = brake;
        pinion_result *whole = in_pieces(m, def, LONG_MAX);
        pinion_run_summary how = {0};
        remove(def.checkpoint);
        int parts = 0;
        for (; parts < 1000 && how.end != PINION_RUN_COMPLETE; parts++) {
            def.max_steps = 37;
            def.result = pinion_result_new();
            pinion_run *run = make(m, &def);
            pinion_result *c = parts ? pinion_result_load(def.checkpoint, &err) : NULL;
            if (parts) CHECK_STATUS(pinion_run_resume(run, c), PINION_OK);
            CHECK_STATUS(pinion_run_to_end(run), PINION_OK);
            CHECK_STATUS(pinion_run_summarize(run, &how), PINION_OK);
            if (how.end == PINION_RUN_COMPLETE) {
                CHECK(same_results(whole, def.result));
                if (method[k] == PINION_INTEGRATOR_AUTO) CHECK(how.implicit_steps > 37);
            }
            pinion_run_free(run);
            pinion_result_free(c);
            pinion_result_free(def.result);
        }
        if (parts < 3 || parts > 999) CHECK_FAIL("%s: %d parts", pinion_integrator_name(method[k]), parts);
        pinion_result_free(whole);
    }
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
    const double progress[3] = {0.5, 1, 0};
    CHECK_STATUS(pinion_result_set_numbers(c, "checkpoint_progress", 3, progress), PINION_OK);
    CHECK_STATUS(pinion_run_resume(run, c), PINION_ERR_ARGUMENT);
    CHECK_HAS(pinion_run_message(run), "does not fit");
    pinion_run_free(run);
    pinion_result_free(c);
    pinion_result_free(empty);
    pinion_model_free(m);
    pinion_model_free(other);
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

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    if (!mkdtemp(folder)) return 1;
    RUN(sink_and_result_get_the_same);
    RUN(pieces_make_the_whole_to_the_bit);
    RUN(checkpoints_resume_to_the_bit);
    RUN(streams_resume_to_the_bit);
    RUN(an_interrupted_run_is_complete_so_far_and_goes_on);
    RUN(a_few_steps_at_a_time_get_to_the_end);
    RUN(what_resuming_refuses);
    RUN(what_is_refused);
    static const char *const file[] = {"c.h5", "s.h5", "i.h5", "r.h5", "f.h5"};
    for (int i = 0; i < 5; i++) remove(in_folder(file[i]));
    CHECK(entries() == 0 && rmdir(folder) == 0); /* no part of a file is left */
    return CHECK_END();
}
