/* The MJCF reader against MuJoCo's own values: every robot of the shared folder, three states each. An error
 * is max|difference| / max(max|reference|, 1e-3), and must stay below 1e-9. */
#include <dirent.h>
#include <jansson.h>

#include "check.h"
#include "pinion/pinion.h"

static char shared[1024];
static int robots, without_mesh;

/* Numbers of nested lists, in order; how many there were. */
static int read_flat(const json_t *value, double *out, int room)
{
    if (!json_is_array(value)) {
        if (room > 0) *out = json_number_value(value);
        return 1;
    }
    int count = 0;
    for (size_t i = 0; i < json_array_size(value); i++)
        count += read_flat(json_array_get(value, i), out + count, room - count);
    return count;
}

/* What a key of a state has, against the n numbers computed. */
static void compare(const char *file, const json_t *state, const char *key, const double *got, int n)
{
    double *expected = calloc((size_t)n + 1, sizeof *expected);
    const int found = read_flat(json_object_get(state, key), expected, n);
    if (found != n) CHECK_FAIL("%s: %s has %d numbers, expected %d", file, key, found, n);
    const double error = check_error(got, expected, (size_t)n, 1e-3);
    check_count++;
    if (!(error <= 1e-9)) CHECK_FAIL("%s: %s is off by %g", file, key, error);
    free(expected);
}

static void compare_bodies(const char *file, const pinion_model *m, pinion_work *w, const json_t *state,
                           const double *q)
{
    const size_t frames = (size_t)pinion_model_frame_count(m);
    double *position = malloc(12 * frames * sizeof *position), *rotation = position + 3 * frames;
    CHECK_STATUS(pinion_frames(m, w, q, position, rotation), PINION_OK);
    const char *name;
    json_t *pose;
    json_object_foreach(json_object_get(state, "bodies"), name, pose)
    {
        const int frame = pinion_model_find_frame(m, name);
        if (frame < 0) {
            CHECK_FAIL("%s: there is no body %s", file, name);
            continue;
        }
        compare(file, pose, "position", position + 3 * frame, 3);
        compare(file, pose, "rotation", rotation + 9 * frame, 9);
    }
    free(position);
}

/* Whether tendons that wrap around something have springs, which are left out and told. */
static int wraps(const pinion_model *m)
{
    for (int i = 0; i < pinion_model_warning_count(m); i++)
        if (strstr(pinion_model_warning(m, i), "of the tendon")) return 1;
    return 0;
}

/* Springs, dampers and what carries weight, those of tendons with them; friction MuJoCo has elsewhere. */
static void compare_passive(const char *file, const pinion_model *m, pinion_work *w, const json_t *state,
                            const double *q, const double *v)
{
    const int nv = pinion_model_nv(m);
    double *still = calloc(4 * (size_t)nv + 1, sizeof *still), *moving = still + nv, *friction = moving + nv,
           *carried = friction + nv;
    pinion_elements *x = pinion_elements_new(m);
    CHECK_STATUS(pinion_passive_forces(m, w, q, NULL, still), PINION_OK);
    CHECK_STATUS(pinion_passive_forces(m, w, q, v, moving), PINION_OK);
    for (int i = 0; i < pinion_model_joint_count(m); i++) {
        pinion_joint_info j;
        CHECK_STATUS(pinion_model_joint(m, i, &j), PINION_OK);
        for (int k = 0; k < j.nv; k++) {
            const double speed = v[j.v_index + k];
            friction[j.v_index + k] = speed > 0 ? -j.dof[k].friction_positive : j.dof[k].friction_negative;
        }
    }
    for (int i = 0; i < nv; i++) moving[i] -= still[i] + friction[i];
    CHECK_STATUS(pinion_elements_forces(x, w, q, v, still, moving, carried, NULL), PINION_OK);

    /* those of the medium MuJoCo has elsewhere, too */
    double *drag = calloc((size_t)nv + 1, sizeof *drag);
    CHECK_STATUS(pinion_drag_forces(x, w, q, v, drag), PINION_OK);
    for (int i = 0; i < nv; i++) moving[i] -= drag[i];
    free(drag);
    pinion_elements_free(x);
    if (!wraps(m)) compare(file, state, "springs", still, nv);
    compare(file, state, "dampers", moving, nv);
    compare(file, state, "gravity_compensation", carried, nv);
    free(still);
}

