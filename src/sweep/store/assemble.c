/* Records that came in any order become a file by index. The file is mapped into memory, so that the system
 * keeps no more of it there than there is room for. */
#define _POSIX_C_SOURCE 200809L
#include "sweep/store/assemble.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/file.h"
#include "sweep/store/result_statistics.h"

/* ------------------------------------------------------------------------------------------------
 * The file in memory */

typedef struct image {
    unsigned char *at;
    size_t size;
    int file;
} image;

static void put(image *m, uint64_t at, uint64_t x, int bytes)
{
    for (int i = 0; i < bytes; i++) m->at[at + (uint64_t)i] = (unsigned char)(x >> (8 * i));
}

static uint64_t get(const image *m, uint64_t at)
{
    uint64_t x = 0;
    for (int i = 7; i >= 0; i--) x = x << 8 | m->at[at + (uint64_t)i];
    return x;
}

static void put_number(image *m, uint64_t at, double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    put(m, at, bits, 8);
}

/* The whole file, with room on the disk for all of it: writing into it cannot fail any more. 0, or the error
 * number. */
static int map(image *m, const char *path, uint64_t size)
{
    *m = (image){.file = open(path, O_RDWR | O_CLOEXEC), .size = (size_t)size};
    if (m->file < 0) return errno;
    int number = posix_fallocate(m->file, 0, (off_t)size);
    if (number) return number;
    void *at = mmap(NULL, m->size, PROT_READ | PROT_WRITE, MAP_SHARED, m->file, 0);
    if (at == MAP_FAILED) return errno;
    m->at = at;
    return 0;
}

/* On the disk, for good. */
static int unmap(image *m, int number)
{
    if (m->at && !number && msync(m->at, m->size, MS_SYNC) != 0) number = errno;
    if (m->at) munmap(m->at, m->size);
    if (m->file >= 0 && !number && fsync(m->file) != 0) number = errno;
    if (m->file >= 0 && close(m->file) != 0 && !number) number = errno;
    return number;
}

/* What was added to the file afterwards is on the disk, too: 0, or the error number. */
static int settle(const char *path)
{
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    const int number = file < 0 || fsync(file) != 0 ? errno : 0;
    if (file >= 0) close(file);
    return number;
}

/* ------------------------------------------------------------------------------------------------
 * Passes */

static pinion_status put_parameters(const pinion_sweep *s, const pn_layout *l, image *m)
{
    double *x = malloc(((size_t)s->parameter_count + 1) * sizeof *x);
    pinion_status status = x ? PINION_OK : PINION_ERR_MEMORY;
    for (uint64_t run = 0; run < l->runs && status == PINION_OK; run++) {
        status = pinion_sweep_parameters(s, run, x);
        for (int i = 0; i < s->parameter_count && status == PINION_OK; i++)
            put_number(m, l->parameters[i] + 8 * run, x[i]);
    }
    free(x);
    return status;
}

static void put_record(const pinion_sweep *s, const pn_layout *l, image *m, const pinion_sweep_record *r)
{
    for (int i = 0; i < s->kept_count; i++) put_number(m, l->scalars[i] + 8 * r->run, r->scalars[i]);
    m->at[l->outcome + r->run] = (unsigned char)r->outcome;
    put_number(m, l->t_end + 8 * r->run, r->t_end);
    if (s->rows != PN_ROWS_NONE) put(m, l->first + 8 * (r->run + 1), r->rows, 8);
}

/* Which runs are not complete, in order, and where the rows of each begin. */
static void put_orders(const pinion_sweep *s, const pn_layout *l, image *m)
{
    const uint64_t runs = l->runs;
    uint64_t failure = 0, row = 0;
    for (uint64_t run = 0; run < runs; run++)
        if (m->at[l->outcome + run]) put(m, l->failure_index + 8 * failure++, run, 8);
    if (s->rows == PN_ROWS_NONE) return;
    put(m, l->first, 0, 8);
    for (uint64_t run = 1; run <= runs; run++) {
        row += get(m, l->first + 8 * run);
        put(m, l->first + 8 * run, row, 8);
    }
}

/* The place of a run among those that are not complete. */
static uint64_t failure_of(const pn_layout *l, const image *m, uint64_t run)
{
    uint64_t low = 0, high = l->failures;
    while (high - low > 1) {
        const uint64_t middle = low + (high - low) / 2;
        *(get(m, l->failure_index + 8 * middle) <= run ? &low : &high) = middle;
    }
    return low;
}

