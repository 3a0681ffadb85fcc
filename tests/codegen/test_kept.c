/* What happens when something is wrong with the compiler, with what it makes or with what was kept. */
#include "compiled_code.h"

/* ---- compilers ---- */

static void refuse(const pinion_model *m, const char *compiler, pinion_status status, const char *part)
{
    pinion_error err = {0};
    char *cache = below("refused");
    pinion_compiled *c = compile(m, "gravity", compiler, cache, &err);
    CHECK(c == NULL && err.status == status);
    CHECK_HAS(err.message, part);
    pinion_compiled_free(c);
    /* nothing is left, and nothing is kept */
    CHECK(files_in(temporary) == 0 && files_in(cache) == 0);
    pn_folder_remove(cache);
}

TEST(compilers_that_fail)
{
    pinion_model *m = pinion_random_chain(2, 3, NULL);
    CHECK(m != NULL);
    if (!m) return;
    refuse(m, "/no/such/compiler", PINION_ERR_NOT_FOUND, "/no/such/compiler");
    refuse(m, "no-such-compiler", PINION_ERR_NOT_FOUND, "no-such-compiler");
    refuse(m, "", PINION_ERR_NOT_FOUND, "");
    static const struct {
        const char *body, *part;
    } bad[] = {
        {"case $1 in --version) echo 1;; *) echo 'unit.c:1: error: no room' >&2; echo 'and more'; exit 1;; esac",
         "unit.c:1: error: no room | and more"},
        {"case $1 in --version) echo 1;; esac", "it said nothing"},
        {"case $1 in --version) echo 1;; *) kill -9 $$;; esac", "it said nothing"},
        /* an object that is none */
        {"case $1 in --version) echo 1; exit;; esac; while [ $1 ]; do [ $1 = -o ] && echo text >$2; shift; done",
         "cannot be loaded"},
        /* one without the table */
        {"case $1 in --version) echo 1; exit;; -shared) echo 'int x;' >$TMPDIR/x.c;"
         " exec cc -shared -fPIC -o $3 $TMPDIR/x.c;;"
         " esac; exec cc \"$@\"",
         "no table"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char *path = script("bad", bad[i].body);
        refuse(m, path, PINION_ERR_FILE, bad[i].part);
        unlink(path);
        free(path);
    }

    /* $CC may have arguments */
    setenv("CC", "no-such-compiler -x", 1);
    refuse(m, NULL, PINION_ERR_NOT_FOUND, "no-such-compiler");
    setenv("CC", "cc -DA -DA -DA -DA -DA -DA -DA -DA -DA -DA -DA -DA -DA -DA -DA -DA", 1);
    refuse(m, NULL, PINION_ERR_NOT_FOUND, "1 to 16 words");
    setenv("CC", "  ", 1);
    pinion_error err = {0};
    pinion_compiled *c = compile(m, "gravity", NULL, "", &err);
    CHECK(c != NULL);
    pinion_compiled_free(c);
    setenv("CC", "env PINION_TEST_OF_WORDS=1 cc", 1);
    c = compile(m, "gravity", NULL, "", &err);
    CHECK(c != NULL);
    pinion_compiled_free(c);
    unsetenv("CC");
    pinion_model_free(m);
}

/* code that computes something else is not used: a constant, a sign, only in packs, only in single precision */
TEST(differences_are_found)
{
    pinion_model *m = bundled("puma560-corke.json");
    if (!m) return;
    static const struct {
        const char *edit, *unit, *part;
    } wrong[] = {
        {"s/9\\.81/9.810001/g", "f64", "gravity in f64, tau["},
        {"s/9\\.81/19.81/g", "f32", "gravity in f32, tau["},
        {"s/ sine\\[1\\]/ -sine[1]/", "f64_pack", "gravity in f64x"},
        {"s/cosine\\[2\\]/sine[2]/", "f32_pack", "gravity in f32x"},
        {"s/\\(tau\\[2\\] = \\)/\\1R(0) * /", "f64", "tau[2]"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char body[600];
        /* the last argument is the source: without it the other one is compiled in its place */
        snprintf(body, sizeof body,
                 "for x; do case $x in *unit-%s.c) d=${x%%/*}; mkdir $d/other; for f in $d/*.c $d/*.h; do"
                 " sed '%s' $f >$d/other/${f##*/}; done; n=; for y; do [ \"$y\" = \"$x\" ] || n=\"$n $y\"; done;"
                 " cc $n -O1 $d/other/unit-%s.c; s=$?; rm -r $d/other; exit $s;; esac; done; exec cc \"$@\" -O1",
                 wrong[i].unit, wrong[i].edit, wrong[i].unit);
        char *path = script("wrong", body);
        refuse(m, path, PINION_ERR_MISMATCH, wrong[i].part);
        unlink(path);
        free(path);
    }
    pinion_model_free(m);
}

/* ---- what is kept ---- */

/* compiles by way of a program that counts, and checks what comes out */
static void check_kept(const pinion_model *m, const char *cache, int expected_runs)
{
    pinion_error err = {0};
    pinion_compiled *c = compile(m, "gravity", counting, cache, &err);
    if (!c) CHECK_FAIL("%s", err.message);
    const int n = runs();
    if (n != expected_runs) CHECK_FAIL("the compiler ran %d times, not %d", n, expected_runs);
    pinion_compiled_free(c);
    CHECK(files_in(temporary) == 0);
}

/* changes a file of the folder that ends so */
static void damage(const char *cache, const char *ending, const char *how)
{
    DIR *d = opendir(cache);
    for (struct dirent *e; d && (e = readdir(d)) != NULL;) {
        const size_t n = strlen(e->d_name), k = strlen(ending);
        if (n < k || strcmp(e->d_name + n - k, ending) != 0) continue;
        char *path = pn_path_of(cache, e->d_name);
        struct stat s;
        CHECK(stat(path, &s) == 0);
        if (strcmp(how, "cut") == 0) CHECK(truncate(path, s.st_size / 2) == 0);
        if (strcmp(how, "remove") == 0) CHECK(unlink(path) == 0);
        if (strcmp(how, "open") == 0) CHECK(chmod(path, 0666) == 0);
        if (strcmp(how, "flip") == 0) {
            FILE *f = fopen(path, "r+");
            CHECK(f && fseek(f, s.st_size / 2, SEEK_SET) == 0);
            const int byte = f ? fgetc(f) : 0;
            if (f) fseek(f, s.st_size / 2, SEEK_SET), fputc(byte ^ 0x40, f), fclose(f);
        }
        free(path);
    }
    if (d) closedir(d);
}

enum { AGAIN = 1, ANEW = 1 + 6 }; /* --version; four units, the table, linking */

TEST(what_was_compiled_is_found_again)
{
    pinion_model *m = pinion_random_chain(1, 5, NULL);
    char *cache = below("cache");
    const int anew = pn_backend_for_batches(8)->lanes > 1 ? ANEW : ANEW - 2;
    CHECK(m != NULL);
    if (!m) return;
    check_kept(m, cache, anew);
    CHECK(files_in(cache) == 2);
    check_kept(m, cache, AGAIN);

    /* another robot, and another wish, are other entries */
    pinion_model *other = pinion_random_chain(1, 6, NULL);
    check_kept(other, cache, anew);
    CHECK(files_in(cache) == 4);
    check_kept(other, cache, AGAIN);
    check_kept(m, cache, AGAIN);
    pinion_model_free(other);

    /* without a folder, or in one that others can write to, it is compiled each time */
    check_kept(m, "", anew);
    CHECK(chmod(cache, 0777) == 0);
    check_kept(m, cache, anew);
    CHECK(chmod(cache, 0700) == 0);
    check_kept(m, cache, AGAIN);
    empty(cache);
    pn_folder_remove(cache);
    pinion_model_free(m);
}

TEST(what_is_damaged_is_made_again)
{
    pinion_model *m = pinion_random_chain(1, 5, NULL);
    char *cache = below("cache");
    const int anew = pn_backend_for_batches(8)->lanes > 1 ? ANEW : ANEW - 2;
    static const char *const hows[] = {"cut", "remove", "open", "flip"};
    CHECK(m != NULL);
    if (!m) return;
    check_kept(m, cache, anew);
    /* test_cache.c has them for both files */
    for (int k = 0; k < 4; k++) {
        damage(cache, k & 1 ? ".so" : ".recipe", hows[k]);
        check_kept(m, cache, anew);
        check_kept(m, cache, AGAIN);
    }
    empty(cache);
    pn_folder_remove(cache);
    pinion_model_free(m);
}

/* An entry that is whole in itself, but of another robot: its table says so, and it is made again. So is one that has
 * the right table and wrong numbers. */
TEST(what_is_exchanged_is_made_again)
{
    pinion_model *m = pinion_random_chain(1, 5, NULL), *other = pinion_random_chain(1, 6, NULL);
    char *cache = below("cache"), *beside = below("beside");
    const int anew = pn_backend_for_batches(8)->lanes > 1 ? ANEW : ANEW - 2;
    CHECK(m && other);
    if (!m || !other) return;
    check_kept(m, cache, anew);
    check_kept(other, beside, anew);

    /* the object of the other, and its hash behind our recipe */
    char *ours = NULL, *theirs = NULL, *recipe = NULL, *object = NULL, name[300];
    size_t recipe_size = 0, object_size = 0;
    DIR *d = opendir(cache);
    for (struct dirent *e; d && (e = readdir(d)) != NULL;)
        if (strstr(e->d_name, ".so")) ours = pn_path_of(cache, e->d_name);
    if (d) closedir(d);
    d = opendir(beside);
    for (struct dirent *e; d && (e = readdir(d)) != NULL;)
        if (strstr(e->d_name, ".so")) theirs = pn_path_of(beside, e->d_name);
    if (d) closedir(d);
    CHECK(ours && theirs);
    if (ours && theirs) {
        snprintf(name, sizeof name, "%.*s.recipe", (int)strlen(ours) - 3, ours);
        CHECK(pn_file_take(name, 1 << 28, &recipe, &recipe_size));
        CHECK(pn_file_take(theirs, 1 << 28, &object, &object_size));
        pn_sha256(object, object_size, recipe + recipe_size - 65);
        recipe[recipe_size - 1] = '\n';
        CHECK(pn_file_put(ours, object, object_size) && pn_file_put(name, recipe, recipe_size));
        /* it is asked for its version twice */
        check_kept(m, cache, anew + 1);
        check_kept(m, cache, AGAIN);
    }
    free(ours), free(theirs), free(recipe), free(object);
    pn_folder_remove(cache);
    pn_folder_remove(beside);
    pinion_model_free(m);
    pinion_model_free(other);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    const int cannot = begin_compiling();
    if (cannot) return cannot;
    RUN(compilers_that_fail);
    RUN(differences_are_found);
    RUN(what_was_compiled_is_found_again);
    RUN(what_is_damaged_is_made_again);
    RUN(what_is_exchanged_is_made_again);
    end_compiling();
    return CHECK_END();
}
