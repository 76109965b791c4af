#!/usr/bin/env bash
# Checks that need a shell around the program.  driver_e2e.sh CASE LIBRARY PROGRAM [ARGS]
#   starts N      N starts and exits in a row, each within a time limit, each saying PASS
#   parallel N    N processes at once
#   says TEXT     the program fails, and TEXT (an extended regular expression) is in its output
#   limited TEXT  with no, small and larger limits on a file's size the program fails by itself, with
#                 TEXT in its output; not by the signal of a write past the limit
#   signalled TEXT  the program ends by SIGSEGV, and TEXT is in its output
#   interrupt     the program says "running"; SIGINT ends it
#   model_time    what events measure agrees with the modelled cycles, and is the same in each run; with
#                 noise it is another, which its seed gives again
#   names TEXT... every TEXT is a kernel name in the counters
#   utilization KERNEL LOW HIGH   of the only kernel with KERNEL in its name, in percent
set -u
kind=$1 library=$2
shift 2
limit=$((60 * ${TEST_SLOWDOWN:-1}))
first=${TEST_SANITIZER_LIBRARY:+$TEST_SANITIZER_LIBRARY:} # cmake/MeldSanitizers.cmake
preload() { LD_PRELOAD=$first$library timeout -k 5 "$limit" "$@"; }
fail() { echo "FAIL: $*" >&2; exit 1; }

[[ -e $library ]] || fail "no library $library"
if [[ $kind == starts || $kind == parallel ]]; then
  [[ ${1:-} =~ ^[1-9][0-9]*$ ]] || fail "not a count: ${1:-}"
fi

case $kind in
starts)
  count=$1; shift
  for ((i = 0; i < count; ++i)); do
    out=$(preload "$@" 2>&1) || fail "start $i: exit $?: $out"
    [[ $out == *PASS* || $out == *Done* ]] || fail "start $i: $out"
  done
  ;;
parallel)
  count=$1; shift
  pids=()
  for ((i = 0; i < count; ++i)); do
    preload "$@" >/dev/null & pids+=($!)
  done
  for pid in "${pids[@]}"; do wait "$pid" || fail "a process gave $?"; done
  ;;
says)
  text=$1; shift
  out=$(preload "$@" 2>&1) && fail "the program succeeded: $out"
  grep -Eq -- "$text" <<<"$out" || fail "no \"$text\" in: $out"
  ;;
limited)
  text=$1; shift
  for blocks in 0 1 100 1000000; do
    out=$(ulimit -f "$blocks" && preload "$@" 2>&1); code=$?
    [[ $code -ge 1 && $code -lt 124 ]] || fail "limit $blocks: ended with $code: $out"
    grep -Eq -- "$text" <<<"$out" || fail "limit $blocks: no \"$text\" in: $out"
    [[ $(grep -Ec -- "$text" <<<"$out") -eq 1 ]] || fail "limit $blocks: said more than once: $out"
  done
  ;;
signalled)
  text=$1; shift
  out=$(preload "$@" 2>&1); code=$?
  [[ $code -eq 139 ]] || fail "ended with $code, not by SIGSEGV: $out"
  grep -Eq -- "$text" <<<"$out" || fail "no \"$text\" in: $out"
  ;;
interrupt)
  fifo=$(mktemp -u); mkfifo "$fifo"; trap 'rm -f "$fifo"' EXIT
  # A background job of a script ignores SIGINT: put the default back.
  LD_PRELOAD=$first$library timeout -k 5 "$limit" env --default-signal=INT "$@" >"$fifo" & pid=$!
  read -r line <"$fifo"
  [[ $line == running ]] || fail "the program said: $line"
  child=$(pgrep -P "$pid") || fail "no child"
  kill -INT "$child"
  wait "$pid"; code=$?
  [[ $code -eq 130 ]] || fail "ended with $code, not by the interrupt"
  ;;
names)
  texts=(); while [[ $1 != -- ]]; do texts+=("$1"); shift; done; shift
  file=$(mktemp); trap 'rm -f "$file"' EXIT
  MELD_COUNTERS=$file preload "$@" || fail "exit $?"
  for text in "${texts[@]}"; do
    grep -q -- "$text" "$file" || fail "no $text in the counters: $(head -c 2000 "$file")"
  done
  ;;
model_time)
  file=$(mktemp); trap 'rm -f "$file"' EXIT
  export MELD_GPU_TIMING=1 MELD_GPU_CUS=4
  once=$(MELD_COUNTERS=$file preload "$@") || fail "exit $?: $once"
  again=$(preload "$@") || fail "exit $?: $again"
  [[ $once == "$again" ]] || fail "one run says: $once; the next one: $again"
  noisy=$(MELD_GPU_NOISE=20,5,3 preload "$@") || fail "exit $?: $noisy"
  again=$(MELD_GPU_NOISE=20,5,3 preload "$@") || fail "exit $?: $again"
  [[ $noisy == "$again" && $noisy != "$once" ]] || fail "with noise: $noisy; the next one: $again"
  python3 - "$file" "$once" <<'EOF' || exit 1
import json, sys
file, said = sys.argv[1:]
with open(file) as f:
    cycles = {d["cycles"] for d in json.load(f)["dispatches"] if "work" in d["kernel"]}
cycles.discard(min(cycles)) # the first launch, of one round
if len(cycles) != 1:
    sys.exit(f"FAIL: cycles of the same launch: {cycles}")
kernel, overhead = (c * 1000 // 1700 for c in (cycles.pop(), 5000))
for line in said.splitlines():
    what, *numbers = line.split()
    # Events around one launch: HIP 5.2 begins with the marker before it, later ones with the kernel.
    if what == "exact" and int(numbers[0]) not in (kernel, kernel + overhead):
        sys.exit(f"FAIL: {line}, modelled: {kernel}")
    if what == "launches" and int(numbers[1]) != int(numbers[0]) * (kernel + overhead):
        sys.exit(f"FAIL: {line}, modelled: {kernel} and {overhead} before it")
EOF
  ;;
utilization)
  kernel=$1 low=$2 high=$3; shift 3
  file=$(mktemp); trap 'rm -f "$file"' EXIT
  out=$(MELD_COUNTERS=$file preload "$@") || fail "exit $?: $out"
  [[ $out == *PASS* ]] || fail "the program said: $out"
  python3 - "$file" "$kernel" "$low" "$high" <<'EOF' || exit 1
import json, sys
file, kernel, low, high = sys.argv[1:]
with open(file) as f:
    found = [d["counters"] for d in json.load(f)["dispatches"] if kernel in d["kernel"]]
if len(found) != 1:
    sys.exit(f"FAIL: {len(found)} dispatches of {kernel}")
c = found[0]
percent = 100 * c["SQ_THREAD_VALU"] / (64 * c["SQ_INSTS_VALU"])
print(f"{kernel}: {percent:.2f} %, VALUUtilization says {c['VALUUtilization']:.2f}")
if abs(percent - c["VALUUtilization"]) > 0.01 or not float(low) <= percent <= float(high):
    sys.exit(f"FAIL: not within {low} to {high}")
EOF
  ;;
*) fail "unknown case $kind" ;;
esac
