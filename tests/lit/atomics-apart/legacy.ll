; The older intrinsics for atomics of buffers, which LLVM 20 no longer has: an index, which has to be uniform, and an offset.
; RUN: %opt -passes=meld-atomics-apart %s -S | FileCheck %s
; UNSUPPORTED: llvm-from-20

target triple = "amdgcn-amd-amdhsa"

; CHECK-LABEL: @legacy(
; CHECK: %[[H:.*]] = call i32 asm "", "=v,0"(i32 %index)
; CHECK: call i32 @llvm.amdgcn.buffer.atomic.add.i32(i32 1, <4 x i32> %b, i32 %[[H]], i32 0, i1 false)
define amdgpu_kernel void @legacy(<4 x i32> %b, i32 %index) {
  %old = call i32 @llvm.amdgcn.buffer.atomic.add.i32(i32 1, <4 x i32> %b, i32 %index, i32 0, i1 false)
  ret void
}

declare i32 @llvm.amdgcn.buffer.atomic.add.i32(i32, <4 x i32>, i32, i32, i1)
