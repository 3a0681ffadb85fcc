#!/bin/sh
# The release is a tarball of the committed files, the same bytes for everyone, and says which commit it is of. Skipped
# where the sources are no checkout of git, as in that tarball; `make dist-check` builds and tests it.
. "$(dirname "$0")/common.sh"
top=$(git -C "$source" rev-parse --show-toplevel 2>/dev/null) || top=
if [ "$top" != "$(cd "$source" && pwd -P)" ]; then
    echo "skipped: not a checkout of git"
    exit 77
fi

first=$(cd / && TZ=Asia/Kathmandu sh "$source/tools/dist" "$work/one" 2>/dev/null | tail -n 1)
second=$(umask 077 && TZ=UTC sh "$source/tools/dist" "$work/two" 2>/dev/null | tail -n 1)
cmp "$first" "$second" || fail "two releases of one commit differ"
version=$(git -C "$source" show HEAD:include/pinion/base.h | sed -n 's/^#define PINION_VERSION "\(.*\)"$/\1/p')
[ "$(basename "$first")" = "pinion-$version.tar.gz" ] || fail "the release of $version is called $(basename "$first")"

tar -xzf "$first" -C "$work"
(cd "$work/pinion-$version" && find . -type f -o -type l) | sed 's|^\./||' | LC_ALL=C sort >"$work/found"
git -C "$source" ls-tree -r --name-only HEAD | LC_ALL=C sort >"$work/committed"
diff "$work/committed" "$work/found" || fail "the release does not have exactly the committed files"

# outside of git the build takes the commit from the release
cmake -DSOURCE="$work/pinion-$version" -DOUTPUT="$work/commit.c" -P "$work/pinion-$version/cmake/commit.cmake"
commit=$(git -C "$source" rev-parse HEAD | cut -c 1-12)
grep -q "\"$commit\"" "$work/commit.c" || fail "the release does not say that it is of $commit: $(cat "$work/commit.c")"
if tar -tvzf "$first" | grep -v ' root/root '; then fail "these have another owner than root"; fi
