/* Equations of motion for people, from a compiled model to text:
 *
 *     symbols.c  the model's constants as symbols, exact angles as numbers
 *     poly.c     sums of products of symbols and one sine or cosine: a form in which equal is identical
 *     derive.c   M and the potential from the motions of the bodies, C and g by differentiation
 *     readable.c products of sines and cosines, common factors, shorthands
 *     equation_print.c, equation_names.c, equation_write.c  expressions, symbols, all of it with a legend
 *     equation_check.c  evaluates what is printed, and compares it with the kernels
 *
 * The derivation is Lagrange's and shares nothing with the kernels but the compiled frames, so that their
 * agreement says something. In the compiled frames every axis is z and x lies on the common normal to the
 * next axis (Denavit and Hartenberg's lengths and angles), which needs the fewest symbols. */
#ifndef PN_EQUATION_STEPS_H
#define PN_EQUATION_STEPS_H

#include "pinion/equations.h"

#include "api/api.h"
#include "base/text.h"

#define PN_EQ_MAX_NODES 24       /* bodies; far more than anyone reads */
#define PN_EQ_MAX_PRODUCT 400000 /* terms of an intermediate result */
#define PN_EQ_SQUARE 1e-5        /* rad: an angle this near to a right one is one */
#define PN_EQ_TINY 1e-12         /* of the largest: what is smaller is rounding */
#define PN_EQ_TOLERANCE 1e-10

/* ---- memory: all that lives as long as the equations ---- */

typedef struct pn_eq_pool {
    void **block;
    int blocks, capacity;
} pn_eq_pool;

/* ---- symbols ---- */

/* Kinds of symbols, in the order in which they stand in a product. */
enum {
    PN_EQ_MASS = 0,
    PN_EQ_GRAVITY, /* sub: -1 along an axis of the base's frame, else x, y, z of it */
    PN_EQ_RATIO,   /* of a follower to its leader */
    PN_EQ_LENGTH,  /* along the common normal from the parent's axis */
    PN_EQ_BRANCH,  /* along the parent's axis to the normal, of second children */
    PN_EQ_PLACE,   /* sub: x, y, z of the parent, where there is no common normal near by */
    PN_EQ_OFFSET,  /* along the joint's own axis */
    PN_EQ_PITCH,
    PN_EQ_CENTER,  /* sub: x, y, z */
    PN_EQ_INERTIA, /* sub: xx, xy, xz, yy, yz, zz about the centre of mass */
    PN_EQ_ROTOR,
    PN_EQ_POSITION, /* a coordinate: a displacement, or a helical joint's angle outside of sines and cosines
                     */
    PN_EQ_KINDS
};

typedef struct pn_eq_symbol {
    int kind, node, sub;
    double value;
    int used;
    int backwards; /* a centre of mass on the other side: the value is positive, and the legend says so */
    char name[48], latex[64];
} pn_eq_symbol;

/* An angle in sines and cosines: a coordinate, or a constant that is not a right angle. */
enum { PN_EQ_ANGLE_Q = 0, PN_EQ_ANGLE_TWIST, PN_EQ_ANGLE_BRANCH, PN_EQ_ANGLE_JOINT };

typedef struct pn_eq_angle {
    int kind, node; /* node: of a constant; of a coordinate: its place in v */
    double value;   /* of a constant */
    int used;
    char name[48], latex[64];
} pn_eq_angle;

/* A constant angle: some right angles, and perhaps more. */
typedef struct pn_eq_turn {
    int quarters;
    int angle; /* -1: no more */
} pn_eq_turn;

/* Symbols of a compiled body; -1: zero. */
typedef struct pn_eq_body {
    int mass, center[3], inertia[6], rotor;
    int length, branch, offset, pitch, place[3];
    int dense[9];                   /* a rotation of right angles, where there is no common normal */
    pn_eq_turn twist, about, start; /* about x, about z of the parent, about the joint's axis */
    int turn;     /* quarters by which the body's own frame is turned, for a centre of mass on x */
    int own;      /* the coordinate it moves with */
    int ratio;    /* symbol; -1: `times` is all */
    double times; /* of the coordinate */
    int follows;
    int slides; /* prismatic */
} pn_eq_body;

