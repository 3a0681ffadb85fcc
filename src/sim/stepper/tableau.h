/* Coefficients of the explicit Runge-Kutta methods. All of them end with a stage at the new state, which
 * is the first of the next step (FSAL): its row of `a` holds the weights of the solution. */
#ifndef PN_SIM_TABLEAU_H
#define PN_SIM_TABLEAU_H

/* A test reads the same coefficients as numbers of more digits. */
#ifndef PN_COEFFICIENT
#define PN_COEFFICIENT double
#define PN_NUMBER(x) x##L
#endif

#define PN_STAGES 12

/* Dense output, with s from 0 to 1 over a step of length h from y0 to y1: the cubic that has the values
 * and slopes of both ends, and besides
 *     h s^2 (1 - s)^2 (p(whole) (y1 - y0)/h + sum_i p(dense[i]) k_i),  p(d) = d[0] + d[1] s + d[2] s^2,
 * which vanishes with its slope at the ends. */
typedef struct pn_tableau {
    const char *name;
    int stages;      /* of a step */
    int more;        /* further stages, for the dense output alone */
    int order;       /* of the solution */
    int error_order; /* of the embedded one; 0: there is none */
    int dense_order; /* of the dense output: it misses the solution by O(h^(dense_order + 1)) */
    PN_COEFFICIENT c[PN_STAGES];
    PN_COEFFICIENT a[PN_STAGES][PN_STAGES];
    PN_COEFFICIENT error[PN_STAGES]; /* weights of the solution less those of the embedded one */
    PN_COEFFICIENT whole[3], dense[PN_STAGES][3];
} pn_tableau;

extern const pn_tableau pn_rk4, pn_dopri5, pn_verner65;

#endif
