; Threads that leave a loop in different rounds choose the way out in different rounds, too: a choice that is uniform in each is
; not between them, also where every round that ends comes by it, so that no branch of the loop decides whether it is reached.
; RUN: %opt -passes="print<meld-divergence>" -disable-output %s 2>&1 | FileCheck %s
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"

declare i32 @llvm.amdgcn.workitem.id.x()

; Two exits to one join. In a round all that are at X go the same way.
; CHECK-LABEL: for function: flag
; CHECK: branch wave: br i1 %y, label %join, label %Y
; CHECK: thread: %c = phi i1
; CHECK: branch thread: br i1 %c, label %then, label %end
define amdgpu_kernel void @flag(ptr addrspace(1) noalias %q, ptr addrspace(1) noalias %r, i32 %n) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i.next, %latch ]
  %i.next = add i32 %i, 1
  %div = icmp uge i32 %i, %t
  br i1 %div, label %X, label %latch
X:
  %ip = getelementptr i32, ptr addrspace(1) %r, i32 %i
  %iv = load i32, ptr addrspace(1) %ip
  %y = icmp eq i32 %iv, 1
  br i1 %y, label %join, label %Y
Y:
  %z = icmp eq i32 %iv, 2
  br i1 %z, label %join, label %latch
latch:
  br label %loop
join:
  %c = phi i1 [ true, %X ], [ false, %Y ]
  br label %body
body:
  %k = phi i32 [ 0, %join ], [ %k.next, %end ]
  br i1 %c, label %then, label %end
then:
  store volatile i32 %k, ptr addrspace(1) %q
  br label %end
end:
  %k.next = add i32 %k, 1
  %e = icmp eq i32 %k.next, %n
  br i1 %e, label %done, label %body
done:
  ret void
}

; Two exits by blocks of their own.
; CHECK-LABEL: for function: ways
; CHECK: thread: %c = phi i32 [ 0, %out1 ], [ 100, %out2 ]
define amdgpu_kernel void @ways(ptr addrspace(1) noalias %q, ptr addrspace(1) noalias %p, ptr addrspace(1) noalias %r, i32 %n) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i.next, %latch ]
  %div = icmp uge i32 %i, %t
  br i1 %div, label %X, label %latch
X:
  %ip = getelementptr i32, ptr addrspace(1) %r, i32 %i
  %iv = load i32, ptr addrspace(1) %ip
  switch i32 %iv, label %latch [ i32 1, label %out1
                                i32 2, label %out2 ]
latch:
  %i.next = add i32 %i, 1
  br label %loop
out1:
  store volatile i32 3, ptr addrspace(1) %q
  br label %join
out2:
  store volatile i32 5, ptr addrspace(1) %q
  br label %join
join:
  %c = phi i32 [ 0, %out1 ], [ 100, %out2 ]
  br label %f
f:
  %j = phi i32 [ 0, %join ], [ %j.next, %f ]
  %s = phi i32 [ 0, %join ], [ %s.next, %f ]
  %x = add i32 %c, %j
  %xm = mul i32 %x, %n
  %a = getelementptr i32, ptr addrspace(1) %p, i32 %xm
  %l = load i32, ptr addrspace(1) %a
  %s.next = add i32 %s, %l
  %j.next = add i32 %j, 1
  %e = icmp eq i32 %j.next, %n
  br i1 %e, label %done, label %f
done:
  %o = getelementptr i32, ptr addrspace(1) %q, i32 %t
  store i32 %s.next, ptr addrspace(1) %o
  ret void
}

; Rounds of an inner loop from which the outer one is left: %c is the outer loop's, and as old as the thread's last round.
; CHECK-LABEL: for function: inner
; CHECK: branch thread: br i1 %c, label %a, label %s
; CHECK: branch thread: br i1 %c, label %b, label %done
define amdgpu_kernel void @inner(ptr addrspace(1) noalias %q, ptr addrspace(1) noalias %p, i32 %n) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  br label %h1
h1:
  %i = phi i32 [ 0, %entry ], [ %i.next, %h1latch ]
  %c = icmp eq i32 %i, %n
  br label %l2
l2:
  %j = phi i32 [ 0, %h1 ], [ %j.next, %l2latch ]
  %div = icmp uge i32 %j, %t
  br i1 %div, label %X, label %l2latch
X:
  %ij = add i32 %i, %j
  switch i32 %ij, label %l2latch [ i32 3, label %h1latch
                                  i32 6, label %out
                                  i32 13, label %h1latch
                                  i32 16, label %out ]
l2latch:
  %j.next = add i32 %j, 1
  br label %l2
h1latch:
  %i.next = add i32 %i, 1
  br label %h1
out:
  br label %f
f:
  br i1 %c, label %a, label %s
a:
  store volatile i32 3, ptr addrspace(1) %q
  br label %s
s:
  br i1 %c, label %b, label %done
b:
  store volatile i32 4, ptr addrspace(1) %q
  br label %done
done:
  %o = getelementptr i32, ptr addrspace(1) %p, i32 %t
  %ii = add i32 %i, 7
  store i32 %ii, ptr addrspace(1) %o
  ret void
}

; A phi at a loop's head that hands itself on has what the thread's last way by %l1 found, in a round of its own.
; CHECK-LABEL: for function: handed
; CHECK: thread{{.*}}: %p = phi
; CHECK: branch thread: br i1 %c, label %A, label %B
define amdgpu_kernel void @handed(ptr addrspace(1) noalias %q, ptr addrspace(1) noalias %m, i32 %n) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  br label %h
h:
  %p = phi i32 [ undef, %entry ], [ %x, %l1 ], [ %p, %l2 ]
  %x = load i32, ptr addrspace(1) %m
  %x1 = add i32 %x, 1
  store i32 %x1, ptr addrspace(1) %m
  %e = icmp eq i32 %x, %n
  br i1 %e, label %done, label %b
b:
  %d = icmp eq i32 %x, %t
  br i1 %d, label %l1, label %l2
l1:
  store volatile i32 1, ptr addrspace(1) %q
  br label %h
l2:
  store volatile i32 2, ptr addrspace(1) %q
  br label %h
done:
  %c = icmp ult i32 %p, 5
  br i1 %c, label %A, label %B
A:
  store volatile i32 7, ptr addrspace(1) %q
  br label %B
B:
  ret void
}
