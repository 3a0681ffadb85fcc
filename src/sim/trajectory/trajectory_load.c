/* Samples from a CSV file. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/result/csv.h"
#include "io/model_io.h"
#include "pinion/sim/result.h"
#include "sim/trajectory/trajectory_kind.h"

#define MATCHED 1 /* in `used`: the column is one of the motion's */

/* Which columns hold the motion. */
typedef struct columns {
    int t;
    int *q, *v, *a;   /* [nq], [nv], [nv]; -1 where there is none */
    int has_v, has_a; /* all of them are there */
    char *used;       /* [columns of the file] */
} columns;

static const char *const what_name[3] = {"q", "v", "a"};

static pinion_status fail(pinion_error *err, const char *path, const char *format, const char *name)
{
    pn_error_set(err, PINION_ERR_PARSE, path, 0, 0, format, name);
    return PINION_ERR_PARSE;
}

/* ------------------------------------------------------------------------------------------------ */
/* Columns by name */

/* Finds the columns of q, v or a. All of them or none must be there, of q all. Returns PINION_OK and in
 * *found how many there are. */
static pinion_status match(const pinion_model *m, const pn_csv *csv, const char *path, int what, int *from,
                           char *used, int *found, pinion_error *err)
{
    const int total = what == 0 ? pinion_model_nq(m) : pinion_model_nv(m);
    int missing = -1;
    *found = 0;
    char name[1024];
    for (int i = 0; i < total; i++) {
        int column = pn_csv_find(csv, pinion_coordinate_name(m, what_name[what], i, name, sizeof name));
        from[i] = column;
        if (column >= 0) {
            used[column] = MATCHED;
            ++*found;
        } else if (missing < 0) {
            missing = i;
        }
    }
    if (*found == total || (*found == 0 && what > 0)) return PINION_OK;
    return fail(
        err, path,
        what == 0
            ? "there is no column \"%.200s\"; every coordinate needs one"
            : "there is no column \"%.200s\", though there are others of its kind; expected all or none",
        pinion_coordinate_name(m, what_name[what], missing, name, sizeof name));
}

static pinion_status match_names(const pinion_model *m, const pn_csv *csv, const char *path, columns *c,
                                 pinion_error *err)
{
    int found;
    c->t = pn_csv_find(csv, "t");
    if (c->t < 0) return fail(err, path, "there is no column \"%s\", the time", "t");
    c->used[c->t] = MATCHED;
    pinion_status status = match(m, csv, path, 0, c->q, c->used, &found, err);
    if (status == PINION_OK) status = match(m, csv, path, 1, c->v, c->used, &found, err);
    c->has_v = found > 0;
    if (status == PINION_OK) status = match(m, csv, path, 2, c->a, c->used, &found, err);
    c->has_a = found > 0;
    if (status != PINION_OK) return status;
    if (c->has_a && !c->has_v) return fail(err, path, "there are columns a.JOINT but none %s", "v.JOINT");

    /* what results hold besides is passed over, and nothing else */
    for (int i = 0; i < csv->columns; i++)
        if (!c->used[i] && strncmp(csv->name[i], "tau.", 4) != 0 && !pn_csv_is_extra(csv->name[i]))
            return fail(
                err, path,
                "the column \"%.200s\" is no coordinate of the model; expected t, q.JOINT, v.JOINT, a.JOINT "
                "(tau.*, actuator.*, energy.* are passed over)",
                csv->name[i]);
    return PINION_OK;
}

/* Without names: t, q and, if there are so many, v and a. */
static pinion_status match_numbers(const pinion_model *m, const pn_csv *csv, const char *path, columns *c,
                                   pinion_error *err)
{
    const int nq = pinion_model_nq(m), nv = pinion_model_nv(m), more = csv->columns - 1 - nq;
    if (more != 0 && more != nv && more != 2 * nv) {
        pn_error_set(
            err, PINION_ERR_PARSE, path, csv->line[0], 0,
            "a row without a heading has %d numbers; expected the time and %d, %d or %d (q; with v; with v "
            "and a)",
            csv->columns, nq, nq + nv, nq + 2 * nv);
        return PINION_ERR_PARSE;
    }
    c->t = 0;
    for (int i = 0; i < nq; i++) c->q[i] = 1 + i;
    for (int i = 0; i < nv; i++) {
        c->v[i] = 1 + nq + i;
        c->a[i] = 1 + nq + nv + i;
    }
    c->has_v = more > 0;
    c->has_a = more > nv;
    return PINION_OK;
}

/* ------------------------------------------------------------------------------------------------ */
/* Rows */

