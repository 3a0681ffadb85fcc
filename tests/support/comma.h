/* A locale that writes 0,5 for 0.5. The build makes one where it can and says in PINION_LOCALES where; LOCPATH
 * itself is set only here, since libraries that others load (HDF5's among them) look at it when they start, and
 * leak. */
#ifndef PN_COMMA_H
#define PN_COMMA_H

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Sets such a locale; 0 when there is none. The caller goes back by setlocale(LC_ALL, "C"). */
static inline int comma_locale(void)
{
    static const char *const names[] = {"de_DE.UTF-8", "de_DE", "fr_FR.UTF-8", "fr_FR", "nl_NL.UTF-8", "ps_AF"};
    const char *folder = getenv("PINION_LOCALES");
    if (folder) setenv("LOCPATH", folder, 1);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char half[16];
        if (!setlocale(LC_ALL, names[i])) continue;
        snprintf(half, sizeof half, "%.1f", 0.5);
        if (strcmp(half, "0.5") != 0) return 1;
    }
    setlocale(LC_ALL, "C");
    return 0;
}

#endif