/* ---- sums (poly.c) ---- */

/* Terms: a coefficient and a key each: powers of the symbols, multiples of the angles, PN_EQ_ONE, COS or SIN
 * of their sum. */
enum { PN_EQ_ONE = 0, PN_EQ_COS, PN_EQ_SIN };

typedef struct pn_eq_poly {
    double *coef;
    unsigned char *key;
    int count, capacity;
    int *slot; /* a hash table of terms, -1: free */
    int slots;
} pn_eq_poly;

/* ---- what is printed (readable.c) ---- */

/* A factor: a symbol, a shorthand, a sine or cosine, or a velocity. Numbers of symbols come first. */
enum { PN_EQ_IS_SYMBOL = 0, PN_EQ_IS_NAMED, PN_EQ_IS_COS, PN_EQ_IS_SIN, PN_EQ_IS_VELOCITY };

typedef struct pn_eq_literal {
    int kind, index;
    signed char *angles; /* of a sine or cosine */
    char name[64], latex[96];
    int abbreviated; /* written c_12, not cos(q_1 - q_2) */
} pn_eq_literal;

typedef struct pn_eq_factor {
    int literal, power;
} pn_eq_factor;

typedef struct pn_eq_sum pn_eq_sum;

typedef struct pn_eq_term {
    double coef;
    pn_eq_factor *factor;
    int factors;
    pn_eq_sum *inner, *last; /* in parentheses; NULL: 1 */
    int squared;             /* nonzero: the square of `inner` */
} pn_eq_term;

struct pn_eq_sum {
    pn_eq_term *term;
    int terms;
};

/* A Christoffel symbol, or several that are equal up to a factor. */
typedef struct pn_eq_shorthand {
    pn_eq_poly poly;
    pn_eq_sum *sum;
    int uses;
    int literal; /* -1: written out where it is used */
} pn_eq_shorthand;

typedef struct pn_eq_use {
    int shorthand; /* -1: zero */
    double times;
} pn_eq_use;

enum { PN_EQ_M = 1, PN_EQ_C = 2, PN_EQ_G = 4 };

struct pinion_equations {
    pn_eq_pool pool;
    int failed; /* pinion_status: the first that went wrong */
    pinion_equations_options options;
    unsigned what;
    int nq, nv, nodes;
    pn_eq_body *body;        /* [nodes] */
    int *parent, *children;  /* [nodes] */
    int gravity[3];          /* symbols in the base's frame; -1: zero */
    double sign[3];          /* of gravity where one symbol stands for it */
    int *q_symbol, *q_angle; /* [nv] of a coordinate; -1: none */
    double squared;          /* the largest angle that was taken for a right one */
    int squares;

    pn_eq_symbol *symbol;
    int symbols, symbol_room;
    pn_eq_angle *angle;
    int angles, angle_room;
    int stride; /* bytes of a key */

    pn_eq_poly *M, *g; /* [nv][nv], [nv] */
    pn_eq_shorthand *shorthand;
    int shorthands;
    pn_eq_use *use; /* [nv][nv][nv] */

    pn_eq_literal *literal;
    int literals, literal_room;
    pn_eq_sum **M_sum, **C_sum, **g_sum;
    int terms;

    pinion_equation *entry;
    int entries;
    pinion_equation_symbol *legend;
    int legends;
    char *text;
    double difference;
};

/* memory that is freed with e; NULL sets e->failed */
void *pn_eq_take(pinion_equations *e, size_t count, size_t size);
/* grows an array of the pool to hold one more; the old one stays in the pool */
void *pn_eq_grow(pinion_equations *e, void *array, int count, int *room, size_t size);
void pn_eq_fail(pinion_equations *e, pinion_status status);

