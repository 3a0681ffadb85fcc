/* Events: found at the times that closed forms give, in order, each once, and independent of how a run is
 * cut. */
#include "driver.h"

static const double g = 9.81;

/* Starts a simulation with events. */
static pinion_sim *start(const pinion_model *m, const pinion_sim_options *o, const pinion_event_def *def,
                         int events, const double *q, const double *v)
{
    pinion_error err = {0};
    pinion_sim *s = driver_sim(m, o);
    for (int i = 0; i < events && s; i++)
        if (pinion_sim_add_event(s, &def[i], &err) != PINION_OK) CHECK_FAIL("%s", err.message);
    if (s) CHECK_STATUS(pinion_sim_start(s, 0, q, v), PINION_OK);
    return s;
}

/* The next event must be this one. */
static void expect(pinion_sim *s, int event, double t, double tolerance, const char *text)
{
    pinion_event_hit hit = {0};
    CHECK(pinion_sim_next_event(s, &hit) == 1);
    CHECK(hit.event == event);
    CHECK_NEAR(hit.t, t, tolerance);
    CHECK_HAS(hit.text, text);
}

static pinion_event_def plane_of(const pinion_model *m, const char *frame, double height)
{
    pinion_event_def def = pinion_event_def_default();
    def.kind = PINION_EVENT_PLANE;
    def.index = pinion_model_find_frame(m, frame);
    def.normal[2] = 2; /* any length */
    def.height = height;
    return def;
}

TEST(free_fall_meets_planes_limits_and_energies)
{
    pinion_model *m = driver_text(SLIDER);
    const double q = 2.5;
    for (int method = 0; m && method < PINION_INTEGRATOR_COUNT; method++) {
        pinion_sim_options o = driver_options(method);
        if (method == PINION_INTEGRATOR_EULER || method == PINION_INTEGRATOR_VARIATIONAL)
            continue; /* of low order: their own test */
        pinion_event_def def[4] = {plane_of(m, "ball", 1), pinion_event_def_default(),
                                   pinion_event_def_default(), pinion_event_def_default()};
        def[1].kind = PINION_EVENT_LIMIT;
        def[2].kind = PINION_EVENT_KINETIC;
        def[2].height = 0.5 * 2 * 4 * 4; /* at 4 m/s */
        def[3].kind = PINION_EVENT_LIMIT;
        def[3].direction = -1; /* it never comes back */
        pinion_sim *s = start(m, &o, def, 4, &q, NULL);
        if (!s) continue;
        driver_advance(s, 1);
        const double tolerance = 1e-8;
        expect(s, 2, 4 / g, tolerance, "the kinetic energy rises above 16 J");
        expect(s, 0, sqrt(2 * 1.5 / g), tolerance, "ball falls through the plane 0,0,2 at 1 m");
        expect(s, 1, sqrt(2 * 3.5 / g), tolerance, "slide reaches its lower limit");
        CHECK(!pinion_sim_next_event(s, NULL));
        CHECK(!pinion_sim_stopped(s));
        pinion_sim_free(s);
    }

    /* to rounding where the method is exact */
    pinion_sim_options o = pinion_sim_options_default();
    pinion_event_def def = plane_of(m, "ball", 1);
    pinion_sim *s = start(m, &o, &def, 1, &q, NULL);
    driver_advance(s, 1);
    expect(s, 0, sqrt(2 * 1.5 / g), 1e-12, "falls");
    pinion_sim_free(s);
    pinion_model_free(m);
}

/* The complete elliptic integral K(k), by the arithmetic-geometric mean. */
static double elliptic(double k)
{
    double a = 1, b = sqrt(1 - k * k);
    while (a - b > 1e-15) {
        const double mean = 0.5 * (a + b);
        b = sqrt(a * b);
        a = mean;
    }
    return M_PI / (2 * a);
}

