"""What pinion.jax and pinion.torch share: robots by key, the calls with their shapes, charts, and Jacobians.

A derivative by q is one in the tangent space, nv numbers, as everywhere in Pinion. Programs that differentiate see q
as nq numbers. Here a function of q is one of the configuration that q names: quaternions count as if they were of unit
length. So it has an ordinary gradient by the nq numbers, which for a quaternion is orthogonal to it.
"""
import hashlib

import numpy as np

from . import _pinion
from ._arguments import _choice, _number
from ._model import Error, Model

WORDS = {"reference": {"world_aligned": 0, "local": 1, "world": 2}, "kind": {"classical": 0, "spatial": 1},
         "method": {"semi_implicit": 0, "rk4": 1}}
NO_OPTIONS = {"frame": 0, "reference": 0, "kind": 0, "passive": 0, "method": 0, "dt": 1.0}

# the sign of a permutation of three axes: a cross product is a contraction with it
CROSS = np.zeros((3, 3, 3))
for _i in range(3):
    CROSS[_i, (_i + 1) % 3, (_i + 2) % 3], CROSS[_i, (_i + 2) % 3, (_i + 1) % 3] = 1.0, -1.0


ROBOTS = {}  # by their keys; as long as the process lives, as the extension has them


class Robot:
    """A model as compiled functions know it: by a key made of what it is, so that equal models are one."""

    def __init__(self, model):
        _, text, free, loads, *_ = model.__reduce__()[1]
        told = repr((_pinion.version, text, free, [(i, mass, com.tolist(), inertia.tolist())
                                                   for i, (mass, com, inertia) in loads]))
        self.model = model
        self.key = _pinion._ffi_register(hashlib.sha256(told.encode()).hexdigest()[:32], model)
        self.calls = _pinion._ffi_calls(model)
        self.nq, self.nv = model.nq, model.nv
        self.loops = model._counts[3] > 0
        # where q is no vector, as places in q and places in v, a row a joint: quaternions and their rates, positions
        # that are behind quaternions which turn them, and planar joints
        self.quaternions = self._places(("spherical", "free"), 0, 4, 0, 3)
        self.positions = self._places(("free",), 4, 3, 3, 3)
        self.free_quaternions = self._places(("free",), 0, 4, 0, 3)[0]
        self.planar = self._places(("planar",), 0, 3, 0, 3)
        self.plain = not (self.quaternions[0].size or self.planar[0].size)
        self.order_q, self.order_v = self._order(0), self._order(1)
        self.order_unit = np.arange(self.nq)  # places in [q, unit quaternions] of each number of q
        self.order_unit[self.quaternions[0].reshape(-1)] = self.nq + np.arange(self.quaternions[0].size)
        # the same without gravity: its inverse dynamics are linear in a and in f_ext where nothing moves
        self.still = robot_of(model.with_gravity((0, 0, 0))) if model.gravity_vector.any() else self
        ROBOTS[self.key] = self

    def __eq__(self, other):
        return isinstance(other, Robot) and self.key == other.key

    def __hash__(self):
        return hash(self.key)

    def __repr__(self):
        return f"{self.model.name}:{self.key[:6]}"

    def _places(self, types, q_first, q_count, v_first, v_count):
        found = [j for j in self.model.joints if j.type in types]
        return (np.array([j.q_index + q_first + np.arange(q_count) for j in found], int).reshape(-1, q_count),
                np.array([j.v_index + v_first + np.arange(v_count) for j in found], int).reshape(-1, v_count))

    def _order(self, side):
        """Places of each number of q, or of v, in [v or q, turned, moved, planar], one after the other."""
        place = np.zeros((self.nq, self.nv)[side], int)
        for j in self.model.joints:  # those whose q and v are the same: where they are in the other
            if j.nq == j.nv:
                place[(j.q, j.v)[side]] = np.arange(j.nq) + (j.v_index, j.q_index)[side]
        at = (self.nv, self.nq)[side]
        for group in (self.quaternions, self.positions, self.planar):
            index = group[side].reshape(-1)
            place[index] = at + np.arange(index.size)
            at += index.size
        return place


