; By which way a lane leaves an inner loop, and what that says of the loop around it, is the lane's own: it is handed on in a vector
; register. Before LLVM 21 code generation takes what the lanes that left last have put into a mask.
; RUN: %opt -passes=meld-own-exits %s -S | FileCheck %s
; RUN: %opt -passes=meld-own-exits %s -S | %llc -O3 -mcpu=gfx90a -o - | FileCheck %s --check-prefix=ISA
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"

declare i32 @llvm.amdgcn.workitem.id.x()

; Lanes that went to %o wait there, and do not go to %done because others do.
; CHECK-LABEL: @ways(
; CHECK: %e = icmp eq
; CHECK-NEXT: [[A:%.*]] = call i32 asm "", "=v,0"(i32 -1)
; CHECK-NEXT: call void asm "", "v"(i32 [[A]])
; CHECK-NEXT: br i1 %e, label %loop.exit.guard, label %B2
; CHECK: [[Z:%.*]] = call i32 asm "", "=v,0"(i32 0)
; CHECK-NEXT: call void asm "", "v"(i32 [[Z]])
; CHECK-NEXT: br i1 %d, label %B, label %loop.exit.guard
; CHECK: loop.exit.guard:
; CHECK-NEXT: [[N:%.*]] = phi i32 [ [[A]], %B ], [ [[Z]], %B2 ]
; CHECK-NEXT: [[OWN:%.*]] = icmp ugt i32 [[N]], 0
; CHECK-NEXT: br i1 [[OWN]], label %done, label
; ISA-LABEL: {{^}}ways:
; ISA: %loop.exit.guard
; ISA: s_or_b64 exec, exec
; ISA: v_cmp_{{eq|ne}}_u32_e{{.*}} 0, v
define amdgpu_kernel void @ways(ptr addrspace(1) noalias %q, ptr addrspace(4) noalias %c) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  br label %o
o:
  %i = phi i32 [ 0, %entry ], [ %in, %B2 ]
  %in = add i32 %i, 1
  br label %B
B:
  %j = phi i32 [ 0, %o ], [ %jn, %B2 ]
  %jn = add i32 %j, 1
  %a = getelementptr i32, ptr addrspace(4) %c, i32 %j
  %l = load i32, ptr addrspace(4) %a
  %e = icmp eq i32 %l, 7
  br i1 %e, label %done, label %B2
B2:
  %b = getelementptr i32, ptr addrspace(1) %q, i32 %t
  store volatile i32 %i, ptr addrspace(1) %b
  %d = icmp ult i32 %j, %t
  br i1 %d, label %B, label %o
done:
  ret void
}

; What is made in the inner loop decides behind it. The asm statement keeps the number where it is made.
; CHECK-LABEL: @behind(
; CHECK: B:
; CHECK: %f = icmp ult
; CHECK-NEXT: [[FS:%.*]] = sext i1 %f to i32
; CHECK-NEXT: [[FN:%.*]] = call i32 asm "", "=v,0"(i32 [[FS]])
; CHECK-NEXT: call void asm "", "v"(i32 [[FN]])
; CHECK-NEXT: %e = icmp eq
; CHECK-NEXT: [[S:%.*]] = sext i1 %e to i32
; CHECK-NEXT: [[N:%.*]] = call i32 asm "", "=v,0"(i32 [[S]])
; CHECK-NEXT: call void asm "", "v"(i32 [[N]])
; CHECK: %z = zext i1 %e to i32
; CHECK: x:
; CHECK-NEXT: [[OWN:%.*]] = icmp ugt i32 [[N]], 0
; CHECK-NEXT: br i1 [[OWN]], label %done, label %y
; CHECK: y:
; CHECK-NEXT: [[AGAIN:%.*]] = icmp ugt i32 [[FN]], 0
; CHECK-NEXT: %not = xor i1 [[AGAIN]], true
; ISA-LABEL: {{^}}behind:
; ISA: v_cndmask_b32_e64 [[V:v[0-9]+]], 0, -1
; ISA: s_cbranch_execnz
; ISA: v_cmp_{{eq|ne}}_u32_e{{.*}} 0, [[V]]
define amdgpu_kernel void @behind(ptr addrspace(1) noalias %q, i32 %n) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  br label %o
o:
  %i = phi i32 [ 0, %entry ], [ %in, %y ]
  %in = add i32 %i, 1
  br label %B
B:
  %j = phi i32 [ 0, %o ], [ %jn, %B ]
  %jn = add i32 %j, 1
  %jt = xor i32 %j, %t
  %f = icmp ult i32 %jt, 3
  %e = icmp eq i32 %jt, 7
  %b = getelementptr i32, ptr addrspace(1) %q, i32 %t
  %z = zext i1 %e to i32
  store volatile i32 %z, ptr addrspace(1) %b
  %d = icmp ult i32 %j, %t
  br i1 %d, label %B, label %x
x:
  br i1 %e, label %done, label %y
y:
  %not = xor i1 %f, true
  %m = icmp ult i32 %in, %n
  %both = and i1 %not, %m
  br i1 %both, label %o, label %done
done:
  ret void
}

