; Conditions of which some lanes have none. Code generation keeps them as a mask of the wave. Where it merges false of some lanes with a
; condition that is undefined in others it copies the undefined mask for all of them, so a register that may hold anything by then.
; RUN: %opt -passes=meld-own-lanes,verify %s -S | FileCheck %s
; RUN: %opt -passes=meld-own-lanes %s -S | %llc -O3 -mcpu=gfx90a -o - | FileCheck %s --check-prefix=ISA
; RUN: %opt -passes=meld-own-lanes %s -S | %llc -O3 -mcpu=gfx1030 -o - | FileCheck %s --check-prefix=ISA

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"
declare i32 @llvm.amdgcn.workitem.id.x()

; Those who come from b have none: it is false. No mask is given up where they are.
; CHECK-LABEL: @lacking(
; CHECK: %x = phi i1 [ false, %n ], [ false, %b ], [ %v, %z ]
; CHECK-NEXT: %y = phi <2 x i1> [ %both, %n ], [ zeroinitializer, %b ], [ <i1 false, i1 true>, %z ]
; ISA-LABEL: {{^}}lacking:
; ISA: ; %b{{$}}
; ISA-NOT: implicit-def: $sgpr
; ISA: s_or_b{{32|64}} exec
; ISA: s_endpgm
define amdgpu_kernel void @lacking(ptr addrspace(1) %out, ptr addrspace(1) %in) #0 {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %o = getelementptr i32, ptr addrspace(1) %out, i32 %t
  %i = getelementptr i32, ptr addrspace(1) %in, i32 %t
  %p = load i32, ptr addrspace(1) %i
  %few = insertelement <2 x i32> <i32 1, i32 2>, i32 %p, i32 1
  %both = icmp eq <2 x i32> %few, <i32 3, i32 4>
  %to_z = icmp ult i32 %p, 10
  br i1 %to_z, label %z, label %n
z:
  %q = load volatile i32, ptr addrspace(1) %o
  %v = icmp ugt i32 %q, %p
  br label %join
n:
  store volatile i32 3, ptr addrspace(1) %o
  %to_b = icmp ult i32 %p, 20
  br i1 %to_b, label %b, label %join
b:
  store volatile i32 2, ptr addrspace(1) %o
  br label %join
join:
  %x = phi i1 [ false, %n ], [ poison, %b ], [ %v, %z ]
  %y = phi <2 x i1> [ %both, %n ], [ poison, %b ], [ <i1 false, i1 true>, %z ]
  %m = select i1 %x, i32 7, i32 9
  %y1 = extractelement <2 x i1> %y, i32 1
  %m1 = select i1 %y1, i32 %m, i32 8
  %from_n = icmp uge i32 %p, 10
  %before_c = icmp ult i32 %p, 20
  %from_b = and i1 %from_n, %before_c
  %r = select i1 %from_b, i32 5, i32 %m1
  store i32 %r, ptr addrspace(1) %o
  ret void
}

; What code generation alone finds to be undefined, here where it knows %to_b: nothing is known of what is handed on. Nor is it asked whether
; false is merged with it: code generation alone may find that, too (%to_b is false on the other way).
; CHECK-LABEL: @found(
; CHECK: b:
; CHECK: [[F:%.*]] = freeze i1 %c
; CHECK-NEXT: [[S:%.*]] = sext i1 [[F]] to i32
; CHECK-NEXT: [[N:%.*]] = call i32 asm "", "=v,0"(i32 [[S]])
; CHECK-NEXT: [[C:%.*]] = icmp ne i32 [[N]], 0
; CHECK-NEXT: br label %join
; CHECK: %x = phi i1 [ %to_b, %n ], [ [[C]], %b ], [ %v, %z ]
; ISA-LABEL: {{^}}found:
; ISA: ; %b{{$}}
; ISA-NOT: implicit-def: $sgpr
; ISA: s_or_b{{32|64}} exec
; ISA: s_endpgm
define amdgpu_kernel void @found(ptr addrspace(1) %out, ptr addrspace(1) %in) #0 {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %o = getelementptr i32, ptr addrspace(1) %out, i32 %t
  %i = getelementptr i32, ptr addrspace(1) %in, i32 %t
  %p = load i32, ptr addrspace(1) %i
  %to_z = icmp ult i32 %p, 10
  br i1 %to_z, label %z, label %n
z:
  %q = load volatile i32, ptr addrspace(1) %o
  %v = icmp ugt i32 %q, %p
  br label %join
n:
  store volatile i32 3, ptr addrspace(1) %o
  %to_b = icmp ult i32 %p, 20
  br i1 %to_b, label %b, label %join
b:
  store volatile i32 2, ptr addrspace(1) %o
  %l = load volatile i32, ptr addrspace(1) %i
  %one = zext i1 %to_b to i32
  %three = mul i32 %one, 3
  %second = and i32 %three, 1
  %e = extractelement <2 x i32> <i32 5, i32 undef>, i32 %second
  %u = add i32 %e, %l
  %c = icmp eq i32 %u, 5
  br label %join
join:
  %x = phi i1 [ %to_b, %n ], [ %c, %b ], [ %v, %z ]
  %m = select i1 %x, i32 7, i32 9
  %from_n = icmp uge i32 %p, 10
  %before_c = icmp ult i32 %p, 20
  %from_b = and i1 %from_n, %before_c
  %r = select i1 %from_b, i32 5, i32 %m
  store i32 %r, ptr addrspace(1) %o
  ret void
}

