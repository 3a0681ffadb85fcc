/* One function as statements for code that is loaded back: for single calls with limbs side by side, where that makes
 * it shorter, for packs without. */
#include "codegen/abreast/abreast.h"
#include "api/api.h"
#include <string.h>

/* What is left has to be so much less than the operations one by one: registers of several numbers have their price. */
static const double pays = 0.7;

/* numbers that one pointer reaches with an offset of one byte: 256 bytes of double, or as many packs as it counts */
enum { NEAR_NUMBERS = 32, NEAR_PACKS = 256 };

/* Registers for numbers. Of AVX-512's 32 single calls leave some to what a compiler collects and puts in order, and to
 * shorter instructions, which the first 16 have. */
enum { REGISTERS = 16, REGISTERS_CALLS = 26, REGISTERS_PACKS = 32 };

static int registers_of(const char *isa, int most)
{
    return strcmp(isa, "avx512") == 0 ? most : REGISTERS;
}

int pn_takes_lines(const char *isa)
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

/* groups limbs, and says whether that pays; 0 also where memory is short, which p knows */
static int take_limbs(const pinion_model *m, const pn_limbs *limbs, pn_function *f, pn_abreast *p)
{
    const pinion_operations *o = &f->operations;
    if (limbs->sets == 0) return 0;
    group_limbs(m, limbs, f, p);
    if (!p->failed) f->left = pn_abreast_weigh(p);
    return !p->failed && f->left < pays * (o->mul + o->add + o->div + o->sqrt + o->trig);
}

static int write_lines(const pinion_model *m, const pn_limbs *limbs, int registers, int packs, pn_function *f)
{
    pn_abreast p = {0};
    pn_text t = {0};
    int fine = pn_abreast_open(&f->graph, &p);
    if (fine && !packs) {
        f->limbs = take_limbs(m, limbs, f, &p);
        for (int32_t i = 0; !f->limbs && i < p.groups; i++) p.list[i].dropped = 1;
    }
    fine = fine && !p.failed;
    if (fine) {
        pn_emit_abreast(&p, f, registers, packs ? NEAR_PACKS : NEAR_NUMBERS, &t);
        f->lines[packs] = pn_text_take(&t);
        fine = f->lines[packs] != NULL;
    }
    pn_text_free(&t);
    pn_abreast_close(&p);
    return fine;
}

pinion_status pn_function_lines(const pinion_model *m, int batch, pn_function *f)
{
    const int calls = registers_of(pn_backend_for_calls(8)->isa, REGISTERS_CALLS);
    const int packs = registers_of(pn_backend_for_batches(8)->isa, REGISTERS_PACKS);
    pn_limbs limbs;
    int fine = pn_limbs_open(m, &limbs) == PINION_OK;
    if (fine && !f->loops) fine = write_lines(m, &limbs, calls, 0, f);
    if (fine && batch && !f->loops) fine = write_lines(m, &limbs, packs, 1, f);
    pn_limbs_close(&limbs);
    return fine ? PINION_OK : PINION_ERR_MEMORY;
}
