; Shapes of control flow that the melder takes as they are, or leaves; all go through code generation.
; RUN: %opt -passes=meld-cfm -S %s | FileCheck %s
; RUN: %opt -passes=meld-cfm %s | %llc -mcpu=gfx90a -o /dev/null

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"

declare i32 @llvm.amdgcn.workitem.id.x()

; A critical edge: the branch of one side also leads to the join of both.
; CHECK-LABEL: @critical_edge(
; CHECK: ret void
define amdgpu_kernel void @critical_edge(ptr addrspace(3) %p, ptr addrspace(3) %o) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %x = load i32, ptr addrspace(3) %p
  %x1 = mul i32 %x, 3
  %xc = icmp sgt i32 %x1, 4
  br i1 %xc, label %left.then, label %join
left.then:
  store volatile i32 1, ptr addrspace(3) %p
  br label %join
right:
  %y = load i32, ptr addrspace(3) %p
  %y1 = mul i32 %y, 5
  store i32 %y1, ptr addrspace(3) %p
  br label %join
join:
  %v = phi i32 [ %x1, %left ], [ 7, %left.then ], [ %y1, %right ]
  store volatile i32 %v, ptr addrspace(3) %o
  ret void
}

; Both sides are the same block; its phi has the edge twice.
; CHECK-LABEL: @same_block_with_phi(
; CHECK: br i1 %c, label %join, label %join
; CHECK: phi i32 [ 1, %0 ], [ 1, %0 ]
define amdgpu_kernel void @same_block_with_phi(ptr addrspace(3) %o) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %c = icmp eq i32 %tid, 0
  br i1 %c, label %join, label %join
join:
  %v = phi i32 [ 1, %0 ], [ 1, %0 ]
  store volatile i32 %v, ptr addrspace(3) %o
  ret void
}

