/* Files of records. All numbers have their low bytes first:
 *   head    "PNSWEEP3", its length in bytes (8), the identity of the sweep (64 hexadecimal digits), the first run
 *           that may be in it and how many (8, 8), scalars and columns of a record (4, 4), the instruction set (16),
 *           lengths of the plan, the model and the names (8 each) and these texts; the checksum of all that (8)
 *   record  its length without this and the checksum (8), the run (8), outcome (4), length of the reason (4), end
 *           (8), rows (8), scalars (8 each), the reason, filled up to whole eights, rows (8 a number); checksum (8) */
#define _POSIX_C_SOURCE 200809L
#include "sweep/store/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/hash.h"

static const char magic[8] = {'P', 'N', 'S', 'W', 'E', 'E', 'P', '3'};

enum {
    HEAD = 8 + 8 + 64 + 16 + 8 + 16 + 24, /* before the texts */
    RECORD = 8 + 4 + 4 + 8 + 8,      /* before the scalars */
    MUCH = 256 << 10,                /* bytes that do not wait */
    BUFFER = 1 << 20                 /* bytes that are read at a time */
};
#define LONG 0.5                 /* s that a record waits at most, while others come */
#define SYNC 10.0                /* s between two times that it is sure to be on the disk */
#define MOST ((uint64_t)1 << 40) /* bytes of a record or of a text */

/* ------------------------------------------------------------------------------------------------
 * Numbers */

static void put(pn_text *t, uint64_t x, int bytes)
{
    unsigned char b[8];
    for (int i = 0; i < bytes; i++) b[i] = (unsigned char)(x >> (8 * i));
    pn_text_bytes(t, b, (size_t)bytes);
}

static uint64_t get(const unsigned char *b, int bytes)
{
    uint64_t x = 0;
    for (int i = bytes - 1; i >= 0; i--) x = x << 8 | b[i];
    return x;
}

static uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static double number_of(const unsigned char *b)
{
    const uint64_t bits = get(b, 8);
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* ------------------------------------------------------------------------------------------------
 * Writing */

static void put_head(pn_text *t, const pinion_sweep *s, uint64_t first, uint64_t count)
{
    pn_text names = {0};
    for (int i = 0; i < s->column_count; i++) {
        pn_text_bytes(&names, s->columns[i].name, strlen(s->columns[i].name) + 1);
        pn_text_bytes(&names, s->columns[i].unit, strlen(s->columns[i].unit) + 1);
    }
    const uint64_t plan = strlen(s->text), model = strlen(s->model_json);
    pn_text_bytes(t, magic, sizeof magic);
    put(t, HEAD + plan + model + names.length + 8, 8);
    pn_text_bytes(t, s->identity, 64);
    put(t, first, 8);
    put(t, count, 8);
    put(t, (uint64_t)s->kept_count, 4);
    put(t, (uint64_t)s->column_count, 4);
    pn_text_bytes(t, s->isa, sizeof s->isa);
    put(t, plan, 8);
    put(t, model, 8);
    put(t, names.length, 8);
    pn_text_bytes(t, s->text, plan);
    pn_text_bytes(t, s->model_json, model);
    if (names.at) pn_text_bytes(t, names.at, names.length);
    t->failed = t->failed || names.failed;
    if (!t->failed) put(t, pn_fnv1a(PN_FNV1A, t->at, t->length), 8);
    pn_text_free(&names);
}

int pn_journal_create(pn_journal *j, const char *path, const pinion_sweep *s, uint64_t first, uint64_t count)
{
    *j = (pn_journal){.file = -1, .path = strdup(path)};
    if (!j->path) return ENOMEM;
    put_head(&j->waiting, s, first, count);
    j->file = j->waiting.failed ? -1 : open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    int number = j->waiting.failed ? ENOMEM : j->file < 0 ? errno : pn_journal_flush(j, 0);
    if (number) pn_journal_close(j);
    return number;
}

int pn_journal_flush(pn_journal *j, int sync)
{
    int number = j->waiting.failed ? ENOMEM : 0;
    if (!number && j->waiting.length > 0)
        number = pn_file_write_all(j->file, j->waiting.at, j->waiting.length);
    if (!number) j->waiting.length = 0;
    if (!number && sync && fsync(j->file) != 0) number = errno;
    return number;
}

int pn_journal_add(pn_journal *j, const pinion_sweep_record *record, int scalars, double now)
{
    pn_text *t = &j->waiting;
    const size_t why = strlen(record->why), padding = (8 - why % 8) % 8,
                 numbers = record->rows * (size_t)record->columns, from = t->length;
    put(t, RECORD + 8 * (uint64_t)scalars + why + padding + 8 * (uint64_t)numbers, 8);
    put(t, record->run, 8);
    put(t, (uint64_t)record->outcome, 4);
    put(t, why, 4);
    put(t, bits_of(record->t_end), 8);
    put(t, record->rows, 8);
    for (int i = 0; i < scalars; i++) put(t, bits_of(record->scalars[i]), 8);
    pn_text_bytes(t, record->why, why);
    pn_text_bytes(t, "\0\0\0\0\0\0\0", padding);
    for (size_t i = 0; i < numbers; i++) put(t, bits_of(record->row[i]), 8);
    if (!t->failed) put(t, pn_sum_eights(t->at + from, t->length - from), 8);
    if (j->written == 0) j->written = j->synced = now;
    if (!t->failed && t->length < MUCH && now - j->written < LONG) return 0;
    const int sync = now - j->synced >= SYNC;
    j->written = now;
    if (sync) j->synced = now;
    return pn_journal_flush(j, sync);
}

void pn_journal_close(pn_journal *j)
{
    if (j->file >= 0) close(j->file);
    j->file = -1;
    pn_text_free(&j->waiting);
    free(j->path);
    j->path = NULL;
}

/* ------------------------------------------------------------------------------------------------
 * Reading */

/* Has `count` bytes at buffer + used, as far as the file has them: 1, 0 where it ends before, -1 out of
 * memory or when it cannot be read. */
static int fill(pn_journal_reader *j, uint64_t count)
{
    if (j->number) return -1;
    if (j->filled - j->used >= count) return 1;
    if (count > j->size - (j->place + j->used)) return 0;
    memmove(j->buffer, j->buffer + j->used, j->filled - j->used);
    j->place += j->used;
    j->filled -= j->used;
    j->used = 0;
    if (count > j->capacity) {
        unsigned char *more = realloc(j->buffer, (size_t)count);
        if (!more) return -1;
        j->buffer = more;
        j->capacity = (size_t)count;
    }
    const uint64_t left = j->size - (j->place + j->filled);
    const size_t room = j->capacity - j->filled;
    const long got = pn_file_read_some(j->file, j->buffer + j->filled, left < room ? (size_t)left : room);
    if (got < 0) {
        j->number = errno;
        return -1;
    }
    j->filled += (size_t)got;
    return j->filled >= count;
}

/* A text of the head in new memory. */
static char *take(const unsigned char **at, uint64_t size)
{
    char *text = malloc((size_t)size + 1);
    if (!text) return NULL;
    memcpy(text, *at, (size_t)size);
    text[size] = '\0';
    *at += size;
    return text;
}

/* Whether there are so many names and units. */
static int names_fit(const pn_journal_reader *j)
{
    size_t zeros = 0;
    for (size_t i = 0; i < j->names_size; i++) zeros += j->names[i] == '\0';
    return zeros == 2 * (size_t)j->columns && (j->names_size == 0 || j->names[j->names_size - 1] == '\0');
}

static const char unread[] = "cannot be read";

/* The head: NULL when it is read, else what is wrong. */
static const char *read_head(pn_journal_reader *j)
{
    static const char wrong[] = "not a file of a sweep, or damaged";
    const int start = fill(j, HEAD);
    if (start < 0) return unread;
    if (start == 0 || memcmp(j->buffer, magic, sizeof magic) != 0) return wrong;
    const uint64_t length = get(j->buffer + 8, 8);
    if (length > MOST || length < HEAD + 8) return wrong;
    const int all = fill(j, length);
    if (all != 1) return all < 0 ? unread : wrong;
    const unsigned char *head = j->buffer, *at = head + HEAD;
    const uint64_t plan = get(head + 120, 8), model = get(head + 128, 8), names = get(head + 136, 8);
    if (plan > length || model > length || names > length || HEAD + plan + model + names + 8 != length)
        return wrong;
    if (pn_fnv1a(PN_FNV1A, head, (size_t)length - 8) != get(head + length - 8, 8)) return wrong;
    memcpy(j->identity, head + 16, 64);
    j->identity[64] = '\0';
    j->first = get(head + 80, 8);
    j->count = get(head + 88, 8);
    j->scalars = (uint32_t)get(head + 96, 4);
    j->columns = (uint32_t)get(head + 100, 4);
    memcpy(j->isa, head + 104, sizeof j->isa);
    j->isa[sizeof j->isa - 1] = '\0';
    j->plan = take(&at, plan);
    j->model = take(&at, model);
    j->names = take(&at, names);
    j->names_size = (size_t)names;
    if (!j->plan || !j->model || !j->names) return "out of memory";
    if (!names_fit(j)) return wrong;
    j->used = (size_t)length;
    j->head = j->at = length;
    return NULL;
}

/* Without its file and its buffer, until it is read again: there may be more journals than files can be open. */
static void rest(pn_journal_reader *j)
{
    if (j->file >= 0) close(j->file);
    j->file = -1;
    free(j->buffer);
    j->buffer = NULL;
    j->capacity = j->used = j->filled = 0;
}

pinion_status pn_journal_open(pn_journal_reader *j, const char *path, pinion_error *err)
{
    struct stat about;
    *j = (pn_journal_reader){.file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), .path = path};
    if (j->file < 0 || fstat(j->file, &about) != 0 || !S_ISREG(about.st_mode)) {
        pn_error_set(err, PINION_ERR_FILE, path, 0, 0, "cannot be read: %s",
                     j->file < 0 ? strerror(errno) : "not a file");
        pn_journal_end(j);
        return PINION_ERR_FILE;
    }
    j->size = (uint64_t)about.st_size;
    j->capacity = BUFFER;
    j->buffer = malloc(j->capacity);
    const char *wrong = j->buffer ? read_head(j) : "out of memory";
    if (!wrong) {
        rest(j);
        return PINION_OK;
    }
    if (wrong == unread) {
        pn_journal_complain(j, 1, err);
        const pinion_status status = j->number ? PINION_ERR_FILE : PINION_ERR_MEMORY;
        pn_journal_end(j);
        return status;
    }
    const pinion_status status = strcmp(wrong, "out of memory") == 0 ? PINION_ERR_MEMORY : PINION_ERR_PARSE;
    pn_error_set(err, status, path, 0, 0, "%s", wrong);
    pn_journal_end(j);
    return status;
}

