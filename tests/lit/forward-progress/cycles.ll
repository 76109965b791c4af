; Which cycles and calls may wait for another thread (passes/analysis/waiting_cycles.h, waiting_calls.h).
; RUN: %opt -passes='print<meld-forward-progress>' -disable-output %s | FileCheck %s

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"

declare void @llvm.amdgcn.s.sleep(i32 immarg) nounwind willreturn
declare void @llvm.amdgcn.s.barrier() convergent nounwind willreturn
declare void @llvm.amdgcn.wave.barrier() convergent nounwind willreturn
declare i32 @llvm.amdgcn.atomic.inc.i32.p1(ptr addrspace(1), i32, i32 immarg, i32 immarg, i1 immarg) nounwind willreturn
declare i32 @llvm.amdgcn.raw.buffer.load.i32(<4 x i32>, i32, i32, i32 immarg) nounwind readonly willreturn
declare i32 @llvm.amdgcn.raw.buffer.atomic.swap.i32(i32, <4 x i32>, i32, i32, i32 immarg) nounwind willreturn
declare void @llvm.amdgcn.s.sethalt(i32 immarg) nounwind willreturn
declare void @unknown()
declare void @returns() willreturn
declare i32 @math(i32) nounwind readnone willreturn

; Its own counter ends it, whatever it does in between.
; CHECK-LABEL: for function: counted
; CHECK-NEXT: cycle at %l ends
define amdgpu_kernel void @counted(ptr addrspace(1) %p, i32 %n) {
entry:
  br label %l
l:
  %i = phi i32 [ 0, %entry ], [ %i1, %l ]
  %at = getelementptr i32, ptr addrspace(1) %p, i32 %i
  %x = load i32, ptr addrspace(1) %at
  store i32 %x, ptr addrspace(1) %p
  %old = atomicrmw add ptr addrspace(1) %p, i32 1 monotonic
  %i1 = add i32 %i, 1
  %more = icmp ult i32 %i1, %n
  br i1 %more, label %l, label %e
e:
  ret void
}

; A lock that is free when what is found there is zero.
; CHECK-LABEL: for function: lock
; CHECK-NEXT: cycle at %l waits
define amdgpu_kernel void @lock(ptr addrspace(1) %p) {
entry:
  br label %l
l:
  %pair = cmpxchg ptr addrspace(1) %p, i32 0, i32 1 monotonic monotonic
  %got = extractvalue { i32, i1 } %pair, 1
  br i1 %got, label %e, label %l
e:
  ret void
}

; An update that is tried again when another came between ends, written as compilers do
; CHECK-LABEL: for function: retried
; CHECK-NEXT: cycle at %l ends
define amdgpu_kernel void @retried(ptr addrspace(1) %p) {
entry:
  %first = load i32, ptr addrspace(1) %p
  br label %l
l:
  %seen = phi i32 [ %first, %entry ], [ %old, %l ]
  %new = mul i32 %seen, 3
  %pair = cmpxchg ptr addrspace(1) %p, i32 %seen, i32 %new monotonic monotonic
  %old = extractvalue { i32, i1 } %pair, 0
  %got = extractvalue { i32, i1 } %pair, 1
  br i1 %got, label %e, label %l
e:
  ret void
}

; or as people do, with another way out besides.
; CHECK-LABEL: for function: retried_maximum
; CHECK-NEXT: cycle at %l ends
define amdgpu_kernel void @retried_maximum(ptr addrspace(1) %p, i32 %v) {
entry:
  %first = load i32, ptr addrspace(1) %p
  br label %l
l:
  %seen = phi i32 [ %first, %entry ], [ %old, %try ]
  %below = icmp slt i32 %seen, %v
  br i1 %below, label %try, label %e
try:
  %pair = cmpxchg ptr addrspace(1) %p, i32 %seen, i32 %v monotonic monotonic
  %old = extractvalue { i32, i1 } %pair, 0
  %same = icmp eq i32 %old, %seen
  br i1 %same, label %e, label %l
e:
  ret void
}

