#!/usr/bin/env python3
"""The command in odd surroundings: what it writes is as anywhere else, or it says why it is not there.

    tests/faults/surroundings.py PINION CLOCKS [LOCALES]

CLOCKS is a library to be preloaded, whose clocks jump. LOCALES is a folder with a locale that has a decimal comma.
"""

import argparse
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from faults import ARM, COMMANDS, OLD, make

WRITES = ["write", "pwrite64", "writev", "fsync", "rename", "ftruncate", "close"]


class Place:
    """A folder with the files that the commands read, and what a command writes there when nothing is odd."""

    def __init__(self, pinion, models, given):
        self.pinion, self.models, self.given = pinion, models, given
        self.wrong, self.tried, self.plain = [], 0, {}

    def line(self, name):
        return [self.pinion] + [word.replace("{models}", self.models) for word in COMMANDS[name]]

    def outputs(self, name):
        return [word for word in COMMANDS[name] if word.startswith("out.")]

    def lay(self, folder, old=False, name=None):
        for file, data in self.given.items():
            (folder / file).write_bytes(data)
        for output in self.outputs(name) if old else ():
            (folder / output).write_text(OLD)

    def usual(self, name):
        if name not in self.plain:
            with tempfile.TemporaryDirectory() as folder:
                self.lay(Path(folder))
                done = subprocess.run(self.line(name), cwd=folder, capture_output=True, check=True)
                files = {out: (Path(folder) / out).read_bytes() for out in self.outputs(name)}
                self.plain[name] = (done.stdout, files)
        return self.plain[name]

    def complain(self, what):
        self.wrong.append(what)

    def same(self, name, what, **how):
        """In these surroundings the command gives what it gives anywhere."""
        self.tried += 1
        out, files = self.usual(name)
        with tempfile.TemporaryDirectory() as folder:
            self.lay(Path(folder))
            done = subprocess.run(self.line(name), cwd=folder, capture_output=True, timeout=120, **how)
            if done.returncode:
                return self.complain(f"{name}, {what}: {done.returncode}: {done.stderr.decode()[:200]}")
            if done.stdout != out:
                self.complain(f"{name}, {what}: another answer")
            for file, data in files.items():
                if file != "out.html" and (Path(folder) / file).read_bytes() != data:
                    self.complain(f"{name}, {what}: {file} has other bytes")

    def fails(self, what, line, expected, **how):
        """It ends with 1 or 2, and a sentence that has `expected` in it."""
        self.tried += 1
        with tempfile.TemporaryDirectory() as folder:
            self.lay(Path(folder))
            done = subprocess.run([self.pinion] + [word.replace("{models}", self.models) for word in line], cwd=folder,
                                  timeout=120, **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **how})
            said = (done.stderr or b"").decode(errors="replace")
            if done.returncode not in (1, 2) or expected not in said:
                self.complain(f"{what}: {done.returncode}, {said[:200]!r}")
            left = {p.name for p in Path(folder).iterdir()} - set(self.given)
            if left:
                self.complain(f"{what}: it left {sorted(left)}")

    def killed(self, name, call, number):
        """Killed at a write, the file is the old one or the new one; the same command then works. The status."""
        self.tried += 1
        _, files = self.usual(name)
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place)
            self.lay(folder, True, name)
            line = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", f"trace={call}", "-e",
                    f"inject={call}:signal=SIGKILL:when={number}"] + self.line(name)
            status = subprocess.run(line, cwd=folder, capture_output=True, timeout=120).returncode
            for file, data in files.items():
                now = (folder / file).read_bytes()
                if now != OLD.encode() and now != data and file != "out.html":
                    self.complain(f"{name}, killed at {call} {number}: {file} has {len(now)} bytes")
            again = subprocess.run(self.line(name), cwd=folder, capture_output=True, timeout=120)
            if again.returncode:
                self.complain(f"{name}, after it was killed at {call} {number}: {again.stderr.decode()[:200]}")
            for file, data in files.items():
                if file != "out.html" and (folder / file).read_bytes() != data:
                    self.complain(f"{name}, after it was killed at {call} {number}: {file} has other bytes")
            return status

    def together(self, name):
        """Several at once on one output: it is whole, as of one."""
        self.tried += 1
        _, files = self.usual(name)
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place)
            self.lay(folder)
            running = [subprocess.Popen(self.line(name), cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
                       for _ in range(4)]
            ends = [(p.communicate()[1], p.returncode) for p in running]
            if not any(status == 0 for _, status in ends):
                self.complain(f"{name}, four at once: none worked: {ends[0][0].decode()[:200]}")
            for said, status in ends:
                if status not in (0, 1, 2) or status and not said:
                    self.complain(f"{name}, four at once: {status} {said.decode()[:200]!r}")
            for file, data in files.items():
                if file != "out.html" and (folder / file).read_bytes() != data:
                    self.complain(f"{name}, four at once: {file} has other bytes")
            left = {p.name for p in folder.iterdir()} - set(self.given) - set(files)
            if left:
                self.complain(f"{name}, four at once: they left {sorted(left)}")


def without(*names, **others):
    environment = {k: v for k, v in os.environ.items() if k not in names}
    environment.update(others)
    return environment


def closed(*descriptors):
    return lambda: [os.close(d) for d in descriptors]


def odd_environments(p, clocks, locales):
    for name in ("eval", "csv", "h5", "page", "json", "sweep", "merge", "id"):
        p.same(name, "without HOME and TMPDIR", env=without("HOME", "TMPDIR", "XDG_CACHE_HOME"))
        p.same(name, "with folders that are not there", env=without(HOME="/nowhere", TMPDIR="/nowhere"))
        p.same(name, "with clocks that jump", env=without(LD_PRELOAD=clocks))
        if locales:
            p.same(name, "with a decimal comma", env=without("LC_NUMERIC", LC_ALL="de_DE.UTF-8", LOCPATH=locales))
        p.same(name, "with standard input closed", preexec_fn=closed(0))


def closed_and_full(p):
    with open("/dev/full", "wb") as full:
        p.fails("a full standard output", ["info", ARM], "cannot be written", stdout=full)
        p.fails("a full standard output, of JSON", ["eval", ARM, "--states", "states.json", "--what", "gravity"],
                "cannot be written", stdout=full)
    p.fails("standard output closed", ["info", ARM], "cannot be written", preexec_fn=closed(1))
    p.fails("a device as output", ["sim", ARM, "--duration", "0.01", "-o", "/dev/full.csv/x.csv"], "/dev/full.csv")
    p.fails("a folder that is not there", ["convert", ARM, "-o", "nowhere/out.json"], "nowhere/out.json")
    p.fails("a folder as output", ["convert", ARM, "-o", "/proc/out.json"], "/proc/out.json")
    p.fails("no errors can be said", ["info", "nobody.json"], "", preexec_fn=closed(1, 2), stderr=None)


def odd_names(p):
    """Names of files that are not UTF-8, or that look like something else."""
    for name in (b"\xff\xfe", b"a b'c\"d", b"-o", b"%s%n", b"line\nend", "\u00e9\u4e2d".encode()):
        p.tried += 1
        with tempfile.TemporaryDirectory() as place:
            folder = place.encode()
            model = folder + b"/" + name + b".json"
            shutil.copy(p.models + "/arm-7dof.json", model)
            result = folder + b"/" + name + b".csv"
            line = [p.pinion, "sim", model, "--duration", "0.01", "--quiet", "-o", result]
            done = subprocess.run(line, capture_output=True, timeout=60)
            if done.returncode or not os.path.exists(result):
                p.complain(f"a name {name!r}: {done.returncode} {done.stderr[:200]!r}")
            broken = subprocess.run([p.pinion, "info", folder + b"/no" + name], capture_output=True, timeout=60)
            if broken.returncode not in (1, 2) or broken.stderr.count(b"\n") != 1:
                p.complain(f"a name {name!r} that is not there: {broken.returncode} {broken.stderr[:200]!r}")


def kills(p, every):
    for name in ("json", "urdf", "csv", "h5", "page", "sweep", "merge", "generate"):
        for call in WRITES:
            number = 1
            while p.killed(name, call, number) == -signal.SIGKILL and number < every:
                number += 1


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("pinion")
    parser.add_argument("clocks")
    parser.add_argument("locales", nargs="?")
    parser.add_argument("--all", action="store_true", help="killed at every write, not at the first ones alone")
    options = parser.parse_args()
    models = str(Path(__file__).resolve().parents[2] / "models")
    pinion = str(Path(options.pinion).resolve())
    p = Place(pinion, models, make(pinion, models))
    odd_environments(p, str(Path(options.clocks).resolve()), options.locales)
    closed_and_full(p)
    odd_names(p)
    for name in ("json", "csv", "h5", "page", "sweep", "generate"):
        p.together(name)
    if shutil.which("strace"):
        kills(p, 10000 if options.all else 3)
    else:
        print("skipped: no strace, nothing is killed")
    print("\n".join(p.wrong))
    print(f"{p.tried} trials, {len(p.wrong)} wrong")
    return 1 if p.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
