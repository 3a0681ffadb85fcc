/* The whole description: do the names exist, each once, and does everything that is referred to? */
#include <stdlib.h>
#include <string.h>

#include "model/plan/plan.h"

/* ---- memory ---- */

void *pn_pool_take(pn_pool *pool, size_t count, size_t size)
{
    void *block = NULL;
    if (pool->count < PN_POOL_BLOCKS) block = calloc(count ? count : 1, size);
    if (!block) {
        pool->failed = 1;
        return NULL;
    }
    pool->block[pool->count++] = block;
    return block;
}

void pn_pool_free(pn_pool *pool)
{
    for (int i = 0; i < pool->count; i++) free(pool->block[i]);
    memset(pool, 0, sizeof *pool);
}

void pn_plan_free(pn_plan *plan)
{
    pn_pool_free(&plan->pool);
    free(plan->warnings.data);
    memset(plan, 0, sizeof *plan);
}

static pinion_status take_memory(pn_plan *plan, pinion_error *err)
{
    const pinion_builder *b = plan->b;
    pn_pool *pool = &plan->pool;
    size_t links = b->links.count, joints = b->joints.count + 1; /* with "root" */
    plan->link_source = pn_pool_take(pool, links, sizeof(int));
    plan->link_place = pn_pool_take(pool, links, sizeof(int));
    plan->link_body = pn_pool_take(pool, links, sizeof(int));
    plan->joint_source = pn_pool_take(pool, joints, sizeof(int));
    plan->joint_place = pn_pool_take(pool, joints, sizeof(int));
    plan->joint_parent = pn_pool_take(pool, joints, sizeof(int));
    plan->joint_leader = pn_pool_take(pool, joints, sizeof(int));
    plan->joint_body = pn_pool_take(pool, joints, sizeof(int));
    plan->multiplier = pn_pool_take(pool, joints, sizeof(double));
    plan->offset = pn_pool_take(pool, joints, sizeof(double));
    plan->joint_turned = pn_pool_take(pool, joints, sizeof(int));
    size_t loops = b->loops.count + joints; /* any joint may turn out to close one */
    plan->loop_source = pn_pool_take(pool, loops, sizeof(int));
    plan->loop_parent = pn_pool_take(pool, loops, sizeof(int));
    plan->loop_child = pn_pool_take(pool, loops, sizeof(int));
    plan->loop_first = pn_pool_take(pool, loops, sizeof(int));
    plan->loop_second = pn_pool_take(pool, loops, sizeof(int));
    plan->frame_link = pn_pool_take(pool, b->frames.count, sizeof(int));
    plan->visual_link = pn_pool_take(pool, b->visuals.count, sizeof(int));
    plan->frame_names = pn_pool_take(pool, links + b->frames.count, sizeof(pn_name));
    plan->joint_names = pn_pool_take(pool, joints + b->loops.count, sizeof(pn_name));
    return pool->failed ? pn_fail_memory(b, err) : PINION_OK;
}

/* ---- names ---- */

/* One name twice: who has it, and where. */
static pinion_status duplicate(const pn_plan *plan, const char *what, const char *first_what,
                               const char *name, int first_line, int line, pinion_error *err)
{
    if (first_line > 0) {
        return pn_fail(plan->b, err, PINION_ERR_MODEL, line,
                       "%s %s has the name of the %s at line %d; expected a name of its own", what,
                       pn_quote(name).text, first_what, first_line);
    }
    return pn_fail(plan->b, err, PINION_ERR_MODEL, line,
                   "%s %s has the name of another %s; expected a name of its own", what, pn_quote(name).text,
                   first_what);
}

