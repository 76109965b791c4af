; What meld-simplify-selects leaves.
; RUN: %opt -passes=meld-simplify-selects -S %s -o %t.after
; RUN: %opt -S %s -o %t.before
; RUN: diff %t.before %t.after

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.smin.i32(i32, i32)
declare i32 @llvm.smax.i32(i32, i32)
declare i32 @llvm.umin.i32(i32, i32)
declare i32 @llvm.umax.i32(i32, i32)
@lds = external addrspace(3) global [0 x i32], align 4

; An or that is no sum where it is chosen: 127, 119 ... have their lowest bit set. The condition is
; another one in each round, so what the position is made of says nothing.
define amdgpu_kernel void @no_sum() {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %m = and i32 %t, 1
  %up = icmp eq i32 %m, 0
  %first = select i1 %up, i32 0, i32 127
  %step = select i1 %up, i32 8, i32 -8
  br label %loop
loop:
  %k = phi i32 [ %first, %entry ], [ %next, %loop ]
  %a = or i32 %k, 1
  %b = add i32 %k, -1
  %c = select i1 %up, i32 %b, i32 %a
  %p = getelementptr inbounds i32, ptr addrspace(3) @lds, i32 %c
  store i32 %t, ptr addrspace(3) %p
  %next = add i32 %k, %step
  %done = icmp ugt i32 %next, 127
  br i1 %done, label %exit, label %loop
exit:
  ret void
}
define amdgpu_kernel void @changing(i32 %n) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %more, %loop ]
  %k = phi i32 [ 0, %entry ], [ %next, %loop ]
  %m = xor i32 %i, %t
  %up = icmp ult i32 %m, 7
  %a = or i32 %k, 1
  %b = add i32 %k, -1
  %c = select i1 %up, i32 %a, i32 %b
  %p = getelementptr inbounds i32, ptr addrspace(3) @lds, i32 %c
  store i32 %t, ptr addrspace(3) %p
  %step = select i1 %up, i32 8, i32 -7
  %next = add i32 %k, %step
  %more = add i32 %i, 1
  %done = icmp eq i32 %more, %n
  br i1 %done, label %exit, label %loop
exit:
  ret void
}

; Used by others, too; of two values; as wide as two registers.
define i32 @others(i1 %c, i32 %x, i32 %y, i64 %z, ptr addrspace(3) %q) {
  %a = add i32 %x, 3
  %b = add i32 %x, -5
  %s = select i1 %c, i32 %a, i32 %b
  store i32 %a, ptr addrspace(3) %q
  %d = add i32 %x, 1
  %e = add i32 %y, 2
  %u = select i1 %c, i32 %d, i32 %e
  %f = add i64 %z, 3
  %g = add i64 %z, -5
  %v = select i1 %c, i64 %f, i64 %g
  store i64 %v, ptr addrspace(3) %q
  %r = add i32 %s, %u
  ret i32 %r
}

; The other signedness; no comparison of both ways; the comparison of one side's way alone.
define i32 @compared(i1 %c, i32 noundef %a, i32 noundef %b) {
  %l = select i1 %c, i32 %a, i32 %b
  %r = select i1 %c, i32 %b, i32 %a
  %p = icmp ugt i32 %l, %r
  %least = call i32 @llvm.smin.i32(i32 %a, i32 %b)
  %most = call i32 @llvm.smax.i32(i32 %a, i32 %b)
  %s = select i1 %c, i32 %least, i32 %most
  %q = icmp sgt i32 %a, %b
  %e = icmp eq i32 %l, %r
  %o = select i1 %p, i32 %s, i32 0
  %n = select i1 %q, i32 %o, i32 1
  %m = select i1 %e, i32 %n, i32 2
  ret i32 %m
}

; A cycle with two ways in has no header: values of rounds with another condition come round in it.
define i32 @two_ways_in(i1 %s, i32 %n, i32 %mask) {
entry:
  br i1 %s, label %A, label %B
A:
  %pa = phi i32 [ 4, %entry ], [ %v, %next ]
  %ia = phi i32 [ 0, %entry ], [ %i1, %next ]
  br label %D
B:
  %pb = phi i32 [ 4, %entry ], [ %v, %next ]
  %ib = phi i32 [ 0, %entry ], [ %i1, %next ]
  br label %D
D:
  %p = phi i32 [ %pa, %A ], [ %pb, %B ]
  %i = phi i32 [ %ia, %A ], [ %ib, %B ]
  %bit = lshr i32 %mask, %i
  %c = trunc i32 %bit to i1
  %x = or i32 %p, 1
  %y = add i32 %p, 2
  %r = select i1 %c, i32 %x, i32 %y
  %v = select i1 %c, i32 8, i32 7
  %i1 = add i32 %i, 1
  %e = icmp eq i32 %i1, %n
  br i1 %e, label %exit, label %next
next:
  %o = trunc i32 %i1 to i1
  br i1 %o, label %A, label %B
exit:
  ret i32 %r
}

; There is no place to freeze b, so a is not frozen, either.
define i32 @argument(ptr addrspace(3) %in, i32 %b, i1 noundef %c) {
  %a = load i32, ptr addrspace(3) %in
  %x = select i1 %c, i32 %a, i32 %b
  %y = select i1 %c, i32 %b, i32 %a
  %p = icmp sgt i32 %x, %y
  %l = call i32 @llvm.smin.i32(i32 %a, i32 %b)
  %m = call i32 @llvm.smax.i32(i32 %a, i32 %b)
  %r = select i1 %c, i32 %l, i32 %m
  %z = zext i1 %p to i32
  %w = add i32 %r, %z
  ret i32 %w
}

; A distance that is another one in each round, in a loop with nothing else in it; and the condition.
define i32 @distance_changes(i1 %c, i32 %x, i32 %n) {
entry:
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi i32 [ %x, %entry ], [ %chosen, %loop ]
  %a = add i32 %sum, %k
  %b = add i32 %sum, -5
  %chosen = select i1 %c, i32 %a, i32 %b
  %next = add i32 %k, 1
  %done = icmp eq i32 %next, %n
  br i1 %done, label %exit, label %loop
exit:
  ret i32 %chosen
}
define i32 @condition_changes(i32 %y, i32 %z, i32 %x, i32 %n) {
entry:
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi i32 [ %x, %entry ], [ %chosen, %loop ]
  %c = icmp ult i32 %k, 9
  %a = add i32 %sum, %y
  %b = add i32 %sum, %z
  %chosen = select i1 %c, i32 %a, i32 %b
  %next = add i32 %k, 1
  %done = icmp eq i32 %next, %n
  br i1 %done, label %exit, label %loop
exit:
  ret i32 %chosen
}

; The comparison comes behind the select.
define i32 @compared_later(i1 %c, i32 noundef %a, i32 noundef %b) {
  %one = select i1 %c, i32 %a, i32 %b
  %other = select i1 %c, i32 %b, i32 %a
  %least = call i32 @llvm.smin.i32(i32 %a, i32 %b)
  %most = call i32 @llvm.smax.i32(i32 %a, i32 %b)
  %result = select i1 %c, i32 %least, i32 %most
  %above = icmp sgt i32 %one, %other
  %wide = zext i1 %above to i32
  %r = add i32 %result, %wide
  ret i32 %r
}
