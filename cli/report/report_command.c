/* pinion report: a result as one HTML file. */
#define _POSIX_C_SOURCE 200809L
#include "cli/args/file_args.h"
#include "cli/print/json_out.h"
#include "cli/args/load_option.h"
#include "cli/args/options.h"
#include "cli/print/plot.h"
#include "cli/print/print_text.h"
#include "cli/report/report.h"
#include "cli/sweep/sweep_page.h"
#include "pinion/sim/sweep.h"

#include <stdlib.h>
#include <string.h>

/* The options of this command alone. */
enum { OPT_PAGE = OPT_OWN };

/* Where the page goes without -o: the result's name with .html in place of its ending, in new memory. */
static char *default_path(const char *result)
{
    const char *slash = strrchr(result, '/'), *name = slash ? slash + 1 : result, *dot = strrchr(name, '.');
    size_t length = dot && dot != name ? (size_t)(dot - result) : strlen(result);
    char *path = malloc(length + sizeof ".html");
    if (path) {
        memcpy(path, result, length);
        memcpy(path + length, ".html", sizeof ".html");
    }
    return path;
}

/* The answer of --json: what was written where. */
static int print_answer(const cli_args *args, const char *path, const pinion_result *r)
{
    cli_json json = pn_cli_json(stdout);
    pn_cli_json_open(&json, '{', 1);
    pn_cli_json_key(&json, "output");
    pn_cli_json_string(&json, path);
    pn_cli_json_key(&json, "rows");
    pn_cli_json_number(&json, (double)pinion_result_row_count(r));
    pn_cli_json_key(&json, "columns");
    pn_cli_json_integer(&json, pinion_result_column_count(r));
    pn_cli_json_end(&json);
    return pn_cli_finish(args->command->name, CLI_DONE);
}

/* What can be known before the result is read. The page must not take the place of what it is made of. */
static int check_files(const cli_args *args, const char *path)
{
    const char *command = args->command->name, *plot = args->value[OPT_PLOT];
    const cli_file file[] = {{"--output", path, PAGE_ENDINGS},
                             {"--plot", plot, FIGURE_ENDINGS},
                             {"the result", args->positional, NULL}};
    if (args->value[OPT_PLOT_COLUMNS] && !plot) {
        pn_cli_report(command, "--plot-columns has no use without --plot FILE");
        return CLI_USAGE;
    }
    int status = pn_cli_files_check(command, file, 3);
    if (status == CLI_DONE) status = pn_cli_document_available(command);
    return status == CLI_DONE && plot ? pn_cli_plot_check(command, plot) : status;
}

/* The page, the figure and the answer. */
static int write_page(const cli_args *args, const pinion_result *r, const char *path)
{
    const char *command = args->command->name, *plot = args->value[OPT_PLOT],
               *columns = args->value[OPT_PLOT_COLUMNS];
    int status = plot ? pn_cli_plot_columns(command, r, columns) : CLI_DONE;
    if (status == CLI_DONE)
        status = pn_cli_report_result(command, r, NULL, pinion_result_get(r, "model_file"),
                                      args->value[OPT_PACKAGE_PATH], path);
    if (status == CLI_DONE && plot) {
        pinion_model *m = pn_cli_result_model(r, NULL); /* whose limits are lines; without it there are none */
        status = pn_cli_plot_result(command, r, columns, m, plot);
        pinion_model_free(m);
    }
    if (status != CLI_DONE) return status;
    if (args->value[OPT_JSON]) return print_answer(args, path, r);
    const size_t rows = pinion_result_row_count(r);
    const int count = pinion_result_column_count(r);
    fprintf(stderr, "%zu row%s of %d column%s\n", rows, pn_cli_plural(rows), count, pn_cli_plural(count));
    pn_cli_put_written(path);
    pn_cli_put_written(plot);
    return CLI_DONE;
}

static int run_command(const cli_args *args)
{
    const char *command = args->command->name, *result = args->positional;
    char *path = args->value[OPT_PAGE] ? strdup(args->value[OPT_PAGE]) : default_path(result);
    if (!path) {
        pn_cli_report(command, "out of memory");
        return CLI_FAILED;
    }
    int status = check_files(args, path);
    if (status == CLI_DONE && pinion_sweep_is_result(result)) {
        status = pn_cli_sweep_page(args, result, path);
    } else if (status == CLI_DONE) {
        pinion_error err = {PINION_OK, 0, 0, ""};
        pinion_result *r = pinion_result_load(result, &err);
        status = r ? write_page(args, r, path) : CLI_FAILED;
        if (!r) pn_cli_report(command, "%s", err.message[0] ? err.message : pinion_status_text(err.status));
        pinion_result_free(r);
    }
    free(path);
    return status;
}

/* ------------------------------------------------------------------------------------------------ */

static const cli_option *const options[] = {
    OPTION(PAGE, .name = "output", .letter = 'o', .kind = VALUE_FILE, .value = "FILE",
           .help = "where to write the page, .html or .htm (the result's name with .html by default)"),
    PLOT_OPTIONS, SHARED(PACKAGE_PATH), SHARED(HELP), NULL
};

const cli_command pn_cli_command_report = {
    .name = "report",
    .summary = "a result as one HTML file: plots and 3-D playback",
    .run = run_command,
    .takes = TAKES_FILE,
    .words_are = "a RESULT file",
    .usage = "RESULT [-o FILE.html]",
    .about = "Makes one self-contained HTML file of a result of pinion sim or id: 3-D playback of the robot,\n"
             "linked plots and the run's settings; or of pinion sweep: distributions, what depends on what, and\n"
             "failures. It needs no network and opens in any browser.\n",
    .example = "pinion report fall.h5 -o fall.html",
    .options = options,
};
