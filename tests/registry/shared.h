/* The robots that lie beside the repository, as subjects, each on a fixed and on a free root. */
#ifndef PN_REGISTRY_SHARED_H
#define PN_REGISTRY_SHARED_H
#ifdef PINION_IO

#include <dirent.h>
#include "identity/identity.h"

/* Returns how many files there were; 0 where PINION_SHARED does not name a folder with robots. */
static inline int for_shared_robots(int states, subject_check check)
{
    const char *shared = getenv("PINION_SHARED");
    char path[2048];
    int files = 0;
    snprintf(path, sizeof path, "%s/robots", shared ? shared : "");
    DIR *folder = shared ? opendir(path) : NULL;
    for (struct dirent *file; folder && (file = readdir(folder));) {
        const size_t length = strlen(file->d_name);
        if (length < 5 || strcmp(file->d_name + length - 5, ".urdf") != 0) continue;
        files++;
        for (int root = 0; root < 2; root++) {
            pinion_load_options options = pinion_load_options_default();
            pinion_error err = {0};
            char name[128];
            options.root = root ? PINION_ROOT_FREE : PINION_ROOT_FIXED;
            snprintf(path, sizeof path, "%s/robots/%s", shared, file->d_name);
            snprintf(name, sizeof name, "%.100s%s", file->d_name, root ? ", free" : "");
            pinion_model *m = pinion_load(path, &options, &err);
            if (!m) CHECK_FAIL("%s", err.message);
            if (!m) continue;
            subject s;
            subject_init(&s, m, name, check_seed);
            if (s.nv > 0) check_states(&s, states, check);
            subject_free(&s);
        }
    }
    if (folder) closedir(folder);
    return files;
}

#endif
#endif
