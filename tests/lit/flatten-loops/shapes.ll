; Nests become one loop: every shape, with steps and with lanes that wait. In machine code, too: nothing behind the pass
; makes a nest of it again.
; RUN: %opt -passes='meld-flatten-loops,verify' -S %s | FileCheck %s
; RUN: %opt -passes='meld-flatten-loops<flatten-steps=3>,verify' -S %s | FileCheck %s --check-prefix=STEPS
; RUN: %opt -passes='meld-flatten-loops<flatten-steps=2;flatten-lanes=8>,verify' -S %s | FileCheck %s --check-prefix=GATE
; RUN: %opt -passes='meld-flatten-loops<flatten-steps=4>' -disable-output -pass-remarks=meld %s 2>&1 | FileCheck %s --check-prefix=TOLD
; RUN: %llc -mcpu=gfx90a %s | FileCheck %s --check-prefix=NESTED
; RUN: %opt -passes='meld-flatten-loops' %s | %llc -mcpu=gfx90a | FileCheck %s --check-prefix=ISA
; RUN: %opt -passes='meld-flatten-loops<flatten-steps=4>' %s | %llc -mcpu=gfx90a | FileCheck %s --check-prefix=ISA
; RUN: %opt -passes='meld-flatten-loops<flatten-steps=4;flatten-lanes=32>' %s | %llc -mcpu=gfx90a | FileCheck %s --check-prefix=ISA
; LLVM's clean-up between the pass and code generation leaves it flat.
; RUN: %opt -passes='meld-flatten-loops<flatten-steps=2>,simplifycfg,jump-threading,instcombine,loop-simplify,simplifycfg' %s | %llc -mcpu=gfx90a | FileCheck %s --check-prefix=ISA
; What is flat is not flattened again.
; RUN: %opt -passes='meld-flatten-loops' -S %s | %opt -passes='meld-flatten-loops' -disable-output -pass-remarks=meld 2>&1 | FileCheck %s --check-prefix=AGAIN --allow-empty
; AGAIN-NOT: melded
; Only by its own name.
; RUN: %opt -passes='default<O2>' -S %s | FileCheck %s --check-prefix=OFF
; RUN: env MELD_PLUGIN_OPTIONS='passes=all' %opt -passes='default<O2>' -S %s | FileCheck %s --check-prefix=OFF
; RUN: env MELD_PLUGIN_OPTIONS='passes=all,flatten-loops' %opt -passes='default<O2>' -S %s | FileCheck %s --check-prefix=ON
; OFF-NOT: .round:
; ON: .round:
; NESTED: Depth=2
; ISA-NOT: Depth=2

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"
declare i32 @llvm.amdgcn.workitem.id.x()

