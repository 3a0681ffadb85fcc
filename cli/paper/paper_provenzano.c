/* Provenzano, Mata, Ceccarelli & Suner: a PUMA robot moves its tool along a straight line. The torques that this
 * takes by inverse dynamics are fed into simulations by three methods of forward dynamics. Their errors and times
 * are compared (Table 2), and so are the costs of the mass matrix (Table 1). */
#include "cli/paper/paper_counts.h"
#include "cli/paper/paper_run.h"
#include "cli/print/timing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

enum { ROWS = 51, NV = 6, METHODS = 3, FEEDS = 2 };

static const double start[3] = {0.60, 0.175, 0.250}, finish[3] = {0.244, 0.527, 0.250}, duration = 5;

/* the methods, in the order of the paper's Table 2 */
static const struct {
    const char *label, *algorithm;
} methods[METHODS] = {{"CRBM", "crba-cholesky"}, {"ABM", "aba"}, {"GAH", "gah-gauss-jordan"}};

/* errors of one simulation: of position, velocity and acceleration of the tool */
typedef struct errors {
    double most[3], mean[3], seconds;
} errors;

/* ------------------------------------------------------------------------------------------------ */
/* The motion */

/* Orientation from Euler angles about Z, Y and Z again. */
static void zyz(double a, double b, double c, double R[9])
{
    const double ca = cos(a), sa = sin(a), cb = cos(b), sb = sin(b), cc = cos(c), sc = sin(c);
    const double turned[9] = {ca * cb * cc - sa * sc,
                              -ca * cb * sc - sa * cc,
                              ca * sb,
                              sa * cb * cc + ca * sc,
                              -sa * cb * sc + ca * cc,
                              sa * sb,
                              -sb * cc,
                              sb * sc,
                              cb};
    memcpy(R, turned, sizeof turned);
}

/* The first solution of inverse kinematics from which the whole line can be travelled. NULL, with the study
 * failed, after a message. */
static pinion_trajectory *plan(paper *p, const pinion_model *m, pinion_work *w, int frame, double *q0)
{
    pinion_pose target;
    double way[3];
    for (int k = 0; k < 3; k++) {
        target.position[k] = start[k];
        way[k] = finish[k] - start[k];
    }
    zyz(PI / 4, PI / 3, PI / 2, target.rotation);

    pinion_error err = {PINION_OK, 0, 0, "the tool cannot be put where the line starts"};
    for (uint64_t seed = 0; seed < 64; seed++) {
        pinion_ik_options ik = pinion_ik_options_default();
        ik.seed = seed;
        ik.position_tolerance = ik.orientation_tolerance =
            1e-13; /* so that the torques are smooth to rounding */
        if (pinion_random(m, seed, q0) != PINION_OK) break;
        if (pinion_inverse_kinematics(m, w, frame, &target, &ik, q0, NULL) != PINION_OK) continue;
        pinion_trajectory *motion =
            pinion_trajectory_line(m, q0, frame, way, duration, PINION_PROFILE_UNIFORM, 0, &ik, &err);
        if (motion) return motion;
    }
    pn_cli_report(p->command, "%s", err.message);
    p->failed = 1;
    return NULL;
}

/* ------------------------------------------------------------------------------------------------ */
/* The torques */

/* what a simulation is driven by: inverse dynamics of the planned motion at every instant */
typedef struct feed {
    const pinion_model *m;
    pinion_work *w;
    pinion_trajectory *motion;
} feed;

static pinion_status planned_torque(void *user, double t, const double *q, const double *v, double *tau)
{
    feed *f = user;
    double planned[3][NV];
    (void)q, (void)v;
    pinion_status status = pinion_trajectory_at(f->motion, t, planned[0], planned[1], planned[2]);
    return status == PINION_OK
               ? pinion_inverse_dynamics(f->m, f->w, planned[0], planned[1], planned[2], NULL, tau)
               : status;
}

/* ------------------------------------------------------------------------------------------------ */
/* The errors */

