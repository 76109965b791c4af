; Branches that do not diverge within a wave stay, however alike their sides are.
; RUN: %opt -passes=meld-cfm -S %s | FileCheck %s

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"

declare i32 @llvm.amdgcn.workitem.id.x()

; CHECK-LABEL: @argument(
; CHECK: br i1 %c, label %left, label %right
define amdgpu_kernel void @argument(ptr addrspace(1) %p, i32 %n) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %q = getelementptr i32, ptr addrspace(1) %p, i32 %tid
  %c = icmp eq i32 %n, 3
  br i1 %c, label %left, label %right
left:
  %l = load i32, ptr addrspace(1) %q
  %l1 = mul i32 %l, 3
  store i32 %l1, ptr addrspace(1) %q
  br label %join
right:
  %r = load i32, ptr addrspace(1) %q
  %r1 = mul i32 %r, 5
  store i32 %r1, ptr addrspace(1) %q
  br label %join
join:
  ret void
}

; One row of 128: tid < 64 is one answer per wave of 64.
; CHECK-LABEL: @threshold(
; CHECK: br i1 %c, label %left, label %right
define amdgpu_kernel void @threshold(ptr addrspace(1) %p) !reqd_work_group_size !0 {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %q = getelementptr i32, ptr addrspace(1) %p, i32 %tid
  %c = icmp ult i32 %tid, 64
  br i1 %c, label %left, label %right
left:
  %l = load i32, ptr addrspace(1) %q
  %l1 = mul i32 %l, 3
  store i32 %l1, ptr addrspace(1) %q
  br label %join
right:
  %r = load i32, ptr addrspace(1) %q
  %r1 = mul i32 %r, 5
  store i32 %r1, ptr addrspace(1) %q
  br label %join
join:
  ret void
}

; 32 is inside a wave of 64: this one diverges and is melded.
; CHECK-LABEL: @splitting_threshold(
; CHECK-NOT: label %left
; CHECK: ret void
define amdgpu_kernel void @splitting_threshold(ptr addrspace(1) %p) !reqd_work_group_size !0 {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %q = getelementptr i32, ptr addrspace(1) %p, i32 %tid
  %c = icmp ult i32 %tid, 32
  br i1 %c, label %left, label %right
left:
  %l = load i32, ptr addrspace(1) %q
  %l1 = mul i32 %l, 3
  store i32 %l1, ptr addrspace(1) %q
  br label %join
right:
  %r = load i32, ptr addrspace(1) %q
  %r1 = mul i32 %r, 5
  store i32 %r1, ptr addrspace(1) %q
  br label %join
join:
  ret void
}

; In waves of 32 a threshold of 32 does not split: gfx1030 keeps its branch.
; CHECK-LABEL: @wave32(
; CHECK: br i1 %c, label %left, label %right
define amdgpu_kernel void @wave32(ptr addrspace(1) %p) #0 !reqd_work_group_size !0 {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %q = getelementptr i32, ptr addrspace(1) %p, i32 %tid
  %c = icmp ult i32 %tid, 32
  br i1 %c, label %left, label %right
left:
  %l = load i32, ptr addrspace(1) %q
  %l1 = mul i32 %l, 3
  store i32 %l1, ptr addrspace(1) %q
  br label %join
right:
  %r = load i32, ptr addrspace(1) %q
  %r1 = mul i32 %r, 5
  store i32 %r1, ptr addrspace(1) %q
  br label %join
join:
  ret void
}

attributes #0 = { "target-cpu"="gfx1030" }
!0 = !{i32 128, i32 1, i32 1}