; Not where it goes on after its success,
; CHECK-LABEL: for function: goes_on
; CHECK-NEXT: cycle at %l waits
define amdgpu_kernel void @goes_on(ptr addrspace(1) %p) {
entry:
  br label %l
l:
  %seen = phi i32 [ 0, %entry ], [ %old, %l ]
  %pair = cmpxchg ptr addrspace(1) %p, i32 %seen, i32 7 monotonic monotonic
  %old = extractvalue { i32, i1 } %pair, 0
  %same = icmp ne i32 %old, %seen
  br i1 %same, label %e, label %l
e:
  ret void
}

; where what it expects is not all that it found,
; CHECK-LABEL: for function: half_of_it
; CHECK-NEXT: cycle at %l waits
define amdgpu_kernel void @half_of_it(ptr addrspace(1) %p) {
entry:
  br label %l
l:
  %seen = phi i16 [ 0, %entry ], [ %half, %l ]
  %expected = zext i16 %seen to i32
  %pair = cmpxchg ptr addrspace(1) %p, i32 %expected, i32 7 monotonic monotonic
  %old = extractvalue { i32, i1 } %pair, 0
  %half = trunc i32 %old to i16
  %got = extractvalue { i32, i1 } %pair, 1
  br i1 %got, label %e, label %l
e:
  ret void
}

; where it is another place in each round,
; CHECK-LABEL: for function: other_place
; CHECK-NEXT: cycle at %l waits
define amdgpu_kernel void @other_place(ptr addrspace(1) %p) {
entry:
  br label %l
l:
  %i = phi i32 [ 0, %entry ], [ %i1, %l ]
  %seen = phi i32 [ 0, %entry ], [ %old, %l ]
  %at = getelementptr i32, ptr addrspace(1) %p, i32 %i
  %pair = cmpxchg ptr addrspace(1) %at, i32 %seen, i32 7 monotonic monotonic
  %old = extractvalue { i32, i1 } %pair, 0
  %got = extractvalue { i32, i1 } %pair, 1
  %i1 = add i32 %i, 1
  br i1 %got, label %e, label %l
e:
  ret void
}

; where the cycle itself puts something else there,
; CHECK-LABEL: for function: spoiled
; CHECK-NEXT: cycle at %l waits
define amdgpu_kernel void @spoiled(ptr addrspace(1) %p, ptr addrspace(1) %q) {
entry:
  br label %l
l:
  %seen = phi i32 [ 0, %entry ], [ %old, %l ]
  %more = atomicrmw add ptr addrspace(1) %q, i32 1 monotonic
  %pair = cmpxchg ptr addrspace(1) %p, i32 %seen, i32 7 monotonic monotonic
  %old = extractvalue { i32, i1 } %pair, 0
  %got = extractvalue { i32, i1 } %pair, 1
  br i1 %got, label %e, label %l
e:
  ret void
}

; and where some rounds do without.
; CHECK-LABEL: for function: sometimes
; CHECK-NEXT: cycle at %l waits
define amdgpu_kernel void @sometimes(ptr addrspace(1) %p, i32 %v) {
entry:
  br label %l
l:
  %seen = phi i32 [ 0, %entry ], [ %next, %latch ]
  %ready = load atomic i32, ptr addrspace(1) %p monotonic, align 4
  %c = icmp eq i32 %ready, %v
  br i1 %c, label %try, label %latch
try:
  %pair = cmpxchg ptr addrspace(1) %p, i32 %seen, i32 7 monotonic monotonic
  %old = extractvalue { i32, i1 } %pair, 0
  %got = extractvalue { i32, i1 } %pair, 1
  br i1 %got, label %e, label %latch
latch:
  %next = phi i32 [ %seen, %l ], [ %old, %try ]
  br label %l
e:
  ret void
}

