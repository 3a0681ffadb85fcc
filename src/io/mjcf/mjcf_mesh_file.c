/* Files of meshes: STL, OBJ and MuJoCo's own MSH. They are untrusted. */
#include "base/file.h"
#include "io/mjcf/mjcf_mesh.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define MAX_CORNERS 1024 /* of a face */

static const char out_of_memory[] = "";

/* Room for one more of three. */
static int grow(void *at, size_t size, int count, int *capacity)
{
    if (count < *capacity) return 1;
    if (count >= 3 * MJCF_MAX_TRIANGLES) return 0;
    void *old;
    memcpy(&old, at, sizeof old);
    const int more = *capacity ? 2 * *capacity : 64;
    void *grown = realloc(old, (size_t)more * 3 * size);
    if (!grown) return 0;
    memcpy(at, &grown, sizeof grown);
    *capacity = more;
    return 1;
}

int pn_mjcf_surface_point(mjcf_surface *s, const double p[3])
{
    if (!grow(&s->point, sizeof *s->point, s->points, &s->point_capacity)) return 0;
    memcpy(s->point + 3 * (size_t)s->points++, p, 3 * sizeof *p);
    return 1;
}

int pn_mjcf_surface_triangle(mjcf_surface *s, int a, int b, int c)
{
    if (!grow(&s->corner, sizeof *s->corner, s->triangles, &s->corner_capacity)) return 0;
    int *corner = s->corner + 3 * (size_t)s->triangles++;
    corner[0] = a;
    corner[1] = b;
    corner[2] = c;
    return 1;
}

void pn_mjcf_surface_scale(mjcf_surface *s, const double scale[3])
{
    for (int i = 0; i < s->points; i++)
        for (int k = 0; k < 3; k++) s->point[3 * (size_t)i + (size_t)k] *= scale[k];
    for (int i = 0; i < s->triangles && scale[0] * scale[1] * scale[2] < 0; i++) { /* mirrored: inside out */
        int *c = s->corner + 3 * (size_t)i, swap = c[1];
        c[1] = c[2];
        c[2] = swap;
    }
}

