/* NAME.h: what a caller needs to read. */
#include "codegen/emit/emit_text.h"
#include <stdlib.h>
#include <string.h>

/* ---- what several files share ---- */

const char *pn_scalar_name(pinion_codegen_scalar scalar)
{
    static const char *const name[] = {"double", "float", "real"};
    return name[scalar];
}

void pn_emit_capitals(const char *name, pn_text *t)
{
    for (; *name; name++) {
        const char c = *name >= 'a' && *name <= 'z' ? (char)(*name - 'a' + 'A') : *name;
        pn_text_bytes(t, &c, 1);
    }
}

pinion_status pn_add_named_file(pinion_generated *g, const char *prefix, const char *suffix, pn_text *text)
{
    pn_text name = {0};
    pn_text_add(&name, "%s%s%s", prefix, g->name, suffix);
    const pinion_status status = name.failed ? PINION_ERR_MEMORY : pn_add_file(g, name.at, text);
    if (name.failed) pn_text_free(text);
    pn_text_free(&name);
    return status;
}

void pn_emit_signature(const pinion_generated *g, const pn_function *f, int definition, pn_text *t)
{
    const size_t from = t->length;
    const char *comma = "";
    if (g->options.scalar == PINION_CODEGEN_REAL) pn_text_add(t, "PINION_FUNCTION ");
    pn_text_add(t, "void %s(", f->name);
    for (int i = 0; i < PN_IN_COUNT && f->in[i].name; i++, comma = ", ") {
        pn_text_add(t, "%sconst %s%s *%s", comma, definition ? "" : g->name, definition ? "real" : "_real",
                    f->in[i].name);
    }
    for (int i = 0; i < 6; i++) {
        if (!f->out[i].name) continue;
        pn_text_add(t, "%s%s%s *%s%s", comma, definition ? "" : g->name, definition ? "real" : "_real",
                    definition ? "PINION_RESTRICT " : "", f->out[i].name);
    }
    pn_text_add(t, ")");
    pn_text_wrap(t, from, 4);
}

/* ---- the header ---- */

/* a paragraph of the comment on top */
static void end_paragraph(pn_text *t, size_t from)
{
    pn_text_fill(t, from, " * ");
    pn_text_add(t, "\n");
}

static void emit_conventions(const pinion_model *m, const pinion_generated *g, pn_text *t)
{
    double gravity[3];
    pinion_model_gravity(m, gravity);
    size_t from = t->length;
    pn_text_add(t, " * Units are SI and radians. Spatial vectors have their angular part first: velocities "
                   "[w; v], forces [n; f]. "
                   "Matrices are row-major, quaternions w, x, y, z. Gravity is (");
    for (int k = 0; k < 3; k++) {
        if (k) pn_text_add(t, ", ");
        pn_text_digits(t, gravity[k], 0);
    }
    pn_text_add(t, ") m/s^2 in the world, and part of the code.");
    if (g->options.f_ext)
        pn_text_add(t, " External forces are an argument of inverse and forward dynamics: a force [moment; "
                       "force] on each body, "
                       "in the frame of its link; row 0, the base, is not read.");
    end_paragraph(t, from);
    pn_text_add(t, " *\n");
    from = t->length;
    pn_text_add(
        t, " * No array may overlap with one that is written to. There is no state: any number of threads "
           "may call any "
           "function. Nothing is checked, so that the time of a call is always the same: what is not finite "
           "in q, v, a or tau makes those results not finite that depend on it, and numbers that no result "
           "depends on are not read. Quaternions of any length but zero are taken as unit ones.");
    end_paragraph(t, from);
}

/* the coordinates of a joint of that type */
static const char *coordinates(pinion_joint_type type)
{
    switch (type) {
    case PINION_JOINT_PRISMATIC: return "q: displacement";
    case PINION_JOINT_HELICAL: return "q: angle, the displacement is pitch times it";
    case PINION_JOINT_CYLINDRICAL: return "q: angle, displacement";
    case PINION_JOINT_UNIVERSAL: return "q: angle about x, angle about the turned y";
    case PINION_JOINT_PLANAR: return "q: x, y, angle; v: vx, vy, w in the child's frame";
    case PINION_JOINT_SPHERICAL: return "q: quaternion; v: w in the child's frame";
    case PINION_JOINT_FREE: return "q: quaternion, position; v: [w; v] in the child's frame";
    default: return "q: angle";
    }
}

static void emit_joints(const pinion_model *m, pn_text *t)
{
    pinion_joint_info joint;
    char name[84];
    pn_text_add(t, " *\n * Joints, with their first entries in q and in v (a and tau are as v):\n *\n"
                   " *      q    v  joint\n");
    for (int i = 0; pinion_model_joint(m, i, &joint) == PINION_OK; i++) {
        if (joint.nq == 0) continue;
        pn_comment_text(joint.name, name);
        pn_text_add(t, " *   %4d %4d  %s: %s, %s\n", joint.q_index, joint.v_index, name,
                    pinion_joint_type_name(joint.type), coordinates(joint.type));
    }
}

static void emit_followers(const pinion_model *m, pn_text *t)
{
    pinion_joint_info joint, leader;
    char name[84], other[84];
    for (int i = 0; pinion_model_joint(m, i, &joint) == PINION_OK; i++) {
        if (joint.leader < 0 || pinion_model_joint(m, joint.leader, &leader) != PINION_OK) continue;
        pn_comment_text(joint.name, name);
        pn_comment_text(leader.name, other);
        pn_text_add(t, " * %s follows %s: ", name, other);
        pn_text_digits(t, joint.multiplier, 0);
        pn_text_add(t, " q + ");
        pn_text_digits(t, joint.offset, 0);
        pn_text_add(t, "\n");
    }
}

