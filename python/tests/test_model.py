"""Models: files, the builder, elements by name, copies with changes, pickles."""
import copy
import fractions
import os
import pickle
import subprocess

import numpy as np
import pytest

import pinion as pn

pytestmark = pytest.mark.quick

URDF = """<robot name="two">
  <link name="base"/>
  <link name="upper"><inertial><mass value="1"/><origin xyz="0.2 0 0"/>
    <inertia ixx="0.01" iyy="0.02" izz="0.02" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="lower"><inertial><mass value="0.5"/><origin xyz="0.1 0 0"/>
    <inertia ixx="0.01" iyy="0.02" izz="0.02" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="tool"/>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="2" effort="10" velocity="3"/></joint>
  <joint name="elbow" type="continuous"><parent link="upper"/><child link="lower"/><origin xyz="0.4 0 0"/>
    <axis xyz="0 1 0"/><dynamics damping="0.5" friction="0"/></joint>
  <joint name="mount" type="fixed"><parent link="lower"/><child link="tool"/><origin xyz="0.3 0 0"/></joint>
</robot>
"""


@pytest.fixture(scope="module")
def two():
    return pn.load_string(URDF)


def test_elements(two):
    assert (two.name, two.nq, two.nv, two.nbody, two.mass) == ("two", 2, 2, 3, 1.5)
    assert two.joints.names == ("shoulder", "elbow") and two.tree_joints["mount"].type == "fixed"
    elbow = two.joints["elbow"]
    assert (elbow.index, elbow.parent, elbow.child, elbow.q, elbow.nv, elbow.dofs[0].damping) == (
        1, "upper", "lower", slice(1, 2), 1, 0.5)
    assert two.joints[0].dofs[0][:4] == (-1, 2, 3, 10) and np.array_equal(elbow.axis, [0, 1, 0])
    assert np.array_equal(elbow.parent_pose.position, [0.4, 0, 0])
    assert two.frames.names == ("base", "upper", "lower", "tool") and "tool" in two.frames and "x" not in two.frames
    assert two.frames["tool"].link == "tool" and two.frames["tool"].body == two.frames["lower"].body
    assert two.links["lower"].inertia.mass == 0.5 and two.bodies[0].name == "world" and not two.loops
    assert np.array_equal(two.frames(np.zeros(2)).position[3], [0.7, 0, 0])
    with pytest.raises(KeyError):
        two.joints["wrist"]
    with pytest.raises(AttributeError):
        two.nq = 3
    with pytest.raises(ValueError):
        elbow.axis[0] = 1


def test_how_it_looks(two):
    assert repr(two) == "<pinion.Model 'two': 2 joints, nq 2, nv 2, 1.5 kg>"
    page = two._repr_html_()
    assert page.count("<tr>") == 3 and "shoulder" in page and "-1 to 2" in page
    strange = pn.Builder("<script>").add_link("a").add_link("b&", mass=1).add_joint("j<", "revolute", "a", "b&").build()
    assert "<script>" not in strange._repr_html_() and "j<" not in strange._repr_html_()


def test_loading(tmp_path, two):
    path = tmp_path / "two.urdf"
    path.write_text(URDF)
    q = [0.3, 0.4]
    for m in (pn.load(path), pn.load(str(path)), pn.load(bytes(path))):
        assert np.array_equal(m.gravity(q), two.gravity(q))
    free = pn.load(path, root="free", gravity=(0, 0, -1.62))
    assert free.nq == 9 and free.joints[0].type == "free" and np.array_equal(free.gravity_vector, [0, 0, -1.62])
    two.save(tmp_path / "two.json")
    two.save(tmp_path / "again.urdf")
    two.save(tmp_path / "again.mjcf")
    two.save(tmp_path / "again.sdf")
    for name in ("two.json", "again.urdf"):
        assert np.array_equal(pn.load(tmp_path / name).gravity(q), two.gravity(q))
    for name in ("again.mjcf", "again.sdf"):
        assert np.allclose(pn.load(tmp_path / name).gravity(q), two.gravity(q), rtol=0, atol=1e-13)
    assert np.array_equal(pn.load_string(two.to_json()).gravity(q), two.gravity(q))


