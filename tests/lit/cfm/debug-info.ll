; Debug information influences nothing: with it and without it the code is the same.
; RUN: %opt -passes='default<O3>' %S/regions.ll -o %t.plain.bc
; RUN: %opt -passes='debugify,default<O3>,strip' %S/regions.ll -o %t.debug.bc
; RUN: %llc -mcpu=gfx900 %t.plain.bc -o %t.plain.s
; RUN: %llc -mcpu=gfx900 %t.debug.bc -o %t.debug.s
; RUN: grep -E '^[[:space:]]+([sv]_|ds_|global_|flat_)' %t.plain.s > %t.plain.txt
; RUN: grep -E '^[[:space:]]+([sv]_|ds_|global_|flat_)' %t.debug.s > %t.debug.txt
; RUN: test -s %t.plain.txt
; RUN: cmp %t.plain.txt %t.debug.txt
; RUN: %opt -passes=meld -S %S/regions.ll -o %t.a.ll
; RUN: %opt -passes='debugify,function(meld),strip' -S %S/regions.ll | grep -v '^declare void @llvm.dbg' | %opt -passes=instnamer -S > %t.b.ll
; RUN: %opt -passes='function(meld),strip' -S %S/regions.ll | %opt -passes=instnamer -S > %t.c.ll
; RUN: grep -vE '^(;|!|source_filename|$)' %t.b.ll > %t.b.txt
; RUN: grep -vE '^(;|!|source_filename|$)' %t.c.ll > %t.c.txt
; RUN: cmp %t.b.txt %t.c.txt
