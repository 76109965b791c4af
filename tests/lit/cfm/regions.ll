; Regions with regions: triangles, mirrored branches, a live-out of one side, nested diamonds, a switch.
; RUN: %opt -passes=meld-cfm -S %s | FileCheck %s
; RUN: %opt -passes=meld-cfm %s | %llc -mcpu=gfx900 -o /dev/null

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"

declare i32 @llvm.amdgcn.workitem.id.x()

; CHECK-LABEL: @triangles(
; CHECK: %[[X:.*]] = load i32, ptr addrspace(3)
; CHECK: icmp sgt
; CHECK-NOT: icmp
; CHECK: br i1
; CHECK-COUNT-1: store i32
; CHECK-NOT: store
; CHECK: ret void
define amdgpu_kernel void @triangles(ptr addrspace(3) %p) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %x = load i32, ptr addrspace(3) %p
  %xc = icmp sgt i32 %x, 4
  br i1 %xc, label %left.then, label %left.end
left.then:
  %x1 = mul i32 %x, 3
  store i32 %x1, ptr addrspace(3) %p
  br label %left.end
left.end:
  br label %join
right:
  %y = load i32, ptr addrspace(3) %p
  %yc = icmp sgt i32 %y, 7
  br i1 %yc, label %right.then, label %right.end
right.then:
  %y1 = mul i32 %y, 5
  store i32 %y1, ptr addrspace(3) %p
  br label %right.end
right.end:
  br label %join
join:
  ret void
}

; The right diamond has its sides the other way round.
; CHECK-LABEL: @mirrored(
; CHECK: icmp slt
; CHECK-NOT: icmp
; CHECK: fdiv
; CHECK-NOT: fdiv
; CHECK: ret void
define amdgpu_kernel void @mirrored(ptr addrspace(3) %p, float %f) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %x = load i32, ptr addrspace(3) %p
  %xc = icmp slt i32 %x, 4
  br i1 %xc, label %l.a, label %l.b
l.a:
  %d = fdiv float %f, 3.0
  store float %d, ptr addrspace(3) %p
  br label %l.j
l.b:
  %a = atomicrmw add ptr addrspace(3) %p, i32 1 monotonic
  br label %l.j
l.j:
  br label %join
right:
  %y = load i32, ptr addrspace(3) %p
  %yc = icmp sge i32 %y, 4
  br i1 %yc, label %r.b, label %r.a
r.b:
  %b = atomicrmw add ptr addrspace(3) %p, i32 2 monotonic
  br label %r.j
r.a:
  %e = fdiv float %f, 5.0
  store float %e, ptr addrspace(3) %p
  br label %r.j
r.j:
  br label %join
join:
  ret void
}

; A value of the left side alone that is used behind the join.
; CHECK-LABEL: @live_out(
; CHECK: %[[Q:.*]] = mul i32
; CHECK: select i1 %c, i32 %{{.*}}, i32 77
; CHECK: ret void
define amdgpu_kernel void @live_out(ptr addrspace(3) %p, ptr addrspace(3) %o) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %x = load i32, ptr addrspace(3) %p
  %x1 = mul i32 %x, 3
  store i32 %x1, ptr addrspace(3) %p
  br label %join
right:
  %y = load i32, ptr addrspace(3) %p
  %y1 = mul i32 %y, 5
  store i32 %y1, ptr addrspace(3) %p
  br label %join
join:
  %v = phi i32 [ %x1, %left ], [ 77, %right ]
  store volatile i32 %v, ptr addrspace(3) %o
  ret void
}

; undef and poison into the join's phi.
; CHECK-LABEL: @undef_inputs(
; CHECK-DAG: select i1 %c, i32 undef, i32 %
; CHECK-DAG: select i1 %c, i32 %{{.*}}, i32 poison
; CHECK: ret void
define amdgpu_kernel void @undef_inputs(ptr addrspace(3) %p, ptr addrspace(3) %o) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %x = load i32, ptr addrspace(3) %p
  %x1 = mul i32 %x, 3
  store i32 %x1, ptr addrspace(3) %p
  br label %join
right:
  %y = load i32, ptr addrspace(3) %p
  %y1 = mul i32 %y, 5
  store i32 %y1, ptr addrspace(3) %p
  br label %join
join:
  %v = phi i32 [ undef, %left ], [ %y, %right ]
  %w = phi i32 [ %x, %left ], [ poison, %right ]
  store volatile i32 %v, ptr addrspace(3) %o
  store volatile i32 %w, ptr addrspace(3) %o
  ret void
}

; Switches with equal cases.
; CHECK-LABEL: @switches(
; CHECK: switch i32
; CHECK-NOT: switch
; CHECK: ret void
define amdgpu_kernel void @switches(ptr addrspace(3) %p, ptr addrspace(3) %o) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %x = load i32, ptr addrspace(3) %p
  switch i32 %x, label %left.end [ i32 3, label %left.a
                                   i32 5, label %left.b ]
left.a:
  store i32 11, ptr addrspace(3) %o
  br label %left.end
left.b:
  store volatile i32 12, ptr addrspace(3) %o
  br label %left.end
left.end:
  br label %join
right:
  %y = load i32, ptr addrspace(3) %p
  switch i32 %y, label %right.end [ i32 3, label %right.a
                                    i32 5, label %right.b ]
right.a:
  store i32 21, ptr addrspace(3) %o
  br label %right.end
right.b:
  store volatile i32 22, ptr addrspace(3) %o
  br label %right.end
right.end:
  br label %join
join:
  ret void
}

