// Reading a robot, checking results, measuring time: see peer.h.
#include "peer.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { CALL_STATES = 256, MAX_GROUPS = 4096, BATCH_BYTES = 1 << 19, BATCH_LEAST = 64 };

static const char *const work_name[PEER_WORKS] = {
    "inverse_dynamics",   "mass_matrix", "forward_dynamics", "kinematics", "d_inverse_dynamics",
    "d_forward_dynamics", "regressor",   "d_constrained_dynamics", "jacobian"};
static const char *const type_name[] = {"free", "revolute", "continuous", "prismatic"};

static void die(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vfprintf(stderr, format, list);
    va_end(list);
    fputc('\n', stderr);
    exit(1);
}

static void *allocate(size_t count, size_t size)
{
    void *p = calloc(count ? count : 1, size);
    if (!p) die("out of memory");
    return p;
}

size_t peer_size(const peer_robot *r, enum peer_work work)
{
    size_t nv = (size_t)r->nv;
    switch (work) {
    case PEER_MASS_MATRIX: return nv * nv;
    case PEER_KINEMATICS: return 12 * (size_t)r->bodies;
    case PEER_D_INVERSE_DYNAMICS:
    case PEER_D_FORWARD_DYNAMICS:
    case PEER_D_CONSTRAINED: return 3 * nv * nv;
    case PEER_REGRESSOR: return 10 * nv * (size_t)r->bodies;
    case PEER_JACOBIAN: return 6 * nv;
    default: return nv;
    }
}

int peer_holds_tool(const peer_robot *r)
{
    const size_t size = peer_size(r, PEER_D_CONSTRAINED);
    for (int s = 0; s < r->checked; s++) {
        int any = 0;
        for (size_t i = 0; i < size && !any; i++) any = r->result[PEER_D_CONSTRAINED][(size_t)s * size + i] != 0;
        if (!any) return 0;
    }
    return 1;
}

int peer_batch(const peer_robot *r, enum peer_work work, size_t scalar, int threads)
{
    size_t numbers = (size_t)r->nq + peer_size(r, work);
    if (work != PEER_MASS_MATRIX && work != PEER_KINEMATICS && work != PEER_JACOBIAN) numbers += 2 * (size_t)r->nv;
    int count = r->states;
    while (count > BATCH_LEAST * threads &&
           numbers * scalar * (size_t)count > (size_t)BATCH_BYTES * (size_t)threads)
        count /= 2;
    return count;
}

// ---------------------------------------------------------------------------------------------
// Files

static void read_doubles(FILE *f, int n, double *out)
{
    for (int i = 0; i < n; i++)
        if (fscanf(f, "%lf", &out[i]) != 1) die("the robot's description: a number is missing");
}

static void read_body(FILE *f, int index, peer_body *b, int *nq, int *nv)
{
    char type[16];
    if (fscanf(f, " body %127s %d %15s %d", b->name, &b->parent, type, &b->axis) != 4 || b->parent >= index)
        die("the robot's description: body %d is not understood", index);
    int t = 0;
    while (t < 4 && strcmp(type, type_name[t]) != 0) t++;
    if (t == 4) die("the robot's description: unknown joint type %s", type);
    b->type = (enum peer_type)t;
    read_doubles(f, 9, b->rotation);
    read_doubles(f, 3, b->position);
    read_doubles(f, 1, &b->mass);
    read_doubles(f, 3, b->com);
    read_doubles(f, 6, b->inertia);
    b->q = *nq;
    b->v = *nv;
    *nq += t == PEER_FREE ? 7 : 1;
    *nv += t == PEER_FREE ? 6 : 1;
}

static double *read_block(FILE *f, size_t rows, size_t columns)
{
    double *p = allocate(rows * columns, sizeof *p);
    if (fread(p, sizeof *p * columns, rows, f) != rows) die("the file of states ends too early");
    return p;
}

static void read_states(peer_robot *r, const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f) die("cannot open %s", path);
    int size[4];
    if (fread(size, sizeof size, 1, f) != 1 || size[0] != r->nq || size[1] != r->nv)
        die("%s does not belong to the description", path);
    r->states = size[2];
    r->checked = size[3];
    r->q = read_block(f, (size_t)r->states, (size_t)r->nq);
    r->v = read_block(f, (size_t)r->states, (size_t)r->nv);
    r->a = read_block(f, (size_t)r->states, (size_t)r->nv);
    r->tau = read_block(f, (size_t)r->states, (size_t)r->nv);
    for (int w = 0; w < PEER_WORKS; w++)
        r->result[w] = read_block(f, (size_t)r->checked, peer_size(r, (enum peer_work)w));
    fclose(f);
}

