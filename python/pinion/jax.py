"""Robot dynamics as operations of JAX, on the CPU: jit, vmap, grad, jvp, vjp, jacfwd, jacrev.

    import jax, jax.numpy as jnp, pinion as pn, pinion.jax as pj
    m = pn.load("panda.urdf")
    tau = jax.jit(lambda q, v, a: pj.inverse_dynamics(m, q, v, a))(q, v, a)
    g = jax.grad(lambda q: pj.pose(m, q, "tool").position[2])(q)

Functions are called as the methods of a Model are, the model first; leading axes are a batch. XLA calls the C
library itself, with nothing of Python in between. Derivatives are analytic, in both modes; those of dynamics cost
O(n) each. In float64 where JAX has it (jax_enable_x64), else in float32. A state that is wrong is NaN in its results.

A function of q is one of the configuration that q names: quaternions count as if they were of unit length, and a
gradient by q has nq numbers. docs/autodiff.md tells more.
"""
import functools
import re
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir

from . import _pinion
from ._autodiff import (CONFIGURATIONS, GIVES_Q, JACOBIANS, LINEAR, NO_OPTIONS, WORDS, check_shape, from_tangent,
                        options_of, robot_of, to_tangent, unit)
from ._model import Error, _made
from ._operations import operations

__all__ = ["acceleration", "bias", "com", "difference", "energy", "forward_dynamics", "gravity", "integrate",
           "inverse_dynamics", "jacobian", "mass_matrix", "mass_matrix_inverse", "momentum", "normalize",
           "passive_forces", "pose", "register", "step", "velocity"]

_TARGET = "pinion_call"


def _announce():
    """Tells XLA of the handler, as one for the version of its interface that it has."""
    header = Path(jax.ffi.include_dir()) / "xla" / "ffi" / "api" / "c_api.h"
    found = re.findall(r"#define XLA_FFI_API_(MAJOR|MINOR) (\d+)", header.read_text())
    if len(found) != 2:
        raise ImportError(f"pinion.jax: {header} does not say which version of its interface XLA has")
    version = {name: int(number) for name, number in found}
    jax.ffi.register_ffi_target(_TARGET, _pinion._ffi_handler(version["MAJOR"], version["MINOR"]), platform="cpu")


_announce()

# ---- one primitive: a call of the C library over arrays with the same leading axes ----

_call_p = Primitive("pinion")
_call_p.multiple_results = True


def _bind(robot, name, arrays, options=None, wanted=None, linear=False):
    """arrays: by name; what is missing or None is not given. wanted: the results, by number; None: all."""
    _, takes, gives = robot.calls[name]
    given = tuple(n for n, _ in takes if arrays.get(n) is not None)
    options = tuple(sorted({**NO_OPTIONS, **(options or {})}.items()))
    wanted = tuple(range(len(gives))) if wanted is None else tuple(wanted)
    return _call_p.bind(*(arrays[n] for n in given), robot=robot, name=name, given=given, wanted=wanted,
                        options=options, linear=linear)


def _abstract(*avals, robot, name, given, wanted, options, linear):
    _, takes, gives = robot.calls[name]
    lead = avals[0].shape[:avals[0].ndim - len(dict(takes)[given[0]])]
    for n, aval in zip(given, avals):
        assert aval.shape == lead + dict(takes)[n] and aval.dtype == avals[0].dtype, (name, n, aval)
    return [jax.core.ShapedArray(lead + gives[i][1], avals[0].dtype) for i in wanted]


def _lower(ctx, *operands, robot, name, given, wanted, options, linear):
    number, takes, _ = robot.calls[name]
    attributes = {k: np.float64(x) if k == "dt" else np.int32(x) for k, x in options}
    bits = sum(1 << i for i, (n, _) in enumerate(takes) if n in given)
    return jax.ffi.ffi_lowering(_TARGET)(
        ctx, *operands, model=robot.key, call=np.int32(number), given=np.int32(bits),
        wanted=np.int32(sum(1 << i for i in wanted)), **attributes)


@functools.lru_cache(maxsize=1024)
def _compiled(params):
    return jax.jit(lambda *arrays: _call_p.bind(*arrays, **dict(params)))


def _batch(arrays, dims, **params):
    size, = {a.shape[d] for a, d in zip(arrays, dims) if d is not None}
    arrays = [jnp.broadcast_to(a, (size, *a.shape)) if d is None else jnp.moveaxis(a, d, 0)
              for a, d in zip(arrays, dims)]
    results = _call_p.bind(*arrays, **params)
    return results, [0] * len(results)


