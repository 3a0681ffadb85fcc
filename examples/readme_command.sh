#!/bin/sh
# Every line under "From the command line" in README.md does what it says, with exit status 0 and an answer:
#   readme_command.sh SOURCE COMMAND
set -eu
source=$1
command=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# the lines see what a reader sees in the checkout, but what they write goes elsewhere
ln -s "$source/models" "$work/models"
mkdir "$work/build"
ln -s "$command" "$work/build/pinion"
awk '/^## / { here = /From the command line/ } /^```/ { inside = !inside; next } here && inside' \
    "$source/README.md" >"$work/lines"
[ "$(wc -l <"$work/lines")" -ge 8 ] || { echo "README.md shows too few lines"; exit 1; }

cd "$work"
skipped=
failed=0
while read -r line; do
    echo "\$ $line"
    if ! sh -c "$line" >out 2>err </dev/null; then
        cat err
        # what was left out of this build on purpose is no fault of the README
        grep -q 'not available in this build\|this build has no' err && { skipped="$skipped; $line"; continue; }
        failed=1
    fi
    # a line answers, or writes the file it names
    case $line in
        *' > '* | *' -o '*) file=${line##* }; [ -s "$file" ] || { echo "$file was not written"; failed=1; } ;;
        *) [ -s out ] || { echo "no answer"; failed=1; } ;;
    esac
done <lines
[ $failed = 0 ] || exit 1
[ -z "$skipped" ] || { echo "skipped, left out of this build${skipped}"; exit 77; }
