/* Featherstone & Orin 2000, section 3.4: the three ways to solve closed loops (Eqs. 20 to 22) and one of later years,
 * against the number of joints n and the number of constraints. */
#include "cli/paper/paper_loops.h"

#include "cli/print/timing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { METHODS = 4, SIZES = 6, TURNS = 21 };

static const char *const methods[METHODS] = {"loop-direct", "loop-multipliers", "loop-nullspace",
                                             "loop-proximal"};

/* one mechanism at a configuration that keeps its loops */
typedef struct mechanism {
    pinion_model *m;
    pinion_work *w;
    double *q, *v, *tau, *a; /* a: [METHODS][nv] */
    int nv, rows, rank;
} mechanism;

typedef struct subject {
    const mechanism *x;
    int algorithm, failed;
    double *a;
} subject;

/* what is shown of a family of mechanisms */
typedef struct family {
    double n[SIZES], rows[SIZES], rank[SIZES], ns[METHODS][SIZES];
    double worst; /* the largest difference between the methods, of the largest acceleration */
} family;

static void run(void *user)
{
    subject *s = user;
    const mechanism *x = s->x;
    const pinion_status status =
        pinion_loop_dynamics(x->m, x->w, s->algorithm, NULL, x->q, x->v, x->tau, NULL, s->a, NULL);
    s->failed |= status != PINION_OK;
}

static void close_mechanism(mechanism *x)
{
    pinion_model_free(x->m);
    pinion_work_free(x->w);
    free(x->q);
    memset(x, 0, sizeof *x);
}

/* Takes over the model. The configuration is near the initial one, and moves. 0 on failure. */
static int open_mechanism(mechanism *x, pinion_model *m)
{
    memset(x, 0, sizeof *x);
    x->m = m;
    if (!m) return 0;
    x->w = pinion_work_new(m);
    x->nv = pinion_model_nv(m);
    x->rows = pinion_model_row_count(m);
    const size_t nq = (size_t)pinion_model_nq(m), nv = (size_t)x->nv;
    x->q = calloc(nq + (2 + METHODS) * nv + 1, sizeof *x->q);
    if (!x->w || !x->q) return 0;
    x->v = x->q + nq;
    x->tau = x->v + nv;
    x->a = x->tau + nv;

    pinion_mobility mobility;
    if (pinion_initial(m, x->q, NULL) != PINION_OK) return 0;
    for (int i = 0; i < x->nv; i++) {
        x->q[i] += 0.3;
        x->v[i] = sin(1.0 + i);
        x->tau[i] = cos(2.0 + i);
    }
    if (pinion_assemble(m, x->w, 0, NULL, x->q, NULL) != PINION_OK) return 0;
    if (pinion_project_velocity(m, x->w, 0, NULL, x->q, x->v) != PINION_OK) return 0;
    if (pinion_mobility_at(m, x->w, 0, x->q, &mobility) != PINION_OK) return 0;
    x->rank = mobility.rank;
    return 1;
}

/* The largest difference of any method's accelerations from the first one's, of their largest. */
static double difference(const mechanism *x)
{
    double most = 0, size = 0;
    for (int i = 0; i < x->nv; i++) size = fmax(size, fabs(x->a[i]));
    for (int k = 1; k < METHODS; k++)
        for (int i = 0; i < x->nv; i++) most = fmax(most, fabs(x->a[k * x->nv + i] - x->a[i]));
    return size > 0 ? most / size : 0;
}

/* Times all methods on one mechanism. 0 on failure. */
static int time_mechanism(pinion_model *m, family *f, int row)
{
    mechanism x;
    subject s[METHODS];
    timed_call call[METHODS];
    int done = open_mechanism(&x, m);
    for (int k = 0; k < METHODS && done; k++) {
        s[k] = (subject){&x, pinion_algorithm_find(methods[k]), 0, x.a + k * x.nv};
        call[k] = (timed_call){run, &s[k], 0};
        run(&s[k]);
        done = !s[k].failed;
    }
    done = done && pn_cli_time(call, METHODS, TURNS, 1e-4);
    if (done) {
        f->n[row] = x.nv;
        f->rows[row] = x.rows;
        f->rank[row] = x.rank;
        f->worst = fmax(f->worst, difference(&x));
        for (int k = 0; k < METHODS; k++) f->ns[k][row] = call[k].ns;
    }
    close_mechanism(&x);
    return done;
}

/* ------------------------------------------------------------------------------------------------ */
/* The long chain with one loop */

/* A rod along x on the one before, turning about y and z in turn. */
static pinion_status add_rod(pinion_builder *b, int i, int n)
{
    char name[2][32], parent[32];
    pinion_link_def link = pinion_link_def_default();
    pinion_joint_def joint = pinion_joint_def_default();
    snprintf(name[0], sizeof name[0], "rod_%d", i);
    snprintf(name[1], sizeof name[1], "joint_%d", i);
    snprintf(parent, sizeof parent, "rod_%d", i - 1);
    const double length = 2.0 / n, mass = 1;
    link.name = name[0];
    link.inertia.mass = mass;
    link.inertia.com[0] = length / 2;
    link.inertia.inertia[0] = mass * length * length / 100;
    link.inertia.inertia[3] = link.inertia.inertia[5] = mass * length * length / 12;
    joint.name = name[1];
    joint.type = PINION_JOINT_CONTINUOUS;
    joint.parent = i == 0 ? "base" : parent;
    joint.child = name[0];
    joint.parent_pose.position[0] = i == 0 ? 0 : length;
    joint.axis[0] = 0;
    joint.axis[1] = i % 2 == 0;
    joint.axis[2] = i % 2;
    joint.has_initial = 1;
    joint.initial_q[0] = i == 0 ? -1.5 : 3.0 / n;
    const pinion_status status = pinion_builder_add_link(b, &link, NULL);
    return status == PINION_OK ? pinion_builder_add_joint(b, &joint, NULL) : status;
}

