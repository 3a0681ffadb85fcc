#!/bin/sh
# Sweeps by several processes: the same bytes as by one, also after one of them was killed.
#   sweep_mpi.sh PINION PINION_MPI MPIRUN MODELS
set -u
pinion=$1 mpi=$2 mpirun=$3 models=$4
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
# more processes than processors, by whoever runs the tests, on this machine alone
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_btl=self,vader OMPI_MCA_mpi_yield_when_idle=1
failed=0
fail() { echo "FAILED: $*"; failed=1; }

cat >plan.json <<PLAN
{"model": "$models/planar-3r.json", "seed": 3, "count": 100, "trajectories": 10,
 "run": {"duration": 0.5, "integrator": "rk4", "control": "pd", "to": {"joint1": 1}},
 "vary": [{"name": "m", "what": "mass", "of": "link3", "normal": [1, 0.6]}],
 "keep": [{"name": "q", "column": "q.joint1", "take": "final"}]}
PLAN
"$pinion" sweep plan.json -o alone.h5 --quiet || fail "alone"
for ranks in 1 3; do
    "$mpirun" -n $ranks "$mpi" sweep plan.json -o "ranks$ranks.h5" --quiet || fail "$ranks processes"
    cmp alone.h5 "ranks$ranks.h5" || fail "$ranks processes give other bytes"
done

# a sweep that ends when it has enough
sed 's/"count": 100,/"count": 400, "stop": {"of": "q", "within": 0.02, "every": 20},/' plan.json >enough.json
"$pinion" sweep enough.json -o enough.h5 --quiet --json >log || fail "enough, alone"
grep -q '"planned": *400' log && ! grep -q '"runs": *400' log || fail "all runs were made: $(cat log)"
"$mpirun" -n 3 "$mpi" sweep enough.json -o enough3.h5 --quiet || fail "enough, 3 processes"
cmp enough.h5 enough3.h5 || fail "3 processes have other runs enough"

# one of them is killed: all end, and the next attempt goes on
"$mpirun" -n 3 "$mpi" sweep plan.json -o killed.h5 --quiet >log 2>&1 &
job=$!
i=0
while [ $i -lt 100 ] && [ -z "$(find killed.h5.journal -size +8k 2>/dev/null)" ] && kill -0 $job 2>/dev/null; do
    sleep 0.05
    i=$((i + 1))
done
victim=$(pgrep -f "^$mpi sweep plan.json -o killed.h5" | tail -1)
[ -z "$victim" ] || kill -9 "$victim" 2>/dev/null
wait $job
"$mpirun" -n 2 "$mpi" sweep plan.json -o killed.h5 --quiet || fail "after a kill"
cmp alone.h5 killed.h5 || fail "after a kill there are other bytes"
[ ! -e killed.h5.journal ] || fail "the journal is still there"

# the same while they put the file together, as often as that is caught
sed 's/"count": 100, "trajectories": 10/"count": 1500, "trajectories": "all"/' plan.json >rows.json
"$pinion" sweep rows.json -o rows.h5 --quiet || fail "rows, alone"
for ranks in 2 4; do
    "$mpirun" -n $ranks "$mpi" sweep rows.json -o late.h5 --quiet >log 2>&1 &
    job=$!
    while kill -0 $job 2>/dev/null && [ ! -e late.h5.journal/result ]; do sleep 0.01; done
    victim=$(pgrep -f "^$mpi sweep rows.json -o late.h5" | tail -1)
    [ -z "$victim" ] || kill -9 "$victim" 2>/dev/null
    wait $job
done
"$mpirun" -n 3 "$mpi" sweep rows.json -o late.h5 --quiet || fail "after kills while the file was made"
cmp rows.h5 late.h5 || fail "after kills while the file was made there are other bytes"
[ ! -e late.h5.journal ] || fail "the journal is still there"

# what goes wrong is said once
"$mpirun" -n 2 "$mpi" sweep none.json -o none.h5 >log 2>&1 && fail "a plan that is not there"
[ "$(grep -c '^pinion sweep: none.json' log)" = 1 ] || fail "$(cat log)"
"$mpirun" -n 2 "$pinion" sweep plan.json -o none.h5 >log 2>&1 && fail "a command without MPI"
grep -q 'pinion-mpi' log || fail "$(cat log)"
[ $failed = 0 ] && echo "1 passed, 0 failed"
exit $failed
