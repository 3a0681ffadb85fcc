/* A robot built in C, without a file: two rods in a vertical plane with a tool at the end, then the pose and
 * the Jacobian of that tool, checked against what one writes down by hand for such an arm. */
#include <math.h>
#include <stdio.h>

#include <pinion/pinion.h>

static const double length[2] = {0.6, 0.4}, mass[2] = {3, 1.5};

/* A uniform rod along x, from the joint at its origin. */
static pinion_link_def rod(const char *name, int i)
{
    pinion_link_def link = pinion_link_def_default();
    link.name = name;
    link.inertia.mass = mass[i];
    link.inertia.com[0] = length[i] / 2;
    link.inertia.inertia[3] = link.inertia.inertia[5] = mass[i] * length[i] * length[i] / 12; /* yy and zz */
    return link;
}

/* A hinge about -y, so that a positive angle lifts the rod, at `x` along the parent. */
static pinion_joint_def hinge(const char *name, const char *parent, const char *child, double x)
{
    pinion_joint_def joint = pinion_joint_def_default();
    joint.name = name;
    joint.type = PINION_JOINT_REVOLUTE;
    joint.parent = parent;
    joint.child = child;
    joint.parent_pose.position[0] = x;
    joint.axis[0] = joint.axis[2] = 0;
    joint.axis[1] = -1;
    joint.dof[0].lower = -3;
    joint.dof[0].upper = 3;
    joint.dof[0].damping = 0.1;
    return joint;
}

static pinion_model *build(pinion_error *err)
{
    pinion_link_def base = pinion_link_def_default();
    base.name = "base";
    const pinion_link_def upper = rod("upper", 0), fore = rod("fore", 1);
    const pinion_joint_def shoulder = hinge("shoulder", "base", "upper", 0);
    const pinion_joint_def elbow = hinge("elbow", "upper", "fore", length[0]);
    pinion_frame_def tool = pinion_frame_def_default();
    tool.name = "tool";
    tool.link = "fore";
    tool.pose.position[0] = length[1];

    /* each call copies what it is given, so the order is free and nothing above has to live on */
    pinion_builder *b = pinion_builder_new("two rods");
    pinion_model *m = NULL;
    if (b && !pinion_builder_add_link(b, &base, err) && !pinion_builder_add_link(b, &upper, err) &&
        !pinion_builder_add_link(b, &fore, err) && !pinion_builder_add_joint(b, &shoulder, err) &&
        !pinion_builder_add_joint(b, &elbow, err) && !pinion_builder_add_frame(b, &tool, err))
        m = pinion_builder_build(b, NULL, err);
    pinion_builder_free(b);
    return m;
}

int main(void)
{
    pinion_error err = {0};
    pinion_model *m = build(&err);
    pinion_work *w = m ? pinion_work_new(m) : NULL;
    if (!w) {
        puts(m ? "out of memory" : err.message);
        pinion_model_free(m);
        return 1;
    }

    /* pose and Jacobian of the tool: rows are wx wy wz vx vy vz, columns the joints */
    const double q[2] = {0.3, 0.5};
    const int tool = pinion_model_find_frame(m, "tool");
    double p[3], R[9], J[6][2];
    const int failed = pinion_frame_pose(m, w, q, tool, p, R) ||
                       pinion_jacobian(m, w, q, tool, PINION_REFERENCE_WORLD_ALIGNED, &J[0][0]);
    if (failed) puts(pinion_work_message(w));

    /* by hand, with the angles of the two rods against the horizontal */
    const double a = q[0], c = q[0] + q[1];
    const double x = length[0] * cos(a) + length[1] * cos(c), z = length[0] * sin(a) + length[1] * sin(c);
    const double by_hand[2][2] = {{-z, -length[1] * sin(c)}, {x, length[1] * cos(c)}};

    printf("tool at x = %.6f, z = %.6f\n", p[0], p[2]);
    double worst = fmax(fabs(p[0] - x), fabs(p[2] - z));
    for (int j = 0; j < 2; j++) {
        printf("%s moves it by (%.6f, %.6f) m/rad\n", j ? "elbow   " : "shoulder", J[3][j], J[5][j]);
        worst = fmax(worst, fmax(fabs(J[3][j] - by_hand[0][j]), fabs(J[5][j] - by_hand[1][j])));
    }

    pinion_work_free(w);
    pinion_model_free(m);
    return !failed && worst < 1e-14 ? 0 : 1;
}
