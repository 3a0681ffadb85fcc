/* What is built can be read back: order, names, numbers; and models as large as files may ask for. */
#include <pinion/pinion.h>
#include <time.h>

#include "../support/check.h"

static void add_link(pinion_builder *b, const char *name, double mass)
{
    pinion_link_def def = pinion_link_def_default();
    def.name = name;
    def.inertia.mass = mass;
    def.inertia.inertia[0] = def.inertia.inertia[3] = def.inertia.inertia[5] = 0.1 * mass;
    CHECK_STATUS(pinion_builder_add_link(b, &def, NULL), PINION_OK);
}

static void add_joint(pinion_builder *b, const char *name, pinion_joint_type type, const char *parent,
                      const char *child)
{
    pinion_joint_def def = pinion_joint_def_default();
    def.name = name;
    def.type = type;
    def.parent = parent;
    def.child = child;
    CHECK_STATUS(pinion_builder_add_joint(b, &def, NULL), PINION_OK);
}

/* A tree told in no order:
 *
 *     trunk -s(fixed)- stand
 *           -a(cylindrical)- A -c(fixed)- C -d(revolute)- D
 *                              -e(planar)- E
 *           -b(prismatic)- B                                  */
static pinion_builder *tree(void)
{
    pinion_builder *b = pinion_builder_new("tree");
    add_joint(b, "s", PINION_JOINT_FIXED, "trunk", "stand");
    add_joint(b, "d", PINION_JOINT_REVOLUTE, "C", "D");
    add_joint(b, "a", PINION_JOINT_CYLINDRICAL, "trunk", "A");
    add_joint(b, "b", PINION_JOINT_PRISMATIC, "trunk", "B");
    add_joint(b, "c", PINION_JOINT_FIXED, "A", "C");
    add_joint(b, "e", PINION_JOINT_PLANAR, "A", "E");
    const char *links[] = {"E", "D", "C", "B", "A", "stand", "trunk"};
    for (int i = 0; i < 7; i++) add_link(b, links[i], 1 + i);
    pinion_frame_def frame = pinion_frame_def_default();
    frame.name = "tool";
    frame.link = "C";
    frame.pose.position[0] = 0.5;
    CHECK_STATUS(pinion_builder_add_frame(b, &frame, NULL), PINION_OK);
    frame.name = "camera";
    frame.link = "stand";
    CHECK_STATUS(pinion_builder_add_frame(b, &frame, NULL), PINION_OK);
    pinion_joint_def loop = pinion_joint_def_default();
    loop.name = "close";
    loop.type = PINION_JOINT_SPHERICAL;
    loop.parent = "D";
    loop.child = "B";
    loop.child_pose.position[1] = 2;
    CHECK_STATUS(pinion_builder_add_loop(b, &loop, NULL), PINION_OK);
    return b;
}

