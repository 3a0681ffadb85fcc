/* Anderson's acceleration of a fixed point w = T(w) (Anderson 1965; Walker & Ni 2011): the next w is the combination of
 * the last images whose residual is least. A step after which the residual has grown is taken back. Where T has corners
 * steps may turn in a circle: when they stop to gain anything, plain steps follow for a while, each time for longer. */
#ifndef PN_CONTACT_ANDERSON_H
#define PN_CONTACT_ANDERSON_H

#define PN_ANDERSON_MEMORY 10
#define PN_ANDERSON_VECTORS (3 * PN_ANDERSON_MEMORY + 3) /* of memory */

typedef struct pn_anderson {
    int n, count, next;   /* differences that are kept; where the next one goes */
    double plain;         /* residual before the last accelerated step; below 0: the last step was none */
    double goal;          /* residual that is to be reached before `left` is 0 */
    int left, rest, pause; /* accelerated steps until then; plain ones that are to come; how many the next time */
    double gram[PN_ANDERSON_MEMORY * PN_ANDERSON_MEMORY];
    double *residuals, *images; /* [memory][n] differences of the last ones */
    double *residual, *image;   /* [n] the last ones */
    double *along, *other;      /* [memory][n], [n] what goes along with images, likewise */
    double amount;              /* the sum of |shares| of the last step */
} pn_anderson;

/* memory: PN_ANDERSON_VECTORS vectors of n numbers */
void pn_anderson_open(pn_anderson *a, int n, double *memory);
/* forgets what was before, as when T changes */
void pn_anderson_forget(pn_anderson *a);
/* Takes w and its image T(w), and makes w the next one to try. Returns 0 where the last step was taken back: w is then
 * the image that it started from.
 * `along`: [n] or NULL, something of the image that is linear in it but for a constant, which becomes that of w. */
int pn_anderson_step(pn_anderson *a, const double *image, double *w, double *along);

#endif
