/* A robot picks up a load, is told where its tool now ends, and is put on the Moon, all without reloading:
 * a model is never changed under its users, so a copy is edited, and the workspace fits both. */
#include <math.h>
#include <stdio.h>

#include <pinion/pinion.h>

enum { JOINTS = 6 };

static void print(const char *what, const double *tau)
{
    printf("%-22s", what);
    for (int i = 0; i < JOINTS; i++) printf(" %9.4f", tau[i]);
    puts("");
}

int main(void)
{
    pinion_error err;
    pinion_model *m = pinion_random_chain(JOINTS, 3, &err);
    pinion_model *loaded = m ? pinion_model_copy(m) : NULL;
    pinion_work *w = m ? pinion_work_new(m) : NULL;
    if (!loaded || !w) {
        puts(m ? "out of memory" : err.message);
        pinion_work_free(w);
        pinion_model_free(loaded);
        pinion_model_free(m);
        return 1;
    }

    double q[JOINTS], before[JOINTS], with[JOINTS], moon[JOINTS], after[JOINTS], J[6][JOINTS];
    const int last = pinion_model_link_count(m) - 1;
    int bad = pinion_random(m, 5, q) || pinion_gravity(m, w, q, before);

    /* 2 kg, concentrated 0.1 m out on z of the last link, from now on, in the copy alone */
    const pinion_inertia load = {2, {0, 0, 0.1}, {0, 0, 0, 0, 0, 0}};
    bad = bad || pinion_model_set_payload(loaded, last, &load) || pinion_gravity(loaded, w, q, with);

    /* the same on the Moon; then the load is put down, back on Earth */
    const double on_moon[3] = {0, 0, -1.62}, on_earth[3] = {0, 0, -9.81};
    const pinion_inertia nothing = {0, {0, 0, 0}, {0, 0, 0, 0, 0, 0}};
    bad = bad || pinion_model_set_gravity(loaded, on_moon) || pinion_gravity(loaded, w, q, moon);
    bad = bad || pinion_model_set_gravity(loaded, on_earth) ||
          pinion_model_set_payload(loaded, last, &nothing) || pinion_gravity(loaded, w, q, after);

    /* what the load must cost, by the Jacobian of the link: -J' [moment; weight] about its origin */
    double p[3], R[9], worst = 0;
    bad = bad || pinion_frame_pose(m, w, q, last, p, R) ||
          pinion_jacobian(m, w, q, last, PINION_REFERENCE_WORLD_ALIGNED, &J[0][0]);
    if (bad) {
        puts(pinion_work_message(w));
    } else {
        /* the load beside the link's origin, and its weight along the world's z */
        const double r[2] = {0.1 * R[2], 0.1 * R[5]}, weight = -2 * 9.81;
        for (int i = 0; i < JOINTS; i++) {
            const double cost = -(J[0][i] * r[1] * weight - J[1][i] * r[0] * weight + J[5][i] * weight);
            worst = fmax(worst, fabs(with[i] - before[i] - cost));
            worst = fmax(worst, fabs(moon[i] - with[i] * 1.62 / 9.81));
            worst = fmax(worst, fabs(after[i] - before[i]));
        }
        print("alone", before);
        print("with 2 kg", with);
        print("with 2 kg on the Moon", moon);
        print("alone again", after);
    }

    pinion_work_free(w);
    pinion_model_free(loaded);
    pinion_model_free(m);
    return !bad && worst < 1e-11 ? 0 : 1;
}
