; The first array of a kernel's LDS lies at 0, so that an address is a shifted index and nothing else. LLVM 15's
; instruction selection takes `(x | 1) << 2` for `(x << 2) + 4` where `x | 1` has other users.
; RUN: %opt -passes=meld-or-address %s -S | FileCheck %s
; RUN: %opt -passes=meld-or-address %s -S | %llc -mcpu=gfx90a | FileCheck %s --check-prefix=ISA
; RUN: %opt -passes=meld-or-address %s -S | %llc -mcpu=gfx900 | FileCheck %s --check-prefix=ISA

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"
@s = internal addrspace(3) global [64 x i32] undef
@b = internal addrspace(3) global [64 x i8] undef
@m = internal addrspace(3) global [8 x [8 x i32]] undef
@odd = internal addrspace(3) global [64 x [3 x i32]] undef
declare i32 @llvm.amdgcn.workitem.id.x()

; CHECK-LABEL: @other_user(
; CHECK: %[[S:.*]] = shl i32 %t, 2
; CHECK: %[[O:.*]] = or i32 %[[S]], 4
; CHECK: %a = getelementptr inbounds i8, ptr addrspace(3) @s, i32 %[[O]]
; CHECK: getelementptr i32, ptr addrspace(1) %p, i32 %o
; ISA-LABEL: {{^}}other_user:
; ISA-NOT: ds_read_b32 {{.*}} offset:
; ISA: s_endpgm
define amdgpu_kernel void @other_user(ptr addrspace(1) %p) {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %o = or i32 %t, 1
  %a = getelementptr inbounds [64 x i32], ptr addrspace(3) @s, i32 0, i32 %o
  %v = load i32, ptr addrspace(3) %a
  %g = getelementptr i32, ptr addrspace(1) %p, i32 %o
  store i32 %v, ptr addrspace(1) %g
  ret void
}

; The shift may be written out, and an index of another width.
; CHECK-LABEL: @shifted_already(
; CHECK: %[[S:.*]] = shl i32 %t, 3
; CHECK: %[[O:.*]] = or i32 %[[S]], 24
; CHECK: getelementptr i8, ptr addrspace(3) @s, i32 %[[O]]
; CHECK: %[[C:.*]] = sext i16 %h to i32
; CHECK: %[[T:.*]] = shl i32 %[[C]], 2
; CHECK: or i32 %[[T]], -8
; ISA-LABEL: {{^}}shifted_already:
; ISA-NOT: ds_{{.*}} offset:
; ISA: s_endpgm
define amdgpu_kernel void @shifted_already(ptr addrspace(1) %p, i16 %h) {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %o = or i32 %t, 3
  %i = shl i32 %o, 1
  %a = getelementptr i32, ptr addrspace(3) @s, i32 %i
  %v = load i32, ptr addrspace(3) %a
  %k = or i16 %h, -2
  %w = sext i16 %k to i32
  %c = getelementptr i32, ptr addrspace(3) @s, i32 %w
  store i32 %o, ptr addrspace(3) %c
  %g = getelementptr i32, ptr addrspace(1) %p, i32 %o
  store i32 %v, ptr addrspace(1) %g
  ret void
}

; Where x has no bit of it, it is the sum, and LLVM may fold it.
; CHECK-LABEL: @no_common_bits(
; CHECK: %a = getelementptr i32, ptr addrspace(3) @s, i32 %o
; ISA-LABEL: {{^}}no_common_bits:
; ISA: ds_read_b32 {{.*}} offset:4
define amdgpu_kernel void @no_common_bits(ptr addrspace(1) %p) {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %e = shl i32 %t, 1
  %o = or i32 %e, 1
  %a = getelementptr i32, ptr addrspace(3) @s, i32 %o
  %v = load i32, ptr addrspace(3) %a
  %g = getelementptr i32, ptr addrspace(1) %p, i32 %o
  store i32 %v, ptr addrspace(1) %g
  ret void
}

; What is no shift: bytes, two indices, twelve bytes, an `or` of two values. Memory elsewhere is not taken so.
; CHECK-LABEL: @as_it_was(
; CHECK: getelementptr i8, ptr addrspace(3) @b, i32 %o
; CHECK: getelementptr [8 x [8 x i32]], ptr addrspace(3) @m, i32 0, i32 %o, i32 %t
; CHECK: getelementptr [3 x i32], ptr addrspace(3) @odd, i32 %o
; CHECK: getelementptr i32, ptr addrspace(3) @s, i32 %q
; CHECK: getelementptr i32, ptr addrspace(1) %p, i32 %o
define amdgpu_kernel void @as_it_was(ptr addrspace(1) %p, i32 %n) {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %o = or i32 %t, 1
  %q = or i32 %t, %n
  %a = getelementptr i8, ptr addrspace(3) @b, i32 %o
  %v = load i8, ptr addrspace(3) %a
  %c = getelementptr [8 x [8 x i32]], ptr addrspace(3) @m, i32 0, i32 %o, i32 %t
  store i32 1, ptr addrspace(3) %c
  %d = getelementptr [3 x i32], ptr addrspace(3) @odd, i32 %o
  store i32 2, ptr addrspace(3) %d
  %e = getelementptr i32, ptr addrspace(3) @s, i32 %q
  store i32 3, ptr addrspace(3) %e
  %g = getelementptr i32, ptr addrspace(1) %p, i32 %o
  store i8 %v, ptr addrspace(1) %g
  ret void
}
