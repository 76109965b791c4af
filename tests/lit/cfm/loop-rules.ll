; Legality rule 8: which loops may become one, and what their branch may still promise.
; RUN: %opt -passes=meld-cfm -S %s | FileCheck %s
; RUN: %opt -passes=meld-cfm %s | %llc -mcpu=gfx90a -o /dev/null

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"

declare i32 @llvm.amdgcn.workitem.id.x()
declare void @unknown() nounwind

; Two loops of ordinary loads and stores are one loop; the control case of this file.
; CHECK-LABEL: @plain_loops(
; CHECK: mul i32
; CHECK-NOT: mul i32
; CHECK: ret void
define amdgpu_kernel void @plain_loops(ptr addrspace(3) %p, ptr addrspace(3) %q, i32 %n, i32 %m) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %i = phi i32 [ 0, %0 ], [ %i1, %left ]
  %li = getelementptr i32, ptr addrspace(3) %p, i32 %i
  %x = load i32, ptr addrspace(3) %li
  %x1 = mul i32 %x, 3
  store i32 %x1, ptr addrspace(3) %li
  %i1 = add i32 %i, 1
  %la = icmp ult i32 %i1, %n
  br i1 %la, label %left, label %left.end
left.end:
  br label %join
right:
  %j = phi i32 [ 0, %0 ], [ %j1, %right ]
  %ri = getelementptr i32, ptr addrspace(3) %q, i32 %j
  %y = load i32, ptr addrspace(3) %ri
  %y1 = mul i32 %y, 3
  store i32 %y1, ptr addrspace(3) %ri
  %j1 = add i32 %j, 1
  %ra = icmp ult i32 %j1, %m
  br i1 %ra, label %right, label %right.end
right.end:
  br label %join
join:
  ret void
}

; A volatile load may be what a thread waits for: the loops stay apart.
; CHECK-LABEL: @volatile_load(
; CHECK: br i1 %c, label %left, label %right
; CHECK-COUNT-2: icmp ult
; CHECK: ret void
define amdgpu_kernel void @volatile_load(ptr addrspace(3) %p, ptr addrspace(3) %q, i32 %n, i32 %m) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %i = phi i32 [ 0, %0 ], [ %i1, %left ]
  %li = getelementptr i32, ptr addrspace(3) %p, i32 %i
  %x = load i32, ptr addrspace(3) %li
  %x1 = mul i32 %x, 3
  store i32 %x1, ptr addrspace(3) %li
  %lv = load volatile i32, ptr addrspace(3) %p
  %i1 = add i32 %i, 1
  %la = icmp ult i32 %i1, %n
  br i1 %la, label %left, label %left.end
left.end:
  br label %join
right:
  %j = phi i32 [ 0, %0 ], [ %j1, %right ]
  %ri = getelementptr i32, ptr addrspace(3) %q, i32 %j
  %y = load i32, ptr addrspace(3) %ri
  %y1 = mul i32 %y, 3
  store i32 %y1, ptr addrspace(3) %ri
  %rv = load volatile i32, ptr addrspace(3) %q
  %j1 = add i32 %j, 1
  %ra = icmp ult i32 %j1, %m
  br i1 %ra, label %right, label %right.end
right.end:
  br label %join
join:
  ret void
}

