/* Mechanisms whose data are rounded: axes that are parallel but for a small angle. Rows that depend on each other but
 * for that do not count, in any algorithm, and it is said; near a singular position they do count; in between all say
 * that they are in doubt. */
#include "check.h"
#include "pinion/pinion.h"

enum { CRANK, COUPLER, ROCKER, LINKS };
static const double length[LINKS] = {0.2, 0.5, 0.4};

typedef struct four_bar_data {
    double tilt[3][2];          /* of each joint of the tree, about x and y */
    double base;                /* m */
    pinion_joint_type closing;
} four_bar_data;

/* a turn by small angles about x, then y */
static void turn(const double tilt[2], double R[9])
{
    const double a = tilt[0], b = tilt[1];
    const double turned[9] = {cos(b), sin(a) * sin(b), cos(a) * sin(b), 0, cos(a), -sin(a), -sin(b), sin(a) * cos(b),
                              cos(a) * cos(b)};
    memcpy(R, turned, sizeof turned);
}

static pinion_model *make(const four_bar_data *d, double scale)
{
    static const char *const name[] = {"crank", "coupler", "rocker"};
    static const char *const parent[] = {"base", "crank", "base"};
    pinion_error err = {PINION_OK, 0, 0, ""};
    pinion_builder *b = pinion_builder_new("four-bar");
    pinion_link_def l = pinion_link_def_default();
    l.name = "base";
    CHECK_STATUS(pinion_builder_add_link(b, &l, NULL), PINION_OK);
    for (int i = 0; i < LINKS; i++) {
        l.name = name[i];
        l.inertia.mass = 1 + i;
        l.inertia.com[0] = length[i] / 2;
        l.inertia.inertia[0] = 1e-3;
        l.inertia.inertia[3] = l.inertia.inertia[5] = 0.02;
        CHECK_STATUS(pinion_builder_add_link(b, &l, NULL), PINION_OK);
    }
    for (int i = 0; i < LINKS; i++) {
        pinion_joint_def j = pinion_joint_def_default();
        const double tilt[2] = {scale * d->tilt[i][0], scale * d->tilt[i][1]};
        j.name = name[i];
        j.type = PINION_JOINT_CONTINUOUS;
        j.parent = parent[i];
        j.child = name[i];
        j.axis[0] = j.axis[1] = 0;
        j.axis[2] = 1;
        j.parent_pose.position[0] = i == COUPLER ? length[CRANK] : i == ROCKER ? d->base : 0;
        turn(tilt, j.parent_pose.rotation);
        CHECK_STATUS(pinion_builder_add_joint(b, &j, NULL), PINION_OK);
    }
    pinion_joint_def pin = pinion_joint_def_default();
    pin.name = "pin";
    pin.type = d->closing;
    pin.parent = "coupler";
    pin.child = "rocker";
    pin.axis[0] = pin.axis[1] = 0;
    pin.axis[2] = 1;
    pin.parent_pose.position[0] = length[COUPLER];
    pin.child_pose.position[0] = length[ROCKER];
    CHECK_STATUS(pinion_builder_add_loop(b, &pin, NULL), PINION_OK);
    pinion_model *m = pinion_builder_build(b, NULL, &err);
    if (!m) CHECK_FAIL("%s", err.message);
    pinion_builder_free(b);
    return m;
}

/* the worst difference of all algorithms for loops from `truth`, as a share of its largest entry */
static double disagreement(const pinion_model *m, const double *q, const double *v, const double truth[3])
{
    double worst = 0, size = 10; /* gravity on a tilted axis is no error */
    pinion_work *w = pinion_work_new(m);
    for (int i = 0; i < 3; i++) size = fmax(size, fabs(truth[i]));
    int count = 0;
    for (int k = 0; k < pinion_algorithm_count(); k++) {
        pinion_algorithm_info info;
        double a[3];
        if (pinion_algorithm(k, &info) != PINION_OK || info.problem != PINION_PROBLEM_FORWARD_DYNAMICS) continue;
        if (pinion_algorithm_applies(k, m, NULL) != PINION_OK) continue;
        CHECK_STATUS(pinion_forward_dynamics_by(m, w, k, q, v, NULL, NULL, a), PINION_OK);
        for (int i = 0; i < 3; i++) worst = fmax(worst, fabs(a[i] - truth[i]) / size);
        count++;
    }
    CHECK(count >= 5);
    pinion_work_free(w);
    return worst;
}

