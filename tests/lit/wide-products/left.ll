; What meld-wide-products leaves alone: words that are not negative or have many bits, two signed words, words that nobody asks for.
; RUN: %opt -passes=meld-wide-products,verify %s -S | FileCheck %s --implicit-check-not=asm

target triple = "amdgcn-amd-amdhsa"
declare { i32, i1 } @llvm.umul.with.overflow.i32(i32, i32)
declare i32 @llvm.smul.fix.i32(i32, i32, i32)

; CHECK-LABEL: @notNegative(
define i64 @notNegative(i32 %x, i8 %y, i64 %n) {
  %a = zext i32 %x to i64
  %p = zext i8 %y to i32
  %b = zext i32 %p to i64
  %m = mul i64 %a, %b
  %l = and i64 %n, 2147483647
  %k = mul i64 %m, %l
  ret i64 %k
}

; CHECK-LABEL: @manyBits(
define i64 @manyBits(i8 %x, i32 %y, i64 %n, i1 %c, double %w) {
  %s = sext i8 %x to i32
  %z = zext i32 %s to i64
  %v = zext i32 %y to i64
  %a = mul i64 %v, %n
  %f = select i1 %c, i64 %z, i64 %v
  %b = mul i64 %a, %f
  %g = add i64 %z, %n
  %d = mul i64 %b, %g
  %h = or i64 %z, %v
  %e = mul i64 %d, %h
  %o = mul i64 %e, 4286578687
  %sh = shl i64 %z, 17
  %sl = and i64 %sh, 4294967295
  %sm = mul i64 %o, %sl
  %q = bitcast double %w to i64
  %r = mul i64 %sm, %q
  ret i64 %r
}

; Half of what meets has many bits.
; CHECK-LABEL: @met(
define i64 @met(i1 %c, i8 %x, i32 %y, i64 %n) {
entry:
  %s = sext i8 %x to i32
  %l = zext i32 %s to i64
  br i1 %c, label %one, label %two
one:
  %k = zext i32 %y to i64
  br label %two
two:
  %f = phi i64 [ %l, %entry ], [ %k, %one ]
  %m = mul i64 %f, %n
  ret i64 %m
}

; CHECK-LABEL: @signed(
define i64 @signed(i8 %x, i16 %y) {
  %a = sext i8 %x to i64
  %b = sext i16 %y to i64
  %m = mul i64 %a, %b
  %i = mul i64 %a, 24
  %r = add i64 %m, %i
  ret i64 %r
}

; Addresses by signed words, of many bits, without an index, and by powers of two.
; CHECK-LABEL: @address(
define ptr addrspace(1) @address(ptr addrspace(1) %p, i8 %x, i32 %y, i64 %n) {
  %s = sext i8 %x to i64
  %z = zext i32 %y to i64
  %a = getelementptr [24 x i8], ptr addrspace(1) %p, i64 %s, i64 %n
  %b = getelementptr [24 x i8], ptr addrspace(1) %a, i64 %z, i64 4294967291
  %w = sext i8 %x to i32
  %v = zext i32 %w to i64
  %c = getelementptr [8 x i8], ptr addrspace(1) %b, i64 %v
  ret ptr addrspace(1) %c
}

; Of what is divided, and of what all lanes have from one, many bits may be used.
; CHECK-LABEL: @read(
define i64 @read(i32 %x, i8 %y, i32 %d) {
  %f = call i32 @llvm.amdgcn.readfirstlane(i32 %x)
  %z = zext i32 %f to i64
  %s = sext i8 %y to i32
  %q = sdiv i32 %d, %s
  %w = zext i32 %q to i64
  %m = mul i64 %z, %w
  ret i64 %m
}
declare i32 @llvm.amdgcn.readfirstlane(i32)

; The upper word of 64 bits is multiplied for its lower half alone.
; CHECK-LABEL: @onTop(
define i64 @onTop(i8 %x, i32 %y, i64 %n) {
  %s = sext i8 %x to i64
  %u = shl i64 %s, 32
  %v = zext i32 %y to i64
  %f = or i64 %u, %v
  %m = mul i64 %f, %n
  ret i64 %m
}

; CHECK-LABEL: @narrow(
define i32 @narrow(i8 %x, i8 %y) {
  %s = sext i8 %x to i32
  %b = zext i8 %y to i32
  %m = mul i32 %s, %b
  %p = call { i32, i1 } @llvm.umul.with.overflow.i32(i32 %s, i32 %b)
  %v = extractvalue { i32, i1 } %p, 0
  %f = call i32 @llvm.smul.fix.i32(i32 %s, i32 %b, i32 31)
  %r = xor i32 %m, %v
  %q = add i32 %r, %f
  ret i32 %q
}

; CHECK-LABEL: @otherOperations(
define i64 @otherOperations(i8 %x, i64 %n) {
  %s = sext i8 %x to i32
  %z = zext i32 %s to i64
  %a = add i64 %z, %n
  %b = xor i64 %z, %a
  ret i64 %b
}
