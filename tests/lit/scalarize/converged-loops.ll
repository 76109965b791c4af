; Loops (and guards around them) run without EXEC masks while a wave agrees, and every reason against it.
; RUN: %opt -passes='meld-converged-loops,verify' -S %s | FileCheck %s
; RUN: %opt -passes='meld-converged-loops' -disable-output -pass-remarks=meld -pass-remarks-missed=meld %s 2>&1 | FileCheck %s --check-prefix=WHY
; RUN: %opt -passes='meld-converged-loops' %s | %llc -mcpu=gfx90a | FileCheck %s --check-prefix=ISA
; A second run finds nothing: the copies part no more, and who left them is a part of a wave.
; RUN: %opt -passes='meld-converged-loops' -S %s | %opt -passes='meld-converged-loops' -disable-output -pass-remarks=meld 2>&1 | FileCheck %s --check-prefix=AGAIN --allow-empty
; AGAIN-NOT: melded
; Only by its own name.
; RUN: %opt -passes='meld-scalarize' -S %s | FileCheck %s --check-prefix=OFF
; RUN: %opt -passes='meld-scalarize<passes=all>' -S %s | FileCheck %s --check-prefix=OFF
; RUN: %opt -passes='meld-scalarize<passes=converged-loops>' -S %s | FileCheck %s
; RUN: %opt -passes='meld-scalarize<passes=converged-loops;no-converged-loops>' -S %s | FileCheck %s --check-prefix=OFF
; OFF-NOT: .together
; A loop of 601 instructions.
; RUN: %python %S/long-loop.py 601 | %opt -passes='meld-converged-loops' -disable-output -pass-remarks-missed=meld 2>&1 | FileCheck %s --check-prefix=LONG
; RUN: %python %S/long-loop.py 600 | %opt -passes='meld-converged-loops' -disable-output -pass-remarks=meld 2>&1 | FileCheck %s --check-prefix=FITS
; LONG: left %loop: it is too long to be copied
; FITS: melded

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"
declare i32 @llvm.amdgcn.workitem.id.x()
declare i64 @llvm.amdgcn.ballot.i64(i1)
declare void @llvm.amdgcn.s.barrier()
declare i32 @elsewhere(i32)

; Two loops ask the opposites of one comparison, and each lane that parts goes its own way.
; WHY: meld-converged-loops melded %loop (a copy for waves that agree): a loop, ways out: 1
; CHECK-LABEL: @counted(
; CHECK: entry:
; CHECK: br label %loop.together
; CHECK: loop:
; CHECK-NEXT: %i = phi i32 [ %n, %loop ], [ %n.together, %loop.together.apart ]
; CHECK: br i1 %c, label %loop, label %exit
; CHECK: exit:
; CHECK: phi i32 [ %t, %loop ], [ %t.together, %loop.together.ask ], [ %t.together, %loop.together.apart ]
; CHECK: loop.together:
; CHECK: %[[LEAVE:.*]] = icmp uge i32 %n.together, %x
; CHECK: %[[LEAVING:.*]] = call i64 @llvm.amdgcn.ballot.i64(i1 %[[LEAVE]])
; CHECK: %[[NOBODY:.*]] = icmp eq i64 %[[LEAVING]], 0
; CHECK: br i1 %[[NOBODY]], label %loop.together, label %loop.together.ask
; CHECK: loop.together.ask:
; CHECK: %[[STAY:.*]] = icmp ult i32 %n.together, %x
; CHECK: %[[STAYING:.*]] = call i64 @llvm.amdgcn.ballot.i64(i1 %[[STAY]])
; CHECK: icmp eq i64 %[[STAYING]], 0
; CHECK: label %exit, label %loop.together.apart
; CHECK: loop.together.apart:
; CHECK: br i1 %[[STAY]], label %loop, label %exit
; The sum goes to the scalar unit, and no mask is kept.
; ISA-LABEL: counted:
; ISA: %loop.together
; ISA-NOT: exec
; ISA: s_add_i32
; ISA-NOT: exec
; ISA: s_cbranch_{{scc1|vccz}}
; ISA: s_endpgm
define amdgpu_kernel void @counted(ptr addrspace(1) noalias %out) #0 {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %n, %loop ]
  %s = phi i32 [ 0, %entry ], [ %t, %loop ]
  %t = add i32 %s, %i
  %n = add i32 %i, 1
  %c = icmp ult i32 %n, %x
  br i1 %c, label %loop, label %exit
exit:
  %o = getelementptr i32, ptr addrspace(1) %out, i32 %x
  store i32 %t, ptr addrspace(1) %o
  ret void
}

