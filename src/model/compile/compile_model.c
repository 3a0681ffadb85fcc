/* From a plan to the block: counts and layout, the integers that steer the kernels, and their numbers.
 * The description goes in by transcribe.c. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "model/compile/compile_model.h"
#include "model/plan/couplings.h"
#include "model/pose.h"

/* ---- counts and layout ---- */

/* Links with added mass that move: as many compiled bodies have some at most. */
static int count_added(const pn_plan *plan, const pn_skeleton *s)
{
    int count = 0;
    for (int i = 0; i < plan->links; i++) count += pn_plan_link(plan, i)->added > 0 && s->link_node[i] > 0;
    return count;
}

static void count(pn_counts *n, const pn_plan *plan, const pn_skeleton *s)
{
    memset(n, 0, sizeof *n);
    n->nodes = s->nodes;
    n->bodies = plan->bodies;
    n->frames = plan->links + (int)plan->b->frames.count;
    n->loops = plan->loops;
    for (int i = 0; i < plan->loops; i++) {
        pinion_loop_kind kind = pn_plan_loop_kind(plan, i);
        pinion_joint_type type = pn_plan_loop_joint(plan, i)->type;
        n->rows += pn_loop_rows((int)kind, (int)type);
        if (kind == PINION_LOOP_JOINT || kind == PINION_LOOP_SPRING) {
            n->loop_nq += pinion_joint_type_nq(type);
            n->loop_nv += pinion_joint_type_nv(type);
        }
    }
    n->added = count_added(plan, s);
    for (int i = 0; i < plan->joints; i++) {
        pinion_joint_type type = pn_plan_type(plan, i);
        int nq = pinion_joint_type_nq(type), nv = pinion_joint_type_nv(type);
        n->tree_nq += nq;
        n->tree_nv += nv;
        n->dense += type == PINION_JOINT_PLANAR || type == PINION_JOINT_SPHERICAL || type == PINION_JOINT_FREE;
        if (plan->joint_leader[i] >= 0) {
            n->followers++;
        } else {
            n->nq += nq;
            n->nv += nv;
        }
    }
    pn_count_elastic(n, plan, s);
}

/* Whether dense matrices over a model's velocities can be indexed, and a workspace addressed. */
static pinion_status check_size(const pn_counts *n, const pn_plan *plan, pinion_error *err)
{
    const uint64_t reals = pn_work_reals(n) + (n->loops ? pn_loop_reals(n) : 0);
    if (n->loops && n->nv + n->rows > PN_MAX_DENSE) {
        return pn_fail(plan->b, err, PINION_ERR_MODEL, 0,
                       "a model with loops has %d velocities and %d constraints; expected at most %d of both together",
                       n->nv, n->rows, PN_MAX_DENSE);
    }
    if (n->followers && n->tree_nv > PN_MAX_DENSE - 6) {
        return pn_fail(plan->b, err, PINION_ERR_MODEL, 0,
                       "a model with mimic joints has %d velocities, theirs included; expected at most %d", n->tree_nv,
                       PN_MAX_DENSE - 6);
    }
    if (reals > SIZE_MAX / 8 / sizeof(double)) {
        return pn_fail(plan->b, err, PINION_ERR_MODEL, 0,
                       "%d velocities and %d constraints of loops need %.0f MB of memory to compute with; expected at "
                       "most %.0f MB on this machine",
                       n->tree_nv, n->rows, (double)reals * sizeof(double) / 1e6, (double)(SIZE_MAX / 8) / 1e6);
    }
    return PINION_OK;
}

/* Sets aside room for an array; the offset is checked once, at the end. */
static pn_offset set_aside(uint64_t *size, size_t elements, size_t bytes, size_t align)
{
    uint64_t start = (*size + align - 1) / align * align;
    *size = start + (uint64_t)elements * bytes;
    return (pn_offset)start;
}

