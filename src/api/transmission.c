/* What actuators without terms do to the joints.
 *
 * All but those along tendons exert forces and moments F_i, in world axes, at the origins of up to three frames: the
 * column of B is the sum of J_i' F_i, its derivative by q_k that of (dJ_i/dq_k)' F_i + J_i' dF_i, where the F_i change
 * as the frames move, by the columns k of their Jacobians.
 *
 * Of a slider-crank with the rod r, the slider's axis z, and v from the slider's origin to the crank's end,
 *
 *     s = a - e,  a = z'v,  e = sqrt(a^2 + r^2 - v'v);   ds/dv = c z + v / e =: g,  ds/dz = c v,  c = 1 - a / e,
 *
 * so that the crank gets the force g, and the slider -g with the moment z x c v. */
#include "api/transmission.h"

#include <math.h>
#include <string.h>

#include "api/element_forces.h"
#include "base/vec3.h"
#include "pinion/calls.h"

enum { MOST = 3 };

/* Where the frames of an actuator are: that of its end, its reference, the link that carries both. */
typedef struct places {
    int count, frame[MOST];
    double p[MOST][3], R[MOST][9];
} places;

/* [moment; force] on each. */
typedef struct loads {
    double f[MOST][6];
} loads;

/* How the frames move: [turn; displacement], in world axes. */
typedef struct motion {
    double x[MOST][6];
} motion;

static pinion_status see(const pinion_model *m, pinion_work *w, const double *q, const pinion_actuator_info *a,
                         places *at)
{
    const int frame[MOST] = {a->frame, a->reference, a->carrier};
    pinion_status status = PINION_OK;
    for (at->count = 0; at->count < MOST && frame[at->count] >= 0 && status == PINION_OK; at->count++) {
        const int i = at->count;
        at->frame[i] = frame[i];
        status = pinion_frame_pose(m, w, q, frame[i], at->p[i], at->R[i]);
    }
    return status;
}

/* ---------------------------------------------------------------------------------------------
 * A force fixed in a frame, and one between two */

static void fixed_loads(const pinion_actuator_info *a, const places *at, loads *out, const motion *by, loads *d)
{
    const int fixed_in = a->type == PINION_ACTUATOR_PAIR, both = fixed_in;
    double arm[3];
    for (int k = 0; k < 6; k += 3) pn_turn3(at->R[fixed_in], a->wrench + k, out->f[0] + k);
    for (int k = 0; k < 3; k++) arm[k] = both ? at->p[0][k] - at->p[1][k] : 0;
    for (int i = 0; i < 6 && both; i++) out->f[1][i] = -out->f[0][i];
    if (both) { /* minus the moment of the two, which the carrier gets */
        pn_cross3(out->f[0] + 3, arm, out->f[2]);
        memset(out->f[2] + 3, 0, 3 * sizeof *out->f[2]);
    }
    if (!by) return;
    for (int k = 0; k < 6; k += 3) pn_cross3(by->x[fixed_in], out->f[0] + k, d->f[0] + k);
    if (!both) return;
    double moved[3], one[3], two[3];
    for (int k = 0; k < 3; k++) moved[k] = by->x[0][3 + k] - by->x[1][3 + k];
    pn_cross3(d->f[0] + 3, arm, one);
    pn_cross3(out->f[0] + 3, moved, two);
    for (int i = 0; i < 6; i++) d->f[1][i] = -d->f[0][i];
    for (int k = 0; k < 3; k++) d->f[2][k] = one[k] + two[k], d->f[2][3 + k] = 0;
}

/* ---------------------------------------------------------------------------------------------
 * A slider-crank */

/* z, v, a and e above; e is 0 where the rod is too short. */
typedef struct crank {
    double z[3], v[3], a, e;
} crank;

static crank crank_at(const pinion_actuator_info *info, const places *at)
{
    crank x = {.z = {at->R[1][2], at->R[1][5], at->R[1][8]}};
    for (int k = 0; k < 3; k++) x.v[k] = at->p[0][k] - at->p[1][k];
    x.a = pn_dot3(x.z, x.v);
    const double square = x.a * x.a + info->rod * info->rod - pn_dot3(x.v, x.v);
    x.e = square > 0 ? sqrt(square) : 0;
    return x;
}

static void crank_loads(const pinion_actuator_info *info, const places *at, loads *out, const motion *by, loads *d)
{
    const crank x = crank_at(info, at);
    const double *z = x.z, *v = x.v, a = x.a, back = x.e > 0 ? 1 / x.e : 0, c = 1 - a * back;
    double arm[3], g[3];
    for (int k = 0; k < 3; k++) {
        g[k] = c * z[k] + back * v[k];
        arm[k] = c * v[k];
        out->f[0][k] = 0;
        out->f[0][3 + k] = g[k];
        out->f[1][3 + k] = -g[k];
    }
    pn_cross3(z, arm, out->f[1]);
    if (!by) return;

    double dv[3], dz[3], darm[3], one[3], two[3];
    for (int k = 0; k < 3; k++) dv[k] = by->x[0][3 + k] - by->x[1][3 + k];
    pn_cross3(by->x[1], z, dz);
    const double da = pn_dot3(dz, v) + pn_dot3(z, dv), de = (a * da - pn_dot3(v, dv)) * back;
    const double dback = -de * back * back, dc = -da * back - a * dback;
    for (int k = 0; k < 3; k++) {
        const double dg = dc * z[k] + c * dz[k] + dback * v[k] + back * dv[k];
        darm[k] = dc * v[k] + c * dv[k];
        d->f[0][k] = 0;
        d->f[0][3 + k] = dg;
        d->f[1][3 + k] = -dg;
    }
    pn_cross3(dz, arm, one);
    pn_cross3(z, darm, two);
    for (int k = 0; k < 3; k++) d->f[1][k] = one[k] + two[k];
}

