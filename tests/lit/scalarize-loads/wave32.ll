; Rows of 32 threads: one wave each where waves have 32, half of one where they have 64 (left.ll).
; RUN: %opt -passes=meld-scalarize-loads -S %s | FileCheck %s

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"
declare i32 @llvm.amdgcn.workitem.id.y()

; CHECK: readfirstlane
; CHECK: load i32, {{.*}}!amdgpu.noclobber
define amdgpu_kernel void @wave32(ptr addrspace(1) noalias %in, ptr addrspace(1) noalias %out) #32 !reqd_work_group_size !3 {
  %y = call i32 @llvm.amdgcn.workitem.id.y()
  %p = getelementptr i32, ptr addrspace(1) %in, i32 %y
  %v = load i32, ptr addrspace(1) %p, align 4
  store i32 %v, ptr addrspace(1) %out
  ret void
}
attributes #32 = { "target-cpu"="gfx1030" }
!3 = !{i32 32, i32 4, i32 1}
