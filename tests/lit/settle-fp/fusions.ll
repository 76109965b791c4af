; RUN: %opt -passes=meld-settle-fp -S %s | FileCheck %s
; What SITargetLowering and DAGCombiner fuse: a product of the same block, the one of fewer uses
; first. No flag is left, so that nothing behind this may choose again.
target triple = "amdgcn-amd-amdhsa"

; CHECK-LABEL: @sum(
; CHECK: %s = call float @llvm.fma.f32(float %a, float %b, float %c)
; CHECK-NEXT: ret float %s
define float @sum(float %a, float %b, float %c) #0 {
  %m = fmul contract float %a, %b
  %s = fadd contract float %m, %c
  ret float %s
}

; CHECK-LABEL: @no_flag(
; CHECK: fmul float
; CHECK-NEXT: fadd float
define float @no_flag(float %a, float %b, float %c) #0 {
  %m = fmul float %a, %b
  %s = fadd contract float %m, %c
  ret float %s
}

; CHECK-LABEL: @one_element_read(
; CHECK: fmul <2 x float>
; CHECK: fadd <2 x float>
define float @one_element_read(<2 x float> %a, <2 x float> %b) #0 {
  %m = fmul contract <2 x float> %a, %a
  %s = fadd contract <2 x float> %m, %b
  %e = extractelement <2 x float> %s, i64 0
  ret float %e
}

; Where nothing leads, a sum may be its own operand.
; CHECK-LABEL: @unreachable(
; CHECK: fmul <2 x float> %b, %b
; CHECK-NEXT: fadd <2 x float> %s, %m
define void @unreachable(<2 x float> %b) #0 {
  ret void
dead:
  %m = fmul contract <2 x float> %b, %b
  %s = fadd contract <2 x float> %s, %m
  br label %dead
}

attributes #0 = { "target-cpu"="gfx90a" }
