/* Models that are another one with a change: a part of it, a frame more, other names, another size. What must hold of
 * their mass matrices follows from the definitions. */
#include "check.h"
#include "pinion/pinion.h"

static int mass_matrix(const pinion_model *m, const double *q, double *M)
{
    pinion_work *w = pinion_work_new(m);
    const pinion_status s = w ? pinion_mass_matrix(m, w, q, M) : PINION_ERR_MEMORY;
    CHECK_STATUS(s, PINION_OK);
    pinion_work_free(w);
    return s == PINION_OK;
}

/* A random tree of which no joint follows another: the rotor of a follower counts for its leader. */
static pinion_model *plain_tree(int joints, int free_root, uint64_t seed)
{
    pinion_error err = {PINION_OK, 0, 0, ""};
    pinion_load_options o = pinion_load_options_default();
    pinion_model *m = pinion_random_tree(joints, 0, seed, &err), *out = NULL;
    char *text = m ? pinion_save_string(m, PINION_FORMAT_JSON, &err) : NULL;
    o.mimic = PINION_MIMIC_INDEPENDENT;
    if (free_root) o.root = PINION_ROOT_FREE;
    if (text) out = pinion_load_string(text, strlen(text), PINION_FORMAT_JSON, "x", &o, &err);
    if (!out) CHECK_FAIL("%s", err.message);
    pinion_free(text);
    pinion_model_free(m);
    return out;
}

/* The mass matrix of a part is the block of its joints: what is above does not count. */
TEST(subtree)
{
    for (uint64_t seed = 1; seed <= 12; seed++) {
        pinion_error err = {PINION_OK, 0, 0, ""};
        pinion_model *m = plain_tree(14, seed % 2, seed);
        const int nq = pinion_model_nq(m), nv = pinion_model_nv(m), link = (int)(seed * 5 % 11);
        const size_t size = (size_t)(nv * nv) * sizeof(double);
        double q[100], part_q[100], *M = malloc(size), *P = malloc(size);
        CHECK(nq <= 100);
        CHECK_STATUS(pinion_random(m, seed, q), PINION_OK);
        pinion_model *part = pinion_model_subtree(m, link, &err);
        if (!part) CHECK_FAIL("%s", err.message);
        int index[100], count = 0;
        for (int i = 0; part && i < pinion_model_joint_count(part); i++) {
            pinion_joint_info j, of;
            CHECK_STATUS(pinion_model_joint(part, i, &j), PINION_OK);
            CHECK_STATUS(pinion_model_joint(m, pinion_model_find_joint(m, j.name), &of), PINION_OK);
            CHECK(of.nv == j.nv && of.type == j.type);
            if (j.nq) memcpy(part_q + j.q_index, q + of.q_index, (size_t)j.nq * sizeof *q);
            for (int k = 0; k < j.nv; k++) index[count++] = of.v_index + k;
        }
        if (part && count && mass_matrix(m, q, M) && mass_matrix(part, part_q, P)) {
            double worst = 0, scale = 1;
            for (int i = 0; i < count; i++) {
                for (int k = 0; k < count; k++) {
                    const double x = M[index[i] * nv + index[k]];
                    worst = fmax(worst, fabs(P[i * count + k] - x));
                    scale = fmax(scale, fabs(x));
                }
            }
            CHECK(worst <= 1e-12 * scale); /* rounding of sums in another order */
        }
        pinion_model_free(part);
        pinion_model_free(m);
        free(M);
        free(P);
    }
}

