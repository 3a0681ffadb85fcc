/* A result in memory: what it keeps, what it refuses, and the names and units of coordinates. */
#include "base/hash.h"
#include "check.h"
#include "pinion/pinion.h"
#include "pinion/sim/result.h"

TEST(texts)
{
    pinion_result *r = pinion_result_new();
    CHECK(r && pinion_result_key_count(r) == 0 && !pinion_result_key(r, 0) && !pinion_result_get(r, "title"));
    CHECK_STATUS(pinion_result_set(r, "title", "one"), PINION_OK);
    CHECK_STATUS(pinion_result_set(r, "command", ""), PINION_OK);
    CHECK_STATUS(pinion_result_set(r, "title", "two\nlines"), PINION_OK);
    CHECK(pinion_result_key_count(r) == 2 && !pinion_result_key(r, 2) && !pinion_result_key(r, -1));
    CHECK(!strcmp(pinion_result_key(r, 0), "title") && !strcmp(pinion_result_key(r, 1), "command"));
    CHECK(!strcmp(pinion_result_get(r, "title"), "two\nlines") &&
          !strcmp(pinion_result_get(r, "command"), ""));

    /* bytes that are no text are replaced, whole characters are not */
    CHECK_STATUS(pinion_result_set(r, "path", "a\xff/\xe4.json \xc3\xa4 \xed\xa0\x80 \xf0\x9f\xa4\x96"),
                 PINION_OK);
    CHECK(!strcmp(pinion_result_get(r, "path"),
                  "a\xef\xbf\xbd/\xef\xbf\xbd.json \xc3\xa4 \xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"
                  " \xf0\x9f\xa4\x96"));

    /* keys that some format could not hold */
    static const char *const bad[] = {"",   "1a",       "a b",           "a:b", "a/b",
                                      "_a", "\xc3\xa4", "pinion_result", "a\n"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        CHECK_STATUS(pinion_result_set(r, bad[i], "x"), PINION_ERR_ARGUMENT);
        CHECK_STATUS(pinion_result_set_numbers(r, bad[i], 0, NULL), PINION_ERR_ARGUMENT);
    }
    char key[65];
    memset(key, 'k', 64);
    key[64] = '\0';
    CHECK_STATUS(pinion_result_set(r, key, "x"), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_result_set(r, key + 1, "x"), PINION_OK);
    CHECK_STATUS(pinion_result_set(r, "a", NULL), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_result_set(NULL, "a", "x"), PINION_ERR_ARGUMENT);
    CHECK(pinion_result_key_count(r) == 4);

    /* a thousand keys and no more; known ones still change */
    for (int i = 4; i < 1000; i++) {
        char name[16];
        snprintf(name, sizeof name, "k%d", i);
        CHECK_STATUS(pinion_result_set(r, name, "x"), PINION_OK);
    }
    CHECK_STATUS(pinion_result_set(r, "more", "x"), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_result_set(r, "k999", "y"), PINION_OK);
    pinion_result_free(r);
    pinion_result_free(NULL);
}

TEST(numbers)
{
    pinion_result *r = pinion_result_new();
    double x[3] = {1, NAN, -INFINITY};
    int count = 7;
    CHECK(!pinion_result_numbers(r, "memory", &count) && count == 0);
    CHECK_STATUS(pinion_result_set_numbers(r, "memory", 3, x), PINION_OK);
    CHECK_STATUS(pinion_result_set_numbers(r, "a", 0, NULL), PINION_OK);
    x[0] = 5; /* it keeps a copy */
    const double *kept = pinion_result_numbers(r, "memory", &count);
    CHECK(kept && count == 3 && kept[0] == 1 && isnan(kept[1]) && kept[2] == -INFINITY);
    CHECK(pinion_result_numbers(r, "a", &count) && count == 0);
    CHECK_STATUS(pinion_result_set_numbers(r, "memory", 1, x), PINION_OK);
    kept = pinion_result_numbers(r, "memory", &count);
    CHECK(kept && count == 1 && kept[0] == 5 && pinion_result_numbers(r, "memory", NULL) == kept);
    CHECK_STATUS(pinion_result_set_numbers(r, "b", -1, x), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_result_set_numbers(r, "b", 1, NULL), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_result_set_numbers(r, "b", 1 << 27, x), PINION_ERR_ARGUMENT);
    CHECK(pinion_result_key_count(r) == 0); /* texts and numbers are apart */
    pinion_result_free(r);
}

