/* pinion info: what is in a model. */
#include "cli/info/info.h"
#include "src/base/curve.h"
#include "cli/info/info_loops.h"

#include "cli/args/load_option.h"

#include <math.h>
#include <string.h>

const char *pn_cli_link_name(const pinion_model *m, int link)
{
    pinion_link_info info;
    return link >= 0 && pinion_model_link(m, link, &info) == PINION_OK ? info.name : "world";
}

const char *pn_cli_joint_name(const pinion_model *m, int joint)
{
    pinion_joint_info info;
    return pinion_model_joint(m, joint, &info) == PINION_OK ? info.name : "";
}

int pn_cli_dof_is_linear(pinion_joint_type type, int dof)
{
    switch (type) {
    case PINION_JOINT_PRISMATIC: return 1;
    case PINION_JOINT_CYLINDRICAL: return dof == 1;
    case PINION_JOINT_PLANAR: return dof < 2;
    case PINION_JOINT_FREE: return dof >= 3;
    default: return 0;
    }
}

const char *pn_cli_range(char *text, size_t size, char letter, int first, int count)
{
    if (count == 0)
        text[0] = '\0';
    else if (count == 1)
        snprintf(text, size, "%c[%d]", letter, first);
    else
        snprintf(text, size, "%c[%d..%d]", letter, first, first + count - 1);
    return text;
}

/* ------------------------------------------------------------------------------------------------ */
/* The parts of the text */

static void heading(const char *text, cli_style style)
{
    printf("\n%s%s%s\n", pn_cli_bold(style), text, pn_cli_plain(style));
}

/* "3 joints", "1 joint" */
static void put_count(int count, const char *noun, const char *plural)
{
    printf("%d %s", count, count == 1 ? noun : plural);
}

static void print_summary(const pinion_model *m, cli_style style)
{
    double gravity[3];
    int moving = 0, fixed = 0, following = 0;
    pinion_model_gravity(m, gravity);
    for (int i = 0; i < pinion_model_joint_count(m); i++) {
        pinion_joint_info joint;
        if (pinion_model_joint(m, i, &joint) != PINION_OK) continue;
        moving += joint.type != PINION_JOINT_FIXED && joint.leader < 0;
        fixed += joint.type == PINION_JOINT_FIXED;
        following += joint.leader >= 0;
    }

    fputs(pn_cli_bold(style), stdout);
    pn_cli_put(stdout, pinion_model_name(m));
    printf("%s\n\n  ", pn_cli_plain(style));
    put_count(pinion_model_link_count(m), "link", "links");
    fputs(" and ", stdout);
    put_count(moving, "moving joint", "moving joints");
    if (fixed) printf(", %d fixed", fixed);
    if (following) printf(", %d following another one", following);
    if (pinion_model_loop_count(m)) printf(", %d closing a loop", pinion_model_loop_count(m));
    fputs("\n  a position q has ", stdout);
    put_count(pinion_model_nq(m), "number", "numbers");
    fputs(", a velocity v has ", stdout);
    put_count(pinion_model_nv(m), "number", "numbers");
    fputs("\n  ", stdout);
    put_count(pinion_model_actuator_count(m), "actuator", "actuators");
    if (!pinion_model_actuators_listed(m) && pinion_model_actuator_count(m) > 0)
        printf(", ideal, %son a coordinate of its own", pinion_model_actuator_count(m) == 1 ? "" : "each ");
    printf("\n  mass     %.6g kg that can move", pinion_model_mass(m));
    if (pinion_model_fixed_mass(m) != 0) printf(", %.6g kg welded to the world", pinion_model_fixed_mass(m));
    printf("\n  gravity  %.6g, %.6g, %.6g m/s^2 (x, y, z of the world)\n", gravity[0], gravity[1],
           gravity[2]);
}

