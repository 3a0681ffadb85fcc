/* What can be generated, for those who ask before they do. */
#include "codegen/codegen_steps.h"

int pinion_codegen_quantity_count(void)
{
    return pn_target_count();
}

pinion_status pinion_codegen_quantity_info(int quantity, pinion_codegen_quantity *out)
{
    if (!out || quantity < 0 || quantity >= pn_target_count()) return PINION_ERR_ARGUMENT;
    const pn_target *t = &pn_targets[quantity];
    *out = (pinion_codegen_quantity){t->name, t->takes_frame, t->problem, t->help};
    return PINION_OK;
}
