/* The n-th allocation fails, for every n: an error that says so, nothing leaked, nothing broken. */
#include <pinion/model.h>

#include "../support/check.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__GLIBC__)
#define SANITIZED 1
#endif

/* allocations made, allocations alive, and how many more succeed; -1: all */
static long made, alive, budget = -1;

#ifndef SANITIZED
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void *__libc_memalign(size_t align, size_t size);
extern void __libc_free(void *block);

static int refused(void)
{
    made++;
    if (budget == 0) return 1;
    if (budget > 0) budget--;
    return 0;
}

void *malloc(size_t size)
{
    void *block = refused() ? NULL : __libc_malloc(size);
    alive += block != NULL;
    return block;
}

void *calloc(size_t count, size_t size)
{
    void *block = refused() ? NULL : __libc_calloc(count, size);
    alive += block != NULL;
    return block;
}

void *realloc(void *old, size_t size)
{
    void *block = refused() ? NULL : __libc_realloc(old, size);
    alive += block != NULL && old == NULL;
    return block;
}

void *aligned_alloc(size_t align, size_t size)
{
    void *block = refused() ? NULL : __libc_memalign(align, size);
    alive += block != NULL;
    return block;
}

void free(void *block)
{
    alive -= block != NULL;
    __libc_free(block);
}
#endif

/* A model with something of everything; NULL and a status when any step failed. */
static pinion_model *everything(pinion_error *err)
{
    pinion_status status = PINION_OK;
    pinion_model *m = NULL;
    pinion_builder *b = pinion_builder_new("everything");
    if (!b) {
        err->status = PINION_ERR_MEMORY;
        return NULL;
    }
    status = pinion_builder_set_source(b, "file.urdf");
    if (status) err->status = status;
    for (int i = 0; i < 12 && !status; i++) {
        char name[32], parent[32], joint[32], leader[32];
        snprintf(name, sizeof name, "a-rather-long-link-name-%d", i);
        snprintf(parent, sizeof parent, "a-rather-long-link-name-%d", i - 1);
        snprintf(joint, sizeof joint, "joint%d", i);
        snprintf(leader, sizeof leader, "joint1");
        pinion_link_def link = pinion_link_def_default();
        link.name = name;
        link.inertia.mass = 1; /* and no inertia: a warning each */
        status = pinion_builder_add_link(b, &link, err);
        if (i > 0 && !status) {
            pinion_joint_def def = pinion_joint_def_default();
            def.name = joint;
            def.parent = parent;
            def.child = name;
            def.type = (pinion_joint_type)(i <= 9 ? i : PINION_JOINT_REVOLUTE);
            def.mimic = i == 10 ? leader : NULL;
            status = pinion_builder_add_joint(b, &def, err);
        }
        pinion_visual_def visual = pinion_visual_def_default();
        visual.link = name;
        visual.shape = PINION_SHAPE_MESH;
        visual.mesh = "mesh.stl";
        if (!status) status = pinion_builder_add_visual(b, &visual, err);
        pinion_frame_def frame = pinion_frame_def_default();
        frame.name = joint;
        frame.link = name;
        if (!status) status = pinion_builder_add_frame(b, &frame, err);
    }
    pinion_joint_def loop = pinion_joint_def_default();
    loop.name = "loop";
    loop.type = PINION_JOINT_REVOLUTE;
    loop.parent = "a-rather-long-link-name-0";
    loop.child = "a-rather-long-link-name-11";
    if (!status) status = pinion_builder_add_loop(b, &loop, err);
    for (int i = 0; i < 20 && !status; i++) {
        status = pinion_builder_add_warning(b, "a sentence of the loader about the file it reads", err);
    }
    if (!status) m = pinion_builder_build(b, NULL, err);
    pinion_builder_free(b);
    return m;
}

