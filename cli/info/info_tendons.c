/* pinion info: tendons, elastic joints, links whose weight is carried, and added mass. */
#include "cli/info/info.h"
#include "src/base/curve.h"

#include "cli/print/print_text.h"

#include <math.h>
#include <stdio.h>

/* The name of what a tendon goes through; NULL for a pulley. */
static const char *through(const pinion_model *m, const pinion_tendon_info *t, int k)
{
    pinion_joint_info joint = {.name = "?"};
    pinion_frame_info frame = {.name = "?"};
    if (t->term[k].index < 0) return NULL;
    if (t->type == PINION_TENDON_JOINTS)
        return pinion_model_joint(m, t->term[k].index, &joint) == PINION_OK ? joint.name : "?";
    return pinion_model_frame(m, t->term[k].index, &frame) == PINION_OK ? frame.name : "?";
}

void pn_cli_put_tendons(cli_json *j, const pinion_model *m)
{
    pn_cli_json_key(j, "tendons");
    pn_cli_json_open(j, '[', 0);
    for (int i = 0; i < pinion_model_tendon_count(m); i++) {
        pinion_tendon_info t;
        if (pinion_model_tendon(m, i, &t) != PINION_OK) continue;
        pn_cli_json_open(j, '{', 1);
        pn_cli_put_string(j, "name", t.name);
        pn_cli_json_key(j, t.type == PINION_TENDON_JOINTS ? "joints" : "path");
        pn_cli_json_open(j, '[', 1);
        for (int k = 0; k < t.count; k++) pn_cli_json_string(j, through(m, &t, k) ? through(m, &t, k) : "");
        pn_cli_json_close(j);
        pn_cli_json_key(j, t.type == PINION_TENDON_JOINTS ? "weights" : "divisors");
        pn_cli_json_open(j, '[', 1);
        for (int k = 0; k < t.count; k++) pn_cli_json_number(j, t.term[k].weight);
        pn_cli_json_close(j);
        pn_cli_put_number(j, "stiffness", t.stiffness);
        pn_cli_put_number(j, "damping", t.damping);
        if (pn_is_curved(t.stiffness_curve)) {
            pn_cli_json_key(j, "stiffness_curve");
            pn_cli_json_numbers(j, t.stiffness_curve, 2);
        }
        if (pn_is_curved(t.damping_curve)) {
            pn_cli_json_key(j, "damping_curve");
            pn_cli_json_numbers(j, t.damping_curve, 2);
        }
        pn_cli_json_key(j, "rest");
        pn_cli_json_numbers(j, t.rest, 2);
        pn_cli_json_key(j, "limits");
        pn_cli_json_numbers(j, t.limits, 2);
        pn_cli_json_close(j);
    }
    pn_cli_json_close(j);
}

static const char *joint_name(const pinion_model *m, int index)
{
    pinion_joint_info joint;
    return pinion_model_joint(m, index, &joint) == PINION_OK ? joint.name : "?";
}

static const char *elastic_model(const pinion_elastic_joint_info *e)
{
    return e->model == PINION_ELASTIC_FULL ? "full" : "spong";
}

void pn_cli_put_elastic_joints(cli_json *j, const pinion_model *m)
{
    pn_cli_json_key(j, "elastic_joints");
    pn_cli_json_open(j, '[', 0);
    for (int i = 0; i < pinion_model_elastic_joint_count(m); i++) {
        pinion_elastic_joint_info e;
        if (pinion_model_elastic_joint(m, i, &e) != PINION_OK) continue;
        pn_cli_json_open(j, '{', 1);
        pn_cli_put_string(j, "joint", joint_name(m, e.joint));
        pn_cli_put_string(j, "motor", joint_name(m, e.motor));
        pn_cli_put_string(j, "model", elastic_model(&e));
        pn_cli_put_number(j, "stiffness", e.stiffness);
        pn_cli_put_number(j, "damping", e.damping);
        pn_cli_put_number(j, "rotor_inertia", e.rotor_inertia);
        pn_cli_put_number(j, "gear", e.gear);
        pn_cli_json_close(j);
    }
    pn_cli_json_close(j);
}

