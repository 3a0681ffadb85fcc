/* The spanning tree: which joints are in it and which close loops; links and joints depth first. No
 * recursion, since a file may describe a chain of any length. docs/model-format.md states the rule. */
#include <stdio.h>
#include <string.h>

#include "model/plan/plan.h"

/* The described graph by the builder's numbers. Each joint has two sides, 2 j at its parent and 2 j + 1 at
 * its child, so that it can be met from either. */
typedef struct pn_joint_graph {
    int *parent, *child; /* by joint: links */
    int *mover;          /* by link: the joint of the tree whose child it is; -1: none */
    int *in_tree;        /* by joint */
    int *set;            /* by link: towards the one that stands for all connected with it */
    int *first, *next;   /* by link: its first side; by side: the next at the same link; -1: none */
    int *stack;          /* sides still to be visited */
} pn_joint_graph;

static const pn_described_joint *joint_at(const pn_plan *plan, int i)
{
    return PN_ITEM(&plan->b->joints, const pn_described_joint, i);
}

static pn_quoted joint_name(const pn_plan *plan, int i)
{
    return pn_quote(pn_builder_text(plan->b, joint_at(plan, i)->name));
}

static pn_quoted link_name(const pn_plan *plan, int i)
{
    return pn_quote(pn_builder_text(plan->b, PN_ITEM(&plan->b->links, const pn_described_link, i)->name));
}

static int link_line(const pn_plan *plan, int i)
{
    return PN_ITEM(&plan->b->links, const pn_described_link, i)->line;
}

/* The builder's link of that name, -1 if there is none. */
static int link_of(const pn_plan *plan, size_t name)
{
    int link = pn_names_find(plan->frame_names, plan->frame_name_count, pn_builder_text(plan->b, name));
    return link < (int)plan->b->links.count ? link : -1;
}

/* The links that the joints connect. */
static pinion_status connect(const pn_plan *plan, pn_joint_graph *graph, pinion_error *err)
{
    for (int i = 0; i < (int)plan->b->joints.count; i++) {
        const pn_described_joint *joint = joint_at(plan, i);
        graph->parent[i] = link_of(plan, joint->parent);
        graph->child[i] = link_of(plan, joint->child);
        if (graph->parent[i] >= 0 && graph->child[i] >= 0) continue;
        int parent = graph->parent[i] < 0;
        return pn_fail(plan->b, err, PINION_ERR_MODEL, joint->line,
                       "joint %s: %s link %s does not exist; expected a link of this model",
                       joint_name(plan, i).text, parent ? "parent" : "child",
                       pn_quote(pn_builder_text(plan->b, parent ? joint->parent : joint->child)).text);
    }
    return PINION_OK;
}

/* The root that was asked for; -1 when none was. */
static pinion_status asked_root(const pn_plan *plan, int *root, pinion_error *err)
{
    const pinion_builder *b = plan->b;
    *root = b->root ? link_of(plan, b->root) : -1;
    if (*root >= 0 || !b->root) return PINION_OK;
    return pn_fail(b, err, PINION_ERR_MODEL, b->root_line,
                   "the root is link %s, which does not exist; expected a link of this model",
                   pn_quote(pn_builder_text(b, b->root)).text);
}

/* ---- joints that must form a tree as they are ---- */

/* A link has at most one joint that moves it. */
static pinion_status take_all(const pn_plan *plan, pn_joint_graph *graph, pinion_error *err)
{
    for (int i = 0; i < (int)plan->b->joints.count; i++) {
        int child = graph->child[i];
        if (joint_at(plan, i)->cut) continue;
        if (graph->mover[child] >= 0) {
            return pn_fail(plan->b, err, PINION_ERR_MODEL, joint_at(plan, i)->line,
                           "link %s has two parents, by joints %s and %s; expected one (a loop is closed by "
                           "a loop joint)",
                           link_name(plan, child).text, joint_name(plan, graph->mover[child]).text,
                           joint_name(plan, i).text);
        }
        graph->mover[child] = i;
        graph->in_tree[i] = 1;
    }
    return PINION_OK;
}

/* Links that go round in a circle: names one that is on it. `link` is not reachable from any root. */
static pinion_status cycle(const pn_plan *plan, const pn_joint_graph *graph, int link, pinion_error *err)
{
    /* after as many steps up as there are links one is on the circle */
    for (size_t i = 0; i < plan->b->links.count; i++) link = graph->parent[graph->mover[link]];
    int joint = graph->mover[link];
    return pn_fail(
        plan->b, err, PINION_ERR_MODEL, joint_at(plan, joint)->line,
        "link %s is its own ancestor, through joint %s; expected a tree (a loop is closed by a loop joint)",
        link_name(plan, link).text, joint_name(plan, joint).text);
}