TEST(order)
{
    pinion_builder *b = tree();
    for (int free_root = 0; free_root < 2; free_root++) {
        pinion_load_options options = pinion_load_options_default();
        options.root = free_root ? PINION_ROOT_FREE : PINION_ROOT_FIXED;
        pinion_model *m = pinion_builder_build(b, &options, NULL);
        CHECK(m != NULL);
        if (!m) continue;

        /* joints depth first, children as added */
        static const char *const joint[] = {"root", "s", "a", "c", "d", "e", "b"};
        static const int nq[] = {7, 0, 2, 0, 1, 3, 1}, nv[] = {6, 0, 2, 0, 1, 3, 1};
        static const int fixed_body[] = {-1, 0, 1, 1, 2, 3, 4}, free_body[] = {1, 1, 2, 2, 3, 4, 5};
        const int *body = free_root ? free_body : fixed_body;
        int q = 0, v = 0, skip = 1 - free_root;
        CHECK(pinion_model_joint_count(m) == 7 - skip);
        for (int i = skip; i < 7; i++) {
            pinion_joint_info info;
            CHECK_STATUS(pinion_model_joint(m, i - skip, &info), PINION_OK);
            CHECK(strcmp(info.name, joint[i]) == 0 && pinion_model_find_joint(m, joint[i]) == i - skip);
            CHECK(info.nq == nq[i] && info.nv == nv[i] && info.dof_count == nv[i] && info.body == body[i]);
            CHECK(info.q_index == (nq[i] ? q : -1) && info.v_index == (nv[i] ? v : -1) && info.leader == -1);
            CHECK(info.q_source == info.q_index && info.v_source == info.v_index);
            CHECK(info.multiplier == 1 && info.offset == 0);
            CHECK((info.parent == -1) == (i == 0));
            q += info.nq;
            v += info.nv;
        }
        CHECK(pinion_model_nq(m) == q && pinion_model_nv(m) == v);

        /* links as their joints, then frames */
        static const char *const frame[] = {"trunk", "stand", "A", "C", "D", "E", "B", "tool", "camera"};
        CHECK(pinion_model_link_count(m) == 7 && pinion_model_frame_count(m) == 9);
        for (int i = 0; i < 9; i++) {
            pinion_frame_info info;
            CHECK_STATUS(pinion_model_frame(m, i, &info), PINION_OK);
            CHECK(strcmp(info.name, frame[i]) == 0 && pinion_model_find_frame(m, frame[i]) == i);
            CHECK(pinion_model_find_link(m, frame[i]) == (i < 7 ? i : -1));
            CHECK(i >= 7 || info.link == i);
            pinion_link_info link;
            CHECK_STATUS(pinion_model_link(m, info.link, &link), PINION_OK);
            CHECK(link.joint == info.link - 1 + free_root && link.body == info.body);
        }

        /* bodies */
        static const char *const bodies[] = {"trunk", "A", "D", "E", "B"};
        static const int parents[] = {0, 1, 2, 2, 1};
        CHECK(pinion_model_body_count(m) == 5 + free_root);
        pinion_body_info info;
        CHECK_STATUS(pinion_model_body(m, 0, &info), PINION_OK);
        CHECK(strcmp(info.name, "world") == 0 && info.parent == -1 && info.joint == -1 && info.link == -1);
        CHECK(info.mass == (free_root ? 0 : 13));
        for (int i = 1; i < 5 + free_root; i++) {
            int k = i - free_root;
            CHECK_STATUS(pinion_model_body(m, i, &info), PINION_OK);
            CHECK(strcmp(info.name, bodies[k]) == 0 && info.link == pinion_model_find_link(m, bodies[k]));
            CHECK(info.parent == (free_root ? parents[k] : parents[k] - 1));
        }
        CHECK_STATUS(pinion_model_body(m, 1 + free_root, &info), PINION_OK);
        CHECK(info.mass == 5 + 3);
        CHECK(pinion_model_mass(m) == (free_root ? 28 : 15) &&
              pinion_model_fixed_mass(m) == (free_root ? 0 : 13));

        /* the loop */
        pinion_loop_info closing;
        CHECK(pinion_model_loop_count(m) == 1 && pinion_model_find_loop(m, "close") == 0);
        CHECK(pinion_model_find_loop(m, "a") == -1 && pinion_model_find_joint(m, "close") == -1);
        CHECK_STATUS(pinion_model_loop(m, 0, &closing), PINION_OK);
        CHECK(strcmp(closing.name, "close") == 0 && closing.kind == PINION_LOOP_JOINT && closing.rows == 3);
        CHECK(closing.row == 0 && closing.q_index == 0 && closing.nq == 4 && closing.v_index == 0 &&
              closing.nv == 3);
        CHECK(closing.nonholonomic == 0 && closing.first == -1 && closing.second == -1);
        CHECK(pinion_model_row_count(m) == 3 && pinion_model_loop_nq(m) == 4 && pinion_model_loop_nv(m) == 3);
        pinion_joint_info loop = closing.joint;
        CHECK(loop.q_index == -1 && loop.v_index == -1 && !loop.reversed && !loop.unactuated);
        CHECK(loop.body == -1 && loop.nq == 0 && loop.nv == 0 && loop.dof_count == 3 &&
              loop.type == PINION_JOINT_SPHERICAL);
        CHECK(loop.parent == pinion_model_find_link(m, "D") && loop.child == pinion_model_find_link(m, "B"));
        CHECK(loop.child_pose.position[1] == 2);
        pinion_model_free(m);
    }
    pinion_builder_free(b);
}

