/* Random states of a model, rounded to float, and what the library computes at them in double: a header for measure.c.
 *
 *     reference MODEL >reference.h */
#include <stdio.h>
#include <stdlib.h>

#include <pinion/pinion.h>

enum { STATES = 16, SEED = 7 };

static void fail(const char *why)
{
    fprintf(stderr, "reference: %s\n", why);
    exit(1);
}

static void print(const char *type, const char *name, const double *x, int size)
{
    printf("static const %s %s[STATES][%d] = {\n", type, name, size);
    for (int s = 0; s < STATES; s++) {
        printf("    {");
        for (int i = 0; i < size; i++) printf("%s%a%s", i ? ", " : "", x[s * size + i], type[0] == 'f' ? "f" : "");
        printf("},\n");
    }
    printf("};\n");
}

static double *numbers(int size)
{
    double *x = calloc((size_t)(STATES * size), sizeof *x);
    if (!x) fail("out of memory");
    return x;
}

/* Floats between -scale and scale: a linear congruential generator, the same everywhere. */
static double *random_numbers(int size, double scale)
{
    static uint64_t seed = SEED;
    double *x = numbers(size);
    for (int i = 0; i < STATES * size; i++) {
        seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        x[i] = (float)(scale * ((double)(seed >> 32) * 0x1p-31 - 1));
    }
    return x;
}

int main(int argc, char **argv)
{
    if (argc != 2) fail("usage: reference MODEL");
    pinion_error err;
    pinion_model *m = pinion_load(argv[1], NULL, &err);
    if (!m) fail(err.message);
    pinion_work *w = pinion_work_new(m);
    const int nv = pinion_model_nv(m);
    if (!w || pinion_model_nq(m) != nv) fail("an arm with nq = nv is wanted");

    double *q = random_numbers(nv, 3), *v = random_numbers(nv, 2), *a = random_numbers(nv, 5);
    double *tau = random_numbers(nv, 20);
    double *id = numbers(nv), *g = numbers(nv), *M = numbers(nv * nv), *fd = numbers(nv);
    for (int s = 0; s < STATES; s++) {
        const int i = s * nv;
        if (pinion_inverse_dynamics(m, w, q + i, v + i, a + i, NULL, id + i) || pinion_gravity(m, w, q + i, g + i) ||
            pinion_mass_matrix(m, w, q + i, M + i * nv) ||
            pinion_forward_dynamics(m, w, q + i, v + i, tau + i, NULL, fd + i))
            fail("a call failed");
    }

    printf("enum { NV = %d, STATES = %d };\n", nv, STATES);
    print("float", "q", q, nv);
    print("float", "v", v, nv);
    print("float", "a", a, nv);
    print("float", "tau", tau, nv);
    print("double", "inverse_dynamics", id, nv);
    print("double", "gravity", g, nv);
    print("double", "mass_matrix", M, nv * nv);
    print("double", "forward_dynamics", fd, nv);
    double *all[] = {q, v, a, tau, id, g, M, fd};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
    pinion_work_free(w);
    pinion_model_free(m);
    return 0;
}
