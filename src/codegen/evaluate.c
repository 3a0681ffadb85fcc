/* A recorded function at a state, in numbers: what is to be given out as code is compared with the general
 * kernels first. An algorithm that needs more of a link than the regrouped model has of it is found out so.
 *
 * What an algorithm loses to rounding on this robot is found from the same records with every number rounded to
 * 40 bits, against those in double. Each operation is a step of its own here, whose result goes to memory: no
 * compiler can fuse a product and a sum, so that what is chosen by it is the same wherever code is generated. */
#include "codegen/values.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BITS_KEPT = 40, BITS_CUT = 53 - BITS_KEPT };

/* to the nearest number of 40 bits; infinities and what is not a number stay so */
static double cut(double x)
{
    uint64_t n;
    memcpy(&n, &x, sizeof n);
    n += (uint64_t)1 << (BITS_CUT - 1);
    n &= ~(((uint64_t)1 << BITS_CUT) - 1);
    memcpy(&x, &n, sizeof x);
    return x;
}

/* x has room for all records */
static void evaluate(const pn_graph *graph, const pn_sample *s, int rounded, double *x)
{
    for (int32_t i = 0; i < graph->count; i++) {
        const pn_record *r = &graph->record[i];
        switch (r->operation) {
        case PN_OP_CONSTANT: x[i] = r->value; break;
        case PN_OP_INPUT: x[i] = s->in[r->a][r->b]; break;
        case PN_OP_SELECT: x[i] = x[r->a] != 0 ? x[r->b] : x[r->c]; break;
        default: x[i] = pn_constant_result((pn_operation)r->operation, x[r->a], x[r->b]); break;
        }
        if (rounded && isfinite(x[i])) x[i] = cut(x[i]);
    }
}

pinion_status pn_graph_results(const pn_values *b, const pn_graph *graph, double *x)
{
    double *record = calloc((size_t)graph->count + 1, sizeof *record);
    if (!record) return PINION_ERR_MEMORY;
    for (int s = 0; s < b->states; s++, x += graph->results) {
        evaluate(graph, &b->at[s], 0, record);
        for (size_t i = 0; i < graph->results; i++) x[i] = record[graph->result[i]];
    }
    free(record);
    return PINION_OK;
}

/* ---- the same as the kernels' ---- */

/* Nonzero: the results of one array differ by no more than rounding explains, over all states. What the
 * kernels themselves cannot compute is not compared. */
static int compare(const pn_values *b, const pn_function *f, const double *x, const pn_expected *v, int array)
{
    const double generous = 64; /* other sines, other orders of sums */
    const size_t stride = f->graph.results, expected_stride = pn_call_results(f);
    size_t begin = 0;
    for (int k = 0; k < array; k++) begin += f->out[k].count;
    double worst = 0, scale = v->least[array];
    for (int s = 0; s < b->states; s++)
        for (size_t i = begin; i < begin + f->out[array].count; i++) {
            const double expected = v->at[(size_t)s * expected_stride + i];
            if (!isfinite(expected)) continue;
            const double difference = fabs(x[(size_t)s * stride + i] - expected);
            if (!(difference <= worst)) worst = isnan(difference) ? INFINITY : difference;
            scale = fmax(scale, fabs(expected));
        }
    return worst <= generous * v->tolerance[array] * 0x1p-53 * scale;
}

pinion_status pn_function_agrees(const pn_values *b, const pinion_generated *g, const pn_function *f,
                                 int *agrees)
{
    pn_expected v = {0};
    double *x = calloc((size_t)b->states * f->graph.results + 1, sizeof *x);
    pinion_status status = x ? pn_graph_results(b, &f->graph, x) : PINION_ERR_MEMORY;
    if (status == PINION_OK) status = pn_values_find(b, g, f, &v);
    if (status == PINION_OK) {
        *agrees = 1;
        for (int k = 0; k < 6; k++)
            if (f->out[k].name && !pn_is_margin(f, k) && !compare(b, f, x, &v, k)) *agrees = 0;
    }
    free(x);
    free(v.at);
    return status;
}

/* ---- what is lost ---- */

/* the errors of one state; what has no finite result in double has no error */
static void add_losses(const pn_graph *graph, const double *exact, const double *rounded, const size_t out[6],
                       pn_loss *loss)
{
    size_t i = 0;
    for (int k = 0; k < 6; k++)
        for (size_t end = i + out[k]; i < end && i < graph->results; i++) {
            const double x = exact[graph->result[i]], error = fabs(rounded[graph->result[i]] - x);
            if (!isfinite(x)) continue;
            loss->worst[k] = fmax(loss->worst[k], isnan(error) ? INFINITY : error * ldexp(1, BITS_KEPT));
            loss->scale[k] = fmax(loss->scale[k], fabs(x));
        }
}

pinion_status pn_graph_loss(const pn_values *b, const pn_graph *graph, const size_t out[6], pn_loss *loss)
{
    memset(loss, 0, sizeof *loss);
    double *exact = calloc((size_t)graph->count + 1, sizeof *exact);
    double *rounded = calloc((size_t)graph->count + 1, sizeof *rounded);
    for (int s = 0; exact && rounded && s < b->states; s++) {
        evaluate(graph, &b->at[s], 0, exact);
        evaluate(graph, &b->at[s], 1, rounded);
        add_losses(graph, exact, rounded, out, loss);
    }
    const int failed = !exact || !rounded;
    free(exact);
    free(rounded);
    return failed ? PINION_ERR_MEMORY : PINION_OK;
}

double pn_loss_units(double worst, double scale, double *least)
{
    /* what loses 20 bits and more, since the true result is zero or next to it, is held against a hundredth */
    *least = scale > 0 && worst < 0x1p20 * scale ? 0 : 0.01;
    return worst / fmax(scale, *least);
}
