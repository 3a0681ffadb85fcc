/* A batch has the same bits wherever its arrays have their numbers: rows, columns, packs, strides of every kind, inputs
 * that are the same for all states, outputs over inputs. What cannot be is refused. */
#include "calls.h"

/* ---- ways to put count x width numbers ---- */

enum {
    ROWS,
    COLUMNS,
    ROWS_APART,    /* room behind each state */
    COLUMNS_APART, /* room behind each column */
    INTERLEAVED,   /* every second place, and room between states */
    BACKWARD,      /* the last state first */
    MIRRORED,      /* the last number of each state first */
    SAME,          /* inputs: state 0 for all */
    PACKS,         /* the layout, which has no stride; in whole cache lines */
    ASKEW,         /* the same, a number behind the beginning of a line */
    WAY_COUNT
};
static const char *const way_name[WAY_COUNT] = {"rows",        "columns",  "rows apart", "columns apart",
                                                "interleaved", "backward", "mirrored",   "the same for all",
                                                "packs",       "packs askew"};

static pn_stride stride_of(int way, size_t count, size_t width, int lanes)
{
    const ptrdiff_t n = (ptrdiff_t)count, w = (ptrdiff_t)width;
    switch (way) {
    case COLUMNS: return (pn_stride){1, n, 0, 1};
    case ROWS_APART: return (pn_stride){w + 3, 1, 0, 1};
    case COLUMNS_APART: return (pn_stride){1, n + 5, 0, 1};
    case INTERLEAVED: return (pn_stride){2 * w + 1, 2, 0, 1};
    case BACKWARD: return (pn_stride){-w, 1, 0, 1};
    case MIRRORED: return (pn_stride){w, -1, 0, 1};
    case SAME: return (pn_stride){0, 1, 0, 1};
    case PACKS:
    case ASKEW: return (pn_stride){1, lanes, (w - 1) * lanes, (size_t)lanes};
    default: return (pn_stride){w, 1, 0, 1};
    }
}

/* numbers before and behind the first one that count states by width take */
static void extent(pn_stride x, size_t count, size_t width, size_t *before, size_t *behind)
{
    const ptrdiff_t a = (ptrdiff_t)(count - 1) * x.state, b = (ptrdiff_t)(width - 1) * x.item;
    *before = (size_t)((a < 0 ? -a : 0) + (b < 0 ? -b : 0));
    *behind = (size_t)((a > 0 ? a : 0) + (b > 0 ? b : 0)) + 1;
    if (x.pack > 1) *behind = (count + x.pack - 1) / x.pack * x.pack * width;
}

#define PN_T double
#define PN_FN(name) name
#include "layouts.inc"
#undef PN_T
#undef PN_FN

#define PN_T float
#define PN_FN(name) name##_f32
#include "layouts.inc"
#undef PN_T
#undef PN_FN

/* ---- every call in every layout ---- */

static void check_ways(subject *s)
{
    pinion_batch *b = pinion_batch_new(s->m, 1);
    for (int way = 0; way < WAY_COUNT; way++) {
        check_way(s, b, way, way == SAME ? ROWS : way);
        check_way_f32(s, b, way, way == SAME ? COLUMNS : way);
    }
    /* inputs and outputs in different ways */
    check_way(s, b, COLUMNS, ROWS);
    check_way(s, b, ROWS, COLUMNS_APART);
    check_way_f32(s, b, MIRRORED, COLUMNS);
    check_way_f32(s, b, BACKWARD, INTERLEAVED);
    check_way(s, b, PACKS, ROWS_APART);
    check_way(s, b, COLUMNS, PACKS);
    check_way(s, b, SAME, PACKS);
    pinion_batch_free(b);
}
TEST(every_layout_has_the_bits_of_rows)
{
    for_some_trees(9, check_ways);
}

/* pinion_batch_set_layout says of all arrays what strides say of each */
static void check_columns(subject *s)
{
    pinion_batch *b = pinion_batch_new(s->m, 1);
    check_layout(s, b);
    check_layout_f32(s, b);
    pinion_batch_free(b);
}
TEST(the_transposed_layout)
{
    for_some_trees(9, check_columns);
}

/* every instruction set has its own transposition: all widths from 0 to 40, full packs and others, and long rows, which
 * are written line by line */
