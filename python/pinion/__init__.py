"""Robot dynamics: a small, fast library in C, made for numpy.

    import pinion as pn
    m = pn.load("panda.urdf")
    tau = m.inverse_dynamics(q, v, a)      # leading axes are a batch
    M = m.mass_matrix(q, out=M)            # nothing is allocated

Angular parts come first in 6-vectors, quaternions are w, x, y, z, units are SI.
"""
from . import research
from ._builder import Builder
from ._contact import (Scene, Solid, contact_check, contact_solve, contact_solvers, shape_bounds, shape_d_distance,
                       shape_distance, shape_overlaps, shape_patch, support_forces, support_polygon, zero_moment_point)
from ._model import (Error, Model, algorithms, from_dict, load, load_example, load_string, n_four_bar, random_chain,
                     random_tree)
from ._others import from_mujoco, from_pinocchio, load_description
from ._page import Page
from ._pinion import version as __version__
from ._sim import (Controller, Event, Run, Simulation, TaskControl, Tasks, Trajectory, computed_torque, constant_torque,
                   load_run, pd,
                   simulate, task_control,
                   torque_table, torques_load, trajectory_between, trajectory_floating, trajectory_line, trajectory_load,
                   trajectory_samples)
from ._sweep import Sweep, SweepResult, SweepRun, sweep
from ._tools import (Converter, assemble, codegen, constrained_forward_dynamics, constraints, d_element_forces,
                     element_forces, equations, equations_sympy, equilibrium, linearize, mobility, operations,
                     project_acceleration, solve_ik, span, tendon_lengths)

__all__ = [name for name in dir() if not name.startswith("_")]