/* "z", "-x" or the three numbers; "" for joints without one axis. */
static void add_axis(cli_table *t, const pinion_joint_info *joint)
{
    static const char *const name[2][3] = {{"x", "y", "z"}, {"-x", "-y", "-z"}};
    if (joint->type == PINION_JOINT_FIXED || joint->type == PINION_JOINT_UNIVERSAL ||
        joint->type == PINION_JOINT_SPHERICAL || joint->type == PINION_JOINT_FREE || joint->type == PINION_JOINT_MODE) {
        pn_cli_table_add(t, "%s", "");
        return;
    }
    for (int i = 0; i < 3; i++) {
        if (fabs(joint->axis[i]) != 1) continue;
        pn_cli_table_add(t, "%s", name[joint->axis[i] < 0][i]);
        return;
    }
    pn_cli_table_add(t, "%.3g, %.3g, %.3g", joint->axis[0], joint->axis[1], joint->axis[2]);
}

/* "x unit", "-" where there is no limit */
static void add_limit(cli_table *t, double limit, const char *unit)
{
    if (isfinite(limit))
        pn_cli_table_add(t, "%.4g %s", limit, unit);
    else
        pn_cli_table_add(t, "%s", "-");
}

static int has_limits(const pinion_joint_info *joint)
{
    for (int k = 0; k < joint->nv; k++) {
        const pinion_dof *dof = &joint->dof[k];
        if (isfinite(dof->lower) || isfinite(dof->upper) || isfinite(dof->velocity) || isfinite(dof->effort))
            return 1;
    }
    return 0;
}

/* The rows of one joint: one per degree of freedom if that has limits, the joint itself only on the first. */
static void add_joint(cli_table *t, const pinion_model *m, const pinion_joint_info *joint, cli_style style)
{
    char text[40];
    int rows = has_limits(joint) ? joint->nv : 1;
    for (int k = 0; k < rows; k++) {
        const pinion_dof *dof = &joint->dof[k];
        int linear = pn_cli_dof_is_linear(joint->type, k);
        if (k == 0) {
            pn_cli_table_add(t, "%s", joint->name);
            if (joint->type == PINION_JOINT_HELICAL)
                pn_cli_table_add(t, "helical, %.4g m/rad", joint->pitch);
            else
                pn_cli_table_add(t, "%s", pinion_joint_type_name(joint->type));
            pn_cli_table_add(t, "%s %s %s", pn_cli_link_name(m, joint->parent), style.utf8 ? "→" : "->",
                             pn_cli_link_name(m, joint->child));
            add_axis(t, joint);
            pn_cli_table_add(t, "%s", pn_cli_range(text, sizeof text, 'q', joint->q_index, joint->nq));
        } else {
            for (int i = 0; i < 5; i++) pn_cli_table_add(t, "%s", "");
        }
        int count = rows == 1 ? joint->nv : 1;
        pn_cli_table_add(t, "%s", pn_cli_range(text, sizeof text, 'v', joint->v_index + k, count));
        add_limit(t, dof->lower, linear ? "m" : "rad");
        add_limit(t, dof->upper, linear ? "m" : "rad");
        add_limit(t, dof->velocity, linear ? "m/s" : "rad/s");
        add_limit(t, dof->effort, linear ? "N" : "N m");
    }
}

static int print_joints(const pinion_model *m, cli_style style)
{
    static const char *const title[] = {"joint", "type",   "parent and child", "axis",  "in q",
                                        "in v",  "lowest", "highest",          "speed", "effort"};
    if (pinion_model_nv(m) == 0) return 1;
    heading("Joints and their limits", style);
    cli_table t = pn_cli_table(10);
    for (int i = 0; i < 10; i++) pn_cli_table_add(&t, "%s", title[i]);
    for (int i = 0; i < pinion_model_joint_count(m); i++) {
        pinion_joint_info joint;
        if (pinion_model_joint(m, i, &joint) == PINION_OK && joint.nv > 0) add_joint(&t, m, &joint, style);
    }
    return pn_cli_table_print(&t, stdout, "llllllrrrr", style);
}

/* "x, y, z" */
static void add_numbers(cli_table *t, const double *x, int count)
{
    char text[200] = "";
    for (int i = 0; i < count; i++) {
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%s%.4g", i ? ", " : "", x[i]);
    }
    pn_cli_table_add(t, "%s", text);
}

