/* On the target: compares the generated functions of one robot with values that reference.c computed on the host, and
 * counts what each call takes. Prints one line a function:
 *
 *     function NAME error UNITS instructions MEAN most MOST stack BYTES
 *
 * ROBOT is the name before the generated functions, reference.h has the robot's states and results. qemu lets one
 * nanosecond pass with every instruction (-icount shift=0), so that the core's timer counts instructions. */
#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include ROBOT_HEADER
#include "reference.h"

#define JOIN(a, b) a##_##b
#define FUNCTION_OF(robot, name) JOIN(robot, name)
#define GENERATED(name) ((void (*)(void))FUNCTION_OF(ROBOT, name))

/* A function of up to four pointers, which the calling convention passes in r0 to r3. */
typedef struct call {
    const void *argument[4];
    void (*function)(void);
} call;

/* Calls it `times` times, with four instructions a turn besides the function's own. */
__attribute__((naked, noinline)) static void repeat(const call *c, uint32_t times)
{
    (void)c;
    (void)times;
    __asm__ volatile("push {r4, r5, r6, lr}\n\t"
                     "mov r4, r0\n\t"
                     "mov r5, r1\n\t"
                     "ldr r6, [r4, #16]\n"
                     "1:\n\t"
                     "ldm r4, {r0, r1, r2, r3}\n\t"
                     "blx r6\n\t"
                     "subs r5, r5, #1\n\t"
                     "bne 1b\n\t"
                     "pop {r4, r5, r6, pc}");
}

/* ---- functions whose cost is known, to see that the counting is right ---- */

__attribute__((naked)) static void nothing(void) /* 1 instruction, no stack */
{
    __asm__ volatile("bx lr");
}

__attribute__((naked)) static void known(void) /* 1 + 1 + 300 * 2 + 1 instructions, 24 bytes of stack */
{
    __asm__ volatile("push {r4, r5, r6, r7, r8, lr}\n\t"
                     "movw r4, #300\n"
                     "1:\n\t"
                     "subs r4, r4, #1\n\t"
                     "bne 1b\n\t"
                     "pop {r4, r5, r6, r7, r8, pc}");
}
enum { KNOWN_INSTRUCTIONS = 603, KNOWN_STACK = 24 };

/* ---- instructions ---- */

#define SYST_CSR (*(volatile uint32_t *)0xE000E010u)
#define SYST_RVR (*(volatile uint32_t *)0xE000E014u)
#define SYST_CVR (*(volatile uint32_t *)0xE000E018u)
enum { TIMER_TOP = 0xFFFFFF, NANOSECONDS_A_TICK = 40 /* the boards run at 25 MHz */ };

static double elapsed(const call *c, uint32_t times)
{
    const uint32_t begin = SYST_CVR;
    repeat(c, times);
    return (double)((begin - SYST_CVR) & TIMER_TOP) * NANOSECONDS_A_TICK;
}

/* Instructions of one call, its return included. A tick is 40 instructions: of 1000 calls, 0.04 of one. */
static double instructions(const call *c)
{
    enum { TIMES = 1000 };
    const call empty = {{NULL, NULL, NULL, NULL}, nothing};
    return 1 + (elapsed(c, TIMES) - elapsed(&empty, TIMES)) / TIMES;
}

/* ---- stack ---- */

extern uint32_t stack_top[];

/* Bytes below the caller's stack pointer that a call writes to. */
__attribute__((noinline)) static int stack_used(const call *c)
{
    enum { WORDS = 16384, PATTERN = 0x5AC3693C, OWN = 16 /* what repeat pushes */ };
    volatile uint32_t *const lowest = stack_top - WORDS;
    uint32_t *top;
    __asm__ volatile("mov %0, sp" : "=r"(top));
    for (volatile uint32_t *p = lowest; p < top; p++) *p = PATTERN;
    repeat(c, 1);
    volatile uint32_t *p = lowest;
    while (p < top && *p == PATTERN) p++;
    return (int)((uintptr_t)top - (uintptr_t)p) - OWN;
}

/* ---- the functions ---- */

enum { LARGEST = NV * NV };
static float result[LARGEST];

typedef struct subject {
    const char *name;
    void (*function)(void);
    const float *input[3]; /* those that it takes, then NULL; states one behind the other */
    const double *wanted;
    int size;     /* numbers of a result */
    double units; /* the error that is allowed, in rounding units of the result's largest number */
} subject;

/* Bounds as the library's own float kernels keep (tests/backend/test_quad.c). */
static const subject subjects[] = {
    {"inverse_dynamics", GENERATED(inverse_dynamics), {q[0], v[0], a[0]}, inverse_dynamics[0], NV, 100},
    {"gravity", GENERATED(gravity), {q[0]}, gravity[0], NV, 100},
    {"mass_matrix", GENERATED(mass_matrix), {q[0]}, mass_matrix[0], NV * NV, 100},
    {"forward_dynamics", GENERATED(forward_dynamics), {q[0], v[0], tau[0]}, forward_dynamics[0], NV, 1000},
};

static call call_of(const subject *s, int state)
{
    call c = {{result, result, result, result}, s->function};
    for (int i = 0; i < 3 && s->input[i]; i++) c.argument[i] = s->input[i] + NV * state; /* nq = nv */
    return c;
}

static double error_of(const subject *s, int state)
{
    const double *wanted = s->wanted + s->size * state;
    double scale = 0, worst = 0;
    for (int i = 0; i < s->size; i++) {
        const double error = fabs((double)result[i] - wanted[i]);
        scale = fmax(scale, fabs(wanted[i]));
        worst = error <= worst ? worst : error; /* NaN stays */
    }
    return worst / (scale * 0.5 * (double)FLT_EPSILON);
}

static int measure(const subject *s)
{
    double worst = 0, sum = 0, most = 0;
    int stack = 0;
    for (int state = 0; state < STATES; state++) {
        const call c = call_of(s, state);
        memset(result, 0xff, sizeof result); /* NaN: what is not written is noticed */
        const int used = stack_used(&c);
        const double error = error_of(s, state), count = instructions(&c);
        worst = error <= worst ? worst : error;
        sum += count;
        most = fmax(most, count);
        stack = used > stack ? used : stack;
    }
    printf("function %s error %.3g instructions %.0f most %.0f stack %d\n", s->name, worst, sum / STATES, most, stack);
    if (worst <= s->units) return 0;
    printf("%s: an error of %g rounding units, %g are allowed\n", s->name, worst, s->units);
    return 1;
}

int main(void)
{
    int failed = 0;
    SYST_RVR = TIMER_TOP;
    SYST_CVR = 0;
    SYST_CSR = 5; /* on, the processor's clock, no interrupt */

    const call empty = {{NULL, NULL, NULL, NULL}, nothing}, calibration = {{NULL, NULL, NULL, NULL}, known};
    const double counted = instructions(&calibration);
    if (fabs(counted - KNOWN_INSTRUCTIONS) > 0.05 || stack_used(&empty) != 0 ||
        stack_used(&calibration) != KNOWN_STACK) {
        printf("%d instructions and %d bytes of stack were counted as %g and %d\n", KNOWN_INSTRUCTIONS, KNOWN_STACK,
               counted, stack_used(&calibration));
        failed = 1;
    }
    for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++) failed |= measure(&subjects[i]);
    return failed;
}