/* Checks everything about a row that the line's number is worth naming for. */
static pinion_status check_row(const pinion_model *m, const pn_csv *csv, const char *path, size_t row,
                               const double *t, double *q, pinion_error *err)
{
    pinion_error inner = {PINION_OK, 0, 0, ""};
    if (!isfinite(t[row]))
        pn_trajectory_fail(&inner, PINION_ERR_PARSE, "the time is not a finite number");
    else if (row > 0 && !(t[row] > t[row - 1]))
        pn_trajectory_fail(&inner, PINION_ERR_PARSE, "the time is not after that of the row before");
    else
        pn_trajectory_configuration(m, q, q, "q", &inner);
    if (inner.status == PINION_OK) return PINION_OK;
    pn_error_set(err, PINION_ERR_PARSE, path, csv->line[row], 0, "%s", inner.message);
    return PINION_ERR_PARSE;
}

/* Copies n columns of a row; 0 when one is not finite. */
static int copy(const double *row, const int *from, int n, double *out)
{
    for (int i = 0; i < n; i++) out[i] = row[from[i]];
    return pn_all_finite(out, (size_t)n);
}

static pinion_trajectory *from_rows(const pinion_model *m, const pn_csv *csv, const char *path,
                                    const columns *c, pinion_error *err)
{
    const int nq = pinion_model_nq(m), nv = pinion_model_nv(m);
    const size_t rows = csv->rows, width = 1 + (size_t)nq + 2 * (size_t)nv;
    double *t = rows < SIZE_MAX / 8 / width ? calloc(rows * width + 1, sizeof *t) : NULL;
    pinion_trajectory *trajectory = NULL;
    if (!t) {
        pn_error_set(err, PINION_ERR_MEMORY, path, 0, 0, "out of memory");
        return NULL;
    }
    double *q = t + rows, *v = q + rows * (size_t)nq, *a = v + rows * (size_t)nv;
    pinion_status status = PINION_OK;
    for (size_t r = 0; status == PINION_OK && r < rows; r++) {
        const double *row = csv->values + r * (size_t)csv->columns;
        int finite = copy(row, c->q, nq, q + r * (size_t)nq);
        if (c->has_v) finite &= copy(row, c->v, nv, v + r * (size_t)nv);
        if (c->has_a) finite &= copy(row, c->a, nv, a + r * (size_t)nv);
        t[r] = row[c->t];
        status = check_row(m, csv, path, r, t, q + r * (size_t)nq, err);
        if (status == PINION_OK && !finite) {
            pn_error_set(err, PINION_ERR_PARSE, path, csv->line[r], 0,
                         "a number of the motion is not finite");
            status = PINION_ERR_PARSE;
        }
    }
    if (status == PINION_OK)
        trajectory =
            pinion_trajectory_samples(m, (int)rows, t, q, c->has_v ? v : NULL, c->has_a ? a : NULL, err);
    free(t);
    return trajectory;
}

/* ------------------------------------------------------------------------------------------------ */

static pinion_trajectory *from_table(const pinion_model *m, const pn_csv *csv, const char *path,
                                     pinion_error *err)
{
    const size_t nq = (size_t)pinion_model_nq(m), nv = (size_t)pinion_model_nv(m);
    if (csv->rows == 0 || csv->rows > INT_MAX) {
        fail(err, path, "there are no rows; expected %s", "at least one sample");
        return NULL;
    }
    columns c = {0, NULL, NULL, NULL, 0, 0, NULL};
    pinion_trajectory *trajectory = NULL;
    c.q = calloc(nq + 2 * nv + 1, sizeof *c.q);
    c.used = calloc((size_t)csv->columns, 1);
    if (!c.q || !c.used) {
        pn_error_set(err, PINION_ERR_MEMORY, path, 0, 0, "out of memory");
    } else {
        c.v = c.q + nq;
        c.a = c.v + nv;
        pinion_status status =
            csv->name ? match_names(m, csv, path, &c, err) : match_numbers(m, csv, path, &c, err);
        if (status == PINION_OK) trajectory = from_rows(m, csv, path, &c, err);
    }
    free(c.q);
    free(c.used);
    return trajectory;
}

pinion_trajectory *pinion_trajectory_load(const pinion_model *m, const char *path, pinion_error *err)
{
    if (!m || !path || !*path) {
        pn_trajectory_fail(err, PINION_ERR_ARGUMENT, "no model or no file was given");
        return NULL;
    }
    pn_csv csv;
    if (pn_csv_load(path, &csv, err) != PINION_OK) return NULL;
    pinion_trajectory *trajectory = from_table(m, &csv, path, err);
    pn_csv_free(&csv);
    return trajectory;
}