; A retry that some rounds leave out waits for what they ask first.
; CHECK-LABEL: for function: asked_first
; CHECK-NEXT: cycle at %l waits
define amdgpu_kernel void @asked_first(ptr addrspace(1) %p, ptr addrspace(1) %q) {
entry:
  br label %l
l:
  %ready = load atomic i32, ptr addrspace(1) %q monotonic, align 4
  %c = icmp eq i32 %ready, 1
  br i1 %c, label %try, label %l
try:
  %seen = load i32, ptr addrspace(1) %p
  %new = mul i32 %seen, 3
  %pair = cmpxchg ptr addrspace(1) %p, i32 %seen, i32 %new monotonic monotonic
  %got = extractvalue { i32, i1 } %pair, 1
  br i1 %got, label %e, label %l
e:
  ret void
}

; A flag, atomic or volatile; a bound beside it does not help.
; CHECK-LABEL: for function: flag
; CHECK-NEXT: cycle at %l waits
define amdgpu_kernel void @flag(ptr addrspace(3) %p) {
entry:
  br label %l
l:
  %v = load atomic i32, ptr addrspace(3) %p monotonic, align 4
  %c = icmp eq i32 %v, 0
  br i1 %c, label %l, label %e
e:
  ret void
}
; CHECK-LABEL: for function: volatile_flag
; CHECK-NEXT: cycle at %l waits
define amdgpu_kernel void @volatile_flag(ptr addrspace(3) %p) {
entry:
  br label %l
l:
  %i = phi i32 [ 0, %entry ], [ %i1, %l ]
  %v = load volatile i32, ptr addrspace(3) %p
  %zero = icmp eq i32 %v, 0
  %i1 = add i32 %i, 1
  %few = icmp ult i32 %i1, 1000
  %c = select i1 %zero, i1 %few, i1 false
  br i1 %c, label %l, label %e
e:
  ret void
}

; An ordinary load from one address, whatever else the cycle does,
; CHECK-LABEL: for function: polled
; CHECK-NEXT: cycle at %l waits
define amdgpu_kernel void @polled(ptr addrspace(1) %p, ptr addrspace(1) %q) {
entry:
  br label %l
l:
  %i = phi i32 [ 0, %entry ], [ %i1, %l ]
  %at = getelementptr i32, ptr addrspace(1) %p, i32 4
  %v = load i32, ptr addrspace(1) %at, !nontemporal !0
  %i1 = add i32 %i, 1
  store i32 %i1, ptr addrspace(1) %q
  %c = icmp eq i32 %v, 0
  br i1 %c, label %l, label %e
e:
  ret void
}

; or from many, where the cycle orders memory.
; CHECK-LABEL: for function: polled_in_turn
; CHECK-NEXT: cycle at %l waits
define amdgpu_kernel void @polled_in_turn(ptr addrspace(1) %p) {
entry:
  br label %l
l:
  %i = phi i32 [ 0, %entry ], [ %i1, %l ]
  %at = getelementptr i32, ptr addrspace(1) %p, i32 %i
  %v = load i32, ptr addrspace(1) %at
  %i.next = add i32 %i, 1
  %i1 = and i32 %i.next, 63
  fence syncscope("agent") acquire
  %c = icmp eq i32 %v, 0
  br i1 %c, label %l, label %e
e:
  ret void
}

; or where each load is atomic, as flags are that others set: nothing else need order it.
; CHECK-LABEL: for function: flags_in_turn
; CHECK-NEXT: cycle at %l waits
define amdgpu_kernel void @flags_in_turn(ptr addrspace(1) %p) {
entry:
  br label %l
l:
  %i = phi i32 [ 0, %entry ], [ %i1, %l ]
  %at = getelementptr i32, ptr addrspace(1) %p, i32 %i
  %v = load atomic i32, ptr addrspace(1) %at monotonic, align 4
  %i.next = add i32 %i, 1
  %i1 = and i32 %i.next, 63
  %c = icmp eq i32 %v, 0
  br i1 %c, label %l, label %e
e:
  ret void
}

