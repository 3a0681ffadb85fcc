#!/usr/bin/env python3
"""The repetitive part of the Python package, from the description of the C API.

    generate.py API.json calls.c _pinion.pyi

calls.c has a method of Model for each quantity of the table of calls, and for the functions of the configuration space
below; _pinion.pyi says the same to type checkers.
"""
import json
import re
import sys
import textwrap
from pathlib import Path

# Dimensions that the model decides: in C, and as documentation writes them.
DIMS = {"nq": "PN_NQ", "nv": "PN_NV", "nbody": "PN_BODIES", "frame_count": "PN_FRAMES",
        "parameter_count": "PN_PARAMETERS", "joint_parameter_count": "PN_JOINT_PARAMETERS", "2 nv": "PN_STATES",
        "rows": "PN_ROWS", "loop_nq": "PN_LOOP_NQ", "loop_nv": "PN_LOOP_NV", "loops": "PN_LOOPS", "nu": "PN_NU"}

# Options, as an argument of Python and as one of C.
OPTIONS = {
    "frame": ("FRAME", "int | str", None, "the name or the number of a frame"),
    "reference": ("REFERENCE", "str", '"world_aligned"', '"world_aligned", "local" or "world"'),
    "kind": ("KIND", "str", '"classical"', '"classical" or "spatial"'),
    "passive": ("PASSIVE", "bool", "False", "whether springs count, and in a step dampers and friction"),
    "dt": ("REAL", "float", "1.0", "s"),
    "t": ("REAL", "float", "0.0", "s, of the laws of time"),
    "limit": ("PASSIVE", "bool", "False", "whether u is cut to the effort limits"),
    "method": ("METHOD", "str", '"semi_implicit"', '"semi_implicit" or "rk4"'),
}
C_OPTIONS = {"frame": "x->frame", "reference": "(pinion_reference)x->reference",
             "kind": "(pinion_acceleration)x->kind", "passive": "x->passive", "dt": "x->real",
             "t": "x->real", "limit": "x->passive", "method": "(pinion_step_method)x->method"}

SLOTS = {"q": "PINION_BATCH_Q", "v": "PINION_BATCH_V", "a": "PINION_BATCH_A", "tau": "PINION_BATCH_TAU",
         "f_ext": "PINION_BATCH_F_EXT"}


def array(name, shape, slot="q", optional=False, output=False):
    return {"name": name, "shape": shape, "slot": slot, "nullable": optional, "output": output}


