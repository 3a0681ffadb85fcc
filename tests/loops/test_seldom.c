/* Loops that cannot be as a model has them: an axis that points the wrong way, and loops that are open by so much that
 * nobody knows which of their rows count. */
#include "check.h"
#include "pinion/pinion.h"

/* The four-bar of crank 1 m, coupler 2 m and rocker 2 m over 2 m in the x-y plane; the pin between coupler and rocker
 * has an axis of its own on the side of the rocker. */
static pinion_model *turned_four_bar(double axis_turned)
{
    static const char *const parent[] = {"base", "crank", "base", "coupler"},
                             *const child[] = {"crank", "coupler", "rocker", "rocker"},
                             *const name[] = {"A", "B", "D", "pin"};
    pinion_error err = {PINION_OK, 0, 0, ""};
    pinion_builder *b = pinion_builder_new("four-bar");
    pinion_link_def l = pinion_link_def_default();
    for (int i = 0; i < 4; i++) {
        l.name = i ? child[i - 1] : "base";
        if (i) l.inertia = (pinion_inertia){1, {0.5, 0, 0}, {0.1, 0, 0, 0.1, 0, 0.1}};
        CHECK_STATUS(pinion_builder_add_link(b, &l, NULL), PINION_OK);
    }
    for (int i = 0; i < 4; i++) {
        pinion_joint_def j = pinion_joint_def_default();
        j.name = name[i];
        j.type = PINION_JOINT_CONTINUOUS;
        j.parent = parent[i];
        j.child = child[i];
        j.axis[0] = j.axis[1] = 0;
        j.axis[2] = 1;
        j.parent_pose.position[0] = i == 1 ? 1 : i == 2 || i == 3 ? 2 : 0;
        if (i == 3) {
            const double c = cos(axis_turned), s = sin(axis_turned), R[9] = {1, 0, 0, 0, c, -s, 0, s, c};
            j.child_pose.position[0] = 2;
            memcpy(j.child_pose.rotation, R, sizeof R);
        }
        CHECK_STATUS(i < 3 ? pinion_builder_add_joint(b, &j, NULL) : pinion_builder_add_loop(b, &j, NULL), PINION_OK);
    }
    pinion_model *m = pinion_builder_build(b, NULL, &err);
    if (!m) CHECK_FAIL("%s", err.message);
    pinion_builder_free(b);
    return m;
}

/* With the axis the right way it closes; the other way round no motion in the plane closes it, and it is told that one
 * of its sides is the wrong way. An axis that is off by a right angle is no such mistake. */
TEST(an_axis_the_wrong_way)
{
    static const double turned[3] = {0, M_PI, M_PI / 2};
    for (int k = 0; k < 3; k++) {
        pinion_model *m = turned_four_bar(turned[k]);
        pinion_work *w = m ? pinion_work_new(m) : NULL;
        double q[3] = {0.9, -0.3, 1.1};
        if (!w) return;
        CHECK_STATUS(pinion_assemble(m, w, 0, NULL, q, NULL), k ? PINION_ERR_CONVERGENCE : PINION_OK);
        CHECK_HAS(pinion_work_message(w), k ? "loop 'pin' cannot be closed: it stays open by " : "");
        const char *advice = strstr(pinion_work_message(w),
                                    "; it would close if one side of loop 'pin' were turned round: see its axis");
        CHECK((advice != NULL) == (k == 1));
        pinion_work_free(w);
        pinion_model_free(m);
    }
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(an_axis_the_wrong_way);
    return CHECK_END();
}
