"""Sweeps: one simulation many times with other numbers."""
import concurrent.futures
import os
import time

import numpy as np

from . import _pinion
from ._arguments import _json
from ._model import Error

_OUTCOMES = ("complete", "stopped", "failed", "limited", "not finite", "no start")
_BLOCK = 0.05  # s that a block of runs is to take: nobody waits longer for Ctrl-C


class Sweep:
    """A plan: a model, a run, what varies and what is kept (docs/sweeps.md). A path, or a dictionary with the same keys,
    whose paths are relative to the current folder.

        s = pn.Sweep("plan.json")
        s.count, s.parameters, s.scalars     # how many runs; {name: unit} of what varies and of what is kept
        s.values(17)                         # the parameters of run 17
        s.run(17)                            # {"outcome": "complete", "t_end": 2.0, "why": "", "peak": 31.4, ...}

    A run's numbers depend on the plan and its index alone. It pickles, so that other processes can make runs of it.
    """

    def __init__(self, plan):
        if isinstance(plan, dict):
            text, name, folder = _json("<plan>", plan), "<plan>", None
        else:
            name = os.fspath(plan)
            with open(name, encoding="utf-8") as file:
                text = file.read()
            folder = os.path.dirname(os.path.abspath(name))
        self._set(text, name, folder)

    def _set(self, text, name, folder):
        self._made, self._of = _pinion.sweep_plan(text, name, folder), (text, name, folder)
        self.count, parameters, scalars = self._made.about()
        self.parameters = {name: unit for name, unit, _ in parameters}
        self.scalars = {name: unit for name, unit, _ in scalars}
        self._words = {name: words for name, _, words in parameters if words is not None}

    def __reduce__(self):
        return _again, self._of

    def __repr__(self):
        return f"<pinion.Sweep of {self.count} runs: {', '.join(self.parameters)}>"

    def values(self, run):
        """The parameters of one run, by name; words where the plan has words."""
        row = self._made.parameters(_whole(run, self.count), 1)[0]
        return {name: self._words[name][int(x)] if name in self._words else float(x)
                for name, x in zip(self.parameters, row)}

    def run(self, run):
        """Makes one run: its outcome in a word, how far it got (s), why it is not complete, and the scalars by name."""
        outcome, t_end, scalars, why = self._made.worker().run(_whole(run, self.count), 1)
        return {"outcome": _OUTCOMES[outcome[0]], "t_end": float(t_end[0]), "why": why[0].decode(errors="replace"),
                **{name: float(x) for name, x in zip(self.scalars, scalars[0])}}


def _again(text, name, folder):
    s = Sweep.__new__(Sweep)
    s._set(text, name, folder)
    return s


def _whole(run, count):
    if not isinstance(run, (int, np.integer)) or not 0 <= run < count:
        raise Error(f"run: {run!r}; expected a whole number from 0 to {count - 1}")
    return int(run)


class SweepResult:
    """What all runs of a sweep gave, in arrays by run.

    runs: their numbers. parameters, scalars: {name: array}; words of the plan are strings. outcome: 0 complete, 1 stopped
    by an event, 2 failed, 3 ended by a limit, 4 not finite, 5 could not start. t_end: s. why: {run: text} of those that
    are not complete.
    """

    def __init__(self, sweep, runs, parameters, scalars, outcome, t_end, why):
        self.sweep, self.runs, self.parameters, self.scalars = sweep, runs, parameters, scalars
        self.outcome, self.t_end, self.why = outcome, t_end, why

    def __len__(self):
        return len(self.runs)

    def __repr__(self):
        complete = int(np.count_nonzero(self.outcome == 0))
        return f"<pinion.SweepResult of {len(self)} runs: {complete} complete>"

    @property
    def complete(self):
        """A mask of the runs that are complete, or were stopped by an event."""
        return self.outcome <= 1

    def to_pandas(self):
        """A table with a row a run."""
        import pandas
        return pandas.DataFrame({**self.parameters, **self.scalars, "outcome": [_OUTCOMES[k] for k in self.outcome],
                                 "t_end": self.t_end}, index=pandas.Index(self.runs, name="run"))


class SweepRun:
    """One run, for functions of it: run, its number; outcome as of SweepResult; t_end (s); parameters {name: value};
    columns {name: array} of its rows, empty where it did not start."""

    def __init__(self, run, outcome, t_end, parameters, columns):
        self.run, self.outcome, self.t_end, self.parameters, self.columns = run, outcome, t_end, parameters, columns