TEST(table)
{
    pinion_result *r = pinion_result_new();
    double row[2] = {0, 0};
    pinion_column column;
    CHECK_STATUS(pinion_result_add_row(r, row), PINION_ERR_ARGUMENT); /* no columns yet */
    CHECK_STATUS(pinion_result_add_column(r, "t", "s"), PINION_OK);
    CHECK_STATUS(pinion_result_add_column(r, "x [y], \"z\"", NULL), PINION_OK);
    CHECK_STATUS(pinion_result_add_column(r, "t", "m"), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_result_add_column(r, "", "m"), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_result_add_column(r, "\xff", "m"), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_result_add_column(r, "u", "[m]"), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_result_add_column(r, "u", "m\n"), PINION_ERR_ARGUMENT);
    CHECK(pinion_result_column_count(r) == 2 && pinion_result_find_column(r, "t") == 0);
    CHECK(pinion_result_find_column(r, "x [y], \"z\"") == 1 && pinion_result_find_column(r, "x") == -1);
    CHECK_STATUS(pinion_result_column(r, 1, &column), PINION_OK);
    CHECK(!strcmp(column.name, "x [y], \"z\"") && !strcmp(column.unit, ""));
    CHECK_STATUS(pinion_result_column(r, 2, &column), PINION_ERR_ARGUMENT);

    for (int i = 0; i < 1000; i++) {
        row[0] = i;
        row[1] = -i;
        CHECK_STATUS(pinion_result_add_row(r, row), PINION_OK);
    }
    CHECK(pinion_result_row_count(r) == 1000 && !pinion_result_values(r, 2) && !pinion_result_values(r, -1));
    const double *t = pinion_result_values(r, 0), *x = pinion_result_values(r, 1);
    for (int i = 0; i < 1000; i++) CHECK(t[i] == i && x[i] == -i);
    CHECK_STATUS(pinion_result_add_column(r, "late", ""), PINION_ERR_ARGUMENT);
    pinion_result_free(r);
}

TEST(events)
{
    pinion_result *r = pinion_result_new();
    char text[1026];
    double t = 0;
    memset(text, 'x', sizeof text);
    text[1024] = '\0';
    CHECK_STATUS(pinion_result_add_event(r, 1.5, "limit elbow"), PINION_OK);
    CHECK_STATUS(pinion_result_add_event(r, 1.25, ""), PINION_OK); /* in the order of adding */
    CHECK_STATUS(pinion_result_add_event(r, 2, text), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_result_add_event(r, 2, "\xc0\x80"), PINION_ERR_ARGUMENT);
    CHECK(pinion_result_event_count(r) == 2 && !pinion_result_event(r, 2, &t));
    CHECK(!strcmp(pinion_result_event(r, 0, &t), "limit elbow") && t == 1.5);
    CHECK(!strcmp(pinion_result_event(r, 1, &t), "") && t == 1.25);
    pinion_result_free(r);
}

