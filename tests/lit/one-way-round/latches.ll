; A loop that lanes leave in different rounds, and that has another in it, keeps one way round: else lanes that continue are taken for gone.
; RUN: %opt -passes=meld-one-way-round,verify %s -S | FileCheck %s
; RUN: %opt -passes=meld-one-way-round %s -S | %llc -O3 -mcpu=gfx90a -o - | FileCheck %s --check-prefix=ISA
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"

declare i32 @llvm.amdgcn.workitem.id.x()
declare void @llvm.assume(i1)

; Two ways round become one, and code generation leaves it.
; CHECK-LABEL: @ways_round(
; CHECK: o.backedge:
; CHECK: call void asm sideeffect "", ""()
; CHECK-NEXT: br label %o
; ISA-LABEL: {{^}}ways_round:
; ISA: %o.backedge
define amdgpu_kernel void @ways_round(ptr addrspace(1) noalias %q) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %b = getelementptr i32, ptr addrspace(1) %q, i32 %t
  %few = and i32 %t, 7
  br label %o
o:
  %i = phi i32 [ 0, %entry ], [ %in, %x ], [ %in, %y ]
  %in = add i32 %i, 1
  %it = xor i32 %i, %t
  %low = and i32 %it, 3
  %e = icmp eq i32 %low, 1
  br label %B
B:
  %j = phi i32 [ 0, %o ], [ %jn, %B ]
  %jn = add i32 %j, 1
  %s = select i1 %e, i32 %j, i32 77
  store volatile i32 %s, ptr addrspace(1) %b
  %d = icmp ult i32 %j, %few
  br i1 %d, label %B, label %x
x:
  %sum = add i32 %t, %i
  %r = and i32 %sum, 7
  %again = icmp ugt i32 %r, 3
  br i1 %again, label %o, label %y
y:
  store volatile i32 %i, ptr addrspace(1) %b
  br i1 %e, label %done, label %o
done:
  store i32 %i, ptr addrspace(1) %b
  ret void
}

; The blocks that lead back go together: the latch has one way to it, from a block with two.
; CHECK-LABEL: @two_blocks(
; CHECK: l0:
; CHECK-NEXT: br label %l
; CHECK: l:
; CHECK-NEXT: call void asm sideeffect "", ""()
; CHECK-NEXT: br label %o
; ISA-LABEL: {{^}}two_blocks:
; ISA: ; %l{{0?$}}
define amdgpu_kernel void @two_blocks(ptr addrspace(1) noalias %q) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %b = getelementptr i32, ptr addrspace(1) %q, i32 %t
  %few = and i32 %t, 7
  br label %o
o:
  %i = phi i32 [ 0, %entry ], [ %in, %l ]
  %in = add i32 %i, 1
  %it = xor i32 %i, %t
  %low = and i32 %it, 3
  %e = icmp eq i32 %low, 1
  br label %B
B:
  %j = phi i32 [ 0, %o ], [ %jn, %B ]
  %jn = add i32 %j, 1
  %s = select i1 %e, i32 %j, i32 77
  store volatile i32 %s, ptr addrspace(1) %b
  %d = icmp ult i32 %j, %few
  br i1 %d, label %B, label %x
x:
  %sum = add i32 %t, %i
  %r = and i32 %sum, 7
  %again = icmp ugt i32 %r, 3
  br i1 %again, label %l0, label %y
y:
  store volatile i32 %i, ptr addrspace(1) %b
  br i1 %e, label %done, label %l0
l0:
  br label %l
l:
  br label %o
done:
  store i32 %i, ptr addrspace(1) %b
  ret void
}

; What the latch does leaves it in code generation, as what all rounds compute does, or what is assumed.
; CHECK-LABEL: @latch_that_computes(
; CHECK: l:
; CHECK-NEXT: %m = mul i32 %n, 7
; CHECK-NEXT: %no = icmp ne i32 %in, 77
; CHECK-NEXT: call void @llvm.assume(i1 %no)
; CHECK-NEXT: call void asm sideeffect "", ""()
; CHECK-NEXT: br label %o
; ISA-LABEL: {{^}}latch_that_computes:
; ISA: ; %l{{$}}
define amdgpu_kernel void @latch_that_computes(ptr addrspace(1) noalias %q, i32 %n) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %b = getelementptr i32, ptr addrspace(1) %q, i32 %t
  %few = and i32 %t, 7
  br label %o
o:
  %i = phi i32 [ 0, %entry ], [ %in, %l ]
  %w = phi i32 [ 0, %entry ], [ %m, %l ]
  %in = add i32 %i, 1
  %it = xor i32 %i, %t
  %low = and i32 %it, 3
  %e = icmp eq i32 %low, 1
  br label %B
B:
  %j = phi i32 [ 0, %o ], [ %jn, %B ]
  %jn = add i32 %j, 1
  %s = select i1 %e, i32 %j, i32 %w
  store volatile i32 %s, ptr addrspace(1) %b
  %d = icmp ult i32 %j, %few
  br i1 %d, label %B, label %x
x:
  %sum = add i32 %t, %i
  %r = and i32 %sum, 7
  %again = icmp ugt i32 %r, 3
  br i1 %again, label %l, label %y
y:
  store volatile i32 %i, ptr addrspace(1) %b
  br i1 %e, label %done, label %l
l:
  %m = mul i32 %n, 7
  %no = icmp ne i32 %in, 77
  call void @llvm.assume(i1 %no)
  br label %o
done:
  store i32 %i, ptr addrspace(1) %b
  ret void
}

