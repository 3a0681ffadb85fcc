/* What kernels use of their workspace, for those that most robots are generated with. The records are the kernels' own,
 * so their sizes are the compiler's; a part that is missing here is one that tests/codegen writes past the end of. */
#pragma GCC diagnostic ignored "-Wunused-function"
#include "real/real_f64.h"
#include "kernel/problems.inc"
#include "kernel/algorithms_default.inc"
#include "kernel/state/gravity.inc"
#include "kernel/state/motion.inc"

#include "codegen/rolled/rolled.h"

enum { POSES = PN_PART_POSES, BLOCKS = PN_PART_BLOCKS, COLUMNS = PN_PART_COLUMNS, MATRICES = PN_PART_MATRICES };

#define REALS(type) (sizeof(type) / sizeof(real))

static const pn_rolled_needs known[] = {
    {PN_K_rnea, 0, REALS(rnea_body), 0, 0},
    {PN_K_aba, BLOCKS, REALS(aba_body), 0, 0},
    {PN_K_crba, COLUMNS | MATRICES, REALS(inertia), 0, 0},
    {PN_K_followers_fd, COLUMNS | MATRICES, REALS(rnea_body), 0, 0},
    {PN_K_gravity, 0, REALS(gravity_body), 0, 0},
    {PN_K_energy, POSES, REALS(motion_body), 0, 1},
    {PN_K_center, POSES, REALS(motion_body), 0, 0},
    {PN_K_momentum, POSES, REALS(motion_body), 0, 0},
    {PN_K_velocity, POSES, REALS(motion_body), 1, 0},
    {PN_K_acceleration, POSES, REALS(motion_body), 1, 0},
    {PN_K_frames, POSES, REALS(triad), 1, 0},
    {PN_K_jacobian, 0, REALS(triad), 1, 0},
    {PN_K_passive, 0, 0, 0, 1},
};

pn_rolled_needs pn_rolled_needs_of(int kernel)
{
    pn_rolled_needs all = {kernel, PN_PART_ALL, PN_BODY_REALS, 1, 1};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].kernel == kernel) return known[i];
    /* algorithms know no passive elements, and frames in the operational space alone */
    if (kernel >= PN_FIRST_ALGORITHM) {
        all.frames = pn_algorithms[kernel - PN_FIRST_ALGORITHM].problem == PN_PROBLEM_operational_space;
        all.dofs = 0;
    }
    return all;
}
