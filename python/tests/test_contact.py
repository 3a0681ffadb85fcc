"""Contact: closed forms of blocks, balls and tables, the problem as numbers, shapes, and forces that carry a motion."""
import gc
import pickle
import threading

import numpy as np
import pytest

import pinion as pn

G10 = (0, 0, -10)


def body(shape, size, mass, inertia, gravity=G10, **keys):
    """A free body with one collision above a ground. v is [angular; linear] in the body."""
    b = pn.Builder("thing", gravity=gravity)
    b.add_link("base")
    b.add_link("thing", mass=mass, inertia=np.diag(np.broadcast_to(inertia, 3)),
               collisions=[{"shape": shape, "radius" if shape == "sphere" else "size": size, **keys}])
    b.add_joint("free", "free", "base", "thing")
    return b.build()


def at(height, **speeds):
    q, v = np.array([1.0, 0, 0, 0, 0, 0, height]), np.zeros(6)
    v[3] = speeds.get("x", 0.0)
    return q, v


def run(scene, q, v, steps, dt=1e-3):
    for _ in range(steps):
        q, v, contacts, report = scene.step(q, v, dt=dt)
        assert report.solved
    return q, v, contacts, report


# ---- scenes ----

@pytest.mark.quick
@pytest.mark.parametrize("friction", [0.4, 0.6])
def test_a_block_on_a_slope(friction):
    """The ground is level and gravity leans by tan = 0.5: it slides below that friction and stays above."""
    gx, gz = 10 * 0.5 / np.sqrt(1.25), -10 / np.sqrt(1.25)
    m = body("box", [0.4, 0.3, 0.1], 2, 0.02, gravity=(gx, 0, gz), friction=friction)
    q, v, contacts, report = run(pn.Scene(m, ground=True), *at(0.05), 500)
    a = gx + friction * gz if friction < 0.5 else 0.0
    assert report.contacts == len(contacts.gap) == 4 and contacts.normal.shape == (4, 3)
    assert set(contacts.first) == {-1} and set(contacts.second) == {0}
    np.testing.assert_allclose(v, [0, 0, 0, a * 0.5, 0, 0], atol=1e-7)
    np.testing.assert_allclose(q[4:], [0.5 * a * 0.5 * 0.501, 0, 0.05], atol=1e-7)  # semi-implicit: n (n + 1) / 2
    along = -friction * 2 * -gz if a else -2 * gx
    np.testing.assert_allclose(contacts.force.sum(axis=0), [along, 0, -2 * gz], atol=1e-6)
    assert report.solution.residuals.natural < 1e-9 and report.penetration < 1e-9


def test_a_ball_that_bounces():
    """From 1 m under its lowest point, restitution 0.8: at sqrt(0.2) s, then 2 0.8^k v1 / g later each."""
    m = body("sphere", 0.1, 1, 0.004, restitution=0.8)
    s = pn.Scene(m, ground=True)
    q, v = at(1.1)
    h, impacts = 1e-4, []
    for i in range(12000):
        before = v[5]
        q, v, contacts, report = s.step(q, v, dt=h)
        if before < 0 < v[5]:
            impacts.append(((i + 1) * h, v[5]))
            assert report.impacts == 1
    speed, t = np.sqrt(20), np.sqrt(0.2)
    assert len(impacts) == 2
    for k, (when, up) in enumerate(impacts):
        assert abs(when - t) < 3 * (k + 1) * h and abs(up - 0.8 * speed) < 0.01
        speed *= 0.8
        t += 2 * speed / 10


def test_a_table_on_four_legs():
    """Each leg carries a quarter, the least norm of what is undetermined."""
    m = body("box", [1, 0.6, 0.2], 8, 0.5)
    q, v, contacts, report = run(pn.Scene(m, ground=True, friction=0.5), *at(0.1), 20)
    np.testing.assert_allclose(contacts.force, [[0, 0, 20]] * 4, atol=1e-5)
    assert report.solution.undetermined == 6 and report.solution.least_norm
    assert abs(contacts.friction - 0.5).max() == 0
    np.testing.assert_allclose(np.sort(abs(contacts.point_second[:, :2]), axis=0), [[0.5, 0.3]] * 4, atol=1e-9)


