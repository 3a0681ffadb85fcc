/* Records that came in any order become a file by index. Every process of a team puts those of its own journals there,
 * on all its threads: the places of all numbers are known before. */
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
#include "sweep/store/gather.h"
#include "sweep/store/result_statistics.h"

typedef struct assembly {
    const pinion_sweep *s;
    const pn_crew *crew;
    int count;
    pn_journal_reader *journals;
    const pn_tally_sheet *sheet;
    const char *path, *result; /* of the file while it is made, and then */
    int width;                 /* of numbers that are summed up; 0: no sum is needed */
    pn_layout l;
    int file;                  /* -1: it is not open */
    const unsigned char *at;   /* the file to be read; NULL: it is not mapped */
    atomic_int next, number;   /* journals that are taken; what went wrong first, an error number */
    atomic_int unread;         /* a journal could not be read */
    atomic_ullong slice, put;  /* slices of runs that are taken; records that were put */
    atomic_ullong sum;         /* of all that this process wrote */
    pn_tally_sheet *seen;      /* NULL: no run is there twice */
} assembly;

enum { SLICE = 8192 }; /* runs whose parameters a thread finds at a time */

static pinion_status no_memory(pinion_error *err)
{
    return pn_error_set(err, PINION_ERR_MEMORY, NULL, 0, 0, "out of memory");
}

static void fail(assembly *a, int number)
{
    int none = 0;
    if (number) atomic_compare_exchange_strong(&a->number, &none, number);
}

static uint64_t get(const assembly *a, uint64_t at)
{
    uint64_t x = 0;
    for (int i = 7; i >= 0; i--) x = x << 8 | a->at[at + (uint64_t)i];
    return x;
}

/* ------------------------------------------------------------------------------------------------
 * The file. It is closed after each step, so that other machines see what was written. */

static int open_file(assembly *a, int maps)
{
    a->file = open(a->path, O_RDWR | O_CLOEXEC);
    if (a->file < 0) return errno;
    void *at = maps ? mmap(NULL, (size_t)a->l.size, PROT_READ, MAP_SHARED, a->file, 0) : NULL;
    if (at == MAP_FAILED) return errno;
    a->at = at;
    return 0;
}