TEST(a_pendulum_is_at_its_bottom_after_a_quarter_of_its_period)
{
    pinion_model *m = driver_text(ROD);
    const double q = 2.5, quarter = sqrt(0.7 / (2 * g * 0.5)) * elliptic(sin(q / 2));
    pinion_sim_options o = pinion_sim_options_default();
    pinion_event_def def = pinion_event_def_default();
    def.kind = PINION_EVENT_PLANE;
    def.index = pinion_model_find_frame(m, "tip");
    def.normal[0] = 1;
    def.normal[2] = 0;
    pinion_sim *s = start(m, &o, &def, 1, &q, NULL);
    if (s) {
        driver_advance(s, 10 * quarter);
        for (int i = 0; i < 5; i++) expect(s, 0, (1 + 2 * i) * quarter, 1e-9, i % 2 ? "falls" : "rises");
        CHECK(!pinion_sim_next_event(s, NULL));
    }
    pinion_sim_free(s);
    pinion_model_free(m);
}

/* A ball thrown up just above a plane passes it twice within a step: in free flight steps are long. */
TEST(two_crossings_within_a_step_are_both_found)
{
    pinion_model *m = driver_text(FLYER);
    const double q[7] = {1, 0, 0, 0, 0, 0, 0}, v[6] = {0, 0, 0, 0, 0, 6};
    for (int k = 1; k <= 9 && m; k++) {
        const double over = pow(10, -k), top = 0.5 * 36 / g, apart = sqrt(2 * over / g);
        pinion_sim_options o = pinion_sim_options_default();
        pinion_event_def def = plane_of(m, "body", top - over);
        pinion_sim *s = start(m, &o, &def, 1, q, v);
        long steps;
        driver_advance(s, 2);
        pinion_sim_counts(s, &steps, NULL, NULL);
        CHECK(steps < 100);
        const double tolerance = 1e-13 / apart + 1e-12; /* the height is known to rounding */
        expect(s, 0, 6 / g - apart, tolerance, "rises");
        expect(s, 0, 6 / g + apart, tolerance, "falls");
        CHECK(!pinion_sim_next_event(s, NULL));
        pinion_sim_free(s);
    }

    /* and one that it does not quite reach, it does not */
    pinion_sim_options o = pinion_sim_options_default();
    pinion_event_def def = plane_of(m, "body", 0.5 * 36 / g + 1e-9);
    pinion_sim *s = start(m, &o, &def, 1, q, v);
    driver_advance(s, 2);
    CHECK(!pinion_sim_next_event(s, NULL));
    pinion_sim_free(s);
    pinion_model_free(m);
}

TEST(a_start_on_the_plane_is_no_crossing)
{
    pinion_model *m = driver_text(SLIDER);
    pinion_sim_options o = pinion_sim_options_default();
    pinion_event_def def = plane_of(m, "ball", 1);
    const double q = 1, v = 2;
    pinion_sim *s = start(m, &o, &def, 1, &q, &v);
    driver_advance(s, 1);
    expect(s, 0, 2 * v / g, 1e-12, "falls");
    CHECK(!pinion_sim_next_event(s, NULL));
    pinion_sim_free(s);
    pinion_model_free(m);
}

TEST(directions_are_kept)
{
    pinion_model *m = driver_text(ROD);
    pinion_sim_options o = pinion_sim_options_default();
    const double q = 1;
    int hits[3] = {0};
    pinion_event_def def[3] = {plane_of(m, "tip", -0.8), plane_of(m, "tip", -0.8), plane_of(m, "tip", -0.8)};
    def[1].direction = 1;
    def[2].direction = -1;
    pinion_sim *s = start(m, &o, def, 3, &q, NULL);
    pinion_event_hit hit;
    driver_advance(s, 10);
    double last = 0;
    while (pinion_sim_next_event(s, &hit)) {
        hits[hit.event]++;
        CHECK(hit.t >= last);
        CHECK_HAS(hit.text, hit.event == 1 ? "rises" : hit.event == 2 ? "falls" : "the plane");
        last = hit.t;
    }
    CHECK(hits[0] > 10 && hits[1] + hits[2] == hits[0] && abs(hits[1] - hits[2]) <= 1);
    pinion_sim_free(s);
    pinion_model_free(m);
}