/* Links and frames share their names, since every link is a frame. */
static pinion_status name_frames(pn_plan *plan, pinion_error *err)
{
    const pinion_builder *b = plan->b;
    int links = (int)b->links.count, count = links + (int)b->frames.count;
    for (int i = 0; i < count; i++) {
        plan->frame_names[i].index = i;
        plan->frame_names[i].name =
            pn_builder_text(b, i < links ? PN_ITEM(&b->links, pn_described_link, i)->name
                                 : PN_ITEM(&b->frames, pn_described_frame, i - links)->name);
    }
    pn_names_sort(plan->frame_names, count);
    plan->frame_name_count = count;

    int first = 0, second = pn_names_duplicate(plan->frame_names, count, &first);
    if (second < 0) return PINION_OK;
    int first_line = first < links ? PN_ITEM(&b->links, pn_described_link, first)->line
                                   : PN_ITEM(&b->frames, pn_described_frame, first - links)->line;
    if (second < links) {
        const pn_described_link *link = PN_ITEM(&b->links, pn_described_link, second);
        return duplicate(plan, "link", "link", pn_builder_text(b, link->name), first_line, link->line, err);
    }
    const pn_described_frame *frame = PN_ITEM(&b->frames, pn_described_frame, second - links);
    return duplicate(plan, "frame", first < links ? "link" : "frame", pn_builder_text(b, frame->name), first_line,
                     frame->line, err);
}

static const pn_described_joint *joint_or_loop(const pinion_builder *b, int index)
{
    int joints = (int)b->joints.count;
    return index < joints ? PN_ITEM(&b->joints, const pn_described_joint, index)
                          : &PN_ITEM(&b->loops, const pn_described_loop, index - joints)->joint;
}

/* Joints and loop joints share theirs, and "root" is taken where the base is free. */
static pinion_status name_joints(pn_plan *plan, pinion_error *err)
{
    const pinion_builder *b = plan->b;
    int joints = (int)b->joints.count, count = joints + (int)b->loops.count;
    for (int i = 0; i < count; i++) {
        plan->joint_names[i].index = i;
        plan->joint_names[i].name = pn_builder_text(b, joint_or_loop(b, i)->name);
    }
    pn_names_sort(plan->joint_names, count);
    plan->joint_name_count = count;

    int first = 0, second = pn_names_duplicate(plan->joint_names, count, &first);
    if (second >= 0) {
        const pn_described_joint *joint = joint_or_loop(b, second);
        return duplicate(plan, second < joints ? "joint" : "loop", first < joints ? "joint" : "loop",
                         pn_builder_text(b, joint->name), joint_or_loop(b, first)->line, joint->line, err);
    }
    int root = plan->free_root ? pn_names_find(plan->joint_names, count, "root") : -1;
    if (root >= 0) {
        return pn_fail(b, err, PINION_ERR_MODEL, joint_or_loop(b, root)->line,
                       "joint 'root' has the name of the free joint of the base; expected another name, or a "
                       "fixed base");
    }
    return PINION_OK;
}

pinion_status pn_plan_names(pn_plan *plan, pinion_error *err)
{
    pinion_status status = name_frames(plan, err);
    return status ? status : name_joints(plan, err);
}

/* ---- what lies on the tree ---- */

int pn_plan_find_link(const pn_plan *plan, size_t name)
{
    int found = pn_names_find(plan->frame_names, plan->frame_name_count, pn_builder_text(plan->b, name));
    return found >= 0 && found < plan->links ? plan->link_place[found] : -1;
}

/* Frames and visuals refer to links. */
static pinion_status place_the_rest(pn_plan *plan, pinion_error *err)
{
    const pinion_builder *b = plan->b;
    for (size_t i = 0; i < b->frames.count; i++) {
        const pn_described_frame *frame = PN_ITEM(&b->frames, pn_described_frame, i);
        plan->frame_link[i] = pn_plan_find_link(plan, frame->link);
        if (plan->frame_link[i] < 0) {
            return pn_fail(b, err, PINION_ERR_MODEL, frame->line,
                           "frame %s: link %s does not exist; expected a link of this model",
                           pn_quote(pn_builder_text(b, frame->name)).text,
                           pn_quote(pn_builder_text(b, frame->link)).text);
        }
    }
    for (size_t i = 0; i < b->visuals.count; i++) {
        const pn_described_visual *visual = PN_ITEM(&b->visuals, pn_described_visual, i);
        plan->visual_link[i] = pn_plan_find_link(plan, visual->link);
        if (plan->visual_link[i] < 0) {
            return pn_fail(b, err, PINION_ERR_MODEL, visual->line,
                           "a visual is on link %s, which does not exist; expected a link of this model",
                           pn_quote(pn_builder_text(b, visual->link)).text);
        }
    }
    return PINION_OK;
}

