"""The numbers are right: against Pinocchio's, against formulas written here, and against each other."""
import json

import numpy as np
import pytest

import pinion as pn

pytestmark = pytest.mark.quick


# ---- reference values of another library, in its own layout ----

def layout(m, joints):
    """Places of the model's q and v in the other layout, joint by joint."""
    theirs = {j["name"]: j for j in joints}
    return [(j, theirs["root_joint" if j.name == "root" else j.name]) for j in m.joints]


def from_theirs(m, joints, q, vectors):
    """q, and arrays with one entry a velocity, from their order to ours."""
    ours, order = np.empty(m.nq), np.empty(m.nv, dtype=int)
    for j, t in layout(m, joints):
        part = np.array(q[t["idx_q"]:t["idx_q"] + t["nq"]])
        v = np.arange(t["idx_v"], t["idx_v"] + t["nv"])
        if j.type == "free":
            part, v = np.concatenate([part[[6, 3, 4, 5]], part[:3]]), v[[3, 4, 5, 0, 1, 2]]
        elif t["nq"] == 2:
            part = [np.arctan2(part[1], part[0])]
        ours[j.q], order[j.v] = part, v
    return ours, [np.array(x)[order] for x in vectors], order


ROBOTS = ["panda.json", "panda.ff.json", "ur5_robot.json", "double_pendulum_continuous.json", "solo12.ff.json",
          "simple_humanoid.ff.json", "talos_full_v2.json", "baxter.json"]


@pytest.mark.parametrize("name", ROBOTS)
def test_oracle(shared, name):
    oracle = json.loads((shared / "oracle" / name).read_text())
    m = pn.load(shared / "robots" / f"{oracle['model']}.urdf", root="free" if ".ff" in name else "fixed",
                mimic="independent")
    assert (m.nv, len(m.joints)) == (oracle["nv"], len(oracle["joints"]))
    assert m.mass == pytest.approx(oracle["total_mass"], rel=1e-12)
    for s in oracle["states"]:
        q, (v, a, tau, rnea, gravity, bias), order = from_theirs(
            m, oracle["joints"], s["q"], [s[k] for k in ("v", "a", "tau", "rnea", "gravity_torque", "nle")])

        def close(ours, theirs, what):
            theirs = np.array(theirs, dtype=float)
            # some 1e-10 of the largest entry: both libraries round, and robots have up to 50 joints in a row
            np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-10 * max(1, np.abs(theirs).max()), err_msg=what)

        square = np.ix_(order, order)
        close(m.inverse_dynamics(q, v, a), rnea, "inverse_dynamics")
        close(m.gravity(q), gravity, "gravity")
        close(m.bias(q, v), bias, "bias")
        close(m.mass_matrix(q), np.array(s["M"])[square], "mass_matrix")
        if "dtau_dq" in s:  # files of large robots are without
            d = m.d_inverse_dynamics(q, v, a)
            close(d.dq, np.array(s["dtau_dq"])[square], "dq")
            close(d.dv, np.array(s["dtau_dv"])[square], "dv")
        close(m.energy(q, v).kinetic, s["kinetic_energy"], "kinetic")
        close(m.energy(q, v).potential, s["potential_energy"], "potential")
        close(m.com(q, v).position, s["com"], "com")
        close(m.momentum(q, v), np.array(s["hg"])[[3, 4, 5, 0, 1, 2]], "momentum")
        frame = oracle["jacobian_frame"]
        close(m.jacobian(q, frame), np.array(s["frame_jacobian"])[[3, 4, 5, 0, 1, 2]][:, order], "jacobian")
        pose, theirs = m.pose(q, frame), s["body_placements"][frame]
        close(pose.position, theirs["translation"], "position")
        close(pose.rotation.ravel(), theirs["rotation"], "rotation")
        if not oracle["singular_mass_matrix"]:
            aba = np.array(s["aba"])[order]
            # accelerations are as exact as M is well-conditioned
            scale = np.linalg.cond(np.array(s["M"])) * 1e-13 + 1e-11
            assert np.abs(m.forward_dynamics(q, v, tau) - aba).max() <= scale * max(1, np.abs(aba).max())


# ---- formulas ----

@pytest.fixture(scope="module")
def pendulum():
    b = pn.Builder("pendulum")
    b.add_link("base")
    b.add_link("rod", mass=2.0, com=(0, 0, -0.5), inertia={"yy": 0.1})
    b.add_joint("pivot", "continuous", "base", "rod", axis=(0, 1, 0), damping=0.3)
    b.add_frame("tip", "rod", origin={"position": [0, 0, -1]})
    return b.build()