TEST(transposition_of_every_width)
{
    for (int f32 = 0; f32 < 2; f32++) {
        const pn_backend *list[8];
        const int count = pn_backends(f32 ? sizeof(float) : sizeof(double), list, 8);
        CHECK(count >= 1);
        for (int i = 0; i < count; i++) {
            for (size_t width = 0; width <= 290; width += width == 40 ? 210 : 1)
                for (size_t valid = width <= 40 ? 1 : (size_t)list[i]->lanes; valid <= (size_t)list[i]->lanes; valid++)
                    if (f32)
                        check_transposition_f32(list[i], width, valid);
                    else
                        check_transposition(list[i], width, valid);
        }
    }
}

/* ---- wrong states ---- */

/* One lane of a pack is no number, the others have the bits of rows; the free lanes of the last pack are untouched. */
TEST(a_wrong_state_in_packs)
{
    subject s;
    if (!tree_subject(&s, 6, 1, check_seed)) return;
    const size_t n = 19, nq = (size_t)s.nq, nv = (size_t)s.nv;
    pinion_batch *b = pinion_batch_new(s.m, 2);
    b->work_each = 1;
    rows r = rows_new(&s, n);
    double *plain = some(n * nv);
    FINE(&s, pinion_batch_forward_dynamics(b, n, r.q, r.v, r.tau, NULL, plain));
    for (size_t wrong = 3; wrong < n; wrong += 15) { /* in a full pack, and in the last */
        double *q = some(n * nq), *kept = some(n * nv);
        memcpy(q, r.q, n * nq * sizeof *q);
        memcpy(kept, plain, n * nv * sizeof *kept);
        for (size_t i = 0; i < nq; i++) q[wrong * nq + i] = 0;
        const int lanes = pinion_batch_lanes(b);
        laid in = lay(q, n, nq, stride_of(PACKS, n, nq, lanes), PACKS);
        laid v = lay(r.v, n, nv, stride_of(PACKS, n, nv, lanes), PACKS);
        laid tau = lay(r.tau, n, nv, stride_of(PACKS, n, nv, lanes), PACKS);
        laid a = lay(NULL, n, nv, stride_of(PACKS, n, nv, lanes), PACKS);
        FINE(&s, pinion_batch_set_layout(b, PINION_LAYOUT_PACKS));
        CHECK_STATUS(pinion_batch_forward_dynamics(b, n, in.first, v.first, tau.first, NULL, a.first),
                     PINION_ERR_QUATERNION);
        CHECK(pinion_batch_failed_state(b) == wrong);
        for (size_t i = 0; i < nv; i++) {
            double *x = a.first + pn_stride_at(&a.stride, wrong) + (ptrdiff_t)i * a.stride.item;
            CHECK(isnan(*x));
            *x = kept[wrong * nv + i];
        }
        CHECK(laid_like(&a, kept, n, nv));
        free(q);
        free(kept);
        free(in.memory);
        free(v.memory);
        free(tau.memory);
        free(a.memory);
    }
    free(plain);
    rows_free(&r);
    pinion_batch_free(b);
    subject_free(&s);
}

/* ---- outputs over inputs ---- */

