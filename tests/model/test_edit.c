/* Edits of a copy: they give what a model built that way gives, and taking them back leaves no trace. */
#include "dense.h"

#include "pinion/pinion.h"

/* a model of three moving links and one welded to each, with a tool; extra masses as a load would add */
static pinion_model *arm(double load_mass, const double g[3], const pinion_pose *tool)
{
    pinion_builder *b = pinion_builder_new("arm");
    CHECK_STATUS(pinion_builder_set_gravity(b, g, NULL), PINION_OK);
    const char *links[] = {"l0", "l1", "l2", "l3", "w"};
    for (int i = 0; i < 5; i++) {
        pinion_link_def def = pinion_link_def_default();
        def.name = links[i];
        def.inertia.mass = 1 + i;
        def.inertia.com[i % 3] = 0.1;
        def.inertia.inertia[0] = def.inertia.inertia[3] = def.inertia.inertia[5] = 0.1;
        CHECK_STATUS(pinion_builder_add_link(b, &def, NULL), PINION_OK);
    }
    if (load_mass > 0) {
        pinion_link_def def = pinion_link_def_default();
        def.name = "load";
        def.inertia.mass = load_mass;
        def.inertia.com[2] = 0.2;
        def.inertia.inertia[0] = def.inertia.inertia[3] = def.inertia.inertia[5] = 0.3;
        CHECK_STATUS(pinion_builder_add_link(b, &def, NULL), PINION_OK);
    }
    const char *parent[] = {"l0", "l1", "l2", "l2", "w"}, *child[] = {"l1", "l2", "l3", "w", "load"};
    const pinion_joint_type type[] = {PINION_JOINT_REVOLUTE, PINION_JOINT_PLANAR, PINION_JOINT_PRISMATIC,
                                      PINION_JOINT_FIXED, PINION_JOINT_FIXED};
    for (int i = 0; i < (load_mass > 0 ? 5 : 4); i++) {
        pinion_joint_def def = pinion_joint_def_default();
        char name[16];
        snprintf(name, sizeof name, "j%d", i);
        def.name = name;
        def.type = type[i];
        def.parent = parent[i];
        def.child = child[i];
        if (i < 4) {
            def.axis[0] = 0.5 * i;
            def.parent_pose.position[i % 3] = 0.3;
            double R[9] = {0.6, -0.8, 0, 0.8, 0.6, 0, 0, 0, 1};
            memcpy(def.parent_pose.rotation, R, sizeof R);
        }
        CHECK_STATUS(pinion_builder_add_joint(b, &def, NULL), PINION_OK);
    }
    pinion_frame_def frame = pinion_frame_def_default();
    frame.name = "tool";
    frame.link = "w";
    frame.pose = *tool;
    CHECK_STATUS(pinion_builder_add_frame(b, &frame, NULL), PINION_OK);
    pinion_model *m = pinion_builder_build(b, NULL, NULL);
    CHECK(m != NULL);
    pinion_builder_free(b);
    return m;
}

static const double down[3] = {0, 0, -9.81};

TEST(gravity)
{
    pinion_pose tool = pinion_pose_identity();
    double moon[3] = {0.1, 0.2, -1.62}, got[3];
    pinion_model *m = arm(0, down, &tool), *expected = arm(0, moon, &tool), *copy = pinion_model_copy(m);
    CHECK(copy && copy->size == m->size && memcmp(copy, m, m->size) == 0 && (uintptr_t)copy % 64 == 0);
    CHECK_STATUS(pinion_model_set_gravity(copy, moon), PINION_OK);
    CHECK(memcmp(copy, expected, m->size) == 0);
    pinion_model_gravity(copy, got);
    CHECK(memcmp(got, moon, sizeof got) == 0);
    pinion_model_gravity(m, got);
    CHECK(memcmp(got, down, sizeof got) == 0);
    CHECK_STATUS(pinion_model_set_gravity(copy, down), PINION_OK);
    CHECK(memcmp(copy, m, m->size) == 0);
    double bad[3] = {0, NAN, 0};
    CHECK_STATUS(pinion_model_set_gravity(copy, bad), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_model_set_gravity(copy, NULL), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_model_set_gravity(NULL, down), PINION_ERR_ARGUMENT);
    CHECK(memcmp(copy, m, m->size) == 0);
    pinion_model_free(m);
    pinion_model_free(expected);
    pinion_model_free(copy);
    CHECK(!pinion_model_copy(NULL));
}

