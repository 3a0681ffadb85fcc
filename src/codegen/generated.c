/* Options, and what the one who generated can ask of the result. */
#include "codegen/codegen_steps.h"
#include <stdlib.h>
#include <string.h>

pinion_codegen_options pinion_codegen_options_default(void)
{
    pinion_codegen_options o;
    memset(&o, 0, sizeof o);
    o.limb_limit = 20000;
    o.cookie = PN_COOKIE_CODEGEN;
    return o;
}

pinion_generated *pinion_codegen(const pinion_model *m, const pinion_codegen_options *options,
                                 pinion_error *err)
{
    return pn_generate(m, options, 0, err);
}

void pinion_generated_free(pinion_generated *g)
{
    if (!g) return;
    for (int i = 0; i < g->functions; i++) {
        free(g->function[i].name);
        free(g->function[i].quantity);
        free(g->function[i].apart);
        for (int k = 0; k < 2; k++) free(g->function[i].lines[k]);
        pn_graph_free(&g->function[i].graph);
    }
    for (int i = 0; i < g->files; i++) {
        free(g->file[i].name);
        free(g->file[i].text);
    }
    free(g->function);
    free(g->file);
    free(g->name);
    free(g);
}

const char *pinion_generated_name(const pinion_generated *g)
{
    return g ? g->name : "";
}

int pinion_generated_function_count(const pinion_generated *g)
{
    return g ? g->functions : 0;
}

pinion_status pinion_generated_function_info(const pinion_generated *g, int function,
                                             pinion_generated_function *out)
{
    if (!g || !out || function < 0 || function >= g->functions) return PINION_ERR_ARGUMENT;
    const pn_function *f = &g->function[function];
    out->name = f->name;
    out->quantity = f->quantity;
    out->algorithm = f->algorithm >= 0 ? pn_algorithms[f->algorithm].name : "";
    out->loops = f->loops;
    out->operations = f->operations;
    out->general = f->general;
    return PINION_OK;
}

int pinion_generated_file_count(const pinion_generated *g)
{
    return g ? g->files : 0;
}

pinion_status pinion_generated_file(const pinion_generated *g, int file, const char **name, const char **text,
                                    size_t *length)
{
    if (!g || file < 0 || file >= g->files) return PINION_ERR_ARGUMENT;
    if (name) *name = g->file[file].name;
    if (text) *text = g->file[file].text;
    if (length) *length = g->file[file].length;
    return PINION_OK;
}

pinion_status pn_add_file(pinion_generated *g, const char *name, pn_text *text)
{
    pn_file *grown = realloc(g->file, ((size_t)g->files + 1) * sizeof *grown);
    if (grown) g->file = grown;
    const size_t bytes = strlen(name) + 1;
    char *copy = malloc(bytes);
    if (!grown || !copy || text->failed || !text->at) {
        free(copy);
        pn_text_free(text);
        return PINION_ERR_MEMORY;
    }
    memcpy(copy, name, bytes);
    g->file[g->files++] = (pn_file){copy, text->at, text->length};
    memset(text, 0, sizeof *text);
    return PINION_OK;
}
