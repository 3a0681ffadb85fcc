/* Every lane of every pack gives the bits of the scalar kernel, in each precision, for every kernel that the pack has,
 * on random trees and chains of all joint types and with loops of all kinds, with different states in the lanes. One
 * pack of double has all kernels. */
#include "backend.h"
#include "loops/random_loops.h"

extern const pn_backend exact_f64, exact_f32;
#if defined(__x86_64__)
extern const pn_backend exact_f64x2_sse2, exact_f32x4_sse2, exact_f64x4_avx2, exact_f32x8_avx2,
    exact_f64x8_avx512, exact_f32x16_avx512;
#elif defined(__aarch64__)
extern const pn_backend exact_f64x2_neon, exact_f32x4_neon;
#endif

static const pn_backend *const all[] = {
#if defined(__x86_64__)
    &exact_f64x2_sse2, &exact_f32x4_sse2, &exact_f64x4_avx2,
    &exact_f32x8_avx2, &exact_f64x8_avx512, &exact_f32x16_avx512,
#elif defined(__aarch64__)
    &exact_f64x2_neon, &exact_f32x4_neon,
#endif
    &exact_f64, &exact_f32};

enum { ALL = sizeof all / sizeof *all };

#ifndef PN_FEW
/* the exact twin of a back end of the library */
static const pn_backend *exact(const pn_backend *b)
{
    for (int i = 0; i < ALL; i++)
        if (all[i]->lanes == b->lanes && all[i]->lane_bytes == b->lane_bytes && !strcmp(all[i]->isa, b->isa))
            return all[i];
    return NULL;
}

/* The exact packs of a precision that this CPU can run: the twins of the library's. */
static int packs(size_t lane_bytes, const pn_backend *pack[ALL])
{
    const pn_backend *list[8];
    const int count = pn_backends(lane_bytes, list, 8);
    for (int b = 1; b < count; b++) {
        pack[b - 1] = exact(list[b]);
        CHECK(pack[b - 1] && pn_is_complete(pack[b - 1]) == pn_is_complete(list[b]));
        if (!pack[b - 1]) return b - 1;
    }
    return count - 1;
}
#else
/* Here the library has one pack a precision, and the exact ones speak for themselves. */
static int packs(size_t lane_bytes, const pn_backend *pack[ALL])
{
    int count = 0;
    for (int i = 0; i < ALL; i++) {
        int runs = all[i]->lanes > 1 && all[i]->lane_bytes == lane_bytes;
#if defined(__x86_64__)
        if (!strcmp(all[i]->isa, "avx2"))
            runs = runs && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
        if (!strcmp(all[i]->isa, "avx512"))
            runs = runs && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                   __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("fma");
#endif
        if (runs) pack[count++] = all[i];
    }
    return count;
}
#endif

/* memory for a pack's arrays, aligned for every register */
static void *room(size_t bytes, void **heap)
{
    *heap = calloc(1, bytes + 64);
    return (void *)(((uintptr_t)*heap + 63) & ~(uintptr_t)63);
}

static void put(const pn_backend *b, size_t at, int lane, double x, void *array)
{
    const size_t i = at * (size_t)b->lanes + (size_t)lane;
    if (b->lane_bytes == sizeof(double))
        ((double *)array)[i] = x;
    else
        ((float *)array)[i] = (float)x;
}

/* Runs a kernel on `lanes` states at once; the results of state l follow one another at out + l * width. */
static void run(const pn_backend *b, const pinion_model *m, const shape *s, const state *states, double *out)
{
    const int nin[5] = {s->q, s->v, s->a, s->tau, s->f_ext};
    const size_t real = (size_t)b->lanes * b->lane_bytes;
    void *heap[12], *array[12];
    pn_ctx k = pn_context(m, b->lane_bytes, NULL);
    k.work = room(all_reals(m) * real, &heap[11]);
    memset(k.work, b->lanes > 1 ? 0xff : 0, all_reals(m) * real); /* NaNs: nobody reads what nobody wrote */
    for (int i = 0; i < 5; i++) {
        array[i] = room((size_t)nin[i] * real, &heap[i]);
        for (int l = 0; l < b->lanes; l++) {
            const double *from[5] = {states[l].q, states[l].v, states[l].a, states[l].tau, states[l].f_ext};
            for (int j = 0; j < nin[i]; j++) put(b, (size_t)j, l, from[i][j], array[i]);
        }
    }
    const int frame = m->n.frames - 1;
    pn_io io = {.frame = s->kernel == PN_K_frames ? -1 : frame,
                .option = 1,
                .frames = &frame,
                .frame_count = 1,
                .dt = 0.37};
    const void **in[5] = {&io.q, &io.v, &io.a, &io.tau, &io.f_ext};
    for (int i = 0; i < 5; i++) *in[i] = nin[i] ? array[i] : NULL;
    for (int d = 0; d < 3 && is_jvp(s); d++) io.g[d] = io.v;
    for (int o = 0; o < 6; o++) {
        array[5 + o] = room((size_t)s->out[o] * real, &heap[5 + o]);
        io.out[o] = s->out[o] ? array[5 + o] : NULL;
    }
    b->kernel[s->kernel](&k, &io);
    const int width = width_of(s);
    for (int l = 0; l < b->lanes; l++)
        for (int o = 0, at = 0; o < 6; o++)
            for (int j = 0; j < s->out[o]; j++, at++) {
                const size_t i = (size_t)j * (size_t)b->lanes + (size_t)l;
                out[l * width + at] = b->lane_bytes == sizeof(double) ? ((double *)array[5 + o])[i]
                                                                      : (double)((float *)array[5 + o])[i];
            }
    for (int i = 0; i < 12; i++) free(heap[i]);
}

