"""The measurement: all programs of a robot run side by side and wait; one at a time is asked to check or to time."""
import os
import re
import select
import statistics
import subprocess
import tempfile
import time

WORKS = ("inverse_dynamics", "mass_matrix", "forward_dynamics", "kinematics", "jacobian", "d_inverse_dynamics",
         "d_forward_dynamics", "regressor", "d_constrained_dynamics")
TOLERANCE = {"f64": 1e-8, "f32": 1e-4} # of the largest number of each result
DIFFERENCES = 1e-4 # the same, for functions that differentiate by finite differences of 1e-6
PLACES = 3 # how often the programs start again, with their code in other pages of memory
PATIENCE = 300 # seconds for one answer
START = 1200 # seconds until a program is ready: ours compiles generated code first, when it is new


class Broken(Exception):
    """Why a program cannot go on."""


class Variant:
    def __init__(self, line):
        index, self.work, self.mode, self.scalar, threads, batch, self.function = line.split(None, 6)
        self.index, self.threads, self.batch = int(index), int(threads), int(batch)
        self.error, self.times = None, []

    def key(self):
        return self.work, self.mode, self.scalar, self.threads


class Process:
    """A running program and what it offers."""

    def __init__(self, program, robot):
        self.program, self.variants, self.absent, self.version = program, [], [], "unknown"
        self.isa = None # the vector registers of batches
        self.log = tempfile.TemporaryFile(mode="w+")
        self.process = subprocess.Popen([program.path, robot.description, robot.states], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=self.log)
        self.pending = b""
        while True:
            word, _, rest = self.line(START).partition(" ")
            if word == "library":
                self.version = rest.split(" ", 1)[1]
            elif word == "variant":
                self.variants.append(Variant(rest))
            elif word == "absent":
                self.absent.append(tuple(rest.split(" ", 1)))
            elif word == "isa":
                self.isa = rest
            elif word == "ready":
                break

    def line(self, patience=PATIENCE):
        deadline = time.monotonic() + patience
        while b"\n" not in self.pending:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.process.stdout], [], [], left)[0]:
                self.stop()
                raise Broken("no answer within %d s" % patience)
            data = os.read(self.process.stdout.fileno(), 65536)
            if not data:
                raise Broken(self.last_words())
            self.pending += data
        line, _, self.pending = self.pending.partition(b"\n")
        return line.decode(errors="replace").strip()

    def last_words(self):
        code = self.process.wait()
        self.log.seek(0)
        lines = [line.strip() for line in self.log.read().splitlines() if line.strip()]
        return " ".join(lines[-3:]) if lines else "it ended with status %d" % code

    def ask(self, request, answer):
        try:
            self.process.stdin.write(request.encode() + b"\n")
            self.process.stdin.flush()
        except OSError:
            raise Broken(self.last_words()) from None
        while True:
            word, _, rest = self.line().partition(" ")
            if word == answer:
                return float(rest)
            if word == "unknown":
                raise Broken("it did not understand: " + request)

    def check(self, variant):
        variant.error = self.ask("check %d" % variant.index, "error")

    def time(self, variant, seconds):
        variant.times.append(self.ask("time %d %g" % (variant.index, seconds), "ns"))
        if variant.threads > 1:
            time.sleep(0.01) # threads that wait for more work keep a core busy for a while

    def code(self):
        """The files that its code is in."""
        try:
            with open("/proc/%d/maps" % self.process.pid) as maps:
                return {line.split(None, 5)[5].strip() for line in maps if " r-xp " in line and "/" in line}
        except (OSError, IndexError):
            return set()

    def stop(self):
        try:
            self.process.stdin.close()
        except OSError:
            pass
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()
        self.log.close()


def start(robot, programs, before, notes):
    """Their processes. What was checked before is not checked again, and goes on with the times that it has."""
    processes = []
    for program in programs:
        try:
            process = Process(program, robot)
        except Broken as why:
            notes.append((program.library, None, str(why)))
            continue
        processes.append(process)
        if program in before:
            process.variants = before[program].variants
            continue
        notes += [(program.library, work, why) for work, why in process.absent]
        try:
            check(process, notes)
        except Broken as why:
            notes.append((program.library, None, str(why)))
            processes.remove(process)
    return processes


