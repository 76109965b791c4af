#!/usr/bin/env bash
# ./dev fuzz-parsers: run.sh BUILD [SECONDS [PARSER...]]
# Each parser's fuzzer for SECONDS, one after the other. What it learnt is kept in BUILD/corpus/<parser>, an input
# that breaks a parser in BUILD/found; mended, it goes to tests/parsers/found/<parser>. Exit 1 when one broke.
set -uo pipefail
here=$(dirname "$(readlink -f "$0")")
build=$1
seconds=${2:-60}
shift $(($# < 2 ? $# : 2))
parsers=("$@")
[ $# -gt 0 ] || parsers=(codeobject hostfile metadata entry settings gate bitcode profile)
case "$seconds" in
  '' | *[!0-9]*) echo "fuzz-parsers: '$seconds' is no number of seconds" >&2; exit 2 ;;
esac
mkdir -p "$build/found"
broken=0
printf '%-12s %12s %10s %9s  %s\n' parser inputs 'a second' corpus verdict
for parser in "${parsers[@]}"; do
  program=$build/bin/fuzz_$parser
  if [ ! -x "$program" ]; then
    echo "fuzz-parsers: there is no parser '$parser'" >&2
    exit 2
  fi
  corpus=$build/corpus/$parser
  log=$build/found/$parser.log
  mkdir -p "$corpus"
  folders=("$corpus" "$build/tests/parsers/seeds/$parser")
  [ ! -d "$here/found/$parser" ] || folders+=("$here/found/$parser")
  verdict=clean
  "$program" -max_total_time="$seconds" -timeout=25 -rss_limit_mb=2048 -max_len=65536 -print_final_stats=1 \
    -artifact_prefix="$build/found/$parser-" "${folders[@]}" >"$log" 2>&1 || { verdict="BROKEN, see $log"; broken=1; }
  stat() { sed -n "s/^stat::$1: *//p" "$log" | tail -n 1; }
  printf '%-12s %12s %10s %9s  %s\n' "$parser" "$(stat number_of_executed_units)" \
    "$(stat average_exec_per_sec)" "$(find "$corpus" -type f | wc -l)" "$verdict"
done
exit $broken
