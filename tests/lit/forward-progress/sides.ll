; Where threads of one side of a branch may wait for those of the other, the branch is left as it is
; (passes/analysis/forward_progress.h).
; RUN: %opt -passes='meld<min-profit=-1000000;no-unpredicate;no-uniform-branch>' -S %s -o %t.melded
; RUN: FileCheck %s < %t.melded
; RUN: %opt -passes='meld-cfm<min-profit=-1000000>' -disable-output -pass-remarks-missed=meld %s 2>&1 | FileCheck %s --check-prefix=REMARK
; REMARK: meld-cfm left %entry: threads of one side may wait for those of the other

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"

declare i32 @llvm.amdgcn.workitem.id.x()

; The same lock on both sides: what is behind the loops would be behind both of them.
; CHECK-LABEL: @two_locks(
; CHECK: br i1 %c, label %left, label %right
; CHECK-COUNT-4: udiv
; CHECK-NOT: udiv
; CHECK: ret void
define amdgpu_kernel void @two_locks(ptr addrspace(1) %lock, ptr addrspace(1) %p, ptr addrspace(1) %q, i32 %n) {
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  br label %left.spin
left.spin:
  %left.pair = cmpxchg ptr addrspace(1) %lock, i32 0, i32 1 monotonic monotonic
  %left.got = extractvalue { i32, i1 } %left.pair, 1
  br i1 %left.got, label %left.work, label %left.spin
left.work:
  %left.x = load i32, ptr addrspace(1) %p
  %left.x1 = udiv i32 %left.x, %n
  %left.x2 = xor i32 %left.x1, 7
  %left.x3 = udiv i32 %left.x2, %n
  store i32 %left.x3, ptr addrspace(1) %p
  br label %left.out
left.out:
  store atomic i32 0, ptr addrspace(1) %lock syncscope("agent") release, align 4
  br label %join
right:
  br label %right.spin
right.spin:
  %right.pair = cmpxchg ptr addrspace(1) %lock, i32 0, i32 1 monotonic monotonic
  %right.got = extractvalue { i32, i1 } %right.pair, 1
  br i1 %right.got, label %right.work, label %right.spin
right.work:
  %right.x = load i32, ptr addrspace(1) %q
  %right.x1 = udiv i32 %right.x, %n
  %right.x2 = xor i32 %right.x1, 7
  %right.x3 = udiv i32 %right.x2, %n
  store i32 %right.x3, ptr addrspace(1) %q
  br label %right.out
right.out:
  store atomic i32 0, ptr addrspace(1) %lock syncscope("agent") release, align 4
  br label %join
join:
  ret void
}

; What is in front would come before the other side's loop, and with it what the loop waits for to stay so.
; CHECK-LABEL: @in_front(
; CHECK: br i1 %c, label %left, label %right
; CHECK-COUNT-4: udiv
; CHECK-NOT: udiv
; CHECK: ret void
define amdgpu_kernel void @in_front(ptr addrspace(1) %lock, ptr addrspace(1) %p, ptr addrspace(1) %q, i32 %n) {
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %left.x = load i32, ptr addrspace(1) %p
  %left.x1 = udiv i32 %left.x, %n
  %left.x2 = xor i32 %left.x1, 7
  %left.x3 = udiv i32 %left.x2, %n
  store i32 %left.x3, ptr addrspace(1) %p
  br label %left.spin
left.spin:
  %left.pair = cmpxchg ptr addrspace(1) %lock, i32 0, i32 1 monotonic monotonic
  %left.got = extractvalue { i32, i1 } %left.pair, 1
  br i1 %left.got, label %left.out, label %left.spin
left.out:
  store atomic i32 0, ptr addrspace(1) %lock syncscope("agent") release, align 4
  br label %join
right:
  %right.x = load i32, ptr addrspace(1) %q
  %right.x1 = udiv i32 %right.x, %n
  %right.x2 = xor i32 %right.x1, 7
  %right.x3 = udiv i32 %right.x2, %n
  store i32 %right.x3, ptr addrspace(1) %q
  br label %right.spin
right.spin:
  %right.pair = cmpxchg ptr addrspace(1) %lock, i32 0, i32 1 monotonic monotonic
  %right.got = extractvalue { i32, i1 } %right.pair, 1
  br i1 %right.got, label %right.out, label %right.spin
right.out:
  store atomic i32 0, ptr addrspace(1) %lock syncscope("agent") release, align 4
  br label %join
join:
  ret void
}

; One side sets the flag that the other waits for: code without effects stays apart as well.
; CHECK-LABEL: @flag(
; CHECK: br i1 %c, label %left, label %right
; CHECK-COUNT-4: udiv
; CHECK-NOT: udiv
; CHECK: ret void
define amdgpu_kernel void @flag(ptr addrspace(1) %lock, ptr addrspace(1) %p, ptr addrspace(1) %q, i32 %n) {
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %left.x = load i32, ptr addrspace(1) %p
  %left.x1 = udiv i32 %left.x, %n
  %left.x2 = xor i32 %left.x1, 7
  %left.x3 = udiv i32 %left.x2, %n
  store i32 %left.x3, ptr addrspace(1) %p
  store atomic i32 1, ptr addrspace(1) %lock syncscope("agent") release, align 4
  br label %join
right:
  %flag = load atomic i32, ptr addrspace(1) %lock monotonic, align 4
  %zero = icmp eq i32 %flag, 0
  br i1 %zero, label %right, label %right.work
right.work:
  %right.x = load i32, ptr addrspace(1) %q
  %right.x1 = udiv i32 %right.x, %n
  %right.x2 = xor i32 %right.x1, 7
  %right.x3 = udiv i32 %right.x2, %n
  br label %join
join:
  ret void
}

; Where the other side has nothing that could be noticed, its code is joined; the loop stays on its side.
; CHECK-LABEL: @nothing_to_wait_for(
; CHECK-COUNT-2: udiv
; CHECK-NOT: udiv
; CHECK: ret void
define amdgpu_kernel void @nothing_to_wait_for(ptr addrspace(1) %lock, ptr addrspace(1) %p, ptr addrspace(1) %q, i32 %n) {
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  br label %left.spin
left.spin:
  %left.pair = cmpxchg ptr addrspace(1) %lock, i32 0, i32 1 monotonic monotonic
  %left.got = extractvalue { i32, i1 } %left.pair, 1
  br i1 %left.got, label %left.work, label %left.spin
left.work:
  %left.x = load i32, ptr addrspace(1) %p
  %left.x1 = udiv i32 %left.x, %n
  %left.x2 = xor i32 %left.x1, 7
  %left.x3 = udiv i32 %left.x2, %n
  store i32 %left.x3, ptr addrspace(1) %p
  br label %left.out
left.out:
  store atomic i32 0, ptr addrspace(1) %lock syncscope("agent") release, align 4
  br label %join
right:
  %right.x = load i32, ptr addrspace(1) %q
  %right.x1 = udiv i32 %right.x, %n
  %right.x2 = xor i32 %right.x1, 7
  %right.x3 = udiv i32 %right.x2, %n
  br label %join
join:
  %r = phi i32 [ 0, %left.out ], [ %right.x3, %right ]
  store i32 %r, ptr addrspace(1) %q
  ret void
}

; Loops that end by their own counters, atomics in them or not, forbid nothing behind them.
; CHECK-LABEL: @counted(
; CHECK-COUNT-2: udiv
; CHECK-NOT: udiv
; CHECK: ret void
define amdgpu_kernel void @counted(ptr addrspace(1) %lock, ptr addrspace(1) %p, ptr addrspace(1) %q, i32 %n) {
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %i = phi i32 [ 0, %entry ], [ %i1, %left ]
  %lo = atomicrmw add ptr addrspace(1) %lock, i32 1 monotonic
  %i1 = add i32 %i, 1
  %lc = icmp ult i32 %i1, %n
  br i1 %lc, label %left, label %left.work
left.work:
  %left.x = load i32, ptr addrspace(1) %p
  %left.x1 = udiv i32 %left.x, %n
  %left.x2 = xor i32 %left.x1, 7
  %left.x3 = udiv i32 %left.x2, %n
  store i32 %left.x3, ptr addrspace(1) %p
  br label %join
right:
  %j = phi i32 [ 0, %entry ], [ %j1, %right ]
  %ro = atomicrmw sub ptr addrspace(1) %lock, i32 1 monotonic
  %j1 = add i32 %j, 1
  %rc = icmp ult i32 %j1, %n
  br i1 %rc, label %right, label %right.work
right.work:
  %right.x = load i32, ptr addrspace(1) %q
  %right.x1 = udiv i32 %right.x, %n
  %right.x2 = xor i32 %right.x1, 7
  %right.x3 = udiv i32 %right.x2, %n
  store i32 %right.x3, ptr addrspace(1) %q
  br label %join
join:
  ret void
}

; The loop is in a function that both call: as one call it would be entered by both at once.
; CHECK-LABEL: @in_a_call(
; CHECK: br i1 %c, label %left, label %right
; CHECK-COUNT-4: udiv
; CHECK-NOT: udiv
; CHECK: ret void
define amdgpu_kernel void @in_a_call(ptr addrspace(1) %lock, ptr addrspace(1) %p, ptr addrspace(1) %q, i32 %n) {
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  call void @take(ptr addrspace(1) %lock)
  %left.x = load i32, ptr addrspace(1) %p
  %left.x1 = udiv i32 %left.x, %n
  %left.x2 = xor i32 %left.x1, 7
  %left.x3 = udiv i32 %left.x2, %n
  store i32 %left.x3, ptr addrspace(1) %p
  br label %left.out
left.out:
  store atomic i32 0, ptr addrspace(1) %lock syncscope("agent") release, align 4
  br label %join
right:
  call void @take(ptr addrspace(1) %lock)
  %right.x = load i32, ptr addrspace(1) %q
  %right.x1 = udiv i32 %right.x, %n
  %right.x2 = xor i32 %right.x1, 7
  %right.x3 = udiv i32 %right.x2, %n
  store i32 %right.x3, ptr addrspace(1) %q
  br label %right.out
right.out:
  store atomic i32 0, ptr addrspace(1) %lock syncscope("agent") release, align 4
  br label %join
join:
  ret void
}

define hidden void @take(ptr addrspace(1) %lock) {
entry:
  br label %spin
spin:
  %pair = cmpxchg ptr addrspace(1) %lock, i32 0, i32 1 monotonic monotonic
  %got = extractvalue { i32, i1 } %pair, 1
  br i1 %got, label %done, label %spin
done:
  ret void
}

; A cycle with two entries waits as well as a loop.
; CHECK-LABEL: @several_entries(
; CHECK: br i1 %c, label %left, label %right
; CHECK-COUNT-4: udiv
; CHECK-NOT: udiv
; CHECK: ret void
define amdgpu_kernel void @several_entries(ptr addrspace(1) %lock, ptr addrspace(1) %p, ptr addrspace(1) %q, i32 %n) {
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %lw = icmp eq i32 %n, 3
  br i1 %lw, label %left.a, label %left.b
left.a:
  %left.f = load atomic i32, ptr addrspace(1) %lock monotonic, align 4
  %left.z = icmp eq i32 %left.f, 0
  br i1 %left.z, label %left.b, label %left.work
left.b:
  %left.g = load atomic i32, ptr addrspace(1) %lock monotonic, align 4
  %left.y = icmp eq i32 %left.g, 2
  br i1 %left.y, label %left.work, label %left.a
left.work:
  %left.x = load i32, ptr addrspace(1) %p
  %left.x1 = udiv i32 %left.x, %n
  %left.x2 = xor i32 %left.x1, 7
  %left.x3 = udiv i32 %left.x2, %n
  store i32 %left.x3, ptr addrspace(1) %p
  br label %left.out
left.out:
  store atomic i32 0, ptr addrspace(1) %lock syncscope("agent") release, align 4
  br label %join
right:
  %right.x = load i32, ptr addrspace(1) %q
  %right.x1 = udiv i32 %right.x, %n
  %right.x2 = xor i32 %right.x1, 7
  %right.x3 = udiv i32 %right.x2, %n
  store i32 %right.x3, ptr addrspace(1) %q
  br label %join
join:
  ret void
}

; In an if of a side.
; CHECK-LABEL: @within_an_if(
; CHECK: br i1 %c, label %left, label %right
; CHECK-COUNT-4: udiv
; CHECK-NOT: udiv
; CHECK: ret void
define amdgpu_kernel void @within_an_if(ptr addrspace(1) %lock, ptr addrspace(1) %p, ptr addrspace(1) %q, i32 %n) {
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %lc = icmp ugt i32 %n, 5
  br i1 %lc, label %left.spin, label %left.work
left.spin:
  %left.pair = cmpxchg ptr addrspace(1) %lock, i32 0, i32 1 monotonic monotonic
  %left.got = extractvalue { i32, i1 } %left.pair, 1
  br i1 %left.got, label %left.work, label %left.spin
left.work:
  %left.x = load i32, ptr addrspace(1) %p
  %left.x1 = udiv i32 %left.x, %n
  %left.x2 = xor i32 %left.x1, 7
  %left.x3 = udiv i32 %left.x2, %n
  store i32 %left.x3, ptr addrspace(1) %p
  br label %join
right:
  %rc = icmp ugt i32 %n, 6
  br i1 %rc, label %right.then, label %right.work
right.then:
  store i32 1, ptr addrspace(1) %lock
  br label %right.work
right.work:
  %right.x = load i32, ptr addrspace(1) %q
  %right.x1 = udiv i32 %right.x, %n
  %right.x2 = xor i32 %right.x1, 7
  %right.x3 = udiv i32 %right.x2, %n
  store i32 %right.x3, ptr addrspace(1) %q
  br label %join
join:
  ret void
}

; Behind the arms, but before the ways meet: another way leads to both %far and %near.
; CHECK-LABEL: @behind_the_arms(
; CHECK: br i1 %c, label %left, label %right
; CHECK-COUNT-4: udiv
; CHECK-NOT: udiv
; CHECK: ret void
define amdgpu_kernel void @behind_the_arms(ptr addrspace(1) %lock, ptr addrspace(1) %p, ptr addrspace(1) %q, i32 %n) {
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %three = icmp ugt i32 %tid, 40
  br i1 %three, label %third, label %part
third:
  %t = icmp ugt i32 %tid, 50
  br i1 %t, label %far, label %near
part:
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %left.x = load i32, ptr addrspace(1) %p
  %left.x1 = udiv i32 %left.x, %n
  %left.x2 = xor i32 %left.x1, 7
  %left.x3 = udiv i32 %left.x2, %n
  store i32 %left.x3, ptr addrspace(1) %p
  br label %far
right:
  %right.x = load i32, ptr addrspace(1) %q
  %right.x1 = udiv i32 %right.x, %n
  %right.x2 = xor i32 %right.x1, 7
  %right.x3 = udiv i32 %right.x2, %n
  store i32 %right.x3, ptr addrspace(1) %q
  br label %near
far:
  %flag = load atomic i32, ptr addrspace(1) %lock monotonic, align 4
  %zero = icmp eq i32 %flag, 0
  br i1 %zero, label %far, label %join
near:
  store atomic i32 1, ptr addrspace(1) %lock syncscope("agent") release, align 4
  br label %join
join:
  ret void
}

; An else-if of three: the first way waits, the other two do not; they are joined with each other alone.
; CHECK-LABEL: @else_if(
; CHECK: br i1 %c, label %left, label %other
; CHECK-COUNT-4: udiv
; CHECK-NOT: udiv
; CHECK: ret void
define amdgpu_kernel void @else_if(ptr addrspace(1) %lock, ptr addrspace(1) %p, ptr addrspace(1) %q, i32 %n) {
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %other
left:
  %flag = load atomic i32, ptr addrspace(1) %lock monotonic, align 4
  %zero = icmp eq i32 %flag, 0
  br i1 %zero, label %left, label %left.work
left.work:
  %x = load i32, ptr addrspace(1) %p
  %x1 = udiv i32 %x, %n
  %x2 = xor i32 %x1, 7
  %x3 = udiv i32 %x2, %n
  store i32 %x3, ptr addrspace(1) %p
  br label %join
other:
  %d = icmp ugt i32 %tid, 5
  br i1 %d, label %l, label %r
l:
  %y = load i32, ptr addrspace(1) %p
  %y1 = udiv i32 %y, %n
  %y2 = xor i32 %y1, 7
  %y3 = udiv i32 %y2, %n
  store i32 %y3, ptr addrspace(1) %p
  br label %join
r:
  %z = load i32, ptr addrspace(1) %q
  %z1 = udiv i32 %z, %n
  %z2 = xor i32 %z1, 7
  %z3 = udiv i32 %z2, %n
  store i32 %z3, ptr addrspace(1) %q
  br label %join
join:
  ret void
}

; In the round of a loop that waits, the sides may be joined: each round ends.
; CHECK-LABEL: @in_a_round(
; CHECK-COUNT-2: udiv
; CHECK-NOT: udiv
; CHECK: ret void
define amdgpu_kernel void @in_a_round(ptr addrspace(1) %lock, ptr addrspace(1) %p, ptr addrspace(1) %q, i32 %n) {
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  br label %loop
loop:
  %pair = cmpxchg ptr addrspace(1) %lock, i32 0, i32 1 monotonic monotonic
  %got = extractvalue { i32, i1 } %pair, 1
  br i1 %got, label %left, label %right
left:
  %y = load i32, ptr addrspace(1) %p
  %y1 = udiv i32 %y, %n
  %y2 = xor i32 %y1, 7
  %y3 = udiv i32 %y2, %n
  store i32 %y3, ptr addrspace(1) %p
  store atomic i32 0, ptr addrspace(1) %lock syncscope("agent") release, align 4
  br label %latch
right:
  %z = load i32, ptr addrspace(1) %q
  %z1 = udiv i32 %z, %n
  %z2 = xor i32 %z1, 7
  %z3 = udiv i32 %z2, %n
  store i32 %z3, ptr addrspace(1) %q
  br label %latch
latch:
  %done = phi i1 [ true, %left ], [ false, %right ]
  br i1 %done, label %out, label %loop
out:
  ret void
}

; A side that leaves a cycle of two entries comes behind it, for all threads together: it is not melded into the round.
; CHECK-LABEL: @leaves_several_entries(
; CHECK: br i1 %got, label %left, label %right
; CHECK-COUNT-4: udiv
; CHECK-NOT: udiv
; CHECK: ret void
define amdgpu_kernel void @leaves_several_entries(ptr addrspace(1) %lock, ptr addrspace(1) %p, ptr addrspace(1) %q, i32 %n) {
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %a, label %b
a:
  br label %b
b:
  %pair = cmpxchg ptr addrspace(1) %lock, i32 0, i32 1 monotonic monotonic
  %got = extractvalue { i32, i1 } %pair, 1
  br i1 %got, label %left, label %right
left:
  %y = load i32, ptr addrspace(1) %p
  %y1 = udiv i32 %y, %n
  %y2 = xor i32 %y1, 7
  %y3 = udiv i32 %y2, %n
  store i32 %y3, ptr addrspace(1) %p
  br label %join
right:
  %z = load i32, ptr addrspace(1) %q
  %z1 = udiv i32 %z, %n
  %z2 = xor i32 %z1, 7
  %z3 = udiv i32 %z2, %n
  store i32 %z3, ptr addrspace(1) %q
  %again = icmp ult i32 %z3, %n
  br i1 %again, label %a, label %join
join:
  ret void
}

; A loop that polls by a call stays apart from its like, as one that polls by an atomic does.
; CHECK-LABEL: @no_wait_in_a_pair(
; CHECK: call i1 @done
; CHECK: call i1 @done
; CHECK: ret void
define amdgpu_kernel void @no_wait_in_a_pair(ptr addrspace(1) %lock, ptr addrspace(1) %p, ptr addrspace(1) %q, i32 %n) {
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %l = call i1 @done(ptr addrspace(1) %p)
  br i1 %l, label %join, label %left
right:
  %r = call i1 @done(ptr addrspace(1) %q)
  br i1 %r, label %join, label %right
join:
  ret void
}
define hidden i1 @done(ptr addrspace(1) %p) {
  %v = load i32, ptr addrspace(1) %p
  %c = icmp ne i32 %v, 0
  ret i1 %c
}

declare void @get()

; A call that may wait, in a block like the other side's: the other side's threads would wait in the pair, too.
; CHECK-LABEL: @in_a_pair(
; CHECK: br i1 %c, label %left, label %right
; CHECK-COUNT-4: udiv
; CHECK-NOT: udiv
; CHECK: ret void
define amdgpu_kernel void @in_a_pair(ptr addrspace(1) %p, i32 %n) {
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %left.x1 = udiv i32 %tid, %n
  call void @get()
  %left.x2 = xor i32 %left.x1, 7
  %left.x3 = udiv i32 %left.x2, %n
  br label %join
right:
  %right.x1 = udiv i32 %bit, %n
  %right.x2 = xor i32 %right.x1, 9
  %right.x3 = udiv i32 %right.x2, %n
  br label %join
join:
  %x = phi i32 [ %left.x3, %left ], [ %right.x3, %right ]
  store i32 %x, ptr addrspace(1) %p
  ret void
}
