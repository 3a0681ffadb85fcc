/* Includes twice the file that PN_IN_BOTH names (from tests/ on): over double with the names of its functions, then
 * over float. */
#define PN_T double
#define PN_FN(name) name
#define PN_WORK(name) pinion_work_##name
#include PN_IN_BOTH
#undef PN_T
#undef PN_FN
#undef PN_WORK

#define PN_T float
#define PN_FN(name) name##_f32
#define PN_WORK(name) pinion_work_f32_##name
#include PN_IN_BOTH
#undef PN_T
#undef PN_FN
#undef PN_WORK
#undef PN_IN_BOTH
