/* Functions of a run that a shared object has. */
#define _DEFAULT_SOURCE /* dlopen in C11 */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "sweep/plan/sweep_plan.h"

/* A path without a slash would be looked for in the system's folders. */
char *pn_plan_plugin_path(const pinion_sweep *s, const pn_kept *k)
{
    const size_t length = (size_t)(strrchr(k->plugin, ':') - k->plugin), room = length + 3;
    char *file = malloc(room);
    if (!file) return NULL;
    snprintf(file, room, "%.*s", (int)length, k->plugin);
    char *path = pn_plan_path(s, file);
    if (path && !strchr(path, '/')) {
        snprintf(file, room, "./%.*s", (int)length, k->plugin);
        free(path);
        return file;
    }
    free(file);
    return path;
}

static pinion_status load(pinion_sweep *s, pn_kept *k, pinion_error *err)
{
    char *path = pn_plan_plugin_path(s, k);
    if (!path) return pn_error_set(err, PINION_ERR_MEMORY, NULL, 0, 0, "out of memory");
    const char *name = strrchr(k->plugin, ':') + 1;
    k->object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    void *symbol = k->object ? dlsym(k->object, name) : NULL;
    free(path);
    if (!symbol)
        return pn_error_set(err, PINION_ERR_NOT_FOUND, s->file, k->line, 0, "keep \"%.60s\": %.300s", k->name,
                            dlerror());
    memcpy(&k->function, &symbol, sizeof k->function); /* POSIX has both of one size */
    return PINION_OK;
}

pinion_status pinion_sweep_load_plugins(pinion_sweep *s, pinion_error *err)
{
    if (!s) return pn_error_set(err, PINION_ERR_ARGUMENT, NULL, 0, 0, "the plan is missing");
    pinion_status status = PINION_OK;
    for (int i = 0; i < s->kept_count && status == PINION_OK; i++)
        if (s->kept[i].plugin && !s->kept[i].function) status = load(s, &s->kept[i], err);
    return status;
}

pinion_status pinion_sweep_set_function(pinion_sweep *s, int scalar, pinion_sweep_function function, void *user)
{
    if (!s || !function || scalar < 0 || scalar >= s->kept_count || !s->kept[scalar].plugin)
        return PINION_ERR_ARGUMENT;
    s->kept[scalar].function = function;
    s->kept[scalar].user = user;
    return PINION_OK;
}

const pn_kept *pn_plan_missing(const pinion_sweep *s)
{
    for (int i = 0; i < s->kept_count; i++)
        if (s->kept[i].plugin && !s->kept[i].function) return &s->kept[i];
    return NULL;
}

void pn_plan_plugins_free(pinion_sweep *s)
{
    for (int i = 0; i < s->kept_count; i++) {
        if (s->kept[i].object) dlclose(s->kept[i].object);
        free(s->kept[i].plugin);
    }
}
