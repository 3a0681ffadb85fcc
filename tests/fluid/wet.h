/* Random trees whose links have random added mass. */
#ifndef PN_WET_H
#define PN_WET_H

#include "check.h"
#include "pinion/pinion.h"

enum { WET_MOST = 40 };

typedef struct wet {
    pinion_model *dry, *m;
    pinion_work *dw, *w;
    int nq, nv, count;
    int frame[WET_MOST];     /* links with added mass */
    double A[WET_MOST][36];
    double *q, *v, *a, *tau; /* a random state */
    uint64_t random;
} wet;

/* B' B of a random matrix, some of rank 2 */
static inline void random_matrix(uint64_t *r, int rank, double A[36])
{
    double B[6][6];
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) B[i][j] = i < rank ? check_between(r, -1, 1) : 0;
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) {
            A[6 * i + j] = 0;
            for (int k = 0; k < 6; k++) A[6 * i + j] += B[k][i] * B[k][j];
        }
}

static inline void wet_state(wet *x)
{
    x->random += 77;
    CHECK_STATUS(pinion_random(x->m, x->random, x->q), PINION_OK);
    for (int i = 0; i < x->nv; i++) {
        x->v[i] = check_between(&x->random, -1, 1);
        x->a[i] = check_between(&x->random, -2, 2);
        x->tau[i] = check_between(&x->random, -5, 5);
    }
}

/* A tree of so many joints; a massless link with added mass is fixed, somewhere and turned, to most of its links. */
static inline int wet_make(wet *x, int joints, uint64_t seed)
{
    memset(x, 0, sizeof *x);
    x->random = seed;
    x->dry = pinion_random_tree(joints, (int)(seed & 1), seed, NULL);
    x->m = x->dry ? pinion_model_copy(x->dry) : NULL;
    const int links = x->dry ? pinion_model_link_count(x->dry) : 0;
    for (int i = 0; i < links && x->m && x->count < WET_MOST; i++) {
        char prefix[16];
        pinion_link_info info;
        pinion_link_def def = pinion_link_def_default();
        pinion_pose pose = pinion_pose_identity();
        if (pinion_model_link(x->dry, i, &info) != PINION_OK || i % 4 == 3) continue;
        random_matrix(&x->random, i % 3 == 1 ? 2 : 6, x->A[x->count]);
        def.name = "w";
        def.added_mass = x->A[x->count];
        const double angle = check_between(&x->random, -3, 3), c = cos(angle), s = sin(angle);
        const double turned[9] = {c, -s, 0, s, c, 0, 0, 0, 1};
        if (i % 2) memcpy(pose.rotation, turned, sizeof turned);
        for (int k = 0; k < 3; k++) pose.position[k] = check_between(&x->random, -0.3, 0.3);
        snprintf(prefix, sizeof prefix, "%d", i);

        pinion_builder *b = pinion_builder_new("part");
        pinion_model *part = NULL, *more = NULL;
        if (b && pinion_builder_add_link(b, &def, NULL) == PINION_OK) part = pinion_builder_build(b, NULL, NULL);
        if (part) more = pinion_model_attach(x->m, pinion_model_find_frame(x->m, info.name), part, prefix, &pose, NULL);
        pinion_builder_free(b);
        pinion_model_free(part);
        pinion_model_free(x->m);
        x->m = more;
        snprintf(prefix, sizeof prefix, "%dw", i);
        if (more) x->frame[x->count++] = pinion_model_find_frame(more, prefix);
    }
    /* numbers of frames change as links are added */
    for (int i = 0, k = 0; i < links && x->m && k < x->count; i++) {
        char name[16];
        if (i % 4 == 3) continue;
        snprintf(name, sizeof name, "%dw", i);
        x->frame[k++] = pinion_model_find_frame(x->m, name);
    }
    CHECK(x->m);
    if (!x->m) return 0;
    x->dw = pinion_work_new(x->dry);
    x->w = pinion_work_new(x->m);
    x->nq = pinion_model_nq(x->m);
    x->nv = pinion_model_nv(x->m);
    CHECK(x->nq == pinion_model_nq(x->dry) && x->nv == pinion_model_nv(x->dry));
    x->q = calloc((size_t)(x->nq + 3 * x->nv + 1), sizeof *x->q);
    x->v = x->q + x->nq;
    x->a = x->v + x->nv;
    x->tau = x->a + x->nv;
    wet_state(x);
    return 1;
}

static inline void wet_free(wet *x)
{
    pinion_work_free(x->dw);
    pinion_work_free(x->w);
    pinion_model_free(x->dry);
    pinion_model_free(x->m);
    free(x->q);
}

static inline double *numbers(int rows, int columns)
{
    return calloc((size_t)(rows * columns) + 1, sizeof(double));
}

/* y = v x* f for 6-vectors, angular parts first */
static inline void cross_force(const double v[6], const double f[6], double y[6])
{
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        y[i] = v[j] * f[k] - v[k] * f[j] + v[3 + j] * f[3 + k] - v[3 + k] * f[3 + j];
        y[3 + i] = v[j] * f[3 + k] - v[k] * f[3 + j];
    }
}

static inline void times6(const double A[36], const double x[6], double y[6])
{
    for (int i = 0; i < 6; i++) {
        y[i] = 0;
        for (int j = 0; j < 6; j++) y[i] += A[6 * i + j] * x[j];
    }
}

#endif
