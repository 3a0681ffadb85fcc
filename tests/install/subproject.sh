#!/bin/sh
# A project that has Pinion as a folder of its own: it gets the libraries, and neither tests, command
# nor install rules. Without the loaders, to keep it short. Where ccache has what the build around it compiled, with the
# flags of that, so that nothing is compiled again; else with few kernels and not optimized.
. "$(dirname "$0")/common.sh"
if command -v ninja >/dev/null 2>&1; then export CMAKE_GENERATOR=Ninja; fi

# of VARIABLE: what the build around it has, as an option
of() { sed -n "s/^\($1\):[A-Z]*=/-D\1=/p" "$build/CMakeCache.txt"; }

flags="-DCMAKE_BUILD_TYPE=None -DPINION_FEW_KERNELS=ON"
export CCACHE_DIR="${CCACHE_DIR:-$source/build/ccache}" CCACHE_DEPEND=1 # as in tools/compile
if [ "$(of CMAKE_C_COMPILER_LAUNCHER)" = -DCMAKE_C_COMPILER_LAUNCHER=ccache ] && [ -d "$CCACHE_DIR" ]; then
    flags="$(of CMAKE_C_COMPILER_LAUNCHER) $(of CMAKE_BUILD_TYPE) $(of PINION_FEW_KERNELS) $(of PINION_HARDEN)"
    flags="$flags $(of PINION_WERROR)"
fi
# shellcheck disable=SC2086 # a list of words
cmake -S "$here/subproject" -B "$work/b" -DPINION_SOURCE="$source" -DPINION_IO=OFF -DPINION_TRACE=OFF \
    -DCMAKE_INSTALL_PREFIX="$work/prefix" $flags
cmake --build "$work/b"
"$work/b/consumer"
(cd "$work/b" && ctest -N) | grep -q 'Total Tests: 0' || fail "the subproject's tests became the project's"
cmake --install "$work/b"
[ ! -e "$work/prefix/include" ] || fail "the subproject installs itself with the project"
