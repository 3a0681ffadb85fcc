/* The tree of a model as a drawing. */
#include "cli/info/info.h"

#include <stdlib.h>
#include <string.h>

#define LEVELS_DRAWN 40 /* deeper links are drawn at this level with their depth beside them */

/* Children of each link in the model's order. The world is the link of that name that stands on nothing, which SDF and
 * MJCF have; without it index link_count. */
typedef struct family {
    int world;
    int *first, *next; /* -1: none */
    int *parent;
    int *joint; /* whose child the link is, -1 if none */
} family;

static void family_free(family *f)
{
    free(f->first);
    free(f->next);
    free(f->parent);
    free(f->joint);
}

static void find_joints(family *f, const pinion_model *m)
{
    const int links = pinion_model_link_count(m);
    for (int i = 0; i <= links; i++) f->joint[i] = -1;
    for (int i = 0; i < pinion_model_joint_count(m); i++) {
        pinion_joint_info joint;
        if (pinion_model_joint(m, i, &joint) == PINION_OK && joint.type != PINION_JOINT_MODE)
            f->joint[joint.child] = i;
    }
    f->world = 0;
    while (f->world < links && (f->joint[f->world] >= 0 || strcmp(pn_cli_link_name(m, f->world), "world") != 0))
        f->world++;
}

static void add_child(family *f, int parent, int child)
{
    f->parent[child] = parent;
    f->next[child] = f->first[parent];
    f->first[parent] = child;
}

static int family_init(family *f, const pinion_model *m)
{
    int links = pinion_model_link_count(m);
    size_t size = ((size_t)links + 1) * sizeof(int);
    f->first = malloc(size);
    f->next = malloc(size);
    f->parent = malloc(size);
    f->joint = malloc(size);
    if (!f->first || !f->next || !f->parent || !f->joint) {
        family_free(f);
        return 0;
    }

    find_joints(f, m);

    /* a link without a joint stands on the world; the last ones first, so that each list ends up in order */
    for (int i = 0; i <= links; i++) f->first[i] = f->next[i] = f->parent[i] = -1;
    for (int i = pinion_model_joint_count(m) - 1; i >= 0; i--) {
        pinion_joint_info joint;
        if (pinion_model_joint(m, i, &joint) == PINION_OK && joint.type != PINION_JOINT_MODE)
            add_child(f, joint.parent < 0 ? f->world : joint.parent, joint.child);
    }
    for (int i = links - 1; i >= 0; i--)
        if (f->joint[i] < 0 && i != f->world) add_child(f, f->world, i);
    return 1;
}

/* The lines that lead to a link: more[k] says whether the branch at level k goes on below. */
static void draw_branches(char *text, size_t room, const int *more, int depth, int utf8)
{
    const char *const piece[2][4] = {{"   ", "|  ", "`- ", "|- "}, {"   ", "│  ", "└─ ", "├─ "}};
    int levels = depth < LEVELS_DRAWN ? depth : LEVELS_DRAWN;
    size_t used = 0;
    text[0] = '\0';
    for (int k = 0; k < levels; k++)
        used += (size_t)snprintf(text + used, room - used, "%s", piece[utf8][(k + 1 == levels ? 2 : 0) + more[k]]);
}

/* The rest of a link's line: its joint, where that is in q and v, its mass. */
static void add_joint_cells(cli_table *t, const pinion_model *m, int link, int joint_index)
{
    char q[40], v[40];
    pinion_joint_info joint;
    pinion_link_info info;
    if (joint_index < 0 || pinion_model_joint(m, joint_index, &joint) != PINION_OK) {
        for (int i = 0; i < 4; i++) pn_cli_table_add(t, "%s", "");
    } else {
        pn_cli_table_add(t, "%s", joint.name);
        pn_cli_table_add(t, "%s%s", pinion_joint_type_name(joint.type), joint.leader >= 0 ? ", mimic" : "");
        pn_cli_table_add(t, "%s", pn_cli_range(q, sizeof q, 'q', joint.q_index, joint.nq));
        pn_cli_table_add(t, "%s", pn_cli_range(v, sizeof v, 'v', joint.v_index, joint.nv));
    }
    if (pinion_model_link(m, link, &info) == PINION_OK && info.inertia.mass != 0)
        pn_cli_table_add(t, "%.4g kg", info.inertia.mass);
    else
        pn_cli_table_add(t, "%s", "");
}

static void add_link(cli_table *t, const pinion_model *m, const family *f, int link, const int *more,
                     int depth, int utf8)
{
    char branches[LEVELS_DRAWN * 12 + 1], deep[40] = "";
    draw_branches(branches, sizeof branches, more, depth, utf8);
    if (depth > LEVELS_DRAWN) snprintf(deep, sizeof deep, "(%d deep) ", depth);
    pn_cli_table_add(t, "%s%s%s", branches, deep, pn_cli_link_name(m, link));
    add_joint_cells(t, m, link, f->joint[link]);
}

int pn_cli_print_tree(FILE *stream, const pinion_model *m, cli_style style)
{
    family f;
    int more[LEVELS_DRAWN] = {0}, depth = 0;
    if (!family_init(&f, m)) return 0;

    cli_table t = pn_cli_table(6);
    static const char *const heading[] = {"link", "joint that carries it", "type", "in q", "in v", "mass"};
    for (int i = 0; i < 6; i++) pn_cli_table_add(&t, "%s", heading[i]);
    add_link(&t, m, &f, f.world, more, 0, style.utf8);

    /* depth first without recursion: down to the first child, else along, else up and along */
    for (int link = f.world; !t.failed;) {
        if (f.first[link] >= 0) {
            link = f.first[link];
            depth++;
        } else {
            while (link != f.world && f.next[link] < 0) {
                link = f.parent[link];
                depth--;
            }
            if (link == f.world) break;
            link = f.next[link];
        }
        int level = depth < LEVELS_DRAWN ? depth : LEVELS_DRAWN;
        more[level - 1] = f.next[link] >= 0;
        add_link(&t, m, &f, link, more, depth, style.utf8);
    }
    family_free(&f);
    return pn_cli_table_print(&t, stream, "llllll", style);
}
