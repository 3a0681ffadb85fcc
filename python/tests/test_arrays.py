"""Arrays in and out: shapes, dtypes, strides, where results go, and what is refused, by name."""
import tracemalloc
import warnings
import weakref

import numpy as np
import pytest

import pinion as pn

pytestmark = pytest.mark.quick


def test_one_state_and_a_batch(tree, motion):
    q, v, a = motion(tree, 3, 5)
    tau = tree.inverse_dynamics(q, v, a)
    assert tau.shape == (3, 5, tree.nv) and tau.dtype == np.float64
    one = tree.inverse_dynamics(q[1, 2], v[1, 2], a[1, 2])
    assert one.shape == (tree.nv,)
    np.testing.assert_allclose(tau[1, 2], one, rtol=0, atol=1e-12 * np.abs(one).max())
    M = tree.mass_matrix(q)
    assert M.shape == (3, 5, tree.nv, tree.nv)
    frames = tree.frames(q)
    assert frames.position.shape == (3, 5, len(tree.frames), 3)
    assert frames.rotation.shape == (3, 5, len(tree.frames), 3, 3)
    assert tree.energy(q, v).kinetic.shape == (3, 5)
    assert isinstance(float(tree.energy(q[0, 0]).potential), float) and np.ndim(tree.energy(q[0, 0]).potential) == 0


@pytest.mark.parametrize("shapes", [((4, 1), (5,)), ((), (6,)), ((3, 1, 2), (4, 1)), ((1,), ()), ((2, 3), ()),
                                    ((2, 3), (3,))])
def test_broadcasting(arm, rng, shapes):
    lead_q, lead_v = shapes
    q = rng.normal(size=(*lead_q, 7))
    v = rng.normal(size=(*lead_v, 7))
    out = arm.bias(q, v)
    all_q, all_v = np.broadcast_to(q, (*np.broadcast_shapes(lead_q, lead_v), 7)), np.broadcast_to(
        v, (*np.broadcast_shapes(lead_q, lead_v), 7))
    assert out.shape == all_q.shape
    for i in np.ndindex(out.shape[:-1]):
        np.testing.assert_allclose(out[i], arm.bias(np.array(all_q[i]), np.array(all_v[i])), rtol=0, atol=1e-12)


def test_no_state(arm):
    assert arm.inverse_dynamics(np.empty((0, 7))).shape == (0, 7)
    assert arm.d_inverse_dynamics(np.empty((2, 0, 7))).dq.shape == (2, 0, 7, 7)
    with pytest.raises(pn.Error, match="frame"):
        arm.jacobian(np.empty((0, 7)), 99)


def views(x):
    """The same numbers in other places."""
    big = np.zeros((2 * x.shape[0], x.shape[1] + 3))
    big[::2, 1:-2] = x
    yield "rows apart", big[::2, 1:-2]
    yield "columns", np.asfortranarray(x)
    yield "backwards", np.ascontiguousarray(x[::-1])[::-1]
    wide = np.zeros((x.shape[0], 3 * x.shape[1]))
    wide[:, ::3] = x
    yield "numbers apart", wide[:, ::3]
    yield "swapped bytes", x.astype(">f8")
    odd = np.frombuffer(bytearray(b"\0" + x.tobytes()), np.uint8)[1:]
    yield "unaligned", odd.view(np.float64).reshape(x.shape)
    yield "a list", x.tolist()


def test_any_strides_same_bits(arm, rng):
    q, v = rng.normal(size=(2, 40, 7))
    want = arm.bias(q, v)
    for name, view in views(q):
        assert np.array_equal(arm.bias(view, v), want), name
    for name, view in views(v):
        assert np.array_equal(arm.bias(q, view), want), name
    assert np.array_equal(arm.bias(q.reshape(5, 8, 7), v.reshape(5, 8, 7)), want.reshape(5, 8, 7))
    assert np.array_equal(arm.bias(q.reshape(5, 8, 7).swapaxes(0, 1), v.reshape(5, 8, 7).swapaxes(0, 1)),
                          want.reshape(5, 8, 7).swapaxes(0, 1))


