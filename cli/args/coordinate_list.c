#define _POSIX_C_SOURCE 200809L
#include "cli/args/coordinate_list.h"

#include "cli/args/near.h"
#include "cli/args/options.h"
#include "pinion/sim/result.h"
#include "cli/print/print_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FAR 1e-2      /* a quaternion that is so far from unit length is a mistake */
#define NEAR_ONE 1e-9 /* and one this near was printed with fewer digits than it has */

/* What messages need to know about a list. */
typedef struct list {
    const char *command, *option, *what;
    const pinion_model *m;
    int count; /* coordinates */
    int loops; /* nonzero: names of loop joints are meant, too; they come after the others */
} list;

/* ------------------------------------------------------------------------------------------------ */
/* Names */

/* The name of the velocity of a loop joint: the joint's own where it has one, else JOINT.NUMBER. "" out of
 * range. */
static void loop_name(const pinion_model *m, int index, char *name, size_t size)
{
    *name = '\0';
    for (int i = 0; i < pinion_model_loop_count(m); i++) {
        pinion_loop_info loop;
        if (pinion_model_loop(m, i, &loop) != PINION_OK || index < loop.v_index ||
            index >= loop.v_index + loop.nv)
            continue;
        if (loop.nv == 1)
            snprintf(name, size, "%s", loop.name);
        else
            snprintf(name, size, "%s.%d", loop.name, index - loop.v_index);
    }
}

/* The coordinate of that name; -1: there is none. */
static int find(const list *l, const char *name)
{
    char own[400];
    const int more = l->loops ? pinion_model_loop_nv(l->m) : 0;
    const size_t prefix = strlen(l->what) + 1;
    for (int i = 0; i < l->count; i++) {
        pinion_coordinate_name(l->m, l->what, i, own, sizeof own);
        if (strcmp(own, name) == 0 || strcmp(own + prefix, name) == 0) return i;
    }
    for (int i = 0; i < more; i++) {
        loop_name(l->m, i, own, sizeof own);
        if (strcmp(own, name) == 0) return l->count + i;
    }
    return -1;
}

/* Sets the coordinates of all joints that a name, a group or a pattern means, but for those that were given by their
 * own names; how many there are, -1 out of memory. */
static int spread(const list *l, const char *pattern, double value, const char *given, double *x)
{
    unsigned char *found = calloc((size_t)l->count + 1, 1);
    if (!found) return -1;
    const int many = pinion_find_coordinates(l->m, l->what, pattern, found);
    for (int i = 0; i < l->count; i++)
        if (found[i] && !given[i]) x[i] = value;
    free(found);
    return many;
}

/* Says that nothing has that name. */
static int not_found(const list *l, const char *name)
{
    char own[400], near[400];
    const int more = l->loops ? pinion_model_loop_nv(l->m) : 0;
    const size_t prefix = strlen(l->what) + 1;

    /* the nearest, of which each needs memory of its own */
    char *store = malloc((size_t)(l->count + more ? l->count + more : 1) * sizeof own);
    cli_near found = pn_cli_near(name);
    for (int i = 0; i < more && store; i++) {
        char *slot = store + (size_t)(l->count + i) * sizeof own;
        loop_name(l->m, i, slot, sizeof own);
        pn_cli_near_offer(&found, slot);
    }
    for (int i = 0; i < l->count && store; i++) {
        char *slot = store + (size_t)i * sizeof own;
        pinion_coordinate_name(l->m, l->what, i, slot, sizeof own);
        pn_cli_near_offer(&found, slot + prefix);
    }
    pn_cli_report(l->command, "--%s: no %s is named '%s'%s", l->option,
                  strcmp(l->what, "actuator") == 0 ? "actuator" : "coordinate", name,
                  pn_cli_near_text(&found, near, sizeof near));
    free(store);
    return CLI_USAGE;
}

/* ------------------------------------------------------------------------------------------------ */
/* The list */

/* Takes the next entry off the text: what is before a comma that has no backslash before it, ended by '\0'.
 */
static char *next_entry(char **text)
{
    char *entry = *text, *at = entry;
    while (*at && *at != ',') at += *at == '\\' && at[1] ? 2 : 1;
    *text = *at ? at + 1 : NULL;
    *at = '\0';
    return entry;
}

/* Where the name of an entry ends: at an equals sign without a backslash; NULL if there is none. */
static char *name_end(char *entry)
{
    while (*entry && *entry != '=') entry += *entry == '\\' && entry[1] ? 2 : 1;
    return *entry ? entry : NULL;
}

static void unescape(char *text)
{
    char *to = text;
    for (; *text; text++) {
        if (*text == '\\' && text[1]) text++;
        *to++ = *text;
    }
    *to = '\0';
}

static int read_number(const list *l, const char *text, double *x)
{
    if (pn_cli_parse_number(text, x)) return CLI_DONE;
    pn_cli_report(l->command, "--%s: expected a number, got '%s'", l->option, text);
    return CLI_USAGE;
}

