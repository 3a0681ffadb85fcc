"""What the numbers say: ratios to the best of the others, targets, tables."""
import json
import statistics
import textwrap

from harness import python
from harness.measure import WORKS, spread

OURS = "pinion"
GENERAL = (("call", "f64"), ("batch", "f64"), ("batch-packs", "f64"), ("batch", "f32"))
GENERATED = (("generated", "f64"), ("generated-batch", "f64"), ("generated-packs", "f64"))
MODES = GENERAL + GENERATED
MODE_NAME = {("call", "f64"): "call", ("batch", "f64"): "batch", ("batch-packs", "f64"): "packs",
             ("batch", "f32"): "f32 batch", ("generated", "f64"): "generated",
             ("generated-batch", "f64"): "gen. batch", ("generated-packs", "f64"): "gen. packs"}
# the largest ratio that is wanted: one call, a state of a batch, a state of a batch in single precision; then one call
# and a state of a batch of code that was generated for the robot. Packs are batches.
WANTED = {("call", "f64"): 0, ("batch", "f64"): 1, ("batch-packs", "f64"): 1, ("batch", "f32"): 2,
          ("generated", "f64"): 3, ("generated-batch", "f64"): 4, ("generated-packs", "f64"): 4}
TARGET = {"inverse_dynamics": (0.45, 0.10, 0.06, 0.25, 0.05), "mass_matrix": (0.50, 0.12, 0.07, 0.25, 0.05),
          "forward_dynamics": (0.45, 0.10, 0.06, 0.25, 0.05), "kinematics": (0.45, 0.10, 0.06, 0.25, 0.05),
          "jacobian": (0.45, 0.10, 0.06, 0.25, 0.05), "d_inverse_dynamics": (0.45, 0.10, 0.06, 0.25, 0.06),
          "d_forward_dynamics": (0.45, 0.10, 0.06, 0.25, 0.06), "regressor": (0.45, 0.10, 0.06, 0.25, 0.06),
          "d_constrained_dynamics": (0.45, 0.10, 0.06, 0.25, 0.06)}
WORD = {"jacobian": "Jacobian", "d_inverse_dynamics": "∂ inverse dynamics",
        "d_forward_dynamics": "∂ forward dynamics",
        "d_constrained_dynamics": "∂ constrained dynamics"} # a work in a heading, where it is not its own name
THREADS_TARGET = 1.85 # two threads over one
GROWTH_TARGET = 1.15  # time a joint of a chain of 300 over one of 30


def find(rows, **wanted):
    return [row for row in rows if all(row[key] == value for key, value in wanted.items())]


def in_order(rows):
    """The robots' names as they were measured."""
    return list(dict.fromkeys(row["robot"] for row in rows))


def fastest_peer(rows, robot, work):
    peers = [row for row in find(rows, robot=robot, work=work, mode="call", scalar="f64", threads=1)
             if row["library"] != OURS]
    return min(peers, key=lambda row: row["ns"], default=None)


def quotient(above, below):
    """The median and the spread of the ratio, round by round: what slows both in a round cancels."""
    ratios = [a / b for a, b in zip(above["rounds"], below["rounds"])]
    return statistics.median(ratios), spread(ratios)


def ratios(rows):
    """Ours over the best peer's call, for every robot, work and mode on one thread."""
    made = []
    for robot in in_order(rows):
        for work in WORKS:
            peer = fastest_peer(rows, robot, work)
            for mode, scalar in MODES:
                target = TARGET[work][WANTED[mode, scalar]]
                ours = find(rows, robot=robot, work=work, library=OURS, mode=mode, scalar=scalar, threads=1)
                if not peer or not ours:
                    continue
                ratio, wide = quotient(ours[0], peer)
                made.append({"robot": robot, "nv": peer["nv"], "work": work, "mode": mode, "scalar": scalar,
                             "peer": peer["library"], "peer_ns": peer["ns"], "ns": ours[0]["ns"], "ratio": ratio,
                             "spread": wide, "target": target, "met": ratio <= target})
    return made


