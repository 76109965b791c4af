; LLVM 17 and 18 let one lane do the atomics of a wave where it takes their address for one: passes/llvm_fixes/atomics_apart.h.
; RUN: %opt -passes=meld-atomics-apart %s -S | FileCheck %s
; RUN: %opt -passes=meld-atomics-apart %s -S | %llc -mcpu=gfx90a | FileCheck %s --check-prefix=ISA
; RUN: %opt -passes=meld-atomics-apart %s -S | %llc -mcpu=gfx1030 | FileCheck %s --check-prefix=ISA

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"

@counter = internal addrspace(3) global i32 undef

; A combined one counts the lanes that are on, by mbcnt and a population count of EXEC.
; CHECK-LABEL: @global(
; CHECK: %[[H:.*]] = call ptr addrspace(1) asm "", "=v,0"(ptr addrspace(1) %p)
; CHECK: atomicrmw add ptr addrspace(1) %[[H]], i32 1 monotonic
; ISA-LABEL: {{^}}global:
; ISA-NOT: mbcnt
; ISA: global_atomic_add
; ISA-NOT: mbcnt
; ISA: s_endpgm
define amdgpu_kernel void @global(ptr addrspace(1) %p) {
  %old = atomicrmw add ptr addrspace(1) %p, i32 1 monotonic
  ret void
}

; CHECK-LABEL: @shared(
; CHECK: %[[H:.*]] = call ptr addrspace(3) asm "", "=v,0"(ptr addrspace(3) @counter)
; CHECK: atomicrmw umax ptr addrspace(3) %[[H]], i32 %x monotonic
; ISA-LABEL: {{^}}shared:
; ISA-NOT: mbcnt
; ISA: ds_max_u32
; ISA-NOT: mbcnt
; ISA: s_endpgm
define amdgpu_kernel void @shared(i32 %x) {
  %old = atomicrmw umax ptr addrspace(3) @counter, i32 %x monotonic
  ret void
}

; Generic pointers, too: behind this, LLVM may find out which memory they are for.
; CHECK-LABEL: @generic(
; CHECK: %[[H:.*]] = call ptr asm "", "=v,0"(ptr %g)
; CHECK: atomicrmw xor ptr %[[H]], i32 3 monotonic
define amdgpu_kernel void @generic(ptr addrspace(1) %p) {
  %g = addrspacecast ptr addrspace(1) %p to ptr
  %old = atomicrmw xor ptr %g, i32 3 monotonic
  ret void
}

; CHECK-LABEL: @buffer(
; CHECK: %[[H:.*]] = call i32 asm "", "=v,0"(i32 %offset)
; CHECK: call i32 @llvm.amdgcn.raw.buffer.atomic.add.i32(i32 1, <4 x i32> %b, i32 %[[H]], i32 0, i32 0)
; ISA-LABEL: {{^}}buffer:
; ISA-NOT: mbcnt
; ISA: buffer_atomic_add
; ISA-NOT: mbcnt
; ISA: s_endpgm
define amdgpu_kernel void @buffer(<4 x i32> %b, i32 %offset) {
  %old = call i32 @llvm.amdgcn.raw.buffer.atomic.add.i32(i32 1, <4 x i32> %b, i32 %offset, i32 0, i32 0)
  ret void
}

; A comparison and exchange is never combined.
; CHECK-LABEL: @exchange(
; CHECK-NOT: asm
; CHECK: ret void
define amdgpu_kernel void @exchange(ptr addrspace(1) %p) {
  %old = cmpxchg ptr addrspace(1) %p, i32 0, i32 1 monotonic monotonic
  ret void
}

; Those of private memory are nobody else's.
; CHECK-LABEL: @private(
; CHECK-NOT: asm
; CHECK: ret void
define amdgpu_kernel void @private(ptr addrspace(5) %p) {
  %old = atomicrmw add ptr addrspace(5) %p, i32 1 monotonic
  ret void
}

; CHECK-LABEL: @buffer_exchange(
; CHECK-NOT: asm
; CHECK: ret void
define amdgpu_kernel void @buffer_exchange(<4 x i32> %b, i32 %offset) {
  %old = call i32 @llvm.amdgcn.raw.buffer.atomic.cmpswap.i32(i32 1, i32 2, <4 x i32> %b, i32 %offset, i32 0, i32 0)
  ret void
}

declare i32 @llvm.amdgcn.raw.buffer.atomic.cmpswap.i32(i32, i32, <4 x i32>, i32, i32, i32 immarg)
declare i32 @llvm.amdgcn.raw.buffer.atomic.add.i32(i32, <4 x i32>, i32, i32, i32 immarg)
