; A block on one side, a region on the other: the block is melded with the part of the region that it
; resembles; no thread runs what it would not have run.
; RUN: %opt -passes=meld-padding -S %s | FileCheck %s
; RUN: %opt -passes='meld-padding,meld-cfm' %s | %llc -mcpu=gfx90a -o /dev/null
; RUN: %opt -passes=meld-padding -disable-output -pass-remarks=meld %s 2>&1 | FileCheck %s --check-prefix=REMARK
; REMARK: remark: {{.*}}meld-padding melded %entry (block with region): blocks 3, paired 1, guarded runs 0

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"

declare i32 @llvm.amdgcn.workitem.id.x()
declare void @llvm.amdgcn.s.barrier() convergent

; One division is left where there were two.
; CHECK-LABEL: define amdgpu_kernel void @division
; The block's threads are led by a constant, the region's by their own condition.
; CHECK: select i1 %c, i1 true, i1 %d
; CHECK-COUNT-1: udiv
; CHECK-NOT: udiv
; CHECK: ret void
define amdgpu_kernel void @division(i32 addrspace(1)* %p, i32 %n, i32 %m) {
entry:
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  %odd = and i32 %id, 1
  %c = icmp eq i32 %odd, 0
  %at = getelementptr inbounds i32, i32 addrspace(1)* %p, i32 %id
  %v = load i32, i32 addrspace(1)* %at
  br i1 %c, label %block, label %region

block:
  %x = udiv i32 %v, %n
  br label %join

region:
  %d = icmp ugt i32 %v, 100
  br i1 %d, label %then, label %else

then:
  %y = udiv i32 %v, %m
  br label %join

else:
  %z = add i32 %v, 7
  br label %join

join:
  %r = phi i32 [ %x, %block ], [ %y, %then ], [ %z, %else ]
  store i32 %r, i32 addrspace(1)* %at
  ret void
}

; A store inside the region is not run by the block's threads: it stays behind the first condition.
; CHECK-LABEL: define amdgpu_kernel void @stores
; CHECK: select i1 %c, i1 true, i1 %d
; CHECK: br i1 %c, label %meld.join, label %meld.right
; CHECK: meld.right:
; CHECK: store
; CHECK: meld.join:
; CHECK-COUNT-1: udiv
; CHECK-NOT: udiv
; CHECK: ret void
define amdgpu_kernel void @stores(i32 addrspace(1)* %p, i32 addrspace(1)* %q, i32 %n) {
entry:
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  %odd = and i32 %id, 1
  %c = icmp eq i32 %odd, 0
  %at = getelementptr inbounds i32, i32 addrspace(1)* %p, i32 %id
  %v = load i32, i32 addrspace(1)* %at
  br i1 %c, label %block, label %region

block:
  %x = udiv i32 %v, %n
  br label %join

region:
  %d = icmp ugt i32 %v, 100
  br i1 %d, label %then, label %join

then:
  %side = getelementptr inbounds i32, i32 addrspace(1)* %q, i32 %id
  store i32 %v, i32 addrspace(1)* %side
  %y = udiv i32 %id, %n
  br label %join

join:
  %r = phi i32 [ %x, %block ], [ %y, %then ], [ %v, %region ]
  store i32 %r, i32 addrspace(1)* %at
  ret void
}

; A loop in the region: no constant leads through it once.
; CHECK-LABEL: define amdgpu_kernel void @loop
; CHECK-NOT: meld
; CHECK: ret void
define amdgpu_kernel void @loop(i32 addrspace(1)* %p, i32 %n) {
entry:
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  %odd = and i32 %id, 1
  %c = icmp eq i32 %odd, 0
  %at = getelementptr inbounds i32, i32 addrspace(1)* %p, i32 %id
  %v = load i32, i32 addrspace(1)* %at
  br i1 %c, label %block, label %head

block:
  %x = udiv i32 %v, %n
  br label %join

head:
  br label %body

body:
  %i = phi i32 [ 0, %head ], [ %next, %body ]
  %y = udiv i32 %v, %i
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %v
  br i1 %more, label %body, label %join

join:
  %r = phi i32 [ %x, %block ], [ %y, %body ]
  store i32 %r, i32 addrspace(1)* %at
  ret void
}

; A barrier in the region: nobody else may come to it.
; CHECK-LABEL: define amdgpu_kernel void @barrier
; CHECK-NOT: meld
; CHECK: ret void
define amdgpu_kernel void @barrier(i32 addrspace(1)* %p, i32 %n) {
entry:
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  %odd = and i32 %id, 1
  %c = icmp eq i32 %odd, 0
  %at = getelementptr inbounds i32, i32 addrspace(1)* %p, i32 %id
  %v = load i32, i32 addrspace(1)* %at
  br i1 %c, label %block, label %region

block:
  %x = udiv i32 %v, %n
  br label %join

region:
  %d = icmp ugt i32 %v, 100
  br i1 %d, label %then, label %join

then:
  call void @llvm.amdgcn.s.barrier()
  %y = udiv i32 %id, %n
  br label %join

join:
  %r = phi i32 [ %x, %block ], [ %y, %then ], [ %v, %region ]
  store i32 %r, i32 addrspace(1)* %at
  ret void
}

; Uniform: nothing diverges.
; CHECK-LABEL: define amdgpu_kernel void @uniform
; CHECK-NOT: meld
; CHECK: ret void
define amdgpu_kernel void @uniform(i32 addrspace(1)* %p, i32 %n, i32 %k) {
entry:
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  %c = icmp eq i32 %k, 0
  %at = getelementptr inbounds i32, i32 addrspace(1)* %p, i32 %id
  %v = load i32, i32 addrspace(1)* %at
  br i1 %c, label %block, label %region

block:
  %x = udiv i32 %v, %n
  br label %join

region:
  %d = icmp ugt i32 %v, 100
  br i1 %d, label %then, label %join

then:
  %y = udiv i32 %id, %n
  br label %join

join:
  %r = phi i32 [ %x, %block ], [ %y, %then ], [ %v, %region ]
  store i32 %r, i32 addrspace(1)* %at
  ret void
}

; A loop of two entries in the region has no back edge by dominance, and is a loop all the same.
; CHECK-LABEL: define amdgpu_kernel void @irreducible
; CHECK-NOT: meld
; CHECK: ret void
define amdgpu_kernel void @irreducible(i32 addrspace(1)* %p, i32 %n) {
entry:
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  %odd = and i32 %id, 1
  %c = icmp eq i32 %odd, 0
  %at = getelementptr inbounds i32, i32 addrspace(1)* %p, i32 %id
  %v = load i32, i32 addrspace(1)* %at
  br i1 %c, label %block, label %region

block:
  %x = udiv i32 %v, %n
  br label %join

region:
  %d = icmp ugt i32 %v, 100
  br i1 %d, label %one, label %two

one:
  %i = phi i32 [ 0, %region ], [ %k, %two ]
  %y = udiv i32 %v, %n
  %j = add i32 %i, %y
  br label %two

two:
  %k = phi i32 [ %j, %one ], [ 1, %region ]
  %more = icmp ult i32 %k, %v
  br i1 %more, label %one, label %join

join:
  %r = phi i32 [ %x, %block ], [ %k, %two ]
  store i32 %r, i32 addrspace(1)* %at
  ret void
}
