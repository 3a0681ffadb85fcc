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
failed=0
while read -r line; do
    echo "\$ $line"
    sh -c "$line" >out 2>err </dev/null || { echo "exit status $?"; cat err; failed=1; }
    # a line answers, or writes the file it names
    case $line in
        *' > '* | *' -o '*) file=${line##* }; [ -s "$file" ] || { echo "$file was not written"; failed=1; } ;;
        *) [ -s out ] || { echo "no answer"; failed=1; } ;;
    esac
done <lines
exit $failed
