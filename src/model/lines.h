/* For the readers of files: where a file says what has no definition to carry its line. */
#ifndef PN_LINES_H
#define PN_LINES_H

#include "pinion/model.h"

/* The line of the root that was set last, for the message of a build that does not find it. */
void pn_builder_root_line(pinion_builder *b, int line);

#endif
