#define _POSIX_C_SOURCE 200809L
#include "cli/print/gnuplot.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/args/options.h"
#include "pinion/pinion.h"
#include "cli/print/print_text.h"

extern char **environ;

static int ends_in(const char *path, const char *extension)
{
    const char *dot = strrchr(path, '.');
    return dot && strcasecmp(dot, extension) == 0;
}

static int is_figure(const char *command, const char *path)
{
    if (ends_in(path, ".svg") || ends_in(path, ".png")) return 1;
    pn_cli_report(command, "'%s' is no name of a figure: end it in .svg or .png", path);
    return 0;
}

/* ------------------------------------------------------------------------------------------------ */
/* The script */

FILE *pn_cli_gnuplot_begin(const char *command, const char *path, int width, int height)
{
    if (!is_figure(command, path)) return NULL;
    FILE *script = tmpfile();
    if (!script) {
        pn_cli_report(command, "no temporary file for the figure: %s", strerror(errno));
        return NULL;
    }

    /* without markup in texts: a name with '_' or '^' is shown as it is */
    fputs("set encoding utf8\n", script);
    if (ends_in(path, ".svg"))
        fprintf(script, "set terminal svg size %d,%d font 'Helvetica,12' background '#ffffff' noenhanced\n",
                width, height);
    else
        fprintf(script,
                "set terminal pngcairo size %d,%d font 'Helvetica,9' fontscale 2 linewidth 2 pointscale 2 "
                "background '#ffffff' noenhanced\n",
                2 * width, 2 * height);
    return script;
}

/* Bytes of the UTF-8 character at s, 0 when it is none or a control character. */
static int character(const unsigned char *s)
{
    int length = s[0] < 0x20 || s[0] == 0x7f ? 0
                 : s[0] < 0x80               ? 1
                 : s[0] < 0xc2               ? 0
                 : s[0] < 0xe0               ? 2
                 : s[0] < 0xf0               ? 3
                 : s[0] < 0xf5               ? 4
                                             : 0;
    for (int i = 1; i < length; i++)
        if ((s[i] & 0xc0) != 0x80) return 0;
    if (s[0] == 0xc2 && s[1] < 0xa0) return 0;                                    /* U+0080 to U+009F */
    if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f)) return 0; /* overlong, surrogates */
    if ((s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f)) return 0; /* overlong, too large */
    if (s[0] == 0xef && s[1] == 0xbf && s[2] >= 0xbe) return 0;                   /* no character in XML */
    return length;
}

void pn_cli_gnuplot_string(FILE *script, const char *text, int most)
{
    fputc('\'', script);
    int count = 0;
    for (const unsigned char *s = (const unsigned char *)text; *s;) {
        int length = character(s);
        if (length == 0 || *s == '`') {
            s++;
            continue;
        }
        if (count++ == most) {
            fputs("\xe2\x80\xa6", script);
            break;
        }
        if (*s == '\'')
            fputs("\xe2\x80\x99", script); /* a doubled one is not the same to all parts of gnuplot */
        else
            fwrite(s, 1, (size_t)length, script);
        s += length;
    }
    fputc('\'', script);
}

void pn_cli_gnuplot_number(FILE *script, double x)
{
    char number[48];
    snprintf(number, sizeof number, "%.12g", x);
    for (char *s = number; *s; s++)
        if (*s == ',') *s = '.';
    fputs(number, script);
}

/* ------------------------------------------------------------------------------------------------ */
/* Running it */

/* Runs gnuplot with these files as its input, output and messages; -1 for none. Returns 0 and how it ended,
 * or an error number. */
