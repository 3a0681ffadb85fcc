/* Meshes of MJCF: their inertia, as a solid or as a shell. */
#include "io/mjcf/mjcf_mesh.h"
#include "model/pose.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Ways to compute the inertia of a solid, as `inertia` names them. */
enum { CONVEX, LEGACY, EXACT, SHELL };

int pn_mjcf_mesh_name(mjcf_reader *r, const xmlNode *node, char **out)
{
    const char *name = pn_xml_attribute(node, "name"), *file = pn_xml_attribute(node, "file");
    if (name && *name) return (*out = pn_mjcf_join(r, name, "", "")) != NULL;
    const char *slash = file ? strrchr(file, '/') : NULL;
    *out = pn_mjcf_join(r, slash ? slash + 1 : file ? file : "", "", "");
    char *dot = *out ? strrchr(*out, '.') : NULL;
    if (dot) *dot = '\0';
    return *out != NULL;
}

mjcf_mesh *pn_mjcf_find_mesh(const mjcf_spec *s, const char *name)
{
    int low = 0, high = s->meshes.count;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (strcmp(s->meshes.at[middle].name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < s->meshes.count && strcmp(s->meshes.at[low].name, name) == 0 ? &s->meshes.at[low] : NULL;
}

/* ---------------------------------------------------------------------------------------------
 * Surfaces */

/* Numbers of an attribute of any length: points where `corners` is 0, else corners of triangles. NULL, or
 * what is wrong. */
static const char *read_list(const char *text, int corners, mjcf_surface *out)
{
    double three[3];
    int count = 0;
    for (const char *s = text + strspn(text, " \t\r\n"); *s; s += strspn(s, " \t\r\n")) {
        if (!pn_parse_number(s, &s, &three[count])) return "a number that is none";
        if (!corners) three[count] = (float)three[count]; /* gcc 12 leaves this out of a loop over three */
        if (++count < 3) continue;
        count = 0;
        if (!corners) {
            if (!pn_mjcf_surface_point(out, three)) return "";
            continue;
        }
        for (int i = 0; i < 3; i++) {
            if (!(three[i] >= 0 && three[i] < out->points)) return "a face with a corner that does not exist";
        }
        if (!pn_mjcf_surface_triangle(out, (int)three[0], (int)three[1], (int)three[2])) return "";
    }
    return count ? "numbers that are not a multiple of three" : NULL;
}

/* The points and triangles of a mesh, in the file's own coordinates. */
static int read_surface(const mjcf_element *e, mjcf_surface *out)
{
    mjcf_reader *r = e->r;
    const char *file = pn_xml_attribute(e->node, "file"), *why = NULL;
    if (file) {
        const char *slash = strrchr(file, '/');
        if (e->s->compiler.strip_path && slash) file = slash + 1;
        size_t size = 0;
        char *text = pn_mjcf_read_file(r, e->s, e->node, e->s->compiler.mesh_folder, file, &size);
        if (!text) return 0;
        why = pn_mjcf_surface(file, text, size, out);
        r->bytes -= size;
        free(text);
    } else {
        const char *points = pn_xml_attribute(e->node, "vertex"), *faces = pn_xml_attribute(e->node, "face");
        if (!points)
            return pn_xml_fail(&r->u, e->node, PINION_ERR_UNSUPPORTED,
                               "a mesh that is needed has no file; expected file or vertex");
        why = read_list(points, 0, out);
        if (!why && faces) why = read_list(faces, 1, out);
    }
    if (why && !*why) return pn_xml_memory(&r->u);
    return !why ||
           pn_xml_fail(&r->u, e->node, PINION_ERR_PARSE, "the mesh '%.100s' has %s", file ? file : "", why);
}

/* Puts the points where they are meant. */
static int place_points(const mjcf_element *e, mjcf_surface *s)
{
    double origin[3] = {0, 0, 0}, turn[4] = {1, 0, 0, 0}, scale[3] = {1, 1, 1}, R[9];
    if (pn_mjcf_numbers(e, "refpos", 3, 3, origin) < 0 || pn_mjcf_numbers(e, "refquat", 4, 4, turn) < 0 ||
        pn_mjcf_numbers(e, "scale", 3, 3, scale) < 0)
        return 0;
    if (!(hypot(hypot(turn[0], turn[1]), hypot(turn[2], turn[3])) > 1e-14))
        return pn_xml_fail(&e->r->u, e->node, PINION_ERR_MODEL, "<mesh refquat> has no direction");
    pn_quaternion_matrix(turn, R);
    for (int i = 0; i < s->points; i++) {
        double *p = s->point + 3 * (size_t)i;
        for (int k = 0; k < 3; k++) p[k] -= origin[k];
        pn_rotate_back(R, p, p);
    }
    pn_mjcf_surface_scale(s, scale);
    return 1;
}

int pn_mjcf_mesh_surface(const mjcf_element *e, mjcf_surface *out)
{
    return read_surface(e, out) && place_points(e, out);
}

/* ---------------------------------------------------------------------------------------------
 * Integrals */

typedef struct triangle {
    double corner[3][3], center[3], area, normal[3]; /* normal is of unit length, or 0 */
} triangle;

static triangle triangle_at(const mjcf_surface *s, int i)
{
    triangle t;
    double a[3], b[3];
    for (int k = 0; k < 3; k++)
        memcpy(t.corner[k], s->point + 3 * (size_t)s->corner[3 * (size_t)i + (size_t)k], sizeof t.corner[k]);
    for (int k = 0; k < 3; k++) {
        t.center[k] = (t.corner[0][k] + t.corner[1][k] + t.corner[2][k]) / 3;
        a[k] = t.corner[1][k] - t.corner[0][k];
        b[k] = t.corner[2][k] - t.corner[0][k];
    }
    pn_cross3(a, b, t.normal);
    const double length = pn_norm3(t.normal);
    t.area = length < 1e-15 ? 0 : length / 2;
    for (int k = 0; k < 3; k++) t.normal[k] = length < 1e-15 ? 0 : t.normal[k] / length;
    return t;
}

/* Adds the products of a triangle's points, weighed, seen from c; with the apex c it is a pyramid. */
static void add_products(const triangle *t, const double c[3], double weight, double sum[6])
{
    static const int row[6] = {0, 0, 0, 1, 1, 2}, column[6] = {0, 1, 2, 1, 2, 2};
    for (int i = 0; i < 6; i++) {
        const int a = row[i], b = column[i];
        double own = 0, all_a = 0, all_b = 0;
        for (int k = 0; k < 3; k++) {
            const double x = t->corner[k][a] - c[a], y = t->corner[k][b] - c[b];
            own += x * y;
            all_a += x;
            all_b += y;
        }
        sum[i] += weight * (own + all_a * all_b);
    }
}

static void inertia_of(const double products[6], double out[6])
{
    const double trace = products[0] + products[3] + products[5];
    for (int i = 0; i < 6; i++) out[i] = -products[i];
    out[0] += trace;
    out[3] += trace;
    out[5] += trace;
}

/* The surface: area, its centre, its inertia about that. */
static void integrate_shell(const mjcf_surface *s, mjcf_mesh *mesh)
{
    double area = 0, *c = mesh->center[1], products[6] = {0};
    for (int i = 0; i < s->triangles; i++) {
        const triangle t = triangle_at(s, i);
        area += t.area;
        for (int k = 0; k < 3; k++) c[k] += t.area * t.center[k];
    }
    for (int k = 0; k < 3 && area > 0; k++) c[k] /= area;
    for (int i = 0; i < s->triangles; i++) {
        const triangle t = triangle_at(s, i);
        add_products(&t, c, t.area / 12, products);
    }
    mesh->volume[1] = area;
    inertia_of(products, mesh->inertia[1]);
}

/* The volume of the pyramid over a triangle; in the legacy way all are counted as positive, which is right
 * for convex meshes alone. */
static double pyramid(const triangle *t, const double apex[3], int way)
{
    double d[3];
    for (int k = 0; k < 3; k++) d[k] = t->center[k] - apex[k];
    const double volume = pn_dot3(d, t->normal) * t->area / 3;
    return way == LEGACY ? fabs(volume) : volume;
}

static void integrate_solid(const mjcf_surface *s, int way, mjcf_mesh *mesh)
{
    const double *apex = mesh->center[1];
    double volume = 0, *c = mesh->center[0], products[6] = {0};
    for (int i = 0; i < s->triangles; i++) {
        const triangle t = triangle_at(s, i);
        const double v = pyramid(&t, apex, way);
        volume += v;
        for (int k = 0; k < 3; k++) c[k] += v * (0.75 * t.center[k] + 0.25 * apex[k]);
    }
    for (int k = 0; k < 3 && volume > 0; k++) c[k] /= volume;
    /* again, from the centre: in the legacy way that makes a difference */
    volume = 0;
    for (int i = 0; i < s->triangles; i++) {
        const triangle t = triangle_at(s, i);
        const double v = pyramid(&t, c, way);
        volume += v;
        add_products(&t, c, v / 20, products);
    }
    mesh->volume[0] = volume;
    inertia_of(products, mesh->inertia[0]);
}

int pn_mjcf_surface_solid(const mjcf_surface *s, pinion_inertia *out)
{
    mjcf_mesh mesh = {0};
    integrate_shell(s, &mesh);
    integrate_solid(s, EXACT, &mesh);
    out->mass = mesh.volume[0];
    memcpy(out->com, mesh.center[0], sizeof out->com);
    memcpy(out->inertia, mesh.inertia[0], sizeof out->inertia);
    return mesh.volume[0] > 1e-15;
}

static int weigh_mesh(const mjcf_element *e, mjcf_mesh *mesh, mjcf_surface *s)
{
    int way = LEGACY;
    if (!pn_mjcf_mesh_surface(e, s) ||
        !pn_mjcf_word(e, "inertia", "convex|legacy|exact|shell", &way))
        return 0;
    if (s->more && way != CONVEX &&
        !pn_xml_warn(&e->r->u, e->node, "the mesh '%.60s' has several objects, of which MuJoCo and this take the first",
                     mesh->name))
        return 0;
    const char *why = !s->triangles || way == CONVEX ? pn_mjcf_hull(s) : NULL;
    if (why && !*why) return pn_xml_memory(&e->r->u);
    if (why)
        return pn_xml_fail(&e->r->u, e->node, PINION_ERR_MODEL, "the mesh '%.60s' has %s", mesh->name, why);
    mesh->shell = way == SHELL;
    integrate_shell(s, mesh);
    if (way != SHELL) integrate_solid(s, way, mesh);
    for (int k = way == SHELL; k < 2; k++) pn_mjcf_mesh_axes(mesh->inertia[k], mesh->principal[k], mesh->axes[k]);
    if (!(mesh->volume[mesh->shell] > 1e-15))
        return pn_xml_fail(&e->r->u, e->node, PINION_ERR_MODEL,
                           "the mesh '%.60s' has no %s; expected a closed surface", mesh->name,
                           mesh->shell ? "area" : "volume above 0");
    mesh->state = 1;
    return 1;
}

const mjcf_mesh *pn_mjcf_mesh(const mjcf_element *e, const char *name)
{
    mjcf_mesh *mesh = pn_mjcf_find_mesh(e->s, name);
    mjcf_element of;
    if (!mesh) {
        pn_xml_fail(&e->r->u, e->node, PINION_ERR_PARSE,
                    "there is no mesh '%.60s'; expected an asset of that name", name);
        return NULL;
    }
    if (mesh->state) return mesh;
    if (!pn_mjcf_element(e->r, e->s, mesh->node, TAG_MESH, 0, &of)) return NULL;
    mjcf_surface s = {0};
    const int ok = weigh_mesh(&of, mesh, &s);
    free(s.point);
    free(s.corner);
    return ok ? mesh : NULL;
}
