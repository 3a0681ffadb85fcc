#!/usr/bin/env python3
"""What sweeps cost (docs/sweeps.md#what-it-costs):

    python3 bench/harness/sweeps.py [--build build] [--json FILE] [--quick] [--only PART ...]

Scheduling a run, the file by threads and by processes, steps a second beside a rollout alone, threads beside processes, oversubscribed processes, memory, and
the same study by MuJoCo's batch interface and a loop over Pinocchio in Python. Of these, and of the rollout alone, what
is importable (pinion, mujoco, pinocchio, numpy) is measured. Each number is the best of several tries, those that are
compared taken in turns.
"""
import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
STEPS, DT = 500, 1e-3  # of a run of the study

# a quantity of one joint: next to nothing to compute
SMALL = {"run": {"command": "eval", "what": ["energy"]},
         "vary": [{"name": "v", "what": "v0", "of": "*", "uniform": [-1, 1]}],
         "keep": [{"name": "T", "column": "energy.kinetic"}], "statistics": False}
# a 6-axis arm under its own weight from other starts
STUDY = {"engine": "rollout",
         "run": {"duration": STEPS * DT, "step": DT, "output_step": STEPS * DT, "integrator": "euler", "passive": False},
         "vary": [{"name": "v", "what": "v0", "of": "*", "uniform": [-1, 1]}],
         "keep": [{"name": "q", "column": "q.*", "take": "peak"}], "statistics": False}
# next to nothing to compute, and much to keep
NUMBERS = {"run": {"command": "eval", "what": ["energy", "momentum"]},
           "vary": [{"name": f"{what}{of}", "what": what, "of": f"joint{of}", "uniform": [-1, 1]}
                    for what in ("q0", "v0") for of in (1, 2, 3)],
           "keep": [{"name": c, "column": c} for c in ("energy.kinetic", "energy.potential", "momentum.0", "momentum.1",
                                                       "momentum.2", "momentum.3", "momentum.4")]}
ROWS = {"engine": "rollout", "trajectories": "all", "statistics": False,
        "run": {"duration": 0.1, "step": DT, "output_step": DT, "integrator": "euler"},
        "vary": [{"name": "v", "what": "v0", "of": "*", "uniform": [-1, 1]}],
        "keep": [{"name": "q", "column": "q.*", "take": "peak"}]}


