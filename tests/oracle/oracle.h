/* A file of reference values: its model, its states and its answers, turned into Pinion's conventions.
 * In the files 6-vectors carry the linear part first, a free joint's q is position then quaternion x, y, z,
 * w, a continuous joint's q is cos, sin, and the joints are in another order; the joints are matched by name.
 */
#ifndef PN_ORACLE_H
#define PN_ORACLE_H

#include <jansson.h>
#include "check.h"
#include "pinion/pinion.h"

/* Every quantity that is compared. Numbers a state, in the order of a field's array. */
typedef enum field {
    F_ID,
    F_ID_FORCES,
    F_BIAS,
    F_GRAVITY,
    F_MASS,
    F_FD,
    F_FD_FORCES,
    F_KINETIC,
    F_POTENTIAL,
    F_COM,
    F_COM_VELOCITY,
    F_MOMENTUM,
    F_POSITION,
    F_ROTATION,
    F_JACOBIAN, /* one for each pinion_reference from here on */
    F_VELOCITY = F_JACOBIAN + 3,
    FIELD_COUNT = F_VELOCITY + 3
} field;

static const char *const field_name[FIELD_COUNT] = {
    "id",        "id+f",    "bias",    "gravity",   "M",        "fd",       "fd+f",
    "T",         "V",       "com",     "vcom",      "momentum", "position", "rotation",
    "J.aligned", "J.local", "J.world", "v.aligned", "v.local",  "v.world"};

/* One array [count][width] per field; NULL where there is none. */
typedef struct answers {
    double *of[FIELD_COUNT];
} answers;

typedef struct oracle {
    json_t *file;
    const char *name; /* of the file */
    pinion_model *model;
    int nq, nv, bodies, frames;
    size_t count;
    int singular; /* the mass matrix is, so forward dynamics has no answer */
    int frame;    /* of the Jacobian */
    int *v_index; /* where the file's i-th entry of v is in Pinion's v */
    double *q, *v, *a, *tau, *f_ext;
    size_t width[FIELD_COUNT];
    double tolerance[FIELD_COUNT];
    answers expected; /* NaN for frames that the file does not know */
} oracle;

/* ---- reading JSON ---- */

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

static int int_of(const json_t *object, const char *key)
{
    return (int)json_integer_value(json_object_get(object, key));
}

/* a list of numbers, nested to any depth, in order; null becomes NaN. Returns how many there were. */
static size_t read_flat(const json_t *value, double *out, size_t capacity)
{
    if (json_is_array(value)) {
        size_t n = 0;
        for (size_t i = 0; i < json_array_size(value); i++)
            n += read_flat(json_array_get(value, i), out + n, capacity - n);
        return n;
    }
    if (!capacity) return 0;
    *out = json_is_number(value) ? json_number_value(value) : NAN;
    return 1;
}

/* the same from a key, with exactly n numbers */
static void read_numbers(const json_t *object, const char *key, double *out, size_t n)
{
    const size_t found = read_flat(json_object_get(object, key), out, n);
    if (found != n) CHECK_FAIL("%s: %zu numbers, expected %zu", key, found, n);
}

static pinion_pose read_pose(const json_t *placement)
{
    pinion_pose pose;
    read_numbers(placement, "translation", pose.position, 3);
    read_numbers(placement, "rotation", pose.rotation, 9);
    return pose;
}

/* ---- the model ---- */