def test_pendulum(pendulum, rng):
    q, v, a = rng.normal(size=(3, 50, 1))
    inertia, g = 0.1 + 2.0 * 0.25, 9.81  # J + m l^2
    tau = inertia * a + 2 * g * 0.5 * np.sin(q)
    np.testing.assert_allclose(pendulum.inverse_dynamics(q, v, a), tau, rtol=0, atol=1e-13)
    np.testing.assert_allclose(pendulum.mass_matrix(q), np.full((50, 1, 1), inertia), rtol=1e-15)
    energy = pendulum.energy(q, v)
    np.testing.assert_allclose(energy.kinetic, inertia * v[:, 0] ** 2 / 2, rtol=1e-14)
    np.testing.assert_allclose(energy.potential, -2 * g * 0.5 * np.cos(q[:, 0]), rtol=0, atol=1e-14)
    np.testing.assert_allclose(pendulum.passive_forces(q, v), -0.3 * v, rtol=1e-15)
    tip = pendulum.pose(q, "tip").position
    np.testing.assert_allclose(tip, np.stack([-np.sin(q[:, 0]), 0 * q[:, 0], -np.cos(q[:, 0])], -1), rtol=0, atol=1e-15)


def test_newton_of_a_free_body(rng):
    """One body in space: Newton's and Euler's equations, written out."""
    J, mass, c = np.diag([0.3, 0.5, 0.7]), 3.0, np.zeros(3)
    m = pn.Builder("body").add_link("b", mass=mass, com=c, inertia=J).build(root="free")
    q, v, a = m.random(4), rng.normal(size=6), rng.normal(size=6)
    w, u = v[:3], v[3:]
    R = m.pose(q, "b").rotation
    weight = R.T @ (mass * m.gravity_vector)
    moment = J @ a[:3] + np.cross(w, J @ w)
    force = mass * (a[3:] + np.cross(w, u)) - weight
    np.testing.assert_allclose(m.inverse_dynamics(q, v, a), np.concatenate([moment, force]), rtol=0, atol=1e-13)
    np.testing.assert_allclose(m.momentum(q, v), np.concatenate([R @ (J @ w), R @ (mass * u)]), rtol=0, atol=1e-13)


# ---- identities, over every joint type ----

def test_identities(tree, motion):
    m = tree
    q, v, a = motion(m, 20)
    M, tau = m.mass_matrix(q), m.inverse_dynamics(q, v, a)
    scale = np.abs(M).max() * 1e-12
    large = 1e-11 * np.abs(tau).max()
    np.testing.assert_allclose(np.einsum("sij,sj->si", M, a) + m.bias(q, v), tau, rtol=0, atol=large)
    np.testing.assert_allclose(M, np.swapaxes(M, -1, -2), rtol=0, atol=scale)
    np.testing.assert_allclose(m.inverse_dynamics(q), m.gravity(q), rtol=0, atol=1e-12 * np.abs(tau).max())
    np.testing.assert_allclose(np.einsum("si,sij,sj->s", v, M, v) / 2, m.energy(q, v).kinetic, rtol=1e-12)
    J = m.jacobian(q, 3)
    np.testing.assert_allclose(np.einsum("sij,sj->si", J, v), m.velocity(q, v, 3), rtol=0, atol=1e-12)
    C = m.centroidal(q, v)
    np.testing.assert_allclose(np.einsum("sij,sj->si", C.A, v), m.momentum(q, v), rtol=0,
                               atol=1e-11 * np.abs(C.A).max())
    # joint forces are linear in what the regressor multiplies; rotors are not part of it, and this model has none
    Y, pi = m.regressor(q, v, a), np.concatenate([b.parameters for b in m.bodies[1:]])
    if all(d.rotor_inertia == 0 for j in m.joints for d in j.dofs):
        np.testing.assert_allclose(Y @ pi, tau, rtol=0, atol=1e-11 * np.abs(tau).max())


def test_products_are_those_of_the_matrices(tree, motion, rng):
    m = tree
    q, v, a = motion(m)
    d = m.d_inverse_dynamics(q, v, a)
    row, dq, dv, da = rng.normal(size=(4, m.nv))
    left = m.inverse_dynamics_vjp(q, v, a, row)
    scale = 1e-10 * max(np.abs(x).max() for x in d)
    for ours, matrix in zip(left, d):
        np.testing.assert_allclose(ours, row @ matrix, rtol=0, atol=scale)
    np.testing.assert_allclose(m.inverse_dynamics_jvp(q, v, a, dq, dv, da), d.dq @ dq + d.dv @ dv + d.da @ da, rtol=0,
                               atol=scale)


