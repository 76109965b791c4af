; Conditions of which some lanes have none. Code generation keeps them as a mask of the wave. Where it merges false of some lanes with a
; condition that is undefined in others it copies the undefined mask for all of them, so a register that may hold anything by then.
; RUN: %opt -passes=meld-own-lanes,verify %s -S | FileCheck %s
; RUN: %opt -passes=meld-own-lanes %s -S | %llc -mcpu=gfx90a -o - | FileCheck %s --check-prefix=ISA
; RUN: %opt -passes=meld-own-lanes %s -S | %llc -mcpu=gfx1030 -o - | FileCheck %s --check-prefix=ISA

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

; What code generation may find to be undefined: nothing is known of it, if false is merged with it.
; CHECK-LABEL: @found(
; CHECK: b:
; CHECK: [[F:%.*]] = freeze i1 %c
; CHECK-NEXT: [[S:%.*]] = sext i1 [[F]] to i32
; CHECK-NEXT: [[N:%.*]] = call i32 asm "", "=v,0"(i32 [[S]])
; CHECK-NEXT: [[C:%.*]] = icmp ne i32 [[N]], 0
; CHECK-NEXT: [[G:%.*]] = freeze i1 %c
; CHECK-NEXT: br label %join
; CHECK: %x = phi i1 [ false, %n ], [ [[C]], %b ], [ %v, %z ]
; CHECK-NEXT: %y = phi i1 [ true, %n ], [ [[G]], %b ], [ %v, %z ]
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
  %u = select i1 %to_b, i32 poison, i32 %p
  %c = icmp ult i32 %u, 5
  br label %join
join:
  %x = phi i1 [ false, %n ], [ %c, %b ], [ %v, %z ]
  %y = phi i1 [ true, %n ], [ %c, %b ], [ %v, %z ]
  %m = select i1 %x, i32 7, i32 9
  %l = select i1 %y, i32 6, i32 %m
  store i32 %l, ptr addrspace(1) %o
  ret void
}

attributes #0 = { "uniform-work-group-size"="true" }
