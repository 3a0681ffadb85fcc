/* What code that is loaded back keeps in registers: statements of random arithmetic, written for few registers, and
 * what they say carried out line by line. */
#include "check.h"
#include "memory/allocator.h"

#include "codegen/registers/registers.h"
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { INPUTS = 6, VALUES = 600, OPERANDS = 3, MANY = 400, VARIABLES = 8192, MEMORY = 4096, POINTERS = 8 };

/* Value k is the sum of its operands, each times its place among them; the first INPUTS are numbers of an array. In a
 * value of several numbers lane l has l more than lane 0, which is what counts where no lane is named. The last value
 * has MANY operands, as a list of all angles has. */
typedef struct program {
    int operand[VALUES][MANY], lane[VALUES][MANY], operands[VALUES];
    int width[VALUES];
    double v[INPUTS];
} program;

static void name_of(const void *writer, int32_t value, pn_text *t)
{
    (void)writer;
    pn_text_add(t, "t%d", (int)value);
}

static int home_of(const void *writer, int32_t value, pn_text *t)
{
    (void)writer;
    if (value < INPUTS) pn_text_add(t, "v[%d]", (int)value);
    return value < INPUTS;
}

static int width_of(const void *writer, int32_t value)
{
    return ((const program *)writer)->width[value];
}

static void make(program *p, int far, uint64_t *seed)
{
    for (int k = 0; k < VALUES; k++) {
        const int wide = far && check_between(seed, 0, 1) < 0.2;
        p->width[k] = k < INPUTS ? 1 : wide ? check_between(seed, 0, 1) < 0.5 ? 2 : 4 : 1;
        p->operands[k] = k < INPUTS ? 0 : 1 + (int)check_between(seed, 0, OPERANDS - 0.001);
        for (int j = 0; j < p->operands[k]; j++) {
            const double back = check_between(seed, 0, 1);
            const int most = far ? k : k < 40 ? k : 40;
            const int o = p->operand[k][j] = k - 1 - (int)(back * back * (most - 0.001));
            const int one = p->width[o] > 1 && check_between(seed, 0, 1) < 0.5;
            p->lane[k][j] = one ? (int)check_between(seed, 0, p->width[o] - 0.001) : -1;
        }
    }
    p->operands[VALUES - 1] = MANY;
    for (int j = 0; j < MANY; j++) {
        p->operand[VALUES - 1][j] = VALUES - 2 - j;
        p->lane[VALUES - 1][j] = -1;
    }
    for (int i = 0; i < INPUTS; i++) p->v[i] = check_between(seed, -1, 1);
}

/* "const real t7 = t5 2.0 t6;" in place of operators: what is read here is only where numbers are */
static void write_program(const program *p, pn_registers *r, pn_text *t, int count)
{
    for (int k = INPUTS; k < count; k++) {
        pn_registers_statement(r, k % 3 == 2 ? PN_READS_ANY : k % 3);
        pn_text_add(t, "    const real ");
        pn_registers_define(r, k);
        pn_text_add(t, " =");
        for (int j = 0; j < p->operands[k]; j++) {
            pn_text_add(t, " ");
            pn_registers_use(r, p->operand[k][j], p->lane[k][j]);
            if (k % 7 == 3) pn_registers_hold(r, p->operand[k][j]);
        }
        pn_text_add(t, ";\n");
        pn_registers_end(r);
        if (k % 50 != 49 && k + 1 < count) continue;
        pn_registers_statement(r, 0);
        pn_text_add(t, "    out[%d] = ", k);
        pn_registers_use(r, k, -1);
        pn_text_add(t, ";\n");
        pn_registers_end(r);
    }
}

static char *written(const program *p, int registers, int near, pn_registers *r)
{
    const pn_writer of = {name_of, home_of, width_of, p};
    pn_text first = {0}, lines = {0};
    pn_registers_open(r, &of, registers, near, &first);
    write_program(p, r, &first, VALUES);
    pn_registers_write(r, VALUES, &lines);
    write_program(p, r, &lines, VALUES);
    pn_text_free(&first);
    CHECK(!r->failed);
    return pn_text_take(&lines);
}

/* ---- what the lines say ---- */

typedef struct machine {
    const program *p;
    double variable[VARIABLES], memory[MEMORY];
    int there[VARIABLES]; /* of each value: its version, from 1 on */
    int width[MEMORY];    /* how wide what was put there is, 0: nothing, or not the first number of it */
    int filled[MEMORY];
    int near;
} machine;

/* "t12" and "t12_3" */
static int variable_of(const char **at, int *version)
{
    const int value = (int)strtol(*at + 1, (char **)at, 10);
    *version = **at == '_' ? (int)strtol(*at + 1, (char **)at, 10) : 0;
    return value;
}