/* NAME=VALUE pairs; given [count], zero at first, remembers which there were, and `names` of groups and patterns. */
static int read_pairs(const list *l, char *text, double *x, char *given, char **names)
{
    int spreads = 0;
    while (text) {
        char *entry = next_entry(&text), *end = name_end(entry);
        if (!end) {
            pn_cli_report(l->command, "--%s: expected JOINT=VALUE, got '%s'", l->option, entry);
            return CLI_USAGE;
        }
        *end = '\0';
        unescape(entry);
        const int index = find(l, entry);
        double value;
        int twice = index >= 0 && given[index]++;
        for (int i = 0; i < spreads && index < 0; i++) twice = twice || strcmp(names[i], entry) == 0;
        if (twice) {
            pn_cli_report(l->command, "--%s: '%s' is given twice", l->option, entry);
            return CLI_USAGE;
        }
        int status = read_number(l, end + 1, &value);
        if (status != CLI_DONE) return status;
        const int many = index < 0 ? spread(l, entry, value, given, x) : 1;
        if (many < 0) {
            pn_cli_report(l->command, "out of memory");
            return CLI_FAILED;
        }
        if (many == 0) return not_found(l, entry);
        if (index >= 0)
            x[index] = value;
        else
            names[spreads++] = entry;
    }
    return CLI_DONE;
}

/* Numbers alone. */
static int read_numbers(const list *l, char *text, int one, double *x)
{
    int given = 0;
    double number = 0;
    while (text) {
        int status = read_number(l, next_entry(&text), &number);
        if (status != CLI_DONE) return status;
        if (given < l->count) x[given] = number;
        given++;
    }
    if (one && given == 1) {
        for (int i = 0; i < l->count; i++) x[i] = number;
        return CLI_DONE;
    }
    if (given == l->count) return CLI_DONE;
    pn_cli_report(l->command, "--%s: expected %s%d number%s, or JOINT=VALUE,..., got %d", l->option,
                  one ? "1 or " : "", l->count, pn_cli_plural(l->count), given);
    return CLI_USAGE;
}

/* The list in `text`, pairs or numbers alone. */
static int read_list(const list *l, int one, const char *text, double *x)
{
    const size_t size = strlen(text) + 1,
                 count = (size_t)(l->count + (l->loops ? pinion_model_loop_nv(l->m) : 0));
    char *copy = malloc(size), *given = calloc(count + 1, 1), **names = malloc(size * sizeof *names);
    if (!copy || !given || !names) {
        free(copy);
        free(given);
        free(names);
        pn_cli_report(l->command, "out of memory");
        return CLI_FAILED;
    }
    memcpy(copy, text, size);
    int status = name_end(copy) ? read_pairs(l, copy, x, given, names) : read_numbers(l, copy, one, x);
    free(copy);
    free(given);
    free(names);
    return status;
}

int pn_cli_coordinates(const char *command, const char *option, const pinion_model *m, const char *what,
                       int one, const char *text, double *x)
{
    const int count = strcmp(what, "q") == 0          ? pinion_model_nq(m)
                      : strcmp(what, "actuator") == 0 ? pinion_model_actuator_count(m)
                                                      : pinion_model_nv(m);
    const list l = {command, option, what, m, count, 0};
    const int state = pinion_model_find_state(m, text), q = strcmp(what, "q") == 0;
    if (state >= 0 && (q || strcmp(what, "v") == 0) && !one)
        return pinion_model_state(m, state, q ? x : NULL, q ? NULL : x) == PINION_OK ? CLI_DONE : CLI_FAILED;
    return read_list(&l, one, text, x);
}

int pn_cli_start_coordinates(const char *command, const char *option, const pinion_model *m, const char *what,
                             const char *text, double *x, unsigned char *named)
{
    const int count = strcmp(what, "q") == 0 ? pinion_model_nq(m) : pinion_model_nv(m);
    const int pairs = strchr(text, '=') && pinion_model_find_state(m, text) < 0;
    double *given = malloc(((size_t)count + 1) * sizeof *given);
    if (!given) {
        pn_cli_report(command, "out of memory");
        return CLI_FAILED;
    }
    for (int i = 0; i < count; i++) given[i] = NAN;
    const int status = pn_cli_coordinates(command, option, m, what, 0, text, given);
    for (int i = 0; i < count && status == CLI_DONE; i++) {
        if (isnan(given[i])) continue;
        x[i] = given[i];
        named[i] = (unsigned char)pairs;
    }
    free(given);
    return status;
}

int pn_cli_torques(const char *command, const char *option, const pinion_model *m, const char *text,
                   double *x)
{
    const list l = {command, option, "tau", m, pinion_model_nv(m), 1};
    return read_list(&l, 0, text, x);
}

int pn_cli_normalize(const char *command, const char *where, const pinion_model *m, double *q)
{
    for (int i = 0; i < pinion_model_joint_count(m); i++) {
        pinion_joint_info joint;
        if (pinion_model_joint(m, i, &joint) != PINION_OK || joint.nq < 4) continue;
        double *x = q + joint.q_index, length = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + x[3] * x[3]);
        if (!(fabs(length - 1) <= FAR)) {
            pn_cli_report(command, "%s: the quaternion of joint '%s' has length %g; expected 1", where,
                          joint.name, length);
            return 0;
        }
        if (fabs(length - 1) > NEAR_ONE)
            pn_cli_report(command,
                          "%s: warning: the quaternion of joint '%s' has length %.12g and is normalized",
                          where, joint.name, length);
    }
    return pinion_normalize(m, q) == PINION_OK;
}
