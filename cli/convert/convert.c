/* pinion convert: a model from one format to the other, with joints locked or a part attached on the way. */
#include "cli/args/coordinate_list.h"
#include "cli/args/load_option.h"
#include "cli/args/save.h"
#include "cli/convert/convert_edit.h"
#include "cli/convert/left_out.h"
#include "cli/print/print_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Takes what is given of a joint into q: 1, or 0 where that is nothing, or -1 after a message. */
static int lock_joint(const char *command, const pinion_joint_info *j, const double *named, double *q)
{
    int given = 0;
    for (int k = 0; k < j->nq; k++) {
        const double x = named[j->q_index + k];
        given += !isnan(x);
        if (!isnan(x) || j->has_initial) q[j->q_index + k] = isnan(x) ? j->initial_q[k] : x;
    }
    if (given > 0 && given < j->nq) {
        pn_cli_report(command, "--lock: joint '%s' has %d coordinates, and %d of them %s given; expected all of them",
                      j->name, j->nq, given, given == 1 ? "is" : "are");
        return -1;
    }
    for (int k = 0; given && j->nq == j->nv && k < j->nv; k++) {
        const double x = q[j->q_index + k], lower = j->dof[k].lower, upper = j->dof[k].upper;
        if (x < lower || x > upper)
            pn_cli_report(command, "warning: --lock: joint '%s' is fixed at %.6g, %s its %s limit, %.6g", j->name, x,
                          x < lower ? "below" : "above", x < lower ? "lower" : "upper", x < lower ? lower : upper);
    }
    return given > 0;
}

/* The model with the joints fixed that --lock names; NULL after a message. The given one is gone. */
static pinion_model *lock(const cli_args *args, pinion_model *m, int *status)
{
    const char *command = args->command->name;
    const int nq = pinion_model_nq(m), count = pinion_model_joint_count(m);
    double *named = malloc((2 * (size_t)nq + 1) * sizeof *named), *q = named ? named + nq : NULL;
    int *joints = malloc(((size_t)count + 1) * sizeof *joints), locked = 0;
    pinion_model *out = NULL;
    pinion_error err = {PINION_OK, 0, 0, ""};
    *status = CLI_FAILED;
    for (int i = 0; named && i < nq; i++) named[i] = NAN;
    if (named && joints && pinion_neutral(m, q) == PINION_OK)
        *status = pn_cli_coordinates(command, "lock", m, "q", 0, args->value[OPT_LOCK], named);
    else
        pn_cli_report(command, "out of memory");
    for (int i = 0; *status == CLI_DONE && i < count; i++) {
        pinion_joint_info j;
        if (pinion_model_joint(m, i, &j) != PINION_OK) continue;
        const int given = lock_joint(command, &j, named, q);
        if (given < 0) *status = CLI_USAGE;
        if (given > 0) joints[locked++] = i;
    }
    if (*status == CLI_DONE && !pn_cli_normalize(command, "--lock", m, q)) *status = CLI_FAILED;
    if (*status == CLI_DONE && !(out = pinion_model_reduce(m, locked, joints, q, &err))) {
        pn_cli_report(command, "%s", err.message);
        *status = CLI_FAILED;
    }
    free(named);
    free(joints);
    pinion_model_free(m);
    return out;
}

/* The part that --attach names: what floats in its file is fixed to the frame. */
static pinion_model *load_part(const cli_args *args)
{
    const char *path = args->value[OPT_ATTACH];
    cli_args own = *args;
    char *text = NULL;
    size_t size = 0;
    own.value[OPT_ROOT] = "fixed";
    pinion_model *part = pn_cli_load_text(&own, path, &text, &size);
    if (part && text) pn_cli_report_left_out(part, path, text, size);
    free(text);
    return part;
}

/* The model with the part fixed to it that --attach names; NULL after a message. The given one is gone. */
static pinion_model *attach(const cli_args *args, pinion_model *m, int *status)
{
    const char *at = args->value[OPT_AT];
    pinion_error err = {PINION_OK, 0, 0, ""};
    pinion_model *part = load_part(args), *out = NULL;
    const int frame = pinion_model_find_frame(m, at);
    *status = CLI_FAILED;
    if (part && frame < 0)
        pn_cli_report(args->command->name, "--at %s: the model has no such link or frame", at);
    else if (part)
        out = pinion_model_attach(m, frame, part, args->value[OPT_PREFIX], NULL, &err);
    if (part && frame >= 0 && !out) pn_cli_report(args->command->name, "%s", err.message);
    pinion_model_free(part);
    pinion_model_free(m);
    return out;
}

/* What of an SRDF file is not in the model. */
static void report_srdf(const pinion_model *m, const char *file)
{
    for (int i = 0; file && i < pinion_model_warning_count(m); i++)
        if (strncmp(pinion_model_warning(m, i), file, strlen(file)) == 0)
            pn_cli_report("convert", "%s", pinion_model_warning(m, i));
}

/* A free joint that --root put between the world and the root link is in no JSON or URDF: told, or with --strict an
 * error. */
