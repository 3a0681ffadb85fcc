// dynibo, a Rust crate, through the functions of dynibo/dynibo.rs. It reads its robots from URDF files, so one is
// written first, and has gravity of 9.80665 m/s^2 built in: the rest is added to torques that are checked, and taken
// from those of forward dynamics before the clock starts. This program has robots on fixed bases alone.
#include "peer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct dynibo dynibo;
dynibo *dynibo_open(const char *path, const char *tool);
int dynibo_joint(const dynibo *p, const char *name);
int dynibo_link(const dynibo *p, const char *name);
void dynibo_pose(const dynibo *p, int link, double out[12]);
int dynibo_call(dynibo *p, int work, const double *q, const double *v, const double *x, double *out);

enum { INVERSE, MASS, FORWARD, POSES, JACOBIAN, GRAVITY };

typedef struct theirs {
    const peer_robot *r;
    dynibo *robot;
    int *joint, *link; // of each body: its number there
    double *q, *v, *a, *tau, *out, *spare;
    double rest; // of gravity, by what it has
} theirs;

// ---- the robot ----

static void angles(const double R[9], double rpy[3])
{
    const double c = hypot(R[0], R[3]);
    rpy[0] = c > 1e-12 ? atan2(R[7], R[8]) : 0;
    rpy[1] = atan2(-R[6], c);
    rpy[2] = c > 1e-12 ? atan2(R[3], R[0]) : atan2(-R[1], R[4]);
}

static void write_joint(FILE *f, const char *name, const char *type, const char *parent, const char *child,
                        const double R[9], const double p[3], int axis)
{
    double rpy[3];
    angles(R, rpy);
    fprintf(f, "<joint name=\"%s\" type=\"%s\"><parent link=\"%s\"/><child link=\"%s\"/>", name, type, parent, child);
    fprintf(f, "<origin xyz=\"%.17g %.17g %.17g\" rpy=\"%.17g %.17g %.17g\"/>", p[0], p[1], p[2], rpy[0], rpy[1],
            rpy[2]);
    if (axis >= 0)
        fprintf(f, "<axis xyz=\"%d %d %d\"/><limit lower=\"-1e9\" upper=\"1e9\" effort=\"1e9\" velocity=\"1e9\"/>",
                axis == 0, axis == 1, axis == 2);
    fputs("</joint>\n", f);
}

static void write_robot(FILE *f, const peer_robot *r)
{
    char joint[16], parent[16], child[16];
    fputs("<robot name=\"peer\"><link name=\"base\"/>\n", f);
    for (int i = 0; i < r->bodies; i++) {
        const peer_body *b = &r->body[i];
        const double *s = b->inertia;
        fprintf(f, "<link name=\"l%d\"><inertial><origin xyz=\"%.17g %.17g %.17g\"/><mass value=\"%.17g\"/>", i,
                b->com[0], b->com[1], b->com[2], b->mass);
        fprintf(f, "<inertia ixx=\"%.17g\" ixy=\"%.17g\" ixz=\"%.17g\"", s[0], s[1], s[2]);
        fprintf(f, " iyy=\"%.17g\" iyz=\"%.17g\" izz=\"%.17g\"/>", s[3], s[4], s[5]);
        fputs("</inertial></link>\n", f);
    }
    fputs("<link name=\"tool\"/>\n", f);
    for (int i = 0; i < r->bodies; i++) {
        const peer_body *b = &r->body[i];
        snprintf(joint, sizeof joint, "j%d", i);
        snprintf(child, sizeof child, "l%d", i);
        if (b->parent < 0) snprintf(parent, sizeof parent, "base");
        else snprintf(parent, sizeof parent, "l%d", b->parent);
        write_joint(f, joint, b->type == PEER_PRISMATIC ? "prismatic" : "continuous", parent, child, b->rotation,
                    b->position, b->axis);
    }
    snprintf(parent, sizeof parent, "l%d", r->tool);
    write_joint(f, "jt", "fixed", parent, "tool", r->tool_rotation, r->tool_position, -1);
    fputs("</robot>\n", f);
}

static void build(theirs *t)
{
    const peer_robot *r = t->r;
    char path[] = "/tmp/peer-XXXXXX", name[16];
    const int file = mkstemp(path);
    FILE *f = file >= 0 ? fdopen(file, "w") : NULL;
    if (!f) peer_fail("no temporary file");
    write_robot(f, r);
    fclose(f);
    t->robot = dynibo_open(path, "tool");
    unlink(path);
    if (!t->robot) peer_fail("it does not take the robot");
    t->joint = malloc((size_t)r->bodies * sizeof *t->joint);
    t->link = malloc((size_t)r->bodies * sizeof *t->link);
    if (!t->joint || !t->link) peer_fail("out of memory");
    for (int i = 0; i < r->bodies; i++) {
        snprintf(name, sizeof name, "j%d", i);
        t->joint[i] = dynibo_joint(t->robot, name);
        snprintf(name, sizeof name, "l%d", i);
        t->link[i] = dynibo_link(t->robot, name);
        if (t->joint[i] < 0 || t->link[i] < 0) peer_fail("it lost a joint");
    }
    if (r->gravity[0] != 0 || r->gravity[1] != 0) peer_fail("its gravity is along z");
    t->rest = -r->gravity[2] / 9.80665 - 1;
}

