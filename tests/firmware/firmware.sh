#!/bin/sh
# Generated code on an emulated microcontroller: firmware.sh CORE PINION REFERENCE SOURCE [ROWS]
#
#   CORE       m4f or m7
#   PINION     the command
#   REFERENCE  the program of reference.c
#   SOURCE     the source tree
#   ROWS       a folder that gets the rows of docs/firmware.md; without it they are compared with what the page has,
#              which must be the same where the page was made with the same compiler
#
# For the bundled PUMA and the six-axis arm: the generated folder's own self-test and measure.c run under qemu, with the
# sines and cosines that come with the code and with those of the C library.
set -u
core=$1
pinion=$2
reference=$3
source=$4
rows=${5:-}
here=$source/tests/firmware

for tool in arm-none-eabi-gcc qemu-system-arm cmake; do
    command -v $tool >/dev/null 2>&1 || { echo "skipped: $tool is not here"; exit 77; }
done
echo '#include <stdio.h>' | arm-none-eabi-gcc -E - >/dev/null 2>&1 ||
    { echo "skipped: arm-none-eabi-gcc has no C library (newlib)"; exit 77; }

folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
fail() { echo "$*"; exit 1; }

case $core in
    m4f) machine=mps2-an386 title="Cortex-M4F" cpu="-mcpu=cortex-m4 -mfpu=fpv4-sp-d16" others= ;;
    m7) machine=mps2-an500 title="Cortex-M7" cpu="-mcpu=cortex-m7 -mfpu=fpv5-d16" others=m7sp ;;
    *) fail "unknown core $core" ;;
esac
cpu="-mthumb $cpu -mfloat-abi=hard"
functions="inverse_dynamics gravity mass_matrix forward_dynamics"
compile="arm-none-eabi-gcc $cpu -ffunction-sections -fdata-sections"
strict="-std=c11 -pedantic -Wall -Wextra -Werror"
own="-fno-math-errno -fno-trapping-math -ffp-contract=fast" # as the generated CMake file has them

# run IMAGE: what it prints; fails as it does
run()
{
    timeout 60 qemu-system-arm -M $machine -nographic -monitor none -serial none \
        -semihosting-config enable=on,target=native -icount shift=0 -kernel "$1" </dev/null
}

# generate MODEL NAME [OPTION]: the code of one robot in $folder/NAME
generate()
{
    "$pinion" codegen "$source/models/$1.json" --name "$2" --scalar f32 --what "$(echo "$functions" | tr ' ' ,)" \
        ${3:+"$3"} -o "$folder/$2" >"$folder/log" 2>&1 || { cat "$folder/log"; fail "no code was generated for $1"; }
}

# self_test NAME CORE: as its README says, with nothing more than a toolchain file
self_test()
{
    build=$folder/$1-$2
    { cmake -S "$folder/$1" -B "$build" -DCMAKE_TOOLCHAIN_FILE="$here/toolchain.cmake" -DCORE="$2" &&
        cmake --build "$build" && (cd "$build" && ctest --output-on-failure); } >"$folder/log" 2>&1 ||
        { cat "$folder/log"; fail "$1: the self-test fails on $2"; }
    grep -q 'tests passed, 0 tests failed out of [1-9]' "$folder/log" ||
        { cat "$folder/log"; fail "$1: the self-test did not run on $2"; }
}

# link_alone NAME FUNCTION OPTIMIZATION: sets $flash and $ram, bytes of a function with all that it needs, libraries
# included
link_alone()
{
    $compile -nostartfiles -Wl,--gc-sections -Wl,-e,"$1_$2" "$folder/$1$3.o" -lm -o "$folder/alone.elf" ||
        fail "$1_$2 does not link alone"
    flash=$(arm-none-eabi-size "$folder/alone.elf" | awk 'NR == 2 { print $1 }')
    ram=$(arm-none-eabi-size "$folder/alone.elf" | awk 'NR == 2 { print $2 + $3 }')
}

