"""Simulations and the tools beside them: against formulas, the command, and what goes in."""
import copy
import csv
import gc
import json
import os
import pickle
import resource
import shutil
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import pinion as pn


@pytest.fixture(scope="module")
def pendulum():
    b = pn.Builder("pendulum").add_link("base").add_link("bob", mass=2.0, com=(0, 0, -0.5))
    return b.add_joint("pivot", "revolute", "base", "bob", axis=(0, 1, 0), limits=[-2, 2]).build()


@pytest.fixture(scope="module")
def puma(models):
    return pn.load(models / "puma560-corke.json")


def reference(f, x, t, dt):
    """Runge and Kutta's method of order 4 in numpy, to compare with."""
    for _ in range(round(t / dt)):
        k1 = f(x)
        k2 = f(x + dt / 2 * k1)
        k3 = f(x + dt / 2 * k2)
        x = x + dt / 6 * (k1 + 2 * k2 + 2 * k3 + f(x + dt * k3))
    return x


def test_pendulum(pendulum):
    run = pn.simulate(pendulum, 2.0, q0=[1.0], output_step=0.1)
    q, v = reference(lambda x: np.array([x[1], -9.81 / 0.5 * np.sin(x[0])]), np.array([1.0, 0.0]), 2.0, 1e-3)
    # the reference is of fourth order: some 1e-12 times the fifth derivative
    assert run.q[-1, 0] == pytest.approx(q, abs=1e-8) and run.v[-1, 0] == pytest.approx(v, abs=1e-8)
    assert run.t.shape == (21,) and run.t[-1] == 2.0 and run.q.shape == run.tau.shape == (21, 1) and len(run) == 21
    total = run.columns["energy.kinetic"] + run.columns["energy.potential"]
    assert np.ptp(total) < 1e-8 and run.units["q.pivot"] == "rad"
    assert run.summary.end == "complete" and run.summary.steps > 10 and "complete" in repr(run)


@pytest.mark.parametrize("integrator", ["dopri5", "verner65", "rk4", "euler", "variational", "bdf", "adams", "dirk",
                                        "ida"])
def test_integrators(pendulum, integrator):
    want = pn.simulate(pendulum, 0.5, q0=[1.0]).q[-1, 0]
    run = pn.simulate(pendulum, 0.5, q0=[1.0], integrator=integrator, step=1e-4)
    # of order 1, and with steps of 1e-4, semi-implicit Euler is off by some 1e-4
    assert run.q[-1, 0] == pytest.approx(want, abs=1e-3 if integrator == "euler" else 1e-6)


@pytest.mark.skipif("PINION_COMMAND" not in os.environ, reason="the command is not here (PINION_COMMAND)")
def test_what_the_command_gives(models, tmp_path):
    """The same library with the same options: the same numbers, to the last digit."""
    path, out = models / "four-bar.json", tmp_path / "r.csv"
    subprocess.run([os.environ["PINION_COMMAND"], "sim", path, "--duration", "0.5", "--output-step", "0.1",
                    "--integrator", "dopri5", "--tol", "1e-9", "-o", out], check=True, capture_output=True)
    with open(out) as file:
        head, *rows = csv.reader(file)
    run = pn.simulate(pn.load(path), 0.5, output_step=0.1, tol=1e-9)
    for name, values in zip(head, np.array(rows, dtype=float).T):
        assert np.array_equal(run.columns[name], values), name


