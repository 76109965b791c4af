#!/usr/bin/env bash
# install_test.sh BUILD CONSUMER CMAKE: installs BUILD into a new folder and uses it from there, and again after the
# folder was moved. Prints what is wrong; exit code 1 then.
set -euo pipefail
build=$1 consumer=$2 cmake=$3
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
fail() {
  echo "install: $*" >&2
  exit 1
}
export XDG_CACHE_HOME=$scratch/cache MELD_COMPILE_BUDGET_MS=0

"$cmake" --install "$build" --prefix "$scratch/first" >/dev/null
preload=$(find "$scratch/first" -name libmeld.so -type l)
libraries=$(dirname "$(readlink -f "$preload")")
[ "$libraries" = "$(dirname "$preload")/libmeld" ] || fail "libmeld.so is no link into libmeld/: $preload"
for file in libmeld.so demo/bitonic libmeld-jit.so libmeld-softgpu.so libmeld-softgpu-translate.so meld-compile meld-remote MeldPasses.so; do
  [ -e "$libraries/$file" ] || fail "no $file beside libmeld.so"
done

# What runs comes from the folder, not from the build.
use() { # PREFIX
  local out
  out=$("$1/bin/meld" doctor 2>&1) || true
  [[ $out == *"$1/"*libmeld.so* ]] || fail "meld doctor finds another libmeld.so: $out"
  out=$("$1/bin/meld" run --device software --report -- "$build/bin/hip/bitonic" --block 64 2>&1) || fail "bitonic: $out"
  [[ $out == *replaced* ]] || fail "nothing was replaced: $out"
  [[ $out != *"$build/lib"* ]] || fail "the build folder's libraries were used: $out"
  "$1/bin/meld-gpu" coverage --target gfx90a >/dev/null || fail "meld-gpu coverage"
}
use "$scratch/first"
mv "$scratch/first" "$scratch/second"
use "$scratch/second"

# The same in a process of its own for the compiler.
out=$(MELD_COMPILER=process MELD_CACHE=0 "$scratch/second/bin/meld" run --device software --report -- \
  "$build/bin/hip/bitonic" --block 64 2>&1) || fail "MELD_COMPILER=process: $out"
[[ $out == *replaced* ]] || fail "MELD_COMPILER=process: nothing was replaced: $out"

"$cmake" -G Ninja -S "$consumer" -B "$scratch/consumer" -DCMAKE_PREFIX_PATH="$scratch/second" -DPROGRAM="$build/bin/hip/bitonic" \
  >"$scratch/log" 2>&1 || fail "find_package: $(cat "$scratch/log")"
(cd "$scratch/consumer" && "$(dirname "$cmake")/ctest" --output-on-failure >"$scratch/log" 2>&1) ||
  fail "libmeld_add_test: $(cat "$scratch/log")"

for page in meld meld-gpu; do
  file=$(find "$scratch/second" -name "$page.1")
  grep -q '^\.SH VERBS' "$file" || fail "$page.1 has no verbs"
  grep -q '^\.SS' "$file" || fail "$page.1 describes no verb"
done

completion=$(find "$scratch/second" -path '*completions/meld')
# shellcheck disable=SC1090
source "$completion"
complete_line() { # WORD...: what bash would offer for the last one
  COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
  _meld
  printf '%s\n' "${COMPREPLY[@]}"
}
offered() { # EXPECTED WORD...
  local expected=$1
  shift
  complete_line "$@" | grep -qxF -- "$expected" || fail "completion of '$*' does not offer $expected"
}
meld=$scratch/second/bin/meld
offered run "$meld" r
offered --counters "$meld" run --cou
offered software "$meld" run --device s
offered coverage "$scratch/second/bin/meld-gpu" cov
offered "$consumer/CMakeLists.txt" "$meld" run -- "$consumer/CMakeL"
echo "install: in its place, moved, from another project: PASS"
