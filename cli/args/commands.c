/* The tables that say what the command line accepts. */
#include "cli/args/options.h"

const option_def pn_cli_options[OPT_COUNT] = {
    [OPT_ROOT] = {.name = "root",
                  .kind = VALUE_CHOICE,
                  .value = "fixed|free",
                  .help = "how the root link is held: fixed to the world (the default), or free, by a free "
                          "joint named root"},
    [OPT_MIMIC] = {.name = "mimic",
                   .kind = VALUE_CHOICE,
                   .value = "follow|independent",
                   .help = "whether joints that mimic another one follow it and add no coordinate (the "
                           "default), or are ordinary joints"},
    [OPT_GRAVITY] = {.name = "gravity",
                     .kind = VALUE_VECTOR,
                     .value = "X,Y,Z",
                     .help = "gravity in the world, m/s^2, in place of the model's own"},
    [OPT_STATES] = {.name = "states",
                    .kind = VALUE_FILE,
                    .value = "FILE",
                    .help = "the states, a JSON file, or - for standard input"},
    [OPT_WHAT] = {.name = "what",
                  .kind = VALUE_QUANTITIES,
                  .value = "LIST",
                  .help = "the quantities to compute, separated by commas"},
    [OPT_PROBLEMS] = {.name = "what",
                      .kind = VALUE_PROBLEMS,
                      .value = "LIST",
                      .help = "only the algorithms for these problems, separated by commas"},
    [OPT_OPERATORS] = {.name = "what",
                       .kind = VALUE_OPERATORS,
                       .value = "LIST",
                       .help = "the matrices, separated by commas (P,H,S,T,I,N_l,N_d,M by default)"},
    [OPT_SPARSE] = {.name = "sparse",
                    .kind = VALUE_NONE,
                    .help = "only what is not zero, as rows, columns (from 0) and numbers"},
    [OPT_PASSIVE] = {.name = "passive",
                     .kind = VALUE_CHOICE,
                     .value = "on|off",
                     .help = "whether dampers, springs and friction of the joints act (off by default): on "
                             "adds their forces to tau in forward_dynamics, takes them from "
                             "inverse_dynamics, and counts the springs in energy"},
    [OPT_ALGORITHM] = {.name = "algorithm",
                       .kind = VALUE_ALGORITHM,
                       .value = "NAME",
                       .help = "the algorithm for the entries of --what whose problem it solves (see 'pinion "
                               "algorithms')"},
    [OPT_CHAIN] = {.name = "chain",
                   .kind = VALUE_WHOLE,
                   .value = "N",
                   .help = "in place of a model: a random chain of N revolute joints, 1 to 200 (6 by "
                           "default)"},
    [OPT_ALL] = {.name = "all",
                 .kind = VALUE_NONE,
                 .help = "also the algorithms that take long: those of O(n^4) beyond n = 30"},
    [OPT_SPAN] = {.name = "span",
                  .kind = VALUE_NONE,
                  .help = "only the spans, on chains of 1, 2, 4, ... joints up to 4096 or --chain N, or on MODEL; of "
                          "the algorithms for forward dynamics that are of O(n)"},
    [OPT_BENCH] = {.name = "what",
                   .kind = VALUE_CHOICE,
                   .value = "all|algorithms|calls|parallel",
                   .help = "what to measure: all (the default) is algorithms and calls; parallel is one state on "
                           "several threads and in SIMD lanes"},
    [OPT_CHAINS] = {.name = "chain",
                    .kind = VALUE_TEXT,
                    .value = "LIST",
                    .help = "random chains of revolute joints: their lengths, separated by commas, 1 to 8192 "
                            "each (8,64,512,4096 by default with --what parallel)"},
    [OPT_TREES] = {.name = "tree",
                   .kind = VALUE_TEXT,
                   .value = "LIST",
                   .help = "random trees over every type of joint, likewise"},
    [OPT_ONLY] = {.name = "only",
                  .kind = VALUE_TEXT,
                  .value = "LIST",
                  .help = "the algorithms, problems and calls to time: names or patterns such as 'crba*', "
                          "separated by commas"},
    [OPT_BENCH_STATES] = {.name = "states",
                          .kind = VALUE_WHOLE,
                          .value = "N",
                          .help = "how many random states are cycled, and how many a batch has, 1 to 1000000 "
                                  "(256 by default)"},
    [OPT_BENCH_GENERATED] = {.name = "generated",
                             .kind = VALUE_NONE,
                             .help = "also times code for the model, which is generated, compiled by the system's C "
                                     "compiler ($CC, cc, gcc or clang) and loaded"},
    [OPT_TIME] = {.name = "time",
                  .kind = VALUE_NUMBER,
                  .value = "S",
                  .help = "about how many seconds to measure, for all models together (15 for each by default)"},
    [OPT_THREADS] = {.name = "threads",
                     .kind = VALUE_WHOLE,
                     .value = "N",
                     .help = "how many threads, 1 to 1024 (as many as there are processors by default)"},
    [OPT_CSV] = {.name = "csv", .kind = VALUE_NONE, .help = "print CSV"},
    [OPT_SEED] = {.name = "seed",
                  .kind = VALUE_WHOLE,
                  .value = "S",
                  .help = "a whole number; the same one gives the same model everywhere (1 by default)"},
    [OPT_OUTPUT] = {.name = "output",
                    .letter = 'o',
                    .kind = VALUE_FILE,
                    .value = "FILE",
                    .help = "where to write; the format follows from .json or .urdf unless --to is given; - "
                            "is standard output"},
    [OPT_TO] = {.name = "to",
                .kind = VALUE_CHOICE,
                .value = "json|urdf",
                .help = "the format to write; without --output to standard output"},
    [OPT_RESULT] = {.name = "output",
                    .letter = 'o',
                    .kind = VALUE_FILE,
                    .value = "FILE",
                    .help = "where to write the result: .csv, .jsonl (JSON lines), .h5 or .hdf5 (HDF5)"},
    [OPT_REPORT] = {.name = "report",
                    .kind = VALUE_FILE,
                    .value = "FILE",
                    .help = "also write one HTML file, .html or .htm, with 3-D playback and plots"},
    [OPT_PAGE] = {.name = "output",
                  .letter = 'o',
                  .kind = VALUE_FILE,
                  .value = "FILE",
                  .help = "where to write the page, .html or .htm (the result's name with .html by default)"},
    [OPT_FOLDER] = {.name = "output",
                    .letter = 'o',
                    .kind = VALUE_FILE,
                    .value = "FOLDER",
                    .help = "where to write the tables (CSV) and the report (the paper's name by default)"},
    [OPT_CODE_FOLDER] = {.name = "output",
                         .letter = 'o',
                         .kind = VALUE_FILE,
                         .value = "FOLDER",
                         .help = "where to write; the folder is made if it is not there"},
    [OPT_GENERATED] = {.name = "what",
                       .kind = VALUE_GENERATED,
                       .value = "LIST",
                       .help = "the quantities to generate, separated by commas (all that need no frame by default)"},
    [OPT_SCALAR] = {.name = "scalar",
                    .kind = VALUE_CHOICE,
                    .value = "f64|f32|real",
                    .help = "what the numbers are: double (the default), float, or real, a type that the one who "
                            "compiles names: double, float, a pack of either, or a type of CUDA"},
    [OPT_NAME] = {.name = "name",
                  .kind = VALUE_TEXT,
                  .value = "NAME",
                  .help = "of the files, and before every function's name (the model's name by default)"},
    [OPT_F_EXT] = {.name = "f-ext",
                   .kind = VALUE_NONE,
                   .help = "external forces are an argument of inverse and forward dynamics"},
    [OPT_LIBM] = {.name = "libm",
                  .kind = VALUE_NONE,
                  .help = "sines and cosines of the C library, in place of those in the file"},
    [OPT_REASSOCIATE] = {.name = "reassociate",
                         .kind = VALUE_NONE,
                         .help = "sums and products may be taken in another order where that saves operations; "
                                 "results are rounded otherwise"},
    [OPT_NO_REGROUPING] = {.name = "no-regrouping",
                           .kind = VALUE_NONE,
                           .help = "every link keeps its own inertia: none of it is moved to its parent"},
    [OPT_NO_ANGLE_SUMS] = {.name = "no-angle-sums",
                           .kind = VALUE_NONE,
                           .help = "angles of parallel axes are not added up"},
    [OPT_LIMB_LIMIT] = {.name = "limb-limit",
                        .kind = VALUE_WHOLE,
                        .value = "N",
                        .help = "operations that one limb may have in straight-line code (20000 by default); a larger "
                                "robot gets loops"},
    [OPT_CHECK] = {.name = "check",
                   .kind = VALUE_NONE,
                   .help = "also compile it here, with $CC, cc, gcc or clang, load it, and compare it with the library "
                           "at 10000 random states; nothing is written if it differs"},
    [OPT_FORCE] = {.name = "force",
                   .kind = VALUE_NONE,
                   .help = "overwrite files in the folder that this command did not make"},
    [OPT_PLOT] = {.name = "plot",
                  .kind = VALUE_FILE,
                  .value = "FILE",
                  .help = "also write a plain figure, .svg or .png (needs gnuplot)"},
    [OPT_PLOT_COLUMNS] = {.name = "plot-columns",
                          .kind = VALUE_TEXT,
                          .value = "LIST",
                          .help =
                              "what the figure shows: columns or their beginnings, as q,tau.elbow,energy"},
    [OPT_DURATION] = {.name = "duration",
                      .kind = VALUE_NUMBER,
                      .value = "S",
                      .help = "how long, in seconds; by default as long as the motion: a file says when it "
                              "ends, a generated one takes 1 s"},
    [OPT_OUTPUT_STEP] = {.name = "output-step",
                         .kind = VALUE_NUMBER,
                         .value = "S",
                         .help =
                             "the time between two rows of the result, in seconds (by default a hundredth "
                             "of the duration, in id of a file's motion the file's instants)"},
    [OPT_Q] = {.name = "q0",
               .kind = VALUE_TEXT,
               .value = "LIST",
               .help =
                   "where it starts: nq numbers separated by commas, or JOINT=VALUE,... with the others as "
                   "the model says, else neutral; of a joint with several coordinates JOINT.0=VALUE and "
                   "so on"},
    [OPT_V] = {.name = "v0",
               .kind = VALUE_TEXT,
               .value = "LIST",
               .help = "the velocity it starts with, likewise; zero unless the model says more"},
    [OPT_STATE] =
        {.name = "state",
         .kind = VALUE_FILE,
         .value = "FILE",
         .help = "where it starts: a JSON file {\"q\": [...], \"v\": [...]}, or the first state of one as "
                 "pinion eval reads it; --q0 and --v0 change it"},
    [OPT_TRAJECTORY] = {.name = "trajectory",
                        .kind = VALUE_FILE,
                        .value = "FILE",
                        .help = "the motion, a CSV file, or - for standard input: columns t, q.JOINT and, if "
                                "known, v.JOINT and a.JOINT"},
    [OPT_FROM] = {.name = "from",
                  .kind = VALUE_TEXT,
                  .value = "LIST",
                  .help =
                      "where the motion starts: nq numbers, or JOINT=VALUE,... with the others neutral; in "
                      "sim by default where the run starts"},
    [OPT_TO_Q] = {.name = "to",
                  .kind = VALUE_TEXT,
                  .value = "LIST",
                  .help = "where the motion ends, likewise"},
    [OPT_LINE] = {.name = "line",
                  .kind = VALUE_TEXT,
                  .value = "FRAME:X,Y,Z",
                  .help =
                      "the motion: FRAME goes from where it is at --from straight on for X,Y,Z (m, world), "
                      "without turning"},
    [OPT_PROFILE] = {.name = "profile",
                     .kind = VALUE_CHOICE,
                     .value = "cycloidal|quintic|trapezoidal|uniform",
                     .help = "how the way is travelled (cycloidal by default)"},
    [OPT_BLEND] = {.name = "blend",
                   .kind = VALUE_NUMBER,
                   .value = "X",
                   .help = "of a trapezoidal profile: the part of the time spent speeding up, at most 0.5 "
                           "(0.25 by default)"},
    [OPT_INTEGRATOR] = {.name = "integrator",
                        .kind = VALUE_CHOICE,
                        .value = "dopri5|verner65|rk4|euler|variational|bdf|adams|dirk|ida",
                        .help = "the method of integration (dopri5 by default; docs/integrators.md)"},
    [OPT_STEP] = {.name = "step",
                  .kind = VALUE_NUMBER,
                  .value = "S",
                  .help =
                      "the step of methods with a fixed one (1e-3 s by default), the first step of others"},
    [OPT_MAX_STEP] = {.name = "max-step",
                      .kind = VALUE_NUMBER,
                      .value = "S",
                      .help = "the longest step an adaptive method may take"},
    [OPT_TOLERANCE] =
        {.name = "tol",
         .kind = VALUE_NUMBER,
         .value = "X",
         .help = "tolerance of adaptive methods, relative and absolute (1e-10 by default); a hundredth "
                 "of it is allowed in a step"},
    [OPT_RTOL] = {.name = "rtol",
                  .kind = VALUE_NUMBER,
                  .value = "X",
                  .help = "relative tolerance alone, per step"},
    [OPT_ATOL] = {.name = "atol",
                  .kind = VALUE_NUMBER,
                  .value = "X",
                  .help = "absolute tolerance alone, per step"},
    [OPT_SIM_PASSIVE] = {.name = "passive",
                         .kind = VALUE_CHOICE,
                         .value = "on|off",
                         .help = "whether dampers, springs and friction of the joints act (on by default)"},
    [OPT_ID_PASSIVE] =
        {.name = "passive",
         .kind = VALUE_CHOICE,
         .value = "on|off",
         .help = "on: less what dampers, springs and friction of the joints give (off by default)"},
    [OPT_ID_ALGORITHM] = {.name = "algorithm",
                          .kind = VALUE_ALGORITHM,
                          .value = "NAME",
                          .help =
                              "the algorithm of inverse dynamics (rnea by default; see 'pinion algorithms')"},
    [OPT_SIM_ALGORITHM] = {.name = "algorithm",
                           .kind = VALUE_ALGORITHM,
                           .value = "NAME",
                           .help =
                               "the algorithm of forward dynamics (aba by default; with closed loops "
                               "loop-proximal; see 'pinion algorithms')"},
    [OPT_MOTION] = {.name = "motion",
                    .kind = VALUE_NONE,
                    .help =
                        "in CSV also the motion: q, v and a. Other formats, reports and figures always have "
                        "it, and what the next two add"},
    [OPT_POWER] = {.name = "power",
                   .kind = VALUE_NONE,
                   .help = "in CSV also the power of all joints and of each"},
    [OPT_REACTIONS] = {.name = "reactions",
                       .kind = VALUE_NONE,
                       .help = "in CSV also the wrench in every joint"},
    [OPT_FRICTION_SPEED] = {.name = "friction-speed",
                            .kind = VALUE_NUMBER,
                            .value = "X",
                            .help =
                                "the speed below which Coulomb friction is smoothed (1e-3 rad/s or m/s by "
                                "default)"},
    [OPT_STOPS] = {.name = "limits",
                   .kind = VALUE_TEXT,
                   .value = "on|off|K,C",
                   .help =
                       "whether joint limits are stops (off by default), and how stiff and damped (1e4,1e2 "
                       "by default)"},
    [OPT_STABILIZE] = {.name = "stabilize",
                       .kind = VALUE_CHOICE,
                       .value = "projection|baumgarte|both|none",
                       .help =
                           "what keeps closed loops closed: projection onto the constraints after each step "
                           "(the default), Baumgarte's accelerations, both, or nothing"},
    [OPT_ACTUATED] = {.name = "actuated",
                      .kind = VALUE_TEXT,
                      .value = "JOINT,...",
                      .help = "with closed loops: the joints that have motors (all but those that the model calls "
                              "unactuated, by default); of more than are needed, the least forces are found"},
    [OPT_BAUMGARTE] = {.name = "baumgarte",
                       .kind = VALUE_NUMBER,
                       .value = "ALPHA",
                       .help = "how fast Baumgarte's accelerations close a loop, 1/s (20 by default)"},
    [OPT_TORQUE] =
        {.name = "torque",
         .kind = VALUE_TEXT,
         .value = "LIST|FILE.csv",
         .help = "joint torques: constant ones, nv numbers or JOINT=VALUE,... with the others zero (also of "
                 "joints that close loops), or over time, a CSV file with t and tau.JOINT columns"},
    [OPT_CONTROL] = {.name = "control",
                     .kind = VALUE_CHOICE,
                     .value = "none|gravity|pd|pd-gravity|computed-torque",
                     .help =
                         "what moves the joints (none by default): gravity compensation, or a controller "
                         "towards the motion that --trajectory, --to or --line gives, or towards where it "
                         "starts"},
    [OPT_KP] = {.name = "kp",
                .kind = VALUE_TEXT,
                .value = "LIST",
                .help =
                    "stiffness of the controller: one number for all joints, nv of them, or JOINT=VALUE,... "
                    "(100 by default)"},
    [OPT_KD] = {.name = "kd",
                .kind = VALUE_TEXT,
                .value = "LIST",
                .help = "damping of the controller, likewise (20 by default)"},
    [OPT_LIMIT_EFFORT] = {.name = "limit-effort",
                          .kind = VALUE_NONE,
                          .help = "the controller gives no more than the model's effort limits"},
    [OPT_FORCES] = {.name = "forces",
                    .kind = VALUE_FILE,
                    .value = "FILE",
                    .help = "force elements: springs, wrenches, drag, ground (docs/force-elements.md)"},
    [OPT_EVENT] = {.name = "event",
                   .kind = VALUE_TEXT,
                   .repeats = 1,
                   .value = "EVENT",
                   .help =
                       "notes when it happens: limit, limit:JOINT, plane:FRAME:X,Y,Z:HEIGHT, energy:J or "
                       "kinetic:J; a + or - in front: only rising or falling, else both, so that limit also "
                       "tells of coming back. May be given several times"},
    [OPT_STOP_WHEN] = {.name = "stop-when",
                       .kind = VALUE_TEXT,
                       .repeats = 1,
                       .value = "EVENT",
                       .help = "ends the run there, likewise"},
    [OPT_CHECKPOINT] = {.name = "checkpoint",
                        .kind = VALUE_FILE,
                        .value = "FILE",
                        .help = "keeps in FILE, .h5 or .hdf5, what is needed to go on after an interruption"},
    [OPT_CHECKPOINT_EVERY] = {.name = "checkpoint-every",
                              .kind = VALUE_NUMBER,
                              .value = "S",
                              .help =
                                  "the simulated time between two checkpoints (a tenth of the duration by "
                                  "default)"},
    [OPT_RESUME] = {.name = "resume",
                    .kind = VALUE_FILE,
                    .value = "FILE",
                    .help = "goes on from a checkpoint, with the settings of the run that wrote it"},
    [OPT_QUIET] = {.name = "quiet", .kind = VALUE_NONE, .help = "no progress and no summary"},
    [OPT_FORMAT] = {.name = "format",
                    .kind = VALUE_CHOICE,
                    .value = "text|latex",
                    .help = "plain ASCII (the default), or LaTeX for a document that uses amsmath"},
    [OPT_EQUATIONS] = {.name = "what",
                       .kind = VALUE_EQUATIONS,
                       .value = "LIST",
                       .help = "of mass_matrix, coriolis and gravity, separated by commas (all by default)"},
    [OPT_DOCUMENT] = {.name = "document",
                      .kind = VALUE_NONE,
                      .help = "with --format latex: a document that compiles by itself"},
    [OPT_NUMBERS] = {.name = "numbers",
                     .kind = VALUE_NONE,
                     .help = "the model's numbers in place of symbols, to 12 digits"},
    [OPT_MAX_TERMS] = {.name = "max-terms",
                       .kind = VALUE_WHOLE,
                       .value = "N",
                       .help = "refuse equations of more terms, 1 to 100000 (600 by default)"},
    [OPT_TEXT_OUTPUT] = {.name = "output",
                         .letter = 'o',
                         .kind = VALUE_FILE,
                         .value = "FILE",
                         .help = "where to write: .txt or .tex, with --json .json; - is standard output"},
    [OPT_JSON] = {.name = "json", .kind = VALUE_NONE, .help = "print the answer as JSON"},
    [OPT_HELP] = {.name = "help", .letter = 'h', .kind = VALUE_NONE, .help = "print this help"},
};

