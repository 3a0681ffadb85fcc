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

static int grow(void **at, size_t *room, size_t count, size_t size, size_t least)
{
    if (count < *room) return 1;
    const size_t more = *room ? 2 * *room : least;
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
    if (r->failed || !grow(&at, &r->statement_room, r->statements, sizeof *r->statement, 1024)) {
        r->failed = 1;
        return;
    }
    r->statement = at;
    r->statement[r->statements++] = (struct pn_statement){r->uses, -1, (uint8_t)reads};
}

/* once for each statement */
static void record_use(pn_registers *r, int32_t value, int whole)
{
    const struct pn_statement *s = last_statement(r);
    void *at = r->use;
    if (!s) return;
    for (size_t k = s->first; k < r->uses; k++) {
        if (r->use[k].value != value) continue;
        r->use[k].whole |= whole;
        return;
    }
    if (!grow(&at, &r->use_room, r->uses, sizeof *r->use, 1024)) {
        r->failed = 1;
        return;
    }
    r->use = at;
    r->use[r->uses++] = (struct pn_use){value, whole};
}

static size_t end_of(const pn_registers *r, size_t statement)
{
    return statement + 1 < r->statements ? r->statement[statement + 1].first : r->uses;
}

void pn_registers_close(pn_registers *r)
{
    free(r->use);
    free(r->statement);
    free(r->state);
    free(r->user);
    free(r->stay);
}

/* ---- memory ---- */

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
    const int32_t slot = x->place + (lane > 0 ? lane : 0);
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

/* ---- places in memory ---- */

/* While no places are known: the next statement reads or writes a value there. */
static void count_access(pn_registers *r, int32_t value)
{
    pn_value_state *x = &r->state[value];
    const int32_t now = (int32_t)r->next;
    if (x->has_home || r->placed) return;
    if (x->place < 0) {
        x->place = r->stays++;
        r->stay[x->place] = (pn_stay){.value = value, .first = now};
    }
    r->stay[x->place].last = now;
    r->stay[x->place].accesses++;
}

/* When one number in memory is taken: in the order of time, none reaching into another. */
typedef struct pn_number {
    struct pn_span {
        int32_t first, last;
    } *span;
    size_t spans, room;
} pn_number;

