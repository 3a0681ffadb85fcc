/* Added mass in model files: read, written and read again, refused where it is wrong, told where it has no place. */
#include "check.h"
#include "pinion/io.h"
#include "pinion/pinion.h"

#define MODEL(added)                                                                                         \
    "{\"pinion\": 1, \"links\": [{\"name\": \"base\"},\n"                                                     \
    " {\"name\": \"arm\", \"mass\": 2, \"inertia\": {\"xx\": 1, \"yy\": 1, \"zz\": 1},\n"                       \
    "  \"added_mass\": " added "}],\n"                                                                        \
    " \"joints\": [{\"name\": \"j\", \"type\": \"revolute\", \"parent\": \"base\",\n"                               \
    "  \"child\": \"arm\",\n"                                                                                \
    "  \"axis\": [0, 0, 1]}]}"

#define ROWS "[[1,0,0,0,0,0.5],[0,1,0,0,0,0],[0,0,1,0,0,0],[0,0,0,1,0,0],[0,0,0,0,1,0],[0.5,0,0,0,0,1]]"

static pinion_model *read_text(const char *text, pinion_error *err)
{
    return pinion_load_string(text, strlen(text), PINION_FORMAT_JSON, "text", NULL, err);
}

TEST(read_and_written)
{
    pinion_error err;
    pinion_model *m = read_text(MODEL("[1, 2, 3, 4, 5, 6]"), &err);
    CHECK(m);
    if (!m) return;
    pinion_link_info link;
    CHECK_STATUS(pinion_model_link(m, pinion_model_find_link(m, "base"), &link), PINION_OK);
    CHECK(!link.added_mass);
    CHECK_STATUS(pinion_model_link(m, pinion_model_find_link(m, "arm"), &link), PINION_OK);
    CHECK(link.added_mass);
    for (int i = 0; link.added_mass && i < 36; i++) CHECK(link.added_mass[i] == (i % 7 == 0 ? i / 7 + 1 : 0));

    /* about the axis it is the arm's 1 and the fluid's 3 */
    pinion_work *w = pinion_work_new(m);
    double M, q = 0.3;
    CHECK_STATUS(pinion_mass_matrix(m, w, &q, &M), PINION_OK);
    CHECK_NEAR(M, 4, 1e-15);
    pinion_work_free(w);

    char *text = pinion_save_string(m, PINION_FORMAT_JSON, &err);
    CHECK(text);
    pinion_model *again = text ? read_text(text, &err) : NULL;
    CHECK(again);
    pinion_link_info back;
    if (again) CHECK_STATUS(pinion_model_link(again, pinion_model_find_link(again, "arm"), &back), PINION_OK);
    if (again) CHECK(back.added_mass && memcmp(back.added_mass, link.added_mass, 36 * sizeof(double)) == 0);
    pinion_model_free(again);
    pinion_free(text);
    pinion_model_free(m);

    m = read_text(MODEL(ROWS), &err);
    CHECK(m);
    if (m) CHECK_STATUS(pinion_model_link(m, pinion_model_find_link(m, "arm"), &link), PINION_OK);
    if (m) CHECK(link.added_mass && link.added_mass[5] == 0.5 && link.added_mass[30] == 0.5);
    pinion_model_free(m);
}

TEST(refused)
{
    static const struct {
        const char *text, *message;
    } bad[] = {{MODEL("[1, 2, 3]"), "six rows of six"},
               {MODEL("5"), "six rows of six"},
               {MODEL("[[1], 2, 3, 4, 5, 6]"), "6"},
               {MODEL("[1, -2, 3, 4, 5, 6]"), "link 'arm': its added mass is not positive semidefinite"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        pinion_error err;
        pinion_model *m = read_text(bad[i].text, &err);
        CHECK(!m);
        CHECK_HAS(err.message, bad[i].message);
        CHECK(err.line > 0);
        pinion_model_free(m);
    }
}

TEST(told)
{
    static const pinion_format formats[] = {PINION_FORMAT_URDF, PINION_FORMAT_MJCF, PINION_FORMAT_SDF};
    pinion_error err;
    pinion_model *m = read_text(MODEL("[0, 0, 0, 4, 5, 6]"), &err);
    for (size_t i = 0; m && i < sizeof formats / sizeof *formats; i++) {
        char *told = NULL, *text = pinion_save_string_telling(m, formats[i], &told, &err);
        CHECK(text);
        CHECK_HAS(told, "its added mass is left out");
        pinion_free(text);
        pinion_free(told);
        text = pinion_save_string(m, formats[i], &err);
        CHECK(!text);
        CHECK_HAS(err.message, "added mass");
        pinion_free(text);
    }
    pinion_model_free(m);
}

/* a model twice as long and eight times as heavy has eight times the added mass, 32 times the moments */
TEST(scaled)
{
    pinion_error err;
    pinion_model *m = read_text(MODEL(ROWS), &err);
    pinion_model *s = m ? pinion_model_scale(m, 2, 8, &err) : NULL;
    CHECK(s);
    pinion_link_info link;
    if (s) CHECK_STATUS(pinion_model_link(s, pinion_model_find_link(s, "arm"), &link), PINION_OK);
    if (s) CHECK(link.added_mass[0] == 32 && link.added_mass[5] == 8 && link.added_mass[35] == 8);
    pinion_model_free(s);
    pinion_model_free(m);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(read_and_written);
    RUN(refused);
    RUN(told);
    RUN(scaled);
    return CHECK_END();
}
