; A sum that stands in front of the loop and promises more than the loop's is another one, and so is
; an address that steps over another type.
; RUN: %opt -passes=meld-hoist-selects -S %s | FileCheck %s

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"

declare i32 @llvm.amdgcn.workitem.id.x()

; CHECK-LABEL: @promises(
; CHECK: %more = add nuw i32 %a, %n
; CHECK: %less = add i32 %b, %n
; CHECK: %[[L:.*]] = add nsw i32 %a, %n
; CHECK: loop:
; CHECK: select i1 %c, i32 %[[L]], i32 %less
define amdgpu_kernel void @promises(i32 %a, i32 %b, i32 %n, ptr addrspace(1) %out) {
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %more = add nuw i32 %a, %n
  %less = add i32 %b, %n
  store volatile i32 %less, ptr addrspace(1) %out
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %x = xor i32 %i, %tid
  %c = icmp ult i32 %x, 32
  %p = select i1 %c, i32 %a, i32 %b
  %q = add nsw i32 %p, %n
  store volatile i32 %q, ptr addrspace(1) %out
  %next = add i32 %i, 1
  %end = icmp eq i32 %next, %n
  br i1 %end, label %exit, label %loop
exit:
  ret void
}

; CHECK-LABEL: @steps(
; CHECK: %other = getelementptr i64, ptr addrspace(3) %a, i32 %tid
; CHECK: %[[L:.*]] = getelementptr i32, ptr addrspace(3) %a, i32 %tid
; CHECK: loop:
; CHECK: select i1 %c, ptr addrspace(3) %[[L]], ptr addrspace(3) %
define amdgpu_kernel void @steps(ptr addrspace(3) %a, ptr addrspace(3) %b, i32 %n) {
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %other = getelementptr i64, ptr addrspace(3) %a, i32 %tid
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %x = xor i32 %i, %tid
  %c = icmp ult i32 %x, 32
  %p = select i1 %c, ptr addrspace(3) %a, ptr addrspace(3) %b
  %q = getelementptr i32, ptr addrspace(3) %p, i32 %tid
  store i32 %i, ptr addrspace(3) %q
  %next = add i32 %i, 1
  %end = icmp eq i32 %next, %n
  br i1 %end, label %exit, label %loop
exit:
  ret void
}