def robot_of(model):
    if not isinstance(model, Model):
        raise TypeError(f"expected a pinion.Model, not {type(model).__name__}")
    robot = model.__dict__.get("_robot")
    if robot is None:
        robot = model.__dict__["_robot"] = Robot(model)
    return robot


def frame_of(name, model, frame):
    try:
        return _number(model.frames, frame, "frame")
    except Error as e:
        raise Error(f"{name}: {e}") from None


def options_of(name, robot, **given):
    """The options of a call, as numbers."""
    options = dict(NO_OPTIONS)
    for key, value in given.items():
        if key == "frame":
            value = frame_of(name, robot.model, value)
        elif key in WORDS:
            value = _choice(f"{name}: {key}", value, WORDS[key])
        options[key] = float(value) if key == "dt" else int(value)
    return tuple(sorted(options.items()))


def check_shape(name, argument, shape, own):
    if len(shape) < len(own) or tuple(shape[len(shape) - len(own):]) != tuple(own):
        wanted = ", ".join(["..."] + [str(d) for d in own])
        raise Error(f"{name}: {argument} has the shape {tuple(shape)}; expected ({wanted})")


# ---- charts. `xp` is jax.numpy or torch; everything is made of differentiable operations of theirs. ----

def _flat(x):
    return x.reshape(x.shape[:-2] + (x.shape[-2] * x.shape[-1],))


def _join(xp, parts):
    return xp.concatenate(parts, -1)


def _turning():
    """Tensors of which charts are made, in a quaternion x of unit length: rates w = 2 G x dx, rotations R = T x x;
    and of an angle, R = P (cos, sin, 1) in the plane."""
    g, t, p = np.zeros((3, 4, 4)), np.zeros((3, 3, 4, 4)), np.zeros((3, 3, 3))
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        g[i, 0, 1 + i], g[i, 1 + i, 0], g[i, 1 + j, 1 + k], g[i, 1 + k, 1 + j] = 1, -1, -1, 1
        t[i, i, 0, 0] = t[i, i, 1 + i, 1 + i] = 1
        t[i, i, 1 + j, 1 + j] = t[i, i, 1 + k, 1 + k] = -1
        t[i, j, 1 + i, 1 + j] = t[j, i, 1 + i, 1 + j] = 2
        t[j, i, 0, 1 + k], t[i, j, 0, 1 + k] = 2, -2
    p[0, 0, 0] = p[1, 1, 0] = p[1, 0, 1] = p[2, 2, 2] = 1
    p[0, 1, 1] = -1
    return g, t, p


_G, _T, _P = _turning()


def unit(xp, robot, q):
    """q with quaternions of unit length."""
    places = robot.quaternions[0]
    if not places.size:
        return q
    x = q[..., places]
    x = x / xp.sqrt((x * x).sum(-1))[..., None]
    return _join(xp, [q, _flat(x)])[..., robot.order_unit]


def _chart(xp, robot, q, d, to, factor):
    """A change of q's numbers, nq of them, as one in the tangent space, nv; or (`to` is 1) the other way. The factor is
    that of quaternions: rates are twice what the numbers change by."""
    if robot.plain:
        return d
    parts = [d]

    def tensor(x):
        return xp.asarray(x, dtype=q.dtype)
    if robot.quaternions[0].size:
        x, e = q[..., robot.quaternions[0]], d[..., robot.quaternions[to]]
        g = xp.einsum("iab,...a->...ib", tensor(_G), x)
        parts.append(_flat(factor * xp.einsum("...ib,...i->...b" if to else "...ib,...b->...i", g, e)))
    turns = []
    if robot.positions[0].size:
        x = q[..., robot.free_quaternions]
        turns.append((xp.einsum("ijab,...a,...b->...ij", tensor(_T), x, x), robot.positions[to]))
    if robot.planar[0].size:
        angle = q[..., robot.planar[0][:, 2]]
        x = xp.stack([xp.cos(angle), xp.sin(angle), xp.ones_like(angle)], -1)
        turns.append((xp.einsum("iju,...u->...ij", tensor(_P), x), robot.planar[to]))
    for turn, places in turns:
        parts.append(_flat(xp.einsum("...ij,...j->...i" if to else "...ji,...j->...i", turn, d[..., places])))
    return _join(xp, parts)[..., robot.order_q if to else robot.order_v]


