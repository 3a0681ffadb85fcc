#!/bin/sh
# What is built and what is installed loads no library from the current folder, and has the guards that the compiler
# offers (cmake/hardening.cmake).
. "$(dirname "$0")/common.sh"
command -v readelf >/dev/null || { echo "skipped: readelf is not here"; exit 77; }

# ---- where libraries are looked for: in every program and library, tests and examples too ----

count=0
for file in "$build"/* "$build"/examples/* "$build"/tests/* "$build"/tests/*/* "$libdir"/* "$prefix"/bin/*; do
    [ -f "$file" ] && [ ! -L "$file" ] || continue
    [ "$(head -c 4 "$file" | tr -d '\0')" = "$(printf '\177ELF')" ] || continue
    case $file in *.o | *.a) continue ;; esac
    count=$((count + 1))
    path=$(readelf -dW "$file" | sed -n 's/.*(\(RPATH\|RUNPATH\)).*\[\(.*\)\]$/\2:/p')
    while [ -n "$path" ]; do
        entry=${path%%:*}
        path=${path#*:}
        case $entry in
            /*) ;;
            '$ORIGIN' | '$ORIGIN'/*) ;;
            *) fail "$file looks for libraries in '$entry', which is not a folder of its own" ;;
        esac
        case $file in
            "$prefix"/*) case $entry in "$build"*) fail "$file looks for libraries in the build folder" ;; esac ;;
        esac
    done
done
[ $count -gt 5 ] || fail "only $count programs and libraries were found"

# ---- guards: in what is installed, and in the same before that ----

has() { grep -q "^PINION_HARDEN_$1:INTERNAL=1" "$build/CMakeCache.txt"; }

guarded()
{
    readelf -lW "$1" >"$work/segments"
    readelf -dW "$1" >"$work/dynamic"
    nm -D "$1" >"$work/symbols"
    if has RELRO; then
        grep -q GNU_RELRO "$work/segments" || fail "$1 has no RELRO"
        grep -q BIND_NOW "$work/dynamic" || fail "$1 binds lazily, so that its tables stay writable"
    fi
    if has NO_EXEC_STACK; then
        grep GNU_STACK "$work/segments" | grep -q 'RW ' || fail "the stack of $1 can be executed"
    fi
    if has STACK_PROTECTOR; then
        grep -q __stack_chk_fail "$work/symbols" || fail "$1 has no stack protector"
    fi
    if has FORTIFY_3 || has FORTIFY_2; then
        grep -q '__[a-z]*_chk' "$work/symbols" || fail "$1 is not compiled with _FORTIFY_SOURCE"
    fi
}

command -v objdump >/dev/null || echo "skipped: objdump is not here, which tells of control-flow protection"
for file in "$build"/libpinion*.so "$libdir"/libpinion*.so; do guarded "$file"; done
if [ "$kind" = io ]; then
    for file in "$build/pinion" "$prefix/bin/pinion"; do
        guarded "$file"
        readelf -hW "$file" | grep -q 'Type: *DYN' || fail "$file is not position independent"
        if has CONTROL_FLOW && command -v objdump >/dev/null; then
            objdump -d --disassemble=main "$file" | grep -q endbr64 || fail "$file has no control-flow protection"
        fi
    done
fi
echo "$count programs and libraries read"