; Commuted operands need no select.
; CHECK-LABEL: @commuted(
; CHECK: %[[S:.*]] = add i32 %{{.*}}, %{{.*}}
; CHECK-NOT: select
; CHECK: store i32 %[[S]]
; CHECK-NOT: select
; CHECK: ret void
define amdgpu_kernel void @commuted(ptr addrspace(3) %p, i32 %k) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %x = load i32, ptr addrspace(3) %p
  %x1 = add i32 %x, %k
  store i32 %x1, ptr addrspace(3) %p
  br label %join
right:
  %y = load i32, ptr addrspace(3) %p
  %y1 = add i32 %k, %y
  store i32 %y1, ptr addrspace(3) %p
  br label %join
join:
  ret void
}

; Intrinsics that are not convergent pair: fma, minnum; immediate arguments must agree.
declare float @llvm.fma.f32(float, float, float)
declare float @llvm.minnum.f32(float, float)
declare i32 @llvm.ctlz.i32(i32, i1 immarg)
; CHECK-LABEL: @intrinsics(
; CHECK: call float @llvm.fma.f32
; CHECK-NEXT: call float @llvm.minnum.f32
; CHECK-NOT: call
; CHECK: ret void
define amdgpu_kernel void @intrinsics(ptr addrspace(3) %p, float %k) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %x = load float, ptr addrspace(3) %p
  %x1 = call float @llvm.fma.f32(float %x, float %k, float %x)
  %x2 = call float @llvm.minnum.f32(float %x1, float 2.0)
  store float %x2, ptr addrspace(3) %p
  br label %join
right:
  %y = load float, ptr addrspace(3) %p
  %y1 = call float @llvm.fma.f32(float %k, float %y, float %y)
  %y2 = call float @llvm.minnum.f32(float 3.0, float %y1)
  store float %y2, ptr addrspace(3) %p
  br label %join
join:
  ret void
}

; CHECK-LABEL: @immediates(
; CHECK-DAG: call i32 @llvm.ctlz.i32(i32 %{{.*}}, i1 true)
; CHECK-DAG: call i32 @llvm.ctlz.i32(i32 %{{.*}}, i1 false)
; CHECK: ret void
define amdgpu_kernel void @immediates(ptr addrspace(3) %p) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %x = load i32, ptr addrspace(3) %p
  %x1 = call i32 @llvm.ctlz.i32(i32 %x, i1 true)
  store i32 %x1, ptr addrspace(3) %p
  br label %join
right:
  %y = load i32, ptr addrspace(3) %p
  %y1 = call i32 @llvm.ctlz.i32(i32 %y, i1 false)
  store i32 %y1, ptr addrspace(3) %p
  br label %join
join:
  ret void
}

; Minima and maxima of all kinds pair with their like, in either order of operands;
declare i32 @llvm.umin.i32(i32, i32)
declare i32 @llvm.umax.i32(i32, i32)
declare i32 @llvm.smin.i32(i32, i32)
declare i32 @llvm.smax.i32(i32, i32)
declare float @llvm.maxnum.f32(float, float)
declare float @llvm.fmuladd.f32(float, float, float)
; CHECK-LABEL: @min_max(
; CHECK: call i32 @llvm.umin.i32(
; CHECK-NEXT: call i32 @llvm.umax.i32(
; CHECK-NEXT: call i32 @llvm.smin.i32(
; CHECK-NEXT: call i32 @llvm.smax.i32(
; CHECK-NOT: call i32
; CHECK: call float @llvm.maxnum.f32(
; CHECK-NEXT: call float @llvm.fmuladd.f32(
; CHECK-NOT: call
; CHECK: ret void
define amdgpu_kernel void @min_max(ptr addrspace(3) %p, i32 %k, float %f) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %x = load i32, ptr addrspace(3) %p
  %x1 = call i32 @llvm.umin.i32(i32 %x, i32 %k)
  %x2 = call i32 @llvm.umax.i32(i32 %x1, i32 %tid)
  %x3 = call i32 @llvm.smin.i32(i32 %x2, i32 %k)
  %x4 = call i32 @llvm.smax.i32(i32 %x3, i32 %tid)
  %x5 = bitcast i32 %x4 to float
  %x6 = call float @llvm.maxnum.f32(float %x5, float %f)
  %x7 = call float @llvm.fmuladd.f32(float %x6, float %f, float %x5)
  store float %x7, ptr addrspace(3) %p
  br label %join
right:
  %y = load i32, ptr addrspace(3) %p
  %y1 = call i32 @llvm.umin.i32(i32 %k, i32 %y)
  %y2 = call i32 @llvm.umax.i32(i32 %tid, i32 %y1)
  %y3 = call i32 @llvm.smin.i32(i32 %k, i32 %y2)
  %y4 = call i32 @llvm.smax.i32(i32 %tid, i32 %y3)
  %y5 = bitcast i32 %y4 to float
  %y6 = call float @llvm.maxnum.f32(float %f, float %y5)
  %y7 = call float @llvm.fmuladd.f32(float %f, float %y6, float %y5)
  store float %y7, ptr addrspace(3) %p
  br label %join
join:
  ret void
}

; a minimum and a maximum are no pair.
; CHECK-LABEL: @min_against_max(
; CHECK-DAG: call i32 @llvm.umin.i32(i32 %{{.*}}, i32 %k)
; CHECK-DAG: call i32 @llvm.umax.i32(i32 %{{.*}}, i32 %k)
; CHECK: ret void
define amdgpu_kernel void @min_against_max(ptr addrspace(3) %p, i32 %k) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %x = load i32, ptr addrspace(3) %p
  %x1 = call i32 @llvm.umin.i32(i32 %x, i32 %k)
  store i32 %x1, ptr addrspace(3) %p
  br label %join
right:
  %y = load i32, ptr addrspace(3) %p
  %y1 = call i32 @llvm.umax.i32(i32 %y, i32 %k)
  store i32 %y1, ptr addrspace(3) %p
  br label %join
join:
  ret void
}
