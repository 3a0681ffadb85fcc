#!/bin/sh
# Everything that is promised is there, and the installed command runs.
. "$(dirname "$0")/common.sh"

expect() { [ -s "$prefix/$1" ] || fail "$1 was not installed"; }
lib=${libdir#"$prefix/"}

for header in $(cd "$source" && find include -name '*.h'); do expect "$header"; done
for model in "$source"/models/*.json; do expect "share/pinion/models/$(basename "$model")"; done
for file in libpinion.a libpinion.so pkgconfig/pinion.pc cmake/pinion/pinionConfig.cmake \
    cmake/pinion/pinionConfigVersion.cmake; do
    expect "$lib/$file"
done
[ -L "$libdir/libpinion.so" ] || fail "libpinion.so is not a link to the versioned library"

# until 1.0 the name that programs are linked with has the minor version in it
soname=$(sed -n 's/^#define PINION_VERSION "\(0\.[0-9]*\)\..*/\1/p' "$source/include/pinion/base.h")
for library in ${soname:+"$libdir"/libpinion*.so}; do
    readelf -d "$library" | grep -q "SONAME.*\[$(basename "$library").$soname\]" ||
        fail "the name of $library does not end in .so.$soname"
done

if [ "$kind" = io ]; then
    expect "$lib/libpinion_sim.so"
    expect "$lib/libpinion_sim.a"
    expect "$lib/pkgconfig/pinion_sim.pc"
    expect bin/pinion
    expect share/man/man1/pinion.1
    expect share/bash-completion/completions/pinion
    expect share/zsh/site-functions/_pinion
    expect share/fish/vendor_completions.d/pinion.fish
    "$prefix/bin/pinion" --version
    "$prefix/bin/pinion" info "$prefix/share/pinion/models/stanford.json" >/dev/null
    # it finds the models that were installed with it, with no help from the environment
    (cd "$work" && unset PINION_MODELS && "$prefix/bin/pinion" demo >/dev/null) || fail "the installed demo fails"
    bash -n "$prefix/share/bash-completion/completions/pinion"
fi

# Nothing that installs may name the folders it was built in.
if grep -rIl -e "$build" -e "$source" "$prefix"; then fail "these name the build or the source folder"; fi
