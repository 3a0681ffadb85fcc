#!/bin/sh
# A project that asks pkg-config, with the shared library. Only -lpinion may be asked for: its own
# needs are the library's affair.
. "$(dirname "$0")/common.sh"
export PKG_CONFIG_PATH="$libdir/pkgconfig"
libs=$(pkg-config --libs pinion)
case $libs in *xml2* | *jansson*) fail "the shared library drags in: $libs" ;; esac
# shellcheck disable=SC2046,SC2086 # lists of flags
$CC -std=c11 -Wall -Wextra -Werror $(pkg-config --cflags pinion) "$here/consumer.c" -o "$work/consumer" $libs
readelf -d "$work/consumer" | grep -q 'NEEDED.*libpinion\.so' || fail "not linked with the shared library"
"$work/consumer"

# and the simulation library
if [ "$kind" = io ]; then
    # shellcheck disable=SC2046 # lists of flags
    $CC -std=c11 -Wall -Wextra -Werror $(pkg-config --cflags pinion_sim) "$here/consumer_sim.c" -o "$work/consumer_sim" \
        $(pkg-config --libs pinion_sim)
    "$work/consumer_sim"
fi