/* The stored model loads again, and its hash is that of its text. */
TEST(model)
{
    CHECK_STATUS(pinion_result_set_model(NULL, NULL, NULL), PINION_ERR_ARGUMENT);
    for (int free_root = 0; free_root < 2; free_root++) {
        pinion_error err = {PINION_OK, 0, 0, ""};
        pinion_result *r = pinion_result_new();
        pinion_model *m = pinion_random_tree(5, 0, check_seed, &err);
        char *json = m ? pinion_save_string(m, PINION_FORMAT_JSON, &err) : NULL;
        CHECK(r && json);
        if (!json) return;
        pinion_load_options o = pinion_load_options_default();
        o.root = free_root ? PINION_ROOT_FREE : PINION_ROOT_FIXED;
        pinion_model *with_root = pinion_load_string(json, strlen(json), PINION_FORMAT_JSON, NULL, &o, &err);
        CHECK_STATUS(pinion_result_set_model(r, with_root, &err), PINION_OK);
        const char *text = pinion_result_get(r, "model"), *hash = pinion_result_get(r, "model_hash");
        CHECK(text && hash && strlen(hash) == 64 && pinion_result_get(r, "model_name"));
        if (text && hash) {
            char expected[65];
            pn_sha256(text, strlen(text), expected);
            CHECK(!strcmp(expected, hash));
            pinion_model *again = pinion_load_string(text, strlen(text), PINION_FORMAT_AUTO, NULL, &o, &err);
            CHECK(again && pinion_model_nq(again) == pinion_model_nq(with_root));
            pinion_model_free(again);
        }
        pinion_free(json);
        pinion_model_free(with_root);
        pinion_model_free(m);
        pinion_result_free(r);
    }

    /* SHA-256 as everyone computes it */
    char hash[65];
    pn_sha256("abc", 3, hash);
    CHECK(!strcmp(hash, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"));
}

/* ---- coordinates ---- */

/* A model with one joint of a type. */
static pinion_model *one_joint(pinion_joint_type type, const char *name)
{
    pinion_error err;
    pinion_builder *b = pinion_builder_new("one");
    pinion_link_def link = pinion_link_def_default();
    pinion_joint_def joint = pinion_joint_def_default();
    link.name = "base";
    int bad = pinion_builder_add_link(b, &link, &err) != PINION_OK;
    link.name = "moving";
    link.inertia = (pinion_inertia){1, {0, 0, 0}, {1, 0, 0, 1, 0, 1}};
    bad |= pinion_builder_add_link(b, &link, &err) != PINION_OK;
    joint.name = name;
    joint.type = type;
    joint.parent = "base";
    joint.child = "moving";
    joint.pitch = type == PINION_JOINT_HELICAL ? 0.1 : 0;
    bad |= pinion_builder_add_joint(b, &joint, &err) != PINION_OK;
    pinion_model *m = bad ? NULL : pinion_builder_build(b, NULL, &err);
    if (!m) CHECK_FAIL("%s", err.message);
    pinion_builder_free(b);
    return m;
}

/* All names of one kind with their units, in one string. */
static const char *all_names(const pinion_model *m, const char *what, char *text, size_t size)
{
    int count = *what == 'q' ? pinion_model_nq(m) : pinion_model_nv(m);
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; i < count; i++) {
        char name[300];
        used += (size_t)snprintf(text + used, size - used, "%s%s[%s]", i ? " " : "",
                                 pinion_coordinate_name(m, what, i, name, sizeof name),
                                 pinion_coordinate_unit(m, what, i));
    }
    return text;
}

TEST(coordinates)
{
    static const struct {
        pinion_joint_type type;
        const char *q, *v, *a, *tau;
    } cases[] = {
        {PINION_JOINT_REVOLUTE, "q.j[rad]", "v.j[rad/s]", "a.j[rad/s^2]", "tau.j[N m]"},
        {PINION_JOINT_CONTINUOUS, "q.j[rad]", "v.j[rad/s]", "a.j[rad/s^2]", "tau.j[N m]"},
        {PINION_JOINT_PRISMATIC, "q.j[m]", "v.j[m/s]", "a.j[m/s^2]", "tau.j[N]"},
        {PINION_JOINT_HELICAL, "q.j[rad]", "v.j[rad/s]", "a.j[rad/s^2]", "tau.j[N m]"},
        {PINION_JOINT_CYLINDRICAL, "q.j.0[rad] q.j.1[m]", "v.j.0[rad/s] v.j.1[m/s]", "a.j.0[rad/s^2] a.j.1[m/s^2]",
         "tau.j.0[N m] tau.j.1[N]"},
        {PINION_JOINT_UNIVERSAL, "q.j.0[rad] q.j.1[rad]", "v.j.0[rad/s] v.j.1[rad/s]",
         "a.j.0[rad/s^2] a.j.1[rad/s^2]", "tau.j.0[N m] tau.j.1[N m]"},
        {PINION_JOINT_PLANAR, "q.j.0[m] q.j.1[m] q.j.2[rad]", "v.j.0[m/s] v.j.1[m/s] v.j.2[rad/s]",
         "a.j.0[m/s^2] a.j.1[m/s^2] a.j.2[rad/s^2]", "tau.j.0[N] tau.j.1[N] tau.j.2[N m]"},
        {PINION_JOINT_SPHERICAL, "q.j.0[] q.j.1[] q.j.2[] q.j.3[]", "v.j.0[rad/s] v.j.1[rad/s] v.j.2[rad/s]",
         "a.j.0[rad/s^2] a.j.1[rad/s^2] a.j.2[rad/s^2]", "tau.j.0[N m] tau.j.1[N m] tau.j.2[N m]"},
        {PINION_JOINT_FREE, "q.j.0[] q.j.1[] q.j.2[] q.j.3[] q.j.4[m] q.j.5[m] q.j.6[m]",
         "v.j.0[rad/s] v.j.1[rad/s] v.j.2[rad/s] v.j.3[m/s] v.j.4[m/s] v.j.5[m/s]",
         "a.j.0[rad/s^2] a.j.1[rad/s^2] a.j.2[rad/s^2] a.j.3[m/s^2] a.j.4[m/s^2] a.j.5[m/s^2]",
         "tau.j.0[N m] tau.j.1[N m] tau.j.2[N m] tau.j.3[N] tau.j.4[N] tau.j.5[N]"},
    };
    CHECK(sizeof cases / sizeof *cases == PINION_JOINT_TYPE_COUNT - 1); /* all but the fixed joint */
    char text[600];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pinion_model *m = one_joint(cases[i].type, "j");
        if (!m) continue;
        CHECK(!strcmp(all_names(m, "q", text, sizeof text), cases[i].q));
        CHECK(!strcmp(all_names(m, "v", text, sizeof text), cases[i].v));
        CHECK(!strcmp(all_names(m, "a", text, sizeof text), cases[i].a));
        CHECK(!strcmp(all_names(m, "tau", text, sizeof text), cases[i].tau));
        pinion_model_free(m);
    }
}

