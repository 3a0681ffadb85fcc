/* What has no equations in closed form, or too many, is refused with a reason; names of a model cannot become anything
 * but names; and memory may run out at any point. */
#include "memory/exhaust.h"
#include "printed.h"
#include "fixtures.h"

static void check_refused(const char *text, const pinion_load_options *load, const pinion_equations_options *options,
                          pinion_status status, const char *reason)
{
    pinion_model *m = model_of(text, load);
    pinion_error err = {PINION_OK, 0, 0, ""};
    pinion_equations *e = m ? pinion_equations_new(m, options, &err) : NULL;
    CHECK(m && !e);
    CHECK_STATUS(err.status, status);
    CHECK_HAS(err.message, reason);
    pinion_equations_free(e);
    /* the reason may be left out */
    if (m) CHECK(pinion_equations_new(m, options, NULL) == NULL);
    pinion_model_free(m);
}

TEST(kinds_of_models)
{
    pinion_load_options afloat = pinion_load_options_default();
    afloat.root = PINION_ROOT_FREE;
    check_refused(RP_ARM, &afloat, NULL, PINION_ERR_UNSUPPORTED, "joint 'root' is free");
    check_refused(SPHERICAL_JOINT, NULL, NULL, PINION_ERR_UNSUPPORTED, "joint 'ball' is spherical");
    check_refused("{\"pinion\": 1, \"name\": \"stone\", \"links\": [{\"name\": \"base\"}]}", NULL, NULL,
                  PINION_ERR_UNSUPPORTED, "no joint that moves");
    check_refused(HALF_FOLLOWER, NULL, NULL, PINION_ERR_UNSUPPORTED,
                  "joint 'follower' follows another 0.5 times as far");
}

TEST(closed_loops_by_their_name)
{
    check_refused(CLOSED_LOOP, NULL, NULL, PINION_ERR_LOOPS, "'pin' closes a loop");
}

TEST(too_many_terms)
{
    pinion_equations_options options = pinion_equations_options_default();
    options.max_terms = 20;
    check_refused(ELBOW_ARM, NULL, &options, PINION_ERR_UNSUPPORTED, "more than 20 terms");

    /* six skew axes: beyond any limit, and said soon */
    pinion_error err;
    pinion_model *m = pinion_random_chain(6, 1, &err);
    CHECK(m && !pinion_equations_new(m, NULL, &err));
    CHECK_STATUS(err.status, PINION_ERR_UNSUPPORTED);
    CHECK_HAS(err.message, "more than 600 terms");
    pinion_model_free(m);
    m = pinion_random_chain(100, 1, &err);
    CHECK(m && !pinion_equations_new(m, NULL, &err));
    CHECK_HAS(err.message, "100 moving bodies");
    pinion_model_free(m);

    /* a limit that is just enough */
    m = model_of(RP_ARM, NULL);
    pinion_equations *e = equations_of(m, NULL);
    options.max_terms = pinion_equations_terms(e);
    pinion_equations_free(e);
    e = equations_of(m, &options);
    CHECK(e && pinion_equations_terms(e) == options.max_terms);
    pinion_equations_free(e);
    options.max_terms--;
    CHECK(!pinion_equations_new(m, &options, &err));
    pinion_model_free(m);
}

TEST(options)
{
    pinion_model *m = model_of(RP_ARM, NULL);
    pinion_error err;
    const pinion_equations_options standard = pinion_equations_options_default();
    pinion_equations_options o = standard;
    memset(&o, 0, sizeof o);
    CHECK(!pinion_equations_new(m, &o, &err) && err.status == PINION_ERR_ARGUMENT);
    o = standard, o.max_terms = 0;
    CHECK(!pinion_equations_new(m, &o, &err) && err.status == PINION_ERR_ARGUMENT);
    o = standard, o.states = 0;
    CHECK(!pinion_equations_new(m, &o, &err) && err.status == PINION_ERR_ARGUMENT);
    o = standard, o.format = (pinion_equations_format)7;
    CHECK(!pinion_equations_new(m, &o, &err) && err.status == PINION_ERR_ARGUMENT);
    static const char *const wrong[] = {"",         "mass", "mass_matrix,", "mass_matrix,energy",
                                        ",gravity", "mass_matrix gravity"};
    for (int i = 0; i < 6; i++) {
        o = standard, o.what = wrong[i];
        CHECK(!pinion_equations_new(m, &o, &err));
        CHECK_STATUS(err.status, PINION_ERR_ARGUMENT);
    }
    CHECK(!pinion_equations_new(NULL, NULL, &err) && err.status == PINION_ERR_ARGUMENT);

    /* a part alone: the others are not there */
    double q[2] = {0.3, 0.2}, M[4], g[2];
    o = standard, o.what = "gravity";
    pinion_equations *e = equations_of(m, &o);
    CHECK_ENTRY(e, "M_11", "");
    CHECK_ENTRY(e, "g_2", "m_2 g s_1");
    CHECK_STATUS(pinion_equations_evaluate(e, q, NULL, NULL, NULL, g), PINION_OK);
    CHECK_NEAR(g[1], 0.7 * 9.81 * sin(0.3), 1e-13);
    CHECK_STATUS(pinion_equations_evaluate(e, q, NULL, M, NULL, NULL), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_equations_evaluate(e, NULL, NULL, NULL, NULL, g), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_equations_evaluate(NULL, q, NULL, NULL, NULL, g), PINION_ERR_ARGUMENT);
    CHECK(!strstr(pinion_equations_text(e), "Mass matrix"));
    pinion_equation x;
    pinion_equation_symbol s;
    CHECK_STATUS(pinion_equations_entry(e, -1, &x), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_equations_entry(e, pinion_equations_count(e), &x), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_equations_symbol(e, -1, &s), PINION_ERR_ARGUMENT);
    CHECK_STATUS(pinion_equations_symbol(e, pinion_equations_symbol_count(e), &s), PINION_ERR_ARGUMENT);
    pinion_equations_free(e);
    pinion_equations_free(NULL);
    pinion_model_free(m);
}

