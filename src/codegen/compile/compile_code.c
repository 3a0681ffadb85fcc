/* The system's compiler, its flags, and the object it makes of generated code. */
#include "codegen/compile/compiled.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PN_COOKIE_COMPILE 0x636f6d70u

/* a compiler that takes longer is stopped */
#define SECONDS 600.0

enum { WORDS = 16, ARGUMENTS = 48 };

/* A compiler: the words its command line begins with, and what it says of itself. */
typedef struct compiler {
    char *copy;              /* what the words point into */
    char *word[WORDS];
    int words;
    pn_text identity;
} compiler;

/* what the system calls an error; the array holds it */
typedef struct reason {
    char text[128];
} reason;

static reason reason_of(int number)
{
    reason r = {""};
    if (strerror_r(number, r.text, sizeof r.text) != 0) snprintf(r.text, sizeof r.text, "error %d", number);
    return r;
}

/* ---- flags ---- */

/* No -ffast-math: not a number in, not a number out, and the signs of zeros. errno and traps nobody looks at. Products
 * and sums of different statements are fused, which gcc does anyway. What compilers put side by side in straight lines
 * takes longer: they collect more numbers than they compute; limbs are side by side already. */
static const char *const always[] = {"-std=gnu11", "-O3", "-fPIC", "-fvisibility=hidden", "-w",
                                     "-fno-math-errno", "-fno-trapping-math", "-ffp-contract=fast",
                                     "-fno-tree-slp-vectorize"};
enum { ALWAYS = sizeof always / sizeof *always };

/* those that the library's own kernels for the instruction set are compiled with */
static const char *const *flags_of(const char *isa)
{
    static const char *const none[] = {NULL};
    static const char *const avx2[] = {"-mavx2", "-mfma", NULL};
    static const char *const avx512[] = {"-mavx512f", "-mavx512dq", "-mavx512vl", "-mfma",
                                         "-mprefer-vector-width=512", NULL};
    return strcmp(isa, "avx2") == 0 ? avx2 : strcmp(isa, "avx512") == 0 ? avx512 : none;
}

/* the command line up to what is compiled; returns its length */
static int begin_line(const compiler *c, const char *isa, char *line[ARGUMENTS])
{
    int n = 0;
    for (int i = 0; i < c->words; i++) line[n++] = c->word[i];
    for (int i = 0; i < ALWAYS; i++) line[n++] = (char *)always[i];
    for (const char *const *flag = flags_of(isa); *flag; flag++) line[n++] = (char *)*flag;
    line[n] = NULL;
    return n;
}

/* ---- the compiler ---- */

/* The words of a command: one, or where `split` is set those between spaces. Zero: none, too many, or no memory. */
static int set_words(compiler *c, const char *command, int split)
{
    const size_t size = strlen(command) + 1;
    c->words = 0;
    c->copy = malloc(size);
    if (!c->copy) return 0;
    memcpy(c->copy, command, size);
    if (!split) {
        c->word[c->words++] = c->copy;
        return 1;
    }
    char *rest = NULL;
    char *w = strtok_r(c->copy, " \t", &rest);
    for (; w && c->words < WORDS; w = strtok_r(NULL, " \t", &rest)) c->word[c->words++] = w;
    return c->words > 0 && !w;
}

static void release_compiler(compiler *c)
{
    free(c->copy);
    pn_text_free(&c->identity);
    memset(c, 0, sizeof *c);
}

/* one program to its end */
static int run(char *const *line, const char *folder, pn_process *p)
{
    return pn_process_start(p, line, folder) && pn_process_wait(p, 1, SECONDS) && pn_process_well(p);
}

/* Asks for its version. Nonzero: it is there, and errno is of no interest. */
static int ask_version(compiler *c)
{
    char *line[WORDS + 2];
    pn_process p;
    int n = 0;
    for (int i = 0; i < c->words; i++) line[n++] = c->word[i];
    line[n++] = (char *)"--version";
    line[n] = NULL;
    if (!pn_process_start(&p, line, NULL)) return 0;
    const int well = pn_process_wait(&p, 1, SECONDS) && pn_process_well(&p) && !p.said.failed;
    if (well) pn_text_add(&c->identity, "%s\n%s\n", c->word[0], p.said.at ? p.said.at : "");
    pn_process_release(&p);
    errno = 0;
    return well;
}

