/* pinion operators: the global matrices of the papers at given states. */
#include "cli/info/info.h"
#include "cli/print/json_out.h"
#include "cli/args/limits_check.h"
#include "cli/args/load_option.h"
#include "cli/args/near.h"
#include "cli/args/states.h"
#include "cli/print/print_text.h"
#include "pinion/research/operators.h"

#include <stdlib.h>
#include <string.h>

/* The options of this command alone. */
enum { OPT_WHAT = OPT_OWN, OPT_SPARSE };

typedef struct printout {
    const char *command;
    int wanted[PINION_OPERATOR_COUNT]; /* in the order of the command line */
    int count;
    int sparse;
    pinion_model *m;
    pinion_work *w;
    states_file file;
    state_store store;
    state s;
    double *out;
    cli_limits limits;
} printout;

/* ------------------------------------------------------------------------------------------------ */
/* The command line */

static int refuse_name(const printout *p, const char *name, size_t length)
{
    char wanted[64], near[400], names[400] = "";
    snprintf(wanted, sizeof wanted, "%.*s", (int)(length < 63 ? length : 63), name);
    cli_near found = pn_cli_near(wanted);
    for (int i = 0; i < PINION_OPERATOR_COUNT; i++) {
        size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "",
                 pinion_operator_name((pinion_operator)i));
        pn_cli_near_offer(&found, pinion_operator_name((pinion_operator)i));
    }
    pn_cli_report(p->command, "--what: unknown matrix '%.*s'%s; the names are %s", (int)length, name,
                  pn_cli_near_text(&found, near, sizeof near), names);
    return CLI_USAGE;
}

/* Reads names separated by commas. Without any: those that define the rest. */
static int parse_names(printout *p, const char *text)
{
    if (!text) text = "P,H,S,T,I,N_l,N_d,M";
    for (int more = 1; more;) {
        size_t length = strcspn(text, ",");
        int op = -1;
        for (int i = 0; i < PINION_OPERATOR_COUNT && op < 0; i++) {
            const char *name = pinion_operator_name((pinion_operator)i);
            if (strlen(name) == length && memcmp(name, text, length) == 0) op = i;
        }
        if (op < 0) return refuse_name(p, text, length);
        for (int i = 0; i < p->count; i++) {
            if (p->wanted[i] != op) continue;
            pn_cli_report(p->command, "--what: '%.*s' is given twice", (int)length, text);
            return CLI_USAGE;
        }
        p->wanted[p->count++] = op;
        more = text[length] == ',';
        text += length + 1;
    }
    return CLI_DONE;
}

static int check_arguments(printout *p, const cli_args *args)
{
    if (!args->value[OPT_STATES]) {
        pn_cli_report(p->command, "--states FILE is missing (usage: pinion %s %s)", p->command,
                      args->command->usage);
        return CLI_USAGE;
    }
    if (strcmp(args->positional, "-") == 0 && strcmp(args->value[OPT_STATES], "-") == 0) {
        pn_cli_report(p->command, "the model and the states cannot both be read from standard input");
        return CLI_USAGE;
    }
    p->sparse = args->value[OPT_SPARSE] != NULL;
    return parse_names(p, args->value[OPT_WHAT]);
}

/* ------------------------------------------------------------------------------------------------ */
/* Printing */

/* [[row, column, number], ...] of what is not zero */
static void print_entries(cli_json *j, const double *x, int rows, int columns)
{
    pn_cli_json_open(j, '{', 0);
    pn_cli_json_key(j, "rows");
    pn_cli_json_integer(j, rows);
    pn_cli_json_key(j, "columns");
    pn_cli_json_integer(j, columns);
    pn_cli_json_key(j, "entries");
    pn_cli_json_open(j, '[', 0);
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < columns; c++) {
            if (x[r * columns + c] == 0) continue;
            pn_cli_json_open(j, '[', 1);
            pn_cli_json_integer(j, r);
            pn_cli_json_integer(j, c);
            pn_cli_json_number(j, x[r * columns + c]);
            pn_cli_json_close(j);
        }
    pn_cli_json_close(j);
    pn_cli_json_close(j);
}

static void print_text(const printout *p, int op, int rows, int columns, cli_style style)
{
    printf("%s%s%s, %d x %d: %s\n", pn_cli_bold(style), pinion_operator_name((pinion_operator)op),
           pn_cli_plain(style), rows, columns, pinion_operator_text((pinion_operator)op));
    for (int r = 0; r < rows; r++) {
        for (int c = 0; c < columns; c++) {
            double x = p->out[r * columns + c];
            if (p->sparse && x != 0) printf("%6d %6d  %.17g\n", r, c, x);
            if (p->sparse) continue;
            if (x == 0)
                printf("%*s", c ? 12 : 11, ".");
            else
                printf("%*.4g", c ? 12 : 11, x);
        }
        if (!p->sparse) fputc('\n', stdout);
    }
}

