"""pinion.torch: the numbers of the C library, and derivatives that PyTorch's own checker agrees with."""
import re
from pathlib import Path

import numpy as np
import pytest
from cases import CASES, everything, functions, state

import pinion as pn

torch = pytest.importorskip("torch", reason="no torch")
torch.set_default_dtype(torch.float64)
from torch.autograd import gradcheck  # noqa: E402
from torch.func import grad, jacfwd, jacrev, jvp, vjp, vmap  # noqa: E402

import pinion.torch as pt  # noqa: E402


@pytest.fixture(scope="module")
def robot():
    return everything()


def tensors(x, names, requires_grad=False):
    return [torch.tensor(x[n], requires_grad=requires_grad) for n in names]


@pytest.mark.parametrize("name, arguments, options", [*CASES, ("bias", "q v", {}), ("velocity", "q v", {"frame": -1})])
def test_values_and_derivatives(robot, name, arguments, options):
    ours, theirs, names = functions(pt, robot, name, arguments, options)
    x = state(robot, 3, 2)
    got, want = ours(*tensors(x, names)), theirs(*(x[n] for n in names))
    for a, b in zip(*([r] if torch.is_tensor(r) or isinstance(r, np.ndarray) else r for r in (got, want))):
        np.testing.assert_allclose(a, b, rtol=1e-11, atol=1e-11)
    # by the numbers of q as they are, off unit length, too; both modes, by differences with 1e-6
    one = tensors(state(robot, 3), names, True)
    if name not in ("step", "integrate"):
        one[0] = (1.05 * one[0]).detach().requires_grad_()
    assert gradcheck(lambda *x: r if torch.is_tensor(r := ours(*x)) else tuple(r), one, check_forward_ad=True,
                     atol=1e-4, rtol=1e-5)


def test_torch_func(robot, arm):
    x = {n: torch.tensor(a) for n, a in state(robot, 1, 5).items()}

    def f(q, v):
        return pt.inverse_dynamics(robot, q, v)
    q, v = x["q"], x["v"][0]
    assert torch.equal(vmap(f, (0, None))(q, v), f(q, v))
    assert torch.allclose(vmap(jacrev(f), (0, None))(q, v), vmap(jacfwd(f), (0, None))(q, v), rtol=1e-10, atol=1e-9)
    g = vmap(grad(lambda q: f(q, v).square().sum()))(q)
    t = torch.randn_like(q)
    assert torch.allclose((g * t).sum(), jvp(lambda q: f(q, v).square().sum(), (q,), (t,))[1], rtol=1e-10)
    x = state(arm)
    a, b, c = (torch.tensor(x[n]) for n in ("q", "v", "a"))
    for got, want in zip(jacrev(lambda *y: pt.inverse_dynamics(arm, *y), (0, 1, 2))(a, b, c),
                         arm.d_inverse_dynamics(x["q"], x["v"], x["a"])):
        np.testing.assert_allclose(got, want, rtol=1e-10, atol=1e-10)


def test_second_derivatives(robot):
    """Of poses in every order of modes but one that PyTorch has not; of nothing else. None is a wrong number."""
    q = torch.tensor(robot.random(1))

    def f(q):
        return pt.pose(robot, q, robot.frames[-1]).position[2]
    h = 1e-5
    want = torch.stack([(grad(f)(q + h * e) - grad(f)(q - h * e)) / (2 * h) for e in torch.eye(robot.nq)], -1)
    for got in (jacfwd(jacrev(f))(q), jacrev(jacrev(f))(q), jacrev(jacfwd(f))(q)):
        assert torch.allclose(got, want, atol=1e-7)
    with pytest.raises(NotImplementedError, match="no forward mode over forward mode"):
        jacfwd(jacfwd(f))(q)
    for second in (lambda g: jacfwd(jacrev(g)), lambda g: jacrev(jacrev(g))):
        with pytest.raises(NotImplementedError, match="inverse_dynamics_vjp has no derivative by q"):
            second(lambda q: pt.gravity(robot, q).sum())(q)
    # products are linear in the row, and have derivatives by it
    def product(row):
        return vjp(lambda q: pt.gravity(robot, q), q)[1](row)[0]
    row = torch.randn(robot.nv)
    want = jacrev(lambda q: pt.gravity(robot, q))(q).T
    for got in (jacfwd(product)(row), jacrev(product)(row)):
        assert torch.allclose(got, want, rtol=1e-10, atol=1e-10)