; So may an atomic load.
; CHECK-LABEL: @atomic_load(
; CHECK: br i1 %c, label %left, label %right
; CHECK-COUNT-2: icmp ult
; CHECK: ret void
define amdgpu_kernel void @atomic_load(ptr addrspace(3) %p, ptr addrspace(3) %q, i32 %n, i32 %m) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %i = phi i32 [ 0, %0 ], [ %i1, %left ]
  %li = getelementptr i32, ptr addrspace(3) %p, i32 %i
  %x = load i32, ptr addrspace(3) %li
  %x1 = mul i32 %x, 3
  store i32 %x1, ptr addrspace(3) %li
  %lv = load atomic i32, ptr addrspace(3) %p monotonic, align 4
  %i1 = add i32 %i, 1
  %la = icmp ult i32 %i1, %n
  br i1 %la, label %left, label %left.end
left.end:
  br label %join
right:
  %j = phi i32 [ 0, %0 ], [ %j1, %right ]
  %ri = getelementptr i32, ptr addrspace(3) %q, i32 %j
  %y = load i32, ptr addrspace(3) %ri
  %y1 = mul i32 %y, 3
  store i32 %y1, ptr addrspace(3) %ri
  %rv = load atomic i32, ptr addrspace(3) %q monotonic, align 4
  %j1 = add i32 %j, 1
  %ra = icmp ult i32 %j1, %m
  br i1 %ra, label %right, label %right.end
right.end:
  br label %join
join:
  ret void
}

define internal i32 @look(ptr addrspace(3) %p) noinline nounwind willreturn {
  %v = load atomic i32, ptr addrspace(3) %p monotonic, align 4
  ret i32 %v
}

define internal i32 @load(ptr addrspace(3) %p) noinline nounwind willreturn {
  %v = load i32, ptr addrspace(3) %p
  ret i32 %v
}

; Also one in a function that is called.
; CHECK-LABEL: @called_load(
; CHECK: br i1 %c, label %left, label %right
; CHECK-COUNT-2: icmp ult
; CHECK: ret void
define amdgpu_kernel void @called_load(ptr addrspace(3) %p, ptr addrspace(3) %q, i32 %n, i32 %m) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %i = phi i32 [ 0, %0 ], [ %i1, %left ]
  %li = getelementptr i32, ptr addrspace(3) %p, i32 %i
  %x = load i32, ptr addrspace(3) %li
  %x1 = mul i32 %x, 3
  store i32 %x1, ptr addrspace(3) %li
  %lv = call i32 @look(ptr addrspace(3) %p)
  %i1 = add i32 %i, 1
  %la = icmp ult i32 %i1, %n
  br i1 %la, label %left, label %left.end
left.end:
  br label %join
right:
  %j = phi i32 [ 0, %0 ], [ %j1, %right ]
  %ri = getelementptr i32, ptr addrspace(3) %q, i32 %j
  %y = load i32, ptr addrspace(3) %ri
  %y1 = mul i32 %y, 3
  store i32 %y1, ptr addrspace(3) %ri
  %rv = call i32 @look(ptr addrspace(3) %q)
  %j1 = add i32 %j, 1
  %ra = icmp ult i32 %j1, %m
  br i1 %ra, label %right, label %right.end
right.end:
  br label %join
join:
  ret void
}

; What the function loads is nobody's message: one loop.
; CHECK-LABEL: @called_plainly(
; CHECK-NOT: br i1 %c, label %left, label %right
; CHECK: mul i32
; CHECK-NOT: mul i32
; CHECK: ret void
define amdgpu_kernel void @called_plainly(ptr addrspace(3) %p, ptr addrspace(3) %q, i32 %n, i32 %m) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %i = phi i32 [ 0, %0 ], [ %i1, %left ]
  %li = getelementptr i32, ptr addrspace(3) %p, i32 %i
  %x = load i32, ptr addrspace(3) %li
  %x1 = mul i32 %x, 3
  store i32 %x1, ptr addrspace(3) %li
  %lv = call i32 @load(ptr addrspace(3) %p)
  %i1 = add i32 %i, 1
  %la = icmp ult i32 %i1, %n
  br i1 %la, label %left, label %left.end
left.end:
  br label %join
right:
  %j = phi i32 [ 0, %0 ], [ %j1, %right ]
  %ri = getelementptr i32, ptr addrspace(3) %q, i32 %j
  %y = load i32, ptr addrspace(3) %ri
  %y1 = mul i32 %y, 3
  store i32 %y1, ptr addrspace(3) %ri
  %rv = call i32 @load(ptr addrspace(3) %q)
  %j1 = add i32 %j, 1
  %ra = icmp ult i32 %j1, %m
  br i1 %ra, label %right, label %right.end
right.end:
  br label %join
join:
  ret void
}