/* Computes a matrix of the state that was read last. Returns CLI_DONE, or CLI_FAILED after a message. */
static int compute(printout *p, size_t index, int op, int *rows, int *columns)
{
    pinion_status status = pinion_operator_size(p->m, (pinion_operator)op, rows, columns);
    if (status == PINION_OK)
        status = pinion_operator_matrix(p->m, p->w, (pinion_operator)op, p->s.q, p->s.v, p->out);
    if (status == PINION_OK) return CLI_DONE;
    const char *why = pinion_status_text(status);
    if (status == PINION_ERR_QUATERNION) why = pinion_work_message(p->w);
    if (status == PINION_ERR_UNSUPPORTED) why = "not with universal joints: the body does not carry the first axis";
    pn_cli_report(p->command, "%s: states[%zu]: %s: %s", p->file.name, index,
                  pinion_operator_name((pinion_operator)op), why);
    return CLI_FAILED;
}

static int print_matrix(printout *p, size_t index, int op, cli_json *j, cli_style style)
{
    int rows = 0, columns = 0;
    if (compute(p, index, op, &rows, &columns) != CLI_DONE) return CLI_FAILED;
    if (!j) {
        print_text(p, op, rows, columns, style);
        return CLI_DONE;
    }
    pn_cli_json_key(j, pinion_operator_name((pinion_operator)op));
    if (p->sparse)
        print_entries(j, p->out, rows, columns);
    else
        pn_cli_json_matrix(j, p->out, rows, columns);
    return CLI_DONE;
}

/* the bodies that blocks of six rows belong to */
static void print_bodies(const printout *p, cli_json *j)
{
    pinion_body_info body;
    if (j) {
        pn_cli_json_key(j, "bodies");
        pn_cli_json_open(j, '[', 1);
    } else {
        fputs("blocks of six, one a body:", stdout);
    }
    for (int i = 1; pinion_model_body(p->m, i, &body) == PINION_OK; i++) {
        if (j) {
            pn_cli_json_string(j, body.name);
        } else {
            fputs(i > 1 ? ", " : " ", stdout);
            pn_cli_put(stdout, body.name);
        }
    }
    if (j)
        pn_cli_json_close(j);
    else
        fputc('\n', stdout);
}

static int print_answer(printout *p, int as_json)
{
    cli_style style = pn_cli_style(stdout);
    cli_json json = pn_cli_json(stdout), *j = as_json ? &json : NULL;
    int status = CLI_DONE;
    if (j) pn_cli_json_open(j, '{', 0);
    print_bodies(p, j);
    if (j) {
        pn_cli_json_key(j, "states");
        pn_cli_json_open(j, '[', 0);
    }
    for (size_t i = 0; i < p->file.count && status == CLI_DONE; i++) {
        if (!pn_cli_store_next(&p->store, p->command, &p->s)) return CLI_FAILED;
        if (j)
            pn_cli_json_open(j, '{', 0);
        else if (p->file.count > 1)
            printf("\nstates[%zu]\n", i);
        for (int k = 0; k < p->count && status == CLI_DONE; k++) {
            if (!j) fputc('\n', stdout);
            status = print_matrix(p, i, p->wanted[k], j, style);
        }
        if (j) pn_cli_json_close(j);
    }
    if (j) pn_cli_json_end(j);
    if (j && json.nulls) {
        pn_cli_report(p->command, "%ld numbers are not finite", json.nulls);
        status = CLI_FAILED;
    }
    return pn_cli_finish(p->command, status);
}

/* Reads every state before anything is printed, so that a bad one leaves no half answer. */
static int check_states(printout *p)
{
    double position[3], rotation[9];
    int more;
    while ((more = pn_cli_states_next(&p->file, p->m, &p->s)) > 0) {
        const size_t i = p->file.index;
        if (!pn_cli_store_add(&p->store, p->command, &p->s)) return CLI_FAILED;
        pinion_status status = pinion_frame_pose(p->m, p->w, p->s.q, 0, position, rotation);
        if (status != PINION_OK) {
            pn_cli_report(p->command, "%s: states[%zu].q: %s", p->file.name, i, pinion_work_message(p->w));
            return CLI_FAILED;
        }

        /* a matrix that the model does not have is refused in the first state */
        int rows = 0, columns = 0;
        for (int k = 0; i == 0 && k < p->count; k++)
            if (compute(p, i, p->wanted[k], &rows, &columns) != CLI_DONE) return CLI_FAILED;
        pn_cli_limits_see(&p->limits, GIVEN_POSITIONS | GIVEN_VELOCITIES, p->s.q, p->s.v, NULL, (double)i);
    }
    if (more < 0 || !pn_cli_store_rewind(&p->store, p->command)) return CLI_FAILED;
    return pn_cli_limits_tell(&p->limits);
}

