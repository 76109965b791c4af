; A pair saves its instruction only when both sides run: counts of a profile at the branch weigh the gain.
; RUN: %opt -passes=meld-cfm -S %s | FileCheck %s
; With tests' option all that is legal is melded, whatever was counted.
; RUN: %opt -passes='meld-cfm<force>' -S %s | FileCheck %s --check-prefix=FORCE

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"

declare i32 @llvm.amdgcn.workitem.id.x()

; Nobody knows: both sides are taken to run.
; CHECK-LABEL: @unknown(
; CHECK: = select
; CHECK-NOT: br i1
; CHECK: ret void
; FORCE-LABEL: @unknown(
; FORCE-NOT: br i1
; FORCE: ret void
define amdgpu_kernel void @unknown(ptr addrspace(3) %p) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  %a = zext i32 %tid to i64
  %b = mul i64 %a, %a
  br i1 %c, label %left, label %right
left:
  %l1 = mul i64 %a, %b
  %l2 = mul i64 %l1, %l1
  %l3 = mul i64 %l2, %l2
  br label %join
right:
  %r1 = mul i64 %b, %b
  %r2 = mul i64 %r1, %r1
  %r3 = mul i64 %r2, %r2
  br label %join
join:
  %v = phi i64 [ %l3, %left ], [ %r3, %right ]
  %v0 = phi i64 [ 0, %left ], [ 100, %right ]
  %v1 = phi i64 [ 1, %left ], [ 101, %right ]
  %v2 = phi i64 [ 2, %left ], [ 102, %right ]
  %v3 = phi i64 [ 3, %left ], [ 103, %right ]
  %v4 = phi i64 [ 4, %left ], [ 104, %right ]
  %v5 = phi i64 [ 5, %left ], [ 105, %right ]
  %v6 = phi i64 [ 6, %left ], [ 106, %right ]
  %v7 = phi i64 [ 7, %left ], [ 107, %right ]
  %v8 = phi i64 [ 8, %left ], [ 108, %right ]
  store i64 %v, ptr addrspace(3) %p
  %p0 = getelementptr i64, ptr addrspace(3) %p, i32 1
  store i64 %v0, ptr addrspace(3) %p0
  %p1 = getelementptr i64, ptr addrspace(3) %p, i32 2
  store i64 %v1, ptr addrspace(3) %p1
  %p2 = getelementptr i64, ptr addrspace(3) %p, i32 3
  store i64 %v2, ptr addrspace(3) %p2
  %p3 = getelementptr i64, ptr addrspace(3) %p, i32 4
  store i64 %v3, ptr addrspace(3) %p3
  %p4 = getelementptr i64, ptr addrspace(3) %p, i32 5
  store i64 %v4, ptr addrspace(3) %p4
  %p5 = getelementptr i64, ptr addrspace(3) %p, i32 6
  store i64 %v5, ptr addrspace(3) %p5
  %p6 = getelementptr i64, ptr addrspace(3) %p, i32 7
  store i64 %v6, ptr addrspace(3) %p6
  %p7 = getelementptr i64, ptr addrspace(3) %p, i32 8
  store i64 %v7, ptr addrspace(3) %p7
  %p8 = getelementptr i64, ptr addrspace(3) %p, i32 9
  store i64 %v8, ptr addrspace(3) %p8
  ret void
}

; Counted: in every wave.
; CHECK-LABEL: @always(
; CHECK: = select
; CHECK-NOT: br i1
; CHECK: ret void
; FORCE-LABEL: @always(
; FORCE-NOT: br i1
; FORCE: ret void
define amdgpu_kernel void @always(ptr addrspace(3) %p) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  %a = zext i32 %tid to i64
  %b = mul i64 %a, %a
  br i1 %c, label %left, label %right, !meld.profile !0
left:
  %l1 = mul i64 %a, %b
  %l2 = mul i64 %l1, %l1
  %l3 = mul i64 %l2, %l2
  br label %join
right:
  %r1 = mul i64 %b, %b
  %r2 = mul i64 %r1, %r1
  %r3 = mul i64 %r2, %r2
  br label %join
join:
  %v = phi i64 [ %l3, %left ], [ %r3, %right ]
  %v0 = phi i64 [ 0, %left ], [ 100, %right ]
  %v1 = phi i64 [ 1, %left ], [ 101, %right ]
  %v2 = phi i64 [ 2, %left ], [ 102, %right ]
  %v3 = phi i64 [ 3, %left ], [ 103, %right ]
  %v4 = phi i64 [ 4, %left ], [ 104, %right ]
  %v5 = phi i64 [ 5, %left ], [ 105, %right ]
  %v6 = phi i64 [ 6, %left ], [ 106, %right ]
  %v7 = phi i64 [ 7, %left ], [ 107, %right ]
  %v8 = phi i64 [ 8, %left ], [ 108, %right ]
  store i64 %v, ptr addrspace(3) %p
  %p0 = getelementptr i64, ptr addrspace(3) %p, i32 1
  store i64 %v0, ptr addrspace(3) %p0
  %p1 = getelementptr i64, ptr addrspace(3) %p, i32 2
  store i64 %v1, ptr addrspace(3) %p1
  %p2 = getelementptr i64, ptr addrspace(3) %p, i32 3
  store i64 %v2, ptr addrspace(3) %p2
  %p3 = getelementptr i64, ptr addrspace(3) %p, i32 4
  store i64 %v3, ptr addrspace(3) %p3
  %p4 = getelementptr i64, ptr addrspace(3) %p, i32 5
  store i64 %v4, ptr addrspace(3) %p4
  %p5 = getelementptr i64, ptr addrspace(3) %p, i32 6
  store i64 %v5, ptr addrspace(3) %p5
  %p6 = getelementptr i64, ptr addrspace(3) %p, i32 7
  store i64 %v6, ptr addrspace(3) %p6
  %p7 = getelementptr i64, ptr addrspace(3) %p, i32 8
  store i64 %v7, ptr addrspace(3) %p7
  %p8 = getelementptr i64, ptr addrspace(3) %p, i32 9
  store i64 %v8, ptr addrspace(3) %p8
  ret void
}

; In one of a hundred: the values that differ cost more than that.
; CHECK-LABEL: @seldom(
; CHECK: br i1 %c, label %left, label %right
; CHECK: ret void
; FORCE-LABEL: @seldom(
; FORCE-NOT: br i1
; FORCE: ret void
define amdgpu_kernel void @seldom(ptr addrspace(3) %p) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  %a = zext i32 %tid to i64
  %b = mul i64 %a, %a
  br i1 %c, label %left, label %right, !meld.profile !1
left:
  %l1 = mul i64 %a, %b
  %l2 = mul i64 %l1, %l1
  %l3 = mul i64 %l2, %l2
  br label %join
right:
  %r1 = mul i64 %b, %b
  %r2 = mul i64 %r1, %r1
  %r3 = mul i64 %r2, %r2
  br label %join
join:
  %v = phi i64 [ %l3, %left ], [ %r3, %right ]
  %v0 = phi i64 [ 0, %left ], [ 100, %right ]
  %v1 = phi i64 [ 1, %left ], [ 101, %right ]
  %v2 = phi i64 [ 2, %left ], [ 102, %right ]
  %v3 = phi i64 [ 3, %left ], [ 103, %right ]
  %v4 = phi i64 [ 4, %left ], [ 104, %right ]
  %v5 = phi i64 [ 5, %left ], [ 105, %right ]
  %v6 = phi i64 [ 6, %left ], [ 106, %right ]
  %v7 = phi i64 [ 7, %left ], [ 107, %right ]
  %v8 = phi i64 [ 8, %left ], [ 108, %right ]
  store i64 %v, ptr addrspace(3) %p
  %p0 = getelementptr i64, ptr addrspace(3) %p, i32 1
  store i64 %v0, ptr addrspace(3) %p0
  %p1 = getelementptr i64, ptr addrspace(3) %p, i32 2
  store i64 %v1, ptr addrspace(3) %p1
  %p2 = getelementptr i64, ptr addrspace(3) %p, i32 3
  store i64 %v2, ptr addrspace(3) %p2
  %p3 = getelementptr i64, ptr addrspace(3) %p, i32 4
  store i64 %v3, ptr addrspace(3) %p3
  %p4 = getelementptr i64, ptr addrspace(3) %p, i32 5
  store i64 %v4, ptr addrspace(3) %p4
  %p5 = getelementptr i64, ptr addrspace(3) %p, i32 6
  store i64 %v5, ptr addrspace(3) %p5
  %p6 = getelementptr i64, ptr addrspace(3) %p, i32 7
  store i64 %v6, ptr addrspace(3) %p6
  %p7 = getelementptr i64, ptr addrspace(3) %p, i32 8
  store i64 %v7, ptr addrspace(3) %p7
  %p8 = getelementptr i64, ptr addrspace(3) %p, i32 9
  store i64 %v8, ptr addrspace(3) %p8
  ret void
}

; The branch did not run at all.
; CHECK-LABEL: @never(
; CHECK: br i1 %c, label %left, label %right
; CHECK: ret void
; FORCE-LABEL: @never(
; FORCE-NOT: br i1
; FORCE: ret void
define amdgpu_kernel void @never(ptr addrspace(3) %p) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  %a = zext i32 %tid to i64
  %b = mul i64 %a, %a
  br i1 %c, label %left, label %right, !meld.profile !2
left:
  %l1 = mul i64 %a, %b
  %l2 = mul i64 %l1, %l1
  %l3 = mul i64 %l2, %l2
  br label %join
right:
  %r1 = mul i64 %b, %b
  %r2 = mul i64 %r1, %r1
  %r3 = mul i64 %r2, %r2
  br label %join
join:
  %v = phi i64 [ %l3, %left ], [ %r3, %right ]
  %v0 = phi i64 [ 0, %left ], [ 100, %right ]
  %v1 = phi i64 [ 1, %left ], [ 101, %right ]
  %v2 = phi i64 [ 2, %left ], [ 102, %right ]
  %v3 = phi i64 [ 3, %left ], [ 103, %right ]
  %v4 = phi i64 [ 4, %left ], [ 104, %right ]
  %v5 = phi i64 [ 5, %left ], [ 105, %right ]
  %v6 = phi i64 [ 6, %left ], [ 106, %right ]
  %v7 = phi i64 [ 7, %left ], [ 107, %right ]
  %v8 = phi i64 [ 8, %left ], [ 108, %right ]
  store i64 %v, ptr addrspace(3) %p
  %p0 = getelementptr i64, ptr addrspace(3) %p, i32 1
  store i64 %v0, ptr addrspace(3) %p0
  %p1 = getelementptr i64, ptr addrspace(3) %p, i32 2
  store i64 %v1, ptr addrspace(3) %p1
  %p2 = getelementptr i64, ptr addrspace(3) %p, i32 3
  store i64 %v2, ptr addrspace(3) %p2
  %p3 = getelementptr i64, ptr addrspace(3) %p, i32 4
  store i64 %v3, ptr addrspace(3) %p3
  %p4 = getelementptr i64, ptr addrspace(3) %p, i32 5
  store i64 %v4, ptr addrspace(3) %p4
  %p5 = getelementptr i64, ptr addrspace(3) %p, i32 6
  store i64 %v5, ptr addrspace(3) %p5
  %p6 = getelementptr i64, ptr addrspace(3) %p, i32 7
  store i64 %v6, ptr addrspace(3) %p6
  %p7 = getelementptr i64, ptr addrspace(3) %p, i32 8
  store i64 %v7, ptr addrspace(3) %p7
  %p8 = getelementptr i64, ptr addrspace(3) %p, i32 9
  store i64 %v8, ptr addrspace(3) %p8
  ret void
}

; Not as we write it: as unknown.
; CHECK-LABEL: @damaged(
; CHECK: = select
; CHECK-NOT: br i1
; CHECK: ret void
; FORCE-LABEL: @damaged(
; FORCE-NOT: br i1
; FORCE: ret void
define amdgpu_kernel void @damaged(ptr addrspace(3) %p) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  %a = zext i32 %tid to i64
  %b = mul i64 %a, %a
  br i1 %c, label %left, label %right, !meld.profile !3
left:
  %l1 = mul i64 %a, %b
  %l2 = mul i64 %l1, %l1
  %l3 = mul i64 %l2, %l2
  br label %join
right:
  %r1 = mul i64 %b, %b
  %r2 = mul i64 %r1, %r1
  %r3 = mul i64 %r2, %r2
  br label %join
join:
  %v = phi i64 [ %l3, %left ], [ %r3, %right ]
  %v0 = phi i64 [ 0, %left ], [ 100, %right ]
  %v1 = phi i64 [ 1, %left ], [ 101, %right ]
  %v2 = phi i64 [ 2, %left ], [ 102, %right ]
  %v3 = phi i64 [ 3, %left ], [ 103, %right ]
  %v4 = phi i64 [ 4, %left ], [ 104, %right ]
  %v5 = phi i64 [ 5, %left ], [ 105, %right ]
  %v6 = phi i64 [ 6, %left ], [ 106, %right ]
  %v7 = phi i64 [ 7, %left ], [ 107, %right ]
  %v8 = phi i64 [ 8, %left ], [ 108, %right ]
  store i64 %v, ptr addrspace(3) %p
  %p0 = getelementptr i64, ptr addrspace(3) %p, i32 1
  store i64 %v0, ptr addrspace(3) %p0
  %p1 = getelementptr i64, ptr addrspace(3) %p, i32 2
  store i64 %v1, ptr addrspace(3) %p1
  %p2 = getelementptr i64, ptr addrspace(3) %p, i32 3
  store i64 %v2, ptr addrspace(3) %p2
  %p3 = getelementptr i64, ptr addrspace(3) %p, i32 4
  store i64 %v3, ptr addrspace(3) %p3
  %p4 = getelementptr i64, ptr addrspace(3) %p, i32 5
  store i64 %v4, ptr addrspace(3) %p4
  %p5 = getelementptr i64, ptr addrspace(3) %p, i32 6
  store i64 %v5, ptr addrspace(3) %p5
  %p6 = getelementptr i64, ptr addrspace(3) %p, i32 7
  store i64 %v6, ptr addrspace(3) %p6
  %p7 = getelementptr i64, ptr addrspace(3) %p, i32 8
  store i64 %v7, ptr addrspace(3) %p7
  %p8 = getelementptr i64, ptr addrspace(3) %p, i32 9
  store i64 %v8, ptr addrspace(3) %p8
  ret void
}

!0 = !{i64 100, i64 100}
!1 = !{i64 100, i64 1}
!2 = !{i64 0, i64 0}
!3 = !{i64 100}
