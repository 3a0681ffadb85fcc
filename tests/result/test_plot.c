/* Figures: what is drawn, and that no name from a file is anything but text in them. */
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"

/* the command's own files, which are in no library */
#include "cli/print/gnuplot.c"
#include "cli/print/plot.c"
#include "cli/print/plot_curve.c"
#include "cli/print/print_text.c"
#include "cli/print/ranges.c"

static char folder[] = "/tmp/pinion-plot-XXXXXX";
#include "support/folder.h"

static char *read_all(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    char *bytes = f ? calloc(1, 1 << 24) : NULL;
    *size = bytes ? fread(bytes, 1, (1 << 24) - 1, f) : 0;
    if (f) fclose(f);
    return bytes;
}

/* What was reported on stderr by one call, which is kept from the terminal. */
static char reported[4096];
static int quietly_plot(const pinion_result *r, const char *columns, const char *path)
{
    fflush(stderr);
    FILE *keep = tmpfile();
    int old = dup(2);
    dup2(fileno(keep), 2);
    int status = pn_cli_plot_result("test", r, columns, NULL, path);
    fflush(stderr);
    dup2(old, 2);
    close(old);
    rewind(keep);
    reported[fread(reported, 1, sizeof reported - 1, keep)] = '\0';
    fclose(keep);
    return status;
}

/* A result with these columns over t, and waves in them. */
static pinion_result *waves(const char *const *names, const char *const *units, int count, int rows)
{
    pinion_result *r = pinion_result_new();
    double *row = calloc((size_t)count + 1, sizeof *row);
    int bad = !row || pinion_result_add_column(r, "t", "s") != PINION_OK;
    for (int i = 0; i < count; i++)
        if (!bad) bad = pinion_result_add_column(r, names[i], units ? units[i] : "m") != PINION_OK;
    for (int k = 0; k < rows && !bad; k++) {
        row[0] = 0.01 * k;
        for (int i = 0; i < count; i++) row[i + 1] = sin(row[0] * (i + 1)) * pow(3, i);
        bad = pinion_result_add_row(r, row) != PINION_OK;
    }
    CHECK(!bad);
    free(row);
    return r;
}

static int have_gnuplot(void)
{
    char program[] = "gnuplot", version[] = "--version", *arguments[] = {program, version, NULL};
    const int files[3] = {-1, -1, -1};
    int ended;
    return run(arguments, files, &ended) == 0;
}

static const char *const arm_names[] = {"q.shoulder",     "q.elbow",          "q.slide",
                                        "v.shoulder",     "tau.shoulder",     "tau.slide",
                                        "energy.kinetic", "energy.potential", "tcp.x"};
static const char *const arm_units[] = {"rad", "rad", "m", "rad/s", "N m", "N", "J", "J", "m"};

TEST(panels)
{
    if (!have_gnuplot()) SKIP("gnuplot is not installed");
    pinion_result *r = waves(arm_names, arm_units, 9, 300);
    size_t size;

    /* the usual ones, in SVG: labels with units, legends without the kind; what is not usual is left out */
    CHECK_STATUS(quietly_plot(r, NULL, in_folder("a.svg")), CLI_DONE);
    char *svg = read_all(in_folder("a.svg"), &size);
    static const char *const shown[] = {
        "position (rad)", "position (m)", "velocity (rad/s)", "torque (N\xc2\xb7m)",
        "force (N)",      "energy (J)",   "time (s)",         ">shoulder<",
        ">kinetic<"};
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) CHECK_HAS(svg, shown[i]);
    CHECK(svg && !strstr(svg, "tcp") && !strstr(svg, "NaN") && !strstr(reported, "pinion"));
    free(svg);

    /* the same bytes again; a PNG of the size it should have */
    CHECK_STATUS(quietly_plot(r, NULL, in_folder("b.svg")), CLI_DONE);
    size_t other;
    char *one = read_all(in_folder("a.svg"), &size), *two = read_all(in_folder("b.svg"), &other);
    CHECK(size == other && !memcmp(one, two, size));
    free(one);
    free(two);
    CHECK_STATUS(quietly_plot(r, "q", in_folder("a.PNG")), CLI_DONE);
    char *png = read_all(in_folder("a.PNG"), &size);
    CHECK(size > 10000 && !memcmp(png, "\x89PNG\r\n\x1a\n", 8));
    CHECK(size > 24 && !memcmp(png + 16, "\0\0\x07\x08\0\0\x03\xa8", 8)); /* 1800 x 936: two panels */
    free(png);

    /* columns by name and by kind */
    CHECK_STATUS(quietly_plot(r, " tcp.x , tau", in_folder("c.svg")), CLI_DONE);
    svg = read_all(in_folder("c.svg"), &size);
    CHECK_HAS(svg, "tcp (m)");
    CHECK_HAS(svg, "torque");
    CHECK(svg && !strstr(svg, "position") && !strstr(svg, "energy"));
    free(svg);
    pinion_result_free(r);
}

