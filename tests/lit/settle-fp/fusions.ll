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

; A factor from before a loop is not the one that is negated: the negation would be hoisted.
; CHECK-LABEL: @taken_off(
; CHECK: %[[N:.*]] = fneg float %v
; CHECK: call float @llvm.fma.f32(float %k, float %[[N]], float %x)
; CHECK: %[[M:.*]] = fneg float %v
; CHECK: call float @llvm.fma.f32(float %[[M]], float %k,
; CHECK: %[[O:.*]] = fneg float %k
; CHECK: call float @llvm.fma.f32(float %[[O]], float %l,
define float @taken_off(float %k, float %l, ptr %p) #0 {
entry:
  br label %loop
loop:
  %x = phi float [ 0.0, %entry ], [ %c, %loop ]
  %v = load float, ptr %p
  %m = fmul contract float %k, %v
  %a = fsub contract float %x, %m
  %n = fmul contract float %v, %k
  %b = fsub contract float %a, %n
  %o = fmul contract float %k, %l
  %c = fsub contract float %b, %o
  %more = fcmp olt float %c, 1.0
  br i1 %more, label %loop, label %out
out:
  ret float %c
}

attributes #0 = { "target-cpu"="gfx90a" }