def threads(rows):
    """How much faster a batch is on several threads than on one."""
    made = []
    for row in find(rows, library=OURS, mode="batch"):
        one = find(rows, robot=row["robot"], work=row["work"], library=OURS, mode="batch", scalar=row["scalar"],
                   threads=1)
        if row["threads"] > 1 and one:
            ratio, wide = quotient(one[0], row)
            made.append({"robot": row["robot"], "work": row["work"], "scalar": row["scalar"],
                         "threads": row["threads"], "speedup": ratio, "spread": wide})
    return made


def growth(rows):
    """Time a joint of a chain of 300 over that of a chain of 30."""
    made = []
    for work in ("inverse_dynamics", "forward_dynamics"):
        for mode, scalar in MODES:
            pair = [find(rows, robot="chain-%d" % n, work=work, library=OURS, mode=mode, scalar=scalar, threads=1)
                    for n in (30, 300)]
            if all(pair):
                made.append({"work": work, "mode": mode, "scalar": scalar,
                             "growth": pair[1][0]["ns"] / 300 / (pair[0][0]["ns"] / 30)})
    return made


def conclude(machine, rows, missing, optimized=(), called=()):
    """All that is kept of a run. The times of the single rounds have done their work in the ratios."""
    result = {"machine": machine, "rows": rows, "ratios": ratios(rows), "threads": threads(rows),
              "growth": growth(rows), "ilqr": list(optimized), "python": list(called), "missing": missing}
    for row in rows:
        del row["rounds"]
    return result


def rounded(value):
    """Numbers with as many digits as they are worth."""
    if isinstance(value, float):
        return float("%.5g" % value)
    if isinstance(value, dict):
        return {key: rounded(item) for key, item in value.items()}
    return [rounded(item) for item in value] if isinstance(value, list) else value


def to_json(result):
    """A row a line, so that a difference between two files can be read."""
    parts = []
    for key, value in rounded(result).items():
        if isinstance(value, list) and value:
            value = "[\n" + ",\n".join("  " + json.dumps(item, ensure_ascii=False) for item in value) + "\n ]"
        else:
            value = json.dumps(value, ensure_ascii=False)
        parts.append(" %s: %s" % (json.dumps(key), value))
    return "{\n" + ",\n".join(parts) + "\n}\n"


# -----------------------------------------------------------------------------------------------
# Text

def number(ns):
    return "%.0f" % ns if ns >= 100 else "%.1f" % ns


def ratio_table(made):
    lines = ["Ratios: our time over that of the fastest other library's single call, the same result, in double",
             "precision, on one thread. In brackets the spread over the rounds; + meets the target, - does not.",
             "Generated: with code that was generated for the robot, where it is straight-line code.", ""]
    form = "%-16s %3s  %-18s %-10s %9s  " + " %-17s" * len(MODES)
    lines.append((form % ("robot", "nv", "work", "fastest", "ns", *[MODE_NAME[mode] for mode in MODES])).rstrip())
    keys = list(dict.fromkeys((row["robot"], row["work"]) for row in made))
    for index, (robot, work) in enumerate(keys):
        some = find(made, robot=robot, work=work)
        cells = []
        for mode, scalar in MODES:
            cell = find(some, mode=mode, scalar=scalar)
            cells.append("%.3f %s (%.0f%%)" % (cell[0]["ratio"], "+" if cell[0]["met"] else "-",
                                              100 * cell[0]["spread"]) if cell else "")
        if index and keys[index - 1][0] != robot:
            lines.append("")
        lines.append((form % (robot, some[0]["nv"], work, some[0]["peer"], number(some[0]["peer_ns"]),
                              *cells)).rstrip())
    lines += ["", "Targets (call, batch or packs, f32 batch, generated, gen. batch or packs): " +
              "; ".join("%s %s" % (work, " ".join("%.2f" % target for target in TARGET[work])) for work in WORKS) + "."]
    for mode, scalar in MODES:
        some = find(made, mode=mode, scalar=scalar)
        if some:
            lines.append("%s: %d of %d targets are met; the ratios' median is %.3f, the largest %.3f." %
                         (MODE_NAME[mode, scalar], sum(row["met"] for row in some), len(some),
                          statistics.median(row["ratio"] for row in some), max(row["ratio"] for row in some)))
    return lines


