; Ten runs give the same bytes (address randomisation is on for each process).
; RUN: for i in 1 2 3 4 5 6 7 8 9 10; do %opt -passes='default<O3>' -S %S/regions.ll | cksum; done | sort -u > %t
; RUN: for i in 1 2 3 4 5 6 7 8 9 10; do %opt -passes=meld -S %S/loops.ll | cksum; done | sort -u > %t.loops
; RUN: test $(wc -l < %t) = 1
; RUN: test $(wc -l < %t.loops) = 1
