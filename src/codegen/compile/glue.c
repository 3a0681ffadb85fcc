/* The sources around the generated one: for each scalar a unit that says what real is, includes it, and puts its
 * functions behind one signature; and a unit with the table of them all.
 *
 * The functions are static in their units, and known to the outside by the table alone, so that the same source is in
 * one object several times. */
#include "codegen/compile/compiled.h"
#include <stdio.h>
#include <string.h>

static const char *const over_name[PN_OVER_COUNT] = {"f64", "f32", "f64_pack", "f32_pack"};

int pn_is_compiled(const pinion_generated *g, const pn_file *file)
{
    const size_t n = strlen(g->name);
    return strncmp(file->name, g->name, n) == 0 &&
           (strcmp(file->name + n, ".c") == 0 || strcmp(file->name + n, ".h") == 0);
}

/* The scalar contract in single precision, without sine and cosine. In double the generated source has one itself. */
static const char contract_f32[] =
    "#include <math.h>\n"
    "#include <stdint.h>\n"
    "#include <string.h>\n"
    "typedef float real;\n"
    "typedef float num;\n"
    "typedef int real_mask;\n"
    "typedef uint32_t real_bits;\n"
    "typedef double real_wide;\n"
    "#define R(x) ((real)(x))\n"
    "#define real_widen(x) ((double)(x))\n"
    "#define real_narrow(x) ((float)(x))\n"
    "static inline real real_set1(num x) { return x; }\n"
    "static inline real_mask real_lt(real a, real b) { return a < b; }\n"
    "static inline real real_select(real_mask m, real a, real b) { return m ? a : b; }\n"
    "static inline real real_sqrt(real x) { return sqrtf(x); }\n"
    "static inline real real_atan2(real y, real x) { return atan2f(y, x); }\n"
    "static inline real_bits real_bits_of(real x) { real_bits n; memcpy(&n, &x, sizeof n); return n; }\n"
    "static inline real real_of_bits(real_bits n) { real x; memcpy(&x, &n, sizeof x); return x; }\n"
    "#include <float.h>\n"
    "#define PN_EPS FLT_EPSILON\n"
    "#define PN_INDEPENDENT\n"
    "#define PN_TOGETHER 1\n";

static void add_embedded(const char *name, pn_text *t)
{
    const char *text = pn_embedded(name);
    if (text)
        pn_text_bytes(t, text, strlen(text));
    else
        t->failed = 1;
}

/* what real is: before the generated source, which is told that a header has said so */
static void write_scalar(const pn_code_unit *u, pn_text *t)
{
    if (u->over == PN_OVER_F64) return;
    if (u->over == PN_OVER_F32) {
        pn_text_bytes(t, contract_f32, sizeof contract_f32 - 1);
        add_embedded("sincos_f32", t);
    } else {
        pn_text_add(t, "#define %s\n#define PN_LANES %d\n", u->over == PN_OVER_F64_PACK ? "PN_PACK_F64" : "PN_PACK_F32",
                    u->lanes);
        add_embedded("pack", t);
    }
    pn_text_add(t, "#define PINION_REAL_HEADER <stddef.h>\n");
}

/* Zeros in a row, each by registers, without a loop that ends unforeseen; long ones as memset has them. */
static const char zeros[] =
    "typedef char zeros_32 __attribute__((vector_size(32), aligned(1), may_alias));\n"
    "__attribute__((always_inline)) static inline void zeros(real *y, int count)\n"
    "{\n"
    "    const int bytes = count * (int)sizeof(real);\n"
    "    if (bytes < 32 || bytes >= 2048) {\n"
    "        __builtin_memset(y, 0, (unsigned)bytes);\n"
    "        return;\n"
    "    }\n"
    "    _Pragma(\"GCC unroll 64\")\n"
    "    for (int i = 0; i < bytes / 32; i++) *(zeros_32 *)((char *)y + 32 * i) = (zeros_32){0};\n"
    "    *(zeros_32 *)((char *)y + bytes - 32) = (zeros_32){0};\n"
    "}\n";