def peak(function):
    tracemalloc.start()
    function()
    used = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return used


def test_batches_are_not_copied(arm, rng):
    """What the layouts of a batch can say is read and written where it is: nothing large is allocated."""
    n = 20000
    both = rng.normal(size=(n, 20))
    q, v, out = both[:, :7], both[:, 7:14], np.empty((n, 7))
    size = out.nbytes
    arm.bias(q, v, out=out)  # threads and batches are made once
    want = arm.bias(np.ascontiguousarray(q), np.ascontiguousarray(v))
    for name, call in {
        "rows of a wider array": lambda: arm.bias(q, v, out=out),
        "a broadcast view": lambda: arm.bias(np.broadcast_to(q[0], (n, 7)), v, out=out),
        "one state for all": lambda: arm.bias(q[0], v, out=out),
        "backwards": lambda: arm.bias(q[::-1], v[::-1], out=out[::-1]),
    }.items():
        assert peak(call) < size / 20, name
    arm.bias(q, v, out=out)
    assert np.array_equal(out, want)
    transposed = np.empty((7, n))
    assert peak(lambda: arm.bias(q, v, out=transposed.T)) < size / 20
    assert np.array_equal(transposed.T, want)
    # results may go beside what is read, in the same rows
    wide = np.hstack([both, np.zeros((n, 7))])
    assert peak(lambda: arm.bias(wide[:, :7], wide[:, 7:14], out=wide[:, 20:])) < size / 20
    assert np.array_equal(wide[:, 20:], want)


def test_single_precision(tree, motion):
    q, v, a = motion(tree, 6)
    q32, v32, a32 = (x.astype(np.float32) for x in (q, v, a))
    tau = tree.inverse_dynamics(q32, v32, a32)
    assert tau.dtype == np.float32 and tree.inverse_dynamics(q32[0], v32[0]).dtype == np.float32
    want = tree.inverse_dynamics(q, v, a)
    np.testing.assert_allclose(tau, want, rtol=0, atol=1e-4 * np.abs(want).max())  # some hundred roundings to 6e-8
    assert not np.array_equal(tau, want)
    assert tree.inverse_dynamics(q32, v, a32).dtype == np.float64
    assert tree.d_inverse_dynamics(q32, v32).dq.dtype == np.float32
    out = np.empty((6, tree.nv), np.float32)
    assert tree.inverse_dynamics(q32, v32, a32, out=out) is out and np.array_equal(out, tau)


def test_out(arm, motion):
    q, v, a = motion(arm, 3)
    out = np.full((3, 7), 5.0)
    assert arm.inverse_dynamics(q, v, a, out=out) is out
    assert np.array_equal(out, arm.inverse_dynamics(q, v, a))
    one = np.empty(7)
    assert arm.inverse_dynamics(q[0], v[0], a[0], out=one) is one
    assert np.array_equal(one, arm.inverse_dynamics(q[0], v[0], a[0]))
    parts = np.empty((3, 7, 7)), None, np.empty((3, 7, 7))
    d = arm.d_inverse_dynamics(q, v, a, out=parts)
    assert d.dq is parts[0] and d.da is parts[2] and d.dv.shape == (3, 7, 7)
    assert all(np.array_equal(x, y) for x, y in zip(d, arm.d_inverse_dynamics(q, v, a)))
    kinetic = np.empty(()), np.empty(())
    assert arm.energy(q[0], v[0], out=kinetic).kinetic is kinetic[0]
    assert float(kinetic[0]) == float(arm.energy(q[0], v[0]).kinetic)
    # results that no batch can write at once: two strides between the numbers of a state
    apart = np.zeros((3, 14, 7))
    assert np.array_equal(arm.mass_matrix(q, out=apart[:, ::2]), arm.mass_matrix(q))
    assert not apart[:, 1::2].any()


