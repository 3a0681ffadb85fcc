/* Distances between collisions in `pinion eval`: --what distance:A/B. */
#include "cli/eval/eval.h"

#include "cli/args/load_option.h"
#include "cli/args/near.h"
#include "cli/print/print_text.h"

#include <math.h>
#include <string.h>

enum { ROWS = 10 }; /* gap, normal and two points */

/* The collisions that a name means: one, all of a link, or the ground; how many, 0 for none. */
static int find_shapes(const pinion_model *m, const char *name, size_t length, int *first)
{
    pinion_collision_info c;
    pinion_link_info link;
    for (int i = 0; pinion_model_collision(m, i, &c) == PINION_OK; i++)
        if (strlen(c.name) == length && memcmp(c.name, name, length) == 0) {
            *first = i;
            return 1;
        }
    for (int i = 0; pinion_model_link(m, i, &link) == PINION_OK; i++)
        if (strlen(link.name) == length && memcmp(link.name, name, length) == 0)
            return pinion_model_link_collisions(m, i, first);
    *first = -1;
    return length == 6 && memcmp(name, "ground", 6) == 0;
}

/* Names may have slashes in them: the first place at which both sides are something counts. */
static int split(const pinion_model *m, const char *pair, int first[2], int count[2])
{
    for (const char *slash = strchr(pair, '/'); slash; slash = strchr(slash + 1, '/')) {
        count[0] = find_shapes(m, pair, (size_t)(slash - pair), &first[0]);
        count[1] = find_shapes(m, slash + 1, strlen(slash + 1), &first[1]);
        if (count[0] && count[1]) return 1;
    }
    return 0;
}

static void offer_names(const pinion_model *m, cli_near *near)
{
    pinion_collision_info c;
    pinion_link_info link;
    for (int i = 0; pinion_model_collision(m, i, &c) == PINION_OK; i++) {
        if (*c.name) pn_cli_near_offer(near, c.name);
        if (pinion_model_link(m, c.link, &link) == PINION_OK) pn_cli_near_offer(near, link.name);
    }
    pn_cli_near_offer(near, "ground");
}

int pn_cli_eval_distance_begin(evaluation *e)
{
    pinion_error err = {PINION_OK, 0, 0, ""};
    pinion_scene_options o = pinion_scene_options_default();
    o.ground = 1;
    for (int i = 0; i < e->what.count; i++) {
        const quantity *what = &e->what.entry[i];
        int first[2], count[2];
        if (what->id != Q_DISTANCE || split(e->m, what->frame, first, count)) continue;
        char near[400], name[100];
        const char *slash = strchr(what->frame, '/');
        const size_t length = slash ? (size_t)(slash - what->frame) : strlen(what->frame);
        const int second = slash && find_shapes(e->m, what->frame, length, &first[0]);
        snprintf(name, sizeof name, "%.*s", second ? 99 : (int)length, second ? slash + 1 : what->frame);
        cli_near found = pn_cli_near(name);
        offer_names(e->m, &found);
        pn_cli_report(e->command, slash ? "--what %s: no collision, and no link with collisions, is named '%s'%s"
                                        : "--what %s: expected two names with a slash between them%.0s%.0s",
                      what->key, name, pn_cli_near_text(&found, near, sizeof near));
        return CLI_FAILED;
    }
    if (!pn_cli_what_has(&e->what, Q_DISTANCE)) return CLI_DONE;
    e->scene = pinion_scene_new(e->m, &o, &err);
    if (!e->scene) pn_cli_report(e->command, "--what distance: %s", err.message);
    if (e->scene && pinion_scene_left_out(e->scene)) {
        char text[600];
        pn_cli_tell_meshes(pinion_scene_left_out(e->scene), e->mesh_fault, text, sizeof text);
        pn_cli_report(e->command, "warning: %s", text);
    }
    return e->scene ? CLI_DONE : CLI_FAILED;
}

size_t pn_cli_eval_distance_room(const evaluation *e)
{
    return ROWS + ROWS * (size_t)pinion_model_nv(e->m);
}

/* The nearest of all pairs that the names mean: its numbers, then their derivatives. */
pinion_status pn_cli_eval_distance(evaluation *e, const quantity *what)
{
    int first[2], count[2], best[2] = {0, 0};
    pinion_nearest n, least;
    pinion_status status = PINION_ERR_UNSUPPORTED;
    least.gap = INFINITY;
    if (!split(e->m, what->frame, first, count)) return PINION_ERR_ARGUMENT;
    for (int i = 0; i < count[0]; i++)
        for (int k = 0; k < count[1]; k++) {
            const int a = first[0] + i, b = first[1] + k;
            const pinion_status one = a == b ? PINION_ERR_UNSUPPORTED
                                             : pinion_scene_distance(e->scene, e->w, e->s.q, a, b, &n, NULL);
            if (one != PINION_OK && one != PINION_ERR_UNSUPPORTED) return one;
            if (one != PINION_OK || !(n.gap < least.gap)) continue;
            status = one;
            least = n;
            best[0] = a;
            best[1] = b;
        }
    if (status != PINION_OK) return status;
    e->out[0] = least.gap;
    memcpy(e->out + 1, least.normal, sizeof least.normal);
    memcpy(e->out + 4, least.first, sizeof least.first);
    memcpy(e->out + 7, least.second, sizeof least.second);
    return pinion_scene_distance(e->scene, e->w, e->s.q, best[0], best[1], &n, e->out + ROWS);
}

void pn_cli_eval_print_distance(evaluation *e)
{
    static const char *const name[] = {"normal", "first", "second"};
    static const char *const by[] = {"normal_by_v", "first_by_v", "second_by_v"};
    const int nv = pinion_model_nv(e->m);
    const double *d = e->out + ROWS;
    pn_cli_json_open(&e->json, '{', 0);
    pn_cli_json_key(&e->json, "gap");
    pn_cli_json_number(&e->json, e->out[0]);
    for (int i = 0; i < 3; i++) {
        pn_cli_json_key(&e->json, name[i]);
        pn_cli_json_numbers(&e->json, e->out + 1 + 3 * i, 3);
    }
    pn_cli_json_key(&e->json, "gap_by_v");
    pn_cli_json_numbers(&e->json, d, nv);
    int determined = 1; /* those of a body that does not move are 0, whatever they are */
    for (int i = nv; i < ROWS * nv; i++) determined &= !isnan(d[i]);
    for (int i = 0; i < 3 && determined; i++) {
        pn_cli_json_key(&e->json, by[i]);
        pn_cli_json_matrix(&e->json, d + (1 + 3 * i) * nv, 3, nv);
    }
    pn_cli_json_close(&e->json);
}
