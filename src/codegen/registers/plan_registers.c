/* The plan of registers.h, made while statements are written: what is read, kept and put aside before each. */
#include "codegen/registers/registers.h"
#include <stdlib.h>
#include <string.h>

enum {
    POINTERS = 8,   /* to memory: a processor has 16, and arguments need some */
    FAR = 60,       /* statements: what is needed later than that is read when it is */
    BETWEEN = 12,   /* statements, after which a compiler shall not know any more what is in memory */
    WIDEST = 4,     /* numbers in a value */
    NEVER = INT32_MAX
};

/* ---- what is recorded ---- */

void pn_registers_open(pn_registers *r, const pn_writer *of, int registers, int near, pn_text *t)
{
    /* a product that is added, and what is read for it, have registers of their own */
    *r = (pn_registers){.of = *of, .t = t, .recording = 1, .most = registers - 2, .near = near};
}

static int grow(void **at, size_t *room, size_t count, size_t size)
{
    if (count < *room) return 1;
    const size_t more = *room ? 2 * *room : 1024;
    void *p = realloc(*at, more * size);
    if (!p) return 0;
    *at = p;
    *room = more;
    return 1;
}

static struct pn_statement *last_statement(pn_registers *r)
{
    return r->failed || r->statements == 0 ? NULL : &r->statement[r->statements - 1];
}

static void record_statement(pn_registers *r, int reads)
{
    void *at = r->statement;
    if (r->failed || !grow(&at, &r->statement_room, r->statements, sizeof *r->statement)) {
        r->failed = 1;
        return;
    }
    r->statement = at;
    r->statement[r->statements++] = (struct pn_statement){r->uses, -1, (uint8_t)reads};
}

/* once for each statement */
static void record_use(pn_registers *r, int32_t value)
{
    const struct pn_statement *s = last_statement(r);
    void *at = r->use;
    if (!s) return;
    for (size_t k = s->first; k < r->uses; k++)
        if (r->use[k] == value) return;
    if (!grow(&at, &r->use_room, r->uses, sizeof *r->use)) {
        r->failed = 1;
        return;
    }
    r->use = at;
    r->use[r->uses++] = value;
}

/* ---- uses by value ---- */

static size_t end_of(const pn_registers *r, size_t statement)
{
    return statement + 1 < r->statements ? r->statement[statement + 1].first : r->uses;
}

void pn_registers_write(pn_registers *r, int32_t values, pn_text *t)
{
    pn_text nothing = {0};
    r->recording = 0;
    r->t = t;
    r->state = calloc((size_t)values + 1, sizeof *r->state);
    r->user = malloc((r->uses + 1) * sizeof *r->user);
    if (!r->state || !r->user) r->failed = 1;
    if (r->failed) return;
    for (size_t k = 0; k < r->uses; k++) r->state[r->use[k]].uses++;
    int32_t at = 0;
    for (int32_t i = 0; i < values; i++) {
        pn_value_state *x = &r->state[i];
        x->slot = -1;
        x->use = at;
        at += x->uses;
        if (!x->uses) continue;
        x->width = (int8_t)r->of.width(r->of.writer, i);
        x->has_home = (uint8_t)r->of.home(r->of.writer, i, &nothing);
        x->uses = 0;
    }
    pn_text_free(&nothing);
    for (size_t s = 0; s < r->statements; s++)
        for (size_t k = r->statement[s].first; k < end_of(r, s); k++) {
            pn_value_state *x = &r->state[r->use[k]];
            r->user[x->use + x->uses++] = (int32_t)s;
        }
}

void pn_registers_close(pn_registers *r)
{
    free(r->use);
    free(r->statement);
    free(r->state);
    free(r->user);
    free(r->taken);
}

/* ---- memory ---- */

/* Room for so many numbers, by their width: the first there is, so that few pointers reach most. There are always
 * as many as the widest values take. */
