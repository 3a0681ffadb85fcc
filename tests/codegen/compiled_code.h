/* What the tests of compiled code share: folders, models, compilers and programs that stand in for one. */
#ifndef PN_TEST_COMPILED_CODE_H
#define PN_TEST_COMPILED_CODE_H

#include "check.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include "codegen/compile/compiled.h"
#include "batch/batch_internal.h"
#include "pinion/pinion.h"

/* ---- folders ---- */

static char *place; /* of this program: TMPDIR and the caches are below it */
static char *temporary;

static inline int files_in(const char *folder)
{
    int count = 0;
    DIR *d = opendir(folder);
    for (struct dirent *e; d && (e = readdir(d)) != NULL;) count += e->d_name[0] != '.';
    if (d) closedir(d);
    return count;
}

/* a path in the program's folder, which lasts */
static inline char *below(const char *name)
{
    char *path = pn_path_of(place, name);
    if (!path) exit(1);
    return path;
}

static inline void empty(const char *folder)
{
    DIR *d = opendir(folder);
    for (struct dirent *e; d && (e = readdir(d)) != NULL;)
        if (e->d_name[0] != '.') unlinkat(dirfd(d), e->d_name, 0);
    if (d) closedir(d);
}

/* ---- models ---- */

static inline pinion_model *bundled(const char *name)
{
    const char *folder = getenv("PINION_MODELS");
    char *path = pn_path_of(folder ? folder : "models", name);
    pinion_error err = {0};
    pinion_model *m = path ? pinion_load(path, NULL, &err) : NULL;
    if (!m) CHECK_FAIL("%s", err.message);
    free(path);
    return m;
}

/* all that has forms in the API, with a frame that is far out */
static inline char *everything(const pinion_model *m, int *frame)
{
    pinion_frame_info info;
    pn_text t = {0};
    *frame = pinion_model_frame_count(m) - 1;
    if (pinion_model_frame(m, *frame, &info) != PINION_OK) return NULL;
    pn_text_add(&t, "inverse_dynamics,forward_dynamics,mass_matrix,gravity,bias,passive_forces,energy,com,momentum,"
                    "frames,mass_matrix_inverse,coriolis,jacobian:%s,velocity:%s,acceleration:%s",
                info.name, info.name, info.name);
    return t.at;
}

static double limb_limit = -1; /* other than the default, where it is not negative */
static char *hasty;            /* a compiler that optimizes less, and takes a part of the time */

static inline pinion_compiled *compile(const pinion_model *m, const char *what, const char *compiler, const char *cache,
                                pinion_error *err)
{
    pinion_codegen_options o = pinion_codegen_options_default();
    pinion_compile_options c = pinion_compile_options_default();
    o.what = what;
    if (limb_limit >= 0) o.limb_limit = limb_limit;
    c.compiler = compiler;
    c.cache = cache;
    return pinion_codegen_compile(m, &o, &c, err);
}

/* the first of them says whether there is a compiler at all */
static inline int has_compiler(void)
{
    pinion_error err = {0};
    pinion_model *m = pinion_random_chain(1, 1, NULL);
    pinion_compiled *c = m ? compile(m, "gravity", NULL, "", &err) : NULL;
    const int there = c != NULL || err.status != PINION_ERR_NOT_FOUND;
    if (!there) printf("skipped: %s\n", err.message);
    pinion_compiled_free(c);
    pinion_model_free(m);
    return there;
}

/* ---- compilers ---- */

/* a program that stands in for the compiler */
static inline char *script(const char *name, const char *body)
{
    char *path = below(name);
    FILE *f = fopen(path, "w");
    CHECK(f != NULL);
    if (f) {
        fprintf(f, "#!/bin/sh\n%s\n", body);
        fclose(f);
    }
    CHECK(chmod(path, 0755) == 0);
    return path;
}

static inline int lines_of(const char *path)
{
    FILE *f = fopen(path, "r");
    int lines = 0;
    for (int c; f && (c = fgetc(f)) != EOF;) lines += c == '\n';
    if (f) fclose(f);
    return lines;
}

static char *log_path, *counting;

static inline int runs(void)
{
    const int n = lines_of(log_path);
    unlink(log_path);
    return n;
}

/* Makes the program's folder; 0, or what it is to exit with: 77 after the reason where there is no compiler. */
static inline int begin_compiling(void)
{
    place = pn_folder_new();
    if (!place) return 1;
    temporary = below("temporary");
    if (mkdir(temporary, 0700) != 0) return 1;
    setenv("TMPDIR", temporary, 1);
    unsetenv("CC");
    if (!has_compiler()) {
        rmdir(temporary);
        pn_folder_remove(place);
        return 77;
    }
    log_path = below("log");
    char body[400];
    snprintf(body, sizeof body, "echo x >>%s; exec cc \"$@\" -O1", log_path);
    counting = script("counting", body);
    hasty = script("hasty", "exec cc -DPN_HOT= \"$@\" -O0");
    return 0;
}

static inline void end_compiling(void)
{
    free(log_path), free(counting), free(hasty);
    rmdir(temporary);
    free(temporary);
    CHECK(access(place, F_OK) == 0);
    pn_folder_remove(place);
}

#endif