/* Offsets of everything into `m`; the size of the block. */
static uint64_t lay_out(pinion_model *m, const pn_plan *plan)
{
    const pinion_builder *b = plan->b;
    const pn_counts *n = &m->n;
    uint64_t size = sizeof *m;
    m->links = plan->links;
    m->joints = plan->joints + plan->modes;
    m->named_frames = (int)b->frames.count;
    m->visuals = (int)b->visuals.count;
    m->warnings = plan->warning_count;
    m->actuators = plan->actuators;
    m->actuators_listed = b->actuators_listed;

    /* what kernels read */
    size_t constants = pn_constant_count(n);
    m->constants = (uint32_t)constants;
    m->f64 = set_aside(&size, constants, sizeof(double), PN_ALIGN);
    m->f32 = set_aside(&size, constants, sizeof(float), PN_ALIGN);
    m->nodes = set_aside(&size, (size_t)n->nodes, sizeof(pn_node), PN_ALIGN);
    m->frame_node = set_aside(&size, (size_t)n->frames, sizeof(int), 8);
    m->body_node = set_aside(&size, (size_t)n->bodies, sizeof(int), 8);
    if (n->followers) {
        m->map_q = set_aside(&size, (size_t)n->tree_nq, sizeof(pn_map), 8);
        m->map_v = set_aside(&size, (size_t)n->tree_nv, sizeof(pn_map), 8);
    }
    m->closed = set_aside(&size, (size_t)n->loops, sizeof(pn_loop), 8);
    m->elastic = set_aside(&size, (size_t)n->elastic, sizeof(pn_elastic), 8);
    m->coupled = set_aside(&size, (size_t)n->nodes + 1 + (size_t)(n->couplings > 0 ? n->couplings : 0), sizeof(int), 8);

    /* the description */
    m->link = set_aside(&size, (size_t)m->links, sizeof(pn_link_record), 8);
    m->added = set_aside(&size, b->added.count, 36 * sizeof(double), 8);
    m->bent = set_aside(&size, (size_t)n->elastic, sizeof(pn_bent_record), 8);
    m->bent_data = set_aside(&size, pn_elastic_data_count(plan), sizeof(double), 8);
    m->drags = (int)b->drags.count;
    m->drag = set_aside(&size, b->drags.count, sizeof(pinion_drag), 8);
    m->joint = set_aside(&size, (size_t)m->joints, sizeof(pn_joint_record), 8);
    m->frame = set_aside(&size, (size_t)m->named_frames, sizeof(pn_frame_record), 8);
    m->loop = set_aside(&size, (size_t)n->loops, sizeof(pn_loop_record), 8);
    m->visual = set_aside(&size, (size_t)m->visuals, sizeof(pn_visual_record), 8);
    m->collisions = (int)b->collisions.count;
    m->pairs = (int)b->pairs.count;
    m->exclusions = plan->exclusions;
    m->collision = set_aside(&size, (size_t)m->collisions, sizeof(pn_collision_record), 8);
    m->link_collision = set_aside(&size, (size_t)m->links + 1, sizeof(int), 8);
    m->collision_data = set_aside(&size, b->data.count, sizeof(double), 8);
    m->pair = set_aside(&size, (size_t)m->pairs, sizeof(pinion_collision_pair_info), 8);
    m->exclusion = set_aside(&size, 2 * (size_t)m->exclusions, sizeof(int), 8);
    m->actuator = set_aside(&size, (size_t)m->actuators, sizeof(pn_actuator_record), 8);
    m->term = set_aside(&size, (size_t)plan->terms, sizeof(pinion_actuator_term), 8);
    m->states = (int)b->states.count;
    m->groups = (int)b->groups.count;
    m->state = set_aside(&size, (size_t)m->states, sizeof(pn_set_record), 8);
    m->group = set_aside(&size, (size_t)m->groups, sizeof(pn_set_record), 8);
    m->state_value = set_aside(&size, (size_t)m->states * (size_t)(n->nq + n->nv), sizeof(double), 8);
    m->group_joint = set_aside(&size, b->members.count, sizeof(int), 8);
    m->tendons = (int)b->tendons.count;
    m->tendon = set_aside(&size, b->tendons.count, sizeof(pn_tendon_record), 8);
    m->tendon_term = set_aside(&size, b->tendon_terms.count, sizeof(pinion_tendon_term), 8);
    m->warning = set_aside(&size, (size_t)m->warnings, sizeof(pn_offset), 8);
    m->body_joint = set_aside(&size, (size_t)n->bodies, sizeof(int), 8);
    m->frame_names = set_aside(&size, (size_t)n->frames, sizeof(int), 8);
    m->joint_names = set_aside(&size, (size_t)(m->joints + n->loops), sizeof(int), 8);
    m->name = set_aside(&size, pn_description_size(plan), 1, 8);
    return (size + PN_ALIGN - 1) / PN_ALIGN * PN_ALIGN;
}

