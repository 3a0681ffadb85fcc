"""Simulations, and what goes into them: trajectories, controllers, events."""
import os

import numpy as np

from . import _pinion
from ._arguments import _choice, _json, _number, _numbers, _one, _three, _whole
from ._elements import _Numbered
from ._model import Error, Model, _of_model, load_string
from ._named import named

_INTEGRATORS = {name: i for i, name in enumerate(_pinion.integrators())}
_STABILIZATIONS = {name: i for i, name in enumerate(("projection", "baumgarte", "both", "none"))}
_EVENTS = {name: i for i, name in enumerate(("limit", "plane", "energy", "kinetic"))}
_FUNCTION = len(_EVENTS)
_FRICTIONS = {"smooth": 0, "exact": 1}


def _row(name, value, count):
    """An array of so many float64; one number stands for all."""
    a = _numbers(name, value)
    if a.shape == ():
        a = np.full(count, float(a))
    if a.shape != (count,):
        raise Error(f"{name} has the shape {a.shape}; expected ({count},)")
    return np.array(a)


# ---- trajectories ----

State = named("State", "q v a")
Higher = named("Higher", "jerk snap")


class Trajectory:
    """A motion of a model: q, v and a as functions of time. Before its start and after its end it stands still."""

    def __init__(self, make, model, *arguments):
        self._made = make(model, *arguments)
        self._recipe = make.__name__, arguments
        self.model = model

    def __reduce__(self):
        return _trajectory, (self.model, *self._recipe)

    start = property(lambda self: self._made.start, doc="s")
    end = property(lambda self: self._made.end, doc="s")

    def __call__(self, t):
        """State (q, v, a) at a time, or at each of an array of times."""
        times = _numbers("t", t)
        parts = self._made._at(times.ravel())
        return State(*(p.reshape(times.shape + p.shape[1:]) for p in parts))

    def higher(self, t):
        """Higher (jerk, snap) at a time, or at each of an array of times: the next two derivatives of v, as elastic
        joints ask for them. Of trajectory_between, and of samples of joints whose coordinates are plain numbers."""
        times = _numbers("t", t)
        return Higher(*(p.reshape(times.shape + p.shape[1:]) for p in self._made._higher(times.ravel())))

    def __repr__(self):
        return f"<pinion.Trajectory {self.start:g} s to {self.end:g} s: {self._made.text}>"


def _trajectory(model, make, arguments):
    """One that was pickled."""
    return Trajectory(_load_text if make == "_load_text" else getattr(_pinion, make), model, *arguments)


def _load_text(model, text):
    """A trajectory of a file that had that text."""
    import tempfile
    with tempfile.NamedTemporaryFile(suffix=".csv") as file:
        file.write(text)
        file.flush()
        return _pinion.trajectory_load(model, file.name)


@_of_model
def trajectory_between(model, q0, q1, duration, profile="cycloidal", blend=0.25):
    """From q0 to q1, from rest to rest. profile: "cycloidal", "quintic", "trapezoidal", "uniform" or "nonic"; blend is
    the part of the time in which a trapezoidal one speeds up."""
    return Trajectory(_pinion.trajectory_between, model, _row("q0", q0, model.nq), _row("q1", q1, model.nq),
                      _one("duration", duration), str(profile), _one("blend", blend))


@_of_model
def trajectory_samples(model, t, q, v=None, a=None):
    """Through samples at increasing times: by a cubic spline, or with v, or with v and a, in pieces that meet them."""
    def rows(name, x):
        return None if x is None else _numbers(name, x)
    return Trajectory(_pinion.trajectory_samples, model, rows("t", t), rows("q", q), rows("v", v), rows("a", a))


@_of_model
def trajectory_line(model, q0, frame, displacement, duration, profile="cycloidal", blend=0.25):
    """A frame moves along a line from where it is at q0, by `displacement` (m, world), its orientation kept."""
    return Trajectory(_pinion.trajectory_line, model, _row("q0", q0, model.nq), _number(model.frames, frame, "frame"),
                      _three("displacement", displacement), _one("duration", duration), str(profile),
                      _one("blend", blend))


