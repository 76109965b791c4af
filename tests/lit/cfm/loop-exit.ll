; A branch that leaves its loop on one side: that side runs once, with all threads that left. It must not be melded
; into the loop's body, where it would run in every round with the threads that leave in that round.
; RUN: %opt -passes='meld-cfm<min-profit=-1000>' -S %s | FileCheck %s

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"

declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.ds.bpermute(i32, i32) #0

; CHECK-LABEL: @exit_side(
; CHECK: loop:
; CHECK: br i1 %again, label %body, label %done
; CHECK: done:
; CHECK: call i32 @llvm.amdgcn.ds.bpermute
; CHECK-NOT: br i1
; CHECK: ret void
define amdgpu_kernel void @exit_side(ptr addrspace(3) %p, ptr addrspace(3) %q, ptr addrspace(1) %o) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %trips = and i32 %tid, 7
  br label %loop
loop:
  %i = phi i32 [ 0, %0 ], [ %i1, %body ]
  %s = phi i32 [ 0, %0 ], [ %s2, %body ]
  %again = icmp ult i32 %i, %trips
  br i1 %again, label %body, label %done
body:
  %bp = getelementptr i32, ptr addrspace(3) %p, i32 %i
  %bv = load i32, ptr addrspace(3) %bp
  %b1 = mul i32 %bv, 17
  %b2 = xor i32 %b1, %tid
  %b3 = mul i32 %b2, %b1
  %s2 = add i32 %s, %b3
  %i1 = add i32 %i, 1
  br label %loop
done:
  %dp = getelementptr i32, ptr addrspace(3) %q, i32 %tid
  %dv = load i32, ptr addrspace(3) %dp
  %d1 = mul i32 %dv, 29
  %d2 = xor i32 %d1, %tid
  %d3 = mul i32 %d2, %d1
  %d4 = add i32 %s, %d3
  %x = call i32 @llvm.amdgcn.ds.bpermute(i32 %d3, i32 %d4)
  %op = getelementptr i32, ptr addrspace(1) %o, i32 %tid
  store i32 %x, ptr addrspace(1) %op
  ret void
}

attributes #0 = { convergent nounwind readnone }
