/* A process that may have little memory: the libraries underneath do not survive it when their own requests
 * fail, so the command must find out before. Whatever the limit is, it ends in good order. */
#define _GNU_SOURCE
#include "command/command.h"

#include <sys/resource.h>

#include "memory/allocator.h"

static const char *const files[] = {"chain.json", "out.csv", "out.h5", NULL};

/* Runs a simulation that may have so many bytes; its end as of a shell. */
static int run_within(size_t bytes, const char *integrator, const char *out)
{
    const char *const argv[] = {getenv("PINION_COMMAND"),
                                "sim",
                                place("chain.json"),
                                "--duration",
                                "0.001",
                                "--tol",
                                "1e-3",
                                "--integrator",
                                integrator,
                                "-o",
                                out,
                                "--quiet",
                                NULL};
    pid_t child = fork();
    if (child == 0) {
        const struct rlimit limit = {bytes, bytes}, none = {0, 0};
        redirect("/dev/null", O_WRONLY, 1);
        redirect(place("stderr"), O_WRONLY | O_CREAT | O_TRUNC, 2);
        alarm(SECONDS);
        if (setrlimit(RLIMIT_DATA, &limit) != 0 || setrlimit(RLIMIT_CORE, &none) != 0) _exit(126);
        execv(argv[0], (char *const *)argv);
        _exit(127);
    }
    int status = 0;
    CHECK(child > 0 && waitpid(child, &status, 0) == child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

TEST(little_memory)
{
    if (!ALLOCATOR) SKIP(allocator_absent); /* sanitizers take memory of their own */
    answer a = run(NULL, "generate", "chain", "60", "-o", place("chain.json"), (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    forget(&a);
    static const struct {
        const char *integrator, *out;
        size_t from, to, step; /* kilobytes */
    } kind[] = {{"bdf", "out.csv", 1500, 3100, 80}, {"dirk", "out.h5", 2000, 20000, 1200}};
    int done = 0, refused = 0;
    for (size_t k = 0; k < sizeof kind / sizeof kind[0]; k++)
        for (size_t size = kind[k].from; size <= kind[k].to; size += kind[k].step) {
            const int status = run_within(size << 10, kind[k].integrator, place(kind[k].out));
            if (status == 127) continue; /* too little to begin */
            char *err = read_file(place("stderr"));
            if (status == 0)
                done++;
            else if (status == 1 && err && strstr(err, "out of memory"))
                refused++;
            else
                CHECK_FAIL("%s with %zu kB: status %d, %s", kind[k].integrator, size, status, err ? err : "");
            free(err);
        }
    printf("  %d runs were done, %d refused\n", done, refused);
    CHECK(done > 0 && refused > 0);
}

int main(int argc, char **argv)
{
    COMMAND_BEGIN(argc, argv);
    RUN(little_memory);
    return command_end(files);
}