/* "m2[-3]" and "*(kept_4 *)(m2 + -3)": where in memory */
static int place_of(machine *m, const char **at, int *width)
{
    *width = 1;
    if (**at == '*') {
        *width = (*at)[7] - '0';
        *at += 12;
    }
    const int pointer = (int)strtol(*at + 1, (char **)at, 10);
    while (**at == '[' || **at == ' ' || **at == '+') ++*at;
    const int place = pointer * m->near + m->near / 2 + (int)strtol(*at, (char **)at, 10);
    ++*at;
    if (place >= 0 && place + *width <= MEMORY) return place;
    CHECK_FAIL("place %d in memory", place);
    return 0;
}

/* a number of memory is read by itself, or all that were put there together are */
static double read_number(machine *m, const char **at)
{
    if (**at == 'v') {
        const int i = (int)strtol(*at + 2, (char **)at, 10);
        ++*at;
        return m->p->v[i];
    }
    if (**at == 't') {
        int version;
        const int key = variable_of(at, &version);
        /* of one value there are few versions at a time: the last is what is asked for */
        if (m->there[key] != version + 1) CHECK_FAIL("t%d_%d is not there", key, version);
        if (**at != '[') return m->variable[key];
        const int lane = (int)strtol(*at + 1, (char **)at, 10);
        ++*at;
        return m->variable[key] + lane;
    }
    int width;
    const int place = place_of(m, at, &width);
    if (width == 1 ? !m->filled[place] : m->width[place] != width)
        CHECK_FAIL("place %d has %d numbers, not %d", place, m->width[place], width);
    return m->memory[place];
}

/* a line of several operands is a sum of the program's */
static void carry_out(machine *m, const char *line, double *out)
{
    const char *at = line + strspn(line, " ");
    if (strncmp(at, "__asm__", 7) == 0) return;
    const char *equals = strstr(at, " =");
    double x = 0;
    const char *from = equals + 2;
    for (int k = 1; *from == ' '; k++) {
        from++;
        x += k * read_number(m, &from);
    }
    CHECK(*from == ';');
    if (strncmp(at, "const ", 6) == 0) {
        int version;
        at = strchr(at + 6, ' ') + 1;
        const int value = variable_of(&at, &version);
        m->variable[value] = x;
        m->there[value] = version + 1;
    } else if (strncmp(at, "out[", 4) == 0) {
        out[strtol(at + 4, NULL, 10)] = x;
    } else {
        int width;
        const int place = place_of(m, &at, &width);
        CHECK(place % width == 0);
        for (int k = 0; k < width; k++) {
            m->memory[place + k] = x + k;
            m->width[place + k] = 0;
            m->filled[place + k] = 1;
        }
        m->width[place] = width;
    }
}

/* how many variables are needed behind a line, at most: each counts from where it is set to where it is read last */
static int most_alive(const char *text)
{
    static int last[VARIABLES][64], alive[1 << 16];
    memset(last, 0, sizeof last);
    memset(alive, 0, sizeof alive);
    int count = 0, most = 0;
    for (int pass = 0; pass < 2; pass++) {
        int line = 0;
        for (const char *at = text; *at; at = strchr(at, '\n') + 1, line++) {
            const char *end = strchr(at, '\n'), *equals = strstr(at, " =");
            for (const char *x = at; x < end; x++) {
                if (*x != 't' || !isdigit((unsigned char)x[1]) || isalpha((unsigned char)x[-1])) continue;
                int version;
                const char *from = x;
                const int value = variable_of(&x, &version);
                x--;
                if (version >= 64) {
                    CHECK_FAIL("t%d_%d", value, version);
                    continue;
                }
                const int sets = from < equals && strncmp(at, "    const ", 10) == 0;
                if (pass == 0 && !sets) last[value][version] = line;
                if (pass == 1 && sets && last[value][version] > line) {
                    alive[line]++;
                    alive[last[value][version]]--;
                }
            }
        }
    }
    for (int line = 0; line < 1 << 16; line++) {
        count += alive[line];
        most = count > most ? count : most;
    }
    return most;
}

static void check_program(int registers, int near, int far, uint64_t *seed)
{
    static program p;
    static machine m;
    static double out[VALUES], wanted[VALUES], value[VALUES];
    make(&p, far, seed);
    memset(&m, 0, sizeof m);
    m.p = &p;
    m.near = near;
    pn_registers r;
    char *text = written(&p, registers, near, &r);
    if (!text) exit(1);
    for (int k = 0; k < VALUES; k++) {
        value[k] = k < INPUTS ? p.v[k] : 0;
        for (int j = 0; j < p.operands[k]; j++) value[k] += (j + 1) * (value[p.operand[k][j]] + fmax(p.lane[k][j], 0));
        out[k] = wanted[k] = 0;
        if (k >= INPUTS && (k % 50 == 49 || k == VALUES - 1)) wanted[k] = value[k];
    }
    for (char *at = text; *at;) {
        char *end = strchr(at, '\n');
        *end = '\0';
        carry_out(&m, at, out);
        *end = '\n';
        at = end + 1;
    }
    for (int k = 0; k < VALUES; k++)
        if (out[k] != wanted[k]) CHECK_FAIL("value %d is %g, not %g", k, out[k], wanted[k]);
    const int most = most_alive(text);
    if (most > registers) CHECK_FAIL("%d numbers at a time for %d registers", most, registers);
    CHECK(r.numbers <= MEMORY && r.numbers % 4 == 0);
    pn_registers_close(&r);
    free(text);
}

