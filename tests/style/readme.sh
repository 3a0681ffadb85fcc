#!/bin/sh
# The README's table of times is what tools/bench-readme prints from the newest kept results: readme.sh SOURCE
set -u
cd "$1" || exit 1

command -v python3 >/dev/null 2>&1 || { echo "skipped: python3 is not here"; exit 77; }
python3 tools/bench-readme --check
