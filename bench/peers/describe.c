// Writes what every program in this folder reads: the robot as a plain tree of moving bodies, random states,
// and Pinion's own results for the first of them, computed with the model as its file describes it.
//
//     describe MODEL fixed|free DESCRIPTION STATES
//
// Joints that mimic another are independent here, because not every library knows them.
#include <math.h>
#include <pinion/pinion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHECKED = 16 };

static void die(const char *what, const char *detail)
{
    fprintf(stderr, "%s%s%s\n", what, *detail ? ": " : "", detail);
    exit(1);
}

static void *allocate(size_t count, size_t size)
{
    void *p = calloc(count ? count : 1, size);
    if (!p) die("out of memory", "");
    return p;
}

// ---------------------------------------------------------------------------------------------
// Poses

static void turn(const double R[9], const double x[3], double out[3])
{
    for (int i = 0; i < 3; i++) out[i] = R[3 * i] * x[0] + R[3 * i + 1] * x[1] + R[3 * i + 2] * x[2];
}

static pinion_pose compose(const pinion_pose *a, const pinion_pose *b)
{
    pinion_pose c;
    turn(a->rotation, b->position, c.position);
    for (int i = 0; i < 3; i++) c.position[i] += a->position[i];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            double sum = 0;
            for (int k = 0; k < 3; k++) sum += a->rotation[3 * i + k] * b->rotation[3 * k + j];
            c.rotation[3 * i + j] = sum;
        }
    return c;
}

static pinion_pose inverse(const pinion_pose *a)
{
    pinion_pose c;
    for (int i = 0; i < 9; i++) c.rotation[i] = a->rotation[3 * (i % 3) + i / 3];
    turn(c.rotation, a->position, c.position);
    for (int i = 0; i < 3; i++) c.position[i] = -c.position[i];
    return c;
}

// A frame whose z is the axis.
static pinion_pose frame_along(const double axis[3])
{
    pinion_pose c = pinion_pose_identity();
    int least = fabs(axis[0]) < fabs(axis[1]) ? 0 : 1;
    if (fabs(axis[2]) < fabs(axis[least])) least = 2;
    double x[3], length = 0, z[3];
    for (int i = 0; i < 3; i++) length += axis[i] * axis[i];
    for (int i = 0; i < 3; i++) z[i] = axis[i] / sqrt(length);
    for (int i = 0; i < 3; i++) x[i] = (i == least) - z[least] * z[i];
    length = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        c.rotation[3 * i] = x[i] / length;
        c.rotation[3 * i + 1] = (z[j] * x[k] - z[k] * x[j]) / length;
        c.rotation[3 * i + 2] = z[i];
    }
    return c;
}

// ---------------------------------------------------------------------------------------------
// The robot

typedef struct body {
    pinion_joint_info joint;
    int parent, axis, depth;
    pinion_pose offset;   // its frame in the frame of the link that the joint carries
    pinion_pose neutral;  // its frame in the world at the zero configuration
    pinion_inertia total; // of all its links, in its frame
} body;

typedef struct robot {
    pinion_model *model;
    pinion_work *work;
    int bodies, frames, nq, nv;
    body *body;                  // without the base
    double *position, *rotation; // [frames]: scratch
    int tool_link, tool;
    pinion_pose tool_offset; // in the body's frame
} robot;

static pinion_pose pose_of(const robot *r, int frame)
{
    pinion_pose c;
    memcpy(c.position, r->position + 3 * (size_t)frame, sizeof c.position);
    memcpy(c.rotation, r->rotation + 9 * (size_t)frame, sizeof c.rotation);
    return c;
}

// Adds a link's inertia, about the common centre of mass.
static void add_inertia(pinion_inertia *total, const pinion_inertia *link, const pinion_pose *pose)
{
    double I[9], R[9], com[3], mass = total->mass + link->mass, part[2] = {total->mass, link->mass};
    const double *s = link->inertia, *E = pose->rotation;
    double S[9] = {s[0], s[1], s[2], s[1], s[3], s[4], s[2], s[4], s[5]};
    turn(E, link->com, com);
    for (int i = 0; i < 3; i++) com[i] += pose->position[i];
    for (int i = 0; i < 9; i++) {
        R[i] = 0;
        for (int k = 0; k < 3; k++) R[i] += E[3 * (i / 3) + k] * S[3 * k + i % 3];
    }
    for (int i = 0; i < 9; i++) {
        I[i] = 0;
        for (int k = 0; k < 3; k++) I[i] += R[3 * (i / 3) + k] * E[3 * (i % 3) + k];
    }

    double old[3], away[2][3];
    memcpy(old, total->com, sizeof old);
    for (int i = 0; i < 3; i++) total->com[i] = mass > 0 ? (part[0] * old[i] + part[1] * com[i]) / mass : 0;
    for (int i = 0; i < 3; i++) away[0][i] = old[i] - total->com[i], away[1][i] = com[i] - total->com[i];
    for (int i = 0, n = 0; i < 3; i++)
        for (int j = i; j < 3; j++, n++) {
            total->inertia[n] += I[3 * i + j];
            for (int p = 0; p < 2; p++) {
                const double *d = away[p];
                double square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
                total->inertia[n] += part[p] * ((i == j ? square : 0) - d[i] * d[j]);
            }
        }
    total->mass = mass;
}