def test_closed_loops(models):
    m = pn.load(models / "four-bar.json")
    run = pn.simulate(m, 1.0)
    assert run.columns["constraint"].max() < 1e-9
    for q, v in zip(run.q[::25], run.v[::25]):
        c = pn.constraints(m, q, v)
        assert np.abs(c.phi).max() < 1e-9 and np.abs(c.rate).max() < 1e-8 and c.freedom == 1
        assert c.rank == m.nv - 1 and c.L.shape == (len(c.phi), m.nv)
        a = m.forward_dynamics(q, v)
        np.testing.assert_allclose(c.L @ a, c.c, rtol=0, atol=1e-8 * max(1, np.abs(c.c).max()))
    q, v = m.initial()
    moved = q.copy()
    moved[0] += 0.1
    closed, _ = pn.assemble(m, moved, v, locked=[m.joints[0].name])
    assert closed[0] == moved[0] and np.abs(pn.constraints(m, closed).phi).max() < 1e-9
    started = pn.simulate(m, 0.1, q0={m.joints[0].name: moved[0]})
    assert started.q[0, 0] == pytest.approx(moved[0], abs=1e-9) and started.columns["constraint"].max() < 1e-9


# ---- what drives it ----

def test_computed_torque_follows(puma):
    path = pn.trajectory_between(puma, np.zeros(6), [1, -0.5, 0.5, 1, 1, 1], 1.0, "quintic")
    run = pn.simulate(puma, 1.0, q0=path(0.0).q, control=pn.computed_torque(path, kp=400, kd=40), passive=False)
    want = path(run.t)
    np.testing.assert_allclose(run.q, want.q, rtol=0, atol=1e-7)
    np.testing.assert_allclose(run.tau, puma.inverse_dynamics(want.q, want.v, want.a), rtol=0, atol=1e-4)


def test_controllers(puma):
    q0 = np.full(6, 0.3)
    still = pn.simulate(puma, 0.3, q0=q0, control=pn.constant_torque(gravity=True), passive=False)
    assert np.abs(still.q - q0).max() < 1e-9
    held = pn.simulate(puma, 0.3, q0=q0, control=pn.pd(q0, kp=100, kd=10, gravity=True), passive=False)
    assert np.abs(held.q - q0).max() < 1e-9
    tau = puma.gravity(q0)
    table = pn.torque_table([0, 1], [tau, tau + 1])
    same = pn.simulate(puma, 0.2, q0=q0, control=table)
    mine = pn.simulate(puma, 0.2, q0=q0, control=lambda t, q, v: tau + t)
    np.testing.assert_allclose(mine.q, same.q, rtol=0, atol=1e-8)
    for wrong, word in [(lambda: pn.pd(q0, kp=[1, 2], kd=0), "kp"), (lambda: pn.pd(q0[:3], 1, 1), "target"),
                        (lambda: pn.constant_torque([1, 2]), "tau"), (lambda: pn.torque_table([0, 1], [tau]), "tau"),
                        (lambda: pn.pd(q0, kp=-1.0, kd=0), "kp")]:
        with pytest.raises(pn.Error, match=word):
            pn.simulate(puma, 0.1, control=wrong())
    with pytest.raises(TypeError, match="control"):
        pn.simulate(puma, 0.1, control=3)


def test_functions_of_python_that_fail(puma):
    class Mine(Exception):
        pass

    def fails(t, q, v):
        if t > 0.05:
            raise Mine("enough")
        return np.zeros(6)

    with pytest.raises(Mine, match="enough"):
        pn.simulate(puma, 1.0, control=fails)
    with pytest.raises(pn.Error, match="wrong shape"):
        pn.simulate(puma, 1.0, control=lambda t, q, v: np.zeros(5))
    with pytest.raises(pn.Error, match="real numbers"):
        pn.simulate(puma, 1.0, control=lambda t, q, v: "x")
    seen = []
    pn.simulate(puma, 0.01, control=lambda t, q, v: seen.append((q.shape, v.shape)) or [0.0] * 6)
    assert set(seen) == {((6,), (6,))}


