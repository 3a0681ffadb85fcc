# A command without the page says so, and writes nothing.
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
printf 't [s],q.a [rad]\n0,0\n1,1\n' >"$folder/r.csv"
"$PINION_COMMAND" report "$folder/r.csv" -o "$folder/r.html" 2>"$folder/err"
status=$?
if [ $status -ne 1 ]; then echo "exit status $status, expected 1"; exit 1; fi
grep -q 'this build has no report page' "$folder/err" || { echo "it does not say why:"; cat "$folder/err"; exit 1; }
if [ -e "$folder/r.html" ]; then echo "a page was written"; exit 1; fi
