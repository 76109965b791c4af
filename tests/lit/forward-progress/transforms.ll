; The rule of forward_progress.h in the transforms that change more than the sides of one branch. Each has a control case
; that differs in the wait alone.
; RUN: %opt -passes='meld-triangles<min-profit=-1000000>' -S %s | FileCheck %s --check-prefixes=CHECK,TRIANGLES
; RUN: %opt -passes='meld-switch<min-profit=-1000000>' -S %s | FileCheck %s --check-prefixes=CHECK,SWITCH
; RUN: %opt -passes='meld-tail-merge<min-profit=-1000000>' -S %s | FileCheck %s --check-prefixes=CHECK,TAIL
; RUN: %opt -passes='meld-padding<min-profit=-1000000>' -S %s | FileCheck %s --check-prefixes=CHECK,PADDING
; RUN: %opt -passes='meld-converged-loops<min-profit=-1000000>' -S %s | FileCheck %s --check-prefixes=CHECK,CONVERGED
; RUN: %opt -passes='meld-triangles,meld-switch<min-profit=-1000000>,meld-tail-merge<min-profit=-1000000>,meld-padding<min-profit=-1000000>,meld-converged-loops' -disable-output -pass-remarks-missed=meld %s 2>&1 | FileCheck %s --check-prefix=REMARK
; REMARK-DAG: meld-triangles left %head: threads may wait in one of two ifs for those of the other
; REMARK-DAG: meld-triangles left %head: what two ifs in a row read and write for other threads keeps its order
; REMARK-DAG: meld-switch left %choose: threads of one side may wait for those of the other
; REMARK-DAG: meld-tail-merge left {{.*}}: threads of one side may wait for those of the other
; REMARK-DAG: meld-converged-loops left %guard: threads of one side may wait for those of the other

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"

declare i32 @llvm.amdgcn.workitem.id.x()

