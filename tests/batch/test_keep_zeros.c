/* Arrays that have the zeros of the tree's structure already (pinion_batch_keep_zeros): a number either has the bits of
 * a call that writes everything, or is left as it was, and then it is zero by that call. What was zeroed once serves
 * for any states, also after states that were wrong. Random trees of every joint type, with and without a base that
 * floats, in rows, columns and packs, in both precisions, on one thread and on two; and that zeros are left at all,
 * which is what it is for. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "pinion/pinion.h"
#include "branches.h"

enum { STATES = 43, WHATS = 6, MOST_RESULTS = 3 };
enum { MASS_MATRIX = 0, UPPER, D_INVERSE, REGRESSOR, SLOTINE_LI, JACOBIAN };
static const char *const what_name[WHATS] = {"M",         "upper M",           "d inverse dynamics",
                                             "regressor", "Slotine-Li regressor", "Jacobian"};
#define LEFT 1.2345e123 /* and a float's infinity */

typedef struct subject {
    const pinion_model *m;
    const char *name;
    size_t nq, nv, parameters;
    int frame;
} subject;

static size_t width_of(const subject *s, int what)
{
    if (what == REGRESSOR || what == SLOTINE_LI) return s->nv * s->parameters;
    return what == JACOBIAN ? 6 * s->nv : s->nv * s->nv;
}

static int results_of(int what)
{
    return what == D_INVERSE ? 3 : 1;
}

#define PN_T double
#define PN_FN(name) name
#define PN_LANES_OF pinion_batch_lanes
#include "keep_zeros.inc"
#undef PN_T
#undef PN_FN
#undef PN_LANES_OF
#define PN_T float
#define PN_FN(name) name##_f32
#define PN_LANES_OF pinion_batch_lanes_f32
#include "keep_zeros.inc"

TEST(zeros_that_are_there_are_left)
{
    static const int bodies[] = {1, 3, 7, 14, 26};
    int left = 0, left_f32 = 0;
    for (size_t k = 0; k < sizeof bodies / sizeof *bodies; k++)
        for (int free_base = 0; free_base < 2; free_base++)
            for (int turn = 0; turn < 2; turn++) {
                char name[64];
                const uint64_t own = check_seed + 100 * k + 10 * (uint64_t)free_base + (uint64_t)turn;
                pinion_model *m = tree_of_branches(bodies[k], free_base, own);
                if (!m) continue;
                snprintf(name, sizeof name, "tree_of_branches(%d, %d, %llu)", bodies[k], free_base,
                         (unsigned long long)own);
                const subject s = {m, name, (size_t)pinion_model_nq(m), (size_t)pinion_model_nv(m),
                                   10 * (size_t)(pinion_model_body_count(m) - 1), pinion_model_frame_count(m) - 1};
                left += check_subject(&s, own);
                left_f32 += check_subject_f32(&s, own);
                pinion_model_free(m);
            }
    CHECK(left > 10000 && left_f32 > 10000);
}

TEST(nothing_to_set_it_for)
{
    CHECK_STATUS(pinion_batch_keep_zeros(NULL, 1), PINION_ERR_ARGUMENT);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(zeros_that_are_there_are_left);
    RUN(nothing_to_set_it_for);
    return CHECK_END();
}
