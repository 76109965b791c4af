; Two sides that both use memory which others look at, several times, are not brought together: by turns each would read
; what the other has put. One access of each, or nothing that reads, is as good together.
; RUN: %opt -passes='meld-cfm<min-profit=-1000000>' -S %s | FileCheck %s --check-prefixes=CHECK,CFM
; RUN: %opt -passes='meld-tail-merge<min-profit=-1000000>' -S %s | FileCheck %s --check-prefixes=CHECK,TAIL
; RUN: %opt -passes=meld-cfm -disable-output -pass-remarks-missed=meld %s 2>&1 | FileCheck %s --check-prefix=REMARK
; REMARK: meld-cfm left %entry: what both sides read and write for other threads is not done by turns

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"

declare i32 @llvm.amdgcn.workitem.id.x()

define internal void @put(ptr addrspace(3) %p, i32 %v) noinline nounwind willreturn {
  store volatile i32 %v, ptr addrspace(3) %p
  ret void
}

define internal i32 @get(ptr addrspace(3) %p) noinline nounwind willreturn {
  %v = load volatile i32, ptr addrspace(3) %p
  ret i32 %v
}

; CHECK-LABEL: @volatile(
; CFM-COUNT-2: udiv
; TAIL-COUNT-2: udiv
; CHECK: ret void
define amdgpu_kernel void @volatile(ptr addrspace(3) %box, ptr addrspace(1) %out, i32 %n) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %half = lshr i32 %t, 1
  %mine = getelementptr i32, ptr addrspace(3) %box, i32 %half
  %at = getelementptr i32, ptr addrspace(1) %out, i32 %t
  %bit = and i32 %t, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  store volatile i32 5, ptr addrspace(3) %mine
  %l = load volatile i32, ptr addrspace(3) %box
  %l1 = udiv i32 %l, %n
  store i32 %l1, ptr addrspace(1) %at
  br label %join
right:
  store volatile i32 7, ptr addrspace(3) %mine
  %r = load volatile i32, ptr addrspace(3) %box
  %r1 = udiv i32 %r, %n
  store i32 %r1, ptr addrspace(1) %at
  br label %join
join:
  ret void
}

; CHECK-LABEL: @atomic(
; CFM-COUNT-2: udiv
; TAIL-COUNT-2: udiv
; CHECK: ret void
define amdgpu_kernel void @atomic(ptr addrspace(3) %box, ptr addrspace(1) %out, i32 %n) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %half = lshr i32 %t, 1
  %mine = getelementptr i32, ptr addrspace(3) %box, i32 %half
  %at = getelementptr i32, ptr addrspace(1) %out, i32 %t
  %bit = and i32 %t, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  store atomic i32 5, ptr addrspace(3) %mine monotonic, align 4
  %l = load atomic i32, ptr addrspace(3) %box monotonic, align 4
  %l1 = udiv i32 %l, %n
  store i32 %l1, ptr addrspace(1) %at
  br label %join
right:
  store atomic i32 7, ptr addrspace(3) %mine monotonic, align 4
  %r = load atomic i32, ptr addrspace(3) %box monotonic, align 4
  %r1 = udiv i32 %r, %n
  store i32 %r1, ptr addrspace(1) %at
  br label %join
join:
  ret void
}

; Plain accesses, with a fence between.
; CHECK-LABEL: @fence(
; CFM-COUNT-2: udiv
; TAIL-COUNT-2: udiv
; CHECK: ret void
define amdgpu_kernel void @fence(ptr addrspace(3) %box, ptr addrspace(1) %out, i32 %n) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %half = lshr i32 %t, 1
  %mine = getelementptr i32, ptr addrspace(3) %box, i32 %half
  %at = getelementptr i32, ptr addrspace(1) %out, i32 %t
  %bit = and i32 %t, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  store i32 5, ptr addrspace(3) %mine
  fence syncscope("workgroup") acq_rel
  %l = load i32, ptr addrspace(3) %box
  %l1 = udiv i32 %l, %n
  store i32 %l1, ptr addrspace(1) %at
  br label %join
right:
  store i32 7, ptr addrspace(3) %mine
  fence syncscope("workgroup") acq_rel
  %r = load i32, ptr addrspace(3) %box
  %r1 = udiv i32 %r, %n
  store i32 %r1, ptr addrspace(1) %at
  br label %join
join:
  ret void
}

