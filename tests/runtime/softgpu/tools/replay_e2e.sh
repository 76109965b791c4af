#!/usr/bin/env bash
# Captures the first dispatch of every kernel of a HIP program and replays each: replay_e2e.sh LIBRARY MELD-GPU PROGRAM...
set -euo pipefail
library=${TEST_SANITIZER_LIBRARY:+$TEST_SANITIZER_LIBRARY:}$1 tool=$2
shift 2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# One round: captures, replays. False when a replay's memory differs.
round() {
  rm -f "$folder"/*.mgc
  MELD_GPU_THREADS=1 MELD_GPU_CAPTURE=$folder LD_PRELOAD=$library "$@" >"$folder/out" 2>"$folder/err" || { cat "$folder/out" "$folder/err"; exit 1; }
  count=0
  for file in "$folder"/*.mgc; do
    "$tool" replay "$file" >"$folder/report" || { cat "$folder/report"; return 1; }
    grep -q 'bit for bit' "$folder/report" || { cat "$folder/report"; return 1; }
    count=$((count + 1))
  done
}
# A host thread may write a signal of the runtime between the two pictures of memory; it does not
# do so every time.
round "$@" || round "$@" || round "$@"
# The tools that share the replay: a profile, a trace, all checkers.
"$tool" replay "$file" --profile "$folder/profile.json" --trace "$folder/trace" --checked >"$folder/report" 2>&1
"$tool" profile "$folder/profile.json" >"$folder/listing"
grep -q executed "$folder/listing"
grep -q 's_endpgm' "$folder/trace"
[ "$count" -gt 0 ]
echo "PASS: $count dispatches replayed"
