#!/bin/sh
# Every public header compiles on its own, as C11 and as C++17, without a warning, with gcc and clang:
#   headers.sh INCLUDE
set -u
include=$1
failures=0
tried=0

# try COMPILER LANGUAGE STANDARD HEADER
try()
{
    tried=$((tried + 1))
    printf '#include <pinion/%s>\n#include <pinion/%s>\n' "$4" "$4" |
        "$1" -x "$2" -std="$3" -pedantic-errors -Wall -Wextra -Werror -fsyntax-only -I"$include" - || {
        echo "$4 does not compile alone with $1 -std=$3"
        failures=$((failures + 1))
    }
}

for compiler in gcc clang g++ clang++; do
    command -v $compiler >/dev/null 2>&1 || echo "skipped: there is no $compiler"
done

headers=$(cd "$include/pinion" && find . -name '*.h' | sed 's|^\./||' | sort)
for name in $headers; do
    for compiler in gcc clang; do
        command -v "$compiler" >/dev/null 2>&1 && try "$compiler" c c11 "$name"
    done
    for compiler in g++ clang++; do
        command -v "$compiler" >/dev/null 2>&1 && try "$compiler" c++ c++17 "$name"
    done
done

# pinion.h is all a user needs, and sim/sim.h for the simulation library: they include every header of their folder.
# What is in research/ is asked for by name.
for name in $headers; do
    case $name in
    pinion.h | sim/sim.h | research/*) continue ;;
    sim/*) door=sim/sim.h ;;
    *) door=pinion.h ;;
    esac
    grep -q "^#include \"pinion/$name\"" "$include/pinion/$door" || {
        echo "$door does not include $name"
        failures=$((failures + 1))
    }
done

echo "$tried compilations, $failures failures"
[ $tried -gt 0 ] || { echo "skipped: there is no compiler to try"; exit 77; }
[ $failures -eq 0 ]
