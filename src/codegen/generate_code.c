/* From a model to generated code: for each quantity a kernel is recorded, simplified, ordered and counted;
 * then the files are written. */
#include "codegen/values.h"
#include <stdlib.h>
#include <string.h>
#include "kernel/apart.h"

/* ---- which algorithm ---- */

static int applies(const pinion_model *m, int algorithm, int problem)
{
    return algorithm >= 0 && algorithm < PN_ALGORITHM_COUNT && pn_algorithms[algorithm].problem == problem &&
           pinion_algorithm_applies(algorithm, m, NULL) == PINION_OK;
}

int pn_general_algorithm(const pinion_model *m, const pn_call *target)
{
    /* forward dynamics where joints follow others have none: followers_fd */
    const int own = target->kernel - PN_FIRST_ALGORITHM;
    return applies(m, own, target->problem) ? own : -1;
}

/* the algorithm that the options name, for what it solves */
static pinion_status set_algorithm(const pinion_model *m, pinion_generated *g, const char *name,
                                   pinion_error *err)
{
    char text[84];
    pn_comment_text(name, text);
    const int named = pinion_algorithm_find(name);
    if (named < 0)
        return pn_codegen_fail(err, PINION_ERR_NOT_FOUND, "there is no algorithm named '%s'", text);
    if (named >= PN_ALGORITHM_COUNT)
        return pn_codegen_fail(err, PINION_ERR_UNSUPPORTED,
                               "'%s' chooses pivots by the numbers: no code for one robot can be made of it",
                               text);
    const pinion_status status = pinion_algorithm_applies(named, m, err);
    if (status != PINION_OK) return status;
    int solved = 0;
    for (int i = 0; i < g->functions; i++) {
        if (g->function[i].target->problem != pn_algorithms[named].problem) continue;
        g->function[i].algorithm = named;
        solved++;
    }
    g->algorithm = pn_algorithms[named].name;
    if (solved) return PINION_OK;
    return pn_codegen_fail(err, PINION_ERR_ARGUMENT, "'%s' computes %s, which is not among the quantities",
                           text, pinion_problem_name((pinion_problem)pn_algorithms[named].problem));
}

/* ---- one function ---- */

/* the limb of each compiled body: a run of bodies without branches; returns how many there are */
static int find_limbs(const pinion_model *m, int32_t *limb)
{
    const pn_node *node = PN_AT_CONST(m, pn_node, m->nodes);
    int limbs = 1;
    limb[0] = 0;
    for (int i = 1; i < m->n.nodes; i++) {
        const int p = node[i].parent;
        const int only_child = p > 0 && p == i - 1 && node[i].end == node[p].end;
        limb[i] = only_child ? limb[p] : limbs++;
    }
    return limbs;
}

static int costs(const pn_record *r)
{
    return r->live && r->operation >= PN_OP_ADD && r->operation <= PN_OP_COS;
}

/* nonzero: some limb has more operations than allowed */
static pinion_status check_limbs(const pinion_model *m, const pn_graph *graph, double limit, int *too_large)
{
    int32_t *limb = calloc((size_t)m->n.nodes, sizeof *limb);
    double *count = calloc((size_t)m->n.nodes + 1, sizeof *count);
    *too_large = 0;
    if (limb && count) find_limbs(m, limb);
    for (int32_t i = 0; limb && count && i < graph->count; i++) {
        const pn_record *r = &graph->record[i];
        if (costs(r) && ++count[limb[r->body]] > limit) *too_large = 1;
    }
    const int failed = !limb || !count;
    free(limb);
    free(count);
    return failed ? PINION_ERR_MEMORY : PINION_OK;
}

/* Nonzero: so many operations that some limb must have too many, or that they are better not recorded. The
 * count takes no memory. Simplification leaves a tenth at least. */
static pinion_status check_size(const pinion_model *m, const pn_function *f, double limit, int *too_large)
{
    pinion_operations count;
    int32_t *limb = calloc((size_t)m->n.nodes, sizeof *limb);
    if (!limb) return PINION_ERR_MEMORY;
    const double limbs = find_limbs(m, limb);
    free(limb);
    const pinion_status status = pn_trace_span(m, &f->call, &count);
    *too_large = status == PINION_OK && count.mul + count.add + count.div > 10 * limit * limbs;
    return status;
}

