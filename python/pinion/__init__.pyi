"""Types of the public names. tests/test_package.py compares them with what is there."""
from collections.abc import Callable, Iterator, Mapping, Sequence
from os import PathLike
from typing import Any, Generic, Literal, NamedTuple, TypeVar, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _pinion
from . import research as research
from ._pinion import Array as Array, Error as Error

__version__: str
_E = TypeVar("_E")
_Root = Literal["fixed", "free"] | None
_Mimic = Literal["follow", "independent"]
_Profile = Literal["cycloidal", "quintic", "trapezoidal", "uniform", "nonic"]

class Pose(NamedTuple):
    position: NDArray[np.float64]
    rotation: NDArray[np.float64]

class Inertia(NamedTuple):
    mass: float
    com: NDArray[np.float64]
    inertia: NDArray[np.float64]

class Dof(NamedTuple):
    lower: float
    upper: float
    velocity: float
    effort: float
    damping: float
    friction_positive: float
    friction_negative: float
    rotor_inertia: float
    gear_ratio: float
    stiffness: float
    rest: float
    damping_curve: tuple[float, float]
    stiffness_curve: tuple[float, float]

class _Element:
    index: int
    name: str
    def __index__(self) -> int: ...

class Joint(_Element):
    type: str
    parent: str
    child: str
    body: int
    q_index: int
    nq: int
    v_index: int
    nv: int
    leader: int
    multiplier: float
    offset: float
    reversed: bool
    actuated: bool
    parent_pose: Pose
    child_pose: Pose
    axis: NDArray[np.float64]
    pitch: float
    dofs: tuple[Dof, ...]
    @property
    def q(self) -> slice: ...
    @property
    def v(self) -> slice: ...

class Link(_Element):
    joint: int
    body: int
    inertia: Inertia

class Frame(_Element):
    link: str
    body: int
    pose: Pose

class Body(_Element):
    parent: int
    joint: int
    link: int
    mass: float
    parameters: NDArray[np.float64]

class Loop(_Element):
    kind: str
    row: int
    rows: int
    nonholonomic: int
    first: int
    second: int
    ratio: float
    length: float
    radius: float
    curve: NDArray[np.float64]

class Actuator(_Element):
    type: str
    frame: int
    wrench: NDArray[np.float64]
    gear: float
    efficiency: float
    effort: NDArray[np.float64]
    velocity: float
    terms: tuple[tuple[int, int, float, int, float], ...]
    time_constant: float
    reference: int
    tendon: int
    rod: float
    law: tuple[float, NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], float, bool,
               NDArray[np.float64]]

class Tendon(_Element):
    type: str
    terms: tuple[tuple[int, float], ...]
    stiffness: float
    damping: float
    rest: NDArray[np.float64]
    limits: NDArray[np.float64]
    damping_curve: NDArray[np.float64]
    stiffness_curve: NDArray[np.float64]

class Visual(NamedTuple):
    link: str
    shape: str
    pose: Pose
    size: NDArray[np.float64]
    mesh: str | None
    rgba: NDArray[np.float64]

class Collision(NamedTuple):
    link: str
    name: str
    shape: str
    pose: Pose
    size: NDArray[np.float64]
    mesh: str | None
    data: NDArray[np.float64] | None
    friction: NDArray[np.float64]
    restitution: float
    margin: float
    dimension: int
    category: int
    mask: int
    group: int

class CollisionPair(NamedTuple):
    first: int
    second: int
    friction: NDArray[np.float64]
    margin: float
    dimension: int

class Rollout(NamedTuple):
    q: Array
    v: Array
    q_record: Array
    v_record: Array

class DRollout(NamedTuple):
    q: Array
    v: Array
    q_record: Array
    v_record: Array
    A: Array
    B: Array

class Elements(Generic[_E]):
    @overload
    def __getitem__(self, key: int | str) -> _E: ...
    @overload
    def __getitem__(self, key: slice) -> tuple[_E, ...]: ...
    def __iter__(self) -> Iterator[_E]: ...
    def __len__(self) -> int: ...
    def __contains__(self, key: object) -> bool: ...
    @property
    def names(self) -> tuple[str, ...]: ...

