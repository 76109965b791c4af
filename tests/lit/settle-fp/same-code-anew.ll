; REQUIRES: llvm-from-18
; RUN: %llc -mcpu=gfx90a %s | sed 's/;.*//' > %t.original
; RUN: %opt -passes=meld-settle-fp -S %s > %t.ll
; RUN: %llc -mcpu=gfx90a %t.ll | sed 's/;.*//' > %t.settled
; RUN: diff %t.original %t.settled
; RUN: FileCheck %s < %t.ll
; As in same-code.ll: operations that are made anew for the elements that are read. They keep their flags (LLVM 19 and 21).
target triple = "amdgcn-amd-amdhsa"

; A sum and a difference of the same product, one element of each: what vectorised complex arithmetic
; looks like.
; CHECK-LABEL: @sum_and_difference(
; CHECK: %s = call <2 x float> @llvm.fma.v2f32(
; CHECK: %d = call <2 x float> @llvm.fma.v2f32(
define amdgpu_kernel void @sum_and_difference(ptr addrspace(1) %out, <2 x float> %a, float %b, float %c, <2 x float> %x) {
  %b0 = insertelement <2 x float> poison, float %b, i64 0
  %b1 = insertelement <2 x float> %b0, float %c, i64 1
  %p = fmul contract <2 x float> %a, %b1
  %s = fadd contract <2 x float> %x, %p
  %d = fsub contract <2 x float> %x, %p
  %both = shufflevector <2 x float> %s, <2 x float> %d, <2 x i32> <i32 0, i32 3>
  store <2 x float> %both, ptr addrspace(1) %out
  ret void
}

; The sum's own operand gives the element that is read.
; CHECK-LABEL: @element_of_operand(
; CHECK: %s = call <2 x float> @llvm.fma.v2f32(
define amdgpu_kernel void @element_of_operand(ptr addrspace(1) %out, <2 x float> %a, <2 x float> %b, <2 x float> %x, <2 x float> %y) {
  %z = shufflevector <2 x float> %x, <2 x float> %y, <2 x i32> <i32 0, i32 3>
  %p = fmul contract <2 x float> %a, %b
  %q = fmul contract <2 x float> %z, %p
  %s = fadd contract <2 x float> %z, %p
  %both = shufflevector <2 x float> %q, <2 x float> %s, <2 x i32> <i32 1, i32 2>
  store <2 x float> %both, ptr addrspace(1) %out
  ret void
}