; TOLD: meld-flatten-loops melded %rows (flattened loop at depth 1): U=4 T=1
; CHECK-LABEL: @guarded(
; CHECK: rows.round:
; CHECK: %[[KEPT:.*]] = phi i32 [ poison, %rows.preheader ], [ %[[LEFT:.*]], %rows.turn ]
; CHECK: %where = phi i1 [ false, %rows.preheader ], [ %where.next, %rows.turn ]
; CHECK: %[[ROW:.*]] = phi i32 [ %x, %rows.preheader ], [ %[[NEXT:.*]], %rows.turn ]
; CHECK: call void asm sideeffect "", ""() #[[MARK:[0-9]+]]
; CHECK-NEXT: br i1 %where, label %rows.steps, label %rows
; CHECK: rows:
; CHECK: %e = load
; CHECK: br i1 %some, label %inner.preheader, label %tail
; CHECK: rows.steps:
; CHECK: %[[END:.*]] = phi i32 [ %e, %inner.preheader ], [ %[[KEPT]], %rows.round ]
; CHECK: inner:
; CHECK-NOT: phi
; CHECK: %more = icmp slt i32 %j, %[[END]]
; CHECK-NEXT: br i1 %more, label %rows.turn, label %tail.loopexit
; CHECK: store i32 %v
; CHECK: br i1 %again, label %rows.anew, label %exit
; CHECK: rows.turn:
; CHECK: %[[LEFT]] = phi i32 [ poison, %rows.anew ], [ %[[END]], %inner ]
; CHECK: %where.next = phi i1 [ false, %rows.anew ], [ true, %inner ]
; CHECK: call void asm sideeffect "", ""()
; CHECK-NEXT: br label %rows.round
; Each step under its own condition, and all of them come together where the loop is left.
; STEPS-LABEL: @guarded(
; STEPS: inner:
; STEPS: br i1 %more, label %inner.step2, label %tail.loopexit
; STEPS: tail.loopexit:
; STEPS-NEXT: phi i32 [ %t, %inner ], [ %t.step2, %inner.step2 ], [ %t.step3, %inner.step3 ]
; STEPS: inner.step2:
; STEPS: %t.step2 = add i32 %m.step2, %j
; STEPS: br i1 %more.step2, label %inner.step3, label %tail.loopexit
; STEPS: inner.step3:
; STEPS: br i1 %more.step3, label %rows.turn, label %tail.loopexit
; Lanes wait for seven others, or until nobody is in the inner loop.
; GATE-LABEL: @guarded(
; GATE: %where = phi i32 [ 0, %rows.preheader ]
; GATE: br i1 %runs, label %rows.steps, label %rows.rest
; GATE: rows.rest:
; GATE: br i1 %begins, label %rows, label %rows.gate
; GATE: rows.gate:
; GATE: %where.reached = phi i32 [ 1, %inner.step2 ], [ 2, %tail.loopexit ], [ %where, %rows.rest ]
; GATE: %waits = icmp ne i32 %where.reached, 1
; GATE: %[[WAITING:.*]] = call i64 @llvm.amdgcn.ballot.i64(i1 %waits)
; GATE: %[[RUNS:.*]] = icmp eq i32 %where.reached, 1
; GATE: %[[RUNNING:.*]] = call i64 @llvm.amdgcn.ballot.i64(i1 %[[RUNS]])
; GATE: %[[COUNT:.*]] = call i64 @llvm.ctpop.i64(i64 %[[WAITING]])
; GATE: %[[ENOUGH:.*]] = icmp uge i64 %[[COUNT]], 8
; GATE: %[[NONE:.*]] = icmp eq i64 %[[RUNNING]], 0
; GATE: %opens = or i1 %[[ENOUGH]], %[[NONE]]
; GATE: %[[GO:.*]] = and i1 %waits, %opens
; GATE: br i1 %[[GO]], label %rows.open, label %rows.turn
define amdgpu_kernel void @guarded(ptr addrspace(1) noalias %out, ptr addrspace(1) noalias %in, i32 %n) #0 {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %any = icmp slt i32 %x, %n
  br i1 %any, label %rows, label %exit
rows:
  %r = phi i32 [ %x, %entry ], [ %next, %tail ]
  %p = getelementptr i32, ptr addrspace(1) %in, i32 %r
  %e = load i32, ptr addrspace(1) %p
  %some = icmp sgt i32 %e, 0
  br i1 %some, label %inner, label %tail
inner:
  %i = phi i32 [ 0, %rows ], [ %j, %inner ]
  %s = phi i32 [ 7, %rows ], [ %t, %inner ]
  %m = mul i32 %s, 1664525
  %t = add i32 %m, %i
  %j = add i32 %i, 1
  %more = icmp slt i32 %j, %e
  br i1 %more, label %inner, label %tail
tail:
  %v = phi i32 [ 1, %rows ], [ %t, %inner ]
  %o = getelementptr i32, ptr addrspace(1) %out, i32 %r
  store i32 %v, ptr addrspace(1) %o
  %next = add i32 %r, 64
  %again = icmp slt i32 %next, %n
  br i1 %again, label %rows, label %exit
exit:
  ret void
}

; A while loop with a break, a continue of the outer loop, a return out of both, and a sum over all items that both loops
; carry. What the header's phis hand each other (a, b) is handed on at once.
; TOLD: meld-flatten-loops melded %items (flattened loop at depth 1): U=4 T=1
; CHECK-LABEL: @ways_out(
; CHECK: items.round:
; CHECK: br i1 %where, label %items.steps, label %items
; CHECK: items.turn:
; STEPS-LABEL: @ways_out(
; STEPS: inner.step2:
; STEPS: br i1 %most.step2, label %{{.*}}, label %body.step2
; STEPS: %[[B2:.*]] = add i32 %b.next, %{{.*}}
; Two ways to the gate, each to its own block behind it.
; GATE-LABEL: @ways_out(
; GATE: items.open:
; GATE-NEXT: switch i32 %where.reached, label %[[FIRST:.*]] [
; GATE-NEXT: i32 3, label %[[SECOND:.*]]
; GATE-NEXT: ]
define amdgpu_kernel void @ways_out(ptr addrspace(1) %out, ptr addrspace(1) %in, i32 %n) #0 {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  br label %items
items:
  %r = phi i32 [ %x, %entry ], [ %next, %latch ]
  %sum = phi i32 [ 0, %entry ], [ %summed, %latch ]
  %stop = icmp sge i32 %r, %n
  br i1 %stop, label %exit, label %load
load:
  %p = getelementptr i32, ptr addrspace(1) %in, i32 %r
  %e = load i32, ptr addrspace(1) %p
  %skip = icmp eq i32 %e, 17
  br i1 %skip, label %latch, label %inner
inner:
  %i = phi i32 [ 0, %load ], [ %j, %on ]
  %a = phi i32 [ %e, %load ], [ %b, %on ]
  %b = phi i32 [ %sum, %load ], [ %b.next, %on ]
  %most = icmp sge i32 %i, %e
  br i1 %most, label %done, label %body
body:
  %b.next = add i32 %a, %b
  %j = add i32 %i, 1
  %odd = icmp eq i32 %b.next, 99
  br i1 %odd, label %broken, label %second
second:
  %never = icmp eq i32 %b.next, 12345
  br i1 %never, label %gone, label %on
on:
  br label %inner
done:
  %c = add i32 %sum, %b
  br label %store
broken:
  %d = sub i32 %sum, %i
  br label %store
store:
  %v = phi i32 [ %c, %done ], [ %d, %broken ]
  %o = getelementptr i32, ptr addrspace(1) %out, i32 %r
  store i32 %v, ptr addrspace(1) %o
  br label %latch
latch:
  %summed = phi i32 [ %sum, %load ], [ %v, %store ]
  %next = add i32 %r, 64
  br label %items
gone:
  store i32 %b.next, ptr addrspace(1) %in
  br label %exit
exit:
  ret void
}

; Phis that hand on what other phis hold, of the same loop and of the outer one, in either order.
; CHECK-LABEL: @handed_on(
; CHECK: pairs.steps:
; CHECK: %[[C:.*]] = phi i32 [ %c0, %pairs ], [ %[[C_KEPT:.*]], %pairs.round ]
; CHECK: %[[B:.*]] = phi i32 [ 2, %pairs ], [ %[[B_KEPT:.*]], %pairs.round ]
; CHECK: %[[A:.*]] = phi i32 [ 1, %pairs ], [ %[[A_KEPT:.*]], %pairs.round ]
; CHECK: pairs.turn:
; CHECK: %[[C_LEFT:.*]] = phi i32 [ poison, %pairs.anew ], [ %flat, %inner ]
; CHECK: %[[B_LEFT:.*]] = phi i32 [ poison, %pairs.anew ], [ %[[A]], %inner ]
; CHECK: %[[A_LEFT:.*]] = phi i32 [ poison, %pairs.anew ], [ %[[B]], %inner ]
; CHECK: %flat.next = phi i32 [ %{{.*}}, %pairs.anew ], [ %flat, %inner ]
define amdgpu_kernel void @handed_on(ptr addrspace(1) %out, ptr addrspace(1) %in, i32 %n) #0 {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  br label %pairs
pairs:
  %r = phi i32 [ %x, %entry ], [ %next, %behind ]
  %p = getelementptr i32, ptr addrspace(1) %in, i32 %r
  %e = load i32, ptr addrspace(1) %p
  %c0 = add i32 %e, 5
  br label %inner
inner:
  %i = phi i32 [ 0, %pairs ], [ %j, %inner ]
  %a = phi i32 [ 1, %pairs ], [ %b, %inner ]
  %b = phi i32 [ 2, %pairs ], [ %a, %inner ]
  %c = phi i32 [ %c0, %pairs ], [ %r, %inner ]
  %j = add i32 %i, 1
  %u = mul i32 %a, %c
  %q = getelementptr i32, ptr addrspace(1) %p, i32 %j
  store i32 %u, ptr addrspace(1) %q
  %more = icmp slt i32 %j, %e
  br i1 %more, label %inner, label %behind
behind:
  %v = sub i32 %a, %b
  %o = getelementptr i32, ptr addrspace(1) %out, i32 %r
  store i32 %v, ptr addrspace(1) %o
  %next = add i32 %r, 64
  %again = icmp slt i32 %next, %n
  br i1 %again, label %pairs, label %exit
exit:
  ret void
}
; CHECK: attributes #[[MARK]] = { convergent {{.*}}nounwind
attributes #0 = { "amdgpu-flat-work-group-size"="1,256" }
