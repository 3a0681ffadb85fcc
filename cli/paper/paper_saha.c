/* Saha 1999: inverse dynamics and simulation of a planar arm and of the Stanford arm (Figs. 5, 6, 8, 9), and
 * the costs of Tables 1 and 2. */
#include "cli/paper/paper_counts.h"
#include "cli/paper/paper_run.h"

#include <math.h>
#include <stdlib.h>

#define PI 3.14159265358979323846
#define DEGREES (180 / PI)

enum { ROWS = 501 };

/* ------------------------------------------------------------------------------------------------ */
/* The planar arm in closed form, to check against. With the absolute angles phi_i of uniform slender rods,
 * A_ij is the coefficient of phi_j'' in the equation of phi_i but for cos(phi_i - phi_j). */

static void planar_torques(const double *q, const double *v, const double *a, double tau[3])
{
    const double l = 1, m = 1, c = l / 2, I = m * l * l / 12, g = 9.81;
    double phi[3], rate[3], rate2[3], f[3];
    for (int i = 0; i < 3; i++) {
        phi[i] = q[i] + (i ? phi[i - 1] : 0);
        rate[i] = v[i] + (i ? rate[i - 1] : 0);
        rate2[i] = a[i] + (i ? rate2[i - 1] : 0);
    }
    for (int i = 0; i < 3; i++) {
        const double beyond = m * (2 - i); /* the mass of the links after this one */
        f[i] = (I + m * c * c + beyond * l * l) * rate2[i] + g * (m * c + beyond * l) * cos(phi[i]);
        for (int j = 0; j < 3; j++) {
            if (j == i) continue;
            const double A = m * l * c + m * (2 - (i > j ? i : j)) * l * l;
            f[i] += A * (cos(phi[i] - phi[j]) * rate2[j] + sin(phi[i] - phi[j]) * rate[j] * rate[j]);
        }
    }
    tau[2] = f[2];
    tau[1] = f[1] + tau[2];
    tau[0] = f[0] + tau[1];
}

/* The largest difference between the recursion's torques and the closed form's, and the largest torque. */
static double planar_error(paper *p, const pinion_result *r, double *most)
{
    static const char *const names[] = {"q.joint1", "v.joint1", "a.joint1", "tau.joint1"};
    int column[4];
    double worst = 0;
    for (int i = 0; i < 4; i++) {
        column[i] = pinion_result_find_column(r, names[i]);
        if (column[i] < 0) p->failed = 1;
    }
    *most = 0;
    for (size_t k = 0; k < pinion_result_row_count(r) && !p->failed; k++) {
        double x[4][3], tau[3];
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 3; j++) x[i][j] = pinion_result_values(r, column[i] + j)[k];
        planar_torques(x[0], x[1], x[2], tau);
        for (int j = 0; j < 3; j++) {
            worst = fmax(worst, fabs(tau[j] - x[3][j]));
            *most = fmax(*most, fabs(tau[j]));
        }
    }
    return worst;
}

/* ------------------------------------------------------------------------------------------------ */
/* Free fall */

/* Two runs of the same fall, and how far apart they are. */
static void show_parting(paper *p, const char *name, const pinion_result *fine, const pinion_result *coarse,
                         int nq, double *when)
{
    const double *t = pn_paper_column(p, fine, "t");
    const size_t rows = pinion_result_row_count(fine);
    double *apart = calloc(rows + 1, sizeof *apart);
    *when = INFINITY;
    if (!t || !apart) {
        p->failed = 1;
        free(apart);
        return;
    }
    for (size_t k = 0; k < rows; k++) {
        for (int i = 0; i < nq; i++)
            apart[k] = fmax(apart[k], fabs(pinion_result_values(fine, 1 + i)[k] -
                                           pinion_result_values(coarse, 1 + i)[k]));
        if (apart[k] > 1 / DEGREES && t[k] < *when) *when = t[k];
    }
    const cli_series series = {
        .name = "largest difference of a coordinate", .count = (int)rows, .x = t, .y = apart};
    pn_paper_figure(p, name,
                    &(cli_figure){.caption = "How far runs at two tolerances are apart",
                                  .x_label = "time (s)",
                                  .y_label = "difference (rad or m)",
                                  .y_log = 1,
                                  .series_count = 1,
                                  .series = &series});
    free(apart);
}

/* The largest drift over the largest kinetic energy. */
static double relative_drift(paper *p, const pinion_result *r)
{
    const double *kinetic = pn_paper_column(p, r, "energy.kinetic"), *drift = pn_paper_column(p, r, "energy.drift");
    const size_t rows = pinion_result_row_count(r);
    return kinetic && drift ? pn_paper_largest(drift, rows) / pn_paper_largest(kinetic, rows) : NAN;
}

