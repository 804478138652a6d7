#!/usr/bin/env bash
# Runs two builds of gsn on the same real data and compares what they write, byte by byte.
#
#   GSN_DATA=… xtask/same-output.sh OLD NEW [FOLDER]
#
# OLD and NEW are two binaries. Every line of `cases` is run by both, each in a folder of its own, and
# all files and everything on standard output are compared. Times and versions are the only things left
# out: progress on standard error, and the files of a run folder that hold wall clock times.
set -uo pipefail

old=$(realpath "$1") new=$(realpath "$2") top=${3:-$(mktemp -d)}
: "${GSN_DATA:?GSN_DATA must name the folder with the benchmark data}"
export GSN_CACHE=$top/cache-unused RAYON_NUM_THREADS=2
zinc="$GSN_DATA/zinc12k" hiv="$GSN_DATA/ogbg-molhiv" tud="$GSN_DATA/tud" graphs="$GSN_DATA/graphs"

# One case a line: a name, then a command in which `gsn` stands for the binary.
cases() {
    for scope in vertex edge arc; do
        for matching in induced subgraph; do
            echo "zinc-cycles-$scope-$matching gsn count zinc.csv -p cycle:3..=8,clique:3 --scope $scope --matching $matching -o t.parquet"
            echo "zinc-all-$scope-$matching gsn count few.csv -p all:3..=5,path:6,star:3,tree:6 --scope $scope --matching $matching -o t.csv"
            echo "imdb-$scope-$matching gsn count $tud/IMDBBINARY/IMDBBINARY.txt -p clique:3..=5,all:4 --scope $scope --matching $matching -o t.arrow"
            echo "grqc-$scope-$matching gsn count $graphs/ca-GrQc.txt.gz -p all:4,cycle:5,star:3 --scope $scope --matching $matching -o t.npz"
        done
    done
    echo "official gsn count few.csv -p all:6 --scope arc --orbits official -o t.csv"
    echo "hiv gsn count hiv.csv -p cycle:3..=8,molecule:c1ccccc1,smiles:C1CC1 -o t.parquet"
    echo "protein gsn count $tud/PROTEINS/PROTEINS.txt -p all:3..=5 --scope arc -o t.parquet"
    echo "mutag-labels gsn count $tud/MUTAG/MUTAG.txt -p edges:0@0-1@0,1-2@1 -o t.csv"
    echo "sr gsn count $GSN_DATA/sr/sr251256.g6 -p cycle:3..=6,path:5 --matching subgraph -o t.csv"
    echo "stdout gsn count few.csv -p cycle:5..=6"
    echo "json-plan gsn count few.csv -p all:5,cycle:9,path:7 --explain-plan"
    echo "large-plan gsn count $graphs/ca-GrQc.txt.gz -p all:5,cycle:6,star:4,clique:6 --explain-plan"
    for to in graph6 sparse6 gin graphml arrow parquet; do
        echo "convert-$to gsn convert few.csv out.$to --to $to"
    done
    echo "convert-tu gsn convert few.csv out --to tu"
    echo "patterns gsn patterns all:5 tree:6 cycle:3..=6"
    echo "patterns-json gsn patterns all:4 --json"
    echo "verify gsn count few.csv -p all:4 --scope edge -o t.parquet -q; gsn verify t.parquet --sample 20 --json"
    for set in sr16622 sr261034; do
        echo "separate-$set gsn separate $GSN_DATA/sr/$set.g6 -p cycle:3..=6 --scope arc --json"
    done
    echo "separate-pairs gsn separate $GSN_DATA/sr/sr16622.g6 --pairs --json -p path:3..=5"
    echo "generate gsn generate regular --order 20 --degree 3 --count 20 --seed 7; gsn generate csl --order 41 --skip 2 --skip 3; gsn generate cfi --base clique:4 --pair; gsn generate erdos-renyi --order 50 --probability 0.1; gsn generate tree --order 30 --count 5"
    echo "suggest gsn suggest few.csv --target y --max-size 5 --json"
    echo "train-mutag gsn train mutag-gsn-e --set training.epochs=4 -o run --json"
    echo "train-imdb gsn train imdb-b-gsn-v --set training.epochs=1 -o run --json"
    echo "train-zinc gsn train zinc-gsn-ef-100k --set training.epochs=2 -o run --json"
    echo "train-zinc-e gsn train zinc-gsn --set training.epochs=1 -o run --json"
    echo "train-sr gsn train sr-gsn-e --set data.set=sr261034 -o run --json"
    echo "train-ptc gsn train ptc-deepsets --set training.epochs=2 -o run --json"
    echo "train-own gsn train small.csv --target y --split scaffold --set training.epochs=4 -o run --json; gsn predict run/model.gsn few.csv -o p.csv; gsn predict run/model.gsn few.csv -o p.parquet"
    echo "train-classes gsn train hiv.csv --target HIV_active --features ogb --set training.epochs=3 -o run --json; gsn predict run/model.gsn hiv.csv -o p.csv"
    echo "recipe-own gsn train few.csv --target y --save-recipe r.toml"
    echo "recipe gsn recipes zinc-gsn-ef-100k"
}

prepare() {
    zcat "$zinc/zinc12k_smiles.csv.gz" | cut -d, -f5,9 >zinc.csv
    { head -1 zinc.csv; sed -n '2,201p' zinc.csv; echo 'C1CC,1.0'; } >few.csv
    sed -n '1,1001p' zinc.csv >small.csv
    zcat "$hiv/HIV.csv.gz" | sed -n '1,1501p' >hiv.csv
}

run() { # run BINARY FOLDER COMMAND
    mkdir -p "$2/bin" && ln -sf "$1" "$2/bin/gsn"
    (cd "$2" && prepare && export GSN_CACHE="$2/.cache" &&
        PATH="$2/bin:$PATH" bash -c "$3" >stdout 2>.stderr; echo "exit $?" >>stdout)
    sed -E -i 's/"seconds":[ ]*[0-9.e-]+/"seconds":_/g; s/"graphs_per_second":[ ]*[0-9.e-]+/"graphs_per_second":_/g' "$2/stdout"
}

same=0 differ=0
while read -r name command; do
    case $name in ${ONLY:-*}) ;; *) continue ;; esac
    rm -rf "$top/old" "$top/new" "$top/run"
    # Both run in a folder of the same name, since some outputs hold the path of their input.
    run "$old" "$top/run" "$command" && mv "$top/run" "$top/old"
    run "$new" "$top/run" "$command" && mv "$top/run" "$top/new"
    if ! grep -qE '^exit [01]$' "$top/old/stdout"; then
        differ=$((differ + 1))
        echo "not run   $name: $(tail -1 "$top/old/.stderr")"
    elif found=$(diff -rq --exclude=bin --exclude=.cache --exclude=.stderr --exclude=sessions.jsonl --exclude=versions.json \
        --exclude=.lock --exclude=tensorboard "$top/old" "$top/new"); then
        same=$((same + 1))
        echo "same      $name ($(find "$top/new" -type f -not -path '*/.cache/*' | wc -l) files, $(tail -1 "$top/new/stdout"))"
    else
        differ=$((differ + 1))
        echo "different $name"
        sed 's/^/    /' <<<"$found"
        mkdir -p "$top/kept" && rm -rf "$top/kept/$name" && mkdir "$top/kept/$name" && mv "$top/old" "$top/new" "$top/kept/$name/"
    fi
done < <(cases)
echo "$same same, $differ different"
[ "$differ" = 0 ]
