/* The answer of pinion linearize as JSON, CSV, an Octave script, and text. */
#include "cli/linearize/linearize_command.h"
#include "cli/print/json_out.h"
#include "cli/print/print_text.h"
#include "pinion/sim/result.h"

#include <math.h>
#include <string.h>

const char *pn_cli_state_name(const linearization *x, int i, char *name, size_t size)
{
    const int n = x->l->freedom;
    if (i >= 2 * n) {
        /* "actuator.NAME", or "delay.NAME.0" */
        const int part = x->l->part[i - 2 * n];
        pinion_coordinate_name(x->m, "actuator", x->l->actuator[i - 2 * n], name, size);
        if (part < 0) return name;
        const size_t length = strlen(name) - 3; /* of "actuator" and "delay" */
        memmove(name, name + 3, length + 1);
        memcpy(name, "delay", 5);
        if (length + 3 < size) snprintf(name + length, size - length, ".%d", part);
        return name;
    }
    pinion_coordinate_name(x->m, "v", x->l->velocity[i % n], name, size);
    if (i < n && name[0]) name[0] = 'q';
    return name;
}

const char *pn_cli_input_name(const linearization *x, int i, char *name, size_t size)
{
    if (pinion_model_actuators_listed(x->m)) return pinion_coordinate_name(x->m, "actuator", i, name, size);
    return pinion_coordinate_name(x->m, "tau", x->l->input[i], name, size);
}

mode_numbers pn_cli_mode(const linearization *x, int k)
{
    const double re = x->value[2 * k], im = x->value[2 * k + 1], size = hypot(re, im);
    /* what is this small beside the largest is zero but for rounding */
    const double largest = hypot(x->value[2 * x->l->states - 2], x->value[2 * x->l->states - 1]);
    const double noise = 1e-9 * largest;
    mode_numbers mode = {.natural = size > noise ? size : 0, .time = INFINITY};
    mode.oscillates = fabs(im) > noise;
    mode.second = k > 0 && mode.oscillates && im < 0;
    if (fabs(re) <= noise) return mode;
    mode.rate = re;
    mode.damping = -re / size;
    mode.time = 1 / fabs(re);
    return mode;
}

int pn_cli_mode_most(const linearization *x, int k)
{
    const int n = x->l->freedom;
    const double *v = x->vector + 2 * (size_t)k * (size_t)x->l->states;
    int most = 0;
    for (int i = 1; i < n; i++)
        if (hypot(v[2 * i], v[2 * i + 1]) > hypot(v[2 * most], v[2 * most + 1]) * (1 + 1e-9)) most = i;
    return most;
}

static void put_names(const linearization *x, cli_json *j, const char *key, int count,
                      const char *(*name_of)(const linearization *, int, char *, size_t))
{
    char name[400];
    pn_cli_json_key(j, key);
    pn_cli_json_open(j, '[', 1);
    for (int i = 0; i < count; i++) pn_cli_json_string(j, name_of(x, i, name, sizeof name));
    pn_cli_json_close(j);
}

static void put_modes(const linearization *x, cli_json *j)
{
    const int n = x->l->states;
    pn_cli_json_key(j, "modes");
    pn_cli_json_open(j, '[', 0);
    for (int k = 0; k < n; k++) {
        const mode_numbers mode = pn_cli_mode(x, k);
        pn_cli_json_open(j, '{', 0);
        pn_cli_json_key(j, "eigenvalue");
        pn_cli_json_numbers(j, x->value + 2 * k, 2);
        pn_cli_put_number(j, "natural_frequency", mode.natural / TURN);
        pn_cli_put_number(j, "damping_ratio", mode.damping);
        pn_cli_json_key(j, "vector");
        pn_cli_json_matrix(j, x->vector + 2 * (size_t)k * (size_t)n, n, 2);
        pn_cli_json_close(j);
    }
    pn_cli_json_close(j);
}

void pn_cli_linear_json(const linearization *x, FILE *stream)
{
    const pinion_linear *l = x->l;
    const int n = l->states;
    cli_json j = pn_cli_json(stream);
    pn_cli_json_open(&j, '{', 0);
    pn_cli_put_string(&j, "model", pinion_model_name(x->m));
    put_names(x, &j, "states", n, pn_cli_state_name);
    put_names(x, &j, "inputs", l->inputs, pn_cli_input_name);
    pn_cli_json_key(&j, "A");
    pn_cli_json_matrix(&j, l->A, n, n);
    pn_cli_json_key(&j, "B");
    pn_cli_json_matrix(&j, l->B, n, l->inputs);
    pn_cli_json_key(&j, "eigenvalues");
    pn_cli_json_matrix(&j, x->value, n, 2);
    put_modes(x, &j);
    pn_cli_json_key(&j, "state");
    pn_cli_json_open(&j, '{', 0);
    pn_cli_json_key(&j, "q");
    pn_cli_json_numbers(&j, x->q, x->nq);
    pn_cli_json_key(&j, "v");
    pn_cli_json_numbers(&j, x->v, x->nv);
    pn_cli_json_key(&j, "tau");
    pn_cli_json_numbers(&j, x->tau, x->nv);
    pn_cli_json_key(&j, "a");
    pn_cli_json_numbers(&j, l->a, x->nv);
    pn_cli_json_close(&j);
    pn_cli_json_key(&j, "warnings");
    pn_cli_json_open(&j, '[', 0);
    for (int i = 0; i < x->warning_count; i++) pn_cli_json_string(&j, x->warning[i]);
    pn_cli_json_close(&j);
    pn_cli_json_end(&j);
}

