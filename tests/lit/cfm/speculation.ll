; Code of one side alone stays behind the branch unless running it for everyone is safe.
; RUN: %opt -passes=meld-cfm -S %s | FileCheck %s

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"

declare i32 @llvm.amdgcn.workitem.id.x()

; A division whose divisor the other side may hold as zero.
; CHECK-LABEL: @division(
; CHECK: br i1 %c, label %[[ONLY:.*]], label %[[JOIN:.*]]
; CHECK: [[ONLY]]:
; CHECK: udiv i32 100, %x
; CHECK: [[JOIN]]:
; CHECK-NEXT: phi i32 [ %{{.*}}, %[[ONLY]] ], [ poison
define amdgpu_kernel void @division(ptr addrspace(3) %p, i32 %x) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %v = load i32, ptr addrspace(3) %p
  %d = udiv i32 100, %x
  %m = mul i32 %v, %d
  %m1 = mul i32 %m, %v
  store i32 %m1, ptr addrspace(3) %p
  br label %join
right:
  %v2 = load i32, ptr addrspace(3) %p
  %n = mul i32 %v2, 3
  %n1 = mul i32 %n, %v2
  store i32 %n1, ptr addrspace(3) %p
  br label %join
join:
  ret void
}

; A constant divisor is safe, so no branch.
; CHECK-LABEL: @division_by_constant(
; CHECK-NOT: br i1
; CHECK: udiv i32 %x, 100
; CHECK-NOT: br i1
; CHECK: ret void
define amdgpu_kernel void @division_by_constant(ptr addrspace(3) %p, i32 %x) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %v = load i32, ptr addrspace(3) %p
  %d = udiv i32 %x, 100
  %m = mul i32 %v, %d
  %m1 = mul i32 %m, %v
  store i32 %m1, ptr addrspace(3) %p
  br label %join
right:
  %v2 = load i32, ptr addrspace(3) %p
  %n = mul i32 %v2, 3
  %n1 = mul i32 %n, %v2
  store i32 %n1, ptr addrspace(3) %p
  br label %join
join:
  ret void
}

; A load that only one side may do (out of bounds for the other), and a store.
; CHECK-LABEL: @load_and_store(
; CHECK: br i1 %c, label %[[ONLY:.*]], label %[[JOIN:.*]]
; CHECK: [[ONLY]]:
; CHECK: load i32, ptr addrspace(1) %q
; CHECK: store i32 5, ptr addrspace(1) %q
; CHECK: [[JOIN]]:
define amdgpu_kernel void @load_and_store(ptr addrspace(3) %p, ptr addrspace(1) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %v = load i32, ptr addrspace(3) %p
  %a = mul i32 %v, %v
  %x = load i32, ptr addrspace(1) %q
  store i32 5, ptr addrspace(1) %q
  %m = mul i32 %a, %x
  %m1 = mul i32 %m, %v
  store i32 %m1, ptr addrspace(3) %p
  br label %join
right:
  %v2 = load i32, ptr addrspace(3) %p
  %a2 = mul i32 %v2, %v2
  %n = mul i32 %a2, 3
  %n1 = mul i32 %n, %v2
  store i32 %n1, ptr addrspace(3) %p
  br label %join
join:
  ret void
}

; Never a store of a value the thread did not mean to write: sides that store to different addresses get one
; store with a selected address, not two unconditional ones.
; CHECK-LABEL: @one_store(
; CHECK: store i32 %{{.*}}, ptr addrspace(3) %{{.*}}
; CHECK-NOT: store
; CHECK: ret void
define amdgpu_kernel void @one_store(ptr addrspace(3) %p, ptr addrspace(3) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  store i32 1, ptr addrspace(3) %p
  br label %join
right:
  store i32 2, ptr addrspace(3) %q
  br label %join
join:
  ret void
}
