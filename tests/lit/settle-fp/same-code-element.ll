; REQUIRES: llvm-before-17
; RUN: %llc -mcpu=gfx90a %s | sed 's/;.*//' > %t.original
; RUN: %opt -passes=meld-settle-fp -S %s > %t.ll
; RUN: %llc -mcpu=gfx90a %t.ll | sed 's/;.*//' > %t.settled
; RUN: diff %t.original %t.settled
; RUN: FileCheck %s < %t.ll
; As in same-code.ll. LLVM 17 computes the element that goes on alone once it stands behind a freeze: other
; instructions, the same value.
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
; itself. From LLVM 17 on it is not fused.
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
