"""A sweep on the workers of a Dask cluster: python sweep_dask.py [RUNS [PLAN [SCHEDULER]]]

Each worker needs the same wheel of pinion; a plan pickles with its text, so that only the files it names must be in
reach of all. Without a scheduler's address two processes of this machine are the cluster.
"""
import os
import sys

import numpy as np
import pinion as pn
from dask.distributed import Client

BLOCK = 50  # runs of a task: enough that sending it costs little


def make(plan, first, last):
    r = pn.sweep(plan, runs=range(first, last), threads=1)
    return first, r.outcome, r.scalars


def main(runs=200, path=os.path.join(os.path.dirname(__file__), "plan.json"), scheduler=None):
    plan = pn.Sweep(path)
    runs = min(int(runs), plan.count)
    with Client(scheduler) if scheduler else Client(n_workers=2, threads_per_worker=1) as client:
        shared = client.scatter(plan, broadcast=True)
        blocks = range(0, runs, BLOCK)
        done = client.gather([client.submit(make, shared, k, min(k + BLOCK, runs)) for k in blocks])
    done.sort(key=lambda part: part[0])
    outcome = np.concatenate([part[1] for part in done])
    scalars = {name: np.concatenate([part[2][name] for part in done]) for name in plan.scalars}
    alone = pn.sweep(plan, runs=range(runs))  # the same bits as on this machine alone
    assert all(scalars[name].tobytes() == alone.scalars[name].tobytes() for name in scalars)
    print(f"{runs} runs, {np.count_nonzero(outcome > 1)} failed")
    for name, unit in plan.scalars.items():
        print(f"{name}: {np.nanmean(scalars[name]):.4g} {unit}")


if __name__ == "__main__":
    main(*sys.argv[1:])
