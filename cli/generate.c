/* pinion generate: random models. */
#include "load.h"
#include "near.h"
#include "save.h"
#include "text.h"

#include <limits.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------ */
/* A free root as part of the model: what the load option adds is not written to files */

static const char *link_name(const pinion_model *m, int link)
{
    pinion_link_info info;
    return pinion_model_link(m, link, &info) == PINION_OK ? info.name : "";
}

/* The link that no joint carries. */
static const char *root_name(const pinion_model *m)
{
    for (int i = 0; i < pinion_model_link_count(m); i++) {
        pinion_link_info info;
        if (pinion_model_link(m, i, &info) == PINION_OK && info.joint < 0) return info.name;
    }
    return "";
}

static pinion_status add_links(pinion_builder *b, const pinion_model *m, pinion_error *err)
{
    pinion_link_def base = pinion_link_def_default();
    base.name = "base";
    pinion_status status = pinion_builder_add_link(b, &base, err);
    for (int i = 0; i < pinion_model_link_count(m) && status == PINION_OK; i++) {
        pinion_link_info info;
        pinion_link_def link = pinion_link_def_default();
        status = pinion_model_link(m, i, &info);
        if (status != PINION_OK) break;
        link.name = info.name;
        link.inertia = info.inertia;
        status = pinion_builder_add_link(b, &link, err);
    }
    return status;
}

static pinion_status add_joint(pinion_builder *b, const pinion_model *m, const pinion_joint_info *info,
                               pinion_error *err)
{
    pinion_joint_info leader;
    pinion_joint_def joint = pinion_joint_def_default();
    joint.name = info->name;
    joint.type = info->type;
    joint.parent = link_name(m, info->parent);
    joint.child = link_name(m, info->child);
    joint.parent_pose = info->parent_pose;
    joint.child_pose = info->child_pose;
    memcpy(joint.axis, info->axis, sizeof joint.axis);
    joint.pitch = info->pitch;
    for (int k = 0; k < info->dof_count; k++) joint.dof[k] = info->dof[k];
    if (info->leader >= 0 && pinion_model_joint(m, info->leader, &leader) == PINION_OK) {
        joint.mimic = leader.name;
        joint.multiplier = info->multiplier;
        joint.offset = info->offset;
    }
    return pinion_builder_add_joint(b, &joint, err);
}

static pinion_status add_joints(pinion_builder *b, const pinion_model *m, pinion_error *err)
{
    pinion_joint_def root = pinion_joint_def_default();
    root.name = "root";
    root.type = PINION_FREE;
    root.parent = "base";
    root.child = root_name(m);
    pinion_status status = pinion_builder_add_joint(b, &root, err);
    for (int i = 0; i < pinion_model_joint_count(m) && status == PINION_OK; i++) {
        pinion_joint_info info;
        status = pinion_model_joint(m, i, &info);
        if (status == PINION_OK) status = add_joint(b, m, &info, err);
    }
    return status;
}

static pinion_status add_frames(pinion_builder *b, const pinion_model *m, pinion_error *err)
{
    pinion_status status = PINION_OK;
    for (int i = pinion_model_link_count(m); i < pinion_model_frame_count(m) && status == PINION_OK; i++) {
        pinion_frame_info info;
        pinion_frame_def frame = pinion_frame_def_default();
        status = pinion_model_frame(m, i, &info);
        if (status != PINION_OK) break;
        frame.name = info.name;
        frame.link = link_name(m, info.link);
        frame.pose = info.pose;
        status = pinion_builder_add_frame(b, &frame, err);
    }
    return status;
}

/* The same model on a free joint named root, which stands on a link without mass; NULL on failure. */
static pinion_model *set_free(const pinion_model *m, pinion_error *err)
{
    pinion_builder *b = pinion_builder_new(pinion_model_name(m));
    pinion_status status = b ? add_links(b, m, err) : PINION_ERR_MEMORY;
    if (status == PINION_OK) status = add_joints(b, m, err);
    if (status == PINION_OK) status = add_frames(b, m, err);
    pinion_model *freed = status == PINION_OK ? pinion_builder_build(b, NULL, err) : NULL;
    if (status != PINION_OK) err->status = status;
    pinion_builder_free(b);
    return freed;
}

/* ------------------------------------------------------------------------------------------------ */

/* Reads chain|tree and the number of joints. */
static int check_arguments(const cli_args *args, int *tree, int *joints, int *free_root)
{
    const char *command = args->command->name, *kind = args->positional, *root = args->value[OPT_ROOT];
    if (!pn_cli_in_list(GENERATED, kind)) {
        char list[100], store[100], near[400];
        cli_near found = pn_cli_near(kind);
        pn_cli_near_offer_list(&found, GENERATED, store, sizeof store);
        pn_cli_report(command, "expected %s, got '%s'%s", pn_cli_list_text(GENERATED, list, sizeof list),
                      kind, pn_cli_near_text(&found, near, sizeof near));
        return CLI_USAGE;
    }
    uint64_t count;
    if (!pn_cli_parse_whole(args->second, &count) || count == 0) {
        pn_cli_report(command, "expected the number of joints, 1 or more, got '%s'", args->second);
        return CLI_USAGE;
    }
    *tree = strcmp(kind, "tree") == 0;
    *joints = count < INT_MAX ? (int)count : INT_MAX; /* the library says what is too many */
    *free_root = root && strcmp(root, "free") == 0;
    if (*free_root && !*tree) {
        pn_cli_report(command, "--root free needs a tree: the first link of a chain has no mass to move");
        return CLI_USAGE;
    }
    return CLI_DONE;
}

int pn_cli_generate(const cli_args *args)
{
    int tree = 0, joints = 0, free_root = 0;
    uint64_t seed = 1;
    cli_target target;
    int status = check_arguments(args, &tree, &joints, &free_root);
    if (status == CLI_DONE) status = pn_cli_save_target(args, PINION_FORMAT_JSON, &target);
    if (status != CLI_DONE) return status;
    if (args->value[OPT_SEED]) pn_cli_parse_whole(args->value[OPT_SEED], &seed);

    pinion_error err = {PINION_OK, 0, 0, ""};
    pinion_model *m =
        tree ? pinion_random_tree(joints, 0, seed, &err) : pinion_random_chain(joints, seed, &err);
    if (m && free_root) {
        pinion_model *freed = set_free(m, &err);
        pinion_model_free(m);
        m = freed;
    }
    if (m) {
        status = pn_cli_save(args, m, &target);
    } else {
        pn_cli_report(args->command->name, "%s",
                      err.message[0] ? err.message : pinion_status_text(err.status));
        status = err.status == PINION_ERR_ARGUMENT ? CLI_USAGE : CLI_FAILED;
    }
    pinion_model_free(m);
    return status;
}
