/* The kernels' files, as the library has them: a source carries the one of each function and what that includes. */
#include "codegen/rolled/rolled.h"

#include <string.h>

static const char *const kernel_names[PN_KERNEL_COUNT] = {
#define PN_CALL(function, what, kernel, ...) #kernel,
#define PN_CALL_BY(...)
#define PN_CALL_LIKE(...)
#include "kernel/calls.inc"
#define PN_KERNEL_NAME(name) #name,
    PN_KERNEL_LIST(PN_KERNEL_NAME)
    PN_RESEARCH_KERNEL_LIST(PN_KERNEL_NAME)
#undef PN_KERNEL_NAME
#define PN_ALGORITHM(function, ...) #function,
#include "kernel/algorithms.inc"
#undef PN_ALGORITHM
};

const char *pn_rolled_name(int kernel)
{
    return kernel_names[kernel];
}

/* What is never there: the source has a scalar of its own, no registry and no table of calls. */
static int is_left_out(const char *name)
{
    return strcmp(name, "real/real.h") == 0 || strcmp(name, "kernel/algorithms.inc") == 0 ||
           strcmp(name, "kernel/calls.inc") == 0;
}

/* Whether a file was there before; it is from now on. */
static int was_seen(pn_text *seen, const char *name)
{
    pn_text line = {0};
    pn_text_add(&line, "\n%s\n", name);
    const int there = line.failed || (seen->at && strstr(seen->at, line.at));
    if (line.failed) seen->failed = 1;
    if (!there) pn_text_append(seen, line.at);
    pn_text_free(&line);
    return there;
}

/* the file that a line includes, into `name`; 0: it includes none of ours */
static int included(const char *line, char *name, size_t room)
{
    static const char begin[] = "#include \"";
    if (strncmp(line, begin, sizeof begin - 1) != 0) return 0;
    line += sizeof begin - 1;
    const size_t length = strcspn(line, "\"\n");
    if (line[length] != '"' || length >= room) return 0;
    memcpy(name, line, length);
    name[length] = 0;
    return 1;
}

void pn_rolled_file(const char *name, pn_text *seen, pn_text *t)
{
    const char *text = pn_embedded(name);
    if (is_left_out(name) || was_seen(seen, name)) return;
    if (!text) {
        t->failed = 1;
        return;
    }
    pn_text_add(t, "\n/* ---- %s ---- */\n\n", name);
    for (size_t length; *text; text += length) {
        char other[200];
        length = strcspn(text, "\n");
        length += text[length] == '\n';
        if (included(text, other, sizeof other))
            pn_rolled_file(other, seen, t);
        else
            pn_text_bytes(t, text, length);
    }
}

void pn_rolled_files(int kernel, pn_text *seen, pn_text *t)
{
    const int algorithm = kernel >= PN_FIRST_ALGORITHM;
    pn_text mark = {0};
    pn_text_add(&mark, algorithm ? "\nPN_ALGORITHM(%s," : " k_%s(const pn_ctx *", kernel_names[kernel]);
    const char *name = NULL, *text;
    for (int i = 0; !mark.failed && (name = pn_embedded_at(i, &text)) != NULL; i++)
        if (strncmp(name, "kernel/", 7) == 0 && strstr(text, mark.at)) break;
    pn_text_free(&mark);
    if (!name) {
        t->failed = 1;
        return;
    }
    if (algorithm) pn_rolled_file("kernel/problems.inc", seen, t);
    pn_rolled_file(name, seen, t);
}
