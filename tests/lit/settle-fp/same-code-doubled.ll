; UNSUPPORTED: llvm-before-17
; RUN: %llc -mcpu=gfx90a %s | sed 's/;.*//' > %t.original
; RUN: %opt -passes=meld-settle-fp -S %s > %t.ll
; RUN: %llc -mcpu=gfx90a %t.ll | sed 's/;.*//' > %t.settled
; RUN: diff %t.original %t.settled
; RUN: FileCheck %s < %t.ll
; From LLVM 17 on a product that is doubled, in whichever way, is not fused with itself (before:
; same-code-before-17.ll).
target triple = "amdgcn-amd-amdhsa"

; CHECK-LABEL: @doubled(
; CHECK: %p = fmul float %a, %b
; CHECK: %d = fmul float %p, 2.0
define amdgpu_kernel void @doubled(ptr addrspace(1) %out, float %a, float %b) {
  %p = fmul contract float %a, %b
  %d = fmul contract float %p, 2.0
  store volatile float %d, ptr addrspace(1) %out
  ret void
}

; CHECK-LABEL: @added_to_itself(
; CHECK: %p = fmul float %a, %b
; CHECK: %d = fadd float %p, %p
define amdgpu_kernel void @added_to_itself(ptr addrspace(1) %out, float %a, float %b) {
  %p = fmul contract float %a, %b
  %d = fadd contract float %p, %p
  store volatile float %d, ptr addrspace(1) %out
  ret void
}

; CHECK-LABEL: @doubled_element(
; CHECK: %t = fmul float %e, 2.0
define amdgpu_kernel void @doubled_element(ptr addrspace(1) %out, <2 x float> %x, <2 x float> %y) {
  %v = fmul contract <2 x float> %x, %y
  %e = extractelement <2 x float> %v, i64 1
  %t = fmul contract float %e, 2.0
  store volatile float %t, ptr addrspace(1) %out
  ret void
}

; It is still the product of a sum that it goes into.
; CHECK-LABEL: @doubled_in_sum(
; CHECK: call float @llvm.fma.f32(float %{{.*}}, float 2.000000e+00, float %c)
define amdgpu_kernel void @doubled_in_sum(ptr addrspace(1) %out, float %a, float %b, float %c) {
  %p = fmul contract float %a, %b
  %d = fmul contract float %p, 2.0
  %s = fadd contract float %d, %c
  store volatile float %s, ptr addrspace(1) %out
  ret void
}

; The product may be read elsewhere, too.
; CHECK-LABEL: @product_read_too(
; CHECK: %d = fmul float %p, 2.0
define amdgpu_kernel void @product_read_too(ptr addrspace(1) %out, float %a, float %b) {
  %p = fmul contract float %a, %b
  %d = fmul contract float %p, 2.0
  store volatile float %p, ptr addrspace(1) %out
  store volatile float %d, ptr addrspace(1) %out
  ret void
}
