"""Models of other libraries: Pinocchio's, MuJoCo's, and those of the package robot_descriptions."""
import sys

import numpy as np

from ._builder import Builder
from ._model import Error, load

# ---- Pinocchio ----


def _axis(model, joint):
    """Along which an unaligned joint moves: not all of them tell by name, all do by their motion subspace."""
    if hasattr(joint, "axis"):
        return list(map(float, joint.axis))
    import pinocchio
    data = joint.createData()
    joint.calc(data, pinocchio.neutral(model))
    return list(map(float, np.ravel(data.S)[3:]))


def _pieces(model, joint, name):
    """Joints of ours that together are a joint of Pinocchio: [(suffix, type, {axis, pitch}, placement or None),
    ...]."""
    kind = joint.shortname().removeprefix("JointModel")
    axes = {"X": (1.0, 0.0, 0.0), "Y": (0.0, 1.0, 0.0), "Z": (0.0, 0.0, 1.0)}
    one = {"R": "revolute", "RUB": "continuous", "P": "prismatic", "H": "helical"}.get(kind[:-1])
    if one and kind[-1] in axes:
        pitch = {"pitch": float(joint.pitch)} if one == "helical" else {}
        return [("", one, {"axis": axes[kind[-1]], **pitch}, None)]
    if kind in ("RevoluteUnaligned", "RevoluteUnboundedUnaligned", "PrismaticUnaligned", "HelicalUnaligned"):
        one = {"RevoluteUnal": "revolute", "RevoluteUnbo": "continuous", "PrismaticUna": "prismatic"}.get(kind[:12],
                                                                                                         "helical")
        pitch = {"pitch": float(joint.pitch)} if one == "helical" else {}
        return [("", one, {"axis": _axis(model, joint), **pitch}, None)]
    if kind in ("Spherical", "FreeFlyer", "Planar"):
        return [("", {"FreeFlyer": "free"}.get(kind, kind.lower()), {"axis": axes["Z"]} if kind == "Planar" else {},
                 None)]
    if kind == "SphericalZYX":
        return [("." + a.lower(), "revolute", {"axis": axes[a]}, None) for a in "ZYX"]
    if kind == "Translation":
        return [("." + a.lower(), "prismatic", {"axis": axes[a]}, None) for a in "XYZ"]
    if kind == "Universal":
        return [(f".{i}", "revolute", {"axis": list(map(float, axis))}, None)
                for i, axis in enumerate((joint.axis1, joint.axis2))]
    if kind == "Composite":
        out = []
        for i, (part, place) in enumerate(zip(joint.joints, joint.jointPlacements)):
            inner = _pieces(model, part.extract() if hasattr(part, "extract") else part, name)
            out += [(f".{i}{s}", type, keys, place if n == 0 else None) for n, (s, type, keys, _) in enumerate(inner)]
        return out
    raise Error(f"from_pinocchio: joint '{name}' is a {kind}, which no joint of Pinion is")


def _pose(placement):
    return {"position": np.array(placement.translation), "rotation": np.array(placement.rotation)}


def _finite(x):
    return float(x) if abs(x) < 1e300 and np.isfinite(x) else None


def _dof(model, type, q, v):
    """What Pinocchio says of the degrees of freedom from q and v on, as keys of a joint."""
    order = {"spherical": (0, 1, 2), "planar": (0, 1, 2), "free": (3, 4, 5, 0, 1, 2)}.get(type, (0,))
    friction = model.upperDryFrictionLimit if hasattr(model, "upperDryFrictionLimit") else model.friction
    keys = {}
    for key, values, nothing in (("armature", model.armature, 0), ("damping", model.damping, 0),
                                 ("friction", friction, 0), ("velocity", model.velocityLimit, None),
                                 ("effort", model.effortLimit, None)):
        numbers = [_finite(values[v + i]) for i in order]
        if any(x not in (nothing, None) for x in numbers):
            keys[key] = numbers if len(order) > 1 else numbers[0]
    if len(order) == 1 and type != "continuous":
        limits = [_finite(model.lowerPositionLimit[q]), _finite(model.upperPositionLimit[q])]
        if any(x is not None for x in limits):
            keys["limits"] = limits
    return keys


