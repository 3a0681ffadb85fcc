#!/bin/sh
# Prints the functions that headers declare with PINION_API, sorted: declared.sh HEADER...
# A declaration may run over lines; the name is the last word before the first parenthesis.
cat "$@" | sed 's|//.*||' | tr '\n' ' ' | sed 's/#define PINION_API[^#]*//g; s/PINION_API/\
PINION_API/g' | sed -n 's/^PINION_API[^(;]*[ *]\([A-Za-z_0-9]*\) *(.*/\1/p' | LC_ALL=C sort
