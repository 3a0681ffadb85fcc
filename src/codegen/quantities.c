/* What can be generated, for those who ask before they do. */
#include "codegen/codegen_steps.h"

int pinion_codegen_quantity_count(void)
{
    int count = 0;
    while (pn_target(count)) count++;
    return count;
}

pinion_status pinion_codegen_quantity_info(int quantity, pinion_codegen_quantity *out)
{
    const pn_call *t = quantity < 0 ? NULL : pn_target(quantity);
    if (!out || !t) return PINION_ERR_ARGUMENT;
    *out = (pinion_codegen_quantity){t->what, (t->rules & PN_RULE_FRAME) != 0, t->problem, t->help};
    return PINION_OK;
}
