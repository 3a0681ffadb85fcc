/* What can be generated: a row a quantity, as `pinion eval --what` names them. */
#include "codegen/codegen_steps.h"
#include <string.h>

#define Q (1u << PN_IN_Q)
#define V (1u << PN_IN_V)
#define A (1u << PN_IN_A)
#define TAU (1u << PN_IN_TAU)

const pn_target pn_targets[] = {
    {"inverse_dynamics", 0, PN_PROBLEM_inverse_dynamics, -1, Q | V | A, 1,
     "joint forces tau for the motion q, v, a: tau = M a + h"},
    {"forward_dynamics", 0, PN_PROBLEM_forward_dynamics, -1, Q | V | TAU, 1,
     "accelerations a that the joint forces tau cause: M a = tau - h"},
    {"mass_matrix", 0, PN_PROBLEM_mass_matrix, -1, Q, 0, "mass matrix M, both triangles"},
    {"mass_matrix_inverse", 0, PN_PROBLEM_mass_matrix_inverse, -1, Q, 0,
     "inverse of the mass matrix, both triangles"},
    {"gravity", 0, PN_PROBLEM_inverse_dynamics, PN_K_gravity, Q, 0,
     "joint forces that hold the robot at rest against gravity"},
    {"bias", 0, PN_PROBLEM_inverse_dynamics, -1, Q | V, 0, "Coriolis, centrifugal and gravity forces h"},
    {"coriolis", 0, PN_PROBLEM_coriolis, -1, Q | V, 0, "a matrix C with C v = bias - gravity"},
    {"passive_forces", 0, -1, PN_K_passive, Q | V, 0,
     "what dampers, springs and Coulomb friction exert on the joints; part of no other function"},
    {"energy", 0, -1, PN_K_energy, Q | V, 0,
     "kinetic energy (with rotors) and potential energy (zero at the world's origin, without springs)"},
    {"com", 0, -1, PN_K_center, Q | V, 0, "centre of mass and its velocity, in the world"},
    {"momentum", 0, -1, PN_K_momentum, Q | V, 0,
     "momentum [angular; linear] about the centre of mass, world axes"},
    {"frames", 0, -1, PN_K_frames, Q, 0, "poses of all frames in the world"},
    {"jacobian", 1, -1, PN_K_jacobian, Q, 0,
     "Jacobian J of a frame, angular rows first, at the frame's origin, along the world's axes: its velocity "
     "is J v"},
    {"velocity", 1, -1, PN_K_velocity, Q | V, 0,
     "velocity [angular; linear] of a frame's origin, along the world's axes"},
    {"acceleration", 1, -1, PN_K_acceleration, Q | V | A, 0,
     "acceleration [angular; linear] of a frame's origin, along the world's axes; classical, without "
     "gravity"}};

int pn_target_count(void)
{
    return (int)(sizeof pn_targets / sizeof *pn_targets);
}

int pn_target_find(const char *name, size_t length)
{
    for (int i = 0; i < pn_target_count(); i++)
        if (strlen(pn_targets[i].name) == length && memcmp(pn_targets[i].name, name, length) == 0) return i;
    return -1;
}

/* the results of a quantity that has not one of nv numbers */
static int several_results(const pinion_model *m, const pn_target *target, pn_argument out[6])
{
    const size_t frames = (size_t)m->n.frames;
    switch (target->kernel) {
    case PN_K_energy:
        out[0] = (pn_argument){"kinetic", 1, "[1] J"};
        out[1] = (pn_argument){"potential", 1, "[1] J"};
        return 1;
    case PN_K_center:
        out[0] = (pn_argument){"position", 3, "[3] m"};
        out[1] = (pn_argument){"velocity", 3, "[3] m/s"};
        return 1;
    case PN_K_momentum: out[0] = (pn_argument){"momentum", 6, "[6]"}; return 1;
    case PN_K_frames:
        out[0] = (pn_argument){"position", 3 * frames, "[FRAMES][3] m"};
        out[1] = (pn_argument){"rotation", 9 * frames,
                               "[FRAMES][9] row-major; columns are the frame's axes in the world"};
        return 1;
    case PN_K_jacobian: out[0] = (pn_argument){"J", 6 * (size_t)m->n.nv, "[6][NV] row-major"}; return 1;
    case PN_K_velocity: out[0] = (pn_argument){"velocity", 6, "[6]"}; return 1;
    case PN_K_acceleration: out[0] = (pn_argument){"acceleration", 6, "[6]"}; return 1;
    default: return 0;
    }
}

/* pivots can be zero */
static int divides(const pn_target *target)
{
    return target->problem == PN_PROBLEM_mass_matrix_inverse ||
           target->problem == PN_PROBLEM_forward_dynamics;
}

static void results(const pinion_model *m, int margin, const pn_target *target, pn_argument out[6])
{
    const size_t nv = (size_t)m->n.nv;
    if (several_results(m, target, out)) return;
    switch (target->problem) {
    case PN_PROBLEM_mass_matrix: out[0] = (pn_argument){"M", nv * nv, "[NV][NV] row-major"}; break;
    case PN_PROBLEM_mass_matrix_inverse: out[0] = (pn_argument){"Minv", nv * nv, "[NV][NV] row-major"}; break;
    case PN_PROBLEM_coriolis: out[0] = (pn_argument){"C", nv * nv, "[NV][NV] row-major"}; break;
    case PN_PROBLEM_forward_dynamics: out[0] = (pn_argument){"a", nv, "[NV]"}; break;
    default: out[0] = (pn_argument){"tau", nv, "[NV]"}; break;
    }
    if (margin && divides(target))
        out[1] = (pn_argument){"margin", 1,
                               "[1] the least pivot against its scale: not above 0 where M has no inverse"};
}

int pn_is_margin(const pn_function *f, int result)
{
    return result == 1 && divides(f->target);
}

void pn_function_arguments(const pinion_model *m, int f_ext, int margin, pn_function *f)
{
    const pn_target *target = f->target;
    const size_t nv = (size_t)m->n.nv;
    const pn_argument all[PN_IN_COUNT] = {
        {"q", (size_t)m->n.nq, "[NQ]"},
        {"v", nv, "[NV]"},
        {"a", nv, "[NV]"},
        {"tau", nv, "[NV]"},
        {"f_ext", 6 * (size_t)m->n.bodies,
         "[BODIES][6] force [moment; force] on each body, in its link's frame"}};
    memset(f->in, 0, sizeof f->in);
    memset(f->out, 0, sizeof f->out);
    memset(&f->call, 0, sizeof f->call);

    f->call.in = target->in | (f_ext && target->f_ext ? 1u << PN_IN_F_EXT : 0);
    for (int k = 0, n = 0; k < PN_IN_COUNT; k++)
        if (f->call.in >> k & 1) f->in[n++] = all[k];

    /* the kernel, and models with followers have one of their own for forward dynamics */
    f->call.kernel = f->algorithm >= 0 ? PN_FIRST_ALGORITHM + f->algorithm : target->kernel;
    if (f->algorithm < 0 && target->problem == PN_PROBLEM_forward_dynamics)
        f->call.kernel = PN_K_followers_fd;
    f->call.frame = f->frame;
    f->call.reference = PINION_REFERENCE_WORLD_ALIGNED;
    results(m, margin, target, f->out);
    for (int i = 0; i < 6; i++) f->call.out[i] = f->out[i].name ? f->out[i].count : 0;
    if (divides(target)) f->call.out[1] = 1;
}
