"""What stands on a model beside its quantities."""
import numpy as np

from . import _pinion
from ._arguments import _choice, _number, _numbers, _one, _rotation, _whole
from ._model import Error, _of_model
from ._named import named
from ._sim import _Files, _row

_CONVENTIONS = {"mujoco": 0, "pinocchio": 1}

Solution = named("Solution", "q converged starts iterations position_error orientation_error")
Linear = named("Linear", "A B velocities inputs a eigenvalues loss")
Constraints = named("Constraints", "phi L rate c rank freedom")
ElementForces = named("ElementForces", "springs dampers compensation potential")
DElementForces = named("DElementForces", "dq dv")
TendonLengths = named("TendonLengths", "length rate")
Mobility = named("Mobility", "rows rank redundant gruebler freedom doubt singular open")
Operations = named("Operations", "mul add div sqrt trig span")
Constrained = named("Constrained", "a lambda_ a_dq a_dv a_dtau lambda_dq lambda_dv lambda_dtau")
Counts = named("Counts", "lean whole published")


@_of_model
def solve_ik(model, frame, position=None, rotation=None, q0=None, tol=1e-10, weight=None, iterations=200, starts=20,
             limits=True, seed=0):
    """The configuration that puts a frame where it is wanted, as Solution (q, converged, ...).

    position: (3,) in the world, rotation: (3, 3), its columns the frame's axes in the world; without one of them that
    part is free. weight: (6,), angular first, 0 leaves a direction free. q0 is the first start, random ones follow.
    Error "convergence" when none leads there.
    """
    weights = np.ones(6) if weight is None else _row("weight", weight, 6)
    if position is None and rotation is None:
        raise Error("solve_ik: neither position nor rotation is given; expected one of them at least")
    if rotation is None:
        weights[:3] = 0
    if position is None:
        weights[3:] = 0
    target = np.concatenate([np.zeros(3) if position is None else _row("position", position, 3),
                             _rotation("rotation", rotation).ravel()])
    start = model.initial()[0] if q0 is None else _row("q0", q0, model.nq)
    number = _number(model.frames, frame, "frame")
    tol, most = _one("tol", tol, 0), 2**31 - 1
    found = Solution(*_pinion.solve_ik(model, number, target, start, tol, tol, weights,
                                       min(_whole("iterations", iterations, 1), most),
                                       min(_whole("starts", starts, 1), most), limits,
                                       _whole("seed", seed, None) % 2**64))
    if not found.converged:
        error = Error(f"solve_ik: no solution after {found.starts} starts; the best is off by "
                      f"{found.position_error:.3g} m and {found.orientation_error:.3g} rad")
        error.status = "convergence"
        raise error
    return found


@_of_model
def linearize(model, q=None, v=None, tau=None, forces=()):
    """The linear system x' = A x + B u near a state, x = [delta q; delta v], as Linear (A, B, velocities, inputs, a,
    eigenvalues, loss). Dampers and springs act, and force elements: forces is as simulate() has it, without functions,
    which have no derivatives; they act as they do at t = 0. With closed loops x has the independent velocities, `velocities`, and
    near singular positions the last digits of q and v count: `loss` is about what entries of A are uncertain by."""
    q = model.initial()[0] if q is None else _row("q", q, model.nq)
    zero = np.zeros(model.nv)
    with _Files(model) as files:
        elements = files.forces(forces)
        if any(callable(e) for e in elements):
            raise TypeError("linearize: forces has a function, whose derivatives nobody knows")
        A, B, a, pairs, velocities, inputs, loss = _pinion.linearize(
            model, q, zero if v is None else _row("v", v, model.nv),
            zero if tau is None else _row("tau", tau, model.nv), elements)
    return Linear(A, B, velocities, inputs, a, pairs[:, 0] + 1j * pairs[:, 1], loss)


@_of_model
def equilibrium(model, q=None, tau=0.0):
    """A configuration at rest, to which the model sinks from q under the joint forces tau."""
    return _pinion.equilibrium(model, _row("tau", tau, model.nv),
                               model.initial()[0] if q is None else _row("q", q, model.nq))[0]


@_of_model
def mobility(model, q, t=0.0):
    """Rows and degrees of freedom of closed loops at a configuration: Mobility (rows, rank, redundant, gruebler,
    freedom, doubt, singular, open). Where it is singular, forward dynamics is one answer of several and derivatives
    are refused; within `doubt` rad (0: not near one) of that it hangs on the last digits. `open` is the largest
    |phi|."""
    *counts, singular, gap = _pinion.mobility(model, t, _row("q", q, model.nq))
    return Mobility(*counts, bool(singular), gap)


