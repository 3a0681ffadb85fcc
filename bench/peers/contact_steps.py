"""Steps a second with contact: a quadruped and a humanoid that stand under PD control, Pinion beside MuJoCo.

    python contact_steps.py PINION MODELS [SECONDS]

Both take the same model (MuJoCo what `pinion convert` writes, with a plane and servos added), the same step and the
same gains. MuJoCo's contacts are soft and its forces in elliptic cones. In the table, of both: the deepest penetration,
and how far forces are outside of their friction cones at the most, as a share of the normal force. Pinion's steps a
second are those of the command with ten rows of output; MuJoCo's of mj_step with many steps in one call.
"""

import csv
import json
import os
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ET

import mujoco
import numpy as np

KP, KD, STEP = 200, 5, 1e-3


def frictions(path):
    with open(path) as f:
        model = json.load(f)
    return {c.get("name", link["name"]): c.get("friction", 0.8) for link in model["links"]
            for c in link.get("collisions", [])}


def by_pinion(command, path, seconds, folder):
    out = os.path.join(folder, "run.csv")
    run = subprocess.run([command, "sim", path, "--contact", "ground", "--control", "pd", "--kp", str(KP), "--kd",
                          str(KD), "--duration", str(seconds), "--step", str(STEP), "--output-step",
                          str(seconds / 10), "-o", out, "--json"], capture_output=True, text=True, check=True)
    answer = json.loads(run.stdout)
    outside = 0.0
    with open(out) as f:
        for row in csv.DictReader(f):
            for name, mu in frictions(path).items():
                x, y, z = (float(row.get("contact.ground.%s.force.%d" % (name, k), 0)) for k in range(3))
                if z > 0:
                    outside = max(outside, (np.hypot(x, y) - mu * z) / z)
    return answer["steps"] / answer["wall_seconds"], answer["contact"]["penetration"], outside


def by_mujoco(command, path, seconds, folder):
    file = os.path.join(folder, "model.mjcf")
    subprocess.run([command, "convert", path, "-o", file], capture_output=True, check=True)
    tree = ET.parse(file)
    root = tree.getroot()
    ET.SubElement(root, "option", timestep=str(STEP), cone="elliptic")
    ET.SubElement(root.find("worldbody"), "geom", type="plane", size="0 0 1", friction="0 0 0", condim="3")
    for geom in root.iter("geom"):
        geom.set("condim", "3")
    for old in root.findall("actuator"):
        root.remove(old)
    servos = ET.SubElement(root, "actuator")
    for joint in root.iter("joint"):
        if joint.get("type") != "free":
            ET.SubElement(servos, "position", joint=joint.get("name"), kp=str(KP), kv=str(KD))
    m = mujoco.MjModel.from_xml_string(ET.tostring(root, encoding="unicode"))
    d = mujoco.MjData(m)
    d.ctrl[:] = [m.qpos0[m.jnt_qposadr[m.actuator_trnid[i, 0]]] for i in range(m.nu)]
    steps, chunk, taken, deepest, outside = int(round(seconds / STEP)), 100, 0.0, 0.0, 0.0
    force = np.zeros(6)
    for _ in range(steps // chunk):
        start = time.perf_counter()
        mujoco.mj_step(m, d, nstep=chunk)
        taken += time.perf_counter() - start
        for i in range(d.ncon):
            deepest = max(deepest, -d.contact[i].dist)
            mujoco.mj_contactForce(m, d, i, force)
            if force[0] > 0:
                outside = max(outside, (np.hypot(force[1], force[2]) - d.contact[i].friction[0] * force[0]) / force[0])
    return steps / taken, deepest, outside


def main():
    command, folder = sys.argv[1:3]
    seconds = float(sys.argv[3]) if len(sys.argv) > 3 else 2
    print("| machine | | steps a second | deepest penetration | outside of cones by |")
    print("| --- | --- | --- | --- | --- |")
    for name in ("quadruped", "humanoid"):
        with tempfile.TemporaryDirectory() as own:
            path = "%s/%s.json" % (folder, name)
            for who, run in (("Pinion", by_pinion), ("MuJoCo %s" % mujoco.__version__, by_mujoco)):
                rate, deep, outside = run(command, path, seconds, own)
                print("| %s | %s | %.0f | %.1e m | %.1e |" % (name, who, rate, deep, max(outside, 0)), flush=True)


if __name__ == "__main__":
    main()
