#!/bin/sh
# Nothing in the tree names a place on somebody's machine or an unfinished piece of work: paths.sh SOURCE
set -u
cd "$1" || exit 1
failed=

# everything but what git ignores and this file, which has to name what it looks for
list=$(mktemp) || exit 1
trap 'rm -f "$list"' EXIT
find . \( -path ./.git -o -path ./build \) -prune -o -type f ! -path ./tests/style/paths.sh -print >"$list"
[ -s "$list" ] || { echo "no file was found"; exit 1; }

if tr '\n' '\0' <"$list" | xargs -0 grep -nIE '(^|[^A-Za-z0-9_.])/(work|home|root|Users)/'; then
    echo "machine paths, above"
    failed=yes
fi
if tr '\n' '\0' <"$list" | xargs -0 grep -nIwE 'TODO|FIXME|XXX|HACK'; then
    echo "unfinished work, above"
    failed=yes
fi
[ -z "$failed" ] && echo "$(wc -l <"$list") files read"
