/* A falling cat turns over with nothing to push against. Two equal halves are joined at the spine by a universal joint;
 * the bend between them goes round once, and the cat has the shape it had and another attitude. Angular momentum is
 * zero all the time, so its attitude is a matter of geometry: the holonomy of the loop in the space of shapes.
 *
 * That integral is computed here from the two halves' own numbers, and the size of the bend is chosen by it so that one
 * round makes half a turn. A simulation of the dynamics, in which motors in the spine do the bending and gravity pulls
 * the cat down, then ends in the same attitude. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <pinion/sim/sim.h>

/* made up: two cylinders of 2 kg */
static const double mass = 2, reach = 0.15, moments[3] = {0.012, 0.012, 0.004};
static const double pi = 3.14159265358979323846, period = 0.5; /* s: a fall of 1.2 m */

/* ---- the geometry: angular momentum zero, by hand ---- */

static void cross(const double a[3], const double b[3], double y[3])
{
    for (int i = 0; i < 3; i++) y[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

/* x with A x = b, by Cramer's rule */
static void solve(double A[3][3], const double b[3], double x[3])
{
    double c[3][3], det = 0;
    for (int i = 0; i < 3; i++) cross(A[(i + 1) % 3], A[(i + 2) % 3], c[i]);
    for (int i = 0; i < 3; i++) det += A[0][i] * c[0][i];
    for (int i = 0; i < 3; i++) x[i] = (c[0][i] * b[0] + c[1][i] * b[1] + c[2][i] * b[2]) / det;
}

/* Angular velocity of the rear half, in its own axes, while the spine's angles a about x and b about the turned y move
 * at rates da and db: (I_1 + I_2 + mu (d^2 - d d')) w = - I_2 w_r - mu d x (w_r x c_2), with mu the reduced mass and d
 * from one centre of mass to the other. */
static void follow(double a, double b, double da, double db, double w[3])
{
    const double R[3][3] = {{cos(b), 0, sin(b)},
                            {sin(a) * sin(b), cos(a), -sin(a) * cos(b)},
                            {-cos(a) * sin(b), sin(a), cos(a) * cos(b)}};
    const double turn[3] = {da, db * cos(a), db * sin(a)}, c[3] = {reach * R[0][2], reach * R[1][2], reach * R[2][2]};
    const double d[3] = {c[0], c[1], c[2] + reach}, dd = d[0] * d[0] + d[1] * d[1] + d[2] * d[2], mu = mass / 2;
    double A[3][3], momentum[3], moved[3], arm[3];
    cross(turn, c, moved);
    cross(d, moved, arm);
    for (int i = 0; i < 3; i++) {
        momentum[i] = -mu * arm[i];
        for (int j = 0; j < 3; j++) {
            double I2 = 0;
            for (int k = 0; k < 3; k++) I2 += R[i][k] * moments[k] * R[j][k];
            momentum[i] -= I2 * turn[j];
            A[i][j] = I2 - mu * d[i] * d[j] + (i == j ? moments[i] + mu * dd : 0);
        }
    }
    solve(A, momentum, w);
}

static void quaternion_rate(double size, double x, const double Q[4], double y[4])
{
    double w[3];
    follow(size * cos(x), size * sin(x), -size * sin(x), size * cos(x), w);
    y[0] = -0.5 * (Q[1] * w[0] + Q[2] * w[1] + Q[3] * w[2]);
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        y[1 + i] = 0.5 * (Q[0] * w[i] + Q[1 + j] * w[k] - Q[1 + k] * w[j]);
    }
}

/* The attitude after one round of a bend of that size, and its angle. */
static double holonomy(double size, double Q[4])
{
    enum { STEPS = 4000 };
    const double h = 2 * pi / STEPS;
    Q[0] = 1, Q[1] = Q[2] = Q[3] = 0;
    for (int n = 0; n < STEPS; n++) {
        static const double at[4] = {0, 0.5, 0.5, 1}, weight[4] = {1, 2, 2, 1};
        double k[4] = {0}, sum[4] = {0}, y[4];
        for (int s = 0; s < 4; s++) {
            for (int i = 0; i < 4; i++) y[i] = Q[i] + at[s] * h * k[i];
            quaternion_rate(size, (n + at[s]) * h, y, k);
            for (int i = 0; i < 4; i++) sum[i] += weight[s] * k[i];
        }
        for (int i = 0; i < 4; i++) Q[i] += h / 6 * sum[i];
    }
    return 2 * atan2(sqrt(Q[1] * Q[1] + Q[2] * Q[2] + Q[3] * Q[3]), Q[0]);
}

/* The bend, from straight on, whose round makes half a turn. */
static double half_turn(double Q[4])
{
    double low = 0, high = pi / 2 - 0.05;
    if (holonomy(high, Q) < pi) return -1;
    for (int i = 0; i < 60; i++) {
        const double middle = (low + high) / 2;
        if (holonomy(middle, Q) < pi)
            low = middle;
        else
            high = middle;
    }
    holonomy(high, Q);
    return high;
}

/* ---- the same by dynamics ---- */

static pinion_model *cat(double size, pinion_error *err)
{
    static const char *const half[2] = {"rear", "front"}, *const part[2] = {"pitch", "yaw"};
    pinion_builder *b = pinion_builder_new("cat");
    pinion_load_options options = pinion_load_options_default();
    int bad = !b;
    options.root = PINION_ROOT_FREE;
    for (int i = 0; i < 3 && !bad; i++) {
        pinion_link_def link = pinion_link_def_default();
        link.name = i < 2 ? half[i] : "spine";
        if (i < 2) {
            link.inertia.mass = mass;
            link.inertia.com[2] = i ? reach : -reach;
            link.inertia.inertia[0] = moments[0];
            link.inertia.inertia[3] = moments[1];
            link.inertia.inertia[5] = moments[2];
        }
        bad = pinion_builder_add_link(b, &link, err);
    }
    for (int i = 0; i < 2 && !bad; i++) {
        pinion_joint_def joint = pinion_joint_def_default();
        pinion_constraint_def drive = pinion_constraint_def_default();
        joint.name = part[i];
        joint.type = PINION_JOINT_CONTINUOUS;
        joint.parent = i ? "spine" : "rear";
        joint.child = i ? "front" : "spine";
        joint.axis[0] = !i, joint.axis[1] = i, joint.axis[2] = 0;
        bad = pinion_builder_add_joint(b, &joint, err);
        /* the motors: a cosine and a sine */
        drive.name = i ? "motor_yaw" : "motor_pitch";
        drive.kind = PINION_LOOP_DRIVE;
        drive.first = part[i];
        drive.motion.amplitude = size;
        drive.motion.frequency = 1 / period;
        drive.motion.phase = i ? 0 : pi / 2;
        if (!bad) bad = pinion_builder_add_constraint(b, &drive, err);
    }
    pinion_model *m = bad ? NULL : pinion_builder_build(b, &options, err);
    pinion_builder_free(b);
    return m;
}

/* The start: bent, the spine moving, and the base so that there is no momentum. */
static int start(const pinion_model *m, double size, double q[9], double v[8])
{
    pinion_work *w = pinion_work_new(m);
    double A[6 * 8], h[6], frame[3], c[3], turn[3];
    memset(q, 0, 9 * sizeof *q);
    memset(v, 0, 8 * sizeof *v);
    q[0] = 1;
    q[7] = size;
    v[7] = size * 2 * pi / period;
    /* at rest the rear's axes are those of the world: turn it with the angular velocity that geometry says ... */
    follow(size, 0, 0, v[7], turn);
    memcpy(v, turn, sizeof turn);
    int bad = !w || pinion_centroidal(m, w, q, v, A, NULL, NULL) || pinion_momentum(m, w, q, v, h) ||
              pinion_center_of_mass(m, w, q, v, frame, c);
    /* ... and move it so that the centre of mass rests */
    for (int i = 0; i < 3 && !bad; i++) v[3 + i] = -c[i];
    if (!bad) bad = pinion_momentum(m, w, q, v, h);
    for (int i = 0; i < 6 && !bad; i++) bad = fabs(h[i]) > 1e-12;
    pinion_work_free(w);
    return !bad;
}

int main(void)
{
    pinion_error err = {0};
    double Q[4], q[9], v[8], h[6], centre[2][3], largest = 0, apart = 0;
    const double size = half_turn(Q);
    if (size < 0) return puts("no bend makes half a turn"), 1;
    printf("a bend of %.2f degrees goes round once: by the holonomy half a turn about (%.3f, %.3f, %.3f)\n",
           size * 180 / pi, Q[1], Q[2], Q[3]);

    pinion_model *m = cat(size, &err);
    if (!m) return puts(err.message), 1;
    pinion_sim_options options = pinion_sim_options_default();
    pinion_sim *s = pinion_sim_new(m, &options, &err);
    pinion_work *w = pinion_work_new(m);
    if (!s || !w || !start(m, size, q, v)) return puts("the start failed"), 1;
    pinion_sim_state state = {.q = q, .v = v};
    int bad = pinion_center_of_mass(m, w, q, NULL, centre[0], NULL) || pinion_sim_start(s, 0, q, v);
    for (int k = 1; k <= 20 && !bad; k++) {
        bad = pinion_sim_advance(s, k * period / 20) || pinion_sim_get(s, &state) || pinion_momentum(m, w, q, v, h);
        for (int i = 0; i < 3; i++) largest = fmax(largest, fabs(h[i]));
    }
    bad = bad || pinion_center_of_mass(m, w, q, NULL, centre[1], NULL);
    if (bad) return puts(pinion_sim_message(s)), 1;
    const double angle = 2 * atan2(sqrt(q[1] * q[1] + q[2] * q[2] + q[3] * q[3]), fabs(q[0]));
    const double side = q[1] * Q[1] + q[2] * Q[2] + q[3] * Q[3] < 0 ? -1 : 1; /* q and -q are one attitude */
    for (int i = 0; i < 4; i++) apart = fmax(apart, fabs(q[i] - side * Q[i]));
    printf("by the dynamics it has turned by %.6f degrees and fallen by %.3f m, with at most %.1e N m s of momentum\n",
           angle * 180 / pi, centre[0][2] - centre[1][2], largest);
    printf("attitudes differ by %.1e\n", apart);
    pinion_sim_free(s);
    pinion_work_free(w);
    pinion_model_free(m);
    return !(apart < 1e-7 && largest < 1e-9 && fabs(angle - pi) < 1e-6);
}
