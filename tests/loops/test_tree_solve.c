/* The kernel that applies M^-1 to vectors by articulated inertias, against the inverse of M by another
 * algorithm: every joint type with rotors and without, random trees, vectors that are zero off two paths to
 * the root, factors that are kept for a later call. */
#include "api/dispatch.h"
#include "random_loops.h"

/* ---- trees ---- */

enum { MOST_JOINTS = 24 };

typedef enum extra { PLAIN, ROTORS, MASSLESS_TIP } extra;

/* link i on link parent[i], 0 the base; joint types in the order given; rotors on every joint, or no mass in
 * the last link, where wanted */
static pinion_model *tree_of(int joints, const int *parent, const pinion_joint_type *type, extra with,
                             uint64_t *seed)
{
    pinion_error err;
    pinion_builder *b = pinion_builder_new("tree");
    add_random_link(b, "link0", seed);
    for (int i = 1; i <= joints; i++) {
        char name[3][16];
        snprintf(name[0], sizeof name[0], "joint%d", i);
        snprintf(name[1], sizeof name[1], "link%d", parent[i]);
        snprintf(name[2], sizeof name[2], "link%d", i);
        pinion_link_def nothing = pinion_link_def_default();
        nothing.name = name[2];
        if (with == MASSLESS_TIP && i == joints)
            CHECK_STATUS(pinion_builder_add_link(b, &nothing, &err), PINION_OK);
        else
            add_random_link(b, name[2], seed);
        pinion_joint_def joint = random_joint(name[0], type[i], name[1], name[2], seed);
        for (int d = 0; with == ROTORS && d < pinion_joint_type_nv(type[i]); d++) {
            joint.dof[d].rotor_inertia = check_between(seed, 1e-4, 1e-2);
            joint.dof[d].gear_ratio = check_between(seed, 1, 10);
        }
        CHECK_STATUS(pinion_builder_add_joint(b, &joint, &err), PINION_OK);
    }
    pinion_model *m = pinion_builder_build(b, NULL, &err);
    if (!m) CHECK_FAIL("%s", err.message);
    pinion_builder_free(b);
    return m;
}

/* every type and parent by chance; a serial chain where wanted */
static pinion_model *random_tree(int joints, int serial, extra with, uint64_t *seed)
{
    int parent[MOST_JOINTS + 1];
    pinion_joint_type type[MOST_JOINTS + 1];
    for (int i = 1; i <= joints; i++) {
        parent[i] = serial ? i - 1 : (int)(check_uniform(seed) * i);
        type[i] = (pinion_joint_type)(int)(check_uniform(seed) * PINION_JOINT_TYPE_COUNT);
    }
    type[joints] = PINION_JOINT_REVOLUTE; /* one at least moves */
    return tree_of(joints, parent, type, with, seed);
}

/* ---- one model at one configuration ---- */

typedef struct subject {
    pinion_model *m;
    pinion_work *w;
    void *room;
    int n;
    double *q, *inverse, *M, *b, *z, *x;
} subject;

static double *numbers(int count)
{
    return calloc((size_t)count + 1, sizeof(double));
}

static void solve(subject *s, const pn_io *io)
{
    const pn_ctx k = pn_context(s->m, sizeof(double), s->room);
    pn_backend_f64.kernel[PN_K_tree_solve](&k, io);
}

static subject subject_new(pinion_model *m, uint64_t *seed)
{
    subject s = {.m = m, .n = m->n.nv, .w = pinion_work_new(m)};
    s.room = numbers((int)pn_work_reals(&m->n));
    s.q = numbers(m->n.nq);
    s.inverse = numbers(s.n * s.n);
    s.M = numbers(s.n * s.n);
    s.b = numbers(s.n * s.n);
    s.z = numbers(s.n * s.n);
    s.x = numbers(s.n * s.n);
    CHECK_STATUS(pinion_random(m, (uint64_t)(check_uniform(seed) * 1e15), s.q), PINION_OK);
    CHECK_STATUS(pinion_mass_matrix(m, s.w, s.q, s.M), PINION_OK);
    CHECK_STATUS(pinion_mass_matrix_inverse_by(m, s.w, pinion_algorithm_find("ltl-inverse"), s.q, s.inverse),
                 PINION_OK);
    return s;
}

static void subject_free(subject *s)
{
    pinion_model_free(s->m);
    pinion_work_free(s->w);
    free(s->room), free(s->q), free(s->inverse), free(s->M), free(s->b), free(s->z), free(s->x);
}

static double largest(const double *x, int count)
{
    double size = 0;
    for (int i = 0; i < count; i++) size = fmax(size, fabs(x[i]));
    return size;
}

static double difference(const double *x, const double *y, int count)
{
    double worst = 0;
    for (int i = 0; i < count; i++)
        if (!(fabs(x[i] - y[i]) <= worst)) worst = fabs(x[i] - y[i]);
    return worst;
}

static double worst_inverse, worst_product;