; A phi tells the exits apart.
; CHECK-LABEL: @apart(
; CHECK: B:
; CHECK: [[A:%.*]] = call i32 asm "", "=v,0"(i32 -1)
; CHECK-NEXT: call void asm "", "v"(i32 [[A]])
; CHECK: br i1
; CHECK: B2:
; CHECK: [[Z:%.*]] = call i32 asm "", "=v,0"(i32 0)
; CHECK: x:
; CHECK-NEXT: [[N:%.*]] = phi i32 [ [[A]], %B ], [ [[Z]], %B2 ]
; CHECK-NEXT: [[OWN:%.*]] = icmp ugt i32 [[N]], 0
; CHECK-NEXT: br i1 [[OWN]], label %done, label %o
define amdgpu_kernel void @apart(ptr addrspace(1) noalias %q, ptr addrspace(4) noalias %c) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  br label %o
o:
  %i = phi i32 [ 0, %entry ], [ %in, %x ]
  %in = add i32 %i, 1
  br label %B
B:
  %j = phi i32 [ 0, %o ], [ %jn, %B2 ]
  %jn = add i32 %j, 1
  %a = getelementptr i32, ptr addrspace(4) %c, i32 %j
  %l = load i32, ptr addrspace(4) %a
  %e = icmp eq i32 %l, 7
  br i1 %e, label %x, label %B2
B2:
  %b = getelementptr i32, ptr addrspace(1) %q, i32 %t
  store volatile i32 %i, ptr addrspace(1) %b
  %d = icmp ult i32 %j, %t
  br i1 %d, label %B, label %x
x:
  %g = phi i1 [ true, %B ], [ false, %B2 ]
  br i1 %g, label %done, label %o
done:
  ret void
}

; A switch is taken apart.
; CHECK-LABEL: @choice(
; CHECK-NOT: switch
; CHECK: loop.exit.guard:
; CHECK-NEXT: [[N:%.*]] = phi i32
; CHECK-NEXT: [[OWN:%.*]] = icmp ugt i32 [[N]], 0
define amdgpu_kernel void @choice(ptr addrspace(1) noalias %q, ptr addrspace(4) noalias %c) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  br label %o
o:
  %i = phi i32 [ 0, %entry ], [ %in, %B ], [ %in, %B2 ]
  %in = add i32 %i, 1
  br label %B
B:
  %j = phi i32 [ 0, %o ], [ %jn, %B2 ]
  %jn = add i32 %j, 1
  %a = getelementptr i32, ptr addrspace(4) %c, i32 %j
  %l = load i32, ptr addrspace(4) %a
  switch i32 %l, label %B2 [ i32 7, label %done
                             i32 9, label %o ]
B2:
  %b = getelementptr i32, ptr addrspace(1) %q, i32 %t
  store volatile i32 %i, ptr addrspace(1) %b
  %d = icmp ult i32 %j, %t
  br i1 %d, label %B, label %o
done:
  ret void
}

