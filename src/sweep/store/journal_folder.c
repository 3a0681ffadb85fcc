/* RESULT.journal: journals 0, 1, ... of this attempt and of earlier ones, a lock, and the result while it is
 * made. */
#define _DEFAULT_SOURCE /* flock */
#include "sweep/store/journal_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"

char *pn_folder_path(const pn_folder *f, const char *name)
{
    const size_t room = strlen(f->path) + strlen(name) + 2;
    char *path = malloc(room);
    if (path) snprintf(path, room, "%s/%s", f->path, name);
    return path;
}

static pinion_status no_memory(pinion_error *err)
{
    return pn_error_set(err, PINION_ERR_MEMORY, NULL, 0, 0, "out of memory");
}

/* The number of a journal by its name, "12.records"; -1: it is none. */
static long long number_of(const char *name)
{
    char *end = NULL;
    const long long number = *name >= '0' && *name <= '9' ? strtoll(name, &end, 10) : -1;
    return end && strcmp(end, ".records") == 0 ? number : -1;
}

static int by_number(const void *a, const void *b)
{
    const long long x = *(const long long *)a, y = *(const long long *)b;
    return (x > y) - (x < y);
}

/* The numbers of all journals, rising; how many, or -1 with errno. */
static int list(const pn_folder *f, long long **numbers)
{
    DIR *folder = opendir(f->path);
    int count = 0, room = 0;
    *numbers = NULL;
    if (!folder) return -1;
    for (struct dirent *entry; (entry = readdir(folder));) {
        const long long number = number_of(entry->d_name);
        if (number < 0) continue;
        if (count == room) {
            room = 2 * room + 16;
            long long *more = realloc(*numbers, (size_t)room * sizeof *more);
            if (!more) {
                closedir(folder);
                free(*numbers);
                errno = ENOMEM;
                return -1;
            }
            *numbers = more;
        }
        (*numbers)[count++] = number;
    }
    closedir(folder);
    if (count) qsort(*numbers, (size_t)count, sizeof **numbers, by_number);
    return count;
}

int pn_folder_join(pn_folder *f, const char *path)
{
    const size_t room = strlen(path) + 16;
    *f = (pn_folder){.path = malloc(room), .lock = -1, .stride = 1};
    if (f->path) snprintf(f->path, room, "%s.journal", path);
    return f->path != NULL;
}

pinion_status pn_folder_open(pn_folder *f, const char *path, const pinion_sweep *s, pinion_error *err)
{
    if (!pn_folder_join(f, path)) return no_memory(err);
    if (mkdir(f->path, 0777) != 0 && errno != EEXIST) return pn_file_not_written(err, f->path, errno);
    char *lock = pn_folder_path(f, "lock");
    if (!lock) return no_memory(err);
    f->lock = open(lock, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    free(lock);
    if (f->lock < 0) return pn_file_not_written(err, f->path, errno);
    if (flock(f->lock, LOCK_EX | LOCK_NB) != 0) {
        const int taken = errno == EWOULDBLOCK, number = errno;
        close(f->lock);
        f->lock = -1;
        return taken ? pn_error_set(err, PINION_ERR_FILE, f->path, 0, 0, "another sweep is writing there")
                     : pn_file_not_written(err, f->path, number);
    }
    return pn_folder_read(f, s, err);
}

int pn_folder_journal(pn_folder *f, pn_journal *j, const pinion_sweep *s, uint64_t first, uint64_t count)
{
    char name[40];
    snprintf(name, sizeof name, "%llu.records", (unsigned long long)f->next);
    f->next += f->stride;
    char *path = pn_folder_path(f, name);
    if (!path) return ENOMEM;
    const int number = pn_journal_create(j, path, s, first, count);
    free(path);
    return number;
}

static void let_go(pn_folder *f)
{
    for (int i = 0; i < f->count; i++) {
        free((char *)f->journals[i].path);
        pn_journal_end(&f->journals[i]);
    }
    free(f->journals);
    f->journals = NULL;
    f->count = 0;
}

/* One whose head was not written whole has nothing in it. */
static int is_empty(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && about.st_size == 0;
}

/* Whose a journal is; those of this attempt belong to who wrote them. */
static int is_of(const pn_folder *f, uint64_t number, int rank, int ranks)
{
    return (int)((number < f->began ? number : number - f->began) % (uint64_t)ranks) == rank;
}

pinion_status pn_folder_read(pn_folder *f, const pinion_sweep *s, pinion_error *err)
{
    return pn_folder_read_part(f, s, 0, 1, err);
}

pinion_status pn_folder_read_part(pn_folder *f, const pinion_sweep *s, int rank, int ranks, pinion_error *err)
{
    long long *numbers;
    pinion_status status = PINION_OK;
    let_go(f);
    const int count = list(f, &numbers);
    if (count < 0)
        return pn_error_set(err, PINION_ERR_FILE, f->path, 0, 0, "cannot be read: %s", strerror(errno));
    f->journals = calloc((size_t)count + 1, sizeof *f->journals);
    if (!f->journals) status = no_memory(err);
    for (int i = 0; i < count && status == PINION_OK; i++) {
        char name[40];
        if (!is_of(f, (uint64_t)numbers[i], rank, ranks)) continue;
        snprintf(name, sizeof name, "%lld.records", numbers[i]);
        char *path = pn_folder_path(f, name);
        if (!path) status = no_memory(err);
        if ((uint64_t)numbers[i] >= f->next) f->next = (uint64_t)numbers[i] + 1;
        pn_journal_reader *j = &f->journals[f->count];
        if (status == PINION_OK && !is_empty(path)) {
            status = pn_journal_open(j, path, err);
            if (status == PINION_ERR_PARSE) { /* ended while its head was written: it has no records */
                status = PINION_OK;
            } else if (status == PINION_OK) {
                f->count++;
                pn_journal_forget_texts(j);
                if (strcmp(j->identity, s->identity) == 0) continue; /* the path stays with it */
                status = pn_error_set(
                    err, PINION_ERR_ARGUMENT, f->path, 0, 0,
                    strcmp(j->isa, s->isa) == 0
                        ? "belongs to a sweep with another plan, model or version; remove it to begin anew"
                        : "was begun with kernels of another instruction set; remove it to begin anew");
                continue;
            }
        }
        free(path);
    }
    free(numbers);
    return status;
}

void pn_folder_close(pn_folder *f, int finished)
{
    long long *numbers = NULL;
    let_go(f);
    if (finished && f->path) {
        const int count = list(f, &numbers);
        for (int i = 0; i < count; i++) {
            char name[40];
            snprintf(name, sizeof name, "%lld.records", numbers[i]);
            char *path = pn_folder_path(f, name);
            if (path) unlink(path);
            free(path);
        }
        if (count >= 0) free(numbers);
        char *lock = pn_folder_path(f, "lock");
        if (lock) unlink(lock);
        free(lock);
        rmdir(f->path);
    }
    if (f->lock >= 0) close(f->lock);
    f->lock = -1;
    free(f->path);
    f->path = NULL;
}
