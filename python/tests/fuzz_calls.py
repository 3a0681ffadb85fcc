"""Calls all that the package has with values that nobody should give: python fuzz_calls.py [--seconds 20] [--seed 1]

Arrays of other shapes, types and strides, NaN, numbers that overflow, texts with NUL, objects of other kinds, models
of every kind that come with the package. A call may give a result or raise one of the exceptions of EXPECTED with a
sentence; the process may not end. --loud prints each call first, so that the last one is what ended it.
"""

import argparse
import inspect
import os
import random
import sys
import tempfile
import time
import warnings

import numpy as np
import pinion as pn
import pinion.research

# what a wrong argument may be answered with; MemoryError: arrays that no machine has
EXPECTED = (pn.Error, TypeError, ValueError, OverflowError, IndexError, KeyError, AttributeError, MemoryError,
            OSError, ImportError, NotImplementedError)

# these write much, or ask the network
LEFT_OUT = {"paper", "load_description"}

# names of parameters that are words, and that are whole numbers
WORDS = {"frame", "link", "name", "joint", "algorithm", "reference", "method", "integrator", "format", "what"}
COUNTS = {"joints", "n", "count", "steps", "threads", "iterations", "starts", "runs", "hold", "every", "seed", "size",
          "max_steps"}


def models():
    names = ["planar-2r", "four-bar", "puma560-corke", "quadrotor", "bending-arm", "planar-3r"]
    found = []
    for name in names:
        try:
            found.append(pn.load_example(name))
        except pn.Error:
            pass
    return found + [pn.random_tree(6, free_root=True, seed=3)]


class Values:
    def __init__(self, rng, robots):
        self.rng, self.robots = rng, robots

    def number(self):
        return self.rng.choice([0, 1, -1, 2, 0.5, -0.0, 1e-320, 1e300, -1e300, 1e-9, float("nan"), float("inf"),
                                float("-inf"), 2 ** 31, 2 ** 63, -2 ** 63, 2 ** 64, 10 ** 400, True, 3, 7, 1e-3])

    def array(self, m):
        r = self.rng
        shape = r.choice([(m.nq,), (m.nv,), (m.nq,), (m.nv,), (3, m.nq), (2, 2, m.nv), (0,), (0, m.nq), (), (m.nq + 1,),
                          (6,), (3,), (3, 3), (m.nbody, 6), (2, m.nbody, 6), (1, 1, 1, m.nq), (m.nv, m.nv), (4, 4)])
        kind = r.choice(["f8"] * 6 + ["f4", "i4", "i8", "u1", "c16", "O", "U3", "?", ">f8", "f2", "M8[s]", "S2",
                                      "longdouble"])
        base = np.random.default_rng(r.randrange(1 << 30)).normal(size=shape)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                a = base.astype(kind)
            except (TypeError, ValueError):
                a = np.zeros(shape, kind)
        if a.size and a.dtype.kind == "f" and r.random() < 0.25:
            a.reshape(-1)[r.randrange(a.size)] = r.choice([np.nan, np.inf, -np.inf, 0, 1e30 if kind == "f4" else 1e308])
        twist = r.random()
        if twist < 0.1:
            a = np.asfortranarray(a)
        elif twist < 0.2 and a.ndim:
            a = np.repeat(a, 2, axis=-1)[..., ::2]
        elif twist < 0.25 and a.ndim:
            a = a[..., ::-1]
        elif twist < 0.3:
            a = np.broadcast_to(a, (2,) + a.shape)
        elif twist < 0.35:
            a.flags.writeable = False
        elif twist < 0.4:
            a = a.tolist()
        elif twist < 0.43 and a.dtype.kind == "f":
            raw = np.zeros(a.nbytes + 1, "u1")[1:]   # not aligned
            a = raw.view(a.dtype).reshape(a.shape)
        return a

    def q(self, m):
        return m.random(self.rng.randrange(9)) if self.rng.random() < 0.7 else self.array(m)

    def text(self, m):
        r = self.rng
        names = [j.name for j in m.joints] + [l.name for l in m.links] + [f.name for f in m.frames]
        words = ["", "x", "a\0b", "\udc80", "é" * 300, "rk4", "euler", "json", "-1", "/", "..", "world", "local", "all",
                 "free", "fixed", "nan", "%s%n", "ground", "bdf", "lsq", "aba", "rnea", "loop-nullspace", "crba",
                 "bias,jacobian", "f32", "<robot/>", "{}", "[" * 100000, '{"pinion": 1}']
        return r.choice(words + [n for n in names if n])

    def other(self, m):
        r = self.rng
        return r.choice([None, object(), [], {}, (), b"bytes", range(3), {"a": 1}, {"ground": True}, [[1], [1, 2]],
                         lambda *a: 0, lambda *a: (_ for _ in ()).throw(ValueError("mine")), lambda *a: np.zeros(m.nv),
                         iter([]), set(), memoryview(b"abc"), np.float32(1), np.array(None), type, m, self.robots[0],
                         slice(3), Ellipsis, {"q": [1]}, [float("nan")] * 3, [m.joints[0].name] if m.joints else []])

    def any(self, m, name=""):
        r = self.rng.random()
        if name in ("model", "m", "robot") and r < 0.85:
            return m
        if name in ("q", "q0", "q_target", "from_", "to") and r < 0.8:
            return self.q(m)
        if name in ("v", "a", "tau", "v0", "kp", "kd", "v_r", "a_r", "limit") and r < 0.6:
            return np.random.default_rng(1).normal(size=m.nv) * 10
        if name in ("duration", "dt", "output_step", "step") and r < 0.8:
            return self.rng.choice([0.01, 0.02, 1e-3, 0.0, -1, float("nan"), "1"])
        if name in ("path", "folder") and r < 0.9:
            return self.rng.choice(["no-such-file", ".", "", "x.json", "x.csv", "x\0y", "/dev/null/x", "x.h5", "x.urdf",
                                    "x.sdf", "x.xml"])
        if name in WORDS and r < 0.7:
            return self.text(m)
        if name in COUNTS:
            return self.rng.choice([0, 1, 2, 3, 5, -1, 50, 2 ** 31, 2 ** 63, -2 ** 40, "3", None, 2.5, float("nan"),
                                    [0]])
        if r < 0.35:
            return self.array(m)
        if r < 0.6:
            return self.number()
        if r < 0.8:
            return self.text(m)
        return self.other(m)


