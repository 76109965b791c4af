; Selects that stay: nothing is saved, or an operation must not run for a side that was not chosen.
; RUN: %opt -passes=meld-hoist-selects -S %s | FileCheck %s --implicit-check-not=hoisted

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"

declare i32 @llvm.amdgcn.workitem.id.x()

; A wave that agrees has a scalar select and a scalar sum.
; CHECK-LABEL: @uniform(
; CHECK: %p = select i1 %c, i32 %a, i32 %b
; CHECK-NEXT: %q = add i32 %p, %n
define amdgpu_kernel void @uniform(i32 %a, i32 %b, i32 %n, ptr addrspace(1) %out) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %c = icmp ult i32 %i, 32
  %p = select i1 %c, i32 %a, i32 %b
  %q = add i32 %p, %n
  store volatile i32 %q, ptr addrspace(1) %out
  %next = add i32 %i, 1
  %end = icmp eq i32 %next, %n
  br i1 %end, label %exit, label %loop
exit:
  ret void
}

; The divisor of the side that is not chosen may be zero.
; CHECK-LABEL: @division(
; CHECK: %q = udiv i32 %n, %p
define amdgpu_kernel void @division(i32 %a, i32 %b, i32 %n, ptr addrspace(1) %out) {
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %x = xor i32 %i, %tid
  %c = icmp ult i32 %x, 32
  %p = select i1 %c, i32 %a, i32 %b
  %q = udiv i32 %n, %p
  store volatile i32 %q, ptr addrspace(1) %out
  %next = add i32 %i, 1
  %end = icmp eq i32 %next, %n
  br i1 %end, label %exit, label %loop
exit:
  ret void
}

; The select itself is wanted, too; what is added, or chosen, changes in each round; the result is
; wanted twice.
; CHECK-LABEL: @others(
; CHECK: %p = select i1 %c, i32 %a, i32 %b
; CHECK: %q = add i32 %p, %n
; CHECK: %r = select i1 %c, i32 %a, i32 %b
; CHECK: %s = add i32 %r, %i
; CHECK: %t = select i1 %c, i32 %i, i32 %b
; CHECK: %u = add i32 %t, %n
; CHECK: %v = select i1 %c, i32 %a, i32 %b
; CHECK: %w = add i32 %v, %v
define amdgpu_kernel void @others(i32 %a, i32 %b, i32 %n, ptr addrspace(1) %out) {
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %x = xor i32 %i, %tid
  %c = icmp ult i32 %x, 32
  %p = select i1 %c, i32 %a, i32 %b
  %q = add i32 %p, %n
  store volatile i32 %q, ptr addrspace(1) %out
  store volatile i32 %p, ptr addrspace(1) %out
  %r = select i1 %c, i32 %a, i32 %b
  %s = add i32 %r, %i
  store volatile i32 %s, ptr addrspace(1) %out
  %t = select i1 %c, i32 %i, i32 %b
  %u = add i32 %t, %n
  store volatile i32 %u, ptr addrspace(1) %out
  %v = select i1 %c, i32 %a, i32 %b
  %w = add i32 %v, %v
  store volatile i32 %w, ptr addrspace(1) %out
  %next = add i32 %i, 1
  %end = icmp eq i32 %next, %n
  br i1 %end, label %exit, label %loop
exit:
  ret void
}

; Outside of a loop the operation would be there twice.
; CHECK-LABEL: @straight(
; CHECK: %q = add i32 %p, %n
define amdgpu_kernel void @straight(i32 %a, i32 %b, i32 %n, ptr addrspace(1) %out) {
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %c = icmp ult i32 %tid, 32
  %p = select i1 %c, i32 %a, i32 %b
  %q = add i32 %p, %n
  store i32 %q, ptr addrspace(1) %out
  ret void
}
