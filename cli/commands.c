/* The tables that say what the command line accepts. */
#include "options.h"

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
    [OPT_JSON] = {.name = "json", .kind = VALUE_NONE, .help = "print the answer as JSON"},
    [OPT_HELP] = {.name = "help", .letter = 'h', .kind = VALUE_NONE, .help = "print this help"},
};

#define LOAD_OPTIONS OPT_ROOT, OPT_MIMIC, OPT_GRAVITY
#define LATER(command, what)                                                                                 \
    {                                                                                                        \
        .name = command, .summary = what, .options = { OPT_COUNT }                                           \
    }

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
              "              with an exact 0 or 1, nor what forms a joint's rotation from its sine and\n"
              "              cosine, nor what the paper leaves out\n"
              "  customized  the same on MODEL, where n is the number of its velocities\n"
              "  whole       everything that is done, on MODEL or else on the chain; span is the longest\n"
              "              sequence of operations in which each needs the one before\n"
              "and sets the published formula at n beside them.\n",
     .example = "pinion ops --chain 6 --what inverse_dynamics,mass_matrix",
     .options = {OPT_CHAIN, OPT_PROBLEMS, OPT_ALL, OPT_JSON, LOAD_OPTIONS, OPT_HELP, OPT_COUNT}},

    {.name = "generate",
     .summary = "a random model, for tests and benchmarks",
     .run = pn_cli_generate,
     .takes = TAKES_KIND_AND_COUNT,
     .usage = GENERATED " N [-o FILE] [options]",
     .about = "Writes a random model of N joints: a serial chain of revolute joints with skew axes, or a\n"
              "tree of joints of every type with branches, welds, followers, rotors, dampers and springs.\n"
              "Inertias are full and physical. Without -o the model goes to standard output as JSON.\n"
              "--root free puts a free joint, named root, under a tree, as part of the file.\n",
     .example = "pinion generate tree 12 --seed 7 -o tree.json",
     .options = {OPT_SEED, OPT_ROOT, OPT_OUTPUT, OPT_TO, OPT_JSON, OPT_HELP, OPT_COUNT}},

    {.name = "operators",
     .summary = "the global matrices of the papers, for teaching and tests",
     .run = pn_cli_operators,
     .takes = TAKES_MODEL,
     .usage = "MODEL --states FILE|- [--what LIST] [options]",
     .about = "Prints the matrices that papers write the dynamics with, whole, at given states (as for pinion\n"
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

    LATER("id", "joint torques along a trajectory"),
    LATER("sim", "forward simulation"),
    LATER("paper", "a paper's tables and figures again"),
    LATER("bench", "timings"),
    LATER("report", "a result as one HTML file"),
    LATER(NULL, NULL),
};
