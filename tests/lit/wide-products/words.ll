; LLVM (15 to 18) multiplies words of 32 bits as signed numbers of 24 where unsigned ones are meant, if both have nine equal bits in front:
; passes/llvm_fixes/wide_products.h. Nowhere here is a product of signed
; words asked for.
; RUN: %opt -passes=meld-wide-products,verify %s -S | FileCheck %s
; RUN: %opt -passes=meld-wide-products %s -S | %llc -O3 -mcpu=gfx90a | FileCheck %s --check-prefix=ISA --implicit-check-not=v_mul_hi_i32_i24
; RUN: %opt -passes=meld-wide-products %s -S | %llc -O3 -mcpu=gfx1030 | FileCheck %s --check-prefix=ISA --implicit-check-not=v_mul_hi_i32_i24

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"
declare i32 @llvm.amdgcn.workitem.id.x()
declare i64 @llvm.umin.i64(i64, i64)
declare { i64, i1 } @llvm.umul.with.overflow.i64(i64, i64)
declare { i64, i1 } @llvm.smul.with.overflow.i64(i64, i64)
declare i32 @llvm.umul.fix.i32(i32, i32, i32)
declare i32 @llvm.umul.fix.sat.i32(i32, i32, i32)

; 5 * 4294967295 has 4 in its upper half, not -1.
; CHECK-LABEL: @product(
; CHECK: [[T:%.*]] = trunc i64 %z to i32
; CHECK-NEXT: [[H:%.*]] = call i32 asm "", "=v,0"(i32 [[T]])
; CHECK-NEXT: [[W:%.*]] = zext i32 [[H]] to i64
; CHECK-NEXT: %m = mul i64 %u, [[W]]
; ISA-LABEL: {{^}}product:
; ISA: v_{{mul_hi_u32|mad_u64_u32}}
define amdgpu_kernel void @product(ptr addrspace(1) %p, ptr addrspace(1) %o) #0 {
  %t = call i32 @llvm.amdgcn.workitem.id.x(), !range !0
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

; One of the factors is enough.
; CHECK-LABEL: @squared(
; CHECK-COUNT-1: asm
; CHECK-NOT: asm
; CHECK: ret i64
define i64 @squared(i8 %x) {
  %s = sext i8 %x to i32
  %z = zext i32 %s to i64
  %m = mul i64 %z, %z
  ret i64 %m
}

; The word of a number that is negative as a whole: what is above stays.
; CHECK-LABEL: @above(
; CHECK: [[T:%.*]] = trunc i64 %s to i32
; CHECK-NEXT: [[H:%.*]] = call i32 asm "", "=v,0"(i32 [[T]])
; CHECK-NEXT: [[W:%.*]] = zext i32 [[H]] to i64
; CHECK-NEXT: [[U:%.*]] = and i64 %s, -4294967296
; CHECK-NEXT: [[O:%.*]] = or i64 [[U]], [[W]]
; CHECK-NEXT: %m = mul i64 [[O]], %f
define i64 @above(i8 %x, i8 %y, i32 %w) {
  %s = sext i8 %x to i64
  %u = zext i32 %w to i64
  %v = shl i64 %u, 32
  %b = zext i8 %y to i64
  %f = or i64 %v, %b
  %m = mul i64 %s, %f
  ret i64 %m
}

; What instruction selection sees through.
; CHECK-LABEL: @masked(
; CHECK: asm
; CHECK: ret i64
define i64 @masked(i8 %x, i8 %y) {
  %s = sext i8 %x to i64
  %l = and i64 %s, 4294967295
  %b = zext i8 %y to i64
  %m = mul i64 %l, %b
  ret i64 %m
}

; CHECK-LABEL: @upper(
; CHECK: asm
; CHECK: ret i64
define i64 @upper(i8 %x, i8 %y) {
  %s = sext i8 %x to i64
  %l = lshr i64 %s, 32
  %b = zext i8 %y to i64
  %m = mul i64 %l, %b
  ret i64 %m
}

; CHECK-LABEL: @cut(
; CHECK: asm
; CHECK: ret i64
define i64 @cut(i8 %x, i8 %y) {
  %s = sext i8 %x to i128
  %r = lshr i128 %s, 16
  %t = trunc i128 %r to i64
  %l = and i64 %t, 4294967295
  %b = zext i8 %y to i64
  %m = mul i64 %l, %b
  ret i64 %m
}

; CHECK-LABEL: @joined(
; CHECK: asm
; CHECK: ret i64
define i64 @joined(i8 %x, i8 %y, i32 %w) {
  %s = sext i8 %x to i32
  %l = zext i32 %s to i64
  %u = zext i32 %w to i64
  %v = shl i64 %u, 32
  %f = or i64 %v, %l
  %g = xor i64 %v, %l
  %b = zext i8 %y to i64
  %m = mul i64 %f, %b
  %n = mul i64 %g, %b
  %r = add i64 %m, %n
  ret i64 %r
}

; CHECK-LABEL: @shifted(
; CHECK: asm
; CHECK: ret i64
define i64 @shifted(i8 %x, i8 %y, i32 %w) {
  %s = sext i8 %x to i32
  %l = zext i32 %s to i64
  %u = zext i32 %w to i64
  %v = shl i64 %l, 32
  %f = or i64 %v, %u
  %h = lshr i64 %f, 32
  %b = zext i8 %y to i64
  %m = mul i64 %h, %b
  ret i64 %m
}

; CHECK-LABEL: @chosen(
; CHECK: asm
; CHECK: ret i64
define i64 @chosen(i1 %c, i8 %x, i8 %y) {
  %s = sext i8 %x to i32
  %l = zext i32 %s to i64
  %f = select i1 %c, i64 %l, i64 4294967290
  %b = zext i8 %y to i64
  %m = mul i64 %f, %b
  ret i64 %m
}

; CHECK-LABEL: @met(
; CHECK: asm
; CHECK: ret i64
define i64 @met(i1 %c, i8 %x, i8 %y) {
entry:
  %s = sext i8 %x to i32
  %l = zext i32 %s to i64
  br i1 %c, label %one, label %two
one:
  %n = sub i32 7, %s
  %k = zext i32 %n to i64
  br label %two
two:
  %f = phi i64 [ %l, %entry ], [ %k, %one ]
  %b = zext i8 %y to i64
  %m = mul i64 %f, %b
  ret i64 %m
}

; CHECK-LABEL: @sum(
; CHECK: asm
; CHECK: ret i64
define i64 @sum(i8 %x, i8 %y) {
  %s = sext i8 %x to i32
  %l = zext i32 %s to i64
  %i = freeze i64 %l
  %f = add i64 %i, 3
  %e = and i64 %f, 4294967295
  %b = zext i8 %y to i64
  %m = mul i64 %e, %b
  ret i64 %m
}

; CHECK-LABEL: @least(
; CHECK: asm
; CHECK: ret i64
define i64 @least(i8 %x, i8 %y) {
  %s = sext i8 %x to i64
  %f = call i64 @llvm.umin.i64(i64 4294967295, i64 %s)
  %b = zext i8 %y to i64
  %m = mul i64 %f, %b
  ret i64 %m
}

; CHECK-LABEL: @ofElements(
; CHECK: asm
; CHECK: asm
; CHECK: ret i64
define i64 @ofElements(i8 %x, i8 %y, i32 %w, <2 x i8> %e, i32 %n) {
  %s = sext i8 %x to i32
  %v = insertelement <2 x i32> undef, i32 %s, i32 0
  %u = insertelement <2 x i32> %v, i32 %w, i32 1
  %f = bitcast <2 x i32> %u to i64
  %b = zext i8 %y to i64
  %m = mul i64 %f, %b
  %g = sext <2 x i8> %e to <2 x i32>
  %h = zext <2 x i32> %g to <2 x i64>
  %i = extractelement <2 x i64> %h, i32 %n
  %k = mul i64 %i, %b
  %r = add i64 %m, %k
  ret i64 %r
}

; -5 as a word.
; CHECK-LABEL: @constant(
; CHECK: [[H:%.*]] = call i32 asm "", "=v,0"(i32 -5)
; CHECK-NEXT: [[W:%.*]] = zext i32 [[H]] to i64
; CHECK-NEXT: %m = mul i64 %b, [[W]]
define i64 @constant(i8 %y) {
  %b = zext i8 %y to i64
  %m = mul i64 %b, 4294967291
  ret i64 %m
}

; Other widths: of a product that is cut the word on top does not count; with an overflow all do.
; CHECK-LABEL: @forty(
; CHECK-COUNT-1: asm
; CHECK-NOT: asm
; CHECK: ret i40
define i40 @forty(i8 %x, i8 %y) {
  %s = sext i8 %x to i32
  %z = zext i32 %s to i40
  %b = zext i8 %y to i40
  %m = mul i40 %z, %b
  ret i40 %m
}

; CHECK-LABEL: @four(
; CHECK: asm "", "=v,0"(i32
; CHECK: asm "", "=v,0"(i32
; CHECK: asm "", "=v,0"(i32
; CHECK-NOT: asm
; CHECK: ret i128
define i128 @four(i8 %x, i8 %y) {
  %s = sext i8 %x to i128
  %b = zext i8 %y to i128
  %m = mul i128 %s, %b
  ret i128 %m
}

; CHECK-LABEL: @overflow(
; CHECK-COUNT-4: asm "", "=v,0"(i32
; CHECK: ret i64
define i64 @overflow(i8 %x, i8 %y) {
  %s = sext i8 %x to i64
  %b = zext i8 %y to i64
  %p = call { i64, i1 } @llvm.umul.with.overflow.i64(i64 %s, i64 %b)
  %n = call { i64, i1 } @llvm.smul.with.overflow.i64(i64 %b, i64 %s)
  %v = extractvalue { i64, i1 } %p, 0
  %o = extractvalue { i64, i1 } %p, 1
  %k = extractvalue { i64, i1 } %n, 1
  %a = xor i1 %o, %k
  %r = select i1 %a, i64 -7, i64 %v
  ret i64 %r
}

; CHECK-LABEL: @fixed(
; CHECK-COUNT-2: asm "", "=v,0"(i32 %s)
; CHECK: ret i32
define i32 @fixed(i8 %x, i8 %y) {
  %s = sext i8 %x to i32
  %b = zext i8 %y to i32
  %p = call i32 @llvm.umul.fix.i32(i32 %s, i32 %b, i32 31)
  %q = call i32 @llvm.umul.fix.sat.i32(i32 %b, i32 %s, i32 31)
  %r = xor i32 %p, %q
  ret i32 %r
}

; Elements of vectors.
; CHECK-LABEL: @elements(
; CHECK-COUNT-2: call i32 asm "", "=v,0"(i32
; CHECK: [[W:%.*]] = zext <2 x i32> {{%.*}} to <2 x i64>
; CHECK-NEXT: mul <2 x i64> [[W]], %v
define <2 x i64> @elements(<2 x i8> %x, <2 x i16> %y) {
  %s = sext <2 x i8> %x to <2 x i32>
  %z = zext <2 x i32> %s to <2 x i64>
  %v = zext <2 x i16> %y to <2 x i64>
  %m = mul <2 x i64> %z, %v
  ret <2 x i64> %m
}

; One element of few bits, and one of many.
; CHECK-LABEL: @oneElement(
; CHECK-COUNT-2: call i32 asm "", "=v,0"(i32
; CHECK: mul <2 x i64>
define <2 x i64> @oneElement(i8 %x, i32 %w, <2 x i16> %y) {
  %s = sext i8 %x to i32
  %a = insertelement <2 x i32> undef, i32 %s, i32 0
  %b = insertelement <2 x i32> %a, i32 %w, i32 1
  %z = zext <2 x i32> %b to <2 x i64>
  %v = zext <2 x i16> %y to <2 x i64>
  %m = mul <2 x i64> %z, %v
  ret <2 x i64> %m
}

; Moved up by less than a word.
; CHECK-LABEL: @moved(
; CHECK: asm
; CHECK: ret i64
define i64 @moved(i8 %x, i8 %y) {
  %s = sext i8 %x to i32
  %z = zext i32 %s to i64
  %f = shl i64 %z, 8
  %l = and i64 %f, 4294967295
  %b = zext i8 %y to i64
  %m = mul i64 %l, %b
  ret i64 %m
}

; No quotient has more bits than what was divided, and no remainder than either.
; CHECK-LABEL: @quotients(
; CHECK: asm
; CHECK: asm
; CHECK: asm
; CHECK: ret i64
define i64 @quotients(i16 %x, i32 %d, i8 %y, i32 %w) {
  %s = sext i16 %x to i32
  %q = sdiv i32 %s, %d
  %z = zext i32 %q to i64
  %b = zext i8 %y to i64
  %m = mul i64 %z, %b
  %e = srem i32 %d, %s
  %f = zext i32 %e to i64
  %n = mul i64 %f, %b
  %g = srem i32 %s, %d
  %h = zext i32 %g to i64
  %k = mul i64 %h, %b
  %i = add i64 %m, %n
  %r = add i64 %i, %k
  ret i64 %r
}

; What intrinsics and overflows are, and parts of vectors.
; CHECK-LABEL: @parts(
; CHECK-COUNT-4: asm
; CHECK: ret i64
define i64 @parts(i32 %x, i8 %y, <2 x i32> %v) {
  %b = zext i8 %y to i64
  %s = call i32 @llvm.amdgcn.sbfe.i32(i32 %x, i32 3, i32 8)
  %z = zext i32 %s to i64
  %m = mul i64 %z, %b
  %p = call { i32, i1 } @llvm.ssub.with.overflow.i32(i32 %s, i32 9)
  %e = extractvalue { i32, i1 } %p, 0
  %f = zext i32 %e to i64
  %n = mul i64 %f, %b
  %g = shufflevector <2 x i32> %v, <2 x i32> undef, <2 x i32> <i32 1, i32 0>
  %h = extractelement <2 x i32> %g, i32 0
  %i = zext i32 %h to i64
  %k = mul i64 %i, %b
  %j = add i64 %m, %n
  %r = add i64 %j, %k
  %c = sext i8 %y to i64
  %d = bitcast i64 %c to <2 x i32>
  %a = extractelement <2 x i32> %d, i32 1
  %l = zext i32 %a to i64
  %o = mul i64 %l, %r
  ret i64 %o
}

; Indices are multiplied by 24.
; CHECK-LABEL: @address(
; CHECK: [[T:%.*]] = trunc i64 %z to i32
; CHECK-NEXT: [[H:%.*]] = call i32 asm "", "=v,0"(i32 [[T]])
; CHECK-NEXT: [[W:%.*]] = zext i32 [[H]] to i64
; CHECK-NEXT: getelementptr [24 x i8], ptr addrspace(1) %p, i64 [[W]], i64 %y
define ptr addrspace(1) @address(ptr addrspace(1) %p, i8 %x, i64 %y) {
  %s = sext i8 %x to i32
  %z = zext i32 %s to i64
  %a = getelementptr [24 x i8], ptr addrspace(1) %p, i64 %z, i64 %y
  ret ptr addrspace(1) %a
}

declare i32 @llvm.amdgcn.sbfe.i32(i32, i32, i32)
declare { i32, i1 } @llvm.ssub.with.overflow.i32(i32, i32)
!0 = !{i32 0, i32 1024}
attributes #0 = { "amdgpu-flat-work-group-size"="1,96" }
