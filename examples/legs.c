/* Machines on legs, led by a quadratic program: a quadruped stands and trots, a humanoid squats, on our own contact.
 *
 * Every 2 ms a controller looks for accelerations a and forces f of the feet that come nearest to what is wanted of the
 * body (tasks), and that the machine can have: the six equations of motion that no motor acts on, feet that stay where
 * they are, forces inside friction pyramids, torques within their limits:
 *
 *     least  sum of w |J a - wanted|^2 + a little of |a|^2 and |f|^2
 *     with   E x = e,   C x >= c,          x = (a, f)
 *
 * The dual of that is a problem which pinion_contact_solve knows: x = x0 + H^-1 A' lambda, u = A x - b, where u = 0 for
 * equations, and for inequalities u >= 0, lambda >= 0, u lambda = 0, as for a joint at its end stop. So no library of
 * quadratic programs is needed. The motors then get tau = M a + h - J' f, and contact does what it does: the controller
 * does not know its forces, only which feet should stand. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <pinion/io.h>
#include <pinion/pinion.h>

enum { NV = 24, FEET = 8, N = NV + 3 * FEET, ROWS = 6 + 3 * FEET + 4 * FEET + 2 * NV };
static const double step = 1e-3, gravity = 9.81;
static const pinion_reference aligned = PINION_REFERENCE_WORLD_ALIGNED;
static const pinion_acceleration classical = PINION_ACCELERATION_CLASSICAL;

/* ---- a quadratic program: H and g of the goal, rows A x = b or A x >= b ---- */

typedef struct program {
    int n, rows;
    double H[N * N], g[N], A[ROWS * N], b[ROWS], x[N], lambda[ROWS];
    unsigned char law[ROWS];
    pinion_contact_work *work;
    pinion_contact_solution solution;
} program;

/* w |J a - want|^2, rows over the first m unknowns */
static void want(program *p, double w, int rows, int m, const double *J, const double *value)
{
    for (int r = 0; r < rows; r++)
        for (int i = 0; i < m; i++) {
            for (int j = 0; j < m; j++) p->H[i * p->n + j] += w * J[r * m + i] * J[r * m + j];
            p->g[i] -= w * J[r * m + i] * value[r];
        }
}

/* one more row, all zeros yet: = b, or >= b */
static double *demand(program *p, pinion_contact_law law, double b)
{
    double *row = p->A + p->rows * p->n;
    memset(row, 0, (size_t)p->n * sizeof *row);
    p->law[p->rows] = (unsigned char)law;
    p->b[p->rows++] = b;
    return row;
}

/* H = L L', in the lower triangle */
static void factorize(int n, double *H)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            double t = H[i * n + j];
            for (int k = 0; k < j; k++) t -= H[i * n + k] * H[j * n + k];
            H[i * n + j] = i == j ? sqrt(t) : t / H[j * n + j];
        }
}

static void forward(int n, const double *L, double *x)
{
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++) x[i] -= L[i * n + k] * x[k];
        x[i] /= L[i * n + i];
    }
}

static void backward(int n, const double *L, double *x)
{
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++) x[i] -= L[k * n + i] * x[k];
        x[i] /= L[i * n + i];
    }
}

/* With B = A L^-T and y = L^-1 (-g): u = B B' lambda + B y - b, x = L^-T (y + B' lambda). A becomes B. */
static int solve(program *p, int warm)
{
    static double G[ROWS * ROWS], u[ROWS];
    const int n = p->n;
    factorize(n, p->H);
    for (int i = 0; i < n; i++) p->x[i] = -p->g[i];
    forward(n, p->H, p->x);
    for (int r = 0; r < p->rows; r++) {
        forward(n, p->H, p->A + r * n);
        u[r] = -p->b[r];
        for (int i = 0; i < n; i++) u[r] += p->A[r * n + i] * p->x[i];
        for (int s = 0; s <= r; s++) {
            double t = 0;
            for (int i = 0; i < n; i++) t += p->A[r * n + i] * p->A[s * n + i];
            G[r * p->rows + s] = G[s * p->rows + r] = t;
        }
    }
    const pinion_contact_problem dual = {p->rows, p->rows, p->law, p->b, G, u, NULL};
    pinion_contact_options o = pinion_contact_options_default();
    o.tolerance = 1e-7;
    o.iterations = 2000;
    o.least_norm = 0;
    o.warm = warm;
    const pinion_status status = pinion_contact_solve(p->work, &dual, &o, p->lambda, NULL, &p->solution);
    for (int r = 0; r < p->rows; r++)
        for (int i = 0; i < n; i++) p->x[i] += p->A[r * n + i] * p->lambda[r];
    backward(n, p->H, p->x);
    return status == PINION_OK;
}

