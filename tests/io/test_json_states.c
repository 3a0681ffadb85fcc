/* Named states and groups of joints in the native format. */
#include "pinion/pinion.h"
#include "support/check.h"

#define LINKS                                                                                                      \
    "{\"pinion\": 1, \"name\": \"m\",\n\"links\": [{\"name\": \"b\"}, {\"name\": \"x\", \"mass\": 1, \"inertia\": "  \
    "{\"xx\": 1, \"yy\": 1, \"zz\": 1}}, {\"name\": \"y\", \"mass\": 1, \"inertia\": {\"xx\": 1, \"yy\": 1, "        \
    "\"zz\": 1}}, {\"name\": \"z\", \"mass\": 1, \"inertia\": {\"xx\": 1, \"yy\": 1, \"zz\": 1}}],\n\"joints\": ["   \
    "{\"name\": \"fly\", \"type\": \"free\", \"parent\": \"b\", \"child\": \"x\"}, {\"name\": \"turn\", \"type\": "  \
    "\"revolute\", \"axis\": [0, 1, 0], \"parent\": \"x\", \"child\": \"y\", \"initial\": {\"q\": 0.25, "            \
    "\"v\": 2}}, {\"name\": \"finger\", \"type\": \"prismatic\", \"parent\": \"y\", \"child\": \"z\", "              \
    "\"mimic\": {\"joint\": \"turn\", \"multiplier\": 2}}],\n"

static const char GOOD[] = LINKS
    "\"states\": {\"home\": {\"q\": {\"turn\": 1.5, \"fly\": [0.6, 0, 0, 0.8, 1, 2, 3]}}, \"fast\": {\"v\": "
    "{\"turn\": -1,"
    " \"fly\": [1, 2, 3, 4, 5, 6]}, \"q\": {\"finger\": 9}}},\n\"groups\": {\"hand\": [\"finger\", \"turn\"], "
    "\"none\": []}}\n";

static pinion_model *load(const char *text, pinion_mimic mimic, pinion_error *err)
{
    pinion_load_options o = pinion_load_options_default();
    o.mimic = mimic;
    return pinion_load_string(text, strlen(text), PINION_FORMAT_JSON, "m.json", &o, err);
}

static void is_good(const pinion_model *m)
{
    double q[9], v[8];
    CHECK(pinion_model_state_count(m) == 2 && pinion_model_group_count(m) == 2);
    CHECK(pinion_model_find_state(m, "home") == 0 && pinion_model_find_state(m, "house") == -1);
    CHECK(strcmp(pinion_model_state_name(m, 1), "fast") == 0 && !pinion_model_state_name(m, 2));
    CHECK_STATUS(pinion_model_state(m, 0, q, v), PINION_OK);
    const double home[8] = {0.6, 0, 0, 0.8, 1, 2, 3, 1.5};
    for (int i = 0; i < 8; i++) CHECK(q[i] == home[i]);
    CHECK(v[0] == 0 && v[6] == 2); /* where it says nothing, as the model starts */
    CHECK_STATUS(pinion_model_state(m, 1, q, v), PINION_OK);
    CHECK(q[0] == 1 && q[6] == 0 && q[7] == 0.25 && v[0] == 1 && v[5] == 6 && v[6] == -1);
    CHECK_STATUS(pinion_model_state(m, 2, q, v), PINION_ERR_ARGUMENT);
    int count = -1;
    const int *joints = pinion_model_group(m, pinion_model_find_group(m, "hand"), &count);
    CHECK(count == 2 && joints && joints[0] == pinion_model_find_joint(m, "finger") &&
          joints[1] == pinion_model_find_joint(m, "turn"));
    CHECK(pinion_model_group(m, 1, &count) && count == 0 && !pinion_model_group(m, 2, &count));
}

TEST(read_copied_and_written_back)
{
    pinion_error err = {0};
    pinion_model *m = load(GOOD, PINION_MIMIC_FOLLOW, &err);
    if (!m) CHECK_FAIL("%s", err.message);
    is_good(m);
    pinion_model *copy = pinion_model_copy(m);
    is_good(copy);
    char *text = pinion_save_string(m, PINION_FORMAT_JSON, &err);
    pinion_model *again = text ? load(text, PINION_MIMIC_FOLLOW, &err) : NULL;
    if (!again) CHECK_FAIL("%s", err.message);
    is_good(again);
    pinion_free(text);
    pinion_model_free(again);
    pinion_model_free(copy);
    pinion_model_free(m);

    /* a follower that is on its own has a coordinate */
    m = load(GOOD, PINION_MIMIC_INDEPENDENT, &err);
    double q[9];
    CHECK_STATUS(pinion_model_state(m, 1, q, NULL), PINION_OK);
    CHECK(pinion_model_nq(m) == 9 && q[8] == 9);
    pinion_model_free(m);
}

