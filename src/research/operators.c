/* The global matrices of Featherstone & Orin 2000, section 3.5, and of Saha 1999, sections 3 and 4, put together from
 * the Jacobians of the bodies and the compiled inertias. Everything is formed and multiplied as it is written in the
 * papers, none of it as one would compute with. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "api/dispatch.h"
#include "base/vec3.h"
#include "pinion/research/operators.h"
#define num double
#include "model/constants.inc"
#undef num

static const struct {
    const char *name, *text;
} operators[PINION_OPERATOR_COUNT] = {
    [PINION_OPERATOR_P] = {"P", "incidence matrix (Featherstone & Orin, section 3.5)"},
    [PINION_OPERATOR_H] = {"H", "the joints' motion subspaces, block diagonal (Featherstone & Orin, Eq. 29)"},
    [PINION_OPERATOR_S] = {"S", "P^-1 H: the bodies' velocities from v (Featherstone & Orin, Eq. 24)"},
    [PINION_OPERATOR_T] = {"T", "a basis of the constraint forces, T' S = 0 (Featherstone & Orin, section 3.5)"},
    [PINION_OPERATOR_I] = {"I", "the bodies' inertias, block diagonal (Featherstone & Orin, Eq. 23)"},
    [PINION_OPERATOR_ROTORS] = {"rotors", "what rotors add to the mass matrix, diagonal"},
    [PINION_OPERATOR_N_L] = {"N_l", "twist propagation B_ij, block triangular (Saha, Eq. 17)"},
    [PINION_OPERATOR_N_D] = {"N_d", "joint-rate propagation p_i, block diagonal (Saha, Eq. 17)"},
    [PINION_OPERATOR_N] = {"N", "N_l N_d, the natural orthogonal complement (Saha, Eq. 16)"},
    [PINION_OPERATOR_M] = {"M", "the bodies' mass matrices, block diagonal (Saha, Eqs. 2, 4)"},
    [PINION_OPERATOR_M_TILDE] = {"M_tilde", "N_l' M N_l, composite bodies (Saha, Eqs. 22, 23)"},
    [PINION_OPERATOR_GIM] = {"GIM", "N' M N, the mass matrix without rotors (Saha, Eqs. 21, 24)"},
    [PINION_OPERATOR_OMEGA] = {"Omega", "angular velocities, block diagonal (Saha, Eqs. 2, 4)"},
    [PINION_OPERATOR_M_DOT] = {"M_dot", "diag(w x I, 0) (Saha, Eqs. 8, 10)"},
    [PINION_OPERATOR_N_L_DOT] = {"N_l_dot", "the derivative of N_l (Saha, section 4.2)"},
    [PINION_OPERATOR_N_D_DOT] = {"N_d_dot", "the derivative of N_d, Omega N_d (Saha, Eq. 26)"},
    [PINION_OPERATOR_N_DOT] = {"N_dot", "N_l_dot N_d + N_l N_d_dot (Saha, section 4.2)"},
    [PINION_OPERATOR_H_TILDE] = {"H_tilde", "N_l' M N_l_dot (Saha, Eqs. 27, 28)"},
    [PINION_OPERATOR_M_TILDE_DOT] = {"M_tilde_dot", "N_l' M_dot N_l (Saha, Eqs. 26, 27)"},
    [PINION_OPERATOR_M_TILDE_PRIME] = {"M_tilde_prime", "H_tilde + M_tilde Omega + M_tilde_dot (Saha, Eq. 25)"},
    [PINION_OPERATOR_C] = {"C", "N' (M N_dot + M_dot N), convective terms (Saha, Eqs. 25, 29)"},
};

static int known(pinion_operator op)
{
    return (int)op >= 0 && op < PINION_OPERATOR_COUNT;
}

const char *pinion_operator_name(pinion_operator op)
{
    return known(op) ? operators[op].name : NULL;
}

const char *pinion_operator_text(pinion_operator op)
{
    return known(op) ? operators[op].text : NULL;
}

int pinion_operator_find(const char *name)
{
    for (int i = 0; name && i < PINION_OPERATOR_COUNT; i++)
        if (!strcmp(operators[i].name, name)) return i;
    return -1;
}

/* the degrees of freedom of the joint that moves a body, also where it follows another one */
static int body_dofs(const pinion_model *m, int body)
{
    pinion_body_info b;
    pinion_joint_info joint;
    if (pinion_model_body(m, body, &b) != PINION_OK || pinion_model_joint(m, b.joint, &joint) != PINION_OK) return 0;
    return pinion_joint_type_nv(joint.type);
}

