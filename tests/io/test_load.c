/* Files in and out, apart from what the formats mean: limits, messages, numbers, whole files or none. */
#define _XOPEN_SOURCE 700

#include "check.h"
#include "comma.h"
#include "io/model_io.h"
#include "pinion/pinion.h"

#include <float.h>
#include <sys/stat.h>
#include <unistd.h>

static const char small[] =
    "<robot name='r'>\n<link name='a'/>\n<link name='b'>\n"
    "<inertial><origin xyz='0.5 0.25 -1.5'/><mass value='1.5'/>\n"
    "<inertia ixx='0.1' ixy='0' ixz='0' iyy='0.1' iyz='0' izz='0.1'/></inertial></link>\n"
    "<joint name='j' type='revolute'><parent link='a'/><child link='b'/><axis xyz='0 0 1'/>\n"
    "<limit lower='-1.25' upper='1.25' effort='10' velocity='2.5'/></joint></robot>\n";

static pinion_model *load_small(void)
{
    pinion_error err;
    pinion_model *m = pinion_load_string(small, sizeof small - 1, PINION_FORMAT_AUTO, NULL, NULL, &err);
    if (!m) CHECK_FAIL("%s", err.message);
    return m;
}

/* A folder for files of this program; it is removed at the end. */
static char folder[64];

