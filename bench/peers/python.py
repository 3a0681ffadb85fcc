#!/usr/bin/env python3
"""From Python: Pinion beside Pinocchio's own bindings, in one process: python.py ROUNDS SECONDS NAME=FILE:BASE...

First the same numbers, then times, all as one JSON object. A model that disagrees is not measured.
"""
import json
import sys
import time
import timeit
from pathlib import Path

import numpy as np
import pinocchio as pin

import pinion as pn

STATES = 4096
LIMIT = 1e-9  # of the largest number, as the other programs


def worst(model, seed=0):
    """How far inverse dynamics of from_pinocchio(model) is off, through the converter, of the largest torque."""
    m, rng, data = pn.from_pinocchio(model), np.random.default_rng(seed), model.createData()
    c, off = pn.Converter(m, model), 0.0
    for _ in range(5):
        q = pin.integrate(model, pin.neutral(model), rng.normal(size=model.nv))
        v, a = rng.normal(size=(2, model.nv))
        tau = pin.rnea(model, data, q, v, a)
        ours = c.q_from(q)
        speed = c.v_from(ours, v)
        back = c.tau_to(ours, m.inverse_dynamics(ours, speed, c.a_from(ours, speed, a)))
        off = max(off, np.abs(back - tau).max() / np.abs(tau).max())
    return off


def every_joint():
    """A model of Pinocchio with each joint that it has and Pinion can say."""
    np.random.seed(3)
    model, rng = pin.Model(), np.random.default_rng(3)
    composite = pin.JointModelComposite()
    for joint in (pin.JointModelRX(), pin.JointModelPZ(), pin.JointModelSphericalZYX()):
        composite.addJoint(joint, pin.SE3.Random())
    kinds = [pin.JointModelFreeFlyer(), pin.JointModelRX(), pin.JointModelRevoluteUnaligned(0.6, 0.0, 0.8),
             pin.JointModelRUBY(), pin.JointModelRevoluteUnboundedUnaligned(), pin.JointModelPY(),
             pin.JointModelPrismaticUnaligned(0.0, 0.6, 0.8), pin.JointModelHX(0.2),
             pin.JointModelHelicalUnaligned(0.6, 0.8, 0.0,
                                            0.3), pin.JointModelSpherical(), pin.JointModelSphericalZYX(),
             pin.JointModelPlanar(), pin.JointModelTranslation(),
             pin.JointModelUniversal(np.array([1.0, 0, 0]), np.array([0, 1.0, 0])), composite]
    for i, kind in enumerate(kinds):
        parent = int(rng.integers(max(0, i - 2), i)) + 1 if i else 0
        j = model.addJoint(parent, kind, pin.SE3.Random(), f"joint{9 - i % 10}{i}")
        model.appendBodyToJoint(j, pin.Inertia.Random(), pin.SE3.Random())
    model.armature = rng.uniform(0, 1, model.nv)
    return model


MUJOCO = """<mujoco><compiler angle="radian"/><default><joint damping="0.1" armature="0.02"/></default><worldbody>
<body name="a" pos="0 0 1"><freejoint name="root"/><geom size=".1 .2 .3" type="box"/>
<body name="b" pos=".2 0 0"><joint name="h" axis="0 1 1"/><geom type="capsule" size=".05" fromto="0 0 0 .4 0 0"/>
<body name="c" pos=".4 0 0" euler=".1 .2 .3"><joint name="s" type="slide" axis="1 0 0" ref="0.2"/>
<joint name="g" axis="0 0 1" pos=".1 0 0" ref="0.3" stiffness="2" springref="0.5"/>
<geom size=".06" pos=".1 0 .1"/></body>
</body><body name="d" pos="-.2 0 0"><joint name="ball" type="ball" pos=".05 0 0"/>
<geom size=".05 .2" type="cylinder"/></body>
</body></worldbody></mujoco>"""


def worst_of_mujoco():
    """The same for from_mujoco(), where MuJoCo is there; else 0."""
    try:
        import mujoco
    except ImportError:
        return 0.0
    model = mujoco.MjModel.from_xml_string(MUJOCO)
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT)
    m, data, rng = pn.from_mujoco(model), mujoco.MjData(model), np.random.default_rng(0)
    c = pn.Converter(m, "mujoco")
    mujoco.mj_integratePos(model, data.qpos, rng.normal(size=model.nv), 1.0)
    data.qvel[:], data.qacc[:] = rng.normal(size=(2, model.nv))
    mujoco.mj_inverse(model, data)
    q = c.q_from(data.qpos)
    v = c.v_from(q, data.qvel)
    tau = c.tau_to(q, m.inverse_dynamics(q, v, c.a_from(q, v, data.qacc)) - m.passive_forces(q, v))
    return float(np.abs(tau - data.qfrc_inverse).max() / np.abs(data.qfrc_inverse).max())