@pytest.mark.quick
def test_jacobian_is_the_derivative_of_the_gap():
    m = body("box", [0.4, 0.3, 0.1], 2, 0.02)
    s = pn.Scene(m, ground=True, margin=0.5)
    q = m.integrate(m.neutral(), np.array([0.02, -0.03, 0.1, 0, 0, 0.08]))
    contacts, J = s.jacobian(q)
    assert J.shape == (len(contacts.gap), 3, 6) and len(contacts.gap) == 4
    for k in range(6):
        e = np.zeros(6)
        e[k] = 1e-6
        up, down = (s.find(m.integrate(q, sign * e)).gap for sign in (1, -1))
        np.testing.assert_allclose((up - down) / 2e-6, J[:, 0, k], atol=1e-8)
    np.testing.assert_allclose(s.distances(q).gap, [contacts.gap.min()], atol=1e-12)
    far = s.distances(np.array([1, 0, 0, 0, 0, 0, 7.05]))
    assert s.find(np.array([1, 0, 0, 0, 0, 0, 7.05])).gap.shape == (0,) and abs(far.gap[0] - 7) < 1e-12
    assert (s.name(far.first[0]), s.name(far.second[0])) == ("ground", "thing")


@pytest.mark.quick
def test_a_step_is_an_impulse_and_depends_on_its_arguments_alone():
    m = body("sphere", 0.1, 3, 0.012)
    s = pn.Scene(m, ground=True, friction=0.2)
    q, v = at(0.1, x=2.0)
    a = m.forward_dynamics(q, v)
    one, other = s.step(q, v), s.step(q, v, a=a)
    v_next, contacts, report = s.impulse(q, v, v + 1e-3 * a)
    np.testing.assert_allclose(v_next[3], one.v[3], atol=1e-6)  # a step turns the velocity with the body
    s.step(*at(0.05))
    again = pickle.loads(pickle.dumps(s)).step(q, v, dt=1e-3)
    for x in (other, again):
        assert np.array_equal(one.q, x.q) and np.array_equal(one.v, x.v)
    np.testing.assert_allclose(contacts.force, [[-0.2 * 30, 0, 30]], rtol=1e-6)
    pushed = s.step(q, v, tau=[0, 0, 0, 0, 0, 600])
    assert not pushed.contacts.force.any() and pushed.v[5] > 0.1
    lifted = s.step(q, v, f_ext=m.force_on_frame("thing", [0, 0, 0, 0, 0, 600]))
    np.testing.assert_allclose(lifted.v, pushed.v, atol=1e-12)


def slider(**keys):
    b = pn.Builder("slider", gravity=G10)
    b.add_link("base").add_link("load", mass=2)
    return b.add_joint("slide", "prismatic", "base", "load", axis=(0, 0, 1), **keys).build()


@pytest.mark.quick
def test_stops_and_dry_friction():
    """A load of 20 N: on its stop, held by friction of 30 N, and sliding against one of 5 N."""
    q, v, contacts, report = run(pn.Scene(slider(limits=[0, 1])), [0.05], [0.0], 300)
    np.testing.assert_allclose([*q, *v, *report.joint_forces], [0, 0, 20], atol=1e-7)
    assert report.stopped == 1 and report.held == 0 and report.beyond < 1e-9 and not len(contacts.gap)
    q, v, contacts, report = run(pn.Scene(slider(limits=[0, 1]), limits=False), [0.05], [0.0], 300)
    np.testing.assert_allclose(v, [-3], rtol=1e-12)
    soft = pickle.loads(pickle.dumps(pn.Scene(slider(limits=[0, 1]), limits=(1e4, 300))))
    q, v, contacts, report = run(soft, [0.05], [0.0], 600)  # 20 N press the spring by 2 mm
    np.testing.assert_allclose([*q, *v], [-2e-3, 0], atol=1e-6)
    q, v, contacts, report = run(pn.Scene(slider(friction=30), stiction=1), [0.5], [0.0], 100)
    np.testing.assert_allclose([*q, *v, *report.joint_forces], [0.5, 0, 20], atol=1e-7)
    assert report.held == 1
    q, v, contacts, report = run(pn.Scene(slider(friction=5), stiction=1), [0.5], [0.0], 100)
    np.testing.assert_allclose([*v, *report.joint_forces], [-7.5 * 0.1, 5], atol=1e-7)
    free = pn.simulate(slider(limits=[0, 1]), 0.3, q0=[0.05], contact="model")
    assert abs(free.q[-1, 0]) < 1e-9
    soft = pn.simulate(slider(limits=[0, 1]), 0.3, q0=[0.05], contact={"limits": False}, limits=True)
    assert -0.1 < soft.q[:, 0].min() < -1e-4
    through = pn.simulate(slider(limits=[0, 1]), 0.3, q0=[0.05], contact={"limits": False})
    np.testing.assert_allclose(through.q[-1, 0], 0.05 - 0.5 * 10 * 0.3 * 0.301, rtol=1e-9)