static int next(pn_journal_reader *j, pinion_sweep_record *record)
{
    int got = fill(j, 8);
    if (got != 1) return got;
    const uint64_t length = get(j->buffer + j->used, 8), fixed = RECORD + 8 * (uint64_t)j->scalars;
    if (length < fixed || length > MOST || length % 8 != 0) return 0;
    got = fill(j, length + 16);
    if (got != 1) return got;
    unsigned char *b = j->buffer + j->used, *at = b + 8;
    if (pn_sum_eights(b, (size_t)length + 8) != get(b + 8 + length, 8)) return 0;
    const uint64_t why = get(at + 12, 4), rows = get(at + 24, 8), outcome = get(at + 8, 4),
                   padded = (why + 7) / 8 * 8, left = length - fixed;
    memset(record, 0, sizeof *record);
    record->run = get(at, 8);
    record->t_end = number_of(at + 16);
    record->columns = (int)j->columns;
    if (why >= PINION_SWEEP_WHY || padded > left || outcome >= PINION_SWEEP_OUTCOME_COUNT) return 0;
    if (record->run < j->first || record->run - j->first >= j->count) return 0;
    if (rows > MOST || (j->columns ? (left - padded) / 8 / j->columns != rows : rows != 0) ||
        (left - padded) != 8 * rows * j->columns)
        return 0;
    record->outcome = (pinion_sweep_outcome)outcome;
    record->rows = (size_t)rows;
    /* records are whole eights from the head's end on, which is not; numbers are put where they may be read
     * from */
    at += RECORD;
    double *numbers = (double *)(void *)(j->buffer + (j->used + 7) / 8 * 8);
    for (uint64_t i = 0; i < j->scalars; i++) numbers[i] = number_of(at + 8 * i);
    at += 8 * (uint64_t)j->scalars;
    memcpy(record->why, at, (size_t)why);
    at += padded;
    double *row = numbers + j->scalars;
    for (uint64_t i = 0; i < rows * j->columns; i++) row[i] = number_of(at + 8 * i);
    record->scalars = numbers;
    record->row = row;
    j->used += (size_t)length + 16;
    j->at = j->place + j->used;
    return 1;
}

int pn_journal_next(pn_journal_reader *j, pinion_sweep_record *record)
{
    const int got = j->file >= 0 ? next(j, record) : j->number ? -1 : 0;
    if (got != 1) rest(j);
    return got;
}

void pn_journal_rewind(pn_journal_reader *j)
{
    rest(j);
    j->place = j->at = j->head;
    j->capacity = BUFFER;
    j->buffer = malloc(j->capacity);
    j->file = open(j->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    j->number = !j->buffer ? ENOMEM : j->file < 0 || lseek(j->file, (off_t)j->place, SEEK_SET) < 0 ? errno : 0;
}

void pn_journal_forget_texts(pn_journal_reader *j)
{
    free(j->plan);
    free(j->model);
    free(j->names);
    j->plan = j->model = j->names = NULL;
}

pinion_status pn_journal_complain(const pn_journal_reader *journals, int count, pinion_error *err)
{
    for (int i = 0; i < count; i++)
        if (journals[i].number && journals[i].number != ENOMEM)
            return pn_error_set(err, PINION_ERR_FILE, journals[i].path, 0, 0, "%s: %s", unread,
                                strerror(journals[i].number));
    return pn_error_set(err, PINION_ERR_MEMORY, NULL, 0, 0, "out of memory");
}

void pn_journal_end(pn_journal_reader *j)
{
    rest(j);
    pn_journal_forget_texts(j);
    *j = (pn_journal_reader){.file = -1};
}
