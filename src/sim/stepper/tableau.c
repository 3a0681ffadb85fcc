#include "sim/stepper/tableau.h"

#include "sim/stepper/tableau.inc"