; Whatever decides in the loop stays as it is, uniform or not.
; CHECK-LABEL: @inside(
; CHECK: br i1 %s, label %P1, label %P2
; CHECK: br i1 %r, label %latch, label %C
; CHECK: br i1 %u, label %X1, label %X2
; CHECK: br i1 %d1, label %latch, label %loop.exit.guard
; CHECK: br i1 %d2, label %latch, label %loop.exit.guard
; CHECK: loop.exit.guard:
; CHECK-NEXT: phi i32
; CHECK-NEXT: icmp ugt
define amdgpu_kernel void @inside(ptr addrspace(1) noalias %q, ptr addrspace(4) noalias %c) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  br label %o
o:
  %i = phi i32 [ 0, %entry ], [ %in, %X2 ]
  %in = add i32 %i, 1
  br label %B
B:
  %j = phi i32 [ 0, %o ], [ %jn, %latch ]
  %jn = add i32 %j, 1
  %a = getelementptr i32, ptr addrspace(4) %c, i32 %j
  %l = load i32, ptr addrspace(4) %a
  %s = icmp eq i32 %l, 5
  br i1 %s, label %P1, label %P2
P1:
  store volatile i32 5, ptr addrspace(1) %q
  br label %P2
P2:
  %r = icmp eq i32 %l, 3
  br i1 %r, label %latch, label %C
C:
  %u = icmp eq i32 %l, 7
  br i1 %u, label %X1, label %X2
X1:
  %d1 = icmp ult i32 %j, %t
  br i1 %d1, label %latch, label %done
X2:
  %b = getelementptr i32, ptr addrspace(1) %q, i32 %t
  store volatile i32 %i, ptr addrspace(1) %b
  %d2 = icmp ugt i32 %j, %t
  br i1 %d2, label %latch, label %o
latch:
  br label %B
done:
  ret void
}

; A phi of the outer loop takes it on the way round.
; CHECK-LABEL: @round(
; CHECK: o:
; CHECK: %last = phi i1 [ false, %entry ], [ [[OWN:%.*]], %x ]
; CHECK: x:
; CHECK-NEXT: [[OWN]] = icmp ugt i32
define amdgpu_kernel void @round(ptr addrspace(1) noalias %q, i32 %n) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  br label %o
o:
  %i = phi i32 [ 0, %entry ], [ %in, %x ]
  %last = phi i1 [ false, %entry ], [ %e, %x ]
  %in = add i32 %i, 1
  br label %B
B:
  %j = phi i32 [ 0, %o ], [ %jn, %B ]
  %jn = add i32 %j, 1
  %jt = xor i32 %j, %t
  %e = icmp eq i32 %jt, 7
  %b = getelementptr i32, ptr addrspace(1) %q, i32 %t
  %z = zext i1 %e to i32
  store volatile i32 %z, ptr addrspace(1) %b
  %d = icmp ult i32 %j, %t
  br i1 %d, label %B, label %x
x:
  br i1 %last, label %done, label %o
done:
  ret void
}

; To LoopSimplify these are two loops, one in the other.
; CHECK-LABEL: @round_by_two(
; CHECK: h.outer:
; CHECK: phi i32 [ %{{[0-9]+}}, %h ], [ %{{[0-9]+}}, %b1 ]
; CHECK: [[OWN:%own.*]] = icmp ugt i32 %{{[0-9]+}}, 0
; CHECK: br i1 %own
define amdgpu_kernel void @round_by_two(ptr addrspace(1) noalias %q, ptr addrspace(4) noalias %c) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %b = getelementptr i32, ptr addrspace(1) %q, i32 %t
  br label %h
h:
  %p = phi i32 [ 0, %entry ], [ %p, %b1 ], [ %v, %m ]
  %j = phi i32 [ 0, %entry ], [ %jn, %b1 ], [ %jn, %m ]
  %jn = add i32 %j, 1
  store volatile i32 %p, ptr addrspace(1) %b
  %a = getelementptr i32, ptr addrspace(4) %c, i32 %j
  %l = load i32, ptr addrspace(4) %a
  %e = icmp eq i32 %l, 7
  br i1 %e, label %b1, label %m
b1:
  %d = icmp ult i32 %j, %t
  br i1 %d, label %h, label %done
m:
  %v = add i32 %p, %l
  %d2 = icmp ugt i32 %v, %t
  br i1 %d2, label %h, label %done
done:
  ret void
}