def _differentiate(primals, tangents, **params):
    """Only what is linear has a derivative of its own."""
    name, variables = params["name"], LINEAR[params["name"]][0] if params["linear"] else ()
    for n, t in zip(params["given"], tangents):
        if n not in variables and type(t) is not ad.Zero:
            raise NotImplementedError(f"pinion.jax: {name} has no derivative by {n}. First derivatives are there of "
                                      "all functions, second ones of pose alone")
    tangents = [p if n not in variables else ad.instantiate_zeros(t)
                for n, p, t in zip(params["given"], primals, tangents)]
    return _call_p.bind(*primals, **params), _call_p.bind(*tangents, **params)


def _transpose(cotangents, *arrays, robot, name, given, wanted, options, linear):
    variables, other = LINEAR[name]
    gives = robot.calls[name][2]
    asked = [n for n, a in zip(given, arrays) if ad.is_undefined_primal(a)]
    assert linear and set(asked) == set(given) & set(variables)
    # the results of this call are the variables of the other; one of the two has a single one
    into = {gives[i][0]: c for i, c in zip(wanted, cotangents) if type(c) is not ad.Zero}
    if not into:
        return [ad.Zero(a.aval) if ad.is_undefined_primal(a) else None for a in arrays]
    if len(LINEAR[other][0]) == 1:
        into = {LINEAR[other][0][0]: c for c in into.values()}
    known = {n: a for n, a in zip(given, arrays) if n not in variables}
    names = [n for n, _ in robot.calls[other][2]]
    results = _bind(robot, other, {**known, **into}, dict(options),
                    [names.index(n) for n in asked] if len(names) > 1 else [0], True)
    found = dict(zip(asked, results))
    return [found.get(n) for n in given]


_call_p.def_impl(lambda *arrays, **params: _compiled(tuple(sorted(params.items())))(*arrays))
_call_p.def_abstract_eval(_abstract)
mlir.register_lowering(_call_p, _lower, platform="cpu")
batching.primitive_batchers[_call_p] = _batch
ad.primitive_jvps[_call_p] = _differentiate
ad.primitive_transposes[_call_p] = _transpose


# ---- operations with derivatives ----

@functools.partial(jax.custom_jvp, nondiff_argnums=(0, 1, 2, 3))
def _operation(robot, name, given, options, *arrays):
    return tuple(_bind(robot, name, dict(zip(given, arrays)), dict(options)))


def _call(robot):
    """For rules of Jacobians: results of calls, with derivatives where they have any."""
    def call(name, *arrays, wanted=None, **options):
        arrays = dict(zip([n for n, _ in robot.calls[name][1]], arrays))
        if name not in JACOBIANS:
            return _bind(robot, name, arrays, options, wanted)
        given = tuple(n for n in arrays if arrays[n] is not None)
        return _operation(robot, name, given, tuple(sorted({**NO_OPTIONS, **options}.items())),
                          *(arrays[n] for n in given))
    return call


def _forces(robot, q, d):
    """What forces on the bodies change joint forces by; they push, so that less is left for the joints to do."""
    return _bind(robot.still, "inverse_dynamics", {"q": q, "f_ext": d}, linear=True)[0]


def _d_inverse_dynamics(robot, options, x, d, results):
    change = 0
    if d.keys() - {"f_ext"}:
        names = {"d" + n: t for n, t in d.items() if n != "f_ext"}
        change = _bind(robot, "inverse_dynamics_jvp", {**x, **names}, linear=True)[0]
    return (change + _forces(robot, x["q"], d["f_ext"]) if "f_ext" in d else change,)


def _through_torques(robot, x, d):
    """Forces on bodies act as those joint forces do that they stand for."""
    d = dict(d)
    if "f_ext" in d:
        d["tau"] = d.get("tau", 0) - _forces(robot, x["q"], d.pop("f_ext"))
    return d


def _d_forward_dynamics(robot, options, x, d, results):
    d = _through_torques(robot, x, d)
    if robot.loops:
        matrices = _call(robot)("d_forward_dynamics", x["q"], x.get("v"), x.get("tau"), x.get("f_ext"))
        return (sum(_times(m, d[n]) for m, n in zip(matrices, ("q", "v", "tau")) if n in d),)
    return tuple(_bind(robot, "forward_dynamics_jvp", {**x, **{"d" + n: t for n, t in d.items()}}, linear=True))


def _d_mass_matrix(robot, options, x, d, results):
    """Its columns are inverse dynamics at rest, of unit accelerations and without gravity."""
    def column(a):
        a = jnp.broadcast_to(a, d["q"].shape)
        return _bind(robot.still, "inverse_dynamics_jvp", {"q": x["q"], "a": a, "dq": d["q"]}, linear=True)[0]
    return (jax.vmap(column, out_axes=-1)(jnp.eye(robot.nv, dtype=d["q"].dtype)),)


def _d_mass_matrix_inverse(robot, options, x, d, results):
    return (-results[0] @ _d_mass_matrix(robot, options, x, d, results)[0] @ results[0],)