/* names that would be commands of TeX, comments, or of a terminal */
TEST(names_are_only_names)
{
    const char *model = MODEL(DOWN_Z, ROUND("a%b#c$d&e_f{g}h~i^j\\\\input{x}", "1", "[0.2, 0, 0]"),
                              JOINT("\\u00e9\\u20ac<|>\\\"", "continuous", "base", "a%b#c$d&e_f{g}h~i^j\\\\input{x}",
                                    "[0, 1, 0]", ZERO) "}");
    pinion_model *m = model_of(model, NULL);
    pinion_equations_options options = pinion_equations_options_default();
    options.format = PINION_EQUATIONS_LATEX;
    pinion_equations *e = equations_of(m, &options);
    if (e) {
        const char *text = pinion_equations_text(e);
        CHECK_HAS(text, "mass of a\\%b\\#c\\$d\\&e\\_f\\{g\\}h\\textasciitilde{}i\\textasciicircum{}j"
                        "\\textbackslash{}input\\{x\\}");
        CHECK_HAS(text, "angle of ?" "?\\textless{}\\textbar{}\\textgreater{}''");
        CHECK(!strstr(text, "\\input"));
    }
    pinion_equations_free(e);
    e = equations_of(m, NULL);
    if (e) {
        CHECK_HAS(pinion_equations_text(e), "mass of a%b#c$d&e_f{g}h~i^j\\input{x}");
        CHECK_HAS(pinion_equations_text(e), "angle of ?" "?<|>\"");
        for (const char *c = pinion_equations_text(e); *c; c++) CHECK((*c >= ' ' && *c < 0x7f) || *c == '\n');
    }
    pinion_equations_free(e);
    pinion_model_free(m);
}

/* long names are cut, not written past the end of anything */
TEST(long_names)
{
    char name[255], *text = malloc(20000);
    memset(name, '_', sizeof name - 1);
    name[sizeof name - 1] = 0;
    snprintf(text, 20000,
             "{\"pinion\": 1, \"name\": \"%s\", \"links\": [{\"name\": \"base\"}, "
             "{\"name\": \"%s\", \"mass\": 1, \"com\": [0.1, 0, 0]}], \"joints\": [{\"name\": \"%s\", "
             "\"type\": \"continuous\", \"parent\": \"base\", \"child\": \"%s\", \"axis\": [0, 1, 0]}]}",
             name, name, name, name);
    pinion_model *m = model_of(text, NULL);
    for (int latex = 0; latex < 2; latex++) {
        pinion_equations_options options = pinion_equations_options_default();
        options.format = latex ? PINION_EQUATIONS_LATEX : PINION_EQUATIONS_TEXT;
        pinion_equations *e = equations_of(m, &options);
        if (e) CHECK_HAS(pinion_equations_text(e), latex ? "\\_\\_... \\\\\n" : "____...\n");
        pinion_equations_free(e);
    }
    pinion_model_free(m);
    free(text);
}

static int make(void *context, pinion_error *err)
{
    pinion_equations_options options = pinion_equations_options_default();
    options.states = 1;
    options.format = PINION_EQUATIONS_LATEX;
    pinion_equations *e = pinion_equations_new(context, &options, err);
    alloc_work();
    const int done = e != NULL;
    pinion_equations_free(e);
    return done;
}

TEST(memory_runs_out)
{
    if (!ALLOCATOR) SKIP(allocator_absent);
    static const char *const models[] = {RP_ARM, SKEW_ARM, FOLLOWERS};
    for (int i = 0; i < 3; i++) {
        pinion_model *m = model_of(models[i], NULL);
        if (m) exhaust(make, m, ONLY_MEMORY);
        pinion_model_free(m);
    }
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(kinds_of_models);
    RUN(closed_loops_by_their_name);
    RUN(too_many_terms);
    RUN(options);
    RUN(names_are_only_names);
    RUN(long_names);
    RUN(memory_runs_out);
    return CHECK_END();
}