def from_pinocchio(model):
    """The pinocchio.Model as a Model: joints, placements, inertias, armature, limits, damping, friction, frames,
    gravity.

    Links are called as Pinocchio's joints, "universe" is the base. Joints that Pinion has not are several ones: those
    of a
    SphericalZYX are NAME.z, NAME.y and NAME.x. Rotors do nothing in Pinocchio, and are left out. Error names what
    cannot
    be said. Converter(m, model) brings configurations and forces over.
    """
    if not hasattr(model, "jointPlacements"):
        raise TypeError(f"from_pinocchio: expected a pinocchio.Model, not {model.__class__.__name__}")
    if np.any(model.gravity.angular):
        raise Error(f"from_pinocchio: gravity turns ({np.array(model.gravity.angular)} rad/s^2); expected an angular "
                    "part of zero")
    b = Builder(model.name or "pinocchio", gravity=np.array(model.gravity.linear))
    names = list(model.names)
    for i, name in enumerate(names):
        body = model.inertias[i]
        matrix = np.array(body.inertia)
        keys = {"mass": float(body.mass), "com": np.array(body.lever), "inertia": (matrix + matrix.T) / 2}
        if i == 0:
            b.add_link(name, **(keys if body.mass else {}))
            continue
        joint = model.joints[i]
        joint = joint.extract() if hasattr(joint, "extract") else joint
        pieces = _pieces(model, joint, name)
        parent, q, v = names[model.parents[i]], int(model.joints[i].idx_q), int(model.joints[i].idx_v)
        for k, (suffix, type, own, place) in enumerate(pieces):
            origin = place if k else model.jointPlacements[i] * place if place is not None else model.jointPlacements[i]
            last = k + 1 == len(pieces)
            child = name if last else name + suffix
            b.add_link(child, **(keys if last else {}))
            b.add_joint(name + suffix, type, parent, child, **({"origin": _pose(origin)} if origin is not None else {}),
                        **own, **_dof(model, type, q, v))
            parent = child
            q += {"continuous": 2, "planar": 4, "spherical": 4, "free": 7}.get(type, 1)
            v += {"planar": 3, "spherical": 3, "free": 6}.get(type, 1)
    taken = {link["name"] for link in b._description["links"]}
    for frame in model.frames:
        if frame.name not in taken:
            taken.add(frame.name)
            parent = frame.parentJoint if hasattr(frame, "parentJoint") else frame.parent
            b.add_frame(frame.name, names[parent], origin=_pose(frame.placement))
    return b.build()


def places_in(model, theirs):
    """Where q and v of the layout that Converter knows are in those of a pinocchio.Model: two arrays of indices."""
    from . import _pinion
    nq, nv, q_index, v_index = _pinion.layout(model, 1)
    take_q, take_v = np.full(nq, -1), np.full(nv, -1)
    ours = {j.name: j for j in model.tree_joints}
    for i, name in enumerate(theirs.names):
        if i == 0:
            continue
        q, v = int(theirs.joints[i].idx_q), int(theirs.joints[i].idx_v)
        joint = theirs.joints[i]
        for suffix, type, _, _ in _pieces(theirs, joint.extract() if hasattr(joint, "extract") else joint, name):
            j = ours.get(name + suffix) or (i == 1 and type == "free" and ours.get("root"))
            if not j or {"revolute": "continuous"}.get(type, type) != {"revolute": "continuous"}.get(j.type, j.type):
                raise Error(f"Converter: the model has no joint '{name + suffix}' that is {type}, as theirs has")
            n = {"continuous": 2, "planar": 4, "spherical": 4, "free": 7}
            count, velocities = n.get(type, 1), j.nv
            if n.get(j.type, 1) != count:
                raise Error(f"Converter: joint '{name}' is {j.type}, and of theirs {type}")
            take_q[q_index[j.index]:q_index[j.index] + count] = np.arange(q, q + count)
            take_v[v_index[j.index]:v_index[j.index] + velocities] = np.arange(v, v + velocities)
            q, v = q + count, v + velocities
    if (take_q < 0).any() or (take_v < 0).any():
        raise Error("Converter: theirs has fewer joints than the model")
    return take_q, take_v