/* The one link that is nobody's child. */
static pinion_status only_root(const pn_plan *plan, const pn_joint_graph *graph, int *root, pinion_error *err)
{
    int asked = *root;
    *root = -1;
    for (int i = 0; i < (int)plan->b->links.count; i++) {
        if (graph->mover[i] >= 0) continue;
        if (*root >= 0) {
            return pn_fail(
                plan->b, err, PINION_ERR_MODEL, link_line(plan, i),
                "the model has two roots, links %s and %s; expected every link but one to be a joint's child",
                link_name(plan, *root).text, link_name(plan, i).text);
        }
        *root = i;
    }
    if (*root < 0) return cycle(plan, graph, 0, err);
    if (asked < 0 || asked == *root) return PINION_OK;
    return pn_fail(plan->b, err, PINION_ERR_MODEL, plan->b->root_line,
                   "the root is link %s, but that is the child of joint %s; expected link %s",
                   link_name(plan, asked).text, joint_name(plan, graph->mover[asked]).text,
                   link_name(plan, *root).text);
}

/* ---- any graph ---- */

/* The link that stands for all that are connected with this one; halves the way there. */
static int set_of(int *set, int link)
{
    while (set[link] != link) {
        set[link] = set[set[link]];
        link = set[link];
    }
    return link;
}

/* The first link that no joint has as its child; the first of all where there is none. */
static int free_link(const pn_plan *plan, const pn_joint_graph *graph)
{
    for (int i = 0; i < (int)plan->b->joints.count; i++) {
        if (!joint_at(plan, i)->cut) graph->mover[graph->child[i]] = i;
    }
    int root = 0, links = (int)plan->b->links.count;
    while (root < links && graph->mover[root] >= 0) root++;
    for (int i = 0; i < links; i++) graph->mover[i] = -1;
    return root < links ? root : 0;
}

/* Takes joints in the order they were added, wherever they connect what is not connected yet: first those
 * that can point away from the root and give a link its only parent, then the others. */
static void span(const pn_plan *plan, pn_joint_graph *graph, int root)
{
    for (int i = 0; i < (int)plan->b->links.count; i++) graph->set[i] = i;
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < (int)plan->b->joints.count; i++) {
            int child = graph->child[i];
            if (graph->in_tree[i] || joint_at(plan, i)->cut) continue;
            if (pass == 0 && (child == root || graph->mover[child] >= 0)) continue;
            int above = set_of(graph->set, graph->parent[i]), below = set_of(graph->set, child);
            if (above == below) continue;
            graph->set[above < below ? below : above] = above < below ? above : below;
            graph->mover[child] = i;
            graph->in_tree[i] = 1;
        }
    }
}

/* A cut joint without which the pieces would be one; -1 if there is none. */
static int cut_between(const pn_plan *plan, const pn_joint_graph *graph)
{
    for (int i = 0; i < (int)plan->b->joints.count; i++) {
        int between = set_of(graph->set, graph->parent[i]) != set_of(graph->set, graph->child[i]);
        if (between && joint_at(plan, i)->cut) return i;
    }
    return -1;
}

/* Every link must be connected with the root. */
static pinion_status check_pieces(const pn_plan *plan, pn_joint_graph *graph, int root, pinion_error *err)
{
    /* the first link of every other piece, a few of them by name */
    enum { NAMED = 3 };
    int pieces = 1, other[NAMED], home = set_of(graph->set, root);
    for (int i = 0; i < (int)plan->b->links.count; i++) {
        if (graph->set[i] != i || i == home) continue; /* a piece is known by its first link */
        if (pieces <= NAMED) other[pieces - 1] = i;
        pieces++;
    }
    if (pieces == 1) return PINION_OK;

    char list[320] = "";
    size_t used = 0;
    for (int i = 0; i < NAMED && i < pieces - 1; i++) {
        int n =
            snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", link_name(plan, other[i]).text);
        used += n > 0 ? (size_t)n : 0;
    }
    int cut = cut_between(plan, graph);
    char hint[160] = "";
    if (cut >= 0) snprintf(hint, sizeof hint, " (joint %s is cut and does not)", joint_name(plan, cut).text);
    return pn_fail(plan->b, err, PINION_ERR_MODEL, link_line(plan, other[0]),
                   "the model falls into %d pieces: no joint connects the root, link %s, with link%s %s%s%s; "
                   "expected one connected graph",
                   pieces, link_name(plan, root).text, pieces > 2 ? "s" : "", list,
                   pieces - 1 > NAMED ? ", ..." : "", hint);
}

/* ---- the walk ---- */

/* The sides of the tree's joints at each link, in the order they were added: linked from the last to the
 * first. */