class Frames(Elements[Frame]):
    def __call__(self, q: ArrayLike, out: tuple[Array | None, Array | None] | None = ...,
                 errors: Literal["raise", "nan"] = ...) -> _pinion.Frames: ...

class Model(_pinion.Model):
    links: Elements[Link]
    joints: Elements[Joint]
    tree_joints: Elements[Joint]
    frames: Frames  # type: ignore[assignment]
    bodies: Elements[Body]
    loops: Elements[Loop]
    actuators: Elements[Actuator]
    tendons: Elements[Tendon]
    @property
    def actuators_listed(self) -> bool: ...
    visuals: tuple[Visual, ...]
    collisions: tuple[Collision, ...]
    no_collisions: tuple[tuple[str, str], ...]
    collision_pairs: tuple[CollisionPair, ...]
    def may_collide(self, first: int, second: int) -> bool: ...
    def collision_points(self, index: int, package_path: str | None = ...) -> Array: ...
    joint_parameters: Array
    states: dict[str, tuple[Array, Array]]
    groups: dict[str, tuple[str, ...]]
    warnings: tuple[str, ...]
    def rollout(self, q: ArrayLike, v: ArrayLike | None = ..., tau: ArrayLike | None = ..., steps: int = ...,
                dt: float = ...,
                method: Literal["semi_implicit", "rk4"] = ..., hold: int = ..., every: int = ..., passive: bool = ...,
                q_target: ArrayLike | None = ..., v_target: ArrayLike | None = ..., kp: ArrayLike | None = ...,
                kd: ArrayLike | None = ..., limit: ArrayLike | None = ..., f_ext: ArrayLike | None = ...,
                errors: Literal["raise", "nan"] = ...) -> Rollout: ...
    def d_rollout(self, q: ArrayLike, v: ArrayLike | None = ..., tau: ArrayLike | None = ..., steps: int = ...,
                  dt: float = ...,
                  method: Literal["semi_implicit", "rk4"] = ..., hold: int = ..., every: int = ..., passive: bool = ...,
                  q_target: ArrayLike | None = ..., v_target: ArrayLike | None = ..., kp: ArrayLike | None = ...,
                  kd: ArrayLike | None = ..., limit: ArrayLike | None = ..., f_ext: ArrayLike | None = ...,
                  errors: Literal["raise", "nan"] = ...) -> DRollout: ...
    def initial(self) -> tuple[Array, Array]: ...
    def random(self, seed: int = ..., count: int | None = ...) -> Array: ...
    def normalize(self, q: ArrayLike) -> Array: ...
    def with_gravity(self, gravity: ArrayLike) -> Model: ...
    def with_payload(self, link: str | int, mass: float = ..., com: ArrayLike = ...,
                     inertia: ArrayLike | None = ...) -> Model: ...
    def with_meshes(self, package_path: str | None = ...) -> Model: ...
    def with_inertia(self, link: str | int, mass: float, com: ArrayLike = ...,
                     inertia: ArrayLike | None = ...) -> Model: ...
    def with_dof(self, joint: str | int, dof: int = ..., **values: float) -> Model: ...
    def with_frame(self, frame: str | int, position: ArrayLike = ..., rotation: ArrayLike | None = ...) -> Model: ...
    def reduced(self, joints: Sequence[str | int], q: ArrayLike | None = ...) -> Model: ...
    def with_part(self, frame: str | int, part: Model, prefix: str | None = ..., position: ArrayLike = ...,
                  rotation: ArrayLike | None = ...) -> Model: ...
    def subtree(self, link: str | int) -> Model: ...
    def with_new_frame(self, name: str, link: str | int, position: ArrayLike = ...,
                       rotation: ArrayLike | None = ...) -> Model: ...
    def renamed(self, names: Mapping[str, str]) -> Model: ...
    def scaled(self, length: float, mass: float | None = ...) -> Model: ...
    def compile(self, what: str | None = ..., f_ext: bool = ..., compiler: str | None = ...,
                cache: str | None = ...) -> Model: ...
    def show(self, q: ArrayLike | None = ..., t: ArrayLike | None = ..., height: int = ...) -> Page: ...
    def to_json(self) -> str: ...
    def to_urdf(self) -> str: ...
    def save(
        self, path: str | bytes | PathLike[Any], format: Literal["json", "urdf", "mjcf", "sdf"] | None = ...,
        strict: bool = ...
    ) -> tuple[str, ...]: ...

