#define _POSIX_C_SOURCE 200809L
#include "cli/args/motion_args.h"

#include "cli/args/coordinate_list.h"
#include "cli/args/quantity.h"
#include "cli/print/print_text.h"

#include <stdlib.h>
#include <string.h>

#define BLEND 0.25 /* of a trapezoidal profile that says nothing else */
#define DURATION 1 /* s, of a motion that says nothing else */

int pn_cli_motion_given(const cli_args *args)
{
    return args->value[OPT_TRAJECTORY] || args->value[OPT_TO_Q] || args->value[OPT_LINE];
}

static int refuse(const cli_args *args, option_id option, const char *words)
{
    pn_cli_report(args->command->name, "--%s %s", pn_cli_option_name(args, option), words);
    return CLI_USAGE;
}

/* How the way is travelled. */
static pinion_profile profile_of(const cli_args *args)
{
    const char *name = args->value[OPT_PROFILE];
    return name ? (pinion_profile)pinion_profile_find(name) : PINION_PROFILE_CYCLOIDAL;
}

int pn_cli_motion_check(const cli_args *args, int needed)
{
    const char *const *value = args->value;
    if (needed && !pn_cli_motion_given(args) && !value[OPT_FROM]) {
        pn_cli_report(args->command->name, "the motion is missing: --trajectory FILE, --from LIST --to LIST, "
                                           "or --from LIST --line FRAME:X,Y,Z");
        return CLI_USAGE;
    }
    const option_id generated[] = {OPT_FROM, OPT_TO_Q, OPT_LINE, OPT_PROFILE, OPT_BLEND, OPT_FLOATING};
    for (int i = 0; i < 6; i++)
        if (value[OPT_TRAJECTORY] && value[generated[i]])
            return refuse(args, generated[i], "cannot go with --trajectory, which is the whole motion");
    if (value[OPT_TO_Q] && value[OPT_LINE]) return refuse(args, OPT_LINE, "cannot go with --to");
    for (int i = 0; i < 6; i++)
        if (!pn_cli_motion_given(args) && value[generated[i]])
            return refuse(args, generated[i], "needs where the motion goes: --to LIST or --line FRAME:X,Y,Z");

    if (value[OPT_FLOATING] && !value[OPT_LINE]) return refuse(args, OPT_FLOATING, "needs --line FRAME:X,Y,Z");

    /* numbers with a range */
    double x;
    if (value[OPT_BLEND] && profile_of(args) != PINION_PROFILE_TRAPEZOIDAL)
        return refuse(args, OPT_BLEND, "is of --profile trapezoidal");
    if (value[OPT_BLEND] && !(pn_cli_parse_number(value[OPT_BLEND], &x) && x > 0 && x <= 0.5))
        return refuse(args, OPT_BLEND, "must be above 0 and at most 0.5");
    if (value[OPT_DURATION] && !(pn_cli_parse_number(value[OPT_DURATION], &x) && x > 0))
        return refuse(args, OPT_DURATION, "must be above 0");
    return CLI_DONE;
}

/* ------------------------------------------------------------------------------------------------ */

/* Says what the library objected to. */
static int failed(const cli_args *args, const char *where, const pinion_error *err)
{
    pn_cli_report(args->command->name, "%s%s%s", where, *where ? ": " : "",
                  err->message[0] ? err->message : pinion_status_text(err->status));
    return CLI_FAILED;
}

/* A configuration from an option; where that says nothing, q stays. */
static int configuration(const cli_args *args, const pinion_model *m, option_id option, double *q)
{
    const char *command = args->command->name, *name = pn_cli_option_name(args, option);
    char where[40];
    int status = pn_cli_coordinates(command, name, m, "q", 0, args->value[option], q);
    if (status != CLI_DONE) return status;
    snprintf(where, sizeof where, "--%s", name);
    return pn_cli_normalize(command, where, m, q) ? CLI_DONE : CLI_USAGE;
}

/* "FRAME:X,Y,Z"; the frame's name may have colons, so it is read from its end. */
static int read_line(const cli_args *args, const pinion_model *m, int *frame, double way[3])
{
    const char *text = args->value[OPT_LINE], *command = args->command->name, *colon = strrchr(text, ':');
    if (!colon || colon == text || !pn_cli_parse_vector(colon + 1, way)) {
        pn_cli_report(command, "--line: expected FRAME:X,Y,Z, a frame and the way it goes in m, got '%s'",
                      text);
        return CLI_USAGE;
    }
    char *name = strdup(text);
    if (!name) {
        pn_cli_report(command, "out of memory");
        return CLI_FAILED;
    }
    name[colon - text] = '\0';
    *frame = pn_cli_find_frame(command, m, "--line", name);
    free(name);
    return *frame < 0 ? CLI_USAGE : CLI_DONE;
}

