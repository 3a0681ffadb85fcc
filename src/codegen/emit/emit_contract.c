/* The head of a generated source: what `real` is, literals, sine and cosine. Only standard C, and C++ as
 * well. */
#include "codegen/codegen_steps.h"
#include <ctype.h>
#include <math.h>
#include <string.h>

/* ---- sources of this tree as text, with the literals that every compiler takes ---- */

static int digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* the value of a literal with at most 53 bits, or of a decimal one with few digits; its suffix is left out */
static double literal_value(const char *s)
{
    const int hexadecimal = s[0] == '0' && s[1] == 'x', base = hexadecimal ? 16 : 10;
    double mantissa = 0, scale = 1;
    int behind = 0, exponent = 0, sign = 1;
    for (s += hexadecimal ? 2 : 0; *s == '.' || (digit(*s) >= 0 && digit(*s) < base); s++) {
        if (*s == '.') {
            behind = 1;
            continue;
        }
        mantissa = mantissa * base + digit(*s);
        if (behind) scale *= base;
    }
    if (!hexadecimal || *s != 'p') return mantissa / scale;
    if (*++s == '-') sign = -1;
    if (*s == '-' || *s == '+') s++;
    for (; digit(*s) >= 0 && digit(*s) < 10; s++) exponent = exponent * 10 + digit(*s);
    return ldexp(mantissa / scale, sign * exponent);
}

/* the length of the number at s, as the preprocessor sees it */
static size_t number_length(const char *s)
{
    size_t n = 0;
    while (isalnum((unsigned char)s[n]) || s[n] == '.' || ((s[n] == '+' || s[n] == '-') && (s[n - 1] == 'p')))
        n++;
    return n;
}

/* A literal in decimal digits. In single precision every one has a suffix: f, or where the argument of a sine
 * is reduced in double, L and a cast. */
static void add_number(pn_text *t, const char *s, size_t length, int single)
{
    const int is_float = s[length - 1] == 'f' && !(s[1] == 'x' && !memchr(s, 'p', length));
    const int in_real = t->length >= 2 && t->at[t->length - 1] == '(' && t->at[t->length - 2] == 'R';
    const double value = literal_value(s);
    if (single && !is_float && !in_real) {
        pn_text_add(t, "(double)");
        pn_text_digits(t, value, 0);
        pn_text_add(t, "L");
    } else {
        pn_text_digits(t, value, single);
    }
}

/* the source up to `end` with its numbers rewritten; comments as they are */
static void add_source(pn_text *t, const char *source, const char *end_mark, int single)
{
    const char *stop = source ? strstr(source, end_mark) : NULL;
    for (const char *s = source; s && *s && s != stop && !t->failed;) {
        size_t length = 1;
        if (s[0] == '/' && s[1] == '*') {
            const char *end = strstr(s, "*/");
            length = end ? (size_t)(end + 2 - s) : strlen(s);
        } else if (isalpha((unsigned char)*s) || *s == '_') {
            while (isalnum((unsigned char)s[length]) || s[length] == '_') length++;
        } else if (isdigit((unsigned char)*s)) {
            length = number_length(s);
            if (memchr(s, '.', length)) {
                add_number(t, s, length, single);
                s += length;
                continue;
            }
        }
        pn_text_bytes(t, s, length);
        s += length;
    }
}

/* ---- the contract ---- */

static int has_operation(const pinion_generated *g, int operation)
{
    for (int i = 0; i < g->functions; i++) {
        const pn_graph *graph = &g->function[i].graph;
        if (g->function[i].loops) continue;
        for (int32_t k = 0; k < graph->count; k++)
            if (graph->record[k].live && graph->record[k].operation == operation) return 1;
    }
    return pn_has_loops(g); /* kernels come as whole files: they may use all of it */
}

static int has_sines(const pinion_generated *g)
{
    return has_operation(g, PN_OP_SIN) || has_operation(g, PN_OP_COS);
}

static int has_calls(const pinion_generated *g)
{
    return has_operation(g, PN_OP_SQRT) || has_operation(g, PN_OP_ATAN2);
}

/* sine and cosine of the C library */
static void emit_libm(pn_text *t, const char *suffix, const char *function)
{
    pn_text_add(t,
                "%s void real_sincos(real x, real *s, real *c)\n"
                "{\n"
                "    *s = sin%s(x);\n"
                "    *c = cos%s(x);\n"
                "}\n",
                function, suffix, suffix);
}

/* a part of what follows, once where several robots are compiled as one file */
static void open_part(pn_text *t, const char *part)
{
    pn_text_add(t, "#ifndef PINION_CONTRACT_%s\n#define PINION_CONTRACT_%s\n", part, part);
}

/* comparison and choice */
static void emit_choice(pn_text *t, const char *function)
{
    open_part(t, "SELECT");
    pn_text_add(t,
                "%s int real_lt(real a, real b)\n{\n    return a < b;\n}\n"
                "%s real real_select(int m, real a, real b)\n{\n    return m ? a : b;\n}\n#endif\n",
                function, function);
}

