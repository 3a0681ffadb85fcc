/* Names, bodies and poses: what each frame is called, with which link it moves, and where it is. */
#include "io/sdf/sdf.h"
#include "model/pose.h"

#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------------------------------------
 * Names */

static int by_name(const void *a, const void *b)
{
    const sdf_name *x = a, *y = b;
    const int order = strcmp(x->name, y->name);
    return order ? order : x->index - y->index;
}

static void sort_names(sdf_reader *r)
{
    for (int i = 0; i < r->entities.count; i++) r->names[i] = (sdf_name){r->entities.at[i].name, i};
    qsort(r->names, (size_t)r->entities.count, sizeof *r->names, by_name);
}

/* Old files, and worlds, may call a link, a joint or a frame like another thing: it gets another name. */
static int rename_entity(sdf_reader *r, sdf_entity *e)
{
    static const char *const behind[] = {"", "", "_link", "_joint", "_frame"};
    const int may = r->files.at[e->file].minor < 7 || (e->scope == 0 && e->kind != SDF_MODEL);
    if (!may || !*behind[e->kind]) return 1;
    char *name = pn_sdf_join(r, e->name, behind[e->kind], "");
    if (!name ||
        !pn_xml_warn(&r->u, e->node, "'%.60s' is the name of two things: this one is called '%.80s' here",
                     e->name, name))
        return 0;
    e->name = name;
    return 1;
}

int pn_sdf_index(sdf_reader *r)
{
    const int count = r->entities.count;
    r->names = malloc((size_t)count * sizeof *r->names);
    if (!r->names) return pn_xml_memory(&r->u);
    sort_names(r);
    int clash = 0;
    for (int i = 1; i < count; i++) {
        sdf_entity *a = &r->entities.at[r->names[i - 1].index], *b = &r->entities.at[r->names[i].index];
        if (strcmp(r->names[i].name, r->names[i - 1].name) != 0 || a->kind == b->kind) continue;
        clash = 1;
        /* models keep their names, then links, joints, frames */
        if (!rename_entity(r, a->kind > b->kind ? a : b)) return 0;
    }
    if (clash) sort_names(r);
    for (int i = 1; i < count; i++) {
        if (strcmp(r->names[i].name, r->names[i - 1].name) == 0)
            return pn_xml_fail(&r->u, r->entities.at[r->names[i].index].node, PINION_ERR_MODEL,
                               "'%.100s' is the name of two things; expected a name of its own each",
                               r->names[i].name);
    }
    return 1;
}

