"""Sweeps: runs by a closed form, the same numbers on any number of threads, and what is refused."""
import pickle

import numpy as np
import pinion as pn
import pytest

# a mass on a slide, pushed by 3 N for 2 s: x = 3 * 2^2 / (2 m)
SLIDE = {"pinion": 1, "name": "slide", "gravity": [0, 0, 0],
         "links": [{"name": "g"}, {"name": "car", "mass": 2, "inertia": {"xx": 1, "yy": 1, "zz": 1}}],
         "joints": [{"name": "x", "type": "prismatic", "parent": "g", "child": "car", "axis": [1, 0, 0]}]}


@pytest.fixture
def plan(tmp_path):
    import json
    (tmp_path / "slide.json").write_text(json.dumps(SLIDE))
    return {"model": str(tmp_path / "slide.json"), "run": {"duration": 2, "torque": [3], "integrator": "rk4"},
            "count": 60, "sampling": "sobol",
            "vary": [{"name": "m", "what": "mass", "of": "car", "normal": [2, 1]},
                     {"name": "how", "what": "integrator", "list": ["rk4", "euler"]}],
            "keep": [{"name": "x", "column": "q.x", "take": "final"}]}


def test_runs_are_right(plan):
    s = pn.Sweep(plan)
    assert s.count == 120 and s.parameters == {"m": "kg", "how": ""} and s.scalars == {"x": "m"}
    r = pn.sweep(s)
    rk4 = (r.parameters["how"] == "rk4") & r.complete
    np.testing.assert_allclose(r.scalars["x"][rk4], 6 / r.parameters["m"][rk4], rtol=1e-12)
    below = r.parameters["m"] < 0
    assert below.any() and (r.outcome[below] == 5).all() and set(r.why) == set(np.flatnonzero(below))
    assert np.isnan(r.scalars["x"][below]).all() and np.isnan(r.t_end[below]).all()
    one = int(np.flatnonzero(rk4)[3])
    assert s.run(one) == {"outcome": "complete", "t_end": 2.0, "why": "", "x": r.scalars["x"][one]}
    assert s.values(one) == {"m": r.parameters["m"][one], "how": "rk4"}


def test_threads_and_parts_change_nothing(plan):
    a, told = pn.sweep(plan, threads=1), []
    b = pn.sweep(pickle.loads(pickle.dumps(pn.Sweep(plan))), threads=5, progress=lambda *x: told.append(x))
    c = pn.sweep(plan, runs=range(40, 70))
    assert a.scalars["x"].tobytes() == b.scalars["x"].tobytes() and a.why == b.why
    assert a.scalars["x"][40:70].tobytes() == c.scalars["x"].tobytes() and list(c.runs) == list(range(40, 70))
    assert told[-1] == (120, 120) and "120 runs" in repr(b)


def test_a_sweep_ends_when_it_has_enough(plan):
    plan = {**plan, "vary": plan["vary"][:1], "count": 2000, "keep": plan["keep"]}
    every = pn.sweep(plan)
    r = pn.sweep({**plan, "stop": {"of": "failure", "within": 0.02, "every": 40}}, threads=3)
    assert 40 < len(r) < 2000 and list(r.runs) == list(range(len(r)))
    assert r.scalars["x"].tobytes() == every.scalars["x"][:len(r)].tobytes() and max(r.why) < len(r)
    z, p, n = 1.959963984540054, np.mean(r.outcome > 1), len(r)  # Wilson's interval
    assert z * np.sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n) <= 0.02
    assert len(pn.sweep({**plan, "stop": {"of": "x", "within": 1e-9}})) == 2000


def test_functions_of_a_run(plan):
    seen = []
    functions = {"p": lambda run: run.parameters["m"] * run.columns["v.x"][-1] if run.outcome == 0 else np.nan,
                 "rows": lambda run: seen.append(run.run) or len(run.columns["t"])}
    a, b = pn.sweep(plan, functions=functions), pn.sweep(plan)
    assert list(a.scalars) == ["x", "p", "rows"] and sorted(seen) == list(range(120))
    assert a.scalars["x"].tobytes() == b.scalars["x"].tobytes() and a.why == b.why
    well = a.outcome == 0
    np.testing.assert_allclose(a.scalars["p"][well], 6, rtol=1e-9)  # 3 N for 2 s
    assert (a.scalars["rows"] == np.where(well, 101, 0)).all()
    for wrong in ({"x": len}, {"new": 3}):
        with pytest.raises(pn.Error, match="functions"):
            pn.sweep(plan, functions=wrong)


def test_mistakes_are_named(plan, tmp_path):
    for change, words in (({"count": 0}, "count"), ({"model": "none.json"}, "none.json"),
                          ({"vary": [{"name": "m", "what": "mass", "of": "cart", "list": [1]}]}, "cart"),
                          ({"runn": {}}, "runn")):
        with pytest.raises(pn.Error, match=words):
            pn.Sweep({**plan, **change})
    s = pn.Sweep(plan)
    for call in (lambda: s.run(120), lambda: s.run(-1), lambda: s.values(1.5), lambda: pn.sweep(s, runs=range(0, 121)),
                 lambda: pn.sweep(s, threads=0), lambda: pn.Sweep({"model": object()})):
        with pytest.raises(pn.Error):
            call()
    with pytest.raises(OSError):
        pn.Sweep(tmp_path / "none.json")
