/* What varies from run to run: numbers of the model, of its start and of what drives it. */
#define _POSIX_C_SOURCE 200809L
#include "sweep/plan/sweep_plan.h"

#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LIST_MAX 1e15 /* points of lists and grids together */

const pn_varied_kind pn_varied_kinds[PN_VARY_COUNT] = {
    [PN_VARY_MASS] = {"mass", PN_PLACE_LINK, 0, 0, "kg"},
    [PN_VARY_INERTIA] = {"inertia", PN_PLACE_LINK, 0, 0, ""},
    [PN_VARY_COM] = {"com", PN_PLACE_LINK, 1, 0, "m"},
    [PN_VARY_PAYLOAD] = {"payload", PN_PLACE_LINK, 0, 0, "kg"},
    [PN_VARY_FRICTION] = {"friction", PN_PLACE_DOF, 0, 0, ""},
    [PN_VARY_DAMPING] = {"damping", PN_PLACE_DOF, 0, 0, ""},
    [PN_VARY_STIFFNESS] = {"stiffness", PN_PLACE_DOF, 0, 0, ""},
    [PN_VARY_REST] = {"rest", PN_PLACE_DOF, 0, 0, ""},
    [PN_VARY_ROTOR] = {"rotor", PN_PLACE_DOF, 0, 0, "kg m^2"},
    [PN_VARY_GRAVITY] = {"gravity", PN_PLACE_NONE, 1, 0, "m/s^2"},
    [PN_VARY_Q0] = {"q0", PN_PLACE_Q, 0, 0, NULL},
    [PN_VARY_V0] = {"v0", PN_PLACE_V, 0, 0, NULL},
    [PN_VARY_TO] = {"to", PN_PLACE_Q, 0, 0, NULL},
    [PN_VARY_KP] = {"kp", PN_PLACE_V, 0, 0, ""},
    [PN_VARY_KD] = {"kd", PN_PLACE_V, 0, 0, ""},
    [PN_VARY_TORQUE] = {"torque", PN_PLACE_V, 0, 0, ""},
    [PN_VARY_A0] = {"a0", PN_PLACE_V, 0, 0, NULL},
    [PN_VARY_DURATION] = {"duration", PN_PLACE_NONE, 0, 0, "s"},
    [PN_VARY_STEP] = {"step", PN_PLACE_NONE, 0, 0, "s"},
    [PN_VARY_CONTROL_STEP] = {"control_step", PN_PLACE_NONE, 0, 0, "s"},
    [PN_VARY_CONTROL_DELAY] = {"control_delay", PN_PLACE_NONE, 0, 0, "s"},
    [PN_VARY_STICTION] = {"stiction", PN_PLACE_NONE, 0, 0, ""},
    [PN_VARY_FRICTION_SPEED] = {"friction_speed", PN_PLACE_NONE, 0, 0, ""},
    [PN_VARY_SEED] = {"seed", PN_PLACE_NONE, 0, 0, ""},
    [PN_VARY_CONTROL] = {"control", PN_PLACE_NONE, 0, 1, ""},
    [PN_VARY_INTEGRATOR] = {"integrator", PN_PLACE_NONE, 0, 1, ""},
    [PN_VARY_TRAJECTORY] = {"trajectory", PN_PLACE_NONE, 0, 1, ""},
    [PN_VARY_SCALE] = {"scale", PN_PLACE_NONE, 0, 0, ""},
    [PN_VARY_MODEL] = {"model", PN_PLACE_POINTER, 0, 0, ""},
};

/* ------------------------------------------------------------------------------------------------
 * Where */

/* Links whose name is the text, or matches it. */
static int links_of(const pinion_model *m, const char *name, pn_parameter *p)
{
    for (int i = 0; i < pinion_model_link_count(m); i++) {
        pinion_link_info link;
        if (pinion_model_link(m, i, &link) == PINION_OK &&
            (strcmp(link.name, name) == 0 || fnmatch(name, link.name, 0) == 0))
            p->places[p->place_count++] = (pn_spot_of){i, 0};
    }
    return p->place_count;
}