# ---- MuJoCo ----

def _turn(quat):
    """The rotation matrix of a quaternion w, x, y, z."""
    w, x, y, z = np.asarray(quat, dtype=float) / np.linalg.norm(quat)
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                     [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                     [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])


def _vector(quat):
    """The rotation vector of a quaternion w, x, y, z, no longer than half a turn."""
    w, v = float(quat[0]), np.asarray(quat[1:], dtype=float)
    sine = np.linalg.norm(v)
    return v * (2 * np.arctan2(np.copysign(sine, w), abs(w)) / sine) if sine else v


def _about(axis, angle):
    half = angle / 2
    return _turn([np.cos(half), *(np.sin(half) * np.asarray(axis))])


def _poly(model, name, i):
    """The terms of higher order of a stiffness or damping, which models have from MuJoCo 3.6 on."""
    values = getattr(model, name + "poly", None)
    return 0 if values is None else np.array(values[i], dtype=float)


def _curved(linear, curve):
    linear, curve = float(np.ravel(linear)[0]), np.broadcast_to(curve, 2)
    return {"linear": linear, "curve": curve} if curve.any() else linear


def _drives_of_mujoco(model):
    """What actuators add to each joint, armature, damping and its two terms of higher order, times the square of the
    gear; and how many of them are on none that can have it."""
    drives, left = np.zeros((model.njnt, 4)), 0
    if not hasattr(model, "actuator_armature"):  # before MuJoCo 3.6
        return drives, 0
    for i in range(len(model.actuator_trntype)):
        j = int(model.actuator_trnid[i][0])
        own = np.array([float(np.ravel(model.actuator_armature[i])[0]), float(np.ravel(model.actuator_damping[i])[0]),
                        *np.broadcast_to(_poly(model, "actuator_damping", i), 2)])
        if int(model.actuator_trntype[i]) == 0 and int(model.jnt_type[j]) >= 2:
            drives[j] += own * model.actuator_gear[i][0]**2
        else:
            left += bool(own.any())
    return drives, left


def _joint_of_mujoco(model, j, position, rotation, drive=(0, 0, 0, 0)):
    """(type, keys) of a joint of MuJoCo, whose body's frame is there in the parent's where the joint is at its
    reference; drive: what actuators add to its armature and damping."""
    type = ("free", "spherical", "prismatic", "revolute")[int(model.jnt_type[j])]
    q, v = int(model.jnt_qposadr[j]), int(model.jnt_dofadr[j])
    dofs = {"free": 6, "spherical": 3}.get(type, 1)
    order = (3, 4, 5, 0, 1, 2) if type == "free" else range(dofs)
    keys = {}
    for key, values in (("armature", model.dof_armature), ("friction", model.dof_frictionloss)):
        numbers = [float(np.ravel(values[v + i])[0]) + (drive[0] if key == "armature" else 0) for i in order]
        if any(numbers) and not (key == "friction" and type == "free"):  # which is along the axes of the world
            keys[key] = numbers if dofs > 1 else numbers[0]
    damping = [_curved(float(np.ravel(model.dof_damping[v + i])[0]) + drive[1],
                       (_poly(model, "dof_damping", v + i) if i >= 3 or type != "free" else 0) + np.array(drive[2:]))
               for i in order]
    if any(damping):
        keys["damping"] = damping if dofs > 1 else damping[0]
    stiffness = _curved(model.jnt_stiffness[j], _poly(model, "jnt_stiffness", j))
    if dofs > 1 and stiffness:
        rest = np.array(model.qpos_spring[q:q + dofs + 1], dtype=float)
        rest = np.concatenate((_vector(rest[-4:]), rest[:-4]))
        keys["spring"] = [{"stiffness": stiffness, "rest": float(x)} for x in rest]
    if type == "free":  # its coordinates are the pose in the world
        return type, keys
    anchor, axis = np.array(model.jnt_pos[j]), np.array(model.jnt_axis[j])
    if dofs == 1:
        keys["axis"] = axis
        reference = float(model.qpos0[q])
        if type == "revolute":
            place = position + rotation @ anchor
            rotation = rotation @ _about(axis, -reference)
        else:
            place = position + rotation @ (anchor - reference * axis)
        if model.jnt_limited[j]:
            keys["limits"] = np.array(model.jnt_range[j])
        elif type == "revolute":
            type = "continuous"
        if stiffness:
            keys["spring"] = {"stiffness": stiffness, "rest": float(model.qpos_spring[q])}
    else:
        place = position + rotation @ anchor
    keys["origin"] = {"position": place, "rotation": rotation}
    if anchor.any():
        keys["child_origin"] = {"position": anchor}
    return type, keys


