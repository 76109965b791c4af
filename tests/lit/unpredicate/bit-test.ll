; REQUIRES: llvm-before-17
; No branch on one bit is made that would be scalar to LLVM 15, which takes two opposite tests for one
; (passes/llvm_fixes/bit_test.h).
; RUN: %opt -passes='meld-unpredicate<force>' -S %s | FileCheck %s

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"

declare i32 @llvm.amdgcn.workitem.id.x()

; In a cycle LLVM may see what is the same in all threads that are still in it where we do not.
; CHECK-LABEL: @counter(
; CHECK-NOT: meld.unpredicated
; CHECK-COUNT-2: select i1
; CHECK: ret void
define amdgpu_kernel void @counter(ptr addrspace(1) %p, double %d, i32 %n) {
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %e = uitofp i32 %tid to double
  br label %loop
loop:
  %i = phi i32 [ %tid, %entry ], [ %next, %latch ]
  %x = phi double [ %e, %entry ], [ %w, %latch ]
  %bit = and i32 %i, 2
  %c = icmp eq i32 %bit, 0
  %q0 = fdiv double %x, 3.0
  %q1 = fdiv double %d, %q0
  %q2 = fdiv double %d, %q1
  %v = select i1 %c, double %x, double %q2
  %out = fcmp olt double %v, %d
  br i1 %out, label %done, label %latch
latch:
  %r0 = fdiv double %v, 5.0
  %r1 = fdiv double %d, %r0
  %r2 = fdiv double %d, %r1
  %w = select i1 %c, double %v, double %r2
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %done
done:
  %y = phi double [ %v, %loop ], [ %w, %latch ]
  %g = getelementptr double, ptr addrspace(1) %p, i32 %tid
  store double %y, ptr addrspace(1) %g
  ret void
}

; Each thread's own bit.
; CHECK-LABEL: @thread(
; CHECK: meld.unpredicated
; CHECK: ret void
define amdgpu_kernel void @thread(ptr addrspace(1) %p, double %d) {
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 2
  %c = icmp eq i32 %bit, 0
  %q0 = fdiv double %d, 3.0
  %q1 = fdiv double %d, %q0
  %q2 = fdiv double %d, %q1
  %v = select i1 %c, double %d, double %q2
  %g = getelementptr double, ptr addrspace(1) %p, i32 %tid
  store double %v, ptr addrspace(1) %g
  ret void
}
