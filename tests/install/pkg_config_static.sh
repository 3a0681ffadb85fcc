#!/bin/sh
# A project that asks pkg-config for everything the static library needs. libpinion.so is put away, so
# that the linker can only take libpinion.a.
. "$(dirname "$0")/common.sh"
mkdir -p "$work/lib/pkgconfig"
cp "$libdir/libpinion.a" "$work/lib/"
cp "$libdir/pkgconfig/pinion.pc" "$work/lib/pkgconfig/"
export PKG_CONFIG_PATH="$work/lib/pkgconfig"
# shellcheck disable=SC2046 # lists of flags
$CC -std=c11 -Wall -Wextra -Werror -I"$prefix/include" "$here/consumer.c" -o "$work/consumer" \
    $(pkg-config --static --define-variable=libdir="$work/lib" --libs pinion)
if readelf -d "$work/consumer" | grep -q 'libpinion\.so'; then fail "not linked with the static library"; fi
"$work/consumer"

# and the simulation library
if [ "$kind" = io ]; then
    cp "$libdir/libpinion_sim.a" "$work/lib/"
    cp "$libdir/pkgconfig/pinion_sim.pc" "$work/lib/pkgconfig/"
    # shellcheck disable=SC2046 # lists of flags
    $CC -std=c11 -Wall -Wextra -Werror -I"$prefix/include" "$here/consumer_sim.c" -o "$work/consumer_sim" \
        $(pkg-config --static --define-variable=libdir="$work/lib" --libs pinion_sim)
    if readelf -d "$work/consumer_sim" | grep -q 'libpinion'; then fail "not linked with the static libraries"; fi
    "$work/consumer_sim"
fi
