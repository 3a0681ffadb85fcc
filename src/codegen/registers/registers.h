/* Which numbers of straight-line code stay in registers, and which wait in memory: said by the code itself.
 *
 * A compiler that has hundreds of numbers for a few dozen registers keeps each in one place for all of its life, and
 * reaches memory by offsets of four bytes from one pointer. Instructions with such offsets are half of a large
 * function, and code that does not fit the nearest cache takes as long as its bytes take to be fetched. Here a number
 * is written to memory when others need its register, the one first that is needed last (Belady, "A study of
 * replacement algorithms for a virtual-storage computer", IBM Systems Journal 5, 1966), and read again where it is
 * needed; memory is reached by several pointers, with offsets of one byte, as far as that goes: what is asked for often
 * and soon is there, the rest behind the last pointer.
 *
 * Who writes statements does so twice, with the same calls: what they need is recorded first, and the text thrown
 * away. */
#ifndef PN_REGISTERS_H
#define PN_REGISTERS_H

#include "base/text.h"
#include <stdint.h>

/* What a value is, told by who writes: its name, its type, and where it stands without being put there. */
typedef struct pn_writer {
    void (*name)(const void *writer, int32_t value, pn_text *t);
    /* an array's entry that no statement changes; 0 and nothing written: there is none */
    int (*home)(const void *writer, int32_t value, pn_text *t);
    /* numbers in it: 1, 2 or 4 */
    int (*width)(const void *writer, int32_t value);
    const void *writer;
} pn_writer;

/* One value at one time. */
typedef struct pn_value_state {
    int32_t first_use, all_uses; /* in `user` */
    int32_t use, uses; /* from here on, so many are left */
    int32_t place;     /* in memory, once that is known; -1: none */
    int32_t version;   /* how often it was read back */
    int8_t width;
    uint8_t has_home;
    uint8_t kept;      /* it is in memory */
    uint8_t resident;  /* it is in a register */
    uint8_t from_memory; /* the statement that is being written reads it from there */
    uint8_t by_lanes;  /* statements that ask for single numbers of it alone, 2: or more */
} pn_value_state;

/* How long a value is in memory, and how often it is read and written there. */
typedef struct pn_stay {
    int32_t value, first, last, accesses; /* first and last are statements */
    double worth;
} pn_stay;

enum { PN_REGISTERS_MOST = 32 };

typedef struct pn_registers {
    pn_writer of;
    pn_text *t;
    int recording, placed, failed;
    int most;   /* values in registers */
    int near;   /* numbers on one pointer */

    /* what was recorded */
    struct pn_use {
        int32_t value;
        int32_t whole; /* not single numbers of it alone */
    } *use; /* of all statements */
    size_t uses, use_room;
    struct pn_statement {
        size_t first;    /* in `use` */
        int32_t defined; /* -1: nothing */
        uint8_t reads;   /* how many operands may be read from memory as they are */
    } *statement;
    size_t statements, statement_room, next;

    /* while it is written */
    pn_value_state *state; /* of each value */
    struct pn_user {
        int32_t statement, whole;
    } *user;               /* by value */
    int32_t resident[PN_REGISTERS_MOST];
    int residents;
    pn_stay *stay;         /* of values in memory, while places are looked for */
    int32_t stays;
    int32_t numbers;       /* in memory */
} pn_registers;

/* Begins to record. `registers` is how many a processor has, `near` how many numbers one pointer reaches. */
void pn_registers_open(pn_registers *r, const pn_writer *of, int registers, int near, pn_text *t);
/* From here on it is written, to t. */
void pn_registers_write(pn_registers *r, int32_t values, pn_text *t);
void pn_registers_close(pn_registers *r);

/* A statement begins, of whose operands so many may be read from memory. The text of what it needs comes before it. */
enum { PN_READS_ANY = 255 };
void pn_registers_statement(pn_registers *r, int reads);
/* An operand: its name or its place; of several numbers lane number `lane`, -1: all of them. Single numbers are read
 * from memory where several statements ask for them: a processor reads one there as it is, and takes instructions and
 * registers to get it out of another. */
void pn_registers_use(pn_registers *r, int32_t value, int lane);
/* an operand of several numbers that is to be in a register, though single ones are used */
void pn_registers_hold(pn_registers *r, int32_t value);
/* a number that is read from memory whatever is done, such as a constant */
void pn_registers_constant(pn_registers *r);
/* what the statement computes; at most one */
void pn_registers_define(pn_registers *r, int32_t value);
void pn_registers_end(pn_registers *r);

/* The memory and the pointers to it, once all is written. */
void pn_registers_memory(const pn_registers *r, pn_text *t);

#endif