@_of_model
def trajectory_floating(model, q0, frame, position, rotation, duration, profile="cycloidal", blend=0.25):
    """A frame of a machine that floats moves straight from where it is at q0 to a pose in the world (3 numbers, 3 x 3
    matrix) by what the joints between it and the base do, without momentum at any time."""
    return Trajectory(_pinion.trajectory_floating, model, _row("q0", q0, model.nq),
                      _number(model.frames, frame, "frame"), np.array(_numbers("position", position)),
                      np.array(_numbers("rotation", rotation)), _one("duration", duration), str(profile),
                      _one("blend", blend))


@_of_model
def trajectory_load(model, path):
    """From a CSV file: columns "t", "q.JOINT" and so on, as `pinion sim` writes them, or t and q without a heading."""
    made = Trajectory(_pinion.trajectory_load, model, path)
    with open(path, "rb") as file:  # which may be another one when it is pickled
        made._recipe = "_load_text", (file.read(),)
    return made


# ---- controllers ----

class Controller:
    """Joint forces as a function of time and state, computed in C. For control= of simulate()."""

    def __init__(self, kind, gravity=False, limit=False, tau=None, t=None, target=None, kp=0.0, kd=0.0):
        self._parts = kind, gravity, limit, tau, t, target, kp, kd

    def _bind(self, m):
        kind, gravity, limit, tau, t, target, kp, kd = self._parts
        table = hold = None
        if kind == 1:
            t, table, tau = _numbers("t", t), _numbers("tau", tau), None
        elif tau is not None:
            tau = _row("tau", tau, m.nv)
        if kind > 1 and not isinstance(target, Trajectory):
            target, hold = None, _row("target", target, m.nq)
        return (kind, bool(gravity), bool(limit), tau, t, table, target and target._made, hold, _row("kp", kp, m.nv),
                _row("kd", kd, m.nv))


def constant_torque(tau=None, gravity=False, limit=False):
    """The same joint forces all the time. gravity: those that hold the robot against gravity are added."""
    return Controller(0, gravity, limit, tau)


def torque_table(t, tau, gravity=False, limit=False):
    """Joint forces linear between the instants t; tau has a row for each."""
    return Controller(1, gravity, limit, tau, t)


@_of_model
def torques_load(model, path):
    """The (t, tau) of a table of joint forces in a CSV file, for torque_table()."""
    return _pinion.torques_load(model, path)


def pd(target, kp, kd, gravity=False, limit=False):
    """kp (target - q) + kd (target' - v). target is a configuration or a Trajectory; gains are numbers or (nv,)."""
    return Controller(2, gravity, limit, target=target, kp=kp, kd=kd)


def computed_torque(target, kp, kd, limit=False):
    """M (a + kd (target' - v) + kp (target - q)) + bias, with a of the target, a configuration or a Trajectory."""
    return Controller(3, False, limit, target=target, kp=kp, kd=kd)


class TaskControl:
    """Frames, the centre of mass and a posture as tasks with priorities. For control= of simulate()."""

    def __init__(self, tasks, limit=False):
        self.tasks, self.limit = tasks, bool(limit)


def task_control(tasks, limit=False):
    """Control in task space (docs/tasks.md): tasks is a file, or a dictionary with what it holds: {"tasks": [{"task":
    "position", "frame": "flange", "line": {...}}, ...]}. limit: the actuators give no more than their effort limits."""
    return TaskControl(tasks, limit)


Wanted = named("Wanted", "J a")


