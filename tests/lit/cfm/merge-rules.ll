; What one merged operation may still promise: alignment, aliasing, attributes; and operand order.
; RUN: %opt -passes=meld-cfm -S %s | FileCheck %s
; RUN: %opt -passes=meld-cfm %s | %llc -mcpu=gfx90a -o /dev/null

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"

declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.ctpop.i32(i32)
declare float @llvm.sqrt.f32(float)

; The smaller alignment.
; CHECK-LABEL: @store_alignment(
; CHECK: store i32 %{{[^,]*}}, ptr addrspace(3) %{{[^,]*}}, align 2{{$}}
; CHECK-NOT: store
; CHECK: ret void
define amdgpu_kernel void @store_alignment(ptr addrspace(3) %p, ptr addrspace(3) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  store i32 %tid, ptr addrspace(3) %p, align 8
  br label %join
right:
  store i32 %bit, ptr addrspace(3) %q, align 2
  br label %join
join:
  ret void
}

; On loads.
; CHECK-LABEL: @load_alignment(
; CHECK: load i32, ptr addrspace(3) %{{[^,]*}}, align 1{{$}}
; CHECK-NOT: load
; CHECK: ret void
define amdgpu_kernel void @load_alignment(ptr addrspace(3) %p, ptr addrspace(3) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %l = load i32, ptr addrspace(3) %p, align 8
  store i32 %l, ptr addrspace(3) %p
  br label %join
right:
  %r = load i32, ptr addrspace(3) %q, align 1
  store i32 %r, ptr addrspace(3) %q
  br label %join
join:
  ret void
}

; On read-modify-writes, from either side.
; CHECK-LABEL: @atomic_alignment(
; CHECK: atomicrmw add {{.*}}, align 4{{$}}
; CHECK-NOT: atomicrmw
; CHECK: ret void
define amdgpu_kernel void @atomic_alignment(ptr addrspace(3) %p, ptr addrspace(3) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %l = atomicrmw add ptr addrspace(3) %p, i32 1 monotonic, align 16
  br label %join
right:
  %r = atomicrmw add ptr addrspace(3) %q, i32 2 monotonic, align 4
  br label %join
join:
  ret void
}

; On compare-and-exchanges.
; CHECK-LABEL: @exchange_alignment(
; CHECK: cmpxchg {{.*}}, align 4{{$}}
; CHECK-NOT: cmpxchg
; CHECK: ret void
define amdgpu_kernel void @exchange_alignment(ptr addrspace(3) %p, ptr addrspace(3) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %l = cmpxchg ptr addrspace(3) %p, i32 0, i32 1 monotonic monotonic, align 16
  br label %join
right:
  %r = cmpxchg ptr addrspace(3) %q, i32 0, i32 2 monotonic monotonic, align 4
  br label %join
join:
  ret void
}

; `!alias.scope` and `!noalias` in their most general form: a scope of one side alone is not believed of the other.
; CHECK-LABEL: @alias_scope(
; CHECK: load i32, {{.*}}, !alias.scope ![[BOTH_SCOPES:[0-9]+]], !noalias ![[COMMON:[0-9]+]]
; CHECK: ret void
define amdgpu_kernel void @alias_scope(ptr addrspace(1) %p, ptr addrspace(1) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %lp = getelementptr i32, ptr addrspace(1) %p, i32 %tid
  %l = load i32, ptr addrspace(1) %lp, !alias.scope !3, !noalias !6
  %l1 = mul i32 %l, 3
  store i32 %l1, ptr addrspace(1) %lp
  br label %join
right:
  %rp = getelementptr i32, ptr addrspace(1) %q, i32 %tid
  %r = load i32, ptr addrspace(1) %rp, !alias.scope !4, !noalias !5
  %r1 = mul i32 %r, 5
  store i32 %r1, ptr addrspace(1) %rp
  br label %join
join:
  ret void
}

; Neither of one side alone.
; CHECK-LABEL: @scopes_of_one_side(
; CHECK: load i32, ptr addrspace(1) %{{[^,]*}}, align 4{{$}}
; CHECK-NOT: load
; CHECK: ret void
define amdgpu_kernel void @scopes_of_one_side(ptr addrspace(1) %p, ptr addrspace(1) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %lp = getelementptr i32, ptr addrspace(1) %p, i32 %tid
  %l = load i32, ptr addrspace(1) %lp, !alias.scope !3, !noalias !5
  %l1 = mul i32 %l, 3
  store i32 %l1, ptr addrspace(1) %lp
  br label %join
right:
  %rp = getelementptr i32, ptr addrspace(1) %q, i32 %tid
  %r = load i32, ptr addrspace(1) %rp
  %r1 = mul i32 %r, 5
  store i32 %r1, ptr addrspace(1) %rp
  br label %join
join:
  ret void
}

; Nor a type of one side alone.
; CHECK-LABEL: @tbaa_of_one_side(
; CHECK: load i32, ptr addrspace(1) %{{[^,]*}}, align 4{{$}}
; CHECK-NOT: load
; CHECK: ret void
define amdgpu_kernel void @tbaa_of_one_side(ptr addrspace(1) %p, ptr addrspace(1) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %lp = getelementptr i32, ptr addrspace(1) %p, i32 %tid
  %l = load i32, ptr addrspace(1) %lp, !tbaa !8
  %l1 = mul i32 %l, 3
  store i32 %l1, ptr addrspace(1) %lp
  br label %join
right:
  %rp = getelementptr i32, ptr addrspace(1) %q, i32 %tid
  %r = load i32, ptr addrspace(1) %rp
  %r1 = mul i32 %r, 5
  store i32 %r1, ptr addrspace(1) %rp
  br label %join
join:
  ret void
}

; Of two promised sizes the smaller.
; CHECK-LABEL: @dereferenceable(
; CHECK: load ptr addrspace(1), {{.*}}, !dereferenceable ![[SMALL:[0-9]+]]
; CHECK-NOT: load ptr
; CHECK: ret void
define amdgpu_kernel void @dereferenceable(ptr addrspace(1) %p, ptr addrspace(1) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %lp = getelementptr ptr addrspace(1), ptr addrspace(1) %p, i32 %tid
  %l = load ptr addrspace(1), ptr addrspace(1) %lp, !dereferenceable !11
  store i32 3, ptr addrspace(1) %l
  br label %join
right:
  %rp = getelementptr ptr addrspace(1), ptr addrspace(1) %q, i32 %tid
  %r = load ptr addrspace(1), ptr addrspace(1) %rp, !dereferenceable !12
  store i32 5, ptr addrspace(1) %r
  br label %join
join:
  ret void
}

; A kind that nobody knows goes, whether the sides agree or not.
; CHECK-LABEL: @unknown_kind(
; CHECK-NOT: !mine
; CHECK: ret void
define amdgpu_kernel void @unknown_kind(ptr addrspace(1) %p, ptr addrspace(1) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %lp = getelementptr i32, ptr addrspace(1) %p, i32 %tid
  %l = load i32, ptr addrspace(1) %lp, !mine !13
  %l1 = mul i32 %l, 3
  store i32 %l1, ptr addrspace(1) %lp
  br label %join
right:
  %rp = getelementptr i32, ptr addrspace(1) %q, i32 %tid
  %r = load i32, ptr addrspace(1) %rp, !mine !13
  %r1 = mul i32 %r, 5
  store i32 %r1, ptr addrspace(1) %rp
  br label %join
join:
  ret void
}

; CHECK-LABEL: @unknown_kinds_differ(
; CHECK-NOT: !mine
; CHECK: ret void
define amdgpu_kernel void @unknown_kinds_differ(ptr addrspace(1) %p, ptr addrspace(1) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %lp = getelementptr i32, ptr addrspace(1) %p, i32 %tid
  %l = load i32, ptr addrspace(1) %lp, !mine !13
  %l1 = mul i32 %l, 3
  store i32 %l1, ptr addrspace(1) %lp
  br label %join
right:
  %rp = getelementptr i32, ptr addrspace(1) %q, i32 %tid
  %r = load i32, ptr addrspace(1) %rp, !mine !14
  %r1 = mul i32 %r, 5
  store i32 %r1, ptr addrspace(1) %rp
  br label %join
join:
  ret void
}

; `!amdgpu.noclobber` (nothing on any path writes it) of one side alone goes.
; CHECK-LABEL: @noclobber(
; CHECK-NOT: noclobber
; CHECK: ret void
define amdgpu_kernel void @noclobber(ptr addrspace(1) %p, ptr addrspace(1) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %lp = getelementptr i32, ptr addrspace(1) %p, i32 %tid
  %l = load i32, ptr addrspace(1) %lp, !amdgpu.noclobber !15
  %l1 = mul i32 %l, 3
  store i32 %l1, ptr addrspace(1) %lp
  br label %join
right:
  %rp = getelementptr i32, ptr addrspace(1) %q, i32 %tid
  %r = load i32, ptr addrspace(1) %rp
  %r1 = mul i32 %r, 5
  store i32 %r1, ptr addrspace(1) %rp
  br label %join
join:
  ret void
}

; Promises at the call of an intrinsic that only one side makes go.
; CHECK-LABEL: @intrinsic_attributes(
; CHECK: call i32 @llvm.ctpop.i32(i32 %{{[^)]*}}){{$}}
; CHECK-NOT: ctpop
; CHECK: ret void
define amdgpu_kernel void @intrinsic_attributes(ptr addrspace(3) %p, ptr addrspace(3) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %l = load i32, ptr addrspace(3) %p
  %l1 = call i32 @llvm.ctpop.i32(i32 noundef %l)
  store i32 %l1, ptr addrspace(3) %p
  br label %join
right:
  %r = load i32, ptr addrspace(3) %q
  %r1 = call i32 @llvm.ctpop.i32(i32 %r)
  store i32 %r1, ptr addrspace(3) %q
  br label %join
join:
  ret void
}

; Division does not commute: exchanged operands need a select each.
; CHECK-LABEL: @not_commutative(
; CHECK-COUNT-2: select i1 %c
; CHECK: sdiv i32
; CHECK-NOT: sdiv
; CHECK: ret void
define amdgpu_kernel void @not_commutative(ptr addrspace(3) %p, ptr addrspace(3) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %x = load i32, ptr addrspace(3) %p
  %l1 = sdiv i32 %x, %tid
  store i32 %l1, ptr addrspace(3) %p
  br label %join
right:
  %y = load i32, ptr addrspace(3) %p
  %r1 = sdiv i32 %tid, %y
  store i32 %r1, ptr addrspace(3) %p
  br label %join
join:
  ret void
}

; Compares that no exchange of operands makes equal: two.
; CHECK-LABEL: @different_compare(
; CHECK-DAG: icmp slt
; CHECK-DAG: icmp eq
; CHECK: ret void
define amdgpu_kernel void @different_compare(ptr addrspace(3) %p, ptr addrspace(3) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %x = load i32, ptr addrspace(3) %p
  %l1 = icmp slt i32 %x, %tid
  %l2 = zext i1 %l1 to i32
  store i32 %l2, ptr addrspace(3) %p
  br label %join
right:
  %y = load i32, ptr addrspace(3) %p
  %r1 = icmp eq i32 %y, %tid
  %r2 = zext i1 %r1 to i32
  store i32 %r2, ptr addrspace(3) %p
  br label %join
join:
  ret void
}

; The same conversion from different types: two.
; CHECK-LABEL: @conversions(
; CHECK-DAG: zext i8
; CHECK-DAG: zext i16
; CHECK: ret void
define amdgpu_kernel void @conversions(ptr addrspace(3) %p, ptr addrspace(3) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %x = load i8, ptr addrspace(3) %p
  %l1 = zext i8 %x to i32
  %l2 = mul i32 %l1, %l1
  store i32 %l2, ptr addrspace(3) %p
  br label %join
right:
  %y = load i16, ptr addrspace(3) %p
  %r1 = zext i16 %y to i32
  %r2 = mul i32 %r1, %r1
  store i32 %r2, ptr addrspace(3) %p
  br label %join
join:
  ret void
}

; Loads of different types: two.
; CHECK-LABEL: @loads_of_types(
; CHECK-DAG: load i32
; CHECK-DAG: load float
; CHECK: ret void
define amdgpu_kernel void @loads_of_types(ptr addrspace(3) %p, ptr addrspace(3) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %x = load i32, ptr addrspace(3) %p
  store i32 %x, ptr addrspace(3) %q
  br label %join
right:
  %y = load float, ptr addrspace(3) %p
  store float %y, ptr addrspace(3) %q
  br label %join
join:
  ret void
}

; CHECK-DAG: ![[SMALL]] = !{i64 4}
; CHECK-DAG: ![[BOTH_SCOPES]] = !{!{{[0-9]+}}, !{{[0-9]+}}}
; CHECK-DAG: ![[COMMON]] = !{![[B:[0-9]+]]}
; CHECK-DAG: ![[B]] = distinct !{![[B]], !{{[0-9]+}}, !"b"}
!0 = distinct !{!0}
!1 = distinct !{!1, !0, !"a"}
!2 = distinct !{!2, !0, !"b"}
!3 = !{!1}
!4 = !{!2}
!5 = !{!2}
!6 = !{!1, !2}
!7 = !{!"root"}
!8 = !{!9, !9, i64 0}
!9 = !{!"int", !10}
!10 = !{!"char", !7}
!11 = !{i64 16}
!12 = !{i64 4}
!13 = !{!"a"}
!14 = !{!"b"}
!15 = !{}
