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
    [OPT_PASSIVE] = {.name = "passive",
                     .kind = VALUE_CHOICE,
                     .value = "on|off",
                     .help = "whether dampers, springs and friction of the joints act (off by default): on "
                             "adds their forces to tau in forward_dynamics, takes them from "
                             "inverse_dynamics, and counts the springs in energy"},
    [OPT_ALGORITHM] = {.name = "algorithm",
                       .kind = VALUE_NAME,
                       .value = "NAME",
                       .help = "the algorithm to use (not available yet)",
                       .later = 1},
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
#define LATER(command, what) {.name = command, .summary = what, .options = {OPT_COUNT}}

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
    LATER("algorithms", "the algorithms and where they come from"),
    LATER("ops", "operation counts beside the published formulas"),
    LATER("paper", "a paper's tables and figures again"),
    LATER("bench", "timings"),
    LATER("report", "a result as one HTML file"),
    LATER(NULL, NULL),
};
