/* Where the arrays of a batch have their numbers, and whether they can have them there. */
#include "batch/batch_internal.h"

/* what an array may span, in numbers: any address in it is then within a ptrdiff_t of bytes from its beginning */
#define SPAN_MAX ((size_t)PTRDIFF_MAX / (4 * sizeof(double)))

static const char *const array_name[PINION_BATCH_ARRAY_COUNT] = {
    [PINION_BATCH_Q] = "q",
    [PINION_BATCH_V] = "v",
    [PINION_BATCH_A] = "a",
    [PINION_BATCH_TAU] = "tau",
    [PINION_BATCH_F_EXT] = "f_ext",
    [PINION_BATCH_Q_TARGET] = "q_target",
    [PINION_BATCH_V_TARGET] = "v_target",
    [PINION_BATCH_OUT] = "the first output",
    [PINION_BATCH_OUT_2] = "the second output",
    [PINION_BATCH_OUT_3] = "the third output",
    [PINION_BATCH_OUT_4] = "the fourth output",
    [PINION_BATCH_OUT_5] = "the fifth output",
    [PINION_BATCH_OUT_6] = "the sixth output",
};

static size_t magnitude(ptrdiff_t x)
{
    return x < 0 ? (size_t)0 - (size_t)x : (size_t)x;
}

pinion_status pinion_batch_set_layout(pinion_batch *b, pinion_layout layout)
{
    if (!pn_batch_enter(b)) return PINION_ERR_ARGUMENT;
    if ((int)layout < 0 || layout > PINION_LAYOUT_PACKS)
        return pn_batch_refuse(b, PINION_ERR_ARGUMENT, "layout %d is none of pinion_layout", (int)layout);
    b->layout = layout;
    for (int i = 0; i < PINION_BATCH_ARRAY_COUNT; i++) b->stride_given[i] = 0;
    return PINION_OK;
}

pinion_status pinion_batch_set_stride(pinion_batch *b, pinion_batch_array array, ptrdiff_t state, ptrdiff_t item)
{
    if (!pn_batch_enter(b)) return PINION_ERR_ARGUMENT;
    if ((int)array < 0 || array >= PINION_BATCH_ARRAY_COUNT)
        return pn_batch_refuse(b, PINION_ERR_ARGUMENT, "array %d is none of pinion_batch_array", (int)array);
    if (magnitude(state) > SPAN_MAX || magnitude(item) > SPAN_MAX)
        return pn_batch_refuse(b, PINION_ERR_ARGUMENT, "a stride of %s is larger than memory", array_name[array]);
    b->stride[array] = (pn_stride){.state = state, .item = item, .pack = 1};
    b->stride_given[array] = 1;
    return PINION_OK;
}

pinion_status pinion_batch_set_status(pinion_batch *b, pinion_status *status)
{
    if (!pn_batch_enter(b)) return PINION_ERR_ARGUMENT;
    b->status = status;
    return PINION_OK;
}

static size_t common_divisor(size_t a, size_t b)
{
    while (b) {
        const size_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Whether two numbers of count states by width are at one place. Pairs (s, i) have the same s state + i item
 * exactly when they differ by a multiple of (item, -state) over their common divisor. So two numbers meet where the
 * smallest such step stays within count and width. */
static int overlaps(const pn_stride *x, size_t count, size_t width)
{
    const size_t state = magnitude(x->state), item = magnitude(x->item), divisor = common_divisor(state, item);
    if (divisor == 0) return count > 1 || width > 1;
    return item / divisor < count && state / divisor < width;
}

/* an output that has two numbers at one place, of one state or of two */
static pinion_status refuse_overlap(pinion_batch *b, int array, const pn_stride *x, size_t count, size_t width)
{
    const char *what = overlaps(x, 1, width) ? "two numbers of a state" : "numbers of two states";
    return pn_batch_refuse(b, PINION_ERR_ARGUMENT,
                           "%s with strides %td and %td has %s at one place (%zu states of %zu numbers)",
                           array_name[array], x->state, x->item, what, count, width);
}

/* whether all numbers are within SPAN_MAX of the first */
static int fits(const pn_stride *x, size_t count, size_t width)
{
    const size_t state = magnitude(x->state), item = magnitude(x->item);
    const size_t rows = count - 1, columns = width - 1;
    if ((state && rows > SPAN_MAX / state) || (item && columns > SPAN_MAX / item)) return 0;
    return rows * state + columns * item <= SPAN_MAX;
}

pn_stride pn_batch_own_stride(const pinion_batch *b, size_t count, size_t width, size_t lanes)
{
    pn_stride x = {.state = 1, .item = 1, .pack = 1};
    if (b->layout == PINION_LAYOUT_COLUMNS) {
        x.item = (ptrdiff_t)count;
    } else if (b->layout == PINION_LAYOUT_PACKS && lanes > 1) {
        x.item = (ptrdiff_t)lanes;
        x.jump = ((ptrdiff_t)width - 1) * (ptrdiff_t)lanes;
        x.pack = lanes;
    } else {
        x.state = (ptrdiff_t)width;
    }
    return x;
}

size_t pn_stride_room(const pn_stride *x, size_t count, size_t width)
{
    return (count + x->pack - 1) / x->pack * x->pack * width;
}

static pinion_status locate(pinion_batch *b, int array, int output, size_t count, size_t width, size_t lanes,
                            pn_stride *out)
{
    *out = (pn_stride){.state = 1, .item = 1, .pack = 1};
    if (count == 0 || width == 0) return PINION_OK;
    if (count > SPAN_MAX / width - lanes)
        return pn_batch_refuse(b, PINION_ERR_ARGUMENT, "%s of %zu states is larger than memory", array_name[array],
                               count);
    const pn_stride x = b->stride_given[array] ? b->stride[array] : pn_batch_own_stride(b, count, width, lanes);
    if (x.pack > 1) { /* one number after the other */
        *out = x;
        return PINION_OK;
    }
    if (!fits(&x, count, width))
        return pn_batch_refuse(b, PINION_ERR_ARGUMENT,
                               "%s of %zu states with strides %td and %td is larger than memory", array_name[array],
                               count, x.state, x.item);
    if (output && overlaps(&x, count, width)) return refuse_overlap(b, array, &x, count, width);
    *out = x;
    return PINION_OK;
}

pinion_status pn_batch_stride(pinion_batch *b, int array, size_t count, size_t width, size_t lanes, pn_stride *out)
{
    return locate(b, array, array >= PINION_BATCH_OUT, count, width, lanes, out);
}

pinion_status pn_batch_stride_in_place(pinion_batch *b, int array, size_t count, size_t width, size_t lanes,
                                       pn_stride *out)
{
    return locate(b, array, 1, count, width, lanes, out);
}

static size_t array_size(const pinion_batch *b, const pn_backend *back, size_t count, size_t n)
{
    const pn_stride x = pn_batch_own_stride(b, count, n, (size_t)back->lanes);
    return pn_stride_room(&x, count, n);
}

size_t pinion_batch_array_size(const pinion_batch *b, size_t count, size_t n)
{
    return b ? array_size(b, b->f64, count, n) : count * n;
}

size_t pinion_batch_array_size_f32(const pinion_batch *b, size_t count, size_t n)
{
    return b ? array_size(b, b->f32, count, n) : count * n;
}
