/* Mesh files, read in full and written anew: what a page carries is what was understood as a mesh, and no
 * other byte of a file. Numbers are read in the locale "C", which a command has that asks for no other. */
#define _POSIX_C_SOURCE 200809L
#include "cli/report/document_mesh.h"
#include "cli/print/memory_stream.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

/* Reads a finite decimal number and moves behind it. */
static int take_number(const char **at, float *x)
{
    const char *s = *at + strspn(*at, " \t\r\n");
    char *end;
    if (!strchr("+-.0123456789", *s) || !*s) return 0;
    const double number = strtod(s, &end);
    if (end == s || end - s > 60 || memchr(s, 'x', (size_t)(end - s)) || memchr(s, 'X', (size_t)(end - s)))
        return 0;
    if (!isfinite((float)number)) return 0;
    *x = (float)number;
    *at = end;
    return 1;
}

/* ------------------------------------------------------------------------------------------------ */
/* STL: whichever of its two forms, written as the binary one */

static void put_u32(unsigned char *bytes, uint32_t x)
{
    for (int i = 0; i < 4; i++) bytes[i] = (unsigned char)(x >> 8 * i);
}

static uint32_t get_u32(const char *bytes)
{
    uint32_t x = 0;
    for (int i = 3; i >= 0; i--) x = x << 8 | (unsigned char)bytes[i];
    return x;
}

static void put_head(FILE *to, uint32_t count)
{
    unsigned char head[84] = {0};
    put_u32(head + 80, count);
    fwrite(head, 1, sizeof head, to);
}

static void put_triangle(FILE *to, const float x[12])
{
    unsigned char record[50] = {0};
    for (int i = 0; i < 12; i++) {
        uint32_t bits;
        memcpy(&bits, &x[i], sizeof bits);
        put_u32(record + 4 * i, bits);
    }
    fwrite(record, 1, sizeof record, to);
}

static size_t copy_binary(const char *text, uint32_t count, FILE *to)
{
    put_head(to, count);
    for (uint32_t k = 0; k < count; k++) {
        float x[12];
        for (int i = 0; i < 12; i++) {
            const uint32_t bits = get_u32(text + 84 + 50 * (size_t)k + 4 * (size_t)i);
            memcpy(&x[i], &bits, sizeof bits);
            if (!isfinite(x[i]) && i < 3) x[i] = 0; /* a normal of nothing: the page makes its own */
            if (!isfinite(x[i])) return 0;
        }
        put_triangle(to, x);
    }
    return count;
}

/* Moves behind a word, in capitals or not. */
static int take_word(const char **at, const char *word)
{
    const char *s = *at + strspn(*at, " \t\r\n");
    const size_t length = strlen(word);
    if (strncasecmp(s, word, length) != 0 || isalnum((unsigned char)s[length])) return 0;
    *at = s + length;
    return 1;
}

/* The facets of a text, written to `to` unless that is NULL; how many there are, 0 when it is none of that
 * form. */
static size_t read_facets(const char *s, FILE *to)
{
    size_t count = 0;
    while (take_word(&s, "solid")) {
        s += strcspn(s, "\r\n"); /* its name */
        while (take_word(&s, "facet")) {
            float x[12];
            int fine = take_word(&s, "normal");
            for (int i = 0; i < 3 && fine; i++) {
                x[i] = 0;
                if (take_number(&s, &x[i])) continue;
                fine = take_word(&s, "nan") || take_word(&s, "-nan"); /* of a facet without an area */
            }
            fine = fine && take_word(&s, "outer") && take_word(&s, "loop");
            for (int i = 3; i < 12 && fine; i++)
                fine = (i % 3 || take_word(&s, "vertex")) && take_number(&s, &x[i]);
            fine = fine && take_word(&s, "endloop") && take_word(&s, "endfacet");
            if (!fine || count == UINT32_MAX) return 0;
            count++;
            if (to) put_triangle(to, x);
        }
        if (!take_word(&s, "endsolid")) return 0;
        s += strcspn(s, "\r\n");
    }
    return s[strspn(s, " \t\r\n")] ? 0 : count;
}

size_t pn_doc_mesh_stl(const char *text, size_t size, FILE *to)
{
    const uint32_t count = size >= 84 ? get_u32(text + 80) : 0;
    if (count > 0 && count <= (size - 84) / 50 &&
        (size - 84 == 50 * (size_t)count || strncmp(text, "solid", 5) != 0))
        return copy_binary(text, count, to);
    const size_t facets = strlen(text) == size ? read_facets(text, NULL) : 0;
    if (facets) put_head(to, (uint32_t)facets);
    return facets ? read_facets(text, to) : 0;
}

/* ------------------------------------------------------------------------------------------------ */
/* OBJ: points, normals and faces; what else the format has is passed over, and what it has not is an error */

/* One corner of a face: POINT, POINT/TEXTURE, POINT//NORMAL or POINT/TEXTURE/NORMAL, counted from 1, or back
 * from -1. */
static int take_corner(const char **at, long points, long normals, long *point, long *normal)
{
    const char *s = *at + strspn(*at, " \t");
    char *end;
    *point = strtol(s, &end, 10);
    if (end == s) return 0;
    *normal = 0;
    if (*end == '/') {
        s = end + 1;
        strtol(s, &end, 10);
        if (*end == '/') {
            s = end + 1;
            *normal = strtol(s, &end, 10);
            if (end == s) return 0;
            if (*normal < 0) *normal += normals + 1;
            if (*normal < 1 || *normal > normals) return 0;
        }
    }
    if (*point < 0) *point += points + 1;
    *at = end;
    return *point >= 1 && *point <= points && (!*end || isspace((unsigned char)*end));
}

