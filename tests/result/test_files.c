/* Results in files: what was saved is loaded, whole or not at all, and bad files get a line of error. */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "comma.h"
#include "pinion/pinion.h"
#include "result_sample.h"

static char folder[] = "/tmp/pinion-result-XXXXXX";
static const char *const extensions[] = {"csv", "jsonl", "h5"};

/* A path in the folder of this test. Good until called again. */
static const char *in_folder(const char *name)
{
    static char path[300];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

/* How many entries the folder has. */
static int entries(void)
{
    int count = -2; /* . and .. */
    DIR *d = opendir(folder);
    if (!d) return -1;
    while (readdir(d)) count++;
    closedir(d);
    return count;
}

static void clear_folder(void)
{
    DIR *d = opendir(folder);
    struct dirent *e;
    while (d && (e = readdir(d))) unlink(in_folder(e->d_name));
    if (d) closedir(d);
}

/* The bytes of a file; NULL when it cannot be read. */
static char *read_all(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    char *bytes = f ? malloc(1 << 24) : NULL;
    *size = bytes ? fread(bytes, 1, 1 << 24, f) : 0;
    if (f) fclose(f);
    return bytes;
}

static void write_all(const char *path, const char *bytes, size_t size)
{
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(bytes, 1, size, f) != size) CHECK_FAIL("cannot write %s", path);
    if (f) fclose(f);
}

TEST(round_trip)
{
    static const size_t rows[] = {0, 1, 100};
    for (int k = 0; k < 3; k++) {
        pinion_result *r = sample_result(rows[k], check_seed);
        for (int i = 0; i < 3; i++) {
            pinion_error err = {PINION_OK, 0, 0, ""};
            char name[16];
            snprintf(name, sizeof name, "a.%s", extensions[i]);
            CHECK_STATUS(pinion_result_save(r, in_folder(name), PINION_RESULT_AUTO, &err), PINION_OK);
            pinion_result *again = pinion_result_load(in_folder(name), &err);
            if (!again) CHECK_FAIL("%s", err.message);
            if (again) CHECK(sample_equal(r, again, i != 0));

            /* the content tells the format, not the name; and writing again gives the same bytes */
            CHECK_STATUS(pinion_result_save(again, in_folder("b"), (pinion_result_format)(i + 1), &err),
                         PINION_OK);
            pinion_result *third = pinion_result_load(in_folder("b"), &err);
            CHECK(third && sample_equal(r, third, i != 0));
            size_t one, two;
            char *first = read_all(in_folder(name), &one), *second = read_all(in_folder("b"), &two);
            CHECK(one > 0 && one == two && !memcmp(first, second, one));
            free(first);
            free(second);
            pinion_result_free(again);
            pinion_result_free(third);
        }
        pinion_result_free(r);
    }
    CHECK(entries() == 4);
    clear_folder();
}

/* CSV says nan and inf, JSON null; under keys nothing is lost. HDF5 has the bits. */
TEST(not_finite)
{
    for (int i = 0; i < 3; i++) {
        pinion_result *r = pinion_result_new(), *again;
        double row[4] = {NAN, INFINITY, -INFINITY, -0.0};
        int bad = 0;
        for (int k = 0; k < 4; k++)
            bad |= pinion_result_add_column(r, (const char[]){(char)('a' + k), 0}, "") != PINION_OK;
        bad |= pinion_result_add_row(r, row) != PINION_OK ||
               pinion_result_set_numbers(r, "x", 4, row) != PINION_OK;
        bad |= pinion_result_add_event(r, INFINITY, "never") != PINION_OK;
        CHECK(!bad);
        CHECK_STATUS(pinion_result_save(r, in_folder("n"), (pinion_result_format)(i + 1), NULL), PINION_OK);
        CHECK((again = pinion_result_load(in_folder("n"), NULL)) != NULL);
        for (int k = 0; again && k < 4; k++) {
            double expected = i == 1 && !isfinite(row[k]) ? NAN : row[k];
            CHECK(sample_same(pinion_result_values(again, k)[0], expected));
            int n;
            const double *x = pinion_result_numbers(again, "x", &n);
            CHECK(i == 0 ? !x : x && n == 4 && sample_same(x[k], row[k]));
        }
        pinion_result_free(r);
        pinion_result_free(again);
    }
    clear_folder();
}

