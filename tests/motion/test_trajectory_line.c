/* Straight lines. */
#include "sim/derivative.h"
#include "pinion/pinion.h"

static pinion_model *load(const char *variable, const char *folder, const char *name,
                          const pinion_load_options *o)
{
    char path[600];
    const char *place = getenv(variable);
    if (!place) return NULL;
    snprintf(path, sizeof path, "%s/%s%s", place, folder, name);
    return pinion_load(path, o, NULL);
}

/* The last frame that some joint moves. */
static int last_frame(const pinion_model *m)
{
    pinion_frame_info frame = {"", 0, 0, pinion_pose_identity()};
    for (int i = pinion_model_frame_count(m) - 1; i >= 0; i--)
        if (pinion_model_frame(m, i, &frame) == PINION_OK && frame.body > 0) return i;
    return -1;
}

/* The smallest norm of a v with J v = x, by elimination in J J' with rows that J does not see left out:
 * nothing of the library's own decomposition. */
static double least_norm(int nv, const double *J, const double x[6])
{
    double A[6][7], y[6] = {0}, norm = 0;
    int used[6] = {0};
    for (int i = 0; i < 6; i++) {
        for (int j = 0; j < 6; j++) {
            A[i][j] = 0;
            for (int k = 0; k < nv; k++) A[i][j] += J[i * nv + k] * J[j * nv + k];
        }
        A[i][6] = x[i];
    }
    int pivot_of[6];
    for (int c = 0; c < 6; c++) {
        int p = -1;
        for (int r = 0; r < 6; r++)
            if (!used[r] && (p < 0 || fabs(A[r][c]) > fabs(A[p][c]))) p = r;
        pivot_of[c] = -1;
        if (p < 0 || fabs(A[p][c]) < 1e-9) continue;
        used[p] = 1;
        pivot_of[c] = p;
        for (int r = 0; r < 6; r++) {
            const double f = A[r][c] / A[p][c];
            for (int k = 0; r != p && k < 7; k++) A[r][k] -= f * A[p][k];
        }
    }
    for (int c = 0; c < 6; c++)
        if (pivot_of[c] >= 0) y[c] = A[pivot_of[c]][6] / A[pivot_of[c]][c];
    for (int k = 0; k < nv; k++) {
        double v = 0;
        for (int i = 0; i < 6; i++) v += J[i * nv + k] * y[i];
        norm += v * v;
    }
    return sqrt(norm);
}

/* What was seen along lines. */
typedef struct seen {
    double off, turned, derivative[2], jump[3], norm;
} seen;

/* Checks a line at many instants: on it, not turned, v and a derivatives, continuous, hardly more than least
 * norm. */
