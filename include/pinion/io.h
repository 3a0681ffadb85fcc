/// Reading and writing model files. Files are untrusted: a bad one gets an error that says where and
/// what, and nothing else happens. Not part of a build without loaders (-DPINION_IO=OFF).
#ifndef PINION_IO_H
#define PINION_IO_H

#include "pinion/model.h"

PINION_BEGIN

typedef enum pinion_format {
    PINION_FORMAT_AUTO = 0, ///< by content: <robot> is URDF, <mujoco> MJCF, <sdf> SDF, '{' starts the native JSON
    PINION_FORMAT_URDF,
    PINION_FORMAT_JSON,
    PINION_FORMAT_MJCF, ///< MuJoCo's
    PINION_FORMAT_SDF   ///< Gazebo's
} pinion_format;

/// Loads a model file: native JSON, URDF (docs/model-format.md), MJCF (docs/mjcf.md) or SDF (docs/sdf.md). An MJCF or
/// SDF file may name others, which are read, too; one that is loaded from memory may not.
/// @param options NULL for the defaults
/// @param err may be NULL
/// @return NULL with `err` filled on failure
PINION_API pinion_model *pinion_load(const char *path, const pinion_load_options *options, pinion_error *err);

/// Loads a model from memory. `name` stands for the file in messages; NULL means "<string>".
PINION_API pinion_model *pinion_load_string(const char *text, size_t size, pinion_format format,
                                            const char *name, const pinion_load_options *options,
                                            pinion_error *err);

/// The real path of a mesh file that a model names: by package:// or model:// in a package, by file:// or as a path in
/// the model's folder. Packages are looked for in `package_path`, beside the model's folder and those above it, in
/// ROS_PACKAGE_PATH and in AMENT_PREFIX_PATH; never in the current folder. What lies outside the model's folder (its
/// package, where it is in one) and of packages is not given: PINION_ERR_UNSUPPORTED.
/// @param model_path    the model's file; NULL: unknown
/// @param package_path  folders with packages, separated by ':'; NULL: none
/// @return to be released with pinion_free(); NULL with `err` filled on failure
PINION_API char *pinion_find_mesh(const char *model_path, const char *mesh, const char *package_path,
                                  pinion_error *err);

/// The corners of the convex hull of a collision that is a mesh (pinion/collision.h), from its file (STL, OBJ, MSH) or
/// from the model: in the collision's frame, its scale applied. All its points where they lie in a plane.
/// @param model_path, package_path  as for pinion_find_mesh()
/// @return [count][3], to be released with pinion_free(); NULL with `err` filled on failure
PINION_API double *pinion_collision_points(const pinion_model *m, int index, const char *model_path,
                                           const char *package_path, int *count, pinion_error *err);

/// What pinion_model_read_meshes came to.
typedef struct pinion_mesh_report {
    int files;     ///< collisions whose points were only in a file
    int left_out;  ///< of them those that stay without points
    char why[400]; ///< of the first of those
} pinion_mesh_report;

/// A new model: another one in which the collisions that are meshes in files have points, the corners of the convex
/// hulls of what is in the files. Contact takes part with these. Files that are not found or cannot be read leave their
/// collisions as they were, and the report tells.
/// @param model_path, package_path  as for pinion_find_mesh()
/// @param report  may be NULL
/// @return NULL with `err` filled on failure
PINION_API pinion_model *pinion_model_read_meshes(const pinion_model *m, const char *model_path,
                                                  const char *package_path, pinion_mesh_report *report,
                                                  pinion_error *err);

/// Writes a model to a file, whole or not at all. The format is that of the name, for AUTO: .urdf and .xml, .mjcf,
/// .sdf, .json. URDF, MJCF and SDF cannot express everything: what they cannot and would change how the model moves is
/// refused with PINION_ERR_UNSUPPORTED and a message that names the element.
PINION_API PINION_CHECK pinion_status pinion_save(const pinion_model *m, const char *path,
                                                  pinion_format format, pinion_error *err);

/// Writes a model to a new string, to be released with pinion_free().
/// @return NULL with `err` filled on failure
PINION_API char *pinion_save_string(const pinion_model *m, pinion_format format, pinion_error *err);

/// The same for URDF, MJCF and SDF with less: what they cannot express is left out where the rest still means
/// something.
/// @param told  what that was, a line each with its end, to be released with pinion_free(); NULL where nothing was left
///              out. May be NULL
PINION_API char *pinion_save_string_telling(const pinion_model *m, pinion_format format, char **told,
                                            pinion_error *err);

/// Writes a file, whole or not at all: a reader sees what was there before or all of the new. Behind a symbolic link
/// the file is replaced, not the link; pipes and terminals are written to.
PINION_API PINION_CHECK pinion_status pinion_write_file(const char *path, const void *bytes, size_t size,
                                                        pinion_error *err);

PINION_END

#endif
