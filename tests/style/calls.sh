#!/bin/sh
# No function of the C library that writes without knowing how much room there is: calls.sh SOURCE
set -u
cd "$1" || exit 1
files=$(find src cli -type f \( -name '*.c' -o -name '*.h' -o -name '*.inc' -o -name '*.cpp' \) | sort)
[ -n "$files" ] || { echo "no source was found"; exit 1; }
# shellcheck disable=SC2086 # the names hold no spaces
if grep -nE '(^|[^a-z0-9_])(strcpy|strcat|sprintf|vsprintf|gets)[[:space:]]*\(' $files; then
    echo "expected snprintf, memcpy, strdup or src/base/text.h"
    exit 1
fi
