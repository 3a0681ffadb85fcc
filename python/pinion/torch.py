"""Robot dynamics as operations of PyTorch, on the CPU: autograd, torch.func (vmap, jvp, vjp, jacrev, jacfwd), compile.

    import torch, pinion as pn, pinion.torch as pt
    m = pn.load("panda.urdf")
    tau = pt.inverse_dynamics(m, q, v, a)
    tau.square().sum().backward()

Functions are called as the methods of a Model are, the model first; leading axes are a batch. Derivatives are analytic,
in both modes; those of dynamics cost O(n) each. In float64 or float32, as the tensors are. A state that is wrong is NaN
in its results.

A function of q is one of the configuration that q names: quaternions count as if they were of unit length, and a
gradient by q has nq numbers. docs/autodiff.md tells more.
"""
import math
from collections import namedtuple
from typing import List, Sequence

import torch
from torch import Tensor

from . import _pinion
from ._autodiff import (CONFIGURATIONS, GIVES_Q, JACOBIANS, LINEAR, NO_OPTIONS, ROBOTS, WORDS, check_shape,
                        from_tangent, from_tangent_transposed, options_of, robot_of,
                        to_tangent, to_tangent_transposed, unit)
from ._model import Error, _made
from ._operations import operations

__all__ = ["acceleration", "bias", "com", "difference", "energy", "forward_dynamics", "gravity", "integrate",
           "inverse_dynamics", "jacobian", "mass_matrix", "mass_matrix_inverse", "momentum", "normalize",
           "passive_forces", "pose", "step", "velocity"]

OPTIONS = ("frame", "reference", "kind", "passive", "method", "dt")
_new_robot = torch.compiler.assume_constant_result(robot_of)


def _robot(model):
    """Found again as an attribute, which every version of torch.compile can follow."""
    return getattr(model, "_robot", None) or _new_robot(model)


@torch.compiler.assume_constant_result
def _levels(*kinds):
    """How many transformations of torch.func of these kinds this is within."""
    return sum(level.key().name in kinds for level in torch._C._functorch.get_interpreter_stack() or ())


# ---- one operator: a call of the C library over tensors with the same leading axes ----

@torch.library.custom_op("pinion::call", mutates_args=(), device_types="cpu")
def _call_op(model: str, name: str, given: str, wanted: Sequence[int], arrays: Sequence[Tensor], frame: int,
             reference: int, kind: int, passive: int, method: int, dt: float) -> List[Tensor]:
    return _execute(ROBOTS[model], name, dict(zip(given.split(), arrays)), wanted, frame, reference, kind, passive,
                    method, dt)


def _execute(robot, name, given, wanted, frame, reference, kind, passive, method, dt):
    number, takes, gives = robot.calls[name]
    lead, results = _empty(robot, name, wanted, given)
    out = [None] * len(gives)
    for i, r in zip(wanted, results):
        out[i] = r.numpy()
    arrays = tuple(given[n].detach().contiguous().numpy() if n in given else None for n, _ in takes)
    _pinion._ffi_run(robot.model, number, math.prod(lead), arrays, tuple(out), frame, reference, kind, passive,
                     method, dt)
    return results


def _empty(robot, name, wanted, given):
    """The leading axes, and new tensors for the results."""
    _, takes, gives = robot.calls[name]
    n, first = next(iter(given.items()))
    lead = tuple(first.shape[:first.dim() - len(dict(takes)[n])])
    return lead, [first.new_empty(lead + gives[i][1]) for i in wanted]


@_call_op.register_fake
def _(model, name, given, wanted, arrays, *options):
    return _empty(ROBOTS[model], name, wanted, dict(zip(given.split(), arrays)))[1]


def _unwatched(arrays):
    """Whether nothing traces, differentiates or transforms: the operator costs more than most calls."""
    if torch.compiler.is_compiling() or torch._C._are_functorch_transforms_active() or \
            torch._C._len_torch_dispatch_stack() or \
            torch.autograd.forward_ad._current_level >= 0 and torch._C._is_fwd_grad_enabled():
        return False
    tracks = torch.is_grad_enabled()
    return all(type(a) in (Tensor, torch.nn.Parameter) and not (tracks and a.requires_grad) and
               not torch._C._functorch.is_functorch_wrapped_tensor(a) for a in arrays)