/* `sync`: it is on the disk, for good. */
static int close_file(assembly *a, int sync, int number)
{
    if (a->at) munmap((void *)(uintptr_t)a->at, (size_t)a->l.size);
    a->at = NULL;
    if (a->file >= 0 && sync && !number && fsync(a->file) != 0) number = errno;
    if (a->file >= 0 && close(a->file) != 0 && !number) number = errno;
    a->file = -1;
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

/* The file without its numbers, with room on the disk for all of it. */
static pinion_status create(assembly *a, pinion_error *err)
{
    const double runs = (double)a->sheet->count, rows = (double)a->sheet->rows, failed = (double)a->sheet->failures;
    int number = try_size(a->path, 1.05 * pinion_sweep_result_size(a->s, rows / runs, failed / runs));
    if (number) return pn_file_not_written(err, a->result, number);
    const pinion_status status =
        pn_layout_create(&a->l, a->s, a->path, a->sheet->count, a->sheet->failures, a->sheet->rows, err);
    if (status != PINION_OK) return status;
    number = open_file(a, 0);
    if (!number) number = posix_fallocate(a->file, 0, (off_t)a->l.size);
    number = close_file(a, 0, number);
    return number ? pn_file_not_written(err, a->result, number) : PINION_OK;
}

/* ------------------------------------------------------------------------------------------------
 * Steps that all threads of all processes do together */

/* The parameters of all runs, of which this process has a part. */
static void put_parameters(void *shared)
{
    assembly *a = shared;
    const uint64_t runs = a->l.runs, ranks = (uint64_t)pn_crew_ranks(a->crew),
                   rank = a->crew->team ? (uint64_t)a->crew->team->rank : 0, each = runs / ranks + 1,
                   first = rank * each < runs ? rank * each : runs, end = runs - first < each ? runs : first + each;
    pn_gather g;
    double *x = malloc(((size_t)a->s->parameter_count + 1) * sizeof *x);
    if (!pn_gather_open(&g, a->file, a->s->parameter_count, a->width) || !x) fail(a, ENOMEM);
    for (uint64_t at; !a->number && (at = first + SLICE * atomic_fetch_add(&a->slice, 1)) < end;)
        for (uint64_t run = at; run < end && run < at + SLICE && !a->number; run++) {
            if (pinion_sweep_parameters(a->s, run, x) != PINION_OK) fail(a, ENOMEM);
            for (int i = 0; i < a->s->parameter_count; i++)
                pn_gather_double(&g, i, a->l.parameters[i] + 8 * run, x[i]);
            if (g.number) fail(a, g.number);
        }
    fail(a, pn_gather_close(&g));
    a->sum += g.sum;
    free(x);
}

static void put_record(assembly *a, pn_gather *g, const pinion_sweep_record *r)
{
    const int n = a->s->kept_count;
    const pn_layout *l = &a->l;
    for (int i = 0; i < n; i++) pn_gather_double(g, i, l->scalars[i] + 8 * r->run, r->scalars[i]);
    pn_gather_double(g, n, l->t_end + 8 * r->run, r->t_end);
    pn_gather_put(g, n + 1, l->outcome + r->run, (uint64_t)r->outcome, 1);
    if (a->s->rows != PN_ROWS_NONE) pn_gather_put(g, n + 2, l->first + 8 * (r->run + 1), r->rows, 8);
}

/* The place of a run among those that are not complete. */
static uint64_t failure_of(const assembly *a, uint64_t run)
{
    uint64_t low = 0, high = a->l.failures;
    while (high - low > 1) {
        const uint64_t middle = low + (high - low) / 2;
        *(get(a, a->l.failure_index + 8 * middle) <= run ? &low : &high) = middle;
    }
    return low;
}

static void put_details(assembly *a, pn_gather *g, const pinion_sweep_record *r)
{
    const pn_layout *l = &a->l;
    if (r->outcome != PINION_SWEEP_COMPLETE) {
        char text[PINION_SWEEP_WHY] = {0};
        memcpy(text, r->why, strlen(r->why));
        pn_gather_bytes(g, r->columns, l->failure_text + PINION_SWEEP_WHY * failure_of(a, r->run), text, sizeof text);
    }
    if (r->rows == 0) return;
    const uint64_t first = get(a, l->first + 8 * r->run);
    if (first > l->rows || r->rows > l->rows - first) return; /* what others wrote is not there: the sum tells */
    for (int i = 0; i < r->columns; i++)
        for (size_t k = 0; k < r->rows; k++)
            pn_gather_double(g, i, l->columns[i] + 8 * (first + k), r->row[k * (size_t)r->columns + (size_t)i]);
}

static void pass(assembly *a, pn_gather *g, void (*each)(assembly *, pn_gather *, const pinion_sweep_record *))
{
    pinion_sweep_record record;
    uint64_t put = 0;
    for (int i; !a->number && !a->unread && (i = atomic_fetch_add(&a->next, 1)) < a->count;) {
        pn_journal_reader *j = &a->journals[i];
        int more;
        pn_journal_rewind(j);
        while ((more = pn_journal_next(j, &record)) > 0 && !g->number) {
            if (a->seen ? !pn_sheet_count(a->seen, &record) : record.run >= a->l.runs) continue;
            each(a, g, &record);
            put++;
        }
        if (more < 0) a->unread = 1;
    }
    fail(a, pn_gather_close(g));
    a->sum += g->sum;
    a->put += put;
}

static void put_records(void *shared)
{
    assembly *a = shared;
    pn_gather g;
    const int n = a->s->kept_count;
    if (!pn_gather_open(&g, a->file, n + 3, a->width)) fail(a, ENOMEM);
    if (!g.number) {
        g.stream[n + 1].width = a->width ? 1 : 0;
        g.stream[n + 2].width = 0; /* put_orders() adds them up */
    }
    pass(a, &g, put_record);
}

static void put_all_details(void *shared)
{
    assembly *a = shared;
    pn_gather g;
    if (!pn_gather_open(&g, a->file, a->s->column_count + 1, a->width)) fail(a, ENOMEM);
    pass(a, &g, put_details);
}

/* One such step, with threads for `parts` that each do by themselves. `records`: each is to be put once. */
static pinion_status together(assembly *a, void (*work)(void *), int parts, int maps, int records, pinion_error *err)
{
    const int threads = a->crew->threads < parts ? a->crew->threads : parts;
    pn_tally_sheet seen = {0};
    pinion_status status = PINION_OK;
    uint64_t put = 0;
    a->next = 0;
    a->slice = a->put = 0;
    if (records && a->sheet->again) {
        if (!pn_sheet_new(&seen, 0, a->l.runs)) status = no_memory(err);
        a->seen = &seen;
    }
    fail(a, open_file(a, maps));
    if (status == PINION_OK && !a->number) pn_crew_work(a->seen ? 1 : threads, work, a);
    fail(a, close_file(a, 0, a->number));
    a->seen = NULL;
    pn_sheet_free(&seen);
    if (a->unread) status = pn_journal_complain(a->journals, a->count, err);
    if (status == PINION_OK && a->number)
        status = a->number == ENOMEM ? no_memory(err) : pn_file_not_written(err, a->result, a->number);
    status = pn_crew_agree(a->crew, status, err);
    put = a->put;
    if (status == PINION_OK) status = pn_crew_sum(a->crew, &put, 1, err);
    if (status == PINION_OK && records && put != a->l.runs)
        status = pn_error_set(err, PINION_ERR_FILE, a->path, 0, 0,
                              "the journals beside it changed while it was made: %llu of %llu runs are there",
                              (unsigned long long)put, (unsigned long long)a->l.runs);
    return status;
}

/* ------------------------------------------------------------------------------------------------
 * Steps of rank 0 */

/* Which runs are not complete, in order, and where the rows of each begin. */
static int put_orders(assembly *a)
{
    const pn_layout *l = &a->l;
    pn_gather g;
    uint64_t failure = 0, row = 0;
    int number = open_file(a, 1);
    if (!pn_gather_open(&g, a->file, 2, a->width) && !number) number = ENOMEM;
    for (uint64_t run = 0; !number && run < l->runs; run++)
        if (a->at[l->outcome + run] && failure < l->failures)
            pn_gather_put(&g, 0, l->failure_index + 8 * failure++, run, 8);
    const uint64_t starts = number || a->s->rows == PN_ROWS_NONE ? 0 : l->runs + 1;
    for (uint64_t run = 0; run < starts; run++) {
        if (run > 0) row += get(a, l->first + 8 * run);
        pn_gather_put(&g, 1, l->first + 8 * run, row, 8);
    }
    const int unwritten = pn_gather_close(&g);
    a->sum += g.sum;
    return close_file(a, 0, number ? number : unwritten);
}

/* What grows with the runs while they are found goes into a file beside the result, where it is much. */
static pinion_status find_statistics(assembly *a, pn_statistics *statistics, pinion_error *err)
{
    char path[4200];
    snprintf(path, sizeof path, "%.4095s.scratch", a->path);
    int number = open_file(a, 1);
    if (number) return pn_file_not_written(err, a->result, close_file(a, 0, number));
    number = pn_statistics_find(statistics, a->s, &a->l, a->at, path, a->crew->threads);
    close_file(a, 0, 0);
    if (number == ENOMEM) return no_memory(err);
    return number ? pn_file_not_written(err, path, number) : PINION_OK;
}

/* The statistics, and all of it for good in its place. */
static pinion_status complete(assembly *a, pinion_error *err)
{
    pn_statistics statistics = {0};
    pinion_status status = a->s->statistics ? find_statistics(a, &statistics, err) : PINION_OK;
    if (status == PINION_OK && a->s->statistics) status = pn_statistics_put(&statistics, a->s, a->path, err);
    pn_statistics_free(&statistics);
    const int number = status == PINION_OK ? settle(a->path) : 0;
    if (number) status = pn_file_not_written(err, a->result, number);
    return status == PINION_OK ? pn_take_place(a->path, a->result, err) : status;
}

/* ------------------------------------------------------------------------------------------------
 * Whether the file has what all processes wrote: there are file systems that lose it where two machines write near
 * each other. Each reads a part. */

static int sum_part(assembly *a, uint64_t at, uint64_t count, int width, uint64_t *sum)
{
    enum { PIECE = 1 << 20 };
    const uint64_t ranks = (uint64_t)a->crew->team->ranks, rank = (uint64_t)a->crew->team->rank,
                   each = count / ranks + 1, first = rank * each < count ? rank * each : count,
                   last = count - first < each ? count : first + each, end = at + last * (uint64_t)width;
    unsigned char *bytes = malloc(PIECE);
    int number = bytes ? 0 : ENOMEM;
    for (uint64_t from = at + first * (uint64_t)width; from < end && !number;) {
        const size_t size = end - from < PIECE ? (size_t)(end - from) : PIECE;
        size_t got = 0;
        while (got < size && !number) {
            const ssize_t more = pread(a->file, bytes + got, size - got, (off_t)(from + got));
            if (more > 0)
                got += (size_t)more;
            else if (more == 0 || errno != EINTR)
                number = more == 0 ? EIO : errno;
        }
        if (!number) *sum += pn_gather_sum(bytes, size, from, width);
        from += size;
    }
    free(bytes);
    return number;
}

static int sum_file(assembly *a, uint64_t *sum)
{
    const pn_layout *l = &a->l;
    int number = open_file(a, 0);
    for (int i = 0; i < a->s->parameter_count && !number; i++)
        number = sum_part(a, l->parameters[i], l->runs, 8, sum);
    for (int i = 0; i < a->s->kept_count && !number; i++) number = sum_part(a, l->scalars[i], l->runs, 8, sum);
    for (int i = 0; i < a->s->column_count && !number && l->rows; i++)
        number = sum_part(a, l->columns[i], l->rows, 8, sum);
    if (!number) number = sum_part(a, l->outcome, l->runs, 1, sum);
    if (!number) number = sum_part(a, l->t_end, l->runs, 8, sum);
    if (!number) number = sum_part(a, l->failure_index, l->failures, 8, sum);
    if (!number) number = sum_part(a, l->failure_text, l->failures * (PINION_SWEEP_WHY / 8), 8, sum);
    if (!number && a->s->rows != PN_ROWS_NONE) number = sum_part(a, l->first, l->runs + 1, 8, sum);
    return close_file(a, 1, number);
}

static pinion_status verify(assembly *a, int *torn, pinion_error *err)
{
    uint64_t sums[2] = {a->sum, 0};
    if (pn_crew_ranks(a->crew) == 1) return PINION_OK;
    const int number = sum_file(a, &sums[1]);
    pinion_status status = number ? pn_file_not_written(err, a->result, number) : PINION_OK;
    status = pn_crew_agree(a->crew, status, err);
    if (status == PINION_OK) status = pn_crew_sum(a->crew, sums, 2, err);
    *torn = status == PINION_OK && sums[0] != sums[1];
    return status;
}

/* ------------------------------------------------------------------------------------------------ */

/* Where the numbers go, from rank 0. */
static pinion_status share_layout(assembly *a, pinion_error *err)
{
    pn_layout *l = &a->l;
    uint64_t numbers[] = {l->size, l->outcome, l->t_end,    l->failure_index, l->failure_text,
                          l->first, l->runs,   l->failures, l->rows};
    if (!a->crew->team) return PINION_OK;
    pinion_status status = pn_crew_first(a->crew) || pn_layout_allocate(l, a->s) ? PINION_OK : no_memory(err);
    status = pn_crew_agree(a->crew, status, err);
    if (status == PINION_OK) status = pn_crew_share(a->crew, numbers, sizeof numbers, err);
    const struct {
        uint64_t *at;
        int count;
    } part[] = {{l->parameters, a->s->parameter_count},
                {l->scalars, a->s->kept_count},
                {l->columns, a->s->column_count}};
    for (int i = 0; i < 3 && status == PINION_OK; i++)
        status = pn_crew_share(a->crew, part[i].at, (size_t)part[i].count * sizeof *part[i].at, err);
    l->size = numbers[0], l->outcome = numbers[1], l->t_end = numbers[2], l->failure_index = numbers[3];
    l->failure_text = numbers[4], l->first = numbers[5];
    l->runs = numbers[6], l->failures = numbers[7], l->rows = numbers[8];
    return status;
}

pinion_status pn_assemble(const pinion_sweep *s, const pn_crew *crew, int count, pn_journal_reader *journals,
                          const pn_tally_sheet *sheet, const char *temporary, const char *path, int *torn,
                          pinion_error *err)
{
    assembly a = {.s = s, .crew = crew, .count = count, .journals = journals, .sheet = sheet, .file = -1};
    const int first = pn_crew_first(crew), parts = sheet->count / SLICE < 1000 ? (int)(sheet->count / SLICE) + 1 : 1000;
    a.path = temporary;
    a.result = path;
    a.width = pn_crew_ranks(crew) > 1 ? 8 : 0;
    *torn = 0;
    pinion_status status = pn_sheet_whole(sheet, err);
    if (status == PINION_OK && first) status = create(&a, err);
    status = pn_crew_agree(crew, status, err);
    if (status == PINION_OK) status = share_layout(&a, err);
    if (status == PINION_OK) status = together(&a, put_parameters, parts, 0, 0, err);
    if (status == PINION_OK) status = together(&a, put_records, count, 0, 1, err);
    if (status == PINION_OK && first) {
        const int number = put_orders(&a);
        if (number) status = pn_file_not_written(err, path, number);
    }
    status = pn_crew_agree(crew, status, err);
    if (status == PINION_OK && (sheet->failures || sheet->rows))
        status = together(&a, put_all_details, count, 1, 1, err);
    if (status == PINION_OK) status = verify(&a, torn, err);
    if (status == PINION_OK && !*torn && first) status = complete(&a, err);
    if ((status != PINION_OK || *torn) && first) unlink(temporary);
    pn_layout_free(&a.l);
    return status;
}