/* in quotes, with what the language doubles or escapes */
static void put_quoted(FILE *stream, const char *text, char quote)
{
    fputc(quote, stream);
    for (; *text; text++) {
        if (*text == quote) fputc(quote, stream);
        fputc((unsigned char)*text < 0x20 ? ' ' : *text, stream);
    }
    fputc(quote, stream);
}

void pn_cli_linear_csv(const linearization *x, FILE *stream)
{
    const pinion_linear *l = x->l;
    const int n = l->states;
    char name[400];
    fputs("state", stream);
    for (int i = 0; i < n + l->inputs; i++) {
        fputc(',', stream);
        put_quoted(stream,
                   i < n ? pn_cli_state_name(x, i, name, sizeof name)
                         : pn_cli_input_name(x, i - n, name, sizeof name),
                   '"');
    }
    fputc('\n', stream);
    for (int i = 0; i < n; i++) {
        put_quoted(stream, pn_cli_state_name(x, i, name, sizeof name), '"');
        for (int k = 0; k < n; k++) fprintf(stream, ",%.17g", l->A[i * n + k]);
        for (int k = 0; k < l->inputs; k++) fprintf(stream, ",%.17g", l->B[i * l->inputs + k]);
        fputc('\n', stream);
    }
}

static void octave_matrix(FILE *stream, const char *name, const double *x, int rows, int columns)
{
    fprintf(stream, "%s = zeros(%d, %d);\n", name, rows, columns);
    if (rows == 0 || columns == 0) return;
    fprintf(stream, "%s = [\n", name);
    for (int i = 0; i < rows; i++) {
        for (int k = 0; k < columns; k++) fprintf(stream, " %.17g", x[i * columns + k]);
        fputs(";\n", stream);
    }
    fputs("];\n", stream);
}

void pn_cli_linear_octave(const linearization *x, FILE *stream)
{
    const pinion_linear *l = x->l;
    char name[400];
    fputs("% x' = A x + B u, x the changes of the states, u those of the inputs; see 'pinion linearize "
          "--help'\n",
          stream);
    octave_matrix(stream, "A", l->A, l->states, l->states);
    octave_matrix(stream, "B", l->B, l->states, l->inputs);
    for (int inputs = 0; inputs < 2; inputs++) {
        fprintf(stream, "%s = {", inputs ? "inputs" : "states");
        for (int i = 0; i < (inputs ? l->inputs : l->states); i++) {
            if (i) fputs(", ", stream);
            put_quoted(stream,
                       inputs ? pn_cli_input_name(x, i, name, sizeof name)
                              : pn_cli_state_name(x, i, name, sizeof name),
                       '\'');
        }
        fputs("};\n", stream);
    }
    for (int i = 0; i < x->warning_count; i++) {
        fputs("% ", stream);
        pn_cli_put(stream, x->warning[i]);
        fputc('\n', stream);
    }
}

int pn_cli_linear_text(const linearization *x, FILE *stream)
{
    const pinion_linear *l = x->l;
    const int n = l->states;
    char name[400];
    fprintf(stream, "%d state%s, %d input%s\n\n", n, pn_cli_plural(n), l->inputs, pn_cli_plural(l->inputs));
    if (n == 0) return 1;
    cli_table t = pn_cli_table(5);
    pn_cli_table_add(&t, "eigenvalue (1/s)");
    pn_cli_table_add(&t, "frequency (Hz)");
    pn_cli_table_add(&t, "damping ratio");
    pn_cli_table_add(&t, "time (s)");
    pn_cli_table_add(&t, "moves most");
    for (int k = 0; k < n; k++) {
        const mode_numbers mode = pn_cli_mode(x, k);
        if (mode.second) continue;
        if (mode.oscillates)
            pn_cli_table_add(&t, "%.5g +- %.5gi", mode.rate, fabs(x->value[2 * k + 1]));
        else
            pn_cli_table_add(&t, "%.5g", mode.rate);
        if (mode.oscillates)
            pn_cli_table_add(&t, "%.5g", mode.natural / TURN);
        else
            pn_cli_table_add(&t, "-");
        if (mode.oscillates)
            pn_cli_table_add(&t, "%.4g", mode.damping);
        else
            pn_cli_table_add(&t, "-");
        if (isfinite(mode.time))
            pn_cli_table_add(&t, "%.4g%s", mode.time, mode.rate > 0 ? ", grows" : "");
        else
            pn_cli_table_add(&t, "-");
        pn_cli_table_add(&t, "%s", pn_cli_state_name(x, pn_cli_mode_most(x, k), name, sizeof name) + 2);
    }
    return pn_cli_table_print(&t, stream, "rrrrl", pn_cli_style(stream));
}
