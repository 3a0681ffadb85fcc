/* The SDF writer: a name of its own for every link, frame and joint. */
#include "io/sdf/sdf_write.h"

#include "base/hash.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where a name is in the table, or would be. */
static size_t place_of(const sdf_writer *w, const char *name)
{
    size_t at = (size_t)pn_fnv1a(PN_FNV1A, name, strlen(name)) & (w->room - 1);
    while (w->table[at] && strcmp(w->label[w->table[at] - 1], name) != 0) at = (at + 1) & (w->room - 1);
    return at;
}

int pn_sdf_is_label(const sdf_writer *w, const char *name)
{
    return w->table[place_of(w, name)] != 0;
}

/* A name without that of the model and without what the format keeps for itself. */
void pn_sdf_tidy(const char *model, const char *name, char out[SDF_WRITE_NAME])
{
    const size_t n = strlen(model);
    if (n && strncmp(name, model, n) == 0 && strncmp(name + n, "::", 2) == 0 && name[n + 2]) name += n + 2;
    snprintf(out, SDF_WRITE_NAME, "%.255s", name);
    for (char *s = strstr(out, "::"); s; s = strstr(s, "::")) s[0] = s[1] = '_';
    const size_t length = strlen(out);
    char *last = length ? out + length - 1 : out;
    if (*out == ' ') *out = '_'; /* readers cut spaces off */
    if (*last == ' ') *last = '_';
    const int kept = strcmp(out, "world") == 0 || (length > 3 && strncmp(out, "__", 2) == 0 &&
                                                   strcmp(out + length - 2, "__") == 0);
    if (kept) memcpy(out + length, "_1", 3);
}

static int add_label(sdf_writer *w, int index, const char *name, const char *what)
{
    char base[SDF_WRITE_NAME], out[SDF_WRITE_NAME + 16];
    pn_sdf_tidy(pinion_model_name(w->m), name, base);
    snprintf(out, sizeof out, "%s", base);
    for (int i = 1; w->table[place_of(w, out)]; i++)
        snprintf(out, sizeof out, i == 1 ? "%.255s_%s" : "%.255s_%s%d", base, what, i);
    const size_t n = strlen(out) + 1;
    w->label[index] = malloc(n);
    if (!w->label[index]) return 0;
    memcpy(w->label[index], out, n);
    w->table[place_of(w, out)] = (uint32_t)index + 1;
    char scoped[2 * SDF_WRITE_NAME];
    snprintf(scoped, sizeof scoped, "%.255s::%s", pinion_model_name(w->m), out);
    return strcmp(out, name) == 0 || strcmp(scoped, name) == 0 ||
           pn_lose(w->l, 0, what, name, "it gets another name");
}

int pn_sdf_add_labels(sdf_writer *w)
{
    for (int i = 0; i < w->frames; i++) {
        pinion_frame_info f;
        if (pinion_model_frame(w->m, i, &f) != PINION_OK) return 0;
        if (i == w->root && w->ground && i < w->links) continue;
        if (!add_label(w, i, f.name, i < w->links ? "link" : "frame")) return 0;
    }
    for (int i = 0; i < w->joints + w->loops; i++) {
        pinion_joint_info j = {0};
        pinion_loop_info l = {0};
        const int ok = i < w->joints ? pinion_model_joint(w->m, i, &j) : pinion_model_loop(w->m, i - w->joints, &l);
        if (ok != PINION_OK) return 0;
        if (i < w->joints && j.type == PINION_JOINT_FREE) continue;
        if (i < w->joints && j.type == PINION_JOINT_FIXED && w->is_frame[j.child]) continue;
        if (!add_label(w, w->frames + i, i < w->joints ? j.name : l.name, "joint")) return 0;
    }
    return 1;
}
