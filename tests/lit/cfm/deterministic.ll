; Ten runs give the same bytes (address randomisation is on for each process). Every kernel of this folder.
; RUN: for i in 1 2 3 4 5 6 7 8 9 10; do %opt -passes='default<O3>' -S %S/regions.ll | cksum; done | sort -u > %t
; RUN: for i in 1 2 3 4 5 6 7 8 9 10; do for f in %S/*.ll; do %opt -passes=meld -S $f; done | cksum; done | sort -u > %t.all
; RUN: test $(wc -l < %t) = 1
; RUN: test $(wc -l < %t.all) = 1