class Page:
    html: str
    height: int
    def __init__(self, html: str, height: int = ...) -> None: ...
    def save(self, path: str | PathLike[str]) -> None: ...
    def open(self) -> str: ...

class Algorithm(NamedTuple):
    name: str
    problem: str
    source: str
    complexity: str
    applies_to: str
    kernel: bool

def load(path: str | bytes | PathLike[Any], root: _Root = ..., mimic: _Mimic = ...,
         gravity: ArrayLike | None = ..., strict: bool = ..., model_path: str | None = ...,
         srdf: str | PathLike[str] | None = ...) -> Model: ...
def load_example(name: str, root: _Root = ..., mimic: _Mimic = ..., gravity: ArrayLike | None = ...) -> Model: ...
def load_string(text: str, format: Literal["auto", "urdf", "json", "mjcf", "sdf"] = ..., name: str = ...,
                root: _Root = ..., mimic: _Mimic = ..., gravity: ArrayLike | None = ...,
                strict: bool = ...) -> Model: ...
def from_dict(description: Mapping[str, Any], name: str = ..., root: _Root = ..., mimic: _Mimic = ...,
              gravity: ArrayLike | None = ...) -> Model: ...
def load_description(name: str, root: _Root = ..., mimic: _Mimic = ..., gravity: ArrayLike | None = ...) -> Model: ...
def from_pinocchio(model: Any) -> Model: ...
def from_mujoco(model: Any, strict: bool = ...) -> Model: ...
def random_chain(joints: int, seed: int = ...) -> Model: ...
def random_tree(joints: int, free_root: bool = ..., seed: int = ...) -> Model: ...
def n_four_bar(n: int) -> Model: ...
def algorithms(problem: str | None = ...) -> list[Algorithm]: ...

class Builder:
    def __init__(self, name: str = ..., gravity: Sequence[float] | None = ..., root: str | None = ...) -> None: ...
    def add_link(self, name: str, mass: float | None = ..., com: ArrayLike | None = ...,
                 inertia: Mapping[str, float] | ArrayLike | None = ..., **keys: Any) -> Builder: ...
    def add_joint(self, name: str, type: str, parent: str, child: str, **keys: Any) -> Builder: ...
    def add_loop(self, name: str, **keys: Any) -> Builder: ...
    def add_frame(self, name: str, link: str, **keys: Any) -> Builder: ...
    def add_state(self, name: str, q: Mapping[str, Any] | None = ..., v: Mapping[str, Any] | None = ...) -> Builder: ...
    def add_group(self, name: str, joints: Sequence[str]) -> Builder: ...
    def add_actuator(self, name: str, **keys: Any) -> Builder: ...
    def add_no_collision(self, first: str, second: str) -> Builder: ...
    def add_collision_pair(self, first: str, second: str, **keys: Any) -> Builder: ...
    def build(self, root: _Root = ..., mimic: _Mimic = ..., gravity: ArrayLike | None = ...) -> Model: ...

class State(NamedTuple):
    q: Array
    v: Array
    a: Array

class Higher(NamedTuple):
    jerk: Array
    snap: Array

class Trajectory:
    model: Model
    @property
    def start(self) -> float: ...
    @property
    def end(self) -> float: ...
    def __call__(self, t: ArrayLike) -> State: ...
    def higher(self, t: ArrayLike) -> Higher: ...

def trajectory_between(model: Model, q0: ArrayLike, q1: ArrayLike, duration: float, profile: _Profile = ...,
                       blend: float = ...) -> Trajectory: ...
