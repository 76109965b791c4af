; "Fits a scalar register" is not "may be read from the first lane": undefined values, and cycles with several ways in.
; RUN: %opt -passes='print<meld-divergence>' -disable-output %s | FileCheck %s
; RUN: %opt -passes=meld-uniform-branch -S %s | FileCheck %s --check-prefix=READ
; RUN: %opt -passes='meld-scalarize-values<min-profit=-1000000>' -S %s | FileCheck %s --check-prefix=READ
; RUN: %opt -passes='meld-scalarize-loads<min-profit=-1000000>' -S %s | FileCheck %s --check-prefix=READ
; RUN: %opt -passes='meld-dynamic-convergence<min-profit=-1000000>' -S %s | FileCheck %s --check-prefix=READ

; Arguments may be read from the first lane, none of what is computed here.
; READ-NOT: @llvm.amdgcn.readfirstlane(i32 %{{(f|y|v|is|x|e)}})

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"

declare i32 @llvm.amdgcn.workitem.id.x()
define internal i32 @known(i32 %n) noinline {
  %m = mul i32 %n, 3
  ret i32 %m
}
; The result is what some lanes make of it: undefined for others.
define internal i32 @partly(i32 %n) noinline {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %odd = and i32 %t, 1
  %c = icmp ne i32 %odd, 0
  br i1 %c, label %then, label %join
then:
  %m = mul i32 %n, 3
  br label %join
join:
  %y = phi i32 [ %m, %then ], [ undef, %0 ]
  ret i32 %y
}

; CHECK-LABEL: function: frozen,
; CHECK: all:   %x = call
; CHECK: all, first lane thread:   %y = phi
; CHECK: all, first lane thread:   %f = freeze
; CHECK: all, first lane thread:   %is = icmp
; CHECK: block %yes convergent thread
define amdgpu_kernel void @frozen(ptr addrspace(1) %p, ptr addrspace(1) noalias readonly %q, i32 %n) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %o = getelementptr i32, ptr addrspace(1) %p, i32 %t
  %odd = and i32 %t, 1
  %c = icmp ne i32 %odd, 0
  br i1 %c, label %then, label %join
then:
  %x = call i32 @known(i32 %n)
  br label %join
join:
  %y = phi i32 [ %x, %then ], [ undef, %entry ]
  %f = freeze i32 %y
  %a = getelementptr i32, ptr addrspace(1) %q, i32 %f
  %l = load i32, ptr addrspace(1) %a
  %is = icmp eq i32 %f, 16
  br i1 %is, label %yes, label %no
yes:
  store i32 1, ptr addrspace(1) %o
  ret void
no:
  store i32 %l, ptr addrspace(1) %o
  ret void
}

; CHECK-LABEL: function: from_poison,
; CHECK: all, first lane thread:   %y = phi
define amdgpu_kernel void @from_poison(ptr addrspace(1) %p, i32 %n, i32 %k) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %o = getelementptr i32, ptr addrspace(1) %p, i32 %t
  %c = icmp ult i32 %t, 7
  br i1 %c, label %then, label %join
then:
  %x = call i32 @known(i32 %n)
  br label %join
join:
  %y = phi i32 [ %x, %then ], [ poison, %entry ]
  %f = freeze i32 %y
  %is = icmp ult i32 %f, %k
  %r = select i1 %is, i32 3, i32 %f
  store i32 %r, ptr addrspace(1) %o
  ret void
}

; CHECK-LABEL: function: from_callee,
; CHECK: thread:   %y = call
define amdgpu_kernel void @from_callee(ptr addrspace(1) %p, i32 %n) {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %o = getelementptr i32, ptr addrspace(1) %p, i32 %t
  %y = call i32 @partly(i32 %n)
  %f = freeze i32 %y
  %is = icmp eq i32 %f, 16
  br i1 %is, label %yes, label %no
yes:
  store i32 1, ptr addrspace(1) %o
  ret void
no:
  store i32 2, ptr addrspace(1) %o
  ret void
}

; Each lane's own, though no branch is in sight.
; CHECK-LABEL: function: nobodys,
; CHECK: all, first lane thread:   %f = freeze
; CHECK: all, first lane thread:   %g = freeze
define amdgpu_kernel void @nobodys(ptr addrspace(1) %p, i32 %n) {
  %f = freeze i32 undef
  %i = insertelement <2 x i32> undef, i32 %n, i32 0
  %d = shl <2 x i32> %i, <i32 1, i32 1>
  %g = freeze <2 x i32> %d
  %e = extractelement <2 x i32> %g, i32 1
  %s = add i32 %f, %e
  store i32 %s, ptr addrspace(1) %p
  ret void
}

