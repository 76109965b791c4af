; An address is taken for another that is there only if both step over the same: passes/transform/hoist_selects.cpp.
; RUN: %opt -passes=meld-hoist-selects -S %s | FileCheck %s

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"

declare i32 @llvm.amdgcn.workitem.id.x()

; CHECK-LABEL: @steps(
; CHECK: %byte = getelementptr i8, ptr addrspace(1) %out, i64 %a
; CHECK: [[A:%.*]] = getelementptr i32, ptr addrspace(1) %out, i64 %a
; CHECK: [[B:%.*]] = getelementptr i32, ptr addrspace(1) %out, i64 %b
; CHECK: loop:
; CHECK: select i1 %c, ptr addrspace(1) [[A]], ptr addrspace(1) [[B]]
define amdgpu_kernel void @steps(i64 %a, i64 %b, i32 %n, ptr addrspace(1) %out) {
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %byte = getelementptr i8, ptr addrspace(1) %out, i64 %a
  store volatile i8 1, ptr addrspace(1) %byte
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %x = xor i32 %i, %tid
  %c = icmp ult i32 %x, 32
  %p = select i1 %c, i64 %a, i64 %b
  %q = getelementptr i32, ptr addrspace(1) %out, i64 %p
  store volatile i32 %i, ptr addrspace(1) %q
  %next = add i32 %i, 1
  %end = icmp eq i32 %next, %n
  br i1 %end, label %exit, label %loop
exit:
  ret void
}