/* Kinetic energy is of mass times length squared, and a displacement of length: M' = k s^2 M / (f f). */
TEST(scale)
{
    for (uint64_t seed = 1; seed <= 10; seed++) {
        pinion_error err = {PINION_OK, 0, 0, ""};
        const double s = 0.3 * (double)seed, k = 2.5;
        pinion_model *m = plain_tree(10, 0, seed);
        pinion_model *big = pinion_model_scale(m, s, k, &err);
        if (!big) CHECK_FAIL("%s", err.message);
        const int nv = pinion_model_nv(m);
        const size_t size = (size_t)(nv * nv) * sizeof(double);
        double q[80], Q[80], factor[80], rotor[80], *M = malloc(size), *B = malloc(size);
        CHECK_STATUS(pinion_random(m, seed, q), PINION_OK);
        memcpy(Q, q, sizeof q);
        for (int i = 0; i < pinion_model_joint_count(m); i++) {
            pinion_joint_info j;
            CHECK_STATUS(pinion_model_joint(m, i, &j), PINION_OK);
            for (int d = 0; d < j.nv; d++) {
                const int moves = j.type == PINION_JOINT_PRISMATIC || (j.type == PINION_JOINT_CYLINDRICAL && d == 1) ||
                                  (j.type == PINION_JOINT_PLANAR && d < 2) || (j.type == PINION_JOINT_FREE && d > 2);
                factor[j.v_index + d] = moves ? s : 1;
                if (moves) Q[j.q_index + j.nq - j.nv + d] *= s;
                rotor[j.v_index + d] = j.dof[d].gear_ratio * j.dof[d].gear_ratio * j.dof[d].rotor_inertia;
            }
        }
        if (big && mass_matrix(m, q, M) && mass_matrix(big, Q, B)) {
            for (int i = 0; i < nv * nv; i++) { /* rotors stay as they are */
                const double own = i / nv == i % nv ? rotor[i / nv] : 0;
                M[i] = (M[i] - own) * k * s * s / (factor[i / nv] * factor[i % nv]) + own;
            }
            CHECK(check_error(B, M, (size_t)(nv * nv), 1e-300) < 1e-13);
        }
        if (big) CHECK_NEAR(pinion_model_mass(big), k * pinion_model_mass(m), 1e-12 * pinion_model_mass(big));
        pinion_model_free(big);
        pinion_model_free(m);
        free(M);
        free(B);
    }
}

static const char robot[] =
    "{\"pinion\": 1, \"links\": [{\"name\": \"base\", \"collisions\": [{\"name\": \"hull\", \"shape\": \"box\","
    "\"size\": [1, 2, 3], \"margin\": 0.1, \"friction\": [1, 0.5, 0.25]}]}, {\"name\": \"arm\", \"mass\": 1,"
    "\"visuals\": [{\"shape\": \"sphere\", \"radius\": 0.5}]}, {\"name\": \"hand\", \"mass\": 1}, {\"name\": \"rail\","
    "\"mass\": 1}, {\"name\": \"tip\", \"mass\": 1}], \"joints\": [{\"name\": \"arm\", \"type\": \"revolute\","
    "\"parent\": \"base\", \"child\": \"arm\", \"limits\": [-1, 1]}, {\"name\": \"slide\", \"type\": \"prismatic\","
    "\"parent\": \"arm\", \"child\": \"hand\", \"limits\": [-1, 1], \"origin\": {\"position\": [1, 0, 0]}},"
    "{\"name\": \"follower\", \"type\": \"revolute\", \"parent\": \"hand\", \"child\": \"tip\","
    "\"mimic\": {\"joint\": \"slide\", \"multiplier\": 3, \"offset\": 1}}, {\"name\": \"other\","
    "\"type\": \"prismatic\","
    "\"parent\": \"base\", \"child\": \"rail\"}], \"frames\": [{\"name\": \"tool\", \"link\": \"hand\"}],"
    "\"loops\": [{\"name\": \"gear\", \"type\": \"gear\", \"joints\": [\"arm\", \"other\"], \"ratio\": 5,"
    "\"motion\": {\"offset\": 1}}],"
    "\"actuators\": [{\"name\": \"both\", \"joints\": [{\"joint\": \"arm\", \"weight\": 1},"
    "{\"joint\": \"slide\", \"weight\": 2}]}, {\"name\": \"up\","
    "\"frame\": \"tool\","
    "\"force\": [0, 0, 1]}], \"states\": {\"home\": {\"q\": {\"slide\": 0.5, \"arm\": 0.25}}},"
    "\"groups\": {\"all\": [\"arm\", \"slide\"]}, \"no_collisions\": [[\"base\", \"hand\"], [\"hand\", \"tip\"]]}";

static pinion_model *load(void)
{
    pinion_error err = {PINION_OK, 0, 0, ""};
    pinion_model *m = pinion_load_string(robot, strlen(robot), PINION_FORMAT_AUTO, "f", NULL, &err);
    if (!m) CHECK_FAIL("%s", err.message);
    return m;
}