@_of_model
def element_forces(model, q, v=None, stops=(0.0, 0.0)):
    """What tendons and gravity compensation exert on the joints at a state, which passive_forces(), of the joints
    alone, does not have: ElementForces (springs, dampers, compensation, potential), in N m or N and J. stops: stiffness
    and damping (N/m, N s/m) with which tendons are pressed back that are beyond their limits."""
    stiffness, damping = (_one(f"stops[{i}]", x, 0) for i, x in enumerate(_row("stops", stops, 2).tolist()))
    return ElementForces(*_pinion.element_forces(model, _row("q", q, model.nq),
                                                 _row("v", 0.0 if v is None else v, model.nv), stiffness, damping))


@_of_model
def d_element_forces(model, q, v=None):
    """Derivatives of the sum of element_forces() by q, in the tangent space, and by v: DElementForces (dq, dv)."""
    return DElementForces(*_pinion.d_element_forces(model, _row("q", q, model.nq),
                                                    _row("v", 0.0 if v is None else v, model.nv)))


@_of_model
def tendon_lengths(model, q, v=None):
    """The lengths of a model's tendons at a state and their rates, in the order of m.tendons: TendonLengths (length,
    rate), m or rad and their time derivatives."""
    return TendonLengths(*_pinion.tendon_lengths(model, _row("q", q, model.nq),
                                                 _row("v", 0.0 if v is None else v, model.nv)))


@_of_model
def constraints(model, q, v=None, t=0.0):
    """The constraints of closed loops at a state: Constraints (phi, L, rate, c, rank, freedom); L a = c keeps them."""
    counts = mobility(model, q, t)
    return Constraints(*model.constraints_at(_row("q", q, model.nq), None if v is None else _row("v", v, model.nv),
                                             t=t),
                       counts.rank, counts.freedom)


@_of_model
def constrained_forward_dynamics(model, q, v, tau, frame, A, b, kind="classical", f_ext=None):
    """Accelerations with constraints A acc = b on the acceleration of a frame in its own coordinates (A: up to 6
    rows), as
    a foot on the ground has: Constrained (a, lambda_, and their derivatives by q, v and tau)."""
    A = _numbers("A", A)
    if A.ndim != 2 or A.shape[1] != 6:
        raise Error(f"constrained_forward_dynamics: A has the shape {A.shape}; expected (count, 6)")
    forces = None if f_ext is None else _numbers("f_ext", f_ext)
    zero = np.zeros(model.nv)
    return Constrained(*_pinion.constrained(
        model, _row("q", q, model.nq), zero if v is None else _row("v", v, model.nv),
        zero if tau is None else _row("tau", tau, model.nv), forces, _number(model.frames, frame, "frame"),
        _choice("kind", kind, {"classical": 0, "spatial": 1}), A, _row("b", b, len(A))))


def _mask(model, locked):
    mask = bytearray(model.nv)
    for name in [locked] if isinstance(locked, str) else locked or ():
        if name not in model.joints:
            raise Error(f"locked: the model has no joint '{name}' with coordinates of its own")
        place = model.joints[name].v
        mask[place] = b"\1" * (place.stop - place.start)
    return bytes(mask)


@_of_model
def assemble(model, q, v=None, locked=None, t=0.0):
    """The nearest (q, v) that keeps the loops. locked: names of joints that stay as they are."""
    return _pinion.assemble(model, t, _row("q", q, model.nq), _row("v", 0.0 if v is None else v, model.nv), None,
                            _mask(model, locked))


@_of_model
def project_acceleration(model, q, v, a, locked=None, t=0.0):
    """The nearest acceleration that keeps the loops, at a state that does."""
    return _pinion.assemble(model, t, _row("q", q, model.nq), _row("v", v, model.nv), _row("a", a, model.nv),
                            _mask(model, locked))[2]


@_of_model
def operations(model, algorithm):
    """How many operations an algorithm of the registry takes on the model: Counts (lean, whole, published): by the
    papers'
    rules, all of them, and the (mul, add) that are published for a serial chain of as many joints, or None."""
    lean, whole, published = _pinion.operations(model, algorithm)
    return Counts(Operations(*lean), Operations(*whole), published)


