"""Models: where they come from, and what can be read of them. The hot part is in C (_pinion)."""
import os
from functools import cached_property, wraps

import numpy as np

from . import _pinion
from ._arguments import _choice, _inertia, _json, _number, _numbers, _one, _rotation, _three, _whole
from ._elements import (_Numbered, Actuator, Body, Collision, CollisionPair, Dof, Elements, Frame, Inertia, Joint, Link,
                        Loop, Pose, Tendon, Visual)
from ._elements import Frames as _Frames  # a result of that name is made below
from ._named import named
from ._pinion import Error

_ROOTS = {"fixed": 0, "free": 1, None: 2}
_MIMICS = {"follow": 0, "independent": 1}
_FORMATS = {"auto": 0, "urdf": 1, "json": 2, "mjcf": 3, "sdf": 4}

# ---- results of several parts ----

_made = {}


def _result(name, values):
    return _made[name](*values)


for _call, (_name, _fields) in _pinion._results():
    _type = named("".join(part.capitalize() for part in _name.split("_")), " ".join(_fields),
                  f"What Model.{_name} gives: {', '.join(_fields)}.")
    globals()[_type.__name__] = _made[_name] = _type
    # by its call, for other classes have some of the names
    _type.__reduce__ = lambda self, name=_name: (_result, (name, tuple(self)))
    _pinion._set_result(_call, _type)
del _call, _name, _fields, _type

if hasattr(os, "register_at_fork"):  # a forked process has none of the threads that OpenMP counts on
    os.register_at_fork(after_in_child=_pinion._after_fork)


# ---- models ----

