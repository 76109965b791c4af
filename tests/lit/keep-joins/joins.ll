; What an `or` joins is kept from instruction selection where another block has made it: LLVM makes x of `-1 | x`
; (passes/llvm_fixes/keep_joins.h).
; RUN: %opt -passes=meld-keep-joins,verify %s -S | FileCheck %s
; RUN: %opt -passes=meld-keep-joins %s -S | %llc -mcpu=gfx1030 -stop-after=si-fold-operands -o - | FileCheck %s --check-prefix=FOLD
; Left out by name: nothing changes.
; RUN: env MELD_PLUGIN_OPTIONS='exclude=.*' %opt -passes=meld-keep-joins %s -S | FileCheck %s --check-prefix=OUT
; OUT-NOT: asm

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.readlane(i32, i32)
declare i32 @llvm.amdgcn.readfirstlane(i32)
declare i32 @llvm.smin.i32(i32, i32)
declare i64 @llvm.smin.i64(i64, i64)

; The sum is 0, which instruction selection finds out: the mask of c is -1, and `d` is true for all lanes.
; CHECK-LABEL: @cancels(
; CHECK: %zero = call i32 asm "", "=s,0"(i32 0)
; CHECK-NEXT: %none = icmp ne i32 %zero, 0
; CHECK: %c = icmp eq i32 %s, 0
; CHECK-NEXT: [[C:%.*]] = xor i1 %c, %none
; CHECK: then:
; CHECK-NEXT: %e = icmp eq i32 %a, 7
; CHECK-NEXT: [[E:%.*]] = xor i1 %e, %none
; CHECK-NEXT: %d = select i1 [[C]], i1 true, i1 [[E]]
define amdgpu_kernel void @cancels(ptr addrspace(1) %out, ptr addrspace(1) %in, i32 %n) #0 {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %p = getelementptr i32, ptr addrspace(1) %in, i32 %t
  %a = load i32, ptr addrspace(1) %p
  %q = getelementptr i32, ptr addrspace(1) %p, i32 1000
  %b = load i32, ptr addrspace(1) %q
  %x = sub i32 %a, %b
  %y = sub i32 %b, %a
  %s = add i32 %x, %y
  %c = icmp eq i32 %s, 0
  %z = zext i1 %c to i32
  store volatile i32 %z, ptr addrspace(1) %in
  %way = icmp sgt i32 %a, %n
  br i1 %way, label %then, label %end
then:
  %e = icmp eq i32 %a, 7
  %d = select i1 %c, i1 true, i1 %e
  %v = select i1 %d, i32 1, i32 2
  store i32 %v, ptr addrspace(1) %out
  br label %end
end:
  ret void
}

; What LLVM makes of that: without this pass `S_MOV_B32 %e` alone stands in the place of the `or`.
; FOLD-LABEL: name: lost
; FOLD: bb.1.then:
; FOLD: S_OR_B32
; FOLD: bb.2.end:
define amdgpu_kernel void @lost(ptr addrspace(1) %out, ptr addrspace(1) %in, i32 %n) #0 {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %pt = getelementptr i32, ptr addrspace(1) %in, i32 %t
  %a = load i32, ptr addrspace(1) %pt
  %pb = getelementptr i32, ptr addrspace(1) %pt, i32 1000
  %b = load i32, ptr addrspace(1) %pb
  %e = icmp slt i32 %b, 7
  %x0 = add i32 %b, 4
  %x1 = add i32 %a, %x0
  %x = sub i32 %x1, %b
  %y = add i32 %a, 4
  %s = sub i32 %x, %y
  %c = icmp uge i32 %b, %s
  %way = icmp ugt i32 %a, %n
  br i1 %way, label %then, label %end
then:
  %d = or i1 %c, %e
  %v = select i1 %d, i32 1, i32 2
  %po = getelementptr i32, ptr addrspace(1) %out, i32 %t
  store i32 %v, ptr addrspace(1) %po
  br label %end
end:
  %q0 = getelementptr i32, ptr addrspace(1) %out, i32 1000
  %v0 = select i1 %c, i32 11, i32 12
  store i32 %v0, ptr addrspace(1) %q0
  %q1 = getelementptr i32, ptr addrspace(1) %out, i32 2000
  %v1 = select i1 %e, i32 11, i32 12
  store i32 %v1, ptr addrspace(1) %q1
  ret void
}

