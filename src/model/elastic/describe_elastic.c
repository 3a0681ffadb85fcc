/* Elastic links as they are described: checked, packed, and where things are on them. */
#include <math.h>
#include <string.h>

#include "model/build/describe.h"
#include "model/elastic/elastic_modes.h"
#include "model/pose.h"

pinion_elastic_def pinion_elastic_def_default(void)
{
    pinion_elastic_def def;
    memset(&def, 0, sizeof def);
    def.origin = pinion_pose_identity();
    def.cookie = PN_COOKIE_ELASTIC;
    return def;
}

void pn_elastic_fields(pinion_elastic_def *d, const double **field[PN_ELASTIC_ARRAYS], size_t count[PN_ELASTIC_ARRAYS])
{
    const size_t nodes = (size_t)d->node_count, modes = (size_t)pn_elastic_mode_count(d);
    const double **const fields[PN_ELASTIC_ARRAYS] = {
        &d->position,    &d->mass,           &d->inertia,     &d->translation, &d->rotation,
        &d->mass_matrix, &d->stiffness_matrix, &d->damping_matrix, &d->initial_q, &d->initial_v};
    const size_t counts[PN_ELASTIC_ARRAYS] = {3 * nodes,     nodes,         6 * nodes,     3 * nodes * modes,
                                              3 * nodes * modes, modes * modes, modes * modes, modes * modes,
                                              modes,         modes};
    for (int i = 0; i < PN_ELASTIC_ARRAYS; i++) {
        field[i] = fields[i];
        count[i] = counts[i];
    }
}

size_t pn_elastic_pack(const pinion_elastic_def *def, uint32_t first, pn_elastic_record *record, double *out)
{
    const double **field[PN_ELASTIC_ARRAYS];
    size_t count[PN_ELASTIC_ARRAYS], used = 0;
    pinion_elastic_def copy = *def;
    pn_elastic_fields(&copy, field, count);
    for (int i = 0; i < PN_ELASTIC_ARRAYS; i++) {
        const double *from = *field[i];
        if (record) record->at[i] = from ? (uint32_t)(first + used + 1) : 0;
        if (!from) continue;
        if (out) memcpy(out + used, from, count[i] * sizeof *out);
        used += count[i];
        *field[i] = NULL;
    }
    if (record) record->def = copy;
    return used;
}

pinion_elastic_def pn_elastic_unpack(const pn_elastic_record *record, const double *data)
{
    pinion_elastic_def def = record->def;
    const double **field[PN_ELASTIC_ARRAYS];
    size_t count[PN_ELASTIC_ARRAYS];
    pn_elastic_fields(&def, field, count);
    for (int i = 0; i < PN_ELASTIC_ARRAYS; i++)
        if (record->at[i]) *field[i] = data + (record->at[i] - 1);
    return def;
}

int pn_elastic_mode_count(const pinion_elastic_def *def)
{
    return def->node_count ? def->mode_count : def->modes[0] + def->modes[1] + def->modes[2];
}

/* ---- faults ---- */

static int is_magnitude(double x)
{
    return isfinite(x) && x >= 0;
}

static const char *beam_fault(const pinion_elastic_def *d)
{
    int most = 0;
    if (!(d->length > 0) || !isfinite(d->length)) return "the length of its beam is not a positive number";
    if (!(d->mass_per_length > 0) || !isfinite(d->mass_per_length))
        return "the mass per length of its beam is not a positive number";
    for (int i = 0; i < 3; i++) {
        if (d->modes[i] < 0 || d->modes[i] > PINION_ELASTIC_MAX_DIRECTION)
            return "its beam has more modes along a direction than there can be; expected 0 to 12";
        most += d->modes[i];
    }
    if (most == 0) return "its beam has no modes; expected at least one";
    if (most > PINION_ELASTIC_MAX_MODES) return "its beam has more modes than there can be; expected 24 in all at most";
    for (int i = 0; i < 2; i++)
        if (!is_magnitude(d->bending_stiffness[i]) || (d->modes[i] && d->bending_stiffness[i] == 0))
            return "the bending stiffness EI of its beam is not a positive number where it has modes";
    if (!is_magnitude(d->torsion_stiffness) || !is_magnitude(d->polar_inertia) ||
        (d->modes[2] && (d->torsion_stiffness == 0 || d->polar_inertia == 0)))
        return "modes of torsion need a torsion stiffness GJ and a polar inertia per length, both positive";
    if ((int)d->boundary < 0 || d->boundary >= PINION_ELASTIC_BOUNDARY_COUNT)
        return "the boundary of its beam is none of the known ones";
    if (!is_magnitude(d->tip_mass) || !is_magnitude(d->load_mass)) return "a mass at its tip is negative or no number";
    for (int i = 0; i < 3; i++)
        if (!is_magnitude(d->tip_inertia[i]) || !is_magnitude(d->load_inertia[i]))
            return "an inertia at its tip is negative or no number";
    int tip = d->tip_mass > 0, load = d->load_mass > 0;
    for (int i = 0; i < 3; i++) {
        tip += d->tip_inertia[i] > 0;
        load += d->load_inertia[i] > 0;
    }
    if (load && d->boundary != PINION_ELASTIC_CLAMPED_MASS)
        return "a load shapes modes of the boundary clamped-mass alone";
    if (d->boundary == PINION_ELASTIC_CLAMPED_MASS && !load && !tip)
        return "the boundary clamped-mass needs a tip or a load with a mass or an inertia";
    return NULL;
}