static int32_t take_slot(pn_registers *r, int width)
{
    int32_t at = 0;
    for (; at < r->numbers; at += width) {
        int free = 0;
        while (free < width && !r->taken[at + free]) free++;
        if (free == width) break;
    }
    if (at == r->numbers) {
        uint8_t *taken = realloc(r->taken, (size_t)at + WIDEST);
        if (!taken) {
            r->failed = 1;
            return 0;
        }
        memset(taken + at, 0, WIDEST);
        r->taken = taken;
        r->numbers += WIDEST;
    }
    memset(r->taken + at, 1, (size_t)width);
    return at;
}

/* the pointer that reaches a number, and how far it is from there */
static int pointer_of(const pn_registers *r, int32_t slot)
{
    const int pointer = slot / r->near;
    return pointer < POINTERS ? pointer : POINTERS - 1;
}

static int offset_of(const pn_registers *r, int32_t slot)
{
    return (int)slot - pointer_of(r, slot) * r->near - r->near / 2;
}

/* what a value is read from */
static void write_place(const pn_registers *r, int32_t value, int lane)
{
    const pn_value_state *x = &r->state[value];
    if (x->has_home) {
        r->of.home(r->of.writer, value, r->t);
        return;
    }
    const int32_t slot = x->slot + (lane > 0 ? lane : 0);
    if (x->width == 1 || lane >= 0)
        pn_text_add(r->t, "m%d[%d]", pointer_of(r, slot), offset_of(r, slot));
    else
        pn_text_add(r->t, "*(kept_%d *)(m%d + %d)", x->width, pointer_of(r, slot), offset_of(r, slot));
}

static void write_name(const pn_registers *r, int32_t value)
{
    r->of.name(r->of.writer, value, r->t);
    if (r->state[value].version) pn_text_add(r->t, "_%d", (int)r->state[value].version);
}

static void write_type(const pn_registers *r, int32_t value)
{
    const int width = r->state[value].width;
    if (width == 1)
        pn_text_add(r->t, "real ");
    else
        pn_text_add(r->t, "lanes_%d ", width);
}

void pn_registers_memory(const pn_registers *r, pn_text *t)
{
    const int pointers = r->numbers > 0 ? pointer_of(r, r->numbers - 1) + 1 : 0;
    const int32_t last = (int32_t)(pointers * r->near); /* where pointers point is there, too */
    if (pointers == 0) return;
    pn_text_add(t, "    __attribute__((aligned(64))) real memory[%d];\n",
                (int)(r->numbers > last ? r->numbers : last));
    for (int k = 0; k < pointers; k++) {
        pn_text_add(t, "    real *m%d = memory + %d;\n", k, k * r->near + r->near / 2);
        pn_text_add(t, "    __asm__(\"\" : \"+r\"(m%d));\n", k); /* a pointer of its own */
    }
}

/* ---- registers ---- */

/* the statement that needs a value next, from one on */
static int32_t next_use(const pn_registers *r, int32_t value, size_t from)
{
    pn_value_state *x = &r->state[value];
    while (x->uses > 0 && (size_t)r->user[x->use] < from) x->use++, x->uses--;
    return x->uses > 0 ? r->user[x->use] : NEVER;
}

static void drop(pn_registers *r, int k)
{
    r->state[r->resident[k]].resident = 0;
    r->resident[k] = r->resident[--r->residents];
}

static int is_used_by(const pn_registers *r, size_t statement, int32_t value)
{
    for (size_t k = r->statement[statement].first; k < end_of(r, statement); k++)
        if (r->use[k] == value) return 1;
    return 0;
}

/* One register less: that of the value that is needed last; of two that are needed as late, one that is in memory.
 * `before` a statement it is none of its operands. */
static void put_aside(pn_registers *r, size_t statement, int before)
{
    const size_t from = statement + 1;
    int worst = 0;
    int64_t last = -1;
    for (int k = 0; k < r->residents; k++) {
        const int32_t value = r->resident[k], use = next_use(r, value, from);
        const pn_value_state *x = &r->state[value];
        if (before && is_used_by(r, statement, value)) continue;
        const int64_t late = 2 * (int64_t)use + (x->has_home || x->slot >= 0);
        if (late <= last) continue;
        last = late;
        worst = k;
    }
    const int32_t value = r->resident[worst];
    pn_value_state *x = &r->state[value];
    if (next_use(r, value, from) != NEVER && !x->has_home && x->slot < 0) {
        x->slot = take_slot(r, x->width);
        pn_text_add(r->t, "    ");
        write_place(r, value, -1);
        pn_text_add(r->t, " = ");
        write_name(r, value);
        pn_text_add(r->t, ";\n");
    }
    drop(r, worst);
}

