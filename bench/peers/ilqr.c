// examples/ilqr.c as it is, with every joint independent: ilqr DESCRIPTION STATES MODEL fixed|free. With PEER_DYNAMICS
// forward dynamics and its derivatives are another library's, in Pinion's coordinates; peer_ilqr is its main then.
#ifdef PEER_DYNAMICS
#define pinion_forward_dynamics peer_forward_dynamics
#define pinion_d_forward_dynamics peer_d_forward_dynamics
#endif
#define main example
#include "../../examples/ilqr.c"
#undef main

int peer_ilqr(const char *path, const char *base);
int peer_ilqr(const char *path, const char *base)
{
    pinion_error err;
    pinion_load_options options = pinion_load_options_default();
    const int flying = strcmp(base, "free") == 0;
    options.mimic = PINION_MIMIC_INDEPENDENT;
    options.root = flying ? PINION_ROOT_FREE : PINION_ROOT_FIXED;
    return !run(pinion_load(path, &options, &err), flying);
}

#ifndef PEER_DYNAMICS
int main(int argc, char **argv)
{
    return argc == 5 ? peer_ilqr(argv[3], argv[4]) : 1;
}
#endif
