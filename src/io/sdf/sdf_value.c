/* Text, numbers and poses in the elements of SDF. */
#include "base/vec3.h"
#include "io/rotation.h"
#include "io/sdf/sdf.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char space[] = " \t\r\n\f\v";

/* ---------------------------------------------------------------------------------------------
 * Memory and messages */

/* A new string that the reader frees. */
static char *keep(sdf_reader *r, size_t length)
{
    char *out = malloc(length + 1);
    if (!out || !SDF_ADD(r, r->strings)) {
        free(out);
        pn_xml_memory(&r->u);
        return NULL;
    }
    SDF_LAST(r->strings) = out;
    out[length] = '\0';
    return out;
}

char *pn_sdf_join(sdf_reader *r, const char *a, const char *b, const char *c)
{
    const size_t na = strlen(a), nb = strlen(b), nc = strlen(c);
    char *out = keep(r, na + nb + nc);
    if (!out) return NULL;
    memcpy(out, a, na);
    memcpy(out + na, b, nb);
    memcpy(out + na + nb, c, nc);
    return out;
}

/* ---------------------------------------------------------------------------------------------
 * Elements */

int pn_sdf_child(sdf_reader *r, const xmlNode *parent, const char *name, xmlNode **out)
{
    *out = pn_xml_find(parent->children, name);
    const xmlNode *second = *out ? pn_xml_find((*out)->next, name) : NULL;
    return !second || pn_xml_warn(&r->u, second, "a second <%s> in one <%.60s>, which is not read", name,
                                  (const char *)parent->name);
}

int pn_sdf_known(sdf_reader *r, const xmlNode *parent, const char *known)
{
    for (const xmlNode *n = pn_xml_find(parent->children, NULL); n; n = pn_xml_find(n->next, NULL)) {
        const char *name = (const char *)n->name;
        const size_t length = strlen(name);
        const char *at = known;
        while ((at = strstr(at, name)) && (at[-1] != ' ' || at[length] != ' ')) at++;
        if (!at && !strchr(name, ':') &&
            !pn_xml_warn(&r->u, n, "<%.60s> in <%.60s> is not known and not read", name,
                         (const char *)parent->name))
            return 0;
    }
    return 1;
}

/* The first piece of text that is not blank; "" where there is none. */
static const char *raw_text(const xmlNode *node)
{
    for (const xmlNode *n = node->children; n; n = n->next) {
        const char *text = n->type == XML_TEXT_NODE && n->content ? (const char *)n->content : "";
        text += strspn(text, space);
        if (*text) return text;
    }
    return "";
}

int pn_sdf_text(sdf_reader *r, const xmlNode *node, const char **out)
{
    const char *text = raw_text(node);
    size_t length = strlen(text);
    while (length > 0 && strchr(space, text[length - 1])) length--;
    char *copy = keep(r, length);
    if (!copy) return 0;
    memcpy(copy, text, length);
    *out = copy;
    return 1;
}

int pn_sdf_child_text(sdf_reader *r, const xmlNode *parent, const char *name, const char **out)
{
    xmlNode *child;
    *out = "";
    return pn_sdf_child(r, parent, name, &child) && (!child || pn_sdf_text(r, child, out));
}

/* ---------------------------------------------------------------------------------------------
 * Numbers */

/* A number, or infinity, at the start of a text. */
static int parse(const char *text, const char **end, double *out)
{
    const int sign = *text == '-' || *text == '+';
    if (text[sign] == '0' && (text[sign + 1] == 'x' || text[sign + 1] == 'X')) { /* bit masks, mostly */
        char *rest;
        const double value = (double)strtoull(text + sign, &rest, 16);
        *out = *text == '-' ? -value : value;
        *end = rest;
        return rest > text + sign + 2;
    }
    if (pn_parse_number(text, end, out)) return 1;
    if (strncasecmp(text + sign, "inf", 3) != 0) return 0;
    *end = text + sign + (strncasecmp(text + sign, "infinity", 8) == 0 ? 8 : 3);
    *out = *text == '-' ? -INFINITY : INFINITY;
    return 1;
}

/* As many numbers as are there, up to `most`; -1 where one is none. *rest is what is behind them. */
static int scan(const char *text, int most, double *out, const char **rest)
{
    int count = 0;
    for (text += strspn(text, space); *text && count < most; text += strspn(text, space)) {
        if (!parse(text, &text, &out[count])) return -1;
        count++;
    }
    *rest = text;
    return count;
}

