/* What was compiled before: for each recipe (sources, compiler, flags) an object and a copy of the recipe.
 *
 * KEY.so and KEY.recipe, where the key is the recipe's SHA-256 and the copy ends in that of the object's bytes. An
 * object is taken only if the copy is the recipe byte for byte and the object has that hash: a collision, a damaged
 * file or two programs that write at a time can only lead to a new compilation. Both files appear as wholes.
 *
 * Code from the folder runs in the caller's process. So the folder and its files must be the user's own, no one else
 * may write there, and each folder above it must be the user's or root's and such that no one else can put another in
 * the place of what is in it. Otherwise nothing is taken from it or put into it. An object is opened once: what was
 * checked is what is loaded. */
#include "codegen/compile/compiled.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* neither has ever come near it */
#define MOST_BYTES ((size_t)1 << 30)

/* a real folder of this user that no one else can write to */
static int is_private(const char *path)
{
    struct stat s;
    return lstat(path, &s) == 0 && S_ISDIR(s.st_mode) && s.st_uid == geteuid() && !(s.st_mode & (S_IWGRP | S_IWOTH));
}

/* of this user or root, and closed to others, or such that only owners rename what is in it */
static int is_safe(const char *path)
{
    struct stat s;
    if (stat(path, &s) != 0 || (s.st_uid != geteuid() && s.st_uid != 0)) return 0;
    const int by_group = (s.st_mode & S_IWGRP) && s.st_gid != getegid(); /* a user's own group is the user */
    return (!by_group && !(s.st_mode & S_IWOTH)) || (s.st_mode & S_ISVTX);
}

/* Whether no one else can put another folder in its place: all above it are safe. `path` has no links. */
static int stays(const char *path)
{
    char *above = pn_path_of(path, ""), *end;
    int closed = above != NULL;
    while (closed && (end = strrchr(above, '/')) != NULL) {
        *end = 0;
        if (strlen(above) == strlen(path)) continue; /* itself */
        closed = is_safe(*above ? above : "/");
    }
    free(above);
    return closed;
}

static int is_folder(const char *path)
{
    struct stat s;
    return stat(path, &s) == 0 && S_ISDIR(s.st_mode);
}

/* the user's, which $XDG_CACHE_HOME names if it begins at the root */
static char *users_folder(void)
{
    const char *caches = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (caches && caches[0] == '/') {
        if (mkdir(caches, 0700) != 0 && !is_folder(caches)) return NULL;
        return pn_path_of(caches, "pinion");
    }
    if (!home || home[0] != '/') return NULL;
    char *below = pn_path_of(home, ".cache");
    char *path = below && (mkdir(below, 0700) == 0 || is_folder(below)) ? pn_path_of(below, "pinion") : NULL;
    free(below);
    return path;
}

char *pn_cache_folder(const char *folder)
{
    if (folder && !folder[0]) return NULL;
    if (access("/proc/self/fd", X_OK) != 0) return NULL; /* what is open cannot be loaded */
    char *path = folder ? pn_path_of(folder, "") : users_folder();
    if (!path) return NULL;
    /* a '/' at the end would follow a link */
    for (size_t n = strlen(path); n > 1 && path[n - 1] == '/'; n--) path[n - 1] = 0;
    /* by a path without links, that nobody can lead elsewhere later */
    char *whole = (mkdir(path, 0700) == 0 || errno == EEXIST) && is_private(path) ? realpath(path, NULL) : NULL;
    free(path);
    if (whole && stays(whole) && is_private(whole)) return whole;
    free(whole);
    return NULL;
}

/* FOLDER/KEY.ENDING */
static char *entry(const char *folder, const char *key, const char *ending)
{
    pn_text t = {0};
    pn_text_add(&t, "%s/%s.%s", folder, key, ending);
    if (!t.failed) return t.at;
    pn_text_free(&t);
    return NULL;
}

/* the object's hash, of which the kept recipe is one line longer; 0: it is no such copy */
static int stored_hash(const char *copy, size_t size, const pn_text *recipe, char hash[65])
{
    if (size != recipe->length + 65 || copy[size - 1] != '\n') return 0;
    if (memcmp(copy, recipe->at, recipe->length) != 0) return 0;
    memcpy(hash, copy + recipe->length, 64);
    hash[64] = 0;
    return 1;
}

int pn_cache_find(const char *folder, const char *key, const pn_text *recipe)
{
    char *path = entry(folder, key, "so"), *beside = entry(folder, key, "recipe"), *copy = NULL, *bytes = NULL;
    size_t copy_size = 0, size = 0;
    char stored[65], actual[65];
    int file = -1;
    if (path && beside && pn_file_take(beside, MOST_BYTES, &copy, &copy_size) &&
        stored_hash(copy, copy_size, recipe, stored))
        file = pn_file_hold(path, MOST_BYTES, &bytes, &size);
    if (file >= 0) {
        pn_sha256(bytes, size, actual);
        if (strcmp(stored, actual) != 0) {
            close(file);
            file = -1;
        } else
            utimensat(AT_FDCWD, beside, NULL, AT_SYMLINK_NOFOLLOW); /* when it was last used, for pn_cache_limit */
    }
    free(bytes);
    free(copy);
    free(beside);
    free(path);
    return file;
}

int pn_cache_keep(const char *folder, const char *key, const pn_text *recipe, const char *object)
{
    char *path = entry(folder, key, "so"), *beside = entry(folder, key, "recipe"), *bytes = NULL;
    size_t size = 0;
    char hash[65];
    pn_text copy = {0};
    int kept = path && beside && pn_file_take(object, MOST_BYTES, &bytes, &size);
    if (kept) {
        pn_sha256(bytes, size, hash);
        pn_text_bytes(&copy, recipe->at, recipe->length);
        pn_text_add(&copy, "%s\n", hash);
        kept = !copy.failed && pn_file_put(path, bytes, size) && pn_file_put(beside, copy.at, copy.length);
    }
    pn_text_free(&copy);
    free(bytes);
    free(beside);
    free(path);
    return kept;
}

void pn_cache_forget(const char *folder, const char *key)
{
    char *path = entry(folder, key, "so"), *beside = entry(folder, key, "recipe");
    if (path) unlink(path);
    if (beside) unlink(beside);
    free(path);
    free(beside);
}
