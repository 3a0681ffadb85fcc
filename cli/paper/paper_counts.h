/* Operation counts for the tables of papers. */
#ifndef PN_CLI_PAPER_COUNTS_H
#define PN_CLI_PAPER_COUNTS_H

#include "pinion/pinion.h"
#include "cli/print/print_text.h"

/* The counts of an algorithm on a chain of n joints. 0 when they cannot be had. */
int pn_paper_counts(const char *algorithm, int n, pinion_operations *general, pinion_operations *whole);
/* The general counts as formulas in n, exact for the chains they are made from. 0 when they cannot be had. */
int pn_paper_formula(const char *algorithm, char *mul, char *add, size_t size);
/* Four cells: a label, what was published, our formulas, and our counts at n. */
void pn_paper_count_row(cli_table *t, const char *label, const char *algorithm, const char *published, int n);

#endif
