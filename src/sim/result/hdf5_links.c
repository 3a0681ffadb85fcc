/* Groups of an HDF5 file as they are since version 1.8 of the library, which makes them where names are
 * marked as UTF-8, as h5py does: link messages (IV.A.2.g) in the object itself, or in a fractal heap (III.G)
 * with an index of theirs, a tree of version 2 (III.A.2). */
#include "sim/result/hdf5_file.h"

#include <stdlib.h>
#include <string.h>

enum {
    HEAP_HEAD = 142,
    TREE_HEAD = 34,
    NODE_HEAD = 6,
    CHECKSUM = 4,
    BY_NAME = 5,
    DEPTH_MAX = 12,
    LINK_MAX = 8192
};
#define NOWHERE UINT64_MAX

/* What a link takes from its message: a name, and where it leads. */
static int add_link(pn_h5 *h, pn_h5_group *g, int most, const unsigned char *link, size_t size, size_t *pool)
{
    if (size < 4 || link[0] != 1 || g->count >= most) return 0;
    const int flags = link[1], width = 1 << (flags & 3);
    size_t at = 2 + (flags & 8 ? 1 : 0) + (flags & 4 ? 8 : 0) + (flags & 16 ? 1 : 0);
    const int kind = flags & 8 ? link[2] : 0;
    if (size < at + (size_t)width) return 0;
    const uint64_t length = pn_h5_number(link + at, width);
    at += (size_t)width;
    if (length == 0 || length >= PN_H5_NAME_MAX || length > size - at || memchr(link + at, 0, (size_t)length))
        return 0;
    if (kind == 0 && size - at - length < 8) return 0;

    char *names = realloc(g->names, *pool + (size_t)length + 1);
    if (names) g->names = names;
    pn_h5_member *grown = names ? realloc(g->member, ((size_t)g->count + 1) * sizeof *grown) : NULL;
    if (!grown) {
        h->no_memory = 1;
        return 0;
    }
    g->member = grown;
    memcpy(names + *pool, link + at, (size_t)length);
    names[*pool + length] = 0;
    grown[g->count++] = (pn_h5_member){NULL, kind == 0 ? pn_h5_number(link + at + length, 8) : 0, *pool};
    *pool += (size_t)length + 1;
    return 1;
}

/* ---------------------------------------------------------------------------------------------
 * The heap */

typedef struct heap {
    uint64_t root, start,
        direct;           /* its first block; sizes of the smallest and the largest block of objects */
    unsigned width, rows; /* of the table of blocks; 0 rows: the first block is all there is */
    int id, offset_bytes, length_bytes; /* how an object is named */
} heap;

static int is_power(uint64_t x)
{
    return x > 0 && x <= (uint64_t)1 << 40 && (x & (x - 1)) == 0;
}

static int read_heap(pn_h5 *h, uint64_t at, heap *p)
{
    unsigned char head[HEAP_HEAD];
    if (!pn_h5_fetch(h, at, HEAP_HEAD, head) || memcmp(head, "FRHP", 4) != 0 || head[4] != 0) return 0;
    p->id = (int)pn_h5_number(head + 5, 2);
    p->width = (unsigned)pn_h5_number(head + 110, 2);
    p->start = pn_h5_number(head + 112, 8);
    p->direct = pn_h5_number(head + 120, 8);
    p->offset_bytes = ((int)pn_h5_number(head + 128, 2) + 7) / 8;
    p->root = pn_h5_number(head + 132, 8);
    p->rows = (unsigned)pn_h5_number(head + 140, 2);
    p->length_bytes = p->id - 1 - p->offset_bytes;
    return pn_h5_number(head + 7, 2) == 0 && is_power(p->start) && is_power(p->direct) &&
           p->start <= p->direct && p->width > 0 && p->offset_bytes > 0 && p->offset_bytes <= 8 &&
           p->length_bytes > 0 && p->length_bytes <= 8;
}

/* A few bytes that are looked at once for each object, which is no reason to count them each time. */
static int look(pn_h5 *h, uint64_t at, size_t size, unsigned char *bytes)
{
    const uint64_t left = h->left;
    h->left = size;
    const int fine = pn_h5_fetch(h, at, size, bytes);
    h->left = left;
    return fine;
}

/* Where in the file the heap's byte is that has this number. Blocks double from row to row; those above the
 * largest size are tables of blocks again. */
static int find_in_heap(pn_h5 *h, const heap *p, uint64_t number, uint64_t *at)
{
    uint64_t block = p->root;
    unsigned char bytes[13];
    if (p->rows == 0) {
        *at = block + number;
        return number < p->start;
    }
    for (int depth = 0; depth < DEPTH_MAX; depth++) {
        uint64_t size = p->start, row = 0;
        for (; number >= p->width * size && row < 64; row++) {
            number -= p->width * size;
            if (row > 0) size *= 2;
        }
        const uint64_t entry = row * p->width + number / size;
        if (row >= 64 || !look(h, block, 5, bytes) || memcmp(bytes, "FHIB", 4) != 0 || bytes[4] != 0)
            return 0;
        if (!look(h, block + 13 + (uint64_t)p->offset_bytes + 8 * entry, 8, bytes)) return 0;
        block = pn_h5_number(bytes, 8);
        number %= size;
        if (size <= p->direct) {
            *at = block + number;
            return 1;
        }
    }
    return 0;
}

