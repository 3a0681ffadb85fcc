/* Groups of an HDF5 file as its first version has them (III.A.1, III.B, III.D): a tree whose leaves are lists
 * of symbols, and a heap with their names. The later kind is in hdf5_links.c. */
#include "sim/result/hdf5_file.h"

#include <stdlib.h>
#include <string.h>

enum { NODE_HEAD = 24, SYMBOLS_HEAD = 8, SYMBOL = 40, HEAP_HEAD = 32 };

static unsigned u16(const unsigned char *bytes)
{
    return (unsigned)pn_h5_number(bytes, 2);
}

/* Addresses of nodes that are still to be read, each with its height above the lists. */
typedef struct work_list {
    uint64_t *at;
    int *level;
    size_t count, capacity;
} work_list;

static int push(pn_h5 *h, work_list *w, uint64_t at, int level)
{
    if (w->count == w->capacity) {
        const size_t capacity = w->capacity ? 2 * w->capacity : 16;
        uint64_t *more_at = realloc(w->at, capacity * sizeof *w->at);
        if (more_at) w->at = more_at;
        int *more_level = more_at ? realloc(w->level, capacity * sizeof *w->level) : NULL;
        if (more_level) w->level = more_level;
        if (!more_level) {
            h->no_memory = 1;
            return 0;
        }
        w->capacity = capacity;
    }
    w->at[w->count] = at;
    w->level[w->count++] = level;
    return 1;
}

/* A node of the tree: its children are still to be read. Level -1 takes any, which is the tree's first node.
 */
static int read_node(pn_h5 *h, work_list *w, uint64_t at, int level)
{
    unsigned char head[NODE_HEAD], *entries = NULL;
    if (!pn_h5_fetch(h, at, NODE_HEAD, head) || memcmp(head, "TREE", 4) != 0 || head[4] != 0) return 0;
    const int height = head[5];
    const unsigned used = u16(head + 6);
    if (level >= 0 && height != level) return 0;
    int fine = pn_h5_fetch_behind(h, at + NODE_HEAD, 16 * (uint64_t)used, &entries, 0);
    for (unsigned i = 0; i < used && fine; i++)
        fine = push(h, w, pn_h5_number(entries + 16 * i + 8, 8), height - 1);
    free(entries);
    return fine;
}

static size_t smaller(uint64_t a, size_t b)
{
    return a < b ? (size_t)a : b;
}

/* A list of symbols: members of the group. */
static int read_symbols(pn_h5 *h, pn_h5_group *g, int most, uint64_t heap_size, uint64_t at)
{
    unsigned char head[SYMBOLS_HEAD], *entries = NULL;
    if (!pn_h5_fetch(h, at, SYMBOLS_HEAD, head) || memcmp(head, "SNOD", 4) != 0 || head[4] != 1) return 0;
    const unsigned used = u16(head + 6);
    if (used > (unsigned)(most - g->count)) return 0;
    int fine = pn_h5_fetch_behind(h, at + SYMBOLS_HEAD, (uint64_t)SYMBOL * used, &entries, 0);
    pn_h5_member *grown = fine ? realloc(g->member, ((size_t)g->count + used + 1) * sizeof *grown) : NULL;
    if (grown) g->member = grown;
    if (fine && !grown) h->no_memory = 1;
    fine = fine && grown;
    for (unsigned i = 0; i < used && fine; i++) {
        const unsigned char *entry = entries + (size_t)SYMBOL * i;
        const uint64_t name = pn_h5_number(entry, 8);
        /* names may not run into each other: comparing them would take for ever */
        fine =
            name < heap_size && memchr(g->names + name, 0, smaller(heap_size - name, PN_H5_NAME_MAX)) != NULL;
        const int soft = pn_h5_number(entry + 16, 4) == 2; /* a link to elsewhere, which is not followed */
        if (fine) g->member[g->count++] = (pn_h5_member){NULL, soft ? 0 : pn_h5_number(entry + 8, 8), name};
    }
    free(entries);
    return fine;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const pn_h5_member *)a)->name, ((const pn_h5_member *)b)->name);
}

static int read_table(pn_h5 *h, const unsigned char *table, int most, pn_h5_group *g)
{
    unsigned char head[HEAP_HEAD], *names = NULL;
    if (!pn_h5_fetch(h, pn_h5_number(table + 8, 8), HEAP_HEAD, head) || memcmp(head, "HEAP", 4) != 0 ||
        head[4] != 0)
        return 0;
    const uint64_t length = pn_h5_number(head + 8, 8);
    int fine = pn_h5_fetch_behind(h, pn_h5_number(head + 24, 8), length, &names, 0);
    g->names = (char *)names;

    work_list w = {NULL, NULL, 0, 0};
    fine = fine && read_node(h, &w, pn_h5_number(table, 8), -1);
    while (fine && w.count > 0) {
        const uint64_t at = w.at[--w.count];
        const int level = w.level[w.count];
        fine = level < 0 ? read_symbols(h, g, most, length, at) : read_node(h, &w, at, level);
    }
    free(w.at);
    free(w.level);
    return fine;
}

int pn_h5_group_read(pn_h5 *h, const pn_h5_object *o, int most, pn_h5_group *g)
{
    size_t size = 0, info_size = 0;
    const unsigned char *table = pn_h5_find_message(o, PN_H5_SYMBOL_TABLE, &size),
                        *info = pn_h5_find_message(o, PN_H5_LINK_INFO, &info_size);
    *g = (pn_h5_group){NULL, NULL, 0};
    int fine = table  ? size >= 16 && read_table(h, table, most, g)
               : info ? pn_h5_links_read(h, o, info, info_size, most, g)
                      : 0;
    for (int i = 0; i < g->count; i++) g->member[i].name = g->names + g->member[i].name_at;
    if (fine && g->count) qsort(g->member, (size_t)g->count, sizeof *g->member, by_name);
    for (int i = 1; i < g->count && fine; i++) fine = by_name(&g->member[i - 1], &g->member[i]) != 0;
    if (!fine) pn_h5_group_free(g);
    return fine;
}

void pn_h5_group_free(pn_h5_group *g)
{
    free(g->names);
    free(g->member);
    *g = (pn_h5_group){NULL, NULL, 0};
}

uint64_t pn_h5_group_find(const pn_h5_group *g, const char *name)
{
    const pn_h5_member wanted = {name, 0, 0};
    const pn_h5_member *m =
        g->count ? bsearch(&wanted, g->member, (size_t)g->count, sizeof wanted, by_name) : NULL;
    return m ? m->at : 0;
}
