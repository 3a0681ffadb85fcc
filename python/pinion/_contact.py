"""Contact: the problem as numbers, shapes, scenes of a model, and forces that carry a motion (docs/contact.md)."""
import numpy as np

from . import _pinion
from ._arguments import _choice, _number, _numbers, _one, _rotation, _three, _whole
from ._model import Error, Model, _of_model
from ._named import named
from ._sim import _row

# ---- the problem ----

_LAWS = {"contact": 0, "equality": 1, "limit": 2, "friction": 3}
_ROWS = (3, 1, 1, 1)
_MOST = 2**31 - 1

Residuals = named("Residuals", "cone dual complementarity dissipation natural worst",
                  "How far numbers are from a solution, the largest over the blocks: cone (N s), dual (m/s),\n"
                  "complementarity and dissipation (J), natural (m/s), which is 0 at solutions and nowhere else, and\n"
                  "the block that it is of; -1 without blocks.")
ContactSolution = named("ContactSolution", "lambda_ u residuals solver iterations undetermined least_norm")
ContactSolver = named("ContactSolver", "name source cost suited")


def contact_solvers():
    """The solvers of contact problems, the default one first: ContactSolver (name, source, cost, suited)."""
    return [ContactSolver(*row) for row in _pinion.contact_solvers()]