static int check_root(const cli_args *args, const pinion_model *m, pinion_format format)
{
    pinion_joint_info j;
    pinion_link_info link;
    if (format != PINION_FORMAT_JSON && format != PINION_FORMAT_URDF) return CLI_DONE;
    for (int i = 0; pinion_model_joint(m, i, &j) == PINION_OK; i++) {
        if (j.parent >= 0 || j.type != PINION_JOINT_FREE) continue;
        if (pinion_model_link(m, j.child, &link) != PINION_OK) continue;
        const int strict = args->value[OPT_STRICT] != NULL;
        pn_cli_report(args->command->name,
                      "the free joint '%s' between the world and link '%s' %s left out%s; --root free puts it there "
                      "when the file is loaded",
                      j.name, link.name, strict ? "would be" : "is",
                      format == PINION_FORMAT_URDF ? ", since URDF cannot express it" : "");
        return strict ? CLI_FAILED : CLI_DONE;
    }
    return CLI_DONE;
}

static int run_command(const cli_args *args)
{
    cli_target target;
    int status = pn_cli_save_target(args, PINION_FORMAT_AUTO, &target);
    if (status != CLI_DONE) return status;
    if (!args->value[OPT_ATTACH] != !args->value[OPT_AT] || (args->value[OPT_PREFIX] && !args->value[OPT_ATTACH])) {
        pn_cli_report(args->command->name, "--attach and --at go together, and --prefix with them");
        return CLI_USAGE;
    }
    char *text = NULL;
    size_t size = 0;
    pinion_model *m = pn_cli_load_text(args, args->positional, &text, &size);
    if (!m) return CLI_FAILED;
    report_srdf(m, args->value[OPT_SRDF]);
    const int edited = args->value[OPT_LOCK] || args->value[OPT_ATTACH] || pn_cli_edits(args);
    if (edited && text) pn_cli_report_left_out(m, args->positional, text, size);
    if (args->value[OPT_LOCK]) m = lock(args, m, &status);
    if (m && args->value[OPT_ATTACH]) m = attach(args, m, &status);
    if (m && pn_cli_edits(args)) m = pn_cli_edit(args, m, &status);
    if (m) status = check_root(args, m, target.format);
    if (m && status == CLI_DONE) status = pn_cli_save(args, m, &target);
    if (!edited && status == CLI_DONE && text) pn_cli_report_left_out(m, args->positional, text, size);
    pinion_model_free(m);
    free(text);
    return status;
}

/* ------------------------------------------------------------------------------------------------ */

static const cli_option *const options[] = {
    SAVE_OPTIONS,
    OPTION(LOCK, .name = "lock", .kind = VALUE_TEXT, .value = "LIST",
           .help = "fix these joints, JOINT=VALUE,..., and with them those that follow them"),
    OPTION(ATTACH, .name = "attach", .kind = VALUE_FILE, .value = "MODEL",
           .help = "fix the root link of another model to the frame that --at names"),
    OPTION(AT, .name = "at", .kind = VALUE_TEXT, .value = "FRAME", .help = "a link or frame, for --attach"),
    OPTION(PREFIX, .name = "prefix", .kind = VALUE_TEXT, .value = "TEXT",
           .help = "comes before every name of what --attach attaches"),
    OPTION(SUBTREE, .name = "subtree", .kind = VALUE_TEXT, .value = "LINK",
           .help = "write this link, as the root, and all that hangs on it"),
    OPTION(ADD_FRAME, .name = "add-frame", .kind = VALUE_TEXT, .value = "NAME=LINK[:X,Y,Z[,R,P,Y]]", .repeats = 1,
           .help = "a named frame more on a link, at a place and turned by roll, pitch and yaw, m and rad; may be "
                   "given several times"),
    OPTION(RENAME, .name = "rename", .kind = VALUE_TEXT, .value = "OLD=NEW", .repeats = 1,
           .help = "call all that is called OLD NEW: links, joints, frames, ...; may be given several times"),
    OPTION(SCALE, .name = "scale", .kind = VALUE_TEXT, .value = "S[,K]",
           .help = "multiply lengths by S and masses by K, or by the third power of S; forces stay"),
    LOAD_OPTIONS,
    SHARED(HELP),
    NULL};

const cli_command pn_cli_command_convert = {
    .name = "convert",
    .summary = "a model from one format to the other",
    .run = run_command,
    .takes = TAKES_MODEL,
    .usage = "MODEL -o OUT.json|OUT.urdf|OUT.mjcf|OUT.sdf | --to json|urdf|mjcf|sdf [options]",
    .about = "Writes a model in the native JSON format, as URDF, MJCF or SDF. What the last three cannot express\n"
             "is left out and told, a line for each kind; with --strict it is an error where it would change\n"
             "the motion; so is the free joint of --root in JSON and URDF. Elements of a URDF file that a model\n"
             "has no place for (safety_controller, transmission, ...) are counted on stderr, a line for each\n"
             "kind; of MJCF and SDF the warnings are printed there. The file is written whole or not at all.\n"
             "--lock fixes joints where it says, --attach puts a part on the model, as a gripper on an arm.\n"
             "After these --subtree takes a part out, --add-frame adds frames, --rename changes names and\n"
             "--scale sizes, in this order.\n",
    .example = "pinion convert robot.urdf -o robot.json",
    .options = options,
};
