; What is noted and no scalar is read, if it is a number of whole registers; what is not noted is not read.
; RUN: %opt -passes=meld-scalar-operands,verify %s -S | FileCheck %s --implicit-check-not=!meld.scalar

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-v96:128-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"

; CHECK-LABEL: @noted(
; CHECK-NEXT: %v = add i32 %t, 3
; CHECK-NEXT: %q = getelementptr i8, ptr addrspace(7) %r, i32 %v
; CHECK-NEXT: [[H:%.*]] = call i32 asm "", "=v,0"(i32 %v)
; CHECK-NEXT: [[R:%.*]] = call i32 @llvm.amdgcn.readfirstlane{{.*}}(i32 [[H]])
; CHECK-NEXT: call void asm sideeffect "", "s,s"(i32 %v, i32 [[R]])
; CHECK-NEXT: call void asm sideeffect "", "s"(i32 %v)
; CHECK-NEXT: call void asm sideeffect "", "v"(i32 %v)
; CHECK-NEXT: call void asm sideeffect "", "s"(ptr addrspace(7) %q)
; CHECK-NEXT: ret void
define void @noted(ptr addrspace(7) %r, i32 %t) {
  %v = add i32 %t, 3
  %q = getelementptr i8, ptr addrspace(7) %r, i32 %v
  call void asm sideeffect "", "s,s"(i32 %v, i32 %v), !meld.scalar.operands !1
  call void asm sideeffect "", "s"(i32 %v)
  call void asm sideeffect "", "v"(i32 %v), !meld.scalar.operands !0
  call void asm sideeffect "", "s"(ptr addrspace(7) %q), !meld.scalar.operands !0
  ret void
}

!0 = !{i32 0}
!1 = !{i32 1}