/* The link that an entry of the index names. */
static int read_entry(pn_h5 *h, const heap *p, const unsigned char *id, int most, pn_h5_group *g,
                      size_t *pool)
{
    unsigned char link[LINK_MAX];
    uint64_t at;
    if (id[0] != 0) return 0; /* not in a block of the heap */
    const uint64_t number = pn_h5_number(id + 1, p->offset_bytes),
                   length = pn_h5_number(id + 1 + p->offset_bytes, p->length_bytes);
    return length <= sizeof link && find_in_heap(h, p, number, &at) && pn_h5_fetch(h, at, length, link) &&
           add_link(h, g, most, link, (size_t)length, pool);
}

/* ---------------------------------------------------------------------------------------------
 * The index */

typedef struct node {
    uint64_t at;
    unsigned depth, records;
} node;

typedef struct tree {
    unsigned node_size, record, depth;
    int count_bytes,
        below_bytes[DEPTH_MAX + 1]; /* of the numbers of records: in a node, and in all below one */
    node *left;                     /* still to be read */
    size_t lefts, room;
} tree;

static int push(pn_h5 *h, tree *t, node n)
{
    if (t->lefts == t->room) {
        const size_t room = 2 * t->room + 16;
        node *grown = realloc(t->left, room * sizeof *grown);
        if (!grown) {
            h->no_memory = 1;
            return 0;
        }
        t->left = grown;
        t->room = room;
    }
    t->left[t->lefts++] = n;
    return 1;
}

/* Bytes that a number up to `most` takes. */
static int bytes_for(uint64_t most)
{
    int bytes = 1;
    while (most >>= 8) bytes++;
    return bytes;
}

static int read_tree(pn_h5 *h, uint64_t at, const heap *p, tree *t)
{
    unsigned char head[TREE_HEAD];
    if (!pn_h5_fetch(h, at, TREE_HEAD, head) || memcmp(head, "BTHD", 4) != 0 || head[4] != 0 ||
        head[5] != BY_NAME)
        return 0;
    t->node_size = (unsigned)pn_h5_number(head + 6, 4);
    t->record = (unsigned)pn_h5_number(head + 10, 2);
    t->depth = (unsigned)pn_h5_number(head + 12, 2);
    if (t->record != 4 + (unsigned)p->id || t->node_size < 64 || t->node_size > 1 << 20 ||
        t->depth >= DEPTH_MAX)
        return 0;

    /* how many records nodes of each height can have decides how many bytes their numbers take */
    const uint64_t overhead = NODE_HEAD + CHECKSUM;
    uint64_t below = (t->node_size - overhead) / t->record;
    t->count_bytes = bytes_for(below);
    for (unsigned d = 1; d <= t->depth; d++) {
        const uint64_t pointer = 8 + (uint64_t)t->count_bytes + (uint64_t)t->below_bytes[d - 1];
        if (t->node_size < overhead + pointer) return 0;
        const uint64_t records = (t->node_size - overhead - pointer) / (t->record + pointer);
        if (below > (uint64_t)1 << 40) return 0;
        below = (records + 1) * below + records;
        t->below_bytes[d] = bytes_for(below);
    }
    const uint64_t root = pn_h5_number(head + 16, 8);
    return root == NOWHERE || push(h, t, (node){root, t->depth, (unsigned)pn_h5_number(head + 24, 2)});
}

/* A node: its records, and its children to the others that are still to be read. */
static int read_node(pn_h5 *h, tree *t, node n, const heap *p, int most, pn_h5_group *g, size_t *pool)
{
    const uint64_t pointer =
        n.depth ? 8 + (uint64_t)t->count_bytes + (uint64_t)(n.depth > 1 ? t->below_bytes[n.depth - 1] : 0)
                : 0;
    const uint64_t records = (uint64_t)n.records * t->record,
                   size = NODE_HEAD + records + (n.depth ? (n.records + 1) * pointer : 0);
    unsigned char *bytes = NULL;
    if (size > t->node_size || !pn_h5_fetch_behind(h, n.at, size, &bytes, 0)) {
        free(bytes);
        return 0;
    }
    int fine = memcmp(bytes, n.depth ? "BTIN" : "BTLF", 4) == 0 && bytes[4] == 0 && bytes[5] == BY_NAME;
    for (unsigned i = 0; i < n.records && fine; i++)
        fine = read_entry(h, p, bytes + NODE_HEAD + (size_t)i * t->record + 4, most, g, pool);
    for (unsigned i = 0; n.depth && i <= n.records && fine; i++) {
        const unsigned char *child = bytes + NODE_HEAD + records + i * pointer;
        fine = push(
            h, t,
            (node){pn_h5_number(child, 8), n.depth - 1, (unsigned)pn_h5_number(child + 8, t->count_bytes)});
    }
    free(bytes);
    return fine;
}

int pn_h5_links_read(pn_h5 *h, const pn_h5_object *o, const unsigned char *info, size_t size, int most,
                     pn_h5_group *g)
{
    size_t place = 0, pool = 0, length;
    unsigned type, flags;
    const unsigned char *data;
    const size_t at = 2 + (size > 1 && (info[1] & 1) ? 8 : 0);
    if (size < at + 16 || info[0] != 0) return 0;
    if (pn_h5_number(info + at, 8) == NOWHERE) {
        int fine = 1;
        while (fine && pn_h5_message(o, &place, &type, &flags, &data, &length))
            if (type == PN_H5_LINK) fine = !(flags & 2) && add_link(h, g, most, data, length, &pool);
        return fine;
    }
    heap p;
    tree t = {0};
    int fine =
        read_heap(h, pn_h5_number(info + at, 8), &p) && read_tree(h, pn_h5_number(info + at + 8, 8), &p, &t);
    while (fine && t.lefts > 0) {
        const node n = t.left[--t.lefts];
        fine = read_node(h, &t, n, &p, most, g, &pool);
    }
    free(t.left);
    return fine;
}
