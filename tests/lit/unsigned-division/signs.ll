; LLVM (15 and 19) divides numbers with nine equal bits in front as floats of 24 bits and cuts the result to the others, for
; unsigned divisions, too, where the equal bits may be ones: passes/llvm_fixes/unsigned_division.h.
; RUN: %opt -passes=meld-unsigned-division %s -S | FileCheck %s
; RUN: %opt -passes=meld-unsigned-division %s -S | %llc -mcpu=gfx90a | FileCheck %s --check-prefix=ISA
; RUN: %opt -passes=meld-unsigned-division %s -S | %llc -mcpu=gfx1030 | FileCheck %s --check-prefix=ISA

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"

; -128 is 4294967168: the remainder is taken of that, so it is a division of 32 bits, which multiplies high halves.
; CHECK-LABEL: @remainder(
; CHECK: %[[H:.*]] = call i32 asm "", "=v,0"(i32 %a)
; CHECK: %r = urem i32 %[[H]], %b
; ISA-LABEL: {{^}}remainder:
; ISA: v_mul_hi_u32
; ISA: s_endpgm
define amdgpu_kernel void @remainder(ptr addrspace(1) %p, i8 %x, i8 %y) {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %g = getelementptr i8, ptr addrspace(1) %p, i32 %t
  %v = load i8, ptr addrspace(1) %g
  %a = sext i8 %v to i32
  %b = zext i8 %y to i32
  %r = urem i32 %a, %b
  store i32 %r, ptr addrspace(1) %p
  ret void
}

; The divisor, and 64 bits, of which LLVM thinks that 32 are enough.
; CHECK-LABEL: @divisor(
; CHECK: %[[H:.*]] = call i64 asm "", "=v,0"(i64 %a)
; CHECK: %q = udiv i64 %[[H]], %b
define i64 @divisor(i32 %x, i32 %y) {
  %a = zext i32 %x to i64
  %b = sext i32 %y to i64
  %q = udiv i64 %a, %b
  ret i64 %q
}

; Of the index of a thread code generation knows that it has few bits, from the size of the workgroup.
; CHECK-LABEL: @index(
; CHECK: %[[H:.*]] = call i32 asm "", "=v,0"(i32 %a)
; CHECK: %q = udiv i32 %[[H]], %b
; ISA-LABEL: {{^}}index:
; ISA: v_mul_hi_u32
; ISA: s_endpgm
define amdgpu_kernel void @index(ptr addrspace(1) %p) "amdgpu-flat-work-group-size"="1,96" {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %g = getelementptr i8, ptr addrspace(1) %p, i32 %t
  %v = load i8, ptr addrspace(1) %g
  %a = sext i8 %v to i32
  %b = or i32 %t, 1
  %q = udiv i32 %a, %b
  store i32 %q, ptr addrspace(1) %p
  ret void
}

; A constant that is negative divides; a constant is divided.
; CHECK-LABEL: @constants(
; CHECK: %[[A:.*]] = call i64 asm "", "=v,0"(i64 %a)
; CHECK: %q = udiv i64 %[[A]], -3
; CHECK: %[[B:.*]] = call i64 asm "", "=v,0"(i64 %a)
; CHECK: %r = urem i64 %[[B]], 7
; CHECK: %[[C:.*]] = call i32 asm "", "=v,0"(i32 %b)
; CHECK: %s = udiv i32 -5, %[[C]]
define i64 @constants(i32 %x, i8 %y) {
  %a = sext i32 %x to i64
  %b = zext i8 %y to i32
  %q = udiv i64 %a, -3
  %r = urem i64 %a, 7
  %s = udiv i32 -5, %b
  %t = zext i32 %s to i64
  %1 = add i64 %q, %r
  %2 = add i64 %1, %t
  ret i64 %2
}

; Vectors are divided element by element; of one element more may be known than of all.
; CHECK-LABEL: @vector(
; CHECK: %[[E0:.*]] = extractelement <2 x i32> %a, i{{32|64}} 0
; CHECK: %[[H0:.*]] = call i32 asm "", "=v,0"(i32 %[[E0]])
; CHECK: %[[V0:.*]] = insertelement <2 x i32> %a, i32 %[[H0]], i{{32|64}} 0
; CHECK: %[[E1:.*]] = extractelement <2 x i32> %a, i{{32|64}} 1
; CHECK: %[[H1:.*]] = call i32 asm "", "=v,0"(i32 %[[E1]])
; CHECK: %[[V1:.*]] = insertelement <2 x i32> %[[V0]], i32 %[[H1]], i{{32|64}} 1
; CHECK: %r = urem <2 x i32> %[[V1]], %b
; ISA-LABEL: {{^}}vector:
; ISA: v_mul_hi_u32
; ISA: s_setpc_b64
define <2 x i32> @vector(i32 %x, <2 x i8> %y, i32 %many) {
  %few = ashr i32 %x, 24
  %v = insertelement <2 x i32> undef, i32 %many, i32 0
  %a = insertelement <2 x i32> %v, i32 %few, i32 1
  %b = zext <2 x i8> %y to <2 x i32>
  %r = urem <2 x i32> %a, %b
  ret <2 x i32> %r
}

; Zeros in front, signed remainders, numbers of too many bits, constants: as they are.
; CHECK-LABEL: @left(
; CHECK-NOT: asm
; CHECK: ret i32
define i32 @left(i8 %x, i8 %y, i32 %z) {
  %a = zext i8 %x to i32
  %b = zext i8 %y to i32
  %c = sext i8 %x to i32
  %d = sext i8 %y to i32
  %unsigned = udiv i32 %a, %b
  %signed = srem i32 %c, %d
  %many = urem i32 %z, %a
  %constant = udiv i32 %c, -3
  %1 = add i32 %unsigned, %signed
  %2 = add i32 %many, %constant
  %3 = add i32 %1, %2
  ret i32 %3
}

; Widths that no register has are made wider.
; CHECK-LABEL: @odd(
; CHECK: %[[W:.*]] = zext i33 %a to i64
; CHECK: %[[H:.*]] = call i64 asm "", "=v,0"(i64 %[[W]])
; CHECK: %[[N:.*]] = trunc i64 %[[H]] to i33
; CHECK: udiv i33 %[[N]], %b
define i33 @odd(i8 %x, i8 %y) {
  %a = sext i8 %x to i33
  %b = zext i8 %y to i33
  %q = udiv i33 %a, %b
  ret i33 %q
}

declare i32 @llvm.amdgcn.workitem.id.x()
