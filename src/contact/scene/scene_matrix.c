/* Delassus' matrix J M^-1 J', sparse in limbs. M = L' D L with factors as sparse as the tree of the coordinates
 * (Featherstone 2005): L' x = y, then each row of contact has numbers only along the way from its bodies to the root,
 * and rows of two limbs have only the base in common. */
#include <math.h>
#include <string.h>
#include "base/vec3.h"
#include "contact/scene/scene_parts.h"

#define SINGULAR 1e-14 /* of the diagonal of M: what is left of it is rounding */

/* the last coordinate of the body that a link belongs to; -1: it has none */
static int last_coordinate(const pinion_model *m, int link)
{
    pinion_link_info info;
    pinion_joint_info j;
    int last = -1;
    if (pinion_model_link(m, link, &info) || info.body == 0) return -1;
    for (int i = 0; last < 0 && pinion_model_joint(m, i, &j) == PINION_OK; i++)
        if (j.body == info.body && j.nv) last = j.v_index + j.nv - 1;
    return last;
}

void pn_scene_list_tree(pinion_scene *s)
{
    pinion_joint_info j;
    int tree = 1;
    for (int i = 0; pinion_model_joint(s->m, i, &j) == PINION_OK; i++) {
        tree &= j.leader < 0; /* a follower couples limbs */
        for (int k = 0; k < j.nv; k++) s->tree[j.v_index + k] = j.v_index + k - 1;
        if (j.nv) s->tree[j.v_index] = last_coordinate(s->m, j.parent);
    }
    for (int k = 0; k < s->nv; k++) {
        s->chain[k] = k - 1;
        tree &= s->tree[k] < k;
    }
    if (!tree) memcpy(s->tree, s->chain, (size_t)s->nv * sizeof *s->tree);
}

/* what `more` has beside the diagonal couples any coordinates */
static int is_diagonal(int n, const double *more)
{
    for (int r = 0; r < n; r++)
        for (int c = 0; c < n; c++)
            if (r != c && more[r * n + c] != 0) return 0;
    return 1;
}

pinion_status pn_scene_factorize(pinion_scene *s, pinion_work *w, const double *q)
{
    const int n = s->nv;
    double *H = s->F;
    const pinion_status status = pinion_mass_matrix_upper(s->m, w, q, H);
    if (status) return pn_scene_fail(s, status, pinion_work_message(w));
    for (int i = 0; i < n; i++)
        for (int k = 0; k < i; k++) H[i * n + k] = H[k * n + i];
    s->above = s->more && !is_diagonal(n, s->more) ? s->chain : s->tree;
    for (int i = 0; s->more && i < n * n; i++) H[i] += s->more[i];
    for (int i = 0; i < n; i++) s->pivot[i] = H[i * n + i];
    for (int k = n - 1; k >= 0; k--) {
        const double pivot = H[k * n + k];
        if (!(pivot > SINGULAR * s->pivot[k]))
            return pn_scene_fail(s, PINION_ERR_SINGULAR, "the mass matrix is singular");
        s->pivot[k] = 1 / sqrt(pivot);
        for (int i = s->above[k]; i >= 0; i = s->above[i]) {
            const double a = H[k * n + i] / pivot;
            for (int j = i; j >= 0; j = s->above[j]) H[i * n + j] -= a * H[k * n + j];
            H[k * n + i] = a;
        }
    }
    return PINION_OK;
}

/* x = D^-1/2 L^-T x */
static void half_solve(const pinion_scene *s, double *x)
{
    const int n = s->nv;
    for (int i = n - 1; i >= 0; i--) {
        if (x[i] == 0) continue;
        for (int j = s->above[i]; j >= 0; j = s->above[j]) x[j] -= s->F[i * n + j] * x[i];
        x[i] *= s->pivot[i];
    }
}

