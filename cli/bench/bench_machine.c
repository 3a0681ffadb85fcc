/* pinion bench: what the times were taken on, and what they do not show. */
#include "cli/bench/bench.h"

#include <string.h>

#ifndef PINION_C_FLAGS
#define PINION_C_FLAGS ""
#endif

#ifdef PINION_COMMIT_FILE
extern const char pn_cli_commit[]; /* in a file that the build writes */
#else
static const char pn_cli_commit[] = "";
#endif

const char *const pn_cli_bench_limits[] = {
    "Caches are warm: one model's states come again and again, in the same order. A robot that computes once "
    "in a "
    "millisecond and does other work in between sees longer times.",
    "The processor's clock is what it happened to be. Other processors, compilers and flags give other "
    "numbers, and "
    "other ratios too.",
    "What else ran on the machine is in the numbers. All timings of a model take turns, so ratios within one "
    "run hold "
    "better than the numbers, and the quartiles show how well.",
    "Times of several threads are those of warm threads, with all states in one call: few or cheap states do "
    "not pay "
    "for them.",
    "States are random, within the joints' limits. The time of most calls does not depend on them, that of "
    "inverse_kinematics, assemble and the solvers of loops does.",
    "The time of making models, workspaces and batches is not there, and nothing of the quality of the "
    "results is.",
    NULL,
};

bench_machine pn_cli_bench_machine(void)
{
    bench_machine machine = {
        .processors = pinion_threads_available(), .flags = PINION_C_FLAGS, .commit = pn_cli_commit};
#if defined(__clang__)
    machine.compiler = "clang " __clang_version__;
#elif defined(__GNUC__)
    machine.compiler = "gcc " __VERSION__;
#else
    machine.compiler = "";
#endif

    /* the processor's name, as Linux tells it */
    FILE *file = fopen("/proc/cpuinfo", "r");
    char line[256];
    while (file && fgets(line, sizeof line, file)) {
        const char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) != 0 || !colon) continue;
        snprintf(machine.processor, sizeof machine.processor, "%.190s", colon + 1 + strspn(colon + 1, " \t"));
        machine.processor[strcspn(machine.processor, "\n")] = '\0';
        break;
    }
    if (file) fclose(file);
    return machine;
}
