/* The scalar that is in force: the one that a stub chose, or else double, so that an editor reads a kernel as plain
 * double code. */
#ifndef pinion_real
#include "real/real_f64.h"
#endif