def refused(function, *words, kind=pn.Error):
    with pytest.raises(kind) as e:
        function()
    for word in words:
        assert word in str(e.value), str(e.value)
    return e.value


def test_wrong_arrays_are_refused_by_name(arm, motion):
    q, v, a = motion(arm, 4)
    f = arm.inverse_dynamics
    refused(lambda: f(q[:, :3]), "inverse_dynamics", "q has the shape (4, 3)", "(..., 7)")
    refused(lambda: f(q[0], v[0, :6]), "v has the shape (6,)")
    refused(lambda: f(q, v, a, np.zeros((4, 6))), "f_ext", f"(..., {arm.nbody}, 6)")
    refused(lambda: f(3.0), "q has the shape ()")
    refused(lambda: f(q, np.zeros((3, 7))), "axis 0 of v", "3", "4")
    refused(lambda: f(q, v * 1j), "v", "complex128")
    refused(lambda: f(q, np.full((4, 7), "x")), "v", "no array of real numbers")
    refused(lambda: f(q, np.full((4, 7), None)), "v", "object")
    refused(lambda: f(q > 0), "q", "bool")
    refused(lambda: f(q, v, a, out=np.empty((4, 6))), "out has the shape (4, 6)", "(4, 7)")
    refused(lambda: f(q[0], out=np.empty((1, 7))), "out has the shape (1, 7)", "(7,)")
    refused(lambda: f(q, v, a, out=np.empty((4, 7), np.float32)), "out", "float64")
    refused(lambda: f(q, out=[0.0] * 7), "out is not a numpy array")
    locked = np.empty((4, 7))
    locked.flags.writeable = False
    refused(lambda: f(q, v, a, out=locked), "out is read-only")
    refused(lambda: f(q[0], out=locked[0]), "out is read-only")
    refused(lambda: arm.d_inverse_dynamics(q, out=(locked,)), "out is not a tuple of 3 arrays")
    refused(lambda: arm.d_inverse_dynamics(q, out=(None, np.empty((4, 7)), None)), "out[1] has the shape (4, 7)")


def test_overlapping_arrays_are_refused_by_name(arm, motion):
    q, v, a = motion(arm, 4)
    for one in (False, True):
        x, y, z = (q[0], v[0], a[0]) if one else (q, v, a)
        refused(lambda: arm.inverse_dynamics(x, y, z, out=x), "out overlaps with q")
        refused(lambda: arm.inverse_dynamics(x, y, z, out=z), "out overlaps with a")
    both = np.zeros((4, 10))
    refused(lambda: arm.inverse_dynamics(q, both[:, :7], out=both[:, 3:]), "out overlaps with v")
    same = np.empty((4, 7, 7))
    refused(lambda: arm.d_inverse_dynamics(q, out=(same, None, same)), "out[2] overlaps with out[0]")
    line = np.zeros(10)
    refused(lambda: arm.inverse_dynamics(q[0], line[:7], out=line[3:]), "out overlaps with v")


def test_results_that_overlap_with_themselves(arm, motion):
    q, v, a = motion(arm)
    strided = np.lib.stride_tricks.as_strided
    refused(lambda: arm.gravity(q, out=strided(np.zeros(1), (7,), (0,))), "gravity: out overlaps with itself")
    refused(lambda: arm.mass_matrix(q, out=strided(np.zeros(13), (7, 7), (8, 8))), "out overlaps with itself")
    refused(lambda: arm.gravity(np.stack([q, q]), out=strided(np.zeros(7), (2, 7), (0, 8))), "out overlaps with itself")
    refused(lambda: arm.d_inverse_dynamics(q, out=(None, strided(np.zeros(7), (7, 7), (0, 8)), None)),
            "out[1] overlaps with itself")
    # strides that are mixed and yet meet nowhere: 3 states of 2 numbers at 0, 3, 2, 5, 4, 7
    two = pn.random_chain(2, seed=1)
    rows = np.array([[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]])
    out = strided(np.zeros(8), (3, 2), (16, 24))
    np.testing.assert_array_equal(two.gravity(rows, out=out), two.gravity(rows))