static int compared[SHAPES]; /* how often with the pack at hand */

static void compare(const pn_backend *pack, const pn_backend *scalar, const pinion_model *m, uint64_t *seed)
{
    shape shapes[SHAPES];
    state states[16];
    shapes_of(m, shapes);
    for (int l = 0; l < pack->lanes; l++) {
        states[l] = state_new(m, seed);
        /* the other configuration of a difference, where the acceleration would be */
        state other = state_new(m, seed);
        memcpy(states[l].a + m->n.nv, other.q, sizeof(double) * (size_t)m->n.nq);
        free(other.q);
    }
    for (int s = 0; s < SHAPES; s++) {
        if (!applies(m, &shapes[s]) || !pack->kernel[shapes[s].kernel]) continue;
        compared[s]++;
        const int width = width_of(&shapes[s]);
        double *lanes = malloc(sizeof(double) * (size_t)(width * pack->lanes + 1));
        double *one = malloc(sizeof(double) * (size_t)(width + 1));
        state used[16];
        for (int l = 0; l < pack->lanes; l++) {
            used[l] = states[l];
            if (shapes[s].kernel == PN_K_difference) used[l].a = states[l].a + m->n.nv;
        }
        run(pack, m, &shapes[s], used, lanes);
        for (int l = 0; l < pack->lanes; l++) {
            run(scalar, m, &shapes[s], &used[l], one);
            int same = 1;
            for (int i = 0; i < width; i++)
                same &= one[i] == lanes[l * width + i] || (isnan(one[i]) && isnan(lanes[l * width + i]));
            check_count++;
            if (!same)
                CHECK_FAIL("%s, %s x %d: lane %d differs from the scalar", shapes[s].name, pack->isa,
                           pack->lanes, l);
        }
        free(lanes);
        free(one);
    }
    for (int l = 0; l < pack->lanes; l++) free(states[l].q);
}

/* the model is freed */
static void compare_on(const pn_backend *pack, const pn_backend *scalar, pinion_model *m, uint64_t *seed)
{
    CHECK(m != NULL);
    if (m) compare(pack, scalar, m, seed);
    pinion_model_free(m);
}

static void compare_pack(const pn_backend *pack, const pn_backend *scalar, uint64_t *seed)
{
    memset(compared, 0, sizeof compared);
    for (int i = 0; i < 12; i++)
        compare_on(pack, scalar, pinion_random_tree(1 + i * 2, i % 2, check_seed + (uint64_t)i, NULL), seed);
    for (int n = 2; n <= 8; n += 3) /* what some algorithms are limited to */
        compare_on(pack, scalar, pinion_random_chain(n, check_seed + (uint64_t)n, NULL), seed);
    for (int followers = 0; followers < 2; followers++)
        compare_on(pack, scalar, random_loops(followers, seed), seed);

    int count = 0;
    for (int k = 0; k < SHAPES; k++) {
        const int called = pack->kernel[k] && k != PN_K_dca_step && k != PN_K_dca_join;
        count += called;
        check_count++;
        if (called && !compared[k]) CHECK_FAIL("kernel %d of %s x %d: never compared", k, pack->isa, pack->lanes);
    }
    printf("       %s, %d lanes of %zu bytes: %d of %d kernels\n", pack->isa, pack->lanes, pack->lane_bytes, count,
           SHAPES - 2);
}

/* returns how many packs have every kernel */
static int compare_all(size_t lane_bytes)
{
    const pn_backend *pack[ALL], *scalar = lane_bytes == sizeof(double) ? &exact_f64 : &exact_f32;
    const int count = packs(lane_bytes, pack);
    int complete = 0;
    uint64_t seed = check_seed;
    for (int b = 0; b < count; b++) {
        compare_pack(pack[b], scalar, &seed);
        complete += pn_is_complete(pack[b]);
    }
    return complete;
}

/* whether this CPU runs the pack that is complete */
static int has_complete_pack(void)
{
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#elif defined(__aarch64__)
    return 1;
#else
    return 0;
#endif
}

TEST(double_lanes_have_the_scalar_s_bits)
{
    const int complete = compare_all(sizeof(double));
    CHECK(complete == has_complete_pack());
    if (!complete) printf("       this CPU runs no pack that has the research algorithms: they were not compared\n");
    CHECK(pn_is_complete(pn_complete_for_batches(sizeof(double))));
#ifndef PN_FEW
    CHECK((pn_complete_for_batches(sizeof(double))->lanes > 1) == has_complete_pack());
#endif
}
TEST(float_lanes_have_the_scalar_s_bits)
{
    compare_all(sizeof(float));
    CHECK(pn_is_complete(pn_complete_for_batches(sizeof(float))));
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(double_lanes_have_the_scalar_s_bits);
    RUN(float_lanes_have_the_scalar_s_bits);
    printf("       not compared: dca_step and dca_join, parts of divide-and-conquer (sim.threads does)\n");
    return CHECK_END();
}