/* a generated chain or tree: one link and one joint for every entry of "joints" */
static pinion_model *build_generated(const json_t *file, const pinion_load_options *options,
                                     pinion_error *err)
{
    const int free_root = options->root == PINION_ROOT_FREE;
    pinion_builder *b = pinion_builder_new(text_of(file, "model"));
    pinion_status status = b ? PINION_OK : PINION_ERR_MEMORY;
    double gravity[3];
    read_numbers(file, "gravity", gravity, 3);
    if (status == PINION_OK) status = pinion_builder_set_gravity(b, gravity, err);
    pinion_link_def base = pinion_link_def_default();
    base.name = "base";
    if (status == PINION_OK && !free_root) status = pinion_builder_add_link(b, &base, err);

    const json_t *joints = json_object_get(file, "joints");
    for (size_t i = 0; i < json_array_size(joints) && status == PINION_OK; i++) {
        const json_t *from = json_array_get(joints, i);
        const char *type = text_of(from, "type");
        char link_name[64], parent_name[64];
        snprintf(link_name, sizeof link_name, "body_%s", text_of(from, "name"));
        snprintf(parent_name, sizeof parent_name, "body_%s", text_of(from, "parent_name"));

        double full[9];
        pinion_link_def link = pinion_link_def_default();
        link.name = link_name;
        read_numbers(from, "mass", &link.inertia.mass, 1);
        read_numbers(from, "com", link.inertia.com, 3);
        read_numbers(from, "inertia", full, 9);
        const int upper[6] = {0, 1, 2, 4, 5, 8};
        for (int k = 0; k < 6; k++) link.inertia.inertia[k] = full[upper[k]];
        status = pinion_builder_add_link(b, &link, err);
        if (status != PINION_OK || !strcmp(type, "JointModelFreeFlyer")) continue;

        pinion_joint_def joint = pinion_joint_def_default();
        joint.name = text_of(from, "name");
        joint.type = strstr(type, "Prismatic") ? PINION_JOINT_PRISMATIC : PINION_JOINT_CONTINUOUS;
        joint.parent = int_of(from, "parent") == 0 ? "base" : parent_name;
        joint.child = link_name;
        joint.parent_pose = read_pose(json_object_get(from, "placement"));
        read_numbers(from, "axis", joint.axis, 3);
        status = pinion_builder_add_joint(b, &joint, err);
    }
    pinion_model *m = status == PINION_OK ? pinion_builder_build(b, options, err) : NULL;
    pinion_builder_free(b);
    return m;
}

static pinion_model *load_model(const oracle *o, const char *shared, pinion_error *err)
{
    pinion_load_options options = pinion_load_options_default();
    options.mimic = PINION_MIMIC_INDEPENDENT;
    if (!strcmp(text_of(o->file, "root"), "free-flyer")) options.root = PINION_ROOT_FREE;
    if (!strncmp(text_of(o->file, "source"), "generated", 9)) return build_generated(o->file, &options, err);
    char path[1024];
    snprintf(path, sizeof path, "%s/robots/%s.urdf", shared, text_of(o->file, "model"));
    return pinion_load(path, &options, err);
}

/* the joint of that name; the files call the free joint of the root "root_joint" */
static int find_joint(const pinion_model *m, const char *name, pinion_joint_info *info)
{
    const int index = pinion_model_find_joint(m, strcmp(name, "root_joint") ? name : "root");
    return pinion_model_joint(m, index, info) == PINION_OK;
}

/* ---- states ---- */

/* q of one joint */
static void convert_q(const char *type, const double *from, double *to)
{
    if (!strcmp(type, "JointModelFreeFlyer")) {
        to[0] = from[6];
        for (int k = 0; k < 3; k++) {
            to[1 + k] = from[3 + k];
            to[4 + k] = from[k];
        }
    } else if (strstr(type, "RUB") || strstr(type, "RevoluteUnbounded")) {
        to[0] = atan2(from[1], from[0]);
    } else {
        to[0] = from[0];
    }
}

/* a 6-vector from linear, angular to angular, linear */
static void convert_six(const double *from, double *to)
{
    for (int k = 0; k < 6; k++) to[(k + 3) % 6] = from[k];
}

/* one list of nv numbers of every state, in Pinion's order */
static void read_velocities(const oracle *o, const json_t *state, const char *key, double *to)
{
    double *from = calloc((size_t)o->nv, sizeof *from);
    read_numbers(state, key, from, (size_t)o->nv);
    for (int i = 0; i < o->nv; i++) to[o->v_index[i]] = from[i];
    free(from);
}

/* an nv x nv matrix */
static void read_square(const oracle *o, const json_t *state, const char *key, double *to)
{
    const int n = o->nv;
    double *from = calloc((size_t)n * (size_t)n, sizeof *from);
    read_numbers(state, key, from, (size_t)n * (size_t)n);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) to[o->v_index[i] * n + o->v_index[j]] = from[i * n + j];
    free(from);
}

