/* The compiled form against the description: kinematics, inertias, maps, structure. */
#include "dense.h"

/* Masses about the world's origin: m, m c, and the inertia, from the links. */
typedef struct inertia10 {
    double a[10];
} inertia10;

static void add_mass(inertia10 *sum, matrix4 at, double mass, const double com[3], const double I[6])
{
    double c[3], R[9], full[9] = {I[0], I[1], I[2], I[1], I[3], I[4], I[2], I[4], I[5]}, turned[9];
    for (int i = 0; i < 3; i++) {
        c[i] = at.a[4 * i + 3];
        for (int j = 0; j < 3; j++) {
            R[3 * i + j] = at.a[4 * i + j];
            c[i] += at.a[4 * i + j] * com[j];
        }
    }
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            turned[3 * i + j] = 0;
            for (int k = 0; k < 3; k++) {
                for (int l = 0; l < 3; l++)
                    turned[3 * i + j] += R[3 * i + k] * full[3 * k + l] * R[3 * j + l];
            }
        }
    }
    double square = c[0] * c[0] + c[1] * c[1] + c[2] * c[2];
    sum->a[0] += mass;
    for (int i = 0; i < 3; i++) sum->a[1 + i] += mass * c[i];
    static const int row[6] = {0, 0, 0, 1, 1, 2}, column[6] = {0, 1, 2, 1, 2, 2};
    for (int k = 0; k < 6; k++) {
        int i = row[k], j = column[k];
        sum->a[4 + k] += turned[3 * i + j] + mass * (square * (i == j) - c[i] * c[j]);
    }
}

/* The same from inertia about a body's origin: a fictitious centre of mass at the origin has no mass of its
 * own, so the shift is done with h. */
static void add_body(inertia10 *sum, matrix4 at, const pn_link *c)
{
    double h[3], p[3], R[9];
    for (int i = 0; i < 3; i++) {
        h[i] = 0;
        p[i] = at.a[4 * i + 3];
        for (int j = 0; j < 3; j++) {
            R[3 * i + j] = at.a[4 * i + j];
            h[i] += at.a[4 * i + j] * c->h[j];
        }
    }
    const double *I = c->I;
    double full[9] = {I[0], I[1], I[2], I[1], I[3], I[4], I[2], I[4], I[5]};
    double ph = p[0] * h[0] + p[1] * h[1] + p[2] * h[2], pp = p[0] * p[0] + p[1] * p[1] + p[2] * p[2];
    sum->a[0] += c->m;
    for (int i = 0; i < 3; i++) sum->a[1 + i] += h[i] + c->m * p[i];
    static const int row[6] = {0, 0, 0, 1, 1, 2}, column[6] = {0, 1, 2, 1, 2, 2};
    for (int k = 0; k < 6; k++) {
        int i = row[k], j = column[k];
        double turned = 0;
        for (int u = 0; u < 3; u++) {
            for (int w = 0; w < 3; w++) turned += R[3 * i + u] * full[3 * u + w] * R[3 * j + w];
        }
        sum->a[4 + k] +=
            turned + (2 * ph + c->m * pp) * (i == j) - p[i] * h[j] - h[i] * p[j] - c->m * p[i] * p[j];
    }
}

/* Structure: numbering, subtrees, counts, and both precisions. */
static void check_structure(const pinion_model *m)
{
    const pn_node *nodes = PN_AT_CONST(m, pn_node, m->nodes);
    const int *body_node = PN_AT_CONST(m, int, m->body_node);
    int q = 0, v = 0, dense = 0, body = 1;
    CHECK(nodes[0].parent == -1 && nodes[0].body == 0 && nodes[0].end == m->n.nodes && body_node[0] == 0);
    for (int i = 1; i < m->n.nodes; i++) {
        const pn_node *node = &nodes[i];
        CHECK(node->parent >= 0 && node->parent < i);
        CHECK(node->q == q && node->v == v);
        q += node->nq;
        v += node->nv;
        CHECK(node->end > i && node->end <= nodes[node->parent].end);
        for (int j = i + 1; j < m->n.nodes; j++) {
            int up = j;
            while (up > i) up = nodes[up].parent;
            if ((up == i) != (j < node->end)) CHECK_FAIL("subtree of node %d and node %d", i, j);
        }
        if (node->joint > PN_HELICAL) {
            CHECK(node->dense == dense++);
        } else {
            CHECK(node->dense == -1 && node->nq == 1 && node->nv == 1);
            const pn_link *c = &constants_of(m)[i];
            CHECK_NEAR(c->c0 * c->c0 + c->s0 * c->s0, 1, 1e-15);
            CHECK_NEAR(sin(c->theta0), c->s0, 1e-15);
            CHECK_NEAR(cos(c->theta0), c->c0, 1e-15);
        }
        if (node->body >= 0) {
            CHECK(node->body == body && body_node[body] == i);
            body++;
        } else {
            CHECK(constants_of(m)[i].m == 0 && i + 1 < m->n.nodes && nodes[i + 1].parent == i);
        }
    }
    CHECK(q == m->n.tree_nq && v == m->n.tree_nv && dense == m->n.dense && body == m->n.bodies);
    CHECK(m->f64 % 64 == 0 && m->f32 % 64 == 0 && (uintptr_t)m % 64 == 0);
    for (uint32_t i = 0; i < m->constants; i++) {
        if (PN_AT_CONST(m, float, m->f32)[i] != (float)PN_AT_CONST(m, double, m->f64)[i]) {
            CHECK_FAIL("constant %u in single precision", i);
        }
    }
}