/* ---- a machine ---- */

typedef struct machine {
    pinion_model *m;
    pinion_work *w;
    pinion_scene *scene;
    program p;
    int nv, feet, foot[FEET], trunk;
    double radius, friction; /* of the feet */
    double q[NV + 1], v[NV], q0[NV + 1], effort[NV], tau[NV];
    double mass, is[3], is_v[3]; /* the centre of mass as it is */
    double height;               /* where it begins */
    double at[FEET][3], home[FEET][3]; /* the feet, and where they begin from the centre of mass */
    double J[FEET][3 * NV], drift[FEET][3], speed[FEET][3]; /* of the points that touch */
    double posture; /* the weight of the joints' own places */

    /* what is wanted of the centre of mass, and which feet stand; of those that do not, where they should be */
    double com[3], com_v[3], com_a[3];
    int stands[FEET], before;
    double goal[FEET][3], goal_v[FEET][3];

    /* what came of it */
    double slid[FEET], slip, least_margin, largest, used, seconds;
    int calls, failed, slowest;
} machine;

static int complain(const char *what)
{
    puts(what);
    return 0;
}

/* Where feet are and how the points below them move: speed = J v, its derivative J a + drift. A ball rolls: the point
 * is its radius below the frame, whichever way it turns. */
static int look_at_feet(machine *x)
{
    double J[6 * NV], drift[6];
    const int n = x->nv;
    for (int k = 0; k < x->feet; k++) {
        if (pinion_frame_pose(x->m, x->w, x->q, x->foot[k], x->at[k], NULL) ||
            pinion_jacobian(x->m, x->w, x->q, x->foot[k], aligned, J) ||
            pinion_frame_acceleration(x->m, x->w, x->q, x->v, NULL, x->foot[k], aligned,
                                      classical, drift))
            return complain(pinion_work_message(x->w));
        for (int d = 0; d < 3; d++) {
            const double s = d == 0 ? -x->radius : d == 1 ? x->radius : 0; /* w x (0, 0, -r) */
            x->speed[k][d] = 0;
            for (int i = 0; i < n; i++) {
                x->J[k][d * n + i] = J[(3 + d) * n + i] + s * J[(d == 0) * n + i];
                x->speed[k][d] += x->J[k][d * n + i] * x->v[i];
            }
            x->drift[k][d] = drift[3 + d] + s * drift[d == 0];
        }
    }
    return 1;
}

static int load(machine *x, const char *file, const char *trunk, int feet, const char *const *foot, double radius)
{
    pinion_error err;
    pinion_scene_options o = pinion_scene_options_default();
    memset(x, 0, sizeof *x);
    x->m = pinion_load(file, NULL, &err);
    if (!x->m) return complain(err.message);
    o.ground = 1;
    x->w = pinion_work_new(x->m);
    x->scene = pinion_scene_new(x->m, &o, &err);
    x->p.work = pinion_contact_work_new(ROWS);
    if (!x->w || !x->scene || !x->p.work) return complain("out of memory");
    x->nv = pinion_model_nv(x->m);
    x->feet = feet;
    x->radius = radius;
    x->friction = 0.7;
    x->trunk = pinion_model_find_frame(x->m, trunk);
    x->least_margin = 1;
    for (int k = 0; k < feet; k++) {
        x->foot[k] = pinion_model_find_frame(x->m, foot[k]);
        x->stands[k] = 1;
    }
    for (int i = 0; i < pinion_model_joint_count(x->m); i++) {
        pinion_joint_info joint;
        if (pinion_model_joint(x->m, i, &joint) == PINION_OK && joint.nv == 1)
            x->effort[joint.v_index] = joint.dof[0].effort;
    }
    if (pinion_initial(x->m, x->q, x->v) || pinion_center_of_mass(x->m, x->w, x->q, x->v, x->is, x->is_v))
        return complain(pinion_work_message(x->w));
    memcpy(x->q0, x->q, sizeof x->q);
    memcpy(x->com, x->is, sizeof x->com);
    x->mass = pinion_model_mass(x->m);
    x->height = x->is[2];
    return look_at_feet(x);
}

static void forget(machine *x)
{
    pinion_contact_work_free(x->p.work);
    pinion_scene_free(x->scene);
    pinion_work_free(x->w);
    pinion_model_free(x->m);
}

/* ---- the controller ---- */