; Two ways out in the middle: what is left of the iteration is copied, and entered behind either. What
; it computed before comes from the copy; %w from whichever computed it. The uniform way out stays.
; WHY: meld-converged-loops melded %loop (a copy for waves that agree): a loop, ways out: 2
; CHECK-LABEL: @two_ways(
; CHECK: loop:
; CHECK: phi i32 [ %n, %more ], [ %n.rest, %more.rest ]
; CHECK: exit2:
; CHECK-DAG: more.together
; CHECK: more1.rest:
; CHECK: %w.rest = mul i32 %t.together, %v.together
; CHECK: br i1 %{{.*}}, label %more.rest, label %exit
; CHECK: more.rest:
; CHECK: %[[W:.*]] = phi i32 [ %w.together, %more1.together.apart ], [ %w.rest, %more1.rest ]
; CHECK: %u.rest = add i32 %[[W]], %t.together
; CHECK: br i1 %d.rest, label %loop, label %exit2
; CHECK: loop.together.apart:
; CHECK: br i1 %{{.*}}, label %more1.rest, label %exit
; CHECK: more1.together.apart:
; CHECK: br i1 %{{.*}}, label %more.rest, label %exit
define amdgpu_kernel void @two_ways(ptr addrspace(1) noalias %in, ptr addrspace(1) noalias %out, i32 %m) #0 {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %n, %more ]
  %s = phi i32 [ 0, %entry ], [ %u, %more ]
  %p = getelementptr i32, ptr addrspace(1) %in, i32 %i
  %v = load i32, ptr addrspace(1) %p
  %t = add i32 %s, %v
  %c = icmp ult i32 %t, %x
  br i1 %c, label %more1, label %exit
more1:
  %w = mul i32 %t, %v
  %c2 = icmp ult i32 %w, %x
  br i1 %c2, label %more, label %exit
more:
  %u = add i32 %w, %t
  %n = add i32 %i, 1
  %d = icmp ult i32 %n, %m
  br i1 %d, label %loop, label %exit2
exit:
  %l = phi i32 [ %t, %loop ], [ %w, %more1 ]
  br label %end
exit2:
  br label %end
end:
  %z = phi i32 [ %l, %exit ], [ 7, %exit2 ]
  %o = getelementptr i32, ptr addrspace(1) %out, i32 %x
  store i32 %z, ptr addrspace(1) %o
  ret void
}

; The lanes that come to the loop are not the wave: the guard is copied with the loop, then the loop in
; the copy. %y reaches the end from either.
; WHY: meld-converged-loops melded %entry (a copy for waves that agree): a guard around loops
; WHY: meld-converged-loops melded %loop.together (a copy for waves that agree): a loop, ways out: 1
; CHECK-LABEL: @guarded(
; CHECK: %[[OUT:.*]] = icmp sge i32 %x, %m
; CHECK: call i64 @llvm.amdgcn.ballot.i64(i1 %[[OUT]])
; CHECK: label %pre.together, label %entry.ask
; CHECK: pre:
; CHECK: loop:
; CHECK: br i1 %{{.*}}, label %loop, label %after
; CHECK: exit:
; CHECK: phi i32 [ %k, %after ], [ 0, %entry.ask ], [ %k.together, %after.together ], [ 0, %entry.apart ]
; CHECK: entry.apart:
; CHECK: br i1 %{{.*}}, label %pre, label %exit
define amdgpu_kernel void @guarded(ptr addrspace(1) noalias %in, ptr addrspace(1) noalias %out, i32 %m) #0 {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %g = icmp slt i32 %x, %m
  br i1 %g, label %pre, label %exit
pre:
  %y = mul i32 %x, %x
  br label %loop
loop:
  %i = phi i32 [ 0, %pre ], [ %n, %loop ]
  %s = phi i32 [ 0, %pre ], [ %t, %loop ]
  %t = add i32 %s, %i
  %n = add i32 %i, 1
  %c = icmp ult i32 %n, %y
  br i1 %c, label %loop, label %after
after:
  %k = add i32 %t, %y
  br label %exit
exit:
  %l = phi i32 [ %k, %after ], [ 0, %entry ]
  %o = getelementptr i32, ptr addrspace(1) %out, i32 %x
  store i32 %l, ptr addrspace(1) %o
  ret void
}

