/* Status texts, the version, and memory that was handed out. */
#include "pinion/base.h"
#include <stdlib.h>

const char *pinion_status_text(pinion_status status)
{
    switch (status) {
#define PN_STATUS_CASE(name, value, text)                                                                    \
    case name: return text;
        PINION_STATUS_LIST(PN_STATUS_CASE)
#undef PN_STATUS_CASE
    default: return "not a status of this library";
    }
}

void pinion_free(void *memory)
{
    free(memory);
}

const char *pinion_version(void)
{
    return PINION_VERSION;
}