def test_files_that_are_wrong(tmp_path):
    with pytest.raises(pn.Error, match="no-such-file.*cannot be read") as e:
        pn.load(tmp_path / "no-such-file")
    assert e.value.status == "file" and isinstance(e.value, ValueError)
    with pytest.raises(pn.Error, match="here:5") as e:
        pn.load_string(URDF.replace('value="0.5"', 'value="heavy"'), name="here")
    assert e.value.status == "parse" and e.value.line == 5
    with pytest.raises(pn.Error, match="root is 'loose'") as e:
        pn.load(tmp_path / "x", root="loose")
    assert e.value.status == "argument"
    with pytest.raises(pn.Error, match="gravity"):
        pn.load_string(URDF, gravity=9.81)
    with pytest.raises(TypeError, match="pinion.load"):
        pn.Model()


def test_builder(two):
    b = pn.Builder("two")
    b.add_link("base")
    b.add_link("upper", mass=1, com=(0.2, 0, 0), inertia=np.diag([0.01, 0.02, 0.02]))
    b.add_link("lower", mass=np.float64(0.5), com=np.array([0.1, 0, 0]), inertia={"xx": 0.01, "yy": 0.02, "zz": 0.02})
    b.add_joint("shoulder", "revolute", "base", "upper", axis=(0, 1, 0), limits=[-1, 2], velocity=3, effort=10)
    b.add_joint("elbow", "continuous", "upper", "lower", origin={"position": [0.4, 0, 0]}, axis=(0, 1, 0))
    b.add_frame("tool", "lower", origin={"position": [0.3, 0, 0]})
    m = b.build()
    q, v, a = np.array([[0.3, 0.4], [1, 2], [3, 4.0]])
    assert np.array_equal(m.inverse_dynamics(q, v, a), two.inverse_dynamics(q, v, a))
    assert np.array_equal(m.pose(q, "tool").position, two.pose(q, "tool").position)
    b.add_joint("elbow", "revolute", "base", "lower")
    with pytest.raises(pn.Error, match="elbow"):
        b.build()
    with pytest.raises(pn.Error, match="colour"):
        pn.Builder().add_link("a", colour="red").build()


def test_closed_loop_from_the_builder():
    b = pn.Builder("four-bar", gravity=(0, -9.81, 0))
    b.add_link("ground")
    for name in ("crank", "coupler", "rocker"):
        b.add_link(name, mass=1, com=(0.5, 0, 0), inertia={"xx": 1e-4, "yy": 1 / 12, "zz": 1 / 12})
    b.add_joint("a", "revolute", "ground", "crank")
    b.add_joint("b", "revolute", "crank", "coupler", origin={"position": [1, 0, 0]})
    b.add_joint("c", "revolute", "ground", "rocker", origin={"position": [1, 0, 0]})
    b.add_joint("d", "revolute", "coupler", "rocker", origin={"position": [1, 0, 0]},
                child_origin={"position": [1, 0, 0]})
    m = b.build()
    assert m.nv == 3 and m.loops.names == ("d",) and "loop constraints" in repr(m)


def test_copies_with_changes(two):
    q = np.array([0.3, 0.4])
    moon = two.with_gravity((0, 0, -1.62))
    np.testing.assert_allclose(moon.gravity(q), two.gravity(q) * 1.62 / 9.81, rtol=1e-14)
    loaded = two.with_payload("tool", mass=2.0, com=(0, 0, 0.1), inertia=np.diag([1, 2, 3.0]))
    assert loaded.mass == 3.5 and two.mass == 1.5
    J = two.jacobian(q, "tool", "local")
    c = np.array([[0, -0.1, 0], [0.1, 0, 0], [0, 0, 0]])  # [com x]
    com = np.vstack([J[:3], J[3:] - c @ J[:3]])
    more = com.T @ np.diag([1, 2, 3, 2, 2, 2.0]) @ com
    np.testing.assert_allclose(loaded.mass_matrix(q), two.mass_matrix(q) + more, rtol=0, atol=1e-13)
    with pytest.raises(pn.Error, match="nothing"):
        two.with_payload("nothing", mass=1)
    b = pn.Builder().add_link("a").add_link("b", mass=1).add_joint("j", "prismatic", "a", "b").add_frame("tip", "b")
    moved = b.build().with_frame("tip", position=(0, 0, 2))
    assert np.array_equal(moved.pose([1.0], "tip").position, [0, 0, 3])
    assert np.array_equal(two.gravity(q), pn.load_string(URDF).gravity(q))


