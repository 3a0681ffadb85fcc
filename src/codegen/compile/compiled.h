/* Loading generated code back, in steps that each have a file:
 *
 *     process.c       programs run without a shell, with what they say
 *     folders.c       private folders and whole files
 *     cache.c         what was compiled before
 *     cache_limit.c   and how much of it
 *     glue.c          the sources around the generated one: scalars, and one table of functions
 *     compile_code.c  the compiler, its flags, the object
 *     load_code.c     the object in this process, and the calls that its functions answer
 *     place_code.c    copies of it elsewhere in memory, and where each function is fastest
 *     verify.c        the same results as the kernels
 *
 * Private to src/codegen and its tests. */
#ifndef PN_COMPILED_H
#define PN_COMPILED_H

#include "api/shortcut.h"
#include "base/hash.h"
#include "codegen/codegen_steps.h"

/* of the table below and of what is kept; another number, and nothing of it is taken */
#define PN_TABLE_VERSION 2
#define PN_TABLE_NAME "pinion_generated_table"

/* What the object exports, under PN_TABLE_NAME; glue.c writes the same in C. */
typedef struct pn_table {
    int version;
    const char *key;                  /* of the recipe it was made by */
    int functions;
    int lanes[PN_OVER_COUNT];         /* 0: not compiled */
    pn_shortcut_call *const *call[PN_OVER_COUNT]; /* [functions] */
    pn_shortcut_call *const *zeros[PN_OVER_COUNT]; /* those of the tree's structure, which these leave; NULL: none */
} pn_table;

/* An object that is loaded. */
typedef struct pn_place {
    void *library; /* of dlopen; NULL: none */
    int file;      /* of the library, open while it is loaded: its number and 1; 0: none */
    pn_table table;
} pn_place;

/* the object and copies of it, at most */
enum { PN_PLACES = 3 };

struct pinion_compiled {
    pinion_generated *code;
    pn_place place[PN_PLACES]; /* the object, then copies of it elsewhere in memory */
    int places;
    pn_shortcut_call **call[PN_OVER_COUNT]; /* [functions], each in the place where it is called */
    pn_shortcut *list;
    void *zeros;
    pn_shortcuts shortcuts;
};

/* ---- process.c ---- */

/* A program that was started. Zeroed, there is none. */
typedef struct pn_process {
    int pid, output; /* of the process; the end of the pipe that its messages come through */
    int group;       /* nonzero: it leads a group */
    pn_text said;    /* the first of what it wrote, on both of its outputs */
    int status;      /* of waitpid, once it has ended; -1: not known */
} pn_process;

/* Starts a program, found along PATH, with nothing to read. `folder` is what it gets as TMPDIR; NULL: the caller's.
 * Nonzero on success; else what is in errno is why. */
int pn_process_start(pn_process *p, char *const *arguments, const char *folder);
/* The same in a group of its own, with whatever it starts in turn: killed as one, and deaf to a terminal's Ctrl-C. */
int pn_process_start_group(pn_process *p, char *const *arguments, const char *folder);
/* Waits until all have ended, and no longer than so many seconds: those that are still there then are killed. Returns 0
 * if that was so. */
int pn_process_wait(pn_process *p, int count, double seconds);
/* The same, and no longer than until `stop` (NULL: nobody) says so. */
int pn_process_wait_unless(pn_process *p, int count, double seconds, int (*stop)(void *user), void *user);
/* whether it ended by itself with status 0; also if nobody can tell, which is so where SIGCHLD is ignored */
int pn_process_well(const pn_process *p);
void pn_process_release(pn_process *p); /* what it said */

/* ---- folders.c ---- */

/* A new folder that only this user can enter, below $TMPDIR or /tmp. NULL with errno set. */
char *pn_folder_new(void);
void pn_folder_remove(char *folder); /* with the files in it, and the string; NULL is allowed */
/* "FOLDER/NAME"; NULL when out of memory */
char *pn_path_of(const char *folder, const char *name);
/* Writes a file that only this user can change, as a whole or not at all; zero with errno set. */
int pn_file_put(const char *path, const void *data, size_t size);
/* Reads a regular file that this user owns and no one else can change, through no link. `data` is the caller's to free,
 * with a zero byte behind it. Zero where there is none, or it is not like that. */
