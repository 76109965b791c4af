; Pairs whose selects cost more than they save are taken back; those that pay together stay.
; RUN: %opt -passes=meld-cfm -S %s | FileCheck %s

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"

declare i32 @llvm.amdgcn.workitem.id.x()

; Two shifts would become a general one with two selects, whichever way round.
; CHECK-LABEL: @cheap_factors(
; CHECK-NOT: br i1
; CHECK-DAG: mul i32 %{{.*}}, 8
; CHECK-DAG: mul i32 %{{.*}}, -16
; CHECK: ret void
define amdgpu_kernel void @cheap_factors(ptr addrspace(3) %p, ptr addrspace(3) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %x = load i32, ptr addrspace(3) %p
  %lx = xor i32 %x, %tid
  %l = mul i32 %lx, 8
  store i32 %l, ptr addrspace(3) %p
  br label %join
right:
  %y = load i32, ptr addrspace(3) %q
  %ry = lshr i32 %y, 3
  %r = mul i32 %ry, -16
  store i32 %r, ptr addrspace(3) %q
  br label %join
join:
  ret void
}

; Other constants take a multiplication on either side (v_mul_lo_u32): one with selects is cheaper.
; CHECK-LABEL: @dear_factors(
; CHECK-NOT: br i1
; CHECK: mul i32 %
; CHECK-NOT: mul
; CHECK: ret void
define amdgpu_kernel void @dear_factors(ptr addrspace(3) %p, ptr addrspace(3) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %x = load i32, ptr addrspace(3) %p
  %lx = xor i32 %x, %tid
  %l = mul i32 %lx, 5
  store i32 %l, ptr addrspace(3) %p
  br label %join
right:
  %y = load i32, ptr addrspace(3) %q
  %ry = lshr i32 %y, 3
  %r = mul i32 %ry, 7
  store i32 %r, ptr addrspace(3) %q
  br label %join
join:
  ret void
}

; The same with one factor: one multiplication of the selected value.
; CHECK-LABEL: @equal_factors(
; CHECK: mul i32 %{{.*}}, 5
; CHECK-NOT: mul
; CHECK: ret void
define amdgpu_kernel void @equal_factors(ptr addrspace(3) %p, ptr addrspace(3) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %x = load i32, ptr addrspace(3) %p
  %lx = xor i32 %x, %tid
  %l = mul i32 %lx, 5
  store i32 %l, ptr addrspace(3) %p
  br label %join
right:
  %y = load i32, ptr addrspace(3) %q
  %ry = lshr i32 %y, 3
  %r = mul i32 %ry, 5
  store i32 %r, ptr addrspace(3) %q
  br label %join
join:
  ret void
}