TIMES = ((("call", "f64"), "pinion"), (("call", "f32"), "f32"), (("batch", "f64"), "batch"),
         (("batch-packs", "f64"), "packs"), (("batch", "f32"), "f32 batch"), (("generated", "f64"), "generated"),
         (("generated-batch", "f64"), "gen. batch"), (("generated-packs", "f64"), "gen. packs"),
         (("generated-batch", "f32"), "gen. f32"))


def time_table(rows):
    libraries = [name for name in dict.fromkeys(row["library"] for row in rows) if name != OURS]
    head = "%-16s %-18s" + "%12s" * (len(libraries) + len(TIMES))
    lines = ["Nanoseconds a state on one thread; a batch's are those of a whole batch over its states.", "",
             head % ("robot", "work", *libraries, *[name for _, name in TIMES])]
    for robot in in_order(rows):
        for work in WORKS:
            some = find(rows, robot=robot, work=work, threads=1)
            cells = [find(some, library=name, mode="call", scalar="f64") for name in libraries]
            cells += [find(some, library=OURS, mode=mode, scalar=scalar) for (mode, scalar), _ in TIMES]
            lines.append(head % (robot, work, *[number(cell[0]["ns"]) if cell else "-" for cell in cells]))
    return lines


def thread_lines(made):
    lines = []
    for count in sorted({row["threads"] for row in made}):
        for work in WORKS:
            for scalar in ("f64", "f32"):
                some = [row["speedup"] for row in find(made, threads=count, work=work, scalar=scalar)]
                if some:
                    target = "; %d of %d reach %.2f" % (sum(x >= THREADS_TARGET for x in some), len(some),
                                                        THREADS_TARGET) if count == 2 else ""
                    lines.append("%-18s %s batch, %d threads over one: median %.2f, least %.2f, most %.2f%s" %
                                 (work, scalar, count, statistics.median(some), min(some), max(some), target))
    return lines


def growth_lines(made):
    return ["%-18s %-9s a joint of chain-300 takes %.2f times one of chain-30 (target %.2f) %s" %
            (row["work"], MODE_NAME[row["mode"], row["scalar"]], row["growth"], GROWTH_TARGET,
             "+" if row["growth"] <= GROWTH_TARGET else "-") for row in made]


def ilqr_lines(made):
    return ["iLQR of examples/ilqr.c, %-15s on %-9s (%s): %d iterations, %.3g ms each, of which %.3g for steps" %
            (row["robot"], row["library"], row["compiler"], row["iterations"], row["ms"], row["derivatives_ms"])
            for row in made]


NOT_SHOWN = """What the tables do not show:
- Compilers and flags matter: Pinocchio is compiled for this processor by gcc and by clang, and the faster one counts,
  for every work alone. MuJoCo, KDL and DART run as their packages were built, for any processor of this kind.
- A library's fastest function for the work counts. Where a peer offers less (Pinocchio's mass matrix is the upper
  triangle, MuJoCo's is sparse), it is not asked for more; ours always gives both triangles. In a tree a peer's
  Jacobian may look at the limb alone that carries the frame.
- The robot is the same for all: fixed joints are merged, axes turned to x, y or z, motors and mimics left out. A
  library that reads the same file by itself may do more work.
- States change with every call, and the caches are warm: in a program that does other things between two calls every
  library is slower.
- Packs are batches whose arrays have the states of a register side by side, so that nothing is transposed.
- Batches read and write about half a megabyte a thread: they stay in the second cache of most cores. Others have no
  batches across SIMD lanes; their thread pools run the same calls and are not measured.
- MuJoCo and DART are simulators with contacts, and KDL has much that Pinion lacks: this compares eight functions."""