def _ties_of_mujoco(model, b, joints):
    """Equality constraints of joints as gears and drives; returns how many others there are."""
    others = 0
    for i in range(model.neq):
        if not model.eq_active0[i]:
            continue
        if int(model.eq_type[i]) != 2:
            others += 1
            continue
        name, one, two = model.equality(i).name or f"equality{i}", int(model.eq_obj1id[i]), int(model.eq_obj2id[i])
        if name in joints:
            name = "equality:" + name
        # q1 - its reference is a polynomial of q2 - its reference: of q2 itself
        terms = np.polynomial.Polynomial(np.array(model.eq_data[i][:5 if two >= 0 else 1], dtype=float))
        if two >= 0:
            terms = terms(np.polynomial.Polynomial([-float(model.qpos0[model.jnt_qposadr[two]]), 1]))
        a = np.zeros(5)
        a[:len(terms.coef)] = terms.coef
        a[0] += float(model.qpos0[model.jnt_qposadr[one]])
        if a[1:].any():
            b.add_loop(name, type="gear", joints=[joints[two], joints[one]], ratio=a[1], offset=a[0], curve=a[2:])
        else:
            b.add_loop(name, type="drive", joint=joints[one], motion={"offset": a[0]})
    return others


def _law_of_mujoco(model, i):
    """The keys of actuator i's law, None where it is one that has no place here, as that of a muscle."""
    gain, bias = np.array(model.actuator_gainprm[i][:3]), np.array(model.actuator_biasprm[i][:3])
    kind, bent, active = (int(x[i]) for x in (model.actuator_biastype, model.actuator_gaintype, model.actuator_dyntype))
    bias, gain = bias * (kind == 1), gain * (1, bent == 1, bent == 1)
    if bent > 1 or kind > 1 or active > 3 or not (bias.any() or gain.any()):
        return None
    law, lag, time = {"gain": float(gain[0])}, {}, float(model.actuator_dynprm[i][0])
    if bent:
        law["slope"] = gain[1:]
    if kind:
        law["bias"] = bias
    if model.actuator_ctrllimited[i]:
        law["control"] = np.array(model.actuator_ctrlrange[i])
    if active == 1:
        law["integrates"] = True
    elif active and (kind or bent or model.actuator_actlimited[i]):
        law["filter"] = time
    elif active:
        lag = {"lag": time}
    if ("filter" in law or active == 1) and model.actuator_actlimited[i]:
        law["state"] = np.array(model.actuator_actrange[i])
    return lag | ({} if law == {"gain": 1.0} else {"law": law})