/* ------------------------------------------------------------------------------------------------ */
/* The studies of section 6 */

static pinion_trajectory *cycloid(paper *p, const pinion_model *m, const double *from, const double *to)
{
    pinion_error err = {PINION_OK, 0, 0, ""};
    pinion_trajectory *motion = pinion_trajectory_between(m, from, to, 10, PINION_PROFILE_CYCLOIDAL, 0, &err);
    if (!motion) {
        pn_cli_report(p->command, "%s", err.message);
        p->failed = 1;
    }
    return motion;
}

static void planar_inverse(paper *p, const pinion_model *m)
{
    const double from[3] = {0, 0, 0}, to[3] = {PI, PI, PI};
    pn_paper_section(p, "The planar arm: torques (Fig. 5)");
    pn_paper_say(p, "Each joint follows Eq. 38, a cycloid from 0 to 180 degrees in 10 s; the torques come "
                    "from the recursion of section 5.1 (denoc).");
    pinion_trajectory *motion = cycloid(p, m, from, to);
    pinion_result *r =
        motion ? pn_paper_inverse(p, m, motion, "denoc", ROWS, "Planar arm: torques along Eq. 38") : NULL;
    if (r) {
        double most;
        pn_paper_plot(p, "figure-5", "Fig. 5: torques of the planar arm", r, "tau.", 0, 3, 1, "torque (N m)");
        const double worst = planar_error(p, r, &most);
        pn_paper_say(p,
                     "The closed form of the three torques, written down from Lagrange's equations of "
                     "three slender rods, differs by at most %.1e N m, %.1e of the largest torque.",
                     worst, worst / most);
        pn_paper_number(p, "planar_closed_form_error", worst / most);
        pn_paper_result(p, "planar-inverse", r, NULL);
    }
    pinion_result_free(r);
    pinion_trajectory_free(motion);
}

static void planar_fall(paper *p, const pinion_model *m)
{
    const double q[3] = {0, 0, 0};
    pn_paper_section(p, "The planar arm: free fall (Fig. 6)");
    pn_paper_say(p, "From rest, stretched out along x, without torques; accelerations by the recursive U D "
                    "U' factorization of section 5.2 (denoc-udu), integrated by Verner's pair of orders "
                    "six and five.");
    paper_run run = {.title = "Planar arm: free fall",
                     .algorithm = "denoc-udu",
                     .integrator = PINION_INTEGRATOR_VERNER65,
                     .duration = 25,
                     .rows = 1251,
                     .q = q};
    pinion_result *fine = pn_paper_simulate(p, m, &run);
    run.tolerance = 1e-8;
    pinion_result *coarse = fine ? pn_paper_simulate(p, m, &run) : NULL;
    if (fine && coarse) {
        double when;
        pn_paper_plot(p, "figure-6", "Fig. 6: joint angles of the falling planar arm", fine, "q.", 0, 3,
                      DEGREES, "joint angle (deg)");
        const double theta =
            pn_paper_column(p, fine, "q.joint1") ? pn_paper_column(p, fine, "q.joint1")[5] : NAN;
        pn_paper_say(p,
                     "As in the paper's Fig. 6, the first angle grows in the negative direction at first "
                     "(%.2f degrees after 0.1 s), and the arm then swings as a triple pendulum.",
                     DEGREES * theta);
        show_parting(p, "figure-6-parting", fine, coarse, 3, &when);
        pn_paper_say(
            p,
            "A triple pendulum is chaotic: however small, an error grows exponentially. Runs at relative "
            "tolerances 1e-10 and 1e-8 are a degree apart after %.1f s. Up to there the curves are the "
            "arm's; what follows depends on the last digits of the computation, and no two programs draw "
            "it alike. How long the paper's run lasted is lost with its figure.",
            when);
        pn_paper_say(p,
                     "The energy, which free fall conserves, drifts by %.1e of the largest kinetic energy.",
                     relative_drift(p, fine));
        pn_paper_number(p, "planar_drift", relative_drift(p, fine));
        pn_paper_number(p, "planar_parting_time", when);
        pn_paper_result(p, "planar-fall", fine, m);
    }
    pinion_result_free(fine);
    pinion_result_free(coarse);
}