def _problem(function, G, g, mu, law, R):
    """What C takes: G, g, mu, a byte for the law of each block, R."""
    g = _numbers("g", g)
    if g.ndim != 1:
        raise Error(f"{function}: g has the shape {g.shape}; expected (rows,)")
    rows, G = len(g), _numbers("G", G)
    if G.shape != (rows, rows):
        raise Error(f"{function}: G has the shape {G.shape}; expected ({rows}, {rows}), as g has {rows} rows")
    if abs(G - G.T).max(initial=0) > 1e-9 * abs(G).max(initial=0):
        raise Error(f"{function}: G is not symmetric")
    if law is None or isinstance(law, str):
        size = _ROWS[_choice("law", law or "contact", _LAWS)]
        if rows % size:
            raise Error(f"{function}: g has {rows} rows; expected a multiple of 3, three for each contact")
        law = [law or "contact"] * (rows // size)
    laws = bytes(_choice(f"law[{i}]", one, _LAWS) for i, one in enumerate(law))
    if sum(_ROWS[one] for one in laws) != rows:
        raise Error(f"{function}: the blocks of law have {sum(_ROWS[one] for one in laws)} rows, and g has {rows}")
    return G, g, _row("mu", mu, len(laws)), laws, None if R is None else _row("R", R, rows)


def contact_solve(G, g, mu, law=None, R=None, guess=None, solver=None, tol=1e-10, iterations=10000, least_norm=True):
    """Solves the contact problem u = (G + R) lambda + g, with a law for each block of rows, as ContactSolution
    (lambda_, u, residuals, solver, iterations, undetermined, least_norm).

    G: (rows, rows) Delassus' matrix J M^-1 J'; g: (rows,) what u is without lambda; R: (rows,) a compliance
    law: a block each, "contact" (three rows: the normal first, then two tangents), "equality", "limit" or "friction"
        (a row each); one word for all; None: all are contacts
    mu: (blocks,) or a number: coefficients of friction of contacts, bounds of frictions; not read of the others
    guess: (rows,) where to start from; solver: one of contact_solvers(); tol: of residuals.natural, as a share of the
        largest |g|
    least_norm: where forces are not determined, as under a table on four legs, those of the least norm
    Error "convergence" when the tolerance is not met; its `solution` is what the solver came to.
    """
    problem = _problem("contact_solve", G, g, mu, law, R)
    lambda_, u, (residuals, *rest), why = _pinion.contact_solve(
        *problem, None if guess is None else _row("guess", guess, len(problem[1])), solver, _one("tol", tol, above=0),
        min(_whole("iterations", iterations, 1), _MOST), bool(least_norm))
    found = ContactSolution(lambda_, u, Residuals(*residuals), *rest)
    if why is None:
        return found
    error = Error(f"contact_solve: {why}")
    error.status, error.solution = "convergence", found
    raise error


def contact_check(G, g, mu, lambda_, law=None, R=None):
    """(u, Residuals) of any lambda_ of a problem, from its numbers alone; arguments as contact_solve() has them."""
    problem = _problem("contact_check", G, g, mu, law, R)
    u, residuals = _pinion.contact_check(*problem, _row("lambda_", lambda_, len(problem[1])))
    return u, Residuals(*residuals)


# ---- shapes ----

Nearest = named("Nearest", "gap normal first second",
                "Where solids are nearest, or deepest in each other: the gap (m; below 0 how far one must move along\n"
                "the normal to leave the other), the unit normal from the first to the second, and a point of each,\n"
                "which differ by gap times normal; all in the world.")


class Solid(named("Solid", "shape size position rotation data")):
    """A shape somewhere, as Model.collisions has them: "box", "sphere", "cylinder", "capsule", "ellipsoid", "cone",
    "plane", "mesh" (the convex hull of the points data, (n, 3)) or "height_field" (heights data, (rows, columns)).
    size: as many of three numbers as the shape has (docs/model-format.md). position and rotation are in the world."""

    __slots__ = ()

    def __new__(cls, shape, size=(), position=(0, 0, 0), rotation=None, data=None):
        size = _numbers("size", size).ravel()
        if len(size) > 3:
            raise Error(f"size has {len(size)} numbers; expected at most 3")
        full = [1.0 if shape == "mesh" and not len(size) else 0.0] * 3
        full[:len(size)] = map(float, size)
        if data is not None:
            data = _numbers("data", data)
            if data.ndim != 2 or shape == "mesh" and data.shape[1] != 3:
                raise Error(f"data has the shape {data.shape}; expected "
                            + ("(n, 3)" if shape == "mesh" else "(rows, columns)"))
        return super().__new__(cls, str(shape), tuple(full), np.array(_three("position", position)),
                               _rotation("rotation", rotation), data)

    @classmethod
    def of(cls, model, collision, q):
        """That of a collision of a model, by its number, at a configuration. Meshes in files: Model.collision_points
        has their points."""
        c = model.collisions[_whole("collision", collision)]
        if c.mesh and c.data is None:
            data, size = model.collision_points(collision), (1, 1, 1)
        else:
            data, size = c.data, c.size
        place = model.pose(q, c.link)
        return cls(c.shape, size, place.position + place.rotation @ c.pose.position,
                   place.rotation @ c.pose.rotation, data)

    def _bind(self):
        pose = np.concatenate([self.position, self.rotation.ravel()])
        return self.shape, pose, self.size, self.data


def _solid(name, solid):
    if not isinstance(solid, Solid):
        raise TypeError(f"{name} is of type {type(solid).__name__}; expected a Solid")
    return solid._bind()


def shape_distance(first, second):
    """The nearest points of two Solids: Nearest (gap, normal, first, second)."""
    return Nearest(*_pinion.shape_distance(_solid("first", first), _solid("second", second)))


def _d_nearest(gap, normal, first, second, d):
    return DNearest(gap, normal, first, second, d[0], d[1:4], d[4:7], d[7:])


def shape_d_distance(first, second):
    """The nearest points of two Solids and how they move with these: DNearest (gap, normal, first, second, d_gap,
    d_normal, d_first, d_second), derivatives by 12 velocities: of the first and of the second solid, each angular and
    then that of what is at the world's origin."""
    return _d_nearest(*_pinion.shape_d_distance(_solid("first", first), _solid("second", second)))


def shape_patch(first, second, margin=0.0):
    """The points at which two Solids touch, those with a gap up to `margin` (m): Nearest, with a row a point. One where
    they touch in a point, two along a line, up to four over a face; none where they are farther apart."""
    return Nearest(*_pinion.shape_patch(_solid("first", first), _solid("second", second), _one("margin", margin)))


def shape_bounds(solid):
    """(low, high), the corners of the box with sides along the world's axes around a Solid; infinite for planes."""
    return _pinion.shape_bounds(_solid("solid", solid))


def shape_overlaps(low, high):
    """Which boxes overlap, as pairs (n, 2) of their numbers: low and high are their corners, (count, 3)."""
    low, high = _numbers("low", low), _numbers("high", high)
    if low.ndim != 2 or low.shape[1] != 3 or high.shape != low.shape:
        raise Error(f"low and high have the shapes {low.shape} and {high.shape}; expected (count, 3) both")
    return _pinion.shape_overlaps(low, high, np.argsort(low[:, 0], kind="stable").astype(np.intc))


# ---- scenes ----

DNearest = named("DNearest", "gap normal first second d_gap d_normal d_first d_second",
                 "The same with derivatives: rows of d_normal, d_first and d_second are those of their components;\n"
                 "NaN where the nearest points are not determined, as between faces along each other. d_gap always is.")
Contacts = named("Contacts", "first second gap normal point_first point_second friction restitution force",
                 "Points of contact, a row each: numbers of the two collisions (-1: the ground), gap (m), normal from\n"
                 "the first to the second, a point of each, coefficients, the force on the second (N). In the world.")
Pairs = named("Pairs", "first second gap")
SceneReport = named("SceneReport", "contacts immovable impacts bounded solved softened stopped held penetration beyond "
                    "open work solution joint_forces",
                    "What a step with contact came to: points found, those left out since nothing can part the\n"
                    "bodies there, those that bounced, whether restitution was made\n"
                    "less, since it would have added energy, whether the solver met its tolerance, and with a little\n"
                    "compliance alone, joints that press against a stop and those that friction holds, the largest\n"
                    "penetration (m), how far a joint is beyond a stop and how far a loop is open (m or rad), the\n"
                    "work of all impulses (J), what the solver found, and all impulses as forces of the joints (nv,).")
StepSolution = named("StepSolution", "residuals solver iterations undetermined least_norm")
SceneStep = named("SceneStep", "q v contacts report")
Impulse = named("Impulse", "v contacts report")
Support = named("Support", "tau force margin inside least_margin needed_friction missing undetermined first second "
                "point normal")

_SCENE = ("ground", "friction", "restitution", "margin", "recover", "contacts", "solver", "tol", "iterations",
          "least_norm", "limits", "stiction", "compliance")


def _scene_options(given):
    """The options of a scene as C reads them."""
    for name in given:
        if name not in _SCENE:
            raise Error(f"contact has no option {name!r}; expected one of {', '.join(_SCENE)}")
    made = {name: value for name, value in given.items() if value is not None}
    for name in ("friction", "restitution", "margin", "recover", "stiction", "compliance", "tol"):
        if name in made:
            made[name] = _one(name, made[name], **({"above": 0} if name == "tol" else {"least": 0}))
    for name, least in (("contacts", 0), ("iterations", 1)):
        if name in made:
            made[name] = min(_whole(name, made[name], least), 10**9)
    if isinstance(made.get("limits"), (tuple, list)):
        pair = _numbers("limits", made["limits"])
        if pair.shape != (2,) or (pair < 0).any():
            raise Error("limits is no pair of numbers of at least 0, stiffness and damping")
        made["limit_stiffness"], made["limit_damping"] = map(float, pair)
        made["limits"] = bool(pair.any())
    for name in ("ground", "least_norm", "limits"):
        if name in made:
            made[name] = int(bool(made[name]))
    return made


def _tell_left_out(count):
    if count:
        import warnings
        warnings.warn(f"{count} collision{'s' * (count > 1)} in mesh files take no part in contact; m.with_meshes() "
                      "reads them", stacklevel=3)


def _report(*parts):
    *counts, (residuals, *rest), joint_forces = parts
    return SceneReport(*counts, StepSolution(Residuals(*residuals), *rest), joint_forces)


class Scene:
    """Contact of a model: which of its collisions touch at a configuration, and steps with contact.

        s = pn.Scene(m, ground=True)
        q, v, contacts, report = s.step(q, v, tau, dt=1e-3)

    ground: the plane z = 0 belongs to the base. friction: the coefficient where neither shape says one (0.8);
    restitution: where the model has less (0); margin: m, contact is looked for below it (0.01); recover: the share of a
    penetration that a step takes back (0.2); contacts: points at most (four for each pair, up to 512); solver, tol
    (1e-8), iterations (200), least_norm: as contact_solve() has them; limits: those of joints are stops, rigid or, as
    (k, c), springs that press back with max(0, k d + c d') beyond by d, at the end of the step; stiction: 0 leaves dry
    friction of joints out, 1 or more holds a joint at rest by so much times it (0); compliance: m/N of a
    point along its normal (0, rigid). None: the default, in brackets.
    Closed loops are kept. Collisions that are meshes in files take part where Model.with_meshes() has read them; else
    a warning tells how many do not.

    What a call gives depends on its arguments alone, not on calls before. A scene belongs to one thread at a time.
    """

    def __init__(self, model, ground=False, friction=None, restitution=None, margin=None, recover=None, contacts=None,
                 solver=None, tol=None, iterations=None, least_norm=True, limits=True, stiction=None,
                 compliance=None):
        if not isinstance(model, Model):
            raise TypeError("a scene needs a Model")
        self.model = model
        self._options = _scene_options(dict(zip(_SCENE, (ground, friction, restitution, margin, recover, contacts,
                                                         solver, tol, iterations, least_norm, limits,
                                                         stiction, compliance))))
        self._made = _pinion.scene(model, self._options)
        _tell_left_out(self.left_out)

    def __reduce__(self):
        return _scene, (self.model, self._options)

    def __repr__(self):
        return f"<pinion.Scene of '{self.model.name}': {self.pair_count} pairs>"

    pair_count = property(lambda self: self._made.counts()[0], doc="Pairs of collisions that may touch.")
    left_out = property(lambda self: self._made.counts()[1],
                        doc="Collisions that take no part, since their points are in a mesh file, which is not read.")

    def name(self, collision):
        """What a collision is called: its own name, or that of its link; "ground" for -1."""
        if collision == -1:
            return "ground"
        c = self.model.collisions[collision]
        return c.name or c.link

    def find(self, q):
        """The points of contact at q, those with a gap below the margin: Contacts, with a row each, without forces."""
        return Contacts(*self._made.find(q))

    def distances(self, q):
        """The gaps of all pairs that may touch, however far they are: Pairs (first, second, gap)."""
        return Pairs(*self._made.distances(q))

    def distance(self, q, first, second, derivatives=False):
        """The nearest points of two collisions at q, by their numbers (-1: the ground) or names, whether they may touch
        or not: Nearest (gap, normal, first, second). With derivatives along v DNearest, with d_gap (nv,), d_normal,
        d_first and d_second (3, nv)."""
        numbers = [self._collision(name, one) for name, one in (("first", first), ("second", second))]
        *near, d = self._made.distance(q, *numbers, bool(derivatives))
        return _d_nearest(*near, d) if derivatives else Nearest(*near)

    def _collision(self, name, one):
        if not isinstance(one, str):
            number = _whole(name, one, None)
            if -1 <= number < len(self.model.collisions):
                return number
        elif one == "ground":
            return -1
        else:
            found = [i for i, c in enumerate(self.model.collisions) if one in (c.name, c.link)]
            if found:
                return found[0]
        raise Error(f"{name} is {one!r}; the model has no such collision")

    def jacobian(self, q):
        """(Contacts, J) at q: J (points, 3, nv) has the rows normal and two tangents of each; times v they are the
        velocity of the second point against the first. Row 0 is the derivative of the gap."""
        contacts, J = self._made.jacobian(q)
        return Contacts(*contacts), J

    def impulse(self, q, v, v_free, dt=0.001, t=0.0):
        """What contact does in a step that begins at (q, v): v_free, the velocity without contact at its end, becomes
        the velocity with it: Impulse (v, contacts, report). t: s, for loops with laws of time."""
        v, contacts, report = self._made.impulse(_one("t", t), _one("dt", dt, above=0), q, v, v_free)
        return Impulse(v, Contacts(*contacts), _report(*report))

    def step(self, q, v, tau=None, dt=0.001, f_ext=None, a=None, t=0.0):
        """A step with contact, semi-implicit, under joint forces tau and forces on the bodies f_ext (None: zero):
        SceneStep (q, v, contacts, report). a: the acceleration without contact, in place of what tau and f_ext give.
        t: s, where the step begins, for loops with laws of time."""
        if a is not None and (tau is not None or f_ext is not None):
            raise Error("step: a is given together with tau or f_ext; expected one or the other")
        q, v, contacts, report = self._made.step(_one("t", t), _one("dt", dt, above=0), q, v, tau, f_ext, a)
        return SceneStep(q, v, Contacts(*contacts), _report(*report))

    def inverse_dynamics(self, q, v=None, a=None, gap=0.001, f_ext=None):
        """Inverse dynamics on the contacts with gaps up to `gap` (m) at q, as support_forces() has it."""
        first, second, point, normal, friction = self._made.supports(q, _one("gap", gap, 0))
        return _support(self.model, q, v, a, first, second, point, normal, friction, np.ones(len(friction)), f_ext)


def _scene(model, options):
    """One that was pickled."""
    made = dict(options)
    if "limit_stiffness" in made:
        made["limits"] = made.pop("limit_stiffness"), made.pop("limit_damping")
    return Scene(model, **made)


# ---- inverse dynamics on contacts ----

def _support(model, q, v, a, first, second, point, normal, friction, share, f_ext):
    nv = model.nv
    tau, force, margin, *rest = _pinion.support_forces(
        model, _row("q", q, model.nq), _row("v", 0.0 if v is None else v, nv), _row("a", 0.0 if a is None else a, nv),
        None if f_ext is None else _table("f_ext", f_ext, model.nbody, 6), first.tobytes(), second.tobytes(), point,
        normal, friction, share)
    return Support(tau, force, margin, *rest, first, second, point, normal)


def _table(name, value, rows, columns):
    """An array of so many rows and columns; one row stands for all."""
    a = _numbers(name, value)
    if a.shape not in ((rows, columns), (columns,)):
        raise Error(f"{name} has the shape {a.shape}; expected ({rows}, {columns})")
    return np.ascontiguousarray(np.broadcast_to(a, (rows, columns)))


def _links(model, name, links, count):
    """Numbers of links, "world" is -1; one stands for all."""
    if isinstance(links, str) or hasattr(links, "__index__"):
        links = [links] * count
    if len(links) != count:
        raise Error(f"{name} has {len(links)} entries; expected {count}")
    return np.array([-1 if isinstance(link, str) and link == "world" else _number(model.links, link, "link")
                     for link in links], np.intc)


@_of_model
def support_forces(model, q, v=None, a=None, link=(), point=(), normal=(0, 0, 1), friction=0.8, share=1.0, on="world",
                   f_ext=None):
    """The forces of points of contact in a motion, and what is then left to the joints, as Support (tau, force, margin,
    inside, least_margin, needed_friction, missing, undetermined, first, second, point, normal).

    link: the links that stand on something, a point each; point: (n, 3) in the world; normal: out of what they stand
    on, into the link; friction, share: coefficients, and proportions in which forces stand as far as the motion leaves
    them free; on: the links that they stand on, or "world". One value stands for all.

    What no actuator gives, as on a free base, contacts have to give. Of all forces (n, 3), in the world, on the links,
    that do and are in their friction cones, those with the least sum of |force|^2 / share are found. Where there are
    none `inside` is False and `margin`, the distances from the borders of the cones (N), says how far outside;
    needed_friction would do. Where no forces carry the motion, as in flight, `missing` (N or N m) says what is left.
    tau is what is left to the joints. Scene.inverse_dynamics() finds the points itself.
    """
    point = _numbers("point", point)
    if point.size == 0:
        point = point.reshape(0, 3)
    if point.ndim != 2 or point.shape[1] != 3:
        raise Error(f"point has the shape {point.shape}; expected (n, 3)")
    n = len(point)
    first, second = _links(model, "on", on, n), _links(model, "link", link, n)
    return _support(model, q, v, a, first, second, point, _table("normal", normal, n, 3), _row("friction", friction, n),
                    _row("share", share, n), f_ext)


@_of_model
def zero_moment_point(model, q, v=None, a=None, on=(0, 0, 0), errors="raise"):
    """The zero-moment point of a motion, (3,) in the world, on the level through the point `on`: where a force from the
    ground would give all that the motion needs but for a moment about the vertical. Where nothing presses on the
    ground, in flight or without gravity, there is none: an Error, or NaN with errors="nan"."""
    _choice("errors", errors, {"raise": 0, "nan": 1})
    at, = _pinion.zero_moment_point(model, _row("q", q, model.nq), _row("v", 0.0 if v is None else v, model.nv),
                                    _row("a", 0.0 if a is None else a, model.nv), np.array(_three("on", on)))
    if errors == "raise" and not np.isfinite(at).all():
        error = Error('zero_moment_point: nothing presses on the ground; errors="nan" lets it through')
        error.status = "singular"
        raise error
    return at


Polygon = named("Polygon", "corners margin")


def support_polygon(points, up=(0, 0, 1), place=None):
    """The convex polygon around points (n, 3) as seen along the vertical `up`: Polygon (corners, margin), the numbers
    of the points at its corners, counterclockwise from above, and how far `place` is inside of its border (m; below 0:
    outside; None without a place)."""
    points = _numbers("points", points)
    if points.ndim != 2 or points.shape[1] != 3 or not len(points):
        raise Error(f"points has the shape {points.shape}; expected (n, 3), n 1 or more")
    corners, margin = _pinion.support_polygon(points, np.array(_three("up", up)),
                                              None if place is None else np.array(_three("place", place)))
    return Polygon(corners, None if place is None else margin)