/* An inertia of its own is as good as a load of what it is more. */
TEST(inertia)
{
    pinion_pose tool = pinion_pose_identity();
    pinion_model *m = arm(0, down, &tool), *copy = pinion_model_copy(m), *loaded = pinion_model_copy(m);
    const int w = pinion_model_find_link(m, "w");
    pinion_link_info info;
    CHECK_STATUS(pinion_model_link(m, w, &info), PINION_OK);
    pinion_inertia twice = info.inertia, bad = info.inertia;
    twice.mass *= 2;
    for (int i = 0; i < 6; i++) twice.inertia[i] *= 2;
    CHECK_STATUS(pinion_model_set_inertia(copy, w, &twice), PINION_OK);
    CHECK_STATUS(pinion_model_set_payload(loaded, w, &info.inertia), PINION_OK);
    for (int i = 0; i < copy->n.nodes; i++) {
        const pn_link *a = &constants_of(copy)[i], *b = &constants_of(loaded)[i];
        CHECK_NEAR(a->m, b->m, 1e-15 * 20);
        CHECK(check_error(a->h, b->h, 3, 1e-3) < 1e-14 && check_error(a->I, b->I, 6, 1e-3) < 1e-14);
    }
    CHECK(pinion_model_mass(copy) == pinion_model_mass(loaded));
    CHECK_STATUS(pinion_model_set_inertia(copy, w, &info.inertia), PINION_OK);
    CHECK(memcmp(copy, m, m->size) == 0);

    /* what no body has, and what is too large, changes nothing */
    bad.mass = -1;
    CHECK_STATUS(pinion_model_set_inertia(copy, w, &bad), PINION_ERR_ARGUMENT);
    bad = info.inertia;
    bad.mass = bad.com[0] = 1e200;
    CHECK_STATUS(pinion_model_set_inertia(copy, w, &bad), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_model_set_inertia(copy, 5, &twice), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_model_set_inertia(copy, w, NULL), PINION_ERR_ARGUMENT);
    CHECK(memcmp(copy, m, m->size) == 0);
    pinion_model_free(m);
    pinion_model_free(copy);
    pinion_model_free(loaded);
}

/* Dampers and rotors are where they were put and nowhere else, whatever the joint; taken back they leave no trace. */
TEST(dof)
{
    enum { JOINTS = 30, MOST = 6 * JOINTS };
    static double M[2][MOST * MOST], q[7 * JOINTS], v[MOST], before[MOST], after[MOST];
    pinion_model *m = pinion_random_tree(JOINTS, 1, 3, NULL);
    pinion_model *copy = pinion_model_copy(m);
    pinion_work *w = pinion_work_new(m);
    const int nv = pinion_model_nv(m);
    int tried = 0;
    CHECK(m && copy && w && nv <= MOST);
    CHECK_STATUS(pinion_neutral(m, q), PINION_OK);
    for (int i = 0; i < nv; i++) v[i] = 1 + 0.1 * i;
    CHECK_STATUS(pinion_mass_matrix(m, w, q, M[0]), PINION_OK);
    CHECK_STATUS(pinion_passive_forces(m, w, q, v, before), PINION_OK);
    for (int j = 0; j < pinion_model_joint_count(m); j++) {
        pinion_joint_info joint;
        CHECK_STATUS(pinion_model_joint(m, j, &joint), PINION_OK);
        for (int k = 0; k < joint.dof_count; k++, tried++) {
            const pinion_dof own = joint.dof[k];
            pinion_dof dof = own;
            dof.damping = own.damping + 2;
            dof.rotor_inertia = own.rotor_inertia + 0.5;
            dof.gear_ratio = 3;
            dof.effort = 1e9; /* limits do not count */
            CHECK_STATUS(pinion_model_set_dof(copy, j, k, &dof), PINION_OK);
            CHECK_STATUS(pinion_mass_matrix(copy, w, q, M[1]), PINION_OK);
            CHECK_STATUS(pinion_passive_forces(copy, w, q, v, after), PINION_OK);
            const double rotor = 9 * dof.rotor_inertia - own.gear_ratio * own.gear_ratio * own.rotor_inertia;
            const double part = joint.multiplier * joint.multiplier; /* of what a follower gives its leader */
            for (int i = 0; i < nv; i++) {
                const int here = i == joint.v_source + k;
                CHECK_NEAR(after[i] - before[i], here ? -2 * part * v[i] : 0, 1e-12);
                for (int c = 0; c < nv; c++)
                    CHECK_NEAR(M[1][i * nv + c] - M[0][i * nv + c], here && c == i ? part * rotor : 0, 1e-9);
            }
            pinion_joint_info changed;
            CHECK_STATUS(pinion_model_joint(copy, j, &changed), PINION_OK);
            CHECK(changed.dof[k].damping == dof.damping && changed.dof[k].effort == own.effort);
            dof.damping = -1;
            CHECK_STATUS(pinion_model_set_dof(copy, j, k, &dof), PINION_ERR_ARGUMENT);
            CHECK_STATUS(pinion_model_set_dof(copy, j, k, &own), PINION_OK);
            CHECK(memcmp(copy, m, m->size) == 0);
        }
        CHECK_STATUS(pinion_model_set_dof(copy, j, joint.dof_count, &(pinion_dof){0}), PINION_ERR_ARGUMENT);
    }
    CHECK(tried > JOINTS);
    CHECK_STATUS(pinion_model_set_dof(copy, 0, 0, NULL), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_model_set_dof(copy, -1, 0, &(pinion_dof){0}), PINION_ERR_ARGUMENT);
    pinion_work_free(w);
    pinion_model_free(m);
    pinion_model_free(copy);
}

