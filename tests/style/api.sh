#!/bin/sh
# The headers that are made from the table of calls and from other headers are what tools/api would write, and the
# description of the API has every function that a header declares: api.sh SOURCE
set -u
cd "$1" || exit 1

command -v python3 >/dev/null 2>&1 || { echo "skipped: python3 is not here"; exit 77; }
python3 tools/api --check || exit 1

file=$(mktemp) || exit 1
trap 'rm -f "$file"' EXIT
python3 tools/api --json "$file" || exit 1
python3 - "$file" tests/api/symbols.txt tests/api/sim_symbols.txt <<'END'
import json, sys
api = json.load(open(sys.argv[1]))
described = {f["name"] for f in api["functions"]}
reviewed = {line.strip() for path in sys.argv[2:] for line in open(path)}
missing = sorted(reviewed - described) + sorted(described - reviewed)
for name in missing:
    print(name, "is in one of api.json and tests/api/*symbols.txt alone")
silent = [f["name"] for f in api["functions"] if not f["doc"]]
for name in silent:
    print(name, "has no words")
print(len(described), "functions,", len(api["quantities"]), "quantities,", len(api["enums"]), "enums are described")
sys.exit(1 if missing or silent or len(api["quantities"]) < 20 else 0)
END