/* How far the tool is from where it should be at each row of a run. */
static int measure(paper *p, const pinion_model *m, pinion_work *w, int frame, const pinion_result *r,
                   errors *e, double *curve)
{
    const double *t = pn_paper_column(p, r, "t");
    memset(e->most, 0, sizeof e->most);
    memset(e->mean, 0, sizeof e->mean);
    for (size_t k = 0; t && k < ROWS; k++) {
        double q[NV], v[NV], a[NV], x[3], R[9], velocity[6], acceleration[6], square[3] = {0, 0, 0};
        for (int i = 0; i < NV; i++) {
            q[i] = pinion_result_values(r, 1 + i)[k];
            v[i] = pinion_result_values(r, 1 + NV + i)[k];
            a[i] = pinion_result_values(r, 1 + 2 * NV + i)[k];
        }
        if (pinion_frame_pose(m, w, q, frame, x, R) != PINION_OK ||
            pinion_frame_velocity(m, w, q, v, frame, PINION_REFERENCE_WORLD_ALIGNED, velocity) != PINION_OK ||
            pinion_frame_acceleration(m, w, q, v, a, frame, PINION_REFERENCE_WORLD_ALIGNED,
                                      PINION_ACCELERATION_CLASSICAL, acceleration) != PINION_OK)
            return 0;
        for (int i = 0; i < 3; i++) {
            const double speed = (finish[i] - start[i]) / duration, place = start[i] + speed * t[k];
            square[0] += (x[i] - place) * (x[i] - place);
            square[1] += (velocity[3 + i] - speed) * (velocity[3 + i] - speed);
            square[2] += acceleration[3 + i] * acceleration[3 + i];
        }
        curve[k] = sqrt(square[0]);
        for (int i = 0; i < 3; i++) {
            e->most[i] = fmax(e->most[i], sqrt(square[i]));
            e->mean[i] += sqrt(square[i]) / ROWS;
        }
    }
    return t != NULL;
}

/* Simulates by one method, several times for the time, which is the least. NULL, with the study failed, on
 * failure. */
static pinion_result *simulate(paper *p, const pinion_model *m, int method, pinion_torque_fn torque,
                               pinion_jump_fn jump, void *user, double tolerance, const double *q0,
                               const double *v0, errors *e)
{
    char title[80];
    snprintf(title, sizeof title, "PUMA along a straight line, simulated by %s", methods[method].label);
    const paper_run run = {.title = title,
                           .algorithm = methods[method].algorithm,
                           .integrator = PINION_INTEGRATOR_DOPRI5,
                           .tolerance = tolerance,
                           .duration = duration,
                           .rows = ROWS,
                           .torque = torque,
                           .jump = jump,
                           .user = user,
                           .q = q0,
                           .v = v0};
    pinion_result *r = NULL;
    e->seconds = INFINITY;
    for (int turn = 0; turn < 5; turn++) {
        pinion_result_free(r);
        const double begin = pn_cli_now();
        r = pn_paper_simulate(p, m, &run);
        if (!r) return NULL;
        e->seconds = fmin(e->seconds, pn_cli_now() - begin);
    }
    return r;
}

/* ------------------------------------------------------------------------------------------------ */
/* What is shown */

static void count_operations(paper *p)
{
    static const char *const heading[] = {"method", "published", "measured", "measured at n = 6"};
    pn_paper_section(p, "The cost of the mass matrix: Table 1");
    cli_table t = pn_cli_table(4);
    for (int i = 0; i < 4; i++) pn_cli_table_add(&t, "%s", heading[i]);
    pn_paper_count_row(&t, "CRBM (Walker and Orin)", "crba",
                       "12 n² + 56 n − 27 (741); 7 n² + 67 n − 53 (601)", 6);
    pn_paper_count_row(&t, "NOC (Angeles and Ma)", "noc",
                       "n³ + 17 n² − 21 n + 8 (710); n³ + 14 n² − 16 n + 5 (629)", 6);
    pn_paper_count_row(&t, "GAH", "gah", "11.5 n² + 19.5 n − 49 (482); 8.5 n² + 31.5 n − 69 (426)", 6);
    pn_paper_table(p, "table-1",
                   "Products; additions for a serial chain of n revolute joints (value at n = 6)", &t,
                   "llll");
    pn_paper_say(p, "GAH takes fewer operations than the composite rigid bodies of Walker and Orin, as the "
                    "paper finds; the composite rigid bodies of today take fewer than both. The formula "
                    "for the additions of CRBM gives 601 at n = 6, as printed.");
}