TEST(what_is_read_back_is_what_was_put_aside)
{
    uint64_t seed = check_seed;
    for (int round = 0; round < 40; round++) {
        check_program(8, 32, 0, &seed);
        check_program(16, 32, 1, &seed);
        check_program(32, 256, 1, &seed);
    }
}

/* values that are the sum of the two before them, one number each */
static void make_simple(program *p)
{
    for (int k = 0; k < VALUES; k++) {
        p->width[k] = 1;
        p->operands[k] = k < INPUTS ? 0 : 2;
        for (int j = 0; j < 2; j++) {
            p->operand[k][j] = k - 1 - j;
            p->lane[k][j] = -1;
        }
    }
    for (int i = 0; i < INPUTS; i++) p->v[i] = i + 1;
}

TEST(what_fits_registers_needs_no_memory)
{
    static program p;
    make_simple(&p);
    pn_registers r;
    pn_text memory = {0};
    char *text = written(&p, 16, 32, &r);
    CHECK(r.numbers == 0 && text && !strstr(text, "m0"));
    pn_registers_memory(&r, &memory);
    CHECK(memory.length == 0);
    pn_registers_close(&r);
    pn_text_free(&memory);
    free(text);
}

TEST(single_numbers_are_read_from_memory)
{
    static program p;
    make_simple(&p);
    p.width[10] = p.width[11] = 4;
    for (int k = 20; k < 24; k++) { /* four statements ask for numbers of one */
        p.operand[k][1] = 10;
        p.lane[k][1] = k - 20;
    }
    p.operand[30][1] = 11; /* and one for a number of another, which is not worth a place in memory */
    p.lane[30][1] = 2;
    pn_registers r;
    char *text = written(&p, 16, 32, &r);
    CHECK(text && !strstr(text, "t10[") && strstr(text, "*(kept_4 *)(m0 + -16) = t10;") && strstr(text, "t11[2]"));
    CHECK(r.numbers == 4);
    pn_registers_close(&r);
    free(text);
}

TEST(what_is_asked_for_often_is_near)
{
    static program p;
    make_simple(&p);
    /* values 10 to 209 wait in memory for a long time, 210 to 220 for a short one and often */
    for (int k = 230; k < 430; k++) p.operand[k][1] = k < 330 ? 210 + k % 11 : k - 220;
    for (int k = 430; k < 530; k++) p.operand[k][1] = k - 320;
    pn_registers r;
    char *text = written(&p, 8, 8, &r);
    CHECK(text && r.numbers > 100);
    for (int k = 210; text && k <= 220; k++) {
        char line[32];
        snprintf(line, sizeof line, "] = t%d;\n", k);
        const char *end = strstr(text, line), *at = end;
        while (at && at > text && at[-1] != ' ') at--;
        if (!at || at[0] != 'm' || at[1] > '1') CHECK_FAIL("t%d is at %.8s", k, at ? at : "no place");
    }
    pn_registers_close(&r);
    free(text);
}

/* the n-th request for memory refused, for every n: it is told, or the lines are what they were, and nothing is left
 * behind */
TEST(memory_runs_out)
{
    if (!ALLOCATOR) SKIP(allocator_absent);
    static program p;
    uint64_t seed = check_seed;
    make(&p, 1, &seed);
    const pn_writer of = {name_of, home_of, width_of, &p};
    pn_registers whole;
    char *wanted = written(&p, 16, 32, &whole);
    pn_registers_close(&whole);
    long refused = 1;
    for (long n = 0; refused && n < 10000; n++) {
        pn_registers r;
        pn_text first = {0}, lines = {0};
        const long live = alloc_live;
        alloc_fail(n, 0);
        pn_registers_open(&r, &of, 16, 32, &first);
        write_program(&p, &r, &first, VALUES);
        pn_registers_write(&r, VALUES, &lines);
        write_program(&p, &r, &lines, VALUES);
        alloc_work();
        refused = alloc_failed;
        const int failed = r.failed || first.failed || lines.failed;
        CHECK(failed ? refused > 0 : lines.at && wanted && strcmp(lines.at, wanted) == 0);
        pn_registers_close(&r);
        pn_text_free(&first);
        pn_text_free(&lines);
        CHECK(alloc_live == live);
    }
    CHECK(!refused);
    free(wanted);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(what_is_read_back_is_what_was_put_aside);
    RUN(what_fits_registers_needs_no_memory);
    RUN(single_numbers_are_read_from_memory);
    RUN(what_is_asked_for_often_is_near);
    RUN(memory_runs_out);
    return CHECK_END();
}
