/* The SDF writer: collisions of a link. */
#include "io/sdf/sdf_write.h"

#include "model/pose.h"
#include "pinion/collision.h"

#include <stdio.h>
#include <string.h>

static const char *const shapes[PINION_SHAPE_COUNT] = {
    [PINION_SHAPE_BOX] = "box",         [PINION_SHAPE_SPHERE] = "sphere", [PINION_SHAPE_CYLINDER] = "cylinder",
    [PINION_SHAPE_CAPSULE] = "capsule", [PINION_SHAPE_MESH] = "mesh",     [PINION_SHAPE_ELLIPSOID] = "ellipsoid",
    [PINION_SHAPE_PLANE] = "plane"};

static void put_shape(sdf_writer *w, const pinion_collision_info *c)
{
    static const char indent[] = "            ", normal[] = "            <normal>0 0 1</normal>\n";
    pn_text_add(&w->out, "        <geometry>\n          <%s>\n", shapes[c->shape]);
    switch (c->shape) {
    case PINION_SHAPE_BOX: pn_sdf_put_numbers(w, indent, "size", c->size, 3); break;
    case PINION_SHAPE_ELLIPSOID: pn_sdf_put_numbers(w, indent, "radii", c->size, 3); break;
    case PINION_SHAPE_PLANE:
        pn_text_append(&w->out, normal);
        pn_sdf_put_numbers(w, indent, "size", c->size, 2);
        break;
    case PINION_SHAPE_MESH:
        pn_text_add(&w->out, "%s<uri>", indent);
        pn_text_xml(&w->out, c->mesh);
        pn_text_append(&w->out, "</uri>\n");
        pn_sdf_put_numbers(w, indent, "scale", c->size, 3);
        break;
    default:
        pn_sdf_put_numbers(w, indent, "radius", c->size, 1);
        if (c->shape != PINION_SHAPE_SPHERE) pn_sdf_put_numbers(w, indent, "length", c->size + 1, 1);
        break;
    }
    pn_text_add(&w->out, "          </%s>\n        </geometry>\n", shapes[c->shape]);
}

/* Friction, restitution and bits, where they are not what the format takes them for. */
static void put_surface(sdf_writer *w, const pinion_collision_info *c)
{
    pn_text_append(&w->out, "        <surface>\n");
    const double mu = c->friction[0] >= 0 ? c->friction[0] : PINION_FRICTION; /* the format has another one for none */
    pn_text_append(&w->out, "          <friction>\n            <ode>\n");
    pn_sdf_put_numbers(w, "              ", "mu", &mu, 1);
    pn_sdf_put_numbers(w, "              ", "mu2", &mu, 1);
    pn_text_append(&w->out, "            </ode>\n          </friction>\n");
    if (c->restitution != 0) {
        pn_text_append(&w->out, "          <bounce>\n");
        pn_sdf_put_numbers(w, "            ", "restitution_coefficient", &c->restitution, 1);
        pn_text_append(&w->out, "          </bounce>\n");
    }
    pn_text_add(&w->out, "          <contact>\n            <collide_bitmask>%u</collide_bitmask>\n", (unsigned)c->mask);
    if (c->category != c->mask)
        pn_text_add(&w->out, "            <category_bitmask>%u</category_bitmask>\n", (unsigned)c->category);
    pn_text_append(&w->out, "          </contact>\n        </surface>\n");
}

/* What is lost of it: 1 nothing or told, 0 it has no place at all, -1 failed. */
static int check(sdf_writer *w, const pinion_collision_info *c, const char *link)
{
    if (!shapes[c->shape] || (c->shape == PINION_SHAPE_MESH && !c->mesh))
        return pn_lose(w->l, 0, "link", link, "collisions that are cones, grounds or points are left out") ? 0 : -1;
    const int plain = c->friction[1] <= 0 && c->friction[2] <= 0 && c->margin == 0 && c->dimension == 3;
    return plain || pn_lose(w->l, 0, "link", link, "rolling friction and margins of its collisions are left out")
               ? 1
               : -1;
}

/* Its name without the link's, which readers put before it. */
static const char *bare_name(const pinion_collision_info *c, const char *link)
{
    const size_t n = strlen(link);
    const int scoped = strncmp(c->name, link, n) == 0 && strncmp(c->name + n, "::", 2) == 0 && c->name[n + 2];
    return scoped ? c->name + n + 2 : c->name;
}

/* Nonzero for "collision" and a number: a name that is made here. */
static int is_made(const pinion_collision_info *c, const char *link)
{
    static const char made[] = "collision";
    const char *name = bare_name(c, link), *number = name + sizeof made - 1;
    return strncmp(name, made, sizeof made - 1) == 0 && strspn(number, "0123456789") == strlen(number);
}

/* The name that it keeps: one of its own, which the format does not change. NULL: one is made. */
static const char *kept_name(const sdf_writer *w, int index, const pinion_collision_info *c, const char *link)
{
    char tidy[SDF_WRITE_NAME];
    if (!*c->name || is_made(c, link) || pinion_model_find_collision(w->m, c->name) != index) return NULL;
    const char *name = bare_name(c, link);
    pn_sdf_tidy("", name, tidy);
    return strcmp(tidy, name) == 0 ? name : NULL;
}

int pn_sdf_put_collisions(sdf_writer *w, int link, const char *name, int of, int *number)
{
    int first = 0;
    const int count = pinion_model_link_collisions(w->m, of, &first);
    for (int i = first; i < first + count; i++) {
        pinion_collision_info c;
        if (pinion_model_collision(w->m, i, &c) != PINION_OK) return 0;
        const int kept = check(w, &c, name);
        if (kept < 0) return 0;
        if (!kept) continue;
        const pinion_pose at = pn_pose_mul(&w->world[of], &c.pose), pose = pn_pose_between(&w->world[link], &at);
        const char *own = of == link ? kept_name(w, i, &c, name) : NULL;
        if (!own && *c.name && !is_made(&c, name) &&
            !pn_lose(w->l, 0, "link", name, "collisions get other names"))
            return 0;
        pn_text_append(&w->out, "      <collision name=\"");
        if (own)
            pn_text_xml(&w->out, own);
        else
            pn_text_add(&w->out, "collision%d", *number);
        pn_text_append(&w->out, "\">\n");
        (*number)++;
        pn_sdf_put_pose(w, "        ", NULL, of == link ? &c.pose : &pose);
        put_shape(w, &c);
        put_surface(w, &c);
        pn_text_append(&w->out, "      </collision>\n");
    }
    return 1;
}

/* Shapes of one model touch each other only where it says so, and then all do: groups are kept where all is in one. */
int pn_sdf_put_self_collide(sdf_writer *w)
{
    int group = 0, same = 1, grouped = 0;
    for (int i = 0; i < pinion_model_collision_count(w->m); i++) {
        pinion_collision_info c;
        if (pinion_model_collision(w->m, i, &c) != PINION_OK) return 0;
        if (i == 0) group = c.group;
        same = same && c.group == group;
        grouped = grouped || c.group != 0;
    }
    if (pinion_model_collision_count(w->m) == 0 || (same && group != 0)) return 1;
    pn_text_append(&w->out, "    <self_collide>true</self_collide>\n");
    return !grouped || pn_lose(w->l, 0, "model", pinion_model_name(w->m),
                               "that collisions of one of its parts never touch each other is left out");
}
