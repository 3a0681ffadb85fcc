"""The elements of a model: by number, by name, or one after the other."""
from . import _pinion
from ._named import named


class Elements(tuple):
    """A model's joints, links or frames: by number, by name, or one after the other."""

    __slots__ = ()

    def __getitem__(self, key):
        if isinstance(key, str):
            for e in self:
                if e.name == key:
                    return e
            raise KeyError(key)
        return tuple.__getitem__(self, key)

    def __contains__(self, key):
        return any(e.name == key for e in self) if isinstance(key, str) else tuple.__contains__(self, key)

    @property
    def names(self):
        return tuple(e.name for e in self)

    def __repr__(self):
        return f"<{len(self)}: {', '.join(self.names)}>"


class Frames(Elements):
    """The frames of a model. Called with q, where they all are: m.frames(q)."""

    def __new__(cls, elements, model):
        self = tuple.__new__(cls, elements)
        self._model = model
        return self

    def __reduce__(self):
        return Frames, (tuple(self), self._model)

    def __call__(self, q, out=None, errors="raise"):
        return _pinion.Model.frames(self._model, q, out=out, errors=errors)


class _Numbered:
    """Stands for its number where one is expected: m.jacobian(q, m.frames["tool"])."""

    __slots__ = ()

    def __index__(self):
        return self.index


Pose = named("Pose", "position rotation")
Inertia = named("Inertia", "mass com inertia")
Dof = named("Dof", "lower upper velocity effort damping friction_positive friction_negative rotor_inertia gear_ratio "
            "stiffness rest damping_curve stiffness_curve")


class Joint(_Numbered, named("Joint",
                             "index name type parent child body q_index nq v_index nv leader multiplier offset "
                             "reversed actuated parent_pose child_pose axis pitch dofs")):
    """A joint of the tree. parent and child are names of links, `body` is the number of the body that it moves."""

    __slots__ = ()

    # tuple.index would hide the field
    index = property(lambda self: self[0])

    @property
    def q(self):
        """Its part of q, as a slice."""
        return slice(self.q_index, self.q_index + self.nq) if self.nq else slice(0, 0)

    @property
    def v(self):
        """Its part of v, as a slice."""
        return slice(self.v_index, self.v_index + self.nv) if self.nv else slice(0, 0)


class Link(_Numbered, named("Link", "index name joint body inertia")):
    """A link as the file has it; several may be one body."""

    __slots__ = ()
    index = property(lambda self: self[0])


class Frame(_Numbered, named("Frame", "index name link body pose")):
    """A frame: of a link, or one that is fixed to it, with its pose there."""

    __slots__ = ()
    index = property(lambda self: self[0])


class Body(_Numbered, named("Body", "index name parent joint link mass parameters")):
    """Links that no joint separates. `parameters` are what the regressor multiplies."""

    __slots__ = ()
    index = property(lambda self: self[0])


class Actuator(_Numbered, named("Actuator",
                                "index name type frame wrench gear efficiency effort velocity terms time_constant "
                                "reference tendon rod law")):
    """What turns its force u into joint forces. type: "joint", "sum", "frame", "tendon", "crank" or "pair"; terms:
    (joint, dof, weight, v_index, factor) of each joint that it acts on, none where that depends on q. frame and
    reference: numbers of frames, of a crank its end and its slider, of a pair the two; tendon: the number of a tendon;
    -1: none. rod: the length of a crank's rod. law: (gain, bias, control, slope, filter,
    integrates, state) of u = (gain + slope . (length, speed)) c + bias . (1, length, speed), the range of c, and how the
    activation that stands for c follows it, with its range."""

    __slots__ = ()
    index = property(lambda self: self[0])


class Tendon(_Numbered, named("Tendon", "index name type terms stiffness damping rest limits damping_curve "
                              "stiffness_curve")):
    """A spring and a damper along a length. type: "joints", a weighted sum of joint coordinates, or "path", straight
    lines through the origins of frames; terms: (joint or frame, weight), by numbers, -1 a pulley. rest: the least and
    the largest length at which it is relaxed; limits: the least and the largest that it may have."""

    __slots__ = ()
    index = property(lambda self: self[0])


Visual = named("Visual", "link shape pose size mesh rgba")
Collision = named("Collision", "link name shape pose size mesh data friction restitution margin dimension category "
                  "mask group")
CollisionPair = named("CollisionPair", "first second friction margin dimension")


class Loop(_Numbered, named("Loop", "index name kind row rows nonholonomic first second ratio length radius "
                               "curve")):
    """A joint that closes a loop, or another constraint."""

    __slots__ = ()
    index = property(lambda self: self[0])
