"""Threads, signals, forks and memory."""
import gc
import multiprocessing
import os
import resource
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import pinion as pn


def test_threads_call_one_model_at_once(tree, motion):
    q, v, a = motion(tree, 300)
    want = [(tree.inverse_dynamics(q[i], v[i], a[i]), tree.mass_matrix(q[i]), tree.frames(q[i]).position)
            for i in range(300)]
    batch = tree.d_inverse_dynamics(q, v, a).dq
    wrong = []

    def work(first):
        for i in range(first, 300, 8):
            got = tree.inverse_dynamics(q[i], v[i], a[i]), tree.mass_matrix(q[i]), tree.frames(q[i]).position
            if not all(np.array_equal(x, y) for x, y in zip(got, want[i])):
                wrong.append(i)
        if not np.array_equal(tree.d_inverse_dynamics(q, v, a).dq, batch):
            wrong.append("batch")

    old = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        # more threads than there are slots for workspaces, some of them one after the other
        for count in (8, 40):
            threads = [threading.Thread(target=work, args=(i % 8,)) for i in range(count)]
            for t in threads:
                t.start()
            for t in threads:
                t.join()
    finally:
        sys.setswitchinterval(old)
    assert not wrong


def test_same_bits_on_any_number_of_threads(motion):
    m = pn.random_chain(7, seed=3)
    q, v, a = motion(m, 3001)
    results = []
    for n in (1, 2, None):
        m.threads = n
        results.append(m.inverse_dynamics(q, v, a))
    assert m.threads >= 1 and all(np.array_equal(r, results[0]) for r in results)
    pieces = np.concatenate([m.inverse_dynamics(q[i:i + 77], v[i:i + 77], a[i:i + 77]) for i in range(0, 3001, 77)])
    assert np.array_equal(pieces, results[0])
    for wrong in (0, -1, 10**9):
        with pytest.raises(pn.Error, match="threads"):
            m.threads = wrong


def test_others_run_meanwhile(arm, rng):
    """A batch does not hold the interpreter: another thread counts on."""
    q = np.broadcast_to(rng.normal(size=7), (200000, 7))
    out, count, done = np.empty((200000, 7, 7)), 0, False

    def work():
        nonlocal done
        arm.mass_matrix(q, out=out)
        done = True

    t = threading.Thread(target=work)
    t.start()
    while not done:
        count += 1
        time.sleep(0)
    t.join()
    assert count > 10


@pytest.mark.parametrize("what", ["batch", "state by state", "rollout", "simulation"])
def test_keyboard_interrupt(what):
    """In one call that takes long by itself."""
    m, four = pn.random_chain(40, seed=1), pn.n_four_bar(12)
    long = {"batch": lambda: m.energy(np.broadcast_to(m.neutral(), (10_000_000, 40))),
            "state by state": lambda: four.delassus(np.broadcast_to(four.initial()[0], (100_000, four.nq))),
            "rollout": lambda: m.rollout(m.random(1, count=64), steps=10**9, dt=1e-9),
            "simulation": lambda: pn.simulate(four, 1e5)}[what]
    interrupt(long)


def interrupt(function, ready=lambda: time.sleep(0.15)):
    """Ctrl-C in a call when ready() returns, by which it ends."""
    sent = []

    def press():
        ready()
        sent.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    t = threading.Thread(target=press)
    with pytest.raises(KeyboardInterrupt):  # from here on, however slow the machine
        t.start()
        function()
    late = time.monotonic() - sent[0]
    t.join()
    assert late < 0.5  # 100 ms is what is promised, on a machine that is not busy with other tests


def test_keyboard_interrupt_of_what_cannot_stop():
    """One computation of C that takes long is left behind: it ends by itself, and nothing of it is missed or freed."""
    m = pn.random_chain(200, seed=1)
    want = pn.linearize(pn.random_chain(3, seed=1)).A
    interrupt(lambda: pn.linearize(m), lambda: time.sleep(0.03))
    del m
    np.testing.assert_array_equal(pn.linearize(pn.random_chain(3, seed=1)).A, want)