def to_tangent(xp, robot, q, dq):
    """A change of q's numbers as one in the tangent space; q has unit quaternions."""
    return _chart(xp, robot, q, dq, 0, 2.0)


def from_tangent(xp, robot, q, d):
    """A change in the tangent space as one of q's numbers."""
    return _chart(xp, robot, q, d, 1, 0.5)


def to_tangent_transposed(xp, robot, q, g):
    """A gradient in the tangent space as one by q's numbers."""
    return _chart(xp, robot, q, g, 1, 2.0)


def from_tangent_transposed(xp, robot, q, g):
    """A gradient by q's numbers as one in the tangent space."""
    return _chart(xp, robot, q, g, 0, 0.5)


# ---- Jacobians, [result][variable] for each result and each argument; None: zero. `call(name, *arrays, **options)`
# gives results of the C library. By q and of q they are in the tangent space. ----

def _pose(call, xp, robot, options, arrays, results):
    j = call("jacobian", arrays[0], frame=options["frame"])[0]
    cross = xp.asarray(CROSS, dtype=j.dtype)
    return [[j[..., 3:, :]], [xp.einsum("iab,...ac,...bk->...ikc", cross, j[..., :3, :], results[1])]]


def _jacobian(call, xp, robot, options, arrays, results):
    return [[call("hessian", arrays[0], frame=options["frame"], reference=options["reference"])[0]]]


def _velocity(call, xp, robot, options, arrays, results):
    d = call("d_frame", *arrays, None, frame=options["frame"], reference=options["reference"], wanted=(0, 1))
    return [[d[0], d[1]]]


def _acceleration(call, xp, robot, options, arrays, results):
    d = call("d_frame", *arrays, frame=options["frame"], reference=options["reference"], kind=options["kind"],
             wanted=(2, 3, 4))
    return [[d[0], d[1], d[2]]]


def _energy(call, xp, robot, options, arrays, results):
    dq, dv, potential = call("d_energy", *arrays, passive=options["passive"])
    return [[dq, dv], [potential, None]]


def _com(call, xp, robot, options, arrays, results):
    j = call("com_jacobian", arrays[0])[0]
    dq = call("d_momentum", *arrays, wanted=(0,))[0][..., 3:, :] / robot.model.mass
    return [[j, None], [dq, j]]


def _momentum(call, xp, robot, options, arrays, results):
    return [list(call("d_momentum", *arrays))]


def _passive_forces(call, xp, robot, options, arrays, results):
    return [list(call("d_passive_forces", *arrays))]


def _integrate(call, xp, robot, options, arrays, results):
    return [list(call("d_integrate", arrays[1]))]


def _difference(call, xp, robot, options, arrays, results):
    return [list(call("d_difference", results[0]))]


def _loop_dynamics(call, xp, robot, options, arrays, results):
    return [list(call("d_forward_dynamics", *arrays))]


JACOBIANS = {"pose": _pose, "jacobian": _jacobian, "velocity": _velocity, "acceleration": _acceleration,
             "energy": _energy, "com": _com, "momentum": _momentum, "passive_forces": _passive_forces,
             "integrate": _integrate, "difference": _difference, "forward_dynamics": _loop_dynamics}
CONFIGURATIONS = {"q", "q0", "q1"}  # arguments that are one; and of these the result is
GIVES_Q = {"integrate", "step"}

# Calls that are linear in some arguments, and those that are their transposes: {call: (arguments, transpose)}. The
# arguments of one are the results of the other.
LINEAR = {
    "inverse_dynamics_jvp": (("dq", "dv", "da"), "inverse_dynamics_vjp"),
    "inverse_dynamics_vjp": (("row",), "inverse_dynamics_jvp"),
    "forward_dynamics_jvp": (("dq", "dv", "dtau"), "forward_dynamics_vjp"),
    "forward_dynamics_vjp": (("row",), "forward_dynamics_jvp"),
    "inverse_dynamics": (("f_ext",), "force_vjp"),  # at rest and without gravity
    "force_vjp": (("row",), "inverse_dynamics"),
}
