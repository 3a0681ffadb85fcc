#!/usr/bin/env python3
"""Fuzzes the whole command with all the files it reads: a line that works is changed, then run.

    tests/fuzz/fuzz_command.py PINION [--runs N | --seconds S] [--seed N] [--keep FOLDER]

Changed are words of the line, bytes, lines and cells of text, keys and values of JSON, blocks of binary files. Whatever
comes of it, the command must end by itself, with 0, 1 or 2; say a sentence where it is not 0; answer valid JSON,
without NaN, where it answers JSON; and leave nothing in the folder but what it was told to write. What takes long by
right has said so, and ends in good order when it is told to. A line that breaks a rule is printed, and kept with its
files below FOLDER. Runs depend on the seed, which is printed, and their number.
"""

import argparse
import copy
import json
import math
import os
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SECONDS = 60  # for one run, with sanitizers
END = 20  # and to end after SIGTERM
LONG = re.compile(r"^pinion sim: warning: steps are of .* are ahead", re.M)  # a run that will take longer, by its own word
MEMORY = 1 << 29  # the largest file that a run may write

STATE = {"q": [0.1, 0.2, 0.3, -1.4, 0.5, 0.6, 0.7], "v": [0.1] * 7, "a": [1] * 7, "tau": [0.5] * 7}
CART = {"q": {"slide": 0.1, "pole": 0.2}}
FILES = {
    "states.json": json.dumps({"states": [STATE, dict(STATE, f_ext={"flange": [0, 0, 0, 1, 0, 0]})]}),
    "lines.json": json.dumps(STATE) + "\n" + json.dumps(STATE) + "\n",
    "motion.csv": "t," + ",".join(f"q.axis_{i}" for i in range(1, 8)) + "\n" + "".join(
        ",".join(str(x) for x in [t / 10] + [math.sin(t + i) / 10 for i in range(7)]) + "\n" for t in range(6)),
    "forces.json": json.dumps({
        "springs": [{"name": "s", "frame_a": "world", "point_a": [0.5, 0, 1], "frame_b": "flange",
                     "point_b": [0, 0, 0.1], "stiffness": 200, "damping": 4, "length": 0.3}],
        "wrenches": [{"frame": "flange", "force": [0, 0, -20], "start": 0.01, "end": 0.02},
                     {"frame": "elbow", "reference": "local", "moment": [0, 0, 0.5], "signal": "sine", "frequency": 2},
                     {"frame": "elbow", "force": [1, 0, 0], "signal": "table", "t": [0, 0.5, 2], "s": [0, 10, 0]}],
        "drag": [{"name": "water", "frame": "forearm", "density": 1000, "area": [0.02, 0.1, 0.1], "volume": 0.003}],
        "attraction": [{"name": "far", "center": [0, 0, -6.8e6], "mu": 4e14}],
        "ground": [{"name": "floor", "normal": [0, 0, 1], "height": -2, "stiffness": 1e5, "exponent": 1.5,
                    "damping": 0.5, "friction": 0.8, "slip": 1e-3, "frames": ["flange"]}]}),
    "tasks.json": json.dumps({"tasks": [
        {"task": "position", "frame": "flange", "kp": 400, "kd": 40,
         "circle": {"center": [0.4, 0, 0.5], "axis": [1, 0, 0], "period": 2}},
        {"task": "posture", "priority": 1, "kp": 10}]}),
    "sensors.json": json.dumps({"seed": 1, "sensors": [
        {"name": "e", "type": "encoder", "joint": "axis_1", "resolution": 1.5e-4},
        {"name": "t", "type": "torque", "joint": "axis_2", "noise": 0.05, "bias": 0.2},
        {"name": "imu", "type": "imu", "frame": "flange", "gyro_noise": 1e-3, "gyro_bias": [0, 0.01, 0]}]}),
    "plan.json": json.dumps({
        "model": "arm.json", "run": {"duration": 0.02, "integrator": "rk4", "step": 0.005, "control": "pd",
                                     "to": {"axis_2": 0.3}},
        "vary": [{"name": "load", "what": "payload", "of": "flange", "uniform": [0, 3]},
                 {"name": "rubs", "what": "friction", "of": "axis_2", "as": "factor", "normal": [1, 0.2]},
                 {"name": "kp", "what": "kp", "of": "axis_3", "list": [50, 100]}],
        "sampling": "sobol", "count": 4, "seed": 7,
        "keep": [{"name": "peak", "column": "tau.*", "take": "peak"},
                 {"name": "end", "column": "q.axis_1", "take": "final"}]}),
}
ARM, DOG = "arm.json", "dog.json"
SIM = ["--duration", "0.02", "--quiet"]
LINES = [
    ["info", ARM], ["info", DOG, "--json"], ["info", "bars.json"],
    ["eval", ARM, "--states", "states.json", "--what", "inverse_dynamics,mass_matrix,energy"],
    ["eval", ARM, "--states", "lines.json", "--what", "forward_dynamics,d_forward_dynamics", "--algorithm", "aba"],
    ["sim", ARM, *SIM, "-o", "out.csv", "--forces", "forces.json"],
    ["sim", ARM, *SIM, "-o", "out.csv", "--control", "task", "--tasks", "tasks.json", "--control-step", "0.005"],
    ["sim", ARM, *SIM, "-o", "out.csv", "--control", "computed-torque", "--to", "axis_2=0.5", "--control-step", "0.005",
     "--control-delay", "0.001", "--sensors", "sensors.json"],
    ["sim", ARM, *SIM, "--trajectory", "motion.csv", "--control", "pd", "--kp", "axis_1=3", "-o", "out.jsonl"],
    ["sim", ARM, *SIM, "--q0", "axis_1=0.3,axis_2=1", "--integrator", "rk4", "--step", "0.005", "--report", "out.html"],
    ["sim", "cart.json", *SIM, "--torque", "slide=1", "-o", "out.h5", "--checkpoint", "ck.h5"],
    ["sim", DOG, *SIM, "--contact", "ground", "--step", "0.004", "-o", "out.csv"],
    ["sim", "bars.json", *SIM, "-o", "out.csv"],
    ["id", ARM, "--trajectory", "motion.csv", "-o", "out.csv"],
    ["id", ARM, "--trajectory", "motion.csv", "--forces", "forces.json", "-o", "out.csv", "--json"],
    ["linearize", "cart.json", "--equilibrium", "-o", "out.json"],
    ["convert", ARM, "-o", "out.urdf"], ["convert", ARM, "-o", "out.sdf"], ["convert", DOG, "-o", "out.mjcf"],
    ["sweep", "plan.json", "-o", "out.h5", "--threads", "2", "--quiet"], ["sweep", "plan.json", "--dry-run", "--json"],
    ["merge", "part0.part", "part1.part", "-o", "out.h5"],
    ["report", "run.h5", "-o", "out.html"], ["report", "run.csv", "-o", "out.html"],
    ["report", "sweep.h5", "-o", "out.html"],
    ["sim", "--resume", "keep.h5", "--quiet"],
    ["ops", ARM], ["algorithms"], ["generate", "chain", "5", "-o", "out.json"],
    ["equations", "cart.json"], ["codegen", "cart.json", "--what", "inverse_dynamics", "-o", "out"],
    ["operators", ARM, "--states", "states.json"],
]
MODELS = {ARM: "arm-7dof.json", DOG: "quadruped.json", "bars.json": "four-bar.json", "cart.json": "cart-pole.json"}
# what is made by the command itself, so that it is valid
MADE = [
    ["sim", ARM, *SIM, "-o", "run.h5"], ["sim", ARM, *SIM, "-o", "run.csv"],
    ["sim", "cart.json", *SIM, "-o", "other.csv", "--checkpoint", "keep.h5"],
    ["sweep", "plan.json", "-o", "sweep.h5", "--quiet"],
    ["sweep", "plan.json", "-o", "part0.part", "--shard", "1/2", "--quiet"],
    ["sweep", "plan.json", "-o", "part1.part", "--shard", "2/2", "--quiet"],
]