def test_trajectories(puma, models):
    q0, q1 = np.zeros(6), np.ones(6)
    path = pn.trajectory_between(puma, q0, q1, 2.0)
    assert (path.start, path.end) == (0, 2) and "cycloidal" in repr(path)
    at = path(np.linspace(0, 2, 5))
    assert at.q.shape == (5, 6) and np.array_equal(at.q[0], q0) and not at.v[0].any()
    np.testing.assert_allclose(path(1.0).q, (q0 + q1) / 2, rtol=1e-14)
    np.testing.assert_allclose(path(1.0).v, 1.0, rtol=1e-13)  # 2 / T at the middle of a cycloid
    t = np.linspace(0, 1, 20)
    spline = pn.trajectory_samples(puma, t, np.sin(t)[:, None] * np.ones(6))
    np.testing.assert_allclose(spline(0.5).v, np.cos(0.5), rtol=0, atol=1e-4)
    start = [0.1, 0.5, -1.0, 0.2, 0.6, 0.3]
    frame = puma.frames[-1]
    line = pn.trajectory_line(puma, start, frame, (0.03, 0.02, -0.02), 1.0)
    a, b, c = (puma.pose(line(x).q, frame) for x in (0.0, 0.5, 1.0))
    np.testing.assert_allclose(c.position - a.position, (0.03, 0.02, -0.02), rtol=0, atol=1e-9)
    np.testing.assert_allclose(b.position, (a.position + c.position) / 2, rtol=0, atol=1e-9)
    np.testing.assert_allclose(b.rotation, a.rotation, rtol=0, atol=1e-8)
    for wrong in (lambda: pn.trajectory_between(puma, q0, q1, -1.0),
                  lambda: pn.trajectory_between(puma, q0[:2], q1, 1.0),
                  lambda: pn.trajectory_between(puma, q0, q1, 1.0, "wild"),
                  lambda: pn.trajectory_samples(puma, [0, 1], [q0])):
        with pytest.raises(pn.Error):
            wrong()
    other = pn.load(models / "puma560-corke.json")
    with pytest.raises(pn.Error, match="trajectory of this model"):
        pn.simulate(other, 0.1, control=pn.pd(path, 1, 1))


def test_events(pendulum):
    stop = pn.Event("limit", "pivot", stop=True)
    run = pn.simulate(pendulum, 5.0, q0=[1.0], v0={"pivot": 8.0}, events=[stop])
    assert run.summary.end == "stopped" and run.q[-1, 0] == pytest.approx(2.0, abs=1e-8)
    assert len(run.events) == 1 and "pivot" in run.events[0][1]
    low = pn.simulate(pendulum, 2.0, q0=[1.0], events=[pn.Event("kinetic", height=1.0)])
    assert low.summary.end == "complete" and len(low.events) > 1
    with pytest.raises(pn.Error, match="kind"):
        pn.simulate(pendulum, 1.0, events=[pn.Event("miracle")])


def test_arguments_of_a_run(pendulum):
    for wrong, word in [(dict(q0=[1, 2]), "q0"), (dict(q0={"x": 1}), "'x'"), (dict(integrator="magic"), "integrator"),
                        (dict(duration=-1.0), "duration"), (dict(tol=-1.0), "tol"),
                        (dict(forces="/no/file"), "/no/file"), (dict(algorithm="magic"), "algorithm")]:
        with pytest.raises(pn.Error, match=word):
            pn.simulate(pendulum, **{"duration": 1.0, **wrong})
    short = pn.simulate(pendulum, 1.0, q0=[1.0], max_steps=3)
    assert short.summary.end == "interrupted" and short.t[-1] < 1.0
    with pytest.raises(TypeError):
        pn.simulate(3, 1.0)


def test_saving(pendulum, tmp_path):
    run = pn.simulate(pendulum, 1.0, q0=[1.0], output_step=0.25)
    run.save(tmp_path / "r.csv")
    with open(tmp_path / "r.csv") as file:
        head, *rows = csv.reader(file)
    assert head[:2] == ["t", "q.pivot"] and np.array_equal(np.array(rows, dtype=float)[:, 1], run.q[:, 0])
    run.save(tmp_path / "r.jsonl")
    lines = (tmp_path / "r.jsonl").read_text().splitlines()
    assert "pendulum" in lines[0] and json.loads(lines[1])[1] == 1.0
    with pytest.raises(pn.Error, match="format"):
        run.save(tmp_path / "r.xyz")


