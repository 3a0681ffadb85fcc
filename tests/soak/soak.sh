#!/bin/sh
# soak.sh PROGRAM HOURS MODELS: the program in a folder of its own, which goes away with it.
set -u
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
mkdir -m 700 "$folder/cache"
# no shelves of freed memory in the allocator, which it counts as used
GLIBC_TUNABLES=glibc.malloc.tcache_count=0:glibc.malloc.mxfast=0 "$1" "$2" "$3" "$folder"