/* Kinematics and inertias of a model at some configurations. */
static double check_model(const pinion_model *m, uint64_t *seed, int states, double tolerance)
{
    double worst = 0;
    const pn_node *nodes = PN_AT_CONST(m, pn_node, m->nodes);
    const int *frame_node = PN_AT_CONST(m, int, m->frame_node);
    double *q = calloc((size_t)pinion_model_nq(m) + 1, sizeof *q);
    matrix4 *expected = calloc((size_t)pinion_model_frame_count(m), sizeof *expected);
    matrix4 *body = calloc((size_t)m->n.nodes, sizeof *body);
    check_structure(m);
    for (int state = 0; state < states; state++) {
        random_q(m, seed, q);
        dense_frames(m, q, expected);
        compiled_bodies(m, q, body);
        for (int i = 0; i < pinion_model_frame_count(m); i++) {
            /* frames on the base are given in the world */
            matrix4 got = from_parts(places_of(m)[i].R, places_of(m)[i].p);
            if (frame_node[i] > 0) got = mul4(body[frame_node[i]], got);
            double error = distance4(got, expected[i]);
            if (error > worst) worst = error;
            if (!(error <= tolerance)) CHECK_FAIL("frame %d is off by %g", i, error);
        }

        /* the frame for external forces is the frame of the link that the joint carries */
        for (int i = 1; i < m->n.bodies; i++) {
            pinion_body_info info;
            CHECK_STATUS(pinion_model_body(m, i, &info), PINION_OK);
            int node = PN_AT_CONST(m, int, m->body_node)[i];
            const pn_link *c = &constants_of(m)[node];
            CHECK(distance4(mul4(body[node], from_parts(c->link.R, c->link.p)), expected[info.link]) <=
                  tolerance);
            CHECK(nodes[node].turned || distance4(from_parts(c->link.R, c->link.p), unit4()) == 0);
            CHECK(frame_node[info.link] == node);
        }

        /* inertia of all that moves, about the world's origin */
        inertia10 links, bodies;
        memset(&links, 0, sizeof links);
        memset(&bodies, 0, sizeof bodies);
        double fixed = 0;
        for (int i = 0; i < pinion_model_link_count(m); i++) {
            pinion_link_info info;
            CHECK_STATUS(pinion_model_link(m, i, &info), PINION_OK);
            if (info.body > 0) {
                add_mass(&links, expected[i], info.inertia.mass, info.inertia.com, info.inertia.inertia);
            } else {
                fixed += info.inertia.mass;
            }
        }
        for (int i = 1; i < m->n.nodes; i++) add_body(&bodies, body[i], &constants_of(m)[i]);
        CHECK(check_error(bodies.a, links.a, 10, 1e-3) <= tolerance);
        CHECK_NEAR(pinion_model_mass(m), links.a[0], 1e-12 * links.a[0]);
        CHECK_NEAR(pinion_model_fixed_mass(m), fixed, 1e-12 * fixed);
        CHECK(head_of(m)->mass == pinion_model_mass(m));
    }

    /* gravity in the compiled base */
    double g[3];
    pinion_model_gravity(m, g);
    for (int i = 0; i < 3; i++) {
        double sum = 0;
        for (int j = 0; j < 3; j++) sum += head_of(m)->base.R[3 * i + j] * head_of(m)->a0[j];
        CHECK_NEAR(sum, -g[i], 1e-13);
        CHECK(head_of(m)->gravity[i] == g[i]);
    }
    free(q);
    free(expected);
    free(body);
    return worst;
}