/* Joints that the model says do not start neutral and at rest. */
static int print_initial(const pinion_model *m, cli_style style)
{
    cli_table t = pn_cli_table(3);
    pn_cli_table_add(&t, "joint");
    pn_cli_table_add(&t, "q");
    pn_cli_table_add(&t, "v");
    for (int i = 0; i < pinion_model_joint_count(m); i++) {
        pinion_joint_info joint;
        if (pinion_model_joint(m, i, &joint) != PINION_OK || !joint.has_initial) continue;
        pn_cli_table_add(&t, "%s", joint.name);
        add_numbers(&t, joint.initial_q, joint.nq);
        add_numbers(&t, joint.initial_v, joint.nv);
    }
    if (t.cells > 3) heading("Initial state, rad and m (other joints are neutral and at rest)", style);
    return pn_cli_table_print(&t, stdout, t.cells > 3 ? "lll" : NULL, style);
}

/* A row for a degree of freedom that has a damper, friction, a rotor or a spring. */
static void add_elements(cli_table *t, const pinion_joint_info *joint, int k)
{
    const pinion_dof *dof = &joint->dof[k];
    const char *force = pn_cli_dof_is_linear(joint->type, k) ? "N" : "N m";
    const char *per = pn_cli_dof_is_linear(joint->type, k) ? "m" : "rad";
    int friction = dof->friction_positive != 0 || dof->friction_negative != 0;
    const int bent = pn_is_curved(dof->damping_curve);
    const int sprung = dof->stiffness != 0 || pn_is_curved(dof->stiffness_curve);
    if (dof->damping == 0 && !bent && !friction && dof->rotor_inertia == 0 && !sprung) return;

    char text[4][120] = {"", "", "", ""};
    size_t size = sizeof text[0];
    if (dof->damping != 0 || bent)
        snprintf(text[0], size, "%.4g %s s/%s%s", dof->damping, force, per, bent ? ", curved" : "");
    if (friction && dof->friction_positive == dof->friction_negative)
        snprintf(text[1], size, "%.4g %s", dof->friction_positive, force);
    else if (friction)
        snprintf(text[1], size, "+%.4g, -%.4g %s", dof->friction_positive, dof->friction_negative, force);
    if (dof->rotor_inertia != 0)
        snprintf(text[2], size, "%.4g kg m^2, gear %.4g", dof->rotor_inertia, dof->gear_ratio);
    if (sprung)
        snprintf(text[3], size, "%.4g %s/%s%s, relaxed at %.4g %s", dof->stiffness, force, per,
                 pn_is_curved(dof->stiffness_curve) ? ", curved" : "", dof->rest, per);

    if (joint->dof_count > 1)
        pn_cli_table_add(t, "%s, part %d", joint->name, k);
    else
        pn_cli_table_add(t, "%s", joint->name);
    for (int i = 0; i < 4; i++) pn_cli_table_add(t, "%s", text[i]);
}

static int print_elements(const pinion_model *m, cli_style style)
{
    static const char *const title[] = {"joint", "damping", "friction", "rotor", "spring"};
    cli_table t = pn_cli_table(5);
    for (int i = 0; i < 5; i++) pn_cli_table_add(&t, "%s", title[i]);
    for (int i = 0; i < pinion_model_joint_count(m); i++) {
        pinion_joint_info joint;
        if (pinion_model_joint(m, i, &joint) != PINION_OK) continue;
        for (int k = 0; k < joint.dof_count; k++) add_elements(&t, &joint, k);
    }
    if (t.cells > 5) heading("Dampers, friction, rotors and springs", style);
    return pn_cli_table_print(&t, stdout, t.cells > 5 ? "lllll" : NULL, style);
}

static int print_followers(const pinion_model *m, cli_style style)
{
    cli_table t = pn_cli_table(2);
    pn_cli_table_add(&t, "joint");
    pn_cli_table_add(&t, "its coordinate");
    for (int i = 0; i < pinion_model_joint_count(m); i++) {
        pinion_joint_info joint;
        if (pinion_model_joint(m, i, &joint) != PINION_OK || joint.leader < 0) continue;
        pn_cli_table_add(&t, "%s", joint.name);
        pn_cli_table_add(&t, "%.6g * %s %s %.6g", joint.multiplier, pn_cli_joint_name(m, joint.leader),
                         joint.offset < 0 ? "-" : "+", fabs(joint.offset));
    }
    if (t.cells > 2) heading("Joints that follow another one (mimic)", style);
    return pn_cli_table_print(&t, stdout, t.cells > 2 ? "ll" : NULL, style);
}

