#include "cli/print/result_out.h"

#include "cli/args/load_option.h"
#include "cli/args/options.h"
#include "cli/print/print_text.h"

#include <stdlib.h>

int pn_cli_add_column(const char *command, pinion_result *r, const char *name, const char *unit)
{
    pinion_status status = pinion_result_add_column(r, name, unit);
    if (status == PINION_OK) return CLI_DONE;
    if (status == PINION_ERR_MEMORY)
        pn_cli_report(command, "out of memory");
    else
        pn_cli_report(command, "there cannot be a column '%s': %s", name, pinion_status_text(status));
    return CLI_FAILED;
}

int pn_cli_add_coordinates(const char *command, pinion_result *r, const pinion_model *m, const char *what)
{
    const int count = *what == 'q' ? pinion_model_nq(m) : pinion_model_nv(m);
    int status = CLI_DONE;
    for (int i = 0; i < count && status == CLI_DONE; i++) {
        char name[1000];
        pinion_coordinate_name(m, what, i, name, sizeof name);
        status = pn_cli_add_column(command, r, name, pinion_coordinate_unit(m, what, i));
    }
    return status;
}

pinion_result *pn_cli_result_part(const pinion_result *r, const char *keep)
{
    const int columns = pinion_result_column_count(r);
    pinion_result *part = pinion_result_new();
    double *row = malloc(((size_t)columns + 1) * sizeof *row);
    int ok = part && row;
    for (int i = 0; i < columns && ok; i++) {
        pinion_column column;
        if (!keep[i]) continue;
        ok = pinion_result_column(r, i, &column) == PINION_OK &&
             pinion_result_add_column(part, column.name, column.unit) == PINION_OK;
    }
    for (size_t k = 0; k < pinion_result_row_count(r) && ok; k++) {
        int width = 0;
        for (int i = 0; i < columns; i++)
            if (keep[i]) row[width++] = pinion_result_values(r, i)[k];
        ok = pinion_result_add_row(part, row) == PINION_OK;
    }
    free(row);
    if (ok) return part;
    pinion_result_free(part);
    return NULL;
}

int pn_cli_print_result(const char *command, const pinion_result *r)
{
    pinion_error err = {PINION_OK, 0, 0, ""};
    size_t size = 0;
    char *text = pinion_result_save_string(r, PINION_RESULT_CSV, &size, &err);
    if (!text) {
        pn_cli_report(command, "%s", err.message[0] ? err.message : pinion_status_text(err.status));
        return CLI_FAILED;
    }
    fwrite(text, 1, size, stdout); /* whether that can be written is found out by what follows */
    pinion_free(text);
    return pn_cli_finish(command, CLI_DONE);
}