static void check_line(const pinion_model *m, pinion_trajectory *p, const double *q0, int frame,
                       const double d[3], double T, pinion_profile profile, seen *s)
{
    pinion_work *w = pinion_work_new(m);
    const int nv = pinion_model_nv(m), steps = 60;
    double p0[3], R0[9], at[3], R[9], q[WIDEST], v[WIDEST], a[WIDEST], *J = calloc(6 * (size_t)nv, sizeof *J),
                                                                       jump[3];
    CHECK(pinion_frame_pose(m, w, q0, frame, p0, R0) == PINION_OK);
    for (int k = 0; k <= steps; k++) {
        const double t = T * k / steps, x = t / T;
        const double way = profile == PINION_PROFILE_QUINTIC ? x * x * x * (10 - 15 * x + 6 * x * x)
                                                     : x - sin(2 * M_PI * x) / (2 * M_PI);
        CHECK_STATUS(pinion_trajectory_at(p, t, q, v, a), PINION_OK);
        CHECK_STATUS(pinion_frame_pose(m, w, q, frame, at, R), PINION_OK);
        double off = 0, turned = 0, twist[6], spin = 0, norm = 0;
        for (int i = 0; i < 3; i++) off = fmax(off, fabs(at[i] - p0[i] - way * d[i]));
        for (int i = 0; i < 9; i++) turned = fmax(turned, fabs(R[i] - R0[i]));
        CHECK_NEAR(off, 0, 1e-10);
        CHECK_NEAR(turned, 0, 1e-10);
        s->off = fmax(s->off, off);
        s->turned = fmax(s->turned, turned);

        /* the frame's velocity and acceleration */
        CHECK_STATUS(pinion_frame_velocity(m, w, q, v, frame, PINION_REFERENCE_WORLD_ALIGNED, twist), PINION_OK);
        for (int i = 0; i < 3; i++) spin = fmax(spin, fabs(twist[i]));
        CHECK_NEAR(spin, 0, 1e-11);
        for (int i = 0; i < nv; i++) norm += v[i] * v[i];
        norm = sqrt(norm);
        CHECK_STATUS(pinion_jacobian(m, w, q, frame, PINION_REFERENCE_WORLD_ALIGNED, J), PINION_OK);
        if (norm > 1e-6) {
            const double least = least_norm(nv, J, twist), more = norm / least - 1;
            CHECK_NEAR(more, 0, 1e-6);
            s->norm = fmax(s->norm, more);
        }
        if (k > 1 && k + 1 < steps)
            check_derivatives(m, p, t + 0.3 * T / steps, 2e-4 * T, 1e-6, s->derivative);
        if (k > 1 && k + 1 < steps) {
            /* 0 to 1 in powers of 2 is where knots are */
            jumps(m, p, t, 1e-9, jump);
            for (int i = 0; i < 3; i++) s->jump[i] = fmax(s->jump[i], jump[i]);
        }
    }
    free(J);
    pinion_work_free(w);
}

static void print_seen(const seen *s)
{
    printf("    off the line %.1e, turned %.1e; v %.1e, a %.1e; above least norm %.1e; change over 2 ns %.1e "
           "%.1e %.1e\n",
           s->off, s->turned, s->derivative[0], s->derivative[1], s->norm, s->jump[0], s->jump[1],
           s->jump[2]);
    CHECK(s->jump[0] < 1e-6 && s->jump[1] < 1e-5 && s->jump[2] < 1e-4);
}

/* One line of a model; returns whether it could be followed. */
static int try_line(const pinion_model *m, const double *q0, int frame, const double d[3],
                    pinion_profile profile, int limits, seen *s)
{
    pinion_ik_options o = pinion_ik_options_default();
    pinion_error err = {PINION_OK, 0, 0, ""};
    o.limits = limits;
    pinion_trajectory *p = pinion_trajectory_line(m, q0, frame, d, 2, profile, 0, &o, &err);
    if (p) check_line(m, p, q0, frame, d, 2, profile, s);
    if (!p) CHECK_HAS(err.message, "at t = ");
    pinion_trajectory_free(p);
    return p != NULL;
}

TEST(robots_with_as_many_joints_as_needed)
{
    seen s = {0, 0, {0, 0}, {0, 0, 0}, 0};
    pinion_model *puma = load("PINION_MODELS", "", "puma560-akb.json", NULL);
    if (!puma) SKIP("PINION_MODELS does not name the models");
    const double q0[6] = {0.1, -0.8, 0.4, 0.2, 0.9, 0.3}, d[3] = {0.1, 0.15, -0.2};
    CHECK(try_line(puma, q0, last_frame(puma), d, PINION_PROFILE_QUINTIC, 1, &s));
    pinion_model_free(puma);
    int done = 0;
    for (uint64_t seed = 0; seed < 10; seed++) {
        pinion_model *m = pinion_random_chain(6, check_seed + seed, NULL);
        double q[6], way[3] = {0.1, -0.05, 0.1};
        CHECK(pinion_random(m, check_seed + seed, q) == PINION_OK);
        done += try_line(m, q, last_frame(m), way, PINION_PROFILE_CYCLOIDAL, 0, &s);
        pinion_model_free(m);
    }
    printf("    %d of 10 random lines could be followed\n", done);
    CHECK(done >= 2);
    print_seen(&s);
}