int pn_file_take(const char *path, size_t limit, char **data, size_t *size);
/* The same, and the file stays open: its number, to be closed; -1 where there is none. */
int pn_file_hold(const char *path, size_t limit, char **data, size_t *size);

/* ---- cache.c ---- */

/* The folder of what was compiled, made if it is not there: `folder`, or the user's where that is NULL. NULL: none is
 * kept, since it is "", or there is no home, or others could change what is in it, or there is no /proc. */
char *pn_cache_folder(const char *folder);
/* The object that was made by a recipe, an open file of just those bytes; -1: none, or what is there is damaged. */
int pn_cache_find(const char *folder, const char *key, const pn_text *recipe);
/* Keeps an object; zero: it could not be kept. */
int pn_cache_keep(const char *folder, const char *key, const pn_text *recipe, const char *object);
void pn_cache_forget(const char *folder, const char *key);

/* ---- cache_limit.c ---- */

/* Removes what was not used for longest until the rest takes at most so many bytes of the disk (0: no limit). `newest`
 * stays, however large it is. */
void pn_cache_limit(const char *folder, uint64_t most, const char *newest);

/* ---- glue.c ---- */

/* What the object is compiled from: a source a scalar, and the table. */
typedef struct pn_code_unit {
    int over;          /* PN_OVER_*; PN_OVER_COUNT: the table */
    const char *isa;   /* of the back end that it stands in for */
    int lanes;
    char name[24];     /* of its file */
    pn_text text;
} pn_code_unit;

enum { PN_UNITS_MOST = PN_OVER_COUNT + 1 };

/* whether a generated file is one of those that are compiled: the header and the source */
int pn_is_compiled(const pinion_generated *g, const pn_file *file);
/* Writes them, the table last; it names the key. Returns how many there are, 0 when out of memory. */
int pn_glue(const pinion_generated *g, int batch, const char *key, pn_code_unit unit[PN_UNITS_MOST]);

/* ---- compile_code.c ---- */

/* The object for generated code, from the cache or made now. */
typedef struct pn_object {
    int file;     /* open, of the cache; -1: the object is at `path` */
    char *path;
    char *folder; /* of `path`, to be removed once it is loaded */
    char *cache;  /* the cache's folder, NULL: none */
    int found;    /* nonzero: it was there already */
    char key[65];
} pn_object;

pinion_status pn_object_make(const pinion_generated *g, const pinion_compile_options *options, pn_object *object,
                             pinion_error *err);
void pn_object_release(pn_object *object);

/* ---- load_code.c ---- */

/* The object in this process; its file goes over to `c`. Fails where it is not what was asked for; pn_unload in any
 * case. */
pinion_status pn_load(const pinion_model *m, pn_object *object, pinion_compiled *c, pinion_error *err);
void pn_unload(pinion_compiled *c);
/* every function where this copy of the object is */
void pn_calls_at(pinion_compiled *c, int place);
/* The calls of the API that the functions answer, where they are called by then. Zero: out of memory. */
int pn_list_shortcuts(const pinion_model *m, pinion_compiled *c);

/* ---- place_code.c ---- */

/* Loads an open file, or where that is -1 the one at `path`; zero: that failed, dlerror() or the lack of a table says
 * why. pn_place_unload in any case. */
int pn_place_load(int file, const char *path, pn_place *p);
void pn_place_unload(pn_place *p);
/* Loads copies of an open file besides, as many as can be had, where a function is long enough for that. */
void pn_places_add(pinion_compiled *c, int file);
/* From now on each function is called where it is fastest; copies of which none is are unloaded. Without memory for
 * that all stay where they are. */
void pn_places_choose(const pinion_model *m, pinion_compiled *c);
/* The number of the fastest of so many, 0 unless another one is faster by more than noise: `run` makes so many calls of
 * one of them. */
int pn_fastest(int count, void (*run)(void *user, int which, int calls), void *user);

/* ---- verify.c ---- */

/* Every function over every scalar, against the kernels, at so many random states. The first that differs is in the
 * message with its quantity, its place and both values. */
pinion_status pn_verify(const pinion_model *m, const pinion_compiled *c, int states, pinion_error *err);

#endif