pinion_status pinion_operator_size(const pinion_model *m, pinion_operator op, int *rows, int *columns)
{
    if (!m || !known(op) || !rows || !columns) return PINION_ERR_ARGUMENT;
    const int six = 6 * (m->n.bodies - 1);
    *rows = *columns = six;
    switch (op) {
    case PINION_OPERATOR_ROTORS:
    case PINION_OPERATOR_GIM:
    case PINION_OPERATOR_C: *rows = *columns = m->n.nv; break;
    case PINION_OPERATOR_H:
    case PINION_OPERATOR_S:
    case PINION_OPERATOR_N_D:
    case PINION_OPERATOR_N:
    case PINION_OPERATOR_N_D_DOT:
    case PINION_OPERATOR_N_DOT: *columns = m->n.nv; break;
    case PINION_OPERATOR_T:
        for (int i = 1; i < m->n.bodies; i++) *columns -= body_dofs(m, i);
        break;
    default: break;
    }
    return PINION_OK;
}

/* ---- small algebra ---- */

/* the matrix of a x, into a 3 x 3 block of a matrix */
static void put_cross(const double a[3], double *out, int stride)
{
    out[1] = -a[2];
    out[2] = a[1];
    out[stride] = a[2];
    out[stride + 2] = -a[0];
    out[2 * stride] = -a[1];
    out[2 * stride + 1] = a[0];
}

/* C (+)= A B or A' B, with [rows][inner] times [inner][columns]; zeros of the first factor are skipped */
enum { PLAIN = 0, TRANSPOSED = 1, ADD = 2 };
static void multiply(int how, const double *A, const double *B, int rows, int inner, int columns, double *C)
{
    if (!(how & ADD)) memset(C, 0, sizeof *C * (size_t)rows * (size_t)columns);
    for (int i = 0; i < rows; i++)
        for (int k = 0; k < inner; k++) {
            const double a = how & TRANSPOSED ? A[k * rows + i] : A[i * inner + k];
            for (int j = 0; a != 0 && j < columns; j++) C[i * columns + j] += a * B[k * columns + j];
        }
}

/* ---- the bodies ---- */

/* One body, all in the world's axes. */
typedef struct body {
    int parent;        /* its number in the arrays here, -1 for the base */
    int first, count;  /* the columns that its joint moves */
    int dofs;
    int universal;
    double p[3], R[9]; /* pose of its link */
    double m, C[3], I[9]; /* mass, mass centre, inertia about it */
    double w[3], v[3];    /* twist at the mass centre */
    double centre[3];     /* of a universal joint */
} body;

typedef struct scene {
    const pinion_model *m;
    int n, six, nv;
    body *b;
    double *S;    /* [6 n][nv], always there */
    double *pool; /* everything, and what products take */
    size_t used;
} scene;

static double *take(scene *s, int rows, int columns)
{
    double *x = s->pool + s->used;
    s->used += (size_t)rows * (size_t)columns;
    return x;
}

