#!/bin/sh
# usage: debugify_each.sh OPT FILE...
# Melds each file twice, once with a debug location and a value on every instruction; both must give the same code.
opt=$1
shift
code() { # names of values and numbers of metadata nodes are no code
  $opt -passes="$1" -S "$2" | grep -v '^declare void @llvm.dbg' | $opt -passes=instnamer -S | grep -vE '^(;|!|source_filename|$)' |
    sed 's/ ![0-9][0-9]*/ !N/g'
}
melded=0
for file in "$@"; do
  grep -q '^define' "$file" || continue
  plain=$(code 'function(meld),strip' "$file") || exit 1
  debug=$(code 'debugify,function(meld),strip' "$file") || exit 1
  if [ "$plain" != "$debug" ]; then
    echo "$file: debug information changes the result"
    exit 1
  fi
  [ "$plain" = "$(code 'strip' "$file")" ] || melded=$((melded + 1))
done
echo "$melded files melded, with and without debug information alike"
[ "$melded" -gt 5 ]
