/* Direct kinematics alone, the same code that the algorithms in base coordinates begin with. */
#include "real/real_f64.h"
#include "kernel/crba_absolute.inc"
#include "bench.h"

void bench_kinematics(const pn_ctx *k, const pn_io *io)
{
    const sys s = open_system(k);
    joint_displacements(&s, (const real *)io->q);
    crba_absolute_poses(&s);
}
