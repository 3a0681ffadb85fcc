/* One of the bundled models, from the folder that PINION_MODELS names. */
#ifndef THREADS_BUNDLED_MODEL_H
#define THREADS_BUNDLED_MODEL_H

#include "pinion/io.h"

static pinion_model *bundled_model(const char *name)
{
    const char *folder = getenv("PINION_MODELS");
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder ? folder : "models", name);
    return pinion_load(path, NULL, NULL);
}

#endif
