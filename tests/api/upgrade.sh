#!/bin/sh
# tools/upgrade-0.2.sed leads to names and headers that exist, and changes a program as it should: upgrade.sh SOURCE
set -u
source=$1
script=$source/tools/upgrade-0.2.sed
failures=0
fail() { echo "$1"; failures=$((failures + 1)); }

rules=0
for header in $(sed -n 's/^s@pinion[^@]*@\(pinion[^@]*\)@$/\1/p' "$script"); do
    rules=$((rules + 1))
    [ -f "$source/include/$header" ] || fail "the script leads to $header, which does not exist"
done
for name in $(sed -n 's|^s/[^/]*/\([A-Za-z0-9_]*\)/g$|\1|p' "$script"); do
    rules=$((rules + 1))
    grep -rqw "$name" "$source/include" || fail "the script leads to $name, which no header has"
done
[ $rules -ge 50 ] || fail "only $rules rules were found in $script"

new=$(sed -E -f "$script" <<'OLD'
#include <pinion/pinion.h>
#include <pinion/sim.h>
#include "pinion/operators.h"
joint.type = PINION_REVOLUTE; options.root = PINION_ROOT_FREE; joint.type = PINION_FREE;
w = pinion_work_new_for_algorithms(m), b = pinion_batch_new_for_algorithms(m, 2);
puts(pinion_work_message(m, w)), puts(pinion_work_f32_message(model(x), s->w)), puts(pinion_batch_message(b));
J(PINION_WORLD, PINION_WORLD_ALIGNED, PINION_JOINT_TYPE_COUNT, PINION_NO_STABILIZATION);
OLD
)
wanted=$(cat <<'NEW'
#include <pinion/pinion.h>
#include <pinion/sim/sim.h>
#include "pinion/research/operators.h"
joint.type = PINION_JOINT_REVOLUTE; options.root = PINION_ROOT_FREE; joint.type = PINION_JOINT_FREE;
w = pinion_work_new(m), b = pinion_batch_new(m, 2);
puts(pinion_work_message(w)), puts(pinion_work_f32_message(s->w)), puts(pinion_batch_message(b));
J(PINION_REFERENCE_WORLD, PINION_REFERENCE_WORLD_ALIGNED, PINION_JOINT_TYPE_COUNT, PINION_STABILIZATION_NONE);
NEW
)
[ "$new" = "$wanted" ] || fail "the script makes this of a program: $new"
# what is new already stays as it is
[ "$(printf '%s\n' "$new" | sed -E -f "$script")" = "$new" ] || fail "the script changes what it has changed already"

[ $failures -eq 0 ] && echo "$rules rules"
