// KDL, as kdl_parser builds its models: a joint with an origin and an axis, and a segment that ends in the body's
// frame. Its solvers for the mass matrix, forward dynamics and all poses at once take serial chains alone, and it has
// no free joint.
#include "peer.h"

#include <kdl/chaindynparam.hpp>
#include <kdl/chainfdsolver_recursive_newton_euler.hpp>
#include <kdl/chainfksolverpos_recursive.hpp>
#include <kdl/chainidsolver_recursive_newton_euler.hpp>
#include <kdl/chainjnttojacsolver.hpp>
#include <kdl/config.h>
#include <kdl/tree.hpp>
#include <kdl/treeidsolver_recursive_newton_euler.hpp>
#include <kdl/treejnttojacsolver.hpp>

#include <memory>
#include <vector>

using namespace KDL;

namespace {

struct theirs {
    const peer_robot *r;
    Chain chain, chain_tool;
    Tree tree, tree_tool;
    std::unique_ptr<ChainIdSolver_RNE> chain_id;
    std::unique_ptr<ChainDynParam> chain_mass;
    std::unique_ptr<ChainFdSolver_RNE> chain_fd;
    std::unique_ptr<ChainFkSolverPos_recursive> chain_fk;
    std::unique_ptr<ChainJntToJacSolver> chain_jacobian;
    std::unique_ptr<TreeIdSolver_RNE> tree_id;
    std::unique_ptr<TreeJntToJacSolver> tree_jacobian;
    std::vector<JntArray> q, v, a, tau;
    Wrenches none;
    WrenchMap none_tree;
    JntArray out;
    JntSpaceInertiaMatrix M;
    Jacobian J;
    std::vector<Frame> poses;
};

Frame frame(const double *R, const double *p)
{
    return Frame(Rotation(R[0], R[1], R[2], R[3], R[4], R[5], R[6], R[7], R[8]), Vector(p[0], p[1], p[2]));
}

Segment segment(const peer_body &b)
{
    const double *s = b.inertia;
    const Frame place = frame(b.rotation, b.position);
    const Vector axis = place.M * Vector(b.axis == 0, b.axis == 1, b.axis == 2);
    const Joint joint(b.name, place.p, axis, b.type == PEER_PRISMATIC ? Joint::TransAxis : Joint::RotAxis);
    const RigidBodyInertia inertia(b.mass, Vector(b.com[0], b.com[1], b.com[2]),
                                   RotationalInertia(s[0], s[3], s[5], s[1], s[2], s[4]));
    return Segment(b.name, joint, place, inertia);
}

bool is_chain(const peer_robot &r)
{
    for (int i = 0; i < r.bodies; i++)
        if (r.body[i].parent != i - 1) return false;
    return true;
}

void build(theirs &t)
{
    const peer_robot &r = *t.r;
    const Vector gravity(r.gravity[0], r.gravity[1], r.gravity[2]);
    const Segment tool("tool", Joint("tool joint", Joint::None), frame(r.tool_rotation, r.tool_position));
    if (is_chain(r)) {
        for (int i = 0; i < r.bodies; i++) t.chain.addSegment(segment(r.body[i]));
        t.chain_tool = t.chain;
        t.chain_tool.addSegment(tool);
        t.chain_id = std::make_unique<ChainIdSolver_RNE>(t.chain, gravity);
        t.chain_mass = std::make_unique<ChainDynParam>(t.chain, gravity);
        t.chain_fd = std::make_unique<ChainFdSolver_RNE>(t.chain, gravity);
        t.chain_fk = std::make_unique<ChainFkSolverPos_recursive>(t.chain);
        t.chain_jacobian = std::make_unique<ChainJntToJacSolver>(t.chain_tool);
    } else {
        for (int i = 0; i < r.bodies; i++) {
            const peer_body &b = r.body[i];
            if (!t.tree.addSegment(segment(b), b.parent < 0 ? "root" : r.body[b.parent].name))
                peer_fail("KDL refuses a segment");
        }
        t.tree_tool = t.tree;
        t.tree_tool.addSegment(tool, r.body[r.tool].name);
        t.tree_id = std::make_unique<TreeIdSolver_RNE>(t.tree, gravity);
        t.tree_jacobian = std::make_unique<TreeJntToJacSolver>(t.tree_tool);
    }
    t.none.assign((size_t)r.bodies, Wrench::Zero());
    t.out.resize((unsigned)r.nv);
    t.M.resize((unsigned)r.nv);
    t.J.resize((unsigned)r.nv);
    t.poses.resize((size_t)r.bodies);
}

JntArray array(const double *x, int n)
{
    JntArray y((unsigned)n);
    for (int i = 0; i < n; i++) y((unsigned)i) = x[i];
    return y;
}

template<void (*CALL)(theirs &, size_t)>
void run(void *self, const peer_variant *, int first, int count)
{
    theirs &t = *static_cast<theirs *>(self);
    for (size_t s = (size_t)first; s < (size_t)(first + count); s++) {
        CALL(t, s);
        peer_escape(&t);
    }
}

void chain_id(theirs &t, size_t s) { t.chain_id->CartToJnt(t.q[s], t.v[s], t.a[s], t.none, t.out); }
void chain_mass(theirs &t, size_t s) { t.chain_mass->JntToMass(t.q[s], t.M); }
void chain_fd(theirs &t, size_t s) { t.chain_fd->CartToJnt(t.q[s], t.v[s], t.tau[s], t.none, t.out); }
void chain_fk(theirs &t, size_t s) { t.chain_fk->JntToCart(t.q[s], t.poses); }
void chain_jacobian(theirs &t, size_t s) { t.chain_jacobian->JntToJac(t.q[s], t.J); }
void tree_id(theirs &t, size_t s) { t.tree_id->CartToJnt(t.q[s], t.v[s], t.a[s], t.none_tree, t.out); }
void tree_jacobian(theirs &t, size_t s) { t.tree_jacobian->JntToJac(t.q[s], t.J, "tool"); }

void result(void *self, const peer_variant *variant, int, double *out)
{
    theirs &t = *static_cast<theirs *>(self);
    const unsigned nv = (unsigned)t.r->nv;
    for (unsigned i = 0; i < nv; i++) {
        switch (variant->work) {
        case PEER_MASS_MATRIX:
            for (unsigned j = 0; j < nv; j++) out[i * nv + j] = t.M(i, j);
            break;
        case PEER_JACOBIAN:
            for (unsigned k = 0; k < 6; k++) out[k * nv + i] = t.J((k + 3) % 6, i);
            break;
        case PEER_KINEMATICS:
            for (int k = 0; k < 3; k++) {
                out[12 * i + (unsigned)k] = t.poses[i].p(k);
                for (int l = 0; l < 3; l++) out[12 * i + 3 + 3 * (unsigned)k + (unsigned)l] = t.poses[i].M(k, l);
            }
            break;
        default: out[i] = t.out(i);
        }
    }
}

} // namespace