@_of_model
def span(model, algorithm):
    """The longest chain of operations of which each needs the one before, with the counts, for models of any size."""
    return Operations(*_pinion.span(model, algorithm))


@_of_model
def codegen(model, what=None, name=None, algorithm=None, f_ext=False, scalar="double"):
    """C for this robot alone, as {file name: text}. what: as `pinion codegen --what`, "bias,jacobian:tool"."""
    scalars = {"double": 0, "float": 1, "real": 2}
    return _pinion.codegen(model, name, what, algorithm, f_ext, _choice("scalar", scalar, scalars))


@_of_model
def equations(model, what=None, latex=False, numbers=False, document=False):
    """M, C and g of a small mechanism in closed form, as text or LaTeX."""
    return _pinion.equations(model, what, int(latex), numbers, document, False)


@_of_model
def equations_sympy(model, numbers=False):
    """The same as matrices of sympy: Equations (M, C, g, q, v, values); needs sympy. q and v are symbols, values says
    what
    the model has for the others: e.M.subs(e.values)."""
    from ._symbols import matrices
    return matrices(model.nv, *_pinion.equations(model, None, 0, numbers, False, True))


class Converter:
    """From and to the layouts of another library for one model. theirs is "pinocchio" (of the same URDF file),
    "mujoco",
    or a pinocchio.Model with joints of the same names, in any order.

        c = pn.Converter(m, "pinocchio")
        q = c.q_from(pin_q)
        tau = c.tau_to(q, m.inverse_dynamics(q, c.v_from(q, pin_v)))

    Leading axes are a batch. `q` and `v` beside what is converted are Pinion's.
    """

    def __init__(self, model, theirs):
        self.model = model
        named = isinstance(theirs, str)
        if not named and not hasattr(theirs, "jointPlacements"):
            raise TypeError(f"Converter: theirs is of type {type(theirs).__name__}; expected 'pinocchio', 'mujoco' or "
                            "a pinocchio.Model")
        self._convention = _choice("theirs", theirs, _CONVENTIONS) if named else _CONVENTIONS["pinocchio"]
        self.nq, self.nv = _pinion.layout(model, self._convention)[:2]
        self._take = None
        if not named:
            from ._others import places_in
            self._take = places_in(model, theirs)

    def _convert(self, what, to, x, q=None, v=None):
        m = self.model
        sizes = (m.nq, self.nq) if what == "q" else (m.nv, self.nv)
        x = _numbers(what, x)
        size = sizes[0] if to else sizes[1]
        if x.ndim < 1 or x.shape[-1] != size:
            raise Error(f"{what} has the shape {x.shape}; expected (..., {size})")
        lead = x.shape[:-1]
        if self._take and not to:
            x = x[..., self._take[what != "q"]]

        def rows(name, y, n):
            y = _numbers(name, y)
            if y.shape[-1:] != (n,) or y.shape[:-1] not in ((), lead):
                raise Error(f"{name} has the shape {y.shape}; expected (..., {n}) like {what}")
            return np.ascontiguousarray(np.broadcast_to(y, (*lead, n)))
        q = rows("q", np.zeros(m.nq) if q is None else q, m.nq)
        v = rows("v", np.zeros(m.nv) if v is None else v, m.nv)
        answer, = _pinion.convert(m, self._convention, what, to, np.ascontiguousarray(x), q, v)
        answer = answer.reshape(*lead, answer.shape[-1])
        if not self._take or not to:
            return answer
        theirs = np.empty_like(answer)
        theirs[..., self._take[what != "q"]] = answer
        return theirs

    def q_from(self, theirs):
        """A configuration from theirs."""
        return self._convert("q", False, theirs)

    def q_to(self, q):
        """A configuration to theirs."""
        return self._convert("q", True, q)

    def v_from(self, q, theirs):
        """A velocity from theirs."""
        return self._convert("v", False, theirs, q)

    def v_to(self, q, v):
        """A velocity to theirs."""
        return self._convert("v", True, v, q)

    def a_from(self, q, v, theirs):
        """An acceleration from theirs."""
        return self._convert("a", False, theirs, q, v)

    def a_to(self, q, v, a):
        """An acceleration to theirs."""
        return self._convert("a", True, a, q, v)

    def tau_from(self, q, theirs):
        """Joint forces from theirs."""
        return self._convert("tau", False, theirs, q)

    def tau_to(self, q, tau):
        """Joint forces to theirs."""
        return self._convert("tau", True, tau, q)
