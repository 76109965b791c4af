; What has effects stays, even where its result is undefined for all that LLVM knows (a call of nobody).
; RUN: %opt -passes=meld-own-lanes,verify %s -S | FileCheck %s

target triple = "amdgcn-amd-amdhsa"

; CHECK-LABEL: @effects(
; CHECK: %r = call i32 undef(i32 %n)
; CHECK-NEXT: store i32 %r
define amdgpu_kernel void @effects(ptr addrspace(1) %out, i32 %n) #0 {
  %r = call i32 undef(i32 %n)
  store i32 %r, ptr addrspace(1) %out
  ret void
}

attributes #0 = { "target-cpu"="gfx1030" }
