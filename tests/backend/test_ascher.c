/* Ascher, Pai & Cloutier 1997, as Featherstone & Orin cite them: articulated bodies solve forward dynamics
 * more exactly than composite bodies with a factorization of M. Tried on revolute chains of 3 to 20 links
 * whose masses grow or shrink outwards by up to a million in all, with every registered algorithm for forward
 * dynamics, and two kinds of forces: random ones, and those of a random motion, which make a smooth answer of
 * large forces. docs/correctness.md says what it shows.
 *
 * All twists are right angles, so that every constant rotation is exact in binary and all algorithms agree in
 * quad far beyond double: the error is that of the algorithm alone, whichever is taken for the truth. */
#include "truth.h"

enum { SHORTEST = 3, LONGEST = 20, STATES = 8, KINDS = 7, FORCES = 2 };

/* the masses of a chain: how many times the last link weighs the first one */
static const double ratios[KINDS] = {1, 1e2, 1e4, 1e6, 1e-2, 1e-4, 1e-6};
static const char *const forces[FORCES] = {"random forces", "forces of a random motion"};

/* An error above this many rounding units times the condition of M fails. The algorithms for many processors put
 * bodies together that weigh little beside what they carry, and lose as many digits more as the masses differ: each has
 * its own bound, times the ratio of masses. Bounds are about ten times the worst that was seen. */
static double allowed_units(const char *algorithm, double ratio)
{
    const double apart = ratio < 1 ? 1 / ratio : ratio;
    if (strncmp(algorithm, "constraint-force", 16) == 0) return 1500 * apart;
    if (strcmp(algorithm, "divide-and-conquer") == 0) return 5e3 * apart;
    return 50;
}

/* the pose of joint i in its parent link: a shift, and a quarter of a turn about x or none */
static pinion_pose link_pose(int i, uint64_t *seed)
{
    pinion_pose pose = pinion_pose_identity();
    const double quarters[3][2] = {{0, 1}, {0, -1}, {1, 0}};
    const double *turn = quarters[(int)(3 * check_uniform(seed))];
    const double R[9] = {1, 0, 0, 0, turn[0], -turn[1], 0, turn[1], turn[0]};
    memcpy(pose.rotation, R, sizeof R);
    if (i > 1) {
        pose.position[0] = check_between(seed, 0.2, 0.5);
        pose.position[2] = check_between(seed, -0.1, 0.1);
    }
    return pose;
}

/* A chain of rods of about half a metre; the lightest link weighs 1 kg, and the masses grow by equal factors.
 */
static pinion_model *chain_new(int n, double ratio, uint64_t *seed)
{
    pinion_error err = {0};
    pinion_builder *b = pinion_builder_new("chain");
    pinion_status status = PINION_OK;
    for (int i = 0; i <= n && status == PINION_OK; i++) {
        char name[16], parent[16];
        snprintf(name, sizeof name, "link%d", i);
        snprintf(parent, sizeof parent, "link%d", i - 1);
        pinion_link_def link = pinion_link_def_default();
        link.name = name;
        if (i > 0) {
            const double mass = pow(ratio, (double)(ratio < 1 ? i - n : i - 1) / (n - 1));
            const pinion_inertia inertia = {mass,
                                            {check_between(seed, 0.1, 0.25), check_between(seed, -0.02, 0.02),
                                             check_between(seed, -0.02, 0.02)},
                                            {mass * check_between(seed, 0.002, 0.004), 0, 0,
                                             mass * check_between(seed, 0.005, 0.02), 0,
                                             mass * check_between(seed, 0.005, 0.02)}};
            link.inertia = inertia;
        }
        status = pinion_builder_add_link(b, &link, &err);
        pinion_joint_def joint = pinion_joint_def_default();
        joint.name = name;
        joint.type = PINION_JOINT_CONTINUOUS;
        joint.parent = parent;
        joint.child = name;
        if (i > 0) joint.parent_pose = link_pose(i, seed);
        if (i > 0 && status == PINION_OK) status = pinion_builder_add_joint(b, &joint, &err);
    }
    pinion_model *m = status == PINION_OK ? pinion_builder_build(b, NULL, &err) : NULL;
    if (!m) CHECK_FAIL("chain of %d: %s", n, err.message);
    pinion_builder_free(b);
    return m;
}

/* what is noted of each state: the errors of the algorithms; how much the truth changes when every angle
 * moves to the next double, which no algorithm can be expected to beat by much; the condition of M */
enum { NEXT_ANGLES = PN_ALGORITHM_COUNT, CONDITION, NOTED };

/* what one kind of chain with one kind of forces showed */
typedef struct series {
    double *noted[NOTED];
    int count;
} series;

static int solves(int algorithm)
{
    return pn_algorithms[algorithm].problem == PN_PROBLEM_forward_dynamics;
}

static series series_new(void)
{
    const size_t room = STATES * (LONGEST - SHORTEST + 1);
    series s = {.count = 0};
    for (int a = 0; a < NOTED; a++) s.noted[a] = malloc(sizeof(double) * room);
    return s;
}

static void series_free(series *s)
{
    for (int a = 0; a < NOTED; a++) free(s->noted[a]);
}

/* how far off the truth of angles is that are the next doubles, up or down by turns */
static double sensitivity(const truth *t, const state *x, const quad *a)
{
    const int nv = t->m->n.nv;
    double q[LONGEST], moved[LONGEST];
    quad other[LONGEST];
    state y = *x;
    y.q = q;
    for (int i = 0; i < nv; i++) q[i] = nextafter(x->q[i], i % 2 ? -INFINITY : INFINITY);
    truth_quad(t, pinion_algorithm_find("aba"), &y, other);
    for (int i = 0; i < nv; i++) moved[i] = (double)other[i];
    return truth_error(moved, a, nv);
}

