/* A table of torques from a CSV file. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/result/csv.h"
#include "io/model_io.h"
#include "pinion/sim/control.h"
#include "pinion/sim/result.h"

/* Which column has which torque: from[i] is that of tau[i], -1 where there is none. Returns the column of the
 * time, -1 with err filled on failure. */
static int match(const pinion_model *m, const pn_csv *csv, const char *path, int *from, pinion_error *err)
{
    const int nv = pinion_model_nv(m);
    if (!csv->name) {
        for (int i = 0; i < nv; i++) from[i] = i + 1;
        if (csv->columns == nv + 1) return 0;
        pn_error_set(err, PINION_ERR_PARSE, path, csv->line[0], 0,
                     "a row without a heading has %d numbers, expected the time and %d torques", csv->columns,
                     nv);
        return -1;
    }
    const int time = pn_csv_find(csv, "t");
    int found = 0;
    for (int i = 0; i < nv; i++) {
        char name[1024];
        from[i] = pn_csv_find(csv, pinion_coordinate_name(m, "tau", i, name, sizeof name));
        found += from[i] >= 0;
    }
    if (time < 0)
        pn_error_set(err, PINION_ERR_PARSE, path, 0, 0, "there is no column \"t\"");
    else if (found == 0 && nv > 0)
        pn_error_set(err, PINION_ERR_PARSE, path, 0, 0,
                     "no column names a torque of the model, \"tau.\" and a joint's name");
    return found > 0 || nv == 0 ? time : -1;
}

/* Whether a column is one that results of runs and of inverse dynamics have besides torques. */
static int is_other(const char *name)
{
    static const char *const prefix[] = {"q.", "v.", "a.", "power.", "reaction."};
    for (size_t i = 0; i < sizeof prefix / sizeof *prefix; i++)
        if (strncmp(name, prefix[i], strlen(prefix[i])) == 0) return 1;
    return pn_csv_is_extra(name) || strcmp(name, "power") == 0;
}

/* What results hold besides is passed over. Any other column that is no torque of the model's is more likely a mistake
 * than meant, and the torque zero without it. */
static int check_names(const pn_csv *csv, const int *from, int time, int nv, const char *path, pinion_error *err)
{
    for (int k = 0; csv->name && k < csv->columns; k++) {
        int known = k == time || is_other(csv->name[k]);
        for (int i = 0; i < nv && !known; i++) known = from[i] == k;
        if (known) continue;
        pn_error_set(err, PINION_ERR_PARSE, path, 0, 0,
                     "the column \"%.100s\" names no torque of the model; expected t and tau.JOINT (what else results "
                     "have is passed over)",
                     csv->name[k]);
        return 0;
    }
    return 1;
}

/* The rows: times that increase, finite numbers. */
static int copy_rows(const pn_csv *csv, const char *path, int time, const int *from, int nv, double *t,
                     double *tau, pinion_error *err)
{
    for (size_t r = 0; r < csv->rows; r++) {
        const double *row = csv->values + r * (size_t)csv->columns;
        const char *wrong = NULL;
        t[r] = row[time];
        if (!isfinite(t[r])) wrong = "the time is not a finite number";
        if (!wrong && r > 0 && !(t[r] > t[r - 1])) wrong = "the time is not after that of the row before";
        for (int i = 0; i < nv && !wrong; i++) {
            const double x = from[i] >= 0 ? row[from[i]] : 0;
            tau[r * (size_t)nv + (size_t)i] = x;
            if (!isfinite(x)) wrong = "a torque is not a finite number";
        }
        if (!wrong) continue;
        pn_error_set(err, PINION_ERR_PARSE, path, csv->line[r], 0, "%s", wrong);
        return 0;
    }
    return 1;
}

static pinion_status read_table(const pinion_model *m, const pn_csv *csv, const char *path, int *count,
                                double **t, double **tau, pinion_error *err)
{
    const int nv = pinion_model_nv(m);
    if (csv->rows == 0 || csv->rows > INT_MAX) {
        pn_error_set(err, PINION_ERR_PARSE, path, 0, 0, "there are no rows, expected at least one instant");
        return PINION_ERR_PARSE;
    }
    int *from = calloc((size_t)nv + 1, sizeof *from);
    double *time = calloc(csv->rows, sizeof *time),
           *torque = calloc(csv->rows * (size_t)nv + 1, sizeof *torque);
    pinion_status status = from && time && torque ? PINION_OK : PINION_ERR_MEMORY;
    if (status != PINION_OK) {
        pn_error_set(err, status, path, 0, 0, "out of memory");
    } else {
        const int column = match(m, csv, path, from, err);
        if (column < 0 || !check_names(csv, from, column, nv, path, err) ||
            !copy_rows(csv, path, column, from, nv, time, torque, err))
            status = PINION_ERR_PARSE;
    }
    free(from);
    if (status != PINION_OK) {
        free(time);
        free(torque);
        return status;
    }
    *count = (int)csv->rows;
    *t = time;
    *tau = torque;
    return PINION_OK;
}

pinion_status pinion_torques_load(const pinion_model *m, const char *path, int *count, double **t,
                                  double **tau, pinion_error *err)
{
    if (!m || !path || !*path || !count || !t || !tau) {
        pn_error_set(err, PINION_ERR_ARGUMENT, NULL, 0, 0,
                     "no model, no file or no place for the answer was given");
        return PINION_ERR_ARGUMENT;
    }
    pn_csv csv;
    pinion_status status = pn_csv_load(path, &csv, err);
    if (status != PINION_OK) return status;
    status = read_table(m, &csv, path, count, t, tau, err);
    pn_csv_free(&csv);
    return status;
}