def test_keyboard_interrupt_of_a_compiler(arm, tmp_path):
    """It is killed, with what it has started."""
    slow = tmp_path / "slow"
    slow.write_text(f"""#!/bin/sh
[ "$1" = --version ] && exec echo slow
sleep 60 &
echo $! >> {tmp_path}/started
wait
""")
    slow.chmod(0o700)
    def started():
        file = tmp_path / "started"
        return [int(line) for line in file.read_text().split()] if file.exists() else []
    interrupt(lambda: arm.compile("gravity", compiler=str(slow), cache=""), lambda: wait_until(started))
    wait_until(lambda: not any(map(lives, started())))


def wait_until(true):
    until = time.monotonic() + 60
    while not true():
        assert time.monotonic() < until
        time.sleep(0.01)


def lives(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def test_a_signal_handler_may_call(arm, rng):
    """Between two pieces of a batch: the handler's own call must not disturb it."""
    q, heard = rng.normal(size=(100_000, 7)), []
    want = arm.mass_matrix(q)

    def handler(number, frame):
        heard.append(arm.mass_matrix(q[:70][::-1]).sum())

    old = signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, 0.002, 0.005)
    try:
        for _ in range(3):
            assert np.array_equal(arm.mass_matrix(q), want)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)
    assert heard and len(set(heard)) == 1


def child(q, want, pipe):
    m = pn.random_chain(7, seed=3)
    pipe.send(bool(np.array_equal(m.mass_matrix(q), want)))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_forked_processes_compute(arm, rng):
    """OpenMP's threads do not survive a fork: the child does without."""
    q = rng.normal(size=(5000, 7))
    want = arm.mass_matrix(q)
    context = multiprocessing.get_context("fork")
    here, there = context.Pipe()
    process = context.Process(target=child, args=(q, want, there))
    process.start()
    assert here.poll(60) and here.recv()
    process.join(60)
    assert process.exitcode == 0


def memory():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # KiB


def test_no_leak(arm, motion):
    q, v, a = motion(arm)
    many, out, wrong = np.tile(q, (10, 1)), np.empty(7), np.zeros(3)

    def rounds(n):
        for _ in range(n):
            arm.inverse_dynamics(q, v, a)
            arm.inverse_dynamics(q, v, a, out=out)
            arm.d_inverse_dynamics(q, v)
            arm.energy(q, v)
            arm.bias(many, v)
            arm.bias([0.0] * 7, v)
            arm.jacobian(q, "link3" if "link3" in arm.frames else 2, reference="local")
            for bad in (wrong, np.full(7, np.nan), "x"):
                try:
                    arm.bias(bad)
                except pn.Error:
                    pass

    rounds(300)
    gc.collect()
    counts = [sys.getrefcount(x) for x in (q, v, a, many, out, arm, np.dtype(float), type(arm.energy(q)))]
    before = memory()
    rounds(10000)
    gc.collect()
    assert memory() - before < 2000
    assert [sys.getrefcount(x) for x in (q, v, a, many, out, arm, np.dtype(float), type(arm.energy(q)))] == counts


def test_models_are_freed(motion):
    text = pn.random_chain(30, seed=1).to_json()

    def rounds(n):
        for _ in range(n):
            m = pn.load_string(text)
            m.mass_matrix(m.random(count=20))
            m.inverse_dynamics(m.neutral())
            m.frames(m.neutral())
            m.joints, m.frames
            try:
                pn.load_string(text[:-20])
            except pn.Error:
                pass

    rounds(30)
    gc.collect()
    before = memory()
    rounds(400)
    gc.collect()
    assert memory() - before < 8000


def test_a_million_calls_leave_nothing_behind(arm, motion):
    q, v, a = motion(arm)
    out, f = np.empty(7), arm.inverse_dynamics
    for _ in range(1000):
        f(q, v, a)
    before = memory()
    for _ in range(500_000):
        f(q, v, a)
        f(q, v, a, out=out)
    assert memory() - before < 1000


def test_threads_that_compute_when_the_interpreter_ends():
    """Daemon threads are ended inside of calls that have let the lock go, and nobody aborts."""
    code = """if True:
        import threading, time
        import pinion as pn
        small, large = pn.random_chain(30), pn.random_chain(80)
        q, one = small.random(1, count=20000), large.random(2)

        def batches():
            while True:
                small.mass_matrix(q)

        def states():
            while True:
                large.mass_matrix(one)
        for work in (batches, states, batches, states):
            threading.Thread(target=work, daemon=True).start()
        time.sleep(0.2)
    """
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert run.returncode == 0 and not run.stderr, (run.returncode, run.stderr)