/* ---- models ---- */

static pinion_builder *builder(const char *name)
{
    pinion_builder *b = pinion_builder_new(name);
    CHECK(b != NULL);
    return b;
}

static void add_link(pinion_builder *b, const char *name, double mass)
{
    pinion_link_def link = pinion_link_def_default();
    link.name = name;
    link.inertia.mass = mass;
    for (int i = 0; i < 3; i++) link.inertia.com[i] = mass * 0.01 * (i + 1);
    link.inertia.inertia[0] = link.inertia.inertia[3] = link.inertia.inertia[5] = 0.1 * mass;
    CHECK_STATUS(pinion_builder_add_link(b, &link, NULL), PINION_OK);
}

static pinion_joint_def joint_def(const char *name, pinion_joint_type type, const char *parent,
                                  const char *child)
{
    pinion_joint_def joint = pinion_joint_def_default();
    joint.name = name;
    joint.type = type;
    joint.parent = parent;
    joint.child = child;
    return joint;
}

static void set(double *to, double x, double y, double z)
{
    to[0] = x;
    to[1] = y;
    to[2] = z;
}

/* rotation about x by an angle */
static void about_x(double R[9], double angle)
{
    double c = cos(angle), s = sin(angle), full[9] = {1, 0, 0, 0, c, -s, 0, s, c};
    memcpy(R, full, sizeof full);
}

TEST(random_trees)
{
    uint64_t seed = check_seed;
    double worst = 0;
    int followers = 0, kinds[6] = {0}, places[4] = {0};
    for (int i = 0; i < 300; i++) {
        pinion_error err;
        pinion_model *m = pinion_random_tree(1 + i % 40, i & 1, seed + (uint64_t)i, &err);
        if (!m) {
            CHECK_FAIL("%s", err.message);
            continue;
        }
        double error = check_model(m, &seed, 3, 1e-12);
        if (error > worst) worst = error;
        if (1 + i % 40 >= 6) CHECK(m->n.followers >= 1 && m->n.followers <= 2);
        followers += m->n.followers;
        for (int k = 1; k < m->n.nodes; k++) {
            kinds[PN_AT_CONST(m, pn_node, m->nodes)[k].joint]++;
            places[PN_AT_CONST(m, pn_node, m->nodes)[k].place]++;
        }
        CHECK(pinion_model_warning_count(m) == 0);
        pinion_model_free(m);
    }
    for (int i = 0; i < 6; i++) CHECK(kinds[i] > 100);
    for (int i = 0; i < 4; i++) CHECK(places[i] > 100);
    printf("       worst error %.2g; %d followers; places none %d, x %d, zx %d, dense %d\n", worst, followers,
           places[0], places[1], places[2], places[3]);
}

TEST(random_chains)
{
    uint64_t seed = check_seed;
    for (int i = 0; i < 50; i++) {
        pinion_model *m = pinion_random_chain(1 + i, seed + (uint64_t)i, NULL);
        CHECK(m && m->n.nq == 1 + i);
        if (!m) continue;
        check_model(m, &seed, 2, 1e-12);

        /* a chain of revolute joints is all screws about x, and the first joint sits on the base */
        const pn_node *nodes = PN_AT_CONST(m, pn_node, m->nodes);
        CHECK(nodes[1].place == PN_PLACE_NONE && constants_of(m)[1].theta0 == 0 &&
              constants_of(m)[1].d0 == 0);
        for (int k = 2; k < m->n.nodes; k++)
            CHECK(nodes[k].place == PN_PLACE_X || nodes[k].place == PN_PLACE_DENSE);
        pinion_model_free(m);
    }
    pinion_error err;
    CHECK(!pinion_random_chain(0, 1, &err) && err.status == PINION_ERR_ARGUMENT);
    CHECK(!pinion_random_tree(-5, 0, 1, &err) && err.status == PINION_ERR_ARGUMENT);
}

TEST(same_seed_same_model)
{
    pinion_model *a = pinion_random_tree(20, 1, 7, NULL), *b = pinion_random_tree(20, 1, 7, NULL);
    pinion_model *c = pinion_random_tree(20, 1, 8, NULL);
    CHECK(a && b && c && a->size == b->size && memcmp(a, b, a->size) == 0);
    CHECK(a && c && (a->size != c->size || memcmp(a, c, a->size) != 0));
    pinion_model_free(a);
    pinion_model_free(b);
    pinion_model_free(c);
}