TEST(payload)
{
    pinion_pose tool = pinion_pose_identity();
    pinion_model *m = arm(0, down, &tool), *expected = arm(2.5, down, &tool), *copy = pinion_model_copy(m);
    pinion_inertia load = {2.5, {0, 0, 0.2}, {0.3, 0, 0, 0.3, 0, 0.3}}, none = {0, {1, 2, 3}, {0}};
    int w = pinion_model_find_link(copy, "w");
    CHECK_STATUS(pinion_model_set_payload(copy, w, &load), PINION_OK);

    /* the same inertias as with a link welded there */
    CHECK(copy->n.nodes == expected->n.nodes && copy->structure == m->structure);
    for (int i = 0; i < copy->n.nodes; i++) {
        const pn_link *a = &constants_of(copy)[i], *b = &constants_of(expected)[i];
        CHECK_NEAR(a->m, b->m, 1e-15 * 20);
        CHECK(check_error(a->h, b->h, 3, 1e-3) < 1e-14 && check_error(a->I, b->I, 6, 1e-3) < 1e-14);
        const float *f = PN_AT_CONST(copy, float, copy->f32);
        CHECK(f[&a->m - PN_AT_CONST(copy, double, copy->f64)] == (float)a->m);
    }
    CHECK_NEAR(pinion_model_mass(copy), pinion_model_mass(expected), 1e-14);
    CHECK(head_of(copy)->mass == pinion_model_mass(copy));
    CHECK(pinion_model_mass(copy) == pinion_model_mass(m) + 2.5);
    pinion_link_info info;
    pinion_body_info body;
    CHECK_STATUS(pinion_model_link(copy, w, &info), PINION_OK);
    CHECK_STATUS(pinion_model_body(copy, info.body, &body), PINION_OK);
    CHECK(info.inertia.mass == 5 && body.mass == 3 + 5 + 2.5);

    /* again is instead, not on top; nothing takes it off */
    CHECK_STATUS(pinion_model_set_payload(copy, w, &load), PINION_OK);
    CHECK(pinion_model_mass(copy) == pinion_model_mass(m) + 2.5);
    CHECK_STATUS(pinion_model_set_payload(copy, w, &none), PINION_OK);
    CHECK(memcmp(copy, m, m->size) == 0);

    /* on the base it is fixed mass */
    CHECK_STATUS(pinion_model_set_payload(copy, 0, &load), PINION_OK);
    CHECK(pinion_model_fixed_mass(copy) == 3.5 && pinion_model_mass(copy) == pinion_model_mass(m));
    CHECK_STATUS(pinion_model_set_payload(copy, 0, &none), PINION_OK);
    CHECK(memcmp(copy, m, m->size) == 0);

    /* what is refused changes nothing */
    load.mass = -1;
    CHECK_STATUS(pinion_model_set_payload(copy, w, &load), PINION_ERR_ARGUMENT);
    load.mass = NAN;
    CHECK_STATUS(pinion_model_set_payload(copy, w, &load), PINION_ERR_ARGUMENT);
    load.mass = 1e200;
    load.com[0] = 1e200;
    CHECK_STATUS(pinion_model_set_payload(copy, w, &load), PINION_ERR_ARGUMENT);
    load.mass = load.com[0] = 1;
    CHECK_STATUS(pinion_model_set_payload(copy, -1, &load), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_model_set_payload(copy, 5, &load), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_model_set_payload(copy, w, NULL), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_model_set_payload(NULL, w, &load), PINION_ERR_ARGUMENT);
    CHECK(memcmp(copy, m, m->size) == 0);
    pinion_model_free(m);
    pinion_model_free(expected);
    pinion_model_free(copy);
}

