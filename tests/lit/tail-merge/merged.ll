; What several sides do last is done once where they meet; differences come by phi.
; RUN: %opt -passes=meld-tail-merge -S %s | FileCheck %s
; RUN: %opt -passes=meld-tail-merge %s | %llc -mcpu=gfx90a -o /dev/null
; RUN: %opt -passes=meld-tail-merge -disable-output -pass-remarks=meld %s 2>&1 | FileCheck %s --check-prefix=REMARK
; Each melding is told: how many sides, and how many instructions are done once.
; REMARK: remark: {{.*}}meld-tail-merge melded %right (common tail): sides 2, instructions 3{{$}}
; REMARK: remark: {{.*}}meld-tail-merge melded %c2 (common tail): sides 3, instructions 2{{$}}

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"

declare i32 @llvm.amdgcn.workitem.id.x()
declare void @leaf(i32) nounwind willreturn readonly
declare i32 @llvm.amdgcn.ds.bpermute(i32, i32) convergent nounwind readnone

; A store and what leads to it; above that the sides have nothing in common.
; CHECK-LABEL: @stores(
; CHECK: left:
; CHECK-NEXT: %a = udiv i32 %n, %m
; CHECK-NEXT: br label %meld.tail
; CHECK: right:
; CHECK-NEXT: %x = load volatile i32
; CHECK-NEXT: br label %meld.tail
; CHECK: {{join|meld.tail}}:
; CHECK-DAG: %[[V:.*]] = phi i32 [ %x, %right ], [ %a, %left ]
; CHECK-DAG: %[[P:.*]] = phi ptr addrspace(1) [ %h, %right ], [ %g, %left ]
; CHECK: %[[S:.*]] = mul i32 %n, %[[V]]
; CHECK-NEXT: %[[T:.*]] = xor i32 %[[S]], 5
; CHECK-NEXT: store i32 %[[T]], ptr addrspace(1) %[[P]]
; CHECK-NEXT: ret void
define amdgpu_kernel void @stores(ptr addrspace(1) %p, ptr addrspace(1) %q, i32 %n, i32 %m) {
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %g = getelementptr i32, ptr addrspace(1) %p, i32 %tid
  %h = getelementptr i32, ptr addrspace(1) %q, i32 %tid
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %a = udiv i32 %n, %m
  %b = mul i32 %a, %n
  %d = xor i32 %b, 5
  store i32 %d, ptr addrspace(1) %g
  br label %join
right:
  %x = load volatile i32, ptr addrspace(1) %q
  %y = mul i32 %n, %x
  %z = xor i32 %y, 5
  store i32 %z, ptr addrspace(1) %h
  br label %join
join:
  ret void
}

; Calls that do not care which threads make them; attributes alike.
; CHECK-LABEL: @calls(
; CHECK: %[[V:.*]] = phi i32 [ %m, %right ], [ %n, %left ]
; CHECK: call void @leaf(i32 %[[V]])
; CHECK-NOT: call
; CHECK: ret void
define amdgpu_kernel void @calls(ptr addrspace(1) %p, ptr addrspace(1) %q, i32 %n, i32 %m) {
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %g = getelementptr i32, ptr addrspace(1) %p, i32 %tid
  %h = getelementptr i32, ptr addrspace(1) %q, i32 %tid
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  store i32 1, ptr addrspace(1) %g
  call void @leaf(i32 %n)
  br label %join
right:
  %o = atomicrmw add ptr addrspace(1) %g, i32 7 monotonic
  call void @leaf(i32 %m)
  br label %join
join:
  ret void
}

; Flags, metadata and alignment: what both promise.
; CHECK-LABEL: @promises(
; CHECK: %[[L:.*]] = load i32, ptr addrspace(1) %{{.*}}, align 2{{$}}
; CHECK-NEXT: add nsw i32 %[[L]], 3
; CHECK: ret void
define amdgpu_kernel void @promises(ptr addrspace(1) %p, ptr addrspace(1) %q, i32 %n, i32 %m) {
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %g = getelementptr i32, ptr addrspace(1) %p, i32 %tid
  %h = getelementptr i32, ptr addrspace(1) %q, i32 %tid
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  store i32 1, ptr addrspace(1) %p
  %a = load i32, ptr addrspace(1) %g, align 8, !range !0
  %b = add nuw nsw i32 %a, 3
  store i32 %b, ptr addrspace(1) %g
  br label %join
right:
  %o = atomicrmw add ptr addrspace(1) %p, i32 7 monotonic
  %x = load i32, ptr addrspace(1) %h, align 2, !noundef !1
  %y = add nsw i32 %x, 3
  store i32 %y, ptr addrspace(1) %h
  br label %join
join:
  ret void
}

; Three cases of a switch of four, and a value that a phi takes on.
; CHECK-LABEL: @cases(
; CHECK: meld.tail:
; CHECK-DAG: phi i32
; CHECK-DAG: phi ptr addrspace(1)
; CHECK: %[[L:.*]] = load i32
; CHECK: %[[D:.*]] = udiv i32 %[[L]]
; CHECK: br label %join
; CHECK: join:
; CHECK: %v = phi i32
; CHECK-DAG: [ %[[D]], %meld.tail ]
; CHECK-DAG: [ 4, %c3 ]
; CHECK: ret void
define amdgpu_kernel void @cases(ptr addrspace(1) %p, i32 %n) {
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %g = getelementptr i32, ptr addrspace(1) %p, i32 %tid
  %s = load i32, ptr addrspace(1) %g
  switch i32 %s, label %c0 [
    i32 1, label %c1
    i32 2, label %c2
    i32 3, label %c3
  ]
c0:
  %p0 = getelementptr i32, ptr addrspace(1) %g, i32 1
  %l0 = load i32, ptr addrspace(1) %p0
  %d0 = udiv i32 %l0, %n
  br label %join
c1:
  %p1 = getelementptr i32, ptr addrspace(1) %g, i32 %s
  fence acquire
  %l1 = load i32, ptr addrspace(1) %p1
  %d1 = udiv i32 %l1, %tid
  br label %join
c2:
  fence release
  %l2 = load i32, ptr addrspace(1) %g
  %d2 = udiv i32 %l2, 77
  br label %join
c3:
  store i32 1, ptr addrspace(1) %g
  br label %join
join:
  %v = phi i32 [ %d0, %c0 ], [ %d1, %c1 ], [ %d2, %c2 ], [ 4, %c3 ]
  store i32 %v, ptr addrspace(1) %p
  ret void
}

!0 = !{i32 0, i32 10}
!1 = !{}
