#!/bin/sh
# The core needs libc and libm alone: what its static library leaves undefined must be on the list
# core_symbols.txt, which names functions that any C library has: dependencies.sh LIBRARY [openmp] [codegen]
# A core that was built with OpenMP takes the functions of that, too, and is told so; one with code generation takes
# those of codegen_symbols.txt.
set -u
library=$1
here=$(dirname "$0")
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
export LC_ALL=C

nm --defined-only "$library" | awk 'NF == 3 { print $3 }' | sort -u >"$work/defined"
# A hardened compiler calls memcpy as __memcpy_chk, and so on: the same function.
nm -u "$library" | awk 'NF == 2 { print $2 }' | sort -u | comm -23 - "$work/defined" |
    sed 's/^__\(.*\)_chk$/\1/; s/^__isoc[0-9]*_//' | sort -u >"$work/undefined"
sed 's/#.*//; s/[[:space:]]*$//; /^$/d' "$here/core_symbols.txt" | sort -u >"$work/allowed"

case " $* " in
*" codegen "*)
    sed 's/#.*//; s/[[:space:]]*$//; /^$/d' "$here/codegen_symbols.txt" | sort -u - "$work/allowed" >"$work/more"
    mv "$work/more" "$work/allowed"
    ;;
esac
case " $* " in
*" openmp "*)
    sed -n '/^GOMP_/p; /^omp_/p; /^__kmpc_/p' "$work/undefined" | sort -u - "$work/allowed" >"$work/more"
    mv "$work/more" "$work/allowed"
    ;;
esac

# a library that defines nothing would pass any list
if [ "$(wc -l <"$work/defined")" -lt 50 ]; then
    echo "$library defines only $(wc -l <"$work/defined") symbols"
    exit 1
fi

comm -23 "$work/undefined" "$work/allowed" >"$work/bad"
if [ -s "$work/bad" ]; then
    echo "The core uses what core_symbols.txt (and codegen_symbols.txt, for code generation) in tests/api do not allow:"
    nm -A -u "$library" | grep -wF -f "$work/bad"
    exit 1
fi
echo "The core needs only: $(tr '\n' ' ' <"$work/undefined")"