static void compare_state(const char *file, const pinion_model *m, pinion_work *w, const json_t *state)
{
    const size_t nq = (size_t)pinion_model_nq(m), nv = (size_t)pinion_model_nv(m);
    double *q = malloc((nq + 3 * nv + nv * nv + 1) * sizeof *q), *v = q + nq, *a = v + nv, *tau = a + nv,
           *M = tau + nv;
    double kinetic;
    CHECK(read_flat(json_object_get(state, "q"), q, (int)nq) == (int)nq);
    CHECK(read_flat(json_object_get(state, "v"), v, (int)nv) == (int)nv);
    CHECK(read_flat(json_object_get(state, "a"), a, (int)nv) == (int)nv);
    CHECK_STATUS(pinion_mass_matrix(m, w, q, M), PINION_OK);
    compare(file, state, "mass_matrix", M, (int)(nv * nv));
    CHECK_STATUS(pinion_inverse_dynamics(m, w, q, v, a, NULL, tau), PINION_OK);
    compare(file, state, "inverse_dynamics", tau, (int)nv);
    CHECK_STATUS(pinion_inverse_dynamics(m, w, q, v, NULL, NULL, tau), PINION_OK);
    compare(file, state, "bias", tau, (int)nv);
    CHECK_STATUS(pinion_inverse_dynamics(m, w, q, NULL, NULL, NULL, tau), PINION_OK);
    compare(file, state, "gravity", tau, (int)nv);
    CHECK_STATUS(pinion_energy(m, w, q, v, 0, &kinetic, NULL), PINION_OK);
    compare(file, state, "kinetic", &kinetic, 1);
    compare_bodies(file, m, w, state, q);
    compare_passive(file, m, w, state, q, v);
    free(q);
}

/* The names and ranges of the joints, in the order of the coordinates. */
static void compare_joints(const char *file, const pinion_model *m, const json_t *joints)
{
    for (size_t i = 0; i < json_array_size(joints); i++) {
        const json_t *expected = json_array_get(joints, i);
        const char *name = json_string_value(json_object_get(expected, "name"));
        const int found = name && *name ? pinion_model_find_joint(m, name) : -1;
        if (name && *name && found < 0) CHECK_FAIL("%s: there is no joint %s", file, name);
        if (found < 0) continue;
        pinion_joint_info j;
        double range[2];
        CHECK_STATUS(pinion_model_joint(m, found, &j), PINION_OK);
        CHECK(j.q_index == json_integer_value(json_object_get(expected, "q_index")));
        CHECK(j.v_index == json_integer_value(json_object_get(expected, "v_index")));
        if (!json_is_true(json_object_get(expected, "limited")) || j.nq != 1) continue;
        CHECK(read_flat(json_object_get(expected, "range"), range, 2) == 2);
        CHECK_NEAR(j.dof[0].lower, range[0], 1e-12);
        CHECK_NEAR(j.dof[0].upper, range[1], 1e-12);
    }
}

static void check_robot(const char *name)
{
    char path[2048];
    pinion_error err = {PINION_OK, 0, 0, ""};
    snprintf(path, sizeof path, "%s/oracle/%s", shared, name);
    json_t *file = json_load_file(path, 0, NULL);
    CHECK(file != NULL);
    snprintf(path, sizeof path, "%s/models/%s/%s", shared, json_string_value(json_object_get(file, "folder")),
             json_string_value(json_object_get(file, "file")));
    pinion_model *m = pinion_load(path, NULL, &err);
    if (!m && err.status == PINION_ERR_FILE && strstr(err.message, "there is no file")) {
        printf("skipped %s: %s is left out: %s\n", check_name, name, strrchr(err.message, '/'));
        without_mesh++;
    } else if (!m) {
        CHECK_FAIL("%s: %s", name, err.message);
    } else {
        pinion_work *w = pinion_work_new(m);
        const json_t *states = json_object_get(file, "states");
        CHECK(pinion_model_nq(m) == json_integer_value(json_object_get(file, "nq")));
        CHECK(pinion_model_nv(m) == json_integer_value(json_object_get(file, "nv")));
        compare_joints(name, m, json_object_get(file, "joints"));
        pinion_converter *c = pinion_converter_new(m, PINION_CONVENTION_MUJOCO, &err);
        if (!c) CHECK_FAIL("%s: %s", name, err.message);
        if (c) CHECK(pinion_converter_nq(c) == pinion_model_nq(m) && pinion_converter_nv(c) == pinion_model_nv(m));
        pinion_converter_free(c);
        for (size_t i = 0; i < json_array_size(states) && pinion_model_nv(m) > 0; i++)
            compare_state(name, m, w, json_array_get(states, i));
        pinion_work_free(w);
        robots++;
    }
    pinion_model_free(m);
    json_decref(file);
}

TEST(robots)
{
    const char *where = getenv("PINION_SHARED");
    char folder[1100];
    snprintf(shared, sizeof shared, "%s/mjcf", where ? where : "");
    snprintf(folder, sizeof folder, "%s/oracle", shared);
    struct dirent **entries = NULL;
    const int found = where ? scandir(folder, &entries, NULL, alphasort) : -1;
    if (found < 0) SKIP("there are no robots of MJCF with reference values beside the checkout");
    for (int i = 0; i < found; i++) {
        const size_t length = strlen(entries[i]->d_name);
        if (length > 5 && !strcmp(entries[i]->d_name + length - 5, ".json")) check_robot(entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
    printf("       %d robots; %d need a mesh that is not there\n", robots, without_mesh);
    CHECK(robots > 40);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(robots);
    return CHECK_END();
}