static void link_sides(const pn_plan *plan, pn_joint_graph *graph)
{
    for (int i = 0; i < (int)plan->b->links.count; i++) graph->first[i] = -1;
    for (int i = (int)plan->b->joints.count - 1; i >= 0; i--) {
        if (!graph->in_tree[i]) continue;
        for (int side = 2 * i; side < 2 * i + 2; side++) {
            int link = side & 1 ? graph->child[i] : graph->parent[i];
            graph->next[side] = graph->first[link];
            graph->first[link] = side;
        }
    }
}

/* Whether what is attached there moves against the link's frame. */
static int on_elastic_place(const pn_plan *plan, int link, const pinion_pose *pose)
{
    const pn_described_link *described = PN_ITEM(&plan->b->links, const pn_described_link, link);
    if (!described->elastic) return 0;
    const pinion_elastic_def def = pn_builder_elastic(plan->b, described);
    return pn_elastic_station(&def, pose) >= 0;
}

/* The next joint and the link behind it. */
static void enter(pn_plan *plan, int source, int turned, int from, int to)
{
    int joint = plan->joints++, link = plan->links++, parent = plan->link_place[from];
    plan->joint_source[joint] = source;
    plan->joint_place[source] = joint;
    plan->joint_turned[source] = turned;
    plan->joint_parent[joint] = parent;
    plan->link_source[link] = to;
    plan->link_place[to] = link;
    const pn_described_joint *described = joint_at(plan, source);
    const pinion_pose *pose = turned ? &described->child_pose : &described->parent_pose;
    const int together = described->type == PINION_JOINT_FIXED && !on_elastic_place(plan, from, pose);
    plan->joint_body[joint] = together ? plan->link_body[parent] : plan->bodies++;
    plan->link_body[link] = plan->joint_body[joint];
}

/* Numbers links and joints depth first, and the bodies with them. */
static void visit(pn_plan *plan, const pn_joint_graph *graph, int root)
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

    /* the stack holds, for each link on the way down, the next side to go through */
    int depth = 0;
    graph->stack[depth++] = graph->first[root];
    while (depth > 0) {
        int side = graph->stack[depth - 1];
        if (side < 0) {
            depth--;
            continue;
        }
        graph->stack[depth - 1] = graph->next[side];
        int source = side / 2, turned = side & 1;
        int from = turned ? graph->child[source] : graph->parent[source];
        int to = turned ? graph->parent[source] : graph->child[source];
        if (plan->link_place[to] >= 0) continue; /* where it came from */
        enter(plan, source, turned, from, to);
        graph->stack[depth++] = graph->first[to];
    }
}

/* The loops: those of the builder, then the joints that are not in the tree. */
static void list_loops(pn_plan *plan, const pn_joint_graph *graph)
{
    plan->loops = 0;
    for (int i = 0; i < (int)plan->b->loops.count; i++) plan->loop_source[plan->loops++] = i;
    for (int i = 0; i < (int)plan->b->joints.count; i++) {
        if (graph->in_tree[i]) continue;
        plan->joint_place[i] = -1 - plan->loops;
        plan->loop_source[plan->loops++] = -1 - i;
    }
}

pinion_status pn_plan_tree(pn_plan *plan, pinion_error *err)
{
    /* scratch */
    pn_joint_graph graph;
    size_t links = plan->b->links.count, joints = plan->b->joints.count;
    graph.parent = pn_pool_take(&plan->pool, joints, sizeof(int));
    graph.child = pn_pool_take(&plan->pool, joints, sizeof(int));
    graph.mover = pn_pool_take(&plan->pool, links, sizeof(int));
    graph.in_tree = pn_pool_take(&plan->pool, joints, sizeof(int));
    graph.set = pn_pool_take(&plan->pool, links, sizeof(int));
    graph.first = pn_pool_take(&plan->pool, links, sizeof(int));
    graph.next = pn_pool_take(&plan->pool, 2 * joints, sizeof(int));
    graph.stack = pn_pool_take(&plan->pool, links + 1, sizeof(int));
    if (plan->pool.failed) return pn_fail_memory(plan->b, err);
    for (size_t i = 0; i < links; i++) graph.mover[i] = -1;

    /* which joints, from which root */
    int root = -1;
    pinion_status status = connect(plan, &graph, err);
    if (status == PINION_OK) status = asked_root(plan, &root, err);
    if (status != PINION_OK) return status;
    if (plan->b->tree_only) {
        status = take_all(plan, &graph, err);
        if (status == PINION_OK) status = only_root(plan, &graph, &root, err);
    } else {
        if (root < 0) root = free_link(plan, &graph);
        span(plan, &graph, root);
        status = check_pieces(plan, &graph, root, err);
    }
    if (status != PINION_OK) return status;

    /* walk; what a tree's walk did not reach hangs on a circle */
    link_sides(plan, &graph);
    visit(plan, &graph, root);
    for (size_t i = 0; i < links; i++) {
        if (plan->link_place[i] < 0) return cycle(plan, &graph, (int)i, err);
    }
    list_loops(plan, &graph);
    return PINION_OK;
}
