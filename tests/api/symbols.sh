#!/bin/sh
# A shared library exports exactly what its headers declare, and both agree with the list that a person
# has reviewed: symbols.sh LIBRARY INCLUDE io|core|sim [untraced]
#   io, core  the headers of pinion/ and pinion/research/, without the loaders for core; symbols.txt
#   sim       those of pinion/sim/; sim_symbols.txt
#   untraced  a build without the recording scalar: it counts no operations and generates no code
# After a deliberate change: sh tests/api/declared.sh HEADER... >tests/api/symbols.txt
set -u
library=$1
include=$2
kind=$3
here=$(dirname "$0")
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
export LC_ALL=C

nm -D --defined-only "$library" | awk '{ sub(/@.*/, "", $3); print $3 }' | sort >"$work/exported"
if [ "$kind" = sim ]; then
    headers=$(find "$include/pinion/sim" -name '*.h')
    reviewed=sim_symbols.txt
else
    headers=$(find "$include/pinion" -name '*.h' ! -path "$include/pinion/sim/*")
    reviewed=symbols.txt
fi
# shellcheck disable=SC2086 # a list of files
sh "$here/declared.sh" $headers >"$work/declared"
cp "$here/$reviewed" "$work/reviewed"

# The sorted lists must not be empty for their equality to mean something.
if [ "$(wc -l <"$work/declared")" -lt 40 ]; then
    echo "only $(wc -l <"$work/declared") declarations were found in $include: declared.sh does not understand the headers"
    exit 1
fi

# without the loaders, what io.h declares is not there; without the recording scalar, what needs it
: >"$work/absent"
[ "$kind" = core ] && sh "$here/declared.sh" "$include/pinion/io.h" >>"$work/absent"
if [ "${4:-}" = untraced ]; then
    sh "$here/declared.sh" "$include/pinion/codegen.h" >>"$work/absent"
    printf '%s\n' pinion_algorithm_operations pinion_algorithm_span >>"$work/absent"
fi
sort -u -o "$work/absent" "$work/absent"
for list in declared reviewed; do
    comm -23 "$work/$list" "$work/absent" >"$work/$list.left" && mv "$work/$list.left" "$work/$list"
done

complain() { sed "s/\$/ $1/" >>"$work/complaints"; } # complain WHAT <names
grep -v '^pinion_[a-z0-9_]*$' "$work/exported" | complain "is exported but does not start with pinion_"
comm -23 "$work/declared" "$work/exported" | complain "is declared PINION_API but not exported"
comm -13 "$work/declared" "$work/exported" | complain "is exported but no header declares it"
comm -23 "$work/declared" "$work/reviewed" | complain "is declared but not in tests\/api\/$reviewed"
comm -13 "$work/declared" "$work/reviewed" | complain "is in tests\/api\/$reviewed but not declared"

cat "$work/complaints"
[ ! -s "$work/complaints" ] || exit 1
echo "$(wc -l <"$work/exported") functions are exported, as reviewed"