TEST(frame)
{
    pinion_pose none = pinion_pose_identity(),
                tool = {{0.1, -0.2, 0.3}, {0.6, -0.8, 0, 0.8, 0.6, 0, 0, 0, 1}};
    pinion_model *m = arm(0, down, &none), *expected = arm(0, down, &tool), *copy = pinion_model_copy(m);
    int frame = pinion_model_find_frame(m, "tool");
    CHECK_STATUS(pinion_model_set_frame(copy, frame, &tool), PINION_OK);
    CHECK(memcmp(copy, expected, m->size) == 0);
    pinion_frame_info info;
    CHECK_STATUS(pinion_model_frame(copy, frame, &info), PINION_OK);
    CHECK(memcmp(&info.pose, &tool, sizeof tool) == 0);
    CHECK_STATUS(pinion_model_set_frame(copy, frame, &none), PINION_OK);
    CHECK(memcmp(copy, m, m->size) == 0);

    /* refused */
    CHECK_STATUS(pinion_model_set_frame(copy, 0, &tool), PINION_ERR_ARGUMENT); /* a link's own */
    CHECK_STATUS(pinion_model_set_frame(copy, frame + 1, &tool), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_model_set_frame(copy, frame, NULL), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_model_set_frame(NULL, frame, &tool), PINION_ERR_ARGUMENT);
    tool.rotation[0] = 0.7;
    CHECK_STATUS(pinion_model_set_frame(copy, frame, &tool), PINION_ERR_ARGUMENT);
    tool.rotation[0] = 0.6;
    tool.position[0] = INFINITY;
    CHECK_STATUS(pinion_model_set_frame(copy, frame, &tool), PINION_ERR_ARGUMENT);
    CHECK(memcmp(copy, m, m->size) == 0);
    pinion_model_free(m);
    pinion_model_free(expected);
    pinion_model_free(copy);
}

/* random loads on random trees, against the masses of the links and the loads */
TEST(random_payloads)
{
    uint64_t seed = check_seed;
    for (int i = 0; i < 40; i++) {
        pinion_model *m = pinion_random_tree(3 + i, i & 1, seed + (uint64_t)i, NULL),
                     *copy = pinion_model_copy(m);
        CHECK(m && copy);
        if (!m || !copy) continue;
        double moving = pinion_model_mass(m), fixed = pinion_model_fixed_mass(m);
        for (int link = 0; link < pinion_model_link_count(m); link += 2) {
            pinion_inertia load = {check_between(&seed, 0, 5), {0.1, 0.2, 0.3}, {0.1, 0, 0, 0.1, 0, 0.1}};
            pinion_link_info info;
            CHECK_STATUS(pinion_model_link(m, link, &info), PINION_OK);
            CHECK_STATUS(pinion_model_set_payload(copy, link, &load), PINION_OK);
            *(info.body > 0 ? &moving : &fixed) += load.mass;
        }
        CHECK_NEAR(pinion_model_mass(copy), moving, 1e-12 * moving);
        CHECK_NEAR(pinion_model_fixed_mass(copy), fixed, 1e-12 * fixed);
        for (int link = 0; link < pinion_model_link_count(m); link += 2) {
            pinion_inertia none = {0, {0}, {0}};
            CHECK_STATUS(pinion_model_set_payload(copy, link, &none), PINION_OK);
        }
        CHECK(memcmp(copy, m, m->size) == 0);
        pinion_model_free(m);
        pinion_model_free(copy);
    }
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(gravity);
    RUN(inertia);
    RUN(dof);
    RUN(payload);
    RUN(frame);
    RUN(random_payloads);
    return CHECK_END();
}
