/* Contacts of a playback: where forces act and how large they are, from the columns of the result; points of contact,
 * normals and friction, from the shapes of the model. */
#include "cli/report/document_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TOUCHES 1e-3 /* m: points of a pair with a force that are nearer are shown */
#define PAIRS_MAX 128
enum { VALUES = 9, DOT = 4 }; /* point, force, normal; and a point with its pair */

/* A pair with columns of forces. */
typedef struct pair_columns {
    char name[640];         /* "ground.foot" */
    const double *force[3]; /* over all rows */
    const double *point[3];
    int first, second;      /* collisions; -1: the ground; -2: none of the model's */
    double friction;        /* below 0: not known */
    int outside;            /* one of the two does not move */
} pair_columns;

typedef struct contacts {
    cli_document *doc;
    const pinion_model *m;
    pinion_scene *scene;
    pair_columns *pair;
    int pairs;
    float *values, *dots, *starts;
    size_t dot_count, dot_room;
} contacts;

static const double *column_of(const pinion_result *r, const char *base, const char *part, int k)
{
    char name[700];
    snprintf(name, sizeof name, "%s.%s.%d", base, part, k);
    const int column = pinion_result_find_column(r, name);
    return column >= 0 ? pinion_result_values(r, column) : NULL;
}

/* The pairs that have both forces and points. */
static void list_pairs(contacts *c, const pinion_result *r)
{
    static const char begins[] = "contact.", ends[] = ".force.0";
    pinion_column column;
    for (int i = 0; pinion_result_column(r, i, &column) == PINION_OK && c->pairs < PAIRS_MAX; i++) {
        const size_t length = strlen(column.name);
        pair_columns *p = &c->pair[c->pairs];
        char base[640];
        if (length <= strlen(ends) || length >= sizeof base || strncmp(column.name, begins, strlen(begins)) != 0 ||
            strcmp(column.name + length - strlen(ends), ends) != 0)
            continue;
        snprintf(base, sizeof base, "%.*s", (int)(length - strlen(ends)), column.name);
        int complete = 1;
        for (int k = 0; k < 3; k++) {
            p->force[k] = column_of(r, base, "force", k);
            p->point[k] = column_of(r, base, "point", k);
            complete &= p->force[k] && p->point[k];
        }
        if (!complete) continue;
        snprintf(p->name, sizeof p->name, "%s", base + strlen(begins));
        p->first = p->second = -2;
        p->friction = -1;
        p->outside = strncmp(p->name, "ground.", 7) == 0;
        c->pairs++;
    }
}

/* "" without a name of its own or of a link */
static const char *shape_name(const pinion_model *m, int collision, int *body)
{
    pinion_collision_info info;
    pinion_link_info link;
    *body = 0;
    if (collision < 0) return "ground";
    if (pinion_model_collision(m, collision, &info) != PINION_OK) return "";
    if (pinion_model_link(m, info.link, &link) != PINION_OK) return "";
    *body = link.body;
    return *info.name ? info.name : link.name;
}

/* Which collisions the columns are of, by the names that a run gives them. */
static void match_names(contacts *c)
{
    for (int i = 0; i < pinion_scene_pair_count(c->scene); i++) {
        pinion_scene_pair pair;
        int body[2], same = 1;
        char name[640];
        if (pinion_scene_pair_at(c->scene, i, &pair) != PINION_OK) continue;
        const char *a = shape_name(c->m, pair.first, &body[0]), *b = shape_name(c->m, pair.second, &body[1]);
        for (int k = 0; k < c->pairs; k++) { /* of equal names the second one is called "(2)" */
            if (same == 1) snprintf(name, sizeof name, "%.300s.%.300s", a, b);
            else snprintf(name, sizeof name, "%.300s.%.300s (%d)", a, b, same);
            if (strcmp(c->pair[k].name, name) != 0) continue;
            if (c->pair[k].first != -2) {
                same++;
                k = -1;
                continue;
            }
            c->pair[k].first = pair.first;
            c->pair[k].second = pair.second;
            c->pair[k].outside = body[0] == 0 || body[1] == 0;
            break;
        }
    }
}

static int has_force(const pair_columns *p, size_t row)
{
    return isfinite(p->point[0][row]) && (p->force[0][row] != 0 || p->force[1][row] != 0 || p->force[2][row] != 0);
}

static int add_dot(contacts *c, const pinion_nearest *at, int pair)
{
    if (c->dot_count == c->dot_room) {
        const size_t room = c->dot_room ? 2 * c->dot_room : 256;
        float *more = realloc(c->dots, room * DOT * sizeof *more);
        if (!more) return 0;
        c->dots = more;
        c->dot_room = room;
    }
    float *dot = c->dots + DOT * c->dot_count++;
    for (int k = 0; k < 3; k++) dot[k] = (float)(0.5 * (at->first[k] + at->second[k]));
    dot[3] = (float)pair;
    return 1;
}

