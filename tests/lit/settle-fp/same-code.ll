; RUN: %llc -mcpu=gfx90a %s | sed 's/;.*//' > %t.original
; RUN: %opt -passes=meld-settle-fp -S %s > %t.ll
; RUN: %llc -mcpu=gfx90a %t.ll | sed 's/;.*//' > %t.settled
; RUN: diff %t.original %t.settled
; RUN: FileCheck %s < %t.ll
; What is settled gives the machine code that code generation makes of the flags: sums of vectors of
; which a shuffle reads some elements, negations. What newer LLVM has in other registers is in same-operations.ll.
target triple = "amdgcn-amd-amdhsa"

; All elements are read: fused.
; CHECK-LABEL: @turned(
; CHECK-NOT: fadd
; CHECK: call <2 x float> @llvm.fma.v2f32(
define amdgpu_kernel void @turned(ptr addrspace(1) %out, <2 x float> %a, float %b, float %c, <2 x float> %x) {
  %b0 = insertelement <2 x float> poison, float %b, i64 0
  %b1 = insertelement <2 x float> %b0, float %c, i64 1
  %p = fmul contract <2 x float> %a, %b1
  %s = fadd contract <2 x float> %x, %p
  %both = shufflevector <2 x float> %s, <2 x float> poison, <2 x i32> <i32 1, i32 0>
  store <2 x float> %both, ptr addrspace(1) %out
  ret void
}

; The negation of a product with a constant goes into the constant.
; CHECK-LABEL: @constant_factor(
; CHECK: %p = fmul float %a, -2.500000e-01
; CHECK: call float @llvm.fma.f32(float %p, float 2.000000e+00, float 1.000000e+00)
define amdgpu_kernel void @constant_factor(ptr addrspace(1) %out, float %a) {
  %p = fmul contract float %a, 0.25
  %q = fmul contract float %p, 2.0
  %s = fsub contract float 1.0, %q
  store float %s, ptr addrspace(1) %out
  ret void
}

; Negations of one value in two blocks stay two: in front of them they would be one, which the second
; block waits for.
; CHECK-LABEL: @negated_twice(
; CHECK: call i32 @llvm.annotation.i32
; CHECK: fneg
; CHECK: then:
; CHECK: call i32 @llvm.annotation.i32
; CHECK: fneg
define amdgpu_kernel void @negated_twice(ptr addrspace(1) %out, float %k) {
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  %at = getelementptr float, ptr addrspace(1) %out, i32 %id
  %a = load volatile float, ptr addrspace(1) %at
  %b = load volatile float, ptr addrspace(1) %at
  %c = load volatile float, ptr addrspace(1) %at
  %p = fmul contract float %a, %b
  %near = fsub contract float %c, %p
  store volatile float %near, ptr addrspace(1) %at
  %small = fcmp olt float %near, 4.0
  br i1 %small, label %then, label %end
then:
  %q = fmul contract float %a, %near
  %far = fsub contract float %c, %q
  store volatile float %far, ptr addrspace(1) %at
  br label %end
end:
  ret void
}

declare i32 @llvm.amdgcn.workitem.id.x()
; A product that one sum of its own block reads and one behind it: it stands there for both, and the
; second sum is not fused, although the first has taken its own copy of it.
; CHECK-LABEL: @read_behind_too(
; CHECK: %near = call float @llvm.fma.f32(float %a, float %a, float %c)
; CHECK: %far = fadd float %p, %d
define amdgpu_kernel void @read_behind_too(ptr addrspace(1) %out, float %a, float %c, float %d) {
  %p = fmul contract float %a, %a
  %near = fadd contract float %p, %c
  store volatile float %near, ptr addrspace(1) %out
  %small = fcmp olt float %near, 4.0
  br i1 %small, label %then, label %end
then:
  %far = fadd contract float %p, %d
  store volatile float %far, ptr addrspace(1) %out
  br label %end
end:
  ret void
}

; Read behind its block alone: it sinks there.
; CHECK-LABEL: @read_behind(
; CHECK: %far = call float @llvm.fma.f32(float %a, float %a, float %d)
define amdgpu_kernel void @read_behind(ptr addrspace(1) %out, float %a, float %c, float %d) {
  %p = fmul contract float %a, %a
  %small = fcmp olt float %c, 4.0
  br i1 %small, label %then, label %end
then:
  %far = fadd contract float %p, %d
  store volatile float %far, ptr addrspace(1) %out
  br label %end
end:
  ret void
}

