/* A thousand models loaded, computed with, written and freed on threads at a time: the same answers as on
 * one. Under ThreadSanitizer (`make threads`) also: nothing is shared that is written. */
#include "check.h"

#include <pthread.h>

#include "pinion/io.h"
#include "pinion/pinion.h"
#include "threads/bundled_model.h"

enum { THREADS = 8, MODELS = 1000 };

static const char *const names[] = {"arm-7dof.json", "quadruped.json", "four-bar.json", "puma560-corke.json"};
enum { NAMES = sizeof names / sizeof *names };
static const pinion_format formats[] = {PINION_FORMAT_JSON, PINION_FORMAT_URDF, PINION_FORMAT_MJCF,
                                        PINION_FORMAT_SDF};
enum { FORMATS = sizeof formats / sizeof *formats };

static char *text[NAMES][FORMATS]; /* NULL: the format cannot say it */
static char *truth[NAMES][FORMATS];

/* What a model is, after it was read from the text of a format: its bytes in our own. */
static char *once(int name, int format)
{
    pinion_error err;
    const char *from = text[name][format];
    pinion_model *m = pinion_load_string(from, strlen(from), formats[format], "a", NULL, &err);
    pinion_work *w = m ? pinion_work_new(m) : NULL;
    char *bytes = NULL;
    if (w) {
        const int nq = pinion_model_nq(m), nv = pinion_model_nv(m);
        double *q = malloc(sizeof *q * (size_t)(nq + nv));
        if (pinion_neutral(m, q) == PINION_OK && pinion_gravity(m, w, q, q + nq) == PINION_OK)
            bytes = pinion_save_string(m, PINION_FORMAT_JSON, &err);
        free(q);
    }
    pinion_work_free(w);
    pinion_model_free(m);
    return bytes;
}

static void *load_many(void *number)
{
    size_t wrong = 0;
    pinion_error err;
    for (int i = *(int *)number; i < MODELS; i += THREADS) {
        const int name = i % NAMES, format = i / NAMES % FORMATS;
        if (!text[name][format]) continue;
        char *bytes = once(name, format);
        wrong += !bytes || strcmp(bytes, truth[name][format]) != 0;
        pinion_free(bytes);
        /* and what is no model: each thread has its own message */
        char broken[64];
        snprintf(broken, sizeof broken, "<robot name=\"r%d\"><link/></robot>", i);
        pinion_model *m =
            pinion_load_string(broken, strlen(broken), PINION_FORMAT_URDF, broken + 13, NULL, &err);
        wrong += m != NULL || !strstr(err.message, broken + 13);
        pinion_model_free(m);
    }
    return (void *)wrong;
}

TEST(a_thousand_models_at_a_time)
{
    pinion_error err;
    for (int i = 0; i < NAMES; i++) {
        pinion_model *m = bundled_model(names[i]);
        CHECK(m);
        for (int k = 0; m && k < FORMATS; k++) {
            text[i][k] = pinion_save_string(m, formats[k], &err);
            if (text[i][k]) truth[i][k] = once(i, k);
            CHECK(!text[i][k] || truth[i][k]);
        }
        pinion_model_free(m);
    }
    pthread_t thread[THREADS];
    int number[THREADS];
    for (int i = 0; i < THREADS; i++) {
        number[i] = i;
        CHECK(pthread_create(&thread[i], NULL, load_many, &number[i]) == 0);
    }
    for (int i = 0; i < THREADS; i++) {
        void *wrong = NULL;
        CHECK(pthread_join(thread[i], &wrong) == 0 && wrong == NULL);
    }
    for (int i = 0; i < NAMES * FORMATS; i++) {
        pinion_free(text[i / FORMATS][i % FORMATS]);
        pinion_free(truth[i / FORMATS][i % FORMATS]);
    }
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(a_thousand_models_at_a_time);
    return CHECK_END();
}