def trajectory_samples(model: Model, t: ArrayLike, q: ArrayLike, v: ArrayLike | None = ...,
                       a: ArrayLike | None = ...) -> Trajectory: ...
def trajectory_line(model: Model, q0: ArrayLike, frame: str | int, displacement: ArrayLike, duration: float,
                    profile: _Profile = ..., blend: float = ...) -> Trajectory: ...

def trajectory_floating(model: Model, q0: ArrayLike, frame: str | int, position: ArrayLike, rotation: ArrayLike,
                        duration: float, profile: _Profile = ..., blend: float = ...) -> Trajectory: ...
def trajectory_load(model: Model, path: str | PathLike[str]) -> Trajectory: ...
def torques_load(model: Model, path: str | PathLike[str]) -> tuple[Array, Array]: ...

class Controller: ...

class TaskControl:
    tasks: Any
    limit: bool
    def __init__(self, tasks: str | PathLike[str] | Mapping[str, Any], limit: bool = ...) -> None: ...

def task_control(tasks: str | PathLike[str] | Mapping[str, Any], limit: bool = ...) -> TaskControl: ...

class Wanted(NamedTuple):
    J: Array
    a: Array

class Tasks:
    model: Model
    damped: Array
    out_of_reach: Array
    def __init__(self, model: Model, tasks: str | PathLike[str] | Mapping[str, Any], q: ArrayLike | None = ...,
                 limit: bool = ...) -> None: ...
    def __len__(self) -> int: ...
    def __call__(self, t: float, q: ArrayLike, v: ArrayLike) -> Array: ...
    def wanted(self, task: int, t: float, q: ArrayLike, v: ArrayLike) -> Wanted: ...

def constant_torque(tau: ArrayLike | None = ..., gravity: bool = ..., limit: bool = ...) -> Controller: ...
def torque_table(t: ArrayLike, tau: ArrayLike, gravity: bool = ..., limit: bool = ...) -> Controller: ...
def pd(target: Trajectory | ArrayLike, kp: ArrayLike, kd: ArrayLike, gravity: bool = ...,
       limit: bool = ...) -> Controller: ...
def computed_torque(target: Trajectory | ArrayLike, kp: ArrayLike, kd: ArrayLike, limit: bool = ...) -> Controller: ...

class Event:
    def __new__(cls, kind: Literal["limit", "plane", "energy", "kinetic"] | Callable[[float, Array, Array], float],
                of: str | int | None = ..., normal: ArrayLike = ..., height: float = ..., direction: int = ...,
                stop: bool = ..., name: str | None = ...) -> Event: ...

class Summary(NamedTuple):
    end: str
    why: str
    t_end: float
    steps: int
    refused: int
    evaluations: int
    largest_kinetic: float
    largest_drift: float
    warning: str
    wall: float

class ContactTotals(NamedTuple):
    pairs: int
    left_out: int
    most: int
    impacts: int
    bounded: int
    unsolved: int
    softened: int
    penetration: float
    residual: float
    cone: float
    dual: float
    complementarity: float
    dissipation: float
    undetermined: int
    not_least: int
    immovable: int
    unrecorded: int

class Run:
    model: Model
    t: Array
    q: Array
    v: Array
    a: Array
    tau: Array
    columns: dict[str, Array]
    units: dict[str, str]
    events: list[tuple[float, str]]
    summary: Summary
    settings: dict[str, str]
    contact: ContactTotals | None
    def __len__(self) -> int: ...
    def show(self, height: int = ...) -> Page: ...
    def to_pandas(self) -> Any: ...
    def save(self, path: str | PathLike[str]) -> None: ...

def load_run(path: str | PathLike[str], model: Model | None = ...) -> Run: ...

_Force = str | PathLike[str] | Mapping[str, Any] | Callable[[float, Array, Array], ArrayLike | Mapping[str, ArrayLike]]