static int read_state(oracle *o, size_t s)
{
    const json_t *state = json_array_get(json_object_get(o->file, "states"), s);
    const json_t *joints = json_object_get(o->file, "joints"), *forces = json_object_get(state, "fext");
    double *from = calloc((size_t)int_of(o->file, "nq"), sizeof *from);
    read_numbers(state, "q", from, (size_t)int_of(o->file, "nq"));
    int found = json_array_size(forces) == json_array_size(joints);
    for (size_t i = 0; i < json_array_size(joints) && found; i++) {
        const json_t *joint = json_array_get(joints, i);
        pinion_joint_info info;
        double force[6];
        found = find_joint(o->model, text_of(joint, "name"), &info);
        if (!found) break;
        convert_q(text_of(joint, "type"), from + int_of(joint, "idx_q"),
                  o->q + s * (size_t)o->nq + info.q_index);
        read_flat(json_array_get(forces, i), force, 6);
        convert_six(force, o->f_ext + 6 * (s * (size_t)o->bodies + (size_t)info.body));
    }
    free(from);
    read_velocities(o, state, "v", o->v + s * (size_t)o->nv);
    read_velocities(o, state, "a", o->a + s * (size_t)o->nv);
    read_velocities(o, state, "tau", o->tau + s * (size_t)o->nv);
    return found;
}

/* ---- answers ---- */

/* y = R x, or R'x */
static void turn(const double R[9], int back, const double x[3], double y[3])
{
    for (int i = 0; i < 3; i++)
        y[i] = back ? R[i] * x[0] + R[3 + i] * x[1] + R[6 + i] * x[2]
                    : R[3 * i] * x[0] + R[3 * i + 1] * x[1] + R[3 * i + 2] * x[2];
}

/* a motion vector at a frame's origin along world axes, [angular; linear], seen in another reference */
static void motion_in(pinion_reference reference, const double position[3], const double rotation[9],
                      const double aligned[6], double out[6])
{
    const double *w = aligned, *p = position;
    memcpy(out, aligned, 6 * sizeof *out);
    if (reference == PINION_REFERENCE_LOCAL) {
        turn(rotation, 1, aligned, out);
        turn(rotation, 1, aligned + 3, out + 3);
    } else if (reference == PINION_REFERENCE_WORLD) {
        out[3] += p[1] * w[2] - p[2] * w[1];
        out[4] += p[2] * w[0] - p[0] * w[2];
        out[5] += p[0] * w[1] - p[1] * w[0];
    }
}

/* the frame's Jacobian and velocity of one state in the three references */
static void read_jacobian(oracle *o, const json_t *state, size_t s)
{
    const size_t n = (size_t)o->nv;
    const json_t *placement =
        json_object_get(json_object_get(state, "body_placements"), text_of(o->file, "jacobian_frame"));
    const pinion_pose pose = read_pose(placement);
    double *from = calloc(6 * n, sizeof *from);
    read_numbers(state, "frame_jacobian", from, 6 * n);
    for (int r = 0; r < 3; r++) {
        double *J = o->expected.of[F_JACOBIAN + r] + s * 6 * n,
               *velocity = o->expected.of[F_VELOCITY + r] + s * 6;
        for (size_t i = 0; i < n; i++) {
            double column[6], six[6];
            const size_t to = (size_t)o->v_index[i];
            for (size_t k = 0; k < 6; k++) column[(k + 3) % 6] = from[k * n + i];
            motion_in((pinion_reference)r, pose.position, pose.rotation, column, six);
            for (size_t k = 0; k < 6; k++) {
                J[k * n + to] = six[k];
                velocity[k] += six[k] * o->v[s * n + to];
            }
        }
    }
    free(from);
}