/* mass, mass centre and inertia, from the compiled body: payloads and welded links are in it */
static void read_inertia(const pinion_model *m, int node, body *b)
{
    const pn_node *n = PN_AT_CONST(m, pn_node, m->nodes) + node;
    const pn_link *L = (const pn_link *)(PN_AT_CONST(m, pn_head, m->f64) + 1) + node;
    double Q[9], origin[3] = {0, 0, 0}, c[3] = {0, 0, 0};

    /* the pose of the compiled body: the link's is known, and how the link sits in it */
    memcpy(Q, b->R, sizeof Q);
    if (n->turned) {
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) {
                Q[3 * i + j] = 0;
                for (int k = 0; k < 3; k++) Q[3 * i + j] += b->R[3 * i + k] * L->link.R[3 * j + k];
            }
        pn_turn3(Q, L->link.p, origin);
    }
    for (int d = 0; d < 3; d++) origin[d] = b->p[d] - origin[d];

    b->m = L->m;
    for (int d = 0; d < 3 && L->m > 0; d++) c[d] = L->h[d] / L->m;
    pn_turn3(Q, c, b->C);
    for (int d = 0; d < 3; d++) b->C[d] = L->m > 0 ? b->C[d] + origin[d] : b->p[d];

    /* about the mass centre: I - m (c.c 1 - c c') */
    const double cc = c[0] * c[0] + c[1] * c[1] + c[2] * c[2];
    const double *I = L->I;
    double A[9] = {I[0], I[1], I[2], I[1], I[3], I[4], I[2], I[4], I[5]}, T[9];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) A[3 * i + j] -= L->m * ((i == j) * cc - c[i] * c[j]);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            T[3 * i + j] = 0;
            for (int k = 0; k < 3; k++) T[3 * i + j] += A[3 * i + k] * Q[3 * j + k];
        }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            b->I[3 * i + j] = 0;
            for (int k = 0; k < 3; k++) b->I[3 * i + j] += Q[3 * i + k] * T[3 * k + j];
        }
}

/* a column of S or H, a motion at the world's origin, as the twist of body i at its mass centre */
static void to_centre(const body *b, const double x[6], double t[6])
{
    double u[3];
    pn_cross3(x, b->C, u);
    for (int d = 0; d < 3; d++) {
        t[d] = x[d];
        t[3 + d] = x[3 + d] + u[d];
    }
}

/* poses, inertias, columns, Jacobians, twists */
static pinion_status read_bodies(scene *s, pinion_work *w, const double *q, const double *v)
{
    const int *body_node = PN_AT_CONST(s->m, int, s->m->body_node);
    for (int i = 0; i < s->n; i++) {
        body *b = &s->b[i];
        pinion_body_info info;
        pinion_joint_info joint, leader;
        pinion_status status = pinion_model_body(s->m, i + 1, &info);
        if (status == PINION_OK) status = pinion_model_joint(s->m, info.joint, &joint);
        if (status == PINION_OK) status = pinion_frame_pose(s->m, w, q, info.link, b->p, b->R);
        if (status == PINION_OK)
            status = pinion_jacobian(s->m, w, q, info.link, PINION_REFERENCE_WORLD, s->S + (size_t)6 * i * s->nv);
        if (status != PINION_OK) return status;
        leader = joint;
        if (joint.leader >= 0) status = pinion_model_joint(s->m, joint.leader, &leader);
        if (status != PINION_OK) return status;
        b->parent = info.parent - 1;
        b->first = leader.v_index;
        b->count = leader.nv;
        b->dofs = pinion_joint_type_nv(joint.type);
        b->universal = joint.type == PINION_JOINT_UNIVERSAL;
        pn_turn3(b->R, joint.child_pose.position, b->centre);
        for (int d = 0; d < 3; d++) b->centre[d] += b->p[d];
        read_inertia(s->m, body_node[i + 1], b);

        /* the twist S v, at the mass centre */
        double x[6] = {0}, t[6];
        for (int d = 0; d < 6; d++)
            for (int c = 0; v && c < s->nv; c++) x[d] += s->S[(6 * i + d) * s->nv + c] * v[c];
        to_centre(b, x, t);
        memcpy(b->w, t, sizeof b->w);
        memcpy(b->v, t + 3, sizeof b->v);
    }
    return PINION_OK;
}

/* ---- Featherstone & Orin, section 3.5 ---- */

static void fill_P(const scene *s, double *P)
{
    for (int i = 0; i < s->n; i++)
        for (int d = 0; d < 6; d++) {
            P[(6 * i + d) * (s->six + 1)] = 1;
            if (s->b[i].parent >= 0) P[(6 * i + d) * s->six + 6 * s->b[i].parent + d] = -1;
        }
}