; By way of other conditions, in the order of a select for `not c or e`, and both sides of a negated `and`.
; CHECK-LABEL: @ways(
; CHECK: %c = icmp
; CHECK-NEXT: [[C:%.*]] = xor i1 %c, %none
; CHECK-NEXT: %k = icmp
; CHECK-NEXT: [[K:%.*]] = xor i1 %k, %none
; CHECK: then:
; CHECK-NEXT: %not = xor i1 [[C]], true
; CHECK-NEXT: %f = or i1 %not, %h
; CHECK-NEXT: %g = select i1 [[C]], i1 %h, i1 true
; CHECK-NEXT: %both = and i1 [[C]], [[K]]
; CHECK-NEXT: %neither = xor i1 %both, true
define amdgpu_kernel void @ways(ptr addrspace(1) %out, i32 %a, i32 %b, i1 %h, i1 %way) #0 {
  %c = icmp eq i32 %a, 0
  %k = icmp eq i32 %b, 0
  br i1 %way, label %then, label %end
then:
  %not = xor i1 %c, true
  %f = or i1 %not, %h
  %g = select i1 %c, i1 %h, i1 true
  %both = and i1 %c, %k
  %neither = xor i1 %both, true
  %v = select i1 %f, i32 1, i32 2
  %w = select i1 %g, i32 %v, i32 3
  %u = select i1 %neither, i32 %w, i32 4
  store i32 %u, ptr addrspace(1) %out
  br label %end
end:
  ret void
}

; Each condition once, and not what is made of it.
; CHECK-LABEL: @chain(
; CHECK: [[C:%.*]] = xor i1 %c, %none
; CHECK: then:
; CHECK-NEXT: %d = or i1 [[C]], %h
; CHECK-NEXT: %e = select i1 %d, i1 true, i1 %k
; CHECK-NEXT: select i1 %e
define amdgpu_kernel void @chain(ptr addrspace(1) %out, i32 %a, i1 %h, i1 %k, i1 %way) #0 {
  %c = icmp eq i32 %a, 0
  br i1 %way, label %then, label %end
then:
  %d = or i1 %c, %h
  %e = select i1 %d, i1 true, i1 %k
  %v = select i1 %e, i32 1, i32 2
  store i32 %v, ptr addrspace(1) %out
  br label %end
end:
  ret void
}

; A join of conditions of its own block may be moved, or they may.
; CHECK-LABEL: @moves(
; CHECK: [[C:%.*]] = xor i1 %c, %none
; CHECK: [[K:%.*]] = xor i1 %k, %none
; CHECK-NEXT: or i1 [[C]], [[K]]
define amdgpu_kernel void @moves(ptr addrspace(1) %out, i32 %a, i32 %b, i1 %way) #0 {
  %c = icmp eq i32 %a, 0
  %k = icmp eq i32 %b, 0
  %d = or i1 %c, %k
  br i1 %way, label %then, label %end
then:
  %v = select i1 %d, i32 1, i32 2
  store i32 %v, ptr addrspace(1) %out
  br label %end
end:
  ret void
}

; Branches and choices between numbers go by the condition itself; what is only and'ed is no `or`.
; CHECK-LABEL: @plain(
; CHECK-NOT: xor
; CHECK: ret void
define amdgpu_kernel void @plain(ptr addrspace(1) %out, i32 %a, i32 %b, i1 %h) #0 {
  %c = icmp eq i32 %a, 0
  %k = icmp eq i32 %b, 0
  %v = select i1 %k, i32 1, i32 2
  store i32 %v, ptr addrspace(1) %out
  br i1 %c, label %then, label %end
then:
  %and = and i1 %k, %h
  %also = select i1 %c, i1 %and, i1 false
  %other = select i1 %k, i1 false, i1 %also
  %u = select i1 %other, i32 5, i32 3
  store i32 %u, ptr addrspace(1) %out
  br label %end
end:
  ret void
}

; The same of a condition that is joined, too.
; CHECK-LABEL: @besides(
; CHECK: %d = or i1 [[C:%.*]], %h
; CHECK: select i1 %c, i32 5
; CHECK: br i1 %c,
define amdgpu_kernel void @besides(ptr addrspace(1) %out, i32 %a, i1 %h) #0 {
  %c = icmp eq i32 %a, 0
  %d = or i1 %c, %h
  %v = select i1 %d, i32 1, i32 2
  %w = select i1 %c, i32 5, i32 %v
  store i32 %w, ptr addrspace(1) %out
  br i1 %c, label %then, label %end
then:
  store i32 %v, ptr addrspace(1) %out
  br label %end
end:
  ret void
}

