#!/bin/sh
# Every way in which bench/peers/pinion.c computes a work agrees with the model as its file describes it, with a fixed
# and with a free base: check.sh DESCRIBE PINION MODELS 1|0
# The last is whether this build can generate code.
set -u
describe=$1
pinion=$2
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
export XDG_CACHE_HOME="$folder" # what is compiled is compiled here, and found again by the second run
export PEER_WITHOUT=d_ # derivatives take long to compile; codegen's own tests have them

# every joint that the libraries share, an axis that is none of x, y, z, and a link that is welded to another
link() { echo "<link name='$1'><inertial><origin xyz='0.1 $2 0.3'/><mass value='$3'/>
<inertia ixx='0.4' ixy='0.01' ixz='0.02' iyy='0.5' iyz='-0.03' izz='0.6'/></inertial></link>"; }
joint() { echo "<joint name='$1' type='$2'><parent link='$3'/><child link='$4'/><axis xyz='$5'/>
<origin xyz='0.3 -0.2 0.1' rpy='0.4 -0.5 0.6'/><limit lower='-1' upper='1' velocity='1' effort='1'/></joint>"; }
{
    echo "<robot name='branches'>"
    link trunk 0.1 5; link upper 0.2 2; link hand -0.1 1; link tip 0.3 0.5; link wheel 0.05 0.7
    joint shoulder revolute trunk upper "1 2 -2"; joint slide prismatic upper hand "0 1 0"
    joint weld fixed hand tip "1 0 0"; joint axle continuous trunk wheel "1 0 0"
    echo "</robot>"
} >"$folder/branches.urdf"

for model in "$3/stanford.json" "$folder/branches.urdf"; do
    for base in fixed free; do
        # a free base needs a mass
        if [ $base = free ] && [ "$model" = "$3/stanford.json" ]; then continue; fi
        "$describe" "$model" $base "$folder/robot.txt" "$folder/robot.states" >"$folder/nv" || exit 1
        "$pinion" "$folder/robot.txt" "$folder/robot.states" </dev/null >"$folder/offer" || exit 1
        grep '^variant' "$folder/offer" >"$folder/variants"
        # eight works, each as a call and as a batch in two precisions, and in packs; those of constrained dynamics as a call
        [ "$(wc -l <"$folder/variants")" -ge 40 ] || { echo "too few variants:"; cat "$folder/offer"; exit 1; }
        # and all but derivatives in generated code, as a call, as a batch in two precisions and in packs
        if [ "$4" = 1 ] && [ "$(grep -c ' generated' "$folder/variants")" != 24 ]; then
            echo "generated code is missing:"
            cat "$folder/offer"
            exit 1
        fi
        awk '{ print "check " $2; print "time " $2 " 0.0001" }' "$folder/variants" >"$folder/requests"
        "$pinion" "$folder/robot.txt" "$folder/robot.states" <"$folder/requests" >"$folder/answers" || exit 1
        grep '^error' "$folder/answers" | paste -d' ' "$folder/variants" - >"$folder/errors"
        awk -v robot="${model##*/} $base" '
            # variant INDEX WORK MODE SCALAR THREADS BATCH FUNCTION... error X
            { limit = $5 == "f64" ? 1e-12 : 1e-4 }
            !($NF + 0 <= limit) || $NF ~ /n/ { print robot ": " $0 ", at most " limit " is right"; bad = 1 }
            END { exit bad || NR == 0 }' "$folder/errors" || exit 1
        awk '$1 == "ns" { n++; if (!($2 > 0) || $2 ~ /n/) bad = 1 } END { exit bad || n == 0 }' "$folder/answers" ||
            { echo "a time is not positive:"; cat "$folder/answers"; exit 1; }
        echo "${model##*/} $base: $(wc -l <"$folder/errors") variants agree"
    done
done

# a result that is wrong must be noticed: the same states under another gravity
"$describe" "$3/stanford.json" fixed "$folder/robot.txt" "$folder/robot.states" >"$folder/nv" || exit 1
sed 's/^gravity.*/gravity 0 0 -9.8/' "$folder/robot.txt" >"$folder/other.txt"
echo "check 0" | "$pinion" "$folder/other.txt" "$folder/robot.states" | awk '
    $1 == "error" { seen = $2 > 1e-5 } END { if (!seen) print "a wrong result passes the check"; exit !seen }'