; Two ifs in a row on opposite conditions: whoever comes first has set the flag before the others wait for it. As one
; diamond, code generation may let those wait first.
; CHECK-LABEL: @second_waits(
; TRIANGLES: br i1 %c, label %a, label %m
; TRIANGLES: br i1 %c2, label %b, label %join
; CHECK: ret void
define amdgpu_kernel void @second_waits(ptr addrspace(1) %flag, ptr addrspace(1) %p, ptr addrspace(1) %in) {
head:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %at = getelementptr i32, ptr addrspace(1) %in, i32 %tid
  %v = load i32, ptr addrspace(1) %at
  %c = icmp slt i32 %v, 7
  br i1 %c, label %a, label %m
a:
  store i32 %v, ptr addrspace(1) %p
  store i32 1, ptr addrspace(1) %flag
  br label %m
m:
  %c2 = icmp sgt i32 %v, 6
  br i1 %c2, label %b, label %join
b:
  %f = load i32, ptr addrspace(1) %flag
  %zero = icmp eq i32 %f, 0
  br i1 %zero, label %b, label %b.end
b.end:
  store i32 %tid, ptr addrspace(1) %at
  br label %join
join:
  ret void
}

; One condition: the others pass the store between before or behind the first if's loop.
; CHECK-LABEL: @first_waits(
; TRIANGLES: br i1 %c, label %a, label %m
; TRIANGLES: br i1 %c, label %b, label %join
; CHECK: ret void
define amdgpu_kernel void @first_waits(ptr addrspace(1) %flag, ptr addrspace(1) %p) {
head:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %c = icmp ult i32 %tid, 7
  br i1 %c, label %a, label %m
a:
  %f = load atomic i32, ptr addrspace(1) %flag monotonic, align 4
  %zero = icmp eq i32 %f, 0
  br i1 %zero, label %a, label %m
m:
  br i1 %c, label %b, label %join
b:
  store i32 %tid, ptr addrspace(1) %p
  br label %join
join:
  ret void
}

; CHECK-LABEL: @nobody_waits(
; TRIANGLES: br i1 %c, label %a, label %m
; TRIANGLES-NOT: br i1
; CHECK: ret void
define amdgpu_kernel void @nobody_waits(ptr addrspace(1) %flag, ptr addrspace(1) %p, ptr addrspace(1) %in) {
head:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %at = getelementptr i32, ptr addrspace(1) %in, i32 %tid
  %v = load i32, ptr addrspace(1) %at
  %c = icmp slt i32 %v, 7
  br i1 %c, label %a, label %m
a:
  store i32 %v, ptr addrspace(1) %p
  store i32 1, ptr addrspace(1) %flag
  br label %m
m:
  %c2 = icmp sgt i32 %v, 6
  br i1 %c2, label %b, label %join
b:
  store i32 %tid, ptr addrspace(1) %at
  br label %join
join:
  ret void
}

; A message without a loop: the second if reads what the first has written, in one wave always in this order.
; CHECK-LABEL: @message(
; TRIANGLES: br i1 %c, label %a, label %m
; TRIANGLES: br i1 %c, label %join, label %b
; CHECK: ret void
define amdgpu_kernel void @message(ptr addrspace(3) %p, ptr addrspace(1) %out) {
head:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %c = icmp ult i32 %tid, 7
  br i1 %c, label %a, label %m
a:
  store volatile i32 %tid, ptr addrspace(3) %p
  br label %m
m:
  br i1 %c, label %join, label %b
b:
  %x = load volatile i32, ptr addrspace(3) %p
  store i32 %x, ptr addrspace(1) %out
  br label %join
join:
  ret void
}

; A switch: even the cases that look alike are not taken out, since the others' order could change with them.
; CHECK-LABEL: @one_case_waits(
; SWITCH: switch i32 %s
; SWITCH-NEXT: i32 1, label %c1
; SWITCH-NEXT: i32 2, label %c2
; SWITCH-NEXT: ]
; CHECK: ret void
define amdgpu_kernel void @one_case_waits(ptr addrspace(1) %p, ptr addrspace(1) %flag) {
choose:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %g = getelementptr i32, ptr addrspace(1) %p, i32 %tid
  %s = load i32, ptr addrspace(1) %g
  switch i32 %s, label %c0 [
    i32 1, label %c1
    i32 2, label %c2
  ]
c0:
  %f = load atomic i32, ptr addrspace(1) %flag monotonic, align 4
  %zero = icmp eq i32 %f, 0
  br i1 %zero, label %c0, label %join
c1:
  %x = udiv i32 %s, %tid
  store i32 %x, ptr addrspace(1) %g
  br label %join
c2:
  %h = getelementptr i32, ptr addrspace(1) %g, i32 4
  %y = udiv i32 %tid, %s
  store i32 %y, ptr addrspace(1) %h
  br label %join
join:
  ret void
}

; CHECK-LABEL: @no_case_waits(
; SWITCH: udiv
; SWITCH-NOT: udiv
; CHECK: ret void
define amdgpu_kernel void @no_case_waits(ptr addrspace(1) %p, ptr addrspace(1) %flag) {
choose:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %g = getelementptr i32, ptr addrspace(1) %p, i32 %tid
  %s = load i32, ptr addrspace(1) %g
  switch i32 %s, label %c0 [
    i32 1, label %c1
    i32 2, label %c2
  ]
c0:
  %f = load atomic i32, ptr addrspace(1) %flag monotonic, align 4
  br label %join
c1:
  %x = udiv i32 %s, %tid
  store i32 %x, ptr addrspace(1) %g
  br label %join
c2:
  %h = getelementptr i32, ptr addrspace(1) %g, i32 4
  %y = udiv i32 %tid, %s
  store i32 %y, ptr addrspace(1) %h
  br label %join
join:
  ret void
}

; Two cases share the wait, the third has nothing: taken apart, the first would wait before the others come.
; CHECK-LABEL: @shared_wait(
; SWITCH: switch i32 %s
; SWITCH-NEXT: i32 1, label %c1
; SWITCH-NEXT: i32 2, label %c2
; CHECK: ret void
define amdgpu_kernel void @shared_wait(ptr addrspace(1) %p, ptr addrspace(1) %flag) {
choose:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %g = getelementptr i32, ptr addrspace(1) %p, i32 %tid
  %s = load i32, ptr addrspace(1) %g
  switch i32 %s, label %join [
    i32 1, label %c1
    i32 2, label %c2
  ]
c1:
  %x = udiv i32 %s, %tid
  br label %wait
c2:
  %y = udiv i32 %tid, %s
  br label %wait
wait:
  %v = phi i32 [ %x, %c1 ], [ %y, %c2 ], [ %v, %wait ]
  %f = load atomic i32, ptr addrspace(1) %flag monotonic, align 4
  %zero = icmp eq i32 %f, %v
  br i1 %zero, label %wait, label %join
join:
  ret void
}

; Threads that fall through come to the common case with what they have written, not before it is read.
; CHECK-LABEL: @falls_into_a_message(
; SWITCH-NOT: meld.through
; CHECK: ret void
define amdgpu_kernel void @falls_into_a_message(ptr addrspace(3) %p, ptr addrspace(1) %out, ptr addrspace(1) %in) {
choose:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %at = getelementptr i32, ptr addrspace(1) %in, i32 %tid
  %s = load i32, ptr addrspace(1) %at
  switch i32 %s, label %c0 [
    i32 1, label %c1
    i32 2, label %c2
  ]
c0:
  %h = udiv i32 %tid, %s
  store i32 %h, ptr addrspace(1) %out
  br label %join
c1:
  store volatile i32 %tid, ptr addrspace(3) %p
  br label %c2
c2:
  %x = load volatile i32, ptr addrspace(3) %p
  %y = udiv i32 %x, %s
  store i32 %y, ptr addrspace(1) %at
  br label %join
join:
  ret void
}

; The same where functions write and read.
; CHECK-LABEL: @falls_into_a_call(
; SWITCH-NOT: meld.through
; CHECK: ret void
define amdgpu_kernel void @falls_into_a_call(ptr addrspace(3) %p, ptr addrspace(1) %out, ptr addrspace(1) %in) {
choose:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %at = getelementptr i32, ptr addrspace(1) %in, i32 %tid
  %s = load i32, ptr addrspace(1) %at
  switch i32 %s, label %c0 [
    i32 1, label %c1
    i32 2, label %c2
  ]
c0:
  %h = udiv i32 %tid, %s
  store i32 %h, ptr addrspace(1) %out
  br label %join
c1:
  call void @put(ptr addrspace(3) %p, i32 %tid)
  br label %c2
c2:
  %x = call i32 @get(ptr addrspace(3) %p)
  %y = udiv i32 %x, %s
  store i32 %y, ptr addrspace(1) %at
  br label %join
join:
  ret void
}

; The fence stands in the case that falls through, or the one above it; what is read behind it is plain.
; CHECK-LABEL: @falls_behind_a_fence(
; SWITCH-NOT: meld.through
; CHECK: ret void
define amdgpu_kernel void @falls_behind_a_fence(ptr addrspace(3) %p, ptr addrspace(1) %out, ptr addrspace(1) %in) {
choose:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %at = getelementptr i32, ptr addrspace(1) %in, i32 %tid
  %s = load i32, ptr addrspace(1) %at
  switch i32 %s, label %c0 [
    i32 1, label %c1
    i32 2, label %c2
  ]
c0:
  %h = udiv i32 %tid, %s
  store i32 %h, ptr addrspace(1) %out
  br label %join
c1:
  store i32 %tid, ptr addrspace(3) %p
  fence syncscope("workgroup") acq_rel
  br label %c2
c2:
  %x = load i32, ptr addrspace(3) %p
  %y = udiv i32 %x, %s
  store i32 %y, ptr addrspace(1) %at
  br label %join
join:
  ret void
}

; CHECK-LABEL: @falls_behind_a_barrier_of_the_compiler(
; SWITCH-NOT: meld.through
; CHECK: ret void
define amdgpu_kernel void @falls_behind_a_barrier_of_the_compiler(ptr addrspace(3) %p, ptr addrspace(1) %out, ptr addrspace(1) %in) {
choose:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %at = getelementptr i32, ptr addrspace(1) %in, i32 %tid
  %s = load i32, ptr addrspace(1) %at
  switch i32 %s, label %c0 [
    i32 1, label %c1
    i32 2, label %c2
  ]
c0:
  %h = udiv i32 %tid, %s
  store i32 %h, ptr addrspace(1) %out
  br label %join
c1:
  store i32 %tid, ptr addrspace(3) %p
  call void @llvm.amdgcn.wave.barrier()
  br label %c2
c2:
  %x = load i32, ptr addrspace(3) %p
  %y = udiv i32 %x, %s
  store i32 %y, ptr addrspace(1) %at
  br label %join
join:
  ret void
}

; CHECK-LABEL: @falls_from_two_above(
; SWITCH-NOT: meld.through
; CHECK: ret void
define amdgpu_kernel void @falls_from_two_above(ptr addrspace(3) %p, ptr addrspace(1) %out, ptr addrspace(1) %in) {
choose:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %at = getelementptr i32, ptr addrspace(1) %in, i32 %tid
  %s = load i32, ptr addrspace(1) %at
  switch i32 %s, label %c0 [
    i32 1, label %c1
    i32 2, label %c2
  ]
c0:
  %h = udiv i32 %tid, %s
  store i32 %h, ptr addrspace(1) %out
  br label %join
c1:
  %f = icmp ugt i32 %tid, 5
  br i1 %f, label %c1.fence, label %c1.end
c1.fence:
  store i32 %tid, ptr addrspace(3) %p
  fence syncscope("workgroup") acq_rel
  br label %c1.end
c1.end:
  br label %c2
c2:
  %x = load i32, ptr addrspace(3) %p
  %y = udiv i32 %x, %s
  store i32 %y, ptr addrspace(1) %at
  br label %join
join:
  ret void
}

; Without one it is copied.
; CHECK-LABEL: @falls_without_a_fence(
; SWITCH: meld.through
; CHECK: ret void
define amdgpu_kernel void @falls_without_a_fence(ptr addrspace(3) %p, ptr addrspace(1) %out, ptr addrspace(1) %in) {
choose:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %at = getelementptr i32, ptr addrspace(1) %in, i32 %tid
  %s = load i32, ptr addrspace(1) %at
  switch i32 %s, label %c0 [
    i32 1, label %c1
    i32 2, label %c2
  ]
c0:
  %h = udiv i32 %tid, %s
  store i32 %h, ptr addrspace(1) %out
  br label %join
c1:
  store i32 %tid, ptr addrspace(3) %p
  br label %c2
c2:
  %x = load i32, ptr addrspace(3) %p
  %y = udiv i32 %x, %s
  store i32 %y, ptr addrspace(1) %at
  br label %join
join:
  ret void
}

declare void @llvm.amdgcn.wave.barrier() convergent nounwind willreturn

define internal void @put(ptr addrspace(3) %p, i32 %v) noinline nounwind willreturn {
  store atomic i32 %v, ptr addrspace(3) %p monotonic, align 4
  ret void
}

define internal i32 @get(ptr addrspace(3) %p) noinline nounwind willreturn {
  %v = load atomic i32, ptr addrspace(3) %p monotonic, align 4
  ret i32 %v
}

; The tail of a side would come behind the other side's loop: the unlock of one behind the lock of the other.
; CHECK-LABEL: @unlocks(
; TAIL: store atomic i32 0
; TAIL: store atomic i32 0
; CHECK: ret void
define amdgpu_kernel void @unlocks(ptr addrspace(1) %p, ptr addrspace(1) %lock, ptr addrspace(1) %q) {
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %l = cmpxchg ptr addrspace(1) %lock, i32 0, i32 1 monotonic monotonic
  %lg = extractvalue { i32, i1 } %l, 1
  br i1 %lg, label %left.in, label %left
left.in:
  store i32 1, ptr addrspace(1) %p
  store atomic i32 0, ptr addrspace(1) %lock syncscope("agent") release, align 4
  br label %join
right:
  %r = cmpxchg ptr addrspace(1) %lock, i32 0, i32 1 monotonic monotonic
  %rg = extractvalue { i32, i1 } %r, 1
  br i1 %rg, label %right.in, label %right
right.in:
  store i32 2, ptr addrspace(1) %q
  store atomic i32 0, ptr addrspace(1) %lock syncscope("agent") release, align 4
  br label %join
join:
  ret void
}

; The same of two sides of three; the third, which ends otherwise, waits.
; CHECK-LABEL: @third_waits(
; TAIL: store atomic i32 0
; TAIL: store atomic i32 0
; CHECK: ret void
define amdgpu_kernel void @third_waits(ptr addrspace(1) %p, ptr addrspace(1) %lock, ptr addrspace(1) %q) {
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %other
left:
  store i32 1, ptr addrspace(1) %p
  store atomic i32 0, ptr addrspace(1) %lock syncscope("agent") release, align 4
  br label %join
other:
  %d = icmp ult i32 %tid, 9
  br i1 %d, label %right, label %third
right:
  store i32 2, ptr addrspace(1) %q
  store atomic i32 0, ptr addrspace(1) %lock syncscope("agent") release, align 4
  br label %join
third:
  %t = load volatile i32, ptr addrspace(1) %lock
  %tz = icmp eq i32 %t, 0
  br i1 %tz, label %join, label %third
join:
  ret void
}

; CHECK-LABEL: @no_lock(
; TAIL: store atomic i32 0
; TAIL-NOT: store atomic i32 0
; CHECK: ret void
define amdgpu_kernel void @no_lock(ptr addrspace(1) %p, ptr addrspace(1) %lock, ptr addrspace(1) %q) {
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %l = atomicrmw or ptr addrspace(1) %lock, i32 1 monotonic
  store i32 1, ptr addrspace(1) %p
  store atomic i32 0, ptr addrspace(1) %lock syncscope("agent") release, align 4
  br label %join
right:
  %r = atomicrmw or ptr addrspace(1) %lock, i32 2 monotonic
  store i32 2, ptr addrspace(1) %q
  store atomic i32 0, ptr addrspace(1) %lock syncscope("agent") release, align 4
  br label %join
join:
  ret void
}

; A barrier: other waves may come to theirs only after what the other side does.
; CHECK-LABEL: @below_a_barrier(
; TAIL: atomicrmw add
; TAIL: atomicrmw add
; CHECK: ret void
define amdgpu_kernel void @below_a_barrier(ptr addrspace(1) %p, ptr addrspace(1) %q) {
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  call void @llvm.amdgcn.s.barrier()
  %o = atomicrmw add ptr addrspace(1) %p, i32 1 monotonic
  br label %join
right:
  %w = atomicrmw add ptr addrspace(1) %q, i32 2 monotonic
  br label %join
join:
  ret void
}
declare void @llvm.amdgcn.s.barrier() convergent nounwind willreturn

; A block on one side, a part of the other that it resembles, with a call in which threads wait.
; CHECK-LABEL: @region_waits(
; PADDING-NOT: meld
; CHECK: ret void
define amdgpu_kernel void @region_waits(ptr addrspace(1) %p, ptr addrspace(1) %lock, i32 %n) {
entry:
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  %odd = and i32 %id, 1
  %c = icmp eq i32 %odd, 0
  %at = getelementptr inbounds i32, ptr addrspace(1) %p, i32 %id
  %v = load i32, ptr addrspace(1) %at
  br i1 %c, label %block, label %region
block:
  %x = udiv i32 %v, %n
  store i32 %x, ptr addrspace(1) %lock
  br label %join
region:
  %d = icmp ugt i32 %v, 100
  br i1 %d, label %then, label %join
then:
  call void @take(ptr addrspace(1) %lock)
  %y = udiv i32 %id, %n
  store i32 %y, ptr addrspace(1) %at
  br label %join
join:
  ret void
}

; CHECK-LABEL: @region_acts(
; PADDING: meld
; CHECK: ret void
define amdgpu_kernel void @region_acts(ptr addrspace(1) %p, ptr addrspace(1) %lock, i32 %n) {
entry:
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  %odd = and i32 %id, 1
  %c = icmp eq i32 %odd, 0
  %at = getelementptr inbounds i32, ptr addrspace(1) %p, i32 %id
  %v = load i32, ptr addrspace(1) %at
  br i1 %c, label %block, label %region
block:
  %x = udiv i32 %v, %n
  store i32 %x, ptr addrspace(1) %lock
  br label %join
region:
  %d = icmp ugt i32 %v, 100
  br i1 %d, label %then, label %join
then:
  %try = call i1 @try(ptr addrspace(1) %lock)
  %y = udiv i32 %id, %n
  store i32 %y, ptr addrspace(1) %at
  br label %join
join:
  ret void
}
define hidden i1 @try(ptr addrspace(1) %p) {
  %pair = cmpxchg ptr addrspace(1) %p, i32 0, i32 1 monotonic monotonic
  %got = extractvalue { i32, i1 } %pair, 1
  ret i1 %got
}
define hidden void @take(ptr addrspace(1) %p) {
entry:
  br label %l
l:
  %got = call i1 @try(ptr addrspace(1) %p)
  br i1 %got, label %e, label %l
e:
  ret void
}

; A guard around a loop that waits, with something to do on the other side: the copy's branch may be laid out the other
; way round.
; CHECK-LABEL: @guarded(
; CONVERGED-NOT: guard.apart
; CHECK: ret void
define amdgpu_kernel void @guarded(ptr addrspace(1) %flag, ptr addrspace(1) %in) {
guard:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %at = getelementptr i32, ptr addrspace(1) %in, i32 %tid
  %v = load i32, ptr addrspace(1) %at
  %c = icmp slt i32 %v, 7
  br i1 %c, label %set, label %l
set:
  store atomic i32 1, ptr addrspace(1) %flag syncscope("agent") release, align 4
  br label %e
l:
  %f = load atomic i32, ptr addrspace(1) %flag monotonic, align 4
  %d = icmp slt i32 %f, %v
  br i1 %d, label %l, label %e
e:
  store i32 %v, ptr addrspace(1) %at
  ret void
}

; CHECK-LABEL: @guarded_alone(
; CONVERGED: guard.apart
; CHECK: ret void
define amdgpu_kernel void @guarded_alone(ptr addrspace(1) %flag, ptr addrspace(1) %in) {
guard:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %at = getelementptr i32, ptr addrspace(1) %in, i32 %tid
  %v = load i32, ptr addrspace(1) %at
  %c = icmp slt i32 %v, 7
  br i1 %c, label %e, label %l
l:
  %f = load atomic i32, ptr addrspace(1) %flag monotonic, align 4
  %d = icmp slt i32 %f, %v
  br i1 %d, label %l, label %e
e:
  store i32 %v, ptr addrspace(1) %at
  ret void
}
