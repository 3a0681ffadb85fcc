/* pinion demo: one robot, one motion, the forces it takes, and a check. */
#include "cli/demo/demo.h"

#include "cli/args/find_model.h"
#include "cli/info/info.h"
#include "cli/args/load_option.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

/* ------------------------------------------------------------------------------------------------ */
/* The motion: q(t) = start (+) s(t) distance, s going from 0 to 1 as a cycloid */

/* Whether this is the arm of Saha 1999, whose motion does not start at zero. */
static int is_stanford(const pinion_model *m)
{
    static const char types[] = "RRPRRR";
    char name[64];
    size_t length = 0;
    for (const char *c = pinion_model_name(m); *c && length + 1 < sizeof name; c++)
        name[length++] = (char)tolower((unsigned char)*c);
    name[length] = '\0';
    if (!strstr(name, "stanford") || pinion_model_nv(m) != 6 || pinion_model_nq(m) != 6) return 0;

    for (int i = 0; i < pinion_model_joint_count(m); i++) {
        pinion_joint_info joint;
        if (pinion_model_joint(m, i, &joint) != PINION_OK) return 0;
        int turns = joint.type == PINION_JOINT_REVOLUTE || joint.type == PINION_JOINT_CONTINUOUS;
        if (joint.nv == 1 && turns != (types[joint.v_index] == 'R')) return 0;
    }
    return 1;
}

static int prepare(demo *d)
{
    size_t nq = (size_t)pinion_model_nq(d->m), nv = (size_t)pinion_model_nv(d->m);
    d->nv = (int)nv;
    d->paper = is_stanford(d->m);
    d->w = pinion_work_new(d->m);
    d->start = calloc(nq + 1, sizeof(double));
    d->distance = calloc(nv + 1, sizeof(double));
    d->dof = calloc(nv + 1, sizeof *d->dof);
    d->tau = calloc(nv * DEMO_SAMPLES + 1, sizeof(double));
    if (!d->w || !d->start || !d->distance || !d->dof || !d->tau) return 0;

    /* from zero to 60 degrees or 0.1 m, whatever the joints are */
    if (pinion_neutral(d->m, d->start) != PINION_OK) return 0;
    for (int i = 0; i < pinion_model_joint_count(d->m); i++) {
        pinion_joint_info joint;
        if (pinion_model_joint(d->m, i, &joint) != PINION_OK) return 0;
        for (int k = 0; k < joint.nv; k++) {
            demo_dof *dof = &d->dof[joint.v_index + k];
            dof->joint = joint.name;
            dof->type = joint.type;
            dof->part = joint.nv > 1 ? k : -1;
            dof->q = joint.nq == joint.nv ? joint.q_index + k : -1;
            dof->linear = pn_cli_dof_is_linear(joint.type, k);
            d->distance[joint.v_index + k] = dof->linear ? 0.1 : PI / 3;
        }
    }
    /* Saha 1999, section 6.2: theta_2 starts at 90 degrees and ends at 60 like the others */
    if (d->paper) {
        d->start[1] = PI / 2;
        d->distance[1] = PI / 3 - PI / 2;
    }
    return 1;
}

/* Position, velocity and acceleration at a time. */
static pinion_status motion(const demo *d, double t, double *q, double *v, double *a)
{
    double turn = 2 * PI * t / DEMO_DURATION;
    double s = (turn - sin(turn)) / (2 * PI);
    double speed = (1 - cos(turn)) / DEMO_DURATION;
    double acceleration = 2 * PI * sin(turn) / (DEMO_DURATION * DEMO_DURATION);
    for (int i = 0; i < d->nv; i++) {
        v[i] = d->distance[i] * speed;
        a[i] = d->distance[i] * acceleration;
    }
    return pinion_integrate(d->m, d->start, d->distance, s, q);
}

/* The forces along the motion, and the forces that the accelerations take which forward dynamics makes of them. The
 * forces are compared, not the accelerations: where the mass matrix is nearly singular, accelerations are not
 * determined by forces, and yet nothing is wrong. */
static pinion_status compute(demo *d)
{
    size_t nq = (size_t)pinion_model_nq(d->m), nv = (size_t)d->nv;
    double *memory = calloc(nq + 4 * nv + 1, sizeof *memory);
    if (!memory) return PINION_ERR_MEMORY;
    double *q = memory, *v = q + nq, *a = v + nv, *found = a + nv, *again = found + nv;

    double worst = 0;
    pinion_status status = PINION_OK;
    for (int k = 0; k < DEMO_SAMPLES && status == PINION_OK; k++) {
        double *tau = d->tau + (size_t)k * nv;
        status = motion(d, DEMO_DURATION * k / (DEMO_SAMPLES - 1), q, v, a);
        if (status == PINION_OK) status = pinion_inverse_dynamics(d->m, d->w, q, v, a, NULL, tau);
        if (status == PINION_OK) status = pinion_forward_dynamics(d->m, d->w, q, v, tau, NULL, found);
        if (status == PINION_OK) status = pinion_inverse_dynamics(d->m, d->w, q, v, found, NULL, again);
        for (size_t i = 0; i < nv && status == PINION_OK; i++) {
            double error = fabs(again[i] - tau[i]);
            if (!(error <= worst)) worst = isnan(error) ? INFINITY : error;
            if (fabs(tau[i]) > d->largest) d->largest = fabs(tau[i]);
        }
    }
    d->error = d->largest > 0 ? worst / d->largest : worst;
    d->passed = status == PINION_OK && d->error <= DEMO_TOLERANCE;
    free(memory);
    return status;
}