peer_robot *peer_read(int argc, char **argv)
{
    if (argc != 3) die("usage: %s DESCRIPTION STATES; tools/bench-peers runs this program", argv[0]);
    peer_robot *r = allocate(1, sizeof *r);
    FILE *f = fopen(argv[1], "r");
    if (!f) die("cannot open %s", argv[1]);
    if (fscanf(f, " gravity %lf %lf %lf bodies %d", &r->gravity[0], &r->gravity[1], &r->gravity[2],
               &r->bodies) != 4 ||
        r->bodies < 1 || r->bodies > 100000)
        die("%s is not a description of a robot", argv[1]);
    r->body = allocate((size_t)r->bodies, sizeof *r->body);
    for (int i = 0; i < r->bodies; i++) read_body(f, i, &r->body[i], &r->nq, &r->nv);
    if (fscanf(f, " tool %d", &r->tool) != 1) die("%s: the tool frame is missing", argv[1]);
    read_doubles(f, 9, r->tool_rotation);
    read_doubles(f, 3, r->tool_position);
    fclose(f);
    read_states(r, argv[2]);
    return r;
}

// ---------------------------------------------------------------------------------------------
// Free bodies in other coordinates

void peer_rotation(const double e[4], double R[9])
{
    double w = e[0], x = e[1], y = e[2], z = e[3];
    double out[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
                     2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                     2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
    memcpy(R, out, sizeof out);
}

static int starts_free(const peer_robot *r)
{
    return r->body[0].type == PEER_FREE;
}

static void turn(const double R[9], const double x[3], double out[3])
{
    for (int i = 0; i < 3; i++) out[i] = R[3 * i] * x[0] + R[3 * i + 1] * x[1] + R[3 * i + 2] * x[2];
}

// The first six rows of the matrix that takes Pinion's v to [linear in the world; angular in the body].
static void world_first(const peer_robot *r, int state, double T[36])
{
    double R[9];
    peer_rotation(r->q + (size_t)state * (size_t)r->nq, R);
    memset(T, 0, 36 * sizeof *T);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) T[6 * i + 3 + j] = R[3 * i + j];
        T[6 * (3 + i) + i] = 1;
    }
}

void peer_to_world_first(const peer_robot *r, int state, double *v, double *a, double *tau)
{
    size_t nv = (size_t)r->nv, row = (size_t)state * nv;
    const double *w = r->v + row;
    memcpy(v, w, nv * sizeof *v);
    memcpy(a, r->a + row, nv * sizeof *a);
    memcpy(tau, r->tau + row, nv * sizeof *tau);
    if (!starts_free(r)) return;

    // the derivative of R v is R (dv/dt + w x v)
    double R[9], linear[3];
    peer_rotation(r->q + (size_t)state * (size_t)r->nq, R);
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        linear[i] = r->a[row + 3 + (size_t)i] + w[j] * w[3 + k] - w[k] * w[3 + j];
    }
    turn(R, w + 3, v);
    turn(R, linear, a);
    turn(R, r->tau + row + 3, tau);
    memcpy(v + 3, w, 3 * sizeof *v);
    memcpy(a + 3, r->a + row, 3 * sizeof *a);
    memcpy(tau + 3, r->tau + row, 3 * sizeof *tau);
}

// rows x nv, row-major: X := X T
static void times_map(const double T[36], int rows, size_t nv, double *X)
{
    for (int i = 0; i < rows; i++) {
        double x[6];
        memcpy(x, X + (size_t)i * nv, sizeof x);
        for (int j = 0; j < 6; j++) {
            double sum = 0;
            for (int k = 0; k < 6; k++) sum += x[k] * T[6 * k + j];
            X[(size_t)i * nv + (size_t)j] = sum;
        }
    }
}

// The linear acceleration in the world becomes the derivative of the linear velocity in the body.
static void acceleration_from_world(const peer_robot *r, int state, double *a)
{
    double R[9], Rt[9], linear[3], angular[3];
    peer_rotation(r->q + (size_t)state * (size_t)r->nq, R);
    for (int i = 0; i < 9; i++) Rt[i] = R[3 * (i % 3) + i / 3];
    const double *w = r->v + (size_t)state * (size_t)r->nv;
    turn(Rt, a, linear);
    memcpy(angular, a + 3, sizeof angular);
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        a[i] = angular[i];
        a[3 + i] = linear[i] - (w[j] * w[3 + k] - w[k] * w[3 + j]);
    }
}