/* With joints to spare, on every kind of joint. */
TEST(robots_with_more_joints_than_needed)
{
    seen s = {0, 0, {0, 0}, {0, 0, 0}, 0};
    const double d[3] = {0.2, -0.1, 0.15};
    int done = 0;
    for (uint64_t seed = 0; seed < 8; seed++) {
        pinion_model *m = seed < 4 ? pinion_random_chain(7 + (int)seed, check_seed + seed, NULL)
                                   : pinion_random_tree(10, (int)seed % 2, check_seed + seed, NULL);
        double q[WIDEST];
        CHECK(pinion_random(m, check_seed + seed, q) == PINION_OK);
        done += try_line(m, q, last_frame(m), d, seed % 2 ? PINION_PROFILE_CYCLOIDAL : PINION_PROFILE_QUINTIC, 0, &s);
        pinion_model_free(m);
    }
    printf("    %d of 8 could be followed\n", done);
    CHECK(done >= 3);
    print_seen(&s);
}

/* At the knots, which with a constant speed are at fractions of the time whose denominators are powers of 2,
 * pieces join without a jump of q, v or a. */
TEST(pieces_join)
{
    double worst[3] = {0, 0, 0}, jump[3];
    const double d[3] = {0.1, -0.1, 0.1};
    int done = 0;
    for (uint64_t seed = 0; seed < 4; seed++) {
        pinion_model *m = seed < 2 ? pinion_random_chain(8, check_seed + seed, NULL)
                                   : pinion_random_tree(10, (int)seed % 2, check_seed + seed, NULL);
        double q[WIDEST];
        pinion_ik_options o = pinion_ik_options_default();
        o.limits = 0;
        CHECK(pinion_random(m, check_seed + seed, q) == PINION_OK);
        pinion_trajectory *p = pinion_trajectory_line(m, q, last_frame(m), d, 1, PINION_PROFILE_UNIFORM, 0, &o, NULL);
        done += p != NULL;
        for (int k = 1; p && k < 1024; k++) {
            jumps(m, p, k / 1024.0, 1e-10, jump);
            for (int i = 0; i < 3; i++) worst[i] = fmax(worst[i], jump[i]);
        }
        pinion_trajectory_free(p);
        pinion_model_free(m);
    }
    printf("    %d lines, change over 0.2 ns %.1e %.1e %.1e\n", done, worst[0], worst[1], worst[2]);
    CHECK(done >= 2 && worst[0] < 1e-8 && worst[1] < 1e-7 && worst[2] < 1e-6);
}

TEST(robots_of_the_shop)
{
    seen s = {0, 0, {0, 0}, {0, 0, 0}, 0};
    pinion_model *ur5 = load("PINION_SHARED", "robots/", "ur5_robot.urdf", NULL),
                 *panda = load("PINION_SHARED", "robots/", "panda.urdf", NULL);
    if (!ur5 || !panda) {
        pinion_model_free(ur5);
        pinion_model_free(panda);
        SKIP("PINION_SHARED does not have the robots");
    }
    const double q5[6] = {0.3, -1.2, 1.5, -1.6, -1.4, 0.2}, d[3] = {0.15, 0.1, -0.1};
    double q7[WIDEST] = {0.1, -0.4, 0.2, -1.9, 0.1, 1.6, 0.7};
    CHECK(try_line(ur5, q5, pinion_model_find_frame(ur5, "ee_link"), d, PINION_PROFILE_QUINTIC, 1, &s));
    CHECK(try_line(panda, q7, pinion_model_find_frame(panda, "panda_link8"), d, PINION_PROFILE_QUINTIC, 1, &s));
    print_seen(&s);
    pinion_model_free(ur5);
    pinion_model_free(panda);
}

