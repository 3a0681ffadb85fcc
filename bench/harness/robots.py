"""The robots: real ones where their files are, bundled models and generated chains always."""
import json
import os
import subprocess

CHAINS = (6, 7, 12, 30, 100, 300)
# name, file, base
REAL = (("ur5", "ur5_robot.urdf", "fixed"),
        ("panda", "panda.urdf", "fixed"),
        ("hyq", "hyq_no_sensors.urdf", "free"),
        ("anymal-b", "anymal_b_simple_description-anymal.urdf", "free"),
        ("simple-humanoid", "simple_humanoid.urdf", "free"),
        ("talos", "talos_full_v2.urdf", "free"))
OPTIMIZED = ("panda", "simple-humanoid") # those that examples/ilqr.c moves
BUNDLED = ("puma560-corke", "puma560-akb", "stanford")


class Robot:
    def __init__(self, name, path, base):
        self.name, self.path, self.base = name, path, base
        self.nv = 0
        self.description = self.states = None


def names():
    return [robot[0] for robot in REAL] + list(BUNDLED) + ["chain-%d" % n for n in CHAINS]


def real_folder(root):
    return os.environ.get("PINION_ROBOTS") or os.path.join(root, "..", "shared", "robots")


def without_motors(value):
    """The model without rotors and motors, which not every library has."""
    if isinstance(value, dict):
        return {key: without_motors(item) for key, item in value.items() if key not in ("rotor", "motor")}
    if isinstance(value, list):
        return [without_motors(item) for item in value]
    return value


def collect(wanted, root, pinion, folder):
    """Returns the robots and {name: why it is missing}."""
    os.makedirs(folder, exist_ok=True)
    robots, missing = [], {}
    for name, file, base in REAL:
        path = os.path.join(real_folder(root), file)
        if name in wanted and os.path.exists(path):
            robots.append(Robot(name, path, base))
        elif name in wanted:
            missing[name] = "its file %s is not in the folder of robots (PINION_ROBOTS)" % file
    for name in BUNDLED:
        if name in wanted:
            with open(os.path.join(root, "models", name + ".json")) as file:
                model = without_motors(json.load(file))
            path = os.path.join(folder, name + ".json")
            with open(path, "w") as file:
                json.dump(model, file)
            robots.append(Robot(name, path, "fixed"))
    for n in CHAINS:
        name = "chain-%d" % n
        if name in wanted:
            path = os.path.join(folder, name + ".urdf")
            subprocess.run([pinion, "generate", "chain", str(n), "-o", path], check=True,
                           stdout=subprocess.DEVNULL)
            robots.append(Robot(name, path, "fixed"))
    return robots, missing


def describe(robot, program, folder):
    """Writes the description and the states that all programs read. Returns why it failed, or None."""
    robot.description = os.path.join(folder, robot.name + ".txt")
    robot.states = os.path.join(folder, robot.name + ".states")
    done = subprocess.run([program, robot.path, robot.base, robot.description, robot.states], capture_output=True,
                          text=True)
    if done.returncode:
        return done.stderr.strip() or "describe failed"
    robot.nv = int(done.stdout)
    return None
