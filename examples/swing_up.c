/* A cart-pole and an acrobot swing up and stay up, each by its one motor, asked a thousand times a second.
 *
 * Below: energy shaping through partial feedback linearization (Spong 1995, The swing up control problem for the
 * acrobot). The motor makes its own coordinate accelerate as wanted,
 *
 *     M_aa a_a + M_ap a_p + h_a = u,   M_pa a_a + M_pp a_p + h_p = 0,
 *
 * and what is wanted pumps energy until there is as much as upright. Near the top: u = -K x, the linear-quadratic
 * regulator of the linear system that pinion_linearize() gives there. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <pinion/sim/sim.h>

#define PI 3.14159265358979323846
enum { N = 4, DURATION = 20 };

/* A machine of two joints, one of which has the motor. */
typedef struct machine {
    const char *text;
    int motor, idle;       /* joints */
    double up[2];          /* upright */
    double pump, kp, kd;   /* of the energy, and of the motor's own coordinate towards zero */
    double weight;         /* of u^2 in the regulator */
    double basin;          /* it takes over where x' S x is below */
    pinion_model *m;
    pinion_work *w;
    double K[N], S[N][N];
    double energy;         /* upright, at rest */
} machine;

static machine cart_pole = {
    .text = "{\"pinion\": 1, \"name\": \"cart-pole\", \"links\": [{\"name\": \"rail\"}, {\"name\": \"cart\", "
    "\"mass\": 1,"
            " \"inertia\": {\"xx\": 0.01, \"yy\": 0.01, \"zz\": 0.01}}, {\"name\": \"pole\", \"mass\": 0.2, \"com\": "
            "[0, 0, -0.5], \"inertia\": {\"xx\": 0.0166, \"yy\": 0.0166, \"zz\": 0.001}}], \"joints\": [{\"name\": "
            "\"slide\", \"type\": \"prismatic\", \"axis\": [1, 0, 0], \"parent\": \"rail\", \"child\": \"cart\"}, "
            "{\"name\": \"pivot\", \"type\": \"continuous\", \"axis\": [0, -1, 0], \"parent\": \"cart\", \"child\": "
            "\"pole\", \"actuated\": false}]}",
    .motor = 0, .idle = 1, .up = {0, PI}, .pump = 5, .kp = 1, .kd = 2, .weight = 1, .basin = 20};

static machine acrobot = {
    .text = "{\"pinion\": 1, \"name\": \"acrobot\", \"links\": [{\"name\": \"base\"}, {\"name\": \"arm\", "
    "\"mass\": 1, "
            "\"com\": [0, 0, -0.5], \"inertia\": {\"xx\": 0.083, \"yy\": 0.083, \"zz\": 0.001}}, {\"name\": \"leg\", "
            "\"mass\": 1, \"com\": [0, 0, -1], \"inertia\": {\"xx\": 0.33, \"yy\": 0.33, \"zz\": 0.001}}], "
            "\"joints\": "
            "[{\"name\": \"hands\", \"type\": \"continuous\", \"axis\": [0, -1, 0], \"parent\": \"base\", \"child\": "
            "\"arm\", \"actuated\": false}, {\"name\": \"hips\", \"type\": \"continuous\", \"axis\": [0, -1, 0], "
            "\"parent\": \"arm\", \"child\": \"leg\", \"origin\": {\"position\": [0, 0, -1]}}]}",
    .motor = 1, .idle = 0, .up = {PI, 0}, .pump = 25, .kp = 20, .kd = 7, .weight = 1, .basin = 1500};

/* ------------------------------------------------------------------------------------------------ */
/* The regulator */

/* S' = A' S + S A - S B B' S / weight + Q, from zero on until it stands still; then K = B' S / weight. */
static void regulate(machine *x, const double *A, const double *B)
{
    const double h = 2e-4;
    memset(x->S, 0, sizeof x->S);
    for (int step = 0; step < 100000; step++) {
        double AS[N][N], rate[N][N];
        for (int i = 0; i < N; i++) {
            x->K[i] = 0;
            for (int k = 0; k < N; k++) x->K[i] += B[k] * x->S[k][i] / x->weight;
            for (int j = 0; j < N; j++) {
                AS[i][j] = 0;
                for (int k = 0; k < N; k++) AS[i][j] += A[k * N + i] * x->S[k][j];
            }
        }
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++)
                rate[i][j] = AS[i][j] + AS[j][i] - x->K[i] * x->weight * x->K[j] + (i == j ? (i < 2 ? 10 : 1) : 0);
        for (int i = 0; i < N * N; i++) x->S[i / N][i % N] += h * rate[i / N][i % N];
    }
}

