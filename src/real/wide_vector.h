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

/* Four of them, of which a wide has one or two. */
typedef real four __attribute__((vector_size(4 * sizeof(real)), aligned(sizeof(real))));
enum { FOURS = PN_WIDE / 4 };

static inline four wide_four(wide x, int which)
{
    const int at = 4 * which;
    const four y = {x[at], x[at + 1], x[at + 2], x[at + 3]};
    return y;
}
static inline wide wide_of_fours(const four x[FOURS])
{
#if PN_WIDE == 8
    const wide y = {x[0][0], x[0][1], x[0][2], x[0][3], x[1][0], x[1][1], x[1][2], x[1][3]};
    return y;
#else
    return x[0];
#endif
}
/* Rows may end within a wide, behind any PN_TAIL numbers: the first of them alone. */
#define PN_TAIL 4
static inline void wide_store_tail(real *x, wide y)
{
    *(four *)x = wide_four(y, 0);
}
/* rows as columns */
static inline void four_turn(const four x[4], four y[4])
{
    const four a = {x[0][0], x[1][0], x[0][2], x[1][2]}, b = {x[0][1], x[1][1], x[0][3], x[1][3]};
    const four c = {x[2][0], x[3][0], x[2][2], x[3][2]}, d = {x[2][1], x[3][1], x[2][3], x[3][3]};
    const four first = {a[0], a[1], c[0], c[1]}, second = {b[0], b[1], d[0], d[1]};
    const four third = {a[2], a[3], c[2], c[3]}, fourth = {b[2], b[3], d[2], d[3]};
    y[0] = first;
    y[1] = second;
    y[2] = third;
    y[3] = fourth;
}

/* Numbers 0 to 3 of PN_WIDE arrays, the same number of all arrays in a wide: `count` of them, 3 or 4. Four are read. */
static inline void wide_gather(int count, const real *const at[PN_WIDE], wide y[])
{
    four x[FOURS][4];
    for (int h = 0; h < FOURS; h++) {
        for (int l = 0; l < 4; l++) x[h][l] = *(const four *)at[4 * h + l];
        four_turn(x[h], x[h]);
    }
    for (int d = 0; d < count; d++) {
        four part[FOURS];
        for (int h = 0; h < FOURS; h++) part[h] = x[h][d];
        y[d] = wide_of_fours(part);
    }
}
#define wide_gather_model wide_gather

/* Six wides place by place: the six numbers of a place side by side, places `stride` apart. The two in the middle are
 * written twice. */
static inline void wide_store_six(real *y, int stride, const wide x[6])
{
    four z[4];
    for (int h = 0; h < FOURS; h++)
        for (int first = 0; first < 4; first += 2) {
            for (int d = 0; d < 4; d++) z[d] = wide_four(x[first + d], h);
            four_turn(z, z);
            for (int l = 0; l < 4; l++) *(four *)(y + (4 * h + l) * stride + first) = z[l];
        }
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
