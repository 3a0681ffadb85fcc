#!/bin/sh
# The version is the same wherever it is written: version.sh SOURCE VERSION
set -u
source=$1
version=$2
failures=0

check() # check WHERE FOUND
{
    [ "$2" = "$version" ] && return
    echo "$1 says version '$2', the build '$version'"
    failures=$((failures + 1))
}

header=$source/include/pinion/base.h
number() { sed -n "s/^#define PINION_VERSION_$1 \([0-9]*\)$/\1/p" "$header"; }
check "base.h (PINION_VERSION)" "$(sed -n 's/^#define PINION_VERSION "\(.*\)"$/\1/p' "$header")"
check "base.h (its three numbers)" "$(number MAJOR).$(number MINOR).$(number PATCH)"
check "docs/pinion.1" "$(sed -n '1s/.*"pinion \([0-9.]*\)".*/\1/p' "$source/docs/pinion.1")"
check CITATION.cff "$(sed -n 's/^version: "\{0,1\}\([0-9.]*\)"\{0,1\}$/\1/p' "$source/CITATION.cff")"
check "CHANGELOG.md (its newest entry)" "$(sed -n 's/^## \[\([0-9.]*\)\].*/\1/p' "$source/CHANGELOG.md" | head -n 1)"

[ $failures -eq 0 ] && echo "version $version everywhere"