// D := D + A B [x]x for rows of D, where A are the first three columns and [x]x y = x cross y is along the first three
static void add_turned(int rows, size_t nv, const double R[9], const double x[3], const double *A, double *D)
{
    for (int i = 0; i < rows; i++) {
        const double *a = A + (size_t)i * nv;
        double y[3], b[3];
        for (int j = 0; j < 3; j++) y[j] = R[j] * a[0] + R[3 + j] * a[1] + R[6 + j] * a[2]; // a R
        for (int j = 0; j < 3; j++) {
            int k = (j + 1) % 3, l = (j + 2) % 3;
            b[j] = y[k] * x[l] - y[l] * x[k]; // a row times [x]x
        }
        for (int j = 0; j < 3; j++) D[(size_t)i * nv + (size_t)j] += b[j];
    }
}

// Rows [linear in the world; angular] become [angular; linear in the body].
static void rows_from_world(const double R[9], size_t nv, double *D)
{
    for (size_t j = 0; j < nv; j++) {
        double x[6];
        for (size_t i = 0; i < 6; i++) x[i] = D[i * nv + j];
        for (size_t i = 0; i < 3; i++) {
            D[i * nv + j] = x[3 + i];
            D[(3 + i) * nv + j] = R[i] * x[0] + R[3 + i] * x[1] + R[6 + i] * x[2];
        }
    }
}

// the linear rows: D += [x]x along the columns from `column` on
static void add_cross(const double x[3], double sign, size_t column, size_t nv, double *D)
{
    for (size_t i = 0; i < 3; i++) {
        size_t j = (i + 1) % 3, k = (i + 2) % 3;
        D[(3 + i) * nv + column + k] += sign * x[j];
        D[(3 + i) * nv + column + j] -= sign * x[k];
    }
}

// With R' for the world's axes: v = [R v_l; w], tau = [R f; n] turn with the body, so that a move of q is one of all
// three; and the linear acceleration in the body is R' a_l - w x v_l.
static void accelerations_from_world(const peer_robot *r, int state, const double T[36], double *D)
{
    size_t nv = (size_t)r->nv, row = (size_t)state * nv;
    const double *w = r->v + row, *linear = w + 3, *force = r->tau + row + 3;
    const double *a = r->result[PEER_FORWARD_DYNAMICS] + row + 3;
    double R[9], *Dv = D + nv * nv, *Dt = Dv + nv * nv, x[3], minus[2][3];
    peer_rotation(r->q + (size_t)state * (size_t)r->nq, R);
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        x[i] = a[i] + w[j] * linear[k] - w[k] * linear[j];
        minus[0][i] = -linear[i];
        minus[1][i] = -force[i];
    }
    times_map(T, (int)nv, nv, D);
    add_turned((int)nv, nv, R, minus[0], Dv, D);
    add_turned((int)nv, nv, R, minus[1], Dt, D);
    times_map(T, (int)nv, nv, Dv);
    times_map(T, (int)nv, nv, Dt);
    for (int k = 0; k < 3; k++) rows_from_world(R, nv, D + (size_t)k * nv * nv);
    add_cross(x, 1, 0, nv, D);
    add_cross(linear, 1, 0, nv, Dv);
    add_cross(w, -1, 3, nv, Dv);
}

void peer_from_world_first(const peer_robot *r, int state, enum peer_work work, double *out)
{
    if (!starts_free(r) || work == PEER_KINEMATICS) return;
    size_t nv = (size_t)r->nv;
    double T[36];
    world_first(r, state, T);
    if (work == PEER_D_FORWARD_DYNAMICS) {
        accelerations_from_world(r, state, T, out);
        return;
    }
    if (work == PEER_FORWARD_DYNAMICS) {
        acceleration_from_world(r, state, out);
    } else if (work == PEER_MASS_MATRIX) {
        // M := T' M T, one side after the other: M is symmetric
        times_map(T, (int)nv, nv, out);
        for (size_t i = 0; i < nv; i++)
            for (size_t j = 0; j < i; j++) {
                double x = out[i * nv + j];
                out[i * nv + j] = out[j * nv + i];
                out[j * nv + i] = x;
            }
        times_map(T, (int)nv, nv, out);
    } else {
        times_map(T, work == PEER_JACOBIAN ? 6 : 1, nv, out); // tau' := tau' T, J := J T
    }
}

// ---------------------------------------------------------------------------------------------
// The conversation

void peer_absent(enum peer_work work, const char *why)
{
    printf("absent %s %.*s\n", work_name[work], (int)strcspn(why, "\n"), why);
}

