#define _POSIX_C_SOURCE 200809L
#include "cli/args/near.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define COMPARED 64 /* characters of a name that count */

static int lower(char c)
{
    return tolower((unsigned char)c);
}

static int smallest(int a, int b)
{
    return a < b ? a : b;
}

/* How many letters to insert, delete, replace or swap to get from a to b; case does not count. */
static int edit_distance(const char *a, const char *b)
{
    int length_a = (int)strnlen(a, COMPARED), length_b = (int)strnlen(b, COMPARED);
    int row[3][COMPARED + 1]; /* the row before last, the last one, this one */
    for (int j = 0; j <= length_b; j++) row[1][j] = j;

    for (int i = 1; i <= length_a; i++) {
        row[2][0] = i;
        for (int j = 1; j <= length_b; j++) {
            int same = lower(a[i - 1]) == lower(b[j - 1]);
            int best = smallest(smallest(row[1][j], row[2][j - 1]) + 1, row[1][j - 1] + !same);
            if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]))
                best = smallest(best, row[0][j - 2] + 1);
            row[2][j] = best;
        }
        memcpy(row[0], row[1], sizeof row[0]);
        memcpy(row[1], row[2], sizeof row[1]);
    }
    return row[1][length_b];
}

/* Whether one of the names is a part of the other, which is how a prefix is forgotten. */
static int is_part(const char *a, const char *b)
{
    return (strlen(a) >= 3 && strstr(b, a)) || (strlen(b) >= 3 && strstr(a, b));
}

cli_near pn_cli_near(const char *wanted)
{
    cli_near near = {wanted, 0, {NULL}, {0}};
    return near;
}

void pn_cli_near_offer(cli_near *near, const char *candidate)
{
    /* near is a third of the letters; a part of the name ranks behind those */
    int letters = (int)strnlen(near->wanted, COMPARED), distance = edit_distance(near->wanted, candidate);
    if (distance > (letters + 2) / 3) {
        if (!is_part(near->wanted, candidate)) return;
        distance += COMPARED;
    }

    /* insert in order; of equals the earlier one stays in front */
    int at = near->count;
    while (at > 0 && near->distance[at - 1] > distance) at--;
    if (at == NEAR_MAX) return;
    if (near->count < NEAR_MAX) near->count++;
    for (int i = near->count - 1; i > at; i--) {
        near->name[i] = near->name[i - 1];
        near->distance[i] = near->distance[i - 1];
    }
    near->name[at] = candidate;
    near->distance[at] = distance;
}

void pn_cli_near_offer_list(cli_near *near, const char *list, char *store, size_t size)
{
    snprintf(store, size, "%s", list);
    for (char *word = store; word;) {
        char *end = strchr(word, '|');
        if (end) *end = '\0';
        pn_cli_near_offer(near, word);
        word = end ? end + 1 : NULL;
    }
}

const char *pn_cli_near_text(const cli_near *near, char *text, size_t size)
{
    text[0] = '\0';
    for (int i = 0; i < near->count; i++) {
        size_t used = strlen(text);
        const char *before = i == 0 ? " (did you mean " : i + 1 == near->count ? " or " : ", ";
        snprintf(text + used, size - used, "%s'%.100s'%s", before, near->name[i],
                 i + 1 == near->count ? "?)" : "");
    }
    return text;
}