TEST(refused)
{
    pinion_result *r = waves(arm_names, arm_units, 9, 3), *none = waves(arm_names, arm_units, 9, 0);
    int before = entries();
    CHECK_STATUS(quietly_plot(r, NULL, in_folder("a.pdf")), CLI_FAILED);
    CHECK_HAS(reported, "end it in .svg or .png");
    CHECK_STATUS(quietly_plot(r, "q,tau.elbow", in_folder("x.svg")), CLI_FAILED);
    CHECK_HAS(reported, "the result has no column 'tau.elbow'");
    CHECK_STATUS(quietly_plot(r, "t", in_folder("x.svg")), CLI_FAILED);
    CHECK_HAS(reported, "no column beside the time");
    CHECK_STATUS(quietly_plot(none, NULL, in_folder("x.svg")), CLI_FAILED);
    CHECK_HAS(reported, "no rows");
    if (have_gnuplot()) {
        CHECK_STATUS(quietly_plot(r, NULL, in_folder("no/such/x.svg")), CLI_FAILED);
        CHECK_HAS(reported, "cannot be written");
    }
    char *path = strdup(getenv("PATH") ? getenv("PATH") : "");
    setenv("PATH", "/nonexistent", 1);
    CHECK_STATUS(quietly_plot(r, NULL, in_folder("x.svg")), CLI_FAILED);
    CHECK_HAS(reported, "gnuplot-nox");
    if (path) setenv("PATH", path, 1);
    free(path);
    CHECK(entries() == before); /* nothing was left behind */
    pinion_result_free(none);
    pinion_result_free(r);
}

/* Names that try to leave their string, to run a command, or to become markup. */
TEST(hostile_names)
{
    if (!have_gnuplot()) SKIP("gnuplot is not installed");
    char shell[400], quote[400], macro[400];
    snprintf(shell, sizeof shell, "q.`touch %s/ran`", folder);
    snprintf(quote, sizeof quote, "q.'; system('touch %s/ran'); '", folder);
    snprintf(macro, sizeof macro, "q.\"; system \"touch %s/ran\" #", folder);
    const char *const names[] = {
        shell,
        quote,
        macro,
        "q.@name $x ${x}",
        "q.\\",
        "q.\\'",
        "q.a\nsystem 'touch /tmp/ran'\nEOD\n",
        "q.EOD",
        "q.<script>alert(1)</script>",
        "q.&lt;\"'",
        "q.{/Symbol a}_b^c~d",
        "q.%s%n",
        "q.''''''",
        "q.\xef\xbf\xbf\xc2\x85\x01\x1b[31m",
        "q.very long very long very long very long very long very long very long very long"};
    enum { COUNT = sizeof names / sizeof *names };
    const char *units[COUNT];
    for (int i = 0; i < COUNT; i++) units[i] = "'; `touch /tmp/ran` <b>";
    pinion_result *r = waves(names, units, COUNT, 50);
    int before = entries();
    CHECK_STATUS(quietly_plot(r, NULL, in_folder("h.svg")), CLI_DONE);
    if (*reported) printf("%s", reported);
    CHECK_STATUS(quietly_plot(r, NULL, in_folder("h.png")), CLI_DONE);
    CHECK(entries() == before + 2 && access(in_folder("ran"), F_OK) != 0);
    size_t size;
    char *svg = read_all(in_folder("h.svg"), &size);
    CHECK_HAS(svg, "&lt;script>alert(1)");
    CHECK_HAS(svg, "{/Symbol a}_b^c~d");
    CHECK_HAS(svg, "@name $x ${x}");
    CHECK_HAS(svg, "system(\xe2\x80\x99touch ");
    CHECK(svg && !strstr(svg, "<script") && !strstr(svg, "<b>") && !strchr(svg, '`') && !strchr(svg, '\x1b'));
    free(svg);
    pinion_result_free(r);
}

/* Numbers that are no points, and more points than can be shown. */
TEST(odd_numbers)
{
    if (!have_gnuplot()) SKIP("gnuplot is not installed");
    static const char *const names[] = {"q.nothing", "v.gaps", "v.huge", "tau.constant"};
    static const char *const units[] = {"rad", "m", "m", "N m"};
    pinion_result *r = waves(names, units, 4, 0);
    for (int i = 0; i < 100000; i++) {
        double row[5] = {i * 1e-3, NAN, i / 1000 % 2 ? sin(i * 1e-3) : INFINITY, i == 50000 ? 1e300 : 0, 5};
        if (pinion_result_add_row(r, row) != PINION_OK) CHECK_FAIL("no memory");
    }
    CHECK_STATUS(quietly_plot(r, NULL, in_folder("o.svg")), CLI_DONE);
    struct stat about;
    CHECK(stat(in_folder("o.svg"), &about) == 0 && about.st_size < 1 << 20);
    pinion_result_free(r);

    /* one row, and time that stands still */
    r = waves(names, units, 4, 1);
    CHECK_STATUS(quietly_plot(r, NULL, in_folder("o.svg")), CLI_DONE);
    pinion_result_free(r);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    if (!mkdtemp(folder)) return 1;
    RUN(panels);
    RUN(refused);
    RUN(hostile_names);
    RUN(odd_numbers);
    DIR *d = getenv("PINION_KEEP") ? NULL : opendir(folder);
    for (struct dirent *e = d ? readdir(d) : NULL; e; e = readdir(d)) unlink(in_folder(e->d_name));
    if (d) closedir(d);
    rmdir(folder);
    return CHECK_END();
}
