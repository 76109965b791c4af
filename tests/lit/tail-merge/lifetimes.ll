; A common tail passes by the ends of each side's objects: those have no end then.
; RUN: %opt -passes='meld-tail-merge<min-profit=-1000000>' -S %s | FileCheck %s

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"

declare i32 @llvm.amdgcn.workitem.id.x()
declare void @llvm.lifetime.start.p5(i64, ptr addrspace(5) nocapture)
declare void @llvm.lifetime.end.p5(i64, ptr addrspace(5) nocapture)

; %e ends above the tail and keeps its markers.
; CHECK-LABEL: @ends_in_the_tail(
; CHECK-NOT: lifetime
; CHECK: call void @llvm.lifetime.start.p5(i64 64, ptr addrspace(5) %e)
; CHECK-NOT: lifetime
; CHECK: call void @llvm.lifetime.end.p5(i64 64, ptr addrspace(5) %e)
; CHECK-NOT: lifetime
; CHECK: meld.tail:
; CHECK: load i32, ptr addrspace(5)
; CHECK: ret void
define amdgpu_kernel void @ends_in_the_tail(ptr addrspace(1) %p, i32 %i, i32 %n) {
  %a = alloca [16 x i32], addrspace(5)
  %b = alloca [16 x i32], addrspace(5)
  %e = alloca [16 x i32], addrspace(5)
  call void @llvm.lifetime.start.p5(i64 64, ptr addrspace(5) %a)
  call void @llvm.lifetime.start.p5(i64 64, ptr addrspace(5) %b)
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %j = and i32 %tid, 15
  %pa = getelementptr [16 x i32], ptr addrspace(5) %a, i32 0, i32 %j
  %pb = getelementptr [16 x i32], ptr addrspace(5) %b, i32 0, i32 %j
  store i32 %tid, ptr addrspace(5) %pa
  store i32 %i, ptr addrspace(5) %pb
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  call void @llvm.lifetime.start.p5(i64 64, ptr addrspace(5) %e)
  %pe = getelementptr [16 x i32], ptr addrspace(5) %e, i32 0, i32 %i
  store volatile i32 %n, ptr addrspace(5) %pe
  call void @llvm.lifetime.end.p5(i64 64, ptr addrspace(5) %e)
  fence syncscope("workgroup") acquire
  %l = load i32, ptr addrspace(5) %pa
  call void @llvm.lifetime.end.p5(i64 64, ptr addrspace(5) %a)
  %l1 = udiv i32 %l, %n
  %l2 = mul i32 %l1, %l1
  store i32 %l2, ptr addrspace(1) %p
  br label %join
right:
  %r = load i32, ptr addrspace(5) %pb
  call void @llvm.lifetime.end.p5(i64 64, ptr addrspace(5) %b)
  %r1 = udiv i32 %r, %n
  %r2 = mul i32 %r1, %r1
  store i32 %r2, ptr addrspace(1) %p
  br label %join
join:
  ret void
}