# What has no row in the table of calls. `one` and `batch` are the arguments behind model and workspace, or batch and
# count; None where the library has no such function.
MORE = [
    {"name": "integrate", "help": "q (+) v dt: moves along v, held constant in each joint's child frame, for dt",
     "note": "", "one": ("pinion_integrate", "m", "q, v, dt, out"),
     "batch": ("pinion_batch_integrate", "q, v, dt, out"),
     "parameters": [array("q", "[nq]"), array("v", "[nv]", "v"), array("dt", None), array("out", "[nq]", output=True)]},
    {"name": "difference", "help": "the v with q1 = q0 (+) v",
     "note": "Spherical, free and planar joints turn no further than half a turn.",
     "one": ("pinion_difference", "m", "q0, q1, out"), "batch": ("pinion_batch_difference", "q0, q1, out"),
     "parameters": [array("q0", "[nq]"), array("q1", "[nq]", "a"), array("out", "[nv]", output=True)]},
    {"name": "d_integrate", "help": "Jacobians of q (+) v dt by q and by v, in the tangent spaces",
     "note": "They do not depend on q.",
     "one": ("pinion_d_integrate", "m", "v, dt, dq, dv"), "batch": ("pinion_batch_d_integrate", "v, dt, dq, dv"),
     "parameters": [array("v", "[nv]", "v"), array("dt", None), array("dq", "[nv][nv]", output=True),
                    array("dv", "[nv][nv]", output=True)]},
    {"name": "d_difference", "help": "Jacobians of what difference gave as v, by q0 and by q1", "note": "",
     "one": ("pinion_d_difference", "m", "v, dq0, dq1"), "batch": ("pinion_batch_d_difference", "v, dq0, dq1"),
     "parameters": [array("v", "[nv]", "v"), array("dq0", "[nv][nv]", output=True),
                    array("dq1", "[nv][nv]", output=True)]},
    {"name": "inverse_dynamics_jvp", "note": "Of the direction what is None is zero; dq is in the tangent space.",
     "help": "what joint forces change by along a direction: (dtau/dq) dq + (dtau/dv) dv + M da, in O(n)",
     "one": ("pinion_inverse_dynamics_jvp", "m, w", "q, v, a, f_ext, dq, dv, da, dtau"),
     "batch": ("pinion_batch_inverse_dynamics_jvp", "q, v, a, f_ext, dq, dv, da, dtau"),
     "parameters": [array("q", "[nq]"), array("v", "[nv]", "v", True), array("a", "[nv]", "a", True),
                    array("dq", "[nv]", "v", True), array("dv", "[nv]", "v", True), array("da", "[nv]", "v", True),
                    array("f_ext", "[nbody][6]", "f_ext", True), array("dtau", "[nv]", output=True)]},
    {"name": "forward_dynamics_jvp", "note": "Of the direction what is None is zero; dq is in the tangent space.",
     "help": "what accelerations change by along a direction: (da/dq) dq + (da/dv) dv + M^-1 dtau, in O(n)",
     "one": ("pinion_forward_dynamics_jvp", "m, w", "q, v, tau, f_ext, dq, dv, dtau, da"),
     "batch": ("pinion_batch_forward_dynamics_jvp", "q, v, tau, f_ext, dq, dv, dtau, da"),
     "parameters": [array("q", "[nq]"), array("v", "[nv]", "v", True), array("tau", "[nv]", "tau", True),
                    array("dq", "[nv]", "v", True), array("dv", "[nv]", "v", True), array("dtau", "[nv]", "v", True),
                    array("f_ext", "[nbody][6]", "f_ext", True), array("da", "[nv]", output=True)]},
    {"name": "step", "help": "q and v one time step later, with the joint forces tau held constant",
     "note": "Semi-implicit Euler has order 1, rk4 has order 4.", "one": None, "default": "0.001",
     "batch": ("pinion_batch_step", "method, dt, q, v, tau, f_ext, q_out, v_out"),
     "parameters": [array("q", "[nq]"), array("v", "[nv]", "v", True), array("tau", "[nv]", "tau", True),
                    array("f_ext", "[nbody][6]", "f_ext", True), array("dt", None), array("method", None),
                    array("q_out", "[nq]", output=True), array("v_out", "[nv]", output=True)]},
    {"name": "d_step", "help": "q and v one time step later, and their derivatives A by (q, v) and B by tau",
     "note": "A change of q is in its tangent space, before and after.", "default": "0.001", "rows": True,
     "batch": ("pn_py_batch_d_step", "method, dt, passive, q, v, tau, f_ext, q_out, v_out, A, B"),
     "one": ("pinion_d_step", "m, w", "method, dt, passive, q, v, tau, f_ext, q_out, v_out, A, B"),
     "parameters": [array("q", "[nq]"), array("v", "[nv]", "v", True), array("tau", "[nv]", "tau", True),
                    array("f_ext", "[nbody][6]", "f_ext", True), array("passive", None), array("dt", None),
                    array("method", None), array("q_out", "[nq]", output=True), array("v_out", "[nv]", output=True),
                    array("A", "[2 nv][2 nv]", output=True), array("B", "[2 nv][nv]", output=True)]},
    {"name": "force_on_frame", "help": "f_ext of a force [moment; force] in a frame's coordinates, at its origin",
     "note": "What acts in several places is the sum.", "one": ("pn_py_force_on_frame", "m", "frame, force, out"),
     "batch": None, "parameters": [array("frame", None), array("force", "[6]"),
                                   array("out", "[nbody][6]", output=True)]},
    {"name": "dynamics_terms", "help": "what a controller asks for each cycle, at less than the price of the parts",
     "note": "The mass matrix, h(q, v), gravity's forces, and the poses of all frames.",
     "one": ("pn_py_dynamics_terms", "m, w", "q, v, M, bias, gravity, position, rotation"),
     "batch": ("pn_py_batch_dynamics_terms", "q, v, M, bias, gravity, position, rotation"),
     "parameters": [array("q", "[nq]"), array("v", "[nv]", "v", True), array("M", "[nv][nv]", output=True),
                    array("bias", "[nv]", output=True), array("gravity", "[nv]", output=True),
                    array("position", "[frame_count][3]", output=True),
                    array("rotation", "[frame_count][9]", output=True)]},
    {"name": "operational_space", "note": "With J of the frame: Lambda a + mu + p = f, a the derivative of J v (Khatib "
     "1987); inverse is J M^-1 J', Jbar the dynamically consistent inverse of J. Error \"singular\" where J has not "
     "full rank.", "help": "the dynamics of a frame: inverse, Lambda, mu, p and Jbar",
     "one": ("pn_py_operational_space", "m, w", "q, v, frame, reference, inverse, Lambda, mu, p, Jbar"), "batch": None,
     "parameters": [array("q", "[nq]"), array("v", "[nv]", "v", True), array("frame", None), array("reference", None),
                    array("inverse", "[6][6]", output=True), array("Lambda", "[6][6]", output=True),
                    array("mu", "[6]", output=True), array("p", "[6]", output=True),
                    array("Jbar", "[nv][6]", output=True)]},
    {"name": "actuation_matrix", "help": "B at q: joint forces are B u, with u what the actuators give", "note": "",
     "one": ("pinion_actuation_matrix", "m, w", "q, B"), "batch": None,
     "parameters": [array("q", "[nq]"), array("B", "[nv][nu]", output=True)]},
    {"name": "actuation_torque", "help": "the joint forces B u", "note": "",
     "one": ("pinion_actuation_torque", "m, w", "q, u, tau"), "batch": None,
     "parameters": [array("q", "[nq]"), array("u", "[nu]", "v"), array("tau", "[nv]", output=True)]},
    {"name": "actuation_controls", "help": "the forces u that the actuators' laws make of controls", "note":
     "Within the limits of both. An actuator without a law gives its control.",
     "one": ("pinion_actuation_controls", "m, w", "q, v, control, u"), "batch": None,
     "parameters": [array("q", "[nq]"), array("v", "[nv]", "v"), array("control", "[nu]", "v"),
                    array("u", "[nu]", output=True)]},
    {"name": "d_actuation_torque", "help": "the derivative of the joint forces B u by q, u constant", "note": "",
     "one": ("pinion_d_actuation_torque", "m, w", "q, u, dq"), "batch": None,
     "parameters": [array("q", "[nq]"), array("u", "[nu]", "v"), array("dq", "[nv][nv]", output=True)]},
    {"name": "actuator_forces", "help": "the u for which B u comes nearest to tau, and what they cannot give of it",
     "note": "Of several the one with the least sum of squares. With closed loops the forces that keep them take "
             "their part.", "one": ("pn_py_actuator_forces", "m", "q, tau, limit, u, rest"), "batch": None,
     "parameters": [array("q", "[nq]"), array("tau", "[nv]", "tau"), array("limit", None),
                    array("u", "[nu]", output=True), array("rest", "[nv]", output=True)]},
    {"name": "inverse_dynamics_rates", "help": "joint forces of a motion, and their first two derivatives by time",
     "note": "Exactly, in O(n); jerk and snap are the second and third derivative of v, component by component.",
     "one": ("pn_py_inverse_dynamics_rates", "m", "q, v, a, jerk, snap, tau, dtau, ddtau"), "batch": None,
     "parameters": [array("q", "[nq]"), array("v", "[nv]", "v", True), array("a", "[nv]", "a", True),
                    array("jerk", "[nv]", "a", True), array("snap", "[nv]", "a", True)] +
                   [array(n, "[nv]", output=True) for n in ("tau", "dtau", "ddtau")]},
    {"name": "elastic_inverse_dynamics", "batch": None,
     "help": "inverse dynamics of elastic joints: how motors move for a motion of the links, and what they give",
     "note": "q, v and a are those given with the motors' own put in. Of a motor whose spring has a damper q is taken.",
     "one": ("pn_py_elastic_inverse_dynamics", "m", "passive, q, v, a, jerk, snap, q_out, v_out, a_out, tau"),
     "parameters": [array("q", "[nq]"), array("v", "[nv]", "v", True), array("a", "[nv]", "a", True),
                    array("jerk", "[nv]", "a", True), array("snap", "[nv]", "a", True), array("passive", None),
                    array("q_out", "[nq]", output=True), array("v_out", "[nv]", output=True),
                    array("a_out", "[nv]", output=True), array("tau", "[nv]", output=True)]},
    {"name": "constraints_at", "help": "the constraints of closed loops: phi = 0, L v = its rate of change, L a = c",
     "note": "rate is what L v misses.", "one": ("pn_py_constraints_at", "m, w", "t, q, v, phi, L, rate, c"),
     "batch": None, "default": "0.0",
     "parameters": [array("q", "[nq]"), array("v", "[nv]", "v", True), array("t", None),
                    array("phi", "[rows]", output=True), array("L", "[rows][nv]", output=True),
                    array("rate", "[rows]", output=True), array("c", "[rows]", output=True)]},
    {"name": "constraint_sizes", "help": "how long the rows of L could be near q, and in what velocities are measured",
     "note": "A row of L * unit that is far shorter than its size is nearly zero. unit is 1 for what turns, a length of "
             "the loops for what slides.",
     "one": ("pinion_constraint_sizes", "m, w", "q, size, unit"), "batch": None,
     "parameters": [array("q", "[nq]"), array("size", "[rows]", output=True), array("unit", "[nv]", output=True)]},
    {"name": "d_constraints", "help": "derivatives of L v by q, and of L a - c by q and by v", "note": "",
     "one": ("pinion_d_constraints", "m, w", "q, v, a, rate_dq, a_dq, a_dv"), "batch": None,
     "parameters": [array("q", "[nq]"), array("v", "[nv]", "v", True), array("a", "[nv]", "a", True),
                    array("rate_dq", "[rows][nv]", output=True), array("a_dq", "[rows][nv]", output=True),
                    array("a_dv", "[rows][nv]", output=True)]},
    {"name": "delassus", "help": "Delassus' matrix of the loops, L M^-1 L'", "note": "",
     "one": ("pinion_delassus", "m, w", "q, D"), "batch": None,
     "parameters": [array("q", "[nq]"), array("D", "[rows][rows]", output=True)]},
    {"name": "loop_dynamics", "help": "accelerations with closed loops, and the forces lambda that keep these",
     "note": "tau_loop are motors of the loop joints.", "default": "0.0", "batch": None,
     "one": ("pn_py_loop_dynamics", "m, w", "t, passive, q, v, tau, tau_loop, f_ext, a, lambda_"),
     "parameters": [array("q", "[nq]"), array("v", "[nv]", "v", True), array("tau", "[nv]", "tau", True),
                    array("tau_loop", "[loop_nv]", "tau", True), array("f_ext", "[nbody][6]", "f_ext", True),
                    array("passive", None), array("t", None), array("a", "[nv]", output=True),
                    array("lambda_", "[rows]", output=True)]},
    {"name": "d_loop_dynamics", "help": "derivatives of loop_dynamics by q (in the tangent space), v and tau",
     "note": "They hold where the rank of L stays.", "default": "0.0", "batch": None,
     "one": ("pn_py_d_loop_dynamics", "m, w", "t, passive, q, v, tau, tau_loop, f_ext, a_dq, a_dv, a_dtau, lambda_dq, "
             "lambda_dv, lambda_dtau"),
     "parameters": [array("q", "[nq]"), array("v", "[nv]", "v", True), array("tau", "[nv]", "tau", True),
                    array("tau_loop", "[loop_nv]", "tau", True), array("f_ext", "[nbody][6]", "f_ext", True),
                    array("passive", None), array("t", None)] +
                   [array(n, "[nv][nv]", output=True) for n in ("a_dq", "a_dv", "a_dtau")] +
                   [array(n, "[rows][nv]", output=True) for n in ("lambda_dq", "lambda_dv", "lambda_dtau")]},
    {"name": "loop_inverse_dynamics", "default": "0.0", "batch": None,
     "help": "forces of the actuated joints for a motion that keeps the loops, and the lambda that goes with them",
     "note": "Of least norm where there are more than needed. Error \"singular\" when they cannot make the motion.",
     "one": ("pn_py_loop_inverse_dynamics", "m, w", "t, passive, q, v, a, tau_loop, f_ext, tau, lambda_"),
     "parameters": [array("q", "[nq]"), array("v", "[nv]", "v", True), array("a", "[nv]", "a", True),
                    array("tau_loop", "[loop_nv]", "tau", True), array("f_ext", "[nbody][6]", "f_ext", True),
                    array("passive", None), array("t", None), array("tau", "[nv]", output=True),
                    array("lambda_", "[rows]", output=True)]},
    {"name": "loop_motion", "help": "coordinates and velocities of the joints that close loops", "note": "",
     "one": ("pinion_loop_motion", "m, w", "q, v, position, velocity"), "batch": None,
     "parameters": [array("q", "[nq]"), array("v", "[nv]", "v", True), array("position", "[loop_nq]", output=True),
                    array("velocity", "[loop_nv]", output=True)]},
    {"name": "loop_active_forces", "batch": None, "note": "",
     "help": "what motors of loop joints, and with passive their springs and dampers, do to the tree; and the energy",
     "one": ("pinion_loop_active_forces", "m, w", "q, v, tau_loop, passive, tau, potential"),
     "parameters": [array("q", "[nq]"), array("v", "[nv]", "v", True), array("tau_loop", "[loop_nv]", "tau", True),
                    array("passive", None), array("tau", "[nv]", output=True), array("potential", "[1]", output=True)]},
    {"name": "d_loop_active_forces", "help": "derivatives of loop_active_forces by q and v", "note": "", "batch": None,
     "one": ("pinion_d_loop_active_forces", "m, w", "q, v, tau_loop, passive, dq, dv"),
     "parameters": [array("q", "[nq]"), array("v", "[nv]", "v", True), array("tau_loop", "[loop_nv]", "tau", True),
                    array("passive", None), array("dq", "[nv][nv]", output=True), array("dv", "[nv][nv]", output=True)]},
    {"name": "loop_passive_forces", "help": "what springs, dampers and friction of loop joints exert along these",
     "note": "", "one": ("pinion_loop_passive_forces", "m, w", "q, v, tau_loop"), "batch": None,
     "parameters": [array("q", "[nq]"), array("v", "[nv]", "v", True), array("tau_loop", "[loop_nv]", output=True)]},
    {"name": "loop_reactions", "batch": None,
     "help": "the forces lambda that keep loops as forces on bodies f_ext and joints tau, and the wrench in each loop",
     "note": "inverse_dynamics takes f_ext.",
     "one": ("pn_py_loop_reactions", "m, w", "q, lambda_, tau_loop, f_ext_out, tau, wrench"),
     "parameters": [array("q", "[nq]"), array("lambda_", "[rows]", "v"), array("tau_loop", "[loop_nv]", "tau", True),
                    array("f_ext_out", "[nbody][6]", output=True), array("tau", "[nv]", output=True),
                    array("wrench", "[loops][6]", output=True)]},
]
RESULT_NAMES = {"step": ("q", "v"), "d_step": ("q", "v", "A", "B"), "loop_reactions": ("f_ext", "tau", "wrench"),
                "elastic_inverse_dynamics": ("q", "v", "a", "tau")}
