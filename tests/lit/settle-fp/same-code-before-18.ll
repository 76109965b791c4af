; UNSUPPORTED: llvm-from-18
; RUN: %llc -mcpu=gfx90a %s | sed 's/;.*//' > %t.original
; RUN: %opt -passes=meld-settle-fp -S %s > %t.ll
; RUN: %llc -mcpu=gfx90a %t.ll | sed 's/;.*//' > %t.settled
; RUN: diff %t.original %t.settled
; RUN: FileCheck %s < %t.ll
; As in same-code.ll: a loop, and operations that are made anew for the elements that are read. These
; have no flags (LLVM 15 and 17).
target triple = "amdgcn-amd-amdhsa"

; A sum and a difference of the same product, one element of each: what vectorised complex arithmetic
; looks like. The sum's product is made anew for its element, and has no flag then.
; CHECK-LABEL: @sum_and_difference(
; CHECK: %p = fmul <2 x float>
; CHECK: %s = fadd <2 x float> %x, %p
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

; The sum's own operand gives the element that is read: the sum is made anew.
; CHECK-LABEL: @element_of_operand(
; CHECK: fadd <2 x float>
define amdgpu_kernel void @element_of_operand(ptr addrspace(1) %out, <2 x float> %a, <2 x float> %b, <2 x float> %x, <2 x float> %y) {
  %z = shufflevector <2 x float> %x, <2 x float> %y, <2 x i32> <i32 0, i32 3>
  %p = fmul contract <2 x float> %a, %b
  %q = fmul contract <2 x float> %z, %p
  %s = fadd contract <2 x float> %z, %p
  %both = shufflevector <2 x float> %q, <2 x float> %s, <2 x i32> <i32 1, i32 2>
  store <2 x float> %both, ptr addrspace(1) %out
  ret void
}

; The negation stays beside what it is a modifier of, as factor and as summand.
; CHECK-LABEL: @in_loop(
; CHECK: loop:
; CHECK: call i32 @llvm.annotation.i32
; CHECK: fneg
; CHECK: call i32 @llvm.annotation.i32
; CHECK: fneg
define amdgpu_kernel void @in_loop(ptr addrspace(1) %p, float %inv, float %off, i32 %n) {
entry:
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  br label %loop
loop:
  %i = phi i32 [ %id, %entry ], [ %j, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %less, %loop ]
  %at = getelementptr float, ptr addrspace(1) %p, i32 %i
  %x = load float, ptr addrspace(1) %at
  %m = fmul contract float %inv, %x
  %less = fsub contract float %sum, %m
  %square = fmul contract float %x, %x
  %other = fsub contract float %square, %off
  store float %other, ptr addrspace(1) %at
  %j = add i32 %i, 64
  %more = icmp slt i32 %j, %n
  br i1 %more, label %loop, label %end
end:
  %last = getelementptr float, ptr addrspace(1) %p, i32 %id
  store float %less, ptr addrspace(1) %last
  ret void
}

declare i32 @llvm.amdgcn.workitem.id.x()
