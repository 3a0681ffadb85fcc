#include "cli/args/quantity.h"

#include "cli/args/near.h"
#include "cli/args/options.h"
#include "cli/args/algorithm_args.h"
#include "cli/print/print_text.h"

#include <stdlib.h>
#include <string.h>

static const quantity_def own[Q_OWN_COUNT] = {
    [Q_OPERATIONAL_SPACE] =
        {"operational_space", 1, 0,
         "of a frame, world axes at its origin, with its Jacobian J: inverse = J M^-1 J', "
         "lambda (its inverse), mu, p, and jbar = M^-1 J' lambda"},
    [Q_CONSTRAINED_DYNAMICS] =
        {"constrained_dynamics", 1, 0,
         "acceleration(q, v, tau, f_ext) where the state's constraints hold a frame: A acc = b for its "
         "acceleration acc in its own axes; and lambda: A' lambda is the force that keeps them"},
    [Q_FACTORIZATION] =
        {"factorization", 0, 0,
         "L and D of M = L' D L, L of M = L' L, or M^-1, as --algorithm says, with solve = M^-1 tau and "
         "multiply = M a"},
    [Q_DISTANCE] = {"distance", 2, 0,
                    "between two collisions, links with collisions, or the ground (the plane z = 0): gap, normal from "
                    "the first to the second, their nearest points in the world, and the derivatives of all along v"},
    [Q_CONSTRAINTS] = {"constraints", 0, 0,
                       "of closed loops at time t: phi(q, t), L, rate = L v - gdot, and c with L a = c"},
    [Q_CONSTRAINT_FORCES] = {"constraint_forces", 0, 0,
                             "lambda of forward dynamics with closed loops, of least norm, with the rank of L, the "
                             "residual of L a = c, and the force through every loop"},
    [Q_DELASSUS] = {"delassus", 0, 0, "L M^-1 L' of closed loops"},
    [Q_LOOP_INVERSE_DYNAMICS] = {"loop_inverse_dynamics", 0, 0,
                                 "tau of the actuated joints, of least norm, and lambda for a motion that keeps the "
                                 "loops"},
    [Q_MOBILITY] = {"mobility", 0, 0,
                    "constraints, their rank, and the degrees of freedom left by counting and by rank"},
    [Q_PASSIVE_FORCES] = {"passive_forces", 0, 0,
                          "what springs, dampers and friction of joints and loops, and gravity compensation, exert on "
                          "the joints, nv numbers each"},
    [Q_D2_INVERSE_DYNAMICS] = {"d2_inverse_dynamics", 0, 1, "second derivatives"},
};

static quantity_def definition(int id)
{
    pinion_quantity_info info;
    if (id < Q_OWN_COUNT) return own[id];
    if (pinion_quantity(id - Q_LIBRARY, &info) != PINION_OK) return (quantity_def){NULL, 0, 0, NULL};
    return (quantity_def){info.name, info.takes_frame, 0, info.help};
}

int pn_cli_quantity_at(int place, int *id, quantity_def *def)
{
    pinion_quantity_info info;
    for (int i = 0; pinion_quantity(i, &info) == PINION_OK; i++) {
        if (!info.in_eval || place-- > 0) continue;
        *id = Q_LIBRARY + i;
        *def = definition(*id);
        return 1;
    }
    if (place >= Q_OWN_COUNT) return 0;
    *id = place;
    *def = own[place];
    return 1;
}

int pn_cli_quantity_problem(int id)
{
    const char *name = definition(id).name;
    return name ? pn_cli_find_problem(name, strlen(name)) : -1;
}

/* A table of quantities; without one, all that `eval` has. */
typedef struct quantity_table {
    const quantity_def *def;
    int count;
} quantity_table;

static int at_place(const quantity_table *t, int place, int *id, quantity_def *def)
{
    if (!t->def) return pn_cli_quantity_at(place, id, def);
    if (place >= t->count) return 0;
    *id = place;
    *def = t->def[place];
    return 1;
}

/* 0 when it is not in the table. */
static int find_quantity(const quantity_table *t, const char *name, size_t length, int *id, quantity_def *def)
{
    for (int i = 0; at_place(t, i, id, def); i++)
        if (strlen(def->name) == length && memcmp(def->name, name, length) == 0) return 1;
    return 0;
}

static int refuse_unknown(const char *command, const quantity_table *t, const char *name, size_t length)
{
    /* all the names there are, and the near one first */
    char names[1000] = "", wanted[64], near[400];
    snprintf(wanted, sizeof wanted, "%.*s", (int)(length < 63 ? length : 63), name);
    cli_near found = pn_cli_near(wanted);
    int id;
    quantity_def d;
    for (int i = 0; at_place(t, i, &id, &d); i++) {
        if (d.later) continue;
        size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%s%s", used ? ", " : "", d.name,
                 d.takes_frame == 2 ? ":A/B" : d.takes_frame ? ":FRAME" : "");
        pn_cli_near_offer(&found, d.name);
    }
    pn_cli_report(command, "--what: unknown quantity '%.*s'%s; the names are %s", (int)length, name,
                  pn_cli_near_text(&found, near, sizeof near), names);
    return CLI_USAGE;
}

