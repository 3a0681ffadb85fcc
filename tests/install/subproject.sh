#!/bin/sh
# A project that has Pinion as a folder of its own: it gets the libraries, and neither tests, command
# nor install rules. With few kernels and without the loaders, to keep it short: the sources are compiled again.
. "$(dirname "$0")/common.sh"
cmake -S "$here/subproject" -B "$work/b" -DPINION_SOURCE="$source" -DCMAKE_BUILD_TYPE=Debug \
    -DPINION_IO=OFF -DPINION_TRACE=OFF -DPINION_FEW_KERNELS=ON -DCMAKE_INSTALL_PREFIX="$work/prefix"
cmake --build "$work/b"
"$work/b/consumer"
(cd "$work/b" && ctest -N) | grep -q 'Total Tests: 0' || fail "the subproject's tests became the project's"
cmake --install "$work/b"
[ ! -e "$work/prefix/include" ] || fail "the subproject installs itself with the project"