def arguments(function, values, m):
    try:
        known = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return [values.any(m) for _ in range(values.rng.randrange(4))], {}
    args, named = [], {}
    for p in known:
        if p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD):
            continue
        needed = p.default is p.empty
        if not needed and values.rng.random() < 0.6:
            continue
        value = values.any(m, p.name)
        if p.kind == p.POSITIONAL_ONLY:
            args.append(value)
        else:
            named[p.name] = value
    if values.rng.random() < 0.02:
        named["nothing_of_that"] = 1
    return args, named


def callables():
    """Names of what can be called: functions of the package, classes, methods and properties of what they make."""
    found = []
    for module, prefix in ((pn, "pn"), (pinion.research, "pn.research")):
        for name, thing in sorted(vars(module).items()):
            error = inspect.isclass(thing) and issubclass(thing, BaseException)
            if not name.startswith("_") and name not in LEFT_OUT and callable(thing) and not error:
                found.append((f"{prefix}.{name}", lambda m, f=thing: f))
    for name in sorted(dir(pn.Model)):
        if not name.startswith("_"):
            found.append((f"Model.{name}", lambda m, n=name: getattr(m, n)))
    return found


def short(value):
    text = repr(value)
    return text if len(text) < 300 else text[:300] + "..."


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--runs", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--loud", action="store_true")
    parser.add_argument("--slow", type=float, default=5)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    robots = models()
    names = callables()
    wrong, count, good, begin, made = 0, 0, 0, time.monotonic(), []
    there = tempfile.TemporaryDirectory()
    os.chdir(there.name)
    while count < options.runs or (not options.runs and time.monotonic() - begin < options.seconds):
        count += 1
        seed = options.seed * 1000003 + count
        rng = random.Random(seed)
        values = Values(rng, robots)
        m = rng.choice(robots)
        if made and rng.random() < 0.3:
            # a method of something that was made before
            thing = rng.choice(made)
            members = [n for n in dir(thing) if not n.startswith("_")]
            if not members:
                continue
            member = rng.choice(members)
            label = f"{type(thing).__name__}.{member}"
            get = lambda m, t=thing, n=member: getattr(t, n)
        else:
            label, get = rng.choice(names)
        start = time.monotonic()
        args = named = None
        try:
            target = get(m)
            if not callable(target):
                continue
            args, named = arguments(target, values, m)
            if options.loud:
                print(count, label, short(args), short(named), flush=True)
            result = target(*args, **named)
            good += 1
            if type(result).__module__.startswith("pinion") and not isinstance(result, tuple):
                if len(made) < 200:
                    made.append(result)
                else:
                    made[rng.randrange(200)] = result   # and the one before is freed
        except EXPECTED as e:
            if not str(e) and not isinstance(e, (MemoryError, StopIteration)):
                wrong += 1
                print(f"{label}({short(args)}, {short(named)}): {type(e).__name__} without a sentence")
        except BaseException as e:
            wrong += 1
            print(f"{label}({short(args)}, {short(named)}): {type(e).__name__}: {e}")
        if time.monotonic() - start > options.slow:
            print(f"slow, {time.monotonic() - start:.1f} s: {label}({short(args)}, {short(named)})")
    print(f"{count} calls, {good} of them with a result, {wrong} wrong")
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
