/* The demo in words, tables and small plots. */
#include "cli/demo/demo.h"

#include "cli/info/info.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define DEGREE (3.14159265358979323846 / 180)
#define COLUMNS 6     /* forces side by side in the table */
#define PLOT_WIDTH 61 /* characters of a plot */

static void title(const char *text, cli_style style)
{
    printf("\n%s%s%s\n", pn_cli_bold(style), text, pn_cli_plain(style));
}

static const char *force_unit(const demo *d, int i)
{
    return d->dof[i].linear ? "N" : "N m";
}

/* ------------------------------------------------------------------------------------------------ */

static int print_robot(const demo *d, cli_style style)
{
    title("1. The robot", style);
    if (d->paper)
        fputs("The Stanford arm: five joints that turn and one that slides, with the numbers of a paper\n"
              "by S. K. Saha (ASME Journal of Applied Mechanics 66, 1999).\n",
              stdout);
    fputs("Each line is a rigid link, drawn under the link that carries it, with the joint between the two\n"
          "and that joint's place in a position q and in a velocity v.\n\n",
          stdout);
    return pn_cli_print_tree(stdout, d->m, style);
}

/* "90 deg" or "0.1 m" */
static void add_coordinate(cli_table *t, double x, int linear)
{
    if (linear)
        pn_cli_table_add(t, "%.4g m", x);
    else
        pn_cli_table_add(t, "%.4g deg", x / DEGREE);
}

static int print_motion(const demo *d, cli_style style)
{
    title("2. A motion", style);
    printf("Every joint goes from its start to its end in %g s, at rest at both ends: a cycloid%s.\n\n",
           DEMO_DURATION, d->paper ? ",\nthe motion of that paper's section 6.2" : "");
    cli_table t = pn_cli_table(5);
    static const char *const heading[] = {"", "joint", "type", "start", "end"};
    for (int i = 0; i < 5; i++) pn_cli_table_add(&t, "%s", heading[i]);
    for (int i = 0; i < d->nv; i++) {
        const demo_dof *dof = &d->dof[i];
        pn_cli_table_add(&t, "%d", i + 1);
        if (dof->part < 0)
            pn_cli_table_add(&t, "%s", dof->joint);
        else
            pn_cli_table_add(&t, "%s, part %d", dof->joint, dof->part);
        pn_cli_table_add(&t, "%s", pinion_joint_type_name(dof->type));
        double start = dof->q >= 0 ? d->start[dof->q] : 0;
        add_coordinate(&t, start, dof->linear);
        add_coordinate(&t, start + d->distance[i], dof->linear);
    }
    return pn_cli_table_print(&t, stdout, "rllrr", style);
}

static double force(const demo *d, int sample, int i)
{
    return d->tau[(size_t)sample * (size_t)d->nv + (size_t)i];
}

static void find_range(const demo *d, int i, double *least, double *most)
{
    *least = INFINITY;
    *most = -INFINITY;
    for (int k = 0; k < DEMO_SAMPLES; k++) {
        *least = fmin(*least, force(d, k, i));
        *most = fmax(*most, force(d, k, i));
    }
}

/* The decimals that give the largest force of a joint four digits or more. */
static int decimals_of(const demo *d, int i)
{
    double least, most;
    find_range(d, i, &least, &most);
    double largest = fmax(fabs(least), fabs(most));
    int decimals = largest > 0 ? 3 - (int)floor(log10(largest)) : 2;
    return decimals < 2 ? 2 : decimals > 8 ? 8 : decimals;
}

/* The forces at whole seconds, for a few columns. */
static int print_forces(const demo *d, int first, int count, cli_style style)
{
    char align[COLUMNS + 2] = "r";
    int decimals[COLUMNS];
    cli_table t = pn_cli_table(count + 1);
    pn_cli_table_add(&t, "t [s]");
    for (int i = 0; i < count; i++) {
        decimals[i] = decimals_of(d, first + i);
        pn_cli_table_add(&t, "tau%d [%s]", first + i + 1, force_unit(d, first + i));
        align[i + 1] = 'r';
    }
    for (int second = 0; second <= (int)DEMO_DURATION; second++) {
        int sample = second * (DEMO_SAMPLES - 1) / (int)DEMO_DURATION;
        pn_cli_table_add(&t, "%d", second);
        for (int i = 0; i < count; i++) {
            /* what rounds to zero is printed without a sign */
            double tau = force(d, sample, first + i), unit = pow(10, -decimals[i]);
            pn_cli_table_add(&t, "%.*f", decimals[i], fabs(tau) < unit / 2 ? 0.0 : tau);
        }
    }
    return pn_cli_table_print(&t, stdout, align, style);
}