/* Numbers keep their bits, and files their bytes, where a decimal comma is in use. */
TEST(locale)
{
    pinion_result *r = sample_result(20, check_seed + 1);
    size_t size[2];
    for (int i = 0; i < 2; i++) {
        char *plain, *local;
        CHECK_STATUS(pinion_result_save(r, in_folder("plain"), (pinion_result_format)(i + 1), NULL),
                     PINION_OK);
        if (!comma_locale()) {
            pinion_result_free(r);
            clear_folder();
            SKIP("no locale with a decimal comma is installed");
        }
        CHECK_STATUS(pinion_result_save(r, in_folder("local"), (pinion_result_format)(i + 1), NULL),
                     PINION_OK);
        pinion_result *again = pinion_result_load(in_folder("plain"), NULL);
        setlocale(LC_ALL, "C");
        CHECK(again && sample_equal(r, again, i != 0));
        plain = read_all(in_folder("plain"), &size[0]);
        local = read_all(in_folder("local"), &size[1]);
        CHECK(size[0] > 0 && size[0] == size[1] && !memcmp(plain, local, size[0]));
        free(plain);
        free(local);
        pinion_result_free(again);
    }
    pinion_result_free(r);
    clear_folder();
}

/* The CSV as it is documented. */
TEST(csv_text)
{
    pinion_result *r = pinion_result_new();
    double row[] = {0.1, -2};
    int bad = pinion_result_set(r, "title", "two\nlines, and a \\") != PINION_OK;
    bad |= pinion_result_add_event(r, 0.25, "stopped") != PINION_OK;
    bad |= pinion_result_add_column(r, "t", "s") != PINION_OK;
    bad |= pinion_result_add_column(r, "a, [b]", "") != PINION_OK;
    bad |= pinion_result_add_row(r, row) != PINION_OK;
    bad |= pinion_result_save(r, in_folder("a.CSV"), PINION_RESULT_AUTO, NULL) != PINION_OK;
    bad |= pinion_result_save(r, in_folder("a.jsonl"), PINION_RESULT_AUTO, NULL) != PINION_OK;
    CHECK(!bad);
    size_t size;
    char *csv = read_all(in_folder("a.CSV"), &size);
    static const char expected[] = "t,\"a, [b]\"\n"
                                   "0.1,-2\n";
    CHECK(size == sizeof expected - 1 && !memcmp(csv, expected, size));
    free(csv);
    char *jsonl = read_all(in_folder("a.jsonl"), &size);
    static const char lines[] =
        "{\"pinion_result\": 1, \"texts\": {\"title\": \"two\\nlines, and a \\\\\"}, \"numbers\": {}, "
        "\"events\": [{\"t\": 0.25, \"text\": \"stopped\"}], "
        "\"columns\": [{\"name\": \"t\", \"unit\": \"s\"}, {\"name\": \"a, [b]\", \"unit\": \"\"}]}\n"
        "[0.1, -2]\n";
    CHECK(size == sizeof lines - 1 && !memcmp(jsonl, lines, size));
    free(jsonl);
    pinion_result_free(r);
    clear_folder();
}

/* Quotes only where a reader needs them. */
TEST(csv_names)
{
    static const char *const names[] = {"t",    "q.root.0", "left arm", "a/b:c+(d)", "\xc3\xa4", "a,b",
                                        "a\"b", "a\nb",     " a",       "a\t",       "#a",       "a#b",
                                        "{a",   "a [b]",    "[b] a",    "1e3",       "inf"};
    static const char expected[] =
        "t,q.root.0,left arm,a/b:c+(d),\xc3\xa4,\"a,b\",\"a\"\"b\",\"a\nb\",\" a\","
        "\"a\t\",\"#a\",a#b,\"{a\",\"a [b]\",[b] a,\"1e3\",\"inf\"\n";
    pinion_result *r = pinion_result_new();
    int bad = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        bad |= pinion_result_add_column(r, names[i], "m") != PINION_OK;
    bad |= pinion_result_save(r, in_folder("a.csv"), PINION_RESULT_AUTO, NULL) != PINION_OK;
    CHECK(!bad);
    size_t size;
    char *csv = read_all(in_folder("a.csv"), &size);
    CHECK(size == sizeof expected - 1 && !memcmp(csv, expected, size));
    free(csv);
    pinion_result_free(r);
    clear_folder();
}

