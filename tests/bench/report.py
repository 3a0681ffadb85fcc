"""What bench/harness makes of measured times, on times made up for it: report.py SOURCE"""
import json
import os
import sys

sys.path.insert(0, os.path.join(sys.argv[1], "bench"))

from harness import measure, report  # noqa: E402

failures = []


def expect(name, value, wanted):
    if value != wanted:
        failures.append("%s is %r, not %r" % (name, value, wanted))


def row(robot, library, times, mode="call", scalar="f64", threads=1, work="inverse_dynamics"):
    return {"robot": robot, "nv": 6, "work": work, "library": library, "version": "1", "mode": mode,
            "scalar": scalar, "threads": threads, "ns": measure.statistics.median(times),
            "spread": measure.spread(times), "rounds": times}


rows = measure.best([
    row("arm", "a", [120, 100, 110]), row("arm", "a", [90, 95, 300]), row("arm", "b", [99, 98, 97]),
    row("arm", "pinion", [45, 38, 60]), row("arm", "pinion", [9, 10, 30], "batch"),
    row("arm", "pinion", [4.5, 5, 15], "batch", threads=2), row("arm", "pinion", [10, 10, 10], "batch", "f32"),
    row("arm", "pinion", [4.5, 9.5, 3], "batch-packs"), row("arm", "pinion", [9, 3.8, 3], "generated-packs"),
    row("arm", "pinion", [18, 19, 60], "generated"), row("arm", "pinion", [9, 19, 3], "generated-batch"),
    row("arm", "pinion", [2, 2, 2], "generated-batch", "f32"),
    row("chain-30", "pinion", [300]), row("chain-300", "pinion", [3300])])

# the faster of a library's two ways counts, and of the libraries the fastest
expect("kept of a", [r["ns"] for r in rows if r["library"] == "a"], [95])
expect("fastest", report.fastest_peer(rows, "arm", "inverse_dynamics")["library"], "a")

# round by round: 45/90, 38/95, 60/300
made = {(r["mode"], r["scalar"]): r for r in report.ratios(rows)}
expect("ratio of the call", round(made["call", "f64"]["ratio"], 12), 0.4)
expect("call", made["call", "f64"]["met"], True)
expect("ratio of the batch", round(made["batch", "f64"]["ratio"], 12), 0.1)
expect("batch", made["batch", "f64"]["met"], True)
expect("ratio of packs", round(made["batch-packs", "f64"]["ratio"], 12), 0.05)
expect("packs", made["batch-packs", "f64"]["met"], True)
expect("generated packs", made["generated-packs", "f64"]["met"], True)
expect("f32 batch", made["batch", "f32"]["met"], False)
expect("ratio of the generated call", round(made["generated", "f64"]["ratio"], 12), 0.2)
expect("generated call", made["generated", "f64"]["met"], True)
expect("ratio of the generated batch", round(made["generated-batch", "f64"]["ratio"], 12), 0.1)
expect("generated batch", made["generated-batch", "f64"]["met"], False)
expect("a robot without a peer", [r for r in report.ratios(rows) if r["robot"] != "arm"], [])

# threads, growth, spread
expect("speed-up", [r["speedup"] for r in report.threads(rows)], [2])
expect("growth", [round(r["growth"], 12) for r in report.growth(rows)], [1.1])
expect("spread", measure.spread([1, 2, 3, 4, 5]), 2 / 3)
expect("spread of one", measure.spread([7]), 0.0)

# text and JSON, from what is kept
result = report.conclude({"cpu": "x", "cores": 2, "kernel": "k", "date": "2000-01-01 00:00 UTC",
                          "load": "0.1",
                          "pinion": "0", "commit": "c", "pinion_compiler": "cc", "pinion_flags": "-O",
                          "flags": "-O", "compilers": ["cc"], "rounds": 3, "seconds": 0.1},
                         rows, [{"library": "b", "robot": "arm", "why": "none"}],
                         [{"robot": "arm", "library": "a", "compiler": "cc", "iterations": 7, "ms": 1.25,
                           "derivatives_ms": 0.5}],
                         [{"robot": "arm", "nv": 6, "threads": 2, "pinocchio_ns": 1000.0, "call_ns": 300.0,
                           "out_ns": 240.0,
                           "c_ns": 150.0, "loop_ns": 1200.0, "batch_ns": 20.0, "ratio": 0.24, "faster": 60.0,
                           "compiled_ns": 160.0, "compiled_ratio": 0.16}])
text = report.text(result)
for part in ("0.400 +", "0.100 +", "0.200 +", "0.100 -", "- b, arm: none", "reach 1.85", "takes 1.10 times",
             "generated: 1 of 1 targets are met", "7 iterations, 1.25 ms each, of which 0.5",
             "gen. batch: 0 of 1 targets are met", "gen. f32\n",
             "ratio 0.240 + (0.25)",
             "160 ns, ratio 0.160 + (0.25)", "90 ns with out= - (80), 150 without - (130)", "60 times more + (50)"):
    expect("%r in the text" % part, part in text, True)
# a work that nobody measured has no column
expect("the summary's row", "| arm | 6 | 0.40 / 0.10 / 0.05 / 0.11 |\n" in report.summary(result), True)
expect("the summary's row of generated code", "| arm | 6 | 0.20 / 0.10 / 0.04 |\n" in report.summary(result), True)
expect("the summary of Python",
       "| arm | 1000 ns | 240 ns (0.24) | 160 ns (0.16) | 90 ns, 150 ns | 20.0 ns | 60 times faster |\n" in
       report.summary(result), True)
plain = dict(result, ratios=[r for r in result["ratios"] if not r["mode"].startswith("generated")])
expect("a summary without generated code", "generated" in report.summary(plain), False)
expect("a number in JSON", json.loads(report.to_json({"rows": [{"ns": 1.23456789}]})), {"rows": [{"ns": 1.2346}]})

print("\n".join(failures) or "ratios, targets, tables: all as expected")
sys.exit(bool(failures))
