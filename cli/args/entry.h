/* The whole command line as a function: the exit status of the program. argv[0] is what the user called it by. */
#ifndef PN_CLI_ENTRY_H
#define PN_CLI_ENTRY_H

int pn_cli_main(int argc, char **argv);

#endif