/* a random four-bar without tilts, closed and moving; its accelerations */
static pinion_model *draw(uint64_t *seed, four_bar_data *d, double q[3], double v[3], double a[3])
{
    for (int i = 0; i < 6; i++) d->tilt[i / 2][i % 2] = check_between(seed, -1, 1);
    d->base = check_between(seed, 0.4, 0.6);
    d->closing = check_uniform(seed) < 0.5 ? PINION_JOINT_SPHERICAL : PINION_JOINT_REVOLUTE;
    const unsigned char held[3] = {1, 0, 0};
    pinion_model *m = make(d, 0);
    pinion_work *w = pinion_work_new(m);
    q[0] = check_between(seed, 0.5, 2.5);
    q[1] = -1;
    q[2] = 1.8;
    v[0] = check_between(seed, -8, 8);
    v[1] = v[2] = 0;
    pinion_mobility mobility;
    CHECK_STATUS(pinion_assemble(m, w, 0, held, q, NULL), PINION_OK);
    CHECK_STATUS(pinion_project_velocity(m, w, 0, held, q, v), PINION_OK);
    CHECK_STATUS(pinion_forward_dynamics(m, w, q, v, NULL, NULL, a), PINION_OK);
    CHECK_STATUS(pinion_mobility_at(m, w, 0, q, &mobility), PINION_OK);
    CHECK(mobility.doubt == 0 && mobility.doubt_loop == -1 && !mobility.rounded && mobility.freedom == 1);
    pinion_work_free(w);
    return m;
}

/* Tilted by up to 1e-6, they move as they are meant to, whatever the algorithm: what a tilt changes is of its order,
 * and of loop-proximal a thousandth at most. */
TEST(tilted_axes)
{
    uint64_t seed = check_seed;
    double worst = 0;
    int doubted = 0, told = 0;
    for (int k = 0; k < 200; k++) {
        four_bar_data d;
        double q[3], v[3], a[3];
        pinion_model_free(draw(&seed, &d, q, v, a));
        const double tilt = pow(10, check_between(&seed, -15, -6));
        pinion_model *m = make(&d, tilt);
        pinion_work *w = pinion_work_new(m);
        pinion_mobility mobility;
        CHECK_STATUS(pinion_mobility_at(m, w, 0, q, &mobility), PINION_OK);
        check_count++;
        if (mobility.freedom != 1) CHECK_FAIL("tilted by %g: freedom %d", tilt, mobility.freedom);
        if (mobility.doubt > 0) CHECK(mobility.doubt_loop == 0 && mobility.doubt < 10 * tilt);
        doubted += mobility.doubt > 0;
        const double off = disagreement(m, q, v, a);
        check_count++;
        if (!(off < 1e-3)) CHECK_FAIL("tilted by %g: accelerations off by %g", tilt, off);
        worst = fmax(worst, off);

        /* and they stay where they are, but for about the tilt */
        pinion_assembly report;
        double there[3], moved = 0, rate[3], phi[6], open = 0;
        const pinion_constraints parts = {.phi = phi};
        CHECK_STATUS(pinion_constraints_at(m, w, 0, q, NULL, &parts), PINION_OK);
        for (int i = 0; i < pinion_model_row_count(m); i++) open = fmax(open, fabs(phi[i]));
        memcpy(there, q, sizeof there);
        memcpy(rate, v, sizeof rate);
        CHECK_STATUS(pinion_assemble(m, w, 0, NULL, there, &report), PINION_OK);
        CHECK_STATUS(pinion_project_velocity(m, w, 0, NULL, there, rate), PINION_OK);
        for (int i = 0; i < 3; i++) moved = fmax(moved, fmax(fabs(there[i] - q[i]), fabs(rate[i] - v[i])));
        check_count++;
        if (!(moved < 1e-12 + 1e3 * tilt)) CHECK_FAIL("tilted by %g: closing moves by %g", tilt, moved);
        /* what opens the loop by more than counts as closed is told, and tilts that happen to agree do not open it */
        told += open > 1e-10;
        check_count++;
        if (open > 1e-10 && !(report.doubt > 0 && report.doubt_loop == 0 && report.open < 10 * tilt))
            CHECK_FAIL("tilted by %g: doubt %g, open by %g", tilt, report.doubt, report.open);
        pinion_work_free(w);
        pinion_model_free(m);
    }
    CHECK(doubted > 0 && told > 40); /* tilts are above 1e-10 in four of nine decades */
    printf("       worst difference %.2g; %d of 200 in doubt where they are, %d open\n", worst, doubted, told);
}

