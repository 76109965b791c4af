; Sides that have nothing alike run behind selects where that costs less than the branch, also for a
; wave whose lanes all take one side.
; RUN: %opt -passes=meld-cfm -S %s | FileCheck %s

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"

declare i32 @llvm.amdgcn.workitem.id.x()

; CHECK-LABEL: @short(
; CHECK-NOT: br i1
; CHECK: %[[F:.*]] = xor i32 %v, 85
; CHECK: %[[M:.*]] = mul i32 %v, 31
; CHECK: %[[A:.*]] = add i32 %[[M]], %x
; CHECK: select i1 %c, i32 %[[A]], i32 %[[F]]
; CHECK-NOT: br i1
; CHECK: ret void
define amdgpu_kernel void @short(ptr addrspace(1) %p, i32 %x) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  %v = load i32, ptr addrspace(1) %p
  br i1 %c, label %left, label %right
left:
  %m = mul i32 %v, 31
  %a = add i32 %m, %x
  br label %join
right:
  %f = xor i32 %v, 85
  br label %join
join:
  %r = phi i32 [ %a, %left ], [ %f, %right ]
  store i32 %r, ptr addrspace(1) %p
  ret void
}

; The same sides, but for a wave of one side the other is more work than the branch.
; CHECK-LABEL: @long(
; CHECK: br i1 %c, label %left, label %right
; CHECK: phi i32
define amdgpu_kernel void @long(ptr addrspace(1) %p, i32 %x) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  %v = load i32, ptr addrspace(1) %p
  br i1 %c, label %left, label %right
left:
  %m1 = mul i32 %v, 31
  %m2 = mul i32 %m1, %x
  %m3 = mul i32 %m2, 33
  %m4 = mul i32 %m3, %x
  %m5 = mul i32 %m4, 37
  br label %join
right:
  %f = xor i32 %v, 85
  br label %join
join:
  %r = phi i32 [ %m5, %left ], [ %f, %right ]
  store i32 %r, ptr addrspace(1) %p
  ret void
}

; Behind them one side has a loop, so that a branch stays: what a wave of the other side runs is more.
; CHECK-LABEL: @branch_stays(
; CHECK: br i1 %c, label %left, label %right
; CHECK: ret void
define amdgpu_kernel void @branch_stays(ptr addrspace(1) %p, i32 %x) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  %v = load i32, ptr addrspace(1) %p
  br i1 %c, label %left, label %right
left:
  %m1 = mul i32 %v, 31
  %m2 = mul i32 %m1, %x
  br label %loop
loop:
  %i = phi i32 [ 0, %left ], [ %next, %loop ]
  %s = phi i32 [ %m2, %left ], [ %square, %loop ]
  %square = mul i32 %s, %s
  %next = add i32 %i, 1
  %below = icmp ult i32 %next, %v
  br i1 %below, label %loop, label %join
right:
  %f = xor i32 %v, 85
  br label %join
join:
  %r = phi i32 [ %square, %loop ], [ %f, %right ]
  store i32 %r, ptr addrspace(1) %p
  ret void
}

; A store needs a branch of its own.
; CHECK-LABEL: @guarded(
; CHECK: br i1 %c, label %left, label %right
; CHECK: phi i32
define amdgpu_kernel void @guarded(ptr addrspace(1) %p, ptr addrspace(3) %q, i32 %x) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  %v = load i32, ptr addrspace(1) %p
  br i1 %c, label %left, label %right
left:
  store i32 %x, ptr addrspace(3) %q
  br label %join
right:
  %f = xor i32 %v, 85
  br label %join
join:
  %r = phi i32 [ %v, %left ], [ %f, %right ]
  store i32 %r, ptr addrspace(1) %p
  ret void
}

