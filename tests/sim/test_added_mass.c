/* Added mass: closed forms, and the same masses welded on. */
#include "plant.h"

TEST(buoyant_sphere_with_added_mass)
{
    /* a' = g (rho V - m) / (m + rho V / 2): a light ball in water starts with nearly 2 g */
    const double radius = 0.1, volume = 4. / 3 * M_PI * radius * radius * radius, density = 1000, mass = 0.1;
    pinion_model *m = motion_lift(mass);
    plant p = plant_of(m);
    pinion_drag_def def = pinion_drag_def_default();
    def.frame = pinion_model_find_frame(m, "ball");
    def.density = density;
    def.volume = volume;
    def.added_mass = density * volume / 2;
    CHECK_STATUS(pinion_forces_add_drag(p.f, &def, NULL), PINION_OK);
    CHECK(pinion_forces_model(p.f) != m);
    double q[1] = {0}, v[1] = {0}, a[1], power;
    plant_fall(&p, 0, q, v, a, &power);
    const double expected = 9.81 * (density * volume - mass) / (mass + density * volume / 2);
    CHECK_NEAR(a[0], expected, 1e-12);
    CHECK(expected > 1.8 * 9.81);

    /* no drag: all of it is potential, also the weight that the added mass does not have */
    const double e0 = plant_energy(&p, 0, q, v);
    plant_run(&p, 1, 100, q, v);
    CHECK_NEAR(q[0], expected / 2, 1e-11);
    CHECK_NEAR(plant_energy(&p, 1, q, v), e0, 1e-10);
    plant_free(&p);
    pinion_model_free(m);
}

TEST(pendulum_in_water)
{
    /* the mass is at the end of the rod: (m + m_a) l^2 th'' = -(m - rho V) g l sin th */
    const double mass = 3, l = 0.7, volume = 1e-3, density = 1000, added = 0.4;
    pinion_builder *b = pinion_builder_new("pendulum");
    motion_link(b, "base", 0, 0);
    motion_link(b, "rod", 0, 0);
    motion_link(b, "ball", mass, 0);
    pinion_joint_def joint = motion_joint("swing", PINION_JOINT_CONTINUOUS, "base", "rod", 0, 1, 0);
    CHECK_STATUS(pinion_builder_add_joint(b, &joint, NULL), PINION_OK);
    joint = motion_joint("weld", PINION_JOINT_FIXED, "rod", "ball", 0, 0, 1);
    joint.parent_pose.position[2] = -l;
    CHECK_STATUS(pinion_builder_add_joint(b, &joint, NULL), PINION_OK);
    pinion_model *m = pinion_builder_build(b, NULL, NULL);
    pinion_builder_free(b);
    plant p = plant_of(m);
    pinion_drag_def def = pinion_drag_def_default();
    def.frame = pinion_model_find_frame(m, "ball");
    def.density = density;
    def.volume = volume;
    def.added_mass = added;
    CHECK_STATUS(pinion_forces_add_drag(p.f, &def, NULL), PINION_OK);
    for (double th = -3; th < 3; th += 0.5) {
        double a[1], v[1] = {1.3}, power;
        plant_fall(&p, 0, &th, v, a, &power);
        CHECK_NEAR(a[0], -(mass - density * volume) * 9.81 * sin(th) / ((mass + added) * l), 1e-12);
    }
    plant_free(&p);
    pinion_model_free(m);
}

/* two bodies with a tool; loads are welded on as links of their own, or not at all */
static pinion_model *arm(int welded)
{
    pinion_builder *b = pinion_builder_new("arm");
    motion_link(b, "base", 0, 0);
    motion_link(b, "upper", 2, 0.2);
    motion_link(b, "lower", 1, 0.1);
    pinion_joint_def joint = motion_joint("shoulder", PINION_JOINT_SPHERICAL, "base", "upper", 0, 0, 1);
    CHECK_STATUS(pinion_builder_add_joint(b, &joint, NULL), PINION_OK);
    joint = motion_joint("elbow", PINION_JOINT_REVOLUTE, "upper", "lower", 0, 1, 0);
    joint.parent_pose.position[2] = -0.5;
    joint.dof[0].lower = -2, joint.dof[0].upper = 2;
    CHECK_STATUS(pinion_builder_add_joint(b, &joint, NULL), PINION_OK);
    pinion_frame_def frame = pinion_frame_def_default();
    frame.name = "tool";
    frame.link = "lower";
    const double R[9] = {0.6, -0.8, 0, 0.8, 0.6, 0, 0, 0, 1};
    memcpy(frame.pose.rotation, R, sizeof R);
    frame.pose.position[0] = 0.3;
    CHECK_STATUS(pinion_builder_add_frame(b, &frame, NULL), PINION_OK);

    /* a payload with inertia, one mass at a point of the link, one at a point of the tool */
    const double place[3][3] = {
        {0.1, 0.2, 0.3}, {0.2, -0.1, 0.05}, {0.3 + 0.6 * 0.1 - 0.8 * 0.2, 0.8 * 0.1 + 0.6 * 0.2, 0.4}};
    const double mass[3] = {0.7, 0.5, 0.9};
    const char *names[3] = {"payload", "one", "two"};
    for (int i = 0; i < 3 && welded; i++) {
        motion_link(b, names[i], mass[i], i ? 0 : 0.3);
        joint = motion_joint(names[i], PINION_JOINT_FIXED, "lower", names[i], 0, 0, 1);
        memcpy(joint.parent_pose.position, place[i], sizeof place[i]);
        CHECK_STATUS(pinion_builder_add_joint(b, &joint, NULL), PINION_OK);
    }
    pinion_model *m = pinion_builder_build(b, NULL, NULL);
    pinion_builder_free(b);
    if (welded) return m;
    const double I = 0.4 * 0.7 * 0.09;
    const pinion_inertia load = {0.7, {0.1, 0.2, 0.3}, {I, 0, 0, I, 0, I}};
    CHECK_STATUS(pinion_model_set_payload(m, pinion_model_find_link(m, "lower"), &load), PINION_OK);
    return m;
}