def _call(robot, name, arrays, options=None, wanted=None):
    """arrays: by name; what is missing or None is not given. wanted: the results, by number; None: all."""
    _, takes, gives = robot.calls[name]
    given = [n for n, _ in takes if arrays.get(n) is not None]
    o = {**NO_OPTIONS, **(options or {})}
    wanted = list(range(len(gives)) if wanted is None else wanted)
    settings = [o[k] for k in OPTIONS]
    if _unwatched([arrays[n] for n in given]):
        return _execute(robot, name, {n: arrays[n] for n in given}, wanted, *settings)
    if torch.compiler.is_compiling():  # which takes operators, and no functions with a jvp
        if _levels("Grad", "Jvp"):
            torch._dynamo.graph_break()  # what is within torch.func is not compiled
        return _call_op(robot.key, name, " ".join(given), wanted, [arrays[n] for n in given], *settings)
    return _Operation.apply(robot.key, name, " ".join(given), " ".join(map(str, wanted)), *settings,
                            *(arrays[n] for n in given))


# ---- operations with derivatives. A rule takes x, the arguments by name, and directions or rows d, by name or by
# number of the result; what is missing in d is zero. ----

def _add(a, b):
    return b if a is None else a if b is None else a + b


def _forces(robot, q, d):
    """What forces on the bodies change joint forces by; they push, so that less is left for the joints to do."""
    return _call(robot.still, "inverse_dynamics", {"q": q, "f_ext": d})[0]


def _through_torques(robot, x, d):
    """Forces on bodies act as those joint forces do that they stand for."""
    d = dict(d)
    if "f_ext" in d:
        d["tau"] = _add(d.get("tau"), -_forces(robot, x["q"], d.pop("f_ext")))
    return d


def _through_torques_transposed(robot, x, asked, rows):
    if "f_ext" in asked:
        rows["f_ext"] = -_call(robot, "force_vjp", {"q": x["q"], "row": rows["tau"]})[0]
    return rows


class _InverseDynamics:
    @staticmethod
    def jvp(robot, options, x, d, results):
        change, d = None, dict(d)
        forces = _forces(robot, x["q"], d.pop("f_ext")) if "f_ext" in d else None
        if d:
            change = _call(robot, "inverse_dynamics_jvp", {**x, **{"d" + n: t for n, t in d.items()}})[0]
        return [_add(change, forces)]

    @staticmethod
    def vjp(robot, options, x, asked, rows, results):
        given = [n for n in ("q", "v", "a") if n in asked]
        found = {}
        if given:
            wanted = [("q", "v", "a").index(n) for n in given]
            found = dict(zip(given, _call(robot, "inverse_dynamics_vjp", {**x, "row": rows[0]}, None, wanted)))
        if "f_ext" in asked:
            found["f_ext"] = _call(robot, "force_vjp", {"q": x["q"], "row": rows[0]})[0]
        return found


class _ForwardDynamics:
    @staticmethod
    def jvp(robot, options, x, d, results):
        d = _through_torques(robot, x, d)
        return _call(robot, "forward_dynamics_jvp", {**x, **{"d" + n: t for n, t in d.items()}})

    @staticmethod
    def vjp(robot, options, x, asked, rows, results):
        found = dict(zip(("q", "v", "tau"), _call(robot, "forward_dynamics_vjp", {**x, "row": rows[0]})))
        return _through_torques_transposed(robot, x, asked, found)


