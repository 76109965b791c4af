; One side adds, the other hands on what it has. What is selected then is the sum or that, in whatever LLVM makes of it, and not what is
; added.
; RUN: %opt -mcpu=gfx90a -passes='meld,instcombine' %s -S | FileCheck %s
; RUN: %opt -mcpu=gfx90a -O3 %s -S | FileCheck %s

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"
declare i32 @llvm.amdgcn.workitem.id.x()

; CHECK-LABEL: @kernel(
; CHECK-NOT:     br i1
; CHECK-NOT:     -0.0
; CHECK:         [[P:%.*]] = load float
; CHECK:         fadd {{(contract )?}}float [[P]]
; CHECK:         select i1 %{{.*}}, float %{{.*}}, float [[P]]
define amdgpu_kernel void @kernel(ptr addrspace(1) %words, ptr addrspace(1) %floats, ptr addrspace(1) %out, ptr addrspace(1) %sums) {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %word = getelementptr i32, ptr addrspace(1) %words, i32 %t
  %x = load i32, ptr addrspace(1) %word
  %float = getelementptr float, ptr addrspace(1) %floats, i32 %t
  %p = load float, ptr addrspace(1) %float
  %q = uitofp i32 %x to float
  %bit = and i32 %x, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %l1 = xor i32 %x, 77
  %l2 = udiv i32 %l1, 5
  %l3 = mul i32 %l2, %l1
  %l4 = udiv i32 %l3, 11
  %sum = fadd float %p, %q
  %l5 = urem i32 %l4, %l2
  br label %join
right:
  %r1 = xor i32 %x, 99
  %r2 = udiv i32 %r1, 5
  %r3 = mul i32 %r2, %r1
  %r4 = udiv i32 %r3, 13
  %r5 = urem i32 %r4, %r2
  br label %join
join:
  %v = phi i32 [ %l5, %left ], [ %r5, %right ]
  %s = phi float [ %sum, %left ], [ %p, %right ]
  %o = getelementptr i32, ptr addrspace(1) %out, i32 %t
  store i32 %v, ptr addrspace(1) %o
  %to = getelementptr float, ptr addrspace(1) %sums, i32 %t
  store float %s, ptr addrspace(1) %to
  ret void
}
