/* pinion id --contacts: the forces of contacts along a motion, and what they tell of it. */
#define _POSIX_C_SOURCE 200809L
#include "cli/id/id.h"

#include "cli/args/load_option.h"
#include "cli/args/near.h"
#include "cli/print/print_text.h"
#include "cli/print/result_out.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_FRICTION 100
#define OUTSIDE 1e-9 /* of the largest force: what is rounding of a cone */

/* ------------------------------------------------------------------------------------------------ */
/* The command line */

static int out_of_memory(const id_run *d)
{
    pn_cli_report(d->command, "out of memory");
    return CLI_FAILED;
}

static int read_numbers(const id_run *d, double *gap, double *friction)
{
    const char *const *value = d->args->value;
    *gap = TOUCH_GAP;
    *friction = PINION_FRICTION;
    if (value[OPT_CONTACT_GAP] && strcmp(value[OPT_CONTACT_GAP], "any") == 0) {
        *gap = INFINITY;
        if (strcmp(value[OPT_CONTACTS], "ground") == 0 || strcmp(value[OPT_CONTACTS], "model") == 0) {
            pn_cli_report(d->command, "--contact-gap any is of contacts that are named: --contacts NAME,...");
            return CLI_USAGE;
        }
    } else if (value[OPT_CONTACT_GAP] && !(pn_cli_parse_number(value[OPT_CONTACT_GAP], gap) && *gap >= 0)) {
        pn_cli_report(d->command, "--contact-gap: expected a length of 0 or more, or any, got '%s'",
                      value[OPT_CONTACT_GAP]);
        return CLI_USAGE;
    }
    if (value[OPT_CONTACT_FRICTION] &&
        !(pn_cli_parse_number(value[OPT_CONTACT_FRICTION], friction) && *friction >= 0)) {
        pn_cli_report(d->command, "--contact-friction: expected a coefficient of 0 or more, got '%s'",
                      value[OPT_CONTACT_FRICTION]);
        return CLI_USAGE;
    }
    return CLI_DONE;
}

/* One NAME=X: of every pair that has that name, or something of it on either side. */
static int set_share(id_run *d, char *entry)
{
    cli_touch *x = &d->contacts.touch;
    char *equals = strrchr(entry, '='), near[400];
    double share;
    int found = 0;
    if (!equals || !pn_cli_parse_number(equals + 1, &share) || !(share >= 0)) {
        pn_cli_report(d->command, "--contact-share: expected NAME=X with X of 0 or more, got '%s'", entry);
        return CLI_USAGE;
    }
    *equals = '\0';
    for (int i = 0; i < x->pairs; i++) {
        touch_pair *p = &x->pair[i];
        if (strcmp(p->name, entry) != 0 && strcmp(p->first, entry) != 0 && strcmp(p->second, entry) != 0) continue;
        p->share = share;
        found++;
    }
    if (found) return CLI_DONE;
    cli_near names = pn_cli_near(entry);
    for (int i = 0; i < x->pairs; i++) {
        pn_cli_near_offer(&names, x->pair[i].second);
        pn_cli_near_offer(&names, x->pair[i].first);
    }
    pn_cli_report(d->command, "--contact-share: nothing named '%s' touches in this motion%s", entry,
                  pn_cli_near_text(&names, near, sizeof near));
    return CLI_FAILED;
}

static int read_shares(id_run *d)
{
    const char *list = d->args->value[OPT_CONTACT_SHARE];
    if (!list) return CLI_DONE;
    char *copy = strdup(list), *rest = NULL;
    int status = copy ? CLI_DONE : out_of_memory(d);
    d->contacts.shares = 1;
    for (char *entry = copy ? strtok_r(copy, ",", &rest) : NULL; entry && status == CLI_DONE;
         entry = strtok_r(NULL, ",", &rest))
        status = set_share(d, entry);
    free(copy);
    return status;
}

/* What touches at any time gets columns: the whole motion is looked through before. */
static int look_through(id_run *d)
{
    for (size_t k = 0; k < d->rows; k++) {
        const double t = pn_cli_id_time(d, k);
        pinion_status status = pinion_trajectory_at(d->motion, t, d->q, d->v, d->a);
        if (status == PINION_OK) status = pn_cli_touch_at(&d->contacts.touch, d->q);
        if (status == PINION_OK) continue;
        pn_cli_report(d->command, "at t = %g s: %s", t,
                      d->contacts.touch.scene && *pinion_scene_message(d->contacts.touch.scene)
                          ? pinion_scene_message(d->contacts.touch.scene)
                          : pinion_status_text(status));
        return CLI_FAILED;
    }
    return CLI_DONE;
}