static void print_elastic(const pinion_model *m, cli_style style)
{
    const int count = pinion_model_elastic_joint_count(m);
    if (count) printf("\n%sElastic joints%s\n", pn_cli_bold(style), pn_cli_plain(style));
    for (int i = 0; i < count; i++) {
        pinion_elastic_joint_info e;
        if (pinion_model_elastic_joint(m, i, &e) != PINION_OK) continue;
        fputs("  ", stdout);
        pn_cli_put(stdout, joint_name(m, e.joint));
        printf("  stiffness %.6g, damping %.6g, rotor %.6g kg m^2 behind a gear of %.6g, %s\n", e.stiffness, e.damping,
               e.rotor_inertia, e.gear,
               e.model == PINION_ELASTIC_FULL ? "a body (the full model)" : "its own spin alone (Spong's model)");
    }
}

void pn_cli_print_tendons(const pinion_model *m, cli_style style)
{
    const int count = pinion_model_tendon_count(m);
    int carried = 0;
    if (count) printf("\n%sTendons%s\n", pn_cli_bold(style), pn_cli_plain(style));
    for (int i = 0; i < count; i++) {
        pinion_tendon_info t;
        if (pinion_model_tendon(m, i, &t) != PINION_OK) continue;
        fputs("  ", stdout);
        pn_cli_put(stdout, t.name);
        printf("  stiffness %.6g%s, damping %.6g%s, relaxed from %.6g to %.6g", t.stiffness,
               pn_is_curved(t.stiffness_curve) ? " (curved)" : "", t.damping,
               pn_is_curved(t.damping_curve) ? " (curved)" : "", t.rest[0], t.rest[1]);
        if (isfinite(t.limits[0]) || isfinite(t.limits[1]))
            printf(", limits %.6g to %.6g", t.limits[0], t.limits[1]);
        fputs(":", stdout);
        for (int k = 0; k < t.count; k++) {
            fputs(k ? ", " : " ", stdout);
            if (t.type == PINION_TENDON_JOINTS) printf("%.6g ", t.term[k].weight);
            if (t.term[k].index < 0)
                printf("pulley 1/%.6g", t.term[k].weight);
            else
                pn_cli_put(stdout, through(m, &t, k));
        }
        fputs("\n", stdout);
    }
    print_elastic(m, style);
    for (int i = 0; i < pinion_model_link_count(m); i++) {
        pinion_link_info link;
        if (pinion_model_link(m, i, &link) != PINION_OK || link.gravity_compensation == 0) continue;
        if (!carried++) printf("\n%sWeight that is carried%s\n", pn_cli_bold(style), pn_cli_plain(style));
        fputs("  ", stdout);
        pn_cli_put(stdout, link.name);
        printf("  %.6g of it\n", link.gravity_compensation);
    }
    int added = 0;
    for (int i = 0; i < pinion_model_link_count(m); i++) {
        pinion_link_info link;
        if (pinion_model_link(m, i, &link) != PINION_OK || !link.added_mass) continue;
        const double *A = link.added_mass;
        if (!added++) printf("\n%sAdded mass%s, kg m^2 and kg\n", pn_cli_bold(style), pn_cli_plain(style));
        fputs("  ", stdout);
        pn_cli_put(stdout, link.name);
        printf("  %.6g, %.6g, %.6g, %.6g, %.6g, %.6g on the diagonal\n", A[0], A[7], A[14], A[21], A[28], A[35]);
    }
    int braked = 0;
    for (int i = 0; i < pinion_model_link_count(m); i++) {
        pinion_link_info link;
        if (pinion_model_link(m, i, &link) != PINION_OK || !link.drag) continue;
        const double *a = link.drag->linear, *b = link.drag->quadratic;
        if (!braked++)
            printf("\n%sDrag of the medium%s, linear; quadratic\n", pn_cli_bold(style), pn_cli_plain(style));
        fputs("  ", stdout);
        pn_cli_put(stdout, link.name);
        printf("  %.4g, %.4g, %.4g, %.4g, %.4g, %.4g; %.4g, %.4g, %.4g, %.4g, %.4g, %.4g\n", a[0], a[1], a[2], a[3],
               a[4], a[5], b[0], b[1], b[2], b[3], b[4], b[5]);
    }
}
