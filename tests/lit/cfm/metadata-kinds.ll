; Which kinds of metadata a merged instruction keeps, and what the back end believes of whole waves.
; RUN: %opt -passes=meld-cfm -S %s | FileCheck %s
; RUN: %opt -passes=meld-cfm %s | %llc -mcpu=gfx90a -o /dev/null

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"

declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.smax.i32(i32, i32)

; Each side's index is one for the wave, the merged one is not; nor is what is made of it, by
; either side alone.
; CHECK-LABEL: @wave_notes(
; CHECK-NOT: amdgpu.uniform
; CHECK: ret void
define amdgpu_kernel void @wave_notes(ptr addrspace(1) %p, ptr addrspace(1) %q, i32 %n, i32 %m) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %l0 = mul i32 %n, %n, !amdgpu.uniform !0
  %l1 = udiv i32 %l0, %m, !amdgpu.uniform !0
  %lp = getelementptr i32, ptr addrspace(1) %q, i32 %l1, !amdgpu.uniform !0
  %l = load i32, ptr addrspace(1) %lp, !amdgpu.uniform !0
  %lx = xor i32 %l1, %m, !amdgpu.uniform !0
  %ls = sub i32 %l, %lx
  store i32 %ls, ptr addrspace(1) %p
  br label %join
right:
  %r0 = mul i32 %m, %m, !amdgpu.uniform !0
  %r1 = udiv i32 %r0, %n, !amdgpu.uniform !0
  %rp = getelementptr i32, ptr addrspace(1) %q, i32 %r1, !amdgpu.uniform !0
  %r = load i32, ptr addrspace(1) %rp, !amdgpu.uniform !0
  store i32 %r, ptr addrspace(1) %p
  br label %join
join:
  ret void
}

; Branches that each went one way for the wave.
; CHECK-LABEL: @wave_branches(
; CHECK-NOT: structurizecfg.uniform
; CHECK-NOT: amdgpu.uniform
; CHECK: ret void
define amdgpu_kernel void @wave_branches(ptr addrspace(1) %p, i32 %n, i32 %m) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %lc = icmp eq i32 %n, 7
  br i1 %lc, label %left.then, label %left.end, !structurizecfg.uniform !0, !amdgpu.uniform !0
left.then:
  %l = mul i32 %tid, 11
  store i32 %l, ptr addrspace(1) %p
  br label %left.end
left.end:
  br label %join
right:
  %rc = icmp eq i32 %m, 8
  br i1 %rc, label %right.then, label %right.end, !structurizecfg.uniform !0, !amdgpu.uniform !0
right.then:
  %r = mul i32 %tid, 13
  store i32 %r, ptr addrspace(1) %p
  br label %right.end
right.end:
  br label %join
join:
  ret void
}