; CHECK-LABEL: @functions(
; CFM-COUNT-2: udiv
; TAIL-COUNT-2: udiv
; CHECK: ret void
define amdgpu_kernel void @functions(ptr addrspace(3) %box, ptr addrspace(1) %out, i32 %n) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %half = lshr i32 %t, 1
  %mine = getelementptr i32, ptr addrspace(3) %box, i32 %half
  %at = getelementptr i32, ptr addrspace(1) %out, i32 %t
  %bit = and i32 %t, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  call void @put(ptr addrspace(3) %mine, i32 5)
  %l = call i32 @get(ptr addrspace(3) %box)
  %l1 = udiv i32 %l, %n
  store i32 %l1, ptr addrspace(1) %at
  br label %join
right:
  call void @put(ptr addrspace(3) %mine, i32 7)
  %r = call i32 @get(ptr addrspace(3) %box)
  %r1 = udiv i32 %r, %n
  store i32 %r1, ptr addrspace(1) %at
  br label %join
join:
  ret void
}

; Several on one side are enough: what is between them is the other's.
; CHECK-LABEL: @several_on_one(
; CFM-COUNT-2: udiv
; TAIL-COUNT-2: udiv
; CHECK: ret void
define amdgpu_kernel void @several_on_one(ptr addrspace(3) %box, ptr addrspace(1) %out, i32 %n) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %half = lshr i32 %t, 1
  %mine = getelementptr i32, ptr addrspace(3) %box, i32 %half
  %at = getelementptr i32, ptr addrspace(1) %out, i32 %t
  %bit = and i32 %t, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  store volatile i32 5, ptr addrspace(3) %mine
  %l = load volatile i32, ptr addrspace(3) %box
  %l1 = udiv i32 %l, %n
  store i32 %l1, ptr addrspace(1) %at
  br label %join
right:
  store volatile i32 7, ptr addrspace(3) %mine
  %r = xor i32 %t, %n
  %r1 = udiv i32 %r, %n
  store i32 %r1, ptr addrspace(1) %at
  br label %join
join:
  ret void
}

; One of each.
; CHECK-LABEL: @one_each(
; CFM-COUNT-1: udiv
; CFM-NOT: udiv
; TAIL-COUNT-1: udiv
; TAIL-NOT: udiv
; CHECK: ret void
define amdgpu_kernel void @one_each(ptr addrspace(3) %box, ptr addrspace(1) %out, i32 %n) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %half = lshr i32 %t, 1
  %mine = getelementptr i32, ptr addrspace(3) %box, i32 %half
  %at = getelementptr i32, ptr addrspace(1) %out, i32 %t
  %bit = and i32 %t, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %l = load volatile i32, ptr addrspace(3) %mine
  %l1 = udiv i32 %l, %n
  store i32 %l1, ptr addrspace(1) %at
  br label %join
right:
  %r = load volatile i32, ptr addrspace(3) %mine
  %r1 = udiv i32 %r, %n
  store i32 %r1, ptr addrspace(1) %at
  br label %join
join:
  ret void
}

; CHECK-LABEL: @results(
; CFM-COUNT-1: udiv
; CFM-NOT: udiv
; TAIL-COUNT-1: udiv
; TAIL-NOT: udiv
; CHECK: ret void
define amdgpu_kernel void @results(ptr addrspace(3) %box, ptr addrspace(1) %out, i32 %n) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %half = lshr i32 %t, 1
  %mine = getelementptr i32, ptr addrspace(3) %box, i32 %half
  %at = getelementptr i32, ptr addrspace(1) %out, i32 %t
  %bit = and i32 %t, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %l = atomicrmw add ptr addrspace(3) %mine, i32 5 monotonic
  %l1 = udiv i32 %l, %n
  store i32 %l1, ptr addrspace(1) %at
  br label %join
right:
  %r = atomicrmw add ptr addrspace(3) %mine, i32 7 monotonic
  %r1 = udiv i32 %r, %n
  store i32 %r1, ptr addrspace(1) %at
  br label %join
join:
  ret void
}

; Nothing reads.
; CHECK-LABEL: @stores(
; CFM-COUNT-1: udiv
; CFM-NOT: udiv
; TAIL-COUNT-1: udiv
; TAIL-NOT: udiv
; CHECK: ret void
define amdgpu_kernel void @stores(ptr addrspace(3) %box, ptr addrspace(1) %out, i32 %n) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %half = lshr i32 %t, 1
  %mine = getelementptr i32, ptr addrspace(3) %box, i32 %half
  %at = getelementptr i32, ptr addrspace(1) %out, i32 %t
  %bit = and i32 %t, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  store volatile i32 5, ptr addrspace(3) %mine
  store volatile i32 5, ptr addrspace(3) %box
  %l = xor i32 %t, 5
  %l1 = udiv i32 %l, %n
  store i32 %l1, ptr addrspace(1) %at
  br label %join
right:
  store volatile i32 7, ptr addrspace(3) %mine
  store volatile i32 7, ptr addrspace(3) %box
  %r = xor i32 %t, 7
  %r1 = udiv i32 %r, %n
  store i32 %r1, ptr addrspace(1) %at
  br label %join
join:
  ret void
}