/* ---- all of it ---- */

static pinion_status take_options(pn_plan *plan, const pinion_load_options *options, pinion_error *err)
{
    const pinion_builder *b = plan->b;
    memcpy(plan->gravity, b->gravity, sizeof plan->gravity);
    if (!options) return PINION_OK;
    if (options->cookie != PN_COOKIE_OPTIONS) {
        return pn_fail(
            b, err, PINION_ERR_ARGUMENT, 0,
            "the load options were not started from their default; expected pinion_load_options_default()");
    }
    if (options->root != PINION_ROOT_FIXED && options->root != PINION_ROOT_FREE &&
        options->root != PINION_ROOT_AS_FILE) {
        return pn_fail(b, err, PINION_ERR_ARGUMENT, 0,
                       "load option root is %d; expected fixed (0), free (1) or as the file has it (2)",
                       (int)options->root);
    }
    if (options->mimic != PINION_MIMIC_FOLLOW && options->mimic != PINION_MIMIC_INDEPENDENT) {
        return pn_fail(b, err, PINION_ERR_ARGUMENT, 0,
                       "load option mimic is %d; expected follow (0) or independent (1)",
                       (int)options->mimic);
    }
    plan->free_root = options->root == PINION_ROOT_FREE;
    plan->independent = options->mimic == PINION_MIMIC_INDEPENDENT;
    if (options->set_gravity) {
        if (!pn_finite(options->gravity, 3)) {
            return pn_fail(b, err, PINION_ERR_ARGUMENT, 0, "load option gravity is not three finite numbers");
        }
        memcpy(plan->gravity, options->gravity, sizeof plan->gravity);
    }
    return PINION_OK;
}

pinion_status pn_plan_make(pn_plan *plan, const pinion_load_options *options, pinion_error *err)
{
    /* what does not depend on the tree */
    const pinion_builder *b = plan->b;
    pinion_status status = take_options(plan, options, err);
    if (status != PINION_OK) return status;
    const char *name = pn_builder_text(b, b->name);
    if (strlen(name) > PN_MAX_NAME || !pn_is_clean_text(name)) {
        return pn_fail(b, err, PINION_ERR_MODEL, 0,
                       "the model's name %s is not plain text; expected at most %d bytes of UTF-8 without "
                       "control characters",
                       pn_quote(name).text, PN_MAX_NAME);
    }
    if (b->links.count == 0) {
        return pn_fail(b, err, PINION_ERR_MODEL, 0, "the model has no links; expected at least one");
    }
    status = take_memory(plan, err);
    if (status == PINION_OK) status = pn_plan_loader_warnings(plan, err);
    if (status == PINION_OK) status = pn_plan_names(plan, err);

    /* the tree, then what lies on it; plan->b may be another one from pn_plan_turns on */
    if (status == PINION_OK) status = pn_plan_tree(plan, err);
    if (status == PINION_OK) status = pn_plan_turns(plan, err);
    if (status == PINION_OK) status = place_the_rest(plan, err);
    if (status == PINION_OK) status = pn_plan_mimics(plan, err);
    if (status == PINION_OK) status = pn_plan_loops(plan, err);
    if (status == PINION_OK) status = pn_plan_collisions(plan, err);
    if (status == PINION_OK) status = pn_plan_tendons(plan, err);
    if (status == PINION_OK) status = pn_plan_actuators(plan, err);
    if (status == PINION_OK) status = pn_plan_sets(plan, err);
    if (status == PINION_OK) status = pn_plan_elastic(plan, err);
    if (status == PINION_OK) status = pn_plan_warnings(plan, err);
    return status;
}