def test_interrupts_and_threads(puma):
    path = pn.trajectory_between(puma, np.zeros(6), np.ones(6), 1000.0)
    control = pn.computed_torque(path, 400, 40)
    sent = []

    def press():
        time.sleep(0.3)
        try:
            path(1.0)  # a run has it
        except pn.Error as e:
            sent.append(str(e))
        sent.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    t = threading.Thread(target=press)
    with pytest.raises(KeyboardInterrupt):  # from here on, however slow the machine
        t.start()
        pn.simulate(puma, 1000.0, control=control, integrator="rk4", step=1e-5)
    late = time.monotonic() - sent[-1]
    t.join()
    assert late < 0.5 and "another thread" in sent[0]
    assert path(0.0).q.shape == (6,)  # free again


def test_no_leak(puma):
    path = pn.trajectory_between(puma, np.zeros(6), np.ones(6), 1.0)

    def rounds(n):
        for _ in range(n):
            pn.simulate(puma, 0.02, control=pn.pd(path, 10, 1))
            pn.simulate(puma, 0.005, control=lambda t, q, v: np.zeros(6), tol=1e-6)
            for bad in (dict(q0=[1]), dict(control=lambda t, q, v: 1 / 0), dict(control=pn.pd(path, -1, 0))):
                with pytest.raises((pn.Error, ZeroDivisionError)):
                    pn.simulate(puma, 0.02, **bad)
            pn.trajectory_between(puma, np.zeros(6), np.ones(6), 1.0)(0.5)
            pn.linearize(puma)

    rounds(20)
    gc.collect()
    refs, before = sys.getrefcount(puma), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    rounds(100)
    gc.collect()
    assert sys.getrefcount(puma) == refs and resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 4000


# ---- the tools ----

def test_inverse_kinematics(puma):
    frame, q = puma.frames[-1], np.array([0.1, 0.5, -1.0, 0.2, 0.6, 0.3])
    want = puma.pose(q, frame)
    found = pn.solve_ik(puma, frame, want.position, want.rotation)
    got = puma.pose(found.q, frame)
    assert found.converged and found.position_error < 1e-9
    np.testing.assert_allclose(got.position, want.position, rtol=0, atol=1e-9)
    np.testing.assert_allclose(got.rotation, want.rotation, rtol=0, atol=1e-9)
    point = pn.solve_ik(puma, frame.name, position=want.position, q0=q)
    np.testing.assert_allclose(point.q, q, rtol=0, atol=1e-9)
    with pytest.raises(pn.Error, match="no solution") as e:
        pn.solve_ik(puma, frame, position=[10, 0, 0], starts=2, iterations=30)
    assert e.value.status == "convergence"


def test_linearize(puma):
    q = np.array([0.1, 0.5, -1.0, 0.2, 0.6, 0.3])
    tau = puma.gravity(q)
    near = pn.linearize(puma, q, tau=tau)
    assert near.A.shape == (12, 12) and near.B.shape == (12, 6) and np.abs(near.a).max() < 1e-10
    np.testing.assert_allclose(near.A[:6, 6:], np.eye(6))
    d = puma.d_forward_dynamics(q, None, tau)
    np.testing.assert_allclose(near.A[6:, :6], d.dq, rtol=0, atol=1e-7 * np.abs(d.dq).max())
    np.testing.assert_allclose(near.B[6:], puma.mass_matrix_inverse(q), rtol=1e-9, atol=1e-9)
    values = np.linalg.eigvals(near.A)
    np.testing.assert_allclose(np.sort(np.abs(near.eigenvalues)), np.sort(np.abs(values)), rtol=1e-4, atol=1e-4)