static pinion_joint_info joint_of(const pinion_model *m, const char *name)
{
    static const pinion_dof none[6];
    pinion_joint_info j = {.dof = none};
    CHECK_STATUS(pinion_model_joint(m, pinion_model_find_joint(m, name), &j), PINION_OK);
    return j;
}

TEST(everything_scaled)
{
    pinion_error err = {PINION_OK, 0, 0, ""};
    pinion_model *m = load(), *big = m ? pinion_model_scale(m, 2, 8, &err) : NULL;
    if (!big) CHECK_FAIL("%s", err.message);
    if (!big) return;
    pinion_collision_info hull;
    pinion_visual_info ball;
    pinion_loop_info gear;
    double q[3];
    CHECK_STATUS(pinion_model_collision(big, 0, &hull), PINION_OK);
    CHECK(hull.size[2] == 6 && hull.margin == 0.2 && hull.friction[0] == 1 && hull.friction[1] == 1);
    CHECK_STATUS(pinion_model_visual(big, 0, &ball), PINION_OK);
    CHECK(ball.size[0] == 1);
    CHECK(joint_of(big, "slide").dof[0].upper == 2 && joint_of(big, "slide").parent_pose.position[0] == 2);
    CHECK(joint_of(big, "arm").dof[0].upper == 1);
    CHECK(joint_of(big, "follower").multiplier == 1.5 && joint_of(big, "follower").offset == 1);
    CHECK_STATUS(pinion_model_loop(big, 0, &gear), PINION_OK);
    CHECK(gear.ratio == 10 && gear.motion.offset == 2);
    CHECK_STATUS(pinion_model_state(big, 0, q, NULL), PINION_OK);
    CHECK(q[0] == 0.25 && q[1] == 1);
    CHECK(!pinion_model_scale(m, 0, 1, &err) && !pinion_model_scale(m, 1, INFINITY, &err));
    pinion_model_free(big);
    pinion_model_free(m);
}

TEST(parts)
{
    pinion_error err = {PINION_OK, 0, 0, ""};
    pinion_model *m = load();
    if (!m) return;
    pinion_model *part = pinion_model_subtree(m, pinion_model_find_link(m, "arm"), &err);
    if (!part) CHECK_FAIL("%s", err.message);
    if (part) {
        pinion_actuator_info both;
        int count = 0;
        CHECK(pinion_model_nv(part) == 1 && pinion_model_link_count(part) == 3 && pinion_model_loop_count(part) == 0);
        CHECK_STATUS(pinion_model_actuator(part, 0, &both), PINION_OK);
        CHECK(both.term_count == 1 && pinion_model_actuator_count(part) == 2 && pinion_model_state_count(part) == 1);
        CHECK(pinion_model_group(part, 0, &count) && count == 1 && pinion_model_exclusion_count(part) == 1);
        CHECK(pinion_model_collision_count(part) == 0 && pinion_model_find_frame(part, "tool") >= 0);
    }
    CHECK(!pinion_model_subtree(m, pinion_model_find_link(m, "tip") + 99, &err));
    pinion_model *lost = pinion_model_subtree(m, pinion_model_find_link(m, "tip"), &err);
    CHECK(lost && pinion_model_nv(lost) == 0); /* its joint is not part of it */
    pinion_model_free(lost);
    pinion_model_free(part);
    pinion_model_free(m);

    /* a follower whose leader is left behind */
    static const char pair[] =
        "{\"pinion\": 1, \"links\": [{\"name\": \"b\"}, {\"name\": \"l\", \"mass\": 1}, {\"name\": \"r\", \"mass\": 1},"
        "{\"name\": \"t\", \"mass\": 1}], \"joints\": [{\"name\": \"j\", \"type\": \"revolute\", \"parent\": \"b\","
        "\"child\": \"l\"}, {\"name\": \"k\", \"type\": \"revolute\", \"parent\": \"b\", \"child\": \"r\"},"
        "{\"name\": \"f\", \"type\": \"revolute\", \"parent\": \"r\", \"child\": \"t\","
        "\"mimic\": {\"joint\": \"j\"}}]}";
    m = pinion_load_string(pair, strlen(pair), PINION_FORMAT_AUTO, "f", NULL, &err);
    CHECK(m && !pinion_model_subtree(m, pinion_model_find_link(m, "r"), &err));
    CHECK_HAS(err.message, "joint 'f' follows joint 'j'");
    pinion_model_free(m);
}

