/* States that were read, kept until all are known to be good. */
#include "cli/args/states.h"
#include "cli/print/print_text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MEMORY ((size_t)4 << 20) /* bytes; what is more goes to a file */

/* What comes before the numbers of a state. */
typedef struct head {
    int has_forces, constraints;
    double t;
} head;

static int fail(const char *command, const char *what, int number)
{
    pn_cli_report(command, "%s: %s", what, number ? strerror(number) : "read or write error");
    return 0;
}

static int put(state_store *store, const char *command, const void *bytes, size_t size)
{
    if (!store->memory && !(store->memory = malloc(MEMORY)))
        return fail(command, "the states cannot be kept", ENOMEM);
    if (!store->file && size <= MEMORY - store->used) {
        memcpy(store->memory + store->used, bytes, size);
        store->used += size;
        return 1;
    }
    errno = 0;
    if (!store->file && !(store->file = tmpfile()))
        return fail(command, "there is no temporary file for the states", errno);
    return fwrite(bytes, 1, size, store->file) == size ||
           fail(command, "the states cannot be kept in a temporary file", errno);
}

static int get(state_store *store, const char *command, void *bytes, size_t size)
{
    if (size <= store->used - store->at) {
        memcpy(bytes, store->memory + store->at, size);
        store->at += size;
        return 1;
    }
    errno = 0;
    return (store->file && fread(bytes, 1, size, store->file) == size) ||
           fail(command, "the states cannot be read back from a temporary file", errno);
}

/* Forces are few: those of a state that has none are not kept. */
static size_t size_of(const state *s)
{
    return (s->numbers - (s->has_forces ? 0 : s->forces)) * sizeof *s->memory;
}

int pn_cli_store_add(state_store *store, const char *command, const state *s)
{
    head h;
    memset(&h, 0, sizeof h);
    h = (head){s->has_forces, s->constraints, s->t};
    return put(store, command, &h, sizeof h) && put(store, command, s->memory, size_of(s)) &&
           (!s->constraints ||
            (put(store, command, s->A, sizeof s->A) && put(store, command, s->b, sizeof s->b)));
}

int pn_cli_store_rewind(state_store *store, const char *command)
{
    store->at = 0;
    if (!store->file) return 1;
    errno = 0;
    return (fflush(store->file) == 0 && fseek(store->file, 0, SEEK_SET) == 0) ||
           fail(command, "the states cannot be kept in a temporary file", errno);
}

int pn_cli_store_next(state_store *store, const char *command, state *s)
{
    head h;
    if (!get(store, command, &h, sizeof h)) return 0;
    s->has_forces = h.has_forces;
    s->constraints = h.constraints;
    s->t = h.t;
    memset(s->memory + (s->numbers - s->forces), 0, s->forces * sizeof *s->memory);
    return get(store, command, s->memory, size_of(s)) &&
           (!s->constraints ||
            (get(store, command, s->A, sizeof s->A) && get(store, command, s->b, sizeof s->b)));
}

void pn_cli_store_free(state_store *store)
{
    free(store->memory);
    if (store->file) fclose(store->file);
    memset(store, 0, sizeof *store);
}
