"""What pinion.jax and pinion.torch offer, each function once: they differ in how a call is run."""


def operations(module, run, array):
    """The functions of a module, in the order of their names. run(model, call, {argument: array or None}, title=, ...)
    runs a call of the C library with options; `title` is what errors call it."""

    def inverse_dynamics(m, q, v=None, a=None, f_ext=None):
        """Joint forces (..., nv) for a motion; None: zero."""
        return run(m, "inverse_dynamics", {"q": q, "v": v, "a": a, "f_ext": f_ext})

    def bias(m, q, v=None):
        """Joint forces (..., nv) at zero acceleration."""
        return run(m, "inverse_dynamics", {"q": q, "v": v}, title="bias")

    def gravity(m, q):
        """Joint forces (..., nv) at rest."""
        return run(m, "inverse_dynamics", {"q": q}, title="gravity")

    def forward_dynamics(m, q, v=None, tau=None, f_ext=None):
        """Accelerations (..., nv); closed loops are kept."""
        return run(m, "forward_dynamics", {"q": q, "v": v, "tau": tau, "f_ext": f_ext})

    def mass_matrix(m, q):
        """(..., nv, nv)"""
        return run(m, "mass_matrix", {"q": q})

    def mass_matrix_inverse(m, q):
        """(..., nv, nv)"""
        return run(m, "mass_matrix_inverse", {"q": q})

    def passive_forces(m, q, v=None):
        """What dampers, springs and friction exert on the joints, (..., nv). The derivative of friction is zero."""
        return run(m, "passive_forces", {"q": q, "v": v})

    def energy(m, q, v=None, passive=False):
        """(kinetic, potential); passive: with the springs."""
        return run(m, "energy", {"q": q, "v": v}, passive=passive)

    def com(m, q, v=None):
        """The centre of mass in the world: (position, velocity), (..., 3) each."""
        return run(m, "com", {"q": q, "v": v})

    def momentum(m, q, v):
        """[angular; linear] about the centre of mass, world axes."""
        return run(m, "momentum", {"q": q, "v": v})

    def pose(m, q, frame):
        """(position, rotation) of a frame in the world, (..., 3) and (..., 3, 3)."""
        return run(m, "pose", {"q": q}, frame=frame)

    def jacobian(m, q, frame, reference="world_aligned"):
        """(..., 6, nv), angular rows first."""
        return run(m, "jacobian", {"q": q}, frame=frame, reference=reference)

    def velocity(m, q, v, frame, reference="world_aligned"):
        """[angular; linear] of a frame."""
        return run(m, "velocity", {"q": q, "v": v}, frame=frame, reference=reference)

    def acceleration(m, q, v, a, frame, reference="world_aligned", kind="classical"):
        """[angular; linear] of a frame, gravity not included."""
        return run(m, "acceleration", {"q": q, "v": v, "a": a}, frame=frame, reference=reference, kind=kind)

    def integrate(m, q, v, dt=1.0):
        """q (+) v dt."""
        return run(m, "integrate", {"q": q, "v": v if isinstance(dt, float) and dt == 1 else array(v) * dt})

    def difference(m, q0, q1):
        """The v with q1 = q0 (+) v."""
        return run(m, "difference", {"q0": q0, "q1": q1})

    def step(m, q, v=None, tau=None, f_ext=None, dt=0.001, method="semi_implicit", passive=False):
        """(q, v) one time step later, tau held constant. method: "semi_implicit" or "rk4"; dt is a number, no array."""
        return run(m, "step", {"q": q, "v": v, "tau": tau, "f_ext": f_ext}, dt=dt, method=method, passive=passive)

    made = (acceleration, bias, com, difference, energy, forward_dynamics, gravity, integrate, inverse_dynamics,
            jacobian, mass_matrix, mass_matrix_inverse, momentum, passive_forces, pose, step, velocity)
    for function in made:
        function.__module__, function.__qualname__ = module, function.__name__
    return made