class _MassMatrix:
    """Its columns are inverse dynamics at rest, of unit accelerations and without gravity."""

    @staticmethod
    def columns(robot, x):
        q = x["q"][..., None, :].expand(*x["q"].shape[:-1], robot.nv, robot.nq)
        return {"q": q, "a": torch.eye(robot.nv, dtype=q.dtype).expand(*q.shape[:-1], robot.nv)}

    @staticmethod
    def jvp(robot, options, x, d, results):
        columns = _MassMatrix.columns(robot, x)
        dq = d["q"][..., None, :].expand(columns["a"].shape)
        return [_call(robot.still, "inverse_dynamics_jvp", {**columns, "dq": dq})[0].transpose(-1, -2)]

    @staticmethod
    def vjp(robot, options, x, asked, rows, results):
        columns = {**_MassMatrix.columns(robot, x), "row": rows[0].transpose(-1, -2)}
        return {"q": _call(robot.still, "inverse_dynamics_vjp", columns, None, [0])[0].sum(-2)}


class _MassMatrixInverse:
    @staticmethod
    def jvp(robot, options, x, d, results):
        return [-results[0] @ _MassMatrix.jvp(robot, options, x, d, results)[0] @ results[0]]

    @staticmethod
    def vjp(robot, options, x, asked, rows, results):
        return _MassMatrix.vjp(robot, options, x, asked, [-results[0] @ rows[0] @ results[0]], results)


def _times(matrix, d):
    """A Jacobian with any number of axes for its results, times a direction."""
    return (matrix * d.reshape(d.shape[:-1] + (1,) * (matrix.dim() - d.dim()) + d.shape[-1:])).sum(-1)


def _row_times(row, matrix, lead):
    """A row of results times such a Jacobian."""
    return (row[..., None] * matrix).reshape(*matrix.shape[:lead], -1, matrix.shape[-1]).sum(-2)


class _ByJacobians:
    """What has all Jacobians as matrices."""

    def __init__(self, name, torques=False):
        self.name, self.torques = name, torques

    def matrices(self, robot, options, x, results):
        takes = [n for n, _ in robot.calls[self.name][1]]

        def call(name, *arrays, wanted=None, **given):
            return _call(robot, name, dict(zip([n for n, _ in robot.calls[name][1]], arrays)), given, wanted)
        rows = JACOBIANS[self.name](call, torch, robot, options, [x.get(n) for n in takes], results)
        return [{n: m for n, m in zip(takes, row) if m is not None} for row in rows]

    def jvp(self, robot, options, x, d, results):
        d = _through_torques(robot, x, d) if self.torques else d
        changes = []
        for row, r in zip(self.matrices(robot, options, x, results), results):
            terms = [_times(m, d[n]) for n, m in row.items() if n in d]
            changes.append(sum(terms[1:], terms[0]) if terms else torch.zeros_like(r))
        return changes

    def vjp(self, robot, options, x, asked, rows, results):
        lead, found = x[next(iter(x))].dim() - 1, {}
        wanted = set(asked) | ({"tau"} if self.torques else set())
        for i, row in enumerate(self.matrices(robot, options, x, results)):
            if i in rows:
                for n in wanted & row.keys():
                    found[n] = _add(found.get(n), _row_times(rows[i], row[n], lead))
        return _through_torques_transposed(robot, x, asked, found) if self.torques else found


class _Step(_ByJacobians):
    def matrices(self, robot, options, x, results):
        n, (_, _, a, b) = robot.nv, _call(robot, "d_step", x, options)
        return [{"q": m[..., :n], "v": m[..., n:], "tau": k} for m, k in ((a[..., :n, :], b[..., :n, :]),
                                                                         (a[..., n:, :], b[..., n:, :]))]

    @staticmethod
    def check(options, names):
        if "f_ext" in names and options["method"] != WORDS["method"]["semi_implicit"]:
            raise NotImplementedError("pinion.torch: a step of rk4 has no derivative by f_ext")

    def jvp(self, robot, options, x, d, results):
        self.check(options, d)
        return super().jvp(robot, options, x, d, results)

    def vjp(self, robot, options, x, asked, rows, results):
        self.check(options, asked)
        return super().vjp(robot, options, x, asked, rows, results)