; Those who do not come to the loop are gone: the guard stays as it is.
; CHECK-LABEL: @left_for_good(
; CHECK: br i1 %g, label %[[PRE:.*]], label %exit
; CHECK: [[PRE]]:
; CHECK-NEXT: br label %loop.together
define amdgpu_kernel void @left_for_good(ptr addrspace(1) noalias %out, i32 %m) #0 {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %g = icmp slt i32 %x, %m
  br i1 %g, label %loop, label %exit
loop:
  %i = phi i32 [ 1, %entry ], [ %n, %loop ]
  %n = mul i32 %i, 3
  %o = getelementptr i32, ptr addrspace(1) %out, i32 %x
  store i32 %n, ptr addrspace(1) %o
  %c = icmp ult i32 %n, %x
  br i1 %c, label %loop, label %exit
exit:
  ret void
}

; What joins the definitions may put phis into guarded code itself.
; WHY: meld-converged-loops melded %entry (a copy for waves that agree): a guard around loops
; CHECK-LABEL: @joined_inside(
; CHECK: join2:
; CHECK-NEXT: phi i32 {{.*}}[ %v, %join ]
define amdgpu_kernel void @joined_inside(ptr addrspace(1) noalias %out) #0 {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %g = icmp eq i32 %x, 0
  br i1 %g, label %around, label %before
around:
  store i32 1, ptr addrspace(1) %out
  br label %end
before:
  br label %body
body:
  br label %join
join:
  %v = mul i32 %x, 3
  br label %join2
dead:
  br label %join2
join2:
  %c = icmp eq i32 %x, 7
  %w = add i32 %v, 1
  store i32 %w, ptr addrspace(1) %out
  br i1 %c, label %end, label %body
end:
  store i32 2, ptr addrspace(1) %out
  ret void
}

; A comparison of floats has another opposite: unordered. Of two conditions the opposite is the other
; operation on their opposites; what decides first still does.
; CHECK-LABEL: @opposites(
; CHECK: loop.together:
; CHECK: %[[A:.*]] = fcmp uge float %f.together, %b
; CHECK: %[[B:.*]] = icmp eq i32 %i.together, 9
; CHECK: %[[EITHER:.*]] = select i1 %[[A]], i1 true, i1 %[[B]]
; CHECK: ballot.i64(i1 %[[EITHER]])
; CHECK: loop.together.ask:
; CHECK: fcmp olt float %f.together, %b
define amdgpu_kernel void @opposites(ptr addrspace(1) noalias %in, ptr addrspace(1) noalias %out, float %b) #0 {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %p = getelementptr float, ptr addrspace(1) %in, i32 %x
  %a = load float, ptr addrspace(1) %p
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %n, %loop ]
  %f = phi float [ %a, %entry ], [ %g, %loop ]
  %g = fadd float %f, 1.0
  %n = add i32 %i, 1
  %c1 = fcmp olt float %f, %b
  %c2 = icmp ne i32 %i, 9
  %c = select i1 %c1, i1 %c2, i1 false
  br i1 %c, label %loop, label %exit
exit:
  %o = getelementptr i32, ptr addrspace(1) %out, i32 %x
  store i32 %i, ptr addrspace(1) %o
  ret void
}

; The inner loop of the copy comes next; of what it left it is not asked again.
; CHECK-LABEL: @nested(
; CHECK: inner.together.together:
; CHECK-NOT: together.together.together
define amdgpu_kernel void @nested(ptr addrspace(1) noalias %out) #0 {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  br label %outer
outer:
  %i = phi i32 [ 0, %entry ], [ %n, %latch ]
  br label %inner
inner:
  %j = phi i32 [ 0, %outer ], [ %k, %inner ]
  %k = add i32 %j, 1
  %xi = add i32 %x, %i
  %c = icmp ult i32 %k, %xi
  br i1 %c, label %inner, label %latch
latch:
  %n = add i32 %i, %k
  %d = icmp ult i32 %n, %x
  br i1 %d, label %outer, label %exit
exit:
  %o = getelementptr i32, ptr addrspace(1) %out, i32 %x
  store i32 %n, ptr addrspace(1) %o
  ret void
}