/* Table 2 for one way of feeding the torques; published where it is the paper's. */
static void show_errors(paper *p, const char *name, const char *caption, const errors e[METHODS],
                        int published)
{
    static const char *const rows[] = {"position (m), maximum",        "position, mean",
                                       "velocity (m/s), maximum",      "velocity, mean",
                                       "acceleration (m/s²), maximum", "acceleration, mean"};
    static const char *const paper_says[] = {
        "2.24416e-3 2.24506e-3 2.24446e-3", "1.98474e-4 1.98552e-4 1.98500e-4",
        "1.48353e-3 1.48402e-3 1.48370e-3", "1.01924e-4 1.01960e-4 1.01937e-4",
        "1.96068e-2 1.96293e-2 1.96184e-2", "1.73333e-3 1.73432e-3 1.73377e-3"};
    const int columns = published ? 5 : 4;
    cli_table t = pn_cli_table(columns);
    pn_cli_table_add(&t, "%s", "error of the tool");
    for (int k = 0; k < METHODS; k++) pn_cli_table_add(&t, "%s", methods[k].label);
    if (published) pn_cli_table_add(&t, "%s", "paper: CRBM ABM GAH");
    for (int i = 0; i < 6; i++) {
        pn_cli_table_add(&t, "%s", rows[i]);
        for (int k = 0; k < METHODS; k++)
            pn_cli_table_add(&t, "%.6e", i % 2 ? e[k].mean[i / 2] : e[k].most[i / 2]);
        if (published) pn_cli_table_add(&t, "%s", paper_says[i]);
    }
    pn_cli_table_add(&t, "%s", "processing time (s)");
    for (int k = 0; k < METHODS; k++) pn_cli_table_add(&t, "%.5f", e[k].seconds);
    if (published) pn_cli_table_add(&t, "%s", "0.57 0.65 0.56");
    pn_paper_table(p, name, caption, &t, "lrrrl");
}

static void show_curves(paper *p, const char *name, const char *caption, double curve[METHODS][ROWS])
{
    double t[ROWS];
    cli_series series[METHODS];
    for (int k = 0; k < ROWS; k++) t[k] = duration * k / (ROWS - 1);
    for (int k = 0; k < METHODS; k++)
        series[k] = (cli_series){.name = methods[k].label, .count = ROWS, .x = t, .y = curve[k], .dashed = k};
    pn_paper_figure(p, name,
                    &(cli_figure){.caption = caption,
                                  .x_label = "time (s)",
                                  .y_label = "position error (m)",
                                  .y_log = 1,
                                  .series_count = METHODS,
                                  .series = series});
}

/* ------------------------------------------------------------------------------------------------ */
/* The simulations */

/* everything that the simulations need */
typedef struct study {
    const pinion_model *m;
    pinion_work *w;
    int frame;
    double q0[NV], v0[NV];
    feed exact;
} study;

/* All methods with one kind of torques. */
static void compare(paper *p, study *s, pinion_torque_fn torque, pinion_jump_fn jump, void *user, double tolerance,
                    const char *name, const char *caption, int published)
{
    errors e[METHODS];
    double curve[METHODS][ROWS];
    for (int k = 0; k < METHODS && !p->failed; k++) {
        pinion_result *r = simulate(p, s->m, k, torque, jump, user, tolerance, s->q0, s->v0, &e[k]);
        char file[64];
        snprintf(file, sizeof file, "%s-%s", name, methods[k].algorithm);
        if (r && !measure(p, s->m, s->w, s->frame, r, &e[k], curve[k])) p->failed = 1;
        if (r) pn_paper_result(p, file, r, published && k == 2 ? s->m : NULL);
        pinion_result_free(r);
    }
    if (p->failed) return;
    char table[64], figure[64];
    snprintf(table, sizeof table, "%s-table-2", name);
    snprintf(figure, sizeof figure, "%s-errors", name);
    show_errors(p, table, caption, e, published);
    show_curves(p, figure, "How far the simulated tool is from the planned line", curve);
    double most[3] = {e[0].most[0], e[1].most[0], e[2].most[0]};
    char key[80];
    snprintf(key, sizeof key, "%s_position_error", name);
    pn_paper_number(p, key, pn_paper_largest(most, 3));
}

static void simulate_exact(paper *p, study *s)
{
    pn_paper_section(p, "Simulation: Table 2");
    pn_paper_say(
        p, "The torques are those of inverse dynamics at every instant the integrator asks for; the "
           "integrator is Dormand and Prince's, of order five, at the paper's tolerance of 1e-6; the tool "
           "is looked at every 0.1 s. Nothing feeds the errors back, so that they grow as an arm without a "
           "controller lets them.");
    compare(p, s, planned_torque, NULL, &s->exact, 1e-6, "exact",
            "Table 2: errors of the tool along the line, torques at every instant", 1);
    compare(p, s, planned_torque, NULL, &s->exact, 1e-10, "fine", "The same at a tolerance of 1e-10", 0);
    pn_paper_say(p, "An error is the length of the difference to the planned position, velocity or "
                    "acceleration. The errors are the integrator's: at a tolerance of 1e-10 they fall some "
                    "four thousand times with all three methods. What differs between the methods is "
                    "rounding, which decides how long the first, nearly exact steps are, and which an arm "
                    "without a controller lets grow by some five orders of magnitude in 5 s. So the order "
                    "of the three says nothing about the methods. The paper's own table has it the other "
                    "way round from its conclusion: there the errors of CRBM are the least and those of "
                    "ABM the largest, though they differ from the fourth digit on only. Its columns are "
                    "headed by differences of magnitudes, which are never larger than ours.");
}

