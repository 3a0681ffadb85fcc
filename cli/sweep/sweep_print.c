/* What is said at the end of a sweep. */
#include "cli/sweep/sweep_print.h"

#include "cli/print/json_out.h"
#include "cli/print/print_text.h"
#include "cli/print/progress.h"

#include <stdio.h>
#include <string.h>

const char *pn_cli_count_text(uint64_t count, char text[40])
{
    char digits[24];
    const int length = snprintf(digits, sizeof digits, "%llu", (unsigned long long)count);
    size_t to = 0;
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0) text[to++] = ' ';
        text[to++] = digits[i];
    }
    text[to] = '\0';
    return text;
}

static void print_json(const pinion_sweep_state *state, const char *path)
{
    cli_json json = pn_cli_json(stdout);
    pn_cli_json_open(&json, '{', 1);
    pn_cli_json_key(&json, "output");
    pn_cli_json_string(&json, path);
    pn_cli_json_key(&json, "runs");
    pn_cli_json_number(&json, (double)state->runs);
    pn_cli_json_key(&json, "planned");
    pn_cli_json_number(&json, (double)state->planned);
    pn_cli_json_key(&json, "resumed");
    pn_cli_json_number(&json, (double)state->resumed);
    pn_cli_json_key(&json, "outcomes");
    pn_cli_json_open(&json, '{', 1);
    for (int i = 0; i < PINION_SWEEP_OUTCOME_COUNT; i++) {
        pn_cli_json_key(&json, pinion_sweep_outcome_name((pinion_sweep_outcome)i));
        pn_cli_json_number(&json, (double)state->outcome[i]);
    }
    pn_cli_json_close(&json);
    pn_cli_json_key(&json, "first_failed");
    if (*state->why)
        pn_cli_json_number(&json, (double)state->first_failed);
    else
        pn_cli_json_null(&json);
    pn_cli_json_key(&json, "why");
    if (*state->why)
        pn_cli_json_string(&json, state->why);
    else
        pn_cli_json_null(&json);
    pn_cli_json_key(&json, "wall");
    pn_cli_json_number(&json, state->wall);
    pn_cli_json_end(&json);
}

void pn_cli_sweep_summary(const char *command, const pinion_sweep_state *state, const char *path, int json)
{
    char count[40], span[40], line[400] = "";
    if (json) {
        print_json(state, path);
        return;
    }
    for (int i = 1; i < PINION_SWEEP_OUTCOME_COUNT; i++)
        if (state->outcome[i])
            snprintf(line + strlen(line), sizeof line - strlen(line), ", %s %s",
                     pn_cli_count_text(state->outcome[i], count),
                     pinion_sweep_outcome_name((pinion_sweep_outcome)i));
    char complete[40];
    pn_cli_report(command, "%s run%s: %s complete%s", pn_cli_count_text(state->runs, count),
                  pn_cli_plural(state->runs),
                  pn_cli_count_text(state->outcome[PINION_SWEEP_COMPLETE], complete), line);
    if (*state->why)
        pn_cli_report(command, "run %llu is the first that failed: %s", (unsigned long long)state->first_failed,
                      state->why);
    if (state->runs < state->planned)
        pn_cli_report(command, "they are enough, as the plan says; it has %s",
                      pn_cli_count_text(state->planned, count));
    const uint64_t made = state->done - state->resumed;
    if (state->resumed)
        pn_cli_report(command, "%s of them were made before", pn_cli_count_text(state->resumed, count));
    if (made > 0 && state->wall > 0)
        pn_cli_report(command, "%s, %.4g runs a second; written to %s",
                      pn_cli_span_text(state->wall, span, sizeof span), (double)made / state->wall, path);
}