/* sine and cosine of Pinion, with what they need */
static void emit_own(pn_text *t, int single)
{
    const char *type = single ? "float" : "double", *bits = single ? "uint32_t" : "uint64_t";
    pn_text_add(t,
                "typedef %s num;\n"
                "typedef %s real_bits;\n"
                "%s"
                "\n"
                "static inline real real_set1(num x)\n{\n    return x;\n}\n",
                type, bits,
                single ? "typedef double real_wide;\n"
                         "#define real_widen(x) ((double)(x))\n"
                         "#define real_narrow(x) ((float)(x))\n"
                       : "");
    pn_text_add(t, "static inline real_bits real_bits_of(real x)\n"
                   "{\n    real_bits n;\n    memcpy(&n, &x, sizeof n);\n    return n;\n}\n"
                   "static inline real real_of_bits(real_bits n)\n"
                   "{\n    real x;\n    memcpy(&x, &n, sizeof x);\n    return x;\n}\n\n");
    /* the last function there takes several angles, and nobody calls it here */
    add_source(t, pn_embedded(single ? "sincos_f32" : "sincos_f64"), "\n/* PN_TOGETHER angles", single);
}

/* f64 and f32 */
static void emit_fixed(const pinion_generated *g, pn_text *t)
{
    const int single = g->options.scalar == PINION_CODEGEN_F32, sines = has_sines(g);
    pn_text_add(t, "typedef %s_real real;\n\n", g->name);
    if (!sines) return;
    const char *guard = single ? "PINION_CONTRACT_F32" : "PINION_CONTRACT_F64";
    pn_text_add(t, "#ifndef %s /* once, where several robots over one scalar are one file */\n#define %s\n",
                guard, guard);
    if (g->options.libm) {
        emit_libm(t, single ? "f" : "", "static inline");
    } else {
        pn_text_add(t, "#define R(x) ((real)(x))\n");
        emit_own(t, single);
    }
    pn_text_add(t, "#endif\n\n");
    if (pn_has_loops(g) && !g->options.libm) emit_choice(t, "static inline");
}

/* Sine and cosine for an open real: compilers of GPU code have their own. */
static void emit_open_sines(const pinion_generated *g, pn_text *t)
{
    open_part(t, "SINCOS");
    if (g->options.libm) {
        emit_libm(t, "", "PINION_INLINE");
    } else {
        pn_text_add(t, "#ifdef __CUDACC__\n");
        emit_libm(t, "", "PINION_INLINE");
        pn_text_add(t, "#else\n");
        emit_own(t, 0);
        pn_text_add(t, "#endif\n");
    }
    pn_text_add(t, "#endif\n");
}

/* real: of the one who compiles, or double */
static void emit_open(const pinion_generated *g, pn_text *t)
{
    pn_text_add(t,
                "#ifndef PINION_REAL_HEADER\n"
                "typedef %s_real real;\n"
                "#ifndef PINION_CONTRACT_REAL /* once, where several robots over one scalar are one file */\n"
                "#define PINION_CONTRACT_REAL\n"
                "#define R(x) ((real)(x))\n"
                "#ifdef __CUDACC__\n"
                "#define PINION_INLINE __host__ __device__ static inline\n"
                "#else\n"
                "#define PINION_INLINE static inline\n"
                "#endif\n"
                "#endif\n",
                g->name);
    if (has_operation(g, PN_OP_SQRT)) {
        open_part(t, "SQRT");
        pn_text_add(t, "PINION_INLINE real real_sqrt(real x)\n{\n    return sqrt(x);\n}\n#endif\n");
    }
    if (has_operation(g, PN_OP_ATAN2)) {
        open_part(t, "ATAN2");
        pn_text_add(t, "PINION_INLINE real real_atan2(real y, real x)\n{\n    return atan2(y, x);\n}\n#endif\n");
    }
    if (has_operation(g, PN_OP_SELECT)) emit_choice(t, "PINION_INLINE");
    if (has_sines(g)) emit_open_sines(g, t);
    pn_text_add(t, "#endif\n\n");
}

void pn_emit_contract(const pinion_generated *g, pn_text *t)
{
    const int real = g->options.scalar == PINION_CODEGEN_REAL, own = has_sines(g) && !g->options.libm;
    if (real) pn_text_add(t, "#ifndef PINION_REAL_HEADER\n");
    if (own) pn_text_add(t, "#include <stdint.h>\n#include <string.h>\n");
    if (real || has_calls(g) || (has_sines(g) && !own)) pn_text_add(t, "#include <math.h>\n");
    if (real) pn_text_add(t, "#endif\n");
    pn_text_add(t, "\n");
    if (real)
        emit_open(g, t);
    else
        emit_fixed(g, t);
    pn_text_add(t, "/* results do not overlap with anything else */\n"
                   "#ifndef PINION_RESTRICT\n"
                   "#ifdef __cplusplus\n"
                   "#define PINION_RESTRICT __restrict\n"
                   "#else\n"
                   "#define PINION_RESTRICT restrict\n"
                   "#endif\n"
                   "#endif\n\n");
}