static int allocate(printout *p)
{
    size_t most = 1;
    for (int k = 0; k < p->count; k++) {
        int rows = 0, columns = 0;
        if (pinion_operator_size(p->m, (pinion_operator)p->wanted[k], &rows, &columns) != PINION_OK) continue;
        size_t size = (size_t)rows * (size_t)columns;
        if (size > most) most = size;
    }
    p->w = pinion_work_new(p->m);
    p->out = calloc(most, sizeof *p->out);
    if (p->w && p->out && pn_cli_state_init(&p->s, p->m)) return CLI_DONE;
    pn_cli_report(p->command, "out of memory");
    return CLI_FAILED;
}

static int run_command(const cli_args *args)
{
    printout p;
    memset(&p, 0, sizeof p);
    p.command = args->command->name;
    int status = check_arguments(&p, args);
    if (status == CLI_DONE) {
        p.m = pn_cli_load(args, args->positional);
        if (!p.m) status = CLI_FAILED;
    }
    if (status == CLI_DONE && !pn_cli_states_open(&p.file, p.command, args->value[OPT_STATES], p.m))
        status = CLI_FAILED;
    if (status == CLI_DONE) status = allocate(&p);
    if (status == CLI_DONE) status = pn_cli_limits_begin(&p.limits, args, p.m, "states[", "]");
    if (status == CLI_DONE) status = check_states(&p);
    if (status == CLI_DONE) status = print_answer(&p, args->value[OPT_JSON] != NULL);

    pn_cli_limits_end(&p.limits);
    pn_cli_state_free(&p.s);
    pn_cli_store_free(&p.store);
    free(p.out);
    pn_cli_states_close(&p.file);
    pinion_work_free(p.w);
    pinion_model_free(p.m);
    return status;
}

/* ------------------------------------------------------------------------------------------------ */

static void put_operators(const char *colon)
{
    (void)colon;
    for (int i = 0; i < PINION_OPERATOR_COUNT; i++)
        printf("%s%s", i ? " " : "", pinion_operator_name((pinion_operator)i));
}

static const cli_option *const options[] = {
    SHARED(STATES),
    OPTION(WHAT, .name = "what", .kind = VALUE_LIST, .value = "LIST", .words = put_operators,
           .help = "the matrices, separated by commas (P,H,S,T,I,N_l,N_d,M by default)"),
    OPTION(SPARSE, .name = "sparse", .help = "only what is not zero, as rows, columns (from 0) and numbers"),
    SHARED(LIMITS_CHECK), SHARED(JSON), LOAD_OPTIONS, SHARED(HELP), NULL
};

const cli_command pn_cli_command_operators = {
    .name = "operators",
    .summary = "the global matrices of the papers, for teaching and tests",
    .run = run_command,
    .takes = TAKES_MODEL,
    .usage = "MODEL --states FILE|- [--what LIST] [options]",
    .about = "Prints the matrices that papers write the dynamics with, whole, at given states (as for pinion\n"
             "eval). Blocks of six rows or columns belong to the bodies, the others to the velocities v.\n"
             "  P, H, S, T, I   Featherstone & Orin 2000, section 3.5: motions and forces at the world's\n"
             "                  origin along the world's axes. P S = H, T' S = 0, S' I S + rotors is the mass\n"
             "                  matrix\n"
             "  rotors          what the rotors add to the mass matrix\n"
             "  N_l, N_d, N, M, M_tilde, GIM\n"
             "                  Saha 1999, Eqs. 16-24: twists at the mass centres along the world's axes\n"
             "  Omega, M_dot, N_l_dot, N_d_dot, N_dot, H_tilde, M_tilde_dot, M_tilde_prime, C\n"
             "                  the same, Eqs. 8 and 25-29\n"
             "With --json: {\"bodies\": [names], \"states\": [{\"NAME\": rows, ...}, ...]}, and with --sparse\n"
             "{\"rows\": n, \"columns\": n, \"entries\": [[row, column, number], ...]} in place of rows.\n",
    .example = "echo '{\"states\": [{\"q\": [0, 1, 2]}]}' |\n"
               "  pinion operators planar-3r.json --states - --what N_l,N_d",
    .options = options,
};
