/* "Did you mean ...?": the names nearest to one that does not exist. */
#ifndef PN_CLI_NEAR_H
#define PN_CLI_NEAR_H

#include <stddef.h>

#define NEAR_MAX 3

typedef struct cli_near {
    const char *wanted;
    int count;
    const char *name[NEAR_MAX]; /* nearest first */
    int distance[NEAR_MAX];
} cli_near;

cli_near pn_cli_near(const char *wanted);
/* Offers a candidate; it is kept when it is near enough. */
void pn_cli_near_offer(cli_near *near, const char *candidate);
/* The same for each word of a list separated by '|'. The words are copied to `store`. */
void pn_cli_near_offer_list(cli_near *near, const char *list, char *store, size_t size);
/* " (did you mean 'a' or 'b'?)", empty when nothing is near. Returns `text`. */
const char *pn_cli_near_text(const cli_near *near, char *text, size_t size);

#endif