/* places of all links that the file knows; joints sit where the link they carry is */
static void read_frames(oracle *o, const json_t *state, size_t s)
{
    double *position = o->expected.of[F_POSITION] + s * 3 * (size_t)o->frames;
    double *rotation = o->expected.of[F_ROTATION] + s * 9 * (size_t)o->frames;
    for (int i = 0; i < 3 * o->frames; i++) position[i] = NAN;
    for (int i = 0; i < 9 * o->frames; i++) rotation[i] = NAN;
    const char *name;
    json_t *value;
    json_object_foreach(json_object_get(state, "body_placements"), name, value)
    {
        const int frame = pinion_model_find_frame(o->model, name);
        const pinion_pose pose = read_pose(value);
        CHECK(frame >= 0);
        if (frame < 0) continue;
        memcpy(position + 3 * frame, pose.position, sizeof pose.position);
        memcpy(rotation + 9 * frame, pose.rotation, sizeof pose.rotation);
    }
    json_object_foreach(json_object_get(state, "joint_placements"), name, value)
    {
        pinion_joint_info joint;
        const pinion_pose pose = read_pose(value);
        const int found = find_joint(o->model, name, &joint);
        CHECK(found);
        if (!found) continue;
        CHECK_NEAR(check_error(position + 3 * joint.child, pose.position, 3, 1), 0, 1e-12);
        CHECK_NEAR(check_error(rotation + 9 * joint.child, pose.rotation, 9, 1), 0, 1e-12);
    }
}

static void read_answers(oracle *o, size_t s)
{
    const json_t *state = json_array_get(json_object_get(o->file, "states"), s);
    const size_t n = (size_t)o->nv;
    double six[6];
    read_velocities(o, state, "rnea", o->expected.of[F_ID] + s * n);
    read_velocities(o, state, "rnea_fext", o->expected.of[F_ID_FORCES] + s * n);
    read_velocities(o, state, "nle", o->expected.of[F_BIAS] + s * n);
    read_velocities(o, state, "gravity_torque", o->expected.of[F_GRAVITY] + s * n);
    read_velocities(o, state, "aba", o->expected.of[F_FD] + s * n);
    read_velocities(o, state, "aba_fext", o->expected.of[F_FD_FORCES] + s * n);
    read_square(o, state, "M", o->expected.of[F_MASS] + s * n * n);
    read_numbers(state, "kinetic_energy", o->expected.of[F_KINETIC] + s, 1);
    read_numbers(state, "potential_energy", o->expected.of[F_POTENTIAL] + s, 1);
    read_numbers(state, "com", o->expected.of[F_COM] + s * 3, 3);
    read_numbers(state, "com_velocity", o->expected.of[F_COM_VELOCITY] + s * 3, 3);
    read_numbers(state, "hg", six, 6);
    convert_six(six, o->expected.of[F_MOMENTUM] + s * 6);
    read_frames(o, state, s);
    read_jacobian(o, state, s);
}

/* ---- the file ---- */

static void set_widths(oracle *o)
{
    const size_t n = (size_t)o->nv, frames = (size_t)o->frames;
    for (int f = 0; f < FIELD_COUNT; f++) o->width[f] = n;
    o->width[F_MASS] = n * n;
    o->width[F_KINETIC] = o->width[F_POTENTIAL] = 1;
    o->width[F_COM] = o->width[F_COM_VELOCITY] = 3;
    o->width[F_MOMENTUM] = 6;
    o->width[F_POSITION] = 3 * frames;
    o->width[F_ROTATION] = 9 * frames;
    for (int r = 0; r < 3; r++) {
        o->width[F_JACOBIAN + r] = 6 * n;
        o->width[F_VELOCITY + r] = 6;
    }
}

/* 1e-10, but never below 20 times how far the reference's own algorithms are apart. Every quantity of inverse
 * dynamics is measured by rnea_vs_Ma_plus_nle, which holds bias and gravity too. */
static void set_tolerances(oracle *o)
{
    const json_t *checks = json_object_get(o->file, "self_checks_worst_relative");
    const struct {
        field of;
        const char *key;
    } by[] = {{F_ID, "rnea_vs_Ma_plus_nle"},
              {F_ID_FORCES, "rnea_vs_Ma_plus_nle"},
              {F_BIAS, "rnea_vs_Ma_plus_nle"},
              {F_GRAVITY, "rnea_vs_Ma_plus_nle"},
              {F_MASS, "crba_world_vs_local"},
              {F_FD, "aba_world_vs_local"},
              {F_FD, "aba_of_rnea"},
              {F_FD_FORCES, "aba_fext_world_vs_local"},
              {F_FD_FORCES, "aba_fext_of_rnea_fext"},
              {F_KINETIC, "ke_vs_vMv"}};
    for (int f = 0; f < FIELD_COUNT; f++) o->tolerance[f] = 1e-10;
    for (size_t i = 0; i < sizeof by / sizeof *by; i++) {
        const double own = json_number_value(json_object_get(checks, by[i].key));
        o->tolerance[by[i].of] = fmax(o->tolerance[by[i].of], 20 * own);
    }
}