class Model(_pinion.Model):
    """A robot, as pinion.load() gives it. It never changes: with_gravity() and the like give another.

    Quantities are methods, named as `pinion eval --what` has them. They take and give numpy arrays; leading axes are a
    batch, broadcast like numpy's, and go to all cores. In float32 where every array is.
    """

    _path = None  # of the file it came from, beside which meshes are looked for

    def _all(self, kind, count):
        return [self._element(kind, i) for i in range(count)]

    @cached_property
    def links(self):
        return Elements(Link(i, name, joint, body, Inertia(*inertia))
                        for i, (name, joint, body, inertia) in enumerate(self._all("link", self._counts[0])))

    @cached_property
    def joints(self):
        """Joints with coordinates of their own, in the order of v."""
        return Elements(j for j in self.tree_joints if j.nv)

    @cached_property
    def tree_joints(self):
        """All joints of the tree: moving, fixed and following."""
        links = self.links.names
        made = []
        for i, (head, parent_pose, child_pose, axis, pitch, dofs) in enumerate(self._all("joint", self._counts[1])):
            name, kind, parent, child, *rest, turned, actuated = head
            made.append(Joint(i, name, kind, links[parent] if parent >= 0 else "world", links[child], *rest,
                              bool(turned), bool(actuated), Pose(*parent_pose), Pose(*child_pose), axis, pitch,
                              tuple(Dof(*d) for d in dofs)))
        return Elements(made)

    @cached_property
    def frames(self):
        """Every link and every named frame. m.frames(q) gives their positions and rotations in the world."""
        links = self.links.names
        return _Frames((Frame(i, name, links[link] if link >= 0 else "world", body, Pose(*pose))
                       for i, (name, link, body, pose) in enumerate(self._all("frame", self._counts[8]))), self)

    @cached_property
    def bodies(self):
        """Body 0 is the base, which does not move."""
        return Elements(Body(i, *b) for i, b in enumerate(self._all("body", self.nbody)))

    @cached_property
    def loops(self):
        return Elements(Loop(i, *loop) for i, loop in enumerate(self._all("loop", self._counts[2])))

    @cached_property
    def actuators(self):
        """What moves the robot, in the order of u: those that the model lists, or one for each degree of freedom."""
        return Elements(Actuator(i, *u) for i, u in enumerate(self._all("actuator", self.nu)))

    @property
    def actuators_listed(self):
        """Whether the model has a list of its own."""
        return bool(self._counts[9])

    @cached_property
    def tendons(self):
        """Springs and dampers along lengths of joints or paths; tendon_lengths() has these."""
        return Elements(Tendon(i, *t) for i, t in enumerate(self._all("tendon", self._counts[15])))

    @cached_property
    def visuals(self):
        """What the links look like: Visual (link, shape, pose, size, mesh, rgba)."""
        links = self.links.names
        return tuple(Visual(links[link], shape, Pose(*pose), *rest)
                     for link, shape, pose, *rest in self._all("visual", self._counts[6]))

    @cached_property
    def collisions(self):
        """What the links touch others with, link by link: Collision (link, name, shape, pose, size, mesh, data,
        friction, restitution, margin, dimension, category, mask, group). data: heights of a height field, points of a
        mesh that has no file. friction is below 0 where the model does not say."""
        links = self.links.names
        return tuple(Collision(links[link], name, shape, Pose(*pose), *rest)
                     for link, name, shape, pose, *rest in self._all("collision", self._counts[12]))

    @cached_property
    def no_collisions(self):
        """Pairs of names of links whose collisions never collide with each other."""
        links = self.links.names
        return tuple((links[a], links[b]) for a, b in self._all("exclusion", self._counts[13]))

    @cached_property
    def collision_pairs(self):
        """Pairs of collisions, by their numbers, that collide whatever else says: CollisionPair (first, second,
        friction, margin, dimension)."""
        return tuple(CollisionPair(*p) for p in self._all("pair", self._counts[14]))

    def collision_points(self, index, package_path=None):
        """The corners of the convex hull of a collision that is a mesh, (n, 3), in its frame: from its file, found
        beside the model's or in packages (package_path: folders of these, separated by ':'), or from the model."""
        return self._points(min(_whole("collision_points: index", index), 2**31 - 1), self._path, package_path)

    def with_meshes(self, package_path=None):
        """The same model with the points of collisions that are meshes in files, the corners of their convex hulls, so
        that they take part in contact. Files are found as collision_points() finds them; where some cannot be read they
        stay without points, and a warning says how many and why."""
        made, files, left_out, why = self._meshes(self._path, package_path)
        if left_out:
            import warnings
            warnings.warn(f"with_meshes: {left_out} of {files} meshes could not be read: {why}", stacklevel=2)
        return self._kept(made)

    @cached_property
    def joint_parameters(self):
        """What joint_regressor multiplies: reflected inertia, damping, friction either way of each degree of
        freedom."""
        return np.concatenate([p.ravel() for p in self._all("parameters", self._counts[1])] or [np.empty(0)])

    @cached_property
    def states(self):
        """{name: (q, v)} of the states that have a name, as arrays that nobody changes."""
        made = {}
        for name, q, v in self._all("state", self._counts[10]):
            q.flags.writeable = v.flags.writeable = False
            made[name] = (q, v)
        return made

    @cached_property
    def groups(self):
        """{name: names of joints} of the groups."""
        names = self.tree_joints.names
        return {name: tuple(names[i] for i in joints) for name, joints in self._all("group", self._counts[11])}

    @cached_property
    def warnings(self):
        """What the loader passed over, and what is suspicious in the description."""
        return tuple(self._all("warning", self._counts[7]))

    @cached_property
    def _mark(self):
        """A number that tells models apart: the first one of what Simulation.store() gives."""
        import zlib
        return float(zlib.crc32(repr(self.__reduce__()[1][1:4]).encode()))

    # -- configurations --

    def initial(self):
        """The model's own initial state (q, v); neutral and at rest where it says nothing."""
        return self._initial()

    def random(self, seed=0, count=None):
        """A configuration within the limits, the same for the same seed everywhere; with `count` an array of them, of
        the seeds that follow."""
        rows = self._random(_whole("random: seed", seed, None) % 2**64,
                            1 if count is None else _whole("random: count", count))
        return rows[0] if count is None else rows

    def normalize(self, q):
        """q with its quaternions made unit again, as a new array of float64."""
        return self._normalize(np.array(_numbers("q", q)))

    # -- many steps --

    def rollout(self, q, v=None, tau=None, steps=1, dt=0.001, method="semi_implicit", hold=0, every=0, passive=False,
                q_target=None, v_target=None, kp=None, kd=None, limit=None, f_ext=None, errors="raise"):
        """Many states (leading axes) for many steps, as Rollout (q, v, q_record, v_record): the states at the end, and
        with `every` those after each so many steps, along a first axis.

        The joint forces are limit(tau + kp (q_target - q) + kd (v_target - v)), held over a step. With `hold` the three
        controls have a first axis, an entry for each `hold` steps; without, they are held all the time. kp, kd, limit:
        (nv,). method: "semi_implicit" or "rk4". In float32 where every array is. Models with closed loops are refused.
        """
        from ._rollout import run
        return run(self, False, q, v, tau, steps, dt, method, hold, every, passive, q_target, v_target, kp, kd, limit,
                   f_ext, errors)

    def d_rollout(self, q, v=None, tau=None, steps=1, dt=0.001, method="semi_implicit", hold=0, every=0, passive=False,
                  q_target=None, v_target=None, kp=None, kd=None, limit=None, f_ext=None, errors="raise"):
        """The same with the derivatives of each step, A (steps, ..., 2 nv, 2 nv) by the state before it and B
        (steps, ..., 2 nv, nv) by its tau, as DRollout (q, v, q_record, v_record, A, B)."""
        from ._rollout import run
        return run(self, True, q, v, tau, steps, dt, method, hold, every, passive, q_target, v_target, kp, kd, limit,
                   f_ext, errors)

    # -- copies with changes --

    def _kept(self, other):
        """A model made of this one: where meshes are looked for and how many threads there are stay the same."""
        other._path, other.threads = self._path, self._threads or None
        return other

    def _remade(self, what, first, second, *numbers):
        return self._kept(self._made(what, first, second, numbers + (0.0,) * (12 - len(numbers))))

    def _changed(self, what, index, numbers):
        return self._kept(self._edited(what, index, numbers))

    def with_gravity(self, gravity):
        """The same model in another gravity, m/s^2."""
        return self._changed("gravity", 0, _three("gravity", gravity) + (0.0,) * 9)

    def with_payload(self, link, mass=0.0, com=(0, 0, 0), inertia=None):
        """The same model with a load fixed to a link, in place of any before. `inertia` is 3 x 3 about the load's
        centre of mass, along the link's axes; None: a point."""
        return self._changed("payload", _number(self.links, link, "link"),
                             _inertia("with_payload", mass, com, inertia) + (0.0,) * 2)

    def with_inertia(self, link, mass, com=(0, 0, 0), inertia=None):
        """The same model with other mass properties of a link, in its frame; a payload stays. `inertia` is 3 x 3 about
        the centre of mass; None: a point."""
        return self._changed("inertia", _number(self.links, link, "link"),
                             _inertia("with_inertia", mass, com, inertia) + (0.0,) * 2)

    def with_dof(self, joint, dof=0, **values):
        """The same model with other numbers of one degree of freedom of a joint: damping, friction_positive,
        friction_negative, rotor_inertia, gear_ratio, stiffness, rest, damping_curve, stiffness_curve; what is not
        given stays."""
        one = self.tree_joints[_number(self.tree_joints, joint, "joint")]
        if not 0 <= _whole("with_dof: dof", dof) < len(one.dofs):
            raise Error(f"with_dof: dof is {dof}; expected below {len(one.dofs)}, for '{one.name}'")
        old = one.dofs[dof]._asdict()
        names = tuple(old)[4:]
        for name in values:
            if name not in names:
                raise Error(f"with_dof: there is no {name!r} to change; expected one of {', '.join(names)}")
        new = [_one(f"with_dof: {name}", values.get(name, old[name])) for name in names[:-2]]
        for name in names[-2:]:
            curve = _numbers(f"with_dof: {name}", values.get(name, old[name]))
            if curve.shape != (2,):
                raise Error(f"with_dof: {name} has the shape {curve.shape}; expected (2,)")
            new += curve.tolist()
        return self._changed("dof", one.index, (float(dof), *new))

    def with_frame(self, frame, position=(0, 0, 0), rotation=None):
        """The same model with a named frame moved on its link."""
        matrix = _rotation("with_frame: rotation", rotation)
        return self._changed("frame", _number(self.frames, frame, "frame"),
                            _three("position", position) + tuple(map(float, matrix.ravel())))

    def reduced(self, joints, q=None):
        """The model with these joints fixed at the configuration q of the whole (None: its initial one)."""
        if isinstance(joints, str):
            raise Error(f"reduced: joints is the text '{joints}'; expected a list of joints")
        numbers = []
        for joint in joints:
            if not isinstance(joint, (str, _Numbered)):  # a number counts those of m.joints
                number = _whole("reduced: joint", joint, None)
                if not 0 <= number < len(self.joints):
                    raise Error(f"reduced: there is no joint {number}; expected 0 to {len(self.joints) - 1}")
                joint = self.joints[number]
            numbers.append(_number(self.tree_joints, joint, "joint"))
        return self._kept(self._reduced(tuple(numbers), _numbers("q", self.initial()[0] if q is None else q)))

    def with_part(self, frame, part, prefix=None, position=(0, 0, 0), rotation=None):
        """The model with another one fixed to a frame, as a gripper to an arm. prefix comes before the part's names;
        position and rotation are those of its root link in the frame."""
        matrix = _rotation("with_part: rotation", rotation)
        number = _number(self.frames, frame, "frame")
        if not isinstance(part, Model):
            raise TypeError(f"with_part: part is of type {type(part).__name__}; expected a Model")
        for what in ("link", "tree_joint", "frame"):
            own = set(getattr(self, what + "s").names)
            both = [] if prefix else [name for name in getattr(part, what + "s").names if name in own]
            if both:
                raise Error(f"with_part: both models have a {what.removeprefix('tree_')} '{both[0]}'; expected "
                            "prefix=, which comes before the part's names")
        return self._kept(self._attached(number, part, prefix,
                                         _three("position", position) + tuple(map(float, matrix.ravel()))))

    def subtree(self, link):
        """The model of a link, as its root, and all that hangs on it."""
        return self._remade("subtree", self.links[_number(self.links, link, "link")].name, None)

    def with_new_frame(self, name, link, position=(0, 0, 0), rotation=None):
        """The model with one more named frame on a link."""
        matrix = _rotation("with_new_frame: rotation", rotation)
        return self._remade("frame", name, self.links[_number(self.links, link, "link")].name,
                            *_three("position", position), *map(float, matrix.ravel()))

    def renamed(self, names):
        """The model in which all that is called as a key of the dictionary is called as its value: links, joints,
        frames, loops, actuators, collisions, states and groups."""
        if not hasattr(names, "items"):
            raise TypeError(f"renamed: names is of type {type(names).__name__}; expected a dictionary")
        m = self
        for old, new in names.items():
            m = m._remade("rename", old, new)
        return m

    def scaled(self, length, mass=None):
        """The model with lengths times `length` and masses times `mass` (None: length^3, the same density); forces,
        dampers, springs, rotors and gravity stay."""
        length = _one("scaled: length", length, above=0)
        mass = length**3 if mass is None else _one("scaled: mass", mass, above=0)
        return self._remade("scale", None, None, length, mass)

    def compile(self, what=None, f_ext=False, compiler=None, cache=None):
        """The same model with code of its own behind its calls, generated and compiled here: needs a C compiler.

        what: quantities, "inverse_dynamics,jacobian:tool"; None: all that need no frame. What was compiled before is
        found in `cache` (None: the user's own; "": none). It is checked against the library before it is used.
        """
        return self._kept(_pinion.compile(self, what, f_ext, compiler, cache))

    # -- files --

    def to_json(self):
        """The model in the native format."""
        return self._text(_FORMATS["json"])

    def to_urdf(self):
        """The model as URDF; Error "unsupported" names what that cannot express."""
        return self._text(_FORMATS["urdf"])

    def save(self, path, format=None, strict=True):
        """Writes a file, whole or not at all. format: "json", "urdf", "mjcf" or "sdf"; None: by the name's ending.
        What a format cannot express and would change the motion is an Error. With strict=False it is left out of MJCF
        and SDF; what was is given back, a sentence each."""
        if format is None:
            ending = os.path.splitext(os.fspath(path))[1]
            format = {".urdf": "urdf", ".xml": "urdf", ".mjcf": "mjcf", ".sdf": "sdf"}.get(ending, "json")
        return tuple(self._save(path, _choice("format", format, _FORMATS), bool(strict)).splitlines())

    # -- how it looks --

    def show(self, q=None, t=None, height=600):
        """The robot in 3-D, as a Page: at q, or moving through rows of q at the instants t (None: 20 a second)."""
        from ._page import page_of
        q = _numbers("q", self.initial()[0] if q is None else q)
        rows = q.reshape(1, -1) if q.ndim == 1 else q
        if rows.ndim != 2 or rows.shape[1] != self.nq:
            raise Error(f"show: q has the shape {q.shape}; expected ({self.nq},) or (count, {self.nq})")
        if t is not None and np.shape(t) != rows.shape[:1]:
            raise Error(f"show: t has the shape {np.shape(t)}; expected {rows.shape[:1]}")
        return page_of(self, self.name, t=np.arange(len(rows)) / 20 if t is None else t, q=rows, height=height)

    def __reduce__(self):
        loads = [(i, load) for i, load in enumerate(self._all("payload", self._counts[0]))
                 if load[0] or load[2].any()]
        # the free root is no part of the text
        free = any(head[2] < 0 for head, *_ in self._all("joint", self._counts[1]))
        points = [(i, c.data) for i, c in enumerate(self.collisions) if c.mesh and c.data is not None]  # nor are these
        return _rebuild, (type(self), self.to_json(), free, loads, self._threads, points)

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self

    def __repr__(self):
        loops = f", {self._counts[3]} loop constraints" if self._counts[3] else ""
        return (f"<pinion.Model '{self.name}': {len(self.joints)} joints, nq {self.nq}, nv {self.nv}{loops}, "
                f"{self.mass:.4g} kg>")

    def _repr_html_(self):
        import html  # in notebooks alone
        rows = "".join(
            f"<tr><td>{html.escape(j.name)}</td><td>{j.type}</td>"
            f"<td>{html.escape(j.parent)} &rarr; {html.escape(j.child)}</td>"
            f"<td>{_span('q', j.q_index, j.nq)}</td><td>{_span('v', j.v_index, j.nv)}</td>"
            f"<td>{_limits(j)}</td></tr>" for j in self.joints[:100])
        more = f"<p>and {len(self.joints) - 100} more</p>" if len(self.joints) > 100 else ""
        return (f"<p><b>{html.escape(self.name)}</b>: nq {self.nq}, nv {self.nv}, {self.nbody - 1} bodies, "
                f"{self.mass:.4g} kg</p><table><tr><th>joint</th><th>type</th><th>links</th><th>q</th><th>v</th>"
                f"<th>limits</th></tr>{rows}</table>{more}")


