"""The package as a whole: every quantity is there, small, quick to import, and it says what it is."""
import ast
import inspect
import json
import os
import re
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import overhead
import pinion as pn

ROOT = Path(__file__).parents[2]


def test_version():
    header = (ROOT / "include" / "pinion" / "base.h").read_text()
    assert f'#define PINION_VERSION "{pn.__version__}"' in header
    assert metadata.version("pinion-dynamics") == pn.__version__


def test_every_quantity_is_a_method(tmp_path):
    """What the table of calls has, Python has, with its sentence."""
    made = tmp_path / "api.json"
    subprocess.run([sys.executable, ROOT / "tools" / "api", "--json", made], check=True)
    api = json.loads(made.read_text())
    assert len(api["quantities"]) > 25
    for row in api["quantities"]:
        method = inspect.getattr_static(pn._pinion.Model, row["name"])
        signature = inspect.signature(method)
        for p in row["parameters"]:
            assert p["output"] or p["name"] in signature.parameters, (row["name"], p["name"])
        assert list(signature.parameters)[-3:] == ["out", "errors", "algorithm"] or \
            list(signature.parameters)[-2:] == ["out", "errors"]
        assert row["help"][1:20] in method.__doc__
        assert "PINION_" not in method.__doc__ and "NULL" not in method.__doc__, method.__doc__


# What Python has in another form, or not: a part of a function's name, and why.
ELSEWHERE = {
    "builder_": "Builder writes the native format, which is read",
    "_def_default|constraint_def|link_def|joint_def|frame_def|visual_def|collision_pair_def|collision_def": "the keys of the native format",
    "pose_identity|load_options|save$|result_save$|generated_write": "Python's own matter, or save_string",
    "model_find_(link|joint|loop|actuator|state|group|collision)|model_link_collisions|joint_type_(find|nq|nv)": "m.joints[name] and its type",
    "sweep_(to_file|merge|set_function|load_plugins|note|options|replay|model|outcome|column|load$|is_result|result|worker|summarize|rank|indices|prob|scalar|parameter|count)":
        "pn.sweep keeps arrays, of which numpy tells the statistics; files and parts are the command's",
    "find_mesh": "m.collision_points and m.with_meshes find the files",
    "scene_roll": "a Scene steps one state at a time; threads of Python have a Scene each",
    "motion_at": "laws of time are the model's",
    "model_elastic|elastic_places": "elastic links are in the native format; their modes are joints",
    "quantity": "every quantity is a method",
    "work_(size|init|message)|work_f32_(size|init|message)|batch_(set_status|set_model|threads_used|message|array_size|keep_zeros)":
        "workspaces and batches are not seen",
    "algorithm_default|_by$|factorization_size": "algorithm= of the methods, and what they take by themselves",
    "parallel_(lanes|begin|phases|items|run|end)": "forward_dynamics_threads runs them",
    "sparse_algorithm": "a name of the registry",
    "rollout_(intervals|records)": "shapes of arrays",
    "batch_normalize": "m.normalize",
    "equations_(difference|terms|evaluate)": "they were checked when they were made, and sympy evaluates",
    "compiled_code|generated_(name|function)": "m.compile() and codegen() give all there is to use",
    "forces_(count|name|model|apply|add_spring|add_wrench|add_drag|add_ground|add_attraction|point|on_points)":
        "dictionaries, as a file has them; a Run has what the ground exerts",
    "d_forces|linearize$": "linearize(forces=...) has what they act on",
    "sensors_(set_seed|add|reading_unit)": "dictionaries, as a file has them; a Run has the units",
    "task_default|tasks_(new|def_default)": "dictionaries, as a file has them",
    "actuator_(settled|activation)": "formulas of docs/model-format.md",
    "actuator_(speed|length)": "speeds are columns of B times v, lengths are part of actuation_controls",
    "control_braking|pd_(braking|gains)": "pd() is given its gains",
    "tasks_error": "a Run has them as columns",
    "controller_(target|set_gains|set_hold)": "a Run has what is missing; another controller is made for other gains",
    "result_(new|set|get_numbers|numbers|set_model|add_|find_column|format_of|key)|coordinate_|find_coordinates": "a Run has arrays",
    "run_(to_end|interrupt|store|resume|step|changed)":
        "simulate() runs to the end, Simulation stores; the command resumes",
    "sim_(options|algorithm|stabilization|advance$)|integrator_(find|is_fixed|restarts|takes_loops)|stabilization_":
        "what the caller said",
    "model_find_tendon|model_has_elements": "m.tendons has them by name",
    "model_elastic_joint": "m.joints and m.tendons have the motors and springs by their names",
    "elastic_joints_message": "errors have a sentence of their own",
    "drag_forces": "part of the dampers that passive forces have",
    "profile_name|trajectory_times": "names are given as strings; samples are what was given",
}