def simulate(model: Model, duration: float, q0: ArrayLike | Mapping[str, Any] | str | None = ...,
             v0: ArrayLike | Mapping[str, Any] | None = ...,
             control: Controller | TaskControl | Callable[[float, Array, Array], ArrayLike] | None = ...,
             output_step: float | None = ..., integrator: str = ..., tol: float = ..., step: float | None = ...,
             passive: bool = ..., limits: bool = ..., events: Event | Sequence[Event] = ...,
             forces: _Force | Sequence[_Force] = ..., algorithm: str | None = ..., stabilization: str = ...,
             baumgarte: float | None = ..., max_step: float | None = ..., max_steps: int | None = ...,
             max_time: float | None = ..., max_drift: float | None = ...,
             actuators: Callable[[float, Array, Array], ArrayLike] | None = ..., control_step: float | None = ...,
             control_delay: float | None = ..., sensors: str | PathLike[str] | Mapping[str, Any] | None = ...,
             frames: Sequence[str | int] = ..., friction: Literal["smooth", "exact"] = ...,
             stiction: float | None = ...,
             contact: Literal["model", "ground"] | Mapping[str, Any] | None = ...) -> Run: ...

class Instant(NamedTuple):
    t: float
    q: Array
    v: Array
    a: Array
    tau: Array
    u: Array
    kinetic: float
    potential: float
    work: float
    drift: float
    constraint: float
    stopped: bool

class StepCounts(NamedTuple):
    steps: int
    refused: int
    evaluations: int
    implicit_steps: int
    changes: int
    sticks: int
    slips: int

class Simulation:
    model: Model
    events: list[tuple[float, str]]
    def __init__(self, model: Model, q0: ArrayLike | Mapping[str, Any] | str | None = ...,
                 v0: ArrayLike | Mapping[str, Any] | None = ...,
                 control: Controller | TaskControl | Callable[[float, Array, Array],
                                                              ArrayLike] | None = ..., integrator: str = ...,
                 tol: float = ..., step: float | None = ..., passive: bool = ..., limits: bool = ...,
                 events: Event | Sequence[Event] = ..., forces: _Force | Sequence[_Force] = ...,
                 algorithm: str | None = ..., stabilization: str = ..., baumgarte: float | None = ...,
                 max_step: float | None = ...,
                 actuators: Callable[[float, Array, Array], ArrayLike] | None = ..., control_step: float | None = ...,
                 control_delay: float | None = ..., sensors: str | PathLike[str] | Mapping[str, Any] | None = ...,
                 friction: Literal["smooth", "exact"] = ..., stiction: float | None = ...,
                 by_hand: bool = ...,
                 contact: Literal["model", "ground"] | Mapping[str, Any] | None = ...) -> None: ...
    def apply(self, tau: ArrayLike | None = ..., u: ArrayLike | None = ...,
              f_ext: ArrayLike | None = ...) -> Simulation: ...
    @property
    def readings(self) -> dict[str, float]: ...
    def advance(self, dt: float) -> Simulation: ...
    def advance_to(self, t: float) -> Simulation: ...
    @property
    def state(self) -> Instant: ...
    def store(self) -> Array: ...
    def restore(self, memory: ArrayLike) -> Simulation: ...
    @property
    def counts(self) -> StepCounts: ...
    @property
    def contact(self) -> ContactTotals | None: ...
    @property
    def t(self) -> float: ...
    @property
    def q(self) -> Array: ...
    @property
    def v(self) -> Array: ...
    @property
    def a(self) -> Array: ...
    @property
    def tau(self) -> Array: ...
    @property
    def stopped(self) -> bool: ...

class Solution(NamedTuple):
    q: Array
    converged: bool
    starts: int
    iterations: int
    position_error: float
    orientation_error: float

class Linear(NamedTuple):
    A: Array
    B: Array
    velocities: NDArray[np.intc]
    inputs: NDArray[np.intc]
    a: Array
    eigenvalues: NDArray[np.complex128]
    loss: float

class Constraints(NamedTuple):
    phi: Array
    L: Array
    rate: Array
    c: Array
    rank: int
    freedom: int

class Mobility(NamedTuple):
    rows: int
    rank: int
    redundant: int
    gruebler: int
    freedom: int
    doubt: float
    singular: bool
    open: float