; A bool that another block has as a number, and an `or` of such.
; CHECK-LABEL: @bools(
; CHECK: [[C:%.*]] = xor i1 %c, %none
; CHECK-NEXT: %z = zext i1 [[C]] to i8
; CHECK: then:
; CHECK-NEXT: %t = icmp ne i8 %z, 0
; CHECK-NEXT: [[T:%.*]] = xor i1 %t, %none
; CHECK-NEXT: %d = or i1 [[T]], %h
define amdgpu_kernel void @bools(ptr addrspace(1) %out, i32 %a, i1 %h, i1 %way) #0 {
  %c = icmp eq i32 %a, 0
  %z = zext i1 %c to i8
  br i1 %way, label %then, label %end
then:
  %t = icmp ne i8 %z, 0
  %d = or i1 %t, %h
  %y = zext i1 %d to i8
  %o = or i8 %z, %y
  store i8 %o, ptr addrspace(1) %out
  br label %end
end:
  ret void
}

; Numbers: where one may be all ones, and the other is no constant.
; CHECK-LABEL: @numbers(
; CHECK: then:
; CHECK-NEXT: [[N:%.*]] = xor i32 %n, %zero
; CHECK-NEXT: %or = or i32 [[N]], %b
; CHECK-NEXT: %even = or i32 %twice, %b
; CHECK-NEXT: %known = or i32 %n, 5
; CHECK-NEXT: %long = or i64
define amdgpu_kernel void @numbers(ptr addrspace(1) %out, i32 %a, i32 %b, i64 %l, i1 %way) #0 {
  %c = icmp eq i32 %a, 0
  %n = sext i1 %c to i32
  %twice = shl i32 %a, 1
  %m = sext i1 %c to i64
  br i1 %way, label %then, label %end
then:
  %or = or i32 %n, %b
  %even = or i32 %twice, %b
  %known = or i32 %n, 5
  %long = or i64 %m, %l
  store volatile i32 %or, ptr addrspace(1) %out
  store volatile i32 %even, ptr addrspace(1) %out
  store volatile i32 %known, ptr addrspace(1) %out
  store volatile i64 %long, ptr addrspace(1) %out
  br label %end
end:
  ret void
}

; In waves of 64 numbers alone.
; CHECK-LABEL: @wave64(
; CHECK-NOT: xor i1
; CHECK: [[N:%.*]] = xor i32 %n, %zero
; CHECK-NEXT: %or = or i32 [[N]], %b
; CHECK-NOT: xor i1
; CHECK: ret void
define amdgpu_kernel void @wave64(ptr addrspace(1) %out, i32 %a, i32 %b, i1 %h, i1 %way) #1 {
  %c = icmp eq i32 %a, 0
  %n = sext i1 %c to i32
  br i1 %way, label %then, label %end
then:
  %or = or i32 %n, %b
  %d = or i1 %c, %h
  %v = select i1 %d, i32 %or, i32 2
  store i32 %v, ptr addrspace(1) %out
  br label %end
end:
  ret void
}

; A select for `not c and h`, negated.
; CHECK-LABEL: @other_and(
; CHECK: [[C:%.*]] = xor i1 %c, %none
; CHECK: %and = select i1 [[C]], i1 false, i1 %h
; CHECK-NEXT: %nand = xor i1 %and, true
define amdgpu_kernel void @other_and(ptr addrspace(1) %out, i32 %a, i1 %h) #0 {
  %c = icmp eq i32 %a, 0
  %and = select i1 %c, i1 false, i1 %h
  %nand = xor i1 %and, true
  %v = select i1 %nand, i32 1, i32 2
  store i32 %v, ptr addrspace(1) %out
  ret void
}

