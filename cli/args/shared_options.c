/* The options that several commands take, each in the same words. */
#include "cli/args/algorithm_args.h"
#include "cli/args/options.h"

#define ROW(option, ...) [OPT_##option] = {.id = OPT_##option, __VA_ARGS__}

const cli_option pn_cli_shared[OPT_OWN] = {
    ROW(HELP, .name = "help", .letter = 'h', .help = "print this help"),
    ROW(JSON, .name = "json", .help = "print the answer as JSON"),
    ROW(ROOT, .name = "root", .kind = VALUE_CHOICE, .value = "fixed|free",
        .help = "how the root link is held: fixed to the world (the default, but models of an SDF file float as that "
                "says), or free, by a free joint named root"),
    ROW(MIMIC, .name = "mimic", .kind = VALUE_CHOICE, .value = "follow|independent",
        .help = "whether joints that mimic another one follow it and add no coordinate (the default), or are "
                "ordinary joints"),
    ROW(GRAVITY, .name = "gravity", .kind = VALUE_VECTOR, .value = "X,Y,Z",
        .help = "gravity in the world, m/s^2, in place of the model's own"),
    ROW(STRICT, .name = "strict",
        .help = "refuse a file that says something about the motion which a model cannot hold; without it that is left "
                "out, and 'pinion info' has a warning"),
    ROW(MODEL_PATH, .name = "model-path", .kind = VALUE_TEXT, .value = "LIST",
        .help = "folders in which models that an SDF file includes are looked for, separated by ':', ahead of those in "
                "GZ_SIM_RESOURCE_PATH and above the file"),
    ROW(PACKAGE_PATH, .name = "package-path", .kind = VALUE_TEXT, .value = "LIST",
        .help = "folders with packages, separated by ':', in which meshes that a model names by package:// or model:// "
                "are looked for, ahead of the folders above the file, ROS_PACKAGE_PATH and AMENT_PREFIX_PATH"),
    ROW(SRDF, .name = "srdf", .kind = VALUE_FILE, .value = "FILE",
        .help = "read named states, groups and pairs of links that never collide from the SRDF file of a URDF model"),
    ROW(XACRO, .name = "xacro",
        .help = "expand the model by the program xacro, which must be installed (a package of PyPI and of ROS), and "
                "read what it writes"),
    ROW(STATES, .name = "states", .kind = VALUE_FILE, .value = "FILE",
        .help = "the states, a JSON file, or - for standard input"),
    ROW(PROBLEMS, .name = "what", .kind = VALUE_LIST, .value = "LIST", .words = pn_cli_put_problems,
        .help = "only the algorithms for these problems, separated by commas"),
    ROW(ALGORITHM, .name = "algorithm", .kind = VALUE_WORD, .value = "NAME", .words = pn_cli_put_algorithms,
        .help = "the algorithm for the entries of --what whose problem it solves (see 'pinion algorithms')"),
    ROW(OUTPUT, .name = "output", .letter = 'o', .kind = VALUE_FILE, .value = "FILE",
        .help = "where to write; the format follows from .json, .urdf, .mjcf or .sdf unless --to is given; - is "
                "standard output"),
    ROW(TO, .name = "to", .kind = VALUE_CHOICE, .value = "json|urdf|mjcf|sdf",
        .help = "the format to write; without --output to standard output"),
    ROW(TRAJECTORY, .name = "trajectory", .kind = VALUE_FILE, .value = "FILE",
        .help = "the motion, a CSV file, or - for standard input: columns t, q.JOINT and, if known, v.JOINT and "
                "a.JOINT"),
    ROW(FROM, .name = "from", .kind = VALUE_TEXT, .value = "LIST",
        .help = "where the motion starts: nq numbers, or JOINT=VALUE,... with the others as the model says, else "
                "neutral; in sim where the run starts"),
    ROW(TO_Q, .name = "to", .kind = VALUE_TEXT, .value = "LIST",
        .help = "where the motion ends, likewise, with the others where they are"),
    ROW(LINE, .name = "line", .kind = VALUE_TEXT, .value = "FRAME:X,Y,Z",
        .help = "the motion: FRAME goes from where it is at --from straight on for X,Y,Z (m, world), without "
                "turning"),
    ROW(FLOATING, .name = "floating",
        .help = "beside --line: the base is not held but floats without momentum, and what joints between it and FRAME "
                "do moves both (by the generalized Jacobian)"),
    ROW(PROFILE, .name = "profile", .kind = VALUE_CHOICE, .value = "cycloidal|quintic|trapezoidal|uniform|nonic",
        .help = "how the way is travelled (cycloidal by default)"),
    ROW(BLEND, .name = "blend", .kind = VALUE_NUMBER, .value = "X",
        .help = "of a trapezoidal profile: the part of the time spent speeding up, at most 0.5 (0.25 by default)"),
    ROW(DURATION, .name = "duration", .kind = VALUE_NUMBER, .value = "S",
        .help = "how long, in seconds; by default as long as the motion: a file says when it ends, a generated "
                "one takes 1 s"),
    ROW(OUTPUT_STEP, .name = "output-step", .kind = VALUE_NUMBER, .value = "S",
        .help = "the time between two rows of the result, in seconds (by default a hundredth of the duration, "
                "in id of a file's motion the file's instants)"),
    ROW(RESULT, .name = "output", .letter = 'o', .kind = VALUE_FILE, .value = "FILE",
        .help = "where to write the result: .csv, .jsonl (JSON lines), .h5 or .hdf5 (HDF5)"),
    ROW(REPORT, .name = "report", .kind = VALUE_FILE, .value = "FILE",
        .help = "also write one HTML file, .html or .htm, with 3-D playback and plots"),
    ROW(PLOT, .name = "plot", .kind = VALUE_FILE, .value = "FILE",
        .help = "also write a plain figure, .svg or .png (needs gnuplot)"),
    ROW(PLOT_COLUMNS, .name = "plot-columns", .kind = VALUE_TEXT, .value = "LIST",
        .help = "what the figure shows: columns or their beginnings, as q,tau.elbow,energy"),
    ROW(LIMITS_CHECK, .name = "limits-check", .kind = VALUE_CHOICE, .value = "warn|error|off",
        .help = "what happens where positions, velocities or joint forces leave the model's limits: a line that names "
                "joints and numbers (the default), the same and exit status 1, or nothing"),
};