#define LOAD_OPTIONS OPT_ROOT, OPT_MIMIC, OPT_GRAVITY
#define MOTION_OPTIONS OPT_TRAJECTORY, OPT_FROM, OPT_TO_Q, OPT_LINE, OPT_PROFILE, OPT_BLEND
#define RESULT_OPTIONS OPT_RESULT, OPT_REPORT, OPT_PLOT, OPT_PLOT_COLUMNS, OPT_JSON

const command_def pn_cli_commands[] = {
    {.name = "info",
     .summary = "what is in a model: tree, joints, masses, frames, loops, warnings",
     .run = pn_cli_info,
     .takes = TAKES_MODEL,
     .usage = "MODEL [options]",
     .about = "Prints what is in a model: the tree of links, the joints with their places in q and v,\n"
              "masses, limits, frames, loops, and warnings about suspicious inertias.\n",
     .example = "pinion info robot.urdf --root free",
     .options = {OPT_JSON, LOAD_OPTIONS, OPT_HELP, OPT_COUNT}},

    {.name = "eval",
     .summary = "any quantity at given states, as JSON",
     .run = pn_cli_eval,
     .takes = TAKES_MODEL,
     .usage = "MODEL --states FILE|- --what LIST [options]",
     .about = "Computes quantities at given states and prints them as JSON:\n"
              "  {\"model\": {as info --json}, \"states\": [{\"NAME\": value, ...}, ...]}\n"
              "\n"
              "The states are read as JSON, arrays in the model's own order (see pinion info):\n"
              "  {\"states\": [{\"q\": [...], \"v\": [...], \"a\": [...], \"tau\": [...],\n"
              "               \"f_ext\": {\"LINK\": [6 numbers]}}, ...]}\n"
              "Missing v, a and tau are zero; f_ext are forces [moment; force] on links or frames, each in\n"
              "that link's own frame. What is not finite is printed as null, and the exit status is 1.\n",
     .example = "echo '{\"states\": [{\"q\": [0, 1, 2]}]}' |\n"
                "  pinion eval planar-3r.json --states - --what gravity,mass_matrix,jacobian:link3",
     .options = {OPT_STATES, OPT_WHAT, OPT_PASSIVE, OPT_ALGORITHM, LOAD_OPTIONS, OPT_JSON, OPT_HELP,
                 OPT_COUNT}},

    {.name = "convert",
     .summary = "a model from one format to the other",
     .run = pn_cli_convert,
     .takes = TAKES_MODEL,
     .usage = "MODEL -o OUT.json|OUT.urdf | --to json|urdf [options]",
     .about = "Writes a model in the native JSON format or as URDF. What URDF cannot express is refused,\n"
              "and the message names it. The file is written whole or not at all.\n",
     .example = "pinion convert robot.urdf -o robot.json",
     .options = {OPT_OUTPUT, OPT_TO, OPT_JSON, LOAD_OPTIONS, OPT_HELP, OPT_COUNT}},

    {.name = "demo",
     .summary = "a tour: a robot, the forces a motion takes, and a check",
     .run = pn_cli_demo,
     .takes = TAKES_OPTIONAL_MODEL,
     .usage = "[MODEL] [options]",
     .about = "Shows the main job on one robot, the Stanford arm unless a MODEL is given: its tree, the\n"
              "joint forces along a motion, and a check that forward dynamics undoes inverse dynamics.\n"
              "The exit status is 1 when the check fails.\n",
     .example = "pinion demo",
     .options = {OPT_JSON, LOAD_OPTIONS, OPT_HELP, OPT_COUNT}},

    {.name = "sim",
     .summary = "forward simulation",
     .run = pn_cli_sim,
     .takes = TAKES_OPTIONAL_MODEL,
     .usage = "MODEL --duration S [options] | --resume FILE",
     .about =
         "Simulates a model from an initial state and writes the motion: time, q, v, a, joint torques,\n"
         "energies, the work done by what is not conservative, and the drift of their balance, which is\n"
         "the integrator's error. The same command gives the same numbers. Without -o the result goes to\n"
         "standard output as CSV (but not with --json, which prints a summary there).\n"
         "Rows are at multiples of the output step and at the end; steps of the integrator do not depend on\n"
         "them. Ctrl-C ends the run with a complete file and exit status 1; with --checkpoint the run can "
         "go\n"
         "on from there, and ends with the same bytes as one that was never interrupted.\n"
         "Closed loops that the initial state leaves open are closed first, without moving what --q0 and\n"
         "--v0 name where that is possible.\n",
     .example = "pinion sim models/stanford.json --q0 0,1.57,0.1,0,1.57,0 --duration 2 -o fall.h5 --report "
                "fall.html",
     .options = {OPT_Q,
                 OPT_V,
                 OPT_STATE,
                 OPT_DURATION,
                 OPT_OUTPUT_STEP,
                 OPT_INTEGRATOR,
                 OPT_STEP,
                 OPT_MAX_STEP,
                 OPT_TOLERANCE,
                 OPT_RTOL,
                 OPT_ATOL,
                 OPT_SIM_ALGORITHM,
                 OPT_TORQUE,
                 OPT_CONTROL,
                 OPT_KP,
                 OPT_KD,
                 OPT_LIMIT_EFFORT,
                 MOTION_OPTIONS,
                 OPT_SIM_PASSIVE,
                 OPT_FRICTION_SPEED,
                 OPT_STOPS,
                 OPT_STABILIZE,
                 OPT_BAUMGARTE,
                 OPT_FORCES,
                 OPT_EVENT,
                 OPT_STOP_WHEN,
                 OPT_CHECKPOINT,
                 OPT_CHECKPOINT_EVERY,
                 OPT_RESUME,
                 RESULT_OPTIONS,
                 OPT_QUIET,
                 LOAD_OPTIONS,
                 OPT_HELP,
                 OPT_COUNT}},

    {.name = "id",
     .summary = "joint torques, reactions and power along a motion",
     .run = pn_cli_id,
     .takes = TAKES_MODEL,
     .usage = "MODEL --trajectory FILE|- | --from LIST --to LIST | --from LIST --line FRAME:X,Y,Z [options]",
     .about =
         "Inverse dynamics along a motion that a file gives or that is generated: joint torques, the\n"
         "wrench in every joint, and power. Without -o the result goes to standard output as CSV, which has\n"
         "the time and the torques, and more if asked. Rows are at the times of the file, or at every\n"
         "hundredth of a generated motion, unless --output-step says otherwise.\n",
     .example = "pinion id models/planar-3r.json --from 0,0,0 --to 1,0.5,0.5 --profile quintic --duration 2",
     .options = {MOTION_OPTIONS, OPT_DURATION, OPT_OUTPUT_STEP, OPT_ID_PASSIVE, OPT_ID_ALGORITHM, OPT_ACTUATED,
                 OPT_MOTION, OPT_POWER, OPT_REACTIONS, RESULT_OPTIONS, LOAD_OPTIONS, OPT_HELP, OPT_COUNT}},

    {.name = "report",
     .summary = "a result as one HTML file: plots and 3-D playback",
     .run = pn_cli_page,
     .takes = TAKES_RESULT,
     .usage = "RESULT [-o FILE.html]",
     .about =
         "Makes one self-contained HTML file of a result of pinion sim or id: 3-D playback of the robot,\n"
         "linked plots and the run's settings. It needs no network and opens in any browser.\n",
     .example = "pinion report fall.h5 -o fall.html",
     .options = {OPT_PAGE, OPT_PLOT, OPT_PLOT_COLUMNS, OPT_JSON, OPT_HELP, OPT_COUNT}},

    {.name = "paper",
     .summary = "a paper's tables and figures again",
     .run = pn_cli_paper,
     .takes = TAKES_PAPER,
     .usage = PAPERS " [-o FOLDER]",
     .about =
         "Does a paper's experiments again: prints its tables, writes them and the figures' data as CSV, "
         "and\n"
         "one HTML report that sets our numbers beside the paper's and says what was assumed. The bundled\n"
         "models are found beside the build or the installed command, or in the folder that the environment\n"
         "variable PINION_MODELS names.\n",
     .example = "pinion paper saha -o saha",
     .options = {OPT_FOLDER, OPT_JSON, OPT_HELP, OPT_COUNT}},

    {.name = "algorithms",
     .summary = "the algorithms, where they come from and what they apply to",
     .run = pn_cli_algorithms,
     .takes = TAKES_NOTHING,
     .usage = "[options]",
     .about = "Lists the algorithms by the problem they solve: name, complexity, published numbers of\n"
              "multiplications and additions for a serial chain of n revolute joints, what each applies to,\n"
              "and its source. All that solve a problem give the same numbers; 'pinion eval --algorithm'\n"
              "picks one.\n",
     .example = "pinion algorithms --what mass_matrix",
     .options = {OPT_PROBLEMS, OPT_JSON, OPT_HELP, OPT_COUNT}},

    {.name = "ops",
     .summary = "operation counts beside the published formulas",
     .run = pn_cli_ops,
     .takes = TAKES_OPTIONAL_MODEL,
     .usage = "[--chain N | MODEL] [options]",
     .about = "Counts the operations of every algorithm that applies, by running it over numbers that\n"
              "record what is done to them:\n"
              "  general     on a random chain of n revolute joints, as papers count: not the operations\n"
              "              with an exact 0 or 1, nor those that no result depends on, nor what the paper\n"
              "              leaves out\n"
              "  customized  the same on MODEL, where n is the number of its velocities\n"
              "  whole       every operation with a number that depends on the state, on MODEL or else on\n"
              "              the chain\n"
              "  span        the longest sequence of operations in which each needs the one before, those\n"
              "              with an exact 0 or 1 left out\n"
              "and sets the published formula at n beside them.\n"
              "--span shows how the span grows with the chain, or what it is on MODEL: with n for most\n"
              "algorithms, with log n for those that are made for many processors.\n",
     .example = "pinion ops --chain 6 --what inverse_dynamics,mass_matrix",
     .options = {OPT_CHAIN, OPT_PROBLEMS, OPT_ALL, OPT_SPAN, OPT_JSON, LOAD_OPTIONS, OPT_HELP, OPT_COUNT}},

    {.name = "bench",
     .summary = "timings on this machine",
     .run = pn_cli_bench,
     .takes = TAKES_MODELS,
     .usage = "[MODEL ...] [--chain LIST] [--tree LIST] [options]",
     .about = "Times every registered algorithm and every call of the library that computes from a state, on\n"
              "each model: single calls and batches, in double and float, on one thread and on N. A batch\n"
              "has its states in SIMD lanes, laid out in rows or in columns. Without a model these are a PUMA\n"
              "560 and a chain of 30 joints. Times are for one state, in nanoseconds: the median of up to 15\n"
              "rounds in which all timings of a model take turns, and half the distance of the quartiles in\n"
              "percent.\n"
              "The answer says what it ran on, what does not apply to a model and why, and what such numbers do\n"
              "not show.\n"
              "\n"
              "--what parallel times forward dynamics of one state of a random chain of n revolute joints:\n"
              "  aba           the articulated-body algorithm on one thread\n"
              "  dca           divide and conquer on one thread, on N threads, in SIMD lanes (joints of one level\n"
              "                side by side), and on N threads in lanes\n"
              "  batch of aba  many states in lanes, time for one of them: the other use of the same lanes\n"
              "and other algorithms for forward dynamics with a short span, on one thread. Runs are interleaved;\n"
              "printed are the median of a call and the quartiles around it. The work and the span of the\n"
              "algorithms give the number of processors from which divide and conquer could win, were they free\n"
              "to start and to wait for each other.\n",
     .example = "pinion bench robot.urdf --root free --only rnea,crba,aba,jacobian --time 5",
     .options = {OPT_BENCH, OPT_CHAINS, OPT_TREES, OPT_ONLY, OPT_BENCH_GENERATED, OPT_BENCH_STATES, OPT_TIME,
                 OPT_THREADS, OPT_JSON, OPT_CSV, LOAD_OPTIONS, OPT_HELP, OPT_COUNT}},

    {.name = "generate",
     .summary = "a model of any size, for tests and benchmarks",
     .run = pn_cli_generate,
     .takes = TAKES_KIND_AND_COUNT,
     .usage = GENERATED " N [-o FILE] [options]",
     .about = "Writes a random model of N joints: a serial chain of revolute joints with skew axes, or a\n"
              "tree of joints of every type with branches, welds, followers, rotors, dampers and springs.\n"
              "Inertias are full and physical. n-four-bar is not random: N parallel four-bars in a row, of\n"
              "uniform rods of 1 m and 1 kg that start upright, their tips moving at 1 m/s.\n"
              "Without -o the model goes to standard output as JSON.\n"
              "--root free puts a free joint, named root, under a tree, as part of the file.\n",
     .example = "pinion generate tree 12 --seed 7 -o tree.json",
     .options = {OPT_SEED, OPT_ROOT, OPT_OUTPUT, OPT_TO, OPT_JSON, OPT_HELP, OPT_COUNT}},

    {.name = "operators",
     .summary = "the global matrices of the papers, for teaching and tests",
     .run = pn_cli_operators,
     .takes = TAKES_MODEL,
     .usage = "MODEL --states FILE|- [--what LIST] [options]",
     .about =
         "Prints the matrices that papers write the dynamics with, whole, at given states (as for pinion\n"
         "eval). Blocks of six rows or columns belong to the bodies, the others to the velocities v.\n"
         "  P, H, S, T, I   Featherstone & Orin 2000, section 3.5: motions and forces at the world's\n"
         "                  origin along the world's axes. P S = H, T' S = 0, S' I S + rotors is the mass\n"
         "                  matrix\n"
         "  rotors          what the rotors add to the mass matrix\n"
         "  N_l, N_d, N, M, M_tilde, GIM\n"
         "                  Saha 1999, Eqs. 16-24: twists at the mass centres along the world's axes\n"
         "  Omega, M_dot, N_l_dot, N_d_dot, N_dot, H_tilde, M_tilde_dot, M_tilde_prime, C\n"
         "                  the same, Eqs. 8 and 25-29\n"
         "With --json: {\"bodies\": [names], \"states\": [{\"NAME\": rows, ...}, ...]}, and with --sparse\n"
         "{\"rows\": n, \"columns\": n, \"entries\": [[row, column, number], ...]} in place of rows.\n",
     .example = "echo '{\"states\": [{\"q\": [0, 1, 2]}]}' |\n"
                "  pinion operators planar-3r.json --states - --what N_l,N_d",
     .options = {OPT_STATES, OPT_OPERATORS, OPT_SPARSE, OPT_JSON, LOAD_OPTIONS, OPT_HELP, OPT_COUNT}},

    {.name = "codegen",
     .summary = "C sources that compute one robot's dynamics",
     .run = pn_cli_codegen,
     .takes = TAKES_MODEL,
     .usage = "MODEL [--what LIST] -o FOLDER [options]",
     .about = "Writes C sources for one robot: a function for every quantity, with the robot's numbers in it and\n"
              "only the operations that this robot needs. They need a C11 compiler and no library, allocate\n"
              "nothing and have no state. Gravity is part of the code. FOLDER/NAME.h declares, with the arrays\n"
              "as in the C API and matrices row by row,\n"
              "  void NAME_inverse_dynamics(const NAME_real *q, const NAME_real *v, const NAME_real *a,\n"
              "                             NAME_real *tau);\n"
              "and so on, and the folder builds and tests itself:\n"
              "  cmake -S FOLDER -B build && cmake --build build && ctest --test-dir build\n"
              "The same model and options give the same bytes. Prints how many operations each function takes,\n"
              "and how many the library's own call takes on the same model.\n",
     .example = "pinion codegen models/puma560-corke.json --what inverse_dynamics,mass_matrix -o puma",
     .options = {OPT_GENERATED, OPT_CODE_FOLDER, OPT_ALGORITHM, OPT_SCALAR, OPT_NAME, OPT_F_EXT, OPT_LIBM,
                 OPT_REASSOCIATE, OPT_NO_REGROUPING, OPT_NO_ANGLE_SUMS, OPT_LIMB_LIMIT, OPT_CHECK, OPT_FORCE, OPT_JSON,
                 LOAD_OPTIONS, OPT_HELP, OPT_COUNT}},

    {.name = "equations",
     .summary = "the equations of motion of a small mechanism, to be read",
     .run = pn_cli_equations,
     .takes = TAKES_MODEL,
     .usage = "MODEL [--format text|latex] [--what LIST] [options]",
     .about = "Prints M(q), C(q, v) and g(q) of M a + C v + g = tau in closed form, with symbols for masses,\n"
              "lengths and inertias and a legend of their values. C is made of Christoffel symbols, so that\n"
              "dM/dt - 2 C is skew-symmetric. Angles that are right ones are numbers, what is zero is left out,\n"
              "and common factors are taken out.\n"
              "What is printed is evaluated and compared with the kernels at random states; the largest\n"
              "difference is told on stderr, and beyond 1e-10 the answer is refused.\n"
              "Joints have one coordinate each, or are cylindrical or universal ones; loops are refused.\n"
              "With --json: {\"mass_matrix\": [{\"row\", \"column\", \"name\", \"text\"}, ...], \"coriolis\",\n"
              "\"gravity\", \"shorthand\", \"notation\", \"symbols\": [{\"name\", \"value\", \"unit\", \"meaning\"},\n"
              "...], \"check\"}; rows and columns count from 0.\n",
     .example = "pinion equations models/planar-2r.json --format latex --document -o arm.tex",
     .options = {OPT_FORMAT, OPT_EQUATIONS, OPT_DOCUMENT, OPT_NUMBERS, OPT_MAX_TERMS, OPT_TEXT_OUTPUT, OPT_JSON,
                 LOAD_OPTIONS, OPT_HELP, OPT_COUNT}},

    {.name = "completion",
     .summary = "completions for a shell",
     .run = pn_cli_completion,
     .takes = TAKES_SHELL,
     .usage = SHELLS,
     .about = "Prints a script that teaches a shell to complete this command. To have it in every shell,\n"
              "put the line for yours into its start-up file:\n"
              "  bash   source <(pinion completion bash)\n"
              "  zsh    source <(pinion completion zsh)\n"
              "  fish   pinion completion fish | source\n",
     .example = "source <(pinion completion bash)",
     .options = {OPT_HELP, OPT_COUNT}},

    {.name = "help",
     .summary = "help on a command",
     .run = pn_cli_help,
     .takes = TAKES_OPTIONAL_COMMAND,
     .usage = "[COMMAND]",
     .about = "Prints the list of commands, or the help of one of them.\n",
     .example = "pinion help eval",
     .options = {OPT_HELP, OPT_COUNT}},

    {.name = NULL, .options = {OPT_COUNT}},
};
