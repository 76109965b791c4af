; What is cheap because an operand is a constant is so no more when the constants differ: a division
; by 3 and one by 5 are two multiplications each; one division by a select is far more.
; RUN: %opt -passes=meld-cfm -S %s | FileCheck %s

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"

declare i32 @llvm.amdgcn.workitem.id.x()

; CHECK-LABEL: define amdgpu_kernel void @different
; CHECK-NOT: udiv i32 %{{.*}}, %meld
; CHECK: ret void
define amdgpu_kernel void @different(i32 addrspace(1)* %p) {
entry:
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  %odd = and i32 %id, 1
  %c = icmp eq i32 %odd, 0
  %at = getelementptr inbounds i32, i32 addrspace(1)* %p, i32 %id
  %v = load i32, i32 addrspace(1)* %at
  br i1 %c, label %left, label %right
left:
  %x = udiv i32 %v, 3
  br label %join
right:
  %y = udiv i32 %v, 5
  br label %join
join:
  %r = phi i32 [ %x, %left ], [ %y, %right ]
  store i32 %r, i32 addrspace(1)* %at
  ret void
}

; The same constant on both sides: one division.
; CHECK-LABEL: define amdgpu_kernel void @same
; CHECK-COUNT-1: udiv i32 %{{.*}}, 3
; CHECK-NOT: udiv
; CHECK: ret void
define amdgpu_kernel void @same(i32 addrspace(1)* %p) {
entry:
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  %odd = and i32 %id, 1
  %c = icmp eq i32 %odd, 0
  %at = getelementptr inbounds i32, i32 addrspace(1)* %p, i32 %id
  %v = load i32, i32 addrspace(1)* %at
  br i1 %c, label %left, label %right
left:
  %a = add i32 %v, 1
  %x = udiv i32 %a, 3
  br label %join
right:
  %b = add i32 %v, 2
  %y = udiv i32 %b, 3
  br label %join
join:
  %r = phi i32 [ %x, %left ], [ %y, %right ]
  store i32 %r, i32 addrspace(1)* %at
  ret void
}
