#!/usr/bin/env bash
# static_test.sh BUILD PROJECT CMAKE HIPCC LLVM_BIN: a project that uses meld_target() from an installation. The melded
# program computes what the plain one does with fewer instructions, without libmeld; its report can be read.
set -euo pipefail
build=$1 project=$2 cmake=$3 hipcc=$4 llvm=$5
export CMAKE_GENERATOR=Ninja # which every build of ours has
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
fail() {
  echo "static: $*" >&2
  exit 1
}
export XDG_CACHE_HOME=$scratch/cache CCACHE_DIR=$scratch/ccache
prefix="$scratch/an installation" # with a blank
launcher=()
! command -v ccache >/dev/null || launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)

"$cmake" --install "$build" --prefix "$prefix" >/dev/null
"$cmake" -S "$project" -B "$scratch/build" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_CXX_COMPILER="$hipcc" \
  -DCMAKE_CXX_FLAGS="-B$llvm" "${launcher[@]}" >"$scratch/log" 2>&1 || fail "configure: $(cat "$scratch/log")"
"$cmake" --build "$scratch/build" --verbose >"$scratch/log" 2>&1 || fail "build: $(cat "$scratch/log")"
[ "$(grep -c -- '-fpass-plugin=.*MeldPasses.so.* .*sides.cpp' "$scratch/log")" = 2 ] ||
  fail "the plugin is to be in two of three compiles: $(cat "$scratch/log")"

softgpu=$scratch/libmeld-softgpu.so # LD_PRELOAD takes no blanks
ln -s "$(find "$prefix" -name libmeld-softgpu.so)" "$softgpu"
run() { # NAME: what the program prints, on the software GPU alone; counters in NAME.json
  LD_PRELOAD=$softgpu MELD_COUNTERS=$scratch/$1.json "$scratch/build/$1" || fail "$1 ended with status $?"
}
plain=$(run plain)
melded=$(run melded)
left=$(run left)
[[ $plain == *", 0 wrong" ]] || fail "plain: $plain"
for other in "$melded" "$left"; do
  [ "$plain" = "$other" ] || fail "'$plain' plain, '$melded' melded, '$left' left out"
done
count() { # NAME COUNTER: summed over the dispatches
  python3 -c 'import json, sys
print(sum(d["counters"][sys.argv[2]] for d in json.load(open(sys.argv[1]))["dispatches"]))' "$scratch/$1.json" "$2"
}
for counter in SQ_INSTS SQ_INSTS_VALU SQ_INSTS_BRANCH; do
  before=$(count plain $counter) after=$(count melded $counter)
  [ "$after" -lt "$before" ] || fail "$counter $before -> $after"
  [ "$(count left $counter)" = "$before" ] || fail "$counter: OPTIONS had no effect"
done

report=$(find "$scratch/build/reports" -name 'sides.cpp-gfx90a-*.json')
[ -e "$report" ] || fail "no report: $(ls -R "$scratch/build/reports")"
said=$("$prefix/bin/meld" explain sides "$report") || fail "meld explain: $said"
[[ $said == *"compiled with MeldPasses"* && $said == *"kernel: changed in "* && $said == *"meld-"* ]] || fail "$said"

# Other options are another program, also where a compiler cache has the one of before.
"$cmake" -S "$project" -B "$scratch/build" "-DLEFT=min-profit=1;no-scalarize" >"$scratch/log" 2>&1 || fail "$(cat "$scratch/log")"
"$cmake" --build "$scratch/build" >"$scratch/log" 2>&1 || fail "second build: $(cat "$scratch/log")"
[ "$(run left)" = "$plain" ] || fail "left, melded, is wrong"
[ "$(count left SQ_INSTS)" = "$(count melded SQ_INSTS)" ] || fail "new OPTIONS had no effect: $(cat "$scratch/log")"

# A compiler of another LLVM is told when the project is configured. Here: one that cannot load plugins.
cat >"$scratch/other" <<END
#!/bin/sh
case "\$*" in *-fpass-plugin*) echo "incompatible plugin" >&2; exit 1 ;; esac
exec "$hipcc" "\$@"
END
chmod +x "$scratch/other"
if "$cmake" -S "$project" -B "$scratch/other-build" -DCMAKE_PREFIX_PATH="$prefix" \
  -DCMAKE_CXX_COMPILER="$scratch/other" -DCMAKE_CXX_FLAGS="-B$llvm" >"$scratch/log" 2>&1; then
  fail "a compiler that cannot use the plugin was accepted"
fi
for text in "cannot use" "incompatible plugin"; do
  grep -q "$text" "$scratch/log" || fail "$(cat "$scratch/log")"
done
echo "static: PASS ($(count plain SQ_INSTS) -> $(count melded SQ_INSTS) instructions)"
