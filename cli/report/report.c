/* The report of a result. */
#include "cli/report/report.h"
#include "cli/report/document_internal.h"
#include "cli/args/options.h"

#include <stdlib.h>
#include <string.h>

/* Whether a joint that follows another one has a coordinate of its own in the result. */
static int has_followers(const pinion_result *r, const pinion_model *m)
{
    for (int i = 0; i < pinion_model_joint_count(m); i++) {
        pinion_joint_info joint;
        char name[600];
        if (pinion_model_joint(m, i, &joint) != PINION_OK || joint.leader < 0) continue;
        snprintf(name, sizeof name, "q.%s", joint.name);
        if (pinion_result_find_column(r, name) >= 0) return 1;
    }
    return 0;
}

/* A model's file does not say how it was loaded, with a free root or with followers on their own: the columns do. */
pinion_model *pn_cli_result_model(const pinion_result *r, pinion_error *err)
{
    const char *text = pinion_result_get(r, "model"), *name = "the result's model";
    if (!text) return NULL;
    pinion_load_options options = pinion_load_options_default();
    pinion_model *m = pinion_load_string(text, strlen(text), PINION_FORMAT_JSON, name, &options, err);
    if (m && pinion_result_find_column(r, "q.root.0") >= 0 && pinion_model_find_joint(m, "root") < 0)
        options.root = PINION_ROOT_FREE;
    if (m && has_followers(r, m)) options.mimic = PINION_MIMIC_INDEPENDENT;
    if (m && (options.root == PINION_ROOT_FREE || options.mimic == PINION_MIMIC_INDEPENDENT)) {
        pinion_model_free(m);
        m = pinion_load_string(text, strlen(text), PINION_FORMAT_JSON, name, &options, err);
    }
    return m;
}

/* The result's own model; NULL with a note when there is none or it cannot be read. */
static pinion_model *model_of(cli_document *doc, const pinion_result *r)
{
    pinion_error err = {PINION_OK, 0, 0, ""};
    pinion_model *m = pn_cli_result_model(r, &err);
    if (m) return m;
    if (err.status == PINION_ERR_MEMORY) doc->failed = 1;
    if (pinion_result_get(r, "model"))
        pn_cli_document_note(doc, "There is no playback: %s", err.message);
    else
        pn_cli_document_note(doc, "The result does not hold its model, so there is no playback.");
    return NULL;
}

/* The model in the file that a result names; NULL when there is none. */
static pinion_model *model_in_file(const char *path)
{
    pinion_load_options options = pinion_load_options_default();
    options.mimic = PINION_MIMIC_INDEPENDENT; /* what follows what does not matter here */
    return path ? pinion_load(path, &options, NULL) : NULL;
}

/* The columns of q, by number; NULL after a note when one is missing. */
static int *find_columns(cli_document *doc, const pinion_result *r, const pinion_model *m)
{
    int nq = pinion_model_nq(m);
    int *columns = malloc(((size_t)nq + 1) * sizeof *columns);
    if (!columns) doc->failed = 1;
    for (int i = 0; i < nq && columns; i++) {
        char name[600];
        columns[i] = pinion_result_find_column(r, pinion_coordinate_name(m, "q", i, name, sizeof name));
        if (columns[i] >= 0) continue;
        pn_cli_document_note(doc, "The result has no column %s, so there is no playback.", name);
        free(columns);
        return NULL;
    }
    return columns;
}

static void add_playback(cli_document *doc, const pinion_result *r, const pinion_model *m, const char *model_path)
{
    int time = pinion_result_find_column(r, "t");
    size_t count = pinion_result_row_count(r);
    int *columns = m ? find_columns(doc, r, m) : NULL;
    if (columns) {
        size_t nq = (size_t)pinion_model_nq(m);
        double *q = count < SIZE_MAX / 8 / (nq + 1) ? malloc((count * nq + 1) * sizeof *q) : NULL;
        if (q) {
            for (size_t k = 0; k < nq; k++) {
                const double *values = pinion_result_values(r, columns[k]);
                for (size_t i = 0; i < count; i++) q[i * nq + k] = values[i];
            }
            doc->result = r;
            pn_cli_document_playback(doc, m, model_path, count, pinion_result_values(r, time), q);
            doc->result = NULL;
        } else {
            doc->failed = 1;
        }
        free(q);
    }
    free(columns);
}

/* A key as people read it: "model_hash" becomes "model hash". */
static void add_setting(cli_document *doc, const char *key, const char *text)
{
    char name[256];
    snprintf(name, sizeof name, "%s", key);
    for (char *s = name; *s; s++)
        if (*s == '_') *s = ' ';
    pn_cli_document_setting(doc, name, text);
}

void pn_cli_document_result(cli_document *doc, const pinion_result *r, const pinion_model *m, const char *model_path)
{
    if (!doc) return;
    if (pinion_result_find_column(r, "t") >= 0 && pinion_result_row_count(r) > 0) { /* else the plots say so */
        pinion_model *stored = m ? NULL : model_of(doc, r), *of_file = stored ? model_in_file(model_path) : NULL;
        if (stored && !of_file) model_path = NULL; /* there is no such model any more, and no folder of its own */
        doc->file_model = of_file;
        add_playback(doc, r, m ? m : stored, model_path);
        pn_cli_document_series(doc, r, m ? m : stored);
        doc->file_model = NULL;
        pinion_model_free(of_file);
        pinion_model_free(stored);
    } else {
        pn_cli_document_series(doc, r, NULL);
    }
    for (int i = 0; i < pinion_result_key_count(r); i++) {
        const char *key = pinion_result_key(r, i), *text = key ? pinion_result_get(r, key) : NULL;
        if (text && strcmp(key, "model") != 0 && strcmp(key, "title") != 0) add_setting(doc, key, text);
    }
}

int pn_cli_report_result(const char *command, const pinion_result *r, const pinion_model *m, const char *model_path,
                         const char *package_path, const char *path)
{
    if (pn_cli_document_available(command) != CLI_DONE) return CLI_FAILED;
    const char *title = pinion_result_get(r, "title"), *name = pinion_result_get(r, "model_name");
    cli_document *doc = pn_cli_document_new(title  ? title
                                            : name ? name
                                                   : "Result",
                                            pinion_result_get(r, "command"));
    pn_cli_document_packages(doc, package_path);
    pn_cli_document_result(doc, r, m, model_path);
    int status = pn_cli_document_write(command, doc, path);
    pn_cli_document_free(doc);
    return status;
}