static void answers_new(const oracle *o, answers *a)
{
    for (int f = 0; f < FIELD_COUNT; f++) a->of[f] = calloc(o->count * o->width[f] + 1, sizeof(double));
}

static void answers_free(answers *a)
{
    for (int f = 0; f < FIELD_COUNT; f++) free(a->of[f]);
}

static void oracle_close(oracle *o)
{
    answers_free(&o->expected);
    free(o->v_index);
    free(o->q);
    free(o->v);
    free(o->a);
    free(o->tau);
    free(o->f_ext);
    pinion_model_free(o->model);
    json_decref(o->file);
}

/* where each entry of the file's v is in Pinion's; 0 when a joint is missing or not of the expected size */
static int match_joints(oracle *o)
{
    const json_t *joints = json_object_get(o->file, "joints");
    int matched = int_of(o->file, "nv") == o->nv;
    for (size_t i = 0; i < json_array_size(joints) && matched; i++) {
        const json_t *joint = json_array_get(joints, i);
        pinion_joint_info info;
        const int nv = int_of(joint, "nv"), at = int_of(joint, "idx_v");
        matched = find_joint(o->model, text_of(joint, "name"), &info) && info.nv == nv && at + nv <= o->nv;
        if (!matched) {
            CHECK_FAIL("%s: joint %s is not in the model", o->name, text_of(joint, "name"));
            break;
        }
        for (int k = 0; k < nv; k++) o->v_index[at + k] = info.v_index + (nv == 6 ? (k + 3) % 6 : k);
    }
    return matched;
}

/* opens one file; 0 with a failed check when it or its model cannot be read */
static int oracle_open(oracle *o, const char *shared, const char *name)
{
    char path[1024];
    json_error_t where;
    pinion_error err = {0};
    memset(o, 0, sizeof *o);
    o->name = name;
    snprintf(path, sizeof path, "%s/oracle/%s", shared, name);
    o->file = json_load_file(path, 0, &where);
    if (o->file) o->model = load_model(o, shared, &err);
    if (!o->model) {
        CHECK_FAIL("%s: %s", name, o->file ? err.message : where.text);
        oracle_close(o);
        return 0;
    }
    const pinion_model *m = o->model;
    o->nq = pinion_model_nq(m);
    o->nv = pinion_model_nv(m);
    o->bodies = pinion_model_body_count(m);
    o->frames = pinion_model_frame_count(m);
    o->count = json_array_size(json_object_get(o->file, "states"));
    o->singular = json_is_true(json_object_get(o->file, "singular_mass_matrix"));
    o->frame = pinion_model_find_frame(m, text_of(o->file, "jacobian_frame"));
    o->v_index = calloc((size_t)o->nv + 1, sizeof *o->v_index);
    o->q = calloc(o->count * (size_t)o->nq + 1, sizeof(double));
    o->v = calloc(o->count * (size_t)o->nv + 1, sizeof(double));
    o->a = calloc(o->count * (size_t)o->nv + 1, sizeof(double));
    o->tau = calloc(o->count * (size_t)o->nv + 1, sizeof(double));
    o->f_ext = calloc(o->count * (size_t)o->bodies * 6 + 1, sizeof(double));
    set_widths(o);
    set_tolerances(o);
    answers_new(o, &o->expected);

    int ok = match_joints(o);
    for (size_t s = 0; s < o->count && ok; s++) ok = read_state(o, s);
    for (size_t s = 0; s < o->count && ok; s++) read_answers(o, s);
    CHECK(ok && o->count > 0 && o->frame >= 0);
    if (!ok) oracle_close(o);
    return ok;
}

#endif