class Tasks:
    """Control in task space by hand: what task_control() does in a simulation, at any state. It belongs to one thread
    at a time.

        tasks = pn.Tasks(m, {"tasks": [...]}, q0)
        u = tasks(t, q, v)                     # (nu,) of the actuators

    tasks: a file, or a dictionary with what it holds (docs/tasks.md); q: where what it does not say stays, None: the
    initial configuration; limit: u is cut to the effort limits.
    """

    def __init__(self, model, tasks, q=None, limit=False):
        if not isinstance(model, Model):
            raise TypeError("tasks need a Model")
        self.model = model
        with _Files(model) as files:
            self._made = _pinion.tasks(model, files.path("tasks", tasks),
                                       _row("q", model.initial()[0] if q is None else q, model.nq), bool(limit))
        self.damped, self.out_of_reach = np.zeros((2, len(self)))

    def __len__(self):
        return self._made.count()

    def _state(self, t, q, v):
        return _one("t", t), _row("q", q, self.model.nq), _row("v", v, self.model.nv)

    def __call__(self, t, q, v):
        """What the actuators should give, u (nu,). `damped` has an entry a task then: by which part its priority gave
        way, near singular positions, so that forces stay bounded; 0 where it is met as far as it can be, up to 1; and
        `out_of_reach` how far its target is from all that it can reach, m."""
        u, self.damped, self.out_of_reach = self._made.actuators(*self._state(t, q, v))
        return u

    def wanted(self, task, t, q, v):
        """What a task, by its number, wants of J a: Wanted (J, a), with (dJ/dt) v taken off."""
        return Wanted(*self._made.wanted(_whole("task", task), *self._state(t, q, v)))

    def __reduce__(self):
        raise TypeError("Tasks cannot be copied or pickled")


# ---- runs ----

class Event(named("Event", "kind index normal height direction stop name")):
    """Something to look for: kind is "limit" (of a joint; None: of all), "plane" (a frame passes one), "energy" or
    "kinetic" (passes `height`, J), or a function of t, q and v whose value passes `height`, called `name` in what is
    told.
    direction: 1 rising, -1 falling, 0 both. stop: the run ends there."""

    __slots__ = ()

    def __new__(cls, kind, of=None, normal=(0, 0, 1), height=0.0, direction=0, stop=False, name=None):
        return super().__new__(cls, kind, of, normal, height, direction, stop, name)

    def _bind(self, m):
        function = self.kind if callable(self.kind) else None
        kind, of = _FUNCTION if function else _choice("kind", self.kind, _EVENTS), self.index
        if kind == 1:
            index = _number(m.frames, of, "frame")
        else:
            index = -1 if of is None else _number(m.tree_joints, of, "joint")
        if self.direction not in (-1, 0, 1):
            raise Error(f"direction is {self.direction!r}; expected -1, 0 or 1")
        return (kind, index, _three("normal", self.normal), _one("height", self.height), int(self.direction),
                bool(self.stop), self.name, function)


Summary = named("Summary", "end why t_end steps refused evaluations largest_kinetic largest_drift warning wall")


class Run:
    """What a simulation recorded: arrays with a row an instant. contact: ContactTotals, or None without contact."""

    def __init__(self, model, columns, events, summary, result):
        self.model = model
        self.settings = {}
        self.contact = None
        self.columns = {name: values for name, _, values in columns}
        self.units = {name: unit for name, unit, _ in columns}
        self.events = events
        self.summary = summary
        self._result = result
        self.t = self.columns["t"]
        self.q, self.v, self.a, self.tau = (self._stack(what) for what in ("q.", "v.", "a.", "tau."))

    def _stack(self, prefix):
        parts = [values for name, values in self.columns.items() if name.startswith(prefix)]
        return np.stack(parts, axis=-1) if parts else np.empty((len(self.t), 0))

    def __len__(self):
        return len(self.t)

    def __getstate__(self):
        return {**self.__dict__, "_result": _Text(self._result.text())}

    def __repr__(self):
        how = f", {self.summary.end}, {self.summary.steps} steps" if self.summary else ""
        return f"<pinion.Run of '{self.model.name}': {len(self.t)} rows to {self.t[-1]:g} s{how}>"

    def show(self, height=600):
        """The motion in 3-D with plots of all columns, as a Page: a notebook shows it, elsewhere save() or open()
        it."""
        import tempfile

        from ._page import page_of
        with tempfile.NamedTemporaryFile(suffix=".jsonl") as file:
            file.write(self._result.text())
            file.flush()
            return page_of(self.model, self.model.name, file.name, height=height)

    def to_pandas(self):
        """All columns as a DataFrame; needs pandas."""
        import pandas
        return pandas.DataFrame(self.columns)

    def save(self, path):
        """Writes the result: .jsonl with everything, .csv with the columns, or .html, the page that show() shows."""
        name = os.fspath(path)
        if name.endswith(".jsonl"):
            with open(path, "wb") as file:
                file.write(self._result.text())
        elif name.endswith(".csv"):
            rows = [",".join(self.columns)] + [",".join(map(repr, row)) for row in
                                               np.stack(list(self.columns.values()), axis=-1).tolist()]
            with open(path, "w") as file:
                file.write("\n".join(rows) + "\n")
        elif name.endswith(".html"):
            self.show().save(path)
        else:
            raise Error(f"{name}: its name does not tell the format; expected .jsonl, .csv or .html")