/* Three joints in a plane can follow a line in that plane, and no other. */
TEST(robots_with_fewer_joints)
{
    seen s = {0, 0, {0, 0}, {0, 0, 0}, 0};
    pinion_model *m = load("PINION_MODELS", "", "planar-3r.json", NULL);
    if (!m) SKIP("PINION_MODELS does not name the models");
    const int frame = last_frame(m);
    const double q0[3] = {0.3, 1.1, -0.9};
    pinion_work *w = pinion_work_new(m);
    double J[18], inside[3], normal[3];
    CHECK(pinion_jacobian(m, w, q0, frame, PINION_REFERENCE_WORLD_ALIGNED, J) == PINION_OK);
    for (int i = 0; i < 3; i++) {
        inside[i] = 0.2 * (J[3 * (3 + i)] - J[3 * (3 + i) + 1]); /* along what joints 1 and 2 do */
        normal[i] = 0.1 * J[3 * i];
    }
    pinion_work_free(w);
    CHECK(try_line(m, q0, frame, inside, PINION_PROFILE_CYCLOIDAL, 0, &s));
    print_seen(&s);
    pinion_error err = {PINION_OK, 0, 0, ""};
    CHECK(!pinion_trajectory_line(m, q0, frame, normal, 1, PINION_PROFILE_CYCLOIDAL, 0, NULL, &err));
    CHECK_HAS(err.message, "at t = 0 s the joints do not allow frame");
    CHECK(err.status == PINION_ERR_CONVERGENCE);

    /* the direction that they cannot move in does not count: the line is met in the others */
    pinion_ik_options o = pinion_ik_options_default();
    const double oblique[3] = {inside[0] + normal[0], inside[1] + normal[1], inside[2] + normal[2]};
    for (int i = 0; i < 3; i++) o.weight[3 + i] = fabs(normal[i]) > 0.05 ? 0 : 1;
    pinion_trajectory *p = pinion_trajectory_line(m, q0, frame, oblique, 1, PINION_PROFILE_CYCLOIDAL, 0, &o, &err);
    CHECK(p != NULL);
    pinion_trajectory_free(p);
    pinion_model_free(m);
}