def test_numbers_too_large(arm, motion):
    """What goes in is finite and what comes out is not: that is told, with where, and nothing is NaN unawares."""
    q, v, a = motion(arm)
    fast = v.copy()
    fast[2] = 1e200
    refused(lambda: arm.inverse_dynamics(q, fast), "inverse_dynamics: tau is not finite", "v[2], 1e+200")
    refused(lambda: arm.forward_dynamics(q, fast), "forward_dynamics: a is not finite", "v[2], 1e+200")
    refused(lambda: arm.inverse_dynamics(q, np.stack([v, fast])), "state [1]: tau is not finite", "v[2], 1e+200")
    refused(lambda: arm.gravity(np.full(7, 1e300)), "gravity: tau is not finite", "q[0], 1e+300")
    refused(lambda: arm.gravity(np.full((2, 3, 7), np.float32(1e30))), "state [0, 0]: tau is not finite", "q[0], 1e+30")
    assert np.isnan(arm.inverse_dynamics(q, np.stack([v, fast]), errors="nan")).any(axis=-1).tolist() == [False, True]
    refused(lambda: arm.rollout(q, np.full(7, 1e200), steps=2, dt=1.0),
            "rollout: state 0, step 0: the state is no longer finite")
    for dt in (np.nan, np.inf):
        refused(lambda: arm.integrate(q, v, dt), f"integrate: dt is {dt}; expected a finite number")
        refused(lambda: arm.step(q, v, dt=dt), f"step: dt is {dt}; expected a finite number")
        refused(lambda: arm.rollout(q, v, dt=dt), f"rollout: dt is {dt}; expected a finite number")


def test_kinds_of_arrays(arm, motion):
    q, v, a = motion(arm)
    masked = np.ma.array(q, mask=[1, 0, 0, 0, 0, 0, 0])
    refused(lambda: arm.gravity(masked), "gravity: q has masked entries")
    refused(lambda: arm.normalize(masked), "q has masked entries")
    refused(lambda: arm.rollout(masked), "rollout: q has masked entries")
    refused(lambda: arm.gravity(q, out=masked), "gravity: out is a masked array")
    np.testing.assert_array_equal(arm.gravity(np.ma.array(q)), arm.gravity(q))
    for other in (np.longdouble, complex, bool, object):
        for function in (arm.gravity, arm.normalize, lambda x: arm.rollout(x)):
            refused(lambda: function(q.astype(other)), "q is no array of real numbers: its dtype is ")


def test_numbers_that_are_none(arm, tree, motion):
    q, v, a = motion(arm, 50)
    bad = v.copy()
    bad[17, 3] = np.nan
    assert refused(lambda: arm.inverse_dynamics(q, bad, a), "v[17, 3] is nan").status == "argument"
    refused(lambda: arm.inverse_dynamics(q[17], bad[17]), "v[3] is nan")
    refused(lambda: arm.inverse_dynamics(q[17].astype("f"), bad[17].astype("f")), "v[3] is nan")
    refused(lambda: arm.mass_matrix(np.where(q == q[2, 2], np.inf, q)), "q[2, 2] is infinite")
    refused(lambda: arm.inverse_dynamics_jvp(q, bad, a), "v[17, 3] is nan")
    refused(lambda: arm.inverse_dynamics(q, bad[:, ::-1], a), "v[17, 3] is nan")
    tau = arm.inverse_dynamics(q, bad, a, errors="nan")
    assert np.isnan(tau[17]).any() and np.isfinite(np.delete(tau, 17, 0)).all()
    qt, vt, _ = motion(tree, 9)
    qt[4, 1] = np.nan  # in a quaternion
    refused(lambda: tree.inverse_dynamics(qt), "q[4, 1] is nan")