/* Degrees of freedom of joints by name, group or pattern. */
static int dofs_of(const pinion_model *m, const unsigned char *found, pn_parameter *p)
{
    for (int i = 0; i < pinion_model_joint_count(m); i++) {
        pinion_joint_info joint;
        if (pinion_model_joint(m, i, &joint) != PINION_OK) continue;
        for (int k = 0; k < joint.dof_count && k < joint.nv; k++)
            if (found[joint.v_index + k]) p->places[p->place_count++] = (pn_spot_of){i, k};
    }
    return p->place_count;
}

static int coordinates_of(const unsigned char *found, int count, pn_parameter *p)
{
    for (int i = 0; i < count; i++)
        if (found[i]) p->places[p->place_count++] = (pn_spot_of){i, 0};
    return p->place_count;
}

/* The unit of a parameter that has that of its coordinate. */
static void find_unit(const pinion_model *m, pn_parameter *p)
{
    const pn_varied_kind *kind = &pn_varied_kinds[p->what];
    const char *what = kind->place == PN_PLACE_Q    ? "q"
                       : p->what == PN_VARY_TORQUE ? "tau"
                       : p->what == PN_VARY_A0     ? "a"
                                                   : "v";
    const char *unit = p->mode == PN_MODE_FACTOR ? "" : kind->unit;
    if (!unit || (p->what == PN_VARY_TORQUE && p->mode != PN_MODE_FACTOR))
        unit = pinion_coordinate_unit(m, what, p->places[0].index);
    snprintf(p->unit, sizeof p->unit, "%s", unit);
}

/* "of": a name, a group or a pattern. */
static int read_of(const pn_json_value *v, pinion_sweep *s, pn_parameter *p)
{
    const pn_varied_kind *kind = &pn_varied_kinds[p->what];
    const pinion_model *m = s->model;
    pn_json_value of;
    const char *name = NULL;
    if (kind->place == PN_PLACE_NONE)
        return !pn_value_get(v, "of", &of) || pn_value_fail(&of, "\"%s\" is of the whole run", kind->name);
    if (!pn_value_need(v, "of", &of) || !pn_value_string(&of, &name)) return 0;
    if (kind->place == PN_PLACE_POINTER) {
        json_t *number = pn_plan_pointed(s->model_tree, name);
        if (!number) return pn_value_fail(&of, "the model's JSON has nothing at \"%.100s\"", name);
        if (!json_is_number(number)) return pn_value_fail(&of, "what is at \"%.100s\" is no number", name);
        p->pointer = strdup(name);
        return p->pointer ? 1 : pn_plan_no_memory(v);
    }
    const size_t most = (size_t)pinion_model_link_count(m) + (size_t)s->nq + (size_t)s->nv;
    unsigned char *found = calloc(most + 1, 1);
    p->places = calloc(most + 1, sizeof *p->places);
    if (!found || !p->places) {
        free(found);
        return pn_plan_no_memory(v);
    }
    if (kind->place == PN_PLACE_LINK)
        links_of(m, name, p);
    else if (pinion_find_coordinates(m, kind->place == PN_PLACE_Q ? "q" : "v", name, found))
        kind->place == PN_PLACE_DOF ? dofs_of(m, found, p)
                                    : coordinates_of(found, kind->place == PN_PLACE_Q ? s->nq : s->nv, p);
    free(found);
    return p->place_count ||
           pn_value_fail(&of, "no %s is named \"%.60s\"",
                         kind->place == PN_PLACE_LINK ? "link" : "joint or coordinate", name);
}

/* ------------------------------------------------------------------------------------------------
 * Values */

/* Words of a list, which become numbers. */
static int read_words(const pn_json_value *list, pinion_sweep *s, pn_parameter *p)
{
    pn_json_value element = {0};
    p->words = calloc((size_t)p->values + 1, sizeof *p->words);
    if (!p->words) return pn_plan_no_memory(list);
    for (int k = 0; pn_value_next(list, &element); k++) {
        const char *word = NULL;
        int choice = k;
        if (!pn_value_string(&element, &word)) return 0;
        if (p->what == PN_VARY_CONTROL &&
            !pn_plan_choice(&element, pn_plan_controls, &choice))
            return 0;
        if (p->what == PN_VARY_INTEGRATOR &&
            !pn_plan_choice(&element, pn_plan_integrators, &choice))
            return 0;
        if (p->what == PN_VARY_CONTROL && (choice == PN_PLAN_TASK) != (s->run.tasks != NULL))
            return pn_value_fail(&element, "\"task\" and the run's \"tasks\" go together");
        p->list[k] = choice;
        p->words[k] = strdup(word);
        if (!p->words[k]) return pn_plan_no_memory(list);
    }
    return 1;
}