/* symbols.c */
pinion_status pn_eq_symbols(pinion_equations *e, const pinion_model *m, pinion_error *err);

/* poly.c: results are new; all are empty once e->failed is set */
void pn_eq_free(pn_eq_poly *p);
void pn_eq_clear(pn_eq_poly *p); /* without freeing */
pn_eq_poly pn_eq_number(pinion_equations *e, double x);
pn_eq_poly pn_eq_symbol_poly(pinion_equations *e, int symbol); /* -1: 0 */
pn_eq_poly pn_eq_copy(pinion_equations *e, const pn_eq_poly *p);
/* cosine (or sine) of a multiple of an angle and another, each -1: none, and right angles */
pn_eq_poly pn_eq_cosine(pinion_equations *e, int sine, int angle, int times, int other, int quarters);
void pn_eq_add(pinion_equations *e, pn_eq_poly *to, const pn_eq_poly *p, double times); /* to += times p */
/* to += times a b */
void pn_eq_add_product(pinion_equations *e, pn_eq_poly *to, const pn_eq_poly *a, const pn_eq_poly *b,
                       double times);
void pn_eq_tidy(pinion_equations *e, pn_eq_poly *p); /* takes zeros out */
void pn_eq_add_derivative(pinion_equations *e, pn_eq_poly *to, const pn_eq_poly *p, int coordinate,
                          double times);
/* the ratio of two sums, 0: they are not multiples of each other */
double pn_eq_ratio(const pinion_equations *e, const pn_eq_poly *a, const pn_eq_poly *b);
/* the model's numbers in place of all symbols but coordinates, and of constant angles */
pn_eq_poly pn_eq_numeric(pinion_equations *e, const pn_eq_poly *p);

/* derive.c */
void pn_eq_derive(pinion_equations *e);

/* readable.c */
void pn_eq_make_readable(pinion_equations *e);
/* merge.c: one sum as terms with products of sines and cosines; how many */
pn_eq_term *pn_eq_flat(pinion_equations *e, const pn_eq_poly *p, int *count);
int pn_eq_find_literal(pinion_equations *e, int kind, int index, const signed char *angles);
/* group.c: by masses (textbooks' mass matrices), by sines and cosines (their gravity), or what is shorter */
enum { PN_EQ_BY_MASS = 0, PN_EQ_BY_ANGLE, PN_EQ_SHORTEST };
pn_eq_sum *pn_eq_grouped(pinion_equations *e, pn_eq_term *term, int terms, int how);

/* squares.c: terms x^2 + 2 x y + y^2 + ... as (x + y)^2 + ...; the number of terms that are left */
int pn_eq_squares(pinion_equations *e, pn_eq_term *term, int terms);

/* equation_names.c */
int pn_eq_used_of(const pinion_equations *e, int kind,
                  int node); /* how many symbols of a kind a body has in use */
void pn_eq_name_symbols(pinion_equations *e);
void pn_eq_name_literal(pinion_equations *e, int literal);
void pn_eq_angle_text(const pinion_equations *e, const signed char *angles, int latex, char *text,
                      size_t size);
/* a name of the model in ASCII, for text or for LaTeX */
void pn_eq_safe_name(const char *name, int latex, char *out, size_t size);

/* equation_print.c */
void pn_eq_put_number(pn_text *t, double x, int digits);
void pn_eq_put_latex_number(pn_text *t, double x, int digits);
#define PN_EQ_BREAK '\001'        /* where a line may be broken, before + and - */
#define PN_EQ_BREAK_INSIDE '\002' /* the same within parentheses */
void pn_eq_put_sum(pn_text *t, const pinion_equations *e, const pn_eq_sum *s, int latex);

/* equation_write.c */
void pn_eq_write(pinion_equations *e, const pinion_model *m);
/* legend.c */
void pn_eq_legend(pinion_equations *e, const pinion_model *m);

/* equation_check.c */
pinion_status pn_eq_check(pinion_equations *e, const pinion_model *m, pinion_error *err);

#endif
