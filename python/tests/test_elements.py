"""Tendons and weights that are carried, tasks by hand, copies with other numbers, and files with less."""
import pickle

import numpy as np
import pytest

import pinion as pn


@pytest.fixture(scope="module")
def strung():
    """A tendon over two joints, and a link whose weight is carried by half."""
    return pn.load_string("""{"pinion": 1, "links": [{"name": "b"}, {"name": "l", "mass": 2, "com": [1, 0, 0],
        "gravity_compensation": 0.5}, {"name": "k", "mass": 1}],
        "joints": [{"name": "j", "type": "revolute", "parent": "b", "child": "l", "axis": [0, 1, 0]},
                   {"name": "s", "type": "prismatic", "parent": "l", "child": "k"}],
        "tendons": [{"name": "t", "joints": ["j", "s"], "weights": [2, 1], "stiffness": 10, "damping": 3}]}""")


def test_elements(strung):
    m = strung
    e = pn.element_forces(m, [0.1, 0.2], [1.0, 0.5])
    np.testing.assert_allclose(e.springs, [-8, -4], atol=1e-14)
    np.testing.assert_allclose(e.dampers, [-15, -7.5], atol=1e-14)
    np.testing.assert_allclose(e.compensation, [-np.linalg.norm(m.gravity_vector) * np.cos(0.1), 0], rtol=1e-14)
    V = [[pn.element_forces(m, np.array([0.1, 0.2]) + h).potential for h in (d, -d)] for d in 1e-5 * np.eye(2)]
    np.testing.assert_allclose([(a - b) / -2e-5 for a, b in V], e.springs + e.compensation, rtol=1e-8)
    assert not m.passive_forces([0.1, 0.2], [1.0, 0.5]).any()
    with pytest.raises(pn.Error, match="q has"):
        pn.element_forces(m, [0.1])


@pytest.mark.quick
def test_tendons(strung):
    t = strung.tendons["t"]
    assert (t.index, t.type, t.stiffness, t.damping) == (0, "joints", 10, 3) and strung.tendons.names == ("t",)
    assert t.terms == ((strung.joints["j"].index, 2.0), (strung.joints["s"].index, 1.0)) and t.rest.tolist() == [0, 0]
    length, rate = pn.tendon_lengths(strung, [0.1, 0.2], [1.0, 0.5])
    np.testing.assert_allclose([*length, *rate], [0.4, 2.5], rtol=1e-14)
    d = pn.d_element_forces(strung, [0.1, 0.2], [1.0, 0.5])
    forces = lambda q, v: np.sum(pn.element_forces(strung, q, v)[:3], axis=0)
    for k, e in enumerate(1e-6 * np.eye(2)):
        q, v = np.array([0.1, 0.2]), np.array([1.0, 0.5])
        np.testing.assert_allclose((forces(q + e, v) - forces(q - e, v)) / 2e-6, d.dq[:, k], atol=1e-7)
        np.testing.assert_allclose((forces(q, v + e) - forces(q, v - e)) / 2e-6, d.dv[:, k], atol=1e-7)
    assert not pn.random_chain(3).tendons and pn.tendon_lengths(pn.random_chain(3), np.zeros(3)).length.shape == (0,)
    with pytest.raises(pn.Error, match="v has"):
        pn.tendon_lengths(strung, [0.1, 0.2], [1.0])


def test_tendons_along_paths():
    """From the base to a body that slides along z and away: the length is that of the line between the frames."""
    m = pn.from_dict({"pinion": 1, "links": [{"name": "b"}, {"name": "k", "mass": 1}],
                      "frames": [{"name": "eye", "link": "b", "origin": {"position": [3, 0, 0]}}],
                      "joints": [{"name": "s", "type": "prismatic", "parent": "b", "child": "k", "axis": [0, 0, 1]}],
                      "tendons": [{"name": "p", "path": ["eye", "k"], "stiffness": 2}]})
    assert m.tendons[0].type == "path" and [i for i, _ in m.tendons[0].terms] == [m.frames["eye"].index,
                                                                                 m.frames["k"].index]
    length, rate = pn.tendon_lengths(m, [4.0], [2.0])
    np.testing.assert_allclose([*length, *rate], [5.0, 2.0 * 4 / 5])


def test_limits_of_tendons():
    """One along a slider that may have at most 2 m, with stops of 100 N/m and 10 N s/m: at 2.5 m and 1 m/s it is pressed
    back with 60 N."""
    m = pn.from_dict({"pinion": 1, "links": [{"name": "b"}, {"name": "k", "mass": 1}],
                      "joints": [{"name": "s", "type": "prismatic", "parent": "b", "child": "k"}],
                      "tendons": [{"name": "t", "joints": ["s"], "weights": [1], "limits": [0, 2]}]})
    assert m.tendons["t"].limits.tolist() == [0, 2]
    assert not np.any(pn.element_forces(m, [2.5], [1.0]).springs)
    pressed = pn.element_forces(m, [2.5], [1.0], stops=(100, 10))
    np.testing.assert_allclose(pressed.springs + pressed.dampers, [-60])
    for wrong, word in [((-1, 0), r"stops\[0\] is -1"), ((1, 2, 3), "stops has the shape"), ((np.inf, 0), "stops")]:
        with pytest.raises(pn.Error, match=word):
            pn.element_forces(m, [2.5], stops=wrong)


