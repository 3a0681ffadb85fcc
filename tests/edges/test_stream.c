/* States as a stream: any number of them in constant memory, as a list or as JSON lines, answered as a whole
 * or one by one. */
#define _GNU_SOURCE
#include "command/command.h"

#include <sys/resource.h>

#include "memory/allocator.h"

static const char *const files[] = {"list.json", "lines.jsonl", "large.json", NULL};

static const char list[] = "{\"states\": [{\"q\": [0, 1]}, {\"q\": [0.5, -1], \"v\": [1, 2]},\n"
                           "{\"q\": [1, 1], \"f_ext\": {\"lower\": [0, 0, 1, 2, 3, 4]}}]}\n";
static const char lines[] = "{\"q\": [0, 1]}\n\n {\"q\": [0.5, -1],\n \"v\": [1, 2]}\n"
                            "{\"q\": [1, 1], \"f_ext\": {\"lower\": [0, 0, 1, 2, 3, 4]}}";

static answer evaluate(const char *states, const char *form)
{
    return run(states, "eval", bundled("planar-2r.json"), "--states", "-", "--what",
               "inverse_dynamics,mass_matrix", form, (const char *)NULL);
}

TEST(lists_and_lines)
{
    answer a = evaluate(list, NULL), b = evaluate(lines, NULL), c = evaluate(list, "--json-lines"),
           d = evaluate(lines, "--json-lines");
    CHECK(a.out && b.out && *a.out && strcmp(a.out, b.out) == 0);
    CHECK(c.out && d.out && lines_of(c.out) == 3 && strcmp(c.out, d.out) == 0);

    /* the same values, line by line */
    json_t *whole = json_loads(a.out, 0, NULL);
    char *rest = NULL;
    size_t i = 0;
    for (char *line = strtok_r(c.out, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest), i++) {
        json_t *one = json_loads(line, 0, NULL);
        CHECK(one && json_equal(one, json_array_get(json_object_get(whole, "states"), i)));
        json_decref(one);
    }
    CHECK(i == 3);
    json_decref(whole);
    forget(&a);
    forget(&b);
    forget(&c);
    forget(&d);
}

TEST(errors_in_lines)
{
    REFUSED(1, "<stdin>:2: not JSON", "{\"q\": [0, 1]}\n{\"q\": [0, 1}\n", "eval", bundled("planar-2r.json"),
            "--states", "-", "--what", "gravity");
    REFUSED(1, "states[1].q: expected 2 numbers, got 1", "{\"q\": [0, 1]}\n{\"q\": [0]}\n", "eval",
            bundled("planar-2r.json"), "--states", "-", "--what", "gravity");
    REFUSED(1, "states[1]: expected an object {\"q\": [...]}, got a number", "{\"q\": [0, 1]} 3", "eval",
            bundled("planar-2r.json"), "--states", "-", "--what", "gravity");
    answer a = evaluate("{\"q\": [0, 1]}\n{\"q\": [0]}\n", "--json-lines");
    CHECK_STATUS(a.status, 1);
    CHECK(lines_of(a.out) == 1); /* what was good has its answer */
    CHECK_HAS(a.err, "states[1].q: expected 2 numbers, got 1");
    forget(&a);
    a = evaluate("{\"q\": [0, 1], \"tau\": [1, 2, 3]}", "--json-lines");
    CHECK_STATUS(a.status, 1);
    CHECK(a.out && !*a.out);
    forget(&a);
}

/* A program that asks, waits for the answer, and asks again. */
TEST(question_and_answer)
{
    int to[2], from[2], status;
    CHECK(pipe(to) == 0 && pipe(from) == 0);
    pid_t child = fork();
    if (child == 0) {
        const char *const argv[] = {
            getenv("PINION_COMMAND"), "eval", bundled("planar-2r.json"), "--states", "-", "--what", "gravity",
            "--json-lines",           NULL};
        dup2(to[0], 0);
        dup2(from[1], 1);
        close(to[1]);
        close(from[0]);
        alarm(SECONDS);
        execv(argv[0], (char *const *)argv);
        _exit(127);
    }
    close(to[0]);
    close(from[1]);
    FILE *answers = fdopen(from[0], "r");
    for (int i = 0; i < 3; i++) {
        char line[1000];
        CHECK(write(to[1], "{\"q\": [0, 1]}\n", 14) == 14);
        CHECK(answers && fgets(line, sizeof line, answers) && strstr(line, "{\"gravity\": ["));
    }
    close(to[1]);
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    fclose(answers);
}

/* A hundred thousand states take no more memory than one: the command is given a limit that they would
 * exceed. */
TEST(constant_memory)
{
    enum { STATES = 100000 };
    if (!ALLOCATOR) SKIP(allocator_absent); /* sanitizers take memory of their own */
    for (int form = 0; form < 2; form++) {
        FILE *f = fopen(place("large.json"), "w");
        CHECK(f != NULL);
        if (!form) fputs("{\"states\": [", f);
        for (int i = 0; i < STATES; i++)
            fprintf(f, "%s{\"q\": [%d, 0.25], \"v\": [1.5, -2.5], \"a\": [0, 1e-3]}", !form && i ? "," : "\n",
                    i % 7);
        if (!form) fputs("]}", f);
        CHECK(fclose(f) == 0);
        struct rlimit limit, before;
        CHECK(getrlimit(RLIMIT_DATA, &before) == 0);
        limit = before;
        limit.rlim_cur = 64 << 20;
        CHECK(setrlimit(RLIMIT_DATA, &limit) == 0);
        answer a = run(NULL, "eval", bundled("planar-2r.json"), "--states", place("large.json"), "--what",
                       "gravity", form ? "--json-lines" : "--json", (const char *)NULL);
        CHECK(setrlimit(RLIMIT_DATA, &before) == 0);
        CHECK_STATUS(a.status, 0);
        CHECK(a.err && !*a.err && lines_of(a.out) >= STATES);
        forget(&a);
    }
}

/* Memory that runs out is called so. */
TEST(exhaustion)
{
    FILE *f = fopen(place("large.json"), "w");
    static char zeros[1 << 16];
    for (size_t i = 0; i < sizeof zeros; i++) zeros[i] = "0, "[i % 3];
    fputs("{\"states\": [{\"q\": [", f);
    for (int i = 0; i < 300; i++)
        fwrite(zeros, 1, sizeof zeros - 1, f); /* 20 MB, of which jansson makes a lot more */
    fputs("0]}]}", f);
    CHECK(fclose(f) == 0);
    if (!ALLOCATOR) SKIP(allocator_absent); /* sanitizers take memory of their own */
    struct rlimit limit, before;
    CHECK(getrlimit(RLIMIT_DATA, &before) == 0);
    limit = before;
    limit.rlim_cur = 128 << 20;
    CHECK(setrlimit(RLIMIT_DATA, &limit) == 0);
    answer a = run(NULL, "eval", bundled("planar-2r.json"), "--states", place("large.json"), "--what",
                   "gravity", (const char *)NULL);
    CHECK(setrlimit(RLIMIT_DATA, &before) == 0);
    CHECK_STATUS(a.status, 1);
    CHECK_HAS(a.err, "out of memory");
    forget(&a);
}

int main(int argc, char **argv)
{
    COMMAND_BEGIN(argc, argv);
    RUN(lists_and_lines);
    RUN(errors_in_lines);
    RUN(question_and_answer);
    RUN(constant_memory);
    RUN(exhaustion);
    return command_end(files);
}
