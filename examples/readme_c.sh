#!/bin/sh
# The C program in README.md is examples/hello.c, which is compiled and run: readme_c.sh SOURCE
set -eu
cd "$1"
block=$(mktemp)
trap 'rm -f "$block"' EXIT
awk '/^```c$/ { inside = 1; next } /^```/ { inside = 0 } inside' README.md >"$block"
[ -s "$block" ] || { echo "README.md has no C program"; exit 1; }
diff "$block" examples/hello.c
