#!/bin/sh
# A project that finds the installed package: shared, static and from C++.
. "$(dirname "$0")/common.sh"
cmake -S "$here/package" -B "$work/b" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_BUILD_TYPE=Release
cmake --build "$work/b"
"$work/b/consumer"
"$work/b/consumer_static"
if [ "$kind" = io ]; then
    "$work/b/consumer_sim"
    "$work/b/consumer_sim_static"
    if readelf -d "$work/b/consumer_sim_static" | grep -q 'libpinion'; then fail "consumer_sim_static is not static"; fi
fi
if [ -n "$CXX" ]; then "$work/b/consumer_cxx"; fi
