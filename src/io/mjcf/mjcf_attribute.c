/* Attributes of MJCF: an element's own or, where it has none, what its class says. */
#include "io/mjcf/mjcf.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char space[] = " \t\r\n";

/* The next place where a class says something about this kind of element. */
static int first_layer(const mjcf_element *e)
{
    if (e->tag == TAG_COUNT || e->class_ < 0) return -1;
    return e->s->classes[e->class_].layer[e->tag];
}

const char *pn_mjcf_text(const mjcf_element *e, const char *name)
{
    const char *own = pn_xml_attribute(e->node, name);
    for (int i = first_layer(e); !own && i >= 0; i = e->s->layers.at[i].next)
        own = pn_xml_attribute(e->s->layers.at[i].node, name);
    return own;
}

/* A word for infinity, which a range may have; *out is it then. */
static int is_infinity(const char *name, const char *word, size_t length, double *out)
{
    const int sign = *word == '-' || *word == '+';
    if (!strstr(name, "range") || length != 3 + (size_t)sign || memcmp(word + sign, "inf", 3) != 0) return 0;
    *out = *word == '-' ? -INFINITY : INFINITY;
    return 1;
}

/* The numbers of one attribute; how many there are, -1 on failure. */
static int parse_numbers(const mjcf_element *e, const xmlNode *node, const char *name, const char *text,
                         int least, int most, double *out)
{
    int found = 0;
    for (const char *s = text + strspn(text, space); *s; s += strspn(s, space)) {
        const size_t word = strcspn(s, space);
        const char *end = s + word;
        double x;
        if (!is_infinity(name, s, word, &x) && (!pn_parse_number(s, &end, &x) || end != s + word)) {
            pn_xml_fail(&e->r->u, node, PINION_ERR_PARSE,
                        "<%.40s %s=\"%.60s\">: '%.*s' is not a finite number", (const char *)node->name, name,
                        text, word < 40 ? (int)word : 40, s);
            return -1;
        }
        if (found < most) out[found] = x;
        if (found <= most) found++;
        s = end;
    }
    if (found >= least && found <= most) return found;
    char expected[40];
    if (least == most)
        snprintf(expected, sizeof expected, "%d", least);
    else
        snprintf(expected, sizeof expected, "%d to %d", least, most);
    pn_xml_fail(&e->r->u, node, PINION_ERR_PARSE, "<%.40s %s=\"%.60s\"> has %s numbers; expected %s",
                (const char *)node->name, name, text, found < least ? "too few" : "too many", expected);
    return -1;
}

int pn_mjcf_numbers(const mjcf_element *e, const char *name, int least, int most, double *out)
{
    double values[64];
    int filled = 0;
    const xmlNode *node = e->node;
    for (int i = first_layer(e);; i = e->s->layers.at[i].next) {
        const char *text = pn_xml_attribute(node, name);
        if (text && text[strspn(text, space)]) { /* nothing in it: not given */
            const int found = parse_numbers(e, node, name, text, least, most, values);
            if (found < 0) return -1;
            for (; filled < found; filled++) out[filled] = values[filled];
            if (filled == most) return filled;
        }
        if (i < 0) return filled;
        node = e->s->layers.at[i].node;
    }
}

int pn_mjcf_number(const mjcf_element *e, const char *name, double *out)
{
    return pn_mjcf_numbers(e, name, 1, 1, out) >= 0;
}

int pn_mjcf_word(const mjcf_element *e, const char *name, const char *words, int *out)
{
    const char *text = pn_mjcf_text(e, name);
    if (!text) return 1;
    const size_t length = strlen(text);
    int index = 0;
    for (const char *w = words;; index++) {
        const size_t n = strcspn(w, "|");
        if (n == length && memcmp(w, text, n) == 0) {
            *out = index;
            return 1;
        }
        if (!w[n]) break;
        w += n + 1;
    }
    return pn_xml_fail(&e->r->u, e->node, PINION_ERR_PARSE, "<%.40s>: %s is \"%.40s\"; expected one of %s",
                       (const char *)e->node->name, name, text, words);
}

int pn_mjcf_limited(const mjcf_element *e, const char *flag, const char *range, int *out)
{
    int said = 2;
    double limits[2] = {0, 0};
    if (!pn_mjcf_word(e, flag, "false|true|auto", &said) || pn_mjcf_numbers(e, range, 2, 2, limits) < 0)
        return 0;
    const int is_range = limits[0] != 0 || limits[1] != 0;
    if (said == 2 && is_range && !e->s->compiler.autolimits)
        return pn_xml_fail(&e->r->u, e->node, PINION_ERR_PARSE,
                           "<%.40s> has a %s and autolimits is false; expected %s",
                           (const char *)e->node->name, range, flag);
    if (said == 1 && !(limits[0] < limits[1]))
        return pn_xml_fail(&e->r->u, e->node, PINION_ERR_PARSE,
                           "<%.40s> is limited, but its %s does not go up; expected two numbers, the smaller first",
                           (const char *)e->node->name, range);
    *out = said == 2 ? is_range && limits[0] < limits[1] : said;
    return 1;
}

/* Nonzero when a word is one of those in a text, between spaces. */
static int is_word_of(const char *words, const char *word)
{
    const size_t n = strlen(word);
    for (const char *w = words; *w;) {
        if (*w == *word && strncmp(w, word, n) == 0 && (w[n] == ' ' || !w[n])) return 1;
        while (*w && *w != ' ') w++;
        w += *w == ' ';
    }
    return 0;
}

int pn_mjcf_known(const mjcf_element *e, const char *known)
{
    for (const xmlAttr *a = e->node->properties; a; a = a->next) {
        if (a->ns || is_word_of(known, (const char *)a->name)) continue;
        if (!pn_mjcf_left_out(e->r, e->node,
                              "<%.40s> has an attribute %.60s, which is not known and is left out",
                              (const char *)e->node->name, (const char *)a->name))
            return 0;
    }
    return 1;
}