/* recorded, simplified, ordered */
static pinion_status record_function(const pinion_model *m, const pinion_codegen_options *o, pn_function *f)
{
    pinion_status status = check_size(m, f, o->limb_limit, &f->loops);
    if (status != PINION_OK || f->loops) return status;
    status = pn_trace(m, &f->call, &f->graph);
    if (status != PINION_OK) return status;

    /* a margin that nobody asked for is no result */
    size_t results = 0;
    for (int i = 0; i < 6; i++) results += f->out[i].name ? f->out[i].count : 0;
    f->graph.results = results;

    status = pn_simplify(&f->graph, pn_simplify_flags(o));
    if (status == PINION_OK) status = pn_schedule(&f->graph);
    if (status != PINION_OK) return status;
    pn_graph_mark(&f->graph);
    status = check_limbs(m, &f->graph, o->limb_limit, &f->loops);
    if (status == PINION_OK && !f->loops) status = pn_graph_count(&f->graph, 0, &f->operations);
    if (f->loops) pn_graph_free(&f->graph);
    return status;
}

/* which results are zero by the tree's structure, of any robot that has it */
static pinion_status find_apart(const pinion_model *m, pn_function *f)
{
    const int kind = pn_apart_kind(&m->n, f->target->kernel);
    size_t at = 0;
    if (kind == PN_APART_NONE) return PINION_OK;
    f->apart = calloc(f->graph.results + 1, 1);
    if (!f->apart) return PINION_ERR_MEMORY;
    for (int o = 0; o < 6 && f->out[o].name; o++)
        for (size_t k = 0; k < f->out[o].count; k++, at++) {
            const pn_record *r = &f->graph.record[f->graph.result[at]];
            const int zero = r->operation == PN_OP_CONSTANT && r->value == 0;
            f->apart[at] = zero && pn_is_apart(m, kind, f->call.frame, k);
        }
    return PINION_OK;
}

/* what the library's own call takes */
static pinion_status count_general(const pinion_model *m, const pn_function *f, pinion_operations *general)
{
    pn_function plain = *f;
    plain.algorithm = pn_general_algorithm(m, f->target);
    pn_function_arguments(m, f->call.in >> PN_IN_F_EXT & 1, 0, &plain);
    return pn_trace_whole(m, &plain.call, general);
}

/* Recorded on `moved`, the regrouped model, and where what comes out is not what the library computes, on the
 * model itself: some algorithms need a link's own centre of mass. */
static pinion_status record_checked(const pinion_model *m, const pinion_model *moved,
                                    const pinion_generated *g, const pn_values *values, pn_function *f)
{
    const pinion_model *candidate[2] = {moved, m};
    int agrees = 0;
    for (int i = moved == m; i < 2 && !agrees; i++) {
        pn_graph_free(&f->graph);
        pinion_status status = record_function(candidate[i], &g->options, f);
        if (status == PINION_OK && f->loops) return PINION_OK;
        if (status == PINION_OK) status = pn_function_agrees(values, g, f, &agrees);
        if (status != PINION_OK) return status;
    }
    return agrees ? find_apart(m, f) : PINION_ERR_UNSUPPORTED;
}

/* Forces, M and accelerations are those of the regrouped model; all else needs each link's mass. Of the
 * matrix C there are many, so it is that of the library. */
static pinion_status make_function(const pinion_model *m, const pinion_model *moved,
                                   const pinion_generated *g, const pn_values *values, pn_function *f,
                                   pinion_error *err)
{
    const pinion_codegen_options *o = &g->options;
    const int problem = f->target->problem, coriolis = problem == PN_PROBLEM_coriolis,
              named = f->algorithm >= 0;
    const int forces = problem >= 0 && !coriolis;
    const int own = pn_own_kernel(f->target) >= 0 || problem == PN_PROBLEM_forward_dynamics; /* a kernel for it alone */
    pinion_status status = PINION_OK;
    if (coriolis && !named)
        f->algorithm = pn_general_algorithm(m, f->target);
    else if (problem >= 0 && !named)
        status = pn_choose_algorithm(moved, o, f);
    if (status != PINION_OK) return pn_codegen_fail(err, status, "%s: %s", f->quantity, pinion_status_text(status));
    if (f->algorithm < 0 && !own)
        return pn_codegen_fail(err, PINION_ERR_UNSUPPORTED, "no algorithm for '%s' applies to this model",
                               f->quantity);
    pn_function_arguments(m, o->f_ext, g->margins, f);
    const int regrouped = forces && (f->algorithm < 0 || pn_takes_regrouped(f->algorithm));
    status = record_checked(m, regrouped ? moved : m, g, values, f);
    if (status == PINION_ERR_UNSUPPORTED)
        return pn_codegen_fail(err, status,
                               "%s: what was recorded does not give the library's results at random states",
                               f->quantity);

    /* loops are those of the library's own call, unless another algorithm was asked for */
    if (f->loops && !named) {
        f->algorithm = pn_general_algorithm(m, f->target);
        pn_function_arguments(m, o->f_ext, g->margins, f);
    }
    if (status == PINION_OK) status = count_general(m, f, &f->general);
    return status == PINION_OK
               ? status
               : pn_codegen_fail(err, status, "%s: %s", f->quantity, pinion_status_text(status));
}