/* several numbers of one state side by side, also as they wait in memory */
static const char registers[] =
    "typedef real lanes_2 __attribute__((vector_size(2 * sizeof(real))));\n"
    "typedef real lanes_4 __attribute__((vector_size(4 * sizeof(real))));\n"
    "typedef real kept_2 __attribute__((vector_size(2 * sizeof(real)), may_alias));\n"
    "typedef real kept_4 __attribute__((vector_size(4 * sizeof(real)), may_alias));\n";

/* Functions that lie in the order of the source, by gcc's word for it, and by clang's for what the table calls: what
 * runs one behind the other takes less of the nearest cache's ways so. */
#define IN_ORDER "static __attribute__((no_reorder)) "
#define IN_TABLE "static __attribute__((no_reorder, used)) "

static int is_pack(int over)
{
    return over == PN_OVER_F64_PACK || over == PN_OVER_F32_PACK;
}

/* the statements of a function, NULL: those of the source itself are taken */
static const char *lines_of(const pn_code_unit *u, const pn_function *f)
{
    return pn_takes_lines(u->isa) ? f->lines[is_pack(u->over)] : NULL;
}

static void write_lines(const pn_code_unit *u, const pn_function *f, int number, pn_text *t)
{
    pn_text_add(t, IN_ORDER "inline void lines_%d(", number);
    for (int i = 0; i < PN_IN_COUNT && f->in[i].name; i++)
        pn_text_add(t, "%sconst real *%s", i ? ", " : "", f->in[i].name);
    for (int o = 0; o < PN_SHORTCUT_OUTPUTS; o++)
        if (f->out[o].name) pn_text_add(t, ", real *PINION_RESTRICT %s", f->out[o].name);
    pn_text_add(t, ")\n{\n");
    pn_text_append(t, lines_of(u, f));
    pn_text_add(t, "}\n");
}

/* one function behind the signature that all share; arguments in the order of its own */
static void write_call(const pn_code_unit *u, const pn_function *f, int number, pn_text *t)
{
    pn_text_add(t, IN_TABLE "void call_%d(const void *const *in, void *const *out)\n{\n    ", number);
    if (lines_of(u, f))
        pn_text_add(t, "lines_%d(", number);
    else
        pn_text_add(t, "%s(", f->name);
    for (int i = 0; i < PN_IN_COUNT && f->in[i].name; i++)
        pn_text_add(t, "%s(const real *)in[%d]", i ? ", " : "", f->slot[i]);
    for (int o = 0; o < PN_SHORTCUT_OUTPUTS; o++)
        if (f->out[o].name) pn_text_add(t, ", (real *)out[%d]", o);
    pn_text_add(t, ");\n}\n");
}

/* what writes the zeros that a function leaves, those in a row at once */
static void write_zeros(const pn_function *f, int number, pn_text *t)
{
    const uint8_t *apart = f->apart;
    if (!pn_has_apart(f)) return;
    pn_text_add(t, IN_TABLE "void zeros_%d(const void *const *in, void *const *out)\n{\n    (void)in;\n", number);
    for (int o = 0; o < PN_SHORTCUT_OUTPUTS && f->out[o].name; o++) {
        for (size_t at = 0, end; at < f->out[o].count; at = end + 1) {
            for (end = at; end < f->out[o].count && apart[end];) end++;
            if (end > at)
                pn_text_add(t, "    zeros((real *)out[%d] + %zu, %zu);\n", o, at, end - at);
        }
        apart += f->out[o].count;
    }
    pn_text_add(t, "}\n");
}

#define CALL_TYPE "typedef void pinion_call(const void *const *, void *const *);\n"

