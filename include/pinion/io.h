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
    PINION_FORMAT_MJCF, ///< MuJoCo's; it is read, not written
    PINION_FORMAT_SDF   ///< Gazebo's; it is read, not written
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

/// Writes a model to a file, whole or not at all. URDF cannot express everything: what it cannot is
/// refused with PINION_ERR_UNSUPPORTED and a message that names the element.
PINION_API PINION_CHECK pinion_status pinion_save(const pinion_model *m, const char *path,
                                                  pinion_format format, pinion_error *err);

/// Writes a model to a new string, to be released with pinion_free().
/// @return NULL with `err` filled on failure
PINION_API char *pinion_save_string(const pinion_model *m, pinion_format format, pinion_error *err);

/// Writes a file, whole or not at all: a reader sees what was there before or all of the new. Behind a symbolic link
/// the file is replaced, not the link; pipes and terminals are written to.
PINION_API PINION_CHECK pinion_status pinion_write_file(const char *path, const void *bytes, size_t size,
                                                        pinion_error *err);

PINION_END

#endif
