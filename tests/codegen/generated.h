/* Generated code in tests: written to a folder, compiled by a compiler of this machine, loaded, and held against the
 * library at random states. */
#ifndef PN_GENERATED_H
#define PN_GENERATED_H

#include <dlfcn.h>
#include <float.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "api/call_table.h"
#include "pinion/codegen.h"
#include "pinion/pinion.h"

#define STRICT "-std=c11 -pedantic -Wall -Wextra -Werror"

static char workplace[] = "/tmp/pinion-codegen-XXXXXX"; /* all folders of a test program are in here */

/* ------------------------------------------------------------------------------------------------ */
/* Folders and compilers */

/* whether a program is here; if not, what it was to try is said to be skipped */
static inline int there_is(const char *program)
{
    char command[300];
    snprintf(command, sizeof command, "command -v %s >/dev/null 2>&1", program);
    const int there = system(command) == 0;
    if (!there) printf("skipped%s%s: there is no %s\n", check_name ? " " : "", check_name ? check_name : "", program);
    return there;
}

/* Runs a command of the shell; what it prints is shown when it fails. */
static inline int shell(const char *format, ...) __attribute__((format(printf, 1, 2)));
static inline int shell(const char *format, ...)
{
    char command[4000], whole[4200];
    va_list list;
    va_start(list, format);
    vsnprintf(command, sizeof command, format, list);
    va_end(list);
    snprintf(whole, sizeof whole, "{ %s ; } >%s/log 2>&1", command, workplace);
    const int status = system(whole);
    check_count++;
    if (status == 0) return 1;
    CHECK_FAIL("%s: status %d", command, WIFEXITED(status) ? WEXITSTATUS(status) : -1);
    snprintf(whole, sizeof whole, "tail -n 20 %s/log", workplace);
    if (system(whole) != 0) printf("  (nothing was printed)\n");
    return 0;
}

/* The path of a folder below the workplace. */
static inline const char *in_workplace(const char *name)
{
    static char path[8][400];
    static int next;
    char *text = path[next++ % 8];
    snprintf(text, sizeof path[0], "%s/%s", workplace, name);
    return text;
}

#define WORKPLACE_BEGIN(argc, argv)                                                                          \
    do {                                                                                                     \
        CHECK_BEGIN(argc, argv);                                                                             \
        if (!there_is("cc")) return 77;                                                                      \
        if (!mkdtemp(workplace)) {                                                                           \
            printf("no folder for the test's files\n");                                                      \
            return 1;                                                                                        \
        }                                                                                                    \
    } while (0)

static inline int workplace_end(void)
{
    char command[300];
    snprintf(command, sizeof command, "rm -rf %s", workplace);
    if (system(command) != 0) CHECK_FAIL("files are left in %s", workplace);
    return CHECK_END();
}

/* ------------------------------------------------------------------------------------------------ */
/* What is generated */

/* Number n of the quantities that can be generated; 0 when there are fewer. */
static inline int codegen_quantity(int n, pinion_quantity_info *out)
{
    for (int i = 0; pinion_quantity(i, out) == PINION_OK; i++)
        if (out->in_codegen && n-- == 0) return 1;
    return 0;
}

/* The number in the table of calls of "jacobian:tool" and the like; -1: there is none. */
static inline int number_of(const char *quantity)
{
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(quantity, ":"), quantity);
    return pinion_quantity_find(name);
}

/* What a quantity takes in the order of its C function (q, v, a, t for tau, f for a force on a frame or, where they are
 * asked for, those on bodies), how many arrays it gives, and whether it can take forces on bodies. */
typedef struct signature {
    char in[8];
    int outs, f_ext;
} signature;