/* A joint that starts moving rests in a state that says so, also when that is written and read again. */
TEST(rest_is_written)
{
    static const char *const states[] = {"{\"v\": {\"turn\": 0}}",
                                         "{\"v\": {\"turn\": 0, \"fly\": [0, 0, 0, 0, 0, 7]}}"};
    for (int i = 0; i < 2; i++) {
        pinion_error err = {0};
        double v[7] = {0};
        char text[2000];
        snprintf(text, sizeof text, "%s\"states\": {\"rest\": %s}}\n", LINKS, states[i]);
        pinion_model *m = load(text, PINION_MIMIC_FOLLOW, &err);
        char *saved = m ? pinion_save_string(m, PINION_FORMAT_JSON, &err) : NULL;
        pinion_model *again = saved ? load(saved, PINION_MIMIC_FOLLOW, &err) : NULL;
        if (!again) CHECK_FAIL("%s", err.message);
        CHECK_STATUS(pinion_model_state(again, 0, NULL, v), PINION_OK);
        CHECK(v[5] == 7 * i && v[6] == 0);
        pinion_free(saved);
        pinion_model_free(again);
        pinion_model_free(m);
    }
}

/* Where no joint starts moving, a state at rest says nothing of velocities. */
TEST(what_rests_anyway_is_not_written)
{
    pinion_error err = {0};
    pinion_model *m = load("{\"pinion\": 1, \"name\": \"a\", \"links\": [{\"name\": \"base\"}, {\"name\": \"arm\", "
                           "\"mass\": 1, \"inertia\": {\"xx\": 1, \"yy\": 1, \"zz\": 1}}],\n\"joints\": [{\"name\": "
                           "\"turn\", \"type\": \"revolute\", \"parent\": \"base\", \"child\": \"arm\"}],\n\"states\": "
                           "{\"up\": {\"q\": {\"turn\": 0.5}, \"v\": {\"turn\": 0}}}}\n",
                           PINION_MIMIC_FOLLOW, &err);
    char *saved = m ? pinion_save_string(m, PINION_FORMAT_JSON, &err) : NULL;
    if (!saved) CHECK_FAIL("%s", err.message);
    CHECK(saved && strstr(saved, "\"up\"") && !strstr(saved, "\"v\""));
    pinion_free(saved);
    pinion_model_free(m);
}