static void read_body(robot *r, int index)
{
    body *b = &r->body[index];
    pinion_body_info info;
    if (pinion_model_body(r->model, index + 1, &info) || pinion_model_joint(r->model, info.joint, &b->joint))
        die("a body cannot be read", "");
    const pinion_joint_info *j = &b->joint;
    int type = j->type,
        known = type == PINION_JOINT_REVOLUTE || type == PINION_JOINT_CONTINUOUS || type == PINION_JOINT_PRISMATIC;
    if (!known && !(type == PINION_JOINT_FREE && index == 0)) die("not every library has this joint", j->name);
    for (int k = 0; k < j->dof_count; k++)
        if (j->dof[k].rotor_inertia != 0)
            die("not every library has rotors; take them out of the model", j->name);

    // an axis that is none of x, y, z becomes the z of a turned frame: libraries have faster joints for these
    b->parent = info.parent - 1;
    b->depth = b->parent < 0 ? 1 : r->body[b->parent].depth + 1;
    b->offset = j->child_pose;
    b->axis = 2;
    for (int k = 0; k < 3; k++)
        if (j->axis[k] == 1) b->axis = k;
    if (type != PINION_JOINT_FREE && j->axis[b->axis] != 1) {
        pinion_pose turned = frame_along(j->axis);
        b->offset = compose(&b->offset, &turned);
    }
    pinion_pose child = pose_of(r, j->child);
    b->neutral = compose(&child, &b->offset);
}

static void read_robot(robot *r, const char *path, int root_free)
{
    pinion_error err;
    pinion_load_options options = pinion_load_options_default();
    options.mimic = PINION_MIMIC_INDEPENDENT;
    options.root = root_free ? PINION_ROOT_FREE : PINION_ROOT_FIXED;
    r->model = pinion_load(path, &options, &err);
    if (!r->model) die(err.message, "");
    if (pinion_model_loop_count(r->model)) die("closed loops are not compared", path);
    r->work = pinion_work_new(r->model);
    r->bodies = pinion_model_body_count(r->model) - 1;
    r->frames = pinion_model_frame_count(r->model);
    r->nq = pinion_model_nq(r->model);
    r->nv = pinion_model_nv(r->model);
    r->body = allocate((size_t)r->bodies, sizeof *r->body);
    r->position = allocate((size_t)r->frames, 3 * sizeof(double));
    r->rotation = allocate((size_t)r->frames, 9 * sizeof(double));
    double *q = allocate((size_t)r->nq, sizeof *q);
    if (!r->work || pinion_neutral(r->model, q) ||
        pinion_frames(r->model, r->work, q, r->position, r->rotation))
        die("the zero configuration cannot be computed", path);
    free(q);

    // links that fixed joints hold together are one body; the tool is the last link of the deepest one
    for (int i = 0; i < r->bodies; i++) read_body(r, i);
    r->tool = -1;
    for (int i = 0; i < pinion_model_link_count(r->model); i++) {
        pinion_link_info link;
        if (pinion_model_link(r->model, i, &link)) die("a link cannot be read", path);
        if (link.body == 0) continue;
        body *b = &r->body[link.body - 1];
        pinion_pose world = pose_of(r, i), back = inverse(&b->neutral), pose = compose(&back, &world);
        add_inertia(&b->total, &link.inertia, &pose);
        if (r->tool < 0 || b->depth >= r->body[r->tool].depth) {
            r->tool = link.body - 1;
            r->tool_link = i;
            r->tool_offset = pose;
        }
    }
    if (r->tool < 0) die("nothing can move", path);
}