def test_compile(robot):
    q, v = torch.tensor(robot.random(1)), torch.ones(robot.nv)

    def f(q, v):
        tau = pt.inverse_dynamics(robot, q, v)
        return tau.square().sum() + pt.step(robot, q, v, tau, dt=0.01).v.sum()
    want = grad(f)(q, v)
    for full in (True, False):
        compiled = torch.compile(f, fullgraph=full, backend="aot_eager")
        x = q.clone().requires_grad_()
        compiled(x, v).backward()
        assert torch.allclose(x.grad, want, rtol=1e-10)
    many = torch.tensor(robot.random(1, count=3))
    poses = vmap(lambda q: pt.pose(robot, q, 1))(many)  # results of several parts, too
    assert torch.equal(poses.position, pt.pose(robot, many, 1).position) and type(poses) is pt.Pose
    compiled = torch.compile(vmap(f, (0, None)), fullgraph=True, backend="aot_eager")
    assert torch.allclose(compiled(many, v), vmap(f, (0, None))(many, v), rtol=1e-10)
    # what torch.func does within is not compiled, and right
    compiled = torch.compile(lambda q, t: jvp(lambda q: f(q, v), (q,), (t,))[1], backend="aot_eager")
    assert torch.allclose(compiled(q, q + 1), jvp(lambda q: f(q, v), (q,), (q + 1,))[1], rtol=1e-10)


def test_operator(arm):
    """PyTorch's own checks of an operator: schema, fake tensors, compiled code with and without static shapes."""
    from pinion._autodiff import robot_of
    q = torch.tensor(arm.random(0, count=2), requires_grad=True)
    torch.library.opcheck(pt._call_op, (robot_of(arm).key, "inverse_dynamics", "q", [0], [q], 0, 0, 0, 0, 0, 1.0))


def test_closed_loops():
    m = pn.n_four_bar(1)
    q, v = pn.assemble(m, m.initial()[0] + 0.3, np.ones(m.nv))[:2]
    x = [torch.tensor(a, requires_grad=True) for a in (q, v, np.arange(m.nv) / 3, np.ones((m.nbody, 6)))]
    assert gradcheck(lambda *x: pt.forward_dynamics(m, *x), x, check_forward_ad=True, atol=1e-4, rtol=1e-5)


def test_single_precision_and_strides(arm):
    x = {n: torch.tensor(a, dtype=torch.float32) for n, a in state(arm, 2, 5).items()}
    tau = pt.inverse_dynamics(arm, x["q"].T.contiguous().T, x["v"], x["a"][0])
    assert tau.dtype == torch.float32
    np.testing.assert_array_equal(tau, arm.inverse_dynamics(x["q"].numpy(), x["v"].numpy(), x["a"][0].numpy()))
    assert pt.gravity(arm, torch.zeros(0, arm.nq)).shape == (0, arm.nv)


def test_what_is_refused(arm, robot):
    q = torch.tensor(arm.neutral())
    for call, message in [
        (lambda: pt.gravity(arm, q[:3]), r"gravity: q has the shape \(3,\); expected \(..., 7\)"),
        (lambda: pt.inverse_dynamics(arm, torch.zeros(3, 7), torch.zeros(4, 7)), "cannot be broadcast"),
        (lambda: pt.pose(arm, q, "nowhere"), "the model has no frame 'nowhere'"),
        (lambda: pt.step(arm, q, method="euler"), "method is 'euler'"),
        (lambda: pt.gravity(arm, q.half()), "float16; expected float32 or float64"),
        (lambda: pt.gravity(arm, q.to("meta")), "q is on meta; expected a tensor on the CPU"),
    ]:
        with pytest.raises(pn.Error, match=message):
            call()
    with pytest.raises(NotImplementedError, match="rk4 has no derivative by f_ext"):
        grad(lambda f: pt.step(arm, q, f_ext=f, method="rk4").v.sum())(torch.zeros(arm.nbody, 6))
    many = torch.tensor(robot.random(0, count=3))
    many[1, 0:4] = 0
    tau = pt.gravity(robot, many)
    assert tau[1].isnan().any() and tau[::2].isfinite().all()


def test_the_page(monkeypatch):
    """Every piece of docs/autodiff.md about PyTorch runs, one after the other."""
    page = Path(__file__).parents[3] / "docs" / "autodiff.md"
    monkeypatch.chdir(page.parents[1])
    part = page.read_text().split("\n## PyTorch")[1].split("\n## ")[0]
    pieces = re.findall(r"^```python\n(.*?)^```", part, flags=re.S | re.M)
    assert pieces
    names = {}
    for piece in pieces:
        exec(compile(piece, page.name, "exec"), names)