/* the largest error of each algorithm, of what is allowed */
static double shares[PN_ALGORITHM_COUNT];

/* every algorithm in one state, against quad; two quad runs that share nothing but the model must agree */
static void measure(const truth *t, const state *x, double ratio, series *s)
{
    const int nv = t->m->n.nv;
    const size_t size = (size_t)(2 * nv * (nv + 1));
    quad *a = malloc(sizeof(quad) * size), *other = a + nv, *M = other + nv, *inverse = M + nv * nv;
    double *out = malloc(sizeof *out * (size_t)nv);
    truth_quad(t, pinion_algorithm_find("aba"), x, a);
    truth_quad(t, pinion_algorithm_find("crba-cholesky"), x, other);
    truth_quad(t, pinion_algorithm_find("crba"), x, M);
    const double condition = truth_inverse(M, nv, inverse);
    for (int i = 0; i < nv; i++) out[i] = (double)a[i];
    CHECK(truth_error(out, other, nv) <= 0x1p-52);

    for (int k = 0; k < PN_ALGORITHM_COUNT; k++) {
        s->noted[k][s->count] = NAN;
        if (!solves(k) || pinion_algorithm_applies(k, t->m, NULL) != PINION_OK) continue;
        truth_double(t, k, x, out);
        const double error = truth_error(out, a, nv), allowed =
                         1e-14 + allowed_units(pn_algorithms[k].name, ratio) * 0x1p-53 * condition;
        if (shares[k] < error / allowed) shares[k] = error / allowed;
        s->noted[k][s->count] = error;
        check_count++;
        if (!(error <= allowed))
            CHECK_FAIL("%s, chain of %d: error %g, allowed %g (condition %g)", pn_algorithms[k].name, nv,
                       error, allowed, condition);
    }
    s->noted[CONDITION][s->count] = condition;
    s->noted[NEXT_ANGLES][s->count++] = sensitivity(t, x, a);
    free(a);
    free(out);
}

/* all lengths of one kind of chain, each in some states, with both kinds of forces */
static void measure_chains(double ratio, series s[FORCES])
{
    uint64_t seed = check_seed;
    const int rnea = pinion_algorithm_find("rnea");
    for (int n = SHORTEST; n <= LONGEST; n++) {
        for (int i = 0; i < STATES; i++) {
            pinion_model *m = chain_new(n, ratio, &seed);
            if (!m) continue;
            truth t = truth_new(m);
            state x = state_new(m, &seed);
            memset(x.f_ext, 0, sizeof(double) * (size_t)(6 * m->n.bodies));
            measure(&t, &x, ratio, &s[0]);
            truth_double(&t, rnea, &x, x.tau);
            measure(&t, &x, ratio, &s[1]);
            free(x.q);
            truth_free(&t);
            pinion_model_free(m);
        }
    }
}

/* in how many of the states an algorithm had the smaller error, in percent; before anything is sorted */
static double wins(const series *s, int algorithm, int against)
{
    int count = 0;
    for (int i = 0; i < s->count; i++) count += s->noted[algorithm][i] < s->noted[against][i];
    return 100.0 * count / s->count;
}

/* a row of a table: one number for each kind of chain, the median or the largest */
static void print_row(const char *name, series *s[KINDS], int which, int worst)
{
    printf("       %-18s", name);
    for (int k = 0; k < KINDS; k++) {
        double *x = s[k]->noted[which];
        const double median = median_of(x, s[k]->count);
        printf("%9.2g", worst ? x[s[k]->count - 1] : median);
    }
    printf("\n");
}

static void print_tables(const char *what, series *s[KINDS])
{
    const int aba = pinion_algorithm_find("aba"), crba = pinion_algorithm_find("crba-cholesky");
    double percent[KINDS];
    for (int k = 0; k < KINDS; k++) percent[k] = wins(s[k], aba, crba);
    for (int worst = 0; worst < 2; worst++) {
        printf("       %s: %s error; last mass over first\n       %-18s", what, worst ? "worst" : "median",
               "");
        for (int k = 0; k < KINDS; k++) printf("%9.2g", ratios[k]);
        printf("\n");
        print_row("cond(M)", s, CONDITION, worst);
        print_row("the next angles", s, NEXT_ANGLES, worst);
        for (int a = 0; a < PN_ALGORITHM_COUNT; a++)
            if (solves(a)) print_row(pn_algorithms[a].name, s, a, worst);
    }
    printf("       aba nearer the truth than crba-cholesky, in percent of the states:\n       %-18s", "");
    for (int k = 0; k < KINDS; k++) printf("%9.0f", percent[k]);
    printf("\n");
}

TEST(badly_scaled_chains)
{
    series s[KINDS][FORCES];
    for (int k = 0; k < KINDS; k++) {
        for (int f = 0; f < FORCES; f++) s[k][f] = series_new();
        measure_chains(ratios[k], s[k]);
    }
    for (int f = 0; f < FORCES; f++) {
        series *of[KINDS];
        for (int k = 0; k < KINDS; k++) of[k] = &s[k][f];
        print_tables(forces[f], of);
        for (int k = 0; k < KINDS; k++) series_free(of[k]);
    }
    printf("       worst error, of what is allowed:\n");
    for (int a = 0; a < PN_ALGORITHM_COUNT; a++)
        if (solves(a)) printf("       %-26s %8.2g\n", pn_algorithms[a].name, shares[a]);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(badly_scaled_chains);
    return CHECK_END();
}
