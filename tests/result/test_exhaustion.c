/* The n-th allocation fails, for every n, while results are made, saved as text and loaded. (The HDF5 library, which
 * writes that format, does not promise to survive that.) Each attempt succeeds or fails cleanly: no crash, no leak, no
 * half-written file. */
#include <dirent.h>
#include <unistd.h>

#include "memory/exhaust.h"
#include "pinion/pinion.h"
#include "pinion/sim/result.h"

static char folder[] = "/tmp/pinion-exhaust-XXXXXX";
#include "support/folder.h"

/* A result with something of everything; NULL when memory runs out. */
static pinion_result *make(const pinion_model *m, pinion_error *err)
{
    pinion_result *r = pinion_result_new();
    pinion_status s = r ? pinion_result_set_model(r, m, err) : PINION_ERR_MEMORY;
    static const double numbers[] = {1, 2, INFINITY};
    for (int i = 0; i < 20 && s == PINION_OK; i++) {
        char key[16];
        snprintf(key, sizeof key, "k%d", i);
        s = pinion_result_set(r, key, "text\nof a \xff key");
        if (s == PINION_OK) s = pinion_result_set_numbers(r, key, 3, numbers);
        if (s == PINION_OK) s = pinion_result_add_column(r, key, "m");
        if (s == PINION_OK) s = pinion_result_add_event(r, i, "an event");
    }
    double row[20] = {0.1};
    for (int i = 0; i < 70 && s == PINION_OK; i++) s = pinion_result_add_row(r, row);
    if (s == PINION_OK) return r;
    if (!r || err->status == PINION_OK) {
        err->status = s;
        strcpy(err->message, "out of memory");
    }
    pinion_result_free(r);
    return NULL;
}

static int attempt_make(void *context, pinion_error *err)
{
    pinion_result *r = make(context, err);
    alloc_work();
    const int done = r != NULL;
    pinion_result_free(r);
    return done;
}

typedef struct saving {
    pinion_result *r;
    pinion_result_format format;
} saving;

static int attempt_save(void *context, pinion_error *err)
{
    const saving *x = context;
    const int done = pinion_result_save(x->r, in_folder("saved"), x->format, err) == PINION_OK;
    alloc_work();
    const int there = access(in_folder("saved"), F_OK) == 0;
    if (there != done || entries() != there) CHECK_FAIL("a failed save left a file, or a good one none");
    unlink(in_folder("saved"));
    return done;
}

typedef struct loading {
    char path[300];
    int texts, events; /* CSV has none */
} loading;

static int attempt_load(void *context, pinion_error *err)
{
    const loading *x = context;
    pinion_result *r = pinion_result_load(x->path, err);
    alloc_work();
    const int done = r != NULL;
    if (done && (pinion_result_row_count(r) != 70 || pinion_result_key_count(r) != x->texts ||
                 pinion_result_event_count(r) != x->events))
        CHECK_FAIL("a part of a result was loaded");
    pinion_result_free(r);
    return done;
}

TEST(results)
{
    if (!ALLOCATOR) SKIP(allocator_absent);
    pinion_error err = {PINION_OK, 0, 0, ""};
    pinion_model *m = pinion_random_chain(3, 1, &err);
    pinion_result *r = m ? make(m, &err) : NULL;
    CHECK(r && mkdtemp(folder));
    if (!r) return;
    exhaust(attempt_make, m, ONLY_MEMORY);
    for (int i = 1; i <= 3; i++) {
        saving x = {r, (pinion_result_format)i};
        /* the library that writes HDF5 does not survive it */
        if (x.format != PINION_RESULT_HDF5) exhaust(attempt_save, &x, ONLY_MEMORY);
        loading kept = {"", i == 1 ? 0 : 23, i == 1 ? 0 : 20};
        snprintf(kept.path, sizeof kept.path, "%s", in_folder("kept"));
        CHECK_STATUS(pinion_result_save(r, kept.path, x.format, &err), PINION_OK);
        exhaust(attempt_load, &kept, i == 2 ? OR_PARSE : ONLY_MEMORY); /* jansson does not always say why */
        unlink(kept.path);
    }
    rmdir(folder);
    pinion_result_free(r);
    pinion_model_free(m);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(results);
    return CHECK_END();
}
