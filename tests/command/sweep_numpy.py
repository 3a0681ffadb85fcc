#!/usr/bin/env python3
"""The statistics in a sweep's file, and its numbers, against numpy's: sweep_numpy.py PINION MODELS"""
import os
import subprocess
import sys
import tempfile

SYSTEM = "/usr/bin/python3"  # for which tools/setup installs them

try:
    import h5py
    import numpy as np
except ImportError:
    if os.path.exists(SYSTEM) and not os.path.samefile(SYSTEM, sys.executable):
        os.execv(SYSTEM, [SYSTEM, *sys.argv])
    print("skipped: there is no numpy or no h5py")
    sys.exit(77)

PLAN = """{"model": "%s/planar-3r.json", "count": 500, "indices": true, "seed": 4,
 "run": {"command": "eval", "what": ["energy", "momentum"]},
 "vary": [{"name": "w/x", "what": "v0", "of": "joint1", "uniform": [0, 1]},
          {"name": "u", "what": "v0", "of": "joint2", "normal": [0, 1]},
          {"name": "m", "what": "mass", "of": "link3", "uniform": [-0.1, 9]}],
 "keep": [{"name": "T", "column": "energy.kinetic"}, {"name": "p", "column": "momentum.*", "take": "peak"}]}
"""


def ranks(x):
    """Places in order; those of equal values are their mean."""
    _, inverse, counts = np.unique(x, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    return ((ends - counts) + (ends - 1))[inverse] / 2


def check_summary(group, y, probabilities):
    expected = {"count": len(y), "mean": y.mean(), "deviation": y.std(ddof=1), "error": y.std(ddof=1) / len(y) ** 0.5,
                "minimum": y.min(), "maximum": y.max()}
    for key, value in expected.items():
        np.testing.assert_allclose(group.attrs[key], value, rtol=1e-12, atol=1e-300, err_msg=key)
    np.testing.assert_allclose(group["quantiles"][:], np.quantile(y, probabilities), rtol=1e-12)
    np.testing.assert_array_equal(group["histogram"][:], np.histogram(y, 64, (y.min(), y.max()))[0])


def check_indices(group, runs, counts):
    """Saltelli's and Jansen's estimators, and the standard errors of ratios of means."""
    f = runs[counts.all(axis=1)]
    a, b, n = f[:, 0], f[:, 1], len(f)
    assert group.attrs["groups"] == n
    middle = (a.mean() + b.mean()) / 2
    v = ((a - middle) ** 2 + (b - middle) ** 2) / 2
    for i in range(f.shape[1] - 2):
        for key, u in (("first", (b - middle) * (f[:, 2 + i] - a)), ("total", (a - f[:, 2 + i]) ** 2 / 2)):
            ratio = u.mean() / v.mean()
            error = np.sqrt(np.sum((u - ratio * v) ** 2) / (n - 1) / n) / v.mean()
            np.testing.assert_allclose(group[key][i], ratio, rtol=1e-9, atol=1e-12)
            np.testing.assert_allclose(group[key + "_error"][i], error, rtol=1e-9, atol=1e-12)


def main(pinion, models):
    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/plan.json", "w", encoding="utf-8") as file:
            file.write(PLAN % models)
        subprocess.run([pinion, "sweep", f"{folder}/plan.json", "-o", f"{folder}/r.h5", "--quiet"], check=True)
        with h5py.File(f"{folder}/r.h5") as file:
            s, well = file["statistics"], file["outcome"][:] <= 1
            parameters = sorted(file["parameters"].values(), key=lambda d: d.attrs["index"])
            failed, n, z = np.count_nonzero(~well), len(well), 1.959963984540054
            assert 0 < failed < n and s.attrs["failed"] == failed
            middle, half = failed + z * z / 2, z * np.sqrt(failed * (1 - failed / n) + z * z / 4)
            np.testing.assert_allclose([s.attrs["failure_low"], s.attrs["failure_high"]],
                                       np.array([middle - half, middle + half]) / (n + z * z), rtol=1e-9)
            for data in parameters:
                check_summary(s["parameters"][data.name.split("/")[-1]], data[:], s["probabilities"][:])
            for name, group in s["scalars"].items():
                x = file["scalars"][name][:]
                in_all = well & np.isfinite(x)
                check_summary(group, x[in_all], s["probabilities"][:])
                expected = [np.corrcoef(ranks(p[:][in_all]), ranks(x[in_all]))[0, 1] for p in parameters]
                np.testing.assert_allclose(group["correlations"][:], expected, rtol=1e-9, atol=1e-12)
                size = len(s["sampled"]) + 2
                check_indices(group["indices"], x.reshape(-1, size), in_all.reshape(-1, size))
    print("1 passed, 0 failed")


main(*sys.argv[1:])
