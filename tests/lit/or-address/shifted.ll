; The first array of a kernel's LDS lies at 0, so that an address is a shifted index and nothing else. LLVM 15's
; instruction selection takes `(x | 1) << 2` for `(x << 2) + 4` where `x | 1` has other users.
; RUN: %opt -passes=meld-or-address %s -S | FileCheck %s
; RUN: %opt -passes=meld-or-address %s -S | %llc -mcpu=gfx90a | FileCheck %s --check-prefix=ISA
; RUN: %opt -passes=meld-or-address %s -S | %llc -mcpu=gfx900 | FileCheck %s --check-prefix=ISA

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"
@s = internal addrspace(3) global [64 x i32] undef
declare i32 @llvm.amdgcn.workitem.id.x()

; CHECK-LABEL: @other_user(
; CHECK: %[[O:.*]] = call i32 asm "", "=v,0"(i32 %o)
; CHECK: %a = getelementptr inbounds [64 x i32], ptr addrspace(3) @s, i32 0, i32 %[[O]]
; CHECK: getelementptr i32, ptr addrspace(1) %p, i32 %o
; ISA-LABEL: {{^}}other_user:
; ISA: v_or_b32{{.*}} [[I:v[0-9]+]], 1, v0
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

; The shift may be written out, and the index have another width.
; CHECK-LABEL: @shifted_already(
; CHECK: %[[O:.*]] = call i32 asm "", "=v,0"(i32 %o)
; CHECK: %i = shl i32 %[[O]], 1
; CHECK: %[[W:.*]] = zext i16 %k to i32
; CHECK: %[[S:.*]] = call i32 asm "", "=v,0"(i32 %[[W]])
; CHECK: %[[K:.*]] = trunc i32 %[[S]] to i16
; CHECK: %w = sext i16 %[[K]] to i32
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

; Selection makes a shift of an exact division, and of a mask that it finds to be redundant, and knows what a
; conversion does to a pointer.
; CHECK-LABEL: @made_by_selection(
; ISA-LABEL: {{^}}made_by_selection:
; ISA-NOT: ds_{{.*}} offset:
; ISA: s_endpgm
define amdgpu_kernel void @made_by_selection(ptr addrspace(1) %p) #0 {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %d = shl i32 %t, 1
  %o = or i32 %d, 6
  %h = lshr exact i32 %o, 1
  %a = getelementptr i32, ptr addrspace(3) @s, i32 %h
  %v = load i32, ptr addrspace(3) %a
  %g = getelementptr i32, ptr addrspace(1) %p, i32 %o
  store i32 %v, ptr addrspace(1) %g
  %r = or i32 %t, 1
  %q = shl i32 %r, 2
  %m = and i32 %q, 1020
  %b = getelementptr i8, ptr addrspace(3) @s, i32 %m
  %w = load i32, ptr addrspace(3) %b
  %j = getelementptr i32, ptr addrspace(1) %p, i32 %r
  store i32 %w, ptr addrspace(1) %j
  %n = inttoptr i32 %q to ptr addrspace(3)
  store i32 7, ptr addrspace(3) %n
  ret void
}

; In code that is never reached a value may be made of itself.
; CHECK-LABEL: @of_itself(
define amdgpu_kernel void @of_itself() {
  ret void
never:
  %i = shl i32 %i, 0
  %a = getelementptr i32, ptr addrspace(3) @s, i32 %i
  store i32 1, ptr addrspace(3) %a
  br label %never
}

; An `or` of two values, and memory elsewhere, are not taken so.
; CHECK-LABEL: @as_it_was(
; CHECK-NOT: asm
; CHECK: ret void
define amdgpu_kernel void @as_it_was(ptr addrspace(1) %p, i32 %n) {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %o = or i32 %t, 1
  %q = or i32 %t, %n
  %e = getelementptr i32, ptr addrspace(3) @s, i32 %q
  store i32 3, ptr addrspace(3) %e
  %g = getelementptr i32, ptr addrspace(1) %p, i32 %o
  store i32 %t, ptr addrspace(1) %g
  ret void
}
attributes #0 = { "amdgpu-flat-work-group-size"="1,256" }