class _Linear:
    """A call that is linear in some arguments, with its transpose; others have no derivative."""

    def __init__(self, name):
        self.name, (self.variables, self.other) = name, LINEAR.get(name, ((), None))

    def check(self, names):
        for n in names:
            if n not in self.variables:
                raise NotImplementedError(f"pinion.torch: {self.name} has no derivative by {n}. First derivatives are "
                                          "there of all functions, second ones of pose alone")

    def jvp(self, robot, options, x, d, results):
        self.check(d)
        known = {n: a for n, a in x.items() if n not in self.variables}
        return _call(robot, self.name, {**known, **d}, options, options["wanted"])

    def vjp(self, robot, options, x, asked, rows, results):
        self.check(asked)
        known = {n: a for n, a in x.items() if n not in self.variables}
        variables, names = LINEAR[self.other][0], [n for n, _ in robot.calls[self.name][2]]
        # its results are the variables of the other; one of the two has a single one
        into = {variables[0] if len(variables) == 1 else names[options["wanted"][i]]: r for i, r in rows.items()}
        names = [n for n, _ in robot.calls[self.other][2]]
        wanted = [names.index(n) for n in asked] if len(names) > 1 else [0]
        at = robot.still if self.other == "inverse_dynamics" else robot
        return dict(zip(asked, _call(at, self.other, {**known, **into}, None, wanted)))


_RULES = {**{name: _ByJacobians(name) for name in JACOBIANS},
          "inverse_dynamics": _InverseDynamics, "forward_dynamics": _ForwardDynamics, "mass_matrix": _MassMatrix,
          "mass_matrix_inverse": _MassMatrixInverse, "step": _Step("step", True)}
_LOOPS = _ByJacobians("forward_dynamics", True)


def _rule(robot, name):
    return _LOOPS if robot.loops and name == "forward_dynamics" else _RULES.get(name) or _Linear(name)


def _check_levels():
    """torch.func takes a function's jvp for a constant of other levels of forward mode, and says nothing."""
    if _levels("Jvp") > 1:
        raise NotImplementedError("pinion.torch: PyTorch has no forward mode over forward mode of functions that are "
                                  "not its own; jacfwd(jacrev(f)) and jacrev(jacfwd(f)) work")


def _rows(robot, name, given, options, saved, needs, rows):
    """Gradients by what is given, of those that need one."""
    x, results = dict(zip(given, saved)), saved[len(given):]
    asked = [n for n, need in zip(given, needs) if need]
    rows = {i: r for i, r in enumerate(rows) if r is not None}
    if name in GIVES_Q and 0 in rows:
        rows[0] = from_tangent_transposed(torch, robot, results[0], rows[0])
    found = _rule(robot, name).vjp(robot, options, x, asked, rows, results) if rows and asked else {}
    for n in CONFIGURATIONS & found.keys():
        found[n] = to_tangent_transposed(torch, robot, x[n], found[n])
    return [found.get(n) if n in asked else None for n in given]


class _Operation(torch.autograd.Function):
    """A call with derivatives. What is no tensor comes first: key, name, given, wanted and the options."""

    @staticmethod
    def forward(model, name, given, wanted, frame, reference, kind, passive, method, dt, *arrays):
        wanted, settings = [int(i) for i in wanted.split()], (frame, reference, kind, passive, method, dt)
        if _unwatched(arrays):
            return tuple(_execute(ROBOTS[model], name, dict(zip(given.split(), arrays)), wanted, *settings))
        return tuple(_call_op(model, name, given, wanted, arrays, *settings))

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.robot, ctx.name, ctx.given = ROBOTS[inputs[0]], inputs[1], inputs[2].split()
        ctx.options = {**dict(zip(OPTIONS, inputs[4:10])), "wanted": [int(i) for i in inputs[3].split()]}
        ctx.set_materialize_grads(False)
        ctx.save_for_backward(*inputs[10:], *output)
        ctx.save_for_forward(*inputs[10:], *output)

    @staticmethod
    def backward(ctx, *rows):
        return (None,) * 10 + tuple(_rows(ctx.robot, ctx.name, ctx.given, ctx.options, ctx.saved_tensors,
                                          ctx.needs_input_grad[10:], rows))

    @staticmethod
    def jvp(ctx, *tangents):
        _check_levels()
        n, robot = len(ctx.given), ctx.robot
        x, results = dict(zip(ctx.given, ctx.saved_tensors)), ctx.saved_tensors[n:]
        d = {n: t for n, t in zip(ctx.given, tangents[10:]) if t is not None}
        for n in CONFIGURATIONS & d.keys():
            d[n] = to_tangent(torch, robot, x[n], d[n])
        changes = list(_rule(robot, ctx.name).jvp(robot, ctx.options, x, d, results))
        if ctx.name in GIVES_Q:
            changes[0] = from_tangent(torch, robot, results[0], changes[0])
        return tuple(changes)

    @staticmethod
    def vmap(info, in_dims, *inputs):
        results = _Operation.apply(*inputs[:10], *_batched(info, inputs[10:], in_dims[10:]))
        return results, (0,) * len(results)


