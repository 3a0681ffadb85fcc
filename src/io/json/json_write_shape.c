/* Writes the shapes of links: what they look like, what they touch others with, and what may touch what. */
#include <stdlib.h>

#include "io/json/json_write.h"
#include "model/pose.h"
#include "pinion/collision.h"

/* ---------------------------------------------------------------------------------------------
 * Shapes */

static void put_length(pn_text *t, const char *key, double x)
{
    pn_text_add(t, ", \"%s\": ", key);
    pn_text_number(t, x);
}

static void put_lengths(pn_text *t, const char *key, const double *x, int count)
{
    pn_text_add(t, ", \"%s\": ", key);
    pn_json_put_numbers(t, x, count);
}

/* "shape" and the keys that this one has. */
static void put_shape(pn_text *t, pinion_shape shape, const double size[3], const char *mesh)
{
    pn_text_add(t, "\"shape\": \"%s\"", pinion_shape_name(shape));
    switch (shape) {
    case PINION_SHAPE_BOX: put_lengths(t, "size", size, 3); break;
    case PINION_SHAPE_ELLIPSOID: put_lengths(t, "radii", size, 3); break;
    case PINION_SHAPE_MESH:
        if (!mesh) break;
        pn_text_append(t, ", \"mesh\": ");
        pn_json_put_string(t, mesh);
        put_lengths(t, "scale", size, 3);
        break;
    case PINION_SHAPE_PLANE:
        if (!pn_json_is_zero(size, 2)) put_lengths(t, "size", size, 2);
        break;
    case PINION_SHAPE_HEIGHT_FIELD:
        put_lengths(t, "size", size, 2);
        if (size[2] != 0) put_length(t, "depth", size[2]);
        break;
    default:
        put_length(t, "radius", size[0]);
        if (shape != PINION_SHAPE_SPHERE) put_length(t, "length", size[1]);
        break;
    }
}

static void put_origin(pn_text *t, const pinion_pose *pose)
{
    if (pn_pose_is_identity(pose)) return;
    pn_text_append(t, ", \"origin\": ");
    pn_json_put_pose(t, pose);
}

/* ---------------------------------------------------------------------------------------------
 * Visuals */

int *pn_json_visuals_of(pn_json_writer *w)
{
    /* lists made from the last to the first */
    const int links = pinion_model_link_count(w->m), visuals = pinion_model_visual_count(w->m);
    int *first = malloc(((size_t)links + (size_t)visuals + 1) * sizeof *first);
    if (!first) return NULL;
    for (int i = 0; i < links; i++) first[i] = -1;
    for (int i = visuals - 1; i >= 0; i--) {
        pinion_visual_info info;
        if (pinion_model_visual(w->m, i, &info) != PINION_OK) continue;
        first[links + i] = first[info.link];
        first[info.link] = i;
    }
    return first;
}

int pn_json_write_visuals(pn_json_writer *w, int visual, const int *next)
{
    if (visual < 0) return 1;
    pn_json_key(w, "visuals");
    const char *between = "[";
    for (; visual >= 0; visual = next[visual]) {
        pinion_visual_info v;
        if (pinion_model_visual(w->m, visual, &v) != PINION_OK) return 0;
        pn_text_add(&w->t, "%s\n        {", between);
        put_shape(&w->t, v.shape, v.size, v.mesh);
        put_origin(&w->t, &v.pose);
        put_lengths(&w->t, "rgba", v.rgba, 4);
        pn_text_append(&w->t, "}");
        between = ",";
    }
    pn_text_append(&w->t, "\n      ]");
    return 1;
}

/* ---------------------------------------------------------------------------------------------
 * Collisions */

static void put_rows(pn_text *t, const pinion_collision_info *c)
{
    pn_text_add(t, ", \"%s\": ", c->shape == PINION_SHAPE_MESH ? "points" : "heights");
    for (int i = 0; i < c->rows; i++) {
        pn_text_append(t, i ? ",\n          " : "[");
        pn_json_put_numbers(t, c->data + (size_t)i * (size_t)c->columns, c->columns);
    }
    pn_text_append(t, "]");
}