/* the first span that does not end before a time */
static size_t span_from(const pn_number *n, int32_t time)
{
    size_t low = 0, high = n->spans;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (n->span[middle].last < time)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static int is_free(const pn_number *n, const pn_stay *stay)
{
    const size_t k = span_from(n, stay->first);
    return k == n->spans || n->span[k].first > stay->last;
}

static int take(pn_number *n, const pn_stay *stay)
{
    const size_t k = span_from(n, stay->first);
    void *at = n->span;
    if (!grow(&at, &n->room, n->spans, sizeof *n->span, 8)) return 0;
    n->span = at;
    memmove(n->span + k + 1, n->span + k, (n->spans++ - k) * sizeof *n->span);
    n->span[k] = (struct pn_span){stay->first, stay->last};
    return 1;
}

/* those first that are asked for most often for the time and the numbers that they take */
static int by_worth(const void *x, const void *y)
{
    const pn_stay *a = x, *b = y;
    if (a->worth != b->worth) return a->worth < b->worth ? 1 : -1;
    return a->value < b->value ? -1 : a->value > b->value;
}

/* The first places that are free all the time: the nearest are those of the first. A wide value's begins at a multiple
 * of its width. */
static void find_places(pn_registers *r)
{
    pn_number *number = NULL;
    size_t room = 0, numbers = 0;
    for (int32_t k = 0; k < r->stays; k++) {
        pn_stay *stay = &r->stay[k];
        stay->worth = stay->accesses / ((double)r->state[stay->value].width * (stay->last - stay->first + 1));
    }
    qsort(r->stay, (size_t)r->stays, sizeof *r->stay, by_worth);
    for (int32_t k = 0; k < r->stays && !r->failed; k++) {
        const pn_stay *stay = &r->stay[k];
        const size_t width = (size_t)r->state[stay->value].width;
        size_t at = 0, fits = 0;
        for (; at < numbers; at += width) {
            for (fits = 0; fits < width && is_free(&number[at + fits], stay); fits++) continue;
            if (fits == width) break;
        }
        for (; at == numbers || numbers % WIDEST; numbers++) {
            void *more = number;
            r->failed |= !grow(&more, &room, numbers, sizeof *number, 256);
            if (r->failed) break;
            number = more;
            number[numbers] = (pn_number){0};
        }
        for (size_t i = 0; i < width && !r->failed; i++) r->failed |= !take(&number[at + i], stay);
        r->state[stay->value].place = (int32_t)at;
    }
    for (size_t k = 0; k < numbers; k++) free(number[k].span);
    free(number);
    r->numbers = (int32_t)numbers;
    r->placed = 1;
}

/* ---- registers ---- */

/* the statement that needs a value next, from one on */
static int32_t next_use(const pn_registers *r, int32_t value, size_t from)
{
    pn_value_state *x = &r->state[value];
    while (x->uses > 0 && (size_t)r->user[x->use].statement < from) x->use++, x->uses--;
    return x->uses > 0 ? r->user[x->use].statement : NEVER;
}

static int is_in_memory(const pn_value_state *x)
{
    return x->has_home || x->kept;
}

/* the same of statements that need it in a register, which single numbers in memory do not */
static int32_t next_hold(const pn_registers *r, int32_t value, size_t from)
{
    const int32_t use = next_use(r, value, from);
    const pn_value_state *x = &r->state[value];
    if (use == NEVER || !is_in_memory(x)) return use;
    for (int32_t k = x->use; k < x->use + x->uses; k++)
        if (r->user[k].whole) return r->user[k].statement;
    return NEVER;
}

static void drop(pn_registers *r, int k)
{
    r->state[r->resident[k]].resident = 0;
    r->resident[k] = r->resident[--r->residents];
}

static int is_used_by(const pn_registers *r, size_t statement, int32_t value)
{
    for (size_t k = r->statement[statement].first; k < end_of(r, statement); k++)
        if (r->use[k].value == value) return 1;
    return 0;
}

/* into memory, unless it is there */
static void keep(pn_registers *r, int32_t value)
{
    pn_value_state *x = &r->state[value];
    if (is_in_memory(x)) return;
    x->kept = 1;
    count_access(r, value);
    pn_text_add(r->t, "    ");
    write_place(r, value, -1);
    pn_text_add(r->t, " = ");
    write_name(r, value);
    pn_text_add(r->t, ";\n");
}

/* One register less: that of the value that is needed last; of two that are needed as late, one that is in memory.
 * `before` a statement it is none of its operands. */
static void put_aside(pn_registers *r, size_t statement, int before)
{
    const size_t from = statement + 1;
    int worst = 0;
    int64_t last = -1;
    for (int k = 0; k < r->residents; k++) {
        const int32_t value = r->resident[k], use = next_hold(r, value, from);
        if (before && is_used_by(r, statement, value)) continue;
        const int64_t late = 2 * (int64_t)use + is_in_memory(&r->state[value]);
        if (late <= last) continue;
        last = late;
        worst = k;
    }
    const int32_t value = r->resident[worst];
    if (next_use(r, value, from) != NEVER) keep(r, value);
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
        const int32_t use = next_hold(r, r->resident[k], statement + 1);
        if (use > late && !is_used_by(r, statement, r->resident[k])) late = use;
    }
    return late;
}

/* into a register, or not if that does not pay */
static void fetch(pn_registers *r, size_t statement, int32_t value, int *reads)
{
    pn_value_state *x = &r->state[value];
    const int32_t later = next_hold(r, value, statement + 1);
    const int full = r->residents >= r->most;
    if (*reads > 0 && (later == NEVER || (full ? later >= latest(r, statement) : later - (int64_t)statement > FAR))) {
        x->from_memory = 1;
        --*reads;
        count_access(r, value);
        return;
    }
    if (full) put_aside(r, statement, 1);
    count_access(r, value);
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
        if (next_hold(r, r->resident[k], statement + 1) == NEVER) drop(r, k);
}

