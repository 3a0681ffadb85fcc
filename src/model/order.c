/* The tree: one root, one parent each, no cycle; links and joints depth first. No recursion, since a
 * file may describe a chain of any length. */
#include <string.h>

#include "plan.h"

/* The described tree by the builder's numbers. */
typedef struct pn_tree {
    int *parent, *child; /* by joint: links */
    int *mover;          /* by link: the joint whose child it is; -1: none */
    int *first, *next;   /* by link: its first child joint; by joint: the next of the same parent; -1: none */
    int *stack;          /* joints still to be visited */
} pn_tree;

static const pn_described_joint *joint_at(const pn_plan *plan, int i)
{
    return PN_ITEM(&plan->b->joints, const pn_described_joint, i);
}

static pn_quoted joint_name(const pn_plan *plan, int i)
{
    return pn_quote(pn_text(plan->b, joint_at(plan, i)->name));
}

static pn_quoted link_name(const pn_plan *plan, int i)
{
    return pn_quote(pn_text(plan->b, PN_ITEM(&plan->b->links, const pn_described_link, i)->name));
}

/* The builder's link of that name, or an error that names the joint. */
static pinion_status find_link(const pn_plan *plan, int joint, const char *role, size_t name, int *link,
                               pinion_error *err)
{
    *link = pn_names_find(plan->frame_names, plan->frame_name_count, pn_text(plan->b, name));
    if (*link >= 0 && *link < (int)plan->b->links.count) return PINION_OK;
    return pn_fail(plan->b, err, PINION_ERR_MODEL, joint_at(plan, joint)->line,
                   "joint %s: %s link %s does not exist; expected a link of this model",
                   joint_name(plan, joint).text, role, pn_quote(pn_text(plan->b, name)).text);
}

/* Who is whose parent and child; a link has at most one joint that moves it. */
static pinion_status connect(const pn_plan *plan, pn_tree *tree, pinion_error *err)
{
    int links = (int)plan->b->links.count, joints = (int)plan->b->joints.count;
    for (int i = 0; i < links; i++) tree->mover[i] = tree->first[i] = -1;
    for (int i = 0; i < joints; i++) {
        const pn_described_joint *joint = joint_at(plan, i);
        pinion_status status = find_link(plan, i, "parent", joint->parent, &tree->parent[i], err);
        if (!status) status = find_link(plan, i, "child", joint->child, &tree->child[i], err);
        if (status) return status;
        int child = tree->child[i];
        if (tree->mover[child] >= 0) {
            return pn_fail(plan->b, err, PINION_ERR_MODEL, joint->line,
                           "link %s has two parents, by joints %s and %s; expected one (a loop is closed by "
                           "a loop joint)",
                           link_name(plan, child).text, joint_name(plan, tree->mover[child]).text,
                           joint_name(plan, i).text);
        }
        tree->mover[child] = i;
    }

    /* children in the order they were added: linked from the last to the first */
    for (int i = joints - 1; i >= 0; i--) {
        tree->next[i] = tree->first[tree->parent[i]];
        tree->first[tree->parent[i]] = i;
    }
    return PINION_OK;
}

/* Links that go round in a circle: names one that is on it. `link` is not reachable from any root. */
static pinion_status cycle(const pn_plan *plan, const pn_tree *tree, int link, pinion_error *err)
{
    /* after as many steps up as there are links one is on the circle */
    for (size_t i = 0; i < plan->b->links.count; i++) link = tree->parent[tree->mover[link]];
    int joint = tree->mover[link];
    return pn_fail(
        plan->b, err, PINION_ERR_MODEL, joint_at(plan, joint)->line,
        "link %s is its own ancestor, through joint %s; expected a tree (a loop is closed by a loop joint)",
        link_name(plan, link).text, joint_name(plan, joint).text);
}

/* The one link that is nobody's child. */
static pinion_status find_root(const pn_plan *plan, const pn_tree *tree, int *root, pinion_error *err)
{
    *root = -1;
    for (int i = 0; i < (int)plan->b->links.count; i++) {
        if (tree->mover[i] >= 0) continue;
        if (*root >= 0) {
            return pn_fail(
                plan->b, err, PINION_ERR_MODEL, PN_ITEM(&plan->b->links, const pn_described_link, i)->line,
                "the model has two roots, links %s and %s; expected every link but one to be a joint's child",
                link_name(plan, *root).text, link_name(plan, i).text);
        }
        *root = i;
    }
    return *root >= 0 ? PINION_OK : cycle(plan, tree, 0, err);
}

/* Numbers links and joints depth first, and the bodies with them. */
static void visit(pn_plan *plan, const pn_tree *tree, int root)
{
    for (size_t i = 0; i < plan->b->links.count; i++) plan->link_place[i] = -1;

    /* the root, on its free joint or as part of the base */
    plan->links = plan->joints = 0;
    plan->bodies = 1;
    if (plan->free_root) {
        plan->joint_source[0] = plan->joint_parent[0] = -1;
        plan->joint_body[0] = plan->bodies++;
        plan->joints = 1;
    }
    plan->link_source[0] = root;
    plan->link_place[root] = 0;
    plan->link_body[0] = plan->free_root;
    plan->links = 1;

    /* the stack holds, for each link on the way down, the next joint to go through */
    int depth = 0;
    tree->stack[depth++] = tree->first[root];
    while (depth > 0) {
        int source = tree->stack[depth - 1];
        if (source < 0) {
            depth--;
            continue;
        }
        tree->stack[depth - 1] = tree->next[source];
        int joint = plan->joints++, link = plan->links++, child = tree->child[source];
        int parent = plan->link_place[tree->parent[source]];
        plan->joint_source[joint] = source;
        plan->joint_place[source] = joint;
        plan->joint_parent[joint] = parent;
        plan->link_source[link] = child;
        plan->link_place[child] = link;
        plan->joint_body[joint] =
            joint_at(plan, source)->type == PINION_FIXED ? plan->link_body[parent] : plan->bodies++;
        plan->link_body[link] = plan->joint_body[joint];
        tree->stack[depth++] = tree->first[child];
    }
}

pinion_status pn_plan_tree(pn_plan *plan, pinion_error *err)
{
    /* scratch */
    pn_tree tree;
    size_t links = plan->b->links.count, joints = plan->b->joints.count;
    tree.parent = pn_pool_take(&plan->pool, joints, sizeof(int));
    tree.child = pn_pool_take(&plan->pool, joints, sizeof(int));
    tree.mover = pn_pool_take(&plan->pool, links, sizeof(int));
    tree.first = pn_pool_take(&plan->pool, links, sizeof(int));
    tree.next = pn_pool_take(&plan->pool, joints, sizeof(int));
    tree.stack = pn_pool_take(&plan->pool, links + 1, sizeof(int));
    if (plan->pool.failed) return pn_fail_memory(plan->b, err);

    /* connect, find the root, walk */
    int root;
    pinion_status status = connect(plan, &tree, err);
    if (!status) status = find_root(plan, &tree, &root, err);
    if (status) return status;
    visit(plan, &tree, root);

    /* what the walk did not reach hangs on a circle */
    for (size_t i = 0; i < links; i++) {
        if (plan->link_place[i] < 0) return cycle(plan, &tree, (int)i, err);
    }
    return PINION_OK;
}