def test_pickles(two, tree, motion):
    loaded = two.with_payload("tool", 2.0, (0, 0, 0.1), np.eye(3)).with_gravity((1, 2, 3))
    for m in (two, tree, pn.n_four_bar(2), loaded):
        again = pickle.loads(pickle.dumps(m))
        q, v, a = motion(m)
        assert type(again) is pn.Model and again.name == m.name
        assert np.array_equal(again.inverse_dynamics(q, v, a), m.inverse_dynamics(q, v, a))
        assert np.array_equal(again.mass_matrix(q), m.mass_matrix(q))
        assert again.joints.names == m.joints.names
    for part in (two.joints[0], two.frames[3], two.bodies[1], two.actuators[0], pn.Event("limit", stop=True)):
        again = pickle.loads(pickle.dumps(part))
        assert type(again) is type(part) and repr(again) == repr(part)
    other = two.joints[0]._replace(name="x")
    assert other.name == "x" and other._asdict()["type"] == "revolute" and len(other._fields) == len(other)
    with pytest.raises(TypeError):
        two.joints[0]._replace(colour=1)
    assert copy.deepcopy(tree) is tree and copy.copy(tree) is tree
    result = tree.energy(tree.neutral())
    assert pickle.loads(pickle.dumps(result)) == result
    for result in (two.pose(two.neutral(), "tool"), two.frames(two.neutral())):
        again = pickle.loads(pickle.dumps(result))
        assert type(again) is type(result) and np.array_equal(again.position, result.position)
    assert pickle.loads(pickle.dumps(two.frames)).names == two.frames.names


def test_models_made_of_others(two):
    q = np.array([0.3, 0.4])
    fixed = two.reduced(["elbow"], q)
    assert fixed.joints.names == ("shoulder",)
    np.testing.assert_allclose(fixed.mass_matrix(q[:1]), two.mass_matrix(q)[:1, :1], rtol=1e-12)
    both = two.with_part("tool", two, prefix="second_", position=(0.1, 0, 0))
    assert both.nv == 4 and both.mass == 2 * two.mass
    np.testing.assert_allclose(both.pose(np.zeros(4), "second_tool").position, [0.7 + 0.1 + 0.7, 0, 0], atol=1e-12)
    with pytest.raises(pn.Error):
        two.with_part("tool", two)
    with pytest.raises(pn.Error, match="nothing"):
        two.reduced(["nothing"])
    for joint in (1, two.joints[1], "elbow"):  # numbers are those of m.joints
        assert two.reduced([joint]).joints.names == ("shoulder",)
    for wrong in ([2], [-1], "elbow"):
        with pytest.raises(pn.Error, match="reduced"):
            two.reduced(wrong)


def test_elements_of_another_model(two, tree):
    other = pn.random_chain(2)
    for call in (lambda: two.pose(two.neutral(), tree.frames[1]), lambda: two.jacobian(two.neutral(), other.frames[2]),
                 lambda: two.with_payload(tree.links[1], 1.0), lambda: two.reduced([tree.joints[0]]),
                 lambda: pn.simulate(two, 0.1, frames=[tree.frames[1]])):
        with pytest.raises(pn.Error, match="another model"):
            call()
    q = two.neutral()
    assert np.array_equal(two.pose(q, two.frames["tool"]).position, two.pose(q, "tool").position)


def test_states_and_groups():
    b = pn.Builder("arm").add_link("base").add_link("upper", mass=1, com=(0, 0, 1))
    b.add_link("lower", mass=1, com=(0, 0, 1))
    b.add_joint("shoulder", "revolute", "base", "upper", axis=(0, 1, 0))
    b.add_joint("elbow", "revolute", "upper", "lower", axis=(0, 1, 0), origin={"position": [0, 0, 1]})
    b.add_state("home", q={"elbow": 1.5}, v={"shoulder": 0.5}).add_group("arm", ["elbow", "shoulder"])
    m = b.build()
    assert m.groups == {"arm": ("elbow", "shoulder")} and list(m.states) == ["home"]
    assert m.states["home"][0].tolist() == [0, 1.5] and m.states["home"][1].tolist() == [0.5, 0]
    run = pn.simulate(m, 0.1, q0="home")
    assert run.q[0].tolist() == [0, 1.5] and run.v[0].tolist() == [0.5, 0]
    assert pn.simulate(m, 0.1, q0="home", v0=[0, 0]).v[0].tolist() == [0, 0]
    with pytest.raises(pn.Error, match="no state 'away'"):
        pn.simulate(m, 0.1, q0="away")
    with pytest.raises(ValueError):
        m.states["home"][0][0] = 1
    assert pickle.loads(pickle.dumps(m)).groups == m.groups