class ElementForces(NamedTuple):
    springs: Array
    dampers: Array
    compensation: Array
    potential: float

class DElementForces(NamedTuple):
    dq: Array
    dv: Array

class TendonLengths(NamedTuple):
    length: Array
    rate: Array

class Constrained(NamedTuple):
    a: Array
    lambda_: Array
    a_dq: Array
    a_dv: Array
    a_dtau: Array
    lambda_dq: Array
    lambda_dv: Array
    lambda_dtau: Array

class Equations(NamedTuple):
    M: Any
    C: Any
    g: Any
    q: Any
    v: Any
    values: dict[Any, float]

class Operations(NamedTuple):
    mul: float
    add: float
    div: float
    sqrt: float
    trig: float
    span: float

class Counts(NamedTuple):
    lean: Operations
    whole: Operations
    published: tuple[float, float] | None

def solve_ik(model: Model, frame: str | int, position: ArrayLike | None = ..., rotation: ArrayLike | None = ...,
             q0: ArrayLike | None = ..., tol: float = ..., weight: ArrayLike | None = ..., iterations: int = ...,
             starts: int = ..., limits: bool = ..., seed: int = ...) -> Solution: ...
def linearize(model: Model, q: ArrayLike | None = ..., v: ArrayLike | None = ..., tau: ArrayLike | None = ...,
              forces: _Force | Sequence[_Force] = ...) -> Linear: ...
def equilibrium(model: Model, q: ArrayLike | None = ..., tau: ArrayLike = ...) -> Array: ...
def constraints(model: Model, q: ArrayLike, v: ArrayLike | None = ..., t: float = ...) -> Constraints: ...
def assemble(model: Model, q: ArrayLike, v: ArrayLike | None = ..., locked: Sequence[str] | None = ...,
             t: float = ...) -> tuple[Array, Array]: ...
def project_acceleration(model: Model, q: ArrayLike, v: ArrayLike, a: ArrayLike, locked: Sequence[str] | None = ...,
                         t: float = ...) -> Array: ...
def element_forces(model: Model, q: ArrayLike, v: ArrayLike | None = ..., stops: ArrayLike = ...) -> ElementForces: ...
def d_element_forces(model: Model, q: ArrayLike, v: ArrayLike | None = ...) -> DElementForces: ...
def tendon_lengths(model: Model, q: ArrayLike, v: ArrayLike | None = ...) -> TendonLengths: ...
def mobility(model: Model, q: ArrayLike, t: float = ...) -> Mobility: ...
def constrained_forward_dynamics(model: Model, q: ArrayLike, v: ArrayLike | None, tau: ArrayLike | None,
                                 frame: str | int,
                                 A: ArrayLike, b: ArrayLike, kind: Literal["classical", "spatial"] = ...,
                                 f_ext: ArrayLike | None = ...) -> Constrained: ...
def operations(model: Model, algorithm: str) -> Counts: ...
def span(model: Model, algorithm: str) -> Operations: ...
def equations_sympy(model: Model, numbers: bool = ...) -> Equations: ...
def codegen(model: Model, what: str | None = ..., name: str | None = ..., algorithm: str | None = ...,
            f_ext: bool = ..., scalar: Literal["double", "float", "real"] = ...) -> dict[str, str]: ...
def equations(model: Model, what: str | None = ..., latex: bool = ..., numbers: bool = ...,
              document: bool = ...) -> str: ...

class Converter:
    model: Model
    nq: int
    nv: int
    def __init__(self, model: Model, theirs: Literal["pinocchio", "mujoco"] | object) -> None: ...
    def q_from(self, theirs: ArrayLike) -> Array: ...
    def q_to(self, q: ArrayLike) -> Array: ...
    def v_from(self, q: ArrayLike, theirs: ArrayLike) -> Array: ...
    def v_to(self, q: ArrayLike, v: ArrayLike) -> Array: ...
    def a_from(self, q: ArrayLike, v: ArrayLike, theirs: ArrayLike) -> Array: ...
    def a_to(self, q: ArrayLike, v: ArrayLike, a: ArrayLike) -> Array: ...
    def tau_from(self, q: ArrayLike, theirs: ArrayLike) -> Array: ...
    def tau_to(self, q: ArrayLike, tau: ArrayLike) -> Array: ...

