"""Models of other libraries, in the form in which these give them."""
import sys
import types

import numpy as np
import pytest

import pinion as pn
from conftest import close


def se3(rng, translation=None):
    Q, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    return Placement(rng.normal(size=3) if translation is None else translation, Q * np.linalg.det(Q))


class Placement:
    def __init__(self, translation, rotation):
        self.translation, self.rotation = translation, rotation

    def __mul__(self, other):
        return Placement(self.translation + self.rotation @ other.translation, self.rotation @ other.rotation)


def of_pinocchio(rng):
    """What from_pinocchio() reads of a pinocchio.Model: one of the joints that Pinion has not, and others."""
    kinds = [("FreeFlyer", 7, 6, {}), ("RevoluteUnaligned", 1, 1, {"axis": [0, 0.6, 0.8]}), ("RUBX", 2, 1, {}),
             ("SphericalZYX", 3, 3, {}), ("HZ", 1, 1, {"pitch": 0.2}), ("Planar", 4, 3, {})]
    joints, q, v = [types.SimpleNamespace(idx_q=-1, idx_v=-1)], 0, 0
    for kind, nq, nv, more in kinds:
        joints.append(types.SimpleNamespace(idx_q=q, idx_v=v, nq=nq, nv=nv,
                                            shortname=lambda kind=kind: "JointModel" + kind,
                                            **more))
        q, v = q + nq, v + nv
    n = len(kinds) + 1
    inertias = []
    for i in range(n):
        A = rng.normal(size=(3, 3))
        inertias.append(types.SimpleNamespace(mass=float(i), lever=rng.normal(size=3), inertia=A @ A.T + 3 * np.eye(3)))
    return types.SimpleNamespace(
        name="x", names=["universe", *"fedcba"], joints=joints, parents=[0, 0, 1, 2, 1, 4, 5], inertias=inertias,
        jointPlacements=[se3(rng) for _ in range(n)], armature=rng.uniform(0, 1, v), damping=np.zeros(v),
        friction=np.zeros(v), velocityLimit=np.full(v, np.inf), effortLimit=np.full(v, 3.0),
        lowerPositionLimit=np.full(q, -2.0), upperPositionLimit=np.full(q, 1.79e308), nq=q, nv=v,
        gravity=types.SimpleNamespace(linear=np.array([0, 0, -9.81]), angular=np.zeros(3)),
        frames=[types.SimpleNamespace(name="tool", parentJoint=3, placement=se3(rng))])


def test_models_of_pinocchio(rng):
    """bench/peers/python.py compares with Pinocchio itself."""
    theirs = of_pinocchio(rng)
    m = pn.from_pinocchio(theirs)
    assert m.nv == theirs.nv and m.mass == sum(range(7)) and m.joints["e"].dofs[0].lower == -2
    assert m.joints["c.y"].parent == "c.z" and m.joints["b"].pitch == 0.2 and m.joints["d"].type == "continuous"
    assert m.joints["e"].dofs[0].effort == 3 and m.frames["tool"].link == "d" and "f" in m.frames
    free = theirs.joints[1]
    np.testing.assert_allclose([d.rotor_inertia * d.gear_ratio**2 for d in m.joints["f"].dofs],
                               theirs.armature[free.idx_v + np.array([3, 4, 5, 0, 1, 2])])
    c = pn.Converter(m, theirs)
    assert (c.nq, c.nv) == (theirs.nq, theirs.nv)
    q = m.random(2, count=4)
    v = rng.normal(size=(4, m.nv))
    back = c.q_to(q)
    assert np.allclose(np.hypot(back[:, 8], back[:, 9]), 1)  # cosine and sine where they are in theirs
    close(m.pose(c.q_from(back), "tool").position, m.pose(q, "tool").position)
    close(c.v_from(q, c.v_to(q, v)), v)
    close(np.sum(c.tau_to(q, m.bias(q, v)) * c.v_to(q, v), -1), np.sum(m.bias(q, v) * v, -1), 1e-9)  # power is power
    theirs.gravity.angular = np.array([0, 0.1, 0])
    with pytest.raises(pn.Error, match="from_pinocchio: gravity turns"):
        pn.from_pinocchio(theirs)
    theirs.gravity.angular = np.zeros(3)
    for function in (pn.from_pinocchio, pn.from_mujoco, lambda x: pn.Converter(m, x)):
        with pytest.raises(TypeError, match="int"):
            function(3)
    theirs.joints[2].shortname = lambda: "JointModelEllipsoid"
    for wrong in (lambda: pn.from_pinocchio(theirs), lambda: pn.Converter(m, theirs)):
        with pytest.raises(pn.Error, match="'e' is a Ellipsoid"):
            wrong()