; Two loops without anything alike: a lane that is through with its own would wait for the other.
; CHECK-LABEL: @loops(
; CHECK: br i1 %c, label %left, label %right
; CHECK: ret void
define amdgpu_kernel void @loops() {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  %short = trunc i32 %tid to i16
  br i1 %c, label %left, label %right
left:
  %i = phi i32 [ 0, %0 ], [ %a, %left ]
  %a = add nuw nsw i32 %i, 3
  %below = icmp ult i32 %a, %tid
  br i1 %below, label %left, label %join
right:
  %j = phi i16 [ 0, %0 ], [ %b, %right ]
  %b = add nuw nsw i16 %j, 1
  %less = icmp ult i16 %b, %short
  br i1 %less, label %right, label %join
join:
  ret void
}

; Sides that go on to different blocks: a branch stays behind them, so that none is saved.
; CHECK-LABEL: @apart(
; CHECK: br i1 %c, label %left, label %right
; CHECK: ret void
define amdgpu_kernel void @apart(ptr addrspace(1) %p, i32 %x) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  %v = load i32, ptr addrspace(1) %p
  %above = icmp ugt i32 %tid, %x
  br i1 %above, label %head, label %shared
head:
  br i1 %c, label %left, label %right
left:
  %a = shl i32 %v, 3
  br label %join
right:
  %f = xor i32 %v, 85
  br label %shared
shared:
  %s = phi i32 [ %f, %right ], [ %v, %0 ]
  store volatile i32 %s, ptr addrspace(1) %p
  br label %join
join:
  %r = phi i32 [ %a, %left ], [ %s, %shared ]
  store i32 %r, ptr addrspace(1) %p
  ret void
}

; The same holds where the sides have pairs in front: there the plan of the whole branch has some, so that whether branches go
; is not asked of it as a whole, and what has none is judged by itself. First one that is melded: no branch stays behind the
; regions, and a wave of one side runs little more.
; CHECK-LABEL: @short_behind_pairs(
; CHECK: udiv
; CHECK-NOT: udiv
; CHECK-NOT: br i1
; CHECK: ret void
define amdgpu_kernel void @short_behind_pairs(ptr addrspace(1) %p, i32 %x) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  %v = load i32, ptr addrspace(1) %p
  %above = icmp ugt i32 %tid, %x
  br i1 %c, label %left, label %right
left:
  br i1 %above, label %left.then, label %left.tail
left.then:
  %d1 = udiv i32 %v, %tid
  store i32 %d1, ptr addrspace(1) %p
  br label %left.tail
left.tail:
  %a = shl i32 %v, 3
  br label %join
right:
  br i1 %above, label %right.then, label %right.tail
right.then:
  %d2 = udiv i32 %x, %tid
  store i32 %d2, ptr addrspace(1) %p
  br label %right.tail
right.tail:
  %f = xor i32 %v, 85
  br label %join
join:
  %r = phi i32 [ %a, %left.tail ], [ %f, %right.tail ]
  store i32 %r, ptr addrspace(1) %p
  ret void
}

; A store behind the regions needs a branch of its own: that would only take the place of the one around both sides' ends, and a
; select would come behind it.
; CHECK-LABEL: @guarded_behind_pairs(
; CHECK: udiv
; CHECK-NOT: udiv
; CHECK: br i1 %c, label %left.tail, label %right.tail
; CHECK: right.tail:
; CHECK-NEXT: %f = xor i32 %v, 85
; CHECK: ret void
define amdgpu_kernel void @guarded_behind_pairs(ptr addrspace(1) %p, ptr addrspace(3) %q, i32 %x) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  %v = load i32, ptr addrspace(1) %p
  %above = icmp ugt i32 %tid, %x
  br i1 %c, label %left, label %right
left:
  br i1 %above, label %left.then, label %left.tail
left.then:
  %d1 = udiv i32 %v, %tid
  store i32 %d1, ptr addrspace(1) %p
  br label %left.tail
left.tail:
  store i32 %x, ptr addrspace(3) %q
  br label %join
right:
  br i1 %above, label %right.then, label %right.tail
right.then:
  %d2 = udiv i32 %x, %tid
  store i32 %d2, ptr addrspace(1) %p
  br label %right.tail
right.tail:
  %f = xor i32 %v, 85
  br label %join
join:
  %r = phi i32 [ %v, %left.tail ], [ %f, %right.tail ]
  store i32 %r, ptr addrspace(1) %p
  ret void
}

; One side has a loop behind them, too: a branch around it stays, and what has no pair stays behind it.
; CHECK-LABEL: @branch_stays_behind_pairs(
; CHECK: udiv
; CHECK-NOT: udiv
; CHECK: br i1 %c, label %left.tail, label %right.tail
; CHECK: left.tail:
; CHECK-NEXT: %m = mul i32 %v, 31
; CHECK: right.tail:
; CHECK-NEXT: %f = xor i32 %v, 85
; CHECK: ret void
define amdgpu_kernel void @branch_stays_behind_pairs(ptr addrspace(1) %p, i32 %x) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  %v = load i32, ptr addrspace(1) %p
  %above = icmp ugt i32 %tid, %x
  br i1 %c, label %left, label %right
left:
  br i1 %above, label %left.then, label %left.tail
left.then:
  %d1 = udiv i32 %v, %tid
  store i32 %d1, ptr addrspace(1) %p
  br label %left.tail
left.tail:
  %m = mul i32 %v, 31
  br label %loop
loop:
  %i = phi i32 [ 0, %left.tail ], [ %next, %loop ]
  %s = phi i32 [ %m, %left.tail ], [ %square, %loop ]
  %square = mul i32 %s, %s
  %next = add i32 %i, 1
  %below = icmp ult i32 %next, %v
  br i1 %below, label %loop, label %join
right:
  br i1 %above, label %right.then, label %right.tail
right.then:
  %d2 = udiv i32 %x, %tid
  store i32 %d2, ptr addrspace(1) %p
  br label %right.tail
right.tail:
  %f = xor i32 %v, 85
  br label %join
join:
  %r = phi i32 [ %square, %loop ], [ %f, %right.tail ]
  store i32 %r, ptr addrspace(1) %p
  ret void
}

; The sides go on to different blocks behind them: the branch that takes them there is where they part.
; CHECK-LABEL: @apart_behind_pairs(
; CHECK: udiv
; CHECK-NOT: udiv
; CHECK: br i1 %c, label %left.tail, label %right.tail
; CHECK: left.tail:
; CHECK-NEXT: %a = shl i32 %v, 3
; CHECK: right.tail:
; CHECK-NEXT: %f = xor i32 %v, 85
; CHECK: ret void
define amdgpu_kernel void @apart_behind_pairs(ptr addrspace(1) %p, i32 %x) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  %v = load i32, ptr addrspace(1) %p
  %above = icmp ugt i32 %tid, %x
  %far = icmp ugt i32 %tid, 7
  br i1 %far, label %head, label %shared
head:
  br i1 %c, label %left, label %right
left:
  br i1 %above, label %left.then, label %left.tail
left.then:
  %d1 = udiv i32 %v, %tid
  store i32 %d1, ptr addrspace(1) %p
  br label %left.tail
left.tail:
  %a = shl i32 %v, 3
  br label %join
right:
  br i1 %above, label %right.then, label %right.tail
right.then:
  %d2 = udiv i32 %x, %tid
  store i32 %d2, ptr addrspace(1) %p
  br label %right.tail
right.tail:
  %f = xor i32 %v, 85
  br label %shared
shared:
  %s = phi i32 [ %f, %right.tail ], [ %v, %0 ]
  store volatile i32 %s, ptr addrspace(1) %p
  br label %join
join:
  %r = phi i32 [ %a, %left.tail ], [ %s, %shared ]
  store i32 %r, ptr addrspace(1) %p
  ret void
}