/* The model, and the regulator upright. Returns 0 on failure. */
static int prepare(machine *x)
{
    pinion_error err;
    const double rest[2] = {0, 0};
    double potential, none;
    x->m = pinion_load_string(x->text, strlen(x->text), PINION_FORMAT_JSON, "machine", NULL, &err);
    if (!x->m) {
        puts(err.message);
        return 0;
    }
    x->w = pinion_work_new(x->m);
    pinion_linear *near = pinion_linearize(x->m, x->up, rest, NULL, &err);
    if (!x->w || !near || pinion_energy(x->m, x->w, x->up, rest, 0, &none, &potential) != PINION_OK) return 0;
    x->energy = potential;
    regulate(x, near->A, near->B); /* one motor: B is a column */
    pinion_linear_free(near);
    return 1;
}

/* ------------------------------------------------------------------------------------------------ */
/* The controller */

/* The force for which the motor's coordinate accelerates by `wanted`. */
static pinion_status linearize_motor(machine *x, const double *q, const double *v, double wanted, double *u)
{
    double M[2][2], h[2];
    const int a = x->motor, p = x->idle;
    const pinion_terms terms = {.M = &M[0][0], .bias = h};
    const pinion_status status = pinion_dynamics_terms(x->m, x->w, q, v, &terms);
    const double idle = -(h[p] + M[p][a] * wanted) / M[p][p];
    *u = M[a][a] * wanted + M[a][p] * idle + h[a];
    return status;
}

static pinion_status control(void *user, double t, const double *q, const double *v, double *u)
{
    machine *x = user;
    double off[N] = {0, 0, v[0], v[1]}, size = 0, kinetic, potential;
    (void)t;
    for (int i = 0; i < 2; i++) {
        const int turns = !(x->motor == 0 && i == 0); /* all but the slide of the cart */
        off[i] = turns ? remainder(q[i] - x->up[i], 2 * PI) : q[i] - x->up[i];
    }
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) size += off[i] * x->S[i][j] * off[j];
    if (size < x->basin) {
        *u = 0;
        for (int i = 0; i < N; i++) *u -= x->K[i] * off[i];
        return PINION_OK;
    }

    /* energy is missing: push along with what swings */
    const double swings[2] = {x->motor == 0 ? 0 : v[0], v[1]}; /* the cart's own motion is none of the pole's */
    pinion_status status = pinion_energy(x->m, x->w, q, swings, 0, &kinetic, &potential);
    if (status != PINION_OK) return status;
    const double missing = x->energy - kinetic - potential;
    const double along = x->motor == 0 ? -v[1] * cos(q[1]) : -v[0];
    const double wanted = x->pump * fmax(-1, fmin(1, missing)) * along - x->kp * q[x->motor] - x->kd * v[x->motor];
    return linearize_motor(x, q, v, wanted, u);
}

/* ------------------------------------------------------------------------------------------------ */

/* Swings one up from near its lowest place. Returns whether it stays there. */
static int swing(machine *x)
{
    pinion_error err;
    if (!prepare(x)) return 0;
    pinion_sim_options o = pinion_sim_options_default();
    o.rtol = o.atol = 1e-9;
    o.actuators = control;
    o.actuators_user = x;
    o.sample = 1e-3;
    pinion_sim *s = pinion_sim_new(x->m, &o, &err);
    const double start[2] = {0, 0.05}, rest[2] = {0, 0};
    double q[2] = {0}, v[2] = {0}, since = 0, most = 0;
    pinion_sim_state now = {.q = q, .v = v, .u = &(double){0}};
    int ok = s && pinion_sim_start(s, 0, start, rest) == PINION_OK;
    for (int k = 1; k <= 100 * DURATION && ok; k++) {
        ok = pinion_sim_advance(s, 0.01 * k) == PINION_OK && pinion_sim_get(s, &now) == PINION_OK;
        const double tilt = fabs(remainder(x->motor == 0 ? q[1] - x->up[1] : q[0] + q[1] - x->up[0], 2 * PI));
        if (tilt > 0.05) since = now.t;
        most = fmax(most, fabs(now.u[0]));
    }
    const double off = fabs(remainder(q[x->idle] - x->up[x->idle], 2 * PI));
    printf("%s: up from %.2f s on, %.1g rad off at %d s; at most %.1f N or N m\n", pinion_model_name(x->m), since, off,
           DURATION, most);
    pinion_sim_free(s);
    pinion_work_free(x->w);
    pinion_model_free(x->m);
    return ok && since < DURATION - 4 && off < 1e-4;
}

int main(void)
{
    return swing(&cart_pole) & swing(&acrobot) ? 0 : 1;
}
