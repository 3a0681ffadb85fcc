"""From Python: the wheel and Pinocchio's bindings in one environment, measured by bench/peers/python.py."""
import glob
import json
import os

from harness.install import Missing, last_line, run

# the largest wanted: our call over Pinocchio's, ns more than C with out= and without; and the least of how many times
# faster a state of a batch is than one of a loop over Pinocchio
TARGET = {"ratio": 0.25, "out": 80, "call": 130, "faster": 50}
ROBOTS = ("ur5", "panda", "simple-humanoid")


def measure(get, root, folder, robots, rounds, seconds):
    """(rows, missing entries)."""
    wanted = [robot for robot in robots if robot.name in ROBOTS]
    if not wanted:
        return [], []
    try:
        get.from_pypi("pin", "cmeel.prefix/lib/python*/site-packages/pinocchio/__init__.py")
        good, text = run(["sh", os.path.join(root, "tools", "wheel")], 1200)
        wheels = glob.glob(os.path.join(root, "build", "wheel", "*.whl"))
        if not good or not wheels:
            raise Missing("tools/wheel: " + last_line(text))
        python = os.path.join(folder, "venv", "bin", "python")
        good, text = run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--force-reinstall",
                          "--no-deps", wheels[0]], 300)
        if not good:
            raise Missing("pip install of the wheel: " + last_line(text))
        print("measuring from Python", flush=True)
        good, text = run([python, os.path.join(root, "bench", "peers", "python.py"), str(rounds), str(max(seconds,
                                                                                                          0.01))] +
                         ["%s=%s:%s" % (robot.name, robot.path, robot.base) for robot in wanted], 900)
        if not good:
            raise Missing(last_line(text))
    except Missing as why:
        return [], [{"library": "python", "why": str(why)}]
    result = json.loads(text.splitlines()[-1])
    missing = [{"library": "python", "robot": name, "why": "a model that was taken over differs by %.1e" % off}
               for name, off in result["wrong"].items()]
    missing += [{"library": "python", "robot": row["robot"],
                 "why": row["why"]} for row in result["rows"] if "why" in row]
    return [dict(row, version=result["version"]) for row in result["rows"] if "why" not in row], missing


def lines(rows):
    """For the report."""
    def mark(value, target):
        return "%s (%g)" % ("+" if value <= target else "-", target)
    made = []
    for row in rows:
        more, new = row["out_ns"] - row["c_ns"], row["call_ns"] - row["c_ns"]
        made += ["From Python, %s: inverse dynamics with out= %.0f ns, pin.rnea %.0f ns: ratio %.3f %s" %
                 (row["robot"], row["out_ns"], row["pinocchio_ns"], row["ratio"], mark(row["ratio"], TARGET["ratio"])),
                 "  with code of its own (m.compile): %.0f ns, ratio %.3f %s" %
                 (row["compiled_ns"], row["compiled_ratio"], mark(row["compiled_ratio"], TARGET["ratio"]))
                 if "compiled_ns" in row else "  without code of its own: nothing could be compiled",
                 "  over C %.0f ns with out= %s, %.0f without %s" %
                 (more, mark(more, TARGET["out"]), new, mark(new, TARGET["call"])),
                 "  a batch of 4096 on %d threads: %.1f ns a state; a loop of pin.rnea %.0f, %.0f times more %s (%d)" %
                 (row["threads"], row["batch_ns"], row["loop_ns"], row["faster"],
                  "+" if row["faster"] >= TARGET["faster"] else "-", TARGET["faster"])]
    return made


def table(rows):
    """For the README."""
    made = ["| from Python | `pin.rnea` | one call with `out=` | the same, compiled | over C with `out=`, without | "
            "a state of 4096 | over a loop of `pin.rnea` |", "| --- | --- | --- | --- | --- | --- | --- |"]
    for row in rows:
        made.append("| %s | %.0f ns | %.0f ns (%.2f) | %s | %.0f ns, %.0f ns | %.1f ns | %.0f times faster |" %
                    (row["robot"], row["pinocchio_ns"], row["out_ns"], row["ratio"],
                     "%.0f ns (%.2f)" % (row["compiled_ns"], row["compiled_ratio"]) if "compiled_ns" in row else "–",
                     row["out_ns"] - row["c_ns"],
                     row["call_ns"] - row["c_ns"], row["batch_ns"], row["faster"]))
    return "\n".join(made) + "\n"