static int read_list(const pn_json_value *list, pinion_sweep *s, pn_parameter *p)
{
    if (!pn_value_array(list, "values")) return 0;
    p->values = json_array_size(list->json);
    if (p->values == 0) return pn_value_fail(list, "has no values");
    p->list = calloc((size_t)p->values, sizeof *p->list);
    if (!p->list) return pn_plan_no_memory(list);
    return pn_varied_kinds[p->what].words ? read_words(list, s, p)
                                          : pn_value_numbers(list, (size_t)p->values, p->list);
}

/* [low, high, count]: evenly from the one to the other. */
static int read_grid(const pn_json_value *grid, const pn_json_value *v, pn_parameter *p)
{
    double x[3];
    if (!pn_value_numbers(grid, 3, x) || !pn_get_boolean(v, "log", &p->logarithmic)) return 0;
    if (!(x[2] >= 2 && x[2] <= LIST_MAX && x[2] == floor(x[2])))
        return pn_value_fail(grid, "expected [from, to, count] with a whole count of at least 2");
    if (p->logarithmic && !(x[0] > 0 && x[1] > 0))
        return pn_value_fail(grid, "\"log\" needs numbers above 0");
    p->low = x[0];
    p->high = x[1];
    p->values = (uint64_t)x[2];
    return 1;
}

static int read_distribution(const pn_json_value *numbers, const pn_json_value *v, int kind, pn_parameter *p)
{
    pn_distribution *d = &p->distribution;
    double x[2], within[2] = {-INFINITY, INFINITY};
    if (!pn_value_numbers(numbers, 2, x) || !pn_get_numbers(v, "within", 2, within)) return 0;
    d->kind = (pn_distribution_kind)kind;
    if (kind == PN_UNIFORM || kind == PN_LOG_UNIFORM) {
        pn_json_value cut;
        if (pn_value_get(v, "within", &cut))
            return pn_value_fail(&cut, "is of \"normal\" and \"log_normal\"");
        d->low = x[0];
        d->high = x[1];
    } else {
        d->mean = x[0];
        d->deviation = x[1];
        d->low = within[0];
        d->high = within[1];
    }
    const char *wrong = pn_distribution_complaint(d);
    return !wrong || pn_value_fail(numbers, "%s", wrong);
}

/* Where its values come from: one of six keys. */
static int read_values(const pn_json_value *v, pinion_sweep *s, pn_parameter *p)
{
    static const char *const sources[] = {"uniform", "log_uniform", "normal", "log_normal", "list", "grid"};
    pn_json_value source, other;
    int kind = -1;
    for (int k = 0; k < 6; k++) {
        if (!pn_value_get(v, sources[k], &other)) continue;
        if (kind >= 0) return pn_value_fail(&other, "beside \"%s\"; expected one of them", sources[kind]);
        kind = k;
        source = other;
    }
    if (kind < 0)
        return pn_value_fail(
            v, "its values are missing: \"list\", \"grid\", \"uniform\", \"log_uniform\", \"normal\" or "
               "\"log_normal\"");
    if (pn_varied_kinds[p->what].words && kind != 4)
        return pn_value_fail(&source, "its values are words: \"list\"");
    if (kind != 5 && pn_value_get(v, "log", &other)) return pn_value_fail(&other, "is of \"grid\"");
    if ((kind < 2 || kind > 3) && pn_value_get(v, "within", &other) && kind > 3)
        return pn_value_fail(&other, "is of \"normal\" and \"log_normal\"");
    p->dimension = kind < 4 ? s->dimensions++ : -1;
    p->axis_number = kind < 4 ? -1 : s->axes++;
    return kind == 4   ? read_list(&source, s, p)
           : kind == 5 ? read_grid(&source, v, p)
                       : read_distribution(&source, v, kind, p);
}