def least(code, names, seconds, count):
    """ns a call: the least of short groups, as other programs on the machine disturb it the least."""
    timer, best, end = timeit.Timer(code, globals=names), np.inf, time.perf_counter() + seconds
    while time.perf_counter() < end:
        best = min(best, timer.timeit(count))
    return best / count * 1e9


def measure(name, path, base, rounds, seconds):
    free = base == "free"
    model = pin.buildModelFromUrdf(str(path), pin.JointModelFreeFlyer()) if free else pin.buildModelFromUrdf(str(path))
    data = model.createData()
    m = pn.load(path, root=base, mimic="independent")
    c = pn.Converter(m, "pinocchio")
    rng = np.random.default_rng(1)
    q, (v, a) = m.random(1, count=STATES), rng.normal(size=(2, STATES, m.nv))
    theirs = c.q_to(q), c.v_to(q, v), c.a_to(q, v, a)
    want = np.array([pin.rnea(model, data, *x) for x in zip(*(part[:20] for part in theirs))])
    off = np.abs(c.tau_to(q[:20], m.inverse_dynamics(q[:20], v[:20], a[:20])) - want).max() / np.abs(want).max()
    if off > LIMIT:
        return {"robot": name, "why": f"the torques differ by {off:.1e}"}
    one = q[0], v[0], a[0]
    names = {"rnea": pin.rnea, "model": model, "data": data, "m": m, "q": one[0], "v": one[1], "a": one[2],
             "out": np.empty(m.nv), "Q": q, "V": v, "A": a, "many": np.empty((STATES,
                                                                              m.nv)), "rows": list(zip(*theirs)),
             **dict(zip("xyz", (part[0] for part in theirs)))}
    calls = {"pinocchio": ("rnea(model, data, x, y, z)", 100), "call": ("m.inverse_dynamics(q, v, a)", 100),
             "out": ("m.inverse_dynamics(q, v, a, out=out)", 100), "pass": ("pass", 100),
             "loop": ("for x, y, z in rows: rnea(model, data, x, y, z)", 1),
             "batch": ("m.inverse_dynamics(Q, V, A, out=many)", 1)}
    try:  # code of its own behind the same call
        names["fast"] = m.compile("inverse_dynamics")
        calls["compiled"] = ("fast.inverse_dynamics(q, v, a, out=out)", 100)
    except pn.Error:
        pass
    times = {key: [] for key in [*calls, "c"]}
    for _ in range(rounds):
        for key, (code, count) in calls.items():
            times[key].append(least(code, names, seconds, count))
        times["c"].append(pn._pinion._time_c(m, *one, 100, max(1, int(seconds * 1e6 / 100))))
    ns = {key: float(np.median(value)) for key, value in times.items()}
    for key in {"pinocchio", "call", "out", "compiled"} & set(ns):
        ns[key] -= ns["pass"]
    compiled = {"compiled_ns": ns["compiled"],
                "compiled_ratio": ns["compiled"] / ns["pinocchio"]} if "fast" in names else {}
    return {"robot": name, "nv": m.nv, "threads": m.threads, "pinocchio_ns": ns["pinocchio"], "call_ns": ns["call"],
            "out_ns": ns["out"], "c_ns": ns["c"], "loop_ns": ns["loop"] / STATES, "batch_ns": ns["batch"] / STATES,
            "ratio": ns["out"] / ns["pinocchio"], "faster": ns["loop"] / ns["batch"], "error": float(off), **compiled}


def main():
    rounds, seconds = int(sys.argv[1]), float(sys.argv[2])
    models = {"sample manipulator": pin.buildSampleModelManipulator(),
              "sample humanoid": pin.buildSampleModelHumanoid(),
              "every joint": every_joint()}
    off = {name: worst(model) for name, model in models.items()}
    off["from_mujoco"] = worst_of_mujoco()
    wrong = {name: value for name, value in off.items() if value > LIMIT}
    rows = []
    for argument in sys.argv[3:]:
        name, _, rest = argument.partition("=")
        path, _, base = rest.rpartition(":")
        rows.append(measure(name, Path(path), base, rounds, seconds))
    print(json.dumps({"version": pin.__version__, "wrong": wrong, "rows": rows}))


main()
