/* The part of identity.h that needs loaders. */
#ifndef PN_BUNDLED_H
#define PN_BUNDLED_H

/* the models in the folder that PINION_MODELS names, each in some random states */
static inline void for_bundled_models(int states, subject_check check)
{
    static const char *const files[] = {"stanford.json", "planar-3r.json", "puma560-corke.json",
                                        "puma560-akb.json", "arm-6dof.json"};
    const char *folder = getenv("PINION_MODELS");
    for (size_t i = 0; folder && i < sizeof files / sizeof *files; i++) {
        char path[1024];
        pinion_error err = {0};
        snprintf(path, sizeof path, "%s/%s", folder, files[i]);
        pinion_model *m = pinion_load(path, NULL, &err);
        if (!m) CHECK_FAIL("%s: %s", path, err.message);
        if (!m) continue;
        subject s;
        subject_init(&s, m, files[i], check_seed + i);
        check_states(&s, states, check);
        subject_free(&s);
    }
}

#endif