/* an arm as URDF files have it: quarter turns, axes along frame axes */
TEST(exact_structure)
{
    pinion_builder *b = builder("arm");
    add_link(b, "base", 2);
    add_link(b, "shoulder", 1);
    add_link(b, "arm", 1);
    add_link(b, "wrist", 1);
    add_link(b, "hand", 0.5);
    pinion_joint_def j = joint_def("j1", PINION_JOINT_REVOLUTE, "base", "shoulder");
    set(j.parent_pose.position, 0, 0, 0.3);
    CHECK_STATUS(pinion_builder_add_joint(b, &j, NULL), PINION_OK);
    j = joint_def("j2", PINION_JOINT_REVOLUTE, "shoulder", "arm");
    set(j.axis, 0, 1, 0);
    set(j.parent_pose.position, 0, 0.1, 0.2);
    CHECK_STATUS(pinion_builder_add_joint(b, &j, NULL), PINION_OK);
    j = joint_def("j3", PINION_JOINT_CONTINUOUS, "arm", "wrist");
    set(j.axis, 0, 1, 0);
    set(j.parent_pose.position, 0.4, 0, 0);
    CHECK_STATUS(pinion_builder_add_joint(b, &j, NULL), PINION_OK);
    j = joint_def("j4", PINION_JOINT_PRISMATIC, "wrist", "hand");
    about_x(j.parent_pose.rotation, 1.5707963267948966);
    CHECK_STATUS(pinion_builder_add_joint(b, &j, NULL), PINION_OK);
    pinion_model *m = pinion_builder_build(b, NULL, NULL);
    pinion_builder_free(b);
    CHECK(m != NULL);
    if (!m) return;
    uint64_t seed = check_seed;
    check_model(m, &seed, 3, 1e-15 * 20);

    /* all quarter turns, no dense placement, no rounding dust */
    const pn_node *nodes = PN_AT_CONST(m, pn_node, m->nodes);
    for (int i = 1; i < m->n.nodes; i++) {
        const pn_link *c = &constants_of(m)[i];
        CHECK(nodes[i].place <= PN_PLACE_X);
        CHECK(c->cx == 0 || fabs(c->cx) == 1);
        CHECK(c->sx == 0 || fabs(c->sx) == 1);
        CHECK(c->c0 == 0 || fabs(c->c0) == 1);
        CHECK(c->s0 == 0 || fabs(c->s0) == 1);
        CHECK(c->ax == 0 || fabs(c->ax) > 0.05);
    }
    CHECK(head_of(m)->a0[0] == 0 && head_of(m)->a0[1] == 0 && head_of(m)->a0[2] == 9.81);
    CHECK(constants_of(m)[1].d0 == 0 && head_of(m)->base.p[2] == 0.5);
    CHECK(pinion_model_mass(m) == 3.5 && pinion_model_fixed_mass(m) == 2);
    pinion_model_free(m);
}

/* axes nearly parallel, as angles of a few digits make them */
TEST(nearly_parallel_axes)
{
    static const double angle[] = {1e-3,  1e-5,  3.7e-6,  1e-8,         1e-10, 1e-12,
                                   3e-13, 1e-14, 3.14159, 3.1415926535, 1.5708};
    uint64_t seed = check_seed;
    for (size_t i = 0; i < sizeof angle / sizeof *angle; i++) {
        for (int where = 0; where < 4; where++) {
            pinion_builder *b = builder("pair");
            add_link(b, "a", 0);
            add_link(b, "b", 1);
            add_link(b, "c", 1);
            add_link(b, "d", 1);
            add_link(b, "e", 1);
            pinion_joint_def j = joint_def("j1", PINION_JOINT_REVOLUTE, "a", "b");
            CHECK_STATUS(pinion_builder_add_joint(b, &j, NULL), PINION_OK);
            j = joint_def("j2", PINION_JOINT_REVOLUTE, "b", "c");
            about_x(j.parent_pose.rotation, angle[i]);
            set(j.parent_pose.position, where & 1 ? 0.3 : 0, where & 2 ? 0.4 : 0, where == 3 ? 0.5 : 0);
            CHECK_STATUS(pinion_builder_add_joint(b, &j, NULL), PINION_OK);
            j = joint_def("j3", PINION_JOINT_REVOLUTE, "b", "d");
            set(j.axis, 0.3, -0.2, -0.7);
            set(j.parent_pose.position, 0.2, 0.1, -0.4);
            CHECK_STATUS(pinion_builder_add_joint(b, &j, NULL), PINION_OK);
            j = joint_def("j4", PINION_JOINT_HELICAL, "d", "e");
            j.pitch = 0.05;
            about_x(j.parent_pose.rotation, -angle[i]);
            set(j.parent_pose.position, 0.2, 0.1, -0.4);
            CHECK_STATUS(pinion_builder_add_joint(b, &j, NULL), PINION_OK);
            pinion_model *m = pinion_builder_build(b, NULL, NULL);
            CHECK(m != NULL);
            if (m) check_model(m, &seed, 3, 1e-12);
            pinion_model_free(m);
            pinion_builder_free(b);
        }
    }
}

