#include "tableau.h"

#include "tableau.inc"