/* One force over the whole motion: each character is one of eight heights between its least and most. */
static void add_plot(cli_table *t, const demo *d, int i, int utf8)
{
    static const char *const height[2][8] = {{"_", ".", ",", "-", "~", "=", "+", "^"},
                                             {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"}};
    double least, most;
    find_range(d, i, &least, &most);

    /* a force that does not change within the rounding is a flat line */
    char plot[PLOT_WIDTH * 4 + 1] = "";
    double span = most - least, scale = fmax(fabs(least), fabs(most));
    size_t used = 0;
    for (int k = 0; k < PLOT_WIDTH; k++) {
        int row = k * (DEMO_SAMPLES - 1) / (PLOT_WIDTH - 1);
        int level = span > 1e-12 * scale ? (int)(8 * (force(d, row, i) - least) / span) : 0;
        used += (size_t)snprintf(plot + used, sizeof plot - used, "%s", height[utf8][level > 7 ? 7 : level]);
    }
    pn_cli_table_add(t, "tau%d", i + 1);
    pn_cli_table_add(t, "%.4g", fabs(least) < 1e-12 * scale ? 0 : least);
    pn_cli_table_add(t, "%s", plot);
    pn_cli_table_add(t, "%.4g %s", fabs(most) < 1e-12 * scale ? 0 : most, force_unit(d, i));
}

static int print_plots(const demo *d, cli_style style)
{
    cli_table t = pn_cli_table(4);
    pn_cli_table_add(&t, "%s", "");
    pn_cli_table_add(&t, "least");
    pn_cli_table_add(&t, "t = 0%*st = %g s", PLOT_WIDTH - 13, "", DEMO_DURATION);
    pn_cli_table_add(&t, "most");
    for (int i = 0; i < d->nv; i++) add_plot(&t, d, i, style.utf8);
    return pn_cli_table_print(&t, stdout, "lrll", style);
}

static int print_inverse_dynamics(const demo *d, cli_style style)
{
    title("3. Inverse dynamics: the forces that this motion takes", style);
    fputs("Inverse dynamics answers: which torque (N m) or force (N) must the drive of each joint give,\n"
          "at each instant, so that the robot moves just so, against its inertia and gravity?\n"
          "Once a second it is:\n\n",
          stdout);
    for (int first = 0; first < d->nv; first += COLUMNS) {
        int count = d->nv - first < COLUMNS ? d->nv - first : COLUMNS;
        if (!print_forces(d, first, count, style)) return 0;
        fputc('\n', stdout);
    }
    printf("And over the whole motion (%d instants), each force drawn between its least and its most:\n\n",
           DEMO_SAMPLES);
    return print_plots(d, style);
}

static void print_check(const demo *d, cli_style style)
{
    title("4. A check: forward dynamics undoes it", style);
    printf("Forward dynamics answers the opposite question, by another algorithm: how do the joints\n"
           "accelerate under given forces? The accelerations it finds for those torques take the same\n"
           "torques, to max error %.1e relative to the largest force (%.3g N m or N), over all %d\n"
           "instants. Allowed is %g: ",
           d->error, d->largest, DEMO_SAMPLES, DEMO_TOLERANCE);
    printf("%s%s%s.\n", pn_cli_bold(style), d->passed ? "passed" : "FAILED", pn_cli_plain(style));
}

/* A path or program name as a shell reads it back. */
static void put_word(const char *word)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-./+,:@%";
    if (*word && strspn(word, plain) == strlen(word)) {
        fputs(word, stdout);
        return;
    }
    fputc('\'', stdout);
    for (; *word; word++) {
        char one[2] = {*word, '\0'};
        if (*word == '\'')
            fputs("'\\''", stdout);
        else if ((unsigned char)*word >= 0x80)
            fputc(*word, stdout);
        else
            pn_cli_put(stdout, one);
    }
    fputc('\'', stdout);
}

/* One command to try. */
static void suggest(const char *before, const char *program, const char *command, const char *path,
                    const char *after)
{
    printf("  %s", before);
    put_word(program);
    printf(" %s ", command);
    put_word(path);
    printf("%s\n", after);
}

static void print_next(const demo *d, const char *program, const char *path, cli_style style)
{
    title("5. Where to go next", style);
    fputs("Everything that is known about this robot:\n", stdout);
    suggest("", program, "info", path, "");

    /* a state at rest at the start, in full so that it can be pasted and changed */
    char state[400] = "echo '{\"states\": [{\"q\": [";
    int nq = pinion_model_nq(d->m);
    for (int i = 0; i < nq; i++) {
        size_t used = strlen(state);
        snprintf(state + used, sizeof state - used, "%s%.4g", i ? ", " : "", d->start[i]);
    }
    strncat(state, "]}]}' |\n    ", sizeof state - strlen(state) - 1);
    if (nq <= 8) {
        fputs("Forces against gravity, mass matrix and energy in any position:\n", stdout);
        suggest(state, program, "eval", path, " --states - --what gravity,mass_matrix,energy");
    }
    fputs("Two seconds of it falling freely, to be played back in a browser:\n", stdout);
    suggest("", program, "sim", path, " --duration 2 -o fall.h5 --report fall.html");
    fputs("The same tour with a robot of your own, and that robot in Pinion's own format:\n", stdout);
    suggest("", program, "demo", "your-robot.urdf", "");
    suggest("", program, "convert", "your-robot.urdf", " -o your-robot.json");
    fputs("Every command with an example:\n", stdout);
    printf("  ");
    put_word(program);
    fputs(" --help\n"
          "To read: README.md (start here), docs/model-format.md (describe a robot, also by DH tables),\n"
          "docs/notation.md (what q, v, tau and the frames mean, exactly).\n",
          stdout);
}

int pn_cli_demo_text(const demo *d, const char *program, const char *path)
{
    cli_style style = pn_cli_style(stdout);
    fputs("Pinion computes how robots move and which forces that takes. This is its main job, on one\n"
          "robot, in five steps.\n",
          stdout);
    if (!print_robot(d, style) || !print_motion(d, style) || !print_inverse_dynamics(d, style)) return 0;
    print_check(d, style);
    print_next(d, program, path, style);
    return 1;
}