# What rollout.c and more.c add to the library, in the form of a call; in single precision, too, where so marked.
OWN = {"pn_py_batch_d_step", "pn_py_batch_d_step_f32", "pn_py_batch_dynamics_terms", "pn_py_dynamics_terms",
       "pn_py_force_on_frame", "pn_py_operational_space", "pn_py_actuator_forces", "pn_py_constraints_at",
       "pn_py_inverse_dynamics_rates", "pn_py_elastic_inverse_dynamics",
       "pn_py_loop_dynamics", "pn_py_d_loop_dynamics", "pn_py_loop_inverse_dynamics", "pn_py_loop_reactions"}


def dims(shape):
    """[frame_count][9] as Python has it: the nine numbers of a rotation are a matrix."""
    out = []
    for d in re.findall(r"\[([\w ]+)\]", shape or ""):
        out += ["3", "3"] if d == "9" else [] if d == "1" else [d]
    return out


def c_shape(shape):
    d = dims(shape)
    unknown = [x for x in d if x not in DIMS and not x.isdigit()]
    if unknown or len(d) > 3:
        sys.exit(f"generate.py: an array has the shape {shape}, which it does not know")
    return "{%d, {%s}}" % (len(d), ", ".join([DIMS.get(x, x) for x in d] + ["0"] * (3 - len(d))))