/* ------------------------------------------------------------------------------------------------ */

static int read_name(const pn_json_value *v, const pinion_sweep *s, pn_parameter *p)
{
    pn_json_value name;
    const char *text = NULL;
    if (!pn_value_need(v, "name", &name) || !pn_value_string(&name, &text)) return 0;
    if (!*text || strlen(text) >= PN_SWEEP_NAME) return pn_value_fail(&name, "expected 1 to 199 bytes");
    for (int i = 0; i < s->parameter_count; i++)
        if (strcmp(s->parameters[i].name, text) == 0)
            return pn_value_fail(&name, "is that of vary[%d], too", i);
    p->name = strdup(text);
    return p->name ? 1 : pn_plan_no_memory(v);
}

/* What it is, and how the number acts. */
static int read_what(const pn_json_value *v, pn_parameter *p)
{
    static const char *const modes[] = {"value", "factor", "offset", NULL}, *const axes[] = {"x", "y", "z",
                                                                                             NULL};
    const char *names[PN_VARY_COUNT + 1] = {0};
    pn_json_value what, mode, axis;
    int kind = 0, how = 0;
    for (int i = 0; i < PN_VARY_COUNT; i++) names[i] = pn_varied_kinds[i].name;
    if (!pn_value_need(v, "what", &what) ||
        !pn_plan_choice(&what, names, &kind))
        return 0;
    p->what = (pn_varied)kind;
    if (pn_value_get(v, "as", &mode) &&
        !pn_value_choice(&mode, modes, "\"value\", \"factor\" or \"offset\"", &how))
        return 0;
    p->mode = (pn_mode)how;
    const int alone = pn_varied_kinds[kind].words || kind == PN_VARY_SEED || kind == PN_VARY_SCALE ||
                      kind == PN_VARY_PAYLOAD;
    if (p->mode != PN_MODE_VALUE && alone) return pn_value_fail(&mode, "\"%s\" is a value", names[kind]);
    if (kind == PN_VARY_INERTIA && p->mode != PN_MODE_FACTOR)
        return pn_value_fail(v, "\"inertia\" needs \"as\": \"factor\", so that it stays one of a body");
    if (!pn_value_get(v, "axis", &axis))
        return !pn_varied_kinds[kind].axis ||
               pn_value_fail(v, "\"%s\" needs \"axis\": \"x\", \"y\" or \"z\"", names[kind]);
    if (!pn_varied_kinds[kind].axis) return pn_value_fail(&axis, "\"%s\" has none", names[kind]);
    return pn_value_choice(&axis, axes, "\"x\", \"y\" or \"z\"", &p->axis);
}

/* What the run must have for a parameter to act on anything. */
static int check_use(const pn_json_value *v, const pinion_sweep *s, const pn_parameter *p)
{
    const pn_plan_run *r = &s->run;
    if (!pn_plan_command_varies(r->command, p->what))
        return pn_value_fail(v, "\"%s\" has no part in \"command\": \"%s\"", pn_varied_kinds[p->what].name,
                             pn_plan_commands[r->command]);
    switch (p->what) {
    case PN_VARY_TO: return r->moves || pn_value_fail(v, "\"to\" varies, and the run has none");
    case PN_VARY_SEED: return r->sensors || pn_value_fail(v, "\"seed\" is of sensors, and the run has none");
    case PN_VARY_TRAJECTORY:
        return r->trajectory || pn_value_fail(v, "\"trajectory\" varies, and the run follows none");
    case PN_VARY_KP:
    case PN_VARY_KD:
        for (int i = 0; i < s->parameter_count; i++)
            if (s->parameters[i].what == PN_VARY_CONTROL) return 1;
        return (r->numbers.control >= PN_PLAN_PD && r->numbers.control <= PN_PLAN_COMPUTED) ||
               pn_value_fail(v, "the run has no controller with gains");
    case PN_VARY_STICTION:
        return r->sim.friction == PINION_FRICTION_EXACT || (r->open_friction && r->numbers.control_step > 0) ||
               pn_value_fail(v, "\"stiction\" is of \"friction\": \"exact\"");
    case PN_VARY_FRICTION_SPEED:
        return r->sim.friction == PINION_FRICTION_SMOOTH ||
               pn_value_fail(v, "\"friction_speed\" has no use with \"friction\": \"exact\"");
    case PN_VARY_DURATION:
        return !(r->command == PN_PLAN_ID && r->trajectory) ||
               pn_value_fail(v, "\"duration\" is that of the trajectory");
    case PN_VARY_FRICTION:
    case PN_VARY_DAMPING:
    case PN_VARY_STIFFNESS:
    case PN_VARY_REST:
        return r->sim.passive ||
               pn_value_fail(v, "\"%s\" has no effect without \"passive\": true", pn_varied_kinds[p->what].name);
    case PN_VARY_CONTROL_DELAY:
        return r->numbers.control_step > 0 || pn_value_fail(v, "needs the run's \"control_step\"");
    default: return 1;
    }
}

