"""Robot dynamics: a small, fast library in C, made for numpy.

    import pinion as pn
    m = pn.load("panda.urdf")
    tau = m.inverse_dynamics(q, v, a)      # leading axes are a batch
    M = m.mass_matrix(q, out=M)            # nothing is allocated

Angular parts come first in 6-vectors, quaternions are w, x, y, z, units are SI.
"""
from ._model import Error, Model, algorithms, from_dict, load, load_string, n_four_bar, random_chain, random_tree
from ._builder import Builder
from ._pinion import version as __version__

__all__ = ["Builder", "Error", "Model", "algorithms", "from_dict", "load", "load_string", "n_four_bar", "random_chain",
           "random_tree"]