def order(parameters):
    """Arrays and frames as C has them, then what has a default always."""
    late = {"f_ext": 1, "reference": 2, "kind": 3, "passive": 4, "limit": 4, "t": 5, "dt": 5, "method": 6}
    return sorted((p for p in parameters if not p["output"]), key=lambda p: late.get(p["name"], 0))


def required(parameters):
    """Whether each must be given: an array that may be zero, too, when one behind it must."""
    must = [p["name"] == "frame" or (p["name"] not in OPTIONS and not p["nullable"]) for p in parameters]
    return [any(must[i:]) for i in range(len(must))]


def python_words(text):
    """A sentence about C as one about Python."""
    text = re.sub(r"`?\bpassive`? is not 0", "`passive` is true", text)
    text = re.sub(r" What is NULL is not computed\.| PINION_ERR_\w+ as for forward dynamics,?", "", " " + text).strip()
    text = re.sub(r"PINION_ERR_(\w+)(?:, here and wherever M is asked for,)?", lambda m: f'Error "{m[1].lower()}"',
                  text)
    text = re.sub(r"pinion_(\w+)", r"\1", text)
    return text.replace("NULL", "None")


def doc(row, parameters, outputs, by):
    lines = [python_words(row["help"][0].upper() + row["help"][1:] + ".")]
    if row["note"]:
        lines.append("")
        lines += textwrap.wrap(python_words(row["note"]), 96)
    lines.append("")
    for p, must in zip(parameters, required(parameters)):
        if p["name"] in OPTIONS:
            lines.append(f"{p['name']}: {OPTIONS[p['name']][3]}")
        else:
            none = "; None: zero" if p["nullable"] else ""
            lines.append(f"{p['name']}: (..., {', '.join(dims(p['shape']))}){none}")
    shapes = [f"{o['name']} (..., {', '.join(dims(o['shape']))})".replace(", )", ")") for o in outputs]
    lines.append("out: where the results go" + (", a tuple; None in it: a new array" if len(outputs) > 1 else ""))
    lines.append('errors: "raise", or "nan": states that are wrong get NaN, and NaN may go in')
    if by:
        lines.append("algorithm: the name of one that solves the problem (algorithms()); None: the fastest")
    lines.append("Returns " + (f"({', '.join(shapes)})" if len(shapes) > 1 else shapes[0]) + ".")
    return "\n".join(lines)


