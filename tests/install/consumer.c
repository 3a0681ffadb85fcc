/* A stranger's program: a pendulum of a 2 kg point mass on 0.5 m, held level. */
#include <math.h>
#include <stdio.h>

#include <pinion/pinion.h>

int main(void)
{
    pinion_error err;
    pinion_builder *b = pinion_builder_new("pendulum");
    pinion_link_def base = pinion_link_def_default();
    base.name = "base";
    pinion_link_def bob = pinion_link_def_default();
    bob.name = "bob";
    bob.inertia.mass = 2;
    bob.inertia.com[0] = 0.5;
    pinion_joint_def hinge = pinion_joint_def_default();
    hinge.name = "hinge";
    hinge.type = PINION_JOINT_REVOLUTE;
    hinge.parent = "base";
    hinge.child = "bob";
    hinge.axis[0] = 0;
    hinge.axis[1] = -1; /* a positive angle lifts the bob */
    hinge.axis[2] = 0;
    if (!b || pinion_builder_add_link(b, &base, &err) || pinion_builder_add_link(b, &bob, &err) ||
        pinion_builder_add_joint(b, &hinge, &err))
        return 1;
    pinion_model *m = pinion_builder_build(b, NULL, &err);
    if (!m) {
        printf("%s\n", err.message);
        return 1;
    }

    double q = 0, tau = 0;
    pinion_work *w = pinion_work_new(m);
    if (!w || pinion_gravity(m, w, &q, &tau)) return 1;
    printf("pinion %s: %g N m\n", pinion_version(), tau);

    pinion_work_free(w);
    pinion_model_free(m);
    pinion_builder_free(b);
    return fabs(tau - 2 * 9.81 * 0.5) < 1e-12 ? 0 : 1;
}