TEST(out_of_range)
{
    pinion_builder *b = tree();
    pinion_model *m = pinion_builder_build(b, NULL, NULL);
    pinion_builder_free(b); /* the model does not need it */
    CHECK(m != NULL);
    if (!m) return;
    pinion_body_info body;
    pinion_link_info link;
    pinion_joint_info joint;
    pinion_loop_info loop;
    pinion_frame_info frame;
    pinion_visual_info visual;
    for (int i = 0; i < 3; i++) {
        int index = i == 0 ? -1 : i == 1 ? 1000 : 2147483647;
        CHECK_STATUS(pinion_model_body(m, index, &body), PINION_ERR_ARGUMENT);
        CHECK_STATUS(pinion_model_link(m, index, &link), PINION_ERR_ARGUMENT);
        CHECK_STATUS(pinion_model_joint(m, index, &joint), PINION_ERR_ARGUMENT);
        CHECK_STATUS(pinion_model_loop(m, index, &loop), PINION_ERR_ARGUMENT);
        CHECK_STATUS(pinion_model_frame(m, index, &frame), PINION_ERR_ARGUMENT);
        CHECK_STATUS(pinion_model_visual(m, index, &visual), PINION_ERR_ARGUMENT);
    }
    CHECK_STATUS(pinion_model_joint(m, 0, NULL), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_model_joint(NULL, 0, &joint), PINION_ERR_ARGUMENT);
    CHECK(pinion_model_find_link(m, "nobody") == -1 && pinion_model_find_frame(m, "") == -1);
    CHECK(pinion_model_find_joint(m, NULL) == -1 && pinion_model_find_loop(m, "zzz") == -1);
    CHECK(strcmp(pinion_model_name(m), "tree") == 0);
    pinion_model_free(m);
}

/* What was described comes back with the same bits, unless it had to be put right. */
TEST(kept_as_described)
{
    pinion_builder *b = pinion_builder_new("kept");
    double gravity[3] = {1, 2, 3}, got[3];
    CHECK_STATUS(pinion_builder_set_gravity(b, gravity, NULL), PINION_OK);
    add_link(b, "a", 1);
    add_link(b, "b", 1);
    pinion_joint_def def = pinion_joint_def_default();
    def.name = "j";
    def.type = PINION_JOINT_HELICAL;
    def.parent = "a";
    def.child = "b";
    def.pitch = 0.125;
    def.axis[0] = 3;
    def.axis[1] = 0;
    def.axis[2] = -4;
    double c = cos(0.3), s = sin(0.3), R[9] = {c, -s, 0, s, c, 0, 0, 0, 1};
    memcpy(def.parent_pose.rotation, R, sizeof R);
    memcpy(def.child_pose.rotation, R, sizeof R);
    def.child_pose.rotation[0] += 1e-7;
    def.dof[0].lower = -1;
    def.dof[0].upper = 2;
    def.dof[0].velocity = 3;
    def.dof[0].effort = 4;
    def.dof[0].damping = 5;
    CHECK_STATUS(pinion_builder_add_joint(b, &def, NULL), PINION_OK);
    pinion_visual_def visual = pinion_visual_def_default();
    visual.link = "b";
    visual.shape = PINION_SHAPE_MESH;
    visual.mesh = "package://kept/b.stl";
    CHECK_STATUS(pinion_builder_add_visual(b, &visual, NULL), PINION_OK);
    visual.shape = PINION_SHAPE_SPHERE;
    visual.size[0] = 0.25;
    CHECK_STATUS(pinion_builder_add_visual(b, &visual, NULL), PINION_OK);
    pinion_model *m = pinion_builder_build(b, NULL, NULL), *again = pinion_builder_build(b, NULL, NULL);
    CHECK(m && again);
    pinion_builder_free(b);
    if (!m || !again) return;

    pinion_joint_info info;
    CHECK_STATUS(pinion_model_joint(m, 0, &info), PINION_OK);
    CHECK(memcmp(info.parent_pose.rotation, R, sizeof R) == 0);
    CHECK_NEAR(info.child_pose.rotation[0], R[0], 1e-7);
    for (int i = 0; i < 3; i++) {
        const double *row = info.child_pose.rotation + 3 * i;
        CHECK_NEAR(row[0] * row[0] + row[1] * row[1] + row[2] * row[2], 1, 1e-15);
    }
    CHECK(info.axis[0] == 0.6 && info.axis[1] == 0 && info.axis[2] == -0.8 && info.pitch == 0.125);
    CHECK(info.dof[0].lower == -1 && info.dof[0].upper == 2 && info.dof[0].velocity == 3 &&
          info.dof[0].effort == 4);
    CHECK(info.dof[0].damping == 5 && info.dof[0].gear_ratio == 1);
    pinion_model_gravity(m, got);
    CHECK(memcmp(got, gravity, sizeof got) == 0);
    pinion_visual_info seen;
    CHECK(pinion_model_visual_count(m) == 2);
    CHECK_STATUS(pinion_model_visual(m, 0, &seen), PINION_OK);
    CHECK(seen.link == 1 && seen.shape == PINION_SHAPE_MESH && strcmp(seen.mesh, "package://kept/b.stl") == 0);
    CHECK_STATUS(pinion_model_visual(m, 1, &seen), PINION_OK);
    CHECK(seen.mesh == NULL && seen.size[0] == 0.25 && seen.rgba[3] == 1);
    pinion_model_free(m);
    pinion_model_free(again);
}

