/* pinion paper: a paper's experiments done again. */
#define _POSIX_C_SOURCE 200809L
#include "cli/paper/paper.h"

#include "cli/args/find_model.h"
#include "cli/args/load_option.h"
#include "cli/args/near.h"
#include "cli/print/memory_stream.h"
#include "cli/report/report.h"

#include <errno.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PAPERS "saha|provenzano|safeea|featherstone"

/* The options of this command alone. */
enum { OPT_FOLDER = OPT_OWN };

/* A study: the name it is asked for by, what it is, and who does it. */
typedef struct study {
    const char *name, *title, *subtitle;
    void (*run)(paper *);
} study;

static const study studies[] = {
    {"saha", "Dynamics by decoupled natural orthogonal complements",
     "The examples and tables of Saha 1999, again", pn_paper_saha},
    {"provenzano", "The generalized inertia tensor by the Gibbs-Appell equations",
     "The PUMA study of Provenzano, Mata, Ceccarelli and Suner, again", pn_paper_provenzano},
    {"safeea", "The mass matrix of robots with many joints",
     "The operation counts and timings of Safeea, Bearee and Neto 2018, again", pn_paper_safeea},
    {"featherstone", "Equations and algorithms of robot dynamics",
     "What Featherstone and Orin 2000 say about cost, measured", pn_paper_featherstone},
};

/* ------------------------------------------------------------------------------------------------ */
/* Text */

void pn_paper_section(paper *p, const char *heading)
{
    pn_cli_document_section(p->doc, heading);
    if (!p->quiet) printf("\n%s%s%s\n\n", pn_cli_bold(p->style), heading, pn_cli_plain(p->style));
}

/* Prints a paragraph in lines of a readable length. */
static void print_wrapped(const char *text, const char *indent)
{
    int column = 0;
    while (*text) {
        int length = (int)strcspn(text, " ");
        if (column && column + 1 + length > 96) {
            putchar('\n');
            column = 0;
        }
        column += printf("%s%.*s", column ? " " : indent, length, text);
        text += length;
        text += strspn(text, " ");
    }
    putchar('\n');
}

/* The formatted text, to be released with free(); NULL, with the study failed, when out of memory. */
static char *format_text(paper *p, const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    char *text = length < 0 ? NULL : malloc((size_t)length + 1);
    if (text)
        vsnprintf(text, (size_t)length + 1, format, again);
    else
        p->failed = 1;
    va_end(again);
    return text;
}

void pn_paper_say(paper *p, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = format_text(p, format, arguments);
    va_end(arguments);
    if (!text) return;
    pn_cli_document_text(p->doc, "%s", text);
    if (!p->quiet) print_wrapped(text, "");
    free(text);
}

void pn_paper_assume(paper *p, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = format_text(p, format, arguments);
    va_end(arguments);
    if (!text) return;
    pn_cli_document_note(p->doc, "%s", text);
    if (!p->quiet) {
        printf("%sAssumed:%s\n", pn_cli_dim(p->style), pn_cli_plain(p->style));
        print_wrapped(text, "  ");
    }
    free(text);
}

void pn_paper_number(paper *p, const char *key, double number)
{
    /* JSON has no number for what is not finite */
    if (json_object_set_new(p->numbers, key, json_real(number)) != 0 &&
        json_object_set_new(p->numbers, key, json_null()) != 0)
        p->failed = 1;
}

/* ------------------------------------------------------------------------------------------------ */
/* Files */

/* The path of NAME.csv or another file in the folder, to be released with free(); NULL when out of memory. */
static char *path_of(const paper *p, const char *name, const char *extension)
{
    size_t size = strlen(p->folder) + strlen(name) + strlen(extension) + 2;
    char *path = malloc(size);
    if (path) snprintf(path, size, "%s/%s%s", p->folder, name, extension);
    return path;
}

/* Notes a file that was written, or a failure. Releases the path. */
static void wrote(paper *p, char *path, pinion_status status, const pinion_error *err)
{
    if (status != PINION_OK) {
        pn_cli_report(p->command, "%s", err->message);
        p->failed = 1;
    } else if (json_array_append_new(p->files, json_string(path)) != 0) {
        p->failed = 1;
    }
    free(path);
}

