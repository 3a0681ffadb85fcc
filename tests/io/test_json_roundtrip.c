/* The native model format: a model that is written and read again is the same model, to the last bit. */
#include <math.h>

#include "pinion/pinion.h"
#include "support/check.h"

/* Bit for bit, but all zeros are equal: what is zero is left out of a file. */
static int same_numbers(const double *a, const double *b, int count)
{
    for (int i = 0; i < count; i++) {
        if (a[i] != b[i]) return 0;
    }
    return 1;
}

static int same_pose(const pinion_pose *a, const pinion_pose *b)
{
    return same_numbers(a->position, b->position, 3) && same_numbers(a->rotation, b->rotation, 9);
}

static int same_joint(const pinion_joint_info *a, const pinion_joint_info *b)
{
    int same =
        strcmp(a->name, b->name) == 0 && a->type == b->type && a->parent == b->parent && a->child == b->child;
    same =
        same && a->body == b->body && a->q_index == b->q_index && a->nq == b->nq && a->v_index == b->v_index;
    same = same && a->nv == b->nv && a->leader == b->leader && a->dof_count == b->dof_count;
    same = same && a->multiplier == b->multiplier && a->offset == b->offset && a->pitch == b->pitch;
    same = same && same_pose(&a->parent_pose, &b->parent_pose) && same_pose(&a->child_pose, &b->child_pose);
    int axis = a->type != PINION_JOINT_FIXED && a->type != PINION_JOINT_UNIVERSAL &&
               a->type != PINION_JOINT_SPHERICAL && a->type != PINION_JOINT_FREE;
    if (axis) same = same && same_numbers(a->axis, b->axis, 3);
    for (int i = 0; same && i < a->dof_count; i++)
        same = same_numbers((const double *)&a->dof[i], (const double *)&b->dof[i],
                            sizeof *a->dof / sizeof(double));
    same = same && a->has_initial == b->has_initial && same_numbers(a->initial_q, b->initial_q, 7) &&
           same_numbers(a->initial_v, b->initial_v, 6);
    return same && a->unactuated == b->unactuated;
}

static int same_loop(const pinion_loop_info *a, const pinion_loop_info *b)
{
    int same = a->kind == b->kind && same_joint(&a->joint, &b->joint) && a->first == b->first;
    same = same && a->second == b->second && a->ratio == b->ratio && same_numbers(a->curve, b->curve, 3);
    same = same && a->length == b->length;
    same = same && a->radius == b->radius && a->disk == b->disk && a->row == b->row && a->rows == b->rows;
    same = same && a->nonholonomic == b->nonholonomic && a->q_index == b->q_index && a->v_index == b->v_index;
    return same && same_numbers((const double *)&a->motion, (const double *)&b->motion, 6);
}

static void compare_joints(const pinion_model *a, const pinion_model *b)
{
    CHECK(pinion_model_joint_count(a) == pinion_model_joint_count(b));
    for (int i = 0; i < pinion_model_joint_count(a); i++) {
        pinion_joint_info x, y;
        CHECK_STATUS(pinion_model_joint(a, i, &x), PINION_OK);
        CHECK_STATUS(pinion_model_joint(b, i, &y), PINION_OK);
        if (!same_joint(&x, &y)) CHECK_FAIL("joint %s differs", x.name);
    }
    CHECK(pinion_model_loop_count(a) == pinion_model_loop_count(b));
    for (int i = 0; i < pinion_model_loop_count(a); i++) {
        pinion_loop_info x, y;
        CHECK_STATUS(pinion_model_loop(a, i, &x), PINION_OK);
        CHECK_STATUS(pinion_model_loop(b, i, &y), PINION_OK);
        if (!same_loop(&x, &y)) CHECK_FAIL("loop %s differs", x.name);
    }
}