/* Meshes whose files cannot be read take no part. */
static void tell_meshes(const id_run *d)
{
    pinion_collision_info info;
    char text[600];
    int left_out = 0;
    for (int i = 0; pinion_model_collision(d->m, i, &info) == PINION_OK; i++) left_out += info.mesh && !info.data;
    if (!left_out) return;
    pn_cli_tell_meshes(left_out, d->mesh_fault, text, sizeof text);
    pn_cli_report(d->command, "warning: %s", text);
}

int pn_cli_id_contacts_begin(id_run *d)
{
    id_contacts *c = &d->contacts;
    const char *const *value = d->args->value;
    double gap, friction;
    if (!value[OPT_CONTACTS]) {
        const option_id of[] = {OPT_CONTACT_GAP, OPT_CONTACT_FRICTION, OPT_CONTACT_SHARE};
        for (int i = 0; i < 3; i++)
            if (value[of[i]]) {
                pn_cli_report(d->command, "--%s has no use without --contacts", pn_cli_option_name(d->args, of[i]));
                return CLI_USAGE;
            }
        return CLI_DONE;
    }
    if (d->loops.count) {
        pn_cli_report(d->command, "--contacts does not go with closed loops yet; this model has %d", d->loops.count);
        return CLI_FAILED;
    }
    int status = read_numbers(d, &gap, &friction);
    if (status == CLI_DONE) tell_meshes(d);
    if (status == CLI_DONE)
        status = pn_cli_touch_begin(&c->touch, d->command, d->m, d->w, value[OPT_CONTACTS], gap, friction);
    if (status == CLI_DONE) status = look_through(d);
    if (status == CLI_DONE) status = read_shares(d);
    if (status != CLI_DONE) return status;
    const size_t most = (size_t)c->touch.most;
    c->support = pinion_support_new(d->m, c->touch.most);
    c->points = calloc(3 * most + 1, sizeof *c->points);
    c->corner = calloc(most + 1, sizeof *c->corner);
    c->worst = calloc(most + 1, sizeof *c->worst);
    c->tau = calloc(2 * (size_t)d->nv + (size_t)d->nq + 1, sizeof *c->tau);
    c->worst_tau = c->tau ? c->tau + d->nv : NULL;
    c->worst_q = c->tau ? c->worst_tau + d->nv : NULL;
    c->margin = c->support_margin = c->nearest = INFINITY;
    return c->support && c->points && c->corner && c->worst && c->tau ? CLI_DONE : out_of_memory(d);
}

void pn_cli_id_contacts_end(id_run *d)
{
    pn_cli_touch_end(&d->contacts.touch);
    pinion_support_free(d->contacts.support);
    free(d->contacts.points);
    free(d->contacts.corner);
    free(d->contacts.worst);
    free(d->contacts.tau);
    free(d->contacts.row);
}

/* ------------------------------------------------------------------------------------------------ */
/* Columns */

static int add(const id_run *d, const char *base, const char *part, int count, const char *unit)
{
    int status = CLI_DONE;
    for (int i = 0; i < (count ? count : 1) && status == CLI_DONE; i++) {
        char name[700];
        if (count) snprintf(name, sizeof name, "%s.%s.%d", base, part, i);
        else snprintf(name, sizeof name, "%s.%s", base, part);
        status = pn_cli_add_column(d->command, d->result, name, unit);
    }
    return status;
}

int pn_cli_id_contacts_columns(id_run *d)
{
    id_contacts *c = &d->contacts;
    if (!c->support) return CLI_DONE;
    int status = add(d, "contact", "count", 0, "");
    if (status == CLI_DONE) status = add(d, "contact", "margin", 0, "N");
    if (status == CLI_DONE) status = add(d, "contact", "zmp", 3, "m");
    if (status == CLI_DONE) status = add(d, "contact", "support", 0, "m");
    for (int i = 0; i < c->touch.pairs && status == CLI_DONE; i++) {
        char base[640];
        snprintf(base, sizeof base, "contact.%s", c->touch.pair[i].name);
        status = add(d, base, "force", 3, "N");
        if (status == CLI_DONE) status = add(d, base, "gap", 0, "m");
        if (status == CLI_DONE) status = add(d, base, "margin", 0, "N");
        if (status == CLI_DONE) status = add(d, base, "point", 3, "m");
    }
    if (status != CLI_DONE) return status;
    c->row = calloc((size_t)pinion_result_column_count(d->result) + 1, sizeof *c->row);
    d->row = c->row;
    return c->row ? CLI_DONE : out_of_memory(d);
}