static void print_numbers(FILE *f, int n, const double *x)
{
    for (int i = 0; i < n; i++) fprintf(f, " %.17g", x[i]);
}

static void write_description(const robot *r, const char *path)
{
    FILE *f = fopen(path, "w");
    if (!f) die("cannot write", path);
    double gravity[3];
    pinion_model_gravity(r->model, gravity);
    fprintf(f, "gravity");
    print_numbers(f, 3, gravity);
    fprintf(f, "\nbodies %d\n", r->bodies);
    for (int i = 0; i < r->bodies; i++) {
        const body *b = &r->body[i];
        pinion_pose place = b->neutral;
        if (b->parent >= 0) {
            pinion_pose back = inverse(&r->body[b->parent].neutral);
            place = compose(&back, &b->neutral);
        }
        fprintf(f, "body b%d %d %s %d", i, b->parent, pinion_joint_type_name(b->joint.type), b->axis);
        print_numbers(f, 9, place.rotation);
        print_numbers(f, 3, place.position);
        print_numbers(f, 1, &b->total.mass);
        print_numbers(f, 3, b->total.com);
        print_numbers(f, 6, b->total.inertia);
        fprintf(f, "\n");
    }
    fprintf(f, "tool %d", r->tool);
    print_numbers(f, 9, r->tool_offset.rotation);
    print_numbers(f, 3, r->tool_offset.position);
    fprintf(f, "\n");
    if (ferror(f) | fclose(f)) die("cannot write", path);
}

// ---------------------------------------------------------------------------------------------
// States and results

// From -size to size, by Steele, Lea and Flood's SplitMix64 (2014): the same everywhere.
static double uniform(uint64_t *seed, double size)
{
    uint64_t z = (*seed += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    return size * (2 * (double)(z >> 11) / 9007199254740992.0 - 1);
}

static void write_block(FILE *f, size_t n, const double *x)
{
    if (fwrite(x, sizeof *x, n, f) != n) die("the states cannot be written", "");
}

// What one unit of parameter k of a body is in the frame of its link: m, m c, then xx, xy, xz, yy, yz, zz about the
// origin. With S = sum of m x x', the inertia is tr(S) - S, and a point x of the body is R x + p in the link.
static void parameters_of_unit(const pinion_pose *X, int k, double out[10])
{
    const double *R = X->rotation, *p = X->position;
    double m = k == 0, h[3] = {k == 1, k == 2, k == 3}, g[3], S[9], T[9], trace = 0;
    const double I[9] = {k == 4, k == 5, k == 6, k == 5, k == 7, k == 8, k == 6, k == 8, k == 9};
    for (int i = 0; i < 9; i++) S[i] = (i % 4 ? 0 : 0.5 * (I[0] + I[4] + I[8])) - I[i];
    turn(R, h, g);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            T[3 * i + j] = g[i] * p[j] + p[i] * g[j] + m * p[i] * p[j];
            for (int a = 0; a < 3; a++)
                for (int b = 0; b < 3; b++) T[3 * i + j] += R[3 * i + a] * S[3 * a + b] * R[3 * j + b];
        }
    trace = T[0] + T[4] + T[8];
    out[0] = m;
    for (int i = 0; i < 3; i++) out[1 + i] = g[i] + m * p[i];
    for (int i = 0, n = 4; i < 3; i++)
        for (int j = i; j < 3; j++) out[n++] = (i == j ? trace : 0) - T[3 * i + j];
}

// The regressor of parameters in the frames of the links, for those in the frames of the bodies.
static void regressor_of_bodies(const robot *r, const double *links, double *out)
{
    for (int b = 0; b < r->bodies; b++)
        for (int k = 0; k < 10; k++) {
            double unit[10];
            parameters_of_unit(&r->body[b].offset, k, unit);
            for (int i = 0; i < r->nv; i++) {
                size_t row = 10 * (size_t)(i * r->bodies + b);
                out[row + (size_t)k] = 0;
                for (size_t l = 0; l < 10; l++) out[row + (size_t)k] += links[row + l] * unit[l];
            }
        }
}