NUMBERS = ["0", "-1", "1e308", "-1e308", "1e-320", "nan", "inf", "-0", "1e999", "2147483648", "-9223372036854775808",
           "18446744073709551616", "0x10", "1,5", "1e", "", " ", "3.0000000000000001", "1e-9", "1e7"]
WORDS = ["", "-", "--", "-o", "--help", "--json", "--what", "..", "/", "/dev/null", "/dev/full", "nobody", "arm.json",
         "-1", "\u00e9\u4e2d", "a" * 5000, "%s%n", "=", ",", "a=b=c", "axis_1=", "=1", "*", "*=1", "--no-such",
         "--step=", "\udcff"]
VALUES = [None, True, False, 0, -1, 1e308, 1e-320, -0.0, 2**63, "", "x", "axis_1", "flange", "world", [], {}, [[]], [1],
          [1, 2, 3], {"a": 1}, "\u0000", "a" * 3000, 1e7, "nan", 1.5]


def change_bytes(r, data):
    data = bytearray(data)
    for _ in range(r.choice([1, 1, 2, 8])):
        at = r.randrange(len(data) + 1)
        kind = r.randrange(5)
        if kind == 0 and data:
            data[at % len(data)] = r.randrange(256)
        elif kind == 1:
            del data[at:at + r.choice([1, 2, 8, 64, 1024])]
        elif kind == 2:
            data[at:at] = bytes(r.randrange(256) for _ in range(r.choice([1, 4, 30])))
        elif kind == 3:
            start = r.randrange(len(data) + 1)
            data[at:at] = data[start:start + r.choice([2, 16, 200])]
        else:
            data[at:at + 8] = r.choice([b"\xff" * 8, b"\0" * 8, b"\0" * 7 + b"\x80", b"\x7f" + b"\xff" * 7])
    return bytes(data)


