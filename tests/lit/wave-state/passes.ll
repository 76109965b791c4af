; The same list in the passes that do other things than joining two blocks.
; RUN: %opt -passes=meld-triangles -S %s | FileCheck %s --check-prefix=TRIANGLES
; RUN: %opt -passes=meld-tail-merge -S %s | FileCheck %s --check-prefix=TAIL
; RUN: %opt -passes=meld-unpredicate -S %s | FileCheck %s --check-prefix=SELECT
; RUN: %opt -passes=meld-switch -S %s | FileCheck %s --check-prefix=SWITCH
; RUN: %opt -passes='meld-dynamic-convergence<min-profit=-1000000>' -S %s | FileCheck %s --check-prefix=COPY
; RUN: %opt -passes='meld-converged-loops<min-profit=-1000000>' -S %s | FileCheck %s --check-prefix=COPY

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"

declare i32 @llvm.amdgcn.workitem.id.x()
declare void @llvm.amdgcn.s.sleep(i32 immarg)
declare void @llvm.amdgcn.s.setprio(i16 immarg)
declare void @llvm.amdgcn.s.setreg(i32 immarg, i32)

; TRIANGLES-LABEL: @ifs(
; TRIANGLES: br i1 %c, label %a, label %m
; TRIANGLES: br i1 %c, label %b, label %join
define amdgpu_kernel void @ifs(ptr addrspace(3) %p, ptr addrspace(3) %q) {
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %a, label %m
a:
  %x = load i32, ptr addrspace(3) %p
  call void @llvm.amdgcn.s.setprio(i16 1)
  %x1 = mul i32 %x, 3
  store i32 %x1, ptr addrspace(3) %p
  br label %m
m:
  br i1 %c, label %b, label %join
b:
  %y = load i32, ptr addrspace(3) %q
  %y1 = mul i32 %y, 5
  store i32 %y1, ptr addrspace(3) %q
  br label %join
join:
  ret void
}

; TRIANGLES-LABEL: @ifs_around(
; TRIANGLES: br i1 %c, label %a, label %m
; TRIANGLES: br i1 %c, label %b, label %join
define amdgpu_kernel void @ifs_around(ptr addrspace(3) %p, ptr addrspace(3) %q, float %f) {
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  call void @llvm.amdgcn.s.setreg(i32 6145, i32 15)
  br i1 %c, label %a, label %m
a:
  %x = load i32, ptr addrspace(3) %p
  %x1 = mul i32 %x, 3
  store i32 %x1, ptr addrspace(3) %p
  br label %m
m:
  %d = fmul float %f, 3.0
  br i1 %c, label %b, label %join
b:
  store float %d, ptr addrspace(3) %q
  br label %join
join:
  call void @llvm.amdgcn.s.setreg(i32 6145, i32 0)
  ret void
}

; What the left side does last would be done behind the right side's change.
; TAIL-LABEL: @tails(
; TAIL-NOT: meld.tail
; TAIL: left:
; TAIL: fmul
; TAIL: right:
; TAIL: s.setreg
; TAIL: fmul
define amdgpu_kernel void @tails(ptr addrspace(1) %p, ptr addrspace(1) %q, float %n, float %m) {
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %g = getelementptr float, ptr addrspace(1) %p, i32 %tid
  %h = getelementptr float, ptr addrspace(1) %q, i32 %tid
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %a = fdiv float %n, %m
  %b = fmul float %a, %n
  %d = fmul float %b, %b
  store float %d, ptr addrspace(1) %g
  br label %join
right:
  call void @llvm.amdgcn.s.setreg(i32 6145, i32 15)
  %x = load volatile float, ptr addrspace(1) %q
  %y = fmul float %n, %x
  %z = fmul float %y, %y
  store float %z, ptr addrspace(1) %h
  br label %join
join:
  call void @llvm.amdgcn.s.setreg(i32 6145, i32 0)
  ret void
}

; TAIL-LABEL: @sleeping_tails(
; TAIL: left:
; TAIL: s.sleep
; TAIL: right:
; TAIL: s.sleep
define amdgpu_kernel void @sleeping_tails(ptr addrspace(1) %p, i32 %n, i32 %m) {
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %a = udiv i32 %n, %m
  store i32 %a, ptr addrspace(1) %p
  call void @llvm.amdgcn.s.sleep(i32 2)
  br label %join
right:
  %x = load volatile i32, ptr addrspace(1) %p
  %y = xor i32 %n, %x
  store i32 %y, ptr addrspace(1) %p
  call void @llvm.amdgcn.s.sleep(i32 2)
  br label %join
join:
  ret void
}

; Divided in one mode, needed in the other. Without a change between, it moves.
; SELECT-LABEL: @selects(
; SELECT-COUNT-4: fdiv
; SELECT: s.setreg
; SELECT-LABEL: @selects_anyway(
; SELECT: br i1
; SELECT: fdiv
define amdgpu_kernel void @selects(ptr addrspace(1) %p, double %d) {
entry:
  %tid = call noundef i32 @llvm.amdgcn.workitem.id.x()
  %g = getelementptr double, ptr addrspace(1) %p, i32 %tid
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  %q0 = fdiv double %d, 3.0
  %q1 = fdiv double %d, %q0
  %q2 = fdiv double %d, %q1
  %q3 = fdiv double %d, %q2
  call void @llvm.amdgcn.s.setreg(i32 6145, i32 15)
  %v = select i1 %c, double %q3, double %d
  store double %v, ptr addrspace(1) %g
  ret void
}
define amdgpu_kernel void @selects_anyway(ptr addrspace(1) %p, double %d) {
entry:
  %tid = call noundef i32 @llvm.amdgcn.workitem.id.x()
  %g = getelementptr double, ptr addrspace(1) %p, i32 %tid
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  call void @llvm.amdgcn.s.setreg(i32 6145, i32 15)
  %q0 = fdiv double %d, 3.0
  %q1 = fdiv double %d, %q0
  %q2 = fdiv double %d, %q1
  %q3 = fdiv double %d, %q2
  %v = select i1 %c, double %q3, double %d
  store double %v, ptr addrspace(1) %g
  ret void
}

; SWITCH-LABEL: @cases(
; SWITCH: switch i32
define amdgpu_kernel void @cases(ptr addrspace(1) %p) {
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %g = getelementptr i32, ptr addrspace(1) %p, i32 %tid
  %v = load i32, ptr addrspace(1) %g
  switch i32 %v, label %join [
    i32 0, label %a
    i32 5, label %b
    i32 9, label %d
  ]
a:
  %a0 = mul i32 %v, 3
  call void @llvm.amdgcn.s.sleep(i32 2)
  %a1 = mul i32 %a0, %a0
  %a2 = mul i32 %a1, %a0
  store i32 %a2, ptr addrspace(1) %g
  br label %join
b:
  %b0 = mul i32 %tid, 5
  call void @llvm.amdgcn.s.sleep(i32 2)
  %b1 = mul i32 %b0, %b0
  %b2 = mul i32 %b1, %b0
  store i32 %b2, ptr addrspace(1) %g
  br label %join
d:
  %d0 = mul i32 %tid, 7
  call void @llvm.amdgcn.s.sleep(i32 2)
  %d1 = mul i32 %d0, %d0
  %d2 = mul i32 %d1, %d0
  store i32 %d2, ptr addrspace(1) %g
  br label %join
join:
  ret void
}

; COPY-LABEL: @guarded(
; COPY-NOT: @llvm.amdgcn.ballot.i64(i1 %
; COPY-LABEL: @looping(
; COPY-NOT: @llvm.amdgcn.ballot.i64(i1 %
define amdgpu_kernel void @guarded(ptr addrspace(1) noalias %p, ptr addrspace(1) noalias %keys, ptr addrspace(1) noalias %out, i32 %key) {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %kp = getelementptr i32, ptr addrspace(1) %keys, i32 %x
  %k = load i32, ptr addrspace(1) %kp
  %c = icmp eq i32 %k, %key
  br i1 %c, label %then, label %end
then:
  %q = getelementptr i32, ptr addrspace(1) %p, i32 %k
  %v = load i32, ptr addrspace(1) %q
  call void @llvm.amdgcn.s.sleep(i32 2)
  %m = mul i32 %v, %k
  br label %end
end:
  %r = phi i32 [ 0, %entry ], [ %m, %then ]
  %o = getelementptr i32, ptr addrspace(1) %out, i32 %x
  store i32 %r, ptr addrspace(1) %o
  ret void
}
define amdgpu_kernel void @looping(ptr addrspace(1) %out) {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %n, %loop ]
  call void @llvm.amdgcn.s.sleep(i32 2)
  %n = add i32 %i, 1
  %c = icmp ult i32 %n, %x
  br i1 %c, label %loop, label %exit
exit:
  %o = getelementptr i32, ptr addrspace(1) %out, i32 %x
  store i32 %n, ptr addrspace(1) %o
  ret void
}