static int run(char *const *arguments, const int files[3], int *ended)
{
    posix_spawn_file_actions_t actions;
    int number = posix_spawn_file_actions_init(&actions);
    if (number) return number;
    for (int i = 0; i < 3 && !number; i++) {
        if (files[i] >= 0)
            number = posix_spawn_file_actions_adddup2(&actions, files[i], i);
        else
            number = posix_spawn_file_actions_addopen(&actions, i, "/dev/null", i ? O_WRONLY : O_RDONLY, 0);
    }
    pid_t child;
    if (!number) number = posix_spawnp(&child, "gnuplot", &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    while (!number && waitpid(child, ended, 0) < 0) number = errno == EINTR ? 0 : errno;
    return number;
}

/* Says why gnuplot did not run. */
static int report_run(const char *command, int number)
{
    if (number == ENOENT || number == EACCES)
        pn_cli_report(
            command,
            "figures are drawn by gnuplot, which is not installed; on Debian and Ubuntu it is in the "
            "package gnuplot-nox");
    else
        pn_cli_report(command, "gnuplot cannot be run: %s", strerror(number));
    return CLI_FAILED;
}

/* The whole of a temporary file, and a '\0' behind it; NULL when it cannot be read. */
static char *read_back(FILE *file, size_t *size)
{
    long length = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    char *bytes = length < 0 ? NULL : malloc((size_t)length + 1);
    if (!bytes) return NULL;
    rewind(file);
    *size = fread(bytes, 1, (size_t)length, file);
    bytes[*size] = '\0';
    return bytes;
}

/* Whether these are the bytes of a complete figure. */
static int is_complete(const char *bytes, size_t size, const char *path)
{
    if (ends_in(path, ".png"))
        return size > 20 && memcmp(bytes, "\x89PNG\r\n\x1a\n", 8) == 0 &&
               memcmp(bytes + size - 8, "IEND", 4) == 0;
    while (size > 0 && (bytes[size - 1] == '\n' || bytes[size - 1] == ' ')) size--;
    return size > 6 && memcmp(bytes + size - 6, "</svg>", 6) == 0;
}

/* The line of gnuplot's messages that says what went wrong. */
static void report_messages(const char *command, FILE *messages)
{
    size_t size = 0;
    char *text = read_back(messages, &size), *found = NULL, *rest = NULL;
    for (char *line = text ? strtok_r(text, "\n", &rest) : NULL; line; line = strtok_r(NULL, "\n", &rest)) {
        line += strspn(line, " \t^");
        if (*line && (!found || strstr(line, "line "))) found = line;
    }
    pn_cli_report(command, "gnuplot did not draw the figure%s%s", found ? ": " : "", found ? found : "");
    free(text);
}

/* Draws into `figure`; CLI_DONE, or CLI_FAILED after a message. */
static int draw(const char *command, FILE *script, FILE *figure, FILE *messages, const char *path)
{
    char program[] = "gnuplot", defaults[] = "-d"; /* no settings of the person's own */
    char *arguments[] = {program, defaults, NULL};
    int files[3] = {fileno(script), fileno(figure), fileno(messages)}, ended = 0;
    if (fflush(script) != 0 || ferror(script) || lseek(files[0], 0, SEEK_SET) != 0) {
        pn_cli_report(command, "no room for a temporary file of the figure");
        return CLI_FAILED;
    }
    int number = run(arguments, files, &ended);
    if (number) return report_run(command, number);

    size_t size = 0;
    char *bytes = read_back(figure, &size);
    int status = CLI_FAILED;
    if (!bytes || !WIFEXITED(ended) || WEXITSTATUS(ended) != 0 || !is_complete(bytes, size, path)) {
        report_messages(command, messages);
    } else {
        pinion_error err = {PINION_OK, 0, 0, ""};
        if (pinion_write_file(path, bytes, size, &err) == PINION_OK)
            status = CLI_DONE;
        else
            pn_cli_report(command, "%s", err.message);
    }
    free(bytes);
    return status;
}

int pn_cli_gnuplot_end(const char *command, FILE *script, const char *path)
{
    FILE *figure = tmpfile(), *messages = tmpfile();
    int status = CLI_FAILED;
    if (figure && messages)
        status = draw(command, script, figure, messages, path);
    else
        pn_cli_report(command, "no temporary file for the figure: %s", strerror(errno));
    if (figure) fclose(figure);
    if (messages) fclose(messages);
    fclose(script);
    return status;
}

int pn_cli_gnuplot_check(const char *command, const char *path)
{
    if (!is_figure(command, path)) return CLI_USAGE;
    char program[] = "gnuplot", version[] = "--version";
    char *arguments[] = {program, version, NULL};
    const int files[3] = {-1, -1, -1};
    int ended = 0, number = run(arguments, files, &ended);
    return number ? report_run(command, number) : CLI_DONE;
}