static void compare_links(const pinion_model *a, const pinion_model *b)
{
    CHECK(pinion_model_link_count(a) == pinion_model_link_count(b));
    for (int i = 0; i < pinion_model_link_count(a); i++) {
        pinion_link_info x, y;
        CHECK_STATUS(pinion_model_link(a, i, &x), PINION_OK);
        CHECK_STATUS(pinion_model_link(b, i, &y), PINION_OK);
        CHECK(strcmp(x.name, y.name) == 0 && x.joint == y.joint && x.body == y.body);
        CHECK(same_numbers((const double *)&x.inertia, (const double *)&y.inertia,
                           sizeof x.inertia / sizeof(double)));
    }
    CHECK(pinion_model_frame_count(a) == pinion_model_frame_count(b));
    for (int i = 0; i < pinion_model_frame_count(a); i++) {
        pinion_frame_info x, y;
        CHECK_STATUS(pinion_model_frame(a, i, &x), PINION_OK);
        CHECK_STATUS(pinion_model_frame(b, i, &y), PINION_OK);
        CHECK(strcmp(x.name, y.name) == 0 && x.link == y.link && x.body == y.body &&
              same_pose(&x.pose, &y.pose));
    }
}

/* Visuals come link by link from a file, so they are compared link by link. */
static void compare_visuals(const pinion_model *a, const pinion_model *b)
{
    int count = pinion_model_visual_count(a);
    CHECK(count == pinion_model_visual_count(b));
    for (int link = 0; link < pinion_model_link_count(a); link++) {
        int j = 0;
        for (int i = 0; i < count; i++) {
            pinion_visual_info x, y;
            CHECK_STATUS(pinion_model_visual(a, i, &x), PINION_OK);
            if (x.link != link) continue;
            do {
                y.link = -1;
                if (pinion_model_visual(b, j++, &y) != PINION_OK) break;
            } while (y.link != link);
            CHECK(y.link == link);
            if (y.link != link) return;
            int sizes = x.shape == PINION_SHAPE_SPHERE                                  ? 1
                        : x.shape == PINION_SHAPE_CYLINDER || x.shape == PINION_SHAPE_CAPSULE ? 2
                                                                                  : 3;
            CHECK(x.shape == y.shape && same_pose(&x.pose, &y.pose) && same_numbers(x.size, y.size, sizes));
            CHECK(same_numbers(x.rgba, y.rgba, 4) && !x.mesh == !y.mesh &&
                  (!x.mesh || strcmp(x.mesh, y.mesh) == 0));
        }
    }
}

static void compare(const pinion_model *a, const pinion_model *b)
{
    double g[3], h[3];
    pinion_model_gravity(a, g);
    pinion_model_gravity(b, h);
    CHECK(strcmp(pinion_model_name(a), pinion_model_name(b)) == 0 && same_numbers(g, h, 3));
    CHECK(pinion_model_nq(a) == pinion_model_nq(b) && pinion_model_nv(a) == pinion_model_nv(b));
    CHECK(pinion_model_mass(a) == pinion_model_mass(b) &&
          pinion_model_fixed_mass(a) == pinion_model_fixed_mass(b));
    CHECK(pinion_model_warning_count(a) == pinion_model_warning_count(b));
    compare_links(a, b);
    compare_joints(a, b);
    compare_visuals(a, b);
}

/* The joint forces of a motion, equal to the last bit. */
static void compare_dynamics(const pinion_model *a, const pinion_model *b)
{
    size_t nq = (size_t)pinion_model_nq(a), nv = (size_t)pinion_model_nv(a);
    double *x = calloc(nq + 4 * nv + 1, sizeof *x), *q = x, *v = q + nq, *acc = v + nv, *tau = acc + nv,
           *tau_b = tau + nv;
    pinion_work *wa = pinion_work_new(a), *wb = pinion_work_new(b);
    CHECK(x && wa && wb);
    if (x && wa && wb) {
        uint64_t seed = check_seed;
        CHECK_STATUS(pinion_random(a, seed, q), PINION_OK);
        for (size_t i = 0; i < nv; i++)
            v[i] = check_between(&seed, -1, 1), acc[i] = check_between(&seed, -1, 1);
        CHECK_STATUS(pinion_inverse_dynamics(a, wa, q, v, acc, NULL, tau), PINION_OK);
        CHECK_STATUS(pinion_inverse_dynamics(b, wb, q, v, acc, NULL, tau_b), PINION_OK);
        for (size_t i = 0; i < nv; i++) CHECK(tau[i] == tau_b[i]);
    }
    pinion_work_free(wa);
    pinion_work_free(wb);
    free(x);
}

