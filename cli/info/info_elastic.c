/* pinion info: elastic links, their modes and frequencies. */
#include "cli/info/info.h"
#include "cli/print/print_text.h"

#include <math.h>
#include <stdio.h>

static const char *const boundaries[PINION_ELASTIC_BOUNDARY_COUNT] = {"clamped-free", "clamped-mass", "pinned",
                                                                      "clamped-pinned", "clamped-clamped"};

static void put_square(cli_json *j, const char *key, const double *x, int n)
{
    pn_cli_json_key(j, key);
    pn_cli_json_matrix(j, x, n, n);
}

/* A link's mass, with that of its beam. */
static double mass_of(const pinion_model *m, int index)
{
    pinion_link_info link;
    pinion_elastic_info e;
    double mass = pinion_model_link(m, index, &link) == PINION_OK ? link.inertia.mass : 0;
    for (int i = 0; pinion_model_elastic(m, i, &e) == PINION_OK; i++)
        if (e.link == index) mass += e.mass;
    return mass;
}

/* Mass that hangs on places of a link that move against its frame, kg. */
static double carried(const pinion_model *m, const pinion_elastic_info *e)
{
    const double *R = e->def.origin.rotation, *o = e->def.origin.position;
    const int joints = pinion_model_joint_count(m), links = pinion_model_link_count(m);
    double mass = 0;
    for (int i = 0; i < links; i++) {
        /* up to the joint on the link, if it is above; links go before what they carry */
        pinion_joint_info joint;
        for (int at = i, k = joints - 1; k >= 0; k--) {
            if (pinion_model_joint(m, k, &joint) != PINION_OK || joint.child != at || joint.parent == at) continue;
            at = joint.parent;
            if (at != e->link) continue;
            const double *p = joint.parent_pose.position;
            const double x = R[0] * (p[0] - o[0]) + R[3] * (p[1] - o[1]) + R[6] * (p[2] - o[2]);
            if (x > 1e-9 * e->def.length) mass += mass_of(m, i);
            break;
        }
    }
    return mass;
}

/* Shapes of a free end do not know what hangs there, and converge slowly. */
static double unknown_load(const pinion_model *m, const pinion_elastic_info *e)
{
    return e->def.node_count || e->def.boundary != PINION_ELASTIC_CLAMPED_FREE ? 0 : carried(m, e);
}

void pn_cli_put_elastic(cli_json *j, const pinion_model *m)
{
    pinion_elastic_info e;
    if (!pinion_model_elastic_count(m)) return;
    pn_cli_json_key(j, "elastic_links");
    pn_cli_json_open(j, '[', 0);
    for (int i = 0; pinion_model_elastic(m, i, &e) == PINION_OK; i++) {
        pn_cli_json_open(j, '{', 1);
        pn_cli_put_string(j, "link", pn_cli_link_name(m, e.link));
        pn_cli_put_string(j, "kind", e.def.node_count ? "shapes" : "beam");
        if (!e.def.node_count) pn_cli_put_string(j, "boundary", boundaries[e.def.boundary]);
        pn_cli_put_integer(j, "q_index", e.q_index);
        pn_cli_put_integer(j, "v_index", e.v_index);
        pn_cli_put_integer(j, "modes", e.modes);
        pn_cli_put_number(j, "mass", e.mass);
        if (unknown_load(m, &e) > 0) pn_cli_put_number(j, "unknown_load", unknown_load(m, &e));
        pn_cli_json_key(j, "frequencies");
        pn_cli_json_numbers(j, e.frequency, e.modes);
        put_square(j, "mass_matrix", e.modal_mass, e.modes);
        put_square(j, "stiffness_matrix", e.stiffness, e.modes);
        put_square(j, "damping_matrix", e.damping, e.modes);
        pn_cli_json_close(j);
    }
    pn_cli_json_close(j);
}

void pn_cli_print_elastic(const pinion_model *m, cli_style style)
{
    pinion_elastic_info e;
    for (int i = 0; pinion_model_elastic(m, i, &e) == PINION_OK; i++) {
        if (i == 0) printf("\n%sElastic links%s\n", pn_cli_bold(style), pn_cli_plain(style));
        fputs("  ", stdout);
        pn_cli_put(stdout, pn_cli_link_name(m, e.link));
        if (e.def.node_count)
            printf("  shapes at %d nodes, %.6g kg", e.def.node_count, e.mass);
        else
            printf("  beam of %.6g m, %s, %.6g kg", e.def.length, boundaries[e.def.boundary], e.mass);
        printf(", %d mode%s, held at its frame:", e.modes, pn_cli_plural(e.modes));
        for (int k = 0; k < e.modes; k++) printf("%s %.6g", k ? "," : "", e.frequency[k] / (2 * M_PI));
        fputs(" Hz\n", stdout);
        if (unknown_load(m, &e) > 0)
            printf("    it carries %.6g kg, which shapes of a free end do not know: with \"boundary\": "
                   "\"clamped-mass\" and a load far fewer modes do (docs/elastic.md)\n",
                   unknown_load(m, &e));
    }
}
