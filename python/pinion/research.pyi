from os import PathLike
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import Array, Model

class GlobalSystem(NamedTuple):
    matrix: Array
    rhs: Array
    joints: Array
    row: NDArray[np.intc]
    column: NDArray[np.intc]
    value: Array

class Sparse(NamedTuple):
    a: Array
    lambda_: Array
    residual: float
    unknowns: int
    entries: int
    factor_entries: int

class Factorization:
    model: Model
    algorithm: str
    factors: Array
    def __init__(self, model: Model, algorithm: str, factors: Array) -> None: ...
    def solve(self, b: ArrayLike) -> Array: ...
    def multiply(self, x: ArrayLike) -> Array: ...

def factorize(model: Model, q: ArrayLike, algorithm: str = ...) -> Factorization: ...
def operators() -> dict[str, str]: ...
def operator(model: Model, name: str, q: ArrayLike, v: ArrayLike | None = ...) -> Array: ...
def global_system(model: Model, q: ArrayLike, v: ArrayLike | None = ..., tau: ArrayLike | None = ..., t: float = ...,
                  alpha: float = ...) -> GlobalSystem: ...
def global_accelerations(model: Model, system: GlobalSystem, solution: ArrayLike) -> Array: ...
def sparse_forward_dynamics(model: Model, q: ArrayLike, v: ArrayLike | None = ..., tau: ArrayLike | None = ...,
                            t: float = ...) -> Sparse: ...
def forward_dynamics_threads(model: Model, q: ArrayLike, v: ArrayLike | None = ..., tau: ArrayLike | None = ...,
                             threads: int | None = ...) -> Array: ...
def paper(name: str, folder: str | PathLike[str]) -> Any: ...