def forget(files):
    """Lets the system drop what it holds of these files, as far as no one else uses them: the next process that needs
    them gets other pages of memory."""
    for path in files:
        try:
            file = os.open(path, os.O_RDONLY)
        except OSError:
            continue
        try:
            os.fsync(file) # what is not on the disk yet stays
            os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
        except OSError:
            pass
        os.close(file)


def measure(robot, programs, rounds, seconds):
    """Checks and times every variant of every program. Returns the rows and notes (library, work or None, why)."""
    notes, before = [], {}
    for place in range(PLACES):
        processes = start(robot, programs, before, notes)
        # forth and back through the programs, so that a machine that slows down is fair to all
        for number in range(rounds * place // PLACES, rounds * (place + 1) // PLACES):
            for work in WORKS:
                for process in processes[::-1] if number % 2 else list(processes):
                    try:
                        for variant in process.variants:
                            if variant.work == work:
                                process.time(variant, seconds)
                    except Broken as why:
                        notes.append((process.program.library, work, str(why)))
                        processes.remove(process)
        before = {process.program: process for process in processes}
        programs = list(before)
        files = {file for process in processes for file in process.code()}
        for process in processes:
            process.stop()
        forget(files)
    rows = [row(robot, process, variant) for process in before.values() for variant in process.variants]
    return rows, notes


def optimize(robot, programs, rounds):
    """Milliseconds an iteration of examples/ilqr.c, and of its steps with their derivatives, on each program's dynamics;
    the median of the rounds."""
    made = []
    for program in programs:
        times = []
        for _ in range(rounds):
            done = subprocess.run([program.path, robot.description, robot.states, robot.path, robot.base],
                                  capture_output=True, text=True, timeout=PATIENCE)
            found = re.search(r"(\d+) iterations, (\S+) ms an iteration\n(\S+) ms for steps", done.stdout)
            if done.returncode or not found:
                break
            count = int(found.group(1))
            times.append((float(found.group(2)), float(found.group(3)) / count, count))
        if len(times) == rounds:
            made.append({"robot": robot.name, "library": "pinion" if program.library == "ilqr" else program.library,
                         "compiler": program.compiler, "iterations": times[0][2],
                         "ms": statistics.median(x[0] for x in times),
                         "derivatives_ms": statistics.median(x[1] for x in times)})
    return made


def check(process, notes):
    """What disagrees is named and not timed."""
    agreeing = []
    for variant in process.variants:
        process.check(variant)
        limit = DIFFERENCES if variant.function.endswith("FD") else TOLERANCE[variant.scalar]
        if variant.error <= limit:
            agreeing.append(variant)
        else:
            notes.append((process.program.library, variant.work, "disagrees: %s %s, relative error %.2g" %
                          (variant.function, variant.scalar, variant.error)))
    process.variants = agreeing


def spread(values):
    """The interquartile range over the median."""
    if len(values) < 2:
        return 0.0
    low, _, high = statistics.quantiles(values, n=4, method="inclusive")
    return (high - low) / statistics.median(values)


def row(robot, process, variant):
    made = {"robot": robot.name, "nv": robot.nv, "work": variant.work, "library": process.program.library,
            "version": process.version, "mode": variant.mode, "scalar": variant.scalar, "threads": variant.threads,
            "ns": statistics.median(variant.times), "spread": spread(variant.times),
            "function": variant.function, "compiler": process.program.compiler, "error": variant.error,
            "rounds": variant.times}
    if variant.batch:
        made["batch"] = variant.batch
        made["isa"] = process.isa
    return made


def best(rows):
    """Of every library's compilers and functions for the same thing, the fastest."""
    chosen = {}
    for candidate in rows:
        key = tuple(candidate[name] for name in ("robot", "work", "library", "mode", "scalar", "threads"))
        if key not in chosen or candidate["ns"] < chosen[key]["ns"]:
            chosen[key] = candidate
    return list(chosen.values())
