/* Ctrl-C and the like, for commands that end what they do in good order. */
#ifndef PN_CLI_INTERRUPT_H
#define PN_CLI_INTERRUPT_H

/* From here on the first such signal is only remembered; a second one ends the process. What is ignored stays so: of
 * nohup, and of commands that a shell starts in the background. */
void pn_cli_catch_signals(void);
/* Nonzero when one came since. */
int pn_cli_interrupted(void);

#endif