TEST(coordinates_out_of_range)
{
    char name[300] = "x", small[4];
    pinion_model *m = one_joint(PINION_JOINT_REVOLUTE, "a.b [c], \"d\"");
    if (!m) return;
    CHECK(!strcmp(pinion_coordinate_name(m, "q", 0, name, sizeof name), "q.a.b [c], \"d\""));
    CHECK(!strcmp(pinion_coordinate_name(m, "q", 1, name, sizeof name), ""));
    CHECK(!strcmp(pinion_coordinate_name(m, "q", -1, name, sizeof name), ""));
    CHECK(!strcmp(pinion_coordinate_name(m, "p", 0, name, sizeof name), ""));
    CHECK(!strcmp(pinion_coordinate_name(NULL, "q", 0, name, sizeof name), ""));
    CHECK(!strcmp(pinion_coordinate_name(m, "tau", 0, small, sizeof small), "tau"));
    CHECK(!strcmp(pinion_coordinate_unit(m, "q", 1), "") && !strcmp(pinion_coordinate_unit(m, "", 0), ""));
    pinion_model_free(m);
}

/* Every coordinate of trees over all joint types has a name of its own. */
TEST(coordinates_of_trees)
{
    static const char *const what[] = {"q", "v", "a", "tau"};
    for (uint64_t seed = check_seed; seed < check_seed + 20; seed++) {
        pinion_error err;
        pinion_model *m = pinion_random_tree(12, (int)(seed & 1), seed, &err);
        pinion_result *r = pinion_result_new();
        int wanted = 0;
        for (int k = 0; m && k < 4; k++) {
            int count = k ? pinion_model_nv(m) : pinion_model_nq(m);
            wanted += count;
            for (int i = 0; i < count; i++) {
                char name[300];
                CHECK_STATUS(
                    pinion_result_add_column(r, pinion_coordinate_name(m, what[k], i, name, sizeof name),
                                             pinion_coordinate_unit(m, what[k], i)),
                    PINION_OK);
            }
        }
        CHECK(m && pinion_result_column_count(r) == wanted);
        pinion_result_free(r);
        pinion_model_free(m);
    }
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(texts);
    RUN(numbers);
    RUN(table);
    RUN(events);
    RUN(model);
    RUN(coordinates);
    RUN(coordinates_out_of_range);
    RUN(coordinates_of_trees);
    return CHECK_END();
}