TEST(events_that_stop_end_the_run)
{
    pinion_model *m = driver_text(SLIDER);
    const double q = 2.5;
    double times[3];
    instant x, first;
    memset(&first, 0, sizeof first);
    for (int cut = 0; cut < 3 && m; cut++) {
        pinion_sim_options o = pinion_sim_options_default();
        pinion_event_def def[3] = {plane_of(m, "ball", 2), plane_of(m, "ball", 1), plane_of(m, "ball", 0)};
        def[1].stop = 1;
        pinion_sim *s = start(m, &o, def, 3, &q, NULL);
        const int parts = cut == 0 ? 1 : cut == 1 ? 10 : 1000;
        for (int k = 1; k <= parts; k++) driver_advance(s, 2.0 * k / parts);
        CHECK(pinion_sim_stopped(s));
        times[cut] = pinion_sim_time(s);
        CHECK_NEAR(times[cut], sqrt(3 / g), 1e-12);
        driver_get(s, &x);
        CHECK_NEAR(x.q[0], 1, 1e-12);
        CHECK(x.q[0] <= 1);
        if (cut == 0) first = x;
        CHECK(same_instant(&first, &x));

        /* what comes after the stop does not happen */
        pinion_event_hit hit;
        expect(s, 0, sqrt(1 / g), 1e-12, "falls");
        CHECK(pinion_sim_next_event(s, &hit) && hit.event == 1 && hit.stop && hit.t == times[cut]);
        CHECK(!pinion_sim_next_event(s, &hit));
        driver_advance(s, 100);
        CHECK(pinion_sim_time(s) == times[cut]);

        /* and it can start anew */
        CHECK_STATUS(pinion_sim_start(s, 0, &q, NULL), PINION_OK);
        CHECK(!pinion_sim_stopped(s) && !pinion_sim_next_event(s, &hit));
        pinion_sim_free(s);
    }
    pinion_model_free(m);
}

/* On stops a ball bounces, lower every time, and the energy's balance includes them. */
TEST(stops_bounce)
{
    pinion_model *m = driver_text(SLIDER);
    const double q = 0;
    for (int method = 0; m && method < PINION_INTEGRATOR_COUNT; method++) {
        if (method == PINION_INTEGRATOR_EULER || method == PINION_INTEGRATOR_VARIATIONAL) continue;
        pinion_sim_options o = driver_options(method);
        o.stops = 1;
        o.stop_damping = 10;
        if (pinion_integrator_is_fixed(method)) o.step = 2e-4;
        pinion_event_def def = pinion_event_def_default();
        def.kind = PINION_EVENT_LIMIT;
        pinion_sim *s = start(m, &o, &def, 1, &q, NULL);
        if (!s) continue;
        double last = 0, speed = INFINITY, most = 0;
        int reached = 0;
        for (int k = 1; k <= 400; k++) {
            instant x;
            driver_advance(s, 0.01 * k);
            driver_get(s, &x);
            CHECK(x.q[0] > -1.1);
            most = fmax(most, fabs(x.s.drift));
        }
        pinion_event_hit hit;
        for (int k = 0; pinion_sim_next_event(s, &hit); k++) {
            CHECK_HAS(hit.text,
                      k % 2 ? "slide is back from its lower limit" : "slide reaches its lower limit");
            CHECK(hit.t > last);
            if (k == 0) CHECK_NEAR(hit.t, sqrt(2 / g), 1e-7);
            /* flights get shorter */
            if (k % 2 == 0 && k > 1) {
                CHECK(hit.t - last < speed);
                speed = hit.t - last;
            }
            last = hit.t;
            reached++;
        }
        CHECK(reached > 6);
        /* fixed steps go across the instants at which a stop is hit and lets go, and so does the
         * interpolation of dirk */
        CHECK(most < (pinion_integrator_is_fixed(method) ? 1e-3 : method == PINION_INTEGRATOR_DIRK ? 5e-3 : 1e-5));
        printf("    %-12s drifts by %.1e J\n", pinion_integrator_name(method), most);
        pinion_sim_free(s);
    }
    pinion_model_free(m);
}

/* The work of a damped stop at the default tolerances. When the stop has let go no force acts on the ball,
 * and the rest of its potential is lost: only the work itself tells where that is. */
