# Names of Pinion 0.1 to those of 0.2, in C and C++ sources (GNU sed): sed -E -i -f upgrade-0.2.sed FILE...
# docs/upgrading.md says what it cannot do.

# headers of the simulation library, and of what went to research
s@pinion/sim\.h@pinion/sim/sim.h@
s@pinion/control\.h@pinion/sim/control.h@
s@pinion/forces\.h@pinion/sim/forces.h@
s@pinion/kinematics\.h@pinion/sim/kinematics.h@
s@pinion/result\.h@pinion/sim/result.h@
s@pinion/sparse\.h@pinion/sim/sparse.h@
s@pinion/trajectory\.h@pinion/sim/trajectory.h@
s@pinion/global\.h@pinion/research/global.h@
s@pinion/operators\.h@pinion/research/operators.h@
s@pinion/parallel\.h@pinion/research/parallel.h@
s@pinion/threads\.h@pinion/research/threads.h@

# enumerators
s/\bPINION_FIXED\b/PINION_JOINT_FIXED/g
s/\bPINION_REVOLUTE\b/PINION_JOINT_REVOLUTE/g
s/\bPINION_CONTINUOUS\b/PINION_JOINT_CONTINUOUS/g
s/\bPINION_PRISMATIC\b/PINION_JOINT_PRISMATIC/g
s/\bPINION_HELICAL\b/PINION_JOINT_HELICAL/g
s/\bPINION_CYLINDRICAL\b/PINION_JOINT_CYLINDRICAL/g
s/\bPINION_UNIVERSAL\b/PINION_JOINT_UNIVERSAL/g
s/\bPINION_PLANAR\b/PINION_JOINT_PLANAR/g
s/\bPINION_SPHERICAL\b/PINION_JOINT_SPHERICAL/g
s/\bPINION_FREE\b/PINION_JOINT_FREE/g
s/\bPINION_BOX\b/PINION_SHAPE_BOX/g
s/\bPINION_SPHERE\b/PINION_SHAPE_SPHERE/g
s/\bPINION_CYLINDER\b/PINION_SHAPE_CYLINDER/g
s/\bPINION_CAPSULE\b/PINION_SHAPE_CAPSULE/g
s/\bPINION_MESH\b/PINION_SHAPE_MESH/g
s/\bPINION_WORLD_ALIGNED\b/PINION_REFERENCE_WORLD_ALIGNED/g
s/\bPINION_LOCAL\b/PINION_REFERENCE_LOCAL/g
s/\bPINION_WORLD\b/PINION_REFERENCE_WORLD/g
s/\bPINION_CLASSICAL\b/PINION_ACCELERATION_CLASSICAL/g
s/\bPINION_SPATIAL\b/PINION_ACCELERATION_SPATIAL/g
s/\bPINION_ROWS\b/PINION_LAYOUT_ROWS/g
s/\bPINION_COLUMNS\b/PINION_LAYOUT_COLUMNS/g
s/\bPINION_DOPRI5\b/PINION_INTEGRATOR_DOPRI5/g
s/\bPINION_VERNER65\b/PINION_INTEGRATOR_VERNER65/g
s/\bPINION_RK4\b/PINION_INTEGRATOR_RK4/g
s/\bPINION_EULER\b/PINION_INTEGRATOR_EULER/g
s/\bPINION_VARIATIONAL\b/PINION_INTEGRATOR_VARIATIONAL/g
s/\bPINION_BDF\b/PINION_INTEGRATOR_BDF/g
s/\bPINION_ADAMS\b/PINION_INTEGRATOR_ADAMS/g
s/\bPINION_DIRK\b/PINION_INTEGRATOR_DIRK/g
s/\bPINION_IDA\b/PINION_INTEGRATOR_IDA/g
s/\bPINION_PROJECTION\b/PINION_STABILIZATION_PROJECTION/g
s/\bPINION_BAUMGARTE\b/PINION_STABILIZATION_BAUMGARTE/g
s/\bPINION_BOTH\b/PINION_STABILIZATION_BOTH/g
s/\bPINION_CYCLOIDAL\b/PINION_PROFILE_CYCLOIDAL/g
s/\bPINION_QUINTIC\b/PINION_PROFILE_QUINTIC/g
s/\bPINION_TRAPEZOIDAL\b/PINION_PROFILE_TRAPEZOIDAL/g
s/\bPINION_UNIFORM\b/PINION_PROFILE_UNIFORM/g
s/\bPINION_NO_STABILIZATION\b/PINION_STABILIZATION_NONE/g

# functions
s/\bpinion_work_new_for_algorithms\b/pinion_work_new/g
s/\bpinion_batch_new_for_algorithms\b/pinion_batch_new/g
s/\bpinion_work(_f32)?_message\([^,()]*(\([^()]*\))?[^,()]*, */pinion_work\1_message(/g

# types
s/\bpinion_operational_space\b($|[^(_])/pinion_operational_parts\1/g