def from_mujoco(model, strict=False):
    """The mujoco.MjModel as a Model, from its arrays: bodies, joints, inertias, armature, damping, friction, springs,
    limits, sites as frames, gravity, equality constraints of joints (which hold exactly here), and the actuators on
    joints with their laws. What is left out (tendons, other equalities, actuators and laws, gravcomp, media) gets a
    warning, with `strict` an Error; load() reads more from the file itself.

    Converter(m, "mujoco") brings configurations and forces over.
    """
    if not hasattr(model, "jnt_qposadr"):
        raise TypeError(f"from_mujoco: expected a mujoco.MjModel, not {model.__class__.__name__}")
    drives, left_drives = _drives_of_mujoco(model)
    floating = [int(v) for v, type in zip(model.jnt_dofadr, model.jnt_type) if int(type) == 0]
    left = {"tendons": model.ntendon,
            "terms of higher order of the damping of free joints":
            sum(bool(np.any(_poly(model, "dof_damping", v))) for v in floating),
            "dampings and armatures of actuators that are not on hinges or slides": left_drives,
            "frictionloss of free joints":
            sum(bool(np.any(model.dof_frictionloss[v])) for v in floating),
            "bodies with gravcomp": np.count_nonzero(model.body_gravcomp),
            "media (density or viscosity)": int(model.opt.density != 0 or model.opt.viscosity != 0)}
    # which bit it is depends on the version that the model is of
    still = model.opt.disableflags & int(sys.modules["mujoco"].mjtDisableBit.mjDSBL_GRAVITY)
    b = Builder("mujoco", gravity=np.zeros(3) if still else np.array(model.opt.gravity))
    names = [model.body(i).name or ("world" if i == 0 else f"body{i}") for i in range(model.nbody)]
    joints = [model.joint(j).name or f"joint{j}" for j in range(model.njnt)]
    for i, name in enumerate(names):
        R = _turn(model.body_iquat[i])
        keys = {"mass": float(model.body_mass[i]), "com": np.array(model.body_ipos[i]),
                "inertia": R @ np.diag(model.body_inertia[i]) @ R.T}
        keys = keys if model.body_mass[i] or model.body_inertia[i].any() else {}
        if i == 0:
            b.add_link(name, **keys)
            continue
        parent, count, first = names[model.body_parentid[i]], int(model.body_jntnum[i]), int(model.body_jntadr[i])
        position, rotation = np.array(model.body_pos[i]), _turn(model.body_quat[i])
        if not count:
            b.add_link(name, **keys)
            b.add_joint(name + ".fixed", "fixed", parent, name, origin={"position": position, "rotation": rotation})
        for k in range(count):
            type, own = _joint_of_mujoco(model, first + k, position, rotation, drives[first + k])
            child = name if k + 1 == count else f"{name}.{k}"
            b.add_link(child, **(keys if child == name else {}))
            b.add_joint(joints[first + k], type, parent, child, **own)
            parent, position, rotation = child, np.zeros(3), np.eye(3)
    left["equality constraints that are not of joints"] = _ties_of_mujoco(model, b, joints)
    taken = {link["name"] for link in b._description["links"]}
    for i in range(model.nsite):
        name = model.site(i).name
        if name and name not in taken:
            taken.add(name)
            b.add_frame(name, names[model.site_bodyid[i]],
                        origin={"position": np.array(model.site_pos[i]), "rotation": _turn(model.site_quat[i])})
    others = lawless = 0
    for i in range(model.nu):
        j = int(model.actuator_trnid[i][0])
        if int(model.actuator_trntype[i]) != 0 or int(model.jnt_type[j]) < 2 or not model.actuator_gear[i][0]:
            others += 1
            continue
        law = _law_of_mujoco(model, i)
        lawless += law is None
        effort = {"effort": np.array(model.actuator_forcerange[i])} if model.actuator_forcelimited[i] else {}
        b.add_actuator(model.actuator(i).name or f"actuator{i}", joint=joints[j], gear=float(model.actuator_gear[i][0]),
                       **effort, **(law or {}))
    left["actuators that are not on a joint"] = others
    left["laws of actuators"] = lawless
    for what, count in left.items():
        if count and strict:
            raise Error(f"from_mujoco: {count} {what} have no place here; expected none with strict=True")
        if count:
            import warnings
            warnings.warn(f"from_mujoco: {count} {what} are left out", stacklevel=2)
    return b.build()


# ---- robot_descriptions ----

def load_description(name, root="fixed", mimic="follow", gravity=None):
    """A robot of the package robot_descriptions, where that is installed: load_description("panda_description"), or
    "panda_mj_description" for MuJoCo's file."""
    import importlib
    try:
        module = importlib.import_module("robot_descriptions." + name)
    except ModuleNotFoundError as e:
        raise Error(f"load_description: {e}; robot_descriptions must be installed, and have that robot") from None
    path = getattr(module, "URDF_PATH", None) or getattr(module, "MJCF_PATH", None)
    if not path:
        raise Error(f"load_description: {name} has neither a URDF nor an MJCF file")
    return load(path, root, mimic, gravity)