/* ---- nodes ---- */

/* The passive elements of a degree of freedom; whether it has any. */
static int fill_passive(pn_dof *out, const pinion_dof *dof)
{
    pn_put_passive(out, dof, dof->rest);
    return pn_is_passive(out);
}

/* The passive elements and rotors of a degree of freedom of the tree. */
static void fill_dof(pinion_model *m, pn_node *node, int k, const pinion_dof *dof)
{
    pn_link *constants = &pn_links_of(m)[node - PN_AT(m, pn_node, m->nodes)];
    if (fill_passive(&pn_dofs_of(m)[node->v + k], dof)) node->sprung = 1;
    constants->rotor[k] = dof->gear_ratio * dof->gear_ratio * dof->rotor_inertia;
    if (constants->rotor[k] != 0) node->rotors = 1;
}

/* The rests of a rotation as kernels know them: of a rotation vector its axis times tan(angle / 4), half a turn at
 * most. */
static void fill_rest_of_turn(pn_dof dof[3])
{
    const double r[3] = {dof[0].rest, dof[1].rest, dof[2].rest}, angle = hypot(hypot(r[0], r[1]), r[2]);
    for (int k = 0; k < 3 && angle > 0; k++)
        dof[k].rest = r[k] / angle * tan(remainder(angle, 2 * 3.14159265358979323846) / 4);
}

static void fill_node(pinion_model *m, const pn_plan *plan, const pn_skeleton *s, int i, int *q, int *v,
                      int *dense)
{
    const pn_unit *unit = &s->unit[i];
    pn_node *node = PN_AT(m, pn_node, m->nodes) + i;
    node->parent = unit->parent;
    node->end = i + 1;
    node->first = i > 1 && node->parent == i - 1 ? node[-1].first : i;
    node->dense = -1;
    node->q = *q;
    node->v = *v;
    node->body = -1;
    if (unit->link >= 0) {
        node->body = plan->joint_body[unit->joint];
        node->turned = !pn_pose_is_identity(&s->link[unit->link]);
    }
    if (i == 0) {
        node->body = 0;
        node->turned = !pn_pose_is_identity(&s->base);
        return;
    }
    if (unit->kind == PN_ELASTIC) { /* the rest is in fill_elastic.c */
        node->joint = unit->kind;
        node->place = unit->place;
        node->dense = (*dense)++;
        return;
    }

    /* its coordinates: a half of a joint has one of the two */
    const pn_described_joint *described = pn_plan_joint(plan, unit->joint);
    pinion_joint_type type = pn_plan_type(plan, unit->joint);
    node->joint = unit->kind;
    node->place = unit->place;
    node->nq = pn_one_dof(unit->kind) ? 1 : pinion_joint_type_nq(type);
    node->nv = pn_one_dof(unit->kind) ? 1 : pinion_joint_type_nv(type);
    *q += node->nq;
    *v += node->nv;
    node->follower = PN_AT_CONST(m, pn_joint_record, m->joint)[unit->joint].leader >= 0;
    if (!pn_one_dof(unit->kind)) node->dense = (*dense)++;
    for (int k = 0; described && k < node->nv; k++) {
        fill_dof(m, node, k,
                 PN_ITEM(&plan->b->dofs, const pinion_dof, described->dof + (size_t)(unit->half + k)));
    }
    if (unit->kind == PN_SPHERICAL || unit->kind == PN_FREE) fill_rest_of_turn(&pn_dofs_of(m)[node->v]);
}