TEST(work_of_stops)
{
    pinion_model *m = driver_text(SLIDER);
    const double q = 0, fallen = 2 * g;
    for (int method = 0; m && method < PINION_INTEGRATOR_COUNT; method++) {
        if (pinion_integrator_is_fixed(method)) continue;
        pinion_sim_options o = pinion_sim_options_default();
        o.integrator = (pinion_integrator)method;
        o.stops = 1;
        pinion_sim *s = start(m, &o, NULL, 0, &q, NULL);
        if (!s) continue;
        instant x;
        double most = 0;
        for (int k = 1; k <= 200; k++) {
            driver_advance(s, 0.01 * k);
            driver_get(s, &x);
            most = fmax(most, fabs(x.s.drift));
        }
        printf("    %-12s work %.9f J, drift %.1e of the energy\n", pinion_integrator_name(method), x.s.work,
               most / fallen);
        CHECK(most < 1e-6 * fallen);
        CHECK_NEAR(x.s.work, -19.639247, 1e-5);
        pinion_sim_free(s);
    }
    pinion_model_free(m);
}

/* A body so light that its acceleration jumps by 4e6 m/s^2 at the stop: in the shortest step that the clock
 * can tell this is more than the tolerance. */
TEST(a_light_body_meets_its_stop)
{
    static const char TEXT[] =
        "{\"pinion\": 1, \"name\": \"mote\", \"links\": [{\"name\": \"rail\"}, {\"name\": \"mote\",\n"
        "  \"mass\": 1e-4, \"inertia\": {\"xx\": 1e-6, \"yy\": 1e-6, \"zz\": 1e-6}}],\n"
        " \"joints\": [{\"name\": \"slide\", \"type\": \"prismatic\", \"axis\": [0, 0, 1],\n"
        "   \"parent\": \"rail\", \"child\": \"mote\", \"limits\": [-1, 3]}]}\n";
    pinion_model *m = driver_text(TEXT);
    const double q = 0;
    for (int method = PINION_INTEGRATOR_DOPRI5; m && method <= PINION_INTEGRATOR_VERNER65; method++) {
        pinion_sim_options o = pinion_sim_options_default();
        o.integrator = (pinion_integrator)method;
        o.stops = 1;
        pinion_sim *s = start(m, &o, NULL, 0, &q, NULL);
        if (!s) continue;
        instant x;
        driver_advance(s, 0.46);
        driver_get(s, &x);
        /* the damper stops it at once, within m v/c, and lets it creep back */
        CHECK_NEAR(x.q[0], -1, 1e-5);
        CHECK_NEAR(x.s.drift, 0, 1e-10);
        pinion_sim_free(s);
    }
    pinion_model_free(m);
}

/* However a run is cut, and whoever takes the events when: the same events. */
TEST(events_do_not_depend_on_how_a_run_is_cut)
{
    pinion_model *m = driver_model("planar-3r.json");
    double q[3] = {0.1, 0.2, -0.3}, first[200];
    int count = 0;
    for (int parts = 1; parts <= 1000 && m; parts *= 10) {
        pinion_sim_options o = pinion_sim_options_default();
        pinion_event_def def[2] = {plane_of(m, "link3", 0), pinion_event_def_default()};
        def[0].normal[0] = 1;
        def[0].normal[2] = 0;
        def[1].kind = PINION_EVENT_KINETIC;
        def[1].height = 10;
        pinion_sim *s = start(m, &o, def, 2, q, NULL);
        pinion_event_hit hit;
        int taken = 0;
        for (int k = 1; k <= parts; k++) {
            driver_advance(s, 5.0 * k / parts);
            while (pinion_sim_next_event(s, &hit)) {
                CHECK(hit.t <= 5.0 * k / parts && hit.t > 5.0 * (k - 1) / parts);
                if (parts == 1 && taken < 200) first[taken] = hit.t;
                if (parts > 1 && taken < count) CHECK(first[taken] == hit.t);
                taken++;
            }
        }
        if (parts == 1) count = taken;
        CHECK(taken == count && count > 5 && count < 200);
        pinion_sim_free(s);
    }
    pinion_model_free(m);
}