/* A CSV of another origin: comments are passed over, a unit may follow a name that is not in quotes. */
TEST(foreign_csv)
{
    static const char text[] =
        "# title: not ours\r\n t ,x[m], y [m/s] ,\"z [m]\"\r\n0,1,2,3\r\n#\r\n1,nan,2,3\r\n";
    static const pinion_column expected[] = {{"t", ""}, {"x", "m"}, {"y", "m/s"}, {"z [m]", ""}};
    write_all(in_folder("f"), text, sizeof text - 1);
    pinion_error err;
    pinion_result *r = pinion_result_load(in_folder("f"), &err);
    CHECK(r && pinion_result_key_count(r) == 0 && pinion_result_row_count(r) == 2);
    for (int i = 0; i < 4; i++) {
        pinion_column c = {"", ""};
        CHECK(pinion_result_column(r, i, &c) == PINION_OK);
        CHECK(!strcmp(c.name, expected[i].name) && !strcmp(c.unit, expected[i].unit));
    }
    pinion_result_free(r);
    clear_folder();
}

TEST(complaints)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"", "there are no rows"},
        {"1,2\n", ":1: the columns have no names"},
        {"a,b\n1\n", ":2: 1 value in a row"},
        {"\xff,b\n1,2\n", "'?' is not valid UTF-8"},
        {"a [m],a [s]\n1,2\n", "two of the same name: the column's name 'a'"},
        {"{", ":1: no JSON: "},
        {"{}\n", ":1: no result; expected an object with the key \"pinion_result\""},
        {"\n{\"pinion_result\": 2}\n", ":2: a result of another version"},
        {"{\"pinion_result\": 1}\n", ":1: 'columns' is missing"},
        {"{\"pinion_result\": 1, \"columns\": [{\"name\": 1}]}\n", ":1: column 1 is not as expected"},
        {"{\"pinion_result\": 1, \"columns\": [1]}\n", ":1: column 1 is not as expected"},
        {"{\"pinion_result\": 1, \"columns\": [{\"name\": \"\"}]}\n", ":1: the column's name '' is empty"},
        {"{\"pinion_result\": 1, \"columns\": [{\"name\": \"a\", \"unit\": \"[\"}]}\n",
         ":1: the unit '[' has a bracket"},
        {"{\"pinion_result\": 1, \"columns\": [{\"name\": \"a\"}, {\"name\": \"a\"}]}\n",
         "two of the same name"},
        {"{\"pinion_result\": 1, \"texts\": 1}\n", ":1: 'texts' is no object"},
        {"{\"pinion_result\": 1, \"texts\": {\"a\": 1}}\n", ":1: the text 'a' is no string"},
        {"{\"pinion_result\": 1, \"texts\": {\"a b\": \"\"}}\n", ":1: 'a b' is no key"},
        {"{\"pinion_result\": 1, \"texts\": {\"a\": \"\", \"a\": \"\"}}\n", ":1: no JSON: duplicate"},
        {"{\"pinion_result\": 1, \"texts\": {\"a\": \"\\u0000\"}}\n", ":1: no JSON: "},
        {"{\"pinion_result\": 1, \"numbers\": {\"a\": 1}}\n", ":1: the numbers 'a' are no array"},
        {"{\"pinion_result\": 1, \"numbers\": {\"a\": [1, \"x\"]}}\n", ":1: the array 'a' holds something"},
        {"{\"pinion_result\": 1, \"events\": [{\"t\": 1}]}\n", ":1: event 1 is not as expected"},
        {"{\"pinion_result\": 1, \"columns\": [{\"name\": \"a\"}]}\n[1]\n\n[1, 2]\n",
         ":4: the line is no row"},
        {"{\"pinion_result\": 1, \"columns\": [{\"name\": \"a\"}]}\n[true]\n",
         ":2: column 1 (a) has no number"},
        {"{\"pinion_result\": 1, \"columns\": [{\"name\": \"a\"}]}\n[1e999]\n", ":2: no JSON: "},
        {"{\"pinion_result\": 1, \"columns\": [{\"name\": \"a\"}]}\n[1] 2\n", ":2: no JSON: "},
        {"{\"pinion_result\": 1, \"columns\": []}\n[]\n", ":2: the line is no row"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pinion_error err = {PINION_OK, 0, 0, ""};
        write_all(in_folder("bad"), cases[i].text, strlen(cases[i].text));
        pinion_result *r = pinion_result_load(in_folder("bad"), &err);
        CHECK(!r && err.status == PINION_ERR_PARSE);
        CHECK_HAS(err.message, cases[i].message);
        CHECK_HAS(err.message, "/bad:");
        pinion_result_free(r);
    }
    pinion_error err;
    CHECK(!pinion_result_load(in_folder("absent"), &err) && err.status == PINION_ERR_FILE);
    CHECK(!pinion_result_load(folder, &err) && err.status == PINION_ERR_FILE);
    CHECK(!pinion_result_load("", &err) && err.status == PINION_ERR_ARGUMENT);
    CHECK(!pinion_result_load(NULL, NULL));
    clear_folder();
}