static void stanford_inverse(paper *p, const pinion_model *m)
{
    const double end = 60 / DEGREES, from[6] = {0, PI / 2, 0, 0, 0, 0},
                 to[6] = {end, end, 0.1, end, end, end};
    pn_paper_section(p, "The Stanford arm: torques and force (Fig. 8)");
    pn_paper_assume(
        p,
        "Eq. 39 as printed is a cycloid from 0 to pi for every joint, which contradicts the values under "
        "it: from 0 (joint 2: 90 degrees) to 60 degrees, and from 0 to 0.1 m. A cycloid between those "
        "values in 10 s is taken. The direction of gravity is not printed: it acts along -z, with the "
        "first axis vertical.");
    pinion_trajectory *motion = cycloid(p, m, from, to);
    pinion_result *r =
        motion ? pn_paper_inverse(p, m, motion, "denoc", ROWS, "Stanford arm: torques along Eq. 39") : NULL;
    for (int j = 0; r && j < 6; j++) {
        char name[32], caption[64];
        snprintf(name, sizeof name, "figure-8%c", 'a' + j);
        snprintf(caption, sizeof caption, "Fig. 8(%c): %s at joint %d", 'a' + j, j == 2 ? "force" : "torque",
                 j + 1);
        pn_paper_plot(p, name, caption, r, "tau.", j, 1, 1, j == 2 ? "force (N)" : "torque (N m)");
    }
    if (r) {
        /* the same motion by an algorithm that shares none of its steps */
        pinion_result *other =
            pn_paper_inverse(p, m, motion, "lagrange-recursive", ROWS, "Stanford arm: check");
        const int first = pinion_result_find_column(r, "tau.joint1");
        double worst = 0, most = 0;
        for (int j = 0; other && j < 6; j++)
            for (size_t k = 0; k < ROWS; k++) {
                const double x = pinion_result_values(r, first + j)[k],
                             y = pinion_result_values(other, first + j)[k];
                worst = fmax(worst, fabs(x - y));
                most = fmax(most, fabs(x));
            }
        pn_paper_say(p,
                     "The paper says that its curves match those of Cyril (1988); the curves themselves "
                     "are lost in our copy, so that what can be checked is the computation: Hollerbach's "
                     "recursive Lagrange equations give the same torques to %.1e of the largest.",
                     worst / most);
        pn_paper_number(p, "stanford_agreement", worst / most);
        pn_paper_result(p, "stanford-inverse", r, m);
        pinion_result_free(other);
    }
    pinion_result_free(r);
    pinion_trajectory_free(motion);
}

static void stanford_fall(paper *p, const pinion_model *m)
{
    const double q[6] = {0, PI / 2, 0, 0, 0, 0};
    pn_paper_section(p, "The Stanford arm: free fall (Fig. 9)");
    pn_paper_assume(p, "The paper does not print the initial state and the length of this run: it starts "
                       "at rest from the initial values of its Table 3 and lasts 2 s.");
    const paper_run run = {.title = "Stanford arm: free fall",
                           .algorithm = "denoc-udu",
                           .integrator = PINION_INTEGRATOR_VERNER65,
                           .duration = 2,
                           .rows = ROWS,
                           .q = q};
    pinion_result *r = pn_paper_simulate(p, m, &run);
    for (int j = 0; r && j < 6; j++) {
        char name[32], caption[64];
        snprintf(name, sizeof name, "figure-9%c", 'a' + j);
        snprintf(caption, sizeof caption, "Fig. 9(%c): joint %d", 'a' + j, j + 1);
        pn_paper_plot(p, name, caption, r, "q.", j, 1, j == 2 ? 1 : DEGREES,
                      j == 2 ? "displacement (m)" : "angle (deg)");
    }
    if (r) {
        /* the paper: joint 3 moves sharply once joint 2 has turned */
        const double *t = pn_paper_column(p, r, "t"), *q2 = pn_paper_column(p, r, "q.joint2");
        const double *q3 = pn_paper_column(p, r, "q.joint3"), *a3 = pn_paper_column(p, r, "a.joint3");
        size_t at = 0;
        while (q2 && at + 1 < ROWS && fabs(q2[at] - PI / 2) <= PI / 4) at++;
        if (t && q2 && q3 && a3)
            pn_paper_say(p,
                         "The paper expects the motion of joint 3 to increase sharply once joint 2 turns "
                         "more than 90 degrees: at 90 degrees the axis of joint 3 is level, and beyond it "
                         "points down. So it does: the acceleration of joint 3 is %.2f m/s² at first and "
                         "%.2f m/s² after %.2f s, when joint 2 has turned by 45 degrees and joint 3 has "
                         "moved %.2f m. Which way joint 2 turns follows from the mass centre of link 4 and "
                         "the direction of gravity, which is not printed: here its angle falls from 90 "
                         "degrees instead of rising.",
                         a3[0], a3[at], t[at], q3[at]);
        pn_paper_say(p, "The energy drifts by %.1e of the largest kinetic energy.", relative_drift(p, r));
        pn_paper_number(p, "stanford_drift", relative_drift(p, r));
        pn_paper_result(p, "stanford-fall", r, m);
    }
    pinion_result_free(r);
}

/* ------------------------------------------------------------------------------------------------ */
/* Tables 1 and 2 */

