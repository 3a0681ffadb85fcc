#!/bin/sh
# Installs the build tree into an empty folder.
. "$(dirname "$0")/common.sh"
rm -rf "$prefix"
cmake --install "$build" --prefix "$prefix"
