; Of pointers comparisons with null are known, in every memory in which null is 0.
; RUN: %opt -mcpu=gfx90a -passes='meld-specialize' -S %s | FileCheck %s

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-i16:16-v16:16-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"

; CHECK-LABEL: @null(
; CHECK: and i1 true, true
; CHECK: select i1 false, i32 %d, i32 3
define amdgpu_kernel void @null(ptr addrspace(1) %p, ptr addrspace(1) %mask, ptr %flat) "meld-facts"="argument 8 4 0x0; argument 12 4 0x0; argument 16 8 0x0" {
  %a = icmp eq ptr addrspace(1) %mask, null
  %b = icmp eq ptr %flat, null
  %c = and i1 %a, %b
  %d = select i1 %c, i32 1, i32 2
  %e = icmp ne ptr addrspace(1) %mask, addrspacecast (ptr null to ptr addrspace(1))
  %f = select i1 %e, i32 %d, i32 3
  store i32 %f, ptr addrspace(1) %p
  ret void
}

; A pointer into LDS, of which 0 is the first byte.
; CHECK-LABEL: @lds(
; CHECK: icmp eq ptr addrspace(3) %q, null
define amdgpu_kernel void @lds(ptr addrspace(1) %p, ptr addrspace(3) %q) "meld-facts"="argument 8 4 0x0" {
  %a = icmp eq ptr addrspace(3) %q, null
  %d = select i1 %a, i32 1, i32 2
  store i32 %d, ptr addrspace(1) %p
  ret void
}

; Not null: what is compared with null is known, what is compared with another pointer, or by size, is not.
; CHECK-LABEL: @nonnull(
; CHECK: icmp eq ptr addrspace(1) %mask, %p
; CHECK: icmp ugt ptr addrspace(1) %mask, null
; CHECK: icmp eq ptr addrspace(1) %p, null
; CHECK: select i1 true, i32 1, i32 2
; CHECK: select i1 false, i32 %f, i32 3
; CHECK: select i1 true, i32 %j, i32 7
; CHECK: icmp eq ptr addrspace(1) %mask, addrspacecast (ptr addrspace(3) null to ptr addrspace(1))
define amdgpu_kernel void @nonnull(ptr addrspace(1) %p, ptr addrspace(1) %mask) "meld-facts"="nonnull 8" {
  %a = icmp ne ptr addrspace(1) %mask, null
  %generic = addrspacecast ptr addrspace(1) %mask to ptr
  %b = icmp eq ptr null, %generic
  %c = icmp eq ptr addrspace(1) %mask, %p
  %d = icmp ugt ptr addrspace(1) %mask, null
  %e = icmp eq ptr addrspace(1) %p, null
  %f = select i1 %a, i32 1, i32 2
  %g = select i1 %b, i32 %f, i32 3
  %h = select i1 %c, i32 %g, i32 4
  %i = select i1 %d, i32 %h, i32 5
  %j = select i1 %e, i32 %i, i32 6
  %k = icmp ne ptr addrspace(1) %mask, addrspacecast (ptr null to ptr addrspace(1))
  %l = select i1 %k, i32 %j, i32 7
  %m = icmp eq ptr addrspace(1) %mask, addrspacecast (ptr addrspace(3) null to ptr addrspace(1))
  %n = select i1 %m, i32 %l, i32 8
  store i32 %n, ptr addrspace(1) %p
  ret void
}

; What is behind the pointer, and what is computed from it, may be null for all that is known.
; CHECK-LABEL: @derived(
; CHECK: icmp eq ptr addrspace(1) %step, null
; CHECK: icmp eq ptr addrspace(1) %loaded, null
; CHECK: icmp eq ptr addrspace(3) %local, null
define amdgpu_kernel void @derived(ptr addrspace(1) %p, i64 %n) "meld-facts"="nonnull 0" {
  %step = getelementptr i8, ptr addrspace(1) %p, i64 %n
  %a = icmp eq ptr addrspace(1) %step, null
  %loaded = load ptr addrspace(1), ptr addrspace(1) %p
  %b = icmp eq ptr addrspace(1) %loaded, null
  %generic = addrspacecast ptr addrspace(1) %p to ptr
  %local = addrspacecast ptr %generic to ptr addrspace(3)
  %c = icmp eq ptr addrspace(3) %local, null
  %d = select i1 %a, i32 1, i32 2
  %e = select i1 %b, i32 %d, i32 3
  %f = select i1 %c, i32 %e, i32 4
  store i32 %f, ptr addrspace(1) %p
  ret void
}

; A member of a structure that is passed by value.
; CHECK-LABEL: @member(
; CHECK: br i1 true
define amdgpu_kernel void @member(ptr addrspace(1) %p, { i32, ptr addrspace(1) } %options) "meld-facts"="nonnull 16" {
  %mask = extractvalue { i32, ptr addrspace(1) } %options, 1
  %has = icmp ne ptr addrspace(1) %mask, null
  br i1 %has, label %with, label %out
with:
  store i32 1, ptr addrspace(1) %p
  br label %out
out:
  ret void
}