/* ---- numbers ---- */

static void fill_constants(pinion_model *m, const pn_plan *plan, const pn_skeleton *s, int i)
{
    const pn_unit *unit = &s->unit[i];
    pn_link *out = &pn_links_of(m)[i];
    pinion_pose pose = pinion_pose_identity();
    out->cx = out->cz = out->c0 = 1;
    out->dense = out->link = pn_place_of(&pose);
    if (i == 0) {
        pose = pn_pose_inverse(&s->base);
        out->link = pn_place_of(&pose);
        return;
    }

    /* placement */
    const pn_normal *n = &unit->screws;
    out->dense = pn_place_of(&unit->dense);
    if (unit->place == PN_PLACE_X || unit->place == PN_PLACE_ZX) {
        out->cx = n->alpha.c;
        out->sx = n->alpha.s;
        out->ax = n->a;
        out->cz = n->beta.c;
        out->sz = n->beta.s;
        out->az = n->e;
    }

    /* the joint's own screw */
    if (pn_one_dof(unit->kind)) {
        out->c0 = n->theta.c;
        out->s0 = n->theta.s;
        out->theta0 = atan2(n->theta.s, n->theta.c);
        out->d0 = n->d;
        out->rho = unit->kind != PN_PRISMATIC;
        out->sigma = unit->kind == PN_PRISMATIC ? 1 : 0;
        if (unit->kind == PN_HELICAL) out->sigma = pn_plan_joint(plan, unit->joint)->pitch;
    }
    if (unit->link >= 0) out->link = pn_place_of(&s->link[unit->link]);
}

/* Tree coordinates in terms of the model's own, where there are followers. */
static void fill_maps(pinion_model *m, const pn_plan *plan)
{
    if (!m->n.followers) return;
    const pn_joint_record *joints = PN_AT_CONST(m, pn_joint_record, m->joint);
    pn_map *map_q = PN_AT(m, pn_map, m->map_q), *map_v = PN_AT(m, pn_map, m->map_v);
    pn_coordinate *coordinate_q = pn_coordinates_of(m), *coordinate_v = coordinate_q + m->n.tree_nq;
    int q = 0, v = 0;
    for (int i = 0; i < plan->joints; i++) {
        int leader = joints[i].leader, own = leader >= 0 ? leader : i;
        for (int k = 0; k < pinion_joint_type_nq(joints[i].type); k++, q++) {
            map_q[q].index = joints[own].q_index + k;
            coordinate_q[q].multiplier = joints[i].multiplier;
            coordinate_q[q].offset = joints[i].offset;
        }
        for (int k = 0; k < pinion_joint_type_nv(joints[i].type); k++, v++) {
            map_v[v].index = joints[own].v_index + k;
            coordinate_v[v].multiplier = joints[i].multiplier;
        }
    }
    for (int k = 0; k < plan->modes; k++, q++, v++) {
        map_q[q].index = joints[plan->joints + k].q_index;
        map_v[v].index = joints[plan->joints + k].v_index;
        coordinate_q[q].multiplier = coordinate_v[v].multiplier = 1;
    }
}

/* ---- loops ---- */

/* The compiled body of a link, and a pose on that link seen from the body. -1: the world. */
static int place_on_link(const pn_skeleton *s, int link, const pinion_pose *on_link, pinion_pose *pose)
{
    *pose = link < 0 ? *on_link : pn_pose_mul(&s->link[link], on_link);
    return link < 0 ? 0 : s->link_node[link];
}

