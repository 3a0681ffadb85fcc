/* Generated code under the flags that take sums for exact and numbers for finite: all forms of it agree with the
 * library, and an angle beyond all precision gives NaN and no other angle. */
#define _DEFAULT_SOURCE

#include "compare.h"

#define BOUND 128.0 /* epsilons, as in test_end_to_end.c */

static const char *const flag_sets[] = {
    "-Ofast",
    "-O2 -ffast-math",
    "-Os -ffast-math",
    "-O3 -fassociative-math -fno-signed-zeros -fno-trapping-math",
    "-O2 -funsafe-math-optimizations",
    "-O3 -ffinite-math-only -fno-math-errno",
};
enum { FLAG_SETS = sizeof flag_sets / sizeof flag_sets[0] };

/* A chain of hinges with axes of every kind of neighbour: parallel, at a right angle, oblique. */
static pinion_model *robot(int joints)
{
    pinion_error err = {PINION_OK, 0, 0, ""};
    pinion_builder *b = pinion_builder_new("arm");
    pinion_status status = b ? PINION_OK : PINION_ERR_MEMORY;
    char name[2][16];
    for (int i = 0; i <= joints && status == PINION_OK; i++) {
        pinion_link_def link = pinion_link_def_default();
        snprintf(name[i % 2], sizeof name[0], "l%d", i);
        link.name = name[i % 2];
        link.inertia.mass = i ? 1 + 0.1 * i : 0;
        link.inertia.com[0] = i ? 0.1 : 0;
        link.inertia.inertia[0] = i ? 0.01 : 0;
        link.inertia.inertia[3] = link.inertia.inertia[5] = i ? 0.02 : 0;
        status = pinion_builder_add_link(b, &link, &err);
        if (i == 0 || status != PINION_OK) continue;
        pinion_joint_def joint = pinion_joint_def_default();
        joint.name = name[i % 2];
        joint.type = PINION_JOINT_CONTINUOUS;
        joint.parent = name[1 - i % 2];
        joint.child = name[i % 2];
        joint.parent_pose.position[0] = 0.3;
        joint.axis[0] = i % 4 == 3 ? 0.6 : 0;
        joint.axis[1] = i % 4 == 2 ? 1 : 0;
        joint.axis[2] = i % 4 == 3 ? 0.8 : i % 4 == 2 ? 0 : 1;
        status = pinion_builder_add_joint(b, &joint, &err);
    }
    pinion_model *m = status == PINION_OK ? pinion_builder_build(b, NULL, &err) : NULL;
    if (!m) CHECK_FAIL("%s", err.message);
    pinion_builder_free(b);
    return m;
}

/* An angle beyond the last that has a sine. */
static void check_far(bed *b, const built *code)
{
    pinion_generated_function f;
    uint64_t seed = check_seed;
    CHECK_STATUS(pinion_generated_function_info(code->g, 0, &f), PINION_OK);
    draw(b, &seed, 0, 1);
    b->q[1] = code->options.scalar == PINION_CODEGEN_F32 ? 2e6 : 1e15;
    b->f32_in[0][1] = (float)b->q[1];
    ask_code(b, code, 0, &f);
    CHECK(isnan(b->got[0]));
}

static void check_flags(pinion_model *m, const char *name, pinion_codegen_options options, int sets)
{
    static const char *const compilers[] = {"gcc", "clang"};
    built code;
    bed b = bed_new(m);
    if (generate_code(&code, m, &options, name))
        for (int i = 0; i < 2 * sets; i++) {
            if (!there_is(compilers[i % 2]) || !load_code(&code, compilers[i % 2], flag_sets[i / 2])) continue;
            for (int k = 0; k < pinion_generated_function_count(code.g); k++) {
                const double error = worst_error(&b, &code, k, 100, check_seed + (uint64_t)k);
                check_count++;
                if (!(error <= BOUND))
                    CHECK_FAIL("%s, %s %s: function %d is off by %.3g epsilon", name, compilers[i % 2],
                               flag_sets[i / 2], k, error);
            }
            check_far(&b, &code);
        }
    free_code(&code);
    bed_free(&b);
}

TEST(straight_lines)
{
    pinion_model *m = robot(6);
    pinion_codegen_options options = pinion_codegen_options_default();
    options.what = "gravity";
    if (m) check_flags(m, "f64", options, FLAG_SETS);
    options.scalar = PINION_CODEGEN_F32;
    if (m) check_flags(m, "f32", options, FLAG_SETS);
    options.scalar = PINION_CODEGEN_REAL;
    if (m) check_flags(m, "real", options, 1);
    pinion_model_free(m);
}

TEST(loops)
{
    pinion_model *m = robot(12);
    pinion_codegen_options options = pinion_codegen_options_default();
    options.what = "gravity";
    options.limb_limit = 10;
    if (m) check_flags(m, "loops_f64", options, 1);
    options.scalar = PINION_CODEGEN_F32;
    if (m) check_flags(m, "loops_f32", options, 1);
    pinion_model_free(m);
}

int main(int argc, char **argv)
{
    WORKPLACE_BEGIN(argc, argv);
    RUN(straight_lines);
    RUN(loops);
    return workplace_end();
}
