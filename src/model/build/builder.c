/* The builder: a copy of everything it is told, checked one definition at a time. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/build/describe.h"
#include "model/lines.h"
#include "model/plan/plan.h"

/* ---- defaults ---- */

pinion_pose pinion_pose_identity(void)
{
    pinion_pose pose = {{0, 0, 0}, {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    return pose;
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

pinion_constraint_def pinion_constraint_def_default(void)
{
    pinion_constraint_def def;
    memset(&def, 0, sizeof def);
    def.parent_pose = def.child_pose = pinion_pose_identity();
    def.ratio = 1;
    def.cookie = PN_COOKIE_CONSTRAINT;
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
    options.root = PINION_ROOT_AS_FILE;
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
void *pn_list_push(pn_list *list)
{
    return list->data + list->size * list->count++;
}

/* Room for the element and the strings, and for as many elements as a model may have. */
pinion_status pn_builder_room(pinion_builder *b, pn_list *list, const char *what, const char *const *strings, int count,
                              int line, pinion_error *err)
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
size_t pn_builder_keep(pinion_builder *b, const char *string)
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
    b->joints.size = sizeof(pn_described_joint);
    b->loops.size = sizeof(pn_described_loop);
    b->frames.size = sizeof(pn_described_frame);
    b->visuals.size = sizeof(pn_described_visual);
    b->collisions.size = sizeof(pn_described_collision);
    b->pairs.size = b->exclusions.size = sizeof(pn_described_pair);
    b->data.size = b->elastic_data.size = sizeof(double);
    b->added.size = 36 * sizeof(double);
    b->elastics.size = sizeof(pn_elastic_record);
    b->drags.size = sizeof(pinion_drag);
    b->dofs.size = sizeof(pinion_dof);
    b->actuators.size = sizeof(pn_described_actuator);
    b->terms.size = sizeof(pn_described_term);
    b->states.size = b->groups.size = sizeof(pn_described_set);
    b->members.size = sizeof(pn_described_member);
    b->tendons.size = sizeof(pn_described_tendon);
    b->tendon_terms.size = sizeof(pn_described_term);
    b->warnings.size = sizeof(size_t);
    b->gravity[2] = -9.81;
    if (!pn_list_reserve(&b->text, strlen(name) + 2)) {
        pinion_builder_free(b);
        return NULL;
    }
    pn_builder_keep(b, "");
    b->name = pn_builder_keep(b, name);
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
    free(b->collisions.data);
    free(b->pairs.data);
    free(b->exclusions.data);
    free(b->data.data);
    free(b->added.data);
    free(b->elastics.data);
    free(b->elastic_data.data);
    free(b->drags.data);
    free(b->dofs.data);
    free(b->actuators.data);
    free(b->terms.data);
    free(b->states.data);
    free(b->groups.data);
    free(b->members.data);
    free(b->tendons.data);
    free(b->tendon_terms.data);
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
    b->source = pn_builder_keep(b, file);
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

pinion_status pinion_builder_set_root(pinion_builder *b, const char *link, pinion_error *err)
{
    if (!b || !link) return missing(b, err);
    if (!*link || strlen(link) > PN_MAX_NAME) {
        return pn_fail(b, err, PINION_ERR_MODEL, 0, "the root is link %s; expected the name of a link",
                       pn_quote(link).text);
    }
    if (!pn_list_reserve(&b->text, strlen(link) + 1)) return pn_fail_memory(b, err);
    b->root = pn_builder_keep(b, link);
    b->root_line = 0;
    return PINION_OK;
}

void pn_builder_root_line(pinion_builder *b, int line)
{
    b->root_line = line;
}

pinion_status pinion_builder_set_tree_only(pinion_builder *b, int tree_only)
{
    if (!b) return PINION_ERR_ARGUMENT;
    b->tree_only = tree_only != 0;
    return PINION_OK;
}

/* A joint of the tree or of a loop, checked, for whose strings and degrees of freedom there is room. */
static void keep_joint(pinion_builder *b, pn_described_joint *joint, const pinion_joint_def *def)
{
    joint->name = pn_builder_keep(b, def->name);
    joint->parent = pn_builder_keep(b, def->parent);
    joint->child = pn_builder_keep(b, def->child);
    joint->mimic = pn_builder_keep(b, def->mimic);
    joint->type = def->type;
    joint->parent_pose = def->parent_pose;
    joint->child_pose = def->child_pose;
    memcpy(joint->axis, def->axis, sizeof joint->axis);
    joint->pitch = def->type == PINION_JOINT_HELICAL ? def->pitch : 0;
    joint->multiplier = def->mimic ? def->multiplier : 1;
    joint->offset = def->mimic ? def->offset : 0;
    joint->has_initial = def->has_initial != 0;
    memcpy(joint->initial_q, def->initial_q, sizeof joint->initial_q);
    memcpy(joint->initial_v, def->initial_v, sizeof joint->initial_v);
    joint->cut = def->cut != 0;
    joint->unactuated = def->unactuated != 0;
    joint->line = def->line;
    joint->dof = b->dofs.count;
    int nv = pinion_joint_type_nv(def->type);
    for (int i = 0; i < nv; i++) memcpy(pn_list_push(&b->dofs), &def->dof[i], sizeof(pinion_dof));
}

/* Checks a joint and makes room for it. */
static pinion_status prepare_joint(pinion_builder *b, pinion_joint_def *def, int loop, pinion_error *err)
{
    pinion_status status = pn_check_joint(b, def, loop, err);
    const char *strings[4] = {def->name, def->parent, def->child, def->mimic};
    pn_list *list = loop ? &b->loops : &b->joints;
    if (status == PINION_OK) status = pn_builder_room(b, list, loop ? "loop" : "joint", strings, 4, def->line, err);
    if (status != PINION_OK) return status;
    size_t nv = (size_t)pinion_joint_type_nv(def->type);
    return pn_list_reserve(&b->dofs, nv) ? PINION_OK : pn_fail_memory(b, err);
}

pinion_status pinion_builder_add_joint(pinion_builder *b, const pinion_joint_def *given, pinion_error *err)
{
    if (!b || !given) return missing(b, err);
    pinion_joint_def def = *given;
    pinion_status status = prepare_joint(b, &def, 0, err);
    if (status == PINION_OK) keep_joint(b, pn_list_push(&b->joints), &def);
    return status;
}

/* The next loop, all zero; there is room for it. */
static pn_described_loop *push_loop(pinion_builder *b, pinion_loop_kind kind)
{
    pn_described_loop *loop = pn_list_push(&b->loops);
    memset(loop, 0, sizeof *loop);
    loop->kind = kind;
    return loop;
}

pinion_status pinion_builder_add_loop(pinion_builder *b, const pinion_joint_def *given, pinion_error *err)
{
    if (!b || !given) return missing(b, err);
    pinion_joint_def def = *given;
    pinion_status status = prepare_joint(b, &def, 1, err);
    if (status != PINION_OK) return status;
    pn_described_loop *loop = push_loop(b, PINION_LOOP_JOINT);
    loop->ratio = 1;
    keep_joint(b, &loop->joint, &def);
    return PINION_OK;
}

pinion_status pinion_builder_add_constraint(pinion_builder *b, const pinion_constraint_def *given,
                                            pinion_error *err)
{
    if (!b || !given) return missing(b, err);
    pinion_constraint_def def = *given;
    pinion_status status = pn_check_constraint(b, &def, err);
    const char *strings[5] = {def.name, def.parent, def.child, def.first, def.second};
    if (status == PINION_OK) status = pn_builder_room(b, &b->loops, "loop", strings, 5, def.line, err);
    if (status == PINION_OK && !pn_list_reserve(&b->dofs, 1)) status = pn_fail_memory(b, err);
    if (status != PINION_OK) return status;

    /* what it ties: links as a joint does, or joints */
    pn_described_loop *loop = push_loop(b, def.kind);
    loop->joint.name = pn_builder_keep(b, def.name);
    loop->joint.parent = pn_builder_keep(b, def.parent);
    loop->joint.child = pn_builder_keep(b, def.child);
    loop->joint.parent_pose = def.parent_pose;
    loop->joint.child_pose = def.child_pose;
    loop->joint.axis[2] = 1;
    loop->joint.multiplier = 1;
    loop->joint.line = def.line;
    loop->joint.dof = b->dofs.count;
    loop->first = pn_builder_keep(b, def.first);
    loop->second = pn_builder_keep(b, def.second);
    loop->ratio = def.ratio;
    memcpy(loop->curve, def.curve, sizeof loop->curve);
    loop->length = def.length;
    loop->radius = def.radius;
    loop->disk = def.disk != 0;
    loop->motion = def.motion;

    /* a spring has one coordinate, its length, as a slider has */
    if (def.kind == PINION_LOOP_SPRING) {
        pinion_dof *dof = pn_list_push(&b->dofs);
        *dof = pinion_joint_def_default().dof[0];
        dof->stiffness = def.stiffness;
        dof->damping = def.damping;
        dof->rest = def.length;
        loop->joint.type = PINION_JOINT_PRISMATIC;
    }
    return PINION_OK;
}

pinion_status pinion_builder_add_frame(pinion_builder *b, const pinion_frame_def *given, pinion_error *err)
{
    if (!b || !given) return missing(b, err);
    pinion_frame_def def = *given;
    pinion_status status = pn_check_frame(b, &def, err);
    const char *strings[2] = {def.name, def.link};
    if (status == PINION_OK) status = pn_builder_room(b, &b->frames, "frame", strings, 2, def.line, err);
    if (status != PINION_OK) return status;

    pn_described_frame *frame = pn_list_push(&b->frames);
    frame->name = pn_builder_keep(b, def.name);
    frame->link = pn_builder_keep(b, def.link);
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
    if (status == PINION_OK) status = pn_builder_room(b, &b->visuals, "visual", strings, 2, def.line, err);
    if (status != PINION_OK) return status;

    pn_described_visual *visual = pn_list_push(&b->visuals);
    visual->link = pn_builder_keep(b, def.link);
    visual->mesh = pn_builder_keep(b, def.mesh);
    visual->shape = def.shape;
    visual->pose = def.pose;
    memcpy(visual->size, def.size, sizeof visual->size);
    memcpy(visual->rgba, def.rgba, sizeof visual->rgba);
    visual->line = def.line;
    return PINION_OK;
}

/* Room for a state or a group, and for its members; NULL after an error. */
static pn_described_set *push_set(pinion_builder *b, pn_list *list, const char *what, const char *name, int count,
                                  size_t bytes, int line, pinion_error *err)
{
    if (b->members.count + (size_t)count > PN_MAX_TERMS) {
        pn_fail(b, err, PINION_ERR_MODEL, line, "%s %s has too many joints; expected at most %d in all", what,
                pn_quote(name).text, PN_MAX_TERMS);
        return NULL;
    }
    if (pn_builder_room(b, list, what, &name, 1, line, err) != PINION_OK) return NULL;
    if (!pn_list_reserve(&b->members, (size_t)count) || !pn_list_reserve(&b->text, strlen(name) + 1 + bytes)) {
        pn_fail_memory(b, err);
        return NULL;
    }
    pn_described_set *set = pn_list_push(list);
    *set = (pn_described_set){pn_builder_keep(b, name), b->members.count, count, line};
    return set;
}

pinion_status pinion_builder_add_state(pinion_builder *b, const char *name, int count,
                                       const pinion_state_entry *entries, int line, pinion_error *err)
{
    pinion_error own;
    if (!err) err = &own;
    if (!b || !name || (count > 0 && !entries)) return missing(b, err);
    pinion_status status = pn_check_set(b, "state", name, count, count > 0 ? &entries->joint : NULL, sizeof *entries,
                                        line, err);
    size_t bytes = 0;
    for (int i = 0; i < count && status == PINION_OK; i++) {
        bytes += strlen(entries[i].joint) + 1;
        if (entries[i].count < 1 || entries[i].count > 7 || !pn_finite(entries[i].value, entries[i].count))
            status = pn_fail(b, err, PINION_ERR_MODEL, line,
                             "state %s: joint %s is not given 1 to 7 finite numbers", pn_quote(name).text,
                             pn_quote(entries[i].joint).text);
    }
    if (status != PINION_OK) return status;
    if (!push_set(b, &b->states, "state", name, count, bytes, line, err)) return err->status;
    for (int i = 0; i < count; i++) {
        pn_described_member *member = pn_list_push(&b->members);
        member->joint = pn_builder_keep(b, entries[i].joint);
        member->velocity = entries[i].velocity != 0;
        member->count = entries[i].count;
        memcpy(member->value, entries[i].value, sizeof member->value);
    }
    return PINION_OK;
}

pinion_status pinion_builder_add_group(pinion_builder *b, const char *name, int count, const char *const *joints,
                                       int line, pinion_error *err)
{
    pinion_error own;
    if (!err) err = &own;
    if (!b || !name) return missing(b, err);
    const pinion_status status = pn_check_set(b, "group", name, count, joints, sizeof *joints, line, err);
    size_t bytes = 0;
    if (status != PINION_OK) return status;
    for (int i = 0; i < count; i++) bytes += strlen(joints[i]) + 1;
    if (!push_set(b, &b->groups, "group", name, count, bytes, line, err)) return err->status;
    for (int i = 0; i < count; i++) {
        pn_described_member *member = pn_list_push(&b->members);
        memset(member, 0, sizeof *member);
        member->joint = pn_builder_keep(b, joints[i]);
    }
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
            memcpy(piece, "?", 2);
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
    pinion_status status = pn_builder_room(b, &b->warnings, "warning", strings, 1, 0, err);
    if (status != PINION_OK) return status;
    *(size_t *)pn_list_push(&b->warnings) = pn_builder_keep(b, clean);
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
