#!/usr/bin/env python3
"""What a command does when the system fails it: one call of the kernel fails, then the next one in another run.

    tests/faults/faults.py PINION LIBRARY [--all] [--only TEXT]

Every command is run as it is, twice, for what it writes; then again and again, each time with the n-th call of one
kind failing (strace does that; allocations fail in LIBRARY, which is preloaded). It must not crash; must either do all
that it does or end with 1 or 2 and a sentence; must leave a file that it writes as it was, or as it is to be, and no
other file behind. Without --all a few of the n are tried, the same ones everywhere.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

# a kind of call, and how it fails
FAULTS = [
    ("openat", "EMFILE"), ("read", "EIO"), ("write", "ENOSPC"), ("pwrite64", "ENOSPC"), ("writev", "ENOSPC"),
    ("fsync", "EIO"), ("rename", "EIO"), ("close", "EIO"), ("ftruncate", "EIO"), ("lseek", "EIO"),
    ("newfstatat", "EACCES"), ("mkdir", "ENOSPC"), ("unlink", "EACCES"), ("allocation", "no memory"),
    ("clone", "EAGAIN"), ("clone3", "EAGAIN"), ("vfork", "EAGAIN"), ("pipe2", "EMFILE"), ("getrandom", "EIO"),
    ("fchmod", "EPERM"), ("sched_getaffinity", "EPERM"),
]
HDF5 = ("h5", "resumed", "sweep", "merge")  # write by the HDF5 library, which may crash when it gets no memory
FEW = 4  # tries of a kind without --all

ARM = "{models}/arm-7dof.json"
FILES = {
    "states.json": '{"states": [{"q": [0.1, 0.2, 0.3, -1.4, 0.5, 0.6, 0.7]}]}',
    "motion.csv": "t,q.slide,q.pivot\n0,0,0\n0.1,0.1,0.2\n0.2,0.1,0.3\n",
    "plan.json": """{"model": "{models}/arm-7dof.json", "count": 3,
"vary": [{"name": "kp", "what": "kp", "of": "axis_2", "uniform": [10, 90]}],
"run": {"duration": 0.01, "integrator": "rk4", "step": 0.005, "control": "computed-torque"},
"keep": [{"name": "end", "column": "q.axis_1", "take": "final"}]}""",
}
# what is made of these, once, by the command itself
MADE = {
    "run.h5": ["sim", ARM, "--duration", "0.02", "--quiet", "-o", "run.h5"],
    "1.part": ["sweep", "plan.json", "--shard", "1/2", "--quiet", "-o", "1.part"],
    "2.part": ["sweep", "plan.json", "--shard", "2/2", "--quiet", "-o", "2.part"],
}
COMMANDS = {
    "info": ["info", ARM],
    "eval": ["eval", ARM, "--states", "states.json", "--what", "inverse_dynamics,mass_matrix"],
    "json": ["convert", ARM, "-o", "out.json"],
    "urdf": ["convert", "{models}/arm-6dof.json", "-o", "out.urdf"],
    "mjcf": ["convert", ARM, "-o", "out.mjcf"],
    "sdf": ["convert", ARM, "-o", "out.sdf"],
    "csv": ["sim", ARM, "--duration", "0.02", "--quiet", "-o", "out.csv"],
    "h5": ["sim", ARM, "--duration", "0.02", "--quiet", "-o", "out.h5"],
    "page": ["sim", ARM, "--duration", "0.02", "--quiet", "--report", "out.html"],
    "resumed": ["sim", ARM, "--duration", "0.02", "--quiet", "-o", "out.csv", "--checkpoint", "keep.h5"],
    "linearize": ["linearize", ARM, "-o", "out.json"],
    "codegen": ["codegen", ARM, "--what", "inverse_dynamics", "-o", "out"],
    "generate": ["generate", "chain", "5", "-o", "out.json"],
    "id": ["id", "{models}/cart-pole.json", "--trajectory", "motion.csv", "-o", "out.csv"],
    "jsonl": ["sim", ARM, "--duration", "0.02", "--quiet", "-o", "out.jsonl"],
    "report": ["report", "run.h5", "-o", "out.html"],
    "sweep": ["sweep", "plan.json", "--threads", "1", "--quiet", "-o", "out.h5"],
    "shard": ["sweep", "plan.json", "--threads", "1", "--shard", "1/2", "--quiet", "-o", "out.part"],
    "merge": ["merge", "1.part", "2.part", "--quiet", "-o", "out.h5"],
    "equations": ["equations", "{models}/planar-2r.json"],
    "operators": ["operators", ARM, "--states", "states.json"],
    "ops": ["ops", "{models}/planar-2r.json"],
}
OLD = "what was there before\n"


def make(pinion, models):
    """The files that the commands read."""
    given = {name: text.replace("{models}", models).encode() for name, text in FILES.items()}
    with tempfile.TemporaryDirectory(prefix="pinion-faults-") as name:
        folder = Path(name)
        for file, data in given.items():
            (folder / file).write_bytes(data)
        for file, line in MADE.items():
            words = [str(Path(pinion).resolve())] + [word.replace("{models}", models) for word in line]
            subprocess.run(words, cwd=folder, check=True)
            given[file] = (folder / file).read_bytes()
    return given


def contents(folder):
    """All files below a folder and what is in them."""
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


class Trial:
    def __init__(self, pinion, library, models, name, given):
        self.name = name
        self.library = library
        self.given = given
        self.line = [pinion] + [word.replace("{models}", models) for word in COMMANDS[name]]
        self.outputs = [word for word in COMMANDS[name] if word.startswith("out")]
        self.wrong = []
        self.runs = 0

    def run(self, before=(), variables={}):
        """One run in a folder of its own, with files where it writes: its status, output, complaint and files."""
        with tempfile.TemporaryDirectory(prefix="pinion-faults-") as name:
            folder = Path(name)
            work = folder / "work"
            work.mkdir()
            for file, data in self.given.items():
                (work / file).write_bytes(data)
            for output in self.outputs:
                if "." in output:
                    (work / output).write_text(OLD)
            home = folder / "home"
            home.mkdir()
            environment = dict(os.environ, HOME=str(home), TMPDIR=str(folder), OMP_NUM_THREADS="2")
            environment.update({name: value.replace("LOG", str(folder / "log")) for name, value in variables.items()})
            line = [word.replace("LOG", str(folder / "log")) for word in before] + self.line
            try:
                done = subprocess.run(line, cwd=work, env=environment, capture_output=True, timeout=120)
            except subprocess.TimeoutExpired:
                return None, b"", "it did not end in 120 s", {}, ""
            log = folder / "log"
            told = log.read_text(errors="replace") if log.exists() else ""
            if log.exists():
                log.unlink()
            files = contents(work)
            files.update({"../" + p.name: b"" for p in folder.iterdir() if p.name not in ("work", "home")})
            return done.returncode, done.stdout, done.stderr.decode(errors="replace"), files, told

    def learn(self):
        """What two runs without a fault write, and which part of it is the same in both."""
        first, second = self.run(), self.run()
        if first[0] != 0:
            sys.exit(f"{self.name}: fails by itself: {first[2]}")
        self.out = first[1] if first[1] == second[1] else None
        self.files = {k: v if second[3].get(k) == v else None for k, v in first[3].items()}

    def complain(self, call, error, number, what, err):
        self.wrong.append(f"{self.name}: {call} {number} fails with {error}: {what}; it said: {err.strip()[:200]!r}")

    def check(self, call, error, number, result):
        status, out, err, files, log = result
        say = lambda what: self.complain(call, error, number, what, err)
        if "error while loading shared libraries" in err or "cannot allocate" in err:
            return  # the loader's, before the command begins
        if re.search(r"/memfd:.*INJECTED", log):
            return  # a file in memory, which does not fail to be written
        crashed = status not in (0, 1, 2)
        if crashed and not (call == "allocation" and self.name in HDF5):
            return say(f"it ended with {status}")
        if status and not crashed and not err.strip() and not re.search(r"write\(2\b.*INJECTED", log):
            say("it failed without a word")
        if status == 0 and self.out is not None and out != self.out:
            say("it answered something else and said nothing")
        for name, text in files.items():
            if name not in self.files:
                # a sweep that failed goes on from its journal; one that cannot remove it any more is done
                if call != "unlink" and not crashed and not (self.name in ("sweep", "shard") and ".journal" in name):
                    say(f"it left {name}")
            elif status == 0 and self.files[name] is not None and text != self.files[name]:
                say(f"{name} is not what it should be, and nothing was said")
            elif name in self.outputs and status and text != OLD.encode() and self.files[name] not in (None, text):
                say(f"{name} is written in part ({len(text)} bytes)")
        for name in self.files:
            if name not in files and status == 0:
                say(f"{name} is not there, and nothing was said")
            if name in self.outputs and "." in name and name not in files:
                say(f"{name}, which was there before, is gone")

    def calls(self):
        """How often each kind is called."""
        count = {}
        names = ",".join(call for call, _ in FAULTS if call != "allocation")
        log = self.run(["strace", "-f", "-qq", "-o", "LOG", "-e", "trace=" + names, "-e", "signal=none"])[4]
        for call in re.findall(r"^\d+ +(\w+)\(", log, re.M):
            count[call] = count.get(call, 0) + 1
        log = self.run(variables={"LD_PRELOAD": self.library, "PINION_FAIL_COUNT": "LOG"})[4]
        count["allocation"] = int(log)
        return count

    def fail(self, call, error, number):
        if call == "allocation":
            return self.run(variables={"LD_PRELOAD": self.library, "PINION_FAIL_AT": str(number)})
        return self.run(["strace", "-f", "-y", "-qq", "-o", "LOG", "-e", f"trace={call}", "-e", "signal=none",
                         "-e", f"inject={call}:error={error}:when={number}"])

    def try_all(self, every):
        self.learn()
        count = self.calls()
        for call, error in FAULTS:
            n = count.get(call, 0)
            tried = range(1, n + 1)
            if not every and n > FEW:
                # the last ones are those of the command; the first ones load it
                tried = sorted({n - i for i in range(FEW // 2)} | {n * i // FEW + 1 for i in range(FEW // 2)})
            for number in tried:
                self.runs += 1
                self.check(call, error, number, self.fail(call, error, number))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("pinion")
    parser.add_argument("library")
    parser.add_argument("--all", action="store_true", help="every n")
    parser.add_argument("--only", default="", help="commands with this in their name")
    options = parser.parse_args()
    if not shutil.which("strace"):
        print("skipped: no strace")
        return 77
    models = str(Path(__file__).resolve().parents[2] / "models")
    wrong, runs = [], 0
    given = make(options.pinion, models)
    for name in COMMANDS:
        if options.only not in name:
            continue
        trial = Trial(str(Path(options.pinion).resolve()), str(Path(options.library).resolve()), models, name, given)
        trial.try_all(options.all)
        wrong += trial.wrong
        runs += trial.runs
        print(f"{name}: {trial.runs} runs, {len(trial.wrong)} wrong", flush=True)
    print("\n".join(wrong))
    print(f"{runs} runs with a fault, {len(wrong)} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