def c_string(text):
    return "".join('\n    "%s"' % line.replace("\\", "\\\\").replace('"', '\\"') + ("" if i + 1 == n else '"\\n"')
                   for n, lines in [(len(text.split("\n")), text.split("\n"))] for i, line in enumerate(lines))


def names_of(row, outputs):
    return RESULT_NAMES.get(row["name"], tuple(o["name"] for o in outputs))


def signature(row, parameters, by):
    parts = ["$self"]
    for p, must in zip(parameters, required(parameters)):
        default = row.get("default") if p["name"] in ("dt", "t") else None
        option = OPTIONS.get(p["name"])
        parts.append(p["name"] if must else f"{p['name']}={default or option[2] if option else 'None'}")
    parts += ["out=None", 'errors="raise"'] + (["algorithm=None"] if by else [])
    return ", ".join(parts)


def arguments(row, text, parameters, outputs):
    """The names in a call of C as members of `arguments`."""
    arrays = [p["name"] for p in parameters if p["name"] not in OPTIONS]
    known = {name: f"x->in[{i}]" for i, name in enumerate(arrays)}
    known.update({o["name"]: f"x->out[{i}]" for i, o in enumerate(outputs)})
    known.update(C_OPTIONS)
    return ", ".join(known[name.strip()] for name in text.split(","))