def test_closed_loops_stay_closed():
    m = pn.load_example("four-bar")
    q, v = pn.assemble(m, m.initial()[0])
    moved = pn.simulate(m, 0.2, q0=q, v0=v, integrator="dopri5", passive=False)
    q, v, contacts, report = run(pn.Scene(m), q, v, 200)
    assert abs(v).max() > 0.1 and report.open < 1e-4
    np.testing.assert_allclose(q, moved.q[-1], atol=2e-2)  # steps of order one


def test_meshes_in_files(tmp_path):
    """A box as an STL file stands on its corners like a box, once the file is read; a pickle keeps what was read."""
    corner = np.array([[x, y, z] for x in (-0.2, 0.2) for y in (-0.15, 0.15) for z in (-0.05, 0.05)])
    faces = [(0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1), (2, 3, 7), (2, 7, 6), (0, 2, 6),
             (0, 6, 4), (1, 5, 7), (1, 7, 3)]
    with open(tmp_path / "box.stl", "w") as file:
        file.write("solid box\n")
        for face in faces:
            file.write("facet normal 0 0 0\nouter loop\n")
            file.writelines("vertex {} {} {}\n".format(*(corner[i] / 2)) for i in face)
            file.write("endloop\nendfacet\n")
        file.write("endsolid box\n")
    import json
    one = {"shape": "mesh", "mesh": "box.stl", "scale": [2, 2, 2]}
    text = {"pinion": 1, "gravity": G10, "links": [{"name": "base"}, {"name": "thing", "mass": 2, "collisions": [one],
            "inertia": {"xx": 0.02, "yy": 0.02, "zz": 0.02}}],
            "joints": [{"name": "free", "type": "free", "parent": "base", "child": "thing"}]}
    (tmp_path / "m.json").write_text(json.dumps(text))
    m = pn.load(tmp_path / "m.json")
    with pytest.warns(UserWarning, match="1 collision in mesh files take no part in contact"):
        assert pn.Scene(m, ground=True).left_out == 1
    with pytest.warns(UserWarning, match="take no part"):
        assert pn.simulate(m, 0.01, contact="ground").contact.left_out == 1
    read = m.with_meshes()
    assert m.collisions[0].data is None and read.collisions[0].data.shape == (8, 3)
    q, v = at(0.06)
    for x in (read, pickle.loads(pickle.dumps(read))):
        s = pn.Scene(x, ground=True)
        assert s.left_out == 0
        np.testing.assert_allclose(s.find(q).gap, [0.01 - 1e-17] * 4, atol=1e-12)
        near = pn.shape_distance(pn.Solid("plane"), pn.Solid.of(x, 0, q))
        np.testing.assert_allclose(near.gap, 0.01, atol=1e-12)
    np.testing.assert_allclose(pn.shape_distance(pn.Solid("plane"), pn.Solid.of(m, 0, q)).gap, 0.01, atol=1e-12)
    lies = run(pn.Scene(read, ground=True, friction=0.5), *at(0.05), 20)
    np.testing.assert_allclose(lies[2].force, [[0, 0, 5]] * 4, atol=1e-5)
    (tmp_path / "box.stl").unlink()
    with pytest.warns(UserWarning, match="with_meshes: 1 of 1 meshes could not be read: "):
        m.with_meshes()


