; Where threads are together: a block that every run of a loop comes by in its last round is reached in the round that each thread's
; own way there decides, though no branch of the loop decides whether it is reached.
; RUN: %opt -passes="print<meld-divergence>" -disable-output %s 2>&1 | FileCheck %s
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"

declare i32 @llvm.amdgcn.workitem.id.x()

; while (true) { if (i < t) continue; X; break; }: each thread is at X in a round of its own. Behind the loop they meet again.
; CHECK-LABEL: for function: last
; CHECK: block %loop convergent thread
; CHECK: block %X convergent thread
; CHECK: block %done convergent all
define amdgpu_kernel void @last(ptr addrspace(1) %q) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i.next, %latch ]
  %d = icmp ult i32 %i, %t
  br i1 %d, label %latch, label %X
latch:
  %i.next = add i32 %i, 1
  br label %loop
X:
  store volatile i32 1, ptr addrspace(1) %q
  br label %Y
Y:
  %e = icmp eq i32 %i, 1000
  br i1 %e, label %latch, label %done
done:
  ret void
}

; Without the thread's own condition all are there in one round.
; CHECK-LABEL: for function: one
; CHECK: block %X convergent all
define amdgpu_kernel void @one(ptr addrspace(1) %q, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i.next, %latch ]
  %d = icmp ult i32 %i, %n
  br i1 %d, label %latch, label %X
latch:
  %i.next = add i32 %i, 1
  br label %loop
X:
  store volatile i32 1, ptr addrspace(1) %q
  %e = icmp eq i32 %i, 1000
  br i1 %e, label %latch, label %done
done:
  ret void
}

; The round may be the outer loop's, and the block in an inner one, whose own rounds are the same for all.
; CHECK-LABEL: for function: nested
; CHECK: block %inner convergent thread
; CHECK: block %done convergent all
define amdgpu_kernel void @nested(ptr addrspace(1) %q, i32 %n) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  br label %outer
outer:
  %i = phi i32 [ 0, %entry ], [ %i.next, %latch ]
  %d = icmp ult i32 %i, %t
  br i1 %d, label %latch, label %before
before:
  br label %inner
inner:
  %j = phi i32 [ 0, %before ], [ %j.next, %inner ]
  store volatile i32 1, ptr addrspace(1) %q
  %j.next = add i32 %j, 1
  %e = icmp eq i32 %j.next, %n
  br i1 %e, label %behind, label %inner
behind:
  %f = icmp eq i32 %i, 1000
  br i1 %f, label %latch, label %done
latch:
  %i.next = add i32 %i, 1
  br label %outer
done:
  ret void
}

; A loop left in different rounds by a branch that is uniform in each: its two ways out are different threads'. A loop that all
; leave in one round leads them all one way.
; CHECK-LABEL: for function: ways
; CHECK: block %a convergent thread
; CHECK: block %b convergent thread
; CHECK: block %join convergent all
; CHECK: block %c convergent all
define amdgpu_kernel void @ways(ptr addrspace(1) %q, i32 %n) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i.next, %latch ]
  %d = icmp ult i32 %i, %t
  br i1 %d, label %latch, label %X
X:
  %even = and i32 %i, 1
  switch i32 %even, label %latch [ i32 0, label %a
                                   i32 1, label %b ]
latch:
  %i.next = add i32 %i, 1
  br label %loop
a:
  store volatile i32 1, ptr addrspace(1) %q
  br label %join
b:
  store volatile i32 2, ptr addrspace(1) %q
  br label %join
join:
  br label %second
second:
  %k = phi i32 [ 0, %join ], [ %k.next, %again ]
  %k.next = add i32 %k, 1
  switch i32 %k, label %again [ i32 7, label %c
                                i32 9, label %done ]
again:
  %g = icmp eq i32 %k.next, %n
  br i1 %g, label %c, label %second
c:
  store volatile i32 3, ptr addrspace(1) %q
  br label %done
done:
  ret void
}

; In a cycle with two ways in threads are at one place at different times, also where no branch decides whether they come.
; CHECK-LABEL: for function: cycle
; CHECK: block %A convergent thread
; CHECK: block %B convergent thread
; CHECK: branch all: br i1 %e
; CHECK: block %done convergent all
define amdgpu_kernel void @cycle(ptr addrspace(1) %q, ptr addrspace(4) %c, i32 %n) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %d = icmp ult i32 %t, 7
  br i1 %d, label %A, label %B
A:
  store volatile i32 1, ptr addrspace(1) %q
  br label %B
B:
  %l = load i32, ptr addrspace(4) %c
  %e = icmp eq i32 %l, %n
  br i1 %e, label %A, label %done
done:
  ret void
}

; for (;;) do { if (uniform) return; B } while (divergent): B's own branch leads back to B in the same round of the outer loop, and past
; it. Who goes round the outer loop waits, while the others are at B again.
; CHECK-LABEL: for function: own
; CHECK: block %inner convergent thread
; CHECK: block %B convergent thread
define amdgpu_kernel void @own(ptr addrspace(1) noalias %q, ptr addrspace(4) noalias %c, i32 %n) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  br label %outer
outer:
  %i = phi i32 [ 0, %entry ], [ %i.next, %B ]
  %i.next = add i32 %i, 1
  br label %inner
inner:
  %j = phi i32 [ 0, %outer ], [ %j.next, %latch ]
  %j.next = add i32 %j, 1
  %a = getelementptr i32, ptr addrspace(4) %c, i32 %j
  %l = load i32, ptr addrspace(4) %a
  %e = icmp eq i32 %l, %n
  br i1 %e, label %done, label %B
B:
  store volatile i32 1, ptr addrspace(1) %q
  %s = add i32 %i, %j
  %d = icmp ult i32 %s, %t
  br i1 %d, label %latch, label %outer
latch:
  br label %inner
done:
  ret void
}
