/* Links that bend: where they are along their length at each instant of a playback. */
#include "cli/report/document_internal.h"

#include <math.h>
#include <stdlib.h>

#define FAR 1e9 /* m: what flies off is not drawn */

/* Takes over one knot: a place, or with -1 where it is at rest. */
static void add_knot(cli_bent *b, cli_bent_link *link, int place, const pinion_pose *rest)
{
    cli_bent_knot *knot = &b->knot[b->knots++];
    knot->place = place;
    knot->rest = *rest;
    link->knots++;
}

/* Along a beam: the clamped end, which is no place, and each place once. */
static void beam_knots(cli_bent *b, cli_bent_link *link, const pinion_elastic_info *info)
{
    double last = -1;
    if (info->def.boundary != PINION_ELASTIC_PINNED) {
        add_knot(b, link, -1, &info->def.origin);
        last = 0;
    }
    for (int i = 0; i < info->places; i++) {
        if (!(b->at[i] > last)) continue;
        pinion_pose rest = pinion_pose_identity();
        rest.position[0] = last = b->at[i];
        rest = pn_doc_compose(&info->def.origin, &rest);
        add_knot(b, link, i, &rest);
    }
}

/* The nodes, of which those that move are places, in their order: each at another distance along the link. What else is
 * there is attached to one of them. */
static void node_knots(cli_bent *b, cli_bent_link *link, const pinion_elastic_info *info)
{
    double along = 0, before[3] = {0, 0, 0};
    int place = 0;
    for (int i = 0; i < info->def.node_count; i++) {
        pinion_pose rest = pinion_pose_identity();
        double way = 0;
        for (int k = 0; k < 3; k++) {
            rest.position[k] = info->def.position[3 * i + k];
            way += (rest.position[k] - before[k]) * (rest.position[k] - before[k]);
            before[k] = rest.position[k];
        }
        along += sqrt(way);
        rest = pn_doc_compose(&info->def.origin, &rest);
        while (place < info->places && b->at[place] < along * (1 - 1e-9)) place++;
        const int moves = place < info->places && b->at[place] <= along * (1 + 1e-9);
        add_knot(b, link, moves ? place : -1, &rest);
    }
}

int pn_doc_bent_open(cli_bent *b, const pinion_model *m)
{
    int most = 0, all = 0;
    pinion_elastic_info info;
    *b = (cli_bent){.m = m, .links = pinion_model_elastic_count(m)};
    if (!b->links) return 1;
    for (int i = 0; i < b->links; i++) {
        if (pinion_model_elastic(m, i, &info) != PINION_OK) return 0;
        most = info.places > most ? info.places : most;
        all += info.places + info.def.node_count + 1;
    }
    b->link = calloc((size_t)b->links, sizeof *b->link);
    b->knot = calloc((size_t)all, sizeof *b->knot);
    b->at = calloc((size_t)most + 1, sizeof *b->at);
    b->place = calloc((size_t)most + 1, sizeof *b->place);
    double *q = calloc((size_t)pinion_model_nq(m) + 1, sizeof *q);
    int fine = b->link && b->knot && b->at && b->place && q && pinion_neutral(m, q) == PINION_OK;
    for (int i = 0; i < b->links && fine; i++) {
        pinion_link_info link;
        fine = pinion_model_elastic(m, i, &info) == PINION_OK && pinion_model_link(m, info.link, &link) == PINION_OK &&
               pinion_elastic_places(m, i, q, b->at, NULL) == PINION_OK;
        if (!fine) break;
        b->link[i] = (cli_bent_link){.link = info.link, .body = link.body, .nodes = info.def.node_count > 0};
        if (info.def.node_count)
            node_knots(b, &b->link[i], &info);
        else
            beam_knots(b, &b->link[i], &info);
    }
    free(q);
    return fine;
}

void pn_doc_bent_close(cli_bent *b)
{
    free(b->link);
    free(b->knot);
    free(b->at);
    free(b->place);
}

int pn_doc_bent_pack(const cli_bent *b, const double *q, const pinion_pose *in_body, float *out)
{
    const cli_bent_knot *knot = b->knot;
    for (int i = 0; i < b->links; i++) {
        if (pinion_elastic_places(b->m, i, q, NULL, b->place) != PINION_OK) return 0;
        for (int k = 0; k < b->link[i].knots; k++, knot++) {
            const pinion_pose *at = knot->place < 0 ? &knot->rest : &b->place[knot->place];
            const pinion_pose pose = pn_doc_compose(&in_body[b->link[i].link], at);
            double x[7];
            pn_doc_pose7(&pose, x);
            for (int l = 0; l < 7; l++) {
                if (!(fabs(x[l]) < FAR)) return 0;
                *out++ = (float)x[l];
            }
        }
    }
    return 1;
}

void pn_doc_bent_describe(const cli_bent *b, cli_document *doc, json_t *item, const pinion_pose *in_body,
                          const float *values, size_t instants)
{
    if (!b->links) return;
    const cli_bent_knot *knot = b->knot;
    json_t *out = json_object(), *list = json_array();
    for (int i = 0; i < b->links && list; i++) {
        json_t *entry = json_object(), *rest = json_array();
        for (int k = 0; k < b->link[i].knots; k++, knot++) {
            const pinion_pose pose = pn_doc_compose(&in_body[b->link[i].link], &knot->rest);
            double x[7];
            pn_doc_pose7(&pose, x);
            for (int l = 0; l < 7 && rest; l++) pn_doc_add(doc, rest, json_real(x[l]));
        }
        if (entry) {
            pn_doc_set(doc, entry, "body", json_integer(b->link[i].body));
            pn_doc_set(doc, entry, "nodes", json_boolean(b->link[i].nodes));
            pn_doc_set(doc, entry, "rest", rest);
        } else {
            json_decref(rest);
        }
        pn_doc_add(doc, list, entry);
    }
    if (out) {
        pn_doc_set(doc, out, "list", list);
        pn_doc_set(doc, out, "values", pn_doc_floats(values, instants * 7 * (size_t)b->knots));
    } else {
        json_decref(list);
    }
    pn_doc_set(doc, item, "elastic", out);
}

int pn_doc_bent_of(const cli_bent *b, int link)
{
    for (int i = 0; i < b->links; i++)
        if (b->link[i].link == link) return i;
    return -1;
}
