/* What the general kernels give at a few states (values.c), and what records give there (evaluate.c). */
#ifndef PN_VALUES_H
#define PN_VALUES_H

#include "codegen/codegen_steps.h"

enum { PN_STATES_STORED = 8, PN_STATES_WEIGHED = 32 }; /* at most: in a self-test, and where losses are compared */

/* The inputs of one state, in double and in float: the same numbers. */
typedef struct pn_sample {
    double *in[PN_IN_COUNT];
    float *single[PN_IN_COUNT];
} pn_sample;

typedef struct pn_values {
    const pinion_model *m;
    pn_sample at[PN_STATES_WEIGHED];
    int states; /* fewer where there are very many results */
    size_t width[PN_IN_COUNT];
} pn_values;

/* What one function should give: results of every state, and for each result how much may differ, in units of
 * rounding of its largest number. */
typedef struct pn_expected {
    double *at; /* [states][pn_call_results]; free() */
    double tolerance[6];
    double least[6]; /* the least that counts as its largest number */
    int finite; /* all are numbers: M has an inverse, there is mass, ... */
} pn_expected;

/* PINION_ERR_MEMORY or PINION_OK; to be closed in any case. */
pinion_status pn_values_open(const pinion_model *m, const pinion_generated *g, pn_values *b);
pinion_status pn_states_open(const pinion_model *m, int states, pn_values *b);
void pn_values_close(pn_values *b);
/* The library's own results for a function; for a matrix C, of which there are many, those of its algorithm.
 */
pinion_status pn_values_find(const pn_values *b, const pinion_generated *g, const pn_function *f,
                             pn_expected *v);
/* Widens what may differ to what the function's own algorithm differs by at these states, in double: few lose out of
 * proportion to the unit of rounding, where roots are taken of what is almost zero. */
pinion_status pn_values_widen(const pn_values *b, const pn_function *f, pn_expected *v);
/* how many numbers the call of a function gives, with the margin that may not be among its results */
size_t pn_call_results(const pn_function *f);

/* evaluate.c: whether a recorded function gives the library's results at these states, to rounding */
pinion_status pn_function_agrees(const pn_values *b, const pinion_generated *g, const pn_function *f,
                                 int *agrees);

/* the results of a recorded function in double: [states][graph.results] */
pinion_status pn_graph_results(const pn_values *b, const pn_graph *graph, double *x);

/* What a computation loses to rounding, for each array of results: the largest error in any state, if every operation
 * were rounded to numbers of one unit of rounding, as a multiple of that unit; and the largest result. */
typedef struct pn_loss {
    double worst[6], scale[6];
} pn_loss;

/* of a recorded computation whose arrays of results have these lengths */
pinion_status pn_graph_loss(const pn_values *b, const pn_graph *graph, const size_t out[6], pn_loss *loss);
/* in units of rounding of the largest result, which counts as `least` at least */
double pn_loss_units(double worst, double scale, double *least);

#endif