def test_states_that_are_wrong(tree, motion):
    q, v, a = motion(tree, 3, 4)
    q[1, 2, :4] *= 2
    e = refused(lambda: tree.inverse_dynamics(q, v, a), "state [1, 2]")
    assert e.status == "quaternion"
    assert refused(lambda: tree.inverse_dynamics(q[1, 2])).status == "quaternion"
    tau = tree.inverse_dynamics(q, v, a, errors="nan")
    assert np.isnan(tau[1, 2]).all() and np.isfinite(tau[0]).all() and np.isfinite(tau[1, :2]).all()
    assert np.isnan(tree.inverse_dynamics(q[1, 2], errors="nan")).all()
    d = tree.d_inverse_dynamics(q[1, 2], errors="nan")
    assert all(np.isnan(x).all() for x in d)


def test_words_and_numbers(arm, motion):
    q, v, a = motion(arm)
    refused(lambda: arm.pose(q, 2**70), f"pose: frame is {2**70}; expected 0 to ")
    refused(lambda: arm.pose(q, True), "pose: frame is True; expected a name or a number")
    refused(lambda: arm.pose(q, arm.frames.names[1] + "\0x"), "pose: the model has no frame '")
    refused(lambda: arm.pose(q, "\udc80"), "pose: the model has no frame '")
    refused(lambda: arm.integrate(q, v, "a"), "integrate: dt is 'a'; expected a finite number")
    refused(lambda: pn.solve_ik(arm, 2**70, [0, 0, 0]), f"frame is {2**70}; expected 0 to ")
    refused(lambda: pn.solve_ik(arm, 1), "neither position nor rotation is given")
    refused(lambda: setattr(arm, "threads", "a"), "threads is 'a'; expected 1 to 4096")


def test_arguments(arm, motion):
    q, v, a = motion(arm)
    f = arm.inverse_dynamics
    refused(lambda: f(), "'q'", kind=TypeError)
    refused(lambda: f(None), "q")
    refused(lambda: f(q, x=1), "'x'", kind=TypeError)
    refused(lambda: f(q, q=q), "'q'", "twice", kind=TypeError)
    refused(lambda: f(q, v, a, None, None, "raise", None, 9), "at most 7", kind=TypeError)
    refused(lambda: arm.velocity(q, frame=2), "'v'", kind=TypeError)
    refused(lambda: arm.jacobian(q, "nothing"), "no frame 'nothing'")
    refused(lambda: arm.jacobian(q, 99), "frame is 99")
    refused(lambda: arm.jacobian(q, -1), "frame is -1")
    refused(lambda: arm.jacobian(q, 1.5), "frame")
    refused(lambda: arm.jacobian(q, 1, "here"), "reference is 'here'", '"local"')
    refused(lambda: arm.bias(q, errors="ignore"), "errors")
    refused(lambda: f(q, algorithm="magic"), "no algorithm 'magic'")
    refused(lambda: f(q, algorithm="crba"), "inverse_dynamics")
    assert np.array_equal(f(q, a=a, v=v), f(q, v, a)) and np.array_equal(f(q, None, None), f(q))
    local = arm.jacobian(q, arm.frames[2], "local")
    assert np.array_equal(arm.jacobian(q, arm.frames[2].name, reference="local"), local)


class Offers:
    """Something that is no array and offers its numbers in one way."""

    def __init__(self, array, name):
        self.array = array
        if name == "__array_interface__":
            self.__array_interface__ = array.__array_interface__


class WithDlpack(Offers):
    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


class WithArray(Offers):
    def __array__(self, dtype=None, copy=None):
        return self.array if dtype is None else self.array.astype(dtype)