/* the centre of mass, how the trunk stands, feet in the air, and joints near where they began */
static int add_tasks(machine *x)
{
    program *p = &x->p;
    const int n = x->nv;
    double A[6 * NV], drift[6], R[9], J[6 * NV], v[6], value[3];
    if (pinion_centroidal(x->m, x->w, x->q, x->v, A, drift, NULL)) return complain(pinion_work_message(x->w));
    for (int d = 0; d < 3; d++) {
        for (int i = 0; i < n; i++) A[(3 + d) * n + i] /= x->mass;
        value[d] = x->com_a[d] + 150 * (x->com[d] - x->is[d]) + 24 * (x->com_v[d] - x->is_v[d]);
        value[d] -= drift[3 + d] / x->mass;
    }
    want(p, 1, 3, n, A + 3 * n, value);

    if (pinion_frame_pose(x->m, x->w, x->q, x->trunk, NULL, R) ||
        pinion_jacobian(x->m, x->w, x->q, x->trunk, aligned, J) ||
        pinion_frame_velocity(x->m, x->w, x->q, x->v, x->trunk, aligned, v) ||
        pinion_frame_acceleration(x->m, x->w, x->q, x->v, NULL, x->trunk, aligned, classical,
                                  drift))
        return complain(pinion_work_message(x->w));
    for (int d = 0; d < 3; d++) {
        const int i = (d + 1) % 3, j = (d + 2) % 3;
        value[d] = -200 * (R[3 * j + i] - R[3 * i + j]) / 2 - 28 * v[d] - drift[d];
    }
    want(p, 1, 3, n, J, value);

    for (int k = 0; k < x->feet; k++) {
        for (int d = 0; d < 3; d++)
            value[d] = 900 * (x->goal[k][d] - x->at[k][d]) + 60 * (x->goal_v[k][d] - x->speed[k][d]) - x->drift[k][d];
        if (!x->stands[k]) want(p, 1, 3, n, x->J[k], value);
    }
    for (int i = 6; i < n; i++) {
        p->H[i * p->n + i] += x->posture;
        p->g[i] -= x->posture * (50 * (x->q0[i + 1] - x->q[i + 1]) - 14 * x->v[i]);
    }
    return 1;
}

/* what holds: motion where no motor acts, feet that stand still and only push, torques within their limits */
static void add_demands(machine *x, const double *M, const double *h)
{
    program *p = &x->p;
    const int n = x->nv;
    const double slope = x->friction / sqrt(2); /* a pyramid inside the cone */
    for (int i = 0; i < n; i++) {
        for (int side = -1; side <= 1; side += 2) {
            /* M a - J' f = -h of the trunk; within +- effort of the joints */
            if (i < 6 && side > 0) continue;
            double *row = i < 6 ? demand(p, PINION_CONTACT_EQUALITY, h[i])
                                : demand(p, PINION_CONTACT_LIMIT, -x->effort[i] - side * h[i]);
            for (int j = 0; j < n; j++) row[j] = side * M[i * n + j];
            for (int k = 0, f = n; k < x->feet; k++)
                for (int d = 0; x->stands[k] && d < 3; d++) row[f++] = -side * x->J[k][d * n + i];
        }
    }
    for (int k = 0, f = n; k < x->feet; k++) {
        if (!x->stands[k]) continue;
        for (int d = 0; d < 3; d++) {
            double *row = demand(p, PINION_CONTACT_EQUALITY, -x->drift[k][d] - 40 * x->speed[k][d]);
            for (int i = 0; i < n; i++) row[i] = x->J[k][d * n + i];
        }
        for (int side = 0; side < 4; side++) {
            double *row = demand(p, PINION_CONTACT_LIMIT, 0);
            row[f + side / 2] = side % 2 ? 1 : -1;
            row[f + 2] = slope;
        }
        f += 3;
    }
}

