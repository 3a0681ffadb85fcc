/* What is not refused but warned about, and the warnings of a loader. */
#include "describe_robot.h"

static void check_warning(const pinion_inertia *inertia, const char *expected)
{
    pinion_builder *b = small();
    pinion_link_def link = link_def("finger", 1);
    link.inertia = *inertia;
    CHECK_STATUS(pinion_builder_add_link(b, &link, NULL), PINION_OK);
    pinion_joint_def def = joint_def("j3", PINION_JOINT_FIXED, "hand", "finger", 1);
    CHECK_STATUS(pinion_builder_add_joint(b, &def, NULL), PINION_OK);
    pinion_model *m = pinion_builder_build(b, NULL, NULL);
    CHECK(m && pinion_model_warning_count(m) == (expected != NULL));
    if (m && expected) {
        CHECK_HAS(pinion_model_warning(m, 0), "'finger'");
        CHECK_HAS(pinion_model_warning(m, 0), expected);
        CHECK(!pinion_model_warning(m, 1) && !pinion_model_warning(m, -1));
    }
    pinion_model_free(m);
    pinion_builder_free(b);
}

/* What a loader has to say: kept as it is, cut and cleaned, ahead of the rest. */
TEST(loader_warnings)
{
    pinion_error err;
    pinion_builder *b = small();
    CHECK_STATUS(pinion_builder_add_warning(NULL, "x", &err), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_builder_add_warning(b, NULL, &err), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_builder_add_warning(b, "", &err), PINION_ERR_ARGUMENT);
    CHECK_HAS(err.message, "expected a builder and a sentence");

    /* cut between characters; what cannot be printed is one '?' a character or a stray byte */
    char longest[600];
    memset(longest, 'x', sizeof longest);
    memcpy(longest + 399, "\xc3\xa9z", 4);
    static const char odd[] =
        "a\nb\x7f \xc3\xa9 \xc2\x85 \xff\xe2\x82\xac \xe2\x82 \xf0\x9f\x98\x80 \x80 \xed\xa0\x80\xc3";
    CHECK_STATUS(pinion_builder_add_warning(b, "first", NULL), PINION_OK);
    CHECK_STATUS(pinion_builder_add_warning(b, longest, NULL), PINION_OK);
    CHECK_STATUS(pinion_builder_add_warning(b, odd, NULL), PINION_OK);
    CHECK_STATUS(pinion_builder_add_warning(b, "100 %s", NULL), PINION_OK);
    longest[399] = 'x';
    longest[400] = 'y';
    CHECK_STATUS(pinion_builder_add_warning(b, longest, NULL), PINION_OK);
    pinion_link_def link = link_def("finger", 1);
    link.inertia.mass = 0;
    CHECK_STATUS(pinion_builder_add_link(b, &link, NULL), PINION_OK);
    pinion_joint_def weld = joint_def("weld", PINION_JOINT_FIXED, "hand", "finger", 1);
    CHECK_STATUS(pinion_builder_add_joint(b, &weld, NULL), PINION_OK);

    /* in this order, in every model that is built */
    for (int i = 0; i < 2; i++) {
        pinion_model *m = pinion_builder_build(b, NULL, NULL);
        CHECK(m && pinion_model_warning_count(m) == 6);
        if (!m) continue;
        CHECK(strcmp(pinion_model_warning(m, 0), "first") == 0);
        CHECK(strlen(pinion_model_warning(m, 1)) == 399 && strspn(pinion_model_warning(m, 1), "x") == 399);
        CHECK(strcmp(pinion_model_warning(m, 2),
                     "a?b? \xc3\xa9 ? ?\xe2\x82\xac ?? \xf0\x9f\x98\x80 ? ????") == 0);
        CHECK(strcmp(pinion_model_warning(m, 3), "100 %s") == 0);
        CHECK(strlen(pinion_model_warning(m, 4)) == 400);
        CHECK_HAS(pinion_model_warning(m, 5), "'finger'");
        pinion_model_free(m);
    }
    pinion_builder_free(b);
}

TEST(warnings)
{
    pinion_inertia fine = {1, {0, 0, 0}, {0.02, 0.001, -0.002, 0.03, 0.001, 0.04}},
                   none = {0, {0, 0, 0}, {0}};
    pinion_inertia indefinite = {1, {0, 0, 0}, {0.02, 0.05, 0, 0.03, 0, 0.04}},
                   flat = {1, {0, 0, 0}, {1, 0, 0, 1, 0, 3}};
    pinion_inertia negative = {1, {0, 0, 0}, {-1e-9, 0, 0, 1e-8, 0, 1e-8}}, point = {1, {0, 0, 0}, {0}};
    pinion_inertia light = {0, {0, 0, 0}, {1, 0, 0, 1, 0, 1}}, plate = {1, {0, 0, 0}, {1, 0, 0, 2, 0, 3}};
    pinion_inertia rod = {1, {0, 0, 0}, {0, 0, 0, 2, 0, 2}}, fan = {1, {0, 0, 0}, {0, 0, 0, 1, 0, 2}};
    check_warning(&fine, NULL);
    check_warning(&plate, NULL);
    check_warning(&rod, NULL);
    check_warning(&fan, "not positive definite");
    check_warning(&none, NULL); /* part of a body with mass */
    check_warning(&indefinite, "not positive definite");
    check_warning(&negative, "not positive definite");
    check_warning(&point, "not positive definite");
    check_warning(&flat, "triangle");
    check_warning(&light, "no mass");

    /* a massless link that carries others is fine, a massless end is not, a weld may give it mass */
    pinion_builder *b = small();
    pinion_link_def link = link_def("between", 1);
    memset(&link.inertia, 0, sizeof link.inertia);
    CHECK_STATUS(pinion_builder_add_link(b, &link, NULL), PINION_OK);
    add_joint(b, "j3", "hand", "between", 1);
    pinion_model *m = pinion_builder_build(b, NULL, NULL);
    CHECK(m && pinion_model_warning_count(m) == 1);
    if (m) CHECK_HAS(pinion_model_warning(m, 0), "'between'");
    pinion_model_free(m);
    add_link(b, "end", 1);
    pinion_joint_def weld = joint_def("weld", PINION_JOINT_FIXED, "between", "end", 1);
    CHECK_STATUS(pinion_builder_add_joint(b, &weld, NULL), PINION_OK);
    m = pinion_builder_build(b, NULL, NULL);
    CHECK(m && pinion_model_warning_count(m) == 0);
    pinion_model_free(m);
    pinion_builder_free(b);

    b = small();
    CHECK_STATUS(pinion_builder_add_link(b, &link, NULL), PINION_OK);
    add_link(b, "end", 1);
    add_joint(b, "j3", "hand", "between", 1);
    pinion_joint_def last = joint_def("j4", PINION_JOINT_REVOLUTE, "between", "end", 1);
    last.dof[0].effort = -1;
    CHECK_STATUS(pinion_builder_add_joint(b, &last, NULL), PINION_OK);
    m = pinion_builder_build(b, NULL, NULL);
    CHECK(m && pinion_model_warning_count(m) == 1);
    if (m) CHECK_HAS(pinion_model_warning(m, 0), "'j4'");
    pinion_model_free(m);
    pinion_builder_free(b);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(loader_warnings);
    RUN(warnings);
    return CHECK_END();
}