; The same in vectors, which are one mask for each element.
; CHECK-LABEL: @found_in_vector(
; CHECK: [[F1:%.*]] = freeze <2 x i1> %c2
; CHECK-NEXT: [[E1:%.*]] = extractelement <2 x i1> [[F1]], i64 0
; CHECK-NEXT: [[S1:%.*]] = sext i1 [[E1]] to i32
; CHECK-NEXT: [[N1:%.*]] = call i32 asm "", "=v,0"(i32 [[S1]])
; CHECK-NEXT: [[C1:%.*]] = icmp ne i32 [[N1]], 0
; CHECK-NEXT: [[V1:%.*]] = insertelement <2 x i1> [[F1]], i1 [[C1]], i64 0
; CHECK-NEXT: [[E2:%.*]] = extractelement <2 x i1> [[F1]], i64 1
; CHECK-NEXT: [[S2:%.*]] = sext i1 [[E2]] to i32
; CHECK-NEXT: [[N2:%.*]] = call i32 asm "", "=v,0"(i32 [[S2]])
; CHECK-NEXT: [[C2:%.*]] = icmp ne i32 [[N2]], 0
; CHECK-NEXT: [[V2:%.*]] = insertelement <2 x i1> [[V1]], i1 [[C2]], i64 1
; CHECK: %y1 = phi <2 x i1> [ zeroinitializer, %n ], [ [[V2]], %b ], [ <i1 false, i1 true>, %z ]
; ISA-LABEL: {{^}}found_in_vector:
; ISA: ; %b{{$}}
; ISA-NOT: implicit-def: $sgpr
; ISA: s_or_b{{32|64}} exec
; ISA: s_endpgm
define amdgpu_kernel void @found_in_vector(ptr addrspace(1) %out, ptr addrspace(1) %in) #0 {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %o = getelementptr i32, ptr addrspace(1) %out, i32 %t
  %i = getelementptr i32, ptr addrspace(1) %in, i32 %t
  %p = load i32, ptr addrspace(1) %i
  %to_z = icmp ult i32 %p, 10
  br i1 %to_z, label %z, label %n
z:
  %q = load volatile i32, ptr addrspace(1) %o
  %v = icmp ugt i32 %q, %p
  br label %join
n:
  store volatile i32 3, ptr addrspace(1) %o
  %to_b = icmp ult i32 %p, 20
  br i1 %to_b, label %b, label %join
b:
  store volatile i32 2, ptr addrspace(1) %o
  %l = load volatile i32, ptr addrspace(1) %i
  %one = zext i1 %to_b to i32
  %three = mul i32 %one, 3
  %second = and i32 %three, 1
  %e = extractelement <2 x i32> <i32 5, i32 undef>, i32 %second
  %u = add i32 %e, %l
  %c = icmp eq i32 %u, 5
  %c2 = insertelement <2 x i1> undef, i1 %c, i32 1
  br label %join
join:
  %y1 = phi <2 x i1> [ zeroinitializer, %n ], [ %c2, %b ], [ <i1 false, i1 true>, %z ]
  %x1 = extractelement <2 x i1> %y1, i32 0
  %y = extractelement <2 x i1> %y1, i32 1
  %x = xor i1 %x1, %y
  %m = select i1 %x, i32 7, i32 9
  %from_n = icmp uge i32 %p, 10
  %before_c = icmp ult i32 %p, 20
  %from_b = and i1 %from_n, %before_c
  %r = select i1 %from_b, i32 5, i32 %m
  store i32 %r, ptr addrspace(1) %o
  ret void
}

