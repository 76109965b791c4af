; A loop's copy for waves that agree is run before what is left of the loop: what one round
; promises of its accesses is not promised of both.
; RUN: %opt -passes='meld-converged-loops<min-profit=-1000000>' -S %s | FileCheck %s

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"

declare i32 @llvm.amdgcn.workitem.id.x()
declare void @llvm.experimental.noalias.scope.decl(metadata)

; Three of each: together, the rest of the round in which the lanes part, and apart.
; CHECK-LABEL: @rounds(
; CHECK: loop:
; CHECK: scope.decl(metadata ![[APART:[0-9]+]])
; CHECK: load i32, {{.*}}, !alias.scope ![[APART]]
; CHECK: tail:
; CHECK: store i32 {{.*}}, !noalias ![[APART]]
; CHECK: loop.together:
; CHECK: scope.decl(metadata ![[TOGETHER:[0-9]+]])
; CHECK: load i32, {{.*}}, !alias.scope ![[TOGETHER]]
; CHECK: tail.together:
; CHECK: store i32 {{.*}}, !noalias ![[TOGETHER]]
; CHECK: tail.rest:
; CHECK: store i32 {{.*}}, !noalias ![[REST:[0-9]+]]
define amdgpu_kernel void @rounds(ptr addrspace(1) %p, ptr addrspace(1) %q, i32 %n) {
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %tail ]
  call void @llvm.experimental.noalias.scope.decl(metadata !2)
  %at = getelementptr i32, ptr addrspace(1) %p, i32 %i
  %v = load i32, ptr addrspace(1) %at, !alias.scope !2
  %left = icmp ult i32 %v, %tid
  br i1 %left, label %done, label %tail
tail:
  %to = getelementptr i32, ptr addrspace(1) %q, i32 %i
  store i32 %v, ptr addrspace(1) %to, !noalias !2
  %next = add i32 %i, 1
  br label %loop
done:
  ret void
}

; A value of an inner loop, used behind the outer one.
; CHECK-LABEL: @inner_value(
; CHECK: ret void
; CHECK: outer.together:
; CHECK: inner.together:
; CHECK: %v.together = mul
define amdgpu_kernel void @inner_value(ptr addrspace(1) %p, i32 %n) {
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  br label %outer
outer:
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]
  br label %inner
inner:
  %k = phi i32 [ 0, %outer ], [ %more, %inner ]
  %v = mul i32 %k, %n
  %more = add i32 %k, 1
  %full = icmp uge i32 %more, %n
  br i1 %full, label %latch, label %inner
latch:
  %next = add i32 %i, 1
  %e = icmp eq i32 %i, %tid
  br i1 %e, label %done, label %outer
done:
  store i32 %v, ptr addrspace(1) %p
  ret void
}

; CHECK-DAG: ![[APART]] = !{![[S:[0-9]+]]}
; CHECK-DAG: ![[S]] = distinct !{![[S]], !{{[0-9]+}}, !"here"}
; CHECK-DAG: ![[TOGETHER]] = !{![[T:[0-9]+]]}
; CHECK-DAG: ![[T]] = distinct !{![[T]], !{{[0-9]+}}, !"here:.together"}
; CHECK-DAG: ![[REST]] = !{![[R:[0-9]+]]}
; CHECK-DAG: ![[R]] = distinct !{![[R]], !{{[0-9]+}}, !"here:.rest"}
!0 = distinct !{!0}
!1 = distinct !{!1, !0, !"here"}
!2 = !{!1}
