/* pinion generate: random models, and mechanisms of any size. */
#include "cli/args/load_option.h"
#include "cli/args/near.h"
#include "cli/args/save.h"
#include "cli/print/print_text.h"

#include <limits.h>
#include <string.h>

#define GENERATED "chain|tree|n-four-bar"

/* The options of this command alone. */
enum { OPT_SEED = OPT_OWN };

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
    root.type = PINION_JOINT_FREE;
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

/* What to make. */
typedef struct recipe {
    enum { CHAIN, TREE, N_FOUR_BAR } kind;
    int count, free_root;
    uint64_t seed;
} recipe;

/* Reads what to generate, how large, and the options that go with it. */
static int read_recipe(const cli_args *args, recipe *r)
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
    r->kind = strcmp(kind, "tree") == 0 ? TREE : strcmp(kind, "chain") == 0 ? CHAIN : N_FOUR_BAR;
    uint64_t count;
    if (!pn_cli_parse_whole(args->second, &count) || count == 0) {
        pn_cli_report(command, "expected the number of %s, 1 or more, got '%s'",
                      r->kind == N_FOUR_BAR ? "four-bars" : "joints", args->second);
        return CLI_USAGE;
    }
    r->count = count < INT_MAX ? (int)count : INT_MAX; /* the library says what is too many */

    /* options that the kind has no use for */
    r->free_root = root && strcmp(root, "free") == 0;
    if (r->free_root && r->kind != TREE) {
        pn_cli_report(command, "--root free needs a tree: the first link of %s has no mass to move",
                      r->kind == CHAIN ? "a chain" : "the four-bars");
        return CLI_USAGE;
    }
    if (r->kind == N_FOUR_BAR && args->value[OPT_SEED]) {
        pn_cli_report(command,
                      "--seed needs a random model, chain or tree: the four-bars are always the same");
        return CLI_USAGE;
    }
    r->seed = 1;
    if (args->value[OPT_SEED]) pn_cli_parse_whole(args->value[OPT_SEED], &r->seed);
    return CLI_DONE;
}

/* The model; NULL on failure. */
static pinion_model *make(const recipe *r, pinion_error *err)
{
    if (r->kind == N_FOUR_BAR) return pinion_n_four_bar(r->count, err);
    if (r->kind == CHAIN) return pinion_random_chain(r->count, r->seed, err);
    pinion_model *m = pinion_random_tree(r->count, 0, r->seed, err);
    if (m && r->free_root) {
        pinion_model *freed = set_free(m, err);
        pinion_model_free(m);
        m = freed;
    }
    return m;
}

static int run_command(const cli_args *args)
{
    recipe r;
    cli_target target;
    int status = read_recipe(args, &r);
    if (status == CLI_DONE) status = pn_cli_save_target(args, PINION_FORMAT_JSON, &target);
    if (status != CLI_DONE) return status;

    pinion_error err = {PINION_OK, 0, 0, ""};
    pinion_model *m = make(&r, &err);
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

/* ------------------------------------------------------------------------------------------------ */

static const cli_option *const options[] = {
    OPTION(SEED, .name = "seed", .kind = VALUE_WHOLE, .value = "S",
           .help = "a whole number; the same one gives the same model everywhere (1 by default)"),
    SHARED(ROOT), SAVE_OPTIONS, SHARED(HELP), NULL
};

const cli_command pn_cli_command_generate = {
    .name = "generate",
    .summary = "a model of any size, for tests and benchmarks",
    .run = run_command,
    .takes = TAKES_WORD,
    .words = GENERATED,
    .words_are = "what to generate",
    .second = "the number of joints",
    .usage = GENERATED " N [-o FILE] [options]",
    .about = "Writes a random model of N joints: a serial chain of revolute joints with skew axes, or a\n"
             "tree of joints of every type with branches, welds, followers, rotors, dampers and springs.\n"
             "Inertias are full and physical. n-four-bar is not random: N parallel four-bars in a row, of\n"
             "uniform rods of 1 m and 1 kg that start upright, their tips moving at 1 m/s.\n"
             "Without -o the model goes to standard output as JSON.\n"
             "--root free puts a free joint, named root, under a tree, as part of the file.\n",
    .example = "pinion generate tree 12 --seed 7 -o tree.json",
    .options = options,
};
