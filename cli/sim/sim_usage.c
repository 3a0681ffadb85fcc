/* pinion sim: its options and its help. */
#include "cli/args/algorithm_args.h"
#include "cli/sim/sim_usage.h"

static const cli_option *const options[] = {
    OPTION(Q, .name = "q0", .kind = VALUE_TEXT, .value = "LIST",
           .help = "where it starts: nq numbers separated by commas, or JOINT=VALUE,... with the others as the "
                   "model says, else neutral; of a joint with several coordinates JOINT.0=VALUE and so on. Without "
                   "this and --state a run that follows --trajectory starts on it"),
    OPTION(V, .name = "v0", .kind = VALUE_TEXT, .value = "LIST",
           .help = "the velocity it starts with, likewise; zero unless the model says more"),
    OPTION(STATE, .name = "state", .kind = VALUE_FILE, .value = "FILE",
           .help = "where it starts: a state that the model has by name, home say, or a JSON file {\"q\": [...], "
                   "\"v\": [...]}, or the first state of one as pinion eval reads it; --q0 and --v0 change it"),
    SHARED(DURATION), SHARED(OUTPUT_STEP),
    OPTION(INTEGRATOR, .name = "integrator", .kind = VALUE_CHOICE,
           .value = "auto|dopri5|verner65|rk4|euler|variational|bdf|adams|dirk|ida",
           .help = "the method of integration (auto by default; docs/integrators.md)"),
    OPTION(STEP, .name = "step", .kind = VALUE_NUMBER, .value = "S",
           .help = "the step of methods with a fixed one (1e-3 s by default), the first step of others"),
    OPTION(MAX_STEP, .name = "max-step", .kind = VALUE_NUMBER, .value = "S",
           .help = "the longest step an adaptive method may take"),
    OPTION(TOLERANCE, .name = "tol", .kind = VALUE_NUMBER, .value = "X",
           .help = "tolerance of adaptive methods, relative and absolute (1e-10 by default); a hundredth of it "
                   "is allowed in a step"),
    OPTION(RTOL, .name = "rtol", .kind = VALUE_NUMBER, .value = "X", .help = "relative tolerance alone, per step"),
    OPTION(ATOL, .name = "atol", .kind = VALUE_NUMBER, .value = "X", .help = "absolute tolerance alone, per step"),
    OPTION(SIM_ALGORITHM, .name = "algorithm", .kind = VALUE_WORD, .value = "NAME", .words = pn_cli_put_algorithms,
           .help = "the algorithm of forward dynamics (aba by default; crba-cholesky where joints follow others, "
                   "loop-proximal with closed loops; see 'pinion algorithms')"),
    OPTION(TORQUE, .name = "torque", .kind = VALUE_TEXT, .value = "LIST|FILE.csv",
           .help = "joint torques from outside, whatever has a motor: constant ones, nv numbers or JOINT=VALUE,... "
                   "with the others zero (also of joints that close loops), or over time, a CSV file with t and "
                   "tau.JOINT columns"),
    OPTION(ACTUATOR, .name = "actuator", .kind = VALUE_TEXT, .value = "LIST",
           .help = "constant forces of the actuators, before their gears: NAME=VALUE,... with the others zero, or "
                   "all of them; not with --control"),
    OPTION(CTRL, .name = "ctrl", .kind = VALUE_TEXT, .value = "LIST",
           .help = "constant controls, of which the actuators' own laws make forces, as position servos of MJCF do: "
                   "NAME=VALUE,... with the others zero, or all of them; not with --control or --actuator"),
    OPTION(CONTROL, .name = "control", .kind = VALUE_CHOICE, .value = "none|gravity|pd|pd-gravity|computed-torque|task",
           .help = "what the actuators do (nothing by default): gravity compensation, or a controller towards the "
                   "motion that --trajectory, --to or --line gives, or towards where it starts, or the tasks of "
                   "--tasks; no force acts where no actuator does, as on a free base"),
    OPTION(TASKS, .name = "tasks", .kind = VALUE_FILE, .value = "FILE",
           .help = "with --control task: what frames, the centre of mass and a posture are to do, a JSON file "
                   "(docs/tasks.md)"),
    OPTION(KP, .name = "kp", .kind = VALUE_TEXT, .value = "LIST",
           .help = "stiffness of the controller: one number for all joints, nv of them, or JOINT=VALUE,... (100 "
                   "by default); JOINT stands for all its coordinates, and may be a group of the model or a "
                   "pattern: 'leg_*=300'"),
    OPTION(KD, .name = "kd", .kind = VALUE_TEXT, .value = "LIST",
           .help = "damping of the controller, likewise (20 by default; of pd less on joints that are too light for it "
                   "at --control-step, and kp with it)"),
    OPTION(CONTROL_STEP, .name = "control-step", .kind = VALUE_NUMBER, .value = "S",
           .help = "the controller is asked at the start and every S seconds, and its forces are held in between, as a "
                   "computer does (at every instant by default)"),
    OPTION(CONTROL_DELAY, .name = "control-delay", .kind = VALUE_NUMBER, .value = "S",
           .help = "the time a controller that is asked every so often takes: its forces act so much later (0 by "
                   "default, at most --control-step)"),
    OPTION(SENSORS, .name = "sensors", .kind = VALUE_FILE, .value = "FILE",
           .help = "what is read every --control-step, with noise, bias and steps: encoders, which the controller sees "
                   "in place of the state, joint torques, IMUs (docs/simulation.md)"),
    OPTION(SEED, .name = "seed", .kind = VALUE_WHOLE, .value = "N",
           .help = "the seed of the sensors' noise (that of the file by default)"),
    OPTION(LIMIT_EFFORT, .name = "limit-effort",
           .help = "the actuators give no more than their effort limits, and --torque no more than the joints'"),
    MOTION_OPTIONS,
    OPTION(SIM_PASSIVE, .name = "passive", .kind = VALUE_CHOICE, .value = "on|off",
           .help = "whether dampers, springs and friction of the joints act (on by default)"),
    OPTION(FRICTION, .name = "friction", .kind = VALUE_CHOICE, .value = "smooth|exact",
           .help = "Coulomb friction of the joints: smooth (the default), or exact, a joint slides or sticks (the "
                   "default with --contact and --control-step)"),
    OPTION(STICTION, .name = "stiction", .kind = VALUE_NUMBER, .value = "X",
           .help = "with --friction exact: a joint that sticks is held by X times its friction (1 by default)"),
    OPTION(FRICTION_SPEED, .name = "friction-speed", .kind = VALUE_NUMBER, .value = "X",
           .help = "the speed below which Coulomb friction is smoothed (1e-3 rad/s or m/s by default)"),
    OPTION(STOPS, .name = "limits", .kind = VALUE_TEXT, .value = "on|off|K,C",
           .help = "whether limits of joints and tendons are stops (off by default), and how stiff and damped (1e4,1e2 "
                   "by default); with --contact those of joints are unless off, and rigid but for K,C"),
    OPTION(STABILIZE, .name = "stabilize", .kind = VALUE_CHOICE, .value = "projection|baumgarte|both|none",
           .help = "what keeps closed loops closed: projection onto the constraints after each step (the "
                   "default), Baumgarte's accelerations, both, or nothing"),
    OPTION(BAUMGARTE, .name = "baumgarte", .kind = VALUE_NUMBER, .value = "ALPHA",
           .help = "how fast Baumgarte's accelerations close a loop, 1/s (20 by default)"),
    OPTION(FORCES, .name = "forces", .kind = VALUE_FILE, .value = "FILE",
           .help = "force elements: springs, wrenches, drag, ground, attraction (docs/force-elements.md)"),
    OPTION(CONTACT, .name = "contact", .kind = VALUE_CHOICE, .value = "model|ground",
           .help = "collisions of the model touch each other, and with ground also the plane z = 0, with friction and "
                   "restitution (docs/contact.md); --integrator euler"),
    OPTION(CONTACT_FRICTION, .name = "contact-friction", .kind = VALUE_NUMBER, .value = "X",
           .help = "with --contact: the coefficient of friction where the model says none (0.8 by default)"),
    OPTION(CONTACT_SOLVER, .name = "contact-solver", .kind = VALUE_CHOICE, .value = "admm|pgs|interior-point",
           .help = "with --contact: this solver alone (several in turn by default)"),
    OPTION(CONTACT_TOL, .name = "contact-tol", .kind = VALUE_NUMBER, .value = "X",
           .help = "with --contact: the tolerance of the solver, of the largest speed of a row (1e-8 by default)"),
    OPTION(CONTACT_COMPLIANCE, .name = "contact-compliance", .kind = VALUE_NUMBER, .value = "X",
           .help = "with --contact: points of contact give way by X m/N along their normals (0 by default: rigid)"),
    OPTION(FRAMES, .name = "frames", .kind = VALUE_TEXT, .value = "LIST",
           .help = "records where these frames or links are: FRAME,... gives columns frame.FRAME.position and "
                   "frame.FRAME.quaternion"),
    OPTION(RPY, .name = "rpy", .help = "with --frames also roll, pitch and yaw, frame.FRAME.rpy"),
    OPTION(EVENT, .name = "event", .kind = VALUE_TEXT, .repeats = 1, .value = "EVENT",
           .help = "notes when it happens: limit, limit:JOINT or TENDON, plane:FRAME:X,Y,Z:HEIGHT, energy:J or "
                   "kinetic:J; a + or - in front: only rising or falling, else both, so that limit also tells of "
                   "coming back. May be given several times"),
    OPTION(STOP_WHEN, .name = "stop-when", .kind = VALUE_TEXT, .repeats = 1, .value = "EVENT",
           .help = "ends the run there, likewise"),
    OPTION(MAX_STEPS, .name = "max-steps", .kind = VALUE_NUMBER, .value = "N",
           .help = "ends the run after N steps of the integrator, as Ctrl-C does: a complete file, exit status 1"),
    OPTION(MAX_TIME, .name = "max-time", .kind = VALUE_NUMBER, .value = "S",
           .help = "likewise after S seconds of wall clock"),
    OPTION(MAX_DRIFT, .name = "max-drift", .kind = VALUE_TEXT, .value = "X|off",
           .help = "ends the run, with exit status 1, before the balance of energies is off by more than this part of "
                   "the largest kinetic energy (0.1 by default, off with --contact); above 0.001 the summary warns"),
    OPTION(CHECKPOINT, .name = "checkpoint", .kind = VALUE_FILE, .value = "FILE",
           .help = "keeps in FILE, .h5 or .hdf5, what is needed to go on after an interruption"),
    OPTION(CHECKPOINT_EVERY, .name = "checkpoint-every", .kind = VALUE_NUMBER, .value = "S",
           .help = "the simulated time between two checkpoints (a tenth of the duration by default, at least "
                   "1e-5 of it)"),
    OPTION(RESUME, .name = "resume", .kind = VALUE_FILE, .value = "FILE",
           .help = "goes on from a checkpoint, with the settings of the run that wrote it"),
    SHARED(LIMITS_CHECK), RESULT_OPTIONS,
    OPTION(QUIET, .name = "quiet", .help = "no progress, no notes and no summary; warnings stay"),
    LOAD_OPTIONS, SHARED(HELP), NULL
};

const cli_command pn_cli_command_sim = {
    .name = "sim",
    .summary = "forward simulation",
    .run = pn_cli_sim,
    .takes = TAKES_OPTIONAL_MODEL,
    .usage = "MODEL --duration S [options] | --resume FILE",
    .about = "Simulates a model from an initial state and writes the motion: time, q, v, a, joint torques,\n"
             "energies, the work done by what is not conservative, and the drift of their balance, which is\n"
             "the integrator's error. The same command gives the same numbers. Without -o the result goes to\n"
             "standard output as CSV (but not with --json, which prints a summary there).\n"
             "Rows are at multiples of the output step and at the end; steps of the integrator do not depend on\n"
             "them. Ctrl-C ends the run with a complete file and exit status 1; with --checkpoint the run can go\n"
             "on from there, and ends with the same bytes as one that was never interrupted.\n"
             "Closed loops that the initial state leaves open are closed first, without moving what --q0 and\n"
             "--v0 name where that is possible.\n",
    .example = "pinion sim models/stanford.json --q0 0,1.57,0.1,0,1.57,0 --duration 2 -o fall.h5 --report fall.html",
    .options = options,
};