/* One coefficient, or three where there are. */
static void put_friction(pn_text *t, const double friction[3])
{
    if (friction[1] >= 0 || friction[2] >= 0)
        put_lengths(t, "friction", friction, 3);
    else if (friction[0] >= 0)
        put_length(t, "friction", friction[0]);
}

static void put_collision(pn_text *t, const pinion_collision_info *c)
{
    const pinion_collision_def plain = pinion_collision_def_default();
    pn_text_append(t, "{");
    if (*c->name) {
        pn_text_append(t, "\"name\": ");
        pn_json_put_string(t, c->name);
        pn_text_append(t, ", ");
    }
    put_shape(t, c->shape, c->size, c->mesh);
    if (c->data && !c->mesh) put_rows(t, c);
    put_origin(t, &c->pose);
    put_friction(t, c->friction);
    if (c->restitution != 0) put_length(t, "restitution", c->restitution);
    if (c->margin != 0) put_length(t, "margin", c->margin);
    if (c->dimension != plain.dimension) put_length(t, "dimension", c->dimension);
    if (c->category != plain.category) put_length(t, "category", c->category);
    if (c->mask != plain.mask) put_length(t, "mask", c->mask);
    if (c->group) put_length(t, "group", c->group);
    pn_text_append(t, "}");
}

int pn_json_write_collisions(pn_json_writer *w, int link)
{
    int first = 0;
    const int count = pinion_model_link_collisions(w->m, link, &first);
    if (!count) return 1;
    pn_json_key(w, "collisions");
    for (int i = first; i < first + count; i++) {
        pinion_collision_info info;
        if (pinion_model_collision(w->m, i, &info) != PINION_OK) return 0;
        pn_text_add(&w->t, "%s\n        ", i == first ? "[" : ",");
        put_collision(&w->t, &info);
    }
    pn_text_append(&w->t, "\n      ]");
    return 1;
}

int pn_json_write_filters(pn_json_writer *w)
{
    const int exclusions = pinion_model_exclusion_count(w->m), pairs = pinion_model_collision_pair_count(w->m);
    pn_text *t = &w->t;
    for (int i = 0; i < exclusions; i++) {
        int links[2];
        pinion_link_info of[2];
        if (pinion_model_exclusion(w->m, i, links) != PINION_OK ||
            pinion_model_link(w->m, links[0], &of[0]) != PINION_OK ||
            pinion_model_link(w->m, links[1], &of[1]) != PINION_OK)
            return 0;
        pn_text_append(t, i ? ",\n    [" : ",\n  \"no_collisions\": [\n    [");
        pn_json_put_string(t, of[0].name);
        pn_text_append(t, ", ");
        pn_json_put_string(t, of[1].name);
        pn_text_append(t, i == exclusions - 1 ? "]\n  ]" : "]");
    }
    if (pairs) pn_json_section(w, "collision_pairs");
    for (int i = 0; i < pairs; i++) {
        pinion_collision_pair_info pair;
        pinion_collision_info of[2];
        if (pinion_model_collision_pair(w->m, i, &pair) != PINION_OK ||
            pinion_model_collision(w->m, pair.first, &of[0]) != PINION_OK ||
            pinion_model_collision(w->m, pair.second, &of[1]) != PINION_OK)
            return 0;
        pn_text_append(t, i ? ",\n    {\"first\": " : "\n    {\"first\": ");
        pn_json_put_string(t, of[0].name);
        pn_text_append(t, ", \"second\": ");
        pn_json_put_string(t, of[1].name);
        put_friction(t, pair.friction);
        if (pair.margin >= 0) put_length(t, "margin", pair.margin);
        if (pair.dimension) put_length(t, "dimension", pair.dimension);
        pn_text_append(t, "}");
    }
    if (pairs) pn_json_section_end(w);
    return 1;
}
