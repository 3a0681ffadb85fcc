/* What a run records of contact of the model: how many points have a force, residuals, and of pairs of collisions their
 * forces, gaps and places. Where many pairs may touch, a pair gets its columns when it does for the first time. */
#include "sim/run/run_parts.h"

#include "base/vec3.h"
#include "sim/result/result_table.h"
#include "sim/run/driver.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* of the whole problem */
static const pinion_column whole[] = {{"contact.count", ""},      {"contact.undetermined", ""},
                                      {"contact.residual", "m/s"}, {"contact.cone", "N s"},
                                      {"contact.dual", "m/s"},     {"contact.complementarity", "J"},
                                      {"contact.dissipation", "J"}};
enum { WHOLE = sizeof whole / sizeof whole[0], PAIR = PN_RUN_PAIR };

/* Whether pairs get their columns late: before the simulation is there nobody knows. */
static int comes_late(const pinion_run *r)
{
    return r->def.sim.contact && r->sim && pinion_scene_pair_count(r->sim->plant.shown) > PINION_RUN_PAIRS;
}

/* pairs that have columns from the start */
static int early_pairs(const pinion_run *r)
{
    if (!r->sim) return PINION_RUN_PAIRS;
    return comes_late(r) ? 0 : pinion_scene_pair_count(r->sim->plant.shown);
}

int pn_contacts_count(const pinion_run *r)
{
    return r->def.sim.contact ? WHOLE + PAIR * early_pairs(r) : 0;
}

int pn_contacts_all(const pinion_run *r)
{
    return r->columns + PAIR * r->late.count;
}

/* ---------------------------------------------------------------------------------------------
 * Names */

/* the name of a collision, or of its link where it has none */
static const char *shape_name(const pinion_run *r, int collision)
{
    pinion_collision_info info;
    pinion_link_info link;
    if (collision < 0) return "ground";
    if (pinion_model_collision(r->m, collision, &info) != PINION_OK) return "";
    if (*info.name) return info.name;
    return pinion_model_link(r->m, info.link, &link) == PINION_OK ? link.name : "";
}

/* "contact.A.B", with a number where that is there already */
static void name_pair(const pinion_run *r, const pinion_scene_pair *pair, char *base, size_t size)
{
    const char *a = shape_name(r, pair->first), *b = shape_name(r, pair->second);
    char name[720];
    snprintf(base, size, "contact.%.300s.%.300s", a, b);
    for (int k = 2;; k++) {
        snprintf(name, sizeof name, "%.700s.gap", base);
        if (pinion_result_find_column(r->table, name) < 0) return;
        snprintf(base, size, "contact.%.300s.%.300s (%d)", a, b, k);
    }
}

/* "contact.A.B.force.0", "contact.A.B.gap" and "contact.A.B.point.0" */
static pinion_status add_pair(pinion_run *r, int index, pinion_error *err)
{
    pinion_scene_pair pair;
    char base[700], name[720];
    pinion_status status = pinion_scene_pair_at(r->sim->plant.shown, index, &pair);
    if (status != PINION_OK) return status;
    name_pair(r, &pair, base, sizeof base);
    snprintf(name, sizeof name, "%.700s.gap", base);
    status = pn_run_add_numbered(r, base, "force", 3, "N", err);
    if (status == PINION_OK) status = pn_run_add_column(r, name, "m", err);
    return status == PINION_OK ? pn_run_add_numbered(r, base, "point", 3, "m", err) : status;
}

pinion_status pn_contacts_columns(pinion_run *r, pinion_error *err)
{
    pinion_status status = PINION_OK;
    if (!r->def.sim.contact) return status;
    for (int i = 0; i < WHOLE && status == PINION_OK; i++)
        status = pn_run_add_column(r, whole[i].name, whole[i].unit, err);
    for (int i = 0; i < early_pairs(r) && status == PINION_OK; i++) status = add_pair(r, i, err);
    return status;
}

/* ---------------------------------------------------------------------------------------------
 * Values */

/* Where the force of a pair acts: the mean of its points, each as heavy as its normal force; NaN without any. */
static void find_pressure(const pinion_scene *scene, int pair, double out[3])
{
    double sum = 0, at[3] = {0, 0, 0};
    pinion_scene_contact c;
    for (int i = 0; pinion_scene_contact_at(scene, i, &c) == PINION_OK; i++) {
        const double normal = pn_dot3(c.force, c.at.normal);
        if (c.pair != pair || !(normal > 0)) continue;
        for (int k = 0; k < 3; k++) at[k] += normal * 0.5 * (c.at.first[k] + c.at.second[k]);
        sum += normal;
    }
    for (int k = 0; k < 3; k++) out[k] = sum > 0 ? at[k] / sum : NAN;
}

static pinion_status fill_pair(const pinion_scene *scene, int index, double out[PAIR])
{
    pinion_scene_pair pair;
    const pinion_status status = pinion_scene_pair_at(scene, index, &pair);
    if (status != PINION_OK) return status;
    memcpy(out, pair.force, sizeof pair.force);
    out[3] = pair.gap;
    find_pressure(scene, index, out + 4);
    return PINION_OK;
}

static int has_force(const pinion_scene_contact *c)
{
    return c->force[0] != 0 || c->force[1] != 0 || c->force[2] != 0;
}

