"""Distances of Pinion beside those of Coal, on random pairs of all shapes that both have.

    python distances.py PINION [PAIRS] [SEED]

PINION is the command. Prints a line for each pair of shapes: how many were compared, the largest difference of the
distances, and what the plane with Pinion's normal proves: no two convex solids are nearer than it says. Where solids
overlap Coal sometimes finds no depth.
"""

import json
import os
import subprocess
import sys
import tempfile

import coal
import numpy as np

KINDS = ["box", "sphere", "capsule", "cylinder", "cone", "ellipsoid", "mesh"]


def random_turn(rng):
    q = rng.normal(size=4)
    return q / np.linalg.norm(q)


def matrix(q):
    w, x, y, z = q
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                     [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                     [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])


def make(rng, kind):
    """The shape as a collision of the native format, as Coal's, and how far it reaches along a vector of its own."""
    a, b, c = rng.uniform(0.2, 1, 3)
    if kind == "box":
        return ({"shape": "box", "size": [a, b, c]}, coal.Box(a, b, c),
                lambda d: np.abs(d) @ [a / 2, b / 2, c / 2])
    if kind == "sphere":
        return {"shape": "sphere", "radius": a}, coal.Sphere(a), lambda d: a * np.linalg.norm(d)
    if kind == "capsule":
        return ({"shape": "capsule", "radius": a / 2, "length": b}, coal.Capsule(a / 2, b),
                lambda d: a / 2 * np.linalg.norm(d) + b / 2 * abs(d[2]))
    if kind == "cylinder":
        return ({"shape": "cylinder", "radius": a, "length": b}, coal.Cylinder(a, b),
                lambda d: a * np.hypot(d[0], d[1]) + b / 2 * abs(d[2]))
    if kind == "cone":
        return ({"shape": "cone", "radius": a, "length": b}, coal.Cone(a, b),
                lambda d: max(b / 2 * d[2], a * np.hypot(d[0], d[1]) - b / 2 * d[2]))
    if kind == "ellipsoid":
        return ({"shape": "ellipsoid", "radii": [a, b, c]}, coal.Ellipsoid(a, b, c),
                lambda d: np.linalg.norm(np.array([a, b, c]) * d))
    points = rng.uniform(-0.5, 0.5, (20, 3))
    hull = coal.BVHModelOBBRSS()
    hull.beginModel(0, len(points))
    hull.addVertices(points)
    hull.endModel()
    hull.buildConvexHull(True, "Qt")
    return ({"shape": "mesh", "points": points.tolist()}, hull.convex, lambda d: max(points @ d))


def ask_pinion(command, shapes, states):
    """Gaps and nearest points of two bodies that float, at states of both."""
    links = [{"name": "world"}]
    joints = []
    for i, shape in enumerate(shapes):
        links.append({"name": "b%d" % i, "mass": 1, "inertia": {"xx": 1, "yy": 1, "zz": 1}, "collisions": [shape]})
        joints.append({"name": "j%d" % i, "type": "free", "parent": "world", "child": "b%d" % i})
    model = json.dumps({"pinion": 1, "links": links, "joints": joints})
    with tempfile.NamedTemporaryFile("w", suffix=".json", delete=False) as f:
        f.write(model)
    run = subprocess.run([command, "eval", f.name, "--states", "-", "--brief", "--what", "distance:b0/b1"],
                         input=json.dumps({"states": [{"q": q} for q in states]}), capture_output=True, text=True,
                         check=True)
    os.remove(f.name)
    return [s["distance:b0/b1"] for s in json.loads(run.stdout)["states"]]


def ask_coal(geometry, poses):
    place = [coal.Transform3s(matrix(q[:4]), np.array(q[4:])) for q in poses]
    request, result = coal.DistanceRequest(), coal.DistanceResult()
    request.gjk_tolerance = request.epa_tolerance = 1e-10
    request.gjk_max_iterations = request.epa_max_iterations = 1000
    gap = coal.distance(geometry[0], place[0], geometry[1], place[1], request, result)
    return gap, result.getNearestPoint1(), result.getNearestPoint2()


def bound(reach, poses, n):
    """What the plane with normal n proves: no less apart than this."""
    total = 0
    for q, r, sign in zip(poses, reach, (1, -1)):
        total += r(matrix(q[:4]).T @ (sign * n)) + sign * n @ np.array(q[4:])
    return -total


def main():
    command = sys.argv[1]
    pairs = int(sys.argv[2]) if len(sys.argv) > 2 else 200
    rng = np.random.default_rng(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    print("| pair | apart | differ by at most | proof of Pinion's off by | overlapping | Coal fails | "
          "Pinion's depth less Coal's |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    worst = 0
    for i, first in enumerate(KINDS):
        for second in KINDS[i:]:
            apart, differ, proof, deeper, deep, failed = 0, 0.0, 0.0, [], 0, 0
            for _ in range(max(1, pairs // 20)):
                made = [make(rng, first), make(rng, second)]
                states = [[*random_turn(rng), *rng.uniform(-1, 1, 3), *random_turn(rng), *rng.uniform(-1, 1, 3)]
                          for _ in range(20)]
                ours = ask_pinion(command, [m[0] for m in made], states)
                for q, answer in zip(states, ours):
                    poses = [q[:7], q[7:]]
                    gap = ask_coal([m[1] for m in made], poses)[0]
                    proves = bound([m[2] for m in made], poses, np.array(answer["normal"]))
                    proof = max(proof, abs(answer["gap"] - proves))
                    if gap > 0:
                        apart += 1
                        differ = max(differ, abs(gap - answer["gap"]))
                    else:
                        deep += 1
                        failed += gap < -1e300
                        deeper += [] if gap < -1e300 else [gap - answer["gap"]]
            worst = max(worst, proof)
            print("| %s, %s | %d | %.1e | %.1e | %d | %d | %s |" % (first, second, apart, differ, proof, deep, failed,
                  "%.1e to %.1e" % (min(deeper), max(deeper)) if deeper else ""))
    print("Largest error of Pinion's that a plane between or around the two proves: %.1e m" % worst)


if __name__ == "__main__":
    main()