/* H = P S: of joint i, the columns that are its own */
static void fill_H(const scene *s, double *H)
{
    for (int i = 0; i < s->n; i++) {
        const body *b = &s->b[i];
        for (int d = 0; d < 6; d++)
            for (int c = b->first; c < b->first + b->count; c++) {
                const double outer = b->parent >= 0 ? s->S[(6 * b->parent + d) * s->nv + c] : 0;
                H[(6 * i + d) * s->nv + c] = s->S[(6 * i + d) * s->nv + c] - outer;
            }
    }
}

/* takes the part along each of `count` orthonormal vectors off x; returns what is left of its length */
static double reduce(const double (*basis)[6], int count, double x[6])
{
    double length = 0;
    for (int pass = 0; pass < 2; pass++) /* once more for rounding */
        for (int k = 0; k < count; k++) {
            double along = 0;
            for (int d = 0; d < 6; d++) along += basis[k][d] * x[d];
            for (int d = 0; d < 6; d++) x[d] -= along * basis[k][d];
        }
    for (int d = 0; d < 6; d++) length += x[d] * x[d];
    return sqrt(length);
}

/* Six orthonormal vectors of which the first `*rank` span the columns of h, and the others what is left. Unit vectors
 * are taken where they are least lost, the first of equals. */
static void complement(const double (*h)[6], int count, double basis[6][6], int *rank)
{
    int have = 0;
    for (int k = 0; k < count; k++) {
        double x[6], size = 0;
        memcpy(x, h[k], sizeof x);
        for (int d = 0; d < 6; d++) size = fmax(size, fabs(x[d]));
        const double left = reduce((const double (*)[6])basis, have, x);
        if (!(left > 1e-10 * size)) continue;
        for (int d = 0; d < 6; d++) basis[have][d] = x[d] / left;
        have++;
    }
    *rank = have;
    while (have < 6) {
        double best = 0;
        for (int k = 0; k < 6; k++) {
            double x[6] = {0};
            x[k] = 1;
            const double left = reduce((const double (*)[6])basis, have, x);
            if (left <= best + 1e-9) continue;
            best = left;
            for (int d = 0; d < 6; d++) basis[have][d] = x[d] / left;
        }
        have++;
    }
}

/* T = P' diag(T_i), where T_i spans the forces that do no work on joint i. The basis is made in the coordinates of the
 * link, where the axes of joints are mostly its own. */
static void fill_T(scene *s, int columns, double *T)
{
    double *H = take(s, s->six, s->nv);
    memset(H, 0, sizeof *H * (size_t)s->six * (size_t)s->nv);
    fill_H(s, H);
    for (int i = 0, at = 0; i < s->n; i++) {
        const body *b = &s->b[i];
        double h[6][6], basis[6][6];
        int rank;
        for (int c = 0; c < b->count; c++) {
            double x[6], u[3];
            for (int d = 0; d < 6; d++) x[d] = H[(6 * i + d) * s->nv + b->first + c];
            pn_cross3(x, b->p, u);
            for (int d = 0; d < 3; d++) x[3 + d] += u[d];
            pn_turn3_back(b->R, x, h[c]);
            pn_turn3_back(b->R, x + 3, h[c] + 3);
        }
        complement((const double (*)[6])h, b->count, basis, &rank);

        /* a force of the link at the world's origin, on the body and, reversed, on its parent */
        for (int k = 0; k < 6 - b->dofs; k++, at++) {
            double f[6], u[3];
            pn_turn3(b->R, basis[b->dofs + k], f);
            pn_turn3(b->R, basis[b->dofs + k] + 3, f + 3);
            pn_cross3(b->p, f + 3, u);
            for (int d = 0; d < 6; d++) {
                const double x = d < 3 ? f[d] + u[d] : f[d];
                T[(6 * i + d) * columns + at] = x;
                if (b->parent >= 0) T[(6 * b->parent + d) * columns + at] = -x;
            }
        }
    }
}

