"""pinion.jax: the numbers of the C library, and derivatives that JAX's own checker and the C library agree with."""
import functools
import gc
import pickle
import re
import threading
from pathlib import Path

import numpy as np
import pytest
from cases import CASES, everything, functions, state

import pinion as pn

jax = pytest.importorskip("jax", reason="no jax")
jax.config.update("jax_enable_x64", True)
# compiling is most of what these tests do
jax.config.update("jax_disable_most_optimizations", True)
import jax.numpy as jnp  # noqa: E402
from jax.test_util import check_grads  # noqa: E402

import pinion.jax as pj  # noqa: E402


@pytest.fixture(scope="module")
def robot():
    return everything()


CHECKED = ("inverse_dynamics", "pose", "integrate")  # all ways that q can go in and come out


@pytest.mark.parametrize("name, arguments, options", CASES)
def test_values_and_derivatives(robot, name, arguments, options):
    """Of a batch: values against numpy's; forward mode against differences of numpy's calls along q (+) e d; reverse
    mode against forward mode, whose transpose it is."""
    m, (ours, theirs, names) = robot, functions(pj, robot, name, arguments, options)
    x = [state(m, 3, 2)[n] for n in names]
    rng = np.random.default_rng(7)
    d = [rng.normal(size=(2, m.nv)) if n.startswith("q") else rng.normal(size=a.shape) for n, a in zip(names, x)]
    t = [np.asarray(tangent(m, a, e)) if n.startswith("q") else e for n, a, e in zip(names, x, d)]

    @jax.jit
    def all_of_it(x, t, row):
        values, changes = jax.jvp(ours, x, t)
        back = jax.vjp(ours, *x)[1]
        return values, changes, back(jax.tree.map(lambda v: row * jnp.ones_like(v), values))
    values, changes, back = all_of_it(x, t, 0.7)

    def at(e):
        return jax.tree.leaves(theirs(*(m.integrate(a, e * c) if n.startswith("q") else a + e * c
                                        for n, a, c in zip(names, x, d))))
    h = 1e-4
    near = [at(k * h) for k in (-2, -1, 1, 2)]
    for i, (got, want, change) in enumerate(zip(*map(jax.tree.leaves, (values, at(0), changes)))):
        np.testing.assert_allclose(got, want, rtol=1e-11, atol=1e-11)
        # of the fourth order: rounding at 1e-16 / h of values up to 1e3 is what is left
        slope = (near[0][i] - 8 * near[1][i] + 8 * near[2][i] - near[3][i]) / (12 * h)
        np.testing.assert_allclose(change, slope, rtol=1e-7, atol=1e-7 * max(1, np.abs(slope).max()))
    forward = sum(0.7 * c.sum() for c in jax.tree.leaves(changes))
    reverse = sum((a * b).sum() for a, b in zip(back, t))
    assert abs(forward - reverse) < 1e-10 * sum(np.abs(a * b).sum() for a, b in zip(back, t))


@functools.partial(jax.jit, static_argnums=0)
def tangent(m, q, d):
    """Of q's numbers: the derivative of q (+) e d."""
    return jax.jvp(lambda e: pj.integrate(m, q, e * d), (0.0,), (1.0,))[1]


@pytest.mark.parametrize("name, arguments, options", [c for c in CASES if c[0] in CHECKED])
def test_gradients_by_the_numbers_of_q(robot, name, arguments, options):
    """By JAX's own checker, which knows nothing of configurations: it takes quaternions off unit length, too."""
    ours, _, names = functions(pj, robot, name, arguments, options)
    x = [state(robot, 3)[n] for n in names]
    x[0] = 1.05 * x[0]
    check_grads(jax.jit(ours), x, 1, modes=["fwd", "rev"], rtol=1e-5, atol=1e-5)  # central differences with 1e-4


def test_jacobians_are_those_of_c(arm):
    x = state(arm)
    want = arm.d_inverse_dynamics(x["q"], x["v"], x["a"], x["f_ext"])
    def f(q, v, a):
        return pj.inverse_dynamics(arm, q, v, a, x["f_ext"])
    for mode in (jax.jacfwd, jax.jacrev):
        for got, matrix in zip(jax.jit(mode(f, (0, 1, 2)))(x["q"], x["v"], x["a"]), want):
            np.testing.assert_allclose(got, matrix, rtol=1e-10, atol=1e-10)
    want = arm.d_forward_dynamics(x["q"], x["v"], x["tau"])
    got = jax.jacrev(lambda q, v, tau: pj.forward_dynamics(arm, q, v, tau), (0, 1, 2))(x["q"], x["v"], x["tau"])
    for a, b in zip(got, want):
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-9 * np.abs(b).max())
    by_forces = jax.jacrev(lambda f: pj.forward_dynamics(arm, x["q"], f_ext=f))(x["f_ext"])
    want = arm.d_forward_dynamics_f_ext(x["q"])
    np.testing.assert_allclose(by_forces, want, rtol=1e-9, atol=1e-9 * np.abs(want).max())


