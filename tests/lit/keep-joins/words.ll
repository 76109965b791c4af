; A word of ones in a number of several words is what the machine's `or` has for an operand, and SIFoldOperands makes -1 | x to x (LLVM 15 to 22):
; passes/llvm_fixes/keep_joins.h.
; RUN: %opt -passes=meld-keep-joins,verify %s -S | FileCheck %s
; RUN: %opt -passes=meld-keep-joins %s -S | %llc -mcpu=gfx90a -O3 | FileCheck %s --check-prefix=ISA
; RUN: %opt -passes=meld-keep-joins %s -S | %llc -mcpu=gfx1030 -O3 | FileCheck %s --check-prefix=ISA

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"
declare i32 @llvm.amdgcn.workitem.id.x()

; The upper word of what is chosen is -1 either way; the lower one is left alone.
; CHECK-LABEL: @upper(
; CHECK: [[Z:%.*]] = zext i32 %zero to i64
; CHECK-NEXT: [[W:%.*]] = shl i64 [[Z]], 32
; CHECK-NEXT: [[S:%.*]] = xor i64 %s, [[W]]
; CHECK-NEXT: %r = or i64 %a, [[S]]
; ISA-LABEL: {{^}}upper:
; ISA: v_or_b32
; ISA: v_or_b32
; ISA: s_endpgm
define amdgpu_kernel void @upper(ptr addrspace(1) %p) {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %g = getelementptr i64, ptr addrspace(1) %p, i32 %t
  %a = load i64, ptr addrspace(1) %g
  %k = icmp ult i32 %t, 5
  %s = select i1 %k, i64 -8388608, i64 -5
  %r = or i64 %a, %s
  store i64 %r, ptr addrspace(1) %g
  ret void
}

; The lower word, as the first operand; the second word of four; what lies beyond the last whole word.
; CHECK-LABEL: @others(
; CHECK: [[Z:%.*]] = zext i32 %zero to i64
; CHECK-NEXT: [[S:%.*]] = xor i64 %s, [[Z]]
; CHECK-NEXT: %low = or i64 [[S]], %a
; CHECK: shl i128 {{.*}}, 32
; CHECK-NOT: shl i128
; CHECK: %wide = or i128 %b,
; CHECK: shl i48 {{.*}}, 32
; CHECK-NOT: shl i48
; CHECK: %odd = or i48 %d,
define void @others(i64 %a, i128 %b, i48 %d, i1 %k, ptr addrspace(1) %p) {
  %s = select i1 %k, i64 12884901887, i64 25769803775
  %low = or i64 %s, %a
  %w = select i1 %k, i128 18446744069414584321, i128 18446744069414584322
  %wide = or i128 %b, %w
  %o = select i1 %k, i48 -5, i48 -9
  %odd = or i48 %d, %o
  store volatile i64 %low, ptr addrspace(1) %p
  store volatile i128 %wide, ptr addrspace(1) %p
  store volatile i48 %odd, ptr addrspace(1) %p
  ret void
}

; Elements of a vector, each by itself: LLVM 22 joins two of 32 bits as one number.
; CHECK-LABEL: @vectors(
; CHECK: [[T:%.*]] = insertelement <2 x i32> zeroinitializer, i32 %zero, i64 1
; CHECK-NEXT: [[S:%.*]] = xor <2 x i32> %s, [[T]]
; CHECK-NEXT: %r = or <2 x i32> %a, [[S]]
define void @vectors(<2 x i32> %a, i1 %k, ptr addrspace(1) %p) {
  %s = select i1 %k, <2 x i32> <i32 -8388608, i32 -1>, <2 x i32> <i32 -5, i32 -1>
  %r = or <2 x i32> %a, %s
  store volatile <2 x i32> %r, ptr addrspace(1) %p
  ret void
}

; Left alone: constants, and words that are not known to be ones.
; CHECK-LABEL: @left(
; CHECK-NOT: asm
; CHECK: ret void
define void @left(i64 %a, i64 %b, i1 %k, <2 x i32> %v, ptr addrspace(1) %p) {
  %c = or i64 %a, -4294967296
  %s = select i1 %k, i64 -8388608, i64 7
  %d = or i64 %b, %s
  %e = or <2 x i32> %v, <i32 -1, i32 5>
  store volatile i64 %c, ptr addrspace(1) %p
  store volatile i64 %d, ptr addrspace(1) %p
  store volatile <2 x i32> %e, ptr addrspace(1) %p
  ret void
}