; Or a fence in front of an ordinary load.
; CHECK-LABEL: @fence_in_loop(
; CHECK: br i1 %c, label %left, label %right
; CHECK-COUNT-2: icmp ult
; CHECK: ret void
define amdgpu_kernel void @fence_in_loop(ptr addrspace(3) %p, ptr addrspace(3) %q, i32 %n, i32 %m) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %i = phi i32 [ 0, %0 ], [ %i1, %left ]
  %li = getelementptr i32, ptr addrspace(3) %p, i32 %i
  %x = load i32, ptr addrspace(3) %li
  %x1 = mul i32 %x, 3
  store i32 %x1, ptr addrspace(3) %li
  fence syncscope("workgroup") acquire
  %i1 = add i32 %i, 1
  %la = icmp ult i32 %i1, %n
  br i1 %la, label %left, label %left.end
left.end:
  br label %join
right:
  %j = phi i32 [ 0, %0 ], [ %j1, %right ]
  %ri = getelementptr i32, ptr addrspace(3) %q, i32 %j
  %y = load i32, ptr addrspace(3) %ri
  %y1 = mul i32 %y, 3
  store i32 %y1, ptr addrspace(3) %ri
  fence syncscope("workgroup") acquire
  %j1 = add i32 %j, 1
  %ra = icmp ult i32 %j1, %m
  br i1 %ra, label %right, label %right.end
right.end:
  br label %join
join:
  ret void
}

; An atomic on one side alone is enough.
; CHECK-LABEL: @one_sided_atomic(
; CHECK: br i1 %c, label %left, label %right
; CHECK-COUNT-2: icmp ult
; CHECK: ret void
define amdgpu_kernel void @one_sided_atomic(ptr addrspace(3) %p, ptr addrspace(3) %q, i32 %n, i32 %m) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %i = phi i32 [ 0, %0 ], [ %i1, %left ]
  %li = getelementptr i32, ptr addrspace(3) %p, i32 %i
  %x = load i32, ptr addrspace(3) %li
  %x1 = mul i32 %x, 3
  store i32 %x1, ptr addrspace(3) %li
  %lv = atomicrmw add ptr addrspace(3) %p, i32 1 monotonic
  %i1 = add i32 %i, 1
  %la = icmp ult i32 %i1, %n
  br i1 %la, label %left, label %left.end
left.end:
  br label %join
right:
  %j = phi i32 [ 0, %0 ], [ %j1, %right ]
  %ri = getelementptr i32, ptr addrspace(3) %q, i32 %j
  %y = load i32, ptr addrspace(3) %ri
  %y1 = mul i32 %y, 3
  store i32 %y1, ptr addrspace(3) %ri
  %j1 = add i32 %j, 1
  %ra = icmp ult i32 %j1, %m
  br i1 %ra, label %right, label %right.end
right.end:
  br label %join
join:
  ret void
}

; `mustprogress` and the like stay when both loops carry the same promise,
; CHECK-LABEL: @mustprogress_both(
; CHECK: br i1 %{{.*}}, !llvm.loop ![[BOTH:[0-9]+]]
; CHECK: ret void
define amdgpu_kernel void @mustprogress_both(ptr addrspace(3) %p, ptr addrspace(3) %q, i32 %n, i32 %m) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %i = phi i32 [ 0, %0 ], [ %i1, %left ]
  %li = getelementptr i32, ptr addrspace(3) %p, i32 %i
  %x = load i32, ptr addrspace(3) %li
  %x1 = mul i32 %x, 3
  store i32 %x1, ptr addrspace(3) %li
  %i1 = add i32 %i, 1
  %la = icmp ult i32 %i1, %n
  br i1 %la, label %left, label %left.end, !llvm.loop !0
left.end:
  br label %join
right:
  %j = phi i32 [ 0, %0 ], [ %j1, %right ]
  %ri = getelementptr i32, ptr addrspace(3) %q, i32 %j
  %y = load i32, ptr addrspace(3) %ri
  %y1 = mul i32 %y, 3
  store i32 %y1, ptr addrspace(3) %ri
  %j1 = add i32 %j, 1
  %ra = icmp ult i32 %j1, %m
  br i1 %ra, label %right, label %right.end, !llvm.loop !0
right.end:
  br label %join
join:
  ret void
}