double *pn_cli_id_contacts_put(const id_run *d, double *x)
{
    const id_contacts *c = &d->contacts;
    if (!c->support) return x;
    *x++ = c->touch.count;
    *x++ = c->here.margin;
    for (int k = 0; k < 3; k++) *x++ = c->zmp[k];
    *x++ = c->inside;
    for (int i = 0; i < c->touch.pairs; i++, x += 8) {
        int found = 0;
        double sum = 0;
        memset(x, 0, 8 * sizeof *x);
        x[3] = c->touch.pair[i].gap;
        for (int k = 0; k < c->touch.count; k++) {
            const pinion_support_point *p = &c->touch.point[k];
            if (c->touch.pair_of[k] != i) continue;
            const double normal = fmax(0, p->force[0] * p->normal[0] + p->force[1] * p->normal[1] +
                                              p->force[2] * p->normal[2]);
            for (int l = 0; l < 3; l++) x[l] += p->force[l];
            for (int l = 0; l < 3; l++) x[5 + l] += normal * p->point[l];
            sum += normal;
            x[4] = found++ ? fmin(x[4], p->margin) : p->margin;
        }
        for (int l = 0; l < 3; l++) x[5 + l] = sum > 0 ? x[5 + l] / sum : NAN; /* the centre of pressure */
    }
    return x;
}

/* ------------------------------------------------------------------------------------------------ */
/* An instant */

/* Every pair's share goes to its points alike. */
static void spread_shares(id_contacts *c)
{
    for (int i = 0; i < c->touch.count && c->shares; i++) {
        int alike = 0;
        for (int k = 0; k < c->touch.count; k++) alike += c->touch.pair_of[k] == c->touch.pair_of[i];
        c->touch.point[i].share = c->touch.pair[c->touch.pair_of[i]].share / alike;
    }
}

/* The zero-moment point, at the height of what the machine stands on, and where it is in the polygon. */
static pinion_status find_zmp(id_run *d)
{
    id_contacts *c = &d->contacts;
    double on[3] = {0, 0, 0}, g[3], up[3] = {0, 0, 1};
    int count = 0, corners;
    for (int i = 0; i < c->touch.count; i++)
        if (pn_cli_touch_outside(&c->touch, i))
            memcpy(c->points + 3 * count++, c->touch.point[i].point, 3 * sizeof *c->points);
    for (int i = 0; i < 3 * count; i++) on[i % 3] += c->points[i] / count;
    pinion_model_gravity(d->m, g);
    for (int k = 0; k < 3; k++)
        if (g[0] != 0 || g[1] != 0 || g[2] != 0) up[k] = -g[k];
    c->inside = NAN;
    pinion_status status = pinion_zero_moment_point(c->support, d->w, d->q, d->v, d->a, on, c->zmp);
    if (status != PINION_OK || !count || isnan(c->zmp[0])) return status;
    return pinion_support_polygon(count, c->points, up, c->zmp, c->corner, &corners, &c->inside);
}

/* Keeps what the least margin came from. */
static void keep_worst(id_run *d, double margin, int pair, double t)
{
    id_contacts *c = &d->contacts;
    c->margin = margin;
    c->margin_at = t;
    snprintf(c->margin_of, sizeof c->margin_of, "%s", c->touch.pair[pair].name);
    c->worst_count = c->touch.count;
    memcpy(c->worst, c->touch.point, (size_t)c->touch.count * sizeof *c->worst);
    memcpy(c->worst_tau, c->tau, (size_t)d->nv * sizeof *c->tau);
    memcpy(c->worst_q, d->q, (size_t)d->nq * sizeof *d->q);
}

/* Keeps the worst. */
static void see(id_run *d, double t)
{
    id_contacts *c = &d->contacts;
    double most = 0;
    if (c->touch.count > c->most) c->most = c->touch.count;
    for (int i = 0; i < c->touch.count; i++) {
        const pinion_support_point *p = &c->touch.point[i];
        for (int k = 0; k < 3; k++) most = fmax(most, fabs(p->force[k]));
        if (p->force[0] == 0 && p->force[1] == 0 && p->force[2] == 0) continue;
        /* of those that differ by rounding the first */
        if (p->margin < c->margin - OUTSIDE * most) keep_worst(d, p->margin, c->touch.pair_of[i], t);
    }
    c->outside += !c->here.inside && c->here.margin < -OUTSIDE * most;
    if (!isnan(c->inside) && c->inside < c->support_margin) {
        c->support_margin = c->inside;
        c->support_at = t;
    }
    if (c->touch.count) return;
    c->bare++;
    for (int i = 0; i < c->touch.pairs; i++)
        if (c->touch.pair[i].gap < c->nearest) {
            c->nearest = c->touch.pair[i].gap;
            c->nearest_at = t;
        }
}

