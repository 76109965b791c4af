; What has effects stays, even where its result is undefined for all that LLVM knows (a call of nobody). Types that no GPU has.
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

; There are no such registers; that is no reason to end the compile here.
; CHECK-LABEL: @scalable(
; CHECK: freeze <vscale x 2 x i64> poison
define amdgpu_kernel void @scalable(ptr addrspace(1) %out, i1 %c) #0 {
entry:
  br i1 %c, label %a, label %b
a:
  %v = load <vscale x 2 x i64>, ptr addrspace(1) %out
  br label %join
b:
  store volatile i32 1, ptr addrspace(1) %out
  br label %join
join:
  %x = phi <vscale x 2 x i64> [ %v, %a ], [ undef, %b ]
  store <vscale x 2 x i64> %x, ptr addrspace(1) %out
  ret void
}

attributes #0 = { "target-cpu"="gfx1030" }