def test_configurations(tree):
    q = tree.neutral()
    assert q.shape == (tree.nq,) and np.array_equal(tree.initial()[0], q) and not tree.initial()[1].any()
    assert np.array_equal(tree.random(7), tree.random(7)) and not np.array_equal(tree.random(7), tree.random(8))
    assert np.array_equal(tree.random(7, count=3)[2], tree.random(9))
    with pytest.raises(pn.Error, match="shape"):
        tree.normalize(q[:-1])


def converted(path):
    """The model as the command has it, which reads URDF with another reader; None when it refuses the file."""
    command = [os.environ["PINION_COMMAND"], "convert", path, "--to", "json"]
    run = subprocess.run(command, capture_output=True, text=True)
    return run.stdout if run.returncode == 0 else None


def loaded(path):
    try:
        return pn.load(path).to_json()
    except pn.Error as e:
        assert e.status in ("parse", "model"), e
        return None


@pytest.mark.skipif("PINION_COMMAND" not in os.environ, reason="the command is not here (PINION_COMMAND)")
def test_urdf_is_what_the_command_reads(shared, tmp_path, rng):
    robots = sorted((shared / "robots").glob("*.urdf"))
    assert len(robots) > 10
    for path in robots:
        assert loaded(path).strip() == converted(path).strip(), path
    # damaged files are refused by both, or mean the same to both
    text, path, good = URDF.encode(), tmp_path / "x.urdf", 0
    for _ in range(150):
        bad = bytearray(text)
        for _ in range(rng.integers(1, 3)):
            at = rng.integers(len(bad))
            bad[at:at + rng.integers(0, 3)] = rng.choice([b"", b" ", b"<", b">", b"&", b"&#65;", b'"', b"--", b"\xff"])
        path.write_bytes(bad)
        ours, theirs = loaded(path), converted(path)
        assert (ours or "").strip() == (theirs or "").strip(), bad
        good += ours is not None
    assert 1 < good < 149  # some of either


def test_a_subclass():
    class Robot(pn.Model):
        pass

    assert pickle.loads(pickle.dumps(pn.load_string(URDF))).nq == 2
    assert issubclass(Robot, pn.Model)


def test_sdf(tmp_path):
    text = '<sdf version="1.9"><model name="m"><pose>0 0 5 0 0 0</pose><link name="a"/></model></sdf>'
    assert pn.load_string(text).nv == 6
    assert pn.load_string(text, root="fixed").nv == 0
    (tmp_path / "part.sdf").write_text(text)
    (tmp_path / "worlds").mkdir()
    main = tmp_path / "worlds" / "main.world"
    main.write_text('<sdf version="1.9"><world name="w"><include><uri>model://part.sdf</uri></include></world></sdf>')
    assert pn.load(main, model_path=str(tmp_path)).joints["m::root"].nv == 6


def test_threads_stay(arm):
    m = pickle.loads(pickle.dumps(arm))
    assert m.threads == arm.threads
    m.threads = 1
    assert all(x.threads == 1 for x in (pickle.loads(pickle.dumps(m)), m.with_gravity((0, 0, 1)), m.reduced([0])))
    m.threads = None
    assert pickle.loads(pickle.dumps(m)).threads == arm.threads


def test_parts_of_the_same_names(arm):
    with pytest.raises(pn.Error, match="with_part: both models have a link 'link0'; expected prefix="):
        arm.with_part(arm.frames[-1], arm)
    with pytest.raises(TypeError, match="with_part: part is of type int; expected a Model"):
        arm.with_part(0, 3)
    assert arm.with_part(arm.frames[-1], arm, prefix="second-").nv == 14


def test_copies_keep_where_they_came_from(tmp_path, tree):
    """Where meshes are looked for, and how many threads a batch has, stay with every copy."""
    tree.save(tmp_path / "m.json")
    m = pn.load(tmp_path / "m.json")
    m.threads = 1
    link, frame, joint = m.links[-1].name, m.frames[-1].name, m.joints[-1].name
    copies = [m.with_gravity((0, 0, -1)), m.with_payload(link, 1.0), m.with_inertia(link, 1.0), m.with_dof(joint),
              m.with_frame(frame), m.with_new_frame("new", link), m.with_part(frame, pn.random_chain(2), "part_"),
              m.renamed({link: "other"}), m.scaled(2.0), m.subtree(link), m.reduced([joint]), m.with_meshes()]
    for made in copies:
        assert made._path == m._path and made._threads == 1