; Undefined in the first round for all of them: each lane freezes what its own register holds.
; CHECK-LABEL: function: first_round,
; CHECK: all:   %last = phi
; CHECK: all, first lane thread:   %f = freeze
define amdgpu_kernel void @first_round(ptr addrspace(1) %p, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i1, %loop ]
  %last = phi i32 [ undef, %entry ], [ %i, %loop ]
  %f = freeze i32 %last
  %i1 = add i32 %i, 1
  %again = icmp ult i32 %i1, %n
  br i1 %again, label %loop, label %out
out:
  store i32 %f, ptr addrspace(1) %p
  ret void
}

; In at A and at B, out of B when the lane's own count says so. What B loads is as old as the lane's last visit.
; CHECK-LABEL: function: two_ways_in,
; CHECK: wave:   %v = load
; CHECK: block %out
; CHECK: thread:   %is = icmp
; CHECK: branch thread
define amdgpu_kernel void @two_ways_in(ptr addrspace(1) %p, ptr addrspace(1) %w, ptr addrspace(1) %r, i32 %n) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %o = getelementptr i32, ptr addrspace(1) %p, i32 %t
  %c = icmp eq i32 %n, 0
  br i1 %c, label %A, label %B
A:
  %ka = phi i32 [ 0, %entry ], [ %kb, %B ]
  %ka1 = add i32 %ka, 1
  br label %B
B:
  %kb0 = phi i32 [ 0, %entry ], [ %ka1, %A ]
  %kb = add i32 %kb0, 3
  store i32 %kb, ptr addrspace(1) %w
  %v = load i32, ptr addrspace(1) %r
  %stay = icmp ult i32 %kb, %t
  br i1 %stay, label %A, label %out
out:
  %is = icmp eq i32 %v, 11
  br i1 %is, label %yes, label %no
yes:
  store i32 111, ptr addrspace(1) %o
  ret void
no:
  store i32 %v, ptr addrspace(1) %o
  ret void
}

; Inside of the cycle, too: lanes come to C with what A loaded in different turns.
; CHECK-LABEL: function: handed_on,
; CHECK: wave:   %v = load
; CHECK: thread:   %same = icmp eq i32 %v, 4
define amdgpu_kernel void @handed_on(ptr addrspace(1) %p, ptr addrspace(1) %w, ptr addrspace(1) %r, i32 %n) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %o = getelementptr i32, ptr addrspace(1) %p, i32 %t
  %c = icmp eq i32 %n, 0
  br label %A
A:
  %k = phi i32 [ 0, %entry ], [ %k1, %which ]
  store i32 %k, ptr addrspace(1) %w
  %v = load i32, ptr addrspace(1) %r
  br i1 %c, label %B, label %C
B:
  %kb = phi i32 [ %k, %A ], [ %k1, %which ]
  store i32 %kb, ptr addrspace(1) %o
  br label %C
C:
  %kc = phi i32 [ %k, %A ], [ %kb, %B ]
  %k1 = add i32 %kc, 1
  %same = icmp eq i32 %v, 4
  %add = zext i1 %same to i32
  %m = add i32 %k1, %add
  %back = icmp ult i32 %m, %t
  %far = icmp ult i32 %m, 9
  %way = select i1 %back, i32 1, i32 0
  switch i32 %way, label %out [ i32 1, label %which ]
which:
  br i1 %far, label %A, label %B
out:
  ret void
}

; All come by the way on which nothing is defined: each lane freezes what its own register holds.
; CHECK-LABEL: for function: uniform_way
; CHECK: all: %p = phi
; CHECK: all, first lane thread: %f = freeze
define amdgpu_kernel void @uniform_way(ptr addrspace(1) noalias %q, i32 %n) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %u = icmp eq i32 %n, 3
  br i1 %u, label %A, label %J
A:
  store volatile i32 1, ptr addrspace(1) %q
  br label %J
J:
  %p = phi i32 [ undef, %entry ], [ %n, %A ]
  %f = freeze i32 %p
  %o = getelementptr i32, ptr addrspace(1) %q, i32 %t
  store volatile i32 %f, ptr addrspace(1) %o
  ret void
}
