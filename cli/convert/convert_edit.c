/* pinion convert: changes of a whole model on its way from one file to another. */
#include "cli/convert/convert_edit.h"

#include "cli/print/print_text.h"
#include "io/rotation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Puts the model that was made in place of the other; NULL after a message. */
static pinion_model *take(const cli_args *args, pinion_model *m, pinion_model *made, const char *option,
                          const pinion_error *err)
{
    if (!made) pn_cli_report(args->command->name, "%s: %s", option, err->message);
    pinion_model_free(m);
    return made;
}

static pinion_model *take_subtree(const cli_args *args, pinion_model *m, const char *link)
{
    pinion_error err = {PINION_OK, 0, 0, ""};
    const int index = pinion_model_find_link(m, link);
    if (index < 0) {
        pn_cli_report(args->command->name, "--subtree %s: the model has no such link", link);
        pinion_model_free(m);
        return NULL;
    }
    pinion_model *part = pinion_model_subtree(m, index, &err);
    if (part) {
        const int loops = pinion_model_loop_count(m) - pinion_model_loop_count(part),
                  tendons = pinion_model_tendon_count(m) - pinion_model_tendon_count(part);
        if (loops + tendons)
            pn_cli_report(args->command->name,
                          "--subtree %s: %d of %d loops and %d of %d tendons are left out, with what they are tied to",
                          link, loops, pinion_model_loop_count(m), tendons, pinion_model_tendon_count(m));
    }
    return take(args, m, part, "--subtree", &err);
}

/* "NAME=LINK", "NAME=LINK:X,Y,Z" or with ",ROLL,PITCH,YAW" behind it: 0 where it is none of these. A link's name may
 * have colons, as those of SDF do: behind the last one are numbers only where it looks so. */
static int parse_frame(char *text, pinion_frame_def *def)
{
    double x[6] = {0};
    char *equals = strchr(text, '='), *colon = equals ? strrchr(equals, ':') : NULL;
    int count = 0;
    if (!equals || equals == text || !equals[1]) return 0;
    *equals = '\0';
    def->name = text;
    def->link = equals + 1;
    if (!colon || !colon[1] || colon[1 + strspn(colon + 1, "0123456789+-.eE,")]) return 1;
    *colon = '\0';
    for (char *s = colon + 1; s;) {
        char *comma = strchr(s, ',');
        if (comma) *comma = '\0';
        if (count == 6 || !pn_cli_parse_number(s, &x[count++])) return 0;
        s = comma ? comma + 1 : NULL;
    }
    memcpy(def->pose.position, x, sizeof def->pose.position);
    pn_rotation_of_rpy(x + 3, def->pose.rotation);
    return count == 3 || count == 6;
}

static pinion_model *add_frame(const cli_args *args, pinion_model *m, const char *value, int *status)
{
    pinion_error err = {PINION_OK, 0, 0, ""};
    pinion_frame_def def = pinion_frame_def_default();
    const size_t size = strlen(value) + 1;
    char *text = malloc(size);
    if (text) memcpy(text, value, size);
    if (text && parse_frame(text, &def)) {
        m = take(args, m, pinion_model_add_frame(m, &def, &err), "--add-frame", &err);
    } else {
        pn_cli_report(args->command->name,
                      "--add-frame %s: expected NAME=LINK, NAME=LINK:X,Y,Z or NAME=LINK:X,Y,Z,ROLL,PITCH,YAW", value);
        *status = CLI_USAGE;
        pinion_model_free(m);
        m = NULL;
    }
    free(text);
    return m;
}

static pinion_model *change_name(const cli_args *args, pinion_model *m, const char *value, int *status)
{
    pinion_error err = {PINION_OK, 0, 0, ""};
    const char *equals = strchr(value, '=');
    char *from = equals && equals != value && equals[1] ? malloc((size_t)(equals - value) + 1) : NULL;
    if (!from) {
        pn_cli_report(args->command->name, "--rename %s: expected OLD=NEW", value);
        *status = CLI_USAGE;
        pinion_model_free(m);
        return NULL;
    }
    memcpy(from, value, (size_t)(equals - value));
    from[equals - value] = '\0';
    m = take(args, m, pinion_model_rename(m, from, equals + 1, &err), "--rename", &err);
    free(from);
    return m;
}

/* "S", or "S,K" where masses are to have another factor than S^3. */
static pinion_model *change_size(const cli_args *args, pinion_model *m, const char *value, int *status)
{
    pinion_error err = {PINION_OK, 0, 0, ""};
    const char *comma = strchr(value, ',');
    char first[64];
    double length = 0, mass = 0;
    snprintf(first, sizeof first, "%.*s", comma ? (int)(comma - value < 60 ? comma - value : 60) : 60, value);
    const int ok = pn_cli_parse_number(first, &length) && (!comma || pn_cli_parse_number(comma + 1, &mass));
    if (!comma) mass = length * length * length;
    if (!ok || !(length > 0 && mass > 0)) {
        pn_cli_report(args->command->name,
                      "--scale %s: expected a factor of lengths above 0, or with one of masses, S,K", value);
        *status = CLI_USAGE;
        pinion_model_free(m);
        return NULL;
    }
    return take(args, m, pinion_model_scale(m, length, mass, &err), "--scale", &err);
}

int pn_cli_edits(const cli_args *args)
{
    return args->value[OPT_SUBTREE] || args->value[OPT_ADD_FRAME] || args->value[OPT_RENAME] || args->value[OPT_SCALE];
}

pinion_model *pn_cli_edit(const cli_args *args, pinion_model *m, int *status)
{
    *status = CLI_FAILED;
    if (m && args->value[OPT_SUBTREE]) m = take_subtree(args, m, args->value[OPT_SUBTREE]);
    for (int i = 0; m && i < args->repeated_count; i++)
        if (args->repeated[i].option == OPT_ADD_FRAME) m = add_frame(args, m, args->repeated[i].value, status);
    for (int i = 0; m && i < args->repeated_count; i++)
        if (args->repeated[i].option == OPT_RENAME) m = change_name(args, m, args->repeated[i].value, status);
    if (m && args->value[OPT_SCALE]) m = change_size(args, m, args->value[OPT_SCALE], status);
    if (m) *status = CLI_DONE;
    return m;
}
