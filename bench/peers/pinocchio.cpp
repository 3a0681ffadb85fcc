// Pinocchio, compiled from its headers alone: an object of its library made for another processor's registers must
// not be mixed with code for this one.
#include "peer.h"

#include <pinocchio/algorithm/aba-derivatives.hpp>
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/constrained-dynamics-derivatives.hpp>
#include <pinocchio/algorithm/constrained-dynamics.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/frames.hpp>
#include <pinocchio/algorithm/jacobian.hpp>
#include <pinocchio/algorithm/kinematics.hpp>
#include <pinocchio/algorithm/regressor.hpp>
#include <pinocchio/algorithm/rnea-derivatives.hpp>
#include <pinocchio/algorithm/rnea.hpp>

#include <cmath>
#include <vector>

using namespace pinocchio;
using RowMatrix3 = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;
using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

namespace {

struct theirs {
    const peer_robot *r;
    Model model;
    Data data;
    FrameIndex tool;
    std::vector<Eigen::VectorXd> q, v, a, tau;
    Data::Matrix6x J;
    // the tool frame's origin, which does not accelerate along its own axes
    std::vector<RigidConstraintModel> held;
    std::vector<RigidConstraintData> held_data;
    Data constrained;
};

SE3 placement(const double *rotation, const double *position)
{
    return SE3(RowMatrix3(Eigen::Map<const RowMatrix3>(rotation)), Eigen::Map<const Eigen::Vector3d>(position));
}

// An unbounded angle is (cos, sin) in Pinocchio.
JointIndex add_joint(Model &m, const peer_body &b)
{
    const JointIndex parent = (JointIndex)(b.parent + 1);
    const SE3 place = placement(b.rotation, b.position);
    switch (b.type) {
    case PEER_FREE: return m.addJoint(parent, JointModelFreeFlyer(), place, b.name);
    case PEER_REVOLUTE:
        return b.axis == 0   ? m.addJoint(parent, JointModelRX(), place, b.name)
               : b.axis == 1 ? m.addJoint(parent, JointModelRY(), place, b.name)
                             : m.addJoint(parent, JointModelRZ(), place, b.name);
    case PEER_CONTINUOUS:
        return b.axis == 0   ? m.addJoint(parent, JointModelRUBX(), place, b.name)
               : b.axis == 1 ? m.addJoint(parent, JointModelRUBY(), place, b.name)
                             : m.addJoint(parent, JointModelRUBZ(), place, b.name);
    default:
        return b.axis == 0   ? m.addJoint(parent, JointModelPX(), place, b.name)
               : b.axis == 1 ? m.addJoint(parent, JointModelPY(), place, b.name)
                             : m.addJoint(parent, JointModelPZ(), place, b.name);
    }
}

void build(theirs &t)
{
    const peer_robot &r = *t.r;
    t.model.gravity.linear() = Eigen::Map<const Eigen::Vector3d>(r.gravity);
    for (int i = 0; i < r.bodies; i++) {
        const peer_body &b = r.body[i];
        const double *s = b.inertia;
        Eigen::Matrix3d I;
        I << s[0], s[1], s[2], s[1], s[3], s[4], s[2], s[4], s[5];
        const JointIndex joint = add_joint(t.model, b);
        if (joint != (JointIndex)(i + 1)) peer_fail("the joints are in another order");
        t.model.appendBodyToJoint(joint, Inertia(b.mass, Eigen::Map<const Eigen::Vector3d>(b.com), I));
    }
    t.tool = t.model.addFrame(Frame("tool", (JointIndex)(r.tool + 1), 0, placement(r.tool_rotation, r.tool_position),
                                    OP_FRAME));
    t.data = Data(t.model);
    t.J = Data::Matrix6x::Zero(6, r.nv);
    t.held.emplace_back(CONTACT_3D, t.model, (JointIndex)(r.tool + 1), placement(r.tool_rotation, r.tool_position),
                        LOCAL);
    t.held_data.emplace_back(t.held[0]);
    t.constrained = Data(t.model);
    initConstraintDynamics(t.model, t.constrained, t.held, t.held_data);
}

// Linear before angular, and the quaternion's scalar last.
Eigen::VectorXd swapped(const theirs &t, const double *x)
{
    Eigen::VectorXd y = Eigen::Map<const Eigen::VectorXd>(x, t.r->nv);
    if (t.r->body[0].type == PEER_FREE) {
        y.head<3>() = Eigen::Map<const Eigen::Vector3d>(x + 3);
        y.segment<3>(3) = Eigen::Map<const Eigen::Vector3d>(x);
    }
    return y;
}

void put_configuration(const theirs &t, const double *from, Eigen::VectorXd &q)
{
    for (int i = 0; i < t.r->bodies; i++) {
        const peer_body &b = t.r->body[i];
        const double *x = from + b.q;
        const int to = t.model.joints[(size_t)i + 1].idx_q();
        if (b.type == PEER_FREE)
            q.segment<7>(to) << x[4], x[5], x[6], x[1], x[2], x[3], x[0];
        else if (b.type == PEER_CONTINUOUS)
            q.segment<2>(to) << std::cos(*x), std::sin(*x);
        else
            q[to] = *x;
    }
}

void convert_states(theirs &t)
{
    const peer_robot &r = *t.r;
    for (int s = 0; s < r.states; s++) {
        Eigen::VectorXd q(t.model.nq);
        put_configuration(t, r.q + (size_t)s * r.nq, q);
        t.q.push_back(q);
        t.v.push_back(swapped(t, r.v + (size_t)s * r.nv));
        t.a.push_back(swapped(t, r.a + (size_t)s * r.nv));
        t.tau.push_back(swapped(t, r.tau + (size_t)s * r.nv));
    }
}

// A loop over the states around a call that the compiler sees.
template<void (*CALL)(theirs &, size_t)>
void run(void *self, const peer_variant *, int first, int count)
{
    theirs &t = *static_cast<theirs *>(self);
    for (size_t s = (size_t)first; s < (size_t)(first + count); s++) {
        CALL(t, s);
        peer_escape(&t.data);
    }
}

void call_rnea(theirs &t, size_t s) { rnea(t.model, t.data, t.q[s], t.v[s], t.a[s]); }
template<Convention C> void call_crba(theirs &t, size_t s) { crba(t.model, t.data, t.q[s], C); }
template<Convention C> void call_aba(theirs &t, size_t s) { aba(t.model, t.data, t.q[s], t.v[s], t.tau[s], C); }
void call_kinematics(theirs &t, size_t s) { forwardKinematics(t.model, t.data, t.q[s]); }
void call_d_rnea(theirs &t, size_t s) { computeRNEADerivatives(t.model, t.data, t.q[s], t.v[s], t.a[s]); }
void call_d_aba(theirs &t, size_t s) { computeABADerivatives(t.model, t.data, t.q[s], t.v[s], t.tau[s]); }
void call_regressor(theirs &t, size_t s) { computeJointTorqueRegressor(t.model, t.data, t.q[s], t.v[s], t.a[s]); }
void call_d_constrained(theirs &t, size_t s)
{
    constraintDynamics(t.model, t.constrained, t.q[s], t.v[s], t.tau[s], t.held, t.held_data);
    computeConstraintDynamicsDerivatives(t.model, t.constrained, t.held, t.held_data);
    peer_escape(&t.constrained);
}
template<ReferenceFrame R> void call_frame_jacobian(theirs &t, size_t s)
{
    computeFrameJacobian(t.model, t.data, t.q[s], t.tool, R, t.J);
    peer_escape(t.J.data());
}
void call_joint_jacobians(theirs &t, size_t s)
{
    computeJointJacobians(t.model, t.data, t.q[s]);
    getFrameJacobian(t.model, t.data, t.tool, LOCAL, t.J);
    peer_escape(t.J.data());
}

// Pinion's order: angular first. The indices of the first six velocities change places in pairs of three.
int from(const theirs &t, int i) { return t.r->body[0].type == PEER_FREE && i < 6 ? (i + 3) % 6 : i; }

// of a matrix over the velocities; where only the upper triangle is written, the lower one is its mirror
template<class M> void put(const theirs &t, const M &matrix, bool upper, double *out)
{
    const int nv = t.r->nv;
    for (int i = 0; i < nv; i++)
        for (int j = 0; j < nv; j++) {
            const int k = from(t, i), l = from(t, j);
            out[(size_t)i * nv + j] = upper ? matrix(std::min(k, l), std::max(k, l)) : matrix(k, l);
        }
}

// Ixx, Ixy, Iyy, Ixz, Iyz, Izz in Pinocchio
void put_regressor(const theirs &t, double *out)
{
    const int columns = 10 * t.r->bodies;
    for (int i = 0; i < t.r->nv; i++)
        for (int j = 0; j < columns; j++) {
            const int k = j % 10, l = j - k + (k == 6 ? 7 : k == 7 ? 6 : k);
            out[(size_t)i * columns + j] = t.data.jointTorqueRegressor(from(t, i), l);
        }
}

void result(void *self, const peer_variant *variant, int, double *out)
{
    theirs &t = *static_cast<theirs *>(self);
    const int nv = t.r->nv;
    Eigen::Map<RowMatrix> matrix(out, variant->work == PEER_JACOBIAN ? 6 : nv, nv);
    switch (variant->work) {
    case PEER_INVERSE_DYNAMICS:
        for (int i = 0; i < nv; i++) out[i] = t.data.tau[from(t, i)];
        break;
    case PEER_FORWARD_DYNAMICS:
        for (int i = 0; i < nv; i++) out[i] = t.data.ddq[from(t, i)];
        break;
    case PEER_MASS_MATRIX: put(t, t.data.M, true, out); break;
    case PEER_D_INVERSE_DYNAMICS:
        put(t, t.data.dtau_dq, false, out);
        put(t, t.data.dtau_dv, false, out + nv * nv);
        put(t, t.data.M, true, out + 2 * nv * nv);
        break;
    case PEER_D_FORWARD_DYNAMICS:
        put(t, t.data.ddq_dq, false, out);
        put(t, t.data.ddq_dv, false, out + nv * nv);
        put(t, t.data.Minv, true, out + 2 * nv * nv);
        break;
    case PEER_REGRESSOR: put_regressor(t, out); break;
    case PEER_D_CONSTRAINED:
        put(t, t.constrained.ddq_dq, false, out);
        put(t, t.constrained.ddq_dv, false, out + nv * nv);
        put(t, t.constrained.ddq_dtau, false, out + 2 * nv * nv);
        break;
    case PEER_KINEMATICS:
        for (int i = 0; i < t.r->bodies; i++) {
            const SE3 &X = t.data.oMi[(size_t)i + 1];
            Eigen::Map<Eigen::Vector3d>(out + 12 * i) = X.translation();
            Eigen::Map<RowMatrix3>(out + 12 * i + 3) = X.rotation();
        }
        break;
    default:
        for (int j = 0; j < nv; j++) {
            matrix.block<3, 1>(0, j) = t.J.block<3, 1>(3, from(t, j));
            matrix.block<3, 1>(3, j) = t.J.block<3, 1>(0, from(t, j));
        }
    }
}

// ---- what examples/ilqr.c asks for, in Pinion's coordinates and row by row ----

theirs *solver;

void take(const double *q, const double *v, const double *tau)
{
    theirs &t = *solver;
    put_configuration(t, q, t.q[0]);
    t.v[0] = swapped(t, v);
    t.tau[0] = swapped(t, tau);
}

template<class M> void give(const M &matrix, double *out)
{
    const int nv = solver->r->nv;
    Eigen::Map<RowMatrix> to(out, nv, nv);
    to = matrix;
    if (solver->r->body[0].type != PEER_FREE) return;
    to.topRows<3>().swap(to.middleRows<3>(3));
    to.leftCols<3>().swap(to.middleCols<3>(3));
}

} // namespace

