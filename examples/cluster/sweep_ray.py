"""A sweep on a Ray cluster: python sweep_ray.py [RUNS [PLAN [ADDRESS]]]

Each node needs the same wheel of pinion; a plan pickles with its text, so that only the files it names must be in
reach of all. Without an address two processes of this machine are the cluster.
"""
import os
import sys

import numpy as np
import pinion as pn
import ray

BLOCK = 50  # runs of a task: enough that sending it costs little


@ray.remote
def make(plan, first, last):
    r = pn.sweep(plan, runs=range(first, last), threads=1)
    return r.outcome, r.scalars


def main(runs=200, path=os.path.join(os.path.dirname(__file__), "plan.json"), address=None):
    plan = pn.Sweep(path)
    runs = min(int(runs), plan.count)
    ray.init(**({"address": address} if address else {"num_cpus": 2, "include_dashboard": False}))
    shared = ray.put(plan)
    done = ray.get([make.remote(shared, k, min(k + BLOCK, runs)) for k in range(0, runs, BLOCK)])
    ray.shutdown()
    outcome = np.concatenate([part[0] for part in done])
    scalars = {name: np.concatenate([part[1][name] for part in done]) for name in plan.scalars}
    alone = pn.sweep(plan, runs=range(runs))  # the same bits as on this machine alone
    assert all(scalars[name].tobytes() == alone.scalars[name].tobytes() for name in scalars)
    print(f"{runs} runs, {np.count_nonzero(outcome > 1)} failed")
    for name, unit in plan.scalars.items():
        print(f"{name}: {np.nanmean(scalars[name]):.4g} {unit}")


if __name__ == "__main__":
    main(*sys.argv[1:])
