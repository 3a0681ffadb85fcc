/* The page: the document between the two parts of the page that the build made from report/. */
#include "cli/report/document_internal.h"
#include "cli/args/options.h"

#include <stdlib.h>
#include <string.h>

#ifdef PINION_REPORT
extern const unsigned char pn_cli_page_head[], pn_cli_page_tail[];
extern const unsigned long pn_cli_page_head_size, pn_cli_page_tail_size;

/* Text that grows. */
typedef struct buffer {
    char *text;
    size_t size, capacity;
} buffer;

static int put(buffer *b, const void *text, size_t size)
{
    if (size > b->capacity - b->size) {
        size_t capacity = b->capacity ? b->capacity : 1 << 20;
        while (capacity - b->size < size && capacity <= SIZE_MAX / 2) capacity *= 2;
        char *larger = capacity - b->size >= size ? realloc(b->text, capacity) : NULL;
        if (!larger) return -1;
        b->text = larger;
        b->capacity = capacity;
    }
    memcpy(b->text + b->size, text, size);
    b->size += size;
    return 0;
}

/* JSON inside a <script>: these three occur in strings alone, where an escape says the same, and without them
 * no text can end the element. */
static int put_escaped(const char *text, size_t size, void *user)
{
    buffer *b = user;
    size_t from = 0;
    for (size_t i = 0; i < size; i++) {
        const char *escape = text[i] == '<'   ? "\\u003c"
                             : text[i] == '>' ? "\\u003e"
                             : text[i] == '&' ? "\\u0026"
                                              : NULL;
        if (!escape) continue;
        if (put(b, text + from, i - from) != 0 || put(b, escape, 6) != 0) return -1;
        from = i + 1;
    }
    return put(b, text + from, size - from);
}

int pn_cli_document_has_page(void)
{
    return 1;
}

char *pn_cli_document_page(const cli_document *doc, size_t *size)
{
    buffer b = {NULL, 0, 0};
    if (doc && !doc->failed && put(&b, pn_cli_page_head, pn_cli_page_head_size) == 0 &&
        json_dump_callback(doc->root, put_escaped, &b, JSON_COMPACT | JSON_ENSURE_ASCII) == 0 &&
        put(&b, pn_cli_page_tail, pn_cli_page_tail_size) == 0) {
        *size = b.size;
        return b.text;
    }
    free(b.text);
    return NULL;
}

#else

int pn_cli_document_has_page(void)
{
    return 0;
}

char *pn_cli_document_page(const cli_document *doc, size_t *size)
{
    (void)doc, (void)size;
    return NULL;
}

#endif

int pn_cli_document_available(const char *command)
{
    if (pn_cli_document_has_page()) return CLI_DONE;
    pn_cli_report(command,
                  "this build has no report page: node and npm were not there, or -DPINION_REPORT=OFF was "
                  "given when it was made");
    return CLI_FAILED;
}

int pn_cli_document_write(const char *command, const cli_document *doc, const char *path)
{
    if (pn_cli_document_available(command) != CLI_DONE) return CLI_FAILED;
    size_t size = 0;
    char *text = pn_cli_document_page(doc, &size);
    int status = CLI_FAILED;
    pinion_error err = {PINION_OK, 0, 0, ""};
    if (!text)
        pn_cli_report(command, "out of memory for the report");
    else if (pinion_write_file(path, text, size, &err) == PINION_OK)
        status = CLI_DONE;
    else
        pn_cli_report(command, "%s", err.message[0] ? err.message : pinion_status_text(err.status));
    free(text);
    return status;
}
