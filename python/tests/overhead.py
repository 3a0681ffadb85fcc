#!/usr/bin/env python3
"""What a call from Python takes beside the same call in C, in ns: overhead.py [MODEL]

The least of many short rounds of each, so that other programs on the machine do not count.
"""
import sys
import timeit

import numpy as np

import pinion as pn


def measure(m, calls=500, rounds=1000):
    """(C, Python with out=, Python without): ns a call of inverse dynamics."""
    q, v, a = m.random(1), np.full(m.nv, 0.1), np.full(m.nv, 0.2)
    out = np.empty(m.nv)
    names = {"m": m, "q": q, "v": v, "a": a, "out": out}

    def least(code):
        return min(timeit.repeat(code, globals=names, number=calls, repeat=rounds)) / calls * 1e9
    loop = least("pass")
    return (pn._pinion._time_c(m, q, v, a, calls, rounds), least("m.inverse_dynamics(q, v, a, out=out)") - loop,
            least("m.inverse_dynamics(q, v, a)") - loop)


if __name__ == "__main__":
    robot = pn.load(sys.argv[1]) if len(sys.argv) > 1 else pn.random_chain(6)
    c, given, new = measure(robot)
    print(f"{robot.name}, nv {robot.nv}: C {c:.0f} ns; Python with out= {given:.0f} ns ({given - c:+.0f}), "
          f"without {new:.0f} ns ({new - c:+.0f})")