/* ---------------------------------------------------------------------------------------------
 * All of them */

/* What acts on the frames and, where they move `by` something, how it changes. */
static void load(const pinion_actuator_info *a, const places *at, loads *out, const motion *by, loads *d)
{
    if (a->type == PINION_ACTUATOR_CRANK)
        crank_loads(a, at, out, by, d);
    else
        fixed_loads(a, at, out, by, d);
}

pinion_status pn_transmit(const pinion_model *m, pinion_work *w, const double *q, const pinion_actuator_info *a,
                          double f, double *room, double *to)
{
    places at;
    loads acts;
    if (a->tendon >= 0) return pn_tendon_pull(m, w, q, a->tendon, f, room, to);
    pinion_status status = see(m, w, q, a, &at);
    if (status == PINION_OK) load(a, &at, &acts, NULL, NULL);
    for (int i = 0; i < at.count && status == PINION_OK; i++) {
        status = pinion_force_to_torque(m, w, q, at.frame[i], PINION_REFERENCE_WORLD_ALIGNED, acts.f[i], room);
        for (int k = 0; k < pinion_model_nv(m) && status == PINION_OK; k++) to[k] += f * room[k];
    }
    return status;
}

pinion_status pn_transmission_rate(const pinion_model *m, pinion_work *w, const double *q, const double *v,
                                   const pinion_actuator_info *a, double *rate)
{
    places at;
    loads acts;
    double length;
    if (a->tendon >= 0) return pn_tendon_length(m, w, q, v, a->tendon, &length, rate);
    pinion_status status = see(m, w, q, a, &at);
    if (status == PINION_OK) load(a, &at, &acts, NULL, NULL);
    *rate = 0;
    for (int i = 0; i < at.count && status == PINION_OK; i++) {
        double moves[6];
        status = pinion_frame_velocity(m, w, q, v, at.frame[i], PINION_REFERENCE_WORLD_ALIGNED, moves);
        for (int k = 0; k < 6 && status == PINION_OK; k++) *rate += acts.f[i][k] * moves[k];
    }
    return status;
}

/* What the reference sees of the other frame: its place times the force, its rotation vector times the moment. */
static double pair_length(const pinion_actuator_info *a, const places *at)
{
    double away[3], seen[3], turned[9], quaternion[4], vector[3];
    for (int k = 0; k < 3; k++) away[k] = at->p[0][k] - at->p[1][k];
    pn_turn3_back(at->R[1], away, seen);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            turned[3 * i + k] = 0;
            for (int r = 0; r < 3; r++) turned[3 * i + k] += at->R[1][3 * r + i] * at->R[0][3 * r + k];
        }
    pn_matrix_quaternion(turned, quaternion);
    pn_quaternion_vector(quaternion, vector);
    return pn_dot3(seen, a->wrench + 3) + pn_dot3(vector, a->wrench);
}

pinion_status pn_transmission_length(const pinion_model *m, pinion_work *w, const double *q,
                                     const pinion_actuator_info *a, double *length)
{
    places at;
    double rate;
    *length = 0;
    if (a->tendon >= 0) return pn_tendon_length(m, w, q, NULL, a->tendon, length, &rate);
    if (a->type == PINION_ACTUATOR_FRAME) return PINION_OK;
    const pinion_status status = see(m, w, q, a, &at);
    if (status == PINION_OK && a->type == PINION_ACTUATOR_CRANK) {
        const crank x = crank_at(a, &at);
        *length = x.a - x.e;
    }
    if (status == PINION_OK && a->type == PINION_ACTUATOR_PAIR) *length = pair_length(a, &at);
    return status;
}

/* (dJ/dq_k)' F of one frame, times f. */
static void bend(int n, const double *H, const double load[6], double f, double *to)
{
    for (int i = 0; i < 6; i++)
        for (int jk = 0; jk < n * n; jk++) to[jk] += f * load[i] * H[i * n * n + jk];
}

pinion_status pn_d_transmit(const pinion_model *m, pinion_work *w, const double *q, const pinion_actuator_info *a,
                            double f, double *room, double *to)
{
    const int n = pinion_model_nv(m);
    places at;
    loads acts, change;
    if (a->tendon >= 0) return pn_tendon_bend(m, w, q, a->tendon, f, room, to);
    double *J[MOST], *H = room + 6 * MOST * n;
    pinion_status status = see(m, w, q, a, &at);
    if (status == PINION_OK) load(a, &at, &acts, NULL, NULL);
    for (int i = 0; i < at.count && status == PINION_OK; i++) {
        J[i] = room + 6 * n * i;
        status = pinion_jacobian(m, w, q, at.frame[i], PINION_REFERENCE_WORLD_ALIGNED, J[i]);
        if (status == PINION_OK)
            status = pinion_hessian(m, w, q, at.frame[i], PINION_REFERENCE_WORLD_ALIGNED, H);
        if (status == PINION_OK) bend(n, H, acts.f[i], f, to);
    }
    for (int k = 0; k < n && status == PINION_OK; k++) {
        motion by = {0};
        for (int i = 0; i < at.count; i++)
            for (int r = 0; r < 6; r++) by.x[i][r] = J[i][r * n + k];
        load(a, &at, &acts, &by, &change);
        for (int i = 0; i < at.count; i++)
            for (int j = 0; j < n; j++)
                for (int r = 0; r < 6; r++) to[j * n + k] += f * J[i][r * n + j] * change.f[i][r];
    }
    return status;
}
