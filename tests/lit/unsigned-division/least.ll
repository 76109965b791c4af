; -128 / -1 is 128: LLVM (15 to 22) divides numbers of 8 bits as floats and cuts the quotient to 8 bits. What is divided keeps to one bit more:
; passes/llvm_fixes/unsigned_division.h.
; RUN: %opt -passes=meld-unsigned-division,verify %s -S | FileCheck %s --implicit-check-not=asm
; RUN: %opt -passes=meld-unsigned-division %s -S | %llc -mcpu=gfx90a | FileCheck %s --check-prefix=ISA
; RUN: %opt -passes=meld-unsigned-division %s -S | %llc -mcpu=gfx1030 | FileCheck %s --check-prefix=ISA

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"
declare void @llvm.assume(i1)
declare i32 @llvm.amdgcn.workitem.id.x()

; The quotient is one of floats, of nine bits.
; CHECK-LABEL: @choice(
; CHECK: [[H:%.*]] = call i32 asm "", "=v,0"(i32 %a)
; CHECK-NEXT: [[L:%.*]] = shl i32 [[H]], 23
; CHECK-NEXT: [[K:%.*]] = ashr i32 [[L]], 23
; CHECK-NEXT: %q = sdiv i32 [[K]], %d
; ISA-LABEL: {{^}}choice:
; ISA: v_rcp_iflag_f32
; ISA: v_bfe_i32 v{{[0-9]+}}, v{{[0-9]+}}, 0, 9
; ISA: s_endpgm
define amdgpu_kernel void @choice(ptr addrspace(1) %p, ptr addrspace(1) %o, i32 %way) {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %g = getelementptr i8, ptr addrspace(1) %p, i32 %t
  %v = load i8, ptr addrspace(1) %g
  %a = sext i8 %v to i32
  %c = icmp eq i32 %way, 0
  %d = select i1 %c, i32 -4, i32 -1
  %q = sdiv i32 %a, %d
  %w = getelementptr i32, ptr addrspace(1) %o, i32 %t
  store i32 %q, ptr addrspace(1) %w
  ret void
}

; 24 bits and one more are divided as any number; one of all signs, 0 or -1, keeps to two bits.
; CHECK-LABEL: @widths(
; CHECK: [[A:%.*]] = call i32 asm "", "=v,0"(i32 %a)
; CHECK-NEXT: sdiv i32 [[A]], %d
; CHECK: [[B:%.*]] = call i32 asm "", "=v,0"(i32 %b)
; CHECK-NEXT: [[L:%.*]] = shl i32 [[B]], 8
; CHECK-NEXT: [[K:%.*]] = ashr i32 [[L]], 8
; CHECK-NEXT: sdiv i32 [[K]], %d
; CHECK: [[S:%.*]] = call i32 asm "", "=v,0"(i32 %s)
; CHECK-NEXT: [[L:%.*]] = shl i32 [[S]], 30
; CHECK-NEXT: [[K:%.*]] = ashr i32 [[L]], 30
; CHECK-NEXT: sdiv i32 [[K]], %d
define i32 @widths(i32 %x, i1 %y, i32 %d) {
  %a = ashr i32 %x, 8
  %p = sdiv i32 %a, %d
  %b = ashr i32 %x, 9
  %q = sdiv i32 %b, %d
  %s = sext i1 %y to i32
  %r = sdiv i32 %s, %d
  %pq = xor i32 %p, %q
  %all = xor i32 %pq, %r
  ret i32 %all
}

; 64 and 16 bits, vectors, and a constant that is divided.
; CHECK-LABEL: @types(
; CHECK: [[A:%.*]] = call i64 asm "", "=v,0"(i64 %a)
; CHECK-NEXT: [[L:%.*]] = shl i64 [[A]], 55
; CHECK-NEXT: [[K:%.*]] = ashr i64 [[L]], 55
; CHECK-NEXT: %q64 = sdiv i64 [[K]], %d64
; CHECK: [[W:%.*]] = zext i16 %b to i32
; CHECK-NEXT: [[H:%.*]] = call i32 asm "", "=v,0"(i32 [[W]])
; CHECK-NEXT: [[B:%.*]] = trunc i32 [[H]] to i16
; CHECK-NEXT: %q16 = sdiv i16 [[B]], %d16
; CHECK: call i32 asm
; CHECK: call i32 asm
; CHECK: %qv = sdiv <2 x i32> {{.*}}, %dv
; CHECK: [[D:%.*]] = call i32 asm "", "=v,0"(i32 %d32)
; CHECK-NEXT: %qc = sdiv i32 -128, [[D]]
define void @types(i8 %x, i64 %d64, i16 %d16, <2 x i8> %v, <2 x i32> %dv, i32 %d32, ptr addrspace(1) %p) {
  %a = sext i8 %x to i64
  %q64 = sdiv i64 %a, %d64
  %b = sext i8 %x to i16
  %q16 = sdiv i16 %b, %d16
  %av = sext <2 x i8> %v to <2 x i32>
  %qv = sdiv <2 x i32> %av, %dv
  %qc = sdiv i32 -128, %d32
  store volatile i64 %q64, ptr addrspace(1) %p
  store volatile i16 %q16, ptr addrspace(1) %p
  store volatile <2 x i32> %qv, ptr addrspace(1) %p
  store volatile i32 %qc, ptr addrspace(1) %p
  ret void
}

; Left alone: divisors that cannot be -1, what is not negative, remainders, and divisions by constants.
; CHECK-LABEL: @left(
; CHECK: ret i32
define i32 @left(i8 %x, i32 %d, i1 %c) {
  %a = sext i8 %x to i32
  %n = zext i8 %x to i32
  %even = shl i32 %d, 1
  %e = or i32 %even, 2
  %other = select i1 %c, i32 -4, i32 -3
  %e1 = sdiv i32 %a, %e
  %e2 = sdiv i32 %a, %other
  %e3 = sdiv i32 %n, %d
  %e4 = srem i32 %a, %d
  %e5 = sdiv i32 %a, -5
  %s1 = xor i32 %e1, %e2
  %s2 = xor i32 %e3, %e4
  %s3 = xor i32 %s1, %s2
  %s4 = xor i32 %s3, %e5
  ret i32 %s4
}

; Elements by constants are multiplications and negations.
; CHECK-LABEL: @elements(
; CHECK: ret <2 x i32>
define <2 x i32> @elements(<2 x i8> %x) {
  %a = sext <2 x i8> %x to <2 x i32>
  %q = sdiv <2 x i32> %a, <i32 -1, i32 -3>
  ret <2 x i32> %q
}

; In a function of least size a division by a constant is one.
; CHECK-LABEL: @minsize(
; CHECK: [[A:%.*]] = call i32 asm "", "=v,0"(i32 %a)
; CHECK-NEXT: %q = udiv i32 [[A]], 7
; ISA-LABEL: {{^}}minsize:
; ISA: v_mul_hi_u32
; ISA: s_setpc_b64
define i32 @minsize(i8 %x) minsize optsize {
  %a = sext i8 %x to i32
  %q = udiv i32 %a, 7
  ret i32 %q
}

; What is assumed is known in code generation alone. An assumption of nothing but its bundle's pointer is none.
; CHECK-LABEL: @assumed(
; CHECK: [[A:%.*]] = call i64 asm "", "=v,0"(i64 %a)
; CHECK-NEXT: %q = sdiv i64 [[A]], %b
; CHECK-NEXT: %by = sdiv i32 %c, 7
define i64 @assumed(i64 %a, i64 %b, i32 %c) {
  %k = icmp ult i64 %a, 2147483648
  call void @llvm.assume(i1 %k)
  %l = icmp ult i64 %b, 2147483648
  call void @llvm.assume(i1 %l)
  %q = sdiv i64 %a, %b
  %by = sdiv i32 %c, 7
  %wide = sext i32 %by to i64
  %r = xor i64 %q, %wide
  ret i64 %r
}
; CHECK-LABEL: @aligned(
; CHECK: ret i64
define i64 @aligned(i64 %a, i64 %b, ptr addrspace(1) %p) {
  call void @llvm.assume(i1 true) [ "align"(ptr addrspace(1) %p, i64 16) ]
  %q = sdiv i64 %a, %b
  ret i64 %q
}