def test_second_derivatives_of_poses(robot):
    q = state(robot)["q"]
    f = jax.jit(jax.grad(lambda q: pj.pose(robot, q, robot.frames.names[-1]).position[2]))
    g = f(q)
    for j in robot.joints:
        if j.type in ("free", "spherical"):  # the length of a quaternion does not matter
            assert abs(g[j.q_index:j.q_index + 4] @ q[j.q_index:j.q_index + 4]) < 1e-13
    check_grads(f, (q,), 1, modes=["fwd"], rtol=1e-5, atol=1e-5)
    with pytest.raises(NotImplementedError, match="inverse_dynamics_.* has no derivative by q"):
        jax.hessian(lambda q: pj.gravity(robot, q).sum())(q)


def test_vmap(arm):
    x = state(arm, 1, 3, 4)
    want = arm.inverse_dynamics(x["q"], x["v"][:, :1], x["a"][0, 0])
    f = jax.vmap(jax.vmap(lambda q, v, a: pj.inverse_dynamics(arm, q, v, a), (0, None, None)), (0, 0, None))
    np.testing.assert_array_equal(jax.jit(f)(x["q"], x["v"][:, 0], x["a"][0, 0]), want)
    # leading axes are broadcast, and their gradients summed
    g = jax.grad(lambda a: pj.inverse_dynamics(arm, x["q"], x["v"][:, :1], a).sum())(x["a"][0, 0])
    want = arm.mass_matrix(x["q"]).sum((0, 1, 2))
    np.testing.assert_allclose(g, want, rtol=1e-11)
    columns = jax.vmap(lambda q: pj.mass_matrix(arm, q), in_axes=1, out_axes=2)(x["q"][0].T)
    np.testing.assert_array_equal(np.moveaxis(columns, 2, 0), arm.mass_matrix(x["q"][0]))


def test_through_time(robot):
    """The gradient of a simulation, through scan, against differences of numpy's steps."""
    x = state(robot, 5)
    steps, dt = 20, 0.005

    def end(tau):
        def one(s, _):
            return tuple(pj.step(robot, *s, tau, dt=dt, passive=True)), None
        (q, v), _ = jax.lax.scan(one, (jnp.asarray(x["q"]), jnp.asarray(x["v"])), None, steps)
        return (v ** 2).sum() + pj.pose(robot, q, robot.frames.names[-1]).position[2]
    g = jax.jit(jax.grad(end))(x["tau"])
    d = np.random.default_rng(2).normal(size=robot.nv)
    h = 1e-5
    want = (end(x["tau"] + h * d) - end(x["tau"] - h * d)) / (2 * h)
    assert abs(g @ d - want) < 1e-6 * max(1, abs(want))


def test_closed_loops():
    m = pn.n_four_bar(1)
    q = m.initial()[0] + 0.3
    q, v = pn.assemble(m, q, np.ones(m.nv))[:2]
    tau = np.arange(m.nv) / 3
    got = jax.jacrev(lambda q, v, tau: pj.forward_dynamics(m, q, v, tau), (0, 1, 2))(q, v, tau)
    for a, b in zip(got, m.d_forward_dynamics(q, v, tau)):
        np.testing.assert_allclose(a, b, rtol=1e-10, atol=1e-10)
    f = np.random.default_rng(0).normal(size=(m.nbody, 6))
    got = jax.jvp(lambda f: pj.forward_dynamics(m, q, v, tau, f), (0 * f,), (f,))[1]
    want = m.forward_dynamics(q, v, tau, f) - m.forward_dynamics(q, v, tau)  # linear in f
    np.testing.assert_allclose(got, want, rtol=1e-9, atol=1e-9)


def test_single_precision(arm):
    x = {n: a.astype(np.float32) for n, a in state(arm, 2, 5).items()}
    tau = pj.inverse_dynamics(arm, x["q"], x["v"], x["a"])
    assert tau.dtype == np.float32
    np.testing.assert_array_equal(tau, arm.inverse_dynamics(x["q"], x["v"], x["a"]))
    g = jax.grad(lambda q: (pj.forward_dynamics(arm, q, x["v"], x["tau"], x["f_ext"]) ** 2).sum())(x["q"])
    double = jax.grad(lambda q: (pj.forward_dynamics(arm, q, x["v"], x["tau"], x["f_ext"]) ** 2).sum())(
        x["q"].astype(np.float64))
    assert g.dtype == np.float32
    np.testing.assert_allclose(g, double, rtol=0, atol=2e-3 * np.abs(double).max())