def test_tasks_by_hand():
    """The same u as a simulation takes; what a task wants is what it gets where the actuators can; and near a stretched
    arm its priority gives way."""
    arm = pn.load_example("puma560-corke")
    line = {"tasks": [{"task": "position", "frame": arm.frames[-1].name, "line": {"by": [0, 0.1, 0.05], "duration": 0.5}}]}
    q, v = np.array([0.1, 0.7, -0.6, 0.2, 0.5, 0.3]), np.full(6, 0.1)
    tasks = pn.Tasks(arm, line, q)
    assert len(tasks) == 1
    u = tasks(0.2, q, v)
    J, a = tasks.wanted(0, 0.2, q, v)
    assert tasks.damped.tolist() == tasks.out_of_reach.tolist() == [0] and J.shape[1] == 6 and len(J) == len(a)
    tau = arm.actuation_torque(q, u)
    got = arm.forward_dynamics(q, v, tau)
    np.testing.assert_allclose((J @ got)[-3:], a[-3:], atol=1e-8)
    sim = pn.simulate(arm, 0.2, q0=q, v0=v, control=pn.task_control(line), passive=False, output_step=0.1)
    np.testing.assert_allclose(tasks(0.1, sim.q[1], sim.v[1]), sim.tau[1], rtol=1e-9)
    for wrong, word in [(lambda: tasks.wanted(1, 0, q, v), "task 1 cannot be computed; there are 1"),
                        (lambda: tasks(0.0, q[:2], v), "q has the shape"), (lambda: tasks(np.nan, q, v), "t is nan"),
                        (lambda: pn.Tasks(arm, {"tasks": 3}), "tasks")]:
        with pytest.raises(pn.Error, match=word):
            wrong()
    with pytest.raises(TypeError):
        pickle.dumps(tasks)


@pytest.mark.quick
def test_other_numbers_of_links_and_joints():
    """Each is what a model with these numbers from the start gives."""
    def built(mass, damping, rotor):
        b = pn.Builder("arm").add_link("base").add_link("bob", mass=mass, com=(0, 0, -0.5),
                                                        inertia=np.diag([0.1, 0.2, 0.3]) * mass)
        b.add_joint("pivot", "revolute", "base", "bob", axis=(0, 1, 0), damping=damping,
                    rotor={"inertia": rotor, "gear": 10.0}, friction=0.2)
        return b.build()
    one, other = built(2.0, 0.1, 1e-3), built(3.0, 0.7, 2e-3)
    made = one.with_inertia("bob", 3.0, (0, 0, -0.5), np.diag([0.3, 0.6, 0.9])).with_dof("pivot", damping=0.7,
                                                                                         rotor_inertia=2e-3)
    assert made.joints[0].dofs == other.joints[0].dofs != one.joints[0].dofs and made.mass == 3 and one.mass == 2
    for m in (made, pickle.loads(pickle.dumps(made))):
        assert m.inverse_dynamics([0.3], [0.5], [1.0]) == other.inverse_dynamics([0.3], [0.5], [1.0])
        assert m.passive_forces([0.3], [0.5]) == other.passive_forces([0.3], [0.5])
    for wrong, word in [(lambda: one.with_dof("pivot", dof=1), "with_dof: dof is 1; expected below 1, for 'pivot'"),
                        (lambda: one.with_dof("pivot", lower=1), "there is no 'lower' to change"),
                        (lambda: one.with_dof("pivot", damping=-1), "with_dof: "),
                        (lambda: one.with_dof("pivot", damping=np.inf), "damping is inf"),
                        (lambda: one.with_dof("elbow", damping=1), "no joint 'elbow'"),
                        (lambda: one.with_inertia("bob", -1), "with_inertia: mass is -1"),
                        (lambda: one.with_inertia("bob", 1, inertia=np.eye(2)), "with_inertia: inertia is not")]:
        with pytest.raises(pn.Error, match=word):
            wrong()


def test_files_with_less(tmp_path, strung):
    """A model with what a format has no word for: refused, or told."""
    m = pn.load_example("spatial-slider-crank")
    assert m.save(tmp_path / "m.json") == ()
    gone = None
    for name in ("m.mjcf", "m.sdf"):
        try:
            m.save(tmp_path / name)
        except pn.Error as e:
            gone = gone or name
            assert not (tmp_path / name).exists() and e.status == "unsupported"
            told = m.save(tmp_path / name, strict=False)
            assert told and all(isinstance(line, str) and line for line in told)
            assert pn.load(tmp_path / name).nv == m.nv
    assert gone
    with pytest.raises(pn.Error, match="nowhere"):
        m.save(tmp_path / "nowhere" / "m.sdf", strict=False)
