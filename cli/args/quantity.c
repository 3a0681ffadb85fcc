#include "cli/args/quantity.h"

#include "cli/args/near.h"
#include "cli/args/options.h"
#include "cli/args/algorithm_args.h"
#include "cli/print/print_text.h"

#include <stdlib.h>
#include <string.h>

const quantity_def pn_cli_quantities[Q_COUNT] = {
    [Q_INVERSE_DYNAMICS] = {"inverse_dynamics", 0, 0, "joint forces tau(q, v, a, f_ext), nv numbers"},
    [Q_GRAVITY] = {"gravity", 0, 0, "tau(q, 0, 0), nv numbers"},
    [Q_BIAS] = {"bias", 0, 0, "Coriolis, centrifugal and gravity forces tau(q, v, 0), nv numbers"},
    [Q_VELOCITY] = {"velocity", 1, 0, "a frame's velocity [angular; linear] at its origin, world axes"},
    [Q_ACCELERATION] = {"acceleration", 1, 0, "the same for the acceleration (of the frame's origin)"},
    [Q_MASS_MATRIX] = {"mass_matrix", 0, 0, "M(q), nv x nv"},
    [Q_MASS_MATRIX_INVERSE] = {"mass_matrix_inverse", 0, 0, "the inverse of M(q), nv x nv"},
    [Q_CORIOLIS] = {"coriolis", 0, 0, "C(q, v) with C v = bias - gravity, nv x nv"},
    [Q_FORWARD_DYNAMICS] = {"forward_dynamics", 0, 0, "accelerations a(q, v, tau, f_ext), nv numbers"},
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
    [Q_FRAMES] = {"frames", 0, 0, "position and rotation in the world of every link and frame"},
    [Q_JACOBIAN] = {"jacobian", 1, 0, "a frame's Jacobian, 6 x nv, at its origin, world axes"},
    [Q_ENERGY] = {"energy", 0, 0, "kinetic and potential energy"},
    [Q_COM] = {"com", 0, 0, "mass, centre of mass and its velocity"},
    [Q_MOMENTUM] = {"momentum", 0, 0, "[angular; linear] about the centre of mass, world axes"},
    [Q_D_INVERSE_DYNAMICS] = {"d_inverse_dynamics", 0, 1, "derivatives by q, v and a"},
    [Q_D_FORWARD_DYNAMICS] = {"d_forward_dynamics", 0, 1, "derivatives by q, v and tau"},
    [Q_REGRESSOR] = {"regressor", 0, 1, "nv x 10 parameters per body"},
};

int pn_cli_quantity_problem(quantity_id id)
{
    const char *name = pn_cli_quantities[id].name;
    return pn_cli_find_problem(name, strlen(name));
}

int pn_cli_quantity_available(quantity_id id)
{
    int problem = pn_cli_quantity_problem(id);
    return !pn_cli_quantities[id].later && (problem < 0 || pn_cli_first_algorithm(problem, NULL, NULL) >= 0);
}

/* A table of quantities. */
typedef struct quantity_table {
    const quantity_def *def;
    int count;
} quantity_table;

/* Its place in the table; the table's count if it is not there. */
static int find_quantity(const quantity_table *t, const char *name, size_t length)
{
    int id = 0;
    while (id < t->count && (strlen(t->def[id].name) != length || memcmp(t->def[id].name, name, length) != 0)) id++;
    return id;
}

/* Whether it can be asked for: all can, of other tables than the one above. */
static int is_available(const quantity_table *t, int id)
{
    return t->def == pn_cli_quantities ? pn_cli_quantity_available((quantity_id)id) : !t->def[id].later;
}

static int refuse_unknown(const char *command, const quantity_table *t, const char *name, size_t length)
{
    /* all the names there are, and the near one first */
    char names[1000] = "", wanted[64], near[400];
    snprintf(wanted, sizeof wanted, "%.*s", (int)(length < 63 ? length : 63), name);
    cli_near found = pn_cli_near(wanted);
    for (int i = 0; i < t->count; i++) {
        const quantity_def *d = &t->def[i];
        if (!is_available(t, i)) continue;
        size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%s%s", used ? ", " : "", d->name,
                 d->takes_frame ? ":FRAME" : "");
        pn_cli_near_offer(&found, d->name);
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
    int id = find_quantity(t, key, length), status = CLI_DONE;

    /* what can be wrong with it */
    if (length == 0 && !frame) {
        pn_cli_report(command, "--what: an entry of the list is empty");
        status = CLI_USAGE;
    } else if (id == t->count) {
        status = refuse_unknown(command, t, key, length);
    } else if (!is_available(t, id)) {
        pn_cli_report(command, "--what: %.*s is not available yet", (int)length, key);
        status = CLI_USAGE;
    } else if (t->def[id].takes_frame && (!frame || !*frame)) {
        pn_cli_report(command, "--what: %.*s needs a link or frame: %.*s:FRAME", (int)length, key,
                      (int)length, key);
        status = CLI_USAGE;
    } else if (!t->def[id].takes_frame && frame) {
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
    quantity entry = {id, key, frame, -1};
    what->entry[what->count++] = entry;
    return CLI_DONE;
}

int pn_cli_what_parse(const char *command, const char *text, quantity_list *what)
{
    return pn_cli_what_parse_table(command, text, pn_cli_quantities, Q_COUNT, what);
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
        if (!entry->frame) continue;
        char where[100];
        snprintf(where, sizeof where, "--what %.*s", (int)strcspn(entry->key, ":"), entry->key);
        entry->frame_index = pn_cli_find_frame(command, m, where, entry->frame);
        if (entry->frame_index < 0) return CLI_FAILED;
    }
    return CLI_DONE;
}