typedef struct cost {
    const char *label, *published, *at; /* as the table prints it */
    const char *algorithm;              /* NULL: not in this collection */
} cost;

static void show_costs(paper *p, const char *name, const char *caption, const cost *costs, int count,
                       int with_12)
{
    const int columns = with_12 ? 6 : 5;
    static const char *const heading[] = {"algorithm", "published", "at n = 6",
                                          "measured",  "at n = 6",  "at n = 12"};
    cli_table t = pn_cli_table(columns);
    for (int i = 0; i < columns; i++) pn_cli_table_add(&t, "%s", heading[i]);
    for (int i = 0; i < count; i++) {
        pinion_operations six, twelve, whole;
        char mul[80], add[80];
        const char *by = costs[i].algorithm;
        pn_cli_table_add(&t, "%s", costs[i].label);
        pn_cli_table_add(&t, "%s", costs[i].published);
        pn_cli_table_add(&t, "%s", costs[i].at);
        if (by && pn_paper_formula(by, mul, add, sizeof mul) && pn_paper_counts(by, 6, &six, &whole) &&
            pn_paper_counts(by, 12, &twelve, &whole)) {
            pn_cli_table_add(&t, "%s; %s (%s)", mul, add, by);
            pn_cli_table_add(&t, "%.0f M %.0f A", six.mul, six.add);
            if (with_12) pn_cli_table_add(&t, "%.0f M %.0f A", twelve.mul, twelve.add);
        } else {
            pn_cli_table_add(&t, "%s", by ? "not counted: this build has no C++" : "not in this collection");
            for (int c = 4; c < columns; c++) pn_cli_table_add(&t, "%s", "");
        }
    }
    pn_paper_table(p, name, caption, &t, "llllll");
}

static void count_operations(paper *p)
{
    static const cost inverse[] = {
        {"Hollerbach 1980", "412 n − 277; 320 n − 201", "2195 M 1719 A", "lagrange-recursive"},
        {"Luh et al. 1980", "150 n − 48; 131 n + 48", "852 M 834 A", "rnea"},
        {"Walker and Orin 1982", "137 n − 22; 101 n − 11", "800 M 595 A", "rnea"},
        {"Saha 1999", "120 n − 44; 97 n − 55", "676 M 527 A", "denoc"},
        {"Khalil et al. 1986", "105 n − 92; 94 n − 86", "538 M 478 A", NULL},
        {"Angeles et al. 1989", "105 n − 109; 90 n − 105", "521 M 435 A", "kane"},
        {"Balafoutis et al. 1988", "93 n − 69; 81 n − 65", "489 M 421 A", "cartesian-tensor"},
    };
    static const cost forward[] = {
        {"Saha 1999", "201 n − 335; 193 n − 361", "871 M 797 A", "denoc-udu"},
        {"Featherstone 1983", "199 n − 198; 174 n − 173", "996 M 871 A", "aba"},
        {"Walker and Orin 1982", "n³/6 + 11.5 n² + 115/3 n − 47; n³/6 + 7 n² + 233/6 n − 46", "633 M 480 A",
         "crba-cholesky"},
    };
    pn_paper_section(p, "Costs: Tables 1 and 2");
    show_costs(p, "table-1", "Table 1: multiplications; additions of inverse dynamics", inverse, 7, 0);
    show_costs(p, "table-2", "Table 2: multiplications; additions of forward dynamics", forward, 3, 1);
    pn_paper_say(p,
                 "Measured counts come from the source that computes, by the same rules for all. As in the "
                 "paper, the count of denoc-udu does not include phi, the torques less the bias forces, "
                 "nor does that of crba-cholesky; the formula quoted for Featherstone 1983 leaves work out "
                 "that the measured count of ABA has.");
    pn_paper_say(p, "At n = 6 the quoted formula of Walker and Orin gives 475 additions, not the 480 that "
                    "the table prints; its last column is n = 12.");
}

void pn_paper_saha(paper *p)
{
    pinion_model *planar = pn_paper_model(p, "planar-3r.json"),
                 *stanford = pn_paper_model(p, "stanford.json");
    if (planar && stanford) {
        pn_paper_assume(p,
                        "The planar arm's lengths and masses are in the paper's Fig. 4, which is lost: "
                        "each link is a uniform slender rod of 1 m and 1 kg, so that torques scale but do "
                        "not match the paper's.");
        planar_inverse(p, planar);
        if (!p->failed) planar_fall(p, planar);
        if (!p->failed) stanford_inverse(p, stanford);
        if (!p->failed) stanford_fall(p, stanford);
        if (!p->failed) count_operations(p);
    }
    pinion_model_free(planar);
    pinion_model_free(stanford);
}