def of_mujoco():
    """What from_mujoco() reads of a mujoco.MjModel: a slide and a hinge on one body, with anchor and reference."""
    named = {"body": ["world", "a", "b"], "joint": ["s", "h"], "site": ["tip"], "actuator": ["motor", "line"],
             "equality": ["h", "", ""]}
    model = types.SimpleNamespace(
        nbody=3, njnt=2, nsite=1, nu=2, ntendon=0, neq=3, eq_active0=[True, False, True], eq_type=[2, 0, 0],
        eq_obj1id=[1, 0, 0], eq_obj2id=[0, 0, 0], eq_data=np.array([[0.1, 2.0, 3.0, 0, 5.0, 0]] * 3),
        opt=types.SimpleNamespace(gravity=[0, 0, -9.81], density=0.0, viscosity=0.0, disableflags=2),
        body_gravcomp=np.zeros(3),
        body_parentid=[0, 0, 1], body_mass=np.array([0, 2.0, 1.0]), body_inertia=np.array([[0, 0, 0], [1, 2, 2.5],
                                                                                           [1, 1, 1]]),
        body_ipos=np.zeros((3, 3)), body_iquat=np.array([[1.0, 0, 0, 0]] * 3), body_jntnum=[0, 2,
                                                                                            0], body_jntadr=[-1, 0, -1],
        body_pos=np.array([[0, 0, 0], [0, 0, 1.0], [0.5, 0, 0]]), body_quat=np.array([[1.0, 0, 0, 0]] * 3),
        jnt_type=[2, 3], jnt_qposadr=[0, 1], jnt_dofadr=[0, 1], jnt_pos=np.array([[0, 0, 0], [0.1, 0, 0]]),
        jnt_axis=np.array([[0, 0, 1.0], [0, 1.0, 0]]), jnt_limited=[True, False], jnt_range=np.array([[-1, 1.0], [0,
                                                                                                                  0]]),
        jnt_stiffness=np.array([0, 3.0]), qpos0=np.array([0.2, 0.0]), qpos_spring=np.array([0, 0.4]),
        dof_armature=np.array([0, 0.1]), dof_damping=np.array([0.5, 0]), dof_frictionloss=np.zeros(2),
        site_bodyid=[2], site_pos=np.array([[0.5, 0, 0]]), site_quat=np.array([[1.0, 0, 0, 0]]),
        actuator_trntype=[0, 3], actuator_trnid=[[1, -1], [0, -1]], actuator_gear=[[7.0], [1.0]],
        actuator_forcelimited=[True, False], actuator_forcerange=np.array([[-2, 2.0], [0, 0]]),
        actuator_gaintype=[0, 0], actuator_biastype=[1, 0], actuator_dyntype=[0, 0],
        actuator_gainprm=np.array([[30.0, 0, 0], [1, 0, 0]]), actuator_biasprm=np.array([[0, -30.0, -2], [0, 0, 0]]),
        actuator_dynprm=np.zeros((2, 3)), actuator_ctrllimited=[True, False],
        actuator_ctrlrange=np.array([[-0.05, 0.05], [0, 0]]))
    for kind, names in named.items():
        setattr(model, kind, lambda i, names=names: types.SimpleNamespace(name=names[i]))
    return model


