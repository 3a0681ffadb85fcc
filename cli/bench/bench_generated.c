/* pinion bench --generated: code for the model, compiled and loaded, beside the kernels. */
#include "cli/args/temporary.h"
#include "cli/bench/bench.h"

#include <stdlib.h>
#include <string.h>

int pn_cli_bench_is_generated(const bench_item *item)
{
    pinion_quantity_info info;
    return pinion_quantity(item->quantity, &info) == PINION_OK && info.in_codegen;
}

#ifdef PINION_TRACE
#include "pinion/codegen.h"

/* The quantities that the items of a sheet need, separated by commas; NULL: out of memory, or there are none. */
static char *list_quantities(const bench_sheet *s, const char *frame)
{
    const size_t room = (size_t)s->count * (strlen(frame) + 32) + 1;
    char *list = calloc(room, 1);
    size_t used = 0;
    for (int i = 0; list && i < s->count; i++) {
        pinion_quantity_info info;
        if (s->item[i].why[0] || !pn_cli_bench_is_generated(&s->item[i]) ||
            pinion_quantity(s->item[i].quantity, &info) != PINION_OK)
            continue;
        used += (size_t)snprintf(list + used, room - used, "%s%s%s%s", used ? "," : "", info.name,
                                 info.takes_frame ? ":" : "", info.takes_frame ? frame : "");
    }
    if (used) return list;
    free(list);
    return NULL;
}

/* workspaces and a batch of their own, so that both can be timed in turns */
static int use(bench_bed *bed)
{
    bed->quick_w = pinion_work_new(bed->m);
    bed->quick_w32 = pinion_work_f32_new(bed->m);
    bed->quick = pinion_batch_new(bed->m, 1);
    bed->quick_packs = pinion_batch_new(bed->m, 1);
    return bed->quick_w && bed->quick_w32 && bed->quick && bed->quick_packs &&
           pinion_batch_set_layout(bed->quick_packs, PINION_LAYOUT_PACKS) == PINION_OK &&
           pinion_batch_use(bed->quick_packs, bed->generated) == PINION_OK &&
           pinion_work_use(bed->quick_w, bed->generated) == PINION_OK &&
           pinion_work_f32_use(bed->quick_w32, bed->generated) == PINION_OK &&
           pinion_batch_use(bed->quick, bed->generated) == PINION_OK;
}

int pn_cli_bench_generate(bench_sheet *s, bench_bed *bed, pinion_error *err)
{
    pinion_frame_info frame;
    if (pinion_model_frame(bed->m, bed->frame, &frame) != PINION_OK) frame.name = "";
    pinion_codegen_options options = pinion_codegen_options_default();
    char *what = list_quantities(s, frame.name);
    if (!what) return 1;
    options.what = what;
    const double began = pn_cli_now();
    pn_cli_temporary_begin();
    bed->generated = pinion_codegen_compile(bed->m, &options, NULL, err);
    pn_cli_temporary_end();
    s->compiling = pn_cli_now() - began;
    free(what);
    if (!bed->generated) return 0;
    *err = (pinion_error){PINION_ERR_MEMORY, 0, 0, "out of memory"};
    return use(bed);
}

void pn_cli_bench_generated_free(bench_bed *bed)
{
    pinion_work_free(bed->quick_w);
    pinion_work_f32_free(bed->quick_w32);
    pinion_batch_free(bed->quick);
    pinion_batch_free(bed->quick_packs);
    pinion_compiled_free(bed->generated);
    bed->quick_w = NULL;
    bed->quick_w32 = NULL;
    bed->quick = bed->quick_packs = NULL;
    bed->generated = NULL;
}
#else
int pn_cli_bench_generate(bench_sheet *s, bench_bed *bed, pinion_error *err)
{
    (void)s;
    (void)bed;
    *err = (pinion_error){PINION_ERR_UNSUPPORTED, 0, 0, "this pinion was built without code generation"};
    return 0;
}

void pn_cli_bench_generated_free(bench_bed *bed)
{
    (void)bed;
}
#endif