/* ---- all of it ---- */

static pinion_status check_request(const pinion_model *m, const pinion_codegen_options *o, pinion_error *err)
{
    if (!m || (o && o->cookie != PN_COOKIE_CODEGEN))
        return pn_codegen_fail(err, PINION_ERR_ARGUMENT,
                               m ? "the options were not started from "
                                   "pinion_codegen_options_default()"
                                 : "there is no model");
    const int known = o->scalar == PINION_CODEGEN_F64 || o->scalar == PINION_CODEGEN_F32 ||
                      o->scalar == PINION_CODEGEN_REAL;
    if (!known || !(o->limb_limit >= 0))
        return pn_codegen_fail(err, PINION_ERR_ARGUMENT, "%s",
                               known ? "limb_limit is not a number from 0 on"
                                     : "scalar is none of f64, f32 and real");
    if (m->n.added)
        return pn_codegen_fail(err, PINION_ERR_UNSUPPORTED,
                               "links of the model have added mass, and code for one robot is that of rigid bodies");
    if (m->n.elastic)
        return pn_codegen_fail(err, PINION_ERR_UNSUPPORTED,
                               "links of the model are elastic, and code for one robot is that of rigid bodies");
    pinion_loop_info loop;
    if (m->n.loops == 0) return PINION_OK;
    char text[84] = "";
    if (pinion_model_loop(m, 0, &loop) == PINION_OK) pn_comment_text(loop.name, text);
    return pn_codegen_fail(err, PINION_ERR_LOOPS,
                           "the model has closed loops (the first is '%s'), and their rank "
                           "depends on the state: no straight-line code can be made of them",
                           text);
}

static pinion_status emit_files(const pinion_model *m, pinion_generated *g)
{
    pinion_status status = pn_emit_header(m, g);
    if (status == PINION_OK) status = pn_emit_source(m, g);
    if (status == PINION_OK) status = pn_emit_test(m, g);
    if (status == PINION_OK) status = pn_emit_cmake(m, g);
    if (status == PINION_OK) status = pn_emit_readme(m, g);
    return status;
}

/* the functions, with what is asked of each */
static pinion_status make_functions(const pinion_model *m, const pinion_codegen_options *o,
                                    pinion_generated *g, pinion_error *err)
{
    pinion_status status = pn_request(m, g, o->what, err);
    if (status == PINION_OK && o->name && strcmp(o->name, g->name) != 0)
        return pn_codegen_fail(err, PINION_ERR_ARGUMENT,
                               "'%s' cannot be the code's name: C, a build or the code itself has it; '%s' could",
                               o->name, g->name);
    if (status == PINION_OK && o->algorithm) status = set_algorithm(m, g, o->algorithm, err);
    if (status != PINION_OK) return status;
    pinion_model *moved = o->no_regrouping ? pinion_model_copy(m) : pn_regrouped(m);
    pn_values values;
    status = pn_values_open(m, g, &values);
    if (!moved || status != PINION_OK) status = pn_codegen_fail(err, PINION_ERR_MEMORY, "out of memory");
    for (int i = 0; i < g->functions && status == PINION_OK; i++)
        status = make_function(m, moved, g, &values, &g->function[i], err);
    pn_values_close(&values);
    pinion_model_free(moved);
    return status;
}

pinion_generated *pn_generate(const pinion_model *m, const pinion_codegen_options *options, int margins,
                              pinion_error *err)
{
    const pinion_codegen_options defaults = pinion_codegen_options_default();
    const pinion_codegen_options *o = options ? options : &defaults;
    if (check_request(m, o, err) != PINION_OK) return NULL;
    pinion_generated *g = calloc(1, sizeof *g);
    const char *name = o->name ? o->name : pinion_model_name(m);
    if (g) g->name = pn_identifier(name, NULL, 0);
    if (!g || !g->name) {
        pn_codegen_fail(err, PINION_ERR_MEMORY, "out of memory");
        free(g);
        return NULL;
    }
    g->options = *o;
    g->options.name = g->options.what = g->options.algorithm = NULL;
    g->margins = margins;

    pinion_status status = make_functions(m, o, g, err);
    if (status == PINION_OK) {
        status = emit_files(m, g);
        if (status != PINION_OK) pn_codegen_fail(err, status, "%s", pinion_status_text(status));
    }
    if (status == PINION_OK) return g;
    pinion_generated_free(g);
    return NULL;
}