def test_springs_of_mujoco_s_free_joints():
    half = np.sqrt(0.5)
    nothing = np.zeros(6)
    model = types.SimpleNamespace(jnt_type=[0], jnt_qposadr=[0], jnt_dofadr=[0], dof_armature=nothing,
                                  dof_damping=nothing, dof_frictionloss=nothing, jnt_stiffness=np.array([3.0]),
                                  qpos_spring=np.array([1.0, 2.0, 3.0, -half, 0, 0, half]))
    kind, keys = pn._others._joint_of_mujoco(model, 0, np.zeros(3), np.eye(3))
    assert kind == "free" and [s["stiffness"] for s in keys["spring"]] == [3.0] * 6
    close([s["rest"] for s in keys["spring"]], [0, 0, -np.pi / 2, 1, 2, 3])


def test_models_of_mujoco(monkeypatch):
    flags = types.SimpleNamespace(mjDSBL_GRAVITY=64)
    monkeypatch.setitem(sys.modules, "mujoco", types.SimpleNamespace(mjtDisableBit=flags))
    theirs = of_mujoco()
    with pytest.warns(UserWarning, match="1 actuators that are not on a joint") as told:
        m = pn.from_mujoco(theirs)
    assert any("1 equality constraints that are not of joints" in str(w.message) for w in told)
    assert m.joints.names == ("s", "h") and m.joints["s"].dofs[0].damping == 0.5 and m.mass == 3
    # the slide is at its reference of 0.2 m where the body is at its place; the hinge turns about its anchor
    close(m.pose([0.2, 0.0], "tip").position, [1.0, 0, 1])
    close(m.pose([0.5, np.pi / 2], "tip").position, [0.1, 0, 1.3 - 0.9])
    assert m.actuators["motor"].gear == 7 and m.joints["h"].dofs[0].rest == 0.4 and m.joints["h"].type == "continuous"
    # a servo along l = 7 q: the control is cut at 0.05, the force at 2
    close(m.actuation_controls([0, 0.01], [0, 0.02], [0.07]), [30 * (0.05 - 0.07) - 2 * 0.14])
    close(m.actuation_controls([0, -0.02], [0, 0], [0.0]), [2])
    assert pn.Converter(m, "mujoco").nq == 2
    # h = 0.1 + 2 x + 3 x^2 + 5 x^4 with x = s - 0.2
    tie, s = m.loops["equality:h"], 0.7
    assert (tie.kind, tie.first, tie.second, len(m.loops)) == ("gear", 0, 1, 1)
    close(m.constraints_at([s, 0.0]).phi, [-(0.1 + 2 * 0.5 + 3 * 0.5**2 + 5 * 0.5**4)])
    close(m.constraints_at([s, 0.0]).L, [[-(2 + 6 * 0.5 + 20 * 0.5**3), 1]])
    with pytest.raises(pn.Error, match="strict"):
        pn.from_mujoco(theirs, strict=True)
    theirs.actuator_dyntype[0] = 4
    with pytest.warns(UserWarning, match="1 laws of actuators are left out"):
        close(pn.from_mujoco(theirs).actuation_controls([0, 0.01], [0, 0.02], [0.07]), [0.07])
    theirs.actuator_dyntype[0], theirs.actuator_actlimited, theirs.actuator_actrange = 1, [1], [[-0.3, 0.3]]
    theirs.jnt_stiffnesspoly, theirs.dof_dampingpoly = [[0, 0], [2, 3]], [[0.25, 0], [0, 0]]
    with pytest.warns(UserWarning):
        m = pn.from_mujoco(theirs)
    assert m.actuators["motor"].law[5] and tuple(m.actuators["motor"].law[6]) == (-0.3, 0.3)
    x, v = 0.1, -0.5  # from where the hinge is relaxed, and of the slide
    spring = m.joints["h"].dofs[0].stiffness * x + 2 * x**2 + 3 * x**3
    close(m.passive_forces([0, 0.4 + x], [v, 0])[1], -spring)
    close(m.d_passive_forces([0, 0.4 + x], [v, 0])[1][0, 0], -(0.5 + 2 * 0.25 * abs(v)))
    theirs.opt.disableflags, theirs.opt.viscosity, theirs.body_gravcomp[1] = 66, 1e-3, 1
    with pytest.warns(UserWarning) as told:
        assert not np.any(pn.from_mujoco(theirs).gravity_vector)
    assert any("1 bodies with gravcomp" in str(w.message) for w in told)
    assert any("density or viscosity" in str(w.message) for w in told)
