; REQUIRES: llvm-before-17
; RUN: %llc -mcpu=gfx90a %s | sed 's/;.*//' > %t.original
; RUN: %opt -passes=meld-settle-fp -S %s > %t.ll
; RUN: %llc -mcpu=gfx90a %t.ll | sed 's/;.*//' > %t.settled
; RUN: diff %t.original %t.settled
; RUN: FileCheck %s < %t.ll
; As in same-code.ll, for what LLVM 17 does in another way. It computes the element that goes on alone once it
; stands behind a freeze: other instructions, the same value. And a product that is doubled is no longer fused
; with itself (same-code-doubled.ll).
target triple = "amdgcn-amd-amdhsa"

; One element of the product goes on beside the sum: behind it the product was used twice when the
; code generator looked at the element, and is a vector; before it, it is not.
; CHECK-LABEL: @element_behind(
; CHECK: %p = fmul <2 x float>
; CHECK: %[[F:.*]] = freeze <2 x float> %p
; CHECK: extractelement <2 x float> %[[F]], i64 1
define amdgpu_kernel void @element_behind(ptr addrspace(1) %out, ptr addrspace(1) %q, <2 x float> %b, <2 x float> %x, float %y) {
  %a = load <2 x float>, ptr addrspace(1) %q
  %p = fmul contract <2 x float> %a, %b
  %s = fadd contract <2 x float> %p, %x
  store <2 x float> %s, ptr addrspace(1) %out
  %e = extractelement <2 x float> %p, i64 1
  %t = fadd contract float %e, %y
  store float %t, ptr addrspace(1) %q
  ret void
}

; CHECK-LABEL: @element_before(
; CHECK-NOT: freeze
; CHECK: ret void
define amdgpu_kernel void @element_before(ptr addrspace(1) %out, ptr addrspace(1) %q, <2 x float> %b, <2 x float> %x, float %y) {
  %a = load <2 x float>, ptr addrspace(1) %q
  %p = fmul contract <2 x float> %a, %b
  %e = extractelement <2 x float> %p, i64 1
  %t = fadd float %e, %y
  %s = fadd contract <2 x float> %p, %x
  store <2 x float> %s, ptr addrspace(1) %out
  store float %t, ptr addrspace(1) %q
  ret void
}

; Twice a product of vectors of which one element is read: that element's alone is made, and fused with
; itself.
; CHECK-LABEL: @doubled_element(
; CHECK: %[[L:.*]] = extractelement <2 x float> %x, i64 1
; CHECK: %[[R:.*]] = extractelement <2 x float> %y, i64 1
; CHECK: %[[P:.*]] = fmul float %[[L]], %[[R]]
; CHECK: call float @llvm.fma.f32(float %[[L]], float %[[R]], float %[[P]])
define amdgpu_kernel void @doubled_element(ptr addrspace(1) %out, <2 x float> %x, <2 x float> %y) {
  %v = fmul contract <2 x float> %x, %y
  %e = extractelement <2 x float> %v, i64 1
  %t = fmul contract float %e, 2.0
  store volatile float %t, ptr addrspace(1) %out
  ret void
}

; Twice a product is a sum of it and itself, which is fused.
; CHECK-LABEL: @doubled(
; CHECK: %p = fmul float %a, %b
; CHECK: %d = call float @llvm.fma.f32(float %a, float %b, float %p)
define amdgpu_kernel void @doubled(ptr addrspace(1) %out, float %a, float %b) {
  %p = fmul contract float %a, %b
  %d = fmul contract float %p, 2.0
  store volatile float %d, ptr addrspace(1) %out
  ret void
}

; A doubled product that goes into a sum is that sum's product.
; CHECK-LABEL: @doubled_in_sum(
; CHECK: %p = fmul float %a, %b
; CHECK-NEXT: %s = call float @llvm.fma.f32(float %p, float 2.000000e+00, float %c)
define amdgpu_kernel void @doubled_in_sum(ptr addrspace(1) %out, float %a, float %b, float %c) {
  %p = fmul contract float %a, %b
  %d = fmul contract float %p, 2.0
  %s = fadd contract float %d, %c
  store volatile float %s, ptr addrspace(1) %out
  ret void
}

; The same written as a sum.
; CHECK-LABEL: @added_to_itself(
; CHECK: %p = fmul float %a, %b
; CHECK: %d = call float @llvm.fma.f32(float %a, float %b, float %p)
define amdgpu_kernel void @added_to_itself(ptr addrspace(1) %out, float %a, float %b) {
  %p = fmul contract float %a, %b
  %d = fadd contract float %p, %p
  store volatile float %d, ptr addrspace(1) %out
  ret void
}