/* One instant: the columns, and what the shapes do there. */
static int add_instant(contacts *c, pinion_work *w, const double *q, size_t row, float *out)
{
    for (int i = 0; i < c->pairs; i++) {
        const pair_columns *p = &c->pair[i];
        for (int k = 0; k < 3; k++) {
            out[VALUES * i + k] = has_force(p, row) ? (float)p->point[k][row] : NAN;
            out[VALUES * i + 3 + k] = has_force(p, row) ? (float)p->force[k][row] : 0;
            out[VALUES * i + 6 + k] = NAN;
        }
    }
    if (!c->scene || pinion_scene_find(c->scene, w, q) != PINION_OK) return 1;
    pinion_scene_contact at;
    for (int n = 0; pinion_scene_contact_at(c->scene, n, &at) == PINION_OK; n++)
        for (int i = 0; i < c->pairs; i++) {
            pair_columns *p = &c->pair[i];
            if (p->first != at.first || p->second != at.second || !has_force(p, row) || at.at.gap > TOUCHES) continue;
            p->friction = at.friction;
            for (int k = 0; k < 3; k++) out[VALUES * i + 6 + k] = (float)at.at.normal[k];
            if (!add_dot(c, &at.at, i)) return 0;
        }
    return 1;
}

static void pack(contacts *c, json_t *item, const pinion_result *r, const size_t *rows, size_t count)
{
    cli_document *doc = c->doc;
    json_t *out = json_object(), *pairs = json_array();
    for (int i = 0; i < c->pairs && pairs; i++) {
        const pair_columns *p = &c->pair[i];
        json_t *entry = json_object();
        if (entry) {
            pn_doc_set(doc, entry, "name", pn_doc_text(p->name));
            pn_doc_set(doc, entry, "friction", p->friction >= 0 ? json_real(p->friction) : json_null());
            pn_doc_set(doc, entry, "outside", json_boolean(p->outside));
        }
        pn_doc_add(doc, pairs, entry);
    }
    if (out) {
        pn_doc_set(doc, out, "pairs", pairs);
        pn_doc_set(doc, out, "values", pn_doc_floats(c->values, count * VALUES * (size_t)c->pairs));
        pn_doc_set(doc, out, "dots", pn_doc_floats(c->dots, c->dot_count * DOT));
        pn_doc_set(doc, out, "starts", pn_doc_floats(c->starts, count + 1));
        const double *zmp[3];
        for (int k = 0; k < 3; k++) zmp[k] = column_of(r, "contact", "zmp", k);
        float *path = zmp[0] && zmp[1] && zmp[2] ? malloc((3 * count + 1) * sizeof *path) : NULL;
        for (size_t i = 0; path && i < 3 * count; i++) path[i] = (float)zmp[i % 3][rows[i / 3]];
        pn_doc_set(doc, out, "zmp", path ? pn_doc_floats(path, 3 * count) : json_null());
        free(path);
    } else {
        json_decref(pairs);
    }
    pn_doc_set(doc, item, "contacts", out);
}

void pn_doc_contacts(cli_document *doc, json_t *item, const pinion_model *m, pinion_work *w, const double *q,
                     const size_t *rows, size_t count)
{
    contacts c = {.doc = doc, .m = m};
    const size_t nq = (size_t)pinion_model_nq(m);
    int ok = doc->result && (c.pair = calloc(PAIRS_MAX + 1, sizeof *c.pair)) != NULL;
    if (ok) list_pairs(&c, doc->result);
    if (ok && c.pairs) {
        pinion_scene_options o = pinion_scene_options_default();
        o.ground = 1;
        c.scene = pinion_scene_new(m, &o, NULL); /* without it there are still arrows */
        if (c.scene) match_names(&c);
        c.values = malloc((count * VALUES * (size_t)c.pairs + 1) * sizeof *c.values);
        c.starts = malloc((count + 1) * sizeof *c.starts);
        ok = c.values && c.starts;
        for (size_t i = 0; i < count && ok; i++) {
            c.starts[i] = (float)c.dot_count;
            ok = add_instant(&c, w, q + nq * rows[i], rows[i], c.values + i * VALUES * (size_t)c.pairs);
        }
        if (ok) c.starts[count] = (float)c.dot_count;
        if (ok) pack(&c, item, doc->result, rows, count);
    }
    if (!ok && doc->result) doc->failed = 1;
    pinion_scene_free(c.scene);
    free(c.pair);
    free(c.values);
    free(c.dots);
    free(c.starts);
}