/* A cycle, a joint that is turned round, and constraints. */
static pinion_model *graph(pinion_error *err)
{
    pinion_builder *b = pinion_builder_new("graph");
    if (!b) {
        err->status = PINION_ERR_MEMORY;
        return NULL;
    }
    static const char *const links[] = {"a", "b", "c", "d"}, *const joints[] = {"ab", "bc", "cd", "da"};
    pinion_status status = pinion_builder_set_root(b, "c", err);
    for (int i = 0; i < 4 && !status; i++) {
        pinion_link_def link = pinion_link_def_default();
        link.name = links[i];
        link.inertia.mass = 1;
        status = pinion_builder_add_link(b, &link, err);
        pinion_joint_def joint = pinion_joint_def_default();
        joint.name = joints[i];
        joint.type = i == 1 ? PINION_JOINT_UNIVERSAL : PINION_JOINT_REVOLUTE;
        joint.parent = links[i];
        joint.child = links[(i + 1) % 4];
        joint.cut = i == 3;
        joint.has_initial = i == 3;
        if (!status) status = pinion_builder_add_joint(b, &joint, err);
    }
    pinion_constraint_def gear = pinion_constraint_def_default();
    gear.name = "gear";
    gear.kind = PINION_LOOP_GEAR;
    gear.first = "ab";
    gear.second = "cd";
    if (!status) status = pinion_builder_add_constraint(b, &gear, err);
    pinion_model *m = status ? NULL : pinion_builder_build(b, NULL, err);
    pinion_builder_free(b);
    return m;
}

static pinion_model *bars(pinion_error *err)
{
    return pinion_n_four_bar(2, err);
}

static pinion_model *chain(pinion_error *err)
{
    return pinion_random_chain(5, 1, err);
}

static pinion_model *tree(pinion_error *err)
{
    return pinion_random_tree(20, 1, 1, err);
}

/* Fails each allocation in turn until there is none left to fail. */
static void fail_each(pinion_model *(*make)(pinion_error *))
{
    long before = alive;
    int n = 0;
    for (;; n++) {
        pinion_error err;
        memset(&err, 0, sizeof err);
        budget = n;
        long start = made;
        pinion_model *m = make(&err);
        long used = made - start;
        budget = -1;
        if (m) {
            pinion_model_free(m);
            if (used <= n) break; /* not one was refused */
        } else {
            CHECK_STATUS(err.status, PINION_ERR_MEMORY);
        }
        if (alive != before) CHECK_FAIL("%ld blocks leaked when allocation %d failed", alive - before, n);
        if (n > 10000) {
            CHECK_FAIL("no end of allocations");
            break;
        }
    }
    CHECK(alive == before);
    CHECK(n > 10);
}

TEST(every_allocation_fails)
{
#ifdef SANITIZED
    (void)fail_each;
    (void)everything;
    (void)graph;
    (void)bars;
    (void)chain;
    (void)tree;
    SKIP("the allocator cannot be replaced here");
#else
    fail_each(everything);
    fail_each(graph);
    fail_each(bars);
    fail_each(chain);
    fail_each(tree);
#endif
}

TEST(copies_and_edits)
{
#ifdef SANITIZED
    SKIP("the allocator cannot be replaced here");
#else
    pinion_model *m = pinion_random_tree(10, 0, 5, NULL);
    budget = 0;
    pinion_model *copy = pinion_model_copy(m);
    budget = -1;
    CHECK(copy == NULL);
    copy = pinion_model_copy(m);
    CHECK(m && copy);
    if (!m || !copy) return;

    /* edits and look-ups allocate nothing */
    long before = made;
    double g[3] = {0, 0, -1};
    pinion_inertia load = {1, {0, 0, 0}, {1, 0, 0, 1, 0, 1}};
    pinion_joint_info info;
    int bad = pinion_model_set_gravity(copy, g);
    bad |= pinion_model_set_payload(copy, 1, &load);
    bad |= pinion_model_joint(copy, 0, &info);
    pinion_pose pose = pinion_pose_identity();
    for (int i = pinion_model_link_count(copy); i < pinion_model_frame_count(copy); i++) {
        bad |= pinion_model_set_frame(copy, i, &pose);
    }
    int found = pinion_model_find_link(copy, "link3");
    long after = made;
    CHECK(!bad && found >= 0 && after == before);
    pinion_model_free(m);
    pinion_model_free(copy);
#endif
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(every_allocation_fails);
    RUN(copies_and_edits);
    return CHECK_END();
}