static void check_in_place(subject *s)
{
    const size_t n = 19, nq = (size_t)s->nq, nv = (size_t)s->nv;
    pinion_batch *b = pinion_batch_new(s->m, 3);
    b->work_each = 1;
    rows r = rows_new(s, n);
    double *q = some(n * nq), *a = some(n * nv);
    FINE(s, pinion_batch_integrate(b, n, r.q, r.v, 0.25, q));
    FINE(s, pinion_batch_forward_dynamics(b, n, r.q, r.v, r.tau, NULL, a));
    FINE(s, pinion_batch_forward_dynamics(b, n, r.q, r.v, r.tau, NULL, r.tau));
    FINE(s, pinion_batch_integrate(b, n, r.q, r.v, 0.25, r.q));
    CHECK(!memcmp(q, r.q, n * nq * sizeof *q) && !memcmp(a, r.tau, n * nv * sizeof *a));

    /* in packs, where the arrays could stay if they were not the same */
    const int lanes = pinion_batch_lanes(b);
    rows_free(&r);
    r = rows_new(s, n);
    laid in = lay(r.q, n, nq, stride_of(PACKS, n, nq, lanes), PACKS);
    laid v = lay(r.v, n, nv, stride_of(PACKS, n, nv, lanes), PACKS);
    laid tau = lay(r.tau, n, nv, stride_of(PACKS, n, nv, lanes), PACKS);
    FINE(s, pinion_batch_forward_dynamics(b, n, r.q, r.v, r.tau, NULL, a));
    FINE(s, pinion_batch_integrate(b, n, r.q, r.v, 0.25, q));
    FINE(s, pinion_batch_set_layout(b, PINION_LAYOUT_PACKS));
    FINE(s, pinion_batch_forward_dynamics(b, n, in.first, v.first, tau.first, NULL, tau.first));
    FINE(s, pinion_batch_integrate(b, n, in.first, v.first, 0.25, in.first));
    CHECK(laid_like(&tau, a, n, nv) && laid_like(&in, q, n, nq));
    free(in.memory);
    free(v.memory);
    free(tau.memory);
    free(q);
    free(a);
    rows_free(&r);
    pinion_batch_free(b);
}
TEST(in_place)
{
    for_some_trees(9, check_in_place);
}

/* terms over q, with more Jacobians than the kernel computes at once: those of later runs see the same q */
static void check_terms_in_place(subject *s)
{
    enum { MANY = 2 * PN_JACOBIANS_AT_ONCE + 3 };
    const size_t n = 19, nq = (size_t)s->nq, nv = (size_t)s->nv, numbers = n * MANY * 6 * nv;
    pinion_batch *b = pinion_batch_new(s->m, 2);
    b->work_each = 1;
    rows r = rows_new(s, n);
    int frame[MANY];
    for (int i = 0; i < MANY; i++) frame[i] = (int)((s->random + 5 * (unsigned)i) % (unsigned)s->frames);
    double *bias = some(n * nv), *J = some(numbers), *over = some(numbers);
    pinion_terms terms = {.bias = bias, .jacobian = J, .jacobian_frame = frame, .jacobian_count = MANY};
    FINE(s, pinion_batch_dynamics_terms(b, n, r.q, r.v, &terms));

    /* the Jacobians of single calls, to rounding */
    for (size_t k = 0; k < n * MANY; k++) {
        double *one = over + k * 6 * nv;
        FINE(s, pinion_jacobian(s->m, s->w, r.q + k / MANY * nq, frame[k % MANY], PINION_REFERENCE_WORLD_ALIGNED, one));
    }
    for (size_t i = 0; i < numbers; i++) CHECK(fabs(over[i] - J[i]) <= 1e-10 * (1 + fabs(J[i])));

    terms.bias = r.q;
    terms.jacobian = over;
    FINE(s, pinion_batch_set_stride(b, PINION_BATCH_OUT_2, (ptrdiff_t)nq, 1));
    FINE(s, pinion_batch_dynamics_terms(b, n, r.q, r.v, &terms));
    CHECK(!memcmp(J, over, numbers * sizeof *J));
    for (size_t k = 0; k < n; k++) CHECK(!memcmp(bias + k * nv, r.q + k * nq, nv * sizeof *bias));
    free(bias);
    free(J);
    free(over);
    rows_free(&r);
    pinion_batch_free(b);
}
TEST(terms_in_place)
{
    for_some_trees(9, check_terms_in_place);
}

/* ---- refusals ---- */

