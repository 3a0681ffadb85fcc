#!/bin/sh
# The folders read as a list of what the program does: no folder of src or cli holds more than 40 files of its own, no
# file of code has more than 600 lines, no file name occurs twice over src, cli and include, and the file names in
# their comments are those of files: rooms.sh SOURCE
set -u
cd "$1" || exit 1
most_files=40
most_lines=600
failed=
complain()
{
    echo "$*"
    failed=yes
}

list=$(mktemp) || exit 1
names=$(mktemp) || exit 1
trap 'rm -f "$list" "$names"' EXIT
find src cli include -type f | sort >"$list"
[ -s "$list" ] || { echo "no file was found"; exit 1; }

for folder in $(grep -v '^include/' "$list" | sed 's,/[^/]*$,,' | sort -u); do
    count=$(grep -c "^$folder/[^/]*$" "$list")
    [ "$count" -le $most_files ] || complain "$folder: $count files; $most_files are allowed"
done

for file in $(grep -E '\.(c|h|inc|cpp)$' "$list"); do
    lines=$(wc -l <"$file")
    [ "$lines" -le $most_lines ] || complain "$file: $lines lines; $most_lines are allowed"
done

for name in $(sed 's,.*/,,' "$list" | sort | uniq -d); do
    complain "$name occurs twice: $(grep "/$name\$" "$list" | tr '\n' ' ')"
done

# A comment that names a file that was renamed misleads. What stands in quotes is a name in generated code; NAME is
# any name; embedded.c and commit.c are made by the build.
{
    sed 's,.*/,,' "$list"
    find tests -name 'test_*' | sed 's,.*/,,'
    printf '%s\n' embedded.c commit.c
} >"$names"
# shellcheck disable=SC2046 # the names hold no spaces
awk -v names="$names" '
    BEGIN { while ((getline name <names) > 0) known[name] = 1 }
    FNR == 1 { inside = 0 }
    {
        # the part of the line that is a comment
        text = ""
        if (inside || match($0, /\/\*|\/\/\//)) text = inside ? $0 : substr($0, RSTART)
        if (match($0, /\/\*/)) inside = 1
        if (match($0, /\*\//)) inside = 0
        gsub(/"[^"]*"/, "", text)
        while (match(text, /[A-Za-z0-9_]+\.(c|h|inc|cpp)([^A-Za-z0-9_.(\[]|$)/)) {
            name = substr(text, RSTART, RLENGTH)
            text = substr(text, RSTART + RLENGTH)
            sub(/[^A-Za-z0-9_]$/, "", name)
            sub(/[^A-Za-z0-9_.]$/, "", name)
            if (length(name) > 5 && name !~ /NAME/ && !(name in known)) {
                print FILENAME ":" FNR ": " name " is no file"
                bad = 1
            }
        }
    }
    END { exit bad }
' $(grep -E '\.(c|h|inc|cpp)$' "$list") || failed=yes

echo "$(wc -l <"$list") files read"
[ -z "$failed" ]
