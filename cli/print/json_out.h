/* Writing JSON as it is computed: nothing is kept, numbers read back as the same double. */
#ifndef PN_CLI_JSON_OUT_H
#define PN_CLI_JSON_OUT_H

#include <stdio.h>

#define JSON_DEPTH 16

typedef struct cli_json {
    FILE *stream;
    int depth;
    int named;              /* a key was just written */
    char close[JSON_DEPTH]; /* what ends each open container */
    int flat[JSON_DEPTH];   /* on one line */
    int count[JSON_DEPTH];  /* values so far */
    long nulls;             /* numbers that were not finite, written as null */
} cli_json;

cli_json pn_cli_json(FILE *stream);
/* kind is '{' or '['; flat containers stay on one line */
void pn_cli_json_open(cli_json *j, char kind, int flat);
void pn_cli_json_close(cli_json *j);
void pn_cli_json_end(cli_json *j); /* closes what is open and ends the line */
void pn_cli_json_key(cli_json *j, const char *key);
void pn_cli_json_string(cli_json *j, const char *text);
void pn_cli_json_number(cli_json *j, double x);
void pn_cli_json_integer(cli_json *j, int x);
void pn_cli_json_boolean(cli_json *j, int x);
void pn_cli_json_null(cli_json *j);
void pn_cli_json_numbers(cli_json *j, const double *x, int count);
void pn_cli_json_matrix(cli_json *j, const double *x, int rows, int columns);

/* a key with its value */
void pn_cli_put_string(cli_json *j, const char *key, const char *text);
void pn_cli_put_integer(cli_json *j, const char *key, int x);
void pn_cli_put_number(cli_json *j, const char *key, double x);

#endif
