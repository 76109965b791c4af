; Which pointers may be a shifted index.
; RUN: %opt -passes=meld-or-address %s -S | FileCheck %s

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"
declare i32 @llvm.amdgcn.workitem.id.x()

; An integer made a pointer, into LDS, scratch and GDS. Global memory has no such addresses.
; CHECK-LABEL: @made_of_integers(
; CHECK: %[[A:.*]] = call i32 asm "", "=v,0"(i32 %a)
; CHECK: shl i32 %[[A]], 2
; CHECK: %[[B:.*]] = call i32 asm "", "=v,0"(i32 %b)
; CHECK: shl i32 %[[B]], 2
; CHECK: %[[C:.*]] = call i32 asm "", "=v,0"(i32 %c)
; CHECK: shl i32 %[[C]], 2
; CHECK-NOT: asm
; CHECK: shl i64 %d, 2
define amdgpu_kernel void @made_of_integers(ptr addrspace(1) %p) {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %a = or i32 %t, 1
  %as = shl i32 %a, 2
  %lds = inttoptr i32 %as to ptr addrspace(3)
  store i32 %a, ptr addrspace(3) %lds
  %b = or i32 %t, 2
  %bs = shl i32 %b, 2
  %scratch = inttoptr i32 %bs to ptr addrspace(5)
  store i32 %b, ptr addrspace(5) %scratch
  %c = or i32 %t, 4
  %cs = shl i32 %c, 2
  %gds = inttoptr i32 %cs to ptr addrspace(2)
  store i32 %c, ptr addrspace(2) %gds
  %w = zext i32 %t to i64
  %d = or i64 %w, 1
  %ds = shl i64 %d, 2
  %global = inttoptr i64 %ds to ptr addrspace(1)
  store i64 %d, ptr addrspace(1) %global
  ret void
}