TEST(what_is_wrong_is_told)
{
    static const struct {
        const char *text, *part;
    } bad[] = {
        {"\"states\": {\"s\": {\"q\": {\"nose\": 1}}}}", "joint 'nose' does not exist"},
        {"\"states\": {\"s\": {\"q\": {\"turn\": [1, 2]}}}}", "another number of coordinates"},
        {"\"states\": {\"s\": {\"q\": {\"fly\": [1, 1, 0, 0, 0, 0, 0]}}}}", "quaternion"},
        {"\"states\": {\"s\": {\"q\": {\"turn\": \"1\"}}}}", "number"},
        {"\"states\": {\"s\": {\"p\": {}}}}", "unknown key"},
        {"\"states\": {\"\": {}}}", "no name"},
        {"\"states\": []}", "an object of named states"},
        {"\"groups\": {\"g\": [\"nose\"]}}", "group 'g': joint 'nose' does not exist"},
        {"\"groups\": {\"turn\": []}}", "has the name of a joint"},
        {"\"groups\": {\"g\": \"turn\"}}", "array"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char text[3000];
        pinion_error err = {0};
        snprintf(text, sizeof text, "%s%s", LINKS, bad[i].text);
        pinion_model *m = load(text, PINION_MIMIC_FOLLOW, &err);
        CHECK(!m);
        CHECK_HAS(err.message, bad[i].part);
        CHECK_HAS(err.message, "m.json:4: ");
        pinion_model_free(m);
    }
}

TEST(by_the_builder)
{
    pinion_error err = {0};
    pinion_builder *b = pinion_builder_new("m");
    const char *joints[1] = {"gone"};
    const pinion_state_entry none = {.joint = "gone", .count = 0};
    CHECK(pinion_builder_add_state(b, "s", 1, &none, 0, &err) == PINION_ERR_MODEL);
    CHECK(pinion_builder_add_state(b, "", 0, NULL, 0, &err) == PINION_ERR_MODEL);
    CHECK(pinion_builder_add_group(b, "g", 1, NULL, 0, &err) == PINION_ERR_ARGUMENT);
    CHECK(pinion_builder_add_group(NULL, "g", 1, joints, 0, &err) == PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_builder_add_group(b, "g", 1, joints, 0, &err), PINION_OK);
    CHECK_STATUS(pinion_builder_add_group(b, "g", 0, NULL, 0, &err), PINION_OK);
    pinion_link_def link = pinion_link_def_default();
    link.name = "base";
    CHECK_STATUS(pinion_builder_add_link(b, &link, &err), PINION_OK);
    CHECK(!pinion_builder_build(b, NULL, &err));
    CHECK_HAS(err.message, "has the name of another"); /* told before what it is made of */
    pinion_builder_free(b);
}

/* A free base is a joint of the states, too: what is written from such a model reads back. */
TEST(states_of_a_free_base)
{
    static const char text[] =
        "{\"pinion\": 1, \"links\": [{\"name\": \"b\", \"mass\": 1, \"inertia\": {\"xx\": 1, \"yy\": 1, "
        "\"zz\": 1}}], \"states\": {\"high\": {\"q\": {\"root\": [0.6, 0, 0.8, 0, 1, 2, 3]}, "
        "\"v\": {\"root\": [0, 0, 0, 4, 5, 6]}}}}";
    pinion_load_options o = pinion_load_options_default();
    o.root = PINION_ROOT_FREE;
    pinion_error err = {PINION_OK, 0, 0, ""};
    pinion_model *m = pinion_load_string(text, strlen(text), PINION_FORMAT_JSON, "f", &o, &err);
    for (int round = 0; round < 2; round++) {
        if (!m) CHECK_FAIL("%s", err.message);
        double q[7] = {0}, v[6] = {0};
        CHECK_STATUS(pinion_model_state(m, 0, q, v), PINION_OK);
        CHECK(q[0] == 0.6 && q[2] == 0.8 && q[6] == 3 && v[3] == 4 && v[5] == 6);
        char *again = pinion_save_string(m, PINION_FORMAT_JSON, &err);
        CHECK(again != NULL);
        pinion_model_free(m);
        m = pinion_load_string(again, strlen(again), PINION_FORMAT_JSON, "again", &o, &err);
        pinion_free(again);
    }
    pinion_model_free(m);

    /* a file that was written so loads without the option, too; what cannot be is refused all the same */
    o.root = PINION_ROOT_FIXED;
    m = pinion_load_string(text, strlen(text), PINION_FORMAT_JSON, "f", &o, &err);
    if (!m) CHECK_FAIL("%s", err.message);
    CHECK(pinion_model_nq(m) == 0 && pinion_model_find_state(m, "high") == 0);
    CHECK(pinion_model_state(m, 0, NULL, NULL) == PINION_OK);
    pinion_model_free(m);
    static const char wrong[] = "{\"pinion\": 1, \"links\": [{\"name\": \"b\", \"mass\": 1}], "
                                "\"states\": {\"high\": {\"q\": {\"root\": [1, 2]}}}, \"groups\": {\"g\": [\"root\"]}}";
    CHECK(!pinion_load_string(wrong, strlen(wrong), PINION_FORMAT_JSON, "f", &o, &err) && strstr(err.message, "root"));
    static const char group[] = "{\"pinion\": 1, \"links\": [{\"name\": \"b\", \"mass\": 1}], "
                                "\"groups\": {\"g\": [\"root\"]}}";
    int count = -1;
    m = pinion_load_string(group, strlen(group), PINION_FORMAT_JSON, "f", &o, &err);
    CHECK(m && (pinion_model_group(m, 0, &count), count == 0));
    pinion_model_free(m);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(states_of_a_free_base);
    RUN(read_copied_and_written_back);
    RUN(rest_is_written);
    RUN(what_rests_anyway_is_not_written);
    RUN(what_is_wrong_is_told);
    RUN(by_the_builder);
    return CHECK_END();
}