; All leave in one round; and a loop that is in no other: nothing to do. Nor where there is one way out, or
; what is made in the inner loop is used behind both.
; CHECK-LABEL: @together(
; CHECK-NOT: asm
; CHECK-LABEL: @outermost(
; CHECK-NOT: asm
; CHECK: br i1 %e, label %x, label %B2
; CHECK-NOT: asm
; CHECK-LABEL: @one_way(
; CHECK-NOT: asm
define amdgpu_kernel void @together(ptr addrspace(1) noalias %q, ptr addrspace(4) noalias %c, i32 %n) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  br label %o
o:
  %i = phi i32 [ 0, %entry ], [ %in, %B2 ]
  %in = add i32 %i, 1
  br label %B
B:
  %j = phi i32 [ 0, %o ], [ %jn, %B2 ]
  %jn = add i32 %j, 1
  %a = getelementptr i32, ptr addrspace(4) %c, i32 %j
  %l = load i32, ptr addrspace(4) %a
  %e = icmp eq i32 %l, 7
  br i1 %e, label %done, label %B2
B2:
  %b = getelementptr i32, ptr addrspace(1) %q, i32 %t
  store volatile i32 %i, ptr addrspace(1) %b
  %d = icmp ult i32 %j, %n
  br i1 %d, label %B, label %o
done:
  ret void
}

define amdgpu_kernel void @outermost(ptr addrspace(1) noalias %q, ptr addrspace(4) noalias %c) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %b = getelementptr i32, ptr addrspace(1) %q, i32 %t
  br label %B
B:
  %j = phi i32 [ 0, %entry ], [ %jn, %B2 ]
  %jn = add i32 %j, 1
  %a = getelementptr i32, ptr addrspace(4) %c, i32 %j
  %l = load i32, ptr addrspace(4) %a
  %e = icmp eq i32 %l, 7
  br i1 %e, label %x, label %B2
B2:
  %d = icmp ult i32 %j, %t
  br i1 %d, label %B, label %y
x:
  store i32 5, ptr addrspace(1) %b
  br label %done
y:
  store volatile i32 9, ptr addrspace(1) %b
  br label %done
done:
  ret void
}

define amdgpu_kernel void @one_way(ptr addrspace(1) noalias %q, ptr addrspace(4) noalias %c, i32 %n) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %b = getelementptr i32, ptr addrspace(1) %q, i32 %t
  br label %o
o:
  %i = phi i32 [ 0, %entry ], [ %in, %x ]
  %in = add i32 %i, 1
  br label %B
B:
  %j = phi i32 [ 0, %o ], [ %jn, %again ]
  %jn = add i32 %j, 1
  %d = icmp ult i32 %j, %t
  br i1 %d, label %again, label %C
again:
  br label %B
C:
  %a = getelementptr i32, ptr addrspace(4) %c, i32 %j
  %l = load i32, ptr addrspace(4) %a
  %e = icmp eq i32 %l, 7
  %f = icmp ult i32 %l, 3
  %z = zext i1 %f to i32
  store volatile i32 %z, ptr addrspace(1) %b
  br i1 %e, label %x, label %again
x:
  %m = icmp ult i32 %in, %n
  br i1 %m, label %o, label %done
done:
  %r = select i1 %f, i32 3, i32 4
  store i32 %r, ptr addrspace(1) %b
  ret void
}