/* [I + m (c.c 1 - c c'), m c x; -m c x, m 1] of each body */
static void fill_I(const scene *s, double *I)
{
    for (int i = 0; i < s->n; i++) {
        const body *b = &s->b[i];
        const double *c = b->C, cc = c[0] * c[0] + c[1] * c[1] + c[2] * c[2];
        const double h[3] = {b->m * c[0], b->m * c[1], b->m * c[2]}, back[3] = {-h[0], -h[1], -h[2]};
        double *at = I + 6 * i * (s->six + 1);
        for (int r = 0; r < 3; r++) {
            for (int k = 0; k < 3; k++)
                at[r * s->six + k] = b->I[3 * r + k] + b->m * ((r == k) * cc - c[r] * c[k]);
            at[(3 + r) * s->six + 3 + r] = b->m;
        }
        put_cross(h, at + 3, s->six);
        put_cross(back, at + 3 * s->six, s->six);
    }
}

static void fill_rotors(const scene *s, double *out)
{
    const pn_counts *n = &s->m->n;
    const pn_node *nodes = PN_AT_CONST(s->m, pn_node, s->m->nodes);
    const pn_link *links = (const pn_link *)(PN_AT_CONST(s->m, pn_head, s->m->f64) + 1);
    const pn_map *map = s->m->map_v ? PN_AT_CONST(s->m, pn_map, s->m->map_v) : NULL;
    const pn_dof *dof =
        (const pn_dof *)((const pn_place *)(links + n->nodes) + n->frames);
    const pn_coordinate *own = (const pn_coordinate *)(dof + n->tree_nv) + n->tree_nq;
    for (int i = 1; i < n->nodes; i++)
        for (int d = 0; nodes[i].rotors && d < nodes[i].nv; d++) {
            const int k = nodes[i].v + d, at = n->followers ? map[k].index : k;
            const double g = n->followers ? own[k].multiplier : 1;
            out[at * (s->nv + 1)] += g * g * links[i].rotor[d];
        }
}

/* ---- Saha ---- */

/* B_ij for i and all that carry it, B_ij = [1 0; c_ij x 1], c_ij from C_i to C_j (Eqs. 13, 17); or its derivative */
static void fill_N_l(const scene *s, int derivative, double *N)
{
    for (int i = 0; i < s->n; i++)
        for (int j = i; j >= 0; j = s->b[j].parent) {
            const body *b = &s->b[i], *a = &s->b[j];
            double c[3], *at = N + 6 * i * s->six + 6 * j;
            for (int d = 0; d < 3; d++) c[d] = derivative ? a->v[d] - b->v[d] : a->C[d] - b->C[d];
            for (int d = 0; d < 6 && !derivative; d++) at[d * (s->six + 1)] = 1;
            if (i != j) put_cross(c, at + 3 * s->six, s->six);
        }
}

/* p_i = [e; e x d], or what else a joint has, at the mass centre (Eqs. 13, 15, 17) */
static void fill_N_d(const scene *s, double *N)
{
    fill_H(s, N);
    for (int i = 0; i < s->n; i++)
        for (int c = s->b[i].first; c < s->b[i].first + s->b[i].count; c++) {
            double x[6], t[6];
            for (int d = 0; d < 6; d++) x[d] = N[(6 * i + d) * s->nv + c];
            to_centre(&s->b[i], x, t);
            for (int d = 0; d < 6; d++) N[(6 * i + d) * s->nv + c] = t[d];
        }
}

/* N_d_dot = Omega N_d (Eq. 26), since p_i moves with its body. Not so the first axis of a universal joint: e moves with
 * the parent, and e x d with d on the body. */
