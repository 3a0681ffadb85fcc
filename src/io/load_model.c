/* Model files in and out: which format a text is in. */
#include "base/file.h"
#include "io/losses.h"
#include "pinion/elastic.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------------------------------------
 * Loading */

/* Skips a UTF-8 byte order mark. */
static size_t mark_length(const char *text, size_t size)
{
    return size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
}

/* Whether a text starts with an element. */
static int is_element(const char *s, const char *name)
{
    const size_t length = strlen(name);
    return strncmp(s, name, length) == 0 && strchr(" \t\r\n/>", s[length]);
}

/* Of XML, by its outermost element: URDF, whose reader says what it is, unless it is one that is known. */
static pinion_format format_of_xml(const char *s)
{
    for (; s; s = strchr(s, '<')) {
        const char *end = strncmp(s, "<!--", 4) == 0 ? "-->" : s[1] == '?' || s[1] == '!' ? ">" : NULL;
        if (!end)
            return is_element(s, "<mujoco") ? PINION_FORMAT_MJCF
                   : is_element(s, "<sdf")  ? PINION_FORMAT_SDF
                                            : PINION_FORMAT_URDF;
        s = strstr(s + 1, end);
        if (!s) break;
    }
    return PINION_FORMAT_URDF;
}

/* By the first byte that is not white space; AUTO when it starts no format. */
static pinion_format format_of(const char *text, size_t size, int *first)
{
    size_t i = 0;
    while (i < size && (text[i] == ' ' || text[i] == '\t' || text[i] == '\r' || text[i] == '\n')) i++;
    *first = i < size ? (unsigned char)text[i] : -1;
    return *first == '<' ? format_of_xml(text + i) : *first == '{' ? PINION_FORMAT_JSON : PINION_FORMAT_AUTO;
}

/* Reads a text that ends with '\0' behind `size` bytes. `folder`: as pn_mjcf_read has it. */
static pinion_model *load_text(const char *text, size_t size, pinion_format format, const char *name,
                               const char *folder, const pinion_load_options *options, pinion_error *err)
{
    size_t mark = mark_length(text, size);
    text += mark;
    size -= mark;
    int first;
    pinion_format found = format_of(text, size, &first);
    if (first < 0) {
        pn_error_set(err, PINION_ERR_PARSE, name, 0, 0,
                     "there is nothing in it; expected a URDF, MJCF, SDF or JSON model");
        return NULL;
    }

    /* no format allows a zero byte, and to C it would look like the end */
    const char *zero = memchr(text, '\0', size);
    if (zero) {
        int line = 1;
        for (const char *s = text; s < zero; s++) line += *s == '\n';
        pn_error_set(err, PINION_ERR_PARSE, name, line, 0, "a zero byte; expected text in UTF-8");
        return NULL;
    }
    if (format == PINION_FORMAT_AUTO) format = found;
    if (options && options->srdf && format != PINION_FORMAT_URDF) {
        pn_error_set(err, PINION_ERR_ARGUMENT, name, 0, 0,
                     "the model is not URDF; expected that where an SRDF file is given");
        return NULL;
    }
    if (format == PINION_FORMAT_URDF) return pn_urdf_read(text, size, name, options, err);
    if (format == PINION_FORMAT_MJCF) return pn_mjcf_read(text, size, name, folder, options, err);
    if (format == PINION_FORMAT_SDF) return pn_sdf_read(text, size, name, folder, options, err);
    if (format == PINION_FORMAT_JSON) return pn_json_read(text, size, name, options, err);
    char shown[16];
    snprintf(shown, sizeof shown, first > 0x20 && first < 0x7f ? "'%c'" : "byte 0x%02x", first);
    pn_error_set(
        err, PINION_ERR_PARSE, name, 1, 0,
        "it starts with %s, so it is no model; expected URDF, MJCF or SDF, which start with '<', or JSON, with '{'",
        shown);
    return NULL;
}

pinion_model *pinion_load(const char *path, const pinion_load_options *options, pinion_error *err)
{
    if (!path || !*path) {
        pn_error_set(err, PINION_ERR_ARGUMENT, NULL, 0, 0, "no file to load was named; expected a path");
        return NULL;
    }
    size_t size = 0;
    char *text = pn_file_read(path, PN_SIZE_MAX, "a model", &size, err);
    if (!text) return NULL;
    const char *slash = strrchr(path, '/');
    char *folder = strdup(path);
    if (folder) folder[slash ? slash - path + 1 : 0] = '\0';
    pinion_model *m = folder ? load_text(text, size, PINION_FORMAT_AUTO, path, folder, options, err) : NULL;
    if (!folder) pn_error_set(err, PINION_ERR_MEMORY, path, 0, 0, "out of memory");
    free(folder);
    free(text);
    return m;
}