static int control(machine *x)
{
    program *p = &x->p;
    double M[NV * NV], h[NV];
    const int n = x->nv;
    int stand = 0, which = 0;
    if (!look_at_feet(x)) return 0;
    for (int k = 0; k < x->feet; k++) {
        stand += x->stands[k];
        which |= x->stands[k] << k;
    }
    p->n = n + 3 * stand;
    p->rows = 0;
    memset(p->H, 0, sizeof p->H);
    memset(p->g, 0, sizeof p->g);
    for (int i = 0; i < p->n; i++) p->H[i * p->n + i] = i < n ? 1e-4 : 1e-5;
    if (pinion_mass_matrix(x->m, x->w, x->q, M) || pinion_bias(x->m, x->w, x->q, x->v, h))
        return complain(pinion_work_message(x->w));
    if (!add_tasks(x)) return 0;
    add_demands(x, M, h);

    const clock_t start = clock();
    const int solved = solve(p, which == x->before);
    x->seconds += (double)(clock() - start) / CLOCKS_PER_SEC;
    x->before = which;
    x->calls++;
    x->failed += !solved;
    if (p->solution.iterations > x->slowest) x->slowest = p->solution.iterations;

    /* tau = M a + h - J' f */
    for (int i = 6; i < n; i++) {
        x->tau[i] = h[i];
        for (int j = 0; j < n; j++) x->tau[i] += M[i * n + j] * p->x[j];
        for (int k = 0, f = n; k < x->feet; k++)
            for (int d = 0; x->stands[k] && d < 3; d++) x->tau[i] -= x->J[k][d * n + i] * p->x[f++];
        x->used = fmax(x->used, fabs(x->tau[i]) / x->effort[i]);
        x->tau[i] = fmax(-x->effort[i], fmin(x->effort[i], x->tau[i]));
    }
    return 1;
}

/* ---- simulation ---- */

/* one step with contact, and what it tells: slip of the feet that stand, how far forces are inside the cones */
static int advance(machine *x, int number)
{
    double a[NV];
    pinion_scene_report report;
    if (number % 2 == 0 && !control(x)) return 0;
    if (pinion_forward_dynamics(x->m, x->w, x->q, x->v, x->tau, NULL, a)) return complain(pinion_work_message(x->w));
    if (pinion_scene_step(x->scene, x->w, step, x->q, x->v, a, x->q, x->v, &report))
        return complain(pinion_scene_message(x->scene));
    if (pinion_center_of_mass(x->m, x->w, x->q, x->v, x->is, x->is_v)) return complain(pinion_work_message(x->w));
    for (int i = 0; i < pinion_scene_count(x->scene); i++) {
        pinion_scene_contact c;
        if (pinion_scene_contact_at(x->scene, i, &c) || c.force[2] < 0.02 * x->mass * gravity) continue;
        x->least_margin = fmin(x->least_margin, 1 - hypot(c.force[0], c.force[1]) / (c.friction * c.force[2]));
    }
    for (int k = 0; k < x->feet; k++) {
        x->slid[k] = x->stands[k] ? x->slid[k] + step * hypot(x->speed[k][0], x->speed[k][1]) : 0;
        x->slip = fmax(x->slip, x->slid[k]);
    }
    return 1;
}

static void tell(const machine *x, const char *what, double seconds)
{
    printf("%s for %g s\n", what, seconds);
    printf("  its centre of mass ends at (%.3f, %.3f, %.3f) and should at (%.3f, %.3f, %.3f)\n", x->is[0], x->is[1],
           x->is[2], x->com[0], x->com[1], x->com[2]);
    printf("  on the way %.1f mm off at most; a foot slides %.2g mm at most while it stands\n", 1e3 * x->largest,
           1e3 * x->slip);
    printf("  forces stay inside the friction cones by %.0f %%, torques use %.0f %% of their limits\n",
           100 * fmax(0, x->least_margin), 100 * x->used);
    printf("  %d quadratic programs of %d unknowns and %d rows, %.2f ms each, %d iterations at most, %d not solved\n",
           x->calls, x->p.n, x->p.rows, 1e3 * x->seconds / x->calls, x->slowest, x->failed);
}

/* how far the centre of mass is from where it should be: in space, or from 2 on up and down alone */
static void look_how_far(machine *x, int first)
{
    double sum = 0;
    for (int d = first; d < 3; d++) sum += pow(x->is[d] - x->com[d], 2);
    x->largest = fmax(x->largest, sqrt(sum));
}

/* ---- what they do ---- */

static const char *const feet_of_quadruped[] = {"fl_foot", "fr_foot", "rl_foot", "rr_foot"};

static int stand(void)
{
    machine x;
    int good = load(&x, "models/quadruped.json", "trunk", 4, feet_of_quadruped, 0.02);
    x.posture = 1e-4;
    x.com[2] -= 0.03; /* a little lower than it begins */
    const int steps = 800;
    for (int i = 0; i < steps && good; i++) {
        good = advance(&x, i);
        if (good && i > 600) look_how_far(&x, 0);
    }
    if (good) tell(&x, "The quadruped stands", steps * step);
    good = good && x.failed == 0 && x.largest < 2e-3 && x.least_margin > 0.5 && x.slip < 1e-4;
    forget(&x);
    return good;
}