; What others have frozen is the lane's own, but as a mask it is undefined as long as code generation sees that. It is one to all who use it.
; CHECK-LABEL: @frozen(
; CHECK: %g = freeze i1 %c
; CHECK-NEXT: [[GS:%.*]] = sext i1 %g to i32
; CHECK-NEXT: [[GN:%.*]] = call i32 asm "", "=v,0"(i32 [[GS]])
; CHECK-NEXT: [[GC:%.*]] = icmp ne i32 [[GN]], 0
; CHECK-NEXT: %h = freeze i32 poison
; CHECK-NEXT: %d = freeze i1 %to_b
; CHECK-NEXT: store volatile i1 false, ptr addrspace(1) %o
; CHECK: %x = phi i1 [ false, %n ], [ false, %b ], [ %v, %z ]
; CHECK-NEXT: %w = phi i32 [ 0, %n ], [ %h, %b ], [ %p, %z ]
; CHECK-NEXT: %y = phi i1 [ false, %n ], [ [[GC]], %b ], [ %v, %z ]
; CHECK-NEXT: %k = phi i1 [ false, %n ], [ %d, %b ], [ %v, %z ]
; ISA-LABEL: {{^}}frozen:
; ISA: ; %b{{$}}
; ISA-NOT: implicit-def: $sgpr
; ISA: s_or_b{{32|64}} exec
; ISA: s_endpgm
define amdgpu_kernel void @frozen(ptr addrspace(1) %out, ptr addrspace(1) %in) #0 {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %o = getelementptr i32, ptr addrspace(1) %out, i32 %t
  %i = getelementptr i32, ptr addrspace(1) %in, i32 %t
  %p = load i32, ptr addrspace(1) %i
  %to_z = icmp ult i32 %p, 10
  br i1 %to_z, label %z, label %n
z:
  %q = load volatile i32, ptr addrspace(1) %o
  %v = icmp ugt i32 %q, %p
  br label %join
n:
  store volatile i32 3, ptr addrspace(1) %o
  %to_b = icmp ult i32 %p, 20
  br i1 %to_b, label %b, label %join
b:
  store volatile i32 2, ptr addrspace(1) %o
  %l = load volatile i32, ptr addrspace(1) %i
  %one = zext i1 %to_b to i32
  %three = mul i32 %one, 3
  %second = and i32 %three, 1
  %e = extractelement <2 x i32> <i32 5, i32 undef>, i32 %second
  %u = add i32 %e, %l
  %c = icmp eq i32 %u, 5
  %g = freeze i1 %c
  %h = freeze i32 poison
  %d = freeze i1 %to_b
  %f = freeze i1 poison
  store volatile i1 %f, ptr addrspace(1) %o
  br label %join
join:
  %x = phi i1 [ false, %n ], [ %f, %b ], [ %v, %z ]
  %w = phi i32 [ 0, %n ], [ %h, %b ], [ %p, %z ]
  %y = phi i1 [ false, %n ], [ %g, %b ], [ %v, %z ]
  %k = phi i1 [ false, %n ], [ %d, %b ], [ %v, %z ]
  store volatile i1 %k, ptr addrspace(1) %o
  store volatile i32 %w, ptr addrspace(1) %o
  %wy = zext i1 %y to i32
  store volatile i32 %wy, ptr addrspace(1) %o
  %m = select i1 %x, i32 7, i32 9
  %from_n = icmp uge i32 %p, 10
  %before_c = icmp ult i32 %p, 20
  %from_b = and i1 %from_n, %before_c
  %r = select i1 %from_b, i32 5, i32 %m
  store i32 %r, ptr addrspace(1) %o
  ret void
}