def test_nothing_is_forgotten(tmp_path):
    """Each function of the C API is called by the extension, or there is a reason why not; each reason has a
    function."""
    made = tmp_path / "api.json"
    subprocess.run([sys.executable, ROOT / "tools" / "api", "--json", made], check=True)
    subprocess.run([sys.executable, ROOT / "python" / "generate.py", made, tmp_path / "calls.c", tmp_path / "x.pyi"],
                   check=True)
    text = "".join(path.read_text() for path in [*(ROOT / "python" / "src").glob("*.c"), tmp_path / "calls.c"])
    called = set(re.findall(r"\bpinion_\w+", text))
    left = {f["name"] for f in json.loads(made.read_text())["functions"]} - called
    left = {name for name in left if not name.endswith("_f32") or name[:-4] not in called and name[:-4] not in left}
    told = {name for name in left if any(re.search(what, name) for what in ELSEWHERE)}
    assert left == told, sorted(left - told)
    for what in ELSEWHERE:
        assert any(re.search(what, name) for name in left), what


def test_everything_is_documented():
    for module in (pn, pn.research):
        for name, thing in vars(module).items():
            if not name.startswith("_") and (callable(thing) and thing.__module__.startswith("pinion")):
                assert inspect.getdoc(thing), name
    for name, member in inspect.getmembers(pn.Model):
        if not name.startswith("_") and callable(member):
            assert inspect.getdoc(member), name


def test_import_is_quick():
    """At most 30 ms more than numpy's own, of the processor's time: other programs run, too. Modules are compiled as pip
    leaves them, whatever the environment says."""
    code = "import time, numpy; a = time.process_time(); import pinion; print(time.process_time() - a)"
    usual = {**os.environ, "PYTHONDONTWRITEBYTECODE": ""}
    times = [float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True,
                                  env=usual).stdout) for _ in range(5)]
    assert min(times) < 0.03, times


def test_a_call_costs_little(arm):
    """80 ns with out= and 130 ns without are the goals; machines that test are busy, so twice that is let pass."""
    least = [1e9, 1e9]
    for _ in range(20):
        c, given, new = overhead.measure(arm, rounds=100)
        least = [min(least[0], given - c), min(least[1], new - c)]
        if least[0] < 160 and least[1] < 260:
            break
    assert least[0] < 160 and least[1] < 260, least


def test_nothing_but_numpy_is_needed():
    needs = [r for r in metadata.requires("pinion-dynamics") if "extra" not in r]
    assert len(needs) == 1 and needs[0].startswith("numpy")
    code = "import sys, pinion; print({'scipy', 'pandas', 'torch', 'jax'} & {m.split('.')[0] for m in sys.modules})"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "set()"


def test_no_command_installs_the_other_project():
    """The name pinion on PyPI is another project's."""
    files = [*Path(pn.__file__).parent.rglob("*.py"), ROOT / "README.md", *(ROOT / "docs").glob("*.md"),
             ROOT / "pyproject.toml"]
    for path in files:
        assert not re.search(r"pip3? install (-\S+ )*pinion(?![-\w])", path.read_text()), path


def parameters(function):
    """Names of a function's parameters, in the source of its stub."""
    a = function.args
    return [x.arg for x in a.posonlyargs + a.args + a.kwonlyargs if x.arg not in ("self", "cls")] + (
        [a.kwarg.arg] if a.kwarg else [])


def told_in(module):
    """Functions and classes of a module's hand-written stub."""
    tree = ast.parse(Path(module.__file__).with_suffix(".pyi").read_text())
    return {node.name: node for node in tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}


def test_types_are_those_of_the_functions():
    """The hand-written stubs have every public name, with the parameters that it has."""
    own = [name for name, thing in vars(pn.research).items()
           if callable(thing) and thing.__module__ == "pinion.research" and not name.startswith("_")]
    for module, names in ((pn, pn.__all__), (pn.research, own)):
        told = told_in(module)
        assert set(names) - set(told) <= {"Error", "research"}  # which come from _pinion, and from its own file
        for name in names:
            node, thing = told.get(name), getattr(module, name)
            if isinstance(node, ast.FunctionDef):
                assert parameters(node) == list(inspect.signature(thing).parameters), name
            elif node and not any(ast.unparse(base) == "NamedTuple" for base in node.bases):
                for method in (x for x in node.body if isinstance(x, ast.FunctionDef) and not x.decorator_list):
                    has = inspect.signature(getattr(thing, method.name)).parameters
                    assert parameters(method) == [p for p in has if p not in ("self", "cls")], (name, method.name)
                public = {k for k, v in vars(thing).items() if callable(v) and not k.startswith("_")}
                assert public <= {x.name for x in node.body if isinstance(x, ast.FunctionDef)}, name


def test_types_are_told():
    folder = Path(pn.__file__).parent
    assert (folder / "py.typed").exists()
    text = (folder / "_pinion.pyi").read_text()
    compile(text, "_pinion.pyi", "exec")
    assert "def inverse_dynamics(" in text and "class DInverseDynamics(NamedTuple)" in text