int pn_sdf_numbers(sdf_reader *r, const xmlNode *node, int count, double *out)
{
    double values[16];
    const char *text = raw_text(node), *rest;
    if (!*text) return 1;
    if (scan(text, count, values, &rest) != count)
        return pn_xml_fail(&r->u, node, PINION_ERR_PARSE, "<%.60s> is '%.60s'; expected %d number%s",
                           (const char *)node->name, text, count, count == 1 ? "" : "s");
    memcpy(out, values, (size_t)count * sizeof *out);
    return !*rest || pn_xml_warn(&r->u, node, "<%.60s> has '%.40s' behind its number%s, which is not read",
                                 (const char *)node->name, rest, count == 1 ? "" : "s");
}

int pn_sdf_child_numbers(sdf_reader *r, const xmlNode *parent, const char *name, int count, double *out)
{
    xmlNode *child;
    return pn_sdf_child(r, parent, name, &child) && (!child || pn_sdf_numbers(r, child, count, out));
}

int pn_sdf_bool(sdf_reader *r, const xmlNode *node, const char *text, int *out)
{
    static const char *const words[] = {"false", "true", "0", "1"};
    for (int i = 0; text && *text && i < 4; i++) {
        if (strcasecmp(text, words[i]) == 0) {
            *out = i & 1;
            return 1;
        }
    }
    return !text || !*text ||
           pn_xml_fail(&r->u, node, PINION_ERR_PARSE, "<%.60s> has '%.60s'; expected true or false",
                       (const char *)node->name, text);
}

int pn_sdf_child_bool(sdf_reader *r, const xmlNode *parent, const char *name, int *out)
{
    xmlNode *child;
    const char *text;
    if (!pn_sdf_child(r, parent, name, &child)) return 0;
    return !child || (pn_sdf_text(r, child, &text) && pn_sdf_bool(r, child, text, out));
}

/* ---------------------------------------------------------------------------------------------
 * Poses */

int pn_sdf_pose_text(sdf_reader *r, const xmlNode *node, pinion_pose *out)
{
    const double degree = 3.14159265358979323846 / 180;
    const char *format = pn_xml_attribute(node, "rotation_format"), *text = raw_text(node), *rest = "";
    const int turned = format && strcmp(format, "quat_xyzw") == 0, count = turned ? 7 : 6;
    int degrees = 0;
    *out = pinion_pose_identity();
    if (!pn_sdf_bool(r, node, pn_xml_attribute(node, "degrees"), &degrees)) return 0;
    if (format && *format && !turned && strcmp(format, "euler_rpy") != 0)
        return pn_xml_fail(&r->u, node, PINION_ERR_PARSE,
                           "<pose rotation_format=\"%.60s\">; expected euler_rpy or quat_xyzw", format);
    if (turned && degrees)
        return pn_xml_fail(&r->u, node, PINION_ERR_PARSE,
                           "<pose> has a quaternion in degrees; expected one of them");
    if (!*text) return 1;
    double x[8];
    const int found = scan(text, 8, x, &rest);
    if (found != count)
        return pn_xml_fail(&r->u, node, PINION_ERR_PARSE, "<pose> is '%.60s'; expected %d numbers", text,
                           count);
    for (int i = 0; i < count; i++) {
        if (!isfinite(x[i]))
            return pn_xml_fail(&r->u, node, PINION_ERR_PARSE, "<pose> is '%.60s'; expected finite numbers",
                               text);
    }
    memcpy(out->position, x, sizeof out->position);
    if (turned) {
        const double q[4] = {x[6], x[3], x[4], x[5]};
        if (!(hypot(hypot(q[0], q[1]), hypot(q[2], q[3])) > 1e-100))
            return pn_xml_fail(&r->u, node, PINION_ERR_PARSE,
                               "<pose> has a quaternion of zeros; expected one of any length but 0");
        const double unit = 1 / hypot(hypot(q[0], q[1]), hypot(q[2], q[3]));
        const double p[4] = {q[0] * unit, q[1] * unit, q[2] * unit, q[3] * unit};
        pn_quaternion_matrix(p, out->rotation);
        return 1;
    }
    for (int i = 3; i < 6 && degrees; i++) x[i] *= degree;
    pn_rotation_of_rpy(x + 3, out->rotation);
    return 1;
}

int pn_sdf_pose(sdf_reader *r, const xmlNode *parent, int file, pinion_pose *out, const char **relative_to)
{
    xmlNode *pose;
    *out = pinion_pose_identity();
    *relative_to = "";
    if (!pn_sdf_child(r, parent, "pose", &pose)) return 0;
    if (!pose) return 1;
    const char *from = pn_xml_attribute(pose, "relative_to");
    if (!from && r->files.at[file].minor < 7) from = pn_xml_attribute(pose, "frame");
    if (from && strcmp(from, "__root__") == 0)
        return pn_xml_fail(&r->u, pose, PINION_ERR_PARSE,
                           "<pose relative_to=\"__root__\">: that name is reserved");
    if (from) *relative_to = from;
    return pn_sdf_pose_text(r, pose, out);
}