; What both promise of their memory.
; CHECK-LABEL: @same_promise(
; CHECK: atomicrmw add {{.*}}, !amdgpu.no.fine.grained.memory ![[EMPTY:[0-9]+]]{{$}}
; CHECK: load i32, ptr addrspace(1) %{{[^,]*}}, align 4, !llvm.access.group ![[GROUP:[0-9]+]]{{$}}
; CHECK-NOT: load
; CHECK: ret void
define amdgpu_kernel void @same_promise(ptr addrspace(1) %p, ptr addrspace(1) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %lp = getelementptr i32, ptr addrspace(1) %p, i32 %tid
  %la = atomicrmw add ptr addrspace(1) %p, i32 1 monotonic, !amdgpu.no.fine.grained.memory !0, !amdgpu.no.remote.memory !0
  %l = load i32, ptr addrspace(1) %lp, !llvm.access.group !1, !invariant.group !0, !annotation !4
  %l1 = mul i32 %l, 3
  store i32 %l1, ptr addrspace(1) %lp, !llvm.access.group !1
  br label %join
right:
  %rp = getelementptr i32, ptr addrspace(1) %q, i32 %tid
  %ra = atomicrmw add ptr addrspace(1) %q, i32 1 monotonic, !amdgpu.no.fine.grained.memory !0
  %r = load i32, ptr addrspace(1) %rp, !llvm.access.group !1, !invariant.group !0, !annotation !4
  %r1 = mul i32 %r, 5
  store i32 %r1, ptr addrspace(1) %rp, !llvm.access.group !2
  br label %join
join:
  ret void
}

; In none of two groups.
; CHECK-LABEL: @groups_of_two_loops(
; CHECK-NOT: access.group
; CHECK: ret void
define amdgpu_kernel void @groups_of_two_loops(ptr addrspace(1) %p, ptr addrspace(1) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %lp = getelementptr i32, ptr addrspace(1) %p, i32 %tid
  %l = load i32, ptr addrspace(1) %lp, !llvm.access.group !1
  %l1 = mul i32 %l, 3
  store i32 %l1, ptr addrspace(1) %lp
  br label %join
right:
  %rp = getelementptr i32, ptr addrspace(1) %q, i32 %tid
  %r = load i32, ptr addrspace(1) %rp, !llvm.access.group !2
  %r1 = mul i32 %r, 5
  store i32 %r1, ptr addrspace(1) %rp
  br label %join
join:
  ret void
}

; Both sides end with the way back of the loop around.
; CHECK-LABEL: @way_back(
; CHECK: udiv
; CHECK: br label %loop, !llvm.loop ![[LOOP:[0-9]+]]
; CHECK: ret void
define amdgpu_kernel void @way_back(ptr addrspace(1) %p, i32 %n, i32 %m) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br label %loop
loop:
  %i = phi i32 [ 0, %0 ], [ %l.next, %left ], [ %r.next, %right ]
  %e = icmp eq i32 %i, %n
  br i1 %e, label %done, label %body
body:
  br i1 %c, label %left, label %right
left:
  %l = udiv i32 %tid, %n
  store i32 %l, ptr addrspace(1) %p
  %l.next = add i32 %i, 1
  br label %loop, !llvm.loop !5
right:
  %r = udiv i32 %tid, %m
  store i32 %r, ptr addrspace(1) %p
  %r.next = add i32 %i, 2
  br label %loop, !llvm.loop !5
done:
  ret void
}

; `noundef` of the first operand on either side, which the exchange would put on the second: the
; shared operand comes first on the left and second on the right.
; CHECK-LABEL: @exchanged_promise(
; CHECK: call i32 @llvm.smax.i32(i32 %{{[^)]*}}, i32 %{{[^)]*}}){{$}}
; CHECK-NOT: smax
; CHECK: ret void
define amdgpu_kernel void @exchanged_promise(ptr addrspace(3) %p, ptr addrspace(3) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %l = load i32, ptr addrspace(3) %p
  %l1 = call i32 @llvm.smax.i32(i32 noundef %tid, i32 %l)
  store i32 %l1, ptr addrspace(3) %p
  br label %join
right:
  %r = load i32, ptr addrspace(3) %q
  %r1 = call i32 @llvm.smax.i32(i32 noundef %r, i32 %tid)
  store i32 %r1, ptr addrspace(3) %q
  br label %join
join:
  ret void
}

; The promise that goes with the operand stays.
; CHECK-LABEL: @promise_goes_along(
; CHECK: call i32 @llvm.smax.i32(i32 noundef %tid, i32 %{{[^)]*}}){{$}}
; CHECK-NOT: smax
; CHECK: ret void
define amdgpu_kernel void @promise_goes_along(ptr addrspace(3) %p, ptr addrspace(3) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %l = load i32, ptr addrspace(3) %p
  %l1 = call i32 @llvm.smax.i32(i32 noundef %tid, i32 %l)
  store i32 %l1, ptr addrspace(3) %p
  br label %join
right:
  %r = load i32, ptr addrspace(3) %q
  %r1 = call i32 @llvm.smax.i32(i32 %r, i32 noundef %tid)
  store i32 %r1, ptr addrspace(3) %q
  br label %join
join:
  ret void
}

; CHECK-DAG: ![[LOOP]] = distinct !{![[LOOP]], !{{[0-9]+}}}
; CHECK-DAG: ![[GROUP]] = distinct !{}
; CHECK-DAG: ![[EMPTY]] = !{}
!0 = !{}
!1 = distinct !{}
!2 = distinct !{}
!4 = !{!"auto-init"}
!5 = distinct !{!5, !6}
!6 = !{!"llvm.loop.mustprogress"}
