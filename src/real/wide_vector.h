/* PN_WIDE numbers side by side, as a scalar has them: a vector register. For what is done alike to many columns of one
 * state. wide_one.h is the other form. */
#ifndef PN_WIDE_VECTOR_H
#define PN_WIDE_VECTOR_H

typedef real wide __attribute__((vector_size(PN_WIDE * sizeof(real)), aligned(sizeof(real))));
typedef real_bits wide_bits __attribute__((vector_size(PN_WIDE * sizeof(real)), aligned(sizeof(real))));

static inline wide wide_load(const real *x)
{
    return *(const wide *)x;
}
static inline void wide_store(real *x, wide y)
{
    *(wide *)x = y;
}
static inline real wide_entry(wide y, int place)
{
    return y[place];
}
static inline wide_bits wide_places(void)
{
    static const real_bits place[] = {0, 1, 2, 3, 4, 5, 6, 7};
    return *(const wide_bits *)place;
}
static inline wide wide_select(wide_bits m, wide a, wide b)
{
    return (wide)((m & (wide_bits)a) | (~m & (wide_bits)b));
}
static inline wide wide_magnitude(wide x)
{
    const wide zero = {0};
    return (wide)((wide_bits)x & ~(wide_bits)(-zero));
}
/* a in the first numbers, b in those behind them */
static inline wide wide_blend(int first, wide a, wide b)
{
    return wide_select((wide_bits)(wide_places() < (real_bits)first), a, b);
}
/* y with x in one place */
static inline wide wide_insert(int place, real x, wide y)
{
    const wide zero = {0};
    return wide_select((wide_bits)(wide_places() == (real_bits)place), x - zero, y);
}

#if PN_WIDE == 4 && defined(__has_builtin)
#if __has_builtin(__builtin_shufflevector)
#define PN_ACROSS
/* rows of four as columns, `stride` apart */
static inline void wide_store_across(real *y, int stride, const wide x[4])
{
    const wide a = __builtin_shufflevector(x[0], x[1], 0, 4, 2, 6), b = __builtin_shufflevector(x[0], x[1], 1, 5, 3, 7);
    const wide c = __builtin_shufflevector(x[2], x[3], 0, 4, 2, 6), d = __builtin_shufflevector(x[2], x[3], 1, 5, 3, 7);
    wide_store(y, __builtin_shufflevector(a, c, 0, 1, 4, 5));
    wide_store(y + stride, __builtin_shufflevector(b, d, 0, 1, 4, 5));
    wide_store(y + 2 * stride, __builtin_shufflevector(a, c, 2, 3, 6, 7));
    wide_store(y + 3 * stride, __builtin_shufflevector(b, d, 2, 3, 6, 7));
}
#endif
#endif

/* Six wides place by place: the six numbers of a place side by side, places `stride` apart. In registers of four the
 * two in the middle are written twice. */
static inline void wide_store_six(real *y, int stride, const wide x[6])
{
#ifdef PN_ACROSS
    wide_store_across(y, stride, x);
    wide_store_across(y + 2, stride, x + 2);
#else
    for (int l = 0; l < PN_WIDE; l++)
        for (int d = 0; d < 6; d++) y[l * stride + d] = x[d][l];
#endif
}

/* Many numbers side by side, where rows are long: PN_BROAD of them, the widest register there is, of which PN_BROADS
 * stay in registers. */
#ifndef PN_BROAD
#define PN_BROAD PN_WIDE
#define PN_BROADS 12
#endif
typedef real broad __attribute__((vector_size(PN_BROAD * sizeof(real)), aligned(sizeof(real))));

static inline broad broad_load(const real *x)
{
    return *(const broad *)x;
}
static inline void broad_store(real *x, broad y)
{
    *(broad *)x = y;
}

#endif