static pinion_status try_compiler(compiler *c, const char *command, int split, pinion_error *err)
{
    char name[84];
    pn_comment_text(command, name);
    errno = 0;
    if (!set_words(c, command, split)) {
        const int memory = !c->copy;
        release_compiler(c);
        if (memory) return pn_codegen_fail(err, PINION_ERR_MEMORY, "out of memory");
        return pn_codegen_fail(err, PINION_ERR_NOT_FOUND, "'%s' names no compiler in 1 to %d words", name, WORDS);
    }
    if (ask_version(c))
        return c->identity.failed ? pn_codegen_fail(err, PINION_ERR_MEMORY, "out of memory") : PINION_OK;
    const int number = errno;
    const reason why = reason_of(number);
    const char *said = number ? why.text : "it does not answer to --version";
    release_compiler(c);
    return pn_codegen_fail(err, PINION_ERR_NOT_FOUND, "the compiler '%s' cannot be run: %s", name, said);
}

/* the one that is asked for, or else $CC, which may have arguments, or else the first there is */
static pinion_status find_compiler(const char *asked, compiler *c, pinion_error *err)
{
    static const char *const usual[] = {"cc", "gcc", "clang"};
    const char *named = getenv("CC");
    memset(c, 0, sizeof *c);
    if (asked) return try_compiler(c, asked, 0, err);
    if (named && named[strspn(named, " \t")]) return try_compiler(c, named, 1, err);
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        if (try_compiler(c, usual[i], 0, NULL) == PINION_OK) return PINION_OK;
    return pn_codegen_fail(err, PINION_ERR_NOT_FOUND,
                           "there is no C compiler: none of cc, gcc and clang can be run, and CC is not set");
}

/* ---- the recipe ---- */

/* all that the object is made of, but for the key, which is its hash */
static void write_recipe(const pinion_generated *g, const compiler *c, const pn_code_unit *unit, int units,
                         pn_text *recipe)
{
    pn_text_add(recipe, "pinion %s, table %d\n%s", PINION_VERSION, PN_TABLE_VERSION, c->identity.at);
    for (int i = 0; i < g->files; i++)
        if (pn_is_compiled(g, &g->file[i])) pn_text_bytes(recipe, g->file[i].text, g->file[i].length);
    for (int i = 0; i < units; i++) {
        char *line[ARGUMENTS];
        const int n = begin_line(c, unit[i].isa, line);
        for (int k = 0; k < n; k++) pn_text_add(recipe, "%s%c", line[k], k + 1 < n ? ' ' : '\n');
        pn_text_bytes(recipe, unit[i].text.at, unit[i].text.length);
    }
}

/* ---- compiling ---- */

/* the first lines of what the compiler said, as one */
static pinion_status complain(const pn_process *p, const char *step, pinion_error *err)
{
    char said[400];
    size_t n = 0;
    int lines = 0;
    for (const char *s = p->said.at ? p->said.at : ""; *s && n + 4 < sizeof said && lines < 4; s++) {
        if (*s != '\n') {
            said[n++] = *s;
        } else if (s[1]) {
            memcpy(said + n, " | ", 3);
            n += 3;
            lines++;
        }
    }
    said[n] = 0;
    return pn_codegen_fail(err, PINION_ERR_FILE, "the compiler failed %s: %s", step, n ? said : "it said nothing");
}

static pinion_status put_sources(const pinion_generated *g, const char *folder, const pn_code_unit *unit, int units,
                                 pinion_error *err)
{
    int fine = 1;
    for (int i = 0; i < g->files + units && fine; i++) {
        const pn_file *file = i < g->files ? &g->file[i] : NULL;
        const pn_code_unit *u = file ? NULL : &unit[i - g->files];
        if (file && !pn_is_compiled(g, file)) continue;
        char *path = pn_path_of(folder, file ? file->name : u->name);
        fine = path && pn_file_put(path, file ? file->text : u->text.at, file ? file->length : u->text.length);
        free(path);
    }
    if (fine) return PINION_OK;
    if (errno == ENOMEM) return pn_codegen_fail(err, PINION_ERR_MEMORY, "out of memory");
    return pn_codegen_fail(err, PINION_ERR_FILE, "no source can be written to a temporary folder: %s",
                           reason_of(errno).text);
}

/* "FOLDER/unit.c" and the object "FOLDER/unit.c.o" for each */
typedef struct paths {
    char *source[PN_UNITS_MOST], *object[PN_UNITS_MOST];
} paths;

static int take_paths(paths *p, const char *folder, const pn_code_unit *unit, int units)
{
    int fine = 1;
    memset(p, 0, sizeof *p);
    for (int i = 0; i < units; i++) {
        char name[32];
        snprintf(name, sizeof name, "%s.o", unit[i].name);
        p->source[i] = pn_path_of(folder, unit[i].name);
        p->object[i] = pn_path_of(folder, name);
        fine = fine && p->source[i] && p->object[i];
    }
    return fine;
}

