/* What is asked for: the list of quantities, each with its frame, algorithm and name. */
#include "codegen/codegen_steps.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_ITEM = 1000 };

/* the frame behind "jacobian:" */
static pinion_status find_frame(const pinion_model *m, const pn_call *target, const char *item,
                                size_t behind, int *frame, pinion_error *err)
{
    *frame = -1;
    const int has_frame = item[behind] == ':';
    if (has_frame != (target->rules & PN_RULE_FRAME))
        return pn_codegen_fail(err, PINION_ERR_ARGUMENT,
                               (target->rules & PN_RULE_FRAME) ? "'%s' is of a frame: expected %s:FRAME"
                                                   : "'%s' takes no frame",
                               target->what, target->what);
    if (!has_frame) return PINION_OK;
    *frame = pinion_model_find_frame(m, item + behind + 1);
    if (*frame >= 0) return PINION_OK;
    char text[84];
    pn_comment_text(item + behind + 1, text);
    return pn_codegen_fail(err, PINION_ERR_NOT_FOUND, "the model has no link or frame named '%s'", text);
}

/* room for one function more, zeroed */
static pn_function *append(pinion_generated *g)
{
    pn_function *grown = realloc(g->function, ((size_t)g->functions + 1) * sizeof *grown);
    if (!grown) return NULL;
    g->function = grown;
    memset(&grown[g->functions], 0, sizeof *grown);
    return &grown[g->functions++];
}

/* the name: that of the robot, the quantity and the frame; another one for each frame */
static pinion_status name_function(const pinion_model *m, pinion_generated *g, pn_function *f)
{
    pinion_frame_info frame;
    pn_text name = {0}, quantity = {0};
    const int with_frame = f->frame >= 0 && pinion_model_frame(m, f->frame, &frame) == PINION_OK;
    char *part = with_frame ? pn_identifier(frame.name, NULL, 0) : NULL;
    pn_text_add(&name, "%s_%s%s%s", g->name, f->target->what, part ? "_" : "", part ? part : "");
    pn_text_add(&quantity, "%s%s%s", f->target->what, with_frame ? ":" : "", with_frame ? frame.name : "");

    const size_t length = name.length;
    int number = 2;
    for (int i = 0; i < g->functions && !name.failed; i++) {
        if (!g->function[i].name || strcmp(g->function[i].name, name.at) != 0) continue;
        name.length = length;
        pn_text_add(&name, "_%d", number++);
        i = -1;
    }
    f->name = name.at;
    f->quantity = quantity.at;
    const int failed = name.failed || quantity.failed || (with_frame && !part);
    free(part);
    return failed ? PINION_ERR_MEMORY : PINION_OK;
}

static pinion_status add_function(const pinion_model *m, pinion_generated *g, const pn_call *target,
                                  int frame, pinion_error *err)
{
    for (int i = 0; i < g->functions; i++)
        if (g->function[i].target == target && g->function[i].frame == frame) return PINION_OK;
    pn_function *f = append(g);
    if (!f) return pn_codegen_fail(err, PINION_ERR_MEMORY, "out of memory");
    f->target = target;
    f->frame = frame;
    f->algorithm = -1;
    if (name_function(m, g, f) != PINION_OK) return pn_codegen_fail(err, PINION_ERR_MEMORY, "out of memory");
    return PINION_OK;
}

static pinion_status add_item(const pinion_model *m, pinion_generated *g, const char *item, pinion_error *err)
{
    const size_t behind = strcspn(item, ":");
    const pn_call *found = pn_target_find(item, behind);
    char text[84];
    pn_comment_text(item, text);
    if (!found)
        return pn_codegen_fail(
            err, PINION_ERR_ARGUMENT,
            "'%s' cannot be generated: expected inverse_dynamics, "
            "forward_dynamics, mass_matrix, gravity, bias, frames, jacobian:FRAME or another that "
            "`pinion codegen --help` lists",
            text);
    int frame;
    const pinion_status status = find_frame(m, found, item, behind, &frame, err);
    return status == PINION_OK ? add_function(m, g, found, frame, err) : status;
}

/* all that need no frame and no asking; what the model cannot have is left out */
static pinion_status add_all(const pinion_model *m, pinion_generated *g, pinion_error *err)
{
    const pn_call *t;
    for (int i = 0; (t = pn_target(i)); i++) {
        if (t->rules & PN_RULE_FRAME || t->flags & PN_WHEN_ASKED) continue;
        if (t->flags & PN_NEEDS_MASS && pinion_model_mass(m) == 0) continue;
        const pinion_status status = add_function(m, g, t, -1, err);
        if (status != PINION_OK) return status;
    }
    return PINION_OK;
}

/* The next of a list, up to its comma; "\," and "\\" stand for characters of a frame's name. Returns what
 * follows the comma, NULL: it was the last. */
static const char *next_item(const char *at, char item[LONGEST_ITEM + 1], int *too_long)
{
    size_t n = 0;
    for (*too_long = 0; *at && *at != ','; at++) {
        if (*at == '\\' && (at[1] == ',' || at[1] == '\\')) at++;
        if (n < LONGEST_ITEM)
            item[n++] = *at;
        else
            *too_long = 1;
    }
    item[n] = 0;
    return *at ? at + 1 : NULL;
}

/* The robot's name must not make a function's that a kernel has: those are in the same file where it has loops. Other
 * names stay as they are. test_rolled.c looks for more of them. */
static pinion_status name_robot(pinion_generated *g, pinion_error *err)
{
    static const char *const of_kernels[] = {"aba", "add", "d", "dca_give", "dca_hand", "denoc_add", "force",
                                             "idsva_add", "in", "k", "kinetic", "ltl_inverse_of", "osim",
                                             "osim_recursive", "proximal_own", "row", "run", "run_d", "spring",
                                             "step", "ties", "world", "write"};
    enum { COUNT = sizeof of_kernels / sizeof *of_kernels };
    char *name = pn_identifier(g->name, of_kernels, COUNT);
    if (!name) return pn_codegen_fail(err, PINION_ERR_MEMORY, "out of memory");
    free(g->name);
    g->name = name;
    return PINION_OK;
}

pinion_status pn_request(const pinion_model *m, pinion_generated *g, const char *what, pinion_error *err)
{
    const pinion_status named = name_robot(g, err);
    if (named != PINION_OK) return named;
    if (!what) return add_all(m, g, err);
    for (const char *at = what; at;) {
        char item[LONGEST_ITEM + 1];
        int too_long;
        at = next_item(at, item, &too_long);
        if (too_long)
            return pn_codegen_fail(err, PINION_ERR_ARGUMENT, "a quantity has more than %d characters",
                                   LONGEST_ITEM);
        const pinion_status status = add_item(m, g, item, err);
        if (status != PINION_OK) return status;
    }
    return PINION_OK;
}
