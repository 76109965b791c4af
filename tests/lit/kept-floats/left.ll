; What meld-kept-floats leaves alone: nothing that is handed on is an operand, or LLVM has no number that would leave it as it is, or
; it is no float.
; RUN: %opt -passes=meld-kept-floats,verify %s -S | FileCheck %s --implicit-check-not=asm

target triple = "amdgcn-amd-amdhsa"

; CHECK-LABEL: @another(
define float @another(i1 %c, float %p, float %q, float %o) {
  %s = fadd float %p, %q
  %r = select i1 %c, float %s, float %o
  ret float %r
}

; CHECK-LABEL: @remainder(
define float @remainder(i1 %c, float %p, float %q) {
  %s = frem float %p, %q
  %r = select i1 %c, float %s, float %p
  ret float %r
}

; A sign is no arithmetic.
; CHECK-LABEL: @negated(
define float @negated(i1 %c, float %p) {
  %s = fneg float %p
  %r = select i1 %c, float %s, float %p
  ret float %r
}

; CHECK-LABEL: @integers(
define i32 @integers(i1 %c, i32 %p, i32 %q) {
  %s = add i32 %p, %q
  %r = select i1 %c, i32 %s, i32 %p
  ret i32 %r
}

; The float is what is asked about.
; CHECK-LABEL: @condition(
define i1 @condition(i1 %c, float %p, float %q) {
  %s = fadd float %p, %q
  %d = fcmp olt float %s, %p
  %r = select i1 %c, i1 %d, i1 %c
  ret i1 %r
}

; Only one is negated: what is handed on is, too.
; CHECK-LABEL: @oneSign(
define float @oneSign(i1 %c, float %p, float %q) {
  %s = fadd float %p, %q
  %m = fneg float %p
  %r = select i1 %c, float %s, float %m
  ret float %r
}

; The other side computes, too.
; CHECK-LABEL: @computed(
define float @computed(i1 %c, float %p, float %q) {
  %s = fadd float %p, %q
  %n = fneg float %s
  %m = fmul float %p, 3.0
  %r = select i1 %c, float %n, float %m
  ret float %r
}

; What both make shorter, or longer, is no word of the other's any more.
; CHECK-LABEL: @shortened(
define half @shortened(i1 %c, float %p, float %q) {
  %s = fadd float %p, %q
  %b = fptrunc float %s to half
  %d = fptrunc float %p to half
  %r = select i1 %c, half %b, half %d
  ret half %r
}

; CHECK-LABEL: @tooWide(
define fp128 @tooWide(i1 %c, fp128 %p, fp128 %q) {
  %s = fadd fp128 %p, %q
  %r = select i1 %c, fp128 %s, fp128 %p
  ret fp128 %r
}

; Nothing reaches it; it has no end.
; CHECK-LABEL: @ofThemselves(
define float @ofThemselves(i1 %c) {
  ret float 0.0
unreached:
  %s = fneg float %s
  %p = fneg float %p
  %r = select i1 %c, float %s, float %p
  ret float %r
}