void peer_fail(const char *why)
{
    die("%s", why);
}

static double now(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Turns a Jacobian from the tool's axes to the world's, by the reference's rotation of the body.
static void to_world(const peer_robot *r, int state, double *J)
{
    const double *body =
        r->result[PEER_KINEMATICS] + (size_t)state * peer_size(r, PEER_KINEMATICS) + 12 * r->tool + 3;
    for (int half = 0; half < 2; half++)
        for (int j = 0; j < r->nv; j++) {
            double x[3], y[3];
            for (int i = 0; i < 3; i++) x[i] = J[(3 * half + i) * r->nv + j];
            turn(r->tool_rotation, x, y);
            turn(body, y, x);
            for (int i = 0; i < 3; i++) J[(3 * half + i) * r->nv + j] = x[i];
        }
}

// The largest error over the checked states, relative to the largest number of each result.
static double check(const peer_robot *r, const peer_variant *variant, void *self)
{
    size_t size = peer_size(r, variant->work);
    double worst = 0, *out = allocate(size, sizeof *out);
    for (int state = 0; state < r->checked; state++) {
        const double *reference = r->result[variant->work] + (size_t)state * size;
        double scale = 0, error = 0;
        memset(out, 0xff, size * sizeof *out); // NaN: what is not written is noticed
        variant->run(self, variant, variant->batch ? 0 : state, variant->batch ? variant->batch : 1);
        variant->result(self, variant, state, out);
        if (variant->local) to_world(r, state, out);
        for (size_t i = 0; i < size; i++) {
            if (!isfinite(out[i]) || !isfinite(reference[i])) error = INFINITY;
            scale = fmax(scale, fabs(reference[i]));
            error = fmax(error, fabs(out[i] - reference[i]));
        }
        if (error > 0) worst = fmax(worst, error / scale);
    }
    free(out);
    return worst;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Nanoseconds a state: the median over groups of a millisecond or more. What runs on one thread is measured
// in the time that this thread had a core, so that other programs' turns do not count.
static double measure(const peer_robot *r, const peer_variant *variant, void *self, double seconds)
{
    static double group[MAX_GROUPS];
    clockid_t clock = variant->threads == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC;
    int limit = variant->batch ? variant->batch : r->states < CALL_STATES ? r->states : CALL_STATES;
    int chunk = variant->batch ? variant->batch : r->nv <= 60 ? 32 : 4;
    int groups = 0, first = 0;

    // the caches and the processor's clock get used to this work first
    double begin = now(CLOCK_MONOTONIC);
    do {
        variant->run(self, variant, first, chunk);
        first = (first + chunk) % limit;
    } while (now(CLOCK_MONOTONIC) - begin < 0.1 * seconds);

    // the clock of a thread is slow to read, so that the other one says when a group ends
    begin = now(CLOCK_MONOTONIC);
    double start = begin, end = begin, spent = now(clock);
    int states = 0;
    while (groups < MAX_GROUPS && (end - begin < seconds || groups == 0)) {
        variant->run(self, variant, first, chunk);
        first = (first + chunk) % limit;
        states += chunk;
        end = now(CLOCK_MONOTONIC);
        if (end - start >= 1e-3) {
            double total = now(clock);
            group[groups++] = 1e9 * (total - spent) / states;
            states = 0;
            start = end;
            spent = total;
        }
    }
    qsort(group, (size_t)groups, sizeof *group, by_size);
    return groups % 2 ? group[groups / 2] : 0.5 * (group[groups / 2 - 1] + group[groups / 2]);
}

int peer_serve(peer_robot *r, const char *library, const char *version, const peer_variant *variant,
               int variants, void *self)
{
    printf("library %s %s\n", library, version);
    for (int i = 0; i < variants; i++)
        printf("variant %d %s %s %s %d %d %s\n", i, work_name[variant[i].work], variant[i].mode,
               variant[i].scalar, variant[i].threads, variant[i].batch, variant[i].name);
    puts("ready");
    fflush(stdout);

    char line[256];
    while (fgets(line, sizeof line, stdin)) {
        int index;
        double seconds;
        if (sscanf(line, "check %d", &index) == 1 && index >= 0 && index < variants)
            printf("error %.3g\n", check(r, &variant[index], self));
        else if (sscanf(line, "time %d %lf", &index, &seconds) == 2 && index >= 0 && index < variants)
            printf("ns %.6g\n", measure(r, &variant[index], self, seconds));
        else
            printf("unknown request %s", line);
        fflush(stdout);
    }
    return 0;
}