@pytest.mark.quick
def test_what_a_scene_objects_to():
    m = body("sphere", 0.1, 3, 0.012)
    s = pn.Scene(m, ground=True)
    q, v = at(0.1)
    for wrong, message in [
        (lambda: s.step(q[:3], v), "step: q has the shape (3,); expected (7,)"),
        (lambda: s.step(q, np.zeros((2, 6))), "step: v has the shape (2, 6); expected (6,)"),
        (lambda: s.step(q, v * np.nan), "step: v[0] is not finite"),
        (lambda: s.find(None), "find: q is no array of real numbers: its dtype is object"),
        (lambda: s.find(q + 1j), "find: q is no array of real numbers: its dtype is complex128"),
        (lambda: s.step(q, v, f_ext=np.zeros((6, 2))), "step: f_ext has the shape (6, 2); expected (2, 6)"),
        (lambda: s.step(q, v, tau=v, a=v), "step: a is given together with tau or f_ext; expected one or the other"),
        (lambda: s.step(q, v, dt=0), "dt is 0; expected a finite number above 0"),
        (lambda: pn.Scene(m, friction=-1), "friction is -1; expected a finite number, 0 or more"),
        (lambda: pn.Scene(m, solver="magic"), "there is no contact solver 'magic'"),
        (lambda: pn.simulate(m, 1.0, contact={"grund": 1}), "contact has no option 'grund'; expected one of ground, "),
        (lambda: pn.simulate(m, 1.0, contact="floor"), "contact is 'floor'; expected 'model' or 'ground'"),
    ]:
        with pytest.raises(pn.Error) as e:
            wrong()
        assert str(e.value).startswith(message), e.value
    for bad in (np.full(7, 2.0), np.zeros(7)):  # no unit quaternion
        with pytest.raises(pn.Error, match="quaternion"):
            s.step(bad, v)
    with pytest.raises(pn.Error, match="restitution must be from 0 to 1"):
        pn.Scene(m, restitution=2)
    with pytest.raises(TypeError, match="needs a Model"):
        pn.Scene("model")
    readonly = q.copy()
    readonly.flags.writeable = False
    assert np.array_equal(s.step(readonly, [0] * 6).q, s.step(q[::-1].copy()[::-1], v.astype(np.float32)).q)