/* coaxial second child: two screws about one axis are one */
TEST(one_axis)
{
    pinion_builder *b = builder("coaxial");
    add_link(b, "a", 0);
    add_link(b, "b", 1);
    add_link(b, "c", 1);
    add_link(b, "d", 1);
    pinion_joint_def j = joint_def("j1", PINION_JOINT_REVOLUTE, "a", "b");
    CHECK_STATUS(pinion_builder_add_joint(b, &j, NULL), PINION_OK);
    j = joint_def("j2", PINION_JOINT_REVOLUTE, "b", "c");
    about_x(j.parent_pose.rotation, 0.7);
    set(j.parent_pose.position, 0.3, 0.2, 0.1);
    CHECK_STATUS(pinion_builder_add_joint(b, &j, NULL), PINION_OK);
    j = joint_def("j3", PINION_JOINT_PRISMATIC, "b", "d");
    set(j.parent_pose.position, 0, 0, 0.25);
    CHECK_STATUS(pinion_builder_add_joint(b, &j, NULL), PINION_OK);
    pinion_model *m = pinion_builder_build(b, NULL, NULL);
    uint64_t seed = check_seed;
    CHECK(m != NULL);
    if (m) {
        check_model(m, &seed, 3, 1e-14);
        const pn_node *nodes = PN_AT_CONST(m, pn_node, m->nodes);
        CHECK(nodes[2].place == PN_PLACE_X && nodes[3].place == PN_PLACE_NONE);
    }
    pinion_model_free(m);
    pinion_builder_free(b);
}

/* every type alone, every axis, both roots: coordinates and their order */
TEST(each_type)
{
    static const double axes[5][3] = {{0, 0, 1}, {0, 0, -2}, {3, 0, 0}, {0, -1, 0}, {1, 2, -3}};
    uint64_t seed = check_seed;
    for (int type = 0; type < PINION_JOINT_TYPE_COUNT; type++) {
        for (int k = 0; k < 10; k++) {
            pinion_builder *b = builder("one");
            add_link(b, "a", 1);
            add_link(b, "b", 2);
            pinion_joint_def j = joint_def("j", (pinion_joint_type)type, "a", "b");
            memcpy(j.axis, axes[k / 2], sizeof j.axis);
            j.pitch = 0.1;
            about_x(j.parent_pose.rotation, 0.4);
            about_x(j.child_pose.rotation, -0.9);
            set(j.parent_pose.position, 0.1, 0.2, 0.3);
            set(j.child_pose.position, -0.1, 0.4, 0.2);
            j.dof[0].rotor_inertia = 0.01;
            j.dof[0].gear_ratio = -10;
            if (type != PINION_JOINT_FIXED) j.dof[pinion_joint_type_nv((pinion_joint_type)type) - 1].damping = 0.5;
            CHECK_STATUS(pinion_builder_add_joint(b, &j, NULL), PINION_OK);
            pinion_load_options options = pinion_load_options_default();
            options.root = k & 1 ? PINION_ROOT_FREE : PINION_ROOT_FIXED;
            pinion_model *m = pinion_builder_build(b, &options, NULL);
            CHECK(m != NULL);
            if (m) {
                int nq = pinion_joint_type_nq((pinion_joint_type)type),
                    nv = pinion_joint_type_nv((pinion_joint_type)type);
                CHECK(pinion_model_nq(m) == nq + (k & 1 ? 7 : 0) &&
                      pinion_model_nv(m) == nv + (k & 1 ? 6 : 0));
                check_model(m, &seed, 2, 1e-14);
                if (nv) {
                    int node = PN_AT_CONST(m, int, m->body_node)[m->n.bodies - 1];
                    int first = nv == 2 ? node - 1 : node;
                    const pn_node *nodes = PN_AT_CONST(m, pn_node, m->nodes);
                    CHECK(constants_of(m)[first].rotor[0] == 100 * 0.01 && nodes[first].rotors);
                    CHECK(dofs_of(m)[m->n.tree_nv - 1].damping == 0.5 && nodes[node].sprung);
                    CHECK(nv != 2 ||
                          (!nodes[node].rotors && !nodes[first].sprung && nodes[first].body == -1));
                }
            }
            pinion_model_free(m);
            pinion_builder_free(b);
        }
    }
}