/* bodies and frames, where some function has an array of them */
static void emit_tables(const pinion_model *m, const pinion_generated *g, pn_text *t)
{
    int frames = 0;
    char name[84];
    for (int i = 0; i < g->functions; i++) frames |= pn_own_kernel(g->function[i].target) == PN_K_frames;
    if (g->options.f_ext) {
        pinion_body_info body;
        pn_text_add(t, " *\n * Bodies, by their rows of f_ext:\n *\n");
        for (int i = 0; pinion_model_body(m, i, &body) == PINION_OK; i++) {
            pn_comment_text(i ? body.name : "the base", name);
            pn_text_add(t, " *   %4d  %s\n", i, name);
        }
    }
    if (frames) {
        pinion_frame_info frame;
        pn_text_add(t, " *\n * Frames, by their numbers:\n *\n");
        for (int i = 0; pinion_model_frame(m, i, &frame) == PINION_OK; i++) {
            pn_comment_text(frame.name, name);
            pn_text_add(t, " *   %4d  %s\n", i, name);
        }
    }
}

static void emit_head(const pinion_model *m, const pinion_generated *g, pn_text *t)
{
    char name[84];
    pn_comment_text(pinion_model_name(m), name);
    pn_text_add(t, "/* %s.h: the dynamics of one robot, %d joint coordinates, %d velocities.\n *\n", g->name,
                m->n.nq, m->n.nv);
    pn_text_add(t, " * Generated by Pinion %s from the model \"%s\". Change the model, not this file.\n *\n",
                PINION_VERSION, name);
    emit_conventions(m, g, t);
    emit_joints(m, t);
    emit_followers(m, t);
    emit_tables(m, g, t);
    pn_text_add(t, " */\n");
}

static void emit_macro(const pinion_generated *g, const char *what, int value, const char *comment,
                       pn_text *t)
{
    pn_text_add(t, "#define ");
    pn_emit_capitals(g->name, t);
    pn_text_add(t, "_%s %d /* %s */\n", what, value, comment);
}

/* what `real` is, and what stands before a function */
static void emit_types(const pinion_generated *g, pn_text *t)
{
    if (g->options.scalar != PINION_CODEGEN_REAL) {
        pn_text_add(t, "typedef %s %s_real;\n\n", pn_scalar_name(g->options.scalar), g->name);
        return;
    }
    pn_text_add(t,
                "/* PINION_REAL_HEADER, where it is defined, names a header that says what `real` is: a "
                "number, a vector of\n"
                " * states, a type of a GPU. It defines real, R(x) for a literal, real_sincos(x, &s, &c), "
                "real_sqrt(x),\n"
                " * real_atan2(y, x), real_lt(a, b) and real_select(real_lt(a, b), x, y). Without it real is "
                "double.\n"
                " * PINION_FUNCTION stands before every function: static inline, __device__, ... */\n"
                "#ifdef PINION_REAL_HEADER\n"
                "#include PINION_REAL_HEADER\n"
                "typedef real %s_real;\n"
                "#else\n"
                "typedef double %s_real;\n"
                "#endif\n"
                "#ifndef PINION_FUNCTION\n"
                "#if defined(__CUDACC__)\n"
                "#define PINION_FUNCTION __host__ __device__\n"
                "#else\n"
                "#define PINION_FUNCTION\n"
                "#endif\n"
                "#endif\n\n",
                g->name, g->name);
}

static void emit_declaration(const pinion_model *m, const pinion_generated *g, const pn_function *f,
                             pn_text *t)
{
    char name[84];
    pinion_frame_info frame;
    size_t from = t->length;
    pn_text_add(t, "/* %c%s.",
                f->target->help[0] - ('a' <= f->target->help[0] && f->target->help[0] <= 'z' ? 32 : 0),
                f->target->help + 1);
    pn_text_fill(t, from, " * ");
    pn_text_add(t, "\n");
    if (f->frame >= 0 && pinion_model_frame(m, f->frame, &frame) == PINION_OK) {
        pn_comment_text(frame.name, name);
        pn_text_add(t, " *   frame     %s, at its origin, along the world's axes\n", name);
    }
    for (int i = 0; i < PN_IN_COUNT && f->in[i].name; i++)
        pn_text_add(t, " *   %-9s %s\n", f->in[i].name, f->in[i].shape);
    for (int i = 0; i < 6; i++)
        if (f->out[i].name) pn_text_add(t, " *   %-9s %s, the result\n", f->out[i].name, f->out[i].shape);
    pn_text_add(t, " */\n");
    pn_emit_signature(g, f, 0, t);
    pn_text_add(t, ";\n\n");
}

pinion_status pn_emit_header(const pinion_model *m, pinion_generated *g)
{
    pn_text t = {0};
    emit_head(m, g, &t);
    for (int i = 0; i < 2; i++) {
        pn_text_add(&t, i ? "#define " : "#ifndef ");
        pn_emit_capitals(g->name, &t);
        pn_text_add(&t, "_H\n%s", i ? "\n" : "");
    }
    emit_macro(g, "NQ", m->n.nq, "coordinates", &t);
    emit_macro(g, "NV", m->n.nv, "velocities", &t);
    if (g->options.f_ext) emit_macro(g, "BODIES", m->n.bodies, "with the base", &t);
    emit_macro(g, "FRAMES", m->n.frames, "links and named frames", &t);
    pn_text_add(&t, "\n");
    emit_types(g, &t);
    pn_text_add(&t, "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n");
    for (int i = 0; i < g->functions; i++) emit_declaration(m, g, &g->function[i], &t);
    pn_text_add(&t, "#ifdef __cplusplus\n}\n#endif\n\n#endif\n");
    return pn_add_named_file(g, "", ".h", &t);
}
