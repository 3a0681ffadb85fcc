/// Equations of motion in closed form: M(q) a + C(q, v) v + g(q) = tau of a small mechanism, to be read by
/// people.
///
/// They are derived symbolically, by Lagrange's equations, and then evaluated as they are printed and
/// compared with the kernels. docs/equations.md shows some and explains the symbols.
#ifndef PINION_EQUATIONS_H
#define PINION_EQUATIONS_H

#include "pinion/dynamics.h"

PINION_BEGIN

typedef enum pinion_equations_format {
    PINION_EQUATIONS_TEXT = 0, ///< plain ASCII
    PINION_EQUATIONS_LATEX     ///< for a document that uses the package amsmath
} pinion_equations_format;

/// Get one from pinion_equations_options_default().
typedef struct pinion_equations_options {
    const char *what; ///< of mass_matrix, coriolis, gravity, separated by commas; NULL: all
    pinion_equations_format format;
    int document;  ///< LaTeX: nonzero: a document that compiles by itself
    int numbers;   ///< nonzero: the model's numbers in place of symbols
    int max_terms; ///< more terms than this are refused; default 600
    int states;    ///< the random states at which they must agree with the kernels, at least 1; default 100
    uint32_t cookie;
} pinion_equations_options;

/// The defaults named above.
PINION_API pinion_equations_options pinion_equations_options_default(void);

typedef struct pinion_equations pinion_equations;

/// Derives, prints and checks.
/// @param options  NULL for the defaults
/// @return NULL and the reason in `err`: the model has closed loops, joints of several degrees of freedom
/// that turn, or too many terms (PINION_ERR_LOOPS, PINION_ERR_UNSUPPORTED), or what is printed does not agree
/// with the kernels
PINION_API pinion_equations *pinion_equations_new(const pinion_model *m,
                                                  const pinion_equations_options *options, pinion_error *err);
PINION_API void pinion_equations_free(pinion_equations *e); ///< NULL is allowed

/// All of it, in the format that was asked for, with the legend of the symbols.
PINION_API const char *pinion_equations_text(const pinion_equations *e);
/// The largest difference from the kernels at the random states, over the largest entry of each quantity.
PINION_API double pinion_equations_difference(const pinion_equations *e);
/// How many terms they have.
PINION_API int pinion_equations_terms(const pinion_equations *e);

/// One line "name = expression".
typedef struct pinion_equation {
    const char *quantity; ///< "mass_matrix", "coriolis" or "gravity"; "shorthand": what these refer to by its
                          ///< name; "notation": a sine or cosine
    int row, column;  ///< of the entry, from 0; -1: none
    const char *name; ///< "M_12", "h_1", "c_12"
    const char *text; ///< "m_2 a_1 r_2 s_2"
} pinion_equation;

/// How many entries there are.
PINION_API int pinion_equations_count(const pinion_equations *e);
/// PINION_ERR_ARGUMENT when it is out of range. What it points to belongs to e.
PINION_API PINION_CHECK pinion_status pinion_equations_entry(const pinion_equations *e, int index,
                                                             pinion_equation *out);

/// One symbol of the legend.
typedef struct pinion_equation_symbol {
    const char *name;    ///< "m_2"
    const char *meaning; ///< "mass of link2"
    const char *unit;    ///< "kg"
    double value;        ///< what the model says; 0 for a coordinate or velocity
    int coordinate;      ///< its place in q, -1: none
    int velocity;        ///< its place in v, -1: none
} pinion_equation_symbol;

/// How many symbols the legend has.
PINION_API int pinion_equations_symbol_count(const pinion_equations *e);
/// PINION_ERR_ARGUMENT when it is out of range. What it points to belongs to e.
PINION_API PINION_CHECK pinion_status pinion_equations_symbol(const pinion_equations *e, int index,
                                                              pinion_equation_symbol *out);

/// Evaluates what is printed, for the quantities that were asked for. Any result may be NULL.
PINION_API PINION_CHECK pinion_status pinion_equations_evaluate(const pinion_equations *e, const double *q,
                                                                const double *v, double *M, double *C,
                                                                double *g);

PINION_END

#endif
