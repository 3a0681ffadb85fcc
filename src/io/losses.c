/* What a writer leaves out, counted by kind. */
#include "io/losses.h"

#include <stdio.h>
#include <string.h>

int pn_cannot_write(pn_losses *l, const char *of, const char *name, const char *why)
{
    pn_error_set(l->err, PINION_ERR_UNSUPPORTED, NULL, 0, 0, "%s '%.60s' %s, which %s cannot express", of, name, why,
                 l->format);
    return 0;
}

int pn_lose(pn_losses *l, int motion, const char *of, const char *name, const char *what)
{
    if (motion && l->strict) {
        pn_error_set(l->err, PINION_ERR_UNSUPPORTED, NULL, 0, 0, "%s '%.60s': %s, since %s cannot express it", of, name,
                     what, l->format);
        return 0;
    }
    int i = 0;
    while (i < l->kinds && (strcmp(l->kind[i].what, what) != 0 || strcmp(l->kind[i].of, of) != 0)) i++;
    if (i == PN_MAX_LOSSES) return 1;
    if (i == l->kinds) {
        l->kind[l->kinds++] = (pn_loss){what, of, "", 0};
        snprintf(l->kind[i].first, sizeof l->kind[i].first, "%.60s", name);
    }
    l->kind[i].count++;
    return 1;
}

char *pn_losses_told(const pn_losses *l)
{
    pn_text t = {NULL, 0, 0, 0};
    for (int i = 0; i < l->kinds; i++) {
        const pn_loss *x = &l->kind[i];
        pn_text_add(&t, "%s '%s'", x->of, x->first);
        if (x->count > 1) pn_text_add(&t, " and %ld other%s", x->count - 1, x->count > 2 ? "s" : "");
        pn_text_add(&t, ": %s, since %s cannot express it\n", x->what, l->format);
    }
    return pn_text_take(&t);
}