TEST(added_mass_and_payload)
{
    pinion_model *m = arm(0), *welded = arm(1);
    plant p = plant_of(m);
    pinion_work *w = pinion_work_new(welded);
    pinion_drag_def def = pinion_drag_def_default();
    def.frame = pinion_model_find_frame(m, "lower");
    const double one[3] = {0.2, -0.1, 0.05}, two[3] = {0.1, 0.2, 0.4};
    memcpy(def.point, one, sizeof one);
    def.added_mass = 0.5;
    CHECK_STATUS(pinion_forces_add_drag(p.f, &def, NULL), PINION_OK);
    def.frame = pinion_model_find_frame(m, "tool");
    memcpy(def.point, two, sizeof two);
    def.added_mass = 0.9;
    CHECK_STATUS(pinion_forces_add_drag(p.f, &def, NULL), PINION_OK);

    const pinion_model *loaded = pinion_forces_model(p.f);
    CHECK_NEAR(pinion_model_mass(loaded), pinion_model_mass(m) + 1.4, 1e-14);
    CHECK(pinion_model_fixed_mass(loaded) == pinion_model_fixed_mass(m));
    for (int k = 0; k < 10; k++) {
        double q[5], v[4] = {0.1, -0.4, 0.3, 0.8}, M0[16], M1[16], h0[4], h1[4], T0, T1, V0, V1, more;
        CHECK_STATUS(pinion_random(m, (uint64_t)k, q), PINION_OK);
        CHECK_STATUS(pinion_mass_matrix(loaded, p.w, q, M0), PINION_OK);
        CHECK_STATUS(pinion_mass_matrix(welded, w, q, M1), PINION_OK);
        CHECK(check_error(M0, M1, 16, 1) < 1e-14);
        CHECK_STATUS(pinion_bias(loaded, p.w, q, v, h0), PINION_OK);
        CHECK_STATUS(pinion_bias(welded, w, q, v, h1), PINION_OK);
        CHECK(check_error(h0, h1, 4, 1) < 1e-14);
        CHECK_STATUS(pinion_energy(loaded, p.w, q, v, 0, &T0, &V0), PINION_OK);
        CHECK_STATUS(pinion_energy(welded, w, q, v, 0, &T1, NULL), PINION_OK);
        CHECK_NEAR(T0, T1, 1e-14);

        /* the weight is that of the model alone */
        CHECK_STATUS(pinion_energy(m, p.w, q, v, 0, NULL, &V1), PINION_OK);
        CHECK_STATUS(pinion_forces_apply(p.f, p.w, 0, q, v, NULL, &more, NULL), PINION_OK);
        CHECK_NEAR(V0 + more, V1, 1e-13);
        double f_ext[3][6] = {{0}}, g0[4], g1[4];
        CHECK_STATUS(pinion_forces_apply(p.f, p.w, 0, q, NULL, &f_ext[0][0], NULL, NULL), PINION_OK);
        CHECK_STATUS(pinion_inverse_dynamics(loaded, p.w, q, NULL, NULL, &f_ext[0][0], g0), PINION_OK);
        CHECK_STATUS(pinion_gravity(m, p.w, q, g1), PINION_OK);
        CHECK(check_error(g0, g1, 4, 1) < 1e-14);
    }
    pinion_work_free(w);
    plant_free(&p);
    pinion_model_free(m);
    pinion_model_free(welded);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(buoyant_sphere_with_added_mass);
    RUN(pendulum_in_water);
    RUN(added_mass_and_payload);
    return CHECK_END();
}
