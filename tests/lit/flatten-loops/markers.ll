; What only the nest gave a meaning goes: scopes that begin in it, lifetimes of objects, promises of its loops. What was
; true of the whole kernel stays.
; RUN: %opt -passes='meld-flatten-loops<flatten-steps=2>,verify' -S %s | FileCheck %s

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"
declare i32 @llvm.amdgcn.workitem.id.x()
declare void @llvm.experimental.noalias.scope.decl(metadata)
declare void @llvm.lifetime.start.p5(i64, ptr addrspace(5))
declare void @llvm.lifetime.end.p5(i64, ptr addrspace(5))

; CHECK-LABEL: @nest(
; CHECK-NOT: llvm.lifetime
; CHECK-NOT: llvm.experimental.noalias.scope.decl
; CHECK: %e = load i32, ptr addrspace(1) %p, align 4{{$}}
; CHECK: %f = load i32, ptr addrspace(5) %slot, align 4{{$}}
; CHECK: br i1 %more, label %inner.step2, label %after{{$}}
; CHECK: store i32 %t.lcssa, ptr addrspace(1) %o, align 4, !noalias ![[KEPT:[0-9]+]]
; CHECK: br i1 %again, label %outer.anew, label %exit{{$}}
; CHECK-NOT: llvm.lifetime
; CHECK: load i32, ptr addrspace(1) %in, align 4, !alias.scope ![[KEPT]]
; CHECK-NOT: llvm.lifetime
; CHECK: inner.step2:
; CHECK-NOT: !llvm.loop
; CHECK: outer.turn:
define amdgpu_kernel void @nest(ptr addrspace(1) %out, ptr addrspace(1) %in, i32 %n) #0 {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %slot = alloca i32, addrspace(5)
  br label %outer
outer:
  %r = phi i32 [ %x, %entry ], [ %next, %after ]
  call void @llvm.lifetime.start.p5(i64 4, ptr addrspace(5) %slot)
  call void @llvm.experimental.noalias.scope.decl(metadata !4)
  %p = getelementptr i32, ptr addrspace(1) %in, i32 %r
  %e = load i32, ptr addrspace(1) %p, !alias.scope !4
  store i32 %e, ptr addrspace(5) %slot
  br label %inner
inner:
  %i = phi i32 [ 0, %outer ], [ %j, %inner ]
  %f = load i32, ptr addrspace(5) %slot, !noalias !4
  %t = add i32 %f, %i
  store i32 %t, ptr addrspace(5) %slot
  %j = add i32 %i, 1
  %more = icmp slt i32 %j, %e
  br i1 %more, label %inner, label %after, !llvm.loop !6
after:
  %o = getelementptr i32, ptr addrspace(1) %out, i32 %r
  store i32 %t, ptr addrspace(1) %o, !noalias !1
  call void @llvm.lifetime.end.p5(i64 4, ptr addrspace(5) %slot)
  %next = add i32 %r, 64
  %again = icmp slt i32 %next, %n
  br i1 %again, label %outer, label %exit, !llvm.loop !7
exit:
  %w = load i32, ptr addrspace(1) %in, !alias.scope !1
  store i32 %w, ptr addrspace(1) %out
  ret void
}
attributes #0 = { "amdgpu-flat-work-group-size"="1,256" }
!0 = distinct !{!0, !"kept"}
!1 = !{!2}
!2 = distinct !{!2, !0, !"whole kernel"}
!3 = distinct !{!3, !0, !"an item's"}
!4 = !{!3}
!5 = !{!"llvm.loop.mustprogress"}
!6 = distinct !{!6, !5}
!7 = distinct !{!7, !5}
