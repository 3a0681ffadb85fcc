// DART. Its state lives in the skeleton: a work sets it and asks for what it needs, and what does not depend on the
// change is kept.
#include "peer.h"

#include <dart/config.hpp>
#include <dart/dynamics/BodyNode.hpp>
#include <dart/dynamics/FreeJoint.hpp>
#include <dart/dynamics/PrismaticJoint.hpp>
#include <dart/dynamics/RevoluteJoint.hpp>
#include <dart/dynamics/Skeleton.hpp>

#include <string>
#include <vector>

using namespace dart::dynamics;
using RowMatrix3 = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;

namespace {

struct theirs {
    const peer_robot *r;
    SkeletonPtr skeleton = Skeleton::create("robot");
    std::vector<BodyNode *> body;
    std::vector<Eigen::VectorXd> q, v, a, tau;
    Eigen::VectorXd out;
    dart::math::Jacobian J;
    std::vector<Eigen::Isometry3d> poses;
};

Eigen::Isometry3d isometry(const double *rotation, const double *position)
{
    Eigen::Isometry3d X = Eigen::Isometry3d::Identity();
    X.linear() = Eigen::Map<const RowMatrix3>(rotation);
    X.translation() = Eigen::Map<const Eigen::Vector3d>(position);
    return X;
}

template<class JOINT> JOINT *add_joint(theirs &t, const peer_body &b, BodyNode *parent)
{
    auto pair = t.skeleton->createJointAndBodyNodePair<JOINT>(parent);
    pair.first->setName(std::string("joint ") + b.name);
    pair.first->setTransformFromParentBodyNode(isometry(b.rotation, b.position));
    pair.second->setName(b.name);
    t.body.push_back(pair.second);
    return pair.first;
}

void build(theirs &t)
{
    const peer_robot &r = *t.r;
    t.skeleton->setGravity(Eigen::Map<const Eigen::Vector3d>(r.gravity));
    for (int i = 0; i < r.bodies; i++) {
        const peer_body &b = r.body[i];
        if (!(b.mass > 0)) peer_fail("DART takes no body without mass");
        BodyNode *parent = b.parent < 0 ? nullptr : t.body[(size_t)b.parent];
        const Eigen::Vector3d axis = Eigen::Vector3d::Unit(b.axis);
        if (b.type == PEER_FREE)
            add_joint<FreeJoint>(t, b, parent);
        else if (b.type == PEER_PRISMATIC)
            add_joint<PrismaticJoint>(t, b, parent)->setAxis(axis);
        else
            add_joint<RevoluteJoint>(t, b, parent)->setAxis(axis);
        const double *s = b.inertia;
        Eigen::Matrix3d I;
        I << s[0], s[1], s[2], s[1], s[3], s[4], s[2], s[4], s[5];
        t.body.back()->setInertia(Inertia(b.mass, Eigen::Map<const Eigen::Vector3d>(b.com), I));
    }
    for (int i = 0; i < r.bodies; i++)
        if ((int)t.body[(size_t)i]->getParentJoint()->getIndexInSkeleton(0) != r.body[i].v)
            peer_fail("DART has the joints in another order");
    t.poses.resize((size_t)r.bodies);
}

void convert_states(theirs &t)
{
    const peer_robot &r = *t.r;
    for (size_t s = 0; s < (size_t)r.states; s++) {
        const double *x = r.q + s * (size_t)r.nq;
        const size_t row = s * (size_t)r.nv;
        Eigen::VectorXd q(r.nv);
        if (r.body[0].type == PEER_FREE) {
            double R[9];
            peer_rotation(x, R);
            q.head<6>() = FreeJoint::convertToPositions(isometry(R, x + 4));
            q.tail(r.nv - 6) = Eigen::Map<const Eigen::VectorXd>(x + 7, r.nv - 6);
        } else {
            q = Eigen::Map<const Eigen::VectorXd>(x, r.nv);
        }
        t.q.push_back(q);
        t.v.push_back(Eigen::Map<const Eigen::VectorXd>(r.v + row, r.nv));
        t.a.push_back(Eigen::Map<const Eigen::VectorXd>(r.a + row, r.nv));
        t.tau.push_back(Eigen::Map<const Eigen::VectorXd>(r.tau + row, r.nv));
    }
}

void compute(theirs &t, enum peer_work work, size_t s)
{
    Skeleton &k = *t.skeleton;
    k.setPositions(t.q[s]);
    switch (work) {
    case PEER_INVERSE_DYNAMICS:
        k.setVelocities(t.v[s]);
        k.setAccelerations(t.a[s]);
        k.computeInverseDynamics(false, false, false);
        break;
    case PEER_MASS_MATRIX: peer_escape(k.getMassMatrix().data()); break;
    case PEER_FORWARD_DYNAMICS:
        k.setVelocities(t.v[s]);
        k.setForces(t.tau[s]);
        k.computeForwardDynamics();
        break;
    case PEER_KINEMATICS:
        for (size_t i = 0; i < t.body.size(); i++) t.poses[i] = t.body[i]->getWorldTransform();
        break;
    default:
        t.J = k.getWorldJacobian(t.body[(size_t)t.r->tool], Eigen::Map<const Eigen::Vector3d>(t.r->tool_position));
    }
}

void run(void *self, const peer_variant *variant, int first, int count)
{
    theirs &t = *static_cast<theirs *>(self);
    for (int s = first; s < first + count; s++) {
        compute(t, variant->work, (size_t)s);
        peer_escape(&t);
    }
}

void result(void *self, const peer_variant *variant, int, double *out)
{
    theirs &t = *static_cast<theirs *>(self);
    const int nv = t.r->nv;
    using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    switch (variant->work) {
    case PEER_INVERSE_DYNAMICS: Eigen::Map<Eigen::VectorXd>(out, nv) = t.skeleton->getForces(); break;
    case PEER_FORWARD_DYNAMICS: Eigen::Map<Eigen::VectorXd>(out, nv) = t.skeleton->getAccelerations(); break;
    case PEER_MASS_MATRIX: Eigen::Map<RowMatrix>(out, nv, nv) = t.skeleton->getMassMatrix(); break;
    case PEER_JACOBIAN: Eigen::Map<RowMatrix>(out, 6, nv) = t.J; break;
    default:
        for (int i = 0; i < t.r->bodies; i++) {
            Eigen::Map<Eigen::Vector3d>(out + 12 * i) = t.poses[(size_t)i].translation();
            Eigen::Map<RowMatrix3>(out + 12 * i + 3) = t.poses[(size_t)i].linear();
        }
    }
}

} // namespace

int main(int argc, char **argv)
{
    theirs t;
    peer_robot *r = peer_read(argc, argv);
    t.r = r;
    build(t);
    convert_states(t);
    const peer_variant variant[] = {
        {PEER_INVERSE_DYNAMICS, "call", "f64", 1, "computeInverseDynamics", run, result, 0, 0},
        {PEER_MASS_MATRIX, "call", "f64", 1, "getMassMatrix", run, result, 0, 0},
        {PEER_FORWARD_DYNAMICS, "call", "f64", 1, "computeForwardDynamics", run, result, 0, 0},
        {PEER_KINEMATICS, "call", "f64", 1, "getWorldTransform of all bodies", run, result, 0, 0},
        {PEER_JACOBIAN, "call", "f64", 1, "getWorldJacobian", run, result, 0, 0},
    };
    return peer_serve(r, "dart", DART_VERSION, variant, (int)(sizeof variant / sizeof *variant), &t);
}
