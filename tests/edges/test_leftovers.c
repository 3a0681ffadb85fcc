/* Whatever ends the command or a program that writes files: nothing is left beside them, and nobody sees a
 * private one. What is no plain file is not waited for where a plain file is needed. */
#define _GNU_SOURCE
#include "base/file.h"
#include "command/command.h"

#include <dirent.h>
#include <signal.h>
#include <sys/stat.h>
#include <time.h>

static const char *const files[] = {"private.bin", "page.html", "model.csv", NULL};

static void nap(long milliseconds)
{
    struct timespec t = {milliseconds / 1000, milliseconds % 1000 * 1000000};
    nanosleep(&t, NULL);
}

/* How many names there are in a folder; the modes of the files in it are added up. */
static int names_in(const char *path, unsigned *modes)
{
    int count = 0;
    DIR *d = opendir(path);
    for (struct dirent *e; d && (e = readdir(d)) != NULL;) {
        struct stat about;
        if (e->d_name[0] == '.') continue;
        count++;
        if (modes && fstatat(dirfd(d), e->d_name, &about, 0) == 0) *modes |= about.st_mode;
    }
    if (d) closedir(d);
    return count;
}

/* Starts the command with its output in a pipe, and returns the pipe's other end. */
static pid_t start(const char *const *arguments, int *output)
{
    int ends[2];
    const char *argv[ARGUMENTS + 2] = {getenv("PINION_COMMAND")};
    for (int i = 0; arguments[i]; i++) argv[i + 1] = arguments[i];
    if (pipe(ends) != 0) return -1;
    pid_t child = fork();
    if (child == 0) {
        redirect("/dev/null", O_RDONLY, 0);
        redirect("/dev/null", O_WRONLY, 2);
        dup2(ends[1], 1);
        close(ends[0]);
        close(ends[1]);
        alarm(SECONDS);
        execv(argv[0], (char *const *)argv);
        _exit(127);
    }
    close(ends[1]);
    *output = ends[0];
    return child;
}

TEST(a_reader_that_goes_away)
{
    int output, status;
    char byte;
    const char *const arguments[] = {
        "sim", bundled("planar-2r.json"), "--duration", "20", "--output-step", "0.001", "--quiet", NULL};
    pid_t child = start(arguments, &output);
    CHECK(child > 0 && read(output, &byte, 1) == 1);
    close(output);
    CHECK(waitpid(child, &status, 0) == child && WIFSIGNALED(status) && WTERMSIG(status) == SIGPIPE);
    CHECK(names_in(place("tmp"), NULL) == 0);
}

TEST(signals_while_a_compiler_runs)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    for (int i = 0; i < 30; i++) {
        int output, status, seen = 0;
        const char *const arguments[] = {"codegen", bundled("planar-3r.json"), "-o", place("code"), "--check",
                                         NULL};
        pid_t child = start(arguments, &output);
        /* looked at without a pause: the signal may come as soon as there is something to leave */
        while (!(seen = names_in(place("tmp"), NULL) > 0))
            if (waitpid(child, &status, WNOHANG) == child) break;
        if (!seen) SKIP("the command compiles nothing");
        nap(i / 6 * 5);
        kill(child, numbers[i % 3]);
        CHECK(waitpid(child, &status, 0) == child && WIFSIGNALED(status) && WTERMSIG(status) == numbers[i % 3]);
        close(output);
        CHECK(names_in(place("tmp"), NULL) == 0);
    }
}

/* A program that replaces a private file again and again, and is ended at any time. */
TEST(files_that_are_replaced)
{
    static char bytes[1 << 16];
    uint64_t seed = check_seed;
    unsigned modes = 0;
    const char *path = place("own/private.bin");
    for (int round = 0; round < 40; round++) {
        pid_t child = fork();
        if (child == 0) {
            umask(0);
            for (;;) pn_file_replace(path, bytes, sizeof bytes, 0600, 0);
        }
        for (int k = 0; k < 20; k++) names_in(place("own"), &modes);
        nap((long)(6 * check_uniform(&seed)));
        kill(child, round % 2 ? SIGTERM : SIGHUP);
        CHECK(waitpid(child, NULL, 0) == child);
    }
    CHECK(names_in(place("own"), NULL) == 1 && (modes & 077) == 0);

    /* and one whose rights are those of what was there */
    CHECK(chmod(path, 0640) == 0 && pn_file_replace(path, bytes, 10, PN_FILE_ANY_MODE, 0) == 0);
    struct stat about;
    CHECK(stat(path, &about) == 0 && (about.st_mode & 0777) == 0640 && about.st_size == 10);
    remove(path);
}

TEST(pipes_and_devices)
{
    CHECK(mkfifo(place("pipe"), 0600) == 0);
    REFUSED(1, "pipe: is no plain file; expected a checkpoint", NULL, "sim", "--resume", place("pipe"));
    CHECK(mkfifo(place("pipe.h5"), 0600) == 0);
    REFUSED(1, "pipe.h5: cannot be written: it is no plain file", NULL, "sim", bundled("planar-2r.json"), "--duration",
            "0.1", "--checkpoint", place("pipe.h5"));
    remove(place("pipe.h5"));
    REFUSED(1, "/dev/zero: cannot be read: it is a device; expected a result", NULL, "report", "/dev/zero",
            "-o", place("page.html"));
    REFUSED(1, "/dev/zero: cannot be read: it is a device; expected a model", NULL, "info", "/dev/zero");
    CHECK(mkdir(place("code"), 0700) == 0 || access(place("code"), F_OK) == 0);
    CHECK(mkfifo(place("code/robot.c"), 0600) == 0);
    answer a = run(NULL, "codegen", bundled("planar-2r.json"), "-o", place("code"), "--name", "robot",
                   (const char *)NULL);
    if (!strstr(a.err, "built without")) {
        CHECK_STATUS(a.status, 1);
        CHECK_HAS(a.err, "robot.c was not made by this command: --force overwrites it");
    }
    forget(&a);
    remove(place("code/robot.c"));
    remove(place("pipe"));
}

static void remove_folder(const char *name)
{
    DIR *d = opendir(place(name));
    for (struct dirent *e; d && (e = readdir(d)) != NULL;) unlinkat(dirfd(d), e->d_name, 0);
    if (d) closedir(d);
    rmdir(place(name));
}

int main(int argc, char **argv)
{
    COMMAND_BEGIN(argc, argv);
    CHECK(mkdir(place("tmp"), 0700) == 0 && mkdir(place("own"), 0755) == 0 &&
          setenv("TMPDIR", place("tmp"), 1) == 0);
    RUN(a_reader_that_goes_away);
    RUN(signals_while_a_compiler_runs);
    RUN(files_that_are_replaced);
    RUN(pipes_and_devices);
    remove_folder("code");
    remove_folder("tmp");
    remove_folder("own");
    return command_end(files);
}