class _Caller:
    """A worker whose runs are given to functions, whose numbers stand behind the scalars of the plan."""

    def __init__(self, s, functions):
        self.s, self.worker, self.functions, self.names = s, s._made.worker(), functions, s._made.columns()

    def run(self, first, count):
        made = [self._one(run) for run in range(first, first + count)]
        outcome, t_end, scalars, why = zip(*made)
        return np.array(outcome, np.uint8), np.array(t_end), np.array(scalars).reshape(count, -1), why

    def _one(self, run):
        outcome, t_end, scalars, why, rows = self.worker.rows(run)
        view = SweepRun(run, outcome, t_end, self.s.values(run), dict(zip(self.names, rows.T)))
        return outcome, t_end, [*scalars, *(float(f(view)) for f in self.functions)], why


def _blocks(s, chosen, threads, functions=()):
    """Blocks of runs as they are done: (first, what a worker gave). Each thread has a worker of its own."""
    if functions:
        return _made_blocks(lambda: _Caller(s, functions), chosen, threads)
    return _made_blocks(s._made.worker, chosen, threads)


def _made_blocks(new_worker, chosen, threads):
    workers = [new_worker() for _ in range(min(threads, max(len(chosen), 1)))]
    size, at = 1, chosen.start

    def make(worker, first, count):
        began = time.perf_counter()
        return worker, first, worker.run(first, count), (time.perf_counter() - began) / count

    with concurrent.futures.ThreadPoolExecutor(len(workers)) as pool:
        going = set()
        while going or at < chosen.stop:
            while workers and at < chosen.stop:
                count = min(size, chosen.stop - at)
                going.add(pool.submit(make, workers.pop(), at, count))
                at += count
            done, going = concurrent.futures.wait(going, return_when=concurrent.futures.FIRST_COMPLETED)
            for future in done:
                worker, first, block, seconds = future.result()
                workers.append(worker)
                size = int(min(max(_BLOCK / max(seconds, 1e-9), 1), 10000))
                yield first, block


def sweep(plan, runs=None, threads=None, progress=None, functions=None):
    """Makes the runs of a plan on the threads of this machine; the numbers do not depend on how many there are.

        r = pn.sweep("plan.json")
        r.parameters["load"], r.scalars["peak"], r.outcome

    plan: a Sweep, a path, or a dictionary. runs: a range of them (all). threads: one a processor. progress: a function of
    how many runs are done and how many there are, called from time to time. `pinion sweep` keeps what is done in a file
    and goes on after a crash; this keeps all in memory. A plan with "stop" has no more runs than are enough, unless
    `runs` says which. functions: {name: function of a SweepRun}: more numbers of each run, in r.scalars; they are called
    from several threads.

        pn.sweep(plan, functions={"way": lambda run: np.abs(np.diff(run.columns["q.elbow"])).sum()})
    """
    s = plan if isinstance(plan, Sweep) else Sweep(plan)
    chosen = range(s.count) if runs is None else runs
    if not isinstance(chosen, range) or chosen.step != 1 or chosen.start < 0 or chosen.stop > s.count:
        raise Error(f"runs: {runs!r}; expected a range within 0 to {s.count} with steps of 1")
    if threads is not None and (not isinstance(threads, int) or threads < 1):
        raise Error(f"threads: {threads!r}; expected a whole number of at least 1")
    functions = dict(functions or {})
    if set(functions) & {*s.scalars, *s.parameters} or not all(callable(f) for f in functions.values()):
        raise Error("functions: expected functions by names that the plan does not have")
    names = [*s.scalars, *functions]
    n = len(chosen)
    outcome, t_end = np.empty(n, np.uint8), np.empty(n)
    scalars, why = np.empty((n, len(names))), {}
    done = 0
    while done < n:
        # up to the next look, after which there may be enough
        part = chosen if runs is not None else range(done, s._made.next_look(done))
        for first, block in _blocks(s, part, threads or os.cpu_count() or 1, list(functions.values())):
            at = slice(first - chosen.start, first - chosen.start + len(block[0]))
            outcome[at], t_end[at], scalars[at] = block[:3]
            why.update((first + int(i), block[3][i].decode(errors="replace")) for i in np.flatnonzero(block[0]))
            done += len(block[0])
            if progress is not None:
                progress(done, n)
        if runs is None and s._made.enough(done, outcome, np.ascontiguousarray(scalars[:, :len(s.scalars)])):
            chosen, n = range(done), done
            outcome, t_end, scalars = outcome[:n].copy(), t_end[:n].copy(), scalars[:n].copy()
    values = s._made.parameters(chosen.start, n)
    parameters = {name: np.array(s._words[name])[values[:, k].astype(int)] if name in s._words else values[:, k].copy()
                  for k, name in enumerate(s.parameters)}
    return SweepResult(s, np.arange(chosen.start, chosen.stop), parameters,
                       {name: scalars[:, k].copy() for k, name in enumerate(names)}, outcome, t_end,
                       dict(sorted(why.items())))
