/* pinion info: what a model touches others with. */
#include "cli/info/info.h"
#include "cli/print/print_text.h"

#include <stdio.h>

void pn_cli_print_collisions(const pinion_model *m, cli_style style)
{
    const int count = pinion_model_collision_count(m), excluded = pinion_model_exclusion_count(m);
    int shapes[PINION_SHAPE_COUNT] = {0}, links = 0, first, listed = 0;
    for (int i = 0; i < count; i++) {
        pinion_collision_info info;
        if (pinion_model_collision(m, i, &info) == PINION_OK) shapes[info.shape]++;
    }
    for (int i = 0; i < pinion_model_link_count(m); i++) links += pinion_model_link_collisions(m, i, &first) > 0;
    if (!count && !excluded) return;
    printf("\n%sCollisions%s\n", pn_cli_bold(style), pn_cli_plain(style));
    printf("  %d shape%s on %d link%s", count, pn_cli_plural(count), links, pn_cli_plural(links));
    for (int i = 0; i < PINION_SHAPE_COUNT; i++) {
        if (shapes[i]) printf("%s%d %s", listed++ ? ", " : ": ", shapes[i], pinion_shape_name((pinion_shape)i));
    }
    if (excluded) printf("; %d pair%s of links never collide%s", excluded, pn_cli_plural(excluded),
                         excluded == 1 ? "s" : "");
    printf("\n");
}

void pn_cli_put_collisions(cli_json *j, const pinion_model *m)
{
    pn_cli_json_key(j, "collisions");
    pn_cli_json_open(j, '[', 0);
    for (int i = 0; i < pinion_model_collision_count(m); i++) {
        pinion_collision_info info;
        if (pinion_model_collision(m, i, &info) != PINION_OK) continue;
        pn_cli_json_open(j, '{', 1);
        pn_cli_put_string(j, "name", info.name);
        pn_cli_put_string(j, "link", pn_cli_link_name(m, info.link));
        pn_cli_put_string(j, "shape", pinion_shape_name(info.shape));
        pn_cli_json_close(j);
    }
    pn_cli_json_close(j);
    pn_cli_json_key(j, "no_collisions");
    pn_cli_json_open(j, '[', 0);
    for (int i = 0; i < pinion_model_exclusion_count(m); i++) {
        int links[2];
        if (pinion_model_exclusion(m, i, links) != PINION_OK) continue;
        pn_cli_json_open(j, '[', 1);
        for (int k = 0; k < 2; k++) pn_cli_json_string(j, pn_cli_link_name(m, links[k]));
        pn_cli_json_close(j);
    }
    pn_cli_json_close(j);
}