static void fill_N_d_dot(scene *s, double *N)
{
    fill_N_d(s, N);
    for (int i = 0; i < s->n; i++) {
        const body *b = &s->b[i];
        for (int c = b->first; c < b->first + b->count; c++) {
            double p[6], x[6];
            for (int d = 0; d < 6; d++) p[d] = N[(6 * i + d) * s->nv + c];
            pn_cross3(b->w, p, x);
            pn_cross3(b->w, p + 3, x + 3);
            if (b->universal && c == b->first) {
                const double rest[3] = {0, 0, 0};
                double d[3], u[3];
                for (int k = 0; k < 3; k++) d[k] = b->C[k] - b->centre[k];
                pn_cross3(b->parent >= 0 ? s->b[b->parent].w : rest, p, x);
                pn_cross3(x, d, x + 3);
                pn_cross3(b->w, d, u);
                pn_cross3(p, u, u);
                for (int k = 0; k < 3; k++) x[3 + k] += u[k];
            }
            for (int d = 0; d < 6; d++) N[(6 * i + d) * s->nv + c] = x[d];
        }
    }
}

/* diag(I_i, m_i 1), or diag(w_i x I_i, 0) (Eqs. 2, 8) */
static void fill_M(const scene *s, int derivative, double *M)
{
    for (int i = 0; i < s->n; i++) {
        const body *b = &s->b[i];
        double *at = M + 6 * i * (s->six + 1);
        for (int c = 0; c < 3; c++) {
            double column[3] = {b->I[c], b->I[3 + c], b->I[6 + c]};
            if (derivative) pn_cross3(b->w, column, column);
            for (int r = 0; r < 3; r++) at[r * s->six + c] = column[r];
            if (!derivative) at[(3 + c) * (s->six + 1)] = b->m;
        }
    }
}

static void fill_Omega(const scene *s, double *O)
{
    for (int i = 0; i < s->n; i++) {
        double *at = O + 6 * i * (s->six + 1);
        put_cross(s->b[i].w, at, s->six);
        put_cross(s->b[i].w, at + 3 * (s->six + 1), s->six);
    }
}

static void fill(scene *s, pinion_operator op, int rows, int columns, double *out);

/* an operator that a product needs, in memory of the scene */
static double *part(scene *s, pinion_operator op, int columns)
{
    const int rows = op == PINION_OPERATOR_ROTORS ? s->nv : s->six;
    double *x = take(s, rows, columns);
    fill(s, op, rows, columns, x);
    return x;
}

/* N_l' A B for square A and B */
static void fill_congruence(scene *s, pinion_operator middle, pinion_operator right, double *out)
{
    double *AB = take(s, s->six, s->six);
    multiply(PLAIN, part(s, middle, s->six), part(s, right, s->six), s->six, s->six, s->six, AB);
    multiply(TRANSPOSED, part(s, PINION_OPERATOR_N_L, s->six), AB, s->six, s->six, s->six, out);
}

static void fill_products(scene *s, pinion_operator op, double *out)
{
    const int six = s->six, nv = s->nv;
    double *x;
    switch (op) {
    case PINION_OPERATOR_N:
        multiply(PLAIN, part(s, PINION_OPERATOR_N_L, six), part(s, PINION_OPERATOR_N_D, nv), six, six, nv, out);
        break;
    case PINION_OPERATOR_GIM:
        x = take(s, six, nv);
        multiply(PLAIN, part(s, PINION_OPERATOR_M, six), part(s, PINION_OPERATOR_N, nv), six, six, nv, x);
        multiply(TRANSPOSED, part(s, PINION_OPERATOR_N, nv), x, nv, six, nv, out);
        break;
    case PINION_OPERATOR_N_DOT:
        multiply(PLAIN, part(s, PINION_OPERATOR_N_L_DOT, six), part(s, PINION_OPERATOR_N_D, nv), six, six, nv, out);
        multiply(ADD, part(s, PINION_OPERATOR_N_L, six), part(s, PINION_OPERATOR_N_D_DOT, nv), six, six, nv, out);
        break;
    case PINION_OPERATOR_C:
        x = take(s, six, nv);
        multiply(PLAIN, part(s, PINION_OPERATOR_M, six), part(s, PINION_OPERATOR_N_DOT, nv), six, six, nv, x);
        multiply(ADD, part(s, PINION_OPERATOR_M_DOT, six), part(s, PINION_OPERATOR_N, nv), six, six, nv, x);
        multiply(TRANSPOSED, part(s, PINION_OPERATOR_N, nv), x, nv, six, nv, out);
        break;
    default: /* M_tilde_prime */
        fill_congruence(s, PINION_OPERATOR_M, PINION_OPERATOR_N_L_DOT, out);
        multiply(ADD, part(s, PINION_OPERATOR_M_TILDE, six), part(s, PINION_OPERATOR_OMEGA, six), six, six, six, out);
        x = part(s, PINION_OPERATOR_M_TILDE_DOT, six);
        for (int i = 0; i < six * six; i++) out[i] += x[i];
        break;
    }
}