def test_configuration_space(tree, motion, rng):
    m = tree
    q, v, _ = motion(m, 8)
    v *= 0.3
    moved = m.integrate(q, v, 0.5)
    np.testing.assert_allclose(m.difference(q, moved), 0.5 * v, rtol=0, atol=1e-12)
    assert np.array_equal(m.difference(q, q), np.zeros((8, m.nv)))
    np.testing.assert_allclose(m.integrate(q, v), m.integrate(m.integrate(q, v, 0.5), v, 0.5), rtol=0, atol=1e-12)
    d = m.d_integrate(v[0], 0.5)
    h = 1e-6
    for k in range(0, m.nv, 5):  # a difference of first order, h away
        e = np.zeros(m.nv)
        e[k] = h
        by_v = m.difference(moved[0], m.integrate(q[0], v[0] + e, 0.5)) / h
        np.testing.assert_allclose(d.dv[:, k], by_v, rtol=0, atol=1e-5)
    assert np.allclose(m.normalize(q * 1.0), q, rtol=0, atol=1e-15)


def test_step(arm, motion):
    q, v, _ = motion(arm, 4)
    after = arm.step(q, v, dt=1e-3)
    np.testing.assert_allclose(after.v, v + 1e-3 * arm.forward_dynamics(q, v), rtol=0, atol=1e-13 * np.abs(v).max())
    np.testing.assert_allclose(after.q, arm.integrate(q, after.v, 1e-3), rtol=0, atol=1e-14)
    # of order four: two half steps tell the error of a whole one, which is some h^5
    whole, half = arm.step(q, v, dt=1e-3, method="rk4"), arm.step(q, v, dt=5e-4, method="rk4")
    twice = arm.step(half.q, half.v, dt=5e-4, method="rk4")
    assert np.abs(whole.q - twice.q).max() < 1e-9


def test_d_step(arm, motion, rng):
    q, v, _ = motion(arm)
    tau, d = rng.normal(size=7), rng.normal(size=21)
    step = arm.d_step(q, v, tau, dt=1e-2, method="rk4")
    assert step.A.shape == (14, 14) and step.B.shape == (14, 7)
    after = arm.step(q, v, tau, dt=1e-2, method="rk4")
    np.testing.assert_allclose(step.q, after.q, rtol=0, atol=1e-12)
    h = 1e-6  # central differences: errors of some h^2, and of rounding over h
    plus, minus = (arm.step(q + s * h * d[:7], v + s * h * d[7:14], tau + s * h * d[14:], dt=1e-2, method="rk4")
                   for s in (1, -1))
    want = np.concatenate([plus.q - minus.q, plus.v - minus.v]) / (2 * h)
    np.testing.assert_allclose(step.A @ d[:14] + step.B @ d[14:], want, rtol=0, atol=1e-6 * np.abs(want).max())


def test_joint_regressor(tree, motion):
    q, v, a = motion(tree)
    dofs = sum(len(j.dofs) for j in tree.tree_joints)
    assert tree.joint_regressor(q, v, a).shape == (tree.nv, 4 * dofs)


def test_algorithms(arm, motion):
    q, v, a = motion(arm)
    names = [x.name for x in pn.algorithms("inverse_dynamics")]
    assert "rnea" in names and len(names) > 3
    tau = arm.inverse_dynamics(q, v, a)
    tried = 0
    for name in names:
        try:
            other = arm.inverse_dynamics(q, v, a, algorithm=name)
        except pn.Error as e:
            assert e.status == "unsupported", name
            continue
        tried += 1
        np.testing.assert_allclose(other, tau, rtol=0, atol=1e-9 * np.abs(tau).max(), err_msg=name)
    assert tried > 3


def test_loops():
    m = pn.n_four_bar(2)
    q, v = m.initial()
    a = m.forward_dynamics(q, v)
    assert m.loops and m.loops[0].rows and np.isfinite(a).all()
    tau = np.arange(1.0, m.nv + 1)  # accelerations are linear in the joint forces, with loops, too
    change = m.d_forward_dynamics(q, v).dtau @ tau
    np.testing.assert_allclose(m.forward_dynamics(q, v, tau) - a, change, rtol=0, atol=1e-10 * np.abs(change).max())
