#include "cli/paper/paper_run.h"

#include "cli/print/result_out.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void fail(paper *p, const char *what, const char *why)
{
    pn_cli_report(p->command, "%s: %s", what, why);
    p->failed = 1;
}

/* A result with the columns that all runs have; NULL, with the study failed, after a message. */
static pinion_result *new_result(paper *p, const pinion_model *m, const char *title, int energies)
{
    static const char *const vectors[] = {"q", "v", "a", "tau"};
    static const char *const joules[] = {"energy.kinetic", "energy.potential", "energy.drift"};
    pinion_result *r = pinion_result_new();
    pinion_status set = r ? pinion_result_set(r, "title", title) : PINION_ERR_MEMORY;
    if (set == PINION_OK) set = pinion_result_set(r, "pinion_version", pinion_version());
    if (set == PINION_OK) set = pinion_result_set_model(r, m, NULL);
    if (set != PINION_OK) fail(p, title, pinion_status_text(set));

    int status = set == PINION_OK ? pn_cli_add_column(p->command, r, "t", "s") : CLI_FAILED;
    for (int i = 0; i < 4 && status == CLI_DONE; i++)
        status = pn_cli_add_coordinates(p->command, r, m, vectors[i]);
    for (int i = 0; i < 3 && energies && status == CLI_DONE; i++)
        status = pn_cli_add_column(p->command, r, joules[i], "J");
    if (status == CLI_DONE) return r;
    p->failed = 1;
    pinion_result_free(r);
    return NULL;
}

pinion_result *pn_paper_inverse(paper *p, const pinion_model *m, pinion_trajectory *motion,
                                const char *algorithm, int rows, const char *title)
{
    const int nq = pinion_model_nq(m), nv = pinion_model_nv(m), by = pinion_algorithm_find(algorithm);
    pinion_work *w = pinion_work_new(m);
    pinion_result *r = new_result(p, m, title, 0);
    double *row = calloc((size_t)(1 + nq + 3 * nv), sizeof *row), *q = row + 1;
    pinion_status status = w && r && row ? pinion_result_set(r, "algorithm", algorithm) : PINION_ERR_MEMORY;
    const double start = motion ? pinion_trajectory_start(motion) : 0,
                 end = motion ? pinion_trajectory_end(motion) : 0;
    for (int k = 0; k < rows && status == PINION_OK; k++) {
        double *v = q + nq, *a = v + nv, *tau = a + nv;
        row[0] = start + (end - start) * k / (rows - 1);
        status = pinion_trajectory_at(motion, row[0], q, v, a);
        if (status == PINION_OK) status = pinion_inverse_dynamics_by(m, w, by, q, v, a, NULL, tau);
        if (status == PINION_OK) status = pinion_result_add_row(r, row);
    }
    free(row);
    pinion_work_free(w);
    if (status == PINION_OK) return r;
    fail(p, title, pinion_status_text(status));
    pinion_result_free(r);
    return NULL;
}

/* Runs a simulation that is set up, a row every so often. */
static pinion_status record(pinion_sim *s, const pinion_model *m, const paper_run *run, pinion_result *r)
{
    const int nq = pinion_model_nq(m), nv = pinion_model_nv(m);
    double *row = calloc((size_t)(4 + nq + 3 * nv), sizeof *row);
    if (!row) return PINION_ERR_MEMORY;
    pinion_sim_state state = {
        .q = row + 1, .v = row + 1 + nq, .a = row + 1 + nq + nv, .tau = row + 1 + nq + 2 * nv};
    pinion_status status = PINION_OK;
    for (int k = 0; k < run->rows && status == PINION_OK; k++) {
        if (k > 0) status = pinion_sim_advance(s, run->duration * k / (run->rows - 1));
        if (status == PINION_OK) status = pinion_sim_get(s, &state);
        row[0] = state.t;
        row[1 + nq + 3 * nv] = state.kinetic;
        row[2 + nq + 3 * nv] = state.potential;
        row[3 + nq + 3 * nv] = state.drift;
        if (status == PINION_OK) status = pinion_result_add_row(r, row);
    }
    free(row);
    return status;
}

pinion_result *pn_paper_simulate(paper *p, const pinion_model *m, const paper_run *run)
{
    pinion_sim_options options = pinion_sim_options_default();
    options.integrator = run->integrator;
    options.algorithm = pinion_algorithm_find(run->algorithm);
    options.passive = 0;
    options.torque = run->torque;
    options.torque_jump = run->jump;
    options.torque_user = run->user;
    if (run->tolerance > 0) {
        options.rtol = run->tolerance;
        options.atol = run->tolerance / 100;
    }

    pinion_error err = {PINION_OK, 0, 0, ""};
    pinion_result *r = new_result(p, m, run->title, 1);
    pinion_sim *s = pinion_sim_new(m, &options, &err);
    pinion_status status = r && s ? PINION_OK : PINION_ERR_MEMORY;
    char tolerance[32];
    snprintf(tolerance, sizeof tolerance, "%g", options.rtol);
    if (status == PINION_OK) status = pinion_result_set(r, "algorithm", run->algorithm);
    if (status == PINION_OK)
        status = pinion_result_set(r, "integrator", pinion_integrator_name(run->integrator));
    if (status == PINION_OK) status = pinion_result_set(r, "rtol", tolerance);
    if (status == PINION_OK) status = pinion_sim_start(s, 0, run->q, run->v);
    if (status == PINION_OK) status = record(s, m, run, r);
    if (status != PINION_OK) {
        const char *why = s ? pinion_sim_message(s) : err.message;
        fail(p, run->title, *why ? why : pinion_status_text(status));
        pinion_result_free(r);
        r = NULL;
    }
    pinion_sim_free(s);
    return r;
}

const double *pn_paper_column(paper *p, const pinion_result *r, const char *name)
{
    const double *values = pinion_result_values(r, pinion_result_find_column(r, name));
    if (!values) fail(p, name, "there is no such column");
    return values;
}

double pn_paper_largest(const double *x, size_t count)
{
    double most = 0;
    for (size_t i = 0; i < count; i++)
        if (!(fabs(x[i]) <= most)) most = fabs(x[i]);
    return most;
}

void pn_paper_plot(paper *p, const char *name, const char *caption, const pinion_result *r,
                   const char *prefix, int first, int count, double scale, const char *y_label)
{
    enum { SERIES = 16 };
    cli_series series[SERIES];
    double *scaled[SERIES] = {NULL};
    const double *t = pn_paper_column(p, r, "t");
    const size_t rows = pinion_result_row_count(r), length = strlen(prefix);
    int found = 0, used = 0;
    for (int c = 0; t && c < pinion_result_column_count(r) && used < count && used < SERIES; c++) {
        pinion_column column;
        if (pinion_result_column(r, c, &column) != PINION_OK || strncmp(column.name, prefix, length) != 0)
            continue;
        if (found++ < first) continue;
        const double *values = pinion_result_values(r, c);
        scaled[used] = malloc((rows + 1) * sizeof(double));
        if (!scaled[used]) {
            p->failed = 1;
            break;
        }
        for (size_t i = 0; i < rows; i++) scaled[used][i] = scale * values[i];
        series[used] =
            (cli_series){.name = column.name + length, .count = (int)rows, .x = t, .y = scaled[used]};
        used++;
    }
    if (t)
        pn_paper_figure(p, name,
                        &(cli_figure){.caption = caption,
                                      .x_label = "time (s)",
                                      .y_label = y_label,
                                      .series_count = used,
                                      .series = series});
    for (int i = 0; i < used; i++) free(scaled[i]);
}