def _batched(info, arrays, dims):
    return [a.expand(info.batch_size, *a.shape) if d is None else a.movedim(d, 0) for a, d in zip(arrays, dims)]


# the operator's own derivatives, for torch.compile

def _setup(ctx, inputs, output):
    model, ctx.name, given, wanted, arrays, *options = inputs
    ctx.robot, ctx.given = ROBOTS[model], given.split()
    ctx.options = {**dict(zip(OPTIONS, options)), "wanted": list(wanted)}
    ctx.save_for_backward(*arrays, *output)


def _backward(ctx, rows):
    return (None,) * 4 + (_rows(ctx.robot, ctx.name, ctx.given, ctx.options, ctx.saved_tensors,
                                ctx.needs_input_grad[4], rows),) + (None,) * 6


_call_op.register_autograd(_backward, setup_context=_setup)


@_call_op.register_vmap
def _(info, in_dims, model, name, given, wanted, arrays, *options):
    results = _call_op(model, name, given, wanted, _batched(info, arrays, in_dims[4]), *options)
    return results, [0] * len(results)


# results of several parts: tuples of the kind that torch.compile and torch.func know
Com, Energy, Pose, Step = (namedtuple(_made[name].__name__, _made[name]._fields)
                           for name in ("com", "energy", "pose", "step"))
_SEVERAL = {"com": Com, "energy": Energy, "pose": Pose, "step": Step}


def _run(model, name, arrays, title=None, **options):
    """Tensors become ones of a dtype with the same leading axes and unit quaternions."""
    robot, title = _robot(model), title or name
    shapes = dict(robot.calls[name][1])
    arrays = {n: torch.as_tensor(a) for n, a in arrays.items() if a is not None}
    dtype = None
    for n, a in arrays.items():
        if a.device.type != "cpu":
            raise Error(f"{title}: {n} is on {a.device}; expected a tensor on the CPU")
        check_shape(title, n, a.shape, shapes[n])
        dtype = a.dtype if dtype is None else torch.promote_types(dtype, a.dtype)
    if not dtype.is_floating_point and not dtype.is_complex:
        dtype = torch.get_default_dtype()
    if dtype not in (torch.float32, torch.float64):
        raise Error(f"{title}: tensors of {dtype}; expected float32 or float64")
    leads = {n: tuple(a.shape[:a.dim() - len(shapes[n])]) for n, a in arrays.items()}
    try:
        lead = torch.broadcast_shapes(*leads.values())
    except RuntimeError:
        raise Error(f"{title}: leading axes {leads} cannot be broadcast") from None
    arrays = {n: a.to(dtype).expand(*lead, *shapes[n]) for n, a in arrays.items()}
    arrays = {n: unit(torch, robot, a) if n in CONFIGURATIONS else a for n, a in arrays.items()}
    results = _call(robot, name, arrays, dict(options_of(title, robot, **options)))
    return results[0] if len(results) == 1 else _SEVERAL[name](*results)


# ---- what there is ----

def normalize(m, q):
    """q with quaternions of unit length."""
    robot, q = _robot(m), torch.as_tensor(q)
    check_shape("normalize", "q", q.shape, (robot.nq,))
    return unit(torch, robot, q)


(acceleration, bias, com, difference, energy, forward_dynamics, gravity, integrate, inverse_dynamics, jacobian,
 mass_matrix, mass_matrix_inverse, momentum, passive_forces, pose, step, velocity) = operations(
     __name__, _run, torch.as_tensor)
