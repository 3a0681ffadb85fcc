/* Checkpoints of a run. A checkpoint is a result file (HDF5) with the rows and events so far and the numbers of
 * pinion_sim_store(). Resuming starts where the numbers say. Where a run that cannot be stored is interrupted that is
 * earlier, and the checkpoint says how many steps it had taken since. */
#include "sim/run/run_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT "checkpoint"
#define MEMORY "checkpoint_memory"
#define PROGRESS "checkpoint_progress" /* rows, checkpoints that are past, steps to be taken again */
#define LARGEST "checkpoint_largest"   /* what the rows had, where they are not kept */
#define APPLIED "checkpoint_applied"   /* by hand */
#define PAIRS "checkpoint_pairs"       /* that got their columns late */
enum { PROGRESSES = 3, LARGESTS = sizeof(pn_run_largest) / sizeof(double) };

/* Words about a call that failed; the run goes on if it did. */
static pinion_status refuse(pinion_run *r, pinion_status status, const char *words, const char *more)
{
    snprintf(r->why, sizeof r->why, "%s%s", words, more);
    r->last = status;
    return status;
}

/* The table's model has a hash from here on. */
static pinion_status identify(pinion_run *r)
{
    return pinion_result_get(r->table, "model_hash") ? PINION_OK : pinion_result_set_model(r->table, r->m, NULL);
}

/* Copies columns, and rows and events up to the base. */
static pinion_status copy_table(const pinion_run *r, pinion_result *to)
{
    pinion_status status = PINION_OK;
    const int columns = pn_contacts_all(r);
    for (int i = 0; i < columns && status == PINION_OK; i++) {
        pinion_column column;
        status = pinion_result_column(r->table, i, &column);
        if (status == PINION_OK) status = pinion_result_add_column(to, column.name, column.unit);
    }
    const size_t kept = pinion_result_row_count(r->table);
    for (size_t i = 0; i < kept && (double)i < r->base.rows && status == PINION_OK; i++) {
        for (int c = 0; c < columns; c++) r->row[c] = pinion_result_values(r->table, c)[i];
        status = pinion_result_add_row(to, r->row);
    }
    for (int i = 0; i < r->base.events && status == PINION_OK; i++) {
        double t = 0;
        const char *text = pinion_result_event(r->table, i, &t);
        status = pinion_result_add_event(to, t, text);
    }
    return status;
}

pinion_status pn_run_keep(pinion_run *r)
{
    pn_run_base *b = &r->base;
    const int size = pinion_sim_memory_size(r->sim);
    double *memory = realloc(b->memory, (size_t)(size + r->applied.count + 1) * sizeof *memory);
    if (!memory) return PINION_ERR_MEMORY;
    b->memory = memory;
    b->size = size;
    b->rows = (double)r->next_row;
    b->checkpoints = r->checkpoints;
    b->events = pinion_result_event_count(r->table);
    b->largest = r->largest;
    for (int i = 0; i < r->applied.count; i++) memory[size + i] = r->applied.tau[i];
    const pinion_status status = pinion_sim_store(r->sim, memory);
    pinion_sim_counts(r->sim, &b->steps, NULL, NULL);
    return status;
}

/* A result that holds what the run had at its base, and what it needs to go on. */
static pinion_status collect(pinion_run *r, pinion_result *c)
{
    const pn_run_base *b = &r->base;
    long steps = 0;
    pinion_sim_counts(r->sim, &steps, NULL, NULL);
    if (steps < r->resumed_after) steps = r->resumed_after;
    const double progress[PROGRESSES] = {b->rows, b->checkpoints, (double)(steps - b->steps)};
    pinion_status status = identify(r);
    if (status == PINION_OK) status = pinion_result_set(c, "pinion_version", pinion_version());
    if (status == PINION_OK) status = pinion_result_set(c, "model_name", pinion_model_name(r->m));
    if (status == PINION_OK) status = pinion_result_set(c, "model_hash", pinion_result_get(r->table, "model_hash"));
    if (status == PINION_OK) status = pinion_result_set(c, "title", "checkpoint");
    if (status == PINION_OK && r->def.checkpoint_text) status = pinion_result_set(c, TEXT, r->def.checkpoint_text);
    if (status == PINION_OK) status = pinion_result_set_numbers(c, MEMORY, b->size, b->memory);
    if (status == PINION_OK) status = pinion_result_set_numbers(c, PROGRESS, PROGRESSES, progress);
    if (status == PINION_OK && !r->def.result)
        status = pinion_result_set_numbers(c, LARGEST, LARGESTS, (const double *)&b->largest);
    if (status == PINION_OK && r->def.by_hand)
        status = pinion_result_set_numbers(c, APPLIED, r->applied.count, b->memory + b->size);
    double pairs[PINION_RUN_PAIRS];
    for (int i = 0; i < r->late.count; i++) pairs[i] = r->late.pair[i];
    if (status == PINION_OK && r->late.count) status = pinion_result_set_numbers(c, PAIRS, r->late.count, pairs);
    return status == PINION_OK ? copy_table(r, c) : status;
}

