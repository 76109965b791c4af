; What no two registers hold is left alone (LLVM 15 makes no code for it anyway).
; RUN: %opt -passes=meld-unsigned-division %s -S | FileCheck %s

target triple = "amdgcn-amd-amdhsa"

; CHECK-LABEL: @wide(
; CHECK-NOT: asm
; CHECK: ret i128
define i128 @wide(i32 %x, i32 %y) {
  %a = sext i32 %x to i128
  %b = sext i32 %y to i128
  %q = udiv i128 %a, %b
  ret i128 %q
}

; CHECK-LABEL: @vector(
; CHECK-NOT: asm
; CHECK: ret <2 x i128>
define <2 x i128> @vector(<2 x i32> %x, <2 x i32> %y) {
  %a = sext <2 x i32> %x to <2 x i128>
  %b = sext <2 x i32> %y to <2 x i128>
  %q = udiv <2 x i128> %a, %b
  ret <2 x i128> %q
}
