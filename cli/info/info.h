/* What is in a model, for people and for programs. */
#ifndef PN_CLI_INFO_H
#define PN_CLI_INFO_H

#include "cli/print/json_out.h"
#include "pinion/pinion.h"
#include "cli/print/print_text.h"

/* The object that `pinion info --json` prints and `pinion eval` repeats. */
void pn_cli_model_json(cli_json *j, const pinion_model *m);
/* "axis" and "pitch" of a joint, where its type has them. */
void pn_cli_put_axis(cli_json *j, const pinion_joint_info *joint);
/* The tree of links with their joints. Returns 0 when out of memory. */
int pn_cli_print_tree(FILE *stream, const pinion_model *m, cli_style style);

/* info_actuators.c: "actuators": [...], and the table of those that a model lists. The latter returns 0 when out of
 * memory. */
void pn_cli_put_actuators(cli_json *j, const pinion_model *m);
int pn_cli_print_actuators(const pinion_model *m, cli_style style);
/* info_states.c: "states": {...}, "groups": {...}; and their names. */
void pn_cli_put_tendons(cli_json *j, const pinion_model *m);
void pn_cli_put_elastic_joints(cli_json *j, const pinion_model *m);
void pn_cli_print_tendons(const pinion_model *m, cli_style style);
void pn_cli_put_states(cli_json *j, const pinion_model *m);
void pn_cli_print_states(const pinion_model *m, cli_style style);
/* info_elastic.c: "elastic_links": [...]; and what bends, with its frequencies. */
void pn_cli_put_elastic(cli_json *j, const pinion_model *m);
void pn_cli_print_elastic(const pinion_model *m, cli_style style);
/* info_collisions.c: "collisions": [...], "no_collisions": [...]; and how many there are. */
void pn_cli_put_collisions(cli_json *j, const pinion_model *m);
void pn_cli_print_collisions(const pinion_model *m, cli_style style);

/* Names; "world" for link -1. */
const char *pn_cli_link_name(const pinion_model *m, int link);
const char *pn_cli_joint_name(const pinion_model *m, int joint);
/* Whether a degree of freedom of a joint is a displacement, not an angle. */
int pn_cli_dof_is_linear(pinion_joint_type type, int dof);
/* "q[3]", "q[3..6]", "" for none. Returns `text`. */
const char *pn_cli_range(char *text, size_t size, char letter, int first, int count);

#endif
