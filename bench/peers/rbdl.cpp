// RBDL. A floating base is a translation in the world and then a spherical joint, so that its velocity is
// [linear in the world; angular in the body]; the scalar of its quaternion is the last number of q.
#include "peer.h"

#include <rbdl/rbdl.h>

#include <cstdio>
#include <vector>

using namespace RigidBodyDynamics;
using namespace RigidBodyDynamics::Math;

namespace {

struct theirs {
    const peer_robot *r;
    Model model;
    std::vector<unsigned> id; // of the bodies
    std::vector<VectorNd> q, v, a, tau;
    VectorNd out;
    MatrixNd M, J;
    Vector3d tool;
};

Joint make_joint(const peer_body &b)
{
    if (b.type == PEER_FREE) return Joint(JointTypeFloatingBase);
    SpatialVector axis = SpatialVector::Zero();
    axis[b.axis + (b.type == PEER_PRISMATIC ? 3 : 0)] = 1;
    return Joint(axis);
}

void build(theirs &t)
{
    const peer_robot &r = *t.r;
    t.model.gravity = Vector3d(r.gravity[0], r.gravity[1], r.gravity[2]);
    for (int i = 0; i < r.bodies; i++) {
        const peer_body &b = r.body[i];
        const double *s = b.inertia, *R = b.rotation;
        Matrix3d I, E; // E takes the parent's coordinates to the joint's
        I << s[0], s[1], s[2], s[1], s[3], s[4], s[2], s[4], s[5];
        E << R[0], R[3], R[6], R[1], R[4], R[7], R[2], R[5], R[8];
        const SpatialTransform place(E, Vector3d(b.position[0], b.position[1], b.position[2]));
        const Body body(b.mass, Vector3d(b.com[0], b.com[1], b.com[2]), I);
        t.id.push_back(t.model.AddBody(b.parent < 0 ? 0 : t.id[(size_t)b.parent], place, make_joint(b), body, b.name));
    }
    if ((int)t.model.qdot_size != r.nv || (int)t.model.q_size != r.nq) peer_fail("RBDL made another model");
    t.out = VectorNd::Zero(r.nv);
    t.M = MatrixNd::Zero(r.nv, r.nv); // what is zero in both is never written
    t.J = MatrixNd::Zero(6, r.nv);
    t.tool = Vector3d(r.tool_position[0], r.tool_position[1], r.tool_position[2]);
}

void convert_states(theirs &t)
{
    const peer_robot &r = *t.r;
    for (int s = 0; s < r.states; s++) {
        const double *x = r.q + (size_t)s * (size_t)r.nq;
        VectorNd q = VectorNd::Zero(r.nq), v(r.nv), a(r.nv), tau(r.nv);
        const bool base_free = r.body[0].type == PEER_FREE;
        for (int i = 0; i < r.nq - 7 && base_free; i++) q[6 + i] = x[7 + i];
        for (int i = 0; i < r.nq && !base_free; i++) q[i] = x[i];
        if (base_free) {
            for (int i = 0; i < 3; i++) q[i] = x[4 + i];
            t.model.SetQuaternion(t.id[0], Quaternion(x[1], x[2], x[3], x[0]), q);
        }
        peer_to_world_first(&r, s, v.data(), a.data(), tau.data());
        t.q.push_back(q);
        t.v.push_back(v);
        t.a.push_back(a);
        t.tau.push_back(tau);
    }
}

void run(void *self, const peer_variant *variant, int first, int count)
{
    theirs &t = *static_cast<theirs *>(self);
    for (size_t s = (size_t)first; s < (size_t)(first + count); s++) {
        switch (variant->work) {
        case PEER_INVERSE_DYNAMICS: InverseDynamics(t.model, t.q[s], t.v[s], t.a[s], t.out); break;
        case PEER_MASS_MATRIX: CompositeRigidBodyAlgorithm(t.model, t.q[s], t.M); break;
        case PEER_FORWARD_DYNAMICS: ForwardDynamics(t.model, t.q[s], t.v[s], t.tau[s], t.out); break;
        case PEER_KINEMATICS: UpdateKinematicsCustom(t.model, &t.q[s], nullptr, nullptr); break;
        default: CalcPointJacobian6D(t.model, t.q[s], t.id[(size_t)t.r->tool], t.tool, t.J);
        }
        peer_escape(&t);
    }
}

void result(void *self, const peer_variant *variant, int state, double *out)
{
    theirs &t = *static_cast<theirs *>(self);
    const int nv = t.r->nv;
    for (int i = 0; i < nv; i++) {
        if (variant->work == PEER_MASS_MATRIX)
            for (int j = 0; j < nv; j++) out[i * nv + j] = t.M(i, j);
        else if (variant->work == PEER_JACOBIAN)
            for (int k = 0; k < 6; k++) out[k * nv + i] = t.J(k, i);
        else if (variant->work != PEER_KINEMATICS)
            out[i] = t.out[i];
    }
    for (int i = 0; variant->work == PEER_KINEMATICS && i < t.r->bodies; i++) {
        const SpatialTransform &X = t.model.X_base[t.id[(size_t)i]];
        for (int k = 0; k < 3; k++) {
            out[12 * i + k] = X.r[k];
            for (int l = 0; l < 3; l++) out[12 * i + 3 + 3 * k + l] = X.E(l, k);
        }
    }
    peer_from_world_first(t.r, state, variant->work, out);
}

} // namespace

int main(int argc, char **argv)
{
    theirs t;
    peer_robot *r = peer_read(argc, argv);
    t.r = r;
    build(t);
    convert_states(t);
    char version[32];
    std::snprintf(version, sizeof version, "%d.%d.%d", RBDL_API_VERSION >> 16 & 255, RBDL_API_VERSION >> 8 & 255,
                  RBDL_API_VERSION & 255);
    const peer_variant variant[] = {
        {PEER_INVERSE_DYNAMICS, "call", "f64", 1, "InverseDynamics", run, result, 0, 0},
        {PEER_MASS_MATRIX, "call", "f64", 1, "CompositeRigidBodyAlgorithm", run, result, 0, 0},
        {PEER_FORWARD_DYNAMICS, "call", "f64", 1, "ForwardDynamics", run, result, 0, 0},
        {PEER_KINEMATICS, "call", "f64", 1, "UpdateKinematicsCustom", run, result, 0, 0},
        {PEER_JACOBIAN, "call", "f64", 1, "CalcPointJacobian6D", run, result, 0, 0},
    };
    return peer_serve(r, "rbdl", version, variant, (int)(sizeof variant / sizeof *variant), &t);
}
