/* Making an integrator with memory running out, and that the library's own methods ask for none while they
 * step. */
#include "memory/exhaust.h"
#include "problem.h"

static int attempt_stepper(void *context, pinion_error *err)
{
    problem *p = context;
    const pn_system system = problem_system(p);
    pinion_sim_options o = with((pinion_integrator)p->calls, p->calls >= PINION_INTEGRATOR_RK4 &&
                                                                 p->calls <= PINION_INTEGRATOR_VARIATIONAL);
    pn_stepper *s = pn_stepper_new(&system, &o, err);
    alloc_work();
    pn_stepper_free(s);
    return s != NULL;
}

/* not those of SUNDIALS, which in version 6.4 uses what it could not allocate */
TEST(memory_runs_out)
{
    if (!ALLOCATOR) SKIP(allocator_absent);
    problem p = random_tree(5, 1, 3, 1);
    for (int i = PINION_INTEGRATOR_DOPRI5; i <= PINION_INTEGRATOR_VARIATIONAL; i++) {
        p.calls = i;
        printf("    %s\n", NAMES[i]);
        exhaust(attempt_stepper, &p, ONLY_MEMORY);
    }
    problem_free(&p);
}

TEST(steps_ask_for_no_memory)
{
    if (!ALLOCATOR) SKIP(allocator_absent);
    for (int i = PINION_INTEGRATOR_DOPRI5; i <= PINION_INTEGRATOR_VARIATIONAL; i++) {
        problem p = random_tree(9, 1, 11, 1);
        pinion_sim_options o = with((pinion_integrator)i, i >= PINION_INTEGRATOR_RK4 ? 1e-2 : 0);
        pn_stepper *s = begin(&p, &o);
        double q[MOST], v[MOST], z, *memory = calloc((size_t)pn_stepper_memory_size(s), sizeof *memory);
        const long calls = alloc_calls;
        run_to(s, 0.1);
        CHECK_STATUS(pn_stepper_step(s, 1), PINION_OK);
        const double t = 0.5 * (pn_stepper_before(s) + pn_stepper_now(s));
        CHECK_STATUS(pn_stepper_at(s, t, q, v, &z), PINION_OK);
        CHECK_STATUS(pn_stepper_store(s, memory), PINION_OK);
        CHECK_STATUS(pn_stepper_cut(s, t), PINION_OK);
        CHECK_STATUS(pn_stepper_restore(s, memory), PINION_OK);
        CHECK_STATUS(pn_stepper_step(s, 1), PINION_OK);
        CHECK(alloc_calls == calls);
        free(memory);
        pn_stepper_free(s);
        problem_free(&p);
    }
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(memory_runs_out);
    RUN(steps_ask_for_no_memory);
    return CHECK_END();
}
