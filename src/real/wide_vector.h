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

#if PN_WIDE == 4
/* rows of four as columns */
static inline void wide_turn(const wide x[4], wide y[4])
{
    const wide a = {x[0][0], x[1][0], x[0][2], x[1][2]}, b = {x[0][1], x[1][1], x[0][3], x[1][3]};
    const wide c = {x[2][0], x[3][0], x[2][2], x[3][2]}, d = {x[2][1], x[3][1], x[2][3], x[3][3]};
    const wide first = {a[0], a[1], c[0], c[1]}, second = {b[0], b[1], d[0], d[1]};
    const wide third = {a[2], a[3], c[2], c[3]}, fourth = {b[2], b[3], d[2], d[3]};
    y[0] = first;
    y[1] = second;
    y[2] = third;
    y[3] = fourth;
}
#endif

/* Numbers 0 to 3 of PN_WIDE arrays, the same number of all arrays in a wide: `count` of them, 3 or 4. Four are read. */
static inline void wide_gather(int count, const real *const at[PN_WIDE], wide y[])
{
#if PN_WIDE == 4
    wide x[4];
    for (int l = 0; l < 4; l++) x[l] = wide_load(at[l]);
    wide_turn(x, x);
    for (int d = 0; d < count; d++) y[d] = x[d];
#else
    for (int d = 0; d < count; d++) {
        real x[PN_WIDE];
        for (int l = 0; l < PN_WIDE; l++) x[l] = at[l][d];
        y[d] = wide_load(x);
    }
#endif
}
#define wide_gather_model wide_gather

/* Six wides place by place: the six numbers of a place side by side, places `stride` apart. In registers of four the
 * two in the middle are written twice. */
static inline void wide_store_six(real *y, int stride, const wide x[6])
{
#if PN_WIDE == 4
    wide z[4];
    for (int half = 0; half < 2; half++) {
        wide_turn(x + 2 * half, z);
        for (int l = 0; l < 4; l++) wide_store(y + 2 * half + l * stride, z[l]);
    }
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