static int copy_face(const char *s, long points, long normals, FILE *to)
{
    long point, normal;
    int corners = 0;
    fputc('f', to);
    while (s[strspn(s, " \t\r")]) {
        if (!take_corner(&s, points, normals, &point, &normal)) return 0;
        fprintf(to, normal ? " %ld//%ld" : " %ld", point, normal);
        corners++;
    }
    fputc('\n', to);
    return corners >= 3;
}

static int copy_point(const char *s, const char *word, FILE *to)
{
    float x[3];
    for (int i = 0; i < 3; i++)
        if (!take_number(&s, &x[i])) return 0;
    fprintf(to, "%s %.9g %.9g %.9g\n", word, (double)x[0], (double)x[1], (double)x[2]);
    return 1;
}

/* Whether it is a word of the format that has no part in the shape as it is shown. */
static int is_passed_over(const char *word, size_t length)
{
    static const char words[] =
        " vt vp o g s mg l p usemtl mtllib usemap maplib shadow_obj trace_obj bevel c_interp "
        "d_interp lod cstype deg bmat step parm trim hole scrv sp end con curv curv2 surf ctech "
        "stech csh call ";
    char key[16];
    if (length == 0 || *word == '#') return 1;
    if (length > sizeof key - 3) return 0;
    snprintf(key, sizeof key, " %.*s ", (int)length, word);
    return strstr(words, key) != NULL;
}

size_t pn_doc_mesh_obj(char *text, FILE *to)
{
    long points = 0, normals = 0;
    size_t faces = 0;
    const char *const end = text + strlen(text);
    for (char *c = text; *c; c++) /* a line may go on in the next one */
        if (c[0] == '\\' && c[strspn(c + 1, "\r") + 1] == '\n') memset(c, ' ', strcspn(c, "\n") + 1);
    for (char *line = text, *next; line; line = next) {
        next = memchr(line, '\n', (size_t)(end - line)); /* strchr may look for the end of all lines, each time */
        if (next) *next++ = '\0';
        const char *word = line + strspn(line, " \t\r");
        const size_t length = strcspn(word, " \t\r");
        int fine = 1;
        if (length == 1 && *word == 'v')
            fine = copy_point(word + 1, "v", to) && points++ < INT32_MAX;
        else if (length == 2 && strncmp(word, "vn", 2) == 0)
            fine = copy_point(word + 2, "vn", to) && normals++ < INT32_MAX;
        else if (length == 1 && *word == 'f')
            fine = copy_face(word + 1, points, normals, to) && ++faces;
        else
            fine = is_passed_over(word, length);
        if (!fine) return 0;
    }
    return faces;
}

/* ------------------------------------------------------------------------------------------------ */

/* The whole of a plain file of at most `most` bytes, with a '\0' behind it. */
static cli_mesh_end read_whole(const char *path, size_t most, char **text, size_t *size)
{
    struct stat about;
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
    cli_mesh_end end =
        file >= 0 && fstat(file, &about) == 0 && S_ISREG(about.st_mode) ? MESH_READ : MESH_MISSING;
    *text = NULL;
    if (end == MESH_READ && about.st_size == 0) end = MESH_EMPTY;
    if (end == MESH_READ && (uint64_t)about.st_size > most) end = MESH_LARGE;
    if (end == MESH_READ) *text = calloc(1, (size_t)about.st_size + 1);
    *size = 0;
    for (ssize_t got; *text && *size < (size_t)about.st_size; *size += (size_t)got) {
        got = read(file, *text + *size, (size_t)about.st_size - *size);
        if (got < 0 && errno == EINTR)
            got = 0;
        else if (got <= 0)
            break;
    }
    if (file >= 0) close(file);
    return end == MESH_READ && !*text ? MESH_LARGE : end;
}

cli_mesh_end pn_doc_mesh_read(const char *path, const char *name, size_t most, cli_mesh *mesh)
{
    const char *dot = strrchr(name, '.');
    *mesh = (cli_mesh){dot && strcasecmp(dot, ".stl") == 0   ? "stl"
                       : dot && strcasecmp(dot, ".obj") == 0 ? "obj"
                       : dot && strcasecmp(dot, ".dae") == 0 ? "dae"
                                                             : NULL,
                       NULL, 0};
    char *text;
    size_t size, faces = 0;
    cli_mesh_end end = read_whole(path, most, &text, &size);
    if (end == MESH_READ && !mesh->format) end = MESH_OTHER;
    if (end == MESH_READ) {
        cli_memory out;
        pn_cli_memory_open(&out);
        if (out.stream)
            faces = mesh->format[0] == 's'   ? pn_doc_mesh_stl(text, size, out.stream)
                    : mesh->format[0] == 'o' ? strlen(text) == size ? pn_doc_mesh_obj(text, out.stream) : 0
                                             : pn_doc_mesh_dae(text, size, out.stream);
        const int whole = pn_cli_memory_close(&out);
        mesh->bytes = out.bytes;
        mesh->size = out.size;
        if (!whole || mesh->size > most)
            end = MESH_LARGE;
        else if (faces == 0)
            end = MESH_BROKEN;
    }
    free(text);
    if (end == MESH_READ) return end;
    free(mesh->bytes);
    mesh->bytes = NULL;
    return end;
}