/* The text of a cell of CSV: quoted where it has to be. */
static void put_quoted(FILE *text, const char *cell)
{
    if (strpbrk(cell, ",\"\r\n")) {
        fputc('"', text);
        for (; *cell; cell++) {
            if (*cell == '"') fputc('"', text);
            fputc(*cell, text);
        }
        fputc('"', text);
    } else {
        fputs(cell, text);
    }
}

static void put_cell(FILE *text, const char *cell, int last)
{
    put_quoted(text, cell);
    fputc(last ? '\n' : ',', text);
}

/* A text is written as a file when it is complete. */
static void csv_write(paper *p, cli_memory *csv, const char *name)
{
    char *path = path_of(p, name, ".csv");
    pinion_error err = {0};
    if (pn_cli_memory_close(csv) && path) {
        wrote(p, path, pinion_write_file(path, csv->bytes, csv->size, &err), &err);
    } else {
        p->failed = 1;
        free(path);
    }
    free(csv->bytes);
}

void pn_paper_table(paper *p, const char *name, const char *caption, cli_table *t, const char *align)
{
    if (!t->failed) {
        cli_memory csv;
        pn_cli_memory_open(&csv);
        for (int i = 0; csv.stream && i < t->cells; i++)
            put_cell(csv.stream, t->cell[i], i % t->columns == t->columns - 1);
        csv_write(p, &csv, name);
        pn_cli_document_cli_table(p->doc, caption, t, align);
    }
    if (!p->quiet && caption) printf("%s\n", caption);
    if (!pn_cli_table_print(t, stdout, p->quiet ? NULL : align, p->style)) p->failed = 1;
    if (!p->quiet) putchar('\n');
}

/* The numbers of a figure, one row an x, which all series of a study have in common. */
static void put_series(FILE *text, const cli_figure *f)
{
    put_cell(text, f->x_label ? f->x_label : "x", f->series_count == 0);
    for (int s = 0; s < f->series_count; s++) put_cell(text, f->series[s].name, s == f->series_count - 1);
    for (int i = 0; f->series_count > 0 && i < f->series[0].count; i++) {
        fprintf(text, "%.17g", f->series[0].x[i]);
        for (int s = 0; s < f->series_count; s++) fprintf(text, ",%.17g", f->series[s].y[i]);
        fputc('\n', text);
    }
}

void pn_paper_figure(paper *p, const char *name, const cli_figure *f)
{
    cli_memory csv;
    pn_cli_memory_open(&csv);
    if (csv.stream) put_series(csv.stream, f);
    csv_write(p, &csv, name);
    pn_cli_document_figure(p->doc, f);
}

void pn_paper_result(paper *p, const char *name, const pinion_result *r, const pinion_model *show)
{
    char *path = path_of(p, name, ".csv");
    pinion_error err = {0};
    if (!path) {
        p->failed = 1;
        return;
    }
    wrote(p, path, pinion_result_save(r, path, PINION_RESULT_CSV, &err), &err);
    if (show) pn_cli_document_result(p->doc, r, show, NULL);
}

pinion_model *pn_paper_model(paper *p, const char *file)
{
    char *path = pn_cli_find_model(p->args->program, file);
    if (!path) {
        pn_cli_report(p->command,
                      "the bundled model %s is not found: set PINION_MODELS to the folder it is in", file);
        p->failed = 1;
        return NULL;
    }
    pinion_error err = {0};
    pinion_model *m = pinion_load(path, NULL, &err);
    if (!m) {
        pn_cli_report(p->command, "%s", err.message);
        p->failed = 1;
    }
    free(path);
    return m;
}

/* ------------------------------------------------------------------------------------------------ */
/* The command */

