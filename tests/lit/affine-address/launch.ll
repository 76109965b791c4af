; A work-item's place in the grid never wraps: the packet holds the grid's size in 32 bits. So an
; unsigned index needs neither flags nor a test.
; RUN: %opt -passes=meld-affine-address,verify -S %s | FileCheck %s
; RUN: %opt -passes=meld-affine-address %s | %llc -mcpu=gfx90a | FileCheck %s --check-prefix=ISA

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.workitem.id.y()
declare i32 @llvm.amdgcn.workgroup.id.x()
declare i32 @llvm.amdgcn.workgroup.id.y()
declare ptr addrspace(4) @llvm.amdgcn.dispatch.ptr()
declare ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
declare i32 @llvm.umin.i32(i32, i32)

; What clang makes of blockIdx.x * blockDim.x + threadIdx.x.
; CHECK-LABEL: @packet(
; CHECK: %scalar.base = getelementptr i8, ptr addrspace(1) %a
; CHECK: %lane = getelementptr i8, ptr addrspace(1) %scalar.base
; CHECK: store i32 1, ptr addrspace(1) %lane
; ISA-LABEL: packet:
; ISA-NOT: v_addc
; ISA: global_store_dword v{{[0-9]+}}, v{{[0-9]+}}, s[
define amdgpu_kernel void @packet(ptr addrspace(1) %a) #0 {
  %g = call i32 @llvm.amdgcn.workgroup.id.x()
  %d = call ptr addrspace(4) @llvm.amdgcn.dispatch.ptr()
  %gp = getelementptr i8, ptr addrspace(4) %d, i64 12
  %grid = load i32, ptr addrspace(4) %gp
  %sp = getelementptr i8, ptr addrspace(4) %d, i64 4
  %s16 = load i16, ptr addrspace(4) %sp
  %s = zext i16 %s16 to i32
  %done = mul i32 %g, %s
  %left = sub i32 %grid, %done
  %m = call i32 @llvm.umin.i32(i32 %left, i32 %s)
  %u = mul i32 %m, %g
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %i = add i32 %u, %t
  %w = zext i32 %i to i64
  %p = getelementptr inbounds i32, ptr addrspace(1) %a, i64 %w
  store i32 1, ptr addrspace(1) %p
  ret void
}

; Code object version 5: full or last workgroup, from the implicit arguments; y at the next place.
; CHECK-LABEL: @implicit(
; CHECK: store i32 1, ptr addrspace(1) %lane
define amdgpu_kernel void @implicit(ptr addrspace(1) %a, i1 %last) #0 {
  %g = call i32 @llvm.amdgcn.workgroup.id.y()
  %d = call ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
  %which = select i1 %last, i64 20, i64 14
  %sp = getelementptr i8, ptr addrspace(4) %d, i64 %which
  %s16 = load i16, ptr addrspace(4) %sp
  %s = zext i16 %s16 to i32
  %u = mul i32 %s, %g
  %t = call i32 @llvm.amdgcn.workitem.id.y()
  %i = add i32 %t, %u
  %w = zext i32 %i to i64
  %p = getelementptr inbounds i32, ptr addrspace(1) %a, i64 %w
  store i32 1, ptr addrspace(1) %p
  ret void
}

; A size of the program's own, the size of another dimension, the id of another dimension, a size
; plus one, another field, a signed index: nothing is known.
; CHECK-LABEL: @own_size(
; CHECK-NOT: lane
; CHECK: ret void
define amdgpu_kernel void @own_size(ptr addrspace(1) %a, i32 %s) #0 {
  %g = call i32 @llvm.amdgcn.workgroup.id.x()
  %u = mul i32 %g, %s
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %i = add i32 %u, %t
  %w = zext i32 %i to i64
  %p = getelementptr inbounds i32, ptr addrspace(1) %a, i64 %w
  store i32 1, ptr addrspace(1) %p
  ret void
}
; CHECK-LABEL: @constant_size(
; CHECK-NOT: lane
; CHECK: ret void
define amdgpu_kernel void @constant_size(ptr addrspace(1) %a) #0 {
  %g = call i32 @llvm.amdgcn.workgroup.id.x()
  %u = mul i32 %g, 96
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %i = add i32 %u, %t
  %w = zext i32 %i to i64
  %p = getelementptr inbounds i32, ptr addrspace(1) %a, i64 %w
  store i32 1, ptr addrspace(1) %p
  ret void
}
; CHECK-LABEL: @mixed(
; CHECK-NOT: lane
; CHECK: ret void
define amdgpu_kernel void @mixed(ptr addrspace(1) %a) #0 {
  %g = call i32 @llvm.amdgcn.workgroup.id.x()
  %d = call ptr addrspace(4) @llvm.amdgcn.dispatch.ptr()
  %sp = getelementptr i8, ptr addrspace(4) %d, i64 6
  %s16 = load i16, ptr addrspace(4) %sp
  %s = zext i16 %s16 to i32
  %u = mul i32 %g, %s
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %i = add i32 %u, %t
  %w = zext i32 %i to i64
  %p = getelementptr inbounds i32, ptr addrspace(1) %a, i64 %w
  store i32 1, ptr addrspace(1) %p
  ret void
}
; CHECK-LABEL: @too_wide(
; CHECK-NOT: lane
; CHECK: ret void
define amdgpu_kernel void @too_wide(ptr addrspace(1) %a) #0 {
  %g = call i32 @llvm.amdgcn.workgroup.id.x()
  %d = call ptr addrspace(4) @llvm.amdgcn.dispatch.ptr()
  %sp = getelementptr i8, ptr addrspace(4) %d, i64 4
  %s16 = load i16, ptr addrspace(4) %sp
  %s = zext i16 %s16 to i32
  %more = add i32 %s, 1
  %u = mul i32 %g, %more
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %i = add i32 %u, %t
  %w = zext i32 %i to i64
  %p = getelementptr inbounds i32, ptr addrspace(1) %a, i64 %w
  store i32 1, ptr addrspace(1) %p
  ret void
}
; CHECK-LABEL: @signed(
; CHECK-NOT: lane
; CHECK: ret void
define amdgpu_kernel void @signed(ptr addrspace(1) %a) #0 {
  %g = call i32 @llvm.amdgcn.workgroup.id.x()
  %d = call ptr addrspace(4) @llvm.amdgcn.dispatch.ptr()
  %sp = getelementptr i8, ptr addrspace(4) %d, i64 4
  %s16 = load i16, ptr addrspace(4) %sp
  %s = zext i16 %s16 to i32
  %u = mul i32 %g, %s
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %i = add i32 %u, %t
  %w = sext i32 %i to i64
  %p = getelementptr inbounds i32, ptr addrspace(1) %a, i64 %w
  store i32 1, ptr addrspace(1) %p
  ret void
}

; A power of two that the program takes for its size: whatever the launch uses, the sum does not wrap.
; CHECK-LABEL: @power_of_two(
; CHECK: store i32 1, ptr addrspace(1) %lane
define amdgpu_kernel void @power_of_two(ptr addrspace(1) %a) #0 {
  %g = call i32 @llvm.amdgcn.workgroup.id.x()
  %u = shl i32 %g, 6
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %i = add i32 %u, %t
  %w = zext i32 %i to i64
  %p = getelementptr inbounds i32, ptr addrspace(1) %a, i64 %w
  store i32 1, ptr addrspace(1) %p
  ret void
}
; The other dimension's id may be larger than that power of two while the grid is small in this one.
; CHECK-LABEL: @other_dimension(
; CHECK-NOT: lane
; CHECK: ret void
define amdgpu_kernel void @other_dimension(ptr addrspace(1) %a) #0 {
  %g = call i32 @llvm.amdgcn.workgroup.id.x()
  %u = shl i32 %g, 6
  %t = call i32 @llvm.amdgcn.workitem.id.y()
  %i = add i32 %u, %t
  %w = zext i32 %i to i64
  %p = getelementptr inbounds i32, ptr addrspace(1) %a, i64 %w
  store i32 1, ptr addrspace(1) %p
  ret void
}
; A constant on top, and a signed index: 2^31 may lie inside a workgroup of 65.
; CHECK-LABEL: @more_on_top(
; CHECK-NOT: lane
; CHECK: ret void
define amdgpu_kernel void @more_on_top(ptr addrspace(1) %a) #0 {
  %g = call i32 @llvm.amdgcn.workgroup.id.x()
  %u = shl i32 %g, 6
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %i = add i32 %u, %t
  %j = add i32 %i, 64
  %w = zext i32 %j to i64
  %p = getelementptr inbounds i32, ptr addrspace(1) %a, i64 %w
  store i32 1, ptr addrspace(1) %p
  ret void
}
; CHECK-LABEL: @power_of_two_signed(
; CHECK-NOT: lane
; CHECK: ret void
define amdgpu_kernel void @power_of_two_signed(ptr addrspace(1) %a) #0 {
  %g = call i32 @llvm.amdgcn.workgroup.id.x()
  %u = shl i32 %g, 6
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %i = add i32 %u, %t
  %w = sext i32 %i to i64
  %p = getelementptr inbounds i32, ptr addrspace(1) %a, i64 %w
  store i32 1, ptr addrspace(1) %p
  ret void
}

; With a shape that every launch must have, its constant is as good.
; CHECK-LABEL: @required(
; CHECK: store i32 1, ptr addrspace(1) %lane
define amdgpu_kernel void @required(ptr addrspace(1) %a) #0 !reqd_work_group_size !0 {
  %g = call i32 @llvm.amdgcn.workgroup.id.x()
  %u = mul i32 %g, 96
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %i = add i32 %u, %t
  %w = zext i32 %i to i64
  %p = getelementptr inbounds i32, ptr addrspace(1) %a, i64 %w
  store i32 1, ptr addrspace(1) %p
  ret void
}
attributes #0 = { "amdgpu-flat-work-group-size"="1,1024" "target-cpu"="gfx90a" }
!0 = !{i32 96, i32 2, i32 1}