# measure NAME OPTIMIZATION: a line a function: NAME OPTIMIZATION FUNCTION FLASH RAM STACK INSTRUCTIONS MOST ERROR
measure()
{
    $compile $strict $own $2 -c "$folder/$1/$1.c" -o "$folder/$1$2.o" || fail "$1.c does not compile with $2"
    $compile -std=gnu11 -Wall -Wextra -Werror -O2 -DROBOT="$1" -DROBOT_HEADER="\"$1.h\"" -I"$folder/$1" \
        -I"$folder" "$here/startup.c" "$here/measure.c" "$folder/$1$2.o" -nostartfiles -Wl,--gc-sections \
        -T "$here/board.ld" -lm -o "$folder/$1$2.elf" || fail "the image of $1 does not link"
    run "$folder/$1$2.elf" >"$folder/log" || { cat "$folder/log"; fail "$1 $2 fails on $title"; }
    for function in $functions; do
        # function NAME error UNITS instructions MEAN most MOST stack BYTES
        line=$(grep "^function $function " "$folder/log") || fail "$1 $2: $function was not measured"
        link_alone "$1" $function "$2"
        echo "$1 $2 $function $flash $ram $(echo "$line" | awk '{ print $10, $6, $8, $4 }')" >>"$folder/measured"
    done
}

for robot in puma560-corke:puma arm-6dof:arm; do
    model=${robot%:*}
    name=${robot#*:}
    "$reference" "$source/models/$model.json" >"$folder/reference.h" || fail "no reference values for $model"
    generate $model $name
    generate $model ${name}_libm --libm
    for other in $core $others; do self_test $name $other; done
    self_test ${name}_libm $core
    measure $name -O2
    measure $name -Os
    measure ${name}_libm -O2
done
awk '{ print $0 " rounding units" }' "$folder/measured"

# no memory but the stack, the same path whatever the state
awk '$1 !~ /libm/ && ($5 != 0 || $7 != $8) { print "RAM, or a count that depends on the state: " $0; bad = 1 }
    END { exit bad }' "$folder/measured" || exit 1

# the rows of the page: for each function -O2 beside -Os, then the two kinds of sine and cosine
awk -v core="$title" '
    { at = $1 " " $2 " " $3; flash[at] = $4; ram[at] = $5; stack[at] = $6; mean[at] = $7; most[at] = $8 }
    $2 == "-O2" && $1 !~ /libm/ { order[++n] = $1 " " $3 }
    END {
        title["puma"] = "PUMA 560"
        title["arm"] = "six-axis arm"
        for (i = 1; i <= n; i++) {
            split(order[i], part, " ")
            fast = part[1] " -O2 " part[2]
            small = part[1] " -Os " part[2]
            print "| " title[part[1]] " | `" part[2] "` | " core " | " flash[fast] " | " stack[fast] " | " mean[fast] \
                " | " flash[small] " | " stack[small] " | " mean[small] " |" >functions
            libm = part[1] "_libm -O2 " part[2]
            print "| " title[part[1]] " | `" part[2] "` | " core " | " flash[fast] " | " ram[fast] " | " mean[fast] \
                " | " flash[libm] " | " ram[libm] " | " mean[libm] " | " most[libm] " |" >sines
        }
    }' functions="$folder/functions" sines="$folder/sines" "$folder/measured"

if [ -n "$rows" ]; then
    cp "$folder/functions" "$rows/functions-$core" && cp "$folder/sines" "$rows/sines-$core" || exit 1
    exit 0
fi
page=$source/docs/firmware.md
version=$(arm-none-eabi-gcc --version | head -n 1)
if ! grep -Fq "\`$version\`" "$page"; then
    echo "skipped: docs/firmware.md was made with another compiler than $version; here:"
    cat "$folder/functions" "$folder/sines"
    exit 0
fi
cat "$folder/functions" "$folder/sines" | while read -r row; do
    grep -Fqx -e "$row" "$page" || { echo "docs/firmware.md does not have: $row"; exit 1; }
done || fail "tools/firmware-table writes the page's tables"
echo "docs/firmware.md has these numbers"
