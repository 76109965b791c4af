; The work-group's size is read from the dispatch packet; ids have ranges; the shape that is given to the kernel for what runs
; behind it is gone at the end, since the host would refuse other launches by it.
; RUN: %opt -mcpu=gfx90a -passes='meld-specialize' -S %s | FileCheck %s

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-i16:16-v16:16-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"

declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.workitem.id.y()
declare ptr addrspace(4) @llvm.amdgcn.dispatch.ptr()

; CHECK-LABEL: @stride(
; CHECK-SAME: !reqd_work_group_size
; CHECK: call i32 @llvm.amdgcn.workitem.id.x(), !range ![[X:[0-9]+]]
; CHECK-NOT: dispatch.ptr
; CHECK-NOT: workitem.id.y
; CHECK: zext i16 64 to i32
define amdgpu_kernel void @stride(ptr addrspace(1) %p) "meld-facts"="workgroup 64 1 1" {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %y = call i32 @llvm.amdgcn.workitem.id.y()
  %packet = call ptr addrspace(4) @llvm.amdgcn.dispatch.ptr()
  %at = getelementptr i8, ptr addrspace(4) %packet, i64 4
  %size = load i16, ptr addrspace(4) %at
  %wide = zext i16 %size to i32
  br label %body
body:
  %i = phi i32 [ %x, %entry ], [ %next, %body ]
  %q = getelementptr i32, ptr addrspace(1) %p, i32 %i
  store i32 %y, ptr addrspace(1) %q
  %next = add i32 %i, %wide
  %rest = urem i32 %next, %wide
  %more = icmp ult i32 %rest, 7
  br i1 %more, label %body, label %out
out:
  ret void
}

declare i32 @llvm.amdgcn.workgroup.id.x()
declare i32 @llvm.amdgcn.workgroup.id.y()
declare i32 @llvm.umin.i32(i32, i32)

; blockDim as HIP's headers compute it: a constant where every group is a full one.
; CHECK-LABEL: @full(
; CHECK: urem i32 %x, 256
define amdgpu_kernel void @full(ptr addrspace(1) %p) "meld-facts"="workgroup 256 1 1; full-groups" {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %g = call i32 @llvm.amdgcn.workgroup.id.x()
  %packet = call ptr addrspace(4) @llvm.amdgcn.dispatch.ptr()
  %a = getelementptr i8, ptr addrspace(4) %packet, i64 12
  %grid = load i32, ptr addrspace(4) %a
  %b = getelementptr i8, ptr addrspace(4) %packet, i64 4
  %s = load i16, ptr addrspace(4) %b
  %size = zext i16 %s to i32
  %before = mul i32 %g, %size
  %rest = sub i32 %grid, %before
  %dim = call i32 @llvm.umin.i32(i32 %rest, i32 %size)
  %r = urem i32 %x, %dim
  store i32 %r, ptr addrspace(1) %p
  ret void
}

; Nothing says that the last group is full.
; CHECK-LABEL: @ragged(
; CHECK: urem i32 %x, %dim
define amdgpu_kernel void @ragged(ptr addrspace(1) %p) "meld-facts"="workgroup 256 1 1" {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %g = call i32 @llvm.amdgcn.workgroup.id.x()
  %packet = call ptr addrspace(4) @llvm.amdgcn.dispatch.ptr()
  %a = getelementptr i8, ptr addrspace(4) %packet, i64 12
  %grid = load i32, ptr addrspace(4) %a
  %b = getelementptr i8, ptr addrspace(4) %packet, i64 4
  %s = load i16, ptr addrspace(4) %b
  %size = zext i16 %s to i32
  %before = mul i32 %g, %size
  %rest = sub i32 %grid, %before
  %dim = call i32 @llvm.umin.i32(i32 %rest, i32 %size)
  %r = urem i32 %x, %dim
  store i32 %r, ptr addrspace(1) %p
  ret void
}

; What is left in x, counted by the groups in y.
; CHECK-LABEL: @mixed(
; CHECK: urem i32 %x, %dim
define amdgpu_kernel void @mixed(ptr addrspace(1) %p) "meld-facts"="workgroup 256 1 1; full-groups" {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %g = call i32 @llvm.amdgcn.workgroup.id.y()
  %packet = call ptr addrspace(4) @llvm.amdgcn.dispatch.ptr()
  %a = getelementptr i8, ptr addrspace(4) %packet, i64 12
  %grid = load i32, ptr addrspace(4) %a
  %b = getelementptr i8, ptr addrspace(4) %packet, i64 4
  %s = load i16, ptr addrspace(4) %b
  %size = zext i16 %s to i32
  %before = mul i32 %g, %size
  %rest = sub i32 %grid, %before
  %dim = call i32 @llvm.umin.i32(i32 %rest, i32 %size)
  %r = urem i32 %x, %dim
  store i32 %r, ptr addrspace(1) %p
  ret void
}

; CHECK: ![[X]] = !{i32 0, i32 64}
