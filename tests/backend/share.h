/* What divide and conquer loses beside the condition of M. It lets a joint go with the inertia of a piece alone, so its
 * pivots are a share of those with all that hangs on the joint: the least share that a body has which stands alone
 * there (dca_plan.inc). The condition of that algorithm is M's over this. */
#ifndef PN_TEST_SHARE_H
#define PN_TEST_SHARE_H

#include "backend.h"
#include "kernel/forward_dynamics/logn/dca_plan.inc"

/* of one body, to a factor of two: in the pivots of its own inertia about its joint */
static inline double share_of_body(const sys *s, int i)
{
    double turning, shifting, share = 1;
    dca_weighs(s, i, &turning, &shifting);
    while (share > DCA_SHARE && !dca_resists(&s->node[i], &s->link[i], 0, share, turning, shifting)) share /= 2;
    return share;
}

/* the least of all bodies that stand alone, tips left out, behind which there is nothing */
static inline double least_share(const pinion_model *m)
{
    const pn_ctx k = pn_context(m, sizeof(double), NULL);
    const sys s = open_model(&k);
    double least = 1;
    for (int i = 1; i < s.N; i++)
        if (s.node[i].end > i + 1 && dca_stands(&s, i)) least = fmin(least, share_of_body(&s, i));
    return least;
}

#endif
