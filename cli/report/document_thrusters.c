/* Forces of a playback that actuators give on frames, as thrusters and rotors do: from the columns of the result. */
#include "cli/report/document_internal.h"

#include <math.h>
#include <stdlib.h>

#define MOST 64

void pn_doc_thrusters(cli_document *doc, json_t *item, const pinion_model *m, const size_t *rows, size_t count)
{
    const double *column[MOST];
    double force[MOST][3];
    int frame[MOST], found = 0;
    for (int i = 0; doc->result && i < pinion_model_actuator_count(m) && found < MOST; i++) {
        pinion_actuator_info a;
        char name[300];
        if (pinion_model_actuator(m, i, &a) != PINION_OK || a.type != PINION_ACTUATOR_FRAME) continue;
        snprintf(name, sizeof name, "actuator.%s", a.name);
        const int at = pinion_result_find_column(doc->result, name);
        if (at < 0 || (a.wrench[3] == 0 && a.wrench[4] == 0 && a.wrench[5] == 0)) continue;
        column[found] = pinion_result_values(doc->result, at);
        frame[found] = a.frame;
        for (int k = 0; k < 3; k++) force[found][k] = a.gear * a.efficiency * a.wrench[3 + k];
        found++;
    }
    if (!found) return;
    json_t *out = json_object(), *list = json_array();
    float *values = malloc((count * (size_t)found + 1) * sizeof *values);
    if (!values) doc->failed = 1;
    for (int i = 0; list && i < found; i++) {
        json_t *entry = json_object(), *direction = json_array();
        for (int k = 0; direction && k < 3; k++) pn_doc_add(doc, direction, json_real(force[i][k]));
        if (entry) pn_doc_set(doc, entry, "frame", json_integer(frame[i]));
        if (entry) pn_doc_set(doc, entry, "force", direction);
        pn_doc_add(doc, list, entry);
    }
    for (size_t r = 0; values && r < count; r++)
        for (int i = 0; i < found; i++) values[r * (size_t)found + (size_t)i] = (float)column[i][rows[r]];
    if (out) {
        pn_doc_set(doc, out, "list", list);
        pn_doc_set(doc, out, "values", values ? pn_doc_floats(values, count * (size_t)found) : json_null());
    }
    pn_doc_set(doc, item, "thrusters", out);
    free(values);
}
