/* Limbs of the same shape side by side: a recorded function over registers that hold one number of each of up to four
 * limbs. Legs of a quadruped compute the same with other numbers, and a single call does four of them at a time. What
 * is written for other robots, and for packs, goes the same way without such groups.
 *
 *     limbs.c         which limbs of a model have the same shape, and which results belong together by that
 *     terms.c         the records without signs
 *     group_terms.c   numbers that are computed side by side, from the results to what they are made of
 *     weigh_groups.c  which of these groups save more than they cost
 *     order_units.c   an order
 *     emit_abreast.c  statements of C over vectors of GCC and Clang
 *     abreast.c       all of it, in order
 *
 * Larsen & Amarasinghe 2000 for groups by operands ("superword level parallelism"); limbs tell where to begin. */
#ifndef PN_ABREAST_H
#define PN_ABREAST_H

#include "codegen/codegen_steps.h"

enum { PN_ABREAST = 4 }; /* numbers in a register, at most */

/* ---- limbs.c ---- */

/* Sets of limbs of the same shape below one body, at most PN_ABREAST of them. Bodies are compiled ones. */
typedef struct pn_limbs {
    int32_t *set;  /* of each body; -1: none */
    int32_t *lane; /* which limb of the set it is in */
    int32_t (*start)[PN_ABREAST]; /* of each set: the first body of each limb */
    int32_t *count;               /* and how many limbs there are */
    int32_t *body_of_v;           /* of each velocity */
    int32_t *body_of_link;        /* of each body of the API */
    int sets;
} pn_limbs;

/* PINION_ERR_MEMORY or PINION_OK; to be closed in any case. */
pinion_status pn_limbs_open(const pinion_model *m, pn_limbs *limbs);
void pn_limbs_close(pn_limbs *limbs);
/* The results that belong to f's result number `first` by limbs side by side, itself among them; how many there are.
 * Less than two: it belongs to no others, or is not the first of them. */
int pn_limbs_results(const pinion_model *m, const pn_limbs *limbs, const pn_function *f, size_t first,
                     size_t result[PN_ABREAST]);

/* ---- terms.c ---- */

/* A record without its sign. Operands are terms with signs; of a product or quotient they have none, of a sum the first
 * has none. */
typedef struct pn_term {
    double value; /* of a constant, not negative */
    int32_t operand[3];
    int8_t sign[3];
    uint8_t operation;
    uint8_t live;
    uint8_t apart; /* an angle, or needed for one: in no group */
    uint32_t shape[3]; /* the same for terms of the same shape, ever deeper */
} pn_term;

typedef struct pn_signed {
    int32_t term;
    int8_t sign;
} pn_signed;

/* Numbers side by side, as operands of a group are: each a term with a sign. */
typedef struct pn_side {
    int32_t term[PN_ABREAST];
    int8_t sign[PN_ABREAST];
    int8_t count;
} pn_side;

typedef struct pn_group {
    pn_side lanes;   /* what it computes; the first sign is + */
    pn_side x, y;    /* of what */
    uint8_t operation;
    uint8_t dropped;
    int8_t turned;   /* emitted with all signs the other way */
    int32_t users;   /* groups that have just its lanes for an operand */
} pn_group;

typedef struct pn_abreast {
    const pn_graph *graph;
    pn_term *term;     /* of each record but signs */
    pn_signed *value;  /* what each record is */
    int32_t *group;    /* of each term; -1: none */
    int32_t *seen;     /* when a search was last there */
    int32_t searches;
    pn_group *list;
    int32_t groups;
    pn_side *work;     /* to be grouped, the last first */
    size_t waiting, room;
    int32_t *trail;    /* of a search */
    int failed;        /* out of memory */
} pn_abreast;

int pn_term_operands(const pn_term *t);
static inline int pn_term_is_leaf(const pn_term *t)
{
    return t->operation == PN_OP_CONSTANT || t->operation == PN_OP_INPUT;
}
/* 0: out of memory. To be closed in any case. */
int pn_abreast_open(const pn_graph *graph, pn_abreast *p);
void pn_abreast_close(pn_abreast *p);

/* ---- group_terms.c ---- */

/* Groups the results of which these are the terms, and all that they are made of as far as it is alike. */
void pn_group_results(pn_abreast *p, const int32_t *term, int count);
/* the group whose lanes are just these terms; -1: none */
int32_t pn_group_of(const pn_abreast *p, const pn_side *s);
/* what an operand is */
enum { PN_SIDE_SAME, PN_SIDE_CONSTANT, PN_SIDE_GROUP, PN_SIDE_COLLECTED };
int pn_side_kind(const pn_abreast *p, const pn_side *s);
/* whether a term is in a group that is not dropped */
static inline int pn_is_grouped(const pn_abreast *p, int32_t term)
{
    return p->group[term] >= 0 && !p->list[p->group[term]].dropped;
}
int pn_lane_of(const pn_group *g, int32_t term);

/* A number for each operand that has to be collected; 0 to begin with, and what is 0 may be forgotten. */
typedef struct pn_side_map {
    struct {
        pn_side side;
        int number;
    } *at;
    size_t capacity;
} pn_side_map;

/* room for twice as many as there are groups; 0: out of memory */
int pn_side_map_open(const pn_abreast *p, pn_side_map *map);
void pn_side_map_close(pn_side_map *map);
int *pn_side_number(pn_side_map *map, const pn_side *s);

/* ---- weigh_groups.c ---- */

/* Drops groups that cost more than they save; returns about how many instructions are left. */
double pn_abreast_weigh(pn_abreast *p);

/* ---- order_units.c ---- */

/* What is written at a time, a unit: a term by itself, or a group, whose number comes behind those of the terms. */
typedef struct pn_units {
    int32_t *order;
    int32_t count, first; /* and how many come before the sines and cosines of angles */
} pn_units;

static inline int pn_is_trigonometric(const pn_term *t)
{
    return t->operation == PN_OP_SIN || t->operation == PN_OP_COS;
}
/* `early`: of each term, whether it is made of inputs alone, by sums and products. Drops groups that would wait for
 * themselves. 0: out of memory. */
int pn_units_order(pn_abreast *p, const uint8_t *early, pn_units *units);

/* ---- emit_abreast.c ---- */

/* The statements of a function for so many registers, where one pointer is to reach `near` numbers; nothing of p is
 * dropped any more but what would wait for itself. */
void pn_emit_abreast(pn_abreast *p, const pn_function *f, int registers, int near, pn_text *t);

#endif