/* how far the inverse goes, of its largest entry, where q is off by some rounding units */
static double inverse_moved(const subject *s)
{
    enum { SHAKES = 4 };
    uint64_t seed = check_seed;
    double *q = numbers(s->m->n.nq), *other = numbers(s->n * s->n), most = 0;
    for (int k = 0; k < SHAKES; k++) {
        for (int i = 0; i < s->m->n.nq; i++)
            q[i] = s->q[i] + 8 * 0x1p-53 * (1 + fabs(s->q[i])) * check_between(&seed, -1, 1);
        const int ltl = pinion_algorithm_find("ltl-inverse");
        CHECK_STATUS(pinion_mass_matrix_inverse_by(s->m, s->w, ltl, q, other), PINION_OK);
        most = fmax(most, difference(other, s->inverse, s->n * s->n) / largest(s->inverse, s->n * s->n));
    }
    free(q), free(other);
    return most;
}

/* all unit vectors at once: x is M^-1, and the products of their z are its entries */
static void check_inverse(subject *s, const char *name)
{
    double margin = -1, *products = numbers(s->n * s->n);
    for (int i = 0; i < s->n * s->n; i++) s->b[i] = i % (s->n + 1) == 0;
    const pn_io io = {.q = s->q, .tau = s->b, .out = {s->z, &margin, s->x}, .frame_count = s->n};
    solve(s, &io);
    for (int i = 0; i < s->n; i++)
        for (int k = 0; k < s->n; k++)
            for (int e = 0; e < s->n; e++) products[i * s->n + k] += s->z[i * s->n + e] * s->z[k * s->n + e];
    const double size = largest(s->inverse, s->n * s->n),
                 of_x = difference(s->x, s->inverse, s->n * s->n) / size,
                 of_z = difference(products, s->inverse, s->n * s->n) / size;
    worst_inverse = fmax(worst_inverse, of_x);
    worst_product = fmax(worst_product, of_z);
    check_count += 3;
    /* a badly conditioned M loses more: as a q off by rounding moves the inverse */
    const double allowed = of_x < 1e-12 && of_z < 1e-12 ? 1e-12 : fmax(1e-12, 12 * inverse_moved(s));
    if (!(of_x <= allowed)) CHECK_FAIL("%s: the inverse is off by %.3g, allowed %.3g", name, of_x, allowed);
    if (!(of_z <= allowed)) CHECK_FAIL("%s: the products of z are off by %.3g, allowed %.3g", name, of_z, allowed);
    if (!(margin > 0)) CHECK_FAIL("%s: margin %g", name, margin);

    /* z of a unit vector is zero off its body's path to the root */
    const pn_node *node = PN_AT_CONST(s->m, pn_node, s->m->nodes);
    for (int i = 1; i < s->m->n.nodes; i++)
        for (int d = 0; d < node[i].nv; d++) {
            double *z = s->z + (node[i].v + d) * s->n;
            for (int up = i; up > 0; up = node[up].parent)
                memset(z + node[up].v, 0, sizeof *z * (size_t)node[up].nv);
            CHECK(largest(z, s->n) == 0);
        }
    free(products);
}

TEST(every_joint_type)
{
    uint64_t seed = check_seed;
    for (int type = 0; type < PINION_JOINT_TYPE_COUNT; type++)
        for (extra with = PLAIN; with <= ROTORS; with++) {
            /* on the base, amid the tree, at its tip */
            const pinion_joint_type t = (pinion_joint_type)type;
            const pinion_joint_type types[] = {
                0, t, PINION_JOINT_REVOLUTE, t, PINION_JOINT_PRISMATIC, t, PINION_JOINT_REVOLUTE};
            const int parent[] = {0, 0, 1, 2, 3, 2, 3};
            char name[60];
            snprintf(name, sizeof name, "%s%s", pinion_joint_type_name(t),
                     with == ROTORS ? " with rotors" : "");
            subject s = subject_new(tree_of(6, parent, types, with, &seed), &seed);
            check_inverse(&s, name);
            subject_free(&s);
        }
}

TEST(random_trees)
{
    uint64_t seed = check_seed;
    for (int k = 0; k < 100; k++) {
        char name[40];
        snprintf(name, sizeof name, "tree %d", k);
        subject s =
            subject_new(random_tree(1 + k % MOST_JOINTS, k % 4 == 3, k % 2 ? ROTORS : PLAIN, &seed), &seed);
        check_inverse(&s, name);
        subject_free(&s);
    }
    printf("  worst of M^-1 %.1e, of F^-1 F'^-1 %.1e\n", worst_inverse, worst_product);
}

/* The passes one after the other, in place, with the inertias of an earlier call, of this kernel or of aba.
 */
