// MuJoCo. It has no articulated-body algorithm: forward dynamics is the mass matrix, its sparse factorization
// and the bias forces. Each work calls the stages that it needs from a new q, and no more: no contacts, no
// constraints.
#include "peer.h"

#include <math.h>
#include <mujoco/mujoco.h>
#include <stdlib.h>
#include <string.h>

typedef struct theirs {
    const peer_robot *r;
    mjModel *m;
    mjData *d;
    double *q, *v, *a, *tau; // [states]
    double *out;             // tau, a, or the two halves of a Jacobian
    double *A, *B;           // of a step
} theirs;

static double *numbers(size_t count)
{
    double *p = calloc(count ? count : 1, sizeof *p);
    if (!p) peer_fail("out of memory");
    return p;
}

// The unit quaternion of a rotation matrix, from the largest of its four squares (Shepperd 1978).
static void quaternion(const double R[9], double e[4])
{
    double trace = R[0] + R[4] + R[8], best = trace;
    int largest = 0;
    for (int i = 0; i < 3; i++)
        if (R[4 * i] > best) best = R[4 * i], largest = i + 1;
    if (largest == 0) {
        e[0] = 1 + trace;
        for (int i = 0; i < 3; i++) {
            int j = (i + 1) % 3, k = (i + 2) % 3;
            e[1 + i] = R[3 * k + j] - R[3 * j + k];
        }
    } else {
        int i = largest - 1, j = (i + 1) % 3, k = (i + 2) % 3;
        e[0] = R[3 * k + j] - R[3 * j + k];
        e[1 + i] = 1 + 2 * R[4 * i] - trace;
        e[1 + j] = R[3 * i + j] + R[3 * j + i];
        e[1 + k] = R[3 * i + k] + R[3 * k + i];
    }
    double length = sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3]);
    for (int i = 0; i < 4; i++) e[i] /= length;
}

static void add_body(mjsBody *parent, const peer_body *p, mjsBody **made)
{
    mjsBody *b = mjs_addBody(parent, NULL);
    const double *s = p->inertia;
    const double full[6] = {s[0], s[3], s[5], s[1], s[2], s[4]}; // MuJoCo: xx, yy, zz, xy, xz, yz
    if (!b) peer_fail("MuJoCo refuses a body");
    memcpy(b->pos, p->position, sizeof p->position);
    quaternion(p->rotation, b->quat);
    b->mass = p->mass;
    b->explicitinertial = 1;
    memcpy(b->ipos, p->com, sizeof p->com);
    memcpy(b->fullinertia, full, sizeof full);
    *made = b;
    mjsJoint *j = p->type == PEER_FREE ? mjs_addFreeJoint(b) : mjs_addJoint(b, NULL);
    if (!j || mjs_setName(j->element, p->name)) peer_fail("MuJoCo refuses a joint");
    if (p->type == PEER_FREE) return;
    j->type = p->type == PEER_PRISMATIC ? mjJNT_SLIDE : mjJNT_HINGE;
    for (int k = 0; k < 3; k++) j->axis[k] = k == p->axis;
}

// A motor for every velocity, as B has a column for each: of a free body six.
static void add_motors(mjSpec *spec, const peer_body *p)
{
    for (int k = 0; k < (p->type == PEER_FREE ? 6 : 1); k++) {
        mjsActuator *motor = mjs_addActuator(spec, NULL);
        if (!motor) peer_fail("MuJoCo refuses a motor");
        mjs_setToMotor(motor);
        motor->trntype = mjTRN_JOINT;
        mjs_setString(motor->target, p->name);
        motor->gear[0] = 0;
        motor->gear[k] = 1;
    }
}

