/* What the scalars of the C language share: comparisons and choices on one value. */
#ifndef PN_REAL_SCALAR_H
#define PN_REAL_SCALAR_H

typedef int real_mask;

/* around what a paper leaves out of its operation count; only the counting scalar looks */
#define PN_APART_BEGIN() ((void)0)
#define PN_APART_END() ((void)0)
/* the body that the next lines compute for, and the papers' names of numbers; only the recording scalar looks */
#define PN_BODY(i, pass) ((void)0)
#define PN_NOTE(symbol, x, count) ((void)0)
/* the loop that follows may be taken several turns at a time */
#if defined(__clang__)
#define PN_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define PN_INDEPENDENT _Pragma("GCC ivdep")
#else
#define PN_INDEPENDENT
#endif

/* the loop that follows has few turns, and their number is known when it is compiled: all are written out */
#if defined(__clang__)
#define PN_UNROLL _Pragma("clang loop unroll(full)")
#elif defined(__GNUC__)
#define PN_UNROLL _Pragma("GCC unroll 6")
#else
#define PN_UNROLL
#endif

/* before a function into which everything that it calls is to be compiled: the passes of the algorithms that count */
#define PN_HOT __attribute__((flatten))

static inline real real_set1(num x)
{
    return x;
}
static inline real_mask real_lt(real a, real b)
{
    return a < b;
}
static inline real real_select(real_mask m, real a, real b)
{
    return m ? a : b;
}

#endif