def write_row(row, functions):
    parameters, outputs = order(row["parameters"]), [p for p in row["parameters"] if p["output"]]
    name, by = row["name"], bool(row.get("by_algorithm"))
    stubs, tables = [], {"one": [], "batch": [], "by": []}
    if "function" in row:
        text = ", ".join(p["name"] for p in row["parameters"])
        bare = row["function"][len("pinion_"):]
        one, batch = ("pinion_" + bare, "m, w", text), ("pinion_batch_" + bare, text)
    else:
        one, batch = row["one"], row["batch"]
    for precision, suffix, work in (("f64", "", "pinion_work"), ("f32", "_f32", "pinion_work_f32")):
        for kind in tables:
            c = batch[0] + "_by" if kind == "by" and by else one and one[0] if kind == "one" else \
                batch and batch[0] if kind == "batch" else None
            if not c or c + suffix not in functions:
                tables[kind].append("NULL")
                continue
            call = arguments(row, one[2] if kind == "one" else batch[1], parameters, outputs)
            first = one[1] if kind == "one" else "b, x->algorithm, count" if kind == "by" else "b, count"
            takes = "const pinion_model *m, void *w" if kind == "one" else "pinion_batch *b, size_t count"
            unused = "    (void)w;\n" if kind == "one" and "w" not in one[1] else ""
            stub = f"{name}_{kind}_{precision}"
            stubs.append(f"static pinion_status {stub}({takes}, const arguments *x)\n{{\n{unused}"
                         f"    return {c}{suffix}({first}, {call});\n}}\n")
            tables[kind].append(stub)
    must = required(parameters)
    items = []
    for p, need in zip(parameters, must):
        if p["name"] in OPTIONS:
            items.append(f'{{"{p["name"]}", PARAMETER_{OPTIONS[p["name"]][0]}, {int(need)}, {{0, {{0}}}}, 0, NULL}}')
        else:
            # an array that may be None must be told apart from one that is forgotten only where one behind it is needed
            items.append(f'{{"{p["name"]}", PARAMETER_ARRAY, {int(need) + (need and p["nullable"])}, '
                         f'{c_shape(p["shape"])}, {SLOTS[p["slot"]]}, NULL}}')
    more = [("out", "OUT"), ("errors", "ERRORS")] + ([("algorithm", "ALGORITHM")] if by else [])
    items += [f'{{"{n}", PARAMETER_{k}, 0, {{0, {{0}}}}, 0, NULL}}' for n, k in more]
    results = ", ".join(f'{{"{n}", {c_shape(o["shape"])}}}' for n, o in zip(names_of(row, outputs), outputs))
    data = (f'    {{"{name}", {len(items)},\n     {{' + ",\n      ".join(items) +
            f'}},\n     {len(outputs)}, {{{results}}},\n'
            f'     {{{", ".join(tables["one"])}}}, {{{", ".join(tables["batch"])}}}, {{{", ".join(tables["by"])}}}, '
            f'{int(bool(one) and "w" in one[1])}, {row.get("default", "1.0")}, '
            f'{int(row.get("rows", False))}, NULL, {{NULL, NULL}}, 0, 0, 0, {{0}}, 0, 0, 0}},\n')
    words = f"{name}({signature(row, parameters, by)})\n--\n\n{doc(row, parameters, outputs, by)}"
    return stubs, data, words