def test_what_is_no_model():
    for call in (lambda: pn.solve_ik("arm", "tool"), lambda: pn.linearize(None), lambda: pn.trajectory_load(3, "x.csv"),
                 lambda: pn.zero_moment_point({}, [0]), lambda: pn.research.factorize([], [0])):
        with pytest.raises(TypeError, match="^[a-z_]+: model is of type [a-zA-Z]+; expected a pinion.Model$"):
            call()
    m = pn.random_chain(2)
    with pytest.raises(TypeError, match="renamed: names is of type int; expected a dictionary"):
        m.renamed(3)
    for wrong, word in [(lambda: m.collision_points(2**40), "no such coll"), (lambda: m.collision_points("a"), "index is 'a'"),
                        (lambda: m.scaled(0), "scaled: length is 0"), (lambda: m.scaled(1, np.nan), "scaled: mass is nan"),
                        (lambda: m.with_new_frame("x", 0, rotation=np.ones((3, 3))), "with_new_frame: rotation is not")]:
        with pytest.raises(pn.Error, match=word):
            wrong()


def test_what_jax_and_torch_know_a_model_by(arm, tree):
    """A key that equal models share and others do not; no other package is needed to make it."""
    from pinion._autodiff import Robot
    keys = {Robot(m).key for m in (arm, tree, arm.with_payload(arm.links[-1], 1.0), pickle.loads(pickle.dumps(tree)))}
    assert len(keys) == 3


@pytest.mark.parametrize("inertia", [[[1, 0.2, 0], [0, 1, 0], [0, 0, 1]], [1, 1, 1], np.eye(2), 1, [["a"] * 3] * 3])
def test_inertias_that_are_none(inertia):
    """A matrix whose triangles differ was taken for its upper one."""
    with pytest.raises(pn.Error, match="inertia"):
        pn.Builder("m").add_link("a", mass=1, inertia=inertia)


def _rod(mass, **keys):
    return {"pinion": 1, "links": [{"name": "a"}, {"name": "b", "mass": mass, **keys}],
            "joints": [{"name": "j", "type": "revolute", "axis": [0, 0, 1], "parent": "a", "child": "b"}]}


@pytest.mark.parametrize("number", [np.longdouble(2), np.array(np.longdouble(2)), np.array(2), np.float16(2), np.int8(2),
                                    np.array(2, object), fractions.Fraction(2), 2])
def test_numbers_of_every_kind(number):
    """A longdouble's tolist() is a longdouble: it went round until the stack was full."""
    assert pn.from_dict(_rod(number)).links["b"].inertia.mass == 2
    assert pn.from_dict(_rod(1, com=np.full(3, number))).links["b"].inertia.com[0] == 2
    b = pn.Builder("m").add_link("a").add_link("b", mass=number).add_joint("j", "revolute", "a", "b")
    assert b.build().links["b"].inertia.mass == 2
    assert pn.from_dict(_rod(2**63)).links["b"].inertia.mass == 2.0**63


@pytest.mark.parametrize("value", [np.longdouble("1e4000"), np.longdouble("nan"), np.inf, 10**400, 10**6000, np.complex64(1),
                                   np.datetime64(3, "ns"), np.timedelta64(3, "ns"), b"2", {2}, np.ma.masked, "a\0", "\udc80",
                                   np.zeros(1, "f8,f8")[0], {(1, 2): 3}, {1: 1, "1": 2}],
                         ids=lambda value: type(value).__name__)
def test_values_that_json_has_not(value):
    """The place is named, in models, plans, tasks, forces and sensors."""
    circle = np.empty((), object)
    circle[()] = circle
    for one in (value, circle):
        with pytest.raises(pn.Error, match=r"^<dict>: links\[1\]\.mass "):
            pn.from_dict(_rod(one))
        with pytest.raises(pn.Error, match=r"^<plan>: run\.tau\[1\] "):
            pn.Sweep({"run": {"tau": [0, one]}})
        m = pn.from_dict(_rod(1))
        for call in (lambda: pn.simulate(m, 0.01, forces=[{"x": {"y": one}}]), lambda: pn.Tasks(m, {"x": {"y": one}}),
                     lambda: pn.simulate(m, 0.01, sensors={"x": {"y": one}})):
            with pytest.raises(pn.Error, match=r"^(forces|tasks|sensors): x\.y "):
                call()


def test_lists_without_an_end():
    deep, circle = [], []
    for _ in range(100000):
        deep = [deep]
    circle.append(circle)
    for value in (deep, circle):
        with pytest.raises(pn.Error, match=r"^<dict>: links\[0\]\[0\].*more than 200 deep"):
            pn.from_dict({"pinion": 1, "links": value})
