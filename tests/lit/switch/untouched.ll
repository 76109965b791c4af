; What meld-switch must leave exactly as it is.
; RUN: %opt -passes=meld-switch -S %s -o %t.after
; RUN: %opt -S %s -o %t.before
; RUN: diff %t.before %t.after
; RUN: %opt -passes=meld-switch -disable-output -pass-remarks-missed=meld %s 2>&1 | FileCheck %s

; CHECK-DAG: meld-switch left %entry: switch does not diverge within a wave
; CHECK-DAG: meld-switch left %entry: a convergent operation on one side
; CHECK-DAG: meld-switch left %entry: no two cases look alike
; CHECK-DAG: meld-switch left %entry: cases look alike, but none is melded:

target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-n32:64-S32-A5-G1-ni:7"
target triple = "amdgcn-amd-amdhsa"

declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.ds.bpermute(i32, i32) convergent nounwind readnone

; On a kernel argument: the wave jumps as one.
define amdgpu_kernel void @uniform(ptr addrspace(1) %p, i32 %n) {
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %g = getelementptr i32, ptr addrspace(1) %p, i32 %tid
  %s = load i32, ptr addrspace(1) %g
  switch i32 %n, label %join [
    i32 0, label %c0
    i32 1, label %c1
    i32 2, label %c2
  ]
c0:
  %a.c0 = add i32 %tid, 1
  %p.c0 = getelementptr i32, ptr addrspace(1) %p, i32 %a.c0
  %l.c0 = load i32, ptr addrspace(1) %p.c0
  %m.c0 = mul i32 %l.c0, 5
  store i32 %m.c0, ptr addrspace(1) %p.c0
  br label %join
c1:
  %a.c1 = add i32 %tid, 4
  %p.c1 = getelementptr i32, ptr addrspace(1) %p, i32 %a.c1
  %l.c1 = load i32, ptr addrspace(1) %p.c1
  %m.c1 = mul i32 %l.c1, 6
  store i32 %m.c1, ptr addrspace(1) %p.c1
  br label %join
c2:
  %a.c2 = add i32 %tid, 7
  %p.c2 = getelementptr i32, ptr addrspace(1) %p, i32 %a.c2
  %l.c2 = load i32, ptr addrspace(1) %p.c2
  %m.c2 = mul i32 %l.c2, 7
  store i32 %m.c2, ptr addrspace(1) %p.c2
  br label %join
join:
  ret void
}

; A cross-lane operation in a case: others would take part in it.
define amdgpu_kernel void @convergent(ptr addrspace(1) %p) {
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %g = getelementptr i32, ptr addrspace(1) %p, i32 %tid
  %s = load i32, ptr addrspace(1) %g
  switch i32 %s, label %c1 [
    i32 0, label %c0
  ]
c0:
  %a.c0 = add i32 %tid, 1
  %p.c0 = getelementptr i32, ptr addrspace(1) %p, i32 %a.c0
  %l.c0 = load i32, ptr addrspace(1) %p.c0
  %m.c0 = mul i32 %l.c0, 5
  %x.c0 = call i32 @llvm.amdgcn.ds.bpermute(i32 %m.c0, i32 %tid)
  store i32 %x.c0, ptr addrspace(1) %p.c0
  br label %join
c1:
  %a.c1 = add i32 %tid, 4
  %p.c1 = getelementptr i32, ptr addrspace(1) %p, i32 %a.c1
  %l.c1 = load i32, ptr addrspace(1) %p.c1
  %m.c1 = mul i32 %l.c1, 6
  store i32 %m.c1, ptr addrspace(1) %p.c1
  br label %join
join:
  ret void
}

; Nothing in common.
define amdgpu_kernel void @different(ptr addrspace(1) %p, float %f) {
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %g = getelementptr i32, ptr addrspace(1) %p, i32 %tid
  %s = load i32, ptr addrspace(1) %g
  switch i32 %s, label %join [
    i32 0, label %c0
    i32 4, label %c1
  ]
c0:
  %a.c0 = add i32 %tid, 1
  %p.c0 = getelementptr i32, ptr addrspace(1) %p, i32 %a.c0
  %l.c0 = load i32, ptr addrspace(1) %p.c0
  %m.c0 = mul i32 %l.c0, 5
  store i32 %m.c0, ptr addrspace(1) %p.c0
  br label %join
c1:
  %d = fdiv float 1.0, %f
  store float %d, ptr addrspace(1) %g
  %e = fsub float 1.0, %d
  %h = getelementptr float, ptr addrspace(1) %g, i32 12
  store volatile float %e, ptr addrspace(1) %h
  br label %join
join:
  ret void
}

; Alike, but the selects cost more than what is shared.
define amdgpu_kernel void @cheap(ptr addrspace(1) %p, <8 x i64> %x, <8 x i64> %y, <8 x i64> %z) {
entry:
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %g = getelementptr <8 x i64>, ptr addrspace(1) %p, i32 %tid
  %s = load i32, ptr addrspace(1) %g
  switch i32 %s, label %join [
    i32 0, label %c0
    i32 4, label %c1
    i32 9, label %c2
  ]
c0:
  %v0 = sub <8 x i64> %x, %y
  br label %join
c1:
  %v1 = sub <8 x i64> %y, %z
  br label %join
c2:
  %v2 = sub <8 x i64> %z, %x
  br label %join
join:
  %v = phi <8 x i64> [ zeroinitializer, %entry ], [ %v0, %c0 ], [ %v1, %c1 ], [ %v2, %c2 ]
  store <8 x i64> %v, ptr addrspace(1) %g
  ret void
}