; and go when one loop alone does.
; CHECK-LABEL: @mustprogress_one(
; CHECK-NOT: !llvm.loop
; CHECK: ret void
define amdgpu_kernel void @mustprogress_one(ptr addrspace(3) %p, ptr addrspace(3) %q, i32 %n, i32 %m) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %i = phi i32 [ 0, %0 ], [ %i1, %left ]
  %li = getelementptr i32, ptr addrspace(3) %p, i32 %i
  %x = load i32, ptr addrspace(3) %li
  %x1 = mul i32 %x, 3
  store i32 %x1, ptr addrspace(3) %li
  %i1 = add i32 %i, 1
  %la = icmp ult i32 %i1, %n
  br i1 %la, label %left, label %left.end, !llvm.loop !0
left.end:
  br label %join
right:
  %j = phi i32 [ 0, %0 ], [ %j1, %right ]
  %ri = getelementptr i32, ptr addrspace(3) %q, i32 %j
  %y = load i32, ptr addrspace(3) %ri
  %y1 = mul i32 %y, 3
  store i32 %y1, ptr addrspace(3) %ri
  %j1 = add i32 %j, 1
  %ra = icmp ult i32 %j1, %m
  br i1 %ra, label %right, label %right.end
right.end:
  br label %join
join:
  ret void
}

; A value of each loop is used behind it: every thread sees the one of its own last round.
; CHECK-LABEL: @used_behind(
; CHECK: mul i32
; CHECK-NOT: mul i32
; CHECK: store volatile i32 %
; CHECK: ret void
define amdgpu_kernel void @used_behind(ptr addrspace(3) %p, ptr addrspace(3) %q, i32 %n, i32 %m) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %i = phi i32 [ 0, %0 ], [ %i1, %left ]
  %li = getelementptr i32, ptr addrspace(3) %p, i32 %i
  %x = load i32, ptr addrspace(3) %li
  %x1 = mul i32 %x, 3
  store i32 %x1, ptr addrspace(3) %li
  %i1 = add i32 %i, 1
  %la = icmp ult i32 %i1, %n
  br i1 %la, label %left, label %left.end
left.end:
  br label %join
right:
  %j = phi i32 [ 0, %0 ], [ %j1, %right ]
  %ri = getelementptr i32, ptr addrspace(3) %q, i32 %j
  %y = load i32, ptr addrspace(3) %ri
  %y1 = mul i32 %y, 3
  store i32 %y1, ptr addrspace(3) %ri
  %j1 = add i32 %j, 1
  %ra = icmp ult i32 %j1, %m
  br i1 %ra, label %right, label %right.end
right.end:
  br label %join
join:
  %v = phi i32 [ %x1, %left.end ], [ %y, %right.end ]
  store volatile i32 %v, ptr addrspace(3) %p
  ret void
}

; A side that leaves the loop of its branch runs once, behind the loop: it is not melded into the body.
; CHECK-LABEL: @one_side_leaves(
; CHECK: br i1 %c, label %stay, label %out
; CHECK: out:
; CHECK: store i32 %{{.*}}, ptr addrspace(3) %q
; CHECK: ret void
define amdgpu_kernel void @one_side_leaves(ptr addrspace(3) %p, ptr addrspace(3) %q) {
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i1, %stay ]
  %c = icmp ult i32 %i, %tid
  br i1 %c, label %stay, label %out
stay:
  %x = load i32, ptr addrspace(3) %p
  %x1 = mul i32 %x, 3
  store i32 %x1, ptr addrspace(3) %p
  %i1 = add i32 %i, 1
  br label %loop
out:
  %y = load i32, ptr addrspace(3) %q
  %y1 = mul i32 %y, 5
  store i32 %y1, ptr addrspace(3) %q
  ret void
}

