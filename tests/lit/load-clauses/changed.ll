; Whatever of ours has changed a kernel, also in a function that was inlined into it: its code generation forms load
; clauses of one load (LLVM 15's fault, passes/llvm_fixes/load_clauses.h). What is as it was keeps its own.
; RUN: %opt -passes='default<O3>' -S %s | FileCheck %s

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.workgroup.id.x()

; CHECK: define {{.*}} @melded_in_a_function({{.*}} #[[CHANGED:[0-9]+]]
; CHECK: define {{.*}} @another_address({{.*}} #[[CHANGED]]
; CHECK: define {{.*}} @as_it_was({{.*}} #[[SAME:[0-9]+]]
; CHECK: attributes #[[CHANGED]] = { {{.*}}"amdgpu-max-memory-clause"="1"
; CHECK-NOT: amdgpu-max-memory-clause
; CHECK: attributes #[[SAME]] =
; CHECK-NOT: amdgpu-max-memory-clause
define internal float @sides(i32 %t, float %x, float %y) {
  %m = and i32 %t, 1
  %c = icmp eq i32 %m, 0
  br i1 %c, label %left, label %right
left:
  %l1 = fdiv float %x, %y
  %l2 = fdiv float %l1, %x
  %l3 = fmul float %l2, 3.0
  br label %join
right:
  %r1 = fdiv float %y, %x
  %r2 = fdiv float %r1, %y
  %r3 = fmul float %r2, 5.0
  br label %join
join:
  %r = phi float [ %l3, %left ], [ %r3, %right ]
  ret float %r
}
define amdgpu_kernel void @melded_in_a_function(ptr addrspace(1) %a) #0 {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %p = getelementptr float, ptr addrspace(1) %a, i32 %t
  %x = load float, ptr addrspace(1) %p
  %q = getelementptr float, ptr addrspace(1) %p, i32 64
  %y = load float, ptr addrspace(1) %q
  %r = call float @sides(i32 %t, float %x, float %y)
  store float %r, ptr addrspace(1) %p
  ret void
}
define amdgpu_kernel void @another_address(ptr addrspace(1) %a, i32 %n) #0 {
  %g = call i32 @llvm.amdgcn.workgroup.id.x()
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %b = mul nsw i32 %g, %n
  %i = add nsw i32 %b, %t
  %w = sext i32 %i to i64
  %p = getelementptr i32, ptr addrspace(1) %a, i64 %w
  %v = load i32, ptr addrspace(1) %p
  %more = add i32 %v, 1
  store i32 %more, ptr addrspace(1) %p
  ret void
}
define amdgpu_kernel void @as_it_was(ptr addrspace(1) %a) #0 {
  store i32 1, ptr addrspace(1) %a
  ret void
}
attributes #0 = { "amdgpu-flat-work-group-size"="1,256" "target-cpu"="gfx900" }