/* An HDF5 file that lost its end, at any place, is an error and no crash. */
TEST(cut_off)
{
    pinion_result *r = sample_result(50, check_seed);
    for (int i = 1; i < 3; i++) {
        CHECK_STATUS(pinion_result_save(r, in_folder("whole"), (pinion_result_format)(i + 1), NULL),
                     PINION_OK);
        size_t size;
        char *bytes = read_all(in_folder("whole"), &size);
        for (size_t cut = 0; cut < size - 2; cut += 1 + size / 97) {
            write_all(in_folder("cut"), bytes, cut);
            pinion_error err = {PINION_OK, 0, 0, ""};
            pinion_result *part = pinion_result_load(in_folder("cut"), &err);
            if (i == 2) CHECK(!part && err.message[0]);
            /* a part of JSON lines that ends with a line is a result with fewer rows */
            if (i == 1 && part) CHECK(pinion_result_row_count(part) < 50);
            pinion_result_free(part);
        }
        free(bytes);
    }
    pinion_result_free(r);
    clear_folder();
}

TEST(arguments)
{
    pinion_error err;
    pinion_result *empty = pinion_result_new(), *r = sample_result(1, 1);
    CHECK_STATUS(pinion_result_save(NULL, in_folder("a.csv"), PINION_RESULT_AUTO, &err), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_result_save(r, NULL, PINION_RESULT_AUTO, &err), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_result_save(r, in_folder("a.txt"), PINION_RESULT_AUTO, &err), PINION_ERR_ARGUMENT);
    CHECK_HAS(err.message, "expected .csv, .jsonl, .h5 or .hdf5");
    CHECK_STATUS(pinion_result_save(r, in_folder("a.csv"), (pinion_result_format)9, &err),
                 PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_result_save(empty, in_folder("a.csv"), PINION_RESULT_AUTO, &err),
                 PINION_ERR_ARGUMENT);
    CHECK_HAS(err.message, "no columns");
    CHECK(pinion_result_format_of("a.hdf5") == PINION_RESULT_HDF5 &&
          pinion_result_format_of("a.JSONL") == PINION_RESULT_JSONL);
    CHECK(pinion_result_format_of(".csv") == PINION_RESULT_AUTO &&
          pinion_result_format_of(NULL) == PINION_RESULT_AUTO);
    size_t size = 0;
    CHECK(!pinion_result_save_string(r, PINION_RESULT_AUTO, &size, &err) && err.status == PINION_ERR_ARGUMENT);
    CHECK_HAS(err.message, "the format to write was not named; expected CSV, JSON lines or HDF5");
    CHECK(!pinion_result_save_string(NULL, PINION_RESULT_CSV, &size, &err) && err.status == PINION_ERR_ARGUMENT);
    CHECK_HAS(err.message, "no result to write");
    CHECK(!pinion_result_save_string(r, PINION_RESULT_CSV, NULL, &err) && err.status == PINION_ERR_ARGUMENT);
    CHECK(entries() == 0);
    pinion_result_free(empty);
    pinion_result_free(r);
}

/* The bytes of a file without the file. */
TEST(strings)
{
    static const pinion_result_format formats[] = {PINION_RESULT_CSV, PINION_RESULT_JSONL, PINION_RESULT_HDF5};
    pinion_result *r = sample_result(7, 3);
    for (int i = 0; i < 3; i++) {
        pinion_error err = {0};
        char name[20];
        size_t size = 0, length;
        snprintf(name, sizeof name, "x.%s", extensions[i]);
        char *bytes = pinion_result_save_string(r, formats[i], &size, &err);
        CHECK(bytes != NULL);
        CHECK_STATUS(pinion_result_save(r, in_folder(name), PINION_RESULT_AUTO, &err), PINION_OK);
        char *file = read_all(in_folder(name), &length);
        CHECK(file && bytes && length == size && memcmp(file, bytes, size) == 0);
        pinion_free(bytes);
        free(file);
    }
    pinion_result_free(r);
    clear_folder();
}

