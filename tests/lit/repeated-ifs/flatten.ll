; Two ifs with the same body on different sides: LLVM 15's FlattenCFG forgets the first condition.
; RUN: %opt -passes=meld-repeated-ifs %s -S | FileCheck %s
; RUN: %opt -passes=meld-repeated-ifs %s -S | %llc -O3 -mcpu=gfx90a -print-after=flattencfg -o /dev/null 2>&1 | FileCheck %s --check-prefix=FLAT

target triple = "amdgcn-amd-amdhsa"

; CHECK-LABEL: @sides(
; CHECK: br i1 %c, label %second, label %first
; CHECK: %other.side = xor i1 %d, true
; CHECK-NEXT: br i1 %other.side, label %join, label %again
; FLAT-LABEL: @sides(
; FLAT: %[[BOTH:.*]] = and i1 %c, %other.side
; FLAT: br i1 %[[BOTH]], label %join, label %again
define amdgpu_kernel void @sides(ptr addrspace(1) %p, i32 %x) {
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %c = icmp ult i32 %tid, 7
  br i1 %c, label %second, label %first
first:
  store i32 %x, ptr addrspace(1) %p
  br label %second
second:
  %e = icmp ugt i32 %tid, 3
  %d = and i1 %c, %e
  br i1 %d, label %again, label %join
again:
  store i32 %x, ptr addrspace(1) %p
  br label %join
join:
  ret void
}

; One side already, or another number of stores: as it is.
; CHECK-LABEL: @same(
; CHECK-NOT: other.side
define amdgpu_kernel void @same(ptr addrspace(1) %p, i32 %x) {
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %c = icmp ult i32 %tid, 7
  br i1 %c, label %first, label %second
first:
  store i32 %x, ptr addrspace(1) %p
  br label %second
second:
  %e = icmp ugt i32 %tid, 3
  %d = and i1 %c, %e
  br i1 %d, label %again, label %join
again:
  store i32 %x, ptr addrspace(1) %p
  br label %join
join:
  ret void
}

; CHECK-LABEL: @volatile(
; CHECK-NOT: other.side
define amdgpu_kernel void @volatile(ptr addrspace(1) %p, i32 %x) {
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %c = icmp ult i32 %tid, 7
  br i1 %c, label %second, label %first
first:
  store volatile i32 %x, ptr addrspace(1) %p
  br label %second
second:
  %e = icmp ugt i32 %tid, 3
  %d = and i1 %c, %e
  br i1 %d, label %again, label %join
again:
  store volatile i32 %x, ptr addrspace(1) %p
  br label %join
join:
  ret void
}

; CHECK-LABEL: @bodies(
; CHECK-NOT: other.side
define amdgpu_kernel void @bodies(ptr addrspace(1) %p, i32 %x) {
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %c = icmp ult i32 %tid, 7
  br i1 %c, label %second, label %first
first:
  store i32 %x, ptr addrspace(1) %p
  br label %second
second:
  %e = icmp ugt i32 %tid, 3
  %d = and i1 %c, %e
  br i1 %d, label %again, label %join
again:
  store i32 %x, ptr addrspace(1) %p
  store i32 %tid, ptr addrspace(1) %p
  br label %join
join:
  ret void
}

declare i32 @llvm.amdgcn.workitem.id.x()
