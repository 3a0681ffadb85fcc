/* What the cache may hold: where a new object takes it beyond that, those that were not used for longest go.
 *
 * An entry is KEY.so with KEY.recipe; the recipe's time of change is when it was last found (pn_cache_find sets it).
 * Whoever has an object open keeps it: a file that goes away stays readable until it is closed. Two programs that make
 * room at a time only remove more than one of them would. Files of other names are not ours to remove. */
#include "codegen/compile/compiled.h"
#include <dirent.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct kept {
    char key[65];
    struct timespec used;
    uint64_t bytes;
} kept;

typedef struct shelf {
    kept *list;
    size_t count, room;
} shelf;

/* KEY of "KEY.so" or "KEY.recipe"; 0: it is neither */
static int is_entry(const char *name, char key[65])
{
    if (strspn(name, "0123456789abcdef") != 64) return 0;
    if (strcmp(name + 64, ".so") != 0 && strcmp(name + 64, ".recipe") != 0) return 0;
    memcpy(key, name, 64);
    key[64] = 0;
    return 1;
}

static int by_key(const void *a, const void *b)
{
    return strcmp(((const kept *)a)->key, ((const kept *)b)->key);
}

static int by_use(const void *a, const void *b)
{
    const kept *x = a, *y = b;
    if (x->used.tv_sec != y->used.tv_sec) return x->used.tv_sec < y->used.tv_sec ? -1 : 1;
    if (x->used.tv_nsec != y->used.tv_nsec) return x->used.tv_nsec < y->used.tv_nsec ? -1 : 1;
    return by_key(a, b);
}

static int add(shelf *s, const char *key, const struct stat *file)
{
    if (s->count == s->room) {
        const size_t room = s->room ? 2 * s->room : 64;
        kept *list = realloc(s->list, room * sizeof *list);
        if (!list) return 0;
        s->list = list;
        s->room = room;
    }
    kept *k = &s->list[s->count++];
    memcpy(k->key, key, sizeof k->key);
    k->used = file->st_mtim;
    k->bytes = (uint64_t)file->st_blocks * 512; /* what it takes of the disk */
    return 1;
}

/* both files of a key as one, with the later of their times */
static void join(shelf *s)
{
    if (!s->count) return;
    qsort(s->list, s->count, sizeof *s->list, by_key);
    size_t n = 0;
    for (size_t i = 1; i < s->count; i++) {
        kept *last = &s->list[n], *k = &s->list[i];
        if (strcmp(last->key, k->key) != 0) {
            s->list[++n] = *k;
            continue;
        }
        last->bytes += k->bytes;
        if (by_use(last, k) < 0) last->used = k->used;
    }
    s->count = n + 1;
}

static int look(const char *folder, shelf *s)
{
    DIR *list = opendir(folder);
    if (!list) return 0;
    int fine = 1;
    for (struct dirent *entry; fine && (entry = readdir(list)) != NULL;) {
        char key[65];
        struct stat file;
        if (!is_entry(entry->d_name, key)) continue;
        if (fstatat(dirfd(list), entry->d_name, &file, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(file.st_mode)) continue;
        fine = add(s, key, &file);
    }
    closedir(list);
    return fine;
}

void pn_cache_limit(const char *folder, uint64_t most, const char *newest)
{
    shelf s = {0};
    if (most && look(folder, &s)) {
        join(&s);
        uint64_t bytes = 0;
        for (size_t i = 0; i < s.count; i++) bytes += s.list[i].bytes;
        if (s.count) qsort(s.list, s.count, sizeof *s.list, by_use);
        for (size_t i = 0; i < s.count && bytes > most; i++) {
            if (strcmp(s.list[i].key, newest) == 0) continue;
            pn_cache_forget(folder, s.list[i].key);
            bytes -= s.list[i].bytes;
        }
    }
    free(s.list);
}
