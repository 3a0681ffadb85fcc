/* A line that shows how far something is, on a terminal: a bar, what was reached, how fast, and what remains.
 */
#ifndef PN_CLI_PROGRESS_H
#define PN_CLI_PROGRESS_H

#include <stdio.h>

typedef struct cli_progress {
    FILE *stream;        /* NULL: nothing is shown */
    double total;        /* s of simulated time */
    double from;         /* where this process began */
    double began, shown; /* wall clock, s */
    int visible;         /* a line is on the screen */
    int utf8;
    const char *note; /* shown behind the rest; NULL: nothing */
} cli_progress;

/* The wall clock, in seconds from some instant. */
double pn_cli_clock(void);
/* Shows nothing unless the stream is a terminal. */
cli_progress pn_cli_progress(FILE *stream, double from, double total);
/* Tells where it is; draws at most ten times a second. */
void pn_cli_progress_show(cli_progress *p, double now);
/* Takes the line off the screen. */
void pn_cli_progress_clear(cli_progress *p);
/* "1 h 05 min", "3 min 20 s", "12 s", "0.031 s". Returns `text`. */
const char *pn_cli_span_text(double seconds, char *text, size_t size);

#endif