; Both sides return: what stands before the returns stays on its side.
; CHECK-LABEL: @both_return(
; CHECK: br i1 %c, label %left, label %right
; CHECK-COUNT-2: ret void
define amdgpu_kernel void @both_return(ptr addrspace(3) %p, ptr addrspace(3) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  store i32 1, ptr addrspace(3) %p
  ret void
right:
  store i32 2, ptr addrspace(3) %q
  ret void
}

; One side returns, the other goes on.
; CHECK-LABEL: @one_returns(
; CHECK: br i1 %c
; CHECK: ret void
; CHECK: store volatile i32 2
; CHECK: ret void
define amdgpu_kernel void @one_returns(ptr addrspace(3) %p, ptr addrspace(3) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %x = load i32, ptr addrspace(3) %p
  %x1 = mul i32 %x, 3
  store i32 %x1, ptr addrspace(3) %p
  ret void
right:
  %y = load i32, ptr addrspace(3) %p
  %y1 = mul i32 %y, 5
  store i32 %y1, ptr addrspace(3) %p
  br label %join
join:
  store volatile i32 2, ptr addrspace(3) %q
  ret void
}

; A side that ends in unreachable keeps its own end.
; CHECK-LABEL: @one_unreachable(
; CHECK: br i1 %c, label %[[END:.*]], label %
; CHECK: [[END]]:
; CHECK: unreachable
; CHECK: ret void
define amdgpu_kernel void @one_unreachable(ptr addrspace(3) %p) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %x = load i32, ptr addrspace(3) %p
  %x1 = mul i32 %x, 3
  store i32 %x1, ptr addrspace(3) %p
  unreachable
right:
  %y = load i32, ptr addrspace(3) %p
  %y1 = mul i32 %y, 5
  store i32 %y1, ptr addrspace(3) %p
  br label %join
join:
  ret void
}

; The right side is reached from elsewhere too: it is not the branch's own.
; CHECK-LABEL: @shared_side(
; CHECK: br i1 %c, label %left, label %right
; CHECK: left:
; CHECK: right:
; CHECK: ret void
define amdgpu_kernel void @shared_side(ptr addrspace(3) %p, i32 %n) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  %u = icmp eq i32 %n, 0
  br i1 %u, label %top, label %right
top:
  br i1 %c, label %left, label %right
left:
  %x = load i32, ptr addrspace(3) %p
  %x1 = mul i32 %x, 3
  store i32 %x1, ptr addrspace(3) %p
  br label %join
right:
  %y = load i32, ptr addrspace(3) %p
  %y1 = mul i32 %y, 5
  store i32 %y1, ptr addrspace(3) %p
  br label %join
join:
  ret void
}

; A diamond inside an irreducible cycle still has its own join.
; CHECK-LABEL: @irreducible_around(
; CHECK: ret void
define amdgpu_kernel void @irreducible_around(ptr addrspace(3) %p, i32 %n) {
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %u = icmp eq i32 %n, 0
  br i1 %u, label %a, label %b
a:
  %av = load volatile i32, ptr addrspace(3) %p
  %c = icmp slt i32 %av, %tid
  br i1 %c, label %left, label %right
left:
  %x = load i32, ptr addrspace(3) %p
  %x1 = mul i32 %x, 3
  store i32 %x1, ptr addrspace(3) %p
  br label %b
right:
  %y = load i32, ptr addrspace(3) %p
  %y1 = mul i32 %y, 5
  store i32 %y1, ptr addrspace(3) %p
  br label %b
b:
  %bv = load volatile i32, ptr addrspace(3) %p
  %bc = icmp slt i32 %bv, %tid
  br i1 %bc, label %a, label %done
done:
  ret void
}

; Switches whose cases differ do not correspond: two.
; CHECK-LABEL: @different_cases(
; CHECK-COUNT-2: switch i32
; CHECK-NOT: switch i32
; CHECK: ret void
define amdgpu_kernel void @different_cases(ptr addrspace(3) %p, ptr addrspace(3) %o) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %x = load volatile i32, ptr addrspace(3) %p
  switch i32 %x, label %left.end [ i32 3, label %left.a
                                   i32 5, label %left.b ]
left.a:
  store i32 11, ptr addrspace(3) %o
  br label %left.end
left.b:
  store volatile i32 12, ptr addrspace(3) %o
  br label %left.end
left.end:
  br label %join
right:
  %y = load volatile i32, ptr addrspace(3) %p
  switch i32 %y, label %right.end [ i32 3, label %right.a
                                    i32 6, label %right.b ]
right.a:
  store i32 21, ptr addrspace(3) %o
  br label %right.end
right.b:
  store volatile i32 22, ptr addrspace(3) %o
  br label %right.end
right.end:
  br label %join
join:
  ret void
}

; A block whose address is taken stays where it is.
; CHECK-LABEL: @block_address(
; CHECK: br i1 %c, label %left, label %right
; CHECK: ret void
@address = addrspace(1) global ptr blockaddress(@block_address, %left)
define void @block_address(ptr addrspace(3) %p, i32 %n) {
  %c = icmp eq i32 %n, 0
  br i1 %c, label %left, label %right
left:
  %x = load i32, ptr addrspace(3) %p
  %x1 = mul i32 %x, 3
  store i32 %x1, ptr addrspace(3) %p
  br label %join
right:
  %y = load i32, ptr addrspace(3) %p
  %y1 = mul i32 %y, 5
  store i32 %y1, ptr addrspace(3) %p
  br label %join
join:
  ret void
}

; `optnone` is obeyed.
; CHECK-LABEL: @optnone(
; CHECK: br i1 %c, label %left, label %right
; CHECK: ret void
define amdgpu_kernel void @optnone(ptr addrspace(3) %p, ptr addrspace(3) %q) noinline optnone {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %x = load i32, ptr addrspace(3) %p
  %x1 = mul i32 %x, 3
  store i32 %x1, ptr addrspace(3) %p
  br label %join
right:
  %y = load i32, ptr addrspace(3) %p
  %y1 = mul i32 %y, 5
  store i32 %y1, ptr addrspace(3) %p
  br label %join
join:
  ret void
}

; A diamond in each side, phis at the inner joins and the outer one.
; CHECK-LABEL: @nested_join_phis(
; CHECK: store volatile i32
; CHECK-NOT: store volatile
; CHECK: ret void
define amdgpu_kernel void @nested_join_phis(ptr addrspace(3) %p, ptr addrspace(3) %o) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %x = load i32, ptr addrspace(3) %p
  %xc = icmp sgt i32 %x, 4
  br i1 %xc, label %l.a, label %l.b
l.a:
  %xa = udiv i32 %x, %tid
  br label %l.j
l.b:
  %xb = mul i32 %x, %x
  br label %l.j
l.j:
  %xv = phi i32 [ %xa, %l.a ], [ %xb, %l.b ]
  %xw = phi i32 [ 1, %l.a ], [ undef, %l.b ]
  %xs = add i32 %xv, %xw
  br label %join
right:
  %y = load i32, ptr addrspace(3) %p
  %yc = icmp sgt i32 %y, 9
  br i1 %yc, label %r.a, label %r.b
r.a:
  %ya = udiv i32 %y, %bit
  br label %r.j
r.b:
  %yb = mul i32 %y, 11
  br label %r.j
r.j:
  %yw = phi i32 [ poison, %r.a ], [ 2, %r.b ]
  %yv = phi i32 [ %ya, %r.a ], [ %yb, %r.b ]
  %ys = add i32 %yw, %yv
  br label %join
join:
  %v = phi i32 [ %xs, %l.j ], [ %ys, %r.j ]
  store volatile i32 %v, ptr addrspace(3) %o
  ret void
}

; As many blocks, as alike, but the third of them goes to the fourth on the left and to the fifth on the right: the
; regions do not correspond, whichever way their branches are turned.
; CHECK-LABEL: @other_edge(
; CHECK: {{^}}lc:
; CHECK-NEXT: store volatile i32 12, ptr addrspace(3) %o
; CHECK-NEXT: br label %ld
; CHECK: {{^}}rc:
; CHECK-NEXT: store volatile i32 22, ptr addrspace(3) %o
; CHECK-NEXT: br label %re
; CHECK: {{^}}re:
; CHECK-NEXT: store volatile i32 24, ptr addrspace(3) %o
; CHECK: ret void
define amdgpu_kernel void @other_edge(ptr addrspace(3) %p, ptr addrspace(3) %o) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %x = load i32, ptr addrspace(3) %p
  %xc = icmp sgt i32 %x, 4
  br i1 %xc, label %lb, label %lc
lb:
  %xb = load volatile i32, ptr addrspace(3) %o
  %xd = icmp sgt i32 %xb, 15
  br i1 %xd, label %ld, label %le
lc:
  store volatile i32 12, ptr addrspace(3) %o
  br label %ld
ld:
  store volatile i32 13, ptr addrspace(3) %o
  br label %lf
le:
  store volatile i32 14, ptr addrspace(3) %o
  br label %lg
lg:
  store volatile i32 15, ptr addrspace(3) %o
  br label %lf
lf:
  store volatile i32 16, ptr addrspace(3) %o
  br label %join
right:
  %y = load i32, ptr addrspace(3) %p
  %yc = icmp sgt i32 %y, 4
  br i1 %yc, label %rb, label %rc
rb:
  %yb = load volatile i32, ptr addrspace(3) %o
  %yd = icmp sgt i32 %yb, 25
  br i1 %yd, label %rd, label %re
rc:
  store volatile i32 22, ptr addrspace(3) %o
  br label %re
rd:
  store volatile i32 23, ptr addrspace(3) %o
  br label %rf
re:
  store volatile i32 24, ptr addrspace(3) %o
  br label %rg
rg:
  store volatile i32 25, ptr addrspace(3) %o
  br label %rf
rf:
  store volatile i32 26, ptr addrspace(3) %o
  br label %join
join:
  ret void
}