; Members of structures and arrays are registers of their own: of those that nobody has made each is as it would be alone.
; CHECK-LABEL: @members(
; CHECK: b:
; CHECK: [[M:%.*]] = freeze i32 poison
; CHECK-NEXT: [[I:%.*]] = insertvalue { i32, i1 } poison, i32 [[M]], 0
; CHECK-NEXT: [[J:%.*]] = insertvalue { i32, i1 } [[I]], i1 false, 1
; CHECK-NEXT: [[M0:%.*]] = freeze float poison
; CHECK-NEXT: [[P0:%.*]] = insertvalue { float, i32 } poison, float [[M0]], 0
; CHECK-NEXT: [[M1:%.*]] = freeze i32 poison
; CHECK-NEXT: [[P:%.*]] = insertvalue { float, i32 } [[P0]], i32 [[M1]], 1
; CHECK: %x1 = phi { i32, i1 } [ { i32 3, i1 false }, %n ], [ [[J]], %b ], [ %v1, %z ]
; CHECK-NEXT: %y1 = phi [2 x i1] [ zeroinitializer, %n ], [ zeroinitializer, %b ], [ [i1 true, i1 false], %z ]
; CHECK-NEXT: %w1 = phi { float, i32 } [ zeroinitializer, %n ], [ [[P]], %b ], [ %u1, %z ]
; ISA-LABEL: {{^}}members:
; ISA: ; %b{{$}}
; ISA-NOT: implicit-def: $sgpr
; ISA: s_or_b{{32|64}} exec
; ISA: s_endpgm
define amdgpu_kernel void @members(ptr addrspace(1) %out, ptr addrspace(1) %in) #0 {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %o = getelementptr i32, ptr addrspace(1) %out, i32 %t
  %i = getelementptr i32, ptr addrspace(1) %in, i32 %t
  %p = load i32, ptr addrspace(1) %i
  %to_z = icmp ult i32 %p, 10
  br i1 %to_z, label %z, label %n
z:
  %q = load volatile i32, ptr addrspace(1) %o
  %v = icmp ugt i32 %q, %p
  %v1 = insertvalue { i32, i1 } { i32 4, i1 poison }, i1 %v, 1
  %u1 = insertvalue { float, i32 } { float 4.0, i32 poison }, i32 %q, 1
  br label %join
n:
  store volatile i32 3, ptr addrspace(1) %o
  %to_b = icmp ult i32 %p, 20
  br i1 %to_b, label %b, label %join
b:
  store volatile i32 2, ptr addrspace(1) %o
  br label %join
join:
  %x1 = phi { i32, i1 } [ { i32 3, i1 false }, %n ], [ poison, %b ], [ %v1, %z ]
  %y1 = phi [2 x i1] [ zeroinitializer, %n ], [ poison, %b ], [ [i1 true, i1 false], %z ]
  %w1 = phi { float, i32 } [ zeroinitializer, %n ], [ poison, %b ], [ %u1, %z ]
  %x2 = extractvalue { i32, i1 } %x1, 1
  %y2 = extractvalue [2 x i1] %y1, 0
  %w2 = extractvalue { float, i32 } %w1, 1
  store volatile i32 %w2, ptr addrspace(1) %o
  %x = and i1 %x2, %y2
  %m = select i1 %x, i32 7, i32 9
  %from_n = icmp uge i32 %p, 10
  %before_c = icmp ult i32 %p, 20
  %from_b = and i1 %from_n, %before_c
  %r = select i1 %from_b, i32 5, i32 %m
  store i32 %r, ptr addrspace(1) %o
  ret void
}

