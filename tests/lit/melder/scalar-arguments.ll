; Values that must be one for the wave where they are used stay as they are: what both sides make of
; theirs would be one instruction, and the two calls alike.
; RUN: %opt -passes=meld -S %s | FileCheck %s

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"

declare i32 @llvm.amdgcn.workitem.id.x()
declare token @llvm.experimental.convergence.entry() convergent

define i32 @scaled(i32 inreg %by, i32 %x) noinline {
  %r = mul i32 %by, %x
  ret i32 %r
}

; CHECK-LABEL: @prepared(
; CHECK-COUNT-2: call i32 @scaled(
; CHECK-NOT: select
; CHECK: ret void
define amdgpu_kernel void @prepared(ptr addrspace(1) %p, i32 %n, i32 %m) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %l0 = mul i32 %n, %n
  %l1 = udiv i32 %l0, %m
  %l2 = udiv i32 %tid, %l1
  %l3 = call i32 @scaled(i32 inreg %l1, i32 %l2)
  store i32 %l3, ptr addrspace(1) %p
  br label %join
right:
  %r0 = mul i32 %m, %m
  %r1 = udiv i32 %r0, %n
  %r2 = udiv i32 %tid, %r1
  %r3 = call i32 @scaled(i32 inreg %r1, i32 %r2)
  store i32 %r3, ptr addrspace(1) %p
  br label %join
join:
  ret void
}

; Convergence said by tokens: nothing of ours says it so.
; CHECK-LABEL: @tokens(
; CHECK-COUNT-2: udiv
; CHECK: ret void
define amdgpu_kernel void @tokens(ptr addrspace(1) %p, i32 %n, i32 %m) convergent {
  %token = call token @llvm.experimental.convergence.entry()
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %l0 = mul i32 %tid, %n
  %l1 = udiv i32 %l0, 7
  store i32 %l1, ptr addrspace(1) %p
  br label %join
right:
  %r0 = mul i32 %tid, %m
  %r1 = udiv i32 %r0, 7
  store i32 %r1, ptr addrspace(1) %p
  br label %join
join:
  ret void
}