static void build(theirs *t)
{
    const peer_robot *r = t->r;
    mjSpec *spec = mj_makeSpec();
    mjsBody **body = calloc((size_t)r->bodies, sizeof *body);
    if (!spec || !body) peer_fail("out of memory");
    // the masses as they are, and a free joint where the body's own frame is
    spec->compiler.boundmass = 0;
    spec->compiler.boundinertia = 0;
    spec->compiler.balanceinertia = 0;
    spec->compiler.fusestatic = 0;
    spec->compiler.alignfree = 0;
    spec->compiler.degree = 0;
    spec->option.disableflags |= mjDSBL_CONTACT | mjDSBL_CONSTRAINT;
    memcpy(spec->option.gravity, r->gravity, sizeof r->gravity);
    for (int i = 0; i < r->bodies; i++) {
        const peer_body *p = &r->body[i];
        add_body(p->parent < 0 ? mjs_findBody(spec, "world") : body[p->parent], p, &body[i]);
    }
    for (int i = 0; i < r->bodies; i++) add_motors(spec, &r->body[i]);
    t->m = mj_compile(spec, NULL);
    if (!t->m) peer_fail(mjs_getError(spec));
    mj_deleteSpec(spec);
    free(body);
    t->d = mj_makeData(t->m);
    if (!t->d || t->m->nv != r->nv || t->m->nq != r->nq || t->m->nu != r->nv) peer_fail("MuJoCo made another model");
    for (int i = 0; i < r->bodies; i++)
        if (t->m->body_dofadr[i + 1] != r->body[i].v) peer_fail("MuJoCo has the joints in another order");
}

// The position comes before the quaternion.
static void convert_states(theirs *t)
{
    const peer_robot *r = t->r;
    size_t nq = (size_t)r->nq, nv = (size_t)r->nv, states = (size_t)r->states;
    t->q = numbers(states * nq);
    t->v = numbers(states * nv);
    t->a = numbers(states * nv);
    t->tau = numbers(states * nv);
    t->out = numbers(6 * nv);
    t->A = numbers(4 * nv * nv);
    t->B = numbers(2 * nv * nv);
    for (size_t s = 0; s < states; s++) {
        memcpy(t->q + s * nq, r->q + s * nq, nq * sizeof *t->q);
        if (r->body[0].type == PEER_FREE) {
            memcpy(t->q + s * nq, r->q + s * nq + 4, 3 * sizeof *t->q);
            memcpy(t->q + s * nq + 3, r->q + s * nq, 4 * sizeof *t->q);
        }
        peer_to_world_first(r, (int)s, t->v + s * nv, t->a + s * nv, t->tau + s * nv);
    }
}

// What happens to one state; the data takes it in first, because the stages read it there.
static void compute(theirs *t, enum peer_work work, size_t s)
{
    const mjModel *m = t->m;
    mjData *d = t->d;
    size_t nq = (size_t)t->r->nq, nv = (size_t)t->r->nv;
    memcpy(d->qpos, t->q + s * nq, nq * sizeof *d->qpos);
    if (work == PEER_D_FORWARD_DYNAMICS) {
        memcpy(d->qvel, t->v + s * nv, nv * sizeof *d->qvel);
        memcpy(d->ctrl, t->tau + s * nv, nv * sizeof *d->ctrl);
        mjd_transitionFD(m, d, 1e-6, 0, t->A, t->B, NULL, NULL);
        return;
    }
    mj_kinematics(m, d);
    if (work == PEER_KINEMATICS) return;
    mj_comPos(m, d);
    if (work == PEER_JACOBIAN) {
        double point[3];
        const double *R = d->xmat + 9 * (t->r->tool + 1), *x = t->r->tool_position;
        for (int i = 0; i < 3; i++)
            point[i] = d->xpos[3 * (t->r->tool + 1) + i] + R[3 * i] * x[0] + R[3 * i + 1] * x[1] +
                       R[3 * i + 2] * x[2];
        mj_jac(m, d, t->out + 3 * nv, t->out, point, t->r->tool + 1);
        return;
    }
    if (work != PEER_INVERSE_DYNAMICS) mj_makeM(m, d);
    if (work == PEER_MASS_MATRIX) return;

    memcpy(d->qvel, t->v + s * nv, nv * sizeof *d->qvel);
    mj_comVel(m, d);
    if (work == PEER_INVERSE_DYNAMICS) {
        memcpy(d->qacc, t->a + s * nv, nv * sizeof *d->qacc);
        mj_rne(m, d, 1, t->out);
        return;
    }
    mj_factorM(m, d);
    mj_rne(m, d, 0, t->out);
    for (size_t i = 0; i < nv; i++) t->out[i] = t->tau[s * nv + i] - t->out[i];
    mj_solveM(m, d, t->out, t->out, 1);
}

