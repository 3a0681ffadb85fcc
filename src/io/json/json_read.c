/* Reads the native model format: docs/model-format.md is its reference. */
#include "io/json/json.h"
#include "model/lines.h"

static int version_check(const pn_json_value *top)
{
    pn_json_value v;
    double version;
    if (!pn_value_get(top, "pinion", &v))
        return pn_value_fail(top, "the key \"pinion\" is missing, expected \"pinion\": 1 in a model file");
    if (!pn_value_number(&v, &version)) return 0;
    if (version != 1)
        return pn_value_fail(&v, "is a version of the format that this program does not know, expected 1");
    return 1;
}

static int gravity_read(const pn_json_value *top)
{
    pn_json_value v;
    double gravity[3];
    if (!pn_value_get(top, "gravity", &v)) return 1;
    if (!pn_value_numbers(&v, 3, gravity)) return 0;
    return pinion_builder_set_gravity(top->file->builder, gravity, top->file->err) == PINION_OK;
}

/* The root, whose name the build resolves: it needs the line for its complaint. */
static int root_read(const pn_json_value *top)
{
    pn_json_value v;
    const char *link = NULL;
    if (!pn_value_get(top, "root", &v)) return 1;
    if (!pn_value_string(&v, &link)) return 0;
    if (!*link) return pn_value_fail(&v, "is empty, expected the name of a link");
    if (pinion_builder_set_root(top->file->builder, link, top->file->err) != PINION_OK) return 0;
    pn_builder_root_line(top->file->builder, pn_value_line(&v));
    return 1;
}

/* Everything but the name, which the builder has. The order of the sections in the file has no meaning. */
static int model_read(const pn_json_value *top)
{
    pn_json_value v;
    if (!gravity_read(top) || !root_read(top)) return 0;
    if (pn_value_get(top, "links", &v) && !pn_json_links(&v)) return 0;
    if (pn_value_get(top, "dh", &v) && !pn_json_dh(&v, top)) return 0;
    if (pn_value_get(top, "joints", &v) && !pn_json_joints(&v)) return 0;
    if (pn_value_get(top, "loops", &v) && !pn_json_loops(&v)) return 0;
    if (pn_value_get(top, "frames", &v) && !pn_json_frames(&v)) return 0;
    if (pn_value_get(top, "no_collisions", &v) && !pn_json_exclusions(&v)) return 0;
    if (pn_value_get(top, "collision_pairs", &v) && !pn_json_pairs(&v)) return 0;
    if (pn_value_get(top, "actuators", &v) && !pn_json_actuators(&v)) return 0;
    if (pn_value_get(top, "tendons", &v) && !pn_json_tendons(&v)) return 0;
    if (pn_value_get(top, "states", &v) && !pn_json_states(&v)) return 0;
    return !pn_value_get(top, "groups", &v) || pn_json_groups(&v);
}

static pinion_model *build(pn_json_file *file, const json_t *root, const pinion_load_options *o)
{
    static const char *const keys[] = {"pinion",        "name",            "gravity", "root",   "links",
                                       "dh",            "joints",          "loops",   "frames", "actuators",
                                       "no_collisions", "collision_pairs", "tendons", "states", "groups", NULL};
    const pn_json_value top = {file, NULL, root, NULL, 0, {NULL, NULL, 0}};
    pinion_model *model = NULL;
    const char *name = "robot";
    pn_json_value v;

    /* the version first: what an unknown one may hold is unknown too */
    if (!json_is_object(root)) {
        pn_value_expected(&top, "an object with the key \"pinion\"");
        return NULL;
    }
    if (!version_check(&top) || !pn_value_object(&top, keys)) return NULL;
    if (pn_value_get(&top, "name", &v) && !pn_value_string(&v, &name)) return NULL;

    file->builder = pinion_builder_new(name);
    if (!file->builder || pinion_builder_set_source(file->builder, file->name) != PINION_OK) {
        pn_error_set(file->err, PINION_ERR_MEMORY, file->name, 0, 0, "out of memory");
    } else if (model_read(&top)) {
        model = pinion_builder_build(file->builder, o, file->err);
    }
    if (model && pn_value_get(&top, "loops", &v) && !pn_json_loops_check(&v, model)) {
        pinion_model_free(model);
        model = NULL;
    }
    pinion_builder_free(file->builder);
    return model;
}

pinion_model *pn_json_read(const char *text, size_t size, const char *name, const pinion_load_options *o,
                           pinion_error *err)
{
    pn_json_file file = {text, name, NULL, err};
    json_t *root = pn_json_parse(text, size, name, err);
    if (!root) return NULL;
    pinion_model *model = build(&file, root, o);
    json_decref(root);
    return model;
}