static int read_parameter(const pn_json_value *v, pinion_sweep *s, pn_parameter *p)
{
    static const char *const keys[] = {"name", "what",    "of",          "as",     "axis",
                                       "at",   "uniform", "log_uniform", "normal", "log_normal",
                                       "list", "grid",    "log",         "within", NULL};
    pn_json_value at;
    p->dimension = p->axis_number = -1;
    p->line = pn_value_line(v);
    if (!pn_value_object(v, keys) || !read_name(v, s, p) || !read_what(v, p)) return 0;
    if (pn_value_get(v, "at", &at) && p->what != PN_VARY_PAYLOAD)
        return pn_value_fail(&at, "is of \"payload\"");
    if (!pn_get_numbers(v, "at", 3, p->at)) return 0;
    if (p->what == PN_VARY_MODEL && !s->model_tree) {
        s->model_tree = pn_plan_model_tree(s->model_json);
        if (!s->model_tree) return pn_plan_no_memory(v);
    }
    if (!read_of(v, s, p) || !read_values(v, s, p) || !check_use(v, s, p)) return 0;
    find_unit(s->model, p);
    if (p->what == PN_VARY_SCALE || p->what == PN_VARY_MODEL) s->rebuilds = 1;
    if (p->what == PN_VARY_FRICTION_SPEED) s->run.open_friction = 0; /* it is smooth */
    return 1;
}

/* The product of lists and grids. */
static int count_points(const pn_json_value *v, pinion_sweep *s)
{
    s->by_dimension = calloc((size_t)s->dimensions + 1, sizeof *s->by_dimension);
    if (!s->by_dimension) return pn_plan_no_memory(v);
    double all = 1;
    s->points = 1;
    for (int i = 0; i < s->parameter_count; i++) {
        const pn_parameter *p = &s->parameters[i];
        if (p->dimension >= 0) {
            s->by_dimension[p->dimension] = i;
            continue;
        }
        all *= (double)p->values;
        if (all > LIST_MAX) return pn_value_fail(v, "its lists and grids make more than 1e15 runs");
        s->points *= p->values;
    }
    return 1;
}

int pn_plan_read_vary(const pn_json_value *v, pinion_sweep *s)
{
    pn_json_value element = {0};
    if (!pn_value_array(v, "parameters")) return 0;
    if (json_array_size(v->json) > PN_SWEEP_MANY) return pn_value_fail(v, "more than %d parameters", PN_SWEEP_MANY);
    s->parameters = calloc(json_array_size(v->json) + 1, sizeof *s->parameters);
    if (!s->parameters) return pn_plan_no_memory(v);
    while (pn_value_next(v, &element)) {
        pn_parameter *p = &s->parameters[s->parameter_count];
        const int fine = read_parameter(&element, s, p);
        s->parameter_count++; /* also what was read in part is to be released */
        if (!fine) return 0;
    }
    return count_points(v, s);
}

void pn_plan_vary_free(pinion_sweep *s)
{
    for (int i = 0; i < s->parameter_count; i++) {
        pn_parameter *p = &s->parameters[i];
        for (uint64_t k = 0; p->words && k < p->values; k++) free(p->words[k]);
        free(p->words);
        free(p->name);
        free(p->places);
        free(p->pointer);
        free(p->list);
    }
    free(s->parameters);
    free(s->by_dimension);
}
