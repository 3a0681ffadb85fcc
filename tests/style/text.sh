#!/bin/sh
# Text that every editor and terminal shows alike: no tabs, no white space at the end of a line, no
# line over 120 columns, a newline at the end: text.sh SOURCE
set -u
cd "$1" || exit 1
export LC_ALL=C # awks differ in whether they count bytes or characters: here all count bytes

list=$(mktemp) || exit 1
trap 'rm -f "$list"' EXIT
find include src cli python tests examples bench -type f \( -name '*.c' -o -name '*.h' -o -name '*.inc' -o -name '*.cpp' \) |
    sort >"$list"
[ -s "$list" ] || { echo "no source was found"; exit 1; }

# shellcheck disable=SC2046 # the names hold no spaces
awk '
    FNR == 1 { files++ }
    /\t/ { complain("a tab") }
    /[ \r]$/ { complain("white space at the end") }
    {
        gsub(/[\200-\277]/, "") # all but the first byte of a character in UTF-8
        if (length($0) > 120) complain("a line of " length($0) " columns; 120 are allowed")
    }
    function complain(what) { print FILENAME ":" FNR ": " what; bad = 1 }
    END { print files " files read"; exit bad }
' $(cat "$list") || failed=yes

while read -r file; do
    [ -z "$(tail -c 1 "$file")" ] || { echo "$file: no newline at the end"; failed=yes; }
done <"$list"
[ -z "${failed:-}" ]
