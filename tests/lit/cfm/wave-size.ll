; Which thresholds split a wave depends on the wave: 64 threads on gfx9, 32 on gfx10 unless it is asked for 64;
; and on the shape of the workgroup.
; RUN: %opt -passes=meld-cfm -S %s | FileCheck %s
; RUN: %opt -passes=meld-cfm %s | %llc -mcpu=gfx90a -o /dev/null

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"

declare i32 @llvm.amdgcn.workitem.id.x()

; Wave of 64, rows of 128: thread 64 is a border between waves,
; CHECK-LABEL: @below_64(
; CHECK: br i1 %c, label %left, label %right
; CHECK: ret void
define amdgpu_kernel void @below_64(ptr addrspace(1) %p) !reqd_work_group_size !0 {
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

; from either side,
; CHECK-LABEL: @at_least_64(
; CHECK: br i1 %c, label %left, label %right
; CHECK: ret void
define amdgpu_kernel void @at_least_64(ptr addrspace(1) %p) !reqd_work_group_size !0 {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %q = getelementptr i32, ptr addrspace(1) %p, i32 %tid
  %c = icmp uge i32 %tid, 64
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

; written with the other neighbour,
; CHECK-LABEL: @above_63(
; CHECK: br i1 %c, label %left, label %right
; CHECK: ret void
define amdgpu_kernel void @above_63(ptr addrspace(1) %p) !reqd_work_group_size !0 {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %q = getelementptr i32, ptr addrspace(1) %p, i32 %tid
  %c = icmp sgt i32 %tid, 63
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

; signed,
; CHECK-LABEL: @signed_below_64(
; CHECK: br i1 %c, label %left, label %right
; CHECK: ret void
define amdgpu_kernel void @signed_below_64(ptr addrspace(1) %p) !reqd_work_group_size !0 {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %q = getelementptr i32, ptr addrspace(1) %p, i32 %tid
  %c = icmp slt i32 %tid, 64
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

; but 63 is inside one,
; CHECK-LABEL: @below_63(
; CHECK-NOT: label %left
; CHECK: ret void
define amdgpu_kernel void @below_63(ptr addrspace(1) %p) !reqd_work_group_size !0 {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %q = getelementptr i32, ptr addrspace(1) %p, i32 %tid
  %c = icmp ult i32 %tid, 63
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

; and so is 65.
; CHECK-LABEL: @below_65(
; CHECK-NOT: label %left
; CHECK: ret void
define amdgpu_kernel void @below_65(ptr addrspace(1) %p) !reqd_work_group_size !0 {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %q = getelementptr i32, ptr addrspace(1) %p, i32 %tid
  %c = icmp ult i32 %tid, 65
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

; One thread of a wave is no border.
; CHECK-LABEL: @equal_64(
; CHECK-NOT: label %left
; CHECK: ret void
define amdgpu_kernel void @equal_64(ptr addrspace(1) %p) !reqd_work_group_size !0 {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %q = getelementptr i32, ptr addrspace(1) %p, i32 %tid
  %c = icmp eq i32 %tid, 64
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

; Wave of 32: thread 32 is a border,
; CHECK-LABEL: @wave32_below_32(
; CHECK: br i1 %c, label %left, label %right
; CHECK: ret void
define amdgpu_kernel void @wave32_below_32(ptr addrspace(1) %p) #0 !reqd_work_group_size !0 {
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

; 64 is one,
; CHECK-LABEL: @wave32_below_64(
; CHECK: br i1 %c, label %left, label %right
; CHECK: ret void
define amdgpu_kernel void @wave32_below_64(ptr addrspace(1) %p) #0 !reqd_work_group_size !0 {
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

; 16 is not.
; CHECK-LABEL: @wave32_below_16(
; CHECK-NOT: label %left
; CHECK: ret void
define amdgpu_kernel void @wave32_below_16(ptr addrspace(1) %p) #0 !reqd_work_group_size !0 {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %q = getelementptr i32, ptr addrspace(1) %p, i32 %tid
  %c = icmp ult i32 %tid, 16
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

; gfx1030 in waves of 64: thread 32 is inside.
; CHECK-LABEL: @asked_for_64(
; CHECK-NOT: label %left
; CHECK: ret void
define amdgpu_kernel void @asked_for_64(ptr addrspace(1) %p) #1 !reqd_work_group_size !0 {
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

; gfx1030 in waves of 64: thread 64 is a border.
; CHECK-LABEL: @asked_for_64_border(
; CHECK: br i1 %c, label %left, label %right
; CHECK: ret void
define amdgpu_kernel void @asked_for_64_border(ptr addrspace(1) %p) #1 !reqd_work_group_size !0 {
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

; Rows of 96: a wave holds the end of one row and the start of the next, so thread 64 splits waves.
; CHECK-LABEL: @ragged_rows(
; CHECK-NOT: label %left
; CHECK: ret void
define amdgpu_kernel void @ragged_rows(ptr addrspace(1) %p) !reqd_work_group_size !1 {
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

; Two rows of 32 a wave: everything on x splits.
; CHECK-LABEL: @short_rows(
; CHECK-NOT: label %left
; CHECK: ret void
define amdgpu_kernel void @short_rows(ptr addrspace(1) %p) !reqd_work_group_size !2 {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %q = getelementptr i32, ptr addrspace(1) %p, i32 %tid
  %c = icmp ult i32 %tid, 16
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
attributes #1 = { "target-cpu"="gfx1030" "target-features"="+wavefrontsize64,-wavefrontsize32" }
!0 = !{i32 128, i32 1, i32 1}
!1 = !{i32 96, i32 2, i32 1}
!2 = !{i32 32, i32 4, i32 1}