def test_other_things_than_arrays(arm, motion):
    q, v, a = motion(arm, 5)
    want = arm.inverse_dynamics(q, v, a)
    for offer in (WithDlpack(q, ""), WithArray(q, ""), Offers(q, "__array_interface__"), memoryview(q), q.tolist(),
                  [list(row) for row in q]):
        assert np.array_equal(arm.inverse_dynamics(offer, v, a), want)
    assert arm.inverse_dynamics(WithDlpack(q.astype("f"), "")).dtype == np.float32
    assert arm.inverse_dynamics([0] * 7).dtype == np.float64

    class Mine(np.ndarray):
        pass

    assert type(arm.inverse_dynamics(q.view(Mine))) is np.ndarray


def test_a_result_is_its_holders_own(arm, motion, rng):
    """Arrays of results that nobody has any more are used again; what somebody holds in any way never changes."""
    q, v, a = motion(arm, 200)
    expected = np.empty_like(v)
    for i in range(200):
        arm.inverse_dynamics(q[i], v[i], a[i], out=expected[i])
    held, views, buffers, odd = [], [], [], []
    for i in range(200):
        tau = arm.inverse_dynamics(q[i], v[i], a[i])
        assert tau.flags.owndata and tau.flags.writeable and tau.base is None
        if i % 7 == 0:
            held.append((i, tau))
        elif i % 7 == 1:
            views.append((i, tau[2:5]))
        elif i % 7 == 2:
            buffers.append((i, memoryview(tau)))
        elif i % 7 == 3:
            tau.flags.writeable = False
        elif i % 7 == 4:
            with warnings.catch_warnings():  # newer numpys would rather not
                warnings.simplefilter("ignore", DeprecationWarning)
                tau.shape = (1, arm.nv)
        elif i % 7 == 5:
            odd.append((i, weakref.ref(tau)))
        assert np.array_equal(tau.ravel(), expected[i])
        again = arm.inverse_dynamics(q[i], v[i], a=tau.ravel())  # a result is an argument
        assert not np.shares_memory(again, tau)
        assert np.array_equal(again, arm.inverse_dynamics(q[i], v[i], expected[i], out=np.empty(arm.nv)))
    for i, tau in held:
        assert np.array_equal(tau, expected[i])
    for i, part in views:
        assert np.array_equal(part, expected[i, 2:5])
    for i, part in buffers:
        assert np.array_equal(np.asarray(part), expected[i])
    for i, there in odd:
        assert there() is None or np.array_equal(there(), expected[i])
    # of another model, in another precision
    small = pn.random_chain(3)
    for m in (small, arm, small):
        for kind in (np.float64, np.float32, np.float64):
            one = m.gravity(np.full(m.nq, 0.3, kind))
            assert one.shape == (m.nv,) and one.dtype == kind
            assert np.array_equal(one, m.gravity(np.full(m.nq, 0.3, kind), out=np.empty(m.nv, kind)))


def test_the_short_way_says_what_the_long_way_says(arm):
    """Whatever is not as usual: one message, however the call is written."""
    q = np.zeros(arm.nq)
    for bad, message in [(q[:3], "q has the shape (3,); expected (..., 7)"), (q * np.nan, "q[0] is nan"),
                         (q + 1e300, "is not finite, though all that went in is")]:
        for call in (lambda: arm.gravity(bad), lambda: arm.gravity(q=bad), lambda: arm.gravity(bad, out=None),
                     lambda: arm.gravity(bad, None, "raise"), lambda: arm.gravity(bad, out=np.empty(arm.nv))):
            with pytest.raises(pn.Error) as e:
                call()
            assert message in str(e.value), e.value
    locked = np.empty(arm.nv)
    locked.flags.writeable = False
    for out, message in [(locked, "read-only"), (q, "overlaps with q"), (np.empty(3), "out has the shape"),
                         (np.empty(arm.nv, np.float32), "out")]:
        with pytest.raises((pn.Error, TypeError), match=message):
            arm.gravity(q, out=out)
    with pytest.raises(TypeError, match="needs the argument 'q'"):
        arm.gravity()
    with pytest.raises(TypeError, match="at most"):
        arm.gravity(q, None, "raise", 1, 2)