TEST(strides_that_cannot_be_are_refused)
{
    subject s;
    if (!tree_subject(&s, 5, 1, check_seed)) return;
    const size_t n = 4, nv = (size_t)s.nv;
    pinion_batch *b = pinion_batch_new(s.m, 1);
    rows r = rows_new(&s, n);
    double *tau = canvas(4 * n * nv), *M = canvas(n * nv * nv);
    CHECK_STATUS(pinion_batch_set_layout(b, (pinion_layout)3), PINION_ERR_ARGUMENT);
    CHECK_HAS(pinion_batch_message(b), "layout");
    CHECK_STATUS(pinion_batch_set_layout(NULL, PINION_LAYOUT_ROWS), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_batch_set_stride(b, PINION_BATCH_ARRAY_COUNT, 1, 1), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_batch_set_stride(b, (pinion_batch_array)-1, 1, 1), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_batch_set_stride(b, PINION_BATCH_V, PTRDIFF_MAX, 1), PINION_ERR_ARGUMENT);
    CHECK_HAS(pinion_batch_message(b), "a stride of v");
    CHECK_STATUS(pinion_batch_set_stride(b, PINION_BATCH_V, 1, PTRDIFF_MIN), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_batch_set_stride(NULL, PINION_BATCH_V, 1, 1), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_batch_set_status(NULL, NULL), PINION_ERR_ARGUMENT);

    /* two numbers at one place: all states, all numbers, the next state too early, columns too close, by chance */
    static const pn_stride wrong[] = {{.item = 1},  {.state = 5},  {.state = 0},  {-3, 1, 0, 1},
                                      {1, 3, 0, 1}, {1, 2, 0, 1}, {2, 4, 0, 1}, {-2, 6, 0, 1}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        FINE(&s, pinion_batch_set_stride(b, PINION_BATCH_OUT, wrong[i].state, wrong[i].item));
        CHECK_STATUS(pinion_batch_gravity(b, n, r.q, tau), PINION_ERR_ARGUMENT);
        CHECK_HAS(pinion_batch_message(b), "the first output");
        const int within = wrong[i].item == 0;
        CHECK_HAS(pinion_batch_message(b),
                  within ? "two numbers of a state at one place" : "numbers of two states at one place");
    }
    CHECK(untouched(tau, 4 * n * nv));

    /* what only looks like it: nv is 6 and more, so these places are all different */
    static const pn_stride right[] = {{1, 4, 0, 1}, {-1, 4, 0, 1}, {3, 13, 0, 1}, {7, 28, 0, 1}};
    CHECK(nv >= 6);
    for (size_t i = 0; i < sizeof right / sizeof *right; i++) {
        size_t before, behind;
        extent(right[i], n, nv, &before, &behind);
        double *out = canvas(before + behind);
        FINE(&s, pinion_batch_set_stride(b, PINION_BATCH_OUT, right[i].state, right[i].item));
        FINE(&s, pinion_batch_gravity(b, n, r.q, out + before));
        free(out);
    }

    /* one state may have any stride of states, and a layout undoes strides */
    FINE(&s, pinion_batch_set_stride(b, PINION_BATCH_OUT, 0, 1));
    FINE(&s, pinion_batch_gravity(b, 1, r.q, tau));
    CHECK_STATUS(pinion_batch_gravity(b, 2, r.q, tau), PINION_ERR_ARGUMENT);
    FINE(&s, pinion_batch_set_layout(b, PINION_LAYOUT_ROWS));
    FINE(&s, pinion_batch_gravity(b, n, r.q, tau));

    /* normalize writes where q is */
    FINE(&s, pinion_batch_set_stride(b, PINION_BATCH_Q, 0, 1));
    CHECK_STATUS(pinion_batch_normalize(b, 2, r.q), PINION_ERR_ARGUMENT);
    CHECK_HAS(pinion_batch_message(b), "q with strides");
    FINE(&s, pinion_batch_mass_matrix(b, n, r.q, M));

    /* arrays larger than memory */
    FINE(&s, pinion_batch_set_layout(b, PINION_LAYOUT_ROWS));
    CHECK_STATUS(pinion_batch_gravity(b, SIZE_MAX, r.q, tau), PINION_ERR_ARGUMENT);
    CHECK_HAS(pinion_batch_message(b), "larger than memory");
    CHECK_STATUS(pinion_batch_gravity(b, SIZE_MAX / 64, r.q, tau), PINION_ERR_ARGUMENT);
    FINE(&s, pinion_batch_set_stride(b, PINION_BATCH_Q, PTRDIFF_MAX / 64, 1));
    CHECK_STATUS(pinion_batch_gravity(b, n, r.q, tau), PINION_ERR_ARGUMENT);
    free(tau);
    free(M);
    rows_free(&r);
    pinion_batch_free(b);
    subject_free(&s);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(every_layout_has_the_bits_of_rows);
    RUN(the_transposed_layout);
    RUN(transposition_of_every_width);
    RUN(a_wrong_state_in_packs);
    RUN(in_place);
    RUN(terms_in_place);
    RUN(strides_that_cannot_be_are_refused);
    return CHECK_END();
}
