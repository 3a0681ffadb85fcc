/* What a run records of contact where many pairs may touch: those that do, as if they had been recorded all along. */
#include "check.h"
#include "contact/bodies.h"
#include "pinion/sim/run.h"

enum { BALLS = 12 }; /* 66 pairs of balls, and 12 with the ground */

static const double RADIUS = 0.1, HEIGHT = 0.02; /* m, each is higher by so much */

static pinion_model *balls(void)
{
    const double down[3] = {0, 0, -10};
    body list[BALLS];
    for (int i = 0; i < BALLS; i++) list[i] = (body){PINION_SHAPE_SPHERE, {RADIUS, 0, 0}, 1 + i, 0.004, 0.5, 0};
    return bodies_model(BALLS, list, down);
}

/* side by side and at rest, ball i by i HEIGHT above the ground; the last two touch each other, and none else does */
static pinion_run_def fall(pinion_scene_options *contact, double *q)
{
    pinion_run_def def = pinion_run_def_default();
    *contact = pinion_scene_options_default();
    contact->ground = 1;
    memset(q, 0, 7 * BALLS * sizeof *q);
    for (int i = 0; i < BALLS; i++) {
        q[7 * i] = 1;
        q[7 * i + 4] = i;
        q[7 * i + 6] = RADIUS + i * HEIGHT;
    }
    def.sim.contact = contact;
    def.sim.integrator = PINION_INTEGRATOR_EULER;
    def.q = q;
    def.duration = 0.3;
    def.output_step = 0.05;
    def.result = pinion_result_new();
    return def;
}

static const double *column(const pinion_result *r, int ball, const char *part)
{
    char name[60];
    snprintf(name, sizeof name, "contact.ground.b%d.%s", ball, part);
    const int found = pinion_result_find_column(r, name);
    if (found < 0) CHECK_FAIL("there is no %s", name);
    return found < 0 ? NULL : pinion_result_values(r, found);
}

TEST(pairs_that_touch_have_columns)
{
    pinion_error err;
    pinion_scene_options contact;
    pinion_contact_totals totals;
    double q[7 * BALLS];
    pinion_model *m = balls();
    pinion_run_def def = fall(&contact, q);
    pinion_run *run = pinion_run_new(m, &def, &err);
    if (!run) CHECK_FAIL("%s", err.message);
    CHECK_STATUS(pinion_run_to_end(run), PINION_OK);
    CHECK_STATUS(pinion_sim_contact(pinion_run_simulation(run), &totals), PINION_OK);
    CHECK(totals.pairs == BALLS * (BALLS + 1) / 2 && !totals.unrecorded);
    const size_t rows = pinion_result_row_count(def.result), last = rows - 1;
    for (int i = 0; i < BALLS; i++) {
        char height[20];
        snprintf(height, sizeof height, "q.j%d.6", i);
        const double *gap = column(def.result, i, "gap"), *force = column(def.result, i, "force.2"),
                     *z = pinion_result_values(def.result, pinion_result_find_column(def.result, height));
        for (size_t k = 0; k < rows; k++) {
            CHECK_NEAR(gap[k], z[k] - RADIUS, 1e-12);
            CHECK(force[k] >= 0 && (force[k] > 0 || gap[k] > 0));
        }
        CHECK_NEAR(force[last], 10.0 * (1 + i), 1e-5); /* it rests: its weight */
        CHECK_NEAR(column(def.result, i, "point.2")[last], 0, 1e-6);
        if (i) CHECK(isnan(column(def.result, i, "point.0")[0]));
    }
    CHECK(pinion_result_find_column(def.result, "contact.b0.b1.gap") < 0); /* they never touch */
    pinion_run_free(run);
    pinion_result_free(def.result);
    pinion_model_free(m);
}