def stub_of(row):
    """The method for type checkers."""
    parameters, outputs = order(row["parameters"]), [p for p in row["parameters"] if p["output"]]
    parts = ["self"]
    for p, must in zip(parameters, required(parameters)):
        option = OPTIONS.get(p["name"])
        kind = option[1] if option else "ArrayLike | None" if p["nullable"] else "ArrayLike"
        parts.append(f"{p['name']}: {kind}" + ("" if must else " = ..."))
    kind = f"tuple[{', '.join(['Array | None'] * len(outputs))}]" if len(outputs) > 1 else "Array"
    parts += [f"out: {kind} | None = ...", 'errors: Literal["raise", "nan"] = ...']
    if row.get("by_algorithm"):
        parts.append("algorithm: str | None = ...")
    returns = camel(row["name"]) if len(outputs) > 1 else "Array"
    return f"    def {row['name']}({', '.join(parts)}) -> {returns}: ...\n"


def camel(name):
    return "".join(part.capitalize() for part in name.split("_"))


def write_stubs(rows):
    text = ('"""Made by generate.py from the description of the C API."""\n'
            "from typing import Any, Literal, NamedTuple\n\n"
            "import numpy as np\nfrom numpy.typing import ArrayLike, NDArray\n\nArray = NDArray[np.floating[Any]]\n\n")
    for row in rows:
        outputs = [p for p in row["parameters"] if p["output"]]
        if len(outputs) > 1:
            text += f"class {camel(row['name'])}(NamedTuple):\n"
            text += "".join(f"    {n}: Array\n" for n in names_of(row, outputs)) + "\n"
    return text + (Path(__file__).parent / "src" / "stubs.pyi").read_text() + "".join(stub_of(row) for row in rows)