pinion_status pn_run_write_base(pinion_run *r, const char *path)
{
    pinion_error err = {PINION_OK, 0, 0, ""};
    pinion_result *c = pinion_result_new();
    pinion_status status = c ? collect(r, c) : PINION_ERR_MEMORY;
    if (status != PINION_OK)
        refuse(r, status, "the checkpoint cannot be written: ", pinion_status_text(status));
    else if ((status = pinion_result_save(c, path, PINION_RESULT_HDF5, &err)) != PINION_OK)
        refuse(r, status, err.message, "");
    pinion_result_free(c);
    r->last = status;
    return status;
}

pinion_status pinion_run_store(pinion_run *r, const char *path)
{
    if (!r || !path) return PINION_ERR_ARGUMENT;
    if (!r->started) return refuse(r, PINION_ERR_ARGUMENT, "the run has not started", "");
    const pinion_status status = pn_run_keep(r);
    if (status != PINION_OK)
        return refuse(r, status, "the checkpoint cannot be written: ", pinion_status_text(status));
    return pn_run_write_base(r, path);
}

/* ---------------------------------------------------------------------------------------------
 * Reading */

/* Whether a checkpoint's table has the columns of the run's, once its late pairs have theirs. */
static int same_columns(pinion_run *r, const pinion_result *c)
{
    int count = 0;
    const double *pairs = pinion_result_numbers(c, PAIRS, &count);
    int same = pn_contacts_again(r, pairs ? count : 0, pairs) == PINION_OK &&
               pinion_result_column_count(c) == pn_contacts_all(r);
    for (int i = 0; same && i < pn_contacts_all(r); i++) {
        pinion_column x, own;
        same = pinion_result_column(c, i, &x) == PINION_OK && pinion_result_column(r->table, i, &own) == PINION_OK &&
               strcmp(x.name, own.name) == 0;
    }
    return same;
}

/* Whether it can be of this run: with all its rows, or none where nobody keeps them. */
static int fits(pinion_run *r, const pinion_result *c, const double *progress, const double *largest)
{
    const size_t rows = pinion_result_row_count(c);
    return progress && same_columns(r, c) && progress[0] >= 0 && progress[0] <= (double)r->rows &&
           progress[0] == floor(progress[0]) && progress[1] >= 0 && progress[1] < 1e15 && progress[2] >= 0 &&
           progress[2] < 1e15 &&
           (progress[0] == (double)rows || (rows == 0 && !r->def.result && largest));
}

/* What the checkpoint holds goes where rows and events go. */
static pinion_status replay(pinion_run *r, const pinion_result *c)
{
    pinion_status status = pn_run_begin(r);
    for (size_t i = 0; i < pinion_result_row_count(c) && status == PINION_OK; i++) {
        for (int k = 0; k < pn_contacts_all(r); k++) r->row[k] = pinion_result_values(c, k)[i];
        status = pn_run_put_row(r, r->row);
    }
    for (int i = 0; i < pinion_result_event_count(c) && status == PINION_OK; i++) {
        double t = 0;
        const char *text = pinion_result_event(c, i, &t);
        status = pn_run_put_event(r, t, text);
    }
    return status;
}

pinion_status pinion_run_resume(pinion_run *r, const pinion_result *c)
{
    if (!r || !c) return PINION_ERR_ARGUMENT;
    if (r->started || r->end != PINION_RUN_GOING)
        return refuse(r, PINION_ERR_ARGUMENT, "the run has started already", "");
    const pinion_status identified = identify(r);
    if (identified != PINION_OK) return refuse(r, identified, pinion_status_text(identified), "");
    const char *version = pinion_result_get(c, "pinion_version"), *hash = pinion_result_get(c, "model_hash");
    if (!version || strcmp(version, pinion_version()) != 0)
        return refuse(r, PINION_ERR_ARGUMENT, "the checkpoint was written by another version, pinion ",
                      version ? version : "?");
    if (!hash || strcmp(hash, pinion_result_get(r->table, "model_hash")) != 0)
        return refuse(r, PINION_ERR_ARGUMENT, r->def.model_file ? r->def.model_file : "the model",
                      " has changed since the checkpoint was written");
    int size = 0, numbers = 0, known = 0;
    const double *memory = pinion_result_numbers(c, MEMORY, &size),
                 *progress = pinion_result_numbers(c, PROGRESS, &numbers),
                 *largest = pinion_result_numbers(c, LARGEST, &known);
    if (!memory || !fits(r, c, numbers == PROGRESSES ? progress : NULL, known == LARGESTS ? largest : NULL))
        return refuse(r, PINION_ERR_ARGUMENT, "the checkpoint does not fit the run that it names", "");
    int applied = 0;
    const double *given = pinion_result_numbers(c, APPLIED, &applied);
    if ((given ? applied : 0) != r->applied.count)
        return refuse(r, PINION_ERR_ARGUMENT, "the checkpoint does not fit the run that it names", "");
    pinion_status status = given ? pn_run_reapply(r, given) : PINION_OK;
    if (status != PINION_OK) return r->last = status;
    status = pinion_sim_restore(r->sim, memory, size);
    if (status != PINION_OK)
        return refuse(r, status, "the checkpoint cannot be resumed: ", pinion_sim_message(r->sim));
    if (progress[0] != (double)pinion_result_row_count(c)) { /* rows that nobody kept */
        memcpy(&r->largest, largest, sizeof r->largest);
        r->next_row = (size_t)progress[0];
    }
    r->checkpoints = progress[1];
    pinion_sim_counts(r->sim, &r->resumed_after, NULL, NULL);
    r->resumed_after += (long)progress[2];
    return r->last = replay(r, c);
}