/* A model whose parts are as many as a file may hold, deep and wide, quickly. */
static void large(int deep)
{
    clock_t start = clock();
    const int count = 100000 / check_every(10);
    pinion_builder *b = pinion_builder_new("large");
    for (int i = 0; i < count; i++) {
        char name[32], parent[32], joint[32];
        snprintf(name, sizeof name, "link_%d", i);
        snprintf(parent, sizeof parent, "link_%d", deep ? i - 1 : 0);
        snprintf(joint, sizeof joint, "joint_%d", i);
        add_link(b, name, 1);
        if (i == 0) continue;
        pinion_joint_def def = pinion_joint_def_default();
        def.name = joint;
        def.type = i % 3 ? PINION_JOINT_REVOLUTE : PINION_JOINT_FIXED;
        def.parent = parent;
        def.child = name;
        def.parent_pose.position[0] = 1e-3;
        CHECK_STATUS(pinion_builder_add_joint(b, &def, NULL), PINION_OK);
    }
    pinion_error err;
    pinion_model *m = pinion_builder_build(b, NULL, &err);
    if (!m) {
        CHECK_FAIL("%s", err.message);
        pinion_builder_free(b);
        return;
    }
    CHECK(pinion_model_link_count(m) == count && pinion_model_nv(m) == 2 * (count - 1) / 3);
    CHECK(pinion_model_find_link(m, "link_7777") >= 0 && pinion_model_find_joint(m, "joint_9999") >= 0);
    pinion_model_free(m);
    pinion_builder_free(b);
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    printf("       %.2f s\n", seconds);
    CHECK(seconds < 60); /* a quadratic look-up takes far more, a slow machine with a sanitizer does not */
}

TEST(large_chain)
{
    large(1);
}

TEST(large_star)
{
    large(0);
}

TEST(too_many)
{
    pinion_builder *b = pinion_builder_new("m");
    pinion_link_def def = pinion_link_def_default();
    def.name = "same";
    pinion_status status = PINION_OK;
    pinion_error err;
    int count = 0;
    while (!(status = pinion_builder_add_link(b, &def, &err)) && count < 10000000) count++;
    CHECK_STATUS(status, PINION_ERR_MODEL);
    CHECK_HAS(err.message, "too many links; expected at most");
    CHECK(count >= 100000);
    pinion_builder_free(b);
}

TEST(types_and_texts)
{
    for (int i = 0; i < PINION_JOINT_TYPE_COUNT; i++) {
        const char *name = pinion_joint_type_name((pinion_joint_type)i);
        CHECK(name && pinion_joint_type_find(name) == i);
        CHECK(pinion_joint_type_nq((pinion_joint_type)i) >= pinion_joint_type_nv((pinion_joint_type)i));
    }
    CHECK(!pinion_joint_type_name((pinion_joint_type)-1) && !pinion_joint_type_name(PINION_JOINT_TYPE_COUNT));
    CHECK(pinion_joint_type_find("rotary") == -1 && pinion_joint_type_find(NULL) == -1);
    CHECK(pinion_joint_type_nq(PINION_JOINT_FREE) == 7 && pinion_joint_type_nv(PINION_JOINT_FREE) == 6);
    CHECK(pinion_joint_type_nq((pinion_joint_type)99) == 0 &&
          pinion_joint_type_nv((pinion_joint_type)-3) == 0);
    CHECK(strcmp(pinion_status_text(PINION_OK), "ok") == 0);
    CHECK_HAS(pinion_status_text(PINION_ERR_MEMORY), "memory");
    CHECK(pinion_status_text((pinion_status)-99) != NULL);
    CHECK(strcmp(pinion_version(), PINION_VERSION) == 0);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(order);
    RUN(out_of_range);
    RUN(kept_as_described);
    RUN(large_chain);
    RUN(large_star);
    RUN(too_many);
    RUN(types_and_texts);
    return CHECK_END();
}