class Residuals(NamedTuple):
    cone: float
    dual: float
    complementarity: float
    dissipation: float
    natural: float
    worst: int

class ContactSolution(NamedTuple):
    lambda_: Array
    u: Array
    residuals: Residuals
    solver: str
    iterations: int
    undetermined: int
    least_norm: bool

class ContactSolver(NamedTuple):
    name: str
    source: str
    cost: str
    suited: str

_Law = Literal["contact", "equality", "limit", "friction"]

def contact_solvers() -> list[ContactSolver]: ...
def contact_solve(G: ArrayLike, g: ArrayLike, mu: ArrayLike, law: _Law | Sequence[_Law] | None = ...,
                  R: ArrayLike | None = ..., guess: ArrayLike | None = ..., solver: str | None = ..., tol: float = ...,
                  iterations: int = ..., least_norm: bool = ...) -> ContactSolution: ...
def contact_check(G: ArrayLike, g: ArrayLike, mu: ArrayLike, lambda_: ArrayLike,
                  law: _Law | Sequence[_Law] | None = ..., R: ArrayLike | None = ...) -> tuple[Array, Residuals]: ...

class Nearest(NamedTuple):
    gap: Any  # a float of shape_distance(), an array of shape_patch()
    normal: Array
    first: Array
    second: Array

class Solid:
    shape: str
    size: tuple[float, float, float]
    position: Array
    rotation: Array
    data: Array | None
    def __new__(cls, shape: str, size: ArrayLike = ..., position: ArrayLike = ..., rotation: ArrayLike | None = ...,
                data: ArrayLike | None = ...) -> Solid: ...
    @classmethod
    def of(cls, model: Model, collision: int, q: ArrayLike) -> Solid: ...

def shape_distance(first: Solid, second: Solid) -> Nearest: ...
def shape_d_distance(first: Solid, second: Solid) -> DNearest: ...
def shape_patch(first: Solid, second: Solid, margin: float = ...) -> Nearest: ...
def shape_bounds(solid: Solid) -> tuple[Array, Array]: ...
def shape_overlaps(low: ArrayLike, high: ArrayLike) -> NDArray[np.intc]: ...

class DNearest(NamedTuple):
    gap: float
    normal: Array
    first: Array
    second: Array
    d_gap: Array
    d_normal: Array
    d_first: Array
    d_second: Array

class Contacts(NamedTuple):
    first: NDArray[np.intc]
    second: NDArray[np.intc]
    gap: Array
    normal: Array
    point_first: Array
    point_second: Array
    friction: Array
    restitution: Array
    force: Array

class Pairs(NamedTuple):
    first: NDArray[np.intc]
    second: NDArray[np.intc]
    gap: Array

class StepSolution(NamedTuple):
    residuals: Residuals
    solver: str
    iterations: int
    undetermined: int
    least_norm: bool

class SceneReport(NamedTuple):
    contacts: int
    immovable: int
    impacts: int
    bounded: bool
    solved: bool
    softened: bool
    stopped: int
    held: int
    penetration: float
    beyond: float
    open: float
    work: float
    solution: StepSolution
    joint_forces: Array

class SceneStep(NamedTuple):
    q: Array
    v: Array
    contacts: Contacts
    report: SceneReport

class Impulse(NamedTuple):
    v: Array
    contacts: Contacts
    report: SceneReport

class Support(NamedTuple):
    tau: Array
    force: Array
    margin: Array
    inside: bool
    least_margin: float
    needed_friction: float
    missing: float
    undetermined: int
    first: NDArray[np.intc]
    second: NDArray[np.intc]
    point: Array
    normal: Array