; A member that nobody has put in, among others.
; CHECK-LABEL: @some_members(
; CHECK: b:
; CHECK: [[K:%.*]] = freeze { i32, i1 } %k
; CHECK: [[K1:%.*]] = extractvalue { i32, i1 } [[K]], 1
; CHECK-NEXT: [[KS:%.*]] = sext i1 [[K1]] to i32
; CHECK-NEXT: [[KN:%.*]] = call i32 asm "", "=v,0"(i32 [[KS]])
; CHECK-NEXT: [[KC:%.*]] = icmp ne i32 [[KN]], 0
; CHECK-NEXT: [[KV:%.*]] = insertvalue { i32, i1 } {{%.*}}, i1 [[KC]], 1
; CHECK: %x1 = phi { i32, i1 } [ zeroinitializer, %n ], [ [[KV]], %b ], [ %v1, %z ]
; CHECK-NEXT: %y1 = phi { i32, { i1 } } [ zeroinitializer, %n ], [ {{%[0-9]+}}, %b ], [ { i32 1, { i1 } { i1 true } }, %z ]
; CHECK-NEXT: %w1 = phi { i32, i1 } [ zeroinitializer, %n ], [ %all, %b ], [ %v1, %z ]
; CHECK-NEXT: %q1 = phi { i32, { i1, i1 } } [ zeroinitializer, %n ], [ {{%[0-9]+}}, %b ], [ zeroinitializer, %z ]
; CHECK-NEXT: %m1 = phi [65 x i1] [ zeroinitializer, %n ], [ {{%[0-9]+}}, %b ], [ zeroinitializer, %z ]
; ISA-LABEL: {{^}}some_members:
; ISA: ; %b{{$}}
; ISA-NOT: implicit-def: $sgpr
; ISA: s_or_b{{32|64}} exec
; ISA: s_endpgm
define amdgpu_kernel void @some_members(ptr addrspace(1) %out, ptr addrspace(1) %in) #0 {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %o = getelementptr i32, ptr addrspace(1) %out, i32 %t
  %i = getelementptr i32, ptr addrspace(1) %in, i32 %t
  %p = load i32, ptr addrspace(1) %i
  %to_z = icmp ult i32 %p, 10
  br i1 %to_z, label %z, label %n
z:
  %q = load volatile i32, ptr addrspace(1) %o
  %v = icmp ugt i32 %q, %p
  %v1 = insertvalue { i32, i1 } { i32 4, i1 poison }, i1 %v, 1
  br label %join
n:
  store volatile i32 3, ptr addrspace(1) %o
  %to_b = icmp ult i32 %p, 20
  br i1 %to_b, label %b, label %join
b:
  store volatile i32 2, ptr addrspace(1) %o
  %k = insertvalue { i32, i1 } poison, i32 %p, 0
  %even = trunc i32 %p to i1
  %all = insertvalue { i32, i1 } %k, i1 %even, 1
  %inner = insertvalue { i32, { i1, i1 } } { i32 0, { i1, i1 } poison }, i1 %even, 1, 0
  %many = insertvalue [65 x i1] poison, i1 %even, 0
  br label %join
join:
  %x1 = phi { i32, i1 } [ zeroinitializer, %n ], [ %k, %b ], [ %v1, %z ]
  %y1 = phi { i32, { i1 } } [ zeroinitializer, %n ], [ { i32 7, { i1 } { i1 undef } }, %b ], [ { i32 1, { i1 } { i1 true } }, %z ]
  %w1 = phi { i32, i1 } [ zeroinitializer, %n ], [ %all, %b ], [ %v1, %z ]
  %q1 = phi { i32, { i1, i1 } } [ zeroinitializer, %n ], [ %inner, %b ], [ zeroinitializer, %z ]
  %m1 = phi [65 x i1] [ zeroinitializer, %n ], [ %many, %b ], [ zeroinitializer, %z ]
  %q2 = extractvalue { i32, { i1, i1 } } %q1, 1, 1
  %m2 = extractvalue [65 x i1] %m1, 64
  store volatile i1 %q2, ptr addrspace(1) null
  store volatile i1 %m2, ptr addrspace(1) null
  %x2 = extractvalue { i32, i1 } %x1, 1
  %y2 = extractvalue { i32, { i1 } } %y1, 1, 0
  %w2 = extractvalue { i32, i1 } %w1, 1
  %wy = and i1 %w2, %y2
  %x = xor i1 %x2, %wy
  %m = select i1 %x, i32 7, i32 9
  %from_n = icmp uge i32 %p, 10
  %before_c = icmp ult i32 %p, 20
  %from_b = and i1 %from_n, %before_c
  %r = select i1 %from_b, i32 5, i32 %m
  store i32 %r, ptr addrspace(1) %o
  ret void
}

; Values that are made of themselves, where nobody comes.
; CHECK-LABEL: @nobody(
; CHECK: ret void
define amdgpu_kernel void @nobody(ptr addrspace(1) %o) #0 {
  ret void
dead:
  %a = insertvalue { i32, i64 } %b, i32 1, 0
  %b = insertvalue { i32, i64 } %a, i32 2, 0
  store { i32, i64 } %b, ptr addrspace(1) %o
  br label %dead
}

attributes #0 = { "uniform-work-group-size"="true" }