/* Between which bodies a loop is, and where its frames are on them. */
static void place_loop(const pn_plan *plan, const pn_skeleton *s, int i, pn_loop *loop, pn_closure *closure)
{
    const pn_described_joint *joint = pn_plan_loop_joint(plan, i);
    pinion_pose frame[2] = {pinion_pose_identity(), pinion_pose_identity()}, turn = pinion_pose_identity();
    if (loop->kind == PINION_LOOP_GEAR || loop->kind == PINION_LOOP_DRIVE) {
        int first = plan->loop_first[i], second = plan->loop_second[i];
        loop->node[0] = s->body_node[plan->joint_body[first]];
        loop->node[1] = second < 0 ? -1 : s->body_node[plan->joint_body[second]];
    } else {
        if (loop->kind == PINION_LOOP_JOINT && pn_type_uses_axis((int)joint->type)) {
            pn_turn_z_to(joint->axis, turn.rotation);
        }
        loop->node[0] = place_on_link(s, plan->loop_parent[i], &joint->parent_pose, &frame[0]);
        loop->node[1] = place_on_link(s, plan->loop_child[i], &joint->child_pose, &frame[1]);
    }
    for (int k = 0; k < 2; k++) {
        pinion_pose turned = pn_pose_mul(&frame[k], &turn);
        closure->frame[k] = pn_place_of(&turned);
    }
    for (int k = 0; k < 9; k++) closure->turn[k] = turn.rotation[k];
}

static int has_law(const pinion_motion *x)
{
    return x->offset != 0 || x->rate != 0 || x->acceleration != 0 || x->amplitude != 0;
}

static void fill_loops(pinion_model *m, const pn_plan *plan, const pn_skeleton *s)
{
    int row = 0, q = 0, v = 0;
    for (int i = 0; i < plan->loops; i++) {
        pn_loop *loop = PN_AT(m, pn_loop, m->closed) + i;
        pn_closure *closure = &pn_closures_of(m)[i];
        const pn_described_loop *described = pn_plan_loop(plan, i);
        const pn_described_joint *joint = pn_plan_loop_joint(plan, i);

        /* its rows, and the coordinates of a joint */
        loop->kind = (int)pn_plan_loop_kind(plan, i);
        loop->type = loop->kind == PINION_LOOP_SPRING ? PN_SPRING_TYPE : (int)joint->type;
        loop->row = row;
        loop->rows = pn_loop_rows(loop->kind, loop->type);
        loop->q = q;
        loop->v = v;
        if (loop->kind == PINION_LOOP_JOINT || loop->kind == PINION_LOOP_SPRING) {
            loop->nq = pinion_joint_type_nq(joint->type);
            loop->nv = pinion_joint_type_nv(joint->type);
        }
        row += loop->rows;
        q += loop->nq;
        v += loop->nv;

        /* where it is, and its numbers */
        place_loop(plan, s, i, loop, closure);
        closure->pitch = joint->pitch;
        if (described) {
            closure->ratio = described->ratio;
            memcpy(closure->curve, described->curve, sizeof closure->curve);
            closure->length = described->length;
            closure->radius = described->radius;
            loop->disk = described->disk;
            loop->driven = has_law(&described->motion);
        }
        for (int k = 0; k < loop->nv; k++) {
            const pinion_dof *dof = PN_ITEM(&plan->b->dofs, const pinion_dof, joint->dof + (size_t)k);
            if (fill_passive(&pn_loop_dofs_of(m)[loop->v + k], dof)) loop->sprung = 1;
        }
    }
}