void pn_scene_solve(const pinion_scene *s, double *x)
{
    const int n = s->nv;
    half_solve(s, x);
    for (int i = 0; i < n; i++) {
        x[i] *= s->pivot[i];
        for (int j = s->above[i]; j >= 0; j = s->above[j]) x[i] -= s->F[i * n + j] * x[j];
    }
}

void pn_scene_multiply(const pinion_scene *s, const double *x, double *y)
{
    const int n = s->nv;
    for (int i = 0; i < n; i++) {
        y[i] = x[i];
        for (int j = s->above[i]; j >= 0; j = s->above[j]) y[i] += s->F[i * n + j] * x[j];
        y[i] /= s->pivot[i] * s->pivot[i];
    }
    for (int i = 0; i < n; i++) /* towards the root: what is read is not changed any more */
        for (int j = s->above[i]; j >= 0; j = s->above[j]) y[j] += s->F[i * n + j] * y[i];
}

/* The coordinates in which rows from `row` on may have numbers, as runs from one to before another; how many runs. */
static int find_runs(const pinion_scene *s, const double *row, int rows, int *run)
{
    const int n = s->nv;
    int count = 0;
    unsigned char *mark = s->mark;
    memset(mark, 0, (size_t)n);
    for (int r = 0; r < rows; r++)
        for (int k = 0; k < n; k++) mark[k] |= row[r * n + k] != 0;
    for (int k = n - 1; k >= 0; k--)
        if (mark[k] && s->above[k] >= 0) mark[s->above[k]] = 1;
    for (int k = 0; k < n; k++) {
        if (!mark[k] || (k && mark[k - 1])) continue;
        run[2 * count] = k;
        while (k < n && mark[k]) k++;
        run[2 * count++ + 1] = k;
    }
    return count;
}

/* what two lists of runs have in common */
static int common_runs(const int *a, int as, const int *b, int bs, int *out)
{
    int count = 0;
    for (int i = 0, j = 0; i < as && j < bs;) {
        const int from = a[2 * i] > b[2 * j] ? a[2 * i] : b[2 * j];
        const int to = a[2 * i + 1] < b[2 * j + 1] ? a[2 * i + 1] : b[2 * j + 1];
        if (from < to) {
            out[2 * count] = from;
            out[2 * count++ + 1] = to;
        }
        if (a[2 * i + 1] < b[2 * j + 1]) i++;
        else j++;
    }
    return count;
}

void pn_scene_matrix(pinion_scene *s)
{
    const int n = s->nv, rows = s->rows, room = n + 1;
    int *common = s->run + (size_t)s->blocks * (size_t)room;
    memcpy(s->W, s->J, (size_t)rows * (size_t)n * sizeof *s->W);
    for (int i = 0, row = 0; i < s->blocks; i++) {
        const int size = i < s->count ? 3 : 1;
        s->runs[i] = find_runs(s, s->J + (size_t)row * (size_t)n, size, s->run + (size_t)i * (size_t)room);
        for (int r = row; r < row + size; r++) half_solve(s, s->W + (size_t)r * (size_t)n);
        for (int j = 0, other = 0; j <= i; j++) {
            const int width = j < s->count ? 3 : 1;
            const int parts = common_runs(s->run + (size_t)i * (size_t)room, s->runs[i],
                                          s->run + (size_t)j * (size_t)room, s->runs[j], common);
            for (int r = row; r < row + size; r++)
                for (int c = other; c < other + width; c++) {
                    const double *x = s->W + (size_t)r * (size_t)n, *y = s->W + (size_t)c * (size_t)n;
                    double sum = 0;
                    for (int p = 0; p < parts; p++)
                        for (int k = common[2 * p]; k < common[2 * p + 1]; k++) sum += x[k] * y[k];
                    s->G[(size_t)r * (size_t)rows + (size_t)c] = s->G[(size_t)c * (size_t)rows + (size_t)r] = sum;
                }
            other += width;
        }
        row += size;
    }
}