/* A step of the trot: two feet at opposite corners leave the ground and come down ahead, by half of what the trunk
 * moves meanwhile and more where it is too fast (Raibert 1986). */
static void trot(machine *x, double t, double period, double speed)
{
    static double from[FEET][3];
    const int pair = (int)(t / period) % 2;
    const double s = fmod(t, period) / period, pi = acos(-1);
    const double smooth = s - sin(2 * pi * s) / (2 * pi), rate = (1 - cos(2 * pi * s)) / period;
    for (int k = 0; k < x->feet; k++) {
        const int swings = pair == (k == 1 || k == 2);
        if (swings && x->stands[k]) memcpy(from[k], x->at[k], sizeof from[k]);
        x->stands[k] = !swings;
        if (!swings) continue;
        const double wanted[2] = {speed, 0};
        for (int d = 0; d < 2; d++) {
            const double land = x->is[d] + x->home[k][d] + x->is_v[d] * period * (1 - s) +
                                wanted[d] * period / 2 + 0.12 * (x->is_v[d] - wanted[d]);
            x->goal[k][d] = from[k][d] + smooth * (land - from[k][d]);
            x->goal_v[k][d] = rate * (land - from[k][d]);
        }
        x->goal[k][2] = x->radius + 0.025 * (1 - cos(2 * pi * s));
        x->goal_v[k][2] = 0.05 * pi * sin(2 * pi * s) / period;
    }
}

static int trots(void)
{
    const double period = 0.2, speed = 0.3;
    const int wait = 100, steps = 2500;
    machine x;
    int good = load(&x, "models/quadruped.json", "trunk", 4, feet_of_quadruped, 0.02);
    double start = 0;
    x.posture = 1e-4;
    x.com[2] -= 0.02;
    for (int k = 0; good && k < 4; k++)
        for (int d = 0; d < 3; d++) x.home[k][d] = x.at[k][d] - x.com[d];
    for (int i = 0; i < steps && good; i++) {
        const double t = step * (i - wait);
        if (t >= 0) {
            const double ramp = fmin(1, t / 0.5);
            x.com_v[0] = ramp * speed;
            x.com[0] += step * x.com_v[0];
            if (i % 2 == 0) trot(&x, t, period, x.com_v[0]);
        }
        good = advance(&x, i);
        if (good && t > 1) look_how_far(&x, 2);
        if (i == 1500) start = x.is[0];
    }
    if (good) {
        tell(&x, "The quadruped trots", steps * step);
        const double mean = (x.is[0] - start) / (step * (steps - 1501));
        printf("  in the last second it goes %.3f m/s of %.3f\n", mean, speed);
        good = x.failed == 0 && fabs(mean - speed) < 0.05 && x.largest < 0.01 && x.slip < 2e-3 &&
               fabs(x.is[1]) < 0.02;
    }
    forget(&x);
    return good;
}

static int squat(void)
{
    static const char *const corners[] = {"left_corner_0",  "left_corner_1",  "left_corner_2",  "left_corner_3",
                                          "right_corner_0", "right_corner_1", "right_corner_2", "right_corner_3"};
    const int steps = 2000;
    const double depth = 0.18, period = 1.6, pi = acos(-1);
    machine x;
    int good = load(&x, "models/humanoid.json", "pelvis", 8, corners, 0);
    double lowest = 1;
    x.posture = 1e-4;
    x.com[0] = 0.03; /* over the middle of the soles */
    for (int i = 0; i < steps && good; i++) {
        const double t = fmin(step * i, period), phase = 2 * pi * t / period;
        x.com[2] = x.height - 0.01 - depth * (1 - cos(phase)) / 2;
        x.com_v[2] = -depth * pi / period * sin(phase);
        x.com_a[2] = -depth * 2 * pow(pi / period, 2) * cos(phase) * (step * i < period);
        good = advance(&x, i);
        if (good && i > 200) look_how_far(&x, 0);
        if (good) lowest = fmin(lowest, x.q[6]);
    }
    if (good) {
        tell(&x, "The humanoid squats", steps * step);
        printf("  its pelvis goes down to %.3f m\n", lowest);
        good = x.failed == 0 && x.largest < 0.01 && x.least_margin > 0.05 && x.slip < 1e-3 &&
               lowest < x.q0[6] - 0.12;
    }
    forget(&x);
    return good;
}

int main(void)
{
    const int good = stand() & trots() & squat();
    puts(good ? "all of them did" : "not all of them did");
    return good ? 0 : 1;
}
