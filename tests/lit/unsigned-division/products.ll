; LLVM (15 and 17) multiplies two unsigned numbers of 32 bits as signed ones of 24, where both halves of the product are asked for and both
; have nine equal bits in front, which may be ones: passes/llvm_fixes/unsigned_division.h.
; RUN: %opt -passes=meld-unsigned-division,verify %s -S | FileCheck %s
; RUN: %opt -passes=meld-unsigned-division %s -S | %llc -O3 -mcpu=gfx90a | FileCheck %s --check-prefix=ISA
; RUN: %opt -passes=meld-unsigned-division %s -S | %llc -O3 -mcpu=gfx1030 | FileCheck %s --check-prefix=ISA

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"
declare i32 @llvm.amdgcn.workitem.id.x()

; 5 * 4294967295 has 4 in its upper half, not -1.
; CHECK-LABEL: @product(
; CHECK: [[H:%.*]] = call i32 asm "", "=v,0"(i32 %s)
; CHECK-NEXT: [[W:%.*]] = zext i32 [[H]] to i64
; CHECK-NEXT: %m = mul i64 %u, [[W]]
; ISA-LABEL: {{^}}product:
; ISA-NOT: v_mul_hi_i32_i24
; ISA: v_{{mul_hi_u32|mad_u64_u32}}
; ISA: s_endpgm
define amdgpu_kernel void @product(ptr addrspace(1) %p, ptr addrspace(1) %o) #0 {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %q = getelementptr i8, ptr addrspace(1) %p, i32 %t
  %b = load i8, ptr addrspace(1) %q
  %s = sext i8 %b to i32
  %z = zext i32 %s to i64
  %u = zext i32 %t to i64
  %m = mul i64 %u, %z
  %a = getelementptr i64, ptr addrspace(1) %o, i32 %t
  store i64 %m, ptr addrspace(1) %a
  ret void
}

; Elements of vectors.
; CHECK-LABEL: @elements(
; CHECK-COUNT-2: call i32 asm "", "=v,0"(i32
; CHECK: [[W:%.*]] = zext <2 x i32> {{%.*}} to <2 x i64>
; CHECK-NEXT: mul <2 x i64> [[W]], %v
define <2 x i64> @elements(<2 x i8> %x, <2 x i64> %v) {
  %s = sext <2 x i8> %x to <2 x i32>
  %z = zext <2 x i32> %s to <2 x i64>
  %m = mul <2 x i64> %z, %v
  ret <2 x i64> %m
}

; Not negative; many bits; signed; other widths; other operations.
; CHECK-LABEL: @left(
; CHECK-NOT: asm
; CHECK: ret i64
define i64 @left(i32 %x, i8 %y, i16 %n) {
  %a = zext i32 %x to i64
  %p = zext i8 %y to i32
  %b = zext i32 %p to i64
  %m = mul i64 %a, %b
  %s = sext i8 %y to i64
  %d = mul i64 %s, %m
  %c = sext i8 %y to i16
  %e = zext i16 %c to i64
  %f = mul i64 %e, %d
  %i = sext i8 %y to i32
  %j = zext i32 %i to i64
  %k = add i64 %j, %f
  %l = mul i32 %i, %p
  %w = zext i32 %l to i64
  %r = add i64 %w, %k
  ret i64 %r
}

attributes #0 = { "amdgpu-flat-work-group-size"="1,96" }