; The same where both sides go on to one join and are worth it: %stay leaves the loop there, too. One body for both
; would run %out's divisions in every round, for the threads that leave in that round; now all do them together, once.
; CHECK-LABEL: @two_ways_out(
; CHECK: br i1 %c, label %stay, label %out
; CHECK: stay:
; CHECK-COUNT-2: udiv i32 {{.*}}, %n
; CHECK: br i1 %more, label %loop, label %join
; CHECK: out:
; CHECK-COUNT-2: udiv i32 {{.*}}, %n
; CHECK: ret void
define amdgpu_kernel void @two_ways_out(ptr addrspace(3) %p, ptr addrspace(3) %q, i32 %n) {
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i1, %stay ]
  %c = icmp ult i32 %i, %tid
  br i1 %c, label %stay, label %out
stay:
  %x = load i32, ptr addrspace(3) %p
  %x1 = udiv i32 %x, %n
  %x2 = xor i32 %x1, 7
  %x3 = udiv i32 %x2, %n
  store i32 %x3, ptr addrspace(3) %p
  %i1 = add i32 %i, 1
  %more = icmp ult i32 %i1, %n
  br i1 %more, label %loop, label %join
out:
  %y = load i32, ptr addrspace(3) %q
  %y1 = udiv i32 %y, %n
  %y2 = xor i32 %y1, 7
  %y3 = udiv i32 %y2, %n
  store i32 %y3, ptr addrspace(3) %q
  br label %join
join:
  ret void
}

; The control case: the same sides within the loop become one body.
; CHECK-LABEL: @both_stay(
; CHECK-COUNT-2: udiv i32 {{.*}}, %n
; CHECK-NOT: udiv
; CHECK: ret void
define amdgpu_kernel void @both_stay(ptr addrspace(3) %p, ptr addrspace(3) %q, i32 %n) {
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i1, %next ]
  %c = icmp ult i32 %i, %tid
  br i1 %c, label %left, label %right
left:
  %x = load i32, ptr addrspace(3) %p
  %x1 = udiv i32 %x, %n
  %x2 = xor i32 %x1, 7
  %x3 = udiv i32 %x2, %n
  store i32 %x3, ptr addrspace(3) %p
  br label %next
right:
  %y = load i32, ptr addrspace(3) %q
  %y1 = udiv i32 %y, %n
  %y2 = xor i32 %y1, 7
  %y3 = udiv i32 %y2, %n
  store i32 %y3, ptr addrspace(3) %q
  br label %next
next:
  %i1 = add i32 %i, 1
  %more = icmp ult i32 %i1, %n
  br i1 %more, label %loop, label %join
join:
  ret void
}

; Loops of several blocks, the latch not the head: the whole loop is the part, not what comes before its latch.
; CHECK-LABEL: @if_in_loop(
; CHECK: load i32
; CHECK-NOT: load
; CHECK: store i32 77
; CHECK-NOT: store i32 77
; CHECK: udiv i32
; CHECK-NOT: udiv
; CHECK: ret void
define amdgpu_kernel void @if_in_loop(ptr addrspace(3) %p, ptr addrspace(3) %q, i32 %n, i32 %m) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %i = phi i32 [ 0, %0 ], [ %i1, %left.latch ]
  %li = getelementptr i32, ptr addrspace(3) %p, i32 %i
  %x = load i32, ptr addrspace(3) %li
  %lc = icmp sgt i32 %x, 4
  br i1 %lc, label %left.then, label %left.latch
left.then:
  store i32 77, ptr addrspace(3) %li
  br label %left.latch
left.latch:
  %x1 = udiv i32 %x, %n
  store i32 %x1, ptr addrspace(3) %li
  %i1 = add i32 %i, 1
  %la = icmp ult i32 %i1, %n
  br i1 %la, label %left, label %left.end
left.end:
  br label %join
right:
  %j = phi i32 [ 0, %0 ], [ %j1, %right.latch ]
  %ri = getelementptr i32, ptr addrspace(3) %q, i32 %j
  %y = load i32, ptr addrspace(3) %ri
  %rc = icmp sgt i32 %y, 4
  br i1 %rc, label %right.then, label %right.latch
right.then:
  store i32 77, ptr addrspace(3) %ri
  br label %right.latch
right.latch:
  %y1 = udiv i32 %y, %m
  store i32 %y1, ptr addrspace(3) %ri
  %j1 = add i32 %j, 1
  %ra = icmp ult i32 %j1, %m
  br i1 %ra, label %right, label %right.end
right.end:
  br label %join
join:
  ret void
}