/* an operand of which single numbers are asked for: not a register for them, if that can be */
static void lanes_of(pn_registers *r, int32_t value)
{
    pn_value_state *x = &r->state[value];
    if (x->by_lanes > 1) keep(r, value);
    x->from_memory = (uint8_t)is_in_memory(x);
    if (x->from_memory) count_access(r, value);
}

void pn_registers_statement(pn_registers *r, int reads)
{
    if (r->recording) {
        record_statement(r, reads);
        return;
    }
    if (r->failed) return;
    const size_t s = r->next;
    int left = r->statement[s].reads == PN_READS_ANY ? INT32_MAX : r->statement[s].reads;
    if (s % BETWEEN == BETWEEN - 1) pn_text_add(r->t, "    __asm__ volatile(\"\" ::: \"memory\");\n");
    for (size_t k = r->statement[s].first; k < end_of(r, s); k++) {
        const struct pn_use *use = &r->use[k];
        if (!use->whole)
            lanes_of(r, use->value);
        else if (!r->state[use->value].resident)
            fetch(r, s, use->value, &left);
    }
}

void pn_registers_use(pn_registers *r, int32_t value, int lane)
{
    if (r->recording) {
        record_use(r, value, lane < 0 || r->of.width(r->of.writer, value) == 1);
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

void pn_registers_hold(pn_registers *r, int32_t value)
{
    if (r->recording) record_use(r, value, 1);
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

/* what was read from memory for a statement */
static void forget(pn_registers *r, size_t statement)
{
    for (size_t k = r->statement[statement].first; k < end_of(r, statement); k++)
        r->state[r->use[k].value].from_memory = 0;
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

/* ---- from what was recorded to what is written ---- */

/* which statements ask for each value */
static void list_users(pn_registers *r, int32_t values)
{
    pn_text nothing = {0};
    for (size_t k = 0; k < r->uses; k++) r->state[r->use[k].value].all_uses++;
    int32_t at = 0;
    for (int32_t i = 0; i < values; i++) {
        pn_value_state *x = &r->state[i];
        x->place = -1;
        x->first_use = at;
        at += x->all_uses;
        if (!x->all_uses) continue;
        x->width = (int8_t)r->of.width(r->of.writer, i);
        x->has_home = (uint8_t)r->of.home(r->of.writer, i, &nothing);
        x->all_uses = 0;
    }
    pn_text_free(&nothing);
    for (size_t s = 0; s < r->statements; s++)
        for (size_t k = r->statement[s].first; k < end_of(r, s); k++) {
            const struct pn_use *use = &r->use[k];
            pn_value_state *x = &r->state[use->value];
            if (!use->whole && x->by_lanes < 2) x->by_lanes++;
            r->user[x->first_use + x->all_uses++] = (struct pn_user){(int32_t)s, use->whole};
        }
}

/* Nothing is written yet. */
static void start(pn_registers *r, int32_t values)
{
    for (int32_t i = 0; i < values; i++) {
        pn_value_state *x = &r->state[i];
        x->use = x->first_use;
        x->uses = x->all_uses;
        x->version = x->kept = x->resident = x->from_memory = 0;
    }
    r->next = 0;
    r->residents = 0;
}

/* All statements without their own text, so that it is known what is in memory when; then places for that. */
void pn_registers_write(pn_registers *r, int32_t values, pn_text *t)
{
    pn_text nothing = {0};
    r->recording = 0;
    r->state = calloc((size_t)values + 1, sizeof *r->state);
    r->user = malloc((r->uses + 1) * sizeof *r->user);
    r->stay = malloc(((size_t)values + 1) * sizeof *r->stay);
    if (!r->state || !r->user || !r->stay) r->failed = 1;
    if (r->failed) return;
    list_users(r, values);
    start(r, values);
    r->t = &nothing;
    for (size_t s = 0; s < r->statements && !r->failed; s++) {
        pn_registers_statement(r, 0);
        pn_registers_end(r);
        nothing.length = 0;
    }
    r->failed |= nothing.failed;
    pn_text_free(&nothing);
    find_places(r);
    start(r, values);
    r->t = t;
}
