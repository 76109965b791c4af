; UNSUPPORTED: llvm-from-20
; What meld-affine-address leaves, as left.ll. From LLVM 20 on the declaration of workitem.id says that there are at most 1024.
; RUN: %opt -passes=meld-affine-address -S %s -o %t.after
; RUN: %opt -S %s -o %t.before
; RUN: diff %t.before %t.after
; RUN: %opt -passes=meld-affine-address -pass-remarks-missed=meld -disable-output %s 2>&1 | FileCheck %s

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"
declare i32 @llvm.amdgcn.workitem.id.x()

; No attribute and no range: how many threads a workgroup has is not known.
; CHECK: left %size{{.*}}: the workgroup's size is unknown
define amdgpu_kernel void @unknown_size(ptr addrspace(1) %a, i32 %u) #1 {
size:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %i = add nsw i32 %u, %t
  %w = sext i32 %i to i64
  %p = getelementptr inbounds i32, ptr addrspace(1) %a, i64 %w
  store i32 1, ptr addrspace(1) %p
  ret void
}

attributes #1 = { "target-cpu"="gfx90a" }
