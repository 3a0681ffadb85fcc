"""The papers' own matters: factors of the mass matrix, their global matrices, sparse systems, one state on many
threads.

    from pinion import research
    F = research.factorize(m, q)
    a = F.solve(tau)
"""

import numpy as np

from . import _pinion
from ._arguments import _whole
from ._model import Error, _of_model
from ._named import named
from ._sim import _row

GlobalSystem = named("GlobalSystem", "matrix rhs joints row column value")
Sparse = named("Sparse", "a lambda_ residual unknowns entries factor_entries")


class Factorization:
    """Factors of M(q), for several right-hand sides. `factors` is what the algorithm made."""

    def __init__(self, model, algorithm, factors):
        self.model, self.algorithm, self.factors = model, algorithm, factors

    def solve(self, b):
        """M^-1 b."""
        return _pinion.factorization(self.model, self.algorithm, self.factors, _row("b", b, self.model.nv), False)[0]

    def multiply(self, x):
        """M x."""
        return _pinion.factorization(self.model, self.algorithm, self.factors, _row("x", x, self.model.nv), True)[0]


@_of_model
def factorize(model, q, algorithm="ltdl"):
    """A Factorization of M(q): "ltdl", "ltl", "udu" or "inverse"."""
    return Factorization(model, algorithm, _pinion.factorization(model, algorithm, _row("q", q, model.nq))[0])


def operators():
    """{name: what it is} of the matrices that operator() gives."""
    return dict(_pinion.operators())


@_of_model
def operator(model, name, q, v=None):
    """A global matrix of a paper at a state, whole: "P", "H", "N_l", ..., see operators()."""
    return _pinion.operators(model, name, _row("q", q, model.nq), _row("v", 0.0 if v is None else v, model.nv))[0]


@_of_model
def global_system(model, q, v=None, tau=None, t=0.0, alpha=0.0):
    """The equations of all bodies, joints and loops as one sparse symmetric system (docs/sparse.md): entries on and
    below
    the diagonal, and the dense matrix. global_accelerations() makes joint accelerations of a solution."""
    def vector(name, x):
        return _row(name, 0.0 if x is None else x, model.nv)
    value, rhs, joints, row, column = _pinion.global_system(model, _row("q", q, model.nq), vector("v", v),
                                                            vector("tau", tau), t, alpha)
    matrix = np.zeros((len(rhs), len(rhs)))
    np.add.at(matrix, (row, column), value)
    matrix += np.tril(matrix, -1).T
    return GlobalSystem(matrix, rhs, joints, row, column, value)


@_of_model
def global_accelerations(model, system, solution):
    """The accelerations of the joints from a solution of global_system()."""
    return _pinion.global_accelerations(model, system.joints, _row("solution", solution, len(system.rhs)))[0]


@_of_model
def sparse_forward_dynamics(model, q, v=None, tau=None, t=0.0):
    """Forward dynamics of a large mechanism by one sparse system: Sparse (a, lambda_, residual, ...)."""
    return Sparse(*_pinion.sparse(model, _row("q", q, model.nq), _row("v", 0.0 if v is None else v, model.nv),
                                  _row("tau", 0.0 if tau is None else tau, model.nv), t))


@_of_model
def forward_dynamics_threads(model, q, v=None, tau=None, threads=None):
    """Forward dynamics of one state by divide and conquer on several threads (docs/parallel.md)."""
    return _pinion.forward_dynamics_threads(model, model.threads if threads is None else _whole("threads", threads, 1),
                                            _row("q", q, model.nq), _row("v", 0.0 if v is None else v, model.nv),
                                            _row("tau", 0.0 if tau is None else tau, model.nv))[0]


def paper(name, folder):
    """Does a paper's experiments again, "saha", "provenzano", "safeea" or "featherstone": its tables and a report go to
    `folder`. Gives what `pinion paper --json` prints, as dictionaries."""
    import json
    import subprocess
    import sys
    run = subprocess.run([sys.executable, "-m", "pinion", "paper", name, "-o", folder, "--json"], capture_output=True,
                         text=True)
    if run.returncode:
        raise Error(run.stderr.strip())
    return json.loads(run.stdout)