def test_linearize_with_force_elements():
    b = pn.Builder("slide")
    b.add_link("base", mass=1, inertia=np.eye(3))
    b.add_link("car", mass=2, inertia=np.eye(3))
    b.add_joint("x", "prismatic", "base", "car", axis=(1, 0, 0))
    m = b.build()
    spring = {"springs": [{"frame_a": "world", "point_a": [-1, 0, 0], "frame_b": "car", "stiffness": 18, "damping": 3,
                           "length": 1}]}
    near = pn.linearize(m, [0.2], forces=spring)  # along the spring: a = - (k x + d v) / m
    np.testing.assert_allclose(near.A, [[0, 1], [-18 / 2, -3 / 2]], atol=1e-12)
    np.testing.assert_allclose(near.a, [-18 * 0.2 / 2], atol=1e-12)
    np.testing.assert_allclose(pn.linearize(m, [0.2]).A, [[0, 1], [0, 0]], atol=1e-12)
    with pytest.raises(pn.Error, match="forces.*wheel"):
        pn.linearize(m, forces={"springs": [{"frame_a": "world", "frame_b": "wheel", "stiffness": 1}]})
    with pytest.raises(TypeError, match="function"):
        pn.linearize(m, forces=lambda t, q, v: np.zeros((m.nbody, 6)))


def test_equilibrium(pendulum):
    assert pn.equilibrium(pendulum, [1.0]) == pytest.approx(0, abs=1e-7)
    tau = 9.81 * 2 * 0.5 * np.sin(0.4)
    assert pn.equilibrium(pendulum, [0.1], tau) == pytest.approx(0.4, abs=1e-7)


@pytest.mark.parametrize("name", ["panda.ff.json", "double_pendulum_continuous.json", "solo12.ff.json"])
def test_scripts_for_pinocchio(shared, name):
    """Its own numbers in its own layout, through the converters."""
    oracle = json.loads((shared / "oracle" / name).read_text())
    m = pn.load(shared / "robots" / f"{oracle['model']}.urdf", root="free" if ".ff" in name else "fixed",
                mimic="independent")
    c = pn.Converter(m, "pinocchio")
    assert (c.nq, c.nv) == (oracle["nq"], oracle["nv"])
    states = {k: np.array([s[k] for s in oracle["states"]]) for k in ("q", "v", "a", "rnea")}
    q = c.q_from(states["q"])
    v = c.v_from(q, states["v"])
    tau = c.tau_to(q, m.inverse_dynamics(q, v, c.a_from(q, v, states["a"])))
    np.testing.assert_allclose(tau, states["rnea"], rtol=0, atol=1e-10 * np.abs(states["rnea"]).max())
    np.testing.assert_allclose(c.q_to(q), states["q"], rtol=0, atol=1e-12)
    np.testing.assert_allclose(c.v_to(q, v), states["v"], rtol=0, atol=1e-12)
    np.testing.assert_allclose(c.a_to(q, v, c.a_from(q, v, states["a"])), states["a"], rtol=0, atol=1e-12)
    np.testing.assert_allclose(c.tau_to(q, c.tau_from(q, tau)), tau, rtol=0, atol=1e-9)
    for wrong in (lambda: c.q_from(np.zeros(3)), lambda: c.v_from(q[0][:1], states["v"]),
                  lambda: pn.Converter(m, "drake")):
        with pytest.raises(pn.Error):
            wrong()


def test_counts_code_and_equations(puma, models):
    lean, whole, published = pn.operations(puma, "rnea")
    assert 0 < lean.mul < whole.mul and lean.trig == 10 and published[0] > lean.mul / 2
    files = pn.codegen(puma, "gravity", name="arm")
    assert "arm.c" in files and "arm_gravity" in files["arm.h"]
    text = pn.equations(pn.load(models / "planar-2r.json"))
    assert "M_12" in text and "M_{12}" in pn.equations(pn.load(models / "planar-2r.json"), latex=True)
    with pytest.raises(pn.Error):
        pn.equations(puma, what="nothing")
    with pytest.raises(pn.Error, match="magic"):
        pn.operations(puma, "magic")