static void release_paths(paths *p)
{
    for (int i = 0; i < PN_UNITS_MOST; i++) {
        free(p->source[i]);
        free(p->object[i]);
    }
}

/* all units at a time, each by a compiler of its own */
static pinion_status compile_units(const compiler *c, const char *folder, const pn_code_unit *unit, int units,
                                   const paths *path, const pinion_compile_options *o, pinion_error *err)
{
    pn_process process[PN_UNITS_MOST];
    memset(process, 0, sizeof process);
    int started = 1, number = 0;
    for (int i = 0; i < units && started; i++) {
        char *line[ARGUMENTS];
        int n = begin_line(c, unit[i].isa, line);
        line[n++] = (char *)"-c";
        line[n++] = (char *)"-o";
        line[n++] = path->object[i];
        line[n++] = path->source[i];
        line[n] = NULL;
        started = o->stop ? pn_process_start_group(&process[i], line, folder)
                          : pn_process_start(&process[i], line, folder);
        number = errno;
    }
    const int in_time = pn_process_wait_unless(process, units, SECONDS, o->stop, o->stop_user);
    pinion_status status = PINION_OK;
    if (!started)
        status = pn_codegen_fail(err, PINION_ERR_FILE, "the compiler cannot be run: %s", reason_of(number).text);
    else if (!in_time && o->stop && o->stop(o->stop_user))
        status = pn_codegen_fail(err, PINION_ERR_CALLBACK, "the caller stopped the compiler");
    else if (!in_time)
        status = pn_codegen_fail(err, PINION_ERR_FILE, "the compiler took longer than %.0f s and was stopped", SECONDS);
    for (int i = 0; i < units && status == PINION_OK; i++)
        if (!pn_process_well(&process[i]) || access(path->object[i], R_OK) != 0)
            status = complain(&process[i], "on the generated source", err);
    for (int i = 0; i < units; i++) pn_process_release(&process[i]);
    return status;
}

static pinion_status link_units(const compiler *c, const char *folder, int units, const paths *path, char *object,
                                pinion_error *err)
{
    char *line[ARGUMENTS];
    int n = 0;
    for (int i = 0; i < c->words; i++) line[n++] = c->word[i];
    line[n++] = (char *)"-shared";
    line[n++] = (char *)"-o";
    line[n++] = object;
    for (int i = 0; i < units; i++) line[n++] = path->object[i];
    line[n++] = (char *)"-lm";
    line[n] = NULL;
    pn_process p;
    memset(&p, 0, sizeof p);
    pinion_status status = PINION_OK;
    /* in the folder that only this user can enter, whatever the umask */
    if (!run(line, folder, &p) || chmod(object, 0700) != 0) status = complain(&p, "to link the object", err);
    pn_process_release(&p);
    return status;
}

/* the object in a new folder */
static pinion_status build(const pinion_generated *g, const compiler *c, const pn_code_unit *unit, int units,
                           const pinion_compile_options *o, pn_object *object, pinion_error *err)
{
    paths path;
    object->folder = pn_folder_new();
    if (!object->folder)
        return pn_codegen_fail(err, PINION_ERR_FILE, "no temporary folder can be made: %s", reason_of(errno).text);
    object->path = pn_path_of(object->folder, "generated.so");
    pinion_status status = PINION_OK;
    if (!take_paths(&path, object->folder, unit, units) || !object->path)
        status = pn_codegen_fail(err, PINION_ERR_MEMORY, "out of memory");
    if (status == PINION_OK) status = put_sources(g, object->folder, unit, units, err);
    if (status == PINION_OK) status = compile_units(c, object->folder, unit, units, &path, o, err);
    if (status == PINION_OK) status = link_units(c, object->folder, units, &path, object->path, err);
    release_paths(&path);
    return status;
}

/* puts a new object into the cache, if there is one and that succeeds; it is loaded from there then */
static void keep(pn_object *object, const pn_text *recipe, uint64_t most)
{
    if (!object->cache || !pn_cache_keep(object->cache, object->key, recipe, object->path)) return;
    object->file = pn_cache_find(object->cache, object->key, recipe);
    pn_cache_limit(object->cache, most, object->key);
}

static void release_units(pn_code_unit *unit, int units)
{
    for (int i = 0; i < units; i++) pn_text_free(&unit[i].text);
}

