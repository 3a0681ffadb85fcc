/* pinion info: named states and groups of joints. */
#include "cli/info/info.h"

#include "cli/print/print_text.h"

#include <stdio.h>
#include <stdlib.h>

void pn_cli_put_states(cli_json *j, const pinion_model *m)
{
    const int nq = pinion_model_nq(m), nv = pinion_model_nv(m);
    double *q = malloc((size_t)(nq + nv + 1) * sizeof *q);
    pn_cli_json_key(j, "states");
    pn_cli_json_open(j, '{', 0);
    for (int i = 0; q && i < pinion_model_state_count(m); i++) {
        if (pinion_model_state(m, i, q, q + nq) != PINION_OK) continue;
        pn_cli_json_key(j, pinion_model_state_name(m, i));
        pn_cli_json_open(j, '{', 1);
        pn_cli_json_key(j, "q");
        pn_cli_json_numbers(j, q, nq);
        pn_cli_json_key(j, "v");
        pn_cli_json_numbers(j, q + nq, nv);
        pn_cli_json_close(j);
    }
    pn_cli_json_close(j);
    free(q);
    pn_cli_json_key(j, "groups");
    pn_cli_json_open(j, '{', 0);
    for (int i = 0; i < pinion_model_group_count(m); i++) {
        int count = 0;
        const int *joints = pinion_model_group(m, i, &count);
        pn_cli_json_key(j, pinion_model_group_name(m, i));
        pn_cli_json_open(j, '[', 1);
        for (int k = 0; k < count; k++) {
            pinion_joint_info joint;
            if (pinion_model_joint(m, joints[k], &joint) == PINION_OK) pn_cli_json_string(j, joint.name);
        }
        pn_cli_json_close(j);
    }
    pn_cli_json_close(j);
}

void pn_cli_print_states(const pinion_model *m, cli_style style)
{
    const int states = pinion_model_state_count(m), groups = pinion_model_group_count(m);
    if (states) printf("\n%sNamed states%s\n ", pn_cli_bold(style), pn_cli_plain(style));
    for (int i = 0; i < states; i++) {
        printf(i ? ", " : " ");
        pn_cli_put(stdout, pinion_model_state_name(m, i));
    }
    if (states) printf("\n");
    if (groups) printf("\n%sGroups of joints%s\n", pn_cli_bold(style), pn_cli_plain(style));
    for (int i = 0; i < groups; i++) {
        int count = 0;
        const int *joints = pinion_model_group(m, i, &count);
        printf("  ");
        pn_cli_put(stdout, pinion_model_group_name(m, i));
        for (int k = 0; k < count; k++) {
            pinion_joint_info joint;
            if (pinion_model_joint(m, joints[k], &joint) != PINION_OK) continue;
            printf(k ? ", " : ": ");
            pn_cli_put(stdout, joint.name);
        }
        printf("\n");
    }
}