@pytest.mark.skipif(not any(map(shutil.which, ("cc", "gcc", "clang"))), reason="there is no C compiler")
def test_compiled_code(puma, rng):
    fast = puma.compile("inverse_dynamics,mass_matrix", cache="")
    q, v, a = rng.normal(size=(3, 100, 6))
    assert type(fast) is pn.Model and fast.joints.names == puma.joints.names
    for one in (slice(None), 0):
        np.testing.assert_allclose(fast.inverse_dynamics(q[one], v[one], a[one]),
                                   puma.inverse_dynamics(q[one], v[one], a[one]), rtol=0, atol=1e-11)
        np.testing.assert_allclose(fast.mass_matrix(q[one]), puma.mass_matrix(q[one]), rtol=0, atol=1e-12)
    # other roundings show that it is other code
    assert not np.array_equal(fast.inverse_dynamics(q, v, a), puma.inverse_dynamics(q, v, a))
    with pytest.raises(pn.Error):
        puma.compile("inverse_dynamics", compiler="/no/compiler", cache="")


def test_descriptions(tmp_path, monkeypatch):
    """A package by that name that the test plants; there is no network."""
    folder = tmp_path / "robot_descriptions"
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    (folder / "arm_description.py").write_text(f"URDF_PATH = {str(tmp_path / 'arm.urdf')!r}\n")
    (folder / "odd_description.py").write_text("PACKAGE_PATH = 'x'\n")
    (folder / "mj_description.py").write_text(f"MJCF_PATH = {str(tmp_path / 'arm.xml')!r}\n")
    (tmp_path / "arm.xml").write_text('<mujoco><worldbody><body><joint/><geom size="0.1"/></body></worldbody></mujoco>')
    pn.random_chain(3).save(tmp_path / "arm.urdf")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert pn.load_description("arm_description").nv == 3 and pn.load_description("mj_description").nv == 1
    for name, word in (("none_description", "none_description"), ("odd_description", "URDF")):
        with pytest.raises(pn.Error, match=word):
            pn.load_description(name)


def test_a_trajectory_has_several_users(arm):
    path = pn.trajectory_between(arm, np.zeros(7), np.full(7, 0.3), duration=1.0)
    law = pn.computed_torque(path, kp=100, kd=20)
    seen = []

    def ask(t, q, v):  # in the middle of a step of the simulation that follows it
        seen.append(path(t).q[0] - q[0])
        return 1.0
    one, other = pn.Simulation(arm, control=law, passive=False, events=pn.Event(ask)), pn.Simulation(arm, control=law)
    for s in (one, other):
        s.advance(0.1)
        assert abs(s.q - path(s.t).q).max() < 1e-6 and s.state.t == s.t
    assert len(seen) > 3 and abs(np.array(seen)).max() < 1e-6
    pn.simulate(arm, 0.1, control=pn.pd(path, 1, 1))


def test_pickled_motions(arm, tmp_path):
    t = np.linspace(0, 1, 7)
    q = np.sin(t)[:, None] * np.arange(7) / 7
    file = tmp_path / "motion.csv"
    np.savetxt(file, np.column_stack([t, q]), delimiter=",")
    for made in (pn.trajectory_between(arm, q[0], q[-1], 2.0, "quintic"), pn.trajectory_samples(arm, t, q),
                 pn.trajectory_line(arm, q[3], arm.frames[-1], (0.01, 0, 0), 1.0), pn.trajectory_load(arm, file)):
        again = pickle.loads(pickle.dumps(made))
        for part, other in zip(made(t), again(t)):
            np.testing.assert_array_equal(part, other)
    run = pn.simulate(arm, 0.01)
    for file, r in (("a.jsonl", run), ("b.jsonl", pickle.loads(pickle.dumps(run)))):
        r.save(tmp_path / file)
    assert (tmp_path / "a.jsonl").read_bytes() == (tmp_path / "b.jsonl").read_bytes()
    np.testing.assert_array_equal(pn.load_run(tmp_path / "b.jsonl").q, run.q)
    s = pn.Simulation(arm)
    for copies in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match="a Simulation cannot be copied or pickled; what store"):
            copies(s)