static void run(void *self, const peer_variant *variant, int first, int count)
{
    theirs *t = self;
    for (int s = first; s < first + count; s++) {
        compute(t, variant->work, (size_t)s);
        peer_escape(t->d);
    }
}

// A step is v + dt a: of A = [., .; dt da/dq, 1 + dt da/dv] and B the lower halves.
static void acceleration_derivatives(const theirs *t, size_t nv, double *out)
{
    double *dv = out + nv * nv, *dtau = dv + nv * nv, dt = t->m->opt.timestep;
    for (size_t i = 0; i < nv; i++)
        for (size_t j = 0; j < nv; j++) {
            out[i * nv + j] = t->A[(nv + i) * 2 * nv + j] / dt;
            dv[i * nv + j] = (t->A[(nv + i) * 2 * nv + nv + j] - (i == j)) / dt;
            dtau[i * nv + j] = t->B[(nv + i) * nv + j] / dt;
        }
}

static void result(void *self, const peer_variant *variant, int state, double *out)
{
    theirs *t = self;
    size_t nv = (size_t)t->r->nv;
    if (variant->work == PEER_KINEMATICS) {
        for (int i = 0; i < t->r->bodies; i++) {
            memcpy(out + 12 * i, t->d->xpos + 3 * (i + 1), 3 * sizeof *out);
            memcpy(out + 12 * i + 3, t->d->xmat + 9 * (i + 1), 9 * sizeof *out);
        }
    } else if (variant->work == PEER_MASS_MATRIX) {
        // column by column, because the sparse layout differs between versions
        double *unit = numbers(nv);
        for (size_t i = 0; i < nv; i++) {
            unit[i] = 1;
            mj_mulM(t->m, t->d, out + i * nv, unit);
            unit[i] = 0;
        }
        free(unit);
    } else if (variant->work == PEER_D_FORWARD_DYNAMICS) {
        acceleration_derivatives(t, nv, out);
    } else {
        memcpy(out, t->out, peer_size(t->r, variant->work) * sizeof *out);
    }
    peer_from_world_first(t->r, state, variant->work, out);
}

int main(int argc, char **argv)
{
    static theirs t;
    peer_robot *r = peer_read(argc, argv);
    t.r = r;
    build(&t);
    convert_states(&t);
    static const char *const name[PEER_WORKS] = {
        [PEER_INVERSE_DYNAMICS] = "mj_rne",
        [PEER_MASS_MATRIX] = "mj_makeM",
        [PEER_FORWARD_DYNAMICS] = "mj_makeM, mj_factorM, mj_rne, mj_solveM",
        [PEER_KINEMATICS] = "mj_kinematics",
        [PEER_D_FORWARD_DYNAMICS] = "mjd_transitionFD",
        [PEER_JACOBIAN] = "mj_jac"};
    peer_variant variant[PEER_WORKS];
    int variants = 0;
    for (int w = 0; w < PEER_WORKS; w++)
        if (name[w])
            variant[variants++] = (peer_variant){(enum peer_work)w, "call", "f64", 1, name[w], run, result, 0, 0};
    return peer_serve(r, "mujoco", mj_versionString(), variant, variants, &t);
}
