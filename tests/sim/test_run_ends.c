/* How runs end: by events, failures, bounds, energies that do not balance, sinks and checkpoints that fail; how they
 * start with loops; and controllers that jump. */
#define _POSIX_C_SOURCE 200809L
#include "run.h"

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

/* A rod that hangs 100 m up and swings a little, in steps that are far too long: against what it has of potential
 * energy each step is off by little, and in the end all of them by more than a hundredth of what moved. */
TEST(energies_must_balance_in_the_end)
{
    char text[1000];
    const char *joint = strstr(ROD, "\"child\": \"arm\"}]");
    snprintf(text, sizeof text, "%.*s\"origin\": {\"position\": [0, 0, 100]}, %s", (int)(joint - ROD), ROD, joint);
    const double q = 0.1;
    heard h;
    pinion_model *m = driver_text(text);
    pinion_run_def def = swing(PINION_INTEGRATOR_RK4);
    def.q = &q;
    def.sim.step = 0.25;
    def.duration = 50;
    def.output_step = 1;
    def.max_drift = 0.01;
    def.sink = listen(&h);
    pinion_run *run = make(m, &def);
    CHECK_STATUS(pinion_run_to_end(run), PINION_ERR_STEP);
    CHECK(pinion_run_ended(run) == PINION_RUN_FAILED && h.ends == 1 && h.end.end == PINION_RUN_FAILED);
    CHECK(h.rows == 51 && h.end.t_end == 50); /* all of it is there */
    CHECK_HAS(pinion_run_message(run), "at t = 50 s the energies do not balance: they were off by ");
    CHECK_HAS(pinion_run_message(run), " of the largest kinetic energy, ");
    CHECK(h.end.relative_drift > 0.01);
    pinion_run_free(run);
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

/* A loop that closes but for a digit of its data: what is given stays there, too. */
TEST(the_start_of_rounded_loops)
{
    static const char before[] = "[0.4, 0, 0]", after[] = "[0.4, 0, 1e-7]";
    pinion_error err = {0};
    pinion_start_info info;
    pinion_model *exact = driver_model("four-bar.json");
    char *text = exact ? pinion_save_string(exact, PINION_FORMAT_JSON, &err) : NULL, rounded[9000] = "";
    const char *origin = text ? strstr(text, "\"child_origin\"") : NULL, *at = origin ? strstr(origin, before) : NULL;
    if (!at) CHECK_FAIL("no place to round");
    if (at) snprintf(rounded, sizeof rounded, "%.*s%s%s", (int)(at - text), text, after, at + strlen(before));
    pinion_free(text);
    pinion_model_free(exact);
    pinion_model *m = driver_text(rounded);
    if (!m) return;
    const double turns[4] = {0.1, 0.5, 1, 2.5};
    for (int i = 0; i < 4; i++) {
        double q[3], v[3];
        const unsigned char crank[3] = {1, 0, 0};
        CHECK_STATUS(pinion_initial(m, q, v), PINION_OK);
        q[0] = turns[i];
        v[0] = 7;
        CHECK_STATUS(pinion_start_close(m, crank, crank, 1, q, v, &info, &err), PINION_OK);
        CHECK(q[0] == turns[i] && info.position.kept && info.velocity.kept);
        CHECK_NEAR(v[0], 7, 1e-12);
        /* coupler and rocker meet but for the digit */
        const double x = 0.2 * cos(q[0]) + 0.5 * cos(q[0] + q[1]) - 0.5 - 0.4 * cos(q[2]),
                     y = 0.2 * sin(q[0]) + 0.5 * sin(q[0] + q[1]) - 0.4 * sin(q[2]);
        CHECK_NEAR(x, 0, 1e-9);
        CHECK_NEAR(y, 0, 1e-9);
    }
    pinion_model_free(m);
}

/* Two drives of one joint that agree at the start, and part from there: it is told at the start which they are. */
TEST(the_start_foresees_conflicts)
{
    static const char *const loops[2] = {"{\"name\": \"still\", \"type\": \"drive\", \"joint\": \"hinge\", "
                                         "\"motion\": {}}",
                                         ", {\"name\": \"swings\", \"type\": \"drive\", \"joint\": \"hinge\", "
                                         "\"motion\": {\"offset\": -1, \"amplitude\": 1, \"frequency\": 0.5, "
                                         "\"phase\": 1.5707963267948966}}"};
    for (int both = 0; both < 2; both++) {
        char text[2000];
        snprintf(text, sizeof text, "%.*s, \"loops\": [%s%s]}", (int)(strrchr(ROD, '}') - ROD), ROD, loops[0],
                 both ? loops[1] : "");
        pinion_model *m = driver_text(text);
        pinion_start_info info;
        pinion_error err = {0};
        double q = 0, v = 0;
        if (!m) return;
        CHECK_STATUS(pinion_start_close(m, NULL, NULL, 0, &q, &v, &info, &err), PINION_OK);
        CHECK(q == 0 && v == 0 && (info.conflict[0] != 0) == both);
        /* one of them wants -pi^2: half of it is left */
        if (both) CHECK_HAS(info.conflict, "loop 'swings' is left with an acceleration of 4.93, because rows "
                                           "contradict");
        pinion_model_free(m);
    }
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
    RUN(an_event_stops_it);
    RUN(a_failure_keeps_what_was_right);
    RUN(steps_and_time_are_bounded);
    RUN(a_run_that_gets_nowhere_fails);
    RUN(energies_must_balance);
    RUN(energies_must_balance_in_the_end);
    RUN(a_sink_may_refuse);
    RUN(a_checkpoint_that_cannot_be_written_breaks_it);
    RUN(the_start_closes_loops);
    RUN(the_start_of_rounded_loops);
    RUN(the_start_foresees_conflicts);
    RUN(a_controller_announces_its_jumps);
    static const char *const file[] = {"c.h5", "s.h5", "i.h5", "r.h5"};
    for (int i = 0; i < 4; i++) remove(in_folder(file[i]));
    CHECK(entries() == 0 && rmdir(folder) == 0); /* no part of a file is left */
    return CHECK_END();
}