static void put_details(const pinion_sweep *s, const pn_layout *l, image *m, const pinion_sweep_record *r)
{
    (void)s;
    if (r->outcome != PINION_SWEEP_COMPLETE) {
        unsigned char *text = m->at + l->failure_text + PINION_SWEEP_WHY * failure_of(l, m, r->run);
        memset(text, 0, PINION_SWEEP_WHY);
        memcpy(text, r->why, strlen(r->why));
    }
    if (r->rows == 0) return;
    const uint64_t first = get(m, l->first + 8 * r->run);
    for (size_t k = 0; k < r->rows; k++)
        for (int i = 0; i < r->columns; i++)
            put_number(m, l->columns[i] + 8 * (first + k), r->row[k * (size_t)r->columns + (size_t)i]);
}

/* All records; of a run that is there more than once the first. */
static pinion_status
pass(const pinion_sweep *s, int count, pn_journal_reader *journals, const pn_layout *l, image *m,
     void (*each)(const pinion_sweep *, const pn_layout *, image *, const pinion_sweep_record *), pinion_error *err)
{
    pn_tally_sheet sheet;
    pinion_sweep_record record;
    if (!pn_sheet_new(&sheet, 0, l->runs)) return pn_error_set(err, PINION_ERR_MEMORY, NULL, 0, 0, "out of memory");
    int more = 0;
    for (int i = 0; i < count && more >= 0; i++) {
        pn_journal_rewind(&journals[i]);
        while ((more = pn_journal_next(&journals[i], &record)) > 0)
            if (pn_sheet_count(&sheet, &record)) each(s, l, m, &record);
    }
    /* a journal that changed since it was counted */
    const pinion_status status = more < 0 ? pn_journal_complain(journals, count, err) : pn_sheet_whole(&sheet, err);
    pn_sheet_free(&sheet);
    return status;
}

/* What grows with the runs while they are found goes into a file beside the result, where it is much. */
static pinion_status find_statistics(const pinion_sweep *s, const pn_layout *l, const image *m, const char *temporary,
                                     pn_statistics *statistics, pinion_error *err)
{
    char path[4200];
    snprintf(path, sizeof path, "%.4095s.scratch", temporary);
    const int number = pn_statistics_find(statistics, s, l, m->at, path);
    if (number == ENOMEM) return pn_error_set(err, PINION_ERR_MEMORY, NULL, 0, 0, "out of memory");
    return number ? pn_file_not_written(err, path, number) : PINION_OK;
}

/* Whether a file of this size can be made there. It is asked for before HDF5 makes one: a file that the library cannot
 * write, and then not close either, ends the process. 0, or the error number. */
static int try_size(const char *path, double size)
{
    const int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (file < 0) return errno;
    const int number = posix_fallocate(file, 0, (off_t)size);
    close(file);
    return number == EFBIG || number == ENOSPC || number == EDQUOT ? number : 0;
}

/* ------------------------------------------------------------------------------------------------ */

pinion_status pn_assemble(const pinion_sweep *s, int count, pn_journal_reader *journals,
                          const pn_tally_sheet *sheet, const char *temporary, const char *path,
                          pinion_error *err)
{
    pn_layout l = {0};
    image m = {.file = -1};
    pn_statistics statistics = {0};
    pinion_status status = pn_sheet_whole(sheet, err);
    if (status == PINION_OK) {
        const double runs = (double)sheet->count, size = pinion_sweep_result_size(s, (double)sheet->rows / runs,
                                                                                  (double)sheet->failures / runs);
        const int full = try_size(temporary, 1.05 * size);
        if (full) status = pn_file_not_written(err, path, full);
    }
    if (status == PINION_OK)
        status = pn_layout_create(&l, s, temporary, sheet->count, sheet->failures, sheet->rows, err);
    if (status != PINION_OK) {
        pn_layout_free(&l);
        unlink(temporary);
        return status;
    }
    int number = map(&m, temporary, l.size);
    if (!number) {
        status = put_parameters(s, &l, &m);
        if (status != PINION_OK) pn_error_set(err, status, NULL, 0, 0, "%s", pinion_status_text(status));
        if (status == PINION_OK) status = pass(s, count, journals, &l, &m, put_record, err);
        if (status == PINION_OK) put_orders(s, &l, &m);
        if (status == PINION_OK) status = pass(s, count, journals, &l, &m, put_details, err);
        if (status == PINION_OK && s->statistics) status = find_statistics(s, &l, &m, temporary, &statistics, err);
    }
    number = unmap(&m, number);
    pn_layout_free(&l);
    if (!number && status == PINION_OK && s->statistics) {
        status = pn_statistics_put(&statistics, s, temporary, err);
        number = status == PINION_OK ? settle(temporary) : 0;
    }
    pn_statistics_free(&statistics);
    if (!number && status == PINION_OK) return pn_take_place(temporary, path, err);
    unlink(temporary);
    return number ? pn_file_not_written(err, path, number) : status;
}