static inline signature signature_of(const char *quantity, int f_ext)
{
    static const char letters[PN_IN_COUNT + 1] = "qvatf";
    signature s = {"", 0, 0};
    pinion_quantity_info info;
    if (pinion_quantity(number_of(quantity), &info) != PINION_OK) {
        CHECK_FAIL("%s is not in the table of calls", quantity);
        return s;
    }
    int count = 0;
    for (const pn_item *x = pn_calls[number_of(quantity)].item; x->name; x++)
        if (x->kind == PN_ITEM_IN && (x->shape != PN_SHAPE_BS || f_ext)) s.in[count++] = letters[x->place];
    s.outs = info.outputs;
    s.f_ext = info.inputs & PINION_INPUT_F_EXT && !info.takes_frame;
    return s;
}

/* A robot's code, loaded. */
typedef struct built {
    const pinion_model *m;
    pinion_generated *g;
    pinion_codegen_options options;
    char folder[300];
    void *library;
} built;

/* Writes call.c beside the code: one function call_I(in, out) for each that was generated, so that the compiler holds
 * the signatures against the header. */
static inline void write_calls(const built *b)
{
    char path[400];
    snprintf(path, sizeof path, "%s/call.c", b->folder);
    FILE *f = fopen(path, "w");
    if (!f) return;
    fprintf(f, "#include \"%s.h\"\n", pinion_generated_name(b->g));
    char type[60];
    snprintf(type, sizeof type, "%s_real", pinion_generated_name(b->g));
    for (int i = 0; i < pinion_generated_function_count(b->g); i++) {
        pinion_generated_function info;
        if (pinion_generated_function_info(b->g, i, &info) != PINION_OK) continue;
        const signature s = signature_of(info.quantity, b->options.f_ext);
        const int ins = (int)strlen(s.in);
        fprintf(f, "void call_%d(const %s *const *in, %s *const *out);\n", i, type, type);
        fprintf(f, "void call_%d(const %s *const *in, %s *const *out)\n{\n    %s(", i, type, type, info.name);
        for (int k = 0; k < ins; k++) fprintf(f, "%sin[%d]", k ? ", " : "", k);
        for (int k = 0; k < s.outs; k++) fprintf(f, ", out[%d]", k);
        fprintf(f, ");\n}\n");
    }
    if (fclose(f) != 0) CHECK_FAIL("%s cannot be written", path);
}

/* Generates into a folder of that name. Returns 0 after a failed check. */
static inline int generate_code(built *b, const pinion_model *m, const pinion_codegen_options *options,
                                const char *name)
{
    pinion_error err = {PINION_OK, 0, 0, ""};
    memset(b, 0, sizeof *b);
    b->m = m;
    b->options = *options;
    snprintf(b->folder, sizeof b->folder, "%s/%s", workplace, name);
    b->g = pinion_codegen(m, options, &err);
    if (!b->g) CHECK_FAIL("%s: %s", name, err.message);
    if (b->g && pinion_generated_write(b->g, b->folder, &err) != PINION_OK) {
        CHECK_FAIL("%s: %s", name, err.message);
        pinion_generated_free(b->g);
        b->g = NULL;
    }
    check_count++;
    return b->g != NULL;
}

static inline void free_code(built *b)
{
    if (b->library) dlclose(b->library);
    pinion_generated_free(b->g);
    memset(b, 0, sizeof *b);
}

/* Compiles and loads it. Returns 0 after a failed check. */
static inline int load_code(built *b, const char *compiler, const char *flags)
{
    write_calls(b);
    if (!shell("cd %s && %s %s -fPIC -shared -o code.so %s.c call.c -lm", b->folder, compiler, flags,
               pinion_generated_name(b->g)))
        return 0;
    char path[400];
    snprintf(path, sizeof path, "%s/code.so", b->folder);
    if (b->library) dlclose(b->library);
    b->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!b->library) CHECK_FAIL("%s", dlerror());
    return b->library != NULL;
}

static inline void *find_call(const built *b, int function)
{
    char name[40];
    snprintf(name, sizeof name, "call_%d", function);
    return dlsym(b->library, name);
}

#endif