def text(result):
    machine, rows = result["machine"], result["rows"]
    lines = ["Pinion beside other libraries, %s" % machine["date"], "",
             "%s, %d cores, %s; load before the run %s" % (machine["cpu"], machine["cores"], machine["kernel"],
                                                          machine["load"]),
             "pinion %s, commit %s, %s, %s" % (machine["pinion"], machine["commit"], machine["pinion_compiler"],
                                               machine["pinion_flags"]),
             "batches in %s registers" % "/".join(sorted({row["isa"] for row in rows if row.get("isa")}) or ["no"]),
             "others: " + ", ".join("%s %s" % pair for pair in dict.fromkeys(
                 (row["library"], row["version"]) for row in rows if row["library"] != OURS)),
             "compilers: " + "; ".join(machine["compilers"]) + "; flags " + machine["flags"],
             "%d rounds of %g ms each, the median counts" % (machine["rounds"], 1000 * machine["seconds"]), ""]
    if float(machine["load"]) > 0.3 * machine["cores"]:
        lines += ["The machine was busy: the spreads are wide, and the speed-up by threads means nothing.", ""]
    made = result["ratios"]
    lines += ratio_table(made) if made else ["No other library was measured: there are no ratios."]
    lines += [""] + time_table(rows)
    for part in (thread_lines(result["threads"]), growth_lines(result["growth"]), ilqr_lines(result["ilqr"]),
                 python.lines(result.get("python", ())), result.get("contact", [])):
        lines += [""] + part if part else []
    if result["missing"]:
        lines += ["", "Missing:"] + [missing_line(entry) for entry in result["missing"]]
    return "\n".join(lines + ["", NOT_SHOWN]) + "\n"


def missing_line(entry):
    what = ", ".join(entry[key] for key in ("library", "robot", "work") if entry.get(key))
    return "- %s: %s" % (what, entry["why"])


# -----------------------------------------------------------------------------------------------
# The README

def summary(result):
    """Tables in Markdown: one row a robot, in a cell the ratios of the call, the batch in rows, in packs and in single
    precision; and where there was generated code, one for it, with the ratios of the call and the batch in both."""
    machine, made = result["machine"], result["ratios"]
    peers = ", ".join("%s %s" % pair for pair in dict.fromkeys(
        (row["library"], row["version"]) for row in result["rows"] if row["library"] != OURS))
    packs = " / of one in packs" if find(made, mode="batch-packs") else ""
    head = ("Our time over that of the fastest single call of %s, for one call / a state of a batch%s / a state of a "
            "batch in single precision, one thread, median of %d rounds; smaller is better. Zeros that the tree's "
            "structure leaves are in the arrays of batches from the start, as in those of the others; of regressors, "
            "which Pinocchio writes whole, in packs alone. Processor: %s; %s, commit %s." %
            (peers, packs, machine["rounds"], machine["cpu"], machine["date"][:10], machine["commit"]))
    text = "\n".join(textwrap.wrap(head, 118)) + "\n\n" + summary_table(made, GENERAL)
    if any(find(made, mode=mode) for mode, _ in GENERATED):
        head = ("The same for code that was generated for the one robot (`pinion codegen`) and loaded back: one call / "
                "a state of a batch%s. A robot without numbers is too large for straight-line code." % packs)
        text += "\n" + "\n".join(textwrap.wrap(head, 118)) + "\n\n" + summary_table(made, GENERATED)
    if result.get("python"):
        head = ("Inverse dynamics from Python, beside Pinocchio's own bindings in the same process: one state, and a "
                "batch of 4096 beside a loop.")
        text += "\n" + "\n".join(textwrap.wrap(head, 118)) + "\n\n" + python.table(result["python"])
    return text


def summary_table(made, modes):
    modes = [(mode, scalar) for mode, scalar in modes if find(made, mode=mode, scalar=scalar)]
    works = [work for work in WORKS if any(find(made, work=work, mode=mode, scalar=scalar) for mode, scalar in modes)]
    lines = ["| robot | nv | %s |" % " | ".join(WORD.get(work, work.replace("_", " ")) for work in works),
             "| --- |" + " --- |" * (len(works) + 1)]
    for robot in in_order(made):
        cells = []
        for work in works:
            cell = [find(made, robot=robot, work=work, mode=mode, scalar=scalar) for mode, scalar in modes]
            cells.append(" / ".join("%.2f" % some[0]["ratio"] if some else "–" for some in cell))
        lines.append("| %s | %d | %s |" % (robot, find(made, robot=robot)[0]["nv"], " | ".join(cells)))
    return "\n".join(lines) + "\n"
