; What some lanes hand on as it is does not become an operand of what others compute (passes/llvm_fixes/kept_floats.h): LLVM before 19
; makes `fadd %p, (select %c, %q, -0.0)` of these, and then no signalling NaN comes through.
; RUN: %opt -passes=meld-kept-floats,verify %s -S | FileCheck %s
; RUN: %opt -passes=meld-kept-floats,instcombine %s -S | FileCheck %s --check-prefix=LATER --implicit-check-not='select i1 %c, {{[^,]*}}, {{.*}}00'
; RUN: %opt -passes=meld-kept-floats %s -S | %llc -mcpu=gfx90a | FileCheck %s --check-prefix=ISA

target triple = "amdgcn-amd-amdhsa"

; CHECK-LABEL: @sum(
; CHECK:         %s = fadd float %p, %q
; CHECK-NEXT:    [[BITS:%.*]] = bitcast float %s to i32
; CHECK-NEXT:    [[SAME:%.*]] = call i32 asm "", "=v,0"(i32 [[BITS]])
; CHECK-NEXT:    [[FLOAT:%.*]] = bitcast i32 [[SAME]] to float
; CHECK-NEXT:    select i1 %c, float [[FLOAT]], float %p
; LATER-LABEL: @sum(
; LATER:         select i1 %c, float {{%.*}}, float %p
; ISA-LABEL:   sum:
; ISA:         v_add_f32
; ISA:         v_cndmask_b32
define float @sum(i1 %c, float %p, float %q) {
  %s = fadd float %p, %q
  %r = select i1 %c, float %s, float %p
  ret float %r
}

; CHECK-LABEL: @onTheOtherSide(
; CHECK:         [[FLOAT:%.*]] = bitcast i32 {{%.*}} to float
; CHECK-NEXT:    select i1 %c, float %p, float [[FLOAT]]
; LATER-LABEL: @onTheOtherSide(
; LATER:         select i1 %c, float %p, float
define float @onTheOtherSide(i1 %c, float %p, float %q) {
  %s = fadd float %q, %p
  %r = select i1 %c, float %p, float %s
  ret float %r
}

; CHECK-LABEL: @difference(
; CHECK:         asm
; LATER-LABEL: @difference(
; LATER:         select i1 %c, float {{%.*}}, float %p
define float @difference(i1 %c, float %p, float %q) {
  %s = fsub float %p, %q
  %r = select i1 %c, float %s, float %p
  ret float %r
}

; CHECK-LABEL: @product(
; CHECK:         call i64 asm "", "=v,0"(i64
; LATER-LABEL: @product(
; LATER:         select i1 %c, double {{%.*}}, double %p
define double @product(i1 %c, double %p, double %q) {
  %s = fmul double %q, %p
  %r = select i1 %c, double %s, double %p
  ret double %r
}

; CHECK-LABEL: @quotient(
; CHECK:         asm
; LATER-LABEL: @quotient(
; LATER:         select i1 %c, half {{%.*}}, half %p
define half @quotient(i1 %c, half %p, half %q) {
  %s = fdiv half %p, %q
  %r = select i1 %c, half %s, half %p
  ret half %r
}

; CHECK-LABEL: @pair(
; CHECK:         call i32 asm "", "=v,0"(i32
; CHECK-NOT:     asm
; LATER-LABEL: @pair(
; LATER:         select i1 %c, <2 x half> {{%.*}}, <2 x half> %p
define <2 x half> @pair(i1 %c, <2 x half> %p, <2 x half> %q) {
  %s = fadd <2 x half> %p, %q
  %r = select i1 %c, <2 x half> %s, <2 x half> %p
  ret <2 x half> %r
}

; CHECK-LABEL: @words(
; CHECK-COUNT-3: call i32 asm "", "=v,0"(i32
; LATER-LABEL: @words(
; LATER:         select i1 %c, <3 x float> {{%.*}}, <3 x float> %p
define <3 x float> @words(i1 %c, <3 x float> %p, <3 x float> %q) {
  %s = fadd <3 x float> %p, %q
  %r = select i1 %c, <3 x float> %s, <3 x float> %p
  ret <3 x float> %r
}

; CHECK-LABEL: @noWholeWords(
; CHECK-COUNT-5: call i32 asm "", "=v,0"(i32
; LATER-LABEL: @noWholeWords(
; LATER:         select i1 %c, <5 x half> {{%.*}}, <5 x half> %p
define <5 x half> @noWholeWords(i1 %c, <5 x half> %p, <5 x half> %q) {
  %s = fadd <5 x half> %p, %q
  %r = select i1 %c, <5 x half> %s, <5 x half> %p
  ret <5 x half> %r
}

; Each element has a condition.
; CHECK-LABEL: @conditions(
; CHECK:         call i64 asm "", "=v,0"(i64
; LATER-LABEL: @conditions(
; LATER:         select <2 x i1> %c, <2 x float> {{%.*}}, <2 x float> %p
define <2 x float> @conditions(<2 x i1> %c, <2 x float> %p, <2 x float> %q) {
  %s = fmul <2 x float> %p, %q
  %r = select <2 x i1> %c, <2 x float> %s, <2 x float> %p
  ret <2 x float> %r
}

; The other users of the sum keep it.
; CHECK-LABEL: @used(
; CHECK:         %s = fadd float %p, %q
; CHECK:         [[FLOAT:%.*]] = bitcast i32 {{%.*}} to float
; CHECK-NEXT:    %r = select i1 %c, float [[FLOAT]], float %p
; CHECK-NEXT:    fmul float %r, %s
define float @used(i1 %c, float %p, float %q) {
  %s = fadd float %p, %q
  %r = select i1 %c, float %s, float %p
  %t = fmul float %r, %s
  ret float %t
}

; LLVM selects what both sides have made words, or negated, before they do so.
; CHECK-LABEL: @bits(
; CHECK:         [[SAME:%.*]] = call i32 asm "", "=v,0"(i32
; CHECK-NEXT:    [[FLOAT:%.*]] = bitcast i32 [[SAME]] to float
; CHECK-NEXT:    %n = fneg float [[FLOAT]]
; CHECK-NEXT:    %b = bitcast float %n to i32
; LATER-LABEL: @bits(
; LATER:         select i1 %c, float {{%.*}}, float %p
define i32 @bits(i1 %c, float %p, float %q) {
  %s = fadd float %p, %q
  %n = fneg float %s
  %b = bitcast float %n to i32
  %m = fneg float %p
  %d = bitcast float %m to i32
  %r = select i1 %c, i32 %b, i32 %d
  ret i32 %r
}

; CHECK-LABEL: @twoChoices(
; CHECK:         asm
; CHECK-NOT:     asm
; CHECK:         ret
define i32 @twoChoices(i1 %c, i1 %d, float %p, float %q) {
  %s = fadd float %p, %q
  %b = bitcast float %s to i32
  %w = bitcast float %p to i32
  %r = select i1 %c, i32 %b, i32 %w
  %t = select i1 %d, i32 %b, i32 %w
  %u = mul i32 %r, %t
  ret i32 %u
}