; Sums are the same in any order.
; CHECK-LABEL: @sums(
; CFM-COUNT-1: udiv
; CFM-NOT: udiv
; TAIL-COUNT-1: udiv
; TAIL-NOT: udiv
; CHECK: ret void
define amdgpu_kernel void @sums(ptr addrspace(3) %box, ptr addrspace(1) %out, i32 %n) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %half = lshr i32 %t, 1
  %mine = getelementptr i32, ptr addrspace(3) %box, i32 %half
  %at = getelementptr i32, ptr addrspace(1) %out, i32 %t
  %bit = and i32 %t, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %la = atomicrmw add ptr addrspace(3) %mine, i32 5 monotonic
  %lb = atomicrmw add ptr addrspace(3) %box, i32 5 monotonic
  %l = xor i32 %t, 5
  %l1 = udiv i32 %l, %n
  store i32 %l1, ptr addrspace(1) %at
  br label %join
right:
  %ra = atomicrmw add ptr addrspace(3) %mine, i32 7 monotonic
  %rb = atomicrmw add ptr addrspace(3) %box, i32 7 monotonic
  %r = xor i32 %t, 7
  %r1 = udiv i32 %r, %n
  store i32 %r1, ptr addrspace(1) %at
  br label %join
join:
  ret void
}

; A fence that parts nothing: it stands in front of all.
; CHECK-LABEL: @acquired(
; CFM-COUNT-1: udiv
; CFM-NOT: udiv
; TAIL-COUNT-1: udiv
; TAIL-NOT: udiv
; CHECK: ret void
define amdgpu_kernel void @acquired(ptr addrspace(3) %box, ptr addrspace(1) %out, i32 %n) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %half = lshr i32 %t, 1
  %mine = getelementptr i32, ptr addrspace(3) %box, i32 %half
  %at = getelementptr i32, ptr addrspace(1) %out, i32 %t
  %bit = and i32 %t, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  fence syncscope("workgroup") acquire
  %l = load i32, ptr addrspace(3) %mine
  %l1 = udiv i32 %l, %n
  store i32 %l1, ptr addrspace(1) %at
  br label %join
right:
  fence syncscope("workgroup") acquire
  %r = load i32, ptr addrspace(3) %mine
  %r1 = udiv i32 %r, %n
  store i32 %r1, ptr addrspace(1) %at
  br label %join
join:
  ret void
}

; A way out behind the first access, which both sides have.
; CHECK-LABEL: @way_out(
; CFM-COUNT-2: udiv
; TAIL-COUNT-2: udiv
; CHECK: ret void
define amdgpu_kernel void @way_out(ptr addrspace(3) %box, ptr addrspace(1) %out, i32 %n) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %half = lshr i32 %t, 1
  %mine = getelementptr i32, ptr addrspace(3) %box, i32 %half
  %at = getelementptr i32, ptr addrspace(1) %out, i32 %t
  %bit = and i32 %t, 1
  %c = icmp eq i32 %bit, 0
  %d = icmp ugt i32 %t, 40
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]
  br i1 %c, label %left, label %right
left:
  store volatile i32 5, ptr addrspace(3) %mine
  br i1 %d, label %latch, label %left.reads
left.reads:
  %l = load volatile i32, ptr addrspace(3) %box
  %l1 = udiv i32 %l, %n
  store i32 %l1, ptr addrspace(1) %at
  br label %latch
right:
  store volatile i32 7, ptr addrspace(3) %mine
  br i1 %d, label %end, label %right.reads
right.reads:
  %r = load volatile i32, ptr addrspace(3) %box
  %r1 = udiv i32 %r, %n
  store i32 %r1, ptr addrspace(1) %at
  br label %latch
latch:
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

; One access of each, in a loop: several.
; CHECK-LABEL: @again(
; CFM-COUNT-2: udiv
; TAIL-COUNT-2: udiv
; CHECK: ret void
define amdgpu_kernel void @again(ptr addrspace(3) %box, ptr addrspace(1) %out, i32 %n) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %half = lshr i32 %t, 1
  %mine = getelementptr i32, ptr addrspace(3) %box, i32 %half
  %at = getelementptr i32, ptr addrspace(1) %out, i32 %t
  %bit = and i32 %t, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %i = phi i32 [ 0, %entry ], [ %i1, %left ]
  %a = atomicrmw add ptr addrspace(3) %mine, i32 5 monotonic
  %i1 = add i32 %i, 1
  %i2 = icmp ult i32 %i1, %n
  br i1 %i2, label %left, label %left.end
left.end:
  %l1 = udiv i32 %a, %n
  store i32 %l1, ptr addrspace(1) %at
  br label %join
right:
  %b = atomicrmw add ptr addrspace(3) %mine, i32 7 monotonic
  %r1 = udiv i32 %b, %n
  store i32 %r1, ptr addrspace(1) %at
  br label %join
join:
  ret void
}