static int look_up(const sdf_reader *r, const char *name)
{
    int low = 0, high = r->entities.count;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (strcmp(r->names[middle].name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < r->entities.count && strcmp(r->names[low].name, name) == 0 ? r->names[low].index : -1;
}

int pn_sdf_refer(sdf_reader *r, int scope, int home, const char *name)
{
    static const char self[] = "__model__";
    if (strcmp(name, self) == 0) return home > 0 ? home : -1;
    const char *around = r->entities.at[scope].name;
    const size_t n = strlen(around), length = strlen(name);
    char full[600];
    if (!*name || n + length + 3 > sizeof full) return -1;
    memcpy(full, around, n);
    memcpy(full + n, "::", 2);
    memcpy(full + (n ? n + 2 : 0), name, length + 1);
    const int found = look_up(r, full);
    if (found > 0) return found;

    /* the frame of a model within */
    const size_t end = strlen(full), tail = sizeof self - 1 + 2;
    if (end <= tail || strcmp(full + end - tail + 2, self) != 0 || strncmp(full + end - tail, "::", 2) != 0)
        return -1;
    full[end - tail] = '\0';
    const int model = look_up(r, full);
    return model > 0 && r->entities.at[model].kind == SDF_MODEL ? model : -1;
}

/* The same for what an element names; a complaint where that is nothing. */
static int refer(sdf_reader *r, const sdf_entity *e, int scope, int home, const char *what, const char *name)
{
    if (scope == 0 && strcmp(name, "world") == 0) return 0;
    const int found = pn_sdf_refer(r, scope, home, name);
    if (found < 0)
        pn_xml_fail(&r->u, e->node, PINION_ERR_MODEL,
                    "%s of '%.80s' names '%.80s', which is not there; expected a link, joint, frame or model "
                    "in '%.60s'",
                    what, e->name, name, scope ? r->entities.at[scope].name : "world");
    else if (&r->entities.at[found] == e)
        pn_xml_fail(&r->u, e->node, PINION_ERR_MODEL, "%s of '%.80s' names itself; expected another", what,
                    e->name);
    else
        return found;
    return -1;
}

/* ---------------------------------------------------------------------------------------------
 * Following one thing to the next */

/* The entity that `e` moves with: itself for a link. -1 on failure. */
static int next_body(sdf_reader *r, int index)
{
    const sdf_entity *e = &r->entities.at[index];
    switch (e->kind) {
    case SDF_WORLD:
    case SDF_LINK: return index;
    case SDF_MODEL:
        if (e->is_static) return 0;
        return refer(r, e, e->inner, index, "canonical_link", e->target);
    case SDF_JOINT: return refer(r, e, e->scope, e->home, "the child", e->target);
    default:
        if (!*e->target) return e->home;
        return refer(r, e, e->inner, e->home, "attached_to", e->target);
    }
}

/* The entity in whose frame the pose of `e` is given. -1 on failure. */
static int next_frame(sdf_reader *r, int index)
{
    const sdf_entity *e = &r->entities.at[index];
    if (e->kind == SDF_WORLD) return 0;
    if (*e->relative_to) return refer(r, e, e->scope, e->home, "relative_to", e->relative_to);
    if (e->kind == SDF_JOINT) return refer(r, e, e->scope, e->home, "the child", e->target);
    const int merged = e->kind == SDF_FRAME && !pn_xml_is(e->node, "frame");
    if (e->kind == SDF_FRAME && *e->target && !merged)
        return refer(r, e, e->scope, e->home, "attached_to", e->target);
    return e->home;
}

/* Notes in `next` what follows each entity, and refuses circles. `ends` nonzero: links end a chain, else only
 * the world does. */
static int follow(sdf_reader *r, int *next, int ends)
{
    const int count = r->entities.count;
    for (int i = 0; i < count; i++) {
        next[i] = ends ? next_body(r, i) : next_frame(r, i);
        if (next[i] < 0) return 0;
        r->entities.at[i].state = next[i] == i ? 2 : 0;
    }
    for (int i = 0; i < count; i++) {
        int at = i;
        for (; r->entities.at[at].state == 0; at = next[at]) r->entities.at[at].state = 1;
        if (r->entities.at[at].state == 1)
            return pn_xml_fail(&r->u, r->entities.at[at].node, PINION_ERR_MODEL,
                               "%s '%.80s'%s leads back to itself; expected it to end at %s",
                               ends ? "what" : "the pose of", r->entities.at[at].name,
                               ends ? " moves with" : "", ends ? "a link" : "the world");
        for (at = i; r->entities.at[at].state == 1; at = next[at]) r->entities.at[at].state = 2;
    }
    return 1;
}

/* ---------------------------------------------------------------------------------------------
 * Poses */

/* A pose that is about another frame of the model, made one about the model's own. */
static int place(sdf_reader *r, const int *next, int index)
{
    sdf_entity *e = &r->entities.at[index];
    if (!*e->placement || strcmp(e->placement, "__model__") == 0) return 1;
    const int frame = refer(r, e, e->inner, index, "placement_frame", e->placement);
    if (frame < 0) return 0;
    pinion_pose x = pinion_pose_identity();
    int at = frame;
    for (; at != index && at != next[at]; at = next[at]) x = pn_pose_mul(&r->entities.at[at].raw, &x);
    if (at != index)
        return pn_xml_fail(&r->u, e->node, PINION_ERR_MODEL,
                           "placement_frame of '%.80s' names '%.80s', which is not in it", e->name,
                           e->placement);
    const pinion_pose back = pn_pose_inverse(&x);
    e->raw = pn_pose_mul(&e->raw, &back);
    return 1;
}

static int find_poses(sdf_reader *r, const int *next, int *chain)
{
    for (int i = r->entities.count - 1; i >= 0; i--) { /* those within a model before it */
        r->entities.at[i].state = 0;
        if (!place(r, next, i)) return 0;
    }
    r->entities.at[0].world = pinion_pose_identity();
    r->entities.at[0].state = 2;
    for (int i = 0; i < r->entities.count; i++) {
        int length = 0;
        for (int at = i; r->entities.at[at].state != 2; at = next[at]) chain[length++] = at;
        while (length-- > 0) {
            sdf_entity *e = &r->entities.at[chain[length]];
            e->world = pn_pose_mul(&r->entities.at[next[chain[length]]].world, &e->raw);
            e->state = 2;
        }
    }
    return 1;
}

int pn_sdf_resolve(sdf_reader *r)
{
    const size_t count = (size_t)r->entities.count;
    int *next = malloc(2 * count * sizeof *next);
    if (!next) return pn_xml_memory(&r->u);
    int ok = follow(r, next, 1);
    for (size_t i = 0; ok && i < count; i++) { /* targets have no order */
        int at = (int)i;
        while (next[at] != at) at = next[at];
        for (int k = (int)i; next[k] != k;) { /* shorter for the next */
            const int on = next[k];
            next[k] = at;
            k = on;
        }
        r->entities.at[i].body = at;
    }
    ok = ok && follow(r, next, 0) && find_poses(r, next, next + count);
    free(next);
    return ok;
}