TEST(followers)
{
    /* c follows b, b follows a; d is a follower that comes before its leader */
    pinion_builder *b = builder("gripper");
    add_link(b, "l0", 1);
    add_link(b, "l1", 1);
    add_link(b, "l2", 1);
    add_link(b, "l3", 1);
    add_link(b, "l4", 1);
    pinion_joint_def j = joint_def("d", PINION_JOINT_PRISMATIC, "l0", "l1");
    j.mimic = "a";
    j.multiplier = 0.5;
    j.offset = 0.1;
    CHECK_STATUS(pinion_builder_add_joint(b, &j, NULL), PINION_OK);
    j = joint_def("c", PINION_JOINT_REVOLUTE, "l0", "l2");
    j.mimic = "b";
    j.multiplier = 3;
    j.offset = 1;
    CHECK_STATUS(pinion_builder_add_joint(b, &j, NULL), PINION_OK);
    j = joint_def("b", PINION_JOINT_REVOLUTE, "l0", "l3");
    j.mimic = "a";
    j.multiplier = -2;
    j.offset = 0.25;
    CHECK_STATUS(pinion_builder_add_joint(b, &j, NULL), PINION_OK);
    j = joint_def("a", PINION_JOINT_REVOLUTE, "l3", "l4");
    CHECK_STATUS(pinion_builder_add_joint(b, &j, NULL), PINION_OK);
    uint64_t seed = check_seed;
    pinion_model *m = pinion_builder_build(b, NULL, NULL);
    CHECK(m != NULL);
    if (m) {
        CHECK(m->n.followers == 3 && pinion_model_nq(m) == 1 && pinion_model_nv(m) == 1 && m->n.tree_nv == 4);
        pinion_joint_info info;
        CHECK_STATUS(pinion_model_joint(m, pinion_model_find_joint(m, "c"), &info), PINION_OK);
        CHECK(info.leader == pinion_model_find_joint(m, "a") && info.multiplier == -6 && info.offset == 1.75);
        CHECK(info.nq == 0 && info.nv == 0 && info.dof_count == 1 && info.q_index == -1 && info.v_index == -1);
        CHECK(info.q_source == 0 && info.v_source == 0);
        check_model(m, &seed, 3, 1e-14);
        const pn_coordinate *velocity = coordinates_of(m) + m->n.tree_nq;
        for (int i = 0; i < 4; i++)
            CHECK(PN_AT_CONST(m, pn_map, m->map_v)[i].index == 0 && velocity[i].offset == 0);
        CHECK(velocity[0].multiplier == 0.5 && velocity[1].multiplier == -6 && velocity[2].multiplier == -2);
    }
    pinion_model_free(m);

    /* or ordinary joints */
    pinion_load_options options = pinion_load_options_default();
    options.mimic = PINION_MIMIC_INDEPENDENT;
    m = pinion_builder_build(b, &options, NULL);
    CHECK(m && m->n.followers == 0 && pinion_model_nq(m) == 4 && m->map_q == 0 && m->map_v == 0);
    if (m) check_model(m, &seed, 3, 1e-14);
    pinion_model_free(m);
    pinion_builder_free(b);
}

TEST(structure_hash)
{
    pinion_model *a = pinion_random_tree(12, 0, 3, NULL), *b = pinion_random_tree(12, 0, 4, NULL);
    pinion_model *c = pinion_model_copy(a);
    double g[3] = {1, 2, 3};
    CHECK(a && b && c);
    if (a && b && c) {
        CHECK_STATUS(pinion_model_set_gravity(c, g), PINION_OK);
        CHECK(a->structure == c->structure && a->structure != b->structure);
    }
    pinion_model_free(a);
    pinion_model_free(b);
    pinion_model_free(c);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(random_trees);
    RUN(random_chains);
    RUN(same_seed_same_model);
    RUN(exact_structure);
    RUN(nearly_parallel_axes);
    RUN(one_axis);
    RUN(each_type);
    RUN(followers);
    RUN(structure_hash);
    return CHECK_END();
}
