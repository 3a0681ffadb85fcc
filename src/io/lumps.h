/* Inertias that a format does not take for themselves, put together with those of links that are fixed to them. */
#ifndef PN_LUMPS_H
#define PN_LUMPS_H

#include "io/losses.h"

/* Nonzero where mass and all moments are above `least`, and no moment is more than the other two together. */
int pn_inertia_is_sound(const pinion_inertia *x, double least);
int pn_inertia_is_none(const pinion_inertia *x);
/* What each link weighs in the file, [links]: links with inertias that are not sound give theirs to the one they are
 * fixed to, or take from those fixed to them; those that move and are not sound by that stay so. The root gives up an
 * inertia that is not sound, where it is fixed to the world. With `solid` links that move must have
 * mass of their own. */
int pn_lump_inertias(const pinion_model *m, pn_losses *l, double least, int solid, pinion_inertia *out);

#endif