/* Where a line ends, and when. */
TEST(lines_that_end)
{
    pinion_model *m = load("PINION_MODELS", "", "planar-3r.json", NULL);
    if (!m) SKIP("PINION_MODELS does not name the models");
    pinion_work *w = pinion_work_new(m);
    const int frame = last_frame(m);
    double q0[3] = {0.3, 1.1, -0.9}, at[3], R[9], far[3];
    pinion_error err = {PINION_OK, 0, 0, ""};
    CHECK(pinion_frame_pose(m, w, q0, frame, at, R) == PINION_OK);
    for (int i = 0; i < 3; i++) far[i] = 10 * at[i];
    CHECK(!pinion_trajectory_line(m, q0, frame, far, 4, PINION_PROFILE_UNIFORM, 0, NULL, &err));
    CHECK_HAS(err.message, "it leaves the reach");
    /* outwards, at constant speed: the arm is stretched when the sum of its first two links is the distance
     * of the last joint; by bisection with inverse kinematics instead of geometry */
    double low = 0, high = 1;
    for (int i = 0; i < 40; i++) {
        const double x = 0.5 * (low + high);
        pinion_pose target;
        double q[3] = {q0[0], q0[1], q0[2]};
        pinion_ik_options o = pinion_ik_options_default();
        o.starts = 5;
        o.limits = 0;
        for (int k = 0; k < 3; k++) target.position[k] = at[k] + x * far[k];
        memcpy(target.rotation, R, sizeof R);
        if (pinion_inverse_kinematics(m, w, frame, &target, &o, q, NULL) == PINION_OK)
            low = x;
        else
            high = x;
    }
    const char *text = strstr(err.message, "at t = ");
    CHECK(text && fabs(strtod(text + 7, NULL) - 4 * low) < 1e-4);

    /* a limit: the second joint may not pass 1.3 */
    pinion_model_free(m);
    pinion_work_free(w);
    pinion_builder *b = pinion_builder_new("limited");
    pinion_link_def link = pinion_link_def_default();
    static const char *const names[] = {"base", "a", "b", "c"};
    for (int i = 0; i < 4; i++) {
        link.name = names[i];
        CHECK(pinion_builder_add_link(b, &link, NULL) == PINION_OK);
    }
    for (int i = 0; i < 3; i++) {
        pinion_joint_def joint = pinion_joint_def_default();
        static const char *const joints[] = {"one", "two", "three"};
        joint.name = joints[i];
        joint.type = PINION_JOINT_REVOLUTE;
        joint.parent = names[i];
        joint.child = names[i + 1];
        joint.parent_pose.position[0] = i ? 1 : 0;
        joint.dof[0].lower = -3;
        joint.dof[0].upper = i == 1 ? 1.3 : 3;
        CHECK(pinion_builder_add_joint(b, &joint, NULL) == PINION_OK);
    }
    m = pinion_builder_build(b, NULL, NULL);
    pinion_builder_free(b);
    /* its tip goes inwards from sqrt(2 + 2 cos 1) to sqrt(2 + 2 cos 1.3) and is there after 1 s */
    const double start[3] = {0.2, 1, 0}, inner = sqrt(2 + 2 * cos(1.3)), outer = sqrt(2 + 2 * cos(1.0));
    const double direction = 0.2 + 0.5;
    const double in[3] = {-3 * (outer - inner) * cos(direction), -3 * (outer - inner) * sin(direction), 0};
    CHECK(!pinion_trajectory_line(m, start, 3, in, 3, PINION_PROFILE_UNIFORM, 0, NULL, &err));
    CHECK_HAS(err.message, "joint 'two' is at its limit");
    text = strstr(err.message, "at t = ");
    CHECK(text && fabs(strtod(text + 7, NULL) - 1) < 1e-4);
    pinion_ik_options o = pinion_ik_options_default();
    o.limits = 0;
    pinion_trajectory *p = pinion_trajectory_line(m, start, 3, in, 3, PINION_PROFILE_UNIFORM, 0, &o, &err);
    CHECK(p != NULL);
    pinion_trajectory_free(p);

    /* the start itself beyond, a frame that does not move, and bad arguments */
    const double beyond[3] = {0, 1.5, 0}, nan3[3] = {NAN, 0, 0};
    CHECK(!pinion_trajectory_line(m, beyond, 3, in, 3, PINION_PROFILE_UNIFORM, 0, NULL, &err));
    CHECK_HAS(err.message, "at t = 0 s joint 'two' is at its limit");
    CHECK(!pinion_trajectory_line(m, start, 0, in, 3, PINION_PROFILE_UNIFORM, 0, NULL, &err));
    CHECK_HAS(err.message, "fixed to the world");
    CHECK(!pinion_trajectory_line(m, start, 9, in, 3, PINION_PROFILE_UNIFORM, 0, NULL, &err));
    CHECK_HAS(err.message, "no frame 9");
    CHECK(!pinion_trajectory_line(m, start, 3, nan3, 3, PINION_PROFILE_UNIFORM, 0, NULL, &err));
    CHECK(!pinion_trajectory_line(m, start, 3, in, -3, PINION_PROFILE_UNIFORM, 0, NULL, &err));
    o.cookie = 0;
    CHECK(!pinion_trajectory_line(m, start, 3, in, 3, PINION_PROFILE_UNIFORM, 0, &o, &err));
    CHECK(err.status == PINION_ERR_ARGUMENT);
    pinion_model_free(m);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(robots_with_as_many_joints_as_needed);
    RUN(robots_with_more_joints_than_needed);
    RUN(pieces_join);
    RUN(robots_of_the_shop);
    RUN(robots_with_fewer_joints);
    RUN(lines_that_end);
    return CHECK_END();
}