class Scene:
    model: Model
    def __init__(self, model: Model, ground: bool = ..., friction: float | None = ..., restitution: float | None = ...,
                 margin: float | None = ..., recover: float | None = ..., contacts: int | None = ...,
                 solver: str | None = ..., tol: float | None = ..., iterations: int | None = ...,
                 least_norm: bool = ..., limits: bool | tuple[float, float] = ...,
                 stiction: float | None = ..., compliance: float | None = ...) -> None: ...
    @property
    def pair_count(self) -> int: ...
    @property
    def left_out(self) -> int: ...
    def name(self, collision: int) -> str: ...
    def find(self, q: ArrayLike) -> Contacts: ...
    def distances(self, q: ArrayLike) -> Pairs: ...
    @overload
    def distance(self, q: ArrayLike, first: str | int, second: str | int,
                 derivatives: Literal[False] = ...) -> Nearest: ...
    @overload
    def distance(self, q: ArrayLike, first: str | int, second: str | int, derivatives: Literal[True]) -> DNearest: ...
    def jacobian(self, q: ArrayLike) -> tuple[Contacts, Array]: ...
    def impulse(self, q: ArrayLike, v: ArrayLike, v_free: ArrayLike, dt: float = ...,
                t: float = ...) -> Impulse: ...
    def step(self, q: ArrayLike, v: ArrayLike, tau: ArrayLike | None = ..., dt: float = ...,
             f_ext: ArrayLike | None = ..., a: ArrayLike | None = ..., t: float = ...) -> SceneStep: ...
    def inverse_dynamics(self, q: ArrayLike, v: ArrayLike | None = ..., a: ArrayLike | None = ..., gap: float = ...,
                         f_ext: ArrayLike | None = ...) -> Support: ...

def support_forces(model: Model, q: ArrayLike, v: ArrayLike | None = ..., a: ArrayLike | None = ...,
                   link: str | int | Sequence[str | int] = ..., point: ArrayLike = ..., normal: ArrayLike = ...,
                   friction: ArrayLike = ..., share: ArrayLike = ..., on: str | int | Sequence[str | int] = ...,
                   f_ext: ArrayLike | None = ...) -> Support: ...
def zero_moment_point(model: Model, q: ArrayLike, v: ArrayLike | None = ..., a: ArrayLike | None = ...,
                      on: ArrayLike = ..., errors: Literal["raise", "nan"] = ...) -> Array: ...

class Polygon(NamedTuple):
    corners: NDArray[np.intc]
    margin: float | None

def support_polygon(points: ArrayLike, up: ArrayLike = ..., place: ArrayLike | None = ...) -> Polygon: ...

class Sweep:
    count: int
    parameters: dict[str, str]
    scalars: dict[str, str]
    def __init__(self, plan: str | PathLike[str] | Mapping[str, Any]) -> None: ...
    def values(self, run: int) -> dict[str, float | str]: ...
    def run(self, run: int) -> dict[str, float | str]: ...

class SweepRun:
    run: int
    outcome: int
    t_end: float
    parameters: dict[str, float | str]
    columns: dict[str, NDArray[np.float64]]
    def __init__(self, run: int, outcome: int, t_end: float, parameters: dict[str, float | str],
                 columns: dict[str, NDArray[np.float64]]) -> None: ...

class SweepResult:
    sweep: Sweep
    runs: NDArray[np.int_]
    parameters: dict[str, NDArray[Any]]
    scalars: dict[str, NDArray[np.float64]]
    outcome: NDArray[np.uint8]
    t_end: NDArray[np.float64]
    why: dict[int, str]
    def __init__(self, sweep: Sweep, runs: NDArray[np.int_], parameters: dict[str, NDArray[Any]],
                 scalars: dict[str, NDArray[np.float64]], outcome: NDArray[np.uint8], t_end: NDArray[np.float64],
                 why: dict[int, str]) -> None: ...
    def __len__(self) -> int: ...
    @property
    def complete(self) -> NDArray[np.bool_]: ...
    def to_pandas(self) -> Any: ...

def sweep(plan: Sweep | str | PathLike[str] | Mapping[str, Any], runs: range | None = None, threads: int | None = None,
          progress: Callable[[int, int], object] | None = None,
          functions: Mapping[str, Callable[[SweepRun], float]] | None = None) -> SweepResult: ...
