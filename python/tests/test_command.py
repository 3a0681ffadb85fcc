"""`python -m pinion` is the command, and pages of a motion are its reports."""
import base64
import html
import json
import os
import re
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import pinion as pn


def run(*words, **options):
    return subprocess.run(words, capture_output=True, text=True, **options)


def ours(*words, **options):
    return run(sys.executable, "-m", "pinion", *words, **options)


@pytest.mark.skipif("PINION_COMMAND" not in os.environ, reason="the command is not here (PINION_COMMAND)")
def test_it_is_the_command(models, tmp_path, shared):
    """The same words give the same lines and the same exit status."""
    arm = models / "puma560-corke.json"
    states = tmp_path / "states.csv"
    states.write_text("0.1,0.2,0.3,0.4,0.5,0.6\n")
    for words in [("--version",), (), ("sim", "--help"), ("nothing",), ("info", tmp_path / "no-file"),
                  ("eval", arm, "--states", states, "--what", "gravity,jacobian:link6"),
                  ("convert", shared / "robots" / "panda.urdf", "--to", "json"),
                  ("equations", models / "planar-2r.json"), ("demo",)]:
        a, b = ours(*words), run(os.environ["PINION_COMMAND"], *words)
        told = b.stdout.replace(os.path.abspath(models), "MODELS"), b.stderr
        here = re.sub(r"\S*/pinion/models", "MODELS", a.stdout).replace(os.path.abspath(models), "MODELS"), a.stderr
        assert a.returncode == b.returncode and here[1] == told[1], words
        assert here[0] == told[0] or words == ("demo",) and len(here[0]) > 500, words


def is_the_command(pid):
    """Whether a process has given signals back to the C library: Python ignores SIGPIPE until then."""
    with open(f"/proc/{pid}/maps") as file:
        loaded = "_pinion" in file.read()
    with open(f"/proc/{pid}/status") as file:
        ignored = int(re.search(r"^SigIgn:\s*(\w+)", file.read(), flags=re.M)[1], 16)
    return loaded and not ignored >> (signal.SIGPIPE - 1) & 1


def test_it_is_a_program(models, tmp_path):
    """Ctrl-C ends it as it ends the command: with what was recorded so far."""
    out = tmp_path / "r.csv"
    process = subprocess.Popen([sys.executable, "-m", "pinion", "sim", models / "puma560-corke.json", "--duration",
                                "1e6", "--integrator", "rk4", "--step", "1e-4", "-o", out], stderr=subprocess.PIPE)
    until = time.monotonic() + 60
    while not is_the_command(process.pid) and time.monotonic() < until:
        time.sleep(0.02)
    time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    assert process.wait(20) != 0 and "Traceback" not in process.stderr.read().decode()
    script = os.path.join(os.path.dirname(sys.executable), "pinion")
    if os.path.exists(script):  # not where the tests run from the tree
        assert run(script, "--version").stdout == f"pinion {pn.__version__}\n"


def document(page):
    """What a page shows, as data."""
    text = re.search(r'<script[^>]*type="application/json"[^>]*>(.*?)</script>', page, flags=re.S)[1]
    return json.loads(text)


def found(node, kind):
    """The items of that kind, wherever they are."""
    if isinstance(node, list):
        return [x for y in node for x in found(y, kind)]
    if not isinstance(node, dict):
        return []
    return ([node] if node.get("kind") == kind else []) + [x for y in node.values() for x in found(y, kind)]


def test_pages(models, tmp_path, monkeypatch):
    m = pn.load(models / "four-bar.json")
    motion = pn.simulate(m, 0.5, output_step=0.1)
    page = motion.show(height=333)
    assert html.unescape(re.search(r'srcdoc="(.*?)"', page._repr_html_(), flags=re.S)[1]) == page.html
    assert "333px" in page._repr_html_() and page._repr_html_().isascii() and "save" in repr(page)
    motion.save(tmp_path / "r.html")
    assert (tmp_path / "r.html").read_text() == page.html
    shown = document(page.html)
    playback, = found(shown, "playback")
    t = np.frombuffer(base64.b64decode(playback["t"]["f64"]))
    assert np.array_equal(t, motion.t) and found(shown, "series")
    # what the command makes of the same result
    motion.save(tmp_path / "r.jsonl")
    assert ours("report", tmp_path / "r.jsonl", "-o", tmp_path / "c.html").returncode == 0
    theirs, = found(document((tmp_path / "c.html").read_text()), "playback")
    assert theirs == playback
    still, = found(document(m.show().html), "playback")
    assert len(np.frombuffer(base64.b64decode(still["t"]["f64"]))) == 1
    rows, = found(document(m.show(motion.q, motion.t).html), "playback")
    assert rows == playback
    opened = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    path = page.open()
    assert opened == ["file://" + path] and open(path).read() == page.html
    os.remove(path)
    # a page that cannot be written leaves no file
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "none"))
    (tmp_path / "none").mkdir()
    page.html = None
    with pytest.raises(TypeError):
        page.open()
    assert not list((tmp_path / "none").iterdir())
    for wrong, name in ((lambda: m.show(np.zeros(2)), "q"), (lambda: m.show(motion.q, [0.0]), "t")):
        with pytest.raises(pn.Error, match=f"show: {name} has the shape"):
            wrong()


def test_pages_find_meshes(tmp_path):
    """Beside the model's file, also of a model that was changed."""
    (tmp_path / "tip.stl").write_bytes(b"\0" * 80 + b"\1\0\0\0" + np.zeros(12, "<f4").tobytes() + b"\0\0")
    (tmp_path / "m.urdf").write_text(
        '<robot name="m"><link name="a"/><link name="b"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" '
        'ixy="0" ixz="0" iyz="0"/></inertial><visual><geometry><mesh filename="tip.stl"/></geometry></visual></link>'
        '<joint name="j" type="continuous"><parent link="a"/><child link="b"/></joint></robot>')
    m = pn.load(tmp_path / "m.urdf").with_gravity((0, 0, -1))
    playback, = found(document(m.show().html), "playback")
    assert [mesh["name"] for mesh in playback["meshes"]] == ["tip.stl"]
    unknown, = found(document(pn.load_string(m.to_json()).show().html), "playback")
    assert not unknown.get("meshes")


def test_examples():
    m = pn.load_example("puma560-corke", gravity=(0, 0, -1))
    assert m.nv == 6 and m.gravity_vector[2] == -1
    with pytest.raises(pn.Error, match="planar-2r"):
        pn.load_example("nothing")