TEST(followers_have_limits_of_their_own)
{
    pinion_model *m =
        driver_text("{\"pinion\": 1, \"name\": \"pair\", \"links\": [{\"name\": \"rail\"},\n"
                    "  {\"name\": \"one\", \"mass\": 2, \"inertia\": {\"xx\": 1, \"yy\": 1, \"zz\": 1}},\n"
                    "  {\"name\": \"two\", \"mass\": 1, \"inertia\": {\"xx\": 1, \"yy\": 1, \"zz\": 1}}],\n"
                    " \"joints\": [{\"name\": \"lead\", \"type\": \"prismatic\", \"parent\": \"rail\", "
                    "\"child\": \"one\"},\n"
                    "  {\"name\": \"follow\", \"type\": \"prismatic\", \"parent\": \"rail\", \"child\": "
                    "\"two\", \"limits\": [-1, 5],\n"
                    "   \"mimic\": {\"joint\": \"lead\", \"multiplier\": 0.5, \"offset\": 0.25}}]}");
    const double q = 0;
    instant x;
    pinion_sim_options o = pinion_sim_options_default();
    pinion_event_def def = pinion_event_def_default();
    def.kind = PINION_EVENT_LIMIT;
    def.stop = 1;
    pinion_sim *s = start(m, &o, &def, 1, &q, NULL);
    driver_advance(s, 10);
    driver_get(s, &x);
    CHECK_NEAR(0.5 * x.q[0] + 0.25, -1, 1e-11);
    expect(s, 0, x.s.t, 0, "follow reaches its lower limit");
    pinion_sim_free(s);
    pinion_model_free(m);
}

/* 2 kg fall on a string of 0.5 m: it is stretched after sqrt(2 (0.5 - 0.1) / g) */
TEST(tendons_have_limits)
{
    pinion_model *m = driver_text(
        "{\"pinion\": 1, \"name\": \"string\", \"links\": [{\"name\": \"rail\"}, {\"name\": \"ball\", "
        "\"mass\": 2, \"inertia\": {\"xx\": 1, \"yy\": 1, \"zz\": 1}}], \"joints\": [{\"name\": \"slide\", "
        "\"type\": \"prismatic\", \"axis\": [0, 0, 1], \"parent\": \"rail\", \"child\": \"ball\"}], "
        "\"tendons\": [{\"name\": \"loose\", \"path\": [\"rail\", \"ball\"]}, {\"name\": \"string\", "
        "\"path\": [\"rail\", \"ball\"], \"limits\": [null, 0.5]}]}");
    const double q = -0.1, t = sqrt(2 * 0.4 / 9.81);
    pinion_error err = {0};
    pinion_sim_options o = pinion_sim_options_default();
    pinion_event_def def = pinion_event_def_default();
    for (int one = 0; one < 2; one++) {
        def.index = one ? 2 : -1; /* behind the joint and the first tendon */
        pinion_sim *s = start(m, &o, &def, 1, &q, NULL);
        driver_advance(s, 0.5);
        expect(s, 0, t, 1e-9, "string reaches its upper limit");
        pinion_sim_free(s);
    }
    pinion_sim *s = driver_sim(m, &o);
    def.index = 1;
    CHECK_STATUS(pinion_sim_add_event(s, &def, &err), PINION_ERR_ARGUMENT);
    CHECK_HAS(err.message, "tendon 'loose' has no position limit");
    def.index = 3;
    CHECK_STATUS(pinion_sim_add_event(s, &def, &err), PINION_ERR_ARGUMENT);
    CHECK_HAS(err.message, "the model has 1, and behind them 2 tendons");
    pinion_sim_free(s);
    pinion_model_free(m);
}

/* q passes 0.3, and fails at once when it is told to */
static pinion_status height_of(void *user, double t, const double *q, const double *v, double *value)
{
    (void)t, (void)v;
    *value = q[0];
    return user && *(const int *)user ? PINION_ERR_CALLBACK : PINION_OK;
}