static int print_frames(const pinion_model *m, cli_style style)
{
    int links = pinion_model_link_count(m), frames = pinion_model_frame_count(m);
    heading("Frames", style);
    fputs("  Every link is a frame of its own name.", stdout);
    fputs(frames > links ? " Further frames, in their link's coordinates:\n" : "\n", stdout);
    if (frames == links) return 1;

    cli_table t = pn_cli_table(3);
    pn_cli_table_add(&t, "frame");
    pn_cli_table_add(&t, "on link");
    pn_cli_table_add(&t, "position");
    for (int i = links; i < frames; i++) {
        pinion_frame_info frame;
        if (pinion_model_frame(m, i, &frame) != PINION_OK) continue;
        pn_cli_table_add(&t, "%s", frame.name);
        pn_cli_table_add(&t, "%s", pn_cli_link_name(m, frame.link));
        pn_cli_table_add(&t, "%.4g, %.4g, %.4g m", frame.pose.position[0], frame.pose.position[1],
                         frame.pose.position[2]);
    }
    return pn_cli_table_print(&t, stdout, "lll", style);
}

static void print_warning(const char *text)
{
    fputs("  ", stdout);
    pn_cli_put(stdout, text);
    fputc('\n', stdout);
}

/* those of the model, and what is in doubt of its loops' rank */
static void print_warnings(const pinion_model *m, const char *doubt, cli_style style)
{
    const int count = pinion_model_warning_count(m);
    heading(count || doubt[0] ? "Warnings" : "No warnings", style);
    for (int i = 0; i < count; i++) print_warning(pinion_model_warning(m, i));
    if (doubt[0]) print_warning(doubt);
}

/* ------------------------------------------------------------------------------------------------ */

static int print_text(const pinion_model *m)
{
    cli_style style = pn_cli_style(stdout);
    char doubt[500];
    print_summary(m, style);
    heading("Tree", style);
    int ok = pn_cli_print_tree(stdout, m, style) && print_joints(m, style) && print_initial(m, style) &&
             print_elements(m, style) && pn_cli_print_actuators(m, style) && print_followers(m, style) &&
             print_frames(m, style) && pn_cli_print_loops(m, style, doubt, sizeof doubt);
    if (ok) pn_cli_print_elastic(m, style);
    if (ok) pn_cli_print_collisions(m, style);
    if (ok) pn_cli_print_tendons(m, style);
    if (ok) pn_cli_print_states(m, style);
    if (ok) print_warnings(m, doubt, style);
    return ok;
}

static int run_command(const cli_args *args)
{
    int status = CLI_DONE;
    pinion_model *m = pn_cli_load(args, args->positional);
    if (!m) return CLI_FAILED;

    if (args->value[OPT_JSON]) {
        cli_json json = pn_cli_json(stdout);
        pn_cli_model_json(&json, m);
        pn_cli_json_end(&json);
    } else if (!print_text(m)) {
        pn_cli_report(args->command->name, "out of memory");
        status = CLI_FAILED;
    }
    pinion_model_free(m);
    return pn_cli_finish(args->command->name, status);
}

/* ------------------------------------------------------------------------------------------------ */

static const cli_option *const options[] = {SHARED(JSON), LOAD_OPTIONS, SHARED(HELP), NULL};

const cli_command pn_cli_command_info = {
    .name = "info",
    .summary = "what is in a model: tree, joints, masses, frames, loops, warnings",
    .run = run_command,
    .takes = TAKES_MODEL,
    .usage = "MODEL [options]",
    .about = "Prints what is in a model: the tree of links, the joints with their places in q and v,\n"
             "masses, limits, actuators, frames, loops, and warnings about suspicious inertias.\n",
    .example = "pinion info robot.urdf --root free",
    .options = options,
};
