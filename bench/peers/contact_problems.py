"""Contact problems of a quadruped and a humanoid: Pinion's solvers beside Pinocchio's, to the same residual.

    python contact_problems.py PINION CONTACT MODELS [PROBLEMS]

PINION is the command, CONTACT the program made of contact.c, MODELS the folder of the bundled models. The problems are
u = G lambda + g with G = J M^-1 J' of points of the feet and g = J v of random velocities. A solver's tolerance is
made smaller by tens until the natural residual, which is computed here, is not above the goal times the largest |g|;
the time is that of this tolerance. Pinocchio's solvers are called from Python, 2 us a call or so.
"""

import json
import subprocess
import sys
import time

import numpy as np
import pinocchio as pin

FEET = {"quadruped": ["fl_foot", "fr_foot", "rl_foot", "rr_foot"],
        "humanoid": ["%s_corner_%d" % (side, k) for side in ("left", "right") for k in range(4)]}


def initial(path):
    with open(path) as f:
        model = json.load(f)
    q = []
    for joint in model["joints"]:
        if joint["type"] == "fixed":
            continue
        start = joint.get("initial", {}).get("q", [1, 0, 0, 0, 0, 0, 0] if joint["type"] == "free" else 0)
        q += start if isinstance(start, list) else [start]
    return q


def problems(command, folder, name, spread, count, rng):
    """mu, G, g: rows of a contact are normal, tangent, tangent."""
    path = "%s/%s.json" % (folder, name)
    what = ["mass_matrix"] + ["jacobian:" + foot for foot in FEET[name]]
    start = initial(path)
    states = []
    for _ in range(count):
        q = np.array(start, dtype=float)
        q[7:] += rng.uniform(-0.2, 0.2, len(q) - 7)
        states.append(q.tolist())
    run = subprocess.run([command, "eval", path, "--states", "-", "--brief", "--what", ",".join(what)],
                         input=json.dumps({"states": [{"q": q} for q in states]}), capture_output=True, text=True)
    made = []
    for state in json.loads(run.stdout)["states"]:
        M = np.array(state["mass_matrix"])
        rows = []
        for foot in FEET[name]:
            J = np.array(state["jacobian:" + foot])
            for offset in spread:
                point = J[3:] - np.cross(offset, J[:3], axisb=0, axisc=0)
                rows += [point[2], point[0], point[1]]
        J = np.array(rows)
        v = 0.3 * rng.normal(size=M.shape[0])
        v[5] -= 0.3
        G = J @ np.linalg.solve(M, J.T)
        made.append((np.full(len(J) // 3, 0.7), (G + G.T) / 2, J @ v))
    return made


def residual(mu, G, g, x):
    """The natural residual of De Saxce's form over the largest |g|: |x - P(x - r u~)| / r, r by the mean diagonal."""
    u, worst = G @ x + g, 0.0
    for i, m in enumerate(mu):
        k = slice(3 * i, 3 * i + 3)
        r = 3 / np.trace(G[k, k])
        lifted = u[k] + np.array([m * np.linalg.norm(u[k][1:]), 0, 0])
        y = x[k] - r * lifted
        t = np.linalg.norm(y[1:])
        if m * t <= -y[0]:
            p = np.zeros(3)
        elif t <= m * y[0]:
            p = y
        else:
            n = (y[0] + m * t) / (1 + m * m)
            p = np.concatenate([[n], m * n * y[1:] / t])
        worst = max(worst, np.linalg.norm(x[k] - p) / r)
    return worst / np.abs(g).max()


def by_pinion(program, solver, tolerance, problem, rounds):
    mu, G, g = problem
    text = "%s %.17g %d %d " % (solver, tolerance, rounds, len(mu))
    text += " ".join("%.17g" % x for part in (mu, G.ravel(), g) for x in part)
    words = subprocess.run([program], input=text, capture_output=True, text=True, check=True).stdout.split()
    return float(words[0]), np.array([float(x) for x in words[3:]])


ROBOT = pin.Model()
ROBOT.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "root")


def by_pinocchio(solver, tolerance, problem, rounds):
    """The third row of a contact is its normal there."""
    mu, G, g = problem
    turn = np.array([3 * i + k for i in range(len(mu)) for k in (1, 2, 0)])
    models, datas = pin.StdVec_ConstraintModel(), pin.StdVec_ConstraintData()
    for m in mu:
        contact = pin.PointContactConstraintModel(ROBOT, 1)
        contact.setFriction(m)
        models.append(pin.ConstraintModel(contact))
        datas.append(models[-1].createData())
    kind = {"admm": (pin.ADMMConstraintSolver, pin.ADMMSolverSettings, pin.ADMMSolverResult),
            "pgs": (pin.PGSConstraintSolver, pin.PGSSolverSettings, pin.PGSSolverResult)}[solver]
    settings = kind[1]()
    settings.absolute_feasibility_tol = settings.absolute_complementarity_tol = tolerance * np.abs(g).max()
    settings.relative_feasibility_tol = settings.relative_complementarity_tol = 0
    settings.max_iterations = 10000
    settings.solve_ncp = True
    work = kind[0](len(g))
    D, right = np.ascontiguousarray(G[np.ix_(turn, turn)]), g[turn]
    times, x = [], None
    for _ in range(rounds):
        delassus, result = pin.DelassusOperatorDense(D), kind[2]()
        start = time.perf_counter()
        work.solve(delassus, right, models, datas, settings, result)
        times.append(1e6 * (time.perf_counter() - start))
    x = np.empty(len(g))
    x[turn] = np.array(result.retrieveConstraintImpulses()).ravel()
    return np.median(times), x


def to_goal(solve, goal, problem):
    """Microseconds of the first tolerance that meets the goal, and the residual; NaN where none does."""
    for k in range(-1, 5):
        taken, x = solve(goal * 10.0 ** -k, problem, 1)
        if np.all(np.isfinite(x)) and residual(*problem, x) <= goal:
            return solve(goal * 10.0 ** -k, problem, 15)[0]
    return float("nan")


def main():
    command, program, folder = sys.argv[1:4]
    count = int(sys.argv[4]) if len(sys.argv) > 4 else 10
    rng = np.random.default_rng(1)
    wide = [(0.02 * x, 0.02 * y, 0.0) for x in (-1, 1) for y in (-1, 1)]
    cases = [("quadruped", wide[:1], 4), ("quadruped", wide[:2], 8), ("quadruped", wide, 16), ("humanoid", wide[:1], 8)]
    print("| problem | contacts | residual | Pinion admm | pgs | Pinocchio admm | pgs | ratio of the better ones |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for name, spread, contacts in cases:
        made = problems(command, folder, name, spread, count, rng)
        for goal in (1e-6, 1e-8):
            cells, best = [], []
            for solve in ([lambda t, p, r, s=s: by_pinion(program, s, t, p, r) for s in ("admm", "pgs")] +
                          [lambda t, p, r, s=s: by_pinocchio(s, t, p, r) for s in ("admm", "pgs")]):
                times = np.array([to_goal(solve, goal, p) for p in made])
                met = np.isfinite(times)
                part = "" if met.all() else ", %d of %d" % (met.sum(), count)
                cells.append("%.0f us%s" % (np.median(times[met]), part) if met.any() else "none of %d" % count)
                best.append(np.median(times[met]) if met.all() else np.inf)
            ratio = min(best[:2]) / min(best[2:])
            told = "%.2f" % ratio if np.isfinite(ratio) and ratio > 0 else ""
            print("| %s | %d | %.0e | %s | %s |" % (name, contacts, goal, " | ".join(cells), told), flush=True)


if __name__ == "__main__":
    main()