pinion_status pn_cli_id_contact_forces(id_run *d, double t)
{
    id_contacts *c = &d->contacts;
    pinion_status status = pn_cli_touch_at(&c->touch, d->q);
    if (status != PINION_OK) return status;
    spread_shares(c);
    memcpy(c->tau, d->tau, (size_t)d->nv * sizeof *c->tau);
    status = pinion_support_forces(c->support, d->w, d->q, c->touch.count, c->touch.point, d->tau, &c->here);
    if (status == PINION_OK) status = find_zmp(d);
    if (status == PINION_OK) see(d, t);
    return status;
}

/* ------------------------------------------------------------------------------------------------ */
/* What is told */

/* The least friction, the same everywhere, with which the forces at the worst instant would be in their cones;
 * infinite where none would do. */
static double least_friction(id_run *d)
{
    id_contacts *c = &d->contacts;
    double low = 0, high = 2 * MOST_FRICTION;
    for (int k = 0; k < 60; k++) {
        const double mu = k ? 0.5 * (low + high) : MOST_FRICTION;
        pinion_support_report r;
        for (int i = 0; i < c->worst_count; i++) c->worst[i].friction = mu;
        memcpy(c->tau, c->worst_tau, (size_t)d->nv * sizeof *c->tau);
        if (pinion_support_forces(c->support, d->w, c->worst_q, c->worst_count, c->worst, c->tau, &r) != PINION_OK)
            return INFINITY;
        if (!r.inside && k == 0) return INFINITY;
        if (r.inside) high = mu;
        else low = mu;
    }
    return high;
}

void pn_cli_id_contacts_tell(id_run *d)
{
    const id_contacts *c = &d->contacts;
    char line[900], needed[60] = "";
    if (!c->support) return;
    if (c->bare) {
        snprintf(line, sizeof line, "nothing touches at %zu of %zu instants", c->bare, d->rows);
        if (isfinite(c->nearest))
            snprintf(line + strlen(line), sizeof line - strlen(line), "; the nearest is %.3g m away, at t = %.6g s",
                     c->nearest, c->nearest_at);
        pn_cli_report(d->command, "note: %s (--contact-gap)", line);
    }
    if (!c->outside) return;
    const double friction = least_friction(d);
    if (isfinite(friction)) snprintf(needed, sizeof needed, ", where a friction of %.4g would do", friction);
    else snprintf(needed, sizeof needed, ", where no friction would do");
    snprintf(line, sizeof line,
             "the motion needs forces outside of the friction cones at %zu of %zu instants: %s by %.4g N at "
             "t = %.6g s%s",
             c->outside, d->rows, c->margin_of, -c->margin, c->margin_at, needed);
    pn_cli_limits_add(&d->limits, line);
}

void pn_cli_id_contacts_text(const id_run *d)
{
    const id_contacts *c = &d->contacts;
    if (!c->support) return;
    fprintf(stderr, "  contacts: %d pair%s, at most %d point%s", c->touch.pairs, pn_cli_plural(c->touch.pairs),
            c->most, pn_cli_plural(c->most));
    if (isfinite(c->margin)) {
        fprintf(stderr, "; least margin of friction %.4g N (", c->margin);
        pn_cli_put(stderr, c->margin_of);
        fprintf(stderr, ", t = %.6g s)", c->margin_at);
    }
    if (isfinite(c->support_margin))
        fprintf(stderr, "; zero-moment point %.3g m %s the polygon of support (t = %.6g s)", fabs(c->support_margin),
                c->support_margin < 0 ? "outside of" : "inside", c->support_at);
    fprintf(stderr, "\n");
}

void pn_cli_id_contacts_json(cli_json *j, const id_run *d)
{
    const id_contacts *c = &d->contacts;
    pn_cli_json_open(j, '{', 0);
    pn_cli_put_integer(j, "pairs", c->touch.pairs);
    pn_cli_put_integer(j, "points", c->most);
    pn_cli_put_number(j, "outside", (double)c->outside);
    pn_cli_put_number(j, "bare", (double)c->bare);
    if (isfinite(c->margin)) {
        pn_cli_put_number(j, "margin", c->margin);
        pn_cli_put_string(j, "margin_pair", c->margin_of);
        pn_cli_put_number(j, "margin_t", c->margin_at);
    }
    if (isfinite(c->support_margin)) {
        pn_cli_put_number(j, "support", c->support_margin);
        pn_cli_put_number(j, "support_t", c->support_at);
    }
    pn_cli_json_close(j);
}