static void fill(scene *s, pinion_operator op, int rows, int columns, double *out)
{
    const size_t before = s->used;
    memset(out, 0, sizeof *out * (size_t)rows * (size_t)columns);
    switch (op) {
    case PINION_OPERATOR_P: fill_P(s, out); break;
    case PINION_OPERATOR_H: fill_H(s, out); break;
    case PINION_OPERATOR_S: memcpy(out, s->S, sizeof *out * (size_t)rows * (size_t)columns); break;
    case PINION_OPERATOR_T: fill_T(s, columns, out); break;
    case PINION_OPERATOR_I: fill_I(s, out); break;
    case PINION_OPERATOR_ROTORS: fill_rotors(s, out); break;
    case PINION_OPERATOR_N_L: fill_N_l(s, 0, out); break;
    case PINION_OPERATOR_N_L_DOT: fill_N_l(s, 1, out); break;
    case PINION_OPERATOR_N_D: fill_N_d(s, out); break;
    case PINION_OPERATOR_N_D_DOT: fill_N_d_dot(s, out); break;
    case PINION_OPERATOR_M: fill_M(s, 0, out); break;
    case PINION_OPERATOR_M_DOT: fill_M(s, 1, out); break;
    case PINION_OPERATOR_OMEGA: fill_Omega(s, out); break;
    case PINION_OPERATOR_M_TILDE: fill_congruence(s, PINION_OPERATOR_M, PINION_OPERATOR_N_L, out); break;
    case PINION_OPERATOR_M_TILDE_DOT: fill_congruence(s, PINION_OPERATOR_M_DOT, PINION_OPERATOR_N_L, out); break;
    case PINION_OPERATOR_H_TILDE: fill_congruence(s, PINION_OPERATOR_M, PINION_OPERATOR_N_L_DOT, out); break;
    default: fill_products(s, op, out); break;
    }
    s->used = before;
}

/* ---- */

pinion_status pinion_operator_matrix(const pinion_model *m, pinion_work *w, pinion_operator op, const double *q,
                                     const double *v, double *out)
{
    int rows, columns;
    if (!out || !w || (!q && m && m->n.nq)) return PINION_ERR_ARGUMENT;
    pinion_status status = pinion_operator_size(m, op, &rows, &columns);
    /* the papers' bodies are rigid */
    if (status == PINION_OK && (m->n.added || m->n.elastic)) status = PINION_ERR_UNSUPPORTED;
    if (status != PINION_OK) return status;

    /* S, and nested products: at most twelve matrices live at once, of M_tilde_prime or C */
    scene s = {.m = m, .n = m->n.bodies - 1, .six = 6 * (m->n.bodies - 1), .nv = m->n.nv};
    const size_t wide = (size_t)(s.six > s.nv ? s.six : s.nv);
    const size_t room = 12 * wide * wide + (size_t)s.six * (size_t)s.nv;
    s.b = calloc((size_t)s.n + 1, sizeof *s.b);
    s.pool = calloc(room + 1, sizeof *s.pool);
    if (!s.b || !s.pool) status = PINION_ERR_MEMORY;
    if (status == PINION_OK) {
        s.S = take(&s, s.six, s.nv);
        status = read_bodies(&s, w, q, v);
    }
    for (int i = 0; status == PINION_OK && op == PINION_OPERATOR_M_TILDE_PRIME && i < s.n; i++)
        if (s.b[i].universal) status = PINION_ERR_UNSUPPORTED;
    if (status == PINION_OK) fill(&s, op, rows, columns, out);
    free(s.b);
    free(s.pool);
    return status;
}
