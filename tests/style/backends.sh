#!/bin/sh
# No kernel knows which scalar it is compiled for: a conditional on a back end in a .inc file belongs
# into the scalar contract (src/real) instead. The one conditional a kernel has is its opening
# `#ifndef pinion_real`, which lets an editor read it as double code: backends.sh SOURCE
set -u
cd "$1" || exit 1

find src -name '*.inc' >/dev/null || exit 1
[ -n "$(find src -name '*.inc' | head -n 1)" ] || { echo "there is no kernel file in src"; exit 1; }

hits=$(find src -name '*.inc' -exec grep -nE \
    '^[[:space:]]*#[[:space:]]*(if|ifdef|ifndef|elif|elifdef|elifndef).*(AVX|SSE|NEON|CUDA|F32|F64|TRACE|COUNT|COMPLEX|QUAD|__cplusplus|__STDC|f32|f64|sizeof)' \
    /dev/null {} +)
if [ -n "$hits" ]; then
    echo "a conditional on a back end in a kernel file:"
    echo "$hits"
    exit 1
fi
echo "$(find src -name '*.inc' | wc -l) kernel files without a conditional on a back end"
