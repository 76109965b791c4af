; Scalarization is part of what runs unless told otherwise, after melding; MELD_PASSES=no-scalarize, which is no-scalarize here
; here, and a list of passes without it leave it out.
; RUN: %opt -passes='default<O3>' -S %s | FileCheck %s
; RUN: env MELD_PLUGIN_OPTIONS='passes=all' %opt -passes='default<O3>' -S %s | FileCheck %s
; RUN: env MELD_PLUGIN_OPTIONS='no-cfm' %opt -passes='default<O3>' -S %s | FileCheck %s
; RUN: env MELD_PLUGIN_OPTIONS='no-scalarize' %opt -passes='default<O3>' -S %s | FileCheck %s --check-prefix=OFF
; RUN: env MELD_PLUGIN_OPTIONS='passes=cfm' %opt -passes='default<O3>' -S %s | FileCheck %s --check-prefix=OFF
; RUN: env MELD_PLUGIN_OPTIONS='passes=none' %opt -passes='default<O3>' -S %s | FileCheck %s --check-prefix=OFF
; RUN: env MELD_PLUGIN_OPTIONS='passes=converged-loops' %opt -passes='default<O3>' -S %s | FileCheck %s --check-prefixes=OFF,KEPT

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.workgroup.id.x()
declare ptr addrspace(4) @llvm.amdgcn.dispatch.ptr()
declare i32 @llvm.umin.i32(i32, i32)

; What clang makes of blockIdx.x * blockDim.x + threadIdx.x, and a loop whose lanes end apart.
; CHECK-LABEL: @rows(
; CHECK: %scalar.base = getelementptr
; CHECK-NOT: ballot
; OFF-LABEL: @rows(
; OFF-NOT: %scalar.base
; KEPT: ballot
define amdgpu_kernel void @rows(ptr addrspace(1) %a, ptr addrspace(1) %b, i32 %n) "amdgpu-flat-work-group-size"="1,1024" "target-cpu"="gfx90a" {
entry:
  %g = call i32 @llvm.amdgcn.workgroup.id.x()
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %d = call ptr addrspace(4) @llvm.amdgcn.dispatch.ptr()
  %gp = getelementptr i8, ptr addrspace(4) %d, i64 12
  %grid = load i32, ptr addrspace(4) %gp
  %sp = getelementptr i8, ptr addrspace(4) %d, i64 4
  %s16 = load i16, ptr addrspace(4) %sp
  %s = zext i16 %s16 to i32
  %before = mul i32 %g, %s
  %left = sub i32 %grid, %before
  %size = call i32 @llvm.umin.i32(i32 %left, i32 %s)
  %u = mul i32 %size, %g
  %i = add i32 %u, %t
  %w = zext i32 %i to i64
  %p = getelementptr inbounds i32, ptr addrspace(1) %a, i64 %w
  %first = load i32, ptr addrspace(1) %p
  br label %loop

loop:
  %x = phi i32 [ %first, %entry ], [ %next, %loop ]
  %m = mul i32 %x, %n
  %o = xor i32 %m, %t
  %next = lshr i32 %o, 3
  %more = icmp ugt i32 %next, 9
  br i1 %more, label %loop, label %done

done:
  %q = getelementptr inbounds i32, ptr addrspace(1) %b, i64 %w
  store i32 %x, ptr addrspace(1) %q
  ret void
}
