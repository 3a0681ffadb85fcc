/* Linear systems where force elements act: A against differences of the accelerations of model and elements together,
 * with added mass that an element brings. */
#include "check.h"
#include "pinion/pinion.h"
#include "pinion/sim/forces.h"
#include "pinion/sim/linearize.h"

typedef struct place {
    pinion_model *m;
    pinion_work *w;
    pinion_forces *f;
    int nq, nv;
    double *q, *v, *f_ext;
} place;

static int open_place(place *x, const char *model, const char *forces)
{
    char path[4096];
    const char *models = getenv("PINION_MODELS") ? getenv("PINION_MODELS") : "models";
    pinion_error err = {PINION_OK, 0, 0, ""};
    snprintf(path, sizeof path, "%s/%s", models, model);
    memset(x, 0, sizeof *x);
    x->m = pinion_load(path, NULL, &err);
    if (!x->m) {
        CHECK_FAIL("%s", err.message);
        return 0;
    }
    x->w = pinion_work_new(x->m);
    x->f = pinion_forces_new(x->m);
    snprintf(path, sizeof path, "%s/%s", models, forces ? forces : "");
    if (forces && pinion_forces_load(x->f, path, &err) != PINION_OK) CHECK_FAIL("%s", err.message);
    x->nq = pinion_model_nq(x->m), x->nv = pinion_model_nv(x->m);
    x->q = calloc((size_t)(x->nq + x->nv + 6 * pinion_model_body_count(x->m)), sizeof *x->q);
    x->v = x->q + x->nq;
    x->f_ext = x->v + x->nv;
    CHECK_STATUS(pinion_initial(x->m, x->q, x->v), PINION_OK);
    uint64_t r = check_seed;
    for (int i = 0; i < x->nv; i++) x->v[i] = check_between(&r, -0.5, 0.5);
    return 1;
}

static void close_place(place *x)
{
    pinion_forces_free(x->f);
    pinion_work_free(x->w);
    pinion_model_free(x->m);
    free(x->q);
}

/* accelerations with springs and dampers of the joints, at q (+) delta and v + w */
static void accelerate(place *x, double t, const double *delta, const double *w, double *a)
{
    const int nv = x->nv;
    double *q = calloc((size_t)(x->nq + 2 * nv), sizeof *q), *v = q + x->nq, *tau = v + nv;
    CHECK_STATUS(pinion_integrate(x->m, x->q, delta, 1, q), PINION_OK);
    for (int i = 0; i < nv; i++) v[i] = x->v[i] + w[i];
    memset(x->f_ext, 0, 6 * (size_t)pinion_model_body_count(x->m) * sizeof *x->f_ext);
    CHECK_STATUS(pinion_forces_apply(x->f, x->w, t, q, v, x->f_ext, NULL, NULL), PINION_OK);
    CHECK_STATUS(pinion_passive_forces(x->m, x->w, q, v, tau), PINION_OK);
    CHECK_STATUS(pinion_forward_dynamics(pinion_forces_model(x->f), x->w, q, v, tau, x->f_ext, a), PINION_OK);
    free(q);
}

static void compare(place *x, double t)
{
    const int nv = x->nv;
    const double h = 1e-3, weight[3] = {0.75, -0.15, 1.0 / 60}; /* of order 6 */
    pinion_error err = {PINION_OK, 0, 0, ""};
    pinion_linear *l = pinion_linearize_with(x->m, x->f, t, x->q, x->v, NULL, &err);
    if (!l) {
        CHECK_FAIL("%s", err.message);
        return;
    }
    double *step = calloc((size_t)(4 * nv), sizeof *step), *a = step + nv, *b = a + nv, *none = b + nv;
    accelerate(x, t, none, none, a);
    for (int i = 0; i < nv; i++) CHECK_NEAR(l->a[i], a[i], 1e-11 * (1 + fabs(a[i])));
    for (int k = 0; k < 2 * nv; k++) {
        double sum[64] = {0};
        for (int s = 0; s < 3; s++)
            for (int side = -1; side < 2; side += 2) {
                step[k % nv] = side * (s + 1) * h;
                accelerate(x, t, k < nv ? step : none, k < nv ? none : step, b);
                for (int i = 0; i < nv; i++) sum[i] += side * weight[s] * b[i] / h;
            }
        step[k % nv] = 0;
        double size = 1;
        for (int i = 0; i < nv; i++) size = fmax(size, fabs(sum[i]));
        for (int i = 0; i < nv; i++) CHECK_NEAR(l->A[(nv + i) * l->states + k], sum[i], 2e-8 * size);
    }
    pinion_linear_free(l);
    free(step);
}

TEST(in_a_current)
{
    place x;
    if (!open_place(&x, "rov.json", "forces/rov.json")) return;
    compare(&x, 0);
    compare(&x, 2.3);

    /* an element that brings mass, and a spring to the world */
    pinion_drag_def drag = pinion_drag_def_default();
    pinion_spring_def spring = pinion_spring_def_default();
    drag.frame = pinion_model_find_frame(x.m, "grip");
    drag.added_mass = 1.5;
    drag.point[2] = 0.1;
    spring.frame_b = drag.frame;
    spring.point_a[0] = 2;
    spring.stiffness = 40, spring.damping = 2, spring.length = 0.5;
    CHECK_STATUS(pinion_forces_add_drag(x.f, &drag, NULL), PINION_OK);
    CHECK_STATUS(pinion_forces_add_spring(x.f, &spring, NULL), PINION_OK);
    CHECK(pinion_forces_model(x.f) != x.m);
    compare(&x, 0.4);
    close_place(&x);
}

TEST(around_a_planet)
{
    place x;
    if (!open_place(&x, "satellite.json", NULL)) return;
    pinion_attraction_def def = pinion_attraction_def_default();
    def.center[1] = -30;
    def.mu = 900;
    CHECK_STATUS(pinion_forces_add_attraction(x.f, &def, NULL), PINION_OK);
    compare(&x, 0);

    /* what a link carries is attracted, too */
    const pinion_inertia load = {40, {0.5, 0.3, -0.2}, {3, 0.1, 0, 4, 0.2, 5}};
    CHECK_STATUS(pinion_model_set_payload(x.m, pinion_model_link_count(x.m) - 1, &load), PINION_OK);
    compare(&x, 0);
    close_place(&x);
}

static pinion_status nothing(void *user, double t, const double *q, const double *v, double *f_ext)
{
    (void)user, (void)t, (void)q, (void)v, (void)f_ext;
    return PINION_OK;
}

/* What has no derivative is refused; without elements it is pinion_linearize(). */
TEST(none_and_functions)
{
    place x;
    if (!open_place(&x, "rov.json", NULL)) return;
    pinion_error err = {PINION_OK, 0, 0, ""};
    pinion_linear *a = pinion_linearize(x.m, x.q, x.v, NULL, &err);
    pinion_linear *b = pinion_linearize_with(x.m, x.f, 5, x.q, x.v, NULL, &err);
    CHECK(a && b && a->states == b->states);
    for (int i = 0; a && b && i < a->states * a->states; i++) CHECK(a->A[i] == b->A[i]);
    pinion_linear_free(a);
    pinion_linear_free(b);
    CHECK_STATUS(pinion_forces_add_function(x.f, NULL, nothing, NULL, NULL), PINION_OK);
    CHECK(!pinion_linearize_with(x.m, x.f, 0, x.q, x.v, NULL, &err));
    CHECK_STATUS(err.status, PINION_ERR_UNSUPPORTED);
    close_place(&x);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(in_a_current);
    RUN(around_a_planet);
    RUN(none_and_functions);
    return CHECK_END();
}
