/* One function with limbs side by side: grouped by its results, weighed, written. */
#include "codegen/abreast/abreast.h"
#include <string.h>

/* What is left has to be so much less than the operations one by one: registers of several numbers have their price. */
static const double pays = 0.7;

int pn_takes_abreast(const char *isa)
{
    return strcmp(isa, "avx2") == 0 || strcmp(isa, "avx512") == 0;
}

static void group_limbs(const pinion_model *m, const pn_limbs *limbs, const pn_function *f, pn_abreast *p)
{
    for (size_t i = 0; i < f->graph.results && !p->failed; i++) {
        size_t result[PN_ABREAST];
        int32_t term[PN_ABREAST];
        const int count = pn_limbs_results(m, limbs, f, i, result);
        for (int k = 0; k < count; k++) term[k] = p->value[f->graph.result[result[k]]].term;
        pn_group_results(p, term, count);
    }
}

pinion_status pn_function_abreast(const pinion_model *m, pn_function *f)
{
    const pinion_operations *o = &f->operations;
    pn_limbs limbs;
    pn_abreast p = {0};
    pn_text t = {0};
    int fine = pn_limbs_open(m, &limbs) == PINION_OK;
    if (fine && limbs.sets > 0 && !f->loops) {
        fine = pn_abreast_open(&f->graph, &p);
        if (fine) group_limbs(m, &limbs, f, &p);
        f->left = fine && !p.failed ? pn_abreast_weigh(&p) : 0;
        fine = fine && !p.failed;
        if (fine && f->left < pays * (o->mul + o->add + o->div + o->sqrt + o->trig)) {
            pn_emit_abreast(&p, f, &t);
            f->abreast = pn_text_take(&t);
            fine = f->abreast != NULL;
        }
    }
    pn_abreast_close(&p);
    pn_limbs_close(&limbs);
    return fine ? PINION_OK : PINION_ERR_MEMORY;
}