/* Where a tilt opens the loop by about what counts as closed, it closes where it is for all that: what lies a little
 * less open some way off is no better. */
TEST(hardly_closed)
{
    const four_bar_data d = {{{0.27, 0.19}, {0.78, -0.36}, {-0.08, 0.63}}, 0.487, PINION_JOINT_REVOLUTE};
    const unsigned char held[3] = {1, 0, 0};
    double q[3] = {1.9, -1.5, 1.8};
    pinion_model *flat = make(&d, 0);
    pinion_work *w = pinion_work_new(flat);
    CHECK_STATUS(pinion_assemble(flat, w, 0, held, q, NULL), PINION_OK);
    pinion_work_free(w);
    pinion_model_free(flat);
    for (double tilt = 3e-14; tilt < 3e-12; tilt *= 1.004) {
        pinion_model *m = make(&d, tilt);
        double there[3], moved = 0;
        memcpy(there, q, sizeof there);
        w = pinion_work_new(m);
        CHECK_STATUS(pinion_assemble(m, w, 0, NULL, there, NULL), PINION_OK);
        for (int i = 0; i < 3; i++) moved = fmax(moved, fabs(there[i] - q[i]));
        check_count++;
        if (!(moved < 1e-12 + 1e3 * tilt)) CHECK_FAIL("tilted by %g: closing moves by %g", tilt, moved);
        pinion_work_free(w);
        pinion_model_free(m);
    }
}

/* With more than that no one can tell: all agree, or the rank is in doubt. */
TEST(all_agree_or_doubt)
{
    uint64_t seed = check_seed + 1;
    int doubted = 0;
    for (int k = 0; k < 200; k++) {
        four_bar_data d;
        double q[3], v[3], a[3];
        pinion_model_free(draw(&seed, &d, q, v, a));
        const double tilt = pow(10, check_between(&seed, -6, -1.5));
        pinion_model *m = make(&d, tilt);
        pinion_work *w = pinion_work_new(m);
        pinion_mobility mobility;
        CHECK_STATUS(pinion_mobility_at(m, w, 0, q, &mobility), PINION_OK);
        CHECK_STATUS(pinion_forward_dynamics(m, w, q, v, NULL, NULL, a), PINION_OK);
        const double off = disagreement(m, q, v, a);
        check_count++;
        if (!(off < 2e-3) && !(mobility.doubt > 0))
            CHECK_FAIL("tilted by %g: accelerations differ by %g, and no doubt", tilt, off);
        doubted += mobility.doubt > 0;
        pinion_work_free(w);
        pinion_model_free(m);
    }
    printf("       %d of 200 in doubt\n", doubted);
}

/* A parallelogram that lies almost flat is near a singular position: the rows count there as ever, and it is said. */
TEST(singular_positions)
{
    four_bar_data d = {{{0}}, 0.5, PINION_JOINT_SPHERICAL};
    for (int k = 1; k < 12; k++) {
        const double angle = pow(10, -k);
        d.base = 0.3; /* 0.2 + 0.5 = 0.3 + 0.4: it folds flat */
        pinion_model *m = make(&d, 0);
        pinion_work *w = pinion_work_new(m);
        const unsigned char held[3] = {1, 0, 0};
        double q[3] = {angle, -0.5 * angle, 0.5 * angle};
        pinion_mobility mobility;
        CHECK_STATUS(pinion_assemble(m, w, 0, held, q, NULL), PINION_OK);
        CHECK_STATUS(pinion_mobility_at(m, w, 0, q, &mobility), PINION_OK);
        check_count++;
        if (mobility.rank != 2 || mobility.rounded)
            CHECK_FAIL("at %g from flat: rank %d, rounded %d", angle, mobility.rank, mobility.rounded);
        check_count++;
        if ((mobility.doubt > 0) != (k > 2) && k != 2) CHECK_FAIL("at %g from flat: doubt %g", angle, mobility.doubt);
        pinion_work_free(w);
        pinion_model_free(m);
    }
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(tilted_axes);
    RUN(hardly_closed);
    RUN(all_agree_or_doubt);
    RUN(singular_positions);
    return CHECK_END();
}