static void write_states(const robot *r, const char *path)
{
    size_t nq = (size_t)r->nq, nv = (size_t)r->nv;
    int states = r->nv <= 20 ? 4096 : r->nv <= 60 ? 1024 : 256;
    size_t count = (size_t)states;
    double *q = allocate(count, nq * sizeof *q), *v[3];
    uint64_t seed = 1;
    for (int k = 0; k < 3; k++) {
        v[k] = allocate(count, nv * sizeof(double));
        for (size_t i = 0; i < count * nv; i++) v[k][i] = uniform(&seed, k == 2 ? 10 : 1);
    }
    for (size_t s = 0; s < count; s++)
        if (pinion_random(r->model, s + 1, q + s * nq)) die("a random state cannot be made", "");

    FILE *f = fopen(path, "wb");
    if (!f) die("cannot write", path);
    int size[4] = {r->nq, r->nv, states, CHECKED};
    if (fwrite(size, sizeof size, 1, f) != 1) die("cannot write", path);
    write_block(f, count * nq, q);
    for (int k = 0; k < 3; k++) write_block(f, count * nv, v[k]);

    // the works in the order of peer.h, each for the checked states
    const pinion_model *m = r->model;
    double *out = allocate(nv, (3 * nv + 12 * (size_t)r->bodies) * sizeof *out), *second = out + nv * nv;
    double *third = second + nv * nv;
    double *links = allocate(nv, 10 * (size_t)r->bodies * sizeof *links);
    pinion_status bad = PINION_OK;
    for (int work = 0; work < 9; work++)
        for (size_t s = 0; s < CHECKED; s++) {
            const double *x = q + s * nq, *w = v[0] + s * nv;
            size_t n = nv;
            if (work == 0) bad |= pinion_inverse_dynamics(m, r->work, x, w, v[1] + s * nv, NULL, out);
            if (work == 1) bad |= pinion_mass_matrix(m, r->work, x, out), n = nv * nv;
            if (work == 2) bad |= pinion_forward_dynamics(m, r->work, x, w, v[2] + s * nv, NULL, out);
            if (work == 3)
                bad |= pinion_frames(m, r->work, x, r->position, r->rotation), n = 12 * (size_t)r->bodies;
            for (int i = 0; work == 3 && i < r->bodies; i++) {
                pinion_pose link = pose_of(r, r->body[i].joint.child),
                            pose = compose(&link, &r->body[i].offset);
                memcpy(out + 12 * i, pose.position, 3 * sizeof *out);
                memcpy(out + 12 * i + 3, pose.rotation, 9 * sizeof *out);
            }
            const double *a = v[1] + s * nv, *tau = v[2] + s * nv;
            if (work == 4)
                bad |= pinion_d_inverse_dynamics(m, r->work, x, w, a, NULL, out, second, third), n = 3 * nv * nv;
            if (work == 5)
                bad |= pinion_d_forward_dynamics(m, r->work, x, w, tau, NULL, out, second, third), n = 3 * nv * nv;
            if (work == 6) {
                bad |= pinion_regressor(m, r->work, x, w, a, links), n = 10 * nv * (size_t)r->bodies;
                regressor_of_bodies(r, links, out);
            }
            if (work == 7) {
                static const double along[18] = {[3] = 1, [10] = 1, [17] = 1}, none[3] = {0};
                const pinion_constrained_derivatives d = {out, second, third, NULL, NULL, NULL};
                n = 3 * nv * nv;
                const pinion_status held = pinion_d_constrained_forward_dynamics(
                    m, r->work, x, w, tau, NULL, r->tool_link, PINION_ACCELERATION_CLASSICAL, 3, along, none, &d);
                if (held == PINION_ERR_SINGULAR)
                    memset(out, 0, n * sizeof *out); /* too few joints for that */
                else
                    bad |= held;
            }
            if (work == 8)
                bad |= pinion_jacobian(m, r->work, x, r->tool_link, PINION_REFERENCE_WORLD_ALIGNED, out), n = 6 * nv;
            write_block(f, n, out);
        }
    if (bad) die("the reference results cannot be computed", pinion_work_message(r->work));
    if (ferror(f) | fclose(f)) die("cannot write", path);
    free(out), free(links), free(q);
    for (int k = 0; k < 3; k++) free(v[k]);
}

int main(int argc, char **argv)
{
    if (argc != 5 || (strcmp(argv[2], "fixed") != 0 && strcmp(argv[2], "free") != 0))
        die("usage: describe MODEL fixed|free DESCRIPTION STATES; tools/bench-peers runs this program", "");
    robot r = {0};
    read_robot(&r, argv[1], strcmp(argv[2], "free") == 0);
    write_description(&r, argv[3]);
    write_states(&r, argv[4]);
    printf("%d\n", r.nv);
    pinion_work_free(r.work);
    pinion_model_free(r.model);
    free(r.body), free(r.position), free(r.rotation);
    return 0;
}