int main(int argc, char **argv)
{
    theirs t;
    peer_robot *r = peer_read(argc, argv);
    t.r = r;
    if (r->body[0].type == PEER_FREE) peer_fail("KDL has no free joint");
    build(t);
    for (size_t s = 0; s < (size_t)r->states; s++) {
        t.q.push_back(array(r->q + s * (size_t)r->nq, r->nq));
        t.v.push_back(array(r->v + s * (size_t)r->nv, r->nv));
        t.a.push_back(array(r->a + s * (size_t)r->nv, r->nv));
        t.tau.push_back(array(r->tau + s * (size_t)r->nv, r->nv));
    }

    const peer_variant chain[] = {
        {PEER_INVERSE_DYNAMICS, "call", "f64", 1, "ChainIdSolver_RNE", run<chain_id>, result, 0, 0},
        {PEER_MASS_MATRIX, "call", "f64", 1, "ChainDynParam", run<chain_mass>, result, 0, 0},
        {PEER_FORWARD_DYNAMICS, "call", "f64", 1, "ChainFdSolver_RNE", run<chain_fd>, result, 0, 0},
        {PEER_KINEMATICS, "call", "f64", 1, "ChainFkSolverPos_recursive", run<chain_fk>, result, 0, 0},
        {PEER_JACOBIAN, "call", "f64", 1, "ChainJntToJacSolver", run<chain_jacobian>, result, 0, 0},
    };
    const peer_variant tree[] = {
        {PEER_INVERSE_DYNAMICS, "call", "f64", 1, "TreeIdSolver_RNE", run<tree_id>, result, 0, 0},
        {PEER_JACOBIAN, "call", "f64", 1, "TreeJntToJacSolver", run<tree_jacobian>, result, 0, 0},
    };
    if (is_chain(*r)) return peer_serve(r, "kdl", KDL_VERSION_STRING, chain, 5, &t);
    peer_absent(PEER_MASS_MATRIX, "KDL has it for serial chains only");
    peer_absent(PEER_FORWARD_DYNAMICS, "KDL has it for serial chains only");
    peer_absent(PEER_KINEMATICS, "KDL gives all poses at once for serial chains only");
    return peer_serve(r, "kdl", KDL_VERSION_STRING, tree, 2, &t);
}
