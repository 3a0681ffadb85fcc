/// Pinion: robot dynamics in C. This header is all a user needs to include.
///
/// Threads: a model is immutable once built and may be shared by any number of threads;
/// a workspace or a batch belongs to one thread at a time. There is no global state.
///
/// Conventions (docs/notation.md): SI units and radians; 6-vectors carry the angular part
/// first; quaternions are w, x, y, z; matrices are dense and row-major.
#ifndef PINION_PINION_H
#define PINION_PINION_H

#include "base.h"
#include "model.h"
#include "io.h"
#include "dynamics.h"
#include "dynamics_f32.h"
#include "loops.h"
#include "global.h"
#include "algorithms.h"
#include "operators.h"
#include "parallel.h"
#include "batch.h"
#include "batch_f32.h"
#include "rollout.h"
#include "codegen.h"
#include "equations.h"

#endif
