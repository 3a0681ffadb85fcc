/* What `pinion id` answers. */
#define _DEFAULT_SOURCE
#include "command.h"
#include "fixtures.h"
#include "pinion/pinion.h"

static const char *const files[] = {"pendulum.urdf", "sliders.json", "loop.json", "tree.json",
                                    "motion.csv",    "out.csv",      "out.jsonl", "out.h5",
                                    "bad.csv",       "hostile.json", NULL};

/* ------------------------------------------------------------------------------------------------ */
/* Answers */

typedef struct outcome {
    json_t *json;
    size_t rows;
} outcome;

static outcome ask(const char *const *arguments, int count)
{
    answer a = run_list(NULL, arguments, count);
    outcome o = {NULL, 0};
    CHECK_STATUS(a.status, 0);
    if (a.status != 0 && a.err) printf("  stderr: %s", a.err);
    o.json = a.out ? json_loads(a.out, JSON_REJECT_DUPLICATES, NULL) : NULL;
    CHECK(o.json != NULL);
    o.rows = json_array_size(DIG(o.json, "rows"));
    forget(&a);
    return o;
}
#define ASK(...)                                                                                             \
    ask((const char *const[]){__VA_ARGS__}, (int)(sizeof(const char *const[]){__VA_ARGS__} / sizeof(char *)))

/* A number of the answer by its column's name; NaN when there is none. */
static double cell(const outcome *o, size_t row, const char *name)
{
    json_t *columns = DIG(o->json, "columns");
    for (size_t i = 0; i < json_array_size(columns); i++)
        if (strcmp(json_string_value(json_object_get(json_array_get(columns, i), "name")), name) == 0)
            return json_number_value(json_array_get(json_array_get(DIG(o->json, "rows"), row), i));
    return NAN;
}

static double cellf(const outcome *o, size_t row, const char *format, ...)
{
    char name[300];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(name, sizeof name, format, arguments);
    va_end(arguments);
    return cell(o, row, name);
}

/* The whole of a state; returns whether it is there. */
static void state_of(const outcome *o, size_t row, const pinion_model *m, double *q, double *v, double *a,
                     double *tau)
{
    int at = 1;
    json_t *numbers = json_array_get(DIG(o->json, "rows"), row);
    double *const part[] = {q, v, a, tau};
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < (k == 0 ? pinion_model_nq(m) : pinion_model_nv(m)); i++)
            part[k][i] = json_number_value(json_array_get(numbers, (size_t)at++));
}

/* ------------------------------------------------------------------------------------------------ */
/* The Stanford arm by Newton's and Euler's equations in the world, from the numbers of Saha's Table 3 */

