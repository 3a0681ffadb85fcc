/* Where a real fills a register already, or is no number of the machine, wide is a real. */
#ifndef PN_WIDE_ONE_H
#define PN_WIDE_ONE_H

#define PN_WIDE 1
typedef real wide;

static inline wide wide_load(const real *x)
{
    return *x;
}
static inline void wide_store(real *x, wide y)
{
    *x = y;
}
static inline real wide_entry(wide y, int place)
{
    (void)place;
    return y;
}
#define wide_magnitude magnitude
static inline wide wide_blend(int first, wide a, wide b)
{
    return first ? a : b;
}
static inline wide wide_insert(int place, real x, wide y)
{
    return place == 0 ? x : y;
}
/* numbers of an array; of the model's */
static inline void wide_gather(int count, const real *const at[PN_WIDE], wide y[])
{
    for (int d = 0; d < count; d++) y[d] = at[0][d];
}
static inline void wide_gather_model(int count, const num *const at[PN_WIDE], wide y[])
{
    for (int d = 0; d < count; d++) y[d] = real_set1(at[0][d]);
}

static inline void wide_store_six(real *y, int stride, const wide x[6])
{
    (void)stride;
    for (int d = 0; d < 6; d++) y[d] = x[d];
}

#define PN_TAIL 1
#define wide_store_tail wide_store

#define PN_BROAD 1
#define PN_BROADS 12
typedef real broad;
#define broad_load wide_load
#define broad_store wide_store

#endif