// ---- states ----

// numbers of our bodies in its order
static double *ordered(const theirs *t, const double *x)
{
    const size_t n = (size_t)t->r->nv;
    double *y = malloc((size_t)t->r->states * n * sizeof *y);
    if (!y) peer_fail("out of memory");
    for (size_t s = 0; s < (size_t)t->r->states; s++)
        for (size_t i = 0; i < n; i++) y[s * n + (size_t)t->joint[i]] = x[s * n + i];
    return y;
}

static void take_states(theirs *t)
{
    const size_t n = (size_t)t->r->nv;
    t->q = ordered(t, t->r->q);
    t->v = ordered(t, t->r->v);
    t->a = ordered(t, t->r->a);
    t->tau = ordered(t, t->r->tau);
    t->out = calloc(n * n + 6 * n, sizeof *t->out);
    t->spare = calloc(n, sizeof *t->spare);
    if (!t->out || !t->spare) peer_fail("out of memory");
    for (size_t s = 0; s < (size_t)t->r->states; s++) {
        if (dynibo_call(t->robot, GRAVITY, t->q + s * n, t->v, t->a, t->spare)) peer_fail("a call failed");
        for (size_t i = 0; i < n; i++) t->tau[s * n + i] -= t->rest * t->spare[i];
    }
}

// ---- calls ----

static int number_of(const peer_variant *variant)
{
    switch (variant->work) {
    case PEER_INVERSE_DYNAMICS: return INVERSE;
    case PEER_MASS_MATRIX: return MASS;
    case PEER_FORWARD_DYNAMICS: return FORWARD;
    case PEER_KINEMATICS: return POSES;
    default: return JACOBIAN;
    }
}

static void run(void *self, const peer_variant *variant, int first, int count)
{
    const theirs *t = self;
    const size_t n = (size_t)t->r->nv;
    const int work = number_of(variant);
    const double *x = work == FORWARD ? t->tau : t->a;
    int failed = 0;
    for (size_t s = (size_t)first; s < (size_t)(first + count); s++) {
        failed |= dynibo_call(t->robot, work, t->q + s * n, t->v + s * n, x + s * n, t->out);
        peer_escape(t->out);
    }
    if (failed) peer_fail("a call failed");
}

static void result(void *self, const peer_variant *variant, int state, double *out)
{
    const theirs *t = self;
    const int n = t->r->nv;
    if (variant->work == PEER_INVERSE_DYNAMICS)
        dynibo_call(t->robot, GRAVITY, t->q + (size_t)state * (size_t)n, t->v, t->a, t->spare);
    for (int i = 0; i < n; i++) {
        const int k = t->joint[i];
        switch (variant->work) {
        case PEER_INVERSE_DYNAMICS: out[i] = t->out[k] + t->rest * t->spare[k]; break;
        case PEER_MASS_MATRIX:
            for (int j = 0; j < n; j++) out[i * n + j] = t->out[t->joint[j] * n + k];
            break;
        case PEER_KINEMATICS: dynibo_pose(t->robot, t->link[i], out + 12 * i); break;
        case PEER_JACOBIAN:
            for (int row = 0; row < 6; row++) out[row * n + i] = t->out[6 * k + row];
            break;
        default: out[i] = t->out[k];
        }
    }
}

int main(int argc, char **argv)
{
    static theirs t;
    peer_robot *r = peer_read(argc, argv);
    t.r = r;
    if (r->body[0].type == PEER_FREE) peer_fail("this program has it on fixed bases alone");
    build(&t);
    take_states(&t);
    const peer_variant variants[] = {
        {PEER_INVERSE_DYNAMICS, "call", "f64", 1, "inverse_dynamics", run, result, 0, 0},
        {PEER_MASS_MATRIX, "call", "f64", 1, "mass_matrix", run, result, 0, 0},
        {PEER_FORWARD_DYNAMICS, "call", "f64", 1, "forward_dynamics", run, result, 0, 0},
        {PEER_KINEMATICS, "call", "f64", 1, "forward_kinematics_all", run, result, 0, 0},
        {PEER_JACOBIAN, "call", "f64", 1, "jacobian", run, result, 0, 0},
    };
    return peer_serve(r, "dynibo", "0.5.3", variants, 5, &t);
}