static void simulate_sampled(paper *p, study *s)
{
    double t[ROWS], tau[ROWS * NV], q[NV], v[NV];
    pn_paper_section(p, "Simulation with sampled torques");
    for (int k = 0; k < ROWS && !p->failed; k++) {
        t[k] = duration * k / (ROWS - 1);
        if (planned_torque(&s->exact, t[k], q, v, tau + NV * k) != PINION_OK) p->failed = 1;
    }
    pinion_control_def def = pinion_control_def_default();
    def.kind = PINION_CONTROL_TABLE;
    def.count = ROWS;
    def.table_t = t;
    def.table_tau = tau;
    pinion_error err = {PINION_OK, 0, 0, ""};
    pinion_controller *c = p->failed ? NULL : pinion_controller_new(s->m, &def, &err);
    if (!c) {
        pn_cli_report(p->command, "%s", err.message);
        p->failed = 1;
        return;
    }
    pn_paper_say(p, "The paper solves inverse dynamics at each instant, with an interval of 0.1 s, and "
                    "does not say what the torques are in between. With torques that are linear between "
                    "those instants the arm, which nothing holds on its way, leaves the line altogether, "
                    "whatever the method:");
    compare(p, s, pinion_controller_torque, pinion_controller_jump, c, 1e-6, "sampled",
            "The same, torques at 51 instants and linear in between", 0);
    pinion_controller_free(c);
}

/* The planned motion and its torques. */
static void show_plan(paper *p, study *s)
{
    pn_paper_section(p, "The motion and its torques");
    const double way = hypot(finish[0] - start[0], finish[1] - start[1]);
    pn_paper_say(p,
                 "The tool moves from (0.600, 0.175, 0.250) m to (0.244, 0.527, 0.250) m in 5 s, at "
                 "constant orientation: Euler angles about Z, Y and Z of 45, 60 and 90 degrees. The way is "
                 "%.4f m, so that the speed is %.4f m/s, which the paper gives as 0.1 m/s.",
                 way, way / duration);
    pinion_result *r =
        pn_paper_inverse(p, s->m, s->exact.motion, "gibbs-appell", 251, "PUMA along a straight line");
    if (r) {
        pn_paper_plot(p, "torques", "Joint torques along the line, by the Gibbs-Appell equations", r, "tau.",
                      0, NV, 1, "torque (N m)");
        pn_paper_plot(p, "angles", "Joint angles along the line", r, "q.", 0, NV, 180 / PI, "angle (deg)");
        pn_paper_result(p, "plan", r, NULL);
    }
    pinion_result_free(r);
}

void pn_paper_provenzano(paper *p)
{
    pinion_model *m = pn_paper_model(p, "puma560-akb.json");
    study s = {.m = m, .w = m ? pinion_work_new(m) : NULL};
    s.frame = m ? pinion_model_find_frame(m, "link6") : -1;
    if (m && (!s.w || s.frame < 0 || pinion_model_nv(m) != NV)) p->failed = 1;
    if (!p->failed && m) s.exact = (feed){m, s.w, plan(p, m, s.w, s.frame, s.q0)};
    if (s.exact.motion) {
        /* moving already at t = 0, as the paper's motion does */
        if (pinion_trajectory_at(s.exact.motion, 0, s.q0, s.v0, NULL) != PINION_OK) p->failed = 1;
        pn_paper_assume(
            p, "The paper gives no parameters of its PUMA: those of Armstrong, Khatib and Burdick (1986) "
               "are taken, rotor inertias included, friction left out. The tool's point is the origin of "
               "frame 6, where the wrist's axes meet. Of the arm's postures the first is taken from which "
               "the whole line can be travelled. Which linear solver CRBM used is not said: here "
               "Cholesky's, and Gauss and Jordan's for GAH as in the paper.");
        show_plan(p, &s);
        if (!p->failed) simulate_exact(p, &s);
        if (!p->failed) simulate_sampled(p, &s);
        if (!p->failed) count_operations(p);
    }
    pinion_trajectory_free(s.exact.motion);
    pinion_work_free(s.w);
    pinion_model_free(m);
}