def test_xla_calls_c_and_not_python(arm):
    q = arm.neutral()
    text = jax.jit(jax.grad(lambda q: pj.gravity(arm, q).sum())).lower(q).as_text()
    assert "pinion_call" in text and "callback" not in text


def test_models_live_as_long_as_what_was_compiled():
    m = pn.random_chain(3, seed=9)
    q = m.random(1)
    want = m.gravity(q)
    compiled = jax.jit(lambda q: pj.gravity(m, q)).lower(q).compile()
    del m
    gc.collect()
    np.testing.assert_array_equal(compiled(q), want)
    # equal models are one to compiled functions, others are not
    from pinion._autodiff import robot_of
    a, b = pn.random_chain(3, seed=9), pn.random_chain(3, seed=9)
    assert robot_of(a) == robot_of(b) == robot_of(pickle.loads(pickle.dumps(a)))
    assert hash(robot_of(a)) == hash(robot_of(b))
    changed = [a.with_gravity((0, 0, -1)), a.with_payload(a.links[-1], 1.0), a.with_frame(a.frames[-1], (1, 0, 0)),
               pn.random_chain(3, seed=8)] if len(a.frames) > len(a.links) else \
        [a.with_gravity((0, 0, -1)), a.with_payload(a.links[-1], 1.0), pn.random_chain(3, seed=8)]
    assert len({robot_of(x) for x in [a, *changed]}) == len(changed) + 1
    loaded = a.with_payload(a.links[-1], 2.0)
    np.testing.assert_array_equal(jax.jit(lambda q: pj.gravity(loaded, q))(q), loaded.gravity(q))


def test_a_function_from_another_process(arm):
    """It asks for its model by what that is, and says so where it is not there."""
    from pinion._autodiff import Robot
    robot = Robot(arm)
    robot.key = "0" * 32
    with pytest.raises(Exception, match="a model that this process has not loaded; load it and call pinion.jax.reg"):
        jax.block_until_ready(pj._bind(robot, "gravity", {"q": jnp.zeros(arm.nq)}))


def test_threads(arm):
    f = jax.jit(lambda q: pj.mass_matrix(arm, q))
    q = arm.random(0, count=300)
    want, wrong = np.asarray(f(q)), []
    def work():
        for _ in range(20):
            if not np.array_equal(f(q), want):
                wrong.append(1)
    threads = [threading.Thread(target=work) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong


def test_what_is_refused(arm, robot):
    q = arm.neutral()
    for call, message in [
        (lambda: pj.gravity(arm, q[:3]), r"gravity: q has the shape \(3,\); expected \(..., 7\)"),
        (lambda: pj.inverse_dynamics(arm, np.zeros((3, 7)), np.zeros((4, 7))), "cannot be broadcast"),
        (lambda: pj.pose(arm, q, "nowhere"), "the model has no frame 'nowhere'"),
        (lambda: pj.pose(arm, q, 99), "pose: frame is 99"),
        (lambda: pj.step(arm, q, method="euler"), "method is 'euler'"),
        (lambda: pj.jacobian(arm, q, 0, "space"), "reference is 'space'"),
        (lambda: pj.gravity(arm, q.astype(np.float16)), "float16; expected float32 or float64"),
        (lambda: pj.gravity(arm, q + 1j), "complex[0-9]*; expected float32 or float64"),
    ]:
        with pytest.raises(pn.Error, match=message):
            call()
    with pytest.raises(TypeError, match="expected a pinion.Model"):
        pj.gravity("arm", q)
    with pytest.raises(NotImplementedError, match="rk4 has no derivative by f_ext"):
        jax.grad(lambda f: pj.step(arm, q, f_ext=f, method="rk4").v.sum())(np.zeros((arm.nbody, 6)))
    # a state that is wrong is NaN, the others are not
    many = robot.random(0, count=3)
    many[1, 0:4] = 0
    tau = pj.gravity(robot, many)
    assert np.isnan(tau[1]).any() and np.isfinite(tau[::2]).all()
    assert pj.gravity(arm, np.zeros((0, arm.nq))).shape == (0, arm.nv)


def test_normalize(robot):
    q = robot.random(3)
    np.testing.assert_allclose(pj.normalize(robot, 3 * q)[:4], q[:4], atol=1e-15)
    check_grads(lambda q: pj.normalize(robot, q), (q,), 1, modes=["rev"])


def test_the_page(monkeypatch):
    """Every piece of docs/autodiff.md about JAX runs, one after the other."""
    page = Path(__file__).parents[3] / "docs" / "autodiff.md"
    monkeypatch.chdir(page.parents[1])
    pieces = re.findall(r"^```python\n(.*?)^```", page.read_text().split("\n## PyTorch")[0], flags=re.S | re.M)
    assert len(pieces) == 2
    names = {}
    for piece in pieces:
        exec(compile(piece, page.name, "exec"), names)
