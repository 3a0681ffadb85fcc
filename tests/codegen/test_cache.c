/* What pinion_codegen_compile stands on: programs that are run, hashes, folders, and what is kept between runs. */
#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "codegen/compile/compiled.h"

/* ---- hashes ---- */

/* the examples of FIPS 180-4, and lengths around the end of a block */
TEST(sha256_of_the_standards_examples)
{
    char hex[65];
    pn_sha256("", 0, hex);
    CHECK(strcmp(hex, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855") == 0);
    pn_sha256("abc", 3, hex);
    CHECK(strcmp(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad") == 0);
    const char *two = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
    pn_sha256(two, strlen(two), hex);
    CHECK(strcmp(hex, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1") == 0);
    char *million = malloc(1000000);
    CHECK(million != NULL);
    if (million) {
        memset(million, 'a', 1000000);
        pn_sha256(million, 1000000, hex);
        CHECK(strcmp(hex, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0") == 0);
        /* 55, 56, 63 and 64 bytes: the padding's cases */
        pn_sha256(million, 55, hex);
        CHECK(strcmp(hex, "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318") == 0);
        pn_sha256(million, 56, hex);
        CHECK(strcmp(hex, "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a") == 0);
        pn_sha256(million, 63, hex);
        CHECK(strcmp(hex, "7d3e74a05d7db15bce4ad9ec0658ea98e3f06eeecf16b4c6fff2da457ddc2f34") == 0);
        pn_sha256(million, 64, hex);
        CHECK(strcmp(hex, "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb") == 0);
    }
    free(million);
}

/* ---- programs ---- */

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* both outputs, the status, and what cannot be started */
TEST(programs_say_what_they_say)
{
    pn_process p;
    char *both[] = {"sh", "-c", "echo one; echo two >&2; exit 3", NULL};
    CHECK(pn_process_start(&p, both, NULL));
    CHECK(pn_process_wait(&p, 1, 60));
    CHECK(!pn_process_well(&p));
    CHECK_HAS(p.said.at, "one\n");
    CHECK_HAS(p.said.at, "two\n");
    pn_process_release(&p);

    char *none[] = {"no-such-program-of-this-name", NULL};
    CHECK(!pn_process_start(&p, none, NULL) && errno == ENOENT);

    /* an argument is an argument, whatever is in it */
    char *quoted[] = {"printf", "%s", "a b;$HOME`x`'\"*", NULL};
    CHECK(pn_process_start(&p, quoted, NULL));
    CHECK(pn_process_wait(&p, 1, 60) && pn_process_well(&p));
    CHECK(p.said.at && strcmp(p.said.at, "a b;$HOME`x`'\"*") == 0);
    pn_process_release(&p);
}

/* it has nothing to read, gets the folder as TMPDIR, and speaks English */
TEST(programs_have_their_environment)
{
    pn_process p;
    char *line[] = {"sh", "-c", "cat; echo $TMPDIR $LC_ALL", NULL};
    CHECK(pn_process_start(&p, line, "/some/folder"));
    CHECK(pn_process_wait(&p, 1, 60) && pn_process_well(&p));
    CHECK(p.said.at && strcmp(p.said.at, "/some/folder C\n") == 0);
    pn_process_release(&p);
}

/* all at a time, more than a pipe holds, and only the first of it is kept */
TEST(several_programs_that_talk_a_lot)
{
    enum { COUNT = 5 };
    pn_process p[COUNT];
    char *line[] = {"sh", "-c",
                    "i=0; while [ $i -lt 6000 ]; do echo 'some line of some length'; i=$((i+1)); done", NULL};
    for (int i = 0; i < COUNT; i++) CHECK(pn_process_start(&p[i], line, NULL));
    CHECK(pn_process_wait(p, COUNT, 60));
    for (int i = 0; i < COUNT; i++) {
        CHECK(pn_process_well(&p[i]) && p[i].said.length >= 1 << 16 && p[i].said.length < 80000);
        pn_process_release(&p[i]);
    }
}

/* a program that does not end is stopped, the others are not waited for in vain */
TEST(time_is_limited)
{
    pn_process p[2];
    char *slow[] = {"sleep", "60", NULL}, *quick[] = {"sh", "-c", "echo done", NULL};
    const double begin = now();
    CHECK(pn_process_start(&p[0], slow, NULL) && pn_process_start(&p[1], quick, NULL));
    CHECK(!pn_process_wait(p, 2, 0.3));
    CHECK(now() - begin < 30);
    CHECK(!pn_process_well(&p[0]) && pn_process_well(&p[1]));
    CHECK_HAS(p[1].said.at, "done");
    for (int i = 0; i < 2; i++) pn_process_release(&p[i]);

    /* also one that has nothing more to say */
    char *silent[] = {"sh", "-c", "exec >/dev/null 2>&1; exec sleep 20", NULL};
    const double again = now();
    CHECK(pn_process_start(&p[0], silent, NULL));
    CHECK(!pn_process_wait(p, 1, 0.3) && !pn_process_well(&p[0]));
    CHECK(now() - again < 15);
    pn_process_release(&p[0]);
}

static int tenth_time(void *user)
{
    return ++*(int *)user >= 10;
}

/* the caller may stop a program, with what it has started in turn: the pipe, which all of them hold, is closed */
TEST(callers_stop_programs)
{
    pn_process p;
    int asked = 0, end;
    char byte, *line[] = {"sh", "-c", "sleep 60 & sleep 60", NULL};
    const double begin = now();
    CHECK(pn_process_start_group(&p, line, NULL));
    end = dup(p.output);
    CHECK(!pn_process_wait_unless(&p, 1, 60, tenth_time, &asked) && !pn_process_well(&p));
    CHECK(asked == 10);
    CHECK(read(end, &byte, 1) == 0);
    CHECK(now() - begin < 30);
    close(end);
    pn_process_release(&p);
}

/* a program is over when it has ended, whatever it leaves behind */
TEST(others_that_are_left_behind)
{
    pn_process p;
    char *line[] = {"sh", "-c", "sleep 5 & echo done", NULL};
    const double begin = now();
    CHECK(pn_process_start(&p, line, NULL));
    CHECK(pn_process_wait(&p, 1, 60) && pn_process_well(&p));
    CHECK(now() - begin < 4);
    CHECK_HAS(p.said.at, "done");
    pn_process_release(&p);
}

/* what the caller blocks or ignores is not so in a program: one that is asked to end ends, and sees its own children */
TEST(signals_are_the_usual_ones)
{
    pn_process p;
    sigset_t blocked, before;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGTERM);
    CHECK(sigprocmask(SIG_BLOCK, &blocked, &before) == 0);
    void (*pipe_before)(int) = signal(SIGPIPE, SIG_IGN);
    char *end[] = {"sh", "-c", "kill -TERM $$; echo alive", NULL};
    char *burst[] = {"sh", "-c", "kill -PIPE $$; echo alive", NULL};
    char **const lines[] = {end, burst};
    for (int i = 0; i < 2; i++) {
        CHECK(pn_process_start(&p, lines[i], NULL));
        CHECK(pn_process_wait(&p, 1, 60) && !pn_process_well(&p) && p.said.length == 0);
        pn_process_release(&p);
    }
    signal(SIGPIPE, pipe_before);
    sigprocmask(SIG_SETMASK, &before, NULL);
}

/* where the caller ignores its children, nobody can tell how one ended */
TEST(ignored_children)
{
    pn_process p;
    void (*before)(int) = signal(SIGCHLD, SIG_IGN);
    char *line[] = {"sh", "-c", "echo there", NULL};
    CHECK(pn_process_start(&p, line, NULL));
    CHECK(pn_process_wait(&p, 1, 60) && pn_process_well(&p));
    CHECK_HAS(p.said.at, "there");
    pn_process_release(&p);
    signal(SIGCHLD, before);
}

/* ---- folders and files ---- */

static void put(const char *path, const char *text)
{
    CHECK(pn_file_put(path, text, strlen(text)));
}

static int holds(const char *path, const char *text)
{
    char *data = NULL;
    size_t size;
    const int same = pn_file_take(path, 1 << 20, &data, &size) && size == strlen(text) && memcmp(data, text, size) == 0;
    free(data);
    return same;
}

TEST(folders_are_private_and_go_away)
{
    char *folder = pn_folder_new(), name[512];
    CHECK(folder != NULL);
    if (!folder) return;
    struct stat s;
    CHECK(stat(folder, &s) == 0 && S_ISDIR(s.st_mode) && (s.st_mode & 077) == 0);
    char *path = pn_path_of(folder, "a.c");
    put(path, "first");
    put(path, "second");
    CHECK(holds(path, "second"));
    CHECK(stat(path, &s) == 0 && (s.st_mode & 077) == 0);

    /* too large, changeable by others, a link, no file at all */
    char *data = NULL;
    size_t size;
    CHECK(!pn_file_take(path, 5, &data, &size));
    CHECK(chmod(path, 0620) == 0 && !holds(path, "second"));
    CHECK(chmod(path, 0600) == 0 && holds(path, "second"));
    char *link = pn_path_of(folder, "link");
    CHECK(symlink(path, link) == 0 && !holds(link, "second"));
    CHECK(!holds(folder, "second"));
    free(link);
    free(path);
    snprintf(name, sizeof name, "%s", folder);
    pn_folder_remove(folder);
    CHECK(stat(name, &s) != 0 && errno == ENOENT);
    CHECK(!pn_file_put("/no/such/folder/at/all", "x", 1));
}

/* ---- what is kept ---- */

typedef struct shelf {
    char *folder, *cache, *object;
    pn_text recipe;
    char key[65];
} shelf;

static int shelf_new(shelf *x)
{
    memset(x, 0, sizeof *x);
    x->folder = pn_folder_new();
    if (!x->folder) return 0;
    char *place = pn_path_of(x->folder, "kept");
    x->cache = pn_cache_folder(place);
    free(place);
    x->object = pn_path_of(x->folder, "object.so");
    put(x->object, "an object of bytes");
    pn_text_add(&x->recipe, "how it was made\n");
    pn_sha256(x->recipe.at, x->recipe.length, x->key);
    return x->cache && x->object;
}

static void shelf_free(shelf *x)
{
    pn_folder_remove(x->cache);
    pn_folder_remove(x->folder);
    free(x->object);
    pn_text_free(&x->recipe);
}

/* FOLDER/KEY.ENDING */
static void change(const shelf *x, const char *ending, const char *text)
{
    char name[80];
    snprintf(name, sizeof name, "%s.%s", x->key, ending);
    char *path = pn_path_of(x->cache, name);
    put(path, text);
    free(path);
}

/* what was found is open, and nothing but what was kept */
static int is_kept(const shelf *x)
{
    const int file = pn_cache_find(x->cache, x->key, &x->recipe);
    char bytes[32];
    const int found =
        file >= 0 && pread(file, bytes, sizeof bytes, 0) == 18 && memcmp(bytes, "an object of bytes", 18) == 0;
    if (file >= 0) close(file);
    return found;
}

TEST(what_is_kept_is_found)
{
    shelf x;
    CHECK(shelf_new(&x));
    CHECK(!is_kept(&x));
    CHECK(pn_cache_keep(x.cache, x.key, &x.recipe, x.object));
    CHECK(is_kept(&x));

    /* what is put in its place after it was found is not what was found */
    const int file = pn_cache_find(x.cache, x.key, &x.recipe);
    change(&x, "so", "an object of others");
    char bytes[32];
    CHECK(file >= 0 && pread(file, bytes, sizeof bytes, 0) == 18 && memcmp(bytes, "an object of bytes", 18) == 0);
    if (file >= 0) close(file);
    CHECK(!is_kept(&x));
    CHECK(pn_cache_keep(x.cache, x.key, &x.recipe, x.object));

    /* a key that is the same by chance is not enough */
    pn_text other = {0};
    pn_text_add(&other, "made otherwise!\n");
    CHECK(other.length == x.recipe.length && pn_cache_find(x.cache, x.key, &other) < 0);
    pn_text_add(&other, "and more\n");
    CHECK(pn_cache_find(x.cache, x.key, &other) < 0);
    pn_text_free(&other);

    pn_cache_forget(x.cache, x.key);
    CHECK(!is_kept(&x));
    shelf_free(&x);
}

/* The bytes of the disk that the files of a key take. */
static uint64_t bytes_of(const shelf *x, const char *key)
{
    uint64_t bytes = 0;
    for (int i = 0; i < 2; i++) {
        char name[80];
        snprintf(name, sizeof name, "%s.%s", key, i ? "so" : "recipe");
        char *path = pn_path_of(x->cache, name);
        struct stat s;
        if (stat(path, &s) == 0) bytes += (uint64_t)s.st_blocks * 512;
        free(path);
    }
    return bytes;
}

/* Beyond the limit goes what was not used for longest; what is no entry stays, and so does the newest. */
TEST(the_least_used_goes_first)
{
    shelf x;
    CHECK(shelf_new(&x));
    enum { KEPT = 4 };
    pn_text recipe[KEPT] = {{0}};
    char key[KEPT][65];
    uint64_t all = 0;
    for (int i = 0; i < KEPT; i++) {
        pn_text_add(&recipe[i], "recipe %d\n", i);
        pn_sha256(recipe[i].at, recipe[i].length, key[i]);
        CHECK(pn_cache_keep(x.cache, key[i], &recipe[i], x.object));
        all += bytes_of(&x, key[i]);
        usleep(20000); /* file systems tell times apart from about 4 ms on */
    }
    char *other = pn_path_of(x.cache, "not an entry.so");
    put(other, "somebody's");
    CHECK(all > 0);

    /* all have room */
    pn_cache_limit(x.cache, all, key[3]);
    pn_cache_limit(x.cache, 0, key[3]);
    for (int i = 0; i < KEPT; i++) CHECK(bytes_of(&x, key[i]) > 0);

    /* the first was found since, so the second is the oldest */
    int file = pn_cache_find(x.cache, key[0], &recipe[0]);
    CHECK(file >= 0);
    if (file >= 0) close(file);
    pn_cache_limit(x.cache, all - 1, key[3]);
    for (int i = 0; i < KEPT; i++) CHECK((bytes_of(&x, key[i]) > 0) == (i != 1));

    /* nothing has room, and the newest stays */
    pn_cache_limit(x.cache, 1, key[2]);
    CHECK(bytes_of(&x, key[0]) == 0 && bytes_of(&x, key[2]) > 0 && bytes_of(&x, key[3]) == 0);
    CHECK(access(other, F_OK) == 0);
    file = pn_cache_find(x.cache, key[2], &recipe[2]);
    CHECK(file >= 0);
    if (file >= 0) close(file);
    for (int i = 0; i < KEPT; i++) pn_text_free(&recipe[i]);
    free(other);
    shelf_free(&x);
}

/* an object that was cut, changed or exchanged, or whose recipe was, is not there */
TEST(damage_is_noticed)
{
    shelf x;
    CHECK(shelf_new(&x));
    static const char *const objects[] = {"", "an object of byte", "an object of bytez", "an object of bytes and more"};
    for (int i = 0; i < 4; i++) {
        CHECK(pn_cache_keep(x.cache, x.key, &x.recipe, x.object));
        CHECK(is_kept(&x));
        change(&x, "so", objects[i]);
        CHECK(!is_kept(&x));
    }
    static const char *const recipes[] = {"", "how it was made\n", "how it was made\nno hash\n"};
    for (int i = 0; i < 3; i++) {
        CHECK(pn_cache_keep(x.cache, x.key, &x.recipe, x.object));
        CHECK(is_kept(&x));
        change(&x, "recipe", recipes[i]);
        CHECK(!is_kept(&x));
    }
    /* and is replaced by the next that is kept */
    CHECK(pn_cache_keep(x.cache, x.key, &x.recipe, x.object));
    CHECK(is_kept(&x));
    shelf_free(&x);
}

/* nothing is taken from where others can write */
TEST(folders_of_others_are_refused)
{
    shelf x;
    CHECK(shelf_new(&x));
    CHECK(pn_cache_keep(x.cache, x.key, &x.recipe, x.object));
    struct stat s;
    CHECK(stat(x.cache, &s) == 0 && (s.st_mode & 0777) == 0700);

    /* the folder */
    CHECK(chmod(x.cache, 0770) == 0);
    CHECK(pn_cache_folder(x.cache) == NULL);
    CHECK(chmod(x.cache, 0702) == 0);
    CHECK(pn_cache_folder(x.cache) == NULL);
    CHECK(chmod(x.cache, 0755) == 0);
    char *again = pn_cache_folder(x.cache);
    CHECK(again && strcmp(again, x.cache) == 0);
    free(again);

    /* a link to it, also with a slash behind */
    char *link = pn_path_of(x.folder, "link"), *slash = pn_path_of(x.folder, "link/");
    CHECK(symlink(x.cache, link) == 0);
    CHECK(pn_cache_folder(link) == NULL && pn_cache_folder(slash) == NULL);
    free(link);
    free(slash);

    /* a file in its place, a parent that is not there, and none */
    CHECK(pn_cache_folder(x.object) == NULL);
    CHECK(pn_cache_folder("/no/such/folder") == NULL);
    CHECK(pn_cache_folder("") == NULL);

    /* a folder of ours that anyone can put another in the place of; where only owners can, it will do */
    char *open_to_all = pn_path_of(x.folder, "open"), *inside = pn_path_of(x.folder, "open/kept");
    CHECK(mkdir(open_to_all, 0700) == 0 && chmod(open_to_all, 0777) == 0);
    CHECK(pn_cache_folder(inside) == NULL);
    CHECK(chmod(open_to_all, 01777) == 0);
    again = pn_cache_folder(inside);
    CHECK(again && strcmp(again, inside) == 0);
    free(again);
    /* one that others own, or a group of others: they can do as they like in it */
    if (geteuid() == 0) {
        CHECK(chmod(open_to_all, 0755) == 0 && chown(open_to_all, 12345, 0) == 0);
        CHECK(pn_cache_folder(inside) == NULL);
        CHECK(chown(open_to_all, 0, 12345) == 0 && chmod(open_to_all, 0775) == 0);
        CHECK(pn_cache_folder(inside) == NULL);
        CHECK(chmod(open_to_all, 0755) == 0);
        again = pn_cache_folder(inside);
        CHECK(again != NULL);
        free(again);
    }
    rmdir(inside);
    rmdir(open_to_all);
    free(inside);
    free(open_to_all);

    /* an object of others in a folder of ours */
    char name[80];
    snprintf(name, sizeof name, "%s.so", x.key);
    char *path = pn_path_of(x.cache, name);
    CHECK(is_kept(&x) && chmod(path, 0660) == 0 && !is_kept(&x));
    CHECK(chmod(path, 0600) == 0 && is_kept(&x));
    if (geteuid() == 0) {
        CHECK(chown(path, 12345, 12345) == 0 && !is_kept(&x));
        CHECK(chown(x.cache, 12345, 12345) == 0);
        CHECK(pn_cache_folder(x.cache) == NULL);
    }
    free(path);
    shelf_free(&x);
}

/* the user's folder: $XDG_CACHE_HOME, else ~/.cache, else none */
TEST(the_users_folder)
{
    shelf x;
    CHECK(shelf_new(&x));
    char *home = pn_path_of(x.folder, "home"), *caches = pn_path_of(x.folder, "caches");
    CHECK(mkdir(home, 0755) == 0);
    setenv("HOME", home, 1);
    setenv("XDG_CACHE_HOME", caches, 1);
    char *folder = pn_cache_folder(NULL), *expected = pn_path_of(caches, "pinion");
    CHECK(folder && strcmp(folder, expected) == 0);
    pn_folder_remove(folder);
    rmdir(caches);
    free(expected);

    /* a path that does not begin at the root is not one */
    setenv("XDG_CACHE_HOME", "caches", 1);
    folder = pn_cache_folder(NULL);
    expected = pn_path_of(home, ".cache/pinion");
    CHECK(folder && strcmp(folder, expected) == 0);
    pn_folder_remove(folder);
    free(expected);
    unsetenv("XDG_CACHE_HOME");
    folder = pn_cache_folder(NULL);
    CHECK(folder != NULL);
    pn_folder_remove(folder);
    char *below = pn_path_of(home, ".cache");
    rmdir(below);
    rmdir(home);
    unsetenv("HOME");
    CHECK(pn_cache_folder(NULL) == NULL);
    free(below);
    free(home);
    free(caches);
    shelf_free(&x);
}

/* many at a time that write the same entry: whoever reads finds all of it or none */
TEST(writers_at_a_time)
{
    shelf x;
    CHECK(shelf_new(&x));
    enum { CHILDREN = 4, ROUNDS = 200 };
    for (int i = 0; i < CHILDREN; i++) {
        fflush(stdout);
        const pid_t child = fork();
        if (child == 0) {
            int good = 1;
            for (int k = 0; k < ROUNDS; k++) {
                good = good && pn_cache_keep(x.cache, x.key, &x.recipe, x.object) && is_kept(&x);
            }
            _exit(good ? 0 : 1);
        }
        CHECK(child > 0);
    }
    for (int i = 0; i < CHILDREN; i++) {
        int status = -1;
        CHECK(wait(&status) > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    CHECK(is_kept(&x));
    shelf_free(&x);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(sha256_of_the_standards_examples);
    RUN(programs_say_what_they_say);
    RUN(programs_have_their_environment);
    RUN(several_programs_that_talk_a_lot);
    RUN(time_is_limited);
    RUN(callers_stop_programs);
    RUN(others_that_are_left_behind);
    RUN(signals_are_the_usual_ones);
    RUN(ignored_children);
    RUN(folders_are_private_and_go_away);
    RUN(what_is_kept_is_found);
    RUN(the_least_used_goes_first);
    RUN(damage_is_noticed);
    RUN(folders_of_others_are_refused);
    RUN(the_users_folder);
    RUN(writers_at_a_time);
    return CHECK_END();
}