TEST(functions_are_watched)
{
    pinion_model *m = driver_text(SLIDER);
    pinion_sim_options o = driver_options(PINION_INTEGRATOR_DOPRI5);
    pinion_event_def def = pinion_event_def_default();
    int fails = 0;
    const double q = 2.5;
    def.kind = PINION_EVENT_FUNCTION;
    def.name = "the ball";
    def.function = height_of;
    def.user = &fails;
    def.height = 1;
    def.stop = 1;
    pinion_sim *s = m ? start(m, &o, &def, 1, &q, NULL) : NULL;
    if (s) {
        driver_advance(s, 2);
        expect(s, 0, sqrt(2 * 1.5 / g), 1e-8, "the ball falls below 1");
        CHECK(pinion_sim_stopped(s));
        pinion_sim_free(s);
        def.stop = 0;
        s = start(m, &o, &def, 1, &q, NULL);
        fails = 1;
        CHECK_STATUS(pinion_sim_advance(s, 1), PINION_ERR_CALLBACK);
        pinion_sim_free(s);
    }
    pinion_error err = {0};
    def.function = NULL;
    s = driver_sim(m, &o);
    CHECK_STATUS(pinion_sim_add_event(s, &def, &err), PINION_ERR_ARGUMENT);
    CHECK_HAS(err.message, "the function is missing");
    pinion_sim_free(s);
    pinion_model_free(m);
}

TEST(what_is_refused)
{
    pinion_error err = {0};
    pinion_model *m = driver_text(ROD);
    pinion_sim_options o = pinion_sim_options_default();
    pinion_sim *s = driver_sim(m, &o);
    pinion_event_def def = pinion_event_def_default();
    if (!s) return;
    CHECK_STATUS(pinion_sim_add_event(s, &def, &err), PINION_ERR_ARGUMENT);
    CHECK_HAS(err.message, "no joint of the model has a position limit");
    def.index = 0;
    CHECK_STATUS(pinion_sim_add_event(s, &def, &err), PINION_ERR_ARGUMENT);
    CHECK_HAS(err.message, "'hinge' has no position limit");
    def.index = 7;
    CHECK_STATUS(pinion_sim_add_event(s, &def, &err), PINION_ERR_ARGUMENT);
    def.kind = PINION_EVENT_PLANE;
    CHECK_STATUS(pinion_sim_add_event(s, &def, &err), PINION_ERR_ARGUMENT);
    def.index = 0;
    def.normal[2] = 0;
    CHECK_STATUS(pinion_sim_add_event(s, &def, &err), PINION_ERR_ARGUMENT);
    def = pinion_event_def_default();
    def.kind = PINION_EVENT_ENERGY;
    def.height = NAN;
    CHECK_STATUS(pinion_sim_add_event(s, &def, NULL), PINION_ERR_ARGUMENT);
    def.height = 0;
    def.direction = 2;
    CHECK_STATUS(pinion_sim_add_event(s, &def, NULL), PINION_ERR_ARGUMENT);
    def.direction = 0;
    def.cookie++;
    CHECK_STATUS(pinion_sim_add_event(s, &def, &err), PINION_ERR_ARGUMENT);
    def.cookie--;
    CHECK_STATUS(pinion_sim_add_event(s, &def, &err), PINION_OK);
    const double q = 0;
    CHECK_STATUS(pinion_sim_start(s, 0, &q, NULL), PINION_OK);
    CHECK_STATUS(pinion_sim_add_event(s, &def, &err), PINION_ERR_ARGUMENT);
    CHECK_HAS(err.message, "before the simulation starts");
    pinion_sim_free(s);
    pinion_model_free(m);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(free_fall_meets_planes_limits_and_energies);
    RUN(a_pendulum_is_at_its_bottom_after_a_quarter_of_its_period);
    RUN(two_crossings_within_a_step_are_both_found);
    RUN(a_start_on_the_plane_is_no_crossing);
    RUN(directions_are_kept);
    RUN(events_that_stop_end_the_run);
    RUN(stops_bounce);
    RUN(work_of_stops);
    RUN(a_light_body_meets_its_stop);
    RUN(events_do_not_depend_on_how_a_run_is_cut);
    RUN(followers_have_limits_of_their_own);
    RUN(tendons_have_limits);
    RUN(functions_are_watched);
    RUN(what_is_refused);
    return CHECK_END();
}