extern "C" {
int peer_ilqr(const char *path, const char *base);
int peer_forward_dynamics(const void *, void *, const double *q, const double *v, const double *tau, const double *,
                          double *a)
{
    theirs &t = *solver;
    take(q, v, tau);
    aba(t.model, t.data, t.q[0], t.v[0], t.tau[0], Convention::WORLD);
    for (int i = 0; i < t.r->nv; i++) a[i] = t.data.ddq[from(t, i)];
    return 0;
}
int peer_d_forward_dynamics(const void *, void *, const double *q, const double *v, const double *tau, const double *,
                            double *dq, double *dv, double *dtau)
{
    theirs &t = *solver;
    take(q, v, tau);
    computeABADerivatives(t.model, t.data, t.q[0], t.v[0], t.tau[0]);
    t.data.Minv.triangularView<Eigen::StrictlyLower>() = t.data.Minv.transpose();
    give(t.data.ddq_dq, dq);
    give(t.data.ddq_dv, dv);
    give(t.data.Minv, dtau);
    return 0;
}
}

int main(int argc, char **argv)
{
    theirs t;
    const bool ilqr = argc == 5; // then a model and its base follow
    t.r = peer_read(ilqr ? 3 : argc, argv);
    build(t);
    convert_states(t);
    solver = &t;
    if (ilqr) return peer_ilqr(argv[3], argv[4]);

    const peer_variant variant[] = {
        {PEER_INVERSE_DYNAMICS, "call", "f64", 1, "rnea", run<call_rnea>, result, 0, 0},
        {PEER_MASS_MATRIX, "call", "f64", 1, "crba LOCAL", run<call_crba<Convention::LOCAL>>, result, 0, 0},
        {PEER_MASS_MATRIX, "call", "f64", 1, "crba WORLD", run<call_crba<Convention::WORLD>>, result, 0, 0},
        {PEER_FORWARD_DYNAMICS, "call", "f64", 1, "aba LOCAL", run<call_aba<Convention::LOCAL>>, result, 0, 0},
        {PEER_FORWARD_DYNAMICS, "call", "f64", 1, "aba WORLD", run<call_aba<Convention::WORLD>>, result, 0, 0},
        {PEER_KINEMATICS, "call", "f64", 1, "forwardKinematics", run<call_kinematics>, result, 0, 0},
        {PEER_D_INVERSE_DYNAMICS, "call", "f64", 1, "computeRNEADerivatives", run<call_d_rnea>, result, 0, 0},
        {PEER_D_FORWARD_DYNAMICS, "call", "f64", 1, "computeABADerivatives", run<call_d_aba>, result, 0, 0},
        {PEER_REGRESSOR, "call", "f64", 1, "computeJointTorqueRegressor", run<call_regressor>, result, 0, 0},
        {PEER_JACOBIAN, "call", "f64", 1, "computeFrameJacobian LOCAL_WORLD_ALIGNED",
         run<call_frame_jacobian<LOCAL_WORLD_ALIGNED>>, result, 0, 0},
        {PEER_JACOBIAN, "call", "f64", 1, "computeFrameJacobian LOCAL", run<call_frame_jacobian<LOCAL>>, result, 0, 1},
        {PEER_JACOBIAN, "call", "f64", 1, "computeJointJacobians, getFrameJacobian LOCAL", run<call_joint_jacobians>,
         result, 0, 1},
        {PEER_D_CONSTRAINED, "call", "f64", 1, "constraintDynamics, computeConstraintDynamicsDerivatives",
         run<call_d_constrained>, result, 0, 0},
    };
    const int variants = (int)(sizeof variant / sizeof *variant) - !peer_holds_tool(t.r); // the last one
    return peer_serve(const_cast<peer_robot *>(t.r), "pinocchio", PINOCCHIO_VERSION, variant, variants, &t);
}