; A self-loop on one side, straight code on the other: the loop stays on its side.
; CHECK-LABEL: @self_loop_alone(
; CHECK: phi i32
; CHECK: icmp ult
; CHECK: br i1
; CHECK: ret void
define amdgpu_kernel void @self_loop_alone(ptr addrspace(3) %p, i32 %n) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %i = phi i32 [ 0, %0 ], [ %i1, %left ]
  %x = load i32, ptr addrspace(3) %p
  %x1 = mul i32 %x, 3
  store i32 %x1, ptr addrspace(3) %p
  %i1 = add i32 %i, 1
  %la = icmp ult i32 %i1, %n
  br i1 %la, label %left, label %left.end
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

; A loop without exit on one side: no post-dominator, nothing moves into it.
; CHECK-LABEL: @one_endless(
; CHECK: br i1 %c, label %left, label %right
; CHECK: br label %left
; CHECK: ret void
define amdgpu_kernel void @one_endless(ptr addrspace(3) %p, ptr addrspace(3) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  store i32 1, ptr addrspace(3) %p
  br label %left
right:
  store i32 2, ptr addrspace(3) %q
  ret void
}

; Loops in loops, each with its own exits.
; CHECK-LABEL: @nested_loops(
; CHECK: mul i32
; CHECK-NOT: mul i32
; CHECK: ret void
define amdgpu_kernel void @nested_loops(ptr addrspace(3) %p, ptr addrspace(3) %q, i32 %n, i32 %m) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %i = phi i32 [ 0, %0 ], [ %i1, %left.latch ]
  br label %left.inner
left.inner:
  %k = phi i32 [ 0, %left ], [ %k1, %left.inner ]
  %x = load i32, ptr addrspace(3) %p
  %x1 = mul i32 %x, %k
  store i32 %x1, ptr addrspace(3) %p
  %k1 = add i32 %k, 1
  %kc = icmp ult i32 %k1, %n
  br i1 %kc, label %left.inner, label %left.latch
left.latch:
  %i1 = add i32 %i, 1
  %ic = icmp ult i32 %i1, %tid
  br i1 %ic, label %left, label %left.end
left.end:
  br label %join
right:
  %j = phi i32 [ 0, %0 ], [ %j1, %right.latch ]
  br label %right.inner
right.inner:
  %l = phi i32 [ 0, %right ], [ %l1, %right.inner ]
  %y = load i32, ptr addrspace(3) %q
  %y1 = mul i32 %y, %l
  store i32 %y1, ptr addrspace(3) %q
  %l1 = add i32 %l, 1
  %lc = icmp ult i32 %l1, %m
  br i1 %lc, label %right.inner, label %right.latch
right.latch:
  %j1 = add i32 %j, 1
  %jc = icmp ult i32 %j1, %tid
  br i1 %jc, label %right, label %right.end
right.end:
  br label %join
join:
  ret void
}

; CHECK: ![[BOTH]] = distinct !{![[BOTH]], ![[PROMISE:[0-9]+]]}
; CHECK: ![[PROMISE]] = !{!"llvm.loop.mustprogress"}
!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.mustprogress"}