; Conditions that are compared: `not c or h`. What is made of them is not kept again.
; CHECK-LABEL: @compared(
; CHECK: [[C:%.*]] = xor i1 %c, %none
; CHECK-NEXT: %k = icmp
; CHECK-NEXT: [[K:%.*]] = xor i1 %k, %none
; CHECK-NEXT: %ule = icmp ule i1 [[C]], %h
; CHECK-NEXT: %eq = icmp eq i1 [[K]], %h
; CHECK-NEXT: %d = or i1 %eq, %ule
define amdgpu_kernel void @compared(ptr addrspace(1) %out, i32 %a, i32 %b, i1 %h) #0 {
  %c = icmp eq i32 %a, 0
  %k = icmp eq i32 %b, 0
  %ule = icmp ule i1 %c, %h
  %eq = icmp eq i1 %k, %h
  %d = or i1 %eq, %ule
  %v = select i1 %d, i32 1, i32 2
  store i32 %v, ptr addrspace(1) %out
  ret void
}

; The comparison alone is a join, too.
; CHECK-LABEL: @compared_alone(
; CHECK: [[C:%.*]] = xor i1 %c, %none
; CHECK-NEXT: icmp ule i1 [[C]], %h
define amdgpu_kernel void @compared_alone(ptr addrspace(1) %out, i32 %a, i1 %h) #0 {
  %c = icmp eq i32 %a, 0
  %ule = icmp ule i1 %c, %h
  %v = select i1 %ule, i32 1, i32 2
  store i32 %v, ptr addrspace(1) %out
  ret void
}

; CHECK-LABEL: @signed(
; CHECK: [[C:%.*]] = xor i1 %c, %none
; CHECK-NEXT: %n = sext i1 [[C]] to i32
; CHECK-NEXT: or i32 %n, %b
define amdgpu_kernel void @signed(ptr addrspace(1) %out, i32 %a, i32 %b) #0 {
  %c = icmp eq i32 %a, 0
  %n = sext i1 %c to i32
  %o = or i32 %n, %b
  store i32 %o, ptr addrspace(1) %out
  ret void
}

; By way of a choice, a phi that goes round, and a freeze; the choice is a join by itself.
; CHECK-LABEL: @by_others(
; CHECK: [[C:%.*]] = xor i1 %c, %none
; CHECK: %p = phi i1 [ [[C]], %entry ], [ [[K:%.*]], %loop ]
; CHECK: %k = icmp
; CHECK-NEXT: [[K]] = xor i1 %k, %none
; CHECK-NEXT: %f = freeze i1 %p
; CHECK-NEXT: %s = select i1 %f, i1 [[K]], i1 %h
; CHECK-NEXT: %d = or i1 %s, %h
define amdgpu_kernel void @by_others(ptr addrspace(1) %out, i32 %a, i1 %h) #0 {
entry:
  %c = icmp eq i32 %a, 0
  br label %loop
loop:
  %p = phi i1 [ %c, %entry ], [ %k, %loop ]
  %l = load volatile i32, ptr addrspace(1) %out
  %k = icmp eq i32 %l, 0
  %f = freeze i1 %p
  %s = select i1 %f, i1 %k, i1 %h
  %d = or i1 %s, %h
  %v = select i1 %d, i32 1, i32 2
  store volatile i32 %v, ptr addrspace(1) %out
  br i1 %k, label %loop, label %end
end:
  ret void
}

; A select of conditions that nothing joins further.
; CHECK-LABEL: @choice(
; CHECK: [[C:%.*]] = xor i1 %c, %none
; CHECK-NEXT: select i1 [[C]], i1 %h, i1 %k
define amdgpu_kernel void @choice(ptr addrspace(1) %out, i32 %a, i1 %h, i1 %k) #0 {
  %c = icmp eq i32 %a, 0
  %s = select i1 %c, i1 %h, i1 %k
  %v = select i1 %s, i32 1, i32 2
  store i32 %v, ptr addrspace(1) %out
  ret void
}