static void fill(pinion_model *m, const pn_plan *plan, const pn_skeleton *s)
{
    /* nodes, and subtrees from their ends */
    pn_node *nodes = PN_AT(m, pn_node, m->nodes);
    int q = 0, v = 0, dense = 0;
    for (int i = 0; i < s->nodes; i++) {
        fill_node(m, plan, s, i, &q, &v, &dense);
        fill_constants(m, plan, s, i);
    }
    for (int i = s->nodes - 1; i > 0; i--) {
        if (nodes[i].end > nodes[nodes[i].parent].end) nodes[nodes[i].parent].end = nodes[i].end;
    }
    pn_fill_elastic(m, plan, s);
    memcpy(PN_AT(m, int, m->body_node), s->body_node, (size_t)plan->bodies * sizeof(int));
    fill_maps(m, plan);
    fill_loops(m, plan, s);

    /* frames: every link, then the named ones on them */
    int *frame_node = PN_AT(m, int, m->frame_node);
    for (int i = 0; i < m->links; i++) {
        frame_node[i] = s->link_node[i];
        pn_frames_of(m)[i] = pn_place_of(&s->link[i]);
    }
    pn_head_of(m)->base = pn_place_of(&s->base);
    for (int i = 0; i < m->named_frames; i++) {
        const pn_frame_record *record = PN_AT_CONST(m, pn_frame_record, m->frame) + i;
        pinion_pose pose;
        frame_node[m->links + i] = pn_skeleton_find(s, plan, plan->frame_link[i], &record->pose, &pose);
        pn_set_named_frame(m, m->links + i);
    }

    /* gravity and masses as edits set them, then all of it in single precision */
    memcpy(m->gravity, plan->gravity, sizeof m->gravity);
    pn_set_gravity(m);
    pn_merge_all(m);
    pn_merge_places(m, plan, s);
    pn_merge_added(m);
    pn_sum_mass(m);
    pn_narrow(m, pn_head_of(m), m->constants * sizeof(double));
    /* what decides the shape of a workspace and the path through the kernels */
    m->structure =
        pn_fnv1a(pn_fnv1a(PN_FNV1A, &m->n, sizeof m->n), nodes, (size_t)m->n.nodes * sizeof *nodes);
    m->structure =
        pn_fnv1a(m->structure, PN_AT(m, pn_elastic, m->elastic), (size_t)m->n.elastic * sizeof(pn_elastic));
    m->structure = pn_fnv1a(m->structure, PN_AT(m, pn_loop, m->closed), (size_t)m->n.loops * sizeof(pn_loop));
    pn_set_content(m);
}

/* Numbers that are finite one by one may still overflow together. */
static pinion_status check_range(const pinion_model *m, const pn_plan *plan, pinion_error *err)
{
    if (pn_finite(PN_AT_CONST(m, double, m->f64), (int)m->constants) && isfinite(m->fixed_mass)) {
        return PINION_OK;
    }
    return pn_fail(
        plan->b, err, PINION_ERR_MODEL, 0,
        "lengths, masses or inertias are so large that their products overflow; expected SI units");
}

pinion_model *pn_compile(const pn_plan *plan, pinion_error *err)
{
    /* the skeleton, and how large it all will be */
    pinion_model *m = NULL, header;
    pn_skeleton s;
    pn_pool pool;
    memset(&pool, 0, sizeof pool);
    memset(&header, 0, sizeof header);
    pn_couplings couplings;
    pinion_status status = pn_skeleton_make(&s, plan, &pool) ? PINION_OK : pn_fail_memory(plan->b, err);
    if (status == PINION_OK) {
        count(&header.n, plan, &s);
        status = check_size(&header.n, plan, err);
    }
    if (status == PINION_OK && !pn_couplings_make(&couplings, plan, &s, &pool)) status = pn_fail_memory(plan->b, err);
    if (status == PINION_OK) {
        header.n.couplings = couplings.count;
        header.layout = pn_work_layout(&header.n, PN_PART_ALL, PN_BODY_REALS);
        uint64_t size = lay_out(&header, plan);
        if (size > UINT32_MAX - PN_ALIGN || size > SIZE_MAX) {
            status = pn_fail(plan->b, err, PINION_ERR_MODEL, 0,
                             "the model is too large; expected at most 4 GiB of it");
        } else {
            header.magic = PN_MAGIC;
            header.size = (uint32_t)size;
            m = aligned_alloc(PN_ALIGN, (size_t)size);
            if (!m) status = pn_fail_memory(plan->b, err);
        }
    }

    /* fill it */
    if (status == PINION_OK) {
        memset(m, 0, header.size);
        *m = header;
        pn_transcribe(m, plan);
        fill(m, plan, &s);
        pn_couplings_write(&couplings, s.nodes, PN_AT(m, int, m->coupled));
        status = check_range(m, plan, err);
    }
    pn_pool_free(&pool);
    if (status != PINION_OK) {
        free(m);
        return NULL;
    }
    return m;
}