TEST(names_and_frames)
{
    pinion_error err = {PINION_OK, 0, 0, ""};
    pinion_model *m = load();
    if (!m) return;
    pinion_model *other = pinion_model_rename(m, "arm", "upper", &err);
    CHECK(other && pinion_model_find_link(other, "upper") == 1 && pinion_model_find_joint(other, "upper") >= 0);
    CHECK(other && pinion_model_find_link(other, "arm") < 0 && pinion_model_find_joint(other, "arm") < 0);
    pinion_model_free(other);
    other = pinion_model_rename(m, "base", "root", &err);
    CHECK(other && pinion_model_find_link(other, "root") == 0 && pinion_model_exclusion_count(other) == 2);
    pinion_model_free(other);
    CHECK(!pinion_model_rename(m, "nobody", "x", &err));
    CHECK_HAS(err.message, "nothing is called 'nobody'");
    CHECK(!pinion_model_rename(m, "arm", "hand", &err) && err.status == PINION_ERR_MODEL);

    pinion_frame_def def = pinion_frame_def_default();
    def.name = "camera";
    def.link = "hand";
    def.pose.position[2] = 0.5;
    other = pinion_model_add_frame(m, &def, &err);
    pinion_frame_info frame;
    CHECK(other && pinion_model_frame(other, pinion_model_find_frame(other, "camera"), &frame) == PINION_OK);
    CHECK(other && frame.pose.position[2] == 0.5 && pinion_model_nv(other) == pinion_model_nv(m));
    pinion_model_free(other);
    def.name = "tool";
    CHECK(!pinion_model_add_frame(m, &def, &err) && err.status == PINION_ERR_MODEL);
    pinion_model_free(m);
}

/* Tendons scale with what they go through, and go with it. */
TEST(tendons)
{
    static const char text[] =
        "{\"pinion\": 1, \"links\": [{\"name\": \"b\"}, {\"name\": \"l\", \"mass\": 1},"
        "{\"name\": \"s\", \"mass\": 1}],"
        "\"joints\": [{\"name\": \"j\", \"type\": \"revolute\", \"parent\": \"b\", \"child\": \"l\"},"
        "{\"name\": \"p\", \"type\": \"prismatic\", \"parent\": \"l\", \"child\": \"s\"}],"
        "\"tendons\": [{\"name\": \"mixed\", \"joints\": [\"j\", \"p\"], \"weights\": [0.5, 2], \"rest\": [1, 2]},"
        "{\"name\": \"angle\", \"joints\": [\"j\"], \"weights\": [3], \"rest\": [1, 1]},"
        "{\"name\": \"line\", \"path\": [\"l\", \"s\"], \"rest\": [1, 1]}]}";
    pinion_error err = {PINION_OK, 0, 0, ""};
    pinion_tendon_info t[3];
    pinion_model *m = pinion_load_string(text, strlen(text), PINION_FORMAT_AUTO, "f", NULL, &err);
    if (!m) CHECK_FAIL("%s", err.message);
    pinion_model *big = m ? pinion_model_scale(m, 10, 1, &err) : NULL;
    for (int i = 0; big && i < 3; i++) CHECK_STATUS(pinion_model_tendon(big, i, &t[i]), PINION_OK);
    if (big) {
        CHECK(t[0].rest[1] == 20 && t[0].term[0].weight == 5 && t[0].term[1].weight == 2);
        CHECK(t[1].rest[1] == 1 && t[1].term[0].weight == 3 && t[2].rest[1] == 10);
    }
    pinion_model *part = m ? pinion_model_subtree(m, pinion_model_find_link(m, "l"), &err) : NULL;
    CHECK(part && pinion_model_tendon_count(part) == 1 && pinion_model_find_tendon(part, "line") == 0);
    pinion_model *other = m ? pinion_model_rename(m, "line", "rope", &err) : NULL;
    CHECK(other && pinion_model_find_tendon(other, "rope") == 2);
    pinion_model_free(other);
    pinion_model_free(part);
    pinion_model_free(big);
    pinion_model_free(m);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(subtree);
    RUN(scale);
    RUN(everything_scaled);
    RUN(parts);
    RUN(names_and_frames);
    RUN(tendons);
    return CHECK_END();
}
