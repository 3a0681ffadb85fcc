#!/bin/sh
# Every link in the documentation to a file of this repository leads somewhere: links.sh SOURCE
set -u
cd "$1" || exit 1

list=$(mktemp) || exit 1
trap 'rm -f "$list"' EXIT
find . \( -path ./.git -o -path ./build \) -prune -o -name '*.md' -print | sort >"$list"
[ -s "$list" ] || { echo "no document was found"; exit 1; }

failed=0
count=0
while read -r document; do
    # what stands in ](...), without an anchor; other sites are not ours to check
    for link in $(grep -o '](\([^)]*\))' "$document" | sed 's/^](//; s/)$//; s/#.*//' | grep -v '^[a-z]*:' | sort -u); do
        count=$((count + 1))
        [ -e "$(dirname "$document")/$link" ] || { echo "$document: $link does not exist"; failed=1; }
    done
done <"$list"
echo "$count links in $(wc -l <"$list") documents"
exit $failed