/* Through the samples of a file. */
static int load(const cli_args *args, const pinion_model *m, pinion_trajectory **motion)
{
    const char *path = args->value[OPT_TRAJECTORY];
    pinion_error err = {PINION_OK, 0, 0, ""};
    if (strcmp(path, "-") == 0 && args->positional && strcmp(args->positional, "-") == 0)
        return refuse(args, OPT_TRAJECTORY, "and the model cannot both be read from standard input");
    *motion = pinion_trajectory_load(m, strcmp(path, "-") == 0 ? "/dev/stdin" : path, &err);
    if (!*motion) return failed(args, "", &err);

    /* velocities and accelerations that nobody gave are worth a word */
    const char *text = pinion_trajectory_text(*motion);
    if (strstr(text, "by cubic") || strstr(text, "spline"))
        pn_cli_report(args->command->name, "%s: %s", path, text);
    return CLI_DONE;
}

/* Along a line, the base held or floating. */
static pinion_trajectory *straight(const cli_args *args, const pinion_model *m, const double *q, int frame,
                                   const double way[3], double duration, double blend, pinion_error *err)
{
    if (!args->value[OPT_FLOATING])
        return pinion_trajectory_line(m, q, frame, way, duration, profile_of(args), blend, NULL, err);
    pinion_pose target = pinion_pose_identity();
    pinion_work *w = pinion_work_new(m);
    err->status = w ? pinion_frame_pose(m, w, q, frame, target.position, target.rotation) : PINION_ERR_MEMORY;
    pinion_work_free(w);
    for (int i = 0; i < 3; i++) target.position[i] += way[i];
    if (err->status != PINION_OK) return NULL;
    return pinion_trajectory_floating(m, q, frame, &target, duration, profile_of(args), blend, NULL, err);
}

/* From one configuration to another or along a line; q [2][nq] is scratch. */
static int generate(const cli_args *args, const pinion_model *m, const double *start, double *q,
                    pinion_trajectory **motion)
{
    const char *const *value = args->value;
    double *end = q + pinion_model_nq(m), duration = DURATION, blend = BLEND, way[3];
    int frame = 0, status = CLI_DONE;
    pinion_error err = {PINION_OK, 0, 0, ""};
    if (value[OPT_DURATION]) pn_cli_parse_number(value[OPT_DURATION], &duration); /* checked before */
    if (value[OPT_BLEND]) pn_cli_parse_number(value[OPT_BLEND], &blend);

    if (!value[OPT_FROM] && !start)
        return refuse(args, value[OPT_LINE] ? OPT_LINE : OPT_TO_Q,
                      "needs where the motion starts: --from LIST");
    if (start)
        memcpy(q, start, (size_t)pinion_model_nq(m) * sizeof *q);
    else if (pinion_initial(m, q, NULL) != PINION_OK)
        return CLI_FAILED;
    if (value[OPT_FROM]) status = configuration(args, m, OPT_FROM, q);
    /* a joint that --to does not name stays where it is */
    memcpy(end, q, (size_t)pinion_model_nq(m) * sizeof *q);
    if (status == CLI_DONE)
        status = value[OPT_TO_Q] ? configuration(args, m, OPT_TO_Q, end) : read_line(args, m, &frame, way);
    if (status != CLI_DONE) return status;

    *motion = value[OPT_TO_Q]
                  ? pinion_trajectory_between(m, q, end, duration, profile_of(args), blend, &err)
                  : straight(args, m, q, frame, way, duration, blend, &err);
    return *motion ? CLI_DONE : failed(args, value[OPT_TO_Q] ? "" : "--line", &err);
}

int pn_cli_motion(const cli_args *args, const pinion_model *m, const double *start,
                  pinion_trajectory **motion)
{
    *motion = NULL;
    int status = pn_cli_motion_check(args, 1);
    if (status != CLI_DONE) return status;
    if (args->value[OPT_TRAJECTORY]) return load(args, m, motion);
    double *q = calloc(2 * (size_t)pinion_model_nq(m) + 1, sizeof *q);
    if (!q) {
        pn_cli_report(args->command->name, "out of memory");
        return CLI_FAILED;
    }
    status = generate(args, m, start, q, motion);
    free(q);
    return status;
}