; Where one way leads to the latch it stays, and where no loop is in the loop.
; CHECK-LABEL: @ways_that_stay(
; CHECK-NOT: asm sideeffect
; CHECK: ret void
define amdgpu_kernel void @ways_that_stay(ptr addrspace(1) noalias %q) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %b = getelementptr i32, ptr addrspace(1) %q, i32 %t
  br label %p
p:                                                ; one way to the latch
  %j = phi i32 [ 0, %entry ], [ %jn, %p.latch ]
  %jn = add i32 %j, 1
  br label %v
v:                                                ; no loop in it
  %l = phi i32 [ 0, %p ], [ %ln, %v.latch ]
  %ln = add i32 %l, 1
  %l1 = and i32 %ln, 1
  %odd = icmp eq i32 %l1, 0
  br i1 %odd, label %v1, label %v2
v1:
  store volatile i32 %l, ptr addrspace(1) %b
  br label %v.latch
v2:
  %more = icmp ult i32 %l, %t
  br i1 %more, label %v.latch, label %p1
v.latch:
  br label %v
p1:
  %jt = icmp ult i32 %j, %t
  br i1 %jt, label %p.latch, label %done
p.latch:
  br label %p
done:
  ret void
}

; The last block branches.
; CHECK-LABEL: @branches(
; CHECK-NOT: asm sideeffect
; CHECK: ret void
define amdgpu_kernel void @branches(ptr addrspace(1) noalias %q) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %b = getelementptr i32, ptr addrspace(1) %q, i32 %t
  br label %o
o:
  %i = phi i32 [ 0, %entry ], [ %in, %latch ]
  %in = add i32 %i, 1
  %it = icmp ult i32 %i, %t
  br label %v
v:
  %l = phi i32 [ 0, %o ], [ %ln, %v ]
  %ln = add i32 %l, 1
  store volatile i32 %l, ptr addrspace(1) %b
  %more = icmp ult i32 %l, 9
  br i1 %more, label %v, label %w
w:
  br i1 %it, label %x, label %latch
x:
  store volatile i32 %i, ptr addrspace(1) %b
  br label %latch
latch:
  br i1 %it, label %o, label %done
done:
  ret void
}

; All leave in one round.
; CHECK-LABEL: @one_round(
; CHECK-NOT: asm sideeffect
; CHECK: ret void
define amdgpu_kernel void @one_round(ptr addrspace(1) noalias %q, i32 %n) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %b = getelementptr i32, ptr addrspace(1) %q, i32 %t
  br label %o
o:
  %i = phi i32 [ 0, %entry ], [ %in, %latch ]
  %in = add i32 %i, 1
  br label %v
v:
  %l = phi i32 [ 0, %o ], [ %ln, %v ]
  %ln = add i32 %l, 1
  store volatile i32 %l, ptr addrspace(1) %b
  %more = icmp ult i32 %l, %n
  br i1 %more, label %v, label %w
w:
  %it = icmp ult i32 %i, 9
  br i1 %it, label %x, label %latch
x:
  store volatile i32 %i, ptr addrspace(1) %b
  %go = icmp ult i32 %i, %n
  br i1 %go, label %latch, label %done
latch:
  br label %o
done:
  ret void
}

; Lanes of %el have any bound, so they leave when they like.
; CHECK-LABEL: @any_bound(
; CHECK: o.backedge:
; CHECK-NEXT: call void asm sideeffect "", ""()
define amdgpu_kernel void @any_bound(ptr addrspace(1) noalias %q, i32 %n) !reqd_work_group_size !0 {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %b = getelementptr i32, ptr addrspace(1) %q, i32 %t
  %low = and i32 %t, 1
  %odd = icmp eq i32 %low, 1
  br i1 %odd, label %th, label %el
th:
  %w = lshr i32 %t, 6
  %w5 = add i32 %w, 5
  br label %join
el:
  store volatile i32 %t, ptr addrspace(1) %b
  br label %join
join:
  %u = phi i32 [ undef, %el ], [ %w5, %th ]
  %any = freeze i32 %u
  %most = and i32 %any, 15
  br label %o
o:
  %i = phi i32 [ 0, %join ], [ %in, %x ], [ %in, %y ]
  %in = add i32 %i, 1
  br label %B
B:
  %j = phi i32 [ 0, %o ], [ %jn, %B ]
  %jn = add i32 %j, 1
  store volatile i32 %j, ptr addrspace(1) %b
  %d = icmp ult i32 %j, %n
  br i1 %d, label %B, label %x
x:
  %even = and i32 %i, 1
  %again = icmp eq i32 %even, 0
  br i1 %again, label %o, label %y
y:
  store volatile i32 %i, ptr addrspace(1) %b
  %more = icmp ult i32 %i, %most
  br i1 %more, label %o, label %done
done:
  ret void
}

!0 = !{i32 64, i32 1, i32 1}
