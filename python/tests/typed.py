"""What a type checker must accept; `error` marks what it must not. tools/wheel lets mypy read it."""
import numpy as np

import pinion as pn

m = pn.load("arm.urdf", root="free")
tau: pn.Array = m.inverse_dynamics(np.zeros(3), None, [1.0], out=np.zeros(3))
dq, dv, da = m.d_inverse_dynamics([0.0], errors="nan")
matrix: pn.Array = dq @ dv
where = m.frames(np.zeros(3)).position
name: str = m.joints["elbow"].parent
J = m.jacobian([0.0], m.frames["tool"].name, reference="local")
run = pn.simulate(m, 1.0, control=lambda t, q, v: 2 * q, q0={"elbow": 1.0}, events=[pn.Event("limit", stop=True)])
steps: int = run.summary.steps
path = pn.trajectory_between(m, [0.0], [1.0], 2.0, "quintic")
pn.simulate(m, 1.0, control=pn.computed_torque(path, 400, np.ones(3)))

end = m.rollout([0.0], steps=10, hold=5, tau=np.zeros((2, 3)))
last: pn.Array = end.q_record[-1]
B = m.d_rollout(np.zeros((4, 3))).B
pn.simulate(m, 1.0, forces=[{"springs": []}, lambda t, q, v: {"tool": np.zeros(6)}],
            events=[pn.Event(lambda t, q, v: q[0])])
F = pn.research.factorize(m, [0.0]).solve([1.0])
run.show().save("x.html")
pn.simulate(m, 1.0, events=pn.Event("limit"))
nu: int = m.nu

q, v, touching, report = pn.Scene(m, ground=True).step([0.0], [0.0], dt=1e-3)
most: float = report.solution.residuals.natural + touching.force.max()
forces: pn.Array = pn.contact_solve(np.eye(3), [0.0, 0, 0], 0.5, law=["limit", "limit", "limit"]).lambda_
gap: float = pn.shape_distance(pn.Solid("sphere", 1), pn.Solid("plane")).gap
pn.simulate(m, 1.0, contact={"ground": True})

m.jacobian([0.0])  # error: frame is missing
m.inverse_dynamics([0.0], errors="ignore")  # error: no such word
pn.load("arm.urdf", root="loose")  # error: no such root
pn.simulate(m, control=3)  # error: no duration, and no controller
pn.simulate(m, 1.0, contact="floor")  # error: no such word