static void enter(pn_registers *r, int32_t value)
{
    r->state[value].resident = 1;
    r->resident[r->residents++] = value;
}

/* the latest that others than the operands of a statement are needed */
static int32_t latest(const pn_registers *r, size_t statement)
{
    int32_t late = 0;
    for (int k = 0; k < r->residents; k++) {
        const int32_t use = next_use(r, r->resident[k], statement + 1);
        if (use > late && !is_used_by(r, statement, r->resident[k])) late = use;
    }
    return late;
}

/* into a register, or not if that does not pay */
static void fetch(pn_registers *r, size_t statement, int32_t value, int *reads)
{
    pn_value_state *x = &r->state[value];
    const int32_t later = next_use(r, value, statement + 1);
    const int full = r->residents >= r->most;
    if (*reads > 0 && (later == NEVER || (full ? later >= latest(r, statement) : later - (int64_t)statement > FAR))) {
        x->from_memory = 1;
        --*reads;
        return;
    }
    if (full) put_aside(r, statement, 1);
    x->version++;
    pn_text_add(r->t, "    const ");
    write_type(r, value);
    write_name(r, value);
    pn_text_add(r->t, " = ");
    write_place(r, value, -1);
    pn_text_add(r->t, ";\n");
    enter(r, value);
}

/* ---- statements ---- */

static void release(pn_registers *r, size_t statement)
{
    for (int k = r->residents; k-- > 0;)
        if (next_use(r, r->resident[k], statement + 1) == NEVER) drop(r, k);
}

void pn_registers_statement(pn_registers *r, int reads)
{
    if (r->recording) {
        record_statement(r, reads);
        return;
    }
    if (r->failed) return;
    const size_t s = r->next;
    int left = r->statement[s].reads;
    if (s % BETWEEN == BETWEEN - 1) pn_text_add(r->t, "    __asm__ volatile(\"\" ::: \"memory\");\n");
    for (size_t k = r->statement[s].first; k < end_of(r, s); k++) {
        if (!r->state[r->use[k]].resident) fetch(r, s, r->use[k], &left);
    }
}

void pn_registers_use(pn_registers *r, int32_t value, int lane)
{
    if (r->recording) {
        record_use(r, value);
        return;
    }
    if (r->failed) return;
    if (r->state[value].from_memory) {
        write_place(r, value, lane);
        return;
    }
    write_name(r, value);
    if (lane >= 0) pn_text_add(r->t, "[%d]", lane);
}

void pn_registers_constant(pn_registers *r)
{
    struct pn_statement *s = r->recording ? last_statement(r) : NULL;
    if (s && s->reads > 0 && s->reads != PN_READS_ANY) s->reads--;
}

void pn_registers_define(pn_registers *r, int32_t value)
{
    if (r->recording) {
        struct pn_statement *s = last_statement(r);
        if (s) s->defined = value;
        return;
    }
    if (!r->failed) write_name(r, value);
}

/* numbers in memory that are needed no more give their place to others */
static void forget(pn_registers *r, size_t statement)
{
    for (size_t k = r->statement[statement].first; k < end_of(r, statement); k++) {
        pn_value_state *x = &r->state[r->use[k]];
        x->from_memory = 0;
        if (x->slot < 0 || next_use(r, r->use[k], statement + 1) != NEVER) continue;
        memset(r->taken + x->slot, 0, (size_t)x->width);
        x->slot = -1;
    }
}

void pn_registers_end(pn_registers *r)
{
    if (r->recording || r->failed) return;
    const size_t s = r->next++;
    const int32_t value = r->statement[s].defined;
    release(r, s);
    if (value >= 0 && next_use(r, value, s + 1) != NEVER) {
        if (r->residents >= r->most) put_aside(r, s, 0);
        enter(r, value);
    }
    forget(r, s);
}
