/* Actuators with dynamics in x' = A x + B u: between what is asked of one and its force are its delay, then its
 * lag. */
#include "sim/linear/near_state.h"

#include <stdlib.h>
#include <string.h>

#include "pinion/actuators.h"

enum { ORDER = PINION_LINEAR_DELAY };

/* exp(-s) is about the sum of top_i s^i over that of bottom_i s^i, Pade's of degrees ORDER - 1 and ORDER; the last of
 * bottom is 1. */
static void pade(double top[ORDER], double bottom[ORDER + 1])
{
    double a = 1, b = 1;
    for (int i = 0; i <= ORDER; i++) {
        if (i < ORDER) top[i] = a;
        bottom[i] = b;
        const double rest = 2 * ORDER - 1 - i, next = i + 1;
        a *= -(ORDER - 1 - i) / (rest * next);
        b *= (ORDER - i) / (rest * next);
    }
    const double last = bottom[ORDER];
    for (int i = 0; i < ORDER; i++) top[i] /= last;
    for (int i = 0; i <= ORDER; i++) bottom[i] /= last;
}

/* The states of one actuator, the first of them `z`; how many. With A, writes their rows, and the force into the
 * rows of the accelerations. */
static int chain(const pinion_actuator_info *a, int k, int z, const near_state *x, int states, double *A, double *B)
{
    const double delay = a->dynamics.delay, lag = pinion_actuator_time_constant(a);
    const int nu = x->seen.inputs, n = 2 * x->seen.freedom, last = z + (delay > 0 ? ORDER : 0);
    const int count = last - z + (lag > 0);
    if (!A) return count;
    double top[ORDER], bottom[ORDER + 1];
    pade(top, bottom);
    /* what comes out of the delay, by the states and the input: y = out x, or u itself */
    if (delay > 0) {
        for (int i = 0; i + 1 < ORDER; i++) A[(size_t)(z + i) * states + z + i + 1] = 1 / delay;
        for (int i = 0; i < ORDER; i++) A[(size_t)(last - 1) * states + z + i] = -bottom[i] / delay;
        B[(last - 1) * nu + k] = 1 / delay;
    }
    if (lag > 0) {
        A[(size_t)last * states + last] = -1 / lag;
        for (int i = 0; i < ORDER && delay > 0; i++) A[(size_t)last * states + z + i] = top[i] / lag;
        if (!(delay > 0)) B[last * nu + k] = 1 / lag;
    }
    for (int i = 0; i < n; i++) {
        const double force = x->seen.B[i * nu + k];
        if (count == 0)
            B[i * nu + k] = force;
        else if (lag > 0)
            A[(size_t)i * states + last] = force;
        for (int j = 0; j < ORDER && !(lag > 0) && count; j++) A[(size_t)i * states + z + j] = force * top[j];
    }
    return count;
}

pinion_status pn_linear_actuators(near_state *x)
{
    pinion_linear *l = &x->seen;
    const int n = l->states, nu = l->inputs;
    pinion_actuator_info a;
    int states = n;
    for (int k = 0; k < nu; k++)
        if (pinion_model_actuator(x->m, k, &a) == PINION_OK) states += chain(&a, k, 0, x, 0, NULL, NULL);
    if (states == n) return PINION_OK;
    const size_t size = (size_t)states;
    double *A = x->more = calloc(size * (size + (size_t)nu) + 1, sizeof *A), *B = A + size * size;
    int *whose = x->whose = calloc(2 * size, sizeof *whose), *part = whose + size;
    if (!A || !whose) return PINION_ERR_MEMORY;
    for (int i = 0; i < n; i++) memcpy(A + (size_t)i * size, l->A + (size_t)i * (size_t)n, (size_t)n * sizeof *A);
    int z = n;
    for (int k = 0; k < nu; k++) {
        if (pinion_model_actuator(x->m, k, &a) != PINION_OK) continue;
        const int count = chain(&a, k, z, x, states, A, B), delayed = a.dynamics.delay > 0 ? ORDER : 0;
        for (int i = 0; i < count; i++) {
            whose[z - n + i] = k;
            part[z - n + i] = i < delayed ? i : -1;
        }
        z += count;
    }
    l->A = A, l->B = B, l->actuator = whose, l->part = part, l->states = states;
    return PINION_OK;
}