class _Text:
    """A result of which there is only the file."""

    def __init__(self, text):
        self._text = text

    def text(self):
        return self._text


def load_run(path, model=None):
    """A Run from a file that `pinion sim` or Run.save() wrote: .jsonl, HDF5 or .csv. The model is the one that the file
    holds, unless another is given (a .csv file holds none). summary is None; settings has the texts of the file."""
    columns, events, settings, result = _pinion.load_result(path)
    if model is None:
        if "model" not in settings:
            raise Error(f"load_run: {path} does not hold its model; expected model=")
        free = any(name == "q.root.0" for name, *_ in columns)
        model = load_string(settings["model"], "json", str(path), root="fixed")
        if free and "root" not in model.tree_joints:
            model = load_string(settings["model"], "json", str(path), root="free")
        if model.nq != sum(name.startswith("q.") for name, *_ in columns):
            model = load_string(settings["model"], "json", str(path), root="free" if free else "fixed",
                                mimic="independent")
    run = Run(model, columns, events, None, result)
    run.settings = {key: value for key, value in settings.items() if key != "model"}
    return run


class _Files:
    """Files as C reads them, of which those that stand for dictionaries last as long as this; and force elements."""

    def __init__(self, model):
        self._model, self._files = model, {}

    def path(self, what, given):
        """The path of a file, or of one with what a dictionary says, as bytes."""
        if not isinstance(given, dict):
            return os.fsencode(given)
        import tempfile
        file = tempfile.NamedTemporaryFile("w", suffix=".json")
        self._files[file] = what
        file.write(_json(what, given))
        file.flush()
        return os.fsencode(file.name)

    def forces(self, forces):
        """Files and functions that give nbody x 6 numbers."""
        if isinstance(forces, (str, bytes, os.PathLike, dict)) or callable(forces):
            forces = [forces] if forces else []
        if not isinstance(forces, (list, tuple)):
            raise TypeError(f"forces is {forces!r}; expected a file, a dictionary, a function, or a list of these")
        return [self._function(f) if callable(f) else self.path("forces", f) for f in forces]

    def _function(self, force):
        def f_ext(t, q, v):
            given = force(t, q, v)
            if not isinstance(given, dict):
                return given
            total = np.zeros((self._model.nbody, 6))
            for frame, one in given.items():  # [moment; force] in the frame
                total += self._model.force_on_frame(frame, one)
            return total
        return f_ext

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        text = str(error)
        for file, what in self._files.items():
            file.close()
            text = text.replace(f"{file.name}:1", what).replace(file.name, what)
        if isinstance(error, Error) and text != str(error):  # the caller knows no such file
            other = Error(text)
            other.status = error.status
            raise other from None


def _start(m, what, given, base, indices):
    """A start from an array or from {joint: value}, and which entries are given."""
    count = len(base)
    if given is None:
        return base, bytes(count)
    if not isinstance(given, dict):
        return _row(what, given, count), b"\1" * count
    mask = bytearray(count)
    for name, value in given.items():
        if name not in m.joints:
            raise Error(f"{what}: the model has no joint '{name}' with coordinates of its own")
        place = indices(m.joints[name])
        base[place] = _row(f"{what}['{name}']", value, place.stop - place.start)
        mask[place] = b"\1" * (place.stop - place.start)
    return base, bytes(mask)