TEST(factors_are_kept)
{
    uint64_t seed = check_seed;
    for (int k = 0; k < 40; k++) {
        subject s =
            subject_new(random_tree(1 + k % MOST_JOINTS, k % 4 == 3, k % 2 ? ROTORS : PLAIN, &seed), &seed);
        const int n = s.n, count = 3 < n ? 3 : n;
        double margin = -1, *y = numbers(count * n);
        for (int i = 0; i < count * n; i++) y[i] = s.b[i] = check_between(&seed, -1, 1);
        const pn_io whole = {.q = s.q, .tau = s.b, .out = {s.z, NULL, s.x}, .frame_count = count};
        solve(&s, &whole);

        memset(s.room, 0xff, sizeof(double) * pn_work_reals(&s.m->n));
        const pn_io factorize = {.q = s.q, .out = {NULL, &margin}};
        const pn_io inwards = {.tau = y, .out = {y}, .frame_count = count};
        const pn_io outwards = {.a = y, .out = {NULL, NULL, y}, .frame_count = count};
        solve(&s, &factorize);
        solve(&s, &inwards);
        CHECK(margin > 0);
        CHECK(difference(y, s.z, count * n) == 0);
        solve(&s, &outwards);
        CHECK(difference(y, s.x, count * n) == 0);

        /* the inertias of aba, whatever the velocities and forces */
        const pn_ctx ctx = pn_context(s.m, sizeof(double), s.room);
        const pn_io moving = {.q = s.q, .v = s.b, .tau = s.b, .out = {s.inverse}};
        memset(s.room, 0xff, sizeof(double) * pn_work_reals(&s.m->n));
        memcpy(y, s.b, sizeof *y * (size_t)(count * n));
        pn_backend_f64.kernel[PN_K_aba](&ctx, &moving);
        solve(&s, &inwards);
        CHECK(difference(y, s.z, count * n) == 0);

        /* and M x = b */
        for (int r = 0; r < count; r++)
            for (int i = 0; i < n; i++) {
                double sum = -s.b[r * n + i], size = 1;
                for (int e = 0; e < n; e++) {
                    sum += s.M[i * n + e] * s.x[r * n + e];
                    size += fabs(s.M[i * n + e] * s.x[r * n + e]);
                }
                CHECK(fabs(sum) < 1e-12 * size);
            }
        free(y);
        subject_free(&s);
    }
}

/* A vector that is zero but on the paths of two bodies: the same z, to the last bit, and zero off the paths.
 */
TEST(paths_to_the_root)
{
    uint64_t seed = check_seed;
    for (int k = 0; k < 200; k++) {
        subject s = subject_new(
            random_tree(2 + k % (MOST_JOINTS - 1), k % 4 == 3, k % 2 ? ROTORS : PLAIN, &seed), &seed);
        const pn_node *node = PN_AT_CONST(s.m, pn_node, s.m->nodes);
        const int n = s.n, N = s.m->n.nodes;
        int paths[2] = {(int)(check_uniform(&seed) * N), (int)(check_uniform(&seed) * (N + 1)) - 1};
        int *on = calloc((size_t)n + 1, sizeof *on);
        for (int e = 0; e < 2; e++)
            for (int i = paths[e]; i > 0; i = node[i].parent)
                for (int d = 0; d < node[i].nv; d++) on[node[i].v + d] = 1;
        for (int i = 0; i < n; i++) s.b[i] = on[i] ? check_between(&seed, -1, 1) : 0;

        pn_io io = {.q = s.q, .tau = s.b, .out = {s.z}, .frame_count = 1};
        solve(&s, &io);
        memset(s.room, 0xff, sizeof(double) * pn_work_reals(&s.m->n));
        io.paths = paths;
        io.out[0] = s.x;
        solve(&s, &io);
        CHECK(difference(s.x, s.z, n) == 0);
        for (int i = 0; i < n; i++) CHECK(on[i] || s.x[i] == 0);
        free(on);
        subject_free(&s);
    }
}

/* Where some motion moves no inertia the margin says so, and always as aba does. */
TEST(margin_is_that_of_aba)
{
    uint64_t seed = check_seed;
    for (int k = 0; k < 40; k++) {
        const extra with[] = {PLAIN, ROTORS, MASSLESS_TIP};
        pinion_model *m = random_tree(1 + k % MOST_JOINTS, k % 2, with[k % 3], &seed);
        double *q = numbers(m->n.nq), *a = numbers(m->n.nv), margin[2] = {2, 2};
        void *room = numbers((int)pn_work_reals(&m->n));
        CHECK_STATUS(pinion_random(m, (uint64_t)k, q), PINION_OK);
        const pn_ctx ctx = pn_context(m, sizeof(double), room);
        const pn_io by_aba = {.q = q, .out = {a, &margin[0]}}, here = {.q = q, .out = {NULL, &margin[1]}};
        pn_backend_f64.kernel[PN_K_aba](&ctx, &by_aba);
        pn_backend_f64.kernel[PN_K_tree_solve](&ctx, &here);
        CHECK(margin[0] == margin[1]);
        CHECK((margin[1] <= 0) == (with[k % 3] == MASSLESS_TIP));
        free(q), free(a), free(room);
        pinion_model_free(m);
    }
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(every_joint_type);
    RUN(random_trees);
    RUN(factors_are_kept);
    RUN(paths_to_the_root);
    RUN(margin_is_that_of_aba);
    return CHECK_END();
}
