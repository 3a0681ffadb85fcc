"""What pinion.jax and pinion.torch are both tried on."""
import numpy as np

import pinion as pn


def everything():
    """Every kind of joint whose q is no vector, on a free base, and others."""
    m = pn.random_tree(6, free_root=True, seed=28)
    assert {"free", "spherical", "planar"} <= {j.type for j in m.joints}, [j.type for j in m.joints]
    return m


def state(m, seed=0, *lead):
    rng = np.random.default_rng(seed)
    q = m.random(seed, count=int(np.prod(lead, initial=1))).reshape(*lead, m.nq)
    x = {"q": q, "q0": q, "q1": m.integrate(q, 0.3 * rng.normal(size=(*lead, m.nv)))}
    x.update({n: rng.normal(size=(*lead, m.nv)) for n in ("v", "a", "tau")})
    x["f_ext"] = rng.normal(size=(*lead, m.nbody, 6))
    return x


# function, its arrays, its options; the method is called the same
CASES = [
    ("inverse_dynamics", "q v a f_ext", {}), ("gravity", "q", {}),
    ("forward_dynamics", "q v tau f_ext", {}), ("mass_matrix", "q", {}), ("mass_matrix_inverse", "q", {}),
    ("passive_forces", "q v", {}), ("energy", "q v", {"passive": True}), ("com", "q v", {}), ("momentum", "q v", {}),
    ("pose", "q", {"frame": -1}), ("jacobian", "q", {"frame": -1, "reference": "local"}),
    ("velocity", "q v", {"frame": -1, "reference": "world"}),
    ("acceleration", "q v a", {"frame": -1, "kind": "spatial"}),
    ("integrate", "q v", {"dt": 0.3}), ("difference", "q0 q1", {}),
    ("step", "q v tau f_ext", {"dt": 0.01}), ("step", "q v tau", {"dt": 0.01, "method": "rk4"}),
]


def functions(package, m, name, arguments, options):
    """The same of a package and of numpy, of arrays alone."""
    options = {**options, **({"frame": m.frames.names[-1]} if "frame" in options else {})}
    names = arguments.split()
    return (lambda *x: getattr(package, name)(m, **dict(zip(names, x)), **options),
            lambda *x: getattr(m, name)(**dict(zip(names, x)), **options), names)