pinion_status pn_object_make(const pinion_generated *g, const pinion_compile_options *options, pn_object *object,
                             pinion_error *err)
{
    compiler c;
    pn_code_unit unit[PN_UNITS_MOST];
    pn_text recipe = {0};
    memset(object, 0, sizeof *object);
    object->file = -1;
    pinion_status status = find_compiler(options->compiler, &c, err);
    if (status != PINION_OK) return status;

    /* what it is made of, and by that its name */
    int units = pn_glue(g, options->batch, "", unit);
    if (units) write_recipe(g, &c, unit, units, &recipe);
    release_units(unit, units);
    if (units && !recipe.failed) pn_sha256(recipe.at, recipe.length, object->key);
    units = units && !recipe.failed ? pn_glue(g, options->batch, object->key, unit) : 0;
    if (!units) status = pn_codegen_fail(err, PINION_ERR_MEMORY, "out of memory");

    if (status == PINION_OK) {
        object->cache = pn_cache_folder(options->cache);
        if (object->cache) object->file = pn_cache_find(object->cache, object->key, &recipe);
        object->found = object->file >= 0;
        if (!object->found) {
            status = build(g, &c, unit, units, options, object, err);
            if (status == PINION_OK) keep(object, &recipe, options->cache_bytes);
        }
    }
    release_units(unit, units);
    pn_text_free(&recipe);
    release_compiler(&c);
    return status;
}

void pn_object_release(pn_object *object)
{
    if (object->file >= 0) close(object->file);
    pn_folder_remove(object->folder);
    free(object->path);
    free(object->cache);
    memset(object, 0, sizeof *object);
    object->file = -1;
}

/* ---- all of it ---- */

pinion_compile_options pinion_compile_options_default(void)
{
    pinion_compile_options o;
    memset(&o, 0, sizeof o);
    o.cache_bytes = (uint64_t)1 << 30;
    o.states = 100;
    o.batch = 1;
    o.cookie = PN_COOKIE_COMPILE;
    return o;
}

/* One object: made or found, loaded, compared. What cannot be used is not kept. */
static pinion_status take_object(const pinion_model *m, const pinion_compile_options *o, pinion_compiled *c, int *found,
                                 pinion_error *err)
{
    pn_object object;
    pinion_status status = pn_object_make(c->code, o, &object, err);
    if (status == PINION_OK) status = pn_load(m, &object, c, err);
    if (status == PINION_OK) status = pn_verify(m, c, o->states, err);
    if (status == PINION_OK) pn_places_choose(m, c);
    if (status == PINION_OK && !pn_list_shortcuts(m, c))
        status = pn_codegen_fail(err, PINION_ERR_MEMORY, "out of memory");
    if (status != PINION_OK) pn_unload(c);
    if (status != PINION_OK && status != PINION_ERR_MEMORY && object.cache && (object.path || object.found))
        pn_cache_forget(object.cache, object.key);
    *found = object.found;
    pn_object_release(&object);
    return status;
}

static pinion_status make(const pinion_model *m, const pinion_codegen_options *code, const pinion_compile_options *o,
                          pinion_compiled *c, pinion_error *err)
{
    pinion_codegen_options plain = code ? *code : pinion_codegen_options_default();
    plain.name = NULL;
    plain.scalar = PINION_CODEGEN_REAL;
    pinion_error why = {0};
    c->code = pn_generate(m, &plain, 1, &why);
    if (!c->code) {
        if (err) *err = why;
        return why.status != PINION_OK ? why.status : PINION_ERR_MEMORY;
    }
    for (int i = 0; i < c->code->functions; i++)
        if (pn_function_lines(m, o->batch, &c->code->function[i]) != PINION_OK)
            return pn_codegen_fail(err, PINION_ERR_MEMORY, "out of memory");
    int found = 0;
    pinion_status status = take_object(m, o, c, &found, err);
    /* one that was kept and does not do is made again */
    if (status != PINION_OK && status != PINION_ERR_MEMORY && found) status = take_object(m, o, c, &found, err);
    return status;
}

pinion_compiled *pinion_codegen_compile(const pinion_model *m, const pinion_codegen_options *options,
                                        const pinion_compile_options *compile, pinion_error *err)
{
    const pinion_compile_options defaults = pinion_compile_options_default();
    const pinion_compile_options *o = compile ? compile : &defaults;
    if (!m || o->cookie != PN_COOKIE_COMPILE || o->states < 1 || o->states > 1000000) {
        pn_codegen_fail(err, PINION_ERR_ARGUMENT,
                        !m ? "there is no model"
                        : o->cookie != PN_COOKIE_COMPILE
                            ? "the options were not started from pinion_compile_options_default()"
                            : "the number of states is not one from 1 to 1000000");
        return NULL;
    }
    pinion_compiled *c = calloc(1, sizeof *c);
    if (!c) {
        pn_codegen_fail(err, PINION_ERR_MEMORY, "out of memory");
        return NULL;
    }
    if (make(m, options, o, c, err) == PINION_OK) return c;
    pinion_compiled_free(c);
    return NULL;
}
