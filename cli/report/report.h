/* The report of a result: playback of its motion, linked plots of its columns, its settings. */
#ifndef PN_CLI_REPORT_H
#define PN_CLI_REPORT_H

#include "cli/report/document.h"

/* The model that a result holds, loaded as its run did; NULL where it holds none, or with `err` filled. */
pinion_model *pn_cli_result_model(const pinion_result *r, pinion_error *err);

/* Adds to the document's current section the playback, from the model and the result's columns q.*, and
 * the linked plots; then the result's texts to the settings.
 * @param m           NULL: the model that the result holds; where it holds none, there is no playback, and a note
 *                    says why
 * @param model_path  the model's file, to find its meshes; NULL: unknown */
void pn_cli_document_result(cli_document *doc, const pinion_result *r, const pinion_model *m, const char *model_path);

/* Writes the whole report of a result; title and command are the result's own texts. CLI_DONE, or CLI_FAILED
 * after a message.
 * @param m, model_path  as for pn_cli_document_result()
 * @param package_path   as for pn_cli_document_packages() */
int pn_cli_report_result(const char *command, const pinion_result *r, const pinion_model *m, const char *model_path,
                         const char *package_path, const char *path);

#endif
