/// Pinion: robot dynamics in C. This header is all a user needs to include.
///
/// Threads: a model is immutable once built and may be shared by any number of threads;
/// a workspace or a batch belongs to one thread at a time. There is no global state.
///
/// Conventions (docs/notation.md): SI units and radians; 6-vectors carry the angular part
/// first; quaternions are w, x, y, z; matrices are dense and row-major.
#ifndef PINION_PINION_H
#define PINION_PINION_H

#include "pinion/base.h"
#include "pinion/model.h"
#include "pinion/io.h"
#include "pinion/dynamics.h"
#include "pinion/calls.h"
#include "pinion/actuators.h"
#include "pinion/named.h"
#include "pinion/collision.h"
#include "pinion/elements.h"
#include "pinion/elastic.h"
#include "pinion/elastic_joints.h"
#include "pinion/dynamics_f32.h"
#include "pinion/loops.h"
#include "pinion/algorithms.h"
#include "pinion/batch.h"
#include "pinion/batch_calls.h"
#include "pinion/batch_f32.h"
#include "pinion/quantities.h"
#include "pinion/rollout.h"
#include "pinion/layouts.h"
#include "pinion/codegen.h"
#include "pinion/compose.h"
#include "pinion/contact.h"
#include "pinion/shapes.h"
#include "pinion/scene.h"
#include "pinion/support.h"
#include "pinion/equations.h"

#endif