/* In a process that may not write more than a few bytes to a file, the old file stays and nothing is left. */
TEST(no_room)
{
    for (int i = 0; i < 3; i++) {
        write_all(in_folder("old"), "old", 3);
        fflush(stdout);
        pid_t child = fork();
        if (child == 0) {
            struct rlimit limit = {1000, 1000};
            signal(SIGXFSZ, SIG_IGN);
            setrlimit(RLIMIT_FSIZE, &limit);
            pinion_error err = {PINION_OK, 0, 0, ""};
            pinion_result *r = sample_result(10, 1);
            pinion_status s = pinion_result_save(r, in_folder("old"), (pinion_result_format)(i + 1), &err);
            pinion_result_free(r);
            _exit(s == PINION_ERR_FILE && strstr(err.message, "cannot be written: ") ? 0 : 1);
        }
        int status = -1;
        CHECK(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
              WEXITSTATUS(status) == 0);
        size_t size;
        char *bytes = read_all(in_folder("old"), &size);
        CHECK(size == 3 && !memcmp(bytes, "old", 3));
        free(bytes);
        CHECK(entries() == 1);
    }
    clear_folder();
}

/* A path that is a link stays one; rights stay; a new file has ordinary ones. */
TEST(in_place)
{
    pinion_result *r = sample_result(1, 1);
    char target[300], link[300];
    struct stat about;
    snprintf(target, sizeof target, "%s/target", folder);
    snprintf(link, sizeof link, "%s/link.h5", folder);
    mode_t mask = umask(022);
    for (int i = 0; i < 3; i++) {
        CHECK_STATUS(pinion_result_save(r, target, (pinion_result_format)(i + 1), NULL), PINION_OK);
        CHECK(stat(target, &about) == 0 && (about.st_mode & 0777) == 0644);
        CHECK(chmod(target, 0600) == 0 && symlink("target", link) == 0);
        CHECK_STATUS(pinion_result_save(r, link, (pinion_result_format)(i + 1), NULL), PINION_OK);
        CHECK(lstat(link, &about) == 0 && S_ISLNK(about.st_mode));
        CHECK(lstat(target, &about) == 0 && S_ISREG(about.st_mode) && (about.st_mode & 0777) == 0600);
        CHECK(entries() == 2);
        clear_folder();
    }
    umask(mask);
    pinion_error err;
    CHECK_STATUS(pinion_result_save(r, folder, PINION_RESULT_CSV, &err), PINION_ERR_FILE);
    CHECK_STATUS(pinion_result_save(r, in_folder("no/such/a.csv"), PINION_RESULT_AUTO, &err),
                 PINION_ERR_FILE);
    CHECK(entries() == 0);
    pinion_result_free(r);
}

/* Text goes through pipes, in and out. */
TEST(pipes)
{
    pinion_result *r = sample_result(200, 2);
    for (int i = 0; i < 2; i++) {
        CHECK(mkfifo(in_folder("pipe"), 0600) == 0);
        fflush(stdout);
        pid_t child = fork();
        if (child == 0)
            _exit(pinion_result_save(r, in_folder("pipe"), (pinion_result_format)(i + 1), NULL) != PINION_OK);
        pinion_error err = {PINION_OK, 0, 0, ""};
        pinion_result *again = pinion_result_load(in_folder("pipe"), &err);
        CHECK(again && sample_equal(r, again, i != 0));
        int status = -1;
        CHECK(waitpid(child, &status, 0) == child && status == 0);
        pinion_result_free(again);
        clear_folder();
    }
    pinion_result_free(r);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    if (!mkdtemp(folder)) return 1;
    RUN(round_trip);
    RUN(not_finite);
    RUN(locale);
    RUN(csv_text);
    RUN(csv_names);
    RUN(foreign_csv);
    RUN(complaints);
    RUN(cut_off);
    RUN(arguments);
    RUN(strings);
    RUN(no_room);
    RUN(in_place);
    RUN(pipes);
    rmdir(folder);
    return CHECK_END();
}
