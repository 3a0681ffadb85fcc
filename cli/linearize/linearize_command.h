/* pinion linearize: what its parts share. */
#ifndef PN_CLI_LINEARIZE_H
#define PN_CLI_LINEARIZE_H

#include "cli/args/limits_check.h"
#include "cli/args/options.h"
#include "pinion/pinion.h"
#include "pinion/sim/linearize.h"

#include <stdio.h>

enum { WARNINGS_MAX = 8 };

typedef struct linearization {
    const cli_args *args;
    const char *command;
    pinion_model *m;
    int nq, nv;
    double *q, *v, *tau;
    pinion_forces *forces;     /* NULL: none */
    double *f_ext;             /* what they exert at rest */
    const pinion_model *body;  /* the model, and what they add to its mass */
    cli_limits limits;
    pinion_linear *l;
    double *value, *vector; /* [2 n][2], [2 n][2 n][2] */
    double moving;          /* the largest acceleration at the state */
    int warning_count;
    char warning[WARNINGS_MAX][600];
} linearization;

#define TURN 6.283185307179586 /* rad */

/* "q.shoulder" of state i, "tau.shoulder" of input i; 300 bytes are enough. Returns `name`. */
const char *pn_cli_state_name(const linearization *x, int i, char *name, size_t size);
const char *pn_cli_input_name(const linearization *x, int i, char *name, size_t size);

/* The answer in each form. */
void pn_cli_linear_json(const linearization *x, FILE *stream);
void pn_cli_linear_csv(const linearization *x, FILE *stream);
void pn_cli_linear_octave(const linearization *x, FILE *stream);
int pn_cli_linear_text(const linearization *x, FILE *stream);
/* The page: the modes as a table, and moving. */
int pn_cli_linear_page(const linearization *x, const char *path);

/* Of the k-th mode: in rad/s, the share of the critical damping, the real part in 1/s, and in s the time in
 * which it grows or shrinks e-fold (INFINITY: neither); zero where only rounding is not. */
typedef struct mode_numbers {
    double natural, damping, rate, time;
    int oscillates, second; /* second: the conjugate of the one before */
} mode_numbers;
mode_numbers pn_cli_mode(const linearization *x, int k);
/* The independent coordinate that moves most in it. */
int pn_cli_mode_most(const linearization *x, int k);

#endif
