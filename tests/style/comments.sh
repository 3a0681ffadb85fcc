#!/bin/sh
# Every public function is explained in its header by a /// comment: its own, one in its group (the
# lines up to the next empty one), or that of the function it is named after: pinion_batch_X and
# pinion_X_f32 mean what pinion_X means: comments.sh SOURCE
set -u
cd "$1" || exit 1

awk '
    function finish_group(  i) {
        for (i in group) { if (commented) explained[i] = 1; delete group[i] }
        commented = 0
    }
    FNR == 1 || /^$/ { finish_group() }
    /\/\/\// { commented = 1 }
    /^PINION_API/ {
        name = $0
        sub(/\(.*/, "", name)
        sub(/.*[ *]/, "", name)
        group[name] = 1
        where[name] = FILENAME ":" FNR
        count++
    }
    END {
        finish_group()
        for (name in where) {
            plain = name
            sub(/_f32/, "", plain)
            other = plain
            sub(/^pinion_batch_/, "pinion_", other)
            if (explained[name] || explained[plain] || explained[other]) continue
            print where[name] ": " name " has no /// comment"
            bad = 1
        }
        print count " public functions"
        if (count < 50) { print "too few: the headers are not understood"; bad = 1 }
        exit bad
    }
' $(find include -name '*.h')