TEST(a_resumed_run_has_the_same_bits)
{
    pinion_error err;
    pinion_scene_options contact;
    double q[7 * BALLS];
    char path[] = "test_recorded.h5";
    pinion_model *m = balls();
    pinion_run_def whole = fall(&contact, q), half = fall(&contact, q), rest = fall(&contact, q);
    pinion_run *one = pinion_run_new(m, &whole, &err), *first = pinion_run_new(m, &half, &err),
               *second = pinion_run_new(m, &rest, &err);
    if (!one || !first || !second) CHECK_FAIL("%s", err.message);
    CHECK_STATUS(pinion_run_to_end(one), PINION_OK);
    do CHECK_STATUS(pinion_run_advance(first, 10), PINION_OK);
    while (pinion_sim_time(pinion_run_simulation(first)) < 0.17);
    CHECK_STATUS(pinion_run_store(first, path), PINION_OK);
    pinion_result *stored = pinion_result_load(path, &err);
    if (!stored) CHECK_FAIL("%s", err.message);
    CHECK_STATUS(pinion_run_resume(second, stored), PINION_OK);
    CHECK_STATUS(pinion_run_to_end(second), PINION_OK);
    const int columns = pinion_result_column_count(whole.result);
    CHECK(columns == pinion_result_column_count(rest.result));
    for (int c = 0; c < columns; c++) {
        pinion_column a, b;
        CHECK_STATUS(pinion_result_column(whole.result, c, &a), PINION_OK);
        CHECK_STATUS(pinion_result_column(rest.result, c, &b), PINION_OK);
        CHECK(strcmp(a.name, b.name) == 0);
        CHECK(memcmp(pinion_result_values(whole.result, c), pinion_result_values(rest.result, c),
                     pinion_result_row_count(whole.result) * sizeof(double)) == 0);
    }
    remove(path);
    pinion_result_free(stored);
    pinion_run_free(one);
    pinion_run_free(first);
    pinion_run_free(second);
    pinion_result_free(whole.result);
    pinion_result_free(half.result);
    pinion_result_free(rest.result);
    pinion_model_free(m);
}

/* A block on four corners: 12 numbers, of which six sums are determined. In free fall there are none. */
TEST(forces_that_are_not_determined_are_told)
{
    pinion_error err;
    const double down[3] = {0, 0, -10}, at[2] = {0.05, 1};
    const body block = {PINION_SHAPE_BOX, {0.4, 0.3, 0.1}, 2, 0.02, 0.5, 0};
    pinion_model *m = bodies_model(1, &block, down);
    for (int k = 0; k < 2; k++) {
        pinion_run_def def = pinion_run_def_default();
        pinion_scene_options contact = pinion_scene_options_default();
        const double q[7] = {1, 0, 0, 0, 0, 0, at[k]};
        contact.ground = 1;
        def.sim.contact = &contact;
        def.sim.integrator = PINION_INTEGRATOR_EULER;
        def.q = q;
        def.duration = 0.05;
        def.output_step = 0.01;
        def.result = pinion_result_new();
        pinion_run *run = pinion_run_new(m, &def, &err);
        if (!run) CHECK_FAIL("%s", err.message);
        CHECK_STATUS(pinion_run_to_end(run), PINION_OK);
        pinion_contact_totals totals;
        CHECK_STATUS(pinion_sim_contact(pinion_run_simulation(run), &totals), PINION_OK);
        CHECK(totals.undetermined == (k ? 0 : 6) && totals.not_least == 0);
        static const char *const residual[] = {"contact.residual", "contact.cone", "contact.dual",
                                               "contact.complementarity", "contact.dissipation"};
        for (size_t row = 0; row < pinion_result_row_count(def.result); row++) {
            CHECK_NEAR(pinion_result_values(
                           def.result, pinion_result_find_column(def.result, "contact.undetermined"))[row],
                       k ? 0 : 6, 0);
            for (int i = 0; i < 5; i++) {
                const int c = pinion_result_find_column(def.result, residual[i]);
                CHECK(c >= 0 && pinion_result_values(def.result, c)[row] < 1e-8);
            }
        }
        CHECK(totals.dual <= 1e-8 && totals.cone <= 1e-8 && totals.complementarity <= 1e-8);
        pinion_run_free(run);
        pinion_result_free(def.result);
    }
    pinion_model_free(m);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(pairs_that_touch_have_columns);
    RUN(a_resumed_run_has_the_same_bits);
    RUN(forces_that_are_not_determined_are_told);
    return CHECK_END();
}
