; The grid's size is read from the dispatch packet; the only group of a dimension has the id 0; ids of groups have ranges.
; RUN: %opt -mcpu=gfx90a -passes='meld-specialize' -S %s | FileCheck %s

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-i16:16-v16:16-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"

declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.workgroup.id.x()
declare i32 @llvm.amdgcn.workgroup.id.y()
declare ptr addrspace(4) @llvm.amdgcn.dispatch.ptr()

; A grid stride, as HIP's headers compute it: number of groups times their size. Neither of both is a step alone.
; CHECK-LABEL: @stride(
; CHECK-SAME: !reqd_work_group_size
; CHECK: call i32 @llvm.amdgcn.workgroup.id.x(), !range ![[GROUPS:[0-9]+]]
; CHECK-NOT: dispatch.ptr
; CHECK: udiv i32 4000, %size
; CHECK: icmp ult i32 %next, 4000
define amdgpu_kernel void @stride(ptr addrspace(1) %p, i32 %n) "meld-facts"="argument 8 4 0xfa0; workgroup 256 1 1; grid 0 4000" {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %g = call i32 @llvm.amdgcn.workgroup.id.x()
  %packet = call ptr addrspace(4) @llvm.amdgcn.dispatch.ptr()
  %a = getelementptr i8, ptr addrspace(4) %packet, i64 4
  %s = load i16, ptr addrspace(4) %a
  %size = zext i16 %s to i32
  %b = getelementptr i8, ptr addrspace(4) %packet, i64 12
  %grid = load i32, ptr addrspace(4) %b
  %groups = udiv i32 %grid, %size
  %step = mul i32 %groups, %size
  %row = mul i32 %g, %size
  %first = add i32 %row, %x
  br label %body
body:
  %i = phi i32 [ %first, %entry ], [ %next, %body ]
  %q = getelementptr i32, ptr addrspace(1) %p, i32 %i
  store i32 %i, ptr addrspace(1) %q
  %next = add i32 %i, %step
  %more = icmp ult i32 %next, %n
  br i1 %more, label %body, label %out
out:
  ret void
}

; One group in y, two in x.
; CHECK-LABEL: @one(
; CHECK: call i32 @llvm.amdgcn.workgroup.id.x(), !range ![[TWO:[0-9]+]]
; CHECK: icmp eq i32 0, 0
define amdgpu_kernel void @one(ptr addrspace(1) %p) "meld-facts"="workgroup 256 1 1; grid 0 257; grid 1 1" {
  %x = call i32 @llvm.amdgcn.workgroup.id.x()
  %y = call i32 @llvm.amdgcn.workgroup.id.y()
  %packet = call ptr addrspace(4) @llvm.amdgcn.dispatch.ptr()
  %b = getelementptr i8, ptr addrspace(4) %packet, i64 12
  %grid = load i32, ptr addrspace(4) %b
  %wide = icmp ugt i32 %grid, 1
  %first = icmp eq i32 %y, 0
  %a = select i1 %first, i32 1, i32 2
  %c = select i1 %wide, i32 %a, i32 %x
  store i32 %c, ptr addrspace(1) %p
  ret void
}

; Another dimension's grid says nothing, and without the size of the groups nobody knows how many there are.
; CHECK-LABEL: @other(
; CHECK: icmp eq i32 %x, 0
define amdgpu_kernel void @other(ptr addrspace(1) %p) "meld-facts"="workgroup 256 1 1; grid 1 1" {
  %x = call i32 @llvm.amdgcn.workgroup.id.x()
  %first = icmp eq i32 %x, 0
  %a = select i1 %first, i32 1, i32 2
  store i32 %a, ptr addrspace(1) %p
  ret void
}
; CHECK-LABEL: @sizeless(
; CHECK: icmp eq i32 %y, 0
define amdgpu_kernel void @sizeless(ptr addrspace(1) %p) "meld-facts"="grid 1 1" {
  %y = call i32 @llvm.amdgcn.workgroup.id.y()
  %first = icmp eq i32 %y, 0
  %a = select i1 %first, i32 1, i32 2
  store i32 %a, ptr addrspace(1) %p
  ret void
}

; Groups of 256 in 4,000 work-items: 16, the last one not a full one.
; CHECK-DAG: ![[GROUPS]] = !{i32 0, i32 16}
; CHECK-DAG: ![[TWO]] = !{i32 0, i32 2}