typedef struct vec {
    double x, y, z;
} vec;
static vec add(vec a, vec b)
{
    return (vec){a.x + b.x, a.y + b.y, a.z + b.z};
}
static vec sub(vec a, vec b)
{
    return (vec){a.x - b.x, a.y - b.y, a.z - b.z};
}
static vec times(double s, vec a)
{
    return (vec){s * a.x, s * a.y, s * a.z};
}
static double dot(vec a, vec b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
static vec crossed(vec a, vec b)
{
    return (vec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

typedef struct axes {
    vec x, y, z;
} axes;
/* a vector in the axes' coordinates to the world, and back */
static vec out_of(axes e, vec a)
{
    return add(add(times(a.x, e.x), times(a.y, e.y)), times(a.z, e.z));
}
static vec into(axes e, vec a)
{
    return (vec){dot(e.x, a), dot(e.y, a), dot(e.z, a)};
}

static const struct link {
    double b, alpha, mass;
    vec com, inertia; /* -r of the table; principal */
} links[6] = {{0.2, -M_PI / 2, 9, {0, 0.1, 0}, {0.01, 0.02, 0.01}},
              {0.1, -M_PI / 2, 6, {0, 0, 0}, {0.05, 0.06, 0.01}},
              {0, 0, 4, {0, 0, 0}, {0.4, 0.4, 0.01}},
              {0.6, M_PI / 2, 1, {0, 0.1, 0}, {0.001, 0.001, 0.0005}},
              {0, -M_PI / 2, 0.6, {0, 0, 0}, {0.0005, 0.0005, 0.0002}},
              {0, 0, 0.5, {0, 0, 0}, {0.003, 0.001, 0.002}}};

/* tau, and the wrench on each link in its frame, at the frame's origin: the far end of the link, in classic
 * DH. */
static void newton_euler(const double q[6], const double v[6], const double a[6], double tau[6],
                         vec moment[6], vec force[6])
{
    axes e[7] = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    vec o[7] = {{0, 0, 0}}, w[7] = {{0, 0, 0}}, dw[7] = {{0, 0, 0}},
        acc[7] = {{0, 0, 9.81}}; /* less gravity */
    for (int i = 0; i < 6; i++) {
        const int slides = i == 2;
        const double theta = slides ? 0 : q[i], b = slides ? q[i] : links[i].b, c = cos(links[i].alpha),
                     s = sin(links[i].alpha);
        const vec z = e[i].z;
        vec x = add(times(cos(theta), e[i].x), times(sin(theta), e[i].y)), y = crossed(z, x);
        e[i + 1] = (axes){x, add(times(c, y), times(s, z)), add(times(c, z), times(-s, y))};
        o[i + 1] = add(o[i], times(b, z));
        w[i + 1] = slides ? w[i] : add(w[i], times(v[i], z));
        dw[i + 1] = slides ? dw[i] : add(dw[i], add(times(a[i], z), times(v[i], crossed(w[i], z))));
        /* both ends of the link on its own rotation, and the slider's own motion on that before it */
        const vec arm = sub(o[i + 1], o[i]);
        acc[i + 1] = add(acc[i], add(crossed(dw[i + 1], arm), crossed(w[i + 1], crossed(w[i + 1], arm))));
        if (slides) acc[i + 1] = add(acc[i + 1], add(times(a[i], z), times(2 * v[i], crossed(w[i], z))));
    }
    vec f = {0, 0, 0}, n = {0, 0, 0}, at = o[6]; /* the wrench from the next link, about `at` */
    for (int i = 5; i >= 0; i--) {
        const axes g = e[i + 1];
        const vec c = out_of(g, links[i].com), wi = into(g, w[i + 1]), di = into(g, dw[i + 1]),
                  I = links[i].inertia;
        const vec ac = add(acc[i + 1], add(crossed(dw[i + 1], c), crossed(w[i + 1], crossed(w[i + 1], c))));
        const vec own = times(links[i].mass, ac);
        const vec Iw = {I.x * wi.x, I.y * wi.y, I.z * wi.z}, Id = {I.x * di.x, I.y * di.y, I.z * di.z};
        n = add(n, crossed(sub(at, o[i + 1]), f));
        n = add(n, add(out_of(g, add(Id, crossed(wi, Iw))), crossed(c, own)));
        f = add(f, own);
        at = o[i + 1];
        moment[i] = into(g, n);
        force[i] = into(g, f);
        tau[i] = i == 2 ? dot(f, e[i].z) : dot(add(n, crossed(sub(at, o[i]), f)), e[i].z);
    }
}

TEST(stanford_arm_by_an_independent_newton_euler)
{
    outcome o = ASK(
        "id", bundled("stanford.json"), "--from", "joint2=1.5707963267948966", "--to",
        "1.0471975511965976,1.0471975511965976,0.1,1.0471975511965976,1.0471975511965976,1.0471975511965976",
        "--duration", "10", "--json");
    CHECK(o.rows == 101);
    double worst = 0, largest = 0;
    for (size_t k = 0; k < o.rows; k++) {
        double q[6], v[6], a[6], tau[6], power = 0;
        vec n[6], f[6];
        const double t = cell(&o, k, "t"), x = 2 * M_PI * t / 10;
        CHECK_NEAR(t, 0.1 * (double)k, 1e-14);
        for (int i = 0; i < 6; i++) {
            q[i] = cellf(&o, k, "q.joint%d", i + 1);
            v[i] = cellf(&o, k, "v.joint%d", i + 1);
            a[i] = cellf(&o, k, "a.joint%d", i + 1);
            const double start = i == 1 ? M_PI / 2 : 0, way = (i == 2 ? 0.1 : M_PI / 3) - start;
            CHECK_NEAR(q[i], start + way * (x - sin(x)) / (2 * M_PI), 1e-14);
        }
        newton_euler(q, v, a, tau, n, f);
        for (int i = 0; i < 6; i++) {
            const double mine[7] = {tau[i], n[i].x, n[i].y, n[i].z, f[i].x, f[i].y, f[i].z};
            static const char *const part[] = {"", "nx", "ny", "nz", "fx", "fy", "fz"};
            for (int c = 0; c < 7; c++) {
                const double theirs = c ? cellf(&o, k, "reaction.joint%d.%s", i + 1, part[c])
                                        : cellf(&o, k, "tau.joint%d", i + 1);
                CHECK_NEAR(theirs, mine[c], 1e-10);
                worst = fmax(worst, fabs(theirs - mine[c]));
                largest = fmax(largest, fabs(mine[c]));
            }
            CHECK_NEAR(cellf(&o, k, "power.joint%d", i + 1), tau[i] * v[i], 1e-11);
            power += tau[i] * v[i];
        }
        CHECK_NEAR(cell(&o, k, "power"), power, 1e-11);
    }
    printf("    worst difference %.1e of numbers up to %.0f\n", worst, largest);
    json_decref(o.json);
}

/* ------------------------------------------------------------------------------------------------ */
/* Reactions on a tree with every joint */

/* A list of numbers for an option. */
static const char *list_of(const double *q, int n, char *text, size_t size)
{
    text[0] = '\0';
    for (int i = 0; i < n; i++) {
        size_t used = strlen(text);
        snprintf(text + used, size - used, "%s%.17g", i ? "," : "", q[i]);
    }
    return text;
}

/* G^2 J of a degree of freedom. */
static double rotor(const pinion_joint_info *joint, int dof)
{
    return joint->dof[dof].rotor_inertia * joint->dof[dof].gear_ratio * joint->dof[dof].gear_ratio;
}

/* The power of the wrench f, in the child's frame, on the child's motion relative to the parent, and that of
 * the rotors. */
static double joint_power(const pinion_model *m, pinion_work *w, const pinion_joint_info *joint,
                          const double f[6], const double *q, const double *v, const double *a)
{
    double child[6], parent[6] = {0}, R[9], p[3], n[3], F[3], power = 0;
    CHECK(pinion_frame_velocity(m, w, q, v, joint->child, PINION_REFERENCE_WORLD, child) == PINION_OK);
    if (joint->parent >= 0)
        CHECK(pinion_frame_velocity(m, w, q, v, joint->parent, PINION_REFERENCE_WORLD, parent) == PINION_OK);
    CHECK(pinion_frame_pose(m, w, q, joint->child, p, R) == PINION_OK);
    for (int i = 0; i < 3; i++) {
        n[i] = R[3 * i] * f[0] + R[3 * i + 1] * f[1] + R[3 * i + 2] * f[2];
        F[i] = R[3 * i] * f[3] + R[3 * i + 1] * f[4] + R[3 * i + 2] * f[5];
    }
    n[0] += p[1] * F[2] - p[2] * F[1];
    n[1] += p[2] * F[0] - p[0] * F[2];
    n[2] += p[0] * F[1] - p[1] * F[0];
    for (int i = 0; i < 3; i++)
        power += n[i] * (child[i] - parent[i]) + F[i] * (child[3 + i] - parent[3 + i]);

    /* a follower's rotors turn with its leader */
    pinion_joint_info leader = *joint;
    const double ratio = joint->leader >= 0 ? joint->multiplier : 1;
    if (joint->leader >= 0) CHECK(pinion_model_joint(m, joint->leader, &leader) == PINION_OK);
    for (int i = 0; i < joint->dof_count; i++)
        power += rotor(joint, i) * ratio * ratio * a[leader.v_index + i] * v[leader.v_index + i];
    return power;
}

/* One row: along the joint's own axes, which are columns of its child's Jacobian, the wrench and the rotor
 * make tau; all wrenches together do the work of all torques. */
static void check_row(const outcome *o, size_t row, const pinion_model *m, pinion_work *w, int follow,
                      double *J)
{
    static const char *const part[] = {"nx", "ny", "nz", "fx", "fy", "fz"};
    const int nv = pinion_model_nv(m);
    double q[200], v[200], a[200], tau[200], power = 0, total = 0;
    state_of(o, row, m, q, v, a, tau);
    for (int j = 0; j < pinion_model_joint_count(m); j++) {
        pinion_joint_info joint;
        double f[6];
        CHECK(pinion_model_joint(m, j, &joint) == PINION_OK);
        if (joint.nv == 0 && joint.leader < 0) continue;
        for (int i = 0; i < 6; i++) f[i] = cellf(o, row, "reaction.%s.%s", joint.name, part[i]);
        CHECK(pinion_jacobian(m, w, q, joint.child, PINION_REFERENCE_LOCAL, J) == PINION_OK);
        for (int i = 0; i < joint.nv && !follow; i++) {
            const int at = joint.v_index + i;
            double along = rotor(&joint, i) * a[at];
            for (int r = 0; r < 6; r++) along += J[r * nv + at] * f[r];
            CHECK_NEAR(along, tau[at], 1e-10 * (1 + fabs(tau[at])));
        }
        power += joint_power(m, w, &joint, f, q, v, a);
    }
    for (int i = 0; i < nv; i++) total += tau[i] * v[i];
    CHECK_NEAR(power, total, 1e-9 * (1 + fabs(total)));
    CHECK_NEAR(cell(o, row, "power"), total, 1e-12 * (1 + fabs(total)));
}

static void check_tree(int seed, const char *mimic)
{
    char number[20], from[4000], to[4000];
    double q[200];
    const int follow = strcmp(mimic, "follow") == 0;
    pinion_load_options options = pinion_load_options_default();
    options.mimic = follow ? PINION_MIMIC_FOLLOW : PINION_MIMIC_INDEPENDENT;
    snprintf(number, sizeof number, "%d", seed);
    answer g = run(NULL, "generate", "tree", "10", "--seed", number, "--root", seed % 2 ? "free" : "fixed",
                   "-o", place("tree.json"), (const char *)NULL);
    CHECK_STATUS(g.status, 0);
    forget(&g);
    pinion_model *m = pinion_load(place("tree.json"), &options, NULL);
    CHECK(m != NULL);
    if (!m) return;
    CHECK(pinion_random(m, 1, q) == PINION_OK);
    list_of(q, pinion_model_nq(m), from, sizeof from);
    CHECK(pinion_random(m, 2, q) == PINION_OK);
    list_of(q, pinion_model_nq(m), to, sizeof to);
    outcome o = ASK("id", place("tree.json"), "--mimic", mimic, "--from", from, "--to", to, "--output-step",
                    "0.1", "--json", "--profile", "trapezoidal");
    CHECK(o.rows == 11);
    pinion_work *w = pinion_work_new(m);
    double *J = calloc(6 * (size_t)pinion_model_nv(m), sizeof *J);
    for (size_t k = 0; k < o.rows; k++) check_row(&o, k, m, w, follow, J);
    free(J);
    json_decref(o.json);
    pinion_work_free(w);
    pinion_model_free(m);
}

TEST(reactions_do_the_work_of_the_torques)
{
    for (int seed = 1; seed <= 4; seed++) {
        check_tree(seed, "independent");
        check_tree(seed, "follow");
    }
}

/* ------------------------------------------------------------------------------------------------ */
/* Motions */

TEST(a_pendulum_in_closed_form)
{
    const char *pendulum = write_file("pendulum.urdf", PENDULUM);
    static const char *const how[] = {"off", "on"};
    for (int on = 0; on < 2; on++) {
        outcome o = ASK("id", pendulum, "--from", "hinge=0.1", "--to", "0.9", "--duration", "2",
                        "--output-step", "0.3", "--profile", "quintic", "--passive", how[on], "--json");
        CHECK(o.rows == 8); /* 0, 0.3, ..., 1.8, 2 */
        CHECK_NEAR(cell(&o, 7, "t"), 2, 0);
        for (size_t k = 0; k < o.rows; k++) {
            const double t = cell(&o, k, "t"), x = t / 2;
            const double q = 0.1 + 0.8 * x * x * x * (10 - 15 * x + 6 * x * x),
                         v = 0.4 * 30 * x * x * (1 - x) * (1 - x), a = 0.2 * 60 * x * (1 - x) * (1 - 2 * x);
            const double passive = on ? -0.3 * v - (v > 0 ? 0.4 : 0) : 0;
            CHECK_NEAR(cell(&o, k, "q.hinge"), q, 1e-14);
            CHECK_NEAR(cell(&o, k, "v.hinge"), v, 1e-14);
            CHECK_NEAR(cell(&o, k, "a.hinge"), a, 1e-14);
            CHECK_NEAR(cell(&o, k, "tau.hinge"), 0.7 * a + 9.81 * sin(q) - passive, 1e-13);
            /* what goes through the joint does not depend on who gives it: the centre of mass 0.5 m below the
             * hinge */
            CHECK_NEAR(cell(&o, k, "reaction.hinge.ny"), 0.7 * a + 9.81 * sin(q), 1e-13);
            CHECK_NEAR(cell(&o, k, "reaction.hinge.fz"), 2 * (0.5 * v * v + 9.81 * cos(q)), 1e-13);
            CHECK_NEAR(cell(&o, k, "reaction.hinge.fx"), 2 * (-0.5 * a - 9.81 * sin(q)), 1e-13);
        }
        CHECK_TEXT(DIG(o.json, "settings", "passive"), how[on]);
        CHECK_TEXT(DIG(o.json, "settings", "profile"), "quintic");
        CHECK_TEXT(DIG(o.json, "settings", "pinion_version"), PINION_VERSION);
        json_decref(o.json);
    }
    outcome o = ASK("id", pendulum, "--from", "0", "--to", "1", "--gravity", "0,0,0", "--json");
    CHECK_NEAR(cell(&o, 0, "tau.hinge"), 0, 0);
    CHECK_NEAR(cell(&o, 100, "t"), 1, 0);
    json_decref(o.json);
}

/* What id writes it reads, and another algorithm gives the same. */
TEST(files_go_round)
{
    const char *stanford = bundled("stanford.json");
    answer a = run(NULL, "id", stanford, "--from", "0,1,0.2,0,1,0", "--to", "1,0.5,0.3,1,0.5,1", "--motion",
                   "-o", place("motion.csv"), (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK(a.out && !*a.out);
    CHECK_HAS(a.err, "instants from 0 to 1 s\n  wrote ");
    CHECK(lines_of(a.err) == 2);
    forget(&a);
    outcome first = ASK("id", stanford, "--from", "0,1,0.2,0,1,0", "--to", "1,0.5,0.3,1,0.5,1", "--json");
    outcome again = ASK("id", stanford, "--trajectory", place("motion.csv"), "--json");
    outcome other =
        ASK("id", stanford, "--trajectory", place("motion.csv"), "--json", "--algorithm", "denoc");
    CHECK(first.rows == 101 && again.rows == 101 && other.rows == 101);
    for (size_t k = 0; k < first.rows; k++)
        for (int i = 1; i <= 6; i++) {
            CHECK_NEAR(cellf(&again, k, "tau.joint%d", i), cellf(&first, k, "tau.joint%d", i), 1e-9);
            CHECK_NEAR(cellf(&other, k, "tau.joint%d", i), cellf(&again, k, "tau.joint%d", i), 1e-10);
        }
    CHECK_HAS(json_string_value(DIG(again.json, "settings", "motion")), "101 samples of q, v and a");
    CHECK_TEXT(DIG(other.json, "settings", "algorithm"), "denoc");
    json_decref(first.json);
    json_decref(again.json);
    json_decref(other.json);

    /* positions alone: by a spline, and a word about it */
    a = run("0,0,1,0.2,0,1,0\n1,1,1,0.2,0,1,0\n2,1,1,0.2,0,1,1\n", "id", stanford, "--trajectory", "-",
            "--json", (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK_HAS(a.err, "3 samples of q; v and a by a cubic spline");
    CHECK(lines_of(a.err) == 1);
    forget(&a);

    a = run("t,q.joint1,q.joint2,q.joint3,q.joint4,q.joint5,q.joint6,"
            "v.joint1,v.joint2,v.joint3,v.joint4,v.joint5,v.joint6\n0,0,1,0.2,0,1,0,0,0,0,0,0,0\n"
            "1,0,1,0.2,0,1,0,0,0,0,0,0,0\n",
            "id", stanford, "--trajectory", "-", (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK_HAS(a.err, "2 samples of q and v; a by cubic pieces");
    forget(&a);

    /* other formats, and the summary */
    static const char *const name[] = {"out.csv", "out.jsonl", "out.h5"};
    for (int i = 0; i < 3; i++) {
        a = run(NULL, "id", stanford, "--from", "0,1,0.2,0,1,0", "--to", "1,0.5,0.3,1,0.5,1", "-o",
                place(name[i]), "--json", (const char *)NULL);
        json_t *r = parse_answer(&a, 0);
        CHECK_TEXT(DIG(r, "files", "output"), place(name[i]));
        CHECK(!DIG(r, "rows") && access(place(name[i]), R_OK) == 0);
        json_decref(r);
    }
}

/* The number of a row and column in CSV, both from 0; the header is row 0. */
static double csv_cell(const char *text, int row, int column)
{
    for (; row > 0 && text; row--) text = strchr(text, '\n') ? strchr(text, '\n') + 1 : NULL;
    for (; column > 0 && text; column--) text = strchr(text, ',') ? strchr(text, ',') + 1 : NULL;
    return text ? strtod(text, NULL) : NAN;
}

/* CSV is the time and the torques, and more if asked; other formats have everything. */
TEST(columns_of_csv)
{
#define TAU "tau.joint1,tau.joint2,tau.joint3"
#define WRENCH(j)                                                                                            \
    ",reaction." j ".nx,reaction." j ".ny,reaction." j ".nz,reaction." j ".fx,reaction." j ".fy,reaction." j \
    ".fz"
#define MOVES "q.joint1,q.joint2,q.joint3,v.joint1,v.joint2,v.joint3,a.joint1,a.joint2,a.joint3,"
    static const struct {
        const char *option[3], *head;
    } cases[] = {
        {{NULL, NULL, NULL}, "t," TAU "\n"},
        {{"--motion", NULL, NULL}, "t," MOVES TAU "\n"},
        {{"--power", NULL, NULL}, "t," TAU ",power,power.joint1,power.joint2,power.joint3\n"},
        {{"--reactions", NULL, NULL}, "t," TAU WRENCH("joint1") WRENCH("joint2") WRENCH("joint3") "\n"},
        {{"--reactions", "--power", "--motion"},
         "t," MOVES TAU ",power,power.joint1,power.joint2,power.joint3" WRENCH("joint1") WRENCH("joint2")
             WRENCH("joint3") "\n"},
    };
    const char *arm = bundled("planar-3r.json");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *list[20] = {"id", arm, "--from", "0,0,0", "--to", "1,0.5,0.5", "--output-step", "0.25"};
        int count = 8;
        for (int k = 0; k < 3; k++)
            if (cases[i].option[k]) list[count++] = cases[i].option[k];
        answer a = run_list(NULL, list, count);
        CHECK_STATUS(a.status, 0);
        CHECK(a.out && strncmp(a.out, cases[i].head, strlen(cases[i].head)) == 0);
        CHECK(a.out && lines_of(a.out) == 6 && !strchr(a.out, '#'));
        CHECK(a.err && !*a.err);

        /* the same in a file */
        list[count++] = "-o";
        list[count++] = place("out.csv");
        answer b = run_list(NULL, list, count);
        char *file = read_file(place("out.csv"));
        CHECK(b.status == 0 && file && a.out && strcmp(file, a.out) == 0);
        free(file);
        forget(&a);
        forget(&b);
    }
    outcome o = ASK("id", arm, "--from", "0,0,0", "--to", "1,0.5,0.5", "--output-step", "0.25", "--json");
    CHECK(json_array_size(DIG(o.json, "columns")) == 1 + 12 + 4 + 18);
    CHECK_TEXT(DIG(o.json, "settings", "model_file"), arm);
    json_decref(o.json);

    /* JSON lines keep everything, the model too */
    answer a = run(NULL, "id", arm, "--from", "0,0,0", "--to", "1,0.5,0.5", "-o", place("out.jsonl"),
                   (const char *)NULL);
    char *text = read_file(place("out.jsonl"));
    CHECK_STATUS(a.status, 0);
    CHECK_HAS(text, "reaction.joint3.fz");
    CHECK_HAS(text, "\"model_file\"");
    CHECK_HAS(text, "\"q.joint1\"");
    free(text);
    forget(&a);
}

/* A file's rows are the result's, at its times and with exactly its states; --output-step asks for others. */
TEST(rows_of_a_file)
{
    static const char *const file = "t [s],q.hinge,v.hinge,a.hinge,tau.hinge,energy.kinetic\n"
                                    "0.5,0.1,0.2,0.3,nan,0\n0.75,0.7,-1,2,9,0\n0.8,-3,4,-5e-3,9,0\n";
    static const double row[3][4] = {{0.5, 0.1, 0.2, 0.3}, {0.75, 0.7, -1, 2}, {0.8, -3, 4, -5e-3}};
    const char *p = write_file("pendulum.urdf", PENDULUM);
    answer a = run(file, "id", p, "--trajectory", "-", "--limits-check", "off", (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK(a.err && !*a.err && a.out && lines_of(a.out) == 4);
    CHECK(a.out && strncmp(a.out, "t,tau.hinge\n", 12) == 0);
    for (int k = 0; k < 3; k++) {
        CHECK_NEAR(csv_cell(a.out, k + 1, 0), row[k][0], 0);
        CHECK_NEAR(csv_cell(a.out, k + 1, 1), 0.7 * row[k][3] + 9.81 * sin(row[k][1]), 1e-14);
    }
    forget(&a);
    a = run(file, "id", p, "--trajectory", "-", "--output-step", "0.1", "-o", "-", (const char *)NULL);
    CHECK(a.status == 0 && a.out && lines_of(a.out) == 5);
    CHECK_NEAR(csv_cell(a.out, 1, 0), 0.5, 0);
    CHECK_NEAR(csv_cell(a.out, 4, 0), 0.8, 0);
    CHECK_NEAR(csv_cell(a.out, 4, 1), 0.7 * -5e-3 + 9.81 * sin(-3), 1e-14);
    forget(&a);
}

/* What sim writes id reads, and finds the torques that were at work: none. */
TEST(simulations_are_read)
{
    const char *p = write_file("pendulum.urdf", PENDULUM);
    answer a = run(NULL, "sim", p, "--q0", "hinge=1", "--duration", "1", "--output-step", "0.1", "--passive",
                   "off", "-o", place("motion.csv"), "--quiet", (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    forget(&a);
    a = run(NULL, "id", p, "--trajectory", place("motion.csv"), "--limits-check", "off", (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    CHECK(a.err && !*a.err && a.out && lines_of(a.out) == 12);
    for (int k = 1; k <= 11; k++) CHECK_NEAR(csv_cell(a.out, k, 1), 0, 1e-12);
    forget(&a);
}

TEST(straight_lines)
{
    const char *puma = bundled("puma560-akb.json");
    outcome o = ASK("id", puma, "--from", "0.1,-0.8,0.4,0.2,0.9,0.3", "--line", "link6:0.1,0.15,-0.2",
                    "--duration", "2", "--json");
    pinion_model *m = pinion_load(puma, NULL, NULL);
    pinion_work *w = pinion_work_new(m);
    const int frame = pinion_model_find_frame(m, "link6");
    double p0[3], R0[9], p[3], R[9], q[6], v[6], a[6], tau[6], again[6];
    CHECK(o.rows == 101 && frame >= 0);
    for (size_t k = 0; k < o.rows; k++) {
        const double x = (double)k / 100, s = x - sin(2 * M_PI * x) / (2 * M_PI), way[3] = {0.1, 0.15, -0.2};
        state_of(&o, k, m, q, v, a, tau);
        CHECK(pinion_frame_pose(m, w, q, frame, p, R) == PINION_OK);
        if (k == 0) memcpy(p0, p, sizeof p), memcpy(R0, R, sizeof R);
        for (int i = 0; i < 3; i++) CHECK_NEAR(p[i], p0[i] + s * way[i], 1e-10);
        for (int i = 0; i < 9; i++) CHECK_NEAR(R[i], R0[i], 1e-10);
        CHECK(pinion_inverse_dynamics(m, w, q, v, a, NULL, again) == PINION_OK);
        for (int i = 0; i < 6; i++) CHECK_NEAR(tau[i], again[i], 1e-12);
    }
    json_decref(o.json);
    pinion_work_free(w);
    pinion_model_free(m);
    REFUSED(1, "at t = ", NULL, "id", puma, "--from", "0.1,-0.8,0.4,0.2,0.9,0.3", "--line", "link6:5,0,0");
    REFUSED(2, "no link or frame is named 'link7'", NULL, "id", puma, "--from", "0,0,0,0,0,0", "--line",
            "link7:1,0,0");
    REFUSED(2, "--line: expected FRAME:X,Y,Z", NULL, "id", puma, "--from", "0,0,0,0,0,0", "--line",
            "link6:1,0");
    REFUSED(2, "--line: expected FRAME:X,Y,Z", NULL, "id", puma, "--from", "0,0,0,0,0,0", "--line", "link6");
}

/* ------------------------------------------------------------------------------------------------ */
/* What is refused */

TEST(command_lines_that_are_wrong)
{
    const char *p = write_file("pendulum.urdf", PENDULUM);
    REFUSED(2, "the motion is missing", NULL, "id", p);
    REFUSED(2, "--from needs where the motion goes", NULL, "id", p, "--from", "0");
    REFUSED(2, "--to needs where the motion starts", NULL, "id", p, "--to", "0");
    REFUSED(2, "--to cannot go with --trajectory", NULL, "id", p, "--to", "0", "--trajectory", "x.csv");
    REFUSED(2, "--line cannot go with --to", NULL, "id", p, "--from", "0", "--to", "0", "--line",
            "arm:1,0,0");
    REFUSED(2, "--duration is of motions that are generated", NULL, "id", p, "--trajectory", "x.csv",
            "--duration", "1");
    REFUSED(2, "--duration must be above 0", NULL, "id", p, "--from", "0", "--to", "1", "--duration", "-1");
    REFUSED(2, "--blend is of --profile trapezoidal", NULL, "id", p, "--from", "0", "--to", "1", "--blend",
            "0.1");
    REFUSED(2, "--blend must be above 0 and at most 0.5", NULL, "id", p, "--from", "0", "--to", "1",
            "--profile", "trapezoidal", "--blend", "0.7");
    REFUSED(2, "expected cycloidal, quintic, trapezoidal, uniform or nonic", NULL, "id", p, "--from", "0", "--to",
            "1", "--profile", "cubic");
    REFUSED(2, "--output-step: expected a number above 0", NULL, "id", p, "--from", "0", "--to", "1",
            "--output-step", "0");
    REFUSED(2, "are more than 1e+08 numbers", NULL, "id", p, "--from", "0", "--to", "1", "--output-step",
            "1e-12");
    REFUSED(2, "--from: 'hinge' is given twice", NULL, "id", p, "--from", "hinge=0,hinge=1", "--to", "1");
    REFUSED(2, "--json and --output - both want", NULL, "id", p, "--from", "0", "--to", "1", "--json", "-o",
            "-");
    REFUSED(2, "--from: no coordinate is named 'hing' (did you mean 'hinge'?)", NULL, "id", p, "--from",
            "hing=1", "--to", "1");
    REFUSED(2, "--to: expected 1 number", NULL, "id", p, "--from", "0", "--to", "1,2");
    REFUSED(2, "--to: expected a number", NULL, "id", p, "--from", "0", "--to", "up");
    REFUSED(2, "must end in .csv, .jsonl, .h5 or .hdf5", NULL, "id", p, "--from", "0", "--to", "1", "-o",
            "x.txt");
    REFUSED(2, "unknown algorithm", NULL, "id", p, "--from", "0", "--to", "1", "--algorithm", "magic");
    REFUSED(2, "computes mass_matrix; this needs one of inverse_dynamics", NULL, "id", p, "--from", "0",
            "--to", "1", "--algorithm", "crba");
    REFUSED(2, "--plot-columns has no use without --plot", NULL, "id", p, "--from", "0", "--to", "1",
            "--plot-columns", "q");
    REFUSED(2, "cannot both be read from standard input", PENDULUM, "id", "-", "--trajectory", "-");
}

TEST(files_that_are_wrong)
{
    const char *p = write_file("pendulum.urdf", PENDULUM);
    REFUSED(1, "nowhere.urdf", NULL, "id", "nowhere.urdf", "--from", "0", "--to", "1");
    REFUSED(1, "nowhere.csv", NULL, "id", p, "--trajectory", "nowhere.csv");
    REFUSED(1, "bad.csv: there is no column \"q.hinge\"", NULL, "id", p, "--trajectory",
            write_file("bad.csv", "t,q.hing\n0,1\n"));
    REFUSED(1, "the column \"q.hing\" is no coordinate", NULL, "id", p, "--trajectory",
            write_file("bad.csv", "t,q.hinge,q.hing\n0,1,1\n"));
    REFUSED(1, "the column \"power\" is no coordinate", NULL, "id", p, "--trajectory",
            write_file("bad.csv", "t,q.hinge,power\n0,1,1\n"));
    REFUSED(1, "/dev/stdin:2:", "t,q.hinge\n0,x\n", "id", p, "--trajectory", "-");
    REFUSED(1, "bad.csv:3:", NULL, "id", p, "--trajectory", write_file("bad.csv", "t,q.hinge\n0,1\n0,2\n"));
    REFUSED(1, "cannot be written", NULL, "id", p, "--from", "0", "--to", "1", "-o", "/nowhere/at/all.csv");
    REFUSED(1, "at t = ", NULL, "id", p, "--from", "0", "--to", "1e200", "--duration", "1e-200");
}

/* Names with commas, quotes and colons are columns like others. */
TEST(names_are_data)
{
    const char *h = write_file("hostile.json", HOSTILE);
    outcome o = ASK("id", h, "--from", "0,0", "--to", "1,1", "--json");
    CHECK(isfinite(cell(&o, 50, "tau.--root=free")) && isfinite(cell(&o, 50, "reaction.$(reboot).fx")));
    json_decref(o.json);
    answer a = run(NULL, "id", h, "--from", "0,0", "--to", "1,1", "--motion", "-o", place("motion.csv"),
                   (const char *)NULL);
    CHECK_STATUS(a.status, 0);
    forget(&a);
    o = ASK("id", h, "--trajectory", place("motion.csv"), "--json");
    CHECK(o.rows == 101);
    json_decref(o.json);
}

int main(int argc, char **argv)
{
    COMMAND_BEGIN(argc, argv);
    RUN(stanford_arm_by_an_independent_newton_euler);
    RUN(reactions_do_the_work_of_the_torques);
    RUN(a_pendulum_in_closed_form);
    RUN(files_go_round);
    RUN(columns_of_csv);
    RUN(rows_of_a_file);
    RUN(simulations_are_read);
    RUN(straight_lines);
    RUN(command_lines_that_are_wrong);
    RUN(files_that_are_wrong);
    RUN(names_are_data);
    return command_end(files);
}
