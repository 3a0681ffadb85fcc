/* Subjects for tests of algorithms: random models of chosen joints, and the robots that lie beside the
 * repository, each on a fixed and on a free root. */
#ifndef PN_REGISTRY_SHARED_H
#define PN_REGISTRY_SHARED_H

#include "identity/identity.h"
#include "models.h"

/* Chains and trees of up to 12 joints of each choice, with rotors; every fifth with a joint that follows, if that
 * is asked for. */
static inline void for_every_joint(int states, int followers, subject_check check)
{
    uint64_t seed = check_seed;
    for (int kinds = 0; kinds < KINDS; kinds++)
        for (int serial = 0; serial < 2; serial++)
            for (int joints = 1; joints <= 12; joints++) {
                subject s;
                char name[100];
                const int follows = followers && joints % 5 == 4;
                pinion_model *m = random_model((joint_kinds)kinds, joints, serial, follows, &seed);
                if (!m) continue; /* said there */
                snprintf(name, sizeof name, "%s of %d joints, %s%s", serial ? "chain" : "tree", joints,
                         kind_names[kinds], follows ? ", the last one following" : "");
                subject_init(&s, m, name, seed);
                check_states(&s, states, check);
                subject_free(&s);
            }
}

#ifdef PINION_IO
#include <dirent.h>

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

#ifdef PINION_IO
#define TEST_ON_SHARED(check)                                                                                \
    TEST(shared_robots)                                                                                      \
    {                                                                                                        \
        if (!for_shared_robots(2, check)) SKIP("PINION_SHARED is not set or has no folder `robots`");        \
    }
#define RUN_ON_SHARED() RUN(shared_robots)
#else
#define TEST_ON_SHARED(check)
#define RUN_ON_SHARED() ((void)0)
#endif

/* What every algorithm of a problem is tried on, as tests of their own. */
#define TESTS_ON_MODELS(check, chain_seeds, tree_seeds, tree_states, bundled_states)                         \
    TEST(chains)                                                                                             \
    {                                                                                                        \
        for_random_chains(chain_seeds, 2, check);                                                            \
    }                                                                                                        \
    TEST(trees_on_fixed_and_free_bases)                                                                      \
    {                                                                                                        \
        for_random_trees(tree_seeds, tree_states, check);                                                    \
    }                                                                                                        \
    TEST(bundled_robots)                                                                                     \
    {                                                                                                        \
        for_bundled_models(bundled_states, check);                                                           \
    }                                                                                                        \
    TEST_ON_SHARED(check)

#define RUN_ON_MODELS()                                                                                      \
    do {                                                                                                     \
        RUN(chains);                                                                                         \
        RUN(trees_on_fixed_and_free_bases);                                                                  \
        RUN(bundled_robots);                                                                                 \
        RUN_ON_SHARED();                                                                                     \
    } while (0)

#endif
