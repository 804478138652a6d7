#!/usr/bin/env bash
# Whether counts, a training and predictions are the same to the bit by any number of threads and jobs, a
# second time, and on a processor without fused multiply-adds and wide vectors, which QEMU plays.
#
#   xtask/same-bits.sh PROGRAM
#
# Every run trains on the same molecules, predicts with the model, and counts; models, predictions and
# tables are compared by their sha256. The emulated run is left out, and named, where QEMU is missing.
set -euo pipefail

program=$(realpath "$1") top=$(mktemp -d)
trap 'rm -rf "$top"' EXIT
export GSN_CACHE=off
cd "$top"

# Some hundred molecules out of ten parts, each with a number that depends on them.
awk 'BEGIN {
    n = split("C CC c1ccccc1 C(=O)O N C1CCCCC1 OC S CCN C#N", part, " ")
    print "smiles,y"
    for (i = 0; i < 150; i++) {
        text = part[1 + i % n] part[1 + int(i / n) * 7 % n] part[1 + i * i % n]
        printf "%s,%.3f\n", text, length(text) + i % 7 / 3
    }
}' > m.csv

failed=0
run() { # NAME THREADS JOBS COMMAND...
    local name=$1 threads=$2 jobs=$3
    shift 3
    name=${name//[ ,]/-}
    mkdir "$name"
    local code=0
    for verb in "train m.csv --target y --epochs 3 --width 16 --out $name/run --threads $threads --jobs $jobs" \
        "predict $name/run/model.gsn m.csv -o $name/said.csv --threads $threads" \
        "count m.csv -p cycle:3..=7,path:3..=5 --scope arc -o $name/counts.csv --threads $threads"; do
        code=0
        # shellcheck disable=SC2086
        "$@" $verb -q > /dev/null 2> said.txt || code=$?
        # Rows that are rejected are no failure here.
        if ((code > 1)); then cat said.txt; exit 1; fi
    done
    (cd "$name" && sha256sum run/model.gsn said.csv counts.csv) > "$name.sums"
    if [[ -e first.sums ]] && ! cmp -s first.sums "$name.sums"; then
        failed=1
        echo "$name: differs"
        diff first.sums "$name.sums" || true
    else
        cp "$name.sums" first.sums
        echo "$name: the same"
    fi
}

run "one thread" 1 1 "$program"
run "one thread, again" 1 1 "$program"
run "two threads" 2 1 "$program"
run "two threads, three jobs" 2 3 "$program"
if command -v qemu-x86_64 > /dev/null; then
    run "a processor without fused multiply-adds" 1 1 qemu-x86_64 -cpu Nehalem "$program"
else
    echo "not tried: another processor, since qemu-x86_64 is not installed"
fi
cat first.sums
exit $failed