static void release(demo *d)
{
    free(d->start);
    free(d->distance);
    free(d->dof);
    free(d->tau);
    pinion_work_free(d->w);
    pinion_model_free(d->m);
}

/* ------------------------------------------------------------------------------------------------ */
/* The answer */

static void print_json(const demo *d)
{
    cli_json j = pn_cli_json(stdout);
    pn_cli_json_open(&j, '{', 0);
    pn_cli_json_key(&j, "model");
    pn_cli_model_json(&j, d->m);
    pn_cli_json_key(&j, "samples");
    pn_cli_json_open(&j, '[', 0);
    for (int k = 0; k < DEMO_SAMPLES; k++) {
        pn_cli_json_open(&j, '{', 1);
        pn_cli_json_key(&j, "t");
        pn_cli_json_number(&j, DEMO_DURATION * k / (DEMO_SAMPLES - 1));
        pn_cli_json_key(&j, "tau");
        pn_cli_json_numbers(&j, d->tau + (size_t)k * (size_t)d->nv, d->nv);
        pn_cli_json_close(&j);
    }
    pn_cli_json_close(&j);
    pn_cli_json_key(&j, "error");
    pn_cli_json_number(&j, d->error);
    pn_cli_json_key(&j, "tolerance");
    pn_cli_json_number(&j, DEMO_TOLERANCE);
    pn_cli_json_key(&j, "passed");
    pn_cli_json_boolean(&j, d->passed);
    pn_cli_json_end(&j);
}

/* Computes and prints everything about a loaded model. */
static int tour(const cli_args *args, demo *d, const char *path)
{
    const char *command = args->command->name;
    if (pinion_model_nv(d->m) == 0) {
        pn_cli_report(command, "%s: no joint of this model can move, so there is no motion to show", path);
        return CLI_FAILED;
    }
    if (pinion_model_row_count(d->m) > 0) {
        pn_cli_report(command,
                      "%s: this model has closed loops, and the tour moves each joint by itself; 'pinion info' and "
                      "'pinion sim' show it",
                      path);
        return CLI_FAILED;
    }
    pinion_status computed = prepare(d) ? compute(d) : PINION_ERR_MEMORY;
    if (computed != PINION_OK) {
        const char *why = computed == PINION_ERR_MEMORY ? "" : pinion_work_message(d->w);
        pn_cli_report(command, "%s: %s", path, *why ? why : pinion_status_text(computed));
        return CLI_FAILED;
    }
    if (args->value[OPT_JSON]) {
        print_json(d);
    } else if (!pn_cli_demo_text(d, args->program, path)) {
        pn_cli_report(command, "out of memory");
        return CLI_FAILED;
    }
    return pn_cli_finish(command, d->passed ? CLI_DONE : CLI_FAILED);
}

static int run_command(const cli_args *args)
{
    demo d;
    memset(&d, 0, sizeof d);
    const char *command = args->command->name;
    char *found = args->positional ? NULL : pn_cli_find_model(args->program, "stanford.json");
    const char *path = args->positional ? args->positional : found;
    if (!path) {
        pn_cli_report(command,
                      "the bundled model stanford.json is not found: set PINION_MODELS to the folder "
                      "it is in, or name a MODEL");
        return CLI_FAILED;
    }

    d.m = pn_cli_load(args, path);
    int status = d.m ? tour(args, &d, path) : CLI_FAILED;
    release(&d);
    free(found);
    return status;
}

/* ------------------------------------------------------------------------------------------------ */

static const cli_option *const options[] = {SHARED(JSON), LOAD_OPTIONS, SHARED(HELP), NULL};

const cli_command pn_cli_command_demo = {
    .name = "demo",
    .summary = "a tour: a robot, the forces a motion takes, and a check",
    .run = run_command,
    .takes = TAKES_OPTIONAL_MODEL,
    .usage = "[MODEL] [options]",
    .about = "Shows the main job on one robot, the Stanford arm unless a MODEL is given: its tree, the\n"
             "joint forces along a motion, and a check that forward dynamics undoes inverse dynamics.\n"
             "The exit status is 1 when the check fails.\n",
    .example = "pinion demo",
    .options = options,
};