def _d_step(robot, options, x, d, results):
    if "f_ext" in d and dict(options)["method"] != WORDS["method"]["semi_implicit"]:
        raise NotImplementedError("pinion.jax: a step of rk4 has no derivative by f_ext")
    d, n = _through_torques(robot, x, d), robot.nv
    a, b = _bind(robot, "d_step", x, dict(options))[2:]
    parts = {"q": a[..., :n], "v": a[..., n:], "tau": b}
    change = sum(_times(parts[k], t) for k, t in d.items())
    return change[..., :n], change[..., n:]


def _times(matrix, d):
    """A Jacobian with any number of axes for its results, times a direction."""
    return (matrix * d.reshape(d.shape[:-1] + (1,) * (matrix.ndim - d.ndim) + d.shape[-1:])).sum(-1)


def _by_jacobians(name):
    def rule(robot, options, x, d, results):
        takes = [n for n, _ in robot.calls[name][1]]
        rows = JACOBIANS[name](_call(robot), jnp, robot, dict(options), [x.get(n) for n in takes], results)
        terms = [[_times(m, d[n]) for m, n in zip(row, takes) if m is not None and n in d] for row in rows]
        return tuple(sum(t) if t else jnp.zeros_like(r) for t, r in zip(terms, results))
    return rule


_RULES = {**{name: _by_jacobians(name) for name in JACOBIANS},
          "inverse_dynamics": _d_inverse_dynamics, "forward_dynamics": _d_forward_dynamics,
          "mass_matrix": _d_mass_matrix, "mass_matrix_inverse": _d_mass_matrix_inverse, "step": _d_step}


def _rule(robot, name, given, options, primals, tangents):
    results = _operation(robot, name, given, options, *primals)
    x, d = dict(zip(given, primals)), {}
    for n, t in zip(given, tangents):
        if type(t) is not jax.custom_derivatives.SymbolicZero:
            d[n] = to_tangent(jnp, robot, x[n], t) if n in CONFIGURATIONS else t
    changes = _RULES[name](robot, options, x, d, results)
    if name in GIVES_Q:
        changes = (from_tangent(jnp, robot, results[0], changes[0]), *changes[1:])
    return results, changes


_operation.defjvp(_rule, symbolic_zeros=True)


@functools.partial(jax.jit, static_argnums=(0, 1, 2, 3, 4))
def _evaluate(robot, name, options, lead, dtype, arrays):
    """Arrays become ones of a dtype with the same leading axes and unit quaternions."""
    shapes = dict(robot.calls[name][1])
    arrays = {n: jnp.broadcast_to(jnp.asarray(a, dtype), lead + shapes[n]) for n, a in arrays.items()}
    arrays = {n: unit(jnp, robot, a) if n in CONFIGURATIONS else a for n, a in arrays.items()}
    return _operation(robot, name, tuple(arrays), options, *arrays.values())


def _run(model, name, arrays, title=None, **options):
    robot, title = robot_of(model), title or name
    shapes = dict(robot.calls[name][1])
    arrays = {n: a if hasattr(a, "shape") and hasattr(a, "dtype") else jnp.asarray(a) for n, a in arrays.items()
              if a is not None}
    dtype = jnp.result_type(*(jax.dtypes.canonicalize_dtype(a.dtype) for a in arrays.values()))
    if jnp.issubdtype(dtype, jnp.integer):
        dtype = jnp.result_type(float)
    if dtype not in (jnp.float32, jnp.float64):
        raise Error(f"{title}: arrays of {dtype}; expected float32 or float64")
    for n, a in arrays.items():
        check_shape(title, n, a.shape, shapes[n])
    leads = {n: tuple(a.shape[:len(a.shape) - len(shapes[n])]) for n, a in arrays.items()}
    try:
        lead = np.broadcast_shapes(*leads.values())
    except ValueError:
        raise Error(f"{title}: leading axes {leads} cannot be broadcast") from None
    results = _evaluate(robot, name, options_of(title, robot, **options), lead, dtype, arrays)
    return results[0] if len(results) == 1 else _made[name](*results)


_unit = jax.jit(functools.partial(unit, jnp), static_argnums=0)


# ---- what there is ----

def register(m):
    """Makes a model known to functions that were compiled elsewhere (jax.export). Tracing one does it by itself."""
    robot_of(m)


def normalize(m, q):
    """q with quaternions of unit length."""
    robot, q = robot_of(m), jnp.asarray(q)
    check_shape("normalize", "q", q.shape, (robot.nq,))
    return _unit(robot, q)


(acceleration, bias, com, difference, energy, forward_dynamics, gravity, integrate, inverse_dynamics, jacobian,
 mass_matrix, mass_matrix_inverse, momentum, passive_forces, pose, step, velocity) = operations(
     __name__, _run, jnp.asarray)