; Without, it is a search.
; CHECK-LABEL: for function: probe
; CHECK-NEXT: cycle at %l ends
define amdgpu_kernel void @probe(ptr addrspace(1) %p, i32 %key) {
entry:
  br label %l
l:
  %i = phi i32 [ %key, %entry ], [ %i1, %l ]
  %at = getelementptr i32, ptr addrspace(1) %p, i32 %i
  %v = load i32, ptr addrspace(1) %at
  %i.next = add i32 %i, 1
  %i1 = and i32 %i.next, 63
  %c = icmp eq i32 %v, %key
  br i1 %c, label %e, label %l
e:
  ret void
}

; A bound in memory, compared with a counter: a row of a sparse matrix.
; CHECK-LABEL: for function: row
; CHECK-NEXT: cycle at %l ends
define amdgpu_kernel void @row(ptr addrspace(1) %ends, ptr addrspace(1) %p, i64 %from) {
entry:
  br label %l
l:
  %j = phi i64 [ %from, %entry ], [ %j1, %l ]
  %at = getelementptr float, ptr addrspace(1) %p, i64 %j
  store float 1.0, ptr addrspace(1) %at
  %j1 = add i64 %j, 1
  %end = load i32, ptr addrspace(1) %ends
  %wide = sext i32 %end to i64
  %c = icmp slt i64 %j1, %wide
  br i1 %c, label %l, label %e
e:
  ret void
}

; With what does not count, there is no end to it; a step of nothing is none.
; CHECK-LABEL: for function: no_counter
; CHECK-NEXT: cycle at %l waits
define amdgpu_kernel void @no_counter(ptr addrspace(1) %ends, ptr addrspace(1) %p, i32 %from) {
entry:
  br label %l
l:
  %j = phi i32 [ %from, %entry ], [ %j1, %l ]
  store float 1.0, ptr addrspace(1) %p
  %j1 = add i32 %j, 0
  %end = load i32, ptr addrspace(1) %ends
  %c = icmp slt i32 %j1, %end
  br i1 %c, label %l, label %e
e:
  ret void
}

; Memory that nobody else writes: constant, private, invariant, restrict and only read.
; CHECK-LABEL: for function: ours
; CHECK-NEXT: cycle at %a ends
; CHECK-NEXT: cycle at %b ends
; CHECK-NEXT: cycle at %c ends
; CHECK-NEXT: cycle at %d ends
; CHECK-NEXT: cycle at %f waits
define amdgpu_kernel void @ours(ptr addrspace(4) %k, ptr addrspace(1) noalias readonly %r, ptr addrspace(1) noalias %w, ptr addrspace(1) %p) {
entry:
  %own = alloca i32, addrspace(5)
  br label %a
a:
  %va = load i32, ptr addrspace(4) %k
  %ca = icmp eq i32 %va, 0
  br i1 %ca, label %a, label %b
b:
  %vb = load i32, ptr addrspace(5) %own
  %cb = icmp eq i32 %vb, 0
  br i1 %cb, label %b, label %c
c:
  %vc = load i32, ptr addrspace(1) %p, !invariant.load !1
  %cc = icmp eq i32 %vc, 0
  br i1 %cc, label %c, label %d
d:
  %vd = load i32, ptr addrspace(1) %r
  %cd = icmp eq i32 %vd, 0
  br i1 %cd, label %d, label %f
f:
  %vf = load i32, ptr addrspace(1) %w
  %cf = icmp eq i32 %vf, 0
  br i1 %cf, label %f, label %e
e:
  ret void
}

; The path decides: done when the lock was got.
; CHECK-LABEL: for function: until_done
; CHECK-NEXT: cycle at %l waits
define amdgpu_kernel void @until_done(ptr addrspace(1) %p) {
entry:
  br label %l
l:
  %pair = cmpxchg ptr addrspace(1) %p, i32 0, i32 1 monotonic monotonic
  %got = extractvalue { i32, i1 } %pair, 1
  br i1 %got, label %in, label %latch
in:
  store atomic i32 0, ptr addrspace(1) %p release, align 4
  br label %latch
latch:
  %done = phi i1 [ true, %in ], [ false, %l ]
  br i1 %done, label %e, label %l
e:
  ret void
}

