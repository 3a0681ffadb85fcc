/// Status codes, errors and the version.
///
/// How functions answer, everywhere in Pinion:
///
/// - What can fail returns a pinion_status. PINION_OK is 0 and every failure is negative: `if (status)` means that it
///   failed, so that calls can be chained with ||.
/// - What makes an object returns it, or NULL. Where a file, a description or an argument can be wrong it takes a
///   pinion_error, which says what is; without one, NULL means that an argument was NULL or memory ran out.
/// - What looks something up returns its number, or -1 when there is none; a size or a count is 0 where nothing is.
/// - pinion_..._message(object) is one sentence about the last call with that object that returns a status: what it
///   objected to, "" when it succeeded. It is never NULL, and lives until the object's next call.
/// - Plain memory that a function hands out, a string or an array, is released with pinion_free().
#ifndef PINION_BASE_H
#define PINION_BASE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define PINION_BEGIN extern "C" {
#define PINION_END }
#else
#define PINION_BEGIN
#define PINION_END
#endif

#if defined(__GNUC__) || defined(__clang__)
#define PINION_API __attribute__((visibility("default")))
#define PINION_CHECK __attribute__((warn_unused_result))
#else
#define PINION_API
#define PINION_CHECK
#endif

#define PINION_VERSION_MAJOR 0
#define PINION_VERSION_MINOR 2
#define PINION_VERSION_PATCH 0
#define PINION_VERSION "0.2.0"

PINION_BEGIN

/// Every status with its text, once: the enum and pinion_status_text() come from this list.
#define PINION_STATUS_LIST(X)                                                                                \
    X(PINION_OK, 0, "ok")                                                                                    \
    X(PINION_ERR_ARGUMENT, -1, "an argument is missing or out of range")                                     \
    X(PINION_ERR_MEMORY, -2, "out of memory")                                                                \
    X(PINION_ERR_FILE, -3, "a file cannot be read or written")                                               \
    X(PINION_ERR_PARSE, -4, "a file is malformed")                                                           \
    X(PINION_ERR_MODEL, -5, "the model is not valid")                                                        \
    X(PINION_ERR_NOT_FOUND, -6, "no element has that name")                                                  \
    X(PINION_ERR_MISMATCH, -7, "the workspace was made for another model")                                   \
    X(PINION_ERR_QUATERNION, -8, "a quaternion in q is not of unit length")                                  \
    X(PINION_ERR_SINGULAR, -9, "the mass matrix is singular: some motion moves no inertia")                      \
    X(PINION_ERR_LOOPS, -10, "the model has closed loops, which this function does not solve")               \
    X(PINION_ERR_UNSUPPORTED, -11, "the format or the function cannot express this model")                  \
    X(PINION_ERR_CONVERGENCE, -12, "no solution was found with the iterations allowed")                      \
    X(PINION_ERR_STEP, -13, "no integration step, however small, meets the tolerance")                       \
    X(PINION_ERR_CALLBACK, -14, "a function of the caller's failed")

typedef enum pinion_status {
#define PINION_STATUS_ENUM(name, value, text) name = (value),
    PINION_STATUS_LIST(PINION_STATUS_ENUM)
#undef PINION_STATUS_ENUM
        PINION_STATUS_END_ = 1 /* not a status: ends the list without a trailing comma */
} pinion_status;

/// What went wrong and where. `message` is one complete line, "file:line: what is wrong, what was
/// expected" when it comes from a file; `line` and `column` count from 1, 0 when unknown.
typedef struct pinion_error {
    pinion_status status;
    int line;
    int column;
    char message[512];
} pinion_error;

/// One sentence for a status; never NULL.
PINION_API const char *pinion_status_text(pinion_status status);

/// Releases a string or an array that a function of Pinion handed out; NULL is allowed. Objects have their own
/// function, pinion_..._free().
PINION_API void pinion_free(void *memory);

/// The version of the library that is linked, as "major.minor.patch".
PINION_API const char *pinion_version(void);

PINION_END

#endif