/* A chain of n joints whose tip hangs by a ball joint on the base, 1 m from its foot. NULL on failure. */
static pinion_model *closed_chain(int n)
{
    char last[32];
    snprintf(last, sizeof last, "rod_%d", n - 1);
    pinion_builder *b = pinion_builder_new("closed chain");
    pinion_link_def base = pinion_link_def_default();
    base.name = "base";
    pinion_status status = b ? pinion_builder_add_link(b, &base, NULL) : PINION_ERR_MEMORY;
    for (int i = 0; i < n && status == PINION_OK; i++) status = add_rod(b, i, n);

    pinion_joint_def ball = pinion_joint_def_default();
    ball.name = "ball";
    ball.type = PINION_JOINT_SPHERICAL;
    ball.parent = "base";
    ball.child = last;
    ball.parent_pose.position[0] = 1;
    ball.child_pose.position[0] = 2.0 / n;
    if (status == PINION_OK) status = pinion_builder_add_loop(b, &ball, NULL);
    pinion_model *m = status == PINION_OK ? pinion_builder_build(b, NULL, NULL) : NULL;
    pinion_builder_free(b);
    return m;
}

/* ------------------------------------------------------------------------------------------------ */

static void show_family(paper *p, const char *name, const char *caption, const family *f)
{
    cli_series series[METHODS];
    for (int k = 0; k < METHODS; k++)
        series[k] = (cli_series){
            .name = methods[k], .count = SIZES, .x = f->n, .y = f->ns[k], .dashed = k == METHODS - 1};
    pn_paper_figure(p, name,
                    &(cli_figure){.caption = caption,
                                  .x_label = "joints n of the tree",
                                  .y_label = "time (ns)",
                                  .x_log = 1,
                                  .y_log = 1,
                                  .series_count = METHODS,
                                  .series = series});

    char table[40];
    cli_table t = pn_cli_table(3 + METHODS);
    static const char *const heading[] = {"n", "constraints", "rank"};
    snprintf(table, sizeof table, "%s_times", name);
    for (int i = 0; i < 3; i++) pn_cli_table_add(&t, "%s", heading[i]);
    for (int k = 0; k < METHODS; k++) pn_cli_table_add(&t, "%s", methods[k]);
    for (int row = 0; row < SIZES; row++) {
        pn_cli_table_add(&t, "%.0f", f->n[row]);
        pn_cli_table_add(&t, "%.0f", f->rows[row]);
        pn_cli_table_add(&t, "%.0f", f->rank[row]);
        for (int k = 0; k < METHODS; k++) pn_cli_table_add(&t, "%.2f us", f->ns[k][row] / 1e3);
    }
    pn_paper_table(p, table, caption, &t, "rrrrrrr");
}

/* Both families, measured. 0 on failure. */
static int measure(family *bars, family *chains)
{
    static const int four_bars[SIZES] = {1, 2, 4, 8, 16, 32}, joints[SIZES] = {4, 8, 16, 32, 64, 128};
    for (int row = 0; row < SIZES; row++) {
        if (!time_mechanism(pinion_n_four_bar(four_bars[row], NULL), bars, row)) return 0;
        if (!time_mechanism(closed_chain(joints[row]), chains, row)) return 0;
    }
    return 1;
}

void pn_paper_loops(paper *p)
{
    family *f = calloc(2, sizeof *f);
    if (!f || !measure(&f[0], &f[1])) {
        pn_cli_report(p->command, "the mechanisms with closed loops could not be made or timed");
        p->failed = 1;
        free(f);
        return;
    }
    pn_paper_section(p, "Closed loops");
    pn_paper_say(p, "Method 1 solves Eq. 20 as it stands, method 2 first finds the constraint forces by Eq. 21, "
                    "method 3 first finds the motions that the loops allow and solves Eq. 22; loop-proximal is of "
                    "later years and solves by an articulated-body recursion. The first three branch on values, so "
                    "that times are shown, not operation counts.");
    show_family(p, "four_bars", "Rows of N four-bars: joints and constraints grow together", &f[0]);
    show_family(p, "closed_chain", "One chain with one loop: three constraints, whatever n", &f[1]);
    pn_paper_say(p, "The accelerations of the methods differ by %.1e of the largest at most on the four-bars, by "
                    "%.1e on the chains.",
                 f[0].worst, f[1].worst);
    pn_paper_number(p, "four_bars_difference", f[0].worst);
    pn_paper_number(p, "closed_chain_difference", f[1].worst);
    free(f);
}