/* Makes sense of one entry, which has its escapes already removed. Takes over `key`. */
static int add_entry(const char *command, const quantity_table *t, quantity_list *what, char *key)
{
    size_t length = strcspn(key, ":");
    const char *frame = key[length] ? key + length + 1 : NULL;
    int id = -1, status = CLI_DONE;
    quantity_def def = {NULL, 0, 0, NULL};
    const int known_name = find_quantity(t, key, length, &id, &def);

    /* what can be wrong with it */
    if (length == 0 && !frame) {
        pn_cli_report(command, "--what: an entry of the list is empty");
        status = CLI_USAGE;
    } else if (!known_name) {
        status = refuse_unknown(command, t, key, length);
    } else if (def.later) {
        pn_cli_report(command, "--what: %.*s is not available yet", (int)length, key);
        status = CLI_USAGE;
    } else if (def.takes_frame && (!frame || !*frame)) {
        pn_cli_report(command, "--what: %.*s needs %s: %.*s:%s", (int)length, key,
                      def.takes_frame == 2 ? "two collisions" : "a link or frame", (int)length, key,
                      def.takes_frame == 2 ? "A/B" : "FRAME");
        status = CLI_USAGE;
    } else if (!def.takes_frame && frame) {
        pn_cli_report(command, "--what: %.*s takes no frame, got '%s'", (int)length, key, key);
        status = CLI_USAGE;
    }

    /* an answer has each key once */
    int known = 0;
    for (int i = 0; i < what->count; i++) known |= strcmp(what->entry[i].key, key) == 0;
    if (status != CLI_DONE || known) {
        free(key);
        return status;
    }
    quantity entry = {id, key, frame, -1, def.takes_frame == 2};
    what->entry[what->count++] = entry;
    return CLI_DONE;
}

int pn_cli_what_parse(const char *command, const char *text, quantity_list *what)
{
    return pn_cli_what_parse_table(command, text, NULL, 0, what);
}

int pn_cli_what_parse_table(const char *command, const char *text, const quantity_def *table, int count,
                            quantity_list *what)
{
    const quantity_table known = {table, count};
    /* there are at most as many entries as commas, and one more */
    size_t most = 1;
    for (const char *c = text; *c; c++) most += *c == ',';
    what->count = 0;
    what->entry = calloc(most, sizeof *what->entry);
    int status = what->entry ? CLI_DONE : CLI_FAILED;

    for (int more = 1; status == CLI_DONE && more;) {
        text += strspn(text, " ");
        char *key = malloc(strlen(text) + 1), *end = key;
        if (!key) {
            status = CLI_FAILED;
            break;
        }
        for (; *text && *text != ','; text++) {
            if (*text == '\\' && (text[1] == ',' || text[1] == '\\')) text++;
            *end++ = *text;
        }
        *end = '\0';
        more = *text == ',';
        text += more;
        status = add_entry(command, &known, what, key);
    }

    if (status == CLI_FAILED) pn_cli_report(command, "out of memory");
    if (status != CLI_DONE) pn_cli_what_free(what);
    return status;
}

void pn_cli_what_free(quantity_list *what)
{
    for (int i = 0; i < what->count; i++) free(what->entry[i].key);
    free(what->entry);
    what->entry = NULL;
    what->count = 0;
}

int pn_cli_what_has(const quantity_list *what, int id)
{
    for (int i = 0; i < what->count; i++)
        if (what->entry[i].id == id) return 1;
    return 0;
}

int pn_cli_find_frame(const char *command, const pinion_model *m, const char *where, const char *name)
{
    int index = pinion_model_find_frame(m, name);
    if (index >= 0) return index;

    char near[400];
    cli_near found = pn_cli_near(name);
    for (int i = 0; i < pinion_model_frame_count(m); i++) {
        pinion_frame_info frame;
        if (pinion_model_frame(m, i, &frame) == PINION_OK) pn_cli_near_offer(&found, frame.name);
    }
    pn_cli_report(command, "%s: no link or frame is named '%s'%s", where, name,
                  pn_cli_near_text(&found, near, sizeof near));
    return -1;
}

int pn_cli_what_resolve(const char *command, const pinion_model *m, quantity_list *what)
{
    for (int i = 0; i < what->count; i++) {
        quantity *entry = &what->entry[i];
        if (!entry->frame || entry->is_pair) continue;
        char where[100];
        snprintf(where, sizeof where, "--what %.*s", (int)strcspn(entry->key, ":"), entry->key);
        entry->frame_index = pn_cli_find_frame(command, m, where, entry->frame);
        if (entry->frame_index < 0) return CLI_FAILED;
    }
    return CLI_DONE;
}