def _check_numbers(options):
    """Those of the options that are one, where they are given."""
    for name in ("duration", "output_step", "step", "max_step"):
        if options.get(name) is not None:
            _one(name, options[name], above=0)
    for name in ("tol", "baumgarte", "max_time", "max_drift", "control_step", "control_delay", "stiction"):
        if options.get(name) is not None:
            _one(name, options[name], 0)
    if options.get("max_steps") is not None:
        _whole("max_steps", options["max_steps"])


def _events(model, events):
    events = [events] if isinstance(events, Event) else list(events)
    for e in events:
        if not isinstance(e, Event):
            raise TypeError(f"events has {e!r}; expected Event(...), or a list of these")
    return [e._bind(model) for e in events]


def _with_contact(options):
    """The options of a simulation with contact: steps of order one, whose balance of energies ends no run."""
    contact = options["contact"]
    if contact is None:
        return
    from ._contact import _scene_options
    if isinstance(contact, str):
        contact = {"ground": _choice("contact", contact, {"model": False, "ground": True})}
    elif not isinstance(contact, dict):
        raise TypeError(f"contact is {contact!r}; expected 'model', 'ground' or a dictionary with options of a Scene")
    options["contact"] = _scene_options(contact)
    if options["contact"].get("limits", True):  # nothing goes beyond: no compliant stops besides
        options["limits"] = False
    if options["integrator"] == "auto":
        options["integrator"] = "euler"
    if options.get("max_drift") is None:
        options["max_drift"] = np.inf


def _arguments(files, model, q0, v0, control, actuators, events, forces, sensors, frames, options):
    """What simulations take in C."""
    if not isinstance(model, Model):
        raise TypeError("a simulation needs a Model")
    _check_numbers(options)
    _with_contact(options)
    q, v = model.initial()
    if isinstance(q0, str):
        if q0 not in model.states:
            raise Error(f"q0: the model has no state '{q0}'")
        given, q0 = model.states[q0], model.states[q0][0]
        v0 = given[1] if v0 is None else v0
    q, q_given = _start(model, "q0", q0, q, lambda j: j.q)
    v, v_given = _start(model, "v0", v0, v, lambda j: j.v)
    number = {row[0]: i for i, row in enumerate(_pinion.algorithms())}
    tol, algorithm = options.pop("tol"), options["algorithm"]
    options.update(rtol=tol / 100, atol=tol / 100, integrator=_choice("integrator", options["integrator"],
                                                                      _INTEGRATORS),
                   passive=bool(options["passive"]), limits=bool(options["limits"]),
                   algorithm=None if algorithm is None else _choice("algorithm", algorithm, number),
                   stabilization=_choice("stabilization", options["stabilization"], _STABILIZATIONS),
                   friction=_choice("friction", options["friction"], _FRICTIONS))
    if isinstance(control, Controller):
        control = control._bind(model)
    elif isinstance(control, TaskControl):
        control = files.path("task_control", control.tasks), control.limit
    elif control is not None and not callable(control):
        raise TypeError("control is neither a controller nor a function")
    if actuators is not None and not callable(actuators):
        raise TypeError("actuators is not a function")
    return (model, q, v, q_given, v_given, options, control, actuators, _events(model, events),
            files.forces(forces), None if sensors is None else files.path("sensors", sensors),
            [_number(model.frames, f, "frame") for f in ([frames] if isinstance(frames, (str, _Numbered)) else frames)])