def change_lines(r, data):
    lines = data.decode("utf-8", "surrogateescape").split("\n")
    at = r.randrange(len(lines))
    cells = lines[at].split(",")
    kind = r.randrange(6)
    if kind == 0:
        del lines[at]
    elif kind == 1:
        lines.insert(at, lines[r.randrange(len(lines))])
    elif kind == 2:
        cells[r.randrange(len(cells))] = r.choice(NUMBERS)
        lines[at] = ",".join(cells)
    elif kind == 3:
        cells.insert(r.randrange(len(cells)), r.choice(NUMBERS + ['"', '"a', "\t", ";"]))
        lines[at] = ",".join(cells)
    elif kind == 4:
        lines = lines[:at]
    else:
        lines[at] = r.choice(["", "\r", "#", '"' * 3, "\0", lines[at] * 50])
    return "\n".join(lines).encode("utf-8", "surrogateescape")


def places(value):
    """Every place in a document: (container, key)."""
    found, boxes = [], [value]
    while boxes:
        box = boxes.pop()
        keys = list(box) if isinstance(box, dict) else range(len(box)) if isinstance(box, list) else ()
        found += [(box, key) for key in keys]
        boxes += [box[key] for key in keys]
    return found


def change_json(r, data):
    try:
        value = json.loads(data)
    except ValueError:
        return change_bytes(r, data)
    for _ in range(r.choice([1, 1, 1, 2, 4])):
        found = places(value)
        if not found:
            break
        box, key = r.choice(found)
        kind = r.randrange(8)
        if kind == 0:
            del box[key]
        elif kind == 1:
            box[key] = r.choice(VALUES)
        elif kind == 2:
            other, at = r.choice(found)
            box[key] = copy.deepcopy(other[at])
        elif kind == 3 and isinstance(box, dict):
            box[r.choice(["", "name", "x", "\u00e9", str(key) + "s", str(key)[:-1]])] = r.choice(VALUES)
        elif kind == 4 and isinstance(box, list):
            box.insert(key, r.choice(VALUES))
        elif kind == 5 and isinstance(box[key], (int, float)):
            box[key] = box[key] * r.choice([-1, 0, 1e-9, 1e9, 1e300, 0.5, 2])
        elif kind == 6 and isinstance(box[key], list):
            box[key] = box[key] * r.choice([2, 3, 40])
        else:
            box[key] = [box[key]]
    text = json.dumps(value)
    if r.random() < 0.02:
        text = text.replace("[", "[" * r.choice([3, 300, 30000]), 1)
    return text.encode()


def change_line(r, line):
    line = list(line)
    at = r.randrange(1, len(line)) if len(line) > 1 else 0
    kind = r.randrange(7)
    if kind == 0:
        del line[at]
    elif kind == 1:
        line[at] = r.choice(WORDS)
    elif kind == 2:
        line.insert(at, r.choice(WORDS))
    elif kind == 3:
        line += line[at:]
    elif kind == 4:
        line[at] = r.choice(NUMBERS)
    elif kind == 5:
        other = r.choice(LINES)
        line += other[r.randrange(len(other)):]
    else:
        line[at] = re.sub(r"[0-9.]+", lambda _: r.choice(NUMBERS), line[at])
    return [word.replace("\0", "") for word in line]


def gentle(line):
    """A line that asks for nothing that takes long by right, or writes anywhere else."""
    if not line or line[0] in ("bench", "demo") or any(w in line for w in ("--watch", "--serve", "--all")):
        return False
    for word in line:
        if word.startswith("/") and not word.startswith("/dev/") or ".." in word:
            return False
    return "/dev/full" not in line or line[0] != "sweep"


