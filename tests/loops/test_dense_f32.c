/* test_dense.c in single precision. */
#define PN_T float
#include "test_dense.c"
