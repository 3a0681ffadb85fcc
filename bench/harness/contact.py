"""Contact: its solvers beside Pinocchio's, steps beside MuJoCo's, distances beside Coal's. The scripts are in
bench/peers and print tables."""
import os

from harness.install import Missing, last_line, run

# script, PyPI's package, its proof, what it is about
CMEEL = "cmeel.prefix/lib/python3*/site-packages/"
PARTS = (("contact_problems.py", "pin", CMEEL + "pinocchio/__init__.py", "Contact problems, time to the same residual"),
         ("contact_steps.py", "mujoco", "mujoco/__init__.py", "Steps of 1 ms with contact under PD control"),
         ("distances.py", "coal", CMEEL + "coal/__init__.py", "Distances of random pairs of shapes"))


def compiled(root, build, folder):
    program = os.path.join(folder, "contact")
    good, text = run(["cc", "-O2", "-I" + os.path.join(root, "include"), "-o", program,
                      os.path.join(root, "bench", "peers", "contact.c"), "-L" + build, "-lpinion",
                      "-Wl,-rpath," + build], 120)
    if not good:
        raise Missing("contact.c: " + last_line(text))
    return program


def measure(get, root, build, folder, quick):
    """(lines, missing entries)."""
    lines, missing = [], []
    command, models = os.path.join(build, "pinion"), os.path.join(root, "models")
    for script, package, proof, title in PARTS:
        try:
            get.from_pypi(package, proof)
            more = {"contact_problems.py": [models, "5" if quick else "20"],
                    "contact_steps.py": [models, "1" if quick else "5"],
                    "distances.py": ["20" if quick else "200"]}[script]
            if script == "contact_problems.py":
                more = [compiled(root, build, folder)] + more
            print("measuring contact: " + script, flush=True)
            python = os.path.join(folder, "venv", "bin", "python")
            good, text = run([python, os.path.join(root, "bench", "peers", script), command] + more, 900)
            if not good:
                raise Missing(last_line(text))
            lines += ([""] if lines else []) + [title + ":"] + text.strip().splitlines()
        except Missing as why:
            missing.append({"library": package, "work": "contact", "why": str(why)})
    return lines, missing
