/* The builder: a copy of everything it is told, checked one definition at a time. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "describe.h"
#include "plan.h"

/* ---- defaults ---- */

pinion_pose pinion_pose_identity(void)
{
    pinion_pose pose = {{0, 0, 0}, {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    return pose;
}

pinion_link_def pinion_link_def_default(void)
{
    pinion_link_def def;
    memset(&def, 0, sizeof def);
    def.cookie = PN_COOKIE_LINK;
    return def;
}

pinion_joint_def pinion_joint_def_default(void)
{
    pinion_joint_def def;
    memset(&def, 0, sizeof def);
    def.parent_pose = def.child_pose = pinion_pose_identity();
    def.axis[2] = 1;
    for (int i = 0; i < 6; i++) {
        def.dof[i].lower = -INFINITY;
        def.dof[i].upper = def.dof[i].velocity = def.dof[i].effort = INFINITY;
        def.dof[i].gear_ratio = 1;
    }
    def.multiplier = 1;
    def.cookie = PN_COOKIE_JOINT;
    return def;
}

pinion_frame_def pinion_frame_def_default(void)
{
    pinion_frame_def def;
    memset(&def, 0, sizeof def);
    def.pose = pinion_pose_identity();
    def.cookie = PN_COOKIE_FRAME;
    return def;
}

pinion_visual_def pinion_visual_def_default(void)
{
    pinion_visual_def def;
    memset(&def, 0, sizeof def);
    def.pose = pinion_pose_identity();
    for (int i = 0; i < 3; i++) {
        def.size[i] = 1;
        def.rgba[i] = 0.7;
    }
    def.rgba[3] = 1;
    def.cookie = PN_COOKIE_VISUAL;
    return def;
}

pinion_load_options pinion_load_options_default(void)
{
    pinion_load_options options;
    memset(&options, 0, sizeof options);
    options.gravity[2] = -9.81;
    options.cookie = PN_COOKIE_OPTIONS;
    return options;
}

/* ---- storage ---- */

int pn_list_reserve(pn_list *list, size_t more)
{
    if (more <= list->capacity - list->count) return 1;

    /* at least double, so that adding is linear in all */
    size_t limit = SIZE_MAX / 4 / list->size;
    if (list->count > limit || more > limit) return 0;
    size_t capacity = list->capacity * 2 > list->count + more ? list->capacity * 2 : list->count + more;
    if (capacity < 16) capacity = 16;
    char *data = realloc(list->data, capacity * list->size);
    if (!data) return 0;
    list->data = data;
    list->capacity = capacity;
    return 1;
}

/* The next element of a list that has room for it. */
static void *push(pn_list *list)
{
    return list->data + list->size * list->count++;
}

/* Room for the element and the strings, and for as many elements as a model may have. */
static pinion_status make_room(pinion_builder *b, pn_list *list, const char *what, const char *const *strings,
                               int count, int line, pinion_error *err)
{
    if (list->count >= PN_MAX_ELEMENTS) {
        return pn_fail(b, err, PINION_ERR_MODEL, line, "the model has too many %ss; expected at most %d",
                       what, PN_MAX_ELEMENTS);
    }
    size_t bytes = 0;
    for (int i = 0; i < count; i++) bytes += strings[i] ? strlen(strings[i]) + 1 : 0;
    if (!pn_list_reserve(list, 1) || !pn_list_reserve(&b->text, bytes)) return pn_fail_memory(b, err);
    return PINION_OK;
}

/* Keeps a string for which there is room; NULL is string 0. */
static size_t keep(pinion_builder *b, const char *string)
{
    if (!string) return 0;
    size_t start = b->text.count, bytes = strlen(string) + 1;
    memcpy(b->text.data + start, string, bytes);
    b->text.count += bytes;
    return start;
}

pinion_builder *pinion_builder_new(const char *name)
{
    pinion_builder *b = calloc(1, sizeof *b);
    if (!b) return NULL;
    if (!name) name = "";
    b->text.size = 1;
    b->links.size = sizeof(pn_described_link);
    b->joints.size = b->loops.size = sizeof(pn_described_joint);
    b->frames.size = sizeof(pn_described_frame);
    b->visuals.size = sizeof(pn_described_visual);
    b->dofs.size = sizeof(pinion_dof);
    b->warnings.size = sizeof(size_t);
    b->gravity[2] = -9.81;
    if (!pn_list_reserve(&b->text, strlen(name) + 2)) {
        pinion_builder_free(b);
        return NULL;
    }
    keep(b, "");
    b->name = keep(b, name);
    return b;
}

void pinion_builder_free(pinion_builder *b)
{
    if (!b) return;
    free(b->text.data);
    free(b->links.data);
    free(b->joints.data);
    free(b->loops.data);
    free(b->frames.data);
    free(b->visuals.data);
    free(b->dofs.data);
    free(b->warnings.data);
    free(b);
}

/* ---- adding ---- */

static pinion_status missing(const pinion_builder *b, pinion_error *err)
{
    return pn_fail(b, err, PINION_ERR_ARGUMENT, 0,
                   "an argument is NULL; expected a builder and a definition");
}

pinion_status pinion_builder_set_source(pinion_builder *b, const char *file)
{
    if (!b) return PINION_ERR_ARGUMENT;
    if (!file || !*file) {
        b->source = 0;
        return PINION_OK;
    }
    if (!pn_list_reserve(&b->text, strlen(file) + 1)) return PINION_ERR_MEMORY;
    b->source = keep(b, file);
    return PINION_OK;
}

pinion_status pinion_builder_set_gravity(pinion_builder *b, const double gravity[3], pinion_error *err)
{
    if (!b || !gravity) return missing(b, err);
    if (!pn_finite(gravity, 3)) {
        return pn_fail(b, err, PINION_ERR_MODEL, 0, "the gravity is not three finite numbers");
    }
    memcpy(b->gravity, gravity, sizeof b->gravity);
    return PINION_OK;
}

pinion_status pinion_builder_add_link(pinion_builder *b, const pinion_link_def *def, pinion_error *err)
{
    if (!b || !def) return missing(b, err);
    pinion_status status = pn_check_link(b, def, err);
    if (!status) status = make_room(b, &b->links, "link", &def->name, 1, def->line, err);
    if (status) return status;

    pn_described_link *link = push(&b->links);
    link->name = keep(b, def->name);
    link->inertia = def->inertia;
    link->line = def->line;
    return PINION_OK;
}

/* A joint of the tree or of a loop. */
static pinion_status add_joint(pinion_builder *b, pn_list *list, const pinion_joint_def *given, int loop,
                               pinion_error *err)
{
    if (!b || !given) return missing(b, err);
    pinion_joint_def def = *given;
    pinion_status status = pn_check_joint(b, &def, loop, err);
    const char *strings[4] = {def.name, def.parent, def.child, def.mimic};
    if (!status) status = make_room(b, list, loop ? "loop" : "joint", strings, 4, def.line, err);
    if (status) return status;
    size_t nv = (size_t)pinion_joint_type_nv(def.type);
    if (!pn_list_reserve(&b->dofs, nv)) return pn_fail_memory(b, err);

    pn_described_joint *joint = push(list);
    joint->name = keep(b, def.name);
    joint->parent = keep(b, def.parent);
    joint->child = keep(b, def.child);
    joint->mimic = keep(b, def.mimic);
    joint->type = def.type;
    joint->parent_pose = def.parent_pose;
    joint->child_pose = def.child_pose;
    memcpy(joint->axis, def.axis, sizeof joint->axis);
    joint->pitch = def.type == PINION_HELICAL ? def.pitch : 0;
    joint->multiplier = def.mimic ? def.multiplier : 1;
    joint->offset = def.mimic ? def.offset : 0;
    joint->has_initial = def.has_initial != 0;
    memcpy(joint->initial_q, def.initial_q, sizeof joint->initial_q);
    memcpy(joint->initial_v, def.initial_v, sizeof joint->initial_v);
    joint->line = def.line;
    joint->dof = b->dofs.count;
    for (size_t i = 0; i < nv; i++) memcpy(push(&b->dofs), &def.dof[i], sizeof(pinion_dof));
    return PINION_OK;
}

pinion_status pinion_builder_add_joint(pinion_builder *b, const pinion_joint_def *def, pinion_error *err)
{
    return add_joint(b, b ? &b->joints : NULL, def, 0, err);
}

pinion_status pinion_builder_add_loop(pinion_builder *b, const pinion_joint_def *def, pinion_error *err)
{
    return add_joint(b, b ? &b->loops : NULL, def, 1, err);
}

pinion_status pinion_builder_add_frame(pinion_builder *b, const pinion_frame_def *given, pinion_error *err)
{
    if (!b || !given) return missing(b, err);
    pinion_frame_def def = *given;
    pinion_status status = pn_check_frame(b, &def, err);
    const char *strings[2] = {def.name, def.link};
    if (!status) status = make_room(b, &b->frames, "frame", strings, 2, def.line, err);
    if (status) return status;

    pn_described_frame *frame = push(&b->frames);
    frame->name = keep(b, def.name);
    frame->link = keep(b, def.link);
    frame->pose = def.pose;
    frame->line = def.line;
    return PINION_OK;
}

pinion_status pinion_builder_add_visual(pinion_builder *b, const pinion_visual_def *given, pinion_error *err)
{
    if (!b || !given) return missing(b, err);
    pinion_visual_def def = *given;
    pinion_status status = pn_check_visual(b, &def, err);
    const char *strings[2] = {def.link, def.mesh};
    if (!status) status = make_room(b, &b->visuals, "visual", strings, 2, def.line, err);
    if (status) return status;

    pn_described_visual *visual = push(&b->visuals);
    visual->link = keep(b, def.link);
    visual->mesh = keep(b, def.mesh);
    visual->shape = def.shape;
    visual->pose = def.pose;
    memcpy(visual->size, def.size, sizeof visual->size);
    memcpy(visual->rgba, def.rgba, sizeof visual->rgba);
    visual->line = def.line;
    return PINION_OK;
}

/* Copies whole characters while they fit in PN_MAX_WARNING bytes, '?' for what cannot be printed. */
static void copy_sentence(char to[PN_MAX_WARNING + 1], const char *from)
{
    size_t out = 0;
    while (*from) {
        /* as long as the first byte says, if that much is there */
        unsigned char lead = (unsigned char)*from;
        size_t length = lead < 0xc0 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
        char piece[5] = {0};
        for (size_t i = 0; i < length && from[i]; i++) piece[i] = from[i];
        if (!pn_is_clean_text(piece)) {
            /* a control character of two bytes is one character */
            length = lead == 0xc2 && ((unsigned char)piece[1] & 0xc0) == 0x80 ? 2 : 1;
            strcpy(piece, "?");
        }
        if (out + strlen(piece) > PN_MAX_WARNING) break;
        for (const char *s = piece; *s; s++) to[out++] = *s;
        from += length;
    }
    to[out] = 0;
}

pinion_status pinion_builder_add_warning(pinion_builder *b, const char *sentence, pinion_error *err)
{
    if (!b || !sentence || !*sentence) {
        return pn_fail(b, err, PINION_ERR_ARGUMENT, 0,
                       "an argument is NULL or empty; expected a builder and a sentence");
    }
    char clean[PN_MAX_WARNING + 1];
    copy_sentence(clean, sentence);
    const char *strings[1] = {clean};
    pinion_status status = make_room(b, &b->warnings, "warning", strings, 1, 0, err);
    if (status) return status;
    *(size_t *)push(&b->warnings) = keep(b, clean);
    return PINION_OK;
}

/* ---- building ---- */

pinion_model *pinion_builder_build(const pinion_builder *b, const pinion_load_options *options,
                                   pinion_error *err)
{
    if (!b) {
        missing(b, err);
        return NULL;
    }
    pinion_model *m = NULL;
    pn_plan plan;
    memset(&plan, 0, sizeof plan);
    plan.b = b;
    if (pn_plan_make(&plan, options, err) == PINION_OK) m = pn_compile(&plan, err);
    pn_plan_free(&plan);
    return m;
}
