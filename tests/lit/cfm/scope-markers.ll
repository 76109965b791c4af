; Declarations of alias scopes and lifetimes of stack objects, where their blocks are melded.
; RUN: %opt -passes=meld-cfm -S %s | FileCheck %s
; RUN: %opt -passes=meld-cfm %s | %llc -mcpu=gfx90a -o /dev/null

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"

declare i32 @llvm.amdgcn.workitem.id.x()
declare void @llvm.experimental.noalias.scope.decl(metadata)
declare void @llvm.lifetime.start.p5(i64, ptr addrspace(5) nocapture)
declare void @llvm.lifetime.end.p5(i64, ptr addrspace(5) nocapture)
declare void @keep(ptr addrspace(5)) willreturn readonly
declare void @read(ptr addrspace(5) nocapture) willreturn readonly

; A scope of one side: its declaration comes along, in front of what it declares.
; CHECK-LABEL: @declared_left(
; CHECK: br label %loop
; CHECK: loop:
; CHECK: call void @llvm.experimental.noalias.scope.decl(metadata ![[LIST:[0-9]+]])
; CHECK: load i32, {{.*}}, !alias.scope ![[LIST]]
; CHECK: br i1 %e
define amdgpu_kernel void @declared_left(ptr addrspace(1) %p, ptr addrspace(1) %q, i32 %n, i32 %m) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br label %loop
loop:
  %i = phi i32 [ 0, %0 ], [ %next, %latch ]
  br i1 %c, label %left, label %right
left:
  %lp = getelementptr i32, ptr addrspace(1) %p, i32 %i
  call void @llvm.experimental.noalias.scope.decl(metadata !2)
  %l = load i32, ptr addrspace(1) %lp, !alias.scope !2
  %l1 = mul i32 %l, %tid
  %l2 = udiv i32 %l1, %n
  store i32 %l2, ptr addrspace(1) %q, !noalias !2
  br label %latch
right:
  %r1 = mul i32 %i, %tid
  %r2 = udiv i32 %r1, %m
  store i32 %r2, ptr addrspace(1) %q
  br label %latch
latch:
  %next = add i32 %i, 1
  %e = icmp eq i32 %next, %n
  br i1 %e, label %done, label %loop
done:
  ret void
}

