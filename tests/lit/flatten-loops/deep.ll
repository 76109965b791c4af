; Three loops in each other, and two in sequence in a third one, become one loop.
; RUN: %opt -passes='meld-flatten-loops,verify' -S %s | FileCheck %s
; RUN: %opt -passes='meld-flatten-loops<flatten-steps=4;flatten-lanes=16>,verify' -S %s | FileCheck %s --check-prefix=GATES
; RUN: %opt -passes='meld-flatten-loops<flatten-steps=4>' -disable-output -pass-remarks=meld -pass-remarks-missed=meld %s 2>&1 | FileCheck %s --check-prefix=TOLD
; RUN: %llc -mcpu=gfx90a %s | FileCheck %s --check-prefix=NESTED
; RUN: %opt -passes='meld-flatten-loops<flatten-steps=4>' %s | %llc -mcpu=gfx90a | FileCheck %s --check-prefix=ISA
; RUN: %opt -passes='meld-flatten-loops<flatten-steps=2;flatten-lanes=16>' %s | %llc -mcpu=gfx90a | FileCheck %s --check-prefix=ISA
; NESTED: Depth=3
; NESTED: three_fenced:
; ISA-LABEL: three_deep:
; ISA: Depth=1
; ISA-NOT: Depth=2
; ISA-LABEL: sequence:
; ISA: Depth=1
; ISA-NOT: Depth=2
; What keeps the outermost loop as it is, here a barrier, keeps the inner pair from nothing.
; ISA-LABEL: three_fenced:
; ISA: Depth=2
; ISA-NOT: Depth=3

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"
declare i32 @llvm.amdgcn.workitem.id.x()
declare void @llvm.amdgcn.s.barrier() #1

; The next item is known before the inner loop. The second flattening has a round of the first one as its body, which is
; not copied.
; TOLD: meld-flatten-loops melded %middle (flattened loop at depth 2): U=4 T=1
; CHECK-LABEL: @three_deep(
; TOLD: meld-flatten-loops melded %top (flattened loop at depth 1): U=1 T=1
; CHECK: top.round:
; CHECK: br i1 %{{.*}}, label %top.steps, label %top
; CHECK: middle.round:
; CHECK: middle.anew:
; CHECK-NEXT: phi i32 [ %[[AHEAD:.*]], %behind ]
; CHECK: middle.turn:
; CHECK: br label %top.turn
; CHECK: top.turn:
; CHECK: br label %top.round
; GATES-LABEL: @three_deep(
; GATES: middle.gate:
; GATES: top.gate:
define amdgpu_kernel void @three_deep(ptr addrspace(1) %out, ptr addrspace(1) %in, i32 %n) #0 {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  br label %top
top:
  %k = phi i32 [ 0, %entry ], [ %k.next, %top.end ]
  br label %middle
middle:
  %r = phi i32 [ %x, %top ], [ %next, %behind ]
  %next = add i32 %r, 64
  %q = add i32 %r, %k
  %p = getelementptr i32, ptr addrspace(1) %in, i32 %q
  %e = load i32, ptr addrspace(1) %p
  br label %inner
inner:
  %i = phi i32 [ %e, %middle ], [ %j, %inner ]
  %h = lshr i32 %i, 1
  %j = xor i32 %h, %k
  %more = icmp ugt i32 %j, 5
  br i1 %more, label %inner, label %behind
behind:
  %o = getelementptr i32, ptr addrspace(1) %out, i32 %r
  store i32 %j, ptr addrspace(1) %o
  %again = icmp slt i32 %next, %n
  br i1 %again, label %middle, label %top.end
top.end:
  %k.next = add i32 %k, 1
  %topmost = icmp slt i32 %k.next, %n
  br i1 %topmost, label %top, label %exit
exit:
  ret void
}
; A lane is in the first inner loop, in the second one or between them; each has its own steps.
; TOLD: meld-flatten-loops melded %rows (flattened loop at depth 1): U=4 T=1
; TOLD: meld-flatten-loops melded %rows.round (flattened loop at depth 1): U=4 T=1
; CHECK-LABEL: @sequence(
; CHECK: rows.round.round:
; CHECK: %[[SECOND:.*]] = phi i1 [ false, %entry ]
; CHECK: br i1 %[[SECOND]], label %rows.round.steps, label %rows.round
; CHECK: rows.round:
; CHECK: br i1 %{{.*}}, label %rows.steps, label %rows
; CHECK: rows.turn:
; CHECK: br label %rows.round.anew
; CHECK: rows.round.turn:
; CHECK: br label %rows.round.round
; GATES-LABEL: @sequence(
; GATES: rows.gate:
; GATES: rows.round.gate:
define amdgpu_kernel void @sequence(ptr addrspace(1) %out, ptr addrspace(1) %in, i32 %n) #0 {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  br label %rows
rows:
  %r = phi i32 [ %x, %entry ], [ %next, %behind ]
  %p = getelementptr i32, ptr addrspace(1) %in, i32 %r
  %e = load i32, ptr addrspace(1) %p
  br label %first
first:
  %i = phi i32 [ %e, %rows ], [ %j, %first ]
  %j = lshr i32 %i, 1
  %more = icmp ugt i32 %j, 5
  br i1 %more, label %first, label %between
between:
  %f = xor i32 %e, %j
  br label %second
second:
  %s = phi i32 [ %f, %between ], [ %t, %second ]
  %h = mul i32 %s, 5
  %t = lshr i32 %h, 3
  %rest = icmp ugt i32 %t, %r
  br i1 %rest, label %second, label %behind
behind:
  %o = getelementptr i32, ptr addrspace(1) %out, i32 %r
  store i32 %t, ptr addrspace(1) %o
  %next = add i32 %r, 64
  %again = icmp slt i32 %next, %n
  br i1 %again, label %rows, label %exit
exit:
  ret void
}

; TOLD: meld-flatten-loops melded %middle (flattened loop at depth 2): U=4 T=1
; TOLD: meld-flatten-loops left %top: an operation of the wave in the nest
define amdgpu_kernel void @three_fenced(ptr addrspace(1) %out, ptr addrspace(1) %in, i32 %n) #0 {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  br label %top
top:
  %k = phi i32 [ 0, %entry ], [ %k.next, %top.end ]
  br label %middle
middle:
  %r = phi i32 [ %x, %top ], [ %next, %behind ]
  %next = add i32 %r, 64
  %q = add i32 %r, %k
  %p = getelementptr i32, ptr addrspace(1) %in, i32 %q
  %e = load i32, ptr addrspace(1) %p
  br label %inner
inner:
  %i = phi i32 [ %e, %middle ], [ %j, %inner ]
  %h = lshr i32 %i, 1
  %j = xor i32 %h, %k
  %more = icmp ugt i32 %j, 5
  br i1 %more, label %inner, label %behind
behind:
  %o = getelementptr i32, ptr addrspace(1) %out, i32 %r
  store i32 %j, ptr addrspace(1) %o
  %again = icmp slt i32 %next, %n
  br i1 %again, label %middle, label %top.end
top.end:
  call void @llvm.amdgcn.s.barrier()
  %k.next = add i32 %k, 1
  %topmost = icmp slt i32 %k.next, %n
  br i1 %topmost, label %top, label %exit
exit:
  ret void
}
attributes #0 = { "amdgpu-flat-work-group-size"="1,256" }
attributes #1 = { convergent nounwind }
