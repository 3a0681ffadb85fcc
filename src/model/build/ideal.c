/* Ideal actuators made ones of a list, where a list comes to joints that had none. */
#include <stdio.h>

#include "model/build/describe.h"

pinion_status pn_builder_list_ideal(pinion_builder *b, pinion_error *err)
{
    if (b->actuators_listed) return PINION_OK;
    for (size_t i = 0; i < b->joints.count; i++) {
        const pn_described_joint *joint = PN_ITEM(&b->joints, pn_described_joint, i);
        const int nv = pinion_joint_type_nv(joint->type), alone = nv == 1;
        if (joint->type == PINION_JOINT_FREE || joint->mimic || joint->cut || joint->unactuated) continue;
        char own[PN_MAX_NAME + 1], name[PN_MAX_NAME + 20];
        const char *const joints[1] = {own};
        snprintf(own, sizeof own, "%s", pn_builder_text(b, joint->name)); /* the text may move as it grows */
        for (int k = 0; k < nv; k++) {
            pinion_actuator_def def = pinion_actuator_def_default();
            if (alone)
                snprintf(name, sizeof name, "%s", own);
            else
                snprintf(name, sizeof name, "%s.%d", own, k);
            def.name = name;
            def.count = 1;
            def.joints = joints;
            def.dofs = &k;
            const pinion_status status = pinion_builder_add_actuator(b, &def, err);
            if (status != PINION_OK) return status;
        }
    }
    return pinion_builder_list_actuators(b, 1);
}