; Scopes of both sides, and one that both declare: that one once.
; CHECK-LABEL: @declared_both(
; CHECK-COUNT-3: call void @llvm.experimental.noalias.scope.decl(metadata !{{[0-9]+}})
; CHECK-NOT: scope.decl
; CHECK: load i32, {{.*}}, !alias.scope ![[BOTH:[0-9]+]], !noalias ![[COMMON:[0-9]+]]
; CHECK: ret void
define amdgpu_kernel void @declared_both(ptr addrspace(1) %p, ptr addrspace(1) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  call void @llvm.experimental.noalias.scope.decl(metadata !2)
  call void @llvm.experimental.noalias.scope.decl(metadata !6)
  %lp = getelementptr i32, ptr addrspace(1) %p, i32 %tid
  %l = load i32, ptr addrspace(1) %lp, !alias.scope !2, !noalias !6
  %l1 = mul i32 %l, 3
  store i32 %l1, ptr addrspace(1) %lp
  br label %join
right:
  call void @llvm.experimental.noalias.scope.decl(metadata !4)
  call void @llvm.experimental.noalias.scope.decl(metadata !6)
  %rp = getelementptr i32, ptr addrspace(1) %q, i32 %tid
  %r = load i32, ptr addrspace(1) %rp, !alias.scope !4, !noalias !6
  %r1 = mul i32 %r, 5
  store i32 %r1, ptr addrspace(1) %rp
  br label %join
join:
  ret void
}

; Each side's own object, started and ended there: the markers stay, each with its alloca.
; CHECK-LABEL: @own_objects(
; CHECK-DAG: call void @llvm.lifetime.start.p5(i64 64, ptr addrspace(5) %a)
; CHECK-DAG: call void @llvm.lifetime.start.p5(i64 64, ptr addrspace(5) %b)
; CHECK: store i32 %{{.*}}, ptr addrspace(5)
; CHECK: load i32, ptr addrspace(5)
; CHECK-DAG: call void @llvm.lifetime.end.p5(i64 64, ptr addrspace(5) %a)
; CHECK-DAG: call void @llvm.lifetime.end.p5(i64 64, ptr addrspace(5) %b)
; CHECK: ret void
define amdgpu_kernel void @own_objects(ptr addrspace(1) %p, i32 %i, i32 %k) {
  %a = alloca [16 x i32], addrspace(5)
  %b = alloca [16 x i32], addrspace(5)
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  call void @llvm.lifetime.start.p5(i64 64, ptr addrspace(5) %a)
  %la = getelementptr [16 x i32], ptr addrspace(5) %a, i32 0, i32 %i
  store i32 %tid, ptr addrspace(5) %la
  %lb = getelementptr [16 x i32], ptr addrspace(5) %a, i32 0, i32 %k
  %l = load i32, ptr addrspace(5) %lb
  call void @llvm.lifetime.end.p5(i64 64, ptr addrspace(5) %a)
  %l1 = mul i32 %l, 3
  store i32 %l1, ptr addrspace(1) %p
  br label %join
right:
  call void @llvm.lifetime.start.p5(i64 64, ptr addrspace(5) %b)
  %ra = getelementptr [16 x i32], ptr addrspace(5) %b, i32 0, i32 %k
  store i32 %bit, ptr addrspace(5) %ra
  %rb = getelementptr [16 x i32], ptr addrspace(5) %b, i32 0, i32 %i
  %r = load i32, ptr addrspace(5) %rb
  call void @llvm.lifetime.end.p5(i64 64, ptr addrspace(5) %b)
  %r1 = mul i32 %r, 5
  store i32 %r1, ptr addrspace(1) %p
  br label %join
join:
  ret void
}

; Objects of both sides that end at different places: no marker of either is left, nor one that a
; choice of two would have come to.
; CHECK-LABEL: @shared_objects(
; CHECK-NOT: lifetime
; CHECK: ret void
define amdgpu_kernel void @shared_objects(ptr addrspace(1) %p, i32 %i) {
  %a = alloca [16 x i32], addrspace(5)
  %b = alloca [16 x i32], addrspace(5)
  call void @llvm.lifetime.start.p5(i64 64, ptr addrspace(5) %a)
  call void @llvm.lifetime.start.p5(i64 64, ptr addrspace(5) %b)
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %pa = getelementptr [16 x i32], ptr addrspace(5) %a, i32 0, i32 %i
  %pb = getelementptr [16 x i32], ptr addrspace(5) %b, i32 0, i32 %i
  store i32 %tid, ptr addrspace(5) %pa
  store i32 %i, ptr addrspace(5) %pb
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %l = load i32, ptr addrspace(5) %pa
  call void @llvm.lifetime.end.p5(i64 64, ptr addrspace(5) %a)
  %l1 = load i32, ptr addrspace(5) %pb
  %l2 = mul i32 %l, %l1
  store i32 %l2, ptr addrspace(1) %p
  call void @llvm.lifetime.end.p5(i64 64, ptr addrspace(5) %b)
  br label %join
right:
  %r = load i32, ptr addrspace(5) %pb
  call void @llvm.lifetime.end.p5(i64 64, ptr addrspace(5) %b)
  %r1 = load i32, ptr addrspace(5) %pa
  %r2 = mul i32 %r, %r1
  store i32 %r2, ptr addrspace(1) %p
  call void @llvm.lifetime.end.p5(i64 64, ptr addrspace(5) %a)
  br label %join
join:
  ret void
}

; Started on one side each time, but written before: the other side's start would be one too many.
; CHECK-LABEL: @filled_before(
; CHECK-NOT: lifetime
; CHECK: ret void
define amdgpu_kernel void @filled_before(ptr addrspace(1) %p, i32 %i, i32 %n, i32 %m) {
  %a = alloca [16 x i32], addrspace(5)
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  %pa = getelementptr [16 x i32], ptr addrspace(5) %a, i32 0, i32 %i
  br label %loop
loop:
  %k = phi i32 [ 0, %0 ], [ %next, %latch ]
  %first = icmp eq i32 %k, 0
  br i1 %c, label %left, label %right
left:
  br i1 %first, label %start, label %go
start:
  call void @llvm.lifetime.start.p5(i64 64, ptr addrspace(5) %a)
  store i32 %tid, ptr addrspace(5) %pa
  br label %go
go:
  %l = load i32, ptr addrspace(5) %pa
  %l1 = udiv i32 %l, %n
  store i32 %l1, ptr addrspace(1) %p
  br label %latch
right:
  br i1 %first, label %other, label %on
other:
  store i32 %bit, ptr addrspace(1) %p
  br label %on
on:
  %r = load i32, ptr addrspace(1) %p
  %r1 = udiv i32 %r, %m
  store i32 %r1, ptr addrspace(1) %p
  br label %latch
latch:
  %next = add i32 %k, 1
  %e = icmp eq i32 %next, %n
  br i1 %e, label %done, label %loop
done:
  ret void
}

; Started once, ended on one side in some round: the other side's end would come too early.
; CHECK-LABEL: @started_before(
; CHECK-NOT: lifetime
; CHECK: ret void
define amdgpu_kernel void @started_before(ptr addrspace(1) %p, i32 %i, i32 %n, i32 %m) {
  %a = alloca [16 x i32], addrspace(5)
  call void @llvm.lifetime.start.p5(i64 64, ptr addrspace(5) %a)
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %pa = getelementptr [16 x i32], ptr addrspace(5) %a, i32 0, i32 %i
  br label %loop
loop:
  %k = phi i32 [ 0, %0 ], [ %next, %latch ]
  %t = add i32 %tid, %k
  %bit = and i32 %t, 1
  %c = icmp eq i32 %bit, 0
  %last = icmp eq i32 %k, 6
  br i1 %c, label %left, label %right
left:
  %l = load i32, ptr addrspace(5) %pa
  %l1 = add i32 %l, %t
  store i32 %l1, ptr addrspace(5) %pa
  store i32 %l1, ptr addrspace(1) %p
  br i1 %last, label %end, label %on
end:
  call void @llvm.lifetime.end.p5(i64 64, ptr addrspace(5) %a)
  %l2 = udiv i32 %t, %n
  store i32 %l2, ptr addrspace(1) %p
  br label %on
on:
  br label %latch
right:
  %r = load i32, ptr addrspace(1) %p
  %r1 = add i32 %r, %t
  store i32 %r1, ptr addrspace(1) %p
  br i1 %last, label %other, label %over
other:
  %r2 = udiv i32 %t, %m
  store i32 %r2, ptr addrspace(1) %p
  br label %over
over:
  br label %latch
latch:
  %next = add i32 %k, 1
  %e = icmp eq i32 %next, %n
  br i1 %e, label %done, label %loop
done:
  ret void
}

; Somebody keeps the address.
; CHECK-LABEL: @address_kept(
; CHECK-NOT: lifetime
; CHECK: ret void
define amdgpu_kernel void @address_kept(ptr addrspace(1) %p, i32 %i, i32 %n, i32 %m) {
  %a = alloca [16 x i32], addrspace(5)
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  call void @llvm.lifetime.start.p5(i64 64, ptr addrspace(5) %a)
  call void @keep(ptr addrspace(5) %a)
  %l = mul i32 %tid, %n
  %l1 = udiv i32 %l, %n
  store i32 %l1, ptr addrspace(1) %p
  call void @llvm.lifetime.end.p5(i64 64, ptr addrspace(5) %a)
  br label %join
right:
  %r = mul i32 %tid, %m
  %r1 = udiv i32 %r, %m
  store i32 %r1, ptr addrspace(1) %p
  br label %join
join:
  ret void
}

; Nobody does.
; CHECK-LABEL: @address_lent(
; CHECK: call void @llvm.lifetime.start.p5(i64 64, ptr addrspace(5) %a)
; CHECK: call void @read
; CHECK: call void @llvm.lifetime.end.p5(i64 64, ptr addrspace(5) %a)
; CHECK: ret void
define amdgpu_kernel void @address_lent(ptr addrspace(1) %p, i32 %i, i32 %n, i32 %m) {
  %a = alloca [16 x i32], addrspace(5)
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  call void @llvm.lifetime.start.p5(i64 64, ptr addrspace(5) %a)
  call void @read(ptr addrspace(5) nocapture %a)
  %l = mul i32 %tid, %n
  %l1 = udiv i32 %l, %n
  store i32 %l1, ptr addrspace(1) %p
  call void @llvm.lifetime.end.p5(i64 64, ptr addrspace(5) %a)
  br label %join
right:
  %r = mul i32 %tid, %m
  %r1 = udiv i32 %r, %m
  store i32 %r1, ptr addrspace(1) %p
  br label %join
join:
  ret void
}

; An access behind the join.
; CHECK-LABEL: @used_behind(
; CHECK-NOT: lifetime
; CHECK: ret void
define amdgpu_kernel void @used_behind(ptr addrspace(1) %p, i32 %i, i32 %n, i32 %m) {
  %a = alloca [16 x i32], addrspace(5)
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  %pa = getelementptr [16 x i32], ptr addrspace(5) %a, i32 0, i32 %i
  br i1 %c, label %left, label %right
left:
  call void @llvm.lifetime.start.p5(i64 64, ptr addrspace(5) %a)
  store i32 %n, ptr addrspace(5) %pa
  %l = mul i32 %tid, %n
  %l1 = udiv i32 %l, %n
  store i32 %l1, ptr addrspace(1) %p
  br label %join
right:
  %r = mul i32 %tid, %m
  %r1 = udiv i32 %r, %m
  store i32 %r1, ptr addrspace(1) %p
  br label %join
join:
  br i1 %c, label %again, label %done
again:
  %v = load i32, ptr addrspace(5) %pa
  store i32 %v, ptr addrspace(1) %p
  br label %done
done:
  ret void
}

; A marker of what may be either of two: both objects lose theirs.
; CHECK-LABEL: @chosen_object(
; CHECK-NOT: lifetime
; CHECK: ret void
define amdgpu_kernel void @chosen_object(ptr addrspace(1) %p, i32 %i, i32 %n, i32 %m) {
  %a = alloca [16 x i32], addrspace(5)
  %b = alloca [16 x i32], addrspace(5)
  call void @llvm.lifetime.start.p5(i64 64, ptr addrspace(5) %a)
  call void @llvm.lifetime.start.p5(i64 64, ptr addrspace(5) %b)
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  %two = and i32 %tid, 2
  %d = icmp eq i32 %two, 0
  %ab = select i1 %d, ptr addrspace(5) %a, ptr addrspace(5) %b
  store i32 %n, ptr addrspace(5) %a
  store i32 %m, ptr addrspace(5) %b
  br i1 %c, label %left, label %right
left:
  call void @llvm.lifetime.end.p5(i64 64, ptr addrspace(5) %ab)
  %l = mul i32 %tid, %n
  %l1 = udiv i32 %l, %n
  store i32 %l1, ptr addrspace(1) %p
  br label %join
right:
  %r = mul i32 %tid, %m
  %r1 = udiv i32 %r, %m
  store i32 %r1, ptr addrspace(1) %p
  br label %join
join:
  call void @llvm.lifetime.end.p5(i64 64, ptr addrspace(5) %a)
  ret void
}

; CHECK-DAG: ![[LIST]] = !{![[S:[0-9]+]]}
; CHECK-DAG: ![[BOTH]] = !{![[T:[0-9]+]], ![[S]]}
; CHECK-DAG: ![[S]] = distinct !{![[S]], !{{[0-9]+}}, !"left"}
; CHECK-DAG: ![[T]] = distinct !{![[T]], !{{[0-9]+}}, !"right"}
; CHECK-DAG: ![[COMMON]] = !{![[U:[0-9]+]]}
; CHECK-DAG: ![[U]] = distinct !{![[U]], !{{[0-9]+}}, !"common"}
!0 = distinct !{!0}
!1 = distinct !{!1, !0, !"left"}
!2 = !{!1}
!3 = distinct !{!3, !0, !"right"}
!4 = !{!3}
!5 = distinct !{!5, !0, !"common"}
!6 = !{!5}
