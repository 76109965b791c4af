; Atomics and volatiles pair only with their equals; fences are never crossed.
; RUN: %opt -passes=meld-cfm -S %s | FileCheck %s

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"

declare i32 @llvm.amdgcn.workitem.id.x()

; CHECK-LABEL: @same(
; CHECK: atomicrmw add
; CHECK-NOT: atomicrmw
; CHECK: ret void
define amdgpu_kernel void @same(ptr addrspace(3) %p, ptr addrspace(3) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %l = atomicrmw add ptr addrspace(3) %p, i32 1 syncscope("workgroup") monotonic
  br label %join
right:
  %r = atomicrmw add ptr addrspace(3) %q, i32 2 syncscope("workgroup") monotonic
  br label %join
join:
  ret void
}

; CHECK-LABEL: @operation_differs(
; CHECK-DAG: atomicrmw add
; CHECK-DAG: atomicrmw umax
define amdgpu_kernel void @operation_differs(ptr addrspace(3) %p, ptr addrspace(3) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %l = atomicrmw add ptr addrspace(3) %p, i32 1 monotonic
  br label %join
right:
  %r = atomicrmw umax ptr addrspace(3) %q, i32 2 monotonic
  br label %join
join:
  ret void
}

; CHECK-LABEL: @scope_differs(
; CHECK-DAG: atomicrmw add {{.*}} syncscope("workgroup")
; CHECK-DAG: atomicrmw add {{.*}} syncscope("agent")
define amdgpu_kernel void @scope_differs(ptr addrspace(3) %p, ptr addrspace(3) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %l = atomicrmw add ptr addrspace(3) %p, i32 1 syncscope("workgroup") monotonic
  br label %join
right:
  %r = atomicrmw add ptr addrspace(3) %q, i32 2 syncscope("agent") monotonic
  br label %join
join:
  ret void
}

; CHECK-LABEL: @ordering_differs(
; CHECK-DAG: atomicrmw add {{.*}} monotonic
; CHECK-DAG: atomicrmw add {{.*}} acquire
define amdgpu_kernel void @ordering_differs(ptr addrspace(3) %p, ptr addrspace(3) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %l = atomicrmw add ptr addrspace(3) %p, i32 1 monotonic
  br label %join
right:
  %r = atomicrmw add ptr addrspace(3) %q, i32 2 acquire
  br label %join
join:
  ret void
}

; CHECK-LABEL: @volatile_differs(
; CHECK-DAG: store volatile i32
; CHECK-DAG: store i32
define amdgpu_kernel void @volatile_differs(ptr addrspace(3) %p, ptr addrspace(3) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  store volatile i32 1, ptr addrspace(3) %p
  br label %join
right:
  store i32 2, ptr addrspace(3) %q
  br label %join
join:
  ret void
}

; Release on the left stays between its own stores.
; CHECK-LABEL: @fence_between(
; CHECK: store i32 %{{.*}}, ptr addrspace(3) %p
; CHECK: br i1 %c
; CHECK: fence release
; CHECK: store i32 %{{.*}}, ptr addrspace(3) %q
define amdgpu_kernel void @fence_between(ptr addrspace(3) %p, ptr addrspace(3) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %a = mul i32 %tid, 3
  store i32 %a, ptr addrspace(3) %p
  fence release
  store i32 1, ptr addrspace(3) %q
  br label %join
right:
  %b = mul i32 %tid, 5
  store i32 %b, ptr addrspace(3) %p
  store i32 2, ptr addrspace(3) %q
  br label %join
join:
  ret void
}

; CHECK-LABEL: @address_spaces(
; CHECK-DAG: store i32 1, ptr addrspace(3)
; CHECK-DAG: store i32 2, ptr addrspace(1)
define amdgpu_kernel void @address_spaces(ptr addrspace(3) %p, ptr addrspace(1) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  store i32 1, ptr addrspace(3) %p
  br label %join
right:
  store i32 2, ptr addrspace(1) %q
  br label %join
join:
  ret void
}
