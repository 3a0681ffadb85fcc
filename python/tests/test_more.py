"""Rollouts, closed loops, actuators, the papers' matters, functions in simulations, elastic joints, what floats."""
import gc
import json
import weakref

import numpy as np
import pytest

import pinion as pn
from conftest import close
from pinion import research


@pytest.fixture(scope="module")
def four_bar(models):
    return pn.load(models / "four-bar.json")


@pytest.fixture(scope="module")
def pendulum():
    b = pn.Builder("pendulum").add_link("base").add_link("bob", mass=2.0, com=(0, 0, -0.5))
    b.add_joint("pivot", "revolute", "base", "bob", axis=(0, 1, 0), limits=[-2, 2])
    return b.add_frame("tip", "bob", origin={"position": [0, 0, -1]}).build()


# ---- rollouts ----

def test_rollouts_are_steps(tree, motion, rng):
    q, v, _ = motion(tree, 2, 3)
    v *= 0.1
    tau = 0.1 * rng.normal(size=(3, 2, 3, tree.nv))
    r = tree.rollout(q, v, tau, steps=12, hold=4, every=2, dt=1e-3)
    assert r.q.shape == (2, 3, tree.nq) and r.q_record.shape == (6, 2, 3, tree.nq)
    x = q, v
    for k in range(12):
        x = tree.step(*x, tau[k // 4], dt=1e-3)
        if k % 2:
            assert np.array_equal(r.q_record[k // 2], x.q) and np.array_equal(r.v_record[k // 2], x.v)
    assert np.array_equal(r.q, x.q) and np.array_equal(r.v, x.v)
    # one row for all states, and none at all
    same = tree.rollout(q, v, tau[:, 0, 0], steps=12, hold=4)
    assert np.array_equal(same.q[0, 0], r.q[0, 0]) and not np.array_equal(same.q[1, 2], r.q[1, 2])
    still = tree.with_gravity((0, 0, 0)).rollout(q, steps=3)
    assert still.q_record.shape[0] == 0 and np.allclose(still.q, q)
    # the pieces in which a long one runs change nothing
    long = tree.rollout(q[0, 0], steps=400, every=7, dt=1e-4)
    assert np.array_equal(tree.rollout(q[0, 0], steps=399, dt=1e-4).q, long.q_record[56])


def test_rollouts_follow_targets(arm):
    target = arm.random(3)
    kd = np.full(7, 50.0)
    r = arm.with_gravity((0, 0, 0)).rollout(arm.random(3), steps=20, q_target=target, kp=np.full(7, 100.0), kd=kd,
                                            limit=np.full(7, np.inf))
    close(r.q, target, 1e-12)
    single = arm.rollout(np.zeros((5, 7), np.float32), steps=2)
    assert single.q.dtype == np.float32 and single.v.shape == (5, 7)


def test_derivatives_of_rollouts(arm, motion, rng):
    q, v, _ = motion(arm, 4)
    tau = rng.normal(size=(4, 7))
    d = arm.d_rollout(q, v, tau, steps=5, dt=1e-3, method="rk4")
    assert d.A.shape == (5, 4, 14, 14) and d.B.shape == (5, 4, 14, 7)
    assert np.array_equal(d.q, arm.rollout(q, v, tau, steps=5, dt=1e-3, method="rk4").q)
    step = arm.d_step(q, v, tau, dt=1e-3, method="rk4")  # a batch: rows, and what must be copied first
    assert np.array_equal(step.A, d.A[0]) and np.array_equal(step.B, d.B[0])
    one = arm.d_step(q[2], v[2], tau[2], dt=1e-3, method="rk4")
    assert np.array_equal(one.A, step.A[2])
    wide = np.zeros((4, 20))
    wide[:, 3:10], wide[:, 10:17] = q, v
    other = arm.d_step(wide[:, 3:10], wide[:, 10:17], tau[0], dt=1e-3, method="rk4",
                       out=(None, None, np.zeros((4, 14, 28))[:, :, ::2], None))
    assert np.array_equal(other.A[0], step.A[0])
    x = rng.normal(size=14) * 1e-6
    moved = arm.rollout(q[0] + x[:7], v[0] + x[7:], tau[0], steps=5, dt=1e-3, method="rk4")
    A = np.linalg.multi_dot(d.A[::-1, 0])
    close(np.concatenate([moved.q - d.q[0], moved.v - d.v[0]]) / 1e-6, A @ x / 1e-6, 1e-4)  # of first order


def test_rollouts_refuse_by_name(tree, arm, four_bar, motion):
    q, v, _ = motion(arm, 3)
    for wrong, word in [(dict(q=q[:, :4]), "q has the shape (3, 4)"), (dict(q=q, tau=np.zeros((2, 7))),
                                                                       "tau has the shape"),
                        (dict(q=q, steps=4, hold=2, tau=np.zeros((3, 3, 7))), "tau has the shape"),
                        (dict(q=q, v=v * np.nan), "v[0, 0] is not finite"), (dict(q=q, kp=[1, 2]), "kp"),
                        (dict(q=q, v=v.astype(complex)), "v is no array"), (dict(q=q, method="magic"), "method"),
                        (dict(q=q, steps=-1), "steps"), (dict(q=q, errors="x"), "errors")]:
        with pytest.raises(pn.Error) as e:
            arm.rollout(**wrong)
        assert word in str(e.value), str(e.value)
    with pytest.raises(pn.Error, match="loop"):
        four_bar.rollout(four_bar.initial()[0])
    qt = tree.random(1, count=3)
    qt[1, :4] *= 2
    with pytest.raises(pn.Error, match="state 1.*errors") as e:
        tree.rollout(qt, steps=2)
    assert e.value.status == "quaternion"
    r = tree.rollout(qt, steps=2, errors="nan")
    assert np.isnan(r.q[1]).all() and np.isfinite(r.q[[0, 2]]).all()


def test_products_of_batches(tree, motion, rng):
    """Directions share a stride in C: what is broadcast or strided is laid out first."""
    q, v, a = motion(tree, 6)
    dq, dv, da = rng.normal(size=(3, 6, tree.nv))
    got = tree.inverse_dynamics_jvp(q, v[0], a, dq, dv[2], np.asfortranarray(da))
    other = tree.forward_dynamics_jvp(q[:, :], v, a, dq[::-1][::-1], None, da[3])
    for i in range(6):
        close(got[i], tree.inverse_dynamics_jvp(q[i], v[0], a[i], dq[i], dv[2], da[i]))
        close(other[i], tree.forward_dynamics_jvp(q[i], v[i], a[i], dq[i], None, da[3]))
    d, e = tree.d_integrate(v, 0.2), tree.d_difference(v)
    assert np.array_equal(d.dq[4], tree.d_integrate(v[4], 0.2).dq) and np.array_equal(e.dq1[4],
                                                                                      tree.d_difference(v[4]).dq1)
    terms = tree.dynamics_terms(q, v)
    close(terms.M, tree.mass_matrix(q))
    close(terms.bias, tree.bias(q, v))
    close(terms.rotation, tree.frames(q).rotation)


# ---- closed loops ----

def test_loops(four_bar):
    m = four_bar
    q, v = m.initial()
    c = m.constraints_at(q, v)
    a, lam = m.loop_dynamics(q, v)
    close(a, m.forward_dynamics(q, v))
    close(c.L @ a, c.c, 1e-9)
    close(m.mass_matrix(q) @ a + m.bias(q, v), c.L.T @ lam, 1e-9)
    d = m.d_loop_dynamics(q, v)
    close(d.a_dtau, m.d_forward_dynamics(q, v).dtau)
    assert d.lambda_dq.shape == (len(lam), m.nv)
    size, unit = m.constraint_sizes(q)
    assert (np.linalg.norm(c.L * unit, axis=1) <= size + 1e-12).all() and (unit == 1).all()
    close(m.delassus(q), c.L @ m.mass_matrix_inverse(q) @ c.L.T)
    close(m.loop_inverse_dynamics(q, v, a).tau, np.zeros(m.nv), 1e-9)
    dc = m.d_constraints(q, v, a)
    h = 1e-6
    moved = m.constraints_at(m.integrate(q, np.eye(m.nv)[0], h), v).rate - m.constraints_at(
        m.integrate(q, np.eye(m.nv)[0], -h), v).rate
    close(dc.rate_dq[:, 0], moved / (2 * h), 1e-6)
    reactions = m.loop_reactions(q, lam)
    close(m.inverse_dynamics(q, v, a, reactions.f_ext) - reactions.tau, np.zeros(m.nv), 1e-9)
    assert reactions.wrench.shape == (1, 6)
    where = m.loop_motion(q, v)
    assert where.position.shape == (m._counts[4],) and where.velocity.shape == (m._counts[5],)
    act = m.loop_active_forces(q, v, np.ones(m._counts[5]))
    assert act.tau.any() and act.potential == 0 and not m.loop_passive_forces(q, v).any()
    count = pn.mobility(m, q)
    assert (count.freedom, count.rows, count.rank) == (1, len(lam), pn.constraints(m, q, v).rank)
    assert count.singular is False and count.open < 1e-9 and pn.linearize(m, q, v).loss < 1e-9
    flat = pn.mobility(m, np.zeros(m.nq))
    assert flat.singular is True
    wanted = pn.project_acceleration(m, q, v, [1.0, 0, 0], locked=[m.joints[0].name])
    assert wanted[0] == 1.0
    close(c.L @ wanted, c.c, 1e-9)
    many = m.loop_dynamics(np.tile(q, (3, 1)), v)  # batches go state by state
    assert np.array_equal(many.a, np.tile(a, (3, 1)))
    with pytest.raises(pn.Error, match="float64"):
        m.delassus(q.astype("f"))


def test_constraints_on_a_frame(arm, motion):
    q, v, a = motion(arm)
    A, b, frame = np.eye(6)[3:], np.array([0.1, 0.2, 0.3]), arm.frames[-1]
    c = pn.constrained_forward_dynamics(arm, q, v, None, frame, A, b)
    close(arm.acceleration(q, v, c.a, frame, "local")[3:], b, 1e-9)
    J = arm.jacobian(q, frame, "local")
    close(arm.inverse_dynamics(q, v, c.a), J.T @ (A.T @ c.lambda_), 1e-9)
    assert c.lambda_dq.shape == (3, 7) and c.a_dtau.shape == (7, 7)
    o = arm.operational_space(q, v, frame)
    J = arm.jacobian(q, frame)
    close(o.inverse, J @ arm.mass_matrix_inverse(q) @ J.T)
    close(o.Lambda @ o.inverse, np.eye(6), 1e-8)
    close(J @ o.Jbar, np.eye(6), 1e-8)
    with pytest.raises(pn.Error, match="A has the shape"):
        pn.constrained_forward_dynamics(arm, q, v, None, frame, np.eye(3), b)


# ---- actuators ----

def test_actuators(rng):
    b = pn.Builder("arm").add_link("base").add_link("upper", mass=2, com=(0, 0, -0.2))
    b.add_link("lower", mass=1, com=(0.1, 0, 0))
    b.add_joint("shoulder", "revolute", "base", "upper", axis=(0, 1, 0), effort=10)
    b.add_joint("elbow", "revolute", "upper", "lower", axis=(0, 1, 0), origin={"position": [0, 0, -0.5]})
    ideal = b.build()
    assert ideal.actuators.names == ("shoulder", "elbow") and not ideal.actuators_listed and ideal.nu == 2
    servo = b.build()
    assert servo.actuators["elbow"].law[0] == 1 and np.all(np.isinf(servo.actuators["elbow"].law[2]))
    b.add_actuator("motor", joint="shoulder", gear=50, efficiency=0.5, effort=[-1, 2])
    b.add_frame("tip", "lower", origin={"position": [0.3, 0, 0]})
    b.add_actuator("fan", frame="tip", force=[0, 0, 1])
    m = b.build()
    crank = b.add_actuator("crank", crank="tip", slider="base", rod=2).build()
    assert crank.actuators["crank"].type == "crank" and crank.actuators["crank"].rod == 2
    assert crank.frames[crank.actuators["crank"].reference].name == "base" and m.actuators["fan"].reference == -1
    h, at, force = 1e-6, np.array([0.3, -0.4]), np.array([0.0, 2.0, 3.0])
    slope = [(crank.actuation_torque(at + d, force) - crank.actuation_torque(at - d, force)) / (2 * h)
             for d in h * np.eye(2)]
    close(crank.d_actuation_torque(at, force), np.array(slope).T, 1e-8)
    law = {"gain": 30, "bias": [1, -30, -2], "control": 0.2}
    servo = pn.Builder("s").add_link("a").add_link("b", mass=1).add_joint("j", "prismatic", "a", "b")
    servo = servo.add_actuator("servo", joint="j", gear=2, effort=20, law=law).build()
    assert servo.actuators["servo"].law[0] == 30 and tuple(servo.actuators["servo"].law[2]) == (-0.2, 0.2)
    close(servo.actuation_controls([[0.1], [0.1], [5.0]], [[0.5], [0.5], [0.0]], [[0.15], [9.0], [0.0]]),
          [[30 * 0.15 + 1 - 30 * 0.2 - 2 * 1], [30 * 0.2 + 1 - 30 * 0.2 - 2 * 1], [-20]])
    motor = m.actuators["motor"]
    assert m.actuators_listed and (motor.gear, motor.efficiency, tuple(motor.effort)) == (50, 0.5, (-1, 2))
    assert motor.terms[0][3:] == (0, 25.0) and m.actuators["fan"].type == "frame"
    q, u = rng.normal(size=(2, 5, 2))
    B = m.actuation_matrix(q)
    close(m.actuation_torque(q, u), np.einsum("sij,sj->si", B, u))
    back = m.actuator_forces(q, m.actuation_torque(q, u))
    close(back.u, u, 1e-9)
    close(back.rest, np.zeros((5, 2)), 1e-9)
    assert m.actuator_forces(q[0], [1e3, 0.0], limit=True).u[0] == 2
    run = pn.simulate(m, 0.05, actuators=lambda t, q, v: [0.3, 0.0], passive=False)
    close(run.tau[:, 0], np.full(len(run), 7.5))
    held = pn.simulate(m, 0.05, actuators=lambda t, q, v: [t, 0.0], control_step=0.02, output_step=0.01)
    assert len(set(np.round(held.tau[:-1, 0], 12))) == 3  # asked at 0, 0.02 and 0.04 s
    with pytest.raises(pn.Error, match="actuators"):
        pn.simulate(m, 0.1, control=pn.pd([0, 0], 1, 1), actuators=lambda t, q, v: u)
    with pytest.raises(pn.Error, match="expected 2 numbers"):
        pn.simulate(m, 0.1, actuators=lambda t, q, v: [1.0])


# ---- functions in simulations, and what is kept of them ----

def test_step_by_step(pendulum, four_bar):
    """The numbers of a run, however the way is cut."""
    control = lambda t, q, v: [0.3 * np.sin(t)]  # noqa: E731
    run = pn.simulate(pendulum, 1.0, q0=[1.0], control=control, output_step=0.1)
    s = pn.Simulation(pendulum, q0=[1.0], control=control)
    assert s.t == 0 and s.q[0] == 1.0 and "0 s" in repr(s)
    for k in range(1, 11):
        s.advance_to(run.t[k])
        assert np.array_equal(s.q, run.q[k]) and np.array_equal(s.v, run.v[k]) and np.array_equal(s.tau, run.tau[k])
    assert s.counts.steps == run.summary.steps and s.state.kinetic == run.columns["energy.kinetic"][-1]
    memory = s.store()
    there = s.advance(0.5).q
    assert np.array_equal(s.restore(memory).q, run.q[-1]) and np.array_equal(s.advance(0.5).q, there)
    stop = pn.Simulation(pendulum, q0=[1.0], events=[pn.Event(lambda t, q, v: q[0], height=0.5, stop=True)])
    assert stop.advance_to(9.0).stopped and stop.q[0] == pytest.approx(0.5, abs=1e-8) and len(stop.events) == 1
    loop = pn.Simulation(four_bar).advance(0.3)
    assert loop.state.constraint < 1e-9 and loop.state.u.shape == (four_bar.nu,)
    with pytest.raises(ZeroDivisionError):
        pn.Simulation(pendulum, control=lambda t, q, v: 1 / 0).advance(1.0)
    with pytest.raises(pn.Error, match="memory"):
        s.restore(memory[:-1])
    with pytest.raises(TypeError):
        pn.Simulation(3)


def test_by_hand(pendulum):
    """What a controller in the caller's own loop does is what one in C does that is sampled."""
    s = pn.Simulation(pendulum, q0=[0.4], by_hand=True)
    for k in range(50):
        s.advance_to(0.01 * k)
        s.apply(tau=[-5.0 * s.q[0] - s.v[0]])
    s.advance_to(0.5)
    held = pn.simulate(pendulum, 0.5, q0=[0.4], actuators=lambda t, q, v: -5.0 * q - v, control_step=0.01)
    close(s.q, held.q[-1], 1e-8)
    assert s.apply(f_ext=pendulum.force_on_frame("tip", [0, 0, 0, 100, 0, 0])).advance(0.1).q[0] < held.q[-1, 0] - 0.1
    for wrong, word in [(lambda: s.apply(tau=[1, 2]), "tau"), (lambda: s.apply(f_ext=np.zeros(3)), "f_ext"),
                        (s.store, "by hand"),
                        (lambda: pn.Simulation(pendulum).apply(tau=[1.0]), "by_hand=True")]:
        with pytest.raises(pn.Error, match=word):
            wrong()


def test_sensors_tasks_and_friction(models, pendulum):
    sensors = {"seed": 3, "sensors": [{"name": "e", "type": "encoder", "joint": "pivot", "resolution": 0.1}]}
    run = pn.simulate(pendulum, 0.5, q0=[0.43], sensors=sensors, control_step=0.05, frames=["tip"],
                      actuators=lambda t, q, v: [0.0])
    assert abs(run.columns["sensor.e"] / 0.1 - np.round(run.columns["sensor.e"] / 0.1)).max() < 1e-9
    close(run.columns["frame.tip.position.2"] if "frame.tip.position.2" in run.columns else
          run.columns["frame.tip.position.z"], -np.cos(run.q[:, 0]))
    s = pn.Simulation(pendulum, q0=[0.43], sensors=sensors, control_step=0.05, actuators=lambda t, q, v: [0.0])
    assert s.advance(0.2).readings["sensor.e"] == run.columns["sensor.e"][np.isclose(run.t, 0.2)][0]
    arm = pn.load(models / "arm-6dof.json")
    q = np.array([0.2, -1.4, 1.6, 0.3, 0.5, 0.1])
    line = {"tasks": [{"task": "position", "frame": "flange", "kp": 400, "kd": 40,
                       "line": {"by": [0, 0.1, 0.05], "duration": 0.5}}, {"task": "posture", "priority": 1}]}
    moved = pn.simulate(arm, 0.5, q0=q, control=pn.task_control(line), passive=False)
    close(arm.pose(moved.q[-1], "flange").position - arm.pose(q, "flange").position, [0, 0.1, 0.05], 1e-5)
    b = pn.Builder("block").add_link("floor").add_link("block", mass=1)
    block = b.add_joint("slide", "prismatic", "floor", "block", axis=(1, 0, 0), friction=2.0).build()
    stuck = pn.simulate(block, 1.0, v0=[1.0], friction="exact", passive=True)
    assert not stuck.v[-1].any() and stuck.q[-1, 0] == pytest.approx(1 / (2 * 2.0), abs=1e-9)  # v^2 / (2 a)
    for wrong, word in [(dict(sensors={"sensors": [{"name": "x"}]}), "^sensors: .*type"), (dict(frames=["nothing"]),
                                                                                           "nothing"),
                        (dict(friction="magic"), "friction"), (dict(control=pn.task_control({"tasks": 3})), "tasks")]:
        with pytest.raises(pn.Error, match=word):
            pn.simulate(pendulum, 0.1, **wrong)


def test_a_simulation_that_its_own_function_knows(pendulum):
    """Is collected."""
    class Mark:
        pass

    def make():
        mark, knows = Mark(), []
        knows.append(pn.Simulation(pendulum, control=lambda t, q, v: [0.0 * len(knows)]))
        knows.append(mark)
        return weakref.ref(mark)

    gone = make()
    gc.collect()
    assert gone() is None


def test_events_that_are_functions(pendulum):
    passes = pn.Event(lambda t, q, v: q[0], height=0.5, stop=True, direction=-1, name="the bob")
    run = pn.simulate(pendulum, 5.0, q0=[1.0], events=[passes, pn.Event("kinetic", height=1e9)])
    assert run.summary.end == "stopped" and run.q[-1, 0] == pytest.approx(0.5, abs=1e-8)
    assert run.events[0][1].startswith("the bob falls below 0.5")
    with pytest.raises(ZeroDivisionError):
        pn.simulate(pendulum, 1.0, q0=[1.0], events=[pn.Event(lambda t, q, v: 1 / 0)])
    with pytest.raises(pn.Error, match="events: what the function gives"):
        pn.simulate(pendulum, 1.0, events=[pn.Event(lambda t, q, v: [1, 2])])


def test_forces_that_are_functions(pendulum, tmp_path):
    """A wind on the bob, said in four ways."""
    file = {"wrenches": [{"frame": "tip", "force": [3, 0, 0], "reference": "local"}]}
    (tmp_path / "wind.json").write_text(json.dumps(file))
    f = pendulum.force_on_frame("tip", [0, 0, 0, 3, 0, 0])
    runs = [pn.simulate(pendulum, 1.0, q0=[1.0], forces=forces)
            for forces in (file, tmp_path / "wind.json", lambda t, q, v: f, [lambda t, q, v: {"tip": [0, 0, 0, 3, 0,
                                                                                                      0]}])]
    for run in runs[1:]:
        close(run.q, runs[0].q, 1e-9)
        assert np.abs(run.columns["energy.drift"]).max() < 1e-7  # all of it counts as work
    assert np.abs(runs[0].q - pn.simulate(pendulum, 1.0, q0=[1.0]).q).max() > 0.01
    twice = pn.simulate(pendulum, 1.0, q0=[1.0], forces=[file, lambda t, q, v: f])
    close(twice.q, pn.simulate(pendulum, 1.0, q0=[1.0], forces=lambda t, q, v: 2 * f).q, 1e-9)
    for wrong, word in [({"wrenches": [{"frame": "x"}]}, "x"), (lambda t, q, v: np.zeros(3),
                                                                "forces: what the function"),
                        (lambda t, q, v: {"x": np.zeros(6)}, "'x'"), ({"springs": object()}, "object")]:
        with pytest.raises(pn.Error, match=word):
            pn.simulate(pendulum, 0.1, forces=wrong)


def test_numbers_that_are_none(arm, four_bar):
    """What is no method of a model checks its arguments, too, and names them."""
    q, bad = np.zeros(7), np.full(7, np.nan)
    for wrong, message in [
        (lambda: pn.linearize(arm, bad), "q[0] is not finite"), (lambda: pn.linearize(arm, q * 1j),
                                                                 "q is no array of real"),
        (lambda: pn.linearize(arm, "abc"), "q is no array of real"), (lambda: pn.solve_ik(arm, 6, [np.nan, 0, 0]),
                                                                      "position"),
        (lambda: arm.normalize(bad), "q[0]"), (lambda: arm.show(bad), "q[0]"), (lambda: pn.simulate(arm, 1.0,
                                                                                                    q0=bad), "q0[0]"),
        (lambda: pn.trajectory_between(arm, q, q + 1, 1.0)(np.nan), "t is not finite"),
        (lambda: pn.simulate(arm, 0.1, control=pn.pd(q, np.inf, 1)), "kp is not finite"),
        (lambda: research.factorize(arm, bad), "q[0]"), (lambda: pn.Converter(arm, "mujoco").q_from(bad), "q[0]"),
        (lambda: pn.simulate(arm, 0.1, events=[pn.Event(lambda t, q, v: np.nan)]),
         "events: what the function gives is not"),
        (lambda: pn.simulate(arm, 0.1, control=lambda t, q, v: bad), "not finite"),
        (lambda: pn.assemble(four_bar, np.full(3, np.nan)), "q[0]"), (lambda: arm.with_gravity((0, np.nan, 0)),
                                                                      "gravity[1]"),
    ]:
        with pytest.raises(pn.Error) as e:
            wrong()
        assert message in str(e.value), str(e.value)


def test_runs_from_files(pendulum, tree, tmp_path):
    run = pn.simulate(pendulum, 1.0, q0=[1.0], output_step=0.25, events=[pn.Event("kinetic", height=1.0)])
    run.save(tmp_path / "r.jsonl")
    run.save(tmp_path / "r.csv")
    again = pn.load_run(tmp_path / "r.jsonl")
    assert np.array_equal(again.q, run.q) and again.events == run.events and again.model.name == "pendulum"
    assert "integrator" in again.settings and "rows" in repr(again)
    assert np.array_equal(pn.load_run(tmp_path / "r.csv", pendulum).v, run.v)
    with pytest.raises(pn.Error, match="model="):
        pn.load_run(tmp_path / "r.csv")
    free = pn.simulate(pn.random_chain(2).with_gravity((0, 0, 0)), 0.1)
    free.save(tmp_path / "f.jsonl")
    assert pn.load_run(tmp_path / "f.jsonl").model.nq == free.model.nq
    path = pn.trajectory_load(pendulum, tmp_path / "r.csv")
    close(path(0.5).q, run.q[2])
    t, tau = pn.torques_load(pendulum, tmp_path / "r.csv")
    assert np.array_equal(t, run.t) and tau.shape == (5, 1)


# ---- the papers ----

def test_research(arm, four_bar, motion, rng):
    q, v, tau = motion(arm)
    for algorithm in ("ltdl", "ltl", "udu", "inverse"):
        F = research.factorize(arm, q, algorithm)
        close(F.solve(F.multiply(v)), v, 1e-8)
        close(F.multiply(v), arm.mass_matrix(q) @ v)
    with pytest.raises(pn.Error, match="magic"):
        research.factorize(arm, q, "magic")
    S, inertia = (research.operator(arm, name, q, v) for name in ("S", "I"))
    close(S.T @ inertia @ S + research.operator(arm, "rotors", q), arm.mass_matrix(q), 1e-9)
    assert "N_l" in research.operators() and research.operator(arm, "N_l", q).shape == (42, 42)
    a = arm.forward_dynamics(q, v, tau)
    close(research.forward_dynamics_threads(arm, q, v, tau, threads=2), a, 1e-8)
    close(research.sparse_forward_dynamics(arm, q, v, tau).a, a, 1e-8)
    system = research.global_system(arm, q, v, tau)
    solution = np.linalg.solve(system.matrix, system.rhs)
    close(research.global_accelerations(arm, system, solution), a, 1e-7)
    q, v = four_bar.initial()
    sparse = research.sparse_forward_dynamics(four_bar, q, v)
    close(sparse.a, four_bar.forward_dynamics(q, v), 1e-8)
    assert sparse.residual < 1e-9 and sparse.unknowns > 0
    counts = pn.operations(arm, "rnea")
    assert counts.published[0] > 0 and pn.span(arm, "rnea").span == counts.whole.span
    with pytest.raises(pn.Error):
        research.paper("nothing", ".")


def test_a_paper(tmp_path):
    said = research.paper("saha", tmp_path / "saha")
    assert said and list((tmp_path / "saha").glob("*.csv")) and list((tmp_path / "saha").glob("*.html"))


def test_equations_of_sympy(models, rng):
    pytest.importorskip("sympy")
    for name in ("planar-3r", "cart-pole"):
        m = pn.load(models / f"{name}.json")
        e = pn.equations_sympy(m)
        q, v = rng.normal(size=(2, m.nv))
        at = {**e.values, **dict(zip(e.q, q)), **dict(zip(e.v, v))}
        M, C, g = (np.array(x.subs(at), dtype=float) for x in (e.M, e.C, e.g))
        close(M, m.mass_matrix(q))
        close(C @ v + g[:, 0], m.bias(q, v))
    with pytest.raises(pn.Error):
        pn.equations_sympy(pn.n_four_bar(1))


# ---- what a model holds ----

def test_more_elements(models, tree, shared):
    q, v, a = tree.random(3), np.linspace(-1, 1, tree.nv), np.linspace(1, 2, tree.nv)
    bodies = tree.regressor(q, v, a) @ np.concatenate([b.parameters for b in tree.bodies[1:]])
    dampers = tree.passive_forces(q, v) - tree.passive_forces(q, np.zeros(tree.nv))
    close(bodies + tree.joint_regressor(q, v, a) @ tree.joint_parameters, tree.inverse_dynamics(q, v, a) - dampers,
          1e-9)
    panda = pn.load(shared / "robots" / "panda.urdf")
    assert panda.visuals and panda.visuals[0].shape == "mesh" and panda.visuals[0].link in panda.links
    box = pn.load(models / "four-bar.json").visuals[0]
    assert box.rgba.shape == (4,) and box.size.shape == (3,)


def test_collisions():
    b = pn.Builder("touching")
    b.add_link("world", collisions=[{"name": "floor", "shape": "plane", "friction": 0.5},
                                    {"name": "hills", "shape": "height_field", "size": [1, 2],
                                     "heights": [[0, 1], [2, 3]]}])
    b.add_link("ball", mass=1, collisions=[{"name": "ball", "shape": "sphere", "radius": 0.1, "mask": 3}])
    b.add_joint("root", "free", "world", "ball")
    m = b.build()
    floor, hills, ball = m.collisions
    assert floor.link == "world" and floor.friction[0] == 0.5 and floor.friction[1] == -1 and floor.data is None
    assert hills.data.tolist() == [[0, 1], [2, 3]] and ball.size[0] == 0.1 and ball.mask == 3
    assert m.may_collide(0, 2) and not m.may_collide(0, 1)
    b.add_no_collision("ball", "world").add_collision_pair("ball", "hills", friction=1)
    m = b.build()
    assert m.no_collisions == (("world", "ball"),) and not m.may_collide(0, 2) and m.may_collide(1, 2)
    assert m.collision_pairs[0][:2] == (2, 1) and m.collision_pairs[0].friction[0] == 1
    with pytest.raises(pn.Error, match="no collision 7"):
        m.may_collide(7, 0)


def test_changed_models(tree):
    part = tree.subtree(tree.joints[-1].child)  # none below it follows one above
    assert part.links[0].name == tree.joints[-1].child and part.nv < tree.nv
    framed = tree.with_new_frame("camera", tree.links[1].name, position=(0, 0, 1))
    assert framed.frames["camera"].pose.position[2] == 1
    old = tree.joints[1].name  # the first is the free root, which is no part of the description
    assert tree.renamed({old: "second"}).joints["second"].nv == tree.joints[1].nv
    with pytest.raises(pn.Error, match="nothing is called 'root'"):
        tree.renamed({"root": "x"})
    assert np.isclose(tree.scaled(2).mass, 8 * tree.mass) and np.isclose(tree.scaled(2, 1).mass, tree.mass)
    with pytest.raises(pn.Error, match="nothing is called"):
        tree.renamed({"nobody": "x"})
    with pytest.raises(pn.Error, match="above 0"):
        tree.scaled(-1)


def test_srdf_and_points(tmp_path):
    (tmp_path / "part.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv .1 .1 .1\nf 1 2 3\nf 1 2 4\nf 2 3 5\n")
    (tmp_path / "r.urdf").write_text(
        "<robot name='r'><link name='a'/><link name='b'><collision><geometry><mesh filename='part.obj' scale='1 1 2'/>"
        "</geometry></collision></link><joint name='j' type='continuous'><parent link='a'/><child link='b'/></joint>"
        "</robot>")
    (tmp_path / "r.srdf").write_text(
        "<robot name='r'><group name='all'><joint name='j'/></group><group_state name='home' group='all'>"
        "<joint name='j' value='1.5'/></group_state><disable_collisions link1='a' link2='b'/></robot>")
    m = pn.load(tmp_path / "r.urdf", srdf=tmp_path / "r.srdf")
    assert m.states["home"][0] == 1.5 and m.groups == {"all": ("j",)} and m.no_collisions == (("a", "b"),)
    points = m.collision_points(0)
    assert points.shape == (4, 3) and points.max(axis=0).tolist() == [1, 1, 2]
    with pytest.raises(pn.Error, match="no such collision"):
        m.collision_points(3)


def test_elastic_joints(models, rng):
    """What the motors give is what the equations of motion ask for, of many states at once."""
    m = pn.load(models / "elastic-arm.json")
    q, v, a, jerk, snap = rng.normal(size=(5, 4, m.nv))
    out = m.elastic_inverse_dynamics(q, v, a, jerk, snap)
    given = [sum(pn.element_forces(m, x, y)[:2]) for x, y in zip(out.q, out.v)]
    close(m.inverse_dynamics(out.q, out.v, out.a) - given, out.tau, 1e-8)
    links = [m.joints[name].v_index for name in ("waist", "shoulder", "elbow")]
    assert not out.tau[:, links].any() and np.array_equal(out.q[:, links], q[:, links])
    tau, dtau, ddtau = m.inverse_dynamics_rates(q, v, a, jerk, snap)
    close(tau, m.inverse_dynamics(q, v, a))
    h = 1e-4
    def at(t):
        x = q + v * t + a * t**2 / 2 + jerk * t**3 / 6 + snap * t**4 / 24
        return m.inverse_dynamics(x, v + a * t + jerk * t**2 / 2 + snap * t**3 / 6, a + jerk * t + snap * t**2 / 2)
    close(dtau, (at(h) - at(-h)) / (2 * h), 1e-4)
    close(ddtau, (at(h) - 2 * at(0) + at(-h)) / h**2, 1e-4)
    path = pn.trajectory_between(m, 0 * q[0], q[0], 1.0, "nonic")
    assert not any(x.any() for x in path.higher([0.0, 1.0]))
    close(path.higher(0.3).jerk, (path(0.3 + h).a - path(0.3 - h).a) / (2 * h), 1e-5)


def test_machines_that_float(models, rng):
    """The generalized Jacobian, and a motion on it that leaves the base alone."""
    m = pn.load(models / "satellite.json")
    q = m.initial()[0]
    v = rng.normal(size=m.nv)
    J, B = m.generalized_jacobian(q, "tool")
    close(J @ v + B @ m.momentum(q, v), m.jacobian(q, "tool") @ v)
    pose = m.pose(q, "tool")
    path = pn.trajectory_floating(m, q, "tool", pose.position + [-0.1, 0.05, 0.05], pose.rotation, 5.0, "quintic")
    at = path(np.linspace(0, 5, 11))
    close(m.momentum(at.q, at.v), np.zeros((11, 6)), 1e-8)
    close(m.inverse_dynamics(*at)[:, :6], np.zeros((11, 6)), 1e-6)
    close(m.pose(at.q[-1], "tool").position, pose.position + [-0.1, 0.05, 0.05], 1e-8)
    with pytest.raises(pn.Error, match="cannot go on"):
        pn.trajectory_floating(m, q, "tool", pose.position + 10, pose.rotation, 5.0)