/* Writes, reads, compares, and writes again: the second text is the first. */
static void round_trip(const pinion_model *m, const pinion_load_options *options)
{
    pinion_error err;
    memset(&err, 0, sizeof err);
    char *text = pinion_save_string(m, PINION_FORMAT_JSON, &err), *again = NULL;
    CHECK(text != NULL);
    if (!text) return;
    pinion_model *copy =
        pinion_load_string(text, strlen(text), PINION_FORMAT_JSON, "written.json", options, &err);
    if (!copy) {
        CHECK_FAIL("%s", err.message);
    } else {
        compare(m, copy);
        if (pinion_model_loop_count(m) == 0) compare_dynamics(m, copy);
        again = pinion_save_string(copy, PINION_FORMAT_JSON, &err);
        CHECK(again && strcmp(text, again) == 0);
    }
    pinion_model_free(copy);
    pinion_free(text);
    pinion_free(again);
}

TEST(bundled)
{
    static const char *const names[] = {"stanford",    "planar-3r", "puma560-corke",
                                        "puma560-akb", "arm-6dof",  "arm-7dof"};
    const char *folder = getenv("PINION_MODELS");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[1000];
        pinion_error err;
        snprintf(path, sizeof path, "%s/%s.json", folder ? folder : "models", names[i]);
        pinion_model *m = pinion_load(path, NULL, &err);
        if (!m) {
            CHECK_FAIL("%s", err.message);
            continue;
        }
        CHECK(strcmp(pinion_model_name(m), names[i]) == 0);
        round_trip(m, NULL);
        pinion_model_free(m);
    }
}

TEST(random_trees)
{
    pinion_load_options options = pinion_load_options_default();
    for (int i = 0; i < check_rounds(60); i++) {
        pinion_error err;
        int free_root = i & 1;
        pinion_model *m = pinion_random_tree(1 + i, free_root, check_seed + (uint64_t)i, &err);
        if (!m) {
            CHECK_FAIL("%s", err.message);
            continue;
        }

        /* whether the tree's base is a joint of the tree or of the load option is seen from its parent */
        pinion_joint_info first;
        int added = pinion_model_joint(m, 0, &first) == PINION_OK && first.parent < 0;
        options.root = added ? PINION_ROOT_FREE : PINION_ROOT_FIXED;
        round_trip(m, &options);
        pinion_model_free(m);
    }
}

TEST(random_chains)
{
    for (int i = 0; i < check_rounds(20); i++) {
        pinion_model *m = pinion_random_chain(1 + i, check_seed + (uint64_t)i, NULL);
        CHECK(m != NULL);
        if (m) round_trip(m, NULL);
        pinion_model_free(m);
    }
}

/* Everything a builder can be told, with numbers that need all their digits. */
static double any(uint64_t *seed)
{
    static const double special[] = {0,     1,      -1,      0.1,  1e-300,
                                     1e300, 5e-324, 1.0 / 3, 1e22, 123456789012345678.0};
    double x = check_uniform(seed);
    if (x < 0.3) return special[(size_t)(x / 0.3 * 10)];
    return check_between(seed, -10, 10);
}