; What is read from a lane is a constant for nobody before SIFoldOperands: -1 as well. So nobody knows what is read.
; CHECK-LABEL: @reading(
; CHECK: [[L:%.*]] = call i32 asm "", "=v,0"(i32 %least)
; CHECK-NEXT: %r = call i32 @llvm.amdgcn.readfirstlane{{.*}}(i32 [[L]])
; CHECK-NEXT: %o = or i32 %a, %r
; CHECK: [[E:%.*]] = call i32 asm "", "=v,0"(i32 %even)
; CHECK-NEXT: %e = call i32 @llvm.amdgcn.readlane{{.*}}(i32 [[E]], i32 3)
; What LLVM makes of that: without this pass there are moves in the place of all.
; FOLD-LABEL: name: reading
; FOLD-COUNT-13: V_OR_B32
; FOLD: ...
define amdgpu_kernel void @reading(ptr addrspace(1) %out, ptr addrspace(1) %in) #0 {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %p = getelementptr i64, ptr addrspace(1) %in, i32 %t
  %b = load i64, ptr addrspace(1) %p
  %c = bitcast i64 %b to <2 x i32>
  %a = trunc i64 %b to i32
  %least = call i32 @llvm.smin.i32(i32 %t, i32 -1)
  %r = call i32 @llvm.amdgcn.readfirstlane(i32 %least)
  %o = or i32 %a, %r
  store volatile i32 %o, ptr addrspace(1) %p
  %even = call i32 @llvm.smin.i32(i32 %t, i32 -2)
  %e = call i32 @llvm.amdgcn.readlane(i32 %even, i32 3)
  %s = xor i32 %e, 1
  %q = or i32 %s, %a
  store volatile i32 %q, ptr addrspace(1) %p
  %low = zext i32 %r to i64
  %high = shl i64 %low, 32
  %long = or i64 %high, %low
  %m = or i64 %b, %long
  store volatile i64 %m, ptr addrspace(1) %p
  %half = insertelement <2 x i32> poison, i32 %r, i64 0
  %pair = insertelement <2 x i32> %half, i32 %r, i64 1
  %n = or <2 x i32> %pair, %c
  store volatile <2 x i32> %n, ptr addrspace(1) %p
  %k = or i64 %low, %b
  store volatile i64 %k, ptr addrspace(1) %p
  %clear = and i64 %long, -8589934594
  %i = or i64 %clear, %b
  store volatile i64 %i, ptr addrspace(1) %p
  %top = or i64 %high, %b
  store volatile i64 %top, ptr addrspace(1) %p
  %next = add i32 %r, 1
  %again = sub i32 %next, 1
  %back = or i32 %again, %a
  store volatile i32 %back, ptr addrspace(1) %p
  %wide = sext i32 %r to i128
  %there = load volatile i128, ptr addrspace(1) %in
  %all = or i128 %wide, %there
  store volatile i128 %all, ptr addrspace(1) %out
  ret void
}

; Read from what is no constant. An or with what is read is one as any other.
; CHECK-LABEL: @reading_others(
; CHECK-NOT: asm
; CHECK-NOT: xor
; CHECK: ret void
define amdgpu_kernel void @reading_others(ptr addrspace(1) %out, ptr addrspace(1) %in, i32 %n) #0 {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %p = getelementptr i32, ptr addrspace(1) %in, i32 %t
  %a = load i32, ptr addrspace(1) %p
  %r = call i32 @llvm.amdgcn.readfirstlane(i32 %a)
  %argument = call i32 @llvm.amdgcn.readfirstlane(i32 %n)
  %loaded = or i32 %r, %a
  %given = or i32 %argument, %a
  store volatile i32 %loaded, ptr addrspace(1) %out
  store volatile i32 %given, ptr addrspace(1) %out
  ret void
}

; What is loaded is unknown as it is; so are numbers that phis choose. Those of the same block are folded as they stand.
; CHECK-LABEL: @unknown(
; CHECK-NOT: xor
; CHECK: ret void
define amdgpu_kernel void @unknown(ptr addrspace(1) %out, ptr addrspace(1) %in, i32 %a, i32 %b, i1 %h, i1 %way) #0 {
  %c = load i1, ptr addrspace(1) %in
  %l = load i32, ptr addrspace(1) %out
  br i1 %way, label %then, label %join
then:
  br label %join
join:
  %p = phi i32 [ %a, %0 ], [ 7, %then ]
  br i1 %h, label %last, label %end
last:
  %d = or i1 %c, %h
  %v = select i1 %d, i32 1, i32 2
  %loaded = or i32 %l, %b
  %chosen = or i32 %p, %b
  %sum = add i32 %a, %b
  %near = or i32 %sum, %b
  store volatile i32 %v, ptr addrspace(1) %out
  store volatile i32 %loaded, ptr addrspace(1) %out
  store volatile i32 %chosen, ptr addrspace(1) %out
  store volatile i32 %near, ptr addrspace(1) %out
  br label %end
end:
  ret void
}

attributes #0 = { "target-cpu"="gfx1030" "amdgpu-flat-work-group-size"="1,256" }
attributes #1 = { "target-cpu"="gfx90a" "amdgpu-flat-work-group-size"="1,256" }
