/* The MJCF writer: collisions, pairs of them, and links that exclude each other. */
#include "io/mjcf/mjcf_write.h"
#include "pinion/collision.h"

#include <string.h>

static const char *const shapes[PINION_SHAPE_COUNT] = {
    [PINION_SHAPE_BOX] = "box",         [PINION_SHAPE_SPHERE] = "sphere",       [PINION_SHAPE_CYLINDER] = "cylinder",
    [PINION_SHAPE_CAPSULE] = "capsule", [PINION_SHAPE_ELLIPSOID] = "ellipsoid", [PINION_SHAPE_PLANE] = "plane"};

/* Whether a collision is in the file: planes are where nothing moves. */
static int is_written(const mjcf_writer *w, const pinion_collision_info *c)
{
    pinion_link_info link;
    if (!shapes[c->shape]) return 0;
    return c->shape != PINION_SHAPE_PLANE || (pinion_model_link(w->m, c->link, &link) == PINION_OK && link.body == 0);
}

/* Names of geoms exist once. */
static int is_named(const mjcf_writer *w, int index, const pinion_collision_info *c)
{
    return *c->name && pinion_model_find_collision(w->m, c->name) == index;
}

/* Coefficients of friction, as far as they are said; the format has another sliding one than ours for none. */
static void put_friction(mjcf_writer *w, const double *friction, int pair)
{
    const double one[3] = {friction[0] >= 0 || pair ? friction[0] : PINION_FRICTION, friction[1], friction[2]},
                 twice[5] = {friction[0], friction[0], friction[1], friction[2], friction[2]};
    int count = 0;
    while (count < 3 && one[count] >= 0) count++;
    if (count) pn_mjcf_put_numbers(w, "friction", pair ? twice : one, pair ? (count == 3 ? 5 : count + 1) : count);
}

static void put_geom(mjcf_writer *w, int index, const pinion_collision_info *c, const char *indent)
{
    double size[3] = {c->size[0], c->size[1], c->size[2]};
    const int numbers = c->shape == PINION_SHAPE_SPHERE                                      ? 1
                        : c->shape == PINION_SHAPE_CYLINDER || c->shape == PINION_SHAPE_CAPSULE ? 2
                                                                                             : 3;
    for (int i = 0; i < 3; i++) {
        if (c->shape == PINION_SHAPE_BOX || c->shape == PINION_SHAPE_PLANE || (numbers == 2 && i == 1)) size[i] /= 2;
    }
    if (c->shape == PINION_SHAPE_PLANE) size[2] = 1; /* of the grid that is drawn */
    pn_text_add(&w->out, "%s  <geom", indent);
    if (is_named(w, index, c)) pn_mjcf_put_text(w, "name", c->name);
    pn_text_add(&w->out, " group=\"3\" mass=\"0\" type=\"%s\"", shapes[c->shape]);
    pn_mjcf_put_numbers(w, "size", size, numbers);
    pn_mjcf_put_pose(w, &c->pose);
    put_friction(w, c->friction, 0);
    if (c->margin != 0) pn_mjcf_put_number(w, "margin", c->margin);
    if (c->dimension != 3) pn_mjcf_put_number(w, "condim", c->dimension);
    pn_text_add(&w->out, " contype=\"%d\" conaffinity=\"%d\"/>\n", (int)(int32_t)c->category, (int)(int32_t)c->mask);
}

int pn_mjcf_put_collisions(mjcf_writer *w, int link, const char *indent)
{
    int first = 0;
    const int count = pinion_model_link_collisions(w->m, link, &first);
    for (int i = first; i < first + count; i++) {
        pinion_collision_info c;
        if (pinion_model_collision(w->m, i, &c) != PINION_OK) return 0;
        const char *name = pn_mjcf_link_name(w, link);
        if (!is_written(w, &c)) {
            if (!pn_lose(w->l, 0, "link", name,
                         "collisions that are meshes, cones, grounds or planes that move are left out"))
                return 0;
            continue;
        }
        if ((c.group != 0 || c.restitution != 0) &&
            !pn_lose(w->l, 0, "link", name, "groups and restitution of its collisions are left out"))
            return 0;
        put_geom(w, i, &c, indent);
    }
    return 1;
}

int pn_mjcf_put_contacts(mjcf_writer *w)
{
    const int pairs = pinion_model_collision_pair_count(w->m), exclusions = pinion_model_exclusion_count(w->m);
    if (pairs + exclusions == 0) return 1;
    pn_text_append(&w->out, "  <contact>\n");
    for (int i = 0; i < pairs; i++) {
        pinion_collision_pair_info p;
        pinion_collision_info c[2];
        if (pinion_model_collision_pair(w->m, i, &p) != PINION_OK) return 0;
        if (pinion_model_collision(w->m, p.first, &c[0]) != PINION_OK ||
            pinion_model_collision(w->m, p.second, &c[1]) != PINION_OK)
            return 0;
        if (!is_written(w, &c[0]) || !is_written(w, &c[1]) || !is_named(w, p.first, &c[0]) ||
            !is_named(w, p.second, &c[1])) {
            if (!pn_lose(w->l, 0, "pair with collision", c[0].name, "it is left out")) return 0;
            continue;
        }
        pn_text_append(&w->out, "    <pair");
        pn_mjcf_put_text(w, "geom1", c[0].name);
        pn_mjcf_put_text(w, "geom2", c[1].name);
        put_friction(w, p.friction, 1);
        if (p.margin >= 0) pn_mjcf_put_number(w, "margin", p.margin);
        if (p.dimension != 0) pn_mjcf_put_number(w, "condim", p.dimension);
        pn_text_append(&w->out, "/>\n");
    }
    for (int i = 0; i < exclusions; i++) {
        int link[2];
        if (pinion_model_exclusion(w->m, i, link) != PINION_OK) return 0;
        pn_text_append(&w->out, "    <exclude");
        pn_mjcf_put_text(w, "body1", pn_mjcf_link_name(w, link[0]));
        pn_mjcf_put_text(w, "body2", pn_mjcf_link_name(w, link[1]));
        pn_text_append(&w->out, "/>\n");
    }
    pn_text_append(&w->out, "  </contact>\n");
    return 1;
}
