/* The SDF reader against the files that libsdformat is tested with: each is read or refused as libsdformat
 * does. */
#include <dirent.h>

#include "check.h"
#include "pinion/pinion.h"

/* What is to be refused, and a word that the reason has. Files that need others are refused, since those are
 * not there. */
static const struct {
    const char *file, *part;
} refused[] = {
    {"bad_syntax_double.sdf", "<linear>"},
    {"bad_syntax_vector.sdf", "<gravity>"},
    {"empty_noversion.sdf", "no version"},
    {"include_pose_1_9.sdf", "there is no 'box'"},
    {"include_with_interface_api_reposture.sdf", "there is no"},
    {"includes_1.5.sdf", "there is no 'test_model'"},
    {"includes_missing_uri.sdf", "no <uri>"},
    {"includes_rotations_in_degrees.sdf", "there is no"},
    {"includes_rotations_in_radians.sdf", "there is no"},
    {"joint_axis_invalid_expressed_in.sdf", "expressed_in"},
    {"joint_child_world.sdf", "'world'"},
    {"joint_invalid_child.sdf", "'invalid'"},
    {"joint_invalid_parent_same_as_child.sdf", "both ends"},
    {"joint_invalid_self_child.sdf", "itself"},
    {"link_duplicate_sibling_visuals.sdf", "two <visual>"},
    {"material_invalid.sdf", "no colour"},
    {"merge_include_with_interface_api_reposture.sdf", "there is no"},
    {"model_duplicate_links.sdf", "two <link>"},
    {"model_frame_invalid_attached_to_cycle.sdf", "leads back"},
    {"model_invalid_canonical_link.sdf", "canonical_link"},
    {"model_invalid_frame_relative_to.sdf", "relative_to"},
    {"model_invalid_joint_relative_to.sdf", "relative_to"},
    {"model_invalid_placement_frame.sdf", "placement_frame"},
    {"model_invalid_root_reference.sdf", "__root__"},
    {"model_without_links.sdf", "has no link"},
    {"nested_without_links_invalid.sdf", "has no link"},
    {"placement_frame_missing_pose.sdf", "there is no"},
    {"root_duplicate_models.sdf", "two <model>"},
    {"stricter_semantics_desc.sdf", "<element>"},
    {"world_frame_invalid_attached_to.sdf", "attached_to"},
    {"world_frame_invalid_relative_to.sdf", "relative_to"},
    {"world_include_with_interface_api.sdf", "there is no"},
    {"world_joint_invalid_resolved_parent_same_as_child.sdf", "both ends"},
    {"world_merge_include.sdf", "there is no"},
    {"world_noname.sdf", "has no name"},
};

static void check_file(const char *folder, const char *name)
{
    char path[2048];
    pinion_error err = {PINION_OK, 0, 0, ""};
    const char *part = NULL;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        if (strcmp(refused[i].file, name) == 0) part = refused[i].part;
    }
    snprintf(path, sizeof path, "%s/%s", folder, name);
    pinion_model *m = pinion_load(path, NULL, &err);
    if (part && m) CHECK_FAIL("%s is read; expected '%s'", name, part);
    if (part && !m) CHECK_HAS(err.message, part);
    if (!part && !m) CHECK_FAIL("%s", err.message);
    check_count++;
    pinion_model_free(m);
}

TEST(files)
{
    const char *where = getenv("PINION_SHARED");
    char folder[1100];
    snprintf(folder, sizeof folder, "%s/sdf/files", where ? where : "");
    struct dirent **entries = NULL;
    const int found = where ? scandir(folder, &entries, NULL, alphasort) : -1;
    if (found < 0) SKIP("there are no files of SDF beside the checkout");
    int files = 0;
    unsetenv("GZ_SIM_RESOURCE_PATH");
    for (int i = 0; i < found; i++) {
        const size_t length = strlen(entries[i]->d_name);
        if (length > 4 && !strcmp(entries[i]->d_name + length - 4, ".sdf")) {
            check_file(folder, entries[i]->d_name);
            files++;
        }
        free(entries[i]);
    }
    free(entries);
    printf("       %d files\n", files);
    CHECK(files > 70);
}

int main(int argc, char **argv)
{
    CHECK_BEGIN(argc, argv);
    RUN(files);
    return CHECK_END();
}