def _span(name, first, count):
    return f"{name}[{first}]" if count == 1 else f"{name}[{first}:{first + count}]"


def _limits(joint):
    if joint.nv != 1 or not (np.isfinite(joint.dofs[0].lower) or np.isfinite(joint.dofs[0].upper)):
        return ""
    return f"{joint.dofs[0].lower:.4g} to {joint.dofs[0].upper:.4g}"


def _rebuild(cls, text, free, loads, threads=0, points=()):
    m = _pinion.load_string(cls, text, _FORMATS["json"], "<pickle>", int(free), 0, None, False)
    for link, (mass, com, inertia) in loads:
        m = m.with_payload(link, mass, com, inertia)
    for collision, data in points:
        m = m._with_points(collision, np.array(data))
    m.threads = threads or None
    return m


def _of_model(function):
    """A function whose first argument must be a Model."""
    @wraps(function)
    def checked(model, *args, **keys):
        if not isinstance(model, Model):
            raise TypeError(f"{function.__name__}: model is of type {type(model).__name__}; expected a pinion.Model")
        return function(model, *args, **keys)
    return checked


def _options(root, mimic, gravity, strict):
    return (_choice("root", root, _ROOTS), _choice("mimic", mimic, _MIMICS),
            None if gravity is None else _three("gravity", gravity), bool(strict))