static const char *in_folder(const char *name)
{
    static char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void write_file(const char *path, const char *bytes, size_t size)
{
    FILE *f = fopen(path, "wb");
    CHECK(f && fwrite(bytes, 1, size, f) == size);
    if (f) fclose(f);
}

static int files_in_folder(void)
{
    char command[128];
    int count = -1;
    snprintf(command, sizeof command, "ls -A %s | wc -l", folder);
    FILE *p = popen(command, "r");
    if (!p || fscanf(p, "%d", &count) != 1) count = -1;
    if (p) pclose(p);
    return count;
}

/* ---- numbers ---- */

TEST(numbers)
{
    static const struct {
        const char *text;
        int ok;
        double value;
        const char *rest;
    } cases[] = {
        {"0", 1, 0, ""},         {"-1.5", 1, -1.5, ""},
        {"+2", 1, 2, ""},        {".5", 1, 0.5, ""},
        {"5.", 1, 5, ""},        {"1e3", 1, 1000, ""},
        {"1E-3x", 1, 1e-3, "x"}, {"1e", 1, 1, "e"},
        {"1e+", 1, 1, "e+"},     {"0x10", 1, 0, "x10"},
        {"1,5", 1, 1, ",5"},     {"1.2.3", 1, 1.2, ".3"},
        {"12abc", 1, 12, "abc"}, {"4.9e-324", 1, 4.9e-324, ""},
        {"1e-999", 1, 0, ""},    {"", 0, 0, ""},
        {".", 0, 0, ""},         {"-", 0, 0, ""},
        {"+-1", 0, 0, ""},       {"nan", 0, 0, ""},
        {"inf", 0, 0, ""},       {"-Infinity", 0, 0, ""},
        {"1e999", 0, 0, ""},     {" 1", 0, 0, ""},
        {"e5", 0, 0, ""},        {"1.7976931348623157e308", 1, DBL_MAX, ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        double x = 77;
        const char *end = "untouched";
        int ok = pn_parse_number(cases[i].text, &end, &x);
        if (ok != cases[i].ok) CHECK_FAIL("\"%s\" gave %d", cases[i].text, ok);
        if (ok) {
            CHECK(x == cases[i].value);
            CHECK(strcmp(end, cases[i].rest) == 0);
        } else {
            CHECK(x == 77 && strcmp(end, "untouched") == 0);
        }
    }

    /* as many digits as a double can need, and more than any number has */
    char *digits = malloc(5000);
    memset(digits, '3', 5000);
    memcpy(digits, "0.", 2);
    digits[1000] = '\0';
    double x = 0;
    CHECK(pn_parse_number(digits, NULL, &x) && x == 1.0 / 3);
    digits[1000] = '3';
    digits[4999] = '\0';
    CHECK(!pn_parse_number(digits, NULL, &x));
    free(digits);
}

/* Short numbers, of which most files consist, are rounded as strtod rounds them. */
static void check_short_numbers(void)
{
    uint64_t seed = check_seed + 1;
    for (int i = 0; i < 20000; i++) {
        char text[64];
        const int digits = 1 + (int)check_between(&seed, 0, 18), point = (int)check_between(&seed, 0, 20);
        int n = 0;
        if (check_uniform(&seed) < 0.3) text[n++] = "+-"[check_uniform(&seed) < 0.5];
        for (int k = 0; k < digits; k++) {
            if (k == point) text[n++] = '.';
            text[n++] = (char)('0' + (int)check_between(&seed, 0, 10));
        }
        if (check_uniform(&seed) < 0.4)
            n += snprintf(text + n, 10, "%c%+d", "eE"[i % 2], (int)check_between(&seed, -30, 30));
        text[n] = '\0';
        double x = 77;
        CHECK(pn_parse_number(text, NULL, &x));
        const double expected = strtod(text, NULL);
        if (memcmp(&x, &expected, sizeof x) != 0) CHECK_FAIL("%s is %.17g, expected %.17g", text, x, expected);
    }
}

/* Every double comes back from its text, also where the locale writes a comma. */
static void check_numbers_round_trip(void)
{
    uint64_t seed = check_seed;
    for (int i = 0; i < 2000; i++) {
        double x = ldexp(check_between(&seed, -1, 1), (int)check_between(&seed, -1070, 1020)), back = 0;
        if (i == 0) x = DBL_MAX;
        if (i == 1) x = -DBL_MIN;
        if (i == 2) x = 0.1;
        if (i == 3) x = 9.81;
        pn_text t = {0};
        pn_text_number(&t, x);
        CHECK(t.at && pn_parse_number(t.at, NULL, &back) && back == x);
        if (i == 2) CHECK(strcmp(t.at, "0.1") == 0);
        if (i == 3) CHECK(strcmp(t.at, "9.81") == 0);
        CHECK(t.at && !strchr(t.at, ','));
        pn_text_free(&t);
    }
}

TEST(numbers_round_trip)
{
    check_numbers_round_trip();
    check_short_numbers();
}

TEST(locale_with_comma)
{
    pinion_model *m = load_small();
    char *plain = m ? pinion_save_string(m, PINION_FORMAT_URDF, NULL) : NULL;
    int tried = comma_locale();
    if (tried && plain) {
        check_numbers_round_trip();
        pinion_model *again = load_small();
        char *text = again ? pinion_save_string(again, PINION_FORMAT_URDF, NULL) : NULL;
        CHECK(text && strcmp(text, plain) == 0);
        pinion_free(text);
        pinion_model_free(again);
    }
    setlocale(LC_ALL, "C");
    free(plain);
    pinion_model_free(m);
    if (!tried) SKIP("no locale with a decimal comma is installed");
}

/* ---- strings and messages ---- */

TEST(text_buffer)
{
    pn_text t = {0};
    for (int i = 0; i < 300; i++) pn_text_add(&t, "%d,", i % 10);
    pn_text_xml(&t, "a<b>&\"c'\n\xc3\xa9");
    CHECK(t.length == 600 + strlen("a&lt;b&gt;&amp;&quot;c&apos;&#10;\xc3\xa9"));
    CHECK_HAS(t.at, "9,a&lt;b&gt;&amp;&quot;c&apos;&#10;\xc3\xa9");
    char *s = pn_text_take(&t);
    CHECK(s && t.at == NULL);
    free(s);
    s = pn_text_take(&t);
    CHECK(s && *s == '\0');
    free(s);
}

TEST(messages)
{
    pinion_error err;
    pn_error_set(NULL, PINION_ERR_FILE, "f", 1, 1, "nobody listens");
    pn_error_set(&err, PINION_ERR_PARSE, "dir/f.urdf", 12, 3, "bad %s", "thing");
    CHECK(strcmp(err.message, "dir/f.urdf:12: bad thing") == 0);
    CHECK(err.status == PINION_ERR_PARSE && err.line == 12 && err.column == 3);
    pn_error_set(&err, PINION_ERR_PARSE, "f", 0, 0, "x");
    CHECK(strcmp(err.message, "f: x") == 0);
    pn_error_set(&err, PINION_ERR_PARSE, NULL, 7, 0, "x");
    CHECK(strcmp(err.message, "x") == 0);

    /* one line of UTF-8, whatever comes */
    pn_error_set(&err, PINION_ERR_PARSE, "f", 1, 0, "a\nb\x1b[1m\xff\xc3\xa9\xe2\x82");
    CHECK(strcmp(err.message, "f:1: a?b?[1m?\xc3\xa9??") == 0);

    /* too long: cut between characters, the end of a long path kept */
    char name[3000];
    for (size_t i = 0; i + 2 < sizeof name; i += 2) memcpy(name + i, "\xc3\xa9", 3);
    for (int shift = 0; shift < 2; shift++) {
        pn_error_set(&err, PINION_ERR_PARSE, "f", 1, 0, "%s%s", shift ? "a" : "", name);
        size_t length = strlen(err.message);
        CHECK(length >= sizeof err.message - 3 && length < sizeof err.message);
        CHECK((unsigned char)err.message[length - 1] == 0xa9 &&
              (unsigned char)err.message[length - 2] == 0xc3);
    }
    memset(name, 'd', sizeof name);
    memcpy(name + sizeof name - 8, "/r.urdf", 8);
    pn_error_set(&err, PINION_ERR_PARSE, name, 9, 0, "what is wrong");
    CHECK(strncmp(err.message, "...ddd", 6) == 0);
    CHECK_HAS(err.message, "/r.urdf:9: what is wrong");
}

/* ---- which format, and what cannot be read ---- */

static void check_refused(const char *text, size_t size, pinion_format format, const char *part)
{
    pinion_error err = {PINION_OK, 0, 0, ""};
    pinion_model *m = pinion_load_string(text, size, format, "f", NULL, &err);
    CHECK(!m);
    CHECK(err.status != PINION_OK);
    CHECK(strncmp(err.message, "f:", 2) == 0);
    CHECK_HAS(err.message, part);
    pinion_model_free(m);
    pinion_model_free(pinion_load_string(text, size, format, "f", NULL, NULL));
}

TEST(formats)
{
    check_refused("", 0, PINION_FORMAT_AUTO, "nothing in it");
    check_refused(" \n\t ", 4, PINION_FORMAT_AUTO, "nothing in it");
    check_refused("\xef\xbb\xbf", 3, PINION_FORMAT_AUTO, "nothing in it");
    check_refused("hello", 5, PINION_FORMAT_AUTO, "starts with 'h'");
    check_refused("\x7f\x45LF", 4, PINION_FORMAT_AUTO, "byte 0x7f");
    check_refused("\0<robot/>", 9, PINION_FORMAT_AUTO, "f:1: a zero byte");
    check_refused("{\n\0}", 4, PINION_FORMAT_AUTO, "f:2: a zero byte; expected text in UTF-8");
    check_refused("[1]", 3, PINION_FORMAT_AUTO, "expected URDF, MJCF or SDF, which start with '<', or JSON, with '{'");
    check_refused("{}", 2, PINION_FORMAT_URDF, "not well-formed XML");
    check_refused(small, 20, PINION_FORMAT_JSON, "f:");
    check_refused(small, sizeof small, PINION_FORMAT_URDF, "zero byte");
    check_refused(small, (size_t)1 << 40, PINION_FORMAT_AUTO, "too large");
    check_refused(NULL, 5, PINION_FORMAT_AUTO, "no text");
    check_refused(small, 5, (pinion_format)9, "format");

    /* a byte order mark, white space, and text that goes on behind `size` */
    char text[sizeof small + 64];
    snprintf(text, sizeof text, "\xef\xbb\xbf \r\n%strailing", small);
    pinion_error err;
    pinion_model *m = pinion_load_string(text, strlen(text) - 8, PINION_FORMAT_AUTO, NULL, NULL, &err);
    if (!m) CHECK_FAIL("%s", err.message);
    pinion_model_free(m);
    m = pinion_load_string(text, strlen(text), PINION_FORMAT_AUTO, NULL, NULL, &err);
    CHECK(!m);
    CHECK_HAS(err.message, "<string>:");
}

TEST(unreadable_files)
{
    pinion_error err;
    CHECK(!pinion_load(NULL, NULL, &err) && err.status == PINION_ERR_ARGUMENT);
    CHECK(!pinion_load("", NULL, &err) && err.status == PINION_ERR_ARGUMENT);
    CHECK(!pinion_load(in_folder("missing.urdf"), NULL, &err) && err.status == PINION_ERR_FILE);
    CHECK_HAS(err.message, "missing.urdf: cannot be read: No such file");
    CHECK(!pinion_load(folder, NULL, &err) && err.status == PINION_ERR_FILE);
    CHECK_HAS(err.message, "is a directory");
    write_file(in_folder("empty.urdf"), "", 0);
    CHECK(!pinion_load(in_folder("empty.urdf"), NULL, &err) && err.status == PINION_ERR_PARSE);
    CHECK_HAS(err.message, "empty.urdf: there is nothing in it");
    if (geteuid() != 0) {
        chmod(in_folder("empty.urdf"), 0);
        CHECK(!pinion_load(in_folder("empty.urdf"), NULL, &err) && err.status == PINION_ERR_FILE);
        CHECK_HAS(err.message, "Permission denied");
    }
    unlink(in_folder("empty.urdf"));

    /* larger than any model */
    FILE *f = fopen(in_folder("huge.urdf"), "wb");
    CHECK(f && fseek(f, (long)PN_SIZE_MAX, SEEK_SET) == 0 && fputc('x', f) == 'x');
    if (f) fclose(f);
    CHECK(!pinion_load(in_folder("huge.urdf"), NULL, &err) && err.status == PINION_ERR_FILE);
    CHECK_HAS(err.message, "too large");
    unlink(in_folder("huge.urdf"));
}

/* ---- saving ---- */

TEST(save_files)
{
    pinion_error err;
    pinion_model *m = load_small();
    if (!m) return;
    char path[128], link[128];
    snprintf(path, sizeof path, "%s", in_folder("out.URDF"));
    CHECK_STATUS(pinion_save(m, path, PINION_FORMAT_AUTO, &err), PINION_OK);
    pinion_model *again = pinion_load(path, NULL, &err);
    CHECK(again && pinion_model_nq(again) == 1);
    pinion_model_free(again);

    /* over a file: its rights stay; through a link: the file is replaced, not the link */
    struct stat about;
    chmod(path, 0640);
    snprintf(link, sizeof link, "%s", in_folder("link.xml"));
    CHECK(symlink("out.URDF", link) == 0);
    CHECK_STATUS(pinion_save(m, link, PINION_FORMAT_AUTO, NULL), PINION_OK);
    CHECK(lstat(link, &about) == 0 && S_ISLNK(about.st_mode));
    CHECK(stat(path, &about) == 0 && (about.st_mode & 0777) == 0640);
    CHECK(files_in_folder() == 2);
    unlink(link);
    unlink(path);

    /* nothing is left behind by what fails */
    CHECK_STATUS(pinion_save(m, in_folder("model.txt"), PINION_FORMAT_AUTO, &err), PINION_ERR_ARGUMENT);
    CHECK_HAS(err.message, "expected .urdf, .xml, .mjcf, .sdf or .json");
    CHECK_STATUS(pinion_save(m, in_folder("no/such.urdf"), PINION_FORMAT_AUTO, &err), PINION_ERR_FILE);
    CHECK_HAS(err.message, "cannot be written: No such file");
    CHECK_STATUS(pinion_save(m, folder, PINION_FORMAT_URDF, &err), PINION_ERR_FILE);
    CHECK_STATUS(pinion_save(m, NULL, PINION_FORMAT_URDF, &err), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_save(NULL, path, PINION_FORMAT_URDF, &err), PINION_ERR_ARGUMENT);
    CHECK(!pinion_save_string(m, PINION_FORMAT_AUTO, &err) && err.status == PINION_ERR_ARGUMENT);
    CHECK(!pinion_save_string(NULL, PINION_FORMAT_URDF, &err) && err.status == PINION_ERR_ARGUMENT);
    CHECK(files_in_folder() == 0);

    /* a device is written to, not replaced */
    CHECK_STATUS(pinion_save(m, "/dev/null", PINION_FORMAT_URDF, &err), PINION_OK);
    CHECK(stat("/dev/null", &about) == 0 && S_ISCHR(about.st_mode));
    pinion_model_free(m);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    const char *temporary = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/pinion-load-XXXXXX",
             temporary && strlen(temporary) < 32 ? temporary : "/tmp");
    if (!mkdtemp(folder)) return 1;
    RUN(numbers);
    RUN(numbers_round_trip);
    RUN(locale_with_comma);
    RUN(text_buffer);
    RUN(messages);
    RUN(formats);
    RUN(unreadable_files);
    RUN(save_files);
    rmdir(folder);
    return CHECK_END();
}