static void write_unit(const pinion_generated *g, pn_code_unit *u)
{
    pn_text *t = &u->text;
    const char *over = over_name[u->over];
    snprintf(u->name, sizeof u->name, "unit-%s.c", over); /* '-': no robot's source is named so */
    write_scalar(u, t);
    pn_text_add(t, "#define PINION_FUNCTION " IN_ORDER "inline\n#define PINION_KEEP_ZEROS\n");
    pn_text_add(t, "#include \"%s.c\"\n\n", g->name);
    pn_text_bytes(t, zeros, sizeof zeros - 1);
    if (!is_pack(u->over)) pn_text_bytes(t, registers, sizeof registers - 1);
    for (int i = 0; i < g->functions; i++) {
        if (lines_of(u, &g->function[i])) write_lines(u, &g->function[i], i, t);
        write_call(u, &g->function[i], i, t);
        write_zeros(&g->function[i], i, t);
    }
    pn_text_add(t, CALL_TYPE "extern pinion_call *const pinion_calls_%s[], *const pinion_zeros_%s[];\n"
                             "pinion_call *const pinion_calls_%s[] = {", over, over, over);
    for (int i = 0; i < g->functions; i++) pn_text_add(t, "%scall_%d", i ? ", " : "", i);
    pn_text_add(t, "};\npinion_call *const pinion_zeros_%s[] = {", over);
    for (int i = 0; i < g->functions; i++)
        pn_text_add(t, pn_has_apart(&g->function[i]) ? "%szeros_%d" : "%s0", i ? ", " : "", i);
    pn_text_add(t, "};\n");
}

/* pn_table in C, over the units before it */
static void write_table(const pinion_generated *g, const pn_code_unit *unit, int units, const char *key,
                        pn_code_unit *table)
{
    pn_text *t = &table->text;
    snprintf(table->name, sizeof table->name, "unit-table.c");
    pn_text_add(t, CALL_TYPE);
    for (int i = 0; i < units; i++)
        pn_text_add(t, "extern pinion_call *const pinion_calls_%s[], *const pinion_zeros_%s[];\n",
                    over_name[unit[i].over], over_name[unit[i].over]);
    pn_text_add(t, "struct table {\n    int version;\n    const char *key;\n    int functions;\n    int lanes[%d];\n"
                   "    pinion_call *const *call[%d], *const *zeros[%d];\n};\n", PN_OVER_COUNT, PN_OVER_COUNT,
                PN_OVER_COUNT);
    pn_text_add(t, "__attribute__((visibility(\"default\"))) extern const struct table %s;\n"
                   "const struct table %s = {\n    %d,\n    \"%s\",\n    %d,\n",
                PN_TABLE_NAME, PN_TABLE_NAME, PN_TABLE_VERSION, key, g->functions);
    int lanes[PN_OVER_COUNT] = {0};
    for (int i = 0; i < units; i++) lanes[unit[i].over] = unit[i].lanes;
    pn_text_add(t, "    {%d, %d, %d, %d},\n    {", lanes[0], lanes[1], lanes[2], lanes[3]);
    static const char *const array[2] = {"pinion_calls_", "pinion_zeros_"};
    for (int a = 0; a < 2; a++) {
        for (int over = 0; over < PN_OVER_COUNT; over++)
            pn_text_add(t, "%s%s%s", over ? ", " : "", lanes[over] ? array[a] : "0",
                        lanes[over] ? over_name[over] : "");
        pn_text_add(t, a ? "}};\n" : "},\n    {");
    }
}

int pn_glue(const pinion_generated *g, int batch, const char *key, pn_code_unit unit[PN_UNITS_MOST])
{
    int units = 0, fine = 1;
    memset(unit, 0, PN_UNITS_MOST * sizeof *unit);
    for (int over = 0; over < PN_OVER_COUNT; over++) {
        const int pack = is_pack(over);
        const size_t lane = over == PN_OVER_F64 || over == PN_OVER_F64_PACK ? 8 : 4;
        const pn_backend *back = pack ? pn_backend_for_batches(lane) : pn_backend_for_calls(lane);
        /* where a processor has no packs, a batch's real is one number */
        if (pack && (!batch || back->lanes < 2)) continue;
        pn_code_unit *u = &unit[units++];
        u->over = over;
        u->isa = back->isa;
        u->lanes = back->lanes;
        write_unit(g, u);
        fine = fine && !u->text.failed;
    }
    pn_code_unit *table = &unit[units];
    table->over = PN_OVER_COUNT;
    table->isa = "";
    write_table(g, unit, units, key, table);
    if (fine && !table->text.failed) return units + 1;
    for (int i = 0; i <= units; i++) pn_text_free(&unit[i].text);
    return 0;
}
