/* What the files that write straight-line code share: one function on its way to text. */
#ifndef PN_EMIT_H
#define PN_EMIT_H

#include "codegen/codegen_steps.h"

enum { PN_MAX_SYMBOLS = 64 };

typedef struct pn_code {
    const pinion_model *m;
    const pn_function *f;
    const pn_graph *graph;
    pinion_codegen_scalar scalar;
    char *const *bodies; /* identifiers of links */
    char **coordinate;   /* [nq] identifiers of what turns or slides */
    pn_text *t;          /* where to */

    /* of each record */
    int32_t *uses;   /* by other records and results; two of an angle's sine and cosine are one */
    int32_t *user;   /* the last one that uses it; -1: a result, or the sine and cosine of it */
    int32_t *weight; /* how many numbers its expression has where it is written out */
    uint8_t *place;  /* PN_PLACE_IN_EXPRESSION ... */
    uint8_t *written;
    char **name;           /* its variable; NULL: none */
    int32_t *first_result; /* the first result that is this record, -1: none */
    int32_t *next_result;  /* of each result: the next one that is the same record */

    pn_names taken; /* identifiers */
    struct {
        const char *name;
        int entries;
    } symbol[PN_MAX_SYMBOLS]; /* what kernels call numbers here */
    int symbols;
    int *numbered; /* of each body: how many variables have a number for a name */
    int failed;    /* out of memory */
} pn_code;

/* Where a record's value is to be found. */
enum {
    PN_WRITTEN_OUT = 0, /* in the expression that uses it */
    PN_VARIABLE,        /* in a variable */
    PN_STORED           /* in the results alone */
};

/* emit_names.c */
pinion_status pn_code_names(pn_code *c);
void pn_code_names_free(pn_code *c);
/* gives a record its variable */
void pn_name_record(pn_code *c, int32_t i);
/* the same for a sine or cosine, by its angle */
void pn_name_trigonometric(pn_code *c, int32_t i);
/* a name that nobody has, made of this; NULL when out of memory */
char *pn_unique_name(pn_code *c, const char *text);

/* emit_expression.c */
/* the expression of a record, without a name that it may have itself */
void pn_emit_expression(pn_code *c, int32_t i);
/* how another expression refers to it: its name, or the expression */
void pn_emit_operand(pn_code *c, int32_t i);

/* emit_zeros.c: loops for results that are zero in a row, which the records are not the results of any more then */
void pn_emit_zeros(pn_code *c);

#endif
