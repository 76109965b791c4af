; Conditions that code generation may move out of the loop itself, or have for another use: passes/llvm_fixes/far_conditions.h and
; code_motion.h.
; RUN: %opt -passes=meld-far-conditions %s -S | FileCheck %s

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"

; CHECK-LABEL: @invariant(
; CHECK: %c = icmp ugt i32 %f, 1
; CHECK-NEXT: %[[Z:.*]] = sext i1 %c to i32
; CHECK-NEXT: %[[N:.*]] = call i32 asm "", "=v,0"(i32 %[[Z]])
; CHECK-NEXT: %[[S:.*]] = call i32 @llvm.amdgcn.readfirstlane{{.*}}(i32 %[[N]])
; CHECK-NEXT: %[[D:.*]] = icmp ne i32 %[[S]], 0
; CHECK-NEXT: br i1 %[[D]], label %then, label %join
define amdgpu_kernel void @invariant(ptr addrspace(1) %p, ptr addrspace(1) %q, i32 %n) {
entry:
  %f = load i32, ptr addrspace(1) %p
  br label %body
body:
  %i = phi i32 [ 0, %entry ], [ %i.next, %join ]
  %c = icmp ugt i32 %f, 1
  br i1 %c, label %then, label %join
then:
  store volatile i32 %i, ptr addrspace(1) %q
  br label %join
join:
  %i.next = add i32 %i, 1
  %x = icmp eq i32 %i.next, %n
  br i1 %x, label %done, label %body
done:
  ret void
}

; A load that nothing in the loop may write to, and a pure call.
; CHECK-LABEL: @load(
; CHECK: body:
; CHECK: readfirstlane
; CHECK: br
define amdgpu_kernel void @load(ptr addrspace(1) noalias %p, ptr addrspace(1) noalias %q, i32 %n) {
entry:
  br label %body
body:
  %i = phi i32 [ 0, %entry ], [ %i.next, %join ]
  %f = load i32, ptr addrspace(1) %p
  %g = call i32 @llvm.ctpop.i32(i32 %f)
  %c = icmp ugt i32 %g, 1
  br i1 %c, label %then, label %join
then:
  store i32 %i, ptr addrspace(1) %q
  br label %join
join:
  %i.next = add i32 %i, 1
  %x = icmp eq i32 %i.next, %n
  br i1 %x, label %done, label %body
done:
  ret void
}

; One that something may write to.
; CHECK-LABEL: @written(
; CHECK-NOT: asm
; CHECK: ret void
define amdgpu_kernel void @written(ptr addrspace(1) %p, ptr addrspace(1) %q, i32 %n) {
entry:
  br label %body
body:
  %i = phi i32 [ 0, %entry ], [ %i.next, %join ]
  %f = load i32, ptr addrspace(1) %p
  %c = icmp ugt i32 %f, 1
  br i1 %c, label %then, label %join
then:
  store i32 %i, ptr addrspace(1) %q
  br label %join
join:
  %i.next = add i32 %i, 1
  %x = icmp eq i32 %i.next, %n
  br i1 %x, label %done, label %body
done:
  ret void
}

; What cannot leave: volatile, convergent, from round to round.
; CHECK-LABEL: @held(
; CHECK-NOT: asm
; CHECK: ret void
define amdgpu_kernel void @held(ptr addrspace(1) %p, i32 %m, i32 %n) {
entry:
  br label %one
one:
  %i = phi i32 [ 0, %entry ], [ %i.next, %end ]
  %b = phi i1 [ true, %entry ], [ %b.next, %end ]
  %f = load volatile i32, ptr addrspace(1) %p
  %c = icmp ugt i32 %f, 1
  br i1 %c, label %two, label %three
two:
  %r = call i32 @llvm.amdgcn.readfirstlane(i32 %m)
  %d = icmp ugt i32 %r, 1
  br i1 %d, label %three, label %four
three:
  %e = xor i1 %b, true
  br i1 %e, label %four, label %end
four:
  store volatile i32 %i, ptr addrspace(1) %p
  br label %end
end:
  %odd = trunc i32 %i to i1
  %b.next = xor i1 %b, %odd
  %i.next = add i32 %i, 1
  %x = icmp eq i32 %i.next, %n
  br i1 %x, label %done, label %one
done:
  ret void
}

; A phi that is one value, one that is after the first round, and one that two sides of a branch make.
; CHECK-LABEL: @phis(
; CHECK: %c = icmp ugt i32 %f, 1
; CHECK-NEXT: %[[Z:.*]] = sext i1 %c to i32
; CHECK-NEXT: %[[N:.*]] = call i32 asm "", "=v,0"(i32 %[[Z]])
; CHECK: one:
; CHECK: readfirstlane{{.*}}(i32 %[[N]])
; CHECK: icmp eq i32
; CHECK-NEXT: br
; CHECK: two:
; CHECK: readfirstlane
; CHECK: three:
; CHECK: %merged = phi i1
; CHECK: readfirstlane
define amdgpu_kernel void @phis(ptr addrspace(1) %p, ptr addrspace(1) %q, i1 %g, i32 %n) {
entry:
  %f = load i32, ptr addrspace(1) %p
  %c = icmp ugt i32 %f, 1
  br label %one
one:
  %i = phi i32 [ 0, %entry ], [ %i.next, %end ]
  %same = phi i1 [ %c, %entry ], [ %again, %end ]
  %peeled = phi i1 [ true, %entry ], [ %g, %end ]
  %not = xor i1 %same, true
  br i1 %not, label %two, label %end
two:
  br i1 %peeled, label %side, label %three
side:
  store volatile i32 %i, ptr addrspace(1) %q
  br label %three
three:
  %merged = phi i1 [ %g, %two ], [ %c, %side ]
  br i1 %merged, label %four, label %end
four:
  store volatile i32 5, ptr addrspace(1) %q
  br label %end
end:
  %again = phi i1 [ %same, %one ], [ %same, %four ], [ %c, %three ]
  %i.next = add i32 %i, 1
  %x = icmp eq i32 %i.next, %n
  br i1 %x, label %done, label %one
done:
  ret void
}

; A switch over one bit is a branch.
; CHECK-LABEL: @switch(
; CHECK: %[[H:.*]] = call i32 @llvm.amdgcn.readfirstlane{{.*}}
; CHECK-NEXT: switch i32 %[[H]], label %join [
; CHECK-NEXT: i32 -1, label %then
; CHECK: %[[O:.*]] = call i32 @llvm.amdgcn.readfirstlane{{.*}}
; CHECK-NEXT: %[[X:.*]] = xor i32 %[[O]], -1
; CHECK-NEXT: switch i32 %[[X]], label %more [
; CHECK-NEXT: i32 0, label %end
define amdgpu_kernel void @switch(ptr addrspace(1) %p, ptr addrspace(1) %q, i32 %n) {
entry:
  %f = load i32, ptr addrspace(1) %p
  %c = icmp ugt i32 %f, 1
  br label %body
body:
  %i = phi i32 [ 0, %entry ], [ %i.next, %end ]
  switch i1 %c, label %join [ i1 true, label %then ]
then:
  store volatile i32 %i, ptr addrspace(1) %q
  br label %join
join:
  %not = xor i1 %c, true
  switch i1 %not, label %more [ i1 false, label %end ]
more:
  store volatile i32 9, ptr addrspace(1) %q
  br label %end
end:
  %i.next = add i32 %i, 1
  %x = icmp eq i32 %i.next, %n
  br i1 %x, label %done, label %body
done:
  ret void
}

; One far branch, in the loop of what makes the condition, and a number made of the condition there, of its negation, by a choice.
; CHECK-LABEL: @number(
; CHECK-COUNT-3: readfirstlane
; CHECK-NOT: readfirstlane
; CHECK: ret void
define amdgpu_kernel void @number(ptr addrspace(1) %p, ptr addrspace(1) %q, i32 %n) {
entry:
  br label %body
body:
  %i = phi i32 [ 0, %entry ], [ %i.next, %end ]
  %f = load i32, ptr addrspace(1) %p
  %c = icmp ugt i32 %f, 1
  %z = zext i1 %c to i32
  store volatile i32 %z, ptr addrspace(1) %q
  %d = icmp ugt i32 %f, 2
  %d.not = xor i1 %d, true
  %s = sext i1 %d.not to i32
  store volatile i32 %s, ptr addrspace(1) %q
  %e = icmp ugt i32 %f, 3
  %y = select i1 %e, i32 0, i32 1
  store volatile i32 %y, ptr addrspace(1) %q
  %g = icmp ugt i32 %f, 4
  %h = select i1 %g, i32 %z, i32 %s
  store volatile i32 %h, ptr addrspace(1) %q
  br label %one
one:
  br i1 %c, label %two, label %three
two:
  br i1 %d, label %three, label %four
three:
  br i1 %e, label %four, label %five
four:
  br i1 %g, label %five, label %end
five:
  store volatile i32 %i, ptr addrspace(1) %q
  br label %end
end:
  %i.next = add i32 %i, 1
  %x = icmp eq i32 %i.next, %n
  br i1 %x, label %done, label %body
done:
  ret void
}

; An irreducible cycle: nothing is uniform to LLVM 15 until code generation has made it reducible. %differs is not then, either.
; CHECK-LABEL: @irreducible(
; CHECK: A:
; CHECK: readfirstlane
; CHECK: B:
; CHECK: readfirstlane
; CHECK: C:
; CHECK-NEXT: br i1 %differs
; CHECK-NOT: readfirstlane
; CHECK: ret void
define amdgpu_kernel void @irreducible(ptr addrspace(1) %p, ptr addrspace(1) %q, i32 %n) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %differs = icmp ugt i32 %t, 7
  %f = load i32, ptr addrspace(1) %p
  %c = icmp ugt i32 %f, 1
  %e = icmp ugt i32 %n, 100
  br i1 %e, label %A, label %B
A:
  %i = phi i32 [ 0, %entry ], [ %j.next, %end ]
  br i1 %c, label %then, label %B
then:
  store volatile i32 9, ptr addrspace(1) %q
  br label %B
B:
  %j = phi i32 [ 1, %entry ], [ %i, %A ], [ %i, %then ]
  %j.next = add i32 %j, 1
  br i1 %c, label %more, label %C
more:
  store volatile i32 19, ptr addrspace(1) %q
  br label %C
C:
  br i1 %differs, label %last, label %end
last:
  store volatile i32 29, ptr addrspace(1) %q
  br label %end
end:
  %x = icmp eq i32 %j.next, %n
  br i1 %x, label %done, label %A
done:
  ret void
}

; Either of two conditions is no negation.
; CHECK-LABEL: @exclusive(
; CHECK: %x = xor i1 %a, %b
; CHECK-NEXT: sext i1 %x to i32
; CHECK: icmp ne i32
define amdgpu_kernel void @exclusive(ptr addrspace(1) %q, i1 %a, i1 %b, i32 %n) {
entry:
  br label %body
body:
  %i = phi i32 [ 0, %entry ], [ %i.next, %join ]
  %x = xor i1 %a, %b
  br i1 %x, label %then, label %join
then:
  store volatile i32 %i, ptr addrspace(1) %q
  br label %join
join:
  %i.next = add i32 %i, 1
  %e = icmp eq i32 %i.next, %n
  br i1 %e, label %done, label %body
done:
  ret void
}

; This round's value or the last round's: not this round's by all ways.
; CHECK-LABEL: @rounds(
; CHECK: %pick = phi i1
; CHECK: sext i1 %pick to i32
; CHECK-NOT: sext
; CHECK: ret void
define amdgpu_kernel void @rounds(ptr addrspace(1) %q, ptr addrspace(1) noalias %p, i32 %n) {
entry:
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %i.next, %latch ]
  %prev = phi i1 [ undef, %entry ], [ %x, %latch ]
  %v = load i32, ptr addrspace(1) %p
  %w = add i32 %v, %i
  %x = icmp ugt i32 %w, 10
  %later = icmp ugt i32 %i, 0
  br i1 %later, label %s1, label %both
s1:
  store volatile i32 1, ptr addrspace(1) %q
  br label %both
both:
  %pick = phi i1 [ %prev, %s1 ], [ %x, %head ]
  store volatile i32 2, ptr addrspace(1) %q
  br label %first
first:
  br i1 %pick, label %t, label %next
t:
  store volatile i32 3, ptr addrspace(1) %q
  br label %next
next:
  br i1 %pick, label %t2, label %latch
t2:
  store volatile i32 4, ptr addrspace(1) %q
  br label %latch
latch:
  %i.next = add i32 %i, 1
  %e = icmp eq i32 %i.next, %n
  br i1 %e, label %done, label %head
done:
  ret void
}

; LLVM 15 calls the frozen phi uniform; the first lane may be one that has nothing.
; CHECK-LABEL: @frozen(
; CHECK-NOT: readfirstlane
; CHECK: ret void
define amdgpu_kernel void @frozen(ptr addrspace(1) %q, ptr addrspace(1) %p, i32 %n) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %d = icmp ugt i32 %t, 5
  br i1 %d, label %then, label %join
then:
  %v = load i32, ptr addrspace(1) %p
  %c = icmp ugt i32 %v, 7
  br label %join
join:
  %ph = phi i1 [ %c, %then ], [ undef, %entry ]
  %f = freeze i1 %ph
  store volatile i32 9, ptr addrspace(1) %q
  br label %next0
next0:
  br i1 %f, label %t1, label %next
t1:
  store volatile i32 3, ptr addrspace(1) %q
  br label %next
next:
  br i1 %f, label %t2, label %done
t2:
  store volatile i32 4, ptr addrspace(1) %q
  br label %done
done:
  ret void
}

; Code that is never run, where a value hangs on itself.
; CHECK-LABEL: @unreachable(
; CHECK-NOT: asm
; CHECK: ret void
define amdgpu_kernel void @unreachable(ptr addrspace(1) %p) {
  ret void
dead:
  %a = xor i1 %a, true
  br i1 %a, label %dead, label %other
other:
  br i1 %a, label %dead, label %other
}

declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.readfirstlane(i32)
declare i32 @llvm.ctpop.i32(i32)

; Both sides are too long for LLVM's analysis, up to LLVM 19: it takes %where for uniform (backend_view.h).
; CHECK-LABEL: @long(
; CHECK: %where = phi i1
; CHECK-NOT: readfirstlane
; CHECK: ret void
define amdgpu_kernel void @long(ptr addrspace(1) %q, i32 %n) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %c = icmp ult i32 %t, %n
  br i1 %c, label %a0, label %b0
a0:
  br label %a1
a1:
  br label %a2
a2:
  br label %join
b0:
  br label %b1
b1:
  br label %b2
b2:
  br label %join
join:
  %where = phi i1 [ false, %a2 ], [ true, %b2 ]
  br label %body
body:
  %i = phi i32 [ 0, %join ], [ %i.next, %end ]
  br i1 %where, label %then, label %end
then:
  store volatile i32 %i, ptr addrspace(1) %q
  br label %end
end:
  %i.next = add i32 %i, 1
  %x = icmp eq i32 %i.next, %n
  br i1 %x, label %done, label %body
done:
  ret void
}