def simulate(model, duration, q0=None, v0=None, control=None, output_step=None, integrator="auto", tol=1e-10,
             step=None, passive=True, limits=False, events=(), forces=(), algorithm=None, stabilization="projection",
             baumgarte=None, max_step=None, max_steps=None, max_time=None, max_drift=None, actuators=None,
             control_step=None, control_delay=None, sensors=None, frames=(), friction="smooth", stiction=None,
             contact=None):
    """Simulates a model from t = 0, and gives a Run.

    duration, output_step: s; rows at multiples of the latter, a hundredth of the former unless given, and at the end
    q0, v0: arrays, the name of one of m.states, or {joint: value} with the model's initial state for the others;
    closed loops are closed first
    control: one of constant_torque(), torque_table(), pd(), computed_torque(), or a function of t, q and v that gives
        nv joint forces (slower: it is called some hundred times a simulated second)
    integrator: "auto" ("dopri5", and "bdf" where the motion is stiff), "verner65", "rk4", "euler", "variational",
        "adams", "dirk" or "ida"; step is that of
        those with a fixed one; tol is meant for the run, a hundredth of it holds for a step of the others, relative and
        absolute
    passive: dampers, springs and friction of the joints act; limits: joints have compliant stops at their limits
    events: an Event(...), or several
    forces: force elements (docs/force-elements.md): a file of them, a dictionary with what such a file holds, a
    function
        of t, q and v that gives f_ext (nbody, 6) or {frame: [moment; force] in its coordinates}; or several of these
    actuators: a function of t, q and v that gives nu actuator forces u; B u acts beside what control gives
    sensors: a file of sensors or a dictionary with what it holds; encoders are what control sees. frames: those whose
        poses are columns. friction: "smooth", or "exact", where joints stick (stiction: times their friction)
    control_step, control_delay: s; actuators and controllers are asked every so long, and what they say acts so much
    later
    contact: "model", and the model's collisions touch each other (docs/contact.md); "ground", and also the plane z = 0;
        or a dictionary with options of a Scene: {"ground": True, "friction": 0.5}. It goes with "euler", which "auto"
        is then; limits of joints are rigid stops, unless its option "limits" is False; run.contact is what it came to,
        and run.columns has forces and gaps of pairs
    """
    options = {"duration": duration, "output_step": output_step, "integrator": integrator, "tol": tol, "step": step,
               "passive": passive, "limits": limits, "algorithm": algorithm, "stabilization": stabilization,
               "baumgarte": baumgarte, "max_step": max_step, "max_steps": max_steps, "max_time": max_time,
               "max_drift": max_drift, "control_step": control_step, "control_delay": control_delay,
               "friction": friction, "stiction": stiction, "contact": contact}
    with _Files(model) as files:
        columns, told, summary, result, totals = _pinion.simulate(
            *_arguments(files, model, q0, v0, control, actuators, events, forces, sensors, frames, options))
    run = Run(model, columns, told, Summary(*summary), result)
    if totals:
        from ._contact import _tell_left_out
        run.contact = ContactTotals(*totals)
        _tell_left_out(run.contact.left_out)
    return run


