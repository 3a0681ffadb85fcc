"""Models built in Python. What is collected is the native model format, so all of its keys are there."""
from ._arguments import _moments
from ._model import from_dict


class Builder:
    """Collects links and joints, then builds a model.

        b = pn.Builder("pendulum")
        b.add_link("base")
        b.add_link("rod", mass=1, com=(0, 0, -0.5), inertia={"xx": 0.0833, "yy": 0.0833})
        b.add_joint("pivot", "continuous", "base", "rod", axis=(0, 1, 0))
        m = b.build()

    Every key of the native model format may be given by its name. Links may be named before they are added.
    """

    def __init__(self, name="robot", gravity=None, root=None):
        self._description = {"pinion": 1, "name": name, "links": [], "joints": [], "loops": [], "frames": [],
                             "actuators": [], "states": {}, "groups": {}, "no_collisions": [], "collision_pairs": []}
        if gravity is not None:
            self._description["gravity"] = list(map(float, gravity))
        if root is not None:
            self._description["root"] = root

    def _add(self, kind, **keys):
        self._description[kind].append({key: value for key, value in keys.items() if value is not None})
        return self

    def add_link(self, name, mass=None, com=None, inertia=None, **keys):
        """A link. `inertia` is {"xx": ..., ...}, or a matrix of 3 x 3, about the centre of mass (about="origin": about
        the origin of the link's frame)."""
        return self._add("links", name=name, mass=mass, com=com, inertia=_six(inertia), **keys)

    def add_joint(self, name, type, parent, child, **keys):
        """A joint: origin and child_origin (poses), axis, pitch, limits, velocity, effort, damping, friction, rotor,
        motor, spring, mimic, initial, cut, actuated."""
        return self._add("joints", name=name, type=type, parent=parent, child=child, **keys)

    def add_loop(self, name, **keys):
        """A joint that closes a loop, or another constraint: type, and what belongs to it."""
        return self._add("loops", name=name, **keys)

    def add_frame(self, name, link, **keys):
        """A named frame on a link: origin is its pose there."""
        return self._add("frames", name=name, link=link, **keys)

    def add_state(self, name, q=None, v=None):
        """A state with a name: {joint: value} of what is not as in the model's initial state."""
        self._description["states"][name] = {key: dict(x) for key, x in (("q", q), ("v", v)) if x}
        return self

    def add_group(self, name, joints):
        """Joints that go together."""
        self._description["groups"][name] = list(joints)
        return self

    def add_actuator(self, name, **keys):
        """An actuator: joint, joints, frame, tendon or crank, and what belongs to it. A model with one is moved by its
        actuators alone."""
        return self._add("actuators", name=name, **keys)

    def add_no_collision(self, first, second):
        """Two links whose collisions never collide with each other."""
        self._description["no_collisions"].append([first, second])
        return self

    def add_collision_pair(self, first, second, **keys):
        """Two collisions, by their names, that collide whatever else says: friction, margin, dimension."""
        return self._add("collision_pairs", first=first, second=second, **keys)

    def build(self, root="fixed", mimic="follow", gravity=None):
        """The model. The builder stays as it was and can build again."""
        used = {key: value for key, value in self._description.items() if value not in ([], {}, None)}
        return from_dict(used, self._description["name"], root, mimic, gravity)


def _six(inertia):
    if inertia is None or isinstance(inertia, dict):
        return inertia
    return dict(zip(("xx", "xy", "xz", "yy", "yz", "zz"), _moments("add_link", inertia)))
