; LLVM (15, 17) divides numbers of 64 bits of which 32 are enough as floats of 24 bits: passes/llvm_fixes/unsigned_division.h.
; UNSUPPORTED: llvm-from-19
; RUN: %opt -passes=meld-unsigned-division,verify %s -S | FileCheck %s
; RUN: %opt -passes=meld-unsigned-division %s -S | %llc -O3 -mcpu=gfx90a | FileCheck %s --check-prefix=ISA

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"

; 16777217 / 1 is 16777217, which is no float.
; CHECK-LABEL: @signed(
; CHECK: [[H:%.*]] = call i64 asm "", "=v,0"(i64 %a)
; CHECK-NEXT: sdiv i64 [[H]], %b
; ISA-LABEL: {{^}}signed:
; ISA: v_{{mad_u64_u32|mul_hi_u32}}
; ISA: s_setpc_b64
define i64 @signed(i32 %x, i32 %y) {
  %a = sext i32 %x to i64
  %b = sext i32 %y to i64
  %q = sdiv i64 %a, %b
  ret i64 %q
}

; 25 bits, and 24 with a sign, are too many; the divisor's count, too.
; CHECK-LABEL: @bits(
; CHECK: asm "", "=v,0"(i64 %a)
; CHECK: asm "", "=v,0"(i64 %n)
; CHECK: asm "", "=v,0"(i64 %d)
; CHECK: ret i64
; ISA-LABEL: {{^}}bits:
; ISA: s_setpc_b64
define i64 @bits(i64 %x, i64 %n, i64 %z) {
  %a = and i64 %x, 33554431
  %b = and i64 %n, 16777215
  %q = udiv i64 %a, %b
  %c = and i64 %z, 4294967295
  %r = urem i64 %n, %c
  %e = shl i64 %z, 39
  %d = ashr i64 %e, 39
  %s = srem i64 %d, 7
  %1 = add i64 %q, %r
  %2 = add i64 %1, %s
  ret i64 %2
}

; CHECK-LABEL: @elements(
; CHECK-COUNT-2: call i64 asm "", "=v,0"(i64
; CHECK: sdiv <2 x i64>
; ISA-LABEL: {{^}}elements:
; ISA: s_setpc_b64
define <2 x i64> @elements(<2 x i32> %x, <2 x i32> %y) {
  %a = sext <2 x i32> %x to <2 x i64>
  %b = zext <2 x i32> %y to <2 x i64>
  %q = sdiv <2 x i64> %a, %b
  ret <2 x i64> %q
}

; 24 bits, or 23 and a sign, are right; numbers of 64 bits are.
; CHECK-LABEL: @left(
; CHECK-NOT: asm
; CHECK: ret i64
; ISA-LABEL: {{^}}left:
; ISA: s_setpc_b64
define i64 @left(i64 %x, i64 %y) {
  %a = and i64 %x, 16777215
  %b = and i64 %y, 16777215
  %q = udiv i64 %a, %b
  %c = shl i64 %x, 41
  %d = ashr i64 %c, 41
  %s = srem i64 %d, 7
  %w = udiv i64 %x, %y
  %1 = add i64 %q, %s
  %2 = add i64 %1, %w
  ret i64 %2
}

; One element of few bits, and one of many: of the one LLVM may know more than of both.
; CHECK-LABEL: @oneElement(
; CHECK-COUNT-2: call i64 asm "", "=v,0"(i64
; CHECK: sdiv <2 x i64>
; ISA-LABEL: {{^}}oneElement:
; ISA: s_setpc_b64
define <2 x i64> @oneElement(i32 %x, i64 %n, <2 x i64> %y) {
  %s = sext i32 %x to i64
  %a = insertelement <2 x i64> undef, i64 %s, i32 0
  %b = insertelement <2 x i64> %a, i64 %n, i32 1
  %q = sdiv <2 x i64> %b, %y
  ret <2 x i64> %q
}
