#!/bin/sh
# A project that has Pinion as a folder of its own: it gets the libraries, and neither tests, command
# nor install rules. With few kernels, without the loaders and not optimized, to keep it short: the sources are compiled
# again.
. "$(dirname "$0")/common.sh"
if command -v ninja >/dev/null 2>&1; then export CMAKE_GENERATOR=Ninja; fi
cmake -S "$here/subproject" -B "$work/b" -DPINION_SOURCE="$source" -DCMAKE_BUILD_TYPE=None \
    -DPINION_IO=OFF -DPINION_TRACE=OFF -DPINION_FEW_KERNELS=ON -DCMAKE_INSTALL_PREFIX="$work/prefix"
cmake --build "$work/b"
"$work/b/consumer"
(cd "$work/b" && ctest -N) | grep -q 'Total Tests: 0' || fail "the subproject's tests became the project's"
cmake --install "$work/b"
[ ! -e "$work/prefix/include" ] || fail "the subproject installs itself with the project"
