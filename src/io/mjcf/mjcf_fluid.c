/* The medium of MJCF: each body is braked as the box that has its mass and its moments of inertia would be
 * (the format's inertia model of fluid forces). Of a density rho and a viscosity beta, with the sides s of
 * the box and their mean d,
 *
 *     moment  -pi beta d^3 w_i - rho/64 s_i (s_j^4 + s_k^4) |w_i| w_i
 *     force   -3 pi beta d v_i - rho/2 s_j s_k |v_i| v_i
 *
 * along the principal axes, at the centre of mass. */
#include "io/mjcf/mjcf.h"
#include "io/mjcf/mjcf_shape.h"
#include "model/pose.h"

#include <math.h>
#include <string.h>

#define LEAST 1e-15 /* of a mass that counts, and of what a side is the root of */

static const double pi = 3.14159265358979323846;

void pn_mjcf_box_drag(double mass, const double I[3], double rho, double beta, pinion_drag *out)
{
    double side[3];
    for (int i = 0; i < 3; i++) {
        const double square = I[(i + 1) % 3] + I[(i + 2) % 3] - I[i];
        side[i] = sqrt(fmax(LEAST, square) / mass * 6);
    }
    const double d = (side[0] + side[1] + side[2]) / 3;
    for (int i = 0; i < 3; i++) {
        const double y = side[(i + 1) % 3], z = side[(i + 2) % 3];
        out->linear[i] = pi * beta * d * d * d;
        out->linear[3 + i] = 3 * pi * beta * d;
        out->quadratic[i] = rho * side[i] * (y * y * y * y + z * z * z * z) / 64;
        out->quadratic[3 + i] = rho * y * z / 2;
    }
}

int pn_mjcf_is_medium(const mjcf_reader *r)
{
    return (r->density > 0 || r->viscosity > 0) && !(r->no_springs && r->no_dampers);
}

int pn_mjcf_drag(const mjcf_reader *r, const mjcf_body *b, pinion_drag *out)
{
    if (!pn_mjcf_is_medium(r) || r->main->compiler.fuse) return 0;
    if (!b->moves || !b->has_axes || b->ellipsoid || !(b->inertia.mass >= LEAST)) return 0;
    memset(out, 0, sizeof *out);
    memcpy(out->pose.position, b->inertia.com, sizeof b->inertia.com);
    memcpy(out->pose.rotation, b->axes, sizeof b->axes);
    memcpy(out->wind, r->wind, sizeof out->wind);

    /* moments along these axes: R' I R */
    const pinion_pose inverse = pn_pose_inverse(&out->pose);
    double moment[6];
    memcpy(moment, b->inertia.inertia, sizeof moment);
    pn_mjcf_turn_inertia(inverse.rotation, moment);
    const double I[3] = {moment[0], moment[3], moment[5]};
    pn_mjcf_box_drag(b->inertia.mass, I, fmax(0, r->density), fmax(0, r->viscosity), out);
    return 1;
}

int pn_mjcf_tell_fluid(mjcf_reader *r)
{
    if (!pn_mjcf_is_medium(r)) return 1;
    if (r->main->compiler.fuse)
        return pn_mjcf_left_out(r, r->main->root,
                                "the forces of the medium are left out: fusestatic changes the bodies "
                                "that they act on");
    for (int i = 1; i < r->bodies.count; i++) {
        const mjcf_body *b = &r->bodies.at[i];
        if (b->ellipsoid && b->moves &&
            !pn_mjcf_left_out(r, b->node,
                              "the forces of the medium on body '%.60s' are left out: they are those of "
                              "ellipsoids (fluidshape)",
                              b->name))
            return 0;
    }
    return 1;
}