; CHECK-LABEL: @wave32(
; CHECK: ballot.i32
define amdgpu_kernel void @wave32(ptr addrspace(1) noalias %out) #1 {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %n, %loop ]
  %n = add i32 %i, 3
  %c = icmp ult i32 %n, %x
  br i1 %c, label %loop, label %exit
exit:
  %o = getelementptr i32, ptr addrspace(1) %out, i32 %x
  store i32 %n, ptr addrspace(1) %o
  ret void
}

; All lanes leave in the same round: nothing to do, and nothing said.
; CHECK-LABEL: @together_anyway(
; CHECK-NOT: ballot
; CHECK: ret void
define amdgpu_kernel void @together_anyway(ptr addrspace(1) noalias %out, i32 %m) #0 {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %n, %loop ]
  %n = add i32 %i, 3
  %c = icmp ult i32 %n, %m
  br i1 %c, label %loop, label %exit
exit:
  %o = getelementptr i32, ptr addrspace(1) %out, i32 %x
  store i32 %n, ptr addrspace(1) %o
  ret void
}

; WHY: left %loop: it has a call or an operation that must not be doubled
; CHECK-LABEL: @with_barrier(
; CHECK-NOT: ballot
; CHECK: ret void
define amdgpu_kernel void @with_barrier() #0 {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %n, %loop ]
  call void @llvm.amdgcn.s.barrier()
  %n = add i32 %i, 1
  %c = icmp ult i32 %n, %x
  br i1 %c, label %loop, label %exit
exit:
  ret void
}

; WHY: left %loop: it has a call or an operation that must not be doubled
; CHECK-LABEL: @with_call(
; CHECK-NOT: ballot
; CHECK: ret void
define amdgpu_kernel void @with_call() #0 {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %n, %loop ]
  %n = call i32 @elsewhere(i32 %i)
  %c = icmp ult i32 %n, %x
  br i1 %c, label %loop, label %exit
exit:
  ret void
}

; WHY: left %{{.*}}: not all lanes in the loop come by where some leave it
; CHECK-LABEL: @aside(
; CHECK-NOT: ballot
; CHECK: ret void
define amdgpu_kernel void @aside(ptr addrspace(1) noalias %in, i32 %m) #0 {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %n, %latch ]
  %p = getelementptr i32, ptr addrspace(1) %in, i32 %i
  %v = load i32, ptr addrspace(1) %p
  %odd = icmp ult i32 %v, 5
  br i1 %odd, label %some, label %latch
some:
  %c = icmp ult i32 %v, %x
  br i1 %c, label %latch, label %exit
latch:
  %n = add i32 %i, 1
  %d = icmp ult i32 %n, %m
  br i1 %d, label %loop, label %exit
exit:
  ret void
}

; WHY: left %{{.*}}: lanes leave by something else than a branch
; CHECK-LABEL: @by_switch(
; CHECK-NOT: ballot
; CHECK: ret void
define amdgpu_kernel void @by_switch(ptr addrspace(1) noalias %in) #0 {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %n, %latch ]
  %p = getelementptr i32, ptr addrspace(1) %in, i32 %i
  %v = load i32, ptr addrspace(1) %p
  %w = add i32 %v, %x
  switch i32 %w, label %latch [ i32 3, label %exit
                                i32 4, label %exit ]
latch:
  %n = add i32 %i, 1
  %d = icmp ult i32 %n, %x
  br i1 %d, label %loop, label %exit
exit:
  ret void
}

; WHY: left %loop: the kernel itself asks which lanes run: LLVM would take our reading for its
; CHECK-LABEL: @asks(
; CHECK: ret void
define amdgpu_kernel void @asks(ptr addrspace(1) noalias %out) #0 {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %e = icmp ult i32 %x, 7
  %m = call i64 @llvm.amdgcn.ballot.i64(i1 %e)
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %n, %loop ]
  %n = add i32 %i, 1
  %c = icmp ult i32 %n, %x
  br i1 %c, label %loop, label %exit
exit:
  store i64 %m, ptr addrspace(1) %out
  ret void
}

; A device function is not looked at: who calls it is not known.
; CHECK-LABEL: @called(
; CHECK-NOT: ballot
; CHECK: ret i32
define i32 @called(i32 %x) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %n, %loop ]
  %n = add i32 %i, 1
  %c = icmp ult i32 %n, %x
  br i1 %c, label %loop, label %exit
exit:
  ret i32 %n
}

attributes #0 = { "amdgpu-flat-work-group-size"="1,256" }
attributes #1 = { "amdgpu-flat-work-group-size"="1,256" "target-features"="+wavefrontsize32" "target-cpu"="gfx1010" }