class Bench:
    def __init__(self, build, folder, tries):
        self.pinion, self.mpi, self.folder, self.tries = f"{build}/pinion", f"{build}/pinion-mpi", folder, tries
        self.numbers = {}

    def tell(self, key, value, unit, text):
        self.numbers[key] = value
        print(f"{value:12.4g} {unit:9} {text}", flush=True)

    def plan(self, name, plan, model, count):
        path = f"{self.folder}/{name}.json"
        with open(path, "w", encoding="utf-8") as file:
            json.dump({**plan, "model": f"{ROOT}/models/{model}", "count": count}, file)
        return path

    def sweep(self, plan, *more, before=()):
        """Seconds of the runs, and of all: start, runs, file."""
        began = time.perf_counter()
        out = subprocess.run([*before, self.mpi if before else self.pinion, "sweep", plan, "-o", f"{self.folder}/r.h5",
                              "--json", "--quiet", *more], check=True, capture_output=True, text=True).stdout
        return json.loads(out)["wall"], time.perf_counter() - began

    def processor(self, plan, *more):
        """Seconds of processor time, of all of it: what others do on the machine has little part in it."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.sweep(plan, *more)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    def dry(self, plan):
        out = subprocess.run([self.pinion, "sweep", plan, "--dry-run", "--json"], check=True, capture_output=True, text=True)
        return json.loads(out.stdout)["seconds_a_run"]

    def best(self, *calls):
        """The least of each, in turns."""
        found = [[] for _ in calls]
        for _ in range(self.tries):
            for k, call in enumerate(calls):
                found[k].append(call())
        return [min(x) for x in found]


def scheduling(b, count):
    plan = b.plan("small", SMALL, "planar-2r.json", count)
    runs, alone = b.best(lambda: b.sweep(plan, "--threads", "1"), lambda: b.dry(plan))
    few = b.plan("few", SMALL, "planar-2r.json", 1000)
    used, least = b.best(lambda: b.processor(plan, "--threads", "1"), lambda: b.processor(few, "--threads", "1"))
    b.tell("processor_us", 1e6 * (used - least) / (count - 1000), "us",
           "processor time of all of it, a run: the run itself, blocks, journal and file")
    b.tell("run_us", 1e6 * runs[0] / count, "us", "a run that computes next to nothing, with blocks and journal, on one thread")
    b.tell("run_alone_us", 1e6 * alone, "us", "the same without them")
    b.tell("scheduling_us", 1e6 * (runs[0] / count - alone), "us", "so: scheduling and journal, a run")
    b.tell("assembly_us", 1e6 * (runs[1] - runs[0]) / count, "us", "the file, and the start of the command, a run")


def memory(b, counts):
    code = ("import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True, capture_output=True); "
            "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)")
    for count in counts:
        plan = b.plan("memory", {**SMALL, "statistics": True}, "planar-2r.json", count)
        for key, more, text in (("memory", (f"{b.folder}/m.part", "--shard", "1/2"), f"makes {count // 2} runs into a part"),
                                ("memory_file", (f"{b.folder}/m.h5",), f"makes {count} runs, and the file with statistics")):
            out = subprocess.run([sys.executable, "-c", code, b.pinion, "sweep", plan, "--quiet", "--threads", "1", "-o", *more],
                                 check=True, capture_output=True, text=True).stdout
            b.tell(f"{key}_{count}", int(out) / 1024, "MiB", f"most memory, with mapped files, of a process that {text}")


def processes(b, count, ranks):
    plan = b.plan("ranks", STUDY, "arm-6dof.json", count)
    threads = b.best(lambda: b.sweep(plan, "--threads", "2"))[0]
    b.tell("threads_2_s", threads[0], "s", f"{count} runs on two threads")
    if not os.path.exists(b.mpi):
        print("             there is no pinion-mpi")
        return
    launch()
    again, two = b.best(lambda: b.sweep(plan, "--threads", "2"),
                        lambda: b.sweep(plan, before=("mpirun", "-n", "2")))
    b.tell("ranks_2_of_threads", two[0] / again[0], "", "time of two processes, as a part of that of two threads beside them")
    for n in ranks:
        wall = b.best(lambda: b.sweep(plan, before=("mpirun", "-n", str(n))))[0]
        b.tell(f"ranks_{n}_s", wall[0], "s", f"{n} processes, of which {os.cpu_count()} have a processor")


def launch():
    """More processes than processors, by whoever it is, on this machine alone."""
    os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_rmaps_base_oversubscribe="1",
                      OMPI_MCA_btl="self,vader", OMPI_MCA_mpi_yield_when_idle="1")


def assembly(b, part):
    """Seconds of a sweep that are not its runs, less those of one with a few runs."""
    launch()
    ways = [(f"threads_{n}", ("--threads", str(n)), (), f"{n} thread{'s'[:n - 1]}") for n in (1, 2)]
    if os.path.exists(b.mpi):
        ways += [(f"ranks_{n}", (), ("mpirun", "-n", str(n)), f"{n} process{'es' if n > 1 else ''}") for n in (1, 2, 4)]
    for name, plan, count, text in (
            ("numbers", {**NUMBERS, "statistics": False}, 1000000 // part, "6 parameters and 7 scalars"),
            ("statistics", NUMBERS, 1000000 // part, "the same with statistics"),
            ("rows", ROWS, 40000 // part, "101 rows of 10 columns")):
        many, few = (b.plan(f"{name}{n}", plan, "planar-3r.json", n) for n in (count, 8))

        def rest(path, more, before):
            wall, all_ = b.sweep(path, *more, before=before)
            return all_ - wall
        calls = [lambda path=path, w=w: rest(path, w[1], w[2]) for w in ways for path in (many, few)]
        found = b.best(*calls)
        for k, w in enumerate(ways):
            b.tell(f"file_{name}_{w[0]}", found[2 * k] - found[2 * k + 1], "s", f"the file of {count} runs with {text}, {w[3]}")


def study(b, count):
    """Steps a second of processor time on one thread, the start of the command taken off."""
    def timed(name, plan, count):
        all_, few = (b.plan(f"{name}{n}", plan, "arm-6dof.json", n) for n in (count, 8))
        return lambda: b.processor(all_, "--threads", "1") - b.processor(few, "--threads", "1")

    few = max(count // 10, 16)
    alone = timed("one", {**STUDY, "engine": "sim"}, few)
    calls = [timed("study", STUDY, count), lambda: alone() * count / few]
    names = ["sweep, engine rollout", "sweep, engine sim"]
    first = None
    for name, make in (("pinion rollout alone (Python)", pinion_alone), ("mujoco.rollout", mujoco_batch),
                       ("a loop over pinocchio (Python)", pinocchio_loop)):
        try:
            call, end = make(b, count)
            agree(name, end, first)
            first = end if first is None else first
            calls.append(call)
            names.append(name)
        except ImportError as e:
            print(f"             {name}: {e}")
    for name, seconds in zip(names, b.best(*calls)):
        b.tell(f"steps_per_s: {name}", count * STEPS / seconds, "steps/s", name)


def agree(name, end, first):
    """The same motion: where the first start ends is where the others find it."""
    if first is not None and not all(abs(x - y) < 1e-7 for x, y in zip(end, first)):
        raise SystemExit(f"{name}: ends at {end}, expected {first}")


def starts(count):
    import numpy as np
    return np.random.default_rng(1).uniform(-1, 1, (count, 6))


def pinion_alone(b, count):
    import numpy as np
    import pinion as pn
    os.environ["OMP_NUM_THREADS"] = "1"
    m = pn.load(f"{ROOT}/models/arm-6dof.json")
    q, v = np.zeros((count, m.nq)), starts(count)

    def run():
        began = time.process_time()
        m.rollout(q, v, steps=STEPS, dt=DT, every=STEPS)
        return time.process_time() - began
    return run, m.rollout(q[:1], v[:1], steps=STEPS, dt=DT).q[0]


def urdf(b):
    path = f"{b.folder}/arm.urdf"
    subprocess.run([b.pinion, "convert", f"{ROOT}/models/arm-6dof.json", "--to", "urdf", "-o", path], check=True,
                   capture_output=True)
    return path


def mujoco_batch(b, count):
    import mujoco
    import numpy as np
    from mujoco import rollout
    m = mujoco.MjModel.from_xml_path(urdf(b))
    m.opt.timestep, m.dof_damping[:], m.dof_frictionloss[:] = DT, 0, 0
    m.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT | mujoco.mjtDisableBit.mjDSBL_LIMIT
    d = mujoco.MjData(m)
    size = mujoco.mj_stateSize(m, mujoco.mjtState.mjSTATE_FULLPHYSICS)
    state = np.zeros((count, size))
    state[:, 1 + m.nq:1 + m.nq + m.nv] = starts(count)

    def run():
        began = time.process_time()
        rollout.rollout(m, [d], state, nstep=STEPS)
        return time.process_time() - began
    return run, rollout.rollout(m, [d], state[:1], nstep=STEPS)[0][0, -1, 1:1 + m.nq]


def pinocchio_loop(b, count):
    import numpy as np
    import pinocchio as pin
    m = pin.buildModelFromUrdf(urdf(b))
    d, few, tau = m.createData(), max(count // 100, 1), np.zeros(m.nv)
    v0 = starts(few)

    def make(v):
        q, v = pin.neutral(m), v.copy()
        for _ in range(STEPS):
            v += DT * pin.aba(m, d, q, v, tau)
            q = pin.integrate(m, q, DT * v)
        return q

    def run():
        began = time.process_time()
        for v in v0:
            make(v)
        return (time.process_time() - began) * count / few
    return run, make(v0[0])


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--build", default=f"{ROOT}/build", help="the folder with pinion and pinion-mpi")
    p.add_argument("--json", help="writes the numbers there")
    parts = ["scheduling", "memory", "file", "study", "processes"]
    p.add_argument("--only", nargs="+", choices=parts, default=parts, help="these parts of it")
    p.add_argument("--quick", action="store_true", help="a tenth of the runs, once")
    a = p.parse_args()
    part = 10 if a.quick else 1
    with tempfile.TemporaryDirectory() as folder:
        b = Bench(a.build, folder, 1 if a.quick else 3)
        print(f"processors {os.cpu_count()}, load {os.getloadavg()[0]:.1f} when it began")
        b.numbers["load"] = os.getloadavg()[0]
        if "scheduling" in a.only:
            scheduling(b, 200000 // part)
        if "memory" in a.only:
            memory(b, (10000, 100000, 1000000 // part))
        if "file" in a.only:
            assembly(b, part)
        if "study" in a.only:
            study(b, 4000 // part)
        if "processes" in a.only:
            processes(b, 8000 // part, (2, 4, 8, 16))
    if a.json:
        with open(a.json, "w", encoding="utf-8") as file:
            json.dump(b.numbers, file, indent=1)


main()
