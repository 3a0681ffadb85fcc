/* A stranger's program with the simulation library: a 1 kg block falls for a second. */
#include <math.h>
#include <stdio.h>

#include <pinion/sim/sim.h>

static int fall(const pinion_model *m)
{
    pinion_error err;
    double z = 0;
    pinion_sim *s = pinion_sim_new(m, NULL, &err);
    if (!s) {
        printf("%s\n", err.message);
        return 1;
    }
    pinion_sim_state state = {0};
    state.q = &z;
    if (pinion_sim_start(s, 0, &z, NULL) || pinion_sim_advance(s, 1) || pinion_sim_get(s, &state)) return 1;
    printf("after %g s at %.12g m\n", state.t, z);
    pinion_sim_free(s);
    return fabs(z + 9.81 / 2) < 1e-9 ? 0 : 1;
}

int main(void)
{
    pinion_builder *b = pinion_builder_new("block");
    pinion_link_def base = pinion_link_def_default(), block = pinion_link_def_default();
    base.name = "base";
    block.name = "block";
    block.inertia.mass = 1;
    pinion_joint_def rail = pinion_joint_def_default();
    rail.name = "rail";
    rail.type = PINION_JOINT_PRISMATIC;
    rail.parent = "base";
    rail.child = "block";
    if (!b || pinion_builder_add_link(b, &base, NULL) || pinion_builder_add_link(b, &block, NULL) ||
        pinion_builder_add_joint(b, &rail, NULL))
        return 1;
    pinion_model *m = pinion_builder_build(b, NULL, NULL);
    int failed = m ? fall(m) : 1;
    pinion_model_free(m);
    pinion_builder_free(b);
    return failed;
}