def load(path, root=None, mimic="follow", gravity=None, strict=False, model_path=None, srdf=None):
    """Loads a model file: URDF, MJCF, SDF or the native JSON.

    root: "free" puts a free joint named "root" between the world and the root link, "fixed" also welds models of SDF
          that float; None is what the file says
    mimic: "independent" makes joints that follow others ordinary ones
    gravity: m/s^2 in the world, in place of the model's own
    strict: what a file says about the motion and a model cannot hold is an error, and no warning
    model_path: folders, separated by ':', in which models that an SDF file includes are looked for
    srdf: the SRDF file of a URDF model, for its named states, groups and pairs of links that never collide
    """
    srdf = None if srdf is None else os.fsdecode(srdf)
    m = _pinion.load(Model, path, *_options(root, mimic, gravity, strict), model_path, srdf)
    m._path = os.path.abspath(os.fsdecode(path))
    return m


def load_example(name, root=None, mimic="follow", gravity=None):
    """Loads one of the models that come with the package: load_example("puma560-corke"), or "four-bar", ..."""
    folder = os.path.join(os.path.dirname(__file__), "models")
    names = sorted(file[:-5] for file in os.listdir(folder) if file.endswith(".json"))
    if name not in names:
        raise Error(f"load_example: there is no {name!r}; expected one of {', '.join(names)}")
    return load(os.path.join(folder, name + ".json"), root, mimic, gravity)