static int is_symmetric(int n, const double *A)
{
    double size = 0;
    for (int i = 0; i < n * n; i++) size = fmax(size, fabs(A[i]));
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            if (fabs(A[i * n + j] - A[j * n + i]) > 1e-9 * size) return 0;
    return 1;
}

/* xx, xy, xz, yy, yz, zz: no principal moment is negative but for rounding. */
static int is_inertia(const double I[6])
{
    double A[9] = {I[0], I[1], I[2], I[1], I[3], I[4], I[2], I[4], I[5]}, V[9], least = 0, most = 0;
    if (!pn_finite(I, 6)) return 0;
    pn_jacobi(3, A, V);
    for (int i = 0; i < 3; i++) {
        least = fmin(least, A[4 * i]);
        most = fmax(most, fabs(A[4 * i]));
    }
    return least >= -1e-9 * most;
}

static const char *shapes_fault(const pinion_elastic_def *d)
{
    const int m = d->mode_count;
    if (d->node_count < 0 || d->node_count > PINION_ELASTIC_MAX_NODES) return "its shapes have more than 1024 nodes";
    if (m < 1 || m > PINION_ELASTIC_MAX_MODES) return "its shapes are not of 1 to 24 modes";
    if (!d->position || !d->mass || !d->translation || !d->stiffness_matrix)
        return "its shapes need positions, masses and translations of nodes, and a stiffness matrix";
    for (int i = 0; i < d->node_count; i++)
        if (!is_magnitude(d->mass[i])) return "the mass of a node is negative or no number";
    for (int i = 0; d->inertia && i < d->node_count; i++)
        if (!is_inertia(d->inertia + 6 * i)) return "the inertia of a node is not positive semidefinite";
    if (!is_symmetric(m, d->stiffness_matrix) || (d->mass_matrix && !is_symmetric(m, d->mass_matrix)) ||
        (d->damping_matrix && !is_symmetric(m, d->damping_matrix)))
        return "a matrix of its shapes is not symmetric";
    for (int i = 0; i + 1 < d->node_count; i++) {
        const double *p = d->position + 3 * i;
        if (p[0] == p[3] && p[1] == p[4] && p[2] == p[5]) return "two nodes of its shapes are at the same place";
    }
    return NULL;
}

const char *pn_elastic_fault(pinion_elastic_def *d)
{
    if (d->cookie != PN_COOKIE_ELASTIC) return "its elastic part did not come from pinion_elastic_def_default()";
    if (pn_pose_fault(&d->origin)) return "the origin of its elastic part is no pose";
    if (!is_magnitude(d->damping_ratio)) return "its damping ratio is negative or no number";
    const char *fault = d->node_count ? shapes_fault(d) : beam_fault(d);
    if (fault) return fault;
    const double **field[PN_ELASTIC_ARRAYS];
    size_t count[PN_ELASTIC_ARRAYS];
    pn_elastic_fields(d, field, count);
    for (int i = 0; i < PN_ELASTIC_ARRAYS; i++)
        if (*field[i] && !pn_finite(*field[i], (int)count[i])) return "a number of its elastic part is not finite";
    return NULL;
}

/* ---- in a builder ---- */

pinion_status pn_builder_elastic_room(pinion_builder *b, const pinion_link_def *def, pinion_error *err)
{
    if (!def->elastic) return PINION_OK;
    const size_t numbers = pn_elastic_pack(def->elastic, 0, NULL, NULL);
    if (numbers + b->elastic_data.count > PN_MAX_DATA)
        return pn_fail(b, err, PINION_ERR_MODEL, def->line, "link %s: the elastic links have more than %d numbers",
                       pn_quote(def->name).text, PN_MAX_DATA);
    const int room = pn_list_reserve(&b->elastics, 1) && pn_list_reserve(&b->elastic_data, numbers + 1);
    return room ? PINION_OK : pn_fail_memory(b, err);
}