def main():
    api = json.loads(Path(sys.argv[1]).read_text())
    functions = {f["name"] for f in api["functions"]} | OWN
    rows = api["quantities"] + MORE
    known = {"double *", "const double *"}
    for row in api["quantities"]:
        for p in row["parameters"]:
            if p["shape"] is None and p["name"] not in OPTIONS or p["shape"] and p["type"] not in known:
                sys.exit(f"generate.py: {row['function']} has the parameter {p['name']}, which it does not know")
    out = ["/* Made by generate.py from the description of the C API. */\n#include \"more.h\"\n\n"]
    data, methods, bodies = "", "", ""
    for i, row in enumerate(rows):
        stubs, table, words = write_row(row, functions)
        out += [s + "\n" for s in stubs]
        data += table
        bodies += (f"static PyObject *method_{row['name']}(PyObject *m, PyObject *const *args, Py_ssize_t count, "
                   f"PyObject *names)\n{{\n"
                   f"    return pn_py_call((model_object *)m, &pn_py_calls[{i}], args, count, names);\n}}\n\n")
        methods += (f'    {{"{row["name"]}", (PyCFunction)(void (*)(void))method_{row["name"]}, '
                    f'METH_FASTCALL | METH_KEYWORDS,{c_string(words)}}},\n')
    out.append("call pn_py_calls[] = {\n" + data + "};\n")
    out.append(f"const int pn_py_call_count = {len(rows)};\n\n" + bodies)
    out.append("PyMethodDef pn_py_call_methods[] = {\n" + methods + "    {NULL, NULL, 0, NULL},\n};\n")
    Path(sys.argv[2]).write_text("".join(out))
    Path(sys.argv[3]).write_text(write_stubs(rows))


main()