; A path that hangs on numbers alone.
; CHECK-LABEL: for function: collatz
; CHECK-NEXT: cycle at %l ends
define amdgpu_kernel void @collatz(i32 %n) {
entry:
  br label %l
l:
  %x = phi i32 [ %n, %entry ], [ %next, %latch ]
  %bit = and i32 %x, 1
  %odd = icmp eq i32 %bit, 1
  br i1 %odd, label %up, label %latch
up:
  %y3 = mul i32 %x, 3
  %y = add i32 %y3, 1
  br label %latch
latch:
  %z = phi i32 [ %y, %up ], [ %x, %l ]
  %next = lshr i32 %z, 1
  %c = icmp ugt i32 %next, 1
  br i1 %c, label %l, label %e
e:
  ret void
}

; Target intrinsics that read what others write; assembly; calls.
; CHECK-LABEL: for function: by_intrinsic
; CHECK-NEXT: cycle at %a waits
; CHECK-NEXT: cycle at %b waits
; CHECK-NEXT: cycle at %c waits
; CHECK-NEXT: waits in %d
; CHECK-NEXT: cycle at %d waits
; CHECK-NEXT: cycle at %f ends
define amdgpu_kernel void @by_intrinsic(ptr addrspace(1) %p, <4 x i32> %r, i32 %n) {
entry:
  br label %a
a:
  %va = call i32 @llvm.amdgcn.atomic.inc.i32.p1(ptr addrspace(1) %p, i32 -2, i32 0, i32 0, i1 false)
  %ca = icmp eq i32 %va, 0
  br i1 %ca, label %b, label %a
b:
  %vb = call i32 @llvm.amdgcn.raw.buffer.load.i32(<4 x i32> %r, i32 0, i32 0, i32 1)
  %cb = icmp eq i32 %vb, 0
  br i1 %cb, label %b, label %c
c:
  %vc = call i32 @llvm.amdgcn.raw.buffer.atomic.swap.i32(i32 1, <4 x i32> %r, i32 0, i32 0, i32 0)
  %cc = icmp eq i32 %vc, 0
  br i1 %cc, label %d, label %c
d:
  %vd = call i32 asm "global_load_dword $0, $1, off glc", "=v,v"(ptr addrspace(1) %p)
  %cd = icmp eq i32 %vd, 0
  br i1 %cd, label %d, label %f
f:
  %x = phi i32 [ %n, %d ], [ %vf, %f ]
  %vf = call i32 @math(i32 %x)
  %cf = icmp eq i32 %vf, 0
  br i1 %cf, label %e, label %f
e:
  ret void
}

; Single instructions.
; CHECK-LABEL: for function: waiting
; CHECK-NEXT: waits in %barrier
; CHECK-NEXT: waits in %unknown
; CHECK-NEXT: waits in %pointer
; CHECK-NEXT: waits in %assembly
; CHECK-NEXT: waits in %halt
; CHECK-NEXT: waits in %locks
; CHECK-NEXT: waits in %locks.below
; CHECK-NEXT: waits in %recursion
; CHECK-NEXT: for function: asserts
define amdgpu_kernel void @waiting(ptr %f, ptr addrspace(1) %p) {
  br label %barrier
barrier:
  call void @llvm.amdgcn.s.barrier()
  br label %unknown
unknown:
  call void @unknown()
  br label %pointer
pointer:
  call void %f()
  br label %assembly
assembly:
  call void asm sideeffect "s_sleep 1", ""()
  br label %halt
halt:
  call void @llvm.amdgcn.s.sethalt(i32 1)
  br label %locks
locks:
  call void @take(ptr addrspace(1) %p)
  br label %locks.below
locks.below:
  call void @take_below(ptr addrspace(1) %p)
  br label %recursion
recursion:
  call void @recursive(ptr addrspace(1) %p)
  br label %ends
ends:
  call void @returns()
  call void @llvm.amdgcn.s.sleep(i32 1)
  call void @llvm.amdgcn.wave.barrier()
  call void asm sideeffect "", ""()
  %try = call i1 @try(ptr addrspace(1) %p)
  %old = call i32 @llvm.amdgcn.atomic.inc.i32.p1(ptr addrspace(1) %p, i32 -2, i32 0, i32 0, i1 false)
  ret void
}