size_t pn_builder_keep_elastic(pinion_builder *b, const pinion_elastic_def *def)
{
    if (!def) return 0;
    pinion_elastic_def elastic = *def;
    (void)pn_elastic_fault(&elastic); /* none, but its origin may be repaired */
    pn_elastic_record *record = pn_list_push(&b->elastics);
    const size_t first = b->elastic_data.count;
    double *data = PN_ITEM(&b->elastic_data, double, first);
    b->elastic_data.count += pn_elastic_pack(&elastic, (uint32_t)first, record, data);
    return b->elastics.count;
}

/* ---- places ---- */

/* Whether a mode moves a node. */
static int moves_node(const pinion_elastic_def *d, int node)
{
    for (int k = 0; k < d->mode_count; k++)
        for (int i = 0; i < 3; i++) {
            const size_t at = 3 * ((size_t)k * (size_t)d->node_count + (size_t)node) + (size_t)i;
            if (d->translation[at] != 0 || (d->rotation && d->rotation[at] != 0)) return 1;
        }
    return 0;
}

double pn_elastic_station(const pinion_elastic_def *d, const pinion_pose *pose)
{
    const pinion_pose on = pn_pose_between(&d->origin, pose);
    if (!d->node_count) {
        /* the section that its origin is in */
        double x = on.position[0];
        if (x > (1 - 1e-9) * d->length) x = d->length;
        if (x < 1e-9 * d->length) x = 0;
        return x == 0 && d->boundary != PINION_ELASTIC_PINNED ? -1 : x;
    }
    /* the nearest node */
    int best = 0;
    double least = INFINITY;
    for (int i = 0; i < d->node_count; i++) {
        double way[3];
        for (int k = 0; k < 3; k++) way[k] = d->position[3 * i + k] - on.position[k];
        const double square = pn_dot3(way, way);
        if (square < least) {
            least = square;
            best = i;
        }
    }
    return moves_node(d, best) ? best : -1;
}

pinion_pose pn_elastic_rest(const pinion_elastic_def *d, double station)
{
    pinion_pose at = pinion_pose_identity();
    at.position[0] = station;
    if (d->node_count) memcpy(at.position, d->position + 3 * (int)station, sizeof at.position);
    return pn_pose_mul(&d->origin, &at);
}

double pn_elastic_along(const pinion_elastic_def *d, double station)
{
    if (!d->node_count) return station;
    /* along the nodes */
    double sum = pn_norm3(d->position);
    for (int i = 1; i <= (int)station; i++) {
        double way[3];
        for (int k = 0; k < 3; k++) way[k] = d->position[3 * i + k] - d->position[3 * i - 3 + k];
        sum += pn_norm3(way);
    }
    return sum;
}

/* As many points of Gauss and Legendre as integrate the product of two modes to rounding. */
static int quadrature(const pinion_elastic_def *d)
{
    int most = d->modes[0];
    for (int i = 1; i < 3; i++) most = d->modes[i] > most ? d->modes[i] : most;
    return (8 * most + 4) / 5 + 10;
}

static int has_tip(const pinion_elastic_def *d)
{
    return d->tip_mass > 0 || d->tip_inertia[0] > 0 || d->tip_inertia[1] > 0 || d->tip_inertia[2] > 0;
}

int pn_elastic_point_count(const pinion_elastic_def *d)
{
    return d->node_count ? d->node_count : quadrature(d) + has_tip(d);
}

double pn_elastic_point(const pinion_elastic_def *d, int point, double *mass, double inertia[6])
{
    memset(inertia, 0, 6 * sizeof *inertia);
    if (d->node_count) {
        *mass = d->mass[point];
        if (d->inertia) memcpy(inertia, d->inertia + 6 * point, 6 * sizeof *inertia);
        return point;
    }
    double x[64], w[64];
    const int count = quadrature(d);
    if (point == count) {
        *mass = d->tip_mass;
        inertia[0] = d->tip_inertia[0];
        inertia[3] = d->tip_inertia[1];
        inertia[5] = d->tip_inertia[2];
        return d->length;
    }
    pn_gauss(count, x, w);
    *mass = d->mass_per_length * d->length * w[point];
    inertia[0] = d->polar_inertia * d->length * w[point];
    return d->length * x[point];
}