def load_string(text, format="auto", name="<string>", root=None, mimic="follow", gravity=None, strict=False):
    """Loads a model from a string: URDF, MJCF, SDF or the native JSON. `name` stands for the file in messages."""
    return _pinion.load_string(Model, text, _choice("format", format, _FORMATS), name,
                               *_options(root, mimic, gravity, strict))


def from_dict(description, name="<dict>", root="fixed", mimic="follow", gravity=None):
    """Loads a model from the native format as Python has it: dictionaries, lists, numbers."""
    return load_string(_json(str(name), description), "json", name, root, mimic, gravity)


def random_chain(joints, seed=0):
    """A serial chain of revolute joints with skew axes and full random inertias."""
    return _pinion.generated(Model, "chain", joints, 0, seed)


def random_tree(joints, free_root=False, seed=0):
    """A random tree over every joint type."""
    return _pinion.generated(Model, "tree", joints, bool(free_root), seed)


def n_four_bar(n):
    """n parallel four-bars in a row, in the plane x-y: closed loops that are redundant."""
    return _pinion.generated(Model, "four_bar", n, 0, 0)


Algorithm = named("Algorithm", "name problem source complexity applies_to kernel")


def algorithms(problem=None):
    """The registry: every published algorithm that solves one of the classical problems."""
    every = [Algorithm(*row) for row in _pinion.algorithms()]
    if problem is not None:
        _choice("algorithms: problem", problem, dict.fromkeys(a.problem for a in every))
    return [a for a in every if problem in (None, a.problem)]
