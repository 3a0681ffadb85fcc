/* The parallel prefix of scan.inc gives the poses, velocities and velocity-product accelerations that the recursion
 * from the base outwards gives, on chains and trees of any length and depth, every joint type among them. */
#include "backend.h"

#include "real/real_f64.h"
#include "kernel/forward_dynamics/logn/scan.inc"

#define NEAR 1e-11

/* the largest difference, relative to the size of what is compared */
static double apart(const double *x, const double *y, int count)
{
    double worst = 0, size = 1;
    for (int i = 0; i < count; i++) {
        const double d = fabs(x[i] - y[i]);
        if (!(d <= worst)) worst = d;
        if (fabs(y[i]) > size) size = fabs(y[i]);
    }
    return worst / size;
}

/* one model and state: the worst difference of any body */
static double scan_error(const pinion_model *m, const state *x)
{
    void *work = calloc(all_reals(m), sizeof(double));
    const pn_ctx k = pn_context(m, sizeof(double), work);
    const sys s = open_system(&k);
    relative *motion = calloc((size_t)s.N, sizeof *motion);
    relative_turn *turn = calloc((size_t)s.N, sizeof *turn);
    double(*v)[6] = calloc((size_t)s.N, sizeof *v), (*a)[6] = calloc((size_t)s.N, sizeof *a);
    int *jump = calloc((size_t)s.N, sizeof *jump);
    double worst = 0;
    (void)k_frames; /* comes with the poses */
    joint_displacements(&s, x->q);
    scan_motions(&s, x->v, x->a, jump, motion);
    scan_turnings(&s, x->v, jump, turn);

    /* outwards: a = X a_p + S qdd + v x S qd, from a base at rest in its own frame */
    body_poses(&s);
    for (int e = 0; e < 9; e++) s.W[0].R[e] = e % 4 == 0;
    for (int e = 0; e < 3; e++) s.W[0].p[e] = 0;
    for (int i = 1; i < s.N; i++) {
        const pn_node *n = &s.node[i];
        body_pose(&s, i);
        copy6(v[n->parent], v[i]);
        copy6(a[n->parent], a[i]);
        motion_to_child(&s, i, v[i]);
        motion_to_child(&s, i, a[i]);
        add_joint_motion(&s, i, x->v + n->v, v[i]);
        add_joint_motion(&s, i, x->a + n->v, a[i]);
        add_joint_product(&s, i, v[i], x->v + n->v, a[i]);
        worst = fmax(worst, apart(motion[i].X.R, s.W[i].R, 9));
        worst = fmax(worst, apart(motion[i].X.p, s.W[i].p, 3));
        worst = fmax(worst, apart(motion[i].v, v[i], 6));
        worst = fmax(worst, apart(motion[i].a, a[i], 6));
        worst = fmax(worst, apart(turn[i].R, s.W[i].R, 9));
        worst = fmax(worst, apart(turn[i].w, v[i], 3));
    }
    free(motion);
    free(turn);
    free(v);
    free(a);
    free(jump);
    free(work);
    return worst;
}

TEST(the_scan_gives_what_the_recursion_gives)
{
    uint64_t seed = check_seed;
    double worst = 0;
    for (int i = 0; i < 120; i++) {
        pinion_error err = {0};
        pinion_model *m = i % 2 ? pinion_random_tree(1 + i % 67, i % 4 == 1, check_seed + (uint64_t)i, &err)
                                : pinion_random_chain(1 + i % 67, check_seed + (uint64_t)i, &err);
        CHECK(m != NULL);
        if (!m) continue;
        if (!m->n.followers) {
            state x = state_new(m, &seed);
            const double error = scan_error(m, &x);
            worst = fmax(worst, error);
            check_count++;
            if (!(error <= NEAR)) CHECK_FAIL("model %d: apart by %.3g", i, error);
            free(x.q);
        }
        pinion_model_free(m);
    }
    printf("       apart by at most %.3g\n", worst);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(the_scan_gives_what_the_recursion_gives);
    return CHECK_END();
}