/* what the problem of a row came to */
static void fill_whole(pn_plant *p, const pinion_contact_solution *s, double out[WHOLE])
{
    const pinion_contact_residuals *r = &s->residuals;
    pinion_scene_contact c;
    double count = 0;
    for (int i = 0; pinion_scene_contact_at(p->shown, i, &c) == PINION_OK; i++) count += has_force(&c);
    const double values[WHOLE] = {count,   s->undetermined,    r->natural,    r->cone,
                                  r->dual, r->complementarity, r->dissipation};
    memcpy(out, values, sizeof values);
    p->totals.undetermined += s->undetermined > 0;
    p->totals.not_least += s->undetermined > 0 && !s->least_norm;
}

/* Those of a step from here, so that a row depends on its state alone. */
pinion_status pn_contacts_fill(pinion_run *r, double t, const double *q, const double *v, double *a, double *out)
{
    if (!r->def.sim.contact) return PINION_OK;
    pn_plant *p = &r->sim->plant;
    const double h = p->options.step;
    pinion_scene_report report;
    double *next = p->tau; /* scratch of evaluations */
    pinion_scene_set_time(p->shown, t);
    const double *braked = a;
    pinion_status status = pn_plant_brake(p, h, q, v, &braked);
    if (status == PINION_OK) status = pinion_scene_step(p->shown, p->w, h, q, v, braked, p->seen_q, next, &report);
    r->late.missing = status != PINION_OK;
    if (status != PINION_OK) { /* the step from here will fail, too, and say why: there are no such numbers */
        for (int i = 0; i < p->nv; i++) a[i] = NAN;
        for (int i = 0; i < pn_contacts_count(r); i++) out[i] = NAN;
        return PINION_OK;
    }
    for (int i = 0; i < p->nv; i++) a[i] = (next[i] - v[i]) / h;
    fill_whole(p, &report.solution, out);
    for (int i = 0; i < early_pairs(r) && status == PINION_OK; i++)
        status = fill_pair(p->shown, i, out + WHOLE + PAIR * i);
    return status;
}

/* ---------------------------------------------------------------------------------------------
 * Pairs that come late */

static int is_late(const pinion_run *r, int pair)
{
    for (int i = 0; i < r->late.count; i++)
        if (r->late.pair[i] == pair) return 1;
    return 0;
}

/* Columns of a pair, in which rows so far have no force, and the gap at their q. Nothing is left half added: a run
 * that fails here is broken. */
static pinion_status add_late(pinion_run *r, int index)
{
    static const char *const part[PAIR] = {"force.0", "force.1", "force.2", "gap", "point.0", "point.1", "point.2"};
    pn_plant *p = &r->sim->plant;
    const int nq = pinion_model_nq(r->m);
    pinion_scene_pair pair;
    char base[700], name[720];
    double *values[PAIR];
    pinion_status status = pinion_scene_pair_at(p->shown, index, &pair);
    if (status != PINION_OK) return status;
    name_pair(r, &pair, base, sizeof base);
    for (int k = 0; k < PAIR && status == PINION_OK; k++) {
        snprintf(name, sizeof name, "%.700s.%s", base, part[k]);
        status = pn_result_insert_column(r->table, name, k < 3 ? "N" : "m", &values[k]);
    }
    for (size_t i = 0; i < pinion_result_row_count(r->table) && status == PINION_OK; i++) {
        pinion_nearest n;
        for (int k = 0; k < nq; k++) p->seen_q[k] = pinion_result_values(r->table, 1 + k)[i];
        status = pinion_scene_distance(p->shown, p->w, p->seen_q, pair.first, pair.second, &n, NULL);
        for (int k = 0; k < PAIR; k++) values[k][i] = k < 3 ? 0 : k == 3 ? n.gap : NAN;
    }
    if (status == PINION_OK) r->late.pair[r->late.count++] = index;
    return status;
}

pinion_status pn_contacts_touch(pinion_run *r)
{
    if (!comes_late(r) || !r->def.result) return PINION_OK;
    pn_plant *p = &r->sim->plant;
    pinion_status status = PINION_OK;
    pinion_scene_contact c;
    for (int i = 0; r->late.missing && i < PAIR * r->late.count; i++) r->row[r->columns + i] = NAN;
    if (r->late.missing) return PINION_OK;
    for (int i = 0; pinion_scene_contact_at(p->shown, i, &c) == PINION_OK && status == PINION_OK; i++) {
        if (!has_force(&c) || is_late(r, c.pair)) continue;
        if (r->late.count < PINION_RUN_PAIRS) status = add_late(r, c.pair);
        else p->totals.unrecorded = 1;
    }
    for (int i = 0; i < r->late.count && status == PINION_OK; i++)
        status = fill_pair(p->shown, r->late.pair[i], r->row + r->columns + PAIR * i);
    return status;
}

pinion_status pn_contacts_again(pinion_run *r, int count, const double *pairs)
{
    if (count && (!comes_late(r) || !r->def.result || r->late.count || count > PINION_RUN_PAIRS))
        return PINION_ERR_ARGUMENT;
    const int most = count ? pinion_scene_pair_count(r->sim->plant.shown) : 0;
    pinion_status status = PINION_OK;
    for (int i = 0; i < count && status == PINION_OK; i++) {
        if (!(pairs[i] >= 0 && pairs[i] < most && pairs[i] == floor(pairs[i])) || is_late(r, (int)pairs[i]))
            return PINION_ERR_ARGUMENT;
        status = add_late(r, (int)pairs[i]);
    }
    return status;
}