static const study *find_study(const char *command, const char *name)
{
    const int count = (int)(sizeof studies / sizeof *studies);
    for (int i = 0; i < count; i++)
        if (strcmp(studies[i].name, name) == 0) return &studies[i];
    char near[400], list[200];
    cli_near found = pn_cli_near(name);
    for (int i = 0; i < count; i++) pn_cli_near_offer(&found, studies[i].name);
    pn_cli_report(command, "expected %s, got '%s'%s", pn_cli_list_text(PAPERS, list, sizeof list), name,
                  pn_cli_near_text(&found, near, sizeof near));
    return NULL;
}

/* Makes the folder unless it is there; *made tells. */
static int make_folder(const char *command, const char *folder, int *made)
{
    struct stat about;
    *made = mkdir(folder, 0777) == 0;
    if (*made) return CLI_DONE;
    if (errno == EEXIST && stat(folder, &about) == 0 && S_ISDIR(about.st_mode)) return CLI_DONE;
    pn_cli_report(command, "%s: the folder cannot be made: %s", folder, strerror(errno));
    return CLI_FAILED;
}

/* The report, and what was written. */
static void finish_study(paper *p)
{
    char *page = path_of(p, "report", ".html");
    if (!page || pn_cli_document_write(p->command, p->doc, page) != CLI_DONE ||
        json_array_append_new(p->files, json_string(page)) != 0)
        p->failed = 1;
    if (p->quiet) {
        json_t *answer = json_pack("{s:s, s:O, s:O}", "paper", p->args->positional, "numbers", p->numbers,
                                   "files", p->files);
        if (!answer || json_dumpf(answer, stdout, JSON_INDENT(2) | JSON_PRESERVE_ORDER) != 0) p->failed = 1;
        putchar('\n');
        json_decref(answer);
    } else if (!p->failed) {
        printf("\nWritten to %s: %d tables and figures as CSV, and report.html.\n", p->folder,
               (int)json_array_size(p->files) - 1);
    }
    free(page);
}

static int run_command(const cli_args *args)
{
    const char *command = args->command->name;
    const study *s = find_study(command, args->positional);
    if (!s) return CLI_USAGE;
    const char *folder = args->value[OPT_FOLDER] ? args->value[OPT_FOLDER] : s->name;
    int made;
    if (pn_cli_document_available(command) != CLI_DONE || make_folder(command, folder, &made) != CLI_DONE)
        return CLI_FAILED;

    paper p = {.args = args, .command = command, .folder = folder, .style = pn_cli_style(stdout)};
    p.quiet = args->value[OPT_JSON] != NULL;
    p.doc = pn_cli_document_new(s->title, s->subtitle);
    p.numbers = json_object();
    p.files = json_array();
    p.failed = !p.numbers || !p.files;
    if (!p.failed) s->run(&p);
    if (!p.failed)
        finish_study(&p);
    else
        pn_cli_report(command, "the study of %s was not completed", s->name);
    if (p.failed && made) rmdir(folder); /* only if nothing is in it */
    pn_cli_document_free(p.doc);
    json_decref(p.numbers);
    json_decref(p.files);
    return pn_cli_finish(command, p.failed ? CLI_FAILED : CLI_DONE);
}

/* ------------------------------------------------------------------------------------------------ */

static const cli_option *const options[] = {
    OPTION(FOLDER, .name = "output", .letter = 'o', .kind = VALUE_FILE, .value = "FOLDER",
           .help = "where to write the tables (CSV) and the report (the paper's name by default)"),
    SHARED(JSON), SHARED(HELP), NULL
};

const cli_command pn_cli_command_paper = {
    .name = "paper",
    .summary = "a paper's tables and figures again",
    .run = run_command,
    .takes = TAKES_WORD,
    .words = PAPERS,
    .words_are = "a paper",
    .usage = PAPERS " [-o FOLDER]",
    .about = "Does a paper's experiments again: prints its tables, writes them and the figures' data as CSV, and\n"
             "one HTML report that sets our numbers beside the paper's and says what was assumed. The bundled\n"
             "models are found beside the build or the installed command, or in the folder that the environment\n"
             "variable PINION_MODELS names.\n",
    .example = "pinion paper saha -o saha",
    .options = options,
};