def test_threads_have_scenes_of_their_own():
    m = pn.load_example("quadruped")
    q, v = m.initial()
    alone = pn.Scene(m, ground=True)
    expected, results, errors = alone.step(q, v), [], []

    def work():
        s = pn.Scene(m, ground=True)
        for _ in range(50):
            results.append(s.step(q, v).v)
            try:
                alone.step(q, v)
            except pn.Error as e:
                errors.append(str(e))
    threads = [threading.Thread(target=work) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert len(results) == 200 and all(np.array_equal(x, expected.v) for x in results)
    assert all("another thread uses the scene" in e for e in errors)


def test_nothing_leaks():
    import resource
    m = body("box", [0.4, 0.3, 0.1], 2, 0.02)
    s, q, v = pn.Scene(m, ground=True), *at(0.05)
    box, ball = pn.Solid("box", (1, 1, 1)), pn.Solid("sphere", 0.5, (0, 0, 0.9))

    def some(count):
        for _ in range(count):
            s.step(q, v)
            s.jacobian(q)
            s.inverse_dynamics(q)
            pn.contact_solve(np.eye(3), [-1, 0, 0], 0.5)
            pn.shape_patch(box, ball)
            for wrong in (q[:3], [np.nan] * 7, "x"):
                with pytest.raises(pn.Error):
                    s.step(wrong, v)
            pn.Scene(m)
    some(300)
    gc.collect()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    some(3000)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 1500  # KiB: half a byte a call would be told


# ---- simulations ----

def test_simulate_with_contact():
    """A block that is thrown with 2 m/s over friction 0.5 rests after 0.4 s and 0.4 m."""
    m = body("box", [0.4, 0.3, 0.1], 2, 0.02, friction=0.5)
    q, v = at(0.05, x=2.0)
    run_ = pn.simulate(m, 0.6, q0=q, v0=v, contact="ground", output_step=0.01)
    assert abs(run_.q[-1, 4] - 0.4) < 3e-3 and abs(run_.v[-1]).max() < 1e-9
    assert run_.contact.most == 4 and run_.contact.pairs == 1 and run_.contact.unsolved == 0
    force = np.stack([run_.columns[f"contact.ground.thing.force.{i}"] for i in range(3)], axis=-1)
    np.testing.assert_allclose(force[1], [-10, 0, 20], atol=1e-5)
    np.testing.assert_allclose(force[-1], [0, 0, 20], atol=1e-5)
    hand = pn.Simulation(m, q0=q, v0=v, contact={"ground": True, "friction": 0.1})
    hand.advance_to(0.6)
    assert np.array_equal(hand.q, run_.q[-1])  # the model says its own friction
    # which forces are not determined is looked at where rows are kept
    assert run_.contact._replace(undetermined=0) == hand.contact
    assert pn.simulate(m, 0.1).contact is None and pn.Simulation(m).contact is None
    with pytest.raises(pn.Error, match="contact"):
        pn.simulate(m, 0.1, contact="ground", integrator="rk4")


def test_simulate_is_the_command(tmp_path):
    import subprocess
    import sys
    m = body("box", [0.4, 0.3, 0.1], 2, 0.02, friction=0.5)
    m.save(tmp_path / "m.json")
    subprocess.run([sys.executable, "-m", "pinion", "sim", "m.json", "--duration", "0.1", "--contact", "ground", "--q0",
                    "free.6=0.2", "-o", "run.csv"], cwd=tmp_path, check=True, capture_output=True)
    told = pn.load_run(tmp_path / "run.csv", model=m)
    mine = pn.simulate(m, 0.1, q0=at(0.2)[0], contact="ground")
    assert np.array_equal(told.q, mine.q) and "contact.count" in mine.columns


# ---- the problem ----

@pytest.mark.quick
def test_contact_solve():
    """A mass of 2 kg hits and slides; one that sticks; one that leaves."""
    found = pn.contact_solve(np.eye(3) / 2, [-1, 3, 4], 0.5)
    np.testing.assert_allclose(found.lambda_, [2, -0.6, -0.8], atol=1e-9)
    np.testing.assert_allclose(found.u, [0, 2.7, 3.6], atol=1e-9)
    assert found.residuals.natural < 1e-9 and found.solver == pn.contact_solvers()[0].name
    np.testing.assert_allclose(pn.contact_solve(np.eye(3) / 2, [-1, 0.3, 0.1], 0.5).lambda_, [2, -0.6, -0.2], atol=1e-9)
    assert not pn.contact_solve(np.eye(3) / 2, [1, 3, 4], 0.5).lambda_.any()
    rows = pn.contact_solve(np.eye(3), [1.0, -2.0, 3.0], [0, 0, 0.5], law=["equality", "limit", "friction"])
    np.testing.assert_allclose(rows.lambda_, [-1, 2, -0.5], atol=1e-9)
    soft = pn.contact_solve(np.eye(1), [-2.0], 0, law="limit", R=1.0)
    np.testing.assert_allclose(soft.lambda_, [1], atol=1e-9)
    for solver in pn.contact_solvers():
        again = pn.contact_solve(np.eye(3) / 2, [-1, 3, 4], 0.5, solver=solver.name, guess=[2, 0, 0])
        np.testing.assert_allclose(again.lambda_, found.lambda_, atol=1e-8)
        assert again.solver == solver.name


@pytest.mark.quick
def test_contact_check():
    u, r = pn.contact_check(np.eye(3), [-1, 0, 0], 0.5, [1, 0, 0])
    assert not u.any() and r.natural == r.cone == r.dual == 0
    u, r = pn.contact_check(np.eye(3), [-1, 0, 0], 0.5, [0, 0, 0])
    assert r.dual == 1 and r.worst == 0
    u, r = pn.contact_check(np.eye(3), [-1, 0, 0], 0.5, [1, 1, 0])
    np.testing.assert_allclose(r.cone, 0.5 / np.sqrt(1.25))  # from (1, 1) to the cone |t| = n / 2


@pytest.mark.quick
def test_what_contact_solve_objects_to():
    eye = np.eye(3)
    for wrong, message in [
        (lambda: pn.contact_solve(np.eye(2), [-1, 0, 0], 0.5), "contact_solve: G has the shape (2, 2); expected (3, 3)"),
        (lambda: pn.contact_solve(np.eye(4), np.zeros(4), 0.5), "contact_solve: g has 4 rows; expected a multiple of 3"),
        (lambda: pn.contact_solve(eye, [[0, 0, 0]], 0.5), "contact_solve: g has the shape (1, 3); expected (rows,)"),
        (lambda: pn.contact_solve(eye + np.eye(3, k=1), [0, 0, 0], 0.5), "contact_solve: G is not symmetric"),
        (lambda: pn.contact_solve(eye, [np.inf, 0, 0], 0.5), "g[0] is not finite"),
        (lambda: pn.contact_solve(eye, [0, 0, 0], [0.5, 0.5]), "mu has the shape (2,); expected (1,)"),
        (lambda: pn.contact_solve(eye, [0, 0, 0], -1), "contact_solve: block 0: mu must be 0 or more"),
        (lambda: pn.contact_solve(-eye, [0, 0, 0], 1), "contact_solve: block 0: G has a negative number on its diagonal"),
        (lambda: pn.contact_solve(eye, [0, 0, 0], 1, law=["stop"] * 3), "law[0] is 'stop'; expected 'contact' or "),
        (lambda: pn.contact_solve(eye, [0, 0, 0], 1, law=["limit"]), "contact_solve: the blocks of law have 1 rows"),
        (lambda: pn.contact_solve(eye, [0, 0, 0], 1, tol=0), "tol is 0; expected a finite number above 0"),
    ]:
        with pytest.raises(pn.Error) as e:
            wrong()
        assert str(e.value).startswith(message), e.value
    with pytest.raises(pn.Error) as e:  # no force moves it
        pn.contact_solve(np.zeros((3, 3)), [-1, 0, 0], 0.5)
    assert e.value.status == "convergence" and e.value.solution.residuals.dual == 1
    assert np.isfinite(e.value.solution.lambda_).all() and e.value.solution.lambda_.shape == (3,)


def test_an_interrupt_ends_a_long_solve():
    import _thread
    import time
    rng = np.random.default_rng(5)
    J = rng.normal(size=(900, 300))  # of no full rank: slow
    timer = threading.Timer(0.3, _thread.interrupt_main)
    began = time.monotonic()
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            for _ in range(100):
                try:
                    pn.contact_solve(J @ J.T, rng.normal(size=900), 2.0, tol=1e-14)
                except pn.Error:
                    pass
        assert time.monotonic() - began < 3
    finally:
        timer.cancel()


# ---- shapes ----

@pytest.mark.quick
def test_shapes():
    box, ball = pn.Solid("box", (2, 2, 2)), pn.Solid("sphere", 0.5, (0, 0, 2))
    near = pn.shape_distance(box, ball)
    np.testing.assert_allclose([near.gap, *near.normal, *near.first, *near.second],
                               [0.5, 0, 0, 1, 0, 0, 1, 0, 0, 1.5], atol=1e-12)
    turned = pn.Solid("capsule", (0.25, 1.0), (0, 0, 1.25), rotation=[[0, 0, 1], [0, 1, 0], [-1, 0, 0]])
    patch = pn.shape_patch(box, turned, margin=0.01)
    assert patch.gap.shape == (2,) and patch.first.shape == (2, 3)
    np.testing.assert_allclose(np.sort(patch.second[:, 0]), [-0.5, 0.5], atol=1e-9)
    assert pn.shape_patch(box, ball).gap.shape == (0,)
    low, high = pn.shape_bounds(turned)
    np.testing.assert_allclose([*low, *high], [-0.75, -0.25, 1, 0.75, 0.25, 1.5], atol=1e-12)
    hull = pn.Solid("mesh", data=[[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    np.testing.assert_allclose(pn.shape_distance(hull, ball).gap, 0.5, atol=1e-12)
    field = pn.Solid("height_field", (4, 4, 1), data=np.full((3, 3), 1.0))
    np.testing.assert_allclose(pn.shape_distance(field, ball).gap, 0.5, atol=1e-12)
    pairs = pn.shape_overlaps([[0, 0, 0], [5, 5, 5], [0.5, 0, 0]], [[1, 1, 1], [6, 6, 6], [2, 2, 2]])
    assert pairs.tolist() == [[0, 2]]


@pytest.mark.quick
def test_what_shapes_object_to():
    ball = pn.Solid("sphere", 0.5)
    for wrong, message in [
        (lambda: pn.shape_distance(pn.Solid("bal", 1), ball), "first: there is no shape 'bal'"),
        (lambda: pn.shape_distance(pn.Solid("sphere"), ball), "shape_distance: sphere and sphere: a size is not above 0"),
        (lambda: pn.shape_distance(pn.Solid("plane"), pn.Solid("plane")), "shape_distance: plane and plane: two of"),
        (lambda: pn.Solid("box", (1, 2, 3, 4)), "size has 4 numbers; expected at most 3"),
        (lambda: pn.Solid("box", (1, 2, np.nan)), "size[2] is not finite"),
        (lambda: pn.Solid("box", (1, 2, 3), rotation=np.ones((3, 3))), "rotation is not a rotation"),
        (lambda: pn.Solid("mesh", data=[[1, 2]]), "data has the shape (1, 2); expected (n, 3)"),
        (lambda: pn.shape_overlaps([[0, 0, 0]], [[0, 0]]), "low and high have the shapes (1, 3) and (1, 2)"),
    ]:
        with pytest.raises(pn.Error) as e:
            wrong()
        assert str(e.value).startswith(message), e.value
    with pytest.raises(TypeError, match="first is of type int; expected a Solid"):
        pn.shape_distance(3, ball)


def test_distances_and_their_derivatives():
    """Beside differences: of a pair of a quadruped's collisions, and of two solids that are moved."""
    m = pn.load_example("quadruped")
    s = pn.Scene(m, ground=True)
    q = m.integrate(m.initial()[0], np.linspace(-0.3, 0.4, m.nv))
    foot = len(m.collisions) - 1
    d = s.distance(q, "ground", foot, derivatives=True)
    assert s.distance(q, -1, foot).gap == d.gap and d.d_gap.shape == (m.nv,) and d.d_first.shape == (3, m.nv)
    for k, e in enumerate(1e-6 * np.eye(m.nv)):
        up, down = (s.distance(m.integrate(q, sign * e), -1, foot) for sign in (1, -1))
        np.testing.assert_allclose((up.gap - down.gap) / 2e-6, d.d_gap[k], atol=1e-7)
        np.testing.assert_allclose((up.second - down.second) / 2e-6, d.d_second[:, k], atol=1e-7)
    for wrong, word in [(lambda: s.distance(q, 0, 99), "second is 99; the model has no such collision"),
                        (lambda: s.distance(q, "hat", 0), "first is 'hat'"),
                        (lambda: s.distance(q[:3], 0, 1), "distance: q has the shape")]:
        with pytest.raises(pn.Error, match=word):
            wrong()
    balls = pn.Solid("sphere", 0.5, (0, 0, 0)), pn.Solid("sphere", 0.5, (0, 0, 2))
    near = pn.shape_d_distance(*balls)
    np.testing.assert_allclose(near.d_gap, [0, 0, 0, 0, 0, -1, 0, 0, 0, 0, 0, 1], atol=1e-12)
    np.testing.assert_allclose(near.d_normal[:, 9:], np.diag([0.5, 0.5, 0]), atol=1e-12)  # 1 / distance of the centres


def test_solids_of_a_model():
    m = pn.load_example("quadruped")
    q = m.initial()[0]
    pairs = pn.Scene(m, ground=True).distances(q)
    ground = pn.Solid("plane")
    assert len(pairs.gap) > 4
    for first, second, gap in zip(*pairs):
        a = ground if first < 0 else pn.Solid.of(m, first, q)
        np.testing.assert_allclose(pn.shape_distance(a, pn.Solid.of(m, second, q)).gap, gap, atol=1e-9)


# ---- inverse dynamics on contacts ----

@pytest.mark.quick
def test_support_forces():
    """A crate of 4 kg on four corners, pushed along with 2 m/s^2: the sum is m (a + g), moments are in balance."""
    m = body("box", [0.4, 0.3, 0.1], 4, 0.02)
    q, v = at(0.05)
    s = pn.Scene(m, ground=True)
    still = s.inverse_dynamics(q)
    np.testing.assert_allclose(still.force, [[0, 0, 10]] * 4, atol=1e-9)
    assert still.inside and still.missing < 1e-9 and still.undetermined == 6 and abs(still.tau).max() < 1e-9
    np.testing.assert_allclose(still.margin, [0.8 * 10 / np.sqrt(1.64)] * 4)
    a = np.array([0, 0, 0, 2, 0, 0])
    moved = s.inverse_dynamics(q, v, a)
    np.testing.assert_allclose(moved.force.sum(axis=0), [8, 0, 40], atol=1e-9)
    arms = np.cross(moved.point - q[4:], moved.force).sum(axis=0)
    np.testing.assert_allclose(arms, 0, atol=1e-9)
    corners = np.array([[x, y, 0] for x in (-0.2, 0.2) for y in (-0.15, 0.15)])
    given = pn.support_forces(m, q, v, a, link="thing", point=corners, friction=0.8)
    np.testing.assert_allclose(given.force.sum(axis=0), [8, 0, 40], atol=1e-9)
    np.testing.assert_allclose(given.tau, 0, atol=1e-9)
    slip = pn.support_forces(m, q, v, a, link=["thing"] * 4, point=corners, friction=0.1)
    assert not slip.inside and slip.least_margin < 0 and slip.needed_friction > 0.19
    fly = pn.support_forces(m, q)
    np.testing.assert_allclose(fly.missing, 40, rtol=1e-9)
    shared = pn.support_forces(m, q, link="thing", point=[[-0.2, 0, 0], [0.2, 0, 0], [0, 0, 0]], share=[1, 1, 2])
    np.testing.assert_allclose(shared.force[:, 2], [10, 10, 20], atol=1e-8)


@pytest.mark.quick
def test_zero_moment_point():
    """x_c - z_c a / g of a body that is moved along x."""
    m = body("box", [0.4, 0.3, 0.1], 4, 0.02)
    q, v = at(0.5)
    np.testing.assert_allclose(pn.zero_moment_point(m, q, v, [0, 0, 0, 2, 0, 0]), [-0.5 * 2 / 10, 0, 0], atol=1e-12)
    np.testing.assert_allclose(pn.zero_moment_point(m, q, on=[0, 0, 0.1]), [0, 0, 0.1], atol=1e-12)
    with pytest.raises(pn.Error, match="nothing presses"):
        pn.zero_moment_point(m, q, v, [0, 0, 0, 0, 0, -10])
    assert np.isnan(pn.zero_moment_point(m, q, v, [0, 0, 0, 0, 0, -10], errors="nan")).all()


@pytest.mark.quick
def test_support_polygon():
    points = [[0, 0, 0], [2, 0, 0], [2, 1, 5], [0, 1, 0], [1, 0.5, 0]]
    found = pn.support_polygon(points, place=[0.5, 0.2, 0])
    assert sorted(found.corners) == [0, 1, 2, 3] and abs(found.margin - 0.2) < 1e-12
    x, y = np.array(points)[found.corners, :2].T
    assert np.sum(x * np.roll(y, -1) - y * np.roll(x, -1)) / 2 == 2  # counterclockwise
    assert pn.support_polygon(points).margin is None
    assert pn.support_polygon(points, place=[3, 0, 0]).margin < 0
    for wrong in (np.zeros((0, 3)), np.zeros(3), [[np.nan, 0, 0]]):
        with pytest.raises(pn.Error, match="points"):
            pn.support_polygon(wrong)
    with pytest.raises(pn.Error, match="up is zero"):
        pn.support_polygon(points, up=(0, 0, 0))
