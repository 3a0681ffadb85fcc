#!/usr/bin/env python3
"""The command in odd surroundings: what it writes is as anywhere else, or it says why it is not there.

    tests/faults/surroundings.py PINION CLOCKS [LOCALES]

CLOCKS is a library to be preloaded, whose clocks jump. LOCALES is a folder with a locale that has a decimal comma.
"""

import argparse
import os
import resource
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
    little = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (2048, 2048))
    p.fails("no file may be larger than 2 kB", ["sim", ARM, "--duration", "0.1", "--quiet", "-o", "out.h5"],
            "out.h5: cannot be written: File too large", preexec_fn=little)
    p.fails("no errors can be said", ["info", "nobody.json"], "", preexec_fn=closed(1, 2), stderr=None)


def small_files(p):
    """No file may be so large as the result of a sweep: that is told, and what was computed stays for later."""
    for name in ("sweep", "merge"):
        for size in range(4096, 24000, 4096):
            p.tried += 1
            with tempfile.TemporaryDirectory() as place:
                p.lay(Path(place))
                done = subprocess.run(p.line(name), cwd=place, capture_output=True, timeout=60,
                                      preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size)))
                if done.returncode != 1 or b"File too large" not in done.stderr:
                    p.complain(f"{name}, no file above {size} bytes: {done.returncode} {done.stderr[:200]!r}")
                if (Path(place) / "out.h5").exists():
                    p.complain(f"{name}, no file above {size} bytes: it left a result")
                again = subprocess.run(p.line(name), cwd=place, capture_output=True, timeout=60)
                if again.returncode or (Path(place) / "out.h5").read_bytes() != p.usual(name)[1]["out.h5"]:
                    p.complain(f"{name}, after no file could have more than {size} bytes: {again.stderr[:200]!r}")


def odd_names(p):
    """Names of files that are not UTF-8, or that look like something else."""
    for name in (b"\xff\xfe", b"a b'c\"d", b"-o", b"%s%n", b"line\nend", "\u00e9\u4e2d".encode(),
                 b"x" * 250):
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


def pipes(p):
    """What is read once may come from a pipe with a name. It is to be opened once: the second time waits for ever."""
    def read(name, line, data, status=0):
        p.tried += 1
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place)
            p.lay(folder)
            os.mkfifo(folder / name)
            writer = subprocess.Popen(["cp", "/dev/stdin", name], cwd=folder, stdin=subprocess.PIPE,
                                      stderr=subprocess.DEVNULL)
            line = [p.pinion] + [word.replace("{models}", p.models) for word in line]
            reader = subprocess.Popen(line, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            try:
                writer.stdin.write(data)
                writer.stdin.close()
                said = reader.communicate(timeout=30)[1]
                if reader.returncode != status or status and not said:
                    p.complain(f"{line[1]} of a pipe: {reader.returncode} {said[:200]!r}")
            except subprocess.TimeoutExpired:
                p.complain(f"{line[1]} of a pipe: it did not end in 30 s")
                reader.kill()
                reader.wait()
            writer.kill()
            writer.wait()

    arm = Path(p.models, "arm-7dof.json").read_bytes()
    read("pipe.json", ["info", "pipe.json"], arm)
    read("pipe.json", ["eval", ARM, "--states", "pipe.json", "--what", "gravity"], p.given["states.json"])
    read("pipe.csv", ["id", "{models}/cart-pole.json", "--trajectory", "pipe.csv"], p.given["motion.csv"])
    read("pipe.json", ["sweep", "pipe.json", "--quiet", "-o", "out.h5"], p.given["plan.json"])
    read("pipe.h5", ["report", "pipe.h5", "-o", "out.html"], p.given["run.h5"], 1)
    read("pipe.h5", ["sim", "--resume", "pipe.h5"], p.given["run.h5"], 1)
    read("pipe.part", ["merge", "pipe.part", "2.part", "-o", "out.h5"], p.given["1.part"], 1)


def links(p):
    """Behind a link it is the file that is written, there or not; the link stays, and a device is not replaced."""
    for name in ("json", "csv", "h5", "sweep", "shard", "merge"):
        out = p.outputs(name)[0]
        usual = p.usual(name)[1][out]
        for target in ("old", "none", "/dev/full"):
            p.tried += 1
            with tempfile.TemporaryDirectory() as place:
                folder = Path(place)
                p.lay(folder)
                (folder / "far").mkdir()
                (folder / "far" / "old").write_text(OLD)
                (folder / out).symlink_to(target if target[0] == "/" else "far/" + target)
                done = subprocess.run(p.line(name), cwd=folder, capture_output=True, timeout=60)
                fine = done.returncode == 1 and done.stderr if target == "/dev/full" else \
                    done.returncode == 0 and (folder / out).exists() and (folder / out).read_bytes() == usual
                if not fine or not (folder / out).is_symlink():
                    p.complain(f"{name} to a link to {target}: {done.returncode} {done.stderr[:200]!r}")
                if len(list((folder / "far").iterdir())) != (2 if target == "none" else 1):
                    p.complain(f"{name} to a link to {target}: it left something there")


def kills(p, every):
    for name in ("json", "urdf", "csv", "h5", "page", "sweep", "merge", "generate"):
        for call in WRITES:
            number = 1
            while p.killed(name, call, number) == -signal.SIGKILL and number < every:
                number += 1


def signals(p):
    """A signal as soon as there is a temporary folder, or one in it, where the first program does not start."""
    starts = "clone,clone3,fork,vfork"
    for number in (1, 2):
        p.tried += 1
        with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as temporary:
            line = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", f"trace=mkdir,{starts}", "-e",
                    f"inject=mkdir:signal=SIGTERM:when={number}", "-e", f"inject={starts}:error=EAGAIN:when=1"]
            done = subprocess.run(line + p.line("codegen") + ["--check"], cwd=folder, capture_output=True, timeout=120,
                                  env=without(TMPDIR=temporary))
            if done.returncode != -signal.SIGTERM:
                p.complain(f"codegen --check, a signal at folder {number}: {done.returncode} {done.stderr[:200]!r}")
            if os.listdir(temporary):
                p.complain(f"codegen --check, a signal at folder {number}: it left {os.listdir(temporary)}")


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
    small_files(p)
    odd_names(p)
    pipes(p)
    links(p)
    for name in ("json", "csv", "h5", "page", "sweep", "generate"):
        p.together(name)
    if shutil.which("strace"):
        kills(p, 10000 if options.all else 3)
        signals(p)
    else:
        print("skipped: no strace, nothing is killed")
    print("\n".join(p.wrong))
    print(f"{p.tried} trials, {len(p.wrong)} wrong")
    return 1 if p.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