static pinion_pose any_pose(uint64_t *seed)
{
    pinion_pose p = pinion_pose_identity();
    if (check_uniform(seed) < 0.2) return p;
    double q[4], n = 0;
    for (int i = 0; i < 3; i++)
        p.position[i] = check_uniform(seed) < 0.3 ? 0.1 : check_between(seed, -10, 10);
    if (check_uniform(seed) < 0.2) return p;
    for (int i = 0; i < 4; i++) q[i] = check_between(seed, -1, 1), n += q[i] * q[i];
    for (int i = 0; i < 4; i++) q[i] /= sqrt(n);
    double w = q[0], x = q[1], y = q[2], z = q[3];
    double R[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
                   2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                   2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
    memcpy(p.rotation, R, sizeof R);
    return p;
}

static void any_dofs(pinion_joint_def *def, uint64_t *seed)
{
    for (int i = 0; i < pinion_joint_type_nv(def->type); i++) {
        pinion_dof *d = &def->dof[i];
        if (check_uniform(seed) < 0.5) d->lower = -fabs(any(seed));
        if (check_uniform(seed) < 0.5) d->upper = fabs(any(seed));
        if (check_uniform(seed) < 0.5) d->velocity = any(seed);
        if (check_uniform(seed) < 0.5) d->effort = any(seed);
        if (check_uniform(seed) < 0.5) d->damping = fabs(any(seed));
        if (check_uniform(seed) < 0.5) d->friction_positive = d->friction_negative = fabs(any(seed));
        if (check_uniform(seed) < 0.5) d->friction_negative = fabs(any(seed));
        if (check_uniform(seed) < 0.5) d->rotor_inertia = fabs(check_between(seed, 0, 1));
        if (check_uniform(seed) < 0.5) d->gear_ratio = check_between(seed, -100, 100);
        int sprung = def->type != PINION_JOINT_SPHERICAL && def->type != PINION_JOINT_FREE;
        if (sprung && check_uniform(seed) < 0.5) d->stiffness = fabs(any(seed));
        if (!sprung) d->stiffness = i == 0 || i > 2 ? fabs(any(seed)) : def->dof[0].stiffness;
        if (check_uniform(seed) < 0.5) d->rest = any(seed);
    }
}

static void any_initial(pinion_joint_def *def, uint64_t *seed)
{
    double *q = def->initial_q, n = 0;
    def->has_initial = 1;
    for (int i = 0; i < pinion_joint_type_nq(def->type); i++) q[i] = any(seed);
    for (int i = 0; i < pinion_joint_type_nv(def->type); i++)
        def->initial_v[i] = check_uniform(seed) < 0.3 ? 0 : any(seed);
    if (def->type != PINION_JOINT_SPHERICAL && def->type != PINION_JOINT_FREE) return;
    for (int i = 0; i < 4; i++) q[i] = check_between(seed, -1, 1), n += q[i] * q[i];
    for (int i = 0; i < 4; i++) q[i] *= (1 + check_between(seed, -5e-7, 5e-7)) / sqrt(n);
}

static pinion_status any_joint(pinion_builder *b, int i, uint64_t *seed, pinion_error *err)
{
    pinion_joint_def def = pinion_joint_def_default();
    char name[20], parent[20], child[20], leader[20];
    snprintf(name, sizeof name, "j%d", i);
    snprintf(parent, sizeof parent, "l%d", (int)(check_uniform(seed) * i));
    snprintf(child, sizeof child, "l%d", i);
    snprintf(leader, sizeof leader, "j%d", (int)(1 + check_uniform(seed) * (i - 1)));
    def.name = name, def.parent = parent, def.child = child;
    def.type = (pinion_joint_type)(check_uniform(seed) * PINION_JOINT_TYPE_COUNT);

    /* joint 1 leads, and some later joints of one coordinate follow it or one another */
    if (i == 1 || (def.type == PINION_JOINT_FIXED && i % 4 == 0)) def.type = PINION_JOINT_REVOLUTE;
    if (i > 1 && i % 5 == 0) {
        snprintf(leader, sizeof leader, "j%d", i % 10 == 0 ? i - 5 : 1);
        def.type = i % 3 ? PINION_JOINT_PRISMATIC : PINION_JOINT_HELICAL;
        def.mimic = leader, def.multiplier = any(seed), def.offset = check_between(seed, -1, 1);
        if (fabs(def.multiplier) > 100) def.multiplier = 0.1;
    }
    def.parent_pose = any_pose(seed);
    def.child_pose = any_pose(seed);
    for (int k = 0; k < 3; k++) def.axis[k] = check_between(seed, -5, 5);
    def.pitch = check_between(seed, -1, 1);
    any_dofs(&def, seed);
    if (i % 3 && def.type != PINION_JOINT_FIXED && !def.mimic) any_initial(&def, seed);
    def.unactuated = check_uniform(seed) < 0.3;
    pinion_status status = pinion_builder_add_joint(b, &def, err);

    /* some are joints of loops as well, under another name */
    if (status || i < 3 || i % 4) return status;
    snprintf(name, sizeof name, "loop%d", i);
    def.mimic = NULL;
    def.has_initial = 0;
    for (int k = 0; k < 6; k++)
        if (def.type == PINION_JOINT_SPHERICAL || def.type == PINION_JOINT_FREE) def.dof[k].stiffness = 0;
    def.parent = i % 8 ? "l0" : "l1";
    return pinion_builder_add_loop(b, &def, err);
}

static pinion_motion any_motion(uint64_t *seed)
{
    pinion_motion law;
    double *x = (double *)&law;
    for (int i = 0; i < 6; i++) x[i] = check_uniform(seed) < 0.4 ? 0 : any(seed);
    return law;
}

/* Constraints between the first and the last link, of joint 1 and of one that joins them for this. */
static pinion_status any_constraints(pinion_builder *b, int links, uint64_t *seed, pinion_error *err)
{
    char last[20];
    snprintf(last, sizeof last, "l%d", links);
    pinion_link_def link = pinion_link_def_default();
    link.name = last;
    link.inertia.mass = 1;
    pinion_joint_def joint = pinion_joint_def_default();
    joint.name = "slide", joint.type = PINION_JOINT_PRISMATIC, joint.parent = last, joint.child = "l0";
    pinion_status status = pinion_builder_add_link(b, &link, err);
    if (!status) status = pinion_builder_set_root(b, "l0", err);
    if (!status) status = pinion_builder_add_joint(b, &joint, err); /* is met from its child's side */
    for (int kind = PINION_LOOP_DISTANCE; !status && kind < PINION_LOOP_KIND_COUNT; kind++) {
        if (check_uniform(seed) < 0.2) continue;
        pinion_constraint_def def = pinion_constraint_def_default();
        char name[20];
        snprintf(name, sizeof name, "tie%d", kind);
        def.name = name;
        def.kind = (pinion_loop_kind)kind;
        int spring = kind == PINION_LOOP_SPRING;
        if (kind == PINION_LOOP_DISTANCE || kind == PINION_LOOP_ROLLING || spring) {
            def.parent = "l0", def.child = last;
            def.parent_pose = any_pose(seed), def.child_pose = any_pose(seed);
            if (kind != PINION_LOOP_ROLLING) def.length = 0.1 + check_uniform(seed);
            if (spring) def.stiffness = check_uniform(seed), def.damping = check_uniform(seed);
            if (kind == PINION_LOOP_ROLLING) def.radius = 0.1 + check_uniform(seed), def.disk = links % 2;
        } else {
            def.first = "slide";
            if (kind == PINION_LOOP_GEAR) def.second = "j1", def.ratio = check_between(seed, 0.5, 2);
            if (kind == PINION_LOOP_GEAR && links % 2) def.curve[links % 3] = check_between(seed, -1, 1);
        }
        if (kind != PINION_LOOP_ROLLING && !spring) def.motion = any_motion(seed);
        status = pinion_builder_add_constraint(b, &def, err);
    }
    return status;
}

static pinion_status any_visual(pinion_builder *b, const char *link, uint64_t *seed, pinion_error *err)
{
    pinion_visual_def def = pinion_visual_def_default();
    def.link = link;
    def.shape = (pinion_shape)(check_uniform(seed) * (PINION_SHAPE_MESH + 1));
    def.mesh = "meshes/\"a\\b\" \xc3\xbc.stl";
    def.pose = any_pose(seed);
    for (int k = 0; k < 3; k++) def.size[k] = any(seed);
    for (int k = 0; k < 4; k++) def.rgba[k] = check_uniform(seed);
    return pinion_builder_add_visual(b, &def, err);
}

static pinion_model *any_model(int links, uint64_t *seed, const pinion_load_options *options)
{
    pinion_error err;
    pinion_builder *b = pinion_builder_new("any \"model\" \\ \xc3\xbc");
    if (!b) return NULL;
    double gravity[3] = {any(seed), any(seed), any(seed)};
    pinion_status status = pinion_builder_set_gravity(b, gravity, &err);
    for (int i = 0; !status && i < links; i++) {
        pinion_link_def def = pinion_link_def_default();
        char name[20], frame[20];
        snprintf(name, sizeof name, "l%d", i);
        def.name = name;
        def.inertia.mass = fabs(check_between(seed, -1, 5));
        for (int k = 0; k < 3; k++) def.inertia.com[k] = check_between(seed, -1, 1);
        for (int k = 0; k < 6; k++) def.inertia.inertia[k] = check_between(seed, -1, 1) + (k % 3 ? 0 : 3);
        status = pinion_builder_add_link(b, &def, &err);
        if (!status && i > 0) status = any_joint(b, i, seed, &err);

        /* visuals of other links in between */
        if (!status && i % 2) status = any_visual(b, name, seed, &err);
        if (!status && i % 3 == 0) status = any_visual(b, "l0", seed, &err);
        if (!status && i % 3 == 0) {
            pinion_frame_def f = pinion_frame_def_default();
            snprintf(frame, sizeof frame, "f %d", i);
            f.name = frame, f.link = name, f.pose = any_pose(seed);
            status = pinion_builder_add_frame(b, &f, &err);
        }
    }
    if (!status && links > 1 && links % 3 == 0) status = any_constraints(b, links, seed, &err);
    pinion_model *m = status ? NULL : pinion_builder_build(b, options, &err);
    if (!m) CHECK_FAIL("%s", err.message);
    pinion_builder_free(b);
    return m;
}

TEST(everything)
{
    uint64_t seed = check_seed;
    pinion_load_options free_root = pinion_load_options_default();
    free_root.root = PINION_ROOT_FREE;
    for (int i = 0; i < check_rounds(100); i++) {
        const pinion_load_options *options = i % 2 ? &free_root : NULL;
        pinion_model *m = any_model(1 + i % 40, &seed, options);
        if (m) round_trip(m, options);
        pinion_model_free(m);
    }
}

/* What the documentation says about load options and edits. */
TEST(options_and_edits)
{
    uint64_t seed = check_seed;
    pinion_load_options o = pinion_load_options_default();
    o.root = PINION_ROOT_FREE;
    pinion_model *m = any_model(12, &seed, &o);
    if (!m) return;

    /* the free joint of the base is not written */
    char *text = pinion_save_string(m, PINION_FORMAT_JSON, NULL);
    CHECK_HAS(text, "\"pinion\": 1");
    CHECK(text && !strstr(text, "\"root\""));
    pinion_model *fixed =
        text ? pinion_load_string(text, strlen(text), PINION_FORMAT_JSON, NULL, NULL, NULL) : NULL;
    CHECK(fixed && pinion_model_joint_count(fixed) == pinion_model_joint_count(m) - 1);
    pinion_free(text);

    /* independent joints in place of followers stay so */
    o.root = PINION_ROOT_FIXED, o.mimic = PINION_MIMIC_INDEPENDENT;
    pinion_model *independent = any_model(12, &seed, &o);
    if (independent) round_trip(independent, NULL);

    /* gravity and frames as they are now, payloads not at all */
    pinion_model *copy = pinion_model_copy(m);
    if (copy) {
        double gravity[3] = {1, 2, 3};
        pinion_pose pose = any_pose(&seed);
        pinion_inertia load = {5, {0, 0, 0}, {1, 0, 0, 1, 0, 1}};
        CHECK_STATUS(pinion_model_set_gravity(copy, gravity), PINION_OK);
        CHECK_STATUS(pinion_model_set_frame(copy, pinion_model_link_count(copy), &pose), PINION_OK);
        o.root = PINION_ROOT_FREE, o.mimic = PINION_MIMIC_FOLLOW;
        round_trip(copy, &o);
        char *before = pinion_save_string(copy, PINION_FORMAT_JSON, NULL);
        CHECK_STATUS(pinion_model_set_payload(copy, 1, &load), PINION_OK);
        char *after = pinion_save_string(copy, PINION_FORMAT_JSON, NULL);
        CHECK(before && after && strcmp(before, after) == 0);
        free(before);
        free(after);
    }
    pinion_model_free(copy);
    pinion_model_free(independent);
    pinion_model_free(fixed);
    pinion_model_free(m);
}

/* One file as it looks on paper. */
TEST(looks)
{
    static const char text[] =
        "{\"pinion\": 1, \"links\": [{\"name\": \"a\"}, {\"name\": \"b\", \"mass\": 0.1, \"inertia\": "
        "{\"zz\": 1}, \"visuals\": [{\"shape\": \"sphere\", \"radius\": 1}]}],"
        "\"joints\": [{\"name\": \"j\", \"type\": \"revolute\", \"parent\": \"a\", \"child\": \"b\","
        "\"origin\": {\"position\": [1, 0, 0]}, \"axis\": [1, 0, 0], \"limits\": [null, 1],"
        "\"friction\": {\"negative\": 2}}]}";
    static const char expected[] =
        "{\n"
        "  \"pinion\": 1,\n"
        "  \"name\": \"robot\",\n"
        "  \"gravity\": [0, 0, -9.81],\n"
        "  \"links\": [\n"
        "    {\n"
        "      \"name\": \"a\"\n"
        "    },\n"
        "    {\n"
        "      \"name\": \"b\",\n"
        "      \"mass\": 0.1,\n"
        "      \"inertia\": {\"zz\": 1},\n"
        "      \"visuals\": [\n"
        "        {\"shape\": \"sphere\", \"radius\": 1, \"rgba\": [0.7, 0.7, 0.7, 1]}\n"
        "      ]\n"
        "    }\n"
        "  ],\n"
        "  \"joints\": [\n"
        "    {\n"
        "      \"name\": \"j\",\n"
        "      \"type\": \"revolute\",\n"
        "      \"parent\": \"a\",\n"
        "      \"child\": \"b\",\n"
        "      \"origin\": {\"position\": [1, 0, 0]},\n"
        "      \"axis\": [1, 0, 0],\n"
        "      \"limits\": [null, 1],\n"
        "      \"friction\": {\"positive\": 0, \"negative\": 2}\n"
        "    }\n"
        "  ]\n"
        "}\n";
    pinion_model *m = pinion_load_string(text, strlen(text), PINION_FORMAT_JSON, NULL, NULL, NULL);
    char *written = m ? pinion_save_string(m, PINION_FORMAT_JSON, NULL) : NULL;
    CHECK(written && strcmp(written, expected) == 0);
    free(written);
    pinion_model_free(m);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(bundled);
    RUN(random_trees);
    RUN(random_chains);
    RUN(everything);
    RUN(options_and_edits);
    RUN(looks);
    return CHECK_END();
}
