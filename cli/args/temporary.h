/* A folder for temporary files of the library and of the compiler it runs, which goes away however the
 * command ends: by itself, or by a signal. One at a time. */
#ifndef PN_CLI_TEMPORARY_H
#define PN_CLI_TEMPORARY_H

/* From here on TMPDIR is that folder. Where none can be made nothing changes, and the library will say why.
 */
void pn_cli_temporary_begin(void);
void pn_cli_temporary_end(void);

/* Signals that would end the command wait until this is called again with 0. */
void pn_cli_hold_signals(int hold);

#endif
