/* pinion id: elastic joints. The motion is that of the links; motors go as it asks of them, and give the torques.
 *
 * Where a spring has a damper, d delta' = F - k delta with delta = theta / G - q is integrated from row to row, from
 * rest in the spring: exactly for the cubic that has F and F' at the ends of a step. */
#include "cli/id/id.h"

#include "cli/print/print_text.h"

#include <math.h>
#include <stdlib.h>

#define STEPS 16 /* between two rows */

int pn_cli_id_elastic_begin(id_run *d)
{
    if (!d->args->value[OPT_ELASTIC]) return CLI_DONE;
    const option_id others[] = {OPT_ID_FORCES, OPT_CONTACTS, OPT_ID_ALGORITHM};
    for (int i = 0; i < 3; i++)
        if (d->args->value[others[i]]) {
            pn_cli_report(d->command, "--elastic cannot go with --%s", pn_cli_option_name(d->args, others[i]));
            return CLI_USAGE;
        }
    d->springs = pinion_model_elastic_joint_count(d->m);
    if (d->springs == 0) {
        pn_cli_report(d->command, "--elastic: the model has no elastic joints");
        return CLI_FAILED;
    }
    const size_t nv = (size_t)d->nv, springs = (size_t)d->springs;
    d->elastic = pinion_elastic_joints_new(d->m);
    d->spring = calloc(springs, sizeof *d->spring);
    d->jerk = calloc(2 * nv + 1, sizeof *d->jerk);
    if (!d->elastic || !d->spring || !d->jerk) {
        pn_cli_report(d->command, "out of memory");
        return CLI_FAILED;
    }
    d->snap = d->jerk + nv;
    for (int i = 0; i < d->springs; i++) {
        pinion_joint_info joint, motor;
        id_spring *s = &d->spring[i];
        if (pinion_model_elastic_joint(d->m, i, &s->info) != PINION_OK ||
            pinion_model_joint(d->m, s->info.joint, &joint) != PINION_OK ||
            pinion_model_joint(d->m, s->info.motor, &motor) != PINION_OK)
            return CLI_FAILED;
        s->q = joint.q_index;
        s->v = joint.v_index;
        s->motor_q = motor.q_index;
        s->motor_v = motor.v_index;
    }
    return CLI_DONE;
}

void pn_cli_id_elastic_end(id_run *d)
{
    pinion_elastic_joints_free(d->elastic);
    free(d->spring);
    free(d->jerk);
}

/* The motion of the links at t, the motors of damped springs at their delta, and what all give. */
static pinion_status at(id_run *d, double t)
{
    pinion_status status = pinion_trajectory_at(d->motion, t, d->q, d->v, d->a);
    if (status == PINION_OK) status = pinion_trajectory_higher(d->motion, t, d->jerk, d->snap);
    for (int i = 0; i < d->springs; i++) {
        const id_spring *s = &d->spring[i];
        d->q[s->motor_q] = s->info.gear * (d->q[s->q] + s->delta);
    }
    if (status == PINION_OK)
        status = pinion_elastic_joints_inverse_dynamics(d->elastic, d->passive, d->q, d->v, d->a, d->jerk, d->snap,
                                                        d->tau);
    return status;
}

/* F of a damped spring and its derivative, from how its motor moves. */
static void force_of(const id_run *d, const id_spring *s, double F[2])
{
    const double k = s->info.stiffness, c = s->info.damping, G = s->info.gear;
    const double rate = d->v[s->motor_v] / G - d->v[s->v], bend = d->a[s->motor_v] / G - d->a[s->v];
    F[0] = c * rate + k * s->delta;
    F[1] = c * bend + k * rate;
}

/* The integral over x from 0 to 1 of exp(-z (1 - x)) x^m, m up to 3: by parts, and by its series where z is small. */
static void weights(double z, double w[4])
{
    for (int m = 0; m < 4; m++) {
        if (z > 3) {
            w[m] = m == 0 ? -expm1(-z) / z : (1 - m * w[m - 1]) / z;
            continue;
        }
        /* sum of (-z)^j m! / (m + j + 1)! */
        double term = 1.0 / (m + 1), sum = 0;
        for (int j = 1; j <= 40; j++) {
            sum += term;
            term *= -z / (m + j + 1);
        }
        w[m] = sum;
    }
}

/* delta goes on by h, with F and F' at both ends */
static void step(id_spring *s, double h, const double a[2], const double b[2])
{
    const double rise = b[0] - a[0];
    const double c[4] = {a[0], h * a[1], 3 * rise - h * (2 * a[1] + b[1]), h * (a[1] + b[1]) - 2 * rise};
    double w[4], sum = 0;
    const double z = h * s->info.stiffness / s->info.damping;
    weights(z, w);
    for (int m = 0; m < 4; m++) sum += c[m] * w[m];
    s->delta = exp(-z) * s->delta + h / s->info.damping * sum;
}

static int any_damped(const id_run *d)
{
    for (int i = 0; i < d->springs; i++)
        if (d->spring[i].info.damping > 0) return 1;
    return 0;
}

pinion_status pn_cli_id_elastic(id_run *d, double t)
{
    pinion_status status = at(d, t);
    if (status != PINION_OK || !any_damped(d)) return status;
    if (!d->springs_go) {
        /* the first row: the spring at rest */
        for (int i = 0; i < d->springs; i++) {
            id_spring *s = &d->spring[i];
            if (s->info.damping == 0) continue;
            force_of(d, s, s->F);
            s->delta = s->F[0] / s->info.stiffness;
        }
        d->springs_go = 1;
        d->springs_at = t;
        return at(d, t);
    }
    const double from = d->springs_at, h = (t - from) / STEPS;
    for (int n = 1; n <= STEPS; n++) {
        if ((status = at(d, n == STEPS ? t : from + n * h)) != PINION_OK) return status;
        for (int i = 0; i < d->springs; i++) {
            id_spring *s = &d->spring[i];
            if (s->info.damping == 0) continue;
            double F[2];
            force_of(d, s, F);
            step(s, h, s->F, F);
            s->F[0] = F[0];
            s->F[1] = F[1];
        }
    }
    d->springs_at = t;
    return at(d, t);
}
