/* The page of pinion linearize: its modes in a table, and each of them moving. */
#include "cli/linearize/linearize_command.h"
#include "cli/report/document.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>

#define SHOWN 8 /* modes: browsers draw few 3-D pictures on a page */
#define INSTANTS 121
#define PERIODS 3
#define SWING 0.3 /* rad or m: how far the coordinate that moves most goes */

/* The motion of a mode: q at INSTANTS, over some periods or times of growth. */
static int move(const linearization *x, int k, double *t, double *q)
{
    const int n = x->l->freedom;
    const mode_numbers mode = pn_cli_mode(x, k);
    const double *v = x->vector + 2 * (size_t)k * (size_t)x->l->states;
    const int most = pn_cli_mode_most(x, k);
    const double complex lambda = x->value[2 * k] + I * x->value[2 * k + 1];
    const double complex lead = v[2 * most] + I * v[2 * most + 1];
    double *delta = malloc(((size_t)x->nv + 1) * sizeof *delta);
    if (!delta || cabs(lead) == 0) {
        free(delta);
        return 0;
    }
    double duration =
        mode.oscillates ? PERIODS * TURN / fabs(cimag(lambda)) : 3 * mode.time;
    if (!isfinite(duration)) duration = 3;
    /* what grows ends at the swing, what shrinks begins with it */
    const double start = creal(lambda) > 0 ? -duration : 0;
    for (int s = 0; s < INSTANTS; s++) {
        t[s] = duration * s / (INSTANTS - 1);
        const double complex factor = SWING / lead * cexp(lambda * (t[s] + start));
        for (int i = 0; i < x->nv; i++) {
            delta[i] = 0;
            for (int j = 0; j < n; j++)
                delta[i] += x->l->motion[i * n + j] * creal(factor * (v[2 * j] + I * v[2 * j + 1]));
        }
        if (pinion_integrate(x->m, x->q, delta, 1, q + (size_t)s * (size_t)x->nq) != PINION_OK) {
            free(delta);
            return 0;
        }
    }
    free(delta);
    return 1;
}

static void add_mode(const linearization *x, cli_document *doc, int k, double *t, double *q)
{
    char heading[500], name[400];
    const mode_numbers mode = pn_cli_mode(x, k);
    pn_cli_state_name(x, pn_cli_mode_most(x, k), name, sizeof name);
    if (mode.oscillates)
        snprintf(heading, sizeof heading, "%.4g Hz, damping ratio %.3g: %.300s",
                 mode.natural / TURN, mode.damping, name + 2);
    else
        snprintf(heading, sizeof heading, "%s %.4g s: %.300s",
                 mode.rate > 0 ? "grows e-fold in" : "decays e-fold in", mode.time, name + 2);
    if (!move(x, k, t, q)) return;
    pn_cli_document_section(doc, heading);
    pn_cli_document_playback(doc, x->m, x->args->positional, INSTANTS, t, q);
}

int pn_cli_linear_page(const linearization *x, const char *path)
{
    const int n = x->l->states;
    double *t = malloc(INSTANTS * sizeof *t), *q = malloc(INSTANTS * ((size_t)x->nq + 1) * sizeof *q);
    cli_document *doc = t && q ? pn_cli_document_new(pinion_model_name(x->m), "modes near a state") : NULL;
    int shown = 0, left = 0;
    pn_cli_document_packages(doc, x->args->value[OPT_PACKAGE_PATH]);
    for (int i = 0; i < x->warning_count; i++) pn_cli_document_note(doc, "%s", x->warning[i]);
    pn_cli_document_text(
        doc,
        "Each mode moves with its own frequency and decay; the coordinate that moves most by %g rad or "
        "m. Loops are kept to first order.",
        SWING);
    for (int k = 0; k < n && doc; k++) {
        const mode_numbers mode = pn_cli_mode(x, k);
        if (mode.second || (!mode.oscillates && !isfinite(mode.time))) continue;
        if (shown++ < SHOWN)
            add_mode(x, doc, k, t, q);
        else
            left++;
    }
    if (left) pn_cli_document_note(doc, "%d more modes are not shown.", left);
    const int status = pn_cli_document_write(x->command, doc, path);
    pn_cli_document_free(doc);
    free(t);
    free(q);
    return status;
}