def test_memory_belongs_to_a_model(arm):
    s = pn.Simulation(arm).advance(0.05)
    memory = s.store()
    assert pn.Simulation(pickle.loads(pickle.dumps(arm))).restore(memory).t == 0.05
    for other in (pn.random_chain(7, seed=8), arm.with_gravity((0, 0, -1))):
        with pytest.raises(pn.Error, match="restore: memory is nothing that store.. gave for the model 'random-chain'"):
            pn.Simulation(other).restore(memory)


def test_arguments_of_simulations(arm):
    for name, value in (("duration", np.inf), ("duration", "a"), ("output_step", 0), ("step", -1.0), ("max_step", 0)):
        with pytest.raises(pn.Error, match=f"{name} is {value!r}; expected a finite number above 0"):
            pn.simulate(arm, **{"duration": 0.1, name: value})
    assert pn.simulate(arm, np.array(0.01), max_steps=1e6, events=pn.Event("energy", height=1e9)).events == []
    with pytest.raises(TypeError, match="events has 'limit'; expected Event"):
        pn.simulate(arm, 0.01, events=["limit"])
    with pytest.raises(TypeError, match="forces is 3; expected a file"):
        pn.simulate(arm, 0.01, forces=3)


def test_other_arguments_by_name(arm):
    q = np.zeros(7)
    for wrong, message in (
            (lambda: pn.simulate(arm, 0.1, tol="a"), "tol is 'a'; expected a finite number, 0 or more"),
            (lambda: pn.simulate(arm, 0.1, max_steps=1.5), "max_steps is 1.5; expected a whole number, 0 or more"),
            (lambda: pn.simulate(arm, 0.1, control_step=-1), "control_step is -1; expected a finite number, 0 or more"),
            (lambda: pn.simulate(arm, 0.1, q0={arm.joints[1].name: "a"}), "q0['joint2'] is no array of real numbers"),
            (lambda: pn.simulate(arm, 0.1, events=pn.Event("energy", height="a")), "height is 'a'; expected a finite"),
            (lambda: pn.Simulation(arm).advance("a"), "dt is 'a'; expected a finite number"),
            (lambda: pn.trajectory_between(arm, q, q, "a"), "duration is 'a'; expected a finite number"),
            (lambda: pn.solve_ik(arm, 1, q[:3], starts=0), "starts is 0; expected a whole number, 1 or more"),
            (lambda: pn.solve_ik(arm, 1, rotation=np.ones((3, 3))), "rotation is not a rotation"),
            (lambda: arm.with_frame(1, rotation=np.ones((3, 3))), "with_frame: rotation is not a rotation"),
            (lambda: arm.with_payload(1, mass=-1), "with_payload: mass is -1; expected a finite number, 0 or more"),
            (lambda: arm.reduced([1.5]), "reduced: joint is 1.5; expected a whole number"),
            (lambda: arm.random(0, count=-1), "random: count is -1; expected a whole number, 0 or more"),
            (lambda: arm.show(np.zeros((2, 7)), t=[0, 1, 2]), "show: t has the shape (3,); expected (2,)"),
            (lambda: arm.rollout(np.zeros((3, 7)), np.zeros((2, 7))), "axes of q and v, (3,) and (2,), cannot be"),
            (lambda: pn.span(arm, "none"), "there is no algorithm 'none'"),
            (lambda: pn.algorithms("none"), "algorithms: problem is 'none'; expected 'inverse_dynamics' or "),
            (lambda: pn.linearize(arm, q, np.full(7, 1e200)), "linearize: A is not finite")):
        with pytest.raises(pn.Error) as e:
            wrong()
        assert message in str(e.value), str(e.value)
    assert len(pn.simulate(arm, 0.01, frames=arm.frames.names[1]).columns) > len(pn.simulate(arm, 0.01).columns)


def test_several_arrays_that_are_wrong(arm):
    """The first is told."""
    with pytest.raises(pn.Error, match="^q has the wrong shape; expected 14 numbers$"):
        pn.trajectory_samples(arm, [0.0, 1.0], np.zeros(3), np.zeros(4), np.zeros(5))
