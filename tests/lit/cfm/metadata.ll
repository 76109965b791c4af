; What only one side promises is dropped; what both promise is kept, in its weaker form.
; RUN: %opt -passes=meld-cfm -S %s | FileCheck %s

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"

declare i32 @llvm.amdgcn.workitem.id.x()

; CHECK-LABEL: @loads(
; CHECK: load i32, ptr addrspace(1) %{{[^,]*}}, align 4, !range ![[RANGE:[0-9]+]]{{$}}
define amdgpu_kernel void @loads(ptr addrspace(1) %p, ptr addrspace(1) %q, ptr addrspace(1) %o) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %lp = getelementptr i32, ptr addrspace(1) %p, i32 %tid
  %l = load i32, ptr addrspace(1) %lp, align 16, !range !0, !invariant.load !9, !noundef !9, !nontemporal !8
  %l1 = mul i32 %l, 3
  store i32 %l1, ptr addrspace(1) %o
  br label %join
right:
  %rp = getelementptr i32, ptr addrspace(1) %q, i32 %tid
  %r = load i32, ptr addrspace(1) %rp, align 4, !range !1
  %r1 = mul i32 %r, 3
  store i32 %r1, ptr addrspace(1) %o
  br label %join
join:
  ret void
}

; CHECK-LABEL: @both_promise(
; CHECK: load i32, ptr addrspace(1) %{{[^,]*}}, align 8, !invariant.load !{{[0-9]+}}, !noundef !{{[0-9]+}}
define amdgpu_kernel void @both_promise(ptr addrspace(1) %p, ptr addrspace(1) %q, ptr addrspace(1) %o) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %lp = getelementptr i32, ptr addrspace(1) %p, i32 %tid
  %l = load i32, ptr addrspace(1) %lp, align 8, !invariant.load !9, !noundef !9
  %l1 = mul i32 %l, 3
  store i32 %l1, ptr addrspace(1) %o
  br label %join
right:
  %rp = getelementptr i32, ptr addrspace(1) %q, i32 %tid
  %r = load i32, ptr addrspace(1) %rp, align 8, !invariant.load !9, !noundef !9
  %r1 = mul i32 %r, 3
  store i32 %r1, ptr addrspace(1) %o
  br label %join
join:
  ret void
}

; One type on the left, its parent on the right: the parent.
; CHECK-LABEL: @tbaa(
; CHECK: load i32, {{.*}}, !tbaa ![[CHAR:[0-9]+]]
define amdgpu_kernel void @tbaa(ptr addrspace(1) %p, ptr addrspace(1) %q, ptr addrspace(1) %o) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %lp = getelementptr i32, ptr addrspace(1) %p, i32 %tid
  %l = load i32, ptr addrspace(1) %lp, !tbaa !2
  %l1 = mul i32 %l, 3
  store i32 %l1, ptr addrspace(1) %o
  br label %join
right:
  %rp = getelementptr i32, ptr addrspace(1) %q, i32 %tid
  %r = load i32, ptr addrspace(1) %rp, !tbaa !3
  %r1 = mul i32 %r, 3
  store i32 %r1, ptr addrspace(1) %o
  br label %join
join:
  ret void
}

; CHECK-LABEL: @inbounds(
; CHECK: getelementptr i32, ptr addrspace(3)
; CHECK-NOT: inbounds
; CHECK: ret void
define amdgpu_kernel void @inbounds(ptr addrspace(3) %p, ptr addrspace(3) %q) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %lp = getelementptr inbounds i32, ptr addrspace(3) %p, i32 %tid
  store i32 1, ptr addrspace(3) %lp
  br label %join
right:
  %rp = getelementptr i32, ptr addrspace(3) %q, i32 %tid
  store i32 1, ptr addrspace(3) %rp
  br label %join
join:
  ret void
}

; CHECK-LABEL: @flags(
; CHECK: add nuw i32
; CHECK: lshr i32
; CHECK: sdiv exact i32
define amdgpu_kernel void @flags(ptr addrspace(3) %p, i32 %x, i32 %y) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %a = add nuw nsw i32 %x, %tid
  %b = lshr exact i32 %a, 1
  %d = sdiv exact i32 %b, 5
  store i32 %d, ptr addrspace(3) %p
  br label %join
right:
  %a2 = add nuw i32 %y, %tid
  %b2 = lshr i32 %a2, 1
  %d2 = sdiv exact i32 %b2, 5
  store i32 %d2, ptr addrspace(3) %p
  br label %join
join:
  ret void
}

; CHECK-LABEL: @fastmath(
; CHECK: fadd nnan contract float
; CHECK: fdiv contract float {{.*}}, !fpmath ![[FP:[0-9]+]]
; CHECK: ret void
; The same with the sides exchanged: it is the stricter that stays, not the left.
; CHECK-LABEL: @accuracy(
; CHECK: fdiv contract float {{.*}}, !fpmath ![[FP]]
; CHECK-NOT: fdiv
; CHECK: ret void
define amdgpu_kernel void @fastmath(ptr addrspace(3) %p, float %x, float %y) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %v = load float, ptr addrspace(3) %p
  %a = fadd nnan nsz contract float %x, %v
  %b = fdiv arcp contract float %a, %v, !fpmath !6
  store float %b, ptr addrspace(3) %p
  br label %join
right:
  %v2 = load float, ptr addrspace(3) %p
  %a2 = fadd nnan ninf contract float %y, %v2
  %b2 = fdiv contract float %a2, %v2, !fpmath !7
  store float %b2, ptr addrspace(3) %p
  br label %join
join:
  ret void
}

define amdgpu_kernel void @accuracy(ptr addrspace(3) %p, float %x, float %y) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %v = load float, ptr addrspace(3) %p
  %b = fdiv contract float %x, %v, !fpmath !7
  store float %b, ptr addrspace(3) %p
  br label %join
right:
  %v2 = load float, ptr addrspace(3) %p
  %b2 = fdiv contract float %y, %v2, !fpmath !6
  store float %b2, ptr addrspace(3) %p
  br label %join
join:
  ret void
}

; Contraction on one side only changes rounding: two instructions.
; CHECK-LABEL: @contract_differs(
; CHECK-DAG: fmul contract float
; CHECK-DAG: fmul float
define amdgpu_kernel void @contract_differs(ptr addrspace(3) %p, float %x) {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %bit = and i32 %tid, 1
  %c = icmp eq i32 %bit, 0
  br i1 %c, label %left, label %right
left:
  %v = load float, ptr addrspace(3) %p
  %a = fmul contract float %x, %v
  store float %a, ptr addrspace(3) %p
  br label %join
right:
  %v2 = load float, ptr addrspace(3) %p
  %a2 = fmul float %x, %v2
  store float %a2, ptr addrspace(3) %p
  br label %join
join:
  ret void
}

; CHECK-DAG: ![[RANGE]] = !{i32 0, i32 20}
; CHECK-DAG: ![[CHAR]] = !{![[CHARTYPE:[0-9]+]], ![[CHARTYPE]], i64 0}
; CHECK-DAG: ![[CHARTYPE]] = !{!"char", !{{[0-9]+}}}
; CHECK-DAG: ![[FP]] = !{float 1.000000e+00}
!0 = !{i32 0, i32 10}
!1 = !{i32 5, i32 20}
!2 = !{!4, !4, i64 0}
!3 = !{!5, !5, i64 0}
!4 = !{!"int", !5}
!5 = !{!"char", !10}
!6 = !{float 1.000000e+00}
!7 = !{float 2.500000e+00}
!8 = !{i32 1}
!9 = !{}
!10 = !{!"root"}
