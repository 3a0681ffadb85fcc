/* The choice of instantiation by what the CPU has. With PN_FEW (the option PINION_FEW_KERNELS) there are the baseline
 * and one pack of each precision, that of double complete. */
#include "api/dispatch.h"

#if defined(__x86_64__)
extern const pn_backend pn_backend_f64_avx2, pn_backend_f32_avx2;
extern const pn_backend pn_backend_f64_avx512, pn_backend_f32_avx512;
extern const pn_backend pn_backend_f64x2_sse2, pn_backend_f32x4_sse2;
extern const pn_backend pn_backend_f64x4_avx2, pn_backend_f32x8_avx2;
extern const pn_backend pn_backend_f64x8_avx512, pn_backend_f32x16_avx512;
#elif defined(__aarch64__)
extern const pn_backend pn_backend_f64x2_neon, pn_backend_f32x4_neon;
#endif

#if defined(__x86_64__)
static int has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}
#endif

#if defined(__x86_64__) && !defined(PN_FEW)
static int has_avx512(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("fma");
}
#endif

int pn_backends(size_t lane_bytes, const pn_backend **list, int capacity)
{
    const int f64 = lane_bytes == sizeof(double);
    const pn_backend *found[8];
    int count = 0;
    found[count++] = f64 ? &pn_backend_f64 : &pn_backend_f32;
#if defined(PN_FEW) && defined(__x86_64__)
    if (has_avx2()) found[count++] = f64 ? &pn_backend_f64x4_avx2 : &pn_backend_f32x8_avx2;
#elif defined(__x86_64__)
    found[count++] = f64 ? &pn_backend_f64x2_sse2 : &pn_backend_f32x4_sse2;
    if (has_avx2())
        found[count++] = f64 ? &pn_backend_f64x4_avx2 : &pn_backend_f32x8_avx2;
    if (has_avx512())
        found[count++] = f64 ? &pn_backend_f64x8_avx512 : &pn_backend_f32x16_avx512;
#elif defined(__aarch64__)
    found[count++] = f64 ? &pn_backend_f64x2_neon : &pn_backend_f32x4_neon;
#endif
    for (int i = 0; i < count && i < capacity; i++) list[i] = found[i];
    return count;
}

int pn_scalar_backends(size_t lane_bytes, const pn_backend **list, int capacity)
{
    const int f64 = lane_bytes == sizeof(double);
    const pn_backend *found[4];
    int count = 0;
    found[count++] = f64 ? &pn_backend_f64 : &pn_backend_f32;
#if defined(__x86_64__) && !defined(PN_FEW)
    if (has_avx2()) found[count++] = f64 ? &pn_backend_f64_avx2 : &pn_backend_f32_avx2;
    if (has_avx512()) found[count++] = f64 ? &pn_backend_f64_avx512 : &pn_backend_f32_avx512;
#endif
    for (int i = 0; i < count && i < capacity; i++) list[i] = found[i];
    return count;
}

const pn_backend *pn_backend_for_calls(size_t lane_bytes)
{
    const pn_backend *list[4];
    const int count = pn_scalar_backends(lane_bytes, list, 4);
    return list[count - 1];
}

const pn_backend *pn_backend_for_batches(size_t lane_bytes)
{
    const pn_backend *list[8];
    const int count = pn_backends(lane_bytes, list, 8);
    return list[count - 1];
}

static const pn_backend *last_complete(const pn_backend *const *list, int count)
{
    while (count > 1 && !pn_is_complete(list[count - 1])) count--;
    return list[count - 1]; /* the baseline is */
}

const pn_backend *pn_complete_for_calls(size_t lane_bytes)
{
    const pn_backend *list[4];
    const int count = pn_scalar_backends(lane_bytes, list, 4);
    return last_complete(list, count);
}

const pn_backend *pn_complete_for_batches(size_t lane_bytes)
{
    const pn_backend *list[8];
    const int count = pn_backends(lane_bytes, list, 8);
    return last_complete(list, count);
}
