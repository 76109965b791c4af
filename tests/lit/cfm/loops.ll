; Loops with loops: unequal trip counts, a value used behind, self-loops; what must stay alone.
; RUN: %opt -passes=meld-cfm -S %s | FileCheck %s
; RUN: %opt -passes=meld-cfm %s | %llc -mcpu=gfx900 -o /dev/null

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"

declare i32 @llvm.amdgcn.workitem.id.x()

; One loop whose exit is each thread's own; the sum leaves it.
; CHECK-LABEL: @trip_counts(
; CHECK: phi i32
; CHECK: load i32
; CHECK-NOT: load
; CHECK: %[[AGAIN:.*]] = icmp ult i32
; CHECK-NOT: icmp
; CHECK: br i1 %[[AGAIN]]
; CHECK-NOT: load
; CHECK: store volatile
; CHECK: ret void
define amdgpu_kernel void @trip_counts(ptr addrspace(3) %p, i32 %n, i32 %m, ptr addrspace(3) %o) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %i = phi i32 [ 0, %0 ], [ %i1, %left ]
  %s = phi i32 [ 0, %0 ], [ %s1, %left ]
  %lp = getelementptr i32, ptr addrspace(3) %p, i32 %i
  %lv = load i32, ptr addrspace(3) %lp
  %s1 = add i32 %s, %lv
  %i1 = add i32 %i, 1
  %la = icmp ult i32 %i1, %n
  br i1 %la, label %left, label %left.end
left.end:
  br label %join
right:
  %j = phi i32 [ 0, %0 ], [ %j1, %right ]
  %t = phi i32 [ 0, %0 ], [ %t1, %right ]
  %rp = getelementptr i32, ptr addrspace(3) %p, i32 %j
  %rv = load i32, ptr addrspace(3) %rp
  %t1 = add i32 %t, %rv
  %j1 = add i32 %j, 1
  %ra = icmp ult i32 %j1, %m
  br i1 %ra, label %right, label %right.end
right.end:
  br label %join
join:
  %v = phi i32 [ %s1, %left.end ], [ %t1, %right.end ]
  store volatile i32 %v, ptr addrspace(3) %o
  ret void
}

; Two sides of a spin lock never wait in one loop.
; CHECK-LABEL: @spin_lock(
; CHECK: left:
; CHECK: cmpxchg
; CHECK: right:
; CHECK: cmpxchg
; CHECK: ret void
define amdgpu_kernel void @spin_lock(ptr addrspace(3) %p, ptr addrspace(3) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %l = cmpxchg ptr addrspace(3) %p, i32 0, i32 1 acquire monotonic
  %lw = extractvalue { i32, i1 } %l, 1
  br i1 %lw, label %left.end, label %left
left.end:
  br label %join
right:
  %r = cmpxchg ptr addrspace(3) %q, i32 0, i32 1 acquire monotonic
  %rw = extractvalue { i32, i1 } %r, 1
  br i1 %rw, label %right.end, label %right
right.end:
  br label %join
join:
  ret void
}

; No post-dominator: loops without an exit are left.
; CHECK-LABEL: @endless(
; CHECK: left:
; CHECK: br label %left
; CHECK: right:
; CHECK: br label %right
define amdgpu_kernel void @endless(ptr addrspace(3) %p, ptr addrspace(3) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  store i32 1, ptr addrspace(3) %p
  br label %left
right:
  store i32 2, ptr addrspace(3) %q
  br label %right
}

; Irreducible on one side: the two blocks that enter each other stay as they are, and no crash.
; CHECK-LABEL: @irreducible(
; CHECK: br i1 %xc, label %a, label %b
; CHECK: a:
; CHECK-NEXT: load volatile
; CHECK: br i1 %ac, label %b, label %left.end
; CHECK: b:
; CHECK-NEXT: load volatile
; CHECK: br i1 %bc, label %a, label %left.end
; CHECK-NOT: load volatile
; CHECK: ret void
define amdgpu_kernel void @irreducible(ptr addrspace(3) %p, i32 %n) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %x = load i32, ptr addrspace(3) %p
  %xc = icmp sgt i32 %x, 4
  br i1 %xc, label %a, label %b
a:
  %av = load volatile i32, ptr addrspace(3) %p
  %ac = icmp eq i32 %av, 3
  br i1 %ac, label %b, label %left.end
b:
  %bv = load volatile i32, ptr addrspace(3) %p
  %bc = icmp eq i32 %bv, 3
  br i1 %bc, label %a, label %left.end
left.end:
  br label %join
right:
  %y = load i32, ptr addrspace(3) %p
  %y1 = mul i32 %y, 5
  store i32 %y1, ptr addrspace(3) %p
  br label %join
join:
  ret void
}

; A return or an unreachable on one side.
; CHECK-LABEL: @leaves(
; CHECK: unreachable
; CHECK: ret void
define amdgpu_kernel void @leaves(ptr addrspace(3) %p, i32 %n) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %x = load i32, ptr addrspace(3) %p
  %x1 = mul i32 %x, 5
  store i32 %x1, ptr addrspace(3) %p
  %xc = icmp sgt i32 %x, 4
  br i1 %xc, label %gone, label %join
gone:
  store volatile i32 0, ptr addrspace(3) %p
  unreachable
right:
  %y = load i32, ptr addrspace(3) %p
  %y1 = mul i32 %y, 7
  store i32 %y1, ptr addrspace(3) %p
  br label %join
join:
  ret void
}

; Both sides are the same block: nothing to meld.
; CHECK-LABEL: @same_block(
; CHECK: br i1 %c, label %join, label %join
define amdgpu_kernel void @same_block(ptr addrspace(3) %p) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %join, label %join
join:
  store i32 1, ptr addrspace(3) %p
  ret void
}

; The same with more behind it: a block is not melded with itself.
; CHECK-LABEL: @same_block_goes_on(
; CHECK: br i1 %c, label %both, label %both
; CHECK: both:
; CHECK-NEXT: %x = load i32, ptr addrspace(3) %p
; CHECK-NEXT: %x1 = udiv i32 %x, %n
; CHECK-NEXT: store i32 %x1, ptr addrspace(3) %p
; CHECK-NEXT: br label %join
define amdgpu_kernel void @same_block_goes_on(ptr addrspace(3) %p, i32 %n) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %both, label %both
both:
  %x = load i32, ptr addrspace(3) %p
  %x1 = udiv i32 %x, %n
  store i32 %x1, ptr addrspace(3) %p
  br label %join
join:
  store volatile i32 1, ptr addrspace(3) %p
  ret void
}
