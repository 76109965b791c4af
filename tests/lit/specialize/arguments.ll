; Where arguments lie, and what is a constant when some of their bytes are known. Offsets counted by hand from the kernel
; argument ABI: each argument at its ABI alignment.
; RUN: %opt -mcpu=gfx90a -passes='meld-specialize' -S %s | FileCheck %s
; RUN: %opt -mcpu=gfx90a -passes='meld-specialize' -disable-output -pass-remarks-missed=meld %s 2>&1 | FileCheck %s --check-prefix=WHY

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-i16:16-v16:16-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"

; p at 0, flag at 8, pad, n at 12, x at 16 (half), pad, scale at 20, wide at 24.
; CHECK-LABEL: @scalars(
; CHECK-NEXT: %known.flag = select i1 true, i32 1, i32 2
; CHECK-NEXT: %known.n = icmp sgt i32 3, 0
; CHECK-NEXT: %known.x = fcmp oeq half 0xH3C00, 0xH0000
; CHECK-NEXT: %known.scale = fcmp oeq float 2.500000e+00, 0.000000e+00
; CHECK-NEXT: %known.wide = icmp eq i64 4294967298, 0
define amdgpu_kernel void @scalars(ptr addrspace(1) %p, i1 zeroext %flag, i32 %n, half %x, float %scale, i64 %wide) "meld-facts"="argument 8 1 0x1; argument 12 4 0x3; argument 16 2 0x3c00; argument 20 4 0x40200000; argument 24 4 0x2; argument 28 4 0x1" {
  %known.flag = select i1 %flag, i32 1, i32 2
  %known.n = icmp sgt i32 %n, 0
  %known.x = fcmp oeq half %x, 0.0
  %known.scale = fcmp oeq float %scale, 0.0
  %known.wide = icmp eq i64 %wide, 0
  %a = select i1 %known.n, i32 %known.flag, i32 0
  %b = select i1 %known.x, i32 %a, i32 1
  %c = select i1 %known.scale, i32 %b, i32 2
  %d = select i1 %known.wide, i32 %c, i32 3
  store i32 %d, ptr addrspace(1) %p
  ret void
}

; Half of a value is no value; a pointer that is not null and a NaN are never constants; another kernel's facts are not this one's.
; CHECK-LABEL: @unknown(
; CHECK: icmp eq i64 %wide, 0
; CHECK: icmp eq ptr addrspace(1) %p, null
; CHECK: fcmp oeq float %nan, 0.0
; WHY: nothing of what its launches have in common
define amdgpu_kernel void @unknown(ptr addrspace(1) %p, i64 %wide, float %nan) "meld-facts"="argument 0 4 0x0; argument 4 4 0x1; argument 8 4 0x2; argument 16 4 0x7fc00001" {
  %a = icmp eq i64 %wide, 0
  %b = icmp eq ptr addrspace(1) %p, null
  %c = fcmp oeq float %nan, 0.0
  %d = select i1 %a, i32 1, i32 2
  %e = select i1 %b, i32 %d, i32 3
  %f = select i1 %c, i32 %e, i32 4
  store i32 %f, ptr addrspace(1) %p
  ret void
}

; A structure by value, with padding and one within: { i8, { i32, i64 } , [2 x i32] } at 8.
;   i8 at 8; i32 at 16; i64 at 24; the array at 32
; CHECK-LABEL: @structure(
; CHECK-NOT: extractvalue {{.*}}, 1, 0
; CHECK: %first = extractvalue
; CHECK: %last = extractvalue {{.*}} %s, 2, 1
; CHECK: icmp eq i32 7, 7
define amdgpu_kernel void @structure(ptr addrspace(1) %p, { i8, { i32, i64 }, [2 x i32] } %s) "meld-facts"="argument 16 4 0x7; argument 32 4 0x9" {
  %inner = extractvalue { i8, { i32, i64 }, [2 x i32] } %s, 1, 0
  %first = extractvalue { i8, { i32, i64 }, [2 x i32] } %s, 2, 0
  %last = extractvalue { i8, { i32, i64 }, [2 x i32] } %s, 2, 1
  %is = icmp eq i32 %inner, 7
  %r = select i1 %is, i32 %first, i32 %last
  store i32 %r, ptr addrspace(1) %p
  ret void
}

; A structure by reference into the argument segment, read through casts and steps.
; CHECK-LABEL: @reference(
; CHECK-NOT: %v = load
; CHECK: %other = load i32
; CHECK: icmp eq i32 5, 5
define amdgpu_kernel void @reference(ptr addrspace(1) %p, ptr addrspace(4) byref({ i32, i32 }) align 16 %s) "meld-facts"="argument 20 4 0x5" {
  %at = getelementptr i8, ptr addrspace(4) %s, i64 4
  %v = load i32, ptr addrspace(4) %at
  %other = load i32, ptr addrspace(4) %s
  %is = icmp eq i32 %v, 5
  %r = select i1 %is, i32 1, i32 %other
  store i32 %r, ptr addrspace(1) %p
  ret void
}