class Fuzz:
    def __init__(self, pinion, models, keep):
        self.pinion, self.keep, self.wrong = pinion, keep, 0
        self.seeds = {name: text.encode() for name, text in FILES.items()}
        self.seeds.update({name: (models / file).read_bytes() for name, file in MODELS.items()})
        with tempfile.TemporaryDirectory(prefix="pinion-fuzz-") as name:
            self.lay(Path(name), self.seeds)
            for line in MADE:
                status, _, err = self.run(Path(name), line)
                if status != 0:
                    sys.exit(f"{line} should work and says: {err}")
            for path in Path(name).iterdir():
                if path.is_file():
                    self.seeds.setdefault(path.name, path.read_bytes())
            for line in LINES:
                status, _, err = self.run(Path(name), line)
                if status != 0:
                    sys.exit(f"{line} should work and says: {err}")

    def lay(self, folder, files):
        for name, data in files.items():
            (folder / name).write_bytes(data)

    def run(self, folder, line):
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (MEMORY, MEMORY))
        home = folder.parent / (folder.name + "-home")
        home.mkdir(exist_ok=True)
        environment = dict(os.environ, HOME=str(home), TMPDIR=str(home), OMP_NUM_THREADS="2")
        words = [os.fsencode(self.pinion)] + [os.fsencode(w) for w in line]
        process = subprocess.Popen(words, cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=limit)
        status, out, err = self.wait(process)
        shutil.rmtree(home, ignore_errors=True)
        return status, out, err.decode(errors="replace")

    def wait(self, process):
        """Its status, None where it had to be killed, and what it said."""
        try:
            out, err = process.communicate(timeout=SECONDS)
            return process.returncode, out, err
        except subprocess.TimeoutExpired as late:
            said = (late.stderr or b"").decode(errors="replace")
        if LONG.search(said):
            process.terminate()
            try:
                out, err = process.communicate(timeout=END)
                return process.returncode if process.returncode == 1 else None, out, err
            except subprocess.TimeoutExpired:
                pass
        process.kill()
        return (None, *process.communicate())

    def once(self, seed, number):
        r = random.Random(f"{seed}:{number}")
        line = list(r.choice(LINES))
        used = [w for w in line if w in self.seeds]
        files = {w: self.seeds[w] for w in used}
        if "plan.json" in used:
            files[ARM] = self.seeds[ARM]
        if used and r.random() < 0.7:
            name = r.choice(sorted(files))
            change = {".json": change_json, ".csv": change_lines}.get(Path(name).suffix, change_bytes)
            if r.random() < 0.15:
                change = r.choice([change_bytes, change_lines])
            files[name] = change(r, files[name])
        else:
            line = change_line(r, line)
        if not gentle(line):
            return False
        with tempfile.TemporaryDirectory(prefix="pinion-fuzz-") as name:
            folder = Path(name)
            self.lay(folder, files)
            status, out, err = self.run(folder, line)
            left = {p.name for p in folder.iterdir()} - set(files)
            what = self.judge(line, status, out, err, left)
            if what:
                self.tell(number, line, files, what, err)
        return True

    def judge(self, line, status, out, err, left):
        if status is None:
            return f"it did not end in {SECONDS} s"
        if status not in (0, 1, 2):
            return f"it ended with {status}"
        if "Sanitizer" in err or "runtime error" in err:
            return "a sanitizer stopped it"
        if status and not err.strip():
            return "it failed without a word"
        if status == 0 and ("--json" in line or line[0] == "eval") and "--help" not in line:
            try:
                json.loads(out, parse_constant=lambda word: 1 / 0)
            except (ValueError, ZeroDivisionError):
                if out.strip() and out.lstrip()[:1] in (b"{", b"["):
                    return "its JSON is not valid"
        odd = {name for name in left if name not in line and not any(w.endswith("=" + name) for w in line)}
        if odd:
            return f"it left {sorted(odd)}"
        return None

    def tell(self, number, line, files, what, err):
        self.wrong += 1
        print(f"run {number}: {what}: {line!r}\n{err[:3000]}", flush=True)
        if self.keep:
            folder = Path(self.keep) / f"command-{number}"
            folder.mkdir(parents=True, exist_ok=True)
            self.lay(folder, files)
            (folder / "line.txt").write_text(repr(line) + "\n" + what + "\n" + err)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("pinion")
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--seconds", type=float, help="for so long, whatever --runs is")
    parser.add_argument("--seed", type=int)
    parser.add_argument("--first", type=int, default=0, help="the number of the first run")
    parser.add_argument("--keep", help="where lines that break a rule are kept")
    options = parser.parse_args()
    seed = options.seed if options.seed is not None else random.randrange(1 << 30)
    print(f"seed {seed}")
    models = Path(__file__).resolve().parents[2] / "models"
    fuzz = Fuzz(str(Path(options.pinion).resolve()), models, options.keep)
    begin, number, ran = time.monotonic(), options.first, 0
    while time.monotonic() - begin < options.seconds if options.seconds else number < options.first + options.runs:
        ran += fuzz.once(seed, number)
        number += 1
    print(f"{ran} runs of the command, {fuzz.wrong} wrong")
    return 1 if fuzz.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
