/* Models of the native format from text. FILE_NAME, which messages start with, is defined before. */
#ifndef IO_JSON_TEXT_H
#define IO_JSON_TEXT_H

#include "pinion/pinion.h"
#include "support/check.h"

static pinion_model *load(const char *text, pinion_error *err)
{
    memset(err, 0, sizeof *err);
    return pinion_load_string(text, strlen(text), PINION_FORMAT_JSON, FILE_NAME, NULL, err);
}

/* Loads what must load. */
static pinion_model *must_load(const char *text)
{
    pinion_error err;
    pinion_model *m = load(text, &err);
    if (!m) CHECK_FAIL("does not load: %s", err.message);
    return m;
}

#endif
