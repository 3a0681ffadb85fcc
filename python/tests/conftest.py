import os
import signal
from pathlib import Path

import numpy as np
import pytest

import pinion as pn

# a shell that starts the tests in the background leaves it ignored, and tests send it
signal.signal(signal.SIGINT, signal.default_int_handler)

SHARED = os.environ.get("PINION_SHARED")


@pytest.fixture(scope="session")
def shared():
    """Robots and reference values that are not part of the repository."""
    if not SHARED or not Path(SHARED).is_dir():
        pytest.skip("no folder with reference values (PINION_SHARED)")
    return Path(SHARED)


@pytest.fixture(scope="session")
def models():
    """The models that come with Pinion."""
    return Path(os.environ.get("PINION_MODELS", Path(__file__).parents[2] / "models"))


@pytest.fixture(scope="session")
def arm():
    return pn.random_chain(7, seed=3)


@pytest.fixture(scope="session")
def tree():
    """Every joint type, on a free base."""
    return pn.random_tree(12, free_root=True, seed=5)


@pytest.fixture
def rng():
    return np.random.default_rng(11)


@pytest.fixture
def motion(rng):
    """A function that gives q, v, a for a model, with leading axes."""
    def make(m, *lead):
        count = int(np.prod(lead))
        q = m.random(100, count=max(count, 1))[:count].reshape(*lead, m.nq)
        return q, rng.normal(size=(*lead, m.nv)), rng.normal(size=(*lead, m.nv))
    return make


def close(ours, theirs, tolerance=1e-10):
    """Equal but for rounding, seen from the largest of the numbers."""
    scale = max(1.0, np.abs(theirs).max()) if np.size(theirs) else 1.0
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=tolerance * scale)


def pytest_terminal_summary(terminalreporter):
    """What was skipped, in the words that `make test` lists."""
    for report in terminalreporter.stats.get("skipped", []):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
        terminalreporter.write_line(f"skipped: {report.nodeid}: {str(reason).removeprefix('Skipped: ')}")