class Simulation:
    """A simulation that you move on yourself, from t = 0: the arguments of simulate(), without a duration.

        s = pn.Simulation(m, q0=q)
        while s.t < 1.0:
            s.advance(0.01)
            print(s.t, s.q)

    How the way is cut changes nothing in the numbers. It belongs to one thread at a time.

    by_hand: apply() says what acts from then on, as a controller in your own loop does. A step of the integrator then
    ends
    where each advance() does, and there is no store().
    """

    def __init__(self, model, q0=None, v0=None, control=None, integrator="auto", tol=1e-10, step=None, passive=True,
                 limits=False, events=(), forces=(), algorithm=None, stabilization="projection", baumgarte=None,
                 max_step=None, actuators=None, control_step=None, control_delay=None, sensors=None, friction="smooth",
                 stiction=None, by_hand=False, contact=None):
        options = {"integrator": integrator, "tol": tol, "step": step, "passive": passive, "limits": limits,
                   "algorithm": algorithm, "stabilization": stabilization, "baumgarte": baumgarte, "max_step": max_step,
                   "control_step": control_step, "control_delay": control_delay, "friction": friction,
                   "stiction": stiction, "by_hand": bool(by_hand), "contact": contact}
        self.model = model
        with _Files(model) as files:
            self._made = _pinion.stepping(*_arguments(files, model, q0, v0, control, actuators, events, forces, sensors,
                                                      (), options))
        self._at = None
        self.events = []

    def advance(self, dt):
        """Moves on by dt, or to an event that stops; gives the simulation itself."""
        return self.advance_to(self.t + _one("dt", dt))

    def advance_to(self, t):
        """Moves on to time t, forwards, or to an event that stops; gives the simulation itself."""
        t = _one("t", t)
        self._at = None
        try:
            self._made.advance(t)
        finally:
            try:
                self.events += self._made.events()
            except Error:  # a step that Ctrl-C has left behind is under way still
                pass
        return self

    @property
    def state(self):
        """Instant (t, q, v, a, tau, u, kinetic, potential, work, drift, constraint, stopped) where it is now."""
        if self._at is None:
            self._at = Instant(*self._made.state())
        return self._at

    def apply(self, tau=None, u=None, f_ext=None):
        """What acts from here on until it is changed again: joint forces (nv,), what is asked of the actuators (nu,),
        forces on the bodies (nbody, 6). None: as it was, at first zero. Only with by_hand=True."""
        self._at = None
        self._made.apply(None if tau is None else _row("tau", tau, self.model.nv),
                         None if u is None else _row("u", u, self.model.nu),
                         None if f_ext is None else _numbers("f_ext", f_ext))
        return self

    @property
    def readings(self):
        """{name: number} of the sensors, as they were read last."""
        return self._made.readings()

    def store(self):
        """All that it needs to go on exactly as it would, as an array, for restore() of one with the same arguments."""
        memory = self._made.memory(None)
        return np.concatenate([[self.model._mark], memory])

    def restore(self, memory):
        """Goes back, or on, to where store() was called: of this simulation, or of another one of an equal model."""
        memory = _numbers("memory", memory)
        if memory.ndim != 1 or not len(memory) or memory[0] != self.model._mark:
            raise Error(f"restore: memory is nothing that store() gave for the model '{self.model.name}'")
        self._at = None
        self._made.memory(np.array(memory[1:]))
        return self

    def __reduce__(self):
        raise TypeError("a Simulation cannot be copied or pickled; what store() gives can, for restore() of another "
                        "one with the same arguments")

    counts = property(lambda self: StepCounts(*self._made.counts()),
                      doc="StepCounts (steps, refused, evaluations, implicit_steps, changes, sticks, slips).")
    contact = property(lambda self: (lambda totals: totals and ContactTotals(*totals))(self._made.contact()),
                       doc="ContactTotals of all steps since it began; None without contact.")
    t = property(lambda self: self.state.t, doc="s")
    q = property(lambda self: self.state.q, doc="(nq,)")
    v = property(lambda self: self.state.v, doc="(nv,)")
    a = property(lambda self: self.state.a, doc="(nv,)")
    tau = property(lambda self: self.state.tau, doc="(nv,): of control, and B u of the actuators")
    stopped = property(lambda self: self.state.stopped, doc="Whether an event has ended it.")

    def __repr__(self):
        return f"<pinion.Simulation of '{self.model.name}' at {self.t:g} s>"


ContactTotals = named("ContactTotals", "pairs left_out most impacts bounded unsolved softened penetration residual "
                      "cone dual complementarity dissipation undetermined not_least immovable unrecorded",
                      "What contact came to in a simulation: pairs that may touch, collisions left out, the most\n"
                      "points at a time, impacts that bounced, steps in which restitution was made less, in which the\n"
                      "solver did not meet its tolerance and in which it did with a little compliance; the largest\n"
                      "penetration (m) and residuals (m/s, N s, m/s, J, J); rows whose forces are not determined, those\n"
                      "of them where the least norm was not found, and whether pairs that touched have no columns.")
Instant = named("Instant", "t q v a tau u kinetic potential work drift constraint stopped")
StepCounts = named("StepCounts", "steps refused evaluations implicit_steps changes sticks slips")