; A call that does not come back is no wait.
; CHECK-NEXT: for function: try
; CHECK-NEXT: for function: take
; CHECK-NEXT: cycle at %l waits
define amdgpu_kernel void @asserts(i1 %c) {
entry:
  br i1 %c, label %fails, label %holds
fails:
  call void @unknown()
  unreachable
holds:
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
define hidden void @take_below(ptr addrspace(1) %p) {
  call void @take(ptr addrspace(1) %p)
  ret void
}
define hidden void @recursive(ptr addrspace(1) %p) {
entry:
  %v = load atomic i32, ptr addrspace(1) %p monotonic, align 4
  %c = icmp eq i32 %v, 0
  br i1 %c, label %again, label %e
again:
  call void @recursive(ptr addrspace(1) %p)
  br label %e
e:
  ret void
}

; Two entries: the same questions, but nothing in it is a loop's counter.
; CHECK-LABEL: for function: two_entries
; CHECK-NEXT: cycle at %{{[xy]}}, several entries waits
define amdgpu_kernel void @two_entries(ptr addrspace(1) %p, i1 %c) {
entry:
  br i1 %c, label %x, label %y
x:
  %v = load atomic i32, ptr addrspace(1) %p monotonic, align 4
  %cx = icmp eq i32 %v, 0
  br i1 %cx, label %y, label %e
y:
  br label %x
e:
  ret void
}
; CHECK-LABEL: for function: two_entries_of_numbers
; CHECK-NEXT: cycle at %{{[xy]}}, several entries ends
define amdgpu_kernel void @two_entries_of_numbers(i32 %n, i1 %c) {
entry:
  br i1 %c, label %x, label %y
x:
  %i = phi i32 [ 0, %entry ], [ %j1, %y ]
  %i1 = add i32 %i, 3
  %cx = icmp ult i32 %i1, %n
  br i1 %cx, label %y, label %e
y:
  %j = phi i32 [ 0, %entry ], [ %i1, %x ]
  %j1 = lshr i32 %j, 1
  br label %x
e:
  ret void
}

; No way out; the inner one ends, the outer one does not.
; CHECK-LABEL: for function: endless
; CHECK-NEXT: cycle at %outer waits
; CHECK-NEXT: cycle at %l ends
define amdgpu_kernel void @endless(ptr addrspace(1) %p, i32 %n) {
entry:
  br label %outer
outer:
  br label %l
l:
  %i = phi i32 [ 0, %outer ], [ %i1, %l ]
  %i1 = add i32 %i, 1
  %c = icmp ult i32 %i1, %n
  br i1 %c, label %l, label %outer
}

; An inner one that waits within an outer one that counts.
; CHECK-LABEL: for function: inner
; CHECK-NEXT: cycle at %outer ends
; CHECK-NEXT: cycle at %l waits
define amdgpu_kernel void @inner(ptr addrspace(1) %p, i32 %n) {
entry:
  br label %outer
outer:
  %i = phi i32 [ 0, %entry ], [ %i1, %latch ]
  br label %l
l:
  %v = load atomic i32, ptr addrspace(1) %p monotonic, align 4
  %c = icmp eq i32 %v, 0
  br i1 %c, label %l, label %latch
latch:
  %i1 = add i32 %i, 1
  %co = icmp ult i32 %i1, %n
  br i1 %co, label %outer, label %e
e:
  ret void
}

!0 = !{i32 1}
!1 = !{}