static uint32_t word_at(const char *at)
{
    const unsigned char *b = (const unsigned char *)at;
    return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static double float_at(const char *at)
{
    const uint32_t word = word_at(at);
    float x;
    memcpy(&x, &word, sizeof x);
    return x;
}

/* Three numbers of text; where they end, NULL when they are none. */
static const char *three_numbers(const char *s, double out[3])
{
    for (int i = 0; i < 3; i++) {
        s += strspn(s, " \t\r");
        if (!pn_parse_number(s, &s, &out[i])) return NULL;
        out[i] = (float)out[i]; /* meshes are of single precision */
    }
    return s;
}

static const char *read_stl_text(const char *text, mjcf_surface *out)
{
    double p[3];
    int corners = 0;
    for (const char *s = strstr(text, "vertex"); s; s = strstr(s, "vertex")) {
        s = three_numbers(s + 6, p);
        if (!s) return "a vertex that has not three numbers";
        if (!pn_mjcf_surface_point(out, p)) return out_of_memory;
        if (++corners % 3 == 0 && !pn_mjcf_surface_triangle(out, corners - 3, corners - 2, corners - 1))
            return out_of_memory;
    }
    return corners % 3 ? "a facet that has not three corners" : NULL;
}

static const char *read_stl(const char *text, size_t size, mjcf_surface *out)
{
    const uint32_t count = size >= 84 ? word_at(text + 80) : 0;
    if (size < 84 || size - 84 < 50 * (size_t)count ||
        (strncmp(text, "solid", 5) == 0 && size - 84 != 50 * (size_t)count)) {
        if (strncmp(text, "solid", 5) == 0 && strlen(text) == size) return read_stl_text(text, out);
        return "fewer triangles than it says";
    }
    for (uint32_t i = 0; i < count; i++) {
        for (int k = 0; k < 3; k++) {
            double p[3];
            for (int x = 0; x < 3; x++)
                p[x] = float_at(text + 84 + 50 * (size_t)i + 12 + 12 * (size_t)k + 4 * (size_t)x);
            if (!pn_mjcf_surface_point(out, p)) return out_of_memory;
        }
        if (!pn_mjcf_surface_triangle(out, out->points - 3, out->points - 2, out->points - 1))
            return out_of_memory;
    }
    return NULL;
}

/* The square of the distance of two points. */
static double distance(const mjcf_surface *s, int a, int b)
{
    double sum = 0;
    for (size_t k = 0; k < 3; k++) {
        const double d = s->point[3 * (size_t)a + k] - s->point[3 * (size_t)b + k];
        sum += d * d;
    }
    return sum;
}

/* The two axes along which a face is seen best, and whether its corners go round to the left there. */
static void view_face(const mjcf_surface *s, const int *corner, int count, int axis[2], int *left)
{
    double normal[3] = {0, 0, 0};
    for (int i = 0; i < count; i++) {
        const double *p = s->point + 3 * (size_t)corner[i], *q = s->point + 3 * (size_t)corner[(i + 1) % count];
        for (int k = 0; k < 3; k++) {
            const int x = (k + 1) % 3, y = (k + 2) % 3;
            normal[k] += (p[x] - q[x]) * (p[y] + q[y]);
        }
    }
    int along = 0;
    for (int k = 1; k < 3; k++)
        if (fabs(normal[k]) > fabs(normal[along])) along = k;
    axis[0] = (along + 1) % 3;
    axis[1] = (along + 2) % 3;
    *left = normal[along] > 0;
}

/* Twice the area of a triangle as it is seen, above 0 where its corners go round to the left. */
static double seen_area(const mjcf_surface *s, const int axis[2], int a, int b, int c)
{
    const double *p = s->point + 3 * (size_t)a, *q = s->point + 3 * (size_t)b, *r = s->point + 3 * (size_t)c;
    const int x = axis[0], y = axis[1];
    return (q[x] - p[x]) * (r[y] - p[y]) - (q[y] - p[y]) * (r[x] - p[x]);
}

/* Whether corner i of a face can be cut off: it points outwards, and no other corner is in the triangle there. */
static int is_ear(const mjcf_surface *s, const int axis[2], int left, const int *corner, int count, int i)
{
    const int a = corner[(i + count - 1) % count], b = corner[i], c = corner[(i + 1) % count];
    const double sign = left ? 1 : -1;
    if (!(sign * seen_area(s, axis, a, b, c) > 0)) return 0;
    for (int k = 0; k < count; k++) {
        const int p = corner[k];
        if (p != a && p != b && p != c && sign * seen_area(s, axis, a, b, p) >= 0 &&
            sign * seen_area(s, axis, b, c, p) >= 0 && sign * seen_area(s, axis, c, a, p) >= 0)
            return 0;
    }
    return 1;
}

/* Triangles of a face that is flat. One of four is cut along its shorter diagonal, as MuJoCo has it; others lose one
 * corner after the other, so that those which are not convex are covered once. */
static const char *cut_face(mjcf_surface *out, int *corner, int count, long *work)
{
    int axis[2] = {0, 1}, left = 1, at = 0;
    if (count > 4) view_face(out, corner, count, axis, &left);
    while (count > 4) {
        int tried = 0;
        while (tried < count && !is_ear(out, axis, left, corner, count, at % count)) tried++, at++;
        *work += (long)(tried + 1) * count;
        if (*work > 1L << 28) return "faces with too many corners";
        const int i = at % count;
        if (!pn_mjcf_surface_triangle(out, corner[(i + count - 1) % count], corner[i], corner[(i + 1) % count]))
            return out_of_memory;
        memmove(corner + i, corner + i + 1, (size_t)(count - 1 - i) * sizeof *corner);
        count--;
        at = i;
    }
    const int cut = count == 4 && !(distance(out, corner[0], corner[2]) < distance(out, corner[1], corner[3]));
    if (!pn_mjcf_surface_triangle(out, corner[0], corner[1], corner[cut ? 3 : 2])) return out_of_memory;
    if (count == 3) return NULL;
    return pn_mjcf_surface_triangle(out, corner[cut ? 1 : 0], corner[2], corner[3]) ? NULL : out_of_memory;
}

/* The corners of a face of OBJ, numbers that count from 1, or from the last point backwards. */
static const char *read_obj_face(const char *s, mjcf_surface *out, long *work)
{
    int corner[MAX_CORNERS], count = 0;
    for (s += strspn(s, " \t\r"); *s && *s != '\n' && *s != '#'; s += strspn(s, " \t\r")) {
        char *end;
        const long n = strtol(s, &end, 10);
        if (end == s) return "a face whose corner is no number";
        const long at = n < 0 ? out->points + n : n - 1;
        if (n == 0 || at < 0 || at >= out->points) return "a face with a corner that does not exist";
        s = end + strcspn(end, " \t\r\n");
        if (count == MAX_CORNERS) return "a face with more than 1024 corners";
        corner[count++] = (int)at;
    }
    return count < 3 ? "a face with fewer than three corners" : cut_face(out, corner, count, work);
}

/* All points, and the faces of the first object or group, which are those that MuJoCo takes. */
static const char *read_obj(const char *text, mjcf_surface *out)
{
    long work = 0;
    for (const char *s = text; s && *s; s = strchr(s, '\n')) {
        s += strspn(s, " \t\r\n");
        const int one = s[0] && strchr(" \t\r\n", s[1]) != NULL; /* a word of one letter */
        const char *why = NULL;
        if (s[0] == 'v' && (s[1] == ' ' || s[1] == '\t')) {
            double p[3];
            if (!three_numbers(s + 1, p)) return "a point that has not three numbers";
            if (!pn_mjcf_surface_point(out, p)) return out_of_memory;
        } else if (s[0] == 'f' && (s[1] == ' ' || s[1] == '\t')) {
            if (!out->ended) why = read_obj_face(s + 1, out, &work);
            out->more = out->more || out->ended;
        } else if (one && (s[0] == 'o' || s[0] == 'g')) {
            out->ended = out->triangles > 0 && !out->all;
        }
        if (why) return why;
    }
    return NULL;
}

static const char *read_msh(const char *text, size_t size, mjcf_surface *out)
{
    uint64_t n[4], need = 16;
    static const uint64_t bytes[4] = {12, 12, 8, 12};
    if (size < 16) return "fewer bytes than its head has";
    for (int i = 0; i < 4; i++) {
        n[i] = word_at(text + 4 * i);
        need += n[i] * bytes[i];
    }
    if (need != size) return "not as many bytes as its head says";
    const char *at = text + 16;
    for (uint64_t i = 0; i < n[0]; i++, at += 12) {
        const double p[3] = {float_at(at), float_at(at + 4), float_at(at + 8)};
        if (!pn_mjcf_surface_point(out, p)) return out_of_memory;
    }
    at += 12 * n[1] + 8 * n[2];
    for (uint64_t i = 0; i < n[3]; i++, at += 12) {
        uint32_t corner[3];
        for (int k = 0; k < 3; k++) {
            corner[k] = word_at(at + 4 * k);
            if (corner[k] >= n[0]) return "a face with a corner that does not exist";
        }
        if (!pn_mjcf_surface_triangle(out, (int)corner[0], (int)corner[1], (int)corner[2]))
            return out_of_memory;
    }
    return NULL;
}

const char *pn_mjcf_surface(const char *file, const char *text, size_t size, mjcf_surface *out)
{
    if (pn_file_has_extension(file, ".stl")) return read_stl(text, size, out);
    if (pn_file_has_extension(file, ".obj"))
        return strlen(text) == size ? read_obj(text, out) : "a zero byte";
    if (pn_file_has_extension(file, ".msh")) return read_msh(text, size, out);
    return "none of the formats that are read: .stl, .obj, .msh";
}