pinion_model *pinion_load_string(const char *text, size_t size, pinion_format format, const char *name,
                                 const pinion_load_options *options, pinion_error *err)
{
    if (!name) name = "<string>";
    if (!text ||
        (format != PINION_FORMAT_AUTO && format != PINION_FORMAT_URDF && format != PINION_FORMAT_JSON &&
         format != PINION_FORMAT_MJCF && format != PINION_FORMAT_SDF)) {
        pn_error_set(err, PINION_ERR_ARGUMENT, name, 0, 0, "%s",
                     text ? "the format is none; expected one of pinion_format"
                          : "no text to load; expected a string");
        return NULL;
    }
    if (size > PN_SIZE_MAX) {
        pn_error_set(err, PINION_ERR_FILE, name, 0, 0, "too large to be a model; expected at most %d MiB",
                     (int)(PN_SIZE_MAX >> 20));
        return NULL;
    }

    /* a copy, so that the readers may rely on a '\0' at the end */
    char *copy = malloc(size + 1);
    if (!copy) {
        pn_error_set(err, PINION_ERR_MEMORY, name, 0, 0, "out of memory");
        return NULL;
    }
    memcpy(copy, text, size);
    copy[size] = '\0';
    pinion_model *m = load_text(copy, size, format, name, NULL, options, err);
    free(copy);
    return m;
}

/* ---------------------------------------------------------------------------------------------
 * Saving */

/* With `told` what the format has no words for is left out and told; without it is an error where it would change the
 * motion. */
static char *save_text(const pinion_model *m, pinion_format format, char **told, pinion_error *err)
{
    pinion_error local;
    if (told) *told = NULL;
    if (!m || format <= PINION_FORMAT_AUTO || format > PINION_FORMAT_SDF) {
        pn_error_set(err, PINION_ERR_ARGUMENT, NULL, 0, 0, "%s",
                     m ? "the format to write was not named; expected URDF, MJCF, SDF or JSON" : "no model to write");
        return NULL;
    }
    if (format == PINION_FORMAT_JSON) return pn_json_write(m, err);
    if (pinion_model_elastic_count(m)) {
        pn_error_set(err, PINION_ERR_UNSUPPORTED, NULL, 0, 0,
                     "the model has elastic links, which URDF, MJCF and SDF have no words for; expected JSON");
        return NULL;
    }
    const int mjcf = format == PINION_FORMAT_MJCF, urdf = format == PINION_FORMAT_URDF;
    pn_losses losses = {.format = mjcf ? "MJCF" : urdf ? "URDF" : "SDF", .strict = !told};
    losses.err = err ? err : &local;
    char *text = mjcf ? pn_mjcf_write(m, &losses) : urdf ? pn_urdf_write(m, &losses) : pn_sdf_write(m, &losses);
    if (!text || !told || !losses.kinds) return text;
    *told = pn_losses_told(&losses);
    if (*told) return text;
    pn_error_set(err, PINION_ERR_MEMORY, NULL, 0, 0, "out of memory");
    free(text);
    return NULL;
}

char *pinion_save_string(const pinion_model *m, pinion_format format, pinion_error *err)
{
    return save_text(m, format, NULL, err);
}

char *pinion_save_string_telling(const pinion_model *m, pinion_format format, char **told, pinion_error *err)
{
    char *lines = NULL, *text = save_text(m, format, &lines, err);
    if (told)
        *told = lines;
    else
        free(lines);
    return text;
}

pinion_status pinion_save(const pinion_model *m, const char *path, pinion_format format, pinion_error *err)
{
    if (!m || !path || !*path) {
        pn_error_set(err, PINION_ERR_ARGUMENT, NULL, 0, 0,
                     m ? "no file to write was named; expected a path" : "no model to write");
        return PINION_ERR_ARGUMENT;
    }
    if (format == PINION_FORMAT_AUTO) {
        if (pn_file_has_extension(path, ".urdf") || pn_file_has_extension(path, ".xml"))
            format = PINION_FORMAT_URDF;
        else if (pn_file_has_extension(path, ".json"))
            format = PINION_FORMAT_JSON;
        else if (pn_file_has_extension(path, ".mjcf"))
            format = PINION_FORMAT_MJCF;
        else if (pn_file_has_extension(path, ".sdf"))
            format = PINION_FORMAT_SDF;
        else {
            pn_error_set(err, PINION_ERR_ARGUMENT, path, 0, 0,
                         "its name does not tell the format; expected .urdf, .xml, .mjcf, .sdf or .json");
            return PINION_ERR_ARGUMENT;
        }
    }

    /* the whole text first: nothing is touched when the model cannot be written */
    pinion_error local;
    if (!err) err = &local;
    char *text = pinion_save_string(m, format, err);
    if (!text) return err->status;
    pinion_status status = pinion_write_file(path, text, strlen(text), err);
    free(text);
    return status;
}
