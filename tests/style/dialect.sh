#!/bin/sh
# The kernels are written in the common subset of C11 and C++17, so that any scalar, also a class, can
# be put under them: they compile as both, with gcc and clang, over double and float, and each of them
# also alone, as an editor reads it: dialect.sh SOURCE
set -u
cd "$1" || exit 1
failures=0
tried=0

# try COMPILER STANDARD HEADERS... : compiles a file that includes these and nothing else
try()
{
    compiler=$1
    standard=$2
    shift 2
    command -v "$compiler" >/dev/null 2>&1 || return 0
    case $standard in c++*) language=c++ ;; *) language=c ;; esac
    tried=$((tried + 1))
    printf '#include "%s"\n' "$@" |
        "$compiler" -x "$language" -std="$standard" -pedantic-errors -Wall -Wextra -Werror -Wno-unused-function -Wno-psabi \
            -Wdouble-promotion -Wfloat-conversion -fsyntax-only -DPN_COMPLETE -Iinclude -Isrc - || {
        echo "does not compile with $compiler -std=$standard: $*"
        failures=$((failures + 1))
    }
}

for compiler in gcc clang g++ clang++; do
    command -v $compiler >/dev/null 2>&1 || echo "skipped: there is no $compiler"
done

for scalar in f64 f32; do
    for compiler in gcc clang; do try $compiler c11 "real/real_$scalar.h" kernel/all.inc; done
    for compiler in g++ clang++; do try $compiler c++17 "real/real_$scalar.h" kernel/all.inc; done
done
for kernel in $(find src/kernel -name "*.inc" | sort); do
    try gcc c11 "${kernel#src/}"
done
# what they stand on needs the model's numbers first
for file in src/spatial/*.inc; do
    try gcc c11 real/real.h model/constants.inc "${file#src/}"
done

echo "$tried compilations, $failures failures"
[ $tried -gt 0 ] || { echo "skipped: there is no compiler to try"; exit 77; }
[ $failures -eq 0 ]
