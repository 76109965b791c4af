; Debug information influences nothing: with it and without it the code is the same. Every kernel of this folder.
; RUN: %opt -passes='default<O3>' %S/regions.ll -o %t.plain.bc
; RUN: %opt -passes='debugify,default<O3>,strip' %S/regions.ll -o %t.debug.bc
; RUN: %llc -mcpu=gfx900 %t.plain.bc -o %t.plain.s
; RUN: %llc -mcpu=gfx900 %t.debug.bc -o %t.debug.s
; RUN: grep -E '^[[:space:]]+([sv]_|ds_|global_|flat_)' %t.plain.s > %t.plain.txt
; RUN: grep -E '^[[:space:]]+([sv]_|ds_|global_|flat_)' %t.debug.s > %t.debug.txt
; RUN: test -s %t.plain.txt
; RUN: cmp %t.plain.txt %t.debug.txt
; RUN: sh %S/Inputs/debugify_each.sh "%opt" %S/*.ll
